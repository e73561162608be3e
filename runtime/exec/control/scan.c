/* SPDX-License-Identifier: MIT */
/* scan.c - Scan (opset 8 with a batch dimension; 9, 11, 16, 19 to 25 with axes). */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "exec/control/loop.h"
#include "exec/control/table.h"

/*
 * One tensor that is cut into slices, or put together from them, along an axis. Version 8 has a
 * batch dimension before everything, which counts as an outer index.
 */
struct strip {
    struct bp_cell all;        /* the whole tensor */
    char *slice;               /* buffer for a slice that is not contiguous; NULL: none is needed */
    int64_t dims[BP_MAX_RANK]; /* of a slice */
    size_t outer;              /* rows of a slice */
    size_t row;                /* bytes of one */
    bool is_reversed;
};

/* One execution of a Scan node. */
struct scan {
    struct bp_run_state *state;
    const struct bp_ir_node *node;
    struct bp_frame_state *child;
    struct bp_carried *carried;
    struct bp_kept *kept;
    struct strip *ins, *outs;
    uint32_t first, n_states, n_ins, n_outs;
    bool has_batch;
    int64_t batch, n_batches; /* version 8 */
    int64_t length;           /* of the scan inputs */
    int64_t rounds;           /* of the batch that is running: no more than that */
};

/* Element i of a list attribute; 0, every list's default, beyond its end. */
static int64_t listed(const struct bp_ir_node *node, const char *name, uint32_t i)
{
    uint32_t count;
    const int64_t *list = bp_ir_attr_ints(node, name, &count);

    return list && i < count ? list[i] : 0;
}

/* Dimension number i of an attribute, for a tensor of that rank. */
static bp_rc plain_axis(const struct scan *s, const char *name, uint32_t i, uint32_t rank,
                        uint32_t *out, bp_err *err)
{
    int64_t axis = listed(s->node, name, i);

    if (axis < -(int64_t)rank || axis >= (int64_t)rank)
        return bp_host_op_fail(s->node, err, BP_E_INVALID, "%s has %lld, the tensor has rank %u",
                               name, (long long)axis, rank);
    *out = (uint32_t)(axis < 0 ? axis + (int64_t)rank : axis);
    return BP_OK;
}

/* Solves the slices of `all` along an axis; dims are those of one batch. */
static bp_rc make_strip(const struct scan *s, struct strip *strip, const int64_t *dims,
                        uint32_t rank, uint32_t axis, bp_err *err)
{
    size_t bits = strip->all.dtype == BP_DTYPE_STRING ? sizeof(bp_span) * 8
                                                      : bp_dtype_width(strip->all.dtype);

    if (bits < 8)
        return bp_host_op_fail(s->node, err, BP_E_UNSUPPORTED,
                               "scanning types under 8 bits is not implemented");
    strip->outer = (size_t)bp_dims_count(dims, axis);
    strip->row = (size_t)bp_dims_count(dims + axis + 1, rank - axis - 1) * (bits / 8);
    for (uint32_t d = 0, to = 0; d < rank; d++) {
        if (d != axis)
            strip->dims[to++] = dims[d];
    }
    return BP_OK;
}

/*
 * Bytes from one slice's row to the next slice's row at the same place are `row`. Backwards begins
 * at the end of the batch's own sequence.
 */
static char *strip_at(const struct scan *s, const struct strip *strip, int64_t round)
{
    int64_t at = strip->is_reversed ? s->rounds - 1 - round : round;
    size_t batch = strip->outer * (size_t)s->length * strip->row;

    return (char *)strip->all.base + (size_t)s->batch * batch + (size_t)at * strip->row;
}

/*
 * Slice `round` of an input: shown in place where it is contiguous, else gathered into
 * strip->slice.
 */
static struct bp_cell cut(const struct scan *s, struct strip *strip, int64_t round)
{
    struct bp_cell cell = {.base = strip_at(s, strip, round),
                           .dims = strip->dims,
                           .bytes = strip->outer * strip->row,
                           .rank = strip->all.rank - (s->has_batch ? 2 : 1),
                           .dtype = strip->all.dtype};

