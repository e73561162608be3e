/* SPDX-License-Identifier: MIT */
/*
 * fuse.c - replaces several nodes by one, if the provider that claims them claims the new node too.
 *
 * The question costs a claim of a graph with the new node alone; no pass fuses what the provider
 * would then leave to another, so a fusion never moves data between devices.
 */

#include "config.h"

#include "optimize/optimize.h"

/* ---- asking ---------------------------------------------------------------------------------- */

/*
 * Asks all providers about the whole graph, once, when the first fusion is about to happen. Later
 * fusions reuse the answer: they replace nodes within one provider.
 */
static bool know_takers(struct bp_rewrite *rw)
{
    struct bp_optimizer *optimizer = rw->optimizer;
    char words[256];
    bp_err own = bp_err_init(words, sizeof words);
    uint32_t *taker;

    if (rw->taker)
        return true;
    taker = bp_region_array(rw->scratch, (size_t)rw->ir->n_nodes + 1, sizeof *taker);
    if (!taker)
        return false;
    bp_rw_sync(rw);
    if (optimizer->takers(optimizer->h, rw->ir, rw->facts, rw->symbols, BP_NONE, taker, &own) < 0) {
        for (uint32_t n = 0; n < rw->ir->n_nodes; n++) /* compiling fails too, and reports it */
            taker[n] = BP_NONE;
    }
    rw->taker = taker;
    return true;
}

/* On the CPU provider the parts are faster than the fused node (fusion.is_for_others). */
static bool is_unwanted(const struct bp_rewrite *rw, const struct bp_fusion *f)
{
    const struct bp_optimizer *optimizer = rw->optimizer;

    return f->is_for_others && optimizer->is_cpu &&
           optimizer->is_cpu(optimizer->h, rw->taker[f->last]);
}

/* Nodes that no provider claims, or that different providers claim, are not fused. */
static bool same_taker(const struct bp_rewrite *rw, const struct bp_fusion *f)
{
    for (uint32_t i = 0; i < f->n_of; i++) {
        if (rw->taker[f->of[i]] == BP_NONE || rw->taker[f->of[i]] != rw->taker[f->last])
            return false;
    }
    return true;
}

/* ---- a graph of the new node alone ----------------------------------------------------------- */

/* The graph imports no opset: the node has its version already. */
static uint32_t no_opset(void *h, const char *domain)
{
    (void)h;
    (void)domain;
    return 0;
}

/* Constants stay constants, as providers may accept weights only when they are constant. */
static bp_rc add_input(struct bp_ir *ir, const struct bp_rewrite *rw, uint32_t from, uint32_t i,
                       uint32_t *out, bp_err *err)
{
    const struct bp_ir_value *value = &rw->ir->values[from];
    char name[32];
    bp_rc rc;

    snprintf(name, sizeof name, "in%u", i);
    rc = bp_ir_define(ir, name, out, err);
    if (rc < 0)
        return rc;
    ir->values[*out].declared = rw->facts[from];
    if (value->flags & BP_IR_CONSTANT) {
        ir->values[*out].flags = BP_IR_CONSTANT;
        ir->values[*out].data = value->data;
    } else {
        ir->inputs[ir->n_inputs++] = *out;
    }
    return BP_OK;
}

/* The value that output i shall be, or BP_NONE. */
static uint32_t out_of(const struct bp_rewrite *rw, const struct bp_fusion *f, uint32_t i)
{
    return f->out ? f->out[i] : rw->ir->nodes[f->last].out[i];
}

/* Outputs that nothing reads stay absent, as in the graph itself. */
static bp_rc add_outputs(struct bp_ir *ir, struct bp_ir_node *node, const struct bp_rewrite *rw,
                         const struct bp_fusion *f, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < f->n_out; i++) {
        char name[32];

        if (out_of(rw, f, i) == BP_NONE)
            continue;
        snprintf(name, sizeof name, "out%u", i);
        rc = bp_ir_define(ir, name, &node->out[i], err);
        ir->outputs[ir->n_outputs++] = node->out[i];
    }
    return rc;
}

/*
 * A graph of the new node alone: its inputs are graph inputs with the types and shapes known here.
 */
