/* SPDX-License-Identifier: MIT */
/* cpu_case.h - what tests of the CPU provider's operators begin with: a host for each test. */
#ifndef BP_TESTS_CPU_CASE_H
#define BP_TESTS_CPU_CASE_H

#include "support/random_data.h"
#include "support/test_host.h"
#include "support/typed.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

extern bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err);

#define COUNT(a) (int)(sizeof(a) / sizeof(a)[0])
#define ck_run() ck_assert_msg(th_run(t) >= 0, "%s", th_message(t))
/* The run fails and says why. */
#define ck_refused(words)                                                                          \
    do {                                                                                           \
        ck_assert_int_lt(th_run(t), 0);                                                            \
        ck_assert_msg(strstr(th_message(t), words) != NULL, "%s", th_message(t));                  \
    } while (0)

static struct th *t;

/* The fixture: tcase_add_checked_fixture(tcase, setup, teardown). */
static inline void setup(void)
{
    t = th_new(bp_provider_entry_v1);
}

static inline void teardown(void)
{
    th_free(t);
}

/* n times `size` zeroed bytes, for the length of the test. */
static inline void *kept_zeros(size_t n, size_t size)
{
    return th_keep(t, calloc(n, size));
}

/* typed_encode() for the length of the test. */
static inline void *kept_encode(const double *values, size_t n, uint32_t dtype)
{
    return th_keep(t, typed_encode(values, n, dtype));
}

/* data_make() for the length of the test. */
static inline double *kept_values(size_t n, uint32_t dtype)
{
    return th_keep(t, data_make(n, dtype));
}

#endif
