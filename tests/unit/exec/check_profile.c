/* SPDX-License-Identifier: MIT */
/* check_profile.c - what runs are measured to have done: nodes in order, a bounded record, JSON. */

#include "config.h"

#include <pthread.h>
#include <time.h>

#include "support/fail_alloc.h"
#include "support/session_kit.h"

static bp_profile *profile;

static void setup(void)
{
    kit_setup();
    KIT_OK(bp_profile_create(0, &profile, &kit.err));
}

static void teardown(void)
{
    kit_teardown();
    bp_profile_destroy(profile); /* outlives the session */
}

static bp_profile_event event_at(uint32_t i)
{
    bp_profile_event event = {.struct_size = sizeof event};

    KIT_OK(bp_profile_get(profile, i, &event, &kit.err));
    return event;
}

static void check_event(uint32_t i, uint32_t kind, const char *name, const char *op,
                        const char *provider)
{
    bp_profile_event event = event_at(i);

    ck_assert_msg(event.kind == kind && strcmp(event.name, name) == 0,
                  "event %u is %u '%s', not %u '%s'", i, event.kind, event.name, kind, name);
    ck_assert_int_le(event.start_ns, event.end_ns);
    if (op)
        ck_assert_str_eq(event.op, op);
    else
        ck_assert_ptr_null(event.op);
    if (provider)
        ck_assert_str_eq(event.provider, provider);
    else
        ck_assert_ptr_null(event.provider);
}

/* One measured run; x is n floats. */
static bp_rc run_x(uint32_t n)
{
    static const float x[64] = {1, -2, 3};
    bp_run_options options = {.struct_size = sizeof options, .profile = profile};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, n / 4, 4), out = kit_wanted(0);
    bp_rc rc = bp_session_run(kit.session, &in, 1, &out, 1, &options, &kit.err);

    bp_tensor_free(&out.tensor);
    return rc;
}

START_TEST(profile_lists_nodes_then_their_group_then_the_run)
{
    bp_profile_event run, group;

    kit_small_model();
    kit_session();
    KIT_OK(run_x(4));
    ck_assert_uint_eq(bp_profile_count(profile), 5);
    check_event(0, BP_PROFILE_NODE, "relu", "Relu", "cpu");
    check_event(1, BP_PROFILE_NODE, "neg", "Neg", "cpu");
    check_event(2, BP_PROFILE_NODE, "add", "Add", "cpu");
    check_event(3, BP_PROFILE_GROUP, "relu", "Group", "cpu");
    check_event(4, BP_PROFILE_RUN, "model_run", NULL, NULL);
    group = event_at(3);
    run = event_at(4);
    ck_assert_uint_eq(group.n_nodes, 3);
    ck_assert_uint_eq(run.run_id, 1);
    ck_assert_int_le(run.start_ns, group.start_ns);
    ck_assert_int_ge(run.end_ns, group.end_ns);
    for (uint32_t i = 0; i < 3; i++) {
        bp_profile_event event = event_at(i);

        ck_assert_uint_eq(event.node, i);
        ck_assert_uint_eq(event.thread, run.thread);
        ck_assert_int_ge(event.start_ns, i ? event_at(i - 1).end_ns : group.start_ns);
        ck_assert_int_le(event.end_ns, group.end_ns);
    }
    KIT_OK(run_x(8)); /* other shapes: other frames, the same names */
    ck_assert_uint_eq(bp_profile_count(profile), 10);
    check_event(5, BP_PROFILE_NODE, "relu", "Relu", "cpu");
    ck_assert_uint_eq(event_at(9).run_id, 2);
    ck_assert_ptr_eq(event_at(5).name, event_at(0).name);
}
END_TEST

/* "few" writes no events: the host has the time of a group, which is a node's when it is alone. */
START_TEST(profile_times_whole_groups_of_a_provider_without_events)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N,4");
    kit_node("relu", "Relu", "x", "r");
    kit_node("add", "Add", "r r", "s");
    kit_node("neg", "Neg", "s", "n");
    kit_node("last", "Relu", "n", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "N,4");
    kit_provider("few", BP_FALLBACK_REQUIRE);
    kit_session();
    KIT_OK(run_x(4));
    ck_assert_uint_eq(bp_profile_count(profile), 7);
    check_event(0, BP_PROFILE_NODE, "relu", "Group", "few");
    ck_assert_uint_eq(event_at(0).n_nodes, 2);
    check_event(1, BP_PROFILE_GROUP, "relu", "Group", "few");
    check_event(2, BP_PROFILE_NODE, "neg", "Neg", "cpu");
    check_event(4, BP_PROFILE_NODE, "last", "Relu", "few");
    ck_assert_uint_eq(event_at(4).n_nodes, 1);
}
END_TEST

