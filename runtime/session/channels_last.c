/* SPDX-License-Identifier: MIT */
/*
 * channels_last.c - nodes of providers that want their data channels-last.
 *
 * The provider is asked twice: about the model's nodes, and about the channels-last ones, of which
 * none can stay if it does not take it, because no other provider has the operator.
 */

#include "config.h"

#include "session/channels_last.h"

#include <stdlib.h>

#include "graph/channels_last.h"
#include "graph/infer.h"
#include "graph/infer_merge.h"
#include "optimize/to_channels_last.h"
#include "session/run_passes.h"

/*
 * A walk over the graph and the subgraphs of nodes that the host runs; first to rewrite, then to ask
 * again.
 */
struct walk {
    struct bp_engine *engine;
    const struct bp_engine_config *config;
    struct bp_region region; /* of facts and answers */
    struct bp_symbols symbols;
    bool asks_again;
    uint32_t n_chosen, n_left, n_refused;
};

/* A graph on this walk; path names the nodes around it, as placement rules do. */
struct place {
    struct bp_ir *ir;
    const struct bp_fact *outer, *inputs; /* NULL: the main graph */
    const char *path;
};

static bool wants_channels_last(const struct bp_engine *engine, uint32_t provider)
{
    return provider < engine->providers.count &&
           engine->providers.active[provider]->provider->flags & BP_PROVIDER_NHWC;
}

/* ---- looking at a graph ---------------------------------------------------------------------- */

static bp_rc infer(struct walk *w, const struct place *at, struct bp_fact **out, bp_err *err)
{
    struct bp_ir *ir = at->ir;
    bp_rc rc = bp_infer_start(ir, at->outer, &w->symbols, &w->region, out, err);

    for (uint32_t i = 0; rc >= 0 && at->inputs && i < ir->n_inputs; i++) {
        struct bp_fact *fact = &(*out)[ir->inputs[i]];

        *fact = at->inputs[i];
        rc = bp_infer_merge(ir, ir->inputs[i], &w->symbols, &w->region, fact, err);
    }
    return rc < 0 ? rc : bp_infer_run_past(ir, *out, &w->symbols, &w->region, err);
}

/*
 * Shapes, and who takes each node. *facts is NULL where they could not be had, of which later steps
 * say why.
 */
static bp_rc look(struct walk *w, const struct place *at, struct bp_fact **facts, uint32_t **takers,
                  bp_err *err)
{
    char words[256];
    bp_err own = bp_err_init(words, sizeof words);
    bp_rc rc;

    *takers = bp_region_array(&w->region, at->ir->n_nodes, sizeof **takers);
    if (!*takers)
        return bp_fail_nomem(err, "the providers of nodes");
    rc = infer(w, at, facts, &own);
    if (rc >= 0)
        rc = bp_engine_takers(w->engine, w->config, at->ir, at->path, *facts, &w->symbols, *takers,
                              &own);
    if (rc < 0)
        *facts = NULL;
    return rc == BP_E_NOMEM ? bp_fail(err, rc, "%s", words) : BP_OK;
}

/* ---- what is done there ---------------------------------------------------------------------- */

static bp_rc rewrite(struct walk *w, struct bp_ir *ir, const struct bp_fact *facts,
                     const uint32_t *takers, bp_err *err)
{
    bool *chosen = bp_region_array(&w->region, ir->n_nodes, sizeof *chosen);
    uint32_t n = 0, n_left;
    bp_rc rc;

    if (!chosen)
        return bp_fail_nomem(err, "the providers of nodes");
    for (uint32_t i = 0; i < ir->n_nodes; i++) {
        chosen[i] = wants_channels_last(w->engine, takers[i]) &&
                    bp_can_be_channels_last(&ir->nodes[i], facts);
        n += chosen[i];
    }
    if (n == 0)
        return BP_OK;
    w->engine->has_changed_layout = true;
    rc = bp_to_channels_last(ir, facts, chosen, &n_left, err);
    w->n_chosen += n;
    w->n_left += n_left;
    return rc;
}

/* Refuses a node in the name of all providers that might have it channels-last. */
static bp_rc refuse(struct walk *w, const struct bp_ir_node *node, bp_err *err)
{
    bp_rc rc = BP_OK;
    bool is_new = false;

    for (uint32_t p = 0; rc >= 0 && p < w->engine->providers.count; p++) {
        struct bp_refused *refused = w->engine->providers.active[p]->refused;

        if (wants_channels_last(w->engine, p) && refused)
            rc = bp_refused_add(refused, node,
                                "the provider asked for its data channels-last, and does not take "
                                "the node so",
                                &is_new, err);
    }
    w->n_refused += is_new;
    return rc;
}

