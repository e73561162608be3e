/* SPDX-License-Identifier: MIT */
/*
 * ml.h - what the operators of ai.onnx.ml share: attributes that are lists, inputs that are rows of
 * features of any number type, labels of classes, and transforms of scores.
 */
#ifndef BP_CPU_ML_ML_H
#define BP_CPU_ML_ML_H

#include "cpu.h"

/* The types that inputs of these operators have. */
#define BP_CPU_ML_NUMBERS                                                                          \
    (UINT64_C(1) << BP_DTYPE_F32 | UINT64_C(1) << BP_DTYPE_F64 | UINT64_C(1) << BP_DTYPE_I64 |     \
     UINT64_C(1) << BP_DTYPE_I32)

/* ---- attributes ------------------------------------------------------------------------------ */

/* Lists; NULL and *count 0 when the attribute is absent or of another type. */
const float *bp_cpu_floats(const struct bp_cpu_node *node, const char *name, uint32_t *count);
const bp_span *bp_cpu_strings(const struct bp_cpu_node *node, const char *name, uint32_t *count);
/* Position of a string attribute (def when absent) among n texts. BP_E_INVALID: it is none. */
bp_rc bp_cpu_choice(const struct bp_cpu_node *node, const char *name, const char *def,
                    const char *const *texts, uint32_t n, uint32_t *out, bp_err *err);
/*
 * A tensor attribute and its number of elements; NULL, 0 when it is absent. BP_E_INVALID: it has
 * fewer bytes than its shape needs, or no element type of whole bytes. Its data may lie anywhere.
 */
bp_rc bp_cpu_tensor_attr(const struct bp_cpu_node *node, const char *name, const bp_const **out,
                         uint32_t *count, bp_err *err);
/* BP_E_INVALID unless a list has `want` elements; `whose` says where that number comes from. */
bp_rc bp_cpu_expect_count(const struct bp_cpu_node *node, const char *name, uint64_t count,
                          uint64_t want, const char *whose, bp_err *err);

/* ---- rows of features ------------------------------------------------------------------------ */

/* Input 0 as a matrix: [N,C] has N rows, [C] is one row. BP_E_SHAPE: another rank. */
bp_rc bp_cpu_rows(const struct bp_cpu_call *call, int64_t *rows, int64_t *cols, bp_err *err);
/* n numbers of any of those types, or float16, as another type. */
void bp_cpu_to_f32(uint32_t dtype, const void *from, float *to, size_t n);
void bp_cpu_to_f64(uint32_t dtype, const void *from, double *to, size_t n);

/* ---- labels ---------------------------------------------------------------------------------- */

/* Names of classes: integers, or strings that live as long as the graph. */
struct bp_cpu_labels {
    const int64_t *ints; /* NULL: strings */
    const bp_span *strings;
    uint32_t n;
};

/* From attribute classlabels_strings, or the one called `ints`. BP_E_INVALID: there are none. */
bp_rc bp_cpu_labels_read(const struct bp_cpu_node *node, const char *ints,
                         struct bp_cpu_labels *out, bp_err *err);
/* Writes label `which` as element `row`; out may be NULL. */
void bp_cpu_put_label(const struct bp_cpu_labels *labels, bp_tensor *out, int64_t row,
                      size_t which);
/* What stands for yes and no where a single score has a single label: 1 and 0. */
void bp_cpu_put_answer(const struct bp_cpu_labels *labels, bp_tensor *out, int64_t row, bool yes);

/* ---- scores ---------------------------------------------------------------------------------- */

/* In the order of TreeEnsemble's numbers. */
enum {
    BP_CPU_RAW_SCORES,
    BP_CPU_SOFTMAX,
    BP_CPU_LOGISTIC,
    BP_CPU_SOFTMAX_ZERO,
    BP_CPU_PROBIT,
    BP_CPU_N_TRANSFORMS
};

/* From attribute post_transform, a string. */
bp_rc bp_cpu_transform_read(const struct bp_cpu_node *node, uint32_t *out, bp_err *err);
/* Transforms each row, in place. */
void bp_cpu_transform_f32(float *scores, size_t rows, size_t cols, uint32_t transform);
void bp_cpu_transform_f64(double *scores, size_t rows, size_t cols, uint32_t transform);
/*
 * The same, but of a single column only PROBIT changes anything: so regressions with one target
 * behave in ONNX Runtime.
 */
static inline void bp_cpu_transform_targets_f32(float *scores, size_t rows, size_t cols,
                                                uint32_t transform)
{
    if (cols > 1 || transform == BP_CPU_PROBIT)
        bp_cpu_transform_f32(scores, rows, cols, transform);
}

static inline void bp_cpu_transform_targets_f64(double *scores, size_t rows, size_t cols,
                                                uint32_t transform)
{
    if (cols > 1 || transform == BP_CPU_PROBIT)
        bp_cpu_transform_f64(scores, rows, cols, transform);
}

#endif
