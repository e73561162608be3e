/* SPDX-License-Identifier: MIT */
/* recurrent_int8.c - The 8-bit products of DynamicQuantizeLSTM; see recurrent_int8.h. */

#include "recurrent/recurrent_int8.h"

#include "kernels/int8/int8.h"
#include "kernels/quantize/byte_map.h"
#include "kernels/tensor_data.h"

enum { W = 1, R = 2, W_SCALE = 8, W_ZERO = 9, R_SCALE = 10, R_ZERO = 11 };

/* Packed W and R of all directions; NULL: the input is not constant. */
struct packed {
    char *b[2];
};

/* The product with W or with R. */
struct side {
    struct bp_cpu_int8 plan; /* of most rows; fewer may be multiplied */
    const char *packed;
    size_t b_step; /* bytes of B for a direction */
    uint32_t input, scale, zero;
    int64_t n_scales, n_zeros; /* for a direction: one, or one a column */
};

struct own {
    struct side sides[2];
    size_t a_at, bytes_at, zero_at, work_at; /* in the scratch */
};

/* A product as its tasks see it. */
struct job {
    const struct side *side;
    struct bp_cpu_int8 plan;
    struct bp_cpu_int8_operands operands;
    const float *scales;
    float a_scale;
    char *work;
    float *to;
};

/* ---- constants ------------------------------------------------------------------------------- */

/* Packs a constant weight for the int8 kernel, one direction after the other. */
static bp_rc pack_side(struct bp_cpu_node *node, uint32_t input, char **out, bp_err *err)
{
    const bp_value *b = bp_node_in(node->graph, node->node, input);
    bp_span bytes = bp_cpu_constant(node, input);
    struct bp_cpu_int8 plan = {.m = 1};
    size_t size;

    if (!bytes.data || !b || b->rank != 3 || bytes.size == 0)
        return BP_OK;
    plan.k = (size_t)b->dims[1].value;
    plan.n = (size_t)b->dims[2].value;
    plan.b_signed = b->dtype == BP_DTYPE_I8;
    size = bp_cpu_int8_plan(&plan) ? bp_cpu_int8_b_size(&plan) : 0;
    if (size == 0 || size > SIZE_MAX / (size_t)b->dims[0].value)
        return bp_cpu_fail(node, err, BP_E_NOMEM, "the weights are too large");
    *out = bp_cpu_node_memory(node, size * (size_t)b->dims[0].value);
    if (!*out)
        return bp_cpu_fail(node, err, BP_E_NOMEM, "no memory for the weights, packed");
    for (size_t d = 0; d < (size_t)b->dims[0].value; d++)
        bp_cpu_int8_pack_b(&plan, (const char *)bytes.data + d * plan.k * plan.n, *out + d * size);
    return BP_OK;
}

bp_rc bp_cpu_recurrent_int8_pack(struct bp_cpu_node *node, bp_err *err)
{
    struct packed *packed = bp_cpu_node_memory(node, sizeof *packed);
    bp_rc rc;

    if (!packed)
        return bp_cpu_fail(node, err, BP_E_NOMEM, "no memory for the weights, packed");
    node->packed = packed;
    rc = pack_side(node, W, &packed->b[0], err);
    return rc < 0 ? rc : pack_side(node, R, &packed->b[1], err);
}

/* ---- plan ------------------------------------------------------------------------------------ */

/*
 * *out is the number of scales or zero points of a direction: one, or one for each column. False:
 * the shape is wrong.
 */
static bool count_params(const bp_tensor *tensor, int64_t directions, int64_t columns, int64_t *out)
{
    *out = tensor && tensor->rank == 2 ? columns : 1;
    return tensor && (tensor->rank == 1 || (tensor->rank == 2 && tensor->dims[1] == columns)) &&
           tensor->dims[0] == directions;
}

/* The plan is for `rows` rows, the most that are multiplied at once. */
static bp_rc plan_side(const struct bp_cpu_call *call, const struct bp_cpu_recurrent_sizes *sizes,
                       int64_t rows, int64_t depth, struct side *s, bp_err *err)
{
    int64_t columns = 4 * sizes->hidden;

    if (!count_params(bp_cpu_in(call, s->scale), sizes->directions, columns, &s->n_scales) ||
        !count_params(bp_cpu_in(call, s->zero), sizes->directions, columns, &s->n_zeros))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "scales and zero points must have shape [%u] or [%u,%lld]",
                           sizes->directions, sizes->directions, (long long)columns);
    s->plan = (struct bp_cpu_int8){
        .m = (size_t)rows,
        .n = (size_t)columns,
        .k = (size_t)depth,
        .b_signed = call->in[s->input]->dtype == BP_DTYPE_I8,
        .width = call->width,
        .is_packed = s->packed != NULL,
    };
    if (rows > 0 && columns > 0 && depth > 0 && !bp_cpu_int8_plan(&s->plan))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the product is too large");
    s->b_step = s->packed ? bp_cpu_int8_b_size(&s->plan) : s->plan.k * s->plan.n;
    return BP_OK;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static bool take(struct bp_cpu_call *call, size_t n, size_t bytes, size_t *at)
{
    *at = call->scratch_bytes;
    return !__builtin_mul_overflow(n, bytes, &bytes) && bytes < SIZE_MAX / 2 &&
           !__builtin_add_overflow(*at, (bytes + 63) / 64 * 64, &call->scratch_bytes);
}

