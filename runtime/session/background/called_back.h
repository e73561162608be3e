/* SPDX-License-Identifier: MIT */
/* called_back.h - the session whose run's callback a thread is in, which it may want to destroy. */
#ifndef BP_SESSION_BACKGROUND_CALLED_BACK_H
#define BP_SESSION_BACKGROUND_CALLED_BACK_H

#include "session/session.h"

/* Around the callback of a run of the session. */
void bp_called_back_begin(bp_session *session);
/* False: the session was destroyed in it. */
bool bp_called_back_end(void);
/*
 * May the session be destroyed here? In the callback of a run of its own only if no other run is in
 * flight, as waiting for itself would never end; then that run is counted as over.
 */
bool bp_called_back_may_destroy(bp_session *session);

#endif
