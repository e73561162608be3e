/* SPDX-License-Identifier: MIT */
/* known.c - `backplane providers --known`: every provider with a known name, as a matrix. */

#include "config.h"

#include <stdio.h>

#include "providers/provider.h"

/* Who builds the plug-in: this project, its vendor, or none any more. */
static const char *home_name(uint32_t home)
{
    switch (home) {
    case BP_HOME_HERE:
        return "here";
    case BP_HOME_ELSEWHERE:
        return "elsewhere";
    case BP_HOME_GONE:
        return "gone";
    default:
        return "unknown";
    }
}

/* The word for how far its plug-in came, as other tables have it. */
static const char *state_of(const bp_known_provider *known)
{
    const bp_provider_info row = {.stage = known->stage, .code = known->code};

    return known->states & BP_STATE_INSTALLED ? provider_state(&row) : "not installed";
}

/* '-' instead of "no", because a column of dashes shows the few that are different. */
static void add_flag(struct table *table, const bp_known_provider *known, uint32_t flag)
{
    table_add(table, known->flags & flag ? "yes" : "-");
}

static void add_row(struct table *table, const bp_known_provider *known)
{
    table_add(table, known->name);
    table_add(table, home_name(known->home));
    add_flag(table, known, BP_KNOWN_SUPPORTED);
    add_flag(table, known, BP_KNOWN_FILE);
    add_flag(table, known, BP_KNOWN_LINKED);
    add_flag(table, known, BP_KNOWN_LINKABLE);
    table_add(table, state_of(known));
    if (known->home == BP_HOME_HERE || known->states & BP_STATE_INSTALLED)
        table_add(table, known->reason);
    else if (known->note)
        table_addf(table, known->home == BP_HOME_GONE ? "use %s" : "needs %s", known->note);
    else
        table_add(table, NULL);
}

static void json_row(struct json *json, const bp_known_provider *known)
{
    char long_name[128];

    json_object(json, NULL);
    json_string(json, "name", known->name);
    json_string(json, "onnxruntime_name",
                bp_provider_long_name(known->name, long_name, sizeof long_name));
    json_string(json, "home", home_name(known->home));
    json_bool(json, "supported", known->flags & BP_KNOWN_SUPPORTED);
    json_bool(json, "binary_available", known->flags & (BP_KNOWN_FILE | BP_KNOWN_LINKED));
    json_bool(json, "linkable", known->flags & BP_KNOWN_LINKABLE);
    json_bool(json, "linked", known->flags & BP_KNOWN_LINKED);
    json_string(json, "state", state_of(known));
    json_string(json, "needs", known->home == BP_HOME_ELSEWHERE ? known->note : NULL);
    json_string(json, "replaced_by", known->home == BP_HOME_GONE ? known->note : NULL);
    json_string(json, "file", known->file);
    json_string(json, "stage", bp_stage_name(known->stage));
    json_string(json, "code", bp_rc_name(known->code));
    json_string(json, "reason", known->reason);
    json_string(json, "fix", known->fix);
    json_object_end(json);
}

void provider_json_known(const struct cli *cli, struct json *json)
{
    bp_known_provider known = {.struct_size = sizeof known};

    json_array(json, "known_providers");
    for (uint32_t i = 0; bp_env_known_provider(cli->env, i, &known, NULL) >= 0; i++)
        json_row(json, &known);
    json_array_end(json);
}

void provider_print_known(const struct cli *cli)
{
    static const char *const heads[] = {"provider", "home",     "supported", "file",
                                        "linked",   "linkable", "state",     ""};
    struct table table = {.columns = sizeof heads / sizeof heads[0]};
    bp_known_provider known = {.struct_size = sizeof known};

    for (size_t i = 0; i < table.columns; i++)
        table_add(&table, heads[i]);
    for (uint32_t i = 0; bp_env_known_provider(cli->env, i, &known, NULL) >= 0; i++)
        add_row(&table, &known);
    table_print(&table, cli, 0, true);
    table_finish(&table);
}
