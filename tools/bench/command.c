/* SPDX-License-Identifier: MIT */
/* command.c - `backplane bench`: how long loading and running a model takes. */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bench/bench.h"
#include "bench/compare.h"
#include "lib/model_command.h"
#include "lib/progress.h"
#include "run/profile.h"

enum {
    FEWEST_RUNS = 10, /* when neither --runs nor --seconds is given */
    FIRST_SAMPLES = 4096
};

static const struct arg_spec bench_specs[] = {
    {.name = "warmup",
     .kind = ARG_COUNT,
     .value = "N",
     .max = BENCH_MOST_RUNS,
     .at = offsetof(struct bench_args, warmup),
     .help = "Runs before those that count, beside the first (default 3)."},
    {.name = "runs",
     .kind = ARG_COUNT,
     .value = "N",
     .min = 1,
     .max = BENCH_MOST_RUNS,
     .at = offsetof(struct bench_args, runs),
     .help = "How many runs to measure. Default: for 2 seconds, at least 10."},
    {.name = "seconds",
     .kind = ARG_NUMBER,
     .value = "S",
     .min = 0,
     .max = 1e6,
     .at = offsetof(struct bench_args, seconds),
     .help = "Measure for that long; with --runs, until whichever comes first."},
    {.name = "threads",
     .kind = ARG_COUNT,
     .value = "N",
     .max = 4096,
     .at = offsetof(struct bench_args, threads),
     .help = "Threads to compute with (default: as many as the process may use)."},
    {.name = "compare",
     .kind = ARG_FLAG,
     .at = offsetof(struct bench_args, is_comparison),
     .help = "Measure cpu alone, too, alternately with the providers that are named, and say which "
             "is faster; --runs counts the runs of each, --seconds the time of both."},
    {.name = "profile",
     .kind = ARG_TEXT,
     .value = "FILE",
     .at = offsetof(struct bench_args, profile),
     .help = "Write where the time of the measured runs went, node by node, as a trace; measuring "
             "each node costs a little."},
    {.name = "json",
     .kind = ARG_FLAG,
     .at = offsetof(struct bench_args, is_json),
     .help = "Print JSON; times are in milliseconds."},
};

static const char about[] =
    "Measures how long a model takes to load, to run first, and to run again and again with\n"
    "the same inputs into the same output buffers; with --compare, whether the named providers\n"
    "are faster than cpu alone.";

/*
 * The process's highest resident memory so far, in bytes. VmHWM is of this program alone;
 * ru_maxrss, in kB on Linux, may count the program that called exec() too.
 */
static uint64_t peak_memory(void)
{
    FILE *status = fopen("/proc/self/status", "re");
    unsigned long long kilobytes = 0;
    struct rusage usage;
    char line[128];

    while (status && fgets(line, sizeof line, status)) {
        if (sscanf(line, "VmHWM: %llu", &kilobytes) == 1)
            break;
    }
    if (status)
        fclose(status);
    if (kilobytes == 0 && getrusage(RUSAGE_SELF, &usage) == 0)
        kilobytes = (unsigned long long)usage.ru_maxrss;
    return kilobytes * 1024;
}

/*
 * Outputs whose size a run decides may come in other buffers than the prepared ones: those are
 * freed here.
 */
bp_rc bench_run(struct cli *cli, bp_session *session, const struct feed *feed,
                const struct results *buffers, bp_profile *profile, bp_binding *outputs)
{
    bp_run_options options = {.struct_size = sizeof options, .profile = profile};
    bp_rc rc;

    for (uint32_t i = 0; i < buffers->n; i++) {
        outputs[i] = buffers->bindings[i];
        if (outputs[i].tensor.dtype == BP_DTYPE_STRING) /* strings are made anew each time */
            outputs[i].tensor = (bp_tensor){0};
    }
    rc = bp_session_run(session, feed->bindings, feed->n, outputs, buffers->n, &options, &cli->err);
    for (uint32_t i = 0; rc >= 0 && i < buffers->n; i++) {
        if (outputs[i].tensor.base != buffers->bindings[i].tensor.base)
            bp_tensor_free(&outputs[i].tensor);
    }
    return rc;
}

/*
 * --runs and --seconds both end the measuring, whichever comes first; without either, ten runs
 * and BENCH_SECONDS.
 */
static bool is_enough(const struct bench_args *args, const struct bench_figures *f)
{
    double seconds = args->seconds;

    if (f->n == 0)
        return false;
    if (f->n >= BENCH_MOST_RUNS || (args->runs && f->n >= args->runs))
        return true;
    if (!args->runs && seconds <= 0)
        return f->n >= FEWEST_RUNS && f->total >= BENCH_SECONDS;
    return seconds > 0 && f->total >= seconds;
}

