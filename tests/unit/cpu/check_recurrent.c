/* SPDX-License-Identifier: MIT */
/*
 * check_recurrent.c - LSTM, GRU and RNN of the CPU provider, and DynamicQuantizeLSTM, against
 * loops that follow ONNX' equations, with every input and attribute in and out.
 */

#include "config.h"

#include "support/random_data.h"
#include "support/test_host.h"
#include "support/typed.h"

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

extern bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err);

enum { RNN, GRU, LSTM };

static const char *const ops[] = {"RNN", "GRU", "LSTM"};
static const int gate_counts[] = {1, 3, 4}, function_counts[] = {1, 2, 3};

typedef double (*function)(double x, double alpha, double beta);

static double sigmoid(double x, double alpha, double beta)
{
    (void)alpha;
    (void)beta;
    return 1 / (1 + exp(-x));
}

static double hyperbolic(double x, double alpha, double beta)
{
    (void)alpha;
    (void)beta;
    return tanh(x);
}

static double relu(double x, double alpha, double beta)
{
    (void)alpha;
    (void)beta;
    return x > 0 ? x : 0;
}

static double affine(double x, double alpha, double beta)
{
    return alpha * x + beta;
}

static double leaky_relu(double x, double alpha, double beta)
{
    (void)beta;
    return x < 0 ? alpha * x : x;
}

static double thresholded_relu(double x, double alpha, double beta)
{
    (void)beta;
    return x > alpha ? x : 0;
}

static double scaled_tanh(double x, double alpha, double beta)
{
    return alpha * tanh(beta * x);
}

static double hard_sigmoid(double x, double alpha, double beta)
{
    return fmin(1, fmax(0, alpha * x + beta));
}

static double elu(double x, double alpha, double beta)
{
    (void)beta;
    return x < 0 ? alpha * (exp(x) - 1) : x;
}

static double softsign(double x, double alpha, double beta)
{
    (void)alpha;
    (void)beta;
    return x / (1 + fabs(x));
}

static double softplus(double x, double alpha, double beta)
{
    (void)alpha;
    (void)beta;
    return log(1 + exp(x));
}

static const struct named {
    const char *name;
    function f;
    bool has_alpha, has_beta;
} functions[] = {
    {"Sigmoid", sigmoid, false, false},
    {"Tanh", hyperbolic, false, false},
    {"Relu", relu, false, false},
    {"Affine", affine, true, true},
    {"LeakyRelu", leaky_relu, true, false},
    {"ThresholdedRelu", thresholded_relu, true, false},
    {"ScaledTanh", scaled_tanh, true, true},
    {"HardSigmoid", hard_sigmoid, true, true},
    {"Elu", elu, true, false},
    {"Softsign", softsign, false, false},
    {"Softplus", softplus, false, false},
};

/* What an operator is given and what it must give. */
struct net {
    int op;
    uint32_t dtype, directions;
    int64_t steps, batch, input, hidden;
    bool is_reverse, batch_first, option, has_bias, has_lengths, has_h, has_c, has_p, own_functions;
    double clip; /* 0: none */
    int which[6];
    float alpha[6], beta[6];
    double *x, *w, *r, *b, *h0, *c0, *p;
    int32_t lengths[8];
    double *y, *yh, *yc;
};

static double *zeroes(int64_t n)
{
    double *out = calloc((size_t)n + 1, sizeof *out);

    ck_assert_ptr_nonnull(out);
    return out;
}

/* Activation number i of direction d. */
static double apply(const struct net *k, int d, int i, double x, bool is_clipped)
{
    int n = d * function_counts[k->op] + i;

    if (k->clip > 0 && is_clipped)
        x = fmin(k->clip, fmax(-k->clip, x));
    return functions[k->which[n]].f(x, (double)k->alpha[n], (double)k->beta[n]);
}

