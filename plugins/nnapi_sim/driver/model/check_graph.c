/* SPDX-License-Identifier: MIT */
/* check_graph.c - the order of a model's operations, and the check of each. */
#include <stdlib.h>

#include "model/model.h"

#define NOBODY UINT32_MAX

/* What is found out about operands on the way. */
struct graph {
    struct ANeuralNetworksModel *model;
    uint32_t *writers; /* the operation that writes an operand; NOBODY */
    uint32_t *waits;   /* inputs of an operation that are not written yet */
};

static bool is_given(const struct nn_operand *operand)
{
    return operand->source != NN_TEMPORARY && operand->source != NN_OUTPUT;
}

/* Each operand is written once, and no constant is. */
static int find_writers(struct graph *graph)
{
    struct ANeuralNetworksModel *model = graph->model;

    for (uint32_t i = 0; i < model->operand_count; i++)
        graph->writers[i] = NOBODY;
    for (uint32_t i = 0; i < model->operation_count; i++) {
        const struct nn_operation *operation = &model->operations[i];

        for (uint32_t j = 0; j < operation->out_count; j++) {
            uint32_t at = operation->outputs[j];

            if (is_given(&model->operands[at]))
                return nn_fail(ANEURALNETWORKS_BAD_DATA,
                               "operand %u is written, and is constant or an input", at);
            if (graph->writers[at] != NOBODY)
                return nn_fail(ANEURALNETWORKS_BAD_DATA, "operand %u is written twice", at);
            graph->writers[at] = i;
        }
    }
    for (uint32_t i = 0; i < model->out_count; i++)
        if (graph->writers[model->outputs[i]] == NOBODY)
            return nn_fail(ANEURALNETWORKS_BAD_DATA, "output %u is never written", i);
    return 0;
}

/* How many inputs an operation waits for. */
static int count_waits(struct graph *graph, uint32_t i)
{
    const struct nn_operation *operation = &graph->model->operations[i];

    graph->waits[i] = 0;
    for (uint32_t j = 0; j < operation->in_count; j++) {
        uint32_t at = operation->inputs[j];

        if (is_given(&graph->model->operands[at]))
            continue;
        if (graph->writers[at] == NOBODY)
            return nn_fail(ANEURALNETWORKS_BAD_DATA, "operand %u is read and never written", at);
        graph->waits[i]++;
    }
    return 0;
}

/* How often an operation reads what another writes. */
static uint32_t reads_of(const struct graph *graph, uint32_t reader, uint32_t writer)
{
    const struct nn_operation *operation = &graph->model->operations[reader];
    uint32_t n = 0;

    for (uint32_t j = 0; j < operation->in_count; j++)
        n += !is_given(&graph->model->operands[operation->inputs[j]]) &&
             graph->writers[operation->inputs[j]] == writer;
    return n;
}

/* Ready ones first, in the order in which they were added. */
static int sort(struct graph *graph)
{
    struct ANeuralNetworksModel *model = graph->model;
    uint32_t done = 0, n = model->operation_count;

    for (uint32_t i = 0; i < n; i++) {
        int code = count_waits(graph, i);

        if (code)
            return code;
    }
    while (done < n) {
        uint32_t next = 0;

        while (next < n && graph->waits[next] != 0)
            next++;
        if (next == n)
            return nn_fail(ANEURALNETWORKS_BAD_DATA, "the operations form a cycle");
        graph->waits[next] = NOBODY;
        model->order[done++] = next;
        for (uint32_t i = 0; i < n; i++)
            if (graph->waits[i] != NOBODY && graph->waits[i])
                graph->waits[i] -= reads_of(graph, i, next);
    }
    return 0;
}

/* ---- operations ----------------------------------------------------------------------------- */

static int list_tensors(struct ANeuralNetworksModel *model, struct nn_operation *operation)
{
    size_t n = (size_t)operation->in_count + operation->out_count;

    operation->in = malloc(n * sizeof(struct nn_tensor *));
    if (!operation->in)
        return nn_fail(ANEURALNETWORKS_OUT_OF_MEMORY, "no memory for the model");
    operation->out = operation->in + operation->in_count;
    for (size_t i = 0; i < n; i++)
        operation->in[i] = &model->operands[operation->inputs[i]].tensor;
    return 0;
}

/* Whether a value of the one can be one of the other: what both say of a type must be the same. */
static bool compatible(const struct nn_tensor *a, const struct nn_tensor *b)
{
    if (a->type != b->type || !nn_same_quant(a, b))
        return false;
    if (!a->rank || !b->rank)
        return true;
    for (uint32_t i = 0; i < a->rank && a->rank == b->rank; i++)
        if (a->dims[i] && b->dims[i] && a->dims[i] != b->dims[i])
            return false;
    return a->rank == b->rank;
}

/* Operands of a referenced model beside `count` operands of the operation. */
static int check_operands(const struct nn_operation *operation,
                          const struct ANeuralNetworksModel *inner, bool output,
                          struct nn_tensor *const *outer, uint32_t count)
{
    const uint32_t *list = output ? inner->outputs : inner->inputs;
    uint32_t has = output ? inner->out_count : inner->in_count;
    const char *name = bp_nnapi_operation_name(operation->code),
               *kind = output ? "output" : "input";

