/* SPDX-License-Identifier: MIT */
/*
 * check_layouts.c - scales and shifts of channels in one pass, Concat in place,
 * Winograd's convolutions: in each layout the same as the CPU provider's results.
 */

#include "config.h"

#include "dnnl/dnnl_kit.h"

/* How many steps of the run were of that node. */
static uint32_t steps_of(dnnl_make_fn make, const void *u, uint32_t node)
{
    bp_prof_event events[64];
    bp_prof prof = {.struct_size = sizeof prof, .cap = 64, .ev = events, .stride = sizeof *events};
    struct th *t = dnnl_new();
    uint32_t n = 0;

    data_seed(7);
    make(t, u);
    th_limits(t, NULL, 0, &prof);
    dnnl_run(t);
    ck_assert_uint_eq(prof.dropped, 0);
    for (uint32_t i = 0; i < prof.count; i++)
        n += events[i].node == node;
    th_free(t);
    return n;
}

/* ---- activations after convolutions and products -------------------------------------------- */

struct ended {
    const char *op;
    uint32_t since;
    const char *domain, *attr;
    float value;
    bool is_product, has_sum;
};

static void make_ended(struct th *t, const void *u)
{
    const struct ended *c = u;
    const char *dims = c->is_product ? "12,40" : "1,40,8,9";

    dnnl_input(t, "x", c->is_product ? "12,24" : "1,24,8,9");
    dnnl_const(t, "w", c->is_product ? "24,40" : "40,24,1,1");
    dnnl_values(t, "c s", dims);
    if (c->is_product)
        dnnl_const(t, "r", "40");
    else
        dnnl_input(t, "r", dims);
    dnnl_output(t, "y", dims);
    th_node(t, c->is_product ? "MatMul" : "Conv", c->is_product ? 13 : 11, "x w", "c");
    if (c->has_sum)
        th_node(t, "Add", 14, "c r", "s");
    th_node(t, c->op, c->since, c->has_sum ? "s" : "c", "y");
    if (c->domain)
        th_domain(t, c->domain);
    if (c->attr)
        th_float(t, c->attr, c->value);
}

START_TEST(activation_runs_inside_the_convolution_or_product)
{
    static const struct ended kinds[] = {
        {.op = "Gelu", .since = 20},
        {.op = "HardSwish", .since = 14},
        {.op = "Mish", .since = 18},
        {.op = "Relu", .since = 14},
        {.op = "Gelu", .since = 1, .domain = "com.microsoft"},
        {.op = "QuickGelu", .since = 1, .domain = "com.microsoft"},
        {.op = "QuickGelu", .since = 1, .domain = "com.microsoft", .attr = "alpha", .value = 1},
    };

    for (size_t i = 0; i < 4 * (sizeof kinds / sizeof kinds[0]); i++) {
        struct ended c = kinds[i / 4];

        c.is_product = i % 2;
        c.has_sum = i / 2 % 2;
        dnnl_compare(c.op, make_ended, &c, 0);
        ck_assert_uint_eq(steps_of(make_ended, &c, 0), 0); /* it runs with the activation */
    }
}
END_TEST

/* ---- scale, shift, Relu ---------------------------------------------------------------------- */

/* n elements from 0.5 to 1.5, as variances have to be positive. */
static void add_variance(struct th *t, const char *name, const char *dims)
{
    float *values = dnnl_floats(t, dnnl_elements(dims));

    for (size_t i = 0; i < dnnl_elements(dims); i++)
        values[i] = 1 + values[i] / (2 * (1 + fabsf(values[i])));
    th_const(t, name, BP_DTYPE_F32, dims, values);
}

struct scaled {
    const char *x, *channels, *wide; /* dimensions: of all, of one a channel, with rank to spare */
    int has_conv;                    /* before it, so that it comes in a layout of oneDNN's */
};