/* x -> Relu -> Neg -> Add -> y, or without Add, on "picky" with the option `rows`. */
static void measured_session(const char *rows, bool has_add)
{
    const bp_key_value options[] = {{"rows", rows}};

    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N,4");
    kit_node("relu", "Relu", "x", "r");
    kit_node("neg", "Neg", "r", has_add ? "n" : "y");
    if (has_add)
        kit_node("add", "Add", "n n", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "N,4");
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_add_provider(kit.options, "picky", options, 1, BP_FALLBACK_REQUIRE,
                                           &kit.err));
    kit_session();
}

/* The set is in the order of the provider, so its last node is the first one. */
START_TEST(profile_has_one_event_for_nodes_that_ran_as_one)
{
    measured_session("1", true);
    KIT_OK(run_x(4));
    KIT_OK(run_x(4));
    ck_assert_uint_eq(bp_profile_count(profile), 6);
    check_event(3, BP_PROFILE_NODE, "add", "Relu+Neg+Add", "picky");
    check_event(4, BP_PROFILE_GROUP, "relu", "Group", "picky");
    ck_assert_uint_eq(event_at(3).n_nodes, 3);
    ck_assert_uint_eq(event_at(3).node, 2);
    ck_assert_uint_eq(bp_profile_dropped(profile), 0);
}
END_TEST

START_TEST(profile_calls_several_nodes_without_a_name_a_group)
{
    measured_session("1", false);
    KIT_OK(run_x(4));
    ck_assert_uint_eq(bp_profile_count(profile), 3);
    check_event(0, BP_PROFILE_NODE, "neg", "Group", "picky");
    ck_assert_uint_eq(event_at(0).n_nodes, 2);
}
END_TEST

START_TEST(profile_drops_events_of_nodes_that_are_not_there)
{
    measured_session(_i ? "3" : "2", true);
    KIT_OK(run_x(4));
    ck_assert_uint_eq(bp_profile_dropped(profile), 1);
    ck_assert_uint_eq(bp_profile_count(profile), 3);
    check_event(0, BP_PROFILE_NODE, "relu", "Group", "picky"); /* the host's time of the whole */
}
END_TEST

START_TEST(profile_has_events_of_host_operators)
{
    static const uint8_t yes = 1;
    static const float x[] = {1};
    bp_run_options options = {.struct_size = sizeof options, .profile = profile};
    bp_binding in[] = {kit_tensor(0, BP_DTYPE_BOOL, &yes, 0, NULL),
                       KIT_TENSOR(1, BP_DTYPE_F32, x, 1)};
    bp_binding out = kit_wanted(0);

    kit_io(KIT_INPUT, "c", BP_DTYPE_BOOL, "");
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1");
    kit_open_node("if", "If", "c", "y");
    kit_open_subgraph("then_branch");
    kit_node("relu", "Relu", "x", "t");
    kit_io(KIT_OUTPUT, "t", BP_DTYPE_F32, "1");
    kit_close_subgraph();
    kit_open_subgraph("else_branch");
    kit_node("neg", "Neg", "x", "e");
    kit_io(KIT_OUTPUT, "e", BP_DTYPE_F32, "1");
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "1");
    kit_session();
    KIT_OK(bp_session_run(kit.session, in, 2, &out, 1, &options, &kit.err));
    bp_tensor_free(&out.tensor);
    ck_assert_uint_eq(bp_profile_count(profile), 4);
    check_event(0, BP_PROFILE_NODE, "relu", "Relu", "cpu");
    check_event(1, BP_PROFILE_GROUP, "relu", "Relu", "cpu");
    check_event(2, BP_PROFILE_NODE, "if", "If", NULL);
    check_event(3, BP_PROFILE_RUN, "model_run", NULL, NULL);
    ck_assert_int_le(event_at(2).start_ns, event_at(0).start_ns);
}
END_TEST

