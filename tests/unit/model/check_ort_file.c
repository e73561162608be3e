/* SPDX-License-Identifier: MIT */
/*
 * check_ort_file.c - models in ONNX Runtime's own format: what is written is read again as the same
 * graph, weights stay in the file, and broken files are refused in words that name what is wrong.
 */
#include "config.h"

#include "fuzz/ort_models.h"
#include "support/model_fixture.h"

static struct pw file; /* the .ort */

static void teardown_file(void)
{
    teardown_model();
    pw_free(&file);
}

/* ---- helpers --------------------------------------------------------------------------------- */

static void convert(void (*write)(struct pw *model))
{
    w.size = 0;
    write(&w);
    ck_assert_msg(ort_convert(&w, &file, &err) == BP_OK, "%s", text);
}

static bp_rc open_file(void)
{
    struct pw kept = w;
    bp_rc rc;

    w = file;
    rc = build_from_memory(NULL, true);
    w = kept;
    return rc;
}

static void open_sound(void)
{
    ck_assert_msg(open_file() == BP_OK, "%s", text);
}

static void refuses_file(bp_rc rc, const char *words)
{
    bp_rc got;

    text[0] = '\0';
    got = open_file();
    ck_assert_msg(got == rc, "%s instead of %s: %s", bp_rc_name(got), bp_rc_name(rc), text);
    ck_assert_msg(strstr(text, words) != NULL, "'%s' is not in: %s", words, text);
    ck_assert_ptr_null(ir);
}

static void refuses_hand(struct ort_hand hand, bp_rc rc, const char *words)
{
    ck_assert_msg(ort_write_by_hand(&hand, &file, &err) == BP_OK, "%s", text);
    refuses_file(rc, words);
}

/* ---- what is written is read ----------------------------------------------------------------- */

/* A graph as text: nodes with attributes, constants with data, declared types. */
static void describe(struct pw *to, const struct bp_ir *graph)
{
    char line[512];

    for (uint32_t n = 0; n < graph->n_nodes; n++) {
        const struct bp_ir_node *node = &graph->nodes[n];

        snprintf(line, sizeof line, "%s %s.%s %u:", node->name, node->domain, node->op,
                 node->opset);
        pw_raw(to, line, strlen(line));
        for (uint32_t i = 0; i < node->n_in + node->n_out; i++) {
            uint32_t v = i < node->n_in ? node->in[i] : node->out[i - node->n_in];
            const char *name = v == BP_NONE ? "-" : graph->values[v].name;

            pw_raw(to, name, strlen(name) + 1);
        }
        for (uint32_t i = 0; i < node->n_attrs; i++) {
            const bp_attr *attr = &node->attrs[i];

            snprintf(line, sizeof line, " %s %u %u %u", attr->name, attr->type, attr->count,
                     attr->flags);
            pw_raw(to, line, strlen(line));
            if (attr->type == BP_ATTR_INT)
                pw_raw(to, attr->data, attr->count * sizeof(int64_t));
            if (attr->type == BP_ATTR_FLOAT)
                pw_raw(to, attr->data, attr->count * sizeof(float));
            for (uint32_t k = 0; attr->type == BP_ATTR_STRING && k < attr->count; k++)
                pw_raw(to, ((const bp_span *)attr->data)[k].data,
                       ((const bp_span *)attr->data)[k].size);
            for (uint32_t k = 0; attr->type == BP_ATTR_TENSOR && k < attr->count; k++)
                pw_raw(to, ((const bp_const *)attr->data)[k].data,
                       ((const bp_const *)attr->data)[k].bytes);
        }
        for (uint32_t b = 0; b < node->n_subgraphs; b++)
            describe(to, node->subgraphs[b]);
    }
    for (uint32_t i = 0; i < graph->n_inputs; i++) {
        const struct bp_ir_value *value = &graph->values[graph->inputs[i]];

        snprintf(line, sizeof line, "in %s %u %u %x;", value->name, value->declared.dtype,
                 value->declared.rank, value->flags);
        pw_raw(to, line, strlen(line));
        for (uint32_t d = 0; value->declared.rank != BP_RANK_UNKNOWN && d < value->declared.rank;
             d++) {
            const char *name = bp_symbols_name(graph->symbols, value->declared.dims[d]);

            snprintf(line, sizeof line, "%lld ", (long long)value->declared.dims[d].value);
            pw_raw(to, name, strlen(name));
            if (bp_sym_known(value->declared.dims[d]))
                pw_raw(to, line, strlen(line));
        }
    }
    for (uint32_t v = 0; v < graph->n_values; v++) {
        const struct bp_ir_data *data = graph->values[v].data;

        if (!data || data->dtype == BP_DTYPE_STRING || graph->values[v].flags & BP_IR_CAPTURED)
            continue;
        pw_raw(to, graph->values[v].name, strlen(graph->values[v].name));
        pw_raw(to, data->bytes, data->size);
    }
}

