/* SPDX-License-Identifier: MIT */
/*
 * check_words.c - text of models as written to terminals and JSON, and headers of .npy files byte by
 * byte.
 */

#include "config.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <bp/sdk.h>

#include "lib/args.h"
#include "lib/json.h"
#include "lib/text.h"
#include "values/feed.h"
#include "values/npy.h"

#define BAD "\xef\xbf\xbd" /* U+FFFD */

static struct bp_text words;

static void teardown(void)
{
    text_finish(&words);
}

static const char *clean(const char *string)
{
    text_clear(&words);
    text_clean(&words, string);
    return text_string(&words);
}

START_TEST(leaves_valid_text_unchanged)
{
    ck_assert_str_eq(clean("conv1/Wei\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80"),
                     "conv1/Wei\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80");
}
END_TEST

START_TEST(replaces_control_characters)
{
    ck_assert_str_eq(clean("a\033[2Jb\x7f"), "a" BAD "[2Jb" BAD);
    ck_assert_str_eq(clean("a\nb\tc"), "a b c");
    ck_assert_str_eq(clean("\xc2\x9b"
                           "31m"),
                     BAD "31m"); /* a one-byte CSI, as UTF-8 */
}
END_TEST

START_TEST(replaces_invalid_utf8)
{
    ck_assert_str_eq(clean("\xff"), BAD);
    ck_assert_str_eq(clean("\xc3"), BAD);                 /* cut off by the end */
    ck_assert_str_eq(clean("\xe2\x82"), BAD BAD);         /* the same */
    ck_assert_str_eq(clean("\xc0\xaf"), BAD BAD);         /* an overlong encoding of "/" */
    ck_assert_str_eq(clean("\xed\xa0\x80"), BAD BAD BAD); /* a surrogate */
    ck_assert_str_eq(clean("\xf4\x90\x80\x80"), BAD BAD BAD BAD);
}
END_TEST

START_TEST(html_text_is_escaped)
{
    text_html(&words, "<a & \"b\">");
    ck_assert_str_eq(text_string(&words), "&lt;a &amp; &quot;b&quot;&gt;");
}
END_TEST

START_TEST(figures_have_units)
{
    text_bytes(&words, 999);
    text_put(&words, ", ");
    text_bytes(&words, 1000);
    text_put(&words, ", ");
    text_bytes(&words, 1234567890);
    text_put(&words, ", ");
    text_duration(&words, 0.0000015);
    text_put(&words, ", ");
    text_duration(&words, 2);
    ck_assert_str_eq(text_string(&words), "999 B, 1.0 kB, 1.2 GB, 1.50 us, 2.00 s");
}
END_TEST

START_TEST(json_is_valid_for_any_string)
{
    struct json json = {0};
    char *data = NULL;
    size_t size = 0;

    json.out = open_memstream(&data, &size);
    json_object(&json, NULL);
    json_string(&json, "a\"b", "\\ \x01 \n \xff \xc3\x9f");
    json_list(&json, "list");
    json_int(&json, NULL, -1);
    json_number(&json, NULL, (double)NAN);
    json_number(&json, NULL, -(double)INFINITY);
    json_list_end(&json);
    json_array(&json, "none");
    json_array_end(&json);
    json_string(&json, "null", NULL);
    json_object_end(&json);
    fclose(json.out);
    ck_assert_str_eq(data, "{\n"
                           "  \"a\\\"b\": \"\\\\ \\u0001 \\n \\ufffd \xc3\x9f\",\n"
                           "  \"list\": [-1, \"NaN\", \"-Infinity\"],\n"
                           "  \"none\": [],\n"
                           "  \"null\": null\n"
                           "}\n");
    free(data);
}
END_TEST

START_TEST(suggests_the_name_that_is_closest)
{
    static const char *const names[] = {"input", "output-dir", "seed", "dim", "run"};

    ck_assert_str_eq(args_suggest("inptu", names, 5), "input");
    ck_assert_str_eq(args_suggest("outputdir", names, 5), "output-dir");
    ck_assert_str_eq(args_suggest("sed", names, 5), "seed");
    ck_assert_str_eq(args_suggest("rnu", names, 5), "run");
    ck_assert_ptr_null(args_suggest("quiet", names, 5));
    ck_assert_ptr_null(args_suggest("x", names, 5));
    ck_assert_ptr_null(args_suggest("", names, 5));
}
END_TEST

START_TEST(reads_shapes)
{
    int64_t dims[4];
    uint32_t rank;

    ck_assert(feed_parse_shape("1x3x224", dims, 4, &rank));
    ck_assert_uint_eq(rank, 3);
    ck_assert_int_eq(dims[2], 224);
    ck_assert(feed_parse_shape("", dims, 4, &rank));
    ck_assert_uint_eq(rank, 0);
    ck_assert(feed_parse_shape("9223372036854775807", dims, 4, &rank));
    ck_assert(!feed_parse_shape("9223372036854775808", dims, 4, &rank));
    ck_assert(!feed_parse_shape("1x", dims, 4, &rank));
    ck_assert(!feed_parse_shape("x1", dims, 4, &rank));
    ck_assert(!feed_parse_shape("1xx1", dims, 4, &rank));
    ck_assert(!feed_parse_shape("-1", dims, 4, &rank));
    ck_assert(!feed_parse_shape("+1", dims, 4, &rank));
    ck_assert(!feed_parse_shape("1,2", dims, 4, &rank));
    ck_assert(!feed_parse_shape("1x1x1x1x1", dims, 4, &rank));
}
END_TEST

