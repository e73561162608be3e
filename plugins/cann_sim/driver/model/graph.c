/* SPDX-License-Identifier: MIT */
/*
 * graph.c - bp_ascend_graph.h: puts graphs together, and builds models of them.
 *
 * Adding to a graph writes the record of the model at once, and keeps of each tensor what later
 * calls are checked against.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bp_ascend_graph.h>

#include "core/clock.h"
#include "core/context.h"
#include "core/cost.h"
#include "core/error.h"
#include "core/fault.h"
#include "core/state.h"
#include "model/model.h"

/* What is known of a tensor while the graph grows. */
struct edge {
    aclDataType type;
    size_t count;
    bool is_from_operator; /* by an operator */
    bool is_output;        /* of the model */
};

/* The records so far, the options, and a row for each tensor. */
struct bp_ascend_graph {
    char name[ACL_MAX_TENSOR_NAME_LEN];
    char options[SIM_MODEL_OPTIONS][256];
    struct sim_writer records;
    struct edge *edges;
    size_t n_edges, capacity, n_ops, n_outputs;
};

bp_ascend_graph *bp_ascend_graph_create(const char *name)
{
    bp_ascend_graph *graph = calloc(1, sizeof *graph);

    if (graph)
        snprintf(graph->name, sizeof graph->name, "%s", name ? name : "");
    return graph;
}

void bp_ascend_graph_destroy(bp_ascend_graph *graph)
{
    if (!graph)
        return;
    free(graph->records.data);
    free(graph->edges);
    free(graph);
}

/* ---- options -------------------------------------------------------------------------------- */

/* The values of the vendor's builder. */
static bool is_impl_mode(const char *value)
{
    static const char *const modes[] = {"", "high_performance", "high_precision",
                                        "high_performance_for_all", "high_precision_for_all"};

    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        if (strcmp(value, modes[i]) == 0)
            return true;
    return false;
}

/* Values are checked now; that the list of types needs a mode is seen in building. */
aclError bp_ascend_graph_option(bp_ascend_graph *graph, const char *key, const char *value)
{
    static const char *const keys[SIM_MODEL_OPTIONS] = {
        [SIM_MODEL_PRECISION] = "precision_mode",
        [SIM_MODEL_IMPL_MODE] = "op_select_impl_mode",
        [SIM_MODEL_IMPL_LIST] = "optypelist_for_implmode",
    };
    size_t i = 0;

    if (!graph || !key || !value)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "an option without a graph, key or value");
    while (i < SIM_MODEL_OPTIONS && strcmp(key, keys[i]) != 0)
        i++;
    if (i == SIM_MODEL_OPTIONS || strlen(value) >= sizeof graph->options[i] ||
        (i == SIM_MODEL_PRECISION && !sim_is_precision(value)) ||
        (i == SIM_MODEL_IMPL_MODE && !is_impl_mode(value)))
        return sim_fail(BP_ASCEND_GRAPH_PARAM_INVALID, "the builder's %.40s cannot be \"%.80s\"",
                        key, value);
    snprintf(graph->options[i], sizeof graph->options[i], "%s", value);
    return 0;
}

/* ---- growing -------------------------------------------------------------------------------- */

/* Models have fixed shapes, so a tensor's has to be known. *tensor: its number. */
static aclError add_edge(bp_ascend_graph *graph, const aclTensorDesc *desc, bool is_from_operator,
                         uint32_t *tensor)
{
    size_t count = aclGetTensorDescElementCount(desc);

    if (count == 0 || aclDataTypeSize(desc->type) == 0)
        return sim_fail(ACL_ERROR_GE_FAILURE,
                        "a tensor of a graph has to have a type, and a known shape that is not "
                        "empty");
    if (graph->n_edges == graph->capacity) {
        size_t capacity = graph->capacity ? 2 * graph->capacity : 64;
        struct edge *more = realloc(graph->edges, capacity * sizeof *more);

        if (!more)
            return sim_fail(ACL_ERROR_BAD_ALLOC, "no memory for a graph's tensor");
        graph->edges = more;
        graph->capacity = capacity;
    }
    graph->edges[graph->n_edges] = (struct edge){desc->type, count, is_from_operator, false};
    *tensor = (uint32_t)graph->n_edges++;
    return 0;
}

/* Writing records has no result of its own; a failure is noticed here. */
static aclError check_memory(const bp_ascend_graph *graph)
{
    return graph->records.failed ? sim_fail(ACL_ERROR_BAD_ALLOC, "no memory for a graph") : 0;
}

aclError bp_ascend_graph_input(bp_ascend_graph *graph, const char *name, const aclTensorDesc *desc,
                               uint32_t *tensor)
{
    aclError rc;

    if (!graph || !name || !desc || !tensor)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "bp_ascend_graph_input: NULL");
    rc = add_edge(graph, desc, false, tensor);
    if (rc)
        return rc;
    sim_write_u64(&graph->records, SIM_RECORD_INPUT);
    sim_write_string(&graph->records, name);
    sim_write_desc(&graph->records, desc);
    return check_memory(graph);
}

