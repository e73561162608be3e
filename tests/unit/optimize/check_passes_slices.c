/* SPDX-License-Identifier: MIT */
/* check_passes_slices.c - slices of Concat and of Slice nodes: which are removed, which are kept. */

#include "config.h"

#include <stdio.h>
#include <time.h>

#include "optimize/passes_kit.h"

static int64_t opset;

static void start(int64_t version)
{
    opset = version;
    kit_start_model_at(version);
}

static void slice_by(const char *in, const char *out, int64_t axis, int64_t start, int64_t end,
                     int64_t step)
{
    const int64_t numbers[] = {start, end, axis, step};
    static const char *const names[] = {"starts", "ends", "axes", "steps"};
    char all[96], name[24];
    size_t used = (size_t)snprintf(all, sizeof all, "%s", in);

    if (opset < 10) {
        ck_assert_int_eq(step, 1);
        kit_open_node(out, "Slice", in, out);
        for (int i = 0; i < 3; i++)
            kit_ints_attr(names[i], 1, &numbers[i]);
        pw_close(&kit.w);
        return;
    }
    for (int i = 0; i < (step == 1 ? 3 : 4); i++) {
        snprintf(name, sizeof name, "%s_%s", out, names[i]);
        kit_ints(name, PW_DIMS(1), 1, &numbers[i]);
        used += (size_t)snprintf(all + used, sizeof all - used, " %s", name);
    }
    kit_node(out, "Slice", all, out);
}

static void slice(const char *in, const char *out, int64_t axis, int64_t start, int64_t end)
{
    slice_by(in, out, axis, start, end, 1);
}

static void concat(const char *in, const char *out, int64_t axis)
{
    kit_node_int(out, "Concat", in, out, "axis", axis);
}

/* a and b, both float32[2,3], concat_a_b to c[2,6]. */
static void concat_a_b(void)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3");
    kit_node("relu", "Relu", "x", "a");
    kit_node("neg", "Neg", "x", "b");
    concat("a b", "c", 1);
}

/* b, float32[2,3], then a, float32[n,3], concat_a_b to c. */
static void concat_unknown_last(void)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "n,3");
    kit_io(KIT_INPUT, "z", BP_DTYPE_F32, "2,3");
    kit_node("relu", "Relu", "x", "a");
    kit_node("neg", "Neg", "z", "b");
    concat("b a", "c", 0);
}

/* The model ends in d and e, which are as large as each other. */
static void end(const char *ops)
{
    kit_node("end", "Sub", "d e", "y");
    passes_gives(ops);
}

static uint32_t matches(void)
{
    return passes_matches("merge-slices");
}

/* ---- a Slice of a Concat --------------------------------------------------------------------- */

START_TEST(slice_of_one_concat_input_is_removed)
{
    static const int64_t versions[] = {6, 9, 10, 11, 13, 18};

    start(versions[_i]);
    concat_a_b();
    slice("c", "d", 1, 0, 3);
    slice("c", "e", 1, 3, 6);
    end("Relu Neg Sub");
    ck_assert_uint_eq(matches(), 2);
}
END_TEST

START_TEST(slice_with_negative_or_clamped_ends_is_removed)
{
    start(_i ? 13 : 9);
    concat_a_b();
    slice("c", "d", -1, -100, -3);
    slice("c", "e", _i ? -1 : 1, -3, INT64_MAX);
    end("Relu Neg Sub");
}
END_TEST

START_TEST(slice_within_one_concat_input_reads_that_input)
{
    start(_i ? 13 : 9);
    concat_a_b();
    slice("c", "d", 1, 4, 6);
    slice("c", "e", 1, -5, -4 + 1);
    end("Relu Neg Slice Slice Sub");
    ck_assert_uint_eq(matches(), 2);
}
END_TEST

START_TEST(slice_that_takes_other_axes_whole_is_removed)
{
    start(13);
    concat_a_b();
    kit_ints("from", PW_DIMS(2), 2, (const int64_t[]){-2, 3});
    kit_ints("to", PW_DIMS(2), 2, (const int64_t[]){INT64_MAX, 7});
    kit_node("slice", "Slice", "c from to", "d"); /* axes and steps may be absent */
    slice("c", "f", 1, 2, 3);
    kit_node("more", "Mul", "d f", "g");
    kit_node("end", "Sub", "g b", "y");
    passes_gives("Relu Neg Slice Mul Sub");
}
END_TEST

