/* SPDX-License-Identifier: MIT */
/*
 * fold_constants.c - values that are the same in each run. Small integer ones that shape inference
 * has followed are written down; a Reshape of a constant is the same bytes with other sizes; the
 * rest is run once, in one graph of all such nodes.
 */

#include "config.h"

#include "optimize/optimize.h"

#include <stdlib.h>

/*
 * Computed in each run, a value needs the same room in each frame; so it may grow, within limits
 * that keep a small file from becoming a large session.
 */
enum {
    SMALL = 16 << 20,       /* bytes of a result that may be larger than what it is made of */
    MOST_GROWN = 256 << 20, /* all of those of a graph */
    GROWTH = 2              /* other results are at most so many times their inputs */
};

/* ---- which nodes ----------------------------------------------------------------------------- */

/* What differs each time, and what is smaller as it is: providers know how to use quantised weights. */
static bool must_stay(const struct bp_ir_node *node)
{
    return bp_rw_is_random(node) || strcmp(node->op, "DequantizeLinear") == 0;
}

/* Bytes of a value; false: they are not known, or no whole bytes each. */
static bool bytes_of(const struct bp_rewrite *rw, uint32_t value, size_t *out)
{
    const struct bp_fact *fact = &rw->facts[value];
    int64_t dims[BP_MAX_RANK];

    if (fact->kind != BP_KIND_TENSOR || fact->dtype == BP_DTYPE_NONE ||
        fact->dtype == BP_DTYPE_STRING || bp_dtype_width(fact->dtype) < 8 ||
        !bp_fact_is_exact(fact))
        return false;
    for (uint32_t d = 0; d < fact->rank; d++)
        dims[d] = fact->dims[d].value;
    return bp_dense_bytes(fact->dtype, dims, fact->rank, out);
}

