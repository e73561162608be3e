/* SPDX-License-Identifier: MIT */
/*
 * check_handover.c - two providers with streams hand values over without the host waiting: the one
 * tells when an event has come, which fires an event of the other. "gizmo" and "sprocket" can, whose
 * accelerators do nothing until somebody waits for them or is to be told; "trinket" cannot wait.
 */

#include "config.h"

#include <check.h>
#include <pthread.h>

#include "support/device_kit.h"

/* x -> Relu -> Mul -> Relu -> Mul -> Relu -> y: y = relu(x)^4. The first provider has the Relu. */
static void chain_on(const char *first, const bp_key_value *rows, uint32_t n, const char *second)
{
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N");
    kit_node("relu1", "Relu", "x", "a");
    kit_node("mul1", "Mul", "a a", "b");
    kit_node("relu2", "Relu", "b", "c");
    kit_node("mul2", "Mul", "c c", "d");
    kit_node("relu3", "Relu", "d", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "N");
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_add_provider(kit.options, first, rows, n, BP_FALLBACK_REQUIRE,
                                           &kit.err));
    device_add(second, "take", "Mul", NULL, NULL);
    kit_session();
}

static void chain(const char *first, const char *second, const char *key, const char *value)
{
    bp_key_value rows[] = {{"take", "Relu"}, {key, value}};

    chain_on(first, rows, key ? 2 : 1, second);
}

enum { MOST = 16 };

/* One run of n values from `start` on; asserts nothing. *wrong: results that are not right. */
static bp_rc run_chain(uint32_t n, float start, const bp_run_options *options, uint32_t *wrong,
                       bp_err *err)
{
    float x[MOST] = {0}, y[MOST];
    int64_t dims[1];
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, n);
    bp_binding out = {.tensor = {.base = y, .bytes = sizeof y, .dims = dims, .rank = 1}};
    bp_rc rc;

    for (uint32_t i = 0; i < n; i++)
        x[i] = start + (float)i;
    rc = bp_session_run(kit.session, &in, 1, &out, 1, options, err);
    for (uint32_t i = 0; rc >= 0 && i < n; i++)
        *wrong += y[i] != (x[i] < 0 ? 0 : x[i] * x[i] * x[i] * x[i]);
    return rc;
}

static void check_chain(uint32_t n, float start)
{
    uint32_t wrong = 0;

    KIT_OK(run_chain(n, start, NULL, &wrong, &kit.err));
    ck_assert_uint_eq(wrong, 0);
}

static uint64_t host_waits(void)
{
    bp_session_stats own = {.struct_size = sizeof own};

    KIT_OK(bp_session_get_stats(kit.session, &own, &kit.err));
    return own.host_waits;
}

static const struct pair {
    const char *first, *second;
    uint32_t waits; /* of the host, a run */
} pairs[] = {
    {"gizmo", "sprocket", 2}, /* the end of each stream */
    {"sprocket", "gizmo", 2},
    {"gizmo", "trinket", 7}, /* for each Mul three times, as execute is exclusive; and the end */
};

START_TEST(host_does_not_wait_between_providers_whose_streams_can)
{
    const struct pair *pair = &pairs[_i];

    chain(pair->first, pair->second, NULL, NULL);
    for (uint32_t i = 0; i < 6; i++) {
        uint64_t waits = host_waits();

        check_chain(1 + i % 2 * 3, (float)i - 2);
        ck_assert_uint_eq(host_waits() - waits, pair->waits);
    }
    device_check_left(pair->first);
    device_check_left(pair->second);
}
END_TEST

/* What one value's producer, with two readers on another provider, tells is told to each queue once. */
START_TEST(devices_of_one_provider_each_wait_for_another_provider)
{
    float x[] = {1, -2, 3};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 3), out[] = {kit_wanted(0), kit_wanted(1)};
    uint32_t notices;

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "3");
    kit_node("relu", "Relu", "x", "a");
    kit_node("mul", "Mul", "a a", "y");
    kit_node("add", "Add", "a a", "z");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "3");
    kit_io(KIT_OUTPUT, "z", BP_DTYPE_F32, "3");
    device_add("gizmo", "take", "Relu", NULL, NULL);
    device_add("sprocket", "second", "Mul", NULL, NULL);
    kit_session();
    notices = device_sim("gizmo")->notices;
    for (uint32_t i = 0; i < 3; i++) {
        kit_run(&in, 1, out, 2);
        KIT_FLOATS(&out[0].tensor, 1, 0, 9);
        KIT_FLOATS(&out[1].tensor, 2, 0, 6);
        bp_tensor_free(&out[0].tensor);
        bp_tensor_free(&out[1].tensor);
        out[0] = kit_wanted(0);
        out[1] = kit_wanted(1);
    }
    ck_assert_uint_eq(host_waits(), 3 * 3);
    ck_assert_uint_eq(device_sim("gizmo")->notices - notices, 3 * 2); /* a queue each */
    device_check_left("gizmo");
    device_check_left("sprocket");
}
END_TEST

