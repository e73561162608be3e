/* SPDX-License-Identifier: MIT */
/*
 * check_differences_kept.c - where results are meant to be other than ONNX Runtime's, a test each with
 * the reason: what ONNX's specification says, and what its reference gives (onnx 1.23) beside ONNX
 * Runtime 1.32 on x86.
 */

#include "config.h"

#include "end_to_end/differences_kit.h"

/* ---- random ---------------------------------------------------------------------------------- */

/*
 * A seed makes a run repeatable; ONNX names no generator. The reference draws with NumPy's
 * RandomState, so a seed means the same here: NumPy's numbers, on every machine and in every release.
 * ONNX Runtime's generators give others, which differ by the C++ library.
 */
START_TEST(random_operators_draw_the_values_of_numpy)
{
    diff_begin(21);
    diff_node("RandomUniform", "", "u", "shape=[3] seed=1.0");
    diff_node("RandomNormal", "", "n", "shape=[3] seed=1.0");
    diff_input("p", BP_DTYPE_F32, "4", (double[]){0.5, 0.5, 0.5, 0.5});
    diff_node("Bernoulli", "p", "b", "seed=1.0");
    diff_output("u", BP_DTYPE_F32);
    diff_output("n", BP_DTYPE_F32);
    diff_output("b", BP_DTYPE_F32);
    diff_run();
    DIFF_NEAR(0, "3", 0.41702198, 0.72032452, 0.00011437482);
    DIFF_NEAR(1, "3", 1.6243454, -0.6117564, -0.5281718);
    DIFF_IS(2, "4", 0, 1, 0, 0);
}
END_TEST

/* ---- casts ----------------------------------------------------------------------------------- */

static void cast(uint32_t from, uint32_t to, const char *dims, const double *x)
{
    diff_begin(21);
    diff_input("x", from, dims, x);
    kit_open_node("cast", "Cast", "x", "c");
    kit_int_attr("to", to);
    pw_close(&kit.w);
    diff_node("Cast", "c", "y", "to=6"); /* types under 8 bits are compared as int32 */
    diff_output("y", BP_DTYPE_I32);
    diff_run();
}

/*
 * Casting to an integer drops the fraction, for 4 bits as for 64: Cast's text makes no difference and
 * the reference neither. ONNX Runtime rounds, to 4 bits only.
 */
START_TEST(cast_to_4_bits_truncates)
{
    static const double x[] = {1.4, 1.6, -1.6, 2.5, 7.9, 20, -20};

    cast(BP_DTYPE_F32, BP_DTYPE_I4, "7", x);
    DIFF_IS(0, "7", 1, 1, -1, 2, 7, 4, -4);
    cast(BP_DTYPE_F32, BP_DTYPE_U4, "7", x);
    DIFF_IS(0, "7", 1, 1, 15, 2, 7, 4, 12);
}
END_TEST

/*
 * Out of range Cast is undefined; NumPy and ONNX Runtime give what the processor leaves, another
 * number on ARM than on x86. Here the nearest number of the type, 0 for NaN, everywhere the same.
 * (Below 0 to unsigned types is the exception, as exporters rely on it: check_differences.c.)
 */
START_TEST(casts_out_of_range_saturate)
{
    static const uint32_t reals[] = {BP_DTYPE_F32, BP_DTYPE_F64};
    static const double x[] = {300, 127.5, -300, 1e20, (double)INFINITY, (double)NAN};

    cast(reals[_i], BP_DTYPE_U8, "6", x);
    DIFF_IS(0, "6", 255, 127, 212, 255, 255, 0);
    cast(reals[_i], BP_DTYPE_I8, "6", x);
    DIFF_IS(0, "6", 127, 127, -128, 127, 127, 0);
    cast(reals[_i], BP_DTYPE_I32, "6", x);
    DIFF_IS(0, "6", 300, 127, -300, INT32_MAX, INT32_MAX, 0);
}
END_TEST

/*
 * A model that casts float16 up around LayerNormalization wants it computed in float32: here the
 * variance, 3e8, fits in no float16. No level drops these casts, as ONNX Runtime's fusions may.
 */
