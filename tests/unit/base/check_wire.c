/* SPDX-License-Identifier: MIT */
/* check_wire.c - the scan of protobuf's wire format, and that protobuf-c takes what it leaves. */

#include "config.h"

#include <check.h>

#include "model/wire/unpack.h"
#include "support/proto_writer.h"

static char text[512];
static bp_err err;
static struct pw w;
static struct bp_wire wire;
static struct bp_region region;

static void setup(void)
{
    err = bp_err_init(text, sizeof text);
}

static void teardown(void)
{
    pw_free(&w);
    bp_wire_finish(&wire);
    bp_region_finish(&region);
}

static const Bp__ModelProto *unpack(void)
{
    const Bp__ModelProto *model = NULL;

    ck_assert_msg(bp_unpack_model(w.data, w.size, &wire, &region, &model, &err) == BP_OK, "%s",
                  text);
    return model;
}

static void refuses(enum bp_message_type type, const char *words)
{
    ck_assert_int_eq(bp_wire_scan(w.data, w.size, type, &wire, &err), BP_E_INVALID);
    ck_assert_msg(strstr(text, words) != NULL, "'%s' is not in: %s", words, text);
    ck_assert_ptr_null(wire.copy);
    ck_assert_ptr_null(wire.chunks);
}

START_TEST(scanner_accepts_an_empty_message)
{
    ck_assert_int_eq(bp_wire_scan(NULL, 0, BP_MSG_MODEL, &wire, &err), BP_OK);
    ck_assert_uint_eq(wire.size, 0);
    ck_assert_uint_eq(wire.n_chunks, 0);
}
END_TEST

START_TEST(unpacker_keeps_known_fields_and_drops_the_others)
{
    const Bp__ModelProto *model;

    pw_int(&w, 1, 8);
    pw_text(&w, 99, "not ours");
    pw_int(&w, 98, -1);
    pw_double(&w, 97, 1.0);
    pw_float(&w, 96, 1.0f);
    pw_text(&w, 2, "writer");
    pw_open(&w, 7);
    pw_node(&w, "Relu", "x", "y");
    pw_text(&w, 10, "a doc_string that is not read");
    pw_node(&w, "Abs", "y", "z");
    pw_close(&w);
    pw_open(&w, 14);
    pw_text(&w, 1, "key");
    pw_text(&w, 2, "value");
    pw_close(&w);

    model = unpack();
    ck_assert_int_eq(model->ir_version, 8);
    ck_assert_str_eq(model->producer_name, "writer");
    ck_assert_uint_eq(model->graph->n_node, 2);
    ck_assert_str_eq(model->graph->node[1]->op_type, "Abs");
    ck_assert_str_eq(model->graph->node[1]->output[0], "z");
    ck_assert_str_eq(model->metadata_props[0]->value, "value");
    ck_assert_uint_eq(model->base.n_unknown_fields, 0);
    ck_assert_uint_eq(model->graph->base.n_unknown_fields, 0);
}
END_TEST

START_TEST(unpacker_leaves_tensor_data_in_place_at_any_depth)
{
    uint8_t bytes[1000] = {0};
    const Bp__ModelProto *model;
    const Bp__GraphProto *subgraph;

    pw_open(&w, 7);
    pw_open_node(&w, "If", "c", "y");
    pw_open_attr(&w, "then_branch", 5);
    pw_open(&w, 6); /* g */
    pw_raw_tensor(&w, 5, "deep", 2, PW_DIMS(1000), bytes, sizeof bytes);
    pw_close(&w);
    pw_close(&w);
    pw_open_attr(&w, "more", 9);
    pw_raw_tensor(&w, 10, "first", 2, PW_DIMS(500), bytes, 500);
    pw_raw_tensor(&w, 10, "second", 2, PW_DIMS(400), bytes, 400);
    pw_close(&w);
    pw_close(&w);
    pw_raw_tensor(&w, 5, "top", 2, PW_DIMS(300), bytes, 300);
    pw_close(&w);

    model = unpack();
    ck_assert_uint_eq(wire.n_chunks, 4);
    ck_assert_uint_lt(region.used, 4096); /* the 2200 bytes are not copied */
    subgraph = model->graph->node[0]->attribute[0]->g;
    ck_assert_uint_eq(subgraph->initializer[0]->chunk[0], 0);
    ck_assert_uint_eq(model->graph->initializer[0]->chunk[0], 3);
    ck_assert_uint_eq(wire.chunks[0].size, 1000);
    ck_assert_uint_eq(wire.chunks[2].size, 400);
    ck_assert_uint_eq(wire.chunks[3].field, BP_TENSOR_RAW_DATA);
    ck_assert(wire.chunks[3].data > w.data && wire.chunks[3].data + 300 <= w.data + w.size);
}
END_TEST

