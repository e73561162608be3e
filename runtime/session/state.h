/* SPDX-License-Identifier: MIT */
/* state.h - what the runs of a session leave for the next ones, between and during runs. */
#ifndef BP_SESSION_STATE_H
#define BP_SESSION_STATE_H

#include "session/call.h"

/* One value of a state. */
struct bp_state_value {
    uint32_t input, output; /* ports of the session */
    uint32_t dtype, rank;
    uint32_t axis;             /* along which it grows, of the model's axes; BP_NONE: it does not */
    bool is_moved;             /* that axis is the first of `dims` */
    int64_t dims[BP_MAX_RANK]; /* as they lie in memory */
    void *data, *spare;        /* blocks; a run writes to the spare one where it can't to `data` */
    size_t bytes, cap, spare_cap;   /* of the value; of the blocks */
    bp_binding wanted;              /* of the output, during a run */
    int64_t made_dims[BP_MAX_RANK]; /* of the output */
};

struct bp_state {
    bp_session *session; /* retained */
    struct bp_state_value *values;
    uint32_t n_values;
    int64_t unknown; /* what dimensions of unknown size have at first, but for those that grow */
    atomic_bool is_busy;
};

/* Does the session keep that input (output) in states? */
bool bp_session_keeps_input(const bp_session *session, uint32_t port);
bool bp_session_keeps_output(const bp_session *session, uint32_t port);
/* Is the input (output) at that port stored with another axis first? BP_NONE: no; else which. */
uint32_t bp_call_moved_input(const struct bp_call *c, uint32_t port);
uint32_t bp_call_moved_output(const struct bp_call *c, uint32_t port);
/* Sizes in the graph's order from those in the model's, and the reverse, with axis `axis` first. */
void bp_state_move_dims(const int64_t *dims, uint32_t rank, uint32_t axis, int64_t *out);
void bp_state_move_dims_back(const int64_t *dims, uint32_t rank, uint32_t axis, int64_t *out);
/*
 * BP_E_INVALID: the run needs a state, has one of another session, or feeds or asks for what the state
 * keeps.
 */
bp_rc bp_call_check_state(const struct bp_call *c, bp_err *err) BP_CHECKED;

/* ---- memory ---------------------------------------------------------------------------------- */

/* Axis of the value in memory along which it grows. */
uint32_t bp_state_axis(const struct bp_state_value *v);
int64_t bp_state_count(const int64_t *dims, uint32_t n); /* their product */
/* Where blocks come from; NULL: the C library. */
const bp_allocator *bp_state_allocator(const struct bp_state *state);
/* A block of at least `bytes`, twice the old one where it grows, which keeps the first `keep`. */
bp_rc bp_state_grow(const struct bp_state *state, void **block, size_t *cap, size_t bytes,
                    size_t keep, bp_err *err) BP_CHECKED;
/* Memory for `bytes` of the value after the next run. */
bp_rc bp_state_reserve_value(const struct bp_state *state, struct bp_state_value *v, size_t bytes,
                             bp_err *err) BP_CHECKED;
/* Bytes of the value if it had that size along its axis; false: they cannot be counted. */
bool bp_state_bytes_at(const struct bp_state_value *v, int64_t length, size_t *out);
/* From one layout to the other: `dims` are those of `from`, which has the axis first or not. */
void bp_state_copy_moved(const void *from, void *to, const struct bp_state_value *v,
                         const int64_t *dims, size_t bytes, bool is_moved);

/* ---- runs ------------------------------------------------------------------------------------ */

/* Begins a run: BP_E_BUSY where another one has the state. */
bp_rc bp_state_begin(struct bp_state *state, bp_err *err) BP_CHECKED;
void bp_state_end(struct bp_state *state);
/* Lets the inputs show the state, and the outputs go to its memory; c->frame is chosen. */
bp_rc bp_state_bind(struct bp_call *c, bp_err *err) BP_CHECKED;
void bp_state_unbind(struct bp_call *c);
/*
 * The run succeeded: what it made is the state now. BP_E_INVALID, BP_E_SHAPE: an output is not what its
 * input takes, and the state is as before. Nothing without a state.
 */
bp_rc bp_state_commit(struct bp_call *c, bp_err *err) BP_CHECKED;
/* After BP_E_SPACE: was the state's memory too small, and is it large enough now? */
bool bp_state_make_room(struct bp_state *state);

#endif
