/* SPDX-License-Identifier: MIT */
/*
 * quantization.h - scales and zero points of a node's tensors: x = (q - zero) * scale. All of them
 * have to be constant, as oneDNN 2 is told of them when primitives are made.
 */
#ifndef BP_DNNL_QUANTIZATION_H
#define BP_DNNL_QUANTIZATION_H

#include "kernels/quantize.h"

#include <bp/sdk.h>
#include <stdbool.h>

struct bp_dnnl_attr;
struct bp_dnnl_builder;
struct bp_dnnl_query;

/*
 * Are inputs `scale` and `zero` constants that bp_dnnl_quant_read() can read? The second may be
 * absent. One of each, or `channels` of them if that is not 0. Refuses otherwise.
 */
bool bp_dnnl_claims_quant(const struct bp_dnnl_query *query, uint32_t scale, uint32_t zero,
                          int64_t channels);
/* Are all zero points of that input 0, as oneDNN wants them of weights? Refuses otherwise. */
bool bp_dnnl_claims_symmetric(const struct bp_dnnl_query *query, uint32_t zero);
/* Can the processor sum products of bytes exactly? Without VNNI they saturate on the way. */
bool bp_dnnl_claims_int8_products(const struct bp_dnnl_query *query);
/*
 * Has oneDNN a kernel for it that is worth its while? Refuses otherwise. pd is destroyed; NULL:
 * there is none at all.
 */
bool bp_dnnl_claims_kernel(const struct bp_dnnl_query *query, dnnl_primitive_desc_t pd);

/* The constants of two inputs that were claimed; they are the frame's. */
bp_rc bp_dnnl_quant_read(struct bp_dnnl_builder *b, const bp_node *node, uint32_t scale,
                         uint32_t zero, struct bp_dnnl_quant *out, bp_err *err);
/*
 * Sets in `out` what sums of products of x and w are multiplied by to be y, factor * x * w / y, one
 * factor for each scale of w, and the zero points of x and y.
 */
bp_rc bp_dnnl_output_scales(struct bp_dnnl_builder *b, const struct bp_dnnl_quant *x,
                            const struct bp_dnnl_quant *w, const struct bp_dnnl_quant *y,
                            float factor, struct bp_dnnl_attr *out, bp_err *err);

#endif
