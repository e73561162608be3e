/* SPDX-License-Identifier: MIT */
/* check_optimize.c - constants, subgraphs, options and reports of passes; random, large and real models. */

#include "config.h"

#include <stdio.h>
#include <time.h>

#include "optimize/passes_kit.h"
#include "support/fail_alloc.h"
#include "support/random.h"

/* ---- pieces of models ------------------------------------------------------------------------ */

/* x[1,2,4,4] * w[3,2,1,1] */
static void conv_operands(void)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1,2,4,4");
    passes_floats("w", PW_DIMS(3, 2, 1, 1), 1);
}

/* ---- constants ------------------------------------------------------------------------------- */

START_TEST(constant_expressions_are_folded)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3");
    passes_floats("a", PW_DIMS(3), 1);
    passes_floats("b", PW_DIMS(3), 2);
    kit_node("ab", "Mul", "a b", "c");
    kit_node("root", "Exp", "c", "d");
    kit_node("add", "Add", "x d", "y");
    passes_becomes("Add", "Add");
    ck_assert_uint_eq(passes_matches("fold-constants"), 2);
}
END_TEST

START_TEST(known_shapes_are_folded)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3");
    kit_node("shape", "Shape", "x", "s");
    kit_io(KIT_OUTPUT, "s", BP_DTYPE_I64, NULL);
    kit_node("neg", "Neg", "x", "y");
    passes_becomes("Neg", "Neg");
}
END_TEST

START_TEST(shape_of_an_unknown_size_is_not_folded)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "n,3");
    kit_node("shape", "Shape", "x", "s");
    kit_io(KIT_OUTPUT, "s", BP_DTYPE_I64, NULL);
    kit_node("neg", "Neg", "x", "y");
    passes_becomes("Shape Neg", "Shape Neg");
}
END_TEST

START_TEST(dimensions_of_one_name_in_two_inputs_are_not_assumed_equal)
{
    bp_binding in[2], out = kit_wanted(0);

    kit_io(KIT_INPUT, "a", BP_DTYPE_F32, "n");
    kit_io(KIT_INPUT, "b", BP_DTYPE_F32, "n");
    kit_node("shape", "Shape", "b", "s");
    kit_node("expand", "Expand", "a s", "y");
    passes_becomes("Shape Expand", "Shape Expand");
    in[0] = KIT_TENSOR(0, BP_DTYPE_F32, ((const float[]){5}), 1);
    in[1] = KIT_TENSOR(1, BP_DTYPE_F32, ((const float[]){0, 0, 0}), 3);
    kit_run(in, 2, &out, 1);
    KIT_FLOATS(&out.tensor, 5, 5, 5);
    bp_tensor_free(&out.tensor);
}
END_TEST

/* An initializer that is also an input is constant until it is fed. */
START_TEST(default_is_constant_until_it_is_fed)
{
    bp_binding in[2], out[2] = {kit_wanted(0), kit_wanted(0)};
    float image[32] = {0}, weights[6] = {0};

    image[0] = 1;
    weights[0] = 7;
    conv_operands();
    kit_io(KIT_INPUT, "w", BP_DTYPE_F32, "3,2,1,1");
    kit_floats("m", PW_DIMS(3, 1, 1), 3, (const float[]){2, 2, 2});
    kit_node("conv", "Conv", "x w", "c");
    kit_node("mul", "Mul", "c m", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    passes_open_at(BP_OPTIMIZE_EXTENDED);
    kit_session();
    ck_assert_str_eq(passes_ops(), "Conv");
    in[0] = KIT_TENSOR(0, BP_DTYPE_F32, image, 1, 2, 4, 4);
    in[1] = KIT_TENSOR(1, BP_DTYPE_F32, weights, 3, 2, 1, 1);
    kit_run(in, 2, &out[0], 1);
    ck_assert(((float *)out[0].tensor.base)[0] == 14);
    kit_run(in, 1, &out[1], 1);
    ck_assert(((float *)out[1].tensor.base)[0] != 14);
    bp_tensor_free(&out[0].tensor);
    bp_tensor_free(&out[1].tensor);
}
END_TEST

/* ---- subgraphs ------------------------------------------------------------------------------- */

START_TEST(subgraphs_are_optimised)
{
    conv_operands();
    passes_floats("b", PW_DIMS(3, 1, 1), 5);
    kit_node("all", "ReduceSum", "x", "sum");
    kit_node("less", "Less", "sum sum", "cond4");
    kit_ints("none", PW_DIMS(1), 1, (const int64_t[]){1});
    kit_node("flat", "Reshape", "cond4 none", "cond");
    kit_open_node("if", "If", "cond", "y");
    kit_open_subgraph("then_branch");
    pw_open_node(&kit.w, "Conv", "x w", "c1");
    pw_close(&kit.w);
    pw_open_node(&kit.w, "Add", "c1 b", "o1");
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "o1", BP_DTYPE_F32, NULL);
    kit_close_subgraph();
    kit_open_subgraph("else_branch");
    pw_open_node(&kit.w, "Conv", "x w", "c2");
    pw_close(&kit.w);
    pw_open_node(&kit.w, "Relu", "c2", "o2");
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "o2", BP_DTYPE_F32, NULL);
    kit_close_subgraph();
    pw_close(&kit.w);
    passes_becomes("ReduceSum Less Reshape If Conv Conv Relu",
                   "ReduceSum Less Reshape If Conv FusedConv");
}
END_TEST

