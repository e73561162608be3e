/* SPDX-License-Identifier: MIT */
/*
 * provider_options.c - providers by functions of their own: option objects, old structs, symbols.
 *
 * All of them end as a name with keys and values.
 */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ort/object.h"
#include "ort/options.h"
#include "ort/status.h"
#include "ort/versions.h"

/* ---- option objects ----------------------------------------------------------------------------- */

/* A key that may be set, and what it is when it is not. */
struct row {
    const char *key, *value;
};

static const struct row cann_rows[] = {
    {"device_id", "0"},
    {"npu_mem_limit", "18446744073709551615"},
    {"arena_extend_strategy", "kNextPowerOfTwo"},
    {"enable_cann_graph", "1"},
    {"enable_cann_subgraph", "0"},
    {"dump_graphs", "0"},
    {"dump_om_model", "1"},
    {"precision_mode", ""},
    {"op_select_impl_mode", ""},
    {"optypelist_for_implmode", ""},
    {NULL, NULL},
};

static const struct row dnnl_rows[] = {{"use_arena", "1"}, {"threadpool_args", "0"}, {NULL, NULL}};

/* Any key: what it means is between the application and the plug-in. */
static const struct row free_rows[] = {{NULL, NULL}};

static OrtStatus *create(struct ort_object **out)
{
    *out = calloc(1, sizeof **out);
    return *out ? NULL : ort_no_memory();
}

static void release(struct ort_object *object)
{
    if (!object)
        return;
    ort_keys_finish(&object->kv);
    free(object);
}

static OrtStatus *update(const struct row *rows, struct ort_object *object, const char *const *keys,
                         const char *const *values, size_t n)
{
    if (n > 0) {
        ORT_NEED(keys);
        ORT_NEED(values);
    }
    for (size_t i = 0; i < n; i++) {
        const struct row *row = rows;

        if (!keys[i] || !values[i] || !keys[i][0])
            return ort_fail(ORT_INVALID_ARGUMENT, "provider option %zu: its key or value is empty",
                            i);
        while (row->key && strcmp(row->key, keys[i]) != 0)
            row++;
        if (!row->key && rows->key)
            return ort_fail(ORT_INVALID_ARGUMENT, "Unknown provider option: \"%s\".", keys[i]);
        if (!ort_keys_set(&object->kv, keys[i], values[i]))
            return ort_no_memory();
    }
    return NULL;
}

/* "key=value;key=value", with the defaults of what is not set; into text when that is not NULL. */
static size_t print(const struct row *rows, const struct ort_object *object, char *text,
                    size_t size)
{
    size_t at = 0;

    for (const struct row *row = rows; row->key; row++) {
        const char *value = ort_keys_get(&object->kv, row->key);
        int n = snprintf(text ? text + at : NULL, text ? size - at : 0, "%s%s=%s", at ? ";" : "",
                         row->key, value ? value : row->value);

        at += (size_t)n;
    }
    for (size_t i = 0; !rows->key && i < object->kv.n; i++) {
        int n = snprintf(text ? text + at : NULL, text ? size - at : 0, "%s%s=%s", at ? ";" : "",
                         object->kv.keys[i], object->kv.values[i]);

        at += (size_t)n;
    }
    return at;
}

static OrtStatus *as_string(const struct row *rows, const struct ort_object *object,
                            OrtAllocator *allocator, char **out)
{
    size_t size = print(rows, object, NULL, 0) + 1;
    char *text = allocator->Alloc(allocator, size);

    if (!text)
        return ort_no_memory();
    text[0] = '\0';
    (void)print(rows, object, text, size);
    *out = text;
    return NULL;
}

/* The five slots of a provider: its name in them, the type, the name at the host, its rows. */
#define OBJECT(Name, append_slot, Type, host, rows)                                                \
    OrtStatus *ort_Create##Name##ProviderOptions(Type **out)                                       \
    {                                                                                              \
        ORT_NEED(out);                                                                             \
        return create((struct ort_object **)(void *)out);                                          \
    }                                                                                              \
    OrtStatus *ort_Update##Name##ProviderOptions(Type *object, const char *const *keys,            \
                                                 const char *const *values, size_t n)              \
    {                                                                                              \
        ORT_NEED(object);                                                                          \
        return update(rows, (struct ort_object *)(void *)object, keys, values, n);                 \
    }                                                                                              \
    OrtStatus *ort_Get##Name##ProviderOptionsAsString(const Type *object, OrtAllocator *allocator, \
                                                      char **ptr)                                  \
    {                                                                                              \
        ORT_NEED(object);                                                                          \
        ORT_NEED(allocator);                                                                       \
        ORT_NEED(ptr);                                                                             \
        return as_string(rows, (const struct ort_object *)(const void *)object, allocator, ptr);   \
    }                                                                                              \
    void ort_Release##Name##ProviderOptions(Type *input)                                           \
    {                                                                                              \
        release((struct ort_object *)(void *)input);                                               \
    }                                                                                              \
    OrtStatus *ort_SessionOptionsAppendExecutionProvider_##append_slot(OrtSessionOptions *options, \
                                                                       const Type *object)         \
    {                                                                                              \
        ORT_NEED(options);                                                                         \
        ORT_NEED(object);                                                                          \
        return ort_append(options, host, &((const struct ort_object *)(const void *)object)->kv,   \
                          ORT_FAIL);                                                               \
    }

