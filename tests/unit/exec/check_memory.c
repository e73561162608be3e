/* SPDX-License-Identifier: MIT */
/*
 * check_memory.c - a run in its steady state allocates nothing, and out of memory is a status
 * at any allocation: nothing crashes, nothing leaks.
 */

#include "config.h"

#include <check.h>

#include "support/count_alloc.h"
#include "support/session_kit.h"

enum { N_RUNS = 100 };

/* What one run takes; bound to buffers of the caller. */
struct call {
    bp_binding in[3], out[2];
    uint32_t n_in, n_out;
    float x[64], y[64], z[64];
    int64_t to[2];
    uint8_t condition;
    int64_t dims[2][4];
};

static void bind_output(struct call *call, uint32_t i, float *data)
{
    call->out[i] = (bp_binding){.index = i};
    call->out[i].tensor.base = data;
    call->out[i].tensor.bytes = sizeof call->y;
    call->out[i].tensor.dims = call->dims[i];
    call->out[i].tensor.rank = 4;
    call->n_out = i + 1;
}

/* 1 when it failed. An assertion of Check allocates, so there is none in here. */
static bp_run_options run_options = {.struct_size = sizeof run_options};

static uint32_t run(struct call *call)
{
    for (uint32_t i = 0; i < call->n_out; i++)
        call->out[i].tensor.rank = 4;
    return bp_session_run(kit.session, call->in, call->n_in, call->out, call->n_out, &run_options,
                          &kit.err) < 0;
}

static bp_session_stats stats(void)
{
    bp_session_stats own = {.struct_size = sizeof own};

    KIT_OK(bp_session_get_stats(kit.session, &own, &kit.err));
    return own;
}

static bp_memory_use use_of(uint32_t i)
{
    bp_memory_use own = {.struct_size = sizeof own};

    KIT_OK(bp_session_get_memory(kit.session, i, &own, &kit.err));
    return own;
}

/* Rows of all providers and of the host add up to what the session has; gives the last row. */
static uint32_t check_sums(void)
{
    bp_session_stats all = stats();
    uint64_t held = 0, idle = 0, own = 0;
    uint32_t i = 0;

    for (;; i++) {
        bp_memory_use use = use_of(i);

        held += use.held_bytes;
        idle += use.idle_bytes;
        own += use.own_idle_bytes;
        ck_assert_uint_ge(use.peak_bytes, use.held_bytes);
        ck_assert_uint_ge(use.own_peak_bytes, use.own_held_bytes);
        if (!use.provider)
            break;
        ck_assert_str_eq(use.provider, bp_session_provider(kit.session, i));
    }
    ck_assert_uint_eq(held, all.held_bytes);
    ck_assert_uint_eq(idle, all.idle_bytes);
    ck_assert_uint_eq(own, all.device_bytes);
    return i;
}

/* Runs each call for warmth, then all of them many times: nothing is allocated or freed. */
static void check_steady(struct call *calls, uint32_t n, uint32_t crossings_a_run)
{
    bp_session_stats before;
    unsigned long n_calls;
    uint32_t n_failed = 0;

    for (uint32_t i = 0; i < 2 * n; i++)
        n_failed += run(&calls[i % n]);
    before = stats();
    n_calls = count_alloc_calls();
    for (uint32_t i = 0; i < N_RUNS; i++)
        n_failed += run(&calls[i % n]);
    n_calls = count_alloc_calls() - n_calls;
    ck_assert_msg(n_failed == 0, "%s", kit.text);
    ck_assert_uint_eq(n_calls, 0);
    ck_assert_uint_eq(stats().runs - before.runs, N_RUNS);
    ck_assert_uint_eq(stats().crossings - before.crossings, N_RUNS * crossings_a_run);
    ck_assert_uint_eq(stats().idle_bytes, before.idle_bytes);
}

