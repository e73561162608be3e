/* SPDX-License-Identifier: MIT */
/* check_sparse.c - sparse tensors through ONNX Runtime's C ABI: made, read, fed to runs and got. */

#include "config.h"

#include "ort/kit.h"

enum { SPARSE = 8 }; /* field of TypeProto */

static const int64_t dense[] = {3, 4}, count[] = {2};
static const float two[] = {5, 6};

static OrtValue *create(const int64_t *dims, size_t rank, ONNXTensorElementDataType type)
{
    OrtValue *value = NULL;

    ok(ort->CreateSparseTensorAsOrtValue(heap, dims, rank, type, &value));
    return value;
}

static OrtValue *coo(const int64_t *indices, size_t n)
{
    OrtValue *value = create(dense, 2, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);

    ok(ort->FillSparseTensorCoo(value, cpu, count, 1, two, indices, n));
    return value;
}

/* ---- making ------------------------------------------------------------------------------------ */

START_TEST(coo_indices_out_of_bounds_are_refused)
{
    static const struct {
        int64_t at[4];
        size_t n;
        const char *why;
    } rows[] = {
        {{1, 12}, 2, "COO linear index out of bounds: 12 must be in [0, 12)"},
        {{-1, 2}, 2, "COO linear index out of bounds: -1"},
        {{2, 4, 0, 0}, 4, "COO 2D index out of bounds: (2, 4) must be in [0, 3) x [0, 4)"},
        {{0, 0, -1, 0}, 4, "(-1, 0)"},
        {{0, 1, 2}, 3, "COO indices count must be equal to or twice the values count"},
    };
    static const int64_t line[] = {12};
    OrtValue *value = create(dense, 2, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
    OrtValue *flat = create(line, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT), *used = NULL;
    int64_t at[4];

    ok(ort->CreateSparseTensorWithValuesAsOrtValue(cpu, (void *)(uintptr_t)two, dense, 2, count, 1,
                                                   ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &used));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memcpy(at, rows[i].at, sizeof at);
        fails(ort->FillSparseTensorCoo(value, cpu, count, 1, two, at, rows[i].n),
              ORT_INVALID_ARGUMENT, rows[i].why);
        fails(ort->UseCooIndices(used, at, rows[i].n), ORT_INVALID_ARGUMENT, rows[i].why);
    }
    fails(ort->FillSparseTensorCoo(flat, cpu, count, 1, two, rows[2].at, 4), ORT_INVALID_ARGUMENT,
          "COO 2D indices require dense shape of 2 dimensions");
    ort->ReleaseValue(value);
    ort->ReleaseValue(flat);
    ort->ReleaseValue(used);
}
END_TEST

