/* SPDX-License-Identifier: MIT */
/* check_rnn.c - LSTM, GRU and RNN of the dnnl provider against the CPU provider's. */

#include "config.h"

#include "dnnl/dnnl_kit.h"

/* What a node has of what it may have. */
enum {
    HAS_B = 1,
    HAS_H = 2,
    HAS_C = 4,
    HAS_P = 8,
    WANTS_Y = 16,
    WANTS_Y_H = 32,
    WANTS_Y_C = 64,
    WANTS_ALL = WANTS_Y | WANTS_Y_H | WANTS_Y_C
};

struct rnn {
    const char *op, *direction; /* direction NULL: not given */
    int64_t steps, batch, input, hidden;
    unsigned has;
    int layout, is_linear;
    const char *activation;       /* of all, instead of the defaults */
    const int32_t *lengths;       /* NULL: none */
    const char *variable;         /* this constant is an input instead */
    void (*change)(struct th *t); /* further attributes */
};

static bool is_lstm(const struct rnn *k)
{
    return strcmp(k->op, "LSTM") == 0;
}

static int64_t gates_of(const struct rnn *k)
{
    return is_lstm(k) ? 4 : strcmp(k->op, "GRU") == 0 ? 3 : 1;
}

static int64_t directions_of(const struct rnn *k)
{
    return k->direction && strcmp(k->direction, "bidirectional") == 0 ? 2 : 1;
}

/* "a,b,c", and "a,b,c,d" if d is not 0. */
static const char *dims_of(char *text, int64_t a, int64_t b, int64_t c, int64_t d)
{
    int at = snprintf(text, 96, "%lld,%lld", (long long)a, (long long)b);

    if (c > 0)
        at += snprintf(text + at, 96 - (size_t)at, ",%lld", (long long)c);
    if (d > 0)
        snprintf(text + at, 96 - (size_t)at, ",%lld", (long long)d);
    return text;
}

static const char *x_dims(const struct rnn *k, char *text)
{
    int64_t first = k->layout ? k->batch : k->steps, second = k->layout ? k->steps : k->batch;

    snprintf(text, 96, "%lld,%lld,%lld", (long long)first, (long long)second, (long long)k->input);
    return text;
}

static const char *y_dims(const struct rnn *k, char *text)
{
    long long d = directions_of(k), n = k->batch, s = k->steps, h = k->hidden;

    if (k->layout)
        snprintf(text, 96, "%lld,%lld,%lld,%lld", n, s, d, h);
    else
        snprintf(text, 96, "%lld,%lld,%lld,%lld", s, d, n, h);
    return text;
}

static const char *state_dims(const struct rnn *k, char *text)
{
    long long d = directions_of(k), n = k->batch, h = k->hidden;

    snprintf(text, 96, "%lld,%lld,%lld", k->layout ? n : d, k->layout ? d : n, h);
    return text;
}

/* Weights for which gates are neither open nor shut. */
static void add_weights(struct th *t, const struct rnn *k, const char *name, const char *dims)
{
    size_t n = dnnl_elements(dims);
    float *values = dnnl_floats(t, n);

    for (size_t i = 0; i < n; i++)
        values[i] *= 0.6f;
    if (k->variable && strcmp(k->variable, name) == 0)
        th_input(t, name, BP_DTYPE_F32, dims, values);
    else
        th_const(t, name, BP_DTYPE_F32, dims, values);
}

static void add_inputs(struct th *t, const struct rnn *k)
{
    int64_t d = directions_of(k), g = gates_of(k), h = k->hidden;
    char text[96];

    dnnl_input(t, "x", x_dims(k, text));
    add_weights(t, k, "w", dims_of(text, d, g * h, k->input, 0));
    add_weights(t, k, "r", dims_of(text, d, g * h, h, 0));
    if (k->has & HAS_B)
        add_weights(t, k, "b", dims_of(text, d, 2 * g * h, 0, 0));
    if (k->lengths) {
        snprintf(text, sizeof text, "%lld", (long long)k->batch);
        if (k->variable && strcmp(k->variable, "l") == 0)
            th_input(t, "l", BP_DTYPE_I32, text, k->lengths);
        else
            th_const(t, "l", BP_DTYPE_I32, text, k->lengths);
    }
    if (k->has & HAS_H)
        dnnl_input(t, "h0", state_dims(k, text));
    if (k->has & HAS_C)
        dnnl_input(t, "c0", state_dims(k, text));
    if (k->has & HAS_P)
        add_weights(t, k, "p", dims_of(text, d, 3 * h, 0, 0));
}

