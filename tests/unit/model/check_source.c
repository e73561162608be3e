/* SPDX-License-Identifier: MIT */
/* check_source.c - models with weights, files and edits from outside, and saved again. */

#include "config.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/fail_alloc.h"
#include "support/model_fixture.h"

static struct pw edit;
static uint8_t *saved; /* what save() wrote */
static size_t n_saved, cap_saved;
static uint64_t announced;

static const float numbers[] = {1.5f, -2.0f};
static const float others[] = {8.0f, 9.0f};

static void teardown(void)
{
    free(saved);
    saved = NULL;
    n_saved = cap_saved = 0;
    pw_free(&edit);
    teardown_model();
}

static bp_model_weight weight(const char *name, uint32_t dtype, int64_t *dims, uint32_t rank,
                              const void *bytes, size_t n)
{
    return (bp_model_weight){.name = name,
                             .tensor = {.base = (void *)(uintptr_t)bytes,
                                        .dims = dims,
                                        .bytes = n,
                                        .rank = rank,
                                        .dtype = dtype}};
}

static bp_model_source source(void)
{
    return (bp_model_source){
        .struct_size = sizeof(bp_model_source), .bytes = w.data, .size = w.size};
}

static bp_rc build_source(const bp_model_source *from)
{
    bp_rc rc;

    close_model();
    rc = bp_onnx_open_source(from, &onnx, &err);
    if (rc >= 0)
        rc = bp_onnx_graph(onnx, NULL, &region, &symbols, &ir, &err);
    return rc;
}

static void builds(const bp_model_source *from)
{
    ck_assert_msg(build_source(from) == BP_OK, "%s", text);
}

static void refuses_source(const bp_model_source *from, bp_rc rc, const char *words)
{
    bp_rc got = build_source(from);

    ck_assert_msg(got == rc, "%s instead of %s: %s", bp_rc_name(got), bp_rc_name(rc), text);
    ck_assert_msg(strstr(text, words) != NULL, "'%s' is not in: %s", words, text);
}

static void entry(const char *key, const char *value)
{
    pw_open(&w, 13);
    pw_text(&w, 1, key);
    pw_text(&w, 2, value);
    pw_close(&w);
}

static void write_external(const char *name, const char *location, const char *offset)
{
    pw_open_tensor(&w, 5, name, BP_DTYPE_F32, PW_DIMS(2));
    entry("location", location);
    entry("offset", offset);
    pw_int(&w, 14, 1);
    pw_close(&w);
}

/* ---- weights --------------------------------------------------------------------------------- */

START_TEST(supplied_weight_is_used_without_a_copy)
{
    int64_t two[] = {2};
    bp_model_weight weights[] = {weight("b", BP_DTYPE_F32, two, 1, others, sizeof others)};
    bp_model_source from;

    start_model();
    pw_raw_tensor(&w, 5, "b", BP_DTYPE_F32, PW_DIMS(2), numbers, sizeof numbers);
    end_model();
    from = source();
    from.weights = weights;
    from.n_weights = 1;
    builds(&from);
    ck_assert_ptr_eq(value_of(ir, "b")->data->bytes, (const uint8_t *)others);
}
END_TEST

START_TEST(supplied_weight_replaces_external_data_without_a_directory)
{
    int64_t two[] = {2};
    bp_model_weight weights[] = {weight("e", BP_DTYPE_F32, two, 1, numbers, sizeof numbers),
                                 weight("e", BP_DTYPE_F32, two, 1, others, sizeof others)};
    bp_model_source from;

    start_model();
    write_external("e", "w.bin", "0");
    end_model();
    from = source();
    refuses_source(&from, BP_E_INVALID, "has no directory");
    weights[0].flags = weights[1].flags = BP_WEIGHT_EXTERNAL;
    from.weights = weights;
    from.n_weights = 2;
    builds(&from);
    ck_assert_ptr_eq(value_of(ir, "e")->data->bytes, (const uint8_t *)others); /* the last one */
    ck_assert_ptr_null(bp_onnx_external(onnx, 0));
}
END_TEST

