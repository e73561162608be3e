/* SPDX-License-Identifier: MIT */
/* per_axis.c - Scales and zero points of quantised products; see per_axis.h. */

#include "quantized/per_axis.h"

#include "kernels/quantize/quantize.h"

bp_rc bp_cpu_per_axis_make(const struct bp_cpu_call *call, uint32_t i, size_t per, size_t matrices,
                           struct bp_cpu_per_axis *out, bp_err *err)
{
    const bp_tensor *tensor = bp_cpu_in(call, i);
    size_t n = tensor ? (size_t)bp_cpu_count(tensor) : 1;

    *out = (struct bp_cpu_per_axis){.per = per, .total = 1};
    if (n == 1)
        return BP_OK;
    if (n != per * matrices && !(n == per && tensor->rank == 1))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "input %u has %zu elements, neither 1 nor one for each of %zu", i, n,
                           per);
    out->total = per * matrices;
    return BP_OK;
}

/* Repeats the first n elements of 4 bytes each until axis->total are there. */
static void repeat_matrices(const struct bp_cpu_per_axis *axis, size_t n, void *to)
{
    for (size_t at = n; at < axis->total; at += n)
        memcpy((char *)to + at * 4, to, n * 4);
}

void bp_cpu_per_axis_zeros(const struct bp_cpu_call *call, uint32_t i,
                           const struct bp_cpu_per_axis *axis, int32_t *to)
{
    const bp_tensor *tensor = bp_cpu_in(call, i);

    *to = 0;
    if (!tensor)
        return;
    bp_cpu_quant_zeros(tensor, to);
    repeat_matrices(axis, (size_t)bp_cpu_count(tensor), to);
}

void bp_cpu_per_axis_scales(const struct bp_cpu_call *call, uint32_t i,
                            const struct bp_cpu_per_axis *axis, float *to)
{
    const bp_tensor *tensor = bp_cpu_in(call, i);

    bp_cpu_quant_scales(tensor, to);
    repeat_matrices(axis, (size_t)bp_cpu_count(tensor), to);
}
