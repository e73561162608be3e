/* SPDX-License-Identifier: MIT */
/* claims.c - the functions that receive a provider's claims. */

#include "config.h"

#include "plan/claims.h"

#include <math.h>

#include <bp/sdk.h>

#include "graph/channels_last.h"
#include "graph/custom.h"
#include "plan/contexts.h"

struct sink {
    const struct bp_graph_view *view;
    struct bp_region *region;
    struct bp_verdict *verdicts; /* one an ir node */
    bool no_memory;
    uint32_t bad_node; /* an index beyond the graph, or BP_NONE */
    uint32_t n_devices;
    uint32_t bad_device; /* an index beyond the instance's devices, or BP_NONE */
};

/* Copies a text of the provider, which ends with the call; an empty one counts as none. */
static const char *keep(struct sink *sink, const char *text)
{
    char *copy;

    if (!text || !*text)
        return NULL;
    copy = bp_region_string(sink->region, text);
    if (!copy)
        sink->no_memory = true;
    return copy;
}

/* Records the costs that come with a claim; numbers below 0, and such that are none, are ignored. */
static void note_cost(struct bp_verdict *row, const bp_cost *cost)
{
    row->has_cost = row->verdict != BP_NO && cost && cost->struct_size >= sizeof *cost &&
                    cost->known && isfinite(cost->run_ns) && isfinite(cost->launch_ns) &&
                    cost->run_ns >= 0 && cost->launch_ns >= 0;
    row->run_ns = row->has_cost ? cost->run_ns : 0;
    row->launch_ns = row->has_cost ? cost->launch_ns : 0;
}

/*
 * bp_claims.node: the last answer for a node counts. Reasons that are newer than the host are kept
 * as numbers.
 */
static void answer(void *h, uint32_t node, const bp_claim *theirs)
{
    struct sink *sink = h;
    struct bp_verdict *row;
    bp_claim claim;

    if (node >= sink->view->graph.n_nodes) {
        sink->bad_node = node;
        return;
    }
    row = &sink->verdicts[sink->view->node_of[node]];
    bp_copy_in(&claim, sizeof claim, theirs);
    row->verdict = claim.verdict;
    row->reason = claim.verdict == BP_NO ? claim.reason : BP_R_NONE;
    row->subject = keep(sink, claim.subject);
    row->text = keep(sink, claim.text);
    row->device = claim.verdict == BP_NO ? 0 : claim.device;
    if (row->device >= sink->n_devices)
        sink->bad_device = row->device;
    row->together = claim.verdict == BP_NO ? 0 : claim.together;
    note_cost(row, claim.cost);
}

/* The verdict of a node until its provider answers. */
static void start(const struct bp_ir *ir, struct bp_verdict *verdicts)
{
    for (uint32_t i = 0; i < ir->n_nodes; i++) {
        verdicts[i].verdict = BP_NO;
        verdicts[i].reason = BP_R_OTHER;
        verdicts[i].text = "the provider gave no answer";
    }
}

/* Resets the answers of a provider that failed; the host's own refusals stay. */
static void refuse_all(const struct bp_ir *ir, struct bp_verdict *verdicts)
{
    for (uint32_t i = 0; i < ir->n_nodes; i++) {
        if (verdicts[i].verdict != BP_NO)
            verdicts[i] = (struct bp_verdict){
                .verdict = BP_NO, .reason = BP_R_OTHER, .text = "the provider gave no answer"};
    }
}

/*
 * Corrects the reason: a provider that knows an operator of that name lacks this domain or version
 * of it.
 */
static bool is_replaced(const struct bp_schema *schema)
{
    const struct bp_custom *custom = bp_custom_of(schema);

    return custom && (custom->def.flags & BP_OPERATOR_REPLACE);
}

/* Refuses a node for the provider, by the host's decision. */
static struct bp_verdict refusal(uint32_t reason, const char *text)
{
    return (struct bp_verdict){.verdict = BP_NO, .reason = reason, .text = text};
}

/*
 * Returns why there is no such operator: some domains are of layouts that only ONNX Runtime's
 * kernels know.
 */
static struct bp_verdict refuse_unknown(const char *domain)
{
    struct bp_verdict unknown = refusal(BP_R_OP, "the host knows no such operator");
    static const char *const internal[] = {"com.microsoft.nchwc", "com.ms.internal.nhwc",
                                           "com.microsoft.dml"};

    for (size_t i = 0; i < sizeof internal / sizeof *internal; i++) {
        if (strcmp(domain, internal[i]) == 0)
            return refusal(
                BP_R_OP,
                "its domain is internal to ONNX Runtime, which has optimised the model for one "
                "processor: save or convert the .onnx file again with less optimisation (level "
                "extended, or without --target_platform amd64)");
    }
    unknown.detail = BP_DETAIL_UNKNOWN_OPERATOR;
    return unknown;
}

/* Refuses a node that the provider took and gave back; its set keeps the number. */
static void give_back(struct bp_verdict *verdict, const char *text)
{
    *verdict = (struct bp_verdict){
        .verdict = BP_NO, .reason = BP_R_OTHER, .together = verdict->together, .text = text};
}

