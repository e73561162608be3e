/* SPDX-License-Identifier: MIT */
/*
 * check_signal.c - DFT, STFT, windows and MelWeightMatrix of the CPU provider, against the sums
 * that define them.
 */

#include "config.h"

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "cpu/cpu_case.h"
#include "support/random_data.h"
#include "support/typed.h"

static const double pi = 3.14159265358979323846;
static const uint32_t types[] = {BP_DTYPE_F32, BP_DTYPE_F64, BP_DTYPE_F16, BP_DTYPE_BF16};

/* ---- DFT ------------------------------------------------------------------------------------- */

static const int lengths[] = {1,  2,  3,  4,  5,  6,  7,   8,   9,   11,  12,  13,
                              16, 17, 19, 30, 64, 77, 100, 101, 128, 187, 210, 240};

/* Frequency k of n values (re, im) that lie `stride` pairs apart, of which `used` are there. */
static void term(const double *x, int stride, int used, int n, int k, double sign, double *out)
{
    out[0] = out[1] = 0;
    for (int i = 0; i < used; i++) {
        double angle = sign * 2 * pi * ((double)k * i - floor((double)k * i / n) * n) / n;
        const double *p = x + 2 * i * stride;

        out[0] += p[0] * cos(angle) - p[1] * sin(angle);
        out[1] += p[0] * sin(angle) + p[1] * cos(angle);
    }
}

/* `outer` rows of `in` numbers, each number with `inner` neighbours; complex, or real in double. */
static double *as_pairs(const double *x, size_t n, int parts)
{
    double *pairs = kept_zeros(2 * n + 1, sizeof *pairs);

    for (size_t i = 0; i < n; i++) {
        pairs[2 * i] = x[(size_t)parts * i];
        pairs[2 * i + 1] = parts == 2 ? x[2 * i + 1] : 0;
    }
    return pairs;
}

static void add_dft(uint32_t dtype, const char *dims, const void *x, int n, int axis, bool is_late)
{
    void (*add)(struct th *, const char *, uint32_t, const char *, const void *) =
        is_late ? th_input : th_const;

    th_input(t, "x", dtype, dims, x);
    if (n % 3 == 0)
        add(t, "n", BP_DTYPE_I32, "", &(int32_t){n});
    else
        add(t, "n", BP_DTYPE_I64, "", &(int64_t){n});
    if (axis < 0) {
        add(t, "axis", BP_DTYPE_I64, "", &(int64_t){axis});
        th_node(t, "DFT", 20, "x n axis", "y");
    } else {
        th_node(t, "DFT", 17, "x n", "y");
        th_int(t, "axis", axis);
    }
    if (is_late)
        th_allow_alloc(t);
}

START_TEST(dft_of_any_length_matches_its_definition)
{
    enum { OUTER = 3, INNER = 2 };
    int n = lengths[_i % COUNT(lengths)], kind = _i / COUNT(lengths) % 4, parts = 1 + kind % 2;
    bool inverse = kind >= 2, onesided = kind == 0, is_late = _i % 5 == 0;
    uint32_t dtype = types[_i / COUNT(lengths) / 4];
    int in = n + _i % 3 - 1, used, out = onesided ? n / 2 + 1 : n;
    double *x, *pairs, *want;
    char dims[32], out_dims[32];
    size_t count, n_out = (size_t)(OUTER * out * INNER * 2);

    in = in < 1 ? 1 : in;
    used = in < n ? in : n;
    count = (size_t)(OUTER * in * INNER);
    data_seed((uint64_t)_i);
    x = kept_values(count * (size_t)parts, dtype);
    pairs = as_pairs(x, count, parts);
    want = kept_zeros(1, n_out * sizeof *want);
    for (int i = 0; i < OUTER * out * INNER; i++) {
        int k = i / INNER % out;
        double *to = want + 2 * i;

        term(pairs + 2 * (i / INNER / out * in * INNER + i % INNER), INNER, used, n, k,
             inverse ? 1 : -1, to);
        to[0] /= inverse ? n : 1;
        to[1] /= inverse ? n : 1;
    }
    sprintf(dims, "%d,%d,%d,%d", OUTER, in, INNER, parts);
    sprintf(out_dims, "%d,%d,%d,2", OUTER, out, INNER);
    th_output(t, "y", dtype, is_late ? NULL : out_dims);
    add_dft(dtype, dims, kept_encode(x, count * (size_t)parts, dtype), n, _i % 2 ? 1 : -3, is_late);
    th_int(t, "inverse", inverse);
    th_int(t, "onesided", onesided);
    ck_run();
    ck_assert_str_eq(th_dims(t, "y"), out_dims);
    data_compare("y", th_data(t, "y"), want, n_out, dtype, (size_t)n + 8);
}
END_TEST

