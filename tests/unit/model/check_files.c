/* SPDX-License-Identifier: MIT */
/* check_files.c - models and their external data as files: sound, missing, hostile, huge, and no models. */

#define _GNU_SOURCE

#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/model_fixture.h"

static char dir[256]; /* of this test, made and removed by the fixture */

static const char *path_of(const char *name)
{
    static char path[512];

    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static void write_file(const char *name, const void *bytes, size_t n)
{
    FILE *file = fopen(path_of(name), "wb");

    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, n, file), n);
    ck_assert_int_eq(fclose(file), 0);
}

static void setup(void)
{
    const char *tmp = getenv("TMPDIR");

    setup_model();
    snprintf(dir, sizeof dir, "%s/bp-check-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(dir));
}

static void teardown(void)
{
    static const char *const names[] = {"model.onnx", "w.bin", "link.bin", "outside.bin", "sub"};

    teardown_model();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        (void)remove(path_of(names[i]));
    ck_assert_int_eq(rmdir(dir), 0);
}

static bp_rc open_file(const char *name)
{
    bp_rc rc;

    close_model();
    rc = bp_onnx_open(path_of(name), &onnx, &err);
    if (rc >= 0)
        rc = bp_onnx_graph(onnx, NULL, &region, &symbols, &ir, &err);
    return rc;
}

static void entry(const char *key, const char *value)
{
    pw_open(&w, 13);
    pw_text(&w, 1, key);
    pw_text(&w, 2, value);
    pw_close(&w);
}

/* An external tensor; keys that are NULL are left out. */
static void write_external(const char *name, int32_t dtype, int64_t n, const char *location,
                           const char *offset, const char *length)
{
    pw_open_tensor(&w, 5, name, dtype, PW_DIMS(n));
    if (location)
        entry("location", location);
    if (offset)
        entry("offset", offset);
    if (length)
        entry("length", length);
    pw_int(&w, 14, 1);
    pw_close(&w);
}

static void write_external_model(const char *location, const char *offset, const char *length)
{
    start_model();
    write_external("e", BP_DTYPE_U8, 4, location, offset, length);
    end_model();
}

static void refuses_external(const char *location, const char *offset, const char *length,
                             const char *words)
{
    write_external_model(location, offset, length);
    refuses_in(dir, BP_E_INVALID, words);
    ck_assert_ptr_nonnull(strstr(text, "tensor 'e': "));
}

/* ---- external data --------------------------------------------------------------------------- */

START_TEST(external_data_is_mapped_and_not_copied)
{
    const struct bp_ir_data *a, *b, *c;

    write_file("w.bin", "0123456789abcdef", 16);
    start_model();
    write_external("a", BP_DTYPE_U8, 4, "w.bin", NULL, NULL);
    write_external("b", BP_DTYPE_U8, 4, "w.bin", "3", "4");
    write_external("c", BP_DTYPE_U8, 0, "w.bin", "16", "0");
    end_model();
    write_file("model.onnx", w.data, w.size);
    ck_assert_msg(open_file("model.onnx") == BP_OK, "%s", text);
    a = value_of(ir, "a")->data;
    b = value_of(ir, "b")->data;
    c = value_of(ir, "c")->data;
    ck_assert_mem_eq(a->bytes, "0123", 4);
    ck_assert_mem_eq(b->bytes, "3456", 4);
    ck_assert_ptr_eq(b->bytes, a->bytes + 3); /* one mapping for both */
    ck_assert(a->id != b->id);
    ck_assert_ptr_nonnull(c->bytes);
    ck_assert_str_eq(bp_onnx_external(onnx, 0), "w.bin");
    ck_assert_ptr_null(bp_onnx_external(onnx, 1));
    bp_onnx_drop_pages(onnx);
    ck_assert_mem_eq(a->bytes, "0123", 4);
}
END_TEST

/* ---- what has been copied -------------------------------------------------------------------- */

enum { MANY_BYTES = 4 << 20 };

/* Resident bytes of the mapping that contains p; -1: the system does not report them. */
static long resident_at(const void *p)
{
    FILE *maps = fopen("/proc/self/smaps", "r");
    unsigned long first, end;
    bool is_it = false;
    char line[512];
    long kib = -1;

    while (maps && kib < 0 && fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%lx-%lx ", &first, &end) == 2)
            is_it = (uintptr_t)p >= first && (uintptr_t)p < end;
        else if (is_it)
            (void)sscanf(line, "Rss: %ld", &kib);
    }
    if (maps)
        fclose(maps);
    return kib < 0 ? -1 : kib * 1024;
}

static uint64_t sum_of(const struct bp_ir_data *data)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < data->size; i++)
        sum += data->bytes[i];
    return sum;
}

