/* SPDX-License-Identifier: MIT */
/* check_conv_transpose.c - ConvTranspose of the dnnl provider against the CPU provider's. */

#include "config.h"

#include "dnnl/dnnl_kit.h"

enum { MOST = 3 };

/* How the size of the output is asked for. */
enum { BY_PADS, BY_UPPER, BY_LOWER, BY_VALID, BY_SHAPE, BY_SHAPE_UPPER, N_WAYS };

struct transposed {
    uint32_t rank; /* of the window */
    int way;
    int64_t batch, groups, channels, maps; /* of all groups */
    int64_t in[MOST], out[MOST], kernel[MOST], strides[MOST], dilations[MOST], pads[2 * MOST];
    int64_t more[MOST];                   /* output_padding */
    bool has_bias, is_variable, is_inner; /* Tanh makes the output of it */
};

static void add_way(struct th *t, const struct transposed *k)
{
    static const char *const pads[] = {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"};

    if (k->way < BY_SHAPE)
        th_string(t, "auto_pad", pads[k->way]);
    if (k->way == BY_SHAPE_UPPER)
        th_string(t, "auto_pad", "SAME_UPPER");
    if (k->way >= BY_SHAPE)
        th_ints(t, "output_shape", k->rank, k->out);
    if (k->way == BY_PADS)
        th_ints(t, "pads", 2 * k->rank, k->pads);
}

static void make_transposed(struct th *t, const void *u)
{
    const struct transposed *k = u;
    char text[96];

    dnnl_input(t, "x", dnnl_dims(text, sizeof text, k->batch, k->channels, k->in, k->rank));
    dnnl_dims(text, sizeof text, k->channels, k->maps / k->groups, k->kernel, k->rank);
    if (k->is_variable)
        dnnl_input(t, "w", text);
    else
        dnnl_const(t, "w", text);
    snprintf(text, sizeof text, "%lld", (long long)k->maps);
    if (k->has_bias)
        dnnl_const(t, "b", text);
    dnnl_output(t, "y", dnnl_dims(text, sizeof text, k->batch, k->maps, k->out, k->rank));
    if (k->is_inner)
        dnnl_value(t, "v", text);
    th_node(t, "ConvTranspose", 11, k->has_bias ? "x w b" : "x w", k->is_inner ? "v" : "y");
    th_ints(t, "kernel_shape", k->rank, k->kernel);
    th_ints(t, "strides", k->rank, k->strides);
    th_ints(t, "dilations", k->rank, k->dilations);
    th_ints(t, "output_padding", k->rank, k->more);
    th_int(t, "group", k->groups);
    add_way(t, k);
    if (k->is_inner)
        th_node(t, "Tanh", 13, "v", "y");
}

/* What the output has of a dimension. */
static int64_t size_of(const struct transposed *k, uint32_t i)
{
    int64_t reach = (k->kernel[i] - 1) * k->dilations[i] + 1;
    int64_t all = (k->in[i] - 1) * k->strides[i] + reach + k->more[i];

    switch (k->way) {
    case BY_PADS:
        return all - k->pads[i] - k->pads[k->rank + i];
    case BY_UPPER:
    case BY_LOWER:
        return k->in[i] * k->strides[i];
    case BY_VALID:
        return all;
    default:
        return all - data_pick(0, 2);
    }
}

static struct transposed random_one(uint32_t rank, int way)
{
    struct transposed k = {.rank = rank, .way = way};

    k.batch = data_pick(1, 2);
    k.groups = data_pick(0, 1) ? data_pick(2, 4) : 1;
    k.channels = k.groups * data_pick(1, 9);
    k.maps = k.groups * data_pick(1, 9);
    k.has_bias = data_pick(0, 1);
    k.is_variable = data_pick(0, 2) == 0;
    for (uint32_t i = 0; i < rank; i++) {
        k.in[i] = data_pick(3, 8);
        k.kernel[i] = data_pick(2, 4);
        k.strides[i] = data_pick(1, 3);
        k.dilations[i] = data_pick(1, 2);
        k.pads[i] = data_pick(0, 1);
        k.pads[rank + i] = data_pick(0, 1);
        k.more[i] = data_pick(0, k.strides[i] - 1);
        k.out[i] = size_of(&k, i);
    }
    return k;
}

START_TEST(conv_transpose_matches_the_cpu_provider)
{
    for (uint32_t i = 0; i < 90; i++) {
        struct transposed k;
        char what[64];

        data_seed(200 + i);
        k = random_one(1 + i % 3, (int)(i / 3 % N_WAYS));
        snprintf(what, sizeof what, "transposed %u, way %d", i, k.way);
        dnnl_compare(what, make_transposed, &k, 0);
    }
}
END_TEST

/* Depthwise, with as many channels as a kernel processes at once. */
START_TEST(depthwise_conv_transpose_matches_the_cpu_provider)
{
    for (uint32_t rank = 1; rank <= 3; rank++) {
        struct transposed k = {
            .rank = rank, .batch = 1, .groups = 32, .channels = 32, .maps = 32, .has_bias = true};

        for (uint32_t i = 0; i < rank; i++) {
            k.in[i] = 6;
            k.kernel[i] = 4;
            k.strides[i] = 2;
            k.dilations[i] = 1;
            k.pads[i] = k.pads[rank + i] = 1;
            k.out[i] = 12;
        }
        dnnl_compare("depthwise", make_transposed, &k, 0);
    }
}
END_TEST

START_TEST(conv_transpose_with_stride_equal_to_kernel_matches_the_cpu_provider)
{
    for (uint32_t i = 0; i < 18; i++) {
        struct transposed k = {.rank = 1 + i % 3, .groups = 1};

        data_seed(i);
        k.batch = data_pick(1, 2);
        k.channels = data_pick(1, 20);
        k.maps = data_pick(1, 20);
        k.has_bias = i % 2;
        k.is_inner = i >= 9;
        for (uint32_t d = 0; d < k.rank; d++) {
            k.in[d] = data_pick(1, 6);
            k.kernel[d] = k.strides[d] = data_pick(1, 3);
            k.dilations[d] = 1;
            k.out[d] = k.in[d] * k.strides[d];
        }
        dnnl_compare("side by side", make_transposed, &k, 0);
    }
}
END_TEST

/* ---- what is not taken ----------------------------------------------------------------------- */

static struct transposed plain_one(void)
{
    return (struct transposed){.rank = 2,
                               .batch = 1,
                               .groups = 1,
                               .channels = 4,
                               .maps = 4,
                               .in = {5, 5},
                               .out = {11, 11},
                               .kernel = {3, 3},
                               .strides = {2, 2},
                               .dilations = {1, 1}};
}

static void refuses(const struct transposed *k, bool is_dynamic, uint32_t reason, const char *words)
{
    struct th *t = dnnl_new();

    if (is_dynamic)
        th_dynamic(t);
    make_transposed(t, k);
    dnnl_refuses(t, reason, words);
}

START_TEST(conv_transpose_rejects_outputs_a_stride_beyond_the_last_window)
{
    struct transposed k = plain_one();

    k.more[1] = 2;
    refuses(&k, false, BP_R_ATTRIBUTE, "output_padding is not below");
    k = plain_one();
    k.way = BY_SHAPE;
    k.out[0] = 13;
    refuses(&k, false, BP_R_ATTRIBUTE, "a stride or more beyond the last window");
    k.out[0] = 11;
    refuses(&k, true, BP_R_DYNAMIC_SHAPE, "with output_shape");
}
END_TEST

START_TEST(conv_transpose_rejects_attributes_of_wrong_length)
{
    static const char *const names[] = {"output_shape", "output_padding"};

    for (size_t i = 0; i < 2; i++) {
        struct th *t = dnnl_new();
        char words[64];

        dnnl_input(t, "x", "1,4,5,5");
        dnnl_const(t, "w", "4,4,3,3");
        dnnl_output(t, "y", "1,4,7,7");
        th_node(t, "ConvTranspose", 11, "x w", "y");
        th_ints(t, names[i], 1, (const int64_t[1]){7});
        snprintf(words, sizeof words, "%s must have 2 entries", names[i]);
        dnnl_refuses(t, BP_R_ATTRIBUTE, words);
    }
}
END_TEST

/* By default, nodes that another provider runs faster are declined. */
START_TEST(claim_declines_few_channels_and_depthwise_3d_convolutions)
{
    struct transposed few = plain_one();
    struct th *t = th_new(bp_provider_entry_v1);

    few.maps = 3;
    make_transposed(t, &few);
    dnnl_refuses(t, BP_R_NOT_PROFITABLE, "3 output channels");
    t = th_new(bp_provider_entry_v1);
    dnnl_input(t, "x", "1,16,4,8,8");
    dnnl_const(t, "w", "16,1,3,3,3");
    dnnl_output(t, "y", "1,16,2,6,6");
    th_node(t, "Conv", 11, "x w", "y");
    th_int(t, "group", 16);
    dnnl_refuses(t, BP_R_NOT_PROFITABLE, "depthwise");
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("against cpu");

    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, conv_transpose_matches_the_cpu_provider);
    tcase_add_test(tcase, depthwise_conv_transpose_matches_the_cpu_provider);
    tcase_add_test(tcase, conv_transpose_with_stride_equal_to_kernel_matches_the_cpu_provider);
    tcase_add_test(tcase, conv_transpose_rejects_outputs_a_stride_beyond_the_last_window);
    tcase_add_test(tcase, conv_transpose_rejects_attributes_of_wrong_length);
    tcase_add_test(tcase, claim_declines_few_channels_and_depthwise_3d_convolutions);
    return check_main("dnnl_conv_transpose", &tcase, 1);
}
