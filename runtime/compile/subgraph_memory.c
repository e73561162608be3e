/* SPDX-License-Identifier: MIT */
/* subgraph_memory.c - which provider the bytes of a frame's values are counted for. */

#include "config.h"

#include "compile/subgraph_memory.h"

#include "compile/subgraph.h"

/*
 * Returns the counter of a unit's provider, or the host's own; together they add up to the
 * engine's.
 */
struct bp_memory *bp_memory_of_unit(const struct bp_subgraph *subgraph, const struct bp_unit *unit)
{
    if (!subgraph->memory)
        return NULL;
    return unit && unit->by ? &unit->by->memory->host : &subgraph->memory->host_ops;
}

/* Returns the counter of the value's producer; inputs and values of no unit are the host's. */
struct bp_memory *bp_memory_of_value(const struct bp_subgraph *subgraph, uint32_t value)
{
    uint32_t node = subgraph->ir->values[value].producer;
    uint32_t group = node == BP_NONE ? BP_NONE : subgraph->part.group_of[node];

    return bp_memory_of_unit(subgraph, group < subgraph->n_units ? &subgraph->units[group] : NULL);
}

/* Adds to two counters: the engine's, and that of the value's producer. */
bp_rc bp_memory_grow(const struct bp_subgraph *subgraph, uint32_t value, size_t bytes, bp_err *err)
{
    bp_rc rc = subgraph->memory ? bp_memory_take(subgraph->memory, bytes, err) : BP_OK;

    if (rc >= 0)
        bp_memory_add(bp_memory_of_value(subgraph, value), bytes);
    return rc;
}

/* Undoes bp_memory_grow() when a frame is destroyed. */
void bp_memory_shrink(const struct bp_subgraph *subgraph, uint32_t value, size_t bytes)
{
    if (!subgraph->memory || bytes == 0)
        return;
    bp_memory_give(subgraph->memory, bytes);
    bp_memory_drop(bp_memory_of_value(subgraph, value), bytes);
}
