/* SPDX-License-Identifier: MIT */
/*
 * lora.c - OrtLoraAdapter (OrtApi since version 20): adapters from files and bytes. Tensors are
 * copied, so the bytes may be freed.
 */

#include "config.h"

#include "ort/session/lora.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ort/guarded.h"
#include "ort/session/lora_file.h"
#include "ort/session/run_options.h"
#include "ort/status.h"
#include "ort/values/value.h"

enum { RANK_MAX = 64 }; /* of a parameter; as in the host */

/* Two parameters of one name are refused. */
static bool is_known(const OrtLoraAdapter *adapter, const char *name)
{
    for (uint32_t i = 0; i < adapter->n; i++) {
        if (strcmp(adapter->names[i], name) == 0)
            return true;
    }
    return false;
}

/* A tensor of the parameter's type and dims; sizes are checked before memory is allocated. */
static OrtStatus *make_value(const struct ort_lora_parameter *from, OrtAllocator *allocator,
                             OrtValue **out)
{
    ONNXTensorElementDataType type = from->type > 0 && from->type < BP_DTYPE_END
                                         ? ort_dtype((uint32_t)from->type)
                                         : ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    int64_t dims[RANK_MAX];
    OrtStatus *status;
    size_t bytes = 0;

    if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED ||
        type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING)
        return ort_fail(ORT_FAIL,
                        "adapter parameter '%s' has type %d, which is not "
                        "a numeric type",
                        from->name, (int)from->type);
    if (from->n_dims > RANK_MAX)
        return ort_fail(ORT_FAIL, "adapter parameter '%s' has rank %zu", from->name, from->n_dims);
    memcpy(dims, from->dims, from->n_dims * sizeof *dims);
    /* check first: a small hostile file may declare a huge tensor */
    if (bp_tensor_bytes((uint32_t)from->type, dims, (uint32_t)from->n_dims, &bytes, NULL) < 0 ||
        bytes != from->n_bytes)
        return ort_fail(ORT_FAIL,
                        "adapter parameter '%s' has %zu bytes, which are not those of its type and "
                        "sizes",
                        from->name, from->n_bytes);
    status = ort_CreateTensorAsOrtValue(allocator, dims, from->n_dims, type, out);
    if (!status && bytes > 0)
        memcpy((*out)->tensor.base, from->data, bytes);
    return status;
}

/* Copies one parameter. */
static OrtStatus *add(OrtLoraAdapter *adapter, const struct ort_lora_parameter *parameter,
                      OrtAllocator *allocator)
{
    OrtValue *value = NULL;
    OrtStatus *status;

    if (is_known(adapter, parameter->name))
        return ort_fail(ORT_FAIL, "adapter parameter '%s' is there twice", parameter->name);
    status = make_value(parameter, allocator, &value);
    if (status)
        return status;
    adapter->names[adapter->n] = strdup(parameter->name);
    if (!adapter->names[adapter->n]) {
        ort_ReleaseValue(value);
        return ort_no_memory();
    }
    adapter->values[adapter->n++] = value;
    return NULL;
}

/* OrtApi since version 20: No run may use it any more. */
void ort_ReleaseLoraAdapter(OrtLoraAdapter *input)
{
    if (!input)
        return;
    for (uint32_t i = 0; i < input->n; i++) {
        free(input->names[i]);
        ort_ReleaseValue(input->values[i]);
    }
    free(input->names);
    free(input->values);
    free(input);
}

/* All parameters, or ORT_FAIL and nothing. */
static OrtStatus *make(const struct ort_lora_file *file, OrtAllocator *allocator,
                       OrtLoraAdapter **out)
{
    OrtLoraAdapter *made = calloc(1, sizeof *made);
    OrtStatus *status = made ? NULL : ort_no_memory();

    if (made) {
        made->names = calloc((size_t)file->parameters.n + 1, sizeof *made->names);
        made->values = calloc((size_t)file->parameters.n + 1, sizeof *made->values);
        if (!made->names || !made->values)
            status = ort_no_memory();
    }
    for (uint32_t i = 0; i < file->parameters.n && !status; i++) {
        struct ort_lora_parameter parameter;

        status = ort_lora_parameter(file, i, &parameter);
        if (!status)
            status = add(made, &parameter, allocator);
    }
    if (status) {
        ort_ReleaseLoraAdapter(made);
        return status;
    }
    *out = made;
    return NULL;
}

/* OrtApi since version 20: allocator NULL: the default allocator. Device memory is refused. */
OrtStatus *ort_CreateLoraAdapterFromArray(const void *bytes, size_t num_bytes,
                                          OrtAllocator *allocator, OrtLoraAdapter **out)
{
    struct ort_lora_file file;
    const OrtMemoryInfo *info;
    OrtStatus *status;

    ORT_NEED(bytes);
    ORT_NEED(out);
    if (!allocator)
        allocator = ort_default_allocator();
    status = ort_info_of(allocator, &info);
    if (status)
        return status;
    if (!ort_memory_is_host(info))
        return ort_fail(ORT_INVALID_ARGUMENT, "adapters lie in ordinary memory, not in '%s'",
                        info->name);
    status = ort_lora_open(bytes, num_bytes, &file);
    return status ? status : make(&file, allocator, out);
}

/* Up to 2 GiB, as FlatBuffers have 32-bit offsets. */
static OrtStatus *read_file(const char *path, uint8_t **bytes, size_t *size)
{
    FILE *file = fopen(path, "rbe");
    OrtStatus *status = NULL;
    long length = -1;

    if (!file)
        return ort_fail(ORT_INVALID_ARGUMENT, "adapter %s: %s", path, strerror(errno));
    if (fseek(file, 0, SEEK_END) == 0)
        length = ftell(file);
    *bytes = length >= 0 && length <= INT32_MAX ? malloc((size_t)length + 1) : NULL;
    rewind(file);
    if (length < 0 || length > INT32_MAX)
        status = ort_fail(ORT_FAIL, "adapter %s: no file of up to 2 GiB", path);
    else if (!*bytes)
        status = ort_no_memory();
    else if (fread(*bytes, 1, (size_t)length, file) != (size_t)length)
        status = ort_fail(ORT_FAIL, "adapter %s: it cannot be read", path);
    *size = (size_t)length;
    fclose(file);
    return status;
}

/* OrtApi since version 20. */
OrtStatus *ort_CreateLoraAdapter(const char *adapter_file_path, OrtAllocator *allocator,
                                 OrtLoraAdapter **out)
{
    uint8_t *bytes = NULL;
    OrtStatus *status;
    size_t size = 0;

    ORT_NEED(adapter_file_path);
    ORT_NEED(out);
    status = read_file(adapter_file_path, &bytes, &size);
    if (!status)
        status = ort_CreateLoraAdapterFromArray(bytes, size, allocator, out);
    free(bytes);
    return status;
}

/* OrtApi since version 20: Borrowed: the adapter must outlive the runs with these options. */
OrtStatus *ort_RunOptionsAddActiveLoraAdapter(OrtRunOptions *options, const OrtLoraAdapter *adapter)
{
    const OrtLoraAdapter **grown;

    ORT_NEED(options);
    ORT_NEED(adapter);
    grown = realloc(options->adapters, (options->n_adapters + 1) * sizeof *grown);
    if (!grown)
        return ort_no_memory();
    options->adapters = grown;
    grown[options->n_adapters++] = adapter;
    return NULL;
}