START_TEST(repeated_run_allocates_nothing)
{
    struct call calls[2] = {{.n_in = 1}, {.n_in = 1}};

    kit_small_model();
    kit_provider("few", BP_FALLBACK_REQUIRE);
    kit_session();
    calls[0].in[0] = KIT_TENSOR(0, BP_DTYPE_F32, calls[0].x, 3, 4);
    calls[1].in[0] = KIT_TENSOR(0, BP_DTYPE_F32, calls[1].x, 7, 4);
    bind_output(&calls[0], 0, calls[0].y);
    bind_output(&calls[1], 0, calls[1].y);
    ck_assert_uint_eq(stats().n_groups, 3);
    check_steady(calls, 1, 3);
    check_steady(calls, 2, 3);
}
END_TEST

/* Copies of what the application's buffers lack have places in the arena. */
START_TEST(repeated_run_that_copies_for_alignment_and_slack_allocates_nothing)
{
    static const bp_key_value rows[] = {{"in_slack", "64"}, {"align", "1024"}};
    struct call call = {.n_in = 1};

    kit_small_model();
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_add_provider(kit.options, "picky", rows, 2, BP_FALLBACK_REQUIRE,
                                           &kit.err));
    kit_session();
    call.in[0] = KIT_TENSOR(0, BP_DTYPE_F32, call.x + 1, 3, 4);
    bind_output(&call, 0, call.y + 1);
    call.out[0].tensor.bytes = 48;
    check_steady(&call, 1, 1);
}
END_TEST

/* The profile is full long before the last run. */
START_TEST(profiled_run_allocates_nothing)
{
    struct call call = {.n_in = 1};

    kit_small_model();
    kit_provider("few", BP_FALLBACK_REQUIRE);
    kit_session();
    call.in[0] = KIT_TENSOR(0, BP_DTYPE_F32, call.x, 3, 4);
    bind_output(&call, 0, call.y);
    KIT_OK(bp_profile_create(50, &run_options.profile, &kit.err));
    check_steady(&call, 1, 3);
    ck_assert_uint_eq(bp_profile_count(run_options.profile), 50);
    ck_assert_uint_eq(bp_profile_dropped(run_options.profile), (N_RUNS + 2) * 7 - 50);
    bp_profile_destroy(run_options.profile);
    run_options.profile = NULL;
}
END_TEST

/* Rows of a set of nodes have labels that are kept too. */
START_TEST(profiled_run_of_nodes_as_one_allocates_nothing)
{
    static const bp_key_value rows[] = {{"rows", "1"}};
    struct call call = {.n_in = 1};

    kit_small_model();
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_add_provider(kit.options, "picky", rows, 1, BP_FALLBACK_REQUIRE,
                                           &kit.err));
    kit_session();
    call.in[0] = KIT_TENSOR(0, BP_DTYPE_F32, call.x, 3, 4);
    bind_output(&call, 0, call.y);
    KIT_OK(bp_profile_create(50, &run_options.profile, &kit.err));
    check_steady(&call, 1, 1);
    ck_assert_uint_eq(bp_profile_dropped(run_options.profile), (N_RUNS + 2) * 3 - 50);
    bp_profile_destroy(run_options.profile);
    run_options.profile = NULL;
}
END_TEST

START_TEST(run_with_an_exclusive_frame_allocates_nothing)
{
    struct call call = {.n_in = 1};

    kit_small_model();
    kit_provider_with("needy", "token", "x");
    kit_session();
    call.in[0] = KIT_TENSOR(0, BP_DTYPE_F32, call.x, 3, 4);
    bind_output(&call, 0, call.y);
    check_steady(&call, 1, 3);
}
END_TEST

