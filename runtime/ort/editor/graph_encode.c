/* SPDX-License-Identifier: MIT */
/* graph_encode.c - encodes an OrtModel as a ModelProto, which the host opens. */

#include "config.h"

#include "ort/editor/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/put.h"
#include "ort/status.h"

/* ---- attributes ------------------------------------------------------------------------------ */

/* AttributeProto.type of a kind, and the number of the field that holds it. */
static const struct {
    int type;
    uint32_t field;
} kinds[] = {
    [ORT_OP_ATTR_INT] = {2, 3},    [ORT_OP_ATTR_INTS] = {7, 8},   [ORT_OP_ATTR_FLOAT] = {1, 2},
    [ORT_OP_ATTR_FLOATS] = {6, 7}, [ORT_OP_ATTR_STRING] = {3, 4}, [ORT_OP_ATTR_STRINGS] = {8, 9},
};

/* One field for each scalar or string. */
static void put_items(struct bp_put *put, OrtOpAttrType type, const char *data, size_t size)
{
    uint32_t field = kinds[type].field;

    switch (type) {
    case ORT_OP_ATTR_INT:
    case ORT_OP_ATTR_INTS:
        for (size_t at = 0; at < size; at += sizeof(int64_t)) {
            int64_t value;

            memcpy(&value, data + at, sizeof value);
            bp_put_int(put, field, value);
        }
        break;
    case ORT_OP_ATTR_FLOAT:
    case ORT_OP_ATTR_FLOATS:
        for (size_t at = 0; at < size; at += sizeof(float)) {
            float value;

            memcpy(&value, data + at, sizeof value);
            bp_put_float(put, field, value);
        }
        break;
    case ORT_OP_ATTR_STRING:
        bp_put_bytes(put, field, data, size);
        break;
    default: /* each with its end */
        for (size_t at = 0; at < size; at += strlen(data + at) + 1)
            bp_put_text(put, field, data + at);
    }
}

/* AttributeProto: name (1), value, type (20). */
static OrtStatus *put_attribute(struct bp_put *put, const OrtOpAttr *attr)
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
        mark = bp_put_begin(put, 5);
        bp_put_text(put, 1, name);
        put_items(put, type, data, size);
        bp_put_int(put, 20, kinds[type].type);
        bp_put_end(put, mark);
    }
    free(data);
    return status;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* TensorShapeProto: unknown dimensions without a name are empty messages. */
static void put_shape(struct bp_put *put, const OrtTensorTypeAndShapeInfo *shape)
{
    size_t mark = bp_put_begin(put, 2);

    for (size_t d = 0; d < shape->rank; d++) {
        size_t dim = bp_put_begin(put, 1);

        if (shape->dims[d] >= 0)
            bp_put_int(put, 1, shape->dims[d]);
        else if (shape->symbols && shape->symbols[d])
            bp_put_text(put, 2, shape->symbols[d]);
        bp_put_end(put, dim);
    }
    bp_put_end(put, mark);
}

/* A ValueInfoProto; only tensors can be built. */
static void put_info(struct bp_put *put, uint32_t field, const OrtValueInfo *info)
{
    size_t mark = bp_put_begin(put, field);

    bp_put_text(put, 1, info->name);
    if (info->type) {
        const OrtTensorTypeAndShapeInfo *shape = info->type->tensor;
        size_t type = bp_put_begin(put, 2);
        size_t tensor = bp_put_begin(put, 1);

        bp_put_int(put, 1, ort_host_dtype(shape->dtype));
        if (shape->has_shape)
            put_shape(put, shape);
        bp_put_end(put, tensor);
        bp_put_end(put, type);
    }
    bp_put_end(put, mark);
}

/* A TensorProto without data, which is passed as a weight. */
static void put_initializer(struct bp_put *put, const OrtValueInfo *info)
{
    const bp_tensor *tensor = &info->value->tensor;
    size_t mark = bp_put_begin(put, 5);

    for (uint32_t d = 0; d < tensor->rank; d++)
        bp_put_int(put, 1, tensor->dims[d]);
    bp_put_int(put, 2, tensor->dtype);
    bp_put_text(put, 8, info->name);
    bp_put_end(put, mark);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* NodeProto: inputs (1), outputs (2), name (3), op_type (4), attributes (5), domain (7). */
static OrtStatus *put_node(struct bp_put *put, const OrtNode *node)
{
    OrtStatus *status = NULL;
    size_t mark = bp_put_begin(put, 1);

    for (size_t i = 0; i < node->n_in + node->n_out; i++)
        bp_put_text(put, i < node->n_in ? 1 : 2, node->values[i] ? node->values[i]->name : "");
    bp_put_text(put, 3, node->name);
    bp_put_text(put, 4, node->op);
    for (size_t i = 0; i < node->n_attrs && !status; i++)
        status = put_attribute(put, node->attrs[i]);
    bp_put_text(put, 7, node->domain);
    bp_put_end(put, mark);
    return status;
}

/* GraphProto: nodes (1), name (2), initializers (5), inputs (11), outputs (12). */
static OrtStatus *put_graph(struct bp_put *put, const OrtGraph *graph, bool is_edit)
{
    OrtStatus *status = NULL;
    size_t mark = bp_put_begin(put, 7);

    for (size_t i = 0; i < graph->n_nodes && !status; i++)
        status = put_node(put, graph->nodes[i]);
    if (!is_edit)
        bp_put_text(put, 2, ORT_GRAPH_NAME);
    for (size_t i = 0; i < graph->initializers.n; i++)
        put_initializer(put, graph->initializers.items[i]);
    for (size_t i = 0; i < graph->inputs.n; i++)
        put_info(put, 11, graph->inputs.items[i]);
    for (size_t i = 0; i < graph->outputs.n; i++)
        put_info(put, 12, graph->outputs.items[i]);
    bp_put_end(put, mark);
    return status;
}

/* ModelProto: ir_version (1), graph (7), opset_import (8). */
OrtStatus *ort_model_encode(const OrtModel *model, bool is_edit, void **out, size_t *size)
{
    struct bp_put put = {0};
    OrtStatus *status;

    if (!is_edit)
        bp_put_int(&put, 1, ORT_IR_VERSION);
    for (size_t i = 0; i < model->n_opsets; i++) {
        size_t mark = bp_put_begin(&put, 8);

        bp_put_text(&put, 1, model->domains[i]);
        bp_put_int(&put, 2, model->versions[i]);
        bp_put_end(&put, mark);
    }
    status = put_graph(&put, model->graph, is_edit);
    if (!status && put.failed)
        status = ort_no_memory();
    if (status) {
        free(put.data);
        return status;
    }
    *out = put.data;
    *size = put.size;
    return NULL;
}
