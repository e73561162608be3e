/* SPDX-License-Identifier: MIT */
/* graph_encode.c - an OrtModel as a ModelProto, the form in which the host takes models. */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "ort/graph.h"
#include "ort/proto.h"
#include "ort/status.h"

/* ---- attributes ------------------------------------------------------------------------------ */

/* AttributeProto's number for a kind, and the field that holds it. */
static const struct {
    int type;
    uint32_t field;
} kinds[] = {
    [ORT_OP_ATTR_INT] = {2, 3},    [ORT_OP_ATTR_INTS] = {7, 8},   [ORT_OP_ATTR_FLOAT] = {1, 2},
    [ORT_OP_ATTR_FLOATS] = {6, 7}, [ORT_OP_ATTR_STRING] = {3, 4}, [ORT_OP_ATTR_STRINGS] = {8, 9},
};

static void put_items(struct ort_proto *proto, OrtOpAttrType type, const char *data, size_t size)
{
    uint32_t field = kinds[type].field;

    switch (type) {
    case ORT_OP_ATTR_INT:
    case ORT_OP_ATTR_INTS:
        for (size_t at = 0; at < size; at += sizeof(int64_t)) {
            int64_t value;

            memcpy(&value, data + at, sizeof value);
            ort_proto_int(proto, field, value);
        }
        break;
    case ORT_OP_ATTR_FLOAT:
    case ORT_OP_ATTR_FLOATS:
        for (size_t at = 0; at < size; at += sizeof(float)) {
            float value;

            memcpy(&value, data + at, sizeof value);
            ort_proto_float(proto, field, value);
        }
        break;
    case ORT_OP_ATTR_STRING:
        ort_proto_bytes(proto, field, data, size);
        break;
    default: /* each with its end */
        for (size_t at = 0; at < size; at += strlen(data + at) + 1)
            ort_proto_text(proto, field, data + at);
    }
}

static OrtStatus *put_attribute(struct ort_proto *proto, const OrtOpAttr *attr)
{
    const char *name = NULL;
    OrtOpAttrType type = ORT_OP_ATTR_UNDEFINED;
    size_t size = 0;
    size_t mark;
    char *data;
    OrtStatus *status = ort_OpAttr_GetName(attr, &name);

    if (!status)
        status = ort_OpAttr_GetType(attr, &type);
    if (status)
        return status;
    ort_ReleaseStatus(ort_ReadOpAttr(attr, type, NULL, 0, &size)); /* asks how much there is */
    data = malloc(size + 1);
    if (!data)
        return ort_no_memory();
    status = ort_ReadOpAttr(attr, type, data, size, &size);
    if (!status) {
        mark = ort_proto_begin(proto, 5);
        ort_proto_text(proto, 1, name);
        put_items(proto, type, data, size);
        ort_proto_int(proto, 20, kinds[type].type);
        ort_proto_end(proto, mark);
    }
    free(data);
    return status;
}

/* ---- values ---------------------------------------------------------------------------------- */

static void put_shape(struct ort_proto *proto, const OrtTensorTypeAndShapeInfo *shape)
{
    size_t mark = ort_proto_begin(proto, 2);

    for (size_t d = 0; d < shape->rank; d++) {
        size_t dim = ort_proto_begin(proto, 1);

        if (shape->dims[d] >= 0)
            ort_proto_int(proto, 1, shape->dims[d]);
        else if (shape->symbols && shape->symbols[d])
            ort_proto_text(proto, 2, shape->symbols[d]);
        ort_proto_end(proto, dim);
    }
    ort_proto_end(proto, mark);
}

/* A ValueInfoProto; only tensors become values. */
static void put_info(struct ort_proto *proto, uint32_t field, const OrtValueInfo *info)
{
    size_t mark = ort_proto_begin(proto, field);

    ort_proto_text(proto, 1, info->name);
    if (info->type) {
        const OrtTensorTypeAndShapeInfo *shape = info->type->tensor;
        size_t type = ort_proto_begin(proto, 2);
        size_t tensor = ort_proto_begin(proto, 1);

        ort_proto_int(proto, 1, ort_host_dtype(shape->dtype));
        if (shape->has_shape)
            put_shape(proto, shape);
        ort_proto_end(proto, tensor);
        ort_proto_end(proto, type);
    }
    ort_proto_end(proto, mark);
}

/* A TensorProto without data, which is given beside the model. */
static void put_initializer(struct ort_proto *proto, const OrtValueInfo *info)
{
    const bp_tensor *tensor = &info->value->tensor;
    size_t mark = ort_proto_begin(proto, 5);

    for (uint32_t d = 0; d < tensor->rank; d++)
        ort_proto_int(proto, 1, tensor->dims[d]);
    ort_proto_int(proto, 2, tensor->dtype);
    ort_proto_text(proto, 8, info->name);
    ort_proto_end(proto, mark);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static OrtStatus *put_node(struct ort_proto *proto, const OrtNode *node)
{
    OrtStatus *status = NULL;
    size_t mark = ort_proto_begin(proto, 1);

    for (size_t i = 0; i < node->n_in + node->n_out; i++)
        ort_proto_text(proto, i < node->n_in ? 1 : 2, node->ends[i] ? node->ends[i]->name : "");
    ort_proto_text(proto, 3, node->name);
    ort_proto_text(proto, 4, node->op);
    for (size_t i = 0; i < node->n_attrs && !status; i++)
        status = put_attribute(proto, node->attrs[i]);
    ort_proto_text(proto, 7, node->domain);
    ort_proto_end(proto, mark);
    return status;
}

static OrtStatus *put_graph(struct ort_proto *proto, const OrtGraph *graph, bool is_edit)
{
    OrtStatus *status = NULL;
    size_t mark = ort_proto_begin(proto, 7);

    for (size_t i = 0; i < graph->n_nodes && !status; i++)
        status = put_node(proto, graph->nodes[i]);
    if (!is_edit)
        ort_proto_text(proto, 2, ORT_GRAPH_NAME);
    for (size_t i = 0; i < graph->initializers.n; i++)
        put_initializer(proto, graph->initializers.items[i]);
    for (size_t i = 0; i < graph->inputs.n; i++)
        put_info(proto, 11, graph->inputs.items[i]);
    for (size_t i = 0; i < graph->outputs.n; i++)
        put_info(proto, 12, graph->outputs.items[i]);
    ort_proto_end(proto, mark);
    return status;
}

OrtStatus *ort_model_encode(const OrtModel *model, bool is_edit, void **out, size_t *size)
{
    struct ort_proto proto = {0};
    OrtStatus *status;

    if (!is_edit)
        ort_proto_int(&proto, 1, ORT_IR_VERSION);
    for (size_t i = 0; i < model->n_opsets; i++) {
        size_t mark = ort_proto_begin(&proto, 8);

        ort_proto_text(&proto, 1, model->domains[i]);
        ort_proto_int(&proto, 2, model->versions[i]);
        ort_proto_end(&proto, mark);
    }
    status = put_graph(&proto, model->graph, is_edit);
    if (!status && proto.failed)
        status = ort_no_memory();
    if (status) {
        free(proto.data);
        return status;
    }
    *out = proto.data;
    *size = proto.size;
    return NULL;
}
