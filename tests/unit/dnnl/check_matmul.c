/* SPDX-License-Identifier: MIT */
/*
 * check_matmul.c - what transformers have, on dnnl as on CPU: products with what stands
 * after them, norms, and the nodes that exporters write norms and Gelu with.
 */

#include "config.h"

#include "dnnl/dnnl_kit.h"

/* ---- products and what stands after them ---------------------------------------------------- */

struct chain {
    const char *what, *matrix, *row; /* row: what is added; NULL: nothing */
    const char *op, *domain;         /* of the activation; NULL: none */
    uint32_t since;
    const char *approximate;
    int is_variable; /* the matrix is an input */
    int is_shared;   /* what is added to has a second reader */
};

static void make_activation(struct th *t, const struct chain *k, const char *in)
{
    th_node(t, k->op, k->since, in, "y");
    if (k->domain)
        th_domain(t, k->domain);
    if (k->approximate)
        th_string(t, "approximate", k->approximate);
}

static void make_chain(struct th *t, const void *u)
{
    const struct chain *k = u;
    const char *last = k->row ? "s" : "p";

    dnnl_input(t, "x", "2,7,33");
    if (k->is_variable)
        dnnl_input(t, "w", k->matrix);
    else
        dnnl_const(t, "w", k->matrix);
    if (k->row)
        dnnl_const(t, "b", k->row);
    dnnl_value(t, "p", "2,7,20");
    if (k->row && k->op)
        dnnl_value(t, "s", "2,7,20");
    dnnl_output(t, "y", "2,7,20");
    if (k->is_shared)
        dnnl_output(t, "z", "2,7,20");
    th_node(t, "MatMul", 13, "x w", "p");
    if (k->row)
        th_node(t, "Add", 14, "b p", k->op ? "s" : "y");
    if (k->op)
        make_activation(t, k, last);
    if (k->is_shared)
        th_node(t, "Neg", 13, "p", "z");
}

