/* SPDX-License-Identifier: MIT */
/*
 * check_newest_opset.c - operator versions 25 to 28 of ai.onnx that ONNX 1.23.2 has and ONNX 1.22 has
 * not. The results are those of ONNX's reference implementation (onnx.reference of 1.23.2), but for
 * Optional, where they are what ONNX's text says.
 */

#include "config.h"

#include "end_to_end/differences_kit.h"

enum { OPSET = 28 };

static const double six[] = {1, 2, 3, 4, 5, 6};

/* Opens the model, and no session. */
static bp_rc try_open(void)
{
    pw_close(&kit.w);
    kit.is_closed = true;
    return bp_model_open_memory(kit.env, kit.w.data, kit.w.size, NULL, &kit.model, &kit.err);
}

/* Opening fails, and these words are in the message. */
#define OPEN_REFUSED(rc, ...) KIT_FAILS(try_open(), rc, __VA_ARGS__)

/* ---- Attention ------------------------------------------------------------------------------- */

START_TEST(attention_25_looks_through_a_window)
{
    static const double q[] = {0.5, -1, 2, 1, 0.25, 0.75}, k[] = {0.25, 0.75, 2, 1, 0.5, -1};
    static const double v[] = {1, -2, 4, 2, 0.5, 1.5};

    diff_begin(25);
    diff_input("q", BP_DTYPE_F32, "1,1,3,2", q);
    diff_input("k", BP_DTYPE_F32, "1,1,3,2", k);
    diff_input("v", BP_DTYPE_F32, "1,1,3,2", v);
    diff_node("Attention", "q k v", "back", "left_window_size=1 right_window_size=0");
    diff_node("Attention", "q k v", "ahead", "left_window_size=0 right_window_size=1");
    diff_output("back", BP_DTYPE_F32);
    diff_output("ahead", BP_DTYPE_F32);
    diff_run();
    DIFF_NEAR(0, "1,1,3,2", 1, -2, 3.80233812, 1.73645067, 3.26552224, 1.89507449);
    DIFF_NEAR(1, "1,1,3,2", 2.82616472, 0.434886456, 3.90088725, 1.98584104, 0.5, 1.5);
}
END_TEST

START_TEST(attention_24_has_no_window)
{
    diff_begin(24);
    diff_input("q", BP_DTYPE_F32, "1,1,1,1", six);
    diff_node("Attention", "q q q", "y", "left_window_size=1");
    diff_output("y", BP_DTYPE_F32);
    OPEN_REFUSED(BP_E_INVALID, "version 24 of the operator has no attribute 'left_window_size'");
}
END_TEST

/* ---- order of elements ----------------------------------------------------------------------- */

START_TEST(space_to_depth_28_has_both_orders_of_channels)
{
    double x[16];

    for (int i = 0; i < 16; i++)
        x[i] = i;
    diff_begin(OPSET);
    diff_input("x", BP_DTYPE_F32, "1,2,2,4", x);
    diff_node("SpaceToDepth", "x", "crd", "blocksize=2 mode='CRD'");
    diff_node("SpaceToDepth", "x", "dcr", "blocksize=2 mode='DCR'");
    diff_node("DepthToSpace", "crd", "back", "blocksize=2 mode='CRD'");
    diff_output("crd", BP_DTYPE_F32);
    diff_output("dcr", BP_DTYPE_F32);
    diff_output("back", BP_DTYPE_F32);
    diff_run();
    DIFF_IS(0, "1,8,1,2", 0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15);
    DIFF_IS(1, "1,8,1,2", 0, 2, 8, 10, 1, 3, 9, 11, 4, 6, 12, 14, 5, 7, 13, 15);
    diff_is(2, "1,2,2,4", x, 16, 0);
}
END_TEST

/* ---- bfloat16 -------------------------------------------------------------------------------- */

START_TEST(selections_of_opset_28_take_bfloat16)
{
    diff_begin(OPSET);
    diff_input("x", BP_DTYPE_BF16, "3,2", six);
    diff_input("keep", BP_DTYPE_BOOL, "3", (double[]){0, 1, 1});
    diff_input("lengths", BP_DTYPE_I64, "2", (double[]){3, 2});
    diff_input("at", BP_DTYPE_I64, "2", (double[]){1, -1});
    diff_const("depth", BP_DTYPE_I64, "", (double[]){3});
    diff_const("pair", BP_DTYPE_BF16, "2", (double[]){0.5, 2});
    diff_node("Compress", "x keep", "some", "axis=0");
    diff_node("ReverseSequence", "x lengths", "back", "");
    diff_node("OneHot", "at depth pair", "hot", "");
    diff_output("some", BP_DTYPE_BF16);
    diff_output("back", BP_DTYPE_BF16);
    diff_output("hot", BP_DTYPE_BF16);
    diff_run();
    DIFF_IS(0, "2,2", 3, 4, 5, 6);
    DIFF_IS(1, "3,2", 5, 4, 3, 2, 1, 6);
    DIFF_IS(2, "2,3", 0.5, 2, 0.5, 0.5, 0.5, 2);
}
END_TEST

