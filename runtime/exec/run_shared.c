/* SPDX-License-Identifier: MIT */
/* run_shared.c - the limits of a run: cancelled by its caller, or past its deadline. */

#include "config.h"

#include "exec/run_shared.h"

#include <time.h>

#include <bp/sdk.h>

/* The clock is read only where there is a deadline. */
bp_rc bp_run_check_limits(const struct bp_run_shared *shared, bp_err *err)
{
    if (bp_is_cancelled(shared->cancel))
        return bp_fail(err, BP_E_CANCELLED, "the run was cancelled");
    if (shared->deadline_ns) {
        struct timespec t;

        clock_gettime(CLOCK_MONOTONIC, &t);
        if ((int64_t)t.tv_sec * 1000000000 + t.tv_nsec > shared->deadline_ns)
            return bp_fail(err, BP_E_TIMEOUT, "the run took longer than its time limit");
    }
    return BP_OK;
}
