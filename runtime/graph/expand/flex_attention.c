/* SPDX-License-Identifier: MIT */
/*
 * flex_attention.c - FlexAttention with subgraphs, as nodes. Types and shapes are not known yet, so
 * two operators of this host's own stand at its ends: FlexInputs brings Q, K and V to the type that is
 * computed in and puts query heads that share keys into one matrix; FlexWeights checks what the
 * subgraphs gave. Their shape rules are in rules/attention.c.
 */

#include "config.h"

#include "graph/expand/flex_attention.h"

#include "graph/expand/emit.h"

#define OWN "org.backplane"

enum { Q, K, V, N_IN };

/* ---- parts ----------------------------------------------------------------------------------- */

/* Part of a value's shape. */
static uint32_t emit_shape(struct bp_emit *e, uint32_t value, int64_t start, int64_t end)
{
    uint32_t shape = BP_EMIT_OP(e, "Shape", value);

    bp_emit_int(e, bp_emit_last(e), "start", start);
    bp_emit_int(e, bp_emit_last(e), "end", end);
    return shape;
}

/* x in the first three sizes of Q and one of another value. */
static uint32_t emit_heads(struct bp_emit *e, uint32_t x, uint32_t q, uint32_t other, int64_t axis)
{
    uint32_t first = emit_shape(e, q, 0, 3), last = emit_shape(e, other, axis, axis + 1);
    uint32_t shape = BP_EMIT_OP(e, "Concat", first, last);

    bp_emit_int(e, bp_emit_last(e), "axis", 0);
    shape = BP_EMIT_OP(e, "Reshape", x, shape);
    bp_emit_int(e, bp_emit_last(e), "allowzero", 1);
    return shape;
}

/* Q, K and V as they are computed with; K is transposed. */
static void emit_inputs(struct bp_emit *e, const struct bp_ir_node *flex, uint32_t *out)
{
    static const int64_t perm[] = {0, 1, 3, 2};
    struct bp_ir_node *node;

    for (uint32_t i = 0; i < N_IN; i++)
        out[i] = bp_emit_value(e, NULL);
    node = bp_emit_node(e, "FlexInputs", OWN, N_IN, flex->in, N_IN, out);
    for (uint32_t i = 0; i < flex->n_attrs; i++) {
        if (flex->attrs[i].type != BP_ATTR_GRAPH)
            bp_emit_attr(e, node, flex->attrs[i]);
    }
    if (node && flex->name[0])
        node->name = flex->name; /* errors of its inputs are told by its name */
    out[K] = BP_EMIT_OP(e, "Transpose", out[K]);
    bp_emit_ints(e, bp_emit_last(e), "perm", perm, 4);
}

/* What the subgraph `attr` makes of x; without one, x itself. */
static uint32_t emit_mod(struct bp_emit *e, const struct bp_ir_node *flex, const char *attr,
                         uint32_t x)
{
    struct bp_ir *subgraph = bp_ir_subgraph(flex, attr);
    const struct bp_fact *declared;
    uint32_t out;

    if (!subgraph || e->rc < 0)
        return x;
    declared = subgraph->n_inputs == 1 ? &subgraph->values[subgraph->inputs[0]].declared : NULL;
    if (declared && e->ir->values[x].declared.dtype == BP_DTYPE_NONE)
        e->ir->values[x].declared.dtype = declared->dtype; /* held against the scores' own */
    bp_emit_subgraph(e, subgraph, 1, &x, &out);
    if (e->rc < 0)
        bp_fail_in(e->err, e->rc, "attribute %s", attr);
    return out;
}

/*
 * Q x K in the layout of the heads of Q, in softmax_precision, with score_mod applied where
 * there is one.
 */
