/* SPDX-License-Identifier: MIT */
/*
 * check_optimize.c - what each pass does to a graph, what it leaves alone, and that results stay:
 * every case runs at every level and is compared with the model as it is.
 */

#include "config.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#include "fail_alloc.h"
#include "kit.h"
#include "random.h"
#include "session/session.h"

enum { MOST_OUTPUTS = 4, MOST_ELEMENTS = 65536 };

/* ---- running at a level ---------------------------------------------------------------------- */

static void open_at(uint32_t level)
{
    bp_session_destroy(kit.session);
    kit.session = NULL;
    bp_session_options_destroy(kit.options);
    kit.options = NULL;
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_set_optimization(kit.options, level, &kit.err));
}

/* Operators of all nodes in their order, with a blank between. */
static const char *ops(void)
{
    static char text[4096];
    const bp_report *report = bp_session_report(kit.session);
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < bp_report_node_count(report); i++) {
        bp_report_node row = {.struct_size = sizeof row};

        KIT_OK(bp_report_get_node(report, i, &row, &kit.err));
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? " " : "", row.op);
        ck_assert_uint_lt(used, sizeof text);
    }
    return text;
}

static bp_report_node node_row(const char *name)
{
    const bp_report *report = bp_session_report(kit.session);

    for (uint32_t i = 0; i < bp_report_node_count(report); i++) {
        bp_report_node row = {.struct_size = sizeof row};

        KIT_OK(bp_report_get_node(report, i, &row, &kit.err));
        if (strcmp(row.name, name) == 0)
            return row;
    }
    ck_abort_msg("the report has no node '%s'", name);
}

static uint32_t matches(const char *pass)
{
    const bp_report *report = bp_session_report(kit.session);

    for (uint32_t i = 0; i < bp_report_pass_count(report); i++) {
        bp_report_pass row = {.struct_size = sizeof row};

        KIT_OK(bp_report_get_pass(report, i, &row, &kit.err));
        ck_assert_uint_le(row.n_after, row.n_before);
        if (strcmp(row.name, pass) == 0)
            return row.n_matches;
    }
    ck_abort_msg("pass '%s' did not run", pass);
}

struct result {
    bp_binding out[MOST_OUTPUTS];
    uint32_t n;
};

/* Feeds each input (float32, sizes known; 3 where not) with numbers of the seed. */
static void run(uint64_t seed, struct result *result)
{
    bp_binding in[4] = {{0}};
    int64_t dims[4][8];
    uint32_t n = kit.session->ports.n_required;

    *result = (struct result){.n = bp_session_output_count(kit.session)};
    ck_assert_uint_le(n, 4);
    ck_assert_uint_le(result->n, MOST_OUTPUTS);
    for (uint32_t i = 0; i < n; i++) {
        bp_io_info info = {.struct_size = sizeof info};
        size_t count = 1;
        float *data;

        KIT_OK(bp_session_input(kit.session, i, &info, &kit.err));
        for (uint32_t d = 0; d < info.rank; d++) {
            dims[i][d] = info.dims[d].value < 0 ? 3 : info.dims[d].value;
            count *= (size_t)dims[i][d];
        }
        data = calloc(count + 1, sizeof *data);
        ck_assert_ptr_nonnull(data);
        for (size_t k = 0; k < count; k++)
            data[k] = random_float(&seed, 2);
        in[i] = kit_tensor(i, BP_DTYPE_F32, data, info.rank, dims[i]);
    }
    for (uint32_t i = 0; i < result->n; i++)
        result->out[i] = kit_wanted(i);
    kit_run(in, n, result->out, result->n);
    for (uint32_t i = 0; i < n; i++)
        free(in[i].tensor.base);
}

static void forget(struct result *result)
{
    for (uint32_t i = 0; i < result->n; i++)
        bp_tensor_free(&result->out[i].tensor);
}

static void compare(const struct result *want, const struct result *got, const char *what)
{
    for (uint32_t i = 0; i < want->n; i++) {
        const bp_tensor *a = &want->out[i].tensor, *b = &got->out[i].tensor;
        const float *x = bp_tensor_data(a), *y = bp_tensor_data(b);
        int64_t n = bp_dims_count(a->dims, a->rank);

        ck_assert_uint_eq(a->dtype, b->dtype);
        kit_check_dims(b, a->rank, a->dims);
        if (a->dtype != BP_DTYPE_F32) {
            ck_assert(memcmp(x, y, a->bytes) == 0);
            continue;
        }
        for (int64_t k = 0; k < n; k++)
            ck_assert_msg(fabsf(x[k] - y[k]) <= 1e-4f * (1 + fabsf(x[k])),
                          "%s: output %u, element %lld is %g instead of %g", what, i, (long long)k,
                          (double)y[k], (double)x[k]);
    }
}

static void same_at_all_levels(void)
{
    static const char *const names[] = {"default", "none", "basic", "extended", "layout"};
    struct result want, got;

    open_at(BP_OPTIMIZE_NONE);
    kit_session();
    run(1, &want);
    for (uint32_t level = BP_OPTIMIZE_BASIC; level <= BP_OPTIMIZE_LAYOUT; level++) {
        open_at(level);
        kit_session();
        for (int again = 0; again < 2; again++) {
            run(1, &got);
            compare(&want, &got, names[level]);
            forget(&got);
        }
    }
    forget(&want);
}

/* The model becomes these operators, and computes the same. */
static void becomes(const char *basic, const char *extended)
{
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    same_at_all_levels();
    open_at(BP_OPTIMIZE_BASIC);
    kit_session();
    ck_assert_str_eq(ops(), basic);
    open_at(BP_OPTIMIZE_EXTENDED);
    kit_session();
    ck_assert_str_eq(ops(), extended);
}

/* ---- pieces of models ------------------------------------------------------------------------ */

static void floats(const char *name, const int64_t *dims, uint64_t seed)
{
    float values[1024];
    int64_t n = 1;

    for (const int64_t *d = dims; *d >= 0; d++)
        n *= *d;
    ck_assert_int_le(n, 1024);
    for (int64_t i = 0; i < n; i++)
        values[i] = random_float(&seed, 1) + 0.01f;
    kit_floats(name, dims, (uint32_t)n, values);
}

