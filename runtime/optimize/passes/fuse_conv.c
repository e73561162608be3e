/* SPDX-License-Identifier: MIT */
/*
 * fuse_conv.c - Conv [-> Add(z)] [-> activation] becomes FusedConv of com.microsoft.
 *
 * Conditions: float32 or float64, each value in between has one reader, z has the shape of the
 * output (a residual). Value kept; the intermediate sum is not rounded to memory.
 */

#include "config.h"

#include "optimize/patterns/activation.h"

/* The matched nodes; z is the residual. */
struct parts {
    uint32_t conv, add, z, act, last; /* BP_NONE: there is none */
    struct bp_activation activation;
};

/* An Add of another value of the same shape: a residual connection. */
static void find_add(struct bp_rewrite *rw, uint32_t y, struct parts *p)
{
    uint32_t n = bp_rw_only_user_is(rw, y, "Add");
    const struct bp_ir_node *node = n == BP_NONE ? NULL : bp_rw_node(rw, n);
    uint32_t z;

    if (!node || node->schema->since < 7)
        return;
    z = node->in[node->in[0] == y ? 1 : 0];
    if (z == y || !bp_rw_same_shape(rw, y, z) || !bp_rw_same_shape(rw, y, node->out[0]))
        return;
    p->add = p->last = n;
    p->z = z;
}

static bool find(struct bp_rewrite *rw, uint32_t conv, struct parts *p)
{
    const struct bp_ir_node *node = bp_rw_node(rw, conv);

    *p = (struct parts){conv, BP_NONE, BP_NONE, BP_NONE, conv, {0}};
    if (node->domain[0] || !bp_is_float(rw, node->out[0]) ||
        node->n_attrs + 2 > BP_MOST_FUSED_ATTRS)
        return false;
    p->act = bp_activation_after(rw, node->out[0], &p->activation);
    if (p->act == BP_NONE) {
        find_add(rw, node->out[0], p);
        if (p->add != BP_NONE)
            p->act = bp_activation_after(rw, rw->ir->nodes[p->add].out[0], &p->activation);
    }
    if (p->act != BP_NONE)
        p->last = p->act;
    return p->last != conv;
}

static bp_rc fuse(struct bp_rewrite *rw, const struct parts *p, bp_err *err)
{
    const struct bp_ir_node *node = bp_rw_node(rw, p->conv);
    uint32_t in[4] = {node->in[0], node->in[1], bp_rw_in(node, 2), p->z}, of[3];
    bp_attr attrs[BP_MOST_FUSED_ATTRS];
    struct bp_fusion f = {.op = "FusedConv",
                          .domain = "com.microsoft",
                          .opset = 1,
                          .n_in = 4,
                          .n_out = 1,
                          .in = in,
                          .last = p->last,
                          .of = of,
                          .attrs = attrs,
                          .n_attrs = node->n_attrs};
    bool done;

    of[f.n_of++] = p->conv;
    if (p->add != BP_NONE)
        of[f.n_of++] = p->add;
    if (p->act != BP_NONE)
        of[f.n_of++] = p->act;
    if (node->n_attrs > 0)
        memcpy(attrs, node->attrs, node->n_attrs * sizeof *attrs);
    if (p->act != BP_NONE)
        attrs[f.n_attrs++] = (bp_attr){
            .name = "activation", .data = &p->activation.text, .type = BP_ATTR_STRING, .count = 1};
    if (p->activation.n_params > 0)
        attrs[f.n_attrs++] = (bp_attr){.name = "activation_params",
                                       .data = p->activation.params,
                                       .type = BP_ATTR_FLOAT,
                                       .count = p->activation.n_params,
                                       .flags = BP_ATTR_LIST};
    return bp_fuse(rw, &f, &done, err);
}

bp_rc bp_pass_fuse_conv(struct bp_rewrite *rw, bp_err *err)
{
    struct parts p;
    bp_rc rc = BP_OK;

    for (uint32_t n = 0; rc >= 0 && n < rw->ir->n_nodes; n++) {
        if (bp_rw_is(rw, n, "Conv") && find(rw, n, &p))
            rc = fuse(rw, &p, err);
    }
    return rc;
}