/* A file as we write it, in memory of exactly its size. */
static unsigned char *npy_file(uint32_t dtype, int64_t *dims, uint32_t rank, size_t *size)
{
    unsigned char head[NPY_HEAD_MAX], *file;
    bp_tensor tensor;

    ck_assert_int_eq(bp_tensor_alloc(dtype, dims, rank, &tensor, NULL), BP_OK);
    ck_assert_int_eq(npy_head(&tensor, head, size, NULL), BP_OK);
    ck_assert_uint_eq(*size % 64, 0);
    file = malloc(*size + tensor.bytes);
    memcpy(file, head, *size);
    memset(file + *size, 0, tensor.bytes);
    *size += tensor.bytes;
    bp_tensor_free(&tensor);
    return file;
}

START_TEST(npy_reads_what_it_writes)
{
    static const uint32_t types[] = {BP_DTYPE_F32, BP_DTYPE_F64,  BP_DTYPE_F16, BP_DTYPE_BOOL,
                                     BP_DTYPE_I8,  BP_DTYPE_I64,  BP_DTYPE_U8,  BP_DTYPE_U64,
                                     BP_DTYPE_C64, BP_DTYPE_C128, BP_DTYPE_U16, BP_DTYPE_I32};
    int64_t dims[] = {2, 0, 3};
    bp_tensor tensor;

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        for (uint32_t rank = 0; rank <= 3; rank++) {
            size_t size;
            unsigned char *file = npy_file(types[i], dims, rank, &size);

            ck_assert_int_eq(npy_decode("f", file, size, &tensor, NULL), BP_OK);
            ck_assert_uint_eq(tensor.dtype, types[i]);
            ck_assert_uint_eq(tensor.rank, rank);
            for (uint32_t d = 0; d < rank; d++)
                ck_assert_int_eq(tensor.dims[d], dims[d]);
            bp_tensor_free(&tensor);
            free(file);
        }
    }
}
END_TEST

START_TEST(npy_refuses_strings_and_4_bit_integers)
{
    unsigned char head[NPY_HEAD_MAX];
    size_t size;
    bp_tensor tensor = {.dtype = BP_DTYPE_STRING};

    ck_assert(!npy_has_type(BP_DTYPE_STRING));
    ck_assert_int_eq(npy_head(&tensor, head, &size, NULL), BP_E_UNSUPPORTED);
    ck_assert(!npy_has_type(BP_DTYPE_I4));
    ck_assert(npy_has_type(BP_DTYPE_BF16));
}
END_TEST

START_TEST(npy_refuses_truncated_and_corrupt_headers)
{
    int64_t dims[] = {2, 3};
    bp_tensor tensor;
    size_t size;
    unsigned char *file = npy_file(BP_DTYPE_F32, dims, 2, &size);

    for (size_t cut = 0; cut < size; cut++) {
        unsigned char *part = malloc(cut ? cut : 1); /* so that a sanitizer sees the end */

        memcpy(part, file, cut);
        ck_assert_int_lt(npy_decode("f", part, cut, &tensor, NULL), 0);
        ck_assert_ptr_null(tensor.base);
        free(part);
    }
    for (size_t at = 6; at < 80; at++) {
        unsigned char old = file[at];

        for (unsigned value = 0; value < 256; value++) {
            file[at] = (unsigned char)value;
            if (npy_decode("f", file, size, &tensor, NULL) == BP_OK)
                bp_tensor_free(&tensor);
        }
        file[at] = old;
    }
    free(file);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("words");
    TCase *tests = tcase_create("all");
    SRunner *runner = srunner_create(suite);
    int failures;

    suite_add_tcase(suite, tests);
    tcase_add_checked_fixture(tests, NULL, teardown);
    tcase_add_test(tests, leaves_valid_text_unchanged);
    tcase_add_test(tests, replaces_control_characters);
    tcase_add_test(tests, replaces_invalid_utf8);
    tcase_add_test(tests, html_text_is_escaped);
    tcase_add_test(tests, figures_have_units);
    tcase_add_test(tests, json_is_valid_for_any_string);
    tcase_add_test(tests, suggests_the_name_that_is_closest);
    tcase_add_test(tests, reads_shapes);
    tcase_add_test(tests, npy_reads_what_it_writes);
    tcase_add_test(tests, npy_refuses_strings_and_4_bit_integers);
    tcase_add_test(tests, npy_refuses_truncated_and_corrupt_headers);
    srunner_run_all(runner, CK_NORMAL);
    failures = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