/* x[1,2,4,4] * w[3,2,1,1] */
static void picture(void)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1,2,4,4");
    floats("w", PW_DIMS(3, 2, 1, 1), 1);
}

static void norm(const char *in, const char *out)
{
    char names[64];

    floats("scale", PW_DIMS(3), 2);
    floats("shift", PW_DIMS(3), 3);
    floats("mean", PW_DIMS(3), 4);
    kit_floats("var", PW_DIMS(3), 3, (const float[]){1, 0.5f, 2});
    snprintf(names, sizeof names, "%s scale shift mean var", in);
    kit_node("norm", "BatchNormalization", names, out);
}

/* ---- folding into Conv ----------------------------------------------------------------------- */

START_TEST(an_add_of_a_number_a_channel_becomes_the_bias)
{
    picture();
    floats("b", PW_DIMS(3, 1, 1), 5);
    kit_node("conv", "Conv", "x w", "c");
    kit_node("add", "Add", "c b", "y");
    becomes("Conv", "Conv");
    ck_assert_str_eq(node_row("conv").stands_for, "conv, add");
    ck_assert_uint_eq(matches("fold-bias"), 1);
}
END_TEST

START_TEST(an_add_after_a_bias_adds_to_it)
{
    picture();
    floats("b", PW_DIMS(3), 5);
    floats("more", PW_DIMS(1, 3, 1, 1), 6);
    kit_node("conv", "Conv", "x w b", "c");
    kit_node("add", "Add", "more c", "y");
    becomes("Conv", "Conv");
}
END_TEST

START_TEST(a_mul_goes_into_the_weights)
{
    picture();
    floats("m", PW_DIMS(3, 1, 1), 5);
    kit_node("conv", "Conv", "x w", "c");
    kit_node("mul", "Mul", "c m", "y");
    becomes("Conv", "Conv");
}
END_TEST

START_TEST(a_chain_goes_into_one_conv)
{
    picture();
    floats("m", PW_DIMS(3, 1, 1), 5);
    floats("b", PW_DIMS(1), 7);
    kit_node("conv", "Conv", "x w", "c");
    norm("c", "n");
    kit_node("mul", "Mul", "n m", "z");
    kit_node("add", "Add", "z b", "v");
    kit_node("relu", "Relu", "v", "y");
    becomes("Conv Relu", "FusedConv");
    ck_assert_str_eq(node_row("conv").stands_for, "conv, norm, mul, add, relu");
}
END_TEST

START_TEST(a_transposed_conv_takes_a_norm_by_its_groups)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1,4,3,3");
    floats("w", PW_DIMS(4, 3, 2, 2), 1);
    kit_open_node("conv", "ConvTranspose", "x w", "c");
    kit_int_attr("group", 1);
    pw_close(&kit.w);
    norm("c", "y");
    becomes("ConvTranspose", "ConvTranspose");
}
END_TEST

START_TEST(groups_of_a_transposed_conv_keep_their_factors)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1,4,3,3");
    floats("w", PW_DIMS(4, 2, 2, 2), 1);
    floats("m", PW_DIMS(4, 1, 1), 5);
    kit_open_node("conv", "ConvTranspose", "x w", "c");
    kit_int_attr("group", 2);
    pw_close(&kit.w);
    kit_node("mul", "Mul", "c m", "y");
    becomes("ConvTranspose", "ConvTranspose");
}
END_TEST

START_TEST(weights_of_two_convs_stay_for_the_other)
{
    picture();
    floats("m", PW_DIMS(3, 1, 1), 5);
    kit_node("one", "Conv", "x w", "a");
    kit_node("mul", "Mul", "a m", "b");
    kit_node("neg", "Neg", "x", "nx");
    kit_node("two", "Conv", "nx w", "c");
    kit_node("sub", "Sub", "b c", "y");
    becomes("Conv Neg Conv Sub", "Conv Neg Conv Sub");
}
END_TEST

START_TEST(another_reader_keeps_conv_and_norm_apart)
{
    picture();
    kit_node("conv", "Conv", "x w", "c");
    norm("c", "n");
    kit_node("sub", "Sub", "n c", "y");
    becomes("Conv BatchNormalization Sub", "Conv BatchNormalization Sub");
}
END_TEST

START_TEST(an_output_in_the_middle_keeps_them_apart)
{
    picture();
    kit_node("conv", "Conv", "x w", "c");
    kit_io(KIT_OUTPUT, "c", BP_DTYPE_F32, NULL);
    kit_node("relu", "Relu", "c", "y");
    becomes("Conv Relu", "Conv Relu");
}
END_TEST

START_TEST(weights_that_are_fed_stay)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1,2,4,4");
    kit_io(KIT_INPUT, "w", BP_DTYPE_F32, "3,2,1,1");
    kit_node("conv", "Conv", "x w", "c");
    norm("c", "y");
    becomes("Conv BatchNormalization", "Conv BatchNormalization");
}
END_TEST

START_TEST(an_add_along_the_width_stays)
{
    picture();
    floats("b", PW_DIMS(4), 5);
    kit_node("conv", "Conv", "x w", "c");
    kit_node("add", "Add", "c b", "y");
    becomes("Conv Add", "Conv Add");
}
END_TEST

START_TEST(an_add_that_makes_the_picture_larger_stays)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1,2,4,4");
    floats("w", PW_DIMS(1, 2, 1, 1), 1);
    floats("b", PW_DIMS(5, 1, 1), 5);
    kit_node("conv", "Conv", "x w", "c");
    kit_node("add", "Add", "c b", "y");
    becomes("Conv Add", "Conv Add");
}
END_TEST