OBJECT(CANN, CANN, OrtCANNProviderOptions, "CANNExecutionProvider", cann_rows)
OBJECT(Dnnl, Dnnl, OrtDnnlProviderOptions, "DnnlExecutionProvider", dnnl_rows)
OBJECT(CUDA, CUDA_V2, OrtCUDAProviderOptionsV2, "CUDAExecutionProvider", free_rows)
OBJECT(TensorRT, TensorRT_V2, OrtTensorRTProviderOptionsV2, "TensorrtExecutionProvider", free_rows)

/* ---- structs and symbols from before --------------------------------------------------------------- */

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

/* The structs have no version and grew at the end: only what was always there is read. */
OrtStatus *
ort_SessionOptionsAppendExecutionProvider_CUDA(OrtSessionOptions *options,
                                               const OrtCUDAProviderOptions *cuda_options)
{
    ORT_NEED(cuda_options);
    return append_number(options, "CUDAExecutionProvider", "device_id", cuda_options->device_id);
}

OrtStatus *
ort_SessionOptionsAppendExecutionProvider_ROCM(OrtSessionOptions *options,
                                               const OrtROCMProviderOptions *rocm_options)
{
    ORT_NEED(rocm_options);
    return append_number(options, "ROCMExecutionProvider", "device_id", rocm_options->device_id);
}

OrtStatus *
ort_SessionOptionsAppendExecutionProvider_TensorRT(OrtSessionOptions *options,
                                                   const OrtTensorRTProviderOptions *trt_options)
{
    ORT_NEED(trt_options);
    return append_number(options, "TensorrtExecutionProvider", "device_id", trt_options->device_id);
}

OrtStatus *
ort_SessionOptionsAppendExecutionProvider_MIGraphX(OrtSessionOptions *options,
                                                   const OrtMIGraphXProviderOptions *mgx_options)
{
    ORT_NEED(mgx_options);
    return append_number(options, "MIGraphXExecutionProvider", "device_id", mgx_options->device_id);
}

OrtStatus *
ort_SessionOptionsAppendExecutionProvider_OpenVINO(OrtSessionOptions *options,
                                                   const OrtOpenVINOProviderOptions *ov_options)
{
    ORT_NEED(ov_options);
    return append_one(options, "OpenVINOExecutionProvider", "device_type", ov_options->device_type);
}

OrtStatus *ort_SessionOptionsAppendExecutionProvider_OpenVINO_V2(OrtSessionOptions *options,
                                                                 const char *const *keys,
                                                                 const char *const *values,
                                                                 size_t n)
{
    return ort_SessionOptionsAppendExecutionProvider(options, "OpenVINOExecutionProvider", keys,
                                                     values, n);
}

OrtStatus *ort_SessionOptionsAppendExecutionProvider_VitisAI(OrtSessionOptions *options,
                                                             const char *const *keys,
                                                             const char *const *values, size_t n)
{
    return ort_SessionOptionsAppendExecutionProvider(options, "VitisAIExecutionProvider", keys,
                                                     values, n);
}

/* ---- exported symbols ------------------------------------------------------------------------------ */

static OrtStatus *append_cpu(OrtSessionOptions *options, int use_arena)
{
    if (!options)
        return append_one(NULL, "CPUExecutionProvider", NULL, NULL);
    options->cpu_arena = use_arena != 0;
    return append_one(options, "CPUExecutionProvider", NULL, NULL);
}
ORT_VERSIONS(OrtSessionOptionsAppendExecutionProvider_CPU, append_cpu)

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

/* A provider whose bits are switches of these names, the lowest first. */
static OrtStatus *append_flags(OrtSessionOptions *options, const char *name, uint32_t flags,
                               const char *const *keys, size_t n_keys)
{
    OrtKeyValuePairs kv = {0};
    OrtStatus *status = NULL;

    if (!options)
        return append_one(NULL, name, NULL, NULL);
    for (size_t i = 0; i < n_keys && !status; i++) {
        if ((flags >> i & 1) && !ort_keys_set(&kv, keys[i], "1"))
            status = ort_no_memory();
    }
    if (!status)
        status = ort_append(options, name, &kv, ORT_FAIL);
    ort_keys_finish(&kv);
    return status;
}

OrtStatus *OrtSessionOptionsAppendExecutionProvider_Nnapi(OrtSessionOptions *options,
                                                          uint32_t nnapi_flags)
{
    static const char *const keys[] = {"use_fp16", "use_nchw", "cpu_disabled", "cpu_only"};

    return append_flags(options, "NnapiExecutionProvider", nnapi_flags, keys, 4);
}

OrtStatus *OrtSessionOptionsAppendExecutionProvider_CoreML(OrtSessionOptions *options,
                                                           uint32_t coreml_flags)
{
    static const char *const keys[] = {"use_cpu_only",     "enable_on_subgraph",
                                       "only_with_ane",    "only_static_input_shapes",
                                       "create_mlprogram", "use_cpu_and_gpu"};

    return append_flags(options, "CoreMLExecutionProvider", coreml_flags, keys, 6);
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
