/* SPDX-License-Identifier: MIT */
/* print.c - the figures of `backplane bench`, as text and as JSON. */

#include "config.h"

#include <inttypes.h>

#include "bench/bench.h"
#include "lib/json.h"
#include "lib/memory.h"
#include "lib/table.h"
#include "plan/plan.h"

/*
 * The nearest-rank percentile, in seconds, of sorted samples: one that was measured, not
 * interpolated.
 */
double bench_percentile(const struct bench_figures *f, unsigned percent)
{
    size_t rank = (f->n * percent + 99) / 100;

    return f->samples[rank > 0 ? rank - 1 : 0];
}

static void add_duration(struct table *table, const char *name, double seconds)
{
    struct bp_text text = {0};

    text_duration(&text, seconds);
    table_add_styled(table, STYLE_BOLD, name);
    table_add(table, text_string(&text));
    text_finish(&text);
}

void bench_text(const struct cli *cli, const char *path, const struct loaded *loaded,
                const struct bench_figures *f, uint64_t warmup)
{
    struct table table = {.columns = 2};
    struct bp_text text = {0};

    table_add_styled(&table, STYLE_BOLD, "model");
    table_add(&table, path);
    plan_placement(&text, bp_session_report(loaded->session));
    table_add_styled(&table, STYLE_BOLD, "nodes");
    table_add(&table, text_string(&text));
    table_add_styled(&table, STYLE_BOLD, "threads");
    table_addf(&table, "%" PRIu32, bp_env_threads(cli->env));
    add_duration(&table, "load", f->open + f->create);
    add_duration(&table, "first run", f->first);
    text_clear(&text);
    text_duration(&text, f->total);
    table_add_styled(&table, STYLE_BOLD, "runs");
    table_addf(&table, "%zu in %s, after %" PRIu64 " to warm up", f->n, text_string(&text), warmup);
    add_duration(&table, "minimum", f->samples[0]);
    add_duration(&table, "median", bench_percentile(f, 50));
    add_duration(&table, "90 %", bench_percentile(f, 90));
    add_duration(&table, "99 %", bench_percentile(f, 99));
    add_duration(&table, "mean", f->total / (double)f->n);
    table_add_styled(&table, STYLE_BOLD, "throughput");
    table_addf(&table, "%.1f runs a second", (double)f->n / f->total);
    text_clear(&text);
    text_bytes(&text, f->peak_bytes);
    table_add_styled(&table, STYLE_BOLD, "peak memory");
    table_add(&table, text_string(&text));
    text_clear(&text);
    memory_words(&text, loaded->session);
    table_add_styled(&table, STYLE_BOLD, "held for runs");
    table_add(&table, text_string(&text));
    table_print(&table, cli, 0, false);
    table_finish(&table);
    text_finish(&text);
}

/* Milliseconds, with the unit in each key; memory in bytes. */
void bench_json(const struct cli *cli, const char *path, const struct loaded *loaded,
                const struct bench_figures *f, uint64_t warmup)
{
    const bp_report *report = bp_session_report(loaded->session);
    struct json json = {.out = stdout};

    json_object(&json, NULL);
    json_string(&json, "schema", "bench/1");
    json_string(&json, "model", path);
    json_object(&json, "nodes");
    for (uint32_t i = 0; i < bp_report_provider_count(report); i++) {
        bp_report_provider row = {.struct_size = sizeof row};

        if (bp_report_get_provider(report, i, &row, NULL) >= 0)
            json_uint(&json, row.name, row.n_nodes);
    }
    json_object_end(&json);
    json_uint(&json, "threads", bp_env_threads(cli->env));
    json_number(&json, "open_ms", f->open * 1e3);
    json_number(&json, "create_ms", f->create * 1e3);
    json_number(&json, "load_ms", (f->open + f->create) * 1e3);
    json_number(&json, "first_run_ms", f->first * 1e3);
    json_uint(&json, "warmup", warmup);
    json_uint(&json, "runs", f->n);
    json_number(&json, "min_ms", f->samples[0] * 1e3);
    json_number(&json, "median_ms", bench_percentile(f, 50) * 1e3);
    json_number(&json, "p90_ms", bench_percentile(f, 90) * 1e3);
    json_number(&json, "p99_ms", bench_percentile(f, 99) * 1e3);
    json_number(&json, "mean_ms", f->total / (double)f->n * 1e3);
    json_number(&json, "runs_per_second", (double)f->n / f->total);
    json_uint(&json, "peak_memory_bytes", f->peak_bytes);
    memory_json(&json, loaded->session);
    json_object_end(&json);
}
