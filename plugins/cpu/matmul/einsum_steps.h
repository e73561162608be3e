/* SPDX-License-Identifier: MIT */
/*
 * einsum_steps.h - Tensors whose dimensions have labels, and the list of steps that leads from some
 * of them to another: Einsum's plan. Intermediate values lie in the call's scratch. Planning
 * belongs to one thread.
 */
#ifndef BP_CPU_MATMUL_EINSUM_STEPS_H
#define BP_CPU_MATMUL_EINSUM_STEPS_H

#include <bp/einsum.h>

#include "kernels/strided.h"
#include "kernels/unary.h"
#include "matmul/contract.h"

enum {
    BP_CPU_LABELS = 2 * BP_CPU_MAX_RANK
}; /* labels of a value; the rank that strided copies support */

enum bp_cpu_where { BP_CPU_IN_INPUT, BP_CPU_IN_SCRATCH, BP_CPU_IN_OUTPUT };

/* Where a value lies. */
struct bp_cpu_spot {
    enum bp_cpu_where where;
    uint32_t input;
    size_t at; /* in the scratch */
};

/* A tensor by its labels, each of which occurs once. */
struct bp_cpu_labelled {
    struct bp_cpu_spot spot;
    uint32_t rank;
    uint8_t labels[BP_CPU_LABELS];
    int64_t strides[BP_CPU_LABELS]; /* 0: broadcast */
};

enum bp_cpu_step_kind { BP_CPU_STEP_CAST, BP_CPU_STEP_COPY, BP_CPU_STEP_SUM, BP_CPU_STEP_PRODUCT };

/* One step of a plan: a (and b) to `to`. */
struct bp_cpu_step {
    enum bp_cpu_step_kind kind;
    struct bp_cpu_spot a, b, to;
    struct bp_cpu_map cast;
    struct bp_cpu_strided copy;
    struct bp_cpu_contract contract;
    int64_t rows, n; /* of a sum */
};

/* A plan under construction, then read-only. */
struct bp_cpu_steps {
    struct bp_cpu_call *call;
    uint32_t dtype; /* the type of the computation */
    size_t width;
    int64_t sizes[BP_EINSUM_LABELS];  /* by label */
    bool is_needed[BP_EINSUM_LABELS]; /* by later steps or the result */
    size_t worker_bytes;              /* scratch of products */
    uint32_t n;
    struct bp_cpu_step *steps;
};

/* The largest number of steps that n operands take. */
static inline size_t bp_cpu_steps_most(uint32_t n)
{
    return (size_t)n * 8 + 4;
}

/* Appends a step; the list has capacity for bp_cpu_steps_most() of them. */
struct bp_cpu_step *bp_cpu_steps_add(struct bp_cpu_steps *s, enum bp_cpu_step_kind kind);
/* Reserves scratch for `count` elements. BP_E_NOMEM. */
bp_rc bp_cpu_steps_take(struct bp_cpu_steps *s, int64_t count, struct bp_cpu_spot *out,
                        bp_err *err);
/* The product of the sizes of some labels. BP_E_SHAPE: it is too large. */
bp_rc bp_cpu_steps_count(const struct bp_cpu_steps *s, const uint8_t *labels, uint32_t n,
                         int64_t *out, bp_err *err);

bool bp_cpu_labelled_has(const struct bp_cpu_labelled *value, uint8_t label);
/* Sets the labels, and the strides of a dense tensor. */
void bp_cpu_labelled_set(const struct bp_cpu_steps *s, struct bp_cpu_labelled *value,
                         const uint8_t *labels, uint32_t rank);
/* Whether the elements are contiguous in the order of these labels. */
bool bp_cpu_labelled_is_dense(const struct bp_cpu_steps *s, const struct bp_cpu_labelled *value,
                              const uint8_t *labels, uint32_t rank);
/* Input i with a term's labels: repeated labels take the diagonal, a size of 1 broadcasts. */
bp_rc bp_cpu_labelled_enter(struct bp_cpu_steps *s, uint32_t i, const bp_einsum_term *term,
                            struct bp_cpu_labelled *out, bp_err *err);
/* Copies the value to the order of these labels, to `to` or, if NULL, new scratch. */
bp_rc bp_cpu_labelled_copy(struct bp_cpu_steps *s, struct bp_cpu_labelled *value,
                           const uint8_t *labels, uint32_t rank, const struct bp_cpu_spot *to,
                           bp_err *err);
/* Sums over the labels that neither later steps need nor `other` (may be NULL) has. */
bp_rc bp_cpu_labelled_sum(struct bp_cpu_steps *s, struct bp_cpu_labelled *value,
                          const struct bp_cpu_labelled *other, bp_err *err);
/* The product of two values, summed over the labels of both that are not needed. */
bp_rc bp_cpu_labelled_multiply(struct bp_cpu_steps *s, struct bp_cpu_labelled *a,
                               struct bp_cpu_labelled *b, struct bp_cpu_labelled *out, bp_err *err);

#endif
