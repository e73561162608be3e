/* SPDX-License-Identifier: MIT */
/* all.c - all models of a directory, some at once. */

#include "config.h"

#include "optimize/optimize.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/progress.h"

enum { MOST_JOBS = 256 };

/* What the workers and the thread that tells share, but for the constants at its beginning, by `lock`. */
struct work {
    const struct cli *cli;
    const struct optimize_args *args;
    const bp_session_options *options;
    const struct optimize_jobs *jobs;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a model is done */
    size_t next;            /* to be begun */
    size_t n_done;
    struct optimize_result *results; /* one a job */
    bool *is_done;
};

/* Takes one model after the other. Errors of the library need a buffer of each thread's own. */
static void *work_on(void *u)
{
    struct work *work = u;
    struct cli own = *work->cli;

    own.err = bp_err_init(own.words, sizeof own.words);
    pthread_mutex_lock(&work->lock);
    while (work->next < work->jobs->n) {
        size_t i = work->next++;

        pthread_mutex_unlock(&work->lock);
        optimize_one(&own, work->args, work->options, &work->jobs->items[i], &work->results[i]);
        pthread_mutex_lock(&work->lock);
        work->is_done[i] = true;
        work->n_done++;
        pthread_cond_signal(&work->changed);
    }
    pthread_mutex_unlock(&work->lock);
    return NULL;
}

/* Waits for model i, while the line on the terminal says how many are done. */
static void wait_for(struct work *work, size_t i, struct progress *progress)
{
    pthread_mutex_lock(&work->lock);
    while (!work->is_done[i]) {
        progress_show(progress, work->jobs->items[i].in,
                      (double)work->n_done / (double)work->jobs->n);
        pthread_cond_wait(&work->changed, &work->lock);
    }
    pthread_mutex_unlock(&work->lock);
    progress_end(progress);
}

static size_t count_workers(const struct optimize_args *args, size_t n_models)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t n = args->jobs ? (size_t)args->jobs : processors > 0 ? (size_t)processors : 1;

    n = n < MOST_JOBS ? n : MOST_JOBS;
    return n < n_models ? n : n_models;
}

/* Starts as many as it can; a system that gives no thread has this one. */
static size_t start_workers(struct work *work, pthread_t *threads, size_t n)
{
    size_t started = 0;

    while (started < n && pthread_create(&threads[started], NULL, work_on, work) == 0)
        started++;
    if (started == 0)
        work_on(work);
    return started;
}

static int tell_all(struct cli *cli, struct work *work, bool is_one)
{
    struct json json = {.out = stdout};
    struct optimize_tally tally = {0};
    struct progress progress;
    int code = CLI_OK;

    progress_begin(&progress, cli);
    optimize_tell_begin(work->args, &json);
    for (size_t i = 0; i < work->jobs->n; i++) {
        wait_for(work, i, &progress);
        optimize_tell(cli, work->args, &json, &work->jobs->items[i], &work->results[i], &tally,
                      is_one);
        code = code == CLI_OK ? work->results[i].code : code;
        optimize_result_finish(&work->results[i]);
    }
    optimize_tell_end(cli, work->args, &json, &tally, is_one);
    return code;
}

int optimize_all(struct cli *cli, const struct optimize_args *args,
                 const bp_session_options *options, const struct optimize_jobs *jobs, bool is_one)
{
    struct work work = {.cli = cli,
                        .args = args,
                        .options = options,
                        .jobs = jobs,
                        .lock = PTHREAD_MUTEX_INITIALIZER,
                        .changed = PTHREAD_COND_INITIALIZER,
                        .results = xalloc(jobs->n, sizeof *work.results),
                        .is_done = xalloc(jobs->n, sizeof *work.is_done)};
    pthread_t threads[MOST_JOBS];
    size_t n = start_workers(&work, threads, count_workers(args, jobs->n));
    int code = tell_all(cli, &work, is_one);

    for (size_t i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&work.lock);
    pthread_cond_destroy(&work.changed);
    free(work.results);
    free(work.is_done);
    return code;
}
