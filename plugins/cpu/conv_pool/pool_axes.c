/* SPDX-License-Identifier: MIT */
/*
 * pool_axes.c - Pools of more than three spatial dimensions, one dimension after another; see
 * pool_axes.h.
 */

#include "conv_pool/pool_axes.h"
#include "kernels/tensor_data.h"
#include "kernels/types/loops.h"

#include <math.h>

enum { MAX_SPATIAL = BP_CPU_MAX_RANK - 2 };

struct state {
    enum bp_cpu_pool_kind kind;
    double p;
    uint32_t n, dtype; /* n: spatial dimensions */
    bool is_column_major;
    int64_t in[MAX_SPATIAL], out[MAX_SPATIAL], kernel[MAX_SPATIAL], stride[MAX_SPATIAL];
    int64_t dilation[MAX_SPATIAL], pad[MAX_SPATIAL], pad_end[MAX_SPATIAL];
    int64_t *counts[MAX_SPATIAL]; /* taps that the divisor counts, by position */
    int64_t planes, in_count, out_count,
        most; /* most: elements of the largest intermediate value */
    size_t width, half, index_at, worker_bytes; /* scratch: two halves, and two of indices */
    uint32_t slices;
};

/* One dimension: `outer` x `in` x `inner` becomes outer x out x inner. */
struct pass {
    int64_t outer, in, out, inner, kernel, stride, dilation, pad;
};

/* One run; for the threads. */
struct job {
    const struct state *s;
    const char *x;
    char *y, *scratch;
    int64_t *indices; /* NULL: not wanted */
};

/* Taps first..end of window `at` lie within x; returns where the window starts. */
static int64_t taps(const struct pass *p, int64_t at, int64_t *first, int64_t *end)
{
    int64_t start = at * p->stride - p->pad;

    bp_cpu_window_clip(start, p->dilation, p->kernel, p->in, first, end);
    return start;
}

#define TEMPLATE "conv_pool/pool_axes.inc"
#include "conv_pool/types_pool.inc"
#undef TEMPLATE

#define TEMPLATE "conv_pool/pool_axes_sum.inc"
#include "kernels/types/float32_float64.inc"
#undef TEMPLATE

/* ---- the sizes ------------------------------------------------------------------------------- */

/*
 * n elements of attribute `name` from element `first` on, or `least` for each dimension if it is
 * absent.
 */
static bp_rc read_list(const struct bp_cpu_call *call, const char *name, uint32_t n, uint32_t first,
                       int64_t least, int64_t *out, bp_err *err)
{
    uint32_t count;
    const int64_t *list = bp_cpu_ints(call->node, name, &count);

    if (count > 0 && count < first + n)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "%s has %u elements", name, count);
    for (uint32_t d = 0; d < n; d++) {
        out[d] = count > 0 ? list[first + d] : least;
        if (out[d] < least || out[d] > INT32_MAX)
            return bp_cpu_fail(call->node, err, BP_E_SHAPE, "%s has an element out of range", name);
    }
    return BP_OK;
}

/*
 * Pads as given, or by auto_pad so that the sizes agree; an odd element goes to the end for
 * SAME_UPPER, else to the start.
 */
static bp_rc read_pads(const struct bp_cpu_call *call, struct state *s, bp_err *err)
{
    const bp_graph *graph = call->node->graph;
    const bp_node *node = call->node->node;
    bool is_upper = bp_node_string_is(graph, node, "auto_pad", "", "SAME_UPPER");
    bp_rc rc;

    if (bp_node_string_is(graph, node, "auto_pad", "", "VALID"))
        return BP_OK;
    if (!is_upper && !bp_node_string_is(graph, node, "auto_pad", "", "SAME_LOWER")) {
        rc = read_list(call, "pads", s->n, 0, 0, s->pad, err);
        return rc < 0 ? rc : read_list(call, "pads", s->n, s->n, 0, s->pad_end, err);
    }
    for (uint32_t d = 0; d < s->n; d++) {
        int64_t total = (s->out[d] - 1) * s->stride[d] + (s->kernel[d] - 1) * s->dilation[d] + 1;

        total = total > s->in[d] ? total - s->in[d] : 0;
        s->pad[d] = is_upper ? total / 2 : total - total / 2;
        s->pad_end[d] = total - s->pad[d];
    }
    return BP_OK;
}

