/* SPDX-License-Identifier: MIT */
/*
 * state.c - values that a run leaves for the next one, as a decoder's key/value cache.
 *
 * A value that grows along its first axis has one block: the input shows its beginning, the output
 * the same with room behind it, so that Concat writes what is new and nothing else. All other values
 * have two blocks, of which a run reads one and writes the other.
 */

#include "config.h"

#include "session/state.h"

#include <stdlib.h>
#include <string.h>

#include "base/block.h"

/* ---- axes ------------------------------------------------------------------------------------ */

void bp_state_move_dims(const int64_t *dims, uint32_t rank, uint32_t axis, int64_t *out)
{
    for (uint32_t d = 0; d < rank; d++)
        out[d] = dims[d == 0 ? axis : d <= axis ? d - 1 : d];
}

void bp_state_move_dims_back(const int64_t *dims, uint32_t rank, uint32_t axis, int64_t *out)
{
    for (uint32_t d = 0; d < rank; d++)
        out[d == 0 ? axis : d <= axis ? d - 1 : d] = dims[d];
}

/* The row of a port's name among those of a graph; NULL: none. */
static const struct bp_ir_state *find_row(const struct bp_engine *engine, const char *name,
                                          bool is_output)
{
    for (uint32_t i = 0; i < engine->states.count; i++) {
        const struct bp_ir_state *row = &engine->states.rows[i];

        if (strcmp(is_output ? row->output : row->input, name) == 0)
            return row;
    }
    return NULL;
}

bool bp_session_keeps_input(const bp_session *session, uint32_t port)
{
    return find_row(session->main.engine, session->ports.inputs[port].name, false) != NULL;
}

bool bp_session_keeps_output(const bp_session *session, uint32_t port)
{
    return find_row(session->main.engine, session->ports.outputs[port].name, true) != NULL;
}

uint32_t bp_call_moved_input(const struct bp_call *c, uint32_t port)
{
    const struct bp_ir_state *row =
        find_row(c->ported->engine, c->session->ports.inputs[port].name, false);

    return row && row->is_moved ? row->axis : BP_NONE;
}

uint32_t bp_call_moved_output(const struct bp_call *c, uint32_t port)
{
    const struct bp_ir_state *row =
        find_row(c->ported->engine, c->session->ports.outputs[port].name, true);

    return row && row->is_moved ? row->axis : BP_NONE;
}

/* Axis of the value in memory along which it grows. */
static uint32_t stored_axis(const struct bp_state_value *v)
{
    return v->is_moved ? 0 : v->axis;
}

static int64_t product(const int64_t *dims, uint32_t n)
{
    int64_t out = 1;

    for (uint32_t d = 0; d < n; d++)
        out *= dims[d];
    return out;
}

