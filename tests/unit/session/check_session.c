/* SPDX-License-Identifier: MIT */
/* check_session.c - runs: feeds and fetches, changing shapes, stages, defaults. */

#include "config.h"

#include <check.h>
#include <pthread.h>

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

/* ---- feeds and fetches ----------------------------------------------------------------------- */

START_TEST(run_writes_into_the_callers_buffers)
{
    float x[] = {-1, 2, -3, 4}, y[4];
    int64_t dims[2] = {0};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 1, 4);
    bp_binding out = {.tensor = {.base = y, .bytes = sizeof y, .dims = dims, .rank = 2}};

    kit_small_model();
    kit_session();
    for (int round = 0; round < 3; round++) {
        memset(y, 0xff, sizeof y);
        kit_run(&in, 1, &out, 1);
        ck_assert_ptr_eq(out.tensor.base, y);
        KIT_DIMS(&out.tensor, 1, 4);
        KIT_FLOATS(&out.tensor, 0, -4, 0, -8);
    }
    ck_assert_uint_eq(stats().runs, 3);
}
END_TEST

START_TEST(run_allocates_outputs_without_a_buffer)
{
    float x[] = {-1, 2, -3, 4};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 1, 4), out = kit_wanted(0);

    kit_small_model();
    kit_session();
    kit_run(&in, 1, &out, 1);
    KIT_DIMS(&out.tensor, 1, 4);
    KIT_FLOATS(&out.tensor, 0, -4, 0, -8);
    bp_tensor_free(&out.tensor);
    ck_assert_ptr_null(out.tensor.base);
}
END_TEST

START_TEST(run_applies_byte_offsets_of_feeds_and_outputs)
{
    float x[] = {9, 9, -1, 2, -3, 4}, y[5] = {7};
    int64_t dims[2];
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 1, 4);
    bp_binding out = {.tensor = {.base = y, .offset = 4, .bytes = 16, .dims = dims, .rank = 2}};

    kit_small_model();
    kit_session();
    in.tensor.offset = 8;
    kit_run(&in, 1, &out, 1);
    ck_assert(y[0] == 7);
    KIT_FLOATS(&out.tensor, 0, -4, 0, -8);
}
END_TEST

START_TEST(run_rejects_an_output_buffer_that_is_too_small)
{
    float x[] = {-1, 2, -3, 4}, y[4];
    int64_t dims[2];
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 1, 4);
    bp_binding out = {.tensor = {.base = y, .bytes = 12, .dims = dims, .rank = 2}};

    kit_small_model();
    kit_session();
    KIT_FAILS(run(&in, 1, &out, 1), BP_E_SPACE, "'y'", "16 bytes", "12");
    out.tensor.bytes = 16;
    out.tensor.rank = 1;
    KIT_FAILS(run(&in, 1, &out, 1), BP_E_SPACE, "'y'", "rank 2", "1");
    out.tensor.dims = NULL;
    KIT_FAILS(run(&in, 1, &out, 1), BP_E_SPACE, "'y'", "rank 2");
    out.tensor.dims = dims;
    out.tensor.rank = 2;
    kit_run(&in, 1, &out, 1);
    KIT_FLOATS(&out.tensor, 0, -4, 0, -8);
}
END_TEST

START_TEST(failed_run_leaves_no_output_allocated)
{
    float x[] = {-1, 2, -3, 4}, y[4];
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 1, 4);
    bp_binding out[2] = {kit_wanted(0), {.tensor = {.base = y, .bytes = 1}}};

    kit_small_model();
    kit_session();
    KIT_FAILS(run(&in, 1, out, 2), BP_E_SPACE, "'y'");
    ck_assert_ptr_null(out[0].tensor.base);
    ck_assert_ptr_eq(out[1].tensor.base, y);
    out[1].index = 5;
    KIT_FAILS(run(&in, 1, out, 2), BP_E_INVALID, "1 outputs", "output 5");
    ck_assert_ptr_null(out[0].tensor.base);
}
END_TEST

static void two_inputs(void)
{
    kit_io(KIT_INPUT, "a", BP_DTYPE_F32, "N,3");
    kit_io(KIT_INPUT, "b", BP_DTYPE_F32, "N,3");
    kit_node("add", "Add", "a b", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "N,3");
    kit_session();
}

