/* SPDX-License-Identifier: MIT */
/* plan_slices.c - which groups run on parts of a batch, and how large these are. */

#include "config.h"

#include <string.h>
#include <unistd.h>

#include "base/pool.h"
#include "exec/planning.h"
#include "plan/per_sample.h"

enum { SAMPLES_OF_A_THREAD = 4 };

/* What of a group matters to the size of a part; bytes of one sample, but for constants. */
struct traffic {
    double most;      /* read and written by one node */
    double all;       /* written by all nodes */
    double constants; /* read by each part */
};

/* ---- how large ------------------------------------------------------------------------------- */

static double bytes_of(const struct bp_fact *fact)
{
    double bits = bp_dtype_bits(fact->dtype);

    for (uint32_t d = 0; d < fact->rank; d++)
        bits *= (double)fact->dims[d].value;
    return bits / 8;
}

static struct traffic measure(const struct bp_ir *ir, const struct bp_group *group,
                              const struct bp_fact *facts, const bool *has_batch, int64_t batch)
{
    struct traffic traffic = {0};

    for (uint32_t n = 0; n < group->n_nodes; n++) {
        const struct bp_ir_node *node = &ir->nodes[group->nodes[n]];
        double read = 0, written = 0;

        for (uint32_t i = 0; i < node->n_in; i++) {
            if (node->in[i] == BP_NONE)
                continue;
            if (has_batch[node->in[i]])
                read += bytes_of(&facts[node->in[i]]) / (double)batch;
            else
                traffic.constants += (double)ir->values[node->in[i]].data->size;
        }
        for (uint32_t i = 0; i < node->n_out; i++) {
            if (node->out[i] != BP_NONE)
                written += bytes_of(&facts[node->out[i]]) / (double)batch;
        }
        traffic.all += written;
        if (read + written > traffic.most)
            traffic.most = read + written;
    }
    return traffic;
}

/* Threads that the group's provider computes with, at most. */
static uint32_t threads_of(const struct bp_active *by)
{
    uint32_t width = bp_pool_width(by->services.pool);

    return by->services.threads && by->services.threads < width ? by->services.threads : width;
}

size_t bp_slices_cache;

/* The cache next to a core: what goes from node to node through it costs little. */
static double cache_bytes(void)
{
    if (bp_slices_cache)
        return (double)bp_slices_cache;
#ifdef _SC_LEVEL2_CACHE_SIZE
    long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);

    if (bytes > 0)
        return (double)bytes;
#endif
    return 1 << 20;
}

/*
 * Samples of a part: as many as the caches hold between two nodes, a divisor of the batch. More of
 * them where reading the constants again for each part would cost more than is won, and where
 * threads share the samples of a batch: they meet at each node. The whole batch: parts gain nothing.
 */
static int64_t part_of(const struct traffic *traffic, int64_t batch, uint32_t threads)
{
    double cache = cache_bytes() * threads;
    int64_t least = threads > 1 ? (int64_t)threads * SAMPLES_OF_A_THREAD : 1, part = 0;

    if (traffic->most * (double)batch <= cache)
        return batch;
    for (int64_t n = 1; n < batch; n++) {
        bool is_small = n < least || traffic->constants / (double)n > traffic->all;

        if (batch % n == 0 && !is_small && (part == 0 || traffic->most * (double)n <= cache))
            part = n;
    }
    return part ? part : batch;
}

/* ---- tensors --------------------------------------------------------------------------------- */

/* Gives tensors dims of their own, with the part's size; NULL: no memory. Else the bytes of each. */
static size_t *cut(struct bp_planning *p, bp_tensor *tensors, uint32_t n, int64_t batch,
                   int64_t part)
{
    size_t *steps = bp_region_array(&p->plan->region, (size_t)n + 1, sizeof *steps);

    for (uint32_t i = 0; steps && i < n; i++) {
        bp_tensor *tensor = &tensors[i];
        int64_t *dims = bp_region_array(&p->plan->region, tensor->rank, sizeof *dims);

        if (!dims)
            return NULL;
        memcpy(dims, tensor->dims, tensor->rank * sizeof *dims);
        dims[0] = part;
        steps[i] = tensor->bytes / (size_t)(batch / part);
        tensor->bytes = steps[i];
        tensor->dims = dims;
    }
    return steps;
}

