/* SPDX-License-Identifier: MIT */
/* finish.c - ANeuralNetworksModel_finish(), and what can be asked of a finished model. */
#include <stdlib.h>

#include "model/model.h"

/* Large constants of the program become the model's own. */
static int take_constants(struct ANeuralNetworksModel *model)
{
    for (uint32_t i = 0; i < model->operand_count; i++) {
        struct nn_operand *operand = &model->operands[i];

        if (operand->source != NN_REFERENCED || operand->copy)
            continue;
        operand->copy = malloc(operand->length);
        if (!operand->copy)
            return nn_fail(ANEURALNETWORKS_OUT_OF_MEMORY, "no memory for a constant");
        memcpy(operand->copy, operand->tensor.data, operand->length);
        operand->tensor.data = operand->copy;
    }
    return 0;
}

static void count(struct ANeuralNetworksModel *model)
{
    struct bp_nnapi_counters *c = &nn_state.counters;

    nn_lock();
    c->models_finished++;
    c->operands += model->operand_count;
    c->operations += model->operation_count;
    for (uint32_t i = 0; i < model->operand_count; i++) {
        const struct nn_operand *operand = &model->operands[i];

        c->constants_copied += operand->source == NN_COPIED;
        c->constants_referenced += operand->source == NN_REFERENCED;
        c->constants_pooled += operand->source == NN_POOLED;
        if (operand->tensor.constant)
            model->constant_bytes += operand->length;
    }
    c->constant_bytes += model->constant_bytes;
    for (uint32_t i = 0; i < model->operation_count; i++)
        c->operations_by_code[model->operations[i].code]++;
    if (c->highest_level < model->level)
        c->highest_level = model->level;
    nn_unlock();
}

static int check(struct ANeuralNetworksModel *model)
{
    const struct nn_config *config = nn_config();
    int code = nn_fault(BP_NNAPI_AT_MODEL, BP_NNAPI_ANY);

    if (!code)
        code = take_constants(model);
    if (!code)
        code = nn_model_check(model);
    if (!code && config->strict && model->level > config->level)
        code = nn_fail(ANEURALNETWORKS_BAD_DATA,
                       "the model needs level %lld; this runtime has level %lld",
                       (long long)model->level, (long long)config->level);
    return code;
}

int ANeuralNetworksModel_finish(ANeuralNetworksModel *model)
{
    int code;

    NN_ENTER(27);
    NN_NOT_NULL(model);
    code = nn_model_open(model);
    if (code)
        return nn_leave(code);
    code = check(model);
    if (code) {
        model->invalid = true;
        nn_count(&nn_state.counters.models_rejected, 1);
        return nn_leave(code);
    }
    model->finished = true;
    count(model);
    return 0;
}

/* ---- questions ------------------------------------------------------------------------------ */

/* The configurations of a program's list; NULL and *code: the list is wrong. */
static int check_devices(const ANeuralNetworksDevice *const *devices, uint32_t n,
                         const struct nn_config *config)
{
    if (n == 0)
        return nn_fail(ANEURALNETWORKS_BAD_DATA, "a list of no devices");
    for (uint32_t i = 0; i < n; i++) {
        if (!devices[i])
            return nn_fail(ANEURALNETWORKS_UNEXPECTED_NULL, "device %u of the list is NULL", i);
        if (devices[i]->index >= config->device_count)
            return nn_fail(ANEURALNETWORKS_BAD_DATA, "device %u of the list is unknown", i);
        for (uint32_t j = 0; j < i; j++)
            if (devices[j] == devices[i])
                return nn_fail(ANEURALNETWORKS_BAD_DATA, "devices %u and %u of the list are one", j,
                               i);
    }
    return 0;
}

int ANeuralNetworksModel_getSupportedOperationsForDevices(
    const ANeuralNetworksModel *model, const ANeuralNetworksDevice *const *devices,
    uint32_t numDevices, bool *supportedOps)
{
    const struct nn_config *config = nn_config();
    int code;

    NN_ENTER(29);
    NN_NOT_NULL(model);
    NN_NOT_NULL(devices);
    NN_NOT_NULL(supportedOps);
    code = nn_model_ready(model);
    if (!code)
        code = check_devices(devices, numDevices, config);
    if (code)
        return nn_leave(code);
    for (uint32_t i = 0; i < model->operation_count; i++) {
        supportedOps[i] = false;
        for (uint32_t d = 0; d < numDevices; d++)
            supportedOps[i] |=
                nn_device_takes(&config->devices[devices[d]->index], model, i, NULL, 0);
    }
    return 0;
}

int bp_nnapi_estimate(const ANeuralNetworksModel *model, uint32_t device, uint64_t *nanoseconds)
{
    const struct nn_config *config = nn_config();
    struct nn_call call;
    int code;

    NN_NOT_NULL(model);
    NN_NOT_NULL(nanoseconds);
    code = nn_model_ready(model);
    if (code)
        return nn_leave(code);
    if (device >= config->device_count)
        return nn_leave(nn_fail(ANEURALNETWORKS_BAD_DATA, "there is no device %u", device));
    for (uint32_t i = 0; i < model->operation_count; i++) {
        nn_model_call(model, i, &call);
        nanoseconds[i] = nn_device_takes(&config->devices[device], model, i, NULL, 0)
                             ? nn_cost(&config->devices[device], &call)
                             : UINT64_MAX;
    }
    return 0;
}

int bp_nnapi_why_unsupported(const ANeuralNetworksModel *model, uint32_t operation, uint32_t device,
                             bool *supported, char *why, size_t size)
{
    const struct nn_config *config = nn_config();
    int code;

    NN_NOT_NULL(model);
    NN_NOT_NULL(supported);
    code = nn_model_ready(model);
    if (!code && (device >= config->device_count || operation >= model->operation_count))
        code = nn_fail(ANEURALNETWORKS_BAD_DATA, "there is no device %u or operation %u", device,
                       operation);
    if (code)
        return nn_leave(code);
    if (why && size)
        why[0] = '\0';
    *supported = nn_device_takes(&config->devices[device], model, operation, why, size);
    return 0;
}