START_TEST(unique_and_einsum_of_opset_28_take_bfloat16)
{
    diff_begin(OPSET);
    diff_input("x", BP_DTYPE_BF16, "6", (double[]){2, 1, 1, 3, 4, 3});
    diff_input("a", BP_DTYPE_BF16, "2,2", six);
    diff_input("b", BP_DTYPE_BF16, "2,2", (double[]){5, 6, 7, 8});
    diff_node("Unique", "x", "y first inverse counts", "");
    diff_node("Einsum", "a b", "product", "equation='ij,jk->ik'");
    diff_output("y", BP_DTYPE_BF16);
    diff_output("first", BP_DTYPE_I64);
    diff_output("inverse", BP_DTYPE_I64);
    diff_output("counts", BP_DTYPE_I64);
    diff_output("product", BP_DTYPE_BF16);
    diff_run();
    DIFF_IS(0, "4", 1, 2, 3, 4);
    DIFF_IS(1, "4", 1, 0, 3, 4);
    DIFF_IS(2, "6", 1, 0, 0, 2, 3, 2);
    DIFF_IS(3, "4", 2, 1, 2, 1);
    DIFF_IS(4, "2,2", 19, 22, 43, 50);
}
END_TEST

/* ---- arithmetic ------------------------------------------------------------------------------ */

START_TEST(bit_shift_28_takes_signed_integers)
{
    diff_begin(OPSET);
    diff_input("x", BP_DTYPE_I32, "5", (double[]){-8, -8, 5, -1, INT32_MAX});
    diff_input("by", BP_DTYPE_I32, "5", (double[]){1, 40, -1, -3, 1});
    diff_node("BitShift", "x by", "right", "direction='RIGHT'");
    diff_node("BitShift", "x by", "left", "direction='LEFT'");
    diff_output("right", BP_DTYPE_I32);
    diff_output("left", BP_DTYPE_I32);
    diff_run();
    DIFF_IS(0, "5", -4, -1, 0, -1, INT32_MAX / 2);
    DIFF_IS(1, "5", -16, 0, 0, 0, -2);
}
END_TEST

START_TEST(mod_28_of_floats_needs_no_fmod)
{
    diff_begin(OPSET);
    diff_input("a", BP_DTYPE_F32, "4", (double[]){-4.25, 7.5, 5, -1});
    diff_input("b", BP_DTYPE_F32, "4", (double[]){2, -3, 8, (double)INFINITY});
    diff_node("Mod", "a b", "y", "");
    diff_output("y", BP_DTYPE_F32);
    diff_run();
    DIFF_IS(0, "4", 1.75, -1.5, 5, (double)INFINITY);
}
END_TEST

START_TEST(logarithms_of_sums_of_opset_28_take_floats_only)
{
    static const char *const ops[] = {"ReduceLogSum", "ReduceLogSumExp"};
    static const double want[] = {2.30258512, 4.44018984};

    diff_begin(OPSET);
    diff_input("x", BP_DTYPE_F32, "2,2", six);
    diff_node(ops[_i], "x", "y", "keepdims=0");
    diff_output("y", BP_DTYPE_F32);
    diff_run();
    diff_is(0, "", &want[_i], 1, 1e-5);

    for (int64_t opset = OPSET - 1; opset <= OPSET; opset++) {
        diff_begin(opset);
        diff_input("x", BP_DTYPE_I32, "2,2", six);
        diff_node(ops[_i], "x", "y", "");
        diff_output("y", BP_DTYPE_I32);
        if (opset < OPSET)
            diff_run();
        else
            diff_refused(BP_E_INVALID,
                         "input data has type int32, version 28 of the operator takes");
    }
}
END_TEST

/* ---- optional values ------------------------------------------------------------------------- */

static void optional_of(int64_t opset, const char *cast)
{
    diff_begin(opset);
    diff_input("x", BP_DTYPE_F32, "3", six);
    diff_node("Cast", "x", "narrow", cast);
    diff_node("Optional", "narrow", "o", "");
    diff_node("OptionalHasElement", "o", "has", "");
    diff_node("OptionalGetElement", "o", "there", "");
    diff_node("Cast", "there", "y", "to=1");
    diff_output("has", BP_DTYPE_BOOL);
    diff_output("y", BP_DTYPE_F32);
}

