/* SPDX-License-Identifier: MIT */
/* space.c - DEPTH_TO_SPACE, SPACE_TO_DEPTH, BATCH_TO_SPACE_ND, SPACE_TO_BATCH_ND, CHANNEL_SHUFFLE. */
#include "ops/move.h"

static size_t place(const struct nn_image *image, size_t n, size_t h, size_t w, size_t c)
{
    return n * image->step_n + h * image->step_h + w * image->step_w + c * image->step_c;
}

/* ---- between depth and space ---------------------------------------------------------------- */

static bool to_space(const struct nn_call *call)
{
    return call->op->code == ANEURALNETWORKS_DEPTH_TO_SPACE;
}

static int shape_depth(struct nn_call *call)
{
    bool nchw = nn_bool(call, 2);
    struct nn_image in = nn_image_of(call->in[0], nchw);
    int64_t block = nn_int(call, 1), square = block * block;
    uint32_t b = (uint32_t)block;

    if (block < 1 || (to_space(call) ? in.c % square != 0 : in.h % block || in.w % block))
        return nn_op_failed(call, "a block of %d does not divide %u by %u of %u channels",
                            (int)block, in.h, in.w, in.c);
    if (to_space(call))
        nn_set_image(call->out[0], nchw, in.n, in.h * b, in.w * b, in.c / b / b);
    else
        nn_set_image(call->out[0], nchw, in.n, in.h / b, in.w / b, in.c * b * b);
    return 0;
}

static int run_depth(struct nn_call *call)
{
    bool nchw = nn_bool(call, 2), spread = to_space(call);
    struct nn_image in = nn_image_of(call->in[0], nchw), to = nn_image_of(call->out[0], nchw);
    struct nn_image wide = spread ? to : in, deep = spread ? in : to;
    size_t b = (size_t)nn_int(call, 1);

    for (size_t n = 0; n < wide.n; n++)
        for (size_t h = 0; h < wide.h; h++)
            for (size_t w = 0; w < wide.w; w++)
                for (size_t c = 0; c < wide.c; c++) {
                    size_t p = place(&wide, n, h, w, c);
                    size_t q = place(&deep, n, h / b, w / b, (h % b * b + w % b) * wide.c + c);

                    nn_move(call->out[0], spread ? p : q, call->in[0], spread ? q : p);
                }
    return 0;
}

#define DEPTH(NAME)                                                                                \
    const struct nn_op nn_op_##NAME = {.code = ANEURALNETWORKS_##NAME,                             \
                                       .level = 1,                                                 \
                                       .in = {"ti|3b"},                                            \
                                       .out = "t",                                                 \
                                       .types = {[F32] = 1, [F16] = 3, [Q8] = 1, [Q8S] = 4},       \
                                       .min_rank = 4,                                              \
                                       .max_rank = 4,                                              \
                                       .same_quant = true,                                         \
                                       .shape = shape_depth,                                       \
                                       .run = run_depth}

DEPTH(DEPTH_TO_SPACE);
DEPTH(SPACE_TO_DEPTH);

/* ---- between batches and space -------------------------------------------------------------- */

/* Blocks of height and width, and paddings of SPACE_TO_BATCH_ND: top, bottom, left, right. */
struct blocks {
    int32_t h, w, pads[4];
};

static int read_blocks(struct nn_call *call, struct blocks *blocks)
{
    const struct nn_tensor *list = call->in[1];
    const int32_t *block = nn_load_ints(call, list), *pads = NULL;

    memset(blocks, 0, sizeof *blocks);
    if (!block)
        return nn_no_memory(call);
    if (nn_count_of(list) != 2 || block[0] < 1 || block[1] < 1)
        return nn_op_failed(call, "the blocks are not two sizes of 1 or more");
    blocks->h = block[0];
    blocks->w = block[1];
    if (call->op->code == ANEURALNETWORKS_BATCH_TO_SPACE_ND)
        return 0;
    if (nn_count_of(call->in[2]) != 4)
        return nn_op_failed(call, "the paddings are not [2, 2]");
    pads = nn_load_ints(call, call->in[2]);
    if (!pads)
        return nn_no_memory(call);
    for (int i = 0; i < 4; i++) {
        if (pads[i] < 0)
            return nn_op_failed(call, "a padding is negative");
        blocks->pads[i] = pads[i];
    }
    return 0;
}

static bool is_batch_nchw(const struct nn_call *call)
{
    return nn_bool(call, call->op->code == ANEURALNETWORKS_BATCH_TO_SPACE_ND ? 2 : 3);
}