/* Feeds are copied and results written through memory that the frame keeps. */
START_TEST(run_with_unaligned_tensors_allocates_nothing)
{
    struct call calls[2] = {{.n_in = 1}, {.n_in = 1}};

    kit_small_model();
    kit_provider("few", BP_FALLBACK_REQUIRE);
    kit_session();
    calls[0].in[0] = KIT_TENSOR(0, BP_DTYPE_F32, (char *)calls[0].x + 1, 3, 4);
    calls[1].in[0] = KIT_TENSOR(0, BP_DTYPE_F32, (char *)calls[1].x + 2, 7, 4);
    for (int i = 0; i < 2; i++) {
        bind_output(&calls[i], 0, calls[i].y);
        calls[i].out[0].tensor.base = (char *)calls[i].y + 3;
        calls[i].out[0].tensor.bytes -= 3;
    }
    check_steady(calls, 2, 3);
    check_sums();
}
END_TEST

/* Neither with streams nor without, here or in the accelerator. */
START_TEST(run_on_a_device_allocates_nothing)
{
    static const char *const names[] = {"gizmo", "widget"};
    struct call calls[2] = {{.n_in = 1}, {.n_in = 1}};

    kit_small_model();
    kit_provider(names[_i], BP_FALLBACK_REQUIRE);
    kit_session();
    calls[0].in[0] = KIT_TENSOR(0, BP_DTYPE_F32, calls[0].x, 3, 4);
    calls[1].in[0] = KIT_TENSOR(0, BP_DTYPE_F32, calls[1].x, 7, 4);
    bind_output(&calls[0], 0, calls[0].y);
    bind_output(&calls[1], 0, calls[1].y);
    check_steady(calls, 2, 3);
}
END_TEST

/* x -> Relu on gizmo -> Mul on sprocket -> Relu on gizmo: they hand over by events. */
START_TEST(run_that_is_handed_over_between_devices_allocates_nothing)
{
    struct call call = {.n_in = 1};

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N,4");
    kit_node("relu", "Relu", "x", "a");
    kit_node("mul", "Mul", "a a", "b");
    kit_node("last", "Relu", "b", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "N,4");
    kit_provider_with("gizmo", "take", "Relu");
    kit_provider_with("sprocket", "take", "Mul");
    kit_session();
    call.in[0] = KIT_TENSOR(0, BP_DTYPE_F32, call.x, 3, 4);
    bind_output(&call, 0, call.y);
    check_steady(&call, 1, 3);
    ck_assert_uint_eq(stats().host_waits, 2 * (N_RUNS + 2));
}
END_TEST

START_TEST(run_with_stages_and_computed_shapes_allocates_nothing)
{
    struct call calls[2] = {{.n_in = 2, .to = {2, 3}}, {.n_in = 2, .to = {3, -2}}};

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "6");
    kit_io(KIT_INPUT, "to", BP_DTYPE_I64, "2");
    kit_node("abs", "Abs", "to", "shape");
    kit_node("reshape", "Reshape", "x shape", "r");
    kit_node("relu", "Relu", "r", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "A,B");
    kit_provider("few", BP_FALLBACK_REQUIRE);
    kit_session();
    for (int i = 0; i < 2; i++) {
        calls[i].in[0] = KIT_TENSOR(0, BP_DTYPE_F32, calls[i].x, 6);
        calls[i].in[1] = KIT_TENSOR(1, BP_DTYPE_I64, calls[i].to, 2);
        bind_output(&calls[i], 0, calls[i].y);
    }
    check_steady(calls, 2, 3);
    KIT_DIMS(&calls[1].out[0].tensor, 3, 2);
}
END_TEST

START_TEST(if_allocates_nothing)
{
    struct call calls[2] = {{.n_in = 2, .condition = 0}, {.n_in = 2, .condition = 1}};

    kit_io(KIT_INPUT, "c", BP_DTYPE_BOOL, "");
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N");
    kit_open_node("if", "If", "c", "v");
    kit_open_subgraph("then_branch");
    kit_node("relu", "Relu", "x", "t");
    kit_io(KIT_OUTPUT, "t", BP_DTYPE_F32, "N");
    kit_close_subgraph();
    kit_open_subgraph("else_branch");
    kit_node("neg", "Neg", "x", "e");
    kit_io(KIT_OUTPUT, "e", BP_DTYPE_F32, "N");
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_node("abs", "Abs", "v", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "N");
    kit_io(KIT_OUTPUT, "v", BP_DTYPE_F32, "N");
    kit_provider("few", BP_FALLBACK_REQUIRE);
    kit_session();
    for (int i = 0; i < 2; i++) {
        calls[i].in[0] = kit_tensor(0, BP_DTYPE_BOOL, &calls[i].condition, 0, NULL);
        calls[i].in[1] = KIT_TENSOR(1, BP_DTYPE_F32, calls[i].x, 5);
        bind_output(&calls[i], 0, calls[i].y);
        bind_output(&calls[i], 1, calls[i].z);
    }
    check_steady(calls, 2, 2);
}
END_TEST