/* Gate g's sum for unit u: x * W' + biases, without the recurrent part. */
static double input_sum(const struct net *k, int d, int g, int64_t u, const double *x,
                        bool has_rec_bias)
{
    int gates = gate_counts[k->op];
    int64_t row = (d * gates + g) * k->hidden + u;
    double sum = 0;

    for (int64_t i = 0; i < k->input; i++)
        sum += x[i] * k->w[row * k->input + i];
    if (k->has_bias) {
        sum += k->b[(d * 2 * gates + g) * k->hidden + u];
        if (has_rec_bias)
            sum += k->b[(d * 2 * gates + gates + g) * k->hidden + u];
    }
    return sum;
}

static double rec_sum(const struct net *k, int d, int g, int64_t u, const double *h)
{
    int64_t row = (d * gate_counts[k->op] + g) * k->hidden + u;
    double sum = 0;

    for (int64_t i = 0; i < k->hidden; i++)
        sum += h[i] * k->r[row * k->hidden + i];
    return sum;
}

static void step_rnn(const struct net *k, int d, const double *x, double *h)
{
    double *next = zeroes(k->hidden);

    for (int64_t u = 0; u < k->hidden; u++)
        next[u] = apply(k, d, 0, input_sum(k, d, 0, u, x, true) + rec_sum(k, d, 0, u, h), true);
    memcpy(h, next, (size_t)k->hidden * sizeof *h);
    free(next);
}

static void step_gru(const struct net *k, int d, const double *x, double *h)
{
    double *next = zeroes(k->hidden), *reset = zeroes(k->hidden), *rh = zeroes(k->hidden);

    for (int64_t u = 0; u < k->hidden; u++) {
        reset[u] = apply(k, d, 0, input_sum(k, d, 1, u, x, true) + rec_sum(k, d, 1, u, h), true);
        rh[u] = reset[u] * h[u];
    }
    for (int64_t u = 0; u < k->hidden; u++) {
        double z = apply(k, d, 0, input_sum(k, d, 0, u, x, true) + rec_sum(k, d, 0, u, h), true);
        double rb = k->has_bias ? k->b[(d * 6 + 5) * k->hidden + u] : 0, sum;

        if (k->option)
            sum = input_sum(k, d, 2, u, x, false) + reset[u] * (rec_sum(k, d, 2, u, h) + rb);
        else
            sum = input_sum(k, d, 2, u, x, true) + rec_sum(k, d, 2, u, rh);
        next[u] = (1 - z) * apply(k, d, 1, sum, true) + z * h[u];
    }
    memcpy(h, next, (size_t)k->hidden * sizeof *h);
    free(next);
    free(reset);
    free(rh);
}

static void step_lstm(const struct net *k, int d, const double *x, double *h, double *c)
{
    double *next = zeroes(k->hidden);

    for (int64_t u = 0; u < k->hidden; u++) {
        const double *p = k->has_p ? k->p + d * 3 * k->hidden : NULL;
        double sums[4], in, forget;

        for (int g = 0; g < 4; g++)
            sums[g] = input_sum(k, d, g, u, x, true) + rec_sum(k, d, g, u, h);
        in = apply(k, d, 0, sums[0] + (p ? p[u] * c[u] : 0), true);
        forget = apply(k, d, 0, sums[2] + (p ? p[2 * k->hidden + u] * c[u] : 0), true);
        if (k->option)
            forget = 1 - in;
        c[u] = forget * c[u] + in * apply(k, d, 1, sums[3], true);
        next[u] = apply(k, d, 0, sums[1] + (p ? p[k->hidden + u] * c[u] : 0), true) *
                  apply(k, d, 2, c[u], false);
    }
    memcpy(h, next, (size_t)k->hidden * sizeof *h);
    free(next);
}

/* Row of a state tensor, and of Y at a step. */
static int64_t state_row(const struct net *k, int d, int64_t b)
{
    return k->batch_first ? b * k->directions + d : d * k->batch + b;
}

static int64_t y_row(const struct net *k, int64_t step, int d, int64_t b)
{
    return k->batch_first ? (b * k->steps + step) * k->directions + d
                          : (step * k->directions + d) * k->batch + b;
}

