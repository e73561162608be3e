/* SPDX-License-Identifier: MIT */
/*
 * model_facts.c - one walk over all tensors of a model when it is opened: checks them, counts
 * weights, registers external files.
 *
 * Tensors are in initializers, sparse initializers, attributes of nodes, subgraphs and functions.
 * After this walk, decoding a graph trusts their types and sizes.
 */

#include "config.h"

#include "model/external.h"
#include "model/model.h"

/* A weight that the application gave replaces external data, so that file is not needed. */
static bp_rc survey_tensor(struct bp_onnx *onnx, Bp__TensorProto *proto, size_t *bytes, bp_err *err)
{
    bp_rc rc = bp_tensor_proto_check(proto, bytes, err);

    if (onnx->proto->n_functions > 0) {
        proto->number = ++onnx->n_numbered; /* BP_WIRE_MAX_MESSAGES bounds it */
        proto->has_number = true;
    }
    if (rc >= 0 && proto->given == 0 && proto->data_location == BP_TENSOR_EXTERNAL)
        rc = bp_external_add(onnx->source.external, proto, err);
    if (rc < 0)
        return bp_fail_in(err, rc, "tensor '%.80s'", bp_text_or_empty(proto->name));
    return BP_OK;
}

/* *bytes is the size of the values alone: what the file holds. */
static bp_rc survey_sparse(struct bp_onnx *onnx, const Bp__SparseTensorProto *proto, size_t *bytes,
                           bp_err *err)
{
    size_t ignored;
    bp_rc rc = BP_OK;

    *bytes = 0;
    if (proto->values)
        rc = survey_tensor(onnx, proto->values, bytes, err);
    if (rc >= 0 && proto->indices)
        rc = survey_tensor(onnx, proto->indices, &ignored, err);
    return rc;
}

static bp_rc survey_graph(struct bp_onnx *onnx, const Bp__GraphProto *proto, bp_err *err);

/* AttributeProto.sparse_tensors (a list) is not an attribute of any operator, so it isn't read. */
static bp_rc survey_attribute(struct bp_onnx *onnx, const Bp__AttributeProto *proto, bp_err *err)
{
    size_t ignored;
    bp_rc rc = BP_OK;

    if (proto->t)
        rc = survey_tensor(onnx, proto->t, &ignored, err);
    for (size_t i = 0; i < proto->n_tensors && rc >= 0; i++)
        rc = survey_tensor(onnx, proto->tensors[i], &ignored, err);
    if (rc >= 0 && proto->sparse_tensor)
        rc = survey_sparse(onnx, proto->sparse_tensor, &ignored, err);
    if (rc >= 0 && proto->g)
        rc = survey_graph(onnx, proto->g, err);
    for (size_t i = 0; i < proto->n_graphs && rc >= 0; i++)
        rc = survey_graph(onnx, proto->graphs[i], err);
    return rc;
}

static bp_rc survey_nodes(struct bp_onnx *onnx, Bp__NodeProto *const *nodes, size_t n, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (size_t i = 0; i < n && rc >= 0; i++) {
        for (size_t k = 0; k < nodes[i]->n_attribute && rc >= 0; k++)
            rc = survey_attribute(onnx, nodes[i]->attribute[k], err);
    }
    return rc;
}

/* Recursive; BP_WIRE_MAX_DEPTH of the scan bounds the depth. */
static bp_rc survey_graph(struct bp_onnx *onnx, const Bp__GraphProto *proto, bp_err *err)
{
    size_t bytes = 0;
    bp_rc rc = BP_OK;

    for (size_t i = 0; i < proto->n_initializer && rc >= 0; i++) {
        rc = survey_tensor(onnx, proto->initializer[i], &bytes, err);
        onnx->weight_bytes += bytes;
    }
    for (size_t i = 0; i < proto->n_sparse_initializer && rc >= 0; i++) {
        rc = survey_sparse(onnx, proto->sparse_initializer[i], &bytes, err);
        onnx->weight_bytes += bytes;
    }
    onnx->n_weights += proto->n_initializer + proto->n_sparse_initializer;
    if (rc >= 0)
        rc = survey_nodes(onnx, proto->node, proto->n_node, err);
    return rc;
}

/* Functions can hold constants too. */
bp_rc bp_onnx_survey(struct bp_onnx *onnx, bp_err *err)
{
    bp_rc rc = survey_graph(onnx, onnx->proto->graph, err);

    for (size_t i = 0; i < onnx->proto->n_functions && rc >= 0; i++) {
        const Bp__FunctionProto *function = onnx->proto->functions[i];

        rc = survey_nodes(onnx, function->node, function->n_node, err);
        for (size_t k = 0; k < function->n_attribute_proto && rc >= 0; k++)
            rc = survey_attribute(onnx, function->attribute_proto[k], err);
        if (rc < 0)
            return bp_fail_in(err, rc, "function '%.80s'", bp_text_or_empty(function->name));
    }
    return rc;
}
