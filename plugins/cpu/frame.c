/* SPDX-License-Identifier: MIT */
/*
 * frame.c - prepares a program for one set of shapes (a frame), and runs it.
 *
 * All memory and all decisions belong to bp_cpu_frame_create(); bp_cpu_execute() binds pointers
 * that have changed and calls the run function of each step in order.
 */

#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "program.h"

#include <time.h>

enum { SCRATCH_ALIGN = 64 };

/* A call in running order: the only data that the loop of bp_cpu_execute() reads. */
struct step {
    bp_rc (*run)(struct bp_cpu_call *call, bp_err *err);
    struct bp_cpu_call *call;
};

/* A tensor that lies where a tensor of the host lies (a view of an input). */
struct alias {
    bp_tensor *tensor;
    const bp_tensor *of;
};

struct bp_frame {
    struct bp_blocks memory;
    bp_program *program;
    const bp_frame_desc *desc;
    struct step *steps;
    struct bp_cpu_call *calls;
    size_t *call_scratch; /* offsets in the scratch, one a call */
    bp_tensor *tensors;   /* one a value; those of inputs and outputs are the host's */
    bp_tensor **in_arena; /* tensors whose base is the scratch */
    struct alias *aliases;
    uint32_t n_steps, n_in_arena, n_aliases;
    uint32_t width; /* of the host's pool */
    uint32_t io_epoch;
    bool is_bound; /* bases have been set for io_epoch and scratch */
    void *scratch;
    uint64_t run_number;
    struct bp_cpu_stop stop;
};

/* The tensor that stands for value v in this frame. */
static bp_tensor *tensor_of(bp_frame *frame, const struct bp_cpu_layout *layout, uint32_t v)
{
    struct bp_cpu_location location = layout->locations[v];
    const bp_graph *graph = frame->program->graph;

    if (location.kind == BP_CPU_OUTPUT && graph->outputs[location.index] == v)
        return &frame->desc->out[location.index];
    if (location.kind == BP_CPU_INPUT && graph->inputs[location.index] == v)
        return &frame->desc->in[location.index];
    return &frame->tensors[v];
}

/* Fills the tensor of a value from its shape; constants are bound at once. */
static bp_rc make_tensor(bp_frame *frame, const struct bp_cpu_layout *layout, uint32_t v,
                         bp_err *err)
{
    const bp_shape *shape = &frame->desc->shapes[v];
    const bp_value *value = BP_VALUE(frame->program->graph, v);
    struct bp_cpu_location location = layout->locations[v];
    bp_tensor *tensor = tensor_of(frame, layout, v);
    bool is_constant = value->flags & BP_VALUE_CONSTANT;
    uint32_t rank = is_constant ? value->rank : shape->rank;

    if (tensor != &frame->tensors[v] || location.kind == BP_CPU_NOWHERE || rank == BP_RANK_UNKNOWN)
        return BP_OK;
    tensor->dims = bp_blocks_array(&frame->memory, rank, sizeof *tensor->dims);
    if (!tensor->dims)
        return bp_fail(err, BP_E_NOMEM, "no memory for the shape of '%s'", value->name);
    for (uint32_t i = 0; i < rank; i++)
        tensor->dims[i] = is_constant ? value->dims[i].value : shape->dims[i];
    tensor->rank = rank;
    tensor->dtype = is_constant ? value->dtype : shape->dtype;
    tensor->bytes = is_constant ? frame->program->constants[v].size : layout->bytes[v];
    if (is_constant)
        memcpy(&tensor->base, &frame->program->constants[v].data, sizeof tensor->base);
    return BP_OK;
}

/*
 * Records that value v lies on a constant, or on a tensor of the host, whose base changes between
 * runs.
 */
static void note_binding(bp_frame *frame, const struct bp_cpu_layout *layout, uint32_t v)
{
    struct bp_cpu_location location = layout->locations[v];
    bp_tensor *tensor = tensor_of(frame, layout, v);

    if (tensor != &frame->tensors[v])
        return;
    if (location.kind == BP_CPU_IN_ARENA) {
        tensor->offset = layout->items[location.index].offset;
        frame->in_arena[frame->n_in_arena++] = tensor;
    } else if (location.kind == BP_CPU_INPUT) {
        frame->aliases[frame->n_aliases++] =
            (struct alias){tensor, &frame->desc->in[location.index]};
    } else if (location.kind == BP_CPU_OUTPUT) {
        frame->aliases[frame->n_aliases++] =
            (struct alias){tensor, &frame->desc->out[location.index]};
    }
}

