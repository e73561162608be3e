/* SPDX-License-Identifier: MIT */
/*
 * check_spatial.c - what the dnnl provider runs by loops of its own between convolutions: Resize,
 * normalisation, PRelu, Slice and Split. In each layout the same as the CPU provider's results.
 */

#include "config.h"

#include "dnnl/dnnl_kit.h"

/* Where the operator stands: after convolutions on channels last, in blocks of 16, or alone. */
enum { ALONE, BEHIND_LAST, BEHIND_BLOCKS, N_WHERE };

static const char *const where_names[N_WHERE] = {"alone", "channels last", "blocks"};

/* A node between convolutions; dims are those of its input and its output. */
struct middle {
    const char *in, *out;
    void (*add)(struct th *t, const void *u); /* the node, which reads v and makes u */
    const void *u;
    int where;
    bool is_last; /* u is the graph's output, no node reads it */
};

static int64_t channels_of(const char *dims)
{
    return strtoll(strchr(dims, ',') + 1, NULL, 10);
}

static const char *spatial_dims_of(const char *dims)
{
    return strchr(strchr(dims, ',') + 1, ',');
}

static uint32_t spatial_of(const char *dims)
{
    uint32_t n = 0;

    for (; *dims; dims++)
        n += *dims == ',';
    return n - 1;
}

static void add_conv(struct th *t, const char *operands, const char *out, int64_t pad, uint32_t n)
{
    const int64_t pads[6] = {pad, pad, pad, pad, pad, pad};

    th_node(t, "Conv", 11, operands, out);
    th_ints(t, "pads", 2 * n, pads);
}

/* Two convolutions in front: the first is what makes oneDNN's layout. */
static void add_front(struct th *t, const struct middle *m)
{
    static const char *const ones[] = {",1", ",1,1", ",1,1,1"};
    uint32_t n = spatial_of(m->in);
    bool has_blocks = m->where == BEHIND_BLOCKS;
    char text[64];

    snprintf(text, sizeof text, "%.*s,32%s", (int)strcspn(m->in, ","), m->in,
             spatial_dims_of(m->in));
    dnnl_input(t, "x", text);
    dnnl_value(t, "c", text);
    snprintf(text, sizeof text, "32,32%s", has_blocks ? ",3,3" : ones[n - 1]);
    dnnl_const(t, "w0", text);
    snprintf(text, sizeof text, "%lld,32%s", (long long)channels_of(m->in), ones[n - 1]);
    dnnl_const(t, "w1", text);
    dnnl_value(t, "v", m->in);
    add_conv(t, "x w0", "c", has_blocks, n);
    add_conv(t, "c w1", "v", 0, n);
}

static void make_middle(struct th *t, const void *u)
{
    const struct middle *m = u;

    if (m->where == ALONE)
        dnnl_input(t, "v", m->in);
    else
        add_front(t, m);
    if (m->is_last) {
        dnnl_output(t, "y", m->out);
    } else {
        dnnl_value(t, "u", m->out);
        dnnl_output(t, "y", m->out);
    }
    m->add(t, m);
    if (!m->is_last)
        th_node(t, "Neg", 13, "u", "y");
}

static const char *made_by(const struct middle *m)
{
    return m->is_last ? "y" : "u";
}

/* Compares it everywhere that it may stand; blocks are for images of 14 x 14 and more. */
static void compare_everywhere(const char *what, struct middle m)
{
    for (int i = 0; i < 2 * N_WHERE; i++) {
        char text[96];

        m.where = i / 2;
        m.is_last = i % 2;
        if (m.where == BEHIND_BLOCKS && spatial_of(m.in) != 2)
            continue;
        snprintf(text, sizeof text, "%s, %s, %s -> %s", what, where_names[m.where], m.in, m.out);
        dnnl_compare(text, make_middle, &m, 0);
    }
}

/* ---- Resize ---------------------------------------------------------------------------------- */

struct resize {
    const char *op;
    uint32_t since;
    const char *mode, *coordinate, *nearest;
    const char *in, *out;
    int n; /* entries of scales or sizes; axes says of what, if they are fewer than axes */
    float scales[5];
    int64_t sizes[5], axes[3];
};