/* BatchNormalization, Mul, Add, Relu; z is what a node that reads the Add's value makes of it. */
static void make_scaled(struct th *t, const void *u)
{
    const struct scaled *c = u;
    char weights[32];

    snprintf(weights, sizeof weights, "%s,%s,1,1", c->channels, c->channels);
    dnnl_input(t, "x", c->x);
    dnnl_value(t, "c", c->x);
    dnnl_const(t, "w", weights);
    dnnl_const(t, "scale", c->channels);
    dnnl_const(t, "bias", c->channels);
    dnnl_const(t, "mean", c->channels);
    add_variance(t, "var", c->channels);
    dnnl_const(t, "factor", c->wide);
    dnnl_const(t, "shift", "1");
    dnnl_values(t, "n m a r", c->x);
    dnnl_output(t, "y", c->x);
    dnnl_output(t, "z", c->x);
    if (c->has_conv)
        th_node(t, "Conv", 11, "x w", "c");
    th_node(t, "BatchNormalization", 9,
            c->has_conv ? "c scale bias mean var" : "x scale bias mean var", "n");
    th_float(t, "epsilon", 1e-3f);
    th_node(t, "Mul", 14, "factor n", "m");
    th_node(t, "Add", 14, "m shift", "a");
    th_node(t, "Relu", 14, "a", "r");
    th_node(t, "Neg", 13, "r", "y");
    th_node(t, "Neg", 13, c->has_conv ? "c" : "x", "z"); /* reads it after the chain has */
}

static const struct scaled scaled[] = {
    {"1,24,5,7", "24", "24,1,1", 0},   {"2,24,5,7", "24", "1,24,1,1", 0},
    {"1,24,5,7", "24", "24,1,1", 1},   {"3,32,6,6", "32", "32,1,1", 1},
    {"1,3,40,40", "3", "1", 0},        {"2,32,32,40", "32", "32,1,1", 1},
    {"1,20,50,50", "20", "20,1,1", 1},
};

START_TEST(chain_of_channel_scales_runs_as_one_step)
{
    for (size_t i = 0; i < sizeof scaled / sizeof scaled[0]; i++) {
        uint32_t first = scaled[i].has_conv ? 1 : 0;

        dnnl_compare(scaled[i].x, make_scaled, &scaled[i], 1);
        ck_assert_uint_eq(steps_of(make_scaled, &scaled[i], first), 0);
        ck_assert_uint_eq(steps_of(make_scaled, &scaled[i], first + 3), 1);
    }
}
END_TEST

/* Another node reads an intermediate value, or an operand is not constant: no fusion. */
static void make_open(struct th *t, const void *u)
{
    (void)u;
    dnnl_input(t, "x", "1,8,4,4");
    dnnl_input(t, "given", "8,1,1");
    dnnl_const(t, "factor", "8,1,1");
    dnnl_const(t, "row", "4");
    dnnl_output(t, "z", "1,8,4,4");
    dnnl_values(t, "a b c", "1,8,4,4");
    dnnl_output(t, "y", "1,8,4,4");
    th_node(t, "Mul", 14, "x factor", "z");
    th_node(t, "Add", 14, "z factor", "a");
    th_node(t, "Mul", 14, "a given", "b");
    th_node(t, "Add", 14, "b row", "c"); /* along the last dimension */
    th_node(t, "Relu", 14, "c", "y");
}

START_TEST(fusion_keeps_values_that_other_nodes_read)
{
    dnnl_compare("others read it", make_open, NULL, 1);
}
END_TEST

/* 24 channels are one and a half blocks; a convolution reads what pads them. */
static void make_padded(struct th *t, const void *u)
{
    static const float number = 0.75f;

    dnnl_input(t, "x", "1,32,28,28");
    dnnl_const(t, "w0", "32,32,3,3");
    dnnl_const(t, "w1", "24,32,3,3");
    dnnl_const(t, "w2", "16,24,3,3");
    th_const(t, "number", BP_DTYPE_F32, "", &number);
    dnnl_value(t, "c0", "1,32,28,28");
    dnnl_values(t, "c1 m", "1,24,28,28");
    dnnl_output(t, "y", "1,16,28,28");
    dnnl_conv(t, "x w0", "c0");
    dnnl_conv(t, "c0 w1", "c1");
    th_node(t, u, 14, "c1 number", "m");
    dnnl_conv(t, "m w2", "y");
}

START_TEST(scalar_operand_does_not_change_the_padding_of_channel_blocks)
{
    static const char *const ops[] = {"Add", "Sub", "Mul", "Div"};

    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        dnnl_compare(ops[i], make_padded, ops[i], 0);
}
END_TEST

static void make_nan(struct th *t, const void *u)
{
    (void)u;
    th_input(t, "x", BP_DTYPE_F32, "1,2,1,2", (const float[4]){NAN, -1, 1, -NAN});
    th_const(t, "f", BP_DTYPE_F32, "2,1,1", (const float[2]){2, 3});
    dnnl_value(t, "m", "1,2,1,2");
    dnnl_output(t, "y", "1,2,1,2");
    th_node(t, "Mul", 14, "x f", "m");
    th_node(t, "Relu", 14, "m", "y");
}