/* x -> x + x, four times, with each round's result scanned. */
START_TEST(loop_allocates_nothing)
{
    static const int64_t trips = 4;
    struct call calls[1] = {{.n_in = 1}};

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N");
    kit_ints("trips", PW_SCALAR, 1, &trips);
    kit_open_node("loop", "Loop", "trips - x", "y z");
    kit_open_subgraph("body");
    kit_io(KIT_INPUT, "i", BP_DTYPE_I64, "");
    kit_io(KIT_INPUT, "c", BP_DTYPE_BOOL, "");
    kit_io(KIT_INPUT, "v", BP_DTYPE_F32, NULL);
    kit_node("add", "Add", "v v", "w");
    kit_node("neg", "Neg", "w", "s");
    kit_io(KIT_OUTPUT, "c", BP_DTYPE_BOOL, "");
    kit_io(KIT_OUTPUT, "w", BP_DTYPE_F32, NULL);
    kit_io(KIT_OUTPUT, "s", BP_DTYPE_F32, NULL);
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    kit_io(KIT_OUTPUT, "z", BP_DTYPE_F32, NULL);
    kit_session();
    calls[0].in[0] = KIT_TENSOR(0, BP_DTYPE_F32, calls[0].x, 5);
    bind_output(&calls[0], 0, calls[0].y);
    bind_output(&calls[0], 1, calls[0].z);
    check_steady(calls, 1, 4);
    ck_assert_uint_ge(stats().held_bytes, 4 * 5 * sizeof(float)); /* what the loop collects */
    ck_assert_uint_ge(use_of(check_sums()).held_bytes, 4 * 5 * sizeof(float));
    ck_assert_uint_eq(stats().held_bytes, stats().idle_bytes);
    KIT_OK(bp_session_trim(kit.session, NULL, &kit.err));
    ck_assert_uint_eq(stats().held_bytes, 0);
}
END_TEST

/*
 * s and x, one row longer with each of 20 rounds (more than a frame has plans), and the sum of the
 * rows of `data`, each sliced by the number of the round.
 */
static void growing_model(void)
{
    static const int64_t trips = 20, one = 1, zero = 0;
    static float data[20 * 2];

    for (int i = 0; i < 40; i++)
        data[i] = (float)i;
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1,2");
    kit_ints("trips", PW_SCALAR, 1, &trips);
    kit_ints("axes", PW_DIMS(1), 1, &zero);
    kit_ints("one", PW_DIMS(1), 1, &one);
    kit_floats("data", PW_DIMS(20, 2), 40, data);
    kit_open_node("loop", "Loop", "trips - x x", "y z");
    kit_open_subgraph("body");
    kit_io(KIT_INPUT, "i", BP_DTYPE_I64, "");
    kit_io(KIT_INPUT, "c", BP_DTYPE_BOOL, "");
    kit_io(KIT_INPUT, "s", BP_DTYPE_F32, "n,2");
    kit_io(KIT_INPUT, "sum", BP_DTYPE_F32, "1,2");
    kit_node("unsqueeze", "Unsqueeze", "i axes", "from");
    kit_node("add", "Add", "from one", "to");
    kit_node("slice", "Slice", "data from to axes", "row");
    kit_node("total", "Add", "sum row", "total");
    kit_open_node("concat", "Concat", "s row", "longer");
    kit_int_attr("axis", 0);
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "c", BP_DTYPE_BOOL, "");
    kit_io(KIT_OUTPUT, "longer", BP_DTYPE_F32, NULL);
    kit_io(KIT_OUTPUT, "total", BP_DTYPE_F32, "1,2");
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    kit_io(KIT_OUTPUT, "z", BP_DTYPE_F32, "1,2");
    kit_session();
}

