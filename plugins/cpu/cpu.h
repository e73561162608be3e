/* SPDX-License-Identifier: MIT */
/*
 * cpu.h - what the files of the CPU provider share: how an operator is described, claimed, prepared
 * for a set of shapes, and run.
 *
 *   capability: op->claim(...)  says yes, or why not
 *   compile:    op->pack(...)   once a node: attributes parsed, constant weights packed
 *   frame:      op->prepare(...) once a set of shapes: loops chosen, strides solved, scratch sized
 *   execute:    op->run(...)    only arithmetic
 */
#ifndef BP_CPU_CPU_H
#define BP_CPU_CPU_H

#include <stdbool.h>

#include <bp/abi.h>
#include <bp/sdk.h>

struct bp_cpu_op;
struct bp_blocks;
struct bp_cpu_blas;

enum {
    BP_CPU_MAX_RANK = 32 /* of a tensor; the framework refuses more */
};

/* A node at capability time. */
struct bp_cpu_query {
    const bp_host *host; /* for the bytes of constants */
    const bp_graph *graph;
    const bp_node *node;
    const bp_claims *claims;
    uint32_t index; /* of the node */
};

/* A node of a compiled program. */
struct bp_cpu_node {
    const struct bp_cpu_op *op;
    const bp_host *host;
    const bp_graph *graph;
    const bp_node *node;
    const bp_span *constants; /* by value index; {NULL, 0}: no constant. See bp_cpu_constant() */
    struct bp_blocks *memory; /* of the program; for bp_cpu_node_memory() */
    bool use_blas;            /* option `blas`: pack may open OpenBLAS and set `blas` */
    struct bp_cpu_blas *blas; /* NULL unless op->pack set it; see blas.h */
    void *packed;             /* pack's own; op->unpack frees what is not bp_cpu_node_memory() */
};

struct bp_cpu_call;
/* Of a frame: may its run be stopped, and has a kernel found that it should be? */
struct bp_cpu_stop {
    const bp_host *host;
    const bp_run *run; /* NULL: it has no deadline and cannot be cancelled */
    uint32_t is_found; /* atomic: work was left out, so the run has no result */
};

typedef bp_rc (*bp_cpu_alloc_fn)(struct bp_cpu_call *call, uint32_t out, uint32_t rank,
                                 const int64_t *dims, bp_err *err);

/* A node prepared for one set of shapes. */
struct bp_cpu_call {
    const struct bp_cpu_node *node;
    bp_tensor *const *in;  /* n_in; NULL: absent. dtype, rank, dims are set; base only at run */
    bp_tensor *const *out; /* n_out; NULL: not wanted */
    uint32_t n_in, n_out;
    void *state;          /* what bp_cpu_state() gave prepare; kept for the life of the frame */
    void *scratch;        /* at run: scratch_bytes, 64-aligned, contents undefined */
    size_t scratch_bytes; /* prepare sets it */
    uint32_t width;       /* threads of the host's pool; `worker` of bp_cpu_parallel is below it */
    const bp_frame_desc *desc;
    struct bp_blocks *memory;   /* of the frame; for bp_cpu_state() */
    const uint64_t *run_number; /* of the frame; for bp_cpu_run_memory() */
    struct bp_cpu_stop *stop;   /* of the frame; for bp_cpu_should_stop() */
    bp_cpu_alloc_fn alloc; /* NULL, or what bp_cpu_alloc_output() does instead: a call in a call */
    struct bp_cpu_run_memory *run_memory;
};

enum {
    /*
     * Output 0 has the very bytes of input 0 (Reshape). Within a program it then shares their
     * storage and run is not called, unless the node has more outputs; run copies when the bases
     * differ.
     */
    BP_CPU_VIEW = 1u << 0,
    /*
     * Output 0 may lie on input 0 (or 1) when size and type are equal; that input then shares its
     * storage with no other input of the node.
     */
    BP_CPU_IN_PLACE = 1u << 1,
    /*
     * Constant input 1 may be badly aligned: it is handed on to BLAS or read byte by byte; other
     * constants are aligned for their type.
     */
    BP_CPU_RAW_WEIGHTS = 1u << 2,
    /*
     * An output's shape may come with the data: its rank is BP_RANK_UNKNOWN at prepare, and run
     * calls bp_cpu_alloc_output(). Without this flag all outputs have shapes.
     */
    BP_CPU_RUNTIME_SHAPE = 1u << 3
};