START_TEST(run_rejects_wrong_feeds_with_a_message)
{
    float x[12] = {0};
    bp_binding good = KIT_TENSOR(1, BP_DTYPE_F32, x, 2, 3), out = kit_wanted(0);
    bp_binding in[3] = {KIT_TENSOR(7, BP_DTYPE_F32, x, 2, 3), good};

    two_inputs();
    KIT_FAILS(run(in, 2, &out, 1), BP_E_INVALID, "2 inputs", "no input 7");
    in[0] = KIT_TENSOR(0, BP_DTYPE_I32, x, 2, 3);
    KIT_FAILS(run(in, 2, &out, 1), BP_E_INVALID, "'a'", "float32", "int32");
    in[0] = KIT_TENSOR(0, BP_DTYPE_F32, x, 1, 2, 3);
    KIT_FAILS(run(in, 2, &out, 1), BP_E_SHAPE, "'a'", "rank 2", "(Nx3)", "rank 3", "(1x2x3)");
    in[0] = KIT_TENSOR(0, BP_DTYPE_F32, x, 2, 4);
    KIT_FAILS(run(in, 2, &out, 1), BP_E_SHAPE, "'a'", "Nx3", "2x4", "dimension 1");
    in[0] = KIT_TENSOR(0, BP_DTYPE_F32, x, 2, 3);
    in[0].tensor.bytes = 20;
    KIT_FAILS(run(in, 2, &out, 1), BP_E_INVALID, "'a'", "24 bytes", "20");
    in[0] = KIT_TENSOR(0, BP_DTYPE_F32, NULL, 2, 3);
    KIT_FAILS(run(in, 2, &out, 1), BP_E_INVALID, "'a'", "no data");
    in[0] = KIT_TENSOR(0, BP_DTYPE_F32, x, 2, 3);
    in[0].tensor.dims = NULL;
    KIT_FAILS(run(in, 2, &out, 1), BP_E_INVALID, "'a'", "without dims");
    in[0].tensor.dims = (int64_t[]){-2, 3};
    KIT_FAILS(run(in, 2, &out, 1), BP_E_INVALID, "'a'", "negative");
    in[0].tensor.dims = (int64_t[]){INT64_MAX, 3};
    KIT_FAILS(run(in, 2, &out, 1), BP_E_INVALID, "'a'", "too large");
    in[0].tensor.rank = 100;
    KIT_FAILS(run(in, 2, &out, 1), BP_E_INVALID, "'a'", "rank 100");
    in[0] = KIT_TENSOR(0, BP_DTYPE_F32, x, 2, 3);
    kit_run(in, 2, &out, 1); /* and after all that it runs */
    bp_tensor_free(&out.tensor);
}
END_TEST

START_TEST(run_rejects_feeds_whose_named_dimensions_differ)
{
    float x[12] = {0};
    bp_binding in[2] = {KIT_TENSOR(0, BP_DTYPE_F32, x, 2, 3), KIT_TENSOR(1, BP_DTYPE_F32, x, 4, 3)};
    bp_binding out = kit_wanted(0);

    two_inputs();
    ck_assert_int_lt(run(in, 2, &out, 1), 0);
    ck_assert_ptr_nonnull(strstr(kit.text, "2"));
    ck_assert_ptr_nonnull(strstr(kit.text, "4"));
}
END_TEST

START_TEST(run_names_all_missing_feeds_at_once)
{
    float x[6] = {0};
    bp_binding in[2] = {KIT_TENSOR(1, BP_DTYPE_F32, x, 2, 3), KIT_TENSOR(1, BP_DTYPE_F32, x, 2, 3)};
    bp_binding out = kit_wanted(0);

    two_inputs();
    KIT_FAILS(run(NULL, 0, &out, 1), BP_E_INVALID, "'a', 'b'");
    KIT_FAILS(run(in, 1, &out, 1), BP_E_INVALID, "'a'");
    ck_assert_ptr_null(strstr(kit.text, "'b'"));
    KIT_FAILS(run(in, 2, &out, 1), BP_E_INVALID, "'b'", "twice");
    KIT_FAILS(bp_session_run(kit.session, NULL, 1, &out, 1, NULL, &kit.err), BP_E_INVALID,
              "inputs");
}
END_TEST

START_TEST(session_finds_inputs_and_outputs_by_name)
{
    bp_io_info info = {.struct_size = sizeof info};
    uint32_t i = 9;

    two_inputs();
    ck_assert_uint_eq(bp_session_input_count(kit.session), 2);
    ck_assert_uint_eq(bp_session_output_count(kit.session), 1);
    KIT_OK(bp_session_find_input(kit.session, "b", &i, &kit.err));
    ck_assert_uint_eq(i, 1);
    KIT_OK(bp_session_find_output(kit.session, "y", &i, &kit.err));
    ck_assert_uint_eq(i, 0);
    KIT_FAILS(bp_session_find_input(kit.session, "c", &i, &kit.err), BP_E_INVALID, "input 'c'");
    KIT_FAILS(bp_session_find_output(kit.session, NULL, &i, &kit.err), BP_E_INVALID, "name");
    KIT_OK(bp_session_input(kit.session, 1, &info, &kit.err));
    ck_assert_str_eq(info.name, "b");
    ck_assert_uint_eq(info.dtype, BP_DTYPE_F32);
    ck_assert_uint_eq(info.rank, 2);
    ck_assert_int_eq(info.dims[0].value, -1);
    ck_assert_str_eq(info.dims[0].symbol, "N");
    ck_assert_int_eq(info.dims[1].value, 3);
    ck_assert_ptr_null(info.dims[1].symbol);
    KIT_FAILS(bp_session_input(kit.session, 2, &info, &kit.err), BP_E_INVALID, "no input 2");
    KIT_FAILS(bp_session_output(kit.session, 1, &info, &kit.err), BP_E_INVALID, "no output 1");
}
END_TEST

