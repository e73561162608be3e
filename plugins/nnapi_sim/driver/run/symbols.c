/* SPDX-License-Identifier: MIT */
/* symbols.c - functions of Android's API by name, as far as the configured level has them. */
#include <string.h>

#include "core/state.h"

/* A row: the level that brought it. */
#define AT(level, name)                                                                            \
    {                                                                                              \
#name, level, (void (*)(void))name                                                         \
    }

static const struct {
    const char *name;
    int64_t level;
    void (*function)(void);
} symbols[] = {
    AT(27, ANeuralNetworksMemory_createFromFd),
    AT(27, ANeuralNetworksMemory_free),
    AT(27, ANeuralNetworksModel_create),
    AT(27, ANeuralNetworksModel_free),
    AT(27, ANeuralNetworksModel_finish),
    AT(27, ANeuralNetworksModel_addOperand),
    AT(27, ANeuralNetworksModel_setOperandValue),
    AT(27, ANeuralNetworksModel_setOperandValueFromMemory),
    AT(27, ANeuralNetworksModel_addOperation),
    AT(27, ANeuralNetworksModel_identifyInputsAndOutputs),
    AT(27, ANeuralNetworksCompilation_create),
    AT(27, ANeuralNetworksCompilation_free),
    AT(27, ANeuralNetworksCompilation_setPreference),
    AT(27, ANeuralNetworksCompilation_finish),
    AT(27, ANeuralNetworksExecution_create),
    AT(27, ANeuralNetworksExecution_free),
    AT(27, ANeuralNetworksExecution_setInput),
    AT(27, ANeuralNetworksExecution_setInputFromMemory),
    AT(27, ANeuralNetworksExecution_setOutput),
    AT(27, ANeuralNetworksExecution_setOutputFromMemory),
    AT(27, ANeuralNetworksExecution_startCompute),
    AT(27, ANeuralNetworksEvent_wait),
    AT(27, ANeuralNetworksEvent_free),
    AT(28, ANeuralNetworksModel_relaxComputationFloat32toFloat16),
    AT(29, ANeuralNetworksModel_setOperandSymmPerChannelQuantParams),
    AT(29, ANeuralNetworksModel_getSupportedOperationsForDevices),
    AT(29, ANeuralNetworksCompilation_createForDevices),
    AT(29, ANeuralNetworksCompilation_setCaching),
    AT(29, ANeuralNetworksExecution_compute),
    AT(29, ANeuralNetworksExecution_burstCompute),
    AT(29, ANeuralNetworksExecution_getOutputOperandRank),
    AT(29, ANeuralNetworksExecution_getOutputOperandDimensions),
    AT(29, ANeuralNetworksExecution_setMeasureTiming),
    AT(29, ANeuralNetworksExecution_getDuration),
    AT(29, ANeuralNetworksBurst_create),
    AT(29, ANeuralNetworksBurst_free),
    AT(29, ANeuralNetworks_getDeviceCount),
    AT(29, ANeuralNetworks_getDevice),
    AT(29, ANeuralNetworksDevice_getName),
    AT(29, ANeuralNetworksDevice_getVersion),
    AT(29, ANeuralNetworksDevice_getType),
    AT(29, ANeuralNetworksDevice_getFeatureLevel),
    AT(29, ANeuralNetworksMemory_createFromAHardwareBuffer),
    AT(30, ANeuralNetworksModel_setOperandValueFromModel),
    AT(30, ANeuralNetworksCompilation_setPriority),
    AT(30, ANeuralNetworksCompilation_setTimeout),
    AT(30, ANeuralNetworksExecution_setTimeout),
    AT(30, ANeuralNetworksExecution_setLoopTimeout),
    AT(30, ANeuralNetworksExecution_startComputeWithDependencies),
    AT(30, ANeuralNetworksEvent_createFromSyncFenceFd),
    AT(30, ANeuralNetworksEvent_getSyncFenceFd),
    AT(30, ANeuralNetworksDevice_wait),
    AT(30, ANeuralNetworksMemory_createFromDesc),
    AT(30, ANeuralNetworksMemory_copy),
    AT(30, ANeuralNetworksMemoryDesc_create),
    AT(30, ANeuralNetworksMemoryDesc_free),
    AT(30, ANeuralNetworksMemoryDesc_addInputRole),
    AT(30, ANeuralNetworksMemoryDesc_addOutputRole),
    AT(30, ANeuralNetworksMemoryDesc_setDimensions),
    AT(30, ANeuralNetworksMemoryDesc_finish),
    AT(30, ANeuralNetworks_getDefaultLoopTimeout),
    AT(30, ANeuralNetworks_getMaximumLoopTimeout),
    AT(31, ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput),
    AT(31, ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput),
    AT(31, ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput),
    AT(31, ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput),
    AT(31, ANeuralNetworksExecution_enableInputAndOutputPadding),
    AT(31, ANeuralNetworksExecution_setReusable),
    AT(31, ANeuralNetworks_getRuntimeFeatureLevel),
};

void *bp_nnapi_symbol(const char *name)
{
    int64_t level = bp_nnapi_level();
    void *found = NULL;

    for (size_t i = 0; name && i < sizeof symbols / sizeof symbols[0]; i++)
        if (strcmp(symbols[i].name, name) == 0 && symbols[i].level <= level)
            memcpy(&found, &symbols[i].function, sizeof found); /* as dlsym() gives functions */
    return found;
}
