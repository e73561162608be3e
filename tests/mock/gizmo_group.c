/* SPDX-License-Identifier: MIT */
/* gizmo_group.c - groups of the mock provider with memory of its own: programs, frames, kernels. */

#include "gizmo.h"

#include <stdlib.h>

enum { ALIGN = 256, MAX_RANK = 4 };

/* A node of the group. */
struct step {
    enum op op;
    uint32_t in[2], out; /* values */
    uint32_t n_in;
};

enum place { IN_NOTHING, IN_INPUT, IN_OUTPUT, IN_CONSTANT, IN_SCRATCH };

struct value {
    enum place place;
    uint32_t index;  /* IN_INPUT, IN_OUTPUT */
    uint64_t offset; /* IN_CONSTANT: in the program's memory */
    size_t bytes;    /* IN_CONSTANT */
};

struct bp_program {
    bp_instance *instance;
    bp_sim_device *device;
    struct step *steps;
    struct value *values;
    uint32_t n_steps, n_values;
    void *constants; /* in device memory */
};

struct shape {
    uint32_t rank;
    int64_t dims[MAX_RANK];
};

struct bp_frame {
    bp_program *program;
    const bp_frame_desc *desc;
    uint64_t *offsets;    /* one a value: in scratch */
    size_t *counts;       /* one a value: elements */
    struct shape *shapes; /* one a value */
};

/* What a kernel works with. */
struct job {
    enum op op;
    bp_sim_ref in[2], out;
    size_t n;
    size_t rows, inner, cols; /* MatMul */
    struct shape shape;       /* NonZero */
};

_Static_assert(sizeof(struct job) <= BP_SIM_ARG, "a stream takes it whole");

/* ---- kernels --------------------------------------------------------------------------------- */

static int compute(bp_sim_device *device, const void *arg)
{
    const struct job *job = (const struct job *)arg;
    const float *a = (const float *)bp_sim_reach(device, job->in[0]);
    const float *b = (const float *)bp_sim_reach(device, job->in[1]);
    float *y = (float *)bp_sim_reach(device, job->out);

    if (!a || !y || (!b && job->in[1].handle))
        return -1;
    if (job->op == OP_MATMUL) {
        for (size_t i = 0; i < job->rows * job->cols; i++) {
            y[i] = 0;
            for (size_t k = 0; k < job->inner; k++)
                y[i] += a[i / job->cols * job->inner + k] * b[k * job->cols + i % job->cols];
        }
        return 0;
    }
    for (size_t i = 0; i < job->n; i++)
        y[i] = job->op == OP_RELU  ? (a[i] < 0 ? 0 : a[i])
               : job->op == OP_ADD ? a[i] + b[i]
               : job->op == OP_MUL ? a[i] * b[i]
                                   : a[i];
    return 0;
}

/* Writes the indices of elements that are not 0, a row for each dimension. */
static int find_nonzero(bp_sim_device *device, const void *arg)
{
    const struct job *job = (const struct job *)arg;
    const float *x = (const float *)bp_sim_reach(device, job->in[0]);
    int64_t *y = (int64_t *)bp_sim_reach(device, job->out);
    size_t found = 0, n_found = job->shape.rank ? job->out.bytes / sizeof *y / job->shape.rank : 0;

    if (!x || !y)
        return -1;
    for (size_t i = 0; i < job->n; i++) {
        size_t rest = i;

        if (x[i] == 0)
            continue;
        for (uint32_t d = job->shape.rank; d-- > 0; rest /= (size_t)job->shape.dims[d])
            y[d * n_found + found] = (int64_t)(rest % (size_t)job->shape.dims[d]);
        found++;
    }
    return 0;
}

/* ---- programs -------------------------------------------------------------------------------- */

void gizmo_program_free(bp_program *program)
{
    if (!program)
        return;
    if (program->constants)
        bp_sim_free(program->device, program->constants);
    free(program->steps);
    free(program->values);
    free(program);
    atomic_fetch_sub(&gizmo_counters.programs, 1);
}

static size_t round_up(size_t n)
{
    return (n + ALIGN - 1) / ALIGN * ALIGN;
}

