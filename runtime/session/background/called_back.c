/* SPDX-License-Identifier: MIT */
/* called_back.c - the session whose run's callback a thread is in, which it may want to destroy. */

#include "config.h"

#include "session/background/called_back.h"

static _Thread_local bp_session *called_back; /* NULL: in no callback */

void bp_called_back_begin(bp_session *session)
{
    called_back = session;
}

bool bp_called_back_end(void)
{
    bool is_there = called_back != NULL;

    called_back = NULL;
    return is_there;
}

bool bp_called_back_may_destroy(bp_session *session)
{
    if (called_back != session)
        return true;
    if (atomic_fetch_sub(&session->running, 1) == 1) {
        called_back = NULL;
        return true;
    }
    atomic_fetch_add(&session->running, 1);
    bp_log(session->log.fn ? &session->log : &session->env->log, BP_LOG_ERROR, "session",
           "a session is not destroyed in the callback of its run while other runs are in flight: "
           "destroy it where no run of it waits for the caller");
    return false;
}
