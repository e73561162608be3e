/* SPDX-License-Identifier: MIT */
/*
 * check_passes_mnist.c - the digits of the model zoo (MNIST), built here with smaller images: what
 * each level makes of them, alone and for a provider that takes plain operators only.
 */

#include "config.h"

#include "optimize/passes_kit.h"

/* ---- the model ------------------------------------------------------------------------------- */

static void same_size(void)
{
    pw_open_attr(&kit.w, "auto_pad", 3);
    pw_text(&kit.w, 4, "SAME_UPPER");
    pw_close(&kit.w);
}

static void max_pool(const char *name, const char *in, const char *out)
{
    kit_open_node(name, "MaxPool", in, out);
    kit_ints_attr("kernel_shape", 2, (const int64_t[]){2, 2});
    kit_ints_attr("strides", 2, (const int64_t[]){2, 2});
    pw_close(&kit.w);
}

static void weights(void)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1,1,8,8");
    passes_floats("w1", PW_DIMS(2, 1, 5, 5), 1);
    passes_floats("b1", PW_DIMS(2, 1, 1), 2);
    passes_floats("w2", PW_DIMS(4, 2, 5, 5), 3);
    passes_floats("b2", PW_DIMS(4, 1, 1), 4);
    passes_floats("w3", PW_DIMS(4, 2, 2, 10), 5);
    passes_floats("b3", PW_DIMS(1, 10), 6);
    kit_ints("rows", PW_DIMS(2), 2, (const int64_t[]){1, 16});
    kit_ints("matrix", PW_DIMS(2), 2, (const int64_t[]){16, 10});
}

/* As it was exported. */
static void digits(void)
{
    weights();
    kit_node("reshape3", "Reshape", "w3 matrix", "w3m");
    for (int i = 0; i < 2; i++) {
        kit_open_node(i ? "conv2" : "conv1", "Conv", i ? "p1 w2" : "x w1", i ? "c2" : "c1");
        same_size();
        pw_close(&kit.w);
        kit_node(i ? "plus2" : "plus1", "Add", i ? "c2 b2" : "c1 b1", i ? "a2" : "a1");
        kit_node(i ? "relu2" : "relu1", "Relu", i ? "a2" : "a1", i ? "r2" : "r1");
        max_pool(i ? "pool2" : "pool1", i ? "r2" : "r1", i ? "p2" : "p1");
    }
    kit_node("reshape", "Reshape", "p2 rows", "flat");
    kit_node("matmul", "MatMul", "flat w3m", "m");
    kit_node("plus3", "Add", "m b3", "y");
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
    weights();
    passes_floats("v1", PW_DIMS(2), 2);
    passes_floats("v2", PW_DIMS(4), 4);
    passes_floats("w3m", PW_DIMS(16, 10), 5);
    for (int i = 0; i < 2; i++) {
        kit_open_node(i ? "conv2" : "conv1", "FusedConv", i ? "p1 w2 v2" : "x w1 v1",
                      i ? "r2" : "r1");
        pw_text(&kit.w, 7, "com.microsoft");
        same_size();
        pw_open_attr(&kit.w, "activation", 3);
        pw_text(&kit.w, 4, "Relu");
        pw_close(&kit.w);
        pw_close(&kit.w);
        max_pool(i ? "pool2" : "pool1", i ? "r2" : "r1", i ? "p2" : "p1");
    }
    kit_node("reshape", "Reshape", "p2 rows", "flat");
    kit_node("gemm", "Gemm", "flat w3m b3", "y");
}

/* ---- for whom -------------------------------------------------------------------------------- */

/* "mobile 8" or "cpu 1, mobile 1, cpu 1": providers of the groups, with so many nodes. */
static const char *groups(const bp_report *report)
{
    static char text[256];
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < bp_report_group_count(report); i++) {
        bp_report_group group = {.struct_size = sizeof group};
        bp_report_provider provider = {.struct_size = sizeof provider};

        KIT_OK(bp_report_get_group(report, i, &group, &kit.err));
        KIT_OK(bp_report_get_provider(report, group.provider, &provider, &kit.err));
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %u", used ? ", " : "",
                                 provider.name, group.n_nodes);
        ck_assert_uint_lt(used, sizeof text);
    }
    return text;
}

/* Such a plan of the model for a phone with matrices or without. */
static void plan_is(uint32_t level, const char *matrices, const char *want)
{
    bp_report *report;

    passes_open_at(level);
    kit_provider_with("mobile", "matrices", matrices);
    KIT_OK(bp_plan_create(kit.env, kit_model(), kit.options, &report, &kit.err));
    ck_assert_str_eq(groups(report), want);
    bp_report_destroy(report);
}

