/* SPDX-License-Identifier: MIT */
/*
 * depthwise.c - Convolution of one input channel (depthwise): sums of rows that are shifted and
 * weighted.
 * Images are copied strip by strip with their padding, so that no window crosses an edge. With a
 * stride of s the copy has s x s planes, each of every s-th row and column, so that windows move by
 * 1 within a plane. All rows of a strip are computed as one long row, and the elements between the
 * rows are dropped.
 * 3-D data, different strides in the two dimensions and large strides go without a copy: the taps
 * that lie in rows of x are listed for each row of y, and columns at the edges are computed one by
 * one.
 */

#include "conv_pool/depthwise.h"
#include "kernels/types/loops.h"

enum {
    STRIP_BYTES = 24 * 1024, /* of a padded copy: half of a 48 KiB L1 cache */
    MOST_STEP = 4            /* larger strides would have many planes of few elements */
};

/* The taps of a row of y: where each begins in x for column 0, and its weight. */
struct taps {
    const void **x;
    char *w;
    int64_t *column; /* of column 0, relative to the row of x; below 0 before it */
    const char **row;
    size_t count;
};

/* Rows of the padded copy that `rows` rows of y need. */
static int64_t copied_rows(const struct bp_cpu_depthwise *k, int64_t rows)
{
    const struct bp_cpu_window *w = k->window;

    return (rows - 1) * w->stride[1] + (w->kernel[1] - 1) * w->dilation[1] + 1;
}

/* Chooses the rows of a strip by STRIP_BYTES; strip_rows stays 0 if the copy does not pay. */
static void plan_strips(struct bp_cpu_depthwise *k)
{
    const struct bp_cpu_window *w = k->window;
    int64_t step = w->stride[1], reach = (w->kernel[1] - 1) * w->dilation[1];
    int64_t space = STRIP_BYTES / (int64_t)k->size, rows;

    k->strip_rows = 0;
    if (step > MOST_STEP)
        return;
    k->width = (w->out[2] - 1) * step + (w->kernel[2] - 1) * w->dilation[2] + 1;
    k->pitch = (k->width + step - 1) / step;
    if (w->in[0] != 1 || w->out[0] != 1 || w->kernel[0] != 1 || w->pad[0] != 0 ||
        w->stride[1] != w->stride[2] || k->pitch * step > space)
        return;
    space /= k->pitch * step; /* copied rows that fit */
    rows = (space - reach - step) / step;
    rows = rows < 0 ? 0 : rows; /* but one at least */
    k->strip_rows = rows + 1 < w->out[1] ? rows + 1 : w->out[1];
    if (copied_rows(k, k->strip_rows) > 4 * space) {
        k->strip_rows = 0; /* a window as high as the image */
        return;
    }
    for (int d = 0; d < 2; d++) {
        k->whole[d] = w->dilation[d + 1] / step;
        k->rest[d] = w->dilation[d + 1] % step;
    }
    k->plane = (copied_rows(k, k->strip_rows) + step - 1) / step * k->pitch;
    k->strip_bytes = (size_t)(step * step * k->plane) * k->size;
    k->strip_bytes = (k->strip_bytes + 63) / 64 * 64;
    k->scratch_bytes += k->strip_bytes + (size_t)(k->strip_rows * k->pitch) * k->size;
}

