/* SPDX-License-Identifier: MIT */
/* run_async.c - runs on a thread of the environment, which calls back. */

#include "config.h"

#include "session/background/run_async.h"

#include <stdlib.h>

#include "base/guard.h"
#include "exec/run_shared.h"
#include "session/background/called_back.h"

/* What the callback gets. */
struct result {
    bp_run_done_fn done;
    void *user;
    bp_rc rc;
    const bp_err *err;
};

static void call_done(void *u)
{
    const struct result *result = u;

    result->done(result->user, result->rc, result->err);
}

/* In the callback the session may be destroyed, and the environment with it. */
static void call_back(bp_session *session, struct result *result)
{
    struct bp_thrown thrown;
    bool has_thrown;

    bp_called_back_begin(session);
    has_thrown = !bp_guard(call_done, result, &thrown);
    if (!bp_called_back_end())
        return; /* it is destroyed */
    if (has_thrown)
        bp_log(session->log.fn ? &session->log : &session->env->log, BP_LOG_WARN, "session",
               "the callback of a run threw an exception: %s", thrown.text);
    atomic_fetch_sub(&session->running, 1);
}

/* The time in the queue counts, so the run may be over before it begins. */
static void run_task(struct bp_task *task)
{
    struct bp_async_run *run = (struct bp_async_run *)(void *)task;
    const struct bp_run_shared limits = {.cancel = run->options.cancel,
                                         .deadline_ns = run->options.deadline_ns};
    bp_session *session = run->session;
    char text[1024] = "";
    bp_err err = bp_err_init(text, sizeof text);
    struct result result = {.done = run->done, .user = run->user, .err = &err};

    result.rc = bp_run_check(&limits, &err);
    result.rc = run->run(run, result.rc, &err);
    (void)bp_done(&err, result.rc);
    free(run);
    call_back(session, &result);
}

bp_rc bp_async_submit(const struct bp_async_run *run, const bp_run_options *options, bp_err *err)
{
    struct bp_async_run *own = malloc(sizeof *own);
    bp_rc rc;

    if (!own)
        return bp_fail_nomem(err, "a run");
    *own = *run;
    own->task.run = run_task;
    own->options = *options;
    own->options.deadline_ns = bp_call_deadline(options);
    own->options.timeout_ns = 0;
    atomic_fetch_add(&run->session->running, 1); /* until the callback has returned */
    rc = bp_task_queue_push(run->session->env->tasks, &own->task, err);
    if (rc < 0) {
        atomic_fetch_sub(&run->session->running, 1);
        free(own);
    }
    return rc;
}

static bp_rc run_call(struct bp_async_run *run, bp_rc rc, bp_err *err)
{
    return rc < 0 ? rc : bp_call_run(&run->call, &run->options, err);
}

bp_rc bp_session_run_async(bp_session *session, const bp_binding *inputs, uint32_t n_inputs,
                           bp_binding *outputs, uint32_t n_outputs, const bp_run_options *options,
                           bp_run_done_fn done, void *user, bp_err *err)
{
    const struct bp_async_run run = {.run = run_call,
                                     .session = session,
                                     .done = done,
                                     .user = user,
                                     .call = {.session = session,
                                              .inputs = inputs,
                                              .outputs = outputs,
                                              .n_inputs = n_inputs,
                                              .n_outputs = n_outputs}};
    bp_run_options own;
    bp_rc rc = bp_call_read_options(options, &own, err);

    if (rc < 0)
        return rc;
    if (!session || (n_inputs > 0 && !inputs) || (n_outputs > 0 && !outputs))
        return bp_fail(err, BP_E_INVALID, "a run needs a session, its inputs and its outputs");
    if (!done)
        return bp_fail_null(err, "the callback");
    return bp_done(err, bp_async_submit(&run, &own, err));
}
