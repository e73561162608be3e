/* SPDX-License-Identifier: MIT */
/*
 * split_to_sequence.c - SplitToSequence (opsets 11, 24) and ConcatFromSequence (11): tensors split
 * and concatenated.
 */

#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "exec/control/host_op.h"
#include "exec/control/table.h"

/* A tensor as rows across an axis: `outer` of them, each of dims[axis] times `inner` bytes. */
struct rows {
    size_t outer, inner;
};

static struct rows rows_of(uint32_t dtype, const int64_t *dims, uint32_t rank, uint32_t axis)
{
    size_t width = dtype == BP_DTYPE_STRING ? sizeof(bp_span) : bp_dtype_width(dtype) / 8;

    return (struct rows){(size_t)bp_dims_count(dims, axis),
                         (size_t)bp_dims_count(dims + axis + 1, rank - axis - 1) * width};
}

/* n runs of `bytes`, each at a stride of its own in source and destination. */
static void copy_rows(char *to, size_t to_stride, const char *from, size_t from_stride,
                      size_t bytes, size_t n)
{
    for (size_t i = 0; i < n && bytes; i++)
        memcpy(to + i * to_stride, from + i * from_stride, bytes);
}

/* ---- SplitToSequence ------------------------------------------------------------------------- */

enum { MAX_PIECES = 1 << 24 }; /* a tensor without elements may have many, each an object */

/* One execution of a SplitToSequence node. */
struct split {
    const bp_allocator *allocator; /* of the pieces */
    const struct bp_ir_node *node;
    const struct bp_cell *in, *sizes; /* sizes: NULL where each piece has `size` */
    uint32_t axis;
    int64_t size;
    uint32_t n;
    bool drops_axis; /* pieces of size 1 without the axis */
};

/* Element i of an int32 or int64 tensor. */
static int64_t whole_at(const struct bp_cell *cell, int64_t i)
{
    return cell->dtype == BP_DTYPE_I64 ? ((const int64_t *)cell->base)[i]
                                       : ((const int32_t *)cell->base)[i];
}

/* The last piece is smaller where a scalar `split` does not divide the axis. */
static int64_t size_of_piece(const struct split *s, uint32_t i)
{
    int64_t left;

    if (s->sizes)
        return whole_at(s->sizes, i);
    left = s->in->dims[s->axis] - (int64_t)i * s->size;
    return left < s->size ? left : s->size;
}

/* The sum of the sizes must be the size of the axis. */
static bp_rc check_sizes(struct split *s, bp_err *err)
{
    int64_t sum = 0, dim = s->in->dims[s->axis];

    s->n = (uint32_t)bp_dims_count(s->sizes->dims, s->sizes->rank);
    for (uint32_t i = 0; i < s->n; i++) {
        int64_t size = whole_at(s->sizes, i);

        if (size < 0 || size > dim - sum)
            return bp_host_op_fail(s->node, err, BP_E_INVALID,
                                   "split has %" PRId64 " at place %u, %" PRId64 " are left", size,
                                   i, dim - sum);
        sum += size;
    }
    if (sum != dim)
        return bp_host_op_fail(s->node, err, BP_E_INVALID,
                               "split adds up to %" PRId64 ", the axis has %" PRId64, sum, dim);
    return BP_OK;
}

