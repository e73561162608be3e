/* SPDX-License-Identifier: MIT */
/* copies.c - counts the values of a partition that cross between memory spaces. */

#include "config.h"

#include "plan/copies.h"

#include <stdlib.h>

#include "value/tensor.h"

/* The bytes of a value; false: a size is unknown, or the bytes are more than a number holds. */
static bool bytes_of(const bp_value *value, uint64_t *bytes)
{
    uint64_t bits = bp_dtype_width(value->dtype);

    if (value->rank == BP_RANK_UNKNOWN)
        return false;
    for (uint32_t d = 0; d < value->rank; d++) {
        int64_t size = value->dims[d].value;

        if (size < 0 || (size > 0 && bits > UINT64_MAX / 16 / (uint64_t)size))
            return false;
        bits *= (uint64_t)size;
    }
    *bytes = (bits + 7) / 8;
    return true;
}

/* Strings stay in host memory. */
static void add(struct bp_copies *copies, const bp_value *value)
{
    uint64_t bytes;

    if (value->dtype == BP_DTYPE_STRING)
        return;
    copies->n++;
    if (bytes_of(value, &bytes))
        copies->bytes += bytes;
    else
        copies->n_unsized++;
}

/*
 * Has the output of a group a reader that gets it by way of the host? Values between stages are in
 * host memory; a copy from device to device is counted for its reader.
 */
static bool is_read_elsewhere(const struct bp_partition *part, const struct bp_group *group,
                              uint32_t value)
{
    if (part->ir->values[value].flags & BP_IR_OUTPUT)
        return true;
    for (uint32_t i = part->uses.first[value]; i < part->uses.first[value + 1]; i++) {
        uint32_t user = part->uses.nodes[i];

        if (part->stage_of[user] != group->stage || part->provider_of[user] != group->provider)
            return true;
        if (bp_device_of(part, user) != group->device && !part->copies_direct[group->provider])
            return true;
    }
    return false;
}

/* one for each value: 1 + the stage in which it is in the memory of the group's provider */
static void count_group(const struct bp_partition *part, const struct bp_group *group,
                        uint32_t *there, struct bp_copies *out)
{
    const bp_graph *graph = &group->view->graph;

    for (uint32_t i = 0; i < graph->n_inputs; i++) {
        uint32_t value = group->view->value_of[graph->inputs[i]];

        if (there[value] == group->stage + 1)
            continue;
        there[value] = group->stage + 1;
        add(out, BP_VALUE(graph, graph->inputs[i]));
    }
    for (uint32_t i = 0; i < graph->n_outputs; i++) {
        uint32_t value = group->view->value_of[graph->outputs[i]];

        there[value] = group->stage + 1;
        if (is_read_elsewhere(part, group, value))
            add(out, BP_VALUE(graph, graph->outputs[i]));
    }
}

static bool same_device(const struct bp_group *a, const struct bp_group *b)
{
    return a->provider == b->provider && a->device == b->device;
}

/* Is the group the first of its device? */
static bool is_first(const struct bp_partition *part, uint32_t g)
{
    for (uint32_t i = 0; i < g; i++) {
        if (same_device(&part->groups[i], &part->groups[g]))
            return false;
    }
    return true;
}

/* Counts for all groups of a device, whose first is `first`. */
static bp_rc count_device(const struct bp_partition *part, uint32_t first, struct bp_copies *copies,
                          bp_err *err)
{
    uint32_t *there = calloc((size_t)part->ir->n_values + 1, sizeof *there);

    if (!there)
        return bp_fail_nomem(err, "the report");
    for (uint32_t g = first; g < part->n_groups; g++) {
        if (same_device(&part->groups[g], &part->groups[first]))
            count_group(part, &part->groups[g], there, &copies[g]);
    }
    free(there);
    return BP_OK;
}

bp_rc bp_copies_count(const struct bp_partition *part, struct bp_region *region,
                      struct bp_copies **out, bp_err *err)
{
    struct bp_copies *copies = bp_region_array(region, part->n_groups, sizeof *copies);

    if (!copies)
        return bp_fail_nomem(err, "the report");
    for (uint32_t g = 0; g < part->n_groups; g++) {
        const struct bp_group *group = &part->groups[g];
        bp_rc rc = BP_OK;

        if (group->provider < BP_BY_NONE && part->has_memory[group->provider] && is_first(part, g))
            rc = count_device(part, g, copies, err);
        if (rc < 0)
            return rc;
    }
    *out = copies;
    return BP_OK;
}