START_TEST(a_full_profile_keeps_the_last_events)
{
    bp_profile_event event = {.struct_size = sizeof event};

    bp_profile_destroy(profile);
    KIT_FAILS(bp_profile_create(1u << 25, &profile, &kit.err), BP_E_INVALID, "33554432");
    KIT_OK(bp_profile_create(4, &profile, &kit.err));
    for (int64_t i = 0; i < 7; i++)
        KIT_OK(bp_profile_add(profile, i % 2 ? "odd" : "even", i, i + 1, &kit.err));
    ck_assert_uint_eq(bp_profile_count(profile), 4);
    ck_assert_uint_eq(bp_profile_dropped(profile), 3);
    for (uint32_t i = 0; i < 4; i++)
        ck_assert_int_eq(event_at(i).start_ns, i + 3);
    check_event(3, BP_PROFILE_SPAN, "even", NULL, NULL);
    KIT_FAILS(bp_profile_get(profile, 4, &event, &kit.err), BP_E_INVALID, "no event 4");
    KIT_FAILS(bp_profile_add(profile, "back", 2, 1, &kit.err), BP_E_INVALID, "behind");
    event.struct_size = 0;
    KIT_FAILS(bp_profile_get(profile, 0, &event, &kit.err), BP_E_INVALID, "struct_size");
}
END_TEST

START_TEST(profile_has_events_of_a_failed_run_up_to_the_failure)
{
    kit_small_model();
    kit_provider("unexecuted", BP_FALLBACK_REQUIRE);
    kit_session();
    ck_assert_int_lt(run_x(4), 0);
    ck_assert_uint_eq(bp_profile_count(profile), 3);
    check_event(2, BP_PROFILE_RUN, "model_run", NULL, NULL);
}
END_TEST

/* The struct of a caller who knows no profiles ends before that. */
START_TEST(older_run_options_have_no_profile)
{
    static const float x[4];
    bp_run_options options = {.struct_size = offsetof(bp_run_options, profile), .profile = profile};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 1, 4), out = kit_wanted(0);

    kit_small_model();
    kit_session();
    KIT_OK(bp_session_run(kit.session, &in, 1, &out, 1, &options, &kit.err));
    bp_tensor_free(&out.tensor);
    ck_assert_uint_eq(bp_profile_count(profile), 0);
    options.struct_size = 0;
    KIT_FAILS(bp_session_run(kit.session, &in, 1, &out, 1, &options, &kit.err), BP_E_INVALID,
              "struct_size");
}
END_TEST

/* ---- JSON ------------------------------------------------------------------------------------ */

START_TEST(profile_json_has_the_fields_of_onnx_runtime_profiles)
{
    char *text = NULL;

    KIT_OK(bp_profile_json(profile, &text, &kit.err));
    ck_assert_ptr_null(kit_bad_json(text)); /* empty */
    bp_free(text);
    kit_small_model();
    kit_session();
    KIT_OK(bp_profile_add(profile, "a \"quoted\"\n\xff name", 0, 10, &kit.err));
    KIT_OK(run_x(4));
    KIT_OK(bp_profile_json(profile, &text, &kit.err));
    ck_assert_msg(!kit_bad_json(text), "%s", text);
    ck_assert_ptr_nonnull(strstr(text, "{\"cat\":\"Session\",\"pid\":"));
    ck_assert_ptr_nonnull(strstr(text, "\"ph\":\"X\",\"name\":\"neg_kernel_time\",\"args\":{"
                                       "\"op_name\":\"Neg\",\"provider\":\"CPUExecutionProvider\","
                                       "\"node_index\":\"1\",\"run\":\"1\"}}"));
    ck_assert_ptr_nonnull(strstr(text, "\"name\":\"cpu_group_of_relu\""));
    ck_assert_ptr_nonnull(strstr(text, "\"name\":\"model_run\",\"args\":{\"run\":\"1\"}}"));
    bp_free(text);
}
END_TEST

/* ---- threads and memory ---------------------------------------------------------------------- */

enum { N_THREADS = 4, N_RUNS = 20 };

static void *run_often(void *arg)
{
    uint32_t *n_failed = arg;

    for (int i = 0; i < N_RUNS; i++) {
        static const float x[4];
        char text[256];
        bp_err err = bp_err_init(text, sizeof text);
        bp_run_options options = {.struct_size = sizeof options, .profile = profile};
        int64_t dims[] = {1, 4};
        bp_binding in = {0}, out = {0};

        in.tensor = (bp_tensor){.base = (void *)(uintptr_t)x,
                                .dims = dims,
                                .bytes = sizeof x,
                                .rank = 2,
                                .dtype = BP_DTYPE_F32};
        *n_failed += bp_session_run(kit.session, &in, 1, &out, 1, &options, &err) < 0;
        bp_tensor_free(&out.tensor);
    }
    return NULL;
}