static void expect_entry(struct net *k, int d, int64_t b)
{
    int64_t length = k->has_lengths ? k->lengths[b] : k->steps, n = k->hidden;
    double *h = k->yh + state_row(k, d, b) * n, *c = k->yc + state_row(k, d, b) * n;

    if (k->has_h)
        memcpy(h, k->h0 + state_row(k, d, b) * n, (size_t)n * sizeof *h);
    if (k->has_c)
        memcpy(c, k->c0 + state_row(k, d, b) * n, (size_t)n * sizeof *c);
    for (int64_t i = 0; i < length; i++) {
        int64_t step = k->is_reverse || d == 1 ? length - 1 - i : i;
        const double *x =
            k->x + (k->batch_first ? b * k->steps + step : step * k->batch + b) * k->input;

        if (k->op == RNN)
            step_rnn(k, d, x, h);
        else if (k->op == GRU)
            step_gru(k, d, x, h);
        else
            step_lstm(k, d, x, h, c);
        memcpy(k->y + y_row(k, step, d, b) * n, h, (size_t)n * sizeof *h);
    }
}

static void make_functions(struct net *k)
{
    for (int i = 0; i < 6; i++) {
        int place = i % function_counts[k->op];

        k->which[i] = k->own_functions ? (int)data_pick(0, 10) : k->op != RNN && place == 0 ? 0 : 1;
        k->alpha[i] = (float)data_pick(1, 9) / 16;
        k->beta[i] = (float)data_pick(1, 9) / 16;
    }
}

static void make_net(struct net *k, int op, uint32_t dtype)
{
    int64_t gates = gate_counts[op], rows;

    memset(k, 0, sizeof *k);
    k->op = op;
    k->dtype = dtype;
    k->directions = (uint32_t)data_pick(1, 2);
    k->is_reverse = k->directions == 1 && data_pick(0, 1);
    k->steps = data_pick(1, 6);
    k->batch = data_pick(0, 3) ? data_pick(1, 4) : 8;
    k->input = data_pick(1, 9);
    k->hidden = data_pick(0, 2) ? data_pick(1, 7) : data_pick(16, 20);
    k->batch_first = data_pick(0, 1);
    k->option = data_pick(0, 1);
    k->has_bias = data_pick(0, 1);
    k->has_lengths = data_pick(0, 1);
    k->has_h = data_pick(0, 1);
    k->has_c = op == LSTM && data_pick(0, 1);
    k->has_p = op == LSTM && data_pick(0, 1);
    k->own_functions = data_pick(0, 1);
    k->clip = data_pick(0, 1) ? 0.5 : 0;
    make_functions(k);
    rows = k->directions * k->batch * k->hidden;
    k->x = data_make((size_t)(k->steps * k->batch * k->input), dtype);
    k->w = data_make((size_t)(k->directions * gates * k->hidden * k->input), dtype);
    k->r = data_make((size_t)(k->directions * gates * k->hidden * k->hidden), dtype);
    k->b = data_make((size_t)(k->directions * 2 * gates * k->hidden), dtype);
    k->h0 = data_make((size_t)rows, dtype);
    k->c0 = data_make((size_t)rows, dtype);
    k->p = data_make((size_t)(k->directions * 3 * k->hidden), dtype);
    for (int64_t i = 0; i < k->batch; i++)
        k->lengths[i] = (int32_t)data_pick(0, k->steps);
    /* the scale of sums is kept near 1, so that long sequences do not grow */
    for (int64_t i = 0; i < k->directions * gates * k->hidden * k->hidden; i++)
        k->r[i] = floor(k->r[i] * 16 / (double)k->hidden) / 16;
    k->y = zeroes(k->steps * rows);
    k->yh = zeroes(rows);
    k->yc = zeroes(rows);
    for (int d = 0; d < (int)k->directions; d++) {
        for (int64_t b = 0; b < k->batch; b++)
            expect_entry(k, d, b);
    }
}

