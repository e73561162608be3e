/* SPDX-License-Identifier: MIT */
/*
 * check_channels_last.c - a provider that wants its data channels-last (BP_PROVIDER_NHWC) gets such
 * nodes, with as few Transposes around them as can be, or none. The provider is the mock nhwc, whose
 * results are compared with those of cpu.
 */

#include "config.h"

#include "support/session_kit.h"

#include <math.h>

#define LAST "com.ms.internal.nhwc"

enum { CHANNELS = 3, SIDE = 8, FILTERS = 4, MOST = 2 * CHANNELS * SIDE * SIDE };

/* ---- models ---------------------------------------------------------------------------------- */

/* Some values between -1 and 1 that differ. */
static void fill(float *out, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        out[i] = (float)(seed >> 16 & 0xff) / 128 - 1;
    }
}

/* A 3x3 convolution that keeps the size, with constant weights and, unless NULL, a bias. */
static void conv(const char *name, const char *in, const char *out, int64_t channels)
{
    static const int64_t pads[] = {1, 1, 1, 1};
    const int64_t dims[] = {FILTERS, channels, 3, 3, -1}, bias_dims[] = {FILTERS, -1};
    float weights[FILTERS * 2 * FILTERS * 9], bias[FILTERS];
    char w[32], b[32], inputs[96];

    snprintf(w, sizeof w, "%s_w", name);
    snprintf(b, sizeof b, "%s_b", name);
    fill(weights, (size_t)(FILTERS * channels * 9), (unsigned)name[0]);
    fill(bias, FILTERS, (unsigned)name[0] + 1);
    kit_floats(w, dims, (uint32_t)(FILTERS * channels * 9), weights);
    kit_floats(b, bias_dims, FILTERS, bias);
    snprintf(inputs, sizeof inputs, "%s %s %s", in, w, b);
    kit_open_node(name, "Conv", inputs, out);
    kit_ints_attr("pads", 4, pads);
    pw_close(&kit.w);
}

static void max_pool(const char *in, const char *out)
{
    static const int64_t two[] = {2, 2};

    kit_open_node("pool", "MaxPool", in, out);
    kit_ints_attr("kernel_shape", 2, two);
    kit_ints_attr("strides", 2, two);
    pw_close(&kit.w);
}

/* A residual block, a pool and the average of each channel. */
static void residual_model(void)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N,3,8,8");
    conv("first", "x", "a", CHANNELS);
    kit_node("relu", "Relu", "a", "r");
    conv("second", "r", "b", FILTERS);
    kit_node("add", "Add", "b r", "s");
    max_pool("s", "p");
    kit_node("average", "GlobalAveragePool", "p", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
}

/* Two branches that are concatenated on the channels, and a third convolution on that. */
static void concat_model(void)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N,3,8,8");
    conv("left", "x", "a", CHANNELS);
    conv("right", "x", "b", CHANNELS);
    kit_open_node("concat", "Concat", "a b", "c");
    kit_int_attr("axis", -3);
    pw_close(&kit.w);
    kit_node("relu", "Relu", "c", "r");
    conv("third", "r", "y", 2 * FILTERS);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
}

/* Scales and offsets of channels, of rank 3 and 4, and a ramp along the rows. */
static void scale_model(void)
{
    static const int64_t three[] = {FILTERS, 1, 1, -1}, four[] = {1, FILTERS, 1, 1, -1},
                         rows[] = {SIDE, -1};
    static const float scales[] = {1, -2, 3, 0.5f}, ramp[] = {0, 1, 2, 3, 4, 5, 6, 7};

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N,3,8,8");
    kit_floats("three", three, FILTERS, scales);
    kit_floats("four", four, FILTERS, scales);
    kit_floats("ramp", rows, SIDE, ramp);
    conv("first", "x", "a", CHANNELS);
    kit_node("scale", "Mul", "a three", "b");
    kit_node("offset", "Sub", "four b", "c");
    kit_node("prelu", "PRelu", "c three", "d");
    conv("second", "d", "e", FILTERS);
    kit_node("tilt", "Add", "e ramp", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
}

/* Between the convolutions is an operator that knows only the model's layout. */
static void softmax_model(void)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N,3,8,8");
    conv("first", "x", "a", CHANNELS);
    kit_node_int("softmax", "Softmax", "a", "r", "axis", 1);
    conv("second", "r", "y", FILTERS);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    kit_io(KIT_OUTPUT, "a", BP_DTYPE_F32, NULL);
}

