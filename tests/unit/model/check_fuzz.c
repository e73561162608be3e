/* SPDX-License-Identifier: MIT */
/*
 * check_fuzz.c - changed, cut and grown models are refused or read, never worse; and all
 * model files of the folder that BACKPLANE_MODELS names can be read.
 */
#include "config.h"

#include <ftw.h>

#include "support/fail_alloc.h"
#include "support/model_fixture.h"

enum { ROUNDS = 4000 }; /* of each kind of change, for each model */

static uint64_t state;

static uint64_t next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static size_t below(size_t n)
{
    return (size_t)(next_random() % n);
}

/* ---- models to change ------------------------------------------------------------------------ */

static void write_plain(void)
{
    start_model();
    pw_node(&w, "Add", "y b", "z");
    pw_raw_tensor(&w, 5, "b", BP_DTYPE_F32, PW_DIMS(2), "01234567", 8);
    pw_raw_tensor(&w, 5, "x", BP_DTYPE_F32, PW_DIMS(2), "01234567", 8);
    pw_value(&w, 13, "z", BP_DTYPE_F32, PW_DIMS(2));
    end_model();
    pw_open(&w, 14);
    pw_text(&w, 1, "k");
    pw_text(&w, 2, "v");
    pw_close(&w);
}

static void write_typed_data(void)
{
    start_model();
    pw_open_tensor(&w, 5, "f", BP_DTYPE_F32, PW_DIMS(2));
    pw_bytes(&w, 4, "01234567", 8);
    pw_close(&w);
    pw_open_tensor(&w, 5, "i", BP_DTYPE_I8, PW_DIMS(3));
    pw_int(&w, 5, 1);
    pw_bytes(&w, 5, "\x02\x03", 2);
    pw_close(&w);
    pw_open_tensor(&w, 5, "l", BP_DTYPE_I64, PW_DIMS(2));
    pw_bytes(&w, 7, "\x02\x83\x01", 3);
    pw_close(&w);
    pw_open_tensor(&w, 5, "s", BP_DTYPE_STRING, PW_DIMS(2));
    pw_text(&w, 6, "one");
    pw_text(&w, 6, "two");
    pw_close(&w);
    pw_open_tensor(&w, 5, "n", BP_DTYPE_I4, PW_DIMS(3));
    pw_int(&w, 5, 0x21);
    pw_int(&w, 5, 0x03);
    pw_close(&w);
    end_model();
}

static void write_bodies(void)
{
    w.size = 0;
    pw_open_model(&w);
    pw_value(&w, 11, "c", BP_DTYPE_BOOL, PW_SCALAR);
    pw_value(&w, 11, "x", BP_DTYPE_F32, PW_DIMS(2));
    pw_open_node(&w, "If", "c", "y");
    for (int i = 0; i < 2; i++) {
        pw_open_attr(&w, i ? "then_branch" : "else_branch", 5);
        pw_open(&w, 6);
        pw_node(&w, "Relu", "x", "t");
        pw_raw_tensor(&w, 5, "k", BP_DTYPE_F32, PW_DIMS(2), "01234567", 8);
        pw_value(&w, 12, "t", BP_DTYPE_F32, PW_DIMS(2));
        pw_close(&w);
        pw_close(&w);
    }
    pw_close(&w);
    pw_value(&w, 12, "y", BP_DTYPE_F32, PW_DIMS(2));
    pw_close(&w);
}

static void write_attributes(void)
{
    start_model();
    pw_open_node(&w, "Thing", "x - x", "t - u");
    pw_open_attr(&w, "ints", 7);
    pw_int(&w, 8, 1);
    pw_bytes(&w, 8, "\x02\x03", 2);
    pw_close(&w);
    pw_open_attr(&w, "tensor", 4);
    pw_raw_tensor(&w, 5, "", BP_DTYPE_I32, PW_DIMS(2), "01234567", 8);
    pw_close(&w);
    pw_open_attr(&w, "strings", 8);
    pw_text(&w, 9, "SAME");
    pw_close(&w);
    pw_close(&w);
    pw_open_node(&w, "Constant", "", "c");
    pw_open_attr(&w, "sparse_value", 11);
    pw_open(&w, 22);
    pw_raw_tensor(&w, 1, "s", BP_DTYPE_U8, PW_DIMS(2), "01", 2);
    pw_raw_tensor(&w, 2, "", BP_DTYPE_I64, PW_DIMS(2), "\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0", 16);
    pw_dims(&w, 3, PW_DIMS(3));
    pw_close(&w);
    pw_close(&w);
    pw_close(&w);
    end_model();
}

static void write_external(void)
{
    start_model();
    pw_open_tensor(&w, 5, "e", BP_DTYPE_U8, PW_DIMS(4));
    pw_open(&w, 13);
    pw_text(&w, 1, "location");
    pw_text(&w, 2, "no-such-file.bin");
    pw_close(&w);
    pw_open(&w, 13);
    pw_text(&w, 1, "offset");
    pw_text(&w, 2, "8");
    pw_close(&w);
    pw_int(&w, 14, 1);
    pw_close(&w);
    end_model();
}

