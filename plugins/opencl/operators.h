/* SPDX-License-Identifier: MIT */
/*
 * operators.h - the tables of all families of operators. It alone knows the files in ops/;
 * capability.c and compile.c ask it, operators never do.
 */
#ifndef BP_OPENCL_OPERATORS_H
#define BP_OPENCL_OPERATORS_H

#include "base/operator.h"

/*
 * The row that runs the node's operator and version. NULL: there is none; then *known_to is the
 * last version that some row of the operator runs, or 0 if the operator is not known.
 */
const struct bp_opencl_op *bp_opencl_find_operator(const bp_node *node, uint32_t *known_to);

#endif
