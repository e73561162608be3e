/* SPDX-License-Identifier: MIT */
/* command.c - `backplane run`: runs a model once. */

#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <bp/sdk.h>

#include "lib/deadline.h"
#include "lib/memory.h"
#include "lib/model_command.h"
#include "plan/plan.h"
#include "run/profile.h"
#include "run/run.h"
#include "values/file.h"

enum { FILE_NAME_MAX = 200 }; /* bytes of an output's name that go into its file's */

static const struct arg_spec run_specs[] = {
    {.name = "output-dir",
     .kind = ARG_TEXT,
     .value = "DIR",
     .at = offsetof(struct run_args, output_dir),
     .help = "Write every output there, as NAME.npy, or as NAME.pb where NumPy has no such type. "
             "DIR is made if need be."},
    {.name = "expect",
     .letter = 'e',
     .kind = ARG_LIST,
     .value = "NAME=FILE",
     .at = offsetof(struct run_args, expects),
     .help = "Compare an output with a file; exit code 1 if it differs. May be given more than "
             "once."},
    {.name = "rtol",
     .kind = ARG_NUMBER,
     .value = "X",
     .at = offsetof(struct run_args, tolerance.relative),
     .help = "Relative tolerance of floating-point comparisons (default 1e-3)."},
    {.name = "atol",
     .kind = ARG_NUMBER,
     .value = "X",
     .at = offsetof(struct run_args, tolerance.absolute),
     .help = "Absolute tolerance (default 1e-7). Integers are compared exactly."},
    {.name = "timeout",
     .kind = ARG_NUMBER,
     .value = "SECONDS",
     .at = offsetof(struct run_args, timeout),
     .help = "Limit for loading and running the model; exit code 124."},
    {.name = "threads",
     .kind = ARG_COUNT,
     .value = "N",
     .min = 0,
     .max = 4096,
     .at = offsetof(struct run_args, threads),
     .help = "Threads to compute with (default: as many as the process may use)."},
    {.name = "profile",
     .kind = ARG_TEXT,
     .value = "FILE",
     .at = offsetof(struct run_args, profile),
     .help = "Write where the time went, node by node, as a trace for browsers and for tools that "
             "read ONNX Runtime's profiles."},
    {.name = "report",
     .kind = ARG_FLAG,
     .at = offsetof(struct run_args, has_report),
     .help = "Say which provider ran what, why others did not, and for whom memory is held."},
    {.name = "json",
     .kind = ARG_FLAG,
     .at = offsetof(struct run_args, is_json),
     .help = "Print JSON."},
};

static const char about[] =
    "Runs a model once and prints each output's type, shape, range and first values.\n"
    "Inputs without a file get random values.";

/* A file name made of an output's name; `index` tells those apart that had to be changed. */
static void file_name(struct bp_text *out, const char *dir, const char *name, uint32_t index,
                      const char *extension)
{
    size_t length = strlen(name);
    bool is_changed = length == 0 || length > FILE_NAME_MAX || name[0] == '.';

    if (length > FILE_NAME_MAX)
        length = FILE_NAME_MAX;
    text_printf(out, "%s/", dir);
    for (size_t i = 0; i < length; i++) {
        char c = name[i];

        if ((unsigned char)c < 0x20 || c == 0x7f || c == '/' || (i == 0 && c == '.')) {
            is_changed = true;
            c = '_';
        }
        text_add(out, &c, 1);
    }
    if (is_changed)
        text_printf(out, "-%u", index);
    text_put(out, extension);
}

/* The directory is created like mkdir(1) would, with the umask; its parents have to exist. */
static int write_outputs(struct cli *cli, const char *dir, const bp_session *session,
                         const struct results *results)
{
    struct bp_text path = {0};
    int code = CLI_OK;

    if (mkdir(dir, 0777) != 0 && errno != EEXIST)
        return cli_fail(cli, CLI_USAGE, "--output-dir %s: %s", dir, strerror(errno));
    for (uint32_t i = 0; code == CLI_OK && i < results->n; i++) {
        const bp_tensor *tensor = &results->bindings[i].tensor;
        bp_io_info io = {.struct_size = sizeof io};
        bp_rc rc = bp_session_output(session, i, &io, &cli->err);

        if (rc >= 0) {
            text_clear(&path);
            file_name(&path, dir, io.name, i, tensor_extension(tensor->dtype));
            rc = tensor_write(text_string(&path), tensor, io.name, &cli->err);
        }
        if (rc < 0)
            code = cli_fail_rc(cli, CLI_RUN, rc);
    }
    text_finish(&path);
    return code;
}

/* Finds the output that --expect NAME=FILE names, and reads the file. */
static int read_expectation(struct cli *cli, const bp_session *session, const char *item,
                            struct expectation *out)
{
    const char *equals = strrchr(item, '=');
    struct tensor_want want = {0};
    char *name;
    bp_rc rc;

