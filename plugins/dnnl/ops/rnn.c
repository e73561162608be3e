/* SPDX-License-Identifier: MIT */
/*
 * rnn.c - LSTM, GRU and RNN (7, 14, 22): how they are built. rnn_claim.c says which are taken,
 * rnn_weights.c brings their constants into oneDNN's order.
 *
 * oneDNN works on memory of (steps, batch, elements) and (directions, batch, elements). Where ONNX
 * has batches first or directions between, values are that memory described by other strides.
 */

#include "ops/rnn_node.h"

#include "base/library.h"
#include "base/operator.h"
#include "build/builder.h"
#include "build/input.h"
#include "build/layout.h"
#include "build/output.h"
#include "build/primitive.h"
#include "build/thread_count.h"
#include "ops/rnn_claim.h"
#include "ops/rnn_weights.h"

/* Batches from which on LSTM reads its matrices faster in blocks that oneDNN chooses. */
enum { BLOCKS_FROM = 4 };

/* ---- values ---------------------------------------------------------------------------------- */

/* A value of those dims on memory with those strides. */
static void describe_value(const struct bp_dnnl_value *value, const dnnl_dim_t *strides,
                           dnnl_memory_desc_t *out)
{
    dnnl_dims_t all = {0};

    memcpy(all, strides, sizeof *all * (size_t)value->rank);
    memset(out, 0, sizeof *out);
    bp_dnnl.memory_desc_init_by_strides(out, value->rank, value->dims, dnnl_f32, all);
}

/* The shape rule knows less of states than oneDNN needs; sizes that differ are BP_E_SHAPE. */
static bp_rc check_dims(const struct bp_dnnl_builder *b, const struct bp_dnnl_rnn *k,
                        uint32_t value, int rank, const dnnl_dim_t *dims, bp_err *err)
{
    const struct bp_dnnl_value *v = &b->values[value];

    if (v->rank == rank && memcmp(v->dims, dims, sizeof *dims * (size_t)rank) == 0)
        return BP_OK;
    return bp_fail(err, BP_E_SHAPE, "%s '%s': the shape of '%s' does not match X and R",
                   k->node->op, k->node->name, BP_VALUE(b->graph, value)->name);
}

/*
 * initial_h, Y_h and their like are (directions, batch, hidden), or (batch, directions, hidden) in
 * layout 1.
 */
static bp_rc describe_state(const struct bp_dnnl_builder *b, const struct bp_dnnl_rnn *k,
                            uint32_t value, dnnl_memory_desc_t *out, bp_err *err)
{
    const dnnl_dim_t n = k->batch, h = k->hidden;
    const dnnl_dim_t dims[2][3] = {{k->directions, n, h}, {n, k->directions, h}};
    const dnnl_dim_t strides[2][3] = {{n * h, h, 1}, {h, n * h, 1}};
    bp_rc rc = check_dims(b, k, value, 3, dims[k->is_batch_first], err);

    if (rc >= 0)
        describe_value(&b->values[value], strides[k->is_batch_first], out);
    return rc;
}

/* X as (steps, batch, input). */
static bp_rc get_x(struct bp_dnnl_builder *b, struct bp_dnnl_rnn *k, bp_err *err)
{
    const dnnl_dim_t n = k->batch, i = k->input;
    const dnnl_dim_t strides[2][3] = {{n * i, i, 1}, {i, n * i, 1}};
    dnnl_memory_desc_t md;
    bp_rc rc;

    describe_value(bp_dnnl_in(b, k->node, BP_DNNL_RNN_X), strides[k->is_batch_first], &md);
    rc = bp_dnnl_tensor_of(b, k->node->in[BP_DNNL_RNN_X], &md, &k->x_tensor, err);
    k->x_tensor.md = k->x;
    return rc;
}

/* A state from which the sequence begins; zeros if it is absent, as LSTM may have one of two. */
static bp_rc get_start(struct bp_dnnl_builder *b, const struct bp_dnnl_rnn *k, uint32_t input,
                       struct bp_dnnl_tensor *out, bp_err *err)
{
    dnnl_memory_desc_t md;
    bp_rc rc;

    if (!bp_dnnl_in(b, k->node, input))
        return bp_dnnl_rnn_zeros(b, k, &k->state, out, err);
    rc = describe_state(b, k, k->node->in[input], &md, err);
    if (rc >= 0)
        rc = bp_dnnl_tensor_of(b, k->node->in[input], &md, out, err);
    out->md = k->state;
    return rc;
}

