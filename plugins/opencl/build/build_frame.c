/* SPDX-License-Identifier: MIT */
/* build_frame.c - see build_frame.h. */

#include "build/build_frame.h"

#include "base/memory.h"
#include "build/chain.h"

enum { ALIGN = 256, SPACE = 1 };

/* ---- places ---------------------------------------------------------------------------------- */

/* Counts in 32 bits is what kernels do. */
static bp_rc set_shape(const bp_program *program, uint32_t v, const bp_shape *shape,
                       struct bp_opencl_tensor *tensor, bp_err *err)
{
    const bp_value *value = BP_VALUE(program->graph, v);

    tensor->dtype = value->dtype;
    tensor->count = 0;
    if (shape->rank == BP_RANK_UNKNOWN || shape->rank > BP_OPENCL_MAX_RANK) {
        tensor->rank = BP_RANK_UNKNOWN; /* nothing that is taken reads or writes it */
        return BP_OK;
    }
    tensor->rank = shape->rank;
    tensor->count = 1;
    for (uint32_t i = 0; i < shape->rank; i++) {
        tensor->dims[i] = shape->dims[i];
        if (__builtin_mul_overflow(tensor->count, shape->dims[i], &tensor->count))
            tensor->count = INT64_MAX / 2;
    }
    if (tensor->count <= INT32_MAX)
        return BP_OK;
    return bp_fail(err, BP_E_SHAPE, "opencl: '%s' has %lld elements, the provider takes 2147483647",
                   value->name, (long long)tensor->count);
}

/* A program that has a graph of its own runs with the sizes that it was saved with. */
static bp_rc check_inputs(const bp_program *program, const bp_frame_desc *desc, bp_err *err)
{
    for (uint32_t i = 0; i < desc->n_in; i++) {
        const bp_shape *shape = &program->shapes[program->graph->inputs[i]];

        if (desc->in[i].rank != shape->rank || desc->in[i].dtype != shape->dtype ||
            memcmp(desc->in[i].dims, shape->dims, shape->rank * sizeof *shape->dims) != 0)
            return bp_fail(err, BP_E_SHAPE, "opencl: the program was saved for other sizes of '%s'",
                           BP_VALUE(program->graph, program->graph->inputs[i])->name);
    }
    return BP_OK;
}

