/* SPDX-License-Identifier: MIT */
/*
 * provider_options.c - appends providers through functions of their own: old structs and exported
 * symbols (OrtSessionOptionsAppendExecutionProvider_CUDA...).
 *
 * All of them become a provider's name with keys and values.
 */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ort/session/options.h"
#include "ort/status.h"
#include "ort/versions.h"

/* ---- structs --------------------------------------------------------------------------------------- */

/* key or value NULL: no option. The exported functions don't check `options`, so this one does. */
static OrtStatus *append_one(OrtSessionOptions *options, const char *name, const char *key,
                             const char *value)
{
    OrtKeyValuePairs kv = {0};
    OrtStatus *status = NULL;

    if (!options)
        return ort_fail(ORT_INVALID_ARGUMENT, "%s: the session options are NULL", name);
    if (key && value && !ort_keys_set(&kv, key, value))
        status = ort_no_memory();
    if (!status)
        status = ort_append(options, name, &kv, ORT_FAIL);
    ort_keys_finish(&kv);
    return status;
}

static OrtStatus *append_number(OrtSessionOptions *options, const char *name, const char *key,
                                long long value)
{
    char text[24];

    snprintf(text, sizeof text, "%lld", value);
    return append_one(options, name, key, text);
}

static OrtStatus *append_all(OrtSessionOptions *options, const char *name, const char *const *keys,
                             const char *const *values, size_t n)
{
    OrtKeyValuePairs kv = {0};
    OrtStatus *status;

    if (!options)
        return append_one(NULL, name, NULL, NULL);
    status = ort_keys_set_all(&kv, keys, values, n);
    if (!status)
        status = ort_append(options, name, &kv, ORT_FAIL);
    ort_keys_finish(&kv);
    return status;
}

/*
 * OrtApi since version 6. The structs of these functions have no version. Releases added fields
 * at their ends, those of ROCm, MIGraphX and OpenVINO also in the middle, so a program may pass an
 * older layout. Only the first field is read, which is the same in all.
 */
OrtStatus *
ort_SessionOptionsAppendExecutionProvider_CUDA(OrtSessionOptions *options,
                                               const OrtCUDAProviderOptions *cuda_options)
{
    ORT_NEED(cuda_options);
    return append_number(options, "CUDAExecutionProvider", "device_id", cuda_options->device_id);
}

/* OrtApi since version 6. */
OrtStatus *
ort_SessionOptionsAppendExecutionProvider_ROCM(OrtSessionOptions *options,
                                               const OrtROCMProviderOptions *rocm_options)
{
    ORT_NEED(rocm_options);
    return append_number(options, "ROCMExecutionProvider", "device_id", rocm_options->device_id);
}

/* OrtApi since version 7. */
OrtStatus *
ort_SessionOptionsAppendExecutionProvider_TensorRT(OrtSessionOptions *options,
                                                   const OrtTensorRTProviderOptions *trt_options)
{
    ORT_NEED(trt_options);
    return append_number(options, "TensorrtExecutionProvider", "device_id", trt_options->device_id);
}

/* OrtApi since version 11. */
OrtStatus *
ort_SessionOptionsAppendExecutionProvider_MIGraphX(OrtSessionOptions *options,
                                                   const OrtMIGraphXProviderOptions *mgx_options)
{
    ORT_NEED(mgx_options);
    return append_number(options, "MIGraphXExecutionProvider", "device_id", mgx_options->device_id);
}

/* OrtApi since version 6. */
OrtStatus *
ort_SessionOptionsAppendExecutionProvider_OpenVINO(OrtSessionOptions *options,
                                                   const OrtOpenVINOProviderOptions *ov_options)
{
    ORT_NEED(ov_options);
    return append_one(options, "OpenVINOExecutionProvider", "device_type", ov_options->device_type);
}

/* OrtApi since version 17. */
OrtStatus *ort_SessionOptionsAppendExecutionProvider_OpenVINO_V2(OrtSessionOptions *options,
                                                                 const char *const *keys,
                                                                 const char *const *values,
                                                                 size_t n)
{
    return append_all(options, "OpenVINOExecutionProvider", keys, values, n);
}

/* OrtApi since version 18. */
OrtStatus *ort_SessionOptionsAppendExecutionProvider_VitisAI(OrtSessionOptions *options,
                                                             const char *const *keys,
                                                             const char *const *values, size_t n)
{
    return append_all(options, "VitisAIExecutionProvider", keys, values, n);
}

/* ---- exported symbols ------------------------------------------------------------------------------ */

/*
 * Exported since the first release; the Java binding links it, so it must resolve in every build.
 */
static OrtStatus *append_cpu(OrtSessionOptions *options, int use_arena)
{
    if (!options)
        return append_one(NULL, "CPUExecutionProvider", NULL, NULL);
    options->cpu_arena = use_arena != 0;
    return append_one(options, "CPUExecutionProvider", NULL, NULL);
}
ORT_VERSIONS(OrtSessionOptionsAppendExecutionProvider_CPU, append_cpu)

/* A device by number; ORT_FAIL where no provider of that name is installed, as for all below. */
static OrtStatus *append_cuda(OrtSessionOptions *options, int device_id)
{
    return append_number(options, "CUDAExecutionProvider", "device_id", device_id);
}
ORT_VERSIONS(OrtSessionOptionsAppendExecutionProvider_CUDA, append_cuda)