/* Constants that fit go to the device once, here. */
static bp_rc upload(bp_program *program, const bp_graph *g, bp_err *err)
{
    const bp_host *host = program->instance->host;
    size_t total = 0;

    for (uint32_t v = 0; v < g->n_values; v++) {
        if (program->values[v].place != IN_CONSTANT)
            continue;
        program->values[v].offset = total;
        total += round_up(program->values[v].bytes);
    }
    if (total == 0)
        return BP_OK;
    program->constants = bp_sim_alloc(program->device, total);
    if (!program->constants)
        return bp_fail(err, BP_E_NOMEM, "the accelerator has no %zu bytes for weights", total);
    for (uint32_t v = 0; v < g->n_values; v++) {
        const struct value *value = &program->values[v];
        bp_sim_ref to = {program->constants, value->offset, value->bytes};
        bp_span span;
        bp_rc rc;

        if (value->place != IN_CONSTANT)
            continue;
        rc = host->constant(host->h, g, v, &span, err);
        if (rc < 0)
            return rc;
        if (bp_sim_upload(program->device, NULL, to, span.data))
            return gizmo_broke(err, "copy");
    }
    return BP_OK;
}

static void place_values(bp_program *program, const bp_graph *g)
{
    for (uint32_t v = 0; v < g->n_values; v++) {
        const bp_value *value = BP_VALUE(g, v);

        program->values[v].place = IN_SCRATCH;
        if (!(value->flags & BP_VALUE_CONSTANT))
            continue;
        program->values[v].place = IN_CONSTANT;
        program->values[v].bytes = (size_t)value->const_bytes;
    }
    for (uint32_t i = 0; i < g->n_inputs; i++)
        program->values[g->inputs[i]] = (struct value){.place = IN_INPUT, .index = i};
    for (uint32_t i = 0; i < g->n_outputs; i++)
        program->values[g->outputs[i]] = (struct value){.place = IN_OUTPUT, .index = i};
}

bp_rc gizmo_compile(bp_instance *instance, const bp_graph *g, const bp_compile *what,
                    bp_program **out, bp_err *err)
{
    bp_program *program = (bp_program *)calloc(1, sizeof *program);
    bp_rc rc;

    if (!program)
        return bp_fail(err, BP_E_NOMEM, "no memory for a program");
    atomic_fetch_add(&gizmo_counters.programs, 1);
    program->instance = instance;
    program->device = instance->devices[what->device];
    program->n_steps = g->n_nodes;
    program->n_values = g->n_values;
    program->steps = (struct step *)calloc(g->n_nodes, sizeof *program->steps);
    program->values = (struct value *)calloc(g->n_values, sizeof *program->values);
    if (!program->steps || !program->values) {
        gizmo_program_free(program);
        return bp_fail(err, BP_E_NOMEM, "no memory for a program");
    }
    place_values(program, g);
    for (uint32_t n = 0; n < g->n_nodes; n++) {
        const bp_node *node = BP_NODE(g, n);
        struct step *step = &program->steps[n];

        *step = (struct step){.op = gizmo_op(node), .n_in = node->n_in, .out = node->out[0]};
        for (uint32_t i = 0; i < node->n_in; i++)
            step->in[i] = node->in[i];
    }
    rc = upload(program, g, err);
    if (rc < 0) {
        gizmo_program_free(program);
        return rc;
    }
    *out = program;
    return BP_OK;
}

/* ---- frames ---------------------------------------------------------------------------------- */

void gizmo_frame_free(bp_frame *frame)
{
    if (!frame)
        return;
    free(frame->offsets);
    free(frame->counts);
    free(frame->shapes);
    free(frame);
    atomic_fetch_sub(&gizmo_counters.frames, 1);
}

/* Where tensors lie: outputs as the option says; what Reshape reads on the host stays there. */
static void choose_spaces(const bp_frame *frame)
{
    const bp_program *program = frame->program;

    for (uint32_t i = 0; i < frame->desc->n_out; i++)
        frame->desc->out[i].space = program->instance->out_space;
    for (uint32_t s = 0; s < program->n_steps; s++) {
        const struct value *shape = &program->values[program->steps[s].in[1]];

        if (program->steps[s].op == OP_RESHAPE && shape->place == IN_INPUT)
            frame->desc->in[shape->index].space = BP_SPACE_HOST;
    }
}

