/* SPDX-License-Identifier: MIT */
/* check_control.c - runs through If, runs that end early, and several at once. */

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

/* ---- If -------------------------------------------------------------------------------------- */

/* c ? Relu(x) + w : (d ? Neg(x) : x), then Neg */
static void if_model(void)
{
    static const float w[] = {100, 200};

    kit_io(KIT_INPUT, "c", BP_DTYPE_BOOL, "");
    kit_io(KIT_INPUT, "d", BP_DTYPE_BOOL, "");
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2");
    kit_floats("w", PW_DIMS(2), 2, w);
    kit_node("abs", "Abs", "x", "a");
    kit_open_node("if", "If", "c", "v");
    kit_open_subgraph("then_branch");
    kit_node("relu", "Relu", "x", "t1");
    kit_node("add", "Add", "t1 w", "t2");
    kit_io(KIT_OUTPUT, "t2", BP_DTYPE_F32, "2");
    kit_close_subgraph();
    kit_open_subgraph("else_branch");
    kit_open_node("inner", "If", "d", "e1");
    kit_open_subgraph("then_branch");
    kit_node("neg", "Neg", "a", "f1");
    kit_io(KIT_OUTPUT, "f1", BP_DTYPE_F32, "2");
    kit_close_subgraph();
    kit_open_subgraph("else_branch");
    kit_io(KIT_OUTPUT, "a", BP_DTYPE_F32, "2"); /* as it is outside */
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "e1", BP_DTYPE_F32, "2");
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_node("last", "Neg", "v", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "2");
    kit_io(KIT_OUTPUT, "v", BP_DTYPE_F32, "2");
}

START_TEST(if_runs_either_branch_with_nested_and_captured_values)
{
    static const float wants[4][2] = {{1, 2}, {-1, -2}, {100, 202}, {100, 202}};
    float x[] = {-1, 2};

    if_model();
    kit_provider("few", BP_FALLBACK_SILENT);
    kit_session();
    for (int round = 0; round < 12; round++) {
        uint8_t c = round & 2 ? 1 : 0, d = round & 1 ? 1 : 0;
        bp_binding in[3] = {kit_tensor(0, BP_DTYPE_BOOL, &c, 0, NULL),
                            kit_tensor(1, BP_DTYPE_BOOL, &d, 0, NULL),
                            KIT_TENSOR(2, BP_DTYPE_F32, x, 2)};
        bp_binding out[2] = {kit_wanted(0), kit_wanted(1)};
        const float *want = wants[round & 3];

        kit_run(in, 3, out, 2);
        KIT_FLOATS(&out[1].tensor, want[0], want[1]);
        KIT_FLOATS(&out[0].tensor, -want[0], -want[1]);
        bp_tensor_free(&out[0].tensor);
        bp_tensor_free(&out[1].tensor);
    }
}
END_TEST

/* A branch of two nodes that nothing connects: the provider is called once for both. */
START_TEST(unconnected_nodes_of_a_branch_are_one_group)
{
    float x[] = {-1, 2};
    uint8_t c = 1;
    bp_binding in[2] = {kit_tensor(0, BP_DTYPE_BOOL, &c, 0, NULL),
                        KIT_TENSOR(1, BP_DTYPE_F32, x, 2)};
    bp_binding out[2] = {kit_wanted(0), kit_wanted(1)};

    kit_io(KIT_INPUT, "c", BP_DTYPE_BOOL, "");
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2");
    kit_open_node("if", "If", "c", "y z");
    for (int branch = 0; branch < 2; branch++) {
        kit_open_subgraph(branch ? "else_branch" : "then_branch");
        kit_node("relu", "Relu", "x", branch ? "r1" : "r0");
        kit_node("neg", "Neg", "x", branch ? "n1" : "n0");
        kit_io(KIT_OUTPUT, branch ? "r1" : "r0", BP_DTYPE_F32, "2");
        kit_io(KIT_OUTPUT, branch ? "n1" : "n0", BP_DTYPE_F32, "2");
        kit_close_subgraph();
    }
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "2");
    kit_io(KIT_OUTPUT, "z", BP_DTYPE_F32, "2");
    kit_session();
    kit_run(in, 2, out, 2);
    ck_assert_uint_eq(stats().crossings, 1);
    KIT_FLOATS(&out[0].tensor, 0, 2);
    KIT_FLOATS(&out[1].tensor, 1, -2);
    bp_tensor_free(&out[0].tensor);
    bp_tensor_free(&out[1].tensor);
}
END_TEST