/* ---- options --------------------------------------------------------------------------------- */

START_TEST(passes_can_be_disabled)
{
    conv_operands();
    passes_floats("b", PW_DIMS(3, 1, 1), 5);
    kit_node("conv", "Conv", "x w", "c");
    kit_node("add", "Add", "c b", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    passes_open_at(BP_OPTIMIZE_BASIC);
    KIT_OK(bp_session_options_disable_pass(kit.options, "fold-bias", &kit.err));
    kit_session();
    ck_assert_str_eq(passes_ops(), "Conv Add");
}
END_TEST

START_TEST(wrong_pass_names_and_levels_get_suggestions)
{
    uint32_t level;

    passes_open_at(BP_OPTIMIZE_DEFAULT);
    KIT_FAILS(bp_session_options_disable_pass(kit.options, "fold-bia", &kit.err), BP_E_INVALID,
              "fold-bia", "is 'fold-bias' meant", "drop-unused", "fuse-gemm");
    KIT_FAILS(bp_session_options_set_optimization(kit.options, 5, &kit.err), BP_E_INVALID,
              "level 5");
    ck_assert_str_eq(bp_optimization_pass(0, &level, NULL), "drop-unused");
    ck_assert_uint_eq(level, BP_OPTIMIZE_BASIC);
    ck_assert_ptr_null(bp_optimization_pass(1000, NULL, NULL));
}
END_TEST

START_TEST(plan_lists_passes)
{
    bp_report *report;
    char *json;

    conv_operands();
    passes_floats("b", PW_DIMS(3, 1, 1), 5);
    kit_node("conv", "Conv", "x w", "c");
    kit_node("add", "Add", "c b", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    passes_open_at(BP_OPTIMIZE_BASIC);
    KIT_OK(bp_plan_create(kit.env, kit_model(), kit.options, &report, &kit.err));
    KIT_OK(bp_report_json(report, &json, &kit.err));
    ck_assert_ptr_null(kit_bad_json(json));
    ck_assert_ptr_nonnull(strstr(json, "\"stands_for\":\"conv, add\""));
    ck_assert_ptr_nonnull(strstr(json, "\"name\":\"fold-bias\""));
    bp_free(json);
    KIT_FAILS(bp_report_get_pass(report, 99, &(bp_report_pass){.struct_size = 8}, &kit.err),
              BP_E_INVALID, "pass");
    bp_report_destroy(report);
}
END_TEST

/* A provider that fails to compile is dropped; the passes start again from the original model. */
START_TEST(passes_run_again_when_a_provider_is_dropped)
{
    conv_operands();
    kit_node("conv", "Conv", "x w", "c");
    kit_node("relu", "Relu", "c", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    passes_open_at(BP_OPTIMIZE_EXTENDED);
    kit_provider("uncompiled", BP_FALLBACK_SILENT);
    kit_session();
    ck_assert_str_eq(passes_ops(), "FusedConv");
}
END_TEST

/* ---- a real model ---------------------------------------------------------------------------- */

/* MNIST of the ONNX model zoo, if BACKPLANE_MODELS has it. */
START_TEST(mnist_of_the_model_zoo_is_fused_to_six_nodes)
{
    const char *dir = getenv("BACKPLANE_MODELS");
    char path[1024];

    if (!dir) {
        puts("BACKPLANE_MODELS is not set: no digits");
        return;
    }
    snprintf(path, sizeof path, "%s/mnist/model.onnx", dir);
    KIT_OK(bp_model_open(kit.env, path, &kit.model, &kit.err));
    passes_same();
    passes_open_at(BP_OPTIMIZE_BASIC);
    kit_session();
    ck_assert_str_eq(passes_ops(), "Conv Relu MaxPool Conv Relu MaxPool Reshape Gemm");
    ck_assert_uint_eq(passes_matches("fold-bias"), 2);
    ck_assert_uint_eq(passes_matches("make-gemm"), 1);
    passes_open_at(BP_OPTIMIZE_EXTENDED);
    kit_session();
    ck_assert_str_eq(passes_ops(), "FusedConv MaxPool FusedConv MaxPool Reshape Gemm");
}
END_TEST

/* Time in proportion to nodes: a chain and a fan of 50,000 each, of equal and useless nodes. */
START_TEST(passes_on_large_graphs_take_linear_time)
{
    enum { N = 50000 };
    char in[48], out[16];
    struct timespec start, end;
    bp_report *report;

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "4");
    for (int i = 0; i < N; i++) {
        snprintf(in, sizeof in, "%s%.0d", i ? "c" : "x", i);
        snprintf(out, sizeof out, "c%d", i + 1);
        kit_node("", i % 2 ? "Identity" : "Neg", in, out);
        snprintf(out, sizeof out, "f%d", i);
        kit_node("", "Exp", "x", out);
    }
    kit_node("end", "Sub", "c50000 f7", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "4");
    passes_open_at(BP_OPTIMIZE_EXTENDED);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    KIT_OK(bp_plan_create(kit.env, kit_model(), kit.options, &report, &kit.err));
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    ck_assert_uint_eq(bp_report_node_count(report), N / 2 + 2);
    printf("%d nodes in %.2f s\n", 2 * N,
           (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9);
    bp_report_destroy(report);
}
END_TEST

/* After a failed allocation there is no session, or one that computes correctly with fewer passes. */
static void fail_each_allocation(void)
{
    struct passes_result want, got;
    bool failed = true;

    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    passes_open_at(BP_OPTIMIZE_NONE);
    kit_session();
    passes_run(1, &want);
    passes_open_at(BP_OPTIMIZE_EXTENDED);
    for (unsigned n = 1; failed; n++) {
        bp_rc rc;

        fail_alloc_at(n);
        rc = kit_try_session();
        failed = fail_alloc_stop();
        ck_assert_msg(rc == BP_E_NOMEM || rc == BP_OK, "allocation %u: %s: %s", n, bp_rc_name(rc),
                      kit.text);
        if (rc < 0)
            continue;
        passes_run(1, &got);
        passes_compare(&want, &got, "short of memory");
        passes_forget(&got);
    }
    passes_forget(&want);
}

START_TEST(passes_survive_every_failing_allocation)
{
    conv_operands();
    passes_floats("m", PW_DIMS(3, 1, 1), 5);
    passes_floats("k", PW_DIMS(3, 1, 1), 6);
    kit_ints("flat", PW_DIMS(2), 2, (const int64_t[]){1, -1});
    kit_node("km", "Add", "k m", "b");
    kit_node("conv", "Conv", "x w", "c");
    kit_node("mul", "Mul", "c m", "z");
    kit_node("add", "Add", "z b", "v");
    kit_node("relu", "Relu", "v", "r");
    kit_node("id", "Identity", "r", "i");
    kit_node("again", "Relu", "v", "r2");
    kit_node("sum", "Add", "i r2", "s");
    kit_node("flat", "Reshape", "s flat", "y");
    fail_each_allocation();
}
END_TEST

/* Constant and shared shapes, a product with a fused scale, an activation. */
START_TEST(shape_passes_survive_every_failing_allocation)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "n,6");
    passes_floats("w", PW_DIMS(3, 4), 1);
    passes_scalar("half", 0.5f);
    kit_ints("at", PW_DIMS(1), 1, (const int64_t[]){0});
    kit_ints("rest", PW_DIMS(2), 2, (const int64_t[]){2, 3});
    for (int i = 0; i < 2; i++) {
        kit_node("", "Shape", "x", i ? "s1" : "s0");
        kit_node("", "Gather", i ? "s1 at" : "s0 at", i ? "b1" : "b0");
    }
    kit_open_node("", "Concat", "b0 rest", "wanted");
    kit_int_attr("axis", 0);
    pw_close(&kit.w);
    kit_node("split", "Reshape", "x wanted", "r");
    kit_node("product", "MatMul", "r w", "p");
    kit_node("scale", "Mul", "p half", "z");
    kit_node("sigmoid", "Sigmoid", "z", "g");
    kit_node("silu", "Mul", "z g", "v");
    kit_open_node("", "Cast", "b1", "count");
    kit_int_attr("to", BP_DTYPE_F32);
    pw_close(&kit.w);
    kit_node("plus", "Add", "v count", "y");
    fail_each_allocation();
}
END_TEST

/* Slices that read a Concat input instead, a copy for an output, and a Split that is removed. */
START_TEST(slice_passes_survive_every_failing_allocation)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3");
    for (int i = 0; i < 6; i++)
        kit_ints((const char *[]){"n0", "n1", "n2", "n3", "n4", "n5"}[i], PW_DIMS(1), 1,
                 (const int64_t[]){i});
    kit_node("neg", "Neg", "x", "a");
    kit_node_int("join", "Concat", "x a", "c", "axis", 1);
    kit_node("copy", "Slice", "c n0 n3 n1", "z");
    kit_io(KIT_OUTPUT, "z", BP_DTYPE_F32, NULL);
    kit_node("part", "Slice", "c n3 n5 n1", "p");
    kit_node("less", "Slice", "p n1 n2 n1", "q");
    kit_node_int("split", "Split", "c", "d e", "axis", 1);
    kit_node("sum", "Add", "d q", "s");
    kit_node("end", "Sub", "s e", "y");
    fail_each_allocation();
}
END_TEST

