/* SPDX-License-Identifier: MIT */
/* command.c - `backplane plan`: which provider would run each node, and why others refused it. */

#include "config.h"

#include <stdio.h>
#include <string.h>

#include "lib/load.h"
#include "lib/model_command.h"
#include "lib/orphans.h"
#include "plan/plan.h"
#include "values/file.h"

struct plan_args {
    struct load_args load;
    const char *svg, *dot;
    bool all_nodes, is_json;
};

static const struct arg_spec plan_specs[] = {
    {.name = "svg",
     .kind = ARG_TEXT,
     .value = "FILE",
     .at = offsetof(struct plan_args, svg),
     .help = "Draw the plan, a colour for each provider. Needs Graphviz's dot. The reasons of "
             "refusals appear where the pointer rests on a node."},
    {.name = "dot",
     .kind = ARG_TEXT,
     .value = "FILE",
     .at = offsetof(struct plan_args, dot),
     .help = "Write the same diagram in DOT, Graphviz's language."},
    {.name = "all-nodes",
     .kind = ARG_FLAG,
     .at = offsetof(struct plan_args, all_nodes),
     .help = "List every node, and draw every node also where there are more than 400."},
    {.name = "json",
     .kind = ARG_FLAG,
     .at = offsetof(struct plan_args, is_json),
     .help = "Print JSON."},
};

static const char about[] =
    "Shows which provider would run which node of a model, in which groups, what is copied\n"
    "between memories, and why nodes were refused. Nothing is compiled or run.";

static int draw(struct cli *cli, const struct plan_args *args, const bp_report *report,
                const char *path)
{
    const char *slash = strrchr(path, '/');
    struct bp_text dot = {0};
    int code = plan_dot(cli, report, slash ? slash + 1 : path, args->all_nodes, &dot);

    if (code == CLI_OK && args->dot) {
        bp_rc rc = file_write(args->dot, dot.data, dot.len, NULL, 0, &cli->err);

        if (rc < 0)
            code = cli_fail(cli, CLI_USAGE, "--dot %s", cli->words);
    }
    if (code == CLI_OK && args->svg)
        code = svg_draw(cli, &dot, args->svg);
    text_finish(&dot);
    return code;
}

static int print_json(struct cli *cli, const bp_report *report)
{
    char *json = NULL;
    bp_rc rc = bp_report_json(report, &json, &cli->err);

    if (rc < 0)
        return cli_fail_rc(cli, CLI_RUN, rc);
    puts(json);
    bp_free(json);
    return CLI_OK;
}

/*
 * A plan with nodes without a provider is printed, and the exit code says that the model cannot
 * run.
 */
static int show(struct cli *cli, const struct plan_args *args, const bp_report *report,
                const char *path)
{
    int code = CLI_OK;

    if (args->is_json)
        code = print_json(cli, report);
    else if (!cli->globals.quiet)
        code = plan_print(cli, report, args->all_nodes);
    if (code == CLI_OK && (args->svg || args->dot))
        code = draw(cli, args, report, path);
    return code == CLI_OK && count_orphan_nodes(report) > 0 ? CLI_MODEL : code;
}

static int plan(struct cli *cli, const void *parsed, const char *path)
{
    const struct plan_args *args = parsed;
    bp_session_options *options = NULL;
    bp_model *model = NULL;
    bp_report *report = NULL;
    int code = load_options(cli, &args->load, &options);

    if (code == CLI_OK)
        code = load_model(cli, path, &model);
    if (code == CLI_OK) {
        bp_rc rc = bp_plan_create(cli->env, model, options, &report, &cli->err);

        if (rc < 0)
            code = cli_fail_rc(cli, load_code(cli, &args->load, model, rc), rc);
    }
    if (code == CLI_OK)
        code = show(cli, args, report, path);
    bp_report_destroy(report);
    bp_model_close(model);
    bp_session_options_destroy(options);
    return code;
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct plan_args args = {0};
    const struct arg_group groups[] = {
        {"Options", plan_specs, sizeof plan_specs / sizeof plan_specs[0], &args},
        load_group(&args.load),
        cli_group(cli),
    };
    const struct model_command command = {.name = "plan",
                                          .about = about,
                                          .groups = groups,
                                          .n_groups = sizeof groups / sizeof groups[0],
                                          .act = plan,
                                          .args = &args};
    int code = model_command_run(cli, &command, argc, argv);

    load_args_finish(&args.load);
    return code;
}

const struct command cmd_plan = {"plan", "Show which provider would run which node, and why", run};
