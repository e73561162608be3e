/* SPDX-License-Identifier: MIT */
/*
 * check_image_regions.c - operators of the CPU provider over regions and windows: RoiAlign,
 * MaxRoiPool, LpPool, GlobalLpPool, AveragePool, MaxPool and Det, each against a loop in double
 * that follows the text.
 */

#include "config.h"

#include <math.h>

#include "cpu/cpu_case.h"
#include "support/shapes.h"
#include "support/typed.h"

/* n values within -range..range that the type can hold; malloc'ed. */
static double *reals(uint64_t *seed, size_t n, float range, uint32_t dtype)
{
    double *v = kept_zeros(n + 1, sizeof *v);
    void *data;

    ck_assert_ptr_nonnull(v);
    for (size_t i = 0; i < n; i++)
        v[i] = (double)random_float(seed, range);
    data = kept_encode(v, n, dtype);
    for (size_t i = 0; i < n; i++)
        v[i] = typed_get(data, dtype, i);
    return v;
}

/* ---- RoiAlign -------------------------------------------------------------------------------- */

enum { IMAGES = 2, CHANNELS = 3, HEIGHT = 7, WIDTH = 5, REGIONS = 4 };

struct align {
    int64_t cells[2], ratio;
    double scale, offset;
    bool takes_max;
};

/* The four weighted neighbours of a place in an image; zeros outside. */
static void neighbours(const double *image, double y, double x, double *parts)
{
    int64_t low_y, low_x, high_y, high_x;

    for (int k = 0; k < 4; k++)
        parts[k] = 0;
    if (y < -1 || y > HEIGHT || x < -1 || x > WIDTH)
        return;
    y = fmin(fmax(y, 0), HEIGHT - 1);
    x = fmin(fmax(x, 0), WIDTH - 1);
    low_y = (int64_t)floor(y);
    low_x = (int64_t)floor(x);
    high_y = low_y + 1 < HEIGHT ? low_y + 1 : low_y;
    high_x = low_x + 1 < WIDTH ? low_x + 1 : low_x;
    y -= (double)low_y;
    x -= (double)low_x;
    parts[0] = (1 - y) * (1 - x) * image[low_y * WIDTH + low_x];
    parts[1] = (1 - y) * x * image[low_y * WIDTH + high_x];
    parts[2] = y * (1 - x) * image[high_y * WIDTH + low_x];
    parts[3] = y * x * image[high_y * WIDTH + high_x];
}

static double aligned(const struct align *a, const double *image, const double *roi, int64_t row,
                      int64_t column)
{
    double x1 = roi[0] * a->scale - a->offset, y1 = roi[1] * a->scale - a->offset;
    double w = roi[2] * a->scale - a->offset - x1, h = roi[3] * a->scale - a->offset - y1;
    double sum = 0, best = 0, parts[4];
    int64_t n_y, n_x;

    if (a->offset == 0) {
        w = fmax(w, 1);
        h = fmax(h, 1);
    }
    h /= (double)a->cells[0];
    w /= (double)a->cells[1];
    n_y = a->ratio ? a->ratio : (int64_t)ceil(h);
    n_x = a->ratio ? a->ratio : (int64_t)ceil(w);
    for (int64_t i = 0; i < n_y * n_x; i++) {
        neighbours(image, y1 + ((double)row + ((double)(i / n_x) + 0.5) / (double)n_y) * h,
                   x1 + ((double)column + ((double)(i % n_x) + 0.5) / (double)n_x) * w, parts);
        for (int k = 0; k < 4; k++) {
            sum += parts[k];
            best = (i == 0 && k == 0) || parts[k] > best ? parts[k] : best;
        }
    }
    return a->takes_max ? best : sum / (double)(n_y * n_x > 1 ? n_y * n_x : 1);
}