START_TEST(slice_across_two_concat_inputs_is_kept)
{
    start(13);
    concat_a_b();
    slice("c", "d", 1, 2, 5);
    slice("c", "e", 1, 1, 4);
    end("Relu Neg Concat Slice Slice Sub");
    ck_assert_uint_eq(matches(), 0);
}
END_TEST

START_TEST(slice_along_another_axis_is_kept)
{
    start(13);
    concat_a_b();
    slice("c", "d", 0, 0, 1);
    slice("c", "e", 0, 1, 2);
    end("Relu Neg Concat Slice Slice Sub");
}
END_TEST

START_TEST(slice_of_two_axes_is_kept)
{
    start(13);
    concat_a_b();
    for (int i = 0; i < 2; i++) {
        kit_ints(i ? "from1" : "from0", PW_DIMS(2), 2, (const int64_t[]){i, 3 * i});
        kit_ints(i ? "to1" : "to0", PW_DIMS(2), 2, (const int64_t[]){i + 1, 3 * i + 3});
        kit_node("", "Slice", i ? "c from1 to1" : "c from0 to0", i ? "d" : "e");
    }
    end("Relu Neg Concat Slice Slice Sub");
}
END_TEST

START_TEST(slice_with_steps_is_kept)
{
    start(13);
    concat_a_b();
    slice_by("c", "d", 1, 0, 3, 2);
    slice_by("c", "e", 1, -1, 3, -2);
    end("Relu Neg Concat Slice Slice Sub");
}
END_TEST

START_TEST(slice_with_fed_ends_is_kept)
{
    start(13);
    concat_a_b();
    kit_ints("to", PW_DIMS(1), 1, (const int64_t[]){3});
    kit_ints("axis", PW_DIMS(1), 1, (const int64_t[]){1});
    kit_node("sum", "ReduceSum", "x", "s");
    kit_node_int("size", "Cast", "s", "i", "to", BP_DTYPE_I64);
    kit_node("zero", "Sub", "i i", "z2");
    kit_ints("flat", PW_DIMS(1), 1, (const int64_t[]){-1});
    kit_node("list", "Reshape", "z2 flat", "from");
    kit_node("slice", "Slice", "c from to axis", "d");
    kit_node("end", "Sub", "d a", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    passes_same();
    ck_assert_uint_eq(matches(), 0);
}
END_TEST

/* n is 3 in the run. */
START_TEST(slice_after_an_input_of_unknown_size_is_kept)
{
    start(13);
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "n,3");
    kit_ints("two", PW_DIMS(2), 2, (const int64_t[]){2, 3});
    passes_floats("k", PW_DIMS(2, 3), 1);
    kit_node("relu", "Relu", "x", "a");
    kit_node("sum", "ReduceSum", "x", "s");
    kit_node("wide", "Add", "k s", "b");
    concat("a b", "c", 0);
    slice("c", "d", 0, 3, 5);
    slice("c", "e", 0, -2, INT64_MAX);
    end("Relu ReduceSum Add Concat Slice Slice Sub");
    ck_assert_uint_eq(matches(), 0);
}
END_TEST

START_TEST(slice_to_the_end_of_an_unknown_size_is_removed)
{
    start(13);
    concat_unknown_last();
    slice("c", "p", 0, 2, INT64_MAX); /* a */
    slice("c", "q", 0, 1, 2);         /* the second row of b */
    kit_node("all", "Mul", "p q", "y");
    passes_gives("Relu Neg Slice Mul");
    ck_assert_uint_eq(matches(), 2);
}
END_TEST

START_TEST(slice_to_a_fixed_end_of_an_unknown_size_is_kept)
{
    start(13);
    concat_unknown_last();
    slice("c", "d", 0, 2, 4);
    slice("c", "e", 0, 3, 5);
    end("Relu Neg Concat Slice Slice Sub");
}
END_TEST

START_TEST(concat_with_other_consumers_is_kept)
{
    start(13);
    concat_a_b();
    slice("c", "d", 1, 0, 3);
    slice("c", "e", 1, 3, 6);
    kit_node("exp", "Exp", "c", "z");
    kit_io(KIT_OUTPUT, "z", BP_DTYPE_F32, NULL);
    end("Relu Neg Concat Exp Sub");
    ck_assert_uint_eq(matches(), 2);
}
END_TEST

