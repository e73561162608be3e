/* SPDX-License-Identifier: MIT */
/*
 * feature.h - the driver of ai.onnx.ml's operators on features one by one: rows along the last
 * dimension, cut for the threads; a loop a type.
 */
#ifndef BP_CPU_ML_FEATURE_H
#define BP_CPU_ML_FEATURE_H

#include "kernels/tensor_data.h"
#include "kernels/types/loops.h"
#include "ml/ml.h"

/* `rows` rows of `cols` elements; `model` is what pack left. */
typedef void (*bp_cpu_feature_loop)(const void *model, const void *x, void *y, size_t rows,
                                    size_t cols);

struct bp_cpu_feature_loops {
    bp_cpu_feature_loop f32, f64, i64, i32;
    int64_t cost; /* simple operations an element */
};

struct bp_cpu_feature {
    bp_cpu_feature_loop loop;
    size_t rows, cols;
    uint32_t slices;
};

/* op->loops is a struct bp_cpu_feature_loops. A scalar is one row of one element. */
bp_rc bp_cpu_feature_prepare(struct bp_cpu_call *call, bp_err *err);
bp_rc bp_cpu_feature_run(struct bp_cpu_call *call, bp_err *err);
/* BP_E_SHAPE unless a list attribute has 1 element, or one a feature. */
bp_rc bp_cpu_feature_expect(const struct bp_cpu_call *call, const char *name, uint32_t count,
                            bp_err *err);

#endif
