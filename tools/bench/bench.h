/* SPDX-License-Identifier: MIT */
/* bench.h - what the files of `backplane bench` share: options, figures, and how they are told. */
#ifndef BP_TOOLS_BENCH_H
#define BP_TOOLS_BENCH_H

#include "lib/load.h"
#include "lib/text.h"
#include "run/run.h"
#include "values/feed.h"

enum { BENCH_MOST_RUNS = 10000000 }; /* 80 MB of samples */

#define BENCH_SECONDS 2.0 /* when neither --runs nor --seconds is given */

struct bench_args {
    struct load_args load;
    struct feed_args feed;
    uint64_t warmup, runs, threads;
    double seconds;
    const char *profile;
    bool is_json, is_comparison;
};

/* What is measured; seconds. */
struct bench_figures {
    double open, create, first;
    double *samples; /* sorted once all are taken */
    size_t n, cap;
    double total;
    uint64_t peak_bytes;
};

/*
 * Runs into the buffers of an earlier run, so that no output is allocated. `outputs` has capacity
 * for one binding per output.
 */
bp_rc bench_run(struct cli *cli, bp_session *session, const struct feed *feed,
                const struct results *buffers, bp_profile *profile, bp_binding *outputs);
void bench_add_sample(struct bench_figures *f, double seconds);
/* Sorts in ascending order. */
void bench_sort(double *values, size_t n);
/* The percentile of sorted samples: `percent` of them do not exceed it. */
double bench_percentile(const struct bench_figures *f, unsigned percent);

void bench_text(const struct cli *cli, const char *path, const struct loaded *loaded,
                const struct bench_figures *f, uint64_t warmup);
/* Times are in milliseconds. */
void bench_json(const struct cli *cli, const char *path, const struct loaded *loaded,
                const struct bench_figures *f, uint64_t warmup);

#endif