/* ---- checks ---------------------------------------------------------------------------------- */

/* The row of a node by its name. */
static bp_report_node node_of(const char *name)
{
    const bp_report *report = bp_session_report(kit.session);
    bp_report_node row = {.struct_size = sizeof row};

    for (uint32_t i = 0; i < bp_report_node_count(report); i++) {
        KIT_OK(bp_report_get_node(report, i, &row, &kit.err));
        if (strcmp(row.name, name) == 0)
            return row;
    }
    ck_abort_msg("there is no node '%s'", name);
    return row;
}

static void runs_on(const char *name, const char *provider, const char *domain)
{
    bp_report_provider row = {.struct_size = sizeof row};
    bp_report_node node = node_of(name);

    ck_assert_uint_ne(node.provider, BP_NONE);
    KIT_OK(bp_report_get_provider(bp_session_report(kit.session), node.provider, &row, &kit.err));
    ck_assert_msg(strcmp(row.name, provider) == 0, "%s runs %s", row.name, name);
    ck_assert_msg(strcmp(node.domain, domain) == 0, "%s is of '%s'", name, node.domain);
}

static uint32_t count_op(const char *op)
{
    const bp_report *report = bp_session_report(kit.session);
    uint32_t n = 0;

    for (uint32_t i = 0; i < bp_report_node_count(report); i++) {
        bp_report_node row = {.struct_size = sizeof row};

        KIT_OK(bp_report_get_node(report, i, &row, &kit.err));
        n += strcmp(row.op, op) == 0;
    }
    return n;
}

/* The first output for `rows` images, to be freed. */
static bp_tensor run_rows(int64_t rows)
{
    static float x[MOST];
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, rows, CHANNELS, SIDE, SIDE), out = kit_wanted(0);

    fill(x, MOST, 7);
    kit_run(&in, 1, &out, 1);
    return out.tensor;
}

/* Runs on kit.session and on cpu alone give the same, for one image and for two. */
static void check_results(void)
{
    bp_session *cpu = NULL, *mine = kit.session;

    KIT_OK(bp_session_create_from_model(kit.env, kit.model, NULL, &cpu, &kit.err));
    for (int64_t rows = 1; rows <= 2; rows++) {
        bp_tensor got = run_rows(rows), want;
        const float *a, *b;

        kit.session = cpu;
        want = run_rows(rows);
        kit.session = mine;
        ck_assert_uint_eq(got.rank, want.rank);
        for (uint32_t d = 0; d < got.rank; d++)
            ck_assert_int_eq(got.dims[d], want.dims[d]);
        a = (const float *)bp_tensor_data(&got);
        b = (const float *)bp_tensor_data(&want);
        for (int64_t i = 0; i < bp_dims_count(want.dims, want.rank); i++)
            ck_assert_msg(fabsf(a[i] - b[i]) <= 1e-4f * (1 + fabsf(b[i])), "element %d: %g, not %g",
                          (int)i, (double)a[i], (double)b[i]);
        bp_tensor_free(&got);
        bp_tensor_free(&want);
    }
    bp_session_destroy(cpu);
}

/* ---- transform ------------------------------------------------------------------------------- */

static const uint32_t levels[] = {BP_OPTIMIZE_DEFAULT, BP_OPTIMIZE_NONE};

START_TEST(provider_gets_nodes_with_their_data_channels_last)
{
    bp_report_provider row = {.struct_size = sizeof row};

    residual_model();
    kit_provider("nhwc", BP_FALLBACK_REQUIRE);
    KIT_OK(bp_session_options_set_optimization(kit.options, levels[_i], &kit.err));
    kit_session();
    runs_on("first", "nhwc", LAST);
    runs_on("second", "nhwc", LAST);
    runs_on("pool", "nhwc", LAST);
    runs_on("average", "nhwc", LAST);
    runs_on("relu", "nhwc", "");
    runs_on("add", "nhwc", "");
    ck_assert_uint_eq(count_op("Transpose"), 2); /* of the input and of the output */
    KIT_OK(bp_report_get_provider(bp_session_report(kit.session), 0, &row, &kit.err));
    ck_assert_uint_eq(row.n_groups, 1);
    check_results();
}
END_TEST

