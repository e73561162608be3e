/* SPDX-License-Identifier: MIT */
/* bind.c - the program's memory for inputs and outputs. */
#include "run/execution.h"

/* A type that the program gives says what the model left open, and nothing else. */
static int merge_type(const struct nn_tensor *model, const ANeuralNetworksOperandType *type,
                      struct nn_tensor *out)
{
    struct nn_tensor given;
    int code;

    *out = *model;
    if (!type)
        return 0;
    code = nn_type_check(type, &given);
    if (code)
        return code;
    if (given.type != model->type || (nn_is_tensor(given.type) && !nn_same_quant(&given, model)))
        return nn_fail(ANEURALNETWORKS_BAD_DATA, "the type is not the model's");
    if (!given.rank)
        return 0;
    if (model->rank && given.rank != model->rank)
        return nn_fail(ANEURALNETWORKS_BAD_DATA, "rank %u is not the model's %u", given.rank,
                       model->rank);
    for (uint32_t i = 0; i < given.rank; i++) {
        if (model->rank && model->dims[i] && given.dims[i] && given.dims[i] != model->dims[i])
            return nn_fail(ANEURALNETWORKS_BAD_DATA, "dimension %u is %u in the model, not %u", i,
                           model->dims[i], given.dims[i]);
        out->dims[i] = model->rank && model->dims[i] ? model->dims[i] : given.dims[i];
    }
    out->ranked = true;
    out->rank = given.rank;
    return 0;
}

static int check_length(const struct ANeuralNetworksExecution *execution,
                        const struct nn_tensor *type, size_t length, bool output)
{
    size_t needed = nn_type_size(type);

    if (!needed)
        return output ? 0
                      : nn_fail(ANEURALNETWORKS_BAD_DATA, "an input's dimensions are not known");
    if (length == needed || (execution->padded && length > needed))
        return 0;
    return nn_fail(ANEURALNETWORKS_BAD_DATA, "%zu bytes for an operand of %zu", length, needed);
}

/* The slot of an input or output that can be set. */
static int find(struct ANeuralNetworksExecution *execution, int32_t index, bool output,
                const ANeuralNetworksOperandType *type, struct nn_binding **out)
{
    const struct ANeuralNetworksModel *model = execution->compilation->model;
    uint32_t count = output ? model->out_count : model->in_count;
    int code = nn_execution_idle(execution);

    if (code)
        return code;
    if (index < 0 || (uint32_t)index >= count)
        return nn_fail(ANEURALNETWORKS_BAD_DATA, "%s %d is not one of %u",
                       output ? "output" : "input", index, count);
    *out = &(output ? execution->outputs : execution->inputs)[index];
    if ((*out)->set)
        return nn_fail(ANEURALNETWORKS_BAD_STATE, "%s %d is set already",
                       output ? "output" : "input", index);
    return merge_type(&model->operands[(output ? model->outputs : model->inputs)[index]].tensor,
                      type, &(*out)->type);
}

static int bind_pointer(struct ANeuralNetworksExecution *execution, int32_t index, bool output,
                        const ANeuralNetworksOperandType *type, void *buffer, size_t length)
{
    struct nn_binding *binding;
    int code = find(execution, index, output, type, &binding);

    if (code)
        return code;
    if (!buffer != !length)
        return nn_fail(ANEURALNETWORKS_BAD_DATA, "%zu bytes and %s", length,
                       buffer ? "a pointer" : "NULL");
    if (buffer)
        code = check_length(execution, &binding->type, length, output);
    if (code)
        return code;
    binding->set = true;
    binding->omitted = !buffer;
    binding->data = buffer;
    binding->length = length;
    return 0;
}

/* ---- memory --------------------------------------------------------------------------------- */