static void add_activations(struct th *t, const struct rnn *k)
{
    const char *names[6];
    uint32_t n = (uint32_t)(directions_of(k) * (is_lstm(k) ? 3 : gates_of(k) == 3 ? 2 : 1));

    for (uint32_t i = 0; i < n; i++)
        names[i] = k->activation;
    th_strings(t, "activations", n, names);
}

/* The node alone; its outputs are there already. */
static void add_node(struct th *t, const struct rnn *k, const char *y)
{
    char in[64], out[64];

    snprintf(in, sizeof in, "x w r %s %s %s %s %s", k->has & HAS_B ? "b" : "-",
             k->lengths ? "l" : "-", k->has & HAS_H ? "h0" : "-", k->has & HAS_C ? "c0" : "",
             k->has & HAS_P ? (k->has & HAS_C ? "p" : "- p") : "");
    snprintf(out, sizeof out, "%s %s %s", k->has & WANTS_Y ? y : "-",
             k->has & WANTS_Y_H ? "yh" : "-", is_lstm(k) && k->has & WANTS_Y_C ? "yc" : "");
    th_node(t, k->op, 14, in, out);
    th_int(t, "hidden_size", k->hidden);
    if (k->direction)
        th_string(t, "direction", k->direction);
    if (k->layout)
        th_int(t, "layout", k->layout);
    if (k->is_linear)
        th_int(t, "linear_before_reset", 1);
    if (k->activation)
        add_activations(t, k);
    if (k->change)
        k->change(t);
}

static void make_rnn(struct th *t, const void *u)
{
    const struct rnn *k = u;
    char text[96];

    add_inputs(t, k);
    if (k->has & WANTS_Y)
        dnnl_output(t, "y", y_dims(k, text));
    if (k->has & WANTS_Y_H)
        dnnl_output(t, "yh", state_dims(k, text));
    if (is_lstm(k) && k->has & WANTS_Y_C)
        dnnl_output(t, "yc", state_dims(k, text));
    add_node(t, k, "y");
}

static void same_outputs(const char *what, const struct rnn *k, const struct th *got,
                         const struct th *want)
{
    if (k->has & WANTS_Y)
        dnnl_same(what, got, want, "y");
    if (k->has & WANTS_Y_H)
        dnnl_same(what, got, want, "yh");
    if (is_lstm(k) && k->has & WANTS_Y_C)
        dnnl_same(what, got, want, "yc");
}

/* Runs the node on both providers. */
static void compare(const struct rnn *k)
{
    struct th *want = th_new(dnnl_cpu_entry()), *got = dnnl_new();
    char what[128];

    snprintf(what, sizeof what, "%s%s %s, layout %d, %lld steps, batch %lld, has %u", k->op,
             k->is_linear ? " (linear)" : "", k->direction ? k->direction : "-", k->layout,
             (long long)k->steps, (long long)k->batch, k->has);
    dnnl_run_both(what, want, got, 7, make_rnn, k);
    same_outputs(what, k, got, want);
    th_move(got);
    ck_assert_msg(th_run(got) >= 0, "%s: again: %s", what, th_message(got));
    same_outputs(what, k, got, want);
    th_free(got);
    th_free(want);
}

/* ---- the same as the CPU provider ------------------------------------------------------------ */

static const char *const directions[] = {NULL, "forward", "reverse", "bidirectional"};