    if (!strip->slice)
        return cell;
    for (size_t i = 0; i < strip->outer && strip->row; i++)
        memcpy(strip->slice + i * strip->row,
               (char *)cell.base + i * (size_t)s->length * strip->row, strip->row);
    cell.base = strip->slice;
    return cell;
}

/* Writes a slice into the whole output; the reverse of cut(). */
static void paste(const struct scan *s, const struct strip *strip, int64_t round, const void *from)
{
    char *to = strip_at(s, strip, round);

    for (size_t i = 0; i < strip->outer && strip->row; i++)
        memcpy(to + i * (size_t)s->length * strip->row, (const char *)from + i * strip->row,
               strip->row);
}

/* ---- inputs ---------------------------------------------------------------------------------- */

/* Scan input i: its axis and direction, and that its length is the others'. */
static bp_rc start_input(struct scan *s, uint32_t i, bp_err *err)
{
    struct strip *strip = &s->ins[i];
    const struct bp_cell *cell = bp_host_op_input(s->state, s->node, s->first + s->n_states + i);
    uint32_t skip = s->has_batch ? 1 : 0, axis = 0;
    void *slice;
    bp_rc rc = BP_OK;

    strip->all = *cell;
    if (cell->rank < 1 + skip)
        rc = bp_host_op_fail(s->node, err, BP_E_SHAPE, "scan input %u has rank %u", i, cell->rank);
    else if (!s->has_batch)
        rc = plain_axis(s, "scan_input_axes", i, cell->rank, &axis, err);
    if (rc < 0)
        return rc;
    strip->is_reversed =
        listed(s->node, s->has_batch ? "directions" : "scan_input_directions", i) == 1;
    if (i == 0)
        s->length = cell->dims[skip + axis];
    if (cell->dims[skip + axis] != s->length || (s->has_batch && cell->dims[0] != s->n_batches))
        return bp_host_op_fail(s->node, err, BP_E_SHAPE,
                               "scan input %u has %lld slices, the first has %lld", i,
                               (long long)cell->dims[skip + axis], (long long)s->length);
    rc = make_strip(s, strip, cell->dims + skip, cell->rank - skip, axis, err);
    if (rc >= 0 && strip->outer > 1) {
        rc = bp_block_alloc(bp_memory_allocator(s->state->frame->subgraph->memory),
                            strip->outer * strip->row, &slice, err);
        strip->slice = slice;
    }
    return rc;
}

/* Bytes of the elements, whatever lies after them. */
static size_t dense_bytes(const struct bp_cell *cell)
{
    size_t bytes = 0;

    (void)bp_dense_bytes(cell->dtype, cell->dims, cell->rank, &bytes);
    return bytes;
}

/* State i of the batch that is running, which is one entry of the input's first dimension. */
static bp_rc start_state(struct scan *s, uint32_t i, bp_err *err)
{
    struct bp_cell cell = *bp_host_op_input(s->state, s->node, s->first + i);

    if (s->has_batch) {
        if (cell.rank < 1 || cell.dims[0] != s->n_batches || bp_dtype_width(cell.dtype) % 8 != 0)
            return bp_host_op_fail(s->node, err, BP_E_SHAPE,
                                   "state %u has another batch size than the scan inputs", i);
        cell.dims++;
        cell.rank--;
        cell.bytes = dense_bytes(&cell);
        cell.base = (char *)cell.base + (size_t)s->batch * cell.bytes;
    }
    bp_carry_start(&s->carried[i], &cell);
    return BP_OK;
}