/* *grown: bytes of results beyond their inputs so far. */
static bool is_worth_it(const struct bp_rewrite *rw, const struct bp_ir_node *node, size_t *grown)
{
    size_t in = 0, out = 0, bytes;

    for (uint32_t i = 0; i < node->n_in; i++) {
        if (node->in[i] != BP_NONE && bytes_of(rw, node->in[i], &bytes))
            in += bytes;
    }
    for (uint32_t i = 0; i < node->n_out; i++) {
        if (node->out[i] == BP_NONE)
            continue;
        if (!bytes_of(rw, node->out[i], &bytes))
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

/* fixed: one a value, is it to be computed here? */
static bool can_fold(const struct bp_rewrite *rw, const struct bp_ir_node *node, const bool *fixed,
                     size_t *grown)
{
    if (!node || !node->schema || node->n_in == 0 || node->n_bodies > 0 || must_stay(node) ||
        node->schema->sizes_from_data || bp_node_is_hosted(node, rw->facts))
        return false;
    for (uint32_t i = 0; i < node->n_in; i++) {
        if (node->in[i] != BP_NONE && !bp_rw_is_constant(rw, node->in[i]) && !fixed[node->in[i]])
            return false;
    }
    return is_worth_it(rw, node, grown);
}

/* ---- without running ------------------------------------------------------------------------- */

static void store(uint8_t *to, int64_t number, size_t width)
{
    uint64_t bits = (uint64_t)number;

    for (size_t i = 0; i < width; i++)
        to[i] = (uint8_t)(bits >> (8 * i));
}

/* Is all of an output followed by inference? */
static bool is_followed(const struct bp_rewrite *rw, uint32_t value)
{
    const struct bp_fact *fact = &rw->facts[value];
    size_t bytes;

    if (!fact->content || !bytes_of(rw, value, &bytes) ||
        bytes / (bp_dtype_width(fact->dtype) / 8) != fact->n_content)
        return false;
    for (uint32_t i = 0; i < fact->n_content; i++) {
        if (!bp_sym_known(fact->content[i]))
            return false;
    }
    return true;
}

static bp_rc write_down(struct bp_rewrite *rw, uint32_t value, bp_err *err)
{
    const struct bp_fact *fact = &rw->facts[value];
    size_t width = bp_dtype_width(fact->dtype) / 8;
    struct bp_ir_data *data;
    int64_t dims[BP_MAX_RANK];
    bp_rc rc;

    for (uint32_t d = 0; d < fact->rank; d++)
        dims[d] = fact->dims[d].value;
    rc = bp_rw_new_data(rw, fact->dtype, fact->rank, dims, &data, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < fact->n_content; i++)
        store((uint8_t *)(uintptr_t)data->bytes + i * width, fact->content[i].value, width);
    return bp_rw_fix(rw, value, data, err);
}

/* The same bytes under other sizes: no copy. */
static bp_rc view_again(struct bp_rewrite *rw, const struct bp_ir_node *node, bool *done,
                        bp_err *err)
{
    const struct bp_fact *fact = &rw->facts[node->out[0]];
    struct bp_ir_data *from = rw->ir->values[node->in[0]].data, *data;
    char words[256];
    bp_err own = bp_err_init(words, sizeof words);
    int64_t *dims;

    if (bp_ir_data_load(from, &own) < 0)
        return BP_OK;
    bp_rw_number_data(from);
    data = bp_region_alloc(rw->ir->region, sizeof *data);
    dims = bp_region_array(rw->ir->region, fact->rank, sizeof *dims);
    if (!data || !dims)
        return bp_fail_nomem(err, "a folded constant");
    for (uint32_t d = 0; d < fact->rank; d++)
        dims[d] = fact->dims[d].value;
    *data = (struct bp_ir_data){.dims = dims,
                                .bytes = from->bytes,
                                .size = from->size,
                                .id = from->id,
                                .rank = fact->rank,
                                .dtype = from->dtype};
    *done = true;
    return bp_rw_fix(rw, node->out[0], data, err);
}

static bool is_view(const struct bp_rewrite *rw, const struct bp_ir_node *node)
{
    static const char *const ops[] = {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity"};
    size_t in, out;

    if (node->domain[0] || !bp_rw_is_constant(rw, bp_rw_in(node, 0)) || node->n_out != 1)
        return false;
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        if (strcmp(node->op, ops[i]) == 0)
            return bytes_of(rw, node->in[0], &in) && bytes_of(rw, node->out[0], &out) && in == out;
    }
    return false;
}

static bp_rc fold_at_once(struct bp_rewrite *rw, uint32_t n, bp_err *err)
{
    struct bp_ir_node *node = bp_rw_node(rw, n);
    bool done = node && node->schema && node->n_bodies == 0 && !must_stay(node) && node->n_out > 0;
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; done && i < node->n_out; i++)
        done = node->out[i] == BP_NONE || is_followed(rw, node->out[i]);
    for (uint32_t i = 0; done && rc >= 0 && i < node->n_out; i++) {
        if (node->out[i] != BP_NONE)
            rc = write_down(rw, node->out[i], err);
    }
    if (!done && node && node->schema && is_view(rw, node))
        rc = view_again(rw, node, &done, err);
    if (rc < 0 || !done)
        return rc;
    bp_rw_drop(rw, n);
    rw->n_matches++;
    return BP_OK;
}

/* ---- running --------------------------------------------------------------------------------- */

struct batch {
    struct bp_rewrite *rw;
    bool *fixed;                 /* one a value of the graph: made by a node that is to be run */
    uint32_t *nodes;             /* to be run */
    uint32_t *map;               /* one a value: its index in `ir`, or BP_NONE */
    uint32_t *wanted;            /* one an output of `ir`: the value */
    struct bp_ir_data **results; /* one an output of `ir` */
    uint32_t n_nodes;
    struct bp_ir *ir;
};

static bp_rc map_value(struct batch *b, uint32_t value, uint32_t *out, bp_err *err)
{
    const struct bp_ir_value *from = &b->rw->ir->values[value];
    bp_rc rc = BP_OK;

    if (b->map[value] == BP_NONE) {
        rc = bp_ir_define(b->ir, from->name, &b->map[value], err);
        if (rc >= 0 && from->flags & BP_IR_CONSTANT) {
            bp_rw_number_data(from->data); /* providers know bytes by their numbers */
            b->ir->values[b->map[value]].flags = BP_IR_CONSTANT;
            b->ir->values[b->map[value]].data = from->data;
        }
    }
    *out = b->map[value];
    return rc;
}

/* Is a value of the batch read outside of it, or an output? */
static bool is_wanted(const struct batch *b, uint32_t value, const bool *in_batch)
{
    const struct bp_rewrite *rw = b->rw;

    if (rw->ir->values[value].flags & BP_IR_OUTPUT || rw->captured[value])
        return true;
    for (uint32_t u = rw->head[value]; u != BP_NONE; u = rw->uses[u].next) {
        if (!in_batch[rw->uses[u].node])
            return true;
    }
    return false;
}

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

/* All nodes that can be run become one graph, whose outputs are what the rest needs. */
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

/* Room for the outputs, which the run fills. */
static bp_rc make_room(struct batch *b, bp_err *err)
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

/* The values are there: the rest of the graph reads them, and the nodes go. */
static bp_rc use_results(struct batch *b, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < b->ir->n_outputs; i++) {
        uint32_t maker = b->rw->ir->values[b->wanted[i]].producer;

        rc = bp_rw_fix(b->rw, b->wanted[i], b->results[i], err);
        b->rw->ir->values[b->wanted[i]].producer = maker; /* until all of the node's are fixed */
    }
    for (uint32_t i = 0; rc >= 0 && i < b->ir->n_outputs; i++)
        b->rw->ir->values[b->wanted[i]].producer = BP_NONE;
    for (uint32_t i = 0; rc >= 0 && i < b->n_nodes; i++)
        bp_rw_drop(b->rw, b->nodes[i]);
    b->rw->n_matches += rc >= 0 ? b->n_nodes : 0;
    return rc;
}

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
    b->ir->outputs = bp_region_array(region, n_outputs, sizeof *b->ir->outputs);
    b->wanted = bp_region_array(region, n_outputs, sizeof *b->wanted);
    b->results = bp_region_array(region, n_outputs, sizeof(struct bp_ir_data *));
    if (!b->ir->outputs || !b->wanted || !b->results)
        rc = bp_fail_nomem(err, "the constants of a graph");
    else if (copy_all(b, in_batch, &own) >= 0 && make_room(b, &own) >= 0 &&
             optimizer->evaluate(optimizer->h, b->ir, b->results, &own) >= 0)
        rc = use_results(b, err);
    bp_ir_finish(b->ir);
    return rc;
}

static bool find_batch(struct batch *b, bool *in_batch)
{
    struct bp_rewrite *rw = b->rw;
    size_t grown = 0;

    for (uint32_t n = 0; n < rw->ir->n_nodes; n++) {
        const struct bp_ir_node *node = bp_rw_node(rw, n);

        if (!can_fold(rw, node, b->fixed, &grown))
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

    for (uint32_t n = 0; rc >= 0 && n < rw->ir->n_nodes; n++)
        rc = fold_at_once(rw, n, err);
    if (rc >= 0 && rw->optimizer->evaluate)
        rc = fold_by_running(rw, err);
    return rc;
}
