/* SPDX-License-Identifier: MIT */
/*
 * embed_layer_normalization.c - EmbedLayerNormalization and QEmbedLayerNormalization of
 * com.microsoft.
 * input_ids [N, S]; the rows of up to three tables (word, position, segment), [rows, H], are
 * gathered by index and added; each sum of H elements is normalised by mean and variance, times
 * gamma plus beta. Y is [N, S, H]; mask_index [N] is the number of ones in each row of the mask.
 * QEmbedLayerNormalization has tables, gamma and beta in 8 bits with scales and zero points.
 */

#include "kernels/cast/widen.h"
#include "kernels/runtime_shape.h"
#include "kernels/tensor_data.h"
#include "normalization/norm_rows.h"

enum { FLOATS, QUANTIZED }; /* variants */
enum { WORD, POSITION, SEGMENT, N_TABLES };

/* The plan of a call. */
struct state {
    struct bp_cpu_norm_rows rows;
    int64_t steps; /* of a sequence */
    bool is_quantized;
};

/* A table of embeddings, float or quantised. */
struct table {
    const bp_tensor *tensor;
    double scale, zero_point;
};

/* Table t; NULL if it is absent. */
static const bp_tensor *table_tensor(const struct bp_cpu_call *call, int t)
{
    return bp_cpu_in(call, 2 + (uint32_t)t);
}

static bool is_vector(const bp_tensor *tensor, int64_t size)
{
    return tensor && tensor->rank == 1 && tensor->dims[0] == size;
}

/* Whether an optional tensor has the shape of input_ids. */
static bool is_ids(const bp_tensor *tensor, const bp_tensor *ids)
{
    return !tensor || (tensor->rank == 2 && tensor->dims[1] == ids->dims[1] &&
                       tensor->dims[0] == ids->dims[0]);
}

/* All shapes must agree with input_ids and the word table. */
static bp_rc check(const struct bp_cpu_call *call, bool is_quantized, bp_err *err)
{
    const bp_tensor *ids = call->in[0], *words = call->in[2];
    const bp_tensor *positions = is_quantized ? NULL : bp_cpu_in(call, 8);
    bool fits = ids->rank == 2 && words->rank == 2 && is_ids(bp_cpu_in(call, 1), ids) &&
                is_ids(bp_cpu_in(call, 7), ids) && is_vector(call->in[5], words->dims[1]) &&
                is_vector(call->in[6], words->dims[1]);

    for (int t = 1; t < N_TABLES && fits; t++) {
        const bp_tensor *table = table_tensor(call, t);

        fits = !table || (table->rank == 2 && table->dims[1] == words->dims[1]);
    }
    if (fits && positions)
        fits = positions->rank == 2 && positions->dims[1] == ids->dims[1] &&
               (positions->dims[0] == 1 || positions->dims[0] == ids->dims[0]);
    if (!fits)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the shapes do not fit together");
    return BP_OK;
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    bool is_quantized = call->node->op->variant == QUANTIZED;
    struct bp_cpu_norm_rows *rows;
    struct state *s;
    bp_rc rc = check(call, is_quantized, err);

    if (rc >= 0)
        rc = bp_cpu_state(call, sizeof *s, err);
    if (rc < 0)
        return rc;
    s = call->state;
    s->is_quantized = is_quantized;
    s->steps = call->in[0]->dims[1];
    rows = &s->rows;
    rows->rows = bp_cpu_count(call->in[0]);
    rows->cols = (size_t)call->in[2]->dims[1];
    rows->simd = bp_cpu_simd(BP_DTYPE_F32);
    rows->epsilon = (double)bp_cpu_float(call->node, "epsilon", 1e-12f);
    rows->slices = bp_cpu_slices(call, bp_cpu_count(call->out[0]), 6);
    if (rows->slices > rows->rows)
        rows->slices = rows->rows > 0 ? (uint32_t)rows->rows : 1;
    /* gamma and beta as floats */
    if (is_quantized)
        call->scratch_bytes = 2 * rows->cols * sizeof(float);
    return BP_OK;
}

/* A scalar of float32 or an 8-bit type; `absent` if the input is not given. */
static double scalar(const struct bp_cpu_call *call, uint32_t i, double absent)
{
    const bp_tensor *tensor = bp_cpu_in(call, i);

    if (!tensor || bp_cpu_count(tensor) < 1)
        return absent;
    switch (tensor->dtype) {
    case BP_DTYPE_U8:
        return *(const uint8_t *)bp_tensor_data(tensor);
    case BP_DTYPE_I8:
        return *(const int8_t *)bp_tensor_data(tensor);
    default:
        return (double)*(const float *)bp_tensor_data(tensor);
    }
}

/* Table t with its scale and zero point; 1 and 0 for floats. */
static struct table read_table(const struct bp_cpu_call *call, int t)
{
    const struct state *s = call->state;
    struct table table = {table_tensor(call, t), 1, 0};

    if (s->is_quantized) {
        table.scale = scalar(call, 8 + (uint32_t)t, 1);
        table.zero_point = scalar(call, 13 + (uint32_t)t, 0);
    }
    return table;
}

