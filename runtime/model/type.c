/* SPDX-License-Identifier: MIT */
/* type.c - declared types of values (TypeProto): element type and shape. */

#include "config.h"

#include "model/model.h"

/* Has the application given the dimension a size? Its name counts for more than its denotation. */
static bool find_fixed(const struct bp_symbols *symbols,
                       const Bp__TensorShapeProto__Dimension *proto, struct bp_sym *out)
{
    uint32_t at = bp_fixed_list_find(symbols->fixed, proto->dim_param, false);

    if (at == BP_NONE)
        at = bp_fixed_list_find(symbols->fixed, proto->denotation, true);
    if (at == BP_NONE)
        return false;
    symbols->is_fixed[at] = true;
    *out = bp_sym_of(symbols->fixed->rows[at].size);
    return true;
}

/*
 * A dimension is a value, a name (dim_param: the same name is the same size) or unknown. Negative
 * values, which some exporters write for "unknown", are unknown.
 */
static bp_rc decode_dim(struct bp_builder *builder, const Bp__TensorShapeProto__Dimension *proto,
                        struct bp_sym *out, bp_err *err)
{
    if (proto->has_dim_value && proto->dim_value >= 0) {
        *out = bp_sym_of(proto->dim_value);
        return BP_OK;
    }
    if (find_fixed(builder->symbols, proto, out))
        return BP_OK;
    if (!proto->has_dim_value && proto->dim_param && proto->dim_param[0])
        return bp_symbols_named(builder->symbols, proto->dim_param, out, err);
    return bp_symbols_fresh(builder->symbols, false, out, err);
}

/* No shape means unknown rank; an empty shape means a scalar. */
static bp_rc decode_tensor(struct bp_builder *builder, const Bp__TypeProto__Tensor *proto,
                           struct bp_fact *out, bp_err *err)
{
    const Bp__TensorShapeProto *shape = proto->shape;
    struct bp_sym *dims;

    if (proto->elem_type < 0 || proto->elem_type >= BP_DTYPE_END)
        return bp_fail_dtype(err, "its elem_type", proto->elem_type);
    out->dtype = (uint32_t)proto->elem_type;
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

/* Its item is the dense tensor of the same type and shape. */
static bp_rc decode_sparse(struct bp_builder *builder, const Bp__TypeProto__Tensor *proto,
                           struct bp_fact *out, bp_err *err)
{
    struct bp_fact *dense = bp_region_array(builder->region, 1, sizeof *dense);

    if (!dense)
        return bp_fail_nomem(err, "its type");
    *dense = (struct bp_fact){.rank = BP_RANK_UNKNOWN};
    out->kind = BP_KIND_SPARSE;
    out->item = dense;
    return decode_tensor(builder, proto, dense, err);
}

/*
 * A sequence, optional or map. Items keep no shape, because each item of a sequence may have
 * another.
 */
static bp_rc decode_items(struct bp_builder *builder, uint32_t kind, int32_t key_type,
                          const Bp__TypeProto *value, struct bp_fact *out, bp_err *err)
{
    uint32_t n = kind == BP_KIND_MAP ? 2 : 1;
    struct bp_fact *items = bp_region_array(builder->region, n, sizeof *items);
    bp_rc rc;

    if (!items)
        return bp_fail_nomem(err, "its type");
    if (kind == BP_KIND_MAP) {
        if (key_type < 0 || key_type >= BP_DTYPE_END)
            return bp_fail(err, BP_E_INVALID,
                           "its key_type %d is not an element type that is known", key_type);
        items[0] = (struct bp_fact){.rank = BP_RANK_UNKNOWN, .dtype = (uint32_t)key_type};
    }
    rc = bp_decode_type(builder, value, &items[n - 1], err);
    items[n - 1].rank = BP_RANK_UNKNOWN;
    items[n - 1].dims = NULL;
    out->kind = kind;
    out->item = items;
    return rc;
}

/* Recursion is bounded by the scan's BP_WIRE_MAX_DEPTH. */
bp_rc bp_decode_type(struct bp_builder *builder, const Bp__TypeProto *proto, struct bp_fact *out,
                     bp_err *err)
{
    *out = (struct bp_fact){.rank = BP_RANK_UNKNOWN};
    if (!proto)
        return BP_OK;
    if (proto->tensor_type)
        return decode_tensor(builder, proto->tensor_type, out, err);
    if (proto->sequence_type)
        return decode_items(builder, BP_KIND_SEQUENCE, 0, proto->sequence_type->elem_type, out,
                            err);
    if (proto->optional_type)
        return decode_items(builder, BP_KIND_OPTIONAL, 0, proto->optional_type->elem_type, out,
                            err);
    if (proto->map_type)
        return decode_items(builder, BP_KIND_MAP, proto->map_type->key_type,
                            proto->map_type->value_type, out, err);
    if (proto->sparse_tensor_type)
        return decode_sparse(builder, proto->sparse_tensor_type, out, err);
    return BP_OK;
}

/* ---- as text --------------------------------------------------------------------------------- */

/* ONNX's names of element types where they differ from ours. */
static const char *element_word(int32_t dtype)
{
    if (dtype == BP_DTYPE_F32)
        return "float";
    if (dtype == BP_DTYPE_F64)
        return "double";
    return bp_dtype_name((uint32_t)dtype);
}

/* As in ONNX's operator schemas. */
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
