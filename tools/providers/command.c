/* SPDX-License-Identifier: MIT */
/*
 * command.c - `backplane providers`: which there are, which are usable, and why the others
 * are not.
 */

#include "config.h"

#include <stdio.h>
#include <string.h>

#include "providers/operators.h"
#include "providers/provider.h"

struct providers_args {
    bool is_json, is_markdown, is_man;
    bool opens_none;
    bool is_known;
    bool has_operators; /* "info" stands before the name */
};

static const struct arg_spec providers_specs[] = {
    {.name = "json",
     .kind = ARG_FLAG,
     .at = offsetof(struct providers_args, is_json),
     .help = "Print JSON."},
    {.name = "no-open",
     .kind = ARG_FLAG,
     .at = offsetof(struct providers_args, opens_none),
     .help = "Print the manifests of the files; load none of them."},
    {.name = "known",
     .kind = ARG_FLAG,
     .at = offsetof(struct providers_args, is_known),
     .help = "List every provider that is known, installed or not; load none."},
    {.name = "markdown",
     .kind = ARG_FLAG,
     .at = offsetof(struct providers_args, is_markdown),
     .help = "With info: print the operators alone, as a page in Markdown."},
    {.name = "man",
     .kind = ARG_FLAG,
     .at = offsetof(struct providers_args, is_man),
     .help = "With info: print the provider's options as a manual page, for man -l."},
};

static const char about[] =
    "Lists the providers that are installed, whether each is usable here, and if not, why and\n"
    "what to do; then the directories that were searched. With NAME: that provider alone, with\n"
    "its options; with 'info' before it, also the operators that it takes, their versions and\n"
    "element types. The exit code is 4 if it is not usable.\n"
    "With --known, each provider that users of ONNX Runtime know by name: whether there is a\n"
    "plug-in for it, here or from its vendor, whether its file was found, whether it is linked\n"
    "into this program or can be, and what it needs.";

/* Reads a provider's row, opened unless the user said not to. */
static bp_rc get_row(struct cli *cli, const struct providers_args *args, uint32_t i,
                     bp_provider_info *row)
{
    return args->opens_none ? bp_env_provider_peek(cli->env, i, row, &cli->err)
                            : bp_env_provider_info(cli->env, i, row, &cli->err);
}

/* Prints all providers. */
static int list(struct cli *cli, const struct providers_args *args, uint32_t n)
{
    struct json json = {.out = stdout};
    struct table table = {.columns = 5};
    bp_rc rc = BP_OK;

    table_add(&table, "provider");
    table_add(&table, "state");
    table_add(&table, "version");
    table_add(&table, "file");
    table_add(&table, "");
    if (args->is_json) {
        json_object(&json, NULL);
        json_string(&json, "schema", "providers/1");
        json_array(&json, "providers");
    }
    for (uint32_t i = 0; rc >= 0 && i < n; i++) {
        bp_provider_info row = {.struct_size = sizeof row};

        rc = get_row(cli, args, i, &row);
        if (rc >= 0 && args->is_json)
            provider_json(cli, &json, i, &row);
        else if (rc >= 0)
            provider_add_row(&table, &row);
    }
    if (args->is_json) {
        json_array_end(&json);
        provider_json_dirs(cli, &json);
        provider_json_ignored(cli, &json);
        json_object_end(&json);
    } else if (rc >= 0 && !cli->globals.quiet) {
        if (n > 0)
            table_print(&table, cli, 0, true);
        else
            puts("No provider is installed.");
        provider_print_dirs(cli);
        provider_print_ignored(cli);
    }
    table_finish(&table);
    return rc < 0 ? cli_fail_rc(cli, CLI_RUN, rc) : CLI_OK;
}

/* Prints a usable provider with the operators that it takes. */
static int show_operators(struct cli *cli, const struct providers_args *args, uint32_t index,
                          const bp_provider_info *row)
{
    struct json json = {.out = stdout};
    int code;

    if (args->is_markdown)
        return operators_markdown(cli, index, row->name);
    if (!args->is_json) {
        provider_print(cli, index, row);
        return operators_print(cli, index);
    }
    json_object(&json, NULL);
    json_string(&json, "schema", "provider/1");
    provider_json_facts(cli, &json, index, row);
    code = operators_json(cli, index, &json);
    json_object_end(&json);
    return code;
}

