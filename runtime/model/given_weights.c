/* SPDX-License-Identifier: MIT */
/*
 * given_weights.c - weights that the application gives in place of a model's initializers.
 *
 * The model's bytes are not changed: TensorProto.given, a field of our own, refers to the row of
 * the weight. Data is borrowed from the application and must outlive the model.
 */

#include "config.h"

#include "model/external.h"
#include "model/model.h"
#include "text/text.h"

/* Initializers of the main graph by name: index in the list. Finish the map after a failure too. */
static bp_rc index_names(const Bp__GraphProto *graph, struct bp_strmap *out, bp_err *err)
{
    for (size_t i = 0; i < graph->n_initializer; i++) {
        if (!bp_strmap_put(out, bp_text_or_empty(graph->initializer[i]->name), (uint32_t)i))
            return bp_fail_nomem(err, "the initializers");
    }
    return BP_OK;
}

/* Suggests the nearest name. */
static bp_rc fail_unknown(const Bp__GraphProto *graph, const char *name, struct bp_region *region,
                          bp_err *err)
{
    const char **names = bp_region_array(region, graph->n_initializer, sizeof *names);
    const char *nearest;

    if (!names)
        return bp_fail_nomem(err, "the initializers");
    for (size_t i = 0; i < graph->n_initializer; i++)
        names[i] = bp_text_or_empty(graph->initializer[i]->name);
    nearest = bp_nearest(name, names, graph->n_initializer);
    return bp_fail(err, BP_E_OPTION, "the model has no such initializer%s%s%s",
                   nearest ? "; is '" : "", nearest ? nearest : "", nearest ? "' meant?" : "");
}

/* Type, rank and every dimension must be those of the initializer. */
static bp_rc check_fit(const struct bp_onnx *onnx, const Bp__TensorProto *proto,
                       const bp_model_weight *weight, bp_err *err)
{
    const bp_tensor *tensor = &weight->tensor;
    bool is_external = bp_external_is_beside(onnx->source.external, proto);

    if (weight->flags & BP_WEIGHT_EXTERNAL && !is_external)
        return bp_fail(err, BP_E_OPTION, "the model has its data within, not in an external file");
    if ((uint32_t)proto->data_type != tensor->dtype)
        return bp_fail(err, BP_E_OPTION, "it is %s, the model's initializer is %s",
                       bp_dtype_name(tensor->dtype), bp_dtype_name((uint32_t)proto->data_type));
    if (proto->n_dims != tensor->rank)
        return bp_fail(err, BP_E_OPTION, "it has rank %u, the model's initializer has %zu",
                       tensor->rank, proto->n_dims);
    for (uint32_t i = 0; i < tensor->rank; i++) {
        if (proto->dims[i] != tensor->dims[i])
            return bp_fail(err, BP_E_OPTION,
                           "its size in dimension %u is %lld, the model's initializer has %lld", i,
                           (long long)tensor->dims[i], (long long)proto->dims[i]);
    }
    return BP_OK;
}

static bp_rc give(struct bp_onnx *onnx, const struct bp_strmap *names,
                  const bp_model_weight *weight, uint32_t row, bp_err *err)
{
    const Bp__GraphProto *graph = onnx->proto->graph;
    uint32_t at = bp_strmap_get(names, weight->name, BP_NONE);
    Bp__TensorProto *proto;
    size_t ignored;
    bp_rc rc;

    if (at == BP_NONE && weight->flags & BP_WEIGHT_IF_ANY)
        return BP_OK;
    if (at == BP_NONE)
        return fail_unknown(graph, weight->name, &onnx->region, err);
    proto = graph->initializer[at];
    rc = bp_tensor_check(&weight->tensor, &ignored, err);
    if (rc >= 0)
        rc = check_fit(onnx, proto, weight, err);
    if (rc < 0)
        return rc;
    if (!bp_strmap_put(&onnx->given, proto->name, row + 1))
        return bp_fail_nomem(err, "the weights");
    proto->given = row + 1;
    proto->has_given = true;
    return BP_OK;
}

bp_rc bp_onnx_give(struct bp_onnx *onnx, const bp_model_weight *weights, uint32_t n, bp_err *err)
{
    struct bp_strmap names = {0};
    bp_tensor *tensors;
    bp_rc rc;

    if (n == 0)
        return BP_OK;
    tensors = bp_region_array(&onnx->region, n, sizeof *tensors);
    if (!tensors)
        return bp_fail_nomem(err, "the weights");
    rc = index_names(onnx->proto->graph, &names, err);
    for (uint32_t i = 0; i < n && rc >= 0; i++) {
        tensors[i] = weights[i].tensor;
        rc = give(onnx, &names, &weights[i], i, err);
        if (rc < 0)
            rc = bp_fail_in(err, rc, "weight '%.80s'", weights[i].name);
    }
    bp_strmap_finish(&names);
    onnx->source.given = tensors;
    return rc;
}