static void free_net(struct net *k)
{
    double *all[] = {k->x, k->w, k->r, k->b, k->h0, k->c0, k->p, k->y, k->yh, k->yc};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        free(all[i]);
}

static void add(struct th *t, const struct net *k, const char *name, bool is_constant,
                const double *values, int64_t a, int64_t b, int64_t c)
{
    size_t n = (size_t)(a * b * (c ? c : 1));
    void *data = typed_encode(values, n, k->dtype);
    char dims[64];

    snprintf(dims, sizeof dims, c ? "%lld,%lld,%lld" : "%lld,%lld", (long long)a, (long long)b,
             (long long)c);
    if (is_constant)
        th_const(t, name, k->dtype, dims, data);
    else
        th_input(t, name, k->dtype, dims, data);
    free(data);
}

static void add_functions(struct th *t, const struct net *k)
{
    const char *names[6];
    float alpha[6], beta[6];
    uint32_t n = (uint32_t)function_counts[k->op] * k->directions, n_alpha = 0, n_beta = 0;

    for (uint32_t i = 0; i < n; i++) {
        names[i] = functions[k->which[i]].name;
        if (functions[k->which[i]].has_alpha)
            alpha[n_alpha++] = k->alpha[i];
        if (functions[k->which[i]].has_beta)
            beta[n_beta++] = k->beta[i];
    }
    th_strings(t, "activations", n, names);
    if (n_alpha)
        th_floats(t, "activation_alpha", n_alpha, alpha);
    if (n_beta)
        th_floats(t, "activation_beta", n_beta, beta);
}

static void add_inputs(struct th *t, const struct net *k)
{
    int64_t gates = gate_counts[k->op] * k->hidden, dirs = k->directions;
    int64_t outer = k->batch_first ? k->batch : k->steps;
    int64_t inner = k->batch_first ? k->steps : k->batch;
    char dims[64];

    add(t, k, "x", false, k->x, outer, inner, k->input);
    add(t, k, "w", true, k->w, dirs, gates, k->input);
    add(t, k, "r", true, k->r, dirs, gates, k->hidden);
    if (k->has_bias)
        add(t, k, "b", true, k->b, dirs, 2 * gates, 0);
    snprintf(dims, sizeof dims, "%lld", (long long)k->batch);
    if (k->has_lengths)
        th_input(t, "lengths", BP_DTYPE_I32, dims, k->lengths);
    outer = k->batch_first ? k->batch : dirs;
    inner = k->batch_first ? dirs : k->batch;
    if (k->has_h)
        add(t, k, "h", false, k->h0, outer, inner, k->hidden);
    if (k->has_c)
        add(t, k, "c", false, k->c0, outer, inner, k->hidden);
    if (k->has_p)
        add(t, k, "p", true, k->p, dirs, 3 * k->hidden, 0);
    snprintf(dims, sizeof dims, "%lld,%lld,%lld", (long long)outer, (long long)inner,
             (long long)k->hidden);
    th_output(t, "yh", k->dtype, dims);
    if (k->op == LSTM)
        th_output(t, "yc", k->dtype, dims);
    if (k->batch_first)
        snprintf(dims, sizeof dims, "%lld,%lld,%lld,%lld", (long long)k->batch, (long long)k->steps,
                 (long long)dirs, (long long)k->hidden);
    else
        snprintf(dims, sizeof dims, "%lld,%lld,%lld,%lld", (long long)k->steps, (long long)dirs,
                 (long long)k->batch, (long long)k->hidden);
    th_output(t, "y", k->dtype, dims);
}

static void add_attributes(struct th *t, const struct net *k)
{
    th_int(t, "hidden_size", k->hidden);
    th_string(t, "direction",
              k->directions == 2 ? "bidirectional"
              : k->is_reverse    ? "reverse"
                                 : "forward");
    if (k->option && k->op != RNN)
        th_int(t, k->op == GRU ? "linear_before_reset" : "input_forget", 1);
    if (k->clip > 0)
        th_float(t, "clip", (float)k->clip);
    if (k->own_functions)
        add_functions(t, k);
}

