/* SPDX-License-Identifier: MIT */
/*
 * conv.c - CONV_2D, DEPTHWISE_CONV_2D, GROUPED_CONV_2D. One kernel: an output channel o of group
 * g sees `depth` input channels from g * depth on. 8-bit types are summed as integers, and the sum
 * is scaled once.
 */
#include "ops/conv.h"

#include "ops/window.h"

static bool is_depthwise(const struct nn_call *call)
{
    return call->op->code == ANEURALNETWORKS_DEPTHWISE_CONV_2D;
}

static bool is_grouped(const struct nn_call *call)
{
    return call->op->code == ANEURALNETWORKS_GROUPED_CONV_2D;
}

/* Operands between the strides and the fuse code: a multiplier, or groups. */
static uint32_t extra(const struct nn_call *call)
{
    return is_depthwise(call) || is_grouped(call);
}

/* By the count, and by the type of what is the layout where padding is implicit. */
static bool is_implicit(const struct nn_call *call)
{
    uint32_t at = 7 + extra(call);

    return call->in_count <= at || call->in[at]->type == ANEURALNETWORKS_BOOL;
}

/* Where the fuse code is. */
static uint32_t fuse_at(const struct nn_call *call)
{
    return (is_implicit(call) ? 6 : 9) + extra(call);
}

static bool is_nchw(const struct nn_call *call)
{
    return nn_bool(call, fuse_at(call) + 1);
}

/* ---- checks --------------------------------------------------------------------------------- */

/* Bias and filter of 8-bit types: the bias counts in the product of the scales. */
bool nn_check_bias(struct nn_call *call, uint32_t subject, uint32_t weights, uint32_t bias)
{
    const struct nn_tensor *in = call->in[subject], *w = call->in[weights], *b = call->in[bias];
    double product = (double)in->scale * (double)w->scale, off;

    if (!nn_is_quant8(in->type))
        return true;
    if (b->zero != 0)
        return nn_refuse(call, "the bias has zero point %d", b->zero);
    if (w->type == Q8C) {
        if (b->scale != 0)
            return nn_refuse(call, "the bias of per-channel weights has scale %g, not 0",
                             (double)b->scale);
        return true;
    }
    off = (double)b->scale - product;
    if ((off < 0 ? -off : off) > 1e-6 * (product < (double)b->scale ? product : (double)b->scale))
        return nn_refuse(call, "the bias has scale %g, not %g, the inputs' product",
                         (double)b->scale, product);
    if ((double)call->out[0]->scale <= product)
        nn_needs(call, 3);
    return true;
}

static bool check(struct nn_call *call)
{
    const struct nn_tensor *filter = call->in[1];
    uint32_t at = fuse_at(call) + 1, channel = is_depthwise(call) ? 3 : 0;

    if (filter->ranked && filter->rank != 4)
        return nn_refuse(call, "the filter has rank %u, not 4", filter->rank);
    if (filter->type == Q8C && filter->channel != channel)
        return nn_refuse(call, "the filter's channels are dimension %u, not %u", filter->channel,
                         channel);
    if (!is_grouped(call) && call->in_count == at + 2)
        return nn_refuse(call, "it has one dilation, not two");
    return nn_check_bias(call, 0, 1, 2);
}

/* ---- shape ---------------------------------------------------------------------------------- */

struct plan {
    struct nn_window window;
    struct nn_image in;
    uint32_t channels; /* of the output */
    uint32_t depth;    /* input channels that one of the output sees */
    uint32_t groups;
    int32_t fuse;
};

