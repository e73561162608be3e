/* SPDX-License-Identifier: MIT */
/* state_api.c - what an application does with states between runs. */

#include "config.h"

#include "session/state.h"

#include <stdlib.h>
#include <string.h>

#include "base/block.h"

/* The sizes that a value has before the first run. */
static void set_first_dims(struct bp_state_value *v, const bp_io_info *port, int64_t unknown)
{
    int64_t dims[BP_MAX_RANK] = {0};

    for (uint32_t d = 0; d < v->rank; d++) {
        if (d == v->axis)
            dims[d] = port->dims[d].value >= 0 ? port->dims[d].value : 0;
        else
            dims[d] = port->dims[d].value >= 0 ? port->dims[d].value : unknown;
    }
    v->rank = port->rank;
    if (v->is_moved)
        bp_state_move_dims(dims, v->rank, v->axis, v->dims);
    else
        memcpy(v->dims, dims, sizeof dims);
}

static bp_rc reset_value(const struct bp_state *state, struct bp_state_value *v, bp_err *err)
{
    const bp_io_info *port = &state->session->ports.inputs[v->input];
    bp_rc rc;

    v->rank = port->rank;
    v->bytes = 0;
    set_first_dims(v, port, state->unknown);
    if (!bp_dense_bytes(v->dtype, v->dims, v->rank, &v->bytes))
        return bp_fail(err, BP_E_INVALID, "input '%s': its sizes are too large", port->name);
    rc = bp_state_grow(state, &v->data, &v->cap, v->bytes, 0, err);
    if (rc < 0) {
        v->bytes = 0;
        return rc;
    }
    if (v->bytes > 0)
        memset(v->data, 0, v->bytes);
    return BP_OK;
}

static bp_rc init_value(const struct bp_state *state, const struct bp_ir_state *row,
                        struct bp_state_value *v, bp_err *err)
{
    const struct bp_ports *ports = &state->session->ports;
    bp_rc rc = bp_ports_find(ports->inputs, ports->n_inputs, "input", row->input, &v->input, err);

    if (rc >= 0)
        rc =
            bp_ports_find(ports->outputs, ports->n_outputs, "output", row->output, &v->output, err);
    if (rc < 0)
        return rc;
    v->dtype = ports->inputs[v->input].dtype;
    v->axis = row->axis;
    v->is_moved = row->is_moved;
    if (ports->inputs[v->input].rank > BP_MAX_RANK || v->dtype == BP_DTYPE_NONE)
        return bp_fail(err, BP_E_UNSUPPORTED,
                       "input '%s' cannot be a state: the model declares no rank or type of it",
                       row->input);
    if (ports->outputs[v->output].dtype != v->dtype &&
        ports->outputs[v->output].dtype != BP_DTYPE_NONE)
        return bp_fail(err, BP_E_INVALID, "output '%s' has type %s, its state's input '%s' %s",
                       row->output, bp_dtype_name(ports->outputs[v->output].dtype), row->input,
                       bp_dtype_name(v->dtype));
    return reset_value(state, v, err);
}

bp_rc bp_state_create(bp_session *session, int64_t unknown, bp_state **out, bp_err *err)
{
    const struct bp_ir_states *states;
    struct bp_state *state;
    bp_rc rc = BP_OK;

    if (!session)
        return bp_fail_null(err, "the session");
    if (!out)
        return bp_fail_null(err, "out");
    *out = NULL;
    states = &session->main.engine->states;
    if (states->count == 0)
        return bp_fail(err, BP_E_INVALID,
                       "the session keeps no inputs: name them with "
                       "bp_session_options_add_state() before it is created");
    if (unknown < 0)
        return bp_fail(err, BP_E_INVALID, "a state of batch %lld: it is at least 0",
                       (long long)unknown);
    state = calloc(1, sizeof *state);
    if (state)
        state->values = calloc(states->count, sizeof *state->values);
    if (!state || !state->values) {
        free(state);
        return bp_fail_nomem(err, "a state");
    }
    state->session = bp_session_retain(session);
    state->unknown = unknown;
    state->n_values = states->count;
    for (uint32_t i = 0; rc >= 0 && i < states->count; i++)
        rc = init_value(state, &states->rows[i], &state->values[i], err);
    if (rc < 0) {
        bp_state_destroy(state);
        return rc;
    }
    *out = state;
    return bp_done(err, BP_OK);
}

void bp_state_destroy(bp_state *state)
{
    if (!state)
        return;
    for (uint32_t i = 0; i < state->n_values; i++) {
        bp_block_free(bp_state_allocator(state), state->values[i].data);
        bp_block_free(bp_state_allocator(state), state->values[i].spare);
    }
    bp_session_destroy(state->session);
    free(state->values);
    free(state);
}