    if (has != count)
        return nn_fail(ANEURALNETWORKS_BAD_DATA, "%s: a model has %u %ss, not %u", name, has, kind,
                       count);
    for (uint32_t i = 0; i < count; i++)
        if (!compatible(&inner->operands[list[i]].tensor, outer[i]))
            return nn_fail(ANEURALNETWORKS_BAD_DATA,
                           "%s: %s %u of a model has another type or shape", name, kind, i);
    return 0;
}

/* The condition of a WHILE: one truth value. */
static int check_condition(const struct ANeuralNetworksModel *inner)
{
    const struct nn_tensor *out = &inner->operands[inner->outputs[0]].tensor;
    bool fits = inner->out_count == 1 && out->type == B8 && out->rank <= 1 &&
                (out->rank == 0 || out->dims[0] <= 1);

    return fits ? 0
                : nn_fail(ANEURALNETWORKS_BAD_DATA,
                          "WHILE: the condition has not one output, a BOOL8 of 1 element");
}

/* IF has the two models behind the condition; WHILE a condition and a body before its inputs. */
static int check_inner(struct nn_operation *operation)
{
    bool loop = operation->code == ANEURALNETWORKS_WHILE;
    uint32_t first = loop ? 0 : 1, inputs;
    int code = 0;

    if (operation->code != ANEURALNETWORKS_IF && !loop)
        return 0;
    inputs = operation->in_count - first - 2;
    for (uint32_t i = 0; i < 2 && !code; i++) {
        const struct ANeuralNetworksModel *inner = operation->in[first + i]->model;

        if (!inner)
            return nn_fail(ANEURALNETWORKS_BAD_DATA, "%s: a model has no value",
                           bp_nnapi_operation_name(operation->code));
        if (operation->level < inner->level)
            operation->level = inner->level;
        code = check_operands(operation, inner, false, operation->in + first + 2, inputs);
        if (!code && loop && i == 0)
            code = check_condition(inner);
        else if (!code)
            code = check_operands(operation, inner, true, operation->out, operation->out_count);
        if (!code && loop && i == 1) /* what the body gives is what it takes next */
            code = operation->out_count > inputs
                       ? nn_fail(ANEURALNETWORKS_BAD_DATA, "WHILE: more outputs than inputs")
                       : check_operands(operation, inner, true, operation->in + 2,
                                        operation->out_count);
    }
    return code;
}

static int check_scales(const struct nn_operation *operation)
{
    for (uint32_t i = 0; i < operation->in_count; i++)
        if (operation->in[i]->type == Q8C && !operation->in[i]->scales)
            return nn_fail(ANEURALNETWORKS_BAD_DATA, "%s: input %u has no scales",
                           bp_nnapi_operation_name(operation->code), i);
    return 0;
}

static int check_operation(struct ANeuralNetworksModel *model, struct nn_operation *operation)
{
    struct nn_call call;
    int code = list_tensors(model, operation);

    if (!code && !operation->op)
        code = nn_fail(ANEURALNETWORKS_BAD_DATA, "%s: the simulator does not compute it",
                       bp_nnapi_operation_name(operation->code));
    if (!code)
        code = check_scales(operation);
    if (code)
        return code;
    nn_model_call(model, (uint32_t)(operation - model->operations), &call);
    if (!nn_check(&call))
        return ANEURALNETWORKS_BAD_DATA;
    operation->level = nn_level_code(call.level);
    code = check_inner(operation);
    if (model->level < operation->level)
        model->level = operation->level;
    return code;
}

int nn_model_check(struct ANeuralNetworksModel *model)
{
    struct graph graph = {.model = model};
    int code = 0;

    if (!model->identified || !model->out_count)
        return nn_fail(ANEURALNETWORKS_BAD_DATA, "the model has no outputs");
    model->level = ANEURALNETWORKS_FEATURE_LEVEL_1;
    model->order = calloc((size_t)model->operation_count + 1, sizeof *model->order);
    graph.writers = calloc((size_t)model->operand_count + 1, sizeof *graph.writers);
    graph.waits = calloc((size_t)model->operation_count + 1, sizeof *graph.waits);
    if (!model->order || !graph.writers || !graph.waits)
        code = nn_fail(ANEURALNETWORKS_OUT_OF_MEMORY, "no memory for the model");
    if (!code)
        code = find_writers(&graph);
    if (!code)
        code = sort(&graph);
    for (uint32_t i = 0; i < model->operation_count && !code; i++)
        code = check_operation(model, &model->operations[i]);
    free(graph.writers);
    free(graph.waits);
    return code;
}

void nn_model_call(const struct ANeuralNetworksModel *model, uint32_t operation,
                   struct nn_call *call)
{
    const struct nn_operation *at = &model->operations[operation];

    memset(call, 0, sizeof *call);
    call->op = at->op;
    call->in_count = at->in_count;
    call->in = at->in;
    call->out_count = at->out_count;
    call->out = at->out;
    call->relaxed = model->relaxed;
}