/* Is output i read? */
static bool wants(const bp_node *node, uint32_t i)
{
    return i < node->n_out && node->out[i] != BP_NONE;
}

/*
 * A state with which it ends; oneDNN makes both of an LSTM or none, so that one that is not read is
 * scratch memory.
 */
static bp_rc make_end(struct bp_dnnl_builder *b, const struct bp_dnnl_rnn *k, uint32_t output,
                      struct bp_dnnl_tensor *out, bp_err *err)
{
    dnnl_memory_desc_t md;
    bp_rc rc;

    if (!wants(k->node, output))
        return bp_dnnl_temporary(b, &k->state, out, err);
    rc = describe_state(b, k, k->node->out[output], &md, err);
    if (rc >= 0)
        rc = bp_dnnl_make_output(b, k->node->out[output], &md, out, err);
    out->md = k->state;
    return rc;
}

/* Y as (steps, batch, directions * hidden), or memory without a reader. */
static bp_rc make_y(struct bp_dnnl_builder *b, struct bp_dnnl_rnn *k, bp_err *err)
{
    const dnnl_dim_t n = k->batch, h = k->hidden, d = k->directions;
    const dnnl_dim_t dims[2][4] = {{k->steps, d, n, h}, {n, k->steps, d, h}};
    const dnnl_dim_t strides[2][4] = {{n * d * h, h, d * h, 1}, {d * h, n * d * h, h, 1}};
    dnnl_memory_desc_t md;
    uint32_t y;
    bp_rc rc;

    if (!wants(k->node, BP_DNNL_RNN_Y))
        return bp_dnnl_temporary(b, &k->y, &k->y_tensor, err);
    y = k->node->out[BP_DNNL_RNN_Y];
    rc = check_dims(b, k, y, 4, dims[k->is_batch_first], err);
    if (rc < 0)
        return rc;
    describe_value(&b->values[y], strides[k->is_batch_first], &md);
    rc = bp_dnnl_make_output(b, y, &md, &k->y_tensor, err);
    k->y_tensor.md = k->y;
    return rc;
}

/* ---- the primitive --------------------------------------------------------------------------- */

/*
 * Of few batches matrices are best read as they come, (input, gate, hidden): a step is bound by
 * memory. More batches are worth blocks, which oneDNN has for LSTM.
 */
static void want_matrix(const struct bp_dnnl_rnn *k, dnnl_dim_t width, dnnl_memory_desc_t *out)
{
    const dnnl_dims_t dims = {1, k->directions, width, k->gates, k->hidden};

    if (k->kind == dnnl_vanilla_lstm && k->batch >= BLOCKS_FROM)
        bp_dnnl_any_layout(5, dims, dnnl_f32, out);
    else
        bp_dnnl_row_major(5, dims, out);
}

/* linear_before_reset has a fourth bias: R's of the hidden gate stays apart. */
static void describe_all(struct bp_dnnl_rnn *k)
{
    const dnnl_dims_t x = {k->steps, k->batch, k->input};
    const dnnl_dims_t y = {k->steps, k->batch, k->directions * k->hidden};
    const dnnl_dims_t state = {1, k->directions, k->batch, k->hidden};
    const dnnl_dims_t bias = {1, k->directions, k->is_linear ? 4 : k->gates, k->hidden};
    const dnnl_dims_t peepholes = {1, k->directions, 3, k->hidden};

    bp_dnnl_row_major(3, x, &k->x);
    bp_dnnl_row_major(3, y, &k->y);
    bp_dnnl_row_major(4, state, &k->state);
    bp_dnnl_row_major(4, bias, &k->bias);
    bp_dnnl_row_major(4, peepholes, &k->peepholes);
    want_matrix(k, k->input, &k->w);
    want_matrix(k, k->hidden, &k->r);
}

