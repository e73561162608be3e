/* SPDX-License-Identifier: MIT */
/*
 * NeuralNetworks.h - functions of Android's Neural Networks API, by Android's names and signatures.
 * They return a ResultCode where they return int; each null handle or out-pointer is
 * ANEURALNETWORKS_UNEXPECTED_NULL. Behind a group's title stands the API level it came with: on a
 * runtime of a lower level a function does not exist (the simulated runtime refuses the call).
 *
 * Threads: an object may be used by one thread at a time, but any number of threads may create and
 * run executions of one compilation, and wait for one event.
 */
#ifndef BP_ANDROID_NEURAL_NETWORKS_H
#define BP_ANDROID_NEURAL_NETWORKS_H

#include <android/NeuralNetworksTypes.h>

#if defined(__GNUC__)
#define ANN_API __attribute__((visibility("default")))
#else
#define ANN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- memory (27) ---------------------------------------------------------------------------- */

/* Maps `size` bytes of fd from `offset`. The fd may be closed when the call is over. */
ANN_API int ANeuralNetworksMemory_createFromFd(size_t size, int protect, int fd, size_t offset,
                                               ANeuralNetworksMemory **memory);
ANN_API void ANeuralNetworksMemory_free(ANeuralNetworksMemory *memory);

/* ---- models (27) ---------------------------------------------------------------------------- */

ANN_API int ANeuralNetworksModel_create(ANeuralNetworksModel **model);
ANN_API void ANeuralNetworksModel_free(ANeuralNetworksModel *model);
ANN_API int ANeuralNetworksModel_finish(ANeuralNetworksModel *model);
ANN_API int ANeuralNetworksModel_addOperand(ANeuralNetworksModel *model,
                                            const ANeuralNetworksOperandType *type);
/* A buffer of more than 128 bytes must stay as it is until the model is finished. */
ANN_API int ANeuralNetworksModel_setOperandValue(ANeuralNetworksModel *model, int32_t index,
                                                 const void *buffer, size_t length);
ANN_API int ANeuralNetworksModel_setOperandValueFromMemory(ANeuralNetworksModel *model,
                                                           int32_t index,
                                                           const ANeuralNetworksMemory *memory,
                                                           size_t offset, size_t length);
ANN_API int ANeuralNetworksModel_addOperation(ANeuralNetworksModel *model,
                                              ANeuralNetworksOperationType type,
                                              uint32_t inputCount, const uint32_t *inputs,
                                              uint32_t outputCount, const uint32_t *outputs);
ANN_API int ANeuralNetworksModel_identifyInputsAndOutputs(ANeuralNetworksModel *model,
                                                          uint32_t inputCount,
                                                          const uint32_t *inputs,
                                                          uint32_t outputCount,
                                                          const uint32_t *outputs);

/* 28 */
ANN_API int ANeuralNetworksModel_relaxComputationFloat32toFloat16(ANeuralNetworksModel *model,
                                                                  bool allow);

/* 29 */
ANN_API int ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
    ANeuralNetworksModel *model, int32_t index,
    const ANeuralNetworksSymmPerChannelQuantParams *channelQuant);
/* supportedOps: one for each operation, in the order in which they were added. */
ANN_API int
ANeuralNetworksModel_getSupportedOperationsForDevices(const ANeuralNetworksModel *model,
                                                      const ANeuralNetworksDevice *const *devices,
                                                      uint32_t numDevices, bool *supportedOps);

/* 30 */
ANN_API int ANeuralNetworksModel_setOperandValueFromModel(ANeuralNetworksModel *model,
                                                          int32_t index,
                                                          const ANeuralNetworksModel *value);

/* ---- compilations (27) ---------------------------------------------------------------------- */

ANN_API int ANeuralNetworksCompilation_create(ANeuralNetworksModel *model,
                                              ANeuralNetworksCompilation **compilation);
ANN_API void ANeuralNetworksCompilation_free(ANeuralNetworksCompilation *compilation);
ANN_API int ANeuralNetworksCompilation_setPreference(ANeuralNetworksCompilation *compilation,
                                                     int32_t preference);
ANN_API int ANeuralNetworksCompilation_finish(ANeuralNetworksCompilation *compilation);

