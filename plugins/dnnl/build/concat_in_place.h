/* SPDX-License-Identifier: MIT */
/*
 * concat_in_place.h - a Concat along channels that copies nothing: in blocks of 16 channels and a
 * batch of 1 each input is written to its slot of the output by the node that makes it.
 */
#ifndef BP_DNNL_CONCAT_IN_PLACE_H
#define BP_DNNL_CONCAT_IN_PLACE_H

#include "build/builder.h"

/* At compile time: notes for each value the last Concat along channels that reads it once. */
void bp_dnnl_find_concats(bp_program *program);

/*
 * The value's slot in the output of its Concat, or of the largest around it; *is_set says whether
 * it has one in this layout. BP_E_NOMEM.
 */
bp_rc bp_dnnl_concat_slot(struct bp_dnnl_builder *b, uint32_t value, const dnnl_memory_desc_t *md,
                          struct bp_dnnl_tensor *out, bool *is_set, bp_err *err);

/*
 * Where the current node's Concat can be done in place, *is_set, and the buffer of its output, in
 * the layout of an input: because all inputs are neighbours, or some lie in their slots already.
 */
void bp_dnnl_concat_buffer(struct bp_dnnl_builder *b, const bp_node *node,
                           struct bp_dnnl_tensor *whole, bool *is_set);
/* Does the value exist at that location, in that layout? */
bool bp_dnnl_lies_at(const struct bp_dnnl_value *value, const struct bp_dnnl_tensor *slot);

#endif
