/* SPDX-License-Identifier: MIT */
/*
 * fuse_gemm.c - Gemm -> activation becomes FusedGemm of com.microsoft.
 *
 * Conditions: float32 or float64, opset 7 or later, the activation is the only reader. Value kept.
 */

#include "config.h"

#include "optimize/patterns/activation.h"

/* FusedGemm has one attribute for each parameter, unlike FusedConv with its list. */
static bp_rc fuse(struct bp_rewrite *rw, uint32_t gemm, uint32_t last,
                  const struct bp_activation *activation, bp_err *err)
{
    static const char *const names[] = {"activation_alpha", "activation_beta"};
    const struct bp_ir_node *node = bp_rw_node(rw, gemm);
    uint32_t of[2] = {gemm, last};
    bp_attr attrs[BP_MOST_FUSED_ATTRS];
    struct bp_fusion f = {.op = "FusedGemm",
                          .domain = "com.microsoft",
                          .opset = 1,
                          .n_in = node->n_in,
                          .n_out = 1,
                          .n_of = 2,
                          .in = node->in,
                          .last = last,
                          .of = of,
                          .attrs = attrs,
                          .n_attrs = node->n_attrs};
    bool done;

    memcpy(attrs, node->attrs, node->n_attrs * sizeof *attrs);
    attrs[f.n_attrs++] = (bp_attr){
        .name = "activation", .data = &activation->text, .type = BP_ATTR_STRING, .count = 1};
    for (uint32_t i = 0; i < activation->n_params; i++)
        attrs[f.n_attrs++] = (bp_attr){
            .name = names[i], .data = &activation->params[i], .type = BP_ATTR_FLOAT, .count = 1};
    return bp_fuse(rw, &f, &done, err);
}

static bool is_gemm(const struct bp_rewrite *rw, uint32_t n)
{
    const struct bp_ir_node *node;

    if (!bp_rw_is(rw, n, "Gemm"))
        return false;
    node = bp_rw_node(rw, n); /* since 7, C broadcasts by itself */
    return !node->domain[0] && node->schema->since >= 7 && bp_is_float(rw, node->out[0]) &&
           node->n_attrs > 0 && node->n_attrs + 3 <= BP_MOST_FUSED_ATTRS;
}

bp_rc bp_pass_fuse_gemm(struct bp_rewrite *rw, bp_err *err)
{
    struct bp_activation activation;
    bp_rc rc = BP_OK;

    for (uint32_t n = 0; rc >= 0 && n < rw->ir->n_nodes; n++) {
        uint32_t last;

        if (!is_gemm(rw, n))
            continue;
        last = bp_activation_after(rw, bp_rw_node(rw, n)->out[0], &activation);
        if (last != BP_NONE)
            rc = fuse(rw, n, last, &activation, err);
    }
    return rc;
}
