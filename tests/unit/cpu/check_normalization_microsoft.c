/* SPDX-License-Identifier: MIT */
/*
 * check_normalization_microsoft.c - normalizations and small operators of com.microsoft, against plain loops in
 * double.
 */

#include "config.h"

#include "cpu/ms_kit.h"

static const uint32_t floats[] = {BP_DTYPE_F32, BP_DTYPE_F64, BP_DTYPE_F16, BP_DTYPE_BF16};

/* ---- normalizations -------------------------------------------------------------------------- */

/* Bits of _i: skip of another shape, beta, bias, simplified; then the type. */
START_TEST(skip_layer_normalization_adds_skip_and_bias)
{
    bool narrow = _i & 1, has_beta = (_i & 2) && !(_i & 8), has_bias = _i & 4, simple = _i & 8;
    uint32_t dtype = floats[_i / 16], stat = dtype == BP_DTYPE_F64 ? dtype : BP_DTYPE_F32;
    enum { ROWS = 6, COLS = 37 };
    double *x, *skip, *gamma, *beta = NULL, *bias = NULL;
    double want[ROWS * COLS], sum[ROWS * COLS], mean[ROWS] = {0}, inv[ROWS];
    char in[64];

    data_seed((uint64_t)_i);
    x = feed("x", dtype, "2,3,37");
    skip = feed("skip", dtype, narrow ? "3,37" : "2,3,37");
    gamma = feed("gamma", dtype, "37");
    if (has_beta)
        beta = feed("beta", dtype, "37");
    if (has_bias)
        bias = feed("bias", dtype, "37");
    snprintf(in, sizeof in, "x skip gamma%s %s",
             simple     ? ""
             : has_beta ? " beta"
                        : " -",
             has_bias ? "bias" : "-");
    th_output(t, "y", dtype, "2,3,37");
    th_output(t, "mean", stat, "2,3,1");
    th_output(t, "inv", stat, "2,3,1");
    th_output(t, "sum", dtype, "2,3,37");
    node(simple ? "SkipSimplifiedLayerNormalization" : "SkipLayerNormalization", in,
         "y mean inv sum");
    th_float(t, "epsilon", 0.001f);
    ck_run();
    for (int r = 0; r < ROWS; r++) {
        double variance = 0;

        for (int i = 0; i < COLS; i++) {
            int at = r * COLS + i;

            sum[at] = x[at] + skip[narrow ? at % (3 * COLS) : at] + (bias ? bias[i] : 0);
            mean[r] += simple ? 0 : sum[at] / COLS;
        }
        for (int i = 0; i < COLS; i++)
            variance += pow(sum[r * COLS + i] - mean[r], 2) / COLS;
        inv[r] = 1 / sqrt(variance + (double)0.001f);
        for (int i = 0; i < COLS; i++)
            want[r * COLS + i] =
                (sum[r * COLS + i] - mean[r]) * inv[r] * gamma[i] + (beta ? beta[i] : 0);
    }
    data_compare("y", th_data(t, "y"), want, ROWS * COLS, dtype, 40);
    data_compare("sum", th_data(t, "sum"), sum, ROWS * COLS, dtype, 3);
    data_compare("mean", th_data(t, "mean"), mean, ROWS, stat, 40);
    data_compare("inv", th_data(t, "inv"), inv, ROWS, stat, 40);
}
END_TEST

START_TEST(simplified_layer_normalization_is_in_two_domains)
{
    uint32_t dtype = floats[_i % 4];
    double *x, *scale, want[24], inv[2];

    data_seed((uint64_t)_i);
    x = feed("x", dtype, "2,3,4");
    scale = feed("s", dtype, "3,4");
    th_output(t, "y", dtype, "2,3,4");
    th_output(t, "inv", dtype == BP_DTYPE_F64 ? dtype : BP_DTYPE_F32, "2,1,1");
    th_node(t, "SimplifiedLayerNormalization", 1, "x s", "y inv");
    if (_i / 4)
        th_domain(t, "com.microsoft");
    th_int(t, "axis", 1);
    ck_run();
    for (int r = 0; r < 2; r++) {
        double squares = 0;

        for (int i = 0; i < 12; i++)
            squares += x[r * 12 + i] * x[r * 12 + i] / 12;
        inv[r] = 1 / sqrt(squares + (double)1e-5f);
        for (int i = 0; i < 12; i++)
            want[r * 12 + i] = x[r * 12 + i] * inv[r] * scale[i];
    }
    data_compare("y", th_data(t, "y"), want, 24, dtype, 16);
    data_compare("inv", th_data(t, "inv"), inv, 2, dtype == BP_DTYPE_F64 ? dtype : BP_DTYPE_F32,
                 16);
}
END_TEST