/* A node with sizes for all axes, and one that turns what it gives. */
static void split(const char *from, const char *to, const char *turned, const int64_t *perm)
{
    char in[32];

    snprintf(in, sizeof in, "%s heads", from);
    kit_node("", "Reshape", in, to);
    kit_open_node("", "Transpose", to, turned);
    kit_ints_attr("perm", 4, perm);
    pw_close(&kit.w);
}

START_TEST(attention_fusion_survives_every_failing_allocation)
{
    static const int64_t by_head[] = {0, 2, 1, 3}, turned[] = {0, 2, 3, 1};

    kit_start_model_at(17);
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,4,6");
    kit_io(KIT_INPUT, "mask", BP_DTYPE_F32, "2,1,1,4");
    passes_floats("gamma", PW_DIMS(6), 9);
    passes_scalar("scale", 0.5f);
    kit_ints("heads", PW_DIMS(4), 4, (const int64_t[]){0, 0, 2, 3});
    kit_ints("all", PW_DIMS(3), 3, (const int64_t[]){0, 0, 6});
    for (int i = 0; i < 3; i++) {
        passes_floats(i == 0 ? "w0" : i == 1 ? "w1" : "w2", PW_DIMS(6, 6), (uint64_t)i + 1);
        kit_node("", "MatMul",
                 i == 0   ? "x w0"
                 : i == 1 ? "x w1"
                          : "x w2",
                 i == 0   ? "q"
                 : i == 1 ? "k"
                          : "v");
    }
    split("q", "qr", "qh", by_head);
    split("k", "kr", "kh", turned);
    split("v", "vr", "vh", by_head);
    kit_node("", "MatMul", "qh kh", "s");
    kit_node("", "Mul", "s scale", "t");
    kit_node("", "Add", "t mask", "m");
    kit_node("", "Softmax", "m", "p");
    kit_node("", "MatMul", "p vh", "c");
    kit_open_node("", "Transpose", "c", "o");
    kit_ints_attr("perm", 4, by_head);
    pw_close(&kit.w);
    kit_node("", "Reshape", "o all", "a");
    kit_node("", "Add", "x a", "sum");
    kit_node("", "LayerNormalization", "sum gamma", "n");
    kit_node("", "Add", "sum n", "y");
    fail_each_allocation();
    ck_assert_ptr_nonnull(strstr(passes_ops(), "Expand MultiHeadAttention SkipLayerNormalization"));
}
END_TEST

