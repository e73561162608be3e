/* SPDX-License-Identifier: MIT */
/*
 * blas.h - OpenBLAS, opened only when a node needs it: our own kernels are faster on processors
 * that have one written for them, OpenBLAS is on the others. It computes with one thread; slices of
 * a product are called from the host's pool.
 */
#ifndef BP_CPU_BLAS_H
#define BP_CPU_BLAS_H

#include <stddef.h>
#include <stdint.h>

struct bp_cpu_node;

/* What we call of OpenBLAS, by its C names; the enums of cblas.h are ints. */
struct bp_cpu_blas {
    void (*sgemm)(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
                  const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);
    void (*dgemm)(int order, int trans_a, int trans_b, int m, int n, int k, double alpha,
                  const double *a, int lda, const double *b, int ldb, double beta, double *c,
                  int ldc);
};

/*
 * Sets node->blas when the option allows it, products of `flops` deserve it and there is no kernel
 * of our own for this processor and element type. It stays NULL also when the library cannot be
 * opened. For pack; pair with bp_cpu_blas_leave in unpack.
 */
void bp_cpu_blas_enter(struct bp_cpu_node *node, uint32_t dtype, double flops);
void bp_cpu_blas_leave(struct bp_cpu_node *node);

/* Counted: the library is closed, and its threads joined, with the last user. NULL: not here. */
struct bp_cpu_blas *bp_cpu_blas_open(void);
/* For the entry, under the loader's lock: the child of a fork() can open and close the library. */
void bp_cpu_blas_watch_forks(void);
void bp_cpu_blas_close(struct bp_cpu_blas *blas); /* NULL is fine */

#endif