START_TEST(float16_casts_around_layer_normalization_are_kept)
{
    static const uint32_t levels[] = {BP_OPTIMIZE_NONE, BP_OPTIMIZE_BASIC, BP_OPTIMIZE_EXTENDED};

    diff_begin(17);
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_set_optimization(kit.options, levels[_i], &kit.err));
    diff_const("s", BP_DTYPE_F32, "4", (double[]){1, 1, 1, 1});
    diff_const("b", BP_DTYPE_F32, "4", (double[]){0, 0, 0, 0});
    diff_input("x", BP_DTYPE_F16, "1,4", (double[]){1, 2, 3, 40000});
    diff_node("Cast", "x", "wide", "to=1");
    diff_node("LayerNormalization", "wide s b", "z", "axis=-1");
    diff_node("Cast", "z", "y", "to=10");
    diff_output("y", BP_DTYPE_F16);
    diff_run();
    DIFF_IS(0, "1,4", -0.57763671875, -0.5771484375, -0.5771484375, 1.732421875);
}
END_TEST

/* ---- texts ----------------------------------------------------------------------------------- */

/*
 * With a delimiter a text without one is one piece, itself, and so is the empty text: Python's
 * "".split(","), which the specification refers to, and the reference. Without a delimiter pieces are
 * what lies between blanks: none. ONNX Runtime has none in both cases.
 */
START_TEST(string_split_of_an_empty_string_gives_one_empty_string)
{
    static const bp_span texts[] = {{"", 0}, {"a,b", 3}};
    static const char *const attrs[] = {"delimiter=','", ""};
    int64_t dims[] = {2};

    for (int i = 0; i < 2; i++) {
        const bp_span *pieces;

        diff_begin(20);
        kit_io(KIT_INPUT, "x", BP_DTYPE_STRING, "2");
        diff_node("StringSplit", "x", "y n", attrs[i]);
        diff_output("y", BP_DTYPE_STRING);
        diff_output("n", BP_DTYPE_I64);
        diff.in[0] = kit_tensor(0, BP_DTYPE_STRING, texts, 1, dims);
        diff.n_in = 1;
        diff_run();
        diff.n_in = 0; /* the texts are not the heap's */
        if (i == 0)
            DIFF_IS(1, "2", 1, 2);
        else
            DIFF_IS(1, "2", 0, 1);
        pieces = diff.out[0].tensor.base;
        ck_assert_uint_eq(pieces[0].size, 0);
    }
}
END_TEST

/* ---- Attention ------------------------------------------------------------------------------- */

/*
 * Mode 2 gives the scores with the mask added: what may not be seen is -infinity, in the specification
 * ("-inf" in its function) and in the reference. ONNX Runtime has the lowest float32 there.
 */
START_TEST(attention_qk_2_masks_with_infinity)
{
    static const double x[] = {1, 0, 0, 1};

    diff_begin(23 + _i % 2);
    diff_input("q", BP_DTYPE_F32, "1,1,2,2", x);
    diff_input("k", BP_DTYPE_F32, "1,1,2,2", x);
    diff_input("v", BP_DTYPE_F32, "1,1,2,2", x);
    if (_i < 2)
        diff_input("m", BP_DTYPE_BOOL, "2,2", (double[]){1, 0, 1, 1});
    diff_node("Attention", _i < 2 ? "q k v m" : "q k v", "y - - qk",
              _i < 2 ? "qk_matmul_output_mode=2" : "qk_matmul_output_mode=2 is_causal=1");
    diff_output("qk", BP_DTYPE_F32);
    diff_run();
    DIFF_NEAR(0, "1,1,2,2", 0.70710678, -(double)INFINITY, 0, 0.70710678);
}
END_TEST

/* ---- nothing --------------------------------------------------------------------------------- */

/* A slice of an empty axis is empty: starts and ends are clamped to 0..0 for steps of either sign. */
START_TEST(slice_of_an_empty_tensor_is_empty)
{
    static const double parts[][3] = {{0, 5, 1}, {-1, -5, -1}, {2, -9, -2}, {-3, 3, 1}};

    diff_begin(13);
    diff_input("x", BP_DTYPE_F32, "0,3", NULL);
    diff_input("s", BP_DTYPE_I64, "1", &parts[_i][0]);
    diff_input("e", BP_DTYPE_I64, "1", &parts[_i][1]);
    diff_const("a", BP_DTYPE_I64, "1", (double[]){0});
    diff_input("t", BP_DTYPE_I64, "1", &parts[_i][2]);
    diff_node("Slice", "x s e a t", "y", "");
    diff_output("y", BP_DTYPE_F32);
    diff_run();
    kit_check_dims(&diff.out[0].tensor, 2, (int64_t[]){0, 3});
}
END_TEST