/* Its pages go and come again with the same bytes. */
static void lets_go(const struct bp_ir_data *data)
{
    uint64_t sum = sum_of(data);
    long before = resident_at(data->bytes);

    ck_assert_ptr_eq(data->mapped, data->bytes);
    bp_ir_data_forget(data);
    if (before >= MANY_BYTES)
        ck_assert_int_lt(resident_at(data->bytes), before - MANY_BYTES / 2);
    ck_assert_uint_eq(sum_of(data), sum);
}

START_TEST(pages_of_mapped_constants_are_released)
{
    unsigned char *bytes = malloc(MANY_BYTES);
    uint64_t sum;

    ck_assert_ptr_nonnull(bytes);
    for (size_t i = 0; i < MANY_BYTES; i++)
        bytes[i] = (unsigned char)(i * 7 + i / 4096);
    write_file("w.bin", bytes, MANY_BYTES);
    start_model();
    write_external("e", BP_DTYPE_U8, MANY_BYTES, "w.bin", NULL, NULL);
    pw_open_tensor(&w, 5, "i", BP_DTYPE_U8, PW_DIMS(MANY_BYTES));
    pw_bytes(&w, 9, bytes, MANY_BYTES);
    pw_close(&w);
    end_model();
    write_file("model.onnx", w.data, w.size);
    ck_assert_msg(open_file("model.onnx") == BP_OK, "%s", text);
    lets_go(value_of(ir, "e")->data);
    lets_go(value_of(ir, "i")->data);

    /* memory of the application is not released */
    ck_assert_msg(build_from_memory(dir, false) == BP_OK, "%s", text);
    ck_assert_ptr_null(value_of(ir, "i")->data->mapped);
    sum = sum_of(value_of(ir, "i")->data);
    bp_ir_data_forget(value_of(ir, "i")->data);
    ck_assert_uint_eq(sum_of(value_of(ir, "i")->data), sum);
    lets_go(value_of(ir, "e")->data);
    free(bytes);
}
END_TEST

START_TEST(tensor_attributes_may_have_external_data)
{
    const bp_const *row;

    write_file("w.bin", "0123456789abcdef", 16);
    start_model();
    pw_open_node(&w, "Thing", "", "thing");
    pw_open_attr(&w, "t", 4);
    write_external("attribute", BP_DTYPE_U8, 2, "w.bin", "14", "2");
    pw_close(&w);
    pw_close(&w);
    end_model();
    ck_assert_msg(build_from_memory(dir, false) == BP_OK, "%s", text);
    for (uint32_t i = 0; i < ir->n_nodes; i++) {
        const bp_attr *attr = bp_ir_attr(&ir->nodes[i], "t");

        if (!attr)
            continue;
        row = attr->data;
        ck_assert_mem_eq(row->data, "ef", 2);
        return;
    }
    ck_abort_msg("no attribute");
}
END_TEST

