/* SPDX-License-Identifier: MIT */
/* claim.c - see claim.h. */

#include "base/claim.h"

#include "base/instance.h"
#include "base/own_graph.h"

#include <common/float16.h>
#include <common/refuse.h>

bool bp_opencl_refuse(const struct bp_opencl_query *query, uint32_t reason, const char *subject,
                      const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    bp_vrefuse(query->claims, query->index, reason, subject, fmt, args);
    va_end(args);
    return false;
}

/* The refusal lists the types that would have been taken. */
static bool takes_type(const struct bp_opencl_query *query, const bp_value *value, uint64_t types)
{
    char list[160];

    if (value->dtype == BP_DTYPE_F16 && types & BP_OPENCL_F16 && !query->instance->takes_f16)
        return bp_opencl_refuse(query, BP_R_OPTION, value->name,
                                "element type float16, taken with the option fp16");
    if (value->dtype < BP_DTYPE_END && types >> value->dtype & 1)
        return true;
    bp_type_list(types, list, sizeof list);
    return bp_opencl_refuse(query, BP_R_DTYPE, value->name,
                            "element type %s, the provider takes %s here",
                            bp_type_name(value->dtype), list);
}

static bool takes_rank(const struct bp_opencl_query *query, const bp_value *value, uint32_t low,
                       uint32_t high)
{
    if (value->rank == BP_RANK_UNKNOWN)
        return bp_opencl_refuse(query, BP_R_DYNAMIC_SHAPE, value->name, "its rank is not known");
    if (value->rank >= low && value->rank <= high)
        return true;
    return bp_opencl_refuse(query, BP_R_RANK, value->name, "rank %u, the provider takes %u..%u",
                            value->rank, low, high);
}

bool bp_opencl_takes(const struct bp_opencl_query *query, uint32_t i, uint64_t types, uint32_t low,
                     uint32_t high)
{
    const bp_value *value = bp_node_in(query->graph, query->node, i);

    if (!value)
        return bp_opencl_refuse(query, BP_R_OTHER, NULL, "input %u is absent", i);
    return takes_type(query, value, types) && takes_rank(query, value, low, high);
}

bool bp_opencl_takes_optional(const struct bp_opencl_query *query, uint32_t i, uint64_t types,
                              uint32_t low, uint32_t high)
{
    return !bp_node_in(query->graph, query->node, i) || bp_opencl_takes(query, i, types, low, high);
}

bool bp_opencl_same_type(const struct bp_opencl_query *query, uint32_t i)
{
    const bp_value *a = bp_node_in(query->graph, query->node, 0);
    const bp_value *b = bp_node_in(query->graph, query->node, i);

    if (!a || !b || a->dtype == b->dtype)
        return true;
    return bp_opencl_refuse(query, BP_R_DTYPE, b->name,
                            "element type %s beside %s, the provider takes one type",
                            bp_type_name(b->dtype), bp_type_name(a->dtype));
}

bool bp_opencl_is_constant(const struct bp_opencl_query *query, uint32_t i, const char *what)
{
    const bp_value *value = bp_node_in(query->graph, query->node, i);

    if (!value || value->flags & BP_VALUE_CONSTANT)
        return true;
    return bp_opencl_refuse(query, BP_R_NOT_CONSTANT, value->name, "%s is not constant", what);
}

bool bp_opencl_makes(const struct bp_opencl_query *query, uint32_t i, uint64_t types)
{
    const bp_value *value = bp_node_out(query->graph, query->node, i);

    return !value || takes_type(query, value, types);
}

/* int32 or int64, at any address. */
static int64_t int_at(const bp_span *bytes, uint32_t dtype, size_t i)
{
    int32_t small;
    int64_t entry;

    if (dtype == BP_DTYPE_I32) {
        memcpy(&small, (const char *)bytes->data + i * sizeof small, sizeof small);
        return small;
    }
    memcpy(&entry, (const char *)bytes->data + i * sizeof entry, sizeof entry);
    return entry;
}

bool bp_opencl_read_ints(const bp_host *host, const bp_graph *graph, const bp_node *node,
                         const char *name, uint32_t i, struct bp_opencl_ints *out)
{
    const bp_attr *attr = bp_node_attr(graph, node, name);
    const bp_value *value = bp_node_in(graph, node, i);
    bp_span bytes;

    *out = (struct bp_opencl_ints){0};
    if (attr && attr->type == BP_ATTR_INT) {
        if (attr->count > BP_OPENCL_MAX_INTS)
            return false;
        out->is_there = true;
        out->n = attr->count;
        for (uint32_t k = 0; k < attr->count; k++)
            out->at[k] = ((const int64_t *)attr->data)[k];
        return true;
    }
    if (!value)
        return true;
    if (!(value->flags & BP_VALUE_CONSTANT) ||
        (value->dtype != BP_DTYPE_I32 && value->dtype != BP_DTYPE_I64) ||
        bp_opencl_constant(host, graph, node->in[i], &bytes, NULL) < 0)
        return false;
    out->is_there = true;
    out->n = (uint32_t)(bytes.size / (value->dtype == BP_DTYPE_I32 ? 4 : 8));
    if (bytes.size / 4 > BP_OPENCL_MAX_INTS)
        return false;
    for (uint32_t k = 0; k < out->n; k++)
        out->at[k] = int_at(&bytes, value->dtype, k);
    return true;
}

bool bp_opencl_read_float(const bp_host *host, const bp_graph *graph, const bp_node *node,
                          uint32_t i, float *out)
{
    const bp_value *value = bp_node_in(graph, node, i);
    uint16_t half;
    bp_span bytes;

    if (!value || !(value->flags & BP_VALUE_CONSTANT) ||
        bp_opencl_constant(host, graph, node->in[i], &bytes, NULL) < 0)
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

int64_t bp_opencl_entry(const bp_graph *graph, const bp_node *node, const char *name, uint32_t i,
                        int64_t def)
{
    uint32_t n;
    const int64_t *values = bp_node_ints(graph, node, name, &n);

    return i < n ? values[i] : def;
}
