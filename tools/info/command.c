/* SPDX-License-Identifier: MIT */
/* command.c - `backplane info`: what a model holds. */

#include "config.h"

#include "info/info.h"
#include "lib/load.h"
#include "lib/model_command.h"

struct info_args {
    bool is_json;
};

static const struct arg_spec info_specs[] = {
    {.name = "json",
     .kind = ARG_FLAG,
     .at = offsetof(struct info_args, is_json),
     .help = "Print JSON."},
};

static const char about[] =
    "Shows a model's inputs, outputs, operators, weights and metadata, and names unknown\n"
    "operators. Needs no provider and loads no weights.";

static int show(struct cli *cli, const void *options, const char *path)
{
    const struct info_args *args = options;
    struct info s = {.path = path, .info = {.struct_size = sizeof s.info}};
    bp_model *model = NULL;
    int code = load_model(cli, path, &model);
    bp_rc rc;

    if (code != CLI_OK)
        return code;
    s.model = model;
    rc = bp_model_get_info(model, &s.info, &cli->err);
    if (rc >= 0)
        rc = args->is_json ? info_json(&s, &cli->err) : info_text(cli, &s, &cli->err);
    if (rc < 0)
        code = cli_fail_rc(cli, CLI_RUN, rc);
    bp_model_close(model);
    return code;
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct info_args args = {0};
    const struct arg_group groups[] = {
        {"Options", info_specs, sizeof info_specs / sizeof info_specs[0], &args},
        cli_group(cli),
    };
    const struct model_command command = {.name = "info",
                                          .about = about,
                                          .groups = groups,
                                          .n_groups = sizeof groups / sizeof groups[0],
                                          .act = show,
                                          .args = &args};
    int code = model_command_run(cli, &command, argc, argv);

    return code;
}

const struct command cmd_info = {"info", "Show what a model holds", run};
