/* SPDX-License-Identifier: MIT */
/* command.c - `backplane optimize`: a model as it would run, saved. */

#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/load.h"
#include "lib/table.h"
#include "lib/text.h"
#include "optimize/optimize.h"
#include "values/file.h"

static const char *const formats[] = {"onnx", "ort", NULL};

static const struct arg_spec optimize_specs[] = {
    {.name = "output",
     .letter = 'o',
     .kind = ARG_TEXT,
     .value = "FILE",
     .at = offsetof(struct optimize_args, output),
     .help = "Where the new model goes; for a directory of models, the directory for theirs. The "
             "input is never written over."},
    {.name = "format",
     .kind = ARG_CHOICE,
     .value = "FORMAT",
     .choices = formats,
     .at = offsetof(struct optimize_args, format),
     .help =
         "onnx, or ort: ONNX Runtime's own. Files of a directory get that extension; the name of "
         "a single file has to have it already (default: what --output ends in, else onnx)."},
    {.name = "jobs",
     .letter = 'j',
     .kind = ARG_COUNT,
     .value = "N",
     .min = 1,
     .max = 256,
     .at = offsetof(struct optimize_args, jobs),
     .help = "Models of a directory that are worked on at once (default: one a processor)."},
    {.name = "json",
     .kind = ARG_FLAG,
     .at = offsetof(struct optimize_args, is_json),
     .help = "Print JSON: what changed in each model, and why one failed."},
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
    "MODEL may be a directory: then every *.onnx in it and below is done, some at once.";

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

/* ---- all ------------------------------------------------------------------------------------- */

/* Gives the files of a directory the extension of --format; the name of a single one is the user's. */
static int set_format(const struct cli *cli, const struct optimize_args *args,
                      struct optimize_jobs *jobs, bool is_directory)
{
    bool is_ort = args->format == OPTIMIZE_FORMAT_ORT;

    if (args->format == OPTIMIZE_FORMAT_BY_NAME)
        return CLI_OK;
    if (!is_directory && optimize_is_ort(args->output) != is_ort)
        return cli_fail(cli, CLI_USAGE,
                        "--format %s: --output %s %s in .ort, by which ONNX Runtime tells its own "
                        "format",
                        formats[args->format - 1], args->output,
                        is_ort ? "has to end" : "must not end");
    if (is_ort && args->is_external)
        return cli_fail(cli, CLI_USAGE,
                        "--format ort has all weights within: leave --external-data out");
    for (size_t i = 0; is_directory && is_ort && i < jobs->n; i++) {
        struct bp_text name = {0};

        text_printf(&name, "%.*s.ort", (int)(strlen(jobs->items[i].out) - strlen(".onnx")),
                    jobs->items[i].out);
        free(jobs->items[i].out);
        jobs->items[i].out = name.data;
    }
    return CLI_OK;
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
    if (code == CLI_OK && !args->lists)
        code = set_format(cli, args, &jobs, file_is_directory(in));
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
