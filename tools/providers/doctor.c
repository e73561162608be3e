/* SPDX-License-Identifier: MIT */
/*
 * doctor.c - `backplane doctor`: a check-up of all that decides about providers, and why one was
 * not used.
 */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/load.h"
#include "providers/provider.h"

struct doctor_args {
    struct load_args load;
    bool is_json;
};

static const struct arg_spec doctor_specs[] = {
    {.name = "json",
     .kind = ARG_FLAG,
     .at = offsetof(struct doctor_args, is_json),
     .help = "Print JSON."},
};

static const char about[] =
    "Alone: a check-up. Where providers are looked for, which BACKPLANE_* variables count, and\n"
    "for each provider how far it comes, why no further, and what to do.\n"
    "With 'why': the same for the provider NAME; with MODEL, what becomes of it when that model\n"
    "is loaded with it in front (or with the list of --providers): what it got, and the reasons\n"
    "for which it refused the rest, with counts and examples.\n"
    "With 'retry': forgets that the provider NAME failed when it was tried, and tries it anew.\n"
    "The exit code is 4 if the provider is not usable, 5 if it gets no node of the model.";

/* Prints what bp_explain() gives, text or JSON, as it is. */
static int print_explained(struct cli *cli, const bp_report *report, const char *name, bool is_json)
{
    char *text = NULL;
    bp_rc rc = bp_explain(cli->env, report, name, is_json ? BP_EXPLAIN_JSON : BP_EXPLAIN_TEXT,
                          &text, &cli->err);

    if (rc < 0)
        return cli_fail_rc(cli, CLI_PROVIDER, rc);
    if (!cli->globals.quiet)
        printf("%s%s", text, is_json ? "\n" : "");
    bp_free(text);
    return CLI_OK;
}

/* ---- the check-up ---------------------------------------------------------------------------- */

/*
 * Variables that do not count are shown with the reason, for a forgotten one is a common cause.
 */
static void print_variables(const struct cli *cli)
{
    struct table table = {.columns = 3};
    const char *name, *value, *ignored;

    for (uint32_t i = 0; (name = bp_env_variable(cli->env, i, &value, &ignored)) != NULL; i++) {
        table_add(&table, name);
        table_add(&table, value);
        table_addf(&table, "%s%s", ignored ? "ignored: " : "", ignored ? ignored : "");
    }
    printf("\n%svariables%s\n", cli_style(cli->colour, STYLE_BOLD),
           cli_style(cli->colour, STYLE_PLAIN));
    if (table.n_cells)
        table_print(&table, cli, 2, false);
    else
        puts("  none begins with BACKPLANE_");
    table_finish(&table);
}

static void json_variables(const struct cli *cli, struct json *json)
{
    const char *name, *value, *ignored;

    json_array(json, "variables");
    for (uint32_t i = 0; (name = bp_env_variable(cli->env, i, &value, &ignored)) != NULL; i++) {
        json_object(json, NULL);
        json_string(json, "name", name);
        json_string(json, "value", value);
        json_string(json, "ignored", ignored);
        json_object_end(json);
    }
    json_array_end(json);
}

/* bp_explain() gives whole JSON, which is put in as it is. */
static int check_up_json(struct cli *cli)
{
    struct json json = {.out = stdout};
    char *text = NULL;
    bp_rc rc = bp_explain(cli->env, NULL, NULL, BP_EXPLAIN_JSON, &text, &cli->err);

    if (rc < 0)
        return cli_fail_rc(cli, CLI_RUN, rc);
    json_object(&json, NULL);
    json_string(&json, "schema", "doctor/1");
    json_string(&json, "version", bp_version());
    provider_json_dirs(cli, &json);
    json_variables(cli, &json);
    provider_json_allow(cli, &json);
    json_raw(&json, "explained", text);
    json_object_end(&json);
    bp_free(text);
    return CLI_OK;
}

/* The text of bp_explain() comes last, because it may be long. */
static int check_up(struct cli *cli, const struct doctor_args *args)
{
    if (args->is_json)
        return check_up_json(cli);
    if (!cli->globals.quiet) {
        printf("backplane %s\n", bp_version());
        provider_print_dirs(cli);
        print_variables(cli);
        provider_print_allow(cli);
        printf("\n%sproviders%s\n", cli_style(cli->colour, STYLE_BOLD),
               cli_style(cli->colour, STYLE_PLAIN));
    }
    return print_explained(cli, NULL, NULL, false);
}

/* ---- why ------------------------------------------------------------------------------------- */

