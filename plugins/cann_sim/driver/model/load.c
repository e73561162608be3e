/* SPDX-License-Identifier: MIT */
/* load.c - models are loaded onto devices, and unloaded. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/cost.h"
#include "core/error.h"
#include "core/fault.h"
#include "core/state.h"
#include "memory/memory.h"
#include "model/model.h"

/*
 * All loaded models, and the last id: none is given twice, so that an id which was unloaded is
 * known as such. [locked]
 */
static struct {
    struct sim_model *first;
    uint32_t last_id; /* none is given twice */
} models;

aclError sim_model_get(uint32_t id, struct sim_model **out)
{
    aclError rc = sim_need_init();

    *out = NULL;
    if (rc)
        return rc;
    *out = models.first;
    while (*out && (*out)->id != id)
        *out = (*out)->next;
    if (!*out)
        return sim_violate(BP_ASCEND_BAD_HANDLE, ACL_ERROR_GE_EXEC_MODEL_ID_INVALID,
                           "there is no model %u, or it was unloaded", id);
    return 0;
}

/* The block may be gone already, where a device was reset. */
static void free_device_memory(void *address)
{
    struct sim_block *block;

    if (address && sim_memory_kind_of(address, &block) == SIM_MEMORY_DEVICE)
        sim_block_free(block);
}

/* Work and weights are freed only where they are ACL's own; given memory is the program's. */
void sim_model_unref(struct sim_model *model)
{
    if (!model || --model->refs > 0)
        return;
    if (model->owns_work)
        free_device_memory(model->work);
    if (model->owns_weights)
        free_device_memory(model->weights);
    sim_model_free(model);
}

/* Off the table; tasks that are queued still run it. */
static void remove_model(struct sim_model *model)
{
    struct sim_model **at = &models.first;

    while (*at != model)
        at = &(*at)->next;
    *at = model->next;
    sim_state.counters.models_unloaded++;
    sim_model_unref(model);
}

size_t sim_models_free(const struct sim_device *device)
{
    size_t n = 0;

    for (struct sim_model *model = models.first, *next; model; model = next) {
        next = model->next;
        if (model->device != device)
            continue;
        remove_model(model);
        n++;
    }
    return n;
}

/* ---- loading -------------------------------------------------------------------------------- */

/* Device memory that the program gives (aclmdlLoad...WithMem); NULL: ACL allocates its own. */
struct caller_memory {
    void *work, *weights;
    size_t work_size, weight_size;
};

/* ACL's own takes 32 bytes more, as aclrtMalloc() does. [locked] */
static aclError get_memory(const struct sim_model *model, size_t size, void *given,
                           size_t given_size, void **out, bool *owns)
{
    if (size == 0)
        return 0;
    if (!given) {
        aclError rc = sim_allocate(out, size, size + 32);

        *owns = !rc;
        return rc;
    }
    if (given_size < size)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "the model wants %zu bytes, and is given %zu",
                        size, given_size);
    *out = given;
    return sim_check_device(model->device, given, size, ACL_ERROR_RT_PARAM_INVALID,
                            "memory given to a model");
}

/* The host waits for the copy, so that its simulated clock goes on. [locked] */
static aclError copy_weights(const struct sim_model *model)
{
    struct sim_block *block;
    uint8_t *at;
    aclError rc;

    if (model->weight_size == 0)
        return 0;
    rc = sim_pin(model->device, model->weights, model->weight_size, ACL_ERROR_RT_PARAM_INVALID,
                 "a model's weights", &block, &at);
    if (rc)
        return rc;
    for (size_t i = 0; i < model->n_tensors; i++) {
        const struct sim_model_tensor *tensor = &model->tensors[i];

        if (tensor->kind == SIM_TENSOR_CONSTANT)
            memcpy(at + tensor->offset, tensor->data, tensor->bytes);
    }
    sim_unpin(block);
    sim_host_spends(model->device,
                    sim_copy_cost(model->device, ACL_MEMCPY_HOST_TO_DEVICE, model->weight_size));
    return 0;
}

/*
 * The model is the device's from here on; a model is built for a chip, and refused by others.
 * [locked]
 */
static aclError place_on_device(struct sim_model *model, const struct caller_memory *given)
{
    struct sim_context *context;
    aclError rc = sim_current(&context);

    if (!rc)
        rc = sim_fault(BP_ASCEND_AT_LOAD);
    if (rc)
        return rc;
    model->device = context->device;
    if (strcmp(model->soc, model->device->config->soc) != 0)
        return sim_fail(ACL_ERROR_RT_SOC_VERSION, "the model is for %.60s, the device is %.60s",
                        model->soc, model->device->config->soc);
    rc = get_memory(model, model->work_size, given->work, given->work_size, &model->work,
                    &model->owns_work);
    if (!rc)
        rc = get_memory(model, model->weight_size, given->weights, given->weight_size,
                        &model->weights, &model->owns_weights);
    return rc ? rc : copy_weights(model);
}

