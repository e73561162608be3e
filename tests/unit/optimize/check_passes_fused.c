/* SPDX-License-Identifier: MIT */
/* check_passes_fused.c - products, activations and norms that become operators of com.microsoft. */

#include "config.h"

#include <stdio.h>

#include "optimize/passes_kit.h"

/* ---- FastGelu -------------------------------------------------------------------------------- */

/* 1 + tanh(0.79788 (x + 0.044715 x^3)), as "e" */
static void tanh_part(bool by_mul, float cubic)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "n,5");
    passes_scalar("three", 3);
    passes_scalar("cubic", cubic);
    passes_scalar("root", 0.79788456f);
    passes_scalar("one", 1);
    passes_scalar("half", 0.5f);
    if (by_mul)
        kit_node("square", "Mul", "x x", "q");
    kit_node("cube", by_mul ? "Mul" : "Pow", by_mul ? "q x" : "x three", "p");
    kit_node("part", "Mul", by_mul ? "cubic p" : "p cubic", "c");
    kit_node("sum", "Add", by_mul ? "c x" : "x c", "s");
    kit_node("scale", "Mul", "s root", "t");
    kit_node("tanh", "Tanh", "t", "h");
    kit_node("add", "Add", by_mul ? "one h" : "h one", "e");
}

START_TEST(decomposed_tanh_gelu_is_fused_in_every_operand_order)
{
    tanh_part(false, 0.044715f);
    kit_node("m1", "Mul", "x half", "b");
    kit_node("m2", "Mul", "b e", "y");
    passes_becomes("Pow Mul Add Mul Tanh Add Mul Mul", "FastGelu");
    ck_assert_uint_eq(passes_matches("fuse-fast-gelu"), 1);
    kit_start_model();
    tanh_part(true, 0.044715f);
    kit_node("m1", "Mul", "x e", "b");
    kit_node("m2", "Mul", "half b", "y");
    passes_becomes("Mul Mul Mul Add Mul Tanh Add Mul Mul", "FastGelu");
}
END_TEST

START_TEST(lookalikes_of_tanh_gelu_are_not_fused)
{
    tanh_part(false, 0.05f); /* another polynomial */
    kit_node("m1", "Mul", "x half", "b");
    kit_node("m2", "Mul", "b e", "y");
    passes_becomes("Pow Mul Add Mul Tanh Add Mul Mul", "Pow Mul Add Mul Tanh Add Mul Mul");
    kit_start_model();
    tanh_part(false, 0.044715f);
    kit_io(KIT_OUTPUT, "c", BP_DTYPE_F32, NULL); /* a part is wanted */
    kit_node("m1", "Mul", "x half", "b");
    kit_node("m2", "Mul", "b e", "y");
    passes_becomes("Pow Mul Add Mul Tanh Add Mul Mul", "Pow Mul Add Mul Tanh Add Mul Mul");
}
END_TEST

/* ---- QuickGelu ------------------------------------------------------------------------------- */

START_TEST(x_times_sigmoid_of_x_becomes_quick_gelu)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "n,5");
    passes_scalar("alpha", 1.702f);
    kit_node("scale", "Mul", "alpha x", "a");
    kit_node("sigmoid", "Sigmoid", "a", "s");
    kit_node("mul", "Mul", "x s", "y");
    passes_becomes("Mul Sigmoid Mul", "QuickGelu");
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "n,5");
    kit_node("sigmoid", "Sigmoid", "x", "s");
    kit_node("mul", "Mul", "s x", "y");
    passes_becomes("Sigmoid Mul", "QuickGelu");
    ck_assert_str_eq(passes_node("sigmoid").stands_for, "sigmoid, mul");
}
END_TEST

