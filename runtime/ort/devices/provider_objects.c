/* SPDX-License-Identifier: MIT */
/*
 * provider_objects.c - options of CANN, CUDA, TensorRT, which are opaque, and of oneDNN, a struct that
 * programs may fill themselves: Create, Update, GetAsString, Release and AppendExecutionProvider of each.
 */

#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <onnxruntime/dnnl_provider_options.h>

#include "ort/devices/provider_object.h"
#include "ort/guarded.h"
#include "ort/session/options.h"
#include "ort/status.h"

/* Kinds of values, for checks. */
enum kind { TEXT, COUNT, SIZE, SWITCH, GROWTH };

/* A key and its default. */
struct row {
    const char *key, *value;
    enum kind kind;
};

/* max_opqueue_num and do_copy_in_default_stream are obsolete, but programs still set them. */
static const struct row cann_rows[] = {
    {"device_id", "0", COUNT},
    {"max_opqueue_num", "10000", COUNT},
    {"npu_mem_limit", "18446744073709551615", SIZE},
    {"arena_extend_strategy", "kNextPowerOfTwo", GROWTH},
    {"do_copy_in_default_stream", "1", SWITCH},
    {"enable_cann_graph", "1", SWITCH},
    {"enable_cann_subgraph", "0", SWITCH},
    {"dump_graphs", "0", SWITCH},
    {"dump_om_model", "1", SWITCH},
    {"precision_mode", "", TEXT},
    {"op_select_impl_mode", "", TEXT},
    {"optypelist_for_implmode", "", TEXT},
    {NULL, NULL, TEXT},
};

/* threadpool_args is an address; here it is only kept. */
static const struct row dnnl_rows[] = {
    {"use_arena", "1", SWITCH},
    {"threadpool_args", "0", SIZE},
    {NULL, NULL, TEXT},
};

/*
 * Any key: the plug-in checks it. Without the plug-in the keys are unknown, and programs probe for a GPU
 * this way, so setting and printing fail then.
 */
static const struct row free_rows[] = {{NULL, NULL, TEXT}};

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

/* An unsigned integer, in decimal or with 0x. */
static bool is_number(const char *text, unsigned long long most)
{
    bool is_hex = text[0] == '0' && text[1] == 'x';
    unsigned long long value;
    char *end;

    if (!isxdigit((unsigned char)text[is_hex ? 2 : 0]))
        return false;
    errno = 0;
    value = strtoull(text, &end, is_hex ? 16 : 10);
    return errno == 0 && *end == '\0' && end != text && value <= most;
}

static bool is_one_of(const char *text, const char *const *words)
{
    while (*words && strcmp(*words, text) != 0)
        words++;
    return *words != NULL;
}

/* NULL if the value is of that kind, else what it should be. */
static const char *wanted(enum kind kind, const char *value)
{
    static const char *const switches[] = {"0", "1", "true", "false", "True", "False", NULL};
    static const char *const growths[] = {"kNextPowerOfTwo", "kSameAsRequested", NULL};

    switch (kind) {
    case COUNT:
        return is_number(value, INT_MAX) ? NULL : "a whole number from 0 to 2147483647";
    case SIZE:
        return is_number(value, ULLONG_MAX) ? NULL : "a number of bytes";
    case SWITCH:
        return is_one_of(value, switches) ? NULL : "0, 1, true, false, True or False";
    case GROWTH:
        return is_one_of(value, growths) ? NULL : "kNextPowerOfTwo or kSameAsRequested";
    default:
        return NULL;
    }
}

/* ORT_INVALID_ARGUMENT lists the keys that there are. */
static OrtStatus *unknown_key(const struct row *rows, const char *key)
{
    char names[512] = "";
    size_t at = 0;

    for (const struct row *row = rows; row->key && at < sizeof names - 64; row++)
        at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", at ? ", " : "", row->key);
    return ort_fail(ORT_INVALID_ARGUMENT, "Unknown provider option: \"%s\". There are %s.", key,
                    names);
}

static OrtStatus *check_row(const struct row *rows, const char *key, const char *value)
{
    const struct row *row = rows;
    const char *want;

    while (row->key && strcmp(row->key, key) != 0)
        row++;
    if (!row->key)
        return rows->key ? unknown_key(rows, key) : NULL;
    want = wanted(row->kind, value);
    if (want)
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "Failed to parse provider option \"%s\": \"%s\" is not %s", key, value,
                        want);
    return NULL;
}

/* The stream is set by a function of its own, so it stays unless a key sets it. */
static bool keep_stream(OrtKeyValuePairs *to, const OrtKeyValuePairs *from)
{
    static const char key[] = "user_compute_stream";
    const char *value = ort_keys_get(from, key);

    return !value || ort_keys_get(to, key) || ort_keys_set(to, key, value);
}

/* ORT_FAIL if the keys are the plug-in's and the plug-in is not usable here. */
static OrtStatus *need_reader(const struct row *rows, const char *host)
{
    return rows->key ? NULL : ort_need_provider(host);
}

