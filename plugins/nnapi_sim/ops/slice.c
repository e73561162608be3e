/* SPDX-License-Identifier: MIT */
/* slice.c - Slice, Gather, Pad: parts of a tensor, and what is put around it. */

#include "families.h"

/* ---- Slice ----------------------------------------------------------------------------------- */

struct range {
    int64_t start, stop, step; /* stop may be -1 where step is negative */
};

/* starts, ends, axes, steps of the inputs. False: not all are constants. */
static bool read_ranges(const bp_instance *instance, const bp_graph *graph, const bp_node *node,
                        const struct bp_nn_arg *x, struct range *out)
{
    int64_t lists[4][BP_NN_MAX_RANK];
    uint32_t n[4] = {0}, rank = bp_nn_rank(graph, x);

    for (uint32_t i = 0; i < 4 && i + 1 < node->n_in; i++) {
        if (node->in[1 + i] != BP_NONE &&
            !bp_nn_ints(instance, graph, node->in[1 + i], lists[i], BP_NN_MAX_RANK, &n[i]))
            return false;
    }
    for (uint32_t i = 0; i < rank; i++)
        out[i] = (struct range){0, bp_nn_dim(graph, x, i), 1};
    for (uint32_t i = 0; i < n[0] && i < n[1]; i++) {
        int64_t axis = n[2] > 0 ? lists[2][i] : i, step = n[3] > 0 ? lists[3][i] : 1, size;
        int64_t start = lists[0][i], stop = lists[1][i];

        axis += axis < 0 ? rank : 0;
        if (axis < 0 || axis >= rank || step == 0 || step != (int32_t)step)
            return false;
        size = bp_nn_dim(graph, x, (uint32_t)axis);
        start = start < -size ? (step < 0 ? -1 - size : -size) : start;
        start += start < 0 ? size : 0;
        stop = stop < -size ? -1 - size : stop;
        stop += stop < 0 ? size : 0;
        if (step > 0)
            out[axis] = (struct range){start < size ? start : size,
                                       stop < 0      ? 0
                                       : stop < size ? stop
                                                     : size,
                                       step};
        else
            out[axis] = (struct range){start < size ? start : size - 1,
                                       stop < size ? stop : size - 1, step};
    }
    return true;
}

static bool claim_slice(const struct bp_nn_op *op, const struct bp_nn_query *query)
{
    struct range ranges[BP_NN_MAX_RANK];

    (void)op;
    if (!bp_nn_needs_rank(query, 0, 1, 4))
        return false;
    if (read_ranges(query->instance, query->graph, query->node, &query->unit->in[0], ranges))
        return true;
    return bp_nn_refuse(query, BP_R_NOT_CONSTANT, "starts",
                        "starts, ends, axes and steps are not constants");
}

static void lower_slice(const struct bp_nn_op *op, struct bp_nn_build *b, struct bp_nn_unit *unit)
{
    int layout = bp_nn_layout_of(b, &unit->in[0]);
    uint32_t rank = bp_nn_rank(b->graph, &unit->in[0]), in[7];
    uint32_t out = bp_nn_out(b, unit, layout);
    int32_t start[BP_NN_MAX_RANK], stop[BP_NN_MAX_RANK], step[BP_NN_MAX_RANK];
    int32_t size[BP_NN_MAX_RANK], stop_mask = 0;
    struct range ranges[BP_NN_MAX_RANK];
    bool is_plain = b->instance->level >= BP_NN_FL3;

    (void)op;
    if (!read_ranges(b->instance, b->graph, unit->node, &unit->in[0], ranges))
        return;
    for (uint32_t i = 0; i < rank; i++) {
        uint32_t at = bp_nn_axis(i, rank, layout);

        start[at] = (int32_t)ranges[i].start;
        stop[at] = (int32_t)ranges[i].stop;
        step[at] = (int32_t)ranges[i].step;
        size[at] = (int32_t)bp_nn_at(b, out)->dims[at];
        if (ranges[i].stop < 0)
            stop_mask |= 1 << at; /* -1 would count from the end */
        is_plain &= ranges[i].step == 1;
    }
    in[0] = bp_nn_in(b, &unit->in[0], layout);
    in[1] = bp_nn_i32s(b, start, rank);
    in[2] = bp_nn_i32s(b, is_plain ? size : stop, rank);
    if (is_plain) {
        bp_nn_emit(b, ANEURALNETWORKS_SLICE, 3, in, out);
        return;
    }
    in[3] = bp_nn_i32s(b, step, rank);
    in[4] = bp_nn_i32(b, 0);
    in[5] = bp_nn_i32(b, stop_mask);
    in[6] = bp_nn_i32(b, 0);
    bp_nn_emit(b, ANEURALNETWORKS_STRIDED_SLICE, 7, in, out);
}

