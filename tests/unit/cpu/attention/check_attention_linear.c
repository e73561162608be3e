/* SPDX-License-Identifier: MIT */
/*
 * check_attention_linear.c - LinearAttention and CausalConvWithState of the CPU provider against loops over
 * single elements, in double.
 */

#include "config.h"

#include "cpu/attention/attention_kit.h"

/* ---- LinearAttention ------------------------------------------------------------------------- */

enum { B = 2, LENGTH = 5, HEADS = 2, GROUP = 2, KEYS = 3, VALUES = 4 };

static void expect_linear(const double *q, const double *k, const double *v, double *state,
                          const double *decay, bool by_head, const double *beta,
                          const double *erase, double *y)
{
    for (int i = 0; i < B * HEADS * LENGTH; i++) {
        int b = i / HEADS / LENGTH, h = i / LENGTH % HEADS, p = i % LENGTH;
        int kv = (b * LENGTH + p) * HEADS + h;
        double *s = state + (b * HEADS + h) * KEYS * VALUES, value[VALUES];

        for (int d = 0; d < KEYS * VALUES && decay; d++)
            s[d] *= exp(decay[by_head ? kv : kv * KEYS + d / VALUES]);
        for (int m = 0; m < VALUES; m++) {
            value[m] = v[kv * VALUES + m];
            for (int d = 0; d < KEYS && beta; d++)
                value[m] -=
                    s[d * VALUES + m] * k[kv * KEYS + d] * (erase ? erase[kv * KEYS + d] : 1);
            value[m] *= beta ? beta[kv] : 1;
        }
        for (int d = 0; d < KEYS * VALUES; d++)
            s[d] += k[kv * KEYS + d / VALUES] * value[d % VALUES];
        for (int g = 0; g < GROUP; g++) {
            int row = (b * LENGTH + p) * HEADS * GROUP + h * GROUP + g;

            for (int m = 0; m < VALUES; m++) {
                y[row * VALUES + m] = 0;
                for (int d = 0; d < KEYS; d++)
                    y[row * VALUES + m] += 0.5 * q[row * KEYS + d] * s[d * VALUES + m];
            }
        }
    }
}

START_TEST(linear_attention_keeps_a_state)
{
    static const char *const rules[] = {"linear", "gated", "delta", "gated_delta"};
    uint32_t dtype = dtypes[_i % 4], rule = (uint32_t)_i / 4 % 4;
    bool is_gated = rule & 1, is_delta = rule & 2, by_head = _i & 16, has_past = _i & 32;
    double *q, *k, *v, *decay = NULL, *beta = NULL, *erase = NULL, *state,
                       y[B * LENGTH * 4 * VALUES];
    char in[64];

    data_seed((uint64_t)_i);
    q = feed("q", dtype, 3, (int64_t[]){B, LENGTH, HEADS * GROUP * KEYS});
    k = feed("k", dtype, 3, (int64_t[]){B, LENGTH, HEADS * KEYS});
    v = feed("v", dtype, 3, (int64_t[]){B, LENGTH, HEADS * VALUES});
    state = has_past ? feed("p", BP_DTYPE_F32, 4, (int64_t[]){B, HEADS, KEYS, VALUES})
                     : calloc(B * HEADS * KEYS * VALUES, sizeof *state);
    if (is_gated)
        decay = feed("g", dtype, 3, (int64_t[]){B, LENGTH, by_head ? HEADS : HEADS * KEYS});
    if (is_delta)
        beta = feed("b", dtype, 3, (int64_t[]){B, LENGTH, HEADS});
    if (is_delta && has_past)
        erase = feed("e", dtype, 3, (int64_t[]){B, LENGTH, HEADS * KEYS});
    expect_linear(q, k, v, state, decay, by_head, beta, erase, y);
    th_output(t, "y", dtype, "2,5,16");
    th_output(t, "n", has_past ? BP_DTYPE_F32 : dtype, "2,2,3,4");
    snprintf(in, sizeof in, "q k v %s %s %s %s", has_past ? "p" : "-", decay ? "g" : "-",
             beta ? "b" : "-", erase ? "e" : "-");
    th_node(t, "LinearAttention", 27, in, "y n");
    th_int(t, "q_num_heads", HEADS * GROUP);
    th_int(t, "kv_num_heads", HEADS);
    th_float(t, "scale", 0.5f);
    th_string(t, "update_rule", rules[rule]);
    ck_run();
    data_compare("y", th_data(t, "y"), y, B * LENGTH * 4 * VALUES, dtype, 200);
    data_compare("n", th_data(t, "n"), state, B * HEADS * KEYS * VALUES,
                 has_past ? BP_DTYPE_F32 : dtype, 200);
    free(q);
    free(k);
    free(v);
    free(state);
    free(decay);
    free(beta);
    free(erase);
}
END_TEST