START_TEST(supplied_weight_that_does_not_fit_is_rejected)
{
    int64_t two[] = {2};
    int64_t three[] = {3};
    const float values[3] = {0};
    bp_model_weight one;
    bp_model_source from;

    start_model();
    pw_raw_tensor(&w, 5, "bias", BP_DTYPE_F32, PW_DIMS(2), numbers, sizeof numbers);
    end_model();
    from = source();
    from.weights = &one;
    from.n_weights = 1;
    one = weight("biaz", BP_DTYPE_F32, two, 1, values, sizeof values);
    refuses_source(&from, BP_E_OPTION,
                   "weight 'biaz': the model has no such initializer; is 'bias'");
    one.flags = BP_WEIGHT_IF_ANY;
    builds(&from);
    one = weight("bias", BP_DTYPE_I32, two, 1, values, sizeof values);
    refuses_source(&from, BP_E_OPTION, "it is int32, the model's initializer is float32");
    one = weight("bias", BP_DTYPE_F32, two, 0, values, sizeof values);
    refuses_source(&from, BP_E_OPTION, "it has rank 0, the model's initializer has 1");
    one = weight("bias", BP_DTYPE_F32, three, 1, values, sizeof values);
    refuses_source(&from, BP_E_OPTION, "its size in dimension 0 is 3");
    one = weight("bias", BP_DTYPE_F32, two, 1, values, 7);
    refuses_source(&from, BP_E_INVALID, "weight 'bias': the tensor's dims need 8 bytes");
    one = weight("bias", BP_DTYPE_F32, two, 1, values, sizeof values);
    one.flags = BP_WEIGHT_EXTERNAL;
    refuses_source(&from, BP_E_OPTION, "not in an external file");
}
END_TEST

START_TEST(supplied_bools_are_checked)
{
    int64_t two[] = {2};
    const uint8_t bad[] = {1, 7};
    bp_model_weight one = weight("f", BP_DTYPE_BOOL, two, 1, bad, sizeof bad);
    bp_model_source from;

    start_model();
    pw_raw_tensor(&w, 5, "f", BP_DTYPE_BOOL, PW_DIMS(2), "\0\1", 2);
    end_model();
    from = source();
    from.weights = &one;
    from.n_weights = 1;
    refuses_source(&from, BP_E_INVALID, "element 1 is 7");
}
END_TEST

/* ---- files in memory ------------------------------------------------------------------------- */

START_TEST(external_data_may_be_supplied_in_memory)
{
    const float file[] = {0, 0, 3.0f, 4.0f};
    bp_model_file files[] = {{"else.bin", "", 0}, {"w.bin", file, sizeof file}};
    bp_model_source from;

    start_model();
    write_external("e", "w.bin", "8");
    write_external("g", "w.bin", "0");
    end_model();
    from = source();
    from.files = files;
    from.n_files = 2;
    builds(&from);
    ck_assert_ptr_eq(value_of(ir, "e")->data->bytes, (const uint8_t *)(file + 2));
    ck_assert_uint_ne(value_of(ir, "e")->data->id, value_of(ir, "g")->data->id);
    ck_assert_str_eq(bp_onnx_external(onnx, 0), "w.bin");
    ck_assert_ptr_null(bp_onnx_external(onnx, 1));
    files[1].size = 12;
    refuses_source(&from, BP_E_INVALID, "8 bytes at 8 of 'w.bin', which has 12");
}
END_TEST

/* ---- edits ----------------------------------------------------------------------------------- */

/* The edit: y goes through Neg to z, which is the only output. */
static void write_edit(void)
{
    pw_open(&edit, 8);
    pw_text(&edit, 1, "");
    pw_int(&edit, 2, 13);
    pw_close(&edit);
    pw_open(&edit, 7);
    pw_node(&edit, "Add", "y k", "t");
    pw_node(&edit, "Neg", "t", "z");
    pw_open_tensor(&edit, 5, "k", BP_DTYPE_F32, PW_DIMS(2));
    pw_close(&edit);
    pw_value(&edit, 12, "z", BP_DTYPE_F32, PW_DIMS(2));
    pw_close(&edit);
}

