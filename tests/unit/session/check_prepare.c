/* SPDX-License-Identifier: MIT */
/* check_prepare.c - sessions that are prepared for shapes, and the shapes of their outputs. */

#include "config.h"

#include <check.h>

#include "support/session_kit.h"

/* A feed of which only the shape counts. */
static bp_binding shape(uint32_t index, uint32_t rank, int64_t *dims)
{
    bp_binding binding = {.index = index};

    binding.tensor.rank = rank;
    binding.tensor.dims = dims;
    return binding;
}

#define SHAPE(index, ...)                                                                          \
    shape(index, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (int64_t[]){__VA_ARGS__})

static bp_session_stats stats(void)
{
    bp_session_stats own = {.struct_size = sizeof own};

    KIT_OK(bp_session_get_stats(kit.session, &own, &kit.err));
    return own;
}

static struct mock_counters *small_session(void)
{
    kit_small_model();
    kit_provider("few", BP_FALLBACK_REQUIRE);
    kit_session();
    return kit_counters("few");
}

START_TEST(first_run_of_prepared_shapes_prepares_nothing)
{
    struct mock_counters *counters = small_session();
    bp_binding three = SHAPE(0, 3, 4), nine = SHAPE(0, 9, 4);
    bp_run_shapes sets[] = {{.inputs = &three, .n_inputs = 1}, {.inputs = &nine, .n_inputs = 1}};
    uint32_t executes = atomic_load(&counters->executes), frames;

    KIT_OK(bp_session_prepare(kit.session, sets, 2, NULL, &kit.err));
    ck_assert_uint_eq(atomic_load(&counters->executes), executes);
    ck_assert_uint_eq(stats().runs, 0);
    ck_assert_uint_eq(stats().idle_frames, 1);
    ck_assert_uint_ge(stats().held_bytes, 9 * 16); /* the memory is there, too */
    frames = atomic_load(&counters->made_frames);
    kit_check_small(3);
    kit_check_small(9);
    ck_assert_uint_eq(atomic_load(&counters->made_frames), frames);
    kit_check_small(5);
    ck_assert_uint_gt(atomic_load(&counters->made_frames), frames);
}
END_TEST

START_TEST(session_is_prepared_for_several_runs_at_once)
{
    bp_prepare_options options = {.struct_size = sizeof options, .n_runs = 3};
    bp_binding three = SHAPE(0, 3, 4);
    bp_run_shapes set = {.inputs = &three, .n_inputs = 1};

    small_session();
    KIT_OK(bp_session_prepare(kit.session, &set, 1, &options, &kit.err));
    ck_assert_uint_eq(stats().idle_frames, 3);
    ck_assert_uint_eq(options.n_unprepared, 0);
    options.n_runs = 1000;
    KIT_FAILS(bp_session_prepare(kit.session, &set, 1, &options, &kit.err), BP_E_INVALID,
              "1000 runs at once");
}
END_TEST

/* A provider with a limit of frames gets as many as it takes, and the call does not wait. */
START_TEST(limit_of_frames_is_kept)
{
    bp_prepare_options options = {.struct_size = sizeof options, .n_runs = 100};
    bp_binding three = SHAPE(0, 3, 4);
    bp_run_shapes set = {.inputs = &three, .n_inputs = 1};

    kit_small_model();
    kit_provider_with("picky", "keep", "0");
    kit_session();
    KIT_OK(bp_session_prepare(kit.session, &set, 1, &options, &kit.err));
    ck_assert_uint_gt(stats().idle_frames, 0);
    kit_check_small(3);
}
END_TEST

static uint32_t n_calls;
static double last;

static void note(void *user, const char *phase, double fraction)
{
    ck_assert_ptr_eq(user, &n_calls);
    ck_assert_str_eq(phase, "prepare");
    ck_assert(fraction > last && fraction <= 1);
    last = fraction;
    n_calls++;
}

