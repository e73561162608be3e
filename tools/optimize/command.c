/* SPDX-License-Identifier: MIT */
/* command.c - `backplane optimize`: a model as it would run, saved. */

#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/load.h"
#include "lib/progress.h"
#include "lib/table.h"
#include "lib/text.h"
#include "optimize/optimize.h"
#include "plan/text.h"
#include "values/file.h"

struct optimize_args {
    struct load_args load;
    const char *output;
    bool is_external, keeps_defaults, is_forced, lists;
};

static const struct arg_spec optimize_specs[] = {
    {.name = "output",
     .letter = 'o',
     .kind = ARG_TEXT,
     .value = "FILE",
     .at = offsetof(struct optimize_args, output),
     .help = "Where the new model goes; for a directory of models, the directory for theirs. The "
             "input is never written over."},
    {.name = "external-data",
     .kind = ARG_FLAG,
     .at = offsetof(struct optimize_args, is_external),
     .help = "Put weights of 1 KiB and more into a file beside the model, FILE.data. So it is done "
             "where they would go beyond 2 GiB in any case."},
    {.name = "keep-defaults",
     .kind = ARG_FLAG,
     .at = offsetof(struct optimize_args, keeps_defaults),
     .help = "Leave initializers that are inputs as well as they are, to be fed. Without it they "
             "become constants, from which more is computed in advance."},
    {.name = "force",
     .letter = 'f',
     .kind = ARG_FLAG,
     .at = offsetof(struct optimize_args, is_forced),
     .help = "Write over files that are there."},
    {.name = "list",
     .kind = ARG_FLAG,
     .at = offsetof(struct optimize_args, lists),
     .help =
         "Save nothing. Without a model, list the passes of each level; with one, what they all "
         "find in it."},
};

static const char about[] =
    "Saves a model as it would run: after the passes of --level, for the providers of "
    "--providers,\n"
    "which only say what they would take. ONNX Runtime loads the new model as well; one whose "
    "name\n"
    "ends in .ort is in ONNX Runtime's own format.\n"
    "MODEL may be a directory: then every *.onnx in it and below is done.";

/* What became of a model. */
struct outcome {
    bp_model_info before, after;
    uint64_t size; /* of the new files */
};

/* What became of all models. */
struct tally {
    size_t n_done;
    uint64_t nodes_before, nodes_after;
};

/* ---- passes ---------------------------------------------------------------------------------- */

/* In the order in which they run. */
static int list_passes(const struct cli *cli)
{
    static const char *const levels[] = {"", "none", "basic", "extended", "layout"};
    struct table table = {.columns = 3};
    const char *name, *help;
    uint32_t level;

    table_add(&table, "pass");
    table_add(&table, "level");
    table_add(&table, "");
    for (uint32_t i = 0; (name = bp_optimization_pass(i, &level, &help)) != NULL; i++) {
        table_add(&table, name);
        table_add(&table, levels[level]);
        table_add_styled(&table, STYLE_DIM, help);
    }
    table_print(&table, cli, 0, true);
    table_finish(&table);
    return CLI_OK;
}

/* ---- one model ------------------------------------------------------------------------------- */

