/* SPDX-License-Identifier: MIT */
/*
 * check_operators.c - operators of the provider opencl beside cpu's, over random sizes and contents: a
 * test a family.
 *
 *     BP_OPENCL_COUNT=50    models of each row
 */
#include "config.h"

#include "opencl/operator_case.h"
#include "support/skip.h"

#include <stdio.h>

#define MS "com.microsoft"
#define EXACT 0
#define STEP 1 /* sums may be rounded to the neighbour */
#define CLOSE 2e-5

static void run_rows(const struct operator_case *rows, uint32_t n, uint32_t most)
{
    const char *count = getenv("BP_OPENCL_COUNT");

    for (uint32_t i = 0; i < n; i++)
        operator_case_run(&rows[i], count ? (uint32_t)atoi(count) : 2, most);
}

#define RUN(rows, most) run_rows(rows, sizeof(rows) / sizeof((rows)[0]), most)

static void setup(void)
{
    kit_setup();
    operator_option(NULL, NULL);
}

START_TEST(converts_between_floats_and_integers)
{
    static const struct operator_case rows[] = {
        {"QuantizeLinear", NULL, 13, "f32:A,B,C scale: u8:", "u8", "", STEP},
        {"QuantizeLinear", NULL, 13, "f32:A,B,C scale:B i8:B", "i8", "axis=i:1", STEP},
        {"QuantizeLinear", NULL, 21, "f32:4,C scale:2,C u8:2,C", "u8", "axis=i:0 block_size=i:2",
         STEP},
        {"DequantizeLinear", NULL, 13, "i8:A,B,C scale:C i8:C", "f32", "axis=i:-1", CLOSE},
        {"DequantizeLinear", NULL, 13, "i32:A,B scale:", "f32", "", CLOSE},
        {"DequantizeLinear", NULL, 21, "u8:A,6 scale:A,3 u8:A,3", "f32", "axis=i:1 block_size=i:2",
         CLOSE},
        {"DynamicQuantizeLinear", NULL, 11, "f32:A,B", "u8 f32 u8", "", STEP},
        {"QLinearAdd", MS, 1, "u8:A,B,C scale: u8: u8:B,1 scale: u8: scale: u8:", "u8", "", STEP},
        {"QLinearMul", MS, 1, "i8:A,B scale: - i8:A,B scale: i8: scale: -", "i8", "", STEP},
        {"QLinearSigmoid", MS, 1, "u8:A,B scale: u8: scale: u8:", "u8", "", STEP},
        {"QLinearConcat", MS, 1, "scale: u8: u8:A,B scale: u8: u8:A,C scale: u8:", "u8", "axis=i:1",
         STEP},
        {"QLinearGlobalAveragePool", MS, 1, "u8:A,B,C,D scale: u8: scale: u8:", "u8", "", STEP},
    };

    SKIP_UNLESS(operator_has_device(), "no OpenCL device");
    RUN(rows, 9);
}
END_TEST

START_TEST(multiplies_matrices_of_integers)
{
    static const struct operator_case rows[] = {
        {"MatMulInteger", NULL, 10, "u8:M,K i8:K,N", "i32", "", EXACT},
        {"MatMulInteger", NULL, 10, "i8:B,M,K u8:B,K,N i8: u8:", "i32", "", EXACT},
        {"MatMulInteger", NULL, 10, "u8:M,K u8:K,N u8:M u8:N", "i32", "", EXACT},
        {"QLinearMatMul", NULL, 10, "u8:B,M,K scale: u8: i8:K,N scale:N i8:N scale: u8:", "u8", "",
         STEP},
        {"MatMulIntegerToFloat", MS, 1, "u8:M,K i8:K,N scale: scale:N u8: i8:N f32:N", "f32", "",
         CLOSE},
        {"DynamicQuantizeMatMul", MS, 1, "f32:M,K i8:K,N scale: i8:", "f32", "", 2e-3},
        {"QGemm", MS, 1, "u8:M,K scale: u8: i8:N,K scale: i8: i32:N scale: u8:", "u8", "transB=i:1",
         STEP},
    };

    SKIP_UNLESS(operator_has_device(), "no OpenCL device");
    RUN(rows, 40);
}
END_TEST