/* How far the measuring is, for the progress line. */
static double fraction_done(const struct bench_args *args, const struct bench_figures *f)
{
    double seconds = args->seconds > 0 ? args->seconds : BENCH_SECONDS;

    if (args->runs)
        return (double)f->n / (double)args->runs;
    return f->total < seconds ? f->total / seconds : 1;
}

void bench_add_sample(struct bench_figures *f, double seconds)
{
    if (f->n == f->cap) {
        f->cap = f->cap ? f->cap * 2 : FIRST_SAMPLES;
        f->samples = xrealloc(f->samples, f->cap, sizeof *f->samples);
    }
    f->samples[f->n++] = seconds;
    f->total += seconds;
}

/* Runs to warm up, then those that count. */
static int measure_runs(struct cli *cli, bp_session *session, const struct bench_args *args,
                        const struct feed *feed, const struct results *buffers, bp_profile *profile,
                        struct bench_figures *f)
{
    bp_binding *outputs = xalloc(buffers->n, sizeof *outputs);
    struct progress progress;
    bp_rc rc = BP_OK;

    progress_begin(&progress, cli);
    for (uint64_t i = 0; rc >= 0 && i < args->warmup; i++)
        rc = bench_run(cli, session, feed, buffers, NULL, outputs);
    while (rc >= 0 && !is_enough(args, f)) {
        double start = clock_seconds();

        rc = bench_run(cli, session, feed, buffers, profile, outputs);
        bench_add_sample(f, clock_seconds() - start);
        progress_show(&progress, "running", fraction_done(args, f));
    }
    progress_end(&progress);
    free(outputs);
    if (rc < 0)
        return cli_fail_rc(cli, CLI_RUN, rc);
    bench_sort(f->samples, f->n);
    f->peak_bytes = peak_memory();
    return CLI_OK;
}

/* The first run is measured apart: it allocates buffers and may compile kernels. */
static int bench_session(struct cli *cli, const struct bench_args *args, const char *path,
                         const struct loaded *loaded)
{
    struct bench_figures f = {.open = loaded->open_seconds, .create = loaded->create_seconds};
    struct results buffers = {0};
    bp_profile *profile = NULL;
    struct feed feed;
    double start;
    int written, code = feed_make(cli, loaded->session, &args->feed, &feed);

    if (code != CLI_OK)
        return code;
    start = clock_seconds();
    code = run_once(cli, loaded->session, feed.bindings, feed.n, NULL, &buffers);
    f.first = clock_seconds() - start;
    if (code != CLI_OK)
        cli_fail(cli, code, "%s", cli->words);
    else
        code = profile_begin(cli, args->profile, loaded, &profile);
    if (code == CLI_OK)
        code = measure_runs(cli, loaded->session, args, &feed, &buffers, profile, &f);
    written = profile_end(cli, args->profile, profile);
    if (code == CLI_OK)
        code = written;
    if (code == CLI_OK && args->is_json)
        bench_json(cli, path, loaded, &f, args->warmup);
    else if (code == CLI_OK && !cli->globals.quiet)
        bench_text(cli, path, loaded, &f, args->warmup);
    free(f.samples);
    results_finish(&buffers);
    feed_finish(&feed);
    return code;
}

static int bench(struct cli *cli, const struct bench_args *args, const char *path)
{
    struct loaded loaded;
    int code = load_from_args(cli, path, &args->load, &loaded);

    if (code == CLI_OK)
        code = bench_session(cli, args, path, &loaded);
    load_finish(&loaded);
    return code;
}

static int start(struct cli *cli, const void *options, const char *path)
{
    const struct bench_args *args = options;

    if (args->is_comparison && args->profile)
        return cli_fail(cli, CLI_USAGE, "--compare and --profile do not go together");
    return (args->is_comparison ? bench_compare : bench)(cli, args, path);
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct bench_args args = {.warmup = 3};
    const struct arg_group groups[] = {
        {"Options", bench_specs, sizeof bench_specs / sizeof bench_specs[0], &args},
        feed_group(&args.feed),
        load_group(&args.load),
        cli_group(cli),
    };
    const struct model_command command = {.name = "bench",
                                          .about = about,
                                          .groups = groups,
                                          .n_groups = sizeof groups / sizeof groups[0],
                                          .threads = &args.threads,
                                          .act = start,
                                          .args = &args};
    int code = model_command_run(cli, &command, argc, argv);

    feed_args_finish(&args.feed);
    load_args_finish(&args.load);
    return code;
}

const struct command cmd_bench = {"bench", "Measure how long a model takes", run};
