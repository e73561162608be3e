/* SPDX-License-Identifier: MIT */
/*
 * check_mobile.c - what the page of the mobile provider asks for (C-01 to C-07, C-11 to C-13), and
 * where layouts of data change.
 */

#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "nnapi_kit.h"

/* ---- a small convolutional network ------------------------------------------------------------ */

static const float ramp[64] = {0.5f, -1, 0.25f, 2, -0.75f, 1, 0.125f, -0.5f, 1.5f};

/* Relu, then Neg, which the GPU takes; then Gather, which only the reference device does. */
static void row_model(void)
{
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,2");
    kit_ints("i", PW_DIMS(2), 2, (const int64_t[]){1, 0});
    kit_node("relu", "Relu", "x", "r");
    kit_node("neg", "Neg", "r", "n");
    kit_node_int("gather", "Gather", "n i", "y", "axis", 0);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
}

static void check_row_model(void)
{
    float x[] = {1, -2, 3, 4};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 2, 2), out = kit_wanted(0);

    kit_run(&in, 1, &out, 1);
    KIT_FLOATS(&out.tensor, -3, -4, -1, 0);
    bp_tensor_free(&out.tensor);
}

/* Two convolutions with activations and a pool: layouts change at the edges alone. */
static void image_model(void)
{
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1,2,6,6");
    kit_floats("w", PW_DIMS(2, 2, 3, 3), 36, ramp);
    kit_floats("b", PW_DIMS(2, 1, 1), 2, ramp);
    kit_node("conv1", "Conv", "x w", "c1");
    kit_node("plus1", "Add", "c1 b", "a1");
    kit_node("relu1", "Relu", "a1", "r1");
    kit_node("conv2", "Conv", "r1 w", "c2");
    kit_node("relu2", "Relu", "c2", "r2");
    kit_node_ints("pool", "MaxPool", "r2", "y", "kernel_shape", 2, (const int64_t[]){2, 2});
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
}

static void run_image(float *out)
{
    float x[72] = {0};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 1, 2, 6, 6), y = kit_wanted(0);

    for (int i = 0; i < 72; i++)
        x[i] = (float)(i % 11 - 5) / 7;
    kit_run(&in, 1, &y, 1);
    ck_assert_uint_eq(y.tensor.bytes, 2 * sizeof *out);
    memcpy(out, bp_tensor_data(&y.tensor), 2 * sizeof *out);
    bp_tensor_free(&y.tensor);
}

static void on_cpu(float *out)
{
    nnapi_new_options();
    kit_session();
    run_image(out);
}

/* The largest difference, relative to 1 + |want|. */
static float distance(const float *got, const float *want)
{
    float most = 0;

    for (int i = 0; i < 2; i++) {
        float d = fabsf(got[i] - want[i]) / (1 + fabsf(want[i]));

        most = d > most ? d : most;
    }
    return most;
}

/* ---- C-01 ------------------------------------------------------------------------------------ */

/* C-01: below Android 8.1 it is not usable here, and says why. */
START_TEST(is_not_available_below_level_27)
{
    bp_provider_info info = {.struct_size = sizeof info};
    uint32_t n, at = BP_NONE;

    nnapi_configure("level = 26\n");
    KIT_OK(bp_env_provider_count(kit.env, &n, &kit.err));
    for (uint32_t i = 0; i < n; i++) {
        KIT_OK(bp_env_provider_info(kit.env, i, &info, &kit.err));
        at = info.name && strcmp(info.name, "nnapi") == 0 ? i : at;
    }
    ck_assert_uint_ne(at, BP_NONE);
    KIT_OK(bp_env_provider_info(kit.env, at, &info, &kit.err));
    ck_assert_int_eq(info.stage, BP_STAGE_AVAILABLE);
    ck_assert_ptr_nonnull(info.reason);
    ck_assert_ptr_nonnull(strstr(info.reason, "has API level 26"));
    ck_assert_ptr_nonnull(strstr(info.reason, "needs 27 (Android 8.1)"));
    row_model();
    nnapi_session(NULL, NULL);
    ck_assert_str_eq(nnapi_groups(), "cpu 3");
    check_row_model();
}
END_TEST