START_TEST(concatenated_branches_need_no_transposes_between)
{
    concat_model();
    kit_provider("nhwc", BP_FALLBACK_REQUIRE);
    kit_session();
    runs_on("third", "nhwc", LAST);
    ck_assert_uint_eq(count_op("Transpose"), 2);
    check_results();
}
END_TEST

/* At level none, where no pass folds the scale into the weights. */
START_TEST(constants_of_channels_need_no_transposes)
{
    scale_model();
    kit_provider("nhwc", BP_FALLBACK_REQUIRE);
    KIT_OK(bp_session_options_set_optimization(kit.options, BP_OPTIMIZE_NONE, &kit.err));
    kit_session();
    runs_on("first", "nhwc", LAST);
    runs_on("prelu", "cpu", "");
    runs_on("second", "nhwc", LAST);
    ck_assert_uint_eq(count_op("Transpose"), 2);
    check_results();
}
END_TEST

START_TEST(operators_and_outputs_of_the_models_layout_get_transposes)
{
    softmax_model();
    kit_provider("nhwc", BP_FALLBACK_REQUIRE);
    kit_session();
    runs_on("first", "nhwc", LAST);
    runs_on("softmax", "cpu", "");
    runs_on("second", "nhwc", LAST);
    ck_assert_uint_eq(count_op("Transpose"), 4);
    check_results();
}
END_TEST

START_TEST(other_providers_get_the_models_layout)
{
    residual_model();
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_set_optimization(kit.options, BP_OPTIMIZE_BASIC, &kit.err));
    kit_session();
    runs_on("first", "cpu", "");
    ck_assert_uint_eq(count_op("Transpose"), 0);
}
END_TEST

/* ---- or refuse ------------------------------------------------------------------------------- */

START_TEST(node_that_the_provider_does_not_take_channels_last_goes_to_the_next)
{
    bp_report_refusal refusal = {.struct_size = sizeof refusal};

    residual_model();
    kit_provider_with("nhwc", "refuse", "MaxPool");
    KIT_OK(bp_session_options_set_optimization(kit.options, levels[_i], &kit.err));
    kit_session();
    runs_on("first", "nhwc", LAST);
    runs_on("pool", "cpu", "");
    runs_on("average", "nhwc", LAST);
    for (uint32_t i = 0; i < bp_report_node_count(bp_session_report(kit.session)); i++) {
        bp_report_node node = {.struct_size = sizeof node};

        KIT_OK(bp_report_get_node(bp_session_report(kit.session), i, &node, &kit.err));
        if (strcmp(node.name, "pool") == 0)
            KIT_OK(bp_report_get_refusal(bp_session_report(kit.session), i, 0, &refusal, &kit.err));
    }
    ck_assert_ptr_nonnull(refusal.text);
    ck_assert_ptr_nonnull(strstr(refusal.text, "does not take the node so"));
    check_results();
}
END_TEST

/* The group's nodes have ONNX's layout again, with passes and without. */
START_TEST(group_that_is_not_compiled_goes_to_the_next_in_the_models_layout)
{
    softmax_model();
    kit_provider_with("nhwc", "decline", "Conv");
    KIT_OK(bp_session_options_set_optimization(kit.options, levels[_i], &kit.err));
    kit_session();
    runs_on("first", "cpu", "");
    runs_on("second", "cpu", "");
    ck_assert_uint_eq(count_op("Transpose"), 0);
    check_results();
}
END_TEST

START_TEST(sizes_that_are_refused_run_on_the_next_in_the_models_layout)
{
    residual_model();
    kit_provider_with("nhwc", "most", "1");
    kit_session();
    runs_on("first", "nhwc", LAST);
    check_results(); /* of one image, then of two */
    ck_assert_uint_eq(bp_report_refused_sizes_count(bp_session_report(kit.session)), 1);
}
END_TEST

START_TEST(placement_rules_say_which_nodes_are_channels_last)
{
    residual_model();
    kit_provider("nhwc", BP_FALLBACK_WARN);
    KIT_OK(bp_session_options_add_placement(kit.options, "second=cpu", &kit.err));
    KIT_OK(bp_session_options_add_placement(kit.options, "first=nhwc", &kit.err));
    kit_session();
    runs_on("first", "nhwc", LAST);
    runs_on("second", "cpu", "");
    runs_on("pool", "nhwc", LAST);
    check_results();
}
END_TEST

