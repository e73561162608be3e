/* SPDX-License-Identifier: MIT */
/*
 * gemm.h - matrix products of float32 and float64: C = alpha * op(A) * op(B), or C += that.
 *
 * A product is planned once for its sizes and then run in `tasks` tasks, in any order and on any
 * threads; they write disjoint parts of C. The plan is only read, and it holds no pointers to the
 * operands.
 */
#ifndef BP_CPU_KERNELS_GEMM_GEMM_H
#define BP_CPU_KERNELS_GEMM_GEMM_H

#include "blas.h"
#include "cpu.h"
#include "kernels/gemm/padded_strip.h"
#include "kernels/simd/simd.h"

/* Fill m to simd and call bp_cpu_gemm_plan(); the rest is its own. */
struct bp_cpu_gemm {
    size_t m, n, k;
    size_t lda, ldb, ldc; /* elements between rows as stored; 0 reads as dense */
    uint32_t dtype;       /* BP_DTYPE_F32 or BP_DTYPE_F64 */
    bool trans_a, trans_b;
    bool add;     /* to what C holds */
    bool is_conv; /* n is large whatever m is: always use tiles */
    double alpha;
    const struct bp_cpu_window
        *image;     /* B is the matrix of a convolution over it; NULL: B is a matrix */
    uint32_t width; /* threads */
    const struct bp_cpu_blas *blas; /* NULL: our own kernels */
    const struct bp_cpu_simd *simd; /* NULL: the best one here */

    uint32_t path;
    uint32_t tasks;                     /* of a product */
    size_t scratch_bytes;               /* of each worker */
    size_t row_parts, col_parts, depth; /* how tasks share C, and the part of k in a pass */
    struct bp_cpu_padded_strip strip;   /* of `image`, where its path is taken */
};

/* Chooses the algorithm, the tasks and the scratch size. Cannot fail. */
void bp_cpu_gemm_plan(struct bp_cpu_gemm *gemm);
/* The operands of one product; A and B may lie at any address. */
struct bp_cpu_operands {
    const void *a, *b;
    const void *bias; /* one value for each row of C, or NULL; not with `add` */
    void *c;
    struct bp_cpu_stop *stop; /* asked between passes; NULL: the product is never left */
};

/*
 * Runs task `task` of a product. `scratch` is the worker's own, of scratch_bytes, 64-aligned. [any
 * thread]
 */
void bp_cpu_gemm_task(const struct bp_cpu_gemm *gemm, const struct bp_cpu_operands *operands,
                      uint32_t task, void *scratch);

/* The part of C that a task writes: rows[0]..rows[1] and cols[0]..cols[1], both ends exclusive. */
void bp_cpu_gemm_part(const struct bp_cpu_gemm *gemm, uint32_t task, size_t rows[2],
                      size_t cols[2]);

#endif