/* ---- many models ----------------------------------------------------------------------------- */

struct wild {
    uint64_t state;
    char values[64][16];
    uint32_t n;
};

static const char *pick(struct wild *g)
{
    return g->values[random_below(&g->state, g->n)];
}

/* One more node (all values are [1,4,6,6]), with what it needs. */
static void grow(struct wild *g, uint32_t i)
{
    static const char *const plain[] = {"Relu", "Sigmoid", "Tanh", "Identity", "Neg", "Dropout"};
    char out[16], in[96], extra[32], name[16];
    uint32_t kind = random_below(&g->state, 9);

    snprintf(out, sizeof out, "v%u", i);
    snprintf(name, sizeof name, "n%u", i);
    snprintf(extra, sizeof extra, "k%u", i);
    if (kind < 3) {
        bool wide = random_below(&g->state, 2), depthwise = random_below(&g->state, 3) == 0;

        passes_floats(extra, PW_DIMS(4, depthwise ? 1 : 4, wide ? 3 : 1, wide ? 3 : 1), g->state);
        snprintf(in, sizeof in, "%s %s", pick(g), extra);
        kit_open_node(name, "Conv", in, out);
        kit_int_attr("group", depthwise ? 4 : 1);
        if (wide)
            kit_ints_attr("pads", 4, (const int64_t[]){1, 1, 1, 1});
        pw_close(&kit.w);
    } else if (kind < 5) {
        passes_floats(extra, PW_DIMS(random_below(&g->state, 2) ? 4 : 1, 1, 1), g->state);
        snprintf(in, sizeof in, "%s %s", g->values[g->n - 1], extra);
        kit_node(name, kind == 3 ? "Mul" : "Add", in, out);
    } else if (kind == 5) {
        snprintf(in, sizeof in, "%s %s", g->values[g->n - 1], pick(g));
        kit_node(name, "Add", in, out);
    } else if (kind == 6) {
        kit_open_node(name, "Transpose", g->values[g->n - 1], out);
        kit_ints_attr("perm", 4, (const int64_t[]){0, 1, 3, 2});
        pw_close(&kit.w);
    } else {
        kit_node(name, plain[random_below(&g->state, 6)],
                 random_below(&g->state, 3) ? g->values[g->n - 1] : pick(g), out);
    }
    memcpy(g->values[g->n++], out, sizeof out);
}