START_TEST(x_times_sigmoid_of_another_value_is_not_fused)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "n,5");
    kit_node("neg", "Neg", "x", "z");
    kit_node("sigmoid", "Sigmoid", "x", "s");
    kit_node("mul", "Mul", "z s", "y");
    passes_becomes("Neg Sigmoid Mul", "Neg Sigmoid Mul");
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "n,5");
    kit_node("sigmoid", "Sigmoid", "x", "s");
    kit_io(KIT_OUTPUT, "s", BP_DTYPE_F32, NULL);
    kit_node("mul", "Mul", "x s", "y");
    passes_becomes("Sigmoid Mul", "Sigmoid Mul");
}
END_TEST

/* ---- FusedMatMul ----------------------------------------------------------------------------- */

static void swap(const char *name, const char *in, const char *out, bool of_last)
{
    kit_open_node(name, "Transpose", in, out);
    kit_ints_attr("perm", 4,
                  of_last ? (const int64_t[]){0, 1, 3, 2} : (const int64_t[]){0, 2, 1, 3});
    pw_close(&kit.w);
}

START_TEST(transpose_and_scale_are_fused_into_matmul)
{
    kit_io(KIT_INPUT, "q", BP_DTYPE_F32, "n,2,4,3");
    kit_io(KIT_INPUT, "k", BP_DTYPE_F32, "n,2,5,3");
    passes_scalar("root", 1.7f);
    passes_scalar("pre", 0.6f);
    swap("turn", "k", "kt", true);
    kit_node("before", "Mul", "q pre", "qs");
    kit_node("product", "MatMul", "qs kt", "p");
    kit_node("scale", "Div", "p root", "y");
    passes_becomes("Transpose Mul MatMul Div", "FusedMatMul");
    ck_assert_uint_eq(passes_matches("fuse-product"), 1);
}
END_TEST

START_TEST(transposes_of_both_operands_are_fused_into_matmul)
{
    kit_io(KIT_INPUT, "a", BP_DTYPE_F32, "2,2,3,4");
    kit_io(KIT_INPUT, "b", BP_DTYPE_F32, "2,2,5,3");
    swap("turn_a", "a", "at", true);
    swap("turn_b", "b", "bt", true);
    kit_node("product", "MatMul", "at bt", "y");
    passes_becomes("Transpose Transpose MatMul", "FusedMatMul");
}
END_TEST

START_TEST(unsupported_or_shared_transposes_are_not_fused)
{
    kit_io(KIT_INPUT, "a", BP_DTYPE_F32, "2,3,2,4");
    kit_io(KIT_INPUT, "b", BP_DTYPE_F32, "2,2,4,5");
    swap("turn", "a", "at", false); /* other axes */
    kit_node("product", "MatMul", "at b", "y");
    passes_becomes("Transpose MatMul", "Transpose MatMul");
    kit_start_model();
    kit_io(KIT_INPUT, "a", BP_DTYPE_F32, "2,2,3,4");
    kit_io(KIT_INPUT, "b", BP_DTYPE_F32, "2,2,5,4");
    swap("turn", "b", "bt", true);
    kit_node("product", "MatMul", "a bt", "y");
    kit_io(KIT_OUTPUT, "bt", BP_DTYPE_F32, NULL); /* wanted as it is */
    passes_becomes("Transpose MatMul", "Transpose MatMul");
}
END_TEST

START_TEST(infinite_zero_or_broadcasting_scale_is_not_fused)
{
    kit_io(KIT_INPUT, "a", BP_DTYPE_F32, "n,3");
    passes_floats("b", PW_DIMS(3, 2), 1);
    passes_floats("row", PW_DIMS(2), 2);
    kit_node("product", "MatMul", "a b", "p");
    kit_node("scale", "Mul", "p row", "y");
    passes_becomes("MatMul Mul", "MatMul Mul");
    kit_start_model();
    kit_io(KIT_INPUT, "a", BP_DTYPE_F32, "n,3");
    passes_floats("b", PW_DIMS(3, 2), 1);
    kit_floats("none", PW_SCALAR, 1, (const float[]){0}); /* what is infinite would become 0 */
    kit_node("product", "MatMul", "a b", "p");
    kit_node("scale", "Mul", "p none", "y");
    passes_becomes("MatMul Mul", "MatMul Mul");
    kit_start_model();
    kit_io(KIT_INPUT, "a", BP_DTYPE_F32, "2,3");
    passes_floats("b", PW_DIMS(3, 2), 1);
    kit_floats("wide", PW_DIMS(1, 1, 1), 1, (const float[]){2}); /* adds an axis */
    kit_node("product", "MatMul", "a b", "p");
    kit_node("scale", "Mul", "p wide", "y");
    passes_becomes("MatMul Mul", "MatMul Mul");
}
END_TEST

