/* SPDX-License-Identifier: MIT */
/*
 * grid_sample.c - GridSample (opsets 16, 20, 22; com.microsoft 1).
 * X is [N, C, d1, ...], grid [N, o1, ..., n] with n spatial dimensions, the last dimension's
 * coordinate first, from -1 to 1.
 * Y [N, C, o1, ...] is X sampled there, by nearest, linear or cubic interpolation. padding_mode
 * says what lies outside: zeros, border or reflection.
 * Opset 16 has 4-D tensors only; opset 20 allows any number of spatial dimensions and renames the
 * modes; opset 22 adds bfloat16.
 */

#include "kernels/cast/cast.h"
#include "kernels/same_operator.h"
#include "kernels/sampler.h"
#include "kernels/tensor_data.h"

/* The plan of a call. */
struct state {
    struct bp_cpu_sampler sampler;
    bp_cpu_unary_loop load, store; /* NULL: computed in the type that it is stored in */
    bp_cpu_unary_loop load_grid;   /* to float32; NULL: the grid is float32 or float64 */
    bool is_f64_grid;
    size_t width; /* bytes of an element of X */
    int64_t step; /* scalars of an element: 2 for a complex one */
    int64_t channels, points, in_plane, batch;
    int64_t blocks; /* of one image */
    size_t worker, in_bytes, out_bytes;
    uint32_t slices;
};

/* One run, for the threads. */
struct job {
    const struct state *state;
    const char *x, *grid;
    char *y, *scratch;
};

static const char *const paddings[] = {"zeros", "border", "reflection"};

/* Names of opset 16 and of opset 20; -1: unknown. */
static int mode_of(const bp_graph *graph, const bp_node *node)
{
    static const char *const names[] = {"nearest", "linear", "bilinear", "cubic", "bicubic"};

    for (int i = 0; i < 5; i++) {
        if (bp_node_string_is(graph, node, "mode", "linear", names[i]))
            return (i + 1) / 2;
    }
    return -1;
}

/* Index of padding_mode; -1: unknown. */
static int padding_of(const bp_graph *graph, const bp_node *node)
{
    for (int i = 0; i < 3; i++) {
        if (bp_node_string_is(graph, node, "padding_mode", "zeros", paddings[i]))
            return i;
    }
    return -1;
}

/* Strings can be copied, but not interpolated. */
static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_value *x = bp_node_in(query->graph, query->node, 0);
    const bp_value *grid = bp_node_in(query->graph, query->node, 1);
    int mode = mode_of(query->graph, query->node);

    if (mode < 0)
        bp_cpu_refuse(query, BP_R_ATTRIBUTE, "mode", "is none of nearest, linear and cubic");
    else if (padding_of(query->graph, query->node) < 0)
        bp_cpu_refuse(query, BP_R_ATTRIBUTE, "padding_mode",
                      "is none of zeros, border and reflection");
    else if (!grid || grid->dtype >= BP_DTYPE_END || !(BP_CPU_FLOATS >> grid->dtype & 1))
        bp_cpu_refuse_dtype(query, 1);
    else if (x && x->dtype == BP_DTYPE_STRING && mode != BP_CPU_SAMPLE_NEAREST)
        bp_cpu_refuse(query, BP_R_ATTRIBUTE, "mode", "strings allow nearest only");
    else
        bp_cpu_claim_types(op, query);
}

/* Y has the grid's spatial dimensions. */
static bp_rc check_shapes(const struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0], *grid = call->in[1], *y = call->out[0];
    bool fits = x->rank >= 3 && grid->rank == x->rank && y->rank == x->rank &&
                grid->dims[x->rank - 1] == x->rank - 2 && grid->dims[0] == x->dims[0] &&
                y->dims[0] == x->dims[0] && y->dims[1] == x->dims[1];

    for (uint32_t d = 2; d < x->rank && fits; d++)
        fits = y->dims[d] == grid->dims[d - 1];
    if (!fits)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "X, grid and Y do not fit together");
    for (uint32_t d = 2; d < x->rank && bp_cpu_count(y) > 0; d++) {
        if (x->dims[d] == 0)
            return bp_cpu_fail(call->node, err, BP_E_SHAPE, "X has no elements to sample");
    }
    return BP_OK;
}