START_TEST(rnn_gru_and_lstm_match_the_cpu_provider_in_every_direction)
{
    static const struct {
        const char *op, *activation;
        int is_linear;
    } kinds[] = {
        {"LSTM", NULL, 0}, {"GRU", NULL, 0},   {"GRU", NULL, 1},
        {"RNN", NULL, 0},  {"RNN", "Relu", 0}, {"RNN", "sigmoid", 0},
    };
    static const int64_t batches[] = {1, 3, 8};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        for (int n = 0; n < 4 * 3 * 2; n++) {
            struct rnn k = {.op = kinds[i].op,
                            .direction = directions[n % 4],
                            .steps = n % 5 == 0 ? 1 : 6,
                            .batch = batches[n / 4 % 3],
                            .input = 5,
                            .hidden = n % 2 ? 7 : 32,
                            .has = HAS_B | HAS_H | WANTS_ALL,
                            .layout = n / 12,
                            .is_linear = kinds[i].is_linear,
                            .activation = kinds[i].activation};

            if (is_lstm(&k))
                k.has |= HAS_C;
            compare(&k);
        }
    }
}
END_TEST

START_TEST(recurrent_operators_accept_absent_inputs_and_outputs)
{
    struct rnn k = {.steps = 4, .batch = 2, .input = 6, .hidden = 8};

    for (unsigned has = 0; has < 2 * WANTS_Y_C; has++) {
        if ((has & WANTS_ALL) == 0)
            continue;
        k.op = "LSTM";
        k.has = has;
        k.direction = directions[has % 4];
        k.layout = has / 4 % 2;
        k.batch = has % 3 ? 2 : 5;
        compare(&k);
        if (has & (HAS_C | HAS_P | WANTS_Y_C))
            continue;
        for (int i = 0; i < 3; i++) {
            k.op = i == 2 ? "RNN" : "GRU";
            k.is_linear = i == 1;
            compare(&k);
        }
        k.is_linear = 0;
    }
}
END_TEST

/* Steps that are worth a team of threads, beside the small ones above. */
START_TEST(large_recurrent_steps_match_the_cpu_provider)
{
    for (int i = 0; i < 4; i++) {
        struct rnn k = {.op = i % 2 ? "GRU" : "LSTM", .steps = 3, .batch = 4, .input = 33};

        k.hidden = 160;
        k.direction = directions[2 + i / 2];
        k.has = HAS_B | WANTS_ALL;
        compare(&k);
    }
}
END_TEST

START_TEST(recurrent_operators_accept_names_of_default_activations)
{
    static const char *const lstm[] = {"Sigmoid", "Tanh", "tanh", "sigmoid", "TANH", "Tanh"};
    struct rnn k = {.op = "LSTM", .steps = 3, .batch = 1, .input = 4, .hidden = 4};
    struct th *t = dnnl_new();

    k.has = WANTS_Y;
    k.direction = "bidirectional";
    make_rnn(t, &k);
    th_strings(t, "activations", 6, lstm);
    dnnl_run(t);
    th_free(t);
}
END_TEST

START_TEST(recurrent_operators_accept_full_sequence_lengths)
{
    static const int32_t lengths[] = {6, 6, 6};
    struct rnn k = {.op = "GRU", .direction = "reverse", .steps = 6, .batch = 3, .input = 4};

    k.hidden = 9;
    k.lengths = lengths;
    k.has = HAS_B | WANTS_Y | WANTS_Y_H;
    compare(&k);
    k.op = "LSTM";
    k.layout = 1;
    compare(&k);
}
END_TEST

/* ---- sizes that come with frames ------------------------------------------------------------- */

static void resize(struct th *t, const struct rnn *k)
{
    char text[96];

    th_shape(t, "x", x_dims(k, text));
    th_feed(t, "x", dnnl_floats(t, dnnl_elements(text)));
    th_shape(t, "h0", state_dims(k, text));
    th_feed(t, "h0", dnnl_floats(t, dnnl_elements(text)));
    th_shape(t, "y", y_dims(k, text));
    th_shape(t, "yh", state_dims(k, text));
    if (is_lstm(k))
        th_shape(t, "yc", state_dims(k, text));
}

