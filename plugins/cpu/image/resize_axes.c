/* SPDX-License-Identifier: MIT */
/*
 * resize_axes.c - Resize as passes over axes; see resize_axes.h.
 * Nearest copies units of contiguous elements by an index table for each axis.
 * Linear and cubic run one pass for each axis, from the innermost to the outermost, on a band of
 * output rows at a time, so that intermediate values stay in the L2 cache.
 * Bands of all planes are tasks for the threads.
 */

#include "image/resize_axes.h"

#include "image/resample.h"
#include "kernels/cast/cast.h"
#include "kernels/fill.h"
#include "kernels/tensor_data.h"

enum {
    BAND_ELEMENTS = 32768, /* output elements of a task: they fit the L2 cache */
    LEAST_BAND = 4         /* rows: neighbouring rows share their source rows */
};

/* ---- solving --------------------------------------------------------------------------------- */

/* The type of the computation, and the conversions from and to the element type. */
static void choose_type(struct bp_cpu_resize *r)
{
    uint32_t dtype = r->dtype, in = BP_DTYPE_F64;

    r->width = bp_cpu_width(dtype);
    r->unit = 1;
    if (!r->interpolates)
        return;
    if (dtype == BP_DTYPE_C64 || dtype == BP_DTYPE_C128) {
        dtype = dtype == BP_DTYPE_C64 ? BP_DTYPE_F32 : BP_DTYPE_F64;
        r->unit = 2;
        r->width /= 2;
    }
    if (dtype == BP_DTYPE_F32 || dtype == BP_DTYPE_F16 || dtype == BP_DTYPE_BF16)
        in = BP_DTYPE_F32;
    r->is_double = in == BP_DTYPE_F64;
    r->rounds = r->rule.antialias || r->rule.mode == BP_RESIZE_CUBIC; /* as ONNX's reference */
    if (dtype != in) {
        r->load = bp_cpu_cast_loop(dtype, in);
        r->store = bp_cpu_cast_loop(in, dtype);
    }
}

/*
 * Outer axes that keep their size become planes, inner ones the unit; only the axes between are
 * resized.
 */
static void split_axes(struct bp_cpu_resize *r, uint32_t rank, const struct bp_resize_axis *axes)
{
    uint32_t first = 0, end = rank;

    r->planes = 1;
    while (first < end && axes[first].is_identity)
        r->planes *= axes[first++].in;
    while (end > first && axes[end - 1].is_identity)
        r->unit *= axes[--end].in;
    r->n = end - first;
    r->in_plane = r->out_plane = r->unit;
    for (uint32_t d = 0; d < r->n; d++) {
        r->axis[d] = axes[first + d];
        r->in_plane *= r->axis[d].in;
        r->out_plane *= r->axis[d].out;
    }
}

/* Whether the size of every intermediate value can be counted. */
static bool is_possible(const struct bp_cpu_resize *r)
{
    int64_t most = r->unit * r->planes;

    for (uint32_t d = 0; d < r->n; d++) {
        const struct bp_resize_axis *axis = &r->axis[d];

        if (__builtin_mul_overflow(most, axis->in > axis->out ? axis->in : axis->out, &most))
            return false;
    }
    return most < INT64_C(1) << 47;
}

/* Memory of the run or of the call. NULL: too large, or no memory. */
static void *take(struct bp_cpu_call *call, bool in_run, int64_t count, size_t width)
{
    size_t bytes;

    if (__builtin_mul_overflow((size_t)count, width, &bytes) || bytes > SIZE_MAX / 2)
        return NULL;
    return in_run ? bp_cpu_run_memory(call, bytes + 1) : bp_cpu_call_memory(call, bytes + 1);
}

/* Indices and weights of each output position of axis d. */
static bp_rc make_tables(struct bp_cpu_call *call, struct bp_cpu_resize *r, uint32_t d, bool in_run,
                         bp_err *err)
{
    struct bp_resize_axis *axis = &r->axis[d];
    int64_t entries = axis->out * axis->taps;
    bool has_memory;

    axis->index = take(call, in_run, entries, sizeof *axis->index);
    has_memory = axis->index != NULL;
    if (r->rule.coordinate == BP_RESIZE_TF_CROP_AND_RESIZE && !r->rule.is_legacy) {
        axis->outside = take(call, in_run, axis->out, 1);
        has_memory = has_memory && axis->outside;
    }
    if (r->interpolates) {
        axis->weight = take(call, in_run, entries, sizeof *axis->weight);
        r->weight[d] = r->is_double ? axis->weight : take(call, in_run, entries, sizeof(float));
        has_memory = has_memory && axis->weight && r->weight[d];
    }
    if (!has_memory)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for the weights");
    bp_resize_axis_fill(&r->rule, axis);
    for (int64_t i = 0; r->interpolates && !r->is_double && i < entries; i++)
        ((float *)r->weight[d])[i] = (float)axis->weight[i];
    return BP_OK;
}

