/* SPDX-License-Identifier: MIT */
/*
 * feature.h - The driver of element-wise operators of ai.onnx.ml (Binarizer, Imputer, Normalizer,
 * Scaler): rows along the last dimension, sliced for the threads, with one loop for each type.
 */
#ifndef BP_CPU_ML_FEATURE_H
#define BP_CPU_ML_FEATURE_H

#include "kernels/tensor_data.h"
#include "kernels/types/loops.h"
#include "ml/ml.h"

/*
 * Computes `rows` rows of `cols` elements, contiguous in x and y. `model` is node->packed. Several
 * threads call it at once, for different rows.
 */
typedef void (*bp_cpu_feature_loop)(const void *model, const void *x, void *y, size_t rows,
                                    size_t cols);

/* What op->loops points to. */
struct bp_cpu_feature_loops {
    bp_cpu_feature_loop f32, f64, i64, i32;
    int64_t cost; /* simple operations for an element; decides the number of slices */
};

/* The state of a call. */
struct bp_cpu_feature {
    bp_cpu_feature_loop loop;
    size_t rows, cols;
    uint32_t slices;
};

/*
 * For op->prepare and op->run; op->loops is a struct bp_cpu_feature_loops. A scalar X is one row of
 * one element. BP_E_NOMEM.
 */
bp_rc bp_cpu_feature_prepare(struct bp_cpu_call *call, bp_err *err);
bp_rc bp_cpu_feature_run(struct bp_cpu_call *call, bp_err *err);
/* Checks that a list attribute has one element for all features, or one for each. BP_E_SHAPE. */
bp_rc bp_cpu_feature_expect(const struct bp_cpu_call *call, const char *name, uint32_t count,
                            bp_err *err);

#endif
