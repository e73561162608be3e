/* SPDX-License-Identifier: MIT */
/* pad.c - Pad in all its modes. */

#include "ops/move.h"

#include <common/float16.h>

enum { ANY = BP_OPENCL_MAX_RANK, N_MODES = 4 };

/* In the order of kernels/pad.cl. */
static const char *const modes[N_MODES] = {"constant", "reflect", "edge", "wrap"};

static int mode_of(const bp_graph *graph, const bp_node *node)
{
    for (int i = 0; i < N_MODES; i++) {
        if (bp_node_string_is(graph, node, "mode", modes[0], modes[i]))
            return i;
    }
    return -1;
}

/* Elements before each dimension; false: the lists are not constant, or wrong. Sizes are the host's. */
static bool read_pads(const bp_host *host, const bp_graph *graph, const bp_node *node,
                      uint32_t rank, int64_t *before)
{
    struct bp_opencl_ints pads, axes;

    if (!bp_opencl_read_ints(host, graph, node, "pads", 1, &pads) ||
        !bp_opencl_read_ints(host, graph, node, "axes", 3, &axes))
        return false;
    memset(before, 0, ANY * sizeof *before);
    if (!axes.is_there) {
        for (axes.n = 0; axes.n < rank; axes.n++)
            axes.at[axes.n] = axes.n;
    }
    if (pads.n != 2 * axes.n)
        return false;
    for (uint32_t i = 0; i < axes.n; i++) {
        int64_t axis = axes.at[i] + (axes.at[i] < 0 ? (int64_t)rank : 0);

        if (axis < 0 || axis >= (int64_t)rank || pads.at[i] > INT32_MAX || pads.at[i] < -INT32_MAX)
            return false;
        before[axis] = pads.at[i];
    }
    return true;
}

static bool claim(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    int64_t before[ANY];

    if (!bp_opencl_takes(query, 0, op->types, 1, ANY) ||
        !bp_opencl_takes_optional(query, 2, op->types, 0, 1) || !bp_opencl_same_type(query, 2))
        return false;
    if (mode_of(query->graph, query->node) < 0)
        return bp_opencl_refuse(query, BP_R_ATTRIBUTE, "mode", "it is not known");
    return read_pads(&query->instance->host, query->graph, query->node,
                     bp_node_in(query->graph, query->node, 0)->rank, before) ||
           bp_opencl_refuse(query, BP_R_NOT_CONSTANT, "pads",
                            "pads and axes have to be constant, two for each axis");
}

/* Bits of the attribute `value`, which versions before 11 have. */
static uint32_t value_bits(const bp_graph *graph, const bp_node *node, uint32_t dtype)
{
    float value = bp_node_float(graph, node, "value", 0);
    uint32_t bits;

    if (dtype == BP_DTYPE_F16)
        return bp_f16_store(value);
    memcpy(&bits, &value, sizeof bits);
    return dtype == BP_DTYPE_F32 ? bits : 0;
}

static void build(struct bp_opencl_builder *b, const struct bp_opencl_op *op, const bp_node *node)
{
    const struct bp_opencl_tensor *x = bp_opencl_in(b, node, 0), *y = bp_opencl_out(b, node, 0);
    const struct bp_opencl_tensor *value = bp_opencl_in(b, node, 2);
    struct bp_opencl_walk walk = {.rank = (int32_t)y->rank};
    struct bp_opencl_prefix prefix = {.n = 0};
    int64_t before[ANY], strides[ANY];

    (void)op;
    if (!read_pads(&b->program->instance->host, b->graph, node, x->rank, before)) {
        bp_opencl_build_fail(b, BP_E_INTERNAL, "opencl: the pads of '%s' cannot be read",
                             node->name);
        return;
    }
    bp_opencl_dense(x->rank, x->dims, strides);
    for (uint32_t d = 0; d < y->rank; d++) {
        walk.dims[d] = (int32_t)y->dims[d];
        walk.strides[0][d] = (int32_t)strides[d];
        walk.strides[1][d] = (int32_t)before[d];
        walk.strides[2][d] = (int32_t)x->dims[d];
    }
    bp_opencl_define_bytes(&prefix, "T", y->dtype);
    bp_opencl_define(&prefix, "#define MODE %d", mode_of(b->graph, node));
    bp_opencl_define(&prefix, "#define VALUE_BITS 0x%xu",
                     (unsigned)value_bits(b->graph, node, y->dtype));
    if (value)
        bp_opencl_define(&prefix, "#define HAS_VALUE");
    bp_opencl_begin(b, "pad", prefix.text, "pad");
    bp_opencl_operand(b, y);
    bp_opencl_operand(b, x);
    if (value)
        bp_opencl_operand(b, value);
    bp_opencl_struct(b, &walk, sizeof walk);
    bp_opencl_int(b, y->count);
    bp_opencl_run(b, y->count, 1, 1);
}

const struct bp_opencl_op bp_opencl_pad_ops[] = {
    {.name = "Pad",
     .since = 2,
     .until = BP_OPENCL_LATEST,
     .claim = claim,
     .build = build,
     .types = BP_OPENCL_MOVABLE,
     .host_inputs = 1u << 1 | 1u << 3},
    {.name = NULL},
};
