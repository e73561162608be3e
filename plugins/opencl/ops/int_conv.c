/* SPDX-License-Identifier: MIT */
/*
 * int_conv.c - ConvInteger and QLinearConv: products of the weights with columns of windows, which are
 * int16, less the zero point of x, so that padding is 0.
 */

#include "ops/quantized.h"
#include "ops/window.h"

static const int64_t most_columns = 64 << 20; /* elements of scratch that columns may take */

/* Where the two have their inputs; NONE: it has no such one. */
enum { NONE = 31 };
static const struct layout {
    uint32_t x, w, x_zero, w_zero, x_scale, w_scale, y_scale, y_zero, bias;
} layouts[] = {
    {0, 1, 2, 3, NONE, NONE, NONE, NONE, NONE}, /* ConvInteger */
    {0, 3, 2, 5, 1, 4, 6, 7, 8},                /* QLinearConv */
};
enum { INTEGER, QLINEAR };

static bool claim(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    const struct layout *at = &layouts[op->kind];
    bool is_linear = op->kind == QLINEAR;
    const bp_value *x, *w, *y = bp_node_out(query->graph, query->node, 0), *y_zero;

    if (!bp_opencl_takes(query, at->x, BP_OPENCL_BYTES, 3, 5) ||
        !bp_opencl_takes(query, at->w, BP_OPENCL_BYTES, 3, 5) ||
        !bp_opencl_takes_optional(query, at->x_zero, BP_OPENCL_BYTES, 0, 1) ||
        !bp_opencl_takes_optional(query, at->w_zero, BP_OPENCL_BYTES, 0, 1) ||
        !bp_opencl_takes_window(query) ||
        !bp_opencl_makes(query, 0, is_linear ? BP_OPENCL_BYTES : BP_OPENCL_I32))
        return false;
    x = bp_node_in(query->graph, query->node, at->x);
    w = bp_node_in(query->graph, query->node, at->w);
    if (w->rank != x->rank)
        return bp_opencl_refuse(query, BP_R_RANK, w->name, "rank %u beside %u", w->rank, x->rank);
    if (bp_node_int(query->graph, query->node, "group", 1) < 1)
        return bp_opencl_refuse(query, BP_R_ATTRIBUTE, "group", "it is below 1");
    if (!is_linear)
        return true;
    y_zero = bp_node_in(query->graph, query->node, at->y_zero);
    if (y_zero && y && y_zero->dtype != y->dtype)
        return bp_opencl_refuse(query, BP_R_DTYPE, y_zero->name, "its type is not the output's");
    return bp_opencl_takes(query, at->x_scale, BP_OPENCL_F32, 0, 1) &&
           bp_opencl_takes(query, at->w_scale, BP_OPENCL_F32, 0, 1) &&
           bp_opencl_takes(query, at->y_scale, BP_OPENCL_F32, 0, 1) &&
           bp_opencl_takes_optional(query, at->y_zero, BP_OPENCL_BYTES, 0, 1) &&
           bp_opencl_takes_optional(query, at->bias, BP_OPENCL_I32, 1, 1);
}

struct conv {
    const struct bp_opencl_tensor *x;
    struct bp_opencl_int_gemm gemm; /* but for what changes from image to image */
    struct bp_opencl_window window;
    int64_t images, channels, outputs, groups, taps, points;
};

static struct bp_opencl_tensor part_of(const struct bp_opencl_tensor *tensor, int64_t first)
{
    struct bp_opencl_tensor part = *tensor;

    part.place.offset += (uint64_t)first * (bp_dtype_width(tensor->dtype) / 8);
    return part;
}

static void build_depthwise(struct bp_opencl_builder *b, struct conv *c)
{
    struct bp_opencl_prefix prefix = {.n = 0};

    c->gemm.b = c->x;
    c->gemm.m = c->outputs;
    bp_opencl_define(&prefix, "#define IS_DEPTHWISE");
    bp_opencl_int_define(&c->gemm, &prefix);
    bp_opencl_begin(b, "int_gemm", prefix.text, "int_depthwise");
    bp_opencl_int_operands(b, &c->gemm);
    bp_opencl_struct(b, &c->window, sizeof c->window);
    bp_opencl_int(b, c->outputs / c->channels);
    bp_opencl_run(b, c->points, c->outputs, c->images);
}

static void fill_columns(struct bp_opencl_builder *b, const struct conv *c,
                         const struct bp_opencl_tensor *columns, int64_t first, int64_t images)
{
    struct bp_opencl_tensor x = part_of(c->x, first * (c->x->count / c->images));
    struct bp_opencl_prefix prefix = {.n = 0};
    /* sizes_t, of which only the step of the zero point is read: 0 */
    const int32_t none[14] = {0};

    bp_opencl_define(&prefix, "#define IS_COLUMNS");
    bp_opencl_define_type(&prefix, "TY", BP_DTYPE_I16);
    bp_opencl_define_type(&prefix, "TA", BP_DTYPE_U8);
    bp_opencl_define_type(&prefix, "TB", c->x->dtype);
    if (c->gemm.b_zero) {
        bp_opencl_define(&prefix, "#define HAS_B_ZERO");
        bp_opencl_define_type(&prefix, "TBZ", c->gemm.b_zero->dtype);
    }
    bp_opencl_begin(b, "int_gemm", prefix.text, "int_columns");
    bp_opencl_operand(b, columns);
    bp_opencl_operand(b, &x);
    if (c->gemm.b_zero)
        bp_opencl_operand(b, c->gemm.b_zero);
    bp_opencl_struct(b, &c->window, sizeof c->window);
    bp_opencl_int(b, c->channels);
    bp_opencl_struct(b, none, sizeof none);
    bp_opencl_run(b, c->points, c->channels * c->taps, images);
}

