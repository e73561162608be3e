/* SPDX-License-Identifier: MIT */
/* check_tensor.c - tensors as users hold them, and TensorProtos of every type, field and fault. */

#include "config.h"

#include <check.h>

#include "base/status.h"
#include "support/fail_alloc.h"
#include "support/proto_writer.h"

static char text[512];
static bp_err err;
static struct pw w;
static bp_tensor tensor;

static void setup(void)
{
    err = bp_err_init(text, sizeof text);
}

static void teardown(void)
{
    pw_free(&w);
    bp_tensor_free(&tensor);
}

static void start(int32_t dtype, const int64_t *dims)
{
    w.size = 0;
    pw_dims(&w, 1, dims);
    pw_int(&w, 2, dtype);
    pw_text(&w, 8, "name");
}

/* Decodes what was written, from memory that ends where it ends. */
static bp_rc decode(void)
{
    uint8_t *bytes = malloc(w.size ? w.size : 1);
    bp_rc rc;

    memcpy(bytes, w.data, w.size);
    bp_tensor_free(&tensor);
    rc = bp_tensor_decode(bytes, w.size, &tensor, NULL, &err);
    free(bytes);
    return rc;
}

static void holds(uint32_t dtype, const void *bytes, size_t n)
{
    ck_assert_msg(decode() == BP_OK, "%s", text);
    ck_assert_uint_eq(tensor.dtype, dtype);
    ck_assert_uint_eq(tensor.bytes, n);
    ck_assert_mem_eq(tensor.base, bytes, n);
}

static void refuses(bp_rc rc, const char *words)
{
    ck_assert_int_eq(decode(), rc);
    ck_assert_msg(strstr(text, words) != NULL, "'%s' is not in: %s", words, text);
    ck_assert_ptr_null(tensor.base);
}

/* ---- memory ---------------------------------------------------------------------------------- */

START_TEST(tensor_bytes_are_counted_for_every_type)
{
    const int64_t dims[] = {3, 5};
    size_t n;

    for (uint32_t dtype = 1; dtype < BP_DTYPE_END; dtype++) {
        if (dtype == BP_DTYPE_STRING)
            continue;
        ck_assert_int_eq(bp_tensor_bytes(dtype, dims, 2, &n, &err), BP_OK);
        ck_assert_uint_eq(n, (15 * bp_dtype_bits(dtype) + 7) / 8);
    }
    ck_assert_int_eq(bp_tensor_bytes(BP_DTYPE_F32, NULL, 0, &n, &err), BP_OK);
    ck_assert_uint_eq(n, 4);
}
END_TEST

START_TEST(tensor_bytes_rejects_invalid_sizes)
{
    const int64_t negative[] = {2, -1}, huge[] = {INT64_C(1) << 31, INT64_C(1) << 32};
    int64_t many[100] = {0};
    size_t n;

    ck_assert_int_eq(bp_tensor_bytes(BP_DTYPE_F32, negative, 2, &n, &err), BP_E_INVALID);
    ck_assert_str_eq(text, "size -1 in dimension 1 is negative");
    ck_assert_int_eq(bp_tensor_bytes(BP_DTYPE_F32, huge, 2, &n, &err), BP_E_INVALID);
    ck_assert_int_eq(bp_tensor_bytes(BP_DTYPE_STRING, huge, 1, &n, &err), BP_E_INVALID);
    ck_assert_str_eq(text, "elements of type string have no fixed size");
    ck_assert_int_eq(bp_tensor_bytes(BP_DTYPE_NONE, huge, 1, &n, &err), BP_E_INVALID);
    ck_assert_int_eq(bp_tensor_bytes(BP_DTYPE_END, huge, 1, &n, &err), BP_E_INVALID);
    ck_assert_int_eq(bp_tensor_bytes(BP_DTYPE_F32, many, 100, &n, &err), BP_E_INVALID);
    ck_assert_int_eq(bp_tensor_alloc(BP_DTYPE_STRING, huge, 2, &tensor, &err), BP_E_INVALID);
    ck_assert_ptr_null(tensor.base);
}
END_TEST