START_TEST(a_scale_that_is_no_number_stays)
{
    picture();
    kit_floats("m", PW_DIMS(3, 1, 1), 3, (const float[]){1, INFINITY, 1});
    kit_node("conv", "Conv", "x w", "c");
    kit_node("mul", "Mul", "c m", "z");
    kit_node("less", "Less", "z c", "l");
    kit_open_node("cast", "Cast", "l", "y");
    kit_int_attr("to", BP_DTYPE_F32);
    pw_close(&kit.w);
    becomes("Conv Mul Less Cast", "Conv Mul Less Cast");
}
END_TEST

START_TEST(a_pad_goes_into_the_conv)
{
    picture();
    kit_ints("pads", PW_DIMS(8), 8, (const int64_t[]){0, 0, 1, 2, 0, 0, 0, 1});
    kit_node("pad", "Pad", "x pads", "p");
    kit_node("conv", "Conv", "p w", "y");
    becomes("Conv", "Conv");
}
END_TEST

START_TEST(a_pad_with_another_number_stays)
{
    picture();
    kit_ints("pads", PW_DIMS(8), 8, (const int64_t[]){0, 0, 1, 2, 0, 0, 0, 1});
    kit_floats("one", PW_SCALAR, 1, (const float[]){1});
    kit_node("pad", "Pad", "x pads one", "p");
    kit_node("conv", "Conv", "p w", "y");
    becomes("Pad Conv", "Pad Conv");
}
END_TEST

START_TEST(a_pad_of_channels_stays)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1,1,4,4");
    floats("w", PW_DIMS(3, 2, 1, 1), 1);
    kit_ints("pads", PW_DIMS(8), 8, (const int64_t[]){0, 1, 0, 0, 0, 0, 0, 0});
    kit_node("pad", "Pad", "x pads", "p");
    kit_node("conv", "Conv", "p w", "y");
    becomes("Pad Conv", "Pad Conv");
}
END_TEST

static void pool(const char *op, float value)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1,2,4,4");
    kit_ints("pads", PW_DIMS(8), 8, (const int64_t[]){0, 0, 1, 1, 0, 0, 1, 1});
    kit_floats("v", PW_SCALAR, 1, &value);
    kit_node("pad", "Pad", "x pads v", "p");
    kit_open_node("pool", op, "p", "y");
    kit_ints_attr("kernel_shape", 2, (const int64_t[]){2, 3});
    pw_close(&kit.w);
}

START_TEST(pools_pad_themselves)
{
    pool("AveragePool", 0);
    becomes("AveragePool", "AveragePool");
    kit_start_model();
    pool("MaxPool", -INFINITY);
    becomes("MaxPool", "MaxPool");
}
END_TEST

START_TEST(zeros_around_a_max_pool_stay)
{
    pool("MaxPool", 0);
    becomes("Pad MaxPool", "Pad MaxPool");
}
END_TEST

/* ---- products -------------------------------------------------------------------------------- */

START_TEST(matmul_and_add_become_gemm)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "n,4");
    floats("w", PW_DIMS(4, 5), 1);
    floats("b", PW_DIMS(5), 2);
    kit_node("mm", "MatMul", "x w", "m");
    kit_node("add", "Add", "b m", "z");
    kit_node("act", "Sigmoid", "z", "y");
    becomes("Gemm Sigmoid", "FusedGemm");
    ck_assert_str_eq(node_row("mm").stands_for, "mm, add, act");
}
END_TEST

START_TEST(products_of_more_dimensions_stay)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3,4");
    floats("w", PW_DIMS(4, 5), 1);
    floats("b", PW_DIMS(5), 2);
    kit_node("mm", "MatMul", "x w", "m");
    kit_node("add", "Add", "m b", "y");
    becomes("MatMul Add", "MatMul Add");
}
END_TEST

START_TEST(an_add_that_makes_a_product_larger_stays)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1,4");
    floats("w", PW_DIMS(4, 5), 1);
    floats("b", PW_DIMS(3, 5), 2);
    kit_node("mm", "MatMul", "x w", "m");
    kit_node("add", "Add", "m b", "y");
    becomes("MatMul Add", "MatMul Add");
}
END_TEST

START_TEST(integers_stay_a_matmul)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,2");
    kit_ints("w", PW_DIMS(2, 2), 4, (const int64_t[]){1, 2, 3, 4});
    kit_open_node("to", "Cast", "x", "i");
    kit_int_attr("to", BP_DTYPE_I64);
    pw_close(&kit.w);
    kit_node("mm", "MatMul", "i w", "m");
    kit_node("add", "Add", "m w", "z");
    kit_open_node("back", "Cast", "z", "y");
    kit_int_attr("to", BP_DTYPE_F32);
    pw_close(&kit.w);
    becomes("Cast MatMul Add Cast", "Cast MatMul Add Cast");
}
END_TEST

/* ---- fused convolutions ---------------------------------------------------------------------- */

static void float_attr(const char *name, float value)
{
    pw_open_attr(&kit.w, name, 1);
    pw_float(&kit.w, 2, value);
    pw_close(&kit.w);
}

START_TEST(each_activation_goes_with_its_numbers)
{
    static const char *const names[] = {"Relu", "Sigmoid", "Tanh", "LeakyRelu", "HardSigmoid"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char basic[64];

        kit_start_model();
        picture();
        kit_node("conv", "Conv", "x w", "c");
        kit_open_node("act", names[i], "c", "y");
        if (i >= 3)
            float_attr("alpha", 0.3f);
        if (i == 4)
            float_attr("beta", 0.4f);
        pw_close(&kit.w);
        snprintf(basic, sizeof basic, "Conv %s", names[i]);
        becomes(basic, "FusedConv");
    }
}
END_TEST

START_TEST(clip_goes_with_constant_limits)
{
    picture();
    kit_floats("lo", PW_SCALAR, 1, (const float[]){-0.2f});
    kit_floats("hi", PW_SCALAR, 1, (const float[]){0.3f});
    kit_node("conv", "Conv", "x w", "c");
    kit_node("clip", "Clip", "c lo hi", "a");
    kit_node("neg", "Neg", "x", "nx");
    kit_node("two", "Conv", "nx w", "d");
    kit_node("upper", "Clip", "d - hi", "b");
    kit_node("sub", "Sub", "a b", "y");
    becomes("Conv Clip Neg Conv Clip Sub", "FusedConv Neg FusedConv Sub");
}
END_TEST