START_TEST(roi_align_matches_its_definition)
{
    uint64_t seed = (uint64_t)_i;
    uint32_t dtype = typed_all[_i % 4];
    bool is_half = random_below(&seed, 2);
    struct align a = {.cells = {1 + random_below(&seed, 3), 1 + random_below(&seed, 3)},
                      .ratio = random_below(&seed, 3),
                      .scale = 0.5,
                      .offset = is_half ? 0.5 : 0,
                      .takes_max = random_below(&seed, 2)};
    struct shape y = {4, {REGIONS, CHANNELS, a.cells[0], a.cells[1]}};
    double *x = reals(&seed, IMAGES * CHANNELS * HEIGHT * WIDTH, 1, dtype);
    double *rois = kept_zeros(REGIONS * 4, sizeof *rois),
           *want = kept_zeros(shape_count(&y), sizeof *want);
    int64_t batches[REGIONS];

    for (int r = 0; r < REGIONS; r++) {
        batches[r] = random_below(&seed, IMAGES);
        for (int k = 0; k < 2; k++) { /* quarters, which all types have; some outside */
            rois[4 * r + k] = random_below(&seed, 60) / 4.0 - 3;
            rois[4 * r + 2 + k] = rois[4 * r + k] + random_below(&seed, 50) / 4.0 + 0.25;
        }
    }
    for (size_t i = 0; i < shape_count(&y); i++) {
        int64_t at[SHAPE_RANK];

        shape_index(&y, i, at);
        want[i] = aligned(&a, x + (batches[at[0]] * CHANNELS + at[1]) * HEIGHT * WIDTH,
                          rois + 4 * at[0], at[2], at[3]);
    }
    th_input(t, "x", dtype, "2,3,7,5", kept_encode(x, IMAGES * CHANNELS * HEIGHT * WIDTH, dtype));
    th_input(t, "rois", dtype, "4,4", kept_encode(rois, REGIONS * 4, dtype));
    th_input(t, "batches", BP_DTYPE_I64, "4", batches);
    th_output(t, "y", dtype, shape_text(&y));
    th_node(t, "RoiAlign", is_half ? 16 : 10, "x rois batches", "y");
    th_int(t, "output_height", a.cells[0]);
    th_int(t, "output_width", a.cells[1]);
    th_int(t, "sampling_ratio", a.ratio);
    th_float(t, "spatial_scale", 0.5f);
    th_string(t, "mode", a.takes_max ? "max" : "avg");
    ck_run();
    elem_near(th_data(t, "y"), want, shape_count(&y), dtype, 16);
}
END_TEST

START_TEST(roi_align_rejects_an_invalid_region)
{
    float rois[4] = {0, 0, _i == 1 ? strtof("inf", NULL) : 1, _i == 2 ? 1e20f : 1};

    th_input(t, "x", BP_DTYPE_F32, "1,1,2,2", (float[]){1, 2, 3, 4});
    th_input(t, "rois", BP_DTYPE_F32, "1,4", rois);
    th_input(t, "batches", BP_DTYPE_I64, "1", (int64_t[]){_i == 0 ? 1 : 0});
    th_output(t, "y", BP_DTYPE_F32, "1,1,1,1");
    th_node(t, "RoiAlign", 16, "x rois batches", "y");
    ck_assert_int_eq(th_run(t), BP_E_INVALID);
    ck_assert_ptr_nonnull(strstr(th_message(t), _i ? "rois" : "batch_indices"));
}
END_TEST

/* ---- MaxRoiPool ------------------------------------------------------------------------------ */

static double pooled(const double *image, const double *roi, const int64_t *cells, int64_t row,
                     int64_t column)
{
    double x1 = round(roi[1] * 0.5), y1 = round(roi[2] * 0.5);
    double w = fmax(round(roi[3] * 0.5) - x1 + 1, 1) / (double)cells[1];
    double h = fmax(round(roi[4] * 0.5) - y1 + 1, 1) / (double)cells[0];
    double best = 0;
    bool is_empty = true;

    for (int64_t i = 0; i < HEIGHT; i++) {
        for (int64_t k = 0; k < WIDTH; k++) {
            double y = (double)i - y1, x = (double)k - x1;

            if (y < floor((double)row * h) || y >= ceil((double)(row + 1) * h) ||
                x < floor((double)column * w) || x >= ceil((double)(column + 1) * w))
                continue;
            best = is_empty || image[i * WIDTH + k] > best ? image[i * WIDTH + k] : best;
            is_empty = false;
        }
    }
    return best;
}