/* Views of constants take the base of what they view; nodes come in running order. */
static void bind_constant_view(bp_frame *frame, const struct bp_cpu_layout *layout, uint32_t i)
{
    const bp_node *node = BP_NODE(frame->program->graph, i);

    if (layout->is_elided[i] && layout->locations[node->out[0]].kind == BP_CPU_CONSTANT)
        frame->tensors[node->out[0]].base = frame->tensors[node->in[0]].base;
}

static bp_rc make_call(bp_frame *frame, const struct bp_cpu_layout *layout, uint32_t i, bp_err *err)
{
    struct bp_cpu_call *call = &frame->calls[i];
    const struct bp_cpu_node *node = &frame->program->nodes[i];
    uint32_t n_in = node->node->n_in, n_out = node->node->n_out, wanted = 0;
    bp_tensor **ends = bp_blocks_array(&frame->memory, (size_t)n_in + n_out, sizeof *ends);

    if (!ends)
        return bp_fail(err, BP_E_NOMEM, "no memory for node '%s'", node->node->name);
    for (uint32_t k = 0; k < n_in + n_out; k++) {
        uint32_t v = k < n_in ? node->node->in[k] : node->node->out[k - n_in];

        ends[k] = v == BP_NONE ? NULL : tensor_of(frame, layout, v);
        wanted += k >= n_in && ends[k];
    }
    call->node = node;
    call->in = ends;
    call->out = ends + n_in;
    call->n_in = n_in;
    call->n_out = n_out;
    call->desc = frame->desc;
    call->memory = &frame->memory;
    call->run_number = &frame->run_number;
    call->stop = &frame->stop;
    call->width = frame->width;
    if (wanted == 0 || (wanted == 1 && layout->is_elided[i]))
        return BP_OK;
    frame->steps[frame->n_steps++] = (struct step){node->op->run, call};
    return node->op->prepare ? node->op->prepare(call, err) : BP_OK;
}

/* Lays out values and the scratch of calls; all of prepare has run. */
static bp_rc plan_arena(bp_frame *frame, struct bp_cpu_layout *layout, bp_frame_needs *needs,
                        bp_err *err)
{
    uint32_t n_nodes = frame->program->graph->n_nodes, n = layout->n_items;
    void *work;

    for (uint32_t i = 0; i < n_nodes; i++) {
        layout->items[n + i] =
            (bp_arena_item){.bytes = frame->calls[i].scratch_bytes, .first = i, .last = i};
    }
    n += n_nodes;
    work = bp_blocks_get(&frame->memory, bp_arena_work(n));
    if (!work)
        return bp_fail(err, BP_E_NOMEM, "no memory to plan %u buffers", n);
    needs->scratch_align = SCRATCH_ALIGN;
    needs->scratch_bytes = bp_arena_plan(layout->items, n, SCRATCH_ALIGN, work);
    if (needs->scratch_bytes == SIZE_MAX) {
        return bp_fail(err, BP_E_NOMEM,
                       "the values between the group's %u nodes do not fit in "
                       "the address space",
                       n_nodes);
    }
    for (uint32_t i = 0; i < n_nodes; i++)
        frame->call_scratch[i] = layout->items[layout->n_items + i].offset;
    return BP_OK;
}

static bool frame_alloc(bp_frame *frame, const bp_graph *graph)
{
    struct bp_blocks *memory = &frame->memory;
    size_t n_nodes = graph->n_nodes, n_values = graph->n_values;

    frame->steps = bp_blocks_array(memory, n_nodes, sizeof *frame->steps);
    frame->calls = bp_blocks_array(memory, n_nodes, sizeof *frame->calls);
    frame->call_scratch = bp_blocks_array(memory, n_nodes, sizeof *frame->call_scratch);
    frame->tensors = bp_blocks_array(memory, n_values, sizeof *frame->tensors);
    frame->in_arena = bp_blocks_array(memory, n_values, sizeof *frame->in_arena);
    frame->aliases = bp_blocks_array(memory, n_values, sizeof *frame->aliases);
    return frame->steps && frame->calls && frame->call_scratch && frame->tensors &&
           frame->in_arena && frame->aliases;
}

static bp_rc frame_fill(bp_frame *frame, const bp_frame_desc *desc, bp_frame_needs *needs,
                        bp_err *err)
{
    const bp_graph *graph = frame->program->graph;
    const bp_host *host = frame->program->host;
    struct bp_cpu_layout layout;
    bp_rc rc;

    if (!frame_alloc(frame, graph))
        return bp_fail(err, BP_E_NOMEM, "no memory for a frame of %u nodes", graph->n_nodes);
    rc = bp_cpu_layout_make(frame->program, desc, &frame->memory, &layout, err);
    for (uint32_t v = 0; v < graph->n_values && rc >= 0; v++)
        rc = make_tensor(frame, &layout, v, err);
    if (rc < 0)
        return rc;
    frame->width = host->pool_width(host->h);
    frame->stop.host = host;
    for (uint32_t i = 0; i < graph->n_nodes && rc >= 0; i++) {
        bind_constant_view(frame, &layout, i);
        rc = make_call(frame, &layout, i, err);
    }
    if (rc >= 0)
        rc = plan_arena(frame, &layout, needs, err);
    for (uint32_t v = 0; v < graph->n_values && rc >= 0; v++)
        note_binding(frame, &layout, v);
    return rc;
}

