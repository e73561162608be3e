/* SPDX-License-Identifier: MIT */
/*
 * equal.c - Equal (ai.onnx, opsets 1, 7, 11, 13, 19): y = a == b, as bool.
 *
 * Version 7 brings NumPy's broadcasting, 11 floats, 13 bfloat16, 19 strings, which are compared by
 * their bytes. Types: numbers, bool, string.
 */

#include "elementwise/binary.h"

#define NAME equal
#define R uint8_t
#define TEMPLATE "elementwise/binary.inc"
#define EXPR(x, y) ((x) == (y))
#include "kernels/types/number.inc"
#undef EXPR
#define EXPR(x, y) ((x) == (y))
#include "kernels/types/bool.inc"
#undef EXPR
#undef TEMPLATE

static bool is_equal(const bp_span *a, const bp_span *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

static void equal_string(void *out, const void *in_a, const void *in_b, size_t n, uint32_t kind)
{
    uint8_t *y = out;
    const bp_span *a = in_a, *b = in_b;

    for (size_t i = 0; i < n; i++)
        y[i] = is_equal(&a[kind == BP_CPU_SCALAR_A ? 0 : i], &b[kind == BP_CPU_SCALAR_B ? 0 : i]);
}

static const struct bp_cpu_binary family = {
    .loops =
        {
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/bool.inc"
#include "kernels/types/number.inc"
#undef TEMPLATE
            [BP_DTYPE_STRING] = equal_string,
        },
    .cost = 1,
};

const struct bp_cpu_op bp_cpu_op_equal = {
    .name = "Equal",
    .since = 1,
    .loops = &family,
    .claim = bp_cpu_claim_binary,
    .prepare = bp_cpu_prepare_binary,
    .run = bp_cpu_run_binary,
};
