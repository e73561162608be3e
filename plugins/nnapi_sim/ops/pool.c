/* SPDX-License-Identifier: MIT */
/* pool.c - AveragePool, MaxPool, those of com.microsoft's QLinear kind, and the global ones. */

#include "families.h"

static bool has_one(const struct bp_nn_query *query, const char *name, int64_t want, int64_t def,
                    const char *text)
{
    if (bp_node_int(query->graph, query->node, name, def) == want)
        return true;
    return bp_nn_refuse(query, BP_R_ATTRIBUTE, name, "%s", text);
}

static bool takes_dilations(const struct bp_nn_query *query)
{
    uint32_t n;
    const int64_t *dilations = bp_node_ints(query->graph, query->node, "dilations", &n);

    for (uint32_t i = 0; i < n; i++) {
        if (dilations[i] != 1)
            return bp_nn_refuse(query, BP_R_ATTRIBUTE, "dilations",
                                "NNAPI's pools have no dilations");
    }
    return true;
}

/* An average in 8 bits has the scale of what it is of. */
static bool takes_scales(const struct bp_nn_query *query)
{
    struct bp_nn_quant x, y;

    if (!query->unit->in[0].is_quantized ||
        (bp_nn_quant_of(query->facts, &query->unit->in[0], &x) &&
         bp_nn_quant_of(query->facts, &query->unit->out, &y) && x.scale == y.scale &&
         x.zero == y.zero))
        return true;
    return bp_nn_refuse(query, BP_R_OTHER, NULL,
                        "scales and zero points of input and output differ");
}

static bool claim_global(const struct bp_nn_op *op, const struct bp_nn_query *query)
{
    (void)op;
    return bp_nn_needs_rank(query, 0, 4, 4) && takes_scales(query);
}

static bool claim_pool(const struct bp_nn_op *op, const struct bp_nn_query *query)
{
    uint32_t n;

    if (!claim_global(op, query) ||
        !has_one(query, "count_include_pad", 0, 0, "NNAPI's averages leave padding out") ||
        !has_one(query, "storage_order", 0, 0, "NNAPI's pools are row-major") ||
        !has_one(query, "ceil_mode", 0, 0, "NNAPI's pools round sizes down") ||
        !has_one(query, "channels_last", 0, 0, "channels_last is not taken") ||
        !bp_nn_needs_window(query) || !takes_dilations(query))
        return false;
    bp_node_ints(query->graph, query->node, "kernel_shape", &n);
    if (n != 2)
        return bp_nn_refuse(query, BP_R_RANK, "kernel_shape", "kernel_shape has %u sizes, not 2",
                            n);
    for (uint32_t i = 1; i < query->node->n_out; i++) {
        if (query->node->out[i] != BP_NONE)
            return bp_nn_refuse(query, BP_R_OTHER, NULL, "NNAPI's pools give no indices");
    }
    return true;
}

static void lower_window(const struct bp_nn_op *op, struct bp_nn_build *b, struct bp_nn_unit *unit,
                         const struct bp_nn_window *window)
{
    uint32_t in[12], n = 1;

    in[0] = bp_nn_in(b, &unit->in[0], bp_nn_wanted(b));
    n = bp_nn_add_padding(b, window, in, n);
    in[n++] = bp_nn_i32(b, window->kernel[1]);
    in[n++] = bp_nn_i32(b, window->kernel[0]);
    in[n++] = bp_nn_i32(b, bp_nn_take_activation(b, unit));
    if (bp_nn_says_layout(b))
        in[n++] = bp_nn_bool(b, true);
    bp_nn_emit(b, op->code, n, in, bp_nn_out(b, unit, bp_nn_wanted(b)));
}

static void lower_pool(const struct bp_nn_op *op, struct bp_nn_build *b, struct bp_nn_unit *unit)
{
    struct bp_nn_window window;
    uint32_t n;
    const int64_t *kernel = bp_node_ints(b->graph, unit->node, "kernel_shape", &n);

    if (n != 2) {
        bp_nn_give_up(b, "kernel_shape has %u sizes", n);
        return;
    }
    bp_nn_read_window(b->graph, unit, kernel, &window);
    lower_window(op, b, unit, &window);
}

/* The window is the whole image. */
static void lower_global(const struct bp_nn_op *op, struct bp_nn_build *b, struct bp_nn_unit *unit)
{
    struct bp_nn_window window = {.kernel = {(int32_t)bp_nn_dim(b->graph, &unit->in[0], 2),
                                             (int32_t)bp_nn_dim(b->graph, &unit->in[0], 3)},
                                  .stride = {1, 1},
                                  .implicit = ANEURALNETWORKS_PADDING_VALID};

    lower_window(op, b, unit, &window);
}

#define POOL(op, in, qdq, nnapi, condition, how)                                                   \
    {                                                                                              \
        .name = op, .first = 1, .types = in, .level = BP_NN_FL2, .nchw_level = BP_NN_FL3,          \
        .takes_qdq = qdq, .code = ANEURALNETWORKS_##nnapi##_POOL_2D, .claim = condition,           \
        .lower = how                                                                               \
    }

static const struct bp_nn_op rows[] = {
    POOL("AveragePool", BP_NN_F32, true, AVERAGE, claim_pool, lower_pool),
    POOL("MaxPool", BP_NN_F32 | BP_NN_U8, false, MAX, claim_pool, lower_pool),
    POOL("GlobalAveragePool", BP_NN_F32, false, AVERAGE, claim_global, lower_global),
    POOL("GlobalMaxPool", BP_NN_F32, false, MAX, claim_global, lower_global),
    {.name = "QLinearAveragePool",
     .n_needed = 5,
     .domain = "com.microsoft",
     .first = 1,
     .types = BP_NN_U8,
     .level = BP_NN_FL2,
     .nchw_level = BP_NN_FL3,
     .code = ANEURALNETWORKS_AVERAGE_POOL_2D,
     .claim = claim_pool,
     .lower = lower_pool},
};

const struct bp_nn_family bp_nn_pool = BP_NN_FAMILY(rows);