/* A provider that needs an option cannot be asked without one. */
static bool can_be_asked(const bp_provider_info *row)
{
    for (uint32_t i = 0; i < row->n_options; i++) {
        if (BP_AT(bp_option, row->options, row->option_stride, i)->flags & BP_OPTION_REQUIRED)
            return false;
    }
    return provider_is_usable(row);
}

/* Prints one provider by name, or the library's message on why there is none. */
static int show(struct cli *cli, const struct providers_args *args, const char *name)
{
    bp_provider_info row = {.struct_size = sizeof row};
    struct json json = {.out = stdout};
    uint32_t i;
    bp_rc rc;

    rc = bp_env_find_provider(cli->env, name, &i, &cli->err);
    if (rc < 0)
        return cli_fail_rc(cli, CLI_PROVIDER, rc);
    rc = get_row(cli, args, i, &row);
    if (rc < 0)
        return cli_fail_rc(cli, CLI_RUN, rc);
    if (args->has_operators && args->is_man && provider_is_usable(&row)) {
        provider_man(&row);
        return CLI_OK;
    }
    if (args->has_operators && can_be_asked(&row))
        return show_operators(cli, args, i, &row);
    if (args->is_json) {
        json_object(&json, NULL);
        json_string(&json, "schema", "provider/1");
        provider_json_facts(cli, &json, i, &row);
        json_object_end(&json);
    } else if (!cli->globals.quiet) {
        provider_print(cli, i, &row);
    }
    return row.code >= 0 ? CLI_OK : CLI_PROVIDER;
}

/* Prints the matrix of known names. */
static int list_known(const struct cli *cli, const struct providers_args *args)
{
    struct json json = {.out = stdout};

    if (args->is_json) {
        json_object(&json, NULL);
        json_string(&json, "schema", "known-providers/1");
        provider_json_known(cli, &json);
        json_object_end(&json);
    } else if (!cli->globals.quiet) {
        provider_print_known(cli);
    }
    return CLI_OK;
}

/*
 * bp_env_probe() tries all unknown plug-ins at once in processes of their own, so that listing them
 * takes as long as the slowest, not as long as all of them together.
 */
static int providers(struct cli *cli, const struct providers_args *args, const char *name)
{
    uint32_t n = 0;
    int code = cli_open(cli);
    bp_rc rc;

    if (code != CLI_OK || name)
        return code != CLI_OK ? code : show(cli, args, name);
    if (args->is_known)
        return list_known(cli, args);
    rc = args->opens_none ? BP_OK : bp_env_probe(cli->env, &cli->err);
    if (rc >= 0)
        rc = bp_env_provider_count(cli->env, &n, &cli->err);
    if (rc < 0)
        return cli_fail_rc(cli, CLI_RUN, rc);
    return list(cli, args, n);
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct providers_args args = {0};
    const struct arg_group groups[] = {
        {"Options", providers_specs, sizeof providers_specs / sizeof providers_specs[0], &args},
        cli_group(cli),
    };
    const struct arg_command command = {.name = "providers",
                                        .operands = "[[info] NAME]",
                                        .about = about,
                                        .groups = groups,
                                        .n_groups = sizeof groups / sizeof groups[0],
                                        .max_operands = 2};
    struct arg_list operands = {0};
    int code = args_parse(cli, &command, argc, argv, &operands);

    if (code == ARGS_GO) {
        args.has_operators = operands.n == 2;
        if (args.has_operators && strcmp(operands.items[0], "info") != 0)
            code =
                cli_fail(cli, CLI_USAGE, "one argument too many: %s; is 'providers info %s' meant?",
                         operands.items[1], operands.items[0]);
        else if (args.is_known && operands.n > 0)
            code = cli_fail(cli, CLI_USAGE, "--known lists all providers and takes no name: %s",
                            operands.items[0]);
        else
            code = providers(cli, &args, operands.n ? operands.items[operands.n - 1] : NULL);
    }
    arg_list_finish(&operands);
    return code;
}

const struct command cmd_providers = {"providers", "List providers, their state and their options",
                                      run};
