/* SPDX-License-Identifier: MIT */
/* quantization.c - see quantization.h. */

#include "ops/quantization.h"

#include "base/claim.h"
#include "base/instance.h"
#include "base/library.h"
#include "build/attributes.h"
#include "build/builder.h"
#include "kernels/quantize.h"

#include <math.h>

/* ---- claims ---------------------------------------------------------------------------------- */

/* Elements of a constant; -1: its rank is not known. */
static int64_t count_of(const bp_value *value)
{
    int64_t n = 1;

    if (value->rank == BP_RANK_UNKNOWN)
        return -1;
    for (uint32_t i = 0; i < value->rank; i++)
        n *= value->dims[i].value;
    return n;
}

/* The bytes of constant input i; refuses what is not a constant or has another number of elements. */
static bool claims_constant(const struct bp_dnnl_query *query, uint32_t i, int64_t each,
                            bp_span *out)
{
    const bp_host *host = &query->instance->host;
    const bp_value *value = bp_node_in(query->graph, query->node, i);
    int64_t n = count_of(value);

    if (!(value->flags & BP_VALUE_CONSTANT))
        return bp_dnnl_refuse(query, BP_R_NOT_CONSTANT, value->name,
                              "scales and zero points have to be constant");
    if (n != 1 && (each == 0 || n != each))
        return bp_dnnl_refuse(query, BP_R_OTHER, value->name,
                              "input %u has %lld elements, the provider takes 1 or one a channel",
                              i, (long long)n);
    if (host->constant(host->h, query->graph, query->node->in[i], out, NULL) < 0 ||
        out->size < (size_t)n * bp_dtype_width(value->dtype) / 8)
        return bp_dnnl_refuse(query, BP_R_OTHER, value->name, "input %u cannot be read", i);
    return true;
}

/* ONNX wants positive scales; a network that breaks that is another provider's. */
static bool claims_scales(const struct bp_dnnl_query *query, uint32_t i, int64_t each, size_t *n)
{
    const bp_value *value = bp_node_in(query->graph, query->node, i);
    bp_span bytes;

    if (!bp_dnnl_takes_typed(query, i, BP_DNNL_SINGLES, 0, 2) ||
        !claims_constant(query, i, each, &bytes))
        return false;
    *n = (size_t)count_of(value);
    for (size_t k = 0; k < *n; k++) {
        float scale;

        memcpy(&scale, (const char *)bytes.data + k * sizeof scale, sizeof scale);
        if (!(scale > 0) || isinf(scale))
            return bp_dnnl_refuse(query, BP_R_OTHER, value->name,
                                  "scale %g is not a positive number", (double)scale);
    }
    return true;
}

/* Zero points are as many as scales, or one for all. */
bool bp_dnnl_claims_quant(const struct bp_dnnl_query *query, uint32_t scale, uint32_t zero,
                          int64_t each)
{
    const bp_value *value = bp_node_in(query->graph, query->node, zero);
    bp_span bytes;
    size_t n;

    if (!claims_scales(query, scale, each, &n))
        return false;
    if (!value)
        return true;
    if (!bp_dnnl_takes_typed(query, zero, BP_DNNL_INTEGERS, 0, 2) ||
        !claims_constant(query, zero, each, &bytes))
        return false;
    if ((size_t)count_of(value) != n && count_of(value) != 1)
        return bp_dnnl_refuse(query, BP_R_OTHER, value->name,
                              "there are not as many zero points as scales");
    return true;
}

/* Element i of int8, uint8 or int32, at any address. */
static int32_t whole_at(const void *data, uint32_t dtype, size_t i)
{
    int32_t value;

    if (dtype == BP_DTYPE_U8)
        return ((const uint8_t *)data)[i];
    if (dtype == BP_DTYPE_I8)
        return ((const int8_t *)data)[i];
    memcpy(&value, (const char *)data + i * sizeof value, sizeof value);
    return value;
}

/* oneDNN 2's convolutions and products take zero points of source and destination only. */
bool bp_dnnl_claims_symmetric(const struct bp_dnnl_query *query, uint32_t zero)
{
    const bp_host *host = &query->instance->host;
    const bp_value *value = bp_node_in(query->graph, query->node, zero);
    bp_span bytes;

    if (!value)
        return true;
    if (host->constant(host->h, query->graph, query->node->in[zero], &bytes, NULL) < 0)
        return bp_dnnl_refuse(query, BP_R_OTHER, value->name, "input %u cannot be read", zero);
    for (int64_t i = 0; i < count_of(value); i++) {
        int32_t zero_point = whole_at(bytes.data, value->dtype, (size_t)i);

        if (zero_point != 0)
            return bp_dnnl_refuse(query, BP_R_OTHER, value->name,
                                  "zero point %d of weights is not 0", zero_point);
    }
    return true;
}

