/* SPDX-License-Identifier: MIT */
/*
 * check_imports.c - what ONNX Runtime makes of doubtful files, made here too: operator sets that are
 * not imported, imported twice or too new, attributes that an operator does not have, a name that an
 * initializer shares with a node, and loops within loops.
 */

#include "config.h"

#include <check.h>
#include <string.h>

#include "support/session_kit.h"

static const float ones[] = {1, 1, 1, 1, 1, 1, 1, 1}, counting[] = {0, 1, 2, 3, 4, 5, 6, 7};

static bp_session_options *options(void)
{
    if (!kit.options)
        KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    return kit.options;
}

/* ---- imports --------------------------------------------------------------------------------- */

struct import {
    const char *domain; /* NULL ends a list */
    int64_t version;
};

/* A model with these imports, its graph open. */
static void start_model(const struct import *imports)
{
    kit_start_model();
    pw_free(&kit.w);
    pw_int(&kit.w, 1, 8);
    for (; imports->domain; imports++) {
        pw_open(&kit.w, 8);
        pw_text(&kit.w, 1, imports->domain);
        pw_int(&kit.w, 2, imports->version);
        pw_close(&kit.w);
    }
    pw_open(&kit.w, 7);
    pw_text(&kit.w, 2, "main");
}
#define START(...) start_model((const struct import[]){__VA_ARGS__, {NULL, 0}})

/* Of a model that does not open. */
static bp_rc open_model(void)
{
    pw_close(&kit.w);
    kit.is_closed = true;
    return bp_model_open_memory(kit.env, kit.w.data, kit.w.size, NULL, &kit.model, &kit.err);
}

/* Left open for attributes. */
static void open_node_of(const char *domain, const char *op, const char *in, const char *out)
{
    kit_open_node("n", op, in, out);
    pw_text(&kit.w, 7, domain);
}

static void unary(const char *domain, const char *op)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,2,2");
    open_node_of(domain, op, "x", "y");
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
}

static float first_result(const float *x)
{
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 2, 2, 2), out = kit_wanted(0);
    float first;

    kit_session();
    kit_run(&in, 1, &out, 1);
    KIT_DIMS(&out.tensor, 2, 2, 2);
    first = *(const float *)out.tensor.base;
    bp_tensor_free(&out.tensor);
    return first;
}

static void is_near(float got, float want)
{
    ck_assert_msg(got > want - 1e-4f && got < want + 1e-4f, "%g is not %g", (double)got,
                  (double)want);
}

/* Softmax over all but the first dimension up to version 12, over the last one from 13 on. */
static const float softmax_12 = 0.0320586f, softmax_13 = 0.26894143f;

/* Model contrib_no_import of tests/differential/models.tsv. */
START_TEST(microsoft_operators_need_no_opset_import)
{
    START({"", 21});
    unary("com.microsoft", "Gelu");
    is_near(first_result(ones), 0.8413447f);
}
END_TEST

START_TEST(model_without_an_onnx_import_uses_the_newest_operators)
{
    START({"com.microsoft", 1});
    unary("", "Softmax");
    is_near(first_result(counting), softmax_13);
    START({"com.microsoft", 1});
    unary("nobody.knows", "Softmax");
    KIT_FAILS(kit_try_session(), BP_E_UNSUPPORTED, "nobody.knows.Softmax-1");
}
END_TEST

/* Model contrib_only_opset_0 of tests/differential/models.tsv. */
START_TEST(opset_0_of_microsoft_is_accepted_and_of_onnx_rejected)
{
    START({"", 0}, {"com.microsoft", 1});
    unary("com.microsoft", "Gelu");
    is_near(first_result(ones), 0.8413447f);
    START({"", 0}, {"com.microsoft", 1});
    unary("", "Relu");
    KIT_FAILS(kit_try_session(), BP_E_UNSUPPORTED, "Relu-0", "version 0 of its domain");
}
END_TEST

static const struct {
    struct import first, second;
    float want;
} twice[] = {
    {{"", 12}, {"", 13}, 0.26894143f},        {{"", 13}, {"", 12}, 0.0320586f},
    {{"", 12}, {"ai.onnx", 13}, 0.26894143f}, {{"ai.onnx", 13}, {"", 12}, 0.0320586f},
    {{"ai.onnx", 12}, {"", 13}, 0.26894143f},
};

/* Model duplicate_opset_import of tests/differential/models.tsv. */
START_TEST(last_of_two_opset_imports_counts)
{
    START(twice[_i].first, twice[_i].second);
    unary("", "Softmax");
    is_near(first_result(counting), twice[_i].want);
    ck_assert(twice[_i].want == softmax_12 || twice[_i].want == softmax_13);
}
END_TEST

