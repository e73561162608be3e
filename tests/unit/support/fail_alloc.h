/* SPDX-License-Identifier: MIT */
/*
 * fail_alloc.h - makes the n-th allocation of the code under test fail. Programs that use it are
 * linked with -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc, which leaves the C library's
 * own alone.
 *
 *     for (unsigned n = 1; failed; n++) {
 *         fail_alloc_at(n);
 *         rc = work();
 *         failed = fail_alloc_stop();
 *         ck_assert_int_eq(rc, failed ? BP_E_NOMEM : BP_OK);
 *     }
 */
#ifndef BP_TESTS_FAIL_ALLOC_H
#define BP_TESTS_FAIL_ALLOC_H

#include <stdbool.h>

/* The n-th allocation from now on fails, once; n starts at 1. Of one thread. */
void fail_alloc_at(unsigned n);
/* Ends that; has an allocation failed? */
bool fail_alloc_stop(void);

#endif
