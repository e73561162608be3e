/* SPDX-License-Identifier: MIT */
/* suite.h - one directory of test data in the ONNX project's layout, run and compared. */
#ifndef BP_TOOLS_SUITE_H
#define BP_TOOLS_SUITE_H

#include <dirent.h>

#include "conform/constants.h"
#include "lib/progress.h"
#include "run/run.h"

struct suite_args {
    struct load_args load;
    struct tolerance tolerance;
    uint64_t threads;
    double timeout; /* seconds; 0: none */
    bool has_report;
    bool has_constant_inputs; /* all inputs but the first are initializers */
};

/* What came of a directory. The texts are the caller's to free. */
struct verdict {
    int code; /* CLI_OK: passed */
    bool is_skipped;
    size_t n_sets;
    char *placed; /* "dnnl 3, cpu 1"; "" when there was no session */
    char *why;    /* it did not pass; "" when it did */
};
void verdict_finish(struct verdict *verdict);

/* A directory that is being run. */
struct suite {
    struct cli *cli;
    const struct suite_args *args;
    bp_session_options *options;
    const char *model;                 /* path of the model to open */
    const char *set;                   /* the one test_data_set_* to run; NULL: all */
    const struct constants *constants; /* which of that set's inputs the model has; NULL: none */
    size_t n_sets;
    struct bp_text why, placed;
};

/*
 * Runs model.onnx of a directory on all of its test data, up to the first difference. The environment
 * is open. Prints nothing.
 */
void suite_run(struct cli *cli, const struct suite_args *args, const char *dir,
               struct verdict *out);

/* What is tested: a model that was made ready, wherever that was. */
struct subject {
    void *self;
    const bp_io_info *inputs, *outputs;
    uint32_t n_inputs, n_outputs;
    /* One run that fetches every output. On failure cli->words has the reason; an exit code. */
    int (*run)(struct suite *suite, void *self, const bp_binding *inputs, uint32_t n_inputs,
               struct results *out);
};

/*
 * Makes suite->model ready and hands it to suite_run_sets() with the directory. Each program that tests has
 * one of these. *is_skipped: it could not be tested. The exit code; the suite has the reason.
 */
int suite_run_directory(struct suite *suite, const char *dir, bool *is_skipped);

/*
 * Fails the directory: why it did, `place` in it first if it is not NULL. Returns `code`.
 */
int suite_blame(struct suite *suite, int code, const char *place, const char *words);

/*
 * Runs and compares suite->set, or every test_data_set_* of a directory, up to the first failure; its
 * code.
 */
int suite_run_sets(struct suite *suite, const struct subject *subject, const char *dir);
/*
 * The names of a directory's test_data_set_*, in their order; their number, 0 if there is none. Each
 * and *out are the caller's to free().
 */
int suite_list_sets(const char *dir, struct dirent ***out);

#endif