/* ---- SimplifiedLayerNormalization ------------------------------------------------------------ */

/* sqrt(mean of x^2 + epsilon), as "r" */
static void spread(bool by_mul, int64_t axis)
{
    kit_io(KIT_INPUT, "in", BP_DTYPE_F32, "n,5,5");
    passes_scalar("two", 2);
    passes_scalar("one", 1);
    passes_scalar("eps", 1e-5f);
    passes_floats("gamma", PW_DIMS(5), 1);
    kit_node("first", "Abs", "in", "x");
    kit_node("square", by_mul ? "Mul" : "Pow", by_mul ? "x x" : "x two", "q");
    kit_open_node("mean", "ReduceMean", "q", "v");
    kit_ints_attr("axes", 1, &axis);
    pw_close(&kit.w);
    kit_node("plus", "Add", "v eps", "a");
    kit_node("root", "Sqrt", "a", "r");
}

START_TEST(decomposed_rms_norm_is_fused_in_its_three_variants)
{
    spread(false, -1);
    kit_node("div", "Div", "x r", "d");
    kit_node("scale", "Mul", "d gamma", "y");
    passes_becomes("Abs Pow ReduceMean Add Sqrt Div Mul", "Abs SimplifiedLayerNormalization");
    kit_start_model();
    spread(true, 2);
    kit_node("inverse", "Reciprocal", "r", "i");
    kit_node("div", "Mul", "x i", "d");
    kit_node("scale", "Mul", "gamma d", "y");
    passes_becomes("Abs Mul ReduceMean Add Sqrt Reciprocal Mul Mul",
                   "Abs SimplifiedLayerNormalization");
    kit_start_model();
    spread(false, -1);
    kit_node("inverse", "Div", "one r", "i");
    kit_node("div", "Mul", "i x", "d");
    kit_node("scale", "Mul", "gamma d", "y");
    passes_becomes("Abs Pow ReduceMean Add Sqrt Div Mul Mul", "Abs SimplifiedLayerNormalization");
}
END_TEST

START_TEST(lookalikes_of_rms_norm_are_not_fused)
{
    spread(false, 1);
    kit_node("div", "Div", "x r", "d");
    kit_node("scale", "Mul", "d gamma", "y");
    passes_becomes("Abs Pow ReduceMean Add Sqrt Div Mul", "Abs Pow ReduceMean Add Sqrt Div Mul");
    kit_start_model();
    spread(false, -1);
    kit_node("div", "Div", "in r", "d"); /* not what was squared */
    kit_node("scale", "Mul", "d gamma", "y");
    passes_becomes("Abs Pow ReduceMean Add Sqrt Div Mul", "Abs Pow ReduceMean Add Sqrt Div Mul");
    kit_start_model();
    spread(false, -1);
    kit_io(KIT_OUTPUT, "v", BP_DTYPE_F32, NULL);
    kit_node("div", "Div", "x r", "d");
    kit_node("scale", "Mul", "d gamma", "y");
    passes_becomes("Abs Pow ReduceMean Add Sqrt Div Mul", "Abs Pow ReduceMean Add Sqrt Div Mul");
}
END_TEST

/* ---- attention ------------------------------------------------------------------------------- */