START_TEST(concurrent_runs_write_to_one_profile)
{
    uint32_t n_failed[N_THREADS] = {0}, n_runs = 0;
    pthread_t threads[N_THREADS];

    kit_small_model();
    kit_session();
    for (int i = 0; i < N_THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, run_often, &n_failed[i]), 0);
    for (int i = 0; i < N_THREADS; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_uint_eq(n_failed[i], 0);
    }
    ck_assert_uint_eq(bp_profile_count(profile), N_THREADS * N_RUNS * 5);
    for (uint32_t i = 0; i < bp_profile_count(profile); i++)
        n_runs += event_at(i).kind == BP_PROFILE_RUN;
    ck_assert_uint_eq(n_runs, N_THREADS * N_RUNS);
}
END_TEST

static bp_rc make_and_print(void)
{
    bp_profile *own = NULL;
    char *text = NULL;
    bp_rc rc = bp_profile_create(8, &own, &kit.err);

    if (rc >= 0)
        rc = bp_profile_add(own, "span", 1, 2, &kit.err);
    if (rc >= 0)
        rc = bp_profile_json(own, &text, &kit.err);
    bp_free(text);
    bp_profile_destroy(own);
    return rc;
}

START_TEST(profile_survives_every_failing_allocation)
{
    bool failed = true;

    for (unsigned n = 1; failed; n++) {
        bp_rc rc;

        fail_alloc_at(n);
        rc = make_and_print();
        failed = fail_alloc_stop();
        ck_assert_int_eq(rc, failed ? BP_E_NOMEM : BP_OK);
    }
}
END_TEST

/* A run does not fail when there is no memory for its profile: lost events are counted. */
START_TEST(run_succeeds_when_its_profile_runs_out_of_memory)
{
    static const float x[4];
    bp_run_options options = {.struct_size = sizeof options};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 1, 4), out = kit_wanted(0);
    bool failed = true;
    uint64_t dropped = 0;

    kit_small_model();
    for (unsigned n = 1; failed; n++) {
        bp_rc rc;

        kit_session();
        KIT_OK(bp_session_run(kit.session, &in, 1, &out, 1, NULL, &kit.err));
        KIT_OK(bp_profile_create(16, &options.profile, &kit.err));
        fail_alloc_at(n); /* nothing in between may assert, since that allocates */
        rc = bp_session_run(kit.session, &in, 1, &out, 1, &options, &kit.err);
        failed = fail_alloc_stop();
        ck_assert_int_eq(rc, BP_OK);
        ck_assert(failed == (bp_profile_dropped(options.profile) > 0));
        dropped += bp_profile_dropped(options.profile);
        bp_profile_destroy(options.profile);
    }
    bp_tensor_free(&out.tensor);
    ck_assert_uint_gt(dropped, 0);
}
END_TEST

int main(void)
{
    TCase *cases[] = {tcase_create("events"), tcase_create("memory")};

    for (int i = 0; i < 2; i++)
        tcase_add_checked_fixture(cases[i], setup, teardown);
    tcase_add_test(cases[0], profile_lists_nodes_then_their_group_then_the_run);
    tcase_add_test(cases[0], profile_times_whole_groups_of_a_provider_without_events);
    tcase_add_test(cases[0], profile_has_one_event_for_nodes_that_ran_as_one);
    tcase_add_test(cases[0], profile_calls_several_nodes_without_a_name_a_group);
    tcase_add_loop_test(cases[0], profile_drops_events_of_nodes_that_are_not_there, 0, 2);
    tcase_add_test(cases[0], profile_has_events_of_host_operators);
    tcase_add_test(cases[0], a_full_profile_keeps_the_last_events);
    tcase_add_test(cases[0], profile_has_events_of_a_failed_run_up_to_the_failure);
    tcase_add_test(cases[0], older_run_options_have_no_profile);
    tcase_add_test(cases[0], profile_json_has_the_fields_of_onnx_runtime_profiles);
    tcase_add_test(cases[1], concurrent_runs_write_to_one_profile);
    tcase_add_test(cases[1], profile_survives_every_failing_allocation);
    tcase_add_test(cases[1], run_succeeds_when_its_profile_runs_out_of_memory);
    return kit_main("profile", cases, 2);
}