START_TEST(max_roi_pool_matches_its_definition)
{
    uint64_t seed = (uint64_t)_i;
    uint32_t dtype = typed_all[_i % 4];
    int64_t cells[2] = {1 << random_below(&seed, 2), 1 << random_below(&seed, 3)};
    struct shape y = {4, {REGIONS, CHANNELS, cells[0], cells[1]}};
    double *x = reals(&seed, IMAGES * CHANNELS * HEIGHT * WIDTH, 1, dtype);
    double rois[REGIONS * 5], *want = kept_zeros(shape_count(&y), sizeof *want);

    for (int r = 0; r < REGIONS; r++) {
        rois[5 * r] = random_below(&seed, IMAGES);
        for (int k = 1; k < 3; k++) {
            rois[5 * r + k] = random_below(&seed, 14) - 2.0;
            rois[5 * r + k + 2] = rois[5 * r + k] + random_below(&seed, 14) - 1.0;
        }
    }
    for (size_t i = 0; i < shape_count(&y); i++) {
        int64_t at[SHAPE_RANK];

        shape_index(&y, i, at);
        want[i] = pooled(x + ((int64_t)rois[5 * at[0]] * CHANNELS + at[1]) * HEIGHT * WIDTH,
                         rois + 5 * at[0], cells, at[2], at[3]);
    }
    th_input(t, "x", dtype, "2,3,7,5", kept_encode(x, IMAGES * CHANNELS * HEIGHT * WIDTH, dtype));
    th_input(t, "rois", dtype, "4,5", kept_encode(rois, REGIONS * 5, dtype));
    th_output(t, "y", dtype, shape_text(&y));
    th_node(t, "MaxRoiPool", 1, "x rois", "y");
    th_ints(t, "pooled_shape", 2, cells);
    th_float(t, "spatial_scale", 0.5f);
    ck_run();
    elem_compare(th_data(t, "y"), want, shape_count(&y), dtype);
}
END_TEST

START_TEST(max_roi_pool_rejects_an_invalid_region)
{
    th_input(t, "x", BP_DTYPE_F32, "1,1,2,2", (float[]){1, 2, 3, 4});
    th_input(t, "rois", BP_DTYPE_F32, "1,5",
             (float[]){_i == 0   ? 1
                       : _i == 1 ? -1
                                 : 0,
                       0, 0, _i == 2 ? 1e30f : 1, 1});
    th_output(t, "y", BP_DTYPE_F32, "1,1,1,1");
    th_node(t, "MaxRoiPool", 1, "x rois", "y");
    th_ints(t, "pooled_shape", 2, (int64_t[]){1, 1});
    ck_assert_int_eq(th_run(t), BP_E_INVALID);
    ck_assert_ptr_nonnull(strstr(th_message(t), "rois"));
}
END_TEST

/* ---- pools ----------------------------------------------------------------------------------- */

enum { SPATIAL = 4 };

struct windows {
    uint32_t n; /* spatial dimensions */
    struct shape x, y, taps;
    int64_t stride[SPATIAL], dilation[SPATIAL], pads[2 * SPATIAL];
};

static struct windows random_windows(uint64_t *seed, bool keeps_pads_small)
{
    struct windows w = {.n = 1 + random_below(seed, SPATIAL)};

