/* SPDX-License-Identifier: MIT */
/*
 * binary.c - Add, Sub, Mul, Div (7, 13, 14) and Sum (6, 8, 13). oneDNN broadcasts the second tensor
 * only, so one input has to have the shape of the output; it is slow with a scalar, which has a
 * loop of our own.
 */

#include "base/claim.h"
#include "base/library.h"
#include "base/operator.h"
#include "build/attributes.h"
#include "build/builder.h"
#include "build/input.h"
#include "build/layout.h"
#include "build/output.h"
#include "build/primitive.h"
#include "build/step.h"
#include "kernels/vector.h"

/* Then either input may be the one that is broadcast. */
static bool commutes(const struct bp_dnnl_op *op)
{
    return op->kind == dnnl_binary_add || op->kind == dnnl_binary_mul;
}

/* One input, the first unless they commute, has the output's shape whatever the sizes. */
static bool claim_two(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query, double *flops)
{
    const bp_value *y = bp_node_out(query->graph, query->node, 0), *first, *second;

    (void)flops;
    if (!bp_dnnl_takes_input(query, 0, 0, BP_DNNL_MAX_RANK - 1) ||
        !bp_dnnl_takes_input(query, 1, 0, BP_DNNL_MAX_RANK - 1))
        return false;
    first = bp_node_in(query->graph, query->node, 0);
    second = bp_node_in(query->graph, query->node, 1);
    if (bp_dnnl_same_shape(first, y) || (commutes(op) && bp_dnnl_same_shape(second, y)))
        return true;
    return bp_dnnl_refuse(query,
                          bp_dnnl_is_sized(first) && bp_dnnl_is_sized(second) ? BP_R_OTHER
                                                                              : BP_R_DYNAMIC_SHAPE,
                          first->name, "it may not have the shape of the output");
}

/* Of two tensors it is an Add; more of them must not be broadcast, as oneDNN's sum cannot. */
static bool claim_sum(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query, double *flops)
{
    const bp_value *y = bp_node_out(query->graph, query->node, 0);

    if (query->node->n_in == 2)
        return claim_two(op, query, flops);
    for (uint32_t i = 0; i < query->node->n_in; i++) {
        if (!bp_dnnl_takes_input(query, i, 0, BP_DNNL_MAX_RANK - 1))
            return false;
        if (!bp_dnnl_same_shape(bp_node_in(query->graph, query->node, i), y))
            return bp_dnnl_refuse(query, BP_R_OTHER, NULL,
                                  "input %u may not have the shape of the output", i);
    }
    return true;
}

/* By the sizes of this frame, where claims could only ask for certainty. */
static bool same_dims(const struct bp_dnnl_value *a, const struct bp_dnnl_value *b)
{
    return a->rank == b->rank && memcmp(a->dims, b->dims, sizeof *a->dims * (size_t)a->rank) == 0;
}

/*
 * Input `other` beside one in layout `md`: in that layout too, or to be broadcast from a row-major
 * one, with ones before its dimensions.
 */
static bp_rc get_other(struct bp_dnnl_builder *b, uint32_t other, const dnnl_memory_desc_t *md,
                       struct bp_dnnl_tensor *out, bp_err *err)
{
    const struct bp_dnnl_value *value = &b->values[other];
    dnnl_memory_desc_t row_major;
    dnnl_dims_t dims;
    bp_rc rc;

    if (value->rank == md->ndims &&
        memcmp(value->dims, md->dims, sizeof *dims * (size_t)value->rank) == 0)
        return bp_dnnl_tensor_of(b, other, md, out, err);
    bp_dnnl_row_major_as(value->rank, value->dims, md->data_type, &row_major);
    rc = bp_dnnl_tensor_of(b, other, &row_major, out, err);
    if (rc < 0)
        return rc;
    for (int i = 0; i < md->ndims; i++) {
        int at = i - (md->ndims - value->rank);

        dims[i] = at < 0 ? 1 : value->dims[at];
    }
    bp_dnnl_row_major_as(md->ndims, dims, md->data_type, &out->md);
    return BP_OK;
}

