/* SPDX-License-Identifier: MIT */
/* anchor.c - reaches every type of the ABI from exported names, so that abidiff sees them all. */

#include <bp/abi.h>

struct bp_anchor {
    bp_entry_fn entry;
    const bp_host *host;
    const bp_module *module;
    const bp_provider *provider;
    const bp_device_ops *dev;
    bp_err *err;
    bp_span span;
    bp_tensor tensor;
    bp_option option;
    bp_opt opt;
    bp_dim dim;
    bp_value value;
    bp_attr attr;
    bp_const constant;
    bp_node node;
    bp_graph graph;
    bp_cost cost;
    bp_claims claims;
    bp_avail avail;
    bp_device device;
    bp_prof_event event;
    bp_prof prof;
    bp_run run;
    bp_shape shape;
    bp_frame_desc desc;
    bp_frame_needs needs;
    bp_sink sink;
    bp_copy copy;
};

extern const struct bp_anchor bp_anchor;
__attribute__((visibility("default"))) const struct bp_anchor bp_anchor = {0};