/* Reads without the lock, as models are large. */
static aclError load(const void *bytes, size_t size, const struct caller_memory *given,
                     uint32_t *id)
{
    struct sim_model *model;
    aclError rc;

    if (!bytes || size == 0 || !id)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "no model, or no pointer for its id");
    rc = sim_model_read(bytes, size, &model);
    if (rc)
        return rc;
    sim_lock();
    rc = place_on_device(model, given);
    if (rc) {
        sim_model_unref(model);
    } else {
        model->id = ++models.last_id;
        model->next = models.first;
        models.first = model;
        sim_state.counters.models_loaded++;
        *id = model->id;
    }
    sim_unlock();
    return rc;
}

/* All of a file, the caller's to free. A folder opens, but has no length. */
static aclError read_file(const char *path, void **bytes, size_t *size)
{
    FILE *file = fopen(path, "rb");
    long length = -1;

    *bytes = NULL;
    *size = 0;
    if (file && fseek(file, 0, SEEK_END) == 0)
        length = ftell(file);
    if (length < 0 || length == LONG_MAX) { /* a folder says so */
        if (file)
            fclose(file);
        return sim_fail(ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID, "%.300s cannot be read", path);
    }
    rewind(file);
    *bytes = malloc((size_t)length + 1);
    if (*bytes)
        *size = fread(*bytes, 1, (size_t)length, file);
    fclose(file);
    return *bytes ? 0 : sim_fail(ACL_ERROR_BAD_ALLOC, "no memory for %.300s", path);
}

/* An empty file is a model that was cut off. */
static aclError load_file(const char *path, const struct caller_memory *given, uint32_t *id)
{
    void *bytes;
    size_t size;
    aclError rc;

    if (!path || !id)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "no path, or no pointer for the model's id");
    rc = read_file(path, &bytes, &size);
    if (!rc && size == 0)
        rc = sim_fail(ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID, "%.300s is empty", path);
    if (!rc)
        rc = load(bytes, size, given, id);
    free(bytes);
    return rc;
}

/* ---- the API -------------------------------------------------------------------------------- */

/* Reads all of the model, and so says as well whether it could be loaded. */
aclError aclmdlQuerySizeFromMem(const void *model, size_t modelSize, size_t *workSize,
                                size_t *weightSize)
{
    struct sim_model *read;
    aclError rc;

    if (!model || modelSize == 0 || !workSize || !weightSize)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "aclmdlQuerySizeFromMem: NULL, or 0 bytes");
    rc = sim_model_read(model, modelSize, &read);
    if (rc)
        return rc;
    *workSize = read->work_size;
    *weightSize = read->weight_size;
    sim_model_free(read);
    return 0;
}

aclError aclmdlQuerySize(const char *fileName, size_t *workSize, size_t *weightSize)
{
    void *bytes;
    size_t size;
    aclError rc;

    if (!fileName)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "aclmdlQuerySize: no path");
    rc = read_file(fileName, &bytes, &size);
    if (!rc && size == 0)
        rc = sim_fail(ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID, "%.300s is empty", fileName);
    if (!rc)
        rc = aclmdlQuerySizeFromMem(bytes, size, workSize, weightSize);
    free(bytes);
    return rc;
}

aclError aclmdlLoadFromFile(const char *modelPath, uint32_t *modelId)
{
    return load_file(modelPath, &(struct caller_memory){.work = NULL}, modelId);
}

aclError aclmdlLoadFromMem(const void *model, size_t modelSize, uint32_t *modelId)
{
    return load(model, modelSize, &(struct caller_memory){.work = NULL}, modelId);
}

aclError aclmdlLoadFromFileWithMem(const char *modelPath, uint32_t *modelId, void *workPtr,
                                   size_t workSize, void *weightPtr, size_t weightSize)
{
    return load_file(modelPath, &(struct caller_memory){workPtr, weightPtr, workSize, weightSize},
                     modelId);
}

aclError aclmdlLoadFromMemWithMem(const void *model, size_t modelSize, uint32_t *modelId,
                                  void *workPtr, size_t workSize, void *weightPtr,
                                  size_t weightSize)
{
    return load(model, modelSize, &(struct caller_memory){workPtr, weightPtr, workSize, weightSize},
                modelId);
}

/* Does not wait: what is queued keeps the model until it has run. */
aclError aclmdlUnload(uint32_t modelId)
{
    struct sim_model *model;
    aclError rc;

    sim_lock();
    rc = sim_model_get(modelId, &model);
    if (!rc)
        remove_model(model);
    sim_unlock();
    return rc;
}
