/* SPDX-License-Identifier: MIT */
/* table.c - the host operators, by domain and name. */

#include "config.h"

#include "exec/control/table.h"

#include <string.h>

#include "graph/custom.h"
#include "selected/selected.h"

/* Few rows, and looked up once a node when a subgraph is compiled: no order, no hashing. */
static const struct bp_host_op operators[] = {
#define BP_HOST_OP(run, domain, op) {domain, #op, run},
#ifdef BP_SELECTED_OPERATORS
#include "selected/host.inc" /* those that ./configure --with-operators names */
    {"", NULL, NULL}         /* C has no arrays without elements */
#else
#include "exec/control/list.inc"
#endif
#undef BP_HOST_OP
};

/*
 * By the schema's domain, in which "ai.onnx" is "" already. A node without a schema is not an operator
 * that the host knows.
 */
const struct bp_host_op *bp_host_op_find(const struct bp_ir_node *node)
{
    static const struct bp_host_op of_the_application = {"", "", bp_host_op_custom};

    if (bp_custom_of(node->schema))
        return &of_the_application;
    for (size_t i = 0; node->schema && i < sizeof operators / sizeof operators[0]; i++) {
        if (operators[i].op && strcmp(node->schema->domain, operators[i].domain) == 0 &&
            strcmp(node->op, operators[i].op) == 0)
            return &operators[i];
    }
    return NULL;
}
