/* SPDX-License-Identifier: MIT */
/*
 * check_ml_features.c - the operators on features of ai.onnx.ml on the CPU provider: random features of
 * every type against what the operator's text says, in doubles.
 */

#include "config.h"

#include "cpu/ml/ml_kit.h"

/* ---- Binarizer, Scaler, Imputer, Normalizer -------------------------------------------------- */

START_TEST(binarizer_compares_with_its_threshold)
{
    uint64_t seed = (uint64_t)_i;
    uint32_t dtype = dtypes[_i % 4], rows = random_below(&seed, 100), cols = random_below(&seed, 9);
    float threshold = floorf(random_float(&seed, 2));

    fill_x(&seed, dtype, rows * cols, 3, 9);
    th_input(t, "x", dtype, dims_of(rows, cols), rows * cols > 0 ? x_bytes : NULL);
    th_output(t, "y", dtype, dims_of(rows, cols));
    node("Binarizer", "x", "y");
    th_float(t, "threshold", threshold);
    ck_run();
    for (uint32_t i = 0; i < rows * cols; i++)
        ck_close(typed_get(th_data(t, "y"), dtype, i), x[i] > (double)threshold ? 1 : 0, 0, i);
}
END_TEST

START_TEST(scaler_subtracts_the_offset_and_multiplies)
{
    uint64_t seed = (uint64_t)_i;
    uint32_t dtype = dtypes[_i % 4], rows = random_below(&seed, 90);
    uint32_t cols = 1 + random_below(&seed, 9);
    uint32_t n_offset = random_below(&seed, 3) ? cols : random_below(&seed, 2);
    uint32_t n_scale = random_below(&seed, 3) ? cols : random_below(&seed, 2);
    const float *offset = random_list(&seed, n_offset, 2), *scale = random_list(&seed, n_scale, 2);

    fill_x(&seed, dtype, rows * cols, 30, 9);
    th_input(t, "x", dtype, dims_of(rows, cols), rows ? x_bytes : NULL);
    th_output(t, "y", BP_DTYPE_F32, dims_of(rows, cols));
    node("Scaler", "x", "y");
    if (n_offset > 0)
        th_floats(t, "offset", n_offset, offset);
    if (n_scale > 0)
        th_floats(t, "scale", n_scale, scale);
    ck_run();
    for (uint32_t i = 0; i < rows * cols; i++) {
        double o = n_offset > 0 ? (double)offset[n_offset > 1 ? i % cols : 0] : 0;
        double s = n_scale > 0 ? (double)scale[n_scale > 1 ? i % cols : 0] : 1;

        ck_close((double)((const float *)th_data(t, "y"))[i], (x[i] - o) * s, 1e-5, i);
    }
}
END_TEST

START_TEST(imputer_replaces_missing_values)
{
    uint64_t seed = (uint64_t)_i;
    uint32_t dtype = dtypes[_i % 4], rows = random_below(&seed, 90);
    uint32_t cols = 1 + random_below(&seed, 9), n = random_below(&seed, 2) ? cols : 1;
    bool is_real = _i % 4 < 2, is_nan = is_real && _i % 8 < 4;
    const float *values = random_list(&seed, n, 100);
    int64_t ints[16];

    for (uint32_t i = 0; i < n; i++)
        ints[i] = (int64_t)values[i];
    fill_x(&seed, dtype, rows * cols, 3, 5);
    for (uint32_t i = 0; i < rows * cols; i++) {
        if (random_below(&seed, 4) == 0)
            typed_put(x_bytes, dtype, i, x[i] = 2);
    }
    th_input(t, "x", dtype, dims_of(rows, cols), rows ? x_bytes : NULL);
    th_output(t, "y", dtype, dims_of(rows, cols));
    node("Imputer", "x", "y");
    if (is_real) {
        th_floats(t, "imputed_value_floats", n, values);
        th_float(t, "replaced_value_float", is_nan ? NAN : 2);
    } else {
        th_ints(t, "imputed_value_int64s", n, ints);
        th_int(t, "replaced_value_int64", 2);
    }
    ck_run();
    for (uint32_t i = 0; i < rows * cols; i++) {
        uint32_t k = n > 1 ? i % cols : 0;
        bool is_missing = is_nan ? isnan(x[i]) : !(x[i] < 2) && !(x[i] > 2) && !isnan(x[i]);

        ck_close(typed_get(th_data(t, "y"), dtype, i),
                 !is_missing ? x[i]
                 : is_real   ? (double)values[k]
                             : (double)ints[k],
                 0, i);
    }
}
END_TEST