/* C-01: and from there on it is. */
START_TEST(is_available_from_level_27_on)
{
    row_model();
    nnapi_configure("level = 27\n");
    nnapi_session(NULL, NULL);
    ck_assert_str_eq(nnapi_who(0), "nnapi");
    check_row_model();
}
END_TEST

/* ---- C-03, C-04 ------------------------------------------------------------------------------ */

/* C-03: a device that rounds does so with the flag only; results are held to its tolerance. */
START_TEST(use_fp16_lets_the_device_round)
{
    float want[2], exact[2], rounded[2];

    image_model();
    on_cpu(want);
    nnapi_configure("devices = gpu\nreference = off\n");
    nnapi_session(NULL, NULL);
    ck_assert_str_eq(nnapi_groups(), "nnapi 6");
    run_image(exact);
    nnapi_session("use_fp16", "1");
    run_image(rounded);
    ck_assert_msg(distance(exact, want) <= 1e-5f, "float32: %g", (double)distance(exact, want));
    ck_assert_msg(distance(rounded, want) <= 1e-2f, "float16: %g", (double)distance(rounded, want));
    ck_assert_msg(distance(rounded, want) > 1e-6f, "nothing was rounded");
}
END_TEST

/* nnapi.md: the reference device ignores the permission. */
START_TEST(the_reference_device_does_not_round)
{
    float want[2], got[2];

    image_model();
    on_cpu(want);
    nnapi_configure("devices = none\n");
    nnapi_session("use_fp16", "1");
    run_image(got);
    ck_assert_msg(distance(got, want) <= 1e-5f, "%g", (double)distance(got, want));
}
END_TEST

/* C-03, C-04: what a level lacks is said. */
START_TEST(flags_that_a_level_lacks_are_reported)
{
    image_model();
    nnapi_configure("level = 27\n");
    nnapi_session("use_fp16", "1");
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "use_fp16 is ignored"), 1);
    nnapi_configure("level = 28\n");
    nnapi_session("use_nchw", "1");
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "use_nchw needs Android 10, level 29"), 1);
    ck_assert_str_eq(nnapi_who(0), "cpu");
    ck_assert_str_eq(nnapi_refusal(0),
                     "it in NCHW layout (use_nchw) needs NNAPI feature level 29, this is 28");
    ck_assert_str_eq(nnapi_who(2), "nnapi"); /* Relu has no layout */
}
END_TEST

/* C-04: from level 29 on the model is in NCHW, without a TRANSPOSE; else there are two. */
START_TEST(use_nchw_has_no_transposes)
{
    float want[2], got[2];

    image_model();
    on_cpu(want);
    nnapi_configure("level = 29\ndevices = none\n");
    nnapi_session(NULL, NULL);
    run_image(got);
    ck_assert(distance(got, want) <= 1e-5f);
    nnapi_configure("level = 29\ndevices = none\n");
    nnapi_session("use_nchw", "1");
    run_image(got);
    ck_assert(distance(got, want) <= 1e-5f);
    ck_assert_str_eq(nnapi_groups(), "nnapi 6");
}
END_TEST

/* ---- layouts and activations ----------------------------------------------------------------- */

/* A trial has a TRANSPOSE for each change, the group only those at its edges. */
START_TEST(changes_of_layout_between_nodes_cancel_out)
{
    image_model();
    nnapi_configure("devices = none\n");
    nnapi_new_options();
    nnapi_add(BP_FALLBACK_REQUIRE, NULL, NULL);
    kit_session();
    /* two in each trial of conv1, conv2 and pool, and two in the group */
    ck_assert_uint_eq(nnapi_counters().operations_by_code[ANEURALNETWORKS_TRANSPOSE], 8);
    nnapi_configure("devices = none\n");
    nnapi_session("use_nchw", "1");
    ck_assert_uint_eq(nnapi_counters().operations_by_code[ANEURALNETWORKS_TRANSPOSE], 0);
}
END_TEST