/* The type of the computation, and the conversions from and to X's type. */
static void choose_type(struct state *s, uint32_t dtype, uint32_t grid)
{
    uint32_t in = BP_DTYPE_F64;

    s->width = bp_cpu_width(dtype);
    s->step = 1;
    s->is_f64_grid = grid == BP_DTYPE_F64;
    if (grid == BP_DTYPE_F16 || grid == BP_DTYPE_BF16)
        s->load_grid = bp_cpu_cast_loop(grid, BP_DTYPE_F32);
    if (s->sampler.mode == BP_CPU_SAMPLE_NEAREST)
        return;
    if (dtype == BP_DTYPE_C64 || dtype == BP_DTYPE_C128) {
        dtype = dtype == BP_DTYPE_C64 ? BP_DTYPE_F32 : BP_DTYPE_F64;
        s->step = 2;
    }
    if (dtype == BP_DTYPE_F32 || dtype == BP_DTYPE_F16 || dtype == BP_DTYPE_BF16)
        in = BP_DTYPE_F32;
    s->sampler.is_double = in == BP_DTYPE_F64;
    if (dtype != in) {
        s->load = bp_cpu_cast_loop(dtype, in);
        s->store = bp_cpu_cast_loop(in, dtype);
    }
}

/* The sampler's settings. */
static void read_attributes(const struct bp_cpu_call *call, struct bp_cpu_sampler *sampler)
{
    const bp_tensor *x = call->in[0];

    sampler->mode = (enum bp_cpu_sampling)mode_of(call->node->graph, call->node->node);
    sampler->padding = (enum bp_cpu_padding)padding_of(call->node->graph, call->node->node);
    sampler->align_corners = bp_cpu_int(call->node, "align_corners", 0) != 0;
    sampler->n = x->rank - 2;
    for (uint32_t d = 0; d < sampler->n; d++)
        sampler->dims[d] = x->dims[d + 2];
}

/* A worker's scratch: the points' weights and a row of the grid. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0], *y = call->out[0];
    struct state *s;
    bp_rc rc = check_shapes(call, err);

    if (rc >= 0)
        rc = bp_cpu_state(call, sizeof *s, err);
    if (rc < 0 || bp_cpu_count(y) == 0)
        return rc;
    s = call->state;
    if (x->rank - 2 > BP_CPU_SAMPLER_RANK)
        return bp_cpu_fail(call->node, err, BP_E_UNSUPPORTED, "X has more than %d dimensions",
                           BP_CPU_SAMPLER_RANK + 2);
    read_attributes(call, &s->sampler);
    choose_type(s, x->dtype, call->in[1]->dtype);
    if (!bp_cpu_sampler_make(&s->sampler))
        return bp_cpu_fail(call->node, err, BP_E_UNSUPPORTED, "X has too many dimensions");
    s->batch = x->dims[0];
    s->channels = x->dims[1];
    s->points = bp_dims_count(y->dims + 2, y->rank - 2);
    s->in_plane = bp_dims_count(x->dims + 2, x->rank - 2);
    s->blocks = (s->points + BP_CPU_POINTS - 1) / BP_CPU_POINTS;
    s->slices = bp_cpu_slices(call, bp_cpu_count(y), 2 + s->sampler.taps);
    s->worker = (s->sampler.bytes + BP_CPU_POINTS * sizeof(double) * s->sampler.n + 63) / 64 * 64;
    if (s->load) {
        size_t width = s->sampler.is_double ? sizeof(double) : sizeof(float);

        s->in_bytes = ((size_t)bp_cpu_count(x) * width + 63) / 64 * 64;
        s->out_bytes = ((size_t)bp_cpu_count(y) * width + 63) / 64 * 64;
    }
    call->scratch_bytes = s->worker * call->width + s->in_bytes + s->out_bytes;
    return BP_OK;
}

/* Coordinates of a block, converted from -1..1 to element indices. */
static void read_grid(const struct state *s, const char *grid, uint32_t count, char *row,
                      double *at)
{
    uint32_t n = s->sampler.n;
    const struct bp_cpu_params none = {0};
    const float *f32 = (const float *)(const void *)grid;
    const double *f64 = (const double *)(const void *)grid;

    /* narrow float types become float32 first */
    if (s->load_grid) {
        s->load_grid(row, grid, (size_t)count * n, &none);
        f32 = (const float *)(const void *)row;
    }
    for (uint32_t d = 0; d < n; d++) {
        double length = (double)s->sampler.dims[d];
        double *to = at + (size_t)d * BP_CPU_POINTS;

        for (uint32_t i = 0; i < count; i++) {
            uint32_t k = i * n + (n - 1 - d);

            if (s->is_f64_grid)
                to[i] = s->sampler.align_corners ? (f64[k] + 1) / 2 * (length - 1)
                                                 : ((f64[k] + 1) * length - 1) / 2;
            else
                to[i] = (double)(s->sampler.align_corners ? (f32[k] + 1) / 2 * ((float)length - 1)
                                                          : ((f32[k] + 1) * (float)length - 1) / 2);
        }
    }
}