    w.x = (struct shape){.rank = 2 + w.n, .dims = {2, 2}};
    w.taps.rank = w.n;
    for (uint32_t d = 0; d < w.n; d++) {
        int64_t k = 1 + random_below(seed, 3), span;

        w.taps.dims[d] = k;
        w.stride[d] = 1 + random_below(seed, 2);
        w.dilation[d] = 1 + random_below(seed, 2);
        w.pads[d] = random_below(seed, keeps_pads_small ? 2 : (uint32_t)k);
        w.pads[w.n + d] = random_below(seed, keeps_pads_small ? 2 : (uint32_t)k);
        span = (k - 1) * w.dilation[d] + 1;
        w.x.dims[2 + d] = span + random_below(seed, 4);
    }
    w.y = w.x;
    for (uint32_t d = 0; d < w.n; d++)
        w.y.dims[2 + d] = (w.x.dims[2 + d] + w.pads[d] + w.pads[w.n + d] -
                           (w.taps.dims[d] - 1) * w.dilation[d] - 1) /
                              w.stride[d] +
                          1;
    return w;
}

/* Element of x that tap k of window o is; -1: it is in the padding. */
static int64_t tap_at(const struct windows *w, size_t o, size_t k)
{
    int64_t at[SHAPE_RANK], tap[SHAPE_RANK];

    shape_index(&w->y, o, at);
    shape_index(&w->taps, k, tap);
    for (uint32_t d = 0; d < w->n; d++) {
        at[2 + d] = at[2 + d] * w->stride[d] + tap[d] * w->dilation[d] - w->pads[d];
        if (at[2 + d] < 0 || at[2 + d] >= w->x.dims[2 + d])
            return -1;
    }
    return (int64_t)shape_at(&w->x, at);
}

static void pool_node(const struct windows *w, const char *op, uint32_t since, const char *out)
{
    th_node(t, op, since, "x", out);
    th_ints(t, "kernel_shape", w->n, w->taps.dims);
    th_ints(t, "strides", w->n, w->stride);
    th_ints(t, "dilations", w->n, w->dilation);
    th_ints(t, "pads", 2 * w->n, w->pads);
}

START_TEST(lp_pool_matches_its_definition)
{
    uint64_t seed = (uint64_t)_i;
    uint32_t dtype = typed_all[_i % 4];
    struct windows w = random_windows(&seed, false);
    int64_t p = 1 + random_below(&seed, 4);
    double *values = reals(&seed, shape_count(&w.x), 2, dtype);
    double *want = kept_zeros(shape_count(&w.y), sizeof *want);

    for (size_t o = 0; o < shape_count(&w.y); o++) {
        for (size_t k = 0; k < shape_count(&w.taps); k++) {
            int64_t at = tap_at(&w, o, k);

            want[o] += at >= 0 ? pow(fabs(values[at]), (double)p) : 0;
        }
        want[o] = pow(want[o], 1 / (double)p);
    }
    th_input(t, "x", dtype, shape_text(&w.x), kept_encode(values, shape_count(&w.x), dtype));
    th_output(t, "y", dtype, shape_text(&w.y));
    pool_node(&w, "LpPool", 18, "y");
    th_int(t, "p", p);
    ck_run();
    elem_near(th_data(t, "y"), want, shape_count(&w.y), dtype, 64);
}
END_TEST

START_TEST(average_pool_matches_its_definition)
{
    uint64_t seed = (uint64_t)_i;
    uint32_t dtype = typed_all[_i % 4];
    struct windows w = random_windows(&seed, false);
    bool counts_pads = random_below(&seed, 2);
    double *values = reals(&seed, shape_count(&w.x), 2, dtype);
    double *want = kept_zeros(shape_count(&w.y), sizeof *want);

    for (size_t o = 0; o < shape_count(&w.y); o++) {
        size_t n = 0;

        for (size_t k = 0; k < shape_count(&w.taps); k++) {
            int64_t at = tap_at(&w, o, k);

            want[o] += at >= 0 ? values[at] : 0;
            n += at >= 0 || counts_pads;
        }
        want[o] = n ? want[o] / (double)n : 0;
    }
    th_input(t, "x", dtype, shape_text(&w.x), kept_encode(values, shape_count(&w.x), dtype));
    th_output(t, "y", dtype, shape_text(&w.y));
    pool_node(&w, "AveragePool", 19, "y");
    th_int(t, "count_include_pad", counts_pads);
    ck_run();
    elem_near(th_data(t, "y"), want, shape_count(&w.y), dtype, 64);
}
END_TEST

