/* SPDX-License-Identifier: MIT */
/* run_shared.h - what all frames of one run share, and whether that run should end. */
#ifndef BP_EXEC_RUN_SHARED_H
#define BP_EXEC_RUN_SHARED_H

#include <backplane.h>

#include "base/status.h"

/* What all frames of one run share. */
struct bp_run_shared {
    const volatile uint32_t *cancel; /* may be NULL */
    int64_t deadline_ns;             /* on CLOCK_MONOTONIC; 0: none */
    uint64_t run_id;
    uint64_t crossings;  /* calls of execute so far */
    uint64_t host_waits; /* for streams so far */
    bp_profile *profile; /* NULL: nothing is measured */
    uint32_t thread;     /* with a profile: the calling one */
};

/* BP_E_CANCELLED or BP_E_TIMEOUT when the run should end. */
bp_rc bp_run_check_limits(const struct bp_run_shared *shared, bp_err *err) BP_CHECKED;
static inline bp_rc bp_run_check(const struct bp_run_shared *shared, bp_err *err)
{
    return shared->cancel || shared->deadline_ns ? bp_run_check_limits(shared, err) : BP_OK;
}

#endif
