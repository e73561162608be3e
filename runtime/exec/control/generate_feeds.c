/* SPDX-License-Identifier: MIT */
/* generate_feeds.c - inputs of a decoder, kept from one run to the next. */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "exec/control/generate.h"

/* One cell and two buffers for each input of the subgraph; nothing is allocated for them yet. */
bp_rc bp_feeds_init(struct bp_generate_feeds *feeds, const struct bp_frame_state *frame, uint32_t n,
                    bp_err *err)
{
    const bp_allocator *allocator = bp_memory_allocator(frame->subgraph->memory);

    feeds->buffers = calloc((size_t)n + 1, sizeof *feeds->buffers);
    feeds->cells = calloc((size_t)n + 1, sizeof *feeds->cells);
    feeds->n = n;
    if (!feeds->buffers || !feeds->cells)
        return bp_fail_nomem(err, "a decoder's inputs");
    for (uint32_t i = 0; i < n; i++)
        feeds->buffers[i][0].allocator = feeds->buffers[i][1].allocator = allocator;
    return BP_OK;
}

void bp_feeds_finish(struct bp_generate_feeds *feeds)
{
    for (uint32_t i = 0; feeds->buffers && i < feeds->n; i++) {
        bp_dynamic_buffer_finish(&feeds->buffers[i][0]);
        bp_dynamic_buffer_finish(&feeds->buffers[i][1]);
    }
    free(feeds->buffers);
    free(feeds->cells);
    *feeds = (struct bp_generate_feeds){0};
}

/* Takes the buffer that does not hold the present input, as the new input may be made from that. */
bp_rc bp_feeds_alloc(struct bp_generate_feeds *feeds, uint32_t i, uint32_t dtype, uint32_t rank,
                     const int64_t *dims, void **out, bp_err *err)
{
    struct bp_dynamic_buffer *buffers = feeds->buffers[i];
    struct bp_dynamic_buffer *buffer =
        &buffers[feeds->cells[i].base && feeds->cells[i].base == buffers[0].data];
    size_t bytes;
    bp_rc rc;

    if (!bp_dense_bytes(dtype, dims, rank, &bytes))
        return bp_fail(err, BP_E_NOMEM, "a decoder's input is too large for this machine");
    rc = bp_dynamic_buffer_reserve(buffer, bytes, 0, err);
    if (rc < 0)
        return rc;
    memcpy(buffer->dims, dims, rank * sizeof *dims);
    feeds->cells[i] = (struct bp_cell){
        .base = buffer->data, .dims = buffer->dims, .bytes = bytes, .rank = rank, .dtype = dtype};
    *out = buffer->data;
    return BP_OK;
}

/*
 * Rows may be repeated or left out; each is copied as `row` bytes for each of the `outer` indices
 * before the axis.
 */
bp_rc bp_feeds_take(struct bp_generate_feeds *feeds, uint32_t i, const struct bp_cell *from,
                    uint32_t axis, const int32_t *rows, size_t per, size_t n, bp_err *err)
{
    size_t outer = (size_t)bp_dims_count(from->dims, axis);
    size_t row = (size_t)bp_dims_count(from->dims + axis + 1, from->rank - axis - 1) *
                 (bp_dtype_width(from->dtype) / 8);
    size_t n_from = (size_t)from->dims[axis];
    int64_t dims[BP_MAX_RANK];
    void *to;
    bp_rc rc;

    memcpy(dims, from->dims, from->rank * sizeof *dims);
    dims[axis] = (int64_t)n;
    rc = bp_feeds_alloc(feeds, i, from->dtype, from->rank, dims, &to, err);
    for (size_t o = 0; rc >= 0 && row > 0 && o < outer; o++) {
        for (size_t r = 0; r < n; r++) {
            size_t source = rows ? (size_t)rows[r] : r / per;

            memcpy((char *)to + (o * n + r) * row,
                   (const char *)from->base + (o * n_from + source) * row, row);
        }
    }
    return rc;
}