/* Elements counted with the first dimension of each image as the fastest. */
static int64_t by_columns(const struct shape *x, int64_t i)
{
    int64_t at[SHAPE_RANK] = {0}, number = 0;

    shape_index(x, (size_t)i, at);
    for (uint32_t d = x->rank; d-- > 2;)
        number = number * x->dims[d] + at[d];
    return (at[0] * x->dims[1] + at[1]) * bp_dims_count(x->dims + 2, x->rank - 2) + number;
}

START_TEST(max_pool_matches_its_definition)
{
    static const uint32_t types[] = {BP_DTYPE_F32, BP_DTYPE_F64,  BP_DTYPE_F16,
                                     BP_DTYPE_I8,  BP_DTYPE_BF16, BP_DTYPE_U8};
    uint64_t seed = (uint64_t)_i;
    uint32_t dtype = types[_i % 6];
    struct windows w = random_windows(&seed, true);
    bool columns = random_below(&seed, 2), with_indices = random_below(&seed, 4);
    double *values = elem_random(&seed, shape_count(&w.x), 9, dtype);
    double *want = kept_zeros(shape_count(&w.y), sizeof *want);
    int64_t *from = kept_zeros(shape_count(&w.y), sizeof *from);

    for (size_t o = 0; o < shape_count(&w.y); o++) {
        from[o] = -1;
        for (size_t k = 0; k < shape_count(&w.taps); k++) {
            int64_t at = tap_at(&w, o, k);

            if (at >= 0 && (from[o] < 0 || values[at] > values[from[o]]))
                from[o] = at;
        }
        if (from[o] >= 0)
            want[o] = values[from[o]];
        else /* a window in the padding alone */
            want[o] = dtype == BP_DTYPE_U8 ? 0 : dtype == BP_DTYPE_I8 ? -128 : -(double)INFINITY;
    }
    th_input(t, "x", dtype, shape_text(&w.x), kept_encode(values, shape_count(&w.x), dtype));
    th_output(t, "y", dtype, shape_text(&w.y));
    if (with_indices)
        th_output(t, "i", BP_DTYPE_I64, shape_text(&w.y));
    pool_node(&w, "MaxPool", 12, with_indices ? "y i" : "y");
    th_int(t, "storage_order", columns);
    ck_run();
    elem_compare(th_data(t, "y"), want, shape_count(&w.y), dtype);
    for (size_t o = 0; with_indices && o < shape_count(&w.y); o++) {
        int64_t index = from[o] >= 0 && columns ? by_columns(&w.x, from[o]) : from[o];

        ck_assert_int_eq(((const int64_t *)th_data(t, "i"))[o], index);
    }
}
END_TEST

START_TEST(lp_pool_and_average_pool_accept_a_window_of_padding)
{
    const float *y;

    th_input(t, "x", BP_DTYPE_F32, _i % 2 ? "1,1,1,0,1,1" : "1,1,0", NULL);
    th_output(t, "y", BP_DTYPE_F32, _i % 2 ? "1,1,3,2,3,3" : "1,1,2");
    th_node(t, _i / 2 ? "LpPool" : "AveragePool", 19, "x", "y");
    th_ints(t, "kernel_shape", _i % 2 ? 4 : 1, (int64_t[]){1, 1, 1, 1});
    th_ints(t, "pads", _i % 2 ? 8 : 2, (int64_t[]){1, 1, 1, 1, 1, 1, 1, 1});
    ck_run();
    y = th_data(t, "y");
    for (size_t i = 0; i < th_count(t, "y"); i++)
        ck_assert(y[i] == 0);
}
END_TEST

