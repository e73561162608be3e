/* SPDX-License-Identifier: MIT */
/*
 * dnnl_threads.c - runs the digits model on dnnl with a budget of threads, as dnnl_threads.sh says,
 * and prints "BUDGET THREADS IDLE": how many threads the host counts with, how many the process had
 * after its runs, and the milliseconds of processor time that it used in the second after them.
 * Exit status 1: a result differs from the CPU provider's on one thread; 2: something else failed.
 *
 *     dnnl_threads MODEL THREADS      THREADS 0: as many as the process may use
 */

#include "config.h"

#include <backplane.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCH = 512, PIXELS = 64, CLASSES = 10, RUNS = 20 };

static char words[1024];
static bp_err err = {.struct_size = sizeof err, .msg = words, .msg_cap = sizeof words};

static void must(bp_rc rc, const char *what)
{
    if (rc >= 0)
        return;
    fprintf(stderr, "%s: %s\n", what, words);
    exit(2);
}

static unsigned count_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *entry;
    unsigned n = 0;

    while (tasks && (entry = readdir(tasks)) != NULL)
        n += entry->d_name[0] != '.';
    if (tasks)
        closedir(tasks);
    return n;
}

static double used_ms(void)
{
    struct timespec used;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (double)used.tv_sec * 1e3 + (double)used.tv_nsec * 1e-6;
}

static double idle_ms(void)
{
    const struct timespec second = {.tv_sec = 1};
    double before = used_ms();

    nanosleep(&second, NULL);
    return used_ms() - before;
}

/* A session with dnnl before cpu, which has to take part, or with cpu alone. */
static bp_session *open_session(bp_env *env, const char *model, int on_dnnl, uint32_t threads)
{
    static const bp_key_value all = {"claim", "all"};
    bp_session_options *options = NULL;
    bp_session *session = NULL;

    must(bp_session_options_create(&options, &err), "options");
    if (on_dnnl)
        must(bp_session_options_add_provider(options, "dnnl", &all, 1, BP_FALLBACK_REQUIRE, &err),
             "dnnl");
    must(bp_session_options_add_provider(options, "cpu", NULL, 0, BP_FALLBACK_REQUIRE, &err),
         "cpu");
    bp_session_options_ignore_env_providers(options);
    bp_session_options_set_threads(options, threads);
    if (on_dnnl)
        must(bp_session_options_set_min_share(options, "dnnl", 0.5, &err), "dnnl's share");
    must(bp_session_create(env, model, options, &session, &err), "session");
    bp_session_options_destroy(options);
    return session;
}

static void run(bp_session *session, float *pixels, float *probability)
{
    int64_t in_dims[] = {BATCH, 1, 8, 8}, out_dims[2] = {0};
    bp_binding in = {.tensor = {.base = pixels,
                                .bytes = BATCH * PIXELS * sizeof *pixels,
                                .dims = in_dims,
                                .rank = 4,
                                .dtype = BP_DTYPE_F32}};
    bp_binding out = {.tensor = {.base = probability,
                                 .bytes = BATCH * CLASSES * sizeof *probability,
                                 .dims = out_dims,
                                 .rank = 2}};

    must(bp_session_run(session, &in, 1, &out, 1, NULL, &err), "run");
}

static int is_same(const float *a, const float *b)
{
    for (size_t i = 0; i < BATCH * CLASSES; i++) {
        if (!(fabsf(a[i] - b[i]) <= 1e-5F)) {
            fprintf(stderr, "number %zu: %g on dnnl, %g on cpu\n", i, (double)a[i], (double)b[i]);
            return 0;
        }
    }
    return 1;
}

int main(int argc, char **argv)
{
    static float pixels[BATCH * PIXELS], want[BATCH * CLASSES], got[BATCH * CLASSES];
    bp_env_config config = {.struct_size = sizeof config};
    bp_session *session;
    bp_env *env = NULL;
    int is_right = 1;

    if (argc != 3)
        return 2;
    config.threads = (uint32_t)strtoul(argv[2], NULL, 10);
    for (size_t i = 0; i < BATCH * PIXELS; i++)
        pixels[i] = (float)(i * 37 % 101) / 100;
    must(bp_env_create(&config, &env, &err), "environment");
    session = open_session(env, argv[1], 0, 1);
    run(session, pixels, want);
    bp_session_destroy(session);
    session = open_session(env, argv[1], 1, 0);
    for (int i = 0; i < RUNS && is_right; i++) {
        memset(got, 0, sizeof got);
        run(session, pixels, got);
        is_right = is_same(got, want);
    }
    printf("%u %u ", (unsigned)bp_env_threads(env), count_threads());
    printf("%.2f\n", idle_ms());
    bp_session_destroy(session);
    must(bp_env_destroy(env, &err), "environment");
    return is_right ? 0 : 1;
}
