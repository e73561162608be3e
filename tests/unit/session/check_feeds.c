/* SPDX-License-Identifier: MIT */
/*
 * check_feeds.c - feeds that a model does not ask for in so many words: tensors at any address,
 * scalars with dimensions, runs that leave inputs out.
 */

#include "config.h"

#include <check.h>

#include "support/session_kit.h"

static bp_rc run(bp_binding *in, uint32_t n_in, bp_binding *out, uint32_t n_out)
{
    return bp_session_run(kit.session, in, n_in, out, n_out, NULL, &kit.err);
}

static bp_session_stats stats(void)
{
    bp_session_stats own = {.struct_size = sizeof own};

    KIT_OK(bp_session_get_stats(kit.session, &own, &kit.err));
    return own;
}

/* ---- any address ----------------------------------------------------------------------------- */

START_TEST(feeds_and_outputs_may_be_unaligned)
{
    static const float x[] = {-1, 2, -3, 4};
    _Alignas(8) char from[sizeof x + 8] = {0}, to[sizeof x + 8];
    float y[4];
    int64_t dims[2] = {0};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, from + _i, 1, 4);
    bp_binding out = {.tensor = {.base = to + _i, .bytes = sizeof x, .dims = dims, .rank = 2}};

    kit_small_model();
    kit_session();
    memcpy(from + _i, x, sizeof x);
    for (int round = 0; round < 3; round++) {
        memset(to, 0x55, sizeof to);
        kit_run(&in, 1, &out, 1);
        ck_assert_ptr_eq(out.tensor.base, to + _i);
        memcpy(y, to + _i, sizeof y);
        ck_assert(y[0] == 0 && y[1] == -4 && y[2] == 0 && y[3] == -8);
        for (int i = 0; i < (int)sizeof to; i++) /* nothing around it is touched */
            ck_assert((i >= _i && i < _i + (int)sizeof x) || to[i] == 0x55);
    }
}
END_TEST

START_TEST(copies_of_unaligned_feeds_are_counted)
{
    char from[4 * sizeof(float) * 100 + 1] = {0};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, from, 100, 4), out = kit_wanted(0);
    uint64_t before, freed;

    kit_small_model();
    kit_session();
    kit_run(&in, 1, &out, 1);
    bp_tensor_free(&out.tensor);
    before = stats().held_bytes;
    in.tensor.base = from + ((uintptr_t)from % 2 == 0);
    kit_run(&in, 1, &out, 1);
    bp_tensor_free(&out.tensor);
    ck_assert_uint_eq(stats().held_bytes, before + 1600);
    ck_assert_uint_eq(stats().idle_bytes, before + 1600);
    KIT_OK(bp_session_trim(kit.session, &freed, &kit.err));
    ck_assert_uint_eq(freed, before + 1600);
    ck_assert_uint_eq(stats().held_bytes, 0);
}
END_TEST

START_TEST(unaligned_output_buffer_that_is_too_small_is_rejected)
{
    float x[4] = {0};
    char to[16];
    int64_t dims[2];
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 1, 4);
    bp_binding out = {.tensor = {.base = to + 1, .bytes = 15, .dims = dims, .rank = 2}};

    kit_small_model();
    kit_session();
    KIT_FAILS(run(&in, 1, &out, 1), BP_E_SPACE, "needs 16 bytes", "15");
}
END_TEST

START_TEST(string_spans_may_be_unaligned)
{
    static const bp_span words[] = {{"one", 3}, {"", 0}, {"three", 5}};
    char from[sizeof words + 8] = {0}, to[sizeof words + 16];
    bp_span got[3];
    int64_t dims[1];
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_STRING, from + _i, 3);
    bp_binding out = {
        .tensor = {.base = to + _i, .bytes = sizeof words + 8, .dims = dims, .rank = 1}};

    memcpy(from + _i, words, sizeof words);
    kit_io(KIT_INPUT, "x", BP_DTYPE_STRING, "N");
    kit_node("i", "Identity", "x", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_STRING, "N");
    kit_session();
    kit_run(&in, 1, &out, 1);
    memcpy(got, to + _i, sizeof got);
    ck_assert(got[0].size == 3 && memcmp(got[0].data, "one", 3) == 0);
    ck_assert(got[1].size == 0);
    ck_assert(got[2].size == 5 && memcmp(got[2].data, "three", 5) == 0);
}
END_TEST

/* ---- scalars --------------------------------------------------------------------------------- */

/* y = x + x, s = Shape(x); all declared as if x were a scalar. */
static void open_scalar_model(void)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "");
    kit_node("add", "Add", "x x", "y");
    kit_io(KIT_VALUE_INFO, "y", BP_DTYPE_F32, "");
    kit_node("shape", "Shape", "y", "s");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "");
    kit_io(KIT_OUTPUT, "s", BP_DTYPE_I64, "R");
    kit_session();
}

