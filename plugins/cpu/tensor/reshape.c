/* SPDX-License-Identifier: MIT */
/*
 * reshape.c - the operators that give the same elements another shape: Reshape (ai.onnx, opsets 1,
 * 5, 13, ...), Flatten (1, 9, 11, 13, ...), Squeeze and Unsqueeze (1, 11, 13, ...), Identity (1,
 * 13, 14, ...).
 *
 * Reshape    the shape in attribute (1) or input 1 (5...); 0 keeps a size, -1 is what is left
 * Flatten    (d0 * .. * d[axis-1], d[axis] * ..)
 * Squeeze    without the axes of size 1, all of them or those listed
 * Unsqueeze  with axes of size 1; both have axes as an attribute before 13, as input 1 from then on
 *
 * Within a program Y is a view of X and nothing runs; a copy is made only at the borders of a
 * group. Types: all.
 */

#include "kernels/runtime_shape.h"

/* Copies the bytes of X, unless Y lies on it already. Packed types are counted in bits. */
static bp_rc copy(struct bp_cpu_call *call)
{
    const bp_tensor *x = call->in[0];
    const void *from = bp_tensor_data(x);
    void *to = bp_tensor_data(call->out[0]);
    size_t width = bp_cpu_width(x->dtype), n = (size_t)bp_cpu_count(x);
    size_t bytes = width ? n * width : (n * bp_dtype_width(x->dtype) + 7) / 8;

    if (bytes > 0 && to != from)
        memcpy(to, from, bytes);
    return BP_OK;
}

/* Y has its shape already, so that copy() is all that is left. */
static bool is_plain(const struct bp_cpu_call *call)
{
    return !((const struct bp_cpu_runtime_shape *)call->state)->allocates_output;
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    return bp_cpu_runtime_shape_state(call, sizeof(struct bp_cpu_runtime_shape), 1, 1, err);
}

static bp_rc run_copy(struct bp_cpu_call *call, bp_err *err)
{
    (void)err;
    return copy(call);
}

/* ---- shapes known at run time --------------------------------------------------------------- */

/* allowzero (from 14 on) takes a size of 0 as it stands. */
static bp_rc run_reshape(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    struct bp_cpu_list shape = bp_cpu_list_input(call, 1);
    int64_t dims[BP_CPU_MAX_RANK], known = 1, count = bp_cpu_count(x), free_at = -1;
    bool keeps_zero = bp_cpu_int(call->node, "allowzero", 0) != 0;
    bp_rc rc;

    if (is_plain(call))
        return copy(call);
    if (bp_cpu_list_is_absent(&shape) || shape.n > BP_CPU_MAX_RANK)
        return bp_cpu_fail(call->node, err, BP_E_INVALID, "no shape, or one of too many sizes");
    for (int64_t d = 0; d < shape.n; d++) {
        dims[d] = bp_cpu_list_at(&shape, d);
        if (dims[d] == 0 && !keeps_zero && d < x->rank)
            dims[d] = x->dims[d];
        if (dims[d] == -1 && free_at < 0)
            free_at = d;
        else if (dims[d] < 0 || __builtin_mul_overflow(known, dims[d], &known))
            return bp_cpu_fail(call->node, err, BP_E_INVALID, "size %lld of the shape is not valid",
                               (long long)d);
    }
    if (free_at >= 0 && known > 0) {
        dims[free_at] = count / known;
        known *= dims[free_at];
    }
    if (known != count || (free_at >= 0 && dims[free_at] < 0))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "%lld elements do not have that shape",
                           (long long)count);
    rc = bp_cpu_runtime_shape_output(call, (uint32_t)shape.n, dims, err);
    return rc < 0 ? rc : copy(call);
}

/*
 * Sets marks[axis] for each axis of the list, in -rank..rank-1. BP_E_INVALID: out of range, or
 * twice.
 */