/* Between devices of one instance nothing is copied to the host before the event is recorded. */
START_TEST(execute_records_the_event_of_its_end_where_the_provider_can)
{
    float x[] = {1, -2, 3, 4};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 4), out = kit_wanted(0);

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "4");
    kit_node("relu1", "Relu", "x", "a");
    kit_node("mul1", "Mul", "a a", "b");
    kit_node("relu2", "Relu", "b", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "4");
    device_add("sprocket", "second", "Mul", NULL, NULL);
    kit_session();
    atomic_store(&kit_counters("sprocket")->signals, 0);
    kit_run(&in, 1, &out, 1);
    KIT_FLOATS(&out.tensor, 1, 0, 9, 16);
    bp_tensor_free(&out.tensor);
    ck_assert_uint_eq(atomic_load(&kit_counters("sprocket")->signals), 2);
    ck_assert_uint_eq(host_waits(), 2);
    device_check_left("sprocket");
}
END_TEST

/* ---- failures -------------------------------------------------------------------------------- */

/* The first provider's accelerator fails; the stream of the other one must not wait for ever. */
static const struct fault {
    const char *fail, *words, *more;
} faults[] = {
    {"notify", "'gizmo', asked to tell of an event", "its notify failed"},
    {"order", "letting a stream wait for an event", "its order failed"},
    {"event", "an event", "no memory for an event"},
    {"record", "provider 'gizmo'", "its record failed"},
    {"late", "provider", "gizmo"},
    {"launch", "provider 'gizmo'", "its launch failed"},
    {"copy", "provider 'gizmo'", "its copy failed"},
};

/* The n-th call of a kind fails in one of the runs; all others are right. */
static uint32_t count_failures(const struct fault *fault, const char *at)
{
    bp_key_value rows[] = {{"take", "Relu"}, {"fail", fault->fail}, {"fail_at", at}};
    uint32_t wrong = 0, n_failed = 0;

    chain_on("gizmo", rows, 3, "sprocket");
    for (uint32_t i = 0; i < 3; i++) {
        if (run_chain(3, (float)i, NULL, &wrong, &kit.err) >= 0)
            continue;
        n_failed++;
        ck_assert_msg(strstr(kit.text, fault->words) && strstr(kit.text, fault->more), "%s: %s", at,
                      kit.text);
    }
    ck_assert_uint_le(n_failed, 1);
    ck_assert_uint_eq(wrong, 0);
    device_check_left("gizmo");
    device_check_left("sprocket");
    bp_session_options_destroy(kit.options);
    kit.options = NULL;
    return n_failed;
}

START_TEST(failure_of_a_provider_ends_the_run_and_the_next_one_is_right)
{
    char at[16];
    uint32_t n_failed = 0;

    for (int n = 1; n <= 14; n++) {
        snprintf(at, sizeof at, "%d", n);
        n_failed += count_failures(&faults[_i], at);
    }
    ck_assert_uint_ge(n_failed, 2);
}
END_TEST

/* Each entry of the first stream takes 10 ms, of which there are 8. */
START_TEST(run_that_passes_its_deadline_leaves_nothing_for_the_next)
{
    bp_run_options options = {.struct_size = sizeof options};
    uint32_t wrong = 0, n_failed = 0;

    chain("gizmo", "sprocket", "launch_ns", "10000000");
    for (int i = 0; i < 12; i++) {
        options.timeout_ns = (int64_t)(5 + i * 9) * 1000000;
        n_failed += run_chain(4, (float)i, &options, &wrong, NULL) == BP_E_TIMEOUT;
        check_chain(4, (float)-i);
    }
    ck_assert_uint_ge(n_failed, 3);
    ck_assert_uint_eq(wrong, 0);
    device_check_left("gizmo");
    device_check_left("sprocket");
}
END_TEST

/* ---- many at once ---------------------------------------------------------------------------- */

static void *run_often(void *u)
{
    uint32_t wrong = 0;

    for (uint32_t i = 0; i < 60; i++) {
        if (run_chain(1 + i % MOST, (float)i / 4 - 5, NULL, &wrong, NULL) < 0 || wrong)
            return u;
    }
    return NULL;
}

START_TEST(runs_at_once_hand_over_each_by_themselves)
{
    pthread_t threads[4];
    void *failed;

    chain("gizmo", "sprocket", "lazy", _i ? "true" : "false");
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, run_often, &kit), 0);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(pthread_join(threads[i], &failed), 0);
        ck_assert_ptr_null(failed);
    }
    device_check_left("gizmo");
    device_check_left("sprocket");
}
END_TEST

int main(void)
{
    TCase *handover = tcase_create("handover");

    tcase_add_checked_fixture(handover, device_setup, kit_teardown);
    tcase_set_timeout(handover, 60);
    tcase_add_loop_test(handover, host_does_not_wait_between_providers_whose_streams_can, 0, 3);
    tcase_add_test(handover, devices_of_one_provider_each_wait_for_another_provider);
    tcase_add_test(handover, execute_records_the_event_of_its_end_where_the_provider_can);
    tcase_add_loop_test(handover, failure_of_a_provider_ends_the_run_and_the_next_one_is_right, 0,
                        7);
    tcase_add_test(handover, run_that_passes_its_deadline_leaves_nothing_for_the_next);
    tcase_add_loop_test(handover, runs_at_once_hand_over_each_by_themselves, 0, 2);
    return kit_main("handover", &handover, 1);
}
