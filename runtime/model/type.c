/* SPDX-License-Identifier: MIT */
/* type.c - what a model declares of its values: element type and sizes. */

#include "config.h"

#include "model/model.h"

static bp_rc decode_dim(struct bp_builder *builder, const Bp__TensorShapeProto__Dimension *proto,
                        struct bp_sym *out, bp_err *err)
{
    if (proto->has_dim_value && proto->dim_value >= 0) {
        *out = bp_sym_of(proto->dim_value);
        return BP_OK;
    }
    if (!proto->has_dim_value && proto->dim_param && proto->dim_param[0])
        return bp_symbols_named(builder->symbols, proto->dim_param, out, err);
    return bp_symbols_fresh(builder->symbols, false, out, err);
}

bp_rc bp_decode_type(struct bp_builder *builder, const Bp__TypeProto *proto, struct bp_fact *out,
                     bp_err *err)
{
    const Bp__TensorShapeProto *shape;
    struct bp_sym *dims;

    memset(out, 0, sizeof *out);
    out->rank = BP_RANK_UNKNOWN;
    if (!proto || !proto->tensor_type)
        return BP_OK;
    if (proto->tensor_type->elem_type < 0 || proto->tensor_type->elem_type >= BP_DTYPE_END)
        return bp_fail(err, BP_E_INVALID, "its elem_type %d is no element type that is known",
                       proto->tensor_type->elem_type);
    out->dtype = (uint32_t)proto->tensor_type->elem_type;

    shape = proto->tensor_type->shape;
    if (!shape)
        return BP_OK;
    if (shape->n_dim > BP_MAX_RANK)
        return bp_fail(err, BP_E_INVALID, "its rank %zu is over %d", shape->n_dim, BP_MAX_RANK);
    dims = bp_region_array(builder->region, shape->n_dim, sizeof *dims);
    if (!dims)
        return bp_fail_nomem(err, "its sizes");
    for (size_t i = 0; i < shape->n_dim; i++) {
        bp_rc rc = decode_dim(builder, shape->dim[i], &dims[i], err);

        if (rc < 0)
            return rc;
    }
    out->rank = (uint32_t)shape->n_dim;
    out->dims = dims;
    return BP_OK;
}

/* ---- as text --------------------------------------------------------------------------------- */

/* ONNX's words where they differ from ours. */
static const char *element_word(int32_t dtype)
{
    if (dtype == BP_DTYPE_F32)
        return "float";
    if (dtype == BP_DTYPE_F64)
        return "double";
    return bp_dtype_name((uint32_t)dtype);
}

const char *bp_type_text(struct bp_builder *builder, const Bp__TypeProto *proto)
{
    const char *inner;

    if (!proto)
        return "";
    if (proto->tensor_type || proto->sparse_tensor_type)
        return bp_region_printf(
            builder->region, "%s(%s)", proto->tensor_type ? "tensor" : "sparse_tensor",
            element_word(proto->tensor_type ? proto->tensor_type->elem_type
                                            : proto->sparse_tensor_type->elem_type));
    if (proto->map_type) {
        inner = bp_type_text(builder, proto->map_type->value_type);
        return inner ? bp_region_printf(builder->region, "map(%s,%s)",
                                        element_word(proto->map_type->key_type), inner)
                     : NULL;
    }
    if (proto->sequence_type || proto->optional_type) {
        inner = bp_type_text(builder, proto->sequence_type ? proto->sequence_type->elem_type
                                                           : proto->optional_type->elem_type);
        return inner ? bp_region_printf(builder->region, "%s(%s)",
                                        proto->sequence_type ? "seq" : "optional", inner)
                     : NULL;
    }
    return "";
}
