/* SPDX-License-Identifier: MIT */
/*
 * claim.c - conditions that operators put on a node, each with the refusal that says which one was
 * not met.
 */

#include "cann.h"

#include "common/refuse.h"

/* Sentences are cut to 255 characters. */
bool bp_cann_refuse(const struct bp_cann_query *query, uint32_t reason, const char *subject,
                    const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    bp_vrefuse(query->claims, query->index, reason, subject, fmt, args);
    va_end(args);
    return false;
}

/* The refusal lists the types that would have been taken. */
static bool takes_type(const struct bp_cann_query *query, const bp_value *value, uint32_t types)
{
    char list[128];

    if (value->dtype < BP_DTYPE_END && types & BP_CANN_TYPE(value->dtype))
        return true;
    bp_type_list(types, list, sizeof list);
    return bp_cann_refuse(query, BP_R_DTYPE, value->name,
                          "element type %s, provider takes %s in this version",
                          bp_type_name(value->dtype), list);
}

/* Sizes need not be known, but an empty tensor is refused: ACL's operators take none. */
bool bp_cann_takes_shape(const struct bp_cann_query *query, const bp_value *value)
{
    if (value->rank == BP_RANK_UNKNOWN)
        return bp_cann_refuse(query, BP_R_DYNAMIC_SHAPE, value->name, "its rank is not known");
    if (value->rank > BP_CANN_MAX_RANK)
        return bp_cann_refuse(query, BP_R_RANK, value->name, "rank %u, provider takes 0..%d",
                              value->rank, BP_CANN_MAX_RANK);
    for (uint32_t i = 0; i < value->rank; i++) {
        if (value->dims[i].value == 0)
            return bp_cann_refuse(query, BP_R_OTHER, value->name, "it has no elements");
    }
    return true;
}

bool bp_cann_takes(const struct bp_cann_query *query, uint32_t i, uint32_t types)
{
    const bp_value *value = bp_node_in(query->graph, query->node, i);

    if (!value)
        return bp_cann_refuse(query, BP_R_OTHER, NULL, "input %u is absent", i);
    return takes_type(query, value, types) && bp_cann_takes_shape(query, value);
}

/* An absent input passes: whether it may be absent is the operator's matter. */
bool bp_cann_is_constant(const struct bp_cann_query *query, uint32_t i, const char *what)
{
    const bp_value *value = bp_node_in(query->graph, query->node, i);

    if (!value || value->flags & BP_VALUE_CONSTANT)
        return true;
    return bp_cann_refuse(query, BP_R_NOT_CONSTANT, value->name, "%s is not constant", what);
}

bool bp_cann_same_type(const struct bp_cann_query *query, uint32_t i, uint32_t j)
{
    const bp_value *a = bp_node_in(query->graph, query->node, i);
    const bp_value *b = bp_node_in(query->graph, query->node, j);

    if (!a || !b || a->dtype == b->dtype)
        return true;
    return bp_cann_refuse(query, BP_R_DTYPE, b->name,
                          "element type %s beside %s, ACL takes one type", bp_type_name(b->dtype),
                          bp_type_name(a->dtype));
}

bool bp_cann_all(const struct bp_cann_query *query, const char *name, int64_t want)
{
    uint32_t n;
    const int64_t *values = bp_node_ints(query->graph, query->node, name, &n);

    for (uint32_t i = 0; i < n; i++) {
        if (values[i] != want)
            return bp_cann_refuse(query, BP_R_ATTRIBUTE, name, "%s has %lld, provider takes %lld",
                                  name, (long long)values[i], (long long)want);
    }
    return true;
}

/* Pads are int32 for ACL. */
static bool takes_pad(const struct bp_cann_query *query, int64_t pad, int64_t kernel, bool below)
{
    if (pad >= 0 && pad <= INT32_MAX && (!below || pad < kernel))
        return true;
    return bp_cann_refuse(query, BP_R_ATTRIBUTE, "pads", "pads has %lld, provider takes 0..%lld",
                          (long long)pad, (long long)(below ? kernel - 1 : INT32_MAX));
}

/* A list that is absent has ONNX's defaults, which pass. */
bool bp_cann_takes_window(const struct bp_cann_query *query, bool below_kernel)
{
    uint32_t n_pads, n_kernel, n_strides;
    const int64_t *pads = bp_node_ints(query->graph, query->node, "pads", &n_pads);
    const int64_t *kernel = bp_node_ints(query->graph, query->node, "kernel_shape", &n_kernel);
    const int64_t *strides = bp_node_ints(query->graph, query->node, "strides", &n_strides);
    uint32_t spatial = bp_node_in(query->graph, query->node, 0)->rank - 2;

    if ((n_pads && n_pads != 2 * spatial) || (n_kernel && n_kernel != spatial) ||
        (n_strides && n_strides != spatial))
        return bp_cann_refuse(query, BP_R_ATTRIBUTE, "kernel_shape",
                              "pads, strides and kernel_shape are not those of spatial rank %u",
                              spatial);
    for (uint32_t i = 0; i < n_pads; i++) {
        bool is_below = below_kernel && n_kernel > 0;

        if (!takes_pad(query, pads[i], is_below ? kernel[i % n_kernel] : 0, is_below))
            return false;
    }
    for (uint32_t i = 0; i < n_strides; i++) {
        if (strides[i] < 1 || strides[i] > INT32_MAX)
            return bp_cann_refuse(query, BP_R_ATTRIBUTE, "strides", "strides has %lld",
                                  (long long)strides[i]);
    }
    return true;
}
