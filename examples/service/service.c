/* SPDX-License-Identifier: MIT */
/*
 * service.c - a model that serves requests from several threads: batches of any size, a deadline for
 * each, a new model without a pause, a limit on memory, and an orderly end at SIGTERM.
 */
#define _POSIX_C_SOURCE 200809L /* nanosleep() */

#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "../common/example.h"
#include "requests.h"

const char example_name[] = "service";

struct arguments {
    const char *model, *providers;
    long seconds, workers, batch, deadline_ms, memory_mb;
};

static volatile sig_atomic_t is_asked_to_end;

static void end(int signal)
{
    (void)signal;
    is_asked_to_end = 1;
}

static void print_help(void)
{
    puts("Usage: service [OPTION]... MODEL\n"
         "Serves random requests to a model with one input of float32, whose first dimension is\n"
         "the size of a batch, until SIGINT or SIGTERM. If another file is renamed to MODEL, it\n"
         "serves that one from then on, without failing a request.\n"
         "\n"
         "  --providers A,B  execution providers, in this order, before CPU; without it, those\n"
         "                   that compute on this machine's processor\n"
         "  --workers N      requests at once (2)\n"
         "  --batch N        largest batch (24)\n"
         "  --deadline MS    time that a request may take; 0: any (1000)\n"
         "  --memory MB      limit for all sessions; 0: none (0)\n"
         "  --seconds N      ends after so many seconds; 0: never (0)\n"
         "  --help           print this text\n"
         "\n"
         "Exit code 0: no request failed. One that is too late is not a failure.");
}

static bool parse_number(const char *text, long most, long *out)
{
    char *rest;

    *out = strtol(text, &rest, 10);
    return (*text && !*rest && *out >= 0 && *out <= most) ||
           example_fail("\"%s\" is not a number from 0 to %ld", text, most);
}

/* Exits after --help and after arguments that make no sense. */
static void parse_arguments(int argc, char **argv, struct arguments *out)
{
    static const struct option options[] = {{"providers", required_argument, NULL, 'p'},
                                            {"workers", required_argument, NULL, 'w'},
                                            {"batch", required_argument, NULL, 'b'},
                                            {"deadline", required_argument, NULL, 'd'},
                                            {"memory", required_argument, NULL, 'm'},
                                            {"seconds", required_argument, NULL, 's'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    bool is_good = true;
    int option;

    *out = (struct arguments){.workers = 2, .batch = 24, .deadline_ms = 1000};
    while (is_good && (option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == 'h') {
            print_help();
            exit(EXIT_SUCCESS);
        }
        if (option == 'p')
            out->providers = optarg;
        else if (option == 'w')
            is_good = parse_number(optarg, MAX_WORKERS, &out->workers);
        else if (option == 'b')
            is_good = parse_number(optarg, 100000, &out->batch);
        else if (option == 'd')
            is_good = parse_number(optarg, 1000000, &out->deadline_ms);
        else if (option == 'm')
            is_good = parse_number(optarg, 1000000, &out->memory_mb);
        else if (option == 's')
            is_good = parse_number(optarg, 1000000, &out->seconds);
        else
            is_good = false; /* getopt_long has complained */
    }
    if (is_good && (optind + 1 != argc || out->workers == 0 || out->batch == 0))
        is_good = example_fail("one model, and at least one worker and a batch of one are needed; "
                               "see --help");
    if (!is_good)
        exit(EXIT_FAILURE);
    out->model = argv[optind];
}

/* Looks for a new model until it is time to end; false: a new one could not be used. */
static bool watch(struct current *current, const struct arguments *arguments)
{
    const struct timespec pause = {.tv_nsec = 50 * 1000 * 1000};
    double end_ms = example_now_ms() + (double)arguments->seconds * 1000;
    bool is_good = true, reloaded;

    while (!is_asked_to_end && (arguments->seconds == 0 || example_now_ms() < end_ms)) {
        nanosleep(&pause, NULL);
        is_good &= current_refresh(current, &reloaded);
        if (reloaded) {
            printf("a new model is served\n");
            fflush(stdout);
        }
    }
    return is_good;
}

/* What the sessions hold, at the most, as an operator would want to know it. */
static void print_memory(bp_env *env)
{
    bp_env_stats stats = {.struct_size = sizeof stats};

    if (bp_env_get_stats(env, &stats, NULL) >= 0)
        printf("memory of sessions: %.1f MB now, %.1f MB at the peak\n",
               (double)(stats.held_bytes + stats.beside_bytes) / 1e6,
               (double)stats.peak_bytes / 1e6);
}

static bool serve(bp_env *env, const struct arguments *arguments, const bp_session_options *options)
{
    struct current current;
    struct load load = {.current = &current,
                        .n_workers = (uint32_t)arguments->workers,
                        .max_batch = (uint32_t)arguments->batch,
                        .deadline_ms = arguments->deadline_ms};
    bool is_good;

    if (!current_open(env, arguments->model, options, load.max_batch, load.n_workers, &current))
        return false;
    is_good = load_start(&load);
    if (is_good) {
        printf("serving %s\n", arguments->model);
        fflush(stdout);
        is_good = watch(&current, arguments);
        is_good &= load_finish(&load);
        print_memory(env);
    }
    current_close(&current);
    return is_good;
}

int main(int argc, char **argv)
{
    struct arguments arguments;
    char text[EXAMPLE_TEXT];
    bp_err err = bp_err_init(text, sizeof text);
    bp_env_config config = {.struct_size = sizeof config};
    bp_session_options *options = NULL;
    bp_env *env = NULL;
    bool is_good;

    parse_arguments(argc, argv, &arguments);
    signal(SIGINT, end);
    signal(SIGTERM, end);
    config.memory_limit = (uint64_t)arguments.memory_mb * 1000000;
    if (bp_env_create(&config, &env, &err) < 0) {
        example_fail("%s", text);
        return EXIT_FAILURE;
    }
    is_good = example_options_create(arguments.providers, BP_FALLBACK_WARN, &options);
    if (is_good) {
        bp_session_options_set_threads(options, 1); /* the workers keep the processors busy */
        is_good = serve(env, &arguments, options);
    }
    bp_session_options_destroy(options);
    if (bp_env_destroy(env, &err) < 0)
        is_good = example_fail("%s", text);
    return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
