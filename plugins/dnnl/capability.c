/* SPDX-License-Identifier: MIT */
/* capability.c - which nodes the dnnl provider takes, and why it refuses the others. */

#include "onednn.h"

#include <common/float16.h>

/* A convolution or product of fewer operations does not pay for a group of its own. */
static const double profitable_flops = 1e6;

#define BP_DNNL_OP(row) extern const struct bp_dnnl_op bp_dnnl_op_##row;
#include "ops/list.h"
#undef BP_DNNL_OP

static const struct bp_dnnl_op *const rows[] = {
#define BP_DNNL_OP(row) &bp_dnnl_op_##row,
#include "ops/list.h"
#undef BP_DNNL_OP
};

enum { N_ROWS = sizeof rows / sizeof rows[0] };

const struct bp_dnnl_op *bp_dnnl_find_operator(const bp_node *node, uint32_t *known_to)
{
    *known_to = 0;
    for (uint32_t i = 0; i < N_ROWS; i++) {
        if (strcmp(rows[i]->name, node->op) != 0 || strcmp(rows[i]->domain, node->domain) != 0)
            continue;
        *known_to = rows[i]->until;
        if (node->since >= rows[i]->since && node->since <= rows[i]->until)
            return rows[i];
    }
    return NULL;
}

bool bp_dnnl_refuse(const struct bp_dnnl_query *query, uint32_t reason, const char *subject,
                    const char *fmt, ...)
{
    char text[256];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    bp_refuse(query->claims, query->index, reason, subject, text);
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

double bp_dnnl_elements(const bp_value *value)
{
    double n = 1;

    for (uint32_t i = 0; value->rank != BP_RANK_UNKNOWN && i < value->rank; i++)
        n *= value->dims[i].value < 0 ? 1 : (double)value->dims[i].value;
    return n;
}

bool bp_dnnl_takes_input(const struct bp_dnnl_query *query, uint32_t i, uint32_t low, uint32_t high)
{
    return bp_dnnl_takes_typed(query, i, BP_DNNL_FLOATS, low, high);
}

/* Names of sets of types that operators here take. */
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

/* Outputs behind those that the operator makes must not be wanted; of one, that has to be. */
static bool has_outputs(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query)
{
    uint32_t made = op->n_out > 0 ? op->n_out : 1;

    for (uint32_t i = made; i < query->node->n_out; i++) {
        if (query->node->out[i] != BP_NONE)
            return bp_dnnl_refuse(query, BP_R_OTHER,
                                  BP_VALUE(query->graph, query->node->out[i])->name,
                                  made == 1 ? "only the first output is computed"
                                            : "only the first %u outputs are computed",
                                  made);
    }
    if (op->n_out == 0 && !bp_node_out(query->graph, query->node, 0))
        return bp_dnnl_refuse(query, BP_R_OTHER, NULL, "its first output is not wanted");
    return true;
}

/* What the graph has of what decides whether groups are worth it. */
struct tally {
    uint32_t heavy;        /* nodes that begin a group */
    uint32_t convolutions; /* ... of them convolutions, or sequences */
    uint32_t breaking;     /* nodes with float32 input that are left to others */
};

/* The answer that the node's operator has for it; it has been given already if it is BP_NO. */
static uint32_t decide(const struct bp_dnnl_query *query, const struct bp_dnnl_op **out)
{
    uint32_t known_to;
    const struct bp_dnnl_op *op = bp_dnnl_find_operator(query->node, &known_to);
    double flops = 0;

    *out = op;
    if (!op && known_to == 0) {
        bp_dnnl_refuse(query, BP_R_OP, NULL, "the operator is not implemented");
        return BP_NO;
    }
    if (!op) {
        bp_dnnl_refuse(query, BP_R_OPSET, NULL, "version %u is not implemented, version %u is",
                       query->node->since, known_to);
        return BP_NO;
    }
    if (!has_outputs(op, query) || !op->claim(op, query, &flops))
        return BP_NO;
    if (query->instance->takes_all || op->is_fused || flops >= profitable_flops)
        return BP_YES;
    if (op->is_made && query->graph->n_nodes == 1)
        return BP_YES; /* a pass asks whether it may make the node of others that are in a group */
    return BP_ONLY_IN_GROUP;
}

/* Does the node read floats that are computed? */
static bool reads_floats(const bp_graph *graph, const bp_node *node)
{
    for (uint32_t i = 0; i < node->n_in; i++) {
        const bp_value *value = bp_node_in(graph, node, i);

        if (value && value->dtype < BP_DTYPE_END && BP_DNNL_FLOATS >> value->dtype & 1 &&
            !(value->flags & BP_VALUE_CONSTANT))
            return true;
    }
    return false;
}

static void count(const struct bp_dnnl_query *query, const struct bp_dnnl_op *op, uint32_t verdict,
                  struct tally *tally)
{
    if (verdict == BP_YES) {
        tally->heavy++;
        tally->convolutions += strstr(op->name, "Conv") != NULL || op->n_out > 1;
    } else if (verdict == BP_NO && reads_floats(query->graph, query->node)) {
        tally->breaking++;
    }
}

/*
 * A graph of products with much between them that is run elsewhere falls apart into small groups,
 * whose threads take turns with those of others, and passes find no provider for whole patterns.
 */
static bool is_worth_it(const bp_instance *instance, const struct tally *tally)
{
    return instance->takes_all || tally->convolutions > 0 || tally->breaking * 4 <= tally->heavy;
}

static void answer(const struct bp_dnnl_query *query, struct tally *tally, bool declines)
{
    const struct bp_dnnl_op *op;
    uint32_t verdict = decide(query, &op);

    count(query, op, verdict, tally);
    if (verdict == BP_NO)
        return;
    if (declines)
        bp_dnnl_refuse(
            query, BP_R_NOT_PROFITABLE, NULL,
            "the graph has no convolution or sequence, and too much of it is run elsewhere");
    else
        query->claims->node(query->claims->h, query->index, verdict, BP_R_NONE, NULL, NULL, NULL);
}

static void answer_all(bp_instance *instance, const bp_graph *graph, const bp_claims *claims,
                       struct tally *tally, bool declines)
{
    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        struct bp_dnnl_query query = {.instance = instance,
                                      .graph = graph,
                                      .node = BP_NODE(graph, i),
                                      .claims = claims,
                                      .index = i};

        answer(&query, tally, declines);
    }
}

bp_rc bp_dnnl_capability(bp_instance *instance, const bp_graph *graph, const bp_claims *claims,
                         bp_err *err)
{
    struct tally tally = {0}, again = {0};

    (void)err;
    answer_all(instance, graph, claims, &tally, false);
    if (!is_worth_it(instance, &tally))
        answer_all(instance, graph, claims, &again, true); /* the last answer counts */
    return BP_OK;
}
