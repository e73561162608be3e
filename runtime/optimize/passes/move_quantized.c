/* SPDX-License-Identifier: MIT */
/*
 * move_quantized.c - DequantizeLinear -> Reshape, Transpose, MaxPool... -> QuantizeLinear of the
 * same scale and zero point becomes the operator on the bytes.
 *
 * Conditions: the operator only moves or selects elements, both scales are normal. Bits: unchanged.
 */

#include "config.h"

#include <float.h>

#include "optimize/patterns/quantized.h"

/* The first input of each has the elements, others are shapes and indices. */
static const char *const moves[] = {
    "Expand", "Flatten", "Gather", "MaxPool",   "Reshape",
    "Slice",  "Squeeze", "Tile",   "Transpose", "Unsqueeze",
};

static bool is_move(const struct bp_ir_node *node)
{
    for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++) {
        if (strcmp(moves[i], node->op) == 0)
            return node->n_out == 1 && node->n_in <= BP_MOST_QUANT_PARTS;
    }
    return false;
}

/*
 * Does every q survive dequantise and quantise? (q - zero) * scale / scale is off by less than half
 * a step, unless it overflows or loses bits as a subnormal.
 */
static bool is_normal(struct bp_rewrite *rw, uint32_t scale)
{
    double scalar;

    return bp_rw_float(rw, scale, &scalar) && scalar >= (double)FLT_MIN * 2 &&
           scalar <= (double)FLT_MAX / 512;
}

static bp_rc fuse(struct bp_rewrite *rw, struct bp_quant_op *p, bp_err *err)
{
    const struct bp_ir_node *node = bp_rw_node(rw, p->op);
    uint32_t in[BP_MOST_QUANT_PARTS];
    bool done;

    memcpy(in, node->in, node->n_in * sizeof *in);
    in[0] = p->in[0].value;
    p->of[p->n_of++] = p->out.node;
    return bp_fuse(rw,
                   &(struct bp_fusion){.op = node->op,
                                       .domain = "",
                                       .opset = node->opset,
                                       .n_in = node->n_in,
                                       .n_out = 1,
                                       .n_of = p->n_of,
                                       .in = in,
                                       .last = p->out.node,
                                       .of = p->of,
                                       .attrs = node->attrs,
                                       .n_attrs = node->n_attrs},
                   &done, err);
}

bp_rc bp_pass_move_quantized(struct bp_rewrite *rw, bp_err *err)
{
    struct bp_quant_op p;
    bp_rc rc = BP_OK;

    for (uint32_t n = 0; rc >= 0 && n < rw->ir->n_nodes; n++) {
        if (bp_rw_is(rw, n, "QuantizeLinear") && bp_quant_find(rw, n, &p) && p.relu == BP_NONE &&
            is_move(bp_rw_node(rw, p.op)) && bp_quant_add(rw, &p) &&
            bp_quant_is_plain(rw, &p.in[0]) && bp_quant_same(rw, &p.in[0], &p.out) &&
            is_normal(rw, p.out.scale))
            rc = fuse(rw, &p, err);
    }
    return rc;
}
