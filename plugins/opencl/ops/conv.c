/* SPDX-License-Identifier: MIT */
/*
 * conv.c - Conv, ConvTranspose and FusedConv. A convolution is a product of its weights with columns
 * of windows; where a window is one element the columns are the data. Where each channel has
 * weights of its own there is a kernel for that.
 */

#include "ops/conv.h"
#include "build/chain.h"
#include "build/tune.h"

static const int64_t most_columns = 64 << 20; /* elements of scratch that columns may take */

/* ---- claims ---------------------------------------------------------------------------------- */

static bool claim(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    const bp_value *w = bp_node_in(query->graph, query->node, 1);
    const bp_value *x = bp_node_in(query->graph, query->node, 0);

    if (!bp_opencl_takes(query, 0, op->types, 3, 5) ||
        !bp_opencl_takes(query, 1, op->types, 3, 5) ||
        !bp_opencl_takes_optional(query, 2, op->types, 1, 1) || !bp_opencl_same_type(query, 1) ||
        !bp_opencl_same_type(query, 2) || !bp_opencl_takes_window(query) ||
        !bp_opencl_takes_activation(query))
        return false;
    if (w->rank != x->rank)
        return bp_opencl_refuse(query, BP_R_RANK, w->name, "rank %u beside %u", w->rank, x->rank);
    return bp_node_int(query->graph, query->node, "group", 1) >= 1 ||
           bp_opencl_refuse(query, BP_R_ATTRIBUTE, "group", "it is below 1");
}

/* Input 3 is added to the result, in its shape. */
static bool claim_fused(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    return claim(op, query) && bp_opencl_takes_optional(query, 3, op->types, 3, 5) &&
           bp_opencl_same_type(query, 3);
}

/* ---- Conv ------------------------------------------------------------------------------------ */

struct conv {
    const struct bp_opencl_tensor *x, *w, *y, *bias, *z;
    struct bp_opencl_window window;
    int64_t images, channels, outputs, groups, taps, points;
    char activation[512];
};

static struct bp_opencl_tensor part_of(const struct bp_opencl_tensor *tensor, int64_t first)
{
    struct bp_opencl_tensor part = *tensor;

    part.place.offset += (uint64_t)first * (bp_dtype_width(tensor->dtype) / 8);
    return part;
}

static void define_type(const struct conv *c, struct bp_opencl_prefix *prefix)
{
    bp_opencl_define_type(prefix, "T", c->y->dtype);
    if (c->y->dtype == BP_DTYPE_F16)
        bp_opencl_define(prefix, "#define T_IS_HALF");
}

static void define(const struct conv *c, struct bp_opencl_prefix *prefix)
{
    define_type(c, prefix);
    if (c->bias)
        bp_opencl_define(prefix, "#define HAS_BIAS");
    if (c->z)
        bp_opencl_define(prefix, "#define HAS_Z");
    bp_opencl_define(prefix, "%s", c->activation);
}

/* Work-items in x: positions, or for processors, with vectors, blocks of 16 in a row. */
static int64_t items_of(const struct bp_opencl_builder *b, const struct conv *c)
{
    const int32_t *out = c->window.out;

    return b->program->instance->is_processor ? (int64_t)out[0] * out[1] * ((out[2] + 15) / 16)
                                              : c->points;
}

static void add_depthwise(struct bp_opencl_builder *b, const void *data,
                          const struct bp_opencl_epilogue *epilogue)
{
    const struct conv *c = data;
    struct bp_opencl_prefix prefix = {.n = 0};

    define(c, &prefix);
    bp_opencl_begin(b, "window", bp_opencl_with_epilogue(b, &prefix, epilogue),
                    b->program->instance->is_processor ? "depthwise_blocks" : "depthwise");
    bp_opencl_operand(b, epilogue ? epilogue->y : c->y);
    bp_opencl_operand(b, c->x);
    bp_opencl_operand(b, c->w);
    if (c->bias)
        bp_opencl_operand(b, c->bias);
    if (c->z)
        bp_opencl_operand(b, c->z);
    for (uint32_t i = 0; epilogue && i < epilogue->n_leaves; i++)
        bp_opencl_operand(b, &epilogue->leaves[i]);
    bp_opencl_struct(b, &c->window, sizeof c->window);
    bp_opencl_int(b, c->outputs);
    bp_opencl_int(b, c->outputs / c->channels);
    bp_opencl_run(b, items_of(b, c), c->outputs, c->images);
}