aclError bp_ascend_graph_constant(bp_ascend_graph *graph, const aclTensorDesc *desc,
                                  const void *data, size_t size, uint32_t *tensor)
{
    aclError rc;

    if (!graph || !desc || !data || !tensor)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "bp_ascend_graph_constant: NULL");
    if (size != aclGetTensorDescSize(desc))
        return sim_fail(ACL_ERROR_INVALID_PARAM, "a constant of %zu bytes, described with %zu",
                        size, aclGetTensorDescSize(desc));
    rc = add_edge(graph, desc, false, tensor);
    if (rc)
        return rc;
    sim_write_u64(&graph->records, SIM_RECORD_CONSTANT);
    sim_write_desc(&graph->records, desc);
    sim_write_block(&graph->records, data, size);
    return check_memory(graph);
}

/*
 * Does the description fit the tensor that the operator is to read? The elements have to be the
 * same, the shape need not.
 */
static aclError check_edge(const bp_ascend_graph *graph, const char *type, int i, uint32_t tensor,
                           const aclTensorDesc *desc)
{
    const struct edge *edge = &graph->edges[tensor];

    if (tensor == BP_ASCEND_NO_TENSOR)
        return desc->type == ACL_DT_UNDEFINED
                   ? 0
                   : sim_fail(ACL_ERROR_INVALID_PARAM, "%.60s: input %d is described and absent",
                              type, i);
    if (tensor >= graph->n_edges)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "%.60s: there is no tensor %u", type, tensor);
    if (desc->type != edge->type || aclGetTensorDescElementCount(desc) != edge->count)
        return sim_fail(ACL_ERROR_GE_FAILURE,
                        "%.60s: input %d is described with %zu elements of type %d, and has %zu of "
                        "type %d",
                        type, i, aclGetTensorDescElementCount(desc), (int)desc->type, edge->count,
                        (int)edge->type);
    return 0;
}

/* Their number, then name, kind and value of each. */
static void put_attributes(struct sim_writer *bytes, const aclopAttr *attr)
{
    uint64_t n = 0;

    for (const struct sim_attr *at = attr ? attr->first : NULL; at; at = at->next)
        n++;
    sim_write_u64(bytes, n);
    for (const struct sim_attr *at = attr ? attr->first : NULL; at; at = at->next) {
        sim_write_string(bytes, at->name);
        sim_write_u64(bytes, (uint64_t)at->kind);
        sim_write_block(bytes, at->value, at->size);
    }
}

/* Descriptions of outputs are checked when the model is built. */
static aclError check_operator(const bp_ascend_graph *graph, const char *type, int numInputs,
                               const uint32_t inputs[], const aclTensorDesc *const in[],
                               int numOutputs, const aclTensorDesc *const out[])
{
    aclError rc = 0;

    if (numInputs < 0 || numInputs > SIM_INPUTS || numOutputs < 1 || numOutputs > SIM_OUTPUTS ||
        (numInputs > 0 && (!inputs || !in)) || !out)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "%.60s: %d inputs, %d outputs", type, numInputs,
                        numOutputs);
    for (int i = 0; i < numInputs && !rc; i++)
        rc = in[i] ? check_edge(graph, type, i, inputs[i], in[i])
                   : sim_fail(ACL_ERROR_INVALID_PARAM, "%.60s: no description", type);
    for (int i = 0; i < numOutputs && !rc; i++)
        rc = out[i] ? 0 : sim_fail(ACL_ERROR_INVALID_PARAM, "%.60s: no description", type);
    return rc;
}

/* `inputs` and `outputs` may be one array, so the new numbers are kept apart until all is read. */
aclError bp_ascend_graph_operator(bp_ascend_graph *graph, const char *opType, int numInputs,
                                  const uint32_t inputs[], const aclTensorDesc *const inputDesc[],
                                  int numOutputs, const aclTensorDesc *const outputDesc[],
                                  const aclopAttr *attr, uint32_t outputs[])
{
    uint32_t new_tensors[SIM_OUTPUTS]; /* the two arrays may be one */
    aclError rc;

    if (!graph || !opType || !outputs)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "bp_ascend_graph_operator: NULL");
    rc = check_operator(graph, opType, numInputs, inputs, inputDesc, numOutputs, outputDesc);
    for (int i = 0; i < numOutputs && !rc; i++)
        rc = add_edge(graph, outputDesc[i], true, &new_tensors[i]);
    if (rc)
        return rc;
    sim_write_u64(&graph->records, SIM_RECORD_OPERATOR);
    sim_write_string(&graph->records, opType);
    sim_write_u64(&graph->records, (uint64_t)numInputs);
    for (int i = 0; i < numInputs; i++) {
        sim_write_u64(&graph->records, inputs[i]);
        sim_write_desc(&graph->records, inputDesc[i]);
    }
    sim_write_u64(&graph->records, (uint64_t)numOutputs);
    for (int i = 0; i < numOutputs; i++) {
        sim_write_desc(&graph->records, outputDesc[i]);
        outputs[i] = new_tensors[i];
    }
    put_attributes(&graph->records, attr);
    graph->n_ops++;
    return check_memory(graph);
}

