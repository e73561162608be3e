/* SPDX-License-Identifier: MIT */
/* check_base.c - status text, regions, maps, growing text, JSON, mapped files and log lines. */

#include "config.h"

#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/log.h"
#include "base/region.h"
#include "base/sha256.h"
#include "base/status.h"
#include "base/strmap.h"
#include "support/fail_alloc.h"
#include "text/json.h"

#define COUNT(a) (int)(sizeof(a) / sizeof(a)[0])

static char words[256];
static bp_err err;

static void setup(void)
{
    err = bp_err_init(words, sizeof words);
}

/* ---- status ---------------------------------------------------------------------------------- */

static const struct {
    uint32_t dtype;
    int64_t dims[4];
    uint32_t rank;
    bool ok;
    size_t bytes;
} shapes[] = {
    {BP_DTYPE_F32, {2, 3}, 2, true, 24},
    {BP_DTYPE_F32, {0}, 0, true, 4},
    {BP_DTYPE_C128, {2}, 1, true, 32},
    {BP_DTYPE_U4, {3}, 1, true, 2},
    {BP_DTYPE_I2, {5}, 1, true, 2},
    {BP_DTYPE_F32, {0, INT64_MAX, INT64_MAX}, 3, true, 0},
    {BP_DTYPE_F32, {-1, 0}, 2, false, 0},
    {BP_DTYPE_F32, {INT64_MAX, 2}, 2, false, 0},
    {BP_DTYPE_U8, {INT64_MAX}, 1, true, INT64_MAX},
    {BP_DTYPE_U16, {INT64_MAX}, 1, false, 0},
    {BP_DTYPE_F64, {INT64_MAX / 8}, 1, true, INT64_MAX / 8 * 8},
    {BP_DTYPE_F32, {1 << 30, 1 << 30, 1 << 30}, 3, false, 0},
    {BP_DTYPE_STRING, {3}, 1, true, 3 * sizeof(bp_span)},
    {BP_DTYPE_NONE, {1}, 1, false, 0},
    {BP_DTYPE_END, {1}, 1, false, 0},
};

START_TEST(dense_bytes_counts_the_bytes_of_a_tensor)
{
    size_t bytes = 1;

    ck_assert_int_eq(bp_dense_bytes(shapes[_i].dtype, shapes[_i].dims, shapes[_i].rank, &bytes),
                     shapes[_i].ok);
    ck_assert_uint_eq(bytes, shapes[_i].bytes);
}
END_TEST

START_TEST(error_message_begins_with_the_prefix)
{
    char small[8];
    bp_err tight = bp_err_init(small, sizeof small);

    ck_assert_int_eq(bp_fail_in(NULL, BP_E_IO, "x"), BP_E_IO);
    ck_assert_int_eq(bp_fail(&err, BP_E_SHAPE, "rank is %d", 3), BP_E_SHAPE);
    ck_assert_int_eq(bp_fail_in(&err, BP_E_SHAPE, "node '%s'", "a"), BP_E_SHAPE);
    ck_assert_str_eq(words, "node 'a': rank is 3");
    ck_assert_uint_eq(err.msg_len, strlen(words));
    bp_fail(&tight, BP_E_SHAPE, "%s", "1234");
    bp_fail_in(&tight, BP_E_SHAPE, "%s", "ab");
    ck_assert_str_eq(small, "ab: 123");
    bp_fail_in(&tight, BP_E_SHAPE, "%s", "a long prefix");
    ck_assert_str_eq(small, "a lon: ");
    ck_assert_uint_eq(tight.msg_len, 7);
}
END_TEST

START_TEST(a_detail_is_of_the_last_failure)
{
    ck_assert_int_eq(bp_fail_detail(NULL, BP_E_IO, BP_DETAIL_NO_SUCH_FILE, "x"), BP_E_IO);
    ck_assert_int_eq(bp_fail_detail(&err, BP_E_IO, BP_DETAIL_NO_SUCH_FILE, "no %s", "file"),
                     BP_E_IO);
    ck_assert_str_eq(words, "no file");
    bp_fail_in(&err, BP_E_IO, "tensor '%s'", "w");
    ck_assert_uint_eq(err.detail, BP_DETAIL_NO_SUCH_FILE); /* it is the same failure */
    bp_err_set_detail(&err, BP_DETAIL_INPUT_TWICE, 7);
    bp_fail(&err, BP_E_SHAPE, "another");
    ck_assert_uint_eq(err.detail, BP_DETAIL_NONE);
    ck_assert_uint_eq(err.index, 0);
    bp_err_set_detail(&err, BP_DETAIL_INPUT_TWICE, 7);
    bp_err_clear(&err);
    ck_assert_uint_eq(err.detail, BP_DETAIL_NONE);
}
END_TEST