static const char *const no_dims = "0";

static void add_resize(struct th *t, const void *u)
{
    const struct middle *m = u;
    const struct resize *r = m->u;
    bool has_sizes = r->sizes[0] > 0, is_old = strcmp(r->op, "Upsample") == 0 || r->since < 11;
    char n[8];

    snprintf(n, sizeof n, "%d", r->n);
    if (has_sizes)
        th_const(t, "sizes", BP_DTYPE_I64, n, r->sizes);
    else
        th_const(t, "scales", BP_DTYPE_F32, n, r->scales);
    if (!is_old)
        th_const(t, "roi", BP_DTYPE_F32, no_dims, r->scales);
    if (has_sizes)
        th_const(t, "none", BP_DTYPE_F32, no_dims, r->scales);
    if (strcmp(r->op, "Upsample") == 0 && r->since < 9) {
        th_node(t, r->op, r->since, "v", made_by(m));
        th_floats(t, "scales", (uint32_t)r->n, r->scales);
    } else {
        th_node(t, r->op, r->since,
                is_old      ? "v scales"
                : has_sizes ? "v roi none sizes"
                            : "v roi scales",
                made_by(m));
    }
    th_string(t, "mode", r->mode);
    if (r->coordinate)
        th_string(t, "coordinate_transformation_mode", r->coordinate);
    if (r->nearest)
        th_string(t, "nearest_mode", r->nearest);
    if (r->axes[0] > 0)
        th_ints(t, "axes", (uint32_t)r->n, r->axes);
}

#define IN "1,20,16,14"
#define IN_LINE "2,20,9"
#define IN_VOLUME "1,20,4,5,6"
static const struct resize resizes[] = {
    {"Resize", 13, "nearest", "asymmetric", "floor", IN, "1,20,32,28", 4, {1, 1, 2, 2}, {0}, {0}},
    {"Resize", 19, "nearest", NULL, NULL, IN, "1,20,24,35", 4, {1, 1, 1.5f, 2.5f}, {0}, {0}},
    {"Resize", 18, "nearest", NULL, "ceil", IN, "1,20,7,5", 2, {0}, {7, 5}, {2, 3}},
    {"Resize", 11, "linear", NULL, NULL, IN, "1,20,32,28", 4, {1, 1, 2, 2}, {0}, {0}},
    {"Resize", 13, "linear", "align_corners", NULL, IN, "1,20,33,9", 4, {0}, {1, 20, 33, 9}, {0}},
    {"Resize",
     13,
     "linear",
     "pytorch_half_pixel",
     NULL,
     IN,
     "1,20,1,28",
     4,
     {0},
     {1, 20, 1, 28},
     {0}},
    {"Resize", 13, "cubic", NULL, NULL, IN, "1,20,24,21", 4, {1, 1, 1.5f, 1.5f}, {0}, {0}},
    {"Resize", 10, "linear", NULL, NULL, IN, "1,20,32,28", 4, {1, 1, 2, 2}, {0}, {0}},
    {"Upsample", 9, "nearest", NULL, NULL, IN, "1,20,32,28", 4, {1, 1, 2, 2}, {0}, {0}},
    {"Upsample", 7, "linear", NULL, NULL, IN, "1,20,32,28", 4, {1, 1, 2, 2}, {0}, {0}},
    {"Resize", 13, "linear", NULL, NULL, IN_LINE, "2,20,23", 3, {0}, {2, 20, 23}, {0}},
    {"Resize", 13, "nearest", NULL, NULL, IN_LINE, "2,20,4", 3, {0}, {2, 20, 4}, {0}},
    {"Resize", 13, "linear", NULL, NULL, IN_VOLUME, "1,20,8,10,3", 5, {1, 1, 2, 2, .5f}, {0}, {0}},
    {"Resize", 13, "cubic", NULL, NULL, IN_VOLUME, "1,20,8,7,9", 5, {0}, {1, 20, 8, 7, 9}, {0}},
    {"Resize", 18, "nearest", NULL, NULL, IN_VOLUME, "1,20,8,5,6", 1, {2}, {0}, {2}},
};