START_TEST(clip_with_limits_that_are_fed_stays)
{
    picture();
    kit_io(KIT_INPUT, "lo", BP_DTYPE_F32, "");
    kit_node("conv", "Conv", "x w", "c");
    kit_node("clip", "Clip", "c lo", "y");
    becomes("Conv Clip", "Conv Clip");
}
END_TEST

START_TEST(a_shortcut_goes_into_the_conv)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1,3,4,4");
    floats("w", PW_DIMS(3, 3, 3, 3), 1);
    kit_open_node("conv", "Conv", "x w", "c");
    kit_ints_attr("pads", 4, (const int64_t[]){1, 1, 1, 1});
    pw_close(&kit.w);
    kit_node("add", "Add", "x c", "s");
    kit_node("relu", "Relu", "s", "y");
    becomes("Conv Add Relu", "FusedConv");
    ck_assert_str_eq(node_row("conv").stands_for, "conv, add, relu");
}
END_TEST

START_TEST(depthwise_convs_fuse_too)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,4,5,5");
    floats("w", PW_DIMS(4, 1, 3, 3), 1);
    kit_open_node("conv", "Conv", "x w", "c");
    kit_int_attr("group", 4);
    kit_ints_attr("pads", 4, (const int64_t[]){1, 1, 1, 1});
    pw_close(&kit.w);
    kit_node("add", "Add", "c x", "s");
    kit_node("relu", "Relu", "s", "y");
    becomes("Conv Add Relu", "FusedConv");
}
END_TEST

START_TEST(a_shortcut_that_broadcasts_stays)
{
    picture();
    kit_io(KIT_INPUT, "z", BP_DTYPE_F32, "1,3,1,1");
    kit_node("conv", "Conv", "x w", "c");
    kit_node("add", "Add", "c z", "y");
    becomes("Conv Add", "Conv Add");
}
END_TEST

START_TEST(a_provider_that_takes_plain_nodes_keeps_them)
{
    picture();
    kit_node("conv", "Conv", "x w", "c");
    kit_node("relu", "Relu", "c", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    open_at(BP_OPTIMIZE_EXTENDED);
    kit_provider("few", BP_FALLBACK_WARN); /* takes Relu */
    kit_session();
    ck_assert_str_eq(ops(), "Conv Relu");
}
END_TEST

/* ---- parts of larger operators --------------------------------------------------------------- */

static void scalar(const char *name, float value)
{
    kit_floats(name, PW_SCALAR, 1, &value);
}

/* 1 + erf(x / sqrt 2), as "e" */
static void erf_part(bool by_mul)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "n,5");
    scalar("root", by_mul ? 0.70710678f : 1.41421356f);
    scalar("one", 1);
    scalar("half", 0.5f);
    kit_node("scale", by_mul ? "Mul" : "Div", "x root", "s");
    kit_node("erf", "Erf", "s", "r");
    kit_node("add", "Add", "r one", "e");
}

START_TEST(gelu_is_found_in_three_orders)
{
    erf_part(false);
    kit_node("m1", "Mul", "x e", "p");
    kit_node("m2", "Mul", "p half", "y");
    becomes("Div Erf Add Mul Mul", "Gelu");
    kit_start_model();
    erf_part(true);
    kit_node("m1", "Mul", "e half", "p");
    kit_node("m2", "Mul", "p x", "y");
    becomes("Mul Erf Add Mul Mul", "Gelu");
    kit_start_model();
    erf_part(false);
    kit_node("m1", "Mul", "half x", "p");
    kit_node("m2", "Mul", "p e", "y");
    becomes("Div Erf Add Mul Mul", "Gelu");
}
END_TEST

START_TEST(what_only_looks_like_gelu_stays)
{
    erf_part(false);
    kit_node("m1", "Mul", "x e", "p");
    kit_node("m2", "Mul", "p root", "y"); /* not a half */
    becomes("Div Erf Add Mul Mul", "Div Erf Add Mul Mul");
    kit_start_model();
    erf_part(false);
    kit_io(KIT_OUTPUT, "e", BP_DTYPE_F32, NULL);
    kit_node("m1", "Mul", "x e", "p");
    kit_node("m2", "Mul", "p half", "y");
    becomes("Div Erf Add Mul Mul", "Div Erf Add Mul Mul");
    kit_start_model();
    erf_part(false);
    kit_node("neg", "Neg", "x", "z");
    kit_node("m1", "Mul", "z e", "p"); /* another x */
    kit_node("m2", "Mul", "p half", "y");
    becomes("Div Erf Add Neg Mul Mul", "Div Erf Add Neg Mul Mul");
}
END_TEST

static void mean(const char *name, const char *in, const char *out, int64_t axis)
{
    kit_open_node(name, "ReduceMean", in, out);
    kit_ints_attr("axes", 1, &axis);
    pw_close(&kit.w);
}

static void layer_norm(bool by_mul, int64_t axis)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "n,5,5");
    scalar("two", 2);
    scalar("eps", 1e-5f);
    floats("gamma", PW_DIMS(5), 1);
    floats("beta", PW_DIMS(5), 2);
    mean("mean", "x", "m", axis);
    kit_node("sub", "Sub", "x m", "d");
    kit_node("square", by_mul ? "Mul" : "Pow", by_mul ? "d d" : "d two", "q");
    mean("mean2", "q", "v", axis);
    kit_node("eps", "Add", "v eps", "a");
    kit_node("root", "Sqrt", "a", "r");
    kit_node("div", "Div", "d r", "n");
    kit_node("scale", "Mul", "n gamma", "g");
    kit_node("shift", "Add", "beta g", "y");
}

#define PARTS(square) "ReduceMean Sub " square " ReduceMean Add Sqrt Div Mul Add"

