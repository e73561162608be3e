/* SPDX-License-Identifier: MIT */
/* norm.c - BatchNormalization (ONNX 7, 9, 14, 15) of inference, on BatchNorm. */

#include "types.h"

enum { N_INPUTS = 5, N_OUTPUTS = 5 };

/* `spatial` is of version 7; the statistics that training puts out are not taken. */
static bool claim(const struct bp_cann_op *op, const struct bp_cann_query *query)
{
    const bp_value *x = bp_node_in(query->graph, query->node, 0);

    (void)op;
    if (bp_node_int(query->graph, query->node, "training_mode", 0) != 0)
        return bp_cann_refuse(query, BP_R_ATTRIBUTE, "training_mode",
                              "training_mode 1, provider takes 0");
    if (bp_node_int(query->graph, query->node, "spatial", 1) == 0)
        return bp_cann_refuse(query, BP_R_ATTRIBUTE, "spatial", "spatial 0, provider takes 1");
    if (x->rank < 2)
        return bp_cann_refuse(query, BP_R_RANK, x->name, "rank %u, provider takes 2..%d", x->rank,
                              BP_CANN_MAX_RANK);
    for (uint32_t i = 1; i < N_INPUTS; i++) {
        if (!bp_cann_takes(query, i, UINT32_MAX) || !bp_cann_same_type(query, 0, i))
            return false;
    }
    for (uint32_t i = 1; i < query->node->n_out; i++) {
        if (query->node->out[i] != BP_NONE)
            return bp_cann_refuse(query, BP_R_OTHER,
                                  bp_node_out(query->graph, query->node, i)->name,
                                  "only the first output is computed");
    }
    return true;
}

/*
 * ACL puts the statistics out again, and what training would want: into scratch, as no node reads
 * them.
 */
static void build(struct bp_cann_build *b, const struct bp_cann_op *op, const bp_node *node)
{
    struct bp_cann_tensor rest[N_OUTPUTS];

    for (uint32_t i = 1; i < N_OUTPUTS; i++) {
        rest[i] = *bp_cann_in(b, i);
        bp_cann_scratch(b, &rest[i]);
    }
    bp_cann_begin_call(b, op->acl);
    bp_cann_set_float(b, "epsilon", bp_node_float(b->graph, node, "epsilon", 1e-5f));
    bp_cann_set_string(b, "data_format", "NCHW");
    bp_cann_set_bool(b, "is_training", false);
    for (uint32_t i = 0; i < N_INPUTS; i++)
        bp_cann_add_input(b, bp_cann_in(b, i), i == 0 ? ACL_FORMAT_NCHW : ACL_FORMAT_ND);
    bp_cann_add_output(b, bp_cann_out(b, 0), ACL_FORMAT_NCHW);
    for (uint32_t i = 1; i < N_OUTPUTS; i++)
        bp_cann_add_output(b, &rest[i], ACL_FORMAT_ND);
}

const struct bp_cann_op bp_cann_op_batch_normalization = {
    .name = "BatchNormalization",
    .acl = "BatchNorm",
    .documented = {7, LATEST, F32},
    .kernels = {{7, LATEST, F32}},
    .claim = claim,
    .build = build,
};
