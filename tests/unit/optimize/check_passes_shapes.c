/* SPDX-License-Identifier: MIT */
/* check_passes_shapes.c - sizes that are computed: written down, shared, and left alone. */

#include "config.h"

#include "optimize/passes_kit.h"

/* Element `axis` of the shape of a value, as a list of one, in the steps that exporters write. */
static void size_of(const char *value, int axis, const char *out)
{
    char shape[32], scalar[32], in[64];
    int64_t at = axis;

    snprintf(shape, sizeof shape, "%s_shape", out);
    snprintf(scalar, sizeof scalar, "%s_scalar", out);
    kit_node("", "Shape", value, shape);
    snprintf(in, sizeof in, "%s_at", out);
    kit_ints(in, PW_SCALAR, 1, &at);
    snprintf(in, sizeof in, "%s %s_at", shape, out);
    kit_node("", "Gather", in, scalar);
    snprintf(in, sizeof in, "%s zero", scalar);
    kit_node("", "Unsqueeze", in, out);
}

static void shape_constants(void)
{
    kit_ints("zero", PW_DIMS(1), 1, (const int64_t[]){0});
    kit_ints("two", PW_DIMS(1), 1, (const int64_t[]){2});
    kit_ints("three", PW_DIMS(1), 1, (const int64_t[]){3});
    kit_ints("rest", PW_DIMS(1), 1, (const int64_t[]){-1});
}

static void concat(const char *name, const char *in, const char *out)
{
    kit_open_node(name, "Concat", in, out);
    kit_int_attr("axis", 0);
    pw_close(&kit.w);
}

/* ---- written --------------------------------------------------------------------------------- */

/* x[n,m,6] to [n,m,2,3], as the heads of a transformer. */
START_TEST(reshape_that_keeps_leading_sizes_gets_a_constant_shape)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "n,m,6");
    shape_constants();
    kit_node("relu", "Relu", "x", "r");
    size_of("r", 0, "b");
    size_of("r", 1, "s");
    concat("join", "b s two three", "wanted");
    kit_node("split", "Reshape", "r wanted", "z");
    kit_node("neg", "Neg", "z", "y");
    passes_becomes("Relu Reshape Neg", "Relu Reshape Neg");
    ck_assert_uint_eq(passes_matches("write-shapes"), 1);
}
END_TEST

/* Two reshapes to one shape read one constant, so that they are equal nodes. */
START_TEST(equal_constant_shapes_are_shared)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "n,6");
    shape_constants();
    size_of("x", 0, "b1");
    size_of("x", 0, "b2");
    concat("join1", "b1 two three", "w1");
    concat("join2", "b2 two three", "w2");
    kit_node("one", "Reshape", "x w1", "a");
    kit_node("other", "Reshape", "x w2", "b");
    kit_node("sum", "Add", "a b", "y");
    passes_becomes("Reshape Add", "Reshape Add");
}
END_TEST

/* x[n,m] to [n*m,3], and an image to constant sizes: the remaining size follows from the others. */
START_TEST(reshape_with_one_inferred_size_gets_a_constant_shape)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "n,m,3");
    shape_constants();
    size_of("x", 0, "b");
    size_of("x", 1, "s");
    kit_node("product", "Mul", "b s", "bs");
    concat("join", "bs three", "wanted");
    kit_node("flat", "Reshape", "x wanted", "y");
    passes_becomes("Reshape", "Reshape");
}
END_TEST

/* With nothing in the batch, -1 beside a 0 would not follow from anything. */
START_TEST(reshape_with_an_ambiguous_inferred_size_is_unchanged)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "n,m,k");
    shape_constants();
    size_of("x", 0, "b");
    size_of("x", 1, "s");
    size_of("x", 2, "c");
    kit_node("product", "Mul", "s c", "sc");
    concat("join", "b sc", "wanted");
    kit_node("flat", "Reshape", "x wanted", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    passes_same();
    passes_open_at(BP_OPTIMIZE_EXTENDED);
    kit_session();
    ck_assert_uint_eq(passes_matches("write-shapes"), 0);
}
END_TEST