/* What an attention of these tests is like; names of its values end in `mark`. */
struct attention {
    const char *mark, *mask; /* mask NULL: none */
    int64_t heads, size, value_size;
    bool is_wrong; /* K is not turned */
};

static char *marked(const char *name, const char *mark)
{
    static char names[32][16];
    static uint32_t next;
    char *to = names[next++ % 32], text[sizeof names[0]];

    snprintf(text, sizeof text, "%s%s", name, mark); /* `name` may be one of them */
    return memcpy(to, text, sizeof text);
}

/* A node with a mark on what it makes and the first that it reads. */
static void step(const char *op, const char *in, const char *rest, const char *out,
                 const char *mark, const int64_t *perm)
{
    char all[64];

    snprintf(all, sizeof all, "%s%s %s", in, mark, rest);
    kit_open_node(marked(out, mark), op, all, marked(out, mark));
    if (perm)
        kit_ints_attr("perm", 4, perm);
    pw_close(&kit.w);
}

/* x times weights, split into heads, as "qh" of "q". */
static void split(const struct attention *a, const char *name, int64_t size, const int64_t *perm)
{
    const int64_t dims[] = {0, 0, a->heads, size};
    char *w = marked(marked(name, "w"), a->mark), *in = marked(name, a->mark);
    char *sizes = marked(marked(name, "z"), a->mark), read[48];

    passes_floats(w, PW_DIMS(6, a->heads * size), (uint64_t)(name[0] + a->mark[0]));
    snprintf(read, sizeof read, "x %s", w);
    kit_node(in, "MatMul", read, in);
    kit_ints(sizes, PW_DIMS(4), 4, dims);
    step("Reshape", name, sizes, marked(name, "r"), a->mark, NULL);
    step("Transpose", marked(name, "r"), "", marked(name, "h"), a->mark, perm);
}

static void attention(const struct attention *a)
{
    static const int64_t by_head[] = {0, 2, 1, 3}, turned[] = {0, 2, 3, 1};
    const int64_t dims[] = {0, 0, a->heads * a->value_size};
    char *all;

    split(a, "q", a->size, by_head);
    split(a, "k", a->size, a->is_wrong ? by_head : turned);
    split(a, "v", a->value_size, by_head);
    step("MatMul", "qh", marked("kh", a->mark), "s", a->mark, NULL);
    step("Mul", "s", "scale", "t", a->mark, NULL);
    if (a->mask)
        step("Add", "t", a->mask, "m", a->mark, NULL);
    step("Softmax", a->mask ? "m" : "t", "", "p", a->mark, NULL);
    step("MatMul", "p", marked("vh", a->mark), "c", a->mark, NULL);
    step("Transpose", "c", "", "o", a->mark, by_head);
    all = marked("all", a->mark);
    kit_ints(all, PW_DIMS(3), 3, dims);
    step("Reshape", "o", all, "y", a->mark, NULL);
}

static void begin_attention(const char *x, const char *mask)
{
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, x);
    if (mask)
        kit_io(KIT_INPUT, "mask", BP_DTYPE_F32, mask);
    passes_scalar("scale", 0.5f);
}

/* One attention becomes these nodes, after its three products. */
static void attends(const char *x, const char *mask, const struct attention *a, const char *want)
{
    char text[256];

    begin_attention(x, mask);
    attention(a);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    passes_same();
    snprintf(text, sizeof text, "%s", passes_ops());
    ck_assert_msg(strcmp(text, want) == 0, "%s, not %s", text, want);
}

START_TEST(decomposed_attention_is_fused)
{
    const struct attention plain = {"", NULL, 2, 3, 3, false};
    const struct attention masked = {"", "mask", 2, 3, 5, false};
    const char *all = "MatMul MatMul MatMul MultiHeadAttention";

    attends("2,4,6", NULL, &plain, all);
    ck_assert_uint_eq(passes_matches("fuse-attention"), 1);
    attends("n,steps,6", NULL, &plain, all);
    attends("2,4,6", "2,1,4,4", &masked, all);
    attends("2,4,6", "1,2,4,4", &masked, all);
    attends("n,4,6", "1,2,4,4", &masked, all);
}
END_TEST