START_TEST(node_whose_rank_is_not_known_goes_to_the_next)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, NULL);
    conv("first", "x", "y", CHANNELS);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    kit_provider("nhwc", BP_FALLBACK_WARN);
    kit_session();
    runs_on("first", "cpu", "");
    check_results();
}
END_TEST

START_TEST(nodes_of_bodies_are_channels_last_too)
{
    static float x[MOST];
    uint8_t c = 1;
    bp_binding in[] = {KIT_TENSOR(0, BP_DTYPE_BOOL, &c, 1),
                       KIT_TENSOR(1, BP_DTYPE_F32, x, 1, CHANNELS, SIDE, SIDE)};
    bp_binding out = kit_wanted(0);

    kit_io(KIT_INPUT, "c", BP_DTYPE_BOOL, "1");
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1,3,8,8");
    kit_open_node("if", "If", "c", "y");
    kit_open_subgraph("then_branch");
    kit_node("all", "GlobalAveragePool", "x", "t");
    kit_io(KIT_OUTPUT, "t", BP_DTYPE_F32, NULL);
    kit_close_subgraph();
    kit_open_subgraph("else_branch");
    kit_node("most", "GlobalMaxPool", "x", "e");
    kit_io(KIT_OUTPUT, "e", BP_DTYPE_F32, NULL);
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    kit_provider("nhwc", BP_FALLBACK_WARN);
    kit_session();
    runs_on("all", "nhwc", LAST);
    runs_on("most", "cpu", ""); /* not one of the mock's operators */
    ck_assert_uint_eq(count_op("Transpose"), 2);
    fill(x, MOST, 3);
    kit_run(in, 2, &out, 1);
    KIT_DIMS(&out.tensor, 1, CHANNELS, 1, 1);
    for (int k = 0; k < CHANNELS; k++) {
        float sum = 0;

        for (int i = 0; i < SIDE * SIDE; i++)
            sum += x[k * SIDE * SIDE + i];
        ck_assert(fabsf(((const float *)out.tensor.base)[k] - sum / (SIDE * SIDE)) < 1e-5f);
    }
    bp_tensor_free(&out.tensor);
}
END_TEST

/*
 * s starts with x and becomes Relu(Conv(s) + s) in each of n iterations. The body captures weights.
 * With _i the provider refuses Conv channels-last.
 */
START_TEST(loop_with_a_convolution_is_channels_last_in_its_body)
{
    static float x[MOST];
    static const int64_t dims[] = {CHANNELS, CHANNELS, 3, 3, -1}, pads[] = {1, 1, 1, 1};
    float weights[CHANNELS * CHANNELS * 9], got[CHANNELS * SIDE * SIDE];
    int64_t n = 3;
    bp_binding in[] = {kit_tensor(0, BP_DTYPE_I64, &n, 0, NULL),
                       KIT_TENSOR(1, BP_DTYPE_F32, x, 1, CHANNELS, SIDE, SIDE)};
    bp_binding out = kit_wanted(0);

    fill(weights, CHANNELS * CHANNELS * 9, 5);
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++)
        weights[i] /= 16;
    kit_io(KIT_INPUT, "n", BP_DTYPE_I64, "");
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1,3,8,8");
    kit_floats("w", dims, CHANNELS * CHANNELS * 9, weights);
    kit_open_node("loop", "Loop", "n - x", "y");
    kit_open_subgraph("body");
    kit_io(KIT_INPUT, "i", BP_DTYPE_I64, "");
    kit_io(KIT_INPUT, "go", BP_DTYPE_BOOL, "");
    kit_io(KIT_INPUT, "s", BP_DTYPE_F32, "1,3,8,8");
    kit_node("same", "Identity", "go", "go_on");
    kit_open_node("conv", "Conv", "s w", "c");
    kit_ints_attr("pads", 4, pads);
    pw_close(&kit.w);
    kit_node("add", "Add", "c s", "a");
    kit_node("relu", "Relu", "a", "t");
    kit_io(KIT_OUTPUT, "go_on", BP_DTYPE_BOOL, "");
    kit_io(KIT_OUTPUT, "t", BP_DTYPE_F32, NULL);
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    kit_provider_with("nhwc", "refuse", _i ? "Conv" : "");
    KIT_OK(bp_session_options_set_optimization(kit.options, BP_OPTIMIZE_BASIC, &kit.err));
    kit_session();
    runs_on("conv", _i ? "cpu" : "nhwc", _i ? "" : LAST);
    ck_assert_uint_eq(count_op("Transpose"), _i ? 0 : 2); /* of s; to t */
    fill(x, MOST, 9);
    kit_run(in, 2, &out, 1);
    memcpy(got, out.tensor.base, sizeof got);
    bp_tensor_free(&out.tensor);
    bp_session_options_destroy(kit.options);
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_set_optimization(kit.options, BP_OPTIMIZE_BASIC, &kit.err));
    KIT_OK(bp_session_set_providers(kit.session, kit.options, &kit.err));
    runs_on("conv", "cpu", "");
    out = kit_wanted(0);
    kit_run(in, 2, &out, 1);
    for (size_t i = 0; i < sizeof got / sizeof *got; i++)
        ck_assert(fabsf(got[i] - ((const float *)out.tensor.base)[i]) < 1e-4f);
    bp_tensor_free(&out.tensor);
}
END_TEST