/* Rows of the input that rows first..end of the output need. */
static void rows_of(const struct bp_resize_axis *axis, int64_t first, int64_t end, int64_t *low,
                    int64_t *high)
{
    *low = axis->in;
    *high = 0;
    for (uint32_t t = 0; t < axis->taps; t++) {
        for (int64_t i = first; i < end; i++) {
            int64_t at = axis->index[t * axis->out + i];

            *low = at < *low ? at : *low;
            *high = at >= *high ? at + 1 : *high;
        }
    }
}

/* Elements of one row of axis 0 once the axes from `done` on have their new sizes. */
static int64_t row_elements(const struct bp_cpu_resize *r, uint32_t done)
{
    int64_t elements = r->unit;

    for (uint32_t d = 1; d < r->n; d++)
        elements *= d >= done ? r->axis[d].out : r->axis[d].in;
    return elements;
}

/* Divides the rows of axis 0 into bands and computes the sizes of a worker's buffers. */
static bool make_bands(const struct bp_cpu_call *call, struct bp_cpu_resize *r, size_t *scratch)
{
    const struct bp_resize_axis *axis = &r->axis[0];
    size_t width = r->is_double ? sizeof(double) : sizeof(float);
    int64_t row = row_elements(r, 1), most = 0;
    size_t bytes = 0;

    r->band = row > BAND_ELEMENTS / LEAST_BAND ? LEAST_BAND : BAND_ELEMENTS / row;
    r->band = r->band < axis->out ? r->band : axis->out;
    r->bands = (axis->out + r->band - 1) / r->band;
    for (int64_t b = 0; b < r->bands; b++) {
        int64_t low, high, end = (b + 1) * r->band;

        rows_of(axis, b * r->band, end < axis->out ? end : axis->out, &low, &high);
        r->span = high - low > r->span ? high - low : r->span;
    }
    for (uint32_t d = 1; d < r->n; d++)
        most = row_elements(r, d) > most ? row_elements(r, d) : most;
    r->parts[0] = r->load ? (size_t)(r->span * row_elements(r, r->n)) * width : 0;
    r->parts[1] = r->n > 1 ? (size_t)(r->span * most) * width : 0;
    r->parts[2] = r->n > 2 ? r->parts[1] : 0;
    r->parts[3] = r->store ? (size_t)(r->band * row) * width : 0;
    for (int i = 0; i < 4; i++) {
        r->parts[i] = (r->parts[i] + 63) / 64 * 64;
        bytes += r->parts[i];
    }
    return !__builtin_mul_overflow(bytes, call->width, scratch);
}

/* Nearest needs indices only; the others weights, bands and buffers. */
bp_rc bp_cpu_resize_make(struct bp_cpu_call *call, struct bp_cpu_resize *r, uint32_t rank,
                         const struct bp_resize_axis *axes, bool in_run, size_t *scratch_bytes,
                         bp_err *err)
{
    int64_t cost = 1;

    *scratch_bytes = 0;
    r->interpolates = r->rule.mode != BP_RESIZE_NEAREST;
    r->load = r->store = NULL;
    r->span = 0;
    choose_type(r);
    split_axes(r, rank, axes);
    r->is_empty = r->planes == 0 || r->out_plane == 0;
    if (r->is_empty)
        return BP_OK;
    if (!is_possible(r))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the result is too large");
    for (uint32_t d = 0; d < r->n; d++) {
        bp_rc rc = make_tables(call, r, d, in_run, err);

        if (rc < 0)
            return rc;
        cost += r->interpolates ? r->axis[d].taps : 0;
    }
    r->slices = bp_cpu_slices(call, r->planes * r->out_plane, cost);
    if (r->interpolates && r->n > 0 && !make_bands(call, r, scratch_bytes))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the scratch memory is too large");
    return BP_OK;
}

