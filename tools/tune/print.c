/* SPDX-License-Identifier: MIT */
/* print.c - the settings and the verdict of `backplane tune`, as text and as JSON. */

#include "config.h"

#include "tune/tune.h"

#include <inttypes.h>

#include "lib/json.h"
#include "lib/table.h"
#include "plan/plan.h"

static const char *const verdicts[] = {
    [BENCH_NO_NODES] = "no nodes",
    [BENCH_SAME] = "no difference",
    [BENCH_FASTER] = "faster",
    [BENCH_SLOWER] = "slower",
};

const char *tune_level(uint32_t level)
{
    static const char *const names[] = {"default", "none", "basic", "extended", "layout"};

    return names[level];
}

/* "--providers dnnl,cpu --level basic" */
static void put_options(struct bp_text *out, const struct tune_setting *setting)
{
    text_put(out, "--providers ");
    text_clean(out, text_string(&setting->title));
    text_printf(out, " --level %s", tune_level(setting->level));
}

/* What to do, with the figure that says so. */
static void put_verdict(struct bp_text *out, const struct tuning *tuning)
{
    const struct tune_setting *best = &tuning->settings[tuning->best];
    bool is_alone = true;

    for (size_t i = 0; i < tuning->n; i++)
        is_alone &= tuning->settings[i].is_cpu_alone || tuning->settings[i].is_idle;
    if (tuning->best > 0) {
        text_put(out, "use ");
        put_options(out, best);
        text_printf(out, ": %.2f times as fast as ", best->ratio.median);
        put_options(out, &tuning->settings[0]);
    } else {
        text_put(out, "keep ");
        put_options(out, best);
        text_put(out, ": nothing else is significantly faster");
    }
    if (is_alone)
        text_put(out, "; no provider but cpu took a node ('backplane plan' says why)");
}

/* ---- text ------------------------------------------------------------------------------------ */

static void add_duration(struct table *table, double seconds)
{
    struct bp_text text = {0};

    text_duration(&text, seconds);
    table_add(table, text_string(&text));
    text_finish(&text);
}

static void add_setting(struct table *table, const struct tune_setting *setting, bool is_best)
{
    const struct bench_side *side = &setting->side;
    struct bp_text text = {0};

    table_add_styled(table, is_best ? STYLE_GREEN : STYLE_BOLD, text_string(&setting->title));
    table_add(table, tune_level(setting->level));
    if (setting->is_idle) {
        for (int i = 0; i < 4; i++)
            table_add(table, "");
    } else {
        add_duration(table, bench_percentile(&side->figures, 50));
        table_addf(table, "%.2f", setting->ratio.median);
        table_addf(table, "%.2f to %.2f", setting->ratio.low, setting->ratio.high);
        table_addf(table, setting->difference < 0 ? "other sizes" : "%.2g", setting->difference);
    }
    table_addf(table, "%" PRIu32, side->n_groups);
    table_addf(table, "%" PRIu64, side->n_copies);
    plan_placement(&text, bp_session_report(side->loaded.session));
    table_add(table, text_string(&text));
    text_finish(&text);
}

void tune_text(const struct cli *cli, const struct tuning *tuning)
{
    static const char *const heads[] = {"providers",  "level",  "median", "speed", "interval",
                                        "difference", "groups", "copies", "nodes"};
    struct table table = {.columns = sizeof heads / sizeof heads[0], .right = 0xfc};
    struct bp_text text = {0};

    for (size_t i = 0; i < table.columns; i++)
        table_add(&table, heads[i]);
    for (size_t i = 0; i < tuning->n; i++)
        add_setting(&table, &tuning->settings[i], i == tuning->best);
    table_print(&table, cli, 0, true);
    table_finish(&table);
    put_verdict(&text, tuning);
    printf("\n%s\n", text_string(&text));
    text_finish(&text);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void write_nodes(struct json *json, const bp_report *report)
{
    json_object(json, "nodes");
    for (uint32_t i = 0; i < bp_report_provider_count(report); i++) {
        bp_report_provider row = {.struct_size = sizeof row};

        if (bp_report_get_provider(report, i, &row, NULL) >= 0)
            json_uint(json, row.name, row.n_nodes);
    }
    json_object_end(json);
}

/* Figures of runs are absent, not 0, where nothing was run. */
static void write_setting(struct json *json, const struct tune_setting *setting)
{
    const struct bench_side *side = &setting->side;
    const struct bench_figures *f = &side->figures;

    json_object(json, NULL);
    json_string(json, "providers", text_string(&setting->title));
    json_string(json, "level", tune_level(setting->level));
    write_nodes(json, bp_session_report(side->loaded.session));
    json_uint(json, "groups", side->n_groups);
    json_uint(json, "copies", side->n_copies);
    json_uint(json, "copy_bytes", side->copy_bytes);
    json_number(json, "load_ms", (side->loaded.open_seconds + side->loaded.create_seconds) * 1e3);
    json_string(json, "verdict", verdicts[setting->ratio.verdict]);
    if (!setting->is_idle) {
        json_uint(json, "runs", f->n);
        json_number(json, "first_run_ms", f->first * 1e3);
        json_number(json, "min_ms", f->samples[0] * 1e3);
        json_number(json, "median_ms", bench_percentile(f, 50) * 1e3);
        json_number(json, "speed", setting->ratio.median);
        json_number(json, "speed_low", setting->ratio.low);
        json_number(json, "speed_high", setting->ratio.high);
        if (setting->difference >= 0)
            json_number(json, "difference", setting->difference);
    }
    json_object_end(json);
}

void tune_json(const struct cli *cli, const struct tune_args *args, const struct tuning *tuning)
{
    struct json json = {.out = stdout};
    struct bp_text text = {0};

    put_verdict(&text, tuning);
    json_object(&json, NULL);
    json_string(&json, "schema", "tune/1");
    json_string(&json, "model", tuning->path);
    json_uint(&json, "threads", bp_env_threads(cli->env));
    json_uint(&json, "warmup", args->warmup);
    json_uint(&json, "rounds", tuning->rounds);
    json_array(&json, "settings");
    for (size_t i = 0; i < tuning->n; i++)
        write_setting(&json, &tuning->settings[i]);
    json_array_end(&json);
    json_uint(&json, "best", tuning->best);
    json_string(&json, "sentence", text_string(&text));
    json_object_end(&json);
    text_finish(&text);
}