/* The plan of a new size is made in the memory of one that was made before. */
START_TEST(loop_whose_sizes_never_repeat_allocates_nothing)
{
    struct call call = {.n_in = 1, .x = {100, 200}};

    growing_model();
    call.in[0] = KIT_TENSOR(0, BP_DTYPE_F32, call.x, 1, 2);
    bind_output(&call, 0, call.y);
    bind_output(&call, 1, call.z);
    for (int round = 0; round < 50; round++) /* until each plan has met the largest size */
        ck_assert_uint_eq(run(&call), 0);
    check_steady(&call, 1, 2 * 20);
    ck_assert_int_eq(call.dims[0][0], 21);
    ck_assert(call.y[0] == 100 && call.y[1] == 200);
    for (int i = 0; i < 40; i++)
        ck_assert_msg(call.y[i + 2] == (float)i, "element %d is %g", i, (double)call.y[i + 2]);
    ck_assert(call.z[0] == 100 + 20 * 19 && call.z[1] == 200 + 20 * 20);
}
END_TEST

/* Twelve batches in turn, where a frame has eight plans: none is found again. */
static void check_many_sizes(void)
{
    static struct call calls[12];
    static float wants[64];
    static int64_t shapes[12][2];

    kit_session();
    for (uint32_t i = 0; i < 12; i++) {
        calls[i] = (struct call){.n_in = 1};
        for (int k = 0; k < 64; k++)
            calls[i].x[k] = (float)(k % 7 - 3);
        shapes[i][0] = i + 1;
        shapes[i][1] = 4;
        calls[i].in[0] = kit_tensor(0, BP_DTYPE_F32, calls[i].x, 2, shapes[i]);
        bind_output(&calls[i], 0, calls[i].y);
    }
    for (int round = 0; round < 20; round++) { /* until each plan has met the largest batch */
        for (uint32_t i = 0; i < 12; i++)
            ck_assert_uint_eq(run(&calls[i]), 0);
    }
    memcpy(wants, calls[11].y, sizeof wants);
    for (uint32_t i = 0; i < 12; i++)
        memset(calls[i].y, 0, sizeof calls[i].y);
    check_steady(calls, 12, 1);
    for (uint32_t i = 0; i < 12; i++)
        ck_assert_mem_eq(calls[i].y, wants, (i + 1) * 4 * sizeof(float));
}

START_TEST(run_with_more_sizes_than_plans_allocates_nothing)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N,4");
    kit_node("relu", "Relu", "x", "r");
    kit_node("add", "Add", "r x", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "N,4");
    check_many_sizes();
}
END_TEST

/* ---- counters -------------------------------------------------------------------------------- */

START_TEST(session_counts_its_memory_and_trim_releases_it)
{
    uint64_t freed = 0, peak;

    kit_small_model();
    kit_provider("few", BP_FALLBACK_REQUIRE);
    kit_session();
    ck_assert_uint_eq(stats().held_bytes, 0);
    kit_check_small(3);
    kit_check_small(1000);
    ck_assert_uint_eq(stats().idle_frames, 1);
    ck_assert_uint_ge(stats().held_bytes, 1003 * 16); /* at least a value for each set of shapes */
    ck_assert_uint_eq(stats().held_bytes, stats().idle_bytes); /* no run is in flight */
    peak = stats().peak_bytes;
    ck_assert_uint_ge(peak, stats().held_bytes);
    KIT_OK(bp_session_trim(kit.session, &freed, &kit.err));
    ck_assert_uint_ge(freed, 1003 * 16);
    ck_assert_uint_eq(stats().held_bytes, 0);
    ck_assert_uint_eq(stats().idle_bytes, 0);
    ck_assert_uint_eq(stats().idle_frames, 0);
    ck_assert_uint_eq(stats().peak_bytes, peak);
    kit_check_small(3);
    ck_assert_uint_eq(stats().idle_frames, 1);
    ck_assert_uint_lt(stats().held_bytes, freed);
    KIT_OK(bp_session_trim(kit.session, NULL, &kit.err));
    KIT_FAILS(bp_session_trim(NULL, NULL, &kit.err), BP_E_INVALID, "no session");
}
END_TEST

