/* SPDX-License-Identifier: MIT */
/* tensor.c - element types, tensor descriptions and data buffers. */
#include "tensor/tensor.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/float16.h"
#include "core/error.h"

/* For bp_ascend_get_counters(), where a test sees what a program has leaked. */
static atomic_uint_fast64_t live_descriptions, live_buffers;

void sim_count_descriptions(struct bp_ascend_counters *counters)
{
    counters->live_descriptions = atomic_load(&live_descriptions);
    counters->live_buffers = atomic_load(&live_buffers);
    counters->live_attributes = sim_live_attributes();
}

/*
 * Bytes. Types that the simulator cannot compute with have a size too, so that they can be moved.
 */
size_t aclDataTypeSize(aclDataType dataType)
{
    switch (dataType) {
    case ACL_INT8:
    case ACL_UINT8:
    case ACL_BOOL:
        return 1;
    case ACL_FLOAT16:
    case ACL_BF16:
    case ACL_INT16:
    case ACL_UINT16:
        return 2;
    case ACL_FLOAT:
    case ACL_INT32:
    case ACL_UINT32:
        return 4;
    case ACL_DOUBLE:
    case ACL_INT64:
    case ACL_UINT64:
    case ACL_COMPLEX64:
        return 8;
    case ACL_COMPLEX128:
        return 16;
    default:
        return 0;
    }
}

/* The vendor's conversion saturates: infinity and NaN become the largest finite value, 65504. */
aclFloat16 aclFloatToFloat16(float value)
{
    uint16_t half = bp_f16_store(value);
    unsigned sign = half & 0x8000u;

    if ((half & 0x7c00u) == 0x7c00u)
        return (aclFloat16)(sign | 0x7bffu); /* the largest number there is */
    return half;
}

/*
 * The vendor's conversion knows no infinity or NaN: an exponent of all ones counts on, from 65536.
 */
float aclFloat16ToFloat(aclFloat16 value)
{
    unsigned rest = value & 0x7fffu;
    float magnitude;

    if (rest < 0x7c00u)
        return bp_f16_load(value);
    magnitude = 65536.0f * (1.0f + (float)(rest & 0x3ffu) / 1024.0f);
    return value & 0x8000u ? -magnitude : magnitude;
}

/* ---- descriptions --------------------------------------------------------------------------- */

/* Sets nothing when an argument is wrong; -1 is a dimension that is not known. */
static aclError set_dims(aclTensorDesc *desc, int rank, const int64_t *dims)
{
    if (!desc || rank < 0 || rank > SIM_DESC_DIMS || (rank > 0 && !dims))
        return sim_fail(ACL_ERROR_INVALID_PARAM, "a description of %d dimensions", rank);
    for (int i = 0; i < rank; i++)
        if (dims[i] < -1)
            return sim_fail(ACL_ERROR_INVALID_PARAM, "dimension %d is %lld", i, (long long)dims[i]);
    desc->rank = (size_t)rank;
    for (int i = 0; i < rank; i++)
        desc->dims[i] = dims[i];
    return 0;
}

/* NULL for bad arguments too: the reason is in aclGetRecentErrMsg(). */
aclTensorDesc *aclCreateTensorDesc(aclDataType dataType, int numDims, const int64_t *dims,
                                   aclFormat format)
{
    aclTensorDesc *desc = calloc(1, sizeof *desc);

    if (!desc || set_dims(desc, numDims, dims) != 0) {
        free(desc);
        return NULL;
    }
    desc->type = dataType;
    desc->format = format;
    atomic_fetch_add(&live_descriptions, 1);
    return desc;
}

void aclDestroyTensorDesc(const aclTensorDesc *desc)
{
    aclTensorDesc *ours = (aclTensorDesc *)(uintptr_t)desc;

    if (!ours)
        return;
    atomic_fetch_sub(&live_descriptions, 1);
    free(ours->value);
    free(ours);
}

aclDataType aclGetTensorDescType(const aclTensorDesc *desc)
{
    return desc ? desc->type : ACL_DT_UNDEFINED;
}

aclFormat aclGetTensorDescFormat(const aclTensorDesc *desc)
{
    return desc ? desc->format : ACL_FORMAT_UNDEFINED;
}

/* 0 also when the bytes of the widest type, 16 each, could not be counted: callers may multiply. */
size_t aclGetTensorDescElementCount(const aclTensorDesc *desc)
{
    size_t count = 1;

    if (!desc)
        return 0;
    for (size_t i = 0; i < desc->rank; i++) {
        if (desc->dims[i] <= 0)
            return 0;
        if (count > SIZE_MAX / 16 / (size_t)desc->dims[i])
            return 0;
        count *= (size_t)desc->dims[i];
    }
    return count;
}

size_t aclGetTensorDescSize(const aclTensorDesc *desc)
{
    return desc ? aclGetTensorDescElementCount(desc) * aclDataTypeSize(desc->type) : 0;
}

