/* SPDX-License-Identifier: MIT */
/* dynamic_output.c - buffers for outputs whose sizes are known only after their kernels ran. */

#include "config.h"

#include <string.h>

#include "base/block.h"
#include "compile/subgraph_memory.h"
#include "exec/frame.h"

/*
 * The capacity for so many bytes. It grows to twice what it was where elements are kept, so that n
 * appends copy O(n) bytes.
 */
static size_t next_cap(const struct bp_dynamic_buffer *buffer, size_t bytes, size_t keep)
{
    size_t cap = bytes ? bytes : 1;

    if (buffer->data && buffer->cap >= bytes)
        return buffer->cap;
    if (keep > 0 && buffer->cap < PTRDIFF_MAX / 2 && cap < buffer->cap * 2)
        cap = buffer->cap * 2;
    return cap;
}

/* Aligned to 64 bytes, as arenas are. */
bp_rc bp_dynamic_buffer_reserve(struct bp_dynamic_buffer *buffer, size_t bytes, size_t keep,
                                bp_err *err)
{
    size_t cap = next_cap(buffer, bytes, keep);
    void *data;
    bp_rc rc;

    if (buffer->data && cap == buffer->cap)
        return BP_OK;
    rc = bp_block_alloc(buffer->allocator, cap, &data, err);
    if (rc < 0)
        return rc;
    if (keep > 0)
        memcpy(data, buffer->data, keep);
    bp_block_free(buffer->allocator, buffer->data);
    buffer->data = data;
    buffer->cap = cap;
    return BP_OK;
}

void bp_dynamic_buffer_finish(struct bp_dynamic_buffer *buffer)
{
    bp_block_free(buffer->allocator, buffer->data);
    buffer->data = NULL;
    buffer->cap = 0;
}

/* Sizes are copied, as those of `made` belong to a frame that runs again. */
void bp_dynamic_buffer_show(struct bp_dynamic_buffer *buffer, const struct bp_cell *made,
                            struct bp_cell *out)
{
    if (made->rank)
        memcpy(buffer->dims, made->dims, made->rank * sizeof *made->dims);
    buffer->rank = made->rank;
    buffer->bytes = made->bytes;
    *out = *made;
    out->object = NULL;
    out->base = buffer->data;
    out->dims = buffer->dims;
}

/* Strings need memory for their text too, which bp_tensor_whole_bytes() counts. */
bp_rc bp_dynamic_buffer_copy(struct bp_dynamic_buffer *buffer, const struct bp_cell *from,
                             struct bp_cell *out, bp_err *err)
{
    bp_tensor tensor = bp_cell_tensor(from);
    size_t bytes;
    bp_rc rc = bp_tensor_whole_bytes(&tensor, &bytes, err);

    if (rc >= 0)
        rc = bp_dynamic_buffer_reserve(buffer, bytes, 0, err);
    if (rc < 0)
        return rc;
    bp_tensor_copy_to(&tensor, buffer->data);
    bp_dynamic_buffer_show(buffer, from, out);
    return BP_OK;
}

/* Charges to the value's provider what the buffer grows by; buffers never shrink. */
bp_rc bp_frame_state_reserve(struct bp_frame_state *frame, uint32_t value, size_t bytes,
                             size_t keep, bp_err *err)
{
    struct bp_dynamic_buffer *buffer = &frame->dynamic_outputs[value];
    size_t before = buffer->cap, cap = next_cap(buffer, bytes, keep);
    bp_rc rc;

    if (cap > before) {
        rc = bp_memory_grow(frame->subgraph, value, cap - before, err);
        if (rc < 0)
            return rc;
    }
    rc = bp_dynamic_buffer_reserve(buffer, bytes, keep, err);
    if (rc < 0 && cap > before)
        bp_memory_shrink(frame->subgraph, value, cap - before);
    return rc;
}

/* The same without what was there, and with the value's name in the error. */
bp_rc bp_frame_state_grow(struct bp_frame_state *frame, uint32_t value, size_t bytes,
                          struct bp_dynamic_buffer **out, bp_err *err)
{
    bp_rc rc = bp_frame_state_reserve(frame, value, bytes, 0, err);

    *out = &frame->dynamic_outputs[value];
    return rc < 0 ? bp_fail_in(err, rc, "'%s'", frame->subgraph->ir->values[value].name) : rc;
}
