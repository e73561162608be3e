/* SPDX-License-Identifier: MIT */
/*
 * table.c - the operators, by name. Apart from capability.c, so that no call of theirs leads back
 * to the table.
 */

#include "../cann.h"

#define BP_CANN_OP(row) extern const struct bp_cann_op bp_cann_op_##row;
#include "list.h"
#undef BP_CANN_OP

static const struct bp_cann_op *const rows[] = {
#define BP_CANN_OP(row) &bp_cann_op_##row,
#include "list.h"
#undef BP_CANN_OP
};

enum { N_ROWS = sizeof rows / sizeof rows[0] };

/* Linear: it runs once for each node, at session creation. */
const struct bp_cann_op *bp_cann_find_op(const bp_node *node)
{
    for (uint32_t i = 0; i < N_ROWS; i++) {
        if (strcmp(rows[i]->name, node->op) == 0 && node->domain[0] == '\0')
            return rows[i];
    }
    return NULL;
}