/* What it points to are values, which stay. */
static void build_depthwise(struct bp_opencl_builder *b, const struct conv *c)
{
    if (!bp_opencl_chain_product(b, c->points, add_depthwise, c, sizeof *c))
        add_depthwise(b, c, NULL);
}

/* columns: those of `images` images from the first one on. */
static void fill_columns(struct bp_opencl_builder *b, const struct conv *c,
                         const struct bp_opencl_tensor *columns, int64_t first, int64_t images)
{
    struct bp_opencl_tensor x = part_of(c->x, first * (c->x->count / c->images));
    struct bp_opencl_prefix prefix = {.n = 0};

    define_type(c, &prefix);
    bp_opencl_define(&prefix, "#define ACT(v) (v)");
    bp_opencl_begin(b, "window", prefix.text,
                    b->program->instance->is_processor ? "column_blocks" : "columns");
    bp_opencl_operand(b, columns);
    bp_opencl_operand(b, &x);
    bp_opencl_struct(b, &c->window, sizeof c->window);
    bp_opencl_int(b, c->channels);
    bp_opencl_run(b, items_of(b, c), c->channels * c->taps, images);
}

/* Images by groups are the batch of the product. */
static void multiply(struct bp_opencl_builder *b, const struct conv *c,
                     const struct bp_opencl_tensor *columns, int64_t first, int64_t images)
{
    int64_t k = c->channels / c->groups * c->taps, m = c->outputs / c->groups;
    struct bp_opencl_tensor y = part_of(c->y, first * c->outputs * c->points);
    struct bp_opencl_tensor z = c->z ? part_of(c->z, first * c->outputs * c->points) : y;
    struct bp_opencl_gemm gemm = {.y = &y,
                                  .a = c->w,
                                  .b = columns,
                                  .bias = c->bias,
                                  .z = c->z ? &z : NULL,
                                  .m = m,
                                  .n = c->points,
                                  .k = k,
                                  .n_batches = images * c->groups,
                                  .am = k,
                                  .ak = 1,
                                  .bk = c->points,
                                  .bn = 1,
                                  .cm = 1,
                                  .alpha = 1,
                                  .beta = 1,
                                  .activation = c->activation};

    gemm.batches = (struct bp_opencl_walk){
        .rank = 2,
        .dims = {(int32_t)images, (int32_t)c->groups},
        .strides = {{0, (int32_t)(m * k)},
                    {(int32_t)(c->groups * k * c->points), (int32_t)(k * c->points)},
                    {0, (int32_t)m}}};
    if (images == c->images)
        bp_opencl_gemm_output(b, &gemm);
    else
        bp_opencl_gemm(b, &gemm);
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
        multiply(b, c, c->x, 0, c->images);
        return;
    }
    images = most_columns / of_image;
    images = images < 1 ? 1 : images > c->images ? c->images : images;
    columns = bp_opencl_scratch(b, c->y->dtype, images * of_image);
    for (int64_t first = 0; first < c->images && b->rc >= 0; first += images) {
        int64_t n = c->images - first < images ? c->images - first : images;

        fill_columns(b, c, &columns, first, n);
        multiply(b, c, &columns, first, n);
    }
}

/* ---- algorithms ------------------------------------------------------------------------------ */

static void add_algorithm(struct bp_opencl_builder *b, const struct conv *c, uint32_t algorithm)
{
    const struct bp_opencl_conv conv = {.x = c->x,
                                        .w = c->w,
                                        .y = c->y,
                                        .bias = c->bias,
                                        .z = c->z,
                                        .window = &c->window,
                                        .images = c->images,
                                        .channels = c->channels,
                                        .outputs = c->outputs,
                                        .taps = c->taps,
                                        .points = c->points,
                                        .activation = c->activation};

    if (algorithm == BP_OPENCL_CONV_WINOGRAD)
        bp_opencl_winograd(b, &conv);
    else if (algorithm == BP_OPENCL_CONV_IMPLICIT)
        bp_opencl_implicit(b, &conv);
    else
        build_products(b, c);
}

