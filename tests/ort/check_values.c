/* SPDX-License-Identifier: MIT */
/* check_values.c - values through ONNX Runtime's C ABI: tensors, strings, sequences, maps, optionals. */

#include "config.h"

#include "ort/kit.h"

/* ---- tensors --------------------------------------------------------------------------------- */

START_TEST(tensors_of_every_type_have_their_size)
{
    /* bytes of five elements; 0: no such tensor */
    static const size_t bytes[] = {0, 20, 5,  5, 10, 10, 20, 40, 0, 5, 10, 40, 20, 40,
                                   0, 0,  10, 5, 5,  5,  5,  3,  3, 3, 2,  2,  5};
    static const int64_t five[] = {5};

    for (int type = 0; type < (int)(sizeof bytes / sizeof *bytes); type++) {
        OrtValue *value = NULL;
        OrtTensorTypeAndShapeInfo *info = NULL;
        ONNXTensorElementDataType got;
        size_t size = 0;

        if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING)
            continue;
        if (bytes[type] == 0) {
            fails(
                ort->CreateTensorAsOrtValue(heap, five, 1, (ONNXTensorElementDataType)type, &value),
                ORT_NOT_IMPLEMENTED, "element type");
            continue;
        }
        ok(ort->CreateTensorAsOrtValue(heap, five, 1, (ONNXTensorElementDataType)type, &value));
        ok(ort->GetTensorSizeInBytes(value, &size));
        ck_assert_msg(size == bytes[type], "type %d: %zu bytes", type, size);
        ok(ort->GetTensorTypeAndShape(value, &info));
        ok(ort->GetTensorElementType(info, &got));
        ck_assert_int_eq(got, type);
        ort->ReleaseTensorTypeAndShapeInfo(info);
        ort->ReleaseValue(value);
    }
}
END_TEST

START_TEST(a_tensor_over_caller_memory_uses_that_memory)
{
    static const int64_t dims[] = {2, 2}, negative[] = {-2};
    static const int64_t at[] = {1, 0}, outside[] = {2, 0};
    float data[4] = {1, 2, 3, 4};
    OrtValue *value = floats(data, 4, dims, 2);
    const OrtMemoryInfo *info = NULL;
    const char *name = NULL;
    void *element = NULL;
    int is = 0;

    ck_assert_ptr_eq(float_data(value), data);
    ok(ort->TensorAt(value, at, 2, &element));
    ck_assert_ptr_eq(element, &data[2]);
    fails(ort->TensorAt(value, outside, 2, &element), ORT_INVALID_ARGUMENT, "range");
    fails(ort->TensorAt(value, at, 1, &element), ORT_INVALID_ARGUMENT, "rank");
    ok(ort->GetTensorMemoryInfo(value, &info));
    ok(ort->MemoryInfoGetName(info, &name));
    ck_assert_str_eq(name, "Cpu");
    ok(ort->IsTensor(value, &is));
    ck_assert_int_eq(is, 1);
    ok(ort->HasValue(value, &is));
    ck_assert_int_eq(is, 1);
    ort->ReleaseValue(value);

    value = NULL;
    fails(ort->CreateTensorWithDataAsOrtValue(cpu, data, 15, dims, 2,
                                              ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value),
          ORT_INVALID_ARGUMENT, "space");
    fails(ort->CreateTensorWithDataAsOrtValue(cpu, data, 16, negative, 1,
                                              ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value),
          ORT_INVALID_ARGUMENT, "shape");
    ck_assert_ptr_null(value);
    ort->ReleaseValue(NULL);
}
END_TEST

/* An allocator of the caller's that counts. */
struct counting {
    OrtAllocator base;
    int allocated, freed;
};

static void *count_alloc(OrtAllocator *this_, size_t size)
{
    ((struct counting *)(void *)this_)->allocated++;
    return malloc(size);
}

static void count_free(OrtAllocator *this_, void *p)
{
    ((struct counting *)(void *)this_)->freed++;
    free(p);
}

static const OrtMemoryInfo *count_info(const OrtAllocator *this_)
{
    (void)this_;
    return cpu;
}

START_TEST(a_tensor_returns_its_memory_to_the_callers_allocator)
{
    static const int64_t dims[] = {3};
    struct counting own = {{14, count_alloc, count_free, count_info, NULL, NULL, NULL, NULL}, 0, 0};
    OrtValue *value = NULL;
    void *p;

    ok(ort->CreateTensorAsOrtValue(&own.base, dims, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32,
                                   &value));
    ck_assert_int_eq(own.allocated, 1);
    ort->ReleaseValue(value);
    ck_assert_int_eq(own.freed, 1);
    p = malloc(12);
    ok(ort->CreateTensorWithDataAndDeleterAsOrtValue(&own.base, p, 12, dims, 1,
                                                     ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32, &value));
    ort->ReleaseValue(value);
    ck_assert_int_eq(own.freed, 2);
    ck_assert_ptr_null(heap->Alloc(heap, 0));
}
END_TEST

