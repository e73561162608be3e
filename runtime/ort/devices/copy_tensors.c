/* SPDX-License-Identifier: MIT */
/*
 * copy_tensors.c - CopyTensors, and OrtSyncStream, which no device here has (OrtApi since version
 * 23).
 */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "ort/devices/ep_devices.h"
#include "ort/session/run_options.h"
#include "ort/status.h"
#include "ort/values/value.h"

/* ---- tensors --------------------------------------------------------------------------------- */

/* Types and element counts must be equal; shapes may differ. */
static OrtStatus *check_pair(const OrtValue *from, const OrtValue *to, size_t i)
{
    OrtStatus *status = ort_need_tensor("ort_CopyTensors", from);

    if (!status)
        status = ort_need_tensor("ort_CopyTensors", to);
    if (status)
        return status;
    if (from->tensor.dtype != to->tensor.dtype)
        return ort_fail(ORT_INVALID_ARGUMENT, "CopyTensors: pair %zu is of types %s and %s", i,
                        bp_dtype_name(from->tensor.dtype), bp_dtype_name(to->tensor.dtype));
    if (ort_tensor_count(&from->tensor) != ort_tensor_count(&to->tensor))
        return ort_fail(ORT_INVALID_ARGUMENT, "CopyTensors: pair %zu has %zu and %zu elements", i,
                        ort_tensor_count(&from->tensor), ort_tensor_count(&to->tensor));
    return NULL;
}

/* Each string is copied into memory of the target value. */
static OrtStatus *copy_strings(const OrtValue *from, OrtValue *to)
{
    size_t n = ort_tensor_count(&from->tensor);
    OrtStatus *status = NULL;

    for (size_t i = 0; i < n && !status && from != to; i++) {
        bp_span span = ort_tensor_spans(&from->tensor)[i];
        char *text;

        status = ort_GetResizedStringTensorElementBuffer(to, i, span.size, &text);
        if (!status && span.size > 0)
            memcpy(text, span.data, span.size);
    }
    return status;
}

/* memmove, because two values may share memory. */
static OrtStatus *copy_one(const OrtValue *from, OrtValue *to)
{
    struct ort_err err;
    size_t bytes;
    bp_rc rc;

    if (from->tensor.dtype == BP_DTYPE_STRING)
        return copy_strings(from, to);
    rc = bp_tensor_bytes(from->tensor.dtype, from->tensor.dims, from->tensor.rank, &bytes,
                         ort_err_init(&err));
    if (rc < 0)
        return ort_from(rc, &err, ORT_OTHER, "CopyTensors: ");
    if (bytes > 0)
        memmove(bp_tensor_data(&to->tensor), bp_tensor_data(&from->tensor), bytes);
    return NULL;
}

/*
 * OrtApi since version 23: All values are in host memory (values/value.c), so the CPU copies them.
 * All pairs are checked first.
 */
OrtStatus *ort_CopyTensors(const OrtEnv *env, const OrtValue *const *src_tensors,
                           OrtValue *const *dst_tensors, OrtSyncStream *stream, size_t num_tensors)
{
    OrtStatus *status = NULL;

    (void)stream; /* there is none to order copies on */
    ORT_NEED(env);
    if (num_tensors == 0)
        return ort_fail(ORT_INVALID_ARGUMENT, "CopyTensors: no tensors were given");
    ORT_NEED(src_tensors);
    ORT_NEED(dst_tensors);
    for (size_t i = 0; i < num_tensors && !status; i++)
        status = check_pair(src_tensors[i], dst_tensors[i], i);
    for (size_t i = 0; i < num_tensors && !status; i++)
        status = copy_one(src_tensors[i], dst_tensors[i]);
    return status;
}

/* ---- streams --------------------------------------------------------------------------------- */

/*
 * OrtApi since version 23: ONNX Runtime creates none for a device without memory of its own;
 * providers here don't expose theirs.
 */
OrtStatus *ort_CreateSyncStreamForEpDevice(const OrtEpDevice *ep_device,
                                           const OrtKeyValuePairs *stream_options,
                                           OrtSyncStream **stream)
{
    (void)stream_options;
    ORT_NEED(ep_device);
    ORT_NEED(stream);
    *stream = NULL;
    if (ep_device->hardware->type == OrtHardwareDeviceType_CPU)
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "%s has no memory of its own on this device: there is nothing to queue",
                        ep_device->name);
    return ort_fail(ORT_FAIL, "%s keeps the queues of its device to itself", ep_device->name);
}

/* OrtApi since version 23. */
void *ort_SyncStream_GetHandle(OrtSyncStream *stream)
{
    (void)stream;
    return NULL;
}

/* OrtApi since version 23. */
void ort_ReleaseSyncStream(OrtSyncStream *input)
{
    (void)input; /* there is none */
}

/* OrtApi since version 24. */
void ort_RunOptionsSetSyncStream(OrtRunOptions *options, OrtSyncStream *sync_stream)
{
    (void)options;
    (void)sync_stream;
}
