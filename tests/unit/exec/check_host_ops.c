/* SPDX-License-Identifier: MIT */
/* check_host_ops.c - operators that the host runs: Loop, Scan, sequences, optionals, maps; and strings. */

#include "config.h"

#include <check.h>
#include <string.h>

#include "support/session_kit.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

static bp_rc try_run(bp_binding *in, uint32_t n_in, bp_binding *out, uint32_t n_out)
{
    return bp_session_run(kit.session, in, n_in, out, n_out, NULL, &kit.err);
}

static int64_t whole(const bp_tensor *tensor)
{
    ck_assert_uint_eq(tensor->dtype, BP_DTYPE_I64);
    return *(const int64_t *)bp_tensor_data(tensor);
}

/* ---- Loop ------------------------------------------------------------------------------------ */

/*
 * sum += step; each round's sum is scanned, and goes on while it is below the limit. `step` is
 * captured.
 */
static void sum_loop(void)
{
    kit_io(KIT_INPUT, "trips", BP_DTYPE_I64, "");
    kit_io(KIT_INPUT, "go", BP_DTYPE_BOOL, "");
    kit_io(KIT_INPUT, "sum", BP_DTYPE_F32, "2");
    kit_io(KIT_INPUT, "step", BP_DTYPE_F32, "2");
    kit_io(KIT_INPUT, "limit", BP_DTYPE_F32, "");
    kit_open_node("loop", "Loop", "trips go sum", "last all");
    kit_open_subgraph("body");
    kit_io(KIT_INPUT, "i", BP_DTYPE_I64, "");
    kit_io(KIT_INPUT, "c", BP_DTYPE_BOOL, "");
    kit_io(KIT_INPUT, "s", BP_DTYPE_F32, "2");
    kit_node("add", "Add", "s step", "s2");
    kit_open_node("max", "ReduceMax", "s2", "m");
    kit_int_attr("keepdims", 0);
    pw_close(&kit.w);
    kit_node("less", "Less", "m limit", "c2");
    kit_node("neg", "Neg", "s2", "scan");
    kit_io(KIT_OUTPUT, "c2", BP_DTYPE_BOOL, "");
    kit_io(KIT_OUTPUT, "s2", BP_DTYPE_F32, "2");
    kit_io(KIT_OUTPUT, "scan", BP_DTYPE_F32, "2");
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "last", BP_DTYPE_F32, "2");
    kit_io(KIT_OUTPUT, "all", BP_DTYPE_F32, NULL);
}

static void run_sum(int64_t trips, bool go, float limit, bp_binding *out)
{
    static float sum[] = {1, 2}, step[] = {1, 10};
    uint8_t flag = go;
    bp_binding in[] = {KIT_TENSOR(0, BP_DTYPE_I64, &trips, 0),
                       KIT_TENSOR(1, BP_DTYPE_BOOL, &flag, 0), KIT_TENSOR(2, BP_DTYPE_F32, sum, 2),
                       KIT_TENSOR(3, BP_DTYPE_F32, step, 2),
                       KIT_TENSOR(4, BP_DTYPE_F32, &limit, 0)};

    in[0].tensor.rank = in[1].tensor.rank = in[4].tensor.rank = 0;
    in[0].tensor.bytes = sizeof trips;
    in[1].tensor.bytes = sizeof flag;
    in[4].tensor.bytes = sizeof limit;
    out[0] = kit_wanted(0);
    out[1] = kit_wanted(1);
    kit_run(in, 5, out, 2);
}

static void free_two(bp_binding *out)
{
    bp_tensor_free(&out[0].tensor);
    bp_tensor_free(&out[1].tensor);
}

