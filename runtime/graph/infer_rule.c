/* SPDX-License-Identifier: MIT */
/* infer_rule.c - what shape rules call: setting outputs, axes, broadcasting, subgraphs. */

#include "config.h"

#include <assert.h>
#include <inttypes.h>

#include "graph/infer.h"
#include "graph/infer_merge.h"

/* Name of output i in the operator's text, for messages. */
static const char *output_name(const struct bp_infer *infer, uint32_t i)
{
    const struct bp_param *param = bp_schema_out(infer->node->schema, i);

    return param ? param->name : "output";
}

/*
 * Sizes are copied, as rules build them on their stack. A negative size is refused here, once
 * for all rules.
 */
bp_rc bp_infer_set(struct bp_infer *infer, uint32_t i, uint32_t dtype, uint32_t rank,
                   const struct bp_sym *dims)
{
    struct bp_sym *copy = NULL;

    if (i >= infer->node->n_out)
        return BP_OK;
    if (rank != BP_RANK_UNKNOWN && rank > BP_MAX_RANK)
        return bp_fail(infer->err, BP_E_SHAPE, "%s would have rank %u, at most %d is possible",
                       output_name(infer, i), rank, BP_MAX_RANK);
    if (rank != BP_RANK_UNKNOWN && rank > 0) {
        copy = bp_region_array(infer->region, rank, sizeof *copy);
        if (!copy)
            return bp_fail_nomem(infer->err, "a shape");
        memcpy(copy, dims, rank * sizeof *copy);
        for (uint32_t d = 0; d < rank; d++) {
            if (bp_sym_known(dims[d]) && dims[d].value < 0)
                return bp_fail(infer->err, BP_E_SHAPE,
                               "dimension %u of %s would have the size %" PRId64, d,
                               output_name(infer, i), dims[d].value);
        }
    }
    infer->out[i].dtype = dtype;
    infer->out[i].rank = rank;
    infer->out[i].dims = copy;
    return BP_OK;
}

bp_rc bp_infer_set_content(struct bp_infer *infer, uint32_t i, const struct bp_sym *content,
                           uint32_t n)
{
    struct bp_sym *copy;

    if (i >= infer->node->n_out || n > BP_MAX_CONTENT)
        return BP_OK;
    copy = bp_region_array(infer->region, n, sizeof *copy);
    if (!copy)
        return bp_fail_nomem(infer->err, "the content of a tensor");
    if (n > 0)
        memcpy(copy, content, n * sizeof *copy);
    infer->out[i].content = copy;
    infer->out[i].n_content = n;
    return BP_OK;
}

bp_rc bp_infer_axis(struct bp_infer *infer, int64_t axis, uint32_t rank, const char *what,
                    uint32_t *out)
{
    if (rank == 0)
        return bp_fail(infer->err, BP_E_INVALID,
                       "%s is %" PRId64 ", but a tensor of rank 0 has no axes", what, axis);
    if (axis < -(int64_t)rank || axis >= (int64_t)rank)
        return bp_fail(infer->err, BP_E_INVALID,
                       "%s is %" PRId64 ", outside -%u..%u, the axes of a tensor of rank %u", what,
                       axis, rank, rank - 1, rank);
    *out = (uint32_t)(axis < 0 ? axis + (int64_t)rank : axis);
    return BP_OK;
}

/* ---- broadcasting ---------------------------------------------------------------------------- */

/*
 * The message has both types and the dimension that does not fit, counted from the end as
 * broadcasting matches them.
 */
static bp_rc fail_broadcast(struct bp_infer *infer, const struct bp_fact *a,
                            const struct bp_fact *b, uint32_t from_end)
{
    char a_text[160], b_text[160];

    bp_fact_text(a, infer->symbols, a_text, sizeof a_text);
    bp_fact_text(b, infer->symbols, b_text, sizeof b_text);
    return bp_fail(infer->err, BP_E_SHAPE,
                   "%s and %s do not broadcast: at dimension %u from the end they have %" PRId64
                   " and %" PRId64,
                   a_text, b_text, from_end + 1, a->dims[a->rank - 1 - from_end].value,
                   b->dims[b->rank - 1 - from_end].value);
}