START_TEST(normalizer_matches_its_definition)
{
    static const char *const norms[] = {"MAX", "L1", "L2"};
    uint64_t seed = (uint64_t)_i;
    uint32_t dtype = dtypes[_i % 4], rows = random_below(&seed, 60);
    uint32_t cols = 1 + random_below(&seed, 7), kind = (uint32_t)_i / 4 % 3;

    fill_x(&seed, dtype, rows * cols, random_below(&seed, 4) ? 4 : 0, 0);
    th_input(t, "x", dtype, dims_of(rows, cols), rows ? x_bytes : NULL);
    th_output(t, "y", BP_DTYPE_F32, dims_of(rows, cols));
    node("Normalizer", "x", "y");
    th_string(t, "norm", norms[kind]);
    ck_run();
    for (uint32_t r = 0; r < rows; r++) {
        double max = -HUGE_VAL, l1 = 0, l2 = 0, norm;

        for (uint32_t c = 0; c < cols; c++) {
            double v = x[r * cols + c];

            max = v > max ? v : max;
            l1 += fabs(v);
            l2 += v * v;
        }
        norm = kind == 0 ? max : kind == 1 ? l1 : sqrt(l2);
        for (uint32_t c = 0; c < cols; c++)
            ck_close((double)((const float *)th_data(t, "y"))[r * cols + c],
                     fabs(norm) > 0 ? x[r * cols + c] / norm : x[r * cols + c], 1e-5, c);
    }
}
END_TEST

/* ---- ArrayFeatureExtractor, FeatureVectorizer, OneHotEncoder --------------------------------- */

START_TEST(array_feature_extractor_selects_columns)
{
    uint64_t seed = (uint64_t)_i;
    uint32_t dtype = _i % 5 < 4 ? dtypes[_i % 5] : BP_DTYPE_STRING;
    uint32_t rows = random_below(&seed, 30), cols = 1 + random_below(&seed, 9);
    uint32_t n = random_below(&seed, 12);
    size_t width = dtype == BP_DTYPE_STRING ? sizeof(bp_span) : bp_dtype_width(dtype) / 8;
    static char names[512][8];
    static bp_span spans[512];
    const char *data = dtype == BP_DTYPE_STRING ? (const char *)spans : (const char *)x_bytes;
    int64_t at[16];

    fill_x(&seed, dtypes[_i % 4], rows * cols, 1000, 0);
    for (uint32_t i = 0; i < rows * cols; i++)
        spans[i] = (bp_span){names[i], (size_t)snprintf(names[i], 8, "%u", i)};
    for (uint32_t i = 0; i < n; i++)
        at[i] = random_below(&seed, cols);
    th_input(t, "x", dtype, dims_of(rows, cols), rows ? data : NULL);
    th_input(t, "i", BP_DTYPE_I64, count_text(n), n ? at : NULL);
    th_output(t, "y", dtype, dims_of(rows, n));
    node("ArrayFeatureExtractor", "x i", "y");
    ck_run();
    for (uint32_t k = 0; k < rows * n; k++)
        ck_assert_mem_eq((const char *)th_data(t, "y") + k * width,
                         data + (k / n * cols + (size_t)at[k % n]) * width, width);
}
END_TEST