START_TEST(scalar_input_accepts_one_element_of_any_rank)
{
    float x[] = {1, 2, 3};
    bp_binding shapes[] = {KIT_TENSOR(0, BP_DTYPE_F32, x, 1), KIT_TENSOR(0, BP_DTYPE_F32, x, 1, 1),
                           KIT_TENSOR(0, BP_DTYPE_F32, x, 3), KIT_TENSOR(0, BP_DTYPE_F32, x, 0),
                           kit_tensor(0, BP_DTYPE_F32, x, 0, NULL)};
    bp_binding out[2];

    open_scalar_model();
    for (int i = 0; i < 5; i++) {
        const bp_tensor *got = &out[0].tensor, *given = &shapes[i].tensor;

        out[0] = kit_wanted(0);
        out[1] = kit_wanted(1);
        kit_run(&shapes[i], 1, out, 2);
        kit_check_dims(got, given->rank, given->dims); /* it keeps its shape */
        ck_assert_int_eq(out[1].tensor.dims[0], given->rank);
        for (size_t k = 0; k < got->bytes / sizeof *x; k++)
            ck_assert(((const float *)got->base)[k] == 2 * x[k]);
        bp_tensor_free(&out[0].tensor);
        bp_tensor_free(&out[1].tensor);
    }
}
END_TEST

/* As a model checks its sampling rate. */
START_TEST(condition_computed_from_a_shaped_scalar_is_accepted)
{
    static const int64_t rate = 16000;
    float x[] = {1, -2};
    bp_binding in[] = {KIT_TENSOR(0, BP_DTYPE_F32, x, 2), KIT_TENSOR(1, BP_DTYPE_I64, &rate, 1)};
    bp_binding out = kit_wanted(0);

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N");
    kit_io(KIT_INPUT, "sr", BP_DTYPE_I64, "");
    kit_ints("rate", PW_SCALAR, 1, &rate);
    kit_node("equal", "Equal", "sr rate", "c");
    kit_open_node("if", "If", "c", "y");
    kit_open_subgraph("then_branch");
    kit_node("relu", "Relu", "x", "t");
    kit_io(KIT_OUTPUT, "t", BP_DTYPE_F32, "N");
    kit_close_subgraph();
    kit_open_subgraph("else_branch");
    kit_node("neg", "Neg", "x", "e");
    kit_io(KIT_OUTPUT, "e", BP_DTYPE_F32, "N");
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "N");
    kit_session();
    kit_run(in, 2, &out, 1);
    KIT_FLOATS(&out.tensor, 1, 0);
    bp_tensor_free(&out.tensor);
}
END_TEST

START_TEST(rank_1_input_rejects_a_scalar)
{
    float x = 1;
    bp_binding in = kit_tensor(0, BP_DTYPE_F32, &x, 0, NULL), out = kit_wanted(0);

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1");
    kit_node("neg", "Neg", "x", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "1");
    kit_session();
    KIT_FAILS(run(&in, 1, &out, 1), BP_E_SHAPE, "'x' takes rank 1");
}
END_TEST

/* ---- inputs that are left out ---------------------------------------------------------------- */

/* y = Relu(a), z = Neg(b), w = y + z; c is not read. */
static void open_two_halves(void)
{
    for (const char *name = "abc"; *name; name++)
        kit_io(KIT_INPUT, (const char[]){*name, '\0'}, BP_DTYPE_F32, "2");
    kit_node("relu", "Relu", "a", "y");
    kit_node("neg", "Neg", "b", "z");
    kit_node("add", "Add", "y z", "w");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "2");
    kit_io(KIT_OUTPUT, "z", BP_DTYPE_F32, "2");
    kit_io(KIT_OUTPUT, "w", BP_DTYPE_F32, "2");
    kit_session();
}

START_TEST(feed_that_no_requested_output_needs_may_be_omitted)
{
    float a[] = {1, -2}, b[] = {3, 4};
    bp_binding in[] = {KIT_TENSOR(0, BP_DTYPE_F32, a, 2), KIT_TENSOR(1, BP_DTYPE_F32, b, 2)};
    bp_binding y, z, w;

    open_two_halves();
    for (int round = 0; round < 2; round++) {
        y = kit_wanted(0);
        z = kit_wanted(1);
        w = kit_wanted(2);
        kit_run(&in[0], 1, &y, 1);
        KIT_FLOATS(&y.tensor, 1, 0);
        kit_run(&in[1], 1, &z, 1);
        KIT_FLOATS(&z.tensor, -3, -4);
        kit_run(in, 2, &w, 1);
        KIT_FLOATS(&w.tensor, -2, -4);
        bp_tensor_free(&y.tensor);
        bp_tensor_free(&z.tensor);
        bp_tensor_free(&w.tensor);
    }
    ck_assert_uint_eq(stats().runs, 6);
}
END_TEST

