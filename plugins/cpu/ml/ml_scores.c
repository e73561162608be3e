/* SPDX-License-Identifier: MIT */
/*
 * ml_scores.c - post_transform of ai.onnx.ml: NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO, PROBIT,
 * applied to rows of scores.
 */

#include "kernels/types/loops.h"
#include "kernels/vector_math.h"
#include "ml/ml.h"

/*
 * The quantile function of the normal distribution, by Winitzki's approximation of the inverse
 * error function with a = 0.147. More exact ones exist, but ONNX's implementations share this one.
 */
static double probit(double p)
{
    const double a = 0.147, pi = 3.14159265358979323846;
    double x = 2 * p - 1, log_rest = log((1 - x) * (1 + x));
    double v = 2 / (pi * a) + log_rest / 2;
    double root = sqrt(sqrt(v * v - log_rest / a) - v);

    if (p <= 0 || p >= 1)
        return p < 0 || p > 1 ? (double)NAN : p > 0 ? HUGE_VAL : -HUGE_VAL;
    return sqrt(2) * (x < 0 ? -root : root);
}

#define C float
#define SUFFIX f32
#define F(fn) bp_##fn##f
#include "ml/scores.inc"

#define C double
#define SUFFIX f64
#define F(fn) bp_##fn
#include "ml/scores.inc"

bp_rc bp_cpu_transform_read(const struct bp_cpu_node *node, uint32_t *out, bp_err *err)
{
    static const char *const names[BP_CPU_N_TRANSFORMS] = {"NONE", "SOFTMAX", "LOGISTIC",
                                                           "SOFTMAX_ZERO", "PROBIT"};

    return bp_cpu_choice(node, "post_transform", "NONE", names, BP_CPU_N_TRANSFORMS, out, err);
}
