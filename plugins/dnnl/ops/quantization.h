/* SPDX-License-Identifier: MIT */
/*
 * quantization.h - scales and zero points of quantised tensors: x = (q - zero) * scale. All of them have to
 * be constant, as oneDNN is told of them when primitives are made.
 */
#ifndef BP_DNNL_QUANTIZATION_H
#define BP_DNNL_QUANTIZATION_H

#include "onednn.h"

struct bp_dnnl_quant {
    const float *scales;
    const int32_t *zeros; /* as many; 0 where the input is absent */
    uint32_t n;           /* 1, or one for each index of a dimension */
};

/* A tensor whose row r of `width` numbers has the scale and zero point of index r % quant.n. */
struct bp_dnnl_quant_rows {
    struct bp_dnnl_quant quant;
    size_t width;
    dnnl_data_type_t type; /* of the integers */
    uint32_t from;         /* of a constant's: the value that they are */
};

/* n numbers of int8 or uint8, all that there are. */
void bp_dnnl_dequantize(const struct bp_dnnl_quant_rows *rows, const void *from, float *to,
                        size_t n);

/*
 * Are inputs `scale` and `zero` numbers that bp_dnnl_quant_read() can read? The second may be
 * absent. One of each, or `each` of them if that is not 0. Refuses else.
 */
bool bp_dnnl_claims_quant(const struct bp_dnnl_query *query, uint32_t scale, uint32_t zero,
                          int64_t each);
/* Are all zero points of that input 0, as oneDNN wants them of weights? Refuses else. */
bool bp_dnnl_claims_symmetric(const struct bp_dnnl_query *query, uint32_t zero);
/* They are the frame's. */
bp_rc bp_dnnl_quant_read(struct bp_dnnl_builder *b, const bp_node *node, uint32_t scale,
                         uint32_t zero, struct bp_dnnl_quant *out, bp_err *err);

/* What a product of x and w is multiplied by to be y, and what stands for 0. */
bp_rc bp_dnnl_output_scales(struct bp_dnnl_builder *b, const struct bp_dnnl_quant *x,
                            const struct bp_dnnl_quant *w, const struct bp_dnnl_quant *y,
                            float factor, struct bp_dnnl_attr *out, bp_err *err);

/* Can the processor sum products of bytes exactly? Without VNNI they saturate on the way. */
bool bp_dnnl_claims_int8_products(const struct bp_dnnl_query *query);
/*
 * Has oneDNN a kernel for it that is worth its while? Refuses else. pd is destroyed; NULL: there is
 * none at all.
 */
bool bp_dnnl_claims_kernel(const struct bp_dnnl_query *query, dnnl_primitive_desc_t pd);

/* Limits of bytes, and what turns those of int8 into numbers from 0 on. */
static inline int32_t bp_dnnl_int8_min(dnnl_data_type_t type)
{
    return type == dnnl_s8 ? INT8_MIN : 0;
}

static inline int32_t bp_dnnl_int8_max(dnnl_data_type_t type)
{
    return type == dnnl_s8 ? INT8_MAX : UINT8_MAX;
}

#endif
