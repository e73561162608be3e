/* SPDX-License-Identifier: MIT */
/* gemm.h - products of matrices, of which convolutions are made too. */
#ifndef BP_OPENCL_GEMM_H
#define BP_OPENCL_GEMM_H

#include "ops/elementwise.h"

/*
 * act(alpha * a * b + beta * bias + z), batch by batch. Strides are in elements; y and z are dense.
 * bias and z may be NULL.
 */
struct bp_opencl_gemm {
    const struct bp_opencl_tensor *y, *a, *b, *bias, *z;
    int64_t m, n, k, n_batches;
    int64_t am, ak, bk, bn, cm, cn;
    float alpha, beta;
    struct bp_opencl_walk batches; /* strides of a, b and bias */
    const char *activation;        /* as bp_opencl_activation() gives it */
    uint32_t variant;              /* 0: by the device and sizes; else a candidate's number and 1 */
};

/* Adds the step; the kernel is chosen by the device and the strides. */
void bp_opencl_gemm(struct bp_opencl_builder *b, const struct bp_opencl_gemm *gemm);
/* The same of a product that is the node's output 0: element-wise nodes behind it may become part. */
void bp_opencl_gemm_output(struct bp_opencl_builder *b, const struct bp_opencl_gemm *gemm);

/*
 * Is the node's attribute `activation`, if there is one, known? Refuses otherwise. FusedConv has
 * its numbers in activation_params, FusedGemm in activation_alpha and activation_beta.
 */
bool bp_opencl_takes_activation(const struct bp_opencl_query *query);
/* Writes the activation as a definition of ACT(v); without one it is v. */
void bp_opencl_activation(const bp_graph *graph, const bp_node *node, char *out, size_t size);

#endif