START_TEST(loop_honours_trip_count_and_condition_and_collects_scan_outputs)
{
    bp_binding out[2];

    sum_loop();
    kit_session();
    run_sum(3, true, 1000, out);
    KIT_FLOATS(&out[0].tensor, 4, 32);
    KIT_DIMS(&out[1].tensor, 3, 2);
    KIT_FLOATS(&out[1].tensor, -2, -12, -3, -22, -4, -32);
    free_two(out);

    run_sum(100, true, 20, out); /* 12 goes on, 22 does not */
    KIT_FLOATS(&out[0].tensor, 3, 22);
    KIT_DIMS(&out[1].tensor, 2, 2);
    free_two(out);

    run_sum(0, true, 1000, out); /* no round at all */
    KIT_FLOATS(&out[0].tensor, 1, 2);
    KIT_DIMS(&out[1].tensor, 0, 2);
    free_two(out);

    run_sum(5, false, 1000, out);
    KIT_FLOATS(&out[0].tensor, 1, 2);
    KIT_DIMS(&out[1].tensor, 0, 2);
    free_two(out);
}
END_TEST

/* a, b = b, concat(a, x): sizes grow and values are swapped, which the storage must bear. */
START_TEST(loop_carries_values_that_swap_and_grow)
{
    static const int64_t trips = 5;
    static const float x[] = {7}, a[] = {1}, b[] = {2, 3};
    bp_binding in[] = {KIT_TENSOR(0, BP_DTYPE_F32, a, 1), KIT_TENSOR(1, BP_DTYPE_F32, b, 2),
                       KIT_TENSOR(2, BP_DTYPE_F32, x, 1)};
    bp_binding out[2];

    kit_io(KIT_INPUT, "a", BP_DTYPE_F32, "n");
    kit_io(KIT_INPUT, "b", BP_DTYPE_F32, "m");
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "k");
    kit_ints("trips", PW_SCALAR, 1, &trips);
    kit_open_node("loop", "Loop", "trips - a b", "y z");
    kit_open_subgraph("body");
    kit_io(KIT_INPUT, "i", BP_DTYPE_I64, "");
    kit_io(KIT_INPUT, "c", BP_DTYPE_BOOL, "");
    kit_io(KIT_INPUT, "a1", BP_DTYPE_F32, NULL);
    kit_io(KIT_INPUT, "b1", BP_DTYPE_F32, NULL);
    kit_open_node("cat", "Concat", "a1 x", "a2");
    kit_int_attr("axis", 0);
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "c", BP_DTYPE_BOOL, "");
    kit_io(KIT_OUTPUT, "b1", BP_DTYPE_F32, NULL);
    kit_io(KIT_OUTPUT, "a2", BP_DTYPE_F32, NULL);
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    kit_io(KIT_OUTPUT, "z", BP_DTYPE_F32, NULL);
    kit_session();
    for (int i = 0; i < 3; i++) {
        out[0] = kit_wanted(0);
        out[1] = kit_wanted(1);
        kit_run(in, 3, out, 2);
        KIT_FLOATS(&out[0].tensor, 2, 3, 7, 7); /* b, a7, b7, a77, b77, a777: a and b of round 5 */
        KIT_FLOATS(&out[1].tensor, 1, 7, 7, 7);
        free_two(out);
    }
}
END_TEST

START_TEST(endless_loop_can_be_cancelled)
{
    static const float x[] = {1};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 1), out = kit_wanted(0);
    bp_run_options options = {.struct_size = sizeof options, .timeout_ns = 20 * 1000 * 1000};
    uint32_t cancel = 1;

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1");
    kit_open_node("loop", "Loop", "- - x", "y");
    kit_open_subgraph("body");
    kit_io(KIT_INPUT, "i", BP_DTYPE_I64, "");
    kit_io(KIT_INPUT, "c", BP_DTYPE_BOOL, "");
    kit_io(KIT_INPUT, "v", BP_DTYPE_F32, "1");
    kit_node("neg", "Neg", "v", "w");
    kit_io(KIT_OUTPUT, "c", BP_DTYPE_BOOL, "");
    kit_io(KIT_OUTPUT, "w", BP_DTYPE_F32, "1");
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "1");
    kit_session();
    KIT_FAILS(bp_session_run(kit.session, &in, 1, &out, 1, &options, &kit.err), BP_E_TIMEOUT);
    options = (bp_run_options){.struct_size = sizeof options, .cancel = &cancel};
    KIT_FAILS(bp_session_run(kit.session, &in, 1, &out, 1, &options, &kit.err), BP_E_CANCELLED);
    ck_assert_ptr_null(out.tensor.base);
}
END_TEST

