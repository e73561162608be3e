/* SPDX-License-Identifier: MIT */
/* operators.c - the table of operators, made of ops/list.h. */

#include "operators.h"

#include "base/operator.h"

#define BP_DNNL_OP(row) extern const struct bp_dnnl_op bp_dnnl_op_##row;
#include "ops/list.h"
#undef BP_DNNL_OP

static const struct bp_dnnl_op *const rows[] = {
#define BP_DNNL_OP(row) &bp_dnnl_op_##row,
#include "ops/list.h"
#undef BP_DNNL_OP
};

enum { N_ROWS = sizeof rows / sizeof rows[0] };

/* Rows of one name may be for different domains, or spans of versions. */
const struct bp_dnnl_op *bp_dnnl_find_operator(const bp_node *node, uint32_t *known_to)
{
    *known_to = 0;
    for (uint32_t i = 0; i < N_ROWS; i++) {
        if (strcmp(rows[i]->name, node->op) != 0 || strcmp(rows[i]->domain, node->domain) != 0)
            continue;
        *known_to = rows[i]->until;
        if (node->since >= rows[i]->since && node->since <= rows[i]->until)
            return rows[i];
    }
    return NULL;
}
