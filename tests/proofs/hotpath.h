/* SPDX-License-Identifier: MIT */
/* hotpath.h - what the two programs of proof 5 share: the graph, slices of runs, and their figures. */
#ifndef BP_TESTS_HOTPATH_H
#define BP_TESTS_HOTPATH_H

#include <bp/abi.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/proto_writer.h"

enum { SLICE = 1000, SLICES = 1000, FEWER = 50, BUFFERS = 64, COUNT = 4 };

#define LIMIT_NS 10.0

struct figures {
    double ns; /* of a run, in the fastest slice */
    unsigned long allocations, crossings;
};

static inline bool is_strict(void)
{
    const char *limits = getenv("BP_LIMITS");

    return limits && strcmp(limits, "strict") == 0;
}

static inline int n_slices(void)
{
    return is_strict() ? SLICES : FEWER;
}

/* Of this thread's own time: others may have the processor meanwhile. */
static inline double cpu_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Takes a slice in: the least time counts; what is counted adds up. */
static inline void add_slice(struct figures *sum, const struct figures *slice)
{
    sum->ns = slice->ns < sum->ns ? slice->ns : sum->ns;
    sum->allocations += slice->allocations;
    sum->crossings += slice->crossings;
}

/* Neg and Abs in turn, so that each is a group of its own. x and y are float[COUNT]. */
static inline struct pw write_alternating(int n_groups)
{
    struct pw w = {0};

    pw_open_model(&w);
    for (int i = 0; i < n_groups; i++) {
        char in[16], out[16];

        snprintf(in, sizeof in, i ? "t%d" : "x", i - 1);
        snprintf(out, sizeof out, i + 1 < n_groups ? "t%d" : "y", i);
        pw_node(&w, i % 2 ? "Abs" : "Neg", in, out);
    }
    pw_value(&w, 11, "x", BP_DTYPE_F32, PW_DIMS(COUNT));
    pw_value(&w, 12, "y", BP_DTYPE_F32, PW_DIMS(COUNT));
    pw_close(&w);
    return w;
}

#endif