/* Model opset_99 of tests/differential/models.tsv. */
START_TEST(newer_opset_is_rejected_unless_allowed)
{
    bp_model_info info = {.struct_size = sizeof info};

    START({"", 99});
    unary("", "Relu");
    KIT_FAILS(kit_try_session(), BP_E_VERSION, "version 99 of operator set 'ai.onnx'", "is 28",
              "set_newer_opsets");
    KIT_OK(bp_model_get_info(kit_model(), &info,
                             &kit.err)); /* the model can be opened for inspection */
    START({"", 21}, {"com.microsoft", 2});
    unary("", "Relu");
    KIT_FAILS(kit_try_session(), BP_E_VERSION, "version 2 of operator set 'com.microsoft'");
    START({"", 21}, {"ai.onnx.ml", 6});
    unary("", "Relu");
    KIT_FAILS(kit_try_session(), BP_E_VERSION, "version 6 of operator set 'ai.onnx.ml'");
    START({"", 28}, {"nobody.knows", 99});
    unary("", "Relu");
    is_near(first_result(ones), 1);

    START({"", 99});
    unary("", "Relu");
    bp_session_options_set_newer_opsets(options(), 1);
    is_near(first_result(ones), 1);
}
END_TEST

/* ---- attributes ------------------------------------------------------------------------------ */

static void float_attr(const char *name, float value)
{
    pw_open_attr(&kit.w, name, 1);
    pw_float(&kit.w, 2, value);
    pw_close(&kit.w);
}

/* Model contrib_epsion of tests/differential/models.tsv. */
START_TEST(misspelt_attribute_of_a_microsoft_operator_is_rejected)
{
    START({"", 21}, {"com.microsoft", 1});
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1,2,4");
    kit_io(KIT_INPUT, "s", BP_DTYPE_F32, "4");
    open_node_of("com.microsoft", "SkipLayerNormalization", "x x s", "y");
    float_attr("epsion", 1e-12f);
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    KIT_FAILS(open_model(), BP_E_INVALID, "no attribute 'epsion'", "is 'epsilon' meant?");
}
END_TEST

/* Model contrib_gelu_unknown_attr of tests/differential/models.tsv. */
START_TEST(unknown_attribute_of_microsoft_gelu_is_rejected)
{
    START({"", 21}, {"com.microsoft", 1});
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2");
    open_node_of("com.microsoft", "Gelu", "x", "y");
    kit_int_attr("foo", 1);
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    KIT_FAILS(open_model(), BP_E_INVALID, "(Gelu)", "no attribute 'foo'");
}
END_TEST

START_TEST(unknown_attribute_of_an_ml_operator_is_rejected)
{
    START({"", 21}, {"ai.onnx.ml", 3});
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2");
    open_node_of("ai.onnx.ml", "Binarizer", "x", "y");
    kit_int_attr("treshold", 1);
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    KIT_FAILS(open_model(), BP_E_INVALID, "(Binarizer)", "is 'threshold' meant?");
}
END_TEST

/* ONNX Runtime had this operator before ONNX and does not check its attributes. */
/* Model layernorm_epsion of tests/differential/models.tsv. */
START_TEST(misspelt_attribute_of_layer_normalization_is_ignored)
{
    static const int64_t versions[] = {1, 12, 17, 21};
    static const float x[] = {1, 3}, scale[] = {1, 1}, bias[] = {0, 1};
    bp_binding in[] = {KIT_TENSOR(0, BP_DTYPE_F32, x, 1, 2), KIT_TENSOR(1, BP_DTYPE_F32, scale, 2),
                       KIT_TENSOR(2, BP_DTYPE_F32, bias, 2)};
    bp_binding out = kit_wanted(0);

    START({"", versions[_i]});
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1,2");
    kit_io(KIT_INPUT, "s", BP_DTYPE_F32, "2");
    kit_io(KIT_INPUT, "b", BP_DTYPE_F32, "2");
    kit_open_node("norm", "LayerNormalization", "x s b", "y");
    kit_int_attr("axis", -1);
    float_attr("epsion", 100); /* the default, 1e-5, counts */
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "1,2");
    kit_session();
    kit_run(in, 3, &out, 1);
    is_near(((const float *)out.tensor.base)[0], -1);
    is_near(((const float *)out.tensor.base)[1], 2);
    bp_tensor_free(&out.tensor);
}
END_TEST

/* ---- names ----------------------------------------------------------------------------------- */

/* k is an initializer, 7, and what a node makes: 5, or x + x. */
/* Model initializer_is_node_output of tests/differential/models.tsv. */
START_TEST(node_output_named_like_an_initializer_replaces_it)
{
    static const float x[] = {1, 2}, seven[] = {7}, five[] = {5};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 2), out = kit_wanted(0);

    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2");
    kit_floats("k", PW_DIMS(1), 1, seven);
    if (_i == 0) {
        kit_open_node("k", "Constant", "", "k");
        pw_open_attr(&kit.w, "value", 4);
        pw_raw_tensor(&kit.w, 5, "v", BP_DTYPE_F32, PW_DIMS(1), five, sizeof five);
        pw_close(&kit.w);
        pw_close(&kit.w);
    } else {
        kit_node("k", "Add", "x x", "k");
    }
    kit_node("add", "Add", "x k", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    kit_session();
    kit_run(&in, 1, &out, 1);
    if (_i == 0)
        KIT_FLOATS(&out.tensor, 6, 7);
    else
        KIT_FLOATS(&out.tensor, 3, 6);
    bp_tensor_free(&out.tensor);
}
END_TEST

