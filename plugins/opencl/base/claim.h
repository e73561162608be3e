/* SPDX-License-Identifier: MIT */
/*
 * claim.h - what operators use to answer whether they take a node. A function that says no has told
 * the host why, with a reason code and a sentence.
 */
#ifndef BP_OPENCL_CLAIM_H
#define BP_OPENCL_CLAIM_H

#include <stdbool.h>

#include <bp/sdk.h>

enum { BP_OPENCL_MAX_RANK = 8 };

/* Sets of element types: 1 << BP_DTYPE_*. */
#define BP_OPENCL_TYPE(dtype) (UINT64_C(1) << (dtype))
#define BP_OPENCL_F32 BP_OPENCL_TYPE(BP_DTYPE_F32)
#define BP_OPENCL_F16 BP_OPENCL_TYPE(BP_DTYPE_F16)
#define BP_OPENCL_BOOL BP_OPENCL_TYPE(BP_DTYPE_BOOL)
#define BP_OPENCL_I32 BP_OPENCL_TYPE(BP_DTYPE_I32)
#define BP_OPENCL_I64 BP_OPENCL_TYPE(BP_DTYPE_I64)
#define BP_OPENCL_FLOATS (BP_OPENCL_F32 | BP_OPENCL_F16)
#define BP_OPENCL_INDICES (BP_OPENCL_I32 | BP_OPENCL_I64)
#define BP_OPENCL_NUMBERS (BP_OPENCL_FLOATS | BP_OPENCL_INDICES)
/* Those whose bytes are only moved: 8 to 64 bits. */
#define BP_OPENCL_MOVABLE                                                                          \
    (BP_OPENCL_NUMBERS | BP_OPENCL_BOOL | BP_OPENCL_TYPE(BP_DTYPE_U8) |                            \
     BP_OPENCL_TYPE(BP_DTYPE_I8) | BP_OPENCL_TYPE(BP_DTYPE_U16) | BP_OPENCL_TYPE(BP_DTYPE_I16) |   \
     BP_OPENCL_TYPE(BP_DTYPE_U32) | BP_OPENCL_TYPE(BP_DTYPE_U64) | BP_OPENCL_TYPE(BP_DTYPE_F64) |  \
     BP_OPENCL_TYPE(BP_DTYPE_BF16))

/* A node about which the host asks; all pointers last as long as the call of capability. */
struct bp_opencl_query {
    const bp_instance *instance;
    const bp_graph *graph;
    const bp_node *node;
    const bp_claims *claims;
    uint32_t index; /* of the node */
};

/* Refuses the node: BP_R_* and a formatted sentence about `subject`, which may be NULL. False. */
bool bp_opencl_refuse(const struct bp_opencl_query *query, uint32_t reason, const char *subject,
                      const char *fmt, ...) BP_PRINTF(4, 5);
/*
 * Is input i there, of one of these types and of a known rank in low..high? Refuses otherwise.
 * float16 counts only where the option fp16 is on.
 */
bool bp_opencl_takes(const struct bp_opencl_query *query, uint32_t i, uint64_t types, uint32_t low,
                     uint32_t high);
/* The same, but an absent input passes. */
bool bp_opencl_takes_optional(const struct bp_opencl_query *query, uint32_t i, uint64_t types,
                              uint32_t low, uint32_t high);
/* Have inputs 0 and i, if i is there, the same element type? Refuses otherwise. */
bool bp_opencl_same_type(const struct bp_opencl_query *query, uint32_t i);
/* Is input i absent or a constant? `what` is its name in the sentence. Refuses otherwise. */
bool bp_opencl_is_constant(const struct bp_opencl_query *query, uint32_t i, const char *what);
/* Has the output of that index one of these types, or is it not used? Refuses otherwise. */
bool bp_opencl_makes(const struct bp_opencl_query *query, uint32_t i, uint64_t types);

enum { BP_OPENCL_MAX_INTS = 64 };

/* A list of integers: of an attribute, or of a constant input. */
struct bp_opencl_ints {
    bool is_there;
    uint32_t n;
    int64_t at[BP_OPENCL_MAX_INTS];
};

/*
 * Reads the attribute `name`, or where the node has none input i, int32 or int64. False: the input
 * is no constant, or has too many elements.
 */
bool bp_opencl_read_ints(const bp_host *host, const bp_graph *graph, const bp_node *node,
                         const char *name, uint32_t i, struct bp_opencl_ints *out);
/* A single float of a constant float32 or float16 input; false: there is none. */
bool bp_opencl_read_float(const bp_host *host, const bp_graph *graph, const bp_node *node,
                          uint32_t i, float *out);
/* Element i of a list attribute of integers; def: it is absent or shorter. */
int64_t bp_opencl_entry(const bp_graph *graph, const bp_node *node, const char *name, uint32_t i,
                        int64_t def);

#endif