/* Counts inputs and outputs. Version 8 has sequence_lens as its first input. */
static bp_rc start(struct scan *s, const struct bp_unit *unit, bp_err *err)
{
    bp_rc rc;

    s->has_batch = s->node->schema->since < 9;
    s->first = s->has_batch ? 1 : 0;
    s->n_ins = (uint32_t)bp_ir_attr_int(s->node, "num_scan_inputs", 1);
    s->n_states = s->node->n_in - s->first - s->n_ins;
    s->n_outs = s->node->n_out - s->n_states;
    s->n_batches = 1;
    if (s->has_batch)
        s->n_batches = bp_host_op_input(s->state, s->node, s->first + s->n_states)->dims[0];
    s->ins = calloc((size_t)s->n_ins + 1, sizeof *s->ins);
    s->outs = calloc((size_t)s->n_outs + 1, sizeof *s->outs);
    if (!s->ins || !s->outs)
        return bp_fail_nomem(err, "a scan");
    rc = bp_host_op_named_subgraph(s->state, unit, "body", &s->child, err);
    if (rc >= 0)
        rc = bp_frame_state_carried(s->state->frame, unit, &s->carried, err);
    for (uint32_t i = 0; rc >= 0 && i < s->n_ins; i++)
        rc = start_input(s, i, err);
    return rc;
}

/* ---- outputs --------------------------------------------------------------------------------- */

/* Room for all of scan output i, now that a round tells the shape of a slice (NULL: none has). */
static bp_rc start_output(struct scan *s, uint32_t i, const struct bp_cell *made, bp_err *err)
{
    uint32_t skip = s->has_batch ? 1 : 0, rank = made->rank + 1, axis = 0;
    struct strip *strip = &s->outs[i];
    int64_t dims[BP_MAX_RANK + 2];
    bp_rc rc = BP_OK;

    if (bp_cell_kind(made) != BP_KIND_TENSOR)
        return bp_host_op_fail(s->node, err, BP_E_INVALID, "scan output %u is not a tensor", i);
    if (made->rank + 1 + skip > BP_MAX_RANK)
        return bp_host_op_fail(s->node, err, BP_E_SHAPE, "a scan output has too many dimensions");
    if (!s->has_batch)
        rc = plain_axis(s, "scan_output_axes", i, rank, &axis, err);
    if (rc < 0)
        return rc;
    dims[0] = s->n_batches;
    for (uint32_t d = 0; d < rank; d++)
        dims[skip + d] = d < axis ? made->dims[d] : d == axis ? s->length : made->dims[d - 1];
    rc = bp_host_op_alloc_output(s->state, s->node, s->n_states + i, made->dtype, rank + skip, dims,
                                 &strip->all, err);
    if (rc < 0)
        return rc;
    strip->is_reversed = !s->has_batch && listed(s->node, "scan_output_directions", i) == 1;
    strip->all.dtype = made->dtype;
    if (strip->all.bytes)
        memset(strip->all.base, 0, strip->all.bytes); /* what sequence_lens leaves out */
    return make_strip(s, strip, dims + skip, rank, axis, err);
}

/* All rounds make slices of one type and shape. */
static bool same_dims(const struct strip *strip, const struct scan *s, const struct bp_cell *made)
{
    return made->dtype == strip->all.dtype &&
           made->rank + (s->has_batch ? 2 : 1) == strip->all.rank &&
           bp_same_dims(strip->dims, made->dims, made->rank);
}

/* Scan output i of a round; the first one allocates it. */
static bp_rc take_output(struct scan *s, uint32_t i, int64_t round, bp_err *err)
{
    const struct bp_cell *made = &s->child->cells[s->child->subgraph->ir->outputs[s->n_states + i]];
    struct strip *strip = &s->outs[i];
    struct bp_cell cell;
    bp_rc rc = BP_OK;

    if (s->node->out[s->n_states + i] == BP_NONE)
        return BP_OK;
    if (!strip->all.base)
        rc = start_output(s, i, made, err);
    else if (!same_dims(strip, s, made))
        rc = bp_host_op_fail(s->node, err, BP_E_SHAPE,
                             "scan output %u has another shape in round %lld than before", i,
                             (long long)round);
    if (rc >= 0)
        rc = bp_keep_text(&s->kept, made, &cell, err);
    if (rc >= 0)
        paste(s, strip, round, cell.base);
    return rc;
}