bp_rc bp_state_reset(bp_state *state, bp_err *err)
{
    bp_rc rc;

    if (!state)
        return bp_fail_null(err, "the state");
    rc = bp_state_begin(state, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; rc >= 0 && i < state->n_values; i++)
        rc = reset_value(state, &state->values[i], err);
    bp_state_end(state);
    return bp_done(err, rc);
}

/* The value of an input's name. */
static bp_rc find_value(const struct bp_state *state, const char *input,
                        struct bp_state_value **out, bp_err *err)
{
    uint32_t port;
    bp_rc rc;

    if (!input)
        return bp_fail_null(err, "the name of an input");
    rc = bp_session_find_input(state->session, input, &port, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < state->n_values; i++) {
        if (state->values[i].input == port) {
            *out = &state->values[i];
            return BP_OK;
        }
    }
    return bp_fail(err, BP_E_INVALID,
                   "input '%s' is not kept in states: bp_session_options_add_state() names those "
                   "that are",
                   input);
}

/* Sizes that the model declares hold for a value that is set, too. */
static bp_rc check_value(const struct bp_state *state, const struct bp_state_value *v,
                         const bp_tensor *value, size_t *bytes, bp_err *err)
{
    const bp_io_info *port = &state->session->ports.inputs[v->input];

    if (value->dtype != v->dtype)
        return bp_fail(err, BP_E_INVALID, "input '%s' has type %s, %s came", port->name,
                       bp_dtype_name(v->dtype), bp_dtype_name(value->dtype));
    if (value->rank != port->rank || (value->rank > 0 && !value->dims))
        return bp_fail(err, BP_E_SHAPE, "input '%s' has rank %u, a tensor of rank %u came",
                       port->name, port->rank, value->rank);
    for (uint32_t d = 0; d < value->rank; d++) {
        if (port->dims[d].value >= 0 && port->dims[d].value != value->dims[d])
            return bp_fail(err, BP_E_SHAPE, "input '%s': dimension %u is %lld, %lld came",
                           port->name, d, (long long)port->dims[d].value,
                           (long long)value->dims[d]);
    }
    if (!bp_dense_bytes(value->dtype, value->dims, value->rank, bytes))
        return bp_fail(err, BP_E_INVALID, "input '%s': its sizes are negative or too large",
                       port->name);
    if (value->space != BP_SPACE_HOST || (!value->base && *bytes > 0) || value->bytes < *bytes)
        return bp_fail(err, BP_E_INVALID,
                       "input '%s' needs %zu bytes in ordinary memory, its tensor has %zu",
                       port->name, *bytes, value->base ? value->bytes : 0);
    return BP_OK;
}

static bp_rc set_value(struct bp_state *state, const char *input, const bp_tensor *value,
                       bp_err *err)
{
    struct bp_state_value *v;
    size_t bytes = 0;
    bp_rc rc = find_value(state, input, &v, err);

    if (rc >= 0)
        rc = check_value(state, v, value, &bytes, err);
    if (rc >= 0)
        rc = bp_state_grow(state, &v->data, &v->cap, bytes, 0, err);
    if (rc < 0)
        return rc;
    v->rank = value->rank;
    v->bytes = bytes;
    if (v->is_moved) {
        bp_state_move_dims(value->dims, v->rank, v->axis, v->dims);
        bp_state_copy_moved(bp_tensor_data(value), v->data, v, value->dims, bytes, false);
        return BP_OK;
    }
    if (v->rank > 0)
        memcpy(v->dims, value->dims, v->rank * sizeof *v->dims);
    if (bytes > 0)
        memcpy(v->data, bp_tensor_data(value), bytes);
    return BP_OK;
}

bp_rc bp_state_set(bp_state *state, const char *input, const bp_tensor *value, bp_err *err)
{
    bp_rc rc;

    if (!state)
        return bp_fail_null(err, "the state");
    if (!value)
        return bp_fail_null(err, "the value");
    rc = bp_state_begin(state, err);
    if (rc < 0)
        return rc;
    rc = set_value(state, input, value, err);
    bp_state_end(state);
    return bp_done(err, rc);
}

static bp_rc get_value(struct bp_state *state, const char *input, bp_tensor *out, bp_err *err)
{
    struct bp_state_value *v;
    int64_t dims[BP_MAX_RANK];
    bp_rc rc = find_value(state, input, &v, err);

    if (rc < 0)
        return rc;
    memcpy(dims, v->dims, sizeof dims);
    if (v->is_moved)
        bp_state_move_dims_back(v->dims, v->rank, v->axis, dims);
    rc = bp_tensor_alloc(v->dtype, dims, v->rank, out, err);
    if (rc < 0)
        return rc;
    if (v->is_moved)
        bp_state_copy_moved(v->data, bp_tensor_data(out), v, v->dims, v->bytes, true);
    else if (v->bytes > 0)
        memcpy(bp_tensor_data(out), v->data, v->bytes);
    return BP_OK;
}