START_TEST(missing_external_file_is_an_error_only_when_its_data_is_read)
{
    struct bp_ir_data *data;

    write_external_model("w.bin", "2", "4");
    ck_assert_msg(build_from_memory(dir, false) == BP_OK, "%s", text);
    data = value_of(ir, "e")->data;
    ck_assert_ptr_null(data->bytes);
    ck_assert_int_eq(bp_ir_data_load(data, &err), BP_E_IO);
    ck_assert_ptr_nonnull(strstr(text, "tensor 'e': "));
    ck_assert_ptr_nonnull(strstr(text, "w.bin"));
    write_file("w.bin", "012", 3);
    ck_assert_int_eq(bp_ir_data_load(data, &err), BP_E_INVALID);
    ck_assert_ptr_nonnull(strstr(text, "its data is 4 bytes at 2 of 'w.bin', which has 3"));
}
END_TEST

START_TEST(external_file_created_later_is_mapped)
{
    struct bp_ir_data *data;

    write_external_model("w.bin", "2", "4");
    ck_assert_msg(build_from_memory(dir, false) == BP_OK, "%s", text);
    data = value_of(ir, "e")->data;
    write_file("w.bin", "0123456", 7);
    ck_assert_msg(bp_ir_data_load(data, &err) == BP_OK, "%s", text);
    ck_assert_mem_eq(data->bytes, "2345", 4);
}
END_TEST

START_TEST(model_rejects_external_data_outside_its_file)
{
    write_file("w.bin", "0123456789abcdef", 16);
    refuses_external("w.bin", "13", "4", "its data is 4 bytes at 13 of 'w.bin', which has 16");
    refuses_external("w.bin", "18446744073709551615", "4", "of 'w.bin', which has 16");
    refuses_external("w.bin", "18446744073709551616", "4", "is not a number of bytes");
    refuses_external("w.bin", "-1", "4", "its external offset '-1' is not a number of bytes");
    refuses_external("w.bin", "0x4", "4", "is not a number of bytes");
    refuses_external("w.bin", "0", "5", "its external length is 5 bytes where its dims need 4");
    refuses_external(NULL, "0", "4", "external_data has no location");
    refuses_external("", "0", "4", "external_data has no location");
    start_model();
    write_external("s", BP_DTYPE_STRING, 1, "w.bin", NULL, NULL);
    end_model();
    refuses_in(dir, BP_E_INVALID, "tensor 's': it is of strings, which cannot be external");
    start_model();
    write_external("b", BP_DTYPE_BOOL, 2, "w.bin", NULL, NULL);
    end_model();
    refuses_in(dir, BP_E_INVALID, "tensor 'b': element 0 is 48, which is not a bool");
}
END_TEST

START_TEST(model_rejects_external_files_outside_of_its_directory)
{
    char link_path[512];

    ck_assert_int_eq(mkdir(path_of("sub"), 0700), 0);
    write_file("outside.bin", "0123", 4);
    snprintf(link_path, sizeof link_path, "%s/sub/link.bin", dir);
    ck_assert_int_eq(symlink("../outside.bin", link_path), 0);

    refuses_external("/etc/hostname", NULL, NULL, "/etc/hostname");
    refuses_external("../w.bin", NULL, NULL, "..");
    refuses_external("sub/../../w.bin", NULL, NULL, "..");
    refuses_external("../../../../../../../../../../etc/hostname", NULL, NULL, "'..' leads out");
    refuses_external("sub/..", NULL, NULL, "'..' leads out");
    write_external_model("link.bin", NULL, NULL);
    strcat(dir, "/sub");
    refuses_in(dir, BP_E_INVALID, "tensor 'e': ");
    ck_assert_ptr_nonnull(strstr(text, "link"));
    dir[strlen(dir) - 4] = '\0';
    ck_assert_int_eq(unlink(link_path), 0);
}
END_TEST

