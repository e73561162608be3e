/* SPDX-License-Identifier: MIT */
/* node.c - OrtNode: created, released, queried. */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "ort/editor/graph.h"
#include "ort/status.h"

/* ---- making ---------------------------------------------------------------------------------- */

static OrtStatus *check_names(const char *const *names, size_t n, const char *what)
{
    for (size_t i = 0; i < n; i++) {
        if (!names[i])
            return ort_fail(ORT_INVALID_ARGUMENT,
                            "%s name %zu is NULL; one that is left out is an empty text", what, i);
    }
    return NULL;
}

static OrtStatus *check_attributes(OrtOpAttr *const *attributes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!attributes[i])
            return ort_fail(ORT_INVALID_ARGUMENT, "attribute %zu is NULL", i);
    }
    return NULL;
}

/* Values for n names, from index `at` on. */
static bool add_values(OrtNode *node, size_t at, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!names[i][0])
            continue;
        node->values[at + i] = ort_info_create(names[i], NULL);
        if (!node->values[at + i])
            return false;
    }
    return true;
}

/* A node without attributes and values. NULL: no memory. */
static OrtNode *make(const char *op, const char *domain, const char *name, size_t n_ends,
                     size_t n_attrs)
{
    OrtNode *node = calloc(1, sizeof *node);

    if (!node)
        return NULL;
    node->op = strdup(op);
    node->domain = strdup(domain);
    node->name = strdup(name);
    node->values = calloc(n_ends + 1, sizeof(OrtValueInfo *));
    node->attrs = calloc(n_attrs + 1, sizeof(OrtOpAttr *));
    if (node->op && node->domain && node->name && node->values && node->attrs)
        return node;
    ort_ReleaseNode(node);
    return NULL;
}

/*
 * OrtModelEditorApi: The node owns the attributes: the caller's array is cleared, on success only.
 */
OrtStatus *ort_editor_CreateNode(const char *operator_name, const char *domain_name,
                                 const char *node_name, const char *const *input_names,
                                 size_t input_names_len, const char *const *output_names,
                                 size_t output_names_len, OrtOpAttr **attributes,
                                 size_t attribs_len, OrtNode **node)
{
    OrtStatus *status;
    OrtNode *made;

    ORT_NEED(operator_name);
    ORT_NEED(domain_name);
    ORT_NEED(node_name);
    ORT_NEED(node);
    if (input_names_len > 0)
        ORT_NEED(input_names);
    if (output_names_len > 0)
        ORT_NEED(output_names);
    if (attribs_len > 0)
        ORT_NEED(attributes);
    if (!operator_name[0])
        return ort_fail(ORT_INVALID_ARGUMENT, "node '%s' has no operator", node_name);
    status = check_names(input_names, input_names_len, "input");
    if (!status)
        status = check_names(output_names, output_names_len, "output");
    if (!status)
        status = check_attributes(attributes, attribs_len);
    if (status)
        return status;
    made = make(operator_name, domain_name, node_name, input_names_len + output_names_len,
                attribs_len);
    if (!made)
        return ort_no_memory();
    made->n_in = input_names_len;
    made->n_out = output_names_len;
    if (!add_values(made, 0, input_names, input_names_len) ||
        !add_values(made, input_names_len, output_names, output_names_len)) {
        ort_ReleaseNode(made);
        return ort_no_memory();
    }
    for (; made->n_attrs < attribs_len; made->n_attrs++) {
        made->attrs[made->n_attrs] = attributes[made->n_attrs];
        attributes[made->n_attrs] = NULL;
    }
    *node = made;
    return NULL;
}

