/* SPDX-License-Identifier: MIT */
/* plan_lifetimes.c - from which step to which a value needs its place in the host's arena. */

#include "config.h"

#include "exec/planning.h"

/* Values of unknown size have no place in the arena, but a buffer of their own. */
void bp_planning_add_item(struct bp_planning *p, uint32_t value, uint32_t step)
{
    const struct bp_cell *planned = &p->plan->planned[value];
    size_t bytes = planned->bytes;

    if (planned->rank == BP_RANK_UNKNOWN || p->item_of[value] != BP_NONE)
        return;
    if (p->plan->places)
        bytes = bp_place_bytes(&p->plan->places[value], bytes);
    p->item_of[value] = p->n_items;
    p->items[p->n_items++] = (bp_arena_item){.bytes = bytes, .first = step, .last = step};
}

void bp_planning_extend(struct bp_planning *p, uint32_t value, uint32_t step)
{
    if (p->item_of[value] != BP_NONE && p->items[p->item_of[value]].last < step)
        p->items[p->item_of[value]].last = step;
}
