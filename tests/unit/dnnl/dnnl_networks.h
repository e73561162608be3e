/* SPDX-License-Identifier: MIT */
/*
 * dnnl_networks.h - two small networks in any type of floats: what a network computes in one type is
 * compared with the same values in another.
 */
#ifndef BP_TESTS_DNNL_NETWORKS_H
#define BP_TESTS_DNNL_NETWORKS_H

#include "dnnl/dnnl_kit.h"

struct dnnl_maker {
    struct th *t;
    uint32_t dtype;      /* of its tensors */
    uint32_t value_type; /* values are those that this type has, too */
};

static inline void *dnnl_net_values(const struct dnnl_maker *m, const char *dims)
{
    size_t n = dnnl_elements(dims);
    double *made = data_make(n, m->value_type);
    void *data = th_keep(m->t, typed_encode(made, n, m->dtype));

    free(made);
    return data;
}

static inline void dnnl_net_input(const struct dnnl_maker *m, const char *name, const char *dims)
{
    th_input(m->t, name, m->dtype, dims, dnnl_net_values(m, dims));
}

static inline void dnnl_net_constant(const struct dnnl_maker *m, const char *name, const char *dims)
{
    th_const(m->t, name, m->dtype, dims, dnnl_net_values(m, dims));
}

static inline void dnnl_net_value(const struct dnnl_maker *m, const char *name, const char *dims)
{
    th_value(m->t, name, m->dtype, dims);
}

static inline void dnnl_net_conv(const struct dnnl_maker *m, const char *in, const char *out,
                                 int64_t kernel, int64_t group)
{
    const int64_t pad = kernel / 2;

    th_node(m->t, "Conv", 11, in, out);
    th_ints(m->t, "kernel_shape", 2, (const int64_t[2]){kernel, kernel});
    th_ints(m->t, "pads", 4, (const int64_t[4]){pad, pad, pad, pad});
    th_int(m->t, "group", group);
}

/* Convolutions of all kinds, a residual, a Concat, pools, a product at the end. */
static inline void dnnl_make_network(const struct dnnl_maker *m)
{
    static const int64_t window[2] = {2, 2};

    dnnl_net_input(m, "x", "1,3,16,16");
    dnnl_net_constant(m, "w0", "16,3,3,3");
    dnnl_net_constant(m, "b0", "16");
    dnnl_net_constant(m, "w1", "16,16,1,1");
    dnnl_net_constant(m, "w2", "32,1,3,3");
    dnnl_net_constant(m, "w3", "32,10");
    dnnl_net_constant(m, "b3", "10");
    dnnl_net_value(m, "c0", "1,16,16,16");
    dnnl_net_value(m, "r0", "1,16,16,16");
    dnnl_net_value(m, "c1", "1,16,16,16");
    dnnl_net_value(m, "s1", "1,16,16,16");
    dnnl_net_value(m, "r1", "1,16,16,16");
    dnnl_net_value(m, "j", "1,32,16,16");
    dnnl_net_value(m, "m", "1,32,8,8");
    dnnl_net_value(m, "c2", "1,32,8,8");
    dnnl_net_value(m, "g", "1,32,1,1");
    dnnl_net_value(m, "f", "1,32");
    dnnl_net_conv(m, "x w0 b0", "c0", 3, 1);
    th_node(m->t, "Relu", 14, "c0", "r0");
    dnnl_net_conv(m, "r0 w1", "c1", 1, 1);
    th_node(m->t, "Add", 14, "c1 r0", "s1");
    th_node(m->t, "Relu", 14, "s1", "r1");
    th_node(m->t, "Concat", 13, "r1 r0", "j");
    th_int(m->t, "axis", 1);
    th_node(m->t, "MaxPool", 12, "j", "m");
    th_ints(m->t, "kernel_shape", 2, window);
    th_ints(m->t, "strides", 2, window);
    dnnl_net_conv(m, "m w2", "c2", 3, 32);
    th_node(m->t, "GlobalAveragePool", 1, "c2", "g");
    th_node(m->t, "Flatten", 13, "g", "f");
    th_output(m->t, "y", m->dtype, "1,10");
    th_node(m->t, "Gemm", 13, "f w3 b3", "y");
}

