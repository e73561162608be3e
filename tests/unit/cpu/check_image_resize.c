/* SPDX-License-Identifier: MIT */
/*
 * check_image_resize.c - Resize, Upsample, GridSample, AffineGrid and DeformConv of the CPU provider,
 * each against sums over all elements of the input, with weights straight from the definition.
 */

#include "config.h"

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "cpu/cpu_case.h"
#include "support/random_data.h"
#include "support/typed.h"

enum { MAX_RANK = 5 };

static const char *text_of(const int64_t *dims, uint32_t rank)
{
    static char text[4][96];
    static int next;
    char *at = text[next = (next + 1) % 4];

    *at = '\0';
    for (uint32_t d = 0; d < rank; d++)
        at += sprintf(at, "%s%lld", d ? "," : "", (long long)dims[d]);
    return text[next];
}

/* ---- Resize ---------------------------------------------------------------------------------- */

static const char *const modes[] = {"nearest", "linear", "cubic"};
static const char *const coordinates[] = {"half_pixel",    "half_pixel_symmetric",
                                          "asymmetric",    "pytorch_half_pixel",
                                          "align_corners", "tf_crop_and_resize"};
static const char *const nearests[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};

/* One axis of a case. */
struct axis {
    int64_t in, out;
    double scale, start, end;
};

struct resize {
    int mode, coordinate, nearest;
    bool antialias, exclude;
    double a;
};

static double coordinate_of(const struct resize *c, const struct axis *x, int64_t i)
{
    double in = (double)x->in, wanted = in * x->scale;

    switch (c->coordinate) {
    case 1:
        return in / 2 * (1 - (double)x->out / wanted) + ((double)i + 0.5) / x->scale - 0.5;
    case 2:
        return (double)i / x->scale;
    case 3:
        return x->out > 1 ? ((double)i + 0.5) / x->scale - 0.5 : 0;
    case 4:
        return x->out > 1 ? (double)i * (in - 1) / (wanted - 1) : 0;
    case 5:
        return x->out > 1
                   ? x->start * (in - 1) + (double)i * (x->end - x->start) * (in - 1) / (wanted - 1)
                   : (x->start + x->end) * (in - 1) / 2;
    default:
        return ((double)i + 0.5) / x->scale - 0.5;
    }
}

static double filter(const struct resize *c, double d)
{
    d = fabs(d);
    if (c->mode == 1)
        return d < 1 ? 1 - d : 0;
    if (d <= 1)
        return (c->a + 2) * d * d * d - (c->a + 3) * d * d + 1;
    return d < 2 ? c->a * d * d * d - 5 * c->a * d * d + 8 * c->a * d - 4 * c->a : 0;
}

/* Weight of input element k in output element i: positions outside count for the edge elements. */
static double weight_of(const struct resize *c, const struct axis *x, int64_t i, int64_t k)
{
    double at = coordinate_of(c, x, i), by = c->antialias && x->scale < 1 ? x->scale : 1;
    double sum = 0, all = 0, place;

    if (c->mode == 0) {
        place = c->nearest == 0   ? ceil(at - 0.5)
                : c->nearest == 1 ? floor(at + 0.5)
                : c->nearest == 2 ? floor(at)
                                  : ceil(at);
        place = fmin(fmax(place, 0), (double)(x->in - 1));
        return (double)k == place;
    }
    for (int64_t e = -8 * x->in - 8; e < 9 * x->in + 8; e++) {
        double w = filter(c, ((double)e - at) * by);
        int64_t inside = e < 0 ? 0 : e < x->in ? e : x->in - 1;

        if (c->exclude && inside != e)
            continue;
        all += w;
        sum += inside == k ? w : 0;
    }
    return sum / all;
}

static bool is_outside(const struct resize *c, const struct axis *x, int64_t i)
{
    double at = coordinate_of(c, x, i);

    return c->coordinate == 5 && (at < 0 || at > (double)(x->in - 1));
}