START_TEST(concat_that_is_a_graph_output_is_kept)
{
    start(13);
    concat_a_b();
    kit_io(KIT_OUTPUT, "c", BP_DTYPE_F32, NULL);
    slice("c", "d", 1, 0, 3);
    slice("c", "e", 1, 4, 6);
    kit_node("sum", "ReduceSum", "e", "y");
    kit_io(KIT_OUTPUT, "d", BP_DTYPE_F32, NULL);
    passes_gives("Relu Neg Concat Slice ReduceSum");
}
END_TEST

START_TEST(graph_output_is_written_by_the_producer_of_the_concat_input)
{
    start(13);
    concat_a_b();
    slice("c", "d", 1, 0, 3);
    slice("c", "y", 1, 3, 6);
    kit_io(KIT_OUTPUT, "d", BP_DTYPE_F32, NULL);
    passes_gives("Relu Neg");
}
END_TEST

/* A graph input has no producer that could write the output. */
START_TEST(graph_output_that_equals_an_input_is_copied)
{
    start(_i ? 13 : 9);
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3");
    kit_node("relu", "Relu", "x", "a");
    concat("a x", "c", 1);
    slice("c", "y", 1, 3, 6);
    passes_gives("Slice");
    ck_assert_uint_eq(matches(), 1);
}
END_TEST

/* A subgraph captures the slice by its name, so that a copy keeps the name. */
START_TEST(slice_that_a_subgraph_captures_becomes_a_copy)
{
    start(13);
    concat_a_b();
    slice("c", "d", 1, 0, 3);
    slice("c", "e", 1, 3, 6);
    kit_node("all", "ReduceSum", "x", "sum");
    kit_node("less", "Less", "sum sum", "less");
    kit_ints("one", PW_DIMS(1), 1, (const int64_t[]){1});
    kit_node("flat", "Reshape", "less one", "cond");
    kit_open_node("if", "If", "cond", "f");
    for (int i = 0; i < 2; i++) {
        kit_open_subgraph(i ? "else_branch" : "then_branch");
        pw_node(&kit.w, i ? "Exp" : "Abs", "d", i ? "o2" : "o1");
        kit_io(KIT_OUTPUT, i ? "o2" : "o1", BP_DTYPE_F32, NULL);
        kit_close_subgraph();
    }
    pw_close(&kit.w);
    kit_node("end", "Sub", "f e", "y");
    passes_gives("Relu Neg Slice ReduceSum Less Reshape If Sub Abs Exp");
}
END_TEST

START_TEST(slice_of_nested_concats_is_removed)
{
    start(13);
    concat_a_b();
    kit_node("exp", "Exp", "x", "f");
    concat("f c", "g", 1);
    slice("g", "d", 1, 3, 6); /* a */
    slice("g", "p", 1, 3, 9); /* c */
    slice("p", "e", 1, 3, 6); /* b */
    end("Relu Neg Sub");
}
END_TEST

START_TEST(concat_of_one_value_twice_is_sliced_correctly)
{
    start(13);
    concat_a_b();
    concat("a a", "f", 1);
    slice("f", "d", 1, 3, 6);
    slice("c", "e", 1, 3, 6);
    end("Relu Neg Sub");
}
END_TEST

/* ---- a Split of a Concat --------------------------------------------------------------------- */

static void split(const char *in, const char *out, int64_t axis, uint32_t n, const int64_t *sizes)
{
    char all[32];

    snprintf(all, sizeof all, sizes && opset >= 13 ? "%s sizes" : "%s", in);
    if (sizes && opset >= 13)
        kit_ints("sizes", PW_DIMS(n), n, sizes);
    kit_open_node("split", "Split", all, out);
    kit_int_attr("axis", axis);
    if (sizes && opset < 13)
        kit_ints_attr("split", n, sizes);
    if (!sizes && opset >= 18)
        kit_int_attr("num_outputs", n);
    pw_close(&kit.w);
}

START_TEST(split_into_the_concat_inputs_is_removed)
{
    static const int64_t versions[] = {6, 11, 13, 18}, sizes[] = {3, 3};

    start(versions[_i / 2]);
    concat_a_b();
    split("c", "d e", opset < 11 ? 1 : -1, 2, _i % 2 ? sizes : NULL);
    end("Relu Neg Sub");
    ck_assert_uint_eq(matches(), 1);
}
END_TEST

START_TEST(split_with_unread_outputs_is_removed)
{
    start(13);
    concat_a_b();
    kit_node("exp", "Exp", "x", "f");
    concat("c f a", "g", 1);
    split("g", "p e d", 1, 3, (const int64_t[]){6, 3, 3});
    end("Relu Exp Sub");
}
END_TEST

