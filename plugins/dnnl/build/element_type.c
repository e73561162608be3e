/* SPDX-License-Identifier: MIT */
/* element_type.c - see element_type.h. */

#include "build/element_type.h"

#include "base/instance.h"
#include "build/builder.h"

/* Of ONNX's types those that some operator here reads or makes. */
dnnl_data_type_t bp_dnnl_host_type(const bp_graph *graph, uint32_t value)
{
    switch (BP_VALUE(graph, value)->dtype) {
    case BP_DTYPE_F32:
        return dnnl_f32;
    case BP_DTYPE_F16:
        return dnnl_f16;
    case BP_DTYPE_I32:
        return dnnl_s32;
    case BP_DTYPE_I8:
        return dnnl_s8;
    case BP_DTYPE_U8:
        return dnnl_u8;
    default:
        return dnnl_data_type_undef;
    }
}

dnnl_data_type_t bp_dnnl_inner_type(const bp_graph *graph, uint32_t value)
{
    dnnl_data_type_t type = bp_dnnl_host_type(graph, value);

    return type == dnnl_f16 ? dnnl_f32 : type;
}

dnnl_data_type_t bp_dnnl_compute_type(const struct bp_dnnl_builder *b)
{
    return b->instance->uses_bf16 ? dnnl_bf16 : dnnl_f32;
}

/* The host has no bfloat16 here, so that rounding to it would cost a reorder and accuracy. */
dnnl_data_type_t bp_dnnl_result_type(const struct bp_dnnl_builder *b, uint32_t value,
                                     dnnl_data_type_t type)
{
    return BP_VALUE(b->graph, value)->flags & BP_VALUE_OUTPUT ? dnnl_f32 : type;
}

/* The first tensor is the one that the value was made in; others are copies in other layouts. */
dnnl_data_type_t bp_dnnl_current_type(const struct bp_dnnl_builder *b, uint32_t value)
{
    const struct bp_dnnl_value *v = &b->values[value];

    return v->n_tensors > 0 ? v->tensors[0].md.data_type : bp_dnnl_inner_type(b->graph, value);
}