/* A link's ".." is the folder above what it names. */
START_TEST(external_path_with_dotdot_inside_the_directory_is_accepted)
{
    const char *last = strrchr(dir, '/');
    char name[512], link_path[512];

    ck_assert_int_eq(mkdir(path_of("sub"), 0700), 0);
    write_file("w.bin", "abcd", 4);
    snprintf(name, sizeof name, "sub/../../%s/./w.bin", last ? last + 1 : dir);
    for (int i = 0; i < 3; i++) {
        write_external_model(i == 0   ? "sub/../w.bin"
                             : i == 1 ? "sub//..//./w.bin"
                                      : name,
                             NULL, NULL);
        ck_assert_msg(build_from_memory(dir, false) == BP_OK, "%s", text);
        ck_assert_msg(bp_ir_data_load(value_of(ir, "e")->data, &err) == BP_OK, "%s", text);
        ck_assert_mem_eq(value_of(ir, "e")->data->bytes, "abcd", 4);
    }
    ck_assert_int_eq(mkdir(path_of("other"), 0700), 0);
    snprintf(link_path, sizeof link_path, "%s/sub/link", dir);
    ck_assert_int_eq(symlink("../other", link_path), 0);
    write_external_model("link/../w.bin", NULL, NULL);
    strcat(dir, "/sub");
    refuses_in(dir, BP_E_INVALID, "is a link to");
    dir[strlen(dir) - 4] = '\0';
    ck_assert_int_eq(unlink(link_path), 0);
    ck_assert_int_eq(rmdir(path_of("other")), 0);
}
END_TEST

START_TEST(model_in_memory_without_directory_rejects_external_data)
{
    write_external_model("w.bin", NULL, NULL);
    refuses(BP_E_INVALID,
            "its data is in the file 'w.bin', but a model in memory has no directory");
}
END_TEST

/* ---- sizes over 2 GiB ------------------------------------------------------------------------ */

#define GIB (INT64_C(1) << 30)

/* A sparse file: all but the ends is a hole. False: the file system does not take that. */
static bool make_huge(const char *name, int64_t size, const char *tail)
{
    int fd = open(path_of(name), O_WRONLY | O_CREAT, 0600);
    ssize_t n = (ssize_t)strlen(tail);
    bool ok = fd >= 0 && ftruncate(fd, (off_t)size) == 0 &&
              pwrite(fd, tail, (size_t)n, (off_t)(size - n)) == n;

    if (fd >= 0)
        close(fd);
    return ok;
}

START_TEST(external_data_beyond_2_gib_is_read)
{
    ck_assert_msg(make_huge("w.bin", 3 * GIB, "tail"), "cannot make a sparse file in %s", dir);
    write_external_model("w.bin", "3221225468", "4");
    ck_assert_msg(build_from_memory(dir, false) == BP_OK, "%s", text);
    ck_assert_mem_eq(value_of(ir, "e")->data->bytes, "tail", 4);
}
END_TEST

START_TEST(model_file_over_2_gib_is_read)
{
    const int64_t n = 2 * GIB + 4096;
    struct pw tensor = {0}, graph = {0};

    pw_dims(&tensor, 1, PW_DIMS(n));
    pw_int(&tensor, 2, BP_DTYPE_U8);
    pw_text(&tensor, 8, "e");
    pw_tag(&tensor, 9, 2);
    pw_varint(&tensor, (uint64_t)n);

    pw_node(&graph, "Relu", "x", "y");
    pw_value(&graph, 11, "x", BP_DTYPE_F32, PW_DIMS(2));
    pw_value(&graph, 12, "y", BP_DTYPE_F32, PW_DIMS(2));
    pw_tag(&graph, 5, 2);
    pw_varint(&graph, tensor.size + (uint64_t)n);
    pw_raw(&graph, tensor.data, tensor.size);

    pw_int(&w, 1, 8);
    pw_open(&w, 8);
    pw_int(&w, 2, 13);
    pw_close(&w);
    pw_tag(&w, 7, 2);
    pw_varint(&w, graph.size + (uint64_t)n);
    pw_raw(&w, graph.data, graph.size);
    write_file("model.onnx", w.data, w.size);
    ck_assert_msg(make_huge("model.onnx", (int64_t)w.size + n, "tail"),
                  "cannot make a sparse file in %s", dir);
    pw_free(&tensor);
    pw_free(&graph);

    ck_assert_msg(open_file("model.onnx") == BP_OK, "%s", text);
    ck_assert_uint_eq(value_of(ir, "e")->data->size, (size_t)n);
    ck_assert_mem_eq(value_of(ir, "e")->data->bytes + n - 4, "tail", 4);
}
END_TEST

