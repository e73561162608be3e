/* SPDX-License-Identifier: MIT */
/*
 * epilogue.h - the activation of fused products and convolutions (com.microsoft's FusedConv,
 * FusedGemm...): y = activation(y + z).
 */
#ifndef BP_CPU_KERNELS_GEMM_EPILOGUE_H
#define BP_CPU_KERNELS_GEMM_EPILOGUE_H

#include "cpu.h"

struct bp_cpu_epilogue {
    uint32_t kind; /* 0: no activation */
    double a, b;
};

/*
 * Reads attribute `activation` and its parameters, from `activation_params` or activation_alpha,
 * _beta and _gamma. False: the activation is not known.
 */
bool bp_cpu_epilogue_read(const bp_graph *graph, const bp_node *node, struct bp_cpu_epilogue *out);
/* Refuses a node whose activation is not known. True: the caller may go on. */
bool bp_cpu_epilogue_claim(const struct bp_cpu_query *query);
static inline bool bp_cpu_epilogue_is_empty(const struct bp_cpu_epilogue *epilogue,
                                            const bp_tensor *z)
{
    return epilogue->kind == 0 && !z;
}

/*
 * Applies it to n elements of float32 or float64 on this thread, while they are in the cache; z may
 * be NULL.
 */
void bp_cpu_epilogue_block(const struct bp_cpu_epilogue *epilogue, uint32_t dtype, const void *z,
                           void *y, size_t n);
/* Applies it to a whole tensor on the host's threads; z (or NULL) has the shape and type of y. */
void bp_cpu_epilogue_run(const struct bp_cpu_call *call, const struct bp_cpu_epilogue *epilogue,
                         const bp_tensor *z, const bp_tensor *y);

#endif
