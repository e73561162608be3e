/* SPDX-License-Identifier: MIT */
/*
 * lazy.h - libraries that few models need are opened when a node first uses them, so that all
 * others start without them, and run where they are not installed.
 */
#ifndef BP_CPU_LAZY_H
#define BP_CPU_LAZY_H

#include <stddef.h>

/* A function of the library, and where its pointer goes in the caller's table. */
struct bp_cpu_symbol {
    const char *name;
    size_t offset;
};

/*
 * Opens the library of that shared name and fills the table. NULL: it is not here, or lacks one of
 * the functions; or soname is NULL, as it is where configure did not find the library. Opening it
 * again is cheap: the system counts. [any thread]
 */
void *bp_cpu_lazy_open(const char *soname, const struct bp_cpu_symbol *symbols, size_t n,
                       void *table);
void bp_cpu_lazy_close(void *library); /* NULL is fine */

#endif