START_TEST(convolves_integers)
{
    static const struct operator_case rows[] = {
        {"ConvInteger", NULL, 10, "u8:A,B,9,C u8:D,B,3,1 u8: u8:", "i32", "pads=l:1,1,1,1", EXACT},
        {"QLinearConv", NULL, 10, "u8:A,B,8,9 scale: u8: i8:D,B,3,3 scale:D i8:D scale: u8: i32:D",
         "u8", "pads=l:1,0,1,2 strides=l:2,1", STEP},
        {"QLinearConv", NULL, 10, "i8:A,B,C,D scale: i8: i8:E,B,1,1 scale: i8: scale: i8:", "i8",
         "", STEP},
        {"QLinearConv", NULL, 10, "u8:A,4,8,9 scale: u8: u8:4,1,3,3 scale:4 u8:4 scale: u8: i32:4",
         "u8", "group=i:4 pads=l:1,1,1,1", STEP},
        {"QLinearConv", NULL, 10, "u8:A,4,8 scale: u8: i8:6,2,3 scale:6 i8:6 scale: u8: i32:6",
         "u8", "group=i:2", STEP},
    };

    SKIP_UNLESS(operator_has_device(), "no OpenCL device");
    RUN(rows, 6);
}
END_TEST

START_TEST(runs_recurrent_layers)
{
    static const struct operator_case rows[] = {
        {"LSTM", NULL, 14, "f32:T,B,I !f32:1,20,I !f32:1,20,5 !f32:1,40", "f32 f32 f32",
         "hidden_size=i:5", CLOSE},
        {"LSTM", NULL, 14,
         "f32:T,B,I !f32:2,12,I !f32:2,12,3 !f32:2,24 - f32:2,B,3 f32:2,B,3 !f32:2,9",
         "f32 f32 f32", "hidden_size=i:3 direction=s:bidirectional clip=f:0.7 input_forget=i:1",
         CLOSE},
        {"LSTM", NULL, 14, "f32:B,T,I f32:1,8,I f32:1,8,2", "f32 - f32",
         "hidden_size=i:2 layout=i:1 direction=s:reverse", CLOSE},
        {"GRU", NULL, 14, "f32:T,B,I !f32:2,15,I !f32:2,15,5 !f32:2,30", "f32 f32",
         "hidden_size=i:5 direction=s:bidirectional", CLOSE},
        {"GRU", NULL, 14, "f32:T,B,I !f32:1,6,I !f32:1,6,2 !f32:1,12 i32=1:B f32:1,B,2", "f32 f32",
         "hidden_size=i:2 linear_before_reset=i:1", CLOSE},
        {"RNN", NULL, 14, "f32:T,B,I !f32:1,70,I !f32:1,70,70", "- f32", "hidden_size=i:70", 2e-4},
    };

    SKIP_UNLESS(operator_has_device(), "no OpenCL device");
    RUN(rows, 6);
}
END_TEST

