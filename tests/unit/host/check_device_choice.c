/* SPDX-License-Identifier: MIT */
/*
 * check_device_choice.c - devices of providers, choosing among them, and options that change in a
 * session.
 */

#include "config.h"

#include <unistd.h>

#include <pthread.h>

#include "support/session_kit.h"

static uint32_t index_of(const char *name)
{
    uint32_t i = 0;

    KIT_OK(bp_env_find_provider(kit.env, name, &i, &kit.err));
    return i;
}

/* What Relu of 1 gives. */
static float relu_of_one(void)
{
    static const float x[] = {1};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 1), out = kit_wanted(0);
    float y;

    kit_run(&in, 1, &out, 1);
    y = *(float *)bp_tensor_data(&out.tensor);
    bp_tensor_free(&out.tensor);
    return y;
}

static void relu_model(void)
{
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N");
    kit_node("relu", "Relu", "x", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "N");
}

/* ---- devices --------------------------------------------------------------------------------- */

START_TEST(environment_lists_devices_as_the_provider_reports_them)
{
    uint32_t gadget = index_of("gadget"), cpu = index_of("cpu");
    bp_provider_info info = {.struct_size = sizeof info};
    bp_device device = {.struct_size = sizeof device};

    KIT_OK(bp_env_provider_info(kit.env, gadget, &info, &kit.err));
    ck_assert_uint_eq(info.n_devices, 2);
    KIT_OK(bp_env_provider_device(kit.env, gadget, 0, &device, &kit.err));
    ck_assert_uint_eq(device.kind, BP_DEVICE_GPU);
    ck_assert_str_eq(device.name, "Mock GPU");
    ck_assert_uint_eq(device.numa, BP_NONE);
    KIT_OK(bp_env_provider_device(kit.env, gadget, 1, &device, &kit.err));
    ck_assert_uint_eq(device.kind, BP_DEVICE_NPU);
    KIT_FAILS(bp_env_provider_device(kit.env, gadget, 2, &device, &kit.err), BP_E_INVALID, "gadget",
              "2 devices", "no device 2");
    KIT_FAILS(bp_env_provider_device(kit.env, 1000, 0, &device, &kit.err), BP_E_INVALID, "1000");
    KIT_OK(bp_env_provider_device(kit.env, cpu, 0, &device,
                                  &kit.err)); /* the provider reports nothing */
    ck_assert_uint_eq(device.kind, BP_DEVICE_CPU);
    ck_assert_str_eq(device.driver, "");
    ck_assert_uint_eq(device.mem_total,
                      (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE));
    KIT_FAILS(bp_env_provider_device(kit.env, index_of("absent"), 0, &device, &kit.err),
              BP_E_UNAVAILABLE, "driver too old");
}
END_TEST

START_TEST(provider_gets_the_chosen_devices)
{
    relu_model();
    kit_provider("gadget", BP_FALLBACK_REQUIRE);
    kit_session();
    ck_assert(relu_of_one() == 1); /* device 0, as it likes */
    KIT_OK(bp_session_options_set_devices(kit.options, "GadgetExecutionProvider",
                                          (uint32_t[]){1, 0}, 2, &kit.err));
    kit_session();
    ck_assert(relu_of_one() == 2);
    KIT_OK(bp_session_options_set_devices(kit.options, "gadget", NULL, 0, &kit.err));
    KIT_OK(bp_session_set_providers(kit.session, kit.options, &kit.err));
    ck_assert(relu_of_one() == 1);
}
END_TEST

START_TEST(session_rejects_devices_that_do_not_exist)
{
    relu_model();
    kit_provider("gadget", BP_FALLBACK_SILENT);
    KIT_FAILS(bp_session_options_set_devices(kit.options, "few", NULL, 0, &kit.err), BP_E_INVALID,
              "few", "add it first");
    KIT_FAILS(
        bp_session_options_set_devices(kit.options, "gadget", (uint32_t[]){1, 1}, 2, &kit.err),
        BP_E_INVALID, "device 1", "twice");
    KIT_FAILS(bp_session_options_set_devices(kit.options, "gadget", NULL, 1, &kit.err),
              BP_E_INVALID, "gadget");
    KIT_OK(bp_session_options_set_devices(kit.options, "gadget", (uint32_t[]){7}, 1, &kit.err));
    KIT_FAILS(kit_try_session(), BP_E_OPTION, "gadget", "2 devices", "no device 7");
}
END_TEST

