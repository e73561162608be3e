/* SPDX-License-Identifier: MIT */
/* feeds.c - checks what a caller feeds, chooses the engine for it, and binds it to the frame. */

#include "config.h"

#include "session/call.h"
#include "session/state.h"

#include <stdlib.h>
#include <string.h>

#include "exec/run.h"
#include "graph/without.h"
#include "text/text.h"

/* ---- feeds ----------------------------------------------------------------------------------- */

/*
 * Writes the error for a feed of a wrong shape, with both shapes ("1x3xHx224"); dim BP_NONE: the
 * ranks differ.
 */
static bp_rc wrong_shape(const struct bp_fixed_list *fixed, const bp_io_info *want,
                         const bp_tensor *got, uint32_t dim, bp_err *err)
{
    struct bp_text expected = {0}, came = {0}, names = {0};
    bp_rc rc;

    for (uint32_t i = 0; dim != BP_NONE && i < fixed->count; i++) {
        if (fixed->rows[i].size == want->dims[dim].value)
            bp_text_printf(&names, "%s'%s'", names.len ? ", " : "; the session fixes ",
                           fixed->rows[i].name);
    }

    for (uint32_t d = 0; d < want->rank; d++) {
        bp_text_add(&expected, d ? "x" : "");
        if (want->dims[d].value >= 0)
            bp_text_printf(&expected, "%lld", (long long)want->dims[d].value);
        else
            bp_text_add(&expected, want->dims[d].symbol ? want->dims[d].symbol : "?");
    }
    for (uint32_t d = 0; d < got->rank; d++)
        bp_text_printf(&came, "%s%lld", d ? "x" : "", (long long)got->dims[d]);
    if (dim == BP_NONE)
        rc = bp_fail(err, BP_E_SHAPE, "input '%s' takes rank %u (%s), but rank %u (%s) was given",
                     want->name, want->rank, expected.data ? expected.data : "scalar", got->rank,
                     came.data ? came.data : "scalar");
    else
        rc = bp_fail(err, BP_E_SHAPE,
                     "input '%s' takes %s, but %s was given: dimension %u differs%s", want->name,
                     expected.data ? expected.data : "a scalar", came.data ? came.data : "a scalar",
                     dim, names.data ? names.data : "");
    bp_text_finish(&names);
    bp_text_finish(&expected);
    bp_text_finish(&came);
    return rc;
}

/* Compares a feed's sizes with the declared ones; a declared symbol allows any size. */
static bp_rc check_dims(const struct bp_fixed_list *fixed, const bp_io_info *want,
                        const bp_tensor *got, bp_err *err)
{
    if (got->rank > BP_MAX_RANK || (got->rank > 0 && !got->dims))
        return bp_fail(err, BP_E_INVALID, "input '%s': rank %u without dims, or beyond %d",
                       want->name, got->rank, BP_MAX_RANK);
    if (want->rank == BP_RANK_UNKNOWN || want->rank == 0) /* a scalar's engine takes any shape */
        return BP_OK;
    if (got->rank != want->rank)
        return wrong_shape(fixed, want, got, BP_NONE, err);
    for (uint32_t d = 0; d < got->rank; d++) {
        if (want->dims[d].value >= 0 && got->dims[d] != want->dims[d].value)
            return wrong_shape(fixed, want, got, d, err);
    }
    return BP_OK;
}

/*
 * Checks that a tensor with strings has text for each, because kernels read strings without a
 * check.
 */
static bp_rc check_text(const bp_io_info *want, const bp_span *spans, size_t bytes, bp_err *err)
{
    for (size_t i = 0; i < bytes / sizeof *spans; i++) {
        if (!spans[i].data && spans[i].size > 0)
            return bp_fail(err, BP_E_INVALID, "input '%s': string %zu has a size and no text",
                           want->name, i);
    }
    return BP_OK;
}

/* Multiplies sizes with a check for overflow, as they come from outside. */
static bp_rc check_memory(const bp_io_info *want, const bp_tensor *got, size_t *bytes, bp_err *err)
{
    if (!bp_dense_bytes(got->dtype, got->dims, got->rank, bytes))
        return bp_fail(err, BP_E_INVALID, "input '%s': its sizes are negative or too large",
                       want->name);
    if (!got->base && *bytes > 0)
        return bp_fail(err, BP_E_INVALID, "input '%s': it has no data", want->name);
    if (got->bytes < *bytes)
        return bp_fail(err, BP_E_INVALID, "input '%s' needs %zu bytes, its buffer has %zu",
                       want->name, *bytes, got->bytes);
    return BP_OK;
}

/*
 * Chooses where kernels read a feed: in place, or from a copy in memory of the frame if it is not
 * aligned.
 */
