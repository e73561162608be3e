/* SPDX-License-Identifier: MIT */
/*
 * check_matmul.c - MatMul and Gemm of the CPU provider, and below them the product kernels of
 * every instruction set that this machine has, against three plain loops.
 */

#include "config.h"

#include "support/random_data.h"
#include "support/test_host.h"
#include "support/typed.h"

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/gemm/gemm.h"
#include "kernels/window.h"

extern bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err);

/* c += a * b; steps say how far apart neighbours in a row and in a column are. */
struct plain {
    size_t m, n, k;
    size_t a_row, a_col, b_row, b_col;
};

static void multiply(const struct plain *p, const double *a, const double *b, double alpha,
                     double *c)
{
    for (size_t i = 0; i < p->m; i++) {
        for (size_t j = 0; j < p->n; j++) {
            for (size_t q = 0; q < p->k; q++)
                c[i * p->n + j] +=
                    alpha * a[i * p->a_row + q * p->a_col] * b[q * p->b_row + j * p->b_col];
        }
    }
}

static struct plain plain_of(size_t m, size_t n, size_t k, bool trans_a, bool trans_b)
{
    struct plain p = {m, n, k, trans_a ? 1 : k, trans_a ? m : 1, trans_b ? 1 : n, trans_b ? k : 1};

    return p;
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* Runs all tasks of a product whose A and B lie at odd addresses, and compares. */
static void check_product(struct bp_cpu_gemm *g, bool has_bias)
{
    struct plain p = plain_of(g->m, g->n, g->k, g->trans_a, g->trans_b);
    size_t size = g->dtype == BP_DTYPE_F64 ? 8 : 4, n_c = g->m * g->n;
    double *a = data_make(g->m * g->k, g->dtype), *b = data_make(g->k * g->n, g->dtype);
    double *c = data_make(n_c, g->dtype), *bias = data_make(g->m, g->dtype);
    void *a_data = typed_encode(a, g->m * g->k, g->dtype);
    void *b_data = typed_encode(b, g->k * g->n, g->dtype);
    void *c_data = typed_encode(c, n_c, g->dtype), *bias_data = typed_encode(bias, g->m, g->dtype);
    char *odd = malloc((g->m * g->k + g->k * g->n) * size + 2), *odd_b = odd + g->m * g->k * size;
    void *scratch;
    char what[200];

    bp_cpu_gemm_plan(g);
    snprintf(what, sizeof what, "%s %zux%zux%zu type %u, trans %d %d, add %d, path %u, %u tasks",
             g->simd->name, g->m, g->n, g->k, g->dtype, g->trans_a, g->trans_b, g->add, g->path,
             g->tasks);
    memcpy(odd + 1, a_data, g->m * g->k * size);
    memcpy(odd_b + 1, b_data, g->k * g->n * size);
    for (size_t i = 0; i < n_c && !g->add; i++)
        c[i] = has_bias ? bias[i / g->n] : 0;
    multiply(&p, a, b, g->alpha, c);
    scratch = aligned_alloc(64, g->scratch_bytes / 64 * 64 + 64);
    ck_assert_ptr_nonnull(scratch);
    for (uint32_t i = g->tasks; i-- > 0;) {
        struct bp_cpu_operands operands = {odd + 1, odd_b + 1, has_bias ? bias_data : NULL, c_data,
                                           NULL};

        bp_cpu_gemm_task(g, &operands, i, scratch);
    }
    data_compare(what, c_data, c, n_c, g->dtype, g->k);
    free(a);
    free(b);
    free(c);
    free(bias);
    free(a_data);
    free(b_data);
    free(c_data);
    free(bias_data);
    free(odd);
    free(scratch);
}

static struct bp_cpu_gemm made_up(uint32_t dtype)
{
    struct bp_cpu_gemm g = {.dtype = dtype};