START_TEST(loop_names_the_missing_outputs_of_its_subgraph)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1");
    kit_open_node("loop", "Loop", "- - x", "y");
    kit_open_subgraph("body");
    kit_io(KIT_INPUT, "i", BP_DTYPE_I64, "");
    kit_io(KIT_INPUT, "c", BP_DTYPE_BOOL, "");
    kit_io(KIT_OUTPUT, "c", BP_DTYPE_BOOL, "");
    kit_io(KIT_OUTPUT, "i", BP_DTYPE_I64, "");
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "1");
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "'loop'", "body has 2 inputs", "needs 3");
}
END_TEST

/* ---- Scan ------------------------------------------------------------------------------------ */

/* Running sum along an axis of x [2,3,4], forwards or backwards, put together along another. */
static void scan_model(int64_t in_axis, int64_t out_axis, int64_t backwards)
{
    kit_start_model();
    kit_io(KIT_INPUT, "zero", BP_DTYPE_F32, NULL);
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3,4");
    kit_open_node("scan", "Scan", "zero x", "total sums");
    kit_int_attr("num_scan_inputs", 1);
    kit_ints_attr("scan_input_axes", 1, &in_axis);
    kit_ints_attr("scan_output_axes", 1, &out_axis);
    kit_ints_attr("scan_input_directions", 1, &backwards);
    kit_ints_attr("scan_output_directions", 1, &backwards);
    kit_open_subgraph("body");
    kit_io(KIT_INPUT, "s", BP_DTYPE_F32, NULL);
    kit_io(KIT_INPUT, "v", BP_DTYPE_F32, NULL);
    kit_node("add", "Add", "s v", "t");
    kit_node("same", "Identity", "t", "u");
    kit_io(KIT_OUTPUT, "t", BP_DTYPE_F32, NULL);
    kit_io(KIT_OUTPUT, "u", BP_DTYPE_F32, NULL);
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "total", BP_DTYPE_F32, NULL);
    kit_io(KIT_OUTPUT, "sums", BP_DTYPE_F32, NULL);
}

/* The offset of element (a, b) of a slice when the scanned axis is at `at`. */
static size_t place(const int64_t *dims, uint32_t axis, int64_t at, int64_t a, int64_t b)
{
    int64_t index[3] = {a, b, b};

    if (axis == 0)
        index[0] = at, index[1] = a, index[2] = b;
    else if (axis == 1)
        index[0] = a, index[1] = at, index[2] = b;
    else
        index[0] = a, index[1] = b, index[2] = at;
    return (size_t)((index[0] * dims[1] + index[1]) * dims[2] + index[2]);
}

static void check_scan(uint32_t in_axis, uint32_t out_axis, bool backwards)
{
    static const int64_t dims[] = {2, 3, 4};
    static const float zero[12];
    float x[24];
    int64_t n = dims[in_axis], rows = dims[in_axis == 0], columns = dims[in_axis == 2 ? 1 : 2];
    int64_t out_dims[3];
    bp_binding in[] = {KIT_TENSOR(0, BP_DTYPE_F32, zero, rows, columns),
                       KIT_TENSOR(1, BP_DTYPE_F32, x, 2, 3, 4)};
    bp_binding out[2] = {kit_wanted(0), kit_wanted(1)};

    for (int i = 0; i < 24; i++)
        x[i] = (float)(i * i % 17);
    for (uint32_t d = 0, from = 0; d < 3; d++)
        out_dims[d] = d == out_axis ? n : from++ == 0 ? rows : columns;
    scan_model(in_axis, (int64_t)out_axis - 3, backwards);
    kit_session();
    kit_run(in, 2, out, 2);
    kit_check_dims(&out[1].tensor, 3, out_dims);
    for (int64_t a = 0; a < rows; a++) {
        for (int64_t b = 0; b < columns; b++) {
            float sum = 0;

            for (int64_t k = 0; k < n; k++) {
                int64_t at = backwards ? n - 1 - k : k;

                sum += x[place(dims, in_axis, at, a, b)];
                ck_assert(((float *)out[1].tensor.base)[place(out_dims, out_axis, at, a, b)] ==
                          sum);
            }
            ck_assert(((float *)out[0].tensor.base)[a * columns + b] == sum);
        }
    }
    free_two(out);
}