/* Also finds the largest intermediate value, for the scratch. */
static bp_rc read_sizes(const struct bp_cpu_call *call, struct state *s, bp_err *err)
{
    const bp_tensor *x = call->in[0], *y = call->out[0];
    bp_rc rc = read_list(call, "kernel_shape", s->n, 0, 1, s->kernel, err);

    if (rc >= 0)
        rc = read_list(call, "strides", s->n, 0, 1, s->stride, err);
    if (rc >= 0)
        rc = read_list(call, "dilations", s->n, 0, 1, s->dilation, err);
    s->in_count = s->out_count = 1;
    for (uint32_t d = 0; d < s->n && rc >= 0; d++) {
        s->in[d] = x->dims[2 + d];
        s->out[d] = y->dims[2 + d];
        if (s->in[d] > INT32_MAX || s->out[d] > INT32_MAX)
            rc = bp_cpu_fail(call->node, err, BP_E_SHAPE, "a size is too large");
        s->in_count *= s->in[d];
        s->out_count *= s->out[d];
    }
    if (rc < 0)
        return rc;
    /* after dimension d: the sizes before it are still those of x, the others those of y */
    s->most = s->in_count;
    for (uint32_t d = 0; d < s->n; d++) {
        int64_t count = bp_dims_count(s->in, d);

        for (uint32_t k = d; k < s->n; k++) {
            if (__builtin_mul_overflow(count, s->out[k], &count) || count > INT64_MAX / 64)
                return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                                   "an intermediate value is too large");
        }
        s->most = count > s->most ? count : s->most;
    }
    return read_pads(call, s, err);
}

/* What a mean divides by, for each position along each dimension. */
static bp_rc count_taps(struct bp_cpu_call *call, struct state *s, bp_err *err)
{
    bool counts_pads = bp_cpu_int(call->node, "count_include_pad", 0) != 0;

    for (uint32_t d = 0; d < s->n; d++) {
        int64_t low = counts_pads ? -s->pad[d] : 0;
        int64_t high = s->in[d] + (counts_pads ? s->pad_end[d] : 0), first, end;

        s->counts[d] = bp_cpu_call_memory(call, (size_t)(s->out[d] + 1) * sizeof(int64_t));
        if (!s->counts[d])
            return bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for the divisors");
        for (int64_t at = 0; at < s->out[d]; at++) {
            bp_cpu_window_clip(at * s->stride[d] - s->pad[d] - low, s->dilation[d], s->kernel[d],
                               high - low, &first, &end);
            s->counts[d][at] = end - first;
        }
    }
    return BP_OK;
}

bp_rc bp_cpu_pool_axes_prepare(struct bp_cpu_call *call, enum bp_cpu_pool_kind kind, double p,
                               bp_err *err)
{
    const bp_tensor *x = call->in[0], *y = call->out[0], *indices = bp_cpu_out(call, 1);
    struct state *s;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    if (x->rank != y->rank || x->dims[0] != y->dims[0] || x->dims[1] != y->dims[1] ||
        (indices && bp_cpu_count(indices) != bp_cpu_count(y)))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the shapes do not fit together");
    s->kind = kind;
    s->p = p;
    s->n = x->rank - 2;
    s->dtype = x->dtype;
    s->width = bp_cpu_width(x->dtype);
    s->planes = x->dims[0] * x->dims[1];
    s->is_column_major = bp_cpu_int(call->node, "storage_order", 0) != 0;
    rc = read_sizes(call, s, err);
    if (rc >= 0 && kind == BP_CPU_POOL_MEAN)
        rc = count_taps(call, s, err);
    if (rc < 0)
        return rc;
    s->half = (size_t)s->most * s->width / 64 * 64 + 64;
    s->index_at = 2 * s->half;
    s->worker_bytes = s->index_at + (indices ? 2 * (size_t)s->most * sizeof(int64_t) + 64 : 0);
    s->slices = bp_cpu_slices(call, s->planes * s->in_count, (int64_t)s->n * 4);
    if (s->slices > s->planes)
        s->slices = s->planes > 0 ? (uint32_t)s->planes : 1;
    if (__builtin_mul_overflow(s->worker_bytes / 64 * 64 + 64, call->width, &call->scratch_bytes))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the scratch memory is too large");
    return BP_OK;
}

/* ---- running --------------------------------------------------------------------------------- */