/* The only warning of a plan that is made now, or "". */
static const char *warning(void)
{
    const char *found = "";

    for (uint32_t i = 0; i < kit.n_lines && i < KIT_LINES; i++) {
        if (kit.lines[i][0] != '0' + BP_LOG_WARN)
            continue;
        ck_assert_msg(!*found, "two warnings: %s and %s", found, kit.lines[i]);
        found = kit.lines[i];
    }
    return found;
}

/* Such a plan, and a warning that has these words; NULL: none. */
static void plan_warns(uint32_t level, const char *matrices, const char *want, const char *words)
{
    kit.n_lines = 0;
    plan_is(level, matrices, want);
    ck_assert_uint_le(kit.n_lines, KIT_LINES);
    if (words)
        ck_assert_ptr_nonnull(strstr(warning(), words));
    else
        ck_assert_str_eq(warning(), "");
}

/* ---- tests ----------------------------------------------------------------------------------- */

START_TEST(mnist_is_fused_to_biased_convs_and_a_gemm)
{
    digits();
    passes_becomes("Conv Relu MaxPool Conv Relu MaxPool Reshape Gemm",
                   "FusedConv MaxPool FusedConv MaxPool Reshape Gemm");
    ck_assert_uint_eq(passes_matches("fold-bias"), 2);
    ck_assert_uint_eq(passes_matches("make-gemm"), 1);
    ck_assert_uint_eq(passes_matches("fold-constants"), 1); /* the Reshape of the weights */
    ck_assert_uint_eq(passes_matches("fuse-conv"), 2);
    ck_assert_str_eq(passes_node("conv1").stands_for, "conv1, plus1, relu1");
    ck_assert_str_eq(passes_node("matmul").stands_for, "matmul, plus3");
}
END_TEST

START_TEST(nnapi_takes_all_nodes_of_unfused_mnist)
{
    digits();
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    plan_warns(BP_OPTIMIZE_BASIC, "true", "mobile 8", NULL);
    plan_warns(BP_OPTIMIZE_EXTENDED, "true", "mobile 8", NULL); /* asked, it keeps what is plain */
    plan_warns(BP_OPTIMIZE_EXTENDED, "false", "mobile 6, cpu 2", NULL);
}
END_TEST

START_TEST(nnapi_takes_only_the_pools_of_fused_mnist)
{
    fused_digits();
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    for (uint32_t level = BP_OPTIMIZE_NONE; level <= BP_OPTIMIZE_EXTENDED; level++) {
        plan_warns(
            level, "false", "cpu 1, mobile 1, cpu 1, mobile 1, cpu 2",
            "provider 'mobile' gets 2 of 6 nodes, in 2 groups: the model was fused before it "
            "came here, and 2 nodes beside them (com.microsoft.FusedConv) it does not take");
        plan_warns(level, "true", "cpu 1, mobile 1, cpu 1, mobile 3",
                   "provider 'mobile' gets 4 of 6 nodes, in 2 groups");
    }
}
END_TEST

START_TEST(provider_with_policy_silent_gets_no_fusion_warning)
{
    bp_report *report;

    fused_digits();
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    passes_open_at(BP_OPTIMIZE_EXTENDED);
    kit_provider("mobile", BP_FALLBACK_SILENT);
    kit.n_lines = 0;
    KIT_OK(bp_plan_create(kit.env, kit_model(), kit.options, &report, &kit.err));
    ck_assert_str_eq(warning(), "");
    bp_report_destroy(report);
}
END_TEST

START_TEST(mnist_is_fused_when_nnapi_is_dropped)
{
    digits();
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    passes_open_at(BP_OPTIMIZE_EXTENDED);
    kit_provider("mobile", BP_FALLBACK_SILENT);
    kit_session(); /* compiling fails, the rest begins anew */
    ck_assert_str_eq(passes_ops(), "FusedConv MaxPool FusedConv MaxPool Reshape Gemm");
}
END_TEST

int main(void)
{
    TCase *all = tcase_create("all");

    tcase_add_test(all, mnist_is_fused_to_biased_convs_and_a_gemm);
    tcase_add_test(all, nnapi_takes_all_nodes_of_unfused_mnist);
    tcase_add_test(all, nnapi_takes_only_the_pools_of_fused_mnist);
    tcase_add_test(all, provider_with_policy_silent_gets_no_fusion_warning);
    tcase_add_test(all, mnist_is_fused_when_nnapi_is_dropped);
    tcase_add_checked_fixture(all, kit_setup, kit_teardown);
    tcase_set_timeout(all, 120);
    return kit_main("passes_mnist", &all, 1);
}