START_TEST(ort_file_reads_back_as_the_same_graph)
{
    struct pw before = {0}, after = {0};

    convert(ort_writers[_i]);
    ck_assert_msg(build_from_memory(NULL, true) == BP_OK, "%s", text);
    describe(&before, ir);
    open_sound();
    describe(&after, ir);
    ck_assert_uint_eq(before.size, after.size);
    ck_assert_mem_eq(before.data, after.data, before.size);
    pw_free(&before);
    pw_free(&after);
}
END_TEST

START_TEST(ort_file_is_written_back_unchanged)
{
    struct pw first = {0};

    convert(ort_writers[_i]);
    pw_raw(&first, file.data, file.size);
    ck_assert_msg(ort_convert(&first, &file, &err) == BP_OK, "%s", text);
    ck_assert_uint_eq(first.size, file.size);
    ck_assert_mem_eq(first.data, file.data, first.size);
    pw_free(&first);
}
END_TEST

/* And as ONNX: what is saved in that format has the data within. */
START_TEST(ort_file_is_saved_as_an_onnx_model)
{
    struct pw saved = {0}, before = {0}, after = {0};
    bp_model_sink sink = {.struct_size = sizeof sink, .user = &saved, .write = ort_write_part};

    convert(ort_writers[_i]);
    open_sound();
    describe(&before, ir);
    ck_assert_msg(bp_onnx_save(onnx, &sink, &err) == BP_OK, "%s", text);
    pw_free(&file);
    file = saved;
    open_sound();
    describe(&after, ir);
    ck_assert_uint_eq(before.size, after.size);
    ck_assert_mem_eq(before.data, after.data, before.size);
    pw_free(&before);
    pw_free(&after);
}
END_TEST

START_TEST(ort_file_strings_are_read)
{
    const bp_span *strings;

    convert(ort_write_attributes);
    open_sound();
    strings = (const bp_span *)(const void *)value_of(ir, "k")->data->bytes;
    ck_assert_uint_eq(strings[0].size, 3);
    ck_assert_mem_eq(strings[0].data, "one", 3);
    ck_assert_uint_eq(strings[1].size, 0);
}
END_TEST

START_TEST(ort_file_has_inferred_types)
{
    const struct bp_fact *fact;

    convert(ort_write_loop);
    open_sound();
    fact = &value_of(ir, "seq")->declared;
    ck_assert_uint_eq(fact->kind, BP_KIND_SEQUENCE);
    ck_assert_uint_eq(fact->item->dtype, BP_DTYPE_F32);
}
END_TEST

START_TEST(ort_file_weights_are_not_copied)
{
    const uint8_t *bytes;
    bp_model_info info;

    convert(ort_write_plain);
    open_sound();
    bytes = value_of(ir, "b")->data->bytes;
    ck_assert(bytes >= file.data && bytes + 8 <= file.data + file.size);
    ck_assert_uint_eq((uintptr_t)(bytes - file.data) % 16, 0);
    bp_onnx_info(onnx, &info);
    ck_assert_uint_eq(info.format, BP_MODEL_FORMAT_ORT);
    ck_assert_uint_eq(info.format_version, BP_ORT_VERSION_WRITTEN);
    ck_assert_uint_eq(info.n_external, 0);
    ck_assert_uint_eq(info.file_bytes, file.size);
    ck_assert_str_eq(info.producer, "maker");
}
END_TEST

/* ---- what only ONNX Runtime writes ----------------------------------------------------------- */