/* The second question: channels-last nodes that a provider does not take any more. */
static bp_rc check(struct walk *w, const struct bp_ir *ir, const uint32_t *takers, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t n = 0; rc >= 0 && n < ir->n_nodes; n++) {
        if (bp_is_channels_last(&ir->nodes[n]) && takers[n] == BP_NONE)
            rc = refuse(w, &ir->nodes[n], err);
    }
    return rc;
}

/* ---- the walk -------------------------------------------------------------------------------- */

static bp_rc visit(struct walk *w, const struct place *at, bp_err *err);

/* The subgraphs of a node; left alone where the types of their inputs cannot be. */
static bp_rc visit_subgraphs(struct walk *w, const struct place *at, const struct bp_ir_node *node,
                             const struct bp_fact *facts, bp_err *err)
{
    const char *path =
        bp_region_printf(&w->region, "%s%s%s", at->path, at->path[0] ? "/" : "", node->name);
    bp_rc rc = path ? BP_OK : bp_fail_nomem(err, "a subgraph");

    for (uint32_t i = 0; rc >= 0 && i < node->n_subgraphs; i++) {
        struct place inner = {.ir = node->subgraphs[i], .outer = facts, .path = path};
        char words[256];
        bp_err own = bp_err_init(words, sizeof words);

        if (bp_infer_subgraph_inputs(node, inner.ir, facts, &w->symbols, &w->region, &inner.inputs,
                                     &own) >= 0)
            rc = visit(w, &inner, err);
    }
    return rc;
}

/*
 * Subgraphs first, whose captures are values of the graph before it is rewritten. Those of a node
 * that a provider takes whole are that provider's. Recursive, BP_MAX_SUBGRAPH_DEPTH deep at most.
 */
static bp_rc visit(struct walk *w, const struct place *at, bp_err *err)
{
    struct bp_fact *facts;
    uint32_t *takers;
    bp_rc rc = look(w, at, &facts, &takers, err);

    if (rc < 0 || !facts)
        return rc;
    for (uint32_t n = 0; rc >= 0 && n < at->ir->n_nodes; n++) {
        if (at->ir->nodes[n].n_subgraphs > 0 && takers[n] == BP_NONE)
            rc = visit_subgraphs(w, at, &at->ir->nodes[n], facts, err);
    }
    if (rc < 0)
        return rc;
    return w->asks_again ? check(w, at->ir, takers, err) : rewrite(w, at->ir, facts, takers, err);
}

/* One walk from the main graph. */
static bp_rc walk(struct walk *w, bool asks_again, bp_err *err)
{
    struct place main = {.ir = w->engine->ir, .path = ""};
    bp_rc rc = bp_symbols_inherit(&w->symbols, w->engine->ir->symbols, err);

    w->asks_again = asks_again;
    if (rc >= 0)
        rc = visit(w, &main, err);
    bp_symbols_finish(&w->symbols);
    bp_region_finish(&w->region);
    w->symbols = (struct bp_symbols){0};
    w->region = (struct bp_region){0};
    return rc;
}

/* Is there any such provider? Without one the graph is not looked at. */
static bool has_any(const struct bp_engine *engine)
{
    for (uint32_t p = 0; p < engine->providers.count; p++) {
        if (wants_channels_last(engine, p))
            return true;
    }
    return false;
}

bp_rc bp_engine_use_channels_last(struct bp_engine *engine, const struct bp_engine_config *config,
                                  uint32_t *n_refused, bp_err *err)
{
    struct walk w = {.engine = engine, .config = config};
    bp_rc rc;

    if (!has_any(engine))
        return BP_OK;
    rc = walk(&w, false, err);
    if (rc >= 0 && w.n_chosen > 0)
        rc = walk(&w, true, err);
    *n_refused = w.n_refused;
    if (rc >= 0 && w.n_chosen > 0 && w.n_refused == 0)
        bp_log(engine->providers.log, BP_LOG_DEBUG, "session",
               "%u nodes are channels-last for their providers, with %u Transposes around them",
               w.n_chosen, w.n_left);
    return rc;
}
