/* SPDX-License-Identifier: MIT */
/*
 * scatter.h - the element loops of GatherElements, ScatterElements and ScatterND: copies, or
 * reductions (add, mul, max, min) of updates into the data.
 *
 * All functions look up tables that never change; any thread may call them.
 */
#ifndef BP_CPU_GATHER_SCATTER_SCATTER_H
#define BP_CPU_GATHER_SCATTER_SCATTER_H

#include "gather_scatter/index_walk.h"

/* Attribute `reduction`; PUT replaces the element ("none"). */
enum bp_cpu_combine { BP_CPU_PUT, BP_CPU_ADD, BP_CPU_MUL, BP_CPU_MAX, BP_CPU_MIN };

/* y[i] = y[i] combined with x[i], for n consecutive elements. */
typedef void (*bp_cpu_combine_run)(void *y, const void *x, int64_t n);

/* The loop that reads elements of `width` bytes (1, 2, 4, 8, 16) at offsets of the data. */
bp_cpu_index_walk_fn bp_cpu_gather_copy(size_t width);
/*
 * The loop that writes to, or combines at, offsets of the data. NULL: this type cannot be combined
 * so.
 */
bp_cpu_index_walk_fn bp_cpu_scatter_copy(enum bp_cpu_combine how, uint32_t dtype);
/*
 * The loop for consecutive elements. NULL for BP_CPU_PUT, and for types that cannot be combined so.
 */
bp_cpu_combine_run bp_cpu_combine_run_of(enum bp_cpu_combine how, uint32_t dtype);
/* Attribute `reduction` of a node; BP_CPU_PUT where it is absent or unknown. */
enum bp_cpu_combine bp_cpu_combine_of(const bp_graph *graph, const bp_node *node);
/* Claims a node whose data, input 0, can be combined as its attribute says. */
void bp_cpu_claim_combine(const struct bp_cpu_op *op, const struct bp_cpu_query *query);

#endif
