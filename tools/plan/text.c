/* SPDX-License-Identifier: MIT */
/* text.c - prints a report of a plan as tables. */

#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "lib/orphans.h"
#include "lib/table.h"
#include "plan/text.h"

enum { GROUPS_SHOWN = 40 };

/*
 * The name of report row `provider`; "host" for BP_NONE, the provider of host operators (If, Loop,
 * Scan).
 */
static bp_rc provider_name(const bp_report *report, uint32_t provider, const char **out,
                           bp_err *err)
{
    bp_report_provider row = {.struct_size = sizeof row, .name = "host"};
    bp_rc rc = provider == BP_NONE ? BP_OK : bp_report_get_provider(report, provider, &row, err);

    *out = row.name;
    return rc;
}

/* "dnnl 24, cpu 3": nodes of each provider that has some. */
void plan_placement(struct bp_text *out, const bp_report *report)
{
    for (uint32_t i = 0; i < bp_report_provider_count(report); i++) {
        bp_report_provider row = {.struct_size = sizeof row};

        if (bp_report_get_provider(report, i, &row, NULL) >= 0 && row.n_nodes > 0)
            text_printf(out, "%s%s %" PRIu32, out->len ? ", " : "", row.name, row.n_nodes);
    }
}

/* The last column of a provider: why it has no node, or its error and how to fix it. */
static void provider_note(struct bp_text *note, const bp_report_provider *row)
{
    if (row->code >= 0) {
        if (row->n_nodes == 0)
            text_put(note, row->reason ? row->reason : "has no node");
        return;
    }
    text_printf(note, "%s: %s", bp_stage_name(row->stage),
                row->reason ? row->reason : bp_rc_name(row->code));
    if (row->fix)
        text_printf(note, "; %s", row->fix);
}

static bp_rc print_providers(const struct cli *cli, const bp_report *report, bp_err *err)
{
    struct table table = {.columns = 6, .right = 1u << 2 | 1u << 3 | 1u << 4};
    struct bp_text note = {0};
    bp_rc rc = BP_OK;

    table_add(&table, "provider");
    table_add(&table, "version");
    table_add(&table, "would take");
    table_add(&table, "nodes");
    table_add(&table, "groups");
    table_add(&table, "");
    for (uint32_t i = 0; rc >= 0 && i < bp_report_provider_count(report); i++) {
        bp_report_provider row = {.struct_size = sizeof row};

        rc = bp_report_get_provider(report, i, &row, err);
        if (rc < 0)
            break;
        text_clear(&note);
        provider_note(&note, &row);
        table_add(&table, row.name);
        table_add(&table, row.version);
        table_addf(&table, "%" PRIu32, row.n_claimed);
        table_addf(&table, "%" PRIu32, row.n_nodes);
        table_addf(&table, "%" PRIu32, row.n_groups);
        table_add_styled(&table, row.code < 0 ? STYLE_RED : STYLE_DIM, text_string(&note));
    }
    if (rc >= 0)
        table_print(&table, cli, 0, true);
    table_finish(&table);
    text_finish(&note);
    return rc;
}

/* Whether any provider estimates the memory or time of its groups. */
static bool has_estimate(const bp_report *report)
{
    for (uint32_t i = 0; i < bp_report_provider_count(report); i++) {
        bp_report_provider row = {.struct_size = sizeof row};

        if (bp_report_get_provider(report, i, &row, NULL) >= 0 && row.known)
            return true;
    }
    return false;
}

/* "12.5 us" */
static void put_time(struct bp_text *out, double ns)
{
    text_printf(out, ns < 1e6 ? "%.1f us" : "%.1f ms", ns / (ns < 1e6 ? 1e3 : 1e6));
}

/* The group's own memory and its time; "?" where the provider gave no estimate. */
static void add_estimate(struct table *table, const bp_report_group *row)
{
    struct bp_text bytes = {0}, time = {0};

    if (row->known & BP_ESTIMATED_MEMORY)
        text_bytes(&bytes, row->weight_bytes + row->run_bytes);
    if (row->known & BP_ESTIMATED_TIME)
        put_time(&time, row->run_ns);
    table_add(table, bytes.len || !row->known ? text_string(&bytes) : "?");
    table_add(table, time.len || !row->known ? text_string(&time) : "?");
    text_finish(&bytes);
    text_finish(&time);
}