START_TEST(attends)
{
    static const struct operator_case rows[] = {
        {"Attention", NULL, 23, "f32:B,2,S,16 f32:B,2,T,16 f32:B,2,T,32", "f32", "", CLOSE},
        {"Attention", NULL, 23, "f32:B,4,S,16 f32:B,2,S,16 f32:B,2,S,16", "f32",
         "is_causal=i:1 scale=f:0.5 softcap=f:2", CLOSE},
        {"Attention", NULL, 23, "f32:B,S,12 f32:B,T,12 f32:B,T,15 bool:B,1,S,T", "f32",
         "q_num_heads=i:3 kv_num_heads=i:3", CLOSE},
        {"Attention", NULL, 23,
         "f32:B,2,S,16 f32:B,2,S,16 f32:B,2,S,16 - f32:B,2,P,16 f32:B,2,P,16", "f32 f32 f32",
         "is_causal=i:1", CLOSE},
        {"Attention", NULL, 23, "f32:1,1,S,5 f32:1,1,T,5 f32:1,1,T,200 f32:S,T", "f32", "", CLOSE},
        {"MultiHeadAttention", MS, 1, "f32:B,S,32 f32:B,T,32 f32:B,T,64 - - f32:1,2,S,T", "f32",
         "num_heads=i:2", CLOSE},
        {"MultiHeadAttention", MS, 1,
         "f32:B,S,12 f32:B,S,12 f32:B,S,12 f32:36 - - f32:B,2,P,6 f32:B,2,P,6", "f32 f32 f32",
         "num_heads=i:2 unidirectional=i:1", CLOSE},
        {"SkipLayerNormalization", MS, 1, "f32:B,S,24 f32:B,S,24 !f32:24 !f32:24 !f32:24",
         "f32 - - f32", "", CLOSE},
    };

    SKIP_UNLESS(operator_has_device(), "no OpenCL device");
    RUN(rows, 40);
}
END_TEST

START_TEST(scatters_and_gathers)
{
    static const struct operator_case rows[] = {
        {"ScatterElements", NULL, 18, "f32:7,B,8 i64<7:C,B,4 f32:C,B,4", "f32", "axis=i:0", EXACT},
        {"ScatterElements", NULL, 18, "f32:9,B i64<B:7,C f32:7,C", "f32",
         "axis=i:1 reduction=s:add", CLOSE},
        {"ScatterElements", NULL, 18, "i64:9,B i32<B:7,C i64:7,C", "i64",
         "axis=i:-1 reduction=s:max", EXACT},
        {"ScatterND", NULL, 18, "f32:A,B,C i64<1:1,2 f32:1,C", "f32", "", EXACT},
        {"ScatterND", NULL, 18, "f32:A,3,C i64<1:D,1 f32:D,3,C", "f32", "reduction=s:mul", 1e-4},
        {"GatherND", NULL, 13, "f32:A,B,C i64<1:D,2", "f32", "", EXACT},
        {"GatherND", NULL, 13, "u8:3,B,C i64<B:3,D,1", "u8", "batch_dims=i:1", EXACT},
    };

    SKIP_UNLESS(operator_has_device(), "no OpenCL device");
    RUN(rows, 6);
}
END_TEST

START_TEST(goes_along_an_axis)
{
    static const struct operator_case rows[] = {
        {"TopK", NULL, 11, "f32:A,9,C !i64=4:1", "f32 i64", "axis=i:1", EXACT},
        {"TopK", NULL, 11, "i32:A,9 !i64=9:1", "- i64", "largest=i:0", EXACT},
        {"CumSum", NULL, 14, "f32:A,B,C !i64=1:", "f32", "exclusive=i:1", CLOSE},
        {"CumSum", NULL, 14, "i64:A,B !i32=0:", "i64", "reverse=i:1", EXACT},
        {"OneHot", NULL, 11, "i64<5:A,B !i64=5: f32:2", "f32", "axis=i:1", EXACT},
        {"Hardmax", NULL, 13, "f32:A,B,C", "f32", "axis=i:1", EXACT},
        {"Trilu", NULL, 14, "f32:A,B,C i64:", "f32", "upper=i:0", EXACT},
        {"Trilu", NULL, 14, "i64:B,C", "i64", "", EXACT},
    };

    SKIP_UNLESS(operator_has_device(), "no OpenCL device");
    RUN(rows, 12);
}
END_TEST

