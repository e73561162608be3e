/* SPDX-License-Identifier: MIT */
/*
 * operators.c - finds the table row of an operator. It refers to all rows, so no operator calls
 * anything in this file.
 */

#include "operators.h"

#include "program.h"

static const struct bp_cpu_op *const rows[] = {
#define BP_CPU_OP(row) &row,
#include "operators.h"
};

enum { N_ROWS = sizeof rows / sizeof rows[0] };

/* Compares two characters first: they differ for most rows, which saves the call of strcmp. */
static bool is_called(const struct bp_cpu_op *op, const char *name)
{
    return op->name[0] == name[0] && op->name[1] == name[1] && strcmp(op->name, name) == 0;
}

const struct bp_cpu_op *bp_cpu_find_op(const char *domain, const char *name, uint32_t since,
                                       uint32_t *known_at)
{
    *known_at = 0;
    for (uint32_t i = 0; i < N_ROWS; i++) {
        if (!is_called(rows[i], name) ||
            strcmp(rows[i]->domain ? rows[i]->domain : "", domain) != 0)
            continue;
        if (since >= rows[i]->since && (rows[i]->until == 0 || since <= rows[i]->until))
            return rows[i];
        *known_at = rows[i]->since;
    }
    return NULL;
}
