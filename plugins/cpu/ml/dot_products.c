/* SPDX-License-Identifier: MIT */
/*
 * dot_products.c - Rows of features against a fixed set of vectors, in float32 and float64.
 * The including loops are in dot_products.inc.
 */

#include "ml/dot_products.h"
#include "kernels/types/loops.h"

#define PANEL (size_t) BP_CPU_DOT_PRODUCTS_PANEL

#define C float
#define SUFFIX f32
#include "ml/dot_products.inc"

#define C double
#define SUFFIX f64
#include "ml/dot_products.inc"

/*
 * Vectors beyond n that fill the last panel up stay zero, because the node's memory starts as
 * zeros.
 */
bp_rc bp_cpu_dot_products_pack(struct bp_cpu_node *node, const float *vectors, size_t n, size_t k,
                               bool is_double, struct bp_cpu_dot_products *out, bp_err *err)
{
    size_t bytes, padded = (n + PANEL - 1) / PANEL * PANEL;

    *out = (struct bp_cpu_dot_products){.n = n, .k = k, .padded = padded, .is_double = is_double};
    if (__builtin_mul_overflow(padded, k, &bytes) ||
        __builtin_mul_overflow(bytes, is_double ? sizeof(double) : sizeof(float), &bytes))
        return bp_cpu_fail(node, err, BP_E_NOMEM, "its vectors are too large");
    out->panels = bp_cpu_node_memory(node, bytes);
    if (!out->panels)
        return bp_cpu_fail(node, err, BP_E_NOMEM, "no memory to pack its vectors");
    if (is_double)
        pack_f64(out, vectors);
    else
        pack_f32(out, vectors);
    return BP_OK;
}