/* Bits of _i: segments, position ids; then the type, then that of ids. */
START_TEST(embed_layer_normalization_sums_and_normalises_embeddings)
{
    static const uint32_t types[] = {BP_DTYPE_F32, BP_DTYPE_F16, BP_DTYPE_BF16};
    bool has_segments = _i & 1, has_positions = _i & 2;
    uint32_t dtype = types[_i / 4 % 3], index = _i < 12 ? BP_DTYPE_I32 : BP_DTYPE_I64;
    double *ids, *segments = NULL, *positions = NULL, *words, *position_table, *kinds = NULL,
                 *gamma, *beta;
    double want[2 * 3 * 8], sums[2 * 3 * 8];

    data_seed((uint64_t)_i);
    ids = feed_ints("ids", index, "2,3", 0, 9);
    if (has_segments)
        segments = feed_ints("seg", index, "2,3", 0, 1);
    words = feed("words", dtype, "10,8");
    position_table = feed("position_table", dtype, "5,8");
    if (has_segments)
        kinds = feed("kinds", dtype, "2,8");
    gamma = feed("gamma", dtype, "8");
    beta = feed("beta", dtype, "8");
    feed_values("mask", index, "2,3", (double[]){1, 1, 0, 1, 1, 1});
    if (has_positions)
        positions = feed_ints("pos", index, "1,3", 0, 4);
    th_output(t, "y", dtype, "2,3,8");
    th_output(t, "n", BP_DTYPE_I32, "2");
    th_output(t, "sum", dtype, "2,3,8");
    node("EmbedLayerNormalization",
         has_segments    ? has_positions ? "ids seg words position_table kinds gamma beta mask pos"
                                         : "ids seg words position_table kinds gamma beta mask"
         : has_positions ? "ids - words position_table - gamma beta mask pos"
                         : "ids - words position_table - gamma beta mask",
         "y n sum");
    ck_run();
    for (int r = 0; r < 6; r++) {
        int place = positions ? (int)positions[r % 3] : r % 3;
        double mean = 0, variance = 0;

        for (int i = 0; i < 8; i++) {
            sums[r * 8 + i] = words[(int)ids[r] * 8 + i] + position_table[place * 8 + i] +
                              (kinds ? kinds[(int)segments[r] * 8 + i] : 0);
            mean += sums[r * 8 + i] / 8;
        }
        for (int i = 0; i < 8; i++)
            variance += pow(sums[r * 8 + i] - mean, 2) / 8;
        for (int i = 0; i < 8; i++)
            want[r * 8 + i] =
                (sums[r * 8 + i] - mean) / sqrt(variance + 1e-12) * gamma[i] + beta[i];
    }
    data_compare("y", th_data(t, "y"), want, 48, dtype, 60);
    data_compare("sum", th_data(t, "sum"), sums, 48, dtype, 3);
    ck_assert_mem_eq(th_data(t, "n"), ((int32_t[]){2, 3}), 8);
}
END_TEST

START_TEST(embed_layer_normalization_rejects_ids_out_of_range)
{
    th_input(t, "ids", BP_DTYPE_I32, "1,2", _i ? (int32_t[]){0, -1} : (int32_t[]){0, 4});
    feed("words", BP_DTYPE_F32, "4,2");
    feed("v", BP_DTYPE_F32, "2");
    th_output(t, "y", BP_DTYPE_F32, "1,2,2");
    node("EmbedLayerNormalization", "ids - words words - v v", "y");
    ck_refused("is outside of its table of 4");
}
END_TEST

/* ---- small operators ------------------------------------------------------------------------- */

START_TEST(inverse_of_scaled_permutations_is_exact)
{
    static const uint32_t types[] = {BP_DTYPE_F32, BP_DTYPE_F64, BP_DTYPE_F16};
    uint32_t dtype = types[_i];
    double *x = zeros(2 * 9), *want = zeros(2 * 9);

    data_seed((uint64_t)_i);
    for (int i = 0; i < 18; i++) /* permutations, times 2 */
        x[i] = i % 9 / 3 == (i % 3 + i / 9) % 3 ? 2 : 0;
    for (int m = 0; m < 2; m++) {
        for (int i = 0; i < 9; i++)
            want[m * 9 + i % 3 * 3 + i / 3] = x[m * 9 + i] / 4;
    }
    feed_values("x", dtype, "2,3,3", x);
    th_output(t, "y", dtype, "2,3,3");
    node("Inverse", "x", "y");
    ck_run();
    data_compare("y", th_data(t, "y"), want, 18, dtype, 1);
}
END_TEST