/* Loops over all of x with a scalar; an iteration is an element. */
#define WITH_SCALAR(name, op)                                                                      \
    VECTOR_LOOP                                                                                    \
    static void name(const void *u, void *const *at, size_t first, size_t end)                     \
    {                                                                                              \
        const float *x = at[0];                                                                    \
        float scalar = *(const float *)at[1], *y = at[2];                                          \
                                                                                                   \
        (void)u;                                                                                   \
        for (size_t i = first; i < end; i++)                                                       \
            y[i] = x[i] op scalar;                                                                 \
    }

WITH_SCALAR(add_scalar, +)
WITH_SCALAR(subtract_scalar, -)
WITH_SCALAR(multiply_by_scalar, *)
WITH_SCALAR(divide_by_scalar, /)

/* By oneDNN's name of the operator. */
static bp_dnnl_typed_loop scalar_loop(dnnl_alg_kind_t kind)
{
    switch (kind) {
    case dnnl_binary_add:
        return add_scalar;
    case dnnl_binary_sub:
        return subtract_scalar;
    case dnnl_binary_mul:
        return multiply_by_scalar;
    default:
        return divide_by_scalar;
    }
}

/*
 * Is z a scalar, and x nothing but elements? Padding of blocks has to stay 0, which a sum with a
 * scalar would break.
 */
static bool is_scalar(const dnnl_memory_desc_t *x, const dnnl_memory_desc_t *z)
{
    size_t count = (size_t)bp_dims_count(x->dims, (uint32_t)x->ndims);

    return x->data_type == dnnl_f32 && z->data_type == dnnl_f32 &&
           bp_dims_count(z->dims, (uint32_t)z->ndims) == 1 &&
           bp_dnnl.memory_desc_get_size(x) == count * sizeof(float);
}

/* `whole` has the shape of the output and is overwritten if no other node reads it. */
static bp_rc emit(struct bp_dnnl_builder *b, dnnl_alg_kind_t kind, uint32_t whole, uint32_t other,
                  bp_err *err)
{
    struct bp_dnnl_tensor x, z, y;
    struct bp_dnnl_arg args[3] = {{DNNL_ARG_SRC_0, &x}, {DNNL_ARG_SRC_1, &z}, {DNNL_ARG_DST, &y}};
    const struct bp_dnnl_tensor *operands[] = {&x, &z, &y};
    dnnl_binary_desc_t desc;
    dnnl_status_t status;
    bp_rc rc;

    rc = bp_dnnl_tensor_of(b, whole, NULL, &x, err);
    if (rc >= 0)
        rc = get_other(b, other, &x.md, &z, err);
    if (rc < 0)
        return rc;
    if (is_scalar(&x.md, &z.md)) {
        size_t count = (size_t)bp_dims_count(x.md.dims, (uint32_t)x.md.ndims);

        rc = bp_dnnl_make_in_place(b, BP_NODE(b->graph, b->node)->out[0], whole, &x, &y, err);
        return rc < 0
                   ? rc
                   : bp_dnnl_emit_typed(b, scalar_loop(kind), NULL, count, count, 3, operands, err);
    }
    status = bp_dnnl.binary_desc_init(&desc, kind, &x.md, &z.md, &x.md);
    return bp_dnnl_emit_desc(b, status, &desc, whole, &y, 3, args, err);
}

/*
 * Has the value a layout that oneDNN chose? Then the other input is reordered to it, rather than
 * the reverse.
 */
static bool is_chosen(const struct bp_dnnl_builder *b, uint32_t value)
{
    const struct bp_dnnl_value *v = &b->values[value];

    return v->n_tensors > 0 && !bp_dnnl_is_row_major(&v->tensors[0].md);
}

