/* SPDX-License-Identifier: MIT */
/*
 * blocked_attention.h - softmax(Q K') V in blocks of rows and keys.
 * A task takes a block of rows of all heads of Q that share a head of K. For each block of keys it
 * computes scores, their exponentials against the largest score so far, and adds their product with
 * V to the output, which is scaled down when a larger score comes (online softmax). So no row of
 * scores is ever complete, unless it is wanted as output.
 * The plan is read-only during a run; each thread has scratch of its own.
 */
#ifndef BP_CPU_ATTENTION_BLOCKED_ATTENTION_H
#define BP_CPU_ATTENTION_BLOCKED_ATTENTION_H

#include "kernels/cast/cast.h"
#include "kernels/gemm/gemm.h"

enum {
    BP_CPU_ATTENTION_ROWS = 128, /* of a block */
    BP_CPU_ATTENTION_KEYS = 256  /* of a block; 128 KiB of scores */
};

/* Of left and right: no bound. */
enum { BP_CPU_NO_WINDOW = -1 };

/* What output `scores` holds. */
enum {
    BP_CPU_SCORES_RAW,    /* scale * Q * K' */
    BP_CPU_SCORES_CAPPED, /* after softcap */
    BP_CPU_SCORES_MASKED, /* with the mask added */
    BP_CPU_SCORES_SOFTMAX
};

/* Where vectors lie: strides in elements of [batch][head][position]. */
struct bp_cpu_heads {
    int64_t batch_step, head_step, step;
    int64_t length; /* positions */
};

/* Keys and values of earlier runs, and those of this one. */
enum { BP_CPU_PAST, BP_CPU_NEW };

/*
 * The caller fills the fields down to mask_length, then calls bp_cpu_attention_plan(), which sets
 * the rest.
 */
struct bp_cpu_attention {
    uint32_t dtype; /* of the computation: float32 or float64; K and V must have it */
    uint32_t q_dtype, y_dtype;
    int64_t batch, q_heads, kv_heads, head, v_head; /* head: elements of a vector */
    struct bp_cpu_heads q, y, k[2], v[2];           /* by BP_CPU_PAST, BP_CPU_NEW */
    double scale, softcap;                          /* softcap 0: none */
    bool is_causal;
    int64_t left, right; /* keys before and after its own that a row may see; or BP_CPU_NO_WINDOW */
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

/* Plans the products of all block sizes and the scratch. BP_E_NOMEM: the sizes overflow. */
bp_rc bp_cpu_attention_plan(const struct bp_cpu_call *call, struct bp_cpu_attention *plan,
                            bp_err *err);
/* Runs all tasks on the pool's threads. */
void bp_cpu_attention_run(const struct bp_cpu_call *call, const struct bp_cpu_attention_run *run);

#endif
