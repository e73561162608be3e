/* SPDX-License-Identifier: MIT */
/* pool.c - AVERAGE_POOL_2D, MAX_POOL_2D, L2_POOL_2D. Padding is never counted. */
#include <math.h>

#include "ops/window.h"

static bool is_implicit(const struct nn_call *call)
{
    return call->in_count <= 7 || call->in[7]->type == ANEURALNETWORKS_BOOL;
}

static bool is_nchw(const struct nn_call *call)
{
    return nn_bool(call, is_implicit(call) ? 7 : 10);
}

static int make_window(const struct nn_call *call, struct nn_window *window)
{
    struct nn_image in = nn_image_of(call->in[0], is_nchw(call));
    uint32_t at = nn_window_read(call, 1, is_implicit(call), window);
    int32_t fuse = nn_int(call, at + 2);
    int rc;

    window->kernel_w = nn_int(call, at);
    window->kernel_h = nn_int(call, at + 1);
    if (fuse < 0 || fuse > ANEURALNETWORKS_FUSED_RELU6)
        return nn_op_failed(call, "there is no fuse code %d", fuse);
    rc = nn_window_finish(call, in.h, in.w, window);
    if (rc)
        return rc;
    if (window->top >= window->kernel_h || window->bottom >= window->kernel_h ||
        window->left >= window->kernel_w || window->right >= window->kernel_w)
        return nn_op_failed(call, "a padding is as large as the kernel");
    return 0;
}

static int shape(struct nn_call *call)
{
    bool nchw = is_nchw(call);
    struct nn_image in = nn_image_of(call->in[0], nchw);
    struct nn_window window;
    int rc = make_window(call, &window);

    if (!rc)
        nn_set_image(call->out[0], nchw, in.n, window.out_h, window.out_w, in.c);
    return rc;
}

/* A window's elements; they begin at an image's channel. */
static double pooled(int32_t code, const double *x, const struct nn_image *in,
                     const struct nn_window *window, int64_t top, int64_t left)
{
    double most = -HUGE_VAL, sum = 0;
    size_t n = 0;

    for (int64_t y = top < 0 ? 0 : top; y < top + window->kernel_h && y < in->h; y++)
        for (int64_t c = left < 0 ? 0 : left; c < left + window->kernel_w && c < in->w; c++) {
            double value = x[(size_t)y * in->step_h + (size_t)c * in->step_w];

            if (value > most || value != value)
                most = value;
            sum += code == ANEURALNETWORKS_L2_POOL_2D ? value * value : value;
            n++;
        }
    if (code == ANEURALNETWORKS_MAX_POOL_2D)
        return most;
    sum /= (double)n;
    return code == ANEURALNETWORKS_L2_POOL_2D ? sqrt(sum) : sum;
}

static int run(struct nn_call *call)
{
    struct nn_image in = nn_image_of(call->in[0], is_nchw(call));
    struct nn_image to = nn_image_of(call->out[0], is_nchw(call));
    const double *x = nn_load(call, call->in[0]);
    struct nn_window w;
    int32_t fuse = nn_int(call, is_implicit(call) ? 6 : 9);
    int rc = make_window(call, &w);

    if (rc)
        return rc;
    if (!x)
        return nn_no_memory(call);
    for (uint32_t n = 0; n < to.n; n++)
        for (uint32_t i = 0; i < to.h; i++)
            for (uint32_t j = 0; j < to.w; j++)
                for (uint32_t c = 0; c < to.c; c++)
                    nn_store_at(
                        call, call->out[0],
                        n * to.step_n + i * to.step_h + j * to.step_w + c * to.step_c,
                        nn_fuse(fuse, pooled(call->op->code, x + n * in.step_n + c * in.step_c, &in,
                                             &w, i * w.stride_h - w.top, j * w.stride_w - w.left)));
    return 0;
}

static uint64_t work(const struct nn_call *call)
{
    uint32_t at = is_implicit(call) ? 4 : 7;
    int64_t n = (int64_t)nn_int(call, at) * nn_int(call, at + 1);

    return nn_count_of(call->out[0]) * (uint64_t)(n > 0 ? n : 1);
}

#define POOL(NAME, ...)                                                                            \
    const struct nn_op nn_op_##NAME = {.code = ANEURALNETWORKS_##NAME,                             \
                                       .level = 1,                                                 \
                                       .in = {"tiiiiii|3b", "tiiiiiiiii|3b"},                      \
                                       .out = "t",                                                 \
                                       .min_rank = 4,                                              \
                                       .max_rank = 4,                                              \
                                       .same_quant = true,                                         \
                                       .shape = shape,                                             \
                                       .run = run,                                                 \
                                       .work = work,                                               \
                                       __VA_ARGS__}

POOL(AVERAGE_POOL_2D, .types = {[F32] = 1, [F16] = 3, [Q8] = 1, [Q8S] = 4});
POOL(MAX_POOL_2D, .types = {[F32] = 1, [F16] = 3, [Q8] = 1, [Q8S] = 4});
POOL(L2_POOL_2D, .types = {[F32] = 1, [F16] = 3});
