/* SPDX-License-Identifier: MIT */
/* peak.c - what one core can do: multiplications with additions of float32, in registers. */

#include "config.h"

#include "bench.h"

#if defined(__x86_64__)

#include <immintrin.h>

enum {
    CHAINS = 12, /* more than two units times the latency of 4 cycles needs */
    TURNS = 100000,
    LEAST_MS = 100
};

__attribute__((target("avx512f"))) static float turn_512(void)
{
    __m512 factor = _mm512_set1_ps(0.999f), sum[CHAINS], all = _mm512_setzero_ps();

    for (int i = 0; i < CHAINS; i++)
        sum[i] = _mm512_set1_ps((float)i);
    for (int n = 0; n < TURNS; n++) {
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC unroll 12
#endif
        for (int i = 0; i < CHAINS; i++)
            sum[i] = _mm512_fmadd_ps(sum[i], factor, factor);
    }
    for (int i = 0; i < CHAINS; i++)
        all = _mm512_add_ps(all, sum[i]);
    return _mm512_cvtss_f32(all);
}

__attribute__((target("avx2,fma"))) static float turn_256(void)
{
    __m256 factor = _mm256_set1_ps(0.999f), sum[CHAINS], all = _mm256_setzero_ps();

    for (int i = 0; i < CHAINS; i++)
        sum[i] = _mm256_set1_ps((float)i);
    for (int n = 0; n < TURNS; n++) {
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC unroll 12
#endif
        for (int i = 0; i < CHAINS; i++)
            sum[i] = _mm256_fmadd_ps(sum[i], factor, factor);
    }
    for (int i = 0; i < CHAINS; i++)
        all = _mm256_add_ps(all, sum[i]);
    return _mm256_cvtss_f32(all);
}

double bench_peak_gflops(void)
{
    bool is_512 = __builtin_cpu_supports("avx512f");
    double flops = 2.0 * CHAINS * TURNS * (is_512 ? 16 : 8), best = 0;
    volatile float kept;
    double begin = bench_now_ms();

    if (!is_512 && !(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")))
        return 0;
    while (bench_now_ms() - begin < LEAST_MS) {
        double start = bench_now_ms(), took;

        kept = is_512 ? turn_512() : turn_256();
        took = bench_now_ms() - start;
        if (took > 0 && flops / took * 1e-6 > best)
            best = flops / took * 1e-6;
    }
    (void)kept;
    return best;
}

#else

double bench_peak_gflops(void)
{
    return 0;
}

#endif