/* Function f: a node with an attribute of the call, a call of g, a node with a subgraph. */
static void write_functions(void)
{
    w.size = 0;
    pw_open_model(&w);
    pw_value(&w, 11, "x", BP_DTYPE_F32, PW_DIMS(2));
    for (int i = 0; i < 2; i++) {
        pw_open_node(&w, "f", i ? "a -" : "x x", i ? "y" : "a b");
        pw_open_attr(&w, "p", 1);
        pw_float(&w, 2, 0.5f);
        pw_close(&w);
        pw_text(&w, 7, "d");
        pw_close(&w);
    }
    pw_value(&w, 12, "y", BP_DTYPE_F32, PW_DIMS(2));
    pw_close(&w);
    pw_open(&w, 25);
    pw_text(&w, 1, "f");
    pw_words(&w, 4, "x z");
    pw_words(&w, 5, "a b");
    pw_open_node_in(&w, 7, "Elu", "x", "t");
    pw_open_attr(&w, "alpha", 1);
    pw_text(&w, 21, "p");
    pw_close(&w);
    pw_close(&w);
    pw_open_node_in(&w, 7, "g", "t", "a");
    pw_text(&w, 7, "d");
    pw_close(&w);
    pw_open_node_in(&w, 7, "Constant", "", "k");
    pw_open_attr(&w, "value", 4);
    pw_raw_tensor(&w, 5, "", BP_DTYPE_F32, PW_DIMS(2), "01234567", 8);
    pw_close(&w);
    pw_close(&w);
    pw_open_node_in(&w, 7, "Thing", "k z", "b");
    pw_open_attr(&w, "body", 5);
    pw_open(&w, 6);
    pw_node(&w, "Add", "t k", "s");
    pw_value(&w, 12, "s", BP_DTYPE_F32, PW_DIMS(2));
    pw_close(&w);
    pw_close(&w);
    pw_close(&w);
    pw_open(&w, 9);
    pw_int(&w, 2, 12);
    pw_close(&w);
    pw_text(&w, 10, "d");
    pw_close(&w);
    pw_open(&w, 25);
    pw_text(&w, 1, "g");
    pw_words(&w, 4, "x");
    pw_words(&w, 5, "x");
    pw_text(&w, 10, "d");
    pw_close(&w);
}

static void (*const writers[])(void) = {write_plain,      write_typed_data, write_bodies,
                                        write_attributes, write_external,   write_functions};
enum { N_WRITERS = sizeof writers / sizeof writers[0] };

/* ---- changes --------------------------------------------------------------------------------- */

static void flip(struct pw *model)
{
    for (size_t n = below(4) + 1; n > 0; n--)
        model->data[below(model->size)] ^= (uint8_t)(1u << below(8));
}

static void overwrite(struct pw *model)
{
    static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff, 0x0a, 0x08};

    for (size_t n = below(4) + 1; n > 0; n--)
        model->data[below(model->size)] = values[below(sizeof values)];
}

static void cut(struct pw *model)
{
    size_t at = below(model->size), n = below(model->size - at) + 1;

    memmove(model->data + at, model->data + at + n, model->size - at - n);
    model->size -= n;
}

/* Puts a piece of the model in somewhere else. */
static void repeat(struct pw *model)
{
    size_t from = below(model->size), n = below(model->size - from) + 1, at = below(model->size);
    uint8_t *piece = malloc(n);

    memcpy(piece, model->data + from, n);
    pw_raw(model, piece, n); /* space for the change */
    memmove(model->data + at + n, model->data + at, model->size - n - at);
    memcpy(model->data + at, piece, n);
    free(piece);
}

static void (*const changes[])(struct pw *model) = {flip, overwrite, cut, repeat};
enum { N_CHANGES = sizeof changes / sizeof changes[0] };

/* ---- saving ---------------------------------------------------------------------------------- */

static struct pw saved, placed;

static bp_rc write_part(void *user, const void *bytes, size_t size, bp_err *unused)
{
    (void)user;
    (void)unused;
    pw_raw(&saved, bytes, size);
    return BP_OK;
}

/* Every other initializer goes outside. */
static bp_rc place(void *user, const bp_weight_info *info, const char **file, uint64_t *offset,
                   bp_err *unused)
{
    bool *is_outside = user;

    (void)unused;
    *is_outside = !*is_outside;
    if (*is_outside) {
        *file = "placed.bin";
        *offset = placed.size;
        pw_raw(&placed, info->tensor.base, info->tensor.bytes);
    }
    return BP_OK;
}