bp_rc bp_cpu_frame_create(bp_program *program, const bp_frame_desc *desc, bp_frame_needs *needs,
                          bp_frame **out, bp_err *err)
{
    struct bp_blocks memory = {.host = program->host};
    bp_frame *frame;
    bp_rc rc;

    *out = NULL;
    bp_blocks_take(&memory, &program->spare);
    frame = bp_blocks_get(&memory, sizeof *frame);
    if (!frame)
        return bp_fail(err, BP_E_NOMEM, "no memory for a frame");
    frame->memory = memory;
    frame->program = program;
    frame->desc = desc;
    rc = frame_fill(frame, desc, needs, err);
    if (rc < 0) {
        bp_cpu_frame_free(frame);
        return rc;
    }
    *out = frame;
    return BP_OK;
}

void bp_cpu_frame_free(bp_frame *frame)
{
    struct bp_blocks memory;
    bp_program *program;

    if (!frame)
        return;
    for (uint32_t i = 0; frame->calls && i < frame->program->graph->n_nodes; i++)
        bp_cpu_run_memory_finish(&frame->calls[i]);
    memory = frame->memory; /* the frame itself lies in it */
    program = frame->program;
    bp_blocks_leave(&memory, &program->spare);
}

/* Sets what depends on the host's buffers; skipped while they stay where they are. */
static void bind(bp_frame *frame, uint32_t io_epoch)
{
    char *scratch = frame->desc->scratch;

    for (uint32_t i = 0; i < frame->n_in_arena; i++)
        frame->in_arena[i]->base = scratch;
    for (uint32_t i = 0; i < frame->n_aliases; i++) {
        frame->aliases[i].tensor->base = frame->aliases[i].of->base;
        frame->aliases[i].tensor->offset = frame->aliases[i].of->offset;
    }
    for (uint32_t i = 0; i < frame->program->graph->n_nodes; i++) {
        if (frame->calls[i].scratch_bytes > 0)
            frame->calls[i].scratch = scratch + frame->call_scratch[i];
    }
    frame->scratch = scratch;
    frame->io_epoch = io_epoch;
    frame->is_bound = true;
}

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static bp_rc run_profiled(bp_frame *frame, const struct step *step, bp_prof *prof, bp_err *err)
{
    int64_t t0 = now_ns();
    bp_rc rc = step->run(step->call, err);
    bp_prof_event *event;

    event = bp_prof_add(prof);
    if (!event)
        return rc;
    event->t0_ns = t0;
    event->t1_ns = now_ns();
    event->name = step->call->node->node->name;
    event->node = (uint32_t)(step->call - frame->calls);
    return rc;
}

static bp_rc check_stop(const bp_run *run, bp_err *err)
{
    if (bp_is_cancelled(run->cancel))
        return bp_fail(err, BP_E_CANCELLED, "the run was cancelled");
    if (run->deadline_ns != 0 && now_ns() >= run->deadline_ns)
        return bp_fail(err, BP_E_TIMEOUT, "the run's time was up");
    return BP_OK;
}

/* A kernel has left work out. Who cancelled may have taken that back by now. */
static bp_rc left(const bp_run *run, bp_err *err)
{
    bp_rc rc = check_stop(run, err);

    return rc < 0 ? rc : bp_fail(err, BP_E_CANCELLED, "the run was cancelled");
}

bp_rc bp_cpu_execute(bp_frame *frame, const bp_run *run, bp_err *err)
{
    const struct step *end = frame->steps + frame->n_steps;
    const bool may_stop = run->cancel || run->deadline_ns != 0;

    frame->run_number++;
    frame->stop.run = may_stop ? run : NULL;
    frame->stop.is_found = 0;
    if (!frame->is_bound || frame->io_epoch != run->io_epoch ||
        frame->scratch != frame->desc->scratch)
        bind(frame, run->io_epoch);
    for (const struct step *step = frame->steps; step < end; step++) {
        bp_rc rc = may_stop ? check_stop(run, err) : BP_OK;

        if (rc >= 0)
            rc = run->prof ? run_profiled(frame, step, run->prof, err) : step->run(step->call, err);
        if (may_stop && frame->stop.is_found)
            rc = left(run, err);
        if (rc < 0)
            return rc;
    }
    return BP_OK;
}