/* 29 */
ANN_API int ANeuralNetworksCompilation_createForDevices(ANeuralNetworksModel *model,
                                                        const ANeuralNetworksDevice *const *devices,
                                                        uint32_t numDevices,
                                                        ANeuralNetworksCompilation **compilation);
/* token: ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN bytes. */
ANN_API int ANeuralNetworksCompilation_setCaching(ANeuralNetworksCompilation *compilation,
                                                  const char *cacheDir, const uint8_t *token);

/* 30 */
ANN_API int ANeuralNetworksCompilation_setPriority(ANeuralNetworksCompilation *compilation,
                                                   int priority);
/* duration: nanoseconds; 0 for none. */
ANN_API int ANeuralNetworksCompilation_setTimeout(ANeuralNetworksCompilation *compilation,
                                                  uint64_t duration);

/* 31: what the device would like a buffer's address to be a multiple of, and its length. */
ANN_API int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(
    const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *alignment);
ANN_API int ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(
    const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *padding);
ANN_API int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput(
    const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *alignment);
ANN_API int ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(
    const ANeuralNetworksCompilation *compilation, uint32_t index, uint32_t *padding);

/* ---- executions (27) ------------------------------------------------------------------------ */

ANN_API int ANeuralNetworksExecution_create(ANeuralNetworksCompilation *compilation,
                                            ANeuralNetworksExecution **execution);
ANN_API void ANeuralNetworksExecution_free(ANeuralNetworksExecution *execution);
/* type: NULL as in the model. Buffers stay the caller's and must live until the run is over. */
ANN_API int ANeuralNetworksExecution_setInput(ANeuralNetworksExecution *execution, int32_t index,
                                              const ANeuralNetworksOperandType *type,
                                              const void *buffer, size_t length);
ANN_API int ANeuralNetworksExecution_setInputFromMemory(ANeuralNetworksExecution *execution,
                                                        int32_t index,
                                                        const ANeuralNetworksOperandType *type,
                                                        const ANeuralNetworksMemory *memory,
                                                        size_t offset, size_t length);
ANN_API int ANeuralNetworksExecution_setOutput(ANeuralNetworksExecution *execution, int32_t index,
                                               const ANeuralNetworksOperandType *type, void *buffer,
                                               size_t length);
ANN_API int ANeuralNetworksExecution_setOutputFromMemory(ANeuralNetworksExecution *execution,
                                                         int32_t index,
                                                         const ANeuralNetworksOperandType *type,
                                                         const ANeuralNetworksMemory *memory,
                                                         size_t offset, size_t length);
ANN_API int ANeuralNetworksExecution_startCompute(ANeuralNetworksExecution *execution,
                                                  ANeuralNetworksEvent **event);

/* 29 */
ANN_API int ANeuralNetworksExecution_compute(ANeuralNetworksExecution *execution);
ANN_API int ANeuralNetworksExecution_burstCompute(ANeuralNetworksExecution *execution,
                                                  ANeuralNetworksBurst *burst);
ANN_API int ANeuralNetworksExecution_getOutputOperandRank(ANeuralNetworksExecution *execution,
                                                          int32_t index, uint32_t *rank);
ANN_API int ANeuralNetworksExecution_getOutputOperandDimensions(ANeuralNetworksExecution *execution,
                                                                int32_t index,
                                                                uint32_t *dimensions);
ANN_API int ANeuralNetworksExecution_setMeasureTiming(ANeuralNetworksExecution *execution,
                                                      bool measure);
/* durationCode: a DurationCode. *duration: nanoseconds; UINT64_MAX when it was not measured. */
ANN_API int ANeuralNetworksExecution_getDuration(const ANeuralNetworksExecution *execution,
                                                 int32_t durationCode, uint64_t *duration);

/* 30 */
ANN_API int ANeuralNetworksExecution_setTimeout(ANeuralNetworksExecution *execution,
                                                uint64_t duration);
ANN_API int ANeuralNetworksExecution_setLoopTimeout(ANeuralNetworksExecution *execution,
                                                    uint64_t duration);
ANN_API int ANeuralNetworksExecution_startComputeWithDependencies(
    ANeuralNetworksExecution *execution, const ANeuralNetworksEvent *const *dependencies,
    uint32_t num_dependencies, uint64_t duration, ANeuralNetworksEvent **event);

/* 31 */
ANN_API int
ANeuralNetworksExecution_enableInputAndOutputPadding(ANeuralNetworksExecution *execution,
                                                     bool enable);
