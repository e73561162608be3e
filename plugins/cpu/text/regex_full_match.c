/* SPDX-License-Identifier: MIT */
/*
 * regex_full_match.c - RegexFullMatch (opset 20).
 * y = whether the pattern, in RE2's syntax, matches the whole of x; X is of strings, Y of bool, of
 * the same shape. A text that is not UTF-8 does not match.
 */

#include "kernels/tensor_data.h"
#include "text/regex_match.h"

static void unpack(struct bp_cpu_node *node)
{
    bp_cpu_pattern_close(node->packed);
    node->packed = NULL;
}

/* The pattern is compiled once for a node. */
static bp_rc pack(struct bp_cpu_node *node, bp_err *err)
{
    const bp_attr *attr = bp_node_attr(node->graph, node->node, "pattern");
    struct bp_cpu_pattern *pattern;
    bp_rc rc = bp_cpu_pattern_open(node, attr->data, "pattern", true, &pattern, err);

    node->packed = pattern;
    return rc;
}

/* Each call has a matcher of its own. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    bp_rc rc = bp_cpu_state(call, sizeof(struct bp_cpu_matcher), err);

    return rc < 0 ? rc : bp_cpu_matcher_prepare(call, call->node->packed, call->state, err);
}

/*
 * The pattern is anchored at the start. PCRE2's DFA matcher finds the longest match, so it is a
 * full match exactly if it ends where the text does.
 */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const bp_span *texts = bp_cpu_data(call->in[0]);
    uint8_t *out = bp_cpu_data(call->out[0]);
    int64_t n = bp_cpu_count(call->in[0]);
    bp_rc rc = BP_OK;

    bp_cpu_matcher_begin(call->state);
    for (int64_t i = 0; i < n && rc >= 0 && !bp_cpu_should_stop(call->stop); i++) {
        size_t start, end;
        bool found;

        rc = bp_cpu_matcher_find(call->state, call->node->packed, &texts[i], 0, &found, &start,
                                 &end, err);
        out[i] = rc >= 0 && found && end == texts[i].size;
    }
    return rc;
}

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_attr *pattern = bp_node_attr(query->graph, query->node, "pattern");

    if (!pattern || pattern->type != BP_ATTR_STRING || pattern->count != 1)
        bp_cpu_refuse(query, BP_R_ATTRIBUTE, "pattern", "is not given");
#ifndef BP_PCRE2_SONAME
    else if (op)
        bp_cpu_refuse(query, BP_R_OP, NULL, "Backplane was built without PCRE2");
#endif
    else
        bp_cpu_claim_types(op, query);
}

const struct bp_cpu_op bp_cpu_op_regex_full_match = {
    .name = "RegexFullMatch",
    .since = 20,
    .types = UINT64_C(1) << BP_DTYPE_STRING,
    .claim = claim,
    .pack = pack,
    .unpack = unpack,
    .prepare = prepare,
    .run = run,
};