START_TEST(split_into_other_sizes_is_kept)
{
    start(13);
    concat_a_b();
    split("c", "p q", 1, 2, (const int64_t[]){2, 4});
    slice("p", "d", 1, 1, 2);
    slice("q", "e", 1, 1, 2);
    end("Relu Neg Concat Split Slice Slice Sub");
}
END_TEST

START_TEST(split_of_one_concat_input_in_two_is_kept)
{
    start(13);
    concat_a_b();
    split("c", "p d q", 1, 3, (const int64_t[]){3, 2, 1});
    kit_node("sum", "Add", "p q", "r");
    kit_node("more", "ReduceSum", "d", "s");
    kit_node("end", "Sub", "r s", "y");
    passes_gives("Relu Neg Concat Split Add ReduceSum Sub");
}
END_TEST

START_TEST(split_along_another_axis_is_kept)
{
    start(13);
    concat_a_b();
    split("c", "d e", 0, 2, NULL);
    end("Relu Neg Concat Split Sub");
}
END_TEST

START_TEST(split_of_unknown_sizes_is_kept)
{
    start(13);
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "n,3");
    kit_node("relu", "Relu", "x", "a");
    kit_node("neg", "Neg", "x", "b");
    concat("a b", "c", 0);
    split("c", "d e", 0, 2, (const int64_t[]){3, 3});
    end("Relu Neg Concat Split Sub");
}
END_TEST

START_TEST(split_that_gives_a_graph_output_is_kept)
{
    start(13);
    concat_a_b();
    split("c", "d e", 1, 2, NULL);
    kit_io(KIT_OUTPUT, "d", BP_DTYPE_F32, NULL);
    end("Relu Neg Concat Split Sub");
}
END_TEST

/* ---- a Slice of a Slice ---------------------------------------------------------------------- */

START_TEST(consecutive_slices_are_merged)
{
    start(_i ? 13 : 9);
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,9");
    slice("x", "a", 1, 2, -1);
    slice("a", "b", _i ? -1 : 1, -5, 100);
    slice("b", "d", 1, 1, 3);
    slice("x", "e", 1, 0, 2);
    end("Slice Slice Sub");
    ck_assert_uint_eq(matches(), 2);
}
END_TEST

START_TEST(slice_with_other_consumers_is_not_merged)
{
    start(13);
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,9");
    slice("x", "d", 1, 2, 6);
    slice("d", "a", 1, 1, 2);
    kit_node("exp", "Exp", "a", "e");
    end("Slice Slice Exp Sub");
    ck_assert_uint_eq(matches(), 1);
}
END_TEST

START_TEST(consecutive_slices_of_other_axes_or_steps_are_not_merged)
{
    start(13);
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "4,9");
    slice("x", "a", 1, 2, 6);
    slice("a", "d", 0, 1, 3); /* another axis */
    slice_by("x", "b", 1, 0, 8, 2);
    slice("b", "f", 0, 0, 2);
    slice_by("f", "e", 1, 3, -5, -1); /* another step */
    end("Slice Slice Slice Slice Slice Sub");
    ck_assert_uint_eq(matches(), 0);
}
END_TEST

START_TEST(consecutive_slices_of_an_unknown_size_are_not_merged)
{
    start(13);
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "n,3");
    slice("x", "a", 0, 1, 100);
    slice("a", "d", 0, -1, 100);
    slice("x", "e", 0, -1, 100);
    end("Slice Slice Slice Sub");
    ck_assert_uint_eq(matches(), 0);
}
END_TEST

/* The second takes all that there is: nothing. */
START_TEST(empty_slice_is_kept)
{
    start(13);
    concat_a_b();
    slice("c", "p", 1, 3, 3);
    slice("p", "q", 1, 0, 1);
    concat("q a", "d", 1);
    slice("c", "e", 1, 3, 6);
    end("Relu Neg Concat Slice Concat Sub");
}
END_TEST

/* ---- many ------------------------------------------------------------------------------------ */

/* Adds a name to a list of them. */
static void list(char *all, size_t *used, const char *letter, int i)
{
    *used += (size_t)sprintf(all + *used, "%s%s%d", *used ? " " : "", letter, i);
}

