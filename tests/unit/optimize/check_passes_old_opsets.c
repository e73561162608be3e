/* SPDX-License-Identifier: MIT */
/*
 * check_passes_old_opsets.c - models of opsets 1 to 6, where Add and Mul broadcast only where `broadcast`
 * says so, and along `axis`, and where BatchNormalization and Dropout train unless `is_test` says
 * otherwise: they compute the same at every level, and what looks as it does later is not taken for
 * that.
 */

#include "config.h"

#include <stdio.h>

#include "optimize/passes_kit.h"
#include "support/random.h"

static struct old {
    int64_t opset;
    uint64_t state;
    char last[16]; /* the value that grows: [2,3,3,3] */
    uint32_t n;
} g;

static uint32_t below(uint32_t n)
{
    return random_below(&g.state, n);
}

/* A node that reads the last value, then `rest`, and makes the next; left open. */
static void open_step(const char *op, const char *rest)
{
    char in[96], out[16];

    snprintf(in, sizeof in, "%s %s", g.last, rest);
    snprintf(out, sizeof out, "v%u", g.n++);
    kit_open_node(out, op, in, out);
    snprintf(g.last, sizeof g.last, "%s", out);
}

/* A new constant. */
static const char *constant(const int64_t *dims)
{
    static char names[8][16];
    char *name = names[g.n % 8];

    snprintf(name, sizeof names[0], "k%u", g.n++);
    passes_floats(name, dims, g.state + g.n);
    return name;
}

static void conv(void)
{
    open_step("Conv", constant(PW_DIMS(3, 3, 1, 1)));
    pw_close(&kit.w);
}

/* Values along the channels, the rows, or the columns (which is where later opsets look). */
static void along(const char *op)
{
    int axis = 1 + (int)below(3);

    open_step(op, constant(PW_DIMS(3)));
    kit_int_attr("broadcast", 1);
    if (axis < 3 || below(2))
        kit_int_attr("axis", axis);
    pw_close(&kit.w);
}

static void norm(void)
{
    char rest[64];

    passes_floats("scale", PW_DIMS(3), 2);
    kit_floats("variance", PW_DIMS(3), 3, (const float[]){1, 0.5f, 2});
    snprintf(rest, sizeof rest, "scale scale scale variance");
    open_step("BatchNormalization", rest);
    kit_int_attr("is_test", 1);
    if (g.opset < 6)
        kit_ints_attr("consumed_inputs", 5, (const int64_t[]){0, 0, 0, 1, 1});
    pw_close(&kit.w);
}

static void plain(void)
{
    static const char *const ops[] = {"Relu", "Sigmoid", "Tanh", "Identity"};

    open_step(ops[below(4)], "");
    pw_close(&kit.w);
}

static void drop(void)
{
    open_step("Dropout", "");
    kit_int_attr("is_test", 1);
    pw_close(&kit.w);
}

/* To rows and back; the sizes are an attribute before opset 5. */
static void reshape(void)
{
    for (int i = 0; i < 2; i++) {
        const int64_t sizes[] = {2, i ? 3 : 27, i ? 3 : 1, i ? 3 : 1};
        char name[16];

        snprintf(name, sizeof name, "z%u", g.n);
        if (g.opset >= 5)
            kit_ints(name, PW_DIMS(4), 4, sizes);
        open_step("Reshape", g.opset >= 5 ? name : "");
        if (g.opset < 5)
            kit_ints_attr("shape", 4, sizes);
        pw_close(&kit.w);
    }
}

static void one_graph(int64_t opset, uint64_t seed, bool has_norm)
{
    static void (*const steps[])(void) = {conv, conv, plain, drop, reshape};
    uint32_t n;

    g = (struct old){.opset = opset, .state = seed * 977 + 3, .last = "x"};
    kit_start_model_at(opset);
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3,3,3");
    n = 3 + below(8);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t step = below(7);

        if (step < 5)
            steps[step]();
        else
            along(step == 5 ? "Add" : "Mul");
        if (has_norm && i == n / 2)
            norm();
    }
    kit_io(KIT_OUTPUT, g.last, BP_DTYPE_F32, NULL);
    passes_same();
}

START_TEST(optimised_random_graphs_of_old_opsets_compute_the_same)
{
    for (uint64_t seed = 0; seed < 12; seed++) {
        printf("opset %d, seed %u\n", _i, (unsigned)seed);
        fflush(stdout);
        one_graph(_i, seed, seed % 2);
    }
}
END_TEST

/* Three values along the columns have the same shape as three along the channels. */
START_TEST(add_of_old_opset_along_the_width_is_not_folded)
{
    kit_start_model_at(6);
    g = (struct old){.opset = 6, .last = "x"};
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3,3,3");
    conv();
    open_step("Add", constant(PW_DIMS(3, 1, 1)));
    kit_int_attr("broadcast", 1);
    pw_close(&kit.w);
    open_step("Mul", constant(PW_DIMS(3)));
    kit_int_attr("broadcast", 1);
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, g.last, BP_DTYPE_F32, NULL);
    passes_same();
    ck_assert_str_eq(passes_ops(), "Conv Add Mul");
}
END_TEST

START_TEST(batch_norm_of_old_opset_is_folded_into_conv)
{
    kit_start_model_at(6);
    g = (struct old){.opset = 6, .last = "x"};
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3,3,3");
    conv();
    norm();
    drop();
    kit_io(KIT_OUTPUT, g.last, BP_DTYPE_F32, NULL);
    passes_same();
    ck_assert_str_eq(passes_ops(), "Conv");
}
END_TEST

int main(void)
{
    TCase *all = tcase_create("all");

    tcase_add_loop_test(all, optimised_random_graphs_of_old_opsets_compute_the_same, 1, 7);
    tcase_add_test(all, add_of_old_opset_along_the_width_is_not_folded);
    tcase_add_test(all, batch_norm_of_old_opset_is_folded_into_conv);
    tcase_add_checked_fixture(all, kit_setup, kit_teardown);
    tcase_set_timeout(all, 120);
    return kit_main("passes_old_opsets", &all, 1);
}