static void add_node(struct th *t, const struct net *k)
{
    char in[64];

    add_inputs(t, k);
    snprintf(in, sizeof in, "x w r %s %s %s %s", k->has_bias ? "b" : "-",
             k->has_lengths ? "lengths" : "-", k->has_h ? "h" : "-",
             k->op != LSTM          ? ""
             : k->has_c && k->has_p ? "c p"
             : k->has_p             ? "- p"
             : k->has_c             ? "c"
                                    : "");
    th_node(t, ops[k->op], 14, in, k->op == LSTM ? "y yh yc" : "y yh");
    th_int(t, "layout", k->batch_first);
    add_attributes(t, k);
}

START_TEST(recurrent_operators_match_their_definition)
{
    static const uint32_t dtypes[] = {BP_DTYPE_F32, BP_DTYPE_F64, BP_DTYPE_F32, BP_DTYPE_F16,
                                      BP_DTYPE_BF16};

    data_seed((uint64_t)_i + 41);
    for (int i = 0; i < 20; i++) {
        struct th *t = th_new(bp_provider_entry_v1);
        struct net k;
        size_t rows;
        char what[160];

        make_net(&k, _i % 3, dtypes[i % 5]);
        rows = (size_t)(k.directions * k.batch * k.hidden);
        snprintf(what, sizeof what, "%s type %u, %u directions, layout %d, option %d, P %d, own %d",
                 ops[k.op], k.dtype, k.directions, k.batch_first, k.option, k.has_p,
                 k.own_functions);
        add_node(t, &k);
        ck_assert_msg(th_run(t) >= 0, "%s: %s", what, th_message(t));
        data_compare(what, th_data(t, "y"), k.y, (size_t)k.steps * rows, k.dtype, 60);
        data_compare(what, th_data(t, "yh"), k.yh, rows, k.dtype, 60);
        if (k.op == LSTM)
            data_compare(what, th_data(t, "yc"), k.yc, rows, k.dtype, 60);
        th_free(t);
        free_net(&k);
    }
}
END_TEST

/* The smallest LSTM: one unit, one step. */
static struct th *small_lstm(const float *x, const float *w, const int32_t *length)
{
    struct th *t = th_new(bp_provider_entry_v1);

    th_input(t, "x", BP_DTYPE_F32, "1,1,1", x);
    th_const(t, "w", BP_DTYPE_F32, "1,4,1", w);
    th_const(t, "r", BP_DTYPE_F32, "1,4,1", w);
    th_input(t, "lengths", BP_DTYPE_I32, "1", length);
    th_output(t, "yh", BP_DTYPE_F32, "1,1,1");
    th_node(t, "LSTM", 14, "x w r - lengths", "- yh");
    th_int(t, "hidden_size", 1);
    return t;
}

START_TEST(lstm_accepts_an_absent_output_y)
{
    const float x = 1, w[4] = {0, 0, 0, 1};
    const int32_t length = 1;
    struct th *t = small_lstm(&x, w, &length);
    double expected = 0.5 * tanh(0.5 * tanh(1));

    ck_assert_msg(th_run(t) >= 0, "%s", th_message(t));
    data_compare("yh", th_data(t, "yh"), &expected, 1, BP_DTYPE_F32, 1);
    th_free(t);
}
END_TEST

/* Version 1 of GRU has "foward" as its default, which a model without the attribute gets. */
START_TEST(gru_1_accepts_the_direction_foward)
{
    const float x = 1, w[4] = {0, 0, 0, 1};
    const int32_t length = 1;
    struct th *t = small_lstm(&x, w, &length);
    double expected = 0.5 * tanh(0.5 * tanh(1));

    th_string(t, "direction", "foward");
    ck_assert_msg(th_run(t) >= 0, "%s", th_message(t));
    data_compare("yh", th_data(t, "yh"), &expected, 1, BP_DTYPE_F32, 1);
    th_free(t);
}
END_TEST

