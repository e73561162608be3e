/* SPDX-License-Identifier: MIT */
/* one.c - one model: read, checked against what is there, optimized and saved. */

#include "config.h"

#include "optimize/optimize.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/progress.h"
#include "lib/text.h"
#include "values/file.h"

/* Records the failure, to be told when it is this model's turn. */
static int fail(struct optimize_result *out, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static int fail(struct optimize_result *out, int code, const char *fmt, ...)
{
    struct bp_text words = {0};
    va_list args;

    va_start(args, fmt);
    text_vprintf(&words, fmt, args);
    va_end(args);
    free(out->words);
    out->words = words.data;
    out->code = code;
    return code;
}

/* By device and inode, because links and "./" give one file many paths. */
static bool is_same_file(const char *a, const char *b)
{
    struct stat x, y;

    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* May that file be written, while the model with its external files is read? */
static int check_target(struct optimize_result *out, const struct optimize_args *args,
                        const struct optimize_job *job, const bp_model *model, const char *target)
{
    const char *slash = strrchr(job->in, '/'), *file;
    struct bp_text path = {0};
    bool is_read = is_same_file(job->in, target);

    for (uint32_t i = 0; !is_read && (file = bp_model_external(model, i)) != NULL; i++) {
        text_clear(&path);
        text_printf(&path, "%.*s%s", slash ? (int)(slash - job->in) + 1 : 0, job->in, file);
        is_read = is_same_file(text_string(&path), target);
    }
    text_finish(&path);
    if (is_read)
        return fail(out, CLI_USAGE, "%s: is part of the model that is read; name another file",
                    target);
    if (file_exists(target) && !args->is_forced)
        return fail(out, CLI_USAGE, "%s: is there already; --force writes over it", target);
    return CLI_OK;
}

/* The .data file is checked too, even where it may turn out not to be needed. */
static int check_targets(struct optimize_result *out, const struct optimize_args *args,
                         const struct optimize_job *job, const bp_model *model)
{
    char *data;
    int code;

    if (args->lists)
        return CLI_OK;
    data = optimize_data_path(job->out);
    code = check_target(out, args, job, model, job->out);
    if (code == CLI_OK)
        code = check_target(out, args, job, model, data);
    free(data);
    return code;
}

/* A file that cannot be written is the user's to mend, so BP_E_IO becomes CLI_USAGE. */
static int save(struct cli *cli, const struct optimize_args *args, const struct optimize_job *job,
                const bp_model *from, const bp_model *to, struct optimize_result *out)
{
    bp_model_info before = {.struct_size = sizeof before}, after = before;
    bp_rc rc = bp_model_get_info(from, &before, &cli->err);

    if (rc >= 0)
        rc = bp_model_get_info(to, &after, &cli->err);
    out->nodes_before = before.n_nodes;
    out->nodes_after = after.n_nodes;
    out->inputs_before = before.n_inputs;
    out->inputs_after = after.n_inputs;
    if (rc >= 0 && !args->lists)
        rc = optimize_save(to, job->out, args->is_external, &out->bytes, &cli->err);
    return rc < 0 ? fail(out, rc == BP_E_IO ? CLI_USAGE : CLI_RUN, "%s", cli->words) : CLI_OK;
}

void optimize_one(struct cli *cli, const struct optimize_args *args,
                  const bp_session_options *options, const struct optimize_job *job,
                  struct optimize_result *out)
{
    uint32_t flags = args->keeps_defaults ? BP_OPTIMIZE_KEEP_DEFAULTS : 0;
    bp_model *from = NULL, *to = NULL;
    double start = clock_seconds();
    bp_rc rc = bp_model_open(cli->env, job->in, &from, &cli->err);
    int code = rc < 0 ? fail(out, load_model_code(rc), "%s", cli->words) : CLI_OK;

    if (code == CLI_OK)
        code = check_targets(out, args, job, from);
    if (code == CLI_OK) {
        rc = bp_model_optimize(cli->env, from, options, flags, &to, &out->report, &cli->err);
        if (rc < 0) /* the words first: finding the code tries other things */
            code = fail(out, CLI_MODEL, "%s", cli->words);
        if (rc < 0)
            code = out->code = load_code(cli, &args->load, from, rc);
    }
    if (code == CLI_OK)
        code = save(cli, args, job, from, to, out);
    out->code = code;
    out->seconds = clock_seconds() - start;
    bp_model_close(to);
    bp_model_close(from);
}

void optimize_result_finish(struct optimize_result *result)
{
    bp_report_destroy(result->report);
    free(result->words);
}
