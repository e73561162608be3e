/* SPDX-License-Identifier: MIT */
/*
 * check_chains.c - nodes that the provider opencl makes one kernel of give what they give one by
 * one, and what cpu gives.
 */

#include "config.h"

#include "graph_kit.h"

static char folder[64];

/*
 * Runs it on cpu, on opencl without and with kernels of several nodes; gives how many were
 * compiled.
 */
static void compare(const char *what, gk_make_fn make, const void *u, uint32_t seed,
                    uint32_t kernels[2])
{
    bp_binding want[GK_OUTPUTS], got[GK_OUTPUTS];

    gk.state = seed;
    gk_open(make, u, "cpu", NULL, 0);
    gk_run(want);
    for (uint32_t fuses = 0; fuses < 2; fuses++) {
        char command[128];
        const bp_key_value options[] = {{"fuse", fuses ? "true" : "false"}, {"cache_dir", folder}};

        snprintf(folder, sizeof folder, "/tmp/bp-chains-%d", (int)getpid());
        gk.state = seed;
        gk_open(make, u, "opencl", options, 2);
        gk_run(got);
        kernels[fuses] = gk_files(folder, "opencl-");
        snprintf(command, sizeof command, "rm -r '%s'", folder);
        ck_assert_int_eq(system(command), 0);
        for (uint32_t i = 0; i < gk.n_out; i++)
            gk_same(what, &got[i].tensor, &want[i].tensor);
        gk_free(got);
    }
    gk_free(want);
}

/* ---- element-wise nodes ---------------------------------------------------------------------- */

/* Sigmoid and its kin of values that are read twice, inputs that are broadcast along other axes. */
static void make_gate(const void *u)
{
    (void)u;
    GK_INPUT("x", 2, 3, 4, 5);
    GK_INPUT("b", 5);
    GK_INPUT("c", 3, 1, 1);
    kit_node("n0", "Add", "x b", "t");
    kit_node("n1", "Sigmoid", "t", "s");
    kit_node("n2", "Mul", "t s", "g");
    kit_node("n3", "Sub", "g c", "h");
    kit_node("n4", "Greater", "h x", "m");
    kit_node("n5", "Where", "m h b", "w");
    kit_node("n6", "Tanh", "w", "y");
    gk_output("y", "2,3,4,5");
}

START_TEST(a_chain_is_one_kernel)
{
    uint32_t kernels[2];

    compare("gate", make_gate, NULL, 1, kernels);
    ck_assert_uint_eq(kernels[1], 1);
    ck_assert_uint_ge(kernels[0], 5);
}
END_TEST

/* What others need, as an output or in another shape, is a kernel's own result. */
static void make_shared(const void *u)
{
    (void)u;
    GK_INPUT("x", 3, 4);
    GK_INPUT("row", 4);
    GK_INPUT("wide", 2, 3, 4);
    kit_node("n0", "Neg", "x", "a");
    kit_node("n1", "Exp", "a", "out");
    kit_node("n2", "Mul", "out x", "c");
    kit_node("n3", "Add", "c row", "small");
    kit_node("n4", "Abs", "small", "d");
    kit_node("n5", "Add", "d wide", "y");
    gk_output("out", "3,4");
    gk_output("y", "2,3,4");
}

START_TEST(what_others_read_is_in_memory)
{
    uint32_t kernels[2];

    compare("shared", make_shared, NULL, 2, kernels);
    ck_assert_uint_eq(kernels[1], 3);
}
END_TEST

/* More inputs, and more nodes, than one kernel has. */
static void make_long(const void *u)
{
    char name[8], before[16] = "x0", text[32];

    (void)u;
    for (uint32_t i = 0; i < GK_INPUTS; i++) {
        snprintf(name, sizeof name, "x%u", i);
        GK_INPUT(name, 2, 7);
    }
    for (uint32_t i = 0; i < 60; i++) {
        char node[16], after[16];

        snprintf(node, sizeof node, "n%u", i);
        snprintf(after, sizeof after, i == 59 ? "y" : "v%u", i);
        snprintf(text, sizeof text, "%s x%u", before, gk_random(GK_INPUTS));
        kit_node(node, i % 3 == 0 ? "Add" : i % 3 == 1 ? "Min" : "Sub", text, after);
        snprintf(before, sizeof before, "%s", after);
    }
    gk_output("y", "2,7");
}

START_TEST(long_chains_are_several_kernels)
{
    uint32_t kernels[2];

    compare("long", make_long, NULL, 3, kernels);
    ck_assert_uint_ge(kernels[1], 3);
}
END_TEST

/* ---- random graphs --------------------------------------------------------------------------- */