/* Does its provider tell on which device it is? */
static bool has_device(const bp_report_group *row)
{
    return row->device_id && *row->device_id;
}

/* The column is left out where no provider has devices to tell of. */
static bool names_devices(const bp_report *report)
{
    for (uint32_t i = 0; i < bp_report_group_count(report); i++) {
        bp_report_group row = {.struct_size = sizeof row};

        if (bp_report_get_group(report, i, &row, NULL) >= 0 && has_device(&row))
            return true;
    }
    return false;
}

/* Bytes of copies are empty where there are none. */
static void add_group(struct table *table, uint32_t i, const bp_report_group *row,
                      const char *provider, bool shows_devices, bool shows_estimates)
{
    struct bp_text bytes = {0};

    if (row->n_copies)
        text_copies(&bytes, row->n_copies, row->n_unsized_copies, row->copy_bytes);
    table_addf(table, "%" PRIu32, i);
    table_add(table, provider);
    if (shows_devices)
        table_add(table, has_device(row) ? row->device_id : "");
    table_addf(table, "%" PRIu32, row->n_nodes);
    table_addf(table, "%" PRIu32, row->n_inputs);
    table_addf(table, "%" PRIu32, row->n_outputs);
    table_addf(table, "%" PRIu32, row->n_copies);
    table_add(table, text_string(&bytes));
    if (shows_estimates)
        add_estimate(table, row);
    table_add(table, row->path);
    text_finish(&bytes);
}

/* The sums cover all groups, those that are not shown among them. */
static bp_rc print_groups(const struct cli *cli, const bp_report *report, bool all, bp_err *err)
{
    static const char *const heads[] = {"group",  "provider", "device", "nodes",
                                        "inputs", "outputs",  "copies", "bytes a run"};
    bool shows_estimates = has_estimate(report), shows_devices = names_devices(report);
    uint32_t numbers = shows_estimates ? 0x7f : 0x1f; /* columns of numbers after the names */
    struct table table = {.columns = 8u + shows_devices + 2u * shows_estimates,
                          .right = 1 | numbers << (2 + shows_devices)};
    uint32_t n = bp_report_group_count(report);
    uint64_t copies = 0, unsized = 0, bytes = 0;
    struct bp_text sum = {0};
    bp_rc rc = BP_OK;

    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        if (i != 2 || shows_devices)
            table_add(&table, heads[i]);
    }
    if (shows_estimates) {
        table_add(&table, "on device");
        table_add(&table, "time");
    }
    table_add(&table, "");
    for (uint32_t i = 0; rc >= 0 && i < n; i++) {
        bp_report_group row = {.struct_size = sizeof row};
        const char *provider;

        rc = bp_report_get_group(report, i, &row, err);
        if (rc >= 0)
            rc = provider_name(report, row.provider, &provider, err);
        if (rc < 0)
            break;
        copies += row.n_copies;
        unsized += row.n_unsized_copies;
        bytes += row.copy_bytes;
        if (all || i < GROUPS_SHOWN)
            add_group(&table, i, &row, provider, shows_devices, shows_estimates);
    }
    if (rc >= 0 && n > 0) {
        putchar('\n');
        table_print(&table, cli, 0, true);
        plan_more(n, all || n < GROUPS_SHOWN ? n : GROUPS_SHOWN);
        text_copies(&sum, copies, unsized, bytes);
        printf("%" PRIu64 " copies between memories a run%s%s\n", copies, copies ? ", " : "",
               copies ? text_string(&sum) : "");
    }
    text_finish(&sum);
    table_finish(&table);
    return rc;
}

/* Did the session use a cache of compiled programs, or a program of the model's? */
static bool has_origin(const bp_report_group *row)
{
    return row->cache != NULL;
}

/* Does the provider limit the frames of the group's program, or say what one holds? */
static bool has_frames(const bp_report_group *row)
{
    return row->max_frames > 0 || row->frame_bytes > 0;
}

