/* SPDX-License-Identifier: MIT */
/* plan_shapes.c - runs the shape rules of a stage with exact sizes. */

#include "config.h"

#include "exec/planning.h"
#include "graph/mismatch.h"

/*
 * The fact of a value that the stage reads: exact, from its cell, with content where a shape rule
 * looks at it.
 */
static bp_rc set_fact(struct bp_planning *p, uint32_t value, bool with_content, bp_err *err)
{
    const struct bp_cell *cell = &p->frame->cells[value];
    struct bp_region *region = &p->inferred.region;
    struct bp_fact *fact = &p->inferred.facts[value];
    struct bp_sym *dims;
    bp_rc rc = bp_cell_check(cell, &p->frame->subgraph->facts[value],
                             p->frame->subgraph->ir->values[value].name, err);

    /* what the caller feeds is held against the model before */
    if (rc >= 0 && p->frame->subgraph->ir->parent && bp_cell_kind(cell) == BP_KIND_TENSOR)
        rc = bp_mismatch_check(p->frame->subgraph->ir, value, cell->dtype, cell->rank, cell->dims,
                               err);
    if (rc < 0)
        return rc;
    if (cell->object && cell->object->kind != BP_KIND_TENSOR) {
        *fact = p->frame->subgraph->facts[value]; /* the data tells no more of its type */
        return BP_OK;
    }
    dims = bp_region_array(region, cell->rank, sizeof *dims);
    if (!dims)
        return bp_fail_nomem(err, "a plan");
    for (uint32_t d = 0; d < cell->rank; d++)
        dims[d] = bp_sym_of(cell->dims[d]);
    *fact = (struct bp_fact){.dtype = cell->dtype, .rank = cell->rank, .dims = dims};
    return with_content ? bp_infer_content(fact, cell->base, region, err) : BP_OK;
}

/*
 * Facts to begin with: constants have theirs since the model was compiled, and what the stage reads
 * gets its own from the cells. Of other values the stage needs none.
 */
static bp_rc start_facts(struct bp_planning *p, bp_err *err)
{
    const struct bp_subgraph *subgraph = p->frame->subgraph;
    struct bp_fact *facts =
        bp_region_array(&p->inferred.region, subgraph->ir->n_values, sizeof *facts);
    bp_rc rc = BP_OK;

    if (!facts)
        return bp_fail_nomem(err, "a plan");
    p->inferred.facts = facts;
    for (uint32_t v = 0; v < subgraph->ir->n_values; v++) {
        if (subgraph->ir->values[v].flags & BP_IR_CONSTANT)
            facts[v] = subgraph->facts[v];
        else
            facts[v].rank = BP_RANK_UNKNOWN;
    }
    for (uint32_t i = 0; rc >= 0 && i < p->stage->n_reads; i++)
        rc = set_fact(p, p->stage->reads[i], p->stage->reads_content[i], err);
    return rc;
}

/*
 * The rules of graph/rules/ once more, with numbers where there were symbols. Symbols that the last
 * planning made have no readers any more.
 */
bp_rc bp_planning_infer(struct bp_planning *p, bp_err *err)
{
    const struct bp_ir *ir = p->frame->subgraph->ir;
    bp_rc rc = bp_symbols_restart(&p->frame->symbols, ir->symbols, err);

    if (rc >= 0)
        rc = start_facts(p, err);
    if (rc >= 0)
        rc = bp_infer_run(ir, p->stage->nodes, p->stage->n_nodes, p->inferred.facts,
                          &p->frame->symbols, &p->inferred.region, err);
    return rc;
}

static bool is_planned_so(const struct bp_planning *p, const struct bp_stage_plan *plan,
                          uint32_t value)
{
    const struct bp_fact *fact = &p->inferred.facts[value];
    const struct bp_cell *planned = &plan->planned[value];

    if (fact->dtype != planned->dtype || fact->kind != plan->inferred.facts[value].kind)
        return false;
    if (!bp_fact_is_exact(fact))
        return planned->rank == BP_RANK_UNKNOWN;
    if (fact->rank != planned->rank)
        return false;
    for (uint32_t d = 0; d < fact->rank; d++) {
        if (fact->dims[d].value != planned->dims[d])
            return false;
    }
    return true;
}

bool bp_planning_fits(const struct bp_planning *p, const struct bp_stage_plan *plan)
{
    const struct bp_ir *ir = p->frame->subgraph->ir;

    for (uint32_t i = 0; i < p->stage->n_reads; i++) {
        if (!is_planned_so(p, plan, p->stage->reads[i]))
            return false;
    }
    for (uint32_t i = 0; i < p->stage->n_nodes; i++) {
        const struct bp_ir_node *node = &ir->nodes[p->stage->nodes[i]];

        for (uint32_t o = 0; o < node->n_out; o++) {
            if (node->out[o] != BP_NONE && !is_planned_so(p, plan, node->out[o]))
                return false;
        }
    }
    return true;
}

/* The planned cell of a value: exact dims, or an unknown rank when they come with the data. */
static bp_rc plan_value(struct bp_planning *p, uint32_t value, bp_err *err)
{
    const struct bp_fact *fact = &p->plan->inferred.facts[value];
    struct bp_cell *planned = &p->plan->planned[value];
    int64_t *dims;

    planned->dtype = fact->dtype;
    planned->rank = BP_RANK_UNKNOWN;
    if (!bp_fact_is_exact(fact))
        return BP_OK;
    dims = bp_region_array(&p->plan->region, fact->rank, sizeof *dims);
    if (!dims)
        return bp_fail_nomem(err, "a plan");
    for (uint32_t d = 0; d < fact->rank; d++)
        dims[d] = fact->dims[d].value;
    planned->dims = dims;
    planned->rank = fact->rank;
    if (!bp_dense_bytes(fact->dtype, dims, fact->rank, &planned->bytes))
        return bp_fail(err, BP_E_NOMEM, "'%s' is too large for this machine",
                       p->frame->subgraph->ir->values[value].name);
    return BP_OK;
}

/* What the stage reads and makes. Other values of the graph stay zero. */
bp_rc bp_planning_set_cells(struct bp_planning *p, bp_err *err)
{
    const struct bp_subgraph *subgraph = p->frame->subgraph;
    bp_rc rc = BP_OK;

    p->plan->planned =
        bp_region_array(&p->plan->region, subgraph->ir->n_values, sizeof *p->plan->planned);
    if (!p->plan->planned)
        return bp_fail_nomem(err, "a plan");
    for (uint32_t i = 0; rc >= 0 && i < p->stage->n_reads; i++)
        rc = plan_value(p, p->stage->reads[i], err);
    for (uint32_t i = 0; rc >= 0 && i < p->stage->n_nodes; i++) {
        const struct bp_ir_node *node = &subgraph->ir->nodes[p->stage->nodes[i]];

        for (uint32_t o = 0; rc >= 0 && o < node->n_out; o++) {
            if (node->out[o] != BP_NONE)
                rc = plan_value(p, node->out[o], err);
        }
    }
    return rc;
}
