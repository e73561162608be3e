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

/* An image that is being decoded. Who comes last, the run or the thread, frees it. */
struct job {
    struct bp_cpu_image image; /* its bytes are a copy: the run's are gone when it has given up */
    struct bp_cpu_image_jobs *jobs;
    const void *calls;
    enum bp_cpu_image_rc (*decode)(const void *calls, struct bp_cpu_image *image);
    void *(*alloc)(void *u, size_t bytes);
    enum bp_cpu_image_rc rc;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool is_done;            /* by the thread; under `mutex` */
    atomic_bool is_given_up; /* by the run */
};

/* ---- counting -------------------------------------------------------------------------------- */

/* Jobs that were given up need the libraries and this plug-in's code until they end. */
static pthread_mutex_t count_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t count_changed = PTHREAD_COND_INITIALIZER;

static void count(struct bp_cpu_image_jobs *jobs, int change)
{
    pthread_mutex_lock(&count_mutex);
    jobs->n += (unsigned)change;
    jobs->process = getpid();
    pthread_cond_broadcast(&count_changed);
    pthread_mutex_unlock(&count_mutex);
}

/* In the child of a fork() there are no threads to wait for, and their lock may be held for ever. */
void bp_cpu_image_jobs_finish(struct bp_cpu_image_jobs *jobs)
{
    if (jobs->process != getpid())
        return;
    pthread_mutex_lock(&count_mutex);
    while (jobs->n > 0)
        pthread_cond_wait(&count_changed, &count_mutex);
    pthread_mutex_unlock(&count_mutex);
}

/* ---- the thread ------------------------------------------------------------------------------ */

static bool should_stop(void *u)
{
    struct job *job = u;

    return atomic_load_explicit(&job->is_given_up, memory_order_relaxed);
}

/* Rows of the image come from where the run takes them, which needs nothing of the run itself. */
static void *take(void *u, size_t bytes)
{
    const struct job *job = u;

    return job->alloc(NULL, bytes);
}

static void free_job(struct job *job)
{
    pthread_cond_destroy(&job->changed);
    pthread_mutex_destroy(&job->mutex);
    free((void *)(uintptr_t)job->image.bytes);
    free(job->image.rgb);
    free(job);
}

static void *run(void *u)
{
    struct job *job = u;
    struct bp_cpu_image_jobs *jobs = job->jobs;
    enum bp_cpu_image_rc rc = job->decode(job->calls, &job->image);
    bool is_given_up;

    pthread_mutex_lock(&job->mutex);
    job->rc = rc;
    job->is_done = true;
    is_given_up = should_stop(job);
    pthread_cond_signal(&job->changed);
    pthread_mutex_unlock(&job->mutex);
    if (is_given_up)
        free_job(job);
    count(jobs, -1); /* the last that it does: its code may be closed now */
    return NULL;
}

/* ---- the run --------------------------------------------------------------------------------- */

static struct job *make_job(struct bp_cpu_image_jobs *jobs, const struct bp_cpu_image *image,
                            const struct bp_cpu_image_decoder *decoder, const void *calls)
{
    struct job *job = calloc(1, sizeof *job);
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
    job->jobs = jobs;
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
static bool start(struct job *job)
{
    pthread_attr_t attr;
    pthread_t thread;
    sigset_t all, before;
    bool ok;

    if (pthread_attr_init(&attr) != 0)
        return false;
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    ok = pthread_create(&thread, &attr, run, job) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
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

/* True: the image is decoded, or cannot be. False: the run is to stop, and the thread frees the job. */
static bool wait(struct job *job, const struct bp_cpu_image *image)
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
    struct job *job = make_job(jobs, image, decoder, calls);
    enum bp_cpu_image_rc rc;

    if (!job)
        return BP_CPU_IMAGE_NO_MEMORY;
    count(jobs, 1);
    if (!start(job)) {
        free_job(job);
        count(jobs, -1);
        return decoder->decode(calls, image); /* without a thread it may be late */
    }
    if (!wait(job, image))
        return BP_CPU_IMAGE_BROKEN;
    rc = job->rc;
    image->rgb = job->image.rgb;
    image->height = job->image.height;
    image->width = job->image.width;
    job->image.rgb = NULL;
    free_job(job);
    return rc;
}