static double resized(const struct resize *c, const struct axis *axes, uint32_t rank,
                      const double *x, size_t n_in, size_t at)
{
    int64_t place[MAX_RANK];
    double sum = 0;

    for (uint32_t d = rank; d-- > 0;) {
        place[d] = (int64_t)(at % (size_t)axes[d].out);
        at /= (size_t)axes[d].out;
    }
    for (uint32_t d = 0; d < rank; d++) {
        if (is_outside(c, &axes[d], place[d]))
            return 7.5;
    }
    for (size_t i = 0; i < n_in; i++) {
        size_t rest = i;
        double w = 1;

        for (uint32_t d = rank; d-- > 0 && w != 0;) {
            w *= weight_of(c, &axes[d], place[d], (int64_t)(rest % (size_t)axes[d].in));
            rest /= (size_t)axes[d].in;
        }
        sum += w != 0 ? w * x[i] : 0;
    }
    return sum;
}

/* A case made up from its number: some axes keep their size. */
static void make_axes(struct axis *axes, uint32_t rank, bool by_sizes, bool is_crop)
{
    for (uint32_t d = 0; d < rank; d++) {
        struct axis *x = &axes[d];
        bool is_same = data_pick(0, 2) == 0;

        x->in = data_pick(1, rank > 3 ? 4 : 7);
        x->out = is_same ? x->in : data_pick(1, rank > 3 ? 5 : 9);
        x->scale = (double)x->out / (double)x->in;
        if (!by_sizes) {
            x->scale = (double)(float)(is_same ? 1 : x->scale * 1.0625);
            x->out = (int64_t)floor((double)((float)x->in * (float)x->scale));
        }
        x->start = is_crop && !is_same ? 0.25 * (double)data_pick(-1, 2) : 0;
        x->end = is_crop && !is_same ? 0.25 * (double)data_pick(2, 5) : 1;
    }
}

static void add_resize(const struct resize *c, const struct axis *axes, uint32_t rank,
                       bool by_sizes, bool is_late)
{
    int64_t sizes[MAX_RANK];
    float scales[MAX_RANK];
    double roi[2 * MAX_RANK];
    uint32_t roi_type =
        (uint32_t[]){BP_DTYPE_F32, BP_DTYPE_F64, BP_DTYPE_F16}[data_pick(0, 2)]; /* has quarters */
    char dims[8], twice[8];
    void (*add)(struct th *, const char *, uint32_t, const char *, const void *) =
        is_late ? th_input : th_const;

    sprintf(dims, "%u", rank);
    sprintf(twice, "%u", 2 * rank);
    for (uint32_t d = 0; d < rank; d++) {
        sizes[d] = axes[d].out;
        scales[d] = (float)axes[d].scale;
        roi[d] = axes[d].start;
        roi[rank + d] = axes[d].end;
    }
    add(t, "roi", roi_type, twice, kept_encode(roi, 2 * (size_t)rank, roi_type));
    if (by_sizes)
        add(t, "sizes", BP_DTYPE_I64, dims, sizes);
    else
        add(t, "scales", BP_DTYPE_F32, dims, scales);
    th_node(t, "Resize", 19, by_sizes ? "x roi - sizes" : "x roi scales", "y");
    th_string(t, "mode", modes[c->mode]);
    th_string(t, "coordinate_transformation_mode", coordinates[c->coordinate]);
    th_string(t, "nearest_mode", nearests[c->nearest]);
    th_int(t, "antialias", c->antialias);
    th_int(t, "exclude_outside", c->exclude);
    th_float(t, "cubic_coeff_a", (float)c->a);
    th_float(t, "extrapolation_value", 7.5f);
}