/* The exit code for what the report says of the provider. */
static int verdict(const struct cli *cli, const bp_report *report, const char *name)
{
    uint32_t i = 0;
    bp_rc rc = bp_env_is_available(cli->env, name, NULL);
    bp_provider_info info = {.struct_size = sizeof info};

    if (rc < 0)
        return CLI_PROVIDER;
    if (!report || bp_env_find_provider(cli->env, name, &i, NULL) < 0 ||
        bp_env_provider_info(cli->env, i, &info, NULL) < 0)
        return CLI_OK;
    for (uint32_t row = 0; row < bp_report_provider_count(report); row++) {
        bp_report_provider of = {.struct_size = sizeof of};

        if (bp_report_get_provider(report, row, &of, NULL) >= 0 && strcmp(of.name, info.name) == 0)
            return of.n_nodes > 0                ? CLI_OK
                   : of.stage == BP_STAGE_CREATE ? CLI_PROVIDER
                                                 : CLI_FALLBACK;
    }
    return CLI_OK;
}

/*
 * A session shows more than a plan, compiling among it; where there can be none, a plan has to do.
 * Nothing is required here: it is the reasons that are wanted.
 */
static int examine(struct cli *cli, const struct doctor_args *args, const char *name,
                   const char *path)
{
    bp_session_options *options = NULL;
    bp_session *session = NULL;
    bp_report *report = NULL;
    bp_model *model = NULL;
    struct load_args load = args->load;
    char *alone = xstrdup(name);
    int code;
    bp_rc rc;

    if (!load.providers)
        load.providers = alone;
    if (!load.fallback)
        load.fallback = BP_FALLBACK_SILENT;
    code = load_options(cli, &load, &options);
    if (code == CLI_OK)
        code = load_model(cli, path, &model);
    if (code != CLI_OK)
        goto out;
    rc = bp_session_create_from_model(cli->env, model, options, &session, NULL);
    if (rc < 0)
        rc = bp_plan_create(cli->env, model, options, &report, &cli->err);
    if (rc < 0) {
        code = cli_fail_rc(cli, load_code(cli, &load, model, rc), rc);
        goto out;
    }
    code = print_explained(cli, session ? bp_session_report(session) : report, name, args->is_json);
    if (code == CLI_OK)
        code = verdict(cli, session ? bp_session_report(session) : report, name);
out:
    bp_report_destroy(report);
    bp_session_destroy(session);
    bp_model_close(model);
    bp_session_options_destroy(options);
    free(alone);
    return code;
}

static int why(struct cli *cli, const struct doctor_args *args, const struct arg_list *operands)
{
    const char *name = operands->n > 1 ? operands->items[1] : NULL;
    bool is_retry = strcmp(operands->items[0], "retry") == 0;
    int code;

    if (!is_retry && strcmp(operands->items[0], "why") != 0)
        return cli_fail(cli, CLI_USAGE, "doctor does not know '%s'; is 'doctor why %s' meant?",
                        operands->items[0], operands->items[0]);
    if (!name)
        return cli_fail(cli, CLI_USAGE,
                        "doctor %s: which provider? 'backplane providers' lists them",
                        operands->items[0]);
    if (is_retry) {
        bp_rc rc = bp_env_retry_provider(cli->env, name, &cli->err);

        if (rc < 0)
            return cli_fail_rc(cli, CLI_PROVIDER, rc);
    }
    if (operands->n > 2)
        return examine(cli, args, name, operands->items[2]);
    code = print_explained(cli, NULL, name, args->is_json);
    return code == CLI_OK ? verdict(cli, NULL, name) : code;
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct doctor_args args = {0};
    const struct arg_group groups[] = {
        {"Options", doctor_specs, sizeof doctor_specs / sizeof doctor_specs[0], &args},
        load_group(&args.load),
        cli_group(cli),
    };
    const struct arg_command command = {.name = "doctor",
                                        .operands = "[why NAME [MODEL] | retry NAME]",
                                        .about = about,
                                        .groups = groups,
                                        .n_groups = sizeof groups / sizeof groups[0],
                                        .max_operands = 3};
    struct arg_list operands = {0};
    int code = args_parse(cli, &command, argc, argv, &operands);

    if (code == ARGS_GO) {
        code = cli_open(cli);
        if (code == CLI_OK)
            code = operands.n ? why(cli, &args, &operands) : check_up(cli, &args);
    }
    arg_list_finish(&operands);
    load_args_finish(&args.load);
    return code;
}

const struct command cmd_doctor = {"doctor", "Check up on providers, and why one was not used",
                                   run};