START_TEST(codes_are_copied_from_an_error_of_ones_own)
{
    bp_err own = bp_err_init(NULL, 0);

    bp_err_set_detail(&own, BP_DETAIL_INPUT_TWICE, 7);
    own.native_code = -5;
    bp_fail(&err, BP_E_INVALID, "wrapped");
    ck_assert_int_eq(bp_err_copy_codes(&err, BP_E_INVALID, &own), BP_E_INVALID);
    ck_assert_uint_eq(err.detail, BP_DETAIL_INPUT_TWICE);
    ck_assert_uint_eq(err.index, 7);
    ck_assert_int_eq(err.native_code, -5);
    ck_assert_int_eq(bp_err_copy_codes(NULL, BP_E_IO, &own), BP_E_IO);
}
END_TEST

/* Programs and plug-ins of before details pass a struct that ends with msg_len. */
START_TEST(nothing_is_written_after_the_end_of_an_older_error)
{
    err.struct_size = offsetof(bp_err, detail);
    err.detail = err.index = 0x55555555;
    bp_fail_detail(&err, BP_E_IO, BP_DETAIL_NO_SUCH_FILE, "x");
    bp_err_clear(&err);
    ck_assert_uint_eq(err.detail, 0x55555555);
    ck_assert_uint_eq(err.index, 0x55555555);
}
END_TEST

START_TEST(give_out_writes_no_more_than_the_callers_struct_size)
{
    bp_model_info own = {.struct_size = sizeof own, .n_inputs = 3, .n_weights = 9}, out;

    memset(&out, 0x55, sizeof out);
    out.struct_size = offsetof(bp_model_info, n_outputs);
    ck_assert_int_eq(bp_give_out(&out, &own, &err), BP_OK);
    ck_assert_uint_eq(out.struct_size, offsetof(bp_model_info, n_outputs));
    ck_assert_uint_eq(out.n_inputs, 3);
    ck_assert_uint_eq(out.n_outputs, 0x55555555);
    out.struct_size = sizeof out + 100;
    ck_assert_int_eq(bp_give_out(&out, &own, &err), BP_OK);
    ck_assert_uint_eq(out.n_weights, 9);
    out.struct_size = 0;
    ck_assert_int_eq(bp_give_out(&out, &own, &err), BP_E_INVALID);
}
END_TEST

/* ---- regions --------------------------------------------------------------------------------- */

START_TEST(region_gives_zeroed_aligned_memory)
{
    struct bp_region region = {0};
    size_t total = 0;

    for (size_t n = 0; n < 3000; n += 7) {
        unsigned char *p = bp_region_alloc(&region, n);

        ck_assert_ptr_nonnull(p);
        ck_assert_uint_eq((uintptr_t)p % 16, 0);
        for (size_t i = 0; i < n; i++)
            ck_assert_uint_eq(p[i], 0);
        memset(p, 0xaa, n);
        total += n;
    }
    ck_assert_ptr_nonnull(bp_region_alloc(&region, 5 << 20));
    ck_assert_uint_ge(region.used, total + (5 << 20));
    bp_region_finish(&region);
    ck_assert_uint_eq(region.used, 0);
}
END_TEST

/* After the second round one block holds all, and no other is taken. */
START_TEST(reset_region_gives_zeroed_memory_of_one_block)
{
    struct bp_region region = {0};
    unsigned char *first = NULL;

    for (int round = 0; round < 6; round++) {
        unsigned char *last = NULL;

        for (int i = 0; i < 30; i++) {
            last = bp_region_alloc(&region, 500);
            ck_assert_ptr_nonnull(last);
            for (int k = 0; k < 500; k++)
                ck_assert_uint_eq(last[k], 0);
            memset(last, 0xee, 500);
        }
        if (round == 2)
            first = last;
        ck_assert(round < 3 || last == first);
        bp_region_reset(&region);
        ck_assert_uint_eq(region.used, 0);
    }
    bp_region_finish(&region);
    bp_region_reset(&region); /* of nothing */
    ck_assert_ptr_null(region.blocks);
}
END_TEST