/*
 * Of no elements a reduction gives what changes nothing (ONNX: minus infinity for Max, 1 for Prod, ...).
 * Nothing is that for a mean: 0 / 0, NaN in the reference, where ONNX Runtime has 0.
 */
START_TEST(reductions_of_empty_tensors_have_the_neutral_element)
{
    static const struct {
        const char *op;
        double y;
    } rows[] = {
        {"ReduceSum", 0},
        {"ReduceMax", -(double)INFINITY},
        {"ReduceMin", (double)INFINITY},
        {"ReduceProd", 1},
        {"ReduceMean", (double)NAN},
        {"ReduceL1", 0},
        {"ReduceL2", 0},
        {"ReduceLogSum", -(double)INFINITY},
        {"ReduceLogSumExp", -(double)INFINITY},
    };

    diff_begin(20);
    diff_input("x", BP_DTYPE_F32, "0,2", NULL);
    diff_const("a", BP_DTYPE_I64, "1", (double[]){0});
    diff_node(rows[_i].op, "x a", "y", "keepdims=0");
    diff_output("y", BP_DTYPE_F32);
    diff_run();
    DIFF_IS(0, "2", rows[_i].y, rows[_i].y);
}
END_TEST

/* ---- places ---------------------------------------------------------------------------------- */

/*
 * With align_corners the grid goes from -1 on, and a dimension of size 1 has its first place, -1, as
 * in the reference; ONNX Runtime has 1 there.
 */
START_TEST(affine_grid_of_one_row_begins_at_minus_one)
{
    diff_begin(20);
    diff_input("t", BP_DTYPE_F32, "1,2,3", (double[]){1, 0, 0, 0, 1, 0});
    diff_const("s", BP_DTYPE_I64, "4", (double[]){1, 1, 1, 2});
    diff_node("AffineGrid", "t s", "y", "align_corners=1");
    diff_output("y", BP_DTYPE_F32);
    diff_run();
    DIFF_IS(0, "1,1,2,2", -1, -1, 1, -1);
}
END_TEST

/*
 * align_corners is x * (length_original - 1) / (length_resized - 1), where length_resized is the
 * length times the scale, a fraction too, as in the reference: 3 / 1.4 for 4 * 0.6. ONNX Runtime takes
 * the length of the output, 2.
 */
START_TEST(resize_with_align_corners_uses_the_fractional_length)
{
    diff_begin(19);
    diff_input("x", BP_DTYPE_F32, "1,1,1,4", (double[]){1, 2, 3, 4});
    diff_const("s", BP_DTYPE_F32, "4", (double[]){1, 1, 1, (double)0.6f});
    diff_node("Resize", "x - s", "y",
              "mode='linear' coordinate_transformation_mode='align_corners'");
    diff_output("y", BP_DTYPE_F32);
    diff_run();
    DIFF_NEAR(0, "1,1,1,2", 1, 3.1428571);
}
END_TEST

/*
 * SAME pads so that there are ceil(7 / 2) outputs of a kernel with its gaps, 5 wide: 2 on each side.
 * ONNX Runtime refuses that for Conv and leaves the gaps out for pools, which makes an output less.
 */
START_TEST(same_padding_counts_dilations)
{
    static const struct {
        const char *op, *in, *attrs;
        double y[4];
    } rows[] = {
        {"Conv", "x w", "", {4, 9, 15, 12}},
        {"MaxPool", "x", "kernel_shape=[3]", {3, 5, 7, 7}},
        {"AveragePool", "x", "kernel_shape=[3]", {2, 3, 5, 6}},
        {"LpPool", "x", "kernel_shape=[3] p=1", {4, 9, 15, 12}},
    };
    static const char *const pads[] = {"SAME_UPPER", "SAME_LOWER"};
    char attrs[128];

    for (int i = 0; i < 2; i++) {
        diff_begin(22);
        diff_input("x", BP_DTYPE_F32, "1,1,7", (double[]){1, 2, 3, 4, 5, 6, 7});
        diff_const("w", BP_DTYPE_F32, "1,1,3", (double[]){1, 1, 1});
        snprintf(attrs, sizeof attrs, "auto_pad='%s' dilations=[2] strides=[2] %s", pads[i],
                 rows[_i].attrs);
        diff_node(rows[_i].op, rows[_i].in, "y", attrs);
        diff_output("y", BP_DTYPE_F32);
        diff_run();
        diff_is(0, "1,1,4", rows[_i].y, 4, 1e-5);
    }
}
END_TEST