START_TEST(csr_row_offsets_that_decrease_are_refused)
{
    static const struct {
        int64_t inner[2], outer[4];
        const char *why;
    } rows[] = {
        {{1, 4}, {0, 1, 2, 2}, "CSR inner index out of bounds: 4 must be in [0, 4)"},
        {{1, 1}, {1, 1, 2, 2}, "CSR outer index must start at 0, got: 1"},
        {{1, 1}, {0, 2, 1, 2}, "not monotonically non-decreasing: 1"},
        {{1, 1}, {0, 1, 1, 1}, "must equal inner index count (2), got: 1"},
    };
    OrtValue *value = create(dense, 2, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        fails(
            ort->FillSparseTensorCsr(value, cpu, count, 1, two, rows[i].inner, 2, rows[i].outer, 4),
            ORT_INVALID_ARGUMENT, rows[i].why);
    ort->ReleaseValue(value);
}
END_TEST

START_TEST(sparse_tensors_hold_strings)
{
    static const char *const texts[] = {"a", "bcd"};
    static const int64_t at[] = {1, 5};
    OrtValue *value = create(dense, 2, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING), *none = NULL;
    size_t n = 0, offsets[2];
    const void *data = NULL;
    char text[8];

    ok(ort->FillSparseTensorCoo(value, cpu, count, 1, texts, at, 2));
    ok(ort->GetStringTensorDataLength(value, &n));
    ck_assert_uint_eq(n, 4);
    ok(ort->GetStringTensorContent(value, text, 4, offsets, 2));
    ck_assert_mem_eq(text, "abcd", 4);
    ck_assert_uint_eq(offsets[1], 1);
    ok(ort->GetStringTensorElementLength(value, 1, &n));
    ck_assert_uint_eq(n, 3);
    ok(ort->GetStringTensorElement(value, 3, 1, text));
    ck_assert_mem_eq(text, "bcd", 3);
    fails(ort->GetStringTensorElementLength(value, 2, &n), ORT_INVALID_ARGUMENT, "out of bounds");
    fails(ort->GetSparseTensorValues(value, &data), ORT_INVALID_ARGUMENT, "GetStringTensor*()");
    fails(ort->CreateSparseTensorWithValuesAsOrtValue(cpu, (void *)(uintptr_t)texts, dense, 2,
                                                      count, 1,
                                                      ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, &none),
          ORT_INVALID_ARGUMENT, "pre-allocated memory");
    ort->ReleaseValue(value);
}
END_TEST

START_TEST(type_and_shape_of_sparse_tensors_are_returned_by_reference)
{
    static const int64_t at[] = {1, 5};
    OrtValue *value = coo(at, 2);
    ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    const int64_t *dims = NULL;
    size_t rank = 0;

    ok(ort->GetTensorElementTypeAndShapeDataReference(value, &type, &dims, &rank));
    ck_assert_int_eq(type, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
    ck_assert_uint_eq(rank, 2);
    ck_assert_int_eq(dims[1], 4);
    ort->ReleaseValue(value);
}
END_TEST

/* ---- runs -------------------------------------------------------------------------------------- */

/* Y = A B with a sparse A of [3, 4]; A is an output, too. */
static OrtSession *open_product(void)
{
    struct pw w;

    model_begin(&w);
    pw_open(&w, 1);
    pw_text(&w, 1, "A");
    pw_text(&w, 1, "B");
    pw_text(&w, 2, "Y");
    pw_text(&w, 4, "SparseToDenseMatMul");
    pw_text(&w, 7, "com.microsoft");
    pw_close(&w);
    for (uint32_t field = 11; field <= 12; field++) {
        pw_open(&w, field);
        pw_text(&w, 1, "A");
        pw_open(&w, 2);
        pw_open(&w, SPARSE);
        pw_int(&w, 1, 1);
        pw_open(&w, 2);
        for (int d = 0; d < 2; d++) {
            pw_open(&w, 1);
            pw_int(&w, 1, dense[d]);
            pw_close(&w);
        }
        for (int i = 0; i < 4; i++)
            pw_close(&w);
    }
    model_end(&w, 11, "B", TENSOR, 1, DIMS(4, 1));
    model_end(&w, 12, "Y", TENSOR, 1, DIMS(3, 1));
    pw_close(&w);
    pw_open(&w, 8);
    pw_text(&w, 1, "com.microsoft");
    pw_int(&w, 2, 1);
    return model_open(&w, NULL);
}

static OrtStatus *run_product(OrtSession *session, const OrtValue *a, OrtValue **out)
{
    static const char *const names[] = {"A", "B"}, *const out_names[] = {"Y", "A"};
    float data[] = {1, 10, 100, 1000};
    OrtValue *b = floats(data, 4, DIMS(4, 1), 2);
    const OrtValue *values[] = {a, b};
    OrtStatus *status;

    out[0] = out[1] = NULL;
    status = ort->Run(session, NULL, names, values, 2, out_names, 2, out);
    ort->ReleaseValue(b);
    return status;
}

static void check_product(OrtSession *session, OrtValue *a, OrtSparseFormat format)
{
    OrtSparseFormat got;
    OrtValue *out[2];
    const void *data = NULL;
    int is = 0;

    ok(run_product(session, a, out));
    ck_assert_double_eq((double)float_data(out[0])[0], 50);
    ck_assert_double_eq((double)float_data(out[0])[1], 600);
    ck_assert_double_eq((double)float_data(out[0])[2], 0);
    ort->ReleaseValue(a);
    ok(ort->IsSparseTensor(out[1], &is)); /* it lives without what was fed */
    ck_assert_int_eq(is, 1);
    ok(ort->GetSparseTensorFormat(out[1], &got));
    ck_assert_int_eq(got, format);
    ok(ort->GetSparseTensorValues(out[1], &data));
    ck_assert_double_eq((double)((const float *)data)[1], 6);
    ort->ReleaseValue(out[0]);
    ort->ReleaseValue(out[1]);
}

START_TEST(a_run_accepts_and_returns_sparse_tensors)
{
    static const int64_t places[] = {1, 6}, pairs[] = {0, 1, 1, 2}, columns[] = {1, 2};
    static const int64_t rows[] = {0, 1, 2, 2};
    OrtSession *session = open_product();
    OrtValue *csr = create(dense, 2, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
    OrtTypeInfo *type = NULL;
    const OrtTensorTypeAndShapeInfo *info = NULL;
    ONNXType kind;
    size_t n = 0;

    ok(ort->FillSparseTensorCsr(csr, cpu, count, 1, two, columns, 2, rows, 4));
    check_product(session, csr, ORT_SPARSE_CSRC);
    check_product(session, coo(places, 2), ORT_SPARSE_COO);
    check_product(session, coo(pairs, 4), ORT_SPARSE_COO);
    ok(ort->SessionGetInputTypeInfo(session, 0, &type));
    ok(ort->GetOnnxTypeFromTypeInfo(type, &kind));
    ck_assert_int_eq(kind, ONNX_TYPE_SPARSETENSOR);
    ok(ort->CastTypeInfoToTensorInfo(type, &info));
    ok(ort->GetTensorShapeElementCount(info, &n));
    ck_assert_uint_eq(n, 12);
    ort->ReleaseTypeInfo(type);
    ort->ReleaseSession(session);
}
END_TEST

START_TEST(a_sparse_input_refuses_values_of_other_type_or_shape)
{
    static const int64_t wide[] = {5, 4}, places[] = {1, 6};
    OrtSession *session = open_product();
    float data[12] = {0};
    OrtValue *values[] = {floats(data, 12, DIMS(3, 4), 2),
                          create(wide, 2, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT),
                          create(dense, 2, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32),
                          create(dense, 2, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT)};
    OrtValue *out[2];

    ok(ort->FillSparseTensorCoo(values[1], cpu, count, 1, two, places, 2));
    ok(ort->FillSparseTensorCoo(values[2], cpu, count, 1, two, places, 2));
    fails(run_product(session, values[0], out), ORT_INVALID_ARGUMENT,
          "expected to be of type: sparse tensor");
    fails(run_product(session, values[1], out), ORT_INVALID_ARGUMENT,
          "index: 0 Got: 5 Expected: 3");
    fails(run_product(session, values[2], out), ORT_INVALID_ARGUMENT,
          "Actual: (sparse_tensor(int32)) , expected: (sparse_tensor(float))");
    fails(run_product(session, values[3], out), ORT_INVALID_ARGUMENT, "no values");
    for (int i = 0; i < 4; i++)
        ort->ReleaseValue(values[i]);
    ort->ReleaseSession(session);
}
END_TEST

/* ONNX Runtime tells it as a tensor, and gives the elements that are not 0, by their places. */
START_TEST(a_sparse_Constant_is_returned_as_a_sparse_value)
{
    static const char *const out_names[] = {"c"}, *const attributes[] = {"sparse_value", "value"};
    OrtSession *session;
    OrtTypeInfo *type = NULL;
    OrtTensorTypeAndShapeInfo *shape = NULL;
    OrtValue *out = NULL;
    OrtSparseFormat format;
    const void *data = NULL;
    size_t n = 0;
    ONNXType kind;
    struct pw w;

    model_begin(&w);
    pw_open(&w, 1);
    pw_text(&w, 2, "c");
    pw_text(&w, 4, "Constant");
    pw_open_attr(&w, attributes[_i], 11);
    pw_sparse(&w, 22, PW_DIMS(2, 2), (const int64_t[]){0, 2, 1, 0}, 4, PW_DIMS(2, 3));
    pw_close(&w);
    pw_close(&w);
    model_end(&w, 12, "c", TENSOR, 1, DIMS(2, 3));
    session = model_open(&w, NULL);
    ok(ort->SessionGetOutputTypeInfo(session, 0, &type));
    ok(ort->GetOnnxTypeFromTypeInfo(type, &kind));
    ck_assert_int_eq(kind, ONNX_TYPE_TENSOR);
    ort->ReleaseTypeInfo(type);
    ok(ort->Run(session, NULL, NULL, NULL, 0, out_names, 1, &out));
    ok(ort->GetValueType(out, &kind));
    ck_assert_int_eq(kind, ONNX_TYPE_SPARSETENSOR);
    ok(ort->GetSparseTensorFormat(out, &format));
    ck_assert_int_eq(format, ORT_SPARSE_COO);
    ok(ort->GetSparseTensorIndices(out, ORT_SPARSE_COO_INDICES, &n, &data));
    ck_assert_uint_eq(n, 2);
    ck_assert_int_eq(((const int64_t *)data)[0], 2);
    ck_assert_int_eq(((const int64_t *)data)[1], 3);
    ok(ort->GetSparseTensorValues(out, &data));
    ck_assert_double_eq((double)((const float *)data)[0], 5);
    ok(ort->GetTensorTypeAndShape(out, &shape));
    ok(ort->GetTensorShapeElementCount(shape, &n));
    ck_assert_uint_eq(n, 6);
    ort->ReleaseTensorTypeAndShapeInfo(shape);
    ort->ReleaseValue(out);
    ort->ReleaseSession(session);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sparse");
    TCase *tcase = tcase_create("sparse");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, coo_indices_out_of_bounds_are_refused);
    tcase_add_test(tcase, csr_row_offsets_that_decrease_are_refused);
    tcase_add_test(tcase, sparse_tensors_hold_strings);
    tcase_add_test(tcase, type_and_shape_of_sparse_tensors_are_returned_by_reference);
    tcase_add_test(tcase, a_run_accepts_and_returns_sparse_tensors);
    tcase_add_test(tcase, a_sparse_input_refuses_values_of_other_type_or_shape);
    tcase_add_loop_test(tcase, a_sparse_Constant_is_returned_as_a_sparse_value, 0, 2);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