/* A model is for other hosts too, which do not know these nodes. */
START_TEST(model_that_is_written_has_the_models_layout)
{
    bp_model *written = NULL;
    bp_model_info info = {.struct_size = sizeof info};

    residual_model();
    kit_provider("nhwc", BP_FALLBACK_WARN);
    KIT_OK(bp_model_optimize(kit.env, kit_model(), kit.options, 0, &written, NULL, &kit.err));
    KIT_OK(bp_model_get_info(written, &info, &kit.err));
    ck_assert_uint_gt(info.n_ops, 0);
    for (uint32_t i = 0; i < info.n_ops; i++) {
        bp_op_info op = {.struct_size = sizeof op};

        KIT_OK(bp_model_op(written, i, &op, &kit.err));
        ck_assert_str_eq(op.domain, "");
        ck_assert_str_ne(op.op, "Transpose");
    }
    bp_model_close(written);
}
END_TEST

START_TEST(plan_shows_the_transposes_of_a_session)
{
    bp_report *report = NULL;
    uint32_t n = 0;

    residual_model();
    kit_provider("nhwc", BP_FALLBACK_WARN);
    KIT_OK(bp_plan_create(kit.env, kit_model(), kit.options, &report, &kit.err));
    for (uint32_t i = 0; i < bp_report_node_count(report); i++) {
        bp_report_node row = {.struct_size = sizeof row};

        KIT_OK(bp_report_get_node(report, i, &row, &kit.err));
        n += strcmp(row.op, "Transpose") == 0;
    }
    ck_assert_uint_eq(n, 2);
    bp_report_destroy(report);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("channels_last");

    tcase_add_checked_fixture(tcase, kit_setup, kit_teardown);
    tcase_add_loop_test(tcase, provider_gets_nodes_with_their_data_channels_last, 0, 2);
    tcase_add_test(tcase, concatenated_branches_need_no_transposes_between);
    tcase_add_test(tcase, constants_of_channels_need_no_transposes);
    tcase_add_test(tcase, operators_and_outputs_of_the_models_layout_get_transposes);
    tcase_add_test(tcase, other_providers_get_the_models_layout);
    tcase_add_loop_test(tcase, node_that_the_provider_does_not_take_channels_last_goes_to_the_next,
                        0, 2);
    tcase_add_loop_test(tcase, group_that_is_not_compiled_goes_to_the_next_in_the_models_layout, 0,
                        2);
    tcase_add_test(tcase, sizes_that_are_refused_run_on_the_next_in_the_models_layout);
    tcase_add_test(tcase, placement_rules_say_which_nodes_are_channels_last);
    tcase_add_test(tcase, node_whose_rank_is_not_known_goes_to_the_next);
    tcase_add_test(tcase, nodes_of_bodies_are_channels_last_too);
    tcase_add_loop_test(tcase, loop_with_a_convolution_is_channels_last_in_its_body, 0, 2);
    tcase_add_test(tcase, model_that_is_written_has_the_models_layout);
    tcase_add_test(tcase, plan_shows_the_transposes_of_a_session);
    return kit_main("channels_last", &tcase, 1);
}