/* A candidate of the tuner: the convolution on stand-ins. */
static void add_candidate(struct bp_opencl_builder *b, uint32_t i, const void *data)
{
    struct conv c = *(const struct conv *)data;
    struct bp_opencl_tensor x = bp_opencl_stand_in(b, c.x), y = bp_opencl_stand_in(b, c.y);
    struct bp_opencl_tensor w = bp_opencl_stand_in(b, c.w), bias, z;

    c.x = &x;
    c.w = &w;
    c.y = &y;
    if (c.bias) {
        bias = bp_opencl_stand_in(b, c.bias);
        c.bias = &bias;
    }
    if (c.z) {
        z = bp_opencl_stand_in(b, c.z);
        c.z = &z;
    }
    add_algorithm(b, &c, BP_OPENCL_CONV_COLUMNS + i);
}

/*
 * By kind of device: GPUs gain where windows need no memory, and where there are enough channels for
 * Winograd's products; processors have the columns in their caches, and were faster by Winograd's in all
 * 3 x 3 layers of ResNet-50 that it fits, from 64 channels of 56 x 56 to 512 of 7 x 7.
 */
static uint32_t fixed_algorithm(const struct bp_opencl_builder *b, const struct conv *c,
                                bool fits_winograd)
{
    bool is_processor = b->program->instance->is_processor;
    int64_t least = is_processor ? 64 : 32;

    if (fits_winograd && c->channels >= least && c->outputs >= least && c->points >= 32)
        return BP_OPENCL_CONV_WINOGRAD;
    return is_processor ? BP_OPENCL_CONV_COLUMNS : BP_OPENCL_CONV_IMPLICIT;
}

/* One group, and a window of more than one element: else columns are the data, or there is no choice. */
static uint32_t algorithm_of(struct bp_opencl_builder *b, const struct conv *c)
{
    const bp_instance *instance = b->program->instance;
    const struct bp_opencl_conv conv = {
        .window = &c->window, .images = c->images, .channels = c->channels, .outputs = c->outputs};
    bool fits = bp_opencl_fits_winograd(&conv);
    const int32_t *size = c->window.kernel, *step = c->window.strides, *gap = c->window.dilations;
    char key[180];

    if (c->groups != 1 || is_plain(&c->window))
        return BP_OPENCL_CONV_COLUMNS;
    if (instance->convolutions != BP_OPENCL_CONV_AUTO)
        return instance->convolutions != BP_OPENCL_CONV_WINOGRAD || fits ? instance->convolutions
                                                                         : BP_OPENCL_CONV_COLUMNS;
    snprintf(
        key, sizeof key,
        "1:conv:type%u:%lldx%lldx%d.%d.%d:%lld:size%d.%d.%d:step%d.%d.%d:gap%d.%d.%d:%lld:%d%d",
        c->y->dtype, (long long)c->images, (long long)c->channels, (int)c->window.in[0],
        (int)c->window.in[1], (int)c->window.in[2], (long long)c->outputs, (int)size[0],
        (int)size[1], (int)size[2], (int)step[0], (int)step[1], (int)step[2], (int)gap[0],
        (int)gap[1], (int)gap[2], (long long)c->points, c->bias != NULL, c->z != NULL);
    return BP_OPENCL_CONV_COLUMNS +
           bp_opencl_tune(b, key, fits ? 3 : 2,
                          fixed_algorithm(b, c, fits) - BP_OPENCL_CONV_COLUMNS, add_candidate, c);
}