/*
 * An operator, or a span of its versions. Rows live in <family>/<name>.c, listed in operators.h.
 */
struct bp_cpu_op {
    const char *name;   /* "Relu" */
    const char *domain; /* NULL reads as "" (ai.onnx) */
    uint32_t since;     /* first operator version that this row runs */
    uint32_t until;     /* last one; 0: all later ones */
    uint32_t flags;     /* BP_CPU_* */
    uint32_t variant;   /* tells rows apart that share functions: an enum of their file */
    const void *loops;  /* the family's table, by element type */
    /*
     * Answers for one node through bp_accept or bp_refuse and returns. NULL: takes every node whose
     * input 0 has a type in `types`.
     */
    void (*claim)(const struct bp_cpu_op *op, const struct bp_cpu_query *query);
    uint64_t types; /* bits 1 << BP_DTYPE_*, for the default claim */
    bp_rc (*pack)(struct bp_cpu_node *node, bp_err *err); /* may be NULL; cleans up when it fails */
    void (*unpack)(struct bp_cpu_node *node);             /* may be NULL */
    bp_rc (*prepare)(struct bp_cpu_call *call, bp_err *err); /* may be NULL */
    bp_rc (*run)(struct bp_cpu_call *call, bp_err *err);
};

/* ---- framework: claim.c, node.c, run_memory.c ------------------------------------------------ */

/* The default claim: input 0 has a type in op->types. */
void bp_cpu_claim_types(const struct bp_cpu_op *op, const struct bp_cpu_query *query);
/* Refuses with BP_R_DTYPE, naming the input and its type. */
void bp_cpu_refuse_dtype(const struct bp_cpu_query *query, uint32_t input);
/* bp_refuse() for this node, with a formatted sentence; subject may be NULL. */
void bp_cpu_refuse(const struct bp_cpu_query *query, uint32_t reason, const char *subject,
                   const char *fmt, ...) BP_PRINTF(4, 5);
/* "float32"; "type 99" is "unknown". */
const char *bp_cpu_dtype_name(uint32_t dtype);

/* bp_fail() with the node's operator and name before the words. */
bp_rc bp_cpu_fail(const struct bp_cpu_node *node, bp_err *err, bp_rc rc, const char *fmt, ...)
    BP_PRINTF(4, 5);
/* Zeroed memory for pack, freed with the program; NULL: none. Aligned to 64. */
void *bp_cpu_node_memory(struct bp_cpu_node *node, size_t bytes);
/* Zeroed memory for call->state, 64-aligned; for prepare. Freed with the frame. */
bp_rc bp_cpu_state(struct bp_cpu_call *call, size_t bytes, bp_err *err);
/* Further zeroed memory for prepare, freed with the frame; NULL: none. */
void *bp_cpu_call_memory(struct bp_cpu_call *call, size_t bytes);
/*
 * Memory for run, 64-aligned and undefined, until the call runs again or the frame is freed: bytes
 * of strings that the call makes, and what it cannot size in prepare. NULL: none. Use
 * scratch_bytes where the size is known: that costs nothing in a run.
 */
void *bp_cpu_run_memory(struct bp_cpu_call *call, size_t bytes);
/*
 * Storage for an output whose size came with the data; for run. Sets base, dims, rank and bytes of
 * call->out[out]. Every output of unknown rank that is not NULL must get one.
 */
bp_rc bp_cpu_alloc_output(struct bp_cpu_call *call, uint32_t out, uint32_t rank,
                          const int64_t *dims, bp_err *err);
/*
 * Bytes of a constant input of a node, or {NULL, 0}; as many as its shape needs, aligned for its
 * type unless BP_CPU_RAW_WEIGHTS.
 */