/* Axis, sizes and number of pieces, checked. keepdims counts only without `split`. */
static bp_rc solve_split(const struct bp_run_state *state, struct split *s, bp_err *err)
{
    const struct bp_cell *split = bp_host_op_input(state, s->node, 1);
    int64_t axis = bp_ir_attr_int(s->node, "axis", 0), dim;

    s->in = bp_host_op_input(state, s->node, 0);
    if (s->in->rank == 0 || axis < -(int64_t)s->in->rank || axis >= (int64_t)s->in->rank)
        return bp_host_op_fail(s->node, err, BP_E_INVALID, "axis is %" PRId64 ", the rank %u", axis,
                               s->in->rank);
    if (s->in->dtype != BP_DTYPE_STRING && bp_dtype_width(s->in->dtype) < 8)
        return bp_host_op_fail(s->node, err, BP_E_UNSUPPORTED,
                               "types under 8 bits cannot be split");
    s->axis = (uint32_t)(axis < 0 ? axis + (int64_t)s->in->rank : axis);
    dim = s->in->dims[s->axis];
    s->size = 1;
    s->drops_axis = !split && bp_ir_attr_int(s->node, "keepdims", 1) == 0;
    if (split && split->rank > 0) {
        s->sizes = split;
        return check_sizes(s, err);
    }
    if (split)
        s->size = whole_at(split, 0);
    if (s->size < 1)
        return bp_host_op_fail(s->node, err, BP_E_INVALID, "split is %" PRId64, s->size);
    if (dim > 0 && (dim - 1) / s->size + 1 > MAX_PIECES)
        return bp_host_op_fail(s->node, err, BP_E_NOMEM, "that would make too many pieces");
    s->n = dim > 0 ? (uint32_t)((dim - 1) / s->size + 1) : 0;
    return BP_OK;
}

/* Piece i, which begins at `from` along the axis. */
static bp_rc make_piece(const struct split *s, int64_t from, int64_t size, bp_object **out,
                        bp_err *err)
{
    struct rows rows = rows_of(s->in->dtype, s->in->dims, s->in->rank, s->axis);
    int64_t dims[BP_MAX_RANK];
    uint32_t rank = 0;
    bp_tensor piece, own;
    bp_rc rc;

    for (uint32_t d = 0; d < s->in->rank; d++) {
        if (d != s->axis || !s->drops_axis)
            dims[rank++] = d == s->axis ? size : s->in->dims[d];
    }
    rc = bp_tensor_alloc_block(s->allocator, s->in->dtype, dims, rank, &piece, err);
    if (rc < 0)
        return rc;
    copy_rows(piece.base, (size_t)size * rows.inner,
              (const char *)s->in->base + (size_t)from * rows.inner,
              (size_t)s->in->dims[s->axis] * rows.inner, (size_t)size * rows.inner, rows.outer);
    if (s->in->dtype != BP_DTYPE_STRING)
        return bp_object_adopt(&piece, out, err);
    rc = bp_tensor_copy(&piece, &own, err); /* with the text, that the object may outlive */
    bp_tensor_free(&piece);
    return rc < 0 ? rc : bp_object_adopt(&own, out, err);
}

/* Each piece is an object of its own: a tensor in the middle of an axis is not contiguous. */
bp_rc bp_host_op_split_to_sequence(struct bp_run_state *state, const struct bp_unit *unit,
                                   bp_err *err)
{
    struct split s = {.node = bp_host_op_node(state, unit),
                      .allocator = bp_host_op_allocator(state)};
    bp_object *sequence;
    int64_t from = 0;
    bp_rc rc = solve_split(state, &s, err);

    if (rc >= 0)
        rc = bp_object_new(BP_KIND_SEQUENCE, s.n, &sequence, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; rc >= 0 && i < s.n; i++) {
        rc = make_piece(&s, from, size_of_piece(&s, i), &sequence->items[i], err);
        from += size_of_piece(&s, i);
    }
    if (rc >= 0)
        return bp_host_op_set_object(state, s.node, 0, sequence, err);
    bp_object_release(sequence);
    return rc;
}

/* ---- ConcatFromSequence ---------------------------------------------------------------------- */

/* One execution of a ConcatFromSequence node. */
struct join {
    const struct bp_ir_node *node;
    const bp_object *in;
    int64_t dims[BP_MAX_RANK]; /* of the result */
    uint32_t rank, axis;
    bool is_new; /* the axis is one that the items do not have */
};