/* Constants where they were uploaded; what is neither is made by a node, which gives it a place. */
static bp_rc place_values(struct bp_opencl_builder *b, const bp_frame_desc *desc)
{
    const bp_program *program = b->program;
    const bp_graph *graph = b->graph;
    const bp_shape *shapes = program->shapes ? program->shapes : desc->shapes;
    bp_rc rc = program->shapes ? check_inputs(program, desc, b->err) : BP_OK;

    for (uint32_t v = 0; v < graph->n_values && rc >= 0; v++) {
        struct bp_opencl_tensor *tensor = &b->values[v];

        rc = set_shape(program, v, &shapes[v], tensor, b->err);
        if (program->constants[v].buffer != BP_NONE)
            tensor->place = (struct bp_opencl_place){.kind = BP_OPENCL_CONSTANT,
                                                     .index = program->constants[v].buffer,
                                                     .offset = program->constants[v].offset};
    }
    for (uint32_t i = 0; i < desc->n_in; i++)
        b->values[graph->inputs[i]].place =
            (struct bp_opencl_place){.kind = BP_OPENCL_INPUT, .index = i};
    for (uint32_t i = 0; i < desc->n_out; i++) {
        struct bp_opencl_place *place = &b->values[graph->outputs[i]].place;

        if (place->kind == BP_OPENCL_NOWHERE)
            *place = (struct bp_opencl_place){.kind = BP_OPENCL_OUTPUT, .index = i};
    }
    return rc;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static bool is_view(const struct bp_opencl_op *op)
{
    return op->kind == BP_OPENCL_VIEW;
}

/* A place in scratch for outputs that are not the frame's; views get theirs from their input. */
static void place_outputs(struct bp_opencl_builder *b, const bp_node *node)
{
    for (uint32_t i = 0; i < node->n_out && b->rc >= 0; i++) {
        struct bp_opencl_tensor *y = node->out[i] == BP_NONE ? NULL : &b->values[node->out[i]];

        if (y && y->place.kind == BP_OPENCL_NOWHERE && y->count > 0)
            y->place = bp_opencl_scratch(b, y->dtype, y->count).place;
    }
}

/* True: it has to be computed. An empty input is refused where no kernel minds it. */
static bool is_needed(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                      const bp_node *node)
{
    bool has_output = false;

    for (uint32_t i = 0; i < node->n_out; i++) {
        const struct bp_opencl_tensor *y = bp_opencl_out(b, node, i);

        has_output |= y && y->count > 0;
    }
    if (!has_output)
        return false;
    for (uint32_t i = 0; i < node->n_in && !op->takes_empty; i++) {
        const struct bp_opencl_tensor *x = bp_opencl_in(b, node, i);

        if (x && x->count == 0 && !(op->host_inputs >> i & 1))
            bp_opencl_build_fail(b, BP_E_SHAPE, "opencl: input %u of %s '%s' has no elements", i,
                                 node->op, node->name);
    }
    return b->rc >= 0;
}

static void build_nodes(struct bp_opencl_builder *b)
{
    for (uint32_t n = 0; n < b->graph->n_nodes && b->rc >= 0; n++) {
        const bp_node *node = BP_NODE(b->graph, n);
        const struct bp_opencl_op *op = b->program->ops[n];

        b->node = n;
        if (!is_needed(b, op, node))
            continue;
        if (!is_view(op))
            place_outputs(b, node);
        if (b->rc >= 0)
            op->build(b, op, node);
    }
}

/*
 * A value that is an output twice, or an output that is an input or a constant, is copied there
 * from where it is.
 */
static void copy_outputs(struct bp_opencl_builder *b, const bp_frame_desc *desc)
{
    for (uint32_t i = 0; i < desc->n_out && b->rc >= 0; i++) {
        const struct bp_opencl_tensor *from = &b->values[b->graph->outputs[i]];
        struct bp_opencl_tensor to = *from;

        to.place = (struct bp_opencl_place){.kind = BP_OPENCL_OUTPUT, .index = i};
        if (from->count > 0 && (from->place.kind != BP_OPENCL_OUTPUT || from->place.index != i))
            bp_opencl_copy(b, &to, from);
    }
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* Items are laid out by their lives; those that no step touches take nothing. */
static bp_rc plan_scratch(struct bp_opencl_builder *b, bp_frame_needs *needs)
{
    void *work;
    size_t bytes;

    for (uint32_t i = 0; i < b->n_items; i++) {
        if (b->items[i].first == UINT32_MAX)
            b->items[i] = (bp_arena_item){0};
    }
    if (b->n_items == 0)
        return BP_OK;
    work = bp_blocks_get(b->memory, bp_arena_work(b->n_items));
    bytes = work ? bp_arena_plan(b->items, b->n_items, ALIGN, work) : SIZE_MAX;
    if (bytes == SIZE_MAX)
        return bp_fail(b->err, BP_E_NOMEM, "opencl: no memory for a frame");
    needs->scratch_bytes = bytes;
    needs->scratch_align = ALIGN;
    needs->scratch_space = SPACE;
    return BP_OK;
}

static bp_rc upload_tables(bp_frame *frame, const struct bp_opencl_builder *b, bp_err *err)
{
    const bp_instance *instance = frame->program->instance;
    cl_int code = CL_SUCCESS;

    if (b->table_bytes == 0)
        return BP_OK;
    frame->tables =
        instance->cl->clCreateBuffer(instance->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                     b->table_bytes, b->tables, &code);
    if (code == CL_SUCCESS)
        return BP_OK;
    frame->tables = NULL;
    return bp_opencl_fail_alloc(err, code, b->table_bytes);
}

/* Inputs that no kernel reads stay where they are. */
static void choose_spaces(const bp_program *program, const bp_frame_desc *desc)
{
    for (uint32_t i = 0; i < desc->n_in; i++) {
        if (!program->is_read[program->graph->inputs[i]])
            desc->in[i].space = BP_SPACE_HOST;
    }
}

static bp_rc fill(bp_frame *frame, bp_frame_needs *needs, bp_err *err)
{
    const bp_program *program = frame->program;
    struct bp_opencl_builder b = {.program = program,
                                  .graph = program->graph,
                                  .memory = &frame->memory,
                                  .err = err,
                                  .end = &frame->steps};
    bp_rc rc;

    b.values = bp_blocks_array(&frame->memory, program->graph->n_values, sizeof *b.values);
    if (!b.values)
        return bp_fail(err, BP_E_NOMEM, "opencl: no memory for a frame");
    rc = place_values(&b, frame->desc);
    if (rc < 0)
        return rc;
    choose_spaces(program, frame->desc);
    bp_opencl_find_chains(&b);
    build_nodes(&b);
    copy_outputs(&b, frame->desc);
    if (b.rc < 0)
        return b.rc;
    frame->items = b.items;
    frame->n_steps = b.n_steps;
    rc = plan_scratch(&b, needs);
    frame->items = b.items;
    if (rc >= 0)
        rc = upload_tables(frame, &b, err);
    if (rc >= 0 && b.kept_bytes > 0)
        rc = bp_opencl_memory_alloc(program->instance, b.kept_bytes, &frame->kept, err);
    if (rc >= 0 && program->instance->profiles) {
        frame->events = bp_blocks_array(&frame->memory, b.n_steps, sizeof *frame->events);
        if (!frame->events)
            rc = bp_fail(err, BP_E_NOMEM, "opencl: no memory for a frame");
    }
    return rc;
}

bp_rc bp_opencl_frame_create(bp_program *program, const bp_frame_desc *desc, bp_frame_needs *needs,
                             bp_frame **out, bp_err *err)
{
    struct bp_blocks memory = {.host = &program->instance->host};
    bp_frame *frame = bp_blocks_get(&memory, sizeof *frame);
    bp_rc rc;

    *out = NULL;
    if (!frame)
        return bp_fail(err, BP_E_NOMEM, "opencl: no memory for a frame");
    *frame = (bp_frame){.memory = memory, .program = program, .desc = desc};
    rc = fill(frame, needs, err);
    if (rc < 0) {
        bp_opencl_frame_free(frame);
        return rc;
    }
    *out = frame;
    return BP_OK;
}

static void release_kernels(const struct bp_opencl_library *cl, const struct bp_opencl_step *step)
{
    for (; step; step = step->next) {
        if (step->kernel)
            cl->clReleaseKernel(step->kernel);
    }
}

void bp_opencl_frame_free(bp_frame *frame)
{
    const struct bp_opencl_library *cl;
    struct bp_blocks memory;

    if (!frame)
        return;
    cl = frame->program->instance->cl;
    release_kernels(cl, frame->steps);
    release_kernels(cl, frame->done);
    bp_opencl_memory_free(frame->program->instance, frame->kept);
    if (frame->tables)
        cl->clReleaseMemObject(frame->tables);
    memory = frame->memory;
    bp_blocks_free(&memory);
}