bp_span bp_cpu_constant(const struct bp_cpu_node *node, uint32_t input);
/*
 * Should the kernel leave its work, because the run was cancelled or its time is up? stop may be
 * NULL. Ask between tiles, at least every 20 ms of work; a look at the clock costs about 25 ns, and
 * nothing where the run cannot be stopped. Then the kernel returns, with whatever status: execute
 * fails with the reason. [any thread]
 */
bool bp_cpu_should_stop(struct bp_cpu_stop *stop);
/*
 * As bp_cpu_parallel(), but asks bp_cpu_should_stop() before each task and leaves out those after a
 * yes, so that tasks of less than 20 ms need not ask. Only for work of which nothing is used as an
 * index or a size within the node: what was left out is undefined.
 */
void bp_cpu_parallel_stoppable(const struct bp_cpu_call *call, uint32_t n,
                               void (*fn)(void *u, uint32_t i, uint32_t worker), void *u);
/* fn(u, i, worker) for each i < n on the host's pool; inline when n is 1. */
void bp_cpu_parallel(const struct bp_cpu_call *call, uint32_t n,
                     void (*fn)(void *u, uint32_t i, uint32_t worker), void *u);
/*
 * Number of slices that `elements` of `cost` simple operations each deserve: 1 below about 16 k
 * operations, at most some slices a thread.
 */
uint32_t bp_cpu_slices(const struct bp_cpu_call *call, int64_t elements, int64_t cost);

/* Attributes of a call's node; see bp_node_int() and its neighbours. */
static inline int64_t bp_cpu_int(const struct bp_cpu_node *node, const char *name, int64_t def)
{
    return bp_node_int(node->graph, node->node, name, def);
}

static inline float bp_cpu_float(const struct bp_cpu_node *node, const char *name, float def)
{
    return bp_node_float(node->graph, node->node, name, def);
}

static inline const int64_t *bp_cpu_ints(const struct bp_cpu_node *node, const char *name,
                                         uint32_t *count)
{
    return bp_node_ints(node->graph, node->node, name, count);
}

/* Types for .types of operators that only move whole bytes: all but those under 8 bits. */
#define BP_CPU_MOVABLE ((UINT64_C(1) << BP_DTYPE_U4) - 2 + (UINT64_C(1) << BP_DTYPE_F8E8M0))
/*
 * ... and of those that look at the shape alone, or hand whole buffers on; see
 * kernels/cast/sub_byte.h too.
 */
#define BP_CPU_ANY_TYPE ((UINT64_C(1) << BP_DTYPE_END) - 2)

#define BP_CPU_FLOATS                                                                              \
    (UINT64_C(1) << BP_DTYPE_F32 | UINT64_C(1) << BP_DTYPE_F64 | UINT64_C(1) << BP_DTYPE_F16 |     \
     UINT64_C(1) << BP_DTYPE_BF16)

static inline const bp_tensor *bp_cpu_in(const struct bp_cpu_call *call, uint32_t i)
{
    return i < call->n_in ? call->in[i] : NULL;
}

static inline bp_tensor *bp_cpu_out(const struct bp_cpu_call *call, uint32_t i)
{
    return i < call->n_out ? call->out[i] : NULL;
}

static inline int64_t bp_cpu_count(const bp_tensor *tensor)
{
    return bp_dims_count(tensor->dims, tensor->rank);
}

/* Bytes of an element: strings are a bp_span each; 0 for types under 8 bits and unknown ones. */
static inline size_t bp_cpu_width(uint32_t dtype)
{
    return dtype == BP_DTYPE_STRING ? sizeof(bp_span) : bp_dtype_width(dtype) / 8;
}

/*
 * First element of slice i of n slices of `count`; slice i ends where slice i + 1 begins. Slices
 * begin at multiples of 64 elements, so that no two of them write one cache line.
 */
static inline int64_t bp_cpu_slice_at(int64_t count, uint32_t i, uint32_t n)
{
    int64_t blocks = count / 64 + (count % 64 != 0);
    int64_t at = blocks / n * i + blocks % n * i / n;

    return at * 64 < count ? at * 64 : count;
}

#endif