/* By kind: oneDNN has one description for each. */
static dnnl_status_t init(const struct bp_dnnl_builder *b, const struct bp_dnnl_rnn *k,
                          dnnl_rnn_desc_t *out)
{
    const dnnl_memory_desc_t *start = k->has_start ? &k->state : NULL;
    const dnnl_memory_desc_t *end = k->has_end ? &k->state : NULL;
    const dnnl_memory_desc_t *peepholes =
        bp_dnnl_in(b, k->node, BP_DNNL_RNN_P) ? &k->peepholes : NULL;
    dnnl_rnn_direction_t direction = bp_dnnl_rnn_direction(b->graph, k->node);

    if (k->kind == dnnl_vanilla_lstm)
        return bp_dnnl.lstm_forward_desc_init_v2(out, dnnl_forward_inference, direction, &k->x,
                                                 start, start, &k->w, &k->r, peepholes, &k->bias,
                                                 &k->y, end, end, 0);
    if (k->kind == dnnl_vanilla_rnn)
        return bp_dnnl.vanilla_rnn_forward_desc_init(out, dnnl_forward_inference, k->activation,
                                                     direction, &k->x, start, &k->w, &k->r,
                                                     &k->bias, &k->y, end, 0, 0, 0);
    return (k->is_linear ? bp_dnnl.lbr_gru_forward_desc_init : bp_dnnl.gru_forward_desc_init)(
        out, dnnl_forward_inference, direction, &k->x, start, &k->w, &k->r, &k->bias, &k->y, end,
        0);
}

/* *out is NULL after a failure, as oneDNN leaves it undefined. */
static bp_rc describe(struct bp_dnnl_builder *b, const struct bp_dnnl_rnn *k,
                      dnnl_primitive_desc_t *out, bp_err *err)
{
    dnnl_rnn_desc_t desc;
    dnnl_status_t status = init(b, k, &desc);

    *out = NULL;
    if (status != dnnl_success)
        return bp_dnnl_fail(err, status, "%s '%s'", k->node->op, k->node->name);
    return bp_dnnl_describe(b, &desc, NULL, out, err);
}

/* Outputs are made after inputs were fetched, so that nothing is overwritten. */
static bp_rc get_values(struct bp_dnnl_builder *b, struct bp_dnnl_rnn *k, bp_err *err)
{
    bool has_c = k->kind == dnnl_vanilla_lstm;
    bp_rc rc = get_x(b, k, err);

    if (rc >= 0 && k->has_start)
        rc = get_start(b, k, BP_DNNL_RNN_INITIAL_H, &k->from_h, err);
    if (rc >= 0 && k->has_start && has_c)
        rc = get_start(b, k, BP_DNNL_RNN_INITIAL_C, &k->from_c, err);
    if (rc >= 0)
        rc = make_y(b, k, err);
    if (rc >= 0 && k->has_end)
        rc = make_end(b, k, BP_DNNL_RNN_Y_H, &k->to_h, err);
    if (rc >= 0 && k->has_end && has_c)
        rc = make_end(b, k, BP_DNNL_RNN_Y_C, &k->to_c, err);
    return rc;
}

/* Only arguments that the primitive was described with. */
static bp_rc emit(struct bp_dnnl_builder *b, const struct bp_dnnl_rnn *k, dnnl_primitive_desc_t pd,
                  bp_err *err)
{
    bool has_c = k->kind == dnnl_vanilla_lstm;
    const struct {
        bool is_used;
        struct bp_dnnl_arg arg;
    } all[] = {
        {true, {DNNL_ARG_SRC_LAYER, &k->x_tensor}},
        {k->has_start, {DNNL_ARG_SRC_ITER, &k->from_h}},
        {k->has_start && has_c, {DNNL_ARG_SRC_ITER_C, &k->from_c}},
        {true, {DNNL_ARG_WEIGHTS_LAYER, &k->w_tensor}},
        {true, {DNNL_ARG_WEIGHTS_ITER, &k->r_tensor}},
        {bp_dnnl_in(b, k->node, BP_DNNL_RNN_P), {DNNL_ARG_WEIGHTS_PEEPHOLE, &k->peephole_tensor}},
        {true, {DNNL_ARG_BIAS, &k->bias_tensor}},
        {true, {DNNL_ARG_DST_LAYER, &k->y_tensor}},
        {k->has_end, {DNNL_ARG_DST_ITER, &k->to_h}},
        {k->has_end && has_c, {DNNL_ARG_DST_ITER_C, &k->to_c}},
    };
    struct bp_dnnl_arg args[sizeof all / sizeof all[0]];
    uint32_t n = 0;

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (all[i].is_used)
            args[n++] = all[i].arg;
    }
    return bp_dnnl_emit(b, pd, n, args, err);
}

/* ---- the node -------------------------------------------------------------------------------- */

/* Sizes by X and R; the claim has checked that all others agree. */
static void read_node(const struct bp_dnnl_builder *b, const struct bp_dnnl_op *op,
                      struct bp_dnnl_rnn *k)
{
    const struct bp_dnnl_value *x = bp_dnnl_in(b, k->node, BP_DNNL_RNN_X);
    const struct bp_dnnl_value *r = bp_dnnl_in(b, k->node, BP_DNNL_RNN_R);

