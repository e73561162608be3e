/* SPDX-License-Identifier: MIT */
/* bench.h - the figures of `backplane bench` and how they are told. */
#ifndef BP_TOOLS_BENCH_H
#define BP_TOOLS_BENCH_H

#include "load.h"

/* What is measured; seconds. */
struct bench_figures {
    double open, create, first;
    double *samples; /* sorted once all are taken */
    size_t n, cap;
    double total;
    uint64_t peak_bytes;
};

void bench_text(const struct cli *cli, const char *path, const struct loaded *loaded,
                const struct bench_figures *f, uint64_t warmup);
/* Times are in milliseconds. */
void bench_json(const struct cli *cli, const char *path, const struct loaded *loaded,
                const struct bench_figures *f, uint64_t warmup);

#endif