static bp_rc mark_axes(struct bp_cpu_call *call, const struct bp_cpu_list *axes, uint32_t rank,
                       bool *marks, bp_err *err)
{
    for (int64_t i = 0; i < axes->n; i++) {
        uint32_t axis;
        bp_rc rc = bp_cpu_axis(call, bp_cpu_list_at(axes, i), rank, &axis, err);

        if (rc < 0)
            return rc;
        if (marks[axis])
            return bp_cpu_fail(call->node, err, BP_E_INVALID, "axis %u is given twice", axis);
        marks[axis] = true;
    }
    return BP_OK;
}

static bp_rc run_squeeze(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    struct bp_cpu_list axes = bp_cpu_list_input(call, 1);
    bool marks[BP_CPU_MAX_RANK] = {false};
    int64_t dims[BP_CPU_MAX_RANK];
    uint32_t rank = 0;
    bp_rc rc;

    if (is_plain(call))
        return copy(call);
    rc = mark_axes(call, &axes, x->rank, marks, err);
    for (uint32_t d = 0; d < x->rank && rc >= 0; d++) {
        bool goes = bp_cpu_list_is_absent(&axes) ? x->dims[d] == 1 : marks[d];

        if (!goes)
            dims[rank++] = x->dims[d];
        else if (x->dims[d] != 1)
            rc = bp_cpu_fail(call->node, err, BP_E_INVALID, "axis %u has size %lld, not 1", d,
                             (long long)x->dims[d]);
    }
    if (rc >= 0)
        rc = bp_cpu_runtime_shape_output(call, rank, dims, err);
    return rc < 0 ? rc : copy(call);
}

static bp_rc run_unsqueeze(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    struct bp_cpu_list axes = bp_cpu_list_input(call, 1);
    bool marks[BP_CPU_MAX_RANK] = {false};
    int64_t dims[BP_CPU_MAX_RANK];
    uint32_t rank, from = 0;
    bp_rc rc;

    if (is_plain(call))
        return copy(call);
    if (axes.n > BP_CPU_MAX_RANK - x->rank)
        return bp_cpu_fail(call->node, err, BP_E_INVALID, "too many axes");
    rank = x->rank + (uint32_t)axes.n;
    rc = mark_axes(call, &axes, rank, marks, err);
    for (uint32_t d = 0; d < rank && rc >= 0; d++)
        dims[d] = marks[d] ? 1 : x->dims[from++];
    if (rc >= 0)
        rc = bp_cpu_runtime_shape_output(call, rank, dims, err);
    return rc < 0 ? rc : copy(call);
}

const struct bp_cpu_op bp_cpu_op_flatten = {
    .name = "Flatten",
    .since = 1,
    .flags = BP_CPU_VIEW,
    .types = BP_CPU_ANY_TYPE,
    .run = run_copy,
};

const struct bp_cpu_op bp_cpu_op_identity = {
    .name = "Identity",
    .since = 1,
    .flags = BP_CPU_VIEW,
    .types = BP_CPU_ANY_TYPE,
    .run = run_copy,
};

const struct bp_cpu_op bp_cpu_op_reshape = {
    .name = "Reshape",
    .since = 1,
    .flags = BP_CPU_VIEW | BP_CPU_RUNTIME_SHAPE,
    .types = BP_CPU_ANY_TYPE,
    .prepare = prepare,
    .run = run_reshape,
};

const struct bp_cpu_op bp_cpu_op_squeeze = {
    .name = "Squeeze",
    .since = 1,
    .flags = BP_CPU_VIEW | BP_CPU_RUNTIME_SHAPE,
    .types = BP_CPU_ANY_TYPE,
    .prepare = prepare,
    .run = run_squeeze,
};

const struct bp_cpu_op bp_cpu_op_unsqueeze = {
    .name = "Unsqueeze",
    .since = 1,
    .flags = BP_CPU_VIEW | BP_CPU_RUNTIME_SHAPE,
    .types = BP_CPU_ANY_TYPE,
    .prepare = prepare,
    .run = run_unsqueeze,
};
