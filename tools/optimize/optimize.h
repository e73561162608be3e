/* SPDX-License-Identifier: MIT */
/* optimize.h - the parts of `backplane optimize`: what there is to do, and models as files. */
#ifndef BP_TOOLS_OPTIMIZE_H
#define BP_TOOLS_OPTIMIZE_H

#include "lib/json.h"
#include "lib/load.h"
#include "text/text.h"

enum { OPTIMIZE_FORMAT_BY_NAME = 0, OPTIMIZE_FORMAT_ONNX, OPTIMIZE_FORMAT_ORT };

struct optimize_args {
    struct load_args load;
    const char *output;
    uint32_t format; /* OPTIMIZE_FORMAT_* */
    uint64_t jobs;   /* models at once; 0: one a processor */
    bool is_external, keeps_defaults, is_forced, lists, is_json;
};

/* A model to be read and the file that it becomes. */
struct optimize_job {
    char *in, *out;
};

struct optimize_jobs {
    struct optimize_job *items;
    size_t n, cap;
    bool takes_ort; /* *.ort in directories, too */
};

/*
 * One job for a file; for a directory one for each *.onnx in it and below, under the same names in
 * `out`. Prints what fails; returns an exit code.
 */
int optimize_find(struct cli *cli, const char *in, const char *out, struct optimize_jobs *jobs);
void optimize_jobs_finish(struct optimize_jobs *jobs);

/* What became of a model. Starts from {0}; optimize_result_finish() ends it. */
struct optimize_result {
    int code;    /* CLI_OK, or the exit code of the failure */
    char *words; /* of the failure; else NULL */
    uint32_t nodes_before, nodes_after, inputs_before, inputs_after;
    uint64_t bytes; /* of the new files */
    double seconds;
    bp_report *report; /* what passes did; NULL after a failure */
};
/*
 * Optimizes one model for the providers of `options`, which only say what they would take, and saves it.
 * Prints nothing. [any thread, each with a cli of its own]
 */
void optimize_one(struct cli *cli, const struct optimize_args *args,
                  const bp_session_options *options, const struct optimize_job *job,
                  struct optimize_result *out);
void optimize_result_finish(struct optimize_result *result);

/*
 * All models, args->jobs at once; what became of each is printed in the order of the list, as soon as
 * those before it are done. One that fails does not keep the others; the first failure's code is the result.
 */
int optimize_all(struct cli *cli, const struct optimize_args *args,
                 const bp_session_options *options, const struct optimize_jobs *jobs, bool is_one);

/* What became of all models. */
struct optimize_tally {
    size_t n, n_done;
    uint64_t nodes_before, nodes_after;
    struct bp_text failures; /* a line a model that failed */
};

/* How results are told: as text or as JSON, in the order of the list. */
void optimize_tell_begin(const struct optimize_args *args, struct json *json);
void optimize_tell(struct cli *cli, const struct optimize_args *args, struct json *json,
                   const struct optimize_job *job, const struct optimize_result *result,
                   struct optimize_tally *tally, bool is_one);
void optimize_tell_end(const struct cli *cli, const struct optimize_args *args, struct json *json,
                       struct optimize_tally *tally, bool is_one);

/*
 * Saves a model, with the weights of 1 KiB and more in a file of their own beside it, OUT.data, if
 * `is_external` or where protobuf would end. Folders are made. What was there before stays until the
 * new files are whole; *size gets their bytes. BP_E_IO: says what cannot be written.
 */
bp_rc optimize_save(const bp_model *model, const char *out, bool is_external, uint64_t *size,
                    bp_err *err) BP_CHECKED;
/* Does the name say ONNX Runtime's own format? */
bool optimize_is_ort(const char *path);
/* The file of weights that belongs to a model's; the caller's, to free(). */
char *optimize_data_path(const char *out);

#endif