START_TEST(a_norm_is_found_in_its_parts)
{
    layer_norm(false, -1);
    becomes(PARTS("Pow"), "LayerNormalization");
    kit_start_model();
    layer_norm(true, 2);
    becomes(PARTS("Mul"), "LayerNormalization");
    ck_assert_str_eq(node_row("mean").stands_for,
                     "mean, sub, square, mean2, eps, root, div, scale, shift");
}
END_TEST

START_TEST(a_norm_over_another_axis_stays)
{
    layer_norm(false, 1);
    becomes(PARTS("Pow"), PARTS("Pow"));
}
END_TEST

START_TEST(a_norm_whose_middle_is_wanted_stays)
{
    layer_norm(false, -1);
    kit_io(KIT_OUTPUT, "d", BP_DTYPE_F32, NULL);
    becomes(PARTS("Pow"), PARTS("Pow"));
}
END_TEST

/* A bias of so many numbers, then Gelu. */
static void biased_gelu(int64_t n)
{
    kit_io(KIT_INPUT, "in", BP_DTYPE_F32, "3,5");
    floats("bias", PW_DIMS(n), 3);
    kit_node("plus", "Add", "in bias", "x");
    scalar("root", 1.41421356f);
    scalar("one", 1);
    scalar("half", 0.5f);
    kit_node("scale", "Div", "x root", "s");
    kit_node("erf", "Erf", "s", "r");
    kit_node("add", "Add", "r one", "e");
    kit_node("m1", "Mul", "x e", "p");
    kit_node("m2", "Mul", "p half", "y");
}

START_TEST(a_bias_goes_into_gelu)
{
    biased_gelu(5);
    becomes("Add Div Erf Add Mul Mul", "BiasGelu");
    ck_assert_str_eq(node_row("plus").stands_for, "plus, scale, erf, add, m1, m2");
    kit_start_model();
    biased_gelu(1); /* one for all is none a column */
    becomes("Add Div Erf Add Mul Mul", "Add Gelu");
}
END_TEST

static void skip_norm(const char *shape)
{
    kit_io(KIT_INPUT, "in", BP_DTYPE_F32, "2,3,5");
    kit_io(KIT_INPUT, "skip", BP_DTYPE_F32, shape);
    floats("gamma", PW_DIMS(5), 1);
    floats("beta", PW_DIMS(5), 2);
    kit_node("sum", "Add", "in skip", "x");
    kit_node("norm", "LayerNormalization", "x gamma beta", "y");
}

START_TEST(a_shortcut_goes_into_the_norm)
{
    kit_start_model_at(17);
    skip_norm("2,3,5");
    becomes("Add LayerNormalization", "SkipLayerNormalization");
}
END_TEST

START_TEST(a_norm_whose_sum_is_wanted_or_broadcast_stays)
{
    kit_start_model_at(17);
    skip_norm("2,3,5");
    kit_io(KIT_OUTPUT, "x", BP_DTYPE_F32, NULL);
    becomes("Add LayerNormalization", "Add LayerNormalization");
    kit_start_model_at(17);
    skip_norm("1,1,5");
    becomes("Add LayerNormalization", "Add LayerNormalization");
}
END_TEST

/* ---- what goes without a trace --------------------------------------------------------------- */

START_TEST(nodes_that_change_nothing_go)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3");
    kit_ints("same", PW_DIMS(2), 2, (const int64_t[]){2, 3});
    kit_ints("zeros", PW_DIMS(4), 4, (const int64_t[]){0, 0, 0, 0});
    kit_ints("from", PW_DIMS(2), 2, (const int64_t[]){0, 0});
    kit_ints("ones", PW_DIMS(2), 2, (const int64_t[]){1, 1});
    kit_node("relu", "Relu", "x", "a");
    kit_node("id", "Identity", "a", "b");
    kit_open_node("cast", "Cast", "b", "c");
    kit_int_attr("to", BP_DTYPE_F32);
    pw_close(&kit.w);
    kit_node("reshape", "Reshape", "c same", "d");
    kit_node("pad", "Pad", "d zeros", "e");
    kit_node("slice", "Slice", "e from same", "f");
    kit_node("expand", "Expand", "f same", "g");
    kit_open_node("cat", "Concat", "g", "h");
    kit_int_attr("axis", 0);
    pw_close(&kit.w);
    kit_node("tile", "Tile", "h ones", "i");
    kit_node("drop", "Dropout", "i", "j");
    kit_node("neg", "Neg", "j", "y");
    becomes("Relu Neg", "Relu Neg");
}
END_TEST

START_TEST(nodes_that_change_something_stay)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,2");
    kit_ints("flat", PW_DIMS(1), 1, (const int64_t[]){-1});
    kit_ints("pads", PW_DIMS(2), 2, (const int64_t[]){0, 1});
    kit_ints("from", PW_DIMS(1), 1, (const int64_t[]){-1});
    kit_ints("to", PW_DIMS(1), 1, (const int64_t[]){-10});
    kit_ints("axis", PW_DIMS(1), 1, (const int64_t[]){0});
    kit_ints("back", PW_DIMS(1), 1, (const int64_t[]){-1});
    kit_open_node("turn", "Transpose", "x", "a");
    kit_ints_attr("perm", 2, (const int64_t[]){1, 0});
    pw_close(&kit.w);
    kit_node("reshape", "Reshape", "a flat", "b");
    kit_node("pad", "Pad", "b pads", "c");
    kit_node("slice", "Slice", "c from to axis back", "y"); /* backwards */
    becomes("Transpose Reshape Pad Slice", "Transpose Reshape Pad Slice");
}
END_TEST

START_TEST(an_output_that_copies_an_input_is_still_written)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3");
    kit_node("id", "Identity", "x", "y");
    becomes("Identity", "Identity");
}
END_TEST

START_TEST(an_output_that_copies_a_value_is_written_by_its_maker)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3");
    kit_node("relu", "Relu", "x", "v");
    kit_node("id", "Identity", "v", "y");
    kit_node("neg", "Neg", "v", "z");
    kit_io(KIT_OUTPUT, "z", BP_DTYPE_F32, NULL);
    becomes("Relu Neg", "Relu Neg");
}
END_TEST

