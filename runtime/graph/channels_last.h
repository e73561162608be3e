/* SPDX-License-Identifier: MIT */
/*
 * channels_last.h - operators whose data have a layout (Conv, pools, normalizations), and the same
 * ones with their channels in the last dimension, as providers with BP_PROVIDER_NHWC want them.
 *
 * Such a node is of the domain com.ms.internal.nhwc, as ONNX Runtime names it; operator, version,
 * attributes and weights are those of the node that it was.
 */
#ifndef BP_GRAPH_CHANNELS_LAST_H
#define BP_GRAPH_CHANNELS_LAST_H

#include "graph/ir.h"
#include "graph/schema.h"

#define BP_CHANNELS_LAST_DOMAIN "com.ms.internal.nhwc"

/*
 * The inputs whose layout counts, bit i for input i; output 0 has the same. 0: the operator has no
 * layout, or the node is channels-last already.
 */
uint32_t bp_layout_inputs(const struct bp_ir_node *node);
/* Is the node channels-last? */
bool bp_is_channels_last(const struct bp_ir_node *node);
/*
 * A schema like `of`, of an operator with a layout, for data that are channels-last. It is in the
 * region; NULL: no memory.
 */
const struct bp_schema *bp_channels_last_schema(const struct bp_schema *of, uint32_t inputs,
                                                struct bp_region *region);
/* Where dimension `dim` of rank `rank` lies channels-last: 0, C, H, W becomes 0, H, W, C. */
static inline uint32_t bp_channels_last_dim(uint32_t dim, uint32_t rank)
{
    return dim == 0 ? 0 : dim == 1 ? rank - 1 : dim - 1;
}

#endif