/*
 * Returns why the provider was not shown the bodies of a node, so that it can't run it; NULL: it
 * was.
 */
static const char *why_hidden(const struct bp_graph_view *view, uint32_t node)
{
    return view->hidden ? view->hidden[node] : "control flow is run by the host";
}

/* Has the node a layout that is not channels-last? With rank 2 both are the same. */
static bool has_wrong_layout(const struct bp_ir_node *node, const struct bp_fact *facts)
{
    return bp_layout_inputs(node) != 0 && node->n_in > 0 && node->in[0] != BP_NONE &&
           facts[node->in[0]].rank > 2;
}

/*
 * Is it an operator of the application on values that are no tensors? The host runs it, and its
 * provider, which finds its definition, says whether it can be run.
 */
static bool is_object_operator(const struct bp_asked *asked, const struct bp_ir_node *node)
{
    return asked->runs_custom && node->schema && node->schema->is_custom &&
           node->schema->is_host_op;
}

/*
 * Settles the nodes that no provider decides about: the host runs subgraphs that the provider was
 * not shown, nodes of unknown operators have no provider, and compiled programs belong to the
 * provider that compiled them. The view has all nodes of the graph, in its order.
 */
static void overrule(const struct bp_asked *asked, const struct bp_graph_view *view,
                     const struct bp_fact *facts, struct bp_region *region,
                     struct bp_verdict *verdicts)
{
    const struct bp_ir *ir = view->ir;

    for (uint32_t i = 0; i < ir->n_nodes; i++) {
        const struct bp_ir_node *node = &ir->nodes[i];

        if (bp_node_is_context(node))
            verdicts[i] = bp_context_verdict(asked, node, region);
        if (node->n_subgraphs > 0 && why_hidden(view, i))
            verdicts[i] = refusal(BP_R_CONTROL_FLOW, why_hidden(view, i));
        else if (is_object_operator(asked, node))
            continue;
        else if (node->n_subgraphs == 0 && bp_node_is_host_op(node, facts))
            verdicts[i] = refusal(BP_R_DTYPE, "values that are not tensors are the host's");
        else if (node->opset == 0)
            verdicts[i] = refusal(
                BP_R_OP, "the model imports version 0 of its domain, which has no operators");
        else if (!node->schema)
            verdicts[i] = refuse_unknown(node->domain);
        else if (is_replaced(node->schema) && !asked->runs_custom)
            verdicts[i] = refusal(BP_R_OP, "the application has an operator of its own for it");
        else if (verdicts[i].verdict != BP_NO && bp_refused_find(asked->refused, node))
            give_back(&verdicts[i], bp_refused_find(asked->refused, node));
        else if (verdicts[i].verdict != BP_NO && asked->wants_channels_last &&
                 has_wrong_layout(node, facts))
            give_back(&verdicts[i], "the provider wants its data channels-last, which the host "
                                    "makes of nodes with one output and inputs of known rank");
    }
}

bp_rc bp_claims_ask(const struct bp_asked *asked, const struct bp_graph_view *view,
                    const struct bp_fact *facts, struct bp_region *region, struct bp_verdict **out,
                    bp_err *err)
{
    const struct bp_ir *ir = view->ir;
    struct sink sink = {
        .view = view,
        .region = region,
        .bad_node = BP_NONE,
        .n_devices = asked->n_devices ? asked->n_devices : 1,
        .bad_device = BP_NONE,
    };
    bp_claims claims = {.struct_size = sizeof claims, .h = &sink, .node = answer};
    bp_rc rc;

    *out = sink.verdicts = bp_region_array(region, ir->n_nodes, sizeof *sink.verdicts);
    if (!*out)
        return bp_fail_nomem(err, "a provider's answers");
    start(ir, sink.verdicts);
    bp_err_clear(err);
    rc = asked->provider->capability(asked->instance, &view->graph, &claims, err);
    rc = bp_err_complete(err, rc);
    if (rc >= 0 && sink.bad_node != BP_NONE)
        rc = bp_fail(err, BP_E_INTERNAL,
                     "provider '%s' is wrong: it answered for node %u, but the graph has %u; leave "
                     "it out, and run backplane-check on it",
                     asked->name, sink.bad_node, view->graph.n_nodes);
    if (rc >= 0 && sink.bad_device != BP_NONE)
        rc =
            bp_fail(err, BP_E_INTERNAL,
                    "provider '%s' is wrong: it put a node on device %u, but has %u; leave it out, "
                    "and run backplane-check on it",
                    asked->name, sink.bad_device, sink.n_devices);
    if (rc >= 0 && sink.no_memory)
        rc = bp_fail_nomem(err, "a provider's answers");
    if (rc < 0)
        start(ir, sink.verdicts);
    overrule(asked, view, facts, region, sink.verdicts);
    if (rc < 0)
        refuse_all(ir, sink.verdicts);
    return rc;
}