/* ---- identity -------------------------------------------------------------------------------- */

START_TEST(tensors_of_equal_id_have_equal_bytes)
{
    uint64_t first, second, in_memory;

    start_model();
    pw_raw_tensor(&w, 5, "a", BP_DTYPE_U8, PW_DIMS(4), "0123", 4);
    pw_raw_tensor(&w, 5, "b", BP_DTYPE_U8, PW_DIMS(4), "4567", 4);
    end_model();
    write_file("model.onnx", w.data, w.size);
    ck_assert_int_eq(open_file("model.onnx"), BP_OK);
    first = value_of(ir, "a")->data->id;
    ck_assert(first != value_of(ir, "b")->data->id);
    ck_assert_int_eq(open_file("model.onnx"), BP_OK);
    ck_assert(first == value_of(ir, "a")->data->id); /* sessions share what they pack */

    build();
    in_memory = value_of(ir, "a")->data->id;
    memcpy(w.data + w.size - 4, "____", 4); /* the same memory, later, with another model */
    build();
    second = value_of(ir, "a")->data->id;
    ck_assert(in_memory != second && in_memory != first);
}
END_TEST

/* ---- files that are not models --------------------------------------------------------------- */

static void refuses_file(const void *bytes, size_t n, const char *words)
{
    char wanted[256];

    write_file("model.onnx", bytes, n);
    ck_assert_int_eq(open_file("model.onnx"), BP_E_INVALID);
    snprintf(wanted, sizeof wanted, "model.onnx is not an ONNX model: %s", words);
    ck_assert_msg(strstr(text, wanted) != NULL, "'%s' is not in: %s", wanted, text);
}

