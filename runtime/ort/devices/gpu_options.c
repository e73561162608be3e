/* SPDX-License-Identifier: MIT */
/*
 * gpu_options.c - options of GPU providers that are pointers, OrtROCMProviderOptions, and the current
 * GPU.
 *
 * A pointer is kept as ONNX Runtime writes it into text options: its address in decimal.
 */

#include "config.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ort/devices/provider_object.h"
#include "ort/status.h"
#include "ort/values/memory.h"

/* ---- pointers -------------------------------------------------------------------------------- */

/* A stream of the device, and settings of its arena. */
static bool is_pointer(const char *key)
{
    return strcmp(key, "user_compute_stream") == 0 || strcmp(key, "default_memory_arena_cfg") == 0;
}

static OrtStatus *no_pointer(const char *key)
{
    return ort_fail(ORT_INVALID_ARGUMENT,
                    "provider option '%s' is not a pointer; those are user_compute_stream and "
                    "default_memory_arena_cfg",
                    key);
}

static OrtStatus *set_pointer(struct ort_object *object, const char *key, const void *value)
{
    char text[24];

    if (!is_pointer(key))
        return no_pointer(key);
    snprintf(text, sizeof text, "%llu", (unsigned long long)(uintptr_t)value);
    return ort_keys_set(&object->kv, key, text) ? NULL : ort_no_memory();
}

/* NULL for an option that was never set. */
static OrtStatus *get_pointer(const struct ort_object *object, const char *key, void **out)
{
    const char *text = ort_keys_get(&object->kv, key);

    if (!is_pointer(key))
        return no_pointer(key);
    *out = text ? (void *)(uintptr_t)strtoull(text, NULL, 10) : NULL;
    return NULL;
}

#define POINTERS(Name, Type)                                                                       \
    OrtStatus *ort_Update##Name##ProviderOptionsWithValue(Type *object, const char *key,           \
                                                          void *value)                             \
    {                                                                                              \
        ORT_NEED(object);                                                                          \
        ORT_NEED(key);                                                                             \
        return set_pointer((struct ort_object *)(void *)object, key, value);                       \
    }                                                                                              \
    OrtStatus *ort_Get##Name##ProviderOptionsByName(const Type *object, const char *key,           \
                                                    void **ptr)                                    \
    {                                                                                              \
        ORT_NEED(object);                                                                          \
        ORT_NEED(key);                                                                             \
        ORT_NEED(ptr);                                                                             \
        return get_pointer((const struct ort_object *)(const void *)object, key, ptr);             \
    }

POINTERS(CUDA, OrtCUDAProviderOptionsV2)
POINTERS(TensorRT, OrtTensorRTProviderOptionsV2)

/* ---- ROCm: a plain struct -------------------------------------------------------------------- */

enum type { INT, SIZE, POINTER };

static const struct {
    const char *key;
    enum type type;
    size_t at;
} rocm[] = {
#define ROW(key, type, member)                                                                     \
    {                                                                                              \
        key, type, offsetof(OrtROCMProviderOptions, member)                                        \
    }
    ROW("device_id", INT, device_id),
    ROW("miopen_conv_exhaustive_search", INT, miopen_conv_exhaustive_search),
    ROW("gpu_mem_limit", SIZE, gpu_mem_limit),
    ROW("arena_extend_strategy", INT, arena_extend_strategy),
    ROW("do_copy_in_default_stream", INT, do_copy_in_default_stream),
    ROW("has_user_compute_stream", INT, has_user_compute_stream),
    ROW("user_compute_stream", POINTER, user_compute_stream),
    ROW("enable_hip_graph", INT, enable_hip_graph),
    ROW("tunable_op_enable", INT, tunable_op_enable),
    ROW("tunable_op_tuning_enable", INT, tunable_op_tuning_enable),
    ROW("tunable_op_max_tuning_duration_ms", INT, tunable_op_max_tuning_duration_ms),
#undef ROW
};

enum { N_ROCM = sizeof rocm / sizeof *rocm };

/* OrtApi since version 16. */
OrtStatus *ort_CreateROCMProviderOptions(OrtROCMProviderOptions **out)
{
    ORT_NEED(out);
    *out = calloc(1, sizeof **out);
    if (!*out)
        return ort_no_memory();
    (*out)->gpu_mem_limit = SIZE_MAX;
    (*out)->do_copy_in_default_stream = 1;
    return NULL;
}

/* OrtApi since version 16. */
void ort_ReleaseROCMProviderOptions(OrtROCMProviderOptions *input)
{
    free(input);
}

