/* SPDX-License-Identifier: MIT */
/* inspect.h - judges a plug-in by its bytes: the stages from FOUND to ABI. Maps and runs nothing. */
#ifndef BP_HOST_INSPECT_INSPECT_H
#define BP_HOST_INSPECT_INSPECT_H

#include "base/file_trust.h"
#include "host/inspect/isa.h"
#include "host/inspect/manifest_cache.h"

/* What files are judged against. */
struct bp_vet {
    struct bp_trust trust;
    struct bp_isa isa;
    const char *sanitizer;    /* of this process, "" for none */
    struct bp_notes *notes;   /* what files' bytes have told before; NULL: read them */
    const struct bp_log *log; /* for it */
};

/* How far a file came, and why no further. */
struct bp_ruling {
    uint32_t stage; /* BP_STAGE_*, the last one entered */
    bp_rc code;     /* BP_OK: nothing is wrong up to and with that stage */
    char reason[512], fix[256];
};

/* Which file it is and what it says of itself; start from {0}. */
struct bp_vetted {
    dev_t dev;
    ino_t ino;
    bool is_there;       /* dev and ino are set */
    bool is_recalled;    /* the note is from the host's notes; no byte of the file was read */
    struct bp_note note; /* empty unless the stage NOTE was passed */
    int level;           /* of the psABI that it needs, by its note and by its name */
};

void bp_vet_init(struct bp_vet *vet, bool is_hermetic);
/*
 * Judges the file at an absolute path, whose name asks for `named_level` (0: none). What was learned
 * is in *out also when it is refused; bp_vetted_finish() it.
 */
void bp_vet_file(struct bp_vet *vet, const char *path, int named_level, struct bp_vetted *out,
                 struct bp_ruling *verdict);
/*
 * The same by the file's bytes and by who could change it at this moment, whatever was found before.
 * Returns a descriptor of what was judged, to be closed with close(); -1: it is refused.
 */
int bp_vet_again(struct bp_vet *vet, const char *path, int named_level, struct bp_vetted *out,
                 struct bp_ruling *verdict);
/*
 * Judges what is linked into this program by its note, as it lies in memory (NULL: it has none);
 * `module` is how sentences call it. What only files can be is not asked.
 */
void bp_vet_linked(struct bp_vet *vet, const char *module, const void *note, struct bp_vetted *out,
                   struct bp_ruling *verdict);
void bp_vetted_finish(struct bp_vetted *vetted);
/* Ends a verdict; fix may be NULL. Always false, so that checks can return it. */
bool bp_ruling_end(struct bp_ruling *verdict, uint32_t stage, bp_rc code, const char *fix,
                   const char *fmt, ...) BP_PRINTF(5, 6);

#endif
