/* SPDX-License-Identifier: MIT */
/*
 * optimize.c - runs the passes over a graph and its subgraphs.
 *
 * Basic passes run first, until none matches (4 rounds at most); then those of the extended level,
 * which ask providers. Subgraphs follow, with the types and shapes that the graph around them has
 * by then.
 */

#include "config.h"

#include "optimize/optimize.h"

#include <time.h>

enum { MOST_ROUNDS = 4 }; /* a pass can create matches for another; few are left after 4 */

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* A value that folding made constant in the outer graph is constant for its subgraphs too. */
static void inherit_constants(struct bp_ir *ir)
{
    for (uint32_t v = 0; v < ir->n_values; v++) {
        struct bp_ir_value *value = &ir->values[v];
        const struct bp_ir_value *outer;

        if (!(value->flags & BP_IR_CAPTURED))
            continue;
        outer = &ir->parent->values[value->outer];
        if (outer->flags & BP_IR_CONSTANT) {
            value->data = outer->data;
            value->flags |= BP_IR_CONSTANT;
        }
    }
}

/*
 * What is certain of a subgraph's input: the type and shape of what the node passes in. Dimensions
 * that the subgraph declares are not certain, because nothing checks them when a model runs.
 */
static struct bp_fact of_input(const struct bp_fact *given, const struct bp_fact *declared)
{
    struct bp_fact fact = *given;

    if (fact.kind == BP_KIND_TENSOR && declared->kind == BP_KIND_TENSOR &&
        fact.dtype == BP_DTYPE_NONE)
        fact.dtype = declared->dtype;
    else if (bp_fact_is_blank(given))
        fact = *declared;
    return fact;
}

/*
 * Facts of all values; NULL: the types contradict each other, or memory is short. The symbols are
 * not the graph's own, so two sizes count as equal where that follows from the operators, not where
 * the file gives them the same name.
 */
static struct bp_fact *infer(struct bp_ir *ir, const struct bp_fact *outer,
                             const struct bp_fact *inputs, struct bp_symbols *symbols,
                             struct bp_region *region)
{
    char words[256];
    bp_err own = bp_err_init(words, sizeof words);
    struct bp_fact *facts;
    bp_rc rc = bp_infer_start(ir, outer, symbols, region, &facts, &own);

    for (uint32_t i = 0; rc >= 0 && inputs && i < ir->n_inputs; i++)
        facts[ir->inputs[i]] = of_input(&inputs[i], &ir->values[ir->inputs[i]].declared);
    if (rc >= 0)
        rc = bp_infer_run_past(ir, facts, symbols, region, &own);
    return rc >= 0 ? facts : NULL;
}

/* ---- passes ---------------------------------------------------------------------------------- */

/* Its level is enabled, and neither an option nor the application disabled it. */
static bool is_on(const struct bp_optimizer *optimizer, uint32_t i)
{
    return bp_pass_at(i)->level <= optimizer->level && !(optimizer->disabled >> i & 1);
}

/* Runs one pass and adds its matches, nodes and time to its result. */
static bp_rc run_pass(struct bp_rewrite *rw, uint32_t i, bool is_first, bp_err *err)
{
    struct bp_pass_result *result = &rw->optimizer->results[i];
    uint64_t start = now_ns();
    uint32_t before = rw->n_alive;
    bp_rc rc;

    rw->n_matches = 0;
    if (is_first) {
        result->nodes_before += before;
        result->nodes_after += before;
    }
    rc = bp_pass_at(i)->run(rw, err);
    result->n_matches += rw->n_matches;
    result->nodes_after -= before - rw->n_alive;
    result->ns += now_ns() - start;
    return rc < 0 ? bp_fail_in(err, rc, "pass '%s'", bp_pass_at(i)->name) : rc;
}

/*
 * Phase 1 (asks = false) has the basic passes; phase 2 those that ask providers whether they claim
 * the new node.
 */
static bool is_of_phase(uint32_t i, bool asks)
{
    return (bp_pass_at(i)->level >= BP_OPTIMIZE_EXTENDED) == asks;
}

/*
 * All passes of a phase, until none matches. A pass that already ran since the last match of any
 * other is skipped, because the graph has not changed for it.
 */