START_TEST(inverse_times_its_matrix_is_the_identity)
{
    double *x, got[25], want[25] = {0};

    data_seed(77);
    x = feed("x", BP_DTYPE_F64, "5,5");
    th_output(t, "y", BP_DTYPE_F64, "5,5");
    node("Inverse", "x", "y");
    ck_run();
    memset(got, 0, sizeof got);
    multiply(5, 5, 5, x, false, th_data(t, "y"), false, 1, got);
    for (int i = 0; i < 25; i += 6)
        want[i] = 1;
    for (int i = 0; i < 25; i++)
        ck_assert_double_eq_tol(got[i], want[i], 1e-12);
}
END_TEST

START_TEST(inverse_rejects_singular_matrices)
{
    th_input(t, "x", BP_DTYPE_F32, "2,2", (float[]){1, 2, 2, 4});
    th_output(t, "y", BP_DTYPE_F32, "2,2");
    node("Inverse", "x", "y");
    ck_refused("has no inverse");
}
END_TEST

START_TEST(cdist_matches_its_definition)
{
    uint32_t dtype = floats[_i % 2];
    double *a, *b, want[12];

    data_seed((uint64_t)_i);
    a = feed("a", dtype, "3,7");
    b = feed("b", dtype, "4,7");
    th_output(t, "c", dtype, "3,4");
    node("CDist", "a b", "c");
    if (_i / 2)
        th_string(t, "metric", "euclidean");
    ck_run();
    for (int i = 0; i < 12; i++) {
        want[i] = 0;
        for (int k = 0; k < 7; k++)
            want[i] += pow(a[i / 4 * 7 + k] - b[i % 4 * 7 + k], 2);
        want[i] = _i / 2 ? sqrt(want[i]) : want[i];
    }
    data_compare("c", th_data(t, "c"), want, 12, dtype, 8);
}
END_TEST

START_TEST(unique_lists_elements_in_order_of_appearance)
{
    th_allow_alloc(t);
    th_input(t, "x", BP_DTYPE_F32, "6", (float[]){2, 1, 1, 3, 4, 3});
    th_output(t, "y", BP_DTYPE_F32, NULL);
    th_output(t, "idx", BP_DTYPE_I64, "6");
    th_output(t, "n", BP_DTYPE_I64, NULL);
    node("Unique", "x", "y idx n");
    ck_run();
    ck_assert_str_eq(th_dims(t, "y"), "4");
    ck_assert_mem_eq(th_data(t, "y"), ((float[]){2, 1, 3, 4}), 16);
    ck_assert_mem_eq(th_data(t, "idx"), ((int64_t[]){0, 1, 1, 2, 3, 2}), 48);
    ck_assert_mem_eq(th_data(t, "n"), ((int64_t[]){1, 2, 2, 1}), 32);
}
END_TEST

START_TEST(unique_compares_strings)
{
    const bp_span x[] = {{"b", 1}, {"a", 1}, {"b", 1}, {"", 0}};

    th_allow_alloc(t);
    th_input(t, "x", BP_DTYPE_STRING, "4", x);
    th_output(t, "y", BP_DTYPE_STRING, NULL);
    th_output(t, "idx", BP_DTYPE_I64, "4");
    node("Unique", "x", "y idx -");
    ck_run();
    ck_assert_str_eq(th_dims(t, "y"), "3");
    ck_assert_mem_eq(th_data(t, "idx"), ((int64_t[]){0, 1, 0, 2}), 32);
}
END_TEST

START_TEST(expand_dims_inserts_a_dimension_of_1)
{
    static const struct {
        int32_t axis;
        const char *dims;
    } rows[] = {{0, "1,2,3"}, {1, "2,1,3"}, {-1, "2,3,1"}, {2, "2,3,1"}, {-3, "1,2,3"}};
    double *x = feed("x", BP_DTYPE_F64, "2,3");

    th_allow_alloc(t);
    th_input(t, "axis", BP_DTYPE_I32, "", &rows[_i].axis);
    th_output(t, "y", BP_DTYPE_F64, _i % 2 ? rows[_i].dims : NULL);
    node("ExpandDims", "x axis", "y");
    ck_run();
    ck_assert_str_eq(th_dims(t, "y"), rows[_i].dims);
    ck_assert_mem_eq(th_data(t, "y"), x, 48);
}
END_TEST

START_TEST(range_without_a_step_counts_by_1)
{
    th_input(t, "a", BP_DTYPE_I32, "", (int32_t[]){3});
    th_input(t, "b", BP_DTYPE_I32, "", (int32_t[]){6});
    th_output(t, "y", BP_DTYPE_I32, "3");
    node("Range", "a b", "y");
    ck_run();
    ck_assert_mem_eq(th_data(t, "y"), ((int32_t[]){3, 4, 5}), 12);
}
END_TEST

