/* SPDX-License-Identifier: MIT */
/* gemm_internal.h - what gemm.c, gemm_a.c and gemm_conv.c share; no other file includes it. */
#ifndef BP_CPU_KERNELS_GEMM_GEMM_INTERNAL_H
#define BP_CPU_KERNELS_GEMM_GEMM_INTERNAL_H

#include "kernels/gemm/gemm.h"

enum { BP_CPU_GEMM_DEPTH = 1024 }; /* bytes of a column of B in a pass: 256 floats */

/* A task's part of C, in columns or flat positions of a strip, and the matrices by bytes. */
struct bp_cpu_gemm_share {
    const char *a, *b, *bias;
    char *c;
    size_t i0, i1, j0, j1;
    char *scratch;
    struct bp_cpu_stop *stop;
};

static inline size_t gemm_element(const struct bp_cpu_gemm *gemm)
{
    return gemm->dtype == BP_DTYPE_F64 ? 8 : 4;
}

static inline size_t gemm_round_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

static inline size_t gemm_min(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ---- gemm_a.c -------------------------------------------------------------------------------- */

/* Rows of A that are made ready at a time; bytes that they take in scratch, 0 where A lies well. */
size_t bp_cpu_gemm_ready_rows(const struct bp_cpu_gemm *gemm);
size_t bp_cpu_gemm_ready_bytes(const struct bp_cpu_gemm *gemm);
/* Makes at most so many rows from row i, elements p .. p + block->k, the block's A. */
void bp_cpu_gemm_ready(const struct bp_cpu_gemm *gemm, const struct bp_cpu_gemm_share *part,
                       size_t i, size_t p, void *scratch, struct bp_cpu_block *block);

/* ---- gemm_conv.c: convolutions --------------------------------------------------------------- */

/* False: the window cannot be read so. Fills strip and depth. */
bool bp_cpu_gemm_conv_plan(struct bp_cpu_gemm *gemm);
/* Of a task with so many columns at most. */
size_t bp_cpu_gemm_conv_bytes(const struct bp_cpu_gemm *gemm, size_t cols);
void bp_cpu_gemm_conv_run(const struct bp_cpu_gemm *gemm, const struct bp_cpu_gemm_share *part,
                          size_t cols);

#endif