START_TEST(session_counts_memory_for_each_provider)
{
    bp_memory_use few, cpu, own = {.struct_size = sizeof own};
    uint32_t host;

    kit_small_model();
    kit_provider("few", BP_FALLBACK_REQUIRE);
    kit_session();
    kit_check_small(3);
    kit_check_small(1000);
    host = check_sums();
    ck_assert_uint_eq(host, 2); /* few, cpu, and the host */
    few = use_of(0);
    cpu = use_of(1);
    ck_assert_uint_gt(few.held_bytes, 0);
    ck_assert_uint_gt(cpu.held_bytes, 0);
    ck_assert_uint_eq(few.held_bytes, few.idle_bytes); /* no run is in flight */
    ck_assert_uint_eq(few.own_peak_bytes, 0);
    ck_assert_uint_eq(use_of(host).held_bytes, 0);
    KIT_OK(bp_session_trim(kit.session, NULL, &kit.err));
    check_sums();
    ck_assert_uint_eq(use_of(0).held_bytes, 0);
    ck_assert_uint_eq(use_of(0).peak_bytes, few.peak_bytes);
    KIT_FAILS(bp_session_get_memory(kit.session, host + 1, &own, &kit.err), BP_E_INVALID,
              "no row 3");
    KIT_FAILS(bp_session_get_memory(NULL, 0, &own, &kit.err), BP_E_INVALID, "no session");
}
END_TEST

START_TEST(session_counts_device_memory_as_its_providers)
{
    bp_memory_use gizmo;

    kit_small_model();
    kit_provider("gizmo", BP_FALLBACK_REQUIRE);
    kit_session();
    kit_check_small(7);
    check_sums();
    gizmo = use_of(0);
    ck_assert_uint_gt(gizmo.own_held_bytes, 0);
    ck_assert_uint_eq(gizmo.own_held_bytes, gizmo.own_idle_bytes);
    KIT_OK(bp_session_trim(kit.session, NULL, &kit.err));
    ck_assert_uint_eq(use_of(0).own_held_bytes, 0);
    ck_assert_uint_eq(use_of(0).own_peak_bytes, gizmo.own_peak_bytes);
}
END_TEST

/* ---- out of memory --------------------------------------------------------------------------- */

/*
 * From the bytes of a model to a result; everything is given back whatever happens. Nothing in here
 * may assert, since that allocates.
 */
static bp_rc whole_way(void)
{
    float x[] = {1, -2, 3, -4};
    int64_t dims[] = {1, 4};
    bp_binding out = {0};
    bp_binding in = {
        .tensor = {.base = x, .dims = dims, .bytes = sizeof x, .rank = 2, .dtype = BP_DTYPE_F32}};
    bp_session_options *options = NULL;
    bp_session *session = NULL;
    bp_model *model = NULL;
    bp_rc rc;

    rc = bp_session_options_create(&options, &kit.err);
    if (rc >= 0)
        rc = bp_session_options_add_provider(options, "few", NULL, 0, BP_FALLBACK_SILENT, &kit.err);
    if (rc >= 0)
        rc = bp_session_options_add_provider(options, "speechless", NULL, 0, BP_FALLBACK_SILENT,
                                             &kit.err);
    if (rc >= 0)
        rc = bp_model_open_memory(kit.env, kit.w.data, kit.w.size, NULL, &model, &kit.err);
    if (rc >= 0)
        rc = bp_session_create_from_model(kit.env, model, options, &session, &kit.err);
    if (rc >= 0)
        rc = bp_session_run(session, &in, 1, &out, 1, NULL, &kit.err);
    if (rc >= 0 && ((float *)out.tensor.base)[2] != (float)-6)
        rc = bp_fail(&kit.err, BP_E_INTERNAL, "a wrong result");
    if (rc >= 0)
        bp_tensor_free(&out.tensor);
    bp_session_destroy(session);
    bp_model_close(model);
    bp_session_options_destroy(options);
    return rc;
}