/* Half of the frequencies gives back the real signal. */
START_TEST(inverse_dft_of_half_a_spectrum_gives_the_real_signal)
{
    int n = lengths[_i];
    double *x, *want, *half;
    char dims[32], out_dims[32];

    data_seed((uint64_t)_i);
    x = kept_values((size_t)n, BP_DTYPE_F64);
    want = as_pairs(x, (size_t)n, 1);
    half = kept_zeros(1, (size_t)(n / 2 + 1) * 2 * sizeof *half);
    for (int k = 0; k <= n / 2; k++)
        term(want, 1, n, n, k, -1, half + 2 * k);
    sprintf(dims, "1,%d,2", n / 2 + 1);
    sprintf(out_dims, "1,%d,1", n);
    th_output(t, "y", BP_DTYPE_F64, out_dims);
    add_dft(BP_DTYPE_F64, dims, half, n, -2, false);
    th_int(t, "inverse", 1);
    th_int(t, "onesided", 1);
    ck_run();
    data_compare("y", th_data(t, "y"), x, (size_t)n, BP_DTYPE_F64, (size_t)n + 8);
}
END_TEST

START_TEST(long_dft_loses_no_precision)
{
    static const int64_t sizes[] = {65536, 59049, 65537};
    int64_t n = sizes[_i];
    const double *y;
    char dims[32], out_dims[32];
    double *wide = kept_zeros((size_t)n, sizeof *wide);

    wide[3] = 1; /* one pulse: a pure turn */
    sprintf(dims, "1,%lld,1", (long long)n);
    sprintf(out_dims, "1,%lld,2", (long long)n);
    th_input(t, "x", BP_DTYPE_F64, dims, wide);
    th_output(t, "y", BP_DTYPE_F64, out_dims);
    th_node(t, "DFT", 20, "x", "y");
    ck_run();
    y = th_data(t, "y");
    for (int64_t k = 0; k < n; k++) {
        double angle = -2 * pi * (double)(3 * k % n) / (double)n;

        ck_assert_double_eq_tol(y[2 * k], cos(angle), 1e-13);
        ck_assert_double_eq_tol(y[2 * k + 1], sin(angle), 1e-13);
    }
}
END_TEST

START_TEST(dft_rejects_an_invalid_length_or_axis)
{
    static const struct {
        int64_t n, axis;
        const char *words;
    } cases[] = {
        {0, -2, "a transform of length 0"},
        {-5, -2, "a transform of length -5"},
        {INT64_MAX, -2, ""},
        {4, -1, "the last one"},
        {4, 7, "axis 7 is not one of rank 3"},
    };

    th_input(t, "x", BP_DTYPE_F32, "1,4,1", (float[]){1, 2, 3, 4});
    th_input(t, "n", BP_DTYPE_I64, "", &cases[_i].n);
    th_input(t, "axis", BP_DTYPE_I64, "", &cases[_i].axis);
    th_output(t, "y", BP_DTYPE_F32, NULL);
    th_node(t, "DFT", 20, "x n axis", "y");
    th_allow_alloc(t);
    ck_assert_int_lt(th_run(t), 0);
    ck_assert_msg(strstr(th_message(t), cases[_i].words) != NULL, "%s", th_message(t));
}
END_TEST

/* ---- STFT ------------------------------------------------------------------------------------ */