START_TEST(region_rejects_sizes_that_overflow)
{
    struct bp_region region = {0};

    ck_assert_ptr_null(bp_region_alloc(&region, SIZE_MAX));
    ck_assert_ptr_null(bp_region_alloc(&region, SIZE_MAX - 40));
    ck_assert_ptr_null(bp_region_array(&region, SIZE_MAX / 2, 3));
    ck_assert_ptr_null(bp_region_text(&region, "", SIZE_MAX));
    ck_assert_ptr_nonnull(bp_region_array(&region, 0, 3));
    bp_region_finish(&region);
}
END_TEST

START_TEST(region_copies_and_formats_text)
{
    struct bp_region region = {0};

    ck_assert_str_eq(bp_region_text(&region, "abcdef", 3), "abc");
    ck_assert_str_eq(bp_region_string(&region, ""), "");
    ck_assert_str_eq(bp_region_printf(&region, "%d %s", 12, "x"), "12 x");
    fail_alloc_at(1);
    ck_assert_ptr_null(bp_region_alloc(&region, 1 << 20));
    ck_assert(fail_alloc_stop());
    bp_region_finish(&region);
}
END_TEST

/* ---- maps ------------------------------------------------------------------------------------ */

START_TEST(map_finds_every_key_that_was_put)
{
    struct bp_strmap map = {0};
    struct bp_region region = {0};
    char name[32];

    ck_assert_uint_eq(bp_strmap_get(&map, "a", 7), 7);
    for (uint32_t i = 0; i < 5000; i++)
        ck_assert(bp_strmap_put(&map, bp_region_printf(&region, "a longer name %u", i), i));
    ck_assert(bp_strmap_put(&map, "", 42));
    ck_assert(bp_strmap_put(&map, "a longer name 17", 43));
    ck_assert_uint_eq(map.count, 5001);
    for (uint32_t i = 0; i < 5000; i++) {
        snprintf(name, sizeof name, "a longer name %u", i);
        ck_assert_uint_eq(bp_strmap_get(&map, name, BP_NONE), i == 17 ? 43 : i);
    }
    ck_assert_uint_eq(bp_strmap_get(&map, "", 0), 42);
    ck_assert_uint_eq(bp_strmap_get(&map, "a longer name", 9), 9);
    bp_strmap_finish(&map);
    bp_region_finish(&region);
}
END_TEST

START_TEST(map_is_unchanged_when_memory_runs_out)
{
    struct bp_strmap map = {0};
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};

    fail_alloc_at(1);
    ck_assert(!bp_strmap_put(&map, "a", 1));
    ck_assert(fail_alloc_stop());
    for (int i = 0; i < COUNT(names); i++)
        ck_assert(bp_strmap_put(&map, names[i], (uint32_t)i));
    fail_alloc_at(1);
    ck_assert(!bp_strmap_put(&map, "m", 12));
    ck_assert(fail_alloc_stop());
    ck_assert_uint_eq(bp_strmap_get(&map, "m", BP_NONE), BP_NONE);
    ck_assert_uint_eq(bp_strmap_get(&map, "l", BP_NONE), 11);
    bp_strmap_finish(&map);
}
END_TEST

/* ---- text ------------------------------------------------------------------------------------ */

START_TEST(text_buffer_grows)
{
    struct bp_text text = {0};
    char *taken;

    for (int i = 0; i < 1000; i++) {
        bp_text_add(&text, "ab");
        bp_text_printf(&text, "%d,", i);
    }
    ck_assert_uint_eq(text.len, strlen(text.data));
    ck_assert_uint_eq(text.len, 1000 * 3 + 10 + 90 * 2 + 900 * 3);
    taken = bp_text_take(&text);
    ck_assert_int_eq(strncmp(taken, "ab0,ab1,", 8), 0);
    free(taken);
    ck_assert_ptr_null(bp_text_take(&text));
}
END_TEST