bp_rc bp_state_get(bp_state *state, const char *input, bp_tensor *out, bp_err *err)
{
    bp_rc rc;

    if (!state)
        return bp_fail_null(err, "the state");
    if (!out)
        return bp_fail_null(err, "out");
    rc = bp_state_begin(state, err);
    if (rc < 0)
        return rc;
    rc = get_value(state, input, out, err);
    bp_state_end(state);
    return bp_done(err, rc);
}

/* The first value that grows; NULL: none does. */
static const struct bp_state_value *first_growing(const struct bp_state *state)
{
    for (uint32_t i = 0; i < state->n_values; i++) {
        if (state->values[i].axis != BP_NONE)
            return &state->values[i];
    }
    return NULL;
}

int64_t bp_state_length(const bp_state *state)
{
    const struct bp_state_value *v = state ? first_growing(state) : NULL;

    return v ? v->dims[bp_state_axis(v)] : 0;
}

/* Keeps the first `length` along the axis. In place: each part moves towards the beginning. */
static void cut(struct bp_state_value *v, int64_t length)
{
    uint32_t axis = bp_state_axis(v);
    size_t parts = (size_t)bp_state_count(v->dims, axis), from, to;

    if (v->dims[axis] == length || v->bytes == 0) {
        v->dims[axis] = length;
        return;
    }
    from = v->bytes / parts;
    to = from / (size_t)v->dims[axis] * (size_t)length;
    for (size_t i = 1; i < parts; i++)
        memmove((char *)v->data + i * to, (char *)v->data + i * from, to);
    v->dims[axis] = length;
    v->bytes = parts * to;
}

bp_rc bp_state_truncate(bp_state *state, int64_t length, bp_err *err)
{
    bp_rc rc;

    if (!state)
        return bp_fail_null(err, "the state");
    rc = bp_state_begin(state, err);
    if (rc < 0)
        return rc;
    if (!first_growing(state))
        rc = bp_fail(err, BP_E_INVALID, "no value of the state grows, so none can be cut");
    for (uint32_t i = 0; rc >= 0 && i < state->n_values; i++) {
        const struct bp_state_value *v = &state->values[i];

        if (v->axis != BP_NONE && (length < 0 || length > v->dims[bp_state_axis(v)]))
            rc = bp_fail(err, BP_E_INVALID, "input '%s' has a length of %lld, not %lld",
                         state->session->ports.inputs[v->input].name,
                         (long long)v->dims[bp_state_axis(v)], (long long)length);
    }
    for (uint32_t i = 0; rc >= 0 && i < state->n_values; i++) {
        if (state->values[i].axis != BP_NONE)
            cut(&state->values[i], length);
    }
    bp_state_end(state);
    return bp_done(err, rc);
}

bp_rc bp_state_reserve(bp_state *state, int64_t length, bp_err *err)
{
    bp_rc rc;

    if (!state)
        return bp_fail_null(err, "the state");
    rc = bp_state_begin(state, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; rc >= 0 && i < state->n_values; i++) {
        struct bp_state_value *v = &state->values[i];
        size_t bytes;

        if (v->axis == BP_NONE)
            continue;
        if (length < 0 || !bp_state_bytes_at(v, length, &bytes))
            rc = bp_fail(err, BP_E_INVALID, "a length of %lld is negative or too large",
                         (long long)length);
        else
            rc = bp_state_reserve_value(state, v, bytes, err);
    }
    bp_state_end(state);
    return bp_done(err, rc);
}

/* Copies values that are equal in number and kind: both are of one session. */
static bp_rc copy_values(const struct bp_state *from, struct bp_state *to, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < from->n_values; i++) {
        const struct bp_state_value *a = &from->values[i];
        struct bp_state_value *b = &to->values[i];

        rc = bp_state_grow(to, &b->data, &b->cap, a->bytes, 0, err);
        if (rc < 0)
            break;
        b->rank = a->rank;
        b->is_moved = a->is_moved;
        b->bytes = a->bytes;
        memcpy(b->dims, a->dims, sizeof b->dims);
        if (a->bytes > 0)
            memcpy(b->data, a->data, a->bytes);
    }
    return rc;
}

bp_rc bp_state_copy(bp_state *from, bp_state **out, bp_err *err)
{
    bp_rc rc;

    if (!from)
        return bp_fail_null(err, "the state");
    if (!out)
        return bp_fail_null(err, "out");
    rc = bp_state_create(from->session, from->unknown, out, err);
    if (rc < 0)
        return rc;
    rc = bp_state_begin(from, err);
    if (rc >= 0) {
        rc = copy_values(from, *out, err);
        bp_state_end(from);
    }
    if (rc < 0) {
        bp_state_destroy(*out);
        *out = NULL;
    }
    return bp_done(err, rc);
}
