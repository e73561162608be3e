/* SPDX-License-Identifier: MIT */
/*
 * check_nnapi_options.c - options of the provider nnapi: flags as a word and by name, stop operators,
 * preference, priority, deadlines, the cache of compiled models, and saved programs.
 */

#include "config.h"

#include <stdlib.h>
#include <unistd.h>

#include "nnapi_kit.h"

/* x -> Relu -> Tanh -> Floor -> y */
static void chain(void)
{
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "4");
    kit_node("relu", "Relu", "x", "r");
    kit_node("tanh", "Tanh", "r", "t");
    kit_node("floor", "Floor", "t", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
}

static bp_rc run_chain(void)
{
    float x[] = {1, -2, 30, 0};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 4), out = kit_wanted(0);
    bp_rc rc = bp_session_run(kit.session, &in, 1, &out, 1, NULL, &kit.err);

    if (rc >= 0)
        KIT_FLOATS(&out.tensor, 0, 0, 1, 0);
    bp_tensor_free(&out.tensor);
    return rc;
}

/* ---- flags ----------------------------------------------------------------------------------- */

static const struct {
    const char *key, *value, *key2, *value2;
} both[] = {
    {"nnapi_flags", "12", NULL, NULL},
    {"nnapi_flags", "4", "cpu_only", "1"},
    {"nnapi_flags", "8", "cpu_disabled", "true"},
    {"cpu_disabled", "1", "cpu_only", "1"},
};

/* nnapi.md: together they are an error, of the option and not of a later session. */
START_TEST(cpu_disabled_and_cpu_only_exclude_each_other)
{
    chain();
    nnapi_new_options();
    KIT_OK(nnapi_try_add(BP_FALLBACK_REQUIRE, both[_i].key, both[_i].value, both[_i].key2,
                         both[_i].value2));
    KIT_FAILS(kit_try_session(), BP_E_OPTION,
              "nnapi: cpu_disabled and cpu_only exclude each other");
}
END_TEST

/* C-02: bits of the word are the options of these names. */
START_TEST(the_word_has_the_bits_of_the_names)
{
    chain();
    nnapi_configure("devices = none\n");
    nnapi_session("nnapi_flags", "4");
    ck_assert_str_eq(nnapi_groups(), "cpu 3");
    nnapi_session("nnapi_flags", "11"); /* cpu_only, use_nchw, use_fp16 */
    ck_assert_str_eq(nnapi_groups(), "nnapi 3");
    KIT_OK(run_chain());
}
END_TEST

START_TEST(unknown_bits_are_ignored_with_a_sentence)
{
    chain();
    nnapi_session("nnapi_flags", "16");
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "bits 0x10 are not known, and ignored"), 1);
    ck_assert_str_eq(nnapi_groups(), "nnapi 3");
}
END_TEST

/* ---- stop operators -------------------------------------------------------------------------- */

START_TEST(stop_operators_and_what_depends_on_them_go_to_others)
{
    chain();
    nnapi_session("partitioning_stop_ops", "NonMaxSuppression,Tanh");
    ck_assert_str_eq(nnapi_groups(), "nnapi 1, cpu 2");
    ck_assert_str_eq(nnapi_refusal(1), "partitioning_stop_ops has its operator");
    ck_assert_str_eq(nnapi_refusal(2), "it depends on an operator of partitioning_stop_ops");
    KIT_OK(run_chain());
    nnapi_session("partitioning_stop_ops", "");
    ck_assert_str_eq(nnapi_groups(), "nnapi 3");
    nnapi_session("partitioning_stop_ops", "Tan, Tanh"); /* no trimming, as in ONNX Runtime */
    ck_assert_str_eq(nnapi_groups(), "nnapi 3");
}
END_TEST

/* ---- drivers --------------------------------------------------------------------------------- */

START_TEST(a_driver_that_is_not_there_is_named)
{
    bp_key_value row = {"driver", "/nowhere/libneuralnetworks.so"};

    chain();
    nnapi_new_options();
    KIT_OK(bp_session_options_add_provider(kit.options, "nnapi", &row, 1, BP_FALLBACK_REQUIRE,
                                           &kit.err));
    KIT_FAILS(kit_try_session(), BP_E_UNAVAILABLE, "/nowhere/libneuralnetworks.so");
}
END_TEST

START_TEST(a_library_that_is_no_runtime_is_told_what_it_lacks)
{
    bp_key_value row = {"driver", "libm.so.6"};

    chain();
    nnapi_new_options();
    KIT_OK(bp_session_options_add_provider(kit.options, "nnapi", &row, 1, BP_FALLBACK_REQUIRE,
                                           &kit.err));
    KIT_FAILS(kit_try_session(), BP_E_UNAVAILABLE, "libm.so.6 has no ANeuralNetworks");
}
END_TEST

/* ---- what NNAPI is told ---------------------------------------------------------------------- */

static const struct {
    const char *key, *value;
} settings[] = {
    {"execution_preference", "low_power"},
    {"execution_preference", "sustained_speed"},
    {"priority", "low"},
    {"priority", "high"},
    {"compile_deadline_ms", "60000"},
    {"run_deadline_ms", "60000"},
};

START_TEST(settings_are_taken_by_the_runtime)
{
    chain();
    nnapi_session(settings[_i].key, settings[_i].value);
    ck_assert_str_eq(nnapi_groups(), "nnapi 3");
    KIT_OK(run_chain());
}
END_TEST