/* Branches of different sizes: the one gives x, the other x reshaped to 2 x 1. */
static void uneven_model(void)
{
    kit_io(KIT_INPUT, "c", BP_DTYPE_BOOL, "");
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N");
    kit_ints("column", PW_DIMS(2), 2, (int64_t[]){-1, 1});
    kit_open_node("if", "If", "c", "v");
    kit_open_subgraph("then_branch");
    kit_node("relu", "Relu", "x", "t");
    kit_io(KIT_OUTPUT, "t", BP_DTYPE_F32, "N");
    kit_close_subgraph();
    kit_open_subgraph("else_branch");
    kit_node("reshape", "Reshape", "x column", "e");
    kit_io(KIT_OUTPUT, "e", BP_DTYPE_F32, "N,1");
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_node("neg", "Neg", "v", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    kit_session();
}

START_TEST(if_branches_may_give_different_shapes)
{
    float x[] = {-1, 2, 3};

    uneven_model();
    for (int round = 0; round < 6; round++) {
        uint8_t c = round & 1 ? 1 : 0;
        bp_binding in[2] = {kit_tensor(0, BP_DTYPE_BOOL, &c, 0, NULL),
                            KIT_TENSOR(1, BP_DTYPE_F32, x, round < 3 ? 2 : 3)};
        bp_binding out = kit_wanted(0);

        kit_run(in, 2, &out, 1);
        ck_assert_uint_eq(out.tensor.rank, c ? 1 : 2);
        ck_assert_int_eq(out.tensor.dims[0], round < 3 ? 2 : 3);
        ck_assert(((float *)out.tensor.base)[0] == (c ? 0 : 1));
        ck_assert(((float *)out.tensor.base)[1] == -2);
        bp_tensor_free(&out.tensor);
    }
}
END_TEST

START_TEST(if_condition_may_be_a_default_value)
{
    static const uint8_t yes = 1;
    uint8_t no = 0;
    float x[] = {-1, 2};
    bp_binding in[2] = {KIT_TENSOR(0, BP_DTYPE_F32, x, 2),
                        kit_tensor(1, BP_DTYPE_BOOL, &no, 0, NULL)};
    bp_binding out = kit_wanted(0);

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2");
    kit_io(KIT_INPUT, "c", BP_DTYPE_BOOL, "");
    pw_raw_tensor(&kit.w, 5, "c", BP_DTYPE_BOOL, PW_SCALAR, &yes, 1);
    kit_open_node("if", "If", "c", "y");
    kit_open_subgraph("then_branch");
    kit_node("relu", "Relu", "x", "t");
    kit_io(KIT_OUTPUT, "t", BP_DTYPE_F32, "2");
    kit_close_subgraph();
    kit_open_subgraph("else_branch");
    kit_node("neg", "Neg", "x", "e");
    kit_io(KIT_OUTPUT, "e", BP_DTYPE_F32, "2");
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "2");
    kit_session();
    for (int round = 0; round < 2; round++) {
        kit_run(in, 1, &out, 1);
        KIT_FLOATS(&out.tensor, 0, 2);
        bp_tensor_free(&out.tensor);
        kit_run(in, 2, &out, 1);
        KIT_FLOATS(&out.tensor, 1, -2);
        bp_tensor_free(&out.tensor);
    }
}
END_TEST

