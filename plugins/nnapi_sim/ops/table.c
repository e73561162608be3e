/* SPDX-License-Identifier: MIT */
/* table.c - the operators, by name. */

#include "families.h"

static const struct bp_nn_family *const families[] = {
    &bp_nn_elementwise, &bp_nn_binary, &bp_nn_conv,  &bp_nn_pool,   &bp_nn_norm,
    &bp_nn_matmul,      &bp_nn_shape,  &bp_nn_slice, &bp_nn_resize, &bp_nn_quantize};

enum { N_FAMILIES = sizeof families / sizeof families[0] };

const struct bp_nn_op *bp_nn_find_op(const bp_node *node)
{
    for (uint32_t i = 0; i < N_FAMILIES; i++) {
        for (uint32_t k = 0; k < families[i]->n; k++) {
            const struct bp_nn_op *op = &families[i]->ops[k];

            if (strcmp(op->name, node->op) == 0 &&
                strcmp(op->domain ? op->domain : "", node->domain) == 0)
                return op;
        }
    }
    return NULL;
}
