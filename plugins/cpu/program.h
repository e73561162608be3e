/* SPDX-License-Identifier: MIT */
/*
 * program.h - what provider.c, capability.c, operators.c, compile.c, layout.c and frame.c share,
 * and operators do not see.
 *
 * A program belongs to one group of nodes and is read by many frames at once; a frame, with its
 * layout and calls, is used by one thread at a time.
 */
#ifndef BP_CPU_PROGRAM_H
#define BP_CPU_PROGRAM_H

#include "cpu.h"

#include <bp/arena.h>
#include <common/blocks.h>

enum {
    BP_CPU_INDEX_SLOTS = 1024 /* at least twice the rows of operators.h */
};

/* The rows of operators.h by the hash of their names. */
struct bp_cpu_index {
    uint16_t slots[BP_CPU_INDEX_SLOTS]; /* number of a row plus 1; 0: none */
};

/* Takes a few microseconds, once an instance. */
void bp_cpu_index_make(struct bp_cpu_index *out);
/*
 * Row for an operator at a version, or NULL; *known_at is then a version that is implemented, or 0.
 */
const struct bp_cpu_op *bp_cpu_find_op(const struct bp_cpu_index *index, const char *domain,
                                       const char *name, uint32_t since, uint32_t *known_at);

/* Has this build the node's element types? Refuses it if not. See --with-operators. */
bool bp_cpu_has_types(const struct bp_cpu_query *query);

/* Frees what bp_cpu_run_memory() gave to a call. */
void bp_cpu_run_memory_finish(struct bp_cpu_call *call);

struct bp_instance {
    bp_host host;
    bool use_blas;
    struct bp_cpu_index index;
};

struct bp_program {
    struct bp_blocks memory;
    const bp_host *host;
    const bp_graph *graph;
    struct bp_cpu_node *nodes;   /* one a node of the graph */
    uint32_t n_packed;           /* nodes before this one have been packed */
    bp_span *constants;          /* one a value */
    struct bp_spare_block spare; /* of frames */
};

/* The kinds of locations of a value's bytes. */
enum { BP_CPU_NOWHERE, BP_CPU_IN_ARENA, BP_CPU_CONSTANT, BP_CPU_INPUT, BP_CPU_OUTPUT };

struct bp_cpu_location {
    uint32_t kind;
    uint32_t index; /* of the arena item, input or output */
};

/*
 * The layout of one frame. Item i < n_items is storage of values; the scratch of the calls comes
 * after them.
 */
struct bp_cpu_layout {
    struct bp_cpu_location *locations; /* one a value */
    size_t *bytes;                     /* one a value; of unknown shapes 0 */
    bool *is_elided;      /* one a node: an output that already lies where it belongs */
    bp_arena_item *items; /* capacity n_values + n_nodes */
    uint32_t n_items;
};

/*
 * Decides the locations of all values of the program's graph. Arrays come from `memory`.
 * BP_E_NOMEM, BP_E_SHAPE.
 */
bp_rc bp_cpu_layout_make(const struct bp_program *program, const bp_frame_desc *desc,
                         struct bp_blocks *memory, struct bp_cpu_layout *out, bp_err *err);
/* Bytes of a shape; false: too many, or a type without a size. */
bool bp_cpu_shape_bytes(const bp_shape *shape, size_t *out);

bp_rc bp_cpu_capability(bp_instance *instance, const bp_graph *graph, const bp_claims *claims,
                        bp_err *err);
bp_rc bp_cpu_compile(bp_instance *instance, const bp_graph *graph, const bp_compile *what,
                     bp_program **out, bp_err *err);
void bp_cpu_program_free(bp_program *program);
bp_rc bp_cpu_frame_create(bp_program *program, const bp_frame_desc *desc, bp_frame_needs *needs,
                          bp_frame **out, bp_err *err);
void bp_cpu_frame_free(bp_frame *frame);
bp_rc bp_cpu_execute(bp_frame *frame, const bp_run *run, bp_err *err);

#endif
