/* SPDX-License-Identifier: MIT */
/*
 * mean_variance_normalization.c - MeanVarianceNormalization (opsets 9, 13).
 * y = (x - mean) / (standard deviation + 1e-9) with mean and deviation of each set of elements that
 * differ only along `axes` ([0, 2, 3] by default). Y has the shape of X.
 */

#include "kernels/cast/widen.h"
#include "kernels/runtime_shape.h"
#include "kernels/simd/simd.h"
#include "kernels/tensor_data.h"
#include "normalization/norm.h"

#include <math.h>

enum { COLUMNS = 64 }; /* interleaved sets that are normalised at once */

/* Dimensions and their strides, all in elements. */
struct walk {
    uint32_t rank;
    int64_t count, dims[BP_CPU_MAX_RANK], steps[BP_CPU_MAX_RANK];
};

/* The plan of a call. */
struct state {
    const struct bp_cpu_simd *simd;
    const struct bp_cpu_norm *norm;
    struct walk sets, runs; /* offsets of sets; offsets of runs within a set */
    int64_t run; /* contiguous elements: of one set, or one of each of many sets (is_interleaved) */
    bool is_interleaved;
    int64_t strips; /* blocks of COLUMNS in a run of sets */
    size_t width;
    uint32_t slices;
};

struct job {
    const struct state *state;
    const char *x;
    char *y;
};

/* The offset of element i of a walk. */
static int64_t walk_to(const struct walk *walk, int64_t i)
{
    int64_t at = 0;

    for (uint32_t d = walk->rank; d-- > 0; i /= walk->dims[d])
        at += i % walk->dims[d] * walk->steps[d];
    return at;
}

/* Adds an outer dimension; dimensions that are contiguous are merged. */
static void add_dim(struct walk *walk, int64_t dim, int64_t step)
{
    uint32_t n = walk->rank;

    if (n > 0 && step == walk->steps[0] * walk->dims[0]) {
        walk->dims[0] *= dim;
    } else {
        memmove(walk->dims + 1, walk->dims, n * sizeof walk->dims[0]);
        memmove(walk->steps + 1, walk->steps, n * sizeof walk->steps[0]);
        walk->dims[0] = dim;
        walk->steps[0] = step;
        walk->rank++;
    }
    walk->count *= dim;
}

/* The axes as a bit mask. */
static bp_rc read_axes(struct bp_cpu_call *call, uint32_t rank, uint32_t *out, bp_err *err)
{
    static const int64_t images[] = {0, 2, 3};
    uint32_t n;
    const int64_t *axes = bp_cpu_ints(call->node, "axes", &n);
    bp_rc rc = BP_OK;

    if (!bp_node_attr(call->node->graph, call->node->node, "axes")) {
        axes = images;
        n = 3;
    }
    *out = 0;
    for (uint32_t i = 0; i < n && rc >= 0; i++) {
        uint32_t axis;

        rc = bp_cpu_axis(call, axes[i], rank, &axis, err);
        if (rc >= 0)
            *out |= UINT32_C(1) << axis;
    }
    return rc;
}

/*
 * Splits the dimensions: the innermost ones of one kind are a run, the others walks over sets or
 * runs.
 */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    uint32_t axes = 0, last = x->rank;
    struct state *s;
    int64_t step = 1;
    bp_rc rc = read_axes(call, x->rank, &axes, err);

    if (rc >= 0)
        rc = bp_cpu_state(call, sizeof *s, err);
    if (rc < 0)
        return rc;
    s = call->state;
    if (bp_cpu_count(call->out[0]) != bp_cpu_count(x))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "Y has another size than X");
    s->simd = bp_cpu_simd(x->dtype);
    s->norm = bp_cpu_norm(x->dtype);
    s->width = bp_cpu_width(x->dtype);
    s->is_interleaved = x->rank == 0 || !(axes >> (x->rank - 1) & 1);
    while (last > 0 && !(axes >> (last - 1) & 1) == s->is_interleaved)
        step *= x->dims[--last];
    s->run = step;
    s->sets.count = s->runs.count = 1;
    for (uint32_t d = last; d-- > 0; step *= x->dims[d])
        add_dim(axes >> d & 1 ? &s->runs : &s->sets, x->dims[d], step);
    s->strips = s->is_interleaved ? (s->run + COLUMNS - 1) / COLUMNS : 1;
    s->slices = bp_cpu_slices(call, bp_cpu_count(x), 4);
    return BP_OK;
}

/* A set whose runs are contiguous. */
static void run_set(const struct job *job, int64_t first)
{
    const struct state *s = job->state;
    double count = (double)s->runs.count * (double)s->run, sum = 0, squares = 0, mean;

    for (int64_t i = 0; i < s->runs.count; i++)
        sum += s->simd->sum(job->x + (size_t)(first + walk_to(&s->runs, i)) * s->width,
                            (size_t)s->run);
    mean = sum / count;
    for (int64_t i = 0; i < s->runs.count; i++)
        squares += s->simd->sum_squares(job->x + (size_t)(first + walk_to(&s->runs, i)) * s->width,
                                        (size_t)s->run, mean);
    for (int64_t i = 0; i < s->runs.count; i++) {
        size_t at = (size_t)(first + walk_to(&s->runs, i)) * s->width;

        s->norm->uniform(job->y + at, job->x + at, (size_t)s->run, mean,
                         1 / (sqrt(squares / count) + 1e-9), 0);
    }
}

#define T float
#define FN(name) name##_f32
#include "normalization/mean_variance.inc"
#undef T
#undef FN

#define T double
#define FN(name) name##_f64
#include "normalization/mean_variance.inc"

/* Sets, or strips of interleaved sets, are shared out to the threads. */
static void run_slice(void *u, uint32_t slice, uint32_t worker)
{
    const struct job *job = u;
    const struct state *s = job->state;
    int64_t parts = s->sets.count * s->strips, n = s->slices;
    int64_t end = parts / n * (slice + 1) + parts % n * (slice + 1) / n;

    (void)worker;
    for (int64_t i = parts / n * slice + parts % n * slice / n; i < end; i++) {
        int64_t column = i % s->strips * COLUMNS, first = walk_to(&s->sets, i / s->strips);
        int64_t count = s->run - column < COLUMNS ? s->run - column : COLUMNS;

        if (!s->is_interleaved)
            run_set(job, first);
        else if (s->width == sizeof(double))
            run_strip_f64(job, first + column, count);
        else
            run_strip_f32(job, first + column, count);
    }
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    const bp_tensor *x = call->in[0];
    struct job job = {.state = s};

    (void)err;
    if (bp_cpu_count(x) == 0)
        return BP_OK;
    job.x = bp_cpu_data(x);
    job.y = bp_cpu_data(call->out[0]);
    bp_cpu_parallel(call, s->slices, run_slice, &job);
    return BP_OK;
}

static const struct bp_cpu_wide wide = {prepare, run};

const struct bp_cpu_op bp_cpu_op_mean_variance_normalization = {
    .name = "MeanVarianceNormalization",
    .since = 9,
    .loops = &wide,
    .types = BP_CPU_FLOATS,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};
