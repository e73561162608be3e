/* SPDX-License-Identifier: MIT */
/*
 * stage.c - plans a stage for one set of shapes: runs the shape rules with exact sizes, lets each provider
 * prepare its program, and lays out one arena for all values and scratch memory of the stage.
 */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <bp/arena.h>

#include "session/frame.h"

enum { ARENA_ALIGN = 64 };

struct planning {
    struct bp_frame_state *frame;
    const struct bp_stage *stage;
    struct bp_stage_plan *plan;
    struct bp_arena_item *items; /* values, then scratch of units */
    uint32_t *item_of;           /* one a value: index in items, or BP_NONE */
    uint32_t n_items;
    size_t *align_of; /* one a unit: alignment of its scratch */
};

/* ---- keys ----------------------------------------------------------------------------------------------- */

static bp_rc add_key(struct bp_frame_state *frame, uint32_t *n, int64_t value, bp_err *err)
{
    if (*n == frame->key_cap) {
        uint32_t cap = frame->key_cap ? frame->key_cap * 2 : 64;
        int64_t *key = realloc(frame->key, cap * sizeof *key);

        if (!key)
            return bp_fail_nomem(err, "a run's shapes");
        frame->key = key;
        frame->key_cap = cap;
    }
    frame->key[(*n)++] = value;
    return BP_OK;
}

/* Bytes of content as whole words; shapes depend on a few of them only. */
static bp_rc add_content(struct bp_frame_state *frame, uint32_t *n, const struct bp_cell *cell,
                         bp_err *err)
{
    const char *bytes = cell->base;
    size_t left = cell->bytes;
    bp_rc rc = BP_OK;

    if (left > BP_MAX_CONTENT * sizeof(int64_t))
        return BP_OK;
    while (rc >= 0 && left > 0) {
        size_t part = left < sizeof(int64_t) ? left : sizeof(int64_t);
        int64_t word = 0;

        memcpy(&word, bytes, part);
        rc = add_key(frame, n, word, err);
        bytes += part;
        left -= part;
    }
    return rc;
}

/* Everything that the plan follows from: shapes of what the stage reads, and some contents. */
static bp_rc make_key(struct bp_frame_state *frame, const struct bp_stage *stage, uint32_t *n,
                      bp_err *err)
{
    bp_rc rc = BP_OK;

    *n = 0;
    for (uint32_t i = 0; rc >= 0 && i < stage->n_reads; i++) {
        const struct bp_cell *cell = &frame->cells[stage->reads[i]];

        rc = add_key(frame, n, cell->rank, err);
        for (uint32_t d = 0; rc >= 0 && d < cell->rank; d++)
            rc = add_key(frame, n, cell->dims[d], err);
        if (rc >= 0 && stage->reads_content[i])
            rc = add_content(frame, n, cell, err);
    }
    return rc;
}

/* ---- facts ---------------------------------------------------------------------------------------------- */

static bp_rc set_fact(struct planning *p, uint32_t value, bool with_content, bp_err *err)
{
    const struct bp_cell *cell = &p->frame->cells[value];
    struct bp_region *region = &p->plan->region;
    struct bp_fact *fact = &p->plan->facts[value];
    struct bp_sym *dims = bp_region_array(region, cell->rank, sizeof *dims);

    if (!dims)
        return bp_fail_nomem(err, "a plan");
    for (uint32_t d = 0; d < cell->rank; d++)
        dims[d] = bp_sym_of(cell->dims[d]);
    *fact = (struct bp_fact){.dtype = cell->dtype, .rank = cell->rank, .dims = dims};
    return with_content ? bp_infer_content(fact, cell->base, region, err) : BP_OK;
}

static bp_rc infer(struct planning *p, bp_err *err)
{
    const struct bp_ir *ir = p->frame->body->ir;
    bp_rc rc;

    bp_symbols_finish(&p->frame->symbols); /* those of the last planning are of no use any more */
    rc = bp_symbols_inherit(&p->frame->symbols, ir->symbols, err); /* declared sizes name them */
    if (rc < 0)
        return rc;
    rc = bp_infer_start(ir, NULL, &p->frame->symbols, &p->plan->region, &p->plan->facts, err);
    for (uint32_t i = 0; rc >= 0 && i < p->stage->n_reads; i++)
        rc = set_fact(p, p->stage->reads[i], p->stage->reads_content[i], err);
    if (rc >= 0)
        rc = bp_infer_run(ir, p->stage->nodes, p->stage->n_nodes, p->plan->facts,
                          &p->frame->symbols, &p->plan->region, err);
    return rc;
}