/* Only what an operator makes can be an output, and once: anything else goes through Identity. */
aclError bp_ascend_graph_output(bp_ascend_graph *graph, const char *name, uint32_t tensor)
{
    if (!graph || !name || tensor >= graph->n_edges)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "bp_ascend_graph_output: no tensor %u", tensor);
    if (!graph->edges[tensor].is_from_operator || graph->edges[tensor].is_output)
        return sim_fail(ACL_ERROR_GE_FAILURE,
                        "tensor %u is not an operator's output, or is the model's already", tensor);
    graph->edges[tensor].is_output = true;
    graph->n_outputs++;
    sim_write_u64(&graph->records, SIM_RECORD_OUTPUT);
    sim_write_string(&graph->records, name);
    sim_write_u64(&graph->records, tensor);
    return check_memory(graph);
}

/* ---- building ------------------------------------------------------------------------------- */

/* The header, then the records: chip, options and name come first. */
static bool write_model(const bp_ascend_graph *graph, const char *soc, struct sim_writer *out)
{
    struct sim_writer body = {NULL, 0, 0, false};

    sim_write_string(&body, soc);
    for (int i = 0; i < SIM_MODEL_OPTIONS; i++)
        sim_write_string(&body, graph->options[i]);
    sim_write_string(&body, graph->name);
    sim_write(&body, graph->records.data, graph->records.size);
    sim_write(out, SIM_MODEL_MAGIC, sizeof SIM_MODEL_MAGIC);
    sim_write_u64(out, SIM_MODEL_VERSION);
    sim_write_u64(out, body.size);
    sim_write_u64(out, body.failed ? 0 : sim_checksum(body.data, body.size));
    sim_write(out, body.data, body.size);
    free(body.data);
    return !body.failed && !out->failed;
}

/* As the vendor's builder refuses optypelist_for_implmode on its own. */
static aclError check_graph(const bp_ascend_graph *graph)
{
    if (graph->n_outputs == 0)
        return sim_fail(ACL_ERROR_GE_FAILURE, "the graph has no outputs");
    if (*graph->options[SIM_MODEL_IMPL_LIST] && !*graph->options[SIM_MODEL_IMPL_MODE])
        return sim_fail(BP_ASCEND_GRAPH_PARAM_INVALID,
                        "optypelist_for_implmode is for op_select_impl_mode, which is not set");
    return check_memory(graph);
}

/*
 * Finds the chip of the thread's device, whose name stays valid until the next aclInit(), and lets
 * the host spend the time of compiling each operator.
 */
static aclError charge_build(const bp_ascend_graph *graph, const char **soc)
{
    struct sim_context *context;
    uint64_t us = 0;
    aclError rc;

    sim_lock();
    rc = sim_current(&context);
    if (!rc)
        rc = sim_fault(BP_ASCEND_AT_COMPILE);
    if (!rc) {
        uint64_t ns = context->device->config->compile_ns * graph->n_ops;

        sim_host_spends(context->device, ns);
        context->device->busy_compiling += ns;
        sim_state.counters.models_built++;
        *soc = context->device->config->soc;
        us = sim_state.config.compile_us * graph->n_ops;
    }
    sim_unlock();
    sim_sleep_us(us);
    return rc;
}

/* The model is read back at once: what cannot be loaded is not built. */
aclError bp_ascend_graph_build(const bp_ascend_graph *graph, void **model, size_t *size)
{
    struct sim_writer bytes = {NULL, 0, 0, false};
    struct sim_model *read = NULL;
    const char *soc;
    aclError rc;

    if (!graph || !model || !size)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "bp_ascend_graph_build: NULL");
    rc = check_graph(graph);
    if (!rc)
        rc = charge_build(graph, &soc);
    if (!rc && !write_model(graph, soc, &bytes))
        rc = sim_fail(ACL_ERROR_BAD_ALLOC, "no memory for a model");
    if (!rc)
        rc = sim_model_read(bytes.data, bytes.size, &read);
    sim_model_free(read);
    if (rc) {
        free(bytes.data);
        return rc;
    }
    *model = bytes.data;
    *size = bytes.size;
    return 0;
}

void bp_ascend_model_free(void *model)
{
    free(model);
}

/* Into a temporary file first, which is then renamed, so that no reader sees half a model. */
aclError bp_ascend_model_save(const char *path, const void *model, size_t size)
{
    char temporary[4096];
    bool is_written = false;
    FILE *file;

    if (!path || !model || size == 0)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "bp_ascend_model_save: NULL, or 0 bytes");
    if ((size_t)snprintf(temporary, sizeof temporary, "%s.%p.tmp", path, (const void *)&file) >=
        sizeof temporary)
        return sim_fail(ACL_ERROR_WRITE_FILE, "the path is too long");
    file = fopen(temporary, "wb");
    if (file) {
        is_written = fwrite(model, 1, size, file) == size;
        is_written = fclose(file) == 0 && is_written && rename(temporary, path) == 0;
    }
    if (is_written)
        return 0;
    if (file)
        remove(temporary);
    return sim_fail(ACL_ERROR_WRITE_FILE, "%.300s cannot be written", path);
}