START_TEST(preparing_shows_progress_and_can_be_stopped)
{
    static const volatile uint32_t cancel = 1;
    bp_binding three = SHAPE(0, 3, 4), nine = SHAPE(0, 9, 4);
    bp_run_shapes sets[] = {{.inputs = &three, .n_inputs = 1}, {.inputs = &nine, .n_inputs = 1}};
    bp_prepare_options options = {
        .struct_size = sizeof options, .progress = note, .progress_user = &n_calls};

    small_session();
    KIT_OK(bp_session_prepare(kit.session, sets, 2, &options, &kit.err));
    ck_assert_uint_eq(n_calls, 2);
    ck_assert(last == 1);
    options = (bp_prepare_options){.struct_size = sizeof options, .cancel = &cancel};
    KIT_FAILS(bp_session_prepare(kit.session, sets, 2, &options, &kit.err), BP_E_CANCELLED,
              "set 0");
    options = (bp_prepare_options){.struct_size = sizeof options, .deadline_ns = 1};
    KIT_FAILS(bp_session_prepare(kit.session, sets, 2, &options, &kit.err), BP_E_TIMEOUT, "set 0");
    kit_check_small(3);
}
END_TEST

START_TEST(wrong_shapes_are_named)
{
    bp_binding row[] = {SHAPE(0, 3, 5), SHAPE(0, 3, 4), SHAPE(0, 3, 4), SHAPE(0, -3, 4)};
    bp_run_shapes set = {.inputs = &row[0], .n_inputs = 1};

    small_session();
    KIT_FAILS(bp_session_prepare(kit.session, &set, 1, NULL, &kit.err), BP_E_SHAPE, "set 0",
              "input 'x'", "3x5");
    set = (bp_run_shapes){.inputs = &row[1], .n_inputs = 2};
    KIT_FAILS(bp_session_prepare(kit.session, &set, 1, NULL, &kit.err), BP_E_INVALID, "'x'",
              "given twice");
    set.n_inputs = 0;
    KIT_FAILS(bp_session_prepare(kit.session, &set, 1, NULL, &kit.err), BP_E_INVALID, "'x'");
    set = (bp_run_shapes){.inputs = &row[3], .n_inputs = 1};
    KIT_FAILS(bp_session_prepare(kit.session, &set, 1, NULL, &kit.err), BP_E_INVALID, "negative");
    set = (bp_run_shapes){.inputs = NULL, .n_inputs = 1};
    KIT_FAILS(bp_session_prepare(kit.session, &set, 1, NULL, &kit.err), BP_E_INVALID, "NULL");
    row[1].index = 7;
    set = (bp_run_shapes){.inputs = &row[1], .n_inputs = 1};
    KIT_FAILS(bp_session_prepare(kit.session, &set, 1, NULL, &kit.err), BP_E_INVALID, "no input 7");
    row[1] = SHAPE(0, 3, 4);
    row[1].tensor.dtype = BP_DTYPE_I64;
    KIT_FAILS(bp_session_prepare(kit.session, &set, 1, NULL, &kit.err), BP_E_INVALID, "float32",
              "int64");
    KIT_FAILS(bp_session_prepare(NULL, &set, 1, NULL, &kit.err), BP_E_INVALID, "session");
    KIT_OK(bp_session_prepare(kit.session, NULL, 0, NULL, &kit.err));
    kit_check_small(2);
}
END_TEST

START_TEST(outputs_have_the_shapes_of_a_run)
{
    int64_t dims[4] = {0};
    bp_binding in = SHAPE(0, 7, 4), out = {.index = 0};
    bp_run_shapes set = {.inputs = &in, .n_inputs = 1};

    small_session();
    out.tensor.dims = dims;
    out.tensor.rank = 4;
    KIT_OK(bp_session_output_shapes(kit.session, &set, &out, 1, &kit.err));
    ck_assert_uint_eq(out.tensor.rank, 2);
    ck_assert_int_eq(dims[0], 7);
    ck_assert_int_eq(dims[1], 4);
    ck_assert_uint_eq(out.tensor.dtype, BP_DTYPE_F32);
    ck_assert_uint_eq(out.tensor.bytes, 7 * 4 * sizeof(float));
    out.tensor.rank = 1;
    KIT_FAILS(bp_session_output_shapes(kit.session, &set, &out, 1, &kit.err), BP_E_SPACE, "'y'",
              "rank 2", "space for 1");
    ck_assert_uint_eq(out.tensor.rank, 2);
    kit_check_small(7);
}
END_TEST