/* The session with option "device" of the mock, and what Relu of 1 gives: its first device + 1. */
static float relu_on(const char *device)
{
    bp_key_value row = {"device", device};
    float y;

    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_add_provider(kit.options, "gadget", &row, 1, BP_FALLBACK_REQUIRE,
                                           &kit.err));
    kit_session();
    y = relu_of_one();
    bp_session_options_destroy(kit.options);
    kit.options = NULL;
    return y;
}

START_TEST(device_option_takes_index_id_kind_or_name)
{
    relu_model();
    ck_assert(relu_on("0") == 1);
    ck_assert(relu_on("1") == 2);
    ck_assert(relu_on("npu0") == 2);
    ck_assert(relu_on("0000:FE:00.0") == 1);
    ck_assert(relu_on("gpu") == 1);
    ck_assert(relu_on("NPU") == 2);
    ck_assert(relu_on("Mock NPU") == 2);
    ck_assert(relu_on("all") == 1);
    ck_assert(relu_on("npu+gpu") == 2); /* in this order */
    ck_assert(relu_on("1, 0") == 2);
    ck_assert(relu_on("gpu+0+all") == 1);
}
END_TEST

START_TEST(unknown_device_is_an_error_that_lists_the_devices)
{
    static const char *const wrong[] = {"2", "fpga", "", "gpu+", "npu00", "99999999999999999999"};
    bp_key_value row = {"device", wrong[_i]};

    relu_model();
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_add_provider(kit.options, "gadget", &row, 1, BP_FALLBACK_SILENT,
                                           &kit.err));
    KIT_FAILS(kit_try_session(), BP_E_OPTION, "gadget", "no device is '", "0 (gpu, id '0000:fe",
              "1 (npu, id 'npu0', name 'Mock NPU')");
}
END_TEST

START_TEST(report_has_the_device_of_each_group)
{
    bp_report_group row = {.struct_size = sizeof row};

    relu_model();
    relu_on("npu");
    KIT_OK(bp_report_get_group(bp_session_report(kit.session), 0, &row, &kit.err));
    ck_assert_uint_eq(row.device, 1);
    ck_assert_str_eq(row.device_id, "npu0");
}
END_TEST

/* ---- options that change --------------------------------------------------------------------- */

/* Effective value of an option of the session's first provider. */
static const char *value_of(const char *key)
{
    const char *value = NULL, *name;

    for (uint32_t j = 0; (name = bp_session_provider_option(kit.session, 0, j, &value)); j++) {
        if (strcmp(name, key) == 0)
            return value;
    }
    return NULL;
}

START_TEST(dynamic_option_takes_effect_at_once)
{
    relu_model();
    kit_provider("gadget", BP_FALLBACK_REQUIRE);
    kit_session();
    ck_assert(relu_of_one() == 1);
    KIT_OK(bp_session_set_option(kit.session, "gadget", "gain", "2", &kit.err));
    ck_assert(relu_of_one() == 2);
    ck_assert_str_eq(value_of("gain"), "2");
    KIT_OK(bp_session_set_option(kit.session, "org.backplane.gadget", "gain", "0.5", &kit.err));
    ck_assert(relu_of_one() == 0.5f);
    KIT_OK(bp_session_set_option(kit.session, "gadget", "workload_type", "efficient", &kit.err));
    ck_assert_str_eq(value_of("workload_type"), "Efficient");
}
END_TEST

START_TEST(session_names_why_an_option_cannot_change)
{
    relu_model();
    kit_provider("gadget", BP_FALLBACK_REQUIRE);
    kit_session();
    KIT_FAILS(bp_session_set_option(kit.session, "few", "gain", "2", &kit.err), BP_E_INVALID,
              "no provider 'few'");
    KIT_FAILS(bp_session_set_option(kit.session, "gadget", "gaim", "2", &kit.err), BP_E_OPTION,
              "gaim", "did you mean 'gain'");
    KIT_FAILS(bp_session_set_option(kit.session, "gadget", "level", "2", &kit.err),
              BP_E_UNSUPPORTED, "'level'", "fixed once a session is made");
    KIT_FAILS(bp_session_set_option(kit.session, "cpu", "blas", "0", &kit.err), BP_E_UNSUPPORTED,
              "'blas'", "fixed");
    KIT_FAILS(bp_session_set_option(kit.session, "gadget", "gain", "9", &kit.err), BP_E_OPTION,
              "gain", "0.25 to 4");
    KIT_FAILS(bp_session_set_option(kit.session, "gadget", "gain", "3.5", &kit.err), BP_E_BUSY,
              "'gadget'", "'gain'", "amplifier");
    KIT_FAILS(bp_session_set_option(kit.session, "gadget", NULL, "2", &kit.err), BP_E_INVALID,
              "key");
    ck_assert(relu_of_one() == 1);
    ck_assert_str_eq(value_of("gain"), "1");
}
END_TEST

