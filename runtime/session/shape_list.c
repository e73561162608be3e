/* SPDX-License-Identifier: MIT */
/*
 * shape_list.c - sets of input shapes, by the names of the inputs, for sessions that do not exist
 * yet.
 */

#include "config.h"

#include "session/shape_list.h"

#include <stdlib.h>
#include <string.h>

/* What can be seen without the model. */
static bp_rc check(const bp_named_shape *inputs, uint32_t i, bp_err *err)
{
    const bp_named_shape *input = &inputs[i];

    if (!input->name || !input->name[0])
        return bp_fail(err, BP_E_INVALID, "shape %u of the set has no name of an input", i);
    for (uint32_t k = 0; k < i; k++) {
        if (strcmp(inputs[k].name, input->name) == 0)
            return bp_fail(err, BP_E_INVALID, "input '%s' is twice in the set of shapes",
                           input->name);
    }
    if (input->rank > BP_MAX_RANK || (input->rank > 0 && !input->dims))
        return bp_fail(err, BP_E_INVALID, "input '%s': rank %u without dims, or beyond %d",
                       input->name, input->rank, BP_MAX_RANK);
    for (uint32_t d = 0; d < input->rank; d++) {
        if (input->dims[d] < -1)
            return bp_fail(err, BP_E_INVALID, "input '%s': %lld is not a size (-1: the model's)",
                           input->name, (long long)input->dims[d]);
    }
    return BP_OK;
}

static bp_rc copy(struct bp_region *region, const bp_named_shape *from, bp_named_shape *to,
                  bp_err *err)
{
    int64_t *dims = bp_region_array(region, from->rank, sizeof *dims);

    *to = *from;
    to->name = bp_region_string(region, from->name);
    to->dims = dims;
    if (!dims || !to->name)
        return bp_fail_nomem(err, "a set of shapes");
    if (from->rank > 0)
        memcpy(dims, from->dims, from->rank * sizeof *dims);
    return BP_OK;
}

bp_rc bp_shape_list_add(struct bp_shape_list *list, const bp_named_shape *inputs, uint32_t n_inputs,
                        bp_err *err)
{
    struct bp_shape_set set = {.n_inputs = n_inputs};
    bp_rc rc = BP_OK;

    if (n_inputs > 0 && !inputs)
        return bp_fail(err, BP_E_INVALID, "a set has shapes of %u inputs, and the list is NULL",
                       n_inputs);
    for (uint32_t i = 0; rc >= 0 && i < n_inputs; i++)
        rc = check(inputs, i, err);
    if (rc < 0)
        return rc;
    set.inputs = bp_region_array(&list->region, n_inputs, sizeof *set.inputs);
    if (!set.inputs)
        return bp_fail_nomem(err, "a set of shapes");
    for (uint32_t i = 0; rc >= 0 && i < n_inputs; i++)
        rc = copy(&list->region, &inputs[i], &set.inputs[i], err);
    if (rc < 0)
        return rc;
    if (list->count == list->cap) {
        uint32_t cap = list->cap ? 2 * list->cap : 4;
        struct bp_shape_set *rows = realloc(list->rows, cap * sizeof *rows);

        if (!rows)
            return bp_fail_nomem(err, "a set of shapes");
        list->rows = rows;
        list->cap = cap;
    }
    list->rows[list->count++] = set;
    return BP_OK;
}

bp_rc bp_shape_list_copy(struct bp_shape_list *to, const struct bp_shape_list *from, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < from->count; i++)
        rc = bp_shape_list_add(to, from->rows[i].inputs, from->rows[i].n_inputs, err);
    return rc;
}

void bp_shape_list_finish(struct bp_shape_list *list)
{
    free(list->rows);
    bp_region_finish(&list->region);
    *list = (struct bp_shape_list){0};
}
