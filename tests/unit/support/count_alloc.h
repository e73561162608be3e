/* SPDX-License-Identifier: MIT */
/*
 * count_alloc.h - stands before the C library's allocator for the whole process, plug-ins and
 * libraries included: counts, and lets the n-th allocation of a thread fail. It needs glibc, and
 * neither a sanitizer nor valgrind.
 */
#ifndef BP_TESTS_COUNT_ALLOC_H
#define BP_TESTS_COUNT_ALLOC_H

#include <stdbool.h>
#include <stdlib.h>

/* Allocations and frees of all threads since the program began. */
unsigned long count_alloc_calls(void);
/* The same of the calling thread. */
unsigned long count_alloc_own_calls(void);
/* Blocks that are allocated now. */
long count_alloc_live(void);
/* The n-th allocation of this thread from now on fails, once; n starts at 1. */
void count_alloc_fail_at(unsigned n);
/* Ends that; has an allocation failed? */
bool count_alloc_stop(void);

/* False: nothing can be counted here, so tests skip. Tried, since valgrind puts its own before ours. */
static inline bool count_alloc_works(void)
{
    unsigned long before = count_alloc_calls();
    void *volatile p = malloc(1);

    free(p);
    return count_alloc_calls() == before + 2;
}

#endif
