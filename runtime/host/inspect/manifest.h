/* SPDX-License-Identifier: MIT */
/* manifest.h - the manifest of a plug-in (bp/manifest.h), read from its file. */
#ifndef BP_HOST_INSPECT_MANIFEST_H
#define BP_HOST_INSPECT_MANIFEST_H

#include "host/inspect/elf.h"
#include "text/text.h"

enum {
    BP_MANIFEST_MAX = 8192, /* bytes of a manifest; more is refused */
    BP_MANIFEST_ID_MAX = 128,
    BP_MANIFEST_NAME_MAX = 64,
    BP_MANIFEST_VERSION_MAX = 64,
    BP_MANIFEST_PRIORITY = 50 /* of one that says none */
};

struct bp_manifest_version {
    uint32_t major, minor;
};

/* Start from {0}. Strings lie in `text`; those that the manifest lacks are "". */
struct bp_manifest {
    char *text;
    const char *id, *name, *version; /* not empty once read */
    const char *arch, *isa, *sanitizer, *env, *watch, *license, *no_ctor, *devices;
    struct bp_manifest_version abi, needs_host;
    int priority; /* 0 to 99 */
};

/*
 * Finds and reads the manifest of a native file. BP_E_INVALID: there is none, or it is malformed;
 * the words say what of it. On failure *out is empty.
 */
bp_rc bp_manifest_read(const struct bp_elf *elf, struct bp_manifest *out, bp_err *err) BP_CHECKED;
/*
 * The same from the manifest as it lies in memory, of a plug-in that is linked into this program.
 */
bp_rc bp_manifest_read_linked(const void *bytes, struct bp_manifest *out, bp_err *err) BP_CHECKED;
/* The same from the manifest's content, size bytes, which are copied. */
bp_rc bp_manifest_parse(const char *content, size_t size, struct bp_manifest *out,
                        bp_err *err) BP_CHECKED;
/* Appends a content that reads as this manifest. */
void bp_manifest_write(const struct bp_manifest *manifest, struct bp_text *out);
void bp_manifest_finish(struct bp_manifest *manifest);
/*
 * Which version is higher? Runs of digits are compared as numbers, all else by bytes; "1.0" is
 * below "1.0.1", and "1.0-rc1" below "1.0". Below, at or above 0.
 */
int bp_manifest_compare_versions(const char *a, const char *b);

#endif