START_TEST(microsoft_domain_has_operators_of_onnx_too)
{
    float x[] = {1, 2, 3, 4, 5, 6};

    th_input(t, "x", BP_DTYPE_F32, "2,3", x);
    switch (_i) {
    case 0:
        th_output(t, "y", BP_DTYPE_F32, "2,3");
        node("Trilu", "x", "y");
        ck_run();
        ck_assert_mem_eq(th_data(t, "y"), ((float[]){1, 2, 3, 0, 5, 6}), 24);
        break;
    case 1:
        th_input(t, "i", BP_DTYPE_I64, "2,2", (int64_t[]){1, 2, 0, 0});
        th_output(t, "y", BP_DTYPE_F32, "2");
        node("GatherND", "x i", "y");
        ck_run();
        ck_assert_mem_eq(th_data(t, "y"), ((float[]){6, 1}), 8);
        break;
    case 2:
        th_input(t, "i", BP_DTYPE_I32, "3,1", (int32_t[]){1, -2, -1});
        th_output(t, "y", BP_DTYPE_F32, "3,3");
        node("GatherND", "x i", "y");
        ck_run();
        ck_assert_mem_eq(th_data(t, "y"), ((float[]){4, 5, 6, 1, 2, 3, 4, 5, 6}), 36);
        break;
    default:
        th_const(t, "p", BP_DTYPE_I64, "4", (int64_t[]){0, 1, 0, 0});
        th_input(t, "v", BP_DTYPE_F32, "1", (float[]){9});
        th_output(t, "y", BP_DTYPE_F32, "2,4");
        node("Pad", "x p v", "y");
        ck_run();
        ck_assert_mem_eq(th_data(t, "y"), ((float[]){9, 1, 2, 3, 9, 4, 5, 6}), 32);
    }
}
END_TEST

/* A ramp is sampled exactly, whatever the box. */
START_TEST(crop_and_resize_samples_a_ramp_exactly)
{
    static const uint32_t types[] = {BP_DTYPE_F32, BP_DTYPE_F64, BP_DTYPE_F16};
    uint32_t dtype = types[_i % 3];
    double *x = zeros(2 * 2 * 4 * 5), want[2 * 2 * 3 * 2];
    const double boxes[] = {0, 0, 1, 1, 0.5, -0.25, 0, 0.75};

    for (int i = 0; i < 80; i++)
        x[i] = i / 20 * 100 + i % 20 / 5 * 10 + i % 5;
    feed_values("x", dtype, "2,2,4,5", x);
    feed_values("boxes", dtype, "2,4", boxes);
    th_input(t, "of", BP_DTYPE_I32, "2", (int32_t[]){1, 0});
    th_const(t, "size", BP_DTYPE_I32, "2", (int32_t[]){3, 2});
    th_output(t, "y", dtype, "2,2,3,2");
    node("CropAndResize", "x boxes of size", "y");
    th_float(t, "extrapolation_value", -7);
    if (_i / 3)
        th_string(t, "mode", "nearest");
    ck_run();
    for (int i = 0; i < 24; i++) {
        const double *box = boxes + i / 12 * 4;
        double v = (box[0] + i / 2 % 3 * (box[2] - box[0]) / 2) * 3;
        double h = (box[1] + i % 2 * (box[3] - box[1])) * 4;

        if (_i / 3) {
            v = round(v);
            h = round(h);
        }
        want[i] = h < 0 ? -7 : ((1 - i / 12) * 2 + i / 6 % 2) * 100 + v * 10 + h;
    }
    data_compare("y", th_data(t, "y"), want, 24, dtype, 200);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_ms_small");
    TCase *tcase = tcase_create("cpu_ms_small");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, finish);
    tcase_add_loop_test(tcase, skip_layer_normalization_adds_skip_and_bias, 0, 64);
    tcase_add_loop_test(tcase, simplified_layer_normalization_is_in_two_domains, 0, 8);
    tcase_add_loop_test(tcase, embed_layer_normalization_sums_and_normalises_embeddings, 0, 24);
    tcase_add_loop_test(tcase, embed_layer_normalization_rejects_ids_out_of_range, 0, 2);
    tcase_add_loop_test(tcase, inverse_of_scaled_permutations_is_exact, 0, 3);
    tcase_add_test(tcase, inverse_times_its_matrix_is_the_identity);
    tcase_add_test(tcase, inverse_rejects_singular_matrices);
    tcase_add_loop_test(tcase, cdist_matches_its_definition, 0, 4);
    tcase_add_test(tcase, unique_lists_elements_in_order_of_appearance);
    tcase_add_test(tcase, unique_compares_strings);
    tcase_add_loop_test(tcase, expand_dims_inserts_a_dimension_of_1, 0, 5);
    tcase_add_test(tcase, range_without_a_step_counts_by_1);
    tcase_add_loop_test(tcase, microsoft_domain_has_operators_of_onnx_too, 0, 4);
    tcase_add_loop_test(tcase, crop_and_resize_samples_a_ramp_exactly, 0, 6);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