static bp_rc build(const struct bp_rewrite *rw, const struct bp_fusion *f, struct bp_ir *ir,
                   bp_err *err)
{
    struct bp_ir_node *node;
    uint32_t n;
    bp_rc rc;

    ir->inputs = bp_region_array(ir->region, f->n_in, sizeof *ir->inputs);
    ir->outputs = bp_region_array(ir->region, f->n_out, sizeof *ir->outputs);
    if (!ir->inputs || !ir->outputs)
        return bp_fail_nomem(err, "a node");
    rc = bp_ir_add_node(ir, rw->ir->nodes[f->of[0]].name, f->op, f->domain, f->n_in, f->n_out, &n,
                        err);
    if (rc < 0)
        return rc;
    node = &ir->nodes[n];
    node->opset = f->opset;
    node->attrs = (bp_attr *)(uintptr_t)f->attrs; /* copied before defaults are added */
    node->n_attrs = f->n_attrs;
    for (uint32_t i = 0; rc >= 0 && i < f->n_in; i++) {
        if (f->in[i] != BP_NONE)
            rc = add_input(ir, rw, f->in[i], i, &node->in[i], err);
    }
    if (rc >= 0)
        rc = add_outputs(ir, node, rw, f, err);
    return rc < 0 ? rc : bp_ir_seal(ir, no_opset, NULL, err);
}

/* Sizes may be known better afterwards, so only type and rank are compared. */
static bool same_type(const struct bp_fact *a, const struct bp_fact *b)
{
    return a->dtype == b->dtype && a->rank == b->rank;
}

/* Do all outputs keep their types and ranks? */
static bool same_types(const struct bp_rewrite *rw, const struct bp_fusion *f,
                       const struct bp_ir_node *made, const struct bp_fact *facts)
{
    for (uint32_t i = 0; i < f->n_out; i++) {
        uint32_t value = out_of(rw, f, i);

        if (value != BP_NONE && !same_type(&facts[made->out[i]], &rw->facts[value]))
            return false;
    }
    return true;
}

/* Infers the new node's types, then asks the provider of the old ones alone. */
static bp_rc ask(struct bp_rewrite *rw, const struct bp_fusion *f, struct bp_ir *ir,
                 struct bp_region *region, bool *takes, bp_err *err)
{
    struct bp_fact *facts;
    uint32_t taker;
    bp_rc rc;

    rc = build(rw, f, ir, err);
    if (rc >= 0)
        rc = bp_infer_start(ir, NULL, rw->symbols, region, &facts, err);
    if (rc >= 0)
        rc = bp_infer_run(ir, NULL, 1, facts, rw->symbols, region, err);
    if (rc >= 0 && !same_types(rw, f, &ir->nodes[0], facts))
        rc = bp_fail(err, BP_E_INTERNAL, "%s would give another type", f->op);
    if (rc >= 0)
        rc = rw->optimizer->takers(rw->optimizer->h, ir, facts, rw->symbols, rw->taker[f->last],
                                   &taker, err);
    *takes = rc >= 0 && taker == rw->taker[f->last];
    return rc;
}

/* Would the provider of the old nodes claim the new one? Any failure counts as no. */
static bool would_take(struct bp_rewrite *rw, const struct bp_fusion *f)
{
    struct bp_region region = {0};
    struct bp_ir *ir = NULL;
    char words[256];
    bp_err own = bp_err_init(words, sizeof words);
    bool takes = false;

    if (bp_ir_create(&region, rw->symbols, NULL, "fusion", &ir, &own) >= 0) {
        ir->part_of = rw->ir;
        (void)!ask(rw, f, ir, &region, &takes, &own);
    }
    bp_ir_finish(ir);
    bp_region_finish(&region);
    return takes;
}

/* ---- doing it -------------------------------------------------------------------------------- */

static bp_rc set_attrs(struct bp_rewrite *rw, const struct bp_fusion *f, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < f->n_attrs; i++)
        rc = bp_rw_set_attr(rw, f->last, f->attrs[i].name, f->attrs[i].type, f->attrs[i].data,
                            f->attrs[i].count, f->attrs[i].flags & BP_ATTR_LIST, err);
    return rc;
}

