/* SPDX-License-Identifier: MIT */
/*
 * fold_constants.c - nodes whose inputs are constants become constants. Some need no run
 * (patterns/fold.h); the rest is run once, as one graph of all such nodes.
 *
 * A failure of that run is not an error: the nodes stay. Bits: unchanged, as the CPU provider would
 * compute them the same in each run.
 */

#include "config.h"

#include "optimize/patterns/fold.h"

#include <stdlib.h>

#include "optimize/optimize.h"

/*
 * A folded constant may be larger than its inputs, as a run would need that memory too; the limits
 * keep a small hostile file from becoming a large session.
 */
enum {
    SMALL = 16 << 20,       /* bytes: a result up to this size may be larger than its inputs */
    MOST_GROWN = 256 << 20, /* bytes: all such results of a graph together */
    GROWTH = 2              /* larger results are at most so many times as long as their inputs */
};

/* ---- which nodes ----------------------------------------------------------------------------- */

/* Sizes must be known. *grown: bytes of results that are larger than their inputs, so far. */
static bool is_worth_it(const struct bp_rewrite *rw, const struct bp_ir_node *node, size_t *grown)
{
    size_t in = 0, out = 0, bytes;

    for (uint32_t i = 0; i < node->n_in; i++) {
        if (node->in[i] != BP_NONE && bp_fold_bytes(rw, node->in[i], &bytes))
            in += bytes;
    }
    for (uint32_t i = 0; i < node->n_out; i++) {
        if (node->out[i] == BP_NONE)
            continue;
        if (!bp_fold_bytes(rw, node->out[i], &bytes))
            return false;
        out += bytes;
    }
    if (out / GROWTH <= in)
        return true;
    if (out > SMALL || *grown + out > MOST_GROWN)
        return false;
    *grown += out;
    return true;
}

/* Is a value constant, or computed by the batch? fixed: one flag for each value. */
static bool is_fixed(const struct bp_rewrite *rw, const bool *fixed, uint32_t value)
{
    return value == BP_NONE || bp_rw_is_constant(rw, value) || fixed[value];
}

/* Are all inputs of node n fixed? Reads the lists only, not the node's row, which is not cached. */
static bool reads_fixed(const struct bp_rewrite *rw, uint32_t n, const bool *fixed)
{
    uint32_t first = rw->nodes.first_use[n], n_in = rw->nodes.n_in[n];

    if (bp_rw_is_dead(rw, n))
        return false;
    for (uint32_t use = first; use < first + n_in; use++) {
        if (!is_fixed(rw, fixed, rw->uses.value[use]))
            return false;
    }
    return n_in > 0;
}

/*
 * May a node with fixed inputs run once? Not when the output size depends on the data, or when the
 * host runs it (control flow, sequences).
 */
static bool can_fold(const struct bp_rewrite *rw, const struct bp_ir_node *node, size_t *grown)
{
    return node && node->schema && node->n_subgraphs == 0 && !bp_fold_must_stay(node) &&
           !node->schema->sizes_from_data && !bp_node_is_host_op(node, rw->facts) &&
           is_worth_it(rw, node, grown);
}

/* ---- running --------------------------------------------------------------------------------- */

struct batch {
    struct bp_rewrite *rw;
    bool *fixed;                 /* for each value of the graph: a node of the batch computes it */
    uint32_t *nodes;             /* to be run */
    uint32_t *map;               /* for each value: its index in `ir`, or BP_NONE */
    uint32_t *wanted;            /* for each output of `ir`: the value */
    struct bp_ir_data **results; /* for each output of `ir` */
    uint32_t n_nodes;
    struct bp_ir *ir;
};

/* The value's copy in the batch; constants share their bytes. */
static bp_rc map_value(struct batch *b, uint32_t value, uint32_t *out, bp_err *err)
{
    const struct bp_ir_value *from = &b->rw->ir->values[value];
    bp_rc rc = BP_OK;

    if (b->map[value] == BP_NONE) {
        rc = bp_ir_define(b->ir, from->name, &b->map[value], err);
        if (rc >= 0 && from->flags & BP_IR_CONSTANT) {
            bp_rw_set_data_id(from->data); /* providers cache packed weights by id */
            b->ir->values[b->map[value]].flags = BP_IR_CONSTANT;
            b->ir->values[b->map[value]].data = from->data;
        }
    }
    *out = b->map[value];
    return rc;
}