/* The same of all values that have the batch, for the frame's shapes. */
static bp_rc cut_shapes(struct bp_planning *p, const struct bp_graph_view *view, bp_shape *shapes,
                        const bool *has_batch, int64_t part, bp_err *err)
{
    for (uint32_t v = 0; v < view->graph.n_values; v++) {
        int64_t *dims;

        if (!has_batch[view->value_of[v]])
            continue;
        dims = bp_region_array(&p->plan->region, shapes[v].rank, sizeof *dims);
        if (!dims)
            return bp_fail_nomem(err, "a plan");
        memcpy(dims, shapes[v].dims, shapes[v].rank * sizeof *dims);
        dims[0] = part;
        shapes[v].dims = dims;
    }
    return BP_OK;
}

/* A group in memory of its provider, or one whose sizes come with the data, has the whole batch. */
static bool may_be_cut(const struct bp_unit_frame *unit)
{
    return !unit->queue && !unit->has_dynamic_output && unit->desc.n_in > 0;
}

/* Was the provider told that the batch may have any size? A program for one size runs that size. */
static bool is_size_free(const struct bp_graph_view *view, const bool *has_batch)
{
    for (uint32_t v = 0; v < view->graph.n_values; v++) {
        const bp_value *value = BP_VALUE(&view->graph, v);

        if (has_batch[view->value_of[v]] && value->rank != BP_RANK_UNKNOWN &&
            value->dims[0].value >= 0)
            return false;
    }
    return true;
}

bp_rc bp_planning_slice(struct bp_planning *p, struct bp_unit_frame *unit, bp_shape *shapes,
                        bp_err *err)
{
    const struct bp_group *group = unit->unit->group;
    const struct bp_ir *ir = group->view->ir;
    const struct bp_fact *facts = p->plan->inferred.facts;
    bool *has_batch = bp_region_array(&p->frame->scratch, ir->n_values, sizeof *has_batch);
    struct bp_slices *slices;
    struct traffic traffic;
    int64_t batch, part;

    if (!has_batch)
        return bp_fail_nomem(err, "a plan");
    if (!may_be_cut(unit) ||
        !bp_is_per_sample(ir, group->nodes, group->n_nodes, facts, has_batch, &batch) ||
        !is_size_free(group->view, has_batch))
        return BP_OK;
    traffic = measure(ir, group, facts, has_batch, batch);
    part = part_of(&traffic, batch, threads_of(unit->unit->by));
    if (part == batch)
        return BP_OK;
    slices = bp_region_array(&p->plan->region, 1, sizeof *slices);
    if (!slices)
        return bp_fail_nomem(err, "a plan");
    slices->n = (uint32_t)(batch / part);
    slices->in = cut(p, unit->desc.in, unit->desc.n_in, batch, part);
    slices->out = cut(p, unit->desc.out, unit->desc.n_out, batch, part);
    if (!slices->in || !slices->out)
        return bp_fail_nomem(err, "a plan");
    unit->slices = slices;
    return cut_shapes(p, group->view, shapes, has_batch, part, err);
}

/* Of the whole tensors the host sees to it. */
bool bp_slices_suit(const struct bp_unit_frame *unit, const bp_frame_needs *needs)
{
    size_t align = needs->io_align ? needs->io_align : 1;
    bool ok = true;

    for (uint32_t i = 0; i < unit->desc.n_in; i++)
        ok = ok && unit->slices->in[i] % align == 0;
    for (uint32_t i = 0; i < unit->desc.n_out; i++)
        ok = ok && unit->slices->out[i] % align == 0;
    return ok;
}