START_TEST(tensor_alloc_gives_zeroed_aligned_memory_of_any_size)
{
    const int64_t dims[] = {3, 7, 1}, none[] = {4, 0};
    const char zeroes[84] = {0};

    ck_assert_int_eq(bp_tensor_alloc(BP_DTYPE_F32, dims, 3, &tensor, &err), BP_OK);
    ck_assert_uint_eq((uintptr_t)tensor.base % 64, 0);
    ck_assert_mem_eq(tensor.base, zeroes, 84);
    ck_assert_mem_eq(tensor.dims, dims, sizeof dims);
    bp_tensor_free(&tensor);
    ck_assert_ptr_null(tensor.base);
    ck_assert_ptr_null(tensor.dims);

    ck_assert_int_eq(bp_tensor_alloc(BP_DTYPE_U8, none, 2, &tensor, &err), BP_OK);
    ck_assert_ptr_nonnull(tensor.base);
    ck_assert_uint_eq(tensor.bytes, 0);
    ck_assert_int_eq(tensor.dims[0], 4);
    bp_tensor_free(&tensor);

    ck_assert_int_eq(bp_tensor_alloc(BP_DTYPE_STRING, dims, 3, &tensor, &err), BP_OK);
    ck_assert_uint_eq(tensor.bytes, 21 * sizeof(bp_span));
    ck_assert_uint_eq(((const bp_span *)tensor.base)[20].size, 0);
    bp_tensor_free(NULL);
}
END_TEST

/* ---- decoding -------------------------------------------------------------------------------- */

START_TEST(decoder_reads_raw_data)
{
    const float values[] = {1.0f, -2.0f, 3.5f};
    char *name = NULL;

    start(1, PW_DIMS(3));
    pw_bytes(&w, 9, values, sizeof values);
    holds(BP_DTYPE_F32, values, sizeof values);
    ck_assert_uint_eq(tensor.rank, 1);
    ck_assert_int_eq(tensor.dims[0], 3);
    bp_tensor_free(&tensor);
    ck_assert_int_eq(bp_tensor_decode(w.data, w.size, &tensor, &name, &err), BP_OK);
    ck_assert_str_eq(name, "name");
    bp_free(name);
}
END_TEST

START_TEST(decoder_reads_float_data_packed_tagged_and_split)
{
    const float values[] = {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f};

    start(1, PW_DIMS(6));
    pw_bytes(&w, 4, values, sizeof values);
    holds(BP_DTYPE_F32, values, sizeof values);

    start(1, PW_DIMS(6));
    for (int i = 0; i < 6; i++)
        pw_float(&w, 4, values[i]);
    holds(BP_DTYPE_F32, values, sizeof values);

    start(1, PW_DIMS(6));
    pw_bytes(&w, 4, values, 8);
    pw_float(&w, 4, values[2]);
    pw_float(&w, 4, values[3]);
    pw_bytes(&w, 4, values + 4, 8);
    holds(BP_DTYPE_F32, values, sizeof values);

    start(14, PW_DIMS(3)); /* complex64 */
    pw_bytes(&w, 4, values, sizeof values);
    holds(BP_DTYPE_C64, values, sizeof values);
}
END_TEST

START_TEST(decoder_reads_double_data)
{
    const double values[] = {0.5, -0.25};

    start(11, PW_DIMS(2));
    pw_bytes(&w, 10, values, sizeof values);
    holds(BP_DTYPE_F64, values, sizeof values);
    start(15, PW_DIMS(1)); /* complex128 */
    pw_double(&w, 10, values[0]);
    pw_double(&w, 10, values[1]);
    holds(BP_DTYPE_C128, values, sizeof values);
}
END_TEST