/* The group has no RELU: Add and Conv have taken them in. */
START_TEST(activations_are_taken_in_by_their_producers)
{
    image_model();
    nnapi_configure("devices = none\n");
    nnapi_new_options();
    nnapi_add(BP_FALLBACK_REQUIRE, NULL, NULL);
    kit_session();
    ck_assert_uint_eq(nnapi_counters().operations_by_code[ANEURALNETWORKS_RELU], 2); /* trials */
}
END_TEST

/* ---- C-05 to C-07 ---------------------------------------------------------------------------- */

static uint32_t device_of_group(const bp_report *report, uint32_t i, char *id, size_t size)
{
    bp_report_group group = {.struct_size = sizeof group};

    KIT_OK(bp_report_get_group(report, i, &group, &kit.err));
    snprintf(id, size, "%s", group.device_id ? group.device_id : "");
    return group.device;
}

/* C-07: each claim names its device, so that a group is on one, and the report says which. */
START_TEST(claims_name_their_device)
{
    bp_report *report;
    char id[64];

    row_model();
    nnapi_new_options();
    nnapi_add(BP_FALLBACK_REQUIRE, NULL, NULL);
    KIT_OK(bp_plan_create(kit.env, kit_model(), kit.options, &report, &kit.err));
    ck_assert_str_eq(nnapi_groups_of(report), "nnapi 2, nnapi 1");
    ck_assert_uint_eq(device_of_group(report, 0, id, sizeof id), 0);
    ck_assert_str_eq(id, "sim-gpu");
    ck_assert_uint_eq(device_of_group(report, 1, id, sizeof id), 2);
    ck_assert_str_eq(id, "nnapi-reference");
    bp_report_destroy(report);
    kit_session();
    check_row_model();
    ck_assert_uint_eq(nnapi_counters().compilations_for_devices, 2);
}
END_TEST

/* C-05: nodes for NNAPI's CPU go to Backplane's; the accelerator's stay. */
START_TEST(cpu_disabled_returns_nodes_of_its_cpu_to_the_runtime)
{
    row_model();
    nnapi_session("cpu_disabled", "1");
    ck_assert_str_eq(nnapi_groups(), "nnapi 2, cpu 1");
    ck_assert_ptr_nonnull(strstr(nnapi_refusal(2), "GATHER"));
    check_row_model();
}
END_TEST

/* C-05: below level 29 nobody can tell devices apart, and the flag is ignored with a sentence. */
START_TEST(cpu_disabled_is_ignored_below_level_29)
{
    row_model();
    nnapi_configure("level = 28\n");
    nnapi_session("cpu_disabled", "1");
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "cpu_disabled is ignored"), 1);
    ck_assert_str_eq(nnapi_who(0), "nnapi");
    check_row_model();
}
END_TEST

/*
 * C-06: without another device the model runs on Backplane's CPU. (ONNX Runtime's provider runs it
 * on NNAPI's there.)
 */
START_TEST(cpu_disabled_without_an_accelerator_runs_on_the_cpu)
{
    row_model();
    nnapi_configure("devices = none\n");
    nnapi_session("cpu_disabled", "1");
    ck_assert_str_eq(nnapi_groups(), "cpu 3");
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "no device is left by cpu_disabled"), 1);
    ck_assert_ptr_nonnull(strstr(nnapi_refusal(0), "cpu_disabled is set"));
    check_row_model();
    ck_assert_uint_eq(nnapi_counters().runs_started, 0);
}
END_TEST

/* CPU_ONLY gives reference results: one group, on one device. */
START_TEST(cpu_only_uses_the_reference_device_alone)
{
    row_model();
    nnapi_session("cpu_only", "1");
    ck_assert_str_eq(nnapi_groups(), "nnapi 3");
    check_row_model();
    ck_assert_uint_eq(nnapi_counters().compilations_for_devices, 1);
}
END_TEST

/* A device of a lower level than the runtime's lowers what is taken. */
START_TEST(the_level_is_that_of_the_newest_device)
{
    row_model();
    nnapi_configure("level = 31\ndevices = gpu\nreference = off\ndevice = sim-gpu\nlevel = 28\n");
    nnapi_session(NULL, NULL);
    ck_assert_str_eq(nnapi_who(0), "nnapi");
    ck_assert_str_eq(nnapi_who(1), "cpu"); /* Neg is of level 29 */
    ck_assert_str_eq(nnapi_refusal(1), "the operator needs NNAPI feature level 29, this is 28");
    check_row_model();
}
END_TEST