/* sum += row of a table, dequantised if need be. */
static void add_row(const struct table *table, int64_t row, size_t n, float *sum)
{
    const void *data = bp_tensor_data(table->tensor);
    size_t at = (size_t)row * n;
    float scale = (float)table->scale, zero_point = (float)table->zero_point;

    if (table->tensor->dtype == BP_DTYPE_U8) {
        for (size_t i = 0; i < n; i++)
            sum[i] += ((float)((const uint8_t *)data)[at + i] - zero_point) * scale;
    } else if (table->tensor->dtype == BP_DTYPE_I8) {
        for (size_t i = 0; i < n; i++)
            sum[i] += ((float)((const int8_t *)data)[at + i] - zero_point) * scale;
    } else {
        for (size_t i = 0; i < n; i++)
            sum[i] += ((const float *)data)[at + i];
    }
}

/* The row of table t for token i: its id, its position, or its segment. */
static int64_t row_of(const struct bp_cpu_call *call, int t, int64_t i)
{
    const struct state *s = call->state;
    struct bp_cpu_list list = bp_cpu_list_input(call, t == WORD ? 0 : t == SEGMENT ? 1 : 8);

    if (t == POSITION && (s->is_quantized || bp_cpu_list_is_absent(&list)))
        return i % s->steps;
    if (t == SEGMENT && bp_cpu_list_is_absent(&list))
        return 0;
    return bp_cpu_list_at(&list, i % list.n);
}

/* Adds a table's rows to all tokens; ids out of range are errors. */
static bp_rc add_table(const struct bp_cpu_call *call, int t, float *sums, bp_err *err)
{
    const struct state *s = call->state;
    struct table table = read_table(call, t);

    if (!table.tensor)
        return BP_OK;
    for (int64_t i = 0; i < s->rows.rows; i++) {
        int64_t row = row_of(call, t, i);

        if (row < 0 || row >= table.tensor->dims[0])
            return bp_cpu_fail(call->node, err, BP_E_INVALID,
                               "%s id %lld of token %lld is outside of its table of %lld",
                               t == WORD      ? "word"
                               : t == SEGMENT ? "segment"
                                              : "position",
                               (long long)row, (long long)i, (long long)table.tensor->dims[0]);
        add_row(&table, row, s->rows.cols, sums + (size_t)i * s->rows.cols);
    }
    return BP_OK;
}

/* mask_index: the number of ones in each row of the mask; 0 without a mask. */
static void count_mask(const struct bp_cpu_call *call)
{
    const struct state *s = call->state;
    const bp_tensor *out = bp_cpu_out(call, 1);
    struct bp_cpu_list mask = bp_cpu_list_input(call, 7);
    int32_t *counts = out ? bp_cpu_data(out) : NULL;

    for (int64_t b = 0; counts && b < bp_cpu_count(out); b++) {
        counts[b] = 0;
        for (int64_t i = 0; i < s->steps && !bp_cpu_list_is_absent(&mask); i++)
            counts[b] += bp_cpu_list_at(&mask, b * s->steps + i) == 1;
    }
}

/* gamma or beta as floats; quantised ones are dequantised to the scratch. */
static const float *vector(const struct bp_cpu_call *call, uint32_t i)
{
    const struct state *s = call->state;
    struct table table = {call->in[i], 0, 0};
    float *to;

    if (!s->is_quantized)
        return bp_cpu_data(call->in[i]);
    to = (float *)call->scratch + (i == 6 ? s->rows.cols : 0);
    table.scale = scalar(call, 6 + i, 1);
    table.zero_point = scalar(call, 11 + i, 0);
    memset(to, 0, s->rows.cols * sizeof *to);
    add_row(&table, 0, s->rows.cols, to);
    return to;
}

/* The sums are built in Y and normalised in place. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    bp_tensor *sums = s->is_quantized ? NULL : bp_cpu_out(call, 2);
    float *y = bp_cpu_data(call->out[0]);
    struct bp_cpu_norm_data data = {.x = y, .y = y};
    bp_rc rc = BP_OK;

    count_mask(call);
    if (bp_cpu_count(call->out[0]) == 0)
        return BP_OK;
    memset(y, 0, (size_t)bp_cpu_count(call->out[0]) * sizeof *y);
    for (int t = 0; t < N_TABLES && rc >= 0; t++)
        rc = add_table(call, t, y, err);
    if (rc < 0)
        return rc;
    data.sum = sums ? bp_cpu_data(sums) : NULL;
    data.gamma = vector(call, 5);
    data.beta = vector(call, 6);
    bp_cpu_norm_rows_run(call, &s->rows, &data);
    return BP_OK;
}

static const struct bp_cpu_wide wide = {prepare, run};

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    (void)op; /* the schema has checked the types */
    bp_accept(query->claims, query->index);
}

#define EMBED(row, name_, variant_)                                                                \
    const struct bp_cpu_op row = {                                                                 \
        .name = name_,                                                                             \
        .domain = "com.microsoft",                                                                 \
        .since = 1,                                                                                \
        .variant = variant_,                                                                       \
        .loops = &wide,                                                                            \
        .claim = claim,                                                                            \
        .prepare = bp_cpu_widen_prepare,                                                           \
        .run = bp_cpu_widen_run,                                                                   \
    }

EMBED(bp_cpu_op_embed_layer_normalization, "EmbedLayerNormalization", FLOATS);
EMBED(bp_cpu_op_q_embed_layer_normalization, "QEmbedLayerNormalization", QUANTIZED);
