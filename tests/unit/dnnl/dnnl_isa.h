/* SPDX-License-Identifier: MIT */
/* dnnl_isa.h - which of oneDNN's kernels tests of the dnnl provider may expect on this processor. */
#ifndef BP_TESTS_DNNL_ISA_H
#define BP_TESTS_DNNL_ISA_H

#include <stdlib.h>

/* Blocks of 16 channels (nChw16c) need AVX-512, and that DNNL_MAX_CPU_ISA does not forbid it. */
static inline int dnnl_has_blocks(void)
{
#if defined(__x86_64__)
    const char *limit = getenv("DNNL_MAX_CPU_ISA");

    return !limit && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
#else
    return 0;
#endif
}

/* Exact products of int8 need AVX-512 VNNI, which valgrind's processor has not. */
static inline int dnnl_has_vnni(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512vnni") != 0;
#else
    return 0;
#endif
}

#endif
