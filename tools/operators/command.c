/* SPDX-License-Identifier: MIT */
/* command.c - `backplane operators`: what a build needs to run some models. */

#include "config.h"

#include <errno.h>
#include <string.h>

#include "lib/progress.h"
#include "operators/operators.h"
#include "optimize/optimize.h"
#include "values/file.h"

static const char about[] =
    "Prints the operators that models need, for ./configure --with-operators=FILE, which builds\n"
    "the host and the provider cpu with these alone: those of the models, and those that passes\n"
    "make of them at each level for the providers of --providers (default: cpu).\n"
    "Each argument is a model, a directory of *.onnx and *.ort files, or a file of operators in\n"
    "the format of ONNX Runtime's tools, *.config; their lists are put together.";

static bool is_config(const char *path)
{
    const char *dot = strrchr(path, '.');

    return dot && strcmp(dot, ".config") == 0;
}

/* All models of an argument. */
static int add_models(struct cli *cli, const struct load_args *args, const char *path,
                      struct operator_list *list)
{
    struct optimize_jobs jobs = {.takes_ort = true};
    struct progress progress;
    int code = optimize_find(cli, path, path, &jobs);

    progress_begin(&progress, cli);
    for (size_t i = 0; code == CLI_OK && i < jobs.n; i++) {
        progress_show(&progress, jobs.items[i].in, (double)i / (double)jobs.n);
        code = operators_of_model(cli, args, jobs.items[i].in, list);
    }
    progress_end(&progress);
    optimize_jobs_finish(&jobs);
    return code;
}

/* Nothing is printed unless all can be read: a list that lacks a model would make a useless build. */
static int list_all(struct cli *cli, const struct load_args *args, const struct arg_list *paths)
{
    struct operator_list list = {0};
    int code = CLI_OK;

    for (size_t i = 0; code == CLI_OK && i < paths->n; i++) {
        const char *path = paths->items[i];

        if (!file_exists(path))
            code = cli_fail(cli, CLI_MODEL, "%s: %s", path, strerror(ENOENT));
        else if (is_config(path) && !file_is_directory(path))
            code = operator_list_read(cli, path, &list);
        else
            code = add_models(cli, args, path, &list);
    }
    if (code == CLI_OK)
        operator_list_print(&list);
    operator_list_finish(&list);
    return code;
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct load_args args = {0};
    const struct arg_group groups[] = {load_group(&args), cli_group(cli)};
    const struct arg_command command = {.name = "operators",
                                        .operands = "MODEL...",
                                        .about = about,
                                        .groups = groups,
                                        .n_groups = sizeof groups / sizeof groups[0],
                                        .min_operands = 1,
                                        .max_operands = SIZE_MAX};
    struct arg_list operands = {0};
    int code = args_parse(cli, &command, argc, argv, &operands);

    if (code == ARGS_GO)
        code = cli_open(cli);
    if (code == CLI_OK)
        code = list_all(cli, &args, &operands);
    arg_list_finish(&operands);
    load_args_finish(&args);
    return code;
}

const struct command cmd_operators = {"operators", "List what a reduced build needs", run};