static void build(struct bp_opencl_builder *b, const struct bp_opencl_op *op, const bp_node *node)
{
    struct conv c = {.x = bp_opencl_in(b, node, 0),
                     .w = bp_opencl_in(b, node, 1),
                     .y = bp_opencl_out(b, node, 0),
                     .bias = bp_opencl_in(b, node, 2),
                     .z = bp_opencl_in(b, node, 3),
                     .groups = bp_node_int(b->graph, node, "group", 1)};

    (void)op;
    bp_opencl_make_window(b, node, c.x, c.y, c.w->dims + 2, false, &c.window);
    c.images = c.x->dims[0];
    c.channels = c.x->dims[1];
    c.outputs = c.y->dims[1];
    c.taps = bp_opencl_volume(c.window.kernel);
    c.points = bp_opencl_volume(c.window.out);
    if (c.z && c.z->count != c.y->count)
        bp_opencl_build_fail(b, BP_E_SHAPE, "opencl: what '%s' adds is of another shape",
                             node->name);
    bp_opencl_activation(b->graph, node, c.activation, sizeof c.activation);
    if (c.groups == c.channels && c.w->dims[1] == 1)
        build_depthwise(b, &c);
    else
        add_algorithm(b, &c, algorithm_of(b, &c));
}

/* ---- ConvTranspose --------------------------------------------------------------------------- */

/* A product makes the columns, of the weights turned over. */
static void multiply_transposed(struct bp_opencl_builder *b, const struct conv *c,
                                const struct bp_opencl_tensor *columns)
{
    int64_t k = c->channels / c->groups, points = bp_opencl_volume(c->window.in);
    int64_t m = c->outputs / c->groups * c->taps;
    struct bp_opencl_gemm gemm = {.y = columns,
                                  .a = c->w,
                                  .b = c->x,
                                  .m = m,
                                  .n = points,
                                  .k = k,
                                  .n_batches = c->images * c->groups,
                                  .am = 1,
                                  .ak = m,
                                  .bk = points,
                                  .bn = 1,
                                  .alpha = 1,
                                  .beta = 1};

    gemm.batches = (struct bp_opencl_walk){
        .rank = 2,
        .dims = {(int32_t)c->images, (int32_t)c->groups},
        .strides = {{0, (int32_t)(k * m)},
                    {(int32_t)(c->groups * k * points), (int32_t)(k * points)}}};
    bp_opencl_gemm(b, &gemm);
}

/* Each output adds up its columns. */
static void build_transposed(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                             const bp_node *node)
{
    struct conv c = {.x = bp_opencl_in(b, node, 0),
                     .w = bp_opencl_in(b, node, 1),
                     .y = bp_opencl_out(b, node, 0),
                     .bias = bp_opencl_in(b, node, 2),
                     .groups = bp_node_int(b->graph, node, "group", 1)};
    struct bp_opencl_prefix prefix = {.n = 0};
    struct bp_opencl_tensor columns;

    (void)op;
    bp_opencl_make_window(b, node, c.y, c.x, c.w->dims + 2, true, &c.window);
    c.images = c.x->dims[0];
    c.channels = c.x->dims[1];
    c.outputs = c.y->dims[1];
    c.taps = bp_opencl_volume(c.window.kernel);
    columns = bp_opencl_scratch(b, c.y->dtype,
                                c.images * c.outputs * c.taps * bp_opencl_volume(c.window.in));
    multiply_transposed(b, &c, &columns);
    bp_opencl_activation(b->graph, node, c.activation, sizeof c.activation);
    define(&c, &prefix);
    bp_opencl_begin(b, "window", prefix.text, "sum_columns");
    bp_opencl_operand(b, c.y);
    bp_opencl_operand(b, &columns);
    if (c.bias)
        bp_opencl_operand(b, c.bias);
    bp_opencl_struct(b, &c.window, sizeof c.window);
    bp_opencl_int(b, c.outputs);
    bp_opencl_run(b, bp_opencl_volume(c.window.out), c.outputs, c.images);
}

#define ROW(onnx, of, claims, builds, product)                                                     \
    {                                                                                              \
        .name = onnx, .domain = of, .since = 1, .until = BP_OPENCL_LATEST, .claim = claims,        \
        .build = builds, .types = BP_OPENCL_FLOATS, .chain = product                               \
    }

const struct bp_opencl_op bp_opencl_conv_ops[] = {
    ROW("Conv", NULL, claim, build, BP_OPENCL_PRODUCT),
    ROW("ConvTranspose", NULL, claim, build_transposed, 0),
    ROW("FusedConv", "com.microsoft", claim_fused, build, BP_OPENCL_PRODUCT),
    {.name = NULL},
};