/* ---- C-11 to C-13 ---------------------------------------------------------------------------- */

/* MNIST's digits with smaller images, as they were exported. */
static void same_size(void)
{
    pw_open_attr(&kit.w, "auto_pad", 3);
    pw_text(&kit.w, 4, "SAME_UPPER");
    pw_close(&kit.w);
}

static void pool(const char *name, const char *in, const char *out)
{
    kit_open_node(name, "MaxPool", in, out);
    kit_ints_attr("kernel_shape", 2, (const int64_t[]){2, 2});
    kit_ints_attr("strides", 2, (const int64_t[]){2, 2});
    pw_close(&kit.w);
}

static void constant(const char *name, const int64_t *dims)
{
    uint32_t n = 1;
    float *data;

    for (uint32_t i = 0; dims[i] >= 0; i++)
        n *= (uint32_t)dims[i];
    data = calloc(n, sizeof *data);
    ck_assert_ptr_nonnull(data);
    for (uint32_t i = 0; i < n; i++)
        data[i] = (float)((i * 7 + n) % 13) / 16 - 0.375f;
    kit_floats(name, dims, n, data);
    free(data);
}

static void digit_weights(void)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1,1,8,8");
    constant("w1", PW_DIMS(2, 1, 5, 5));
    constant("w2", PW_DIMS(4, 2, 5, 5));
    constant("w3", PW_DIMS(16, 10));
    constant("b3", PW_DIMS(1, 10));
    kit_ints("rows", PW_DIMS(2), 2, (const int64_t[]){1, 16});
}

static void digits(void)
{
    kit_start_model();
    digit_weights();
    constant("b1", PW_DIMS(2, 1, 1));
    constant("b2", PW_DIMS(4, 1, 1));
    for (int i = 0; i < 2; i++) {
        kit_open_node(i ? "conv2" : "conv1", "Conv", i ? "p1 w2" : "x w1", i ? "c2" : "c1");
        same_size();
        pw_close(&kit.w);
        kit_node(i ? "plus2" : "plus1", "Add", i ? "c2 b2" : "c1 b1", i ? "a2" : "a1");
        kit_node(i ? "relu2" : "relu1", "Relu", i ? "a2" : "a1", i ? "r2" : "r1");
        pool(i ? "pool2" : "pool1", i ? "r2" : "r1", i ? "p2" : "p1");
    }
    kit_node("reshape", "Reshape", "p2 rows", "flat");
    kit_node("matmul", "MatMul", "flat w3", "m");
    kit_node("plus3", "Add", "m b3", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
}

static void import(const char *domain, int64_t version)
{
    pw_open(&kit.w, 8);
    pw_text(&kit.w, 1, domain);
    pw_int(&kit.w, 2, version);
    pw_close(&kit.w);
}

/* As the extended level saves the model without providers. */
static void fused_digits(void)
{
    pw_free(&kit.w);
    pw_int(&kit.w, 1, 8);
    import("", 13);
    import("com.microsoft", 1);
    pw_open(&kit.w, 7);
    pw_text(&kit.w, 2, "main");
    digit_weights();
    for (int i = 0; i < 2; i++) {
        kit_open_node(i ? "conv2" : "conv1", "FusedConv", i ? "p1 w2" : "x w1", i ? "r2" : "r1");
        pw_text(&kit.w, 7, "com.microsoft");
        same_size();
        pw_open_attr(&kit.w, "activation", 3);
        pw_text(&kit.w, 4, "Relu");
        pw_close(&kit.w);
        pw_close(&kit.w);
        pool(i ? "pool2" : "pool1", i ? "r2" : "r1", i ? "p2" : "p1");
    }
    kit_open_node("gemm", "FusedGemm", "flat w3 b3", "y");
    pw_text(&kit.w, 7, "com.microsoft");
    pw_open_attr(&kit.w, "activation", 3);
    pw_text(&kit.w, 4, "Relu");
    pw_close(&kit.w);
    pw_close(&kit.w);
    kit_node("reshape", "Reshape", "p2 rows", "flat");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
}

static void run_digits(float *out)
{
    float x[64] = {0};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 1, 1, 8, 8), y = kit_wanted(0);

    for (int i = 0; i < 64; i++)
        x[i] = (float)(i % 9) / 8;
    kit_run(&in, 1, &y, 1);
    memcpy(out, bp_tensor_data(&y.tensor), 10 * sizeof *out);
    bp_tensor_free(&y.tensor);
}

