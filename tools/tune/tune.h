/* SPDX-License-Identifier: MIT */
/*
 * tune.h - what the files of `backplane tune` share. A setting is a way to run the model; another kind
 * of setting (threads, arithmetic) is a field of struct tune_setting and rows in tune_list().
 */
#ifndef BP_TOOLS_TUNE_TUNE_H
#define BP_TOOLS_TUNE_TUNE_H

#include "bench/compare.h"

enum { TUNE_MOST = 16 }; /* settings */

struct tune_args {
    struct load_args load;
    struct feed_args feed;
    uint64_t warmup, rounds, threads;
    double seconds;
    bool is_json;
};

/* A way to run the model, and what it took. */
struct tune_setting {
    bool is_cpu_alone;
    uint32_t level;       /* BP_OPTIMIZE_* */
    struct bp_text title; /* of its providers: "dnnl,cpu" */
    struct bench_side side;
    double ratios[1000]; /* of each round: time of the first setting / time of this one */
    struct bench_ratio ratio;
    double difference; /* largest of a float32 output from the first setting's; -1: shapes differ */
    bool is_idle;      /* its providers took no node, so it is not measured */
};

struct tuning {
    const char *path;
    struct tune_setting settings[TUNE_MOST]; /* the first is the one to compare with */
    size_t n, best;
    size_t rounds; /* that were measured */
};

/* The settings to try. */
void tune_list(struct tuning *tuning);
/* Loads and measures all of them and chooses the best. Prints what fails; returns an exit code. */
int tune_measure(struct cli *cli, const struct tune_args *args, struct tuning *tuning);
void tune_finish(struct tuning *tuning);

/* "basic" */
const char *tune_level(uint32_t level);
void tune_text(const struct cli *cli, const struct tuning *tuning);
/* Times are in milliseconds. */
void tune_json(const struct cli *cli, const struct tune_args *args, const struct tuning *tuning);

#endif