START_TEST(ort_file_sparse_weights_have_indices_of_any_width)
{
    static const struct {
        uint32_t dtype;
        const char *indices;
        size_t size;
        size_t places[2];
    } cases[] = {{BP_DTYPE_I8, "\1\2", 2, {1, 2}},
                 {BP_DTYPE_I16, "\1\0\7\1", 4, {1, 263}},
                 {BP_DTYPE_I32, "\0\0\0\0\7\1\0\0", 8, {0, 263}},
                 {BP_DTYPE_I64, "\1\0\0\0\0\0\0\0\7\1\0\0\0\0\0\0", 16, {1, 263}}};
    struct ort_hand hand = {.external = -1,
                            .index_dtype = cases[_i].dtype,
                            .indices = cases[_i].indices,
                            .index_bytes = cases[_i].size};
    const float *dense;

    ck_assert_msg(ort_write_by_hand(&hand, &file, &err) == BP_OK, "%s", text);
    open_sound();
    dense = (const float *)(const void *)value_of(ir, "s")->data->bytes;
    for (size_t i = 0; i < 300; i++) {
        float wanted = i == cases[_i].places[0] ? 1.0f : i == cases[_i].places[1] ? 2.0f : 0.0f;

        ck_assert(dense[i] == wanted);
    }
}
END_TEST

START_TEST(ort_file_with_a_negative_sparse_index_is_rejected)
{
    refuses_hand(
        (struct ort_hand){
            .external = -1, .index_dtype = BP_DTYPE_I8, .indices = "\1\xff", .index_bytes = 2},
        BP_E_INVALID, "index -1");
}
END_TEST

START_TEST(ort_file_runtime_optimisations_are_counted_and_skipped)
{
    struct ort_hand hand = {.external = -1, .n_records = 3};

    ck_assert_msg(ort_write_by_hand(&hand, &file, &err) == BP_OK, "%s", text);
    open_sound();
    ck_assert_uint_eq(bp_onnx_unread_optimizations(onnx), 3);
    ck_assert_uint_eq(ir->n_nodes, 1);
}
END_TEST

START_TEST(ort_file_of_every_format_version_is_read_or_rejected)
{
    char version[2] = {(char)('0' + _i), '\0'};
    struct ort_hand hand = {.external = -1, .version = version};

    ck_assert_msg(ort_write_by_hand(&hand, &file, &err) == BP_OK, "%s", text);
    if (_i >= 1 && _i <= 6)
        open_sound();
    else
        refuses_file(BP_E_VERSION, "versions 1 to 6 are read");
}
END_TEST

/* ---- what is refused ------------------------------------------------------------------------- */

START_TEST(ort_file_with_compiled_nodes_is_rejected)
{
    refuses_hand((struct ort_hand){.external = -1, .node_type = 1}, BP_E_UNSUPPORTED,
                 "compiled by ONNX Runtime's SomeExecutionProvider");
    refuses_hand((struct ort_hand){.external = 64}, BP_E_UNSUPPORTED,
                 "at 64 of another file, of which the format gives no name");
    refuses_hand((struct ort_hand){.external = -1, .version = ""}, BP_E_VERSION, "version ''");
    refuses_hand((struct ort_hand){.external = -1, .version = "66666666666"}, BP_E_VERSION,
                 "version '66666666666'");
    refuses_hand((struct ort_hand){.has_no_graph = true}, BP_E_INVALID, "it has no graph");
}
END_TEST

/* 60,000 nodes share one table in a file of 240 KB: with a name of 4,000 bytes each they would take 240 MB. */
START_TEST(ort_file_with_excessively_shared_tables_is_rejected)
{
    char op[4001] = "";

    memset(op, 'a', sizeof op - 1);
    refuses_hand((struct ort_hand){.external = -1, .n_nodes = 60000, .op = op}, BP_E_INVALID,
                 "refer to the same bytes again and again");
    refuses_hand((struct ort_hand){.external = -1, .n_nodes = 6}, BP_E_INVALID, "'y'");
}
END_TEST

/* Every length: the data is at the end, so each cut takes something away. */
START_TEST(truncated_ort_file_is_rejected)
{
    struct pw whole;

    convert(ort_writers[_i]);
    whole = file;
    file = (struct pw){0};
    for (size_t n = 0; n < whole.size; n++) {
        struct pw cut = {.data = malloc(n > 0 ? n : 1), .size = n};
        bp_rc rc;

        ck_assert_ptr_nonnull(cut.data);
        memcpy(cut.data, whole.data, n);
        file = cut;
        text[0] = '\0';
        rc = open_file();
        file = (struct pw){0};
        ck_assert_msg(rc < 0 && text[0], "%zu of %zu bytes are read", n, whole.size);
        close_model();
        free(cut.data);
    }
    pw_free(&whole);
}
END_TEST