START_TEST(two_outputs_of_one_value_are_both_written)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3");
    kit_node("relu", "Relu", "x", "v");
    kit_node("one", "Identity", "v", "z");
    kit_node("two", "Identity", "v", "y");
    kit_io(KIT_OUTPUT, "z", BP_DTYPE_F32, NULL);
    becomes("Relu Identity", "Relu Identity");
}
END_TEST

START_TEST(unused_and_equal_nodes_go)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3");
    kit_node("lost", "Neg", "x", "l");
    kit_node("lost2", "Relu", "l", "l2");
    kit_node("a", "Abs", "x", "a");
    kit_node("b", "Abs", "x", "b");
    kit_node("c", "Sqrt", "a", "c");
    kit_node("d", "Sqrt", "b", "d");
    kit_node("sum", "Add", "c d", "y");
    becomes("Abs Sqrt Add", "Abs Sqrt Add");
    ck_assert_uint_eq(matches("share-equal"), 2);
    ck_assert_uint_eq(matches("drop-unused"), 2);
}
END_TEST

START_TEST(equal_nodes_with_other_attributes_stay)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3");
    for (int i = 0; i < 2; i++) {
        kit_open_node(i ? "a" : "b", "LeakyRelu", "x", i ? "a" : "b");
        float_attr("alpha", i ? 0.1f : 0.2f);
        pw_close(&kit.w);
    }
    kit_node("sum", "Add", "a b", "y");
    becomes("LeakyRelu LeakyRelu Add", "LeakyRelu LeakyRelu Add");
}
END_TEST

START_TEST(random_nodes_stay_two)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3");
    kit_node("a", "RandomNormalLike", "x", "a");
    kit_node("b", "RandomNormalLike", "x", "b");
    kit_node("sum", "Sub", "a b", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    open_at(BP_OPTIMIZE_EXTENDED);
    kit_session();
    ck_assert_str_eq(ops(), "RandomNormalLike RandomNormalLike Sub");
}
END_TEST

START_TEST(moves_merge)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3,4");
    kit_ints("flat", PW_DIMS(1), 1, (const int64_t[]){-1});
    kit_ints("six", PW_DIMS(2), 2, (const int64_t[]){6, -1});
    for (int i = 0; i < 2; i++) {
        kit_open_node(i ? "t2" : "t1", "Transpose", i ? "a" : "x", i ? "b" : "a");
        kit_ints_attr("perm", 3, (const int64_t[]){1, 2, 0});
        pw_close(&kit.w);
    }
    kit_node("r1", "Reshape", "b flat", "c");
    kit_node("r2", "Reshape", "c six", "y");
    becomes("Transpose Reshape", "Transpose Reshape");
    ck_assert_uint_eq(matches("merge-moves"), 2);
}
END_TEST

START_TEST(transposes_that_undo_each_other_go)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3,4");
    kit_node("relu", "Relu", "x", "r");
    kit_open_node("t1", "Transpose", "r", "a");
    kit_ints_attr("perm", 3, (const int64_t[]){1, 2, 0});
    pw_close(&kit.w);
    kit_open_node("t2", "Transpose", "a", "b");
    kit_ints_attr("perm", 3, (const int64_t[]){2, 0, 1});
    pw_close(&kit.w);
    kit_node("neg", "Neg", "b", "y");
    becomes("Relu Neg", "Relu Neg");
}
END_TEST

START_TEST(a_reshape_that_takes_sizes_stays)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3,4");
    kit_ints("six", PW_DIMS(2), 2, (const int64_t[]){6, 4});
    kit_ints("keep", PW_DIMS(3), 3, (const int64_t[]){0, 2, 2});
    kit_node("r1", "Reshape", "x six", "c");
    kit_node("r2", "Reshape", "c keep", "y");
    becomes("Reshape Reshape", "Reshape Reshape");
}
END_TEST

/* ---- constants ------------------------------------------------------------------------------- */

START_TEST(what_is_known_is_computed_once)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3");
    floats("a", PW_DIMS(3), 1);
    floats("b", PW_DIMS(3), 2);
    kit_node("ab", "Mul", "a b", "c");
    kit_node("root", "Exp", "c", "d");
    kit_node("add", "Add", "x d", "y");
    becomes("Add", "Add");
    ck_assert_uint_eq(matches("fold-constants"), 2);
}
END_TEST

START_TEST(shapes_that_are_known_are_written_down)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,3");
    kit_node("shape", "Shape", "x", "s");
    kit_io(KIT_OUTPUT, "s", BP_DTYPE_I64, NULL);
    kit_node("neg", "Neg", "x", "y");
    becomes("Neg", "Neg");
}
END_TEST

START_TEST(a_shape_of_a_size_that_is_not_known_stays)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "n,3");
    kit_node("shape", "Shape", "x", "s");
    kit_io(KIT_OUTPUT, "s", BP_DTYPE_I64, NULL);
    kit_node("neg", "Neg", "x", "y");
    becomes("Shape Neg", "Shape Neg");
}
END_TEST

START_TEST(inputs_of_one_name_may_still_differ)
{
    bp_binding in[2], out = kit_wanted(0);

    kit_io(KIT_INPUT, "a", BP_DTYPE_F32, "n");
    kit_io(KIT_INPUT, "b", BP_DTYPE_F32, "n");
    kit_node("shape", "Shape", "b", "s");
    kit_node("expand", "Expand", "a s", "y");
    becomes("Shape Expand", "Shape Expand");
    in[0] = KIT_TENSOR(0, BP_DTYPE_F32, ((const float[]){5}), 1);
    in[1] = KIT_TENSOR(1, BP_DTYPE_F32, ((const float[]){0, 0, 0}), 3);
    kit_run(in, 2, &out, 1);
    KIT_FLOATS(&out.tensor, 5, 5, 5);
    bp_tensor_free(&out.tensor);
}
END_TEST

