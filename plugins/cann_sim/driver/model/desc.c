/* SPDX-License-Identifier: MIT */
/*
 * desc.c - aclmdlDesc: what a model takes and gives. A copy, which is good when the model is gone.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/state.h"
#include "model/model.h"

static atomic_uint_fast64_t live;

uint64_t sim_live_model_descs(void)
{
    return atomic_load(&live);
}

/* One input or output. */
struct io {
    char name[ACL_MAX_TENSOR_NAME_LEN];
    aclDataType type;
    aclFormat format;
    struct sim_shape shape;
    size_t bytes;
};

struct io_list {
    struct io *rows;
    size_t count;
};

/* Empty until aclmdlGetDesc() fills it. */
struct aclmdlDesc {
    struct io_list in, out;
};

aclmdlDesc *aclmdlCreateDesc(void)
{
    aclmdlDesc *desc = calloc(1, sizeof *desc);

    if (desc)
        atomic_fetch_add(&live, 1);
    return desc;
}

aclError aclmdlDestroyDesc(aclmdlDesc *modelDesc)
{
    if (!modelDesc)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "aclmdlDestroyDesc: NULL");
    atomic_fetch_sub(&live, 1);
    free(modelDesc->in.rows);
    free(modelDesc->out.rows);
    free(modelDesc);
    return 0;
}

/* False: no memory. One row more than needed, as calloc(0) may give NULL. */
static bool copy_io_list(const struct sim_model *model, const struct sim_model_io *from, size_t n,
                         struct io_list *out)
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

/* An earlier content is replaced only when all of the new one is there. */
aclError aclmdlGetDesc(aclmdlDesc *modelDesc, uint32_t modelId)
{
    struct io_list in = {NULL, 0}, out = {NULL, 0};
    struct sim_model *model;
    aclError rc;

    if (!modelDesc)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "aclmdlGetDesc: NULL");
    sim_lock();
    rc = sim_model_get(modelId, &model);
    if (!rc && (!copy_io_list(model, model->inputs, model->n_inputs, &in) ||
                !copy_io_list(model, model->outputs, model->n_outputs, &out)))
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

/* NULL past the end, or without a description. */
static const struct io *input(const aclmdlDesc *desc, size_t i)
{
    return desc && i < desc->in.count ? &desc->in.rows[i] : NULL;
}

static const struct io *output(const aclmdlDesc *desc, size_t i)
{
    return desc && i < desc->out.count ? &desc->out.rows[i] : NULL;
}

size_t aclmdlGetInputSizeByIndex(aclmdlDesc *modelDesc, size_t index)
{
    const struct io *io = input(modelDesc, index);

    return io ? io->bytes : 0;
}

size_t aclmdlGetOutputSizeByIndex(aclmdlDesc *modelDesc, size_t index)
{
    const struct io *io = output(modelDesc, index);

    return io ? io->bytes : 0;
}

/* The name is copied too, as the vendor's does. */
static aclError get_dims(const struct io *io, size_t index, aclmdlIODims *dims)
{
    if (!io || !dims)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "no tensor %zu of the model", index);
    memset(dims, 0, sizeof *dims);
    memcpy(dims->name, io->name, sizeof dims->name);
    dims->dimCount = io->shape.rank;
    for (size_t i = 0; i < io->shape.rank; i++)
        dims->dims[i] = io->shape.dims[i];
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

/* All shapes are known when a model is built here, so this is no different from the other one. */
aclError aclmdlGetCurOutputDims(const aclmdlDesc *modelDesc, size_t index, aclmdlIODims *dims)
{
    return get_dims(output(modelDesc, index), index, dims);
}

const char *aclmdlGetInputNameByIndex(const aclmdlDesc *modelDesc, size_t index)
{
    const struct io *io = input(modelDesc, index);

    return io ? io->name : "";
}

const char *aclmdlGetOutputNameByIndex(const aclmdlDesc *modelDesc, size_t index)
{
    const struct io *io = output(modelDesc, index);

    return io ? io->name : "";
}

aclFormat aclmdlGetInputFormat(const aclmdlDesc *modelDesc, size_t index)
{
    const struct io *io = input(modelDesc, index);

    return io ? io->format : ACL_FORMAT_UNDEFINED;
}

aclFormat aclmdlGetOutputFormat(const aclmdlDesc *modelDesc, size_t index)
{
    const struct io *io = output(modelDesc, index);

    return io ? io->format : ACL_FORMAT_UNDEFINED;
}

aclDataType aclmdlGetInputDataType(const aclmdlDesc *modelDesc, size_t index)
{
    const struct io *io = input(modelDesc, index);

    return io ? io->type : ACL_DT_UNDEFINED;
}

aclDataType aclmdlGetOutputDataType(const aclmdlDesc *modelDesc, size_t index)
{
    const struct io *io = output(modelDesc, index);

    return io ? io->type : ACL_DT_UNDEFINED;
}

/* Names need not be unique: the first one counts. */
static aclError find_name(const struct io_list *list, const char *name, size_t *index)
{
    if (!list || !name || !index)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "no description, name or index");
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->rows[i].name, name) == 0) {
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
