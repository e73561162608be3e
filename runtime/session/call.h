/* SPDX-License-Identifier: MIT */
/* call.h - what functions share that take the feeds of a run. */
#ifndef BP_SESSION_CALL_H
#define BP_SESSION_CALL_H

#include "session/session.h"

/* The state of one call of bp_session_run() or its like; it ends with the call. */
struct bp_call {
    bp_session *session;
    struct bp_ported *ported;
    struct bp_frame_state *frame;
    const bp_binding *inputs;
    bp_binding *outputs;
    struct bp_kept_output *const *kept; /* one an output, or NULL; the list may be NULL */
    uint32_t n_inputs, n_outputs;
    uint32_t n_marked;   /* of frame->allocated, that are of this run */
    bp_state *state;     /* what the run keeps; NULL: nothing */
    bool is_shapes_only; /* nothing runs */
    int64_t (
        *moved)[BP_MAX_RANK]; /* with is_shapes_only: one an input, for sizes in another order */
};

/* The caller's options in a struct of this version; NULL: the defaults. */
bp_rc bp_call_read_options(const bp_run_options *options, bp_run_options *own,
                           bp_err *err) BP_CHECKED;
/* The moment at which the run has to end, in nanoseconds of CLOCK_MONOTONIC; 0: none. */
int64_t bp_call_deadline(const bp_run_options *options);
/* As bp_session_run(), which checks its arguments. */
bp_rc bp_call_run(struct bp_call *c, const bp_run_options *options, bp_err *err) BP_CHECKED;

/*
 * Sets c->ported for the indices and ranks of the feeds. BP_E_INVALID: there is no such input or
 * output, or an input is missing.
 */
bp_rc bp_call_choose_engine(struct bp_call *c, bp_err *err) BP_CHECKED;
/*
 * Is the tensor what the session's input wants? *bytes: of its elements. BP_E_INVALID, BP_E_SHAPE.
 */
bp_rc bp_feed_check(const bp_session *session, const bp_io_info *want, const bp_tensor *got,
                    size_t *bytes, bp_err *err) BP_CHECKED;
/*
 * Binds all feeds to cells of c->frame, which is of that engine. BP_E_INVALID, BP_E_SHAPE: a feed is
 * not what the model declares.
 */
bp_rc bp_call_bind_inputs(struct bp_call *c, bp_err *err) BP_CHECKED;
/*
 * The same for feeds of which only shapes are known. is_known: [value], set for these. BP_E_UNSUPPORTED: an
 * input is not a tensor.
 */
bp_rc bp_call_bind_shapes(struct bp_call *c, bool *is_known, bp_err *err) BP_CHECKED;

#endif