START_TEST(affine_chain_propagates_nan)
{
    struct th *t = dnnl_new();
    const float *y;

    make_nan(t, NULL);
    dnnl_run(t);
    y = th_data(t, "y");
    ck_assert(isnan(y[0]) && isnan(y[3]));
    ck_assert(y[1] == 0 && y[2] == 3);
    th_free(t);
}
END_TEST

/* Relu and Clip alone, of whatever the width of registers leaves over. */
static void make_limited(struct th *t, const void *u)
{
    static const float low = -0.5f, high = 2;
    float *x = dnnl_floats(t, 37);
    const int *is_clip = u;

    x[0] = x[20] = x[36] = NAN;
    x[1] = x[21] = INFINITY;
    x[2] = x[35] = -INFINITY;
    x[3] = -0.0f;
    th_input(t, "x", BP_DTYPE_F32, "37", x);
    th_const(t, "low", BP_DTYPE_F32, "", &low);
    th_const(t, "high", BP_DTYPE_F32, "", &high);
    dnnl_output(t, "y", "37");
    if (*is_clip)
        th_node(t, "Clip", 13, "x low high", "y");
    else
        th_node(t, "Relu", 14, "x", "y");
}

START_TEST(clip_propagates_nan)
{
    for (int is_clip = 0; is_clip < 2; is_clip++) {
        struct th *t = dnnl_new();
        const float *x, *y;

        data_seed(7);
        make_limited(t, &is_clip);
        dnnl_run(t);
        x = th_data(t, "x");
        y = th_data(t, "y");
        for (int i = 0; i < 37; i++) {
            float low = is_clip ? -0.5f : 0, high = is_clip ? 2 : INFINITY;

            if (isnan(x[i]))
                ck_assert(isnan(y[i]));
            else
                ck_assert(y[i] == fminf(fmaxf(x[i], low), high));
        }
        th_free(t);
    }
}
END_TEST

START_TEST(compile_rejects_scales_with_too_few_bytes)
{
    static const char *const names[] = {"factor", "var"};

    for (int i = 0; i < 2; i++) {
        struct th *t = dnnl_new();

        make_scaled(t, &scaled[0]);
        th_lie(t, names[i], 8);
        dnnl_fails(t, BP_E_INVALID, names[i]);
    }
}
END_TEST

/* ---- Concat ---------------------------------------------------------------------------------- */

static void add_concat(struct th *t, const char *in, const char *out, int64_t axis)
{
    th_node(t, "Concat", 13, in, out);
    th_int(t, "axis", axis);
}

/* As in DenseNet: each layer reads all before it, by nested concats. */
static void make_nested(struct th *t, const void *u)
{
    (void)u;
    dnnl_input(t, "x", "1,3,16,16");
    dnnl_const(t, "w0", "32,3,3,3");
    dnnl_const(t, "w1", "16,32,3,3");
    dnnl_const(t, "w2", "16,48,3,3");
    dnnl_value(t, "c0", "1,32,16,16");
    dnnl_values(t, "c1 c2", "1,16,16,16");
    dnnl_value(t, "j1", "1,48,16,16");
    dnnl_value(t, "j2", "1,64,16,16");
    dnnl_value(t, "r1", "1,48,16,16");
    dnnl_output(t, "z", "1,48,16,16");
    dnnl_output(t, "y", "1,64,16,16");
    dnnl_conv(t, "x w0", "c0");
    dnnl_conv(t, "c0 w1", "c1");
    add_concat(t, "c0 c1", "j1", 1); /* node 2 */
    th_node(t, "Relu", 14, "j1", "r1");
    dnnl_conv(t, "r1 w2", "c2");
    add_concat(t, "j1 c2", "j2", -3); /* node 5 */
    th_node(t, "Neg", 13, "j1", "z");
    th_node(t, "Sigmoid", 13, "j2", "y");
}

