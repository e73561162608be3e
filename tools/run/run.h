/* SPDX-License-Identifier: MIT */
/* run.h - what the files of `backplane run` share: its options, one run, and what is told of it. */
#ifndef BP_TOOLS_RUN_H
#define BP_TOOLS_RUN_H

#include "lib/cli.h"
#include "lib/json.h"
#include "lib/load.h"
#include "values/compare.h"
#include "values/feed.h"

struct run_args {
    struct load_args load;
    struct feed_args feed;
    struct arg_list expects; /* "name=FILE" */
    struct tolerance tolerance;
    const char *output_dir, *profile;
    uint64_t threads;
    double timeout; /* seconds; 0: none */
    bool has_report, is_json;
};

/* Tensors that a run made, in the order of the session's outputs. Starts as {0}. */
struct results {
    bp_binding *bindings;
    uint32_t n;
};

/*
 * Runs a session once, measured when there is a profile, and fetches every output. On failure
 * cli->words has the reason and nothing is printed; returns an exit code.
 */
int run_once(struct cli *cli, bp_session *session, const bp_binding *inputs, uint32_t n_inputs,
             bp_profile *profile, struct results *out);
void results_finish(struct results *results);

/* An output compared with a file. */
struct expectation {
    const char *name, *path;
    uint32_t output;
    bp_tensor want;
    struct comparison result;
};

enum { RUN_FIRST_VALUES = 8 }; /* as many as fit a line */
/* How many of a tensor's elements are shown. */
size_t run_first_count(const bp_tensor *tensor);

/* Prints outputs and comparisons: type, shape, statistics, first values; verdicts. */
void run_print(const struct cli *cli, const struct loaded *loaded, const struct results *results,
               const struct expectation *expectations, size_t n_expectations);
/* The same as one JSON object, with the inputs and, if requested, the report. */
int run_print_json(struct cli *cli, const char *path, const struct loaded *loaded,
                   const struct feed *feed, const struct results *results,
                   const struct expectation *expectations, size_t n_expectations, bool has_report);

#endif