/* Attention over 4 heads, a norm, a product with Gelu. */
static inline void dnnl_make_attention(const struct dnnl_maker *m)
{
    dnnl_net_input(m, "x", "1,12,32");
    dnnl_net_input(m, "k", "1,4,8,12");
    dnnl_net_constant(m, "wq", "32,32");
    dnnl_net_constant(m, "bq", "32");
    dnnl_net_constant(m, "scale", "32");
    dnnl_net_constant(m, "bias", "32");
    dnnl_net_constant(m, "wf", "32,64");
    dnnl_net_constant(m, "bf", "64");
    th_const(m->t, "heads", BP_DTYPE_I64, "4", (const int64_t[4]){1, 12, 4, 8});
    th_const(m->t, "whole", BP_DTYPE_I64, "3", (const int64_t[3]){1, 12, 32});
    dnnl_net_value(m, "q0", "1,12,32");
    dnnl_net_value(m, "q1", "1,12,32");
    dnnl_net_value(m, "q2", "1,12,4,8");
    dnnl_net_value(m, "q3", "1,4,12,8");
    dnnl_net_value(m, "a0", "1,4,12,12");
    dnnl_net_value(m, "a1", "1,4,12,12");
    dnnl_net_value(m, "v", "1,4,12,8");
    dnnl_net_value(m, "c0", "1,12,4,8");
    dnnl_net_value(m, "c1", "1,12,32");
    dnnl_net_value(m, "s", "1,12,32");
    dnnl_net_value(m, "n", "1,12,32");
    dnnl_net_value(m, "f0", "1,12,64");
    dnnl_net_value(m, "f1", "1,12,64");
    th_node(m->t, "MatMul", 13, "x wq", "q0");
    th_node(m->t, "Add", 14, "q0 bq", "q1");
    th_node(m->t, "Reshape", 13, "q1 heads", "q2");
    th_node(m->t, "Transpose", 13, "q2", "q3");
    th_ints(m->t, "perm", 4, (const int64_t[4]){0, 2, 1, 3});
    th_node(m->t, "MatMul", 13, "q3 k", "a0");
    th_node(m->t, "Softmax", 13, "a0", "a1");
    th_node(m->t, "MatMul", 13, "a1 q3", "v");
    th_node(m->t, "Transpose", 13, "v", "c0");
    th_ints(m->t, "perm", 4, (const int64_t[4]){0, 2, 1, 3});
    th_node(m->t, "Reshape", 13, "c0 whole", "c1");
    th_node(m->t, "Add", 14, "c1 x", "s");
    th_node(m->t, "LayerNormalization", 17, "s scale bias", "n");
    th_node(m->t, "MatMul", 13, "n wf", "f0");
    th_node(m->t, "Add", 14, "f0 bf", "f1");
    th_output(m->t, "y", m->dtype, "1,12,64");
    th_node(m->t, "Gelu", 20, "f1", "y");
}

typedef void (*dnnl_net_fn)(const struct dnnl_maker *m);

static const struct {
    const char *what;
    dnnl_net_fn make;
} dnnl_networks[] = {{"convolutions", dnnl_make_network}, {"attention", dnnl_make_attention}};

enum { DNNL_NETWORKS = sizeof dnnl_networks / sizeof dnnl_networks[0] };

/* Runs that network on t's provider. */
static inline struct th *dnnl_net_run(struct th *t, uint32_t dtype, uint32_t value_type,
                                      dnnl_net_fn make)
{
    const struct dnnl_maker m = {t, dtype, value_type};

    data_seed(11);
    make(&m);
    ck_assert_msg(th_run(t) >= 0, "%s", th_message(t));
    return t;
}

/*
 * Root of the mean square of what y errs, of that type, against that of what the other provider made
 * of it in float64.
 */
static inline double dnnl_net_error(const struct th *got, uint32_t dtype, const struct th *want)
{
    const double *all = th_data(want, "y");
    size_t n = th_count(want, "y");
    double wrong = 0, sum = 0;

    ck_assert_uint_eq(th_count(got, "y"), n);
    for (size_t i = 0; i < n; i++) {
        double y = typed_get(th_data(got, "y"), dtype, i);

        ck_assert(isfinite(y));
        wrong += (y - all[i]) * (y - all[i]);
        sum += all[i] * all[i];
    }
    return sqrt(wrong / sum);
}

#endif
