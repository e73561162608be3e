/* SPDX-License-Identifier: MIT */
/*
 * shape_context.c - OrtShapeInferContext (OrtApi since version 17): shapes of outputs, set by a
 * custom operator's InferOutputShapeFn.
 */

#include "config.h"

#include <bp/sdk.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ort/custom/op.h"
#include "ort/guarded.h"
#include "ort/status.h"

enum { MAX_RANK = 64 }; /* as BP_MAX_RANK of the host */

/* An attribute that was returned; freed with the context. */
struct asked {
    struct asked *next;
    OrtOpAttr *attr;
};

struct OrtShapeInferContext {
    const struct ort_op *op;
    bp_operator_shapes *shapes;
    OrtTensorTypeAndShapeInfo **in; /* for each input; NULL: absent */
    uint32_t n_in;
    uint32_t dynamic; /* type of the first input with UNDEFINED type; outputs may share it */
    struct asked *attrs;
};

/* A name from which the symbol can be recovered: "name#number". */
static char *symbol_name(const bp_operator_shapes *shapes, uint32_t symbol)
{
    const char *name = bp_operator_shapes_symbol(shapes, symbol);
    size_t size = strlen(name) + 16;
    char *text = malloc(size);

    if (text)
        snprintf(text, size, "%s#%u", name, symbol);
    return text;
}

/* The symbol of such a name; 0: it is not an input's. */
static uint32_t symbol_of(const char *name)
{
    const char *number = name ? strrchr(name, '#') : NULL;

    return number ? (uint32_t)strtoul(number + 1, NULL, 10) : 0;
}

/* Unknown dimensions are -1 with the name of their symbol, if they have one. NULL: no memory. */
static OrtTensorTypeAndShapeInfo *read_input(const bp_operator_shapes *shapes,
                                             const bp_operator_fact *fact)
{
    bool has_rank = fact->rank != BP_RANK_UNKNOWN;
    OrtTensorTypeAndShapeInfo *info =
        ort_shape_create(ort_dtype(fact->dtype), NULL, has_rank ? fact->rank : 0);

    for (uint32_t d = 0; info && has_rank && d < fact->rank; d++) {
        info->dims[d] = fact->dims[d].value;
        if (fact->dims[d].value >= 0 || fact->dims[d].symbol == 0)
            continue;
        info->symbols[d] = symbol_name(shapes, fact->dims[d].symbol);
        if (!info->symbols[d]) {
            ort_ReleaseTensorTypeAndShapeInfo(info);
            return NULL;
        }
    }
    if (info)
        info->has_shape = has_rank;
    return info;
}

/* All inputs, and the element type that outputs of UNDEFINED type share. BP_E_NOMEM. */
static bp_rc read_inputs(OrtShapeInferContext *context, bp_err *err)
{
    context->n_in = bp_operator_shapes_inputs(context->shapes);
    context->in = calloc((size_t)context->n_in + 1, sizeof(OrtTensorTypeAndShapeInfo *));
    if (!context->in)
        return bp_fail(err, BP_E_NOMEM, "no memory for shapes");
    for (uint32_t i = 0; i < context->n_in; i++) {
        bp_operator_fact fact = {.struct_size = sizeof fact};
        bp_rc rc = bp_operator_shapes_input(context->shapes, i, &fact, err);

        if (rc < 0)
            return rc;
        if (context->dynamic == BP_DTYPE_NONE && ort_op_input_type(context->op, i) == BP_DTYPE_NONE)
            context->dynamic = fact.dtype;
        context->in[i] = read_input(context->shapes, &fact);
        if (!context->in[i])
            return bp_fail(err, BP_E_NOMEM, "no memory for shapes");
    }
    return BP_OK;
}

static void finish(OrtShapeInferContext *context)
{
    for (uint32_t i = 0; context->in && i < context->n_in; i++)
        ort_ReleaseTensorTypeAndShapeInfo(context->in[i]);
    free(context->in);
    while (context->attrs) {
        struct asked *next = context->attrs->next;

        ort_ReleaseOpAttr(context->attrs->attr);
        free(context->attrs);
        context->attrs = next;
    }
}

/* Element type of output i; NONE: the model must declare it. */
static uint32_t output_type(const OrtShapeInferContext *context, uint32_t i)
{
    uint32_t dtype = ort_op_output_type(context->op, i);

    return dtype != BP_DTYPE_NONE ? dtype : context->dynamic;
}

/* The member of the family whose input types match; the first if none does. */
static const struct ort_op *choose(const struct ort_family *family, bp_operator_shapes *shapes)
{
    uint32_t n = bp_operator_shapes_inputs(shapes);

    for (size_t k = 0; k < family->n_ops && family->n_ops > 1; k++) {
        bool fits = true;

        for (uint32_t i = 0; fits && i < n; i++) {
            bp_operator_fact fact = {.struct_size = sizeof fact};
            uint32_t want = ort_op_input_type(&family->ops[k], i);

            fits = bp_operator_shapes_input(shapes, i, &fact, NULL) >= 0 &&
                   (!fact.dtype || want == BP_DTYPE_NONE || fact.dtype == want);
        }
        if (fits)
            return &family->ops[k];
    }
    return &family->ops[0];
}

struct inferring {
    OrtShapeInferContext *context;
    OrtStatus *status;
};