START_TEST(resize_matches_its_definition)
{
    static const uint32_t types[] = {BP_DTYPE_F32, BP_DTYPE_F64, BP_DTYPE_F16, BP_DTYPE_BF16};
    uint32_t dtype = types[_i % 4], rank;
    struct resize c = {_i / 4 % 3, _i / 12 % 6, _i % 4, _i % 5 == 0, _i % 7 == 0, -0.5};
    struct axis axes[MAX_RANK];
    int64_t in[MAX_RANK], out[MAX_RANK];
    bool by_sizes = _i % 2, is_late = _i % 3 == 0;
    double *x, *want;
    size_t n_in, n_out;

    data_seed((uint64_t)_i);
    rank = (uint32_t)data_pick(1, 4);
    c.exclude = c.exclude && c.coordinate != 5 && c.coordinate != 1;
    make_axes(axes, rank, by_sizes, c.coordinate == 5);
    for (uint32_t d = 0; d < rank; d++) {
        in[d] = axes[d].in;
        out[d] = axes[d].out;
    }
    n_in = (size_t)bp_dims_count(in, rank);
    n_out = (size_t)bp_dims_count(out, rank);
    x = kept_values(n_in, dtype);
    want = kept_zeros(1, n_out * sizeof *want + 1);
    for (size_t i = 0; i < n_out; i++)
        want[i] = resized(&c, axes, rank, x, n_in, i);
    th_input(t, "x", dtype, text_of(in, rank), kept_encode(x, n_in, dtype));
    th_output(t, "y", dtype, is_late ? NULL : text_of(out, rank));
    add_resize(&c, axes, rank, by_sizes, is_late);
    if (is_late)
        th_allow_alloc(t);
    ck_run();
    ck_assert_uint_eq(th_count(t, "y"), n_out);
    data_compare("y", th_data(t, "y"), want, n_out, dtype, 40);
}
END_TEST

/* An image, large enough for bands and threads, against the same sums along one axis at a time. */
START_TEST(resize_of_a_large_image_in_bands_matches_one_axis_at_a_time)
{
    enum { C = 3, H = 61, W = 83 };
    const int64_t oh = _i ? 29 : 131, ow = _i ? 300 : 170;
    struct resize c = {1, 0, 0, _i == 1, false, -0.75};
    struct axis y = {H, oh, (double)oh / H, 0, 1}, x = {W, ow, (double)ow / W, 0, 1};
    double *data, *rows = kept_zeros((size_t)(C * H * ow), sizeof *rows);
    double *want = kept_zeros((size_t)(C * oh * ow), sizeof *want);

    data_seed(5);
    data = kept_values(C * H * W, BP_DTYPE_F32);
    for (int64_t j = 0; j < ow; j++) {
        for (int64_t k = 0; k < W; k++) {
            double w = weight_of(&c, &x, j, k);

            for (int64_t r = 0; r < C * H && w != 0; r++)
                rows[r * ow + j] += w * data[r * W + k];
        }
    }
    for (int64_t i = 0; i < oh; i++) {
        for (int64_t k = 0; k < H; k++) {
            double w = weight_of(&c, &y, i, k);

            for (int64_t p = 0; p < C * ow && w != 0; p++)
                want[(p / ow * oh + i) * ow + p % ow] += w * rows[(p / ow * H + k) * ow + p % ow];
        }
    }
    th_input(t, "x", BP_DTYPE_F32, "1,3,61,83", kept_encode(data, C * H * W, BP_DTYPE_F32));
    th_const(t, "sizes", BP_DTYPE_I64, "2", (int64_t[]){oh, ow});
    th_output(t, "y", BP_DTYPE_F32, text_of((int64_t[]){1, C, oh, ow}, 4));
    th_node(t, "Resize", 18, "x - - sizes", "y");
    th_string(t, "mode", "linear");
    th_string(t, "coordinate_transformation_mode", "half_pixel");
    th_int(t, "antialias", c.antialias);
    th_ints(t, "axes", 2, (int64_t[]){2, -1});
    ck_run();
    data_compare("y", th_data(t, "y"), want, (size_t)(C * oh * ow), BP_DTYPE_F32, 20);
}
END_TEST

