/* SPDX-License-Identifier: MIT */
/*
 * claim.h - what operators use to answer whether they take a node. A function that says no has told
 * the host why, with a reason code and a sentence.
 */
#ifndef BP_DNNL_CLAIM_H
#define BP_DNNL_CLAIM_H

#include <bp/sdk.h>
#include <stdbool.h>

enum {
    BP_DNNL_MAX_RANK = 6,   /* of a tensor that a primitive reads; oneDNN's own limit is 12 */
    BP_DNNL_MAX_SPATIAL = 3 /* spatial dimensions of a convolution or pool: oneDNN has no more */
};

/* A node about which the host asks; all pointers last as long as the call of capability. */
struct bp_dnnl_query {
    const bp_instance *instance;
    const bp_graph *graph;
    const bp_node *node;
    const bp_claims *claims;
    uint32_t index; /* of the node */
};

/* Types that an operator takes: a set of 1 << BP_DTYPE_*. float16 is computed as float32. */
#define BP_DNNL_SINGLES (UINT64_C(1) << BP_DTYPE_F32)
#define BP_DNNL_FLOATS (BP_DNNL_SINGLES | UINT64_C(1) << BP_DTYPE_F16)
#define BP_DNNL_BYTES (UINT64_C(1) << BP_DTYPE_U8 | UINT64_C(1) << BP_DTYPE_I8)
#define BP_DNNL_INTEGERS (BP_DNNL_BYTES | UINT64_C(1) << BP_DTYPE_I32)

/* Refuses the node: BP_R_* and a formatted sentence about `subject`, which may be NULL. False. */
bool bp_dnnl_refuse(const struct bp_dnnl_query *query, uint32_t reason, const char *subject,
                    const char *fmt, ...) BP_PRINTF(4, 5);

/*
 * Is input i there, of float32 or float16, of a known rank in low..high, and not surely empty?
 * Refuses otherwise.
 */
bool bp_dnnl_takes_input(const struct bp_dnnl_query *query, uint32_t i, uint32_t low,
                         uint32_t high);
/* The same with one of those types. */
bool bp_dnnl_takes_typed(const struct bp_dnnl_query *query, uint32_t i, uint64_t types,
                         uint32_t low, uint32_t high);

/* Are all dimensions of the value known? Those of a constant always are. */
bool bp_dnnl_is_sized(const bp_value *value);
/* Elements of a value; dimensions that are not known count as 1. */
double bp_dnnl_elements(const bp_value *value);
/* Have both the same shape whatever the sizes? By size, or by symbol where it is not known. */
bool bp_dnnl_same_shape(const bp_value *a, const bp_value *b);

/* First element of a constant float32 or float16; false: input i is absent or no such constant. */
bool bp_dnnl_constant_float(const bp_host *host, const bp_graph *graph, const bp_node *node,
                            uint32_t i, float *out);

#endif