/* Size of a dimension counted from the end; one that is not there is 1. */
static struct bp_sym dim_from_end(const struct bp_fact *fact, uint32_t from_end)
{
    return from_end < fact->rank ? fact->dims[fact->rank - 1 - from_end] : bp_sym_of(1);
}

/*
 * Dimensions are matched from the last one on; those that one side lacks count as 1. The result
 * of a symbol and another size is the one that is not 1.
 */
bp_rc bp_infer_broadcast(struct bp_infer *infer, const struct bp_fact *a, const struct bp_fact *b,
                         uint32_t *rank, struct bp_sym *out)
{
    bp_rc rc = BP_OK;

    *rank = BP_RANK_UNKNOWN;
    if (a->rank == BP_RANK_UNKNOWN || b->rank == BP_RANK_UNKNOWN)
        return BP_OK;
    *rank = a->rank > b->rank ? a->rank : b->rank;
    assert(*rank <= BP_MAX_RANK);
    for (uint32_t i = 0; rc == BP_OK && i < *rank; i++) {
        struct bp_sym x = dim_from_end(a, i), y = dim_from_end(b, i);
        bool both = bp_sym_known(x) && bp_sym_known(y);

        if (both && x.value != y.value && x.value != 1 && y.value != 1)
            return fail_broadcast(infer, a, b, i);
        rc = bp_symbols_calc(infer->symbols, x, '|', y, &out[*rank - 1 - i], infer->err);
    }
    return rc;
}

/* ---- subgraphs ------------------------------------------------------------------------------- */

bp_rc bp_infer_subgraph_inputs(const struct bp_ir_node *node, const struct bp_ir *subgraph,
                               const struct bp_fact *facts, struct bp_symbols *symbols,
                               struct bp_region *region, const struct bp_fact **out, bp_err *err)
{
    struct bp_infer infer = {
        .node = node, .outer = facts, .symbols = symbols, .region = region, .err = err};
    const struct bp_fact **in = bp_region_array(region, node->n_in, sizeof *in);
    struct bp_fact *inputs = bp_region_array(region, subgraph->n_inputs, sizeof *inputs);

    *out = inputs;
    if (!in || !inputs)
        return bp_fail_nomem(err, "shapes");
    for (uint32_t i = 0; i < node->n_in; i++)
        in[i] = node->in[i] == BP_NONE ? NULL : &facts[node->in[i]];
    for (uint32_t i = 0; i < subgraph->n_inputs; i++)
        inputs[i] = (struct bp_fact){.rank = BP_RANK_UNKNOWN};
    infer.in = in;
    return node->schema && node->schema->subgraph_inputs
               ? node->schema->subgraph_inputs(&infer, subgraph, inputs)
               : BP_OK;
}

/*
 * A subgraph sees the facts of the graph around it through its captures. What it declares of its
 * inputs counts as anywhere: names of sizes, never ranks or exact sizes.
 */
bp_rc bp_infer_subgraph(struct bp_infer *infer, const struct bp_ir *subgraph,
                        const struct bp_fact *in, uint32_t n_in, struct bp_fact **out)
{
    struct bp_fact *facts, *results;
    bp_rc rc;

    *out = NULL;
    if (n_in != subgraph->n_inputs)
        return bp_fail(infer->err, BP_E_INVALID, "graph '%s' takes %u inputs, it gets %u",
                       subgraph->name, subgraph->n_inputs, n_in);
    rc = bp_infer_start(subgraph, infer->outer, infer->symbols, infer->region, &facts, infer->err);
    for (uint32_t i = 0; rc == BP_OK && i < n_in; i++) {
        struct bp_fact *fact = &facts[subgraph->inputs[i]];

        *fact = in[i];
        rc = bp_infer_merge(subgraph, subgraph->inputs[i], infer->symbols, infer->region, fact,
                            infer->err);
    }
    if (rc == BP_OK)
        rc = bp_infer_run(subgraph, NULL, 0, facts, infer->symbols, infer->region, infer->err);
    if (rc < 0)
        return bp_fail_in(infer->err, rc, "graph '%s'", subgraph->name);
    results = bp_region_array(infer->region, subgraph->n_outputs, sizeof *results);
    if (!results)
        return bp_fail_nomem(infer->err, "shapes");
    for (uint32_t i = 0; i < subgraph->n_outputs; i++)
        results[i] = facts[subgraph->outputs[i]];
    *out = results;
    return BP_OK;
}
