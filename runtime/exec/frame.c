/* SPDX-License-Identifier: MIT */
/* frame.c - creates, extends and destroys the state of a run. */

#include "config.h"

#include "exec/planning.h"

#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "compile/subgraph_memory.h"

bp_rc bp_frame_state_constant(struct bp_frame_state *frame, uint32_t value, bp_err *err)
{
    struct bp_ir_data *data = frame->subgraph->ir->values[value].data;
    struct bp_dynamic_buffer *copy;
    const void *base;
    bp_rc rc = bp_ir_data_load(data, err);

    base = data->bytes;
    if (rc >= 0 && !bp_is_aligned(data->dtype, data->bytes)) {
        rc = bp_frame_state_grow(frame, value, data->size, &copy, err);
        if (rc >= 0)
            base = memcpy(copy->data, data->bytes, data->size);
    }
    if (rc < 0)
        return rc;
    frame->cells[value] = (struct bp_cell){
        .base = (void *)(uintptr_t)base, /* cells that are only read from */
        .dims = data->dims,
        .bytes = data->size,
        .rank = data->rank,
        .dtype = data->dtype,
    };
    return BP_OK;
}

/* BP_NONE, an absent input, is not a constant. */
static bool is_constant(const struct bp_ir *ir, uint32_t value)
{
    return value != BP_NONE && (ir->values[value].flags & BP_IR_CONSTANT);
}

/*
 * Constants that are read as values: by host operators, or as outputs. Providers got theirs when
 * they compiled.
 */
static bp_rc set_constants(struct bp_frame_state *frame, bp_err *err)
{
    const struct bp_ir *ir = frame->subgraph->ir;
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < ir->n_outputs; i++) {
        if (is_constant(ir, ir->outputs[i]))
            rc = bp_frame_state_constant(frame, ir->outputs[i], err);
    }
    for (uint32_t u = 0; rc >= 0 && u < frame->subgraph->n_units; u++) {
        const struct bp_unit *unit = &frame->subgraph->units[u];
        const struct bp_ir_node *node = &ir->nodes[unit->group->nodes[0]];

        for (uint32_t i = 0; rc >= 0 && unit->host_op && i < node->n_in; i++) {
            if (is_constant(ir, node->in[i]))
                rc = bp_frame_state_constant(frame, node->in[i], err);
        }
    }
    return rc;
}

static void set_allocator(struct bp_frame_state *frame)
{
    const bp_allocator *allocator = bp_memory_allocator(frame->subgraph->memory);

    for (uint32_t v = 0; allocator && v < frame->subgraph->ir->n_values; v++)
        frame->dynamic_outputs[v].allocator = allocator;
}

/*
 * Lists have one entry more than values, so that none is empty. Plans, children and carried values
 * come with the first run that needs them.
 */
bp_rc bp_frame_state_create(const struct bp_subgraph *subgraph, struct bp_frame_state **out,
                            bp_err *err)
{
    struct bp_frame_state *frame = calloc(1, sizeof *frame);
    size_t n_values = (size_t)subgraph->ir->n_values + 1;
    bp_rc rc;

    *out = NULL;
    if (!frame)
        return bp_fail_nomem(err, "a run");
    frame->subgraph = subgraph;
    frame->root = frame;
    frame->cells = calloc(n_values, sizeof *frame->cells);
    frame->wanted = calloc(n_values, sizeof *frame->wanted);
    frame->dynamic_outputs = calloc(n_values, sizeof *frame->dynamic_outputs);
    frame->plans = calloc((size_t)subgraph->n_stages + 1, sizeof(struct bp_stage_plan *));
    frame->arenas = calloc((size_t)subgraph->n_stages + 1, sizeof *frame->arenas);
    frame->held = calloc(n_values, sizeof(bp_object *));
    frame->carried = calloc((size_t)subgraph->n_units + 1, sizeof(struct bp_carried *));
    frame->operators = calloc((size_t)subgraph->n_units + 1, sizeof(struct bp_operator_frame *));
    frame->children = calloc((size_t)subgraph->n_units + 1, sizeof(struct bp_frame_state **));
    if (!frame->cells || !frame->wanted || !frame->dynamic_outputs || !frame->plans ||
        !frame->arenas || !frame->children || !frame->held || !frame->carried || !frame->operators)
        rc = bp_fail_nomem(err, "a run");
    else {
        set_allocator(frame);
        rc = set_constants(frame, err);
    }
    if (rc < 0) {
        bp_frame_state_destroy(frame);
        return rc;
    }
    *out = frame;
    return BP_OK;
}

/* The number of subgraphs of the node that a unit runs; 0 for most. */
static uint32_t n_subgraphs(const struct bp_frame_state *frame, const struct bp_unit *unit)
{
    return frame->subgraph->ir->nodes[unit->group->nodes[0]].n_subgraphs;
}

static void destroy_children(struct bp_frame_state *frame)
{
    for (uint32_t u = 0; frame->children && u < frame->subgraph->n_units; u++) {
        if (!frame->children[u])
            continue;
        for (uint32_t i = 0; i < n_subgraphs(frame, &frame->subgraph->units[u]); i++)
            bp_frame_state_destroy(frame->children[u][i]);
        free(frame->children[u]);
    }
    free(frame->children);
}