/* The place of a value: its exact dims, or an unknown rank when they come with the data. */
static bp_rc set_place(struct planning *p, uint32_t value, bp_err *err)
{
    const struct bp_fact *fact = &p->plan->facts[value];
    struct bp_cell *place = &p->plan->places[value];
    int64_t *dims;

    place->dtype = fact->dtype;
    place->rank = BP_RANK_UNKNOWN;
    if (!bp_fact_is_exact(fact))
        return BP_OK;
    dims = bp_region_array(&p->plan->region, fact->rank, sizeof *dims);
    if (!dims)
        return bp_fail_nomem(err, "a plan");
    for (uint32_t d = 0; d < fact->rank; d++)
        dims[d] = fact->dims[d].value;
    place->dims = dims;
    place->rank = fact->rank;
    if (fact->dtype == BP_DTYPE_STRING) {
        if (!bp_mul_size((size_t)bp_dims_count(dims, fact->rank), sizeof(bp_span), &place->bytes))
            return bp_fail(err, BP_E_NOMEM, "'%s' is too large",
                           p->frame->body->ir->values[value].name);
        return BP_OK;
    }
    if (!bp_dense_bytes(fact->dtype, dims, fact->rank, &place->bytes))
        return bp_fail(err, BP_E_NOMEM, "'%s' is too large for this machine",
                       p->frame->body->ir->values[value].name);
    return BP_OK;
}

static bp_rc set_places(struct planning *p, bp_err *err)
{
    const struct bp_body *body = p->frame->body;
    bp_rc rc = BP_OK;

    p->plan->places =
        bp_region_array(&p->plan->region, body->ir->n_values, sizeof *p->plan->places);
    if (!p->plan->places)
        return bp_fail_nomem(err, "a plan");
    for (uint32_t i = 0; rc >= 0 && i < p->stage->n_reads; i++)
        rc = set_place(p, p->stage->reads[i], err);
    for (uint32_t i = 0; rc >= 0 && i < p->stage->n_nodes; i++) {
        const struct bp_ir_node *node = &body->ir->nodes[p->stage->nodes[i]];

        for (uint32_t o = 0; rc >= 0 && o < node->n_out; o++) {
            if (node->out[o] != BP_NONE)
                rc = set_place(p, node->out[o], err);
        }
    }
    return rc;
}

/* ---- units ---------------------------------------------------------------------------------------------- */

/* Storage for an output of unknown size, asked for by a provider in the middle of execute. */
static bp_rc alloc_output(void *h, uint32_t out, uint32_t rank, const int64_t *dims, bp_err *err)
{
    struct bp_unit_frame *unit = h;
    const struct bp_view *view = unit->unit->group->view;
    const struct bp_cell *place;
    struct bp_growing *growing;
    bp_tensor *tensor;
    size_t bytes;
    uint32_t value;
    bp_rc rc;

    if (out >= unit->desc.n_out || rank > BP_MAX_RANK)
        return bp_fail(err, BP_E_INVALID, "output %u of rank %u was asked for", out, rank);
    tensor = &unit->desc.out[out];
    value = view->value_of[view->graph.outputs[out]];
    place = &unit->plan->places[value];
    if (place->rank != BP_RANK_UNKNOWN)
        return bp_fail(err, BP_E_INVALID, "room for '%s' was asked for, which has a place",
                       view->ir->values[value].name);
    if (!bp_dense_bytes(place->dtype, dims, rank, &bytes))
        return bp_fail(err, BP_E_NOMEM, "'%s' is too large for this machine",
                       view->ir->values[value].name);
    rc = bp_frame_state_grow(unit->owner, value, bytes, &growing, err);
    if (rc < 0)
        return rc;
    if (rank)
        memcpy(growing->dims, dims, rank * sizeof *dims);
    growing->rank = rank;
    growing->bytes = bytes;
    tensor->base = growing->data;
    tensor->offset = 0;
    tensor->dims = growing->dims;
    tensor->rank = rank;
    tensor->bytes = bytes;
    return BP_OK;
}

static bp_tensor tensor_of(const struct bp_stage_plan *plan, uint32_t value)
{
    const struct bp_cell *place = &plan->places[value];

    return (bp_tensor){
        .dims = (int64_t *)(uintptr_t)place->dims, /* a provider does not write it; see abi.h */
        .bytes = place->bytes,
        .rank = place->rank,
        .dtype = place->dtype,
        .space = BP_SPACE_HOST,
    };
}

