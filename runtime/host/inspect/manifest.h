/* SPDX-License-Identifier: MIT */
/* manifest.h - the note of a plug-in (bp/note.h), read from its file. */
#ifndef BP_HOST_INSPECT_MANIFEST_H
#define BP_HOST_INSPECT_MANIFEST_H

#include "base/text.h"
#include "host/inspect/elf.h"

enum {
    BP_NOTE_MAX = 8192, /* bytes of a note; more is refused */
    BP_NOTE_ID_MAX = 128,
    BP_NOTE_NAME_MAX = 64,
    BP_NOTE_VERSION_MAX = 64,
    BP_NOTE_PRIORITY = 50 /* of one that says none */
};

struct bp_note_version {
    uint32_t major, minor;
};

/* Start from {0}. Strings lie in `text`; those that the note lacks are "". */
struct bp_note {
    char *text;
    const char *id, *name, *version; /* not empty once read */
    const char *arch, *isa, *sanitizer, *env, *watch, *license, *no_ctor;
    struct bp_note_version abi, needs_host;
    int priority; /* 0 to 99 */
};

/*
 * Finds and reads the note of a native file. BP_E_INVALID: there is none, or it is malformed; the
 * words say what of it. On failure *out is empty.
 */
bp_rc bp_note_read(const struct bp_elf *elf, struct bp_note *out, bp_err *err) BP_CHECKED;
/* The same from the note as it lies in memory, of a plug-in that is linked into this program. */
bp_rc bp_note_read_linked(const void *bytes, struct bp_note *out, bp_err *err) BP_CHECKED;
/* The same from the note's content, size bytes, which are copied. */
bp_rc bp_note_parse(const char *content, size_t size, struct bp_note *out, bp_err *err) BP_CHECKED;
/* Appends a content that reads as this note. */
void bp_note_write(const struct bp_note *note, struct bp_text *out);
void bp_note_finish(struct bp_note *note);
/*
 * Which version is higher? Runs of digits are compared as numbers, all else by bytes; "1.0" is below
 * "1.0.1", and "1.0-rc1" below "1.0". Below, at or above 0.
 */
int bp_note_compare_versions(const char *a, const char *b);

#endif