START_TEST(session_suggests_the_nearest_name)
{
    uint32_t i;

    kit_io(KIT_INPUT, "pixel_values", BP_DTYPE_F32, "3");
    kit_node("relu", "Relu", "pixel_values", "logits");
    kit_io(KIT_OUTPUT, "logits", BP_DTYPE_F32, "3");
    kit_session();
    KIT_FAILS(bp_session_find_input(kit.session, "pixel_value", &i, &kit.err), BP_E_INVALID,
              "did you mean 'pixel_values'?");
    KIT_FAILS(bp_session_find_output(kit.session, "logit", &i, &kit.err), BP_E_INVALID,
              "did you mean 'logits'?");
}
END_TEST

START_TEST(run_gives_the_same_output_twice)
{
    float x[] = {-1, 2, -3, 4}, y[4];
    int64_t dims[2];
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 1, 4);
    bp_binding out[3] = {kit_wanted(0),
                         {.tensor = {.base = y, .bytes = sizeof y, .dims = dims, .rank = 2}},
                         kit_wanted(0)};

    kit_small_model();
    kit_session();
    kit_run(&in, 1, out, 3);
    for (int i = 0; i < 3; i++)
        KIT_FLOATS(&out[i].tensor, 0, -4, 0, -8);
    ck_assert_ptr_ne(out[0].tensor.base, out[2].tensor.base);
    bp_tensor_free(&out[0].tensor);
    bp_tensor_free(&out[2].tensor);
}
END_TEST

START_TEST(run_gives_inputs_and_initializers_as_outputs)
{
    static const float w[] = {5, 6};
    float x[] = {-1, 2, -3};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 3);
    bp_binding out[3] = {kit_wanted(0), kit_wanted(1), kit_wanted(2)};

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N");
    kit_floats("w", PW_DIMS(2), 2, w);
    kit_node("relu", "Relu", "x", "y");
    kit_io(KIT_OUTPUT, "x", BP_DTYPE_F32, "N");
    kit_io(KIT_OUTPUT, "w", BP_DTYPE_F32, "2");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "N");
    kit_session();
    for (int round = 0; round < 2; round++) {
        kit_run(&in, 1, out, 3);
        KIT_FLOATS(&out[0].tensor, -1, 2, -3);
        KIT_FLOATS(&out[1].tensor, 5, 6);
        KIT_FLOATS(&out[2].tensor, 0, 2, 0);
        ck_assert_ptr_ne(out[0].tensor.base, x);
        for (int i = 0; i < 3; i++)
            bp_tensor_free(&out[i].tensor);
    }
}
END_TEST

START_TEST(run_computes_some_outputs_or_none)
{
    float x[] = {-1, 2};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 2), out = kit_wanted(1);

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N");
    kit_node("relu", "Relu", "x", "y");
    kit_node("neg", "Neg", "y", "z");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "N");
    kit_io(KIT_OUTPUT, "z", BP_DTYPE_F32, "N");
    kit_session();
    kit_run(&in, 1, &out, 1);
    KIT_FLOATS(&out.tensor, 0, -2);
    bp_tensor_free(&out.tensor);
    kit_run(&in, 1, NULL, 0);
}
END_TEST

/* ---- shapes ---------------------------------------------------------------------------------- */

START_TEST(session_accepts_any_batch_size)
{
    kit_small_model();
    kit_provider("few", BP_FALLBACK_REQUIRE);
    kit_session();
    for (uint32_t n = 1; n < 6; n++)
        kit_check_small(n);
    kit_check_small(1000);
    kit_check_small(2);
    ck_assert_uint_eq(stats().idle_frames, 1);
}
END_TEST

START_TEST(session_drops_the_plan_of_the_oldest_shapes)
{
    struct mock_counters *counters = kit_counters("few");
    uint32_t before = atomic_load(&counters->executes);

    kit_small_model();
    kit_provider("few", BP_FALLBACK_REQUIRE);
    bp_session_options_set_max_shapes(kit.options, 6);
    kit_session();
    for (int round = 0; round < 3; round++) {
        for (uint32_t n = 1; n <= 20; n++)
            kit_check_small(n);
    }
    ck_assert_uint_eq(atomic_load(&counters->programs), 2);
    ck_assert_uint_eq(atomic_load(&counters->frames), 2 * 6);
    ck_assert_uint_eq(atomic_load(&counters->executes) - before, 3 * 20 * 2);
}
END_TEST