START_TEST(array_feature_extractor_rejects_an_index_out_of_range)
{
    int64_t at = _i ? -1 : 3;

    th_input(t, "x", BP_DTYPE_F32, "3", (float[]){1, 2, 3});
    th_input(t, "i", BP_DTYPE_I64, "1", &at);
    th_output(t, "y", BP_DTYPE_F32, "1,1");
    node("ArrayFeatureExtractor", "x i", "y");
    ck_assert_int_eq(th_run(t), BP_E_INVALID);
    ck_assert_msg(strstr(th_message(t), "outside of the 3 features"), "%s", th_message(t));
}
END_TEST

START_TEST(feature_vectorizer_concatenates_its_inputs)
{
    uint64_t seed = (uint64_t)_i;
    uint32_t dtype = dtypes[_i % 4], rows = 1 + random_below(&seed, 40);
    uint32_t a = random_below(&seed, 5), b = 1 + random_below(&seed, 5);
    bool has_widths = random_below(&seed, 2);
    uint32_t wa = has_widths ? random_below(&seed, 7) : a, wb = has_widths ? 3 : 2 * b;
    char dims[32];
    const float *y;
    size_t width = bp_dtype_width(dtype) / 8;

    fill_x(&seed, dtype, rows * (a + 2 * b), 50, 0);
    th_input(t, "a", dtype, dims_of(rows, a), a ? x_bytes : NULL);
    snprintf(dims, sizeof dims, "%u,2,%u", rows, b);
    th_input(t, "b", dtype, dims, (char *)x_bytes + rows * a * width);
    th_output(t, "y", BP_DTYPE_F32, dims_of(rows, wa + wb));
    node("FeatureVectorizer", "a b", "y");
    if (has_widths)
        th_ints(t, "inputdimensions", 2, (int64_t[]){wa, wb});
    ck_run();
    y = th_data(t, "y");
    for (uint32_t r = 0; r < rows; r++) {
        for (uint32_t c = 0; c < wa; c++)
            ck_close((double)*y++, c < a ? x[r * a + c] : 0, 1e-6, c);
        for (uint32_t c = 0; c < wb; c++)
            ck_close((double)*y++, c < 2 * b ? x[rows * a + r * 2 * b + c] : 0, 1e-6, c);
    }
}
END_TEST

START_TEST(one_hot_encoder_matches_its_definition)
{
    static const int64_t cats[] = {3, -1, 0, 7, -1, 1000};
    static const char *const words[] = {"b", "", "long enough", "a", "", "z"};
    uint64_t seed = (uint64_t)_i;
    uint32_t dtype = _i % 5 < 4 ? dtypes[_i % 5] : BP_DTYPE_STRING, n = random_below(&seed, 200);
    static bp_span spans[200];
    const float *y;

    fill_x(&seed, dtypes[_i % 5], n, 9, 7);
    for (uint32_t i = 0; i < n; i++) {
        const char *word = random_below(&seed, 3) ? words[random_below(&seed, 6)] : "unknown";

        spans[i] = (bp_span){word, strlen(word)};
    }
    th_input(t, "x", dtype, count_text(n),
             n == 0                     ? NULL
             : dtype == BP_DTYPE_STRING ? (const void *)spans
                                        : x_bytes);
    th_output(t, "y", BP_DTYPE_F32, dims_of(n, 6));
    node("OneHotEncoder", "x", "y");
    if (dtype == BP_DTYPE_STRING)
        th_strings(t, "cats_strings", 6, words);
    else
        th_ints(t, "cats_int64s", 6, cats);
    ck_run();
    y = th_data(t, "y");
    for (uint32_t i = 0; i < n; i++) {
        int at = -1;

        for (int k = 0; k < 6; k++) {
            bool is_equal = dtype == BP_DTYPE_STRING
                                ? strcmp(words[k], spans[i].data) == 0
                                : !isnan(x[i]) && (int64_t)trunc(x[i]) == cats[k];

            at = is_equal ? k : at;
        }
        for (int k = 0; k < 6; k++)
            ck_close((double)y[i * 6 + (uint32_t)k], k == at ? 1 : 0, 0, i);
    }
}
END_TEST

