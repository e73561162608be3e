/* SPDX-License-Identifier: MIT */
/*
 * is_nan.c - IsNaN (ai.onnx, opsets 9, 13, 20): y = x is NaN, as bool.
 *
 * Version 13 adds bfloat16, 20 float8. Types: floats and float8.
 */

#include "kernels/unary.h"

#define NAME is_nan
#define R uint8_t
#define TEMPLATE "kernels/unary.inc"
#define EXPR(x) ((x) != (x))
#include "kernels/types/float.inc"
#undef EXPR

/* NaN of float8: e4m3fn has all ones, the fnuz types have the code of -0, e5m2 exceeds infinity */
#define T uint8_t
#define C uint8_t
#define LOAD(x) (x)
#define STORE(x) (x)
#define SUFFIX f8e4m3fn
#define EXPR(x) (((x)&0x7f) == 0x7f)
#include TEMPLATE
#undef SUFFIX
#undef EXPR
#define SUFFIX f8fnuz
#define EXPR(x) ((x) == 0x80)
#include TEMPLATE
#undef SUFFIX
#undef EXPR
#define SUFFIX f8e5m2
#define EXPR(x) (((x)&0x7f) > 0x7c)
#include TEMPLATE
#undef EXPR
#include "kernels/types/end.inc"
#undef TEMPLATE
#undef R

static const struct bp_cpu_unary family = {
    .loops =
        {
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/float.inc"
#undef TEMPLATE
            [BP_DTYPE_F8E4M3FN] = is_nan_f8e4m3fn,
            [BP_DTYPE_F8E4M3FNUZ] = is_nan_f8fnuz,
            [BP_DTYPE_F8E5M2] = is_nan_f8e5m2,
            [BP_DTYPE_F8E5M2FNUZ] = is_nan_f8fnuz,
        },
    .cost = 1,
};

const struct bp_cpu_op bp_cpu_op_is_nan = {
    .name = "IsNaN",
    .since = 9,
    .loops = &family,
    .claim = bp_cpu_claim_unary,
    .prepare = bp_cpu_prepare_unary,
    .run = bp_cpu_run_unary,
};