/* Of sizes in turn every eighth is kept, and the rest once some of them are found again. */
START_TEST(session_comes_to_know_all_sizes_that_return)
{
    struct mock_counters *counters = kit_counters("few");
    uint32_t frames;

    kit_small_model();
    kit_provider("few", BP_FALLBACK_REQUIRE);
    kit_session();
    for (int round = 0; round < 20; round++) {
        for (uint32_t n = 1; n <= 24; n++)
            kit_check_small(n);
    }
    frames = atomic_load(&counters->made_frames);
    for (uint32_t n = 24; n > 0; n--)
        kit_check_small(n);
    ck_assert_uint_eq(atomic_load(&counters->made_frames), frames);
    ck_assert_uint_eq(atomic_load(&counters->frames), 2 * 24);
}
END_TEST

/* Values of one run at a time are there, so the largest sizes say how much memory is needed. */
START_TEST(session_needs_no_more_memory_for_many_sizes_than_for_the_largest)
{
    uint64_t bytes;

    kit_small_model();
    kit_provider("few", BP_FALLBACK_REQUIRE);
    kit_session();
    kit_check_small(1000);
    bytes = stats().idle_bytes;
    for (uint32_t n = 1; n <= 30; n++)
        kit_check_small(n * 30);
    ck_assert_uint_eq(stats().idle_bytes, bytes);
    kit_check_small(2000);
    ck_assert_uint_le(stats().idle_bytes, 2 * bytes + bytes / 2 + 1024);
}
END_TEST

/* Memory of a large run goes once no plan is left that needs it. */
START_TEST(session_gives_back_the_memory_of_sizes_that_are_forgotten)
{
    uint64_t bytes;

    kit_small_model();
    kit_provider("few", BP_FALLBACK_REQUIRE);
    bp_session_options_set_max_shapes(kit.options, 4);
    kit_session();
    kit_check_small(5000);
    bytes = stats().idle_bytes;
    for (uint32_t n = 1; n <= 4; n++)
        kit_check_small(n);
    ck_assert_uint_lt(stats().idle_bytes, bytes / 4);
    kit_check_small(5000);
    ck_assert_uint_ge(stats().idle_bytes, bytes);
}
END_TEST

START_TEST(session_reuses_the_plan_of_known_shapes)
{
    uint64_t bytes;

    kit_small_model();
    kit_session();
    for (uint32_t n = 1; n <= 8; n++)
        kit_check_small(n);
    bytes = stats().idle_bytes;
    for (uint32_t n = 8; n > 0; n--)
        kit_check_small(n);
    ck_assert_uint_eq(stats().idle_bytes, bytes);
}
END_TEST

START_TEST(session_runs_an_empty_batch)
{
    kit_small_model();
    kit_provider("few", BP_FALLBACK_REQUIRE);
    kit_session();
    kit_check_small(0);
    kit_check_small(3);
    kit_check_small(0);
}
END_TEST

START_TEST(run_accepts_an_empty_feed_without_data)
{
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, NULL, 0, 4), out = kit_wanted(0);

    kit_small_model();
    kit_session();
    kit_run(&in, 1, &out, 1);
    KIT_DIMS(&out.tensor, 0, 4);
    bp_tensor_free(&out.tensor);
}
END_TEST

START_TEST(run_warns_of_a_shape_that_contradicts_the_model)
{
    float x[10] = {1};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 2, 5), out = kit_wanted(0);

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N,M");
    kit_node("relu", "Relu", "x", "r");
    kit_io(KIT_VALUE_INFO, "r", BP_DTYPE_F32, "K,4");
    kit_node("neg", "Neg", "r", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "N,M");
    kit_session();
    kit_run(&in, 1, &out, 1);
    KIT_DIMS(&out.tensor, 2, 5);
    bp_tensor_free(&out.tensor);
    ck_assert_uint_eq(
        kit_lines_with(BP_LOG_WARN, "value 'r' is float32[2,5], but the model declares it as "), 1);
}
END_TEST

START_TEST(session_follows_shape_values_through_the_graph)
{
    float x[] = {1, 2, 3, 4, 5, 6};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 2, 3), out = kit_wanted(0);

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N,3");
    kit_ints("zero", PW_DIMS(1), 1, (int64_t[]){0});
    kit_ints("rest", PW_DIMS(2), 2, (int64_t[]){1, -1});
    kit_node("shape", "Shape", "x", "s");
    kit_node("gather", "Gather", "s zero", "n");
    kit_open_node("concat", "Concat", "n rest", "to");
    kit_int_attr("axis", 0);
    pw_close(&kit.w);
    kit_node("reshape", "Reshape", "x to", "r");
    kit_node("relu", "Relu", "r", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    kit_session();
    kit_run(&in, 1, &out, 1);
    KIT_DIMS(&out.tensor, 2, 1, 3);
    KIT_FLOATS(&out.tensor, 1, 2, 3, 4, 5, 6);
    bp_tensor_free(&out.tensor);
    in = KIT_TENSOR(0, BP_DTYPE_F32, x, 1, 3);
    kit_run(&in, 1, &out, 1);
    KIT_DIMS(&out.tensor, 1, 1, 3);
    bp_tensor_free(&out.tensor);
}
END_TEST

