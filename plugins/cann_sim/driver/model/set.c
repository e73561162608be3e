/* SPDX-License-Identifier: MIT */
/* set.c - what models take and give, and the buffers for a run. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/state.h"
#include "model/model.h"

static atomic_uint_fast64_t live_sets, live_descs;

void sim_count_sets(struct bp_ascend_counters *counters)
{
    counters->live_datasets = atomic_load(&live_sets);
    counters->live_model_descriptions = atomic_load(&live_descs);
}

/* ---- descriptions of models ----------------------------------------------------------------- */

struct end {
    char name[ACL_MAX_TENSOR_NAME_LEN];
    aclDataType type;
    aclFormat format;
    struct sim_shape shape;
    size_t bytes;
};

struct ends {
    struct end *rows;
    size_t count;
};

struct aclmdlDesc {
    struct ends in, out;
};

aclmdlDesc *aclmdlCreateDesc(void)
{
    aclmdlDesc *desc = calloc(1, sizeof *desc);

    if (desc)
        atomic_fetch_add(&live_descs, 1);
    return desc;
}

aclError aclmdlDestroyDesc(aclmdlDesc *modelDesc)
{
    if (!modelDesc)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "aclmdlDestroyDesc: NULL");
    atomic_fetch_sub(&live_descs, 1);
    free(modelDesc->in.rows);
    free(modelDesc->out.rows);
    free(modelDesc);
    return 0;
}

static bool copy_ends(const struct sim_model *model, const struct sim_model_end *from, size_t n,
                      struct ends *out)
{
    out->rows = calloc(n + 1, sizeof *out->rows);
    if (!out->rows)
        return false;
    out->count = n;
    for (size_t i = 0; i < n; i++) {
        const struct sim_model_tensor *tensor = &model->tensors[from[i].tensor];

        memcpy(out->rows[i].name, from[i].name, sizeof out->rows[i].name);
        out->rows[i].type = tensor->type;
        out->rows[i].format = tensor->format;
        out->rows[i].shape = tensor->shape;
        out->rows[i].bytes = tensor->bytes;
    }
    return true;
}

aclError aclmdlGetDesc(aclmdlDesc *modelDesc, uint32_t modelId)
{
    struct ends in = {NULL, 0}, out = {NULL, 0};
    struct sim_model *model;
    aclError rc;

    if (!modelDesc)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "aclmdlGetDesc: NULL");
    sim_lock();
    rc = sim_model_get(modelId, &model);
    if (!rc && (!copy_ends(model, model->inputs, model->n_inputs, &in) ||
                !copy_ends(model, model->outputs, model->n_outputs, &out)))
        rc = sim_fail(ACL_ERROR_BAD_ALLOC, "no memory for a model's description");
    sim_unlock();
    if (rc) {
        free(in.rows);
        free(out.rows);
        return rc;
    }
    free(modelDesc->in.rows);
    free(modelDesc->out.rows);
    modelDesc->in = in;
    modelDesc->out = out;
    return 0;
}

size_t aclmdlGetNumInputs(aclmdlDesc *modelDesc)
{
    return modelDesc ? modelDesc->in.count : 0;
}

size_t aclmdlGetNumOutputs(aclmdlDesc *modelDesc)
{
    return modelDesc ? modelDesc->out.count : 0;
}

/* NULL past the end. */
static const struct end *input(const aclmdlDesc *desc, size_t i)
{
    return desc && i < desc->in.count ? &desc->in.rows[i] : NULL;
}

static const struct end *output(const aclmdlDesc *desc, size_t i)
{
    return desc && i < desc->out.count ? &desc->out.rows[i] : NULL;
}

size_t aclmdlGetInputSizeByIndex(aclmdlDesc *modelDesc, size_t index)
{
    const struct end *end = input(modelDesc, index);

    return end ? end->bytes : 0;
}

size_t aclmdlGetOutputSizeByIndex(aclmdlDesc *modelDesc, size_t index)
{
    const struct end *end = output(modelDesc, index);

    return end ? end->bytes : 0;
}