START_TEST(edit_adds_and_replaces_parts_of_a_model)
{
    int64_t two[] = {2};
    bp_model_weight k = weight("k", BP_DTYPE_F32, two, 1, others, sizeof others);
    bp_model_source from;
    bp_span edits[1];

    start_model();
    end_model();
    write_edit();
    edits[0] = (bp_span){edit.data, edit.size};
    from = source();
    from.edits = edits;
    from.n_edits = 1;
    from.weights = &k;
    from.n_weights = 1;
    builds(&from);
    ck_assert_uint_eq(ir->n_nodes, 3);
    ck_assert_uint_eq(ir->n_inputs, 1);
    ck_assert_uint_eq(ir->n_outputs, 1);
    ck_assert_str_eq(ir->values[ir->outputs[0]].name, "z");
    ck_assert_ptr_eq(value_of(ir, "k")->data->bytes, (const uint8_t *)others);
}
END_TEST

START_TEST(invalid_edit_is_rejected)
{
    bp_model_source from;
    bp_span edits[1];

    start_model();
    end_model();
    from = source();
    from.edits = edits;
    from.n_edits = 1;
    edits[0] = (bp_span){"\xff\xff", 2};
    refuses_source(&from, BP_E_INVALID, "edit 0: ");
    pw_open(&edit, 7);
    pw_raw_tensor(&edit, 5, "k", BP_DTYPE_F32, PW_DIMS(2), others, sizeof others);
    pw_close(&edit);
    edits[0] = (bp_span){edit.data, edit.size};
    refuses_source(&from, BP_E_INVALID, "must be given as a weight");
    pw_free(&edit);
    pw_open(&edit, 8);
    pw_text(&edit, 1, "");
    pw_int(&edit, 2, -1);
    pw_close(&edit);
    edits[0] = (bp_span){edit.data, edit.size};
    refuses_source(&from, BP_E_VERSION, "imports version -1");
    pw_free(&edit);
    pw_open(&edit, 7);
    pw_node(&edit, "Neg", "x", "y");
    pw_close(&edit);
    edits[0] = (bp_span){edit.data, edit.size};
    refuses_source(&from, BP_E_INVALID, "y");
}
END_TEST

/* ---- saving ---------------------------------------------------------------------------------- */

static bp_rc begin(void *user, uint64_t size, bp_err *unused)
{
    (void)user;
    (void)unused;
    announced = size;
    return BP_OK;
}

static bp_rc write_part(void *user, const void *bytes, size_t size, bp_err *unused)
{
    (void)user;
    (void)unused;
    if (n_saved + size > cap_saved) {
        cap_saved = (n_saved + size) * 2;
        saved = realloc(saved, cap_saved);
        ck_assert_ptr_nonnull(saved);
    }
    memcpy(saved + n_saved, bytes, size);
    n_saved += size;
    return BP_OK;
}

/* Every tensor of 8 bytes or more goes to out.bin, one after the other. */
static bp_rc place(void *user, const bp_weight_info *info, const char **file, uint64_t *offset,
                   bp_err *unused)
{
    struct pw *out = user;

    (void)unused;
    if (info->tensor.bytes < 8)
        return BP_OK;
    *file = "out.bin";
    *offset = out->size;
    pw_raw(out, info->tensor.base, info->tensor.bytes);
    return BP_OK;
}

static bp_rc skip_part(void *user, const void *bytes, size_t size, bp_err *unused)
{
    (void)user;
    (void)bytes;
    (void)size;
    (void)unused;
    return BP_OK;
}

static bp_rc refuse_part(void *user, const void *bytes, size_t size, bp_err *unused)
{
    (void)user;
    (void)bytes;
    (void)size;
    (void)unused;
    return BP_E_IO;
}

/* Saves the open model, opens that in its place; `out` (may be NULL) gets what goes outside. */
static void save(struct pw *out)
{
    bp_model_sink sink = {.struct_size = sizeof sink,
                          .user = out,
                          .place = out ? place : NULL,
                          .begin = begin,
                          .write = write_part};
    bp_model_source from = source();
    bp_model_file file;

    n_saved = 0;
    ck_assert_msg(bp_onnx_save(onnx, &sink, &err) == BP_OK, "%s", text);
    ck_assert_uint_eq(announced, n_saved);
    from.bytes = saved;
    from.size = n_saved;
    if (out) {
        file = (bp_model_file){"out.bin", out->data, out->size};
        from.files = &file;
        from.n_files = 1;
    }
    builds(&from);
}

