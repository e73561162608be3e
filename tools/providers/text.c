/* SPDX-License-Identifier: MIT */
/* text.c - a provider's state and options, in tables. */

#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "providers/provider.h"

/* Was it opened without an error, up to the last stage before a session? */
bool provider_is_usable(const bp_provider_info *row)
{
    return row->code == BP_OK && row->stage >= BP_STAGE_AVAILABLE;
}

const char *provider_state(const bp_provider_info *row)
{
    if (row->code < 0)
        return "not usable";
    return provider_is_usable(row) ? "usable" : "not opened";
}

const char *provider_option_type(uint32_t type)
{
    switch (type) {
    case BP_OPT_STRING:
        return "text";
    case BP_OPT_INT:
        return "integer";
    case BP_OPT_FLOAT:
        return "number";
    case BP_OPT_BOOL:
        return "bool";
    case BP_OPT_CHOICE:
        return "choice";
    default:
        return "unknown";
    }
}

const char *provider_device_kind(uint32_t kind)
{
    switch (kind) {
    case BP_DEVICE_CPU:
        return "CPU";
    case BP_DEVICE_GPU:
        return "GPU";
    case BP_DEVICE_NPU:
        return "NPU";
    default:
        return "other";
    }
}

bool provider_device(const struct cli *cli, uint32_t index, uint32_t i, bp_device *out)
{
    *out = (bp_device){.struct_size = sizeof *out};
    return bp_env_provider_device(cli->env, index, i, out, NULL) >= 0;
}

/* Memory in MiB, empty where the provider does not know it. */
static void print_devices(const struct cli *cli, uint32_t index, const bp_provider_info *row)
{
    struct table table = {.columns = 6};
    bp_device device;

    table_add(&table, "device");
    table_add(&table, "kind");
    table_add(&table, "id");
    table_add(&table, "name");
    table_add(&table, "driver");
    table_add(&table, "memory");
    for (uint32_t i = 0; provider_is_usable(row) && i < row->n_devices; i++) {
        if (!provider_device(cli, index, i, &device))
            continue;
        table_addf(&table, "%u", i);
        table_add(&table, provider_device_kind(device.kind));
        table_add(&table, device.id);
        table_add(&table, device.name);
        table_add(&table, device.driver);
        if (device.mem_total)
            table_addf(&table, "%llu MiB", (unsigned long long)(device.mem_total >> 20));
        else
            table_add(&table, "");
    }
    if (provider_is_usable(row) && row->n_devices) {
        putchar('\n');
        table_print(&table, cli, 0, true);
    }
    table_finish(&table);
}

/* A bound as people write it: 67108864 is "64M". */
static void put_bound(struct bp_text *out, const bp_option *option, double bound)
{
    int power = 0;

    while (option->type == BP_OPT_INT && power < 4 && bound != 0 && fmod(bound, 1024) == 0) {
        bound /= 1024;
        power++;
    }
    text_printf(out, "%.15g", bound);
    if (power > 0)
        text_printf(out, "%c", " KMGT"[power]);
}

/* Empty for strings and for numbers without a range. */
void provider_option_range(struct bp_text *out, const bp_option *option)
{
    if (option->type == BP_OPT_CHOICE) {
        for (uint32_t i = 0; i < option->n_choices; i++)
            text_printf(out, "%s%s", i ? ", " : "", option->choices[i]);
    } else if (option->type == BP_OPT_BOOL) {
        text_put(out, "true, false");
    } else if (option->type != BP_OPT_STRING && option->max > option->min) {
        put_bound(out, option, option->min);
        text_put(out, " to ");
        put_bound(out, option, option->max);
    }
}

const char *provider_option_default(const bp_option *option)
{
    if (option->flags & BP_OPTION_REQUIRED)
        return "(must be given)";
    if (option->flags & BP_OPTION_SECRET)
        return "(secret)";
    return option->def && *option->def ? option->def : "(empty)";
}

static void print_options(const struct cli *cli, const bp_provider_info *row)
{
    struct table table = {.columns = 5};
    struct bp_text range = {0};

    table_add(&table, "option");
    table_add(&table, "type");
    table_add(&table, "values");
    table_add(&table, "default");
    table_add(&table, "");
    for (uint32_t i = 0; i < row->n_options; i++) {
        const bp_option *option = BP_AT(bp_option, row->options, row->option_stride, i);

        text_clear(&range);
        provider_option_range(&range, option);
        table_add(&table, option->key);
        table_add(&table, provider_option_type(option->type));
        table_add(&table, text_string(&range));
        table_add(&table, provider_option_default(option));
        table_addf(&table, "%s%s%s", option->help ? option->help : "",
                   option->flags & BP_OPTION_DEPRECATED ? " (deprecated)" : "",
                   option->flags & BP_OPTION_DYNAMIC ? " (may change in a session)" : "");
    }
    if (row->n_options) {
        putchar('\n');
        table_print(&table, cli, 0, true);
    } else if (provider_is_usable(row)) {
        puts("\nIt has no options.");
    }
    table_finish(&table);
    text_finish(&range);
}