/* Tensors for the inputs or outputs of a group. */
static bp_tensor *make_tensors(struct planning *p, const struct bp_view *view,
                               const uint32_t *values, uint32_t n)
{
    bp_tensor *tensors = bp_region_array(&p->plan->region, n, sizeof *tensors);

    for (uint32_t i = 0; tensors && i < n; i++)
        tensors[i] = tensor_of(p->plan, view->value_of[values[i]]);
    return tensors;
}

static bp_shape *make_shapes(struct planning *p, const struct bp_view *view)
{
    bp_shape *shapes =
        bp_region_array(&p->plan->region, view->graph.n_values, sizeof *shapes);

    for (uint32_t i = 0; shapes && i < view->graph.n_values; i++) {
        const struct bp_cell *place = &p->plan->places[view->value_of[i]];
        const struct bp_ir_value *value = &view->ir->values[view->value_of[i]];

        if (value->flags & BP_IR_CONSTANT)
            shapes[i] = (bp_shape){value->data->dims, value->data->rank, value->data->dtype};
        else
            shapes[i] = (bp_shape){place->dims, place->rank, place->dtype};
    }
    return shapes;
}

static bp_rc prepare(struct planning *p, uint32_t u, bp_frame_needs *needs, bp_err *err)
{
    struct bp_unit_frame *unit = &p->plan->units[u];
    const struct bp_view *view = unit->unit->group->view;
    bp_frame_desc *desc = &unit->desc;
    bp_rc rc;

    desc->struct_size = sizeof *desc;
    desc->n_in = view->graph.n_inputs;
    desc->n_out = view->graph.n_outputs;
    desc->n_shapes = view->graph.n_values;
    desc->in = make_tensors(p, view, view->graph.inputs, desc->n_in);
    desc->out = make_tensors(p, view, view->graph.outputs, desc->n_out);
    desc->shapes = make_shapes(p, view);
    desc->h = unit;
    desc->alloc_output = alloc_output;
    if (!desc->in || !desc->out || !desc->shapes)
        return bp_fail_nomem(err, "a plan");
    for (uint32_t i = 0; i < desc->n_out; i++)
        unit->has_growing |= desc->out[i].rank == BP_RANK_UNKNOWN;
    unit->run.struct_size = sizeof unit->run;
    bp_err_clear(err);
    rc = unit->unit->by->provider->frame_create(unit->unit->program, desc, needs, &unit->frame,
                                                err);
    rc = bp_err_complete(err, rc);
    if (rc >= 0 && !unit->frame)
        rc = bp_fail(err, BP_E_INTERNAL, "frame_create succeeded without a frame");
    return rc;
}

static bp_rc make_units(struct planning *p, bp_err *err)
{
    bp_rc rc = BP_OK;

    p->plan->units =
        bp_region_array(&p->plan->region, p->stage->n_units, sizeof *p->plan->units);
    p->align_of = bp_region_array(&p->plan->region, p->stage->n_units, sizeof *p->align_of);
    if (!p->plan->units || !p->align_of)
        return bp_fail_nomem(err, "a plan");
    for (uint32_t u = 0; rc >= 0 && u < p->stage->n_units; u++) {
        bp_frame_needs needs = {.struct_size = sizeof needs};
        struct bp_unit_frame *unit = &p->plan->units[p->plan->n_units++];

        unit->owner = p->frame;
        unit->plan = p->plan;
        unit->unit = &p->frame->body->units[p->stage->first_unit + u];
        if (!unit->unit->program)
            continue;
        rc = prepare(p, u, &needs, err);
        if (rc < 0) {
            rc = bp_fail_in(err, rc, "provider '%s'", unit->unit->by->name);
            continue;
        }
        unit->desc.n_shapes = 0; /* they were lent for the call */
        unit->desc.shapes = NULL;
        p->items[u] = (struct bp_arena_item){.bytes = needs.scratch_bytes, .first = u, .last = u};
        p->align_of[u] = needs.scratch_align > ARENA_ALIGN ? needs.scratch_align : 0;
        if (p->align_of[u])
            p->items[u].bytes += needs.scratch_align; /* room to move up */
    }
    return rc;
}

/* ---- the arena ------------------------------------------------------------------------------------------ */

/* A value that a unit writes: live until its last reader, or to the end when it is wanted outside. */
static void add_item(struct planning *p, uint32_t value, uint32_t unit)
{
    const struct bp_cell *place = &p->plan->places[value];

    if (place->rank == BP_RANK_UNKNOWN || p->item_of[value] != BP_NONE)
        return;
    p->item_of[value] = p->n_items;
    p->items[p->n_items++] =
        (struct bp_arena_item){.bytes = place->bytes, .first = unit, .last = unit};
}

