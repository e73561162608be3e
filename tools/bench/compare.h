/* SPDX-License-Identifier: MIT */
/* compare.h - `backplane bench --compare`: are the named providers faster than cpu alone? */
#ifndef BP_TOOLS_BENCH_COMPARE_H
#define BP_TOOLS_BENCH_COMPARE_H

#include "bench/bench.h"

enum {
    BENCH_PAIRS = 20,      /* slices of each side, unless runs are long or few are wanted */
    BENCH_FEWEST_PAIRS = 6 /* with fewer, chance alone gives one sign to all in 1 of 16 or more */
};

enum bench_verdict {
    BENCH_NO_NODES, /* there is nothing to compare: the named providers took no node */
    BENCH_SAME,     /* no difference that can be told */
    BENCH_FASTER,
    BENCH_SLOWER
};

/* How many times as fast as cpu alone. */
struct bench_ratio {
    double median, low, high; /* of the pairs; the true median is in between, 95 in 100 times */
    size_t pairs;
    enum bench_verdict verdict;
};

/* What n pairs say, 1 to 1000 of them, each one's cpu time by the other's. Sorts them. */
void bench_judge(double *ratios, size_t n, struct bench_ratio *out);

/* One of the two that take turns. */
struct bench_side {
    struct loaded loaded;
    struct bench_figures figures;
    struct results buffers;
    bp_binding *outputs; /* room for bench_run */
    uint32_t n_groups;
    uint64_t n_copies, copy_bytes; /* a run, between memories; bytes where sizes are known */
};

struct bench_comparison {
    const char *path;
    struct bp_text title;         /* "dnnl,cpu" */
    struct bp_text idle;          /* "dnnl": those of them that took no node */
    struct bench_side named, cpu; /* without samples if the verdict is BENCH_NO_NODES */
    struct bench_ratio ratio;
};

/* The verdict as a sentence. */
void bench_sentence(const struct bench_comparison *c, struct bp_text *out);
void bench_compare_text(const struct cli *cli, const struct bench_comparison *c);
/* Times are in milliseconds. */
void bench_compare_json(const struct cli *cli, const struct bench_comparison *c, uint64_t warmup);

/* Measures, and tells. Prints what fails; returns an exit code, which no verdict changes. */
int bench_compare(struct cli *cli, const struct bench_args *args, const char *path);

#endif