static void check_every_failure(bp_rc (*work)(void))
{
    bool failed = true;
    uint32_t n_told = 0;
    long live;

    KIT_OK(work()); /* opens plug-ins, which stay */
    live = count_alloc_live();
    for (unsigned n = 1; failed; n++) {
        bp_rc rc;

        kit.text[0] = '\0';
        count_alloc_fail_at(n);
        rc = work();
        failed = count_alloc_stop();
        ck_assert_msg(failed || rc == BP_OK, "%s without cause: %s", bp_rc_name(rc), kit.text);
        ck_assert_msg(rc == BP_OK || kit.text[0], "allocation %u failed without a word", n);
        ck_assert_msg(rc == BP_OK || rc == BP_E_NOMEM, "allocation %u: %s: %s", n, bp_rc_name(rc),
                      kit.text);
        ck_assert_msg(count_alloc_live() == live, "allocation %u failed and %ld blocks leaked", n,
                      count_alloc_live() - live);
        n_told += rc < 0;
    }
    ck_assert_uint_ge(n_told, 30);
}

START_TEST(session_creation_and_run_survive_every_failing_allocation)
{
    kit_small_model();
    pw_close(&kit.w);
    kit.is_closed = true;
    check_every_failure(whole_way);
}
END_TEST

START_TEST(subgraphs_and_stages_survive_every_failing_allocation)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1,4");
    kit_ints("to", PW_DIMS(2), 2, (int64_t[]){2, -2});
    kit_node("abs", "Abs", "to", "shape");
    kit_node("reshape", "Reshape", "x shape", "r");
    pw_raw_tensor(&kit.w, 5, "c", BP_DTYPE_BOOL, PW_SCALAR, "\1", 1);
    kit_open_node("if", "If", "c", "y");
    kit_open_subgraph("then_branch");
    kit_node("relu", "Relu", "r", "t");
    kit_node("neg", "Neg", "t", "u");
    kit_node("add", "Add", "u u", "v");
    kit_io(KIT_OUTPUT, "v", BP_DTYPE_F32, NULL);
    kit_close_subgraph();
    kit_open_subgraph("else_branch");
    kit_node("neg2", "Neg", "r", "e");
    kit_io(KIT_OUTPUT, "e", BP_DTYPE_F32, NULL);
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    pw_close(&kit.w);
    kit.is_closed = true;
    check_every_failure(whole_way);
}
END_TEST

static bp_rc plan(void)
{
    bp_report *report = NULL;
    char *json = NULL;
    bp_rc rc = bp_plan_create(kit.env, kit.model, kit.options, &report, &kit.err);

    if (rc >= 0)
        rc = bp_report_json(report, &json, &kit.err);
    bp_free(json);
    bp_report_destroy(report);
    return rc;
}

START_TEST(plans_and_reports_survive_every_failing_allocation)
{
    kit_small_model();
    kit_provider("few", BP_FALLBACK_SILENT);
    kit_model();
    check_every_failure(plan);
}
END_TEST

static bp_rc change_providers(void)
{
    return bp_session_set_providers(kit.session, kit.options, &kit.err);
}

START_TEST(failing_allocation_leaves_the_session_usable)
{
    kit_small_model();
    kit_provider("few", BP_FALLBACK_SILENT);
    kit_session();
    check_every_failure(change_providers);
    kit_check_small(4);
}
END_TEST