/* x has a default; feeding it makes a second engine, which has to follow. */
START_TEST(dynamic_option_reaches_both_engines_of_a_session)
{
    static const float one[] = {1};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, one, 1), out = kit_wanted(0);

    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1");
    kit_floats("x", PW_DIMS(1), 1, one);
    kit_node("relu", "Relu", "x", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "1");
    kit_provider("gadget", BP_FALLBACK_REQUIRE);
    /* or nothing would be left to run of a default */
    KIT_OK(bp_session_options_set_optimization(kit.options, BP_OPTIMIZE_NONE, &kit.err));
    kit_session();
    KIT_OK(bp_session_set_option(kit.session, "gadget", "gain", "2", &kit.err));
    kit_run(&in, 1, &out, 1); /* made now */
    KIT_FLOATS(&out.tensor, 2);
    bp_tensor_free(&out.tensor);
    KIT_OK(bp_session_set_option(kit.session, "gadget", "gain", "3", &kit.err));
    out = kit_wanted(0);
    kit_run(&in, 1, &out, 1);
    KIT_FLOATS(&out.tensor, 3);
    bp_tensor_free(&out.tensor);
    out = kit_wanted(0);
    kit_run(NULL, 0, &out, 1);
    KIT_FLOATS(&out.tensor, 3);
    bp_tensor_free(&out.tensor);
}
END_TEST

enum { N_CHANGES = 100 };

static void *keep_running(void *arg)
{
    uint32_t *n_wrong = arg;

    for (int i = 0; i < N_CHANGES; i++) {
        float y = relu_of_one();

        *n_wrong += y != 1 && y != 2;
    }
    return NULL;
}

START_TEST(dynamic_option_may_change_during_runs)
{
    uint32_t n_wrong = 0;
    pthread_t thread;

    relu_model();
    kit_provider("gadget", BP_FALLBACK_REQUIRE);
    kit_session();
    ck_assert_int_eq(pthread_create(&thread, NULL, keep_running, &n_wrong), 0);
    for (int i = 0; i < N_CHANGES; i++) {
        char text[256];
        bp_err err = bp_err_init(text, sizeof text);

        ck_assert_int_eq(
            bp_session_set_option(kit.session, "gadget", "gain", i % 2 ? "1" : "2", &err), BP_OK);
    }
    pthread_join(thread, NULL);
    ck_assert_uint_eq(n_wrong, 0);
}
END_TEST

int main(void)
{
    TCase *cases[] = {tcase_create("devices"), tcase_create("changes")};

    for (int i = 0; i < 2; i++)
        tcase_add_checked_fixture(cases[i], kit_setup, kit_teardown);
    tcase_add_test(cases[0], environment_lists_devices_as_the_provider_reports_them);
    tcase_add_test(cases[0], provider_gets_the_chosen_devices);
    tcase_add_test(cases[0], session_rejects_devices_that_do_not_exist);
    tcase_add_test(cases[0], device_option_takes_index_id_kind_or_name);
    tcase_add_loop_test(cases[0], unknown_device_is_an_error_that_lists_the_devices, 0, 6);
    tcase_add_test(cases[0], report_has_the_device_of_each_group);
    tcase_add_test(cases[1], dynamic_option_takes_effect_at_once);
    tcase_add_test(cases[1], session_names_why_an_option_cannot_change);
    tcase_add_test(cases[1], dynamic_option_reaches_both_engines_of_a_session);
    tcase_add_test(cases[1], dynamic_option_may_change_during_runs);
    return kit_main("choice", cases, 2);
}