static bool any_group(const bp_report *report, bool (*is_such)(const bp_report_group *row))
{
    for (uint32_t i = 0; i < bp_report_group_count(report); i++) {
        bp_report_group row = {.struct_size = sizeof row};

        if (bp_report_get_group(report, i, &row, NULL) >= 0 && is_such(&row))
            return true;
    }
    return false;
}

/* Adds the cells of frames: empty if the provider sets no limit and gives no size. */
static void add_frames(struct table *table, const bp_report_group *row)
{
    struct bp_text bytes = {0};

    if (row->frame_bytes > 0)
        text_bytes(&bytes, row->frame_bytes);
    if (row->max_frames > 0)
        table_addf(table, "%" PRIu32, row->max_frames);
    else
        table_add(table, "");
    table_add(table, text_string(&bytes));
    text_finish(&bytes);
}

/*
 * Where the program of each group came from, and why it was compiled if it could have been loaded;
 * how many frames of it there may be, where a provider says that of any.
 */
static bp_rc print_programs(const struct cli *cli, const bp_report *report, bool all, bp_err *err)
{
    bool shows_frames = any_group(report, has_frames);
    struct table table = {.columns = 4u + 2u * shows_frames,
                          .right = 1u | 1u << 2 | (shows_frames ? 3u << 3 : 0)};
    uint32_t n = bp_report_group_count(report), n_told = 0;
    bp_rc rc = BP_OK;

    if (!shows_frames && !any_group(report, has_origin))
        return BP_OK;
    table_add(&table, "group");
    table_add(&table, "program");
    table_add(&table, "time");
    if (shows_frames) {
        table_add(&table, "frames");
        table_add(&table, "a frame");
    }
    table_add(&table, "cache");
    for (uint32_t i = 0; rc >= 0 && i < n; i++) {
        bp_report_group row = {.struct_size = sizeof row};
        struct bp_text time = {0};

        rc = bp_report_get_group(report, i, &row, err);
        if (rc < 0 || row.program == 0 || (n_told++ >= GROUPS_SHOWN && !all))
            continue;
        put_time(&time, (double)row.program_ns);
        table_addf(&table, "%" PRIu32, i);
        table_add(&table, row.program == BP_PROGRAM_LOADED ? "loaded" : "compiled");
        table_add(&table, text_string(&time));
        if (shows_frames)
            add_frames(&table, &row);
        table_add(&table, row.cache ? row.cache : "");
        text_finish(&time);
    }
    if (rc >= 0) {
        putchar('\n');
        table_print(&table, cli, 0, true);
        plan_more(n_told, all || n_told < GROUPS_SHOWN ? n_told : GROUPS_SHOWN);
    }
    table_finish(&table);
    return rc;
}

/* The provider's estimate in one line; nothing without an estimate. */
static void say_estimate(const bp_report_provider *row)
{
    bool is_whole = row->known & BP_ESTIMATED_MEMORY;
    struct bp_text bytes = {0}, weights = {0}, run = {0}, copies = {0};

    if (!(row->known & BP_ESTIMATED_WEIGHTS))
        return;
    text_bytes(&bytes, row->peak_bytes);
    text_bytes(&weights, row->weight_bytes);
    put_time(&run, row->run_ns);
    put_time(&copies, row->copy_ns);
    printf("%s: ", row->name);
    if (is_whole)
        printf("%s of device memory at peak, %s of them constants", text_string(&bytes),
               text_string(&weights));
    else
        printf("%s of constants in device memory; the rest depends on sizes that only a run knows",
               text_string(&weights));
    if (row->known & BP_ESTIMATED_TIME)
        printf("; %s a run%s", text_string(&run),
               row->known & BP_ESTIMATED_SIMULATED ? " in simulated time" : "");
    if (row->known & BP_ESTIMATED_TIME && row->known & BP_ESTIMATED_COPIES)
        printf(", and %s of copies", text_string(&copies));
    putchar('\n');
    text_finish(&bytes);
    text_finish(&weights);
    text_finish(&run);
    text_finish(&copies);
}

static void print_estimates(const bp_report *report)
{
    for (uint32_t i = 0; i < bp_report_provider_count(report); i++) {
        bp_report_provider row = {.struct_size = sizeof row};

        if (bp_report_get_provider(report, i, &row, NULL) >= 0)
            say_estimate(&row);
    }
}