START_TEST(one_hot_encoder_rejects_an_unknown_category_when_zeros_is_0)
{
    th_input(t, "x", BP_DTYPE_I64, "2", (int64_t[]){1, 5});
    th_output(t, "y", BP_DTYPE_F32, "2,1");
    node("OneHotEncoder", "x", "y");
    th_ints(t, "cats_int64s", 1, (int64_t[]){1});
    th_int(t, "zeros", 0);
    ck_assert_int_eq(th_run(t), BP_E_INVALID);
    ck_assert_msg(strstr(th_message(t), "element 1 is of no category"), "%s", th_message(t));
}
END_TEST

/* ---- LabelEncoder, CategoryMapper ------------------------------------------------------------ */

enum { KEYS = 7 };

static const uint32_t codes[] = {BP_DTYPE_STRING, BP_DTYPE_I64, BP_DTYPE_F32,
                                 BP_DTYPE_F64,    BP_DTYPE_I32, BP_DTYPE_I16};
static const double key_scalars[KEYS] = {4, -2, 0, 9, 1, 9, -7};
static const double value_scalars[KEYS] = {10, 11, 12, -13, 14, 15, 16};
static const char *const key_words[KEYS] = {
    "four",    "", "0", "a long string, longer than eight", "1", "a long string, longer than eight",
    "\xc3\xa9"};
static const char *const value_words[KEYS] = {"ten", "e", "", "13", "14", "fifteen and more", "16"};

/* Elements of a list in a type, as bytes. */
static const void *list_of(uint32_t dtype, const double *numbers, const char *const *words)
{
    static uint64_t bytes[2][KEYS * 2];
    static int next;
    void *out = bytes[next = !next];

    for (uint32_t i = 0; i < KEYS; i++) {
        if (dtype == BP_DTYPE_STRING)
            ((bp_span *)out)[i] = (bp_span){words[i], strlen(words[i])};
        else
            typed_put(out, dtype, i, numbers[i]);
    }
    return out;
}

/* A list as the attribute of version 2 where there is one and it is wanted, else as a tensor. */
static void set_list(const char *kind, uint32_t dtype, const double *numbers,
                     const char *const *words, bool as_tensor)
{
    char name[32];
    const void *bytes = list_of(dtype, numbers, words);

    snprintf(name, sizeof name, "%s_%s", kind,
             as_tensor || dtype == BP_DTYPE_F64 || dtype == BP_DTYPE_I32 || dtype == BP_DTYPE_I16
                 ? "tensor"
             : dtype == BP_DTYPE_STRING ? "strings"
             : dtype == BP_DTYPE_I64    ? "int64s"
                                        : "floats");
    if (strstr(name, "tensor"))
        th_tensor(t, name, dtype, "7", bytes);
    else if (dtype == BP_DTYPE_STRING)
        th_strings(t, name, KEYS, words);
    else if (dtype == BP_DTYPE_I64)
        th_ints(t, name, KEYS, bytes);
    else
        th_floats(t, name, KEYS, bytes);
}

static int key_at(uint32_t dtype, uint32_t i, const bp_span *spans)
{
    int at = -1;

    for (int k = 0; k < KEYS; k++) {
        bool is_equal = dtype == BP_DTYPE_STRING
                            ? spans[i].size == strlen(key_words[k]) &&
                                  memcmp(spans[i].data, key_words[k], spans[i].size) == 0
                            : !(x[i] < key_scalars[k]) && !(x[i] > key_scalars[k]);

        at = is_equal ? k : at;
    }
    return at;
}

static void ck_value(uint32_t dtype, uint32_t i, int at, const char *def_word, double def)
{
    const void *y = th_data(t, "y");
    const char *word = at < 0 ? def_word : value_words[at];

    if (dtype == BP_DTYPE_STRING) {
        ck_assert_uint_eq(((const bp_span *)y)[i].size, strlen(word));
        ck_assert_mem_eq(((const bp_span *)y)[i].data, word, strlen(word));
    } else {
        ck_close(typed_get(y, dtype, i), at < 0 ? def : value_scalars[at], 0, i);
    }
}