    k->kind = op->kind;
    k->is_linear = k->kind == dnnl_vanilla_gru &&
                   bp_node_int(b->graph, k->node, "linear_before_reset", 0) != 0;
    k->is_batch_first = bp_node_int(b->graph, k->node, "layout", 0) != 0;
    k->activation = bp_dnnl_rnn_activation(b->graph, k->node);
    k->steps = x->dims[k->is_batch_first];
    k->batch = x->dims[!k->is_batch_first];
    k->input = x->dims[2];
    k->hidden = r->dims[2];
    k->directions = r->dims[0];
    k->gates = bp_dnnl_rnn_gates(k->kind);
    k->has_start = bp_dnnl_in(b, k->node, BP_DNNL_RNN_INITIAL_H) ||
                   bp_dnnl_in(b, k->node, BP_DNNL_RNN_INITIAL_C);
    k->has_end = wants(k->node, BP_DNNL_RNN_Y_H) || wants(k->node, BP_DNNL_RNN_Y_C);
    describe_all(k);
}

/* Without steps the last state is the first one; without batches there is none. */
static bp_rc build_empty(struct bp_dnnl_builder *b, const struct bp_dnnl_rnn *k, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; i < k->node->n_out && rc >= 0; i++) {
        struct bp_dnnl_tensor tensor;
        dnnl_memory_desc_t md;
        uint32_t value = k->node->out[i];

        if (!wants(k->node, i))
            continue;
        if (i == BP_DNNL_RNN_Y || k->batch == 0) {
            bp_dnnl_row_major(b->values[value].rank, b->values[value].dims, &md);
            rc = bp_dnnl_make_output(b, value, &md, &tensor, err);
            continue;
        }
        rc = describe_state(b, k, value, &md, err);
        if (rc >= 0)
            rc = get_start(b, k,
                           i == BP_DNNL_RNN_Y_H ? BP_DNNL_RNN_INITIAL_H : BP_DNNL_RNN_INITIAL_C,
                           &tensor, err);
        if (rc >= 0)
            bp_dnnl_view(b, value, &md, tensor.location);
    }
    return rc;
}

/* Constants first, in the layouts that the primitive chose. */
static bp_rc build_full(struct bp_dnnl_builder *b, struct bp_dnnl_rnn *k, bp_err *err)
{
    dnnl_primitive_desc_t pd;
    bp_rc rc = describe(b, k, &pd, err);

    if (rc < 0)
        return rc;
    rc = bp_dnnl_rnn_constants(b, k, pd, err);
    if (rc >= 0)
        rc = get_values(b, k, err);
    if (rc < 0) {
        bp_dnnl.primitive_desc_destroy(pd);
        return rc;
    }
    return emit(b, k, pd, err);
}

/* Is a step done before a team has started, and met again after it? */
static bool is_small(const struct bp_dnnl_rnn *k)
{
    double flops = 2 * (double)k->batch * (double)k->gates * (double)k->hidden * (double)k->hidden;

    return flops < BP_DNNL_WORTH_A_TEAM;
}

/* Primitives of small steps are made and run for one thread, whatever the team has. */
static bp_rc build(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op, const bp_node *node,
                   bp_err *err)
{
    struct bp_dnnl_rnn k = {.node = node};
    bool is_single_thread;
    bp_rc rc;

    read_node(b, op, &k);
    if (k.steps == 0 || k.batch == 0)
        return build_empty(b, &k, err);
    is_single_thread = is_small(&k);
    if (is_single_thread)
        bp_dnnl_use_one_thread(b, true);
    rc = build_full(b, &k, err);
    if (is_single_thread)
        bp_dnnl_use_one_thread(b, false);
    return rc;
}

#define ROW(row, onnx, what, outputs)                                                              \
    const struct bp_dnnl_op bp_dnnl_op_##row = {                                                   \
        .name = onnx,                                                                              \
        .domain = "",                                                                              \
        .since = 7,                                                                                \
        .until = 22,                                                                               \
        .claim = bp_dnnl_rnn_claim,                                                                \
        .build = build,                                                                            \
        .work = BP_DNNL_SEQUENCE,                                                                  \
        .kind = what,                                                                              \
        .n_out = outputs,                                                                          \
    }

ROW(gru, "GRU", dnnl_vanilla_gru, 2);
ROW(lstm, "LSTM", dnnl_vanilla_lstm, 3);
ROW(rnn, "RNN", dnnl_vanilla_rnn, 2);
