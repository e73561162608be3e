/* SPDX-License-Identifier: MIT */
/* device.c - ANeuralNetworksDevice_*, and what the simulator says and does to devices. */
#include <string.h>

#include "core/state.h"

static const struct ANeuralNetworksDevice handles[NN_DEVICES] = {{0}, {1}, {2}, {3},
                                                                 {4}, {5}, {6}, {7}};

int ANeuralNetworks_getDeviceCount(uint32_t *numDevices)
{
    NN_ENTER(29);
    NN_NOT_NULL(numDevices);
    *numDevices = nn_config()->device_count;
    return 0;
}

int ANeuralNetworks_getDevice(uint32_t devIndex, ANeuralNetworksDevice **device)
{
    NN_ENTER(29);
    NN_NOT_NULL(device);
    *device = NULL;
    if (devIndex >= nn_config()->device_count)
        return nn_leave(nn_fail(ANEURALNETWORKS_BAD_DATA, "there is no device %u", devIndex));
    *device = (ANeuralNetworksDevice *)(uintptr_t)&handles[devIndex];
    return 0;
}

/* The device's configuration; NULL: it went with the configuration of before. */
static const struct nn_device_config *find(const ANeuralNetworksDevice *device)
{
    const struct nn_config *config = nn_config();

    if (device->index < config->device_count)
        return &config->devices[device->index];
    nn_fail(ANEURALNETWORKS_BAD_DATA, "device %u is not there any more", device->index);
    return NULL;
}

int ANeuralNetworksDevice_getName(const ANeuralNetworksDevice *device, const char **name)
{
    const struct nn_device_config *config;

    NN_ENTER(29);
    NN_NOT_NULL(device);
    NN_NOT_NULL(name);
    config = find(device);
    if (!config)
        return nn_leave(ANEURALNETWORKS_BAD_DATA);
    *name = config->name;
    return 0;
}

int ANeuralNetworksDevice_getVersion(const ANeuralNetworksDevice *device, const char **version)
{
    const struct nn_device_config *config;

    NN_ENTER(29);
    NN_NOT_NULL(device);
    NN_NOT_NULL(version);
    config = find(device);
    if (!config)
        return nn_leave(ANEURALNETWORKS_BAD_DATA);
    *version = config->version;
    return 0;
}

int ANeuralNetworksDevice_getType(const ANeuralNetworksDevice *device, int32_t *type)
{
    const struct nn_device_config *config;

    NN_ENTER(29);
    NN_NOT_NULL(device);
    NN_NOT_NULL(type);
    config = find(device);
    if (!config)
        return nn_leave(ANEURALNETWORKS_BAD_DATA);
    *type = config->type;
    return 0;
}

int ANeuralNetworksDevice_getFeatureLevel(const ANeuralNetworksDevice *device,
                                          int64_t *featureLevel)
{
    const struct nn_device_config *config;

    NN_ENTER(29);
    NN_NOT_NULL(device);
    NN_NOT_NULL(featureLevel);
    config = find(device);
    if (!config)
        return nn_leave(ANEURALNETWORKS_BAD_DATA);
    *featureLevel = config->level;
    return 0;
}

int ANeuralNetworksDevice_wait(const ANeuralNetworksDevice *device)
{
    NN_ENTER(30);
    NN_NOT_NULL(device);
    if (!find(device))
        return nn_leave(ANEURALNETWORKS_BAD_DATA);
    return nn_leave(nn_device_trouble(device->index));
}

int64_t ANeuralNetworks_getRuntimeFeatureLevel(void)
{
    return nn_enter(__func__, 31) ? 0 : nn_config()->level;
}

/* ---- the simulator's ------------------------------------------------------------------------ */

static int check_device(uint32_t device)
{
    if (device < nn_config()->device_count)
        return 0;
    return nn_leave(nn_fail(ANEURALNETWORKS_BAD_DATA, "there is no device %u", device));
}

int bp_nnapi_set_state(uint32_t device, uint32_t state)
{
    int code = check_device(device);

    if (code)
        return code;
    if (state > BP_NNAPI_FULL)
        return nn_leave(nn_fail(ANEURALNETWORKS_BAD_DATA, "there is no state %u", state));
    nn_lock();
    nn_state.device_states[device] = state;
    nn_unlock();
    return 0;
}

/* Fills a struct of the caller, which may be of an older or newer header. */
static void fill(void *to, size_t size, const void *from, size_t have)
{
    memcpy((char *)to + sizeof size, (const char *)from + sizeof size,
           (size < have ? size : have) - sizeof size);
}

#define FILL(to, from)                                                                             \
    do {                                                                                           \
        if ((to)->struct_size > sizeof(size_t))                                                    \
            fill(to, (to)->struct_size, from, sizeof *(from));                                     \
    } while (0)

int bp_nnapi_get_rates(uint32_t device, struct bp_nnapi_rates *rates)
{
    int code = check_device(device);

    NN_NOT_NULL(rates);
    if (!code)
        FILL(rates, &nn_config()->devices[device].rates);
    return code;
}

int bp_nnapi_get_times(uint32_t device, struct bp_nnapi_times *times)
{
    int code = check_device(device);

    NN_NOT_NULL(times);
    if (code)
        return code;
    nn_lock();
    FILL(times, &nn_state.times[device]);
    nn_unlock();
    return 0;
}

int bp_nnapi_get_counters(struct bp_nnapi_counters *counters)
{
    NN_NOT_NULL(counters);
    nn_lock();
    FILL(counters, &nn_state.counters);
    nn_unlock();
    return 0;
}

void bp_nnapi_reset_counters(void)
{
    struct bp_nnapi_counters *c = &nn_state.counters, before;

    nn_lock();
    before = *c;
    memset(c, 0, sizeof *c);
    c->live_models = before.live_models;
    c->live_compilations = before.live_compilations;
    c->live_executions = before.live_executions;
    c->live_events = before.live_events;
    c->live_bursts = before.live_bursts;
    c->live_memories = before.live_memories;
    c->live_descriptions = before.live_descriptions;
    c->in_flight = c->in_flight_max = before.in_flight;
    nn_unlock();
}