/* Nearest: copies elements, or zeros where the sample lies outside. */
static void gather(const struct state *s, const struct bp_cpu_points *points, uint32_t count,
                   const char *x, char *y)
{
    for (uint32_t i = 0; i < count; i++, y += s->width) {
        if (points->weight[i] == 0)
            memset(y, 0, s->width);
        else if (s->width == 4)
            memcpy(y, x + (size_t)points->index[i] * 4, 4);
        else
            memcpy(y, x + (size_t)points->index[i] * s->width, s->width);
    }
}

/* A block of points of one image: their weights are computed once for all channels. */
static void sample_block(const struct job *job, int64_t block, struct bp_cpu_points *points,
                         char *row)
{
    const struct state *s = job->state;
    int64_t image = block / s->blocks, first = block % s->blocks * BP_CPU_POINTS;
    uint32_t count =
        (uint32_t)(s->points - first < BP_CPU_POINTS ? s->points - first : BP_CPU_POINTS);
    size_t grid_width = s->is_f64_grid ? 8 : s->load_grid ? 2 : 4;
    size_t scalar = s->sampler.is_double ? sizeof(double) : sizeof(float);
    bool is_nearest = s->sampler.mode == BP_CPU_SAMPLE_NEAREST;

    read_grid(s, job->grid + (size_t)(image * s->points + first) * s->sampler.n * grid_width, count,
              row, points->at);
    bp_cpu_sampler_place(&s->sampler, points, count);
    if (!is_nearest)
        bp_cpu_sampler_weigh(&s->sampler, points, count);
    for (int64_t c = image * s->channels; c < (image + 1) * s->channels; c++) {
        size_t from = (size_t)(c * s->in_plane), to = (size_t)(c * s->points + first);

        if (is_nearest)
            gather(s, points, count, job->x + from * s->width, job->y + to * s->width);
        for (int64_t part = 0; part < s->step && !is_nearest; part++)
            bp_cpu_sampler_sum(&s->sampler, points, count,
                               job->x + (from * (size_t)s->step + (size_t)part) * scalar,
                               job->y + (to * (size_t)s->step + (size_t)part) * scalar, s->step);
    }
}

/* Blocks of all images are shared out to the threads. */
static void slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct state *s = job->state;
    char *own = bp_cpu_worker_scratch(job->scratch, worker, s->worker);
    struct bp_cpu_points points = bp_cpu_sampler_points(&s->sampler, own);
    int64_t blocks = s->batch * s->blocks;

    for (int64_t b = blocks * i / s->slices; b < blocks * (i + 1) / s->slices; b++)
        sample_block(job, b, &points, own + s->sampler.bytes);
}

/* X is converted as a whole if it has another type than the computation. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    struct job job = {s, bp_cpu_data(call->in[0]), bp_cpu_data(call->in[1]),
                      bp_cpu_data(call->out[0]), call->scratch};
    const struct bp_cpu_params none = {0};
    char *y = job.y;

    (void)err;
    if (bp_cpu_count(call->out[0]) == 0)
        return BP_OK;
    if (s->load) {
        char *in = job.scratch + s->worker * call->width;

        s->load(in, job.x, (size_t)bp_cpu_count(call->in[0]), &none);
        job.x = in;
        job.y = in + s->in_bytes;
    }
    bp_cpu_parallel(call, s->slices, slice, &job);
    if (s->store && s->sampler.is_double)
        bp_cpu_clip_to(call->out[0]->dtype, (double *)(void *)job.y,
                       (size_t)bp_cpu_count(call->out[0]), false);
    if (s->store)
        s->store(y, job.y, (size_t)bp_cpu_count(call->out[0]), &none);
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_grid_sample = {
    .name = "GridSample",
    .since = 16,
    .types = BP_CPU_MOVABLE,
    .claim = claim,
    .prepare = prepare,
    .run = run,
};

/* com.microsoft's operator is that of opset 16. */
const struct bp_cpu_op bp_cpu_op_ms_grid_sample = {
    .name = "GridSample",
    .domain = "com.microsoft",
    .since = 1,
    .loops = &bp_cpu_op_grid_sample,
    .claim = bp_cpu_same_claim,
    .prepare = bp_cpu_same_prepare_16,
    .run = bp_cpu_same_run,
};