START_TEST(lstm_rejects_sequence_lengths_beyond_the_steps)
{
    const float x = 1, w[4] = {0};
    const int32_t lengths[] = {-1, 2};

    for (int i = 0; i < 2; i++) {
        struct th *t = small_lstm(&x, w, &lengths[i]);

        ck_assert_int_eq(th_run(t), BP_E_INVALID);
        th_free(t);
    }
}
END_TEST

START_TEST(lstm_rejects_unknown_activations_and_directions)
{
    const float x = 1, w[4] = {0};
    const int32_t length = 1;
    const char *const names[] = {"Sigmoid", "Tanh", "Sinus"};
    struct th *t = small_lstm(&x, w, &length);

    th_strings(t, "activations", 3, names);
    ck_assert_int_eq(th_claim(t), BP_E_UNSUPPORTED);
    ck_assert_uint_eq(th_reason(t), BP_R_ATTRIBUTE);
    th_free(t);
    t = small_lstm(&x, w, &length);
    th_string(t, "direction", "sideways");
    ck_assert_int_eq(th_claim(t), BP_E_UNSUPPORTED);
    ck_assert_uint_eq(th_reason(t), BP_R_ATTRIBUTE);
    th_free(t);
}
END_TEST

/* ---- DynamicQuantizeLSTM --------------------------------------------------------------------- */

/* The weights of one operand: what is fed, of directions x depth x 4 * hidden, with its scales. */
struct weights {
    uint32_t dtype;
    bool by_column;
    uint8_t bytes[2 * 20 * 80];
    uint8_t zeros[2 * 80];
    float scales[2 * 80];
};

/* Makes such weights; `to` gets their values as LSTM has them, directions x 4 * hidden x depth. */
static void make_weights(const struct net *k, struct weights *w, int64_t depth, double *to)
{
    int64_t columns = 4 * k->hidden, per = w->by_column ? columns : 1;
    int zero =
        (int)data_pick(w->dtype == BP_DTYPE_I8 ? -9 : 120, w->dtype == BP_DTYPE_I8 ? 9 : 130);

    for (int64_t i = 0; i < k->directions * per; i++) {
        w->scales[i] = (float)data_pick(8, 16) / 4096;
        w->zeros[i] = (uint8_t)zero;
    }
    for (int64_t d = 0; d < k->directions; d++) {
        for (int64_t i = 0; i < depth * columns; i++) {
            uint8_t byte = (uint8_t)data_pick(0, 255);
            int64_t column = i % columns, n = d * per + (w->by_column ? column : 0);
            int number = w->dtype == BP_DTYPE_I8 ? (int8_t)byte : byte;

            w->bytes[d * depth * columns + i] = byte;
            to[(d * columns + column) * depth + i / columns] =
                (number - zero) * (double)w->scales[n];
        }
    }
}

/* Each of n values as its nearest step of 255 from the lowest to the highest of them and 0. */
static void quantize(double *x, int64_t n)
{
    float low = 0, high = 0, scale, zero;

    for (int64_t i = 0; i < n; i++) {
        low = fminf(low, (float)x[i]);
        high = fmaxf(high, (float)x[i]);
    }
    scale = high > low ? (high - low) / 255 : 1;
    zero = rintf(-low / scale);
    for (int64_t i = 0; i < n; i++) {
        float y = fminf(fmaxf(rintf((float)x[i] / scale) + zero, 0), 255);

        x[i] = (double)(y - zero) * (double)scale;
    }
}