/* An initializer that is an input as well counts as constant until somebody feeds it. */
START_TEST(a_default_is_constant_until_it_is_fed)
{
    bp_binding in[2], out[2] = {kit_wanted(0), kit_wanted(0)};
    float picture_of[32] = {0}, weights[6] = {0};

    picture_of[0] = 1;
    weights[0] = 7;
    picture();
    kit_io(KIT_INPUT, "w", BP_DTYPE_F32, "3,2,1,1");
    kit_floats("m", PW_DIMS(3, 1, 1), 3, (const float[]){2, 2, 2});
    kit_node("conv", "Conv", "x w", "c");
    kit_node("mul", "Mul", "c m", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    open_at(BP_OPTIMIZE_EXTENDED);
    kit_session();
    ck_assert_str_eq(ops(), "Conv");
    in[0] = KIT_TENSOR(0, BP_DTYPE_F32, picture_of, 1, 2, 4, 4);
    in[1] = KIT_TENSOR(1, BP_DTYPE_F32, weights, 3, 2, 1, 1);
    kit_run(in, 2, &out[0], 1);
    ck_assert(((float *)out[0].tensor.base)[0] == 14);
    kit_run(in, 1, &out[1], 1);
    ck_assert(((float *)out[1].tensor.base)[0] != 14);
    bp_tensor_free(&out[0].tensor);
    bp_tensor_free(&out[1].tensor);
}
END_TEST

/* ---- bodies ---------------------------------------------------------------------------------- */

START_TEST(bodies_are_optimised)
{
    picture();
    floats("b", PW_DIMS(3, 1, 1), 5);
    kit_node("all", "ReduceSum", "x", "sum");
    kit_node("less", "Less", "sum sum", "cond4");
    kit_ints("none", PW_DIMS(1), 1, (const int64_t[]){1});
    kit_node("flat", "Reshape", "cond4 none", "cond");
    kit_open_node("if", "If", "cond", "y");
    kit_open_body("then_branch");
    pw_open_node(&kit.w, "Conv", "x w", "c1");
    pw_close(&kit.w);
    pw_open_node(&kit.w, "Add", "c1 b", "o1");
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "o1", BP_DTYPE_F32, NULL);
    kit_close_body();
    kit_open_body("else_branch");
    pw_open_node(&kit.w, "Conv", "x w", "c2");
    pw_close(&kit.w);
    pw_open_node(&kit.w, "Relu", "c2", "o2");
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "o2", BP_DTYPE_F32, NULL);
    kit_close_body();
    pw_close(&kit.w);
    becomes("ReduceSum Less Reshape If Conv Conv Relu", "ReduceSum Less Reshape If Conv FusedConv");
}
END_TEST

/* ---- options --------------------------------------------------------------------------------- */