/* Output i of a scan that never ran has the shape that the plan says. */
static bp_rc empty_output(struct scan *s, uint32_t i, struct bp_cell *out, bp_err *err)
{
    const struct bp_cell *planned = &s->state->plan->planned[s->node->out[i]];
    int64_t none[1] = {0};
    bool is_known = planned->rank != BP_RANK_UNKNOWN;

    return bp_host_op_alloc_output(s->state, s->node, i, planned->dtype,
                                   is_known ? planned->rank : 1, is_known ? planned->dims : none,
                                   out, err);
}

/* ---- the run --------------------------------------------------------------------------------- */

/* One iteration: states and slices in, states and slices out. */
static bp_rc run_round(struct scan *s, int64_t round, bp_err *err)
{
    const struct bp_ir *ir = s->child->subgraph->ir;
    bp_rc rc = bp_run_check(s->state->shared, err);

    for (uint32_t i = 0; i < s->n_states; i++)
        s->child->cells[ir->inputs[i]] = s->carried[i].cell;
    for (uint32_t i = 0; i < s->n_ins; i++)
        s->child->cells[ir->inputs[s->n_states + i]] = cut(s, &s->ins[i], round);
    for (uint32_t i = 0; rc >= 0 && i < s->n_states; i++)
        rc = bp_carry_ask(&s->carried[i], s->child, ir->outputs[i], err);
    if (rc >= 0)
        rc = bp_subgraph_run(s->child, s->state->shared, err);
    for (uint32_t i = 0; rc >= 0 && i < s->n_states; i++)
        rc = bp_carry(&s->carried[i], &s->child->cells[ir->outputs[i]], err);
    for (uint32_t i = 0; rc >= 0 && i < s->n_outs; i++)
        rc = take_output(s, i, round, err);
    return rc;
}

/*
 * The final states of a batch have one shape in all of them; they are stored one after the other.
 */
static bp_rc join_state(struct scan *s, uint32_t i, const struct bp_cell *made, bp_err *err)
{
    struct bp_dynamic_buffer *all = &s->state->frame->dynamic_outputs[s->node->out[i]];
    int64_t dims[BP_MAX_RANK + 1] = {s->n_batches};
    size_t bytes = dense_bytes(made);
    struct bp_cell cell;
    bp_rc rc = BP_OK;

    if (made->rank)
        memcpy(dims + 1, made->dims, made->rank * sizeof *dims);
    if (s->batch == 0)
        rc = bp_host_op_alloc_output(s->state, s->node, i, made->dtype, made->rank + 1, dims, &cell,
                                     err);
    else if (all->rank != made->rank + 1 || memcmp(all->dims, dims, all->rank * sizeof *dims) != 0)
        rc = bp_host_op_fail(s->node, err, BP_E_SHAPE, "state %u has another shape in batch %lld",
                             i, (long long)s->batch);
    if (rc >= 0)
        rc = bp_keep_text(&s->kept, made, &cell, err);
    if (rc >= 0 && bytes)
        memcpy((char *)all->data + (size_t)s->batch * bytes, cell.base, bytes);
    return rc;
}

/* Final state i of the batch that has run. */
static bp_rc keep_state(struct scan *s, uint32_t i, bp_err *err)
{
    uint32_t value = i < s->node->n_out ? s->node->out[i] : BP_NONE;
    const struct bp_dynamic_buffer *all;
    struct bp_cell cell;
    bp_rc rc;

    if (!s->has_batch)
        return bp_carry_end(s->state, s->node, i, &s->carried[i], err);
    if (value == BP_NONE)
        return BP_OK;
    rc = join_state(s, i, &s->carried[i].cell, err);
    if (rc < 0 || s->batch < s->n_batches - 1)
        return rc;
    all = &s->state->frame->dynamic_outputs[value];
    cell = (struct bp_cell){.base = all->data,
                            .dims = all->dims,
                            .bytes = all->bytes,
                            .rank = all->rank,
                            .dtype = s->carried[i].cell.dtype};
    return bp_give_text(s->state, value, &cell, err);
}