/* A size of another input is another size, although the file gives both one name. */
START_TEST(reshape_by_sizes_of_another_input_is_unchanged)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "n,m,6");
    kit_io(KIT_INPUT, "other", BP_DTYPE_F32, "n,m");
    shape_constants();
    size_of("other", 0, "b");
    size_of("other", 1, "s");
    concat("join", "b s two three", "wanted");
    kit_node("split", "Reshape", "x wanted", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    passes_same();
    passes_open_at(BP_OPTIMIZE_EXTENDED);
    kit_session();
    ck_assert_uint_eq(passes_matches("write-shapes"), 0);
}
END_TEST

START_TEST(reshape_with_allowzero_is_unchanged)
{
    kit_start_model_at(14);
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "n,6");
    shape_constants();
    size_of("x", 0, "b");
    concat("join", "b two three", "wanted");
    kit_open_node("split", "Reshape", "x wanted", "y");
    kit_int_attr("allowzero", 1);
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    passes_same();
    passes_open_at(BP_OPTIMIZE_EXTENDED);
    kit_session();
    ck_assert_uint_eq(passes_matches("write-shapes"), 0);
}
END_TEST

/* A batch of size 0 must give an empty output. */
START_TEST(reshape_of_an_empty_batch_is_empty)
{
    bp_binding in, out = kit_wanted(0);

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "n,6");
    shape_constants();
    size_of("x", 0, "b");
    concat("join", "b two three", "wanted");
    kit_node("split", "Reshape", "x wanted", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    passes_open_at(BP_OPTIMIZE_EXTENDED);
    kit_session();
    ck_assert_str_eq(passes_ops(), "Reshape");
    in = KIT_TENSOR(0, BP_DTYPE_F32, ((const float[]){0}), 0, 6);
    kit_run(&in, 1, &out, 1);
    KIT_DIMS(&out.tensor, 0, 2, 3);
    bp_tensor_free(&out.tensor);
}
END_TEST

/* ---- shared ---------------------------------------------------------------------------------- */

/* Sizes of values that have them in common, for an operator that reads them. */
START_TEST(equal_sizes_are_computed_once)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "n,3");
    passes_floats("row", PW_DIMS(1, 3), 1);
    shape_constants();
    kit_node("relu", "Relu", "x", "r");
    size_of("x", 0, "b1");
    size_of("r", 0, "b2"); /* a size of x, from another value */
    concat("join1", "b1 three", "w1");
    concat("join2", "b2 three", "w2");
    kit_node("wide1", "Expand", "row w1", "e1");
    kit_node("neg", "Neg", "row", "nrow");
    kit_node("wide2", "Expand", "nrow w2", "e2");
    kit_node("sum", "Add", "e1 e2", "s");
    kit_node("all", "Add", "r s", "y");
    passes_becomes("Relu Shape Expand Expand Add Add", "Relu Shape Expand Expand Add Add");
    ck_assert_uint_ge(passes_matches("share-shapes"), 1);
}
END_TEST

/* The count of rows is first computed by a node that another pass then removes. */
START_TEST(size_whose_node_was_removed_is_computed_again)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "n,3");
    passes_floats("left", PW_DIMS(1), 1);
    passes_floats("right", PW_DIMS(1), 2);
    kit_ints("axis", PW_DIMS(1), 1, (const int64_t[]){1});
    shape_constants();
    kit_open_node("rows", "ReduceSum", "x axis", "v");
    kit_int_attr("keepdims", 0);
    pw_close(&kit.w);
    kit_node("list", "Shape", "v", "s");
    kit_node("wide1", "Expand", "left s", "e1");
    size_of("x", 0, "b");
    kit_node("wide2", "Expand", "right b", "e2");
    kit_node("relu", "Relu", "x", "r");
    kit_node("again", "Shape", "r", "rs");
    kit_node("at", "Gather", "rs b_at", "number");
    kit_open_node("cast", "Cast", "number", "c");
    kit_int_attr("to", BP_DTYPE_F32);
    pw_close(&kit.w);
    kit_node("sum", "Add", "e1 e2", "t");
    kit_node("all", "Add", "t c", "y");
    passes_becomes("ReduceSum Shape Expand Expand Relu Shape Gather Cast Add Add",
                   "ReduceSum Shape Expand Expand Relu Shape Gather Cast Add Add");
}
END_TEST

