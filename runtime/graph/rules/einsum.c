/* SPDX-License-Identifier: MIT */
/* einsum.c - Einsum: sums of products by an equation between the labels of dimensions. */

#include "config.h"

#include "graph/rules/rules.h"

#include <bp/einsum.h>
#include <inttypes.h>

/* One size for all dimensions with a label, where 1 is broadcast. */
static bp_rc join_sizes(struct bp_infer *infer, const bp_einsum_term *term,
                        const struct bp_fact *fact, struct bp_sym *sizes)
{
    for (uint32_t d = 0; d < fact->rank; d++) {
        struct bp_sym *size = &sizes[term->labels[d]];
        struct bp_sym mine = fact->dims[d];

        if (bp_sym_known(mine) && mine.value == 1)
            continue;
        if (bp_sym_known(*size) && size->value == 1) {
            *size = mine;
        } else if (!bp_rule_unify(*size, mine, size)) {
            return bp_fail(infer->err, BP_E_SHAPE,
                           "dimension %u of an operand has size %" PRId64
                           ", but equation makes it that of one with %" PRId64,
                           d, mine.value, size->value);
        }
    }
    return BP_OK;
}

static bp_rc set_result(struct bp_infer *infer, const bp_einsum_term *terms)
{
    const bp_einsum_term *out = &terms[infer->node->n_in];
    struct bp_sym sizes[BP_EINSUM_LABELS], dims[BP_EINSUM_RANK];
    bp_rc rc = bp_rule_room(infer, out->rank);

    for (uint32_t i = 0; i < BP_EINSUM_LABELS; i++)
        sizes[i] = bp_sym_of(1);
    for (uint32_t i = 0; i < infer->node->n_in && rc >= 0; i++)
        rc = join_sizes(infer, &terms[i], bp_rule_in(infer, i), sizes);
    for (uint32_t i = 0; i < out->rank; i++)
        dims[i] = sizes[out->labels[i]];
    if (rc < 0)
        return rc;
    return bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), out->rank, dims);
}

static bp_rc infer_einsum(struct bp_infer *infer)
{
    const bp_attr *equation = bp_ir_attr(infer->node, "equation");
    uint32_t n = infer->node->n_in;
    const bp_span *text;
    const char *wrong;
    bp_einsum_term *terms;
    uint32_t *ranks;

    if (!equation || equation->type != BP_ATTR_STRING || equation->count != 1)
        return bp_fail(infer->err, BP_E_INVALID, "equation is missing");
    text = equation->data;
    terms = bp_region_array(infer->region, (size_t)n + 1, sizeof *terms);
    ranks = bp_region_array(infer->region, (size_t)n + 1, sizeof *ranks);
    if (!terms || !ranks)
        return bp_fail_nomem(infer->err, "the equation");
    for (uint32_t i = 0; i < n; i++) {
        if (!bp_rule_ranked(bp_rule_in(infer, i)))
            return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
        ranks[i] = bp_rule_in(infer, i)->rank;
    }
    wrong = bp_einsum_parse(text->data, text->size, n, ranks, terms);
    if (wrong)
        return bp_fail(infer->err, BP_E_INVALID, "%s", wrong);
    return set_result(infer, terms);
}

ROW(Einsum, 12, INFER(infer_einsum), IN(MANY("Inputs", 'T', NUMBER3)),
    OUT(P("Output", 'T', NUMBER3)), ATTRS(A_STRING_REQ("equation")));