START_TEST(resize_matches_the_cpu_provider)
{
    for (size_t i = 0; i < sizeof resizes / sizeof resizes[0]; i++) {
        const struct resize *r = &resizes[i];
        char what[64];

        snprintf(what, sizeof what, "%s %u %s", r->op, r->since, r->mode);
        compare_everywhere(what,
                           (struct middle){.in = r->in, .out = r->out, .add = add_resize, .u = r});
    }
}
END_TEST

/* One channel is enlarged so much that several threads compute rows which are equal and copied. */
START_TEST(resize_shared_by_threads_matches_the_cpu_provider)
{
    static const struct resize cases[] = {
        {"Resize",
         13,
         "nearest",
         NULL,
         NULL,
         "1,16,16,16",
         "1,16,64,64",
         4,
         {1, 1, 4, 4},
         {0},
         {0}},
        {"Resize", 13, "linear", NULL, NULL, "1,16,16,16", "1,16,64,64", 4, {1, 1, 4, 4}, {0}, {0}},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        compare_everywhere("large", (struct middle){.in = cases[i].in,
                                                    .out = cases[i].out,
                                                    .add = add_resize,
                                                    .u = &cases[i]});
}
END_TEST

static void make_bytes(struct th *t, const void *u)
{
    static const float scales[4] = {1, 1, 2, 3};
    uint8_t *values = th_keep(t, malloc(60));

    (void)u;
    for (int i = 0; i < 60; i++)
        values[i] = (uint8_t)(i * 37);
    th_input(t, "x", BP_DTYPE_U8, "1,3,4,5", values);
    th_const(t, "scales", BP_DTYPE_F32, "4", scales);
    th_output(t, "y", BP_DTYPE_U8, "1,3,8,15");
    th_node(t, "Resize", 13, "x - scales", "y");
    th_string(t, "mode", "nearest");
    th_string(t, "coordinate_transformation_mode", "asymmetric");
    th_string(t, "nearest_mode", "floor");
}

START_TEST(nearest_resize_takes_bytes)
{
    struct th *want = th_new(dnnl_cpu_entry()), *got = dnnl_new();

    dnnl_run_both("bytes", want, got, 7, make_bytes, NULL);
    ck_assert_mem_eq(th_data(got, "y"), th_data(want, "y"), 3 * 8 * 15);
    th_free(got);
    th_free(want);
}
END_TEST

/* A column whose channels lie next to each other: its width of 1 has the stride of a channel. */
static void make_column(struct th *t, const void *u)
{
    static const int64_t sizes[4] = {17, 9, 6, 2};

    (void)u;
    dnnl_input(t, "x", "17,3,17,1");
    dnnl_const(t, "w", "3,1,1,3");
    th_const(t, "sizes", BP_DTYPE_I64, "4", sizes);
    dnnl_values(t, "c", "17,3,9,1");
    dnnl_values(t, "v", "17,9,3,1");
    dnnl_output(t, "y", "17,9,6,2");
    dnnl_const(t, "b", "3");
    th_node(t, "Conv", 11, "x w b", "c");
    th_ints(t, "kernel_shape", 2, (const int64_t[2]){1, 3});
    th_ints(t, "strides", 2, (const int64_t[2]){2, 2});
    th_ints(t, "dilations", 2, (const int64_t[2]){2, 1});
    th_ints(t, "pads", 4, (const int64_t[4]){0, 2, 1, 0});
    th_int(t, "group", 3);
    th_node(t, "Transpose", 13, "c", "v");
    th_ints(t, "perm", 4, (const int64_t[4]){0, 2, 1, 3});
    th_node(t, "Resize", 13, "v - - sizes", "y");
    th_string(t, "mode", "nearest");
    th_string(t, "coordinate_transformation_mode", "asymmetric");
    th_string(t, "nearest_mode", "floor");
}

START_TEST(resize_of_a_transposed_column_matches_the_cpu_provider)
{
    dnnl_compare("column", make_column, NULL, 0);
}
END_TEST

static void refuses(struct resize r, bool is_computed, const char *attr, const char *word,
                    uint32_t reason, const char *words)
{
    struct middle m = {.in = r.in, .out = r.out, .add = add_resize, .u = &r, .is_last = true};
    struct th *t = dnnl_new();

    if (is_computed) {
        dnnl_input(t, "v", r.in);
        dnnl_input(t, "scales", "4");
        dnnl_output(t, "y", r.out);
        th_node(t, "Resize", 13, "v - scales", "y");
    } else {
        make_middle(t, &m);
    }
    if (attr && !word)
        th_int(t, attr, 1);
    else if (attr)
        th_string(t, attr, word);
    dnnl_refuses(t, reason, words);
}

START_TEST(claim_rejects_unsupported_resize_attributes)
{
    struct resize r = resizes[3], crop = r, channels = r;

    crop.coordinate = "tf_crop_and_resize";
    channels.out = "1,40,32,28";
    channels.scales[1] = 2;
    refuses(r, true, NULL, NULL, BP_R_NOT_CONSTANT, "have to be constant");
    refuses(r, false, "antialias", NULL, BP_R_ATTRIBUTE, "antialias");
    refuses(r, false, "keep_aspect_ratio_policy", "not_larger", BP_R_ATTRIBUTE, "only stretch");
    refuses(r, false, "nearest_mode", "furthest", BP_R_ATTRIBUTE, "its value is not known");
    refuses(crop, false, NULL, NULL, BP_R_ATTRIBUTE, "tf_crop_and_resize");
    refuses(channels, false, NULL, NULL, BP_R_OTHER, "axis 1 gets a new size");
}
END_TEST

/* ---- norms, slopes, activations -------------------------------------------------------------- */

struct norm {
    const char *op;
    uint32_t since;
    const char *in, *params; /* dims: of scale and bias */
    int64_t groups;          /* 0: InstanceNormalization */
};

static void add_norm(struct th *t, const void *u)
{
    const struct middle *m = u;
    const struct norm *k = m->u;

    dnnl_const(t, "scale", k->params);
    dnnl_const(t, "bias", k->params);
    th_node(t, k->op, k->since, "v scale bias", made_by(m));
    th_float(t, "epsilon", 1e-3f);
    if (k->groups > 0)
        th_int(t, "num_groups", k->groups);
}

static const struct norm norms[] = {
    {"InstanceNormalization", 6, "1,20,16,14", "20", 0},
    {"InstanceNormalization", 22, "2,48,15,17", "48", 0},
    {"InstanceNormalization", 6, "2,5,9", "5", 0},
    {"InstanceNormalization", 6, "1,3,4,5,6", "3", 0},
    {"GroupNormalization", 18, "2,48,14,14", "4", 4},
    {"GroupNormalization", 21, "1,48,14,15", "48", 12},
    {"GroupNormalization", 21, "1,40,14,15", "40", 1},
    {"GroupNormalization", 21, "2,40,14,15", "40", 2},
    {"GroupNormalization", 21, "2,6,7", "6", 3},
};

START_TEST(instance_normalization_matches_the_cpu_provider)
{
    for (size_t i = 0; i < sizeof norms / sizeof norms[0]; i++)
        compare_everywhere(norms[i].op, (struct middle){.in = norms[i].in,
                                                        .out = norms[i].in,
                                                        .add = add_norm,
                                                        .u = &norms[i]});
}
END_TEST

/* Numbers far from 0 that differ little: sums of squares without the mean would lose them. */
static void make_far(struct th *t, const void *u)
{
    float *values = dnnl_floats(t, 4 * 300);

    (void)u;
    for (size_t i = 0; i < 4 * 300; i++)
        values[i] = 4000 + (float)(i % 7);
    th_input(t, "x", BP_DTYPE_F32, "1,4,300", values);
    dnnl_const(t, "scale", "4");
    dnnl_const(t, "bias", "4");
    dnnl_output(t, "y", "1,4,300");
    th_node(t, "InstanceNormalization", 6, "x scale bias", "y");
}

START_TEST(instance_normalization_far_from_0_loses_no_precision)
{
    dnnl_compare("far", make_far, NULL, 0);
}
END_TEST

static void add_prelu(struct th *t, const void *u)
{
    const struct middle *m = u;

    dnnl_const(t, "slope", m->u);
    th_node(t, "PRelu", 16, "v slope", made_by(m));
}

START_TEST(prelu_by_channel_matches_the_cpu_provider)
{
    static const struct middle cases[] = {
        {.in = "1,20,16,14", .out = "1,20,16,14", .u = "20,1,1"},
        {.in = "2,32,15,17", .out = "2,32,15,17", .u = "1,32,1,1"},
        {.in = "2,20,16,14", .out = "2,20,16,14", .u = "1"},
        {.in = "2,20,9", .out = "2,20,9", .u = "20,1"},
        {.in = "1,20,3,4,5", .out = "1,20,3,4,5", .u = "20,1,1,1"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct middle m = cases[i];

        m.add = add_prelu;
        compare_everywhere("PRelu", m);
    }
}
END_TEST

START_TEST(claim_rejects_prelu_slopes_that_differ_within_a_channel)
{
    struct middle m = {.in = "1,20,16,14", .out = "1,20,16,14", .add = add_prelu, .is_last = true};
    struct th *t = dnnl_new();

    m.u = "20,16,14";
    make_middle(t, &m);
    dnnl_refuses(t, BP_R_OTHER, "differ within a channel");
}
END_TEST

static void add_unary(struct th *t, const void *u)
{
    const struct middle *m = u;

    th_node(t, m->u, 6, "v", made_by(m));
}

/* An activation with f(0) != 0 must not change the padding of a channel block, which the next node reads. */
START_TEST(activations_match_the_cpu_provider_in_each_layout)
{
    static const char *const ops[] = {"HardSigmoid", "Softplus", "Exp", "Sigmoid"};

    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        compare_everywhere(
            ops[i], (struct middle){
                        .in = "1,20,16,14", .out = "1,20,16,14", .add = add_unary, .u = ops[i]});
}
END_TEST

/* ---- Slice, Split ---------------------------------------------------------------------------------- */

struct box {
    int n;
    int64_t starts[3], ends[3], axes[3];
};

static void add_slice(struct th *t, const void *u)
{
    const struct middle *m = u;
    const struct box *k = m->u;
    char n[8];

    snprintf(n, sizeof n, "%d", k->n);
    th_const(t, "starts", BP_DTYPE_I64, n, k->starts);
    th_const(t, "ends", BP_DTYPE_I64, n, k->ends);
    th_const(t, "axes", BP_DTYPE_I64, n, k->axes);
    th_node(t, "Slice", 13, "v starts ends axes", made_by(m));
}

START_TEST(slice_of_channels_matches_the_cpu_provider)
{
    static const struct {
        const char *in, *out;
        struct box box;
    } cases[] = {
        {"1,48,16,14", "1,16,16,14", {1, {16}, {32}, {1}}},
        {"1,48,16,14", "1,20,16,14", {1, {-28}, {40}, {-3}}},
        {"2,48,16,14", "2,32,16,14", {1, {16}, {1000}, {1}}},
        {"2,48,16,14", "1,48,16,14", {1, {1}, {2}, {0}}},
        {"1,48,16,14", "1,48,9,5", {2, {4, 9}, {13, 14}, {2, 3}}},
        {"1,48,16,14", "1,7,3,14", {2, {-1000, 2}, {7, 5}, {1, 2}}},
        {"2,20,9", "2,20,4", {1, {3}, {-2}, {2}}},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        compare_everywhere("Slice", (struct middle){.in = cases[i].in,
                                                    .out = cases[i].out,
                                                    .add = add_slice,
                                                    .u = &cases[i].box});
}
END_TEST

START_TEST(claim_rejects_slices_with_steps)
{
    static const int64_t starts[1] = {0}, ends[1] = {8}, steps[1] = {2};
    struct th *t = dnnl_new();

    dnnl_input(t, "x", "8");
    th_const(t, "starts", BP_DTYPE_I64, "1", starts);
    th_const(t, "ends", BP_DTYPE_I64, "1", ends);
    th_const(t, "steps", BP_DTYPE_I64, "1", steps);
    dnnl_output(t, "y", "4");
    th_node(t, "Slice", 13, "x starts ends - steps", "y");
    dnnl_refuses(t, BP_R_OTHER, "only steps of 1");
}
END_TEST

/* The outputs are changed in place and concatenated in another order, one of them twice. */
static void add_split(struct th *t, const void *u)
{
    static const int64_t sizes[3] = {16, 20, 12};
    const struct middle *m = u;
    char text[64], head[8];

    snprintf(head, sizeof head, "%.*s", (int)strcspn(m->in, ","), m->in);
    for (int i = 0; i < 3; i++) {
        static const char *const names[] = {"s0", "s1", "s2"}, *const more[] = {"r0", "r1", "r2"};

        snprintf(text, sizeof text, "%s,%lld%s", head, (long long)sizes[i], spatial_dims_of(m->in));
        dnnl_value(t, names[i], text);
        dnnl_value(t, more[i], text);
    }
    th_const(t, "sizes", BP_DTYPE_I64, "3", sizes);
    th_node(t, "Split", 13, "v sizes", "s0 s1 s2");
    th_int(t, "axis", 1);
    th_node(t, "Relu", 14, "s0", "r0");
    th_node(t, "Neg", 13, "s1", "r1");
    th_node(t, "Sigmoid", 13, "s2", "r2");
    th_node(t, "Concat", 13, "r2 r0 r1 s0", made_by(m));
    th_int(t, "axis", 1);
}

START_TEST(split_of_channels_matches_the_cpu_provider)
{
    static const struct middle cases[] = {
        {.in = "1,48,16,14", .out = "1,64,16,14"},
        {.in = "2,48,16,14", .out = "2,64,16,14"},
        {.in = "2,48,9", .out = "2,64,9"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct middle m = cases[i];

        m.add = add_split;
        compare_everywhere("Split", m);
    }
}
END_TEST

/* Parts that are outputs, and one that has no elements. */
static void make_ends(struct th *t, const void *u)
{
    static const int64_t sizes[3] = {2, 0, 3};

    (void)u;
    dnnl_input(t, "x", "5,4");
    th_const(t, "sizes", BP_DTYPE_I64, "3", sizes);
    dnnl_output(t, "y", "2,4");
    dnnl_output(t, "none", "0,4");
    dnnl_output(t, "z", "3,4");
    th_node(t, "Split", 18, "x sizes", "y none z");
}

START_TEST(split_into_graph_outputs_matches_the_cpu_provider)
{
    dnnl_compare("outputs", make_ends, NULL, 1);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("spatial");

    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, resize_matches_the_cpu_provider);
    tcase_add_test(tcase, resize_shared_by_threads_matches_the_cpu_provider);
    tcase_add_test(tcase, nearest_resize_takes_bytes);
    tcase_add_test(tcase, resize_of_a_transposed_column_matches_the_cpu_provider);
    tcase_add_test(tcase, claim_rejects_unsupported_resize_attributes);
    tcase_add_test(tcase, instance_normalization_matches_the_cpu_provider);
    tcase_add_test(tcase, instance_normalization_far_from_0_loses_no_precision);
    tcase_add_test(tcase, prelu_by_channel_matches_the_cpu_provider);
    tcase_add_test(tcase, claim_rejects_prelu_slopes_that_differ_within_a_channel);
    tcase_add_test(tcase, activations_match_the_cpu_provider_in_each_layout);
    tcase_add_test(tcase, slice_of_channels_matches_the_cpu_provider);
    tcase_add_test(tcase, claim_rejects_slices_with_steps);
    tcase_add_test(tcase, split_of_channels_matches_the_cpu_provider);
    tcase_add_test(tcase, split_into_graph_outputs_matches_the_cpu_provider);
    return check_main("dnnl_spatial", &tcase, 1);
}