static void run_sizes(struct rnn k)
{
    static const int64_t sizes[][2] = {{4, 2}, {9, 1}, {1, 8}, {4, 2}, {0, 3}, {2, 0}};
    struct th *want = th_new(dnnl_cpu_entry()), *got = dnnl_new();

    th_dynamic(want);
    th_dynamic(got);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char what[96];

        k.steps = sizes[i][0];
        k.batch = sizes[i][1];
        snprintf(what, sizeof what, "%s: %lld steps of %lld", k.op, (long long)k.steps,
                 (long long)k.batch);
        data_seed(11 + i);
        i == 0 ? make_rnn(want, &k) : resize(want, &k);
        data_seed(11 + i);
        i == 0 ? make_rnn(got, &k) : resize(got, &k);
        ck_assert_msg(th_run(want) >= 0, "%s: cpu: %s", what, th_message(want));
        ck_assert_msg(th_run(got) >= 0, "%s: dnnl: %s", what, th_message(got));
        same_outputs(what, &k, got, want);
    }
    th_free(got);
    th_free(want);
}

START_TEST(recurrent_operators_take_dynamic_sequence_lengths)
{
    struct rnn k = {.input = 5, .hidden = 16, .has = HAS_B | HAS_H | WANTS_ALL};

    for (int i = 0; i < 4; i++) {
        k.op = i % 2 ? "GRU" : "LSTM";
        k.layout = i / 2;
        k.direction = i == 1 ? NULL : "bidirectional";
        run_sizes(k);
    }
}
END_TEST

/* ---- among other nodes ----------------------------------------------------------------------- */

/* As PyTorch exports two directions, one layer on another. */
static void make_stack(struct th *t, const void *u)
{
    static const int64_t perm[4] = {0, 2, 1, 3}, shape[3] = {5, 3, 16};
    const struct rnn k = {.op = "LSTM",
                          .direction = "bidirectional",
                          .steps = 5,
                          .batch = 3,
                          .input = 6,
                          .hidden = 8,
                          .has = HAS_B | WANTS_Y};

    (void)u;
    add_inputs(t, &k);
    th_const(t, "shape", BP_DTYPE_I64, "3", shape);
    dnnl_const(t, "w2", "1,24,16");
    dnnl_const(t, "r2", "1,24,8");
    dnnl_value(t, "both", "5,2,3,8");
    dnnl_value(t, "turned", "5,3,2,8");
    dnnl_value(t, "rows", "5,3,16");
    dnnl_output(t, "z", "5,3,16");
    dnnl_output(t, "y", "1,3,8");
    add_node(t, &k, "both");
    th_node(t, "Transpose", 13, "both", "turned");
    th_ints(t, "perm", 4, perm);
    th_node(t, "Reshape", 13, "turned shape", "rows");
    th_node(t, "Tanh", 13, "rows", "z");
    th_node(t, "GRU", 14, "rows w2 r2", "- y");
    th_int(t, "hidden_size", 8);
}

START_TEST(stacked_recurrent_layers_match_the_cpu_provider)
{
    dnnl_compare("two layers", make_stack, NULL, 1);
}
END_TEST

/* Rounding applies to products and convolutions only, because recurrent errors would accumulate. */
START_TEST(lstm_computes_float32_in_math_mode_fast)
{
    const struct rnn k = {
        .op = "LSTM", .steps = 20, .batch = 4, .input = 16, .hidden = 16, .has = HAS_B | WANTS_ALL};
    struct th *want = th_new(dnnl_cpu_entry()), *got = dnnl_new();

    th_option(got, "math_mode", "fast");
    dnnl_run_both("fast", want, got, 3, make_rnn, &k);
    same_outputs("fast", &k, got, want);
    th_free(got);
    th_free(want);
}
END_TEST