START_TEST(unpacker_collects_elements_with_a_tag_each)
{
    pw_int(&w, 1, 4);
    for (int i = 0; i < 3; i++)
        pw_float(&w, 4, (float)i);
    pw_int(&w, 2, 1);
    pw_float(&w, 4, 3.0f);
    ck_assert_int_eq(bp_wire_scan(w.data, w.size, BP_MSG_TENSOR, &wire, &err), BP_OK);
    ck_assert_uint_eq(wire.n_chunks, 2);
    ck_assert(wire.chunks[0].is_tagged && wire.chunks[1].is_tagged);
    ck_assert_uint_eq(wire.chunks[0].size, 15);
    ck_assert_uint_eq(wire.chunks[1].size, 5);
}
END_TEST

START_TEST(unpacker_takes_packed_and_unpacked_lists)
{
    const uint8_t packed[] = {1, 0x80, 1, 3};
    const Bp__ModelProto *model;
    const Bp__AttributeProto *attr;

    pw_open(&w, 7);
    pw_open_node(&w, "Op", "", "y");
    pw_open_attr(&w, "a", 7);
    pw_bytes(&w, 8, packed, sizeof packed);
    pw_int(&w, 8, -4);
    pw_close(&w);
    pw_close(&w);
    pw_close(&w);
    model = unpack();
    attr = model->graph->node[0]->attribute[0];
    ck_assert_uint_eq(attr->n_ints, 4);
    ck_assert_int_eq(attr->ints[1], 128);
    ck_assert_int_eq(attr->ints[3], -4);
}
END_TEST

START_TEST(unpacker_ignores_fields_in_the_file_with_its_own_internal_numbers)
{
    const Bp__TensorProto *tensor;

    pw_int(&w, 2, 1);
    pw_int(&w, BP_TENSOR_CHUNK, 77);
    ck_assert_int_eq(bp_unpack_tensor(w.data, w.size, &wire, &region, &tensor, &err), BP_OK);
    ck_assert_uint_eq(tensor->n_chunk, 0);
}
END_TEST

START_TEST(scanner_rejects_a_length_beyond_the_end_and_says_where)
{
    pw_open(&w, 7);
    pw_node(&w, "Relu", "x", "y");
    pw_open_node(&w, "Relu", "y", "z");
    pw_open_attr(&w, "a", 4);
    pw_open(&w, 5);
    pw_tag(&w, 9, 2);
    pw_varint(&w, 400);
    pw_raw(&w, "0123456789", 10);
    pw_close(&w);
    pw_close(&w);
    pw_close(&w);
    pw_close(&w);
    refuses(BP_MSG_MODEL, "graph.node[1].attribute[0].t.raw_data, byte");
    refuses(BP_MSG_MODEL, "says 400 bytes where 10 are left");
}
END_TEST

START_TEST(scanner_rejects_a_length_of_2_to_the_64)
{
    pw_tag(&w, 7, 2);
    pw_varint(&w, UINT64_MAX);
    refuses(BP_MSG_MODEL, "says 18446744073709551615 bytes where 0 are left");
}
END_TEST

START_TEST(scanner_rejects_varints_that_do_not_end)
{
    pw_tag(&w, 1, 0);
    pw_raw(&w, "\xff\xff", 2);
    refuses(BP_MSG_MODEL, "the number does not end");
    w.size = 0;
    pw_tag(&w, 1, 0);
    pw_raw(&w, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12);
    refuses(BP_MSG_MODEL, "the number does not end");
    w.size = 0;
    pw_tag(&w, 7, 2);
    pw_raw(&w, "\xff", 1);
    refuses(BP_MSG_MODEL, "the length does not end");
    w.size = 0;
    pw_tag(&w, 2, 5);
    pw_raw(&w, "\xff", 1);
    refuses(BP_MSG_ATTRIBUTE, "3 bytes are missing");
    w.size = 0;
    pw_raw(&w, "\xff\xff", 2);
    refuses(BP_MSG_MODEL, "this is not a field");
}
END_TEST

START_TEST(scanner_rejects_field_0_and_unknown_wire_types)
{
    pw_int(&w, 0, 1);
    refuses(BP_MSG_MODEL, "this is not a field");
    w.size = 0;
    pw_tag(&w, 3, 3);
    refuses(BP_MSG_MODEL, "wire type 3");
    w.size = 0;
    pw_tag(&w, 3, 7);
    refuses(BP_MSG_MODEL, "wire type 7");
}
END_TEST