START_TEST(if_rejects_a_condition_of_several_elements)
{
    uint8_t c[2] = {1, 0};
    float x[] = {-1, 2};
    bp_binding in[2] = {KIT_TENSOR(0, BP_DTYPE_BOOL, c, 2), KIT_TENSOR(1, BP_DTYPE_F32, x, 2)};
    bp_binding out = kit_wanted(0);

    kit_io(KIT_INPUT, "c", BP_DTYPE_BOOL, "K");
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2");
    kit_open_node("if", "If", "c", "y");
    kit_open_subgraph("then_branch");
    kit_io(KIT_OUTPUT, "x", BP_DTYPE_F32, "2");
    kit_close_subgraph();
    kit_open_subgraph("else_branch");
    kit_node("neg", "Neg", "x", "e");
    kit_io(KIT_OUTPUT, "e", BP_DTYPE_F32, "2");
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "2");
    kit_session();
    ck_assert_int_lt(run(in, 2, &out, 1), 0);
    ck_assert_msg(strstr(kit.text, "'if'") != NULL, "%s", kit.text);
}
END_TEST

START_TEST(subgraph_infers_shapes_from_captured_values)
{
    uint8_t c = 1;
    float x[] = {1, -2, 3, -4, 5, 6};
    bp_binding in[2] = {kit_tensor(0, BP_DTYPE_BOOL, &c, 0, NULL),
                        KIT_TENSOR(1, BP_DTYPE_F32, x, 2, 3)};
    bp_binding out = kit_wanted(0);

    kit_io(KIT_INPUT, "c", BP_DTYPE_BOOL, "");
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N,3");
    kit_ints("zero", PW_DIMS(1), 1, (int64_t[]){0});
    kit_ints("rest", PW_DIMS(1), 1, (int64_t[]){-1});
    kit_node("shape", "Shape", "x", "s");
    kit_open_node("if", "If", "c", "y");
    kit_open_subgraph("then_branch");
    kit_node("gather", "Gather", "s zero", "n");
    kit_open_node("concat", "Concat", "rest n", "to");
    kit_int_attr("axis", 0);
    pw_close(&kit.w);
    kit_node("reshape", "Reshape", "x to", "t");
    kit_io(KIT_OUTPUT, "t", BP_DTYPE_F32, NULL);
    kit_close_subgraph();
    kit_open_subgraph("else_branch");
    kit_node("relu", "Relu", "x", "e");
    kit_io(KIT_OUTPUT, "e", BP_DTYPE_F32, NULL);
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    kit_session();
    kit_run(in, 2, &out, 1);
    KIT_DIMS(&out.tensor, 3, 2);
    bp_tensor_free(&out.tensor);
    c = 0;
    kit_run(in, 2, &out, 1);
    KIT_DIMS(&out.tensor, 2, 3);
    KIT_FLOATS(&out.tensor, 1, 0, 3, 0, 5, 6);
    bp_tensor_free(&out.tensor);
}
END_TEST

/* ---- ending early ---------------------------------------------------------------------------- */

START_TEST(run_stops_when_it_is_cancelled)
{
    uint32_t cancel = 1;
    bp_run_options options = {.struct_size = sizeof options, .cancel = &cancel};
    float x[] = {-1, 2, -3, 4};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 1, 4), out = kit_wanted(0);

    kit_small_model();
    kit_session();
    KIT_FAILS(bp_session_run(kit.session, &in, 1, &out, 1, &options, &kit.err), BP_E_CANCELLED,
              "cancelled");
    ck_assert_ptr_null(out.tensor.base);
    ck_assert_uint_eq(stats().runs, 0);
    ck_assert_uint_eq(stats().crossings, 0);
    cancel = 0;
    KIT_OK(bp_session_run(kit.session, &in, 1, &out, 1, &options, &kit.err));
    bp_tensor_free(&out.tensor);
    kit_check_small(1);
}
END_TEST