/* ---- strings ----------------------------------------------------------------------------------- */

static OrtValue *strings(const char *const *texts, size_t n)
{
    int64_t dims[1] = {(int64_t)n};
    OrtValue *value = NULL;

    ok(ort->CreateTensorAsOrtValue(heap, dims, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, &value));
    ok(ort->FillStringTensor(value, texts, n));
    return value;
}

START_TEST(string_tensors_are_written_and_read)
{
    static const char *const texts[] = {"one", "", "three", "f\xc3\xbcnf"};
    OrtValue *value = strings(texts, 4);
    char text[32];
    size_t offsets[4];
    size_t n = 0;
    char *buffer = NULL;

    ok(ort->GetStringTensorDataLength(value, &n));
    ck_assert_uint_eq(n, 13);
    ok(ort->GetStringTensorContent(value, text, sizeof text, offsets, 4));
    ck_assert_int_eq(memcmp(text, "onethreef\xc3\xbcnf", 13), 0);
    ck_assert_uint_eq(offsets[3], 8);
    fails(ort->GetStringTensorContent(value, text, 12, offsets, 4), ORT_FAIL, "too small");
    fails(ort->GetStringTensorContent(value, text, 32, offsets, 3), ORT_FAIL, "offsets");
    ok(ort->FillStringTensorElement(value, "second", 1));
    ok(ort->GetResizedStringTensorElementBuffer(value, 0, 2, &buffer));
    memcpy(buffer, "xy", 2);
    ok(ort->GetStringTensorElementLength(value, 1, &n));
    ck_assert_uint_eq(n, 6);
    ok(ort->GetStringTensorElement(value, 2, 0, text));
    ck_assert_int_eq(memcmp(text, "xy", 2), 0);
    fails(ort->GetStringTensorElement(value, 1, 0, text), ORT_FAIL, "small");
    fails(ort->FillStringTensorElement(value, "x", 4), ORT_INVALID_ARGUMENT, "out of bounds");
    fails(ort->GetTensorSizeInBytes(value, &n), ORT_INVALID_ARGUMENT, "strings");
    ort->ReleaseValue(value);
}
END_TEST

static void has_text(OrtValue *value, size_t i, const char *expected)
{
    char text[64];
    size_t n = 0;

    ok(ort->GetStringTensorElementLength(value, i, &n));
    ck_assert_uint_eq(n, strlen(expected));
    ok(ort->GetStringTensorElement(value, sizeof text, i, text));
    ck_assert_int_eq(memcmp(text, expected, n), 0);
}

START_TEST(a_model_runs_on_string_tensors)
{
    static const char *const texts[] = {"left", "right"};
    static const char *const in_names[] = {"X"};
    static const char *const out_names[] = {"Y"};
    struct pw w;
    OrtSession *session;
    OrtValue *in = strings(texts, 2);
    OrtValue *out = NULL;
    OrtValue *prepared;

    model_begin(&w);
    NODE(&w, "Identity", "Y", "X");
    model_end(&w, 11, "X", TENSOR, 8, DIMS(-1));
    model_end(&w, 12, "Y", TENSOR, 8, DIMS(-1));
    session = model_open(&w, NULL);
    ok(ort->Run(session, NULL, in_names, (const OrtValue *const *)&in, 1, out_names, 1, &out));
    has_text(out, 0, "left");
    has_text(out, 1, "right");
    ok(ort->FillStringTensorElement(out, "middle", 0)); /* results may be changed */
    has_text(out, 0, "middle");
    ort->ReleaseValue(out);
    prepared = strings((const char *const[]){"old", "older"}, 2);
    ok(ort->Run(session, NULL, in_names, (const OrtValue *const *)&in, 1, out_names, 1, &prepared));
    has_text(prepared, 1, "right");
    ort->ReleaseValue(prepared);
    ort->ReleaseValue(in);
    ort->ReleaseSession(session);
}
END_TEST

/* ---- sequences, maps, optionals ------------------------------------------------------------------- */