/* Images by groups are the batch of the product; b_zero: of what is multiplied, or NULL. */
static void multiply(struct bp_opencl_builder *b, const struct conv *c,
                     const struct bp_opencl_tensor *columns, const struct bp_opencl_tensor *b_zero,
                     int64_t first, int64_t images)
{
    struct bp_opencl_int_gemm g = c->gemm;
    struct bp_opencl_tensor y = part_of(g.y, first * c->outputs * c->points);

    g.y = &y;
    g.b = columns;
    g.b_zero = b_zero;
    g.m = c->outputs / c->groups;
    g.n = c->points;
    g.k = c->channels / c->groups * c->taps;
    g.n_batches = images * c->groups;
    g.am = g.k;
    g.ak = g.bn = 1;
    g.bk = g.n;
    g.batches = (struct bp_opencl_walk){
        .rank = 2,
        .dims = {(int32_t)images, (int32_t)c->groups},
        .strides = {{0, (int32_t)(g.m * g.k)},
                    {(int32_t)(c->groups * g.k * g.n), (int32_t)(g.k * g.n)},
                    {0, (int32_t)g.m}}};
    bp_opencl_int_gemm(b, &g);
}

/* A window of one element, which moves by one and leaves nothing out. */
static bool is_plain(const struct bp_opencl_window *w)
{
    for (uint32_t d = 0; d < BP_OPENCL_SPATIAL; d++) {
        if (w->kernel[d] != 1 || w->strides[d] != 1 || w->before[d] != 0 || w->in[d] != w->out[d])
            return false;
    }
    return true;
}

/* As many images at a time as columns have memory for. */
static void build_products(struct bp_opencl_builder *b, const struct conv *c)
{
    int64_t of_image = c->channels * c->taps * c->points, images;
    struct bp_opencl_tensor columns;

    if (is_plain(&c->window)) {
        multiply(b, c, c->x, c->gemm.b_zero, 0, c->images);
        return;
    }
    images = most_columns / of_image;
    images = images < 1 ? 1 : images > c->images ? c->images : images;
    columns = bp_opencl_scratch(b, BP_DTYPE_I16, images * of_image);
    for (int64_t first = 0; first < c->images && b->rc >= 0; first += images) {
        int64_t n = c->images - first < images ? c->images - first : images;

        fill_columns(b, c, &columns, first, n);
        multiply(b, c, &columns, NULL, first, n);
    }
}

static int64_t step_of(struct bp_opencl_builder *b, const struct bp_opencl_tensor *list, int64_t n)
{
    if (list && list->count != 1 && list->count != n)
        bp_opencl_build_fail(b, BP_E_SHAPE, "opencl: '%s' has %lld scales or zero points, not %lld",
                             BP_NODE(b->graph, b->node)->name, (long long)list->count,
                             (long long)n);
    return list && list->count > 1;
}

static const struct bp_opencl_tensor *input(const struct bp_opencl_builder *b, const bp_node *node,
                                            uint32_t i)
{
    return i == NONE ? NULL : bp_opencl_in(b, node, i);
}

/* The weights are the product's A, so that their scales and zero points are those of rows. */
static void build(struct bp_opencl_builder *b, const struct bp_opencl_op *op, const bp_node *node)
{
    const struct layout *at = &layouts[op->kind];
    const struct bp_opencl_tensor *w = input(b, node, at->w);
    struct conv c = {.x = input(b, node, at->x),
                     .groups = bp_node_int(b->graph, node, "group", 1),
                     .gemm = {.y = bp_opencl_out(b, node, 0),
                              .a = w,
                              .a_zero = input(b, node, at->w_zero),
                              .b_zero = input(b, node, at->x_zero),
                              .a_scale = input(b, node, at->w_scale),
                              .b_scale = input(b, node, at->x_scale),
                              .y_scale = input(b, node, at->y_scale),
                              .y_zero = input(b, node, at->y_zero),
                              .bias = input(b, node, at->bias),
                              .cm = 1,
                              .alpha = 1}};

    bp_opencl_make_window(b, node, c.x, c.gemm.y, w->dims + 2, false, &c.window);
    c.images = c.x->dims[0];
    c.channels = c.x->dims[1];
    c.outputs = c.gemm.y->dims[1];
    c.taps = bp_opencl_volume(c.window.kernel);
    c.points = bp_opencl_volume(c.window.out);
    c.gemm.a_zero_step = step_of(b, c.gemm.a_zero, c.outputs);
    c.gemm.a_scale_step = step_of(b, c.gemm.a_scale, c.outputs);
    if (c.groups == c.channels && w->dims[1] == 1)
        build_depthwise(b, &c);
    else
        build_products(b, &c);
}

const struct bp_opencl_op bp_opencl_int_conv_ops[] = {
    {.name = "ConvInteger",
     .since = 10,
     .until = BP_OPENCL_LATEST,
     .claim = claim,
     .build = build,
     .kind = INTEGER},
    {.name = "QLinearConv",
     .since = 10,
     .until = BP_OPENCL_LATEST,
     .claim = claim,
     .build = build,
     .kind = QLINEAR},
    {.name = NULL},
};