/* Kernels for GPUs run on processors too, if slowly. */
START_TEST(multiplies_and_attends_in_local_memory)
{
    static const struct operator_case rows[] = {
        {"Gemm", NULL, 13, "f32:M,K f32:N,K f32:N", "f32", "transB=i:1", CLOSE},
        {"MatMul", NULL, 13, "f32:B,M,K f32:B,K,N", "f32", "", CLOSE},
        {"QLinearMatMul", NULL, 10, "u8:M,K scale: u8: i8:K,N scale:N i8:N scale: u8:", "u8", "",
         STEP},
        {"Attention", NULL, 23, "f32:B,2,S,16 f32:B,2,T,16 f32:B,2,T,32", "f32", "is_causal=i:1",
         CLOSE},
        {"LSTM", NULL, 14, "f32:T,B,I !f32:1,20,I !f32:1,20,5 !f32:1,40", "f32 f32 f32",
         "hidden_size=i:5", CLOSE},
    };

    SKIP_UNLESS(operator_has_device(), "no OpenCL device");
    operator_option("kernels", "gpu");
    RUN(rows, 90);
}
END_TEST

static const struct operator_case convolutions[] = {
    {"Conv", NULL, 13, "f32:A,B,H,W !f32:C,B,3,3 !f32:C", "f32", "pads=l:1,1,1,1", 5e-5},
    {"Conv", NULL, 13, "f32:A,B,9,W f32:C,B,3,3", "f32", "pads=l:0,2,1,1", 5e-5},
    {"Conv", NULL, 13, "f32:A,B,9,8 !f32:C,B,2,3", "f32", "strides=l:2,1 dilations=l:2,1", 5e-5},
    {"Conv", NULL, 13, "f32:A,B,9 !f32:C,B,3 f32:C", "f32", "auto_pad=s:SAME_UPPER", 5e-5},
    {"Conv", NULL, 13, "f32:A,B,4,5,6 !f32:C,B,3,2,3", "f32", "", 5e-5},
    {"FusedConv", MS, 1, "f32:A,B,8,8 !f32:C,B,3,3 !f32:C f32:A,C,8,8", "f32",
     "activation=s:Relu pads=l:1,1,1,1", 5e-5},
};

START_TEST(convolves_by_each_algorithm)
{
    static const char *const names[] = {"columns", "implicit", "winograd"};

    SKIP_UNLESS(operator_has_device(), "no OpenCL device");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        operator_option("convolutions", names[i]);
        RUN(convolutions, 12);
    }
}
END_TEST

START_TEST(convolves_by_the_algorithm_that_was_timed)
{
    SKIP_UNLESS(operator_has_device(), "no OpenCL device");
    operator_option("tune", "true");
    RUN(convolutions, 12);
}
END_TEST

int main(void)
{
    static char cache[1024];
    TCase *tests = tcase_create("operators");
    const char *build = getenv("BP_BUILDDIR");

    if (SKIP_HAS_ASAN || SKIP_HAS_TSAN) {
        puts("skipped: PoCL and LLVM are not built with a sanitizer");
        return 77;
    }
    snprintf(cache, sizeof cache, "%s/tests/opencl/pocl-cache", build ? build : ".");
    setenv("POCL_CACHE_DIR", cache, 0);
    tcase_add_checked_fixture(tests, setup, kit_teardown);
    tcase_add_test(tests, converts_between_floats_and_integers);
    tcase_add_test(tests, multiplies_matrices_of_integers);
    tcase_add_test(tests, convolves_integers);
    tcase_add_test(tests, runs_recurrent_layers);
    tcase_add_test(tests, attends);
    tcase_add_test(tests, scatters_and_gathers);
    tcase_add_test(tests, goes_along_an_axis);
    tcase_add_test(tests, multiplies_and_attends_in_local_memory);
    tcase_add_test(tests, convolves_by_each_algorithm);
    tcase_add_test(tests, convolves_by_the_algorithm_that_was_timed);
    setenv("CK_FORK", "no", 1); /* a driver that is open does not outlive a fork */
    return kit_main("opencl operators", &tests, 1);
}