START_TEST(elements_of_a_sequence_share_memory_with_it)
{
    static const int64_t dims[] = {2};
    float a[] = {1, 2}, b[] = {3, 4};
    OrtValue *parts[2] = {floats(a, 2, dims, 1), floats(b, 2, dims, 1)};
    OrtValue *sequence = NULL;
    OrtValue *part = NULL;
    OrtTypeInfo *type = NULL;
    OrtTypeInfo *item = NULL;
    const OrtSequenceTypeInfo *view = NULL;
    ONNXType kind;
    size_t n = 0;

    ok(ort->CreateValue((const OrtValue *const *)parts, 2, ONNX_TYPE_SEQUENCE, &sequence));
    ort->ReleaseValue(parts[0]);
    ort->ReleaseValue(parts[1]);
    ok(ort->GetValueType(sequence, &kind));
    ck_assert_int_eq(kind, ONNX_TYPE_SEQUENCE);
    ok(ort->GetValueCount(sequence, &n));
    ck_assert_uint_eq(n, 2);
    ok(ort->GetTypeInfo(sequence, &type));
    ok(ort->CastTypeInfoToSequenceTypeInfo(type, &view));
    ok(ort->GetSequenceElementType(view, &item));
    ok(ort->GetOnnxTypeFromTypeInfo(item, &kind));
    ck_assert_int_eq(kind, ONNX_TYPE_TENSOR);
    ort->ReleaseTypeInfo(item);
    ort->ReleaseTypeInfo(type);
    fails(ort->GetValue(sequence, 2, heap, &part), ORT_FAIL, "bounds");
    ok(ort->GetValue(sequence, 1, heap, &part));
    ort->ReleaseValue(sequence);
    ck_assert_double_eq((double)float_data(part)[1], 4);
    ort->ReleaseValue(part);
}
END_TEST

START_TEST(a_run_returns_and_accepts_sequences)
{
    static const char *const in_names[] = {"S"};
    static const char *const out_names[] = {"T"};
    static const int64_t dims[] = {2};
    float a[] = {1, 2}, b[] = {3, 4};
    OrtValue *parts[2] = {floats(a, 2, dims, 1), floats(b, 2, dims, 1)};
    OrtValue *sequence = NULL;
    OrtValue *out = NULL;
    OrtValue *again = NULL;
    OrtValue *part = NULL;
    OrtTypeInfo *type = NULL;
    ONNXType kind;
    OrtSession *session;
    struct pw w;
    size_t n = 0;

    model_begin(&w);
    NODE(&w, "Identity", "T", "S");
    model_end(&w, 11, "S", SEQUENCE, 1, DIMS(2));
    model_end(&w, 12, "T", SEQUENCE, 1, DIMS(2));
    session = model_open(&w, NULL);
    ok(ort->SessionGetInputTypeInfo(session, 0, &type));
    ok(ort->GetOnnxTypeFromTypeInfo(type, &kind));
    ck_assert_int_eq(kind, ONNX_TYPE_SEQUENCE);
    ort->ReleaseTypeInfo(type);
    ok(ort->CreateValue((const OrtValue *const *)parts, 2, ONNX_TYPE_SEQUENCE, &sequence));
    ort->ReleaseValue(parts[0]);
    ort->ReleaseValue(parts[1]);
    ok(ort->Run(session, NULL, in_names, (const OrtValue *const *)&sequence, 1, out_names, 1,
                &out));
    ort->ReleaseValue(sequence);
    ok(ort->Run(session, NULL, in_names, (const OrtValue *const *)&out, 1, out_names, 1, &again));
    ort->ReleaseValue(out);
    ort->ReleaseSession(session);
    ok(ort->GetValueCount(again, &n));
    ck_assert_uint_eq(n, 2);
    ok(ort->GetTypeInfo(again, &type));
    ort->ReleaseTypeInfo(type);
    ok(ort->GetValue(again, 1, heap, &part));
    ck_assert_double_eq((double)float_data(part)[0], 3);
    ort->ReleaseValue(part);
    ort->ReleaseValue(again);
}
END_TEST

START_TEST(a_map_returns_its_keys_and_values)
{
    static const int64_t dims[] = {2};
    static const char *const texts[] = {"a", "b"};
    float v[] = {1, 2};
    OrtValue *parts[2] = {strings(texts, 2), floats(v, 2, dims, 1)};
    OrtValue *map = NULL;
    OrtValue *keys = NULL;
    OrtTypeInfo *type = NULL;
    const OrtMapTypeInfo *view = NULL;
    ONNXTensorElementDataType dtype;

    fails(ort->CreateValue((const OrtValue *const *)parts, 1, ONNX_TYPE_MAP, &map), ORT_FAIL,
          "num_values MUST be 2");
    ok(ort->CreateValue((const OrtValue *const *)parts, 2, ONNX_TYPE_MAP, &map));
    ort->ReleaseValue(parts[0]);
    ort->ReleaseValue(parts[1]);
    ok(ort->GetTypeInfo(map, &type));
    ok(ort->CastTypeInfoToMapTypeInfo(type, &view));
    ok(ort->GetMapKeyType(view, &dtype));
    ck_assert_int_eq(dtype, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING);
    ort->ReleaseTypeInfo(type);
    ok(ort->GetValue(map, 0, heap, &keys));
    ort->ReleaseValue(map);
    has_text(keys, 1, "b");
    ort->ReleaseValue(keys);
}
END_TEST