    g.m = (size_t)(data_pick(0, 1) ? data_pick(1, 20) : data_pick(1, 150));
    g.n = (size_t)(data_pick(0, 1) ? data_pick(1, 70) : data_pick(1, 600));
    g.k = (size_t)(data_pick(0, 1) ? data_pick(0, 40) : data_pick(1, 600));
    g.trans_a = data_pick(0, 1) == 1;
    g.trans_b = data_pick(0, 1) == 1;
    g.add = data_pick(0, 1) == 1;
    g.is_conv = data_pick(0, 3) == 0;
    g.alpha = data_pick(0, 2) ? 1 : 0.5;
    g.width = (uint32_t)data_pick(1, 4);
    return g;
}

START_TEST(gemm_kernels_of_every_instruction_set_match_a_plain_loop)
{
    const uint32_t dtypes[] = {BP_DTYPE_F32, BP_DTYPE_F64};
    const struct bp_cpu_simd *simd;
    bool usable;

    data_seed((uint64_t)_i + 7);
    for (uint32_t t = 0; t < 2; t++) {
        for (uint32_t l = 0; (simd = bp_cpu_simd_level(dtypes[t], l, &usable)) != NULL; l++) {
            for (int i = 0; i < 8 && usable; i++) {
                struct bp_cpu_gemm g = made_up(dtypes[t]);

                g.simd = simd;
                check_product(&g, !g.add && data_pick(0, 1));
            }
        }
    }
}
END_TEST

/* Element (row, col) of the matrix of a convolution: a tap of a channel, an output position. */
static double window_element(const struct bp_cpu_window *w, const double *x, size_t row, size_t col)
{
    int64_t tap = (int64_t)row % w->kernel_count, at = (int64_t)col, l = 0, in = 1, place[3];

    for (int d = BP_CPU_SPATIAL; d-- > 0;) {
        place[d] = bp_cpu_window_start(w, d, at % w->out[d]) + tap % w->kernel[d] * w->dilation[d];
        at /= w->out[d];
        tap /= w->kernel[d];
        if (place[d] < 0 || place[d] >= w->in[d])
            return 0;
        l += place[d] * in;
        in *= w->in[d];
    }
    return x[(int64_t)row / w->kernel_count * w->in_count + l];
}

static struct bp_cpu_window made_up_window(void)
{
    struct bp_cpu_window w = {.in_count = 1, .out_count = 1, .kernel_count = 1};