static void reshape_model(const char *shape)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "6");
    kit_io(KIT_INPUT, "to", BP_DTYPE_I64, shape);
    kit_node("reshape", "Reshape", "x to", "r");
    kit_node("relu", "Relu", "r", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    kit_provider("few", BP_FALLBACK_SILENT);
    kit_session();
}

START_TEST(run_accepts_a_shape_as_a_feed)
{
    static const int64_t shapes[][3] = {{2, 3, 1}, {3, 2, 1}, {1, 1, 6}, {2, -1, 3}, {2, 3, 1}};
    static const int64_t wants[][3] = {{2, 3, 1}, {3, 2, 1}, {1, 1, 6}, {2, 1, 3}, {2, 3, 1}};
    float x[] = {1, 2, 3, 4, 5, 6};

    reshape_model("3");
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        bp_binding in[2] = {KIT_TENSOR(0, BP_DTYPE_F32, x, 6),
                            KIT_TENSOR(1, BP_DTYPE_I64, shapes[i], 3)};
        bp_binding out = kit_wanted(0);

        kit_run(in, 2, &out, 1);
        kit_check_dims(&out.tensor, 3, wants[i]);
        KIT_FLOATS(&out.tensor, 1, 2, 3, 4, 5, 6);
        bp_tensor_free(&out.tensor);
    }
}
END_TEST

START_TEST(run_accepts_a_fed_shape_of_any_rank)
{
    static const int64_t to[4] = {1, 2, 3, 1};
    float x[] = {1, 2, 3, 4, 5, 6};

    reshape_model("K");
    for (int64_t k = 4; k >= 3; k--) {
        bp_binding in[2] = {KIT_TENSOR(0, BP_DTYPE_F32, x, 6), KIT_TENSOR(1, BP_DTYPE_I64, to, k)};
        bp_binding out = kit_wanted(0);

        kit_run(in, 2, &out, 1);
        kit_check_dims(&out.tensor, (uint32_t)k, to);
        KIT_FLOATS(&out.tensor, 1, 2, 3, 4, 5, 6);
        bp_tensor_free(&out.tensor);
    }
}
END_TEST

START_TEST(run_rejects_a_fed_shape_that_does_not_fit)
{
    static const int64_t to[3] = {4, 2, 1};
    float x[6] = {0};
    bp_binding in[2] = {KIT_TENSOR(0, BP_DTYPE_F32, x, 6), KIT_TENSOR(1, BP_DTYPE_I64, to, 3)};
    bp_binding out = kit_wanted(0);

    reshape_model("3");
    ck_assert_int_lt(run(in, 2, &out, 1), 0);
    ck_assert_msg(strstr(kit.text, "'reshape'") != NULL, "%s", kit.text);
}
END_TEST

/* Reshapes x to |to|, which is computed: rank and sizes come with the data. */
static void data_model(void)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "6");
    kit_io(KIT_INPUT, "to", BP_DTYPE_I64, "K");
    kit_node("first", "Relu", "x", "f");
    kit_node("abs", "Abs", "to", "shape");
    kit_node("reshape", "Reshape", "f shape", "r");
    kit_node("add", "Add", "r r", "d");
    kit_node("neg", "Neg", "d", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    kit_io(KIT_OUTPUT, "r", BP_DTYPE_F32, NULL);
    kit_provider("few", BP_FALLBACK_SILENT);
    kit_session();
}

START_TEST(run_continues_after_a_data_dependent_size)
{
    static const int64_t tos[][3] = {{-2, 3}, {6}, {3, -2}, {1, 2, 3}, {-2, 3}};
    static const uint32_t ranks[] = {2, 1, 2, 3, 2};
    float x[] = {1, -2, 3, -4, 5, 6};

    data_model();
    for (int i = 0; i < 10; i++) {
        const int64_t *to = tos[i % 5];
        bp_binding in[2] = {KIT_TENSOR(0, BP_DTYPE_F32, x, 6),
                            KIT_TENSOR(1, BP_DTYPE_I64, to, ranks[i % 5])};
        bp_binding out[2] = {kit_wanted(0), kit_wanted(1)};

        kit_run(in, 2, out, 2);
        for (int k = 0; k < 2; k++) {
            ck_assert_uint_eq(out[k].tensor.rank, ranks[i % 5]);
            for (uint32_t d = 0; d < ranks[i % 5]; d++)
                ck_assert_int_eq(out[k].tensor.dims[d], to[d] < 0 ? -to[d] : to[d]);
        }
        KIT_FLOATS(&out[0].tensor, -2, 0, -6, 0, -10, -12);
        KIT_FLOATS(&out[1].tensor, 1, 0, 3, 0, 5, 6);
        bp_tensor_free(&out[0].tensor);
        bp_tensor_free(&out[1].tensor);
    }
}
END_TEST