static aclError get_dims(const struct end *end, size_t index, aclmdlIODims *dims)
{
    if (!end || !dims)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "no tensor %zu of the model", index);
    memset(dims, 0, sizeof *dims);
    memcpy(dims->name, end->name, sizeof dims->name);
    dims->dimCount = end->shape.rank;
    for (size_t i = 0; i < end->shape.rank; i++)
        dims->dims[i] = end->shape.dims[i];
    return 0;
}

aclError aclmdlGetInputDims(const aclmdlDesc *modelDesc, size_t index, aclmdlIODims *dims)
{
    return get_dims(input(modelDesc, index), index, dims);
}

aclError aclmdlGetOutputDims(const aclmdlDesc *modelDesc, size_t index, aclmdlIODims *dims)
{
    return get_dims(output(modelDesc, index), index, dims);
}

/* All shapes are known when a model is built here. */
aclError aclmdlGetCurOutputDims(const aclmdlDesc *modelDesc, size_t index, aclmdlIODims *dims)
{
    return get_dims(output(modelDesc, index), index, dims);
}

const char *aclmdlGetInputNameByIndex(const aclmdlDesc *modelDesc, size_t index)
{
    const struct end *end = input(modelDesc, index);

    return end ? end->name : "";
}

const char *aclmdlGetOutputNameByIndex(const aclmdlDesc *modelDesc, size_t index)
{
    const struct end *end = output(modelDesc, index);

    return end ? end->name : "";
}

aclFormat aclmdlGetInputFormat(const aclmdlDesc *modelDesc, size_t index)
{
    const struct end *end = input(modelDesc, index);

    return end ? end->format : ACL_FORMAT_UNDEFINED;
}

aclFormat aclmdlGetOutputFormat(const aclmdlDesc *modelDesc, size_t index)
{
    const struct end *end = output(modelDesc, index);

    return end ? end->format : ACL_FORMAT_UNDEFINED;
}

aclDataType aclmdlGetInputDataType(const aclmdlDesc *modelDesc, size_t index)
{
    const struct end *end = input(modelDesc, index);

    return end ? end->type : ACL_DT_UNDEFINED;
}

aclDataType aclmdlGetOutputDataType(const aclmdlDesc *modelDesc, size_t index)
{
    const struct end *end = output(modelDesc, index);

    return end ? end->type : ACL_DT_UNDEFINED;
}

static aclError find_name(const struct ends *ends, const char *name, size_t *index)
{
    if (!ends || !name || !index)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "no description, name or place for an index");
    for (size_t i = 0; i < ends->count; i++) {
        if (strcmp(ends->rows[i].name, name) == 0) {
            *index = i;
            return 0;
        }
    }
    return sim_fail(ACL_ERROR_INVALID_PARAM, "the model has no %.128s", name);
}

aclError aclmdlGetInputIndexByName(const aclmdlDesc *modelDesc, const char *name, size_t *index)
{
    return find_name(modelDesc ? &modelDesc->in : NULL, name, index);
}

aclError aclmdlGetOutputIndexByName(const aclmdlDesc *modelDesc, const char *name, size_t *index)
{
    return find_name(modelDesc ? &modelDesc->out : NULL, name, index);
}

/* ---- data sets ------------------------------------------------------------------------------ */

aclmdlDataset *aclmdlCreateDataset(void)
{
    aclmdlDataset *set = calloc(1, sizeof *set);

    if (set)
        atomic_fetch_add(&live_sets, 1);
    return set;
}

aclError aclmdlDestroyDataset(const aclmdlDataset *dataset)
{
    if (!dataset)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "aclmdlDestroyDataset: NULL");
    atomic_fetch_sub(&live_sets, 1);
    for (size_t i = 0; i < dataset->count; i++)
        aclDestroyTensorDesc(dataset->entries[i].desc);
    free(dataset->entries);
    free((aclmdlDataset *)(uintptr_t)dataset);
    return 0;
}

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
