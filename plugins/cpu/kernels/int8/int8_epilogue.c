/* SPDX-License-Identifier: MIT */
/* int8_epilogue.c - see int8_epilogue.h. Sums wrap around as 32 bits do. */

#include "kernels/int8/int8_epilogue.h"

#include "kernels/types/loops.h"

#include <math.h>

/* Takes the zero points out of the sums of row r. */
BP_LOOP static void correct(const struct bp_cpu_int8_epilogue *e, size_t r, int32_t *out)
{
    const int32_t *sums = e->sums + r * e->nr;
    uint32_t factor = (uint32_t)e->a_term - (uint32_t)e->a_sums[r];

    for (size_t c = 0; c < e->n; c++)
        out[c] = (int32_t)((uint32_t)sums[c] + (uint32_t)e->col_terms[c]);
    for (size_t c = 0; e->b_terms && c < e->n; c++)
        out[c] = (int32_t)((uint32_t)out[c] + (uint32_t)e->b_terms[c] * factor);
}

BP_LOOP static void to_bytes(const struct bp_cpu_int8_epilogue *e, const int32_t *sums, uint8_t *to)
{
    float low = (float)(e->low - e->zero), high = (float)(e->high - e->zero);
    const float *scales = e->scales;
    int32_t zero = e->zero;

    for (size_t c = 0; c < e->n; c++) {
        float v = rintf((float)sums[c] * scales[c]);

        v = v > low ? v : low; /* also NaN becomes the lowest */
        v = v < high ? v : high;
        to[c] = (uint8_t)((int32_t)v + zero);
    }
}

BP_LOOP static void to_floats(const struct bp_cpu_int8_epilogue *e, const int32_t *sums, float *to)
{
    const float *scales = e->scales, *bias = e->bias;

    for (size_t c = 0; c < e->n; c++)
        to[c] = (float)sums[c] * scales[c];
    for (size_t c = 0; bias && c < e->n; c++)
        to[c] += bias[c];
}

void bp_cpu_int8_epilogue_plain(const struct bp_cpu_int8_epilogue *e)
{
    int32_t sums[BP_CPU_INT8_MAX_NR];

    for (size_t r = 0; r < e->rows; r++) {
        correct(e, r, sums);
        if (e->floats)
            to_floats(e, sums, e->floats + r * e->stride);
        else
            to_bytes(e, sums, e->bytes + r * e->stride);
    }
}