/* A model with every field that holds tensors, and with fields that the reader does not know. */
static void write_rich_model(void)
{
    start_model();
    pw_raw_tensor(&w, 5, "b", BP_DTYPE_F32, PW_DIMS(2), numbers, sizeof numbers);
    pw_raw_tensor(&w, 5, "tiny", BP_DTYPE_U8, PW_DIMS(1), "\7", 1);
    pw_open_tensor(&w, 5, "words", BP_DTYPE_STRING, PW_DIMS(2));
    pw_text(&w, 6, "one");
    pw_text(&w, 6, "two");
    pw_close(&w);
    pw_open_tensor(&w, 5, "typed", BP_DTYPE_I64, PW_DIMS(2));
    pw_int(&w, 7, 5);
    pw_int(&w, 7, -6);
    pw_text(&w, 12, "documented");
    pw_close(&w);
    write_external("e", "w.bin", "4");
    pw_open(&w, 1); /* a constant whose tensor is external */
    pw_text(&w, 2, "c");
    pw_text(&w, 4, "Constant");
    pw_open(&w, 5);
    pw_text(&w, 1, "value");
    write_external("inner", "w.bin", "0");
    pw_close(&w);
    pw_close(&w);
    pw_text(&w, 99, "unknown");
    end_model();
    pw_text(&w, 6, "a document");
}

static const float file_data[] = {1.0f, 2.0f, 3.0f};
static const bp_model_file rich_files[] = {{"w.bin", file_data, sizeof file_data}};

static void open_rich_model(void)
{
    bp_model_source from;

    write_rich_model();
    from = source();
    from.files = rich_files;
    from.n_files = 1;
    builds(&from);
}

static void check_rich_graph(void)
{
    const struct bp_ir_data *words = value_of(ir, "words")->data;
    const bp_span *spans = (const bp_span *)(const void *)words->bytes;
    const int64_t typed[] = {5, -6};

    ck_assert_mem_eq(value_of(ir, "b")->data->bytes, numbers, sizeof numbers);
    ck_assert_uint_eq(value_of(ir, "tiny")->data->bytes[0], 7);
    ck_assert_uint_eq(words->size, 2 * sizeof(bp_span));
    ck_assert_mem_eq(spans[1].data, "two", 3);
    ck_assert_mem_eq(value_of(ir, "typed")->data->bytes, typed, sizeof typed);
    ck_assert_mem_eq(value_of(ir, "e")->data->bytes, file_data + 1, 8);
    ck_assert_mem_eq(value_of(ir, "c")->data->bytes, file_data, 8);
}

static bool has_bytes(const char *what)
{
    size_t n = strlen(what);

    for (size_t i = 0; i + n <= n_saved; i++) {
        if (memcmp(saved + i, what, n) == 0)
            return true;
    }
    return false;
}

START_TEST(saved_model_embeds_external_data)
{
    open_rich_model();
    check_rich_graph();
    save(NULL);
    check_rich_graph();
    ck_assert_ptr_null(bp_onnx_external(onnx, 0));
    ck_assert(has_bytes("unknown") && has_bytes("a document") && has_bytes("documented"));
}
END_TEST

START_TEST(unchanged_model_is_saved_byte_for_byte)
{
    start_model();
    pw_raw_tensor(&w, 5, "b", BP_DTYPE_F32, PW_DIMS(2), numbers, sizeof numbers);
    end_model();
    build();
    save(NULL);
    ck_assert_uint_eq(n_saved, w.size);
    ck_assert_mem_eq(saved, w.data, w.size);
}
END_TEST

START_TEST(saved_model_has_initializers_inline_or_external_as_requested)
{
    struct pw out = {0};

    open_rich_model();
    save(&out);
    check_rich_graph();
    ck_assert_uint_eq(out.size, 8 + 16 + 8); /* b, typed and e; neither tiny nor words */
    ck_assert_ptr_eq(value_of(ir, "typed")->data->bytes, out.data + 8);
    ck_assert_str_eq(bp_onnx_external(onnx, 0), "out.bin");
    ck_assert_ptr_null(bp_onnx_external(onnx, 1));
    close_model(); /* which points into it */
    pw_free(&out);
}
END_TEST