START_TEST(optimised_random_graphs_compute_the_same)
{
    struct wild g = {.state = (uint64_t)_i * 977 + 1};
    uint32_t n = 3 + random_below(&g.state, 20);

    printf("seed %d\n", _i);
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, random_below(&g.state, 2) ? "1,4,6,6" : "n,4,6,6");
    strcpy(g.values[g.n++], "x");
    for (uint32_t i = 0; i < n; i++)
        grow(&g, i);
    kit_io(KIT_OUTPUT, g.values[g.n - 1], BP_DTYPE_F32, NULL);
    if (random_below(&g.state, 2) && g.n > 3)
        kit_io(KIT_OUTPUT, g.values[g.n - 3], BP_DTYPE_F32, NULL);
    passes_same();
}
END_TEST

int main(void)
{
    TCase *all = tcase_create("all");

    tcase_add_test(all, constant_expressions_are_folded);
    tcase_add_test(all, known_shapes_are_folded);
    tcase_add_test(all, shape_of_an_unknown_size_is_not_folded);
    tcase_add_test(all, dimensions_of_one_name_in_two_inputs_are_not_assumed_equal);
    tcase_add_test(all, default_is_constant_until_it_is_fed);
    tcase_add_test(all, subgraphs_are_optimised);
    tcase_add_test(all, passes_can_be_disabled);
    tcase_add_test(all, wrong_pass_names_and_levels_get_suggestions);
    tcase_add_test(all, plan_lists_passes);
    tcase_add_test(all, passes_run_again_when_a_provider_is_dropped);
    tcase_add_test(all, mnist_of_the_model_zoo_is_fused_to_six_nodes);
    tcase_add_test(all, passes_on_large_graphs_take_linear_time);
    tcase_add_test(all, passes_survive_every_failing_allocation);
    tcase_add_test(all, shape_passes_survive_every_failing_allocation);
    tcase_add_test(all, slice_passes_survive_every_failing_allocation);
    tcase_add_test(all, attention_fusion_survives_every_failing_allocation);
    tcase_add_loop_test(all, optimised_random_graphs_compute_the_same, 0, 60);
    tcase_add_checked_fixture(all, kit_setup, kit_teardown);
    tcase_set_timeout(all, 120);
    return kit_main("optimize", &all, 1);
}