/* ---- numbers --------------------------------------------------------------------------------- */

/*
 * Softplus(x) is log(1 + e^x), about x where x is large. ONNX Runtime computes just that in float32,
 * which overflows from 89 on: infinity in an RNN, NaN in a GRU, where it is multiplied by 0.
 */
START_TEST(recurrent_softplus_does_not_overflow)
{
    static const struct {
        const char *op, *activations;
        unsigned char gates;
        double y_large, y_one;
    } rows[] = {
        {"RNN", "activations=['Softplus'] hidden_size=1", 1, 100, 1.3132616},
        {"GRU", "activations=['Sigmoid','Softplus'] hidden_size=1", 3, 0, 0.35319042},
        {"LSTM",
         "activations=['Sigmoid','Softplus','Affine'] activation_alpha=[1.0] "
         "activation_beta=[0.0] hidden_size=1",
         4, 100, 0.70186361},
    };
    static const double ones[] = {1, 1, 1, 1}, zeros[4];
    const double x[] = {100, 1};

    for (int i = 0; i < 2; i++) {
        char dims[16];

        diff_begin(14);
        diff_input("x", BP_DTYPE_F32, "1,1,1", &x[i]);
        snprintf(dims, sizeof dims, "1,%u,1", rows[_i].gates);
        diff_const("w", BP_DTYPE_F32, dims, ones);
        diff_const("r", BP_DTYPE_F32, dims, zeros);
        diff_node(rows[_i].op, "x w r", "- y", rows[_i].activations);
        diff_output("y", BP_DTYPE_F32);
        diff_run();
        DIFF_NEAR(0, "1,1,1", i == 0 ? rows[_i].y_large : rows[_i].y_one);
    }
}
END_TEST

/*
 * Integer division by 0 is undefined in ONNX; on x86 ONNX Runtime ends with SIGFPE. The reference has
 * NumPy's 0, and so has everyone here.
 */
START_TEST(integers_divided_by_zero_are_zero)
{
    static const uint32_t dtypes[] = {BP_DTYPE_I8, BP_DTYPE_U8, BP_DTYPE_I32, BP_DTYPE_I64,
                                      BP_DTYPE_U64};
    static const char *const ops[] = {"Div", "Mod"};

    for (int i = 0; i < 2; i++) {
        diff_begin(14);
        diff_input("x", dtypes[_i], "3", (double[]){5, 7, 0});
        diff_input("z", dtypes[_i], "3", (double[]){0, 2, 0});
        diff_node(ops[i], "x z", "y", "");
        diff_output("y", dtypes[_i]);
        diff_run();
        DIFF_IS(0, "3", 0, i == 0 ? 3 : 1, 0);
    }
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("kept");

    tcase_add_checked_fixture(tcase, kit_setup, diff_teardown);
    tcase_add_test(tcase, random_operators_draw_the_values_of_numpy);
    tcase_add_test(tcase, cast_to_4_bits_truncates);
    tcase_add_loop_test(tcase, casts_out_of_range_saturate, 0, 2);
    tcase_add_loop_test(tcase, float16_casts_around_layer_normalization_are_kept, 0, 3);
    tcase_add_test(tcase, string_split_of_an_empty_string_gives_one_empty_string);
    tcase_add_loop_test(tcase, attention_qk_2_masks_with_infinity, 0, 4);
    tcase_add_loop_test(tcase, slice_of_an_empty_tensor_is_empty, 0, 4);
    tcase_add_loop_test(tcase, reductions_of_empty_tensors_have_the_neutral_element, 0, 9);
    tcase_add_test(tcase, affine_grid_of_one_row_begins_at_minus_one);
    tcase_add_test(tcase, resize_with_align_corners_uses_the_fractional_length);
    tcase_add_loop_test(tcase, same_padding_counts_dilations, 0, 4);
    tcase_add_loop_test(tcase, recurrent_softplus_does_not_overflow, 0, 3);
    tcase_add_loop_test(tcase, integers_divided_by_zero_are_zero, 0, 5);
    return kit_main("differences_kept", &tcase, 1);
}