START_TEST(scanner_rejects_a_field_of_another_type)
{
    pw_text(&w, 1, "eight");
    refuses(BP_MSG_MODEL, "ModelProto.ir_version, byte");
    w.size = 0;
    pw_int(&w, 7, 1);
    refuses(BP_MSG_MODEL, "holds a varint, which is not its type");
    w.size = 0;
    pw_int(&w, 2, 1);
    refuses(BP_MSG_GRAPH, "GraphProto.name");
    w.size = 0;
    pw_int(&w, 9, 1);
    refuses(BP_MSG_TENSOR, "TensorProto.raw_data");
    w.size = 0;
    pw_int(&w, 4, 1);
    refuses(BP_MSG_TENSOR, "TensorProto.float_data[0]");
    w.size = 0;
    pw_bytes(&w, 7, "12345", 5);
    refuses(BP_MSG_ATTRIBUTE, "its 5 bytes are not a list of numbers");
    w.size = 0;
    pw_bytes(&w, 8, "\x01\xff", 2);
    refuses(BP_MSG_ATTRIBUTE, "its 2 bytes are not a list of numbers");
}
END_TEST

START_TEST(scanner_rejects_a_second_graph)
{
    pw_open(&w, 7);
    pw_close(&w);
    pw_open(&w, 7);
    pw_close(&w);
    refuses(BP_MSG_MODEL, "ModelProto.graph, byte 4: comes twice");
}
END_TEST

START_TEST(scanner_rejects_more_than_100_nested_messages)
{
    struct pw inner = {0};

    for (int i = 0; i < BP_WIRE_MAX_DEPTH; i++) {
        pw_bytes(&w, i % 2 ? 4 : 1, inner.data,
                 inner.size); /* TypeProto.Sequence of TypeProto of... */
        pw_free(&inner);
        inner = w;
        memset(&w, 0, sizeof w);
    }
    w = inner;
    /* the outermost field is of a TypeProto: sequence_type */
    refuses(BP_MSG_TYPE, "more than 100 messages within each other");
}
END_TEST

START_TEST(scanner_rejects_more_than_4194304_messages)
{
    const size_t n = BP_WIRE_MAX_MESSAGES + 1;
    uint8_t *nodes = calloc(n, 2);

    for (size_t i = 0; i < n; i++)
        nodes[2 * i] = 0x0a; /* an empty node */
    ck_assert_int_eq(bp_wire_scan(nodes, 2 * n, BP_MSG_GRAPH, &wire, &err), BP_E_INVALID);
    ck_assert_ptr_nonnull(strstr(text, "more than 4194304 messages"));
    free(nodes);
}
END_TEST

/* Each truncation is rejected or is a shorter model, and protobuf-c agrees with the scan. */
START_TEST(unpacker_survives_every_truncation)
{
    size_t n_refused = 0;

    pw_open_model(&w);
    pw_value(&w, 11, "x", 1, PW_DIMS(2));
    pw_node(&w, "Relu", "x", "y");
    pw_raw_tensor(&w, 5, "w", 1, PW_DIMS(2), "01234567", 8);
    pw_close(&w);
    for (size_t n = 0; n < w.size; n++) {
        uint8_t *cut = malloc(n ? n : 1); /* of its own, so that a byte too far is found */
        const Bp__ModelProto *model;
        bp_rc rc;

        memcpy(cut, w.data, n);
        rc = bp_unpack_model(cut, n, &wire, &region, &model, &err);
        ck_assert(rc == BP_OK || rc == BP_E_INVALID);
        n_refused += rc < 0;
        bp_wire_finish(&wire);
        bp_region_finish(&region);
        free(cut);
    }
    ck_assert_uint_ge(n_refused, w.size - 12);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("wire");
    TCase *tcase = tcase_create("wire");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, scanner_accepts_an_empty_message);
    tcase_add_test(tcase, unpacker_keeps_known_fields_and_drops_the_others);
    tcase_add_test(tcase, unpacker_leaves_tensor_data_in_place_at_any_depth);
    tcase_add_test(tcase, unpacker_collects_elements_with_a_tag_each);
    tcase_add_test(tcase, unpacker_takes_packed_and_unpacked_lists);
    tcase_add_test(tcase, unpacker_ignores_fields_in_the_file_with_its_own_internal_numbers);
    tcase_add_test(tcase, scanner_rejects_a_length_beyond_the_end_and_says_where);
    tcase_add_test(tcase, scanner_rejects_a_length_of_2_to_the_64);
    tcase_add_test(tcase, scanner_rejects_varints_that_do_not_end);
    tcase_add_test(tcase, scanner_rejects_field_0_and_unknown_wire_types);
    tcase_add_test(tcase, scanner_rejects_a_field_of_another_type);
    tcase_add_test(tcase, scanner_rejects_a_second_graph);
    tcase_add_test(tcase, scanner_rejects_more_than_100_nested_messages);
    tcase_add_test(tcase, scanner_rejects_more_than_4194304_messages);
    tcase_add_test(tcase, unpacker_survives_every_truncation);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
