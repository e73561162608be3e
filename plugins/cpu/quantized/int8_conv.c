/* SPDX-License-Identifier: MIT */
/* int8_conv.c - The 8-bit convolution; see int8_conv.h. */

#include "quantized/int8_conv.h"

#include "kernels/tensor_data.h"
#include "quantized/int8_depthwise.h"

/* ---- weights --------------------------------------------------------------------------------- */

/* Packs the weights of all groups; `plan` is that of one. */
static void pack_groups(const struct bp_cpu_int8 *plan, uint32_t groups, const void *w,
                        void *packed)
{
    size_t step = bp_cpu_int8_a_size(plan);

    for (uint32_t g = 0; g < groups; g++)
        bp_cpu_int8_pack_a(plan, (const char *)w + g * plan->m * plan->k,
                           (char *)packed + g * step);
}

/* Constant weights are packed for the int8 kernel once, group by group. */
bp_rc bp_cpu_int8_conv_pack(struct bp_cpu_node *node, struct bp_cpu_int8_conv_inputs inputs,
                            bp_err *err)
{
    const bp_value *w = bp_node_in(node->graph, node->node, inputs.w);
    bp_span bytes = bp_cpu_constant(node, inputs.w);
    int64_t groups = bp_cpu_int(node, "group", 1);
    struct bp_cpu_int8 plan = {.n = 1, .k = 1};
    size_t size;

    /* depthwise: there is no product */
    if (w && w->rank > 2 && w->rank != BP_RANK_UNKNOWN && groups > 1 && w->dims[1].value == 1)
        return BP_OK;
    if (!bytes.data || !w || w->rank < 3 || groups < 1 || groups > w->dims[0].value ||
        w->dims[0].value % groups != 0)
        return BP_OK;
    plan.m = (size_t)(w->dims[0].value / groups);
    for (uint32_t i = 1; i < w->rank; i++)
        plan.k *= (size_t)w->dims[i].value;
    plan.a_signed = w->dtype == BP_DTYPE_I8;
    if (plan.k == 0)
        return BP_OK;
    if (!bp_cpu_int8_plan(&plan) ||
        __builtin_mul_overflow(bp_cpu_int8_a_size(&plan), (size_t)groups, &size))
        return bp_cpu_fail(node, err, BP_E_NOMEM, "the weights are too large");
    node->packed = bp_cpu_node_memory(node, size);
    if (!node->packed)
        return bp_cpu_fail(node, err, BP_E_NOMEM, "no memory for the weights, packed");
    pack_groups(&plan, (uint32_t)groups, bytes.data, node->packed);
    return BP_OK;
}

/* ---- plan ------------------------------------------------------------------------------------ */

bool bp_cpu_int8_conv_claim(const struct bp_cpu_query *query)
{
    return bp_cpu_window_claim(query);
}

/* A 1 x 1 kernel reads X as it is: no windows are gathered. */
static bool is_pointwise(const struct bp_cpu_window *w)
{
    for (int d = 0; d < BP_CPU_SPATIAL; d++) {
        if (w->kernel[d] != 1 || w->stride[d] != 1 || w->pad[d] != 0 || w->in[d] != w->out[d])
            return false;
    }
    return true;
}

/* The shape rule has checked most of this, but not for inputs whose shapes were unknown. */
static bp_rc check_shapes(const struct bp_cpu_call *call, struct bp_cpu_int8_conv_inputs inputs,
                          int64_t groups, bp_err *err)
{
    const bp_tensor *x = call->in[inputs.x], *w = call->in[inputs.w], *y = call->out[0];
    const bp_tensor *x_zero = bp_cpu_in(call, inputs.x_zero);

    if (w->rank != x->rank || y->rank != x->rank || x->rank < 3 || groups < 1 ||
        groups > INT32_MAX || w->dims[0] % groups != 0 || w->dims[1] > INT32_MAX ||
        x->dims[1] != w->dims[1] * groups || y->dims[0] != x->dims[0] || y->dims[1] != w->dims[0])
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "x, w, y and group %lld do not fit together", (long long)groups);
    if (x_zero && bp_cpu_count(x_zero) != 1)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "the zero point of x must have one element");
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