/* Starts from the defaults again, as in ONNX Runtime: earlier settings are lost. */
static OrtStatus *update(const struct row *rows, struct ort_object *object, const char *const *keys,
                         const char *const *values, size_t n)
{
    OrtKeyValuePairs kv = {0};
    OrtStatus *status = ort_keys_set_all(&kv, keys, values, n);

    for (size_t i = 0; i < n && !status; i++)
        status = check_row(rows, keys[i], values[i]);
    if (!status && !keep_stream(&kv, &object->kv))
        status = ort_no_memory();
    if (status) {
        ort_keys_finish(&kv);
        return status;
    }
    ort_keys_finish(&object->kv);
    object->kv = kv;
    return NULL;
}

/* "key=value;key=value" with defaults; only counts when text is NULL. */
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
    char *text = ort_alloc(allocator, size);

    if (!text)
        return ort_no_memory();
    text[0] = '\0';
    (void)print(rows, object, text, size);
    *out = text;
    return NULL;
}

/* The five slots of a provider: its name in them, the type, ONNX Runtime's name of it, its keys. */
#define OBJECT(Name, append_slot, Type, host, rows)                                                \
    OrtStatus *ort_Create##Name##ProviderOptions(Type **out)                                       \
    {                                                                                              \
        ORT_NEED(out);                                                                             \
        return create((struct ort_object **)(void *)out);                                          \
    }                                                                                              \
    OrtStatus *ort_Update##Name##ProviderOptions(Type *object, const char *const *keys,            \
                                                 const char *const *values, size_t n)              \
    {                                                                                              \
        OrtStatus *status;                                                                         \
                                                                                                   \
        ORT_NEED(object);                                                                          \
        status = need_reader(rows, host);                                                          \
        return status ? status                                                                     \
                      : update(rows, (struct ort_object *)(void *)object, keys, values, n);        \
    }                                                                                              \
    OrtStatus *ort_Get##Name##ProviderOptionsAsString(const Type *object, OrtAllocator *allocator, \
                                                      char **ptr)                                  \
    {                                                                                              \
        const void *plain = object;                                                                \
        OrtStatus *status;                                                                         \
                                                                                                   \
        ORT_NEED(object);                                                                          \
        ORT_NEED(allocator);                                                                       \
        ORT_NEED(ptr);                                                                             \
        status = need_reader(rows, host);                                                          \
        return status ? status : as_string(rows, plain, allocator, ptr);                           \
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
OBJECT(CUDA, CUDA_V2, OrtCUDAProviderOptionsV2, "CUDAExecutionProvider", free_rows)
OBJECT(TensorRT, TensorRT_V2, OrtTensorRTProviderOptionsV2, "TensorrtExecutionProvider", free_rows)

/* ---- oneDNN ---------------------------------------------------------------------------------------- */

OrtStatus *ort_CreateDnnlProviderOptions(OrtDnnlProviderOptions **out)
{
    ORT_NEED(out);
    *out = calloc(1, sizeof **out);
    if (!*out)
        return ort_no_memory();
    (*out)->use_arena = 1;
    return NULL;
}

void ort_ReleaseDnnlProviderOptions(OrtDnnlProviderOptions *input)
{
    free(input);
}

/* The fields that checked keys set; the defaults for the others. */
static void set_dnnl(OrtDnnlProviderOptions *options, const OrtKeyValuePairs *kv)
{
    const char *arena = ort_keys_get(kv, "use_arena");
    const char *address = ort_keys_get(kv, "threadpool_args");
    int base = address && address[0] == '0' && address[1] == 'x' ? 16 : 10;

    options->use_arena = !arena || (strcmp(arena, "0") != 0 && strcasecmp(arena, "false") != 0);
    options->threadpool_args = address ? (void *)(uintptr_t)strtoull(address, NULL, base) : NULL;
}

OrtStatus *ort_UpdateDnnlProviderOptions(OrtDnnlProviderOptions *object, const char *const *keys,
                                         const char *const *values, size_t n)
{
    struct ort_object checked = {0};
    OrtStatus *status;

    ORT_NEED(object);
    status = update(dnnl_rows, &checked, keys, values, n);
    if (!status)
        set_dnnl(object, &checked.kv);
    ort_keys_finish(&checked.kv);
    return status;
}

OrtStatus *ort_GetDnnlProviderOptionsAsString(const OrtDnnlProviderOptions *object,
                                              OrtAllocator *allocator, char **ptr)
{
    struct ort_object keys = {0};
    char address[32];
    OrtStatus *status;

    ORT_NEED(object);
    ORT_NEED(allocator);
    ORT_NEED(ptr);
    (void)snprintf(address, sizeof address, "%ju", (uintmax_t)(uintptr_t)object->threadpool_args);
    if (!ort_keys_set(&keys.kv, "use_arena", object->use_arena ? "1" : "0") ||
        !ort_keys_set(&keys.kv, "threadpool_args", address))
        status = ort_no_memory();
    else
        status = as_string(dnnl_rows, &keys, allocator, ptr);
    ort_keys_finish(&keys.kv);
    return status;
}

OrtStatus *ort_SessionOptionsAppendExecutionProvider_Dnnl(OrtSessionOptions *options,
                                                          const OrtDnnlProviderOptions *object)
{
    ORT_NEED(options);
    ORT_NEED(object);
    return OrtSessionOptionsAppendExecutionProvider_Dnnl(options, object->use_arena);
}
