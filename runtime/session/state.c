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
    return session->ports.inputs[port].flags & BP_IO_KEPT;
}

bool bp_session_keeps_output(const bp_session *session, uint32_t port)
{
    return session->ports.outputs[port].flags & BP_IO_KEPT;
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
uint32_t bp_state_axis(const struct bp_state_value *v)
{
    return v->is_moved ? 0 : v->axis;
}

int64_t bp_state_count(const int64_t *dims, uint32_t n)
{
    int64_t out = 1;

    for (uint32_t d = 0; d < n; d++)
        out *= dims[d];
    return out;
}

/* Does what a run adds lie behind what is there? */
static bool grows_in_place(const struct bp_state_value *v)
{
    return v->axis != BP_NONE && bp_state_count(v->dims, bp_state_axis(v)) == 1;
}

/* ---- memory ---------------------------------------------------------------------------------- */

const bp_allocator *bp_state_allocator(const struct bp_state *state)
{
    const bp_allocator *allocator = &state->session->options.allocator;

    return allocator->alloc ? allocator : NULL;
}

/* A block of at least `bytes`, which keeps the first `keep` of the old one. */
bp_rc bp_state_grow(const struct bp_state *state, void **block, size_t *cap, size_t bytes,
                    size_t keep, bp_err *err)
{
    size_t more = *cap < SIZE_MAX / 2 ? *cap * 2 : *cap;
    void *fresh;
    bp_rc rc;

    if (*block && bytes <= *cap)
        return BP_OK;
    more = more < bytes ? bytes : more;
    rc = bp_block_alloc(bp_state_allocator(state), more, &fresh, err);
    if (rc < 0)
        return bp_fail_in(err, rc, "the memory of a state");
    if (keep > 0)
        memcpy(fresh, *block, keep);
    bp_block_free(bp_state_allocator(state), *block);
    *block = fresh;
    *cap = more;
    return BP_OK;
}

/* Memory for `bytes` of the value after the next run. */
bp_rc bp_state_reserve_value(const struct bp_state *state, struct bp_state_value *v, size_t bytes,
                             bp_err *err)
{
    bp_rc rc = bp_state_grow(state, &v->data, &v->cap, bytes, v->bytes, err);

    return rc < 0 || grows_in_place(v)
               ? rc
               : bp_state_grow(state, &v->spare, &v->spare_cap, bytes, 0, err);
}

/* Bytes of the value if it had that size along its axis; false: they cannot be counted. */
bool bp_state_bytes_at(const struct bp_state_value *v, int64_t length, size_t *out)
{
    int64_t dims[BP_MAX_RANK];

    memcpy(dims, v->dims, sizeof dims);
    if (v->axis != BP_NONE)
        dims[bp_state_axis(v)] = length;
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
void bp_state_copy_moved(const void *from, void *to, const struct bp_state_value *v,
                         const int64_t *dims, size_t bytes, bool is_moved)
{
    size_t before = (size_t)bp_state_count(is_moved ? dims + 1 : dims, v->axis);
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
    rc = bp_state_grow(state, &v->spare, &v->spare_cap, v->cap, 0, err);
    if (rc < 0)
        return rc;
    bp_state_copy_moved(v->data, v->spare, v, v->dims, v->bytes, v->is_moved);
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
            rc = bp_state_reserve_value(state, v, v->bytes > 0 ? v->bytes : 1, err);
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
        c->frame->wanted[c->ported->outputs[v->output]] = (struct bp_wanted){.binding = &v->wanted};
    }
    return rc;
}

void bp_state_unbind(struct bp_call *c)
{
    for (uint32_t i = 0; c->state && i < c->state->n_values; i++)
        c->frame->wanted[c->ported->outputs[c->state->values[i].output]] = (struct bp_wanted){0};
}

/* What the output has must be what the input takes: the next run does not look at it again. */
static bp_rc check_made(const struct bp_call *c, const struct bp_state_value *v, bp_err *err)
{
    const struct bp_cell *cell = &c->frame->cells[c->ported->outputs[v->output]];
    const bp_io_info *port = &c->session->ports.inputs[v->input];
    const char *output = c->session->ports.outputs[v->output].name;
    uint32_t axis = bp_call_moved_output(c, v->output);
    int64_t dims[BP_MAX_RANK];

    if (bp_cell_kind(cell) != BP_KIND_TENSOR || cell->dtype != v->dtype)
        return bp_fail(err, BP_E_INVALID,
                       "output '%s' is no tensor of %s, as its state's input '%s' is", output,
                       bp_dtype_name(v->dtype), port->name);
    if (cell->rank != port->rank)
        return bp_fail(err, BP_E_SHAPE, "output '%s' has rank %u, its state's input '%s' %u",
                       output, cell->rank, port->name, port->rank);
    if (axis != BP_NONE)
        bp_state_move_dims_back(cell->dims, cell->rank, axis, dims);
    else if (cell->rank > 0)
        memcpy(dims, cell->dims, cell->rank * sizeof *dims);
    for (uint32_t d = 0; d < cell->rank; d++) {
        if (port->dims[d].value >= 0 && port->dims[d].value != dims[d])
            return bp_fail(err, BP_E_SHAPE,
                           "output '%s' has size %lld at dimension %u, its state's input '%s' %lld",
                           output, (long long)dims[d], d, port->name,
                           (long long)port->dims[d].value);
    }
    return BP_OK;
}

bp_rc bp_state_commit(struct bp_call *c, bp_err *err)
{
    struct bp_state *state = c->state;
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; state && rc >= 0 && i < state->n_values; i++)
        rc = check_made(c, &state->values[i], err);
    for (uint32_t i = 0; state && rc >= 0 && i < state->n_values; i++) {
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
    return rc;
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
        if (v->axis != BP_NONE && v->made_dims[bp_state_axis(v)] > length)
            length = v->made_dims[bp_state_axis(v)];
        if (v->axis == BP_NONE)
            rc = bp_state_reserve_value(state, v, v->wanted.tensor.bytes, NULL);
        if (rc < 0)
            return false;
    }
    for (uint32_t i = 0; length > 0 && i < state->n_values; i++) {
        struct bp_state_value *v = &state->values[i];
        size_t bytes;

        if (v->axis == BP_NONE || !bp_state_bytes_at(v, length, &bytes))
            continue;
        if (bytes < v->wanted.tensor.bytes)
            bytes = v->wanted.tensor.bytes;
        if (bp_state_reserve_value(state, v, bytes, NULL) < 0)
            return false;
    }
    return was_short;
}