/* Does what a run adds lie behind what is there? */
static bool grows_in_place(const struct bp_state_value *v)
{
    return v->axis != BP_NONE && product(v->dims, stored_axis(v)) == 1;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static const bp_allocator *allocator_of(const struct bp_state *state)
{
    const bp_allocator *allocator = &state->session->options.allocator;

    return allocator->alloc ? allocator : NULL;
}

/* A block of at least `bytes`, which keeps the first `keep` of the old one. */
static bp_rc grow(const struct bp_state *state, void **block, size_t *cap, size_t bytes,
                  size_t keep, bp_err *err)
{
    size_t more = *cap < SIZE_MAX / 2 ? *cap * 2 : *cap;
    void *fresh;
    bp_rc rc;

    if (*block && bytes <= *cap)
        return BP_OK;
    more = more < bytes ? bytes : more;
    rc = bp_block_alloc(allocator_of(state), more, &fresh, err);
    if (rc < 0)
        return bp_fail_in(err, rc, "the memory of a state");
    if (keep > 0)
        memcpy(fresh, *block, keep);
    bp_block_free(allocator_of(state), *block);
    *block = fresh;
    *cap = more;
    return BP_OK;
}

/* Memory for `bytes` of the value after the next run. */
static bp_rc reserve(const struct bp_state *state, struct bp_state_value *v, size_t bytes,
                     bp_err *err)
{
    bp_rc rc = grow(state, &v->data, &v->cap, bytes, v->bytes, err);

    return rc < 0 || grows_in_place(v) ? rc : grow(state, &v->spare, &v->spare_cap, bytes, 0, err);
}

/* Bytes of the value if it had that size along its axis; false: they cannot be counted. */
static bool bytes_at(const struct bp_state_value *v, int64_t length, size_t *out)
{
    int64_t dims[BP_MAX_RANK];

    memcpy(dims, v->dims, sizeof dims);
    if (v->axis != BP_NONE)
        dims[stored_axis(v)] = length;
    return bp_dense_bytes(v->dtype, dims, v->rank, out);
}

/* ---- during a run ---------------------------------------------------------------------------- */

bp_rc bp_call_check_state(const struct bp_call *c, bp_err *err)
{
    uint32_t n = c->session->main.engine->states.count;

    if (c->state && c->state->session != c->session)
        return bp_fail(err, BP_E_INVALID,
                       "the state is of another session: make one of this with bp_state_create()");
    if (n == 0 || c->is_shapes_only)
        return BP_OK;
    if (!c->state)
        return bp_fail(err, BP_E_INVALID,
                       "the session keeps %u inputs in a state ('%s' is one): give the run one, "
                       "bp_run_options.state",
                       n, c->session->main.engine->states.rows[0].input);
    for (uint32_t i = 0; i < c->n_inputs; i++) {
        if (bp_session_keeps_input(c->session, c->inputs[i].index))
            return bp_fail(err, BP_E_INVALID,
                           "input '%s' comes from the run's state: do not feed it, set it with "
                           "bp_state_set()",
                           c->session->ports.inputs[c->inputs[i].index].name);
    }
    for (uint32_t i = 0; i < c->n_outputs; i++) {
        if (bp_session_keeps_output(c->session, c->outputs[i].index))
            return bp_fail(err, BP_E_INVALID,
                           "output '%s' goes to the run's state: read it there, with "
                           "bp_state_get()",
                           c->session->ports.outputs[c->outputs[i].index].name);
    }
    return BP_OK;
}

bp_rc bp_state_begin(struct bp_state *state, bp_err *err)
{
    if (atomic_exchange(&state->is_busy, true))
        return bp_fail(err, BP_E_BUSY,
                       "the state is in use by another run or call: one at a time may have it");
    return BP_OK;
}

void bp_state_end(struct bp_state *state)
{
    atomic_store(&state->is_busy, false);
}

/* Copies between the two layouts: blocks of `size` bytes, rows of n to columns of them. */
static void exchange(const char *from, char *to, size_t rows, size_t columns, size_t size)
{
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < columns; c++)
            memcpy(to + (c * rows + r) * size, from + (r * columns + c) * size, size);
    }
}

/* From one layout to the other. `dims` are those of `from`, which has the axis first or not. */
static void copy_moved(const void *from, void *to, const struct bp_state_value *v,
                       const int64_t *dims, size_t bytes, bool is_moved)
{
    size_t before = (size_t)product(is_moved ? dims + 1 : dims, v->axis);
    size_t length = (size_t)dims[is_moved ? 0 : v->axis];

    if (bytes == 0)
        return;
    exchange(from, to, is_moved ? length : before, is_moved ? before : length,
             bytes / before / length);
}

/* The graph of another engine may have the value in the other layout. */
static bp_rc use_layout(const struct bp_state *state, struct bp_state_value *v, bool is_moved,
                        bp_err *err)
{
    int64_t dims[BP_MAX_RANK];
    void *data;
    size_t cap;
    bp_rc rc;

    if (v->is_moved == is_moved)
        return BP_OK;
    rc = grow(state, &v->spare, &v->spare_cap, v->cap, 0, err);
    if (rc < 0)
        return rc;
    copy_moved(v->data, v->spare, v, v->dims, v->bytes, v->is_moved);
    memcpy(dims, v->dims, sizeof dims);
    if (is_moved)
        bp_state_move_dims(dims, v->rank, v->axis, v->dims);
    else
        bp_state_move_dims_back(dims, v->rank, v->axis, v->dims);
    v->is_moved = is_moved;
    data = v->data;
    v->data = v->spare;
    v->spare = data;
    cap = v->cap;
    v->cap = v->spare_cap;
    v->spare_cap = cap;
    return BP_OK;
}

bp_rc bp_state_bind(struct bp_call *c, bp_err *err)
{
    struct bp_state *state = c->state;
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; state && rc >= 0 && i < state->n_values; i++) {
        struct bp_state_value *v = &state->values[i];
        uint32_t input = c->ported->inputs[v->input];
        bool is_in_place;

        rc = use_layout(state, v, bp_call_moved_input(c, v->input) != BP_NONE, err);
        if (rc >= 0)
            rc = reserve(state, v, v->bytes > 0 ? v->bytes : 1, err);
        if (rc < 0)
            return rc;
        is_in_place = grows_in_place(v);
        c->frame->cells[input] = (struct bp_cell){.base = v->data,
                                                  .dims = v->dims,
                                                  .bytes = v->bytes,
                                                  .slack = v->cap - v->bytes,
                                                  .rank = v->rank,
                                                  .dtype = v->dtype};
        v->wanted = (bp_binding){.index = v->output};
        v->wanted.tensor = (bp_tensor){.base = is_in_place ? v->data : v->spare,
                                       .dims = v->made_dims,
                                       .bytes = is_in_place ? v->cap : v->spare_cap,
                                       .rank = BP_MAX_RANK,
                                       .dtype = v->dtype};
        c->frame->wanted[c->ported->outputs[v->output]] = &v->wanted;
    }
    return rc;
}