/* By default, a long sequence begins a group, even between unsupported nodes. */
START_TEST(claim_takes_sequences_that_are_long_enough)
{
    static const struct {
        int64_t steps, hidden;
        bool is_dynamic;
        uint32_t verdict;
    } rows[] = {
        {16, 64, false, BP_YES}, {1, 32, false, BP_NO}, {1, 64, true, BP_YES}, {1, 8, true, BP_NO}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct rnn k = {.op = "LSTM", .steps = rows[i].steps, .batch = 1, .input = 32};
        struct th *t = th_new(bp_provider_entry_v1);

        k.hidden = rows[i].hidden;
        k.has = HAS_B | WANTS_Y;
        th_threads(t, DNNL_TEAM);
        if (rows[i].is_dynamic)
            th_dynamic(t);
        dnnl_input(t, "s", "3");
        dnnl_output(t, "e", "3");
        th_node(t, "Sin", 7, "s", "e");
        make_rnn(t, &k);
        th_claim(t);
        ck_assert_msg(th_verdict(t) == rows[i].verdict, "%zu: %u", i, th_verdict(t));
        th_free(t);
    }
}
END_TEST

/* ---- what is not taken ----------------------------------------------------------------------- */

static void clip(struct th *t)
{
    th_float(t, "clip", 3);
}

static void couple(struct th *t)
{
    th_int(t, "input_forget", 1);
}

static void mix_activations(struct th *t)
{
    static const char *const names[] = {"Tanh", "Relu"};

    th_strings(t, "activations", 2, names);
}

static const int32_t short_lengths[] = {6, 4}, full_lengths[] = {6, 6};

