/* SPDX-License-Identifier: MIT */
/* runtime_model.c - see runtime_model.h. */

#define _GNU_SOURCE /* memfd_create, RTLD_DEFAULT */

#include "runtime_model.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

enum { IMMEDIATE = ANEURALNETWORKS_MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES, POOL_ALIGN = 16 };

/* A failed call, with what the simulated runtime says of it; Android's writes that to its log. */
static bp_rc fail(const bp_instance *instance, bp_err *err, int code, const char *what)
{
    char text[200] = "";

    if (instance->driver->is_sim)
        instance->driver->sim.bp_nnapi_last_error(text, sizeof text);
    return bp_nn_fail_creation(err, code, "%s%s%s", what, *text ? ": " : "", text);
}

static bool is_pooled(const struct bp_nn_operand *operand)
{
    return operand->kind == BP_NN_CONSTANT && operand->bytes > IMMEDIATE;
}

static uint64_t padded(uint64_t bytes)
{
    return (bytes + POOL_ALIGN - 1) / POOL_ALIGN * POOL_ALIGN;
}

/* ---- the pool -------------------------------------------------------------------------------- */

/* Memory by a file descriptor: Android's own where it is, else Linux's. -1: errno says why. */
static int open_memory(uint64_t bytes)
{
    void *symbol = dlsym(RTLD_DEFAULT, "ASharedMemory_create");
    int (*create)(const char *, size_t);
    int fd;

    memcpy(&create, &symbol, sizeof create);
    if (symbol)
        return create("backplane", (size_t)bytes);
    fd = memfd_create("backplane", MFD_CLOEXEC);
    if (fd >= 0 && ftruncate(fd, (off_t)bytes) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* In a trial nothing is written: the pages stay zero, and take no memory. */
static bool fill_pool(int fd, uint64_t bytes, const struct bp_nn_model *model)
{
    char *base;
    uint64_t at = 0;

    if (model->is_trial)
        return true;
    base = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (base == MAP_FAILED)
        return false;
    for (uint32_t i = 0; i < model->n_operands; i++) {
        const struct bp_nn_operand *operand = &model->operands[i];

        if (!is_pooled(operand))
            continue;
        memcpy(base + at, operand->data, (size_t)operand->bytes);
        at += padded(operand->bytes);
    }
    munmap(base, (size_t)bytes);
    return true;
}

static bp_rc make_pool(const bp_instance *instance, const struct bp_nn_model *model,
                       ANeuralNetworksMemory **out, bp_err *err)
{
    uint64_t bytes = 0;
    int fd, code;

    for (uint32_t i = 0; i < model->n_operands; i++)
        bytes += is_pooled(&model->operands[i]) ? padded(model->operands[i].bytes) : 0;
    if (bytes == 0)
        return BP_OK;
    fd = open_memory(bytes);
    if (fd < 0 || !fill_pool(fd, bytes, model)) {
        bp_fail(err, BP_E_NOMEM, "nnapi: no shared memory of %llu bytes for constants: %s",
                (unsigned long long)bytes, strerror(errno));
        if (fd >= 0)
            close(fd);
        return BP_E_NOMEM;
    }
    code = instance->nn.ANeuralNetworksMemory_createFromFd((size_t)bytes, PROT_READ, fd, 0, out);
    close(fd); /* the runtime has its own */
    return code == ANEURALNETWORKS_NO_ERROR
               ? BP_OK
               : fail(instance, err, code, "ANeuralNetworksMemory_createFromFd");
}

/* ---- operands and operations ----------------------------------------------------------------- */

static int add_operand(const bp_instance *instance, ANeuralNetworksModel *model,
                       const struct bp_nn_operand *operand, int32_t index)
{
    ANeuralNetworksOperandType type = {.type = operand->type,
                                       .dimensionCount = operand->rank,
                                       .dimensions = operand->rank ? operand->dims : NULL,
                                       .scale = operand->scale,
                                       .zeroPoint = operand->zero};
    ANeuralNetworksSymmPerChannelQuantParams channels = {.channelDim = operand->channel_dim,
                                                         .scaleCount = operand->n_scales,
                                                         .scales = operand->scales};
    int code = instance->nn.ANeuralNetworksModel_addOperand(model, &type);

    if (code != ANEURALNETWORKS_NO_ERROR || operand->n_scales == 0)
        return code;
    if (!instance->nn.ANeuralNetworksModel_setOperandSymmPerChannelQuantParams)
        return ANEURALNETWORKS_BAD_DATA;
    return instance->nn.ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model, index,
                                                                                 &channels);
}

static int set_value(const bp_instance *instance, const struct bp_nn_built *built,
                     const struct bp_nn_operand *operand, int32_t index, uint64_t *at)
{
    int code;

    if (operand->kind != BP_NN_CONSTANT)
        return ANEURALNETWORKS_NO_ERROR;
    if (!is_pooled(operand))
        return instance->nn.ANeuralNetworksModel_setOperandValue(built->model, index, operand->data,
                                                                 (size_t)operand->bytes);
    code = instance->nn.ANeuralNetworksModel_setOperandValueFromMemory(
        built->model, index, built->pool, (size_t)*at, (size_t)operand->bytes);
    *at += padded(operand->bytes);
    return code;
}

static bp_rc add_operands(const bp_instance *instance, const struct bp_nn_model *model,
                          const struct bp_nn_built *built, bp_err *err)
{
    uint64_t at = 0;

    for (uint32_t i = 0; i < model->n_operands; i++) {
        const struct bp_nn_operand *operand = &model->operands[i];
        int code = add_operand(instance, built->model, operand, (int32_t)i);

        if (code == ANEURALNETWORKS_NO_ERROR)
            code = set_value(instance, built, operand, (int32_t)i, &at);
        if (code != ANEURALNETWORKS_NO_ERROR)
            return fail(instance, err, code, "adding an operand");
    }
    return BP_OK;
}

static bp_rc add_operations(const bp_instance *instance, const struct bp_nn_model *model,
                            const struct bp_nn_built *built, bp_err *err)
{
    for (uint32_t i = 0; i < model->n_operations; i++) {
        const struct bp_nn_operation *operation = &model->operations[i];
        const uint32_t *in = model->indices + operation->first;
        int code = instance->nn.ANeuralNetworksModel_addOperation(
            built->model, operation->code, operation->n_in, in, operation->n_out,
            in + operation->n_in);

        if (code != ANEURALNETWORKS_NO_ERROR)
            return fail(instance, err, code, "adding an operation");
    }
    return BP_OK;
}

static bp_rc finish(const bp_instance *instance, const struct bp_nn_model *model,
                    const struct bp_nn_built *built, bp_err *err)
{
    const struct bp_nn_functions *nn = &instance->nn;
    int code = nn->ANeuralNetworksModel_identifyInputsAndOutputs(
        built->model, model->n_inputs, model->inputs, model->n_outputs, model->outputs);

    if (code != ANEURALNETWORKS_NO_ERROR)
        return fail(instance, err, code, "naming inputs and outputs");
    if (instance->options.flags & BP_NN_USE_FP16 &&
        nn->ANeuralNetworksModel_relaxComputationFloat32toFloat16) {
        code = nn->ANeuralNetworksModel_relaxComputationFloat32toFloat16(built->model, true);
        if (code != ANEURALNETWORKS_NO_ERROR)
            return fail(instance, err, code, "relaxing float32 to float16");
    }
    code = nn->ANeuralNetworksModel_finish(built->model);
    return code == ANEURALNETWORKS_NO_ERROR
               ? BP_OK
               : fail(instance, err, code, "ANeuralNetworksModel_finish");
}

bp_rc bp_nn_hand_over(const bp_instance *instance, const struct bp_nn_model *model,
                      struct bp_nn_built *out, bp_err *err)
{
    int code;
    bp_rc rc;

    *out = (struct bp_nn_built){NULL, NULL};
    code = instance->nn.ANeuralNetworksModel_create(&out->model);
    if (code != ANEURALNETWORKS_NO_ERROR)
        return fail(instance, err, code, "ANeuralNetworksModel_create");
    rc = make_pool(instance, model, &out->pool, err);
    if (rc >= 0)
        rc = add_operands(instance, model, out, err);
    if (rc >= 0)
        rc = add_operations(instance, model, out, err);
    if (rc >= 0)
        rc = finish(instance, model, out, err);
    if (rc < 0)
        bp_nn_built_free(instance, out);
    return rc;
}

/* Memory may go after the model that reads it only. */
void bp_nn_built_free(const bp_instance *instance, struct bp_nn_built *built)
{
    if (built->model)
        instance->nn.ANeuralNetworksModel_free(built->model);
    if (built->pool)
        instance->nn.ANeuralNetworksMemory_free(built->pool);
    *built = (struct bp_nn_built){NULL, NULL};
}

/* ---- devices --------------------------------------------------------------------------------- */

static void say_why(const bp_instance *instance, const struct bp_nn_model *model,
                    const struct bp_nn_built *built, const struct bp_nn_device *device,
                    uint32_t operation, char *why, size_t size)
{
    const struct bp_nn_simulator *sim = &instance->driver->sim;
    char text[160] = "";
    bool takes = true;
    int32_t code = model->operations[operation].code;

    if (instance->driver->is_sim &&
        sim->bp_nnapi_why_unsupported(built->model, operation, device->index, &takes, text,
                                      sizeof text) == ANEURALNETWORKS_NO_ERROR &&
        *text)
        snprintf(why, size, "device '%s' refuses %s: %s", device->name,
                 sim->bp_nnapi_operation_name(code), text);
    else
        snprintf(why, size, "device '%s' refuses operation %d", device->name, (int)code);
}

bp_rc bp_nn_devices_for(const bp_instance *instance, const struct bp_nn_model *model,
                        const struct bp_nn_built *built, uint32_t *devices, char *why,
                        size_t why_size, bp_err *err)
{
    bool *takes = instance->host.alloc(instance->host.h, model->n_operations, 1);
    int code = ANEURALNETWORKS_NO_ERROR;

    *devices = 0;
    if (!takes)
        return bp_fail(err, BP_E_NOMEM, "nnapi: no memory to ask about a model");
    for (uint32_t d = 0; d < instance->n_devices && code == ANEURALNETWORKS_NO_ERROR; d++) {
        const ANeuralNetworksDevice *handle = instance->devices[d].handle;
        uint32_t i = 0;

        code = instance->nn.ANeuralNetworksModel_getSupportedOperationsForDevices(
            built->model, &handle, 1, takes);
        while (code == ANEURALNETWORKS_NO_ERROR && i < model->n_operations && takes[i])
            i++;
        if (code == ANEURALNETWORKS_NO_ERROR && i == model->n_operations)
            *devices |= 1u << d;
        else if (code == ANEURALNETWORKS_NO_ERROR)
            say_why(instance, model, built, &instance->devices[d], i, why, why_size);
    }
    instance->host.free(instance->host.h, takes, model->n_operations, 1);
    return code == ANEURALNETWORKS_NO_ERROR
               ? BP_OK
               : fail(instance, err, code, "getSupportedOperationsForDevices");
}
