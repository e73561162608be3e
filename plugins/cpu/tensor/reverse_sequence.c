/* SPDX-License-Identifier: MIT */
/*
 * reverse_sequence.c - ReverseSequence (ai.onnx, opsets 10, 28).
 *
 * Y[b][t] = X[b][len[b] - 1 - t] for t < len[b], else X[b][t]
 *
 * X has rank 2 or more; its first two dimensions are batch and time, in the order that batch_axis
 * and time_axis give. Input 1: int64 sequence_lens, one for each batch, in 0..size of the time
 * axis. Types: all of 8 bits and more.
 */

#include "kernels/tensor_data.h"

struct state {
    bool time_first;
    int64_t rows, columns; /* the first two dimensions */
    size_t entry;          /* bytes of the other dimensions: what one (b, t) holds */
    uint32_t slices;
};

/* What the threads of one run share. */
struct job {
    const struct state *state;
    const int64_t *lengths;
    const char *x;
    char *y;
};

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    struct state *s;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    s->time_first = bp_cpu_int(call->node, "time_axis", 0) == 0;
    if (x->rank < 2 || bp_cpu_int(call->node, "batch_axis", 1) != s->time_first ||
        bp_cpu_count(call->in[1]) != x->dims[s->time_first] ||
        bp_cpu_count(call->out[0]) != bp_cpu_count(x))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the lengths do not fit the input");
    s->rows = x->dims[0];
    s->columns = x->dims[1];
    s->entry = (size_t)bp_dims_count(x->dims + 2, x->rank - 2) * bp_cpu_width(x->dtype);
    s->slices = bp_cpu_slices(call, s->rows * s->columns, (int64_t)(s->entry / 4) + 4);
    if (s->slices > s->rows)
        s->slices = s->rows > 0 ? (uint32_t)s->rows : 1;
    return BP_OK;
}

/* The time step to read for step `at` of a sequence of `length` steps. */
static int64_t mirrored(int64_t at, int64_t length)
{
    return at < length ? length - 1 - at : at;
}

/* Writes the rows of slice i entry by entry; a row is a time step or a batch. */
static void slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct state *s = job->state;
    int64_t end = s->rows * (i + 1) / s->slices;

    (void)worker;
    for (int64_t row = s->rows * i / s->slices; row < end; row++) {
        char *to = job->y + (size_t)(row * s->columns) * s->entry;

        for (int64_t column = 0; column < s->columns; column++, to += s->entry) {
            int64_t from = s->time_first ? mirrored(row, job->lengths[column]) * s->columns + column
                                         : row * s->columns + mirrored(column, job->lengths[row]);

            memcpy(to, job->x + (size_t)from * s->entry, s->entry);
        }
    }
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    struct job job = {s, bp_cpu_data(call->in[1]), bp_cpu_data(call->in[0]),
                      bp_cpu_data(call->out[0])};
    int64_t batches = s->time_first ? s->columns : s->rows;
    int64_t times = s->time_first ? s->rows : s->columns;

    /* The lengths are data: all are checked before the first byte is written. */
    for (int64_t i = 0; i < batches; i++) {
        if (job.lengths[i] < 0 || job.lengths[i] > times)
            return bp_cpu_fail(call->node, err, BP_E_INVALID,
                               "sequence_lens has %lld at batch %lld, but the axis has size %lld",
                               (long long)job.lengths[i], (long long)i, (long long)times);
    }
    if (s->entry > 0)
        bp_cpu_parallel(call, s->slices, slice, &job);
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_reverse_sequence = {
    .name = "ReverseSequence",
    .since = 10,
    .types = BP_CPU_MOVABLE,
    .prepare = prepare,
    .run = run,
};
