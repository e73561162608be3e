/* SPDX-License-Identifier: MIT */
/* verify.c - `backplane verify`: makes all checks of plug-ins, and opens none in this process. */

#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/json.h"
#include "lib/table.h"
#include "plugins/plugin.h"
#include "providers/provider.h"

struct verify_args {
    bool is_json;
    bool is_unprobed;
};

static const struct arg_spec verify_specs[] = {
    {.name = "no-probe",
     .kind = ARG_FLAG,
     .at = offsetof(struct verify_args, is_unprobed),
     .help = "Run no code of the plug-ins, not even in processes of their own."},
    {.name = "json",
     .kind = ARG_FLAG,
     .at = offsetof(struct verify_args, is_json),
     .help = "Print JSON."},
};

static const char about[] =
    "Checks plug-ins, all that are installed or those of the names and files given: who could\n"
    "have changed the file, its manifest, processor and ABI, the allow list, its libraries and\n"
    "symbols; then a process of its own opens it and asks whether it is usable. Prints a row for\n"
    "each. The exit code is 1 if one fails or is not usable here. A file that is not used,\n"
    "because another holds the same provider or settings forbid it, is no failure; name the\n"
    "file to check it all the same.";

/* What came of a run. */
struct tally {
    uint32_t n, n_bad;
};

/* Where rows go. */
struct listing {
    struct table *table; /* NULL: JSON */
    struct json *json;
    uint32_t allow; /* mode in force */
};

static const char *result_of(const struct plugin *plugin)
{
    if (plugin->is_set_aside)
        return "unused";
    if (plugin->code >= 0)
        return "ok";
    return plugin->is_probed && plugin->stage == BP_STAGE_AVAILABLE ? "unavailable" : "failed";
}

static bool is_bad(const struct plugin *plugin)
{
    return plugin->code < 0 && !plugin->is_set_aside;
}

static void add_json(struct json *json, const struct plugin *plugin)
{
    json_object(json, NULL);
    json_string(json, "name", plugin->name);
    json_string(json, "id", plugin->id);
    json_string(json, "version", plugin->version);
    json_string(json, "file", plugin->file);
    json_string(json, "sha256", plugin->sha256);
    json_string(json, "result", result_of(plugin));
    json_string(json, "stage", bp_stage_name(plugin->stage));
    json_string(json, "code", bp_rc_name(plugin->code));
    json_string(json, "reason", plugin->reason);
    json_string(json, "fix", plugin->fix);
    json_bool(json, "probed", plugin->is_probed);
    json_bool(json, "allow_listed", plugin->is_listed);
    json_object_end(json);
}

static void add_row(struct table *table, const struct plugin *plugin, uint32_t allow)
{
    struct bp_text note = {0};
    enum cli_style style = is_bad(plugin) ? STYLE_RED : plugin->code < 0 ? STYLE_DIM : STYLE_GREEN;

    plugin_put_fault(&note, plugin);
    if (plugin->code >= 0 && plugin->file && allow == BP_ALLOW_WARN && !plugin->is_listed) {
        text_put(&note, "in no allow list; the line for it: ");
        plugin_put_allow_line(&note, plugin);
    } else if (plugin->code >= 0 && plugin->file && !plugin->is_probed) {
        text_put(&note, "not probed");
    }
    table_add(table, plugin->name);
    table_add_styled(table, style, result_of(plugin));
    table_add(table, plugin->version);
    table_add(table, plugin->file ? plugin->file : "built in");
    table_add(table, text_string(&note));
    text_finish(&note);
}

static void show(const struct listing *listing, const struct plugin *plugin, struct tally *tally)
{
    tally->n++;
    tally->n_bad += is_bad(plugin);
    if (listing->table)
        add_row(listing->table, plugin, listing->allow);
    else
        add_json(listing->json, plugin);
}