START_TEST(output_of_run_time_size_over_the_callers_buffer_is_an_error)
{
    static const int64_t to[2] = {-2, 3};
    float x[] = {1, -2, 3, -4, 5, 6}, y[6];
    int64_t dims[2];
    bp_binding in[2] = {KIT_TENSOR(0, BP_DTYPE_F32, x, 6), KIT_TENSOR(1, BP_DTYPE_I64, to, 2)};
    bp_binding out = {.tensor = {.base = y, .bytes = 20, .dims = dims, .rank = 2}};

    data_model();
    KIT_FAILS(run(in, 2, &out, 1), BP_E_SPACE, "'y'", "24 bytes", "20");
    out.tensor.bytes = 24;
    kit_run(in, 2, &out, 1);
    ck_assert_ptr_eq(out.tensor.base, y);
    KIT_DIMS(&out.tensor, 2, 3);
    KIT_FLOATS(&out.tensor, -2, 0, -6, 0, -10, -12);
}
END_TEST

START_TEST(run_rejects_a_computed_shape_that_does_not_fit)
{
    static const int64_t tos[][2] = {{4, 2}, {INT64_MAX, INT64_MAX}, {INT64_MIN, 1}, {0, 0}};
    float x[6] = {0};

    data_model();
    for (int i = 0; i < 4; i++) {
        bp_binding in[2] = {KIT_TENSOR(0, BP_DTYPE_F32, x, 6),
                            KIT_TENSOR(1, BP_DTYPE_I64, tos[i], 2)};
        bp_binding out = kit_wanted(0);

        ck_assert_int_lt(run(in, 2, &out, 1), 0);
        ck_assert_msg(strstr(kit.text, "'reshape'") != NULL, "%s", kit.text);
    }
}
END_TEST

START_TEST(session_follows_shape_values_across_stages)
{
    static const int64_t to[2] = {-3, 2};
    float x[] = {1, -2, 3, -4, 5, 6};
    bp_binding in[2] = {KIT_TENSOR(0, BP_DTYPE_F32, x, 2, 3), KIT_TENSOR(1, BP_DTYPE_I64, to, 2)};
    bp_binding out = kit_wanted(0);

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N,M");
    kit_io(KIT_INPUT, "to", BP_DTYPE_I64, "2");
    kit_ints("zero", PW_DIMS(1), 1, (int64_t[]){0});
    kit_node("shape", "Shape", "x", "s"); /* followed from here, */
    kit_node("abs", "Abs", "to", "a");
    kit_node("late", "Reshape", "x a", "r"); /* while this is a stage later */
    kit_node("shape2", "Shape", "r", "s2");
    kit_node("gather", "Gather", "s zero", "g");
    kit_node("gather2", "Gather", "s2 zero", "g2");
    kit_open_node("concat", "Concat", "g2 g", "to2");
    kit_int_attr("axis", 0);
    pw_close(&kit.w);
    kit_node("reshape", "Reshape", "r to2", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    kit_session();
    kit_run(in, 2, &out, 1);
    KIT_DIMS(&out.tensor, 3, 2);
    KIT_FLOATS(&out.tensor, 1, -2, 3, -4, 5, 6);
    bp_tensor_free(&out.tensor);
}
END_TEST

START_TEST(fed_shape_does_not_split_the_group_after_it)
{
    static const int64_t to[2] = {2, 3};
    float x[] = {1, -2, 3, -4, 5, 6};
    bp_binding in[2] = {KIT_TENSOR(0, BP_DTYPE_F32, x, 6), KIT_TENSOR(1, BP_DTYPE_I64, to, 2)};
    bp_binding out = kit_wanted(0);

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "6");
    kit_io(KIT_INPUT, "to", BP_DTYPE_I64, "2");
    kit_node("reshape", "Reshape", "x to", "r");
    kit_node("relu", "Relu", "r", "a");
    kit_node("add", "Add", "a a", "b");
    kit_node("relu2", "Relu", "b", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    kit_session();
    ck_assert_uint_eq(stats().n_groups, 1);
    kit_run(in, 2, &out, 1);
    KIT_DIMS(&out.tensor, 2, 3);
    KIT_FLOATS(&out.tensor, 2, 0, 6, 0, 10, 12);
    bp_tensor_free(&out.tensor);
}
END_TEST

/* ---- defaults -------------------------------------------------------------------------------- */

static void default_model(void)
{
    static const float w[] = {10, 20, 30};

    kit_io(KIT_INPUT, "w", BP_DTYPE_F32, "3");
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "3");
    kit_floats("w", PW_DIMS(3), 3, w);
    kit_node("add", "Add", "x w", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "3");
    kit_io(KIT_OUTPUT, "w", BP_DTYPE_F32, "3");
}