START_TEST(text_buffer_remembers_that_memory_ran_out)
{
    struct bp_text text = {0};

    bp_text_add(&text, "kept till then");
    fail_alloc_at(1);
    bp_text_printf(&text, "%200d", 1);
    ck_assert(fail_alloc_stop());
    bp_text_add(&text, "x");
    ck_assert(text.failed);
    ck_assert_ptr_null(bp_text_take(&text));
    ck_assert(!text.failed);
}
END_TEST

START_TEST(json_writer_writes_nested_values)
{
    struct bp_text text = {0};

    bp_json_open(&text, NULL, '{');
    bp_json_string(&text, "name", "a\"b\\c\n\x01");
    bp_json_open(&text, "list", '[');
    bp_json_int(&text, NULL, -5);
    bp_json_bool(&text, NULL, true);
    bp_json_string(&text, NULL, NULL);
    bp_json_open(&text, NULL, '{');
    bp_json_close(&text, '}');
    bp_json_string(&text, NULL, "[");
    bp_json_close(&text, ']');
    bp_json_bool(&text, "k", false);
    bp_json_close(&text, '}');
    ck_assert_str_eq(text.data, "{\"name\":\"a\\\"b\\\\c\\n\\u0001\","
                                "\"list\":[-5,true,null,{},\"[\"],\"k\":false}");
    bp_text_finish(&text);
}
END_TEST