ANN_API int ANeuralNetworksExecution_setReusable(ANeuralNetworksExecution *execution,
                                                 bool reusable);

/* ---- events (27) ---------------------------------------------------------------------------- */

/* The code with which the run ended. May be called again, and by several threads. */
ANN_API int ANeuralNetworksEvent_wait(ANeuralNetworksEvent *event);
ANN_API void ANeuralNetworksEvent_free(ANeuralNetworksEvent *event);

/* 30. A sync fence is anything that poll() calls readable when it is signalled: here an eventfd. */
ANN_API int ANeuralNetworksEvent_createFromSyncFenceFd(int sync_fence_fd,
                                                       ANeuralNetworksEvent **event);
ANN_API int ANeuralNetworksEvent_getSyncFenceFd(const ANeuralNetworksEvent *event,
                                                int *sync_fence_fd);

/* ---- bursts (29) ---------------------------------------------------------------------------- */

ANN_API int ANeuralNetworksBurst_create(ANeuralNetworksCompilation *compilation,
                                        ANeuralNetworksBurst **burst);
ANN_API void ANeuralNetworksBurst_free(ANeuralNetworksBurst *burst);

/* ---- devices (29) --------------------------------------------------------------------------- */

ANN_API int ANeuralNetworks_getDeviceCount(uint32_t *numDevices);
/* Devices and their strings live as long as the process. */
ANN_API int ANeuralNetworks_getDevice(uint32_t devIndex, ANeuralNetworksDevice **device);
ANN_API int ANeuralNetworksDevice_getName(const ANeuralNetworksDevice *device, const char **name);
ANN_API int ANeuralNetworksDevice_getVersion(const ANeuralNetworksDevice *device,
                                             const char **version);
/* *type: a DeviceTypeCode. */
ANN_API int ANeuralNetworksDevice_getType(const ANeuralNetworksDevice *device, int32_t *type);
ANN_API int ANeuralNetworksDevice_getFeatureLevel(const ANeuralNetworksDevice *device,
                                                  int64_t *featureLevel);

/* 30 */
ANN_API int ANeuralNetworksDevice_wait(const ANeuralNetworksDevice *device);

/* 31: the level of the whole runtime, a FeatureLevelCode. */
ANN_API int64_t ANeuralNetworks_getRuntimeFeatureLevel(void);

/* ---- memory of devices (29: hardware buffers; 30: descriptions) ------------------------------ */

ANN_API int ANeuralNetworksMemory_createFromAHardwareBuffer(const AHardwareBuffer *ahwb,
                                                            ANeuralNetworksMemory **memory);
ANN_API int ANeuralNetworksMemory_createFromDesc(const ANeuralNetworksMemoryDesc *desc,
                                                 ANeuralNetworksMemory **memory);
ANN_API int ANeuralNetworksMemory_copy(const ANeuralNetworksMemory *src,
                                       const ANeuralNetworksMemory *dst);
ANN_API int ANeuralNetworksMemoryDesc_create(ANeuralNetworksMemoryDesc **desc);
ANN_API void ANeuralNetworksMemoryDesc_free(ANeuralNetworksMemoryDesc *desc);
ANN_API int ANeuralNetworksMemoryDesc_addInputRole(ANeuralNetworksMemoryDesc *desc,
                                                   const ANeuralNetworksCompilation *compilation,
                                                   uint32_t index, float frequency);
ANN_API int ANeuralNetworksMemoryDesc_addOutputRole(ANeuralNetworksMemoryDesc *desc,
                                                    const ANeuralNetworksCompilation *compilation,
                                                    uint32_t index, float frequency);
ANN_API int ANeuralNetworksMemoryDesc_setDimensions(ANeuralNetworksMemoryDesc *desc, uint32_t rank,
                                                    const uint32_t *dimensions);
ANN_API int ANeuralNetworksMemoryDesc_finish(ANeuralNetworksMemoryDesc *desc);

/* ---- loops (30) ----------------------------------------------------------------------------- */

/* Nanoseconds that a WHILE may take: 2 s, and at most 15 s. */
ANN_API uint64_t ANeuralNetworks_getDefaultLoopTimeout(void);
ANN_API uint64_t ANeuralNetworks_getMaximumLoopTimeout(void);

#ifdef __cplusplus
}
#endif

#endif