/* The product of one image and group: m is maps, n positions, k channels * kernel. */
static bool plan_product(const struct bp_cpu_call *call, struct bp_cpu_int8_conv *s)
{
    const bp_tensor *w = call->in[s->inputs.w];

    s->maps = (size_t)w->dims[0] / s->groups;
    s->image_bytes = (size_t)w->dims[1] * (size_t)s->window.in_count;
    s->product = (struct bp_cpu_int8){
        .m = s->maps,
        .n = (size_t)s->window.out_count,
        .k = (size_t)w->dims[1] * (size_t)s->window.kernel_count,
        .a_signed = w->dtype == BP_DTYPE_I8,
        .b_signed = call->in[s->inputs.x]->dtype == BP_DTYPE_I8,
        .image = is_pointwise(&s->window) ? NULL : &s->window,
        .width =
            (uint64_t)s->window.batch * s->groups >= 2 * (uint64_t)call->width ? 1 : call->width,
    };
    return bp_cpu_int8_plan(&s->product);
}

/* Weights that are not constant are packed in the scratch at each run. */
bp_rc bp_cpu_int8_conv_make(struct bp_cpu_call *call, struct bp_cpu_int8_conv_inputs inputs,
                            size_t own_bytes, struct bp_cpu_int8_conv *s, bp_err *err)
{
    int64_t groups = bp_cpu_int(call->node, "group", 1);
    const bp_tensor *w = call->in[inputs.w];
    size_t end = 0, worker;
    bp_rc rc = check_shapes(call, inputs, groups, err);

    s->inputs = inputs;
    if (rc >= 0)
        rc = bp_cpu_window_make(call, call->in[inputs.x], call->out[0], w->dims + 2, false,
                                &s->window, err);
    if (rc >= 0)
        rc = bp_cpu_per_axis_make(call, inputs.w_zero, (size_t)w->dims[0], 1, &s->w_zero, err);
    if (rc < 0 || bp_cpu_count(call->out[0]) == 0)
        return rc;
    s->groups = (uint32_t)groups;
    s->is_depthwise = groups > 1 && w->dims[1] == 1;
    if (!plan_product(call, s))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the weights or an image are too large");
    s->packed_w = s->product.k > 0 ? call->node->packed : NULL;
    s->w_step = bp_cpu_int8_a_size(&s->product);
    s->worker_bytes =
        s->is_depthwise ? (size_t)s->window.out[2] * sizeof(int32_t) : s->product.scratch_bytes;
    worker = (s->worker_bytes + 63) / 64 * 64;
    if (!take(s->packed_w || s->is_depthwise ? 0 : s->groups, s->w_step, &end, &s->at_w) ||
        !take(s->w_zero.total, sizeof(int32_t), &end, &s->at_w_zero) ||
        !take(1, own_bytes, &end, &s->own_at) || !take(call->width, worker, &end, &s->at_workers))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the scratch memory is too large");
    call->scratch_bytes = end;
    return BP_OK;
}

/* ---- run ------------------------------------------------------------------------------------- */

/* One run, for the threads. */
struct job {
    const struct bp_cpu_int8_conv *s;
    const char *x, *w;
    const int32_t *w_zero;
    int32_t x_zero;
    char *workers;
    bp_cpu_int8_map map;
    void *u;
};

/* What finish() gets: an image and a group. */
struct part {
    const struct job *job;
    size_t image, group;
};

/* Hands n sums of the product to the operator, with the image and the map they belong to. */
static void finish(void *u, const int32_t *sums, size_t i, size_t j, size_t n)
{
    const struct part *part = u;

    part->job->map(part->job->u, part->image, part->group * part->job->s->maps + i, sums, j, n);
}