START_TEST(scan_iterates_along_any_axis)
{
    for (uint32_t in_axis = 0; in_axis < 3; in_axis++) {
        for (uint32_t out_axis = 0; out_axis < 3; out_axis++) {
            check_scan(in_axis, out_axis, false);
            check_scan(in_axis, out_axis, true);
        }
    }
}
END_TEST

/* ---- sequences ------------------------------------------------------------------------------- */

static bp_object *sequence_of(uint32_t n, const float *values)
{
    bp_object *items[8], *sequence;

    ck_assert_uint_le(n, COUNT(items));
    for (uint32_t i = 0; i < n; i++) {
        bp_binding one = KIT_TENSOR(0, BP_DTYPE_F32, &values[i], 1);

        KIT_OK(bp_object_from_tensor(&one.tensor, &items[i], &kit.err));
    }
    KIT_OK(bp_object_sequence(items, n, &sequence, &kit.err));
    for (uint32_t i = 0; i < n; i++)
        bp_object_release(items[i]);
    return sequence;
}

static void check_sequence(const bp_object *sequence, uint32_t n, const float *values)
{
    ck_assert_uint_eq(bp_object_kind(sequence), BP_KIND_SEQUENCE);
    ck_assert_uint_eq(bp_object_count(sequence), n);
    for (uint32_t i = 0; i < n; i++)
        kit_check_floats(bp_object_tensor(bp_object_item(sequence, i)), 1, &values[i]);
}

START_TEST(sequences_are_fed_edited_and_fetched)
{
    static const float three[] = {1, 2, 3}, inserted[] = {1, 9, 2, 3}, nine = 9;
    int64_t at = 1;
    bp_binding in[] = {
        {.index = 0}, KIT_TENSOR(1, BP_DTYPE_F32, &nine, 1), KIT_TENSOR(2, BP_DTYPE_I64, &at, 1)};
    bp_binding out[4];

    kit_io_of(KIT_INPUT, "s", BP_KIND_SEQUENCE, 0, BP_DTYPE_F32);
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1");
    kit_io(KIT_INPUT, "at", BP_DTYPE_I64, NULL);
    kit_node("insert", "SequenceInsert", "s x at", "t");
    kit_node("length", "SequenceLength", "t", "n");
    kit_node("pick", "SequenceAt", "t at", "p");
    kit_node("neg", "Neg", "p", "q");
    kit_open_node("join", "ConcatFromSequence", "t", "all");
    kit_int_attr("axis", 0);
    kit_int_attr("new_axis", 1);
    pw_close(&kit.w);
    kit_io_of(KIT_OUTPUT, "t", BP_KIND_SEQUENCE, 0, BP_DTYPE_F32);
    kit_io(KIT_OUTPUT, "n", BP_DTYPE_I64, "");
    kit_io(KIT_OUTPUT, "q", BP_DTYPE_F32, NULL);
    kit_io(KIT_OUTPUT, "all", BP_DTYPE_F32, NULL);
    kit_session();
    in[0].object = sequence_of(3, three);
    for (uint32_t i = 0; i < 4; i++)
        out[i] = kit_wanted(i);
    kit_run(in, 3, out, 4);
    check_sequence(out[0].object, 4, inserted);
    ck_assert_int_eq(whole(&out[1].tensor), 4);
    KIT_FLOATS(&out[2].tensor, -9);
    KIT_DIMS(&out[3].tensor, 4, 1);
    kit_check_floats(&out[3].tensor, 4, inserted);
    bp_object_release(out[0].object);
    for (uint32_t i = 1; i < 4; i++)
        bp_tensor_free(&out[i].tensor);

    at = 4;
    KIT_FAILS(try_run(in, 3, out, 1), BP_E_INVALID, "'insert'", "position 4", "-3..3");
    in[0].object = (bp_object_release(in[0].object), NULL);
    KIT_FAILS(try_run(in, 3, out, 1), BP_E_INVALID, "'s'", "a sequence");
    ck_assert_ptr_null(out[0].object);
}
END_TEST