START_TEST(settings_that_a_level_lacks_are_reported)
{
    chain();
    nnapi_configure("level = 29\n");
    nnapi_session("priority", "high");
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "priority and deadlines are ignored"), 1);
    KIT_OK(run_chain());
}
END_TEST

/* A deadline that cannot be kept is a time-out, of the option as of the run. */
START_TEST(a_missed_deadline_is_a_timeout)
{
    bp_run_options options = {.struct_size = sizeof options, .timeout_ns = 300000};
    float x[] = {1, -2, 30, 0};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 4), out = kit_wanted(0);

    chain();
    nnapi_configure("devices = gpu\nreference = off\ndevice = sim-gpu\nlaunch_ns = 20M\n");
    nnapi_session("run_deadline_ms", "0.5");
    KIT_FAILS(run_chain(), BP_E_TIMEOUT, "MISSED_DEADLINE");
    nnapi_session(NULL, NULL);
    KIT_OK(run_chain());
    ck_assert_int_eq(bp_session_run(kit.session, &in, 1, &out, 1, &options, &kit.err),
                     BP_E_TIMEOUT);
    bp_tensor_free(&out.tensor);
}
END_TEST

START_TEST(a_compile_deadline_leaves_the_nodes_to_others)
{
    chain();
    nnapi_session("compile_deadline_ms", "0.000001");
    ck_assert_str_eq(nnapi_groups(), "cpu 3");
    KIT_OK(run_chain());
}
END_TEST

/* ---- caches ---------------------------------------------------------------------------------- */

static char folder[64];

static void make_folder(void)
{
    snprintf(folder, sizeof folder, "/tmp/bp-nnapi-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void drop_folder(void)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

START_TEST(the_cache_folder_has_to_be_there)
{
    chain();
    nnapi_new_options();
    nnapi_add(BP_FALLBACK_REQUIRE, "cache_dir", "/nowhere/at/all");
    KIT_FAILS(kit_try_session(), BP_E_OPTION, "cache_dir=/nowhere/at/all is not a folder");
}
END_TEST

/* The second session finds what the first one's driver has kept. */
START_TEST(compiled_models_are_found_in_the_cache_folder)
{
    make_folder();
    chain();
    nnapi_configure("devices = gpu\ndevice = sim-gpu\ncaches = on\n");
    nnapi_session("cache_dir", folder);
    KIT_OK(run_chain());
    ck_assert_uint_gt(nnapi_counters().cache_writes, 0);
    ck_assert_uint_eq(nnapi_counters().cache_hits, 0);
    nnapi_session("cache_dir", folder);
    KIT_OK(run_chain());
    ck_assert_uint_gt(nnapi_counters().cache_hits, 0);
    drop_folder();
}
END_TEST

/* A session with Backplane's cache; true: its group was loaded from it, and not compiled. */
static bool is_loaded(const char *key, const char *value)
{
    bp_report_group group = {.struct_size = sizeof group};

    nnapi_new_options();
    KIT_OK(bp_session_options_set_cache(kit.options, folder, 0, &kit.err));
    nnapi_add(BP_FALLBACK_REQUIRE, key, value);
    kit_session();
    KIT_OK(bp_report_get_group(bp_session_report(kit.session), 0, &group, &kit.err));
    KIT_OK(run_chain());
    ck_assert_ptr_nonnull(group.cache);
    return group.program == BP_PROGRAM_LOADED;
}

/* Backplane's own cache: save() and load() of the model. Other flags are another program. */
START_TEST(saved_programs_are_loaded)
{
    make_folder();
    chain();
    ck_assert(!is_loaded(NULL, NULL));
    ck_assert(is_loaded(NULL, NULL));
    ck_assert(!is_loaded("cpu_only", "1"));
    nnapi_configure("level = 29\n");
    ck_assert(!is_loaded(NULL, NULL));
    ck_assert(is_loaded(NULL, NULL));
    drop_folder();
}
END_TEST

int main(void)
{
    TCase *all = tcase_create("all");

    tcase_add_loop_test(all, cpu_disabled_and_cpu_only_exclude_each_other, 0, 4);
    tcase_add_test(all, the_word_has_the_bits_of_the_names);
    tcase_add_test(all, unknown_bits_are_ignored_with_a_sentence);
    tcase_add_test(all, stop_operators_and_what_depends_on_them_go_to_others);
    tcase_add_test(all, a_driver_that_is_not_there_is_named);
    tcase_add_test(all, a_library_that_is_no_runtime_is_told_what_it_lacks);
    tcase_add_loop_test(all, settings_are_taken_by_the_runtime, 0, 6);
    tcase_add_test(all, settings_that_a_level_lacks_are_reported);
    tcase_add_test(all, a_missed_deadline_is_a_timeout);
    tcase_add_test(all, a_compile_deadline_leaves_the_nodes_to_others);
    tcase_add_test(all, the_cache_folder_has_to_be_there);
    tcase_add_test(all, compiled_models_are_found_in_the_cache_folder);
    tcase_add_test(all, saved_programs_are_loaded);
    tcase_add_checked_fixture(all, nnapi_setup, nnapi_teardown);
    return kit_main("nnapi_options", &all, 1);
}