/*
 * C-11, C-12, C-13: of the model at level basic all nodes are one group, which is one compiled
 * model, and one run of it is one run of NNAPI.
 */
START_TEST(digits_at_basic_are_one_group_and_one_model)
{
    float want[10], got[10];

    digits();
    nnapi_new_options();
    kit_session();
    run_digits(want);
    nnapi_new_options();
    KIT_OK(bp_session_options_set_optimization(kit.options, BP_OPTIMIZE_BASIC, &kit.err));
    nnapi_add(BP_FALLBACK_REQUIRE, NULL, NULL);
    bp_nnapi_reset_counters();
    kit_session();
    ck_assert_uint_eq(bp_report_group_count(bp_session_report(kit.session)), 1);
    ck_assert_str_eq(nnapi_groups(), "nnapi 8");
    ck_assert_uint_eq(nnapi_counters().compilations_for_devices, 1);
    run_digits(got);
    ck_assert_uint_eq(nnapi_counters().runs_started, 1);
    ck_assert_uint_eq(nnapi_counters().bytes_in, 64 * sizeof(float));
    ck_assert_uint_eq(nnapi_counters().bytes_out, 10 * sizeof(float));
    for (int i = 0; i < 10; i++)
        ck_assert_msg(fabsf(got[i] - want[i]) <= 1e-4f * (1 + fabsf(want[i])), "%d: %g, not %g", i,
                      (double)got[i], (double)want[i]);
}
END_TEST

/*
 * C-13: of the model that was fused before, two groups of one MaxPool are left (the second with the
 * Reshape after it), and a warning says why.
 */
START_TEST(fused_digits_are_two_groups_of_a_pool)
{
    fused_digits();
    nnapi_new_options();
    nnapi_add(BP_FALLBACK_WARN, NULL, NULL);
    kit_session();
    ck_assert_str_eq(nnapi_groups(), "cpu 1, nnapi 1, cpu 1, nnapi 2, cpu 1");
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "the model was fused before it came here"), 1);
    ck_assert_uint_eq(nnapi_counters().compilations_for_devices, 2);
}
END_TEST

int main(void)
{
    TCase *all = tcase_create("all");

    tcase_add_test(all, is_not_available_below_level_27);
    tcase_add_test(all, is_available_from_level_27_on);
    tcase_add_test(all, use_fp16_lets_the_device_round);
    tcase_add_test(all, the_reference_device_does_not_round);
    tcase_add_test(all, flags_that_a_level_lacks_are_reported);
    tcase_add_test(all, use_nchw_has_no_transposes);
    tcase_add_test(all, changes_of_layout_between_nodes_cancel_out);
    tcase_add_test(all, activations_are_taken_in_by_their_producers);
    tcase_add_test(all, claims_name_their_device);
    tcase_add_test(all, cpu_disabled_returns_nodes_of_its_cpu_to_the_runtime);
    tcase_add_test(all, cpu_disabled_is_ignored_below_level_29);
    tcase_add_test(all, cpu_disabled_without_an_accelerator_runs_on_the_cpu);
    tcase_add_test(all, cpu_only_uses_the_reference_device_alone);
    tcase_add_test(all, the_level_is_that_of_the_newest_device);
    tcase_add_test(all, digits_at_basic_are_one_group_and_one_model);
    tcase_add_test(all, fused_digits_are_two_groups_of_a_pool);
    tcase_add_checked_fixture(all, nnapi_setup, nnapi_teardown);
    return kit_main("nnapi_mobile", &all, 1);
}