/* InferOutputShapeFn may throw, so it runs under bp_guard(). */
static void call_infer(void *u)
{
    struct inferring *inferring = u;
    const struct ort_op *op = inferring->context->op;

    inferring->status = op->fn.InferOutputShapeFn(op->at, inferring->context);
}

/* ONNX Runtime's codes: ORT_FAIL for a std::exception here, ORT_RUNTIME_EXCEPTION for others. */
static OrtStatus *infer(OrtShapeInferContext *context)
{
    struct inferring inferring = {context, NULL};
    struct bp_thrown thrown;

    if (!bp_guard(call_infer, &inferring, &thrown))
        return ort_thrown_as(thrown.is_std ? ORT_FAIL : ORT_RUNTIME_EXCEPTION, &thrown,
                             "InferOutputShapeFn");
    return inferring.status;
}

/* bp_operator_def.shapes: outputs have no shape unless InferOutputShapeFn sets one. */
bp_rc ort_custom_shapes(void *user, bp_operator_shapes *shapes, bp_err *err)
{
    OrtShapeInferContext context = {.op = choose(user, shapes), .shapes = shapes};
    bp_rc rc = read_inputs(&context, err);

    for (uint32_t i = 0; rc >= 0 && i < bp_operator_shapes_outputs(shapes); i++)
        rc =
            bp_operator_shapes_set(shapes, i, output_type(&context, i), BP_RANK_UNKNOWN, NULL, err);
    if (rc >= 0 && context.op->fn.InferOutputShapeFn)
        rc = ort_to_err(infer(&context), err);
    finish(&context);
    return rc;
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* OrtApi since version 17. */
OrtStatus *ort_ShapeInferContext_GetInputCount(const OrtShapeInferContext *context, size_t *out)
{
    ORT_NEED(context);
    ORT_NEED(out);
    *out = context->n_in;
    return NULL;
}

/* OrtApi since version 17: *info is the context's. */
OrtStatus *ort_ShapeInferContext_GetInputTypeShape(const OrtShapeInferContext *context,
                                                   size_t index, OrtTensorTypeAndShapeInfo **info)
{
    ORT_NEED(context);
    ORT_NEED(info);
    if (index >= context->n_in)
        return ort_fail(ORT_INVALID_ARGUMENT, "the node has %u inputs, there is no input %zu",
                        context->n_in, index);
    *info = context->in[index];
    return NULL;
}

/* OrtApi since version 17: *attr is the context's. ORT_NOT_IMPLEMENTED: tensors and graphs. */
OrtStatus *ort_ShapeInferContext_GetAttribute(const OrtShapeInferContext *context,
                                              const char *attr_name, const OrtOpAttr **attr)
{
    OrtShapeInferContext *own = (OrtShapeInferContext *)(uintptr_t)context; /* its list grows */
    const bp_attr *found;
    struct asked *asked;
    OrtStatus *status;

    ORT_NEED(context);
    ORT_NEED(attr_name);
    ORT_NEED(attr);
    found = bp_operator_shapes_attr(context->shapes, attr_name);
    if (!found)
        return ort_fail(ORT_INVALID_ARGUMENT, "the node has no attribute '%s'", attr_name);
    asked = calloc(1, sizeof *asked);
    if (!asked)
        return ort_no_memory();
    status = ort_op_attr_of(found, &asked->attr);
    if (!status && !asked->attr)
        status =
            ort_fail(ORT_NOT_IMPLEMENTED,
                     "attribute '%s' is a tensor or graph, which has no flat value", attr_name);
    if (status) {
        free(asked);
        return status;
    }
    asked->next = own->attrs;
    own->attrs = asked;
    *attr = asked->attr;
    return NULL;
}

/* OrtApi since version 17: Negative dimensions are unknown, or the symbol of their name. */
OrtStatus *ort_ShapeInferContext_SetOutputTypeShape(const OrtShapeInferContext *context,
                                                    size_t index,
                                                    const OrtTensorTypeAndShapeInfo *info)
{
    bp_dim dims[MAX_RANK] = {{0}};
    struct ort_err err;
    uint32_t dtype;
    bp_rc rc;

    ORT_NEED(context);
    ORT_NEED(info);
    if (index >= bp_operator_shapes_outputs(context->shapes))
        return ort_fail(ORT_INVALID_ARGUMENT, "the node has %u outputs, there is no output %zu",
                        bp_operator_shapes_outputs(context->shapes), index);
    if (info->rank > MAX_RANK)
        return ort_fail(ORT_INVALID_ARGUMENT, "output %zu: rank %zu is beyond %d", index,
                        info->rank, MAX_RANK);
    for (size_t d = 0; d < info->rank; d++) {
        dims[d].value = info->dims[d] < 0 ? -1 : info->dims[d];
        dims[d].symbol = info->dims[d] < 0 ? symbol_of(info->symbols[d]) : 0;
    }
    dtype = info->dtype ? ort_host_dtype(info->dtype) : output_type(context, (uint32_t)index);
    rc = bp_operator_shapes_set(context->shapes, (uint32_t)index, dtype,
                                info->has_shape ? (uint32_t)info->rank : BP_RANK_UNKNOWN, dims,
                                ort_err_init(&err));
    return ort_from(rc, &err, ORT_MAKING, NULL);
}
