/* SPDX-License-Identifier: MIT */
/* model.c - ANeuralNetworksModel_*: building a model. */
#include "model/model.h"

#include <stdlib.h>

/* Room for one more of `size` bytes. */
static bool grow(void **array, size_t *space, size_t count, size_t size)
{
    size_t more = *space ? *space * 2 : 16;
    void *bigger;

    if (count < *space)
        return true;
    bigger = realloc(*array, more * size);
    if (!bigger)
        return false;
    *array = bigger;
    *space = more;
    return true;
}

static int no_memory(void)
{
    return nn_fail(ANEURALNETWORKS_OUT_OF_MEMORY, "no memory for the model");
}

/* ---- lifetime ------------------------------------------------------------------------------- */

int ANeuralNetworksModel_create(ANeuralNetworksModel **model)
{
    NN_ENTER(27);
    NN_NOT_NULL(model);
    *model = calloc(1, sizeof **model);
    if (!*model)
        return nn_leave(no_memory());
    (*model)->refs = 1;
    nn_count(&nn_state.counters.live_models, 1);
    return 0;
}

static void destroy(struct ANeuralNetworksModel *model)
{
    for (uint32_t i = 0; i < model->operand_count; i++) {
        struct nn_operand *operand = &model->operands[i];

        free(operand->copy);
        free(operand->scales);
        if (operand->source == NN_MODEL)
            nn_model_unref(operand->tensor.model);
    }
    for (uint32_t i = 0; i < model->operation_count; i++) {
        free(model->operations[i].inputs);
        free(model->operations[i].in);
    }
    free(model->operands);
    free(model->operations);
    free(model->inputs);
    free(model->order);
    free(model);
}

void nn_model_ref(const struct ANeuralNetworksModel *model)
{
    nn_lock();
    ((struct ANeuralNetworksModel *)(uintptr_t)model)->refs++;
    nn_unlock();
}

void nn_model_unref(const struct ANeuralNetworksModel *model)
{
    struct ANeuralNetworksModel *mine = (struct ANeuralNetworksModel *)(uintptr_t)model;
    bool last;

    if (!mine)
        return;
    nn_lock();
    last = --mine->refs == 0;
    nn_unlock();
    if (last)
        destroy(mine);
}

void ANeuralNetworksModel_free(ANeuralNetworksModel *model)
{
    if (!model)
        return;
    nn_count(&nn_state.counters.live_models, -1);
    nn_model_unref(model);
}

int nn_model_open(const struct ANeuralNetworksModel *model)
{
    if (model->finished || model->invalid)
        return nn_fail(ANEURALNETWORKS_BAD_STATE, "the model %s",
                       model->invalid ? "is invalid" : "is finished");
    return 0;
}

int nn_model_ready(const struct ANeuralNetworksModel *model)
{
    if (!model->finished)
        return nn_fail(ANEURALNETWORKS_BAD_STATE, "the model %s",
                       model->invalid ? "is invalid" : "is not finished");
    return 0;
}

/* ---- operands ------------------------------------------------------------------------------- */

int ANeuralNetworksModel_addOperand(ANeuralNetworksModel *model,
                                    const ANeuralNetworksOperandType *type)
{
    struct nn_tensor tensor;
    struct nn_operand *operand;
    void *operands;
    int code;

    NN_ENTER(27);
    NN_NOT_NULL(model);
    NN_NOT_NULL(type);
    code = nn_model_open(model);
    if (!code)
        code = nn_type_check(type, &tensor);
    if (code)
        return nn_leave(code);
    operands = model->operands;
    if (!grow(&operands, &model->operand_space, model->operand_count, sizeof *model->operands))
        return nn_leave(no_memory());
    model->operands = operands;
    operand = &model->operands[model->operand_count++];
    memset(operand, 0, sizeof *operand);
    operand->tensor = tensor;
    return 0;
}

