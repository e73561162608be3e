/* SPDX-License-Identifier: MIT */
/* command.c - `backplane tune`: with which settings a model runs fastest on this machine. */

#include "config.h"

#include "lib/model_command.h"
#include "tune/tune.h"

static const struct arg_spec tune_specs[] = {
    {.name = "warmup",
     .kind = ARG_COUNT,
     .value = "N",
     .max = 1000000,
     .at = offsetof(struct tune_args, warmup),
     .help = "Runs with each setting before those that count, beside the first (default 3)."},
    {.name = "rounds",
     .kind = ARG_COUNT,
     .value = "N",
     .min = 1,
     .max = 1000,
     .at = offsetof(struct tune_args, rounds),
     .help = "Rounds in which each setting is measured once (default 20). With fewer than 6 no "
             "difference is significant."},
    {.name = "seconds",
     .kind = ARG_NUMBER,
     .value = "S",
     .min = 0,
     .max = 1e6,
     .at = offsetof(struct tune_args, seconds),
     .help = "How long to measure, all settings together (default 4); no setting is measured for "
             "less than one run a round."},
    {.name = "threads",
     .kind = ARG_COUNT,
     .value = "N",
     .max = 4096,
     .at = offsetof(struct tune_args, threads),
     .help = "Threads to compute with (default: as many as the process may use)."},
    {.name = "json",
     .kind = ARG_FLAG,
     .at = offsetof(struct tune_args, is_json),
     .help = "Print JSON; times are in milliseconds."},
};

static const char about[] =
    "Runs the model with the named providers and with cpu alone, each at the levels basic and\n"
    "extended, and says which setting is fastest on this machine. Every round measures each of\n"
    "them, in another order, and a setting is compared with cpu at level extended within the\n"
    "round, so that what else the machine does meets all of them. --level is not heeded.";

static int start(struct cli *cli, const void *options, const char *path)
{
    const struct tune_args *args = options;
    struct tuning *tuning = xalloc(1, sizeof *tuning);
    int code;

    tuning->path = path;
    tune_list(tuning);
    code = tune_measure(cli, args, tuning);
    if (code == CLI_OK && args->is_json)
        tune_json(cli, args, tuning);
    else if (code == CLI_OK && !cli->globals.quiet)
        tune_text(cli, tuning);
    tune_finish(tuning);
    return code;
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct tune_args args = {.warmup = 3, .rounds = 20, .seconds = 4};
    const struct arg_group groups[] = {
        {"Options", tune_specs, sizeof tune_specs / sizeof tune_specs[0], &args},
        feed_group(&args.feed),
        load_group(&args.load),
        cli_group(cli),
    };
    const struct model_command command = {.name = "tune",
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

const struct command cmd_tune = {"tune", "Find the fastest settings for a model", run};