START_TEST(split_to_sequence_then_concat_is_identity)
{
    static const int64_t sizes[] = {1, 0, 3};
    static const float x[] = {1, 2, 3, 4, 5, 6, 7, 8};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 2, 4), out[2] = {kit_wanted(0), kit_wanted(1)};

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,n");
    kit_ints("sizes", PW_DIMS(3), 3, sizes);
    kit_open_node("split", "SplitToSequence", "x sizes", "s");
    kit_int_attr("axis", -1);
    pw_close(&kit.w);
    kit_open_node("join", "ConcatFromSequence", "s", "y");
    kit_int_attr("axis", 1);
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    kit_io_of(KIT_OUTPUT, "s", BP_KIND_SEQUENCE, 0, BP_DTYPE_F32);
    kit_session();
    kit_run(&in, 1, out, 2);
    kit_check_floats(&out[0].tensor, 8, x);
    ck_assert_uint_eq(bp_object_count(out[1].object), 3);
    KIT_DIMS(bp_object_tensor(bp_object_item(out[1].object, 1)), 2, 0);
    KIT_FLOATS(bp_object_tensor(bp_object_item(out[1].object, 2)), 2, 3, 4, 6, 7, 8);
    bp_tensor_free(&out[0].tensor);
    bp_object_release(out[1].object);
    in = KIT_TENSOR(0, BP_DTYPE_F32, x, 2, 3);
    KIT_FAILS(try_run(&in, 1, out, 1), BP_E_INVALID, "'split'", "3 at place 2", "2 are left");
}
END_TEST

/* ---- optionals ------------------------------------------------------------------------------- */

START_TEST(optional_operators_accept_an_empty_optional)
{
    static const float x[] = {5};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 1), out[2] = {kit_wanted(0), kit_wanted(1)};
    bp_object *none;

    kit_start_model_at(18);
    kit_io_of(KIT_INPUT, "o", BP_KIND_OPTIONAL, 0, BP_DTYPE_F32);
    kit_node("has", "OptionalHasElement", "o", "h");
    kit_node("get", "OptionalGetElement", "o", "g");
    kit_io(KIT_OUTPUT, "h", BP_DTYPE_BOOL, "");
    kit_io(KIT_OUTPUT, "g", BP_DTYPE_F32, NULL);
    kit_session();
    kit_run(&in, 1, out, 2); /* a tensor serves as an optional that has one */
    ck_assert_uint_eq(*(uint8_t *)out[0].tensor.base, 1);
    KIT_FLOATS(&out[1].tensor, 5);
    free_two(out);
    KIT_OK(bp_object_optional(NULL, &none, &kit.err));
    in.object = none;
    out[0] = kit_wanted(0);
    out[1] = kit_wanted(1);
    KIT_FAILS(try_run(&in, 1, out, 2), BP_E_INVALID, "'get'", "no value");
    bp_object_release(none);
}
END_TEST

/* ---- maps ------------------------------------------------------------------------------------ */