/* "AVAILABLE: no device; install the driver" */
static void describe_fault(struct bp_text *out, const bp_provider_info *row)
{
    if (row->code >= 0)
        return;
    text_printf(out, "%s: %s", bp_stage_name(row->stage),
                row->reason ? row->reason : bp_rc_name(row->code));
    if (row->fix)
        text_printf(out, "; %s", row->fix);
}

static enum cli_style state_style(const bp_provider_info *row)
{
    if (row->code < 0)
        return STYLE_RED;
    return provider_is_usable(row) ? STYLE_GREEN : STYLE_DIM;
}

void provider_add_row(struct table *table, const bp_provider_info *row)
{
    struct bp_text fault = {0};

    describe_fault(&fault, row);
    table_add(table, row->name);
    table_add_styled(table, state_style(row), provider_state(row));
    table_add(table, row->version);
    table_add(table, row->file ? row->file : "built in");
    table_add(table, text_string(&fault));
    text_finish(&fault);
}

static void add_fact(struct table *table, const char *name, const char *value)
{
    if (!value || !*value)
        return;
    table_add_styled(table, STYLE_BOLD, name);
    table_add(table, value);
}

/* What opening it brought in, and whose that is; the first is its own file. */
static void add_libraries(const struct cli *cli, struct table *table, uint32_t index)
{
    const char *path;

    for (uint32_t j = 1; (path = bp_env_provider_library(cli->env, index, j)) != NULL; j++) {
        struct stat st;

        table_add_styled(table, STYLE_BOLD, j == 1 ? "brings in" : "");
        if (stat(path, &st) == 0)
            table_addf(table, "%s, of user %lu", path, (unsigned long)st.st_uid);
        else
            table_add(table, path);
    }
}

/* Facts that the plug-in leaves out have no row. */
void provider_print(const struct cli *cli, uint32_t index, const bp_provider_info *row)
{
    struct table table = {.columns = 2};
    struct bp_text fault = {0};

    add_fact(&table, "name", row->name);
    add_fact(&table, "id", row->id);
    add_fact(&table, "version", row->version);
    add_fact(&table, "vendor", row->vendor);
    add_fact(&table, "file", row->file ? row->file : "built in");
    if (row->code >= 0)
        add_fact(&table, "state", provider_state(row));
    add_libraries(cli, &table, index);
    describe_fault(&fault, row);
    if (row->code < 0) {
        table_add_styled(&table, STYLE_BOLD, "state");
        table_add_styled(&table, STYLE_RED, "not usable");
        add_fact(&table, "stage", bp_stage_name(row->stage));
        add_fact(&table, "reason", row->reason ? row->reason : bp_rc_name(row->code));
        add_fact(&table, "fix", row->fix);
    }
    table_print(&table, cli, 0, false);
    print_devices(cli, index, row);
    print_options(cli, row);
    table_finish(&table);
    text_finish(&fault);
}

/* Prints each directory with why it is searched: an option, a variable, the installation. */
void provider_print_dirs(const struct cli *cli)
{
    struct table table = {.columns = 2};
    const char *dir, *why = NULL;

    for (uint32_t i = 0; (dir = bp_env_provider_dir(cli->env, i, &why)) != NULL; i++) {
        table_add(&table, dir);
        table_add_styled(&table, STYLE_DIM, why);
    }
    if (table.n_cells) {
        printf("\n%ssearched, in this order%s\n", cli_style(cli->colour, STYLE_BOLD),
               cli_style(cli->colour, STYLE_PLAIN));
        table_print(&table, cli, 2, false);
    }
    table_finish(&table);
}

const char *provider_allow_mode(uint32_t mode)
{
    static const char *const words[] = {"off", "warn", "enforce"};

    return mode >= BP_ALLOW_OFF && mode <= BP_ALLOW_ENFORCE ? words[mode - BP_ALLOW_OFF] : "?";
}

void provider_print_allow(const struct cli *cli)
{
    const char *dir;
    uint32_t n, mode = bp_env_allow(cli->env, &dir, &n);

    printf("\n%sallow list%s\n  %s; %u plug-in%s listed in %s\n",
           cli_style(cli->colour, STYLE_BOLD), cli_style(cli->colour, STYLE_PLAIN),
           provider_allow_mode(mode), n, n == 1 ? "" : "s", dir);
}

void provider_print_ignored(const struct cli *cli)
{
    const char *name, *ignored;
    uint32_t n = 0;

    for (uint32_t i = 0; (name = bp_env_variable(cli->env, i, NULL, &ignored)) != NULL; i++) {
        if (ignored)
            printf("%s%s is set and does not count: %s\n", n++ ? "" : "\n", name, ignored);
    }
}