START_TEST(resize_takes_integers_and_strings)
{
    const bp_span texts[] = {{"a", 1}, {"bc", 2}};
    const bp_span *got;

    th_input(t, "x", BP_DTYPE_U8, "2,2", (uint8_t[]){0, 100, 200, 255});
    th_input(t, "s", BP_DTYPE_STRING, "2", texts);
    th_const(t, "scales", BP_DTYPE_F32, "2", (float[]){1, 2});
    th_const(t, "double", BP_DTYPE_F32, "1", (float[]){2});
    th_output(t, "y", BP_DTYPE_U8, "2,4");
    th_output(t, "z", BP_DTYPE_STRING, "4");
    th_node(t, "Resize", 10, "x scales", "y");
    th_string(t, "mode", "linear");
    th_node(t, "Upsample", 9, "s double", "z");
    th_string(t, "mode", "nearest");
    ck_run();
    ck_assert_mem_eq(th_data(t, "y"), ((uint8_t[]){0, 50, 100, 100, 200, 227, 255, 255}), 8);
    got = th_data(t, "z");
    ck_assert_uint_eq(got[1].size, 1);
    ck_assert_mem_eq(got[2].data, "bc", 2);
}
END_TEST

/* The first versions have their scales in attributes, one of them in two. */
START_TEST(upsample_reads_scales_from_attributes)
{
    const float want[] = {1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2};

    th_input(t, "x", BP_DTYPE_F32, "1,1,1,2", (float[]){1, 2});
    th_output(t, "y", BP_DTYPE_F32, "1,1,2,6");
    th_node(t, "Upsample", _i ? 7 : 1, "x", "y");
    if (_i) {
        th_floats(t, "scales", 4, (float[]){1, 1, 2, 3});
    } else {
        th_float(t, "height_scale", 2);
        th_float(t, "width_scale", 3);
    }
    ck_run();
    ck_assert_mem_eq(th_data(t, "y"), want, sizeof want);
}
END_TEST

START_TEST(resize_rejects_scales_and_sizes_that_do_not_fit)
{
    static const struct {
        float scale;
        const char *x, *scales, *words;
    } cases[] = {
        {-1, "2", "1", "cannot be scaled"},
        {NAN, "2", "1", "cannot be scaled"},
        {1, "2", "2", "2 scales for 1 axes"},
    };
    const float scales[] = {cases[_i].scale, 1};

    th_input(t, "x", BP_DTYPE_F32, cases[_i].x, (float[]){1, 2});
    th_input(t, "scales", BP_DTYPE_F32, cases[_i].scales, scales);
    th_output(t, "y", BP_DTYPE_F32, NULL);
    th_node(t, "Resize", 19, "x - scales", "y");
    th_allow_alloc(t);
    ck_assert_int_lt(th_run(t), 0);
    ck_assert_ptr_nonnull(strstr(th_message(t), cases[_i].words));
}
END_TEST

START_TEST(resize_keeps_the_aspect_ratio)
{
    th_input(t, "x", BP_DTYPE_F32, "2,4", (float[]){1, 2, 3, 4, 5, 6, 7, 8});
    th_const(t, "sizes", BP_DTYPE_I64, "2", (int64_t[]){6, 6});
    th_output(t, "y", BP_DTYPE_F32, _i ? "6,12" : "3,6");
    th_node(t, "Resize", 18, "x - - sizes", "y");
    th_string(t, "keep_aspect_ratio_policy", _i ? "not_smaller" : "not_larger");
    ck_run();
    ck_assert_double_eq((double)(*(const float *)th_data(t, "y")), 1);
}
END_TEST

/* ---- GridSample ------------------------------------------------------------------------------ */

static const char *const paddings[] = {"zeros", "border", "reflection"};

/* Element i along a dimension that goes on as the padding says; -1: there is none. */
static int64_t padded(int64_t i, int64_t n, int padding, bool corners)
{
    if (i >= 0 && i < n)
        return i;
    if (padding == 0)
        return -1;
    if (padding == 1)
        return i < 0 ? 0 : n - 1;
    while (i < 0 || i >= n) { /* mirrors at both ends, one step after the other */
        if (corners && n == 1)
            return 0;
        if (i < 0)
            i = corners ? -i : -1 - i;
        else
            i = corners ? 2 * (n - 1) - i : 2 * n - 1 - i;
    }
    return i;
}