static void lay_out(bp_frame *frame, bp_frame_needs *needs)
{
    static const bp_in_place pairs[] = {{0, 0}, {1, 0}};
    const bp_program *program = frame->program;

    for (uint32_t v = 0; v < program->n_values; v++) {
        const bp_shape *shape = &frame->desc->shapes[v];

        if (shape->rank == BP_RANK_UNKNOWN)
            continue;
        frame->counts[v] = (size_t)bp_dims_count(shape->dims, shape->rank);
        frame->shapes[v].rank = shape->rank;
        for (uint32_t d = 0; d < shape->rank && d < MAX_RANK; d++)
            frame->shapes[v].dims[d] = shape->dims[d];
        if (program->values[v].place != IN_SCRATCH)
            continue;
        frame->offsets[v] = needs->scratch_bytes;
        needs->scratch_bytes += round_up(frame->counts[v] * sizeof(float));
    }
    needs->scratch_align = ALIGN;
    needs->scratch_space = 1;
    if (program->instance->in_place && program->n_steps == 1 && program->steps[0].op < OP_MATMUL) {
        needs->n_in_place = frame->desc->n_in; /* the values are of one size: any of them will do */
        needs->in_place = pairs;
    }
}

bp_rc gizmo_frame_create(bp_program *program, const bp_frame_desc *desc, bp_frame_needs *needs,
                         bp_frame **out, bp_err *err)
{
    bp_frame *frame = (bp_frame *)calloc(1, sizeof *frame);

    if (!frame)
        return bp_fail(err, BP_E_NOMEM, "no memory for a frame");
    atomic_fetch_add(&gizmo_counters.frames, 1);
    frame->program = program;
    frame->desc = desc;
    frame->offsets = (uint64_t *)calloc(program->n_values, sizeof *frame->offsets);
    frame->counts = (size_t *)calloc(program->n_values, sizeof *frame->counts);
    frame->shapes = (struct shape *)calloc(program->n_values, sizeof *frame->shapes);
    if (!frame->offsets || !frame->counts || !frame->shapes) {
        gizmo_frame_free(frame);
        return bp_fail(err, BP_E_NOMEM, "no memory for a frame");
    }
    choose_spaces(frame);
    lay_out(frame, needs);
    *out = frame;
    return BP_OK;
}

/* ---- execute --------------------------------------------------------------------------------- */

static bp_sim_ref ref_of(const bp_frame *frame, uint32_t v)
{
    const struct value *value = &frame->program->values[v];
    const bp_frame_desc *desc = frame->desc;
    const bp_tensor *tensor =
        value->place == IN_OUTPUT ? &desc->out[value->index] : &desc->in[value->index];

    if (value->place == IN_CONSTANT)
        return (bp_sim_ref){frame->program->constants, value->offset, value->bytes};
    if (value->place == IN_SCRATCH)
        return (bp_sim_ref){desc->scratch, desc->scratch_offset + frame->offsets[v],
                            frame->counts[v] * sizeof(float)};
    return (bp_sim_ref){tensor->base, tensor->offset, tensor->bytes};
}

/* Does the shape, which lies in host memory, say as many elements as there are? */
static bp_rc check_shape(const bp_frame *frame, const struct step *step, bp_err *err)
{
    const struct value *value = &frame->program->values[step->in[1]];
    const bp_tensor *tensor = &frame->desc->in[value->index];
    const int64_t *sizes = (const int64_t *)bp_tensor_data(tensor);
    int64_t n = 1;

    if (value->place != IN_INPUT)
        return BP_OK; /* constant: it was seen at compile time */
    for (int64_t i = 0; i < tensor->dims[0]; i++)
        n *= sizes[i] == -1 ? 0 : sizes[i];
    if (n != 0 && n != (int64_t)frame->counts[step->out])
        return bp_fail(err, BP_E_INTERNAL, "the shape has %lld elements", (long long)n);
    return BP_OK;
}

struct count {
    bp_sim_ref in;
    size_t *n_found;
};

