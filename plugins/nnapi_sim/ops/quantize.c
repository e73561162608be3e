/* SPDX-License-Identifier: MIT */
/* quantize.c - QuantizeLinear and DequantizeLinear that no unit has taken in. */

#include "families.h"

static void lower_quantize(const struct bp_nn_op *op, struct bp_nn_build *b,
                           struct bp_nn_unit *unit)
{
    int layout = bp_nn_layout_of(b, &unit->in[0]);
    uint32_t in = bp_nn_in(b, &unit->in[0], layout);

    bp_nn_emit(b, op->code, 1, &in, bp_nn_out(b, unit, layout));
}

static bool claim_scale(const struct bp_nn_op *op, const struct bp_nn_query *query)
{
    (void)op;
    if (bp_node_int(query->graph, query->node, "block_size", 0) != 0)
        return bp_nn_refuse(query, BP_R_ATTRIBUTE, "block_size", "NNAPI has no scales of blocks");
    return true;
}

static const struct bp_nn_op rows[] = {
    {.name = "QuantizeLinear",
     .n_needed = 2,
     .first = 10,
     .types = BP_NN_F32,
     .level = BP_NN_FL3,
     .code = ANEURALNETWORKS_QUANTIZE,
     .claim = claim_scale,
     .lower = lower_quantize},
    {.name = "DequantizeLinear",
     .n_needed = 2,
     .first = 10,
     .types = BP_NN_U8,
     .level = BP_NN_FL1,
     .code = ANEURALNETWORKS_DEQUANTIZE,
     .claim = claim_scale,
     .lower = lower_quantize},
};

const struct bp_nn_family bp_nn_quantize = BP_NN_FAMILY(rows);