/* If both have the output's shape, the layout of one that oneDNN chose wins. */
static bp_rc build_two(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op, const bp_node *node,
                       bp_err *err)
{
    const struct bp_dnnl_value *y = &b->values[node->out[0]];
    bool first = same_dims(bp_dnnl_in(b, node, 0), y);
    bool second = commutes(op) && same_dims(bp_dnnl_in(b, node, 1), y);

    if (second && (!first || (is_chosen(b, node->in[1]) && !is_chosen(b, node->in[0]))))
        return emit(b, op->kind, node->in[1], node->in[0], err);
    return emit(b, op->kind, node->in[0], node->in[1], err);
}

/* oneDNN's sum of three or more inputs, in the layout of the first. */
static bp_rc sum_all(struct bp_dnnl_builder *b, const bp_node *node, struct bp_dnnl_tensor *tensors,
                     struct bp_dnnl_arg *args, dnnl_memory_desc_t *mds, float *scales, bp_err *err)
{
    uint32_t n = node->n_in;
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t pd;
    dnnl_status_t status;
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; i < n && rc >= 0; i++) {
        rc = bp_dnnl_tensor_of(b, node->in[i], i > 0 ? &mds[0] : NULL, &tensors[i], err);
        mds[i] = tensors[i].md;
        scales[i] = 1;
        args[i] = (struct bp_dnnl_arg){DNNL_ARG_MULTIPLE_SRC + (int)i, &tensors[i]};
    }
    if (rc >= 0)
        rc = bp_dnnl_make_output(b, node->out[0], &mds[0], &tensors[n], err);
    if (rc >= 0)
        rc = bp_dnnl_attributes(b, NULL, &attr, err);
    if (rc < 0)
        return rc;
    args[n] = (struct bp_dnnl_arg){DNNL_ARG_DST, &tensors[n]};
    status =
        bp_dnnl.sum_primitive_desc_create(&pd, &mds[0], (int)n, scales, mds, attr, bp_dnnl.engine);
    bp_dnnl.primitive_attr_destroy(attr);
    if (status != dnnl_success)
        return bp_dnnl_fail(err, status, "%s '%s'", node->op, node->name);
    return bp_dnnl_emit(b, pd, n + 1, args, err);
}

/* Arrays are the frame's, as the number of inputs has no bound. */
static bp_rc build_sum(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op, const bp_node *node,
                       bp_err *err)
{
    size_t n = (size_t)node->n_in + 1;
    struct bp_dnnl_tensor *tensors;
    struct bp_dnnl_arg *args;
    dnnl_memory_desc_t *mds;
    float *scales;

    if (node->n_in == 2)
        return build_two(b, op, node, err);
    tensors = bp_blocks_array(b->memory, n, sizeof *tensors);
    args = bp_blocks_array(b->memory, n, sizeof *args);
    mds = bp_blocks_array(b->memory, n, sizeof *mds);
    scales = bp_blocks_array(b->memory, n, sizeof *scales);
    if (!tensors || !args || !mds || !scales)
        return bp_fail(err, BP_E_NOMEM, "dnnl: no memory for node '%s'", node->name);
    return sum_all(b, node, tensors, args, mds, scales, err);
}

#define ROW(row, onnx, first, last, claims, builds, what)                                          \
    const struct bp_dnnl_op bp_dnnl_op_##row = {                                                   \
        .name = onnx,                                                                              \
        .domain = "",                                                                              \
        .since = first,                                                                            \
        .until = last,                                                                             \
        .claim = claims,                                                                           \
        .build = builds,                                                                           \
        .kind = what,                                                                              \
    }

ROW(add, "Add", 7, 14, claim_two, build_two, dnnl_binary_add);
ROW(div, "Div", 7, 14, claim_two, build_two, dnnl_binary_div);
ROW(mul, "Mul", 7, 14, claim_two, build_two, dnnl_binary_mul);
ROW(sub, "Sub", 7, 14, claim_two, build_two, dnnl_binary_sub);
ROW(sum, "Sum", 6, 13, claim_sum, build_sum, dnnl_binary_add);
