/* SPDX-License-Identifier: MIT */
/*
 * ml.h - What the operators of ai.onnx.ml share: list attributes, inputs that are rows of features
 * of any numeric type, labels of classes, and post_transform.
 * Pointers to attributes live as long as the graph. All functions may run on several threads at
 * once if their outputs differ.
 */
#ifndef BP_CPU_ML_ML_H
#define BP_CPU_ML_ML_H

#include "cpu.h"

/* The element types of the numeric inputs of ai.onnx.ml: float32, float64, int64, int32. */
#define BP_CPU_ML_NUMERIC                                                                          \
    (UINT64_C(1) << BP_DTYPE_F32 | UINT64_C(1) << BP_DTYPE_F64 | UINT64_C(1) << BP_DTYPE_I64 |     \
     UINT64_C(1) << BP_DTYPE_I32)

/* ---- attributes ------------------------------------------------------------------------------ */

/*
 * List attributes, borrowed from the graph; NULL and *count 0 if the attribute is absent or of
 * another type.
 */
const float *bp_cpu_floats(const struct bp_cpu_node *node, const char *name, uint32_t *count);
const bp_span *bp_cpu_strings(const struct bp_cpu_node *node, const char *name, uint32_t *count);
/*
 * *out is the index of a string attribute's value (`def` if absent) among n texts. BP_E_INVALID: it
 * is none of them.
 */
bp_rc bp_cpu_choice(const struct bp_cpu_node *node, const char *name, const char *def,
                    const char *const *texts, uint32_t n, uint32_t *out, bp_err *err);
/*
 * A tensor attribute and its number of elements; NULL and 0 if it is absent. The data may be
 * unaligned. BP_E_INVALID: it has fewer bytes than its shape needs, or elements smaller than a
 * byte.
 */
bp_rc bp_cpu_tensor_attr(const struct bp_cpu_node *node, const char *name, const bp_const **out,
                         uint32_t *count, bp_err *err);
/*
 * Checks that a list has `want` elements; `whose` says in the message where that number comes from.
 * BP_E_INVALID.
 */
bp_rc bp_cpu_expect_count(const struct bp_cpu_node *node, const char *name, uint64_t count,
                          uint64_t want, const char *whose, bp_err *err);

/* ---- rows of features ------------------------------------------------------------------------ */

/* Input 0 as a matrix: [N, C] has N rows, [C] is one row. BP_E_SHAPE: it has another rank. */
bp_rc bp_cpu_rows(const struct bp_cpu_call *call, int64_t *rows, int64_t *cols, bp_err *err);
/* Converts n elements of a numeric type or float16. */
void bp_cpu_to_f32(uint32_t dtype, const void *from, float *to, size_t n);
void bp_cpu_to_f64(uint32_t dtype, const void *from, double *to, size_t n);

/* ---- labels ---------------------------------------------------------------------------------- */

/* Class labels: int64, or strings that live as long as the graph. */
struct bp_cpu_labels {
    const int64_t *ints; /* NULL: strings */
    const bp_span *strings;
    uint32_t n;
};

/* From attribute classlabels_strings, or the one called `ints`. BP_E_INVALID: there are none. */
bp_rc bp_cpu_labels_read(const struct bp_cpu_node *node, const char *ints,
                         struct bp_cpu_labels *out, bp_err *err);
/* Writes label `which` to element `row` of out, which may be NULL: an unused output. */
void bp_cpu_put_label(const struct bp_cpu_labels *labels, bp_tensor *out, int64_t row,
                      size_t which);
/* Writes 1 for yes, 0 for no (as int64 or string) where one score decides about one label. */
void bp_cpu_put_binary_label(const struct bp_cpu_labels *labels, bp_tensor *out, int64_t row,
                             bool yes);

/* ---- scores ---------------------------------------------------------------------------------- */

/* Values of post_transform, in the order of TreeEnsemble-5's integers. */
enum {
    BP_CPU_RAW_SCORES,
    BP_CPU_SOFTMAX,
    BP_CPU_LOGISTIC,
    BP_CPU_SOFTMAX_ZERO,
    BP_CPU_PROBIT,
    BP_CPU_N_TRANSFORMS
};

/* Reads attribute post_transform, a string. BP_E_INVALID: it is none of ONNX's names. */
bp_rc bp_cpu_transform_read(const struct bp_cpu_node *node, uint32_t *out, bp_err *err);
/* Applies post_transform to each row of [rows][cols], in place. */
void bp_cpu_transform_f32(float *scores, size_t rows, size_t cols, uint32_t transform);
void bp_cpu_transform_f64(double *scores, size_t rows, size_t cols, uint32_t transform);
/* As above for a regression: a single column changes with PROBIT only, as in ONNX Runtime. */
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