/*
 * The new node produces all of f->out; the nodes that produced them before lose these outputs, and
 * are removed if nothing reads their others.
 */
static bp_rc take_outputs(struct bp_rewrite *rw, const struct bp_fusion *f, bp_err *err)
{
    struct bp_ir *ir = rw->ir;
    uint32_t *list = bp_region_array(ir->region, f->n_out, sizeof *list);

    if (!list)
        return bp_fail_nomem(err, "the outputs of a node");
    memcpy(list, f->out, f->n_out * sizeof *list);
    for (uint32_t i = 0; i < f->n_of; i++) {
        struct bp_ir_node *node = &ir->nodes[f->of[i]];

        for (uint32_t o = 0; o < node->n_out; o++) {
            for (uint32_t k = 0; k < f->n_out; k++) {
                if (node->out[o] != BP_NONE && node->out[o] == f->out[k])
                    node->out[o] = BP_NONE;
            }
        }
        if (!bp_rw_is_dead(rw, f->of[i]))
            bp_rw_refresh(rw, f->of[i]);
    }
    for (uint32_t i = 0; i < f->n_out; i++) {
        if (f->out[i] != BP_NONE)
            bp_rw_set_producer(rw, f->out[i], f->last);
    }
    ir->nodes[f->last].out = list;
    ir->nodes[f->last].n_out = f->n_out;
    bp_rw_refresh(rw, f->last);
    for (uint32_t i = 0; i < f->n_of; i++)
        bp_rw_drop_unused(rw, f->of[i]);
    return BP_OK;
}

/* The new node has the name of the first, and reports list all nodes in running order. */
static bp_rc take_names(struct bp_rewrite *rw, const struct bp_fusion *f, bp_err *err)
{
    uint32_t at = 0;
    bp_rc rc = BP_OK;

    while (at < f->n_of && f->of[at] != f->last)
        at++;
    for (uint32_t i = at + 1; rc >= 0 && i < f->n_of; i++)
        rc = bp_rw_stand_for(rw, f->last, f->of[i], err);
    for (uint32_t i = at; rc >= 0 && i-- > 0;)
        rc = bp_rw_become(rw, f->last, f->of[i], err);
    rw->ir->nodes[f->last].is_made = true;
    return rc;
}

/*
 * The order matters: names first (they are lost with the operator), then the operator, attributes
 * and inputs, outputs last; the schema check comes when all is set.
 */
static bp_rc replace(struct bp_rewrite *rw, const struct bp_fusion *f, bp_err *err)
{
    bp_rc rc = take_names(rw, f, err);

    if (rc >= 0)
        rc = bp_rw_set_op(rw, f->last, f->op, f->domain, f->opset, err);
    if (rc >= 0)
        rc = set_attrs(rw, f, err);
    if (rc >= 0)
        rc = bp_rw_set_inputs(rw, f->last, f->n_in, f->in, err);
    if (rc >= 0 && f->out)
        rc = take_outputs(rw, f, err);
    return rc < 0 ? rc : bp_rw_check(rw, f->last, err);
}

bp_rc bp_can_fuse(struct bp_rewrite *rw, const struct bp_fusion *fusion, bool *can, bp_err *err)
{
    *can = false;
    if (!know_takers(rw))
        return bp_fail_nomem(err, "the passes over a graph");
    *can = same_taker(rw, fusion) && !is_unwanted(rw, fusion) && would_take(rw, fusion);
    return BP_OK;
}

bp_rc bp_do_fuse(struct bp_rewrite *rw, const struct bp_fusion *fusion, bp_err *err)
{
    return replace(rw, fusion, err);
}

bp_rc bp_fuse(struct bp_rewrite *rw, const struct bp_fusion *fusion, bool *done, bp_err *err)
{
    bool can;
    bp_rc rc = bp_can_fuse(rw, fusion, &can, err);

    *done = false;
    if (rc < 0 || !can)
        return rc;
    rc = bp_do_fuse(rw, fusion, err);
    *done = rc >= 0;
    rw->n_matches += *done;
    return rc;
}