/* An operand that can get a value. *code is set when it is NULL. */
static struct nn_operand *find(ANeuralNetworksModel *model, int32_t index, int *code)
{
    *code = nn_model_open(model);
    if (*code)
        return NULL;
    if (index < 0 || (uint32_t)index >= model->operand_count) {
        *code = nn_fail(ANEURALNETWORKS_BAD_DATA, "operand %d is not one of %u", index,
                        model->operand_count);
        return NULL;
    }
    if (model->operands[index].source == NN_INPUT || model->operands[index].source == NN_OUTPUT) {
        *code = nn_fail(ANEURALNETWORKS_BAD_DATA, "operand %d is an input or output", index);
        return NULL;
    }
    return &model->operands[index];
}

/* Takes away the value of before. */
static void clear(struct nn_operand *operand)
{
    free(operand->copy);
    operand->copy = NULL;
    if (operand->source == NN_MODEL)
        nn_model_unref(operand->tensor.model);
    operand->tensor.model = NULL;
    operand->tensor.data = NULL;
    operand->tensor.constant = false;
    operand->tensor.present = true;
    operand->source = NN_TEMPORARY;
}

static int check_length(const struct nn_operand *operand, size_t length)
{
    size_t size = nn_type_size(&operand->tensor);

    if (operand->tensor.type == ANEURALNETWORKS_MODEL)
        return nn_fail(ANEURALNETWORKS_BAD_DATA, "a MODEL has no bytes");
    if (size != length || !size)
        return nn_fail(ANEURALNETWORKS_BAD_DATA, "%zu bytes for an operand of %zu", length, size);
    return 0;
}

static int set_value(struct nn_operand *operand, const void *buffer, size_t length)
{
    int code = check_length(operand, length);
    void *copy = NULL;

    if (code)
        return code;
    if (length <= ANEURALNETWORKS_MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES) {
        copy = malloc(length);
        if (!copy)
            return no_memory();
        memcpy(copy, buffer, length);
    }
    clear(operand);
    operand->copy = copy;
    operand->source = copy ? NN_COPIED : NN_REFERENCED;
    operand->tensor.data = copy ? copy : (void *)(uintptr_t)buffer;
    operand->tensor.constant = true;
    operand->length = length;
    return 0;
}

int ANeuralNetworksModel_setOperandValue(ANeuralNetworksModel *model, int32_t index,
                                         const void *buffer, size_t length)
{
    struct nn_operand *operand;
    int code;

    NN_ENTER(27);
    NN_NOT_NULL(model);
    operand = find(model, index, &code);
    if (!operand)
        return nn_leave(code);
    if (!buffer != !length)
        return nn_leave(nn_fail(ANEURALNETWORKS_BAD_DATA, "%zu bytes and %s", length,
                                buffer ? "a pointer" : "NULL"));
    if (buffer)
        return nn_leave(set_value(operand, buffer, length));
    clear(operand);
    operand->source = NN_OMITTED;
    operand->tensor.present = false;
    return 0;
}

int ANeuralNetworksModel_setOperandValueFromMemory(ANeuralNetworksModel *model, int32_t index,
                                                   const ANeuralNetworksMemory *memory,
                                                   size_t offset, size_t length)
{
    struct nn_operand *operand;
    int code;

    NN_ENTER(27);
    NN_NOT_NULL(model);
    NN_NOT_NULL(memory);
    operand = find(model, index, &code);
    if (!operand)
        return nn_leave(code);
    if (memory->kind == NN_MEMORY_PICTURE || memory->kind == NN_MEMORY_DEVICE)
        return nn_leave(nn_fail(ANEURALNETWORKS_BAD_DATA, "memory of a %s has no constants",
                                memory->kind == NN_MEMORY_DEVICE ? "device" : "picture"));
    if (offset > memory->size || length > memory->size - offset)
        return nn_leave(nn_fail(ANEURALNETWORKS_BAD_DATA, "%zu bytes at %zu of memory of %zu",
                                length, offset, memory->size));
    code = check_length(operand, length);
    if (code)
        return nn_leave(code);
    clear(operand);
    operand->source = NN_POOLED;
    operand->tensor.data = (char *)memory->data + offset;
    operand->tensor.constant = true;
    operand->length = length;
    return 0;
}

