/* SPDX-License-Identifier: MIT */
/*
 * move.c - operators that only move bytes: TransposeD, BroadcastToD, Fill, Flatten, Identity,
 * Reshape. By the size of an element, whatever its type.
 */
#include <string.h>

#include "core/interrupt.h"
#include "ops/op.h"

/* ---- walking -------------------------------------------------------------------------------- */

/* Writes `to` in order, reading each element from where the strides, in elements, say. */
static void gather(const struct sim_shape *to, const int64_t *stride, size_t element_size,
                   const void *in, void *out)
{
    int64_t index[SIM_RANK] = {0};
    const unsigned char *source = in;
    unsigned char *target = out;
    size_t n = 0;

    do {
        size_t offset = 0;

        if (n++ % SIM_CHUNK == 0 && sim_interrupted())
            return;
        for (size_t i = 0; i < to->rank; i++)
            offset += (size_t)(index[i] * stride[i]);
        memcpy(target, source + offset * element_size, element_size);
        target += element_size;
    } while (sim_next_index(to, to->rank, index));
}

/* For operators whose output has the bytes of the input. */
static void copy_all(const struct sim_call *call, const void *const *in, void *const *out)
{
    memmove(out[0], in[0], call->in[0].bytes);
}

/* ---- TransposeD ----------------------------------------------------------------------------- */

/* perm has to name each dimension once. */
static aclError prepare_transpose(struct sim_call *call, const aclopAttr *attr)
{
    const struct sim_shape *x = &call->in[0].shape;
    int64_t *perm = call->params.perm;
    unsigned seen = 0;
    size_t count;

    if (!sim_attr_ints(attr, "perm", SIM_RANK, perm, &count) || count != x->rank)
        return sim_refuse(call, "perm has to be a list of %zu integers", x->rank);
    call->result[0].rank = x->rank;
    for (size_t i = 0; i < count; i++) {
        if (perm[i] < 0 || perm[i] >= (int64_t)count || (seen & 1u << perm[i]))
            return sim_refuse(call, "perm is not a permutation: %lld", (long long)perm[i]);
        seen |= 1u << perm[i];
        call->result[0].dims[i] = x->dims[perm[i]];
    }
    return 0;
}

/* Reads the input by its strides, permuted. */
static void run_transpose(const struct sim_call *call, const void *const *in, void *const *out)
{
    const struct sim_shape *x = &call->in[0].shape;
    int64_t strides[SIM_RANK], permuted[SIM_RANK], stride = 1;

    for (size_t i = x->rank; i-- > 0;) {
        strides[i] = stride;
        stride *= x->dims[i];
    }
    for (size_t i = 0; i < x->rank; i++)
        permuted[i] = strides[call->params.perm[i]];
    gather(&call->result[0], permuted, aclDataTypeSize(call->in[0].type), in[0], out[0]);
}

/* ---- BroadcastToD, Fill --------------------------------------------------------------------- */

/* The result's shape from numbers that come from a program: each is 1 or more. */
static aclError take_shape(struct sim_call *call, const int64_t *dims, size_t rank)
{
    call->result[0].rank = rank;
    for (size_t i = 0; i < rank; i++) {
        if (dims[i] < 1)
            return sim_refuse(call, "dimension %zu would be %lld", i, (long long)dims[i]);
        call->result[0].dims[i] = dims[i];
    }
    return 0;
}

/* The whole shape is an attribute here; only dimensions of 1 are repeated. */
static aclError prepare_broadcast(struct sim_call *call, const aclopAttr *attr)
{
    struct sim_broadcast *broadcast = &call->params.broadcast;
    int64_t dims[SIM_RANK];
    size_t rank;
    aclError rc;

    if (!sim_attr_ints(attr, "shape", SIM_RANK, dims, &rank) || !sim_attr_has(attr, "shape"))
        return sim_refuse(call, "shape has to be a list of at most %d integers", SIM_RANK);
    rc = take_shape(call, dims, rank);
    if (rc)
        return rc;
    if (!sim_broadcast_shapes(&call->in[0].shape, &call->result[0], &broadcast->shape) ||
        !sim_same_shape(&broadcast->shape, &call->result[0]))
        return sim_refuse(call, "the input cannot be repeated to that shape");
    sim_broadcast_strides(&call->in[0].shape, &call->result[0], broadcast->stride[0]);
    return 0;
}