START_TEST(decoder_reads_int64_data_and_uint64_data)
{
    const int64_t i64[] = {-1, INT64_MIN, 7};
    const uint64_t u64[] = {UINT64_MAX, 7};
    const uint32_t u32[] = {UINT32_MAX, 7};
    const int32_t i32[] = {INT32_MIN, 7};

    start(7, PW_DIMS(3));
    for (int i = 0; i < 3; i++)
        pw_int(&w, 7, i64[i]);
    holds(BP_DTYPE_I64, i64, sizeof i64);

    start(13, PW_DIMS(2));
    pw_bytes(&w, 11, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x07", 11);
    holds(BP_DTYPE_U64, u64, sizeof u64);

    start(12, PW_DIMS(2));
    pw_bytes(&w, 11, "\xff\xff\xff\xff\x0f\x07", 6);
    holds(BP_DTYPE_U32, u32, sizeof u32);

    start(6, PW_DIMS(2));
    pw_int(&w, 5, INT32_MIN);
    pw_int(&w, 5, 7);
    holds(BP_DTYPE_I32, i32, sizeof i32);
}
END_TEST

/* int32_data holds small integers as numbers, other small types as bit patterns, sub-byte ones as bytes. */
START_TEST(decoder_reads_int32_data_for_every_type_stored_in_it)
{
    static const struct {
        uint32_t dtype;
        int64_t count;
        int64_t numbers[3];
        size_t n_values, n_bytes;
        const char *bytes;
    } cases[] = {
        {BP_DTYPE_U8, 2, {0, 255}, 2, 2, "\x00\xff"},
        {BP_DTYPE_I8, 2, {-128, 127}, 2, 2, "\x80\x7f"},
        {BP_DTYPE_U16, 2, {65535, 1}, 2, 4, "\xff\xff\x01\x00"},
        {BP_DTYPE_I16, 1, {-2}, 1, 2, "\xfe\xff"},
        {BP_DTYPE_BOOL, 3, {1, 0, 1}, 3, 3, "\x01\x00\x01"},
        {BP_DTYPE_F16, 1, {0x3c00}, 1, 2, "\x00\x3c"},
        {BP_DTYPE_BF16, 1, {0x3f80}, 1, 2, "\x80\x3f"},
        {BP_DTYPE_F8E4M3FN, 1, {0x7e}, 1, 1, "\x7e"},
        {BP_DTYPE_F8E4M3FNUZ, 1, {0x80}, 1, 1, "\x80"},
        {BP_DTYPE_F8E5M2, 1, {0xff}, 1, 1, "\xff"},
        {BP_DTYPE_F8E5M2FNUZ, 1, {0x01}, 1, 1, "\x01"},
        {BP_DTYPE_F8E8M0, 1, {0xfe}, 1, 1, "\xfe"},
        {BP_DTYPE_U4, 3, {0x21, 0x03}, 2, 2, "\x21\x03"},
        {BP_DTYPE_I4, 2, {0xf8}, 1, 1, "\xf8"},
        {BP_DTYPE_F4E2M1, 5, {1, 2, 3}, 3, 3, "\x01\x02\x03"},
        {BP_DTYPE_U2, 5, {0xe4, 0x01}, 2, 2, "\xe4\x01"},
        {BP_DTYPE_I2, 4, {0x1b}, 1, 1, "\x1b"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        start((int32_t)cases[i].dtype, PW_DIMS(cases[i].count));
        for (size_t k = 0; k < cases[i].n_values; k++)
            pw_int(&w, 5, cases[i].numbers[k]);
        holds(cases[i].dtype, cases[i].bytes, cases[i].n_bytes);
    }
}
END_TEST

START_TEST(decoder_reads_strings)
{
    const bp_span *spans;

    start(8, PW_DIMS(3));
    pw_text(&w, 6, "one");
    pw_text(&w, 6, "");
    pw_bytes(&w, 6, "th\0ree", 6);
    ck_assert_msg(decode() == BP_OK, "%s", text);
    spans = tensor.base;
    ck_assert_uint_eq(tensor.bytes, 3 * sizeof *spans);
    ck_assert_uint_eq(spans[0].size, 3);
    ck_assert_mem_eq(spans[0].data, "one", 3);
    ck_assert_uint_eq(spans[1].size, 0);
    ck_assert_mem_eq(spans[2].data, "th\0ree", 6);
}
END_TEST

START_TEST(decoder_reads_scalars_and_empty_tensors)
{
    start(1, PW_SCALAR);
    pw_bytes(&w, 9, "\0\0\x80\x3f", 4);
    holds(BP_DTYPE_F32, "\0\0\x80\x3f", 4);
    ck_assert_uint_eq(tensor.rank, 0);
    start(1, PW_DIMS(0, 5));
    holds(BP_DTYPE_F32, "", 0);
    ck_assert_ptr_nonnull(tensor.base);
    start(8, PW_DIMS(0));
    holds(BP_DTYPE_STRING, "", 0);
    start(1, PW_DIMS(0));
    pw_bytes(&w, 9, "", 0);
    holds(BP_DTYPE_F32, "", 0);
}
END_TEST

START_TEST(decoder_ignores_empty_raw_data_beside_values)
{
    start(7, PW_DIMS(1));
    pw_bytes(&w, 9, "", 0);
    pw_int(&w, 7, 1);
    holds(BP_DTYPE_I64, "\x01\0\0\0\0\0\0", 8);
}
END_TEST

/* ---- faults ---------------------------------------------------------------------------------- */

START_TEST(decoder_rejects_data_whose_size_differs_from_the_dims)
{
    start(1, PW_DIMS(2, 3));
    pw_bytes(&w, 9, "0123456789", 10);
    refuses(BP_E_INVALID, "tensor 'name': its raw_data has 10 bytes where its dims need 24");
    start(7, PW_DIMS(2));
    pw_bytes(&w, 7, "\x01\x01\x01", 3);
    refuses(BP_E_INVALID, "its int64_data has more elements than its dims");
    start(7, PW_DIMS(3));
    pw_bytes(&w, 7, "\xff\x01\x01", 3);
    refuses(BP_E_INVALID, "its int64_data has 2 elements where its dims need 3");
    start(1, PW_DIMS(2));
    refuses(BP_E_INVALID, "its dims need 8 bytes, its float_data has 0");
    start(8, PW_DIMS(2));
    pw_text(&w, 6, "one");
    refuses(BP_E_INVALID, "its string_data has 1 elements where its dims need 2");
    start(1, PW_DIMS(0));
    pw_float(&w, 4, 1.0f);
    refuses(BP_E_INVALID, "more elements");
    start(6, PW_DIMS(1)); /* values in a field that is not its type's */
    pw_int(&w, 7, 1);
    refuses(BP_E_INVALID, "its int32_data has 0");
}
END_TEST

START_TEST(decoder_allocates_nothing_for_missing_data)
{
    start(6, PW_DIMS(INT64_C(1) << 40));
    pw_bytes(&w, 5, "\x01", 1);
    refuses(BP_E_INVALID, "its dims need 4398046511104 bytes, its int32_data has 1");
    start(8, PW_DIMS(INT64_C(1) << 40));
    refuses(BP_E_INVALID, "its string_data has 0");
}
END_TEST

START_TEST(decoder_rejects_sizes_that_are_negative_or_overflow)
{
    w.size = 0;
    pw_int(&w, 1, -4);
    pw_int(&w, 2, 1);
    refuses(BP_E_INVALID, "its size -4 in dimension 0 is negative");
    start(1, PW_DIMS(INT64_MAX, INT64_MAX));
    refuses(BP_E_INVALID, "its sizes multiply to more than memory can hold");
    start(8, PW_DIMS(INT64_C(1) << 60));
    refuses(BP_E_INVALID, "its sizes multiply to more than memory can hold");
    start(1, PW_SCALAR);
    for (int i = 0; i < 65; i++)
        pw_int(&w, 1, 1);
    refuses(BP_E_INVALID, "its rank 65 is over 64");
}
END_TEST

START_TEST(decoder_rejects_unknown_element_types)
{
    start(0, PW_DIMS(1));
    refuses(BP_E_INVALID, "its data_type 0 is not an element type");
    start(99, PW_DIMS(1));
    refuses(BP_E_INVALID, "its data_type 99 is not an element type");
    start(27, PW_DIMS(1)); /* ONNX has it since 1.23 */
    refuses(BP_E_UNSUPPORTED, "float6e2m3");
    start(-1, PW_DIMS(1));
    refuses(BP_E_INVALID, "its data_type -1 is not an element type");
}
END_TEST

START_TEST(decoder_rejects_values_out_of_range_of_their_type)
{
    start(3, PW_DIMS(1));
    pw_int(&w, 5, 300);
    refuses(BP_E_INVALID, "its int32_data has 300, which is out of range of int8");
    start(9, PW_DIMS(1));
    pw_int(&w, 5, 2);
    refuses(BP_E_INVALID, "element 0 is 2, which is not a bool");
    start(9, PW_DIMS(2));
    pw_bytes(&w, 9, "\x01\xff", 2);
    refuses(BP_E_INVALID, "element 1 is 255, which is not a bool");
    start(12, PW_DIMS(1));
    pw_bytes(&w, 11, "\xff\xff\xff\xff\x7f", 5);
    refuses(BP_E_INVALID, "out of range of uint32");
    start(1, PW_DIMS(2));
    pw_bytes(&w, 4, "0123456", 7);
    refuses(BP_E_INVALID, "its float_data ends within a number");
    start(11, PW_DIMS(1));
    pw_bytes(&w, 10, "0123456789", 10);
    refuses(BP_E_INVALID, "its double_data ends within a number");
    start(7, PW_DIMS(1));
    pw_bytes(&w, 7, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12);
    refuses(BP_E_INVALID, "its int64_data ends within a number");
}
END_TEST

START_TEST(decoder_rejects_invalid_data_locations)
{
    start(8, PW_DIMS(1));
    pw_bytes(&w, 9, "x", 1);
    refuses(BP_E_INVALID, "it is of strings and has raw_data");
    start(1, PW_DIMS(1));
    pw_int(&w, 14, 1);
    refuses(BP_E_INVALID, "its data is in another file");
    w.size = 0;
    pw_raw(&w, "this is not a tensor", 17);
    ck_assert_int_eq(decode(), BP_E_INVALID);
}
END_TEST

/* ---- encoding -------------------------------------------------------------------------------- */

START_TEST(decoding_an_encoded_tensor_gives_it_back_for_every_type)
{
    const int64_t dims[] = {3, 5};
    void *bytes;
    size_t size;

    for (uint32_t dtype = 1; dtype < BP_DTYPE_END; dtype++) {
        bp_tensor copy;
        char *name;

        if (dtype == BP_DTYPE_STRING)
            continue;
        ck_assert_int_eq(bp_tensor_alloc(dtype, dims, 2, &tensor, &err), BP_OK);
        for (size_t i = 0; i < tensor.bytes; i++)
            ((uint8_t *)tensor.base)[i] = (uint8_t)(dtype == BP_DTYPE_BOOL ? i & 1 : i * 37);
        ck_assert_int_eq(bp_tensor_encode(&tensor, "t", &bytes, &size, &err), BP_OK);
        ck_assert_int_eq(bp_tensor_decode(bytes, size, &copy, &name, &err), BP_OK);
        ck_assert_str_eq(name, "t");
        ck_assert_uint_eq(copy.dtype, dtype);
        ck_assert_uint_eq(copy.rank, 2);
        ck_assert_mem_eq(copy.dims, dims, sizeof dims);
        ck_assert_uint_eq(copy.bytes, tensor.bytes);
        ck_assert_mem_eq(copy.base, tensor.base, tensor.bytes);
        bp_free(name);
        bp_free(bytes);
        bp_tensor_free(&copy);
        bp_tensor_free(&tensor);
    }
}
END_TEST

START_TEST(encoder_writes_strings)
{
    int64_t dims[] = {2};
    bp_span spans[] = {{"ab\0c", 4}, {NULL, 0}};
    bp_tensor strings = {
        .base = spans, .dims = dims, .bytes = sizeof spans, .rank = 1, .dtype = BP_DTYPE_STRING};
    const bp_span *read;
    void *bytes;
    size_t size;

    ck_assert_int_eq(bp_tensor_encode(&strings, NULL, &bytes, &size, &err), BP_OK);
    ck_assert_int_eq(bp_tensor_decode(bytes, size, &tensor, NULL, &err), BP_OK);
    read = tensor.base;
    ck_assert_uint_eq(read[0].size, 4);
    ck_assert_mem_eq(read[0].data, "ab\0c", 4);
    ck_assert_uint_eq(read[1].size, 0);
    bp_free(bytes);
}
END_TEST

/* Field numbers of TensorProto: dims (1), data_type (2), name (8), raw_data (9). */
START_TEST(encoder_writes_the_fields_of_tensorproto)
{
    int64_t dims[] = {1, 300};
    uint8_t data[308];
    bp_tensor view = {
        .base = data, .offset = 8, .dims = dims, .bytes = 300, .rank = 2, .dtype = BP_DTYPE_U8};
    void *bytes;
    size_t size;

    memset(data, 7, sizeof data);
    ck_assert_int_eq(bp_tensor_encode(&view, "n", &bytes, &size, &err), BP_OK);
    ck_assert_uint_eq(size, 2 + 3 + 2 + 3 + 3 + 300);
    ck_assert_mem_eq(bytes, "\x08\x01\x08\xac\x02\x10\x02\x42\x01n\x4a\xac\x02\x07", 14);
    bp_free(bytes);
}
END_TEST

START_TEST(encoder_rejects_an_invalid_tensor)
{
    int64_t dims[] = {4};
    uint8_t data[8];
    bp_span span = {NULL, 3};
    bp_tensor bad = {.base = data, .dims = dims, .bytes = 8, .rank = 1, .dtype = BP_DTYPE_F32};
    void *bytes = data;
    size_t size;

    ck_assert_int_eq(bp_tensor_encode(&bad, "n", &bytes, &size, &err), BP_E_INVALID);
    ck_assert_str_eq(text, "the tensor's dims need 16 bytes, it has 8");
    ck_assert_ptr_null(bytes);
    bad.space = 1;
    ck_assert_int_eq(bp_tensor_encode(&bad, "n", &bytes, &size, &err), BP_E_INVALID);
    bad.space = 0;
    bad.dtype = 99;
    ck_assert_int_eq(bp_tensor_encode(&bad, "n", &bytes, &size, &err), BP_E_INVALID);
    bad.dtype = BP_DTYPE_U8;
    bad.dims = NULL;
    ck_assert_int_eq(bp_tensor_encode(&bad, "n", &bytes, &size, &err), BP_E_INVALID);
    bad = (bp_tensor){.base = &span, .bytes = sizeof span, .dtype = BP_DTYPE_STRING};
    ck_assert_int_eq(bp_tensor_encode(&bad, "n", &bytes, &size, &err), BP_E_INVALID);
    ck_assert_str_eq(text, "string 0 of the tensor has no text");
}
END_TEST

START_TEST(decoder_survives_changed_bytes)
{
    uint64_t random = 88172645463325252u;
    struct pw bad = {0};

    start(8, PW_DIMS(2, 1));
    pw_text(&w, 6, "one");
    pw_text(&w, 6, "two");
    pw_bytes(&w, 4, "01234567", 8);
    pw_int(&w, 5, 77);
    pw_bytes(&w, 9, "01234567", 8);
    for (int i = 0; i < 20000; i++) {
        bad.size = 0;
        pw_raw(&bad, w.data, w.size);
        for (int k = 0; k <= i % 3; k++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            bad.data[random % bad.size] = (uint8_t)(random >> 32);
        }
        if (bp_tensor_decode(bad.data, bad.size, &tensor, NULL, &err) >= 0)
            bp_tensor_free(&tensor);
        ck_assert_ptr_null(tensor.base);
    }
    pw_free(&bad);
}
END_TEST

START_TEST(decoder_and_encoder_report_lack_of_memory)
{
    bool has_failed = true;

    start(8, PW_DIMS(2));
    pw_text(&w, 6, "one");
    pw_text(&w, 6, "two");
    for (unsigned n = 1; has_failed; n++) {
        bp_rc rc;

        fail_alloc_at(n);
        rc = bp_tensor_decode(w.data, w.size, &tensor, NULL, &err);
        has_failed = fail_alloc_stop();
        ck_assert_int_eq(rc, has_failed ? BP_E_NOMEM : BP_OK);
        ck_assert(has_failed == (tensor.base == NULL));
    }
    bp_tensor_free(&tensor);
    for (unsigned n = 1; n < 3; n++) {
        void *bytes = NULL;
        size_t size;

        ck_assert_int_eq(bp_tensor_alloc(BP_DTYPE_U8, NULL, 0, &tensor, &err), BP_OK);
        fail_alloc_at(n);
        has_failed = bp_tensor_encode(&tensor, "n", &bytes, &size, &err) < 0;
        ck_assert(fail_alloc_stop() == has_failed && has_failed == (n == 1));
        bp_free(bytes);
        bp_tensor_free(&tensor);
    }
}
END_TEST

static TCase *make_tcase(void)
{
    TCase *tcase = tcase_create("tensor");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, tensor_bytes_are_counted_for_every_type);
    tcase_add_test(tcase, tensor_bytes_rejects_invalid_sizes);
    tcase_add_test(tcase, tensor_alloc_gives_zeroed_aligned_memory_of_any_size);
    tcase_add_test(tcase, decoder_reads_raw_data);
    tcase_add_test(tcase, decoder_reads_float_data_packed_tagged_and_split);
    tcase_add_test(tcase, decoder_reads_double_data);
    tcase_add_test(tcase, decoder_reads_int64_data_and_uint64_data);
    tcase_add_test(tcase, decoder_reads_int32_data_for_every_type_stored_in_it);
    tcase_add_test(tcase, decoder_reads_strings);
    tcase_add_test(tcase, decoder_reads_scalars_and_empty_tensors);
    tcase_add_test(tcase, decoder_ignores_empty_raw_data_beside_values);
    tcase_add_test(tcase, decoder_rejects_data_whose_size_differs_from_the_dims);
    tcase_add_test(tcase, decoder_allocates_nothing_for_missing_data);
    tcase_add_test(tcase, decoder_rejects_sizes_that_are_negative_or_overflow);
    tcase_add_test(tcase, decoder_rejects_unknown_element_types);
    tcase_add_test(tcase, decoder_rejects_values_out_of_range_of_their_type);
    tcase_add_test(tcase, decoder_rejects_invalid_data_locations);
    tcase_add_test(tcase, decoding_an_encoded_tensor_gives_it_back_for_every_type);
    tcase_add_test(tcase, encoder_writes_strings);
    tcase_add_test(tcase, encoder_writes_the_fields_of_tensorproto);
    tcase_add_test(tcase, encoder_rejects_an_invalid_tensor);
    tcase_add_test(tcase, decoder_survives_changed_bytes);
    tcase_add_test(tcase, decoder_and_encoder_report_lack_of_memory);
    return tcase;
}

int main(void)
{
    Suite *suite = suite_create("tensor");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, make_tcase());
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
