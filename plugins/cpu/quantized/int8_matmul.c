/* SPDX-License-Identifier: MIT */
/* int8_matmul.c - The 8-bit matrix product; see int8_matmul.h. */

#include "quantized/int8_matmul.h"

#include "kernels/tensor_data.h"

static bool is_signed(const bp_tensor *tensor)
{
    return tensor->dtype == BP_DTYPE_I8;
}

/* ---- packing a constant ---------------------------------------------------------------------- */

/* A constant B is packed once for the int8 kernel. */
bp_rc bp_cpu_int8_matmul_pack(struct bp_cpu_node *node, struct bp_cpu_int8_inputs inputs,
                              bp_err *err)
{
    const bp_value *b = bp_node_in(node->graph, node->node, inputs.b);
    bp_span bytes = bp_cpu_constant(node, inputs.b);
    struct bp_cpu_int8 plan = {.m = 1};
    size_t matrices = 1, size, step;

    if (!bytes.data || !b || b->rank < 2 || (b->dtype != BP_DTYPE_I8 && b->dtype != BP_DTYPE_U8))
        return BP_OK;
    for (uint32_t i = 0; i < b->rank - 2; i++)
        matrices *= (size_t)b->dims[i].value;
    plan.k = (size_t)b->dims[b->rank - 2].value;
    plan.n = (size_t)b->dims[b->rank - 1].value;
    plan.b_signed = b->dtype == BP_DTYPE_I8;
    if (matrices * plan.k * plan.n == 0)
        return BP_OK;
    step = plan.k * plan.n;
    size = bp_cpu_int8_plan(&plan) ? bp_cpu_int8_b_size(&plan) : 0;
    if (size == 0 || size > SIZE_MAX / matrices)
        return bp_cpu_fail(node, err, BP_E_NOMEM, "B is too large");
    node->packed = bp_cpu_node_memory(node, size * matrices);
    if (!node->packed)
        return bp_cpu_fail(node, err, BP_E_NOMEM, "no memory for B, packed");
    for (size_t i = 0; i < matrices; i++)
        bp_cpu_int8_pack_b(&plan, (const char *)bytes.data + i * step,
                           (char *)node->packed + i * size);
    return BP_OK;
}

/* ---- plan ------------------------------------------------------------------------------------ */

/* If B is one matrix, the batch of A becomes additional rows: one product for all. */
static bp_rc plan(const struct bp_cpu_call *call, struct bp_cpu_int8_matmul *s, bp_err *err)
{
    const bp_tensor *a = call->in[s->inputs.a], *b = call->in[s->inputs.b];
    int64_t m = a->rank > 1 ? a->dims[a->rank - 2] : 1, k = a->rank > 0 ? a->dims[a->rank - 1] : 0;
    int64_t n = b->rank > 1 ? b->dims[b->rank - 1] : 1;

    if (a->rank == 0 || b->rank == 0 || k != b->dims[b->rank > 1 ? b->rank - 2 : 0] ||
        !bp_cpu_batch_dims_make(a, b, &s->batches) ||
        bp_cpu_count(call->out[0]) != (int64_t)s->batches.count * m * n)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "A and B do not fit together");
    s->rows = (size_t)m;
    s->a_matrices = a->rank > 2 ? (size_t)bp_dims_count(a->dims, a->rank - 2) : 1;
    s->b_matrices = b->rank > 2 ? (size_t)bp_dims_count(b->dims, b->rank - 2) : 1;
    if (bp_cpu_batch_dims_can_flatten(&s->batches, a)) {
        m *= (int64_t)s->batches.count;
        s->batches.count = 1;
        s->batches.n_dims = 0;
    }
    s->packed_b = call->node->packed;
    s->product = (struct bp_cpu_int8){
        .m = (size_t)m,
        .n = (size_t)n,
        .k = (size_t)k,
        .a_signed = is_signed(a),
        .b_signed = is_signed(b),
        .width = s->batches.count >= 2 * (uint64_t)call->width ? 1 : call->width,
        .is_packed = s->packed_b != NULL,
    };
    if (!bp_cpu_int8_plan(&s->product) || s->batches.count > UINT32_MAX / s->product.tasks)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "A or B is too large");
    return BP_OK;
}

/* Reserves n * bytes of scratch at *at, a multiple of 64. False: too large. */
static bool take(size_t n, size_t bytes, size_t *end, size_t *at)
{
    size_t all;

    *at = *end;
    return !__builtin_mul_overflow(n, bytes, &all) && all < SIZE_MAX / 2 &&
           !__builtin_add_overflow(*end, (all + 63) / 64 * 64, end);
}

