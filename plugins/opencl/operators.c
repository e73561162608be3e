/* SPDX-License-Identifier: MIT */
/* operators.c - the tables of operators, one a family of ops/list.h. */

#include "operators.h"

#define BP_OPENCL_FAMILY(name) extern const struct bp_opencl_op bp_opencl_##name##_ops[];
#include "ops/list.h"
#undef BP_OPENCL_FAMILY

static const struct bp_opencl_op *const families[] = {
#define BP_OPENCL_FAMILY(name) bp_opencl_##name##_ops,
#include "ops/list.h"
#undef BP_OPENCL_FAMILY
};

static bool is_of(const struct bp_opencl_op *op, const bp_node *node)
{
    const char *domain = op->domain ? op->domain : "";

    return strcmp(op->name, node->op) == 0 && strcmp(domain, node->domain) == 0;
}

/* Rows of one name may be for different domains, or spans of versions. */
const struct bp_opencl_op *bp_opencl_find_operator(const bp_node *node, uint32_t *known_to)
{
    *known_to = 0;
    for (uint32_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        for (const struct bp_opencl_op *op = families[i]; op->name; op++) {
            if (!is_of(op, node))
                continue;
            if (node->since >= op->since && node->since <= op->until)
                return op;
            *known_to = op->until;
        }
    }
    return NULL;
}