static bp_rc run_phase(struct bp_rewrite *rw, bool asks, bp_err *err)
{
    uint32_t seen[BP_MAX_PASSES] = {0}; /* matches of all before a pass last ran */
    uint32_t n_matches = 0;
    bp_rc rc = BP_OK;

    for (uint32_t round = 0; round < MOST_ROUNDS; round++) {
        bool has_run = false;

        for (uint32_t i = 0; rc >= 0 && bp_pass_at(i); i++) {
            if (!is_of_phase(i, asks) || !is_on(rw->optimizer, i) ||
                (round > 0 && seen[i] == n_matches))
                continue;
            seen[i] = n_matches;
            rc = run_pass(rw, i, round == 0, err);
            n_matches += rw->n_matches;
            has_run = true;
        }
        if (rc < 0 || !has_run)
            break;
    }
    return rc;
}

/* ---- graphs ---------------------------------------------------------------------------------- */

/* A graph on its way through the phases. */
struct graph {
    struct bp_optimizer *optimizer;
    struct bp_ir *ir;
    struct bp_fact *facts;
    struct bp_region scratch;
};

/*
 * One phase: lists of the graph are built, all passes run on them, and the graph is sealed again.
 * The facts outlive the lists, as the next phase begins with them.
 */
static bp_rc phase(struct graph *g, bool asks, bp_err *err)
{
    struct bp_rewrite rw;
    struct bp_fact *facts;
    bp_rc rc;

    rc = bp_rw_init(&rw, g->ir, g->facts, g->optimizer->symbols, &g->scratch, err);
    rw.optimizer = g->optimizer;
    if (rc >= 0)
        rc = run_phase(&rw, asks, err);
    if (rc >= 0)
        rc = bp_rw_seal(&rw, err);
    facts = rc >= 0 ? bp_region_array(&g->scratch, g->ir->n_values, sizeof *facts) : NULL;
    if (rc >= 0 && !facts)
        rc = bp_fail_nomem(err, "the passes over a graph");
    if (rc >= 0) {
        memcpy(facts, rw.facts, g->ir->n_values * sizeof *facts);
        g->facts = facts;
    }
    bp_rw_finish(&rw);
    return rc;
}

static bp_rc optimize(struct bp_optimizer *optimizer, struct bp_ir *ir, const struct bp_fact *outer,
                      const struct bp_fact *inputs, bp_err *err);

/* The subgraphs of a node; skipped when the types of their inputs can't be inferred. */
static bp_rc do_subgraphs(struct graph *g, const struct bp_ir_node *node, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t b = 0; rc >= 0 && b < node->n_subgraphs; b++) {
        char words[256];
        bp_err own = bp_err_init(words, sizeof words);
        const struct bp_fact *inputs;

        inherit_constants(node->subgraphs[b]);
        if (bp_infer_subgraph_inputs(node, node->subgraphs[b], g->facts, g->optimizer->symbols,
                                     &g->scratch, &inputs, &own) >= 0)
            rc = optimize(g->optimizer, node->subgraphs[b], g->facts, inputs, err);
    }
    return rc;
}

/* Recursive; at most BP_MAX_SUBGRAPH_DEPTH deep, which the reader of the model checked. */
static bp_rc optimize(struct bp_optimizer *optimizer, struct bp_ir *ir, const struct bp_fact *outer,
                      const struct bp_fact *inputs, bp_err *err)
{
    struct graph g = {.optimizer = optimizer, .ir = ir};
    bp_rc rc = BP_OK;

    g.facts = infer(ir, outer, inputs, optimizer->symbols, &g.scratch);
    if (!g.facts)
        goto out;
    rc = phase(&g, false, err);
    if (rc >= 0 && optimizer->level >= BP_OPTIMIZE_EXTENDED && optimizer->takers)
        rc = phase(&g, true, err);
    for (uint32_t n = 0; rc >= 0 && n < ir->n_nodes; n++)
        rc = do_subgraphs(&g, &ir->nodes[n], err);
out:
    bp_region_finish(&g.scratch);
    return rc;
}

bp_rc bp_optimize(struct bp_ir *ir, struct bp_optimizer *optimizer, bp_err *err)
{
    struct bp_symbols symbols = {0};
    bp_rc rc;

    memset(optimizer->results, 0, sizeof optimizer->results);
    if (optimizer->level <= BP_OPTIMIZE_NONE)
        return BP_OK;
    rc = bp_symbols_inherit(&symbols, ir->symbols, err);
    optimizer->symbols = &symbols;
    if (rc >= 0)
        rc = optimize(optimizer, ir, NULL, NULL, err);
    optimizer->symbols = NULL;
    bp_symbols_finish(&symbols);
    return rc;
}