START_TEST(stft_matches_its_definition)
{
    enum { BATCH = 2, SAMPLES = 50 };
    uint32_t dtype = types[_i % 4];
    int parts = 1 + _i / 4 % 2, length = _i / 8 % 2 ? 16 : 11, step = 3 + _i % 3;
    bool onesided = parts == 1 && _i % 3, has_window = _i % 2, is_late = _i % 7 == 0;
    int frames = 1 + (SAMPLES - length) / step, bins = onesided ? length / 2 + 1 : length;
    size_t n_out = (size_t)(BATCH * frames * bins * 2);
    double *x, *window, *pairs, *want = kept_zeros(1, n_out * sizeof *want);
    char dims[32], out_dims[32], size[8];
    void (*add)(struct th *, const char *, uint32_t, const char *, const void *) =
        is_late ? th_input : th_const;

    data_seed((uint64_t)_i);
    x = kept_values((size_t)(BATCH * SAMPLES * parts), dtype);
    window = kept_values((size_t)length, dtype);
    pairs = as_pairs(x, BATCH * SAMPLES, parts);
    for (int i = 0; i < BATCH * frames * bins; i++) {
        double frame[32];

        for (int k = 0; k < 2 * length; k++)
            frame[k] = pairs[2 * (i / bins / frames * SAMPLES + i / bins % frames * step) + k] *
                       (has_window ? window[k / 2] : 1);
        term(frame, 1, length, length, i % bins, -1, want + 2 * i);
    }
    sprintf(dims, parts == 1 && _i % 5 == 0 ? "%d,%d" : "%d,%d,%d", BATCH, SAMPLES, parts);
    sprintf(out_dims, "%d,%d,%d,2", BATCH, frames, bins);
    sprintf(size, "%d", length);
    th_input(t, "x", dtype, dims, kept_encode(x, (size_t)(BATCH * SAMPLES * parts), dtype));
    if (_i / 16 % 2) {
        add(t, "step", BP_DTYPE_I64, "", &(int64_t){step});
        add(t, "length", BP_DTYPE_I64, "1", &(int64_t){length});
    } else {
        add(t, "step", BP_DTYPE_I32, "", &(int32_t){step});
        add(t, "length", BP_DTYPE_I32, "1", &(int32_t){length});
    }
    th_const(t, "window", dtype, size, kept_encode(window, (size_t)length, dtype));
    th_output(t, "y", dtype, is_late ? NULL : out_dims);
    th_node(t, "STFT", 17, has_window ? "x step window" : "x step - length", "y");
    th_int(t, "onesided", onesided);
    if (is_late)
        th_allow_alloc(t);
    ck_run();
    ck_assert_str_eq(th_dims(t, "y"), out_dims);
    data_compare("y", th_data(t, "y"), want, n_out, dtype, (size_t)length + 8);
}
END_TEST

START_TEST(stft_rejects_frames_that_do_not_fit)
{
    th_input(t, "x", BP_DTYPE_F32, "1,4,1", (float[]){1, 2, 3, 4});
    th_input(t, "step", BP_DTYPE_I64, "", &(int64_t){_i ? 1 : 0});
    th_input(t, "length", BP_DTYPE_I64, "", &(int64_t){_i ? 5 : 2});
    th_output(t, "y", BP_DTYPE_F32, NULL);
    th_node(t, "STFT", 17, "x step - length", "y");
    th_allow_alloc(t);
    ck_assert_int_lt(th_run(t), 0);
    ck_assert_ptr_nonnull(strstr(th_message(t), _i ? "holds no frame of 5" : "frame_step is 0"));
}
END_TEST

/* ---- windows and MelWeightMatrix ------------------------------------------------------------- */

START_TEST(window_operators_match_their_definition)
{
    static const char *const ops[] = {"HannWindow", "HammingWindow", "BlackmanWindow"};
    static const uint32_t outs[] = {BP_DTYPE_F32, BP_DTYPE_F64, BP_DTYPE_F16, BP_DTYPE_BF16};
    const int64_t size = _i % 2 ? 300 : 7;
    uint32_t dtype = outs[_i / 2 % 4];
    int op = _i / 8 % 3;
    bool periodic = _i / 24 % 2;
    double want[300];

    for (int64_t i = 0; i < size; i++) {
        double x = 2 * pi * (double)i / (double)(periodic ? size : size - 1);

        want[i] = op == 0   ? 0.5 - 0.5 * cos(x)
                  : op == 1 ? 25.0 / 46 - 21.0 / 46 * cos(x)
                            : 0.42 - 0.5 * cos(x) + 0.08 * cos(2 * x);
    }
    th_const(t, "size", BP_DTYPE_I64, "", &size);
    th_output(t, "y", dtype, _i % 2 ? "300" : "7");
    th_node(t, ops[op], 17, "size", "y");
    th_int(t, "output_datatype", dtype);
    th_int(t, "periodic", periodic);
    ck_run();
    data_compare("y", th_data(t, "y"), want, (size_t)size, dtype, 8);
}
END_TEST