/* Where sizes come with data there is nothing to tell, and what follows from them is not prepared. */
START_TEST(sizes_that_come_with_data_are_unknown)
{
    int64_t dims[2][4] = {{0}};
    bp_binding in = SHAPE(0, 6), out[2] = {{.index = 0}, {.index = 1}};
    bp_run_shapes set = {.inputs = &in, .n_inputs = 1};

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N");
    kit_node("relu", "Relu", "x", "r");
    kit_node("nonzero", "NonZero", "r", "y");
    kit_io(KIT_OUTPUT, "r", BP_DTYPE_F32, "N");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_I64, NULL);
    kit_session();
    for (int i = 0; i < 2; i++) {
        out[i].tensor.dims = dims[i];
        out[i].tensor.rank = 4;
    }
    KIT_OK(bp_session_output_shapes(kit.session, &set, out, 2, &kit.err));
    ck_assert_uint_eq(out[0].tensor.rank, 1);
    ck_assert_int_eq(dims[0][0], 6);
    ck_assert_uint_eq(out[1].tensor.rank, BP_RANK_UNKNOWN);
    ck_assert_uint_eq(out[1].tensor.bytes, 0);
    ck_assert_uint_eq(out[1].tensor.dtype, BP_DTYPE_I64);
}
END_TEST

