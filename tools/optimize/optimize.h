/* SPDX-License-Identifier: MIT */
/* optimize.h - the parts of `backplane optimize`: what there is to do, and models as files. */
#ifndef BP_TOOLS_OPTIMIZE_H
#define BP_TOOLS_OPTIMIZE_H

#include "lib/cli.h"

/* A model to be read and the file that it becomes. */
struct optimize_job {
    char *in, *out;
};

struct optimize_jobs {
    struct optimize_job *items;
    size_t n, cap;
};

/*
 * One job for a file; for a directory one for each *.onnx in it and below, under the same names in
 * `out`. Prints what fails; returns an exit code.
 */
int optimize_find(struct cli *cli, const char *in, const char *out, struct optimize_jobs *jobs);
void optimize_jobs_finish(struct optimize_jobs *jobs);

/*
 * Saves a model, with the weights of 1 KiB and more in a file of their own beside it, OUT.data, if
 * `is_external` or where protobuf would end. Folders are made. What was there before stays until the
 * new files are whole; *size gets their bytes. BP_E_IO: says what cannot be written.
 */
bp_rc optimize_save(const bp_model *model, const char *out, bool is_external, uint64_t *size,
                    bp_err *err) BP_CHECKED;
/* The file of weights that belongs to a model's; the caller's, to free(). */
char *optimize_data_path(const char *out);

#endif