/* Each column rises from 0 to 1 and falls again, and the next begins where this one has its top. */
START_TEST(mel_weight_matrix_has_triangular_filters)
{
    enum { BINS = 10, LENGTH = 512, ROWS = LENGTH / 2 + 1 };
    const float *y;
    int last_top = -1;

    th_const(t, "bins", BP_DTYPE_I32, "", &(int32_t){BINS});
    th_const(t, "length", BP_DTYPE_I32, "", &(int32_t){LENGTH});
    th_const(t, "rate", BP_DTYPE_I32, "", &(int32_t){16000});
    th_const(t, "low", BP_DTYPE_F32, "", &(float){125});
    th_const(t, "high", BP_DTYPE_F32, "", &(float){7500});
    th_output(t, "y", BP_DTYPE_F32, "257,10");
    th_node(t, "MelWeightMatrix", 17, "bins length rate low high", "y");
    ck_run();
    y = th_data(t, "y");
    for (int b = 0; b < BINS; b++) {
        double low = 2595 * log10(1 + 125.0 / 700), high = 2595 * log10(1 + 7500.0 / 700);
        double mel = low + (b + 1) * (high - low) / (BINS + 2);
        int top = (int)floor((LENGTH + 1) * 700 * (pow(10, mel / 2595) - 1) / 16000);

        ck_assert_double_eq((double)(y[top * BINS + b]), 1);
        ck_assert_double_lt((double)(y[(top + 1) * BINS + b]), 1);
        for (int row = 0; row < ROWS; row++)
            ck_assert(y[row * BINS + b] >= 0 && y[row * BINS + b] <= 1);
        if (b > 0)
            ck_assert_double_eq((double)(y[last_top * BINS + b]), 0);
        last_top = top;
    }
}
END_TEST

START_TEST(mel_weight_matrix_clamps_edges_and_rejects_invalid_values)
{
    th_input(t, "bins", BP_DTYPE_I64, "", &(int64_t){5});
    th_input(t, "length", BP_DTYPE_I64, "", &(int64_t){_i == 1 ? -4 : 8});
    th_input(t, "rate", BP_DTYPE_I64, "", &(int64_t){1});
    th_input(t, "low", BP_DTYPE_F64, "", &(double){-600});
    th_input(t, "high", BP_DTYPE_F64, "", &(double){_i == 2 ? 1e30 : 1e10});
    th_output(t, "y", BP_DTYPE_F32, NULL);
    th_node(t, "MelWeightMatrix", 17, "bins length rate low high", "y");
    th_allow_alloc(t);
    if (_i == 0) {
        ck_run();
        ck_assert_str_eq(th_dims(t, "y"), "5,5");
    } else {
        ck_assert_int_lt(th_run(t), 0);
        ck_assert_ptr_nonnull(strstr(th_message(t), _i == 1 ? "a transform of -4" : "1e+30 hertz"));
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_signal");
    TCase *tcase = tcase_create("signal");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, dft_of_any_length_matches_its_definition, 0, COUNT(lengths) * 16);
    tcase_add_loop_test(tcase, inverse_dft_of_half_a_spectrum_gives_the_real_signal, 0,
                        COUNT(lengths));
    tcase_add_loop_test(tcase, long_dft_loses_no_precision, 0, 3);
    tcase_add_loop_test(tcase, dft_rejects_an_invalid_length_or_axis, 0, 5);
    tcase_add_loop_test(tcase, stft_matches_its_definition, 0, 64);
    tcase_add_loop_test(tcase, stft_rejects_frames_that_do_not_fit, 0, 2);
    tcase_add_loop_test(tcase, window_operators_match_their_definition, 0, 48);
    tcase_add_test(tcase, mel_weight_matrix_has_triangular_filters);
    tcase_add_loop_test(tcase, mel_weight_matrix_clamps_edges_and_rejects_invalid_values, 0, 3);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