static void make_random(const void *u)
{
    static const char *const one[] = {"Relu", "Neg", "Tanh", "Sigmoid", "HardSwish", "Elu", "Abs"};
    static const char *const two[] = {"Add", "Mul", "Sub", "Max", "Min", "PRelu", "Sum", "Mean"};
    enum { N = 14 };
    char names[N + 4][8] = {"x", "b", "c", "s"};

    (void)u;
    GK_INPUT("x", 2, 3, 4, 5);
    GK_INPUT("b", 4, 1);
    GK_INPUT("c", 2, 1, 1, 5);
    GK_INPUT("s", 1);
    for (uint32_t i = 4; i < N + 4; i++) {
        char node[16], in[32];
        const char *last = i == 4 ? "x" : names[i - 1];

        snprintf(node, sizeof node, "n%u", i);
        snprintf(names[i], sizeof names[i], i == N + 3 ? "y" : "v%u", i);
        if (gk_random(3) == 0) {
            kit_node(node, one[gk_random(7)], last, names[i]);
            continue;
        }
        if (gk_random(4) == 0)
            snprintf(in, sizeof in, "%s %s %s", last, names[gk_random(i)], names[gk_random(i)]);
        else
            snprintf(in, sizeof in, "%s %s", last, names[gk_random(i)]);
        kit_node(node,
                 strlen(in) > strcspn(in, " ") && strchr(strchr(in, ' ') + 1, ' ')
                     ? two[gk_random(2) ? 6 : 3]
                     : two[gk_random(8)],
                 in, names[i]);
    }
    gk_output("y", "2,3,4,5");
}

START_TEST(random_chains_give_the_same)
{
    uint32_t kernels[2];
    char what[32];

    for (uint32_t seed = 1; seed <= 10; seed++) {
        snprintf(what, sizeof what, "seed %u", seed);
        compare(what, make_random, NULL, seed * 77, kernels);
    }
}
END_TEST

/* ---- products -------------------------------------------------------------------------------- */

/* A bias, a Gelu and a residual behind rows of a product. */
static void make_matmul(const void *u)
{
    (void)u;
    GK_INPUT("x", 2, 5, 12);
    GK_INPUT("z", 2, 5, 20);
    gk_const("w", PW_DIMS(12, 20), 240);
    gk_const("b", PW_DIMS(20), 20);
    kit_node("n0", "MatMul", "x w", "p");
    kit_node("n1", "Add", "b p", "q");
    kit_node("n2", "Sigmoid", "q", "s");
    kit_node("n3", "Mul", "q s", "g");
    kit_node("n4", "Add", "g z", "y");
    gk_output("y", "2,5,20");
}

/*
 * A gate for each channel behind a convolution, by one of all channels (u: 1) or one each (u: 4).
 */
static void make_conv(const void *u)
{
    const int64_t *groups = u;

    GK_INPUT("x", 2, 4, 6, 7);
    GK_INPUT("gate", 2, 4, 1, 1);
    GK_INPUT("scale", 4, 1, 1);
    gk_const("w", PW_DIMS(4, 4 / *groups, 3, 3), (uint32_t)(4 * 4 / *groups * 9));
    gk_const("b", PW_DIMS(4), 4);
    kit_open_node("n0", "Conv", "x w b", "p");
    kit_ints_attr("pads", 4, (int64_t[]){1, 1, 1, 1});
    kit_int_attr("group", *groups);
    pw_close(&kit.w);
    kit_node("n1", "HardSwish", "p", "h");
    kit_node("n2", "Mul", "h gate", "g");
    kit_node("n3", "Sub", "g scale", "d");
    kit_node("n4", "Add", "d x", "y");
    gk_output("y", "2,4,6,7");
}

/* Two products that are added: one ends with the sum, the other is in memory. */
static void make_two(const void *u)
{
    (void)u;
    GK_INPUT("x", 5, 8);
    gk_const("v", PW_DIMS(8, 6), 48);
    gk_const("w", PW_DIMS(8, 6), 48);
    kit_node("n0", "MatMul", "x v", "p");
    kit_node("n1", "MatMul", "x w", "q");
    kit_node("n2", "Add", "p q", "r");
    kit_node("n3", "Tanh", "r", "y");
    gk_output("y", "5,6");
}

START_TEST(products_end_with_what_follows)
{
    const int64_t one = 1, four = 4;
    uint32_t kernels[2];

    compare("matmul", make_matmul, NULL, 5, kernels);
    ck_assert_uint_eq(kernels[1], 1);
    compare("depthwise", make_conv, &four, 6, kernels);
    ck_assert_uint_eq(kernels[1], 1);
    compare("conv", make_conv, &one, 7, kernels);
    ck_assert_uint_eq(kernels[1], 2); /* columns, product */
    compare("two", make_two, NULL, 8, kernels);
    ck_assert_uint_eq(kernels[1], 2);
}
END_TEST

int main(void)
{
    TCase *cases[] = {tcase_create("elementwise"), tcase_create("random"),
                      tcase_create("products")};

    tcase_add_test(cases[0], a_chain_is_one_kernel);
    tcase_add_test(cases[0], what_others_read_is_in_memory);
    tcase_add_test(cases[0], long_chains_are_several_kernels);
    tcase_add_test(cases[1], random_chains_give_the_same);
    tcase_add_test(cases[2], products_end_with_what_follows);
    return gk_main("opencl chains", cases, 3);
}