START_TEST(run_stops_at_its_time_limit)
{
    bp_run_options options = {.struct_size = sizeof options, .timeout_ns = 1};
    float x[] = {-1, 2, -3, 4};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 1, 4), out = kit_wanted(0);

    kit_small_model();
    kit_session();
    KIT_FAILS(bp_session_run(kit.session, &in, 1, &out, 1, &options, &kit.err), BP_E_TIMEOUT,
              "time limit");
    ck_assert_ptr_null(out.tensor.base);
    options.timeout_ns = 60000000000;
    KIT_OK(bp_session_run(kit.session, &in, 1, &out, 1, &options, &kit.err));
    bp_tensor_free(&out.tensor);
}
END_TEST

enum { MINUTE = 60 }; /* seconds */

/* What is left of a budget, and moments: the earlier one counts, and a time that is over ends a run. */
static const struct limit {
    int64_t timeout_ns, from_now_s; /* of the deadline; 0: none */
    bp_rc want;
} limits[] = {
    {0, 0, BP_OK},
    {-1, 0, BP_E_TIMEOUT},
    {INT64_MIN, MINUTE, BP_E_TIMEOUT},
    {INT64_MAX, 0, BP_OK},
    {0, MINUTE, BP_OK},
    {0, -MINUTE, BP_E_TIMEOUT},
    {INT64_MAX, -MINUTE, BP_E_TIMEOUT},
    {1, MINUTE, BP_E_TIMEOUT},
};

START_TEST(earlier_limit_of_time_ends_a_run)
{
    const struct limit *limit = &limits[_i];
    bp_run_options options = {.struct_size = sizeof options, .timeout_ns = limit->timeout_ns};
    float x[] = {-1, 2, -3, 4};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 1, 4), out = kit_wanted(0);
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    if (limit->from_now_s)
        options.deadline_ns = ((int64_t)now.tv_sec + limit->from_now_s) * 1000000000 + now.tv_nsec;
    kit_small_model();
    kit_session();
    ck_assert_int_eq(bp_session_run(kit.session, &in, 1, &out, 1, &options, &kit.err), limit->want);
    if (limit->want >= 0)
        bp_tensor_free(&out.tensor);
}
END_TEST

/* ---- several at once ------------------------------------------------------------------------- */

enum { N_THREADS = 2, N_RUNS = 200 };

struct runner {
    uint32_t id, n_wrong;
};

/* Runs with data and shapes of its own. */
static void *run_many(void *arg)
{
    struct runner *runner = arg;
    float x[16 * 4], y[16 * 4];
    int64_t out_dims[2];

    for (uint32_t i = 0; i < N_RUNS; i++) {
        int64_t rows = 1 + (i * 7 + runner->id) % 11, dims[] = {rows, 4};
        bp_binding in = kit_tensor(0, BP_DTYPE_F32, x, 2, dims);
        bp_binding out = {.tensor = {.base = y, .bytes = sizeof y, .dims = out_dims, .rank = 2}};

        for (uint32_t k = 0; k < rows * 4; k++)
            x[k] = (float)(k * (runner->id + 2)) - (float)i;
        if (bp_session_run(kit.session, &in, 1, &out, 1, NULL, NULL) < 0) {
            runner->n_wrong++;
            continue;
        }
        for (uint32_t k = 0; k < rows * 4; k++)
            runner->n_wrong += y[k] != (x[k] > 0 ? -2 * x[k] : 0);
    }
    return NULL;
}

static void run_on_threads(void)
{
    struct runner runners[N_THREADS];
    pthread_t threads[N_THREADS];

    for (uint32_t i = 0; i < N_THREADS; i++) {
        runners[i] = (struct runner){i, 0};
        ck_assert_int_eq(pthread_create(&threads[i], NULL, run_many, &runners[i]), 0);
    }
    for (uint32_t i = 0; i < N_THREADS; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_uint_eq(runners[i].n_wrong, 0);
    }
    ck_assert_uint_eq(stats().runs, N_THREADS * N_RUNS);
}