START_TEST(feed_that_a_requested_output_needs_is_required)
{
    float a[] = {1, -2};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, a, 2);
    bp_binding out[] = {kit_wanted(0), kit_wanted(2)};

    open_two_halves();
    KIT_FAILS(run(&in, 1, out, 2), BP_E_INVALID, "1 input is not fed: 'b'");
    KIT_FAILS(run(NULL, 0, out, 2), BP_E_INVALID, "2 inputs are not fed: 'a', 'b'");
    KIT_FAILS(run(&in, 1, out, 0), BP_E_INVALID, "not fed");
    ck_assert_ptr_null(out[0].tensor.base);
}
END_TEST

/* Only the loop's subgraph reads an input. */
START_TEST(feed_that_only_a_subgraph_reads_is_required)
{
    static const int64_t trips = 2;
    float a[] = {1, -2};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, a, 2), out[] = {kit_wanted(0), kit_wanted(1)};

    kit_io(KIT_INPUT, "a", BP_DTYPE_F32, "2");
    kit_io(KIT_INPUT, "b", BP_DTYPE_F32, "2");
    kit_ints("trips", PW_SCALAR, 1, &trips);
    kit_node("relu", "Relu", "a", "y");
    kit_open_node("loop", "Loop", "trips - y", "z");
    kit_open_subgraph("body");
    kit_io(KIT_INPUT, "i", BP_DTYPE_I64, "");
    kit_io(KIT_INPUT, "c", BP_DTYPE_BOOL, "");
    kit_io(KIT_INPUT, "v", BP_DTYPE_F32, "2");
    kit_node("add", "Add", "v b", "n");
    kit_io(KIT_OUTPUT, "c", BP_DTYPE_BOOL, "");
    kit_io(KIT_OUTPUT, "n", BP_DTYPE_F32, "2");
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "2");
    kit_io(KIT_OUTPUT, "z", BP_DTYPE_F32, "2");
    kit_session();
    KIT_FAILS(run(&in, 1, out, 2), BP_E_INVALID, "1 input is not fed: 'b'");
    kit_run(&in, 1, out, 1);
    KIT_FLOATS(&out[0].tensor, 1, 0);
    bp_tensor_free(&out[0].tensor);
}
END_TEST

START_TEST(too_many_sets_of_omitted_feeds_are_rejected)
{
    enum { N = 18 };
    float x = 1;
    bp_binding in[N], out = kit_wanted(0);

    for (uint32_t i = 0; i < N; i++) {
        char name[8], made[8];

        snprintf(name, sizeof name, "x%u", i);
        snprintf(made, sizeof made, "y%u", i);
        kit_io(KIT_INPUT, name, BP_DTYPE_F32, "1");
        kit_node(made, "Neg", name, made);
        in[i] = KIT_TENSOR(i, BP_DTYPE_F32, &x, 1);
    }
    for (uint32_t i = 0; i < N; i++) {
        char made[8];

        snprintf(made, sizeof made, "y%u", i);
        kit_io(KIT_OUTPUT, made, BP_DTYPE_F32, "1");
    }
    kit_session();
    for (uint32_t i = 0; i < 16; i++) {
        out = kit_wanted(i);
        kit_run(&in[i], 1, &out, 1);
        KIT_FLOATS(&out.tensor, -1);
        bp_tensor_free(&out.tensor);
    }
    out = kit_wanted(16);
    KIT_FAILS(run(&in[16], 1, &out, 1), BP_E_UNSUPPORTED, "16 sets of inputs", "feed all");
    out = kit_wanted(3); /* one that is there */
    kit_run(&in[3], 1, &out, 1);
    bp_tensor_free(&out.tensor);
}
END_TEST

int main(void)
{
    TCase *addresses = tcase_create("addresses"), *scalars = tcase_create("scalars"),
          *missing = tcase_create("missing");
    TCase *const cases[] = {addresses, scalars, missing};

    for (int i = 0; i < 3; i++)
        tcase_add_checked_fixture(cases[i], kit_setup, kit_teardown);
    tcase_add_loop_test(addresses, feeds_and_outputs_may_be_unaligned, 0, 8);
    tcase_add_test(addresses, copies_of_unaligned_feeds_are_counted);
    tcase_add_test(addresses, unaligned_output_buffer_that_is_too_small_is_rejected);
    tcase_add_loop_test(addresses, string_spans_may_be_unaligned, 0, 8);
    tcase_add_test(scalars, scalar_input_accepts_one_element_of_any_rank);
    tcase_add_test(scalars, condition_computed_from_a_shaped_scalar_is_accepted);
    tcase_add_test(scalars, rank_1_input_rejects_a_scalar);
    tcase_add_test(missing, feed_that_no_requested_output_needs_may_be_omitted);
    tcase_add_test(missing, feed_that_a_requested_output_needs_is_required);
    tcase_add_test(missing, feed_that_only_a_subgraph_reads_is_required);
    tcase_add_test(missing, too_many_sets_of_omitted_feeds_are_rejected);
    return kit_main("feeds", cases, 3);
}
