/* SPDX-License-Identifier: MIT */
/*
 * handle.c - a table of slots for contexts, streams and events.
 *
 * A handle is the slot's index and a serial number that is never used again, so one that was
 * destroyed is known as such for ever, even when its slot holds another object.
 */
#include "core/handle.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/*
 * So many bits of a handle are the index: a million objects at a time. 40 bits remain for serials.
 */
#define SLOT_BITS 20

static struct slot {
    enum sim_kind kind;
    uint64_t serial;
    void *object;
} * slots;

/* No slot below `first_free` is free, so that a search for one is short. */
static size_t slot_count, first_free;
/* Counts on over aclFinalize(): handles of an earlier life are invalid as well. */
static uint64_t serials;

/* Shifted by 4, so that it looks like an aligned address, as the vendor's does. */
static void *handle_of(size_t index)
{
    return (void *)(uintptr_t)((slots[index].serial << SLOT_BITS | index) << 4);
}

/* Doubles the table; false: no memory, or all indices are in use. */
static bool grow(void)
{
    size_t count = slot_count ? 2 * slot_count : 64;
    struct slot *more;

    if (count > (size_t)1 << SLOT_BITS)
        return false;
    more = realloc(slots, count * sizeof *more);
    if (!more)
        return false;
    slots = more;
    for (size_t i = slot_count; i < count; i++)
        slots[i].kind = SIM_NO_KIND;
    slot_count = count;
    return true;
}

/* The first free slot from `first_free` on. */
void *sim_handle_create(enum sim_kind kind, void *object)
{
    size_t i = first_free;

    while (i < slot_count && slots[i].kind != SIM_NO_KIND)
        i++;
    if (i == slot_count && !grow())
        return NULL;
    slots[i].kind = kind;
    slots[i].serial = ++serials;
    slots[i].object = object;
    first_free = i + 1;
    return handle_of(i);
}

/* The slot of a live handle; NULL for anything else, any bit pattern included. */
static struct slot *find(const void *handle)
{
    uint64_t value = (uint64_t)(uintptr_t)handle >> 4;
    size_t index = value & (((size_t)1 << SLOT_BITS) - 1);

    if (!handle || index >= slot_count || slots[index].kind == SIM_NO_KIND ||
        handle_of(index) != handle)
        return NULL;
    return &slots[index];
}

void *sim_handle_get(enum sim_kind kind, const void *handle)
{
    struct slot *slot = find(handle);

    return slot && slot->kind == kind ? slot->object : NULL;
}

void sim_handle_drop(const void *handle)
{
    struct slot *slot = find(handle);

    if (!slot)
        return;
    slot->kind = SIM_NO_KIND;
    if ((size_t)(slot - slots) < first_free)
        first_free = (size_t)(slot - slots);
}

void *sim_handle_next(enum sim_kind kind, size_t *at)
{
    while (*at < slot_count) {
        struct slot *slot = &slots[(*at)++];

        if (slot->kind == kind)
            return slot->object;
    }
    return NULL;
}

/* The serials go on, see above. */
void sim_handles_free(void)
{
    free(slots);
    slots = NULL;
    slot_count = first_free = 0;
}