static uint32_t emit_scores(struct bp_emit *e, const struct bp_ir_node *flex, const uint32_t *in,
                            int64_t precision)
{
    uint32_t scores = BP_EMIT_OP(e, "MatMul", in[Q], in[K]);

    scores = emit_heads(e, scores, flex->in[Q], flex->in[K], 2);
    if (precision != BP_DTYPE_NONE) {
        scores = BP_EMIT_OP(e, "Cast", scores);
        bp_emit_int(e, bp_emit_last(e), "to", precision);
    }
    return emit_mod(e, flex, "score_mod", scores);
}

/* Softmax of the scores, with prob_mod applied where there is one, as factors of V. */
static uint32_t emit_weights(struct bp_emit *e, const struct bp_ir_node *flex, const uint32_t *in,
                             uint32_t scores, int64_t precision)
{
    uint32_t probs = BP_EMIT_OP(e, "Softmax", scores), weights;

    bp_emit_int(e, bp_emit_last(e), "axis", -1);
    probs = emit_mod(e, flex, "prob_mod", probs);
    if (precision != BP_DTYPE_NONE)
        probs = BP_EMIT_OP(e, "CastLike", probs, in[V]);
    weights = bp_emit_value(e, NULL);
    bp_emit_node(e, "FlexWeights", OWN, 3, (uint32_t[]){probs, flex->in[Q], flex->in[K]}, 1,
                 &weights);
    return weights;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* A node that is not as it must be is left to what checks all nodes. */
static bool is_flex(const struct bp_ir_node *node)
{
    return strcmp(node->op, "FlexAttention") == 0 && strcmp(node->domain, "ai.onnx.preview") == 0 &&
           node->n_in == N_IN && node->n_out == 1 && node->in[Q] != BP_NONE &&
           node->in[K] != BP_NONE && node->in[V] != BP_NONE && node->out[0] != BP_NONE &&
           (bp_ir_subgraph(node, "score_mod") || bp_ir_subgraph(node, "prob_mod"));
}

/*
 * One node: FlexInputs, the scores, their Softmax, the product with V, and a cast to the type of
 * Q.
 */
static bp_rc expand(struct bp_ir *ir, const struct bp_ir_node *flex, bp_err *err)
{
    struct bp_emit e = {.ir = ir, .name = ir->values[flex->out[0]].name, .err = err};
    int64_t precision = bp_ir_attr_int(flex, "softmax_precision", BP_DTYPE_NONE);
    uint32_t in[N_IN], x;

    emit_inputs(&e, flex, in);
    x = emit_scores(&e, flex, in, precision);
    x = emit_weights(&e, flex, in, x, precision);
    x = BP_EMIT_OP(&e, "MatMul", x, in[V]);
    x = emit_heads(&e, x, flex->in[Q], flex->in[V], 3);
    bp_emit_node(&e, "CastLike", "", 2, (uint32_t[]){x, flex->in[Q]}, 1, flex->out);
    if (e.rc < 0)
        return bp_fail_in(err, e.rc, "node '%s' (FlexAttention)",
                          flex->name[0] ? flex->name : e.name);
    return BP_OK;
}

bp_rc bp_flex_attention_expand(struct bp_ir *ir, bp_err *err)
{
    uint32_t n_nodes = ir->n_nodes, kept = 0;
    bp_rc rc = BP_OK;

    for (uint32_t n = 0; n < n_nodes && rc >= 0; n++) {
        struct bp_ir_node node = ir->nodes[n]; /* a copy: the list grows */

        for (uint32_t b = 0; b < node.n_subgraphs && rc >= 0; b++)
            rc = bp_flex_attention_expand(node.subgraphs[b],
                                          err); /* at most BP_MAX_SUBGRAPH_DEPTH deep */
        if (rc >= 0 && is_flex(&node))
            rc = expand(ir, &node, err);
        else
            ir->nodes[kept++] = node;
    }
    if (kept < n_nodes)
        memmove(&ir->nodes[kept], &ir->nodes[n_nodes], (ir->n_nodes - n_nodes) * sizeof *ir->nodes);
    ir->n_nodes -= n_nodes - kept;
    return rc;
}