static int plan_channels(const struct nn_call *call, uint32_t at, struct plan *plan)
{
    const uint32_t *f = call->in[1]->dims;

    if (is_depthwise(call)) {
        int32_t multiplier = nn_int(call, at);

        if (f[0] != 1 || multiplier < 1 || f[3] != (uint64_t)plan->in.c * (uint32_t)multiplier)
            return nn_op_failed(call,
                                "filter [%u, , , %u] and multiplier %d do not go with %u "
                                "channels",
                                f[0], f[3], multiplier, plan->in.c);
        plan->channels = f[3];
        plan->depth = 1;
        plan->groups = plan->in.c;
        return 0;
    }
    plan->channels = f[0];
    plan->depth = f[3];
    plan->groups = is_grouped(call) ? (uint32_t)nn_int(call, at) : 1;
    if (plan->groups < 1 || plan->channels % plan->groups != 0 ||
        (uint64_t)plan->depth * plan->groups != plan->in.c)
        return nn_op_failed(call,
                            "a filter of %u by %u channels in %u groups does not go with %u "
                            "channels",
                            f[0], f[3], plan->groups, plan->in.c);
    return 0;
}

static int make_plan(const struct nn_call *call, struct plan *plan)
{
    const struct nn_tensor *filter = call->in[1], *bias = call->in[2];
    uint32_t at = nn_window_read(call, 3, is_implicit(call), &plan->window), fuse = fuse_at(call);
    int rc;

    plan->in = nn_image_of(call->in[0], is_nchw(call));
    plan->window.kernel_h = filter->dims[1];
    plan->window.kernel_w = filter->dims[2];
    if (!is_grouped(call) && nn_has(call, fuse + 3)) {
        plan->window.dilation_w = nn_int(call, fuse + 2);
        plan->window.dilation_h = nn_int(call, fuse + 3);
    }
    plan->fuse = nn_int(call, fuse);
    if (plan->fuse < 0 || plan->fuse > ANEURALNETWORKS_FUSED_RELU6)
        return nn_op_failed(call, "there is no fuse code %d", plan->fuse);
    rc = plan_channels(call, at, plan);
    if (rc)
        return rc;
    if (bias->rank != 1 || bias->dims[0] != plan->channels)
        return nn_op_failed(call, "the bias is not one value for each of %u channels",
                            plan->channels);
    return nn_window_finish(call, plan->in.h, plan->in.w, &plan->window);
}

static int shape(struct nn_call *call)
{
    struct plan plan;
    int rc = make_plan(call, &plan);

    if (!rc)
        nn_set_image(call->out[0], is_nchw(call), plan.in.n, plan.window.out_h, plan.window.out_w,
                     plan.channels);
    return rc;
}

/* ---- run ------------------------------------------------------------------------------------ */

/* Eight sums at once, which compilers make vectors of. */
static double dot(const double *a, const double *b, size_t n)
{
    double sums[8] = {0}, sum = 0;
    size_t i = 0;

    for (; i + 8 <= n; i += 8)
        for (size_t j = 0; j < 8; j++)
            sums[j] += a[i + j] * b[i + j];
    for (; i < n; i++)
        sum += a[i] * b[i];
    for (size_t j = 0; j < 8; j++)
        sum += sums[j];
    return sum;
}

static double strided_dot(const double *a, size_t step_a, const double *b, size_t step_b, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += a[i * step_a] * b[i * step_b];
    return sum;
}

struct data {
    const double *x, *w;
    size_t w_o, w_h, w_w, w_c; /* steps of the filter */
};

/* One output before its bias: of channel o, with the window's corner at y, x. */
static double sum_window(const struct plan *plan, const struct data *data, size_t image, uint32_t o,
                         int64_t y, int64_t x)
{
    const struct nn_window *win = &plan->window;
    uint32_t first = o / (plan->channels / plan->groups) * plan->depth;
    double sum = 0;

    for (int64_t i = 0; i < win->kernel_h; i++) {
        int64_t row = y + i * win->dilation_h;

        if (row < 0 || row >= plan->in.h)
            continue;
        for (int64_t j = 0; j < win->kernel_w; j++) {
            int64_t column = x + j * win->dilation_w;
            const double *a, *b;

            if (column < 0 || column >= plan->in.w)
                continue;
            a = data->x + image + (size_t)row * plan->in.step_h + (size_t)column * plan->in.step_w +
                first * plan->in.step_c;
            b = data->w + o * data->w_o + (size_t)i * data->w_h + (size_t)j * data->w_w;
            sum += plan->in.step_c == 1 && data->w_c == 1
                       ? dot(a, b, plan->depth)
                       : strided_dot(a, plan->in.step_c, b, data->w_c, plan->depth);
        }
    }
    return sum;
}

