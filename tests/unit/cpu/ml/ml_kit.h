/* SPDX-License-Identifier: MIT */
/* ml_kit.h - random features and lists for tests of the operators of ai.onnx.ml. */
#ifndef BP_TESTS_ML_KIT_H
#define BP_TESTS_ML_KIT_H

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "cpu/cpu_case.h"
#include "support/random.h"
#include "support/typed.h"

enum { MOST = 4096, MOST_CLASSES = 8 };

/* ---- elements -------------------------------------------------------------------------------- */

static const uint32_t dtypes[] = {BP_DTYPE_F32, BP_DTYPE_F64, BP_DTYPE_I64, BP_DTYPE_I32,
                                  BP_DTYPE_I16};
static double x[MOST]; /* input 0 as a reference sees it */
static uint64_t x_bytes[MOST];

/* n values in -range..range in the type; every `nan`th is missing where that can be. */
static inline void fill_x(uint64_t *seed, uint32_t dtype, uint32_t n, float range, uint32_t nan)
{
    ck_assert_uint_le(n, MOST);
    for (uint32_t i = 0; i < n; i++) {
        bool is_real = dtype == BP_DTYPE_F32 || dtype == BP_DTYPE_F64;
        double v = (double)random_float(seed, range);

        v = is_real ? v : floor(v);
        if (is_real && nan > 0 && random_below(seed, nan) == 0)
            v = (double)NAN;
        typed_put(x_bytes, dtype, i, v);
        x[i] = typed_get(x_bytes, dtype, i);
    }
}

static inline const char *dims_of(uint32_t rows, uint32_t cols)
{
    static char text[4][32];
    static int next;

    next = (next + 1) % 4;
    snprintf(text[next], sizeof text[next], "%u,%u", rows, cols);
    return text[next];
}

static inline const char *count_text(uint32_t n)
{
    static char text[4][16];
    static int next;

    next = (next + 1) % 4;
    snprintf(text[next], sizeof text[next], "%u", n);
    return text[next];
}

static inline void ck_close(double got, double want, double tolerance, uint32_t i)
{
    if (isnan(want) ? isnan(got) : fabs(got - want) <= tolerance * (1 + fabs(want)))
        return;
    ck_abort_msg("number %u is %.9g, not %.9g", i, got, want);
}

static inline const float *random_list(uint64_t *seed, uint32_t n, float range)
{
    static float lists[8][MOST];
    static int next;
    float *list = lists[next = (next + 1) % 8];

    ck_assert_uint_le(n, MOST);
    for (uint32_t i = 0; i < n; i++)
        list[i] = random_float(seed, range);
    return list;
}

static inline void node(const char *op, const char *in, const char *out)
{
    th_node(t, op, 1, in, out);
    th_domain(t, "ai.onnx.ml");
}

#endif