/* OrtApi since version 22: Values of a node in a graph are the graph's. */
void ort_ReleaseNode(OrtNode *input)
{
    if (!input)
        return;
    for (size_t i = 0; !input->graph && i < input->n_in + input->n_out; i++)
        ort_ReleaseValueInfo(input->values[i]);
    for (size_t i = 0; i < input->n_attrs; i++)
        ort_ReleaseOpAttr(input->attrs[i]);
    free(input->values);
    free(input->attrs);
    free(input->op);
    free(input->domain);
    free(input->name);
    free(input);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Defines a slot that returns one property of a node. */
#define READ(slot, type, expression)                                                               \
    OrtStatus *ort_Node_##slot(const OrtNode *node, type *out)                                     \
    {                                                                                              \
        ORT_NEED(node);                                                                            \
        ORT_NEED(out);                                                                             \
        *out = (expression);                                                                       \
        return NULL;                                                                               \
    }

READ(GetId, size_t, node->id)
READ(GetName, const char *, node->name)
READ(GetOperatorType, const char *, node->op)
READ(GetDomain, const char *, node->domain)
READ(GetSinceVersion, int, -1) /* found when a session is made, because it is not needed before */
READ(GetNumInputs, size_t, node->n_in)
READ(GetNumOutputs, size_t, node->n_out)
READ(GetNumImplicitInputs, size_t, 0) /* without bodies there are none */
READ(GetNumAttributes, size_t, node->n_attrs)
READ(GetNumSubgraphs, size_t, 0) /* no attribute that can be made is a graph */
READ(GetGraph, const OrtGraph *, node->graph)
READ(GetEpName, const char *, "") /* assigned when a session is made */

/* ORT_INVALID_ARGUMENT: the array is too short, or NULL. */
static OrtStatus *check_capacity(const void *array, size_t have, size_t need, const char *what)
{
    if (have < need)
        return ort_fail(ORT_INVALID_ARGUMENT, "the array holds %zu %s, the node has %zu", have,
                        what, need);
    if (have > 0 && !array)
        return ort_fail(ORT_INVALID_ARGUMENT, "the array for %s is NULL", what);
    return NULL;
}

static OrtStatus *give_values(OrtValueInfo *const *values, size_t n, const OrtValueInfo **out,
                              size_t capacity, const char *what)
{
    OrtStatus *status = check_capacity(out, capacity, n, what);

    for (size_t i = 0; i < n && !status; i++)
        out[i] = values[i];
    return status;
}

/* OrtApi since version 23. */
OrtStatus *ort_Node_GetInputs(const OrtNode *node, const OrtValueInfo **inputs, size_t num_inputs)
{
    ORT_NEED(node);
    return give_values(node->values, node->n_in, inputs, num_inputs, "inputs");
}

/* OrtApi since version 23. */
OrtStatus *ort_Node_GetOutputs(const OrtNode *node, const OrtValueInfo **outputs,
                               size_t num_outputs)
{
    ORT_NEED(node);
    return give_values(node->values + node->n_in, node->n_out, outputs, num_outputs, "outputs");
}

/* OrtApi since version 23. */
OrtStatus *ort_Node_GetImplicitInputs(const OrtNode *node, const OrtValueInfo **implicit_inputs,
                                      size_t num_implicit_inputs)
{
    ORT_NEED(node);
    return check_capacity(implicit_inputs, num_implicit_inputs, 0, "implicit inputs");
}

/* OrtApi since version 23. */
OrtStatus *ort_Node_GetSubgraphs(const OrtNode *node, const OrtGraph **subgraphs,
                                 size_t num_subgraphs, const char **attribute_names)
{
    (void)attribute_names;
    ORT_NEED(node);
    return check_capacity(subgraphs, num_subgraphs, 0, "subgraphs");
}

/* OrtApi since version 23. */
OrtStatus *ort_Node_GetAttributes(const OrtNode *node, const OrtOpAttr **attributes,
                                  size_t num_attributes)
{
    OrtStatus *status;

    ORT_NEED(node);
    status = check_capacity(attributes, num_attributes, node->n_attrs, "attributes");
    for (size_t i = 0; i < node->n_attrs && !status; i++)
        attributes[i] = node->attrs[i];
    return status;
}

/* OrtApi since version 23: ORT_NOT_FOUND: no such attribute. */
OrtStatus *ort_Node_GetAttributeByName(const OrtNode *node, const char *attribute_name,
                                       const OrtOpAttr **attribute)
{
    ORT_NEED(node);
    ORT_NEED(attribute_name);
    ORT_NEED(attribute);
    *attribute = NULL;
    for (size_t i = 0; i < node->n_attrs; i++) {
        const char *name = "";

        ort_ReleaseStatus(ort_OpAttr_GetName(node->attrs[i], &name));
        if (strcmp(name, attribute_name) == 0)
            *attribute = node->attrs[i];
    }
    if (*attribute)
        return NULL;
    return ort_fail(ORT_NOT_FOUND, "node '%s' has no attribute '%s'", node->name, attribute_name);
}

/* OrtApi since version 23: CreateOpAttr can't make tensors, so this always fails here. */
OrtStatus *ort_OpAttr_GetTensorAttributeAsOrtValue(const OrtOpAttr *attribute,
                                                   OrtValue **attr_tensor)
{
    const char *name = "";

    ORT_NEED(attribute);
    ORT_NEED(attr_tensor);
    *attr_tensor = NULL;
    ort_ReleaseStatus(ort_OpAttr_GetName(attribute, &name));
    return ort_fail(ORT_INVALID_ARGUMENT, "attribute '%s' is not a tensor", name);
}