START_TEST(add_and_activation_run_inside_the_matmul)
{
    static const struct chain rows[] = {
        {.what = "row", .matrix = "33,20", .row = "20"},
        {.what = "row, Relu", .matrix = "33,20", .row = "20", .op = "Relu", .since = 14},
        {.what = "Relu", .matrix = "33,20", .op = "Relu", .since = 14},
        {.what = "row, Gelu", .matrix = "33,20", .row = "20", .op = "Gelu", .since = 20},
        {.what = "row, Gelu by tanh",
         .matrix = "33,20",
         .row = "20",
         .op = "Gelu",
         .since = 20,
         .approximate = "tanh"},
        {.what = "row, Microsoft's Gelu",
         .matrix = "33,20",
         .row = "20",
         .op = "Gelu",
         .domain = "com.microsoft",
         .since = 1},
        {.what = "row, Neg", .matrix = "33,20", .row = "20", .op = "Neg", .since = 13},
        {.what = "one number", .matrix = "33,20", .row = "1", .op = "Relu", .since = 14},
        {.what = "a matrix", .matrix = "33,20", .row = "7,20", .op = "Relu", .since = 14},
        {.what = "stacked", .matrix = "2,33,20", .row = "20", .op = "Relu", .since = 14},
        {.what = "variable",
         .matrix = "33,20",
         .row = "20",
         .op = "Relu",
         .since = 14,
         .is_variable = 1},
        {.what = "shared",
         .matrix = "33,20",
         .row = "20",
         .op = "Relu",
         .since = 14,
         .is_shared = 1},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        dnnl_compare(rows[i].what, make_chain, &rows[i], rows[i].is_shared);
}
END_TEST

struct fused {
    int trans_a, trans_b, is_constant;
    const char *a, *b, *y;
};

static void make_fused(struct th *t, const void *u)
{
    const struct fused *k = u;

    dnnl_input(t, "a", k->a);
    if (k->is_constant)
        dnnl_const(t, "b", k->b);
    else
        dnnl_input(t, "b", k->b);
    dnnl_output(t, "y", k->y);
    th_node(t, "FusedMatMul", 1, "a b", "y");
    th_domain(t, "com.microsoft");
    th_int(t, "transA", k->trans_a);
    th_int(t, "transB", k->trans_b);
    th_float(t, "alpha", 0.125f);
}

START_TEST(fused_matmul_matches_the_cpu_provider)
{
    static const struct fused rows[] = {
        {0, 0, 0, "2,3,5,8", "2,3,8,6", "2,3,5,6"}, {0, 1, 0, "2,3,5,8", "2,3,6,8", "2,3,5,6"},
        {1, 0, 0, "2,3,8,5", "2,3,8,6", "2,3,5,6"}, {1, 1, 0, "2,8,5", "2,6,8", "2,5,6"},
        {0, 1, 1, "2,5,8", "6,8", "2,5,6"},         {1, 0, 1, "2,8,5", "8,6", "2,5,6"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char what[32];

        snprintf(what, sizeof what, "FusedMatMul %zu", i);
        dnnl_compare(what, make_fused, &rows[i], 0);
    }
}
END_TEST

/* ---- norms ----------------------------------------------------------------------------------- */

struct norm {
    int64_t axis;
    const char *row;
    int has_bias;
};

static void make_norm(struct th *t, const void *u)
{
    const struct norm *k = u;

    dnnl_input(t, "x", "3,4,6,5");
    dnnl_const(t, "scale", k->row);
    if (k->has_bias)
        dnnl_const(t, "bias", k->row);
    dnnl_value(t, "n", "3,4,6,5");
    dnnl_output(t, "y", "3,4,6,5");
    th_node(t, "LayerNormalization", 17, k->has_bias ? "x scale bias" : "x scale", "n");
    th_int(t, "axis", k->axis);
    th_float(t, "epsilon", 1e-3f);
    th_node(t, "Neg", 13, "n", "y");
}

START_TEST(layer_normalization_matches_the_cpu_provider)
{
    static const struct norm rows[] = {
        {-1, "5", 1}, {-1, "5", 0}, {2, "6,5", 1}, {3, "5", 1}, {-3, "4,6,5", 1}, {0, "3,4,6,5", 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        dnnl_compare(rows[i].row, make_norm, &rows[i], 0);
}
END_TEST

/* ---- decomposed norms and Gelu ----------------------------------------------------------------------------------- */

static void make_decomposed(struct th *t, const void *u)
{
    static const float two = 2;
    const int *n_axes = u;
    static const int64_t axes[2] = {-1, 0};

    dnnl_input(t, "x", "4,6,5");
    th_const(t, "two", BP_DTYPE_F32, "", &two);
    dnnl_values(t, "e s", "4,6,5");
    dnnl_output(t, "y", *n_axes == 1 ? "4,6,1" : *n_axes == 2 ? "1,6,1" : "1,1,1");
    dnnl_output(t, "z", "4,6,5");
    th_node(t, "Erf", 13, "x", "e");
    th_node(t, "Pow", 15, "x two", "s");
    th_node(t, "Sub", 14, "s e", "z");
    th_node(t, "ReduceMean", 13, "z", "y");
    if (*n_axes > 0)
        th_ints(t, "axes", (uint32_t)*n_axes, axes);
}

START_TEST(decomposed_layer_normalization_matches_the_cpu_provider)
{
    for (int n_axes = 0; n_axes < 3; n_axes++)
        dnnl_compare("decomposed", make_decomposed, &n_axes, 1);
}
END_TEST

static void make_mean_of_ones(struct th *t, const void *u)
{
    (void)u;
    dnnl_input(t, "x", "4,1,5");
    dnnl_value(t, "m", "4,1,5");
    dnnl_output(t, "y", "4,1,5");
    th_node(t, "ReduceMean", 13, "x", "m");
    th_ints(t, "axes", 1, (const int64_t[1]){1});
    th_node(t, "Abs", 13, "m", "y");
}

START_TEST(reduce_mean_over_axes_of_size_1_copies_its_input)
{
    dnnl_compare("ReduceMean of size 1", make_mean_of_ones, NULL, 0);
}
END_TEST

/* ---- refusals -------------------------------------------------------------------------------- */

static void make_pow_three(struct th *t, const void *u)
{
    static const float three = 3;

    (void)u;
    dnnl_input(t, "x", "4,6");
    th_const(t, "n", BP_DTYPE_F32, "", &three);
    dnnl_output(t, "y", "4,6");
    th_node(t, "Pow", 15, "x n", "y");
}

static void make_no_keepdims(struct th *t, const void *u)
{
    (void)u;
    dnnl_input(t, "x", "4,6");
    dnnl_output(t, "y", "4");
    th_node(t, "ReduceMean", 13, "x", "y");
    th_ints(t, "axes", 1, (const int64_t[1]){1});
    th_int(t, "keepdims", 0);
}

static void make_short_scale(struct th *t, const void *u)
{
    (void)u;
    dnnl_input(t, "x", "4,6");
    dnnl_const(t, "scale", "1");
    dnnl_output(t, "y", "4,6");
    th_node(t, "LayerNormalization", 17, "x scale", "y");
}

static void make_far_axis(struct th *t, const void *u)
{
    (void)u;
    dnnl_input(t, "x", "4,6");
    dnnl_const(t, "scale", "6");
    dnnl_output(t, "y", "4,6");
    th_node(t, "LayerNormalization", 17, "x scale", "y");
    th_int(t, "axis", 2);
}

static void make_batch_transposed(struct th *t, const void *u)
{
    const struct fused k = {0, 0, 0, "2,5,8", "2,8,6", "2,5,6"};

    (void)u;
    make_fused(t, &k);
    th_int(t, "transBatchA", 1);
}

START_TEST(claim_rejects_unsupported_matmuls_and_normalizations)
{
    static const struct {
        dnnl_make_fn make;
        uint32_t reason;
        const char *words;
    } rows[] = {
        {make_pow_three, BP_R_OTHER, "constant 2"},
        {make_no_keepdims, BP_R_ATTRIBUTE, "only 1"},
        {make_short_scale, BP_R_OTHER, "element for each"},
        {make_far_axis, BP_R_ATTRIBUTE, "out of range"},
        {make_batch_transposed, BP_R_ATTRIBUTE, "only 0"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct th *t = dnnl_new();

        rows[i].make(t, NULL);
        dnnl_refuses(t, rows[i].reason, rows[i].words);
    }
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("against cpu");

    tcase_add_test(tcase, add_and_activation_run_inside_the_matmul);
    tcase_add_test(tcase, fused_matmul_matches_the_cpu_provider);
    tcase_add_test(tcase, layer_normalization_matches_the_cpu_provider);
    tcase_add_test(tcase, decomposed_layer_normalization_matches_the_cpu_provider);
    tcase_add_test(tcase, reduce_mean_over_axes_of_size_1_copies_its_input);
    tcase_add_test(tcase, claim_rejects_unsupported_matmuls_and_normalizations);
    return check_main("dnnl_matmul", &tcase, 1);
}
