/* SPDX-License-Identifier: MIT */
/* capability.c - which nodes the CPU provider takes, and why it refuses the others. */

#include "program.h"

#define BP_CPU_OP(row) extern const struct bp_cpu_op bp_cpu_op_##row;
#include "ops/list.h"
#undef BP_CPU_OP

static const struct bp_cpu_op *const rows[] = {
#define BP_CPU_OP(row) &bp_cpu_op_##row,
#include "ops/list.h"
#undef BP_CPU_OP
};

enum { N_ROWS = sizeof rows / sizeof rows[0] };

/* First row that is called `name`, by bisection: ops/list.h is sorted by the rows' names. */
static uint32_t first_row(const char *name)
{
    uint32_t low = 0, high = N_ROWS;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (strcmp(rows[middle]->name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct bp_cpu_op *bp_cpu_find_op(const char *domain, const char *name, uint32_t since,
                                       uint32_t *known_at)
{
    *known_at = 0;
    for (uint32_t i = first_row(name); i < N_ROWS && strcmp(rows[i]->name, name) == 0; i++) {
        if (strcmp(rows[i]->domain ? rows[i]->domain : "", domain) != 0)
            continue;
        if (since >= rows[i]->since && (rows[i]->until == 0 || since <= rows[i]->until))
            return rows[i];
        *known_at = rows[i]->since;
    }
    return NULL;
}

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

/* Refuses the node when one of its tensors has more dimensions than we handle. */
static bool has_sane_ranks(const struct bp_cpu_query *query)
{
    const bp_node *node = query->node;

    for (uint32_t i = 0; i < node->n_in + node->n_out; i++) {
        const bp_value *value = i < node->n_in ? bp_node_in(query->graph, node, i)
                                               : bp_node_out(query->graph, node, i - node->n_in);

        if (value && value->rank != BP_RANK_UNKNOWN && value->rank > BP_CPU_MAX_RANK) {
            bp_cpu_refuse(query, BP_R_RANK, value->name, "rank %u, at most %d is taken",
                          value->rank, BP_CPU_MAX_RANK);
            return false;
        }
    }
    return true;
}

static void answer(const struct bp_cpu_query *query)
{
    const bp_node *node = query->node;
    uint32_t known_at;
    const struct bp_cpu_op *op = bp_cpu_find_op(node->domain, node->op, node->since, &known_at);

    if (!op && known_at) {
        bp_cpu_refuse(query, BP_R_OPSET, node->op, "version %u of %s is not implemented, %u is",
                      node->since, node->op, known_at);
    } else if (!op) {
        bp_cpu_refuse(query, BP_R_OP, node->op, "the operator %s%s%s is not implemented",
                      node->domain, *node->domain ? "." : "", node->op);
    } else if (has_sane_ranks(query)) {
        if (op->claim)
            op->claim(op, query);
        else
            bp_cpu_claim_types(op, query);
    }
}

bp_rc bp_cpu_capability(bp_instance *instance, const bp_graph *graph, const bp_claims *claims,
                        bp_err *err)
{
    (void)err;
    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        struct bp_cpu_query query = {&instance->host, graph, BP_NODE(graph, i), claims, i};

        answer(&query);
    }
    return BP_OK;
}