/* What one unit of a sum stands for. */
double nn_unit(const struct nn_tensor *in, const struct nn_tensor *weights, uint32_t channel)
{
    if (!nn_is_quant8(in->type))
        return 1;
    return (double)in->scale *
           (double)(weights->type == Q8C ? weights->scales[channel] : weights->scale);
}

static void set_steps(const struct nn_call *call, struct data *data)
{
    const uint32_t *f = call->in[1]->dims;

    data->w_w = f[3];
    data->w_h = (size_t)f[2] * f[3];
    data->w_o = is_depthwise(call) ? 1 : f[1] * data->w_h;
    data->w_c = 1; /* of the depthwise filter there is one only */
}

static int run(struct nn_call *call)
{
    struct plan plan;
    struct data data = {.x = nn_load_raw(call, call->in[0]), .w = nn_load_raw(call, call->in[1])};
    const double *bias = nn_load_raw(call, call->in[2]);
    struct nn_tensor *out = call->out[0];
    struct nn_image to = nn_image_of(out, is_nchw(call));
    int rc = make_plan(call, &plan);

    if (rc)
        return rc;
    if (!data.x || !data.w || !bias)
        return nn_no_memory(call);
    set_steps(call, &data);
    for (uint32_t n = 0; n < to.n; n++)
        for (uint32_t y = 0; y < to.h; y++)
            for (uint32_t x = 0; x < to.w; x++)
                for (uint32_t o = 0; o < to.c; o++) {
                    double sum = bias[o] + sum_window(&plan, &data, n * plan.in.step_n, o,
                                                      y * plan.window.stride_h - plan.window.top,
                                                      x * plan.window.stride_w - plan.window.left);

                    nn_store_at(call, out,
                                n * to.step_n + y * to.step_h + x * to.step_w + o * to.step_c,
                                nn_fuse(plan.fuse, sum * nn_unit(call->in[0], call->in[1], o)));
                }
    return 0;
}

static uint64_t work(const struct nn_call *call)
{
    const uint32_t *f = call->in[1]->dims;
    uint64_t each = (uint64_t)f[1] * f[2] * (is_depthwise(call) ? 1 : f[3]);

    return nn_count_of(call->out[0]) * (each ? each : 1);
}

#define CONV(NAME, LEVEL, ...)                                                                     \
    const struct nn_op nn_op_##NAME = {.code = ANEURALNETWORKS_##NAME,                             \
                                       .level = LEVEL,                                             \
                                       .out = "t",                                                 \
                                       .min_rank = 4,                                              \
                                       .max_rank = 4,                                              \
                                       .check = check,                                             \
                                       .shape = shape,                                             \
                                       .run = run,                                                 \
                                       .work = work,                                               \
                                       __VA_ARGS__}

CONV(CONV_2D, 1, .in = {"twciiii|3bii", "twciiiiiii|3bii"},
     .types = {[F32] = 1, [F16] = 3, [Q8] = 1, [Q8S] = 4});
CONV(DEPTHWISE_CONV_2D, 1, .in = {"twciiiii|3bii", "twciiiiiiii|3bii"},
     .types = {[F32] = 1, [F16] = 3, [Q8] = 1, [Q8S] = 4});
CONV(GROUPED_CONV_2D, 3, .in = {"twciiiiib", "twciiiiiiiib"},
     .types = {[F32] = 3, [F16] = 3, [Q8] = 3, [Q8S] = 4});
