/* SPDX-License-Identifier: MIT */
/*
 * recurrent.c - The driver of RNN, GRU, LSTM and DynamicQuantizeLSTM.
 * For each direction: one matrix product of all steps with W, then for each step one product of h
 * with R and the cell, whose rows (batch entries) are shared out to the threads.
 */

#include "recurrent/recurrent.h"

#include "kernels/cast/widen.h"
#include "kernels/tensor_data.h"

#include <math.h>

enum { X, W, R, B, LENGTHS, INITIAL_H, INITIAL_C, P };
enum { Y, Y_H, Y_C };

/* The state of a call: sizes, plans of the products, and offsets in the scratch. */
struct state {
    const struct bp_cpu_cell *cell;
    int64_t steps, batch, input, hidden;
    uint32_t directions;
    bool is_reverse;  /* the first direction */
    bool batch_first; /* layout 1 */
    bool option;
    /* the last gate has a product of its own, after the first part of the step */
    bool has_last_product;
    float clip;
    struct bp_cpu_activation f[2 * BP_CPU_MAX_ACTIVATIONS];
    size_t size; /* of an element */
    struct bp_cpu_gemm in_gemm, rec_gemm, last_gemm;
    void *products; /* the state of cell->products */
    size_t gates_at, rec_at, last_at, product_at, h_at, c_at, work_at; /* in the scratch */
    size_t work_bytes;                                                 /* of a worker */
    uint32_t slices;
};

/* One direction at one step. */
struct job {
    const struct state *state;
    const struct bp_cpu_call *call;
    char *scratch;
    uint32_t direction;
    int64_t step;
    bool is_second;
    const struct bp_cpu_gemm *gemm;
    struct bp_cpu_operands operands;
};

static bool is_direction(const bp_graph *graph, const bp_node *node, const char *name)
{
    return bp_node_string_is(graph, node, "direction", "forward", name);
}

/* 1 or 2; 0: the attribute is invalid. */
static uint32_t count_directions(const bp_graph *graph, const bp_node *node)
{
    if (is_direction(graph, node, "bidirectional"))
        return 2;
    /* "foward": as version 1 of GRU spells its default */
    return is_direction(graph, node, "forward") || is_direction(graph, node, "foward") ||
           is_direction(graph, node, "reverse");
}

void bp_cpu_recurrent_claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query,
                            const struct bp_cpu_cell *cell)
{
    struct bp_cpu_activation f[2 * BP_CPU_MAX_ACTIVATIONS];
    uint32_t directions = count_directions(query->graph, query->node);
    const char *fault;

    if (directions == 0) {
        bp_cpu_refuse(query, BP_R_ATTRIBUTE, "direction",
                      "direction is not forward, reverse or bidirectional");
        return;
    }
    fault = bp_cpu_activations_read(query->graph, query->node, cell->activations,
                                    cell->n_activations, f, directions * cell->n_activations);
    if (fault)
        bp_cpu_refuse(query, BP_R_ATTRIBUTE, "activations", "%s", fault);
    else
        bp_cpu_claim_types(op, query);
}

/* Whether an optional tensor is absent or has `count` elements. */
static bool has_count(const bp_tensor *tensor, int64_t count)
{
    return !tensor || bp_cpu_count(tensor) == count;
}

/*
 * Checks all shapes against X, W and R. 8-bit weights are transposed: [D, input, gates * hidden].
 */
static bp_rc read_shapes(const struct bp_cpu_call *call, struct state *s, bp_err *err)
{
    const bp_tensor *x = call->in[X], *w = call->in[W], *r = call->in[R];
    int64_t gates = s->cell->gates, states;
    uint32_t in = s->cell->products ? 1 : 2, out = 3 - in; /* dimensions of W and R */

    if (x->rank != 3 || w->rank != 3 || r->rank != 3 || r->dims[in] > INT32_MAX)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "X, W and R must have rank 3");
    s->steps = x->dims[s->batch_first];
    s->batch = x->dims[!s->batch_first];
    s->input = x->dims[2];
    s->hidden = r->dims[in];
    states = s->directions * s->batch * s->hidden;
    if (w->dims[0] != s->directions || r->dims[0] != s->directions ||
        w->dims[out] != gates * s->hidden || r->dims[out] != gates * s->hidden ||
        w->dims[in] != s->input ||
        !has_count(bp_cpu_in(call, B), s->directions * 2 * gates * s->hidden) ||
        !has_count(bp_cpu_in(call, LENGTHS), s->batch) ||
        !has_count(bp_cpu_in(call, INITIAL_H), states) ||
        !has_count(bp_cpu_out(call, Y), s->steps * states) ||
        !has_count(bp_cpu_out(call, Y_H), states))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the shapes do not fit together");
    if (s->cell->has_c && (!has_count(bp_cpu_in(call, INITIAL_C), states) ||
                           !has_count(bp_cpu_in(call, P), s->directions * 3 * s->hidden) ||
                           !has_count(bp_cpu_out(call, Y_C), states)))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the shapes do not fit together");
    return BP_OK;
}