/* A name that means nothing is a row as well: scripts read which of theirs it was. */
static bp_rc verify_operand(struct cli *cli, const struct verify_args *args, const char *operand,
                            const struct listing *listing, struct tally *tally)
{
    char *name = plugin_name(operand);
    struct plugin plugin = {0};
    uint32_t index;
    bp_rc rc = bp_env_find_provider(cli->env, name, &index, &cli->err);

    if (rc < 0) {
        plugin = (struct plugin){.stage = BP_STAGE_FOUND,
                                 .code = rc,
                                 .name = xstrdup(operand),
                                 .reason = xstrdup(cli->words)};
        rc = BP_OK;
    } else {
        rc = plugin_check(cli->env, index, !args->is_unprobed, &plugin, &cli->err);
    }
    if (rc >= 0)
        show(listing, &plugin, tally);
    plugin_finish(&plugin);
    free(name);
    return rc;
}

static bp_rc verify_all(struct cli *cli, const struct verify_args *args,
                        const struct listing *listing, struct tally *tally)
{
    uint32_t n = 0;
    bp_rc rc = bp_env_provider_count(cli->env, &n, &cli->err);

    for (uint32_t i = 0; rc >= 0 && i < n; i++) {
        struct plugin plugin = {0};

        rc = plugin_check(cli->env, i, !args->is_unprobed, &plugin, &cli->err);
        if (rc >= 0)
            show(listing, &plugin, tally);
        plugin_finish(&plugin);
    }
    return rc;
}

static bp_rc verify_each(struct cli *cli, const struct verify_args *args,
                         const struct arg_list *operands, const struct listing *listing,
                         struct tally *tally)
{
    bp_rc rc = BP_OK;

    if (operands->n == 0)
        return verify_all(cli, args, listing, tally);
    for (size_t i = 0; rc >= 0 && i < operands->n; i++)
        rc = verify_operand(cli, args, operands->items[i], listing, tally);
    return rc;
}

static bp_rc print_json(struct cli *cli, const struct verify_args *args,
                        const struct arg_list *operands, struct tally *tally)
{
    struct json json = {.out = stdout};
    struct listing listing = {.json = &json};
    bp_rc rc;

    json_object(&json, NULL);
    json_string(&json, "schema", "verify/1");
    json_array(&json, "plug_ins");
    rc = verify_each(cli, args, operands, &listing, tally);
    json_array_end(&json);
    json_uint(&json, "failed", tally->n_bad);
    provider_json_allow(cli, &json);
    json_object_end(&json);
    return rc;
}

static bp_rc print_table(struct cli *cli, const struct verify_args *args,
                         const struct arg_list *operands, struct tally *tally)
{
    static const char *const heads[] = {"provider", "result", "version", "file", ""};
    struct table table = {.columns = sizeof heads / sizeof heads[0]};
    struct listing listing = {.table = &table, .allow = bp_env_allow(cli->env, NULL, NULL)};
    bp_rc rc;

    for (size_t i = 0; i < table.columns; i++)
        table_add(&table, heads[i]);
    rc = verify_each(cli, args, operands, &listing, tally);
    if (rc >= 0 && !cli->globals.quiet) {
        if (tally->n > 0)
            table_print(&table, cli, 0, true);
        printf("%" PRIu32 " plug-in%s, %" PRIu32 " cannot be used\n", tally->n,
               tally->n == 1 ? "" : "s", tally->n_bad);
    }
    table_finish(&table);
    return rc;
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct verify_args args = {0};
    const struct arg_group groups[] = {
        {"Options", verify_specs, sizeof verify_specs / sizeof verify_specs[0], &args},
        cli_group(cli),
    };
    const struct arg_command command = {.name = "verify",
                                        .operands = "[NAME|FILE...]",
                                        .about = about,
                                        .groups = groups,
                                        .n_groups = sizeof groups / sizeof groups[0],
                                        .max_operands = SIZE_MAX};
    struct arg_list operands = {0};
    struct tally tally = {0};
    int code = args_parse(cli, &command, argc, argv, &operands);

    if (code == ARGS_GO) {
        code = cli_open(cli);
        if (code == CLI_OK) {
            bp_rc rc = args.is_json ? print_json(cli, &args, &operands, &tally)
                                    : print_table(cli, &args, &operands, &tally);

            code = rc < 0 ? cli_fail_rc(cli, CLI_RUN, rc) : tally.n_bad > 0 ? CLI_DIFFERS : CLI_OK;
        }
    }
    arg_list_finish(&operands);
    return code;
}

const struct command cmd_verify = {"verify", "Check plug-ins, installed or not", run};