static bp_rc settle(struct bp_call *c, const bp_tensor *got, uint32_t value, size_t bytes,
                    void **out, bp_err *err)
{
    struct bp_dynamic_buffer *copy;
    bp_rc rc;

    *out = bp_tensor_data(got);
    if (bp_is_aligned(got->dtype, *out))
        return BP_OK;
    rc = bp_frame_state_grow(c->frame, value, bytes, &copy, err);
    if (rc >= 0)
        *out = memcpy(copy->data, *out, bytes);
    return rc;
}

/* Binds a value that is not a tensor, or a tensor for an optional input. */
static bp_rc feed_object(struct bp_call *c, const bp_io_info *want, const bp_binding *binding,
                         uint32_t value, bp_err *err)
{
    bp_object *object = bp_object_retain(binding->object);
    bp_object *optional;
    bp_rc rc = BP_OK;

    if (!object && binding->tensor.dtype == BP_DTYPE_NONE)
        return bp_fail(err, BP_E_INVALID, "input '%s' takes %s, but none was given", want->name,
                       bp_kind_name(want->type->kind));
    if (!object)
        rc = bp_object_copy_tensor(bp_memory_allocator(c->frame->subgraph->memory),
                                   &binding->tensor, &object, err);
    if (rc < 0)
        return bp_fail_in(err, rc, "input '%s'", want->name);
    if (want->type->kind == BP_KIND_OPTIONAL && object->kind != BP_KIND_OPTIONAL) {
        rc = bp_object_optional(object, &optional, err);
        bp_object_release(object);
        object = rc < 0 ? NULL : optional;
    }
    if (rc >= 0 && !bp_object_is_of(object, want->type))
        rc =
            bp_fail(err, BP_E_INVALID, "input '%s' takes %s, but a value of another type was given",
                    want->name, bp_kind_name(want->type->kind));
    if (rc >= 0 && object->kind == BP_KIND_SPARSE)
        rc = check_dims(&c->session->options.fixed, want, &object->tensor, err);
    if (rc >= 0) {
        c->frame->cells[value] = bp_cell_of_object(object);
        bp_frame_state_hold(c->frame, value, object);
    }
    bp_object_release(object);
    return rc;
}

/* Fails because input i is `how` ("missing", "fed twice"); the detail says the same to programs. */
static bp_rc fail_input(const struct bp_ports *ports, uint32_t i, uint32_t detail, const char *how,
                        bp_err *err)
{
    bp_rc rc = bp_fail(err, BP_E_INVALID, "input '%s' is %s", ports->inputs[i].name, how);

    bp_err_set_detail(err, detail, i);
    return rc;
}

/*
 * Binds one feed to its port's cell, which must not be set yet. Tensors are read where they are, so
 * the caller's memory has to stay until the run returns.
 */
static bp_rc feed(struct bp_call *c, const bp_binding *binding, bp_err *err)
{
    const struct bp_ports *ports = &c->session->ports;
    const bp_tensor *got = binding->object ? bp_object_tensor(binding->object) : &binding->tensor;
    const bp_io_info *want;
    struct bp_cell *cell;
    void *data = c->frame; /* an empty tensor's base, never read */
    size_t bytes;
    bp_rc rc;

    want = &ports->inputs[binding->index];
    cell = &c->frame->cells[c->ported->inputs[binding->index]];
    if (cell->base)
        return fail_input(ports, binding->index, BP_DETAIL_INPUT_TWICE, "fed twice", err);
    if (want->type->kind != BP_KIND_TENSOR || !got)
        return feed_object(c, want, binding, c->ported->inputs[binding->index], err);
    if (want->dtype != BP_DTYPE_NONE && got->dtype != want->dtype)
        return bp_fail(err, BP_E_INVALID, "input '%s' has type %s, but %s was given", want->name,
                       bp_dtype_name(want->dtype), bp_dtype_name(got->dtype));
    if (got->space != BP_SPACE_HOST)
        return bp_fail(err, BP_E_INVALID,
                       "input '%s' is in memory space %u: bring it in ordinary memory (space 0)",
                       want->name, got->space);
    rc = check_dims(&c->session->options.fixed, want, got, err);
    if (rc >= 0)
        rc = check_memory(want, got, &bytes, err);
    if (rc >= 0 && bytes > 0)
        rc = settle(c, got, c->ported->inputs[binding->index], bytes, &data, err);
    if (rc >= 0 && got->dtype == BP_DTYPE_STRING)
        rc = check_text(want, data, bytes, err);
    if (rc < 0)
        return rc;
    *cell = (struct bp_cell){
        .base = data,
        .dims = got->dims,
        .bytes = bytes,
        .slack = data == bp_tensor_data(got) ? got->bytes - bytes : 0,
        .rank = got->rank,
        .dtype = got->dtype,
    };
    return BP_OK;
}