/* The plan of m x k times (n x k)'. */
static struct bp_cpu_gemm product(const struct bp_cpu_call *call, int64_t m, int64_t n, int64_t k,
                                  bool add)
{
    struct bp_cpu_gemm gemm = {
        .m = (size_t)m,
        .n = (size_t)n,
        .k = (size_t)k,
        .dtype = call->in[X]->dtype,
        .trans_b = true,
        .add = add,
        .alpha = 1,
        .width = call->width,
        .blas = call->node->blas,
    };

    bp_cpu_gemm_plan(&gemm);
    return gemm;
}

/* Reserves `count` elements of scratch at *at, a multiple of 64. False: too large. */
static bool take(struct bp_cpu_call *call, const struct state *s, int64_t count, size_t *at)
{
    size_t bytes;

    *at = call->scratch_bytes;
    return !__builtin_mul_overflow((size_t)count, s->size, &bytes) &&
           !__builtin_add_overflow(bytes, 63, &bytes) &&
           !__builtin_add_overflow(*at, bytes / 64 * 64, &call->scratch_bytes);
}

/*
 * Scratch: gates of all steps, h R' of one step, the last gate's product and its factor, h, c, then
 * a work area for each worker. The products run one after another and share the work areas.
 */
static bp_rc plan_scratch(struct bp_cpu_call *call, struct state *s, bp_err *err)
{
    int64_t gates = s->cell->gates, rows = s->batch * s->hidden, all;
    size_t bytes = s->in_gemm.scratch_bytes;

    if (bytes < s->rec_gemm.scratch_bytes)
        bytes = s->rec_gemm.scratch_bytes;
    if (bytes < s->last_gemm.scratch_bytes)
        bytes = s->last_gemm.scratch_bytes;
    s->work_bytes = (bytes + 63) / 64 * 64;
    if (__builtin_mul_overflow(rows * gates, s->steps, &all) || !take(call, s, all, &s->gates_at) ||
        !take(call, s, rows * gates, &s->rec_at) || !take(call, s, rows, &s->last_at) ||
        !take(call, s, rows, &s->product_at) || !take(call, s, rows, &s->h_at) ||
        !take(call, s, rows, &s->c_at) ||
        __builtin_mul_overflow(s->work_bytes, call->width, &bytes) ||
        __builtin_add_overflow(call->scratch_bytes, bytes, &bytes))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the scratch memory is too large");
    s->work_at = call->scratch_bytes;
    call->scratch_bytes = bytes;
    return BP_OK;
}

static bp_rc prepare_products(struct bp_cpu_call *call, struct state *s, bp_err *err)
{
    const struct bp_cpu_recurrent_sizes sizes = {s->steps, s->batch, s->input, s->hidden,
                                                 s->directions};

    return s->cell->products->prepare(call, &sizes, &s->products, err);
}

