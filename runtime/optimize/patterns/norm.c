/* SPDX-License-Identifier: MIT */
/* norm.c - matches parts of normalizations over the last axis; see norm.h. */

#include "config.h"

#include "optimize/patterns/norm.h"

bool bp_norm_is(const struct bp_rewrite *rw, uint32_t n, const char *op)
{
    return n != BP_NONE && bp_rw_is(rw, n, op) && !bp_rw_node(rw, n)->domain[0];
}

/* The producer of `value` if it is that operator of ONNX, or BP_NONE. */
static uint32_t maker(const struct bp_rewrite *rw, uint32_t value, const char *op)
{
    uint32_t n = bp_rw_producer(rw, value);

    return bp_norm_is(rw, n, op) ? n : BP_NONE;
}

/* ReduceMean has `axes` as an attribute before opset 18, as an input from then on. */
bool bp_norm_is_mean(struct bp_rewrite *rw, uint32_t n, uint32_t *value)
{
    const struct bp_ir_node *node;
    uint32_t count, rank;
    const int64_t *axes;
    int64_t one[2];

    if (!bp_norm_is(rw, n, "ReduceMean"))
        return false;
    node = bp_rw_node(rw, n);
    *value = node->in[0];
    rank = rw->facts[*value].rank;
    axes = bp_ir_attr_ints(node, "axes", &count);
    if (node->schema->since >= 18) {
        axes = one;
        if (!bp_rw_ints(rw, bp_rw_in(node, 1), one, 1, &count))
            return false;
    }
    return axes && count == 1 && rank != BP_RANK_UNKNOWN && rank > 0 &&
           (axes[0] == -1 || axes[0] == (int64_t)rank - 1) &&
           bp_ir_attr_int(node, "keepdims", 1) == 1;
}

/* Is `value` the square of d: Pow(d, 2) or Mul(d, d)? */
static bool find_square(struct bp_rewrite *rw, uint32_t value, uint32_t d, struct bp_norm *p)
{
    uint32_t n = maker(rw, value, "Pow");
    const struct bp_ir_node *node;
    double two = 2;
    int64_t whole = 2;
    uint32_t count;

    if (n == BP_NONE)
        n = maker(rw, value, "Mul");
    if (n == BP_NONE)
        return false;
    node = bp_rw_node(rw, n);
    p->of[p->n_of++] = n;
    if (node->in[0] != d)
        return false;
    if (node->op[0] == 'M')
        return node->in[1] == d;
    return (bp_rw_float(rw, node->in[1], &two) && two == 2) ||
           (bp_rw_ints(rw, node->in[1], &whole, 1, &count) && count == 1 && whole == 2);
}

/* Sqrt(Add(ReduceMean(d^2), epsilon)), the operands of Add in either order. */
bool bp_norm_spread(struct bp_rewrite *rw, uint32_t root, uint32_t d, struct bp_norm *p)
{
    uint32_t add, mean, square, from;
    const struct bp_ir_node *node;
    double epsilon;

    if (!bp_norm_is(rw, root, "Sqrt"))
        return false;
    add = maker(rw, bp_rw_node(rw, root)->in[0], "Add");
    if (add == BP_NONE)
        return false;
    node = bp_rw_node(rw, add);
    from = bp_rw_float(rw, node->in[1], &epsilon) ? 0 : 1;
    if (from == 1 && !bp_rw_float(rw, node->in[0], &epsilon))
        return false;
    mean = bp_rw_producer(rw, node->in[from]);
    if (!bp_norm_is_mean(rw, mean, &square) || !find_square(rw, square, d, p))
        return false;
    p->of[p->n_of++] = mean;
    p->of[p->n_of++] = add;
    p->of[p->n_of++] = root;
    p->epsilon = (float)epsilon;
    return epsilon >= 0;
}

/* A constant with one element for each index of the last axis of x. */
static bool is_row(const struct bp_rewrite *rw, uint32_t value, uint32_t x)
{
    const struct bp_fact *fact = &rw->facts[x];

    return bp_rw_is_constant(rw, value) && rw->facts[value].rank == 1 &&
           rw->facts[value].dtype == fact->dtype &&
           bp_sym_equal(rw->facts[value].dims[0], fact->dims[fact->rank - 1]);
}

/* The reader must be the only one, as the value between disappears. */
uint32_t bp_norm_follow(struct bp_rewrite *rw, uint32_t n, const char *op, uint32_t x,
                        uint32_t *row)
{
    uint32_t value = rw->ir->nodes[n].out[0], user = bp_rw_only_user_is(rw, value, op);
    const struct bp_ir_node *node;

    if (user == BP_NONE || !bp_norm_is(rw, user, op))
        return BP_NONE;
    node = bp_rw_node(rw, user);
    *row = node->in[node->in[0] == value ? 1 : 0];
    return is_row(rw, *row, x) ? user : BP_NONE;
}

bp_rc bp_norm_fuse(struct bp_rewrite *rw, const struct bp_norm *p, const char *op, bool has_shift,
                   uint32_t opset, bp_err *err)
{
    static const int64_t last_axis = -1;
    const uint32_t in[] = {p->x, p->scale, p->shift};
    const bp_attr attrs[] = {
        {.name = "axis", .data = &last_axis, .type = BP_ATTR_INT, .count = 1},
        {.name = "epsilon", .data = &p->epsilon, .type = BP_ATTR_FLOAT, .count = 1},
    };
    bool done;

    return bp_fuse(rw,
                   &(struct bp_fusion){.op = op,
                                       .domain = "",
                                       .opset = opset,
                                       .n_in = has_shift ? 3 : 2,
                                       .n_out = 1,
                                       .n_of = p->n_of,
                                       .in = in,
                                       .last = p->of[p->n_of - 1],
                                       .of = p->of,
                                       .attrs = attrs,
                                       .n_attrs = 2},
                   &done, err);
}
