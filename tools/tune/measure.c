/* SPDX-License-Identifier: MIT */
/* measure.c - runs a model with each setting in turn, and compares them. */

#include "config.h"

#include "tune/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/progress.h"

/* ---- settings -------------------------------------------------------------------------------- */

/* cpu at the default level comes first: it is what there is without any provider. */
void tune_list(struct tuning *tuning)
{
    static const uint32_t levels[] = {BP_OPTIMIZE_EXTENDED, BP_OPTIMIZE_BASIC};

    for (int named = 0; named < 2; named++) {
        for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
            tuning->settings[tuning->n++] =
                (struct tune_setting){.is_cpu_alone = named == 0, .level = levels[i]};
    }
}

void tune_finish(struct tuning *tuning)
{
    for (size_t i = 0; i < tuning->n; i++) {
        bench_finish_side(&tuning->settings[i].side);
        text_finish(&tuning->settings[i].title);
    }
    free(tuning);
}

/* ---- sessions -------------------------------------------------------------------------------- */

/* Names the providers that got nodes; with cpu alone among them there is nothing to measure. */
static void name_providers(struct tune_setting *setting)
{
    const bp_report *report = bp_session_report(setting->side.loaded.session);
    bool has_other = false;

    for (uint32_t i = 0; i < bp_report_provider_count(report); i++) {
        bp_report_provider row = {.struct_size = sizeof row};

        if (bp_report_get_provider(report, i, &row, NULL) < 0 || strcmp(row.name, "cpu") == 0)
            continue;
        text_printf(&setting->title, "%s,", row.name);
        has_other |= row.n_nodes > 0;
    }
    text_put(&setting->title, "cpu");
    setting->is_idle = !setting->is_cpu_alone && !has_other;
}

static int load_settings(struct cli *cli, const struct tune_args *args, struct tuning *tuning)
{
    int code = CLI_OK;

    for (size_t i = 0; code == CLI_OK && i < tuning->n; i++) {
        struct tune_setting *setting = &tuning->settings[i];
        struct load_args load = args->load;

        load.level = setting->level;
        code = setting->is_cpu_alone
                   ? bench_load_cpu(cli, &load, tuning->path, &setting->side.loaded)
                   : load_from_args(cli, tuning->path, &load, &setting->side.loaded);
        if (code != CLI_OK)
            break;
        name_providers(setting);
        bench_count_copies(&setting->side);
    }
    return code;
}

/* ---- results --------------------------------------------------------------------------------- */

/* The largest difference of float32 elements; -1: another shape. NaN beside NaN is none. */
static double difference_of(const bp_tensor *a, const bp_tensor *b)
{
    const float *x = a->base, *y = b->base;
    double most = 0;

    if (a->dtype != b->dtype || a->bytes != b->bytes)
        return -1;
    for (size_t i = 0; a->dtype == BP_DTYPE_F32 && i < a->bytes / sizeof *x; i++) {
        double d = fabs((double)x[i] - (double)y[i]);

        if (isnan(d) && !(isnan(x[i]) && isnan(y[i])) && x[i] != y[i]) /* inf beside -inf too */
            return HUGE_VAL;
        if (d > most)
            most = d;
    }
    return most;
}

static void compare_results(const struct tune_setting *first, struct tune_setting *setting)
{
    const struct results *a = &first->side.buffers, *b = &setting->side.buffers;

    for (uint32_t i = 0; i < a->n && i < b->n && setting->difference >= 0; i++) {
        double d = difference_of(&a->bindings[i].tensor, &b->bindings[i].tensor);

        setting->difference = d < 0 ? d : fmax(setting->difference, d);
    }
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static size_t count_measured(const struct tuning *tuning)
{
    size_t n = 0;

    for (size_t i = 0; i < tuning->n; i++)
        n += !tuning->settings[i].is_idle;
    return n;
}

/*
 * One slice of each setting. They go forward in one round and backward in the next, so that none always
 * follows the same other one.
 */
static bp_rc measure_round(struct cli *cli, struct tuning *tuning, const struct feed *feed,
                           double slice)
{
    double medians[TUNE_MOST] = {0};
    size_t round = tuning->rounds;
    bp_rc rc = BP_OK;

    for (size_t k = 0; rc >= 0 && k < tuning->n; k++) {
        size_t i = round % 2 ? tuning->n - 1 - k : k;

        if (!tuning->settings[i].is_idle)
            rc = bench_measure_slice(cli, &tuning->settings[i].side, feed, BENCH_MOST_RUNS / 1000,
                                     slice, &medians[i]);
    }
    for (size_t i = 0; rc >= 0 && i < tuning->n; i++) {
        if (!tuning->settings[i].is_idle)
            tuning->settings[i].ratios[round] = medians[0] / fmax(medians[i], 1e-9);
    }
    tuning->rounds += rc >= 0;
    return rc;
}

/* The fastest that is significantly faster than the first setting; else that one. */
static void choose(struct tuning *tuning)
{
    for (size_t i = 0; i < tuning->n; i++) {
        struct tune_setting *setting = &tuning->settings[i];

        setting->ratio.verdict = BENCH_NO_NODES;
        if (setting->is_idle)
            continue;
        bench_compute_verdict(setting->ratios, tuning->rounds, &setting->ratio);
        bench_sort(setting->side.figures.samples, setting->side.figures.n);
        compare_results(&tuning->settings[0], setting);
        if (setting->ratio.verdict == BENCH_FASTER &&
            setting->ratio.median > tuning->settings[tuning->best].ratio.median)
            tuning->best = i;
    }
}

static int measure(struct cli *cli, const struct tune_args *args, struct tuning *tuning,
                   const struct feed *feed)
{
    double slice = args->seconds / (double)(args->rounds * count_measured(tuning));
    struct progress progress;
    bp_rc rc = BP_OK;
    int code = CLI_OK;

    for (size_t i = 0; code == CLI_OK && i < tuning->n; i++) {
        if (!tuning->settings[i].is_idle)
            code = bench_warm_up(cli, &tuning->settings[i].side, feed, args->warmup);
    }
    if (code != CLI_OK)
        return code;
    progress_begin(&progress, cli);
    while (rc >= 0 && tuning->rounds < args->rounds) {
        progress_show(&progress, "tuning", (double)tuning->rounds / (double)args->rounds);
        rc = measure_round(cli, tuning, feed, slice);
    }
    progress_end(&progress);
    if (rc < 0)
        return cli_fail_rc(cli, CLI_RUN, rc);
    choose(tuning);
    return CLI_OK;
}

int tune_measure(struct cli *cli, const struct tune_args *args, struct tuning *tuning)
{
    struct feed feed;
    int code = load_settings(cli, args, tuning);

    if (code == CLI_OK)
        code = feed_make(cli, tuning->settings[0].side.loaded.session, &args->feed, &feed);
    if (code != CLI_OK)
        return code;
    code = measure(cli, args, tuning, &feed);
    feed_finish(&feed);
    return code;
}