/* ---- Gather ---------------------------------------------------------------------------------- */

static bool claim_gather(const struct bp_nn_op *op, const struct bp_nn_query *query)
{
    const bp_value *indices = BP_VALUE(query->graph, query->unit->in[1].value);

    (void)op;
    if (!bp_nn_needs_rank(query, 0, 1, 4) || !bp_nn_needs_axis(query, "axis", 0))
        return false;
    if (indices->dtype == BP_DTYPE_I32 || indices->flags & BP_VALUE_CONSTANT)
        return true;
    return bp_nn_refuse(query, BP_R_NOT_CONSTANT, indices->name,
                        "indices of int64 that are not constant, NNAPI takes int32");
}

/* Constant indices as int32; those that count from the end as those from the beginning. */
static uint32_t constant_indices(struct bp_nn_build *b, const struct bp_nn_arg *arg, int64_t size)
{
    uint64_t bytes = BP_VALUE(b->graph, arg->value)->const_bytes;
    uint32_t cap = (uint32_t)(bytes / 4 + 1), n = 0;
    struct bp_nn_operand operand = {.type = ANEURALNETWORKS_TENSOR_INT32};
    int64_t *wide = bp_nn_get(b, cap * sizeof *wide);
    int32_t *narrow = bp_nn_get(b, cap * sizeof *narrow);

    operand.rank = bp_nn_dims(b, arg->value, BP_NN_NCHW, operand.dims);
    if (wide && narrow && !bp_nn_ints(b->instance, b->graph, arg->value, wide, cap, &n))
        bp_nn_give_up(b, "its indices cannot be read");
    for (uint32_t i = 0; i < n; i++) {
        if (wide[i] < -size || wide[i] >= size)
            bp_nn_give_up(b, "index %lld of %lld", (long long)wide[i], (long long)size);
        narrow[i] = (int32_t)(wide[i] < 0 ? wide[i] + size : wide[i]);
    }
    operand.data = narrow;
    return bp_nn_constant(b, &operand);
}

/* A scalar index has one size less in ONNX than in NNAPI. */
static void lower_gather(const struct bp_nn_op *op, struct bp_nn_build *b, struct bp_nn_unit *unit)
{
    uint32_t rank = bp_nn_rank(b->graph, &unit->in[0]), dims[BP_NN_MAX_RANK], in[3], out, y;
    int64_t axis = bp_node_int(b->graph, unit->node, "axis", 0);
    int64_t size = bp_nn_dim(b->graph, &unit->in[0], bp_nn_axis(axis, rank, BP_NN_NCHW));

    in[0] = bp_nn_in(b, &unit->in[0], BP_NN_NCHW);
    in[1] = bp_nn_i32(b, (int32_t)bp_nn_axis(axis, rank, BP_NN_NCHW));
    in[2] = bp_nn_is_constant(b, unit->in[1].value) ? constant_indices(b, &unit->in[1], size)
                                                    : bp_nn_in(b, &unit->in[1], BP_NN_NCHW);
    y = out = bp_nn_out(b, unit, BP_NN_NCHW);
    if (bp_nn_rank(b->graph, &unit->in[1]) == 0) {
        bp_nn_dims(b, unit->in[0].value, BP_NN_NCHW, dims);
        dims[bp_nn_axis(axis, rank, BP_NN_NCHW)] = 1;
        y = bp_nn_like(b, out, rank, dims);
    }
    bp_nn_emit(b, op->code, 3, in, y);
    if (y != out)
        bp_nn_reshape(b, y, out);
}

/* ---- Pad ------------------------------------------------------------------------------------- */