START_TEST(shapes_that_a_feed_says_are_left_to_the_run)
{
    bp_prepare_options options = {.struct_size = sizeof options};
    bp_binding in[] = {SHAPE(0, 2, 3), SHAPE(1, 1)};
    bp_run_shapes set = {.inputs = in, .n_inputs = 2};
    const float x[6] = {1, 2, 3, 4, 5, 6};
    const int64_t to[1] = {6};
    bp_binding feeds[] = {KIT_TENSOR(0, BP_DTYPE_F32, x, 2, 3), KIT_TENSOR(1, BP_DTYPE_I64, to, 1)};
    bp_binding out = kit_wanted(0);

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N,3");
    kit_io(KIT_INPUT, "to", BP_DTYPE_I64, "1");
    kit_node("reshape", "Reshape", "x to", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    kit_session();
    KIT_OK(bp_session_prepare(kit.session, &set, 1, &options, &kit.err));
    ck_assert_uint_gt(options.n_unprepared, 0);
    kit_run(feeds, 2, &out, 1);
    KIT_DIMS(&out.tensor, 6);
    bp_tensor_free(&out.tensor);
}
END_TEST

/* ---- in creation ----------------------------------------------------------------------------- */

/* The small model with the provider "few", for sessions that are prepared as they are made. */
static void small_options(void)
{
    kit_small_model();
    kit_provider("few", BP_FALLBACK_REQUIRE);
}

static void add_shape(const char *name, int64_t rows, int64_t columns)
{
    bp_named_shape x = {.name = name, .dims = (int64_t[]){rows, columns}, .rank = 2};

    KIT_OK(bp_session_options_add_shapes(kit.options, &x, 1, &kit.err));
}

START_TEST(session_is_created_prepared)
{
    uint32_t frames;

    small_options();
    add_shape("x", 3, 4);
    add_shape("x", 9, -1); /* the model says 4 */
    kit_session();
    ck_assert_uint_eq(stats().runs, 0);
    ck_assert_uint_eq(stats().idle_frames, 1);
    ck_assert_uint_ge(stats().held_bytes, 9 * 16);
    frames = atomic_load(&kit_counters("few")->made_frames);
    kit_check_small(3);
    kit_check_small(9);
    ck_assert_uint_eq(atomic_load(&kit_counters("few")->made_frames), frames);
    kit_check_small(5);
    ck_assert_uint_gt(atomic_load(&kit_counters("few")->made_frames), frames);
}
END_TEST

START_TEST(sizes_that_are_fixed_need_no_shapes)
{
    bp_prepare_options prepare = {.struct_size = sizeof prepare, .n_runs = 2};
    uint32_t frames;

    small_options();
    KIT_OK(bp_session_options_set_dimension(kit.options, "N", 3, &kit.err));
    KIT_OK(bp_session_options_add_shapes(kit.options, NULL, 0, &kit.err));
    KIT_OK(bp_session_options_set_prepare(kit.options, &prepare, &kit.err));
    kit_session();
    ck_assert_uint_eq(stats().idle_frames, 2);
    frames = atomic_load(&kit_counters("few")->made_frames);
    kit_check_small(3);
    ck_assert_uint_eq(atomic_load(&kit_counters("few")->made_frames), frames);
}
END_TEST

START_TEST(new_providers_are_prepared_too)
{
    bp_session *session;
    uint32_t frames;

    small_options();
    session = kit_session();
    add_shape("x", 3, 4);
    KIT_OK(bp_session_set_providers(session, kit.options, &kit.err));
    frames = atomic_load(&kit_counters("few")->made_frames);
    kit_check_small(3);
    ck_assert_uint_eq(atomic_load(&kit_counters("few")->made_frames), frames);
    add_shape("x", 3, 5);
    KIT_FAILS(bp_session_set_providers(session, kit.options, &kit.err), BP_E_SHAPE, "set 1", "3x5");
    frames = atomic_load(&kit_counters("few")->made_frames);
    kit_check_small(3); /* as it was */
    ck_assert_uint_eq(atomic_load(&kit_counters("few")->made_frames), frames);
}
END_TEST

static void note_whole(void *user, const char *phase, double fraction)
{
    char *phases = user;

    ck_assert(fraction >= last && fraction <= 1);
    ck_assert_msg((strcmp(phase, "ready") == 0) == (fraction == 1), "%s is %g", phase, fraction);
    last = fraction;
    strncat(phases, phase, 199 - strlen(phases));
    strcat(phases, " ");
}

START_TEST(progress_of_creation_has_the_preparation_in_it)
{
    char phases[256] = "";

    small_options();
    add_shape("x", 3, 4);
    add_shape("x", 9, 4);
    last = 0;
    bp_session_options_set_progress(kit.options, note_whole, phases);
    kit_session();
    ck_assert_str_eq(phases, "graph providers compile prepare prepare ready ");
}
END_TEST

static volatile uint32_t stop;

/* Cancels while the first set is prepared; the engine is made by then. */
static void stop_at_prepare(void *user, const char *phase, double fraction)
{
    (void)user;
    (void)fraction;
    stop = strcmp(phase, "prepare") == 0;
}

START_TEST(creation_ends_when_its_preparation_is_stopped)
{
    bp_prepare_options prepare = {.struct_size = sizeof prepare, .cancel = &stop};

    small_options();
    add_shape("x", 3, 4);
    add_shape("x", 9, 4);
    bp_session_options_set_progress(kit.options, stop_at_prepare, NULL);
    KIT_OK(bp_session_options_set_prepare(kit.options, &prepare, &kit.err));
    kit.text[0] = 0;
    KIT_FAILS(kit_try_session(), BP_E_CANCELLED, "preparing the session", "set 1");
    ck_assert_ptr_null(kit.session);
    prepare = (bp_prepare_options){.struct_size = sizeof prepare, .deadline_ns = 1};
    KIT_OK(bp_session_options_set_prepare(kit.options, &prepare, &kit.err));
    KIT_FAILS(kit_try_session(), BP_E_TIMEOUT, "preparing the session", "set 0");
    KIT_OK(bp_session_options_set_prepare(kit.options, NULL, &kit.err));
    kit_session();
    kit_check_small(3);
}
END_TEST

START_TEST(shapes_that_the_model_does_not_take_fail_creation)
{
    small_options();
    KIT_OK(bp_session_options_add_shapes(kit.options, NULL, 0, &kit.err));
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "set 0", "input 'x'", "'N', is open",
              "set_dimension(\"N\")", "add_shapes()");
    bp_session_options_destroy(kit.options);
    kit.options = NULL;
    kit_provider("few", BP_FALLBACK_REQUIRE);
    add_shape("xx", 3, 4);
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "set 0", "no input 'xx'");
    bp_session_options_destroy(kit.options);
    kit.options = NULL;
    kit_provider("few", BP_FALLBACK_REQUIRE);
    add_shape("x", 3, 5);
    KIT_FAILS(kit_try_session(), BP_E_SHAPE, "set 0", "input 'x'", "3x5");
}
END_TEST

