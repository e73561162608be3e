/* SPDX-License-Identifier: MIT */
/* memory_desc.c - memory on a device: descriptions of its roles, and copying it. */
#include <stdlib.h>

#include "compile/compilation.h"

struct ANeuralNetworksMemoryDesc {
    struct nn_role *roles;
    size_t count;
    struct nn_tensor type; /* of the first role, with the dimensions of all */
    bool finished;
};

int ANeuralNetworksMemoryDesc_create(ANeuralNetworksMemoryDesc **desc)
{
    NN_ENTER(30);
    NN_NOT_NULL(desc);
    *desc = calloc(1, sizeof **desc);
    if (!*desc)
        return nn_leave(nn_fail(ANEURALNETWORKS_OUT_OF_MEMORY, "no memory"));
    nn_count(&nn_state.counters.live_descriptions, 1);
    return 0;
}

void ANeuralNetworksMemoryDesc_free(ANeuralNetworksMemoryDesc *desc)
{
    if (!desc)
        return;
    nn_count(&nn_state.counters.live_descriptions, -1);
    free(desc->roles);
    free(desc);
}

/* ---- roles ---------------------------------------------------------------------------------- */

/* Dimensions that both know must be the same; what one does not know it learns. */
static int merge_dims(struct nn_tensor *type, uint32_t rank, const uint32_t *dims)
{
    if (!type->ranked || (type->rank == 0 && nn_is_tensor(type->type))) {
        nn_set_dims(type, rank, dims);
        return 0;
    }
    if (rank != type->rank)
        return nn_fail(ANEURALNETWORKS_BAD_DATA, "ranks %u and %u of the memory", type->rank, rank);
    for (uint32_t i = 0; i < rank; i++) {
        if (dims[i] && type->dims[i] && dims[i] != type->dims[i])
            return nn_fail(ANEURALNETWORKS_BAD_DATA, "dimension %u of the memory is %u and %u", i,
                           type->dims[i], dims[i]);
        if (dims[i])
            type->dims[i] = dims[i];
    }
    return 0;
}

static int check_role(const ANeuralNetworksMemoryDesc *desc, const struct nn_role *role,
                      float frequency)
{
    const struct ANeuralNetworksModel *model = role->compilation->model;
    uint32_t count = role->output ? model->out_count : model->in_count;

    if (desc->finished)
        return nn_fail(ANEURALNETWORKS_BAD_STATE, "the description is finished");
    if (!role->compilation->finished)
        return nn_fail(ANEURALNETWORKS_BAD_DATA, "the compilation of a role is not finished");
    if (role->index >= count)
        return nn_fail(ANEURALNETWORKS_BAD_DATA, "there is no %s %u",
                       role->output ? "output" : "input", role->index);
    if (!(frequency > 0 && frequency <= 1))
        return nn_fail(ANEURALNETWORKS_BAD_DATA, "frequency %g is not above 0 and at most 1",
                       (double)frequency);
    for (size_t i = 0; i < desc->count; i++)
        if (desc->roles[i].compilation == role->compilation &&
            desc->roles[i].output == role->output && desc->roles[i].index == role->index)
            return nn_fail(ANEURALNETWORKS_BAD_DATA, "the role is there already");
    return 0;
}

static int add_role(ANeuralNetworksMemoryDesc *desc, const struct nn_role *role, float frequency)
{
    const struct ANeuralNetworksModel *model = role->compilation->model;
    const struct nn_tensor *type;
    struct nn_role *roles;
    int code = check_role(desc, role, frequency);

    if (code)
        return code;
    type = &model->operands[role->output ? model->outputs[role->index] : model->inputs[role->index]]
                .tensor;
    if (desc->count == 0)
        desc->type = *type;
    else if (type->type != desc->type.type || !nn_same_quant(type, &desc->type))
        return nn_fail(ANEURALNETWORKS_BAD_DATA, "roles of different types");
    else
        code = merge_dims(&desc->type, type->rank, type->dims);
    if (code)
        return code;
    roles = realloc(desc->roles, (desc->count + 1) * sizeof *roles);
    if (!roles)
        return nn_fail(ANEURALNETWORKS_OUT_OF_MEMORY, "no memory");
    desc->roles = roles;
    roles[desc->count++] = *role;
    return 0;
}

int ANeuralNetworksMemoryDesc_addInputRole(ANeuralNetworksMemoryDesc *desc,
                                           const ANeuralNetworksCompilation *compilation,
                                           uint32_t index, float frequency)
{
    NN_ENTER(30);
    NN_NOT_NULL(desc);
    NN_NOT_NULL(compilation);
    return nn_leave(add_role(desc, &(struct nn_role){compilation, false, index}, frequency));
}

int ANeuralNetworksMemoryDesc_addOutputRole(ANeuralNetworksMemoryDesc *desc,
                                            const ANeuralNetworksCompilation *compilation,
                                            uint32_t index, float frequency)
{
    NN_ENTER(30);
    NN_NOT_NULL(desc);
    NN_NOT_NULL(compilation);
    return nn_leave(add_role(desc, &(struct nn_role){compilation, true, index}, frequency));
}