/* Memory of a device is used whole, in a role that it has. */
static int check_role(const struct ANeuralNetworksExecution *execution, int32_t index, bool output,
                      const ANeuralNetworksMemory *memory, struct nn_tensor *type, size_t offset,
                      size_t length)
{
    if (offset || length)
        return nn_fail(ANEURALNETWORKS_BAD_DATA, "memory of a device with offset or length");
    for (size_t i = 0; i < memory->role_count; i++)
        if (memory->roles[i].compilation == execution->compilation &&
            memory->roles[i].output == output && memory->roles[i].index == (uint32_t)index) {
            nn_same_dims(type, &memory->type);
            return 0;
        }
    return nn_fail(ANEURALNETWORKS_BAD_DATA, "the memory has not the role of %s %d",
                   output ? "output" : "input", index);
}

static int check_memory(const struct ANeuralNetworksExecution *execution, bool output,
                        const ANeuralNetworksMemory *memory, const struct nn_tensor *type,
                        size_t offset, size_t *length)
{
    if (memory->kind == NN_MEMORY_PICTURE) {
        if (offset || *length)
            return nn_fail(ANEURALNETWORKS_BAD_DATA, "a picture with offset or length");
        *length = memory->size;
        return nn_type_size(type) > memory->size
                   ? nn_fail(ANEURALNETWORKS_BAD_DATA, "a picture that is too small")
                   : 0;
    }
    if (offset > memory->size || *length > memory->size - offset)
        return nn_fail(ANEURALNETWORKS_BAD_DATA, "%zu bytes at %zu of memory of %zu", *length,
                       offset, memory->size);
    if (output && !memory->writable)
        return nn_fail(ANEURALNETWORKS_BAD_DATA, "an output in memory that can only be read");
    return check_length(execution, type, *length, output);
}

static int bind_memory(struct ANeuralNetworksExecution *execution, int32_t index, bool output,
                       const ANeuralNetworksOperandType *type, const ANeuralNetworksMemory *memory,
                       size_t offset, size_t length)
{
    struct nn_binding *binding;
    int code = find(execution, index, output, type, &binding);

    if (code)
        return code;
    if (memory->kind == NN_MEMORY_DEVICE) {
        code = check_role(execution, index, output, memory, &binding->type, offset, length);
        length = memory->size;
    } else {
        code = check_memory(execution, output, memory, &binding->type, offset, &length);
    }
    if (code)
        return code;
    binding->set = true;
    binding->memory = memory;
    binding->data = (char *)memory->data + offset;
    binding->length = length;
    return 0;
}

int ANeuralNetworksExecution_setInput(ANeuralNetworksExecution *execution, int32_t index,
                                      const ANeuralNetworksOperandType *type, const void *buffer,
                                      size_t length)
{
    NN_ENTER(27);
    NN_NOT_NULL(execution);
    return nn_leave(bind_pointer(execution, index, false, type, (void *)(uintptr_t)buffer, length));
}

int ANeuralNetworksExecution_setOutput(ANeuralNetworksExecution *execution, int32_t index,
                                       const ANeuralNetworksOperandType *type, void *buffer,
                                       size_t length)
{
    NN_ENTER(27);
    NN_NOT_NULL(execution);
    return nn_leave(bind_pointer(execution, index, true, type, buffer, length));
}

int ANeuralNetworksExecution_setInputFromMemory(ANeuralNetworksExecution *execution, int32_t index,
                                                const ANeuralNetworksOperandType *type,
                                                const ANeuralNetworksMemory *memory, size_t offset,
                                                size_t length)
{
    NN_ENTER(27);
    NN_NOT_NULL(execution);
    NN_NOT_NULL(memory);
    return nn_leave(bind_memory(execution, index, false, type, memory, offset, length));
}

int ANeuralNetworksExecution_setOutputFromMemory(ANeuralNetworksExecution *execution, int32_t index,
                                                 const ANeuralNetworksOperandType *type,
                                                 const ANeuralNetworksMemory *memory, size_t offset,
                                                 size_t length)
{
    NN_ENTER(27);
    NN_NOT_NULL(execution);
    NN_NOT_NULL(memory);
    return nn_leave(bind_memory(execution, index, true, type, memory, offset, length));
}