/* first..end are the columns of y whose windows lie within a row of x. */
void bp_cpu_depthwise_plan(struct bp_cpu_depthwise *k, const struct bp_cpu_window *w,
                           uint32_t dtype, size_t maps)
{
    int64_t reach = (w->kernel[2] - 1) * w->dilation[2], first, end;

    k->window = w;
    k->simd = bp_cpu_simd(dtype);
    k->maps = maps;
    k->size = dtype == BP_DTYPE_F64 ? 8 : 4;
    /* both ends of the window must lie within: clip the first tap, then the last */
    bp_cpu_window_clip(-w->pad[2], w->stride[2], w->out[2], w->in[2], &k->first, &k->end);
    bp_cpu_window_clip(reach - w->pad[2], w->stride[2], w->out[2], w->in[2], &first, &end);
    if (k->first < first)
        k->first = first;
    if (k->end > end)
        k->end = end;
    if (k->end < k->first)
        k->end = k->first;
    k->taps_bytes = (size_t)w->kernel_count *
                    (sizeof(void *) + sizeof(char *) + sizeof(int64_t) + sizeof(double));
    k->taps_bytes = (k->taps_bytes + 63) / 64 * 64;
    k->scratch_bytes = k->taps_bytes;
    plan_strips(k);
}

/* Adds the taps of one kernel row, which reads this row of x. */
static void list_row(const struct bp_cpu_depthwise *k, const char *row, const char *weights,
                     struct taps *taps)
{
    const struct bp_cpu_window *w = k->window;

    memcpy(taps->w + taps->count * k->size, weights, (size_t)w->kernel[2] * k->size);
    for (int64_t kx = 0; kx < w->kernel[2]; kx++) {
        taps->row[taps->count] = row;
        taps->column[taps->count++] = kx * w->dilation[2] - w->pad[2];
    }
}

/* Lists the taps of output row (z, y) that lie in rows of x. */
static void list_taps(const struct bp_cpu_depthwise *k, const char *x, const char *weights,
                      int64_t z, int64_t y, struct taps *taps)
{
    const struct bp_cpu_window *w = k->window;

    taps->count = 0;
    for (int64_t kz = 0; kz < w->kernel[0]; kz++) {
        int64_t iz = bp_cpu_window_start(w, 0, z) + kz * w->dilation[0];

        for (int64_t ky = 0; ky < w->kernel[1]; ky++, weights += (size_t)w->kernel[2] * k->size) {
            int64_t iy = bp_cpu_window_start(w, 1, y) + ky * w->dilation[1];

            if (iz >= 0 && iz < w->in[0] && iy >= 0 && iy < w->in[1])
                list_row(k, x + (size_t)((iz * w->in[1] + iy) * w->in[2]) * k->size, weights, taps);
        }
    }
}

/*
 * Columns first .. end of an output row, whose windows may cross an edge of x; taps outside count
 * as 0.
 */
static void run_edge(const struct bp_cpu_depthwise *k, const struct taps *all, double bias,
                     int64_t first, int64_t end, char *y)
{
    const struct bp_cpu_window *w = k->window;

    for (int64_t i = first; i < end; i++) {
        double sum = bias;

        for (size_t t = 0; t < all->count; t++) {
            int64_t at = all->column[t] + i * w->stride[2];

            if (at < 0 || at >= w->in[2])
                continue;
            if (k->size == 8)
                sum += ((const double *)(const void *)all->row[t])[at] *
                       ((const double *)(const void *)all->w)[t];
            else
                sum += (double)((const float *)(const void *)all->row[t])[at] *
                       (double)((const float *)(const void *)all->w)[t];
        }
        if (k->size == 8)
            ((double *)(void *)y)[i] = sum;
        else
            ((float *)(void *)y)[i] = (float)sum;
    }
}

/* One row of y without a copy: edges one by one, the middle by the vector loop. */
static void run_row(const struct bp_cpu_depthwise *k, struct taps *taps, double bias, char *y)
{
    const struct bp_cpu_window *w = k->window;
    struct bp_cpu_taps inner = {
        .x = taps->x,
        .w = taps->w,
        .y = y + (size_t)k->first * k->size,
        .n = (size_t)(k->end - k->first),
        .taps = taps->count,
        .stride = (size_t)w->stride[2],
        .init = bias,
    };

    run_edge(k, taps, bias, 0, k->first, y);
    if (inner.n > 0) {
        for (size_t t = 0; t < taps->count; t++) {
            int64_t at = taps->column[t] + k->first * w->stride[2];

            taps->x[t] = taps->row[t] + (size_t)at * k->size;
        }
        k->simd->taps(&inner);
    }
    run_edge(k, taps, bias, k->end, w->out[2], y);
}

