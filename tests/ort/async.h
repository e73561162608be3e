/* SPDX-License-Identifier: MIT */
/* async.h - waits for the callback of one RunAsync(). */
#ifndef BP_TESTS_ORT_ASYNC_H
#define BP_TESTS_ORT_ASYNC_H

#include <pthread.h>

#include "ort/kit.h"

struct async_run {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_done;
    size_t n_outputs;  /* as the callback was told */
    OrtStatus *status; /* of the run, async_wait()'s caller's */
};

#define ASYNC_RUN_INIT                                                                             \
    {                                                                                              \
        .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER                     \
    }

/* A RunAsyncCallbackFn whose user data is a struct async_run. */
static inline void async_done(void *user, OrtValue **outputs, size_t n, OrtStatus *status)
{
    struct async_run *run = user;

    (void)outputs;
    pthread_mutex_lock(&run->lock);
    run->is_done = true;
    run->n_outputs = n;
    run->status = status;
    pthread_cond_signal(&run->changed);
    pthread_mutex_unlock(&run->lock);
}

/* Returns the status of the run, to release, once the callback was called. */
static inline OrtStatus *async_wait(struct async_run *run)
{
    pthread_mutex_lock(&run->lock);
    while (!run->is_done)
        pthread_cond_wait(&run->changed, &run->lock);
    pthread_mutex_unlock(&run->lock);
    return run->status;
}

#endif
