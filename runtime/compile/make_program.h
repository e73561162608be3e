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
};

/* How a program came about, for the report. */
struct bp_program_origin {
    uint32_t how;   /* BP_PROGRAM_COMPILED, BP_PROGRAM_LOADED */
    uint64_t ns;    /* that it took */
    char text[512]; /* what the cache had to do with it; "": there is none */
};

/*
 * Makes a program of a group; what->flags is set here. cache: NULL: none. What goes wrong with the
 * cache, or in the provider's load and save, is a line in the log and in origin->text, and no
 * failure: then the group is compiled. Fails as bp_provider.compile does, and with BP_E_INTERNAL
 * where that gave no program.
 */
bp_rc bp_make_program(struct bp_program_cache *cache, const struct bp_active *active,
                      const bp_graph *graph, bp_compile *what, bp_program **out,
                      struct bp_program_origin *origin, bp_err *err) BP_CHECKED;

#endif