int ANeuralNetworksModel_setOperandValueFromModel(ANeuralNetworksModel *model, int32_t index,
                                                  const ANeuralNetworksModel *value)
{
    struct nn_operand *operand;
    int code;

    NN_ENTER(30);
    NN_NOT_NULL(model);
    NN_NOT_NULL(value);
    operand = find(model, index, &code);
    if (!operand)
        return nn_leave(code);
    if (operand->tensor.type != ANEURALNETWORKS_MODEL || model == value)
        return nn_leave(
            nn_fail(ANEURALNETWORKS_BAD_DATA, "operand %d cannot be that model", index));
    if (!value->finished)
        return nn_leave(nn_fail(ANEURALNETWORKS_BAD_STATE, "the value is not finished"));
    nn_model_ref(value);
    clear(operand);
    operand->source = NN_MODEL;
    operand->tensor.model = value;
    operand->tensor.constant = true;
    return 0;
}

static int check_scales(const struct nn_operand *operand,
                        const ANeuralNetworksSymmPerChannelQuantParams *quant)
{
    const struct nn_tensor *tensor = &operand->tensor;

    if (tensor->type != Q8C)
        return nn_fail(ANEURALNETWORKS_BAD_DATA, "%s has no channels",
                       bp_nnapi_operand_name(tensor->type));
    if (quant->channelDim >= tensor->rank || quant->scaleCount != tensor->dims[quant->channelDim])
        return nn_fail(ANEURALNETWORKS_BAD_DATA, "%u scales of dimension %u", quant->scaleCount,
                       quant->channelDim);
    for (uint32_t i = 0; i < quant->scaleCount; i++)
        if (!(quant->scales[i] > 0))
            return nn_fail(ANEURALNETWORKS_BAD_DATA, "scale %u is %g", i, (double)quant->scales[i]);
    return 0;
}

int ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
    ANeuralNetworksModel *model, int32_t index,
    const ANeuralNetworksSymmPerChannelQuantParams *channelQuant)
{
    struct nn_operand *operand;
    float *scales;
    int code;

    NN_ENTER(29);
    NN_NOT_NULL(model);
    NN_NOT_NULL(channelQuant);
    NN_NOT_NULL(channelQuant->scales);
    operand = find(model, index, &code);
    if (operand)
        code = check_scales(operand, channelQuant);
    if (code)
        return nn_leave(code);
    scales = malloc(channelQuant->scaleCount * sizeof *scales);
    if (!scales)
        return nn_leave(no_memory());
    memcpy(scales, channelQuant->scales, channelQuant->scaleCount * sizeof *scales);
    free(operand->scales);
    operand->scales = scales;
    operand->tensor.scales = scales;
    operand->tensor.channel = channelQuant->channelDim;
    return 0;
}

/* ---- operations ----------------------------------------------------------------------------- */

static int check_indices(const ANeuralNetworksModel *model, uint32_t count, const uint32_t *indices)
{
    for (uint32_t i = 0; i < count; i++)
        if (indices[i] >= model->operand_count)
            return nn_fail(ANEURALNETWORKS_BAD_DATA, "operand %u is not one of %u", indices[i],
                           model->operand_count);
    return 0;
}

/* Both lists in one block, the first in front. */
static uint32_t *copy_lists(uint32_t n, const uint32_t *first, uint32_t m, const uint32_t *second)
{
    uint32_t *both = malloc(((size_t)n + m + 1) * sizeof *both);

    if (both && n)
        memcpy(both, first, n * sizeof *both);
    if (both && m)
        memcpy(both + n, second, m * sizeof *both);
    return both;
}