/* A is packed in the scratch at each run; B only if it is not constant. */
bp_rc bp_cpu_int8_matmul_make(struct bp_cpu_call *call, struct bp_cpu_int8_inputs inputs,
                              size_t own_bytes, struct bp_cpu_int8_matmul *s, bp_err *err)
{
    const struct bp_cpu_int8 *p = &s->product;
    size_t end = 0, matrices, worker;
    bp_rc rc;

    s->inputs = inputs;
    rc = plan(call, s, err);
    if (rc < 0)
        return rc;
    rc = bp_cpu_per_axis_make(call, inputs.a_zero, s->rows, s->a_matrices, &s->a_zero, err);
    if (rc >= 0)
        rc = bp_cpu_per_axis_make(call, inputs.b_zero, p->n, s->b_matrices, &s->b_zero, err);
    if (rc < 0)
        return rc;
    matrices = s->batches.n_dims == 0 ? 1 : s->a_matrices;
    s->a_step = bp_cpu_int8_a_size(p);
    s->b_step = s->packed_b ? bp_cpu_int8_b_size(p) : p->k * p->n;
    s->pack_slices = matrices > UINT32_MAX ? 0 : (uint32_t)matrices;
    worker = (p->scratch_bytes + 63) / 64 * 64;
    if (s->pack_slices == 0 || !take(matrices, s->a_step, &end, &s->at_a) ||
        !take(s->a_zero.total, sizeof(int32_t), &end, &s->at_a_zero) ||
        !take(s->b_zero.total, sizeof(int32_t), &end, &s->at_b_zero) ||
        !take(1, own_bytes, &end, &s->own_at) || !take(call->width, worker, &end, &s->at_workers))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the scratch memory is too large");
    call->scratch_bytes = end;
    return BP_OK;
}

/* ---- run ------------------------------------------------------------------------------------- */

/* One run, for the threads. */
struct job {
    const struct bp_cpu_int8_matmul *s;
    const char *a, *b;
    char *scratch;
    const struct bp_cpu_int8_output *output; /* or NULL */
    bp_cpu_int8_row row;
    void *u;
};

/* What finish() gets: one product of a batch. */
struct pair {
    const struct job *job;
    uint64_t batch;
};

/* Hands n sums of a row to the operator. */
static void finish(void *u, const int32_t *sums, size_t i, size_t j, size_t n)
{
    const struct pair *pair = u;

    pair->job->row(pair->job->u, pair->batch, sums, i, j, n);
}

/* Packs one matrix of A, for each run. */
static void pack_matrix(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct bp_cpu_int8_matmul *s = job->s;

    (void)worker;
    bp_cpu_int8_pack_a(&s->product, job->a + i * s->product.m * s->product.k,
                       job->scratch + s->at_a + i * s->a_step);
}

/* The output of one product of the batch, whose matrix of B is `b`. */
static struct bp_cpu_int8_output output_at(const struct job *job, uint64_t batch, int64_t b)
{
    const struct bp_cpu_int8 *product = &job->s->product;
    struct bp_cpu_int8_output out = *job->output;
    size_t size = out.dtype == BP_DTYPE_F32 ? sizeof(float) : 1;

    out.y = (char *)out.y + (size_t)batch * product->m * product->n * size;
    if (out.each && job->s->b_matrices > 1)
        out.scales += (size_t)b * product->n;
    return out;
}

/* Task i is a part of product i / tasks. */
static void run_task(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct bp_cpu_int8_matmul *s = job->s;
    const int32_t *a_zero = (const int32_t *)(const void *)(job->scratch + s->at_a_zero);
    const int32_t *b_zero = (const int32_t *)(const void *)(job->scratch + s->at_b_zero);
    struct pair pair = {job, i / s->product.tasks};
    struct bp_cpu_int8_operands operands = {.finish = finish, .u = &pair};
    struct bp_cpu_int8_output output;
    int64_t a, b;

    bp_cpu_batch_dims_at(&s->batches, pair.batch, &a, &b);
    operands.a = job->scratch + s->at_a + (size_t)a * s->a_step;
    operands.b = job->b + (size_t)b * s->b_step;
    operands.a_zero.each = s->a_zero.total > 1;
    operands.a_zero.at = a_zero + (operands.a_zero.each ? (size_t)a * s->rows : 0);
    operands.b_zero.each = s->b_zero.total > 1;
    operands.b_zero.at = b_zero + (operands.b_zero.each ? (size_t)b * s->product.n : 0);
    if (job->output && !operands.a_zero.each) {
        output = output_at(job, pair.batch, b);
        operands.output = &output;
    }
    bp_cpu_int8_task(
        &s->product, &operands, i % s->product.tasks,
        bp_cpu_worker_scratch(job->scratch + s->at_workers, worker, s->product.scratch_bytes));
}

/* Two parallel loops: packing A, then the tasks of the products. */
void bp_cpu_int8_matmul_run(struct bp_cpu_call *call, const struct bp_cpu_int8_matmul *s,
                            const struct bp_cpu_int8_output *output, bp_cpu_int8_row row, void *u)
{
    const bp_tensor *a = call->in[s->inputs.a], *b = call->in[s->inputs.b];
    char *scratch = call->scratch;
    struct job job = {s, NULL, s->packed_b, scratch, output, row, u};

    if (bp_cpu_count(call->out[0]) == 0)
        return;
    job.a = bp_cpu_data(a);
    if (!job.b)
        job.b = bp_cpu_data(b);
    bp_cpu_per_axis_zeros(call, s->inputs.a_zero, &s->a_zero,
                          (int32_t *)(void *)(scratch + s->at_a_zero));
    bp_cpu_per_axis_zeros(call, s->inputs.b_zero, &s->b_zero,
                          (int32_t *)(void *)(scratch + s->at_b_zero));
    bp_cpu_parallel(call, s->pack_slices, pack_matrix, &job);
    bp_cpu_parallel(call, (uint32_t)s->batches.count * s->product.tasks, run_task, &job);
}