/* n elements, most of them keys. */
static const bp_span *fill_codes(uint64_t *seed, uint32_t dtype, uint32_t n)
{
    static bp_span spans[300];

    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = random_below(seed, KEYS + 2);
        const char *word = k < KEYS ? key_words[k] : "nothing";

        spans[i] = (bp_span){word, strlen(word)};
        x[i] = k < KEYS ? key_scalars[k] : 77;
        if (dtype != BP_DTYPE_STRING)
            typed_put(x_bytes, dtype, i, x[i]);
    }
    return spans;
}

START_TEST(label_encoder_converts_between_any_types)
{
    uint64_t seed = (uint64_t)_i;
    uint32_t from = codes[_i % 6], to = codes[_i / 6 % 6], n = random_below(&seed, 300);
    bool as_tensor = _i / 36 % 2, has_default = _i / 72 % 2;
    bool is_2 = _i % 6 < 3 && _i / 6 % 6 < 3 && !as_tensor;
    const bp_span *spans = fill_codes(&seed, from, n);
    bool is_real = to == BP_DTYPE_F32 || to == BP_DTYPE_F64;

    th_input(t, "x", from, count_text(n),
             n == 0                    ? NULL
             : from == BP_DTYPE_STRING ? (const void *)spans
                                       : x_bytes);
    th_output(t, "y", to, count_text(n));
    th_node(t, "LabelEncoder", is_2 ? 2 : 4, "x", "y");
    th_domain(t, "ai.onnx.ml");
    set_list("keys", from, key_scalars, key_words, as_tensor);
    set_list("values", to, value_scalars, value_words, as_tensor);
    if (has_default && is_2) {
        th_string(t, "default_string", "none");
        th_int(t, "default_int64", 99);
        th_float(t, "default_float", 99);
    } else if (has_default) {
        uint64_t bytes[2];

        typed_put(bytes, to == BP_DTYPE_STRING ? BP_DTYPE_I64 : to, 0, 99);
        if (to == BP_DTYPE_STRING)
            memcpy(bytes, &(bp_span){"none", 4}, sizeof(bp_span));
        th_tensor(t, "default_tensor", to, "1", bytes);
    }
    ck_run();
    for (uint32_t i = 0; i < n; i++)
        ck_value(to, i, key_at(from, i, spans), has_default ? "none" : "_Unused",
                 has_default ? 99
                 : is_real   ? 0
                             : -1);
}
END_TEST

START_TEST(label_encoder_finds_nan_and_minus_zero)
{
    static const int64_t want[2][4] = {{1, 2, -1, -1}, {1, 2, 1, 2}}; /* by bits, by value */
    float keys[2] = {NAN, 0.0f}, in[4] = {NAN, 0.0f, -NAN, -0.0f};

    th_input(t, "x", BP_DTYPE_F32, "4", in);
    th_output(t, "y", BP_DTYPE_I64, "4");
    th_node(t, "LabelEncoder", _i ? 4 : 2, "x", "y");
    th_domain(t, "ai.onnx.ml");
    th_floats(t, "keys_floats", 2, keys);
    th_ints(t, "values_int64s", 2, (int64_t[]){1, 2});
    ck_run();
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(((const int64_t *)th_data(t, "y"))[i], want[_i][i]);
}
END_TEST