void bp_state_unbind(struct bp_call *c)
{
    for (uint32_t i = 0; c->state && i < c->state->n_values; i++)
        c->frame->wanted[c->ported->outputs[c->state->values[i].output]] = NULL;
}

void bp_state_commit(struct bp_state *state)
{
    for (uint32_t i = 0; i < state->n_values; i++) {
        struct bp_state_value *v = &state->values[i];

        if (v->wanted.tensor.base != v->data) {
            size_t cap = v->cap;

            v->spare = v->data;
            v->data = v->wanted.tensor.base;
            v->cap = v->spare_cap;
            v->spare_cap = cap;
        }
        v->rank = v->wanted.tensor.rank;
        memcpy(v->dims, v->made_dims, v->rank * sizeof *v->dims);
        if (!bp_dense_bytes(v->dtype, v->dims, v->rank, &v->bytes))
            v->bytes = 0; /* it was counted in the run */
    }
}

/*
 * One value that grew too large tells how far the others will grow. Twice that is reserved, so that
 * the number of reservations is logarithmic.
 */
bool bp_state_make_room(struct bp_state *state)
{
    int64_t length = 0;
    bool was_short = false;
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; i < state->n_values; i++) {
        struct bp_state_value *v = &state->values[i];
        size_t cap = v->wanted.tensor.base == v->data ? v->cap : v->spare_cap;

        if (v->wanted.tensor.bytes <= cap)
            continue;
        was_short = true;
        if (v->axis != BP_NONE && v->made_dims[stored_axis(v)] > length)
            length = v->made_dims[stored_axis(v)];
        if (v->axis == BP_NONE)
            rc = reserve(state, v, v->wanted.tensor.bytes, NULL);
        if (rc < 0)
            return false;
    }
    for (uint32_t i = 0; length > 0 && i < state->n_values; i++) {
        struct bp_state_value *v = &state->values[i];
        size_t bytes;

        if (v->axis == BP_NONE || !bytes_at(v, length, &bytes))
            continue;
        if (reserve(state, v, bytes, NULL) < 0)
            return false;
    }
    return was_short;
}

/* ---- the application's ----------------------------------------------------------------------- */

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
    rc = grow(state, &v->data, &v->cap, v->bytes, 0, err);
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
        bp_block_free(allocator_of(state), state->values[i].data);
        bp_block_free(allocator_of(state), state->values[i].spare);
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
        rc = grow(state, &v->data, &v->cap, bytes, 0, err);
    if (rc < 0)
        return rc;
    v->rank = value->rank;
    v->bytes = bytes;
    if (v->is_moved) {
        bp_state_move_dims(value->dims, v->rank, v->axis, v->dims);
        copy_moved(bp_tensor_data(value), v->data, v, value->dims, bytes, false);
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
        copy_moved(v->data, bp_tensor_data(out), v, v->dims, v->bytes, true);
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

    return v ? v->dims[stored_axis(v)] : 0;
}

/* Keeps the first `length` along the axis. In place: each part moves towards the beginning. */
static void cut(struct bp_state_value *v, int64_t length)
{
    uint32_t axis = stored_axis(v);
    size_t parts = (size_t)product(v->dims, axis), from, to;

    if (v->dims[axis] == length || v->bytes == 0)
        return;
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

        if (v->axis != BP_NONE && (length < 0 || length > v->dims[stored_axis(v)]))
            rc = bp_fail(err, BP_E_INVALID, "input '%s' has a length of %lld, not %lld",
                         state->session->ports.inputs[v->input].name,
                         (long long)v->dims[stored_axis(v)], (long long)length);
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
        if (length < 0 || !bytes_at(v, length, &bytes))
            rc = bp_fail(err, BP_E_INVALID, "a length of %lld is negative or too large",
                         (long long)length);
        else
            rc = reserve(state, v, bytes, err);
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

        rc = grow(to, &b->data, &b->cap, a->bytes, 0, err);
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