START_TEST(global_lp_pool_reduces_whole_channels)
{
    uint64_t seed = (uint64_t)_i;
    uint32_t dtype = typed_all[_i % 4];
    struct shape x = shape_random(&seed, 2, 5), y = x;
    double p = 1 + random_below(&seed, 4), *values = reals(&seed, shape_count(&x), 2, dtype);
    double *want = kept_zeros(shape_count(&x), sizeof *want);
    bool is_first = random_below(&seed, 2);
    size_t planes;

    for (uint32_t d = 2; d < y.rank; d++)
        y.dims[d] = 1;
    planes = shape_count(&y);
    for (size_t i = 0; i < shape_count(&x); i++)
        want[i / (shape_count(&x) / planes)] += pow(fabs(values[i]), p);
    for (size_t i = 0; i < planes; i++)
        want[i] = pow(want[i], 1 / p);
    th_input(t, "x", dtype, shape_text(&x), kept_encode(values, shape_count(&x), dtype));
    th_output(t, "y", dtype, shape_text(&y));
    th_node(t, "GlobalLpPool", is_first ? 1 : 2, "x", "y");
    if (is_first)
        th_float(t, "p", (float)p);
    else
        th_int(t, "p", (int64_t)p);
    ck_run();
    elem_near(th_data(t, "y"), want, planes, dtype, 64);
}
END_TEST

/* ---- Det ------------------------------------------------------------------------------------- */

/* By the first row, as it is defined. */
static double determinant(const double *a, int64_t n)
{
    double minor[16], sum = 0;

    if (n == 0)
        return 1;
    for (int64_t c = 0; c < n; c++) {
        for (int64_t i = 0; i < (n - 1) * (n - 1); i++) {
            int64_t column = i % (n - 1);

            minor[i] = a[(i / (n - 1) + 1) * n + column + (column >= c)];
        }
        sum += (c % 2 ? -1 : 1) * a[c] * determinant(minor, n - 1);
    }
    return sum;
}

START_TEST(det_matches_gaussian_elimination)
{
    uint64_t seed = (uint64_t)_i;
    uint32_t dtype = typed_all[_i % 4];
    int64_t n = random_below(&seed, 6);
    struct shape x = shape_random(&seed, 0, 2), y = x;
    double *values, *want = kept_zeros(shape_count(&x), sizeof *want);

    x.dims[x.rank++] = n;
    x.dims[x.rank++] = n;
    values = elem_random(&seed, shape_count(&x), 7, dtype); /* some are singular */
    for (size_t i = 0; i < shape_count(&x); i++)
        values[i] -= 3;
    for (size_t i = 0; i < shape_count(&y); i++)
        want[i] = determinant(values + i * (size_t)(n * n), n);
    th_input(t, "x", dtype, shape_text(&x), kept_encode(values, shape_count(&x), dtype));
    th_output(t, "y", dtype, shape_text(&y));
    th_node(t, "Det", 11, "x", "y");
    ck_run();
    elem_near(th_data(t, "y"), want, shape_count(&y), dtype, 1000);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_region");
    TCase *tcase = tcase_create("region");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, roi_align_matches_its_definition, 0, 80);
    tcase_add_loop_test(tcase, roi_align_rejects_an_invalid_region, 0, 3);
    tcase_add_loop_test(tcase, max_roi_pool_matches_its_definition, 0, 60);
    tcase_add_loop_test(tcase, max_roi_pool_rejects_an_invalid_region, 0, 3);
    tcase_add_loop_test(tcase, lp_pool_matches_its_definition, 0, 80);
    tcase_add_loop_test(tcase, average_pool_matches_its_definition, 0, 80);
    tcase_add_loop_test(tcase, max_pool_matches_its_definition, 0, 180);
    tcase_add_loop_test(tcase, lp_pool_and_average_pool_accept_a_window_of_padding, 0, 4);
    tcase_add_loop_test(tcase, global_lp_pool_reduces_whole_channels, 0, 40);
    tcase_add_loop_test(tcase, det_matches_gaussian_elimination, 0, 40);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
