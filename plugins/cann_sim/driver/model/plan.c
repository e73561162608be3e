/* SPDX-License-Identifier: MIT */
/* plan.c - offsets of a model's weights and intermediate tensors in its device memory. */
#include <stdlib.h>

#include "core/error.h"
#include "model/model.h"

/* Bytes that an offset is a multiple of. */
#define ALIGNMENT 512 /* what a place in a model's memory is rounded to */

static size_t rounded(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Is there an operator during which both are needed? */
static bool overlap_in_time(const struct sim_model_tensor *a, const struct sim_model_tensor *b)
{
    return a->first <= b->last && b->first <= a->last;
}

/*
 * The first of the placed ones that lives at the same time as `tensor`, and overlaps it where it
 * is; NULL: none.
 */
static const struct sim_model_tensor *find_overlap(struct sim_model_tensor *const *placed, size_t n,
                                                   const struct sim_model_tensor *tensor)
{
    for (size_t i = 0; i < n; i++) {
        const struct sim_model_tensor *other = placed[i];

        if (overlap_in_time(tensor, other) &&
            tensor->offset < other->offset + rounded(other->bytes) &&
            other->offset < tensor->offset + rounded(tensor->bytes))
            return other;
    }
    return NULL;
}

/*
 * First fit, in the order in which tensors are made: goes past each that is in the way, until none
 * is. Quadratic, which models of a few thousand tensors can bear.
 */
static void place(struct sim_model_tensor **placed, size_t n, struct sim_model_tensor *tensor)
{
    const struct sim_model_tensor *other;

    tensor->offset = 0;
    while ((other = find_overlap(placed, n, tensor)) != NULL)
        tensor->offset = other->offset + rounded(other->bytes);
    placed[n] = tensor;
}

/* Sums stay far below SIZE_MAX: each tensor's bytes are at most a 32nd of it, and are counted. */
static bool grow(size_t *sum, size_t end)
{
    if (end > SIZE_MAX / 4)
        return false;
    if (end > *sum)
        *sum = end;
    return true;
}

/* Weights lie one after the other, as all of them live as long as the model. */
aclError sim_model_plan(struct sim_model *model)
{
    struct sim_model_tensor **placed = calloc(model->n_tensors + 1, sizeof *placed);
    bool fits = true;
    size_t n = 0;

    if (!placed)
        return sim_fail(ACL_ERROR_BAD_ALLOC, "no memory to plan a model");
    for (size_t i = 0; i < model->n_tensors && fits; i++) {
        struct sim_model_tensor *tensor = &model->tensors[i];

        if (tensor->kind == SIM_TENSOR_CONSTANT) {
            tensor->offset = model->weight_size;
            fits = grow(&model->weight_size, tensor->offset + rounded(tensor->bytes));
        } else if (tensor->kind == SIM_TENSOR_WORK) {
            place(placed, n++, tensor);
            fits = grow(&model->work_size, tensor->offset + rounded(tensor->bytes));
        }
    }
    free(placed);
    return fits ? 0 : sim_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "the model is too large");
}