START_TEST(error_names_the_format_of_a_file_that_is_no_model)
{
    refuses_file("", 0, "it is empty");
    refuses_file("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16, "it is a PNG image");
    refuses_file("version https://git-lfs.github.com/spec/v1\n", 43,
                 "it is the pointer that Git LFS");
    refuses_file("PK\x03\x04\x14\0\0\0\x08\0", 10, "it is a ZIP archive");
    refuses_file("once upon a time there was a model\n", 35, "it is text");
    refuses_file("<html><body>404</body></html>\n", 30, "it is a web page");
    refuses_file("\x12\x34\x56\x78\x9a\xbc\xde\xf0", 8, "ModelProto");
    refuses_file("\x9a\x06\x00", 3, "it has no graph"); /* a message, but not one of ours */
}
END_TEST

START_TEST(error_names_the_file_that_cannot_be_opened)
{
    ck_assert_int_eq(open_file("missing.onnx"), BP_E_IO);
    ck_assert_ptr_nonnull(strstr(text, "missing.onnx: No such file"));
    ck_assert_int_eq(open_file("."), BP_E_INVALID);
    ck_assert_ptr_nonnull(strstr(text, "is not an ONNX model: it is a directory"));
}
END_TEST

START_TEST(error_says_that_a_model_is_truncated)
{
    start_model();
    pw_raw_tensor(&w, 5, "a", BP_DTYPE_U8, PW_DIMS(4), "0123", 4);
    end_model();
    write_file("model.onnx", w.data, w.size - 3);
    ck_assert_int_eq(open_file("model.onnx"), BP_E_INVALID);
    ck_assert_ptr_nonnull(strstr(text, "model.onnx is an ONNX model that is damaged or cut off: "));
    ck_assert_ptr_nonnull(strstr(text, "ModelProto.graph, byte"));
}
END_TEST

/* Overwrites a file where it lies, as no well-behaved program does. */
static void overwrite(const char *name, const void *from, const void *to, size_t n)
{
    static char bytes[4096];
    FILE *file = fopen(path_of(name), "r+b");
    size_t size;
    char *at;

    ck_assert_ptr_nonnull(file);
    size = fread(bytes, 1, sizeof bytes, file);
    at = memmem(bytes, size, from, n);
    ck_assert_ptr_nonnull(at);
    ck_assert_int_eq(fseek(file, at - bytes, SEEK_SET), 0);
    ck_assert_uint_eq(fwrite(to, 1, n, file), n);
    ck_assert_int_eq(fclose(file), 0);
}

/* Kernels check indices and use them then: what was checked must be what is used. */
START_TEST(indices_of_a_file_that_changes_stay_what_they_were)
{
    static const int64_t inside[2] = {0x0101010101010101, 2}, outside[2] = {-1, INT64_MAX};
    static const int64_t own[2] = {0x0202020202020202, 3};
    static const uint8_t flags[4] = {0, 1, 1, 0}, no_flags[4] = {9, 9, 9, 9};

    write_file("w.bin", inside, sizeof inside);
    write_file("outside.bin", flags, sizeof flags);
    start_model();
    write_external("i", BP_DTYPE_I64, 2, "w.bin", NULL, NULL);
    write_external("b", BP_DTYPE_BOOL, 4, "outside.bin", NULL, NULL);
    pw_raw_tensor(&w, 5, "own", BP_DTYPE_I64, PW_DIMS(2), own, sizeof own);
    end_model();
    write_file("model.onnx", w.data, w.size);
    ck_assert_msg(open_file("model.onnx") == BP_OK, "%s", text);
    overwrite("w.bin", inside, outside, sizeof outside);
    overwrite("outside.bin", flags, no_flags, sizeof no_flags);
    overwrite("model.onnx", own, outside, sizeof outside);
    ck_assert_mem_eq(value_of(ir, "i")->data->bytes, inside, sizeof inside);
    ck_assert_mem_eq(value_of(ir, "b")->data->bytes, flags, sizeof flags);
    ck_assert_mem_eq(value_of(ir, "own")->data->bytes, own, sizeof own);
}
END_TEST

START_TEST(model_is_reference_counted)
{
    start_model();
    end_model();
    build();
    ck_assert_ptr_eq(bp_onnx_ref(onnx), onnx);
    bp_onnx_unref(onnx);
    ck_assert_ptr_nonnull(bp_onnx_opset(onnx, 0, &(int64_t){0}));
    bp_onnx_unref(NULL);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("model files");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, external_data_is_mapped_and_not_copied);
    tcase_add_test(tcase, pages_of_mapped_constants_are_released);
    tcase_add_test(tcase, tensor_attributes_may_have_external_data);
    tcase_add_test(tcase, missing_external_file_is_an_error_only_when_its_data_is_read);
    tcase_add_test(tcase, external_file_created_later_is_mapped);
    tcase_add_test(tcase, model_rejects_external_data_outside_its_file);
    tcase_add_test(tcase, model_rejects_external_files_outside_of_its_directory);
    tcase_add_test(tcase, external_path_with_dotdot_inside_the_directory_is_accepted);
    tcase_add_test(tcase, model_in_memory_without_directory_rejects_external_data);
    tcase_add_test(tcase, external_data_beyond_2_gib_is_read);
    tcase_add_test(tcase, model_file_over_2_gib_is_read);
    tcase_add_test(tcase, tensors_of_equal_id_have_equal_bytes);
    tcase_add_test(tcase, error_names_the_format_of_a_file_that_is_no_model);
    tcase_add_test(tcase, error_names_the_file_that_cannot_be_opened);
    tcase_add_test(tcase, error_says_that_a_model_is_truncated);
    tcase_add_test(tcase, indices_of_a_file_that_changes_stay_what_they_were);
    tcase_add_test(tcase, model_is_reference_counted);
    return run_tests("model files", tcase);
}
