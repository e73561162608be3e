/* SPDX-License-Identifier: MIT */
/* suite.h - what the two files of directories of test data share. */
#ifndef BP_TOOLS_SUITE_H
#define BP_TOOLS_SUITE_H

#include "progress.h"
#include "run.h"

enum outcome { PASSED, FAILED, SKIPPED, OUTCOMES };

struct suite {
    struct cli *cli;
    const struct run_args *args;
    bp_session_options *options;
    struct progress progress;
    struct json json;
    size_t counts[OUTCOMES];
    int code;                /* that all failures share so far */
    size_t n_sets;           /* of the present directory */
    struct text why, placed; /* of the present directory */
};

/*
 * Fails the present directory: why it did, `place` in it first if it is not NULL. Returns
 * `code`.
 */
int suite_blame(struct suite *suite, int code, const char *place, const char *words);

/* Runs and compares every test_data_set_* of a directory, up to the first failure; its code. */
int suite_run_sets(struct suite *suite, bp_session *session, const char *dir);

#endif
