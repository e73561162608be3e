/* SPDX-License-Identifier: MIT */
/*
 * head_attention.c - The engine of com.microsoft's attention operators; see head_attention.h.
 * A tile of 64 query rows keeps all its scores in scratch: mask kinds, sinks and the scores' output
 * need whole rows.
 * Two products and a softmax for each tile; tiles of all heads and batches are tasks.
 */

#include "attention/head_attention.h"

#include "kernels/tensor_data.h"
#include "kernels/vector_math.h"

#include <float.h>

enum {
    TILE = 64,              /* query rows of a task */
    GEMM_SCRATCH = 1 << 19, /* at least what a product needs: 320 columns of 256 floats */
};

/* One run, for the threads. */
struct job {
    const struct bp_cpu_heads *heads;
    const struct bp_cpu_simd *simd;
    char *scratch;
    size_t worker_bytes;
};

/* The rows of one task, and its keys. */
struct tile {
    int64_t batch, head, first, rows;
    int64_t cols; /* keys that any of the rows sees */
    float *scores;
    void *gemm_scratch;
};

/* Rows of a tile; fewer if there are fewer queries. */
static int64_t tile_rows(int64_t queries)
{
    return queries < TILE ? queries : TILE;
}

/* A worker's scratch: the product's, then a tile of scores. False: too large. */
static bool worker_bytes(int64_t queries, int64_t keys, size_t *out)
{
    size_t rows = (size_t)tile_rows(queries);

    return !__builtin_mul_overflow(rows * sizeof(float), (size_t)keys, out) &&
           *out < SIZE_MAX / 4 && (*out = *out / 64 * 64 + 64 + GEMM_SCRATCH) > 0;
}

/* One work area for each thread. */
bp_rc bp_cpu_heads_scratch(const struct bp_cpu_call *call, int64_t queries, int64_t keys,
                           size_t *out, bp_err *err)
{
    if (!worker_bytes(queries, keys, out) || __builtin_mul_overflow(*out, call->width, out))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the sequences are too long");
    return BP_OK;
}

/* Keys start..end that query row `s` of a batch sees: causal, and within the window. */
static void visible(const struct bp_cpu_heads *h, int64_t batch, int64_t s, int64_t *start,
                    int64_t *end)
{
    int64_t keys = h->keys[batch], reach = h->past[batch] + s + 1;

    *end = h->is_causal && reach < keys ? reach : keys;
    *start = h->window > 0 && *end > h->window ? *end - h->window : 0;
}

/* A product on this thread; its plan depends on the tile's number of keys. */
static void multiply(const struct job *job, struct bp_cpu_gemm *gemm, const void *a, const void *b,
                     void *c, void *scratch)
{
    const struct bp_cpu_operands operands = {.a = a, .b = b, .c = c};

    gemm->dtype = BP_DTYPE_F32;
    gemm->width = 1;
    gemm->simd = job->simd;
    bp_cpu_gemm_plan(gemm);
    for (uint32_t i = 0; i < gemm->tasks; i++)
        bp_cpu_gemm_task(gemm, &operands, i, scratch);
}

/* Adds `filter` to the scores of keys that the mask hides; columns are keys 0..n of query s. */
static void add_mask(const struct bp_cpu_heads *h, int64_t batch, int64_t s, float *row, int64_t n)
{
    const int32_t *mask = h->mask;
    int64_t first = 0, from = 0, end = n;

    switch (h->mask_kind) {
    case BP_CPU_MASK_NONE:
        return;
    case BP_CPU_MASK_ENDS:
    case BP_CPU_MASK_RANGES:
        end = mask[batch];
        from = h->mask_kind == BP_CPU_MASK_RANGES ? mask[h->batches + batch] : 0;
        for (int64_t i = 0; i < n; i++)
            row[i] += i < from || i >= end ? h->filter : 0;
        return;
    case BP_CPU_MASK_KEYS:
        first = h->keys[batch] - h->mask_cols;
        mask += batch * h->mask_cols;
        break;
    case BP_CPU_MASK_ROWS:
        mask += (batch * h->queries + s) * h->most_keys;
        break;
    default:
        mask += (batch * h->mask_cols + h->past[batch] + s) * h->mask_cols;
        break;
    }
    for (int64_t i = first; i < n; i++)
        row[i] += mask[i - first] > 0 ? 0 : h->filter;
}

