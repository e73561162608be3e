/* SPDX-License-Identifier: MIT */
/*
 * run_memory.c - memory that a call allocates during a run: outputs whose size comes with the data,
 * and strings.
 *
 * Blocks of an earlier run are replaced by one of their total size, so that a run that repeats
 * allocates nothing.
 */

#include "program.h"

/* The memory of one call; between runs it keeps as much as one of them has needed. */
struct bp_cpu_run_memory {
    struct bp_blocks memory;
    size_t used; /* bytes that run number run_number has taken */
    uint64_t run_number;
};

enum { ALIGN = 64 };

/* Forgets what an earlier run took, but keeps the capacity, in one block. */
static void begin_run(struct bp_cpu_run_memory *own, uint64_t run_number)
{
    if (own->used > 0) {
        size_t used = own->used;

        if (!bp_blocks_rewind(&own->memory)) {
            bp_blocks_free(&own->memory);
            (void)bp_blocks_get(&own->memory, used);
            (void)bp_blocks_rewind(&own->memory);
        }
    }
    own->used = 0;
    own->run_number = run_number;
}

/*
 * The first request of a run is noticed by the frame's run number; operators need not say that a
 * run begins.
 */
void *bp_cpu_run_memory(struct bp_cpu_call *call, size_t bytes)
{
    struct bp_cpu_run_memory *own = call->run_memory;

    if (!own) {
        own = bp_blocks_get(call->memory, sizeof *own);
        if (!own)
            return NULL;
        own->memory.host = call->node->host;
        own->memory.is_dirty = true; /* as it is anyway from the second run on */
        call->run_memory = own;
    }
    if (own->run_number != *call->run_number)
        begin_run(own, *call->run_number);
    if (bytes > SIZE_MAX / 4 || own->used > SIZE_MAX / 4)
        return NULL;
    own->used += (bytes + ALIGN - 1) / ALIGN * ALIGN;
    return bp_blocks_get(&own->memory, bytes);
}

void bp_cpu_run_memory_finish(struct bp_cpu_call *call)
{
    if (call->run_memory)
        bp_blocks_free(&call->run_memory->memory);
}

/* An output that is not an output of the group: it lies in the call's own memory. */
static bp_rc alloc_inside(struct bp_cpu_call *call, bp_tensor *tensor, uint32_t rank,
                          const int64_t *dims, bp_err *err)
{
    size_t bytes;
    int64_t *own_dims = bp_cpu_run_memory(call, rank * sizeof *dims);
    bp_shape shape = {dims, rank, tensor->dtype};
    void *base;

    if (!bp_cpu_shape_bytes(&shape, &bytes))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "an output is too large");
    base = bp_cpu_run_memory(call, bytes);
    if (!own_dims || !base)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for an output of %zu bytes",
                           bytes);
    if (rank)
        memcpy(own_dims, dims, rank * sizeof *dims);
    tensor->base = base;
    tensor->offset = 0;
    tensor->dims = own_dims;
    tensor->rank = rank;
    tensor->bytes = bytes;
    return BP_OK;
}

bp_rc bp_cpu_alloc_output(struct bp_cpu_call *call, uint32_t out, uint32_t rank,
                          const int64_t *dims, bp_err *err)
{
    const bp_graph *graph = call->node->graph;
    uint32_t value = call->node->node->out[out];

    if (call->alloc)
        return call->alloc(call, out, rank, dims, err);
    for (uint32_t i = 0; i < graph->n_outputs; i++) {
        if (graph->outputs[i] == value)
            return call->desc->alloc_output(call->desc->h, i, rank, dims, err);
    }
    call->out[out]->dtype = BP_VALUE(graph, value)->dtype;
    return alloc_inside(call, call->out[out], rank, dims, err);
}
