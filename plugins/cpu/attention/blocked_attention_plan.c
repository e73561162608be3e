/* SPDX-License-Identifier: MIT */
/*
 * blocked_attention_plan.c - Plans the products of all block sizes, and the scratch of a worker.
 * There are eight of each product: past or new keys, full or last block of keys, full or last block
 * of rows.
 */

#include "attention/blocked_attention.h"

enum { ROWS = BP_CPU_ATTENTION_ROWS, KEYS = BP_CPU_ATTENTION_KEYS };

static size_t max_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

/*
 * Reserves rows * cols elements of the worker's scratch, a multiple of 64 bytes. False: too large.
 */
static bool take(struct bp_cpu_attention *p, int64_t rows, int64_t cols, size_t *at)
{
    size_t bytes;

    *at = p->worker_bytes;
    return !__builtin_mul_overflow((size_t)rows, (size_t)cols, &bytes) &&
           !__builtin_mul_overflow(bytes, p->width, &bytes) &&
           !__builtin_add_overflow(p->worker_bytes, bytes / 64 * 64 + 64, &p->worker_bytes);
}

/*
 * Plans both products for full and last blocks of rows and keys, past and new; returns the scratch
 * that the largest needs.
 */
static size_t plan_products(struct bp_cpu_attention *p)
{
    size_t scratch = 0;

    for (uint32_t i = 0; i < 8; i++) {
        uint32_t part = i >> 2, last_keys = i >> 1 & 1, last_rows = i & 1;
        int64_t rows = last_rows ? p->rows % ROWS : ROWS;
        int64_t keys = last_keys ? p->k[part].length % KEYS : KEYS;
        struct bp_cpu_gemm *score = &p->score[part][last_keys][last_rows];
        struct bp_cpu_gemm *value = &p->value[part][last_keys][last_rows];

        *score = (struct bp_cpu_gemm){
            .m = (size_t)rows,
            .n = (size_t)keys,
            .k = (size_t)p->head,
            .ldb = (size_t)p->k[part].step,
            .ldc = KEYS,
            .dtype = p->dtype,
            .trans_b = true,
            .alpha = 1,
            .width = 1,
        };
        *value = (struct bp_cpu_gemm){
            .m = (size_t)rows,
            .n = (size_t)p->v_head,
            .k = (size_t)keys,
            .lda = KEYS,
            .ldb = (size_t)p->v[part].step,
            .dtype = p->dtype,
            .add = true,
            .alpha = 1,
            .width = 1,
        };
        if (rows > 0 && keys > 0 && p->head > 0)
            bp_cpu_gemm_plan(score);
        if (rows > 0 && keys > 0 && p->v_head > 0)
            bp_cpu_gemm_plan(value);
        scratch = max_size(scratch, max_size(score->scratch_bytes, value->scratch_bytes));
    }
    return scratch;
}

/* Conversions of Q, Y, mask and scores are loops chosen here; NULL types are not used. */
bp_rc bp_cpu_attention_plan(const struct bp_cpu_call *call, struct bp_cpu_attention *p, bp_err *err)
{
    size_t q_at, scratch;

    p->simd = bp_cpu_simd(p->dtype);
    p->width = bp_cpu_width(p->dtype);
    p->total = p->k[BP_CPU_PAST].length + p->k[BP_CPU_NEW].length;
    p->rows = p->kv_heads > 0 ? p->q_heads / p->kv_heads * p->q.length : 0;
    p->blocks = p->rows / ROWS + (p->rows % ROWS != 0);
    p->load_q = bp_cpu_cast_loop(p->q_dtype, p->dtype);
    p->store_y = bp_cpu_cast_loop(p->dtype, p->y_dtype);
    p->store_scores = bp_cpu_cast_loop(p->dtype, p->scores_dtype);
    p->load_mask = bp_cpu_cast_loop(p->mask_dtype, p->dtype);
    p->worker_bytes = 0;
    scratch = plan_products(p);
    if (!take(p, ROWS, p->head, &q_at) || !take(p, ROWS, KEYS, &p->scores_at) ||
        !take(p, ROWS, p->v_head, &p->out_at) || !take(p, 1, KEYS, &p->mask_at) ||
        !take(p, 1, (int64_t)(scratch / p->width), &p->gemm_at) ||
        !take(p, p->scores_mode == BP_CPU_SCORES_SOFTMAX && p->wants_scores ? ROWS : 0, p->total,
              &p->kept_at) ||
        p->worker_bytes > SIZE_MAX / 2 / (call->width + 1))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the heads are too large");
    return BP_OK;
}
