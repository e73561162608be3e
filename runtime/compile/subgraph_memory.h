/* SPDX-License-Identifier: MIT */
/* subgraph_memory.h - for whom the memory that a subgraph's frames hold is counted. */
#ifndef BP_COMPILE_SUBGRAPH_MEMORY_H
#define BP_COMPILE_SUBGRAPH_MEMORY_H

#include "base/memory.h"

struct bp_subgraph;
struct bp_unit;

/*
 * Who is to be charged for what a unit of a subgraph makes; a unit without provider, or NULL: the
 * host. NULL: memory is not counted.
 */
struct bp_memory *bp_memory_of_unit(const struct bp_subgraph *subgraph, const struct bp_unit *unit);
/*
 * Who is to be charged for a value of a subgraph: who makes it, or the host. NULL: memory is not counted.
 */
struct bp_memory *bp_memory_of_value(const struct bp_subgraph *subgraph, uint32_t value);
/* Counts a dynamic output of a subgraph's frame: `bytes` more. BP_E_NOMEM as bp_memory_take(). */
bp_rc bp_memory_grow(const struct bp_subgraph *subgraph, uint32_t value, size_t bytes,
                     bp_err *err) BP_CHECKED;
/* All that was counted so for a value is gone. */
void bp_memory_shrink(const struct bp_subgraph *subgraph, uint32_t value, size_t bytes);

#endif