START_TEST(a_pass_can_be_left_out)
{
    picture();
    floats("b", PW_DIMS(3, 1, 1), 5);
    kit_node("conv", "Conv", "x w", "c");
    kit_node("add", "Add", "c b", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    open_at(BP_OPTIMIZE_BASIC);
    KIT_OK(bp_session_options_disable_pass(kit.options, "fold-bias", &kit.err));
    kit_session();
    ck_assert_str_eq(ops(), "Conv Add");
}
END_TEST

START_TEST(wrong_names_and_levels_are_told_with_the_right_ones)
{
    uint32_t level;

    open_at(BP_OPTIMIZE_DEFAULT);
    KIT_FAILS(bp_session_options_disable_pass(kit.options, "fold-bia", &kit.err), BP_E_INVALID,
              "fold-bia", "is 'fold-bias' meant", "drop-unused", "fuse-gemm");
    KIT_FAILS(bp_session_options_set_optimization(kit.options, 5, &kit.err), BP_E_INVALID,
              "level 5");
    ck_assert_str_eq(bp_optimization_pass(0, &level, NULL), "drop-unused");
    ck_assert_uint_eq(level, BP_OPTIMIZE_BASIC);
    ck_assert_ptr_null(bp_optimization_pass(1000, NULL, NULL));
}
END_TEST

START_TEST(a_plan_tells_of_passes)
{
    bp_report *report;
    char *json;

    picture();
    floats("b", PW_DIMS(3, 1, 1), 5);
    kit_node("conv", "Conv", "x w", "c");
    kit_node("add", "Add", "c b", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    open_at(BP_OPTIMIZE_BASIC);
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

/* A provider that fails to compile falls away; the rest begins with the model as it was. */
START_TEST(passes_run_anew_when_a_provider_falls_away)
{
    picture();
    kit_node("conv", "Conv", "x w", "c");
    kit_node("relu", "Relu", "c", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    open_at(BP_OPTIMIZE_EXTENDED);
    kit_provider("uncompiled", BP_FALLBACK_SILENT);
    kit_session();
    ck_assert_str_eq(ops(), "FusedConv");
}
END_TEST

/* ---- a real model ---------------------------------------------------------------------------- */

/* The digits of the ONNX model zoo, where whoever runs this has them. */
START_TEST(digits_become_six_nodes)
{
    const char *dir = getenv("BACKPLANE_MODELS");
    char path[1024];

    if (!dir) {
        puts("BACKPLANE_MODELS is not set: no digits");
        return;
    }
    snprintf(path, sizeof path, "%s/mnist/model.onnx", dir);
    KIT_OK(bp_model_open(kit.env, path, &kit.model, &kit.err));
    same_at_all_levels();
    open_at(BP_OPTIMIZE_BASIC);
    kit_session();
    ck_assert_str_eq(ops(), "Conv Relu MaxPool Conv Relu MaxPool Reshape Gemm");
    ck_assert_uint_eq(matches("fold-bias"), 2);
    ck_assert_uint_eq(matches("make-gemm"), 1);
    open_at(BP_OPTIMIZE_EXTENDED);
    kit_session();
    ck_assert_str_eq(ops(), "FusedConv MaxPool FusedConv MaxPool Reshape Gemm");
}
END_TEST

/* Time in proportion to nodes: a chain and a fan of 50,000 each, of equal and useless nodes. */
START_TEST(large_graphs_take_little_time)
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
    open_at(BP_OPTIMIZE_EXTENDED);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    KIT_OK(bp_plan_create(kit.env, kit_model(), kit.options, &report, &kit.err));
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    ck_assert_uint_eq(bp_report_node_count(report), N / 2 + 2);
    printf("%d nodes in %.2f s\n", 2 * N,
           (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9);
    bp_report_destroy(report);
}
END_TEST

/* Where memory fails there is no session, or one that computes right with fewer passes. */
START_TEST(every_allocation_may_fail)
{
    struct result want, got;
    bool failed = true;

    picture();
    floats("m", PW_DIMS(3, 1, 1), 5);
    floats("k", PW_DIMS(3, 1, 1), 6);
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
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    open_at(BP_OPTIMIZE_NONE);
    kit_session();
    run(1, &want);
    open_at(BP_OPTIMIZE_EXTENDED);
    for (unsigned n = 1; failed; n++) {
        bp_rc rc;

        fail_alloc_at(n);
        rc = kit_try_session();
        failed = fail_alloc_stop();
        ck_assert_msg(rc == BP_E_NOMEM || rc == BP_OK, "allocation %u: %s: %s", n, bp_rc_name(rc),
                      kit.text);
        if (rc < 0)
            continue;
        run(1, &got);
        compare(&want, &got, "short of memory");
        forget(&got);
    }
    forget(&want);
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

        floats(extra, PW_DIMS(4, depthwise ? 1 : 4, wide ? 3 : 1, wide ? 3 : 1), g->state);
        snprintf(in, sizeof in, "%s %s", pick(g), extra);
        kit_open_node(name, "Conv", in, out);
        kit_int_attr("group", depthwise ? 4 : 1);
        if (wide)
            kit_ints_attr("pads", 4, (const int64_t[]){1, 1, 1, 1});
        pw_close(&kit.w);
    } else if (kind < 5) {
        floats(extra, PW_DIMS(random_below(&g->state, 2) ? 4 : 1, 1, 1), g->state);
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

START_TEST(random_graphs_compute_the_same)
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
    same_at_all_levels();
}
END_TEST

int main(void)
{
    TCase *conv = tcase_create("conv"), *rest = tcase_create("rest"), *wild = tcase_create("wild");
    TCase *const cases[] = {conv, rest, wild};
    const TTest *const of_conv[] = {an_add_of_a_number_a_channel_becomes_the_bias,
                                    an_add_after_a_bias_adds_to_it,
                                    a_mul_goes_into_the_weights,
                                    a_chain_goes_into_one_conv,
                                    a_transposed_conv_takes_a_norm_by_its_groups,
                                    groups_of_a_transposed_conv_keep_their_factors,
                                    weights_of_two_convs_stay_for_the_other,
                                    another_reader_keeps_conv_and_norm_apart,
                                    an_output_in_the_middle_keeps_them_apart,
                                    weights_that_are_fed_stay,
                                    an_add_along_the_width_stays,
                                    an_add_that_makes_the_picture_larger_stays,
                                    a_scale_that_is_no_number_stays,
                                    a_pad_goes_into_the_conv,
                                    a_pad_with_another_number_stays,
                                    a_pad_of_channels_stays,
                                    pools_pad_themselves,
                                    zeros_around_a_max_pool_stay,
                                    each_activation_goes_with_its_numbers,
                                    clip_goes_with_constant_limits,
                                    clip_with_limits_that_are_fed_stays,
                                    a_shortcut_goes_into_the_conv,
                                    depthwise_convs_fuse_too,
                                    a_shortcut_that_broadcasts_stays,
                                    a_provider_that_takes_plain_nodes_keeps_them};
    const TTest *const of_rest[] = {matmul_and_add_become_gemm,
                                    products_of_more_dimensions_stay,
                                    an_add_that_makes_a_product_larger_stays,
                                    integers_stay_a_matmul,
                                    gelu_is_found_in_three_orders,
                                    what_only_looks_like_gelu_stays,
                                    a_norm_is_found_in_its_parts,
                                    a_norm_over_another_axis_stays,
                                    a_norm_whose_middle_is_wanted_stays,
                                    a_bias_goes_into_gelu,
                                    a_shortcut_goes_into_the_norm,
                                    a_norm_whose_sum_is_wanted_or_broadcast_stays,
                                    nodes_that_change_nothing_go,
                                    nodes_that_change_something_stay,
                                    an_output_that_copies_an_input_is_still_written,
                                    an_output_that_copies_a_value_is_written_by_its_maker,
                                    two_outputs_of_one_value_are_both_written,
                                    unused_and_equal_nodes_go,
                                    equal_nodes_with_other_attributes_stay,
                                    random_nodes_stay_two,
                                    moves_merge,
                                    transposes_that_undo_each_other_go,
                                    a_reshape_that_takes_sizes_stays,
                                    what_is_known_is_computed_once,
                                    shapes_that_are_known_are_written_down,
                                    a_shape_of_a_size_that_is_not_known_stays,
                                    inputs_of_one_name_may_still_differ,
                                    a_default_is_constant_until_it_is_fed,
                                    bodies_are_optimised,
                                    a_pass_can_be_left_out,
                                    wrong_names_and_levels_are_told_with_the_right_ones,
                                    a_plan_tells_of_passes,
                                    passes_run_anew_when_a_provider_falls_away,
                                    digits_become_six_nodes,
                                    large_graphs_take_little_time,
                                    every_allocation_may_fail};

    for (size_t i = 0; i < sizeof of_conv / sizeof of_conv[0]; i++)
        tcase_add_test(conv, of_conv[i]);
    for (size_t i = 0; i < sizeof of_rest / sizeof of_rest[0]; i++)
        tcase_add_test(rest, of_rest[i]);
    tcase_add_loop_test(wild, random_graphs_compute_the_same, 0, 60);
    for (int i = 0; i < 3; i++) {
        tcase_add_checked_fixture(cases[i], kit_setup, kit_teardown);
        tcase_set_timeout(cases[i], 120);
    }
    return kit_main("optimize", cases, 3);
}