/* begin and end of each axis; those that `axes` does not name have none. */
static bool read_pads(const bp_instance *instance, const bp_graph *graph, const bp_node *node,
                      const struct bp_nn_arg *x, int32_t (*out)[2])
{
    int64_t pads[2 * BP_NN_MAX_RANK], axes[BP_NN_MAX_RANK];
    uint32_t n, n_axes, rank = bp_nn_rank(graph, x);

    if (!bp_nn_ints(instance, graph, node->in[1], pads, 2 * BP_NN_MAX_RANK, &n))
        return false;
    n_axes = n / 2;
    for (uint32_t i = 0; i < n_axes && i < BP_NN_MAX_RANK; i++)
        axes[i] = i;
    if (node->n_in > 3 && node->in[3] != BP_NONE &&
        (!bp_nn_ints(instance, graph, node->in[3], axes, BP_NN_MAX_RANK, &n) || n != n_axes))
        return false;
    for (uint32_t i = 0; i < rank; i++)
        out[i][0] = out[i][1] = 0;
    for (uint32_t i = 0; i < n_axes; i++) {
        uint32_t at = bp_nn_axis(axes[i], rank, BP_NN_NCHW);

        if (at >= rank || pads[i] != (int32_t)pads[i] ||
            pads[n_axes + i] != (int32_t)pads[n_axes + i])
            return false;
        out[at][0] = (int32_t)pads[i];
        out[at][1] = (int32_t)pads[n_axes + i];
    }
    return true;
}

static bool claim_pad(const struct bp_nn_op *op, const struct bp_nn_query *query)
{
    int32_t pads[BP_NN_MAX_RANK][2];
    uint32_t rank = bp_nn_rank(query->graph, &query->unit->in[0]);

    (void)op;
    if (!bp_nn_needs_rank(query, 0, 1, 4) || !bp_nn_needs_constant(query, 2, "value"))
        return false;
    if (!bp_node_string_is(query->graph, query->node, "mode", "constant", "constant"))
        return bp_nn_refuse(query, BP_R_ATTRIBUTE, "mode", "mode is not constant");
    if (!read_pads(query->instance, query->graph, query->node, &query->unit->in[0], pads))
        return bp_nn_refuse(query, BP_R_NOT_CONSTANT, "pads", "pads are not constants");
    for (uint32_t i = 0; i < rank; i++) {
        if (pads[i][0] < 0 || pads[i][1] < 0)
            return bp_nn_refuse(query, BP_R_OTHER, "pads", "a pad is below 0");
    }
    return true;
}

static void lower_pad(const struct bp_nn_op *op, struct bp_nn_build *b, struct bp_nn_unit *unit)
{
    int layout = bp_nn_layout_of(b, &unit->in[0]);
    int32_t pads[BP_NN_MAX_RANK][2], *moved;
    uint32_t rank = bp_nn_rank(b->graph, &unit->in[0]), in[3], n = 0;
    struct bp_nn_operand operand = {
        .type = ANEURALNETWORKS_TENSOR_INT32, .rank = 2, .dims = {rank, 2}};
    float value = 0;

    moved = bp_nn_get(b, rank * sizeof *pads);
    if (!moved || !read_pads(b->instance, b->graph, unit->node, &unit->in[0], pads))
        return;
    for (uint32_t i = 0; i < rank; i++)
        memcpy(moved + 2u * bp_nn_axis(i, rank, layout), pads[i], sizeof pads[i]);
    if (unit->node->n_in > 2 && unit->node->in[2] != BP_NONE &&
        !bp_nn_floats(b->instance, b->graph, unit->node->in[2], &value, 1, &n))
        bp_nn_give_up(b, "its value cannot be read");
    operand.data = moved;
    in[0] = bp_nn_in(b, &unit->in[0], layout);
    in[1] = bp_nn_constant(b, &operand);
    in[2] = bp_nn_f32(b, value);
    bp_nn_emit(b, op->code, 3, in, bp_nn_out(b, unit, layout));
}

static const struct bp_nn_op rows[] = {
    {.name = "Slice",
     .n_needed = 3,
     .first = 10,
     .types = BP_NN_F32,
     .level = BP_NN_FL2,
     .claim = claim_slice,
     .lower = lower_slice},
    {.name = "Gather",
     .n_needed = 2,
     .first = 1,
     .types = BP_NN_F32,
     .level = BP_NN_FL3,
     .code = ANEURALNETWORKS_GATHER,
     .claim = claim_gather,
     .lower = lower_gather},
    {.name = "Pad",
     .n_needed = 2,
     .first = 11,
     .types = BP_NN_F32,
     .level = BP_NN_FL3,
     .code = ANEURALNETWORKS_PAD_V2,
     .claim = claim_pad,
     .lower = lower_pad},
};

const struct bp_nn_family bp_nn_slice = BP_NN_FAMILY(rows);