static double bias_of(const struct bp_cpu_depthwise *k, const struct bp_cpu_operands *operands,
                      size_t map)
{
    if (!operands->bias)
        return 0;
    return k->size == 8 ? ((const double *)operands->bias)[map]
                        : (double)((const float *)operands->bias)[map];
}

/* Every step-th element; step 2 has a loop of its own, which vectorises. */
BP_LOOP static void pick_f32(const float *from, int64_t step, float *to, int64_t n)
{
    if (step == 2) {
        for (int64_t i = 0; i < n; i++)
            to[i] = from[2 * i];
        return;
    }
    for (int64_t i = 0; i < n; i++)
        to[i] = from[i * step];
}

BP_LOOP static void pick_f64(const double *from, int64_t step, double *to, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = from[i * step];
}

static void pick(const struct bp_cpu_depthwise *k, const char *from, char *to, int64_t n)
{
    int64_t step = k->window->stride[2];

    if (step == 1)
        memcpy(to, from, (size_t)n * k->size);
    else if (k->size == 8)
        pick_f64((const double *)(const void *)from, step, (double *)(void *)to, n);
    else
        pick_f32((const float *)(const void *)from, step, (float *)(void *)to, n);
}

/* The first of the columns from `phase` on, `step` apart, that is not before `column`. */
static int64_t column_of(int64_t column, int64_t phase, int64_t step)
{
    return column > phase ? (column - phase + step - 1) / step : 0;
}

/*
 * Copies the rows of x under rows y0 .. y0 + rows of y to one plane, whose rows and columns start
 * at (py, px). Column padding is 0 from the start and is not touched.
 */
static void copy_plane(const struct bp_cpu_depthwise *k, const char *x, int64_t y0, int64_t rows,
                       int64_t py, int64_t px, char *to)
{
    const struct bp_cpu_window *w = k->window;
    int64_t step = w->stride[2], first, end, n = copied_rows(k, rows);
    int64_t start = bp_cpu_window_start(w, 1, y0), row;

    bp_cpu_window_clip(-w->pad[2], 1, k->width, w->in[2], &first, &end);
    first = column_of(first, px, step);
    end = column_of(end, px, step);
    if (end <= first)
        return;
    to += (size_t)first * k->size;
    x += (size_t)(first * step + px - w->pad[2]) * k->size;
    row = w->in[2] * (int64_t)k->size;
    for (int64_t r = py; r < n; r += step, to += (size_t)k->pitch * k->size) {
        if (start + r >= 0 && start + r < w->in[1])
            pick(k, x + (start + r) * row, to, end - first);
        else
            memset(to, 0, (size_t)(end - first) * k->size);
    }
}

/* Copies a strip to its stride x stride planes. */
static void copy_strip(const struct bp_cpu_depthwise *k, const char *x, int64_t y0, int64_t rows,
                       char *to)
{
    int64_t step = k->window->stride[1];

    for (int64_t py = 0; py < step; py++) {
        for (int64_t px = 0; px < step; px++, to += (size_t)k->plane * k->size)
            copy_plane(k, x, y0, rows, py, px, to);
    }
}

/* Rows of y from the copy at `strip`; `flat` has the capacity of as many rows of the copy. */
static void run_strip(const struct bp_cpu_depthwise *k, const struct taps *taps, double bias,
                      const char *strip, int64_t rows, char *flat, char *y)
{
    const struct bp_cpu_window *w = k->window;
    size_t width = (size_t)w->out[2] * k->size, pitch = (size_t)k->pitch * k->size;
    struct bp_cpu_taps sum = {
        .x = taps->x,
        .w = taps->w,
        .y = flat,
        .n = (size_t)((rows - 1) * k->pitch + w->out[2]),
        .taps = taps->count,
        .stride = 1,
        .init = bias,
    };

    for (size_t t = 0; t < taps->count; t++)
        taps->x[t] = strip + (size_t)taps->column[t] * k->size;
    k->simd->taps(&sum);
    for (int64_t r = 0; r < rows; r++, y += width, flat += pitch)
        memcpy(y, flat, width);
}