/* An input that is repeated has strides of 0. */
static void run_broadcast(const struct sim_call *call, const void *const *in, void *const *out)
{
    gather(&call->result[0], call->params.broadcast.stride[0], aclDataTypeSize(call->in[0].type),
           in[0], out[0]);
}

/*
 * The first input is the shape, a constant of int32 or int64 whose value is known when it is
 * compiled; the second is the value. `params` are not needed.
 */
static aclError prepare_fill(struct sim_call *call, const aclopAttr *attr)
{
    const struct sim_tensor *shape = &call->in[0];
    size_t element_size = aclDataTypeSize(shape->type);
    int64_t dims[SIM_RANK];

    (void)attr;
    if (!shape->value || shape->shape.rank != 1 || shape->count > SIM_RANK ||
        shape->value_size != shape->count * element_size)
        return sim_refuse(call, "the shape has to be a constant of at most %d elements", SIM_RANK);
    for (size_t i = 0; i < shape->count; i++) {
        int32_t small;

        if (element_size == sizeof dims[i]) {
            memcpy(&dims[i], (const char *)shape->value + i * element_size, element_size);
            continue;
        }
        memcpy(&small, (const char *)shape->value + i * element_size, sizeof small);
        dims[i] = small;
    }
    if (call->in[1].count != 1)
        return sim_refuse(call, "the value is not one element");
    call->result_type[0] = call->in[1].type;
    return take_shape(call, dims, shape->count);
}

/* Every element is the value's bytes. */
static void run_fill(const struct sim_call *call, const void *const *in, void *const *out)
{
    size_t element_size = aclDataTypeSize(call->in[1].type);

    for (size_t i = 0; i < call->out[0].count; i++)
        memcpy((char *)out[0] + i * element_size, in[1], element_size);
}

/* ---- shapes alone --------------------------------------------------------------------------- */

/* Two dimensions: those before the axis, and those from it on, multiplied. */
static aclError prepare_flatten(struct sim_call *call, const aclopAttr *attr)
{
    const struct sim_shape *x = &call->in[0].shape;
    int64_t axis = 1, rank = (int64_t)x->rank;

    if (!sim_attr_int(attr, "axis", &axis) || axis < -rank || axis > rank)
        return sim_refuse(call, "axis %lld of %lld dimensions", (long long)axis, (long long)rank);
    if (axis < 0)
        axis += rank;
    call->result[0] = (struct sim_shape){.rank = 2, .dims = {1, 1}};
    for (int64_t i = 0; i < rank; i++)
        call->result[0].dims[i >= axis] *= x->dims[i];
    return 0;
}

/* The result is the input. */
static aclError prepare_identity(struct sim_call *call, const aclopAttr *attr)
{
    (void)attr;
    call->result[0] = call->in[0].shape;
    return 0;
}

/* The shape is the output's, as described; a second input that says it too is not read. */
static aclError prepare_reshape(struct sim_call *call, const aclopAttr *attr)
{
    (void)attr;
    if (call->out[0].count != call->in[0].count)
        return sim_refuse(call, "a tensor of %zu elements cannot become one of %zu",
                          call->in[0].count, call->out[0].count);
    call->result[0] = call->out[0].shape;
    return 0;
}

/* A row: ACL's name, the most inputs, how it is prepared and run. */
#define MOVE(variable, name, most, check, kernel)                                                  \
    const struct sim_op sim_op_##variable = {                                                      \
        .type = name,                                                                              \
        .min_inputs = 1,                                                                           \
        .max_inputs = most,                                                                        \
        .outputs = 1,                                                                              \
        .types = SIM_EVERY,                                                                        \
        .mixed = true,                                                                             \
        .prepare = check,                                                                          \
        .bytes = kernel,                                                                           \
    };

MOVE(transpose, "TransposeD", 1, prepare_transpose, run_transpose)
MOVE(broadcast_to, "BroadcastToD", 1, prepare_broadcast, run_broadcast)
MOVE(flatten, "Flatten", 1, prepare_flatten, copy_all)
MOVE(identity, "Identity", 1, prepare_identity, copy_all)
MOVE(reshape, "Reshape", 2, prepare_reshape, copy_all)

const struct sim_op sim_op_fill = {
    .type = "Fill",
    .min_inputs = 2,
    .max_inputs = 2,
    .outputs = 1,
    .types = SIM_BIT(ACL_INT32) | SIM_BIT(ACL_INT64),
    .mixed = true,
    .prepare = prepare_fill,
    .bytes = run_fill,
};
