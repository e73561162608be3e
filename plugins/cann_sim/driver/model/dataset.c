/* SPDX-License-Identifier: MIT */
/*
 * dataset.c - aclmdlDataset: the buffers that a model reads or writes in a run, in its order.
 * Buffers stay the program's.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "core/error.h"
#include "model/model.h"

/* For bp_ascend_get_counters(). */
static atomic_uint_fast64_t live;

uint64_t sim_live_datasets(void)
{
    return atomic_load(&live);
}

aclmdlDataset *aclmdlCreateDataset(void)
{
    aclmdlDataset *set = calloc(1, sizeof *set);

    if (set)
        atomic_fetch_add(&live, 1);
    return set;
}

aclError aclmdlDestroyDataset(const aclmdlDataset *dataset)
{
    if (!dataset)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "aclmdlDestroyDataset: NULL");
    atomic_fetch_sub(&live, 1);
    for (size_t i = 0; i < dataset->count; i++)
        aclDestroyTensorDesc(dataset->entries[i].desc);
    free(dataset->entries);
    free((aclmdlDataset *)(uintptr_t)dataset);
    return 0;
}

/* The array grows by doubling. */
aclError aclmdlAddDatasetBuffer(aclmdlDataset *dataset, aclDataBuffer *dataBuffer)
{
    if (!dataset || !dataBuffer)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "aclmdlAddDatasetBuffer: NULL");
    if (dataset->count == dataset->capacity) {
        size_t capacity = dataset->capacity ? 2 * dataset->capacity : 4;
        struct sim_set_entry *more = realloc(dataset->entries, capacity * sizeof *more);

        if (!more)
            return sim_fail(ACL_ERROR_BAD_ALLOC, "no memory for a data set");
        dataset->entries = more;
        dataset->capacity = capacity;
    }
    dataset->entries[dataset->count++] = (struct sim_set_entry){dataBuffer, NULL};
    return 0;
}

size_t aclmdlGetDatasetNumBuffers(const aclmdlDataset *dataset)
{
    return dataset ? dataset->count : 0;
}

aclDataBuffer *aclmdlGetDatasetBuffer(const aclmdlDataset *dataset, size_t index)
{
    return dataset && index < dataset->count ? dataset->entries[index].buffer : NULL;
}

/* The description is copied; name and constant value are not. */
aclError aclmdlSetDatasetTensorDesc(aclmdlDataset *dataset, aclTensorDesc *tensorDesc, size_t index)
{
    aclTensorDesc *copy;

    if (!dataset || !tensorDesc || index >= dataset->count)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "no buffer %zu in the data set", index);
    copy = aclCreateTensorDesc(tensorDesc->type, (int)tensorDesc->rank, tensorDesc->dims,
                               tensorDesc->format);
    if (!copy)
        return sim_fail(ACL_ERROR_BAD_ALLOC, "no memory for a description");
    aclDestroyTensorDesc(dataset->entries[index].desc);
    dataset->entries[index].desc = copy;
    return 0;
}

aclTensorDesc *aclmdlGetDatasetTensorDesc(const aclmdlDataset *dataset, size_t index)
{
    return dataset && index < dataset->count ? dataset->entries[index].desc : NULL;
}