/* Does a node outside the batch read the value, or is it an output of the graph? */
static bool is_wanted(const struct batch *b, uint32_t value, const bool *in_batch)
{
    const struct bp_rewrite *rw = b->rw;

    if (rw->values.flags[value] & (BP_IR_OUTPUT | BP_RW_CAPTURED))
        return true;
    for (uint32_t u = rw->values.head[value]; u != BP_NONE; u = rw->uses.next[u]) {
        if (!in_batch[rw->uses.node[u]])
            return true;
    }
    return false;
}

/* Attributes are shared, as passes never change a list in place. */
static bp_rc copy_node(struct batch *b, uint32_t n, bp_err *err)
{
    const struct bp_ir_node *from = &b->rw->ir->nodes[n];
    uint32_t copy;
    bp_rc rc = bp_ir_add_node(b->ir, from->name, from->op, from->domain, from->n_in, from->n_out,
                              &copy, err);

    if (rc < 0)
        return rc;
    b->ir->nodes[copy].opset = from->opset;
    b->ir->nodes[copy].attrs = from->attrs;
    b->ir->nodes[copy].n_attrs = from->n_attrs;
    for (uint32_t i = 0; rc >= 0 && i < from->n_in; i++) {
        if (from->in[i] != BP_NONE)
            rc = map_value(b, from->in[i], &b->ir->nodes[copy].in[i], err);
    }
    for (uint32_t i = 0; rc >= 0 && i < from->n_out; i++) {
        if (from->out[i] != BP_NONE)
            rc = map_value(b, from->out[i], &b->ir->nodes[copy].out[i], err);
    }
    return rc;
}

static uint32_t no_opset(void *h, const char *domain)
{
    (void)h;
    (void)domain;
    return 0;
}

/* All nodes of the batch become one graph, whose outputs are what the rest needs. */
static bp_rc copy_all(struct batch *b, const bool *in_batch, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < b->n_nodes; i++)
        rc = copy_node(b, b->nodes[i], err);
    for (uint32_t i = 0; rc >= 0 && i < b->n_nodes; i++) {
        const struct bp_ir_node *node = &b->rw->ir->nodes[b->nodes[i]];

        for (uint32_t o = 0; o < node->n_out; o++) {
            if (node->out[o] == BP_NONE || !is_wanted(b, node->out[o], in_batch))
                continue;
            b->wanted[b->ir->n_outputs] = node->out[o];
            b->ir->outputs[b->ir->n_outputs++] = b->map[node->out[o]];
        }
    }
    return rc < 0 ? rc : bp_ir_seal(b->ir, no_opset, NULL, err);
}

/* Allocates the outputs, which the run fills. */
static bp_rc allocate_results(struct batch *b, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < b->ir->n_outputs; i++) {
        const struct bp_fact *fact = &b->rw->facts[b->wanted[i]];
        int64_t dims[BP_MAX_RANK];

        for (uint32_t d = 0; d < fact->rank; d++)
            dims[d] = fact->dims[d].value;
        rc = bp_rw_new_data(b->rw, fact->dtype, fact->rank, dims, &b->results[i], err);
    }
    return rc;
}

/* The rest of the graph reads the constants, and the nodes are dropped. */
static bp_rc use_results(struct batch *b, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < b->ir->n_outputs; i++) {
        uint32_t maker = b->rw->values.producer[b->wanted[i]];

        rc = bp_rw_fix(b->rw, b->wanted[i], b->results[i], err);
        bp_rw_set_producer(b->rw, b->wanted[i], maker); /* until all outputs are fixed */
    }
    for (uint32_t i = 0; rc >= 0 && i < b->ir->n_outputs; i++)
        bp_rw_set_producer(b->rw, b->wanted[i], BP_NONE);
    for (uint32_t i = 0; rc >= 0 && i < b->n_nodes; i++)
        bp_rw_drop(b->rw, b->nodes[i]);
    b->rw->n_matches += rc >= 0 ? b->n_nodes : 0;
    return rc;
}