/* Saves the open model; the saved file must open too. */
static void try_save(void)
{
    bool is_outside = false;
    bp_model_sink sink = {
        .struct_size = sizeof sink, .user = &is_outside, .place = place, .write = write_part};
    bp_model_file file;
    bp_model_source from = {.struct_size = sizeof from, .n_files = 1, .files = &file};
    struct bp_onnx *again = NULL;
    bp_rc rc;

    saved.size = placed.size = 0;
    text[0] = '\0';
    rc = bp_onnx_save(onnx, &sink, &err);
    ck_assert(rc == BP_OK || (rc < 0 && text[0]));
    if (rc == BP_OK) {
        file = (bp_model_file){"placed.bin", placed.data, placed.size};
        from.bytes = saved.data;
        from.size = saved.size;
        rc = bp_onnx_open_source(&from, &again, &err);
        ck_assert_msg(rc == BP_OK, "%s", text);
        bp_onnx_unref(again);
    }
}

/* Opens a model from memory that ends where it ends, and builds its graph both ways. */
static bp_rc try_model(const struct pw *model)
{
    uint8_t *bytes = malloc(model->size ? model->size : 1);
    struct pw own = {.data = bytes, .size = model->size};
    struct pw kept = w;
    bp_rc rc;

    if (model->size > 0)
        memcpy(bytes, model->data, model->size);
    w = own;
    text[0] = '\0';
    rc = build_from_memory("/nonexistent", next_random() & 1);
    ck_assert(rc == BP_OK || (rc < 0 && text[0] && !ir));
    if (rc == BP_OK)
        try_save();
    close_model();
    w = kept;
    free(bytes);
    return rc;
}

START_TEST(reader_survives_changed_models)
{
    void (*const change)(struct pw * model) = changes[_i / N_WRITERS];
    struct pw changed = {0};
    int n_read = 0;

    state = 0x9e3779b97f4a7c15u + (uint64_t)_i;
    writers[_i % N_WRITERS]();
    ck_assert_msg(try_model(&w) == BP_OK, "%s", text);
    for (int round = 0; round < ROUNDS; round++) {
        changed.size = 0;
        pw_raw(&changed, w.data, w.size);
        change(&changed);
        n_read += try_model(&changed) == BP_OK;
    }
    ck_assert_int_lt(n_read, ROUNDS); /* else nothing was changed */
    pw_free(&changed);
    pw_free(&saved);
    pw_free(&placed);
}
END_TEST

START_TEST(reader_survives_every_truncation)
{
    writers[_i]();
    state = 1;
    for (size_t n = 0; n < w.size; n++) {
        struct pw changed = {.data = w.data, .size = n};

        (void)try_model(&changed);
    }
    pw_free(&saved);
    pw_free(&placed);
}
END_TEST

/* Every allocation in turn fails once. */
START_TEST(reader_survives_every_failing_allocation)
{
    bool has_failed = true;

    writers[_i]();
    for (unsigned n = 1; has_failed; n++) {
        bp_rc rc;

        fail_alloc_at(n);
        rc = build_from_memory("/nonexistent", false);
        has_failed = fail_alloc_stop();
        ck_assert_int_eq(rc, has_failed ? BP_E_NOMEM : BP_OK);
        close_model();
    }
}
END_TEST

/* ---- real files ------------------------------------------------------------------------------ */

static int n_files;

/* For nftw: stops at a file that cannot be read. */
static int read_file(const char *path, const struct stat *st, int kind, struct FTW *place)
{
    size_t n = strlen(path);
    bp_rc rc;

    (void)st;
    (void)place;
    if (kind != FTW_F || n < 5 || strcmp(path + n - 5, ".onnx") != 0)
        return 0;
    n_files++;
    close_model();
    rc = bp_onnx_open(path, &onnx, &err);
    if (rc >= 0)
        rc = bp_onnx_graph(onnx, NULL, &region, &symbols, &ir, &err);
    return rc < 0;
}

START_TEST(reader_reads_all_models_of_a_folder)
{
    const char *folder = getenv("BACKPLANE_MODELS");
    int stopped;

    stopped = nftw(folder, read_file, 16, FTW_PHYS);
    ck_assert_msg(stopped >= 0, "BACKPLANE_MODELS: %s cannot be read", folder);
    ck_assert_msg(stopped == 0, "%s", text);
    ck_assert_msg(n_files > 0, "BACKPLANE_MODELS: no .onnx file below %s", folder);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("model fuzz");

    tcase_add_checked_fixture(tcase, setup_model, teardown_model);
    tcase_set_timeout(tcase, 300);
    tcase_add_loop_test(tcase, reader_survives_changed_models, 0, N_CHANGES * N_WRITERS);
    tcase_add_loop_test(tcase, reader_survives_every_truncation, 0, N_WRITERS);
    tcase_add_loop_test(tcase, reader_survives_every_failing_allocation, 0, N_WRITERS);
    if (getenv("BACKPLANE_MODELS"))
        tcase_add_test(tcase, reader_reads_all_models_of_a_folder);
    return run_tests("model fuzz", tcase);
}