/* ---- CausalConvWithState --------------------------------------------------------------------- */

START_TEST(causal_convolution_continues_from_its_state)
{
    uint32_t dtype = dtypes[_i % 4];
    bool has_past = _i & 4, has_bias = _i & 8, is_silu = _i & 16;
    int64_t batch = 2, channels, length, kernel;
    double *x, *w, *b = NULL, *past = NULL, *y, *next;

    data_seed((uint64_t)_i);
    channels = data_pick(1, 5);
    length = data_pick(1, 40);
    kernel = data_pick(1, 6);
    x = feed("x", dtype, 3, (int64_t[]){batch, channels, length});
    w = feed("w", dtype, 3, (int64_t[]){channels, 1, kernel});
    if (has_bias)
        b = feed("b", dtype, 1, &channels);
    if (has_past)
        past = feed("p", dtype, 3, (int64_t[]){batch, channels, kernel - 1});
    y = calloc((size_t)(batch * channels * length), sizeof *y);
    next = calloc((size_t)(batch * channels * kernel), sizeof *next);
    for (int64_t row = 0; row < batch * channels; row++) {
        double all[64] = {0};

        for (int64_t i = 0; i < kernel - 1 && past; i++)
            all[i] = past[row * (kernel - 1) + i];
        for (int64_t i = 0; i < length; i++)
            all[kernel - 1 + i] = x[row * length + i];
        for (int64_t i = 0; i < length; i++) {
            double sum = b ? b[row % channels] : 0;

            for (int64_t k = 0; k < kernel; k++)
                sum += all[i + k] * w[row % channels * kernel + k];
            y[row * length + i] = is_silu ? sum / (1 + exp(-sum)) : sum;
        }
        for (int64_t i = 0; i < kernel - 1; i++)
            next[row * (kernel - 1) + i] = all[length + i];
    }
    th_output(t, "y", dtype, dims(0, 3, (int64_t[]){batch, channels, length}));
    th_output(t, "n", dtype, dims(0, 3, (int64_t[]){batch, channels, kernel - 1}));
    th_node(t, "CausalConvWithState", 27,
            has_bias ? (has_past ? "x w b p" : "x w b") : (has_past ? "x w - p" : "x w"), "y n");
    if (is_silu)
        th_string(t, "activation", _i & 32 ? "swish" : "silu");
    ck_run();
    data_compare("y", th_data(t, "y"), y, (size_t)(batch * channels * length), dtype, 20);
    data_compare("n", th_data(t, "n"), next, (size_t)(batch * channels * (kernel - 1)), dtype, 0);
    free(x);
    free(w);
    free(b);
    free(past);
    free(y);
    free(next);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cpu_recall");
    TCase *tcase = tcase_create("attention");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, linear_attention_keeps_a_state, 0, 64);
    tcase_add_loop_test(tcase, causal_convolution_continues_from_its_state, 0, 64);
    suite_add_tcase(s, tcase);
    return s;
}

int main(void)
{
    SRunner *runner = srunner_create(suite());
    int failed;

    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