/* What a loop's unit carries: all inputs of its subgraph may be. */
static uint32_t n_carried(const struct bp_frame_state *frame, uint32_t u)
{
    return frame->subgraph->ir->nodes[frame->subgraph->units[u].group->nodes[0]].n_in;
}

static void destroy_carried(struct bp_frame_state *frame)
{
    for (uint32_t u = 0; frame->carried && u < frame->subgraph->n_units; u++) {
        for (uint32_t i = 0; frame->carried[u] && i < n_carried(frame, u); i++) {
            bp_dynamic_buffer_finish(&frame->carried[u][i].buffers[0]);
            bp_dynamic_buffer_finish(&frame->carried[u][i].buffers[1]);
            bp_object_release(frame->carried[u][i].object);
        }
        free(frame->carried[u]);
    }
    free(frame->carried);
}

/*
 * Plans before queues, as finishing a plan gives memory back to devices; a partly made frame is
 * fine.
 */
void bp_frame_state_destroy(struct bp_frame_state *frame)
{
    if (!frame)
        return;
    destroy_children(frame);
    for (uint32_t s = 0; frame->plans && s < frame->subgraph->n_stages; s++) {
        while (frame->plans[s]) {
            struct bp_stage_plan *next = frame->plans[s]->next;

            bp_stage_plan_destroy(frame->plans[s]);
            frame->plans[s] = next;
        }
    }
    for (uint32_t s = 0; frame->arenas && s < frame->subgraph->n_stages; s++)
        bp_stage_arena_finish(frame, s);
    for (uint32_t v = 0; frame->dynamic_outputs && v < frame->subgraph->ir->n_values; v++) {
        bp_memory_shrink(frame->subgraph, v, frame->dynamic_outputs[v].cap);
        bp_dynamic_buffer_finish(&frame->dynamic_outputs[v]);
    }
    for (uint32_t v = 0; frame->held && v < frame->subgraph->ir->n_values; v++)
        bp_object_release(frame->held[v]);
    destroy_carried(frame);
    for (uint32_t u = 0; frame->operators && u < frame->subgraph->n_units; u++)
        bp_operator_frame_destroy(frame->operators[u]);
    free(frame->operators);
    bp_queues_destroy(frame->queues);
    bp_symbols_finish(&frame->symbols);
    bp_region_finish(&frame->spare.region);
    bp_region_finish(&frame->scratch);
    free(frame->held);
    free(frame->plans);
    free(frame->arenas);
    free(frame->dynamic_outputs);
    free(frame->wanted);
    free(frame->allocated);
    free(frame->carry_to);
    free(frame->cells);
    free(frame->key);
    free(frame);
}

/* Kept with this frame, so that a loop's second iteration allocates nothing. */
bp_rc bp_frame_state_child(struct bp_frame_state *frame, const struct bp_unit *unit, uint32_t i,
                           struct bp_frame_state **out, bp_err *err)
{
    size_t u = (size_t)(unit - frame->subgraph->units);
    bp_rc rc = BP_OK;

    if (!frame->children[u]) {
        frame->children[u] =
            calloc((size_t)n_subgraphs(frame, unit) + 1, sizeof(struct bp_frame_state *));
        if (!frame->children[u])
            return bp_fail_nomem(err, "the run of a subgraph");
    }
    if (!frame->children[u][i])
        rc = bp_frame_state_create(unit->subgraphs[i], &frame->children[u][i], err);
    if (rc >= 0)
        frame->children[u][i]->root = frame->root;
    *out = frame->children[u][i];
    return rc;
}

/* Recursive, as counting their bytes is. */
static void shrink(struct bp_frame_state *frame)
{
    for (uint32_t s = 0; s < frame->subgraph->n_stages; s++) {
        bp_stage_plan_forget(frame, s, bp_stage_plan_most(frame, s));
        bp_stage_arena_shrink(frame, s);
    }
    for (uint32_t u = 0; u < frame->subgraph->n_units; u++) {
        for (uint32_t i = 0;
             frame->children[u] && i < n_subgraphs(frame, &frame->subgraph->units[u]); i++) {
            if (frame->children[u][i])
                shrink(frame->children[u][i]);
        }
    }
}

void bp_frame_state_set_share(struct bp_frame_state *frame, uint32_t share)
{
    frame->share = share;
    shrink(frame);
}

/* ---- what frames hold ------------------------------------------------------------------------ */

struct count {
    const struct bp_memory *of; /* NULL: of all */
    const struct bp_active *by; /* NULL: of all */
    size_t bytes;
};

/* Calls fn for a frame and its children; the depth is at most that of the model's subgraphs. */
static void visit(const struct bp_frame_state *frame,
                  void (*fn)(const struct bp_frame_state *, struct count *), struct count *count)
{
    fn(frame, count);
    for (uint32_t u = 0; u < frame->subgraph->n_units; u++) {
        for (uint32_t i = 0;
             frame->children[u] && i < n_subgraphs(frame, &frame->subgraph->units[u]); i++) {
            if (frame->children[u][i])
                visit(frame->children[u][i], fn, count);
        }
    }
}