static int shape_batch(struct nn_call *call)
{
    bool nchw = is_batch_nchw(call);
    struct nn_image in = nn_image_of(call->in[0], nchw);
    struct blocks b;
    uint32_t h, w, square;
    int rc = read_blocks(call, &b);

    if (rc)
        return rc;
    square = (uint32_t)b.h * (uint32_t)b.w;
    if (call->op->code == ANEURALNETWORKS_BATCH_TO_SPACE_ND) {
        if (in.n % square != 0)
            return nn_op_failed(call, "%u batches are not divided by %u", in.n, square);
        nn_set_image(call->out[0], nchw, in.n / square, in.h * (uint32_t)b.h, in.w * (uint32_t)b.w,
                     in.c);
        return 0;
    }
    h = in.h + (uint32_t)b.pads[0] + (uint32_t)b.pads[1];
    w = in.w + (uint32_t)b.pads[2] + (uint32_t)b.pads[3];
    if (h % (uint32_t)b.h != 0 || w % (uint32_t)b.w != 0)
        return nn_op_failed(call, "%u by %u are not divided by blocks of %d by %d", h, w, b.h, b.w);
    nn_set_image(call->out[0], nchw, in.n * square, h / (uint32_t)b.h, w / (uint32_t)b.w, in.c);
    return 0;
}

static int run_batch(struct nn_call *call)
{
    bool nchw = is_batch_nchw(call), spread = call->op->code == ANEURALNETWORKS_BATCH_TO_SPACE_ND;
    struct nn_image in = nn_image_of(call->in[0], nchw), to = nn_image_of(call->out[0], nchw);
    struct nn_image wide = spread ? to : in, many = spread ? in : to;
    struct blocks b;
    int rc = read_blocks(call, &b);
    size_t elements = nn_count_of(call->out[0]);

    if (rc)
        return rc;
    for (size_t i = 0; i < elements && !spread; i++)
        nn_store_at(call, call->out[0], i, 0);
    for (size_t n = 0; n < wide.n; n++)
        for (size_t h = 0; h < wide.h; h++)
            for (size_t w = 0; w < wide.w; w++)
                for (size_t c = 0; c < wide.c; c++) {
                    size_t y = h + (size_t)b.pads[0], x = w + (size_t)b.pads[2];
                    size_t bh = (size_t)b.h, bw = (size_t)b.w;
                    size_t p = place(&wide, n, h, w, c);
                    size_t q = place(&many, (y % bh * bw + x % bw) * wide.n + n, y / bh, x / bw, c);

                    nn_move(call->out[0], spread ? p : q, call->in[0], spread ? q : p);
                }
    return 0;
}

const struct nn_op nn_op_BATCH_TO_SPACE_ND = {
    .code = ANEURALNETWORKS_BATCH_TO_SPACE_ND,
    .level = 2,
    .in = {"tI|3b"},
    .out = "t",
    .types = {[F32] = 2, [F16] = 3, [Q8] = 2, [Q8S] = 4},
    .min_rank = 4,
    .max_rank = 4,
    .same_quant = true,
    .shape = shape_batch,
    .run = run_batch,
};

const struct nn_op nn_op_SPACE_TO_BATCH_ND = {
    .code = ANEURALNETWORKS_SPACE_TO_BATCH_ND,
    .level = 2,
    .in = {"tII|3b"},
    .out = "t",
    .types = {[F32] = 2, [F16] = 3, [Q8] = 2, [Q8S] = 4},
    .min_rank = 4,
    .max_rank = 4,
    .same_quant = true,
    .shape = shape_batch,
    .run = run_batch,
};

/* ---- CHANNEL_SHUFFLE ------------------------------------------------------------------------ */

static int shape_shuffle(struct nn_call *call)
{
    uint32_t axis;

    if (!nn_axis(call, nn_int(call, 2), call->in[0]->rank, &axis) || nn_int(call, 1) < 1 ||
        call->in[0]->dims[axis] % (uint32_t)nn_int(call, 1) != 0)
        return nn_op_failed(call, "axis %d is not divided into %d groups", nn_int(call, 2),
                            nn_int(call, 1));
    return nn_shape_same(call);
}

static int run_shuffle(struct nn_call *call)
{
    size_t before, n, after, groups = (size_t)nn_int(call, 1);
    uint32_t axis;

    nn_axis(call, nn_int(call, 2), call->in[0]->rank, &axis);
    nn_split_at(call->in[0], axis, &before, &n, &after);
    for (size_t i = 0; i < before; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; k < after; k++) {
                size_t from = j % groups * (n / groups) + j / groups;

                nn_move(call->out[0], (i * n + j) * after + k, call->in[0],
                        (i * n + from) * after + k);
            }
    return 0;
}

const struct nn_op nn_op_CHANNEL_SHUFFLE = {
    .code = ANEURALNETWORKS_CHANNEL_SHUFFLE,
    .level = 3,
    .in = {"tii"},
    .out = "t",
    .types = {[F32] = 3, [F16] = 3, [Q8] = 3, [Q8S] = 4},
    .max_rank = 4,
    .same_quant = true,
    .shape = shape_shuffle,
    .run = run_shuffle,
};