static int count_nonzero(bp_sim_device *device, const void *arg)
{
    const struct count *count = (const struct count *)arg;
    const float *x = (const float *)bp_sim_reach(device, count->in);

    if (!x)
        return -1;
    for (size_t i = 0; i < count->in.bytes / sizeof *x; i++)
        *count->n_found += x[i] != 0;
    return 0;
}

/* Counts, waits for the number, reserves the output. */
static bp_rc reserve_output(const bp_frame *frame, const struct step *step, struct job *job,
                            void *stream, bp_err *err)
{
    const struct value *out = &frame->program->values[step->out];
    bp_sim_device *device = frame->program->device;
    size_t n_found = 0;
    struct count count = {job->in[0], &n_found};
    bp_sim_event event;
    int64_t dims[2];
    bp_rc rc;

    count.in.bytes = job->n * sizeof(float);
    if (bp_sim_launch(device, (bp_sim_stream *)stream, count_nonzero, &count, sizeof count) ||
        (stream && (bp_sim_record((bp_sim_stream *)stream, &event) || bp_sim_wait(&event, -1))))
        return gizmo_broke(err, "stream");
    dims[0] = job->shape.rank;
    dims[1] = (int64_t)n_found;
    rc = frame->desc->alloc_output(frame->desc->h, out->index, 2, dims, err);
    job->out = ref_of(frame, step->out);
    return rc;
}

static bp_rc run_step(const bp_frame *frame, const struct step *step, void *stream, bp_err *err)
{
    bp_sim_device *device = frame->program->device;
    struct job job = {.op = step->op, .n = frame->counts[step->out]};
    bp_rc rc = BP_OK;

    job.out = ref_of(frame, step->out);
    for (uint32_t i = 0; i < (step->op == OP_RESHAPE ? 1 : step->n_in); i++)
        job.in[i] = ref_of(frame, step->in[i]);
    if (step->op == OP_MATMUL) {
        job.rows = (size_t)frame->shapes[step->in[0]].dims[0];
        job.inner = (size_t)frame->shapes[step->in[0]].dims[1];
        job.cols = (size_t)frame->shapes[step->in[1]].dims[1];
    }
    if (step->op == OP_RESHAPE)
        rc = check_shape(frame, step, err);
    if (step->op == OP_NONZERO) {
        job.n = frame->counts[step->in[0]];
        job.shape = frame->shapes[step->in[0]];
        rc = reserve_output(frame, step, &job, stream, err);
    }
    if (rc < 0)
        return rc;
    if (bp_sim_fails(device, BP_SIM_LAUNCH) ||
        bp_sim_launch(device, (bp_sim_stream *)stream,
                      step->op == OP_NONZERO ? find_nonzero : compute, &job, sizeof job))
        return gizmo_broke(err, "launch");
    return BP_OK;
}

static void count_inside(void)
{
    unsigned inside = atomic_fetch_add(&gizmo_counters.inside, 1) + 1;
    unsigned most = atomic_load(&gizmo_counters.most_inside);

    while (inside > most &&
           !atomic_compare_exchange_weak(&gizmo_counters.most_inside, &most, inside))
        continue;
    atomic_fetch_add(&gizmo_counters.executes, 1);
}

bp_rc gizmo_execute(bp_frame *frame, const bp_run *run, bp_err *err)
{
    const bp_frame_desc *desc = frame->desc;
    bp_rc rc = BP_OK;

    count_inside();
    for (uint32_t i = 0; i < desc->n_in; i++) {
        if (desc->out[0].base == desc->in[i].base && desc->out[0].offset == desc->in[i].offset)
            atomic_fetch_add(&gizmo_counters.in_place, 1);
    }
#ifdef HAS_RUN_EVENTS
    rc = gizmo_begin_run(frame->program->instance, run, err);
#endif
    for (uint32_t s = 0; rc >= 0 && s < frame->program->n_steps; s++)
        rc = run_step(frame, &frame->program->steps[s], run->stream, err);
#ifdef HAS_RUN_EVENTS
    if (rc >= 0)
        rc = gizmo_end_run(frame->program->instance, run, err);
#endif
    atomic_fetch_sub(&gizmo_counters.inside, 1);
    return rc >= 0 && run->stream ? BP_PENDING : rc;
}
