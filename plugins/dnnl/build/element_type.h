/* SPDX-License-Identifier: MIT */
/*
 * element_type.h - element types of values as oneDNN names them. float16 is storage: within a group
 * such values are float32, or bfloat16 between convolutions and products where math_mode says so.
 */
#ifndef BP_DNNL_ELEMENT_TYPE_H
#define BP_DNNL_ELEMENT_TYPE_H

#include <bp/sdk.h>
#include <dnnl.h>

struct bp_dnnl_builder;

/* As the host has the value; dnnl_data_type_undef: a type that no operator here computes with. */
dnnl_data_type_t bp_dnnl_host_type(const bp_graph *graph, uint32_t value);
/* The same within a group, where float16 is float32. */
dnnl_data_type_t bp_dnnl_inner_type(const bp_graph *graph, uint32_t value);
/* As the value exists now; before it exists, and of a constant: its inner type. */
dnnl_data_type_t bp_dnnl_current_type(const struct bp_dnnl_builder *b, uint32_t value);
/*
 * In what convolutions and products are to compute. bfloat16 is worth a try only: where oneDNN has
 * no such kernel (BP_E_SHAPE), the caller takes float32.
 */
dnnl_data_type_t bp_dnnl_compute_type(const struct bp_dnnl_builder *b);
/* In what a product of operands of `type` makes the value: what leaves the group is float32. */
dnnl_data_type_t bp_dnnl_result_type(const struct bp_dnnl_builder *b, uint32_t value,
                                     dnnl_data_type_t type);

#endif
