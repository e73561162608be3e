/* SPDX-License-Identifier: MIT */
/*
 * winograd.c - convolutions of 3 x 3 by F(2x2, 3x3), which multiplies 2.25 times less than the product
 * with columns; and implicit products.
 */

#include "ops/conv.h"

enum { TILES = 16 };

/* As kernels know it: winograd_t of kernels/winograd.cl. */
struct sizes {
    int32_t channels, outputs, rows, columns, height, width, out_height, out_width, top, left,
        images;
};

bool bp_opencl_fits_winograd(const struct bp_opencl_conv *conv)
{
    const struct bp_opencl_window *w = conv->window;
    int64_t tiles = (int64_t)((w->out[1] + 1) / 2) * ((w->out[2] + 1) / 2) * conv->images;
    int64_t widest = conv->channels > conv->outputs ? conv->channels : conv->outputs;

    for (uint32_t d = 1; d < BP_OPENCL_SPATIAL; d++) {
        if (w->kernel[d] != 3 || w->strides[d] != 1 || w->dilations[d] != 1)
            return false;
    }
    return w->kernel[0] == 1 && w->in[0] == 1 && w->out[0] == 1 &&
           tiles <= INT32_MAX / TILES / widest &&
           conv->outputs <= INT32_MAX / TILES / conv->channels;
}

static void define(const struct bp_opencl_conv *c, struct bp_opencl_prefix *prefix)
{
    bp_opencl_define_type(prefix, "T", c->y->dtype);
    if (c->bias)
        bp_opencl_define(prefix, "#define HAS_BIAS");
    if (c->z)
        bp_opencl_define(prefix, "#define HAS_Z");
    bp_opencl_define(prefix, "%s", c->activation);
}

static struct sizes sizes_of(const struct bp_opencl_conv *c)
{
    const struct bp_opencl_window *w = c->window;

    return (struct sizes){.channels = (int32_t)c->channels,
                          .outputs = (int32_t)c->outputs,
                          .rows = (w->out[1] + 1) / 2,
                          .columns = (w->out[2] + 1) / 2,
                          .height = w->in[1],
                          .width = w->in[2],
                          .out_height = w->out[1],
                          .out_width = w->out[2],
                          .top = w->before[1],
                          .left = w->before[2],
                          .images = (int32_t)c->images};
}

/* Those that are constant are transformed once, in memory of the frame. */
static struct bp_opencl_tensor transform_weights(struct bp_opencl_builder *b,
                                                 const struct bp_opencl_conv *c, const char *prefix)
{
    bool is_constant = c->w->place.kind == BP_OPENCL_CONSTANT || c->w->place.kind == BP_OPENCL_KEPT;
    int64_t n = c->outputs * c->channels;
    struct bp_opencl_tensor u = is_constant ? bp_opencl_kept(b, c->y->dtype, TILES * n)
                                            : bp_opencl_scratch(b, c->y->dtype, TILES * n);
    struct sizes sizes = sizes_of(c);

    bp_opencl_begin(b, "winograd", prefix, "transform_weights");
    bp_opencl_operand(b, &u);
    bp_opencl_operand(b, c->w);
    bp_opencl_struct(b, &sizes, sizeof sizes);
    bp_opencl_run(b, n, 1, 1);
    if (is_constant)
        bp_opencl_once(b);
    return u;
}

static void multiply(struct bp_opencl_builder *b, const struct bp_opencl_conv *c,
                     const struct bp_opencl_tensor *m, const struct bp_opencl_tensor *u,
                     const struct bp_opencl_tensor *v, int64_t tiles)
{
    struct bp_opencl_gemm gemm = {.y = m,
                                  .a = u,
                                  .b = v,
                                  .m = c->outputs,
                                  .n = tiles,
                                  .k = c->channels,
                                  .n_batches = TILES,
                                  .am = c->channels,
                                  .ak = 1,
                                  .bk = tiles,
                                  .bn = 1,
                                  .alpha = 1,
                                  .beta = 1};

    gemm.batches = (struct bp_opencl_walk){
        .rank = 1,
        .dims = {TILES},
        .strides = {{(int32_t)(c->outputs * c->channels)}, {(int32_t)(c->channels * tiles)}}};
    bp_opencl_gemm(b, &gemm);
}

void bp_opencl_winograd(struct bp_opencl_builder *b, const struct bp_opencl_conv *conv)
{
    const struct bp_opencl_conv *c = conv;
    struct sizes sizes = sizes_of(c);
    int64_t of_image = (int64_t)sizes.rows * sizes.columns, tiles = of_image * c->images;
    struct bp_opencl_prefix prefix = {.n = 0};
    struct bp_opencl_tensor u, v, m;

    define(c, &prefix);
    u = transform_weights(b, c, prefix.text);
    v = bp_opencl_scratch(b, c->y->dtype, TILES * c->channels * tiles);
    m = bp_opencl_scratch(b, c->y->dtype, TILES * c->outputs * tiles);
    bp_opencl_begin(b, "winograd", prefix.text, "transform_inputs");
    bp_opencl_operand(b, &v);
    bp_opencl_operand(b, c->x);
    bp_opencl_struct(b, &sizes, sizeof sizes);
    bp_opencl_run(b, of_image, c->channels, c->images);
    multiply(b, c, &m, &u, &v, tiles);
    bp_opencl_begin(b, "winograd", prefix.text, "transform_outputs");
    bp_opencl_operand(b, c->y);
    bp_opencl_operand(b, &m);
    if (c->bias)
        bp_opencl_operand(b, c->bias);
    if (c->z)
        bp_opencl_operand(b, c->z);
    bp_opencl_struct(b, &sizes, sizeof sizes);
    bp_opencl_run(b, of_image, c->outputs, c->images);
}

/* ---- implicit products ----------------------------------------------------------------------- */

void bp_opencl_implicit(struct bp_opencl_builder *b, const struct bp_opencl_conv *conv)
{
    const struct bp_opencl_conv *c = conv;
    struct bp_opencl_prefix prefix = {.n = 0};

    define(c, &prefix);
    bp_opencl_begin(b, "implicit", prefix.text, "implicit");
    bp_opencl_operand(b, c->y);
    bp_opencl_operand(b, c->x);
    bp_opencl_operand(b, c->w);
    if (c->bias)
        bp_opencl_operand(b, c->bias);
    if (c->z)
        bp_opencl_operand(b, c->z);
    bp_opencl_struct(b, c->window, sizeof *c->window);
    bp_opencl_int(b, c->channels);
    bp_opencl_int(b, c->outputs);
    bp_opencl_run_groups(b, (c->points + 63) / 64 * 16, (c->outputs + 63) / 64 * 16, c->images, 16,
                         16);
}