/* One dimension; sums for means and norms, else maxima with their indices. */
static void run_pass(const struct state *s, const struct pass *p, const void *x, void *y,
                     const int64_t *from, int64_t *to)
{
    if (s->kind != BP_CPU_POOL_MAX && s->dtype == BP_DTYPE_F64)
        sum_pass_f64(p, x, y);
    else if (s->kind != BP_CPU_POOL_MAX)
        sum_pass_f32(p, x, y);
    else if (s->dtype == BP_DTYPE_F64)
        max_pass_f64(p, x, y, from, to);
    else if (s->dtype == BP_DTYPE_I8)
        max_pass_i8(p, x, y, from, to);
    else if (s->dtype == BP_DTYPE_U8)
        max_pass_u8(p, x, y, from, to);
    else
        max_pass_f32(p, x, y, from, to);
}

/* y = ||x||^p; with 1 / p it takes the root. */
static void raise_plane(const struct state *s, const void *x, void *y, int64_t n, double p)
{
    if (s->dtype == BP_DTYPE_F64)
        raise_f64(x, y, n, p);
    else
        raise_f32(x, y, n, p);
}

/* The index of an element in the whole tensor, in the order of storage_order. */
static int64_t index_in_tensor(const struct state *s, int64_t index, int64_t plane)
{
    int64_t position = 0, step = s->in_count;

    if (index < 0 || !s->is_column_major)
        return index < 0 ? -1 : plane * s->in_count + index;
    for (uint32_t d = s->n; d-- > 0; index /= s->in[d]) {
        step /= s->in[d];
        position += index % s->in[d] * step;
    }
    return plane * s->in_count + position;
}

/*
 * Passes from the last dimension to the first; intermediate values alternate between two halves of
 * the scratch.
 */
static void pool_plane(const struct job *job, int64_t plane, char *scratch)
{
    const struct state *s = job->s;
    const void *x = job->x + (size_t)(plane * s->in_count) * s->width;
    char *y = job->y + (size_t)(plane * s->out_count) * s->width, *next = scratch;
    int64_t *from = (void *)(scratch + s->index_at), *to = from + s->most;
    int64_t inner = 1;

    for (int64_t i = 0; job->indices && i < s->in_count; i++)
        from[i] = i;
    if (s->kind == BP_CPU_POOL_NORM) {
        raise_plane(s, x, scratch + s->half, s->in_count, s->p);
        x = scratch + s->half;
    }
    for (uint32_t d = s->n; d-- > 0;) {
        int64_t *other = from;
        const struct pass p = {
            .outer = bp_dims_count(s->in, d),
            .in = s->in[d],
            .out = s->out[d],
            .inner = inner,
            .kernel = s->kernel[d],
            .stride = s->stride[d],
            .dilation = s->dilation[d],
            .pad = s->pad[d],
        };

        run_pass(s, &p, x, d == 0 ? y : next, from, job->indices ? to : NULL);
        inner *= s->out[d];
        x = next;
        next = next == scratch ? scratch + s->half : scratch;
        from = to;
        to = other;
    }
    if (s->kind == BP_CPU_POOL_NORM)
        raise_plane(s, y, y, s->out_count, 1 / s->p);
    else if (s->kind == BP_CPU_POOL_MEAN && s->dtype == BP_DTYPE_F64)
        divide_f64(s, y);
    else if (s->kind == BP_CPU_POOL_MEAN)
        divide_f32(s, y);
    for (int64_t i = 0; job->indices && i < s->out_count; i++)
        job->indices[plane * s->out_count + i] = index_in_tensor(s, from[i], plane);
}

/* Slice i of the planes. */
static void slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct state *s = job->s;
    int64_t end = s->planes * (i + 1) / s->slices;

    for (int64_t plane = s->planes * i / s->slices; plane < end; plane++)
        pool_plane(job, plane, bp_cpu_worker_scratch(job->scratch, worker, s->worker_bytes));
}

static void run_axes(struct bp_cpu_call *call, int64_t *indices)
{
    const struct state *s = call->state;
    struct job job = {.s = s, .scratch = call->scratch, .indices = indices};

    if (bp_cpu_count(call->out[0]) == 0)
        return;
    job.x = bp_cpu_data(call->in[0]);
    job.y = bp_cpu_data(call->out[0]);
    bp_cpu_parallel(call, s->slices, slice, &job);
}

bp_rc bp_cpu_pool_any_run(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *out = bp_cpu_out(call, 1);
    int64_t *indices = out ? bp_cpu_data(out) : NULL;

    (void)err;
    if (bp_cpu_pool_has_many_axes(call))
        run_axes(call, indices);
    else
        bp_cpu_pool_run(call, indices);
    return BP_OK;
}