START_TEST(saved_model_has_supplied_weights_and_edits)
{
    int64_t two[] = {2};
    const bp_span texts[] = {{"red", 3}, {"", 0}};
    bp_model_weight weights[] = {weight("b", BP_DTYPE_F32, two, 1, others, sizeof others),
                                 weight("k", BP_DTYPE_F32, two, 1, numbers, sizeof numbers),
                                 weight("s", BP_DTYPE_STRING, two, 1, texts, sizeof texts)};
    bp_model_source from;
    bp_span edits[1];

    start_model();
    pw_raw_tensor(&w, 5, "b", BP_DTYPE_F32, PW_DIMS(2), numbers, sizeof numbers);
    pw_open_tensor(&w, 5, "s", BP_DTYPE_STRING, PW_DIMS(2));
    pw_close(&w);
    end_model();
    write_edit();
    edits[0] = (bp_span){edit.data, edit.size};
    from = source();
    from.edits = edits;
    from.n_edits = 1;
    from.weights = weights;
    from.n_weights = 3;
    builds(&from);
    save(NULL);
    ck_assert_uint_eq(ir->n_nodes, 3);
    ck_assert_uint_eq(ir->n_outputs, 1);
    ck_assert_str_eq(ir->values[ir->outputs[0]].name, "z");
    ck_assert_mem_eq(value_of(ir, "b")->data->bytes, others, sizeof others);
    ck_assert_mem_eq(value_of(ir, "k")->data->bytes, numbers, sizeof numbers);
    ck_assert_mem_eq(((const bp_span *)(const void *)value_of(ir, "s")->data->bytes)[0].data, "red",
                     3);
}
END_TEST

/* Every allocation in turn fails once. */
START_TEST(model_source_survives_every_failing_allocation)
{
    int64_t two[] = {2};
    bp_model_weight weights[] = {weight("b", BP_DTYPE_F32, two, 1, others, sizeof others),
                                 weight("k", BP_DTYPE_F32, two, 1, numbers, sizeof numbers)};
    bp_model_file files[] = {{"w.bin", numbers, sizeof numbers}};
    bp_model_sink sink = {.struct_size = sizeof sink, .write = skip_part};
    bp_model_source from;
    bp_span edits[1];
    bool has_failed = true;

    start_model();
    pw_raw_tensor(&w, 5, "b", BP_DTYPE_F32, PW_DIMS(2), numbers, sizeof numbers);
    write_external("e", "w.bin", "0");
    end_model();
    write_edit();
    edits[0] = (bp_span){edit.data, edit.size};
    from = source();
    from.edits = edits;
    from.n_edits = 1;
    from.weights = weights;
    from.n_weights = 2;
    from.files = files;
    from.n_files = 1;
    for (unsigned n = 1; has_failed; n++) {
        bp_rc rc;

        close_model();
        fail_alloc_at(n);
        rc = bp_onnx_open_source(&from, &onnx, &err);
        if (rc >= 0)
            rc = bp_onnx_save(onnx, &sink, &err);
        has_failed = fail_alloc_stop();
        ck_assert_int_eq(rc, has_failed ? BP_E_NOMEM : BP_OK);
    }
}
END_TEST

START_TEST(error_of_the_sink_ends_saving)
{
    bp_model_sink sink = {.struct_size = sizeof sink, .write = refuse_part};

    start_model();
    end_model();
    build();
    ck_assert_int_eq(bp_onnx_save(onnx, &sink, &err), BP_E_IO);
    ck_assert_msg(text[0] != '\0', "no words");
}
END_TEST

START_TEST(missing_external_file_ends_saving)
{
    bp_model_sink sink = {.struct_size = sizeof sink, .write = write_part};
    bp_model_source from;

    start_model();
    write_external("e", "not-there.bin", "0");
    end_model();
    from = source();
    from.dir = "/nonexistent";
    builds(&from); /* the graph can be read without the file */
    ck_assert_int_eq(bp_onnx_save(onnx, &sink, &err), BP_E_IO);
    ck_assert_ptr_nonnull(strstr(text, "tensor 'e'"));
    ck_assert_uint_eq(n_saved, 0);
}
END_TEST

