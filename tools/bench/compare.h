/* SPDX-License-Identifier: MIT */
/* compare.h - `backplane bench --compare`: are the named providers faster than cpu alone? */
#ifndef BP_TOOLS_BENCH_COMPARE_H
#define BP_TOOLS_BENCH_COMPARE_H

#include "bench/bench.h"

enum {
    BENCH_PAIRS = 20,      /* slices of each side, unless runs are long or few are requested */
    BENCH_FEWEST_PAIRS = 6 /* with 5, all pairs have one sign by chance in 1 of 16 cases */
};

enum bench_verdict {
    BENCH_NO_NODES, /* the named providers took no node, so nothing is compared */
    BENCH_SAME,     /* no significant difference */
    BENCH_FASTER,
    BENCH_SLOWER
};

/* Speed of the named providers relative to cpu alone; 2 is twice as fast. */
struct bench_ratio {
    double median, low, high; /* of the pairs; low to high is the median's 95 % interval */
    size_t pairs;
    enum bench_verdict verdict;
};

/*
 * Computes median, interval and verdict of n pairs, 1 to 1000. A ratio is cpu's time divided by
 * that of the named providers. Sorts `ratios`.
 */
void bench_compute_verdict(double *ratios, size_t n, struct bench_ratio *out);

/* One of the configurations that are measured alternately. */
struct bench_side {
    struct loaded loaded;
    struct bench_figures figures;
    struct results buffers;
    bp_binding *outputs; /* buffer of bench_run() */
    uint32_t n_groups;
    /* per run, between memories; bytes of copies whose size is known, and how many have none */
    uint64_t n_copies, copy_bytes, n_unsized;
};

/* ---- side.c ---------------------------------------------------------------------------------- */

/*
 * Loads the model for cpu alone; what the arguments say of other providers is left out. Prints what
 * fails; returns an exit code.
 */
int bench_load_cpu(struct cli *cli, const struct load_args *args, const char *path,
                   struct loaded *out);
/* Copies between memories, the usual reason for a slower run. */
void bench_count_copies(struct bench_side *side);
/* The first run, which makes the buffers, and those to warm up. Prints what fails. */
int bench_warm_up(struct cli *cli, struct bench_side *side, const struct feed *feed,
                  uint64_t warmup);
/*
 * So many runs of a side, or for so long, at least one; *median is theirs, in seconds. One more goes
 * before them that does not count, for it finds the other side's data in the caches, and its threads
 * awake.
 */
bp_rc bench_measure_slice(struct cli *cli, struct bench_side *side, const struct feed *feed,
                          uint64_t runs, double seconds, double *median);
void bench_finish_side(struct bench_side *side);

/* ---- compare.c ------------------------------------------------------------------------------- */

struct bench_comparison {
    const char *path;
    struct bp_text title;         /* "dnnl,cpu" */
    struct bp_text idle;          /* "dnnl": the named providers that took no node */
    struct bench_side named, cpu; /* without samples if the verdict is BENCH_NO_NODES */
    struct bench_ratio ratio;
};

/* The verdict as a sentence. */
void bench_sentence(const struct bench_comparison *c, struct bp_text *out);
void bench_compare_text(const struct cli *cli, const struct bench_comparison *c);
/* Times are in milliseconds. */
void bench_compare_json(const struct cli *cli, const struct bench_comparison *c, uint64_t warmup);

/*
 * Measures and prints. Prints errors; returns an exit code, which does not depend on the verdict.
 */
int bench_compare(struct cli *cli, const struct bench_args *args, const char *path);

#endif
