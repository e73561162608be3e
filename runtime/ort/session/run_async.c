/* SPDX-License-Identifier: MIT */
/*
 * run_async.c - RunAsync (OrtApi since version 16): a run on a detached thread, which calls back.
 */

#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "ort/guarded.h"
#include "ort/session/session.h"
#include "ort/status.h"
#include "ort/values/value.h"

/* One RunAsync call; the thread frees it before it calls back. */
struct errand {
    OrtSession *session;
    const OrtRunOptions *options;
    size_t n_in, n_out;
    const char **in_names;
    const char **out_names;
    const OrtValue **inputs;
    OrtValue **outputs; /* the caller's array */
    RunAsyncCallbackFn done;
    void *user;
};

static void drop(struct errand *errand)
{
    if (!errand)
        return;
    free(errand->in_names);
    free(errand->out_names);
    free(errand->inputs);
    free(errand);
}

struct end {
    const struct errand *errand;
    OrtStatus *status;
};

/* The callback may release the session, but not the environment's last reference: go() has one. */
static void call_done(void *u)
{
    const struct end *end = u;
    const struct errand *errand = end->errand;

    errand->done(errand->user, errand->outputs, errand->n_out, end->status);
}

/* The session is left before the callback, which may release it. */
static void *go(void *arg)
{
    struct errand *errand = arg;
    struct errand kept = *errand;
    OrtEnv *env = ort_env_retain(kept.session->env);
    struct end end = {&kept, NULL};
    struct bp_thrown thrown;
    OrtStatus *status;

    status = ort_Run(kept.session, kept.options, kept.in_names, kept.inputs, kept.n_in,
                     kept.out_names, kept.n_out, kept.outputs);
    drop(errand);
    ort_session_leave(kept.session); /* before the callback, which may release the session */
    end.status = status;
    if (!bp_guard(call_done, &end, &thrown))
        ort_thrown_log(env, &thrown, "the callback of RunAsync");
    ort_env_release(env);
    return NULL;
}

/* n pointers, to free(). NULL: no memory. */
static void *copy(const void *array, size_t n)
{
    void *to = malloc((n + 1) * sizeof(void *));

    if (to && n > 0)
        memcpy(to, array, n * sizeof(void *));
    return to;
}

/* Starts the thread; the session counts as in use until the run has ended. ORT_FAIL: no thread. */
static OrtStatus *send(struct errand *errand)
{
    OrtSession *session = errand->session;
    pthread_attr_t attr;
    pthread_t thread;
    int failed;

    ort_session_enter(session);
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    failed = pthread_create(&thread, &attr, go, errand);
    pthread_attr_destroy(&attr);
    if (!failed)
        return NULL;
    ort_session_leave(session);
    return ort_fail(ORT_FAIL, "RunAsync: no thread: %s", strerror(failed));
}

/*
 * OrtApi since version 16: Names and values are copied; options and the outputs array are borrowed
 * until the callback. ORT_INVALID_ARGUMENT with one intra-op thread, as in ONNX Runtime.
 */
OrtStatus *ort_RunAsync(OrtSession *session, const OrtRunOptions *run_options,
                        const char *const *input_names, const OrtValue *const *input,
                        size_t input_len, const char *const *output_names, size_t output_names_len,
                        OrtValue **output, RunAsyncCallbackFn run_async_callback, void *user_data)
{
    struct errand *errand;
    OrtStatus *status;

    ORT_NEED(session);
    ORT_NEED(output_names);
    ORT_NEED(output);
    ORT_NEED(run_async_callback);
    if (input_len > 0) {
        ORT_NEED(input_names);
        ORT_NEED(input);
    }
    if (session->intra_op == 1)
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "intra op thread pool must have at least one thread for RunAsync");
    errand = calloc(1, sizeof *errand);
    if (!errand)
        return ort_no_memory();
    *errand = (struct errand){.session = session,
                              .options = run_options,
                              .n_in = input_len,
                              .n_out = output_names_len,
                              .in_names = copy(input_names, input_len),
                              .out_names = copy(output_names, output_names_len),
                              .inputs = copy(input, input_len),
                              .outputs = output,
                              .done = run_async_callback,
                              .user = user_data};
    status =
        errand->in_names && errand->out_names && errand->inputs ? send(errand) : ort_no_memory();
    if (status)
        drop(errand);
    return status;
}
