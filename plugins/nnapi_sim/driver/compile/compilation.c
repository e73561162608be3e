/* SPDX-License-Identifier: MIT */
/* compilation.c - ANeuralNetworksCompilation_*. */
#include "compile/compilation.h"

#include <stdlib.h>

#include "core/profiles.h"

/* ---- lifetime ------------------------------------------------------------------------------- */

void nn_compilation_ref(struct ANeuralNetworksCompilation *compilation)
{
    nn_lock();
    compilation->refs++;
    nn_unlock();
}

void nn_compilation_unref(struct ANeuralNetworksCompilation *compilation)
{
    bool last;

    nn_lock();
    last = --compilation->refs == 0;
    nn_unlock();
    if (!last)
        return;
    nn_model_unref(compilation->model);
    free(compilation->cache_dir);
    free(compilation->device_of);
    free(compilation);
}

static int make(const ANeuralNetworksModel *model, ANeuralNetworksCompilation **out)
{
    struct ANeuralNetworksCompilation *made;
    int code = nn_model_ready(model);

    if (code)
        return code;
    made = calloc(1, sizeof *made);
    if (made)
        made->device_of = calloc((size_t)model->operation_count + 1, 1);
    if (!made || !made->device_of) {
        free(made);
        return nn_fail(ANEURALNETWORKS_OUT_OF_MEMORY, "no memory for the compilation");
    }
    nn_model_ref(model);
    made->model = model;
    made->config = nn_config();
    made->preference = ANEURALNETWORKS_PREFER_FAST_SINGLE_ANSWER;
    made->priority = ANEURALNETWORKS_PRIORITY_DEFAULT;
    made->refs = 1;
    nn_count(&nn_state.counters.live_compilations, 1);
    *out = made;
    return 0;
}

int ANeuralNetworksCompilation_create(ANeuralNetworksModel *model,
                                      ANeuralNetworksCompilation **compilation)
{
    int code;

    NN_ENTER(27);
    NN_NOT_NULL(compilation);
    *compilation = NULL;
    NN_NOT_NULL(model);
    code = make(model, compilation);
    if (code)
        return nn_leave(code);
    (*compilation)->device_count = (*compilation)->config->device_count;
    memset((*compilation)->allowed, true, sizeof(*compilation)->allowed);
    return 0;
}

static int allow(struct ANeuralNetworksCompilation *compilation,
                 const ANeuralNetworksDevice *const *devices, uint32_t n)
{
    if (n == 0)
        return nn_fail(ANEURALNETWORKS_BAD_DATA, "a list of no devices");
    for (uint32_t i = 0; i < n; i++) {
        if (!devices[i])
            return nn_fail(ANEURALNETWORKS_UNEXPECTED_NULL, "device %u of the list is NULL", i);
        if (devices[i]->index >= compilation->config->device_count)
            return nn_fail(ANEURALNETWORKS_BAD_DATA, "device %u of the list is unknown", i);
        if (compilation->allowed[devices[i]->index])
            return nn_fail(ANEURALNETWORKS_BAD_DATA, "device %u is in the list twice", i);
        compilation->allowed[devices[i]->index] = true;
    }
    compilation->explicit_devices = true;
    compilation->device_count = n;
    compilation->single = n == 1;
    return 0;
}

int ANeuralNetworksCompilation_createForDevices(ANeuralNetworksModel *model,
                                                const ANeuralNetworksDevice *const *devices,
                                                uint32_t numDevices,
                                                ANeuralNetworksCompilation **compilation)
{
    int code;

    NN_ENTER(29);
    NN_NOT_NULL(compilation);
    *compilation = NULL;
    NN_NOT_NULL(model);
    NN_NOT_NULL(devices);
    code = make(model, compilation);
    if (code)
        return nn_leave(code);
    code = allow(*compilation, devices, numDevices);
    if (code) {
        ANeuralNetworksCompilation_free(*compilation);
        *compilation = NULL;
    }
    return nn_leave(code);
}

void ANeuralNetworksCompilation_free(ANeuralNetworksCompilation *compilation)
{
    if (!compilation)
        return;
    nn_count(&nn_state.counters.live_compilations, -1);
    nn_compilation_unref(compilation);
}

/* ---- settings ------------------------------------------------------------------------------- */

static int check_open(const struct ANeuralNetworksCompilation *compilation)
{
    if (compilation->finished || compilation->failed)
        return nn_fail(ANEURALNETWORKS_BAD_STATE, "the compilation is finished");
    return 0;
}

int nn_compilation_ready(const struct ANeuralNetworksCompilation *compilation)
{
    if (!compilation->finished)
        return nn_fail(ANEURALNETWORKS_BAD_STATE, "the compilation is not finished");
    return 0;
}

int ANeuralNetworksCompilation_setPreference(ANeuralNetworksCompilation *compilation,
                                             int32_t preference)
{
    int code;

    NN_ENTER(27);
    NN_NOT_NULL(compilation);
    code = check_open(compilation);
    if (!code && (preference < 0 || preference > ANEURALNETWORKS_PREFER_SUSTAINED_SPEED))
        code = nn_fail(ANEURALNETWORKS_BAD_DATA, "there is no preference %d", preference);
    if (!code)
        compilation->preference = preference;
    return nn_leave(code);
}

