/* SPDX-License-Identifier: MIT */
/* families.h - the rows of operators, a file of them each. */
#ifndef BP_NN_FAMILIES_H
#define BP_NN_FAMILIES_H

#include "operator.h"

extern const struct bp_nn_family bp_nn_elementwise, bp_nn_binary, bp_nn_conv, bp_nn_pool,
    bp_nn_norm, bp_nn_matmul, bp_nn_shape, bp_nn_slice, bp_nn_resize, bp_nn_quantize;

#endif