/* A row or column of the copy: its index in a plane, and the plane's phase. */
struct at {
    int64_t index, phase;
};

/* Steps by the dilation without a division, which would take longer than a small image. */
static void advance(struct at *at, int64_t whole, int64_t rest, int64_t step)
{
    at->index += whole;
    at->phase += rest;
    if (at->phase >= step) {
        at->phase -= step;
        at->index++;
    }
}

/* Writes the position of each tap in the copy, for row and column 0. */
static void locate_taps(const struct bp_cpu_depthwise *k, struct taps *taps)
{
    const struct bp_cpu_window *w = k->window;
    int64_t step = w->stride[1], *position = taps->column;
    struct at y = {0, 0};

    for (int64_t ky = 0; ky < w->kernel[1]; ky++) {
        struct at x = {0, 0};

        for (int64_t kx = 0; kx < w->kernel[2]; kx++) {
            *position++ = (y.phase * step + x.phase) * k->plane + y.index * k->pitch + x.index;
            advance(&x, k->whole[1], k->rest[1], step);
        }
        advance(&y, k->whole[0], k->rest[0], step);
    }
    taps->count = (size_t)w->kernel_count;
}

/* All maps of a channel, strip by strip: each copy serves all maps. */
static void run_strips(const struct bp_cpu_depthwise *k, const struct bp_cpu_operands *operands,
                       struct taps *taps, char *scratch)
{
    const struct bp_cpu_window *w = k->window;
    size_t count = (size_t)w->kernel_count, row_bytes = (size_t)w->out[2] * k->size;

    locate_taps(k, taps);
    memset(scratch, 0, k->strip_bytes);
    for (int64_t y = 0; y < w->out[1]; y += k->strip_rows) {
        int64_t rows = w->out[1] - y < k->strip_rows ? w->out[1] - y : k->strip_rows;

        copy_strip(k, operands->b, y, rows, scratch);
        for (size_t m = 0; m < k->maps; m++) {
            char *to = (char *)operands->c + ((size_t)(w->out[1] * (int64_t)m + y)) * row_bytes;

            memcpy(taps->w, (const char *)operands->a + m * count * k->size, count * k->size);
            run_strip(k, taps, bias_of(k, operands, m), scratch, rows, scratch + k->strip_bytes,
                      to);
        }
    }
}

/* Strips if they were planned, else row by row with listed taps. */
void bp_cpu_depthwise_run(const struct bp_cpu_depthwise *k, const struct bp_cpu_operands *operands,
                          void *scratch)
{
    const struct bp_cpu_window *w = k->window;
    size_t count = (size_t)w->kernel_count;
    struct taps taps = {
        .x = scratch,
        .row = (const char **)scratch + count,
        .column = (int64_t *)scratch + 2 * count,
        .w = (char *)((int64_t *)scratch + 3 * count),
    };
    char *y = operands->c;

    if (k->strip_rows > 0) {
        run_strips(k, operands, &taps, (char *)scratch + k->taps_bytes);
        return;
    }
    for (size_t m = 0; m < k->maps; m++) {
        const char *weights = (const char *)operands->a + m * count * k->size;
        double bias = bias_of(k, operands, m);

        for (int64_t z = 0; z < w->out[0]; z++) {
            for (int64_t row = 0; row < w->out[1]; row++, y += (size_t)w->out[2] * k->size) {
                list_taps(k, operands->b, weights, z, row, &taps);
                run_row(k, &taps, bias, y);
            }
        }
    }
}
