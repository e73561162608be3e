/* SPDX-License-Identifier: MIT */
/* apart.h - runs a test of the kit, in a process of its own or here. */
#ifndef BP_CHECK_APART_H
#define BP_CHECK_APART_H

#include "check/report.h"

/* How tests are run. */
struct manner {
    const char *provider;          /* short name; NULL: the first */
    double limit;                  /* seconds that a test, or a seed of one, may take */
    uint32_t seed;                 /* the first one of FUZZ, */
    uint32_t random_seed;          /* and of RANDOM */
    const char *reference;         /* the file that RANDOM compares with, or NULL */
    uint32_t rounds;               /* how many seeds; 0 follows the largest */
    const struct kit_given *given; /* values of options */
    uint32_t n_given;
    struct kit_given fault; /* variable of the environment with which devices fail, or {NULL} */
    bool in_process;
    bool shows_progress; /* of FUZZ and ONNX, on standard error */
};

/* Runs result->test on the plug-in and fills in the rest. `shared` is memory of both processes. */
void run_test(const char *path, const struct manner *manner, struct result *result,
              struct kit_outcome *shared);

#endif