bp_rc bp_cpu_recurrent_prepare(struct bp_cpu_call *call, const struct bp_cpu_cell *cell,
                               bp_err *err)
{
    const struct bp_cpu_node *node = call->node;
    struct state *s;
    int64_t gates = cell->gates;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    s->cell = cell;
    s->directions = count_directions(node->graph, node->node);
    s->is_reverse = is_direction(node->graph, node->node, "reverse");
    s->batch_first = bp_cpu_int(node, "layout", 0) != 0;
    s->option = cell->option && bp_cpu_int(node, cell->option, 0) != 0;
    s->has_last_product = cell->has_second_step && !s->option;
    s->clip = bp_cpu_float(node, "clip", 0);
    s->size = bp_cpu_width(call->in[X]->dtype);
    if (bp_cpu_activations_read(node->graph, node->node, cell->activations, cell->n_activations,
                                s->f, s->directions * cell->n_activations) != NULL)
        return bp_cpu_fail(node, err, BP_E_UNSUPPORTED, "the activations are not known");
    rc = read_shapes(call, s, err);
    if (rc < 0)
        return rc;
    s->slices = bp_cpu_slices(call, s->batch * s->hidden, 20 * gates);
    if (cell->products) {
        rc = plan_scratch(call, s, err);
        return rc < 0 ? rc : prepare_products(call, s, err);
    }
    s->in_gemm = product(call, s->steps * s->batch, gates * s->hidden, s->input, true);
    s->rec_gemm =
        product(call, s->batch, (gates - s->has_last_product) * s->hidden, s->hidden, false);
    s->rec_gemm.ldc = (size_t)(gates * s->hidden);
    s->last_gemm = product(call, s->batch, s->hidden, s->hidden, false);
    return plan_scratch(call, s, err);
}

/*
 * A batch entry of a state tensor (initial_h, Y_h, ...): [D, batch, H], or [batch, D, H] with
 * layout 1.
 */
static char *state_at(const struct job *job, const bp_tensor *tensor, int64_t entry)
{
    const struct state *s = job->state;
    int64_t row =
        s->batch_first ? entry * s->directions + job->direction : job->direction * s->batch + entry;

    return (char *)bp_cpu_data(tensor) + (size_t)(row * s->hidden) * s->size;
}

/* A batch entry of Y at one step: [steps, D, batch, H], or [batch, steps, D, H] with layout 1. */
static char *y_at(const struct job *job, int64_t step, int64_t entry)
{
    const struct state *s = job->state;
    int64_t row = s->batch_first ? (entry * s->steps + step) * s->directions + job->direction
                                 : (step * s->directions + job->direction) * s->batch + entry;

    return (char *)bp_cpu_data(job->call->out[Y]) + (size_t)(row * s->hidden) * s->size;
}

/* The direction's part of a weight tensor, from its element `skip` on. */
static char *weights_at(const struct job *job, uint32_t input, int64_t of_direction, int64_t skip)
{
    return (char *)bp_cpu_data(job->call->in[input]) +
           (size_t)(job->direction * of_direction + skip) * job->state->size;
}

static void run_gemm_task(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;

    bp_cpu_gemm_task(job->gemm, &job->operands, i,
                     job->scratch + job->state->work_at + worker * job->state->work_bytes);
}

static void run_gemm(struct job *job, const struct bp_cpu_gemm *gemm, const void *a, const void *b,
                     void *c)
{
    job->gemm = gemm;
    job->operands = (struct bp_cpu_operands){.a = a, .b = b, .c = c};
    if (gemm->m > 0 && gemm->n > 0)
        bp_cpu_parallel(job->call, gemm->tasks, run_gemm_task, job);
}

static void add_bias(const struct state *s, const void *wb, const void *rb, int64_t n, void *out)
{
    for (int64_t i = 0; i < n; i++) {
        if (s->size == 8)
            ((double *)out)[i] = ((const double *)wb)[i] + ((const double *)rb)[i];
        else
            ((float *)out)[i] = ((const float *)wb)[i] + ((const float *)rb)[i];
    }
}

static int64_t length_of(const struct job *job, int64_t entry)
{
    const bp_tensor *lengths = bp_cpu_in(job->call, LENGTHS);

    return lengths ? ((const int32_t *)bp_cpu_data(lengths))[entry] : job->state->steps;
}

/* Steps of the longest sequence. */
static int64_t most_steps(const struct job *job)
{
    int64_t most = 0;

    for (int64_t b = 0; b < job->state->batch; b++)
        most = length_of(job, b) > most ? length_of(job, b) : most;
    return most;
}

/*
 * gates = x * W' + Wb + Rb for all steps. With linear_before_reset the bias Rb of GRU's last gate
 * stays out.
 */