START_TEST(zip_map_makes_maps_of_scores)
{
    static const char *const labels[] = {"cat", "dog"};
    static const float x[] = {0.25f, 0.75f, 1, 0};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 2, 2), out = kit_wanted(0);
    const bp_object *map;
    const bp_span *keys;

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "n,2");
    kit_open_node("zip", "ZipMap", "x", "z");
    pw_text(&kit.w, 7, "ai.onnx.ml");
    kit_strings_attr("classlabels_strings", 2, labels);
    pw_close(&kit.w);
    pw_open(&kit.w, 12); /* z: sequence of maps, which the model need not say */
    pw_text(&kit.w, 1, "z");
    pw_close(&kit.w);
    pw_close(&kit.w);
    pw_open(&kit.w, 8); /* opset_import */
    pw_text(&kit.w, 1, "ai.onnx.ml");
    pw_int(&kit.w, 2, 1);
    pw_close(&kit.w);
    kit.is_closed = true;
    kit_session();
    kit_run(&in, 1, &out, 1);
    ck_assert_uint_eq(bp_object_count(out.object), 2);
    map = bp_object_item(out.object, 0);
    ck_assert_uint_eq(bp_object_kind(map), BP_KIND_MAP);
    keys = bp_object_tensor(bp_object_item(map, 0))->base;
    ck_assert_uint_eq(keys[1].size, 3);
    ck_assert_mem_eq(keys[1].data, "dog", 3);
    KIT_FLOATS(bp_object_tensor(bp_object_item(map, 1)), 0.25f, 0.75f);
    bp_object_release(out.object);
}
END_TEST

START_TEST(dict_vectorizer_makes_vectors_of_maps)
{
    static const char *const words[] = {"b", "none", "a"};
    static const bp_span names[] = {{"a", 1}, {"b", 1}};
    static const float scores[] = {1, 2};
    bp_binding keys = KIT_TENSOR(0, BP_DTYPE_STRING, names, 2);
    bp_binding values = KIT_TENSOR(0, BP_DTYPE_F32, scores, 2);
    bp_binding in = {.index = 0}, out = kit_wanted(0);
    bp_object *parts[2];

    kit_io_of(KIT_INPUT, "m", BP_KIND_MAP, BP_DTYPE_STRING, BP_DTYPE_F32);
    kit_open_node("dict", "DictVectorizer", "m", "y");
    pw_text(&kit.w, 7, "ai.onnx.ml");
    kit_strings_attr("string_vocabulary", 3, words);
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    pw_close(&kit.w);
    pw_open(&kit.w, 8);
    pw_text(&kit.w, 1, "ai.onnx.ml");
    pw_int(&kit.w, 2, 1);
    pw_close(&kit.w);
    kit.is_closed = true;
    kit_session();
    KIT_OK(bp_object_from_tensor(&keys.tensor, &parts[0], &kit.err));
    KIT_OK(bp_object_from_tensor(&values.tensor, &parts[1], &kit.err));
    KIT_OK(bp_object_map(parts[0], parts[1], &in.object, &kit.err));
    bp_object_release(parts[0]);
    bp_object_release(parts[1]);
    kit_run(&in, 1, &out, 1);
    KIT_DIMS(&out.tensor, 1, 3);
    KIT_FLOATS(&out.tensor, 2, 0, 1);
    bp_tensor_free(&out.tensor);
    bp_object_release(in.object);
}
END_TEST

/* ---- strings --------------------------------------------------------------------------------- */

