/* SPDX-License-Identifier: MIT */
/* ms.c - steps that rules of com.microsoft take; see ms.h. */

#include "config.h"

#include "graph/rules/ms.h"

#include <assert.h>

enum { MAX_INPUTS = 16 };

bp_rc bp_rule_as(struct bp_infer *infer, const struct bp_schema *schema,
                 const struct bp_fact *const *in, uint32_t n)
{
    uint32_t present[MAX_INPUTS];
    struct bp_ir_node node = *infer->node;
    struct bp_infer inner = *infer;

    assert(n <= MAX_INPUTS);
    for (uint32_t i = 0; i < n; i++)
        present[i] = in[i] ? 0 : BP_NONE;
    node.schema = schema;
    node.in = present;
    node.n_in = n;
    inner.node = &node;
    inner.in = in;
    return schema->infer(&inner);
}

bp_rc bp_rule_like_first(struct bp_infer *infer)
{
    return bp_rule_like(infer, 0, bp_rule_dtype(infer, 0), bp_rule_in(infer, 0));
}

bp_rc bp_rule_vector(struct bp_infer *infer, uint32_t i, struct bp_sym size, const char *whose)
{
    bp_rc rc = bp_rule_rank(infer, i, 1, 1);

    return rc < 0 ? rc : bp_rule_expect(infer, i, 0, size, whose);
}

const struct bp_fact *bp_rule_turned(struct bp_infer *infer, const struct bp_fact *fact,
                                     const uint32_t *perm)
{
    struct bp_fact *out = bp_region_alloc(infer->region, sizeof *out);
    struct bp_sym *dims = bp_region_array(infer->region, fact->rank, sizeof *dims);

    if (!out || !dims)
        return NULL;
    for (uint32_t i = 0; i < fact->rank; i++)
        dims[i] = fact->dims[perm[i]];
    *out = *fact;
    out->dims = dims;
    out->content = NULL;
    out->reals = NULL;
    out->n_content = 0;
    return out;
}

bp_rc bp_rule_move_channels(struct bp_infer *infer, const struct bp_fact **fact, bool to_end)
{
    uint32_t perm[BP_MAX_RANK], rank;

    if (!bp_rule_ranked(*fact) || (*fact)->rank < 3)
        return BP_OK;
    rank = (*fact)->rank;
    perm[0] = 0;
    for (uint32_t i = 1; i < rank; i++)
        perm[i] = to_end ? (i + 1 == rank ? 1 : i + 1) : i == 1 ? rank - 1 : i - 1;
    *fact = bp_rule_turned(infer, *fact, perm);
    return *fact ? BP_OK : bp_fail_nomem(infer->err, "a shape");
}

bp_rc bp_rule_dim(struct bp_infer *infer, const struct bp_fact *fact, int i, struct bp_sym *out)
{
    int64_t at = i;

    if (!bp_rule_ranked(fact))
        return bp_rule_from_data(infer, out, 1);
    if (at < 0)
        at += fact->rank;
    if (at < 0 || at >= fact->rank)
        return bp_fail(infer->err, BP_E_SHAPE, "a rank of %u is too low", fact->rank);
    *out = fact->dims[at];
    return BP_OK;
}