/* A sink adds exp(sink) to the sum without a key of its own. */
static void softmax(const struct bp_cpu_heads *h, const struct bp_cpu_simd *simd, int64_t head,
                    float *row, int64_t n)
{
    double max = n > 0 ? simd->max(row, (size_t)n) : -(double)INFINITY, sum;
    bool has_sink = h->sink || h->is_smooth;
    double sink = h->sink ? (double)h->sink[head] : 0;

    if (has_sink && sink > max)
        max = sink;
    if (max <= -(double)FLT_MAX &&
        !(max >= -(double)FLT_MAX)) { /* all keys are masked by -infinity */
        memset(row, 0, (size_t)n * sizeof *row);
        return;
    }
    sum = simd->exp_sum(row, row, (size_t)n, max);
    if (has_sink)
        sum += exp(sink - max);
    simd->scale(row, row, (size_t)n, 1 / sum, 0);
}

/* Writes a row of scores to the output; keys that the row cannot see get hidden_score. */
static void give_scores(const struct bp_cpu_heads *h, const struct tile *t, int64_t s,
                        const float *row, int64_t start, int64_t end)
{
    float *to = h->scores + ((t->batch * h->heads + t->head) * h->queries + s) * h->most_keys;

    for (int64_t i = 0; i < h->most_keys; i++)
        to[i] = i < start || i >= end ? h->hidden_score : row[i];
}

/* From scaled products to softmax weights: softcap, bias, mask, softmax. */
static void finish_row(const struct job *job, const struct tile *t, int64_t i)
{
    const struct bp_cpu_heads *h = job->heads;
    int64_t s = t->first + i, start, end;
    float *row = t->scores + i * t->cols;

    visible(h, t->batch, s, &start, &end);
    if (h->softcap > 0) {
        for (int64_t k = start; k < end; k++)
            row[k] = h->softcap * bp_tanhf(row[k] / h->softcap);
    }
    if (h->bias) {
        const float *bias =
            h->bias + t->batch * h->bias_batch + t->head * h->bias_head + s * h->bias_row;

        for (int64_t k = start; k < end; k++)
            row[k] += bias[k];
    }
    add_mask(h, t->batch, s, row, end);
    if (h->scores && h->scores_kind == BP_CPU_SCORES_BEFORE)
        give_scores(h, t, s, row, start, end);
    softmax(h, job->simd, t->head, row + start, end - start);
    for (int64_t k = 0; k < t->cols; k++) {
        if (k == start)
            k = end;
        if (k < t->cols)
            row[k] = 0;
    }
    if (h->scores && h->scores_kind == BP_CPU_SCORES_AFTER)
        give_scores(h, t, s, row, start, end);
}

/* One tile: scores, softmax of each row, product with V. */
static void run_tile(const struct job *job, struct tile *t)
{
    const struct bp_cpu_heads *h = job->heads;
    const float *q = h->q.data + t->batch * h->q.batch + t->head * h->q.head + t->first * h->q.row;
    const float *k = h->k.data + t->batch * h->k.batch + t->head / h->group * h->k.head;
    const float *v = h->v.data + t->batch * h->v.batch + t->head / h->group * h->v.head;
    float *out =
        h->out.data + t->batch * h->out.batch + t->head * h->out.head + t->first * h->out.row;
    struct bp_cpu_gemm scores = {.m = (size_t)t->rows,
                                 .n = (size_t)t->cols,
                                 .k = (size_t)h->head,
                                 .lda = (size_t)h->q.row,
                                 .ldb = (size_t)h->k.row,
                                 .trans_b = true,
                                 .alpha = (double)h->scale};
    struct bp_cpu_gemm values = {.m = (size_t)t->rows,
                                 .n = (size_t)h->value_head,
                                 .k = (size_t)t->cols,
                                 .ldb = (size_t)h->v.row,
                                 .ldc = (size_t)h->out.row,
                                 .alpha = 1};

    if (t->cols > 0 && h->head > 0)
        multiply(job, &scores, q, k, t->scores, t->gemm_scratch);
    else
        memset(t->scores, 0, (size_t)(t->rows * t->cols) * sizeof *t->scores);
    for (int64_t i = 0; i < t->rows; i++)
        finish_row(job, t, i);
    if (t->cols > 0) {
        multiply(job, &values, t->scores, v, out, t->gemm_scratch);
        return;
    }
    for (int64_t i = 0; i < t->rows; i++)
        memset(out + i * h->out.row, 0, (size_t)h->value_head * sizeof *out);
}

/* Task i is a tile of rows of a head of a batch. */
static void run_task(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct bp_cpu_heads *h = job->heads;
    int64_t pair = i / h->tiles;
    char *scratch = job->scratch + worker * job->worker_bytes;
    struct tile t = {.batch = pair / h->heads, .head = pair % h->heads};
    int64_t start;

    t.first = (int64_t)(i % h->tiles) * h->tile;
    t.rows = h->queries - t.first < h->tile ? h->queries - t.first : h->tile;
    visible(h, t.batch, t.first + t.rows - 1, &start, &t.cols);
    t.gemm_scratch = scratch;
    t.scores = (float *)(void *)(scratch + GEMM_SCRATCH);
    run_tile(job, &t);
}

