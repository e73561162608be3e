/* SPDX-License-Identifier: MIT */
/* memory.c - the memory that a session holds for each provider, as text and as JSON. */

#include "config.h"

#include "lib/memory.h"

#include <stdio.h>

#include "lib/table.h"

/* Row i of a session: the providers, then the host; false after the last row. */
static bool get_row(const bp_session *session, uint32_t i, bp_memory_use *out)
{
    *out = (bp_memory_use){.struct_size = sizeof *out};
    return bp_session_get_memory(session, i, out, NULL) >= 0;
}

static const char *row_name(const bp_memory_use *row)
{
    return row->provider ? row->provider : "host";
}

/* The host's row is printed only if it holds memory: most models have no If or Loop. */
static bool is_printed(const bp_memory_use *row)
{
    return row->provider || row->peak_bytes > 0;
}

static void add_bytes(struct table *table, uint64_t bytes)
{
    struct bp_text text = {0};

    text_bytes(&text, bytes);
    table_add(table, text_string(&text));
    text_finish(&text);
}

/* Adds the cells in use, idle until later runs, and peak. `held` includes `idle`; no weights. */
static void add_figures(struct table *table, uint64_t held, uint64_t idle, uint64_t peak)
{
    add_bytes(table, held - idle);
    add_bytes(table, idle);
    add_bytes(table, peak);
}

static void add_row(struct table *table, const bp_memory_use *row, bool has_own)
{
    table_add(table, row_name(row));
    add_figures(table, row->held_bytes, row->idle_bytes, row->peak_bytes);
    if (!has_own)
        return;
    if (row->own_peak_bytes > 0) {
        add_figures(table, row->own_held_bytes, row->own_idle_bytes, row->own_peak_bytes);
    } else {
        for (int i = 0; i < 3; i++)
            table_add(table, "");
    }
}

/* Only devices have memory of their own; without one the three columns for it are left out. */
static bool has_own_memory(const bp_session *session)
{
    bp_memory_use row;

    for (uint32_t i = 0; get_row(session, i, &row); i++) {
        if (row.own_peak_bytes > 0)
            return true;
    }
    return false;
}

static bool has_weights(const bp_memory_use *row)
{
    return row->weight_bytes || row->cache_bytes || row->own_weight_bytes || row->own_cache_bytes;
}

/* Prints what providers hold beside frames; providers that hold nothing or do not say are left out. */
static void print_weights(struct cli *cli, const bp_session *session)
{
    static const char *const heads[] = {"memory beside runs", "weights", "caches",
                                        "on device: weights", "caches"};
    struct table table = {.columns = 5, .right = 0x1e};
    uint32_t n_rows = 0;
    bp_memory_use row;

    for (size_t i = 0; i < table.columns; i++)
        table_add(&table, heads[i]);
    for (uint32_t i = 0; get_row(session, i, &row); i++) {
        if (!has_weights(&row))
            continue;
        n_rows++;
        table_add(&table, row_name(&row));
        add_bytes(&table, row.weight_bytes);
        add_bytes(&table, row.cache_bytes);
        add_bytes(&table, row.own_weight_bytes);
        add_bytes(&table, row.own_cache_bytes);
    }
    if (n_rows > 0) {
        putchar('\n');
        table_print(&table, cli, 0, true);
    }
    table_finish(&table);
}

int memory_print(struct cli *cli, const bp_session *session)
{
    static const char *const heads[] = {"memory of runs",    "in use", "idle", "peak",
                                        "on device: in use", "idle",   "peak"};
    bool has_own = has_own_memory(session);
    struct table table = {.columns = has_own ? 7 : 4, .right = has_own ? 0x7e : 0xe};
    bp_session_stats all = {.struct_size = sizeof all};
    bp_rc rc = bp_session_get_stats(session, &all, &cli->err);
    bp_memory_use row;

    if (rc < 0)
        return cli_fail_rc(cli, CLI_RUN, rc);
    for (size_t i = 0; i < table.columns; i++)
        table_add(&table, heads[i]);
    for (uint32_t i = 0; get_row(session, i, &row); i++) {
        if (is_printed(&row))
            add_row(&table, &row, has_own);
    }
    row = (bp_memory_use){.provider = "all",
                          .held_bytes = all.held_bytes,
                          .idle_bytes = all.idle_bytes,
                          .peak_bytes = all.peak_bytes};
    add_row(&table, &row, has_own);
    putchar('\n');
    table_print(&table, cli, 0, true);
    table_finish(&table);
    print_weights(cli, session);
    return CLI_OK;
}

void memory_words(struct bp_text *out, const bp_session *session)
{
    bp_session_stats all = {.struct_size = sizeof all};
    const char *between = ": ";
    bp_memory_use row;

    if (bp_session_get_stats(session, &all, NULL) < 0)
        return;
    text_bytes(out, all.held_bytes);
    for (uint32_t i = 0; get_row(session, i, &row); i++) {
        if (row.held_bytes == 0)
            continue;
        text_printf(out, "%s%s ", between, row_name(&row));
        text_bytes(out, row.held_bytes);
        between = ", ";
    }
    for (uint32_t i = 0; get_row(session, i, &row); i++) {
        if (row.own_held_bytes == 0)
            continue;
        text_printf(out, "; %s ", row_name(&row));
        text_bytes(out, row.own_held_bytes);
        text_put(out, " of its own");
    }
}

static void json_row(struct json *json, const bp_memory_use *row)
{
    json_object(json, NULL);
    json_string(json, "name", row_name(row));
    json_uint(json, "in_use_bytes", row->held_bytes - row->idle_bytes);
    json_uint(json, "idle_bytes", row->idle_bytes);
    json_uint(json, "peak_bytes", row->peak_bytes);
    json_uint(json, "own_in_use_bytes", row->own_held_bytes - row->own_idle_bytes);
    json_uint(json, "own_idle_bytes", row->own_idle_bytes);
    json_uint(json, "own_peak_bytes", row->own_peak_bytes);
    json_uint(json, "untouched_bytes", row->untouched_bytes);
    json_uint(json, "weight_bytes", row->weight_bytes);
    json_uint(json, "cache_bytes", row->cache_bytes);
    json_uint(json, "own_weight_bytes", row->own_weight_bytes);
    json_uint(json, "own_cache_bytes", row->own_cache_bytes);
    json_object_end(json);
}

void memory_json(struct json *json, const bp_session *session)
{
    bp_session_stats all = {.struct_size = sizeof all};
    bp_memory_use row;

    if (bp_session_get_stats(session, &all, NULL) < 0)
        return;
    json_object(json, "memory");
    json_uint(json, "in_use_bytes", all.held_bytes - all.idle_bytes);
    json_uint(json, "idle_bytes", all.idle_bytes);
    json_uint(json, "peak_bytes", all.peak_bytes);
    json_array(json, "providers");
    for (uint32_t i = 0; get_row(session, i, &row); i++)
        json_row(json, &row);
    json_array_end(json);
    json_object_end(json);
}
