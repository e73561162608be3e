/* SPDX-License-Identifier: MIT */
/* resize.c - RESIZE_BILINEAR, RESIZE_NEAREST_NEIGHBOR. */
#include <math.h>

#include "ops/op.h"

static bool is_nchw(const struct nn_call *call)
{
    return nn_bool(call, 3);
}

/* Width and height, or factors of them when the operands are floats. */
static int sizes(const struct nn_call *call, uint32_t *w, uint32_t *h)
{
    struct nn_image in = nn_image_of(call->in[0], is_nchw(call));
    bool are_sizes = call->in[1]->type == ANEURALNETWORKS_INT32;
    double wide = are_sizes ? nn_int(call, 1) : floor(nn_real(call, 1) * in.w);
    double high = are_sizes ? nn_int(call, 2) : floor(nn_real(call, 2) * in.h);

    if (!(wide >= 1 && high >= 1 && wide < 1e6 && high < 1e6))
        return nn_op_failed(call, "a width of %g and a height of %g", wide, high);
    *w = (uint32_t)wide;
    *h = (uint32_t)high;
    return 0;
}

static int shape(struct nn_call *call)
{
    struct nn_image in = nn_image_of(call->in[0], is_nchw(call));
    uint32_t w = 0, h = 0;
    int rc = sizes(call, &w, &h);

    if (rc)
        return rc;
    if (nn_bool(call, 4) && nn_bool(call, 5))
        return nn_op_failed(call, "corners are aligned and pixel centers are half");
    nn_set_image(call->out[0], is_nchw(call), in.n, h, w, in.c);
    return 0;
}

/* Where output `i` of `to` lies among `from` inputs. */
static double position(const struct nn_call *call, uint32_t i, uint32_t from, uint32_t to)
{
    bool corners = nn_bool(call, 4) && to > 1;
    double scale = corners ? (double)(from - 1) / (to - 1) : (double)from / to;

    if (nn_bool(call, 5))
        return call->op->code == ANEURALNETWORKS_RESIZE_BILINEAR ? (i + 0.5) * scale - 0.5
                                                                 : (i + 0.5) * scale;
    return i * scale;
}

static size_t nearest(const struct nn_call *call, uint32_t i, uint32_t from, uint32_t to)
{
    double at = position(call, i, from, to);

    at = nn_bool(call, 4) ? round(at) : floor(at);
    return at < 0 ? 0 : at > from - 1 ? from - 1 : (size_t)at;
}

/* Two neighbours, and what the second counts. */
struct blend {
    size_t low, high;
    double share;
};

static struct blend blend(const struct nn_call *call, uint32_t i, uint32_t from, uint32_t to)
{
    double at = position(call, i, from, to), low = floor(at);
    double last = from - 1;

    return (struct blend){.low = (size_t)(low < 0      ? 0
                                          : low > last ? last
                                                       : low),
                          .high = (size_t)(low + 1 < 0      ? 0
                                           : low + 1 > last ? last
                                                            : low + 1),
                          .share = at < 0 ? 0 : at - low};
}

/* The value of the image that begins at x, one channel of it. */
static double interpolated(const double *x, const struct nn_image *in, struct blend y,
                           struct blend w)
{
    double upper = x[y.low * in->step_h + w.low * in->step_w] * (1 - w.share) +
                   x[y.low * in->step_h + w.high * in->step_w] * w.share;
    double lower = x[y.high * in->step_h + w.low * in->step_w] * (1 - w.share) +
                   x[y.high * in->step_h + w.high * in->step_w] * w.share;

    return upper * (1 - y.share) + lower * y.share;
}

static int run(struct nn_call *call)
{
    struct nn_image in = nn_image_of(call->in[0], is_nchw(call));
    struct nn_image to = nn_image_of(call->out[0], is_nchw(call));
    const double *x = nn_load(call, call->in[0]);
    bool linear = call->op->code == ANEURALNETWORKS_RESIZE_BILINEAR;
    size_t planes = (size_t)to.n * to.c;

    if (!x)
        return nn_no_memory(call);
    for (uint32_t i = 0; i < to.h; i++)
        for (uint32_t j = 0; j < to.w; j++)
            for (size_t p = 0; p < planes; p++) {
                const double *at = x + p / to.c * in.step_n + p % to.c * in.step_c;
                double value = linear ? interpolated(at, &in, blend(call, i, in.h, to.h),
                                                     blend(call, j, in.w, to.w))
                                      : at[nearest(call, i, in.h, to.h) * in.step_h +
                                           nearest(call, j, in.w, to.w) * in.step_w];

                nn_store_at(call, call->out[0],
                            p / to.c * to.step_n + i * to.step_h + j * to.step_w +
                                p % to.c * to.step_c,
                            value);
            }
    return 0;
}

static bool check(struct nn_call *call)
{
    if (call->in[1]->type == ANEURALNETWORKS_INT32)
        return true;
    nn_needs(call, 3);
    return true;
}

static uint64_t work(const struct nn_call *call)
{
    return nn_count_of(call->out[0]) * 4;
}

#define RESIZE(NAME, ...)                                                                          \
    const struct nn_op nn_op_##NAME = {.code = ANEURALNETWORKS_##NAME,                             \
                                       .out = "t",                                                 \
                                       .min_rank = 4,                                              \
                                       .max_rank = 4,                                              \
                                       .same_quant = true,                                         \
                                       .check = check,                                             \
                                       .shape = shape,                                             \
                                       .run = run,                                                 \
                                       .work = work,                                               \
                                       __VA_ARGS__}

RESIZE(RESIZE_BILINEAR, .level = 1, .in = {"tii|3b4bb", "tff|3b4bb"},
       .types = {[F32] = 1, [F16] = 3, [Q8] = 3, [Q8S] = 4});
RESIZE(RESIZE_NEAREST_NEIGHBOR, .level = 3, .in = {"tiib|4bb", "tffb|4bb"},
       .types = {[F32] = 3, [F16] = 3, [Q8] = 3, [Q8S] = 4});