size_t aclGetTensorDescNumDims(const aclTensorDesc *desc)
{
    return desc ? desc->rank : 0;
}

aclError aclGetTensorDescDimV2(const aclTensorDesc *desc, size_t index, int64_t *dimSize)
{
    if (!desc || !dimSize || index >= desc->rank)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "no dimension %zu", index);
    *dimSize = desc->dims[index];
    return ACL_SUCCESS;
}

aclError aclSetTensorShape(aclTensorDesc *desc, int numDims, const int64_t *dims)
{
    return set_dims(desc, numDims, dims);
}

static aclError need(const aclTensorDesc *desc)
{
    return desc ? ACL_SUCCESS : sim_fail(ACL_ERROR_INVALID_PARAM, "no tensor description");
}

aclError aclSetTensorFormat(aclTensorDesc *desc, aclFormat format)
{
    aclError rc = need(desc);

    if (!rc)
        desc->format = format;
    return rc;
}

/* Checks the arguments of a setter that has no effect here. */
static aclError check_dims(aclTensorDesc *desc, int rank, const int64_t *dims)
{
    if (rank < 0 || rank > SIM_DESC_DIMS || (rank > 0 && !dims))
        return sim_fail(ACL_ERROR_INVALID_PARAM, "a description of %d dimensions", rank);
    return need(desc);
}

/*
 * Storage and origin describe how the vendor lays a tensor out; the simulator stores each as its
 * dims say.
 */
aclError aclSetTensorStorageShape(aclTensorDesc *desc, int numDims, const int64_t *dims)
{
    return check_dims(desc, numDims, dims);
}

aclError aclSetTensorOriginShape(aclTensorDesc *desc, int numDims, const int64_t *dims)
{
    return check_dims(desc, numDims, dims);
}

aclError aclSetTensorStorageFormat(aclTensorDesc *desc, aclFormat format)
{
    (void)format;
    return need(desc);
}

aclError aclSetTensorOriginFormat(aclTensorDesc *desc, aclFormat format)
{
    (void)format;
    return need(desc);
}

/* Cut to 127 characters, the vendor's limit. */
void aclSetTensorDescName(aclTensorDesc *desc, const char *name)
{
    if (desc)
        snprintf(desc->name, sizeof desc->name, "%s", name ? name : "");
}

const char *aclGetTensorDescName(aclTensorDesc *desc)
{
    return desc ? desc->name : "";
}

/* The value is copied, so that the caller's bytes may go. */
aclError aclSetTensorConst(aclTensorDesc *desc, void *dataBuffer, size_t length)
{
    void *value;

    if (!desc || !dataBuffer || length == 0)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "aclSetTensorConst: no description or no value");
    value = malloc(length);
    if (!value)
        return sim_fail(ACL_ERROR_BAD_ALLOC, "no memory for a constant of %zu bytes", length);
    memcpy(value, dataBuffer, length);
    free(desc->value);
    desc->value = value;
    desc->value_size = length;
    return ACL_SUCCESS;
}

/* Spelt as the vendor spells it. */
aclError aclSetTensorPlaceMent(aclTensorDesc *desc, aclMemType memType)
{
    aclError rc = need(desc);

    if (!rc && ((int)memType < 0 || memType > ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT))
        rc = sim_fail(ACL_ERROR_INVALID_PARAM, "there is no kind of memory %d", (int)memType);
    if (!rc)
        desc->place = memType;
    return rc;
}

/* ---- buffers -------------------------------------------------------------------------------- */

aclDataBuffer *aclCreateDataBuffer(void *data, size_t size)
{
    aclDataBuffer *buffer = malloc(sizeof *buffer);

    if (!buffer)
        return NULL;
    buffer->data = data;
    buffer->size = size;
    atomic_fetch_add(&live_buffers, 1);
    return buffer;
}

aclError aclDestroyDataBuffer(const aclDataBuffer *dataBuffer)
{
    if (!dataBuffer)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "aclDestroyDataBuffer: NULL");
    atomic_fetch_sub(&live_buffers, 1);
    free((aclDataBuffer *)(uintptr_t)dataBuffer);
    return ACL_SUCCESS;
}

/* Points the buffer to other memory; nothing is copied. */
aclError aclUpdateDataBuffer(aclDataBuffer *dataBuffer, void *data, size_t size)
{
    if (!dataBuffer)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "aclUpdateDataBuffer: NULL");
    dataBuffer->data = data;
    dataBuffer->size = size;
    return ACL_SUCCESS;
}

void *aclGetDataBufferAddr(const aclDataBuffer *dataBuffer)
{
    return dataBuffer ? dataBuffer->data : NULL;
}

size_t aclGetDataBufferSizeV2(const aclDataBuffer *dataBuffer)
{
    return dataBuffer ? dataBuffer->size : 0;
}