static void extend(struct planning *p, uint32_t value, uint32_t unit)
{
    if (p->item_of[value] != BP_NONE && p->items[p->item_of[value]].last < unit)
        p->items[p->item_of[value]].last = unit;
}

static void add_lifetimes(struct planning *p)
{
    p->n_items = p->plan->n_units;
    for (uint32_t u = 0; u < p->plan->n_units; u++) {
        const struct bp_unit *unit = p->plan->units[u].unit;
        const struct bp_view *view = unit->group->view;

        for (uint32_t i = 0; i < view->graph.n_inputs; i++)
            extend(p, view->value_of[view->graph.inputs[i]], u);
        for (uint32_t i = 0; unit->program && i < view->graph.n_outputs; i++)
            add_item(p, view->value_of[view->graph.outputs[i]], u);
    }
    for (uint32_t i = 0; i < p->stage->n_keeps; i++)
        extend(p, p->stage->keeps[i], p->plan->n_units);
}

static bp_rc lay_out(struct planning *p, bp_err *err)
{
    void *work = malloc(bp_arena_work(p->n_items) + 1);
    size_t bytes;

    if (!work)
        return bp_fail_nomem(err, "a plan");
    bytes = bp_arena_plan(p->items, p->n_items, ARENA_ALIGN, work);
    free(work);
    if (bytes == SIZE_MAX ||
        posix_memalign(&p->plan->arena, ARENA_ALIGN, bytes ? bytes : ARENA_ALIGN) != 0) {
        p->plan->arena = NULL;
        return bp_fail(err, BP_E_NOMEM, "no memory for the %zu bytes of a run", bytes);
    }
    p->plan->arena_bytes = bytes;
    return BP_OK;
}

/* ---- slots ---------------------------------------------------------------------------------------------- */

static void each_tensor(struct bp_stage_plan *plan,
                        void (*visit)(void *u, uint32_t value, bp_tensor *tensor,
                                      struct bp_unit_frame *unit),
                        void *u)
{
    for (uint32_t i = 0; i < plan->n_units; i++) {
        struct bp_unit_frame *unit = &plan->units[i];
        const struct bp_view *view = unit->unit->group->view;

        for (uint32_t t = 0; t < unit->desc.n_in; t++)
            visit(u, view->value_of[view->graph.inputs[t]], &unit->desc.in[t], unit);
        for (uint32_t t = 0; t < unit->desc.n_out; t++)
            visit(u, view->value_of[view->graph.outputs[t]], &unit->desc.out[t], unit);
    }
}

static void count_slot(void *u, uint32_t value, bp_tensor *tensor, struct bp_unit_frame *unit)
{
    struct bp_stage_plan *plan = u;

    (void)tensor;
    (void)unit;
    plan->slot_first[value + 1]++;
}

static void put_slot(void *u, uint32_t value, bp_tensor *tensor, struct bp_unit_frame *unit)
{
    struct bp_stage_plan *plan = u;

    /* slot_first[value] is where the next one goes; it ends where the next value's begin */
    plan->slots[plan->slot_first[value]++] = (struct bp_slot){tensor, unit};
}

/* Lists, value by value, the tensors that show it. */
static bp_rc make_slots(struct planning *p, bp_err *err)
{
    struct bp_stage_plan *plan = p->plan;
    uint32_t n = p->frame->body->ir->n_values;

    plan->slot_first = bp_region_array(&plan->region, (size_t)n + 2, sizeof *plan->slot_first);
    if (!plan->slot_first)
        return bp_fail_nomem(err, "a plan");
    each_tensor(plan, count_slot, plan);
    for (uint32_t v = 0; v < n; v++)
        plan->slot_first[v + 1] += plan->slot_first[v];
    plan->slots = bp_region_array(&plan->region, plan->slot_first[n], sizeof *plan->slots);
    if (!plan->slots)
        return bp_fail_nomem(err, "a plan");
    each_tensor(plan, put_slot, plan);
    memmove(plan->slot_first + 1, plan->slot_first, n * sizeof *plan->slot_first);
    plan->slot_first[0] = 0;
    return BP_OK;
}

void bp_stage_plan_bind(struct bp_stage_plan *plan, uint32_t value, void *base, size_t bytes)
{
    for (uint32_t i = plan->slot_first[value]; i < plan->slot_first[value + 1]; i++) {
        struct bp_slot *slot = &plan->slots[i];

        if (slot->tensor->base == base && slot->tensor->bytes == bytes)
            continue;
        slot->tensor->base = base;
        slot->tensor->bytes = bytes;
        slot->unit->run.io_epoch++;
    }
}