/* Bytes of an arena that are charged to `of`; NULL: all of them. */
static size_t arena_bytes(const struct bp_stage_arena *arena, const struct bp_memory *of)
{
    size_t bytes = 0;

    if (!of)
        return arena->bytes;
    for (uint32_t i = 0; i < arena->n_shares; i++)
        bytes += arena->shares[i].of == of ? arena->shares[i].bytes : 0;
    return bytes;
}

/* The same of what providers say that their frames for a plan hold. */
static size_t frame_bytes(const struct bp_stage_plan *plan, const struct bp_memory *of)
{
    size_t bytes = 0;

    if (!of)
        return plan->frame_bytes;
    for (uint32_t u = 0; plan->frame_bytes > 0 && u < plan->n_units; u++) {
        if (plan->units[u].frame &&
            bp_memory_of_unit(plan->units[u].owner->subgraph, plan->units[u].unit) == of)
            bytes += (size_t)plan->units[u].unit->frame_bytes;
    }
    return bytes;
}

static void count_host(const struct bp_frame_state *frame, struct count *count)
{
    for (uint32_t s = 0; s < frame->subgraph->n_stages; s++) {
        count->bytes += arena_bytes(&frame->arenas[s], count->of);
        for (const struct bp_stage_plan *plan = frame->plans[s]; plan; plan = plan->next)
            count->bytes += frame_bytes(plan, count->of);
    }
    for (uint32_t v = 0; v < frame->subgraph->ir->n_values; v++) {
        if (frame->dynamic_outputs[v].cap > 0 &&
            (!count->of || bp_memory_of_value(frame->subgraph, v) == count->of))
            count->bytes += frame->dynamic_outputs[v].cap;
    }
}

/* Charged in proportion to the shares of the arena, which do not say where in it they lie. */
static void count_untouched(const struct bp_frame_state *frame, struct count *count)
{
    for (uint32_t s = 0; s < frame->subgraph->n_stages; s++) {
        const struct bp_stage_arena *arena = &frame->arenas[s];
        double all = (double)arena_bytes(arena, NULL), part = (double)arena_bytes(arena, count->of);

        if (part > 0)
            count->bytes +=
                (size_t)((double)bp_block_untouched(arena->allocator, arena->base) * part / all);
    }
}

static void count_device(const struct bp_frame_state *frame, struct count *count)
{
    for (uint32_t s = 0; s < frame->subgraph->n_stages; s++) {
        for (const struct bp_stage_plan *plan = frame->plans[s]; plan; plan = plan->next)
            count->bytes += bp_device_plan_bytes(plan, count->by);
    }
}

size_t bp_frame_state_bytes(const struct bp_frame_state *frame, const struct bp_memory *of)
{
    struct count count = {.of = of};

    visit(frame, count_host, &count);
    return count.bytes;
}

size_t bp_frame_state_untouched(const struct bp_frame_state *frame, const struct bp_memory *of)
{
    struct count count = {.of = of};

    visit(frame, count_untouched, &count);
    return count.bytes;
}

size_t bp_frame_state_device_bytes(const struct bp_frame_state *frame, const struct bp_active *by)
{
    struct count count = {.by = by};

    visit(frame, count_device, &count);
    return count.bytes;
}

/* ---- values that loops carry ----------------------------------------------------------------- */

/* Zeroed at first: a carried value without a cell has not been set. */
bp_rc bp_frame_state_carried(struct bp_frame_state *frame, const struct bp_unit *unit,
                             struct bp_carried **out, bp_err *err)
{
    uint32_t u = (uint32_t)(unit - frame->subgraph->units);

    *out = frame->carried[u];
    if (*out)
        return BP_OK;
    *out = calloc((size_t)n_carried(frame, u) + 1, sizeof **out);
    if (!*out)
        return bp_fail_nomem(err, "the values that a loop carries");
    for (uint32_t i = 0; i < n_carried(frame, u); i++) {
        for (int b = 0; b < 2; b++)
            (*out)[i].buffers[b].allocator = bp_memory_allocator(frame->subgraph->memory);
    }
    frame->carried[u] = *out;
    return BP_OK;
}

void bp_frame_state_hold(struct bp_frame_state *frame, uint32_t value, bp_object *object)
{
    if (frame->held[value] == object)
        return;
    bp_object_release(frame->held[value]);
    frame->held[value] = bp_object_retain(object);
}

bp_rc bp_frame_state_want(struct bp_frame_state *frame, uint32_t n_outputs, bp_err *err)
{
    bool *allocated;

    if (n_outputs <= frame->allocated_cap)
        return BP_OK;
    allocated = realloc(frame->allocated, n_outputs * sizeof *allocated);
    if (!allocated)
        return bp_fail_nomem(err, "a run");
    frame->allocated = allocated;
    frame->allocated_cap = n_outputs;
    return BP_OK;
}
