/* SPDX-License-Identifier: MIT */
/*
 * image_job.c - Decodes an image on a thread of its own while the run waits for it no longer than its
 * deadline: libraries do much in one call, and a few bytes may stand for seconds of it.
 */

#define _POSIX_C_SOURCE 200809L

#include "image/decoders/image_job.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_NS = 5 * 1000000 /* between two looks at the deadline and the flag to cancel */ };

/* An image that is being decoded. The run frees it, at once or when a thread that it gave up is over. */
struct bp_cpu_image_job {
    struct bp_cpu_image_job *next; /* in a list of those that were given up */
    struct bp_cpu_image image; /* its bytes are a copy: the run's are gone when it has given up */
    const void *calls;
    enum bp_cpu_image_rc (*decode)(const void *calls, struct bp_cpu_image *image);
    void *(*alloc)(void *u, size_t bytes);
    enum bp_cpu_image_rc rc;
    pthread_t thread;
    pid_t process;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool is_done;            /* by the thread; under `mutex` */
    atomic_bool is_given_up; /* by the run */
    atomic_bool is_over;     /* by the thread that was given up: joining it takes no time */
};

/* ---- the thread ------------------------------------------------------------------------------ */

static bool should_stop(void *u)
{
    struct bp_cpu_image_job *job = u;

    return atomic_load_explicit(&job->is_given_up, memory_order_relaxed);
}

/* Rows of the image come from where the run takes them, which needs nothing of the run itself. */
static void *take(void *u, size_t bytes)
{
    const struct bp_cpu_image_job *job = u;

    return job->alloc(NULL, bytes);
}

static void free_image(struct bp_cpu_image_job *job)
{
    free((void *)(uintptr_t)job->image.bytes);
    free(job->image.rgb);
    job->image.bytes = NULL;
    job->image.rgb = NULL;
}

static void free_job(struct bp_cpu_image_job *job)
{
    pthread_cond_destroy(&job->changed);
    pthread_mutex_destroy(&job->mutex);
    free_image(job);
    free(job);
}

static void *run(void *u)
{
    struct bp_cpu_image_job *job = u;
    enum bp_cpu_image_rc rc = job->decode(job->calls, &job->image);
    bool is_given_up;

    pthread_mutex_lock(&job->mutex);
    job->rc = rc;
    job->is_done = true;
    is_given_up = should_stop(job);
    pthread_cond_signal(&job->changed);
    pthread_mutex_unlock(&job->mutex);
    if (!is_given_up)
        return NULL;
    free_image(job); /* large, where the job itself may wait for long to be joined */
    atomic_store_explicit(&job->is_over, true, memory_order_release);
    return NULL;
}

/* ---- threads that were given up -------------------------------------------------------------- */

/* A list without a lock, which a fork() could leave held. */
static void give_up(struct bp_cpu_image_jobs *jobs, struct bp_cpu_image_job *job)
{
    job->next = atomic_load(&jobs->given_up);
    while (!atomic_compare_exchange_weak(&jobs->given_up, &job->next, job))
        continue;
}

/* Joins those that are over, or waits for all. In the child of a fork() there are no such threads. */
static void join(struct bp_cpu_image_jobs *jobs, bool waits)
{
    struct bp_cpu_image_job *job = atomic_exchange(&jobs->given_up, NULL), *next;

    for (; job; job = next) {
        next = job->next;
        if (job->process != getpid())
            continue;
        if (!waits && !atomic_load_explicit(&job->is_over, memory_order_acquire)) {
            give_up(jobs, job);
            continue;
        }
        pthread_join(job->thread, NULL);
        free_job(job);
    }
}

void bp_cpu_image_jobs_finish(struct bp_cpu_image_jobs *jobs)
{
    join(jobs, true);
}

/* ---- the run --------------------------------------------------------------------------------- */

static struct bp_cpu_image_job *make_job(const struct bp_cpu_image *image,
                                         const struct bp_cpu_image_decoder *decoder,
                                         const void *calls)
{
    struct bp_cpu_image_job *job = calloc(1, sizeof *job);
    uint8_t *bytes = malloc(image->size ? image->size : 1);
    pthread_condattr_t attr;

    if (!job || !bytes) {
        free(job);
        free(bytes);
        return NULL;
    }
    memcpy(bytes, image->bytes, image->size);
    job->image = (struct bp_cpu_image){.bytes = bytes,
                                       .size = image->size,
                                       .alloc = take,
                                       .should_stop = should_stop,
                                       .may_stop = true,
                                       .u = job};
    job->process = getpid();
    job->calls = calls;
    job->decode = decoder->decode;
    job->alloc = image->alloc;
    pthread_mutex_init(&job->mutex, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&job->changed, &attr);
    pthread_condattr_destroy(&attr);
    return job;
}

/* Starts the thread; signals are for the application's threads. */
static bool start(struct bp_cpu_image_job *job)
{
    sigset_t all, before;
    bool ok;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    ok = pthread_create(&job->thread, NULL, run, job) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return ok;
}

static struct timespec in_a_while(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_nsec += LOOK_NS;
    if (t.tv_nsec >= 1000000000) {
        t.tv_nsec -= 1000000000;
        t.tv_sec++;
    }
    return t;
}

/* True: the image is decoded, or cannot be. False: the run is to stop. */
static bool wait(struct bp_cpu_image_job *job, const struct bp_cpu_image *image)
{
    bool is_done;

    pthread_mutex_lock(&job->mutex);
    while (!job->is_done && !image->should_stop(image->u)) {
        struct timespec t = in_a_while();

        pthread_cond_timedwait(&job->changed, &job->mutex, &t);
    }
    is_done = job->is_done;
    if (!is_done)
        atomic_store_explicit(&job->is_given_up, true, memory_order_relaxed);
    pthread_mutex_unlock(&job->mutex);
    return is_done;
}

enum bp_cpu_image_rc bp_cpu_image_decode_in_time(struct bp_cpu_image_jobs *jobs,
                                                 struct bp_cpu_image *image,
                                                 const struct bp_cpu_image_decoder *decoder,
                                                 const void *calls)
{
    struct bp_cpu_image_job *job = make_job(image, decoder, calls);
    enum bp_cpu_image_rc rc;

    join(jobs, false);
    if (!job)
        return BP_CPU_IMAGE_NO_MEMORY;
    if (!start(job)) {
        free_job(job);
        return decoder->decode(calls, image); /* without a thread it may be late */
    }
    if (!wait(job, image)) {
        give_up(jobs, job);
        return BP_CPU_IMAGE_BROKEN;
    }
    pthread_join(job->thread, NULL);
    rc = job->rc;
    image->rgb = job->image.rgb;
    image->height = job->image.height;
    image->width = job->image.width;
    job->image.rgb = NULL;
    free_job(job);
    return rc;
}