START_TEST(sizes_that_may_differ_are_computed_separately)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "n,3");
    kit_io(KIT_INPUT, "z", BP_DTYPE_F32, "n,3");
    shape_constants();
    kit_node("shape1", "Shape", "x", "s1");
    kit_node("shape2", "Shape", "z", "s2");
    kit_io(KIT_OUTPUT, "s1", BP_DTYPE_I64, NULL);
    kit_node("sub", "Sub", "s1 s2", "d");
    kit_open_node("cast", "Cast", "d", "y");
    kit_int_attr("to", BP_DTYPE_F32);
    pw_close(&kit.w);
    passes_becomes("Shape Shape Sub Cast", "Shape Shape Sub Cast");
    ck_assert_uint_eq(passes_matches("share-shapes"), 0);
}
END_TEST

/* A scalar is not a list of one element, and int32 is not int64. */
START_TEST(sizes_of_another_rank_or_type_are_not_merged)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "n");
    kit_ints("zero", PW_SCALAR, 1, (const int64_t[]){0});
    kit_node("shape", "Shape", "x", "list");
    kit_node("at", "Gather", "list zero", "number");
    kit_open_node("cast1", "Cast", "list", "y1");
    kit_int_attr("to", BP_DTYPE_F32);
    pw_close(&kit.w);
    kit_open_node("cast2", "Cast", "number", "y");
    kit_int_attr("to", BP_DTYPE_F32);
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y1", BP_DTYPE_F32, NULL);
    passes_becomes("Shape Gather Cast Cast", "Shape Gather Cast Cast");
}
END_TEST

START_TEST(sizes_that_are_a_graph_output_are_still_written)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "n,3");
    kit_node("relu", "Relu", "x", "y");
    kit_node("one", "Shape", "x", "s1");
    kit_node("two", "Shape", "y", "s2");
    kit_io(KIT_OUTPUT, "s1", BP_DTYPE_I64, NULL);
    kit_io(KIT_OUTPUT, "s2", BP_DTYPE_I64, NULL);
    passes_becomes("Relu Shape Shape", "Relu Shape Shape");
}
END_TEST

int main(void)
{
    TCase *all = tcase_create("all");

    tcase_add_test(all, reshape_that_keeps_leading_sizes_gets_a_constant_shape);
    tcase_add_test(all, equal_constant_shapes_are_shared);
    tcase_add_test(all, reshape_with_one_inferred_size_gets_a_constant_shape);
    tcase_add_test(all, reshape_with_an_ambiguous_inferred_size_is_unchanged);
    tcase_add_test(all, reshape_by_sizes_of_another_input_is_unchanged);
    tcase_add_test(all, reshape_with_allowzero_is_unchanged);
    tcase_add_test(all, reshape_of_an_empty_batch_is_empty);
    tcase_add_test(all, equal_sizes_are_computed_once);
    tcase_add_test(all, size_whose_node_was_removed_is_computed_again);
    tcase_add_test(all, sizes_that_may_differ_are_computed_separately);
    tcase_add_test(all, sizes_of_another_rank_or_type_are_not_merged);
    tcase_add_test(all, sizes_that_are_a_graph_output_are_still_written);
    tcase_add_checked_fixture(all, kit_setup, kit_teardown);
    tcase_set_timeout(all, 120);
    return kit_main("passes_shapes", &all, 1);
}