/* A feed of which only the shape is known. */
static bp_rc show_shape(struct bp_call *c, const bp_binding *binding, bool *is_known, bp_err *err)
{
    const bp_io_info *want = &c->session->ports.inputs[binding->index];
    const bp_tensor *got = &binding->tensor;
    uint32_t value = c->ported->inputs[binding->index];
    uint32_t dtype = got->dtype ? got->dtype : want->dtype, axis;
    const int64_t *dims = got->dims;
    size_t bytes;
    bp_rc rc;

    if (is_known[value])
        return fail_input(&c->session->ports, binding->index, BP_DETAIL_INPUT_TWICE, "given twice",
                          err);
    if (want->type->kind != BP_KIND_TENSOR)
        return bp_fail(err, BP_E_UNSUPPORTED,
                       "input '%s' is %s, which has no shape to prepare for: run the session once",
                       want->name, bp_kind_name(want->type->kind));
    if (dtype == BP_DTYPE_NONE || (want->dtype != BP_DTYPE_NONE && dtype != want->dtype))
        return bp_fail(err, BP_E_INVALID, "input '%s' is of type %s, not %s", want->name,
                       bp_dtype_name(want->dtype), bp_dtype_name(dtype));
    rc = check_dims(&c->session->options.fixed, want, got, err);
    if (rc < 0)
        return rc;
    if (!bp_dense_bytes(dtype, got->dims, got->rank, &bytes))
        return bp_fail(err, BP_E_INVALID, "input '%s': its sizes are negative or too large",
                       want->name);
    axis = bp_call_moved_input(c, binding->index);
    if (axis != BP_NONE) {
        int64_t *moved = c->moved[binding - c->inputs];

        bp_state_move_dims(got->dims, got->rank, axis, moved);
        dims = moved;
    }
    bp_subgraph_show_shape(c->frame, value, dtype, dims, got->rank, bytes);
    is_known[value] = true;
    return BP_OK;
}

bp_rc bp_call_bind_shapes(struct bp_call *c, bool *is_known, bp_err *err)
{
    const struct bp_ports *ports = &c->session->ports;
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < c->n_inputs; i++)
        rc = show_shape(c, &c->inputs[i], is_known, err);
    for (uint32_t i = 0; rc >= 0 && i < ports->n_inputs; i++) {
        uint32_t value = c->ported->inputs[i];

        if (is_known[value] || !c->ported->is_needed[i])
            continue;
        if (i < ports->n_required)
            return fail_input(ports, i, BP_DETAIL_INPUT_MISSING, "not given", err);
        if (!c->ported->is_general)
            continue; /* a constant */
        rc = bp_frame_state_constant(c->frame, value, err);
        is_known[value] = rc >= 0;
    }
    return rc;
}

/* Writes the names of the marked inputs. */
static bp_rc fail_missing(const struct bp_call *c, const bool *missing, bp_err *err)
{
    const struct bp_ports *ports = &c->session->ports;
    struct bp_text names = {0};
    uint32_t n = 0, first = 0;
    bp_rc rc;

    for (uint32_t i = 0; i < ports->n_required; i++) {
        if (!missing[i])
            continue;
        first = n == 0 ? i : first;
        bp_text_printf(&names, "%s'%s'", n++ ? ", " : "", ports->inputs[i].name);
    }
    rc = bp_fail(err, BP_E_INVALID, "%u input%s not fed: %s", n, n == 1 ? " is" : "s are",
                 names.data ? names.data : "");
    bp_text_finish(&names);
    bp_err_set_detail(err, BP_DETAIL_INPUT_MISSING, first);
    return rc;
}

/*
 * Binds all feeds. A cell without a base has not been fed; this shows inputs that are fed twice or
 * not at all.
 */
bp_rc bp_call_bind_inputs(struct bp_call *c, bp_err *err)
{
    const struct bp_ports *ports = &c->session->ports;
    bool general = c->ported->is_general;
    bp_rc rc = BP_OK;

    /* in the main engine a default is a constant, whose cell was set when the frame was created */
    for (uint32_t i = 0; i < (general ? ports->n_inputs : ports->n_required); i++)
        c->frame->cells[c->ported->inputs[i]].base = NULL;
    for (uint32_t i = 0; rc >= 0 && i < c->n_inputs; i++)
        rc = feed(c, &c->inputs[i], err);
    if (rc >= 0)
        rc = bp_state_bind(c, err);
    for (uint32_t i = 0; rc >= 0 && i < ports->n_inputs; i++) {
        uint32_t value = c->ported->inputs[i];

        if (c->frame->cells[value].base || !c->ported->is_needed[i])
            continue;
        if (i < ports->n_required)
            return fail_input(ports, i, BP_DETAIL_INPUT_MISSING, "not fed", err);
        if (general) /* in other engines the default is fed here */
            rc = bp_frame_state_constant(c->frame, value, err);
    }
    return rc;
}