int ANeuralNetworksMemoryDesc_setDimensions(ANeuralNetworksMemoryDesc *desc, uint32_t rank,
                                            const uint32_t *dimensions)
{
    NN_ENTER(30);
    NN_NOT_NULL(desc);
    if (rank)
        NN_NOT_NULL(dimensions);
    if (desc->finished)
        return nn_leave(nn_fail(ANEURALNETWORKS_BAD_STATE, "the description is finished"));
    if (rank > NN_RANK)
        return nn_leave(nn_fail(ANEURALNETWORKS_BAD_DATA, "rank %u", rank));
    return nn_leave(rank ? merge_dims(&desc->type, rank, dimensions) : 0);
}

int ANeuralNetworksMemoryDesc_finish(ANeuralNetworksMemoryDesc *desc)
{
    NN_ENTER(30);
    NN_NOT_NULL(desc);
    if (desc->finished)
        return nn_leave(nn_fail(ANEURALNETWORKS_BAD_STATE, "the description is finished"));
    if (!desc->count)
        return nn_leave(nn_fail(ANEURALNETWORKS_BAD_DATA, "the description has no role"));
    desc->finished = true;
    return 0;
}

/* ---- memory --------------------------------------------------------------------------------- */

/* Chosen devices without domains refuse; without a list it is memory of the host. */
static bool refuses(const ANeuralNetworksMemoryDesc *desc)
{
    const struct ANeuralNetworksCompilation *first = desc->roles[0].compilation;

    for (uint32_t i = 0; i < first->model->operation_count; i++) {
        uint32_t device = first->device_of[i];

        if (first->explicit_devices && !first->config->devices[device].rates.memory_domains &&
            device != nn_reference(first->config))
            return true;
    }
    return false;
}

int ANeuralNetworksMemory_createFromDesc(const ANeuralNetworksMemoryDesc *desc,
                                         ANeuralNetworksMemory **memory)
{
    struct ANeuralNetworksMemory *made;
    size_t size;
    int code;

    NN_ENTER(30);
    NN_NOT_NULL(memory);
    *memory = NULL;
    NN_NOT_NULL(desc);
    if (!desc->finished)
        return nn_leave(nn_fail(ANEURALNETWORKS_BAD_STATE, "the description is not finished"));
    size = nn_type_size(&desc->type);
    if (!size || refuses(desc))
        return nn_leave(
            nn_fail(ANEURALNETWORKS_OP_FAILED, size ? "the device has no memory for programs"
                                                    : "a dimension of the memory is not known"));
    code = nn_memory_make(NN_MEMORY_DEVICE, size, &made);
    if (code)
        return nn_leave(code);
    made->data = calloc(1, size);
    made->roles = malloc(desc->count * sizeof *made->roles);
    if (!made->data || !made->roles) {
        ANeuralNetworksMemory_free(made);
        return nn_leave(nn_fail(ANEURALNETWORKS_OUT_OF_MEMORY, "no memory"));
    }
    memcpy(made->roles, desc->roles, desc->count * sizeof *made->roles);
    made->role_count = desc->count;
    made->type = desc->type;
    made->writable = true;
    *memory = made;
    return 0;
}

static int check_copy(const ANeuralNetworksMemory *src, const ANeuralNetworksMemory *dst)
{
    if (src->kind == NN_MEMORY_PICTURE || dst->kind == NN_MEMORY_PICTURE)
        return nn_fail(ANEURALNETWORKS_BAD_DATA, "pictures are not copied");
    if (!nn_memory_written(src))
        return nn_fail(ANEURALNETWORKS_BAD_DATA, "the source was never written");
    if (src->size != dst->size)
        return nn_fail(ANEURALNETWORKS_BAD_DATA, "%zu and %zu bytes", src->size, dst->size);
    if (src->kind == NN_MEMORY_DEVICE && dst->kind == NN_MEMORY_DEVICE &&
        (src->type.rank != dst->type.rank || src->type.type != dst->type.type ||
         memcmp(src->type.dims, dst->type.dims, src->type.rank * sizeof(uint32_t)) != 0))
        return nn_fail(ANEURALNETWORKS_BAD_DATA, "memory of another shape or type");
    if (!dst->writable)
        return nn_fail(ANEURALNETWORKS_BAD_DATA, "the destination can only be read");
    return 0;
}

int ANeuralNetworksMemory_copy(const ANeuralNetworksMemory *src, const ANeuralNetworksMemory *dst)
{
    int code;

    NN_ENTER(30);
    NN_NOT_NULL(src);
    NN_NOT_NULL(dst);
    if (src == dst)
        return 0;
    code = check_copy(src, dst);
    if (code)
        return nn_leave(code);
    code = nn_fault(BP_NNAPI_AT_COPY, BP_NNAPI_ANY);
    if (code) {
        nn_memory_set_written(dst, false);
        return nn_leave(code);
    }
    memcpy(dst->data, src->data, src->size);
    nn_memory_set_written(dst, true);
    return 0;
}
