/* SPDX-License-Identifier: MIT */
/*
 * operators.c - finds the table row of an operator. It refers to all rows, so no operator calls
 * anything in this file.
 */

#include "operators.h"

#include "program.h"
#include "selected/selected.h"

static const struct bp_cpu_op *const rows[] = {
#define BP_CPU_OP(row, domain, name) &row,
#ifdef BP_SELECTED_OPERATORS
#include "selected/cpu.inc" /* those that ./configure --with-operators names */
#else
#include "operators.h"
#endif
};

enum { N_ROWS = sizeof rows / sizeof rows[0] };

_Static_assert(N_ROWS <= BP_CPU_INDEX_SLOTS / 2, "more than half full, probing becomes slow");

/* The first slot for a name, by its FNV-1a hash. The domain is left out: few names have several. */
static uint32_t slot_of(const char *name)
{
    uint32_t h = UINT32_C(0x811c9dc5);

    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * UINT32_C(0x01000193);
    return (h ^ h >> 16) % BP_CPU_INDEX_SLOTS;
}

static uint32_t next_slot(uint32_t slot)
{
    return (slot + 1) % BP_CPU_INDEX_SLOTS;
}

/* Linear probing, and nothing is ever removed: rows of one name are found in the table's order. */
void bp_cpu_index_make(struct bp_cpu_index *out)
{
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < N_ROWS; i++) {
        uint32_t slot = slot_of(rows[i]->name);

        while (out->slots[slot])
            slot = next_slot(slot);
        out->slots[slot] = (uint16_t)(i + 1);
    }
}

const struct bp_cpu_op *bp_cpu_find_op(const struct bp_cpu_index *index, const char *domain,
                                       const char *name, uint32_t since, uint32_t *known_at)
{
    *known_at = 0;
    for (uint32_t slot = slot_of(name); index->slots[slot]; slot = next_slot(slot)) {
        const struct bp_cpu_op *row = rows[index->slots[slot] - 1];

        if (strcmp(row->name, name) != 0 || strcmp(row->domain ? row->domain : "", domain) != 0)
            continue;
        if (since >= row->since && (row->until == 0 || since <= row->until))
            return row;
        *known_at = row->since;
    }
    return NULL;
}
