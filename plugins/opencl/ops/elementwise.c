/* SPDX-License-Identifier: MIT */
/* elementwise.c - see elementwise.h. */

#include "ops/elementwise.h"

#include "build/chain.h"

bool bp_opencl_make_walk(struct bp_opencl_builder *b, uint32_t rank, const int64_t *dims,
                         const struct bp_opencl_tensor *const *in, uint32_t n,
                         struct bp_opencl_walk *out)
{
    struct bp_broadcast nest;
    uint32_t ranks[BP_BROADCAST_INPUTS];
    const int64_t *in_dims[BP_BROADCAST_INPUTS];

    *out = (struct bp_opencl_walk){0};
    for (uint32_t k = 0; k < n; k++) {
        ranks[k] = in[k]->rank;
        in_dims[k] = in[k]->dims;
    }
    if (b->rc < 0)
        return false;
    if (!bp_broadcast_make(rank, dims, n, ranks, in_dims, &nest) ||
        nest.rank > BP_OPENCL_MAX_RANK) {
        bp_opencl_build_fail(b, BP_E_SHAPE, "opencl: inputs of '%s' do not broadcast",
                             BP_NODE(b->graph, b->node)->name);
        return false;
    }
    out->rank = (int32_t)nest.rank;
    for (uint32_t d = 0; d < nest.rank; d++) {
        out->dims[d] = (int32_t)nest.dims[d];
        for (uint32_t k = 0; k < n; k++)
            out->strides[k][d] = (int32_t)nest.strides[k][d];
    }
    return true;
}

/* Is every input one element, or walked through like the output? */
static bool is_flat(const struct bp_opencl_walk *walk, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        if (walk->strides[k][0] > 1)
            return false;
    }
    return walk->rank == 1;
}

void bp_opencl_elementwise(struct bp_opencl_builder *b, const struct bp_opencl_tensor *y,
                           const struct bp_opencl_tensor *const *in, uint32_t n,
                           struct bp_opencl_prefix *prefix, const char *expr)
{
    static const char *const types[] = {"TA", "TB", "TC"};
    struct bp_opencl_walk walk;
    bool flat;

    if (bp_opencl_chain(b, y, in, n, prefix, expr) ||
        !bp_opencl_make_walk(b, y->rank, y->dims, in, n, &walk))
        return;
    flat = is_flat(&walk, n);
    bp_opencl_define(prefix, "#define N_IN %u", n);
    bp_opencl_define_type(prefix, "TY", y->dtype);
    for (uint32_t k = 0; k < n; k++) {
        bp_opencl_define_type(prefix, types[k], in[k]->dtype);
        if (flat)
            bp_opencl_define(prefix, "#define STEP_%c %d", 'A' + (int)k, (int)walk.strides[k][0]);
    }
    if (flat)
        bp_opencl_define(prefix, "#define IS_FLAT");
    bp_opencl_define(prefix, "C_TY f(C_TA a%s%s) { return %s; }", n > 1 ? ", C_TB b" : "",
                     n > 2 ? ", C_TC c" : "", expr);
    bp_opencl_begin(b, "elementwise", prefix->text, "elementwise");
    bp_opencl_operand(b, y);
    for (uint32_t k = 0; k < n; k++)
        bp_opencl_operand(b, in[k]);
    if (flat) {
        bp_opencl_int(b, y->count);
        bp_opencl_run(b, y->count, 1, 1);
    } else {
        int64_t inner = walk.dims[walk.rank - 1];

        bp_opencl_struct(b, &walk, sizeof walk);
        bp_opencl_int(b, y->count / inner);
        bp_opencl_run(b, inner, y->count / inner, 1);
    }
}

const char *bp_opencl_expr(const struct bp_opencl_op *op, const struct bp_opencl_tensor *x)
{
    bool is_float = x->dtype == BP_DTYPE_F32 || x->dtype == BP_DTYPE_F16;

    return op->int_expr && !is_float ? op->int_expr : op->expr;
}

void bp_opencl_define_attrs(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                            const bp_node *node, struct bp_opencl_prefix *prefix)
{
    static const char *const names[] = {"P0", "P1"};

    for (uint32_t i = 0; i < 2; i++) {
        if (op->attrs[i])
            bp_opencl_define_float(prefix, names[i],
                                   bp_node_float(b->graph, node, op->attrs[i], op->defaults[i]));
    }
}
