/* SPDX-License-Identifier: MIT */
/*
 * compare.c - measures a model with the named providers and with cpu alone, alternately: slices
 * of either alternate, so that what else the machine does meets both.
 */

#include "config.h"

#include "bench/compare.h"

#include <stdlib.h>
#include <string.h>

#include "lib/progress.h"

/* How much of either is a slice, and when to stop. */
struct slices {
    size_t pairs, fewest;
    uint64_t runs;  /* of all slices of a side; 0: any number */
    double seconds; /* of both sides together; 0: any */
};

/* --runs below the usual number of slices gives fewer slices of one run each. */
static struct slices plan_slices(const struct bench_args *args)
{
    struct slices slices = {.pairs = BENCH_PAIRS, .fewest = 1};

    slices.runs = args->runs;
    slices.seconds = args->seconds;
    if (slices.runs && slices.runs < slices.pairs)
        slices.pairs = (size_t)slices.runs;
    if (!slices.runs && slices.seconds <= 0) {
        slices.seconds = BENCH_SECONDS;
        slices.fewest = BENCH_FEWEST_PAIRS;
    }
    return slices;
}

/* By the name that reports use, not the one that was typed. */
static bool has_provider(const bp_report *report, const char *name)
{
    for (uint32_t i = 0; i < bp_report_provider_count(report); i++) {
        bp_report_provider row = {.struct_size = sizeof row};

        if (bp_report_get_provider(report, i, &row, NULL) >= 0 && strcmp(row.name, name) == 0)
            return true;
    }
    return false;
}

/* Collects the providers of one list that are not in the other. False: there is none. */
static bool name_sides(struct bench_comparison *c)
{
    const bp_report *report = bp_session_report(c->named.loaded.session);
    const bp_report *cpu = bp_session_report(c->cpu.loaded.session);
    uint32_t n = 0, n_idle = 0;

    for (uint32_t i = 0; i < bp_report_provider_count(report); i++) {
        bp_report_provider row = {.struct_size = sizeof row};

        if (bp_report_get_provider(report, i, &row, NULL) < 0 || has_provider(cpu, row.name))
            continue;
        text_printf(&c->title, "%s,", row.name);
        n++;
        if (row.n_nodes == 0)
            text_printf(&c->idle, "%s%s", n_idle++ ? "," : "", row.name);
    }
    text_put(&c->title, "cpu");
    c->ratio.verdict = n == n_idle ? BENCH_NO_NODES : BENCH_SAME;
    return n > 0;
}

/* Measures slice `i` of both sides. They alternate in which is measured first. */
static bp_rc measure_pair(struct cli *cli, struct bench_comparison *c, const struct feed *feed,
                          const struct slices *slices, size_t i, double *ratio)
{
    uint64_t runs = BENCH_MOST_RUNS / BENCH_PAIRS;
    double seconds = slices->seconds / (double)(2 * slices->pairs), named = 0, cpu = 0;
    bp_rc rc = BP_OK;

    if (slices->runs)
        runs = slices->runs / slices->pairs + (i < slices->runs % slices->pairs);
    if (i % 2 == 0)
        rc = bench_measure_slice(cli, &c->named, feed, runs, seconds, &named);
    if (rc >= 0)
        rc = bench_measure_slice(cli, &c->cpu, feed, runs, seconds, &cpu);
    if (rc >= 0 && i % 2 == 1)
        rc = bench_measure_slice(cli, &c->named, feed, runs, seconds, &named);
    *ratio = cpu / (named > 0 ? named : 1e-9); /* the clock's unit */
    return rc;
}

/* Time is looked at between pairs only, so each side has as many slices as the other. */
static int measure(struct cli *cli, struct bench_comparison *c, const struct bench_args *args,
                   const struct feed *feed)
{
    struct slices slices = plan_slices(args);
    double ratios[BENCH_PAIRS];
    struct progress progress;
    bp_rc rc = BP_OK;
    size_t n = 0;

    progress_begin(&progress, cli);
    while (rc >= 0 && n < slices.pairs) {
        double total = c->named.figures.total + c->cpu.figures.total;

        if (n >= slices.fewest && slices.seconds > 0 && total >= slices.seconds)
            break;
        progress_show(&progress, "comparing", (double)n / (double)slices.pairs);
        rc = measure_pair(cli, c, feed, &slices, n, &ratios[n]);
        n++;
    }
    progress_end(&progress);
    if (rc < 0)
        return cli_fail_rc(cli, CLI_RUN, rc);
    bench_compute_verdict(ratios, n, &c->ratio);
    bench_sort(c->named.figures.samples, c->named.figures.n);
    bench_sort(c->cpu.figures.samples, c->cpu.figures.n);
    return CLI_OK;
}

/* Both sessions are there. */
static int compare_sides(struct cli *cli, const struct bench_args *args, struct bench_comparison *c)
{
    struct feed feed;
    int code;

    if (!name_sides(c))
        return cli_fail(cli, CLI_USAGE,
                        "--compare: only cpu is to run the model; name others with --providers");
    bench_count_copies(&c->named);
    bench_count_copies(&c->cpu);
    code = feed_make(cli, c->named.loaded.session, &args->feed, &feed);
    if (code != CLI_OK)
        return code;
    if (c->ratio.verdict != BENCH_NO_NODES) {
        code = bench_warm_up(cli, &c->named, &feed, args->warmup);
        if (code == CLI_OK)
            code = bench_warm_up(cli, &c->cpu, &feed, args->warmup);
        if (code == CLI_OK)
            code = measure(cli, c, args, &feed);
    }
    feed_finish(&feed);
    return code;
}

int bench_compare(struct cli *cli, const struct bench_args *args, const char *path)
{
    struct bench_comparison c = {.path = path};
    int code = load_from_args(cli, path, &args->load, &c.named.loaded);

    if (code == CLI_OK)
        code = bench_load_cpu(cli, &args->load, path, &c.cpu.loaded);
    if (code == CLI_OK)
        code = compare_sides(cli, args, &c);
    if (code == CLI_OK && args->is_json)
        bench_compare_json(cli, &c, args->warmup);
    else if (code == CLI_OK && !cli->globals.quiet)
        bench_compare_text(cli, &c);
    bench_finish_side(&c.named);
    bench_finish_side(&c.cpu);
    text_finish(&c.title);
    text_finish(&c.idle);
    return code;
}
