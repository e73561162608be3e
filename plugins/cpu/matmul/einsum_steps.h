/* SPDX-License-Identifier: MIT */
/*
 * einsum_steps.h - tensors whose dimensions have labels, and the list of steps that leads from some
 * of them to another: how Einsum is planned. Values on the way lie in the call's scratch.
 */
#ifndef BP_CPU_MATMUL_EINSUM_STEPS_H
#define BP_CPU_MATMUL_EINSUM_STEPS_H

#include <bp/einsum.h>

#include "kernels/strided.h"
#include "kernels/unary.h"
#include "matmul/contract.h"

enum { BP_CPU_LABELS = 2 * BP_CPU_MAX_RANK }; /* of a value, as strided copies have it */

enum bp_cpu_where { BP_CPU_IN_INPUT, BP_CPU_IN_SCRATCH, BP_CPU_IN_OUTPUT };

struct bp_cpu_spot {
    enum bp_cpu_where where;
    uint32_t input;
    size_t at; /* in the scratch */
};

/* A tensor by its labels, each of which it has once. */
struct bp_cpu_labelled {
    struct bp_cpu_spot spot;
    uint32_t rank;
    uint8_t labels[BP_CPU_LABELS];
    int64_t strides[BP_CPU_LABELS]; /* 0: it is repeated */
};

enum bp_cpu_step_kind { BP_CPU_STEP_CAST, BP_CPU_STEP_COPY, BP_CPU_STEP_SUM, BP_CPU_STEP_PRODUCT };

struct bp_cpu_step {
    enum bp_cpu_step_kind kind;
    struct bp_cpu_spot a, b, to;
    struct bp_cpu_map cast;
    struct bp_cpu_strided copy;
    struct bp_cpu_contract contract;
    int64_t rows, n; /* of a sum */
};

struct bp_cpu_steps {
    struct bp_cpu_call *call;
    uint32_t dtype; /* that is computed in */
    size_t width;
    int64_t sizes[BP_EINSUM_LABELS];  /* by label */
    bool is_needed[BP_EINSUM_LABELS]; /* by later steps or the result */
    size_t worker_bytes;              /* scratch of products */
    uint32_t n;
    struct bp_cpu_step *steps;
};

/* Most steps that n operands take. */
static inline size_t bp_cpu_steps_most(uint32_t n)
{
    return (size_t)n * 8 + 4;
}

struct bp_cpu_step *bp_cpu_steps_add(struct bp_cpu_steps *s, enum bp_cpu_step_kind kind);
/* Scratch for so many elements. */
bp_rc bp_cpu_steps_take(struct bp_cpu_steps *s, int64_t count, struct bp_cpu_spot *out,
                        bp_err *err);
/* The product of sizes of some labels. BP_E_SHAPE: it is too large. */
bp_rc bp_cpu_steps_count(const struct bp_cpu_steps *s, const uint8_t *labels, uint32_t n,
                         int64_t *out, bp_err *err);

bool bp_cpu_labelled_has(const struct bp_cpu_labelled *value, uint8_t label);
/* Makes the strides those of a dense tensor with these labels. */
void bp_cpu_labelled_set(const struct bp_cpu_steps *s, struct bp_cpu_labelled *value,
                         const uint8_t *labels, uint32_t rank);
/* Do the elements lie side by side in the order of these `rank` labels? */
bool bp_cpu_labelled_is_dense(const struct bp_cpu_steps *s, const struct bp_cpu_labelled *value,
                              const uint8_t *labels, uint32_t rank);
/* Input i with a term's labels: equal ones are a diagonal, and a size of 1 is repeated. */
bp_rc bp_cpu_labelled_enter(struct bp_cpu_steps *s, uint32_t i, const bp_einsum_term *term,
                            struct bp_cpu_labelled *out, bp_err *err);
/* Copies the value into the order of these labels, to a spot or (NULL) new scratch. */
bp_rc bp_cpu_labelled_copy(struct bp_cpu_steps *s, struct bp_cpu_labelled *value,
                           const uint8_t *labels, uint32_t rank, const struct bp_cpu_spot *to,
                           bp_err *err);
/* Sums up what neither later steps need nor `other` (may be NULL) has. */
bp_rc bp_cpu_labelled_sum(struct bp_cpu_steps *s, struct bp_cpu_labelled *value,
                          const struct bp_cpu_labelled *other, bp_err *err);
/* The product of two values, less what is not needed. */
bp_rc bp_cpu_labelled_multiply(struct bp_cpu_steps *s, struct bp_cpu_labelled *a,
                               struct bp_cpu_labelled *b, struct bp_cpu_labelled *out, bp_err *err);

#endif
