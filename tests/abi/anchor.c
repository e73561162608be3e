/* SPDX-License-Identifier: MIT */
/*
 * anchor.c - reaches every type of the ABI from exported names, so that abidiff sees them all; through
 * pointers, so that a table that grew at its end moves nothing here.
 */

#include <bp/abi.h>

struct bp_anchor {
    bp_entry_fn entry;
    const bp_host *host;
    const bp_module *module;
    const bp_provider *provider;
    const bp_device_ops *dev;
    bp_err *err;
    const bp_span *span;
    const bp_tensor *tensor;
    const bp_option *option;
    const bp_opt *opt;
    const bp_dim *dim;
    const bp_value *value;
    const bp_attr *attr;
    const bp_const *constant;
    const bp_node *node;
    const bp_graph *graph;
    const bp_operand *operand;
    const bp_operator_fact *operator_fact;
    const bp_op_attr *op_attr;
    const bp_op_shapes *op_shapes;
    const bp_op_schema *op_schema;
    const bp_cost *cost;
    const bp_claim *claim;
    const bp_claims *claims;
    const bp_avail *avail;
    const bp_device *device;
    const bp_prof_event *event;
    const bp_prof *prof;
    const bp_run *run;
    const bp_shape *shape;
    const bp_frame_desc *desc;
    const bp_frame_needs *needs;
    const bp_in_place *in_place;
    const bp_compile *compile;
    const bp_program_info *program_info;
    const bp_instance_memory *instance_memory;
    const bp_sink *sink;
    const bp_copy *copy;
};

extern const struct bp_anchor bp_anchor;
__attribute__((visibility("default"))) const struct bp_anchor bp_anchor = {0};
