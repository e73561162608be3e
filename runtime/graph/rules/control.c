/* SPDX-License-Identifier: MIT */
/* control.c - If: what both branches have in common. */

#include "config.h"

#include "graph/rules/rules.h"

/* ---- rules ---------------------------------------------------------------------------------- */

static bp_rc merge(struct bp_infer *infer, uint32_t i, const struct bp_fact *a,
                   const struct bp_fact *b)
{
    uint32_t dtype = a->dtype != BP_DTYPE_NONE ? a->dtype : b->dtype;
    struct bp_sym dims[BP_MAX_RANK];

    if ((a->dtype != BP_DTYPE_NONE && b->dtype != BP_DTYPE_NONE && a->dtype != b->dtype) ||
        (a->kind != b->kind && !bp_fact_is_blank(a) && !bp_fact_is_blank(b))) {
        char a_text[160], b_text[160];

        bp_fact_text(a, infer->symbols, a_text, sizeof a_text);
        bp_fact_text(b, infer->symbols, b_text, sizeof b_text);
        return bp_fail(infer->err, BP_E_INVALID,
                       "output %u is %s in then_branch, but %s in else_branch", i, a_text, b_text);
    }
    if (a->kind != BP_KIND_TENSOR || b->kind != BP_KIND_TENSOR) {
        bp_rule_set_fact(infer, i, bp_fact_innermost(a) ? a : b);
        return BP_OK;
    }
    if (!bp_rule_ranked(a) || !bp_rule_ranked(b) || a->rank != b->rank)
        return bp_rule_unknown(infer, i, dtype);
    for (uint32_t d = 0; d < a->rank; d++) {
        bp_rc rc = BP_OK;

        dims[d] = a->dims[d];
        if (!bp_sym_equal(a->dims[d], b->dims[d]))
            rc = bp_rule_from_data(infer, &dims[d], 1);
        if (rc < 0)
            return rc;
    }
    return bp_rule_set(infer, i, dtype, a->rank, dims);
}

static bp_rc take(struct bp_infer *infer, const struct bp_fact *facts)
{
    for (uint32_t i = 0; i < infer->node->n_out; i++) {
        bp_rc rc;

        bp_rule_set_fact(infer, i, &facts[i]);
        rc = bp_rule_same_content(infer, i, &facts[i]);
        if (rc < 0)
            return rc;
    }
    return BP_OK;
}

static bp_rc find_body(struct bp_infer *infer, const char *name, const struct bp_ir **out)
{
    *out = bp_ir_body(infer->node, name);
    if (!*out)
        return bp_fail(infer->err, BP_E_INVALID, "attribute %s is missing", name);
    if ((*out)->n_outputs != infer->node->n_out)
        return bp_fail(infer->err, BP_E_INVALID, "%s has %u outputs, but the node has %u", name,
                       (*out)->n_outputs, infer->node->n_out);
    return BP_OK;
}

/*
 * A branch whose shapes cannot be is one that does not run: exporters guard a Squeeze by a question
 * for the size. So its complaint counts only when both have one; a known answer decides.
 */
static bp_rc infer_if(struct bp_infer *infer)
{
    const struct bp_fact *cond = bp_rule_in(infer, 0);
    const struct bp_ir *bodies[2];
    struct bp_fact *facts[2] = {NULL, NULL};
    bp_rc rcs[2] = {BP_OK, BP_OK};
    bool is_known = cond && cond->content && cond->n_content == 1 && bp_sym_known(cond->content[0]);
    bp_rc rc = bp_rule_one_element(infer, 0);

    if (rc >= 0)
        rc = find_body(infer, "then_branch", &bodies[0]);
    if (rc >= 0)
        rc = find_body(infer, "else_branch", &bodies[1]);
    if (rc < 0)
        return rc;
    for (int i = 0; i < 2; i++) {
        if (is_known && (cond->content[0].value != 0) == (i == 1))
            continue;
        rcs[i] = bp_infer_body(infer, bodies[i], NULL, 0, &facts[i]);
        if (rcs[i] < 0 && (is_known || rcs[i] == BP_E_NOMEM || (i == 1 && rcs[0] < 0)))
            return rcs[i];
    }
    if (facts[0] && facts[1])
        for (uint32_t i = 0; i < infer->node->n_out && rc >= 0; i++)
            rc = merge(infer, i, &facts[0][i], &facts[1][i]);
    else
        rc = take(infer, facts[0] ? facts[0] : facts[1]);
    return rc;
}

/* ---- rows ----------------------------------------------------------------------------------- */

#define IF(since, types, kinds)                                                                    \
    ROW(If, since, INFER(infer_if), IN(P("cond", 'B', BP_T(BOOL))),                                \
        OUT({"outputs", types, BP_PARAM_VARIADIC | BP_PARAM_HETEROGENEOUS, 'V', kinds}),           \
        ATTRS(A_GRAPH_REQ("else_branch"), A_GRAPH_REQ("then_branch")), .is_hosted = true)

IF(1, ALL3, K_TENSOR);
IF(11, ALL3, K_TENSOR);
IF(13, ALL3, K_TENSOR | K_SEQUENCE);
IF(16, ALL4, K_TENSOR | K_SEQUENCE | K_OPTIONAL);
IF(19, ALL9, K_TENSOR | K_SEQUENCE | K_OPTIONAL);
IF(21, ALL10, K_TENSOR | K_SEQUENCE | K_OPTIONAL);
IF(23, ALL11, K_TENSOR | K_SEQUENCE | K_OPTIONAL);
IF(24, ALL12, K_TENSOR | K_SEQUENCE | K_OPTIONAL);
IF(25, ALL13, K_TENSOR | K_SEQUENCE | K_OPTIONAL);
