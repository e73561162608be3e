/* SPDX-License-Identifier: MIT */
/* make_program.h - a group becomes a program: loaded from the cache, or compiled and put there. */
#ifndef BP_COMPILE_MAKE_PROGRAM_H
#define BP_COMPILE_MAKE_PROGRAM_H

#include "cache/store.h"
#include "compile/provider_list.h"

/* The cache of an engine while its programs are made. */
struct bp_program_cache {
    struct bp_store store;
    const char *fault; /* why the directory cannot be used; NULL: it can */
    const char *model; /* path of the model, for people who list the cache */
};

/* How a program came about, for the report. */
struct bp_program_origin {
    uint32_t how;   /* BP_PROGRAM_COMPILED, BP_PROGRAM_LOADED */
    uint64_t ns;    /* that it took */
    char text[512]; /* what the cache had to do with it; "": there is none */
};

/*
 * Makes a program of a group; what->flags is set here. is_kept: the caller will save it. cache: NULL:
 * none. What goes wrong with the
 * cache, or in the provider's load and save, is a line in the log and in origin->text, and no
 * failure: then the group is compiled. Fails as bp_provider.compile does, and with BP_E_INTERNAL
 * where that gave no program.
 */
bp_rc bp_make_program(struct bp_program_cache *cache, const struct bp_active *active,
                      const bp_graph *graph, bp_compile *what, bool is_kept, bp_program **out,
                      struct bp_program_origin *origin, bp_err *err) BP_CHECKED;
/*
 * Has a provider load a program from bytes that passed the checks of the store; it has checks of its
 * own. As bp_provider.load fails, and BP_E_INTERNAL where that gave no program.
 */
bp_rc bp_program_load(const struct bp_active *active, const bp_graph *graph, const bp_compile *what,
                      bp_span blob, bp_program **out, bp_err *err) BP_CHECKED;
/* Versions of driver and library; "" of a provider without the slot, which has none that matter. */
bp_rc bp_program_fingerprint(const struct bp_active *active, char *out, uint32_t cap,
                             bp_err *err) BP_CHECKED;
uint64_t bp_program_clock(void); /* nanoseconds, for bp_program_origin.ns */

#endif
