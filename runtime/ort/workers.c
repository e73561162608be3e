/* SPDX-License-Identifier: MIT */
/*
 * workers.c - calls the application's functions that create and join threads, for the host's pool.
 *
 * OrtCustomCreateThreadFn returns a handle that only OrtCustomJoinThreadFn may use. Both may throw
 * C++ exceptions, which must not unwind through the host.
 */

#include "config.h"

#include "ort/workers.h"

#include <stdlib.h>

#include "ort/guarded.h"
#include "ort/status.h"

struct call {
    const struct ort_workers *workers;
    bp_worker_fn worker;
    void *arg;
    union { /* a handle is never written through */
        OrtCustomThreadHandle theirs;
        void *ours;
    } handle;
};

/* Under bp_guard(), like call_join(). */
static void call_create(void *u)
{
    struct call *call = u;

    call->handle.theirs = call->workers->create(call->workers->options, call->worker, call->arg);
}

/* bp_worker_config.create. A NULL handle is an error, as in ONNX Runtime. */
static bp_rc create_thread(void *user, bp_worker_fn worker, void *arg, void **thread, bp_err *err)
{
    struct call call = {.workers = user, .worker = worker, .arg = arg};
    struct bp_thrown thrown;

    if (!bp_guard(call_create, &call, &thrown))
        return ort_to_err(ort_thrown(&thrown, "the function that creates threads"), err);
    if (!call.handle.theirs)
        return ort_to_err(ort_fail(ORT_FAIL, "custom_create_thread_fn returned invalid handle."),
                          err);
    *thread = call.handle.ours;
    return BP_OK;
}

static void call_join(void *u)
{
    struct call *call = u;

    call->workers->join(call->handle.theirs);
}

/* bp_worker_config.join. It can't fail, so an exception is logged. */
static void join_thread(void *user, void *thread)
{
    struct call call = {.workers = user, .handle.ours = thread};
    struct bp_thrown thrown;

    if (!bp_guard(call_join, &call, &thrown))
        ort_thrown_log(call.workers->env, &thrown, "the function that joins threads");
}

void ort_workers_finish(struct ort_workers *workers)
{
    free(workers->processors);
    workers->processors = NULL;
    workers->n_processors = 0;
}

/* ORT_FAIL, with ONNX Runtime's sentence: a function that creates threads needs one that joins them. */
OrtStatus *ort_workers_check(const struct ort_workers *workers)
{
    if (!workers->create || workers->join)
        return NULL;
    return ort_fail(ORT_FAIL, "custom join thread function not set: threads that the application "
                              "creates need a function that joins them");
}

bool ort_workers_config(struct ort_workers *workers, bp_worker_config *out)
{
    *out = (bp_worker_config){.struct_size = sizeof *out,
                              .n_affinities = workers->n_processors,
                              .affinities = workers->processors};
    if (workers->create) {
        out->create = create_thread;
        out->join = join_thread;
        out->user = workers;
    }
    return workers->create || workers->n_processors > 0;
}
