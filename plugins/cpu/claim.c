/* SPDX-License-Identifier: MIT */
/*
 * claim.c - what operators answer with at capability time: the default claim, and refusals with a
 * reason in words.
 */

#include "cpu.h"

const char *bp_cpu_dtype_name(uint32_t dtype)
{
    static const char *const names[BP_DTYPE_END] = {
        "no type",        "float32",  "uint8",        "int8",           "uint16",
        "int16",          "int32",    "int64",        "string",         "bool",
        "float16",        "float64",  "uint32",       "uint64",         "complex64",
        "complex128",     "bfloat16", "float8e4m3fn", "float8e4m3fnuz", "float8e5m2",
        "float8e5m2fnuz", "uint4",    "int4",         "float4e2m1",     "float8e8m0",
        "uint2",          "int2"};

    return dtype < BP_DTYPE_END ? names[dtype] : "unknown";
}

void bp_cpu_refuse(const struct bp_cpu_query *query, uint32_t reason, const char *subject,
                   const char *fmt, ...)
{
    char text[256];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    bp_refuse(query->claims, query->index, reason, subject, text);
}

void bp_cpu_refuse_dtype(const struct bp_cpu_query *query, uint32_t input)
{
    const bp_value *value = bp_node_in(query->graph, query->node, input);

    bp_cpu_refuse(query, BP_R_DTYPE, value ? value->name : NULL,
                  "input %u has element type %s, which is not implemented", input,
                  value ? bp_cpu_dtype_name(value->dtype) : "no type");
}

void bp_cpu_claim_types(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_value *value = bp_node_in(query->graph, query->node, 0);

    if (!value || value->dtype >= 64 || !(op->types >> value->dtype & 1))
        bp_cpu_refuse_dtype(query, 0);
    else
        bp_accept(query->claims, query->index);
}