/* Only a lack of memory is an error; whatever else fails leaves the graph as it was. */
static bp_rc run_batch(struct batch *b, const bool *in_batch, bp_err *err)
{
    struct bp_optimizer *optimizer = b->rw->optimizer;
    struct bp_region *region = b->rw->scratch;
    char words[256];
    bp_err own = bp_err_init(words, sizeof words);
    size_t n_outputs = 0;
    bp_rc rc;

    for (uint32_t i = 0; i < b->n_nodes; i++)
        n_outputs += b->rw->ir->nodes[b->nodes[i]].n_out;
    rc = bp_ir_create(region, b->rw->symbols, NULL, "constants", &b->ir, err);
    if (rc < 0)
        return rc;
    b->ir->part_of = b->rw->ir;
    b->ir->outputs = bp_region_array(region, n_outputs, sizeof *b->ir->outputs);
    b->wanted = bp_region_array(region, n_outputs, sizeof *b->wanted);
    b->results = bp_region_array(region, n_outputs, sizeof(struct bp_ir_data *));
    if (!b->ir->outputs || !b->wanted || !b->results)
        rc = bp_fail_nomem(err, "the constants of a graph");
    else if (copy_all(b, in_batch, &own) >= 0 && allocate_results(b, &own) >= 0 &&
             optimizer->evaluate(optimizer->h, b->ir, b->results, &own) >= 0)
        rc = use_results(b, err);
    bp_ir_finish(b->ir);
    return rc;
}

/* In running order, so that a chain of constant nodes is one batch. */
static bool find_batch(struct batch *b, bool *in_batch)
{
    struct bp_rewrite *rw = b->rw;
    size_t grown = 0;

    for (uint32_t n = 0; n < rw->ir->n_nodes; n++) {
        const struct bp_ir_node *node;

        if (!reads_fixed(rw, n, b->fixed))
            continue;
        node = bp_rw_node(rw, n);
        if (!can_fold(rw, node, &grown))
            continue;
        in_batch[n] = true;
        b->nodes[b->n_nodes++] = n;
        for (uint32_t i = 0; i < node->n_out; i++) {
            if (node->out[i] != BP_NONE)
                b->fixed[node->out[i]] = true;
        }
    }
    return b->n_nodes > 0;
}

static bp_rc fold_by_running(struct bp_rewrite *rw, bp_err *err)
{
    struct batch b = {.rw = rw};
    size_t n_values = (size_t)rw->ir->n_values + 1, n_nodes = (size_t)rw->ir->n_nodes + 1;
    bool *in_batch = calloc(n_nodes, sizeof *in_batch);
    bp_rc rc = BP_OK;

    b.fixed = calloc(n_values, sizeof *b.fixed);
    b.nodes = malloc(n_nodes * sizeof *b.nodes);
    b.map = malloc(n_values * sizeof *b.map);
    if (!in_batch || !b.fixed || !b.nodes || !b.map) {
        rc = bp_fail_nomem(err, "the constants of a graph");
    } else if (find_batch(&b, in_batch)) {
        memset(b.map, 0xff, n_values * sizeof *b.map);
        rc = run_batch(&b, in_batch, err);
    }
    free(in_batch);
    free(b.fixed);
    free(b.nodes);
    free(b.map);
    return rc;
}

bp_rc bp_pass_fold_constants(struct bp_rewrite *rw, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t n = 0; rc >= 0 && n < rw->ir->n_nodes; n++) {
        if (bp_fold_may_do_at_once(rw, n))
            rc = bp_fold_at_once(rw, n, err);
    }
    if (rc >= 0 && rw->optimizer->evaluate)
        rc = fold_by_running(rw, err);
    return rc;
}