/* Task i is a part of the product of image and group i / tasks. */
static void run_task(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct bp_cpu_int8_conv *s = job->s;
    uint32_t g = i / s->product.tasks;
    struct part part = {job, g / s->groups, g % s->groups};
    struct bp_cpu_int8_operands operands = {
        .a = job->w + part.group * s->w_step,
        .b = job->x + g * s->image_bytes,
        .a_zero = {job->w_zero, s->w_zero.total > 1},
        .b_zero = {&job->x_zero, false},
        .finish = finish,
        .u = &part,
    };

    if (operands.a_zero.each)
        operands.a_zero.at += part.group * s->maps;
    bp_cpu_int8_task(&s->product, &operands, i % s->product.tasks,
                     bp_cpu_worker_scratch(job->workers, worker, s->worker_bytes));
}

/* What finish_map() gets: a map of an image. */
struct map_part {
    const struct job *job;
    size_t image, map;
};

static void finish_map(void *u, const int32_t *sums, size_t j, size_t n)
{
    const struct map_part *part = u;

    part->job->map(part->job->u, part->image, part->map, sums, j, n);
}

/* All maps of one channel of one image, without a product. */
static void run_channel(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct bp_cpu_int8_conv *s = job->s;
    struct bp_cpu_int8_map_of map = {
        .window = &s->window,
        .x = (const uint8_t *)job->x + i * s->image_bytes,
        .x_signed = s->product.b_signed,
        .w_signed = s->product.a_signed,
        .x_zero = job->x_zero,
        .row = bp_cpu_worker_scratch(job->workers, worker, s->worker_bytes),
        .finish = finish_map,
    };

    for (size_t m = 0; m < s->maps; m++) {
        struct map_part part = {job, i / s->groups, i % s->groups * s->maps + m};

        map.w = (const uint8_t *)job->w + part.map * s->product.k;
        map.w_zero = job->w_zero[s->w_zero.total > 1 ? part.map : 0];
        map.u = &part;
        bp_cpu_int8_depthwise(&map);
    }
}

/* Depthwise groups run channel by channel, others as products. */
bp_rc bp_cpu_int8_conv_run(struct bp_cpu_call *call, const struct bp_cpu_int8_conv *s,
                           bp_cpu_int8_map map, void *u, bp_err *err)
{
    char *scratch = call->scratch;
    struct job job = {.s = s, .w = s->packed_w, .map = map, .u = u};
    const struct bp_cpu_per_axis one = {1, 1};
    int32_t *w_zero;
    uint64_t tasks;

    if (bp_cpu_count(call->out[0]) == 0)
        return BP_OK;
    tasks = (uint64_t)s->window.batch * s->groups * s->product.tasks;
    if (tasks > UINT32_MAX)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the batch is too large");
    w_zero = (int32_t *)(void *)(scratch + s->at_w_zero);
    job.w_zero = w_zero;
    job.x = bp_cpu_data(call->in[s->inputs.x]);
    job.workers = scratch + s->at_workers;
    bp_cpu_per_axis_zeros(call, s->inputs.w_zero, &s->w_zero, w_zero);
    bp_cpu_per_axis_zeros(call, s->inputs.x_zero, &one, &job.x_zero);
    if (s->is_depthwise) {
        job.w = bp_cpu_data(call->in[s->inputs.w]);
        bp_cpu_parallel(call, (uint32_t)tasks / s->product.tasks, run_channel, &job);
        return BP_OK;
    }
    if (!job.w) {
        pack_groups(&s->product, s->groups, bp_cpu_data(call->in[s->inputs.w]), scratch + s->at_w);
        job.w = scratch + s->at_w;
    }
    bp_cpu_parallel(call, (uint32_t)tasks, run_task, &job);
    return BP_OK;
}
