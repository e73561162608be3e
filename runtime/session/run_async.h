/* SPDX-License-Identifier: MIT */
/* run_async.h - runs on a thread of the environment. */
#ifndef BP_SESSION_RUN_ASYNC_H
#define BP_SESSION_RUN_ASYNC_H

#include "session/call.h"

/* A run that waits for a thread. Fill the second part; it is freed before `done` is called. */
struct bp_async_run {
    struct bp_task task;
    /* Runs; then what it was for may be used again. On the thread. */
    bp_rc (*run)(struct bp_async_run *run, bp_err *err);
    bp_session *session;
    bp_run_options options; /* with a moment at which it ends, not a time */
    bp_run_done_fn done;
    void *user;
    struct bp_call call;  /* of bp_session_run_async() */
    bp_io_binding *bound; /* of bp_io_binding_run_async() */
};

/* Submits a copy of it, with options as the caller gives them. *run is done with. */
bp_rc bp_async_submit(const struct bp_async_run *run, const bp_run_options *options,
                      bp_err *err) BP_CHECKED;
/*
 * May the session be destroyed here? In the callback of a run of its own only if no other run is in
 * flight, as waiting for itself would never end; then that run is counted as over.
 */
bool bp_async_may_destroy(bp_session *session);

#endif