/* ---- moving elements ------------------------------------------------------------------------- */

/* One run, for the threads. */
struct job {
    const struct bp_cpu_resize *resize;
    const char *from;
    char *to;
    char *scratch;
    size_t worker_bytes;
};

/* Coordinates of a row: of all axes but the last. */
struct walk {
    int64_t at[BP_CPU_MAX_RANK];
};

/* Coordinates of a row. */
static void seek(const struct bp_cpu_resize *r, int64_t row, struct walk *walk)
{
    for (uint32_t d = r->n - 1; d-- > 0;) {
        walk->at[d] = row % r->axis[d].out;
        row /= r->axis[d].out;
    }
}

/* Advances to the next row. */
static void next(const struct bp_cpu_resize *r, struct walk *walk)
{
    for (uint32_t d = r->n - 1; d-- > 0;) {
        if (++walk->at[d] < r->axis[d].out)
            return;
        walk->at[d] = 0;
    }
}

/* memcpy, because units of several small elements may be unaligned for a type of their size. */
#define GATHER(type)                                                                               \
    do {                                                                                           \
        for (int64_t i = 0; i < n; i++)                                                            \
            memcpy(to + (size_t)i * sizeof(type), from + (size_t)index[i] * sizeof(type),          \
                   sizeof(type));                                                                  \
    } while (0)

/* Copies the units that `index` names; common sizes become plain moves. */
BP_LOOP static void gather(const int64_t *index, int64_t n, size_t bytes, const char *from,
                           char *to)
{
    if (bytes == 4) {
        GATHER(uint32_t);
    } else if (bytes == 1) {
        GATHER(uint8_t);
    } else if (bytes == 2) {
        GATHER(uint16_t);
    } else if (bytes == 8) {
        GATHER(uint64_t);
    } else {
        for (int64_t i = 0; i < n; i++)
            memcpy(to + (size_t)i * bytes, from + (size_t)index[i] * bytes, bytes);
    }
}

/*
 * Rows of the output, counted over all planes. A row with the same source as the one before is
 * copied from there.
 */
static void move_rows(const struct job *job, int64_t first, int64_t end)
{
    const struct bp_cpu_resize *r = job->resize;
    const struct bp_resize_axis *last = &r->axis[r->n - 1];
    size_t bytes = (size_t)r->unit * r->width, row_bytes = (size_t)last->out * bytes;
    int64_t rows = r->out_plane / (last->out * r->unit);
    const char *before = NULL;
    struct walk walk;

    seek(r, first % rows, &walk);
    for (int64_t row = first; row < end; row++, next(r, &walk)) {
        char *to = job->to + (size_t)row * row_bytes;
        const char *from;
        int64_t at = row / rows;

        for (uint32_t d = 0; d + 1 < r->n; d++)
            at = at * r->axis[d].in + r->axis[d].index[walk.at[d]];
        from = job->from + (size_t)at * (size_t)last->in * bytes;
        if (from == before)
            memcpy(to, to - row_bytes, row_bytes);
        else
            gather(last->index, last->out, bytes, from, to);
        before = from;
    }
}

/* Slice i of the rows, for nearest. */
static void move_slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct bp_cpu_resize *r = job->resize;
    int64_t rows = r->planes * (r->out_plane / (r->axis[r->n - 1].out * r->unit));

    (void)worker;
    move_rows(job, rows * i / r->slices, rows * (i + 1) / r->slices);
}

/* ---- weighted sums --------------------------------------------------------------------------- */

/*
 * One band of one plane: convert, one pass for each axis, convert back. The buffers are the
 * worker's.
 */