/* A coordinate beyond the border is brought inside before anything else. */
static double bounded(double x, int64_t n, int padding, bool corners)
{
    double low = corners ? 0 : -0.5, high = (double)n - (corners ? 1 : 0.5);

    if (x >= low && x <= high)
        return x;
    if (padding == 1)
        return fmin(fmax(x, 0), (double)(n - 1));
    while (padding == 2 && (x < low || x > high))
        x = high == low ? low : x < low ? 2 * low - x : 2 * high - x;
    return x;
}

struct grid {
    int mode, padding;
    bool corners;
    uint32_t n;
    const int64_t *dims;
};

static double sampled(const struct grid *g, const double *x, uint32_t d, const double *at,
                      size_t base)
{
    double place = at[d], sum = 0;
    struct resize cubic = {.mode = g->mode, .a = -0.75};

    if (g->mode == 0)
        place = rint(place);
    place = bounded(place, g->dims[d], g->padding, g->corners);
    for (int64_t i = (int64_t)floor(place) - 1; i <= (int64_t)floor(place) + 2; i++) {
        int64_t e = padded(i, g->dims[d], g->padding, g->corners);
        double w = g->mode == 0 ? (double)i == place : filter(&cubic, (double)i - place);
        size_t next = base * (size_t)g->dims[d] + (size_t)e;

        if (e >= 0 && w != 0)
            sum += w * (d + 1 == g->n ? x[next] : sampled(g, x, d + 1, at, next));
    }
    return sum;
}

START_TEST(grid_sample_matches_its_definition)
{
    static const uint32_t types[] = {BP_DTYPE_F32, BP_DTYPE_F64, BP_DTYPE_F16};
    uint32_t dtype = types[_i % 3], n = 1 + (uint32_t)_i / 54 % 3;
    struct grid g = {_i / 3 % 3, _i / 9 % 3, _i / 27 % 2, n, NULL};
    int64_t x_dims[MAX_RANK] = {2, 3}, grid_dims[MAX_RANK] = {2}, y_dims[MAX_RANK] = {2, 3};
    size_t plane, points;
    double *x, *grid, *want;

    data_seed((uint64_t)_i);
    for (uint32_t d = 0; d < n; d++) {
        x_dims[d + 2] = data_pick(1, 5);
        y_dims[d + 2] = grid_dims[d + 1] = data_pick(1, n > 1 ? 7 : 150);
    }
    grid_dims[n + 1] = n;
    g.dims = x_dims + 2;
    plane = (size_t)bp_dims_count(g.dims, n);
    points = (size_t)bp_dims_count(y_dims + 2, n);
    x = kept_values(6 * plane, dtype);
    grid = kept_values(2 * points * n, BP_DTYPE_F64);
    want = kept_zeros(1, 6 * points * sizeof *want);
    for (size_t i = 0; i < 2 * points * n; i++)
        grid[i] *= 2.3;
    for (size_t i = 0; i < 6 * points; i++) {
        double at[3];

        for (uint32_t d = 0; d < n; d++) {
            double v = grid[(i / (3 * points) * points + i % points) * n + (n - 1 - d)];
            double size = (double)g.dims[d];

            at[d] = g.corners ? (v + 1) / 2 * (size - 1) : ((v + 1) * size - 1) / 2;
        }
        want[i] = sampled(&g, x + i / points * plane, 0, at, 0);
    }
    th_input(t, "x", dtype, text_of(x_dims, n + 2), kept_encode(x, 6 * plane, dtype));
    th_input(t, "grid", BP_DTYPE_F64, text_of(grid_dims, n + 2),
             kept_encode(grid, 2 * points * n, BP_DTYPE_F64));
    th_output(t, "y", dtype, text_of(y_dims, n + 2));
    th_node(t, "GridSample", 22, "x grid", "y");
    th_string(t, "mode", modes[g.mode]);
    th_string(t, "padding_mode", paddings[g.padding]);
    th_int(t, "align_corners", g.corners);
    ck_run();
    data_compare("y", th_data(t, "y"), want, 6 * points, dtype, 64);
}
END_TEST