/* Tiles of all heads and batches are tasks. */
bp_rc bp_cpu_heads_run(struct bp_cpu_call *call, struct bp_cpu_heads *h, void *scratch, bp_err *err)
{
    struct job job = {.heads = h, .simd = bp_cpu_simd(BP_DTYPE_F32), .scratch = scratch};
    int64_t tasks;

    if (h->batches == 0 || h->queries == 0 || h->value_head == 0)
        return BP_OK;
    if (!worker_bytes(h->queries, h->most_keys, &job.worker_bytes))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the sequences are too long");
    h->tile = (uint32_t)tile_rows(h->queries);
    tasks = (h->queries + h->tile - 1) / h->tile;
    h->tiles = (uint32_t)tasks;
    if (__builtin_mul_overflow(tasks, h->batches * h->heads, &tasks) || tasks > UINT32_MAX)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the batch is too large");
    bp_cpu_parallel(call, (uint32_t)tasks, run_task, &job);
    return BP_OK;
}

/* On one thread: new rows are few. */
void bp_cpu_heads_copy(const struct bp_cpu_head_rows *from, const struct bp_cpu_head_rows *to,
                       int64_t batches, int64_t heads, int64_t n, int64_t size, const float *bias)
{
    for (int64_t b = 0; b < batches; b++) {
        for (int64_t h = 0; h < heads; h++) {
            const float *x = from->data + b * from->batch + h * from->head;
            float *y = to->data + b * to->batch + h * to->head;

            for (int64_t i = 0; i < n; i++, x += from->row, y += to->row) {
                memcpy(y, x, (size_t)size * sizeof *y);
                for (int64_t d = 0; d < size && bias; d++)
                    y[d] += bias[h * size + d];
            }
        }
    }
}

/* Broadcast dimensions get stride 0. */
bp_rc bp_cpu_heads_bias(const struct bp_cpu_call *call, const bp_tensor *bias,
                        struct bp_cpu_heads *h, bp_err *err)
{
    if (!bias)
        return BP_OK;
    if (bias->rank != 4 || (bias->dims[0] != 1 && bias->dims[0] != h->batches) ||
        (bias->dims[1] != 1 && bias->dims[1] != h->heads) || bias->dims[2] != h->queries ||
        bias->dims[3] < h->most_keys)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "attention_bias does not fit");
    h->bias = bp_cpu_data(bias);
    h->bias_row = bias->dims[3];
    h->bias_head = bias->dims[1] == 1 ? 0 : h->queries * h->bias_row;
    h->bias_batch = bias->dims[0] == 1 ? 0 : bias->dims[1] * h->queries * h->bias_row;
    return BP_OK;
}

/* com.microsoft has five kinds of masks, told apart by their shapes. */
bp_rc bp_cpu_heads_mask(const struct bp_cpu_call *call, const bp_tensor *mask, int64_t new_keys,
                        struct bp_cpu_heads *h, bp_err *err)
{
    const int64_t *dims = mask ? mask->dims : NULL;
    int64_t batches = h->batches, keys = h->most_keys;

    if (!mask)
        return BP_OK;
    h->mask = bp_cpu_data(mask);
    h->mask_cols = mask->rank > 1 ? dims[mask->rank - 1] : 0;
    /* the lists of lengths that packed kernels take begin with those of the keys */
    if (mask->rank == 1 && (dims[0] == batches || dims[0] == 3 * batches + 2))
        h->mask_kind = BP_CPU_MASK_ENDS;
    else if (mask->rank == 1 && dims[0] == 2 * batches)
        h->mask_kind = BP_CPU_MASK_RANGES;
    else if (mask->rank == 2 && dims[0] == batches && (dims[1] == keys || dims[1] == new_keys))
        h->mask_kind = BP_CPU_MASK_KEYS;
    else if (mask->rank == 3 && dims[0] == batches && dims[1] == h->queries && dims[2] == keys)
        h->mask_kind = BP_CPU_MASK_ROWS;
    else if (mask->rank == 4 && dims[0] == batches && dims[1] == 1 && dims[2] == dims[3] &&
             dims[2] >= keys && dims[2] >= keys - new_keys + h->queries)
        h->mask_kind = BP_CPU_MASK_SQUARE;
    else
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the mask does not fit the sequences");
    return BP_OK;
}