static bp_rc prepare(struct bp_cpu_call *call, const struct bp_cpu_recurrent_sizes *sizes,
                     void **own, bp_err *err)
{
    const struct packed *packed = call->node->packed;
    struct own *o = bp_cpu_call_memory(call, sizeof *o);
    const struct bp_cpu_int8 *w, *r;
    int64_t rows;
    bp_rc rc;

    if (!o)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for the products");
    *own = o;
    if (__builtin_mul_overflow(sizes->steps, sizes->batch, &rows))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the product is too large");
    o->sides[0] =
        (struct side){.packed = packed->b[0], .input = W, .scale = W_SCALE, .zero = W_ZERO};
    o->sides[1] =
        (struct side){.packed = packed->b[1], .input = R, .scale = R_SCALE, .zero = R_ZERO};
    rc = plan_side(call, sizes, rows, sizes->input, &o->sides[0], err);
    if (rc >= 0)
        rc = plan_side(call, sizes, sizes->batch, sizes->hidden, &o->sides[1], err);
    if (rc < 0)
        return rc;
    w = &o->sides[0].plan;
    r = &o->sides[1].plan;
    if (!take(call, 1, larger(bp_cpu_int8_a_size(w), bp_cpu_int8_a_size(r)), &o->a_at) ||
        !take(call, 1, larger(w->m * w->k, r->m * r->k), &o->bytes_at) ||
        !take(call, w->n, sizeof(int32_t), &o->zero_at) ||
        !take(call, call->width, (larger(w->scratch_bytes, r->scratch_bytes) + 63) / 64 * 64,
              &o->work_at))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the scratch memory is too large");
    return BP_OK;
}

/* ---- run ------------------------------------------------------------------------------------- */

/* Dequantises sums j .. j + n of row i and adds them to the output. */
static void finish(void *u, const int32_t *sums, size_t i, size_t j, size_t n)
{
    const struct job *job = u;
    const float *scales = job->scales + (job->side->n_scales > 1 ? j : 0);
    float *to = job->to + i * job->plan.n + j;

    for (size_t c = 0; c < n; c++)
        to[c] += (float)sums[c] * (job->a_scale * scales[job->side->n_scales > 1 ? c : 0]);
}

static void run_task(void *u, uint32_t i, uint32_t worker)
{
    struct job *job = u;

    bp_cpu_int8_task(&job->plan, &job->operands, i,
                     bp_cpu_worker_scratch(job->work, worker, job->plan.scratch_bytes));
}

/* Zero points of the direction's columns as int32. */
static void read_zeros(const bp_tensor *tensor, size_t first, size_t n, int32_t *to)
{
    const uint8_t *bytes = (const uint8_t *)bp_cpu_data(tensor) + first;

    for (size_t i = 0; i < n; i++)
        to[i] = tensor->dtype == BP_DTYPE_I8 ? (int8_t)bytes[i] : bytes[i];
}

/*
 * Quantises `from` to uint8 by the range of all its rows, then runs the int8 kernel. Zero points
 * are applied by the kernel, scales by finish().
 */
static void multiply(const struct bp_cpu_call *call, void *own, uint32_t direction, bool of_state,
                     const float *from, int64_t rows, float *to)
{
    const struct own *o = own;
    const struct side *s = &o->sides[of_state];
    char *scratch = call->scratch;
    int32_t *zeros = (int32_t *)(void *)(scratch + o->zero_at);
    struct bp_cpu_byte_quant range;
    struct job job = {.side = s, .plan = s->plan, .work = scratch + o->work_at, .to = to};
    struct bp_cpu_quant quant = {.scale = &range.scale, .zero = &range.zero, .high = 255};

    job.plan.m = (size_t)rows;
    if (rows == 0 || s->plan.k == 0)
        return;
    if (job.plan.m < s->plan.m && !bp_cpu_int8_plan(&job.plan))
        return; /* it never is: more rows had a plan */
    bp_cpu_byte_quant_range(from, rows * (int64_t)s->plan.k, &range);
    bp_cpu_quantize(BP_DTYPE_U8, scratch + o->bytes_at, from, (size_t)rows * s->plan.k, &quant);
    bp_cpu_int8_pack_a(&job.plan, scratch + o->bytes_at, scratch + o->a_at);
    read_zeros(call->in[s->zero], direction * (size_t)s->n_zeros, (size_t)s->n_zeros, zeros);
    job.a_scale = range.scale;
    job.scales = (const float *)bp_cpu_data(call->in[s->scale]) + direction * s->n_scales;
    job.operands = (struct bp_cpu_int8_operands){
        .a = scratch + o->a_at,
        .b = (s->packed ? s->packed : (const char *)bp_cpu_data(call->in[s->input])) +
             direction * s->b_step,
        .a_zero = {&range.zero, false},
        .b_zero = {zeros, s->n_zeros > 1},
        .finish = finish,
        .u = &job,
    };
    bp_cpu_parallel(call, job.plan.tasks, run_task, &job);
}

const struct bp_cpu_recurrent_products bp_cpu_recurrent_int8 = {prepare, multiply};
