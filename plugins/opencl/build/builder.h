/* SPDX-License-Identifier: MIT */
/*
 * builder.h - the steps of a frame in the making: op->build() says which kernels run with which
 * operands; where values lie, and how long, is worked out here.
 *
 * After a failure (rc < 0) all functions do nothing, so that op->build() needs no checks; what it is
 * given is then empty but never NULL where it is not NULL otherwise.
 */
#ifndef BP_OPENCL_BUILDER_H
#define BP_OPENCL_BUILDER_H

#include "base/claim.h"
#include "base/program.h"

#include <bp/arena.h>

/*
 * Kinds of places. ITEM: in the frame's scratch memory; TABLE: in memory of the frame's own; KEPT: in
 * such memory that a step of the first run fills.
 */
enum {
    BP_OPENCL_NOWHERE,
    BP_OPENCL_INPUT,
    BP_OPENCL_OUTPUT,
    BP_OPENCL_ITEM,
    BP_OPENCL_CONSTANT,
    BP_OPENCL_TABLE,
    BP_OPENCL_KEPT
};

/* Where bytes begin: `offset` behind the beginning of input, output, item... `index`. */
struct bp_opencl_place {
    uint32_t kind, index;
    uint64_t offset;
};

/* A dense row-major tensor, as a kernel sees it. Its number of elements fits in 31 bits. */
struct bp_opencl_tensor {
    struct bp_opencl_place place;
    uint32_t dtype, rank;
    uint32_t chain; /* not 0: number of an expression, see build/chain.h */
    int64_t dims[BP_OPENCL_MAX_RANK];
    int64_t count;
};

enum { BP_OPENCL_MAX_OPERANDS = 12 };

/* An operand of a kernel: its memory at argument `slot`, its offset in elements at the next. */
struct bp_opencl_operand {
    struct bp_opencl_place place;
    uint32_t slot, width; /* bytes of an element */
};

/* A kernel, or without one a copy of `bytes` from operand 0 to operand 1. */
struct bp_opencl_step {
    struct bp_opencl_step *next;
    uint32_t node, n_slots, n_operands, n_dims;
    bool is_once; /* only in the first run */
    cl_kernel kernel;
    size_t global[3], local[3], bytes;
    struct bp_opencl_operand operands[BP_OPENCL_MAX_OPERANDS];
    cl_mem from, to; /* of a copy, since the frame was bound */
    size_t from_at, to_at;
};

struct bp_opencl_expression; /* build/chain_kernel.h */

struct bp_opencl_builder {
    const bp_program *program;
    const bp_graph *graph;
    struct bp_blocks *memory; /* the frame's */
    struct bp_opencl_tensor *values;
    struct bp_opencl_step *steps, **end, *step;
    uint32_t n_steps, node, n_items, room;
    bp_arena_item *items;
    char *tables; /* bytes to be uploaded */
    size_t table_bytes, table_room;
    uint32_t *kernels; /* the node whose kernel computes each; NULL: each its own */
    struct bp_opencl_expression **expressions;
    uint32_t n_expressions, expression_room;
    size_t kept_bytes;
    bp_rc rc;
    bp_err *err;
};

/* Notes a failure, if there was none before. */
void bp_opencl_build_fail(struct bp_opencl_builder *b, bp_rc rc, const char *fmt, ...)
    BP_PRINTF(3, 4);

/* Input or output i of a node; NULL: it is absent, or not used. */
const struct bp_opencl_tensor *bp_opencl_in(const struct bp_opencl_builder *b, const bp_node *node,
                                            uint32_t i);
const struct bp_opencl_tensor *bp_opencl_out(const struct bp_opencl_builder *b, const bp_node *node,
                                             uint32_t i);

/* Makes output i of the node the same bytes as the tensor; they are copied only if they have to. */
void bp_opencl_view(struct bp_opencl_builder *b, const bp_node *node, uint32_t i,
                    const struct bp_opencl_tensor *of);
/* Memory for `count` elements within this node. */
struct bp_opencl_tensor bp_opencl_scratch(struct bp_opencl_builder *b, uint32_t dtype,
                                          int64_t count);
/* A tensor of one axis on the device with these elements, as long as the frame. */
struct bp_opencl_tensor bp_opencl_table(struct bp_opencl_builder *b, uint32_t dtype,
                                        const void *data, int64_t count);

/* Memory for `count` elements as long as the frame, which steps fill that run once. */
struct bp_opencl_tensor bp_opencl_kept(struct bp_opencl_builder *b, uint32_t dtype, int64_t count);
/* The last step is of the first run only: what it reads is constant, what it writes is kept. */
void bp_opencl_once(struct bp_opencl_builder *b);

/*
 * Begins a step: kernel `name` of a family behind a prefix. Its arguments come next, in their order,
 * then bp_opencl_run().
 */
void bp_opencl_begin(struct bp_opencl_builder *b, const char *family, const char *prefix,
                     const char *name);
/* Two arguments: memory, and long: elements before the tensor's first. */
void bp_opencl_operand(struct bp_opencl_builder *b, const struct bp_opencl_tensor *tensor);
void bp_opencl_int(struct bp_opencl_builder *b, int64_t value); /* int */
void bp_opencl_float(struct bp_opencl_builder *b, float value); /* float */
/* A struct by value. */
void bp_opencl_struct(struct bp_opencl_builder *b, const void *value, size_t size);
/* Ends the step: as many work-items at least; kernels look whether x or y is beyond. */
void bp_opencl_run(struct bp_opencl_builder *b, int64_t x, int64_t y, int64_t z);
/* The same in groups of lx * ly work-items. */
void bp_opencl_run_groups(struct bp_opencl_builder *b, int64_t x, int64_t y, int64_t z, size_t lx,
                          size_t ly);
/* Copies a tensor's bytes to another of as many. */
void bp_opencl_copy(struct bp_opencl_builder *b, const struct bp_opencl_tensor *to,
                    const struct bp_opencl_tensor *from);

/* ---- prefixes -------------------------------------------------------------------------------- */

/* Text of definitions, in a buffer of its own. */
struct bp_opencl_prefix {
    char text[4096];
    size_t n;
};

/* Appends a line. */
void bp_opencl_define(struct bp_opencl_prefix *prefix, const char *fmt, ...) BP_PRINTF(2, 3);
/*
 * Defines NAME as OpenCL's type in which elements are stored, C_NAME as the one they are computed
 * in, LOAD_NAME(p, i) and STORE_NAME(v, p, i).
 */
void bp_opencl_define_type(struct bp_opencl_prefix *prefix, const char *name, uint32_t dtype);
/* OpenCL's name of the type in which elements are stored. */
const char *bp_opencl_type_name(uint32_t dtype);
/* Defines NAME as a float, bit by bit. */
void bp_opencl_define_float(struct bp_opencl_prefix *prefix, const char *name, float value);
/* Defines NAME as an unsigned integer of an element's size. */
void bp_opencl_define_bytes(struct bp_opencl_prefix *prefix, const char *name, uint32_t dtype);

#endif