START_TEST(shapes_of_inputs_that_are_not_tensors_are_refused)
{
    kit_io_of(KIT_INPUT, "s", BP_KIND_SEQUENCE, 0, BP_DTYPE_F32);
    kit_node("length", "SequenceLength", "s", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_I64, "");
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_add_shapes(kit.options, NULL, 0, &kit.err));
    KIT_FAILS(kit_try_session(), BP_E_UNSUPPORTED, "input 's'", "sequence", "run the session once");
}
END_TEST

START_TEST(shapes_that_suit_no_model_are_refused_at_once)
{
    static const int64_t dims[2] = {3, 4};
    bp_named_shape rows[2] = {{.name = "x", .dims = dims, .rank = 2},
                              {.name = "x", .dims = dims, .rank = 2}};
    bp_prepare_options prepare = {.struct_size = sizeof prepare, .progress = note};

    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_FAILS(bp_session_options_add_shapes(kit.options, rows, 2, &kit.err), BP_E_INVALID, "'x'",
              "twice");
    rows[1].name = NULL;
    KIT_FAILS(bp_session_options_add_shapes(kit.options, rows, 2, &kit.err), BP_E_INVALID,
              "shape 1", "no name");
    rows[0].dims = (int64_t[]){3, -2};
    KIT_FAILS(bp_session_options_add_shapes(kit.options, rows, 1, &kit.err), BP_E_INVALID, "'x'",
              "-2 is not a size");
    rows[0].dims = NULL;
    KIT_FAILS(bp_session_options_add_shapes(kit.options, rows, 1, &kit.err), BP_E_INVALID, "'x'",
              "without dims");
    rows[0].rank = 1000;
    KIT_FAILS(bp_session_options_add_shapes(kit.options, rows, 1, &kit.err), BP_E_INVALID, "1000");
    KIT_FAILS(bp_session_options_add_shapes(kit.options, NULL, 1, &kit.err), BP_E_INVALID, "NULL");
    KIT_FAILS(bp_session_options_add_shapes(NULL, NULL, 0, &kit.err), BP_E_INVALID, "options");
    KIT_FAILS(bp_session_options_set_prepare(kit.options, &prepare, &kit.err), BP_E_INVALID,
              "set_progress()");
    prepare = (bp_prepare_options){.struct_size = sizeof prepare, .n_runs = 1000};
    KIT_FAILS(bp_session_options_set_prepare(kit.options, &prepare, &kit.err), BP_E_INVALID,
              "1000 runs");
    prepare.struct_size = 0;
    KIT_FAILS(bp_session_options_set_prepare(kit.options, &prepare, &kit.err), BP_E_INVALID,
              "struct_size");
    KIT_FAILS(bp_session_options_set_prepare(NULL, NULL, &kit.err), BP_E_INVALID, "options");
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("prepare");

    tcase_add_checked_fixture(cases, kit_setup, kit_teardown);
    tcase_add_test(cases, first_run_of_prepared_shapes_prepares_nothing);
    tcase_add_test(cases, session_is_prepared_for_several_runs_at_once);
    tcase_add_test(cases, limit_of_frames_is_kept);
    tcase_add_test(cases, preparing_shows_progress_and_can_be_stopped);
    tcase_add_test(cases, wrong_shapes_are_named);
    tcase_add_test(cases, outputs_have_the_shapes_of_a_run);
    tcase_add_test(cases, sizes_that_come_with_data_are_unknown);
    tcase_add_test(cases, shapes_that_a_feed_says_are_left_to_the_run);
    tcase_add_test(cases, session_is_created_prepared);
    tcase_add_test(cases, sizes_that_are_fixed_need_no_shapes);
    tcase_add_test(cases, new_providers_are_prepared_too);
    tcase_add_test(cases, progress_of_creation_has_the_preparation_in_it);
    tcase_add_test(cases, creation_ends_when_its_preparation_is_stopped);
    tcase_add_test(cases, shapes_that_the_model_does_not_take_fail_creation);
    tcase_add_test(cases, shapes_of_inputs_that_are_not_tensors_are_refused);
    tcase_add_test(cases, shapes_that_suit_no_model_are_refused_at_once);
    return kit_main("prepare", &cases, 1);
}