static void run_inputs(struct job *job)
{
    const struct state *s = job->state;
    int64_t gates = s->cell->gates * s->hidden, rows = s->steps * s->batch, summed = gates;
    char *out = job->scratch + s->gates_at, *wb;
    size_t bytes = (size_t)gates * s->size;

    if (rows == 0 || gates == 0)
        return;
    memset(out, 0, bytes);
    if (bp_cpu_in(job->call, B)) {
        wb = weights_at(job, B, 2 * gates, 0);
        if (s->cell->splits_bias && s->option)
            summed -= s->hidden;
        memcpy(out, wb, bytes);
        add_bias(s, wb, wb + bytes, summed, out);
    }
    for (int64_t i = 1; i < rows; i++)
        memcpy(out + (size_t)i * bytes, out, bytes);
    if (s->cell->products)
        s->cell->products->multiply(job->call, s->products, job->direction, false,
                                    bp_cpu_data(job->call->in[X]), most_steps(job) * s->batch,
                                    (void *)out);
    else if (s->input > 0)
        run_gemm(job, &s->in_gemm, bp_cpu_data(job->call->in[X]),
                 weights_at(job, W, gates * s->input, 0), out);
}

/*
 * The cell for one batch entry at the job's step. A backward direction starts at the entry's own
 * last step.
 */
static void run_row(const struct job *job, int64_t entry, bool is_backward)
{
    const struct state *s = job->state;
    const struct bp_cpu_cell *cell = s->cell;
    int64_t length = length_of(job, entry), gates = cell->gates * s->hidden;
    int64_t step = is_backward ? length - 1 - job->step : job->step;
    int64_t row = s->batch_first ? entry * s->steps + step : step * s->batch + entry;
    size_t at = (size_t)(entry * s->hidden) * s->size;
    struct bp_cpu_cell_row r = {
        .f = s->f + job->direction * cell->n_activations,
        .clip = s->clip,
        .option = s->option,
        .hidden = s->hidden,
        .rec = job->scratch + s->rec_at + (size_t)(entry * gates) * s->size,
        .last_gate = job->scratch + s->last_at + at,
        .product = job->scratch + s->product_at + at,
        .h = job->scratch + s->h_at + at,
        .c = job->scratch + s->c_at + at,
    };

    if (job->step >= length)
        return;
    r.gates = job->scratch + s->gates_at + (size_t)(row * gates) * s->size;
    if (cell->splits_bias && s->option && bp_cpu_in(job->call, B))
        r.rec_bias = weights_at(job, B, 2 * gates, 2 * gates - s->hidden);
    if (cell->has_c && bp_cpu_in(job->call, P))
        r.peepholes = weights_at(job, P, 3 * s->hidden, 0);
    if (job->is_second)
        s->size == 8 ? cell->second_step_f64(&r) : cell->second_step_f32(&r);
    else
        s->size == 8 ? cell->first_step_f64(&r) : cell->first_step_f32(&r);
    if (bp_cpu_out(job->call, Y) && job->is_second == s->has_last_product)
        memcpy(y_at(job, step, entry), r.h, (size_t)s->hidden * s->size);
}

static void run_slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct state *s = job->state;
    int64_t n = s->slices, end = s->batch / n * (i + 1) + s->batch % n * (i + 1) / n;
    bool is_backward = s->is_reverse || job->direction == 1;

    (void)worker;
    for (int64_t b = s->batch / n * i + s->batch % n * i / n; b < end; b++)
        run_row(job, b, is_backward);
}

/*
 * h as the 8-bit product sees it. ONNX Runtime reads it from Y if there is one, so that entries
 * which have ended are 0; they count for the range that h is quantised by.
 */
static const void *seen_state(const struct job *job)
{
    const struct state *s = job->state;
    size_t bytes = (size_t)s->hidden * s->size;
    const char *h = job->scratch + s->h_at;
    char *to = job->scratch + s->product_at;

    if (job->step == 0 || !bp_cpu_in(job->call, LENGTHS) || !bp_cpu_out(job->call, Y))
        return h;
    for (int64_t b = 0; b < s->batch; b++, h += bytes, to += bytes) {
        if (job->step <= length_of(job, b)) /* what the step before wrote */
            memcpy(to, h, bytes);
        else
            memset(to, 0, bytes);
    }
    return job->scratch + s->product_at;
}