START_TEST(default_applies_until_it_is_fed)
{
    float x[] = {1, 2, 3}, other[] = {-1, -2, -3};
    bp_binding in[2] = {KIT_TENSOR(0, BP_DTYPE_F32, x, 3), KIT_TENSOR(1, BP_DTYPE_F32, other, 3)};
    bp_binding out[2] = {kit_wanted(0), kit_wanted(1)};
    bp_io_info info = {.struct_size = sizeof info};

    default_model();
    kit_provider("few", BP_FALLBACK_REQUIRE);
    kit_session();
    KIT_OK(bp_session_input(kit.session, 0, &info, &kit.err));
    ck_assert_str_eq(info.name, "x"); /* those that must be fed come first */
    ck_assert_uint_eq(info.flags, 0);
    KIT_OK(bp_session_input(kit.session, 1, &info, &kit.err));
    ck_assert_str_eq(info.name, "w");
    ck_assert_uint_eq(info.flags, BP_IO_OPTIONAL);
    for (int round = 0; round < 3; round++) {
        kit_run(in, 1, out, 2);
        KIT_FLOATS(&out[0].tensor, 11, 22, 33);
        KIT_FLOATS(&out[1].tensor, 10, 20, 30);
        bp_tensor_free(&out[0].tensor);
        bp_tensor_free(&out[1].tensor);
        kit_run(in, 2, out, 2);
        KIT_FLOATS(&out[0].tensor, 0, 0, 0);
        KIT_FLOATS(&out[1].tensor, -1, -2, -3);
        bp_tensor_free(&out[0].tensor);
        bp_tensor_free(&out[1].tensor);
    }
    KIT_FAILS(run(in + 1, 1, out, 2), BP_E_INVALID, "'x'"); /* x is still missing */
}
END_TEST

START_TEST(fed_default_is_checked_like_any_feed)
{
    float x[] = {1, 2, 3, 4};
    bp_binding in[2] = {KIT_TENSOR(0, BP_DTYPE_F32, x, 3), KIT_TENSOR(1, BP_DTYPE_F32, x, 4)};
    bp_binding out = kit_wanted(0);

    default_model();
    kit_session();
    KIT_FAILS(run(in, 2, &out, 1), BP_E_SHAPE, "'w'", "3", "4");
}
END_TEST

static TCase *make_case(const char *name)
{
    TCase *tcase = tcase_create(name);

    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, kit_setup, kit_teardown);
    return tcase;
}

/* ---- threads and a log of a session's own -------------------------------------------------------- */

static struct {
    int created, joined;
    bool fails;
    uint32_t n_lines;
    char line[256];
    pthread_t thread;
    bp_worker_fn worker;
    void *arg;
} own;

static void *own_main(void *unused)
{
    (void)unused;
    own.worker(own.arg);
    return NULL;
}

static bp_rc own_create(void *user, bp_worker_fn worker, void *arg, void **thread, bp_err *err)
{
    (void)user;
    (void)thread;
    if (own.fails)
        return bp_fail(err, BP_E_BUSY, "no thread today");
    own.created++;
    own.worker = worker;
    own.arg = arg;
    ck_assert_int_eq(pthread_create(&own.thread, NULL, own_main, NULL), 0);
    return BP_OK;
}

static void own_join(void *user, void *thread)
{
    (void)user;
    ck_assert_ptr_null(thread); /* none was given */
    own.joined++;
    pthread_join(own.thread, NULL);
}

static void own_log(void *user, uint32_t level, const char *domain, const char *text)
{
    (void)domain;
    ck_assert_ptr_eq(user, &own);
    ck_assert_uint_le(level, BP_LOG_WARN);
    own.n_lines++;
    snprintf(own.line, sizeof own.line, "%s", text);
}

static void ask_for_own(void)
{
    bp_worker_config config = {
        .struct_size = sizeof config, .create = own_create, .join = own_join};

    memset(&own, 0, sizeof own);
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_set_workers(kit.options, &config, &kit.err));
    bp_session_options_set_threads(kit.options, 2);
    bp_session_options_set_log(kit.options, own_log, &own, 0);
    KIT_OK(bp_session_options_add_placement(kit.options, "nobody=cpu", &kit.err));
}

START_TEST(session_has_its_own_threads_and_log)
{
    float x[] = {-1, 2, -3, 4}, y[4];
    int64_t dims[2] = {0};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 1, 4);
    bp_binding out = {.tensor = {.base = y, .bytes = sizeof y, .dims = dims, .rank = 2}};

    ask_for_own();
    kit_small_model();
    kit_session();
    ck_assert_int_eq(own.created, 1);
    ck_assert_uint_eq(own.n_lines, 1);
    ck_assert_msg(strstr(own.line, "nobody=cpu") != NULL, "%s", own.line);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "nobody=cpu"), 0);
    kit_run(&in, 1, &out, 1);
    KIT_FLOATS(&out.tensor, 0, -4, 0, -8);
    KIT_OK(bp_session_set_providers(kit.session, NULL, &kit.err)); /* of other options: they stay */
    kit_run(&in, 1, &out, 1);
    KIT_FLOATS(&out.tensor, 0, -4, 0, -8);
    ck_assert_int_eq(own.created, 1);
    ck_assert_int_eq(own.joined, 0);
    bp_session_destroy(kit.session);
    kit.session = NULL;
    ck_assert_int_eq(own.joined, 1);
}
END_TEST