    for (uint32_t i = 0; i < bp_session_output_count(session); i++) {
        bp_io_info io = {.struct_size = sizeof io};

        if (bp_session_output(session, i, &io, NULL) >= 0 &&
            strncmp(item, io.name, strlen(io.name)) == 0 && item[strlen(io.name)] == '=') {
            out->output = i;
            out->name = io.name;
            out->path = item + strlen(io.name) + 1;
            rc = tensor_read(out->path, &want, &out->want, &cli->err);
            return rc < 0 ? cli_fail_rc(cli, CLI_USAGE, rc) : CLI_OK;
        }
    }
    if (!equals)
        return cli_fail(cli, CLI_USAGE, "--expect %s: is not NAME=FILE", item);
    name = xstrdup(item);
    name[strcspn(name, "=")] = '\0';
    rc = bp_session_find_output(session, name, &out->output, &cli->err);
    free(name);
    return cli_fail_rc(cli, CLI_USAGE, rc);
}

/* A session with inputs and what is expected of it: all that is checked before it runs. */
struct job {
    const struct run_args *args;
    struct loaded loaded;
    struct feed feed;
    struct results results;
    struct expectation *expectations;
};

/*
 * Files of expectations are read before the run, so that a wrong path does not cost the run's
 * time.
 */
static int prepare(struct cli *cli, struct job *job, const char *path)
{
    const struct run_args *args = job->args;
    int code = load_from_args(cli, path, &args->load, &job->loaded);

    if (code != CLI_OK)
        return code;
    code = feed_make(cli, job->loaded.session, &args->feed, &job->feed);
    for (size_t i = 0; code == CLI_OK && i < args->expects.n; i++)
        code = read_expectation(cli, job->loaded.session, args->expects.items[i],
                                &job->expectations[i]);
    return code;
}

/* Compares and prints; whether all is as expected is the exit code. */
static int finish(struct cli *cli, struct job *job, const char *path)
{
    const struct run_args *args = job->args;
    int code = CLI_OK, verdict = CLI_OK;

    for (size_t i = 0; i < args->expects.n; i++) {
        struct expectation *e = &job->expectations[i];

        compare_tensors(&job->results.bindings[e->output].tensor, &e->want, args->tolerance,
                        &e->result);
        if (!compare_is_same(&e->result))
            verdict = CLI_DIFFERS;
    }
    if (args->is_json) {
        code = run_print_json(cli, path, &job->loaded, &job->feed, &job->results, job->expectations,
                              args->expects.n, args->has_report);
    } else if (!cli->globals.quiet) {
        feed_print(cli, job->loaded.session, &job->feed);
        run_print(cli, &job->loaded, &job->results, job->expectations, args->expects.n);
    }
    if (args->has_report && !args->is_json) {
        code = plan_print(cli, bp_session_report(job->loaded.session), false);
        if (code == CLI_OK)
            code = memory_print(cli, job->loaded.session);
    }
    return code == CLI_OK ? verdict : code;
}

static int run_model(struct cli *cli, const void *options, const char *path)
{
    const struct run_args *args = options;
    struct job job = {.args = args};
    bp_profile *profile = NULL;
    int code, written;

    if (file_is_directory(path))
        return cli_fail(cli, CLI_USAGE,
                        "%s is a directory; 'backplane conform' runs directories of test data",
                        path);
    job.expectations = xalloc(args->expects.n, sizeof *job.expectations);
    deadline_start(args->timeout, path);
    code = prepare(cli, &job, path);
    if (code == CLI_OK)
        code = profile_begin(cli, args->profile, &job.loaded, &profile);
    if (code == CLI_OK) {
        code =
            run_once(cli, job.loaded.session, job.feed.bindings, job.feed.n, profile, &job.results);
        if (code != CLI_OK)
            cli_fail(cli, code, "%s", cli->words);
    }
    deadline_start(0, path);
    written = profile_end(cli, args->profile, profile); /* also of a run that failed */
    if (code == CLI_OK)
        code = written;
    if (code == CLI_OK && args->output_dir)
        code = write_outputs(cli, args->output_dir, job.loaded.session, &job.results);
    if (code == CLI_OK)
        code = finish(cli, &job, path);
    for (size_t i = 0; i < args->expects.n; i++)
        bp_tensor_free(&job.expectations[i].want);
    free(job.expectations);
    results_finish(&job.results);
    feed_finish(&job.feed);
    load_finish(&job.loaded);
    return code;
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct run_args args = {.tolerance = {.relative = 1e-3, .absolute = 1e-7}};
    const struct arg_group groups[] = {
        {"Options", run_specs, sizeof run_specs / sizeof run_specs[0], &args},
        feed_group(&args.feed),
        load_group(&args.load),
        cli_group(cli),
    };
    const struct model_command command = {.name = "run",
                                          .about = about,
                                          .groups = groups,
                                          .n_groups = sizeof groups / sizeof groups[0],
                                          .threads = &args.threads,
                                          .act = run_model,
                                          .args = &args};
    int code = model_command_run(cli, &command, argc, argv);

    arg_list_finish(&args.expects);
    feed_args_finish(&args.feed);
    load_args_finish(&args.load);
    return code;
}

const struct command cmd_run = {"run", "Run a model once", run};
