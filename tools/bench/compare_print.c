/* SPDX-License-Identifier: MIT */
/* compare_print.c - `backplane bench --compare` as text and as JSON. */

#include "config.h"

#include <inttypes.h>

#include "bench/compare.h"
#include "lib/json.h"
#include "lib/table.h"
#include "plan/plan.h"

static const char *const verdicts[] = {
    [BENCH_NO_NODES] = "no nodes",
    [BENCH_SAME] = "no difference",
    [BENCH_FASTER] = "faster",
    [BENCH_SLOWER] = "slower",
};

static void add_duration(struct table *table, double seconds)
{
    struct bp_text text = {0};

    text_duration(&text, seconds);
    table_add(table, text_string(&text));
    text_finish(&text);
}

/* Samples are sorted by now, so the first is the minimum. */
static void add_side(struct table *table, const char *title, const struct bench_side *side)
{
    struct bp_text text = {0};

    table_add_styled(table, STYLE_BOLD, title);
    if (side->figures.n > 0) {
        add_duration(table, bench_percentile(&side->figures, 50));
        add_duration(table, side->figures.samples[0]);
    } else {
        table_add(table, "");
        table_add(table, "");
    }
    table_addf(table, "%zu", side->figures.n);
    table_addf(table, "%" PRIu32, side->n_groups);
    table_addf(table, "%" PRIu64, side->n_copies);
    text_copies(&text, side->n_copies, side->n_unsized, side->copy_bytes);
    table_add(table, text_string(&text));
    text_clear(&text);
    plan_placement(&text, bp_session_report(side->loaded.session));
    table_add(table, text_string(&text));
    text_finish(&text);
}

static void print_sides(const struct cli *cli, const struct bench_comparison *c)
{
    static const char *const heads[] = {"providers", "median", "minimum",     "runs",
                                        "groups",    "copies", "bytes a run", "nodes"};
    struct table table = {.columns = sizeof heads / sizeof heads[0], .right = 0x7e};

    for (size_t i = 0; i < table.columns; i++)
        table_add(&table, heads[i]);
    add_side(&table, text_string(&c->title), &c->named);
    add_side(&table, "cpu", &c->cpu);
    table_print(&table, cli, 0, true);
    table_finish(&table);
}

void bench_compare_text(const struct cli *cli, const struct bench_comparison *c)
{
    static const enum cli_style styles[] = {STYLE_YELLOW, STYLE_BOLD, STYLE_GREEN, STYLE_RED};
    const struct bench_ratio *r = &c->ratio;
    struct bp_text text = {0};

    print_sides(cli, c);
    if (r->verdict != BENCH_NO_NODES) {
        printf("\nratio %.3g, %.3g to %.3g over %zu pair%s of slices\n", r->median, r->low, r->high,
               r->pairs, r->pairs == 1 ? "" : "s");
        if (c->idle.len > 0) {
            text_clean(&text, text_string(&c->idle));
            text_put(&text, " took no node");
            puts(text_string(&text));
            text_clear(&text);
        }
    } else {
        putchar('\n');
    }
    bench_sentence(c, &text);
    printf("%s%s%s\n", cli_style(cli->colour, styles[r->verdict]), text_string(&text),
           cli_style(cli->colour, STYLE_PLAIN));
    text_finish(&text);
}

/* Figures of runs are absent, not 0, where nothing was run. */
static void write_side(struct json *json, const char *key, const char *title,
                       const struct bench_side *side)
{
    const bp_report *report = bp_session_report(side->loaded.session);
    const struct bench_figures *f = &side->figures;

    json_object(json, key);
    json_string(json, "providers", title);
    json_object(json, "nodes");
    for (uint32_t i = 0; i < bp_report_provider_count(report); i++) {
        bp_report_provider row = {.struct_size = sizeof row};

        if (bp_report_get_provider(report, i, &row, NULL) >= 0)
            json_uint(json, row.name, row.n_nodes);
    }
    json_object_end(json);
    json_uint(json, "groups", side->n_groups);
    json_uint(json, "copies", side->n_copies);
    json_uint(json, "copy_bytes", side->copy_bytes);
    json_uint(json, "unsized_copies", side->n_unsized);
    json_number(json, "load_ms", (side->loaded.open_seconds + side->loaded.create_seconds) * 1e3);
    json_uint(json, "runs", f->n);
    if (f->n > 0) {
        json_number(json, "first_run_ms", f->first * 1e3);
        json_number(json, "min_ms", f->samples[0] * 1e3);
        json_number(json, "median_ms", bench_percentile(f, 50) * 1e3);
        json_number(json, "p90_ms", bench_percentile(f, 90) * 1e3);
    }
    json_object_end(json);
}

void bench_compare_json(const struct cli *cli, const struct bench_comparison *c, uint64_t warmup)
{
    const struct bench_ratio *r = &c->ratio;
    struct json json = {.out = stdout};
    struct bp_text text = {0};

    bench_sentence(c, &text);
    json_object(&json, NULL);
    json_string(&json, "schema", "bench-compare/1");
    json_string(&json, "model", c->path);
    json_uint(&json, "threads", bp_env_threads(cli->env));
    json_uint(&json, "warmup", warmup);
    write_side(&json, "named", text_string(&c->title), &c->named);
    write_side(&json, "cpu", "cpu", &c->cpu);
    if (c->idle.len > 0)
        json_string(&json, "took_no_node", text_string(&c->idle));
    json_uint(&json, "pairs", r->pairs);
    if (r->verdict != BENCH_NO_NODES) {
        json_number(&json, "ratio", r->median);
        json_number(&json, "ratio_low", r->low);
        json_number(&json, "ratio_high", r->high);
    }
    json_string(&json, "verdict", verdicts[r->verdict]);
    json_string(&json, "sentence", text_string(&text));
    json_object_end(&json);
    text_finish(&text);
}