int ANeuralNetworksCompilation_setCaching(ANeuralNetworksCompilation *compilation,
                                          const char *cacheDir, const uint8_t *token)
{
    char *copy;
    int code;

    NN_ENTER(29);
    NN_NOT_NULL(compilation);
    NN_NOT_NULL(cacheDir);
    NN_NOT_NULL(token);
    code = check_open(compilation);
    if (code)
        return nn_leave(code);
    copy = strdup(cacheDir);
    if (!copy)
        return nn_leave(nn_fail(ANEURALNETWORKS_OUT_OF_MEMORY, "no memory for a path"));
    free(compilation->cache_dir);
    compilation->cache_dir = copy;
    memcpy(compilation->token, token, sizeof compilation->token);
    return 0;
}

int ANeuralNetworksCompilation_setPriority(ANeuralNetworksCompilation *compilation, int priority)
{
    int code;

    NN_ENTER(30);
    NN_NOT_NULL(compilation);
    code = check_open(compilation);
    if (!code && priority != ANEURALNETWORKS_PRIORITY_LOW &&
        priority != ANEURALNETWORKS_PRIORITY_MEDIUM && priority != ANEURALNETWORKS_PRIORITY_HIGH)
        code = nn_fail(ANEURALNETWORKS_BAD_DATA, "there is no priority %d", priority);
    if (!code)
        compilation->priority = priority;
    return nn_leave(code);
}

int ANeuralNetworksCompilation_setTimeout(ANeuralNetworksCompilation *compilation,
                                          uint64_t duration)
{
    int code;

    NN_ENTER(30);
    NN_NOT_NULL(compilation);
    code = check_open(compilation);
    if (!code && !compilation->single)
        code = nn_fail(ANEURALNETWORKS_BAD_DATA, "a time limit needs one chosen device");
    if (!code)
        compilation->timeout = duration;
    return nn_leave(code);
}

/* ---- finish --------------------------------------------------------------------------------- */

uint32_t nn_reference(const struct nn_config *config)
{
    return config->reference ? config->device_count - 1 : NN_DEVICES;
}

static uint32_t operations_on(const struct ANeuralNetworksCompilation *compilation, uint32_t device)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < compilation->model->operation_count; i++)
        n += compilation->device_of[i] == device;
    return n;
}

/* Reading a cache takes a tenth. The time limit is one of simulated time. */
static int compile_on(const struct ANeuralNetworksCompilation *compilation, uint32_t device)
{
    const struct nn_device_config *config = &compilation->config->devices[device];
    uint64_t ns = config->rates.compile_ns * operations_on(compilation, device);
    int code = nn_device_trouble(device);

    if (!code)
        code = nn_fault(BP_NNAPI_AT_COMPILE, device);
    if (code)
        return code;
    if (config->rates.memory && compilation->model->constant_bytes > config->rates.memory)
        return nn_fail(nn_code_of_level(ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT),
                       "device %s has %llu bytes, and the constants are %zu", config->name,
                       (unsigned long long)config->rates.memory,
                       compilation->model->constant_bytes);
    if (compilation->timeout && compilation->timeout <= config->rates.operation_ns) {
        nn_count(&nn_state.counters.missed_persistent, 1);
        return nn_fail(ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT,
                       "%llu ns had passed before device %s began to compile",
                       (unsigned long long)compilation->timeout, config->name);
    }
    if (nn_cached(compilation, device))
        ns /= 10;
    nn_spend(&nn_state.times[device].compile, ns);
    if (compilation->timeout && ns > compilation->timeout) {
        nn_count(&nn_state.counters.missed_transient, 1);
        return nn_fail(ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT,
                       "device %s compiles for %llu ns, and may for %llu", config->name,
                       (unsigned long long)ns, (unsigned long long)compilation->timeout);
    }
    return 0;
}

static int compile_all(const struct ANeuralNetworksCompilation *compilation)
{
    int code = 0;

    for (uint32_t d = 0; d < compilation->config->device_count && !code; d++)
        if (operations_on(compilation, d))
            code = compile_on(compilation, d);
    return code;
}

/* Without a list of devices the reference CPU steps in for whatever fails. */
static int compile(struct ANeuralNetworksCompilation *compilation)
{
    uint32_t reference = nn_reference(compilation->config);
    int code = nn_plan(compilation);

    if (!code)
        code = compile_all(compilation);
    if (!code || compilation->explicit_devices || reference == NN_DEVICES ||
        code == ANEURALNETWORKS_BAD_DATA)
        return code;
    nn_count(&nn_state.counters.fallbacks_compile, 1);
    memset(compilation->device_of, (int)reference, compilation->model->operation_count);
    return compile_all(compilation);
}

int ANeuralNetworksCompilation_finish(ANeuralNetworksCompilation *compilation)
{
    int code;

    NN_ENTER(27);
    NN_NOT_NULL(compilation);
    code = check_open(compilation);
    if (code)
        return nn_leave(code);
    code = compile(compilation);
    nn_lock();
    nn_state.counters.compilations += !code;
    nn_state.counters.compilations_for_devices += !code && compilation->explicit_devices;
    nn_state.counters.compilations_failed += code != 0;
    nn_unlock();
    if (code) {
        compilation->failed = true;
        return nn_leave(code);
    }
    nn_count(&nn_state.counters.partitions, nn_plan_parts(compilation));
    compilation->finished = true;
    return 0;
}

int bp_nnapi_device_of(const ANeuralNetworksCompilation *compilation, uint32_t operation,
                       uint32_t *device)
{
    int code;

    NN_NOT_NULL(compilation);
    NN_NOT_NULL(device);
    code = nn_compilation_ready(compilation);
    if (!code && operation >= compilation->model->operation_count)
        code = nn_fail(ANEURALNETWORKS_BAD_DATA, "there is no operation %u", operation);
    if (!code)
        *device = compilation->device_of[operation];
    return nn_leave(code);
}