/* A mask of one row is spread once for all that read it. */
START_TEST(fused_attentions_share_one_expanded_mask)
{
    const struct attention first = {"", "mask", 2, 3, 3, false};
    const struct attention second = {"2", "mask", 3, 2, 4, false};

    attends("2,4,6", "2,1,1,4", &first, "MatMul MatMul MatMul Expand MultiHeadAttention");
    begin_attention("2,4,6", "2,1,1,4");
    attention(&first);
    attention(&second);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    kit_io(KIT_OUTPUT, "y2", BP_DTYPE_F32, NULL);
    passes_same();
    ck_assert_uint_eq(passes_matches("fuse-attention"), 2);
    ck_assert_ptr_nonnull(strstr(passes_ops(), "Expand"));
    ck_assert_ptr_null(strstr(strstr(passes_ops(), "Expand") + 1, "Expand"));
    ck_assert_ptr_null(strstr(passes_ops(), "Softmax"));
}
END_TEST

START_TEST(lookalikes_of_attention_are_not_fused)
{
    const struct attention wrong = {"", NULL, 2, 4, 4, true};
    const struct attention masked = {"", "mask", 2, 3, 3, false};
    const struct attention plain = {"", NULL, 2, 3, 3, false};

    begin_attention("2,4,6", NULL); /* four steps, so that the shapes still multiply */
    attention(&wrong);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    passes_same();
    ck_assert_ptr_nonnull(strstr(passes_ops(), "Softmax"));
    begin_attention("n,steps,6", "n,1,1,steps"); /* the count of rows is unknown */
    attention(&masked);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    passes_same();
    ck_assert_ptr_nonnull(strstr(passes_ops(), "Softmax"));
    begin_attention("n,4,6", "n,1,4,4"); /* two inputs may be of two batches */
    attention(&masked);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    passes_same();
    ck_assert_ptr_nonnull(strstr(passes_ops(), "Softmax"));
    begin_attention("2,4,6", NULL); /* what it picked by is wanted */
    attention(&plain);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    kit_io(KIT_OUTPUT, "p", BP_DTYPE_F32, NULL);
    passes_same();
    ck_assert_ptr_nonnull(strstr(passes_ops(), "Softmax"));
}
END_TEST

int main(void)
{
    TCase *all = tcase_create("all");

    tcase_add_test(all, decomposed_tanh_gelu_is_fused_in_every_operand_order);
    tcase_add_test(all, lookalikes_of_tanh_gelu_are_not_fused);
    tcase_add_test(all, x_times_sigmoid_of_x_becomes_quick_gelu);
    tcase_add_test(all, x_times_sigmoid_of_another_value_is_not_fused);
    tcase_add_test(all, transpose_and_scale_are_fused_into_matmul);
    tcase_add_test(all, transposes_of_both_operands_are_fused_into_matmul);
    tcase_add_test(all, unsupported_or_shared_transposes_are_not_fused);
    tcase_add_test(all, infinite_zero_or_broadcasting_scale_is_not_fused);
    tcase_add_test(all, decomposed_rms_norm_is_fused_in_its_three_variants);
    tcase_add_test(all, lookalikes_of_rms_norm_are_not_fused);
    tcase_add_test(all, decomposed_attention_is_fused);
    tcase_add_test(all, fused_attentions_share_one_expanded_mask);
    tcase_add_test(all, lookalikes_of_attention_are_not_fused);
    tcase_add_checked_fixture(all, kit_setup, kit_teardown);
    tcase_set_timeout(all, 120);
    return kit_main("passes_fused", &all, 1);
}