    for (int d = 0; d < BP_CPU_SPATIAL; d++) {
        bool is_flat = d == 0 && data_pick(0, 3) > 0;

        w.kernel[d] = is_flat ? 1 : data_pick(1, 4);
        w.dilation[d] = data_pick(1, 2);
        w.stride[d] = data_pick(0, 5) ? 1 : 2;
        w.pad[d] = is_flat ? 0 : data_pick(-1, 2);
        w.out[d] = is_flat ? 1 : data_pick(1, 20);
        w.in[d] = is_flat ? 1 : data_pick(1, 24);
        w.in_count *= w.in[d];
        w.out_count *= w.out[d];
        w.kernel_count *= w.kernel[d];
    }
    return w;
}

/* A product with the matrix of a convolution, against the one with that matrix written out. */
static void check_windows(const struct bp_cpu_simd *simd, uint32_t dtype)
{
    struct bp_cpu_window w = made_up_window();
    /* with 512 elements, the rows of A lie so that a tile's would collide in the cache */
    size_t channels = data_pick(0, 3) || 512 % w.kernel_count ? (size_t)data_pick(1, 9)
                                                              : 512 / (size_t)w.kernel_count;
    struct bp_cpu_gemm g = {.m = (size_t)data_pick(1, 130),
                            .n = (size_t)w.out_count,
                            .k = channels * (size_t)w.kernel_count,
                            .dtype = dtype,
                            .is_conv = true,
                            .alpha = 1,
                            .image = &w,
                            .width = (uint32_t)data_pick(1, 3),
                            .simd = simd};
    size_t n_x = channels * (size_t)w.in_count;
    double *a = data_make(g.m * g.k, dtype), *x = data_make(n_x, dtype);
    double *b = calloc(g.k * g.n, sizeof *b), *c = calloc(g.m * g.n, sizeof *c);
    void *a_data = typed_encode(a, g.m * g.k, dtype), *x_data = typed_encode(x, n_x, dtype);
    void *c_data = typed_encode(c, g.m * g.n, dtype), *scratch;
    struct plain p = plain_of(g.m, g.n, g.k, false, false);

    for (size_t i = 0; i < g.k * g.n; i++)
        b[i] = window_element(&w, x, i / g.n, i % g.n);
    multiply(&p, a, b, 1, c);
    bp_cpu_gemm_plan(&g);
    scratch = aligned_alloc(64, g.scratch_bytes / 64 * 64 + 64);
    for (uint32_t i = g.tasks; i-- > 0;) {
        struct bp_cpu_operands operands = {a_data, x_data, NULL, c_data, NULL};

        bp_cpu_gemm_task(&g, &operands, i, scratch);
    }
    data_compare(simd->name, c_data, c, g.m * g.n, dtype, g.k);
    free(a);
    free(x);
    free(b);
    free(c);
    free(a_data);
    free(x_data);
    free(c_data);
    free(scratch);
}

START_TEST(gemm_kernels_of_every_instruction_set_read_conv_windows)
{
    const uint32_t dtypes[] = {BP_DTYPE_F32, BP_DTYPE_F64};
    const struct bp_cpu_simd *simd;
    bool usable;

    data_seed((uint64_t)_i + 70);
    for (uint32_t t = 0; t < 2; t++) {
        for (uint32_t l = 0; (simd = bp_cpu_simd_level(dtypes[t], l, &usable)) != NULL; l++) {
            for (int i = 0; i < 8 && usable; i++)
                check_windows(simd, dtypes[t]);
        }
    }
}
END_TEST

START_TEST(gemm_by_openblas_matches_a_plain_loop)
{
    struct bp_cpu_blas *blas = bp_cpu_blas_open(), *again = bp_cpu_blas_open();

    ck_assert_msg(blas != NULL, "OpenBLAS cannot be opened");
    ck_assert_ptr_eq(blas, again);
    bp_cpu_blas_close(again);
    data_seed(11);
    for (int i = 0; i < 30; i++) {
        struct bp_cpu_gemm g = made_up(i % 2 ? BP_DTYPE_F64 : BP_DTYPE_F32);

        g.blas = blas;
        g.m += 16;
        check_product(&g, !g.add && data_pick(0, 1));
    }
    bp_cpu_blas_close(blas);
    bp_cpu_blas_close(NULL);
}
END_TEST

static double pass_exp(double x)
{
    return exp(x);
}

static double pass_sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static double pass_tanh(double x)
{
    return tanh(x);
}

/* The relative error of f(x) over values and specials of every size. */
static void check_map(const struct bp_cpu_simd *simd, uint32_t dtype, int which)
{
    double (*const exact[])(double) = {pass_exp, pass_sigmoid, pass_tanh};
    const double specials[] = {
        (double)NAN, (double)INFINITY, -(double)INFINITY, 0, -100, 100, 1e-20, -87.5, 88.5};
    enum { N = 403 };
    double x[N];
    void *data;

    for (int i = 0; i < N; i++)
        x[i] = i < 9 ? specials[i] : (double)data_pick(-20000, 20000) / (i % 2 ? 1000 : 100000);
    data = typed_encode(x, N, dtype);
    for (size_t i = 0; i < N; i++)
        x[i] = typed_get(data, dtype, i);
    if (which == 0)
        simd->exp_sum(data, data, N, 0);
    else if (which == 1)
        simd->sigmoid(data, data, N);
    else
        simd->tanh(data, data, N);
    for (size_t i = 0; i < N; i++) {
        double got = typed_get(data, dtype, i), want = exact[which](x[i]);
        double slack = dtype == BP_DTYPE_F64 ? 1e-15 : 3e-7;

        if (dtype == BP_DTYPE_F32)
            want = (double)(float)want;
        ck_assert_msg((isnan(want) && isnan(got)) || got == want ||
                          fabs(got - want) <= slack * fabs(want) + 1e-43,
                      "%s: function %d of %g is %.9g, not %.9g", simd->name, which, x[i], got,
                      want);
    }
    free(data);
}

START_TEST(map_kernels_of_every_instruction_set_match_libm)
{
    const uint32_t dtypes[] = {BP_DTYPE_F32, BP_DTYPE_F64};
    const struct bp_cpu_simd *simd;
    bool usable;

    data_seed(5);
    for (uint32_t t = 0; t < 2; t++) {
        for (uint32_t l = 0; (simd = bp_cpu_simd_level(dtypes[t], l, &usable)) != NULL; l++) {
            for (int i = 0; i < 3 && usable; i++)
                check_map(simd, dtypes[t], i);
        }
    }
}
END_TEST

START_TEST(sum_kernels_of_every_instruction_set_match_a_plain_loop)
{
    const uint32_t dtypes[] = {BP_DTYPE_F32, BP_DTYPE_F64};
    const struct bp_cpu_simd *simd;
    bool usable;

    data_seed(6);
    for (uint32_t n = 0; n < 3000; n = n * 2 + 1) {
        for (uint32_t t = 0; t < 2; t++) {
            double *x = data_make(n, dtypes[t]), sum = 0, squares = 0, max = -(double)INFINITY;
            void *data = typed_encode(x, n, dtypes[t]);

            for (uint32_t i = 0; i < n; i++) {
                sum += x[i];
                squares += (x[i] - 0.5) * (x[i] - 0.5);
                max = x[i] > max ? x[i] : max;
            }
            for (uint32_t l = 0; (simd = bp_cpu_simd_level(dtypes[t], l, &usable)) != NULL; l++) {
                if (!usable)
                    continue;
                ck_assert(fabs(simd->sum(data, n) - sum) < 1e-4);
                ck_assert(fabs(simd->sum_squares(data, n, 0.5) - squares) < 1e-3);
                ck_assert(simd->max(data, n) == max);
            }
            free(x);
            free(data);
        }
    }
}
END_TEST

/* A NaN is put at each place of the middle one of three rows in turn, then nowhere. */
static void check_extremes(const struct bp_cpu_simd *simd, uint32_t dtype, size_t count)
{
    double *x = data_make(3 * count, dtype), got[2][3];

    for (size_t at = 0; at <= count; at++) {
        double old = x[count + at % count];
        void *data;

        if (at < count)
            x[count + at] = (double)NAN;
        data = typed_encode(x, (uint32_t)(3 * count), dtype);
        simd->max_rows(data, 3, count, got[0]);
        simd->min_rows(data, 3, count, got[1]);
        x[count + at % count] = old;
        for (size_t row = 0; row < 3; row++) {
            double max = -(double)INFINITY, min = (double)INFINITY;

            for (size_t i = row * count; i < (row + 1) * count; i++) {
                max = fmax(max, x[i]);
                min = fmin(min, x[i]);
            }
            ck_assert_msg(row == 1 && at < count ? isnan(got[0][row]) && isnan(got[1][row])
                                                 : got[0][row] == max && got[1][row] == min,
                          "%s, type %u: row %zu of %zu elements with NaN at %zu has %g and %g",
                          simd->name, dtype, row, count, at, got[0][row], got[1][row]);
        }
        free(data);
    }
    free(x);
}

START_TEST(row_extremes_of_every_instruction_set_match_a_plain_loop)
{
    const uint32_t dtypes[] = {BP_DTYPE_F32, BP_DTYPE_F64};
    const struct bp_cpu_simd *simd;
    bool usable;

    data_seed(7);
    for (uint32_t t = 0; t < 2; t++) {
        for (uint32_t l = 0; (simd = bp_cpu_simd_level(dtypes[t], l, &usable)) != NULL; l++) {
            for (size_t n = 1; n < 70 && usable; n++)
                check_extremes(simd, dtypes[t], n);
        }
    }
}
END_TEST

/* ---- operators ------------------------------------------------------------------------------- */

/* MatMul of two shapes, with the shape that must come out; integers when the type is one. */
static void check_matmul(uint32_t dtype, const char *a_dims, const char *b_dims, const char *c_dims,
                         const struct plain *p, size_t batches, size_t a_step, size_t b_step,
                         bool is_constant)
{
    double *a = data_make(p->m * p->k * 16, dtype), *b = data_make(p->k * p->n * 16, dtype);
    double *c = calloc(p->m * p->n * batches + 1, sizeof *c);
    struct th *t = th_new(bp_provider_entry_v1);
    void *a_data, *b_data;
    char what[160];

    for (size_t i = 0; i < p->m * p->k * 16 && (dtype == BP_DTYPE_I32 || dtype == BP_DTYPE_I64);
         i++)
        a[i] = (double)data_pick(-9, 9);
    for (size_t i = 0; i < p->k * p->n * 16 && (dtype == BP_DTYPE_I32 || dtype == BP_DTYPE_I64);
         i++)
        b[i] = (double)data_pick(-9, 9);
    a_data = typed_encode(a, p->m * p->k * 16, dtype);
    b_data = typed_encode(b, p->k * p->n * 16, dtype);
    for (size_t i = 0; i < batches; i++)
        multiply(p, a + i * a_step, b + i * b_step, 1, c + i * p->m * p->n);
    snprintf(what, sizeof what, "MatMul type %u: %s times %s", dtype, a_dims, b_dims);
    th_input(t, "a", dtype, a_dims, a_data);
    if (is_constant)
        th_const(t, "b", dtype, b_dims, b_data);
    else
        th_input(t, "b", dtype, b_dims, b_data);
    th_output(t, "c", dtype, c_dims);
    th_node(t, "MatMul", 13, "a b", "c");
    ck_assert_msg(th_run(t) >= 0, "%s: %s", what, th_message(t));
    data_compare(what, th_data(t, "c"), c, p->m * p->n * batches, dtype, p->k);
    th_free(t);
    free(a);
    free(b);
    free(c);
    free(a_data);
    free(b_data);
}

START_TEST(matmul_broadcasts_like_numpy)
{
    const uint32_t dtypes[] = {BP_DTYPE_F32,  BP_DTYPE_F64, BP_DTYPE_F16,
                               BP_DTYPE_BF16, BP_DTYPE_I32, BP_DTYPE_I64};
    struct plain p = plain_of(3, 5, 7, false, false), row = plain_of(1, 5, 7, false, false);
    struct plain column = plain_of(3, 1, 7, false, false), dot = plain_of(1, 1, 7, false, false);

    data_seed((uint64_t)_i);
    check_matmul(dtypes[_i], "3,7", "7,5", "3,5", &p, 1, 0, 0, true);
    check_matmul(dtypes[_i], "2,3,7", "2,7,5", "2,3,5", &p, 2, 21, 35, false);
    check_matmul(dtypes[_i], "4,3,7", "7,5", "4,3,5", &p, 4, 21, 0, true);
    check_matmul(dtypes[_i], "3,7", "4,7,5", "4,3,5", &p, 4, 0, 35, true);
    check_matmul(dtypes[_i], "2,2,3,7", "1,1,7,5", "2,2,3,5", &p, 4, 21, 0, false);
    check_matmul(dtypes[_i], "7", "7,5", "5", &row, 1, 0, 0, true);
    check_matmul(dtypes[_i], "3,7", "7", "3", &column, 1, 0, 0, false);
    check_matmul(dtypes[_i], "7", "7", "", &dot, 1, 0, 0, false);
    check_matmul(dtypes[_i], "7", "3,7,5", "3,5", &row, 3, 0, 35, false);
}
END_TEST

START_TEST(matmul_broadcasts_the_batches_of_both_operands)
{
    const float a[] = {1, 2, 3}, b[] = {10, 100};
    struct th *t = th_new(bp_provider_entry_v1);
    const float *c;

    th_input(t, "a", BP_DTYPE_F32, "3,1,1,1", a);
    th_input(t, "b", BP_DTYPE_F32, "2,1,1", b);
    th_output(t, "c", BP_DTYPE_F32, "3,2,1,1");
    th_node(t, "MatMul", 13, "a b", "c");
    ck_assert_msg(th_run(t) >= 0, "%s", th_message(t));
    c = th_data(t, "c");
    for (int i = 0; i < 6; i++)
        ck_assert(c[i] == a[i / 2] * b[i % 2]);
    th_free(t);
}
END_TEST

START_TEST(matmul_over_an_empty_axis_gives_zero)
{
    struct th *t = th_new(bp_provider_entry_v1);
    const float *c;

    th_input(t, "a", BP_DTYPE_F32, "2,0", NULL);
    th_input(t, "b", BP_DTYPE_F32, "0,3", NULL);
    th_output(t, "c", BP_DTYPE_F32, "2,3");
    th_node(t, "MatMul", 13, "a b", "c");
    ck_assert_msg(th_run(t) >= 0, "%s", th_message(t));
    c = th_data(t, "c");
    for (int i = 0; i < 6; i++)
        ck_assert(c[i] == 0);
    th_free(t);
}
END_TEST

START_TEST(matmul_rejects_shapes_that_do_not_fit)
{
    const float zero[40] = {0};
    struct th *t = th_new(bp_provider_entry_v1);

    th_input(t, "a", BP_DTYPE_F32, "2,3", zero);
    th_input(t, "b", BP_DTYPE_F32, "4,3", zero);
    th_output(t, "c", BP_DTYPE_F32, "2,3");
    th_node(t, "MatMul", 13, "a b", "c");
    ck_assert_int_eq(th_run(t), BP_E_SHAPE);
    th_free(t);
}
END_TEST

static void check_gemm(uint32_t dtype, bool trans_a, bool trans_b, const char *c_dims, size_t c_row,
                       size_t c_col, float alpha, float beta)
{
    struct plain p = plain_of(18, 37, 21, trans_a, trans_b);
    double *a = data_make(p.m * p.k, dtype), *b = data_make(p.k * p.n, dtype);
    double *c = data_make(p.m * p.n, dtype), *y = calloc(p.m * p.n, sizeof *y);
    bool is_integer = dtype == BP_DTYPE_I32;
    struct th *t = th_new(bp_provider_entry_v1);
    void *a_data, *b_data, *c_data;

    for (size_t i = 0; i < p.m * p.k && is_integer; i++)
        a[i] = (double)data_pick(-9, 9);
    for (size_t i = 0; i < p.k * p.n && is_integer; i++)
        b[i] = (double)data_pick(-9, 9);
    for (size_t i = 0; i < p.m * p.n && is_integer; i++)
        c[i] = (double)data_pick(-9, 9);
    for (size_t i = 0; i < p.m * p.n && c_dims; i++)
        y[i] = (double)beta * c[i / p.n * c_row + i % p.n * c_col];
    multiply(&p, a, b, (double)alpha, y);
    a_data = typed_encode(a, p.m * p.k, dtype);
    b_data = typed_encode(b, p.k * p.n, dtype);
    c_data = typed_encode(c, p.m * p.n, dtype);
    th_input(t, "a", dtype, trans_a ? "21,18" : "18,21", a_data);
    th_const(t, "b", dtype, trans_b ? "37,21" : "21,37", b_data);
    if (c_dims)
        th_const(t, "c", dtype, c_dims, c_data);
    th_output(t, "y", dtype, "18,37");
    th_node(t, "Gemm", 13, c_dims ? "a b c" : "a b", "y");
    th_int(t, "transA", trans_a);
    th_int(t, "transB", trans_b);
    th_float(t, "alpha", alpha);
    th_float(t, "beta", beta);
    ck_assert_msg(th_run(t) >= 0, "%s", th_message(t));
    data_compare("Gemm", th_data(t, "y"), y, p.m * p.n, dtype, p.k);
    th_free(t);
    free(a);
    free(b);
    free(c);
    free(y);
    free(a_data);
    free(b_data);
    free(c_data);
}

START_TEST(gemm_applies_alpha_beta_and_transposes)
{
    const uint32_t dtypes[] = {BP_DTYPE_F32, BP_DTYPE_F64, BP_DTYPE_F16, BP_DTYPE_I32};
    uint32_t dtype = dtypes[_i / 4];
    float factor = dtype == BP_DTYPE_I32 ? 3 : 0.25f;

    data_seed((uint64_t)_i + 3);
    check_gemm(dtype, _i & 1, _i & 2, NULL, 0, 0, 1, 1);
    check_gemm(dtype, _i & 1, _i & 2, "18,37", 37, 1, 1, 1);
    check_gemm(dtype, _i & 1, _i & 2, "37", 0, 1, factor, 2);
    check_gemm(dtype, _i & 1, _i & 2, "18,1", 1, 0, 1, factor);
    check_gemm(dtype, _i & 1, _i & 2, "1", 0, 0, -1, 1);
    check_gemm(dtype, _i & 1, _i & 2, "", 0, 0, 1, 0);
}
END_TEST

START_TEST(gemm_of_integers_rejects_fractional_alpha_or_beta)
{
    const int32_t one = 1;
    struct th *t = th_new(bp_provider_entry_v1);

    th_input(t, "a", BP_DTYPE_I32, "1,1", &one);
    th_input(t, "b", BP_DTYPE_I32, "1,1", &one);
    th_output(t, "y", BP_DTYPE_I32, "1,1");
    th_node(t, "Gemm", 13, "a b", "y");
    th_float(t, "alpha", 0.5f);
    ck_assert_int_eq(th_claim(t), BP_E_UNSUPPORTED);
    ck_assert_uint_eq(th_reason(t), BP_R_ATTRIBUTE);
    th_free(t);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_matrix");
    TCase *tcase = tcase_create("matrix");
    SRunner *runner;
    int failed;

    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, gemm_kernels_of_every_instruction_set_match_a_plain_loop, 0, 8);
    tcase_add_loop_test(tcase, gemm_kernels_of_every_instruction_set_read_conv_windows, 0, 8);
    tcase_add_test(tcase, gemm_by_openblas_matches_a_plain_loop);
    tcase_add_test(tcase, map_kernels_of_every_instruction_set_match_libm);
    tcase_add_test(tcase, sum_kernels_of_every_instruction_set_match_a_plain_loop);
    tcase_add_test(tcase, row_extremes_of_every_instruction_set_match_a_plain_loop);
    tcase_add_loop_test(tcase, matmul_broadcasts_like_numpy, 0, 6);
    tcase_add_test(tcase, matmul_broadcasts_the_batches_of_both_operands);
    tcase_add_test(tcase, matmul_over_an_empty_axis_gives_zero);
    tcase_add_test(tcase, matmul_rejects_shapes_that_do_not_fit);
    tcase_add_loop_test(tcase, gemm_applies_alpha_beta_and_transposes, 0, 16);
    tcase_add_test(tcase, gemm_of_integers_rejects_fractional_alpha_or_beta);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
