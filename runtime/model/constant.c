/* SPDX-License-Identifier: MIT */
/*
 * constant.c - nodes of the operator Constant, whose one attribute is their value.
 *
 * ONNX Constant: `value` since opset 1, `sparse_value` since 11, `value_float`, `value_ints`,
 * `value_string`... since 12. All of them are read whatever opset is imported, as ONNX Runtime
 * does.
 */

#include "config.h"

#include "model/model.h"

/* Only ONNX's own domain: com.example.Constant is another operator. */
bool bp_is_constant_node(const Bp__NodeProto *proto)
{
    return strcmp(bp_text_or_empty(proto->op_type), "Constant") == 0 &&
           bp_onnx_domain(proto->domain)[0] == '\0';
}

/* Tensors of a function are numbered and decoded once, because several calls share them. */
bp_rc bp_decode_tensor(struct bp_builder *builder, const Bp__TensorProto *proto,
                       struct bp_ir_data **out, bp_err *err)
{
    struct bp_ir_data **shared = proto->has_number ? &builder->tensors[proto->number - 1] : NULL;
    struct bp_ir_data *data;
    bp_rc rc;

    if (shared && *shared) {
        *out = *shared;
        return BP_OK;
    }
    data = bp_region_alloc(builder->region, sizeof *data);
    if (!data)
        return bp_fail_nomem(err, "a tensor");
    rc = bp_tensor_proto_read(proto, &builder->onnx->source, builder->region, data, err);
    if (rc < 0)
        return rc;
    if (shared)
        *shared = data;
    *out = data;
    return BP_OK;
}

/* A scalar (is_list false) or a 1-D tensor of n elements; bytes stay in the message. */
static bp_rc make(struct bp_builder *builder, uint32_t dtype, const void *bytes, size_t n,
                  size_t width, bool is_list, struct bp_ir_data **out, bp_err *err)
{
    struct bp_ir_data *data = bp_region_alloc(builder->region, sizeof *data);
    int64_t *dims = bp_region_array(builder->region, 1, sizeof *dims);

    if (!data || !dims)
        return bp_fail_nomem(err, "a constant");
    dims[0] = (int64_t)n;
    data->dims = dims;
    data->rank = is_list ? 1 : 0;
    data->dtype = dtype;
    data->size = n * width;
    data->bytes = n > 0 ? bytes : (const uint8_t *)"";
    data->id = bp_source_id(&builder->onnx->source, data->bytes, data->size);
    *out = data;
    return BP_OK;
}

/* The elements are spans that point into the message. */
static bp_rc make_strings(struct bp_builder *builder, const ProtobufCBinaryData *strings, size_t n,
                          bool is_list, struct bp_ir_data **out, bp_err *err)
{
    bp_span *spans = bp_region_array(builder->region, n, sizeof *spans);
    bp_rc rc;

    if (!spans)
        return bp_fail_nomem(err, "a constant");
    for (size_t i = 0; i < n; i++) {
        spans[i].data = strings[i].data ? strings[i].data : (const uint8_t *)"";
        spans[i].size = strings[i].len;
    }
    rc = make(builder, BP_DTYPE_STRING, spans, n, sizeof *spans, is_list, out, err);
    if (rc >= 0) /* the spans are new in each build, the strings stay: the id is theirs */
        (*out)->id = bp_source_id(&builder->onnx->source, strings, n);
    return rc;
}

bp_rc bp_decode_constant(struct bp_builder *builder, const Bp__NodeProto *proto,
                         struct bp_ir_data **out, bp_err *err)
{
    const Bp__AttributeProto *attr;
    const char *name;

    if (proto->n_input > 0 || proto->n_output != 1)
        return bp_fail(err, BP_E_INVALID, "has %zu inputs and %zu outputs, not 0 and 1",
                       proto->n_input, proto->n_output);
    if (proto->n_attribute != 1)
        return bp_fail(err, BP_E_INVALID, "has %zu attributes, not just its value",
                       proto->n_attribute);
    attr = proto->attribute[0];
    name = bp_text_or_empty(attr->name);

    if (strcmp(name, "value") == 0 && attr->t)
        return bp_decode_tensor(builder, attr->t, out, err);
    /* exporters write sparse tensors as `value` too, which ONNX Runtime reads */
    if ((strcmp(name, "sparse_value") == 0 || strcmp(name, "value") == 0) && attr->sparse_tensor)
        return bp_decode_sparse(builder, attr->sparse_tensor, out, err);
    if (strcmp(name, "value_float") == 0 && attr->has_f)
        return make(builder, BP_DTYPE_F32, &attr->f, 1, sizeof attr->f, false, out, err);
    if (strcmp(name, "value_floats") == 0)
        return make(builder, BP_DTYPE_F32, attr->floats, attr->n_floats, sizeof *attr->floats, true,
                    out, err);
    if (strcmp(name, "value_int") == 0 && attr->has_i)
        return make(builder, BP_DTYPE_I64, &attr->i, 1, sizeof attr->i, false, out, err);
    if (strcmp(name, "value_ints") == 0)
        return make(builder, BP_DTYPE_I64, attr->ints, attr->n_ints, sizeof *attr->ints, true, out,
                    err);
    if (strcmp(name, "value_string") == 0 && attr->has_s)
        return make_strings(builder, &attr->s, 1, false, out, err);
    if (strcmp(name, "value_strings") == 0)
        return make_strings(builder, attr->strings, attr->n_strings, true, out, err);
    return bp_fail(err, BP_E_INVALID, "attribute '%.80s' is not a value, or is empty", name);
}