/* Slices and a Split of one Concat of 20,000 inputs: each finds its input by a search, not by a walk. */
START_TEST(slices_of_a_concat_of_20000_inputs_take_little_time)
{
    enum { N = 20000, LENGTH = 8 };
    char name[16], before[16] = "x", *parts = calloc(N, LENGTH), *cuts = calloc(N, LENGTH);
    char *pieces = calloc(N, LENGTH);
    size_t n_parts = 0, n_cuts = 0, n_pieces = 0;
    struct timespec from, to;
    bp_report *report;

    ck_assert(parts && cuts && pieces);
    start(13);
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "4");
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof name, "a%d", i);
        kit_node(name, "Neg", before, name);
        memcpy(before, name, sizeof name);
        list(parts, &n_parts, "a", i);
        list(cuts, &n_cuts, "p", i);
        list(pieces, &n_pieces, "s", i);
    }
    concat(parts, "c", 0);
    for (int i = 0; i < N; i++) { /* every second slice covers part of an input only */
        snprintf(name, sizeof name, "p%d", i);
        slice("c", name, 0, 4 * i + i % 2, 4 * i + 4 - i % 2);
    }
    kit_node("split", "Split", "c", pieces);
    concat(cuts, "y", 0);
    concat(pieces, "z", 0);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    kit_io(KIT_OUTPUT, "z", BP_DTYPE_F32, NULL);
    passes_open_at(BP_OPTIMIZE_BASIC);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    KIT_OK(bp_plan_create(kit.env, kit_model(), kit.options, &report, &kit.err));
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    ck_assert_uint_eq(bp_report_node_count(report), N + N / 2 + 2);
    printf("%d nodes in %.2f s\n", 2 * N + 4,
           (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) * 1e-9);
    bp_report_destroy(report);
    free(parts);
    free(cuts);
    free(pieces);
}
END_TEST

int main(void)
{
    TCase *all = tcase_create("all");

    tcase_add_loop_test(all, slice_of_one_concat_input_is_removed, 0, 6);
    tcase_add_loop_test(all, slice_with_negative_or_clamped_ends_is_removed, 0, 2);
    tcase_add_loop_test(all, slice_within_one_concat_input_reads_that_input, 0, 2);
    tcase_add_test(all, slice_that_takes_other_axes_whole_is_removed);
    tcase_add_test(all, slice_across_two_concat_inputs_is_kept);
    tcase_add_test(all, slice_along_another_axis_is_kept);
    tcase_add_test(all, slice_of_two_axes_is_kept);
    tcase_add_test(all, slice_with_steps_is_kept);
    tcase_add_test(all, slice_with_fed_ends_is_kept);
    tcase_add_test(all, slice_after_an_input_of_unknown_size_is_kept);
    tcase_add_test(all, slice_to_the_end_of_an_unknown_size_is_removed);
    tcase_add_test(all, slice_to_a_fixed_end_of_an_unknown_size_is_kept);
    tcase_add_test(all, concat_with_other_consumers_is_kept);
    tcase_add_test(all, concat_that_is_a_graph_output_is_kept);
    tcase_add_test(all, graph_output_is_written_by_the_producer_of_the_concat_input);
    tcase_add_loop_test(all, graph_output_that_equals_an_input_is_copied, 0, 2);
    tcase_add_test(all, slice_that_a_subgraph_captures_becomes_a_copy);
    tcase_add_test(all, slice_of_nested_concats_is_removed);
    tcase_add_test(all, concat_of_one_value_twice_is_sliced_correctly);
    tcase_add_loop_test(all, split_into_the_concat_inputs_is_removed, 0, 8);
    tcase_add_test(all, split_with_unread_outputs_is_removed);
    tcase_add_test(all, split_into_other_sizes_is_kept);
    tcase_add_test(all, split_of_one_concat_input_in_two_is_kept);
    tcase_add_test(all, split_along_another_axis_is_kept);
    tcase_add_test(all, split_of_unknown_sizes_is_kept);
    tcase_add_test(all, split_that_gives_a_graph_output_is_kept);
    tcase_add_loop_test(all, consecutive_slices_are_merged, 0, 2);
    tcase_add_test(all, slice_with_other_consumers_is_not_merged);
    tcase_add_test(all, consecutive_slices_of_other_axes_or_steps_are_not_merged);
    tcase_add_test(all, consecutive_slices_of_an_unknown_size_are_not_merged);
    tcase_add_test(all, empty_slice_is_kept);
    tcase_add_test(all, slices_of_a_concat_of_20000_inputs_take_little_time);
    tcase_add_checked_fixture(all, kit_setup, kit_teardown);
    tcase_set_timeout(all, 120);
    return kit_main("passes_slices", &all, 1);
}
