/* SPDX-License-Identifier: MIT */
/* claim.c - see claim.h. */

#include "base/claim.h"

#include <common/float16.h>
#include <common/refuse.h>

/* The host copies the text; 256 bytes are enough for every sentence here. */
bool bp_dnnl_refuse(const struct bp_dnnl_query *query, uint32_t reason, const char *subject,
                    const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    bp_vrefuse(query->claims, query->index, reason, subject, fmt, args);
    va_end(args);
    return false;
}

bool bp_dnnl_is_sized(const bp_value *value)
{
    if (value->rank == BP_RANK_UNKNOWN)
        return false;
    for (uint32_t i = 0; i < value->rank; i++) {
        if (value->dims[i].value < 0)
            return false;
    }
    return true;
}

/* In double, as sizes of a hostile model multiply beyond 64 bits. */
double bp_dnnl_elements(const bp_value *value)
{
    double n = 1;

    for (uint32_t i = 0; value->rank != BP_RANK_UNKNOWN && i < value->rank; i++)
        n *= value->dims[i].value < 0 ? 1 : (double)value->dims[i].value;
    return n;
}

/* Symbol 0 is an unknown size without a name: it equals nothing, itself neither. */
bool bp_dnnl_same_shape(const bp_value *a, const bp_value *b)
{
    if (a->rank != b->rank || a->rank == BP_RANK_UNKNOWN)
        return false;
    for (uint32_t i = 0; i < a->rank; i++) {
        const bp_dim *x = &a->dims[i], *y = &b->dims[i];
        bool is_known = x->value >= 0 || y->value >= 0;

        if (is_known ? x->value != y->value : x->symbol == 0 || x->symbol != y->symbol)
            return false;
    }
    return true;
}

/* For the text of a refusal: only sets of types that some operator here takes. */
static const char *names_of(uint64_t types)
{
    if (types == BP_DNNL_SINGLES)
        return "float32";
    if (types == BP_DNNL_FLOATS)
        return "float32 or float16";
    if (types == BP_DNNL_BYTES)
        return "int8 or uint8";
    if (types == UINT64_C(1) << BP_DTYPE_I8 || types == UINT64_C(1) << BP_DTYPE_I32)
        return types >> BP_DTYPE_I8 & 1 ? "int8" : "int32";
    return types == BP_DNNL_INTEGERS ? "int8, uint8 or int32" : "float32, float16, int8 or uint8";
}

/*
 * The order of questions decides the reason that the user sees: absence, type, rank, then size. A
 * tensor without elements is refused, as oneDNN's primitives are not made for it; a size that is
 * not known may become 0, which build_frame.c handles.
 */
bool bp_dnnl_takes_typed(const struct bp_dnnl_query *query, uint32_t i, uint64_t types,
                         uint32_t low, uint32_t high)
{
    const bp_value *value = bp_node_in(query->graph, query->node, i);

    if (!value)
        return bp_dnnl_refuse(query, BP_R_OTHER, NULL, "input %u is absent", i);
    if (value->dtype >= BP_DTYPE_END || !(types >> value->dtype & 1))
        return bp_dnnl_refuse(query, BP_R_DTYPE, value->name, "input %u is not %s", i,
                              names_of(types));
    if (value->rank == BP_RANK_UNKNOWN)
        return bp_dnnl_refuse(query, BP_R_DYNAMIC_SHAPE, value->name,
                              "the rank of input %u is not known", i);
    if (value->rank < low || value->rank > high) {
        return bp_dnnl_refuse(query, BP_R_RANK, value->name,
                              "input %u has rank %u, the provider takes %u..%u", i, value->rank,
                              low, high);
    }
    if (bp_dnnl_elements(value) == 0)
        return bp_dnnl_refuse(query, BP_R_OTHER, value->name, "input %u has no elements", i);
    return true;
}

bool bp_dnnl_takes_input(const struct bp_dnnl_query *query, uint32_t i, uint32_t low, uint32_t high)
{
    return bp_dnnl_takes_typed(query, i, BP_DNNL_FLOATS, low, high);
}

/* The bytes may be at any address, so they are copied out. */
bool bp_dnnl_constant_float(const bp_host *host, const bp_graph *graph, const bp_node *node,
                            uint32_t i, float *out)
{
    const bp_value *value = bp_node_in(graph, node, i);
    uint16_t half;
    bp_span bytes;

    if (!value || !(value->flags & BP_VALUE_CONSTANT) ||
        host->constant(host->h, graph, node->in[i], &bytes, NULL) < 0)
        return false;
    if (value->dtype == BP_DTYPE_F16 && bytes.size >= sizeof half) {
        memcpy(&half, bytes.data, sizeof half);
        *out = bp_f16_load(half);
        return true;
    }
    if (value->dtype != BP_DTYPE_F32 || bytes.size < sizeof *out)
        return false;
    memcpy(out, bytes.data, sizeof *out);
    return true;
}
