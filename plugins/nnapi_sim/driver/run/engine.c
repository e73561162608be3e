/* SPDX-License-Identifier: MIT */
/* engine.c - runs operations one after the other, each on its device. */
#include "run/engine.h"

#include <stdlib.h>

#include "run/control.h"
#include "run/spend.h"

#define NOWHERE UINT32_MAX

/* A model that runs. */
struct graph {
    struct nn_run *run;
    const struct ANeuralNetworksModel *model;
    const uint8_t *plan; /* a device for each operation; NULL: all on run->device */
    struct nn_tensor *values;
    void **owned;    /* of each value: memory to free */
    uint32_t *where; /* of each value: the part that has it on its device */
    struct nn_result *results;
    uint32_t part, device; /* that runs now */
};

static int no_memory(void)
{
    return nn_fail(ANEURALNETWORKS_OUT_OF_MEMORY, "no memory for the run");
}

/* ---- values --------------------------------------------------------------------------------- */

static int make_values(struct graph *graph, const struct nn_tensor *inputs)
{
    const struct ANeuralNetworksModel *model = graph->model;
    size_t n = (size_t)model->operand_count + 1;

    graph->values = calloc(n, sizeof *graph->values);
    graph->owned = calloc(n, sizeof *graph->owned);
    graph->where = calloc(n, sizeof *graph->where);
    if (!graph->values || !graph->owned || !graph->where)
        return no_memory();
    for (uint32_t i = 0; i < model->operand_count; i++) {
        graph->values[i] = model->operands[i].tensor;
        graph->where[i] = NOWHERE;
    }
    for (uint32_t i = 0; i < model->in_count; i++)
        graph->values[model->inputs[i]] = inputs[i];
    return 0;
}

static void free_values(struct graph *graph)
{
    for (uint32_t i = 0; graph->owned && i < graph->model->operand_count; i++)
        free(graph->owned[i]);
    free(graph->values);
    free(graph->owned);
    free(graph->where);
}

/* The result that an operand is; NULL: none. */
static struct nn_result *result_of(const struct graph *graph, uint32_t operand)
{
    const struct ANeuralNetworksModel *model = graph->model;

    for (uint32_t i = 0; model->operands[operand].source == NN_OUTPUT && i < model->out_count; i++)
        if (model->outputs[i] == operand)
            return &graph->results[i];
    return NULL;
}

/* What a model says of dimensions holds when it runs. */
static int check_declared(const struct graph *graph, uint32_t operand)
{
    const struct nn_tensor *says = &graph->model->operands[operand].tensor;
    const struct nn_tensor *is = &graph->values[operand];

    if (!says->ranked)
        return 0;
    if (says->rank != is->rank)
        return nn_fail(ANEURALNETWORKS_OP_FAILED, "operand %u has rank %u and not %u", operand,
                       is->rank, says->rank);
    for (uint32_t i = 0; i < is->rank; i++)
        if (says->dims[i] && says->dims[i] != is->dims[i])
            return nn_fail(ANEURALNETWORKS_OP_FAILED, "dimension %u of operand %u is %u and not %u",
                           i, operand, is->dims[i], says->dims[i]);
    return 0;
}

/* Memory of an output whose dimensions are known: the program's, if that is enough. */
static int place(struct graph *graph, uint32_t operand)
{
    struct nn_tensor *value = &graph->values[operand];
    struct nn_result *result = result_of(graph, operand);
    int code = check_declared(graph, operand);
    size_t n, bytes;

    if (code)
        return code;
    if (!nn_elements(value, &n))
        return nn_fail(ANEURALNETWORKS_OP_FAILED, "operand %u is empty, or too large", operand);
    bytes = n * nn_element_size(value->type);
    if (result)
        nn_set_dims(&result->tensor, value->rank, value->dims);
    if (result && result->target && result->length >= bytes) {
        value->data = result->target;
        return 0;
    }
    free(graph->owned[operand]);
    graph->owned[operand] = value->data = malloc(bytes);
    if (!value->data)
        return no_memory();
    if (result)
        result->is_short = result->target != NULL;
    return 0;
}

/* Results that the program gave no memory for go to it as they are. */
static void hand_over(struct graph *graph)
{
    const struct ANeuralNetworksModel *model = graph->model;

    for (uint32_t i = 0; i < model->out_count; i++) {
        uint32_t operand = model->outputs[i];

        graph->results[i].owned = graph->owned[operand];
        graph->owned[operand] = NULL;
        graph->results[i].tensor = graph->values[operand];
    }
}

/* ---- operations ----------------------------------------------------------------------------- */

static int make_call(struct graph *graph, const struct nn_operation *operation,
                     struct nn_call *call)
{
    size_t n = (size_t)operation->in_count + operation->out_count;

