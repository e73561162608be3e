/* SPDX-License-Identifier: MIT */
/*
 * plan.c - a device for each operation: the fastest for its type that takes it, or with LOW_POWER
 * the one that spends least. As on Android the choice looks at one operation alone.
 */
#include "compile/compilation.h"

/* More is better. */
static double merit(const struct ANeuralNetworksCompilation *compilation,
                    const struct nn_device_config *device, const struct nn_call *call)
{
    double rate = (double)nn_rate(device, call);

    return compilation->preference == ANEURALNETWORKS_PREFER_LOW_POWER
               ? rate / (double)device->power
               : rate;
}

int nn_plan(struct ANeuralNetworksCompilation *compilation)
{
    const struct nn_config *config = compilation->config;

    for (uint32_t i = 0; i < compilation->model->operation_count; i++) {
        uint32_t best = NN_DEVICES;
        double most = 0;
        char why[256] = "no device is allowed";
        struct nn_call call;

        nn_model_call(compilation->model, i, &call);
        for (uint32_t d = 0; d < config->device_count; d++) {
            const struct nn_device_config *device = &config->devices[d];
            double value;

            if (!compilation->allowed[d] ||
                !nn_device_takes(device, compilation->model, i, why, sizeof why))
                continue;
            value = merit(compilation, device, &call);
            if (best == NN_DEVICES || value > most) {
                best = d;
                most = value;
            }
        }
        if (best == NN_DEVICES)
            return nn_fail(ANEURALNETWORKS_BAD_DATA, "operation %u: no device takes it: %s", i,
                           why);
        compilation->device_of[i] = (uint8_t)best;
    }
    return 0;
}

uint32_t nn_plan_parts(const struct ANeuralNetworksCompilation *compilation)
{
    const struct ANeuralNetworksModel *model = compilation->model;
    uint32_t parts = 0;

    for (uint32_t i = 0; i < model->operation_count; i++)
        parts += i == 0 || compilation->device_of[model->order[i]] !=
                               compilation->device_of[model->order[i - 1]];
    return parts;
}