START_TEST(an_optional_may_be_empty)
{
    static const char *const out_names[] = {"Y"};
    OrtSession *session;
    OrtValue *out = NULL;
    OrtTypeInfo *type = NULL;
    void *data = NULL;
    struct pw w;
    int has = 1;

    model_begin(&w);
    pw_open(&w, 1); /* Optional without an input, of type tensor(float) */
    pw_text(&w, 2, "Y");
    pw_text(&w, 4, "Optional");
    pw_open(&w, 5);
    pw_text(&w, 1, "type");
    pw_int(&w, 20, 13);
    pw_open(&w, 14);
    model_tensor_type(&w, 1, DIMS(2));
    pw_close(&w);
    pw_close(&w);
    pw_close(&w);
    model_end(&w, 12, "Y", OPTIONAL, 1, DIMS(2));
    session = model_open(&w, NULL);
    ok(ort->Run(session, NULL, NULL, NULL, 0, out_names, 1, &out));
    ok(ort->HasValue(out, &has));
    ck_assert_int_eq(has, 0);
    ok(ort->GetTypeInfo(out, &type));
    ck_assert_ptr_null(type);
    fails(ort->GetTensorMutableData(out, &data), ORT_INVALID_ARGUMENT, "nothing");
    ort->ReleaseValue(out);
    ort->ReleaseSession(session);
}
END_TEST

START_TEST(sparse_tensors_keep_values_and_indices)
{
    static const int64_t dense[] = {3, 3}, n[] = {2};
    static const int64_t at[] = {1, 5}, inner[] = {1, 2}, outer[] = {0, 1, 2, 2};
    static const float v[] = {7, 8};
    OrtValue *value = NULL;
    OrtTensorTypeAndShapeInfo *shape = NULL;
    OrtTypeInfo *type = NULL;
    OrtSparseFormat format;
    const void *data = NULL;
    ONNXType kind;
    size_t count = 0;

    ok(ort->CreateSparseTensorAsOrtValue(heap, dense, 2, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
                                         &value));
    fails(ort->GetSparseTensorValues(value, &data), ORT_INVALID_ARGUMENT, "no such part");
    ok(ort->FillSparseTensorCoo(value, cpu, n, 1, v, at, 2));
    ok(ort->GetSparseTensorFormat(value, &format));
    ck_assert_int_eq(format, ORT_SPARSE_COO);
    ok(ort->GetSparseTensorIndices(value, ORT_SPARSE_COO_INDICES, &count, &data));
    ck_assert_uint_eq(count, 2);
    ck_assert_int_eq(((const int64_t *)data)[1], 5);
    fails(ort->GetSparseTensorIndices(value, ORT_SPARSE_CSR_INNER_INDICES, &count, &data),
          ORT_INVALID_ARGUMENT, "format");
    fails(ort->FillSparseTensorCoo(value, cpu, n, 1, v, at, 3), ORT_INVALID_ARGUMENT, "3 indices");
    ok(ort->FillSparseTensorCsr(value, cpu, n, 1, v, inner, 2, outer, 4));
    ok(ort->GetSparseTensorIndices(value, ORT_SPARSE_CSR_OUTER_INDICES, &count, &data));
    ck_assert_uint_eq(count, 4);
    ok(ort->GetSparseTensorValues(value, &data));
    ck_assert_double_eq((double)((const float *)data)[1], 8);
    ok(ort->GetTensorTypeAndShape(value, &shape));
    ok(ort->GetTensorShapeElementCount(shape, &count));
    ck_assert_uint_eq(count, 9);
    ort->ReleaseTensorTypeAndShapeInfo(shape);
    ok(ort->GetTypeInfo(value, &type));
    ok(ort->GetOnnxTypeFromTypeInfo(type, &kind));
    ck_assert_int_eq(kind, ONNX_TYPE_SPARSETENSOR);
    ort->ReleaseTypeInfo(type);
    ort->ReleaseValue(value);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("values");
    TCase *tcase = tcase_create("values");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, tensors_of_every_type_have_their_size);
    tcase_add_test(tcase, a_tensor_over_caller_memory_uses_that_memory);
    tcase_add_test(tcase, a_tensor_returns_its_memory_to_the_callers_allocator);
    tcase_add_test(tcase, string_tensors_are_written_and_read);
    tcase_add_test(tcase, a_model_runs_on_string_tensors);
    tcase_add_test(tcase, elements_of_a_sequence_share_memory_with_it);
    tcase_add_test(tcase, a_run_returns_and_accepts_sequences);
    tcase_add_test(tcase, a_map_returns_its_keys_and_values);
    tcase_add_test(tcase, sparse_tensors_keep_values_and_indices);
    tcase_add_test(tcase, an_optional_may_be_empty);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
