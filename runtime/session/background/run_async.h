/* SPDX-License-Identifier: MIT */
/* run_async.h - runs on a thread of the environment. */
#ifndef BP_SESSION_BACKGROUND_RUN_ASYNC_H
#define BP_SESSION_BACKGROUND_RUN_ASYNC_H

#include "session/call.h"

/* A run that waits for a thread. Fill the second part; it is freed before `done` is called. */
struct bp_async_run {
    struct bp_task task;
    /* Runs, unless rc says that it is over before it begins; what it was for is free then. */
    bp_rc (*run)(struct bp_async_run *run, bp_rc rc, bp_err *err);
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
#endif