START_TEST(grid_sample_gives_zero_at_invalid_positions)
{
    const float grid[] = {NAN, 0, INFINITY, 0, -INFINITY, 0, 3e38f, -3e38f};
    const float *y;

    th_input(t, "x", BP_DTYPE_F32, "1,1,2,2", (float[]){INFINITY, NAN, 3, 4});
    th_input(t, "grid", BP_DTYPE_F32, "1,1,4,2", grid);
    th_output(t, "y", BP_DTYPE_F32, "1,1,1,4");
    th_node(t, "GridSample", 20, "x grid", "y");
    th_string(t, "mode", modes[_i]);
    th_string(t, "padding_mode", "zeros");
    ck_run();
    y = th_data(t, "y");
    for (int i = 0; i < 4; i++)
        ck_assert_double_eq((double)(y[i]), 0);
}
END_TEST

/* ---- AffineGrid ------------------------------------------------------------------------------ */

START_TEST(affine_grid_matches_its_definition)
{
    static const uint32_t types[] = {BP_DTYPE_F32, BP_DTYPE_F64, BP_DTYPE_F16, BP_DTYPE_BF16};
    uint32_t dtype = types[_i % 4];
    bool corners = _i / 4 % 2, is_late = _i / 8 % 2;
    int n = _i / 16 ? 3 : 2;
    const int64_t size[] = {2, 1, n == 3 ? 4 : 3, n == 3 ? 3 : 5, 5};
    const int64_t z_size = n == 3 ? size[2] : 1, y_size = size[n], x_size = size[n + 1];
    int64_t dims[5];
    size_t count = (size_t)(2 * z_size * y_size * x_size * n);
    double *theta, *want = kept_zeros(1, count * sizeof *want);

    data_seed((uint64_t)_i);
    theta = kept_values(24, dtype);
    for (size_t i = 0; i < count; i++) {
        size_t p = i / (size_t)n, k = i % (size_t)n;
        int64_t c[3] = {(int64_t)p % x_size, (int64_t)p / x_size % y_size,
                        (int64_t)p / x_size / y_size % z_size};
        int64_t sizes[3] = {x_size, y_size, z_size};
        const double *row =
            theta + ((int64_t)p / (x_size * y_size * z_size) * n + (int64_t)k) * (n + 1);

        want[i] = row[n];
        for (int d = 0; d < n; d++)
            want[i] += row[d] * (corners ? 2.0 * (double)c[d] / (double)(sizes[d] - 1) - 1
                                         : (2.0 * (double)c[d] + 1) / (double)sizes[d] - 1);
    }
    dims[0] = 2;
    for (int d = 0; d < n; d++)
        dims[d + 1] = size[d + 2];
    dims[n + 1] = n;
    th_input(t, "theta", dtype, n == 3 ? "2,3,4" : "2,2,3",
             kept_encode(theta, (size_t)(2 * n * (n + 1)), dtype));
    (is_late ? th_input : th_const)(t, "size", BP_DTYPE_I64, n == 3 ? "5" : "4", size);
    th_output(t, "y", dtype, is_late ? NULL : text_of(dims, (uint32_t)n + 2));
    th_node(t, "AffineGrid", 20, "theta size", "y");
    th_int(t, "align_corners", corners);
    if (is_late)
        th_allow_alloc(t);
    ck_run();
    data_compare("y", th_data(t, "y"), want, count, dtype, 8);
}
END_TEST

/* ---- DeformConv ------------------------------------------------------------------------------ */