/* Strings and integers, both ways. */
START_TEST(category_mapper_converts_strings_and_integers)
{
    uint64_t seed = (uint64_t)_i;
    bool to_text = _i % 2, is_mapper = _i / 2 % 2;
    uint32_t from = to_text ? BP_DTYPE_I64 : BP_DTYPE_STRING, n = random_below(&seed, 300);
    const bp_span *spans = fill_codes(&seed, from, n);
    int64_t ids[KEYS];

    for (int k = 0; k < KEYS; k++)
        ids[k] = is_mapper ? (int64_t)key_scalars[k] : k;
    th_input(t, "x", from, count_text(n), n == 0 ? NULL : to_text ? (const void *)x_bytes : spans);
    th_output(t, "y", to_text ? BP_DTYPE_STRING : BP_DTYPE_I64, count_text(n));
    node(is_mapper ? "CategoryMapper" : "LabelEncoder", "x", "y");
    th_strings(t, is_mapper ? "cats_strings" : "classes_strings", KEYS, key_words);
    if (is_mapper)
        th_ints(t, "cats_int64s", KEYS, ids);
    th_string(t, "default_string", "none");
    ck_run();
    for (uint32_t i = 0; i < n; i++) {
        int at = -1;

        if (!to_text) {
            at = key_at(from, i, spans);
            ck_assert_int_eq(((const int64_t *)th_data(t, "y"))[i], at < 0 ? -1 : ids[at]);
            continue;
        }
        for (int k = 0; k < KEYS; k++)
            at = (int64_t)x[i] == ids[k] ? k : at;
        ck_assert_uint_eq(((const bp_span *)th_data(t, "y"))[i].size,
                          strlen(at < 0 ? "none" : key_words[at]));
        ck_assert_mem_eq(((const bp_span *)th_data(t, "y"))[i].data,
                         at < 0 ? "none" : key_words[at], strlen(at < 0 ? "none" : key_words[at]));
    }
}
END_TEST

START_TEST(label_encoder_rejects_keys_without_values)
{
    static const char *const words[] = {"5 elements, but the keys are 7", "keys_floats is float32",
                                        "2 of keys_tensor", "0 of values_tensor"};

    th_input(t, "x", BP_DTYPE_I64, "1", (int64_t[]){1});
    th_output(t, "y", BP_DTYPE_I64, "1");
    th_node(t, "LabelEncoder", 2, "x", "y");
    th_domain(t, "ai.onnx.ml");
    set_list("keys", _i == 1 ? BP_DTYPE_F32 : BP_DTYPE_I64, key_scalars, key_words, false);
    if (_i == 2)
        th_strings(t, "keys_strings", KEYS, key_words);
    if (_i != 3)
        th_ints(t, "values_int64s", _i ? KEYS : 5, (int64_t[KEYS]){0});
    ck_assert_int_eq(th_run(t), BP_E_INVALID);
    ck_assert_msg(strstr(th_message(t), words[_i]), "%s", th_message(t));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_ml");
    TCase *tcase = tcase_create("ml");
    SRunner *runner;
    int failures;

    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, binarizer_compares_with_its_threshold, 0, 24);
    tcase_add_loop_test(tcase, scaler_subtracts_the_offset_and_multiplies, 0, 48);
    tcase_add_loop_test(tcase, imputer_replaces_missing_values, 0, 48);
    tcase_add_loop_test(tcase, normalizer_matches_its_definition, 0, 48);
    tcase_add_loop_test(tcase, array_feature_extractor_selects_columns, 0, 40);
    tcase_add_loop_test(tcase, array_feature_extractor_rejects_an_index_out_of_range, 0, 2);
    tcase_add_loop_test(tcase, feature_vectorizer_concatenates_its_inputs, 0, 40);
    tcase_add_loop_test(tcase, one_hot_encoder_matches_its_definition, 0, 40);
    tcase_add_test(tcase, one_hot_encoder_rejects_an_unknown_category_when_zeros_is_0);
    tcase_add_loop_test(tcase, label_encoder_converts_between_any_types, 0, 144);
    tcase_add_loop_test(tcase, label_encoder_finds_nan_and_minus_zero, 0, 2);
    tcase_add_loop_test(tcase, category_mapper_converts_strings_and_integers, 0, 24);
    tcase_add_loop_test(tcase, label_encoder_rejects_keys_without_values, 0, 4);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failures = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