/* Rounds of the batch that is running: sequence_lens of version 8 may say fewer. */
static bp_rc count_rounds(struct scan *s, bp_err *err)
{
    const struct bp_cell *lens = s->has_batch ? bp_host_op_input(s->state, s->node, 0) : NULL;

    s->rounds = s->length;
    if (!lens)
        return BP_OK;
    if (lens->rank != 1 || lens->dims[0] != s->n_batches)
        return bp_host_op_fail(s->node, err, BP_E_SHAPE,
                               "sequence_lens needs %lld entries, one a batch",
                               (long long)s->n_batches);
    s->rounds = ((const int64_t *)lens->base)[s->batch];
    if (s->rounds < 0 || s->rounds > s->length)
        return bp_host_op_fail(s->node, err, BP_E_INVALID,
                               "sequence_lens has %lld for batch %lld, sequences have %lld",
                               (long long)s->rounds, (long long)s->batch, (long long)s->length);
    return BP_OK;
}

/* Version 8 runs the whole scan for each batch entry; later versions have one. */
static bp_rc run_batch(struct scan *s, bp_err *err)
{
    bp_rc rc = count_rounds(s, err);

    for (uint32_t i = 0; rc >= 0 && i < s->n_states; i++)
        rc = start_state(s, i, err);
    for (int64_t round = 0; rc >= 0 && round < s->rounds; round++)
        rc = run_round(s, round, err);
    for (uint32_t i = 0; rc >= 0 && i < s->n_states; i++)
        rc = keep_state(s, i, err);
    return rc;
}

/* Gives scan output i to its readers, after the last batch. */
static bp_rc set_output(struct scan *s, uint32_t i, bp_err *err)
{
    uint32_t value = s->node->out[s->n_states + i];
    bp_rc rc = BP_OK;

    if (value == BP_NONE)
        return BP_OK;
    if (!s->outs[i].all.base)
        rc = empty_output(s, s->n_states + i, &s->outs[i].all, err);
    return rc < 0 ? rc : bp_give_text(s->state, value, &s->outs[i].all, err);
}

/* State i of an empty batch. */
static bp_rc set_no_state(struct scan *s, uint32_t i, bp_err *err)
{
    struct bp_cell cell;
    bp_rc rc;

    if (s->node->out[i] == BP_NONE)
        return BP_OK;
    rc = empty_output(s, i, &cell, err);
    return rc < 0 ? rc : bp_run_set(s->state, s->node->out[i], &cell, err);
}

static void finish(struct scan *s)
{
    for (uint32_t i = 0; s->ins && i < s->n_ins; i++)
        bp_block_free(bp_memory_allocator(s->state->frame->subgraph->memory), s->ins[i].slice);
    free(s->ins);
    free(s->outs);
    bp_forget_text(s->kept);
}

/* With no batch entry at all, states are empty and outputs have the shapes of the plan. */
bp_rc bp_host_op_scan(struct bp_run_state *state, const struct bp_unit *unit, bp_err *err)
{
    struct scan s = {.state = state, .node = bp_host_op_node(state, unit)};
    bp_rc rc = start(&s, unit, err);

    for (s.batch = 0; rc >= 0 && s.batch < s.n_batches; s.batch++)
        rc = run_batch(&s, err);
    s.batch = 0;
    for (uint32_t i = 0; rc >= 0 && s.n_batches == 0 && i < s.n_states; i++)
        rc = set_no_state(&s, i, err);
    for (uint32_t i = 0; rc >= 0 && i < s.n_outs; i++)
        rc = set_output(&s, i, err);
    finish(&s);
    return rc;
}