START_TEST(deform_conv_samples_at_offsets)
{
    static const uint32_t types[] = {BP_DTYPE_F32, BP_DTYPE_F64, BP_DTYPE_F16, BP_DTYPE_BF16};
    enum { N = 2, H = 9, KH = 3, KW = 2, PAD = 1, DILATION = 2 };
    const int groups = 1 + _i / 4 % 2, moved = 1 + _i / 8 % 2, stride = 1 + _i / 16 % 2;
    const int width = _i % 3 ? 8 : 40, channels = 4, maps = 6;
    const int oh = (H + 2 * PAD - 5) / stride + 1, ow = (width + 2 * PAD - 3) / stride + 1;
    uint32_t dtype = types[_i % 4];
    size_t n_x = (size_t)(N * channels * H * width), n_y = (size_t)(N * maps * oh * ow);
    size_t n_w = (size_t)(maps * channels / groups * KH * KW);
    size_t n_mask = (size_t)(N * moved * KH * KW * oh * ow);
    const int64_t dims[] = {H, width};
    struct grid g = {1, 0, false, 2, dims};
    double *x, *w, *offset, *b, *mask, *want = kept_zeros(n_y, sizeof *want);

    data_seed((uint64_t)_i);
    x = kept_values(n_x, dtype);
    w = kept_values(n_w, dtype);
    offset = kept_values(2 * n_mask, dtype);
    b = kept_values((size_t)maps, dtype);
    mask = kept_values(n_mask, dtype);
    for (int i = 0; i < (int)n_y; i++) {
        int ox = i % ow, oy = i / ow % oh, m = i / ow / oh % maps, image = i / ow / oh / maps;

        want[i] = b[m];
        for (int c = 0; c < channels / groups; c++) {
            for (int k = 0; k < KH * KW; k++) {
                int channel = m / (maps / groups) * (channels / groups) + c;
                int tap = (image * moved + channel / (channels / moved)) * KH * KW + k;
                int place = oy * ow + ox;
                double at[2] = {oy * stride - PAD + k / KW * DILATION +
                                    offset[(tap * 2) * oh * ow + place],
                                ox * stride - PAD + k % KW * DILATION +
                                    offset[(tap * 2 + 1) * oh * ow + place]};

                want[i] += w[(m * (channels / groups) + c) * KH * KW + k] *
                           mask[tap * oh * ow + place] *
                           sampled(&g, x + (image * channels + channel) * H * width, 0, at, 0);
            }
        }
    }
    th_input(t, "x", dtype, text_of((int64_t[]){N, channels, H, width}, 4),
             kept_encode(x, n_x, dtype));
    th_const(t, "w", dtype, text_of((int64_t[]){maps, channels / groups, KH, KW}, 4),
             kept_encode(w, n_w, dtype));
    th_input(t, "offset", dtype, text_of((int64_t[]){N, moved * KH * KW * 2, oh, ow}, 4),
             kept_encode(offset, 2 * n_mask, dtype));
    th_const(t, "b", dtype, "6", kept_encode(b, (size_t)maps, dtype));
    th_input(t, "mask", dtype, text_of((int64_t[]){N, moved * KH * KW, oh, ow}, 4),
             kept_encode(mask, n_mask, dtype));
    th_output(t, "y", dtype, text_of((int64_t[]){N, maps, oh, ow}, 4));
    th_node(t, "DeformConv", 22, "x w offset b mask", "y");
    th_int(t, "group", groups);
    th_int(t, "offset_group", moved);
    th_ints(t, "pads", 4, (int64_t[]){PAD, PAD, PAD, PAD});
    th_ints(t, "strides", 2, (int64_t[]){stride, stride});
    th_ints(t, "dilations", 2, (int64_t[]){DILATION, DILATION});
    ck_run();
    data_compare("y", th_data(t, "y"), want, n_y, dtype, 128);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_image");
    TCase *tcase = tcase_create("image");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, resize_matches_its_definition, 0, 432);
    tcase_add_loop_test(tcase, resize_of_a_large_image_in_bands_matches_one_axis_at_a_time, 0, 2);
    tcase_add_test(tcase, resize_takes_integers_and_strings);
    tcase_add_loop_test(tcase, upsample_reads_scales_from_attributes, 0, 2);
    tcase_add_loop_test(tcase, resize_rejects_scales_and_sizes_that_do_not_fit, 0, 3);
    tcase_add_loop_test(tcase, resize_keeps_the_aspect_ratio, 0, 2);
    tcase_add_loop_test(tcase, grid_sample_matches_its_definition, 0, 162);
    tcase_add_loop_test(tcase, grid_sample_gives_zero_at_invalid_positions, 0, COUNT(modes));
    tcase_add_loop_test(tcase, affine_grid_matches_its_definition, 0, 32);
    tcase_add_loop_test(tcase, deform_conv_samples_at_offsets, 0, 32);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
