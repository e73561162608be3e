/* SPDX-License-Identifier: MIT */
/*
 * inspect.h - inspects a plug-in by its bytes: the stages from FOUND to ABI. Maps and runs nothing.
 */
#ifndef BP_HOST_INSPECT_INSPECT_H
#define BP_HOST_INSPECT_INSPECT_H

#include "base/file_trust.h"
#include "host/inspect/isa.h"
#include "host/inspect/manifest_cache.h"

/* What files are inspected against. */
struct bp_inspector {
    struct bp_trust trust;
    struct bp_isa isa;
    const char *sanitizer;           /* of this process, "" for none */
    struct bp_manifest_cache *cache; /* what files' bytes have told before; NULL: read them */
    const struct bp_log *log;        /* for it */
};

/* How far a file came, and why no further. */
struct bp_stage_verdict {
    uint32_t stage; /* BP_STAGE_*, the last one entered */
    bp_rc code;     /* BP_OK: nothing is wrong up to and with that stage */
    char reason[512], fix[256];
};

/* Which file it is and what it says of itself; start from {0}. */
struct bp_inspected {
    dev_t dev;
    ino_t ino;
    bool is_there;    /* dev and ino are set */
    bool is_recalled; /* the manifest is from the manifest cache; no byte of the file was read */
    struct bp_manifest manifest; /* empty unless the stage MANIFEST was passed */
    int level;                   /* of the psABI that it needs, by its manifest and by its name */
};

void bp_inspector_init(struct bp_inspector *inspector, bool is_hermetic);
/*
 * Inspects the file at an absolute path, whose name asks for `named_level` (0: none). What was
 * learned is in *out also when it is refused; bp_inspected_finish() it.
 */
void bp_inspect_file(struct bp_inspector *inspector, const char *path, int named_level,
                     struct bp_inspected *out, struct bp_stage_verdict *verdict);
/*
 * The same by the file's bytes and by who could change it at this moment, whatever was found
 * before. Returns a descriptor of what was inspected, to be closed with close(); -1: it is refused.
 */
int bp_inspect_again(struct bp_inspector *inspector, const char *path, int named_level,
                     struct bp_inspected *out, struct bp_stage_verdict *verdict);
/*
 * Inspects what is linked into this program by its manifest, as it lies in memory (NULL: it has
 * none); `module` is how sentences call it. What only files can be is not asked.
 */
void bp_inspect_linked(struct bp_inspector *inspector, const char *module, const void *manifest,
                       struct bp_inspected *out, struct bp_stage_verdict *verdict);
void bp_inspected_finish(struct bp_inspected *inspected);
/* Ends a verdict; fix may be NULL. Always false, so that checks can return it. */
bool bp_stage_refuse(struct bp_stage_verdict *verdict, uint32_t stage, bp_rc code, const char *fix,
                     const char *fmt, ...) BP_PRINTF(5, 6);

#endif