/* ---- the engine ------------------------------------------------------------------------------- */

/* Does a wanted output need an input that is missing? */
static bp_rc needs_missing(const struct bp_call *c, const bool *missing, bool *out, bp_err *err)
{
    const struct bp_ir *ir = c->ported->engine->ir;
    bool *marked = calloc((size_t)ir->n_values + 1, sizeof *marked);

    *out = c->n_outputs == 0; /* the run would have no result */
    if (!marked)
        return bp_fail_nomem(err, "a run");
    for (uint32_t i = 0; i < c->session->ports.n_required; i++)
        marked[c->ported->inputs[i]] = missing[i];
    bp_ir_mark_downstream(ir, marked);
    for (uint32_t i = 0; c->state && i < c->state->n_values; i++)
        *out |= marked[c->ported->outputs[c->state->values[i].output]];
    for (uint32_t i = 0; i < c->n_outputs; i++)
        *out |= marked[c->ported->outputs[c->outputs[i].index]];
    free(marked);
    return BP_OK;
}

/*
 * Chooses an engine that runs without the inputs that are not fed, unless a wanted output needs
 * them.
 */
static bp_rc do_without(struct bp_call *c, bool has_open_scalars, bool *missing, bp_err *err)
{
    bool is_needed = false, is_lost;
    bp_rc rc;

    for (uint32_t i = 0; i < c->n_inputs; i++) {
        if (c->inputs[i].index < c->session->ports.n_required)
            missing[c->inputs[i].index] = false;
    }
    for (uint32_t i = 0; c->state && i < c->state->n_values; i++)
        missing[c->state->values[i].input] = false;
    for (uint32_t i = 0; i < c->session->ports.n_required; i++) {
        missing[i] &= c->ported->is_needed[i];
        is_needed |= missing[i];
    }
    if (!is_needed)
        return BP_OK;
    rc = needs_missing(c, missing, &is_lost, err);
    if (rc >= 0 && is_lost)
        rc = fail_missing(c, missing, err);
    if (rc >= 0)
        rc = bp_session_variant(c->session, has_open_scalars, missing, &c->ported, err);
    return rc;
}

/* calloc() is fast enough here, because runs that leave out inputs are rare */
static bp_rc choose_for_missing(struct bp_call *c, bool has_open_scalars, bp_err *err)
{
    uint32_t n = c->session->ports.n_required;
    bool *missing = calloc(n, sizeof *missing);
    bp_rc rc;

    if (!missing)
        return bp_fail_nomem(err, "a run");
    memset(missing, true, n);
    rc = do_without(c, has_open_scalars, missing, err);
    free(missing);
    return rc;
}

/*
 * Is a tensor with dimensions fed to an input that is declared as a scalar? ONNX Runtime accepts
 * that, and so does this host.
 */
static bool is_shaped(const bp_binding *binding)
{
    const bp_tensor *tensor =
        binding->object ? bp_object_tensor(binding->object) : &binding->tensor;

    return tensor && tensor->rank > 0;
}

/*
 * Chooses the engine. The main one takes feeds of exactly the required inputs in their declared
 * ranks. Defaults that are fed, scalars with dimensions, and inputs that are left out each need an
 * engine whose graph allows for it.
 */
bp_rc bp_call_choose_engine(struct bp_call *c, bp_err *err)
{
    const struct bp_ports *ports = &c->session->ports;
    bool has_defaults = false, has_open_scalars = false;
    uint32_t n_required = 0;
    bp_rc rc = BP_OK;

    c->ported = &c->session->main;
    for (uint32_t i = 0; i < c->n_outputs; i++) {
        if (c->outputs[i].index >= ports->n_outputs)
            return bp_fail(err, BP_E_INVALID, "the model has %u outputs, there is no output %u",
                           ports->n_outputs, c->outputs[i].index);
    }
    for (uint32_t i = 0; i < c->n_inputs; i++) {
        uint32_t index = c->inputs[i].index;

        if (index >= ports->n_inputs)
            return bp_fail(err, BP_E_INVALID, "the model has %u inputs, there is no input %u",
                           ports->n_inputs, index);
        n_required += index < ports->n_required;
        has_defaults |= index >= ports->n_required;
        if (ports->inputs[index].rank == 0 && is_shaped(&c->inputs[i]))
            has_open_scalars |= ports->inputs[index].type->kind == BP_KIND_TENSOR;
    }
    rc = bp_call_check_state(c, err);
    n_required += c->state ? c->state->n_values : 0;
    if (rc >= 0 && (has_defaults || has_open_scalars))
        rc = bp_session_variant(c->session, has_open_scalars, NULL, &c->ported, err);
    if (rc >= 0 && n_required < ports->n_required)
        rc = choose_for_missing(c, has_open_scalars, err);
    return rc;
}