/* By device and inode, because links and "./" give one file many paths. */
static bool is_same_file(const char *a, const char *b)
{
    struct stat x, y;

    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* May that file be written, while the model with its external files is read? */
static int check_target(const struct cli *cli, const struct optimize_args *args,
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
        return cli_fail(cli, CLI_USAGE, "%s: is part of the model that is read; name another file",
                        target);
    if (file_exists(target) && !args->is_forced)
        return cli_fail(cli, CLI_USAGE, "%s: is there already; --force writes over it", target);
    return CLI_OK;
}

/* The .data file is checked too, even where it may turn out not to be needed. */
static int check_targets(const struct cli *cli, const struct optimize_args *args,
                         const struct optimize_job *job, const bp_model *model)
{
    char *data;
    int code;

    if (args->lists)
        return CLI_OK;
    data = optimize_data_path(job->out);
    code = check_target(cli, args, job, model, job->out);
    if (code == CLI_OK)
        code = check_target(cli, args, job, model, data);
    free(data);
    return code;
}

/* One line a model, and for a single one what the passes did. */
static int tell(struct cli *cli, const struct optimize_args *args, const struct optimize_job *job,
                const bp_report *report, const struct outcome *outcome, bool is_one)
{
    const bp_model_info *before = &outcome->before, *after = &outcome->after;
    struct bp_text words = {0};
    bp_rc rc = BP_OK;

    if (cli->globals.quiet)
        return CLI_OK;
    text_clean(&words, args->lists ? job->in : job->out);
    text_printf(&words, ": %" PRIu32 " nodes, of %" PRIu32, after->n_nodes, before->n_nodes);
    if (!args->lists) {
        text_put(&words, ", ");
        text_bytes(&words, outcome->size);
    }
    if (after->n_inputs < before->n_inputs)
        text_printf(&words, "; %" PRIu32 " inputs with defaults are constants",
                    before->n_inputs - after->n_inputs);
    puts(text_string(&words));
    text_finish(&words);
    if (is_one)
        rc = plan_passes(cli, report, args->lists, &cli->err);
    return rc < 0 ? cli_fail_rc(cli, CLI_RUN, rc) : CLI_OK;
}

/* A file that cannot be written is the user's to mend, so BP_E_IO becomes CLI_USAGE. */
static int save(struct cli *cli, const struct optimize_args *args, const struct optimize_job *job,
                const bp_model *from, const bp_model *to, struct outcome *out)
{
    bp_rc rc = bp_model_get_info(from, &out->before, &cli->err);

    if (rc >= 0)
        rc = bp_model_get_info(to, &out->after, &cli->err);
    if (rc >= 0 && !args->lists)
        rc = optimize_save(to, job->out, args->is_external, &out->size, &cli->err);
    return rc < 0 ? cli_fail_rc(cli, rc == BP_E_IO ? CLI_USAGE : CLI_RUN, rc) : CLI_OK;
}

/*
 * The model is optimised for the providers of `options`, which only say what they would take:
 * none runs it.
 */
static int optimize(struct cli *cli, const struct optimize_args *args,
                    const bp_session_options *options, const struct optimize_job *job,
                    struct tally *tally, bool is_one)
{
    uint32_t flags = args->keeps_defaults ? BP_OPTIMIZE_KEEP_DEFAULTS : 0;
    struct outcome outcome = {.before = {.struct_size = sizeof outcome.before},
                              .after = {.struct_size = sizeof outcome.after}};
    bp_model *from = NULL, *to = NULL;
    bp_report *report = NULL;
    int code = load_model(cli, job->in, &from);

    if (code == CLI_OK)
        code = check_targets(cli, args, job, from);
    if (code == CLI_OK) {
        bp_rc rc = bp_model_optimize(cli->env, from, options, flags, &to, &report, &cli->err);

        if (rc < 0)
            code = cli_fail_rc(cli, load_code(cli, &args->load, from, rc), rc);
    }
    if (code == CLI_OK)
        code = save(cli, args, job, from, to, &outcome);
    if (code == CLI_OK) {
        tally->n_done++;
        tally->nodes_before += outcome.before.n_nodes;
        tally->nodes_after += outcome.after.n_nodes;
        code = tell(cli, args, job, report, &outcome, is_one);
    }
    bp_report_destroy(report);
    bp_model_close(to);
    bp_model_close(from);
    return code;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* One that fails does not keep the others; the first failure's code is the program's. */
static int optimize_all(struct cli *cli, const struct optimize_args *args,
                        const bp_session_options *options, const struct optimize_jobs *jobs,
                        bool is_one)
{
    struct progress progress;
    struct tally tally = {0};
    int code = CLI_OK;

    progress_begin(&progress, cli);
    for (size_t i = 0; i < jobs->n; i++) {
        int own;

        progress_show(&progress, jobs->items[i].in, (double)i / (double)jobs->n);
        own = optimize(cli, args, options, &jobs->items[i], &tally, is_one);
        progress_end(&progress);
        code = code == CLI_OK ? own : code;
    }
    if (!is_one && !cli->globals.quiet)
        printf("%zu of %zu models %s, %" PRIu64 " nodes of %" PRIu64 "\n", tally.n_done, jobs->n,
               args->lists ? "read" : "saved", tally.nodes_after, tally.nodes_before);
    return code;
}

static int start(struct cli *cli, struct optimize_args *args, const char *in)
{
    bp_session_options *options = NULL;
    struct optimize_jobs jobs = {0};
    int code = CLI_OK;

    if (!file_exists(in))
        return cli_fail(cli, CLI_MODEL, "%s: %s", in, strerror(ENOENT));
    if (!args->output && !args->lists)
        return cli_fail(cli, CLI_USAGE, "--output is missing: where is the new model to go?");
    code = optimize_find(cli, in, args->lists ? in : args->output, &jobs);
    if (code == CLI_OK)
        code = cli_open(cli);
    if (code == CLI_OK)
        code = load_options(cli, &args->load, &options);
    if (code == CLI_OK)
        code = optimize_all(cli, args, options, &jobs, !file_is_directory(in));
    bp_session_options_destroy(options);
    optimize_jobs_finish(&jobs);
    return code;
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct optimize_args args = {0};
    struct arg_spec shared[LOAD_OPTIONS];
    const struct arg_group groups[] = {
        {"Options", optimize_specs, sizeof optimize_specs / sizeof optimize_specs[0], &args},
        load_group_without_letter(&args.load, shared),
        cli_group(cli),
    };
    const struct arg_command command = {.name = "optimize",
                                        .operands = "MODEL",
                                        .about = about,
                                        .groups = groups,
                                        .n_groups = sizeof groups / sizeof groups[0],
                                        .min_operands = 0,
                                        .max_operands = 1};
    struct arg_list operands = {0};
    int code = args_parse(cli, &command, argc, argv, &operands);

    if (code == ARGS_GO) {
        if (args.lists && operands.n == 0)
            code = list_passes(cli);
        else if (operands.n == 0)
            code = cli_fail(cli, CLI_USAGE, "a model is missing; see 'backplane optimize --help'");
        else
            code = start(cli, &args, operands.items[0]);
    }
    arg_list_finish(&operands);
    load_args_finish(&args.load);
    return code;
}

const struct command cmd_optimize = {"optimize", "Save a model as it would run, as ONNX", run};