static OrtStatus *append_tensorrt(OrtSessionOptions *options, int device_id)
{
    return append_number(options, "TensorrtExecutionProvider", "device_id", device_id);
}
ORT_VERSIONS(OrtSessionOptionsAppendExecutionProvider_Tensorrt, append_tensorrt)

OrtStatus *OrtSessionOptionsAppendExecutionProvider_Dnnl(OrtSessionOptions *options, int use_arena)
{
    return append_number(options, "DnnlExecutionProvider", "use_arena", use_arena != 0);
}

OrtStatus *OrtSessionOptionsAppendExecutionProvider_ROCM(OrtSessionOptions *options, int device_id)
{
    return append_number(options, "ROCMExecutionProvider", "device_id", device_id);
}

OrtStatus *OrtSessionOptionsAppendExecutionProvider_MIGraphX(OrtSessionOptions *options,
                                                             int device_id)
{
    return append_number(options, "MIGraphXExecutionProvider", "device_id", device_id);
}

OrtStatus *OrtSessionOptionsAppendExecutionProvider_OpenVINO(OrtSessionOptions *options,
                                                             const char *device_type)
{
    return append_one(options, "OpenVINOExecutionProvider", "device_type", device_type);
}

/* Bits of the flags are switches with these names, the lowest first. Frees what kv holds. */
static OrtStatus *append_flags(OrtSessionOptions *options, const char *name, uint32_t flags,
                               const char *const *keys, size_t n_keys, OrtKeyValuePairs *kv)
{
    OrtStatus *status = NULL;

    if (!options)
        return append_one(NULL, name, NULL, NULL);
    for (size_t i = 0; i < n_keys && !status; i++) {
        if ((flags >> i & 1) && !ort_keys_set(kv, keys[i], "1"))
            status = ort_no_memory();
    }
    if (!status)
        status = ort_append(options, name, kv, ORT_FAIL);
    ort_keys_finish(kv);
    return status;
}

/* The config entry has to be there before the provider, as in ONNX Runtime; empty means none. */
#define STOP_OPS "ep.nnapi.partitioning_stop_ops"

OrtStatus *OrtSessionOptionsAppendExecutionProvider_Nnapi(OrtSessionOptions *options,
                                                          uint32_t nnapi_flags)
{
    static const char *const keys[] = {"use_fp16", "use_nchw", "cpu_disabled", "cpu_only"};
    const char *stops = options ? ort_keys_get(&options->config, STOP_OPS) : NULL;
    OrtKeyValuePairs kv = {0};
    OrtStatus *status = NULL;

    if (options && nnapi_flags & NNAPI_FLAG_CPU_DISABLED && nnapi_flags & NNAPI_FLAG_CPU_ONLY) {
        status = ort_need_provider("NnapiExecutionProvider");
        return status ? status
                      : ort_fail(ORT_INVALID_ARGUMENT,
                                 "nnapi_flags 0x%x: NNAPI_FLAG_CPU_DISABLED and "
                                 "NNAPI_FLAG_CPU_ONLY exclude each other",
                                 (unsigned)nnapi_flags);
    }
    if (stops && !ort_keys_set(&kv, "partitioning_stop_ops", stops))
        return ort_no_memory();
    return append_flags(options, "NnapiExecutionProvider", nnapi_flags, keys, 4, &kv);
}

OrtStatus *OrtSessionOptionsAppendExecutionProvider_CoreML(OrtSessionOptions *options,
                                                           uint32_t coreml_flags)
{
    static const char *const keys[] = {"use_cpu_only",     "enable_on_subgraph",
                                       "only_with_ane",    "only_static_input_shapes",
                                       "create_mlprogram", "use_cpu_and_gpu"};
    OrtKeyValuePairs kv = {0};

    return append_flags(options, "CoreMLExecutionProvider", coreml_flags, keys, 6, &kv);
}

OrtStatus *OrtSessionOptionsAppendExecutionProvider_DML(OrtSessionOptions *options, int device_id)
{
    return append_number(options, "DmlExecutionProvider", "device_id", device_id);
}

OrtStatus *OrtSessionOptionsAppendExecutionProvider_ACL(OrtSessionOptions *options,
                                                        bool enable_fast_math)
{
    return append_number(options, "ACLExecutionProvider", "enable_fast_math", enable_fast_math);
}

OrtStatus *OrtSessionOptionsAppendExecutionProvider_ArmNN(OrtSessionOptions *options, int use_arena)
{
    return append_number(options, "ArmNNExecutionProvider", "use_arena", use_arena != 0);
}

OrtStatus *OrtSessionOptionsAppendExecutionProvider_Rknpu(OrtSessionOptions *options)
{
    return append_one(options, "RknpuExecutionProvider", NULL, NULL);
}

OrtStatus *OrtSessionOptionsAppendExecutionProvider_RKNPU(OrtSessionOptions *options)
{
    return append_one(options, "RknpuExecutionProvider", NULL, NULL);
}

OrtStatus *OrtSessionOptionsAppendExecutionProvider_VSINPU(OrtSessionOptions *options)
{
    return append_one(options, "VSINPUExecutionProvider", NULL, NULL);
}

OrtStatus *OrtSessionOptionsAppendExecutionProvider_Tvm(OrtSessionOptions *options,
                                                        const char *settings)
{
    return append_one(options, "TvmExecutionProvider", "settings", settings);
}