/* bfloat16, float8e5m2, uint4, float4e2m1, int2 (of -2..1: 1, and 2 and 3 are -2 and -1) */
START_TEST(optional_28_holds_narrow_types)
{
    static const struct {
        const char *cast;
        double y[3];
    } rows[] = {{"to=16", {1, 2, 3}},
                {"to=19", {1, 2, 3}},
                {"to=21", {1, 2, 3}},
                {"to=23", {1, 2, 3}},
                {"to=26", {1, -2, -1}}};

    optional_of(OPSET, rows[_i].cast);
    diff_run();
    DIFF_IS(0, "", 1);
    diff_is(1, "3", rows[_i].y, 3, 0);
    optional_of(OPSET - 1, rows[_i].cast);
    diff_refused(BP_E_INVALID, "version 15 of the operator takes");
}
END_TEST

/* ---- quantized ------------------------------------------------------------------------------- */

/* The rows of 28 are those of 25 but for float6. */
START_TEST(quantize_28_and_cast_28_are_those_of_25)
{
    diff_begin(OPSET);
    diff_input("x", BP_DTYPE_F32, "4", (double[]){-1, 0.25, 1, 100});
    diff_const("scale", BP_DTYPE_F32, "", (double[]){0.5});
    diff_const("zero", BP_DTYPE_U8, "", (double[]){10});
    diff_node("QuantizeLinear", "x scale zero", "q", "");
    diff_node("DequantizeLinear", "q scale zero", "y", "");
    diff_node("Cast", "y", "i", "to=7");
    diff_output("q", BP_DTYPE_U8);
    diff_output("y", BP_DTYPE_F32);
    diff_output("i", BP_DTYPE_I64);
    diff_run();
    DIFF_IS(0, "4", 8, 10, 12, 210);
    DIFF_IS(1, "4", -1, 0, 1, 100);
    DIFF_IS(2, "4", -1, 0, 1, 100);
}
END_TEST

/* Types 27 and 28 of TensorProto, six bits wide, which no tensor here has. */
START_TEST(float6_is_refused_by_name)
{
    static const char *const names[] = {"float6e2m3", "float6e3m2"};
    uint32_t type = 27 + (uint32_t)_i;
    char attr[16];

    snprintf(attr, sizeof attr, "to=%u", type);
    diff_begin(OPSET);
    diff_input("x", BP_DTYPE_F32, "2", six);
    diff_node("Cast", "x", "y", attr);
    diff_output("y", BP_DTYPE_F32);
    diff_refused(BP_E_UNSUPPORTED, "attribute to", names[_i], "export the model with float8 or");

    snprintf(attr, sizeof attr, "output_dtype=%u", type);
    diff_begin(OPSET);
    diff_input("x", BP_DTYPE_F32, "2", six);
    diff_const("scale", BP_DTYPE_F32, "", six);
    diff_node("QuantizeLinear", "x scale", "y", attr);
    diff_output("y", BP_DTYPE_F32);
    diff_refused(BP_E_UNSUPPORTED, "output_dtype", names[_i]);

    diff_begin(OPSET);
    kit_io(KIT_INPUT, "x", type, "2");
    diff_node("Cast", "x", "y", "to=1");
    diff_output("y", BP_DTYPE_F32);
    OPEN_REFUSED(BP_E_UNSUPPORTED, "input 'x': its elem_type", names[_i]);

    diff_begin(OPSET);
    pw_raw_tensor(&kit.w, 5, "c", (int32_t)type, PW_DIMS(4), "\1\2\3", 3);
    diff_node("Cast", "c", "y", "to=1");
    diff_output("y", BP_DTYPE_F32);
    OPEN_REFUSED(BP_E_UNSUPPORTED, "data_type", names[_i]);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("newest_opset");

    tcase_add_checked_fixture(tcase, kit_setup, diff_teardown);
    tcase_add_test(tcase, attention_25_looks_through_a_window);
    tcase_add_test(tcase, attention_24_has_no_window);
    tcase_add_test(tcase, space_to_depth_28_has_both_orders_of_channels);
    tcase_add_test(tcase, selections_of_opset_28_take_bfloat16);
    tcase_add_test(tcase, unique_and_einsum_of_opset_28_take_bfloat16);
    tcase_add_test(tcase, bit_shift_28_takes_signed_integers);
    tcase_add_test(tcase, mod_28_of_floats_needs_no_fmod);
    tcase_add_loop_test(tcase, logarithms_of_sums_of_opset_28_take_floats_only, 0, 2);
    tcase_add_loop_test(tcase, optional_28_holds_narrow_types, 0, 5);
    tcase_add_test(tcase, quantize_28_and_cast_28_are_those_of_25);
    tcase_add_loop_test(tcase, float6_is_refused_by_name, 0, 2);
    return kit_main("newest_opset", &tcase, 1);
}
