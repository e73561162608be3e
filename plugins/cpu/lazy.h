/* SPDX-License-Identifier: MIT */
/*
 * lazy.h - libraries that few models need are opened when a node first uses them, so that all
 * others start without them, and run where they are not installed.
 */
#ifndef BP_CPU_LAZY_H
#define BP_CPU_LAZY_H

#include <stdatomic.h>
#include <stddef.h>

/* A function of the library, and where its pointer goes in the caller's table. */
struct bp_cpu_symbol {
    const char *name;
    size_t offset;
};

/* An open library and its functions. */
struct bp_cpu_library {
    void *handle;
    void *functions[]; /* one a symbol, in the caller's struct of function pointers */
};

/* Where a library goes that several threads may be the first to need. {0}: it is not open yet. */
typedef _Atomic(struct bp_cpu_library *) bp_cpu_lazy;

/* What bp_cpu_lazy_open() can end with. */
enum bp_cpu_lazy_rc { BP_CPU_LAZY_OK, BP_CPU_LAZY_NO_MEMORY, BP_CPU_LAZY_NO_LIBRARY };

/*
 * Opens the library of that shared name unless `at` has it, and sets *functions to its functions, a
 * struct of pointers with an offset for each symbol. No lock is held meanwhile, so that the child of
 * a fork() finds none held: of two threads that come first the later one uses what the other opened.
 * NO_LIBRARY: it is not here, or lacks a function; or soname is NULL, as it is where configure did
 * not find the library. [any thread]
 */
enum bp_cpu_lazy_rc bp_cpu_lazy_open(bp_cpu_lazy *at, const char *soname,
                                     const struct bp_cpu_symbol *symbols, size_t n,
                                     const void **functions);
/* Closes the library if it is open. No other thread uses it. */
void bp_cpu_lazy_close(bp_cpu_lazy *at);

#endif
