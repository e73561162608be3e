/* SPDX-License-Identifier: MIT */
/*
 * primitive.h - oneDNN's primitives as steps of a frame. What a function describes or emits is for
 * the node that is being built, whose name is in the text of errors. BP_E_SHAPE: oneDNN has no such
 * kernel; BP_E_NOMEM.
 */
#ifndef BP_DNNL_PRIMITIVE_H
#define BP_DNNL_PRIMITIVE_H

#include <bp/sdk.h>
#include <dnnl.h>

struct bp_dnnl_attr;
struct bp_dnnl_builder;
struct bp_dnnl_tensor;

/* An argument of a primitive. */
struct bp_dnnl_arg {
    int id; /* DNNL_ARG_* */
    const struct bp_dnnl_tensor *tensor;
};

/*
 * A primitive's description from one of oneDNN's dnnl_*_desc_t; attr may be NULL. *out is to be
 * given to bp_dnnl_emit(), or destroyed.
 */
bp_rc bp_dnnl_describe(struct bp_dnnl_builder *b, const void *desc, const struct bp_dnnl_attr *attr,
                       dnnl_primitive_desc_t *out, bp_err *err);
/* A layout that pd has chosen: dnnl_query_src_md and its like. Lives as long as pd. */
const dnnl_memory_desc_t *bp_dnnl_query(const_dnnl_primitive_desc_t pd, dnnl_query_t what);

/*
 * Adds the primitive as a step, with its scratchpad; one that takes long as several steps that make
 * the same, where it can be cut (build/split.h). pd is destroyed, whatever comes of it.
 */
bp_rc bp_dnnl_emit(struct bp_dnnl_builder *b, dnnl_primitive_desc_t pd, uint32_t n_args,
                   const struct bp_dnnl_arg *args, bp_err *err);
/*
 * The same from oneDNN's description, whose init answered `status`. Makes *y too, the node's first
 * output, which args name: over args[0], a tensor of value `over`, where bp_dnnl_make_in_place()
 * may; with BP_NONE in new memory, in the layout that oneDNN wants.
 */
bp_rc bp_dnnl_emit_desc(struct bp_dnnl_builder *b, dnnl_status_t status, const void *desc,
                        uint32_t over, struct bp_dnnl_tensor *y, uint32_t n_args,
                        const struct bp_dnnl_arg *args, bp_err *err);
/* Adds a copy from one tensor to the other, which has the same dims in another layout or type. */
bp_rc bp_dnnl_reorder(struct bp_dnnl_builder *b, const struct bp_dnnl_tensor *from,
                      const struct bp_dnnl_tensor *to, bp_err *err);

#endif