START_TEST(recurrent_claim_rejects_a_node_with_a_reason)
{
    static const struct {
        struct rnn k;
        uint32_t reason;
        const char *words;
    } rows[] = {
        {{.op = "LSTM", .change = clip}, BP_R_ATTRIBUTE, "clip"},
        {{.op = "LSTM", .change = couple}, BP_R_ATTRIBUTE, "coupled"},
        {{.op = "LSTM", .activation = "Tanh"}, BP_R_ATTRIBUTE, "default activations"},
        {{.op = "GRU", .activation = "Relu"}, BP_R_ATTRIBUTE, "default activations"},
        {{.op = "RNN", .activation = "Softsign"}, BP_R_ATTRIBUTE, "Tanh, Relu and Sigmoid"},
        {{.op = "RNN", .direction = "bidirectional", .change = mix_activations},
         BP_R_ATTRIBUTE,
         "one for all directions"},
        {{.op = "RNN", .direction = "sideways"}, BP_R_ATTRIBUTE, "direction is not"},
        {{.op = "GRU", .lengths = short_lengths}, BP_R_OTHER, "a sequence has 4 steps"},
        {{.op = "GRU", .lengths = full_lengths, .variable = "l"},
         BP_R_NOT_CONSTANT,
         "absent or constant"},
        {{.op = "GRU", .variable = "w"}, BP_R_NOT_CONSTANT, "input 1 has to be constant"},
        {{.op = "LSTM", .variable = "r"}, BP_R_NOT_CONSTANT, "input 2 has to be constant"},
        {{.op = "LSTM", .variable = "b"}, BP_R_NOT_CONSTANT, "input 3 has to be constant"},
        {{.op = "LSTM", .variable = "p"}, BP_R_NOT_CONSTANT, "input 7 has to be constant"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct th *t = dnnl_new();
        struct rnn k = rows[i].k;

        k.steps = 6;
        k.batch = 2;
        k.input = k.hidden = 4;
        k.has = HAS_B | WANTS_Y | (is_lstm(&k) ? (unsigned)HAS_P : 0);
        make_rnn(t, &k);
        dnnl_refuses(t, rows[i].reason, rows[i].words);
    }
}
END_TEST

START_TEST(claim_rejects_sequence_lengths_for_an_unknown_number_of_steps)
{
    const struct rnn k = {.op = "GRU",
                          .steps = 6,
                          .batch = 2,
                          .input = 4,
                          .hidden = 4,
                          .has = WANTS_Y,
                          .lengths = full_lengths};
    struct th *t = dnnl_new();

    th_dynamic(t);
    make_rnn(t, &k);
    dnnl_refuses(t, BP_R_DYNAMIC_SHAPE, "number of steps");
}
END_TEST

/* W does not fit R, which the host's shape inference would have rejected. */
START_TEST(claim_rejects_recurrent_weights_that_do_not_fit)
{
    struct th *t = dnnl_new();

    dnnl_input(t, "x", "6,2,4");
    dnnl_const(t, "w", "1,15,4");
    dnnl_const(t, "r", "1,12,4");
    dnnl_output(t, "y", "6,1,2,4");
    th_node(t, "GRU", 14, "x w r", "y");
    dnnl_refuses(t, BP_R_OTHER, "size 15 where 12");
}
END_TEST

START_TEST(run_reports_an_initial_state_of_wrong_size)
{
    struct rnn k = {.op = "LSTM", .steps = 3, .batch = 2, .input = 4, .hidden = 8};
    struct th *t = dnnl_new();

    k.has = HAS_H | WANTS_Y;
    th_dynamic(t);
    make_rnn(t, &k);
    th_shape(t, "h0", "1,1,8");
    th_feed(t, "h0", dnnl_floats(t, 8));
    dnnl_fails(t, BP_E_SHAPE, "the shape of 'h0' does not match");
}
END_TEST

START_TEST(compile_reports_recurrent_constants_with_too_few_bytes)
{
    static const char *const names[] = {"w", "r", "b", "p"};
    const struct rnn k = {.op = "LSTM",
                          .steps = 3,
                          .batch = 2,
                          .input = 4,
                          .hidden = 8,
                          .has = HAS_B | HAS_P | WANTS_Y};

    for (size_t i = 0; i < 4; i++) {
        struct th *t = dnnl_new();
        char words[32];

        make_rnn(t, &k);
        th_lie(t, names[i], 12);
        snprintf(words, sizeof words, "'%s' has 12 bytes", names[i]);
        dnnl_fails(t, BP_E_INVALID, words);
    }
}
END_TEST

START_TEST(lstm_survives_every_failing_allocation)
{
    const struct rnn k = {.op = "LSTM",
                          .direction = "bidirectional",
                          .steps = 3,
                          .batch = 4,
                          .input = 4,
                          .hidden = 8,
                          .has = HAS_B | HAS_H | HAS_P | WANTS_Y};
    uint32_t n = dnnl_fail_each_alloc(make_rnn, &k, false);

    ck_assert_uint_ge(n, 8);
    ck_assert_uint_lt(n, 200);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("against cpu");

    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, rnn_gru_and_lstm_match_the_cpu_provider_in_every_direction);
    tcase_add_test(tcase, recurrent_operators_accept_absent_inputs_and_outputs);
    tcase_add_test(tcase, large_recurrent_steps_match_the_cpu_provider);
    tcase_add_test(tcase, recurrent_operators_accept_names_of_default_activations);
    tcase_add_test(tcase, recurrent_operators_accept_full_sequence_lengths);
    tcase_add_test(tcase, recurrent_operators_take_dynamic_sequence_lengths);
    tcase_add_test(tcase, stacked_recurrent_layers_match_the_cpu_provider);
    tcase_add_test(tcase, lstm_computes_float32_in_math_mode_fast);
    tcase_add_test(tcase, claim_takes_sequences_that_are_long_enough);
    tcase_add_test(tcase, recurrent_claim_rejects_a_node_with_a_reason);
    tcase_add_test(tcase, claim_rejects_sequence_lengths_for_an_unknown_number_of_steps);
    tcase_add_test(tcase, claim_rejects_recurrent_weights_that_do_not_fit);
    tcase_add_test(tcase, run_reports_an_initial_state_of_wrong_size);
    tcase_add_test(tcase, compile_reports_recurrent_constants_with_too_few_bytes);
    tcase_add_test(tcase, lstm_survives_every_failing_allocation);
    return check_main("dnnl_rnn", &tcase, 1);
}
