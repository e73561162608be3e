/* SPDX-License-Identifier: MIT */
/* check_npy.c - the digits example reads arrays of bytes, and no others. */
#include "config.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/example.h"
#include "digits/npy.h"

const char example_name[] = "check_npy";

static char npy_path[] = "check_npy.XXXXXX";

/* Writes a file of that header and `n` bytes 0, 1, 2...; reads it as an array. */
static bool read_npy(const char *header, size_t n, struct npy_array *out)
{
    size_t length = strlen(header);
    FILE *file = fopen(npy_path, "wb");

    ck_assert_ptr_nonnull(file);
    fwrite("\x93NUMPY\x01\x00", 1, 8, file);
    fputc((int)(length & 0xff), file);
    fputc((int)(length >> 8), file);
    fputs(header, file);
    for (size_t i = 0; i < n; i++)
        fputc((int)(i & 0xff), file);
    fclose(file);
    return npy_read(npy_path, out);
}

static void make_npy_file(void)
{
    int fd = mkstemp(npy_path);

    ck_assert_int_ge(fd, 0);
    close(fd);
}

static void remove_npy_file(void)
{
    remove(npy_path);
    memcpy(strrchr(npy_path, '.'), ".XXXXXX", 8);
}

START_TEST(reads_arrays_of_bytes)
{
    struct npy_array array;

    ck_assert(read_npy("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }\n", 6, &array));
    ck_assert_uint_eq(array.rank, 2);
    ck_assert_uint_eq(array.dims[0], 2);
    ck_assert_uint_eq(array.dims[1], 3);
    ck_assert_uint_eq(array.count, 6);
    ck_assert_uint_eq(array.data[5], 5);
    npy_finish(&array);

    ck_assert(read_npy("{'shape': (0,), 'fortran_order': False, 'descr': '|u1'}", 0, &array));
    ck_assert_uint_eq(array.count, 0);
    ck_assert_ptr_nonnull(array.data);
    npy_finish(&array);
}
END_TEST

START_TEST(refuses_arrays_of_another_kind)
{
    static const char *const headers[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
        "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 4), }",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (-2, -3), }",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (6, 1, 1, 1, 1), }",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (6",
        "{'descr': '|u1', 'fortran_order': False, 'shape': ",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (4294967296, 4294967296), }",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (99999999999999999999999, 0), }",
        "{'descr': '|u1', 'shape': (2, 3), }",
        "",
    };

    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        struct npy_array array;

        ck_assert_msg(!read_npy(headers[i], 6, &array), "accepted: %s", headers[i]);
        ck_assert_ptr_null(array.data);
    }
}
END_TEST

START_TEST(refuses_a_header_longer_than_the_file)
{
    struct npy_array array;
    FILE *file = fopen(npy_path, "wb");

    ck_assert_ptr_nonnull(file);
    fwrite("\x93NUMPY\x01\x00\xff\xff{", 1, 11, file);
    fclose(file);
    ck_assert(!npy_read(npy_path, &array));
    ck_assert(!npy_read("no such file", &array));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("npy");
    TCase *arrays = tcase_create("arrays");
    SRunner *runner = srunner_create(suite);
    int n_failed;

    tcase_add_checked_fixture(arrays, make_npy_file, remove_npy_file);
    tcase_add_test(arrays, reads_arrays_of_bytes);
    tcase_add_test(arrays, refuses_arrays_of_another_kind);
    tcase_add_test(arrays, refuses_a_header_longer_than_the_file);
    suite_add_tcase(suite, arrays);

    srunner_run_all(runner, CK_ENV);
    n_failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