/* ---- subgraphs within subgraphs ------------------------------------------------------------ */

/* n loops, each round of which runs the next; the innermost negates its state; each may let it grow. */
static void nested_loops(int n, bool grows)
{
    char in[64], out[32], name[32];

    kit_start_model();
    kit_io(KIT_INPUT, "m", BP_DTYPE_I64, "");
    kit_io(KIT_INPUT, "s", BP_DTYPE_F32, "1");
    for (int i = 0; i < n; i++) {
        snprintf(out, sizeof out, i ? "r%d" : "y", i - 1);
        if (i == 0)
            snprintf(in, sizeof in, "m - s");
        else
            snprintf(in, sizeof in, "m - s%d", i - 1);
        kit_open_node("loop", "Loop", in, out);
        kit_open_subgraph("body");
        snprintf(name, sizeof name, "i%d", i);
        kit_io(KIT_INPUT, name, BP_DTYPE_I64, "");
        snprintf(name, sizeof name, "c%d", i);
        kit_io(KIT_INPUT, name, BP_DTYPE_BOOL, "");
        snprintf(name, sizeof name, "s%d", i);
        kit_io(KIT_INPUT, name, BP_DTYPE_F32, NULL);
    }
    for (int i = n - 1; i >= 0; i--) {
        snprintf(name, sizeof name, "s%d", i);
        snprintf(out, sizeof out, "r%d", i);
        if (i == n - 1)
            kit_node("neg", "Neg", name, out);
        if (grows) {
            snprintf(in, sizeof in, "s%d r%d", i, i);
            snprintf(out, sizeof out, "g%d", i);
            kit_node_int("grow", "Concat", in, out, "axis", 0);
        }
        snprintf(name, sizeof name, "c%d", i);
        snprintf(in, sizeof in, "d%d", i);
        kit_node("go", "Identity", name, in);
        kit_io(KIT_OUTPUT, in, BP_DTYPE_BOOL, NULL);
        kit_io(KIT_OUTPUT, out, BP_DTYPE_F32, NULL);
        kit_close_subgraph();
        pw_close(&kit.w);
    }
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
}

static void run_nested(int64_t trips, bp_binding *out)
{
    static const float three = 3;
    bp_binding in[] = {kit_tensor(0, BP_DTYPE_I64, &trips, 0, NULL),
                       KIT_TENSOR(1, BP_DTYPE_F32, &three, 1)};

    *out = kit_wanted(0);
    kit_session();
    kit_run(in, 2, out, 1);
}

/* Model nested_loops_30 of tests/differential/models.tsv. */
START_TEST(loops_nested_30_deep_run)
{
    bp_binding out;

    nested_loops(30, false);
    run_nested(1, &out);
    KIT_DIMS(&out.tensor, 1);
    KIT_FLOATS(&out.tensor, -3);
    bp_tensor_free(&out.tensor);
}
END_TEST

/* Inferring two iterations of each loop would infer the innermost one 2^30 times. */
START_TEST(nested_loops_with_growing_states_take_little_time)
{
    bp_binding out;

    nested_loops(30, true);
    run_nested(1, &out);
    KIT_DIMS(&out.tensor, 31);
    bp_tensor_free(&out.tensor);
}
END_TEST

START_TEST(model_nested_over_100_messages_deep_is_rejected)
{
    nested_loops(40, false);
    KIT_FAILS(open_model(), BP_E_INVALID, "more than 100 messages within each other");
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("imports");

    tcase_add_checked_fixture(tcase, kit_setup, kit_teardown);
    tcase_add_test(tcase, microsoft_operators_need_no_opset_import);
    tcase_add_test(tcase, model_without_an_onnx_import_uses_the_newest_operators);
    tcase_add_test(tcase, opset_0_of_microsoft_is_accepted_and_of_onnx_rejected);
    tcase_add_loop_test(tcase, last_of_two_opset_imports_counts, 0, sizeof twice / sizeof twice[0]);
    tcase_add_test(tcase, newer_opset_is_rejected_unless_allowed);
    tcase_add_test(tcase, misspelt_attribute_of_a_microsoft_operator_is_rejected);
    tcase_add_test(tcase, unknown_attribute_of_microsoft_gelu_is_rejected);
    tcase_add_test(tcase, unknown_attribute_of_an_ml_operator_is_rejected);
    tcase_add_loop_test(tcase, misspelt_attribute_of_layer_normalization_is_ignored, 0, 4);
    tcase_add_loop_test(tcase, node_output_named_like_an_initializer_replaces_it, 0, 2);
    tcase_add_test(tcase, loops_nested_30_deep_run);
    tcase_add_test(tcase, nested_loops_with_growing_states_take_little_time);
    tcase_add_test(tcase, model_nested_over_100_messages_deep_is_rejected);
    return kit_main("imports", &tcase, 1);
}