/* All entries of a direction, step by step: the state of all of them has one scale. */
static void expect_int8_direction(struct net *k, int d)
{
    int64_t n = k->hidden, most = 0;
    double *x = zeroes(k->steps * k->batch * k->input), *seen = zeroes(k->batch * n);

    for (int64_t b = 0; b < k->batch; b++)
        most = k->lengths[b] > most ? k->lengths[b] : most;
    memcpy(x, k->x, (size_t)(k->steps * k->batch * k->input) * sizeof *x);
    quantize(x, most * k->batch * k->input);
    for (int64_t i = 0; i < most; i++) {
        for (int64_t b = 0; b < k->batch; b++) /* entries that have ended are 0 in Y */
            for (int64_t u = 0; u < n; u++)
                seen[b * n + u] = i <= k->lengths[b] && (i == 0 || k->lengths[b] > 0)
                                      ? k->yh[state_row(k, d, b) * n + u]
                                      : 0;
        quantize(seen, k->batch * n);
        for (int64_t b = 0; b < k->batch; b++) {
            int64_t step = k->is_reverse || d == 1 ? k->lengths[b] - 1 - i : i;

            if (i >= k->lengths[b])
                continue;
            step_lstm(k, d, x + (step * k->batch + b) * k->input, seen + b * n,
                      k->yc + state_row(k, d, b) * n);
            memcpy(k->yh + state_row(k, d, b) * n, seen + b * n, (size_t)n * sizeof *seen);
            memcpy(k->y + y_row(k, step, d, b) * n, seen + b * n, (size_t)n * sizeof *seen);
        }
    }
    free(x);
    free(seen);
}

static void expect_int8(struct net *k)
{
    int64_t rows = k->directions * k->batch * k->hidden;

    memset(k->y, 0, (size_t)(k->steps * rows) * sizeof *k->y);
    memset(k->yh, 0, (size_t)rows * sizeof *k->yh);
    memset(k->yc, 0, (size_t)rows * sizeof *k->yc);
    for (int64_t b = 0; !k->has_lengths && b < k->batch; b++)
        k->lengths[b] = (int32_t)k->steps;
    if (k->has_h)
        memcpy(k->yh, k->h0, (size_t)rows * sizeof *k->yh);
    if (k->has_c)
        memcpy(k->yc, k->c0, (size_t)rows * sizeof *k->yc);
    for (int d = 0; d < (int)k->directions; d++) {
        expect_int8_direction(k, d);
        for (int64_t b = 0; b < k->batch; b++) {
            if (k->lengths[b] > 0)
                continue;
            memset(k->yh + state_row(k, d, b) * k->hidden, 0, (size_t)k->hidden * sizeof *k->yh);
            memset(k->yc + state_row(k, d, b) * k->hidden, 0, (size_t)k->hidden * sizeof *k->yc);
        }
    }
}

/* `constant`: the weights are. */
static void add_weights(struct th *t, const struct net *k, const struct weights *w, char letter,
                        int64_t depth, bool is_constant)
{
    void (*put)(struct th *, const char *, uint32_t, const char *, const void *) =
        is_constant ? th_const : th_input;
    char name[8], dims[64];

    snprintf(name, sizeof name, "%c", letter);
    snprintf(dims, sizeof dims, "%u,%lld,%lld", k->directions, (long long)depth,
             (long long)(4 * k->hidden));
    put(t, name, w->dtype, dims, w->bytes);
    snprintf(dims, sizeof dims, w->by_column ? "%u,%lld" : "%u", k->directions,
             (long long)(4 * k->hidden));
    snprintf(name, sizeof name, "%cs", letter);
    put(t, name, BP_DTYPE_F32, dims, w->scales);
    snprintf(name, sizeof name, "%cz", letter);
    put(t, name, w->dtype, dims, w->zeros);
}

static struct th *int8_case(const struct net *k, const struct weights w[2], bool is_constant)
{
    struct th *t = th_new(bp_provider_entry_v1);
    int64_t dirs = k->directions, n = k->hidden;
    char dims[64], in[96];

