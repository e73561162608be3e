/* SPDX-License-Identifier: MIT */
/*
 * blocked_attention.h - softmax(Q * K') * V in blocks of rows and keys. A task takes a block of
 * rows of all heads of Q that share a head of K; for each block of keys it makes scores, their
 * powers against the largest score so far, and adds their product with V to what is there, scaled
 * to the new largest. So no row of scores is ever whole, unless it is wanted.
 */
#ifndef BP_CPU_ATTENTION_BLOCKED_ATTENTION_H
#define BP_CPU_ATTENTION_BLOCKED_ATTENTION_H

#include "kernels/cast/cast.h"
#include "kernels/gemm/gemm.h"

enum {
    BP_CPU_ATTENTION_ROWS = 128, /* of a block */
    BP_CPU_ATTENTION_KEYS = 256  /* of a block; 128 KiB of scores */
};

/* What output `scores` holds. */
enum {
    BP_CPU_SCORES_RAW,    /* scale * Q * K' */
    BP_CPU_SCORES_CAPPED, /* after softcap */
    BP_CPU_SCORES_MASKED, /* with the mask added */
    BP_CPU_SCORES_SOFTMAX
};

/* Where vectors lie: element 0 of (batch, head, position), steps in elements. */
struct bp_cpu_heads {
    int64_t batch_step, head_step, step;
    int64_t length; /* positions */
};

/* Keys and values of earlier runs, and those of this one. */
enum { BP_CPU_PAST, BP_CPU_NEW };

/* Fill in down to `mask`, then call bp_cpu_attention_plan(); the rest is its own. */
struct bp_cpu_attention {
    uint32_t dtype; /* computed in: float32 or float64; K and V must have it */
    uint32_t q_dtype, y_dtype;
    int64_t batch, q_heads, kv_heads, head, v_head; /* head: elements of a vector */
    struct bp_cpu_heads q, y, k[2], v[2];           /* by BP_CPU_PAST, BP_CPU_NEW */
    double scale, softcap;                          /* softcap 0: none */
    bool is_causal;
    bool wants_scores;
    uint32_t scores_mode, scores_dtype;
    /* of the mask, broadcast to (batch, heads, rows): steps in elements; its last dimension */
    bool has_mask;
    uint32_t mask_dtype;
    int64_t mask_steps[3], mask_length;

    int64_t total, rows, blocks; /* keys; rows and their blocks, of all heads that share a key */
    size_t width, worker_bytes;
    size_t scores_at, out_at, mask_at, gemm_at, kept_at; /* in a worker's scratch; Q comes first */
    const struct bp_cpu_simd *simd;
    bp_cpu_unary_loop load_q, store_y, load_mask, store_scores;
    struct bp_cpu_gemm score[2][2][2], value[2][2][2]; /* [past, new][last keys][last rows] */
};

/* The data of one run. */
struct bp_cpu_attention_run {
    const struct bp_cpu_attention *plan;
    const void *q, *k[2], *v[2], *mask;
    const int64_t *lengths; /* valid keys of each batch; NULL: all */
    void *y, *scores;
    char *scratch; /* width * worker_bytes */
};

/* BP_E_NOMEM: the sizes do not fit. */
bp_rc bp_cpu_attention_plan(const struct bp_cpu_call *call, struct bp_cpu_attention *plan,
                            bp_err *err);
/* All tasks on the host's pool. */
void bp_cpu_attention_run(const struct bp_cpu_call *call, const struct bp_cpu_attention_run *run);

#endif