static void interpolate_band(const struct job *job, int64_t plane, int64_t band,
                             char *const *buffers)
{
    const struct bp_cpu_resize *r = job->resize;
    const struct bp_cpu_params none = {0};
    int64_t first = band * r->band, end = first + r->band, low, high, done;
    const void *from;
    char *to;

    end = end < r->axis[0].out ? end : r->axis[0].out;
    rows_of(&r->axis[0], first, end, &low, &high);
    done = row_elements(r, 1);
    from = job->from + (size_t)(plane * r->in_plane + low * row_elements(r, r->n)) * r->width;
    to = job->to + (size_t)(plane * r->out_plane + first * done) * r->width;
    if (r->load) {
        r->load(buffers[0], from, (size_t)((high - low) * row_elements(r, r->n)), &none);
        from = buffers[0];
    }
    for (uint32_t d = r->n; d-- > 0;) {
        const struct bp_resize_axis *axis = &r->axis[d];
        struct bp_cpu_resample pass = {.index = axis->index,
                                       .weight = r->weight[d],
                                       .outer = high - low,
                                       .in = axis->in,
                                       .out = axis->out,
                                       .inner = r->unit,
                                       .end = axis->out,
                                       .taps = axis->taps};
        char *into = from == buffers[1] ? buffers[2] : buffers[1];

        if (d > 0 && axis->is_identity)
            continue;
        for (uint32_t k = 1; k < d; k++)
            pass.outer *= r->axis[k].in;
        for (uint32_t k = d + 1; k < r->n; k++)
            pass.inner *= r->axis[k].out;
        if (d == 0) {
            pass.outer = 1;
            pass.first = first;
            pass.end = end;
            pass.skipped = low;
            into = r->store ? buffers[3] : to;
        }
        bp_cpu_resample(&pass, r->is_double, from, into);
        from = into;
    }
    if (r->store && r->is_double)
        bp_cpu_clip_to(r->dtype, (double *)(void *)buffers[3], (size_t)((end - first) * done),
                       r->rounds);
    if (r->store)
        r->store(to, from, (size_t)((end - first) * done), &none);
}

/* Bands of all planes are shared out to the threads. */
static void interpolate_slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct bp_cpu_resize *r = job->resize;
    int64_t tasks = r->planes * r->bands;
    char *buffers[4];
    char *at = bp_cpu_worker_scratch(job->scratch, worker, job->worker_bytes);

    for (int k = 0; k < 4; k++) {
        buffers[k] = at;
        at += r->parts[k];
    }
    for (int64_t task = tasks * i / r->slices; task < tasks * (i + 1) / r->slices; task++)
        interpolate_band(job, task / r->bands, task % r->bands, buffers);
}

/* ---- what lies outside of the region --------------------------------------------------------- */

/* tf_crop_and_resize: positions outside of the image get the extrapolation value. */
static void fill_outside(const struct bp_cpu_resize *r, char *to)
{
    const struct bp_resize_axis *last = &r->axis[r->n - 1];
    size_t width = bp_cpu_width(r->dtype);
    int64_t bytes = r->unit * (int64_t)r->width;
    int64_t row = last->out * bytes, rows = r->planes * r->out_plane / (last->out * r->unit);
    bp_cpu_unary_loop cast = bp_cpu_cast_loop(BP_DTYPE_F32, r->dtype);
    struct bp_cpu_params none = {0};
    uint8_t value[16] = {0};
    struct walk walk = {{0}};

    if (cast) /* a string: the empty one */
        cast(value, &r->extrapolation, 1, &none);
    else if (r->dtype == BP_DTYPE_C64)
        memcpy(value, &r->extrapolation, sizeof(float));
    else if (r->dtype == BP_DTYPE_C128)
        memcpy(value, &(double){(double)r->extrapolation}, sizeof(double));
    for (int64_t i = 0; i < rows; i++, to += row, next(r, &walk)) {
        bool is_outside = false;

        for (uint32_t d = 0; d + 1 < r->n; d++)
            is_outside = is_outside || r->axis[d].outside[walk.at[d]];
        for (int64_t k = 0; k < last->out; k++) {
            if (is_outside || last->outside[k])
                bp_cpu_fill(to + k * bytes, value, width, (size_t)bytes / width);
        }
    }
}

/* If no axis changes, it is a copy. */
void bp_cpu_resize_run(const struct bp_cpu_call *call, const struct bp_cpu_resize *r,
                       const void *from, void *to, void *scratch)
{
    struct job job = {r, from, to, scratch, r->parts[0] + r->parts[1] + r->parts[2] + r->parts[3]};

    if (r->is_empty)
        return;
    if (r->n == 0)
        memcpy(to, from, (size_t)(r->planes * r->unit) * r->width);
    else
        bp_cpu_parallel(call, r->slices, r->interpolates ? interpolate_slice : move_slice, &job);
    if (r->n > 0 && r->axis[0].outside)
        fill_outside(r, to);
}
