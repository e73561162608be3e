/* SPDX-License-Identifier: MIT */
/* side.c - one of several configurations that are measured alternately. */

#include "config.h"

#include "bench/compare.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/progress.h"

/* Those of "provider<mark>..." that are for cpu. */
static struct arg_list only_cpu(const struct arg_list *list, char mark)
{
    struct arg_list out = {.items = xalloc(list->n, sizeof *out.items), .cap = list->n};

    for (size_t i = 0; i < list->n; i++) {
        if (strncasecmp(list->items[i], "cpu", 3) == 0 && list->items[i][3] == mark)
            out.items[out.n++] = list->items[i];
    }
    return out;
}

int bench_load_cpu(struct cli *cli, const struct load_args *args, const char *path,
                   struct loaded *out)
{
    char name[] = "cpu";
    struct load_args alone = {
        .providers = name,
        .options = only_cpu(&args->options, ':'),
        .devices = only_cpu(&args->devices, '='),
        .binds = args->binds,
        .fallback = args->fallback,
        .level = args->level,
        .disabled = args->disabled,
    };
    bp_session_options *options = NULL;
    int code = load_options(cli, &alone, &options);

    if (code == CLI_OK) {
        bp_session_options_ignore_env_providers(options);
        code = load_session(cli, path, &alone, options, out);
        if (code != CLI_OK)
            cli_fail(cli, code, "cpu alone, to compare with: %s", cli->words);
    }
    bp_session_options_destroy(options);
    arg_list_finish(&alone.options);
    arg_list_finish(&alone.devices);
    return code;
}

void bench_count_copies(struct bench_side *side)
{
    const bp_report *report = bp_session_report(side->loaded.session);

    side->n_groups = bp_report_group_count(report);
    for (uint32_t i = 0; i < side->n_groups; i++) {
        bp_report_group row = {.struct_size = sizeof row};

        if (bp_report_get_group(report, i, &row, NULL) < 0)
            continue;
        side->n_copies += row.n_copies;
        side->copy_bytes += row.copy_bytes;
        side->n_unsized += row.n_unsized_copies;
    }
}

int bench_warm_up(struct cli *cli, struct bench_side *side, const struct feed *feed,
                  uint64_t warmup)
{
    bp_session *session = side->loaded.session;
    double start = clock_seconds();
    bp_rc rc = BP_OK;
    int code = run_once(cli, session, feed->bindings, feed->n, NULL, &side->buffers);

    side->figures.first = clock_seconds() - start;
    if (code != CLI_OK)
        return cli_fail(cli, code, "%s", cli->words);
    side->outputs = xalloc(side->buffers.n, sizeof *side->outputs);
    for (uint64_t i = 0; rc >= 0 && i < warmup; i++)
        rc = bench_run(cli, session, feed, &side->buffers, NULL, side->outputs);
    return rc < 0 ? cli_fail_rc(cli, CLI_RUN, rc) : CLI_OK;
}

bp_rc bench_measure_slice(struct cli *cli, struct bench_side *side, const struct feed *feed,
                          uint64_t runs, double seconds, double *median)
{
    struct bench_figures *f = &side->figures;
    size_t first = f->n, n = 0;
    double sum = 0;
    bp_rc rc = bench_run(cli, side->loaded.session, feed, &side->buffers, NULL, side->outputs);

    while (rc >= 0 && (n == 0 || (n < runs && (seconds <= 0 || sum < seconds)))) {
        double start = clock_seconds(), took;

        rc = bench_run(cli, side->loaded.session, feed, &side->buffers, NULL, side->outputs);
        took = clock_seconds() - start;
        bench_add_sample(f, took);
        sum += took;
        n++;
    }
    if (rc < 0)
        return rc;
    bench_sort(f->samples + first, n);
    *median = (f->samples[first + (n - 1) / 2] + f->samples[first + n / 2]) / 2;
    return BP_OK;
}

void bench_finish_side(struct bench_side *side)
{
    free(side->outputs);
    free(side->figures.samples);
    results_finish(&side->buffers);
    load_finish(&side->loaded);
}
