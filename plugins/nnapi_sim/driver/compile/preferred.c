/* SPDX-License-Identifier: MIT */
/* preferred.c - alignment and padding of buffers that devices would like. */
#include "compile/compilation.h"

/* The most that any of the devices would like. */
static uint32_t most(const struct ANeuralNetworksCompilation *compilation, bool padding)
{
    uint32_t value = 1;

    for (uint32_t i = 0; i < compilation->model->operation_count; i++) {
        const struct nn_device_config *device =
            &compilation->config->devices[compilation->device_of[i]];
        uint32_t likes = padding ? device->padding : device->alignment;

        value = value > likes ? value : likes;
    }
    return value;
}

static int preferred(const ANeuralNetworksCompilation *compilation, uint32_t index, bool output,
                     bool padding, uint32_t *out)
{
    int code = nn_compilation_ready(compilation);
    uint32_t count = output ? compilation->model->out_count : compilation->model->in_count;

    if (!code && index >= count)
        code = nn_fail(ANEURALNETWORKS_BAD_DATA, "%s %u is not one of %u",
                       output ? "output" : "input", index, count);
    if (!code)
        *out = most(compilation, padding);
    return nn_leave(code);
}

int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(
    const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *alignment)
{
    NN_ENTER(31);
    NN_NOT_NULL(compilation);
    NN_NOT_NULL(alignment);
    return preferred(compilation, index, false, false, alignment);
}

int ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(
    const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *padding)
{
    NN_ENTER(31);
    NN_NOT_NULL(compilation);
    NN_NOT_NULL(padding);
    return preferred(compilation, index, false, true, padding);
}

int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput(
    const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *alignment)
{
    NN_ENTER(31);
    NN_NOT_NULL(compilation);
    NN_NOT_NULL(alignment);
    return preferred(compilation, index, true, false, alignment);
}

int ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(
    const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *padding)
{
    NN_ENTER(31);
    NN_NOT_NULL(compilation);
    NN_NOT_NULL(padding);
    return preferred(compilation, index, true, true, padding);
}