static void count_of_few(void *user, uint32_t level, const char *domain, const char *text)
{
    uint32_t *n = user;

    (void)level;
    (void)text;
    *n += strcmp(domain, "few") == 0;
}

/* Lines that a provider logs itself, from any thread. */
START_TEST(provider_log_lines_go_to_the_log_of_their_session)
{
    uint32_t n = 0;

    kit_provider("few", BP_FALLBACK_REQUIRE);
    bp_session_options_set_log(kit.options, count_of_few, &n, BP_LOG_DEBUG);
    kit_small_model();
    kit_session();
    ck_assert_uint_gt(n, 0);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_DEBUG, "few:"), 0);
    bp_session_options_set_log(kit.options, NULL, NULL, 0);
    n = 0;
    kit_session();
    ck_assert_uint_eq(n, 0);
    ck_assert_uint_gt(kit_lines_with(BP_LOG_DEBUG, "few:"), 0);
}
END_TEST

START_TEST(session_creation_fails_without_its_threads)
{
    ask_for_own();
    own.fails = true;
    kit_small_model();
    KIT_FAILS(
        bp_session_create_from_model(kit.env, kit_model(), kit.options, &kit.session, &kit.err),
        BP_E_BUSY, "no thread today");
    ck_assert_ptr_null(kit.session);
    ck_assert_int_eq(own.joined, 0);
    KIT_OK(
        bp_session_options_set_workers(kit.options, NULL, &kit.err)); /* the environment's again */
    kit_session();
}
END_TEST

int main(void)
{
    TCase *io = make_case("io"), *shapes = make_case("shapes");
    TCase *const cases[] = {io, shapes};

    tcase_add_test(io, run_writes_into_the_callers_buffers);
    tcase_add_test(io, run_allocates_outputs_without_a_buffer);
    tcase_add_test(io, run_applies_byte_offsets_of_feeds_and_outputs);
    tcase_add_test(io, run_rejects_an_output_buffer_that_is_too_small);
    tcase_add_test(io, failed_run_leaves_no_output_allocated);
    tcase_add_test(io, run_rejects_wrong_feeds_with_a_message);
    tcase_add_test(io, run_rejects_feeds_whose_named_dimensions_differ);
    tcase_add_test(io, run_names_all_missing_feeds_at_once);
    tcase_add_test(io, session_finds_inputs_and_outputs_by_name);
    tcase_add_test(io, session_suggests_the_nearest_name);
    tcase_add_test(io, run_gives_the_same_output_twice);
    tcase_add_test(io, run_gives_inputs_and_initializers_as_outputs);
    tcase_add_test(io, run_computes_some_outputs_or_none);
    tcase_add_test(shapes, session_accepts_any_batch_size);
    tcase_add_test(shapes, session_drops_the_plan_of_the_oldest_shapes);
    tcase_add_test(shapes, session_comes_to_know_all_sizes_that_return);
    tcase_add_test(shapes, session_needs_no_more_memory_for_many_sizes_than_for_the_largest);
    tcase_add_test(shapes, session_gives_back_the_memory_of_sizes_that_are_forgotten);
    tcase_add_test(shapes, session_reuses_the_plan_of_known_shapes);
    tcase_add_test(shapes, session_runs_an_empty_batch);
    tcase_add_test(shapes, run_accepts_an_empty_feed_without_data);
    tcase_add_test(shapes, run_warns_of_a_shape_that_contradicts_the_model);
    tcase_add_test(shapes, session_follows_shape_values_through_the_graph);
    tcase_add_test(shapes, run_accepts_a_shape_as_a_feed);
    tcase_add_test(shapes, run_accepts_a_fed_shape_of_any_rank);
    tcase_add_test(shapes, run_rejects_a_fed_shape_that_does_not_fit);
    tcase_add_test(shapes, run_continues_after_a_data_dependent_size);
    tcase_add_test(shapes, output_of_run_time_size_over_the_callers_buffer_is_an_error);
    tcase_add_test(shapes, run_rejects_a_computed_shape_that_does_not_fit);
    tcase_add_test(shapes, session_follows_shape_values_across_stages);
    tcase_add_test(shapes, fed_shape_does_not_split_the_group_after_it);
    tcase_add_test(shapes, default_applies_until_it_is_fed);
    tcase_add_test(shapes, fed_default_is_checked_like_any_feed);
    tcase_add_test(io, session_has_its_own_threads_and_log);
    tcase_add_test(io, provider_log_lines_go_to_the_log_of_their_session);
    tcase_add_test(io, session_creation_fails_without_its_threads);
    return kit_main("session", cases, 2);
}