/* Each four bytes of the file become an offset that leads out of it. */
START_TEST(ort_file_with_an_offset_outside_the_file_is_rejected)
{
    static const uint32_t values[] = {0x7fffffff, 0xffffffff, 0x80000000, 1u << 20};

    convert(ort_writers[_i]);
    for (size_t at = 0; at + 4 <= file.size; at += 4) {
        for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
            uint32_t before;
            bp_rc rc;

            memcpy(&before, file.data + at, 4);
            memcpy(file.data + at, &values[k], 4);
            text[0] = '\0';
            rc = open_file();
            ck_assert(rc == BP_OK || text[0]);
            memcpy(file.data + at, &before, 4);
        }
    }
    open_sound();
}
END_TEST

START_TEST(ort_file_error_names_the_broken_field)
{
    const uint32_t far = 0x100000;

    convert(ort_write_plain);
    memcpy(file.data, &far, 4);
    refuses_file(BP_E_INVALID, "the root: its table is at byte 1048576");
    convert(ort_write_plain);
    file.data[5] = 'X';
    refuses_file(BP_E_INVALID, "not an ONNX model");
}
END_TEST

/* ---- out of memory and limits of the format -------------------------------------------------- */

START_TEST(ort_file_writer_rejects_what_the_format_cannot_represent)
{
    w.size = 0;
    pw_open_model_at(&w, 15);
    pw_open_node(&w, "Optional", "", "o");
    pw_open_attr(&w, "type", 13);
    pw_open(&w, 14);
    pw_open(&w, 1);
    pw_int(&w, 1, BP_DTYPE_F32);
    pw_close(&w);
    pw_close(&w);
    pw_close(&w);
    pw_close(&w);
    pw_node(&w, "OptionalHasElement", "o", "y");
    pw_value(&w, 12, "y", BP_DTYPE_BOOL, PW_SCALAR);
    pw_close(&w);
    ck_assert_int_eq(ort_convert(&w, &file, &err), BP_E_UNSUPPORTED);
    ck_assert_msg(strstr(text, "attribute 'type' is a type, which ONNX Runtime's format"), "%s",
                  text);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("ort_file");

    tcase_add_checked_fixture(tcase, setup_model, teardown_file);
    tcase_add_loop_test(tcase, ort_file_reads_back_as_the_same_graph, 0, ORT_WRITERS);
    tcase_add_loop_test(tcase, ort_file_is_written_back_unchanged, 0, ORT_WRITERS);
    tcase_add_loop_test(tcase, ort_file_is_saved_as_an_onnx_model, 0, ORT_WRITERS);
    tcase_add_test(tcase, ort_file_strings_are_read);
    tcase_add_test(tcase, ort_file_has_inferred_types);
    tcase_add_test(tcase, ort_file_weights_are_not_copied);
    tcase_add_loop_test(tcase, ort_file_sparse_weights_have_indices_of_any_width, 0, 4);
    tcase_add_test(tcase, ort_file_with_a_negative_sparse_index_is_rejected);
    tcase_add_test(tcase, ort_file_runtime_optimisations_are_counted_and_skipped);
    tcase_add_loop_test(tcase, ort_file_of_every_format_version_is_read_or_rejected, 0, 8);
    tcase_add_test(tcase, ort_file_with_compiled_nodes_is_rejected);
    tcase_add_test(tcase, ort_file_with_excessively_shared_tables_is_rejected);
    tcase_add_loop_test(tcase, truncated_ort_file_is_rejected, 0, ORT_WRITERS);
    tcase_add_loop_test(tcase, ort_file_with_an_offset_outside_the_file_is_rejected, 0,
                        ORT_WRITERS);
    tcase_add_test(tcase, ort_file_error_names_the_broken_field);
    tcase_add_test(tcase, ort_file_writer_rejects_what_the_format_cannot_represent);
    return run_tests("ort_file", tcase);
}