    add(t, k, "x", false, k->x, k->steps, k->batch, k->input);
    add_weights(t, k, &w[0], 'w', k->input, is_constant);
    add_weights(t, k, &w[1], 'r', n, is_constant);
    if (k->has_bias)
        add(t, k, "b", true, k->b, dirs, 8 * n, 0);
    snprintf(dims, sizeof dims, "%lld", (long long)k->batch);
    if (k->has_lengths)
        th_input(t, "lengths", BP_DTYPE_I32, dims, k->lengths);
    if (k->has_h)
        add(t, k, "h", false, k->h0, dirs, k->batch, n);
    if (k->has_c)
        add(t, k, "c", false, k->c0, dirs, k->batch, n);
    if (k->has_p)
        add(t, k, "p", true, k->p, dirs, 3 * n, 0);
    snprintf(dims, sizeof dims, "%lld,%lld,%lld", (long long)dirs, (long long)k->batch,
             (long long)n);
    th_output(t, "yh", BP_DTYPE_F32, dims);
    th_output(t, "yc", BP_DTYPE_F32, dims);
    snprintf(dims, sizeof dims, "%lld,%lld,%lld,%lld", (long long)k->steps, (long long)dirs,
             (long long)k->batch, (long long)n);
    th_output(t, "y", BP_DTYPE_F32, dims);
    snprintf(in, sizeof in, "x w r %s %s %s %s %s ws wz rs rz", k->has_bias ? "b" : "-",
             k->has_lengths ? "lengths" : "-", k->has_h ? "h" : "-", k->has_c ? "c" : "-",
             k->has_p ? "p" : "-");
    th_node(t, "DynamicQuantizeLSTM", 1, in, "y yh yc");
    th_domain(t, "com.microsoft");
    add_attributes(t, k);
    return t;
}

/* Largest difference of n floats from what is expected, as a part of the largest or of 1. */
static double furthest(const void *data, const double *expected, int64_t n)
{
    double most = 0, largest = 1;

    for (int64_t i = 0; i < n; i++) {
        most = fmax(most, fabs((double)((const float *)data)[i] - expected[i]));
        largest = fmax(largest, fabs(expected[i]));
    }
    return most / largest;
}

/*
 * An h in the middle between two steps may become either of them, which later steps may magnify.
 * That is rare: few of the cases may be further off than sums of floats are.
 */
START_TEST(dynamic_quantize_lstm_matches_its_definition)
{
    static struct weights w[2];
    int off = 0;

    data_seed((uint64_t)_i + 7);
    for (int i = 0; i < 40; i++) {
        struct net k;
        struct th *t;
        int64_t rows;
        double most;

        make_net(&k, LSTM, BP_DTYPE_F32);
        k.batch_first = false;
        for (int j = 0; j < 2; j++) {
            w[j].dtype = data_pick(0, 1) ? BP_DTYPE_I8 : BP_DTYPE_U8;
            w[j].by_column = data_pick(0, 1);
        }
        w[1].dtype = w[0].dtype;
        make_weights(&k, &w[0], k.input, k.w);
        make_weights(&k, &w[1], k.hidden, k.r);
        expect_int8(&k);
        t = int8_case(&k, w, i % 2);
        ck_assert_msg(th_run(t) >= 0, "%s", th_message(t));
        rows = k.directions * k.batch * k.hidden;
        most = fmax(
            furthest(th_data(t, "y"), k.y, k.steps * rows),
            fmax(furthest(th_data(t, "yh"), k.yh, rows), furthest(th_data(t, "yc"), k.yc, rows)));
        off += !(most <= 1e-4);
        th_free(t);
        free_net(&k);
    }
    ck_assert_int_lt(off, 4);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_recurrent");
    TCase *tcase = tcase_create("recurrent");
    SRunner *runner;
    int failed;

    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, recurrent_operators_match_their_definition, 0, 9);
    tcase_add_loop_test(tcase, dynamic_quantize_lstm_matches_its_definition, 0, 5);
    tcase_add_test(tcase, lstm_accepts_an_absent_output_y);
    tcase_add_test(tcase, gru_1_accepts_the_direction_foward);
    tcase_add_test(tcase, lstm_rejects_sequence_lengths_beyond_the_steps);
    tcase_add_test(tcase, lstm_rejects_unknown_activations_and_directions);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