/* A step whose product is not one of floats. */
static void run_products(struct job *job)
{
    const struct state *s = job->state;
    char *to = job->scratch + s->rec_at;

    memset(to, 0, (size_t)(s->batch * s->cell->gates * s->hidden) * s->size);
    s->cell->products->multiply(job->call, s->products, job->direction, true, seen_state(job),
                                s->batch, (void *)to);
    job->is_second = false;
    bp_cpu_parallel(job->call, s->slices, run_slice, job);
}

/*
 * h R' for all gates, the cell, and for GRU without linear_before_reset the last gate's product and
 * the rest of the cell.
 */
static void run_step(struct job *job)
{
    const struct state *s = job->state;
    int64_t gates = s->cell->gates * s->hidden, weights = gates * s->hidden;

    if (s->cell->products) {
        run_products(job);
        return;
    }
    run_gemm(job, &s->rec_gemm, job->scratch + s->h_at, weights_at(job, R, weights, 0),
             job->scratch + s->rec_at);
    job->is_second = false;
    bp_cpu_parallel(job->call, s->slices, run_slice, job);
    if (!s->has_last_product)
        return;
    run_gemm(job, &s->last_gemm, job->scratch + s->product_at,
             weights_at(job, R, weights, weights - s->hidden * s->hidden),
             job->scratch + s->last_at);
    job->is_second = true;
    bp_cpu_parallel(job->call, s->slices, run_slice, job);
}

/*
 * Copies the initial state to the scratch (zeros if there is none), or the final state to an
 * output.
 */
static void move_state(const struct job *job, const bp_tensor *tensor, size_t at, bool is_start)
{
    const struct state *s = job->state;
    size_t bytes = (size_t)s->hidden * s->size;
    char *own = job->scratch + at;

    for (int64_t b = 0; b < s->batch; b++, own += bytes) {
        if (!is_start && tensor && s->cell->products && length_of(job, b) == 0)
            memset(state_at(job, tensor, b), 0, bytes); /* as ONNX Runtime does */
        else if (!is_start && tensor)
            memcpy(state_at(job, tensor, b), own, bytes);
        else if (is_start && tensor)
            memcpy(own, state_at(job, tensor, b), bytes);
        else if (is_start)
            memset(own, 0, bytes);
    }
}

static void run_direction(struct job *job)
{
    const struct state *s = job->state;
    bool has_c = s->cell->has_c;
    int64_t steps;

    run_inputs(job);
    move_state(job, bp_cpu_in(job->call, INITIAL_H), s->h_at, true);
    move_state(job, has_c ? bp_cpu_in(job->call, INITIAL_C) : NULL, s->c_at, true);
    move_state(job, NULL, s->product_at, true); /* ended entries still take part in products */
    steps = s->cell->products ? most_steps(job) : s->steps;
    for (job->step = 0; job->step < steps; job->step++)
        run_step(job);
    move_state(job, bp_cpu_out(job->call, Y_H), s->h_at, false);
    if (has_c)
        move_state(job, bp_cpu_out(job->call, Y_C), s->c_at, false);
}

static bp_rc check_lengths(const struct job *job, bp_err *err)
{
    for (int64_t b = 0; b < job->state->batch; b++) {
        int64_t length = length_of(job, b);

        if (length < 0 || length > job->state->steps)
            return bp_cpu_fail(job->call->node, err, BP_E_INVALID,
                               "sequence_lens[%lld] is %lld, X has %lld steps", (long long)b,
                               (long long)length, (long long)job->state->steps);
    }
    return BP_OK;
}

bp_rc bp_cpu_recurrent_run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    struct job job = {.state = s, .call = call, .scratch = call->scratch};
    bp_rc rc = check_lengths(&job, err);
    bp_tensor *y = bp_cpu_out(call, Y);

    if (rc < 0 || s->batch == 0 || s->hidden == 0)
        return rc;
    /* steps after the end of a sequence are 0 */
    if (y && bp_cpu_in(call, LENGTHS) && bp_cpu_count(y) > 0)
        memset(bp_cpu_data(y), 0, (size_t)bp_cpu_count(y) * s->size);
    for (; job.direction < s->directions; job.direction++)
        run_direction(&job);
    return BP_OK;
}