/* An integer, or one of ONNX Runtime's names for 0 and 1. */
static bool parse(const char *text, unsigned long long *out)
{
    static const char *const words[] = {
        "False", "True", "false", "true", "kNextPowerOfTwo", "kSameAsRequested"};
    char *end;

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(text, words[i]) == 0) {
            *out = i & 1;
            return true;
        }
    }
    errno = 0;
    *out = strtoull(text, &end, 10);
    return end != text && !*end && !errno && text[0] != '-';
}

/*
 * ORT_INVALID_ARGUMENT: no such key, or another type of value. A stream also sets
 * has_user_compute_stream.
 */
static OrtStatus *set_rocm(OrtROCMProviderOptions *options, const char *key, const char *text)
{
    unsigned long long value;
    size_t i = 0;
    char *at;

    while (i < N_ROCM && strcmp(rocm[i].key, key) != 0)
        i++;
    if (i == N_ROCM)
        return ort_fail(ORT_INVALID_ARGUMENT, "Unknown provider option: \"%s\".", key);
    if (!parse(text, &value) || (rocm[i].type == INT && value > INT32_MAX))
        return ort_fail(ORT_INVALID_ARGUMENT, "provider option '%s' does not take '%s'", key, text);
    at = (char *)options + rocm[i].at;
    if (rocm[i].type == INT)
        *(int *)(void *)at = (int)value;
    else if (rocm[i].type == SIZE)
        *(size_t *)(void *)at = (size_t)value;
    else
        *(void **)(void *)at = (void *)(uintptr_t)value;
    if (rocm[i].type == POINTER)
        options->has_user_compute_stream = value != 0;
    return NULL;
}

/* OrtApi since version 16. */
OrtStatus *ort_UpdateROCMProviderOptions(OrtROCMProviderOptions *rocm_options,
                                         const char *const *provider_options_keys,
                                         const char *const *provider_options_values,
                                         size_t num_keys)
{
    OrtStatus *status = NULL;

    ORT_NEED(rocm_options);
    if (num_keys > 0) {
        ORT_NEED(provider_options_keys);
        ORT_NEED(provider_options_values);
    }
    for (size_t i = 0; i < num_keys && !status; i++) {
        if (!provider_options_keys[i] || !provider_options_values[i])
            return ort_fail(ORT_INVALID_ARGUMENT, "provider option %zu is NULL", i);
        status = set_rocm(rocm_options, provider_options_keys[i], provider_options_values[i]);
    }
    return status;
}

static unsigned long long value_of(const OrtROCMProviderOptions *options, size_t i)
{
    const char *at = (const char *)options + rocm[i].at;

    if (rocm[i].type == INT)
        return (unsigned long long)*(const int *)(const void *)at;
    if (rocm[i].type == SIZE)
        return *(const size_t *)(const void *)at;
    return (uintptr_t) * (void *const *)(const void *)at;
}

/* OrtApi since version 16. */
OrtStatus *ort_GetROCMProviderOptionsAsString(const OrtROCMProviderOptions *rocm_options,
                                              OrtAllocator *allocator, char **ptr)
{
    char text[1024];
    size_t at = 0;

    ORT_NEED(rocm_options);
    ORT_NEED(allocator);
    ORT_NEED(ptr);
    for (size_t i = 0; i < N_ROCM; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s=%llu", i ? ";" : "", rocm[i].key,
                               value_of(rocm_options, i));
    *ptr = ort_dup(allocator, text);
    return *ptr ? NULL : ort_no_memory();
}

/* ---- the current device ---------------------------------------------------------------------- */

/* ONNX Runtime without a GPU library fails in the same way. */
static OrtStatus *no_gpu(void)
{
    return ort_fail(ORT_FAIL, "no GPU library is part of this runtime: its providers keep their "
                              "devices to themselves");
}

/* OrtApi since version 7. */
OrtStatus *ort_SetCurrentGpuDeviceId(int device_id)
{
    (void)device_id;
    return no_gpu();
}

/* OrtApi since version 7. */
OrtStatus *ort_GetCurrentGpuDeviceId(int *device_id)
{
    ORT_NEED(device_id);
    return no_gpu();
}

/* OrtApi since version 10: In ONNX Runtime only DirectML has such a table. */
OrtStatus *ort_GetExecutionProviderApi(const char *provider_name, uint32_t version,
                                       const void **provider_api)
{
    (void)version;
    ORT_NEED(provider_name);
    ORT_NEED(provider_api);
    *provider_api = NULL;
    return ort_fail(ORT_INVALID_ARGUMENT, "provider '%s' has no table of functions of its own",
                    provider_name);
}