/* Without `all`, only passes that changed something; milliseconds of wall time. */
bp_rc plan_passes(const struct cli *cli, const bp_report *report, bool all, bp_err *err)
{
    struct table table = {.columns = 5, .right = 0xe};
    bp_rc rc = BP_OK;

    table_add(&table, "pass");
    table_add(&table, "matches");
    table_add(&table, "nodes");
    table_add(&table, "ms");
    table_add(&table, "");
    for (uint32_t i = 0; rc >= 0 && i < bp_report_pass_count(report); i++) {
        bp_report_pass row = {.struct_size = sizeof row};

        rc = bp_report_get_pass(report, i, &row, err);
        if (rc < 0 || (!all && row.n_matches == 0))
            continue;
        table_add(&table, row.name);
        table_addf(&table, "%" PRIu32, row.n_matches);
        table_addf(&table, "%" PRIu32 " to %" PRIu32, row.n_before, row.n_after);
        table_addf(&table, "%.3f", (double)row.ns / 1e6);
        table_add_styled(&table, STYLE_DIM, row.help);
    }
    if (rc >= 0 && table.n_cells > table.columns) {
        putchar('\n');
        table_print(&table, cli, 0, true);
    }
    table_finish(&table);
    return rc;
}

/* Prints every node, or only those without a provider. */
static bp_rc print_nodes(const struct cli *cli, const bp_report *report, bool all, bp_err *err)
{
    struct table table = {.columns = 5, .right = 1u << 1};
    uint32_t orphans = count_orphan_nodes(report);
    bp_rc rc = BP_OK;

    table_add(&table, "runs on");
    table_add(&table, "group");
    table_add(&table, "operator");
    table_add(&table, "node");
    table_add(&table, "");
    for (uint32_t i = 0; rc >= 0 && i < bp_report_node_count(report); i++) {
        bp_report_node node = {.struct_size = sizeof node};
        const char *place;

        rc = bp_report_get_node(report, i, &node, err);
        if (rc >= 0)
            rc = provider_name(report, node.provider, &place, err);
        if (rc < 0 || (!all && !is_orphan_node(&node)))
            continue;
        table_add_styled(&table, is_orphan_node(&node) ? STYLE_RED : STYLE_PLAIN,
                         is_orphan_node(&node) ? "no provider" : place);
        if (node.group == BP_NONE)
            table_add(&table, "");
        else
            table_addf(&table, "%" PRIu32, node.group);
        table_addf(&table, "%s%s%s", node.domain, *node.domain ? "." : "", node.op);
        if (node.stands_for)
            table_addf(&table, "%s (%s)", node.name, node.stands_for);
        else
            table_add(&table, node.name);
        table_add_styled(&table, STYLE_DIM, node.path);
    }
    if (rc >= 0 && table.n_cells > table.columns) {
        putchar('\n');
        table_print(&table, cli, 0, true);
    }
    if (rc >= 0 && orphans > 0)
        printf("%s%" PRIu32 " node%s no provider: the model cannot run%s\n",
               cli_style(cli->colour, STYLE_RED), orphans, orphans == 1 ? " has" : "s have",
               cli_style(cli->colour, STYLE_PLAIN));
    table_finish(&table);
    return rc;
}

int plan_print(struct cli *cli, const bp_report *report, bool all_nodes)
{
    bp_rc rc = print_providers(cli, report, &cli->err);

    if (rc >= 0)
        rc = plan_passes(cli, report, all_nodes, &cli->err);
    if (rc >= 0)
        rc = print_groups(cli, report, all_nodes, &cli->err);
    if (rc >= 0)
        rc = print_programs(cli, report, all_nodes, &cli->err);
    if (rc >= 0)
        print_estimates(report);
    if (rc >= 0)
        rc = plan_refusals(cli, report, all_nodes, &cli->err);
    if (rc >= 0)
        rc = print_nodes(cli, report, all_nodes, &cli->err);
    return rc < 0 ? cli_fail_rc(cli, CLI_RUN, rc) : CLI_OK;
}