/* Each failure in a process of its own, because an opened plug-in stays loaded. */
START_TEST(opening_a_plug_in_survives_every_failing_allocation)
{
    bool failed;
    bp_rc rc;

    count_alloc_fail_at((unsigned)_i);
    rc = bp_env_is_available(kit.env, "few", &kit.err);
    failed = count_alloc_stop();
    ck_assert(failed || rc == BP_OK);
    ck_assert_msg(rc == BP_OK || kit.text[0], "not a word");
}
END_TEST

START_TEST(creating_an_environment_survives_every_failing_allocation)
{
    const char *dirs[] = {"/one", "/two"};
    bp_env_config config = {
        .struct_size = sizeof config, .provider_dirs = dirs, .n_provider_dirs = 2};
    long live = count_alloc_live();
    bool failed = true;

    for (unsigned n = 1; failed; n++) {
        bp_env *env = NULL;
        bp_rc rc;

        count_alloc_fail_at(n);
        rc = bp_env_create(&config, &env, &kit.err);
        failed = count_alloc_stop();
        ck_assert(rc == BP_OK || (failed && rc == BP_E_NOMEM));
        ck_assert((rc == BP_OK) == !!env);
        KIT_OK(bp_env_destroy(env, &kit.err));
        ck_assert_int_eq(count_alloc_live(), live);
    }
}
END_TEST

int main(void)
{
    TCase *steady, *failing, *cases[2];

    if (!count_alloc_works()) {
        fprintf(stderr, "SKIP: allocations cannot be counted under a sanitizer, under valgrind or "
                        "without glibc\n");
        return 77;
    }
    cases[0] = steady = tcase_create("steady");
    cases[1] = failing = tcase_create("failing");
    tcase_set_timeout(steady, 60);
    tcase_set_timeout(failing, 300);
    tcase_add_checked_fixture(steady, kit_setup, kit_teardown);
    tcase_add_checked_fixture(failing, kit_setup, kit_teardown);
    tcase_add_test(steady, repeated_run_allocates_nothing);
    tcase_add_test(steady, repeated_run_that_copies_for_alignment_and_slack_allocates_nothing);
    tcase_add_test(steady, profiled_run_allocates_nothing);
    tcase_add_test(steady, profiled_run_of_nodes_as_one_allocates_nothing);
    tcase_add_test(steady, run_with_an_exclusive_frame_allocates_nothing);
    tcase_add_test(steady, run_with_unaligned_tensors_allocates_nothing);
    tcase_add_test(steady, loop_whose_sizes_never_repeat_allocates_nothing);
    tcase_add_test(steady, run_with_more_sizes_than_plans_allocates_nothing);
    tcase_add_loop_test(steady, run_on_a_device_allocates_nothing, 0, 2);
    tcase_add_test(steady, run_that_is_handed_over_between_devices_allocates_nothing);
    tcase_add_test(steady, run_with_stages_and_computed_shapes_allocates_nothing);
    tcase_add_test(steady, if_allocates_nothing);
    tcase_add_test(steady, loop_allocates_nothing);
    tcase_add_test(steady, session_counts_its_memory_and_trim_releases_it);
    tcase_add_test(steady, session_counts_memory_for_each_provider);
    tcase_add_test(steady, session_counts_device_memory_as_its_providers);
    tcase_add_test(failing, session_creation_and_run_survive_every_failing_allocation);
    tcase_add_test(failing, subgraphs_and_stages_survive_every_failing_allocation);
    tcase_add_test(failing, plans_and_reports_survive_every_failing_allocation);
    tcase_add_test(failing, failing_allocation_leaves_the_session_usable);
    tcase_add_loop_test(failing, opening_a_plug_in_survives_every_failing_allocation, 1, 120);
    tcase_add_test(failing, creating_an_environment_survives_every_failing_allocation);
    return kit_main("memory", cases, 2);
}