START_TEST(saving_a_model_over_2_gib_is_rejected)
{
    const size_t size = (size_t)1 << 31;
    int64_t large[] = {(int64_t)size};
    void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    bp_model_sink sink = {.struct_size = sizeof sink, .write = write_part};
    bp_model_weight one = weight("b", BP_DTYPE_U8, large, 1, bytes, size);
    bp_model_source from;

    ck_assert(bytes != MAP_FAILED);
    start_model();
    pw_open_tensor(&w, 5, "b", BP_DTYPE_U8, PW_DIMS((int64_t)size));
    pw_close(&w);
    end_model();
    from = source();
    from.weights = &one;
    from.n_weights = 1;
    builds(&from);
    ck_assert_int_eq(bp_onnx_save(onnx, &sink, &err), BP_E_INVALID);
    ck_assert_ptr_nonnull(strstr(text, "protobuf ends at 2 GiB"));
    ck_assert_uint_eq(n_saved, 0);
    close_model();
    munmap(bytes, size);
}
END_TEST

/* ---- the public door ------------------------------------------------------------------------- */

START_TEST(invalid_model_source_is_rejected)
{
    bp_model_weight nameless = {0};
    bp_model_file empty = {"f", NULL, 3};
    bp_model_source from;
    bp_env_config config = {.struct_size = sizeof config, .flags = BP_ENV_IGNORE_VARIABLES};
    bp_env *env = NULL;
    bp_model *model = NULL;

    ck_assert_int_eq(bp_env_create(&config, &env, &err), BP_OK);
    start_model();
    end_model();
    from = source();
    ck_assert_int_eq(bp_model_open_source(env, NULL, &model, &err), BP_E_INVALID);
    from.struct_size = 8;
    ck_assert_int_eq(bp_model_open_source(env, &from, &model, &err), BP_E_INVALID);
    ck_assert_ptr_nonnull(strstr(text, "struct_size"));
    from = source();
    from.path = "both";
    ck_assert_int_eq(bp_model_open_source(env, &from, &model, &err), BP_E_INVALID);
    from = source();
    from.weights = &nameless;
    from.n_weights = 1;
    ck_assert_int_eq(bp_model_open_source(env, &from, &model, &err), BP_E_INVALID);
    from = source();
    from.files = &empty;
    from.n_files = 1;
    ck_assert_int_eq(bp_model_open_source(env, &from, &model, &err), BP_E_INVALID);
    ck_assert_ptr_null(model);
    from = source();
    ck_assert_int_eq(bp_model_open_source(env, &from, &model, &err), BP_OK);
    ck_assert_int_eq(bp_model_save(model, NULL, &err), BP_E_INVALID);
    bp_model_close(model);
    ck_assert_int_eq(bp_env_destroy(env, &err), BP_OK);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("source");

    tcase_add_checked_fixture(tcase, setup_model, teardown);
    tcase_add_test(tcase, supplied_weight_is_used_without_a_copy);
    tcase_add_test(tcase, supplied_weight_replaces_external_data_without_a_directory);
    tcase_add_test(tcase, supplied_weight_that_does_not_fit_is_rejected);
    tcase_add_test(tcase, supplied_bools_are_checked);
    tcase_add_test(tcase, external_data_may_be_supplied_in_memory);
    tcase_add_test(tcase, edit_adds_and_replaces_parts_of_a_model);
    tcase_add_test(tcase, invalid_edit_is_rejected);
    tcase_add_test(tcase, saved_model_embeds_external_data);
    tcase_add_test(tcase, unchanged_model_is_saved_byte_for_byte);
    tcase_add_test(tcase, saved_model_has_initializers_inline_or_external_as_requested);
    tcase_add_test(tcase, saved_model_has_supplied_weights_and_edits);
    tcase_add_test(tcase, model_source_survives_every_failing_allocation);
    tcase_add_test(tcase, error_of_the_sink_ends_saving);
    tcase_add_test(tcase, missing_external_file_ends_saving);
    tcase_add_test(tcase, saving_a_model_over_2_gib_is_rejected);
    tcase_add_test(tcase, invalid_model_source_is_rejected);
    return run_tests("source", tcase);
}