/* The same as exporters of lists write it, and the largest Concat is the group's output. */
static void make_list(struct th *t, const void *u)
{
    (void)u;
    dnnl_input(t, "x", "1,3,16,16");
    dnnl_const(t, "w0", "32,3,3,3");
    dnnl_const(t, "w1", "16,32,3,3");
    dnnl_const(t, "w2", "16,48,3,3");
    dnnl_value(t, "c0", "1,32,16,16");
    dnnl_values(t, "c1 c2", "1,16,16,16");
    dnnl_values(t, "j1 r1", "1,48,16,16");
    dnnl_output(t, "y", "1,64,16,16");
    dnnl_conv(t, "x w0", "c0");
    dnnl_conv(t, "c0 w1", "c1");
    add_concat(t, "c0 c1", "j1", 1); /* node 2 */
    th_node(t, "Relu", 14, "j1", "r1");
    dnnl_conv(t, "r1 w2", "c2");
    add_concat(t, "c0 c1 c2", "y", 1); /* node 5 */
}

START_TEST(concat_is_done_in_place)
{
    dnnl_compare("nested concats", make_nested, NULL, 1);
    dnnl_compare("lists", make_list, NULL, 0);
    SKIP_UNLESS(dnnl_has_blocks(), "no AVX-512, so no blocks of channels");
    ck_assert_uint_eq(steps_of(make_nested, NULL, 2), 0);
    ck_assert_uint_eq(steps_of(make_nested, NULL, 5), 0);
    ck_assert_uint_eq(steps_of(make_list, NULL, 2), 0);
}
END_TEST

/* A convolution's value concatenated in every way that needs a copy, or cannot be done in place. */
struct concat_case {
    const char *inputs, *out; /* and dimensions of what is made */
    int64_t axis;
};

static void make_concat_of(struct th *t, const void *u)
{
    const struct concat_case *j = u;

    dnnl_input(t, "x", "1,16,16,16");
    dnnl_input(t, "g", "1,16,16,16");
    dnnl_const(t, "k", "1,16,16,16");
    dnnl_const(t, "w0", "32,16,3,3");
    dnnl_const(t, "w1", "24,16,3,3");
    dnnl_value(t, "a", "1,32,16,16");
    dnnl_value(t, "b", "1,24,16,16");
    dnnl_value(t, "s", "1,32,16,16");
    dnnl_value(t, "j", j->out);
    dnnl_output(t, "y", j->out);
    dnnl_output(t, "z", "1,32,16,16");
    dnnl_conv(t, "x w0", "a");
    dnnl_conv(t, "x w1", "b");
    th_node(t, "Relu", 14, "a", "s");
    add_concat(t, j->inputs, "j", j->axis);
    th_node(t, "Neg", 13, "s", "z");
    th_node(t, "Neg", 13, "j", "y");
}