/* Adds item i to dims[axis], and checks the others. */
static bp_rc add_item(struct join *j, uint32_t i, bp_err *err)
{
    const bp_tensor *item = &j->in->items[i]->tensor;

    if (j->in->items[i]->kind != BP_KIND_TENSOR || item->dtype != j->in->items[0]->tensor.dtype)
        return bp_host_op_fail(j->node, err, BP_E_INVALID, "item %u is of another type than item 0",
                               i);
    if (item->rank + (j->is_new ? 1 : 0) != j->rank)
        return bp_host_op_fail(j->node, err, BP_E_SHAPE, "item %u has another rank than item 0", i);
    for (uint32_t d = 0; d < item->rank; d++) {
        uint32_t to = j->is_new && d >= j->axis ? d + 1 : d;

        if ((j->is_new || d != j->axis) && item->dims[d] != j->dims[to])
            return bp_host_op_fail(j->node, err, BP_E_SHAPE,
                                   "item %u has size %" PRId64
                                   " in dimension %u, item 0 has %" PRId64,
                                   i, item->dims[d], d, j->dims[to]);
    }
    if (__builtin_add_overflow(j->dims[j->axis], j->is_new ? 1 : item->dims[j->axis],
                               &j->dims[j->axis]))
        return bp_host_op_fail(j->node, err, BP_E_SHAPE, "the result is too large");
    return BP_OK;
}

/* The result's shape, from all items. Type and rank are those of item 0. */
static bp_rc solve_join(const struct bp_run_state *state, struct join *j, bp_err *err)
{
    const struct bp_cell *cell = bp_host_op_input(state, j->node, 0);
    int64_t axis = bp_ir_attr_int(j->node, "axis", 0);
    const bp_tensor *first;
    bp_rc rc = BP_OK;

    j->in = cell ? cell->object : NULL;
    j->is_new = bp_ir_attr_int(j->node, "new_axis", 0) != 0;
    if (!j->in || j->in->kind != BP_KIND_SEQUENCE || j->in->n == 0)
        return bp_host_op_fail(j->node, err, BP_E_INVALID, "there are no tensors to put together");
    first = &j->in->items[0]->tensor;
    j->rank = first->rank + (j->is_new ? 1 : 0);
    if (j->rank == 0 || j->rank > BP_MAX_RANK || axis < -(int64_t)j->rank ||
        axis >= (int64_t)j->rank)
        return bp_host_op_fail(j->node, err, BP_E_INVALID,
                               "axis is %" PRId64 ", the result has rank %u", axis, j->rank);
    if (first->dtype != BP_DTYPE_STRING && bp_dtype_width(first->dtype) < 8)
        return bp_host_op_fail(j->node, err, BP_E_UNSUPPORTED,
                               "types under 8 bits cannot be joined");
    j->axis = (uint32_t)(axis < 0 ? axis + (int64_t)j->rank : axis);
    for (uint32_t d = 0, from = 0; d < j->rank; d++)
        j->dims[d] = j->is_new && d == j->axis ? 0 : first->dims[from++];
    j->dims[j->axis] = 0;
    for (uint32_t i = 0; rc >= 0 && i < j->in->n; i++)
        rc = add_item(j, i, err);
    return rc;
}

/* ConcatFromSequence-11: Concat along an axis, or (new_axis) Stack. */
bp_rc bp_host_op_concat_from_sequence(struct bp_run_state *state, const struct bp_unit *unit,
                                      bp_err *err)
{
    struct join j = {.node = bp_host_op_node(state, unit)};
    struct bp_cell out;
    struct rows rows;
    size_t at = 0;
    bp_rc rc = solve_join(state, &j, err);

    if (rc >= 0)
        rc = bp_host_op_alloc_output(state, j.node, 0, j.in->items[0]->tensor.dtype, j.rank, j.dims,
                                     &out, err);
    if (rc < 0)
        return rc;
    rows = rows_of(out.dtype, out.dims, out.rank, j.axis);
    for (uint32_t i = 0; i < j.in->n; i++) {
        const bp_tensor *item = &j.in->items[i]->tensor;
        size_t bytes = (size_t)(j.is_new ? 1 : item->dims[j.axis]) * rows.inner;

        copy_rows((char *)out.base + at, (size_t)out.dims[j.axis] * rows.inner, item->base, bytes,
                  bytes, rows.outer);
        at += bytes;
    }
    return bp_run_set(state, j.node->out[0], &out, err);
}