/*
 * Instructions before VNNI add pairs of products in 16 bits, which saturate: results would depend
 * on the processor.
 */
bool bp_dnnl_claims_int8_products(const struct bp_dnnl_query *query)
{
    if ((bp_dnnl.get_effective_cpu_isa() & dnnl_cpu_isa_avx512_core_vnni) ==
        dnnl_cpu_isa_avx512_core_vnni)
        return true;
    return bp_dnnl_refuse(query, BP_R_DEVICE_FEATURE, "AVX-512 VNNI",
                          "products of bytes are exact with AVX-512 VNNI only, which the processor "
                          "or max_isa does not have");
}

/*
 * By the name of the implementation that oneDNN chose: "ref" is a plain loop, "gemm_s8" copies all
 * windows first.
 */
bool bp_dnnl_claims_kernel(const struct bp_dnnl_query *query, dnnl_primitive_desc_t pd)
{
    const char *info = NULL;
    char name[64] = "none";
    bool is_slow;

    if (pd) {
        bp_dnnl.primitive_desc_query(pd, dnnl_query_impl_info_str, 0, (void *)&info);
        snprintf(name, sizeof name, "%s", info ? info : "none");
        bp_dnnl.primitive_desc_destroy(pd);
    }
    is_slow =
        !info || strstr(name, "ref") || (!query->instance->takes_all && strstr(name, "gemm_s8"));
    if (is_slow)
        return bp_dnnl_refuse(query, BP_R_NOT_PROFITABLE, NULL,
                              "oneDNN has no fast kernel for it, only '%s'", name);
    return true;
}

/* ---- building -------------------------------------------------------------------------------- */

/* Refuses a constant that is shorter than its shape says. */
static bp_rc read_bytes(struct bp_dnnl_builder *b, const bp_node *node, uint32_t i, bp_span *out,
                        bp_err *err)
{
    const bp_value *value = bp_node_in(b->graph, node, i);
    bp_rc rc = b->host->constant(b->host->h, b->graph, node->in[i], out, err);

    if (rc >= 0 && out->size < (size_t)count_of(value) * bp_dtype_width(value->dtype) / 8)
        return bp_fail(err, BP_E_INVALID,
                       "constant '%s' has %zu bytes, which is not what its "
                       "shape says",
                       value->name, out->size);
    return rc;
}

/* Copies, as the model's bytes may be at any address; a zero point for all is repeated. */
bp_rc bp_dnnl_quant_read(struct bp_dnnl_builder *b, const bp_node *node, uint32_t scale,
                         uint32_t zero, struct bp_dnnl_quant *out, bp_err *err)
{
    const bp_value *zero_value = bp_node_in(b->graph, node, zero);
    uint32_t n = (uint32_t)count_of(bp_node_in(b->graph, node, scale));
    float *scales = bp_blocks_array(b->memory, n, sizeof *scales);
    int32_t *zeros = bp_blocks_array(b->memory, n, sizeof *zeros);
    bp_span bytes;
    bp_rc rc;

    if (!scales || !zeros)
        return bp_fail(err, BP_E_NOMEM, "dnnl: no memory for %u scales", n);
    rc = read_bytes(b, node, scale, &bytes, err);
    if (rc < 0)
        return rc;
    memcpy(scales, bytes.data, n * sizeof *scales);
    if (zero_value) {
        bool is_set = count_of(zero_value) == 1;

        rc = read_bytes(b, node, zero, &bytes, err);
        for (uint32_t i = 0; i < n && rc >= 0; i++)
            zeros[i] = whole_at(bytes.data, zero_value->dtype, is_set ? 0 : i);
    }
    *out = (struct bp_dnnl_quant){scales, zeros, n};
    return rc;
}

/* oneDNN multiplies the int32 sums by one factor for each output channel. */
bp_rc bp_dnnl_output_scales(struct bp_dnnl_builder *b, const struct bp_dnnl_quant *x,
                            const struct bp_dnnl_quant *w, const struct bp_dnnl_quant *y,
                            float factor, struct bp_dnnl_attr *out, bp_err *err)
{
    float *scales = bp_blocks_array(b->memory, w->n, sizeof *scales);

    if (!scales)
        return bp_fail(err, BP_E_NOMEM, "dnnl: no memory for %u scales", w->n);
    for (uint32_t i = 0; i < w->n; i++)
        scales[i] = factor * x->scales[0] * w->scales[i] / y->scales[0];
    out->scales = scales;
    out->n_scales = w->n;
    out->x_zero = x->zeros[0];
    out->y_zero = y->zeros[0];
    return BP_OK;
}
