/* SPDX-License-Identifier: MIT */
/* claims.c - the sink in which providers put their answers. */

#include "config.h"

#include "plan/claims.h"

#include <math.h>

#include <bp/sdk.h>

#include "graph/custom.h"

struct sink {
    const struct bp_graph_view *view;
    struct bp_region *region;
    struct bp_verdict *verdicts; /* one an ir node */
    bool no_memory;
    uint32_t bad_node; /* an index beyond the graph, or BP_NONE */
    uint32_t n_devices;
    uint32_t bad_device; /* an index beyond the instance's devices, or BP_NONE */
};

/* Texts are the provider's and end with the call; an empty one counts as none. */
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

/* What it says, if those are numbers. */
static void note_cost(struct bp_verdict *row, const bp_cost *cost)
{
    row->has_cost = row->verdict != BP_NO && cost && cost->struct_size >= sizeof *cost &&
                    cost->known && isfinite(cost->run_ns) && isfinite(cost->launch_ns) &&
                    cost->run_ns >= 0 && cost->launch_ns >= 0;
    row->run_ns = row->has_cost ? cost->run_ns : 0;
    row->launch_ns = row->has_cost ? cost->launch_ns : 0;
}

/*
 * bp_claims.node: the last answer for a node counts. Reasons of providers newer than the host are
 * kept as numbers.
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

/* What a node has until its provider answers. */
static void start(const struct bp_ir *ir, struct bp_verdict *verdicts)
{
    for (uint32_t i = 0; i < ir->n_nodes; i++) {
        verdicts[i].verdict = BP_NO;
        verdicts[i].reason = BP_R_OTHER;
        verdicts[i].text = "the provider gave no answer";
    }
}

/* A provider that knows an operator of that name does not know this one. */
static bool is_replaced(const struct bp_schema *schema)
{
    const struct bp_custom *custom = bp_custom_of(schema);

    return custom && (custom->def.flags & BP_OPERATOR_REPLACE);
}

/* A refusal by the host, in the provider's name. */
static struct bp_verdict refusal(uint32_t reason, const char *text)
{
    return (struct bp_verdict){.verdict = BP_NO, .reason = reason, .text = text};
}

/* Why there is no operator: some domains are of layouts that only ONNX Runtime's kernels know. */
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

/* The provider took the node and gave it back; the number of its set stays. */
static void give_back(struct bp_verdict *verdict, const char *text)
{
    *verdict = (struct bp_verdict){
        .verdict = BP_NO, .reason = BP_R_OTHER, .together = verdict->together, .text = text};
}

/* What no provider decides: subgraphs are run by the host, unknown operators by nobody. */
static void overrule(const struct bp_asked *asked, const struct bp_ir *ir,
                     const struct bp_fact *facts, struct bp_verdict *verdicts)
{
    for (uint32_t i = 0; i < ir->n_nodes; i++) {
        const struct bp_ir_node *node = &ir->nodes[i];

        if (node->n_subgraphs > 0)
            verdicts[i] = refusal(BP_R_CONTROL_FLOW, "control flow is run by the host");
        else if (bp_node_is_host_op(node, facts))
            verdicts[i] = refusal(BP_R_DTYPE, "values that are no tensors are the host's");
        else if (node->opset == 0)
            verdicts[i] = refusal(
                BP_R_OP, "the model imports version 0 of its domain, which has no operators");
        else if (!node->schema)
            verdicts[i] = refuse_unknown(node->domain);
        else if (is_replaced(node->schema) && !asked->runs_custom)
            verdicts[i] = refusal(BP_R_OP, "the application has an operator of its own for it");
        else if (verdicts[i].verdict != BP_NO && bp_refused_find(asked->refused, node))
            give_back(&verdicts[i], bp_refused_find(asked->refused, node));
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
        rc = bp_fail(err, BP_E_INTERNAL, "provider '%s' answered for node %u of %u", asked->name,
                     sink.bad_node, view->graph.n_nodes);
    if (rc >= 0 && sink.bad_device != BP_NONE)
        rc = bp_fail(err, BP_E_INTERNAL, "provider '%s' put a node on device %u, of %u",
                     asked->name, sink.bad_device, sink.n_devices);
    if (rc >= 0 && sink.no_memory)
        rc = bp_fail_nomem(err, "a provider's answers");
    if (rc < 0)
        start(ir, sink.verdicts);
    overrule(asked, ir, facts, sink.verdicts);
    return rc;
}
