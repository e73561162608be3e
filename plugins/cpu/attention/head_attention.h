/* SPDX-License-Identifier: MIT */
/*
 * head_attention.h - Scaled dot product attention in float32: softmax(scale * Q K' + bias + mask)
 * V, the engine of com.microsoft's attention operators. Tiles of query rows are tasks. Sizes and
 * strides are in elements.
 */
#ifndef BP_CPU_ATTENTION_HEAD_ATTENTION_H
#define BP_CPU_ATTENTION_HEAD_ATTENTION_H

#include "cpu.h"
#include "kernels/gemm/gemm.h"

/* Rows of heads: strides between batches, heads and rows; elements of a row are contiguous. */
struct bp_cpu_head_rows {
    float *data;
    int64_t batch, head, row;
};

/* How `mask` says which keys a query may see; B batches, S queries, T keys. */
enum {
    BP_CPU_MASK_NONE,
    BP_CPU_MASK_ENDS,   /* B ends */
    BP_CPU_MASK_RANGES, /* B ends, then B starts */
    BP_CPU_MASK_KEYS,   /* B x mask_cols, 0 hides a key; they are the last keys */
    BP_CPU_MASK_ROWS,   /* B x S x T */
    BP_CPU_MASK_SQUARE  /* B x 1 x M x M, of which row past + s counts, M is mask_cols */
};

enum { BP_CPU_SCORES_NONE, BP_CPU_SCORES_BEFORE, BP_CPU_SCORES_AFTER };

/* The description of a run; borrowed pointers live as long as the run. */
struct bp_cpu_heads {
    int64_t batches, heads, group; /* `group` heads of Q share one of K and V */
    int64_t queries, head, value_head;
    int64_t most_keys;          /* of any batch */
    const int64_t *keys, *past; /* of each batch; queries follow `past` keys */
    struct bp_cpu_head_rows q, k, v, out;
    float scale, softcap; /* 0: none */
    bool is_causal;
    int64_t window; /* keys that a query sees, itself included; 0: all */
    uint32_t mask_kind;
    const int32_t *mask;
    int64_t mask_cols;
    float filter;      /* is added for a hidden key */
    const float *bias; /* rows of bias_row elements, one for each query; NULL: none */
    int64_t bias_batch, bias_head, bias_row;
    const float *sink; /* one for each head: a further term of the softmax's sum; NULL: none */
    bool is_smooth;    /* with a sink of 0 */
    float *scores;     /* wanted before or after the softmax; rows of most_keys elements */
    uint32_t scores_kind;
    float hidden_score; /* written for keys that a query cannot see */

    uint32_t tile, tiles; /* set by bp_cpu_heads_run() */
};

/* Bytes of scratch that bp_cpu_heads_run() needs. BP_E_NOMEM. */
bp_rc bp_cpu_heads_scratch(const struct bp_cpu_call *call, int64_t queries, int64_t keys,
                           size_t *out, bp_err *err);
/* Runs the attention on the pool's threads. BP_E_NOMEM, BP_E_SHAPE: the sizes are too large. */
bp_rc bp_cpu_heads_run(struct bp_cpu_call *call, struct bp_cpu_heads *heads, void *scratch,
                       bp_err *err);

/*
 * Copies n rows of `size` elements of each head and batch, adding `bias` ([heads][size]; may be
 * NULL).
 */
void bp_cpu_heads_copy(const struct bp_cpu_head_rows *from, const struct bp_cpu_head_rows *to,
                       int64_t batches, int64_t heads, int64_t n, int64_t size, const float *bias);
/* Reads attention_bias, [B or 1, heads or 1, S, T], to the fields. BP_E_SHAPE. */
bp_rc bp_cpu_heads_bias(const struct bp_cpu_call *call, const bp_tensor *bias,
                        struct bp_cpu_heads *heads, bp_err *err);
/*
 * Reads a mask, whose kind follows from its shape; `new_keys` of the keys are not from the past.
 * BP_E_SHAPE.
 */
bp_rc bp_cpu_heads_mask(const struct bp_cpu_call *call, const bp_tensor *mask, int64_t new_keys,
                        struct bp_cpu_heads *heads, bp_err *err);

#endif