START_TEST(in_place_concat_copies_inputs_that_cannot_be_written_there)
{
    static const struct concat_case cases[] = {
        {"a g", "1,48,16,16", 1},   {"g a", "1,48,16,16", 1}, {"a a", "1,64,16,16", 1},
        {"a b s", "1,88,16,16", 1}, {"k a", "1,48,16,16", 1}, {"a s", "1,32,16,32", 3},
        {"s a", "1,64,16,16", 1},   {"a", "1,32,16,16", 1},   {"s x a", "1,80,16,16", 1},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        dnnl_compare(cases[i].inputs, make_concat_of, &cases[i], 1);
}
END_TEST

/* More than one image: inputs do not lie next to each other. */
static void make_batch(struct th *t, const void *u)
{
    (void)u;
    dnnl_input(t, "x", "2,16,16,16");
    dnnl_const(t, "w0", "32,16,3,3");
    dnnl_const(t, "w1", "16,16,3,3");
    dnnl_value(t, "a", "2,32,16,16");
    dnnl_value(t, "b", "2,16,16,16");
    dnnl_output(t, "y", "2,48,16,16");
    dnnl_conv(t, "x w0", "a");
    dnnl_conv(t, "x w1", "b");
    add_concat(t, "a b", "y", 1);
}

START_TEST(concat_along_the_batch_matches_the_cpu_provider)
{
    dnnl_compare("a batch", make_batch, NULL, 0);
}
END_TEST

/* A residual and an activation after a convolution that writes into a Concat. */
static void make_shortcut(struct th *t, const void *u)
{
    (void)u;
    dnnl_input(t, "x", "1,16,16,16");
    dnnl_const(t, "w0", "32,16,3,3");
    dnnl_const(t, "w1", "32,32,3,3");
    dnnl_values(t, "a c s r", "1,32,16,16");
    dnnl_value(t, "j", "1,64,16,16");
    dnnl_output(t, "y", "1,64,16,16");
    dnnl_conv(t, "x w0", "a");
    dnnl_conv(t, "a w1", "c");
    th_node(t, "Add", 14, "c a", "s");
    th_node(t, "Relu", 14, "s", "r");
    add_concat(t, "a r", "j", 1);
    th_node(t, "Neg", 13, "j", "y");
}

START_TEST(residual_add_writes_into_its_slice_of_a_concat)
{
    dnnl_compare("a shortcut", make_shortcut, NULL, 0);
}
END_TEST

/* ---- measuring ------------------------------------------------------------------------------- */

START_TEST(autotuned_model_matches_the_cpu_provider)
{
    static const dnnl_make_fn makes[] = {make_nested, make_list, make_open};

    for (size_t i = 0; i < sizeof makes / sizeof makes[0]; i++) {
        struct th *want = th_new(dnnl_cpu_entry()), *got = dnnl_new();

        th_option(got, "autotune", "true");
        dnnl_run_both("measured", want, got, 7, makes[i], NULL);
        dnnl_same("measured", got, want, "y");
        ck_assert_uint_eq(th_count(got, "y"), th_count(want, "y"));
        th_free(got);
        th_free(want);
    }
}
END_TEST

/* A new frame, and how often it took memory. */
static uint32_t allocs_for(struct th *t, const char *x, const char *y)
{
    float *values = dnnl_floats(t, dnnl_elements(x));
    uint32_t before;

    th_shape(t, "x", x);
    th_shape(t, "y", y);
    th_feed(t, "x", values);
    before = th_allocs(t);
    dnnl_run(t);
    return th_allocs(t) - before;
}

START_TEST(autotune_measures_each_set_of_sizes_once)
{
    uint32_t first, other, again;
    struct th *t;

    SKIP_UNLESS(dnnl_has_blocks(), "no AVX-512, so no blocks of channels");
    t = dnnl_new();
    th_option(t, "autotune", "true");
    th_dynamic(t);
    dnnl_input(t, "x", "1,16,16,16");
    dnnl_const(t, "w", "16,16,3,3");
    dnnl_output(t, "y", "1,16,16,16");
    dnnl_conv(t, "x w", "y");
    first = allocs_for(t, "1,16,16,16", "1,16,16,16");
    other = allocs_for(t, "2,16,16,16", "2,16,16,16");
    again = allocs_for(t, "1,16,16,16", "1,16,16,16");
    ck_assert_uint_gt(other, again);
    ck_assert_uint_gt(first, again);
    th_free(t);
}
END_TEST

/* Weights that oneDNN reordered need not stay in memory twice. */
START_TEST(provider_reports_weights_that_it_has_copied)
{
    struct th *t = dnnl_new();

    data_seed(7);
    make_nested(t, NULL);
    ck_assert_int_ge(th_frame(t), 0);
    ck_assert_uint_eq(th_done(t), 3);
    dnnl_run(t);
    ck_assert_uint_eq(th_done(t), 3);
    th_free(t);
}
END_TEST

START_TEST(layouts_survive_every_failing_allocation)
{
    ck_assert_uint_gt(dnnl_fail_each_alloc(make_nested, NULL, _i), 1);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("layouts");

    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, activation_runs_inside_the_convolution_or_product);
    tcase_add_test(tcase, chain_of_channel_scales_runs_as_one_step);
    tcase_add_test(tcase, fusion_keeps_values_that_other_nodes_read);
    tcase_add_test(tcase, scalar_operand_does_not_change_the_padding_of_channel_blocks);
    tcase_add_test(tcase, affine_chain_propagates_nan);
    tcase_add_test(tcase, clip_propagates_nan);
    tcase_add_test(tcase, compile_rejects_scales_with_too_few_bytes);
    tcase_add_test(tcase, concat_is_done_in_place);
    tcase_add_test(tcase, in_place_concat_copies_inputs_that_cannot_be_written_there);
    tcase_add_test(tcase, concat_along_the_batch_matches_the_cpu_provider);
    tcase_add_test(tcase, residual_add_writes_into_its_slice_of_a_concat);
    tcase_add_test(tcase, provider_reports_weights_that_it_has_copied);
    tcase_add_test(tcase, autotuned_model_matches_the_cpu_provider);
    tcase_add_test(tcase, autotune_measures_each_set_of_sizes_once);
    tcase_add_loop_test(tcase, layouts_survive_every_failing_allocation, 0, 2);
    return check_main("dnnl_layouts", &tcase, 1);
}