START_TEST(session_runs_on_two_threads_at_once)
{
    struct mock_counters *counters = kit_counters("few");
    uint32_t before = atomic_load(&counters->executes);

    kit_small_model();
    kit_provider("few", BP_FALLBACK_REQUIRE);
    kit_session();
    run_on_threads();
    ck_assert_uint_eq(atomic_load(&counters->executes) - before, N_THREADS * N_RUNS * 2);
    ck_assert_uint_eq(stats().crossings, N_THREADS * N_RUNS * 3);
    bp_session_destroy(kit.session);
    kit.session = NULL;
    ck_assert_uint_eq(atomic_load(&counters->frames), 0);
    ck_assert_uint_eq(atomic_load(&counters->programs), 0);
    ck_assert_uint_eq(atomic_load(&counters->instances), 0);
}
END_TEST

START_TEST(frames_of_exclusive_providers_are_serialised)
{
    kit_small_model();
    kit_provider_with("needy", "token", "x");
    kit_session();
    run_on_threads();
    ck_assert_uint_eq(atomic_load(&kit_counters("needy")->most_inside), 1);
}
END_TEST

START_TEST(each_group_is_executed_by_one_call)
{
    uint32_t before = atomic_load(&kit_counters("few")->executes);

    kit_small_model();
    kit_provider("few", BP_FALLBACK_REQUIRE);
    kit_session();
    ck_assert_uint_eq(stats().n_groups, 3);
    kit_check_small(2);
    ck_assert_uint_eq(stats().crossings, 3);
    kit_check_small(2);
    ck_assert_uint_eq(stats().crossings, 6);
    ck_assert_uint_eq(atomic_load(&kit_counters("few")->executes) - before, 4);
}
END_TEST

START_TEST(a_group_of_many_nodes_is_executed_by_one_call)
{
    float x[] = {1, -1}, y[2];
    int64_t dims[1];
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 2);
    bp_binding out = {.tensor = {.base = y, .bytes = sizeof y, .dims = dims, .rank = 1}};
    char name[16], from[16] = "x";

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N");
    for (int i = 0; i < 50; i++) { /* doubles twelve times, and is Relu in between */
        snprintf(name, sizeof name, "v%d", i);
        if (i % 4 == 0 && i < 48)
            kit_open_node(name, "Add", from, name);
        else
            kit_open_node(name, "Relu", from, name);
        if (i % 4 == 0 && i < 48)
            pw_text(&kit.w, 1, from); /* the second input */
        pw_close(&kit.w);
        memcpy(from, name, sizeof from);
    }
    kit_io(KIT_OUTPUT, from, BP_DTYPE_F32, "N");
    kit_provider("few", BP_FALLBACK_REQUIRE);
    kit_session();
    ck_assert_uint_eq(stats().n_groups, 1);
    kit_run(&in, 1, &out, 1);
    KIT_FLOATS(&out.tensor, 4096, 0);
    ck_assert_uint_eq(stats().crossings, 1);
    ck_assert_uint_le(stats().idle_bytes, 1024); /* two buffers, used alternately */
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("control");

    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, kit_setup, kit_teardown);
    tcase_add_test(tcase, if_runs_either_branch_with_nested_and_captured_values);
    tcase_add_test(tcase, unconnected_nodes_of_a_branch_are_one_group);
    tcase_add_test(tcase, if_branches_may_give_different_shapes);
    tcase_add_test(tcase, if_condition_may_be_a_default_value);
    tcase_add_test(tcase, if_rejects_a_condition_of_several_elements);
    tcase_add_test(tcase, subgraph_infers_shapes_from_captured_values);
    tcase_add_test(tcase, run_stops_when_it_is_cancelled);
    tcase_add_test(tcase, run_stops_at_its_time_limit);
    tcase_add_loop_test(tcase, earlier_limit_of_time_ends_a_run, 0,
                        sizeof limits / sizeof limits[0]);
    tcase_add_test(tcase, session_runs_on_two_threads_at_once);
    tcase_add_test(tcase, frames_of_exclusive_providers_are_serialised);
    tcase_add_test(tcase, each_group_is_executed_by_one_call);
    tcase_add_test(tcase, a_group_of_many_nodes_is_executed_by_one_call);
    return kit_main("control", &tcase, 1);
}