START_TEST(strings_are_fed_and_fetched)
{
    static const bp_span words[] = {{"one", 3}, {"", 0}, {"three", 5}};
    static const bp_span broken[] = {{"one", 3}, {NULL, 2}, {"three", 5}};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_STRING, words, 3), out = kit_wanted(0);
    _Alignas(bp_span) char buffer[6 * sizeof(bp_span) + 16];
    int64_t dims[1];
    const bp_span *got;

    kit_io(KIT_INPUT, "x", BP_DTYPE_STRING, "n");
    kit_open_node("cat", "Concat", "x x", "y");
    kit_int_attr("axis", 0);
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_STRING, NULL);
    kit_session();
    kit_run(&in, 1, &out, 1);
    KIT_DIMS(&out.tensor, 6);
    got = out.tensor.base;
    ck_assert_uint_eq(got[5].size, 5);
    ck_assert_mem_eq(got[5].data, "three", 5);
    ck_assert((const char *)got[5].data >= (char *)out.tensor.base); /* its own text */
    bp_tensor_free(&out.tensor);

    out.tensor = (bp_tensor){.base = buffer, .dims = dims, .rank = 1, .bytes = sizeof buffer};
    kit_run(&in, 1, &out, 1);
    got = (const bp_span *)(void *)buffer;
    ck_assert_mem_eq(got[3].data, "one", 3);
    ck_assert((const char *)got[3].data > buffer &&
              (const char *)got[3].data < buffer + sizeof buffer);
    out.tensor = (bp_tensor){.base = buffer, .dims = dims, .rank = 1, .bytes = sizeof buffer - 1};
    KIT_FAILS(try_run(&in, 1, &out, 1), BP_E_SPACE, "'y'", "112 bytes");

    in = KIT_TENSOR(0, BP_DTYPE_STRING, broken, 3);
    out = kit_wanted(0);
    KIT_FAILS(try_run(&in, 1, &out, 1), BP_E_INVALID, "'x'", "string 1");
}
END_TEST

/* ---- objects --------------------------------------------------------------------------------- */

START_TEST(objects_reject_invalid_items_and_bytes)
{
    static const float x = 1;
    static const int32_t k = 1;
    bp_binding real = KIT_TENSOR(0, BP_DTYPE_F32, &x, 1),
               number = KIT_TENSOR(0, BP_DTYPE_I32, &k, 1);
    bp_object *items[2], *made = NULL;

    KIT_OK(bp_object_from_tensor(&real.tensor, &items[0], &kit.err));
    KIT_OK(bp_object_from_tensor(&number.tensor, &items[1], &kit.err));
    KIT_FAILS(bp_object_sequence(items, 2, &made, &kit.err), BP_E_INVALID, "item 1",
              "another type");
    ck_assert_ptr_null(made);
    KIT_FAILS(bp_object_map(items[0], NULL, &made, &kit.err), BP_E_INVALID, "values");
    KIT_FAILS(bp_object_decode("\x1a\x01", 2, BP_KIND_SEQUENCE, &made, &kit.err), BP_E_INVALID,
              "SequenceProto");
    KIT_FAILS(bp_object_decode("", 0, BP_KIND_SPARSE, &made, &kit.err), BP_E_INVALID, "not a kind");
    ck_assert_uint_eq(bp_object_count(items[0]), 0);
    ck_assert_ptr_null(bp_object_item(items[0], 0));
    bp_object_release(items[0]);
    bp_object_release(items[1]);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("host_ops");

    tcase_add_checked_fixture(tcase, kit_setup, kit_teardown);
    tcase_add_test(tcase, loop_honours_trip_count_and_condition_and_collects_scan_outputs);
    tcase_add_test(tcase, loop_carries_values_that_swap_and_grow);
    tcase_add_test(tcase, endless_loop_can_be_cancelled);
    tcase_add_test(tcase, loop_names_the_missing_outputs_of_its_subgraph);
    tcase_add_test(tcase, scan_iterates_along_any_axis);
    tcase_add_test(tcase, sequences_are_fed_edited_and_fetched);
    tcase_add_test(tcase, split_to_sequence_then_concat_is_identity);
    tcase_add_test(tcase, optional_operators_accept_an_empty_optional);
    tcase_add_test(tcase, zip_map_makes_maps_of_scores);
    tcase_add_test(tcase, dict_vectorizer_makes_vectors_of_maps);
    tcase_add_test(tcase, strings_are_fed_and_fetched);
    tcase_add_test(tcase, objects_reject_invalid_items_and_bytes);
    return kit_main("host_ops", &tcase, 1);
}