static const char *const utf8[][2] = {
    {"gr\xc3\xbc\xc3\x9f", "\"gr\xc3\xbc\xc3\x9f\""},
    {"\xe2\x82\xac \xf0\x9f\x98\x80", "\"\xe2\x82\xac \xf0\x9f\x98\x80\""},
    {"\xff", "\"\\ufffd\""},
    {"\xc3", "\"\\ufffd\""},
    {"\xc0\xaf", "\"\\ufffd\\ufffd\""},                       /* too long a form of '/' */
    {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},            /* half of a surrogate pair */
    {"\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""}, /* beyond Unicode */
    {"\xe2\x82", "\"\\ufffd\\ufffd\""},
    {"a\x7f", "\"a\\u007f\""},
};

START_TEST(json_writer_always_writes_valid_utf8)
{
    struct bp_text text = {0};

    bp_json_string(&text, NULL, utf8[_i][0]);
    ck_assert_str_eq(text.data, utf8[_i][1]);
    bp_text_finish(&text);
}
END_TEST

START_TEST(nearest_name_is_found_for_a_misspelt_one)
{
    static const char *const names[] = {"kernel_shape", "pads", "strides", "dilations", "group"};

    ck_assert_str_eq(bp_nearest("kernal_shape", names, 5), "kernel_shape");
    ck_assert_str_eq(bp_nearest("STRIDE", names, 5), "strides");
    ck_assert_ptr_null(bp_nearest("grup", names, 4)); /* the fifth is not asked */
    ck_assert_str_eq(bp_nearest("pad", names, 5), "pads");
    ck_assert_ptr_null(bp_nearest("axis", names, 5));
    ck_assert_ptr_null(bp_nearest("", names, 5));
    ck_assert_ptr_null(bp_nearest("pads", names, 0));
}
END_TEST

/* ---- files ----------------------------------------------------------------------------------- */

static char dir[64];

static void in_dir(char path[128], const char *name)
{
    snprintf(path, 128, "%s/%s", dir, name);
}

static void write_file(const char *name, const char *bytes)
{
    char path[128];
    FILE *file;

    in_dir(path, name);
    file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(bytes, file);
    ck_assert_int_eq(fclose(file), 0);
}

static void make_link(const char *target, const char *name)
{
    char path[128];

    in_dir(path, name);
    ck_assert_int_eq(symlink(target, path), 0);
}

static void setup_dir(void)
{
    char path[128];

    setup();
    snprintf(dir, sizeof dir, "%s/bp-base-XXXXXX", "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    in_dir(path, "model");
    ck_assert_int_eq(mkdir(path, 0700), 0);
    in_dir(path, "model/sub");
    ck_assert_int_eq(mkdir(path, 0700), 0);
    in_dir(path, "model-else");
    ck_assert_int_eq(mkdir(path, 0700), 0);
    in_dir(path, "pipe");
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    write_file("outside", "secret");
    write_file("empty", "");
    write_file("model-else/w", "secret");
    write_file("model/weights", "12345");
    write_file("model/sub/w", "67");
    make_link("weights", "model/good");
    make_link("../outside", "model/bad");
    make_link("../model-else", "model/aside");
}

static void teardown_dir(void)
{
    static const char *const names[] = {
        "model/aside",
        "model/bad",
        "model/good",
        "model/sub/w",
        "model/sub",
        "model/weights",
        "model",
        "model-else/w",
        "model-else",
        "outside",
        "empty",
        "pipe",
        "",
    };
    char path[128];

    for (int i = 0; i < COUNT(names); i++) {
        in_dir(path, names[i]);
        ck_assert_int_eq(remove(path), 0);
    }
}

START_TEST(mapping_a_file_gives_its_bytes_and_an_id_that_changes_with_it)
{
    struct bp_bytes bytes = {0};
    char path[128];
    uint64_t id;

    in_dir(path, "outside");
    ck_assert_int_eq(bp_bytes_map(path, false, &bytes, &err), BP_OK);
    ck_assert_uint_eq(bytes.size, 6);
    ck_assert_mem_eq(bytes.data, "secret", 6);
    id = bytes.file_id;
    ck_assert_uint_ne(id, 0);
    bp_bytes_unmap(&bytes);
    ck_assert_ptr_null(bytes.data);
    ck_assert_int_eq(bp_bytes_map(path, false, &bytes, &err), BP_OK);
    ck_assert_uint_eq(bytes.file_id, id);
    bp_bytes_unmap(&bytes);
    write_file("outside", "secret2");
    ck_assert_int_eq(bp_bytes_map(path, false, &bytes, &err), BP_OK);
    ck_assert_uint_ne(bytes.file_id, id);
    bp_bytes_unmap(&bytes);
    in_dir(path, "empty");
    ck_assert_int_eq(bp_bytes_map(path, false, &bytes, &err), BP_OK);
    ck_assert_uint_eq(bytes.size, 0);
    ck_assert_uint_ne(bytes.file_id, 0);
    bp_bytes_unmap(&bytes);
}
END_TEST

START_TEST(mapping_rejects_what_is_not_a_regular_file)
{
    static const char *const names[][2] = {{"model", "not a regular file"},
                                           {"pipe", "not a regular file"},
                                           {"nothing", "No such file"}};
    struct bp_bytes bytes = {0};
    char path[128];

    for (int i = 0; i < COUNT(names); i++) {
        in_dir(path, names[i][0]);
        ck_assert_int_eq(bp_bytes_map(path, false, &bytes, &err), BP_E_IO);
        ck_assert_msg(strstr(words, names[i][1]) && strstr(words, path), "%s", words);
        ck_assert_ptr_null(bytes.data);
    }
}
END_TEST

static const struct {
    const char *name;
    bp_rc rc;
    size_t size;
} inside[] = {
    {"weights", BP_OK, 5},        {"good", BP_OK, 5},
    {"./sub//w", BP_OK, 2},       {"bad", BP_E_INVALID, 0},
    {"aside/w", BP_E_INVALID, 0}, {"../outside", BP_E_INVALID, 0},
    {"sub/../weights", BP_OK, 5}, {"sub/../../outside", BP_E_INVALID, 0},
    {"..", BP_E_INVALID, 0},      {"/etc/passwd", BP_E_INVALID, 0},
    {"", BP_E_INVALID, 0},        {"nothing", BP_E_IO, 0},
    {"sub", BP_E_IO, 0},
};

START_TEST(mapping_inside_a_directory_rejects_paths_that_leave_it)
{
    struct bp_bytes bytes = {0};
    char path[128];

    in_dir(path, "model");
    ck_assert_msg(bp_bytes_map_inside(path, inside[_i].name, false, &bytes, &err) == inside[_i].rc,
                  "%s", words);
    ck_assert_uint_eq(bytes.size, inside[_i].size);
    bp_bytes_unmap(&bytes);
}
END_TEST

/* ---- log ------------------------------------------------------------------------------------- */

static char last_line[2048];
static int n_lines;

static void keep(void *user, uint32_t level, const char *domain, const char *text)
{
    n_lines++;
    snprintf(last_line, sizeof last_line, "%s %u %s: %s", (const char *)user, level, domain, text);
}

START_TEST(log_delivers_lines_up_to_its_level)
{
    static char user[] = "me";
    struct bp_log log = {keep, user, 0};
    char large[3000];

    n_lines = 0;
    bp_log(NULL, BP_LOG_ERROR, "a", "x");
    bp_log(&log, BP_LOG_INFO, "a", "x");
    ck_assert_int_eq(n_lines, 0);
    bp_log(&log, BP_LOG_WARN, "cpu", "%d\n\x1b[1m", 5);
    ck_assert_str_eq(last_line, "me 2 cpu: 5  [1m");
    log.level = BP_LOG_DEBUG;
    bp_log(&log, BP_LOG_DEBUG, "a", "x");
    ck_assert_int_eq(n_lines, 2);
    memset(large, 'y', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    bp_log(&log, BP_LOG_ERROR, "a", "%s", large);
    ck_assert_str_eq(last_line + strlen(last_line) - 4, "y...");
}
END_TEST

/* ---- SHA-256 --------------------------------------------------------------------------------- */

/* FIPS 180-4's examples and NIST's long message; the bytes come in parts of each size. */
START_TEST(sha256_matches_the_examples_of_fips_180_4)
{
    static const struct {
        const char *text;
        unsigned times;
        const char *hash;
    } cases[] = {
        {"", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"aaaaaaaaaa", 100000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (size_t part = 1; part <= 7; part += 2) {
            char out[BP_SHA256_TEXT];
            struct bp_sha256 sha;

            bp_sha256_init(&sha);
            for (unsigned n = 0; n < cases[i].times; n++) {
                size_t size = strlen(cases[i].text);

                for (size_t at = 0; at < size; at += part)
                    bp_sha256_add(&sha, cases[i].text + at, size - at < part ? size - at : part);
            }
            bp_sha256_text(&sha, out);
            ck_assert_str_eq(out, cases[i].hash);
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("base");
    TCase *plain = tcase_create("plain"), *files = tcase_create("files");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, plain);
    tcase_add_checked_fixture(plain, setup, NULL);
    tcase_add_test(plain, a_detail_is_of_the_last_failure);
    tcase_add_test(plain, codes_are_copied_from_an_error_of_ones_own);
    tcase_add_test(plain, nothing_is_written_after_the_end_of_an_older_error);
    tcase_add_loop_test(plain, dense_bytes_counts_the_bytes_of_a_tensor, 0, COUNT(shapes));
    tcase_add_test(plain, error_message_begins_with_the_prefix);
    tcase_add_test(plain, give_out_writes_no_more_than_the_callers_struct_size);
    tcase_add_test(plain, region_gives_zeroed_aligned_memory);
    tcase_add_test(plain, reset_region_gives_zeroed_memory_of_one_block);
    tcase_add_test(plain, region_rejects_sizes_that_overflow);
    tcase_add_test(plain, region_copies_and_formats_text);
    tcase_add_test(plain, map_finds_every_key_that_was_put);
    tcase_add_test(plain, map_is_unchanged_when_memory_runs_out);
    tcase_add_test(plain, text_buffer_grows);
    tcase_add_test(plain, text_buffer_remembers_that_memory_ran_out);
    tcase_add_test(plain, json_writer_writes_nested_values);
    tcase_add_loop_test(plain, json_writer_always_writes_valid_utf8, 0, COUNT(utf8));
    tcase_add_test(plain, nearest_name_is_found_for_a_misspelt_one);
    tcase_add_test(plain, log_delivers_lines_up_to_its_level);
    tcase_add_test(plain, sha256_matches_the_examples_of_fips_180_4);
    suite_add_tcase(suite, files);
    tcase_add_checked_fixture(files, setup_dir, teardown_dir);
    tcase_add_test(files, mapping_a_file_gives_its_bytes_and_an_id_that_changes_with_it);
    tcase_add_test(files, mapping_rejects_what_is_not_a_regular_file);
    tcase_add_loop_test(files, mapping_inside_a_directory_rejects_paths_that_leave_it, 0,
                        COUNT(inside));
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