    memset(call, 0, sizeof *call);
    call->op = operation->op;
    call->in_count = operation->in_count;
    call->out_count = operation->out_count;
    call->relaxed = graph->model->relaxed &&
                    graph->run->compilation->config->devices[graph->device].rates.relaxed;
    call->in = nn_scratch(call, n, sizeof *call->in);
    if (!call->in)
        return no_memory();
    call->out = call->in + operation->in_count;
    for (size_t i = 0; i < n; i++)
        call->in[i] = &graph->values[operation->inputs[i]];
    return 0;
}

/*
 * An operation finds all its operands, though an input of the model may have been left out, and its
 * rank is what it takes, which may not have been known before.
 */
static int check_operands(struct nn_call *call)
{
    for (uint32_t i = 0; i < call->in_count; i++)
        if (call->in[i]->present && !call->in[i]->data && !call->in[i]->model)
            return nn_op_failed(call, "input %u has no value", i);
    return nn_check(call) ? 0 : ANEURALNETWORKS_BAD_DATA;
}

/* IF and WHILE run models of their own on the same device. */
static int run_control(struct graph *graph, const struct nn_operation *operation,
                       struct nn_call *call)
{
    struct nn_result *inner = calloc(operation->out_count, sizeof *inner);
    uint32_t before = graph->run->device;
    int code;

    if (!inner)
        return no_memory();
    graph->run->device = graph->device;
    code = operation->code == ANEURALNETWORKS_IF ? nn_run_if(graph->run, call, inner)
                                                 : nn_run_while(graph->run, call, inner);
    graph->run->device = before;
    for (uint32_t i = 0; i < operation->out_count; i++) {
        if (!code) {
            nn_same_dims(call->out[i], &inner[i].tensor);
            code = place(graph, operation->outputs[i]);
        }
        if (!code)
            memcpy(call->out[i]->data, inner[i].tensor.data,
                   nn_count_of(call->out[i]) * nn_element_size(call->out[i]->type));
        free(inner[i].owned);
    }
    free(inner);
    return code;
}

static int run_plain(struct graph *graph, const struct nn_operation *operation,
                     struct nn_call *call)
{
    int code = operation->op->shape(call);

    for (uint32_t i = 0; i < operation->out_count && !code; i++)
        code = place(graph, operation->outputs[i]);
    if (!code)
        code = operation->op->run(call);
    return code ? code
                : nn_compute_for(
                      graph->run, graph->device,
                      nn_cost(&graph->run->compilation->config->devices[graph->device], call));
}

/* Inputs that the part has not got yet are copied to it. */
static void copy_inputs(struct graph *graph, const struct nn_operation *operation)
{
    for (uint32_t i = 0; i < operation->in_count; i++) {
        uint32_t operand = operation->inputs[i];
        const struct nn_tensor *value = &graph->values[operand];

        if (value->constant || !value->data || graph->where[operand] == graph->part)
            continue;
        graph->where[operand] = graph->part;
        nn_copy_for(graph->run, graph->device, nn_count_of(value) * nn_element_size(value->type),
                    false);
    }
}

/* A part begins where the device is another than before. */
static int enter_part(struct graph *graph, uint32_t operation)
{
    uint32_t device = graph->plan && graph->run->device == NN_DEVICES ? graph->plan[operation]
                                                                      : graph->run->device;

    if (graph->device == device)
        return 0;
    graph->device = device;
    graph->part++;
    return graph->plan ? nn_launch(graph->run, device) : 0;
}

static int run_operation(struct graph *graph, uint32_t index)
{
    const struct nn_operation *operation = &graph->model->operations[index];
    struct nn_call call = {0};
    int code = enter_part(graph, index);

    if (!code)
        code = nn_fault(BP_NNAPI_AT_OPERATION, graph->device);
    if (!code)
        code = make_call(graph, operation, &call);
    if (!code)
        code = check_operands(&call);
    if (!code) {
        if (graph->plan)
            copy_inputs(graph, operation);
        code = operation->op->run ? run_plain(graph, operation, &call)
                                  : run_control(graph, operation, &call);
    }
    for (uint32_t i = 0; i < operation->out_count; i++) {
        uint32_t operand = operation->outputs[i];

        graph->where[operand] = graph->part;
        if (!code && graph->plan && result_of(graph, operand))
            nn_copy_for(graph->run, graph->device,
                        nn_count_of(call.out[i]) * nn_element_size(call.out[i]->type), true);
    }
    nn_scratch_free(&call);
    return code;
}

int nn_engine_run(struct nn_run *run, const struct ANeuralNetworksModel *model, const uint8_t *plan,
                  const struct nn_tensor *inputs, struct nn_result *results)
{
    struct graph graph = {
        .run = run, .model = model, .plan = plan, .results = results, .device = NN_DEVICES};
    int code = make_values(&graph, inputs);

    for (uint32_t i = 0; i < model->operation_count && !code; i++)
        code = run_operation(&graph, model->order[i]);
    if (!code)
        hand_over(&graph);
    free_values(&graph);
    return code;
}
