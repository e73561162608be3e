/* SPDX-License-Identifier: MIT */
/* capability.c - which nodes the dnnl provider takes, and why it refuses the others. */

#include "capability.h"

#include "base/claim.h"
#include "base/instance.h"
#include "base/operator.h"
#include "operators.h"

/*
 * Floating-point operations of a run. A convolution or product of fewer does not pay for a group of
 * its own: reorders at its edges and a call of execute.
 */
static const double profitable_flops = 1e6;

/*
 * Refuses a node whose consumers want outputs that the operator does not make, such as MaxPool's
 * indices.
 */
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
        return bp_dnnl_refuse(query, BP_R_OTHER, NULL, "its first output is not used");
    return true;
}

/* What decides whether groups of this graph are worth it. */
struct tally {
    uint32_t heavy;        /* nodes that begin a group */
    uint32_t convolutions; /* ... of them convolutions, or sequences */
    uint32_t breaking;     /* nodes with float input that run elsewhere */
};

/* The answer that the node's operator has for it; BP_NO has been given to the host already. */
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
        return BP_YES; /* a pass asks whether it may fuse nodes of a group to this one */
    return BP_ONLY_IN_GROUP;
}

/* Does the node read floats that are computed, so that leaving it to others cuts the graph? */
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

/* A convolution or sequence makes up for what is run elsewhere. */
static void count(const struct bp_dnnl_query *query, const struct bp_dnnl_op *op, uint32_t verdict,
                  struct tally *tally)
{
    if (verdict == BP_YES) {
        tally->heavy++;
        tally->convolutions += op->work == BP_DNNL_CONVOLUTION || op->work == BP_DNNL_SEQUENCE;
    } else if (verdict == BP_NO && reads_floats(query->graph, query->node)) {
        tally->breaking++;
    }
}

/*
 * A graph of products with much between them that is run elsewhere falls apart into small groups,
 * whose threads alternate with those of others, and passes find no provider for whole patterns: at
 * most one such node to four that start a group.
 */
static bool is_worth_it(const bp_instance *instance, const struct tally *tally)
{
    return instance->takes_all || tally->convolutions > 0 || tally->breaking * 4 <= tally->heavy;
}

/* declines: the graph is not worth it, so that a yes becomes a refusal. */
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
        query->claims->node(query->claims->h, query->index,
                            &(bp_claim){.struct_size = sizeof(bp_claim), .verdict = verdict});
}

/* Each node is asked on its own; what it would be fused with is not known here. */
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

/* Two rounds where the graph is not worth it: the last answer for a node counts. */
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