int ANeuralNetworksModel_addOperation(ANeuralNetworksModel *model,
                                      ANeuralNetworksOperationType type, uint32_t inputCount,
                                      const uint32_t *inputs, uint32_t outputCount,
                                      const uint32_t *outputs)
{
    struct nn_operation operation = {
        .code = type, .in_count = inputCount, .out_count = outputCount};
    void *operations;
    int code;

    NN_ENTER(27);
    NN_NOT_NULL(model);
    NN_NOT_NULL(inputs);
    NN_NOT_NULL(outputs);
    code = nn_model_open(model);
    if (!code && !bp_nnapi_operation_name(type))
        code = nn_fail(ANEURALNETWORKS_BAD_DATA, "there is no operation %d", type);
    if (!code)
        code = check_indices(model, inputCount, inputs);
    if (!code)
        code = check_indices(model, outputCount, outputs);
    if (!code && (!inputCount || !outputCount))
        code = nn_fail(ANEURALNETWORKS_BAD_DATA, "an operation of no operands");
    if (code)
        return nn_leave(code);
    operations = model->operations;
    if (!grow(&operations, &model->operation_space, model->operation_count, sizeof operation))
        return nn_leave(no_memory());
    model->operations = operations;
    operation.op = nn_op_find(type);
    operation.inputs = copy_lists(inputCount, inputs, outputCount, outputs);
    if (!operation.inputs)
        return nn_leave(no_memory());
    operation.outputs = operation.inputs + inputCount;
    model->operations[model->operation_count++] = operation;
    return 0;
}

/* Marks a list's operands as inputs or outputs; marks them back if one cannot be. */
static int mark(ANeuralNetworksModel *model, uint32_t count, const uint32_t *indices,
                enum nn_source source)
{
    for (uint32_t i = 0; i < count; i++) {
        struct nn_operand *operand = &model->operands[indices[i]];

        if (operand->source != NN_TEMPORARY) {
            while (i-- > 0)
                model->operands[indices[i]].source = NN_TEMPORARY;
            return nn_fail(ANEURALNETWORKS_BAD_DATA,
                           "an %s is constant, or an input or output already",
                           source == NN_INPUT ? "input" : "output");
        }
        operand->source = source;
    }
    return 0;
}

int ANeuralNetworksModel_identifyInputsAndOutputs(ANeuralNetworksModel *model, uint32_t inputCount,
                                                  const uint32_t *inputs, uint32_t outputCount,
                                                  const uint32_t *outputs)
{
    uint32_t *both = NULL;
    int code;

    NN_ENTER(27);
    NN_NOT_NULL(model);
    NN_NOT_NULL(inputs);
    NN_NOT_NULL(outputs);
    code = nn_model_open(model);
    if (!code && model->identified)
        code = nn_fail(ANEURALNETWORKS_BAD_DATA, "inputs and outputs are known already");
    if (!code)
        code = check_indices(model, inputCount, inputs);
    if (!code)
        code = check_indices(model, outputCount, outputs);
    if (!code) {
        both = copy_lists(inputCount, inputs, outputCount, outputs);
        code = both ? mark(model, inputCount, inputs, NN_INPUT) : no_memory();
    }
    if (!code) {
        code = mark(model, outputCount, outputs, NN_OUTPUT);
        for (uint32_t i = 0; code && i < inputCount; i++)
            model->operands[inputs[i]].source = NN_TEMPORARY;
    }
    if (code) {
        free(both);
        return nn_leave(code);
    }
    model->inputs = both;
    model->in_count = inputCount;
    model->outputs = both + inputCount;
    model->out_count = outputCount;
    model->identified = true;
    return 0;
}

int ANeuralNetworksModel_relaxComputationFloat32toFloat16(ANeuralNetworksModel *model, bool allow)
{
    int code;

    NN_ENTER(28);
    NN_NOT_NULL(model);
    code = nn_model_open(model);
    if (!code)
        model->relaxed = allow;
    return nn_leave(code);
}
