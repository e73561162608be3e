/* SPDX-License-Identifier: MIT */
/* memory.c - whose memory it is that frames hold. */

#include "config.h"

#include "compile/memory.h"

#include "compile/subgraph.h"

struct bp_memory *bp_memory_of_unit(const struct bp_body *body, const struct bp_unit *unit)
{
    if (!body->memory)
        return NULL;
    return unit && unit->by ? &unit->by->memory->host : &body->memory->hosted;
}

struct bp_memory *bp_memory_of_value(const struct bp_body *body, uint32_t value)
{
    uint32_t node = body->ir->values[value].producer;
    uint32_t group = node == BP_NONE ? BP_NONE : body->part.group_of[node];

    return bp_memory_of_unit(body, group < body->n_units ? &body->units[group] : NULL);
}

void bp_memory_grow(const struct bp_body *body, uint32_t value, size_t bytes)
{
    if (!body->memory)
        return;
    bp_memory_add(&body->memory->all, bytes);
    bp_memory_add(bp_memory_of_value(body, value), bytes);
}

void bp_memory_shrink(const struct bp_body *body, uint32_t value, size_t bytes)
{
    if (!body->memory || bytes == 0)
        return;
    bp_memory_drop(&body->memory->all, bytes);
    bp_memory_drop(bp_memory_of_value(body, value), bytes);
}