/* Bases in the arena: of values, and of scratch memory. */
static void place_all(struct planning *p)
{
    char *arena = p->plan->arena;

    for (uint32_t v = 0; v < p->frame->body->ir->n_values; v++) {
        struct bp_cell *place = &p->plan->places[v];

        if (p->item_of[v] == BP_NONE)
            continue;
        place->base = arena + p->items[p->item_of[v]].offset;
        bp_stage_plan_bind(p->plan, v, place->base, place->bytes);
    }
    for (uint32_t u = 0; u < p->plan->n_units; u++) {
        char *scratch = arena + p->items[u].offset;

        if (p->align_of[u])
            scratch += -(uintptr_t)scratch & (p->align_of[u] - 1);
        if (p->items[u].bytes)
            p->plan->units[u].desc.scratch = scratch;
    }
}

/* ---- plans ---------------------------------------------------------------------------------------------- */

static bp_rc fill(struct planning *p, bp_err *err)
{
    size_t n_values = p->frame->body->ir->n_values;
    bp_rc rc;

    p->items = calloc(n_values + p->stage->n_units + 1, sizeof *p->items);
    p->item_of = malloc((n_values + 1) * sizeof *p->item_of);
    if (!p->items || !p->item_of)
        return bp_fail_nomem(err, "a plan");
    memset(p->item_of, 0xff, (n_values + 1) * sizeof *p->item_of);
    rc = infer(p, err);
    if (rc >= 0)
        rc = set_places(p, err);
    if (rc >= 0)
        rc = make_units(p, err);
    if (rc < 0)
        return rc;
    add_lifetimes(p);
    rc = lay_out(p, err);
    if (rc >= 0)
        rc = make_slots(p, err);
    if (rc >= 0)
        place_all(p);
    return rc;
}

static bp_rc create(struct bp_frame_state *frame, const struct bp_stage *stage, uint32_t n_key,
                    struct bp_stage_plan **out, bp_err *err)
{
    struct planning p = {.frame = frame, .stage = stage};
    bp_rc rc;

    p.plan = calloc(1, sizeof *p.plan);
    if (!p.plan)
        return bp_fail_nomem(err, "a plan");
    p.plan->key = bp_region_array(&p.plan->region, n_key, sizeof *p.plan->key);
    if (p.plan->key)
        rc = fill(&p, err);
    else
        rc = bp_fail_nomem(err, "a plan");
    free(p.items);
    free(p.item_of);
    if (rc < 0) {
        bp_stage_plan_destroy(p.plan);
        return rc;
    }
    if (n_key)
        memcpy(p.plan->key, frame->key, n_key * sizeof *frame->key);
    p.plan->n_key = n_key;
    *out = p.plan;
    return BP_OK;
}

void bp_stage_plan_destroy(struct bp_stage_plan *plan)
{
    if (!plan)
        return;
    for (uint32_t u = 0; u < plan->n_units; u++) {
        if (plan->units[u].frame)
            plan->units[u].unit->by->provider->frame_free(plan->units[u].frame);
    }
    free(plan->arena);
    bp_region_finish(&plan->region);
    free(plan);
}

static bool fits(const struct bp_stage_plan *plan, const int64_t *key, uint32_t n_key)
{
    return plan->n_key == n_key &&
           (n_key == 0 || memcmp(plan->key, key, n_key * sizeof *key) == 0);
}

/* Frees all plans behind the first `keep` of a list. */
static void forget(struct bp_stage_plan *first, uint32_t keep)
{
    struct bp_stage_plan *last = first;

    while (last && --keep > 0)
        last = last->next;
    while (last && last->next) {
        struct bp_stage_plan *old = last->next;

        last->next = old->next;
        bp_stage_plan_destroy(old);
    }
}

bp_rc bp_stage_plan_get(struct bp_frame_state *frame, uint32_t s, struct bp_stage_plan **out,
                        bp_err *err)
{
    struct bp_stage_plan **link = &frame->plans[s];
    struct bp_stage_plan *plan = NULL;
    uint32_t n_key;
    bp_rc rc;

    rc = make_key(frame, &frame->body->stages[s], &n_key, err);
    if (rc < 0)
        return rc;
    while (*link && !fits(*link, frame->key, n_key))
        link = &(*link)->next;
    if (*link) {
        plan = *link;
        *link = plan->next;
    } else {
        rc = create(frame, &frame->body->stages[s], n_key, &plan, err);
        if (rc < 0)
            return rc;
    }
    plan->next = frame->plans[s];
    frame->plans[s] = plan;
    forget(plan, BP_MAX_PLANS);
    *out = plan;
    return BP_OK;
}
