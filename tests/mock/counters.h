/* SPDX-License-Identifier: MIT */
/* counters.h - what the mock providers count; tests get it through bp_provider.extension. */
#ifndef BP_TESTS_COUNTERS_H
#define BP_TESTS_COUNTERS_H

#include <stdatomic.h>

#define MOCK_COUNTERS_ID "test.counters/1"
#define MOCK_SIM_ID "test.sim/1" /* bp_sim_counters of the plug-in's accelerators */

/* Of this process, since the plug-in was loaded. */
struct mock_counters {
    atomic_uint instances, programs, frames; /* alive */
    atomic_uint executes;                    /* calls so far */
    atomic_uint inside;                      /* calls of execute that have not returned */
    atomic_uint most_inside;                 /* the largest that `inside` ever was */
    atomic_uint most_frames;                 /* the largest that `frames` ever was */
    atomic_uint made_frames;                 /* frames so far */
    atomic_uint signals;                     /* executes that recorded bp_run.signal_event */
    atomic_uint in_place;                    /* executes that found an output where an input is */
    _Atomic(atomic_uint *) teardowns;        /* the test's; NULL: not counted */
    atomic_uintptr_t first_in, first_out;    /* where these tensors were in the last execute */
};

/* One frame more. */
static inline void mock_count_frame(struct mock_counters *counters)
{
    unsigned now = atomic_fetch_add(&counters->frames, 1) + 1;
    unsigned most = atomic_load(&counters->most_frames);

    atomic_fetch_add(&counters->made_frames, 1);
    while (now > most && !atomic_compare_exchange_weak(&counters->most_frames, &most, now))
        continue;
}

#endif
