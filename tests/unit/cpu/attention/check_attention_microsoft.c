/* SPDX-License-Identifier: MIT */
/*
 * check_attention_microsoft.c - MultiHeadAttention and Attention of com.microsoft against one plain
 * attention in double.
 */

#include "config.h"

#include "cpu/attention/ms_attention_kit.h"

/* ---- masks ----------------------------------------------------------------------------------- */

enum { NO_MASK, ENDS, RANGES, KEYS, ROWS, SQUARE, N_MASKS };

/* Feeds a mask for B 2, S queries after `past` of T keys; adds -10000 where it hides a key. */
static void feed_mask(int kind, int heads, int queries, int keys, int past, double *add)
{
    const int64_t shapes[N_MASKS][4] = {{0}, {2}, {4}, {2, keys}, {2, queries, keys}, {2, 1, 9, 9}};
    const int ranks[N_MASKS] = {0, 1, 1, 2, 3, 4};
    char dims[32];
    double *m;

    if (kind == NO_MASK)
        return;
    dims_of(dims, sizeof dims, ranks[kind], shapes[kind]);
    m = feed_ints("mask", BP_DTYPE_I32, dims, 0, kind == ENDS || kind == RANGES ? keys : 1);
    for (int i = 0; i < 2 * heads * queries * keys; i++) {
        int k = i % keys, s = i / keys % queries, b = i / keys / queries / heads;
        bool hides = kind == ENDS     ? k >= m[b]
                     : kind == RANGES ? k >= m[b] || k < m[2 + b]
                     : kind == KEYS   ? m[b * keys + k] < 1
                     : kind == ROWS   ? m[(b * queries + s) * keys + k] < 1
                                      : m[(b * 9 + past + s) * 9 + k] < 1;

        add[i] += hides ? -10000 : 0;
    }
}

/* ---- MultiHeadAttention ---------------------------------------------------------------------- */

/* Every combination of: bias, past, causal, attention_bias (2 shapes), mask, present, scores. */
START_TEST(multi_head_attention_matches_its_definition)
{
    int bits = _i % 64, kind = _i / 64 % N_MASKS;
    uint32_t dtype = floats[_i / 64 / N_MASKS];
    bool has_bias = bits & 1, has_past = bits & 2, is_causal = bits & 4, has_add = bits & 8;
    bool has_present = bits & 16, has_scores = bits & 32;
    int past = has_past ? P : 0, keys = past + L;
    const int pasts[] = {past, past}, totals[] = {keys, keys};
    struct plain p = {B, N, 1, S, keys, H, HV, .scale = 0.5, .past = pasts, .total = totals};
    double *q, *k, *v, *bias = NULL, *pk = NULL, *pv = NULL, *extra;
    double *add = zeros(B * N * S * 9), *want = zeros(B * S * N * HV),
           *scores = zeros(B * N * S * 9);
    char in[96];

    data_seed((uint64_t)_i);
    q = feed("q", dtype, "2,3,12");
    k = feed("k", dtype, "2,4,12");
    v = feed("v", dtype, "2,4,15");
    if (has_bias)
        bias = feed("bias", dtype, "39");
    feed_mask(kind, N, S, keys, past, add);
    if (has_add) {
        extra = feed("add", dtype, has_past ? "1,3,3,6" : "2,1,3,4");
        for (int i = 0; i < B * N * S * keys; i++)
            add[i] += extra[has_past ? i % (N * S * keys)
                                     : i / (N * S * keys) * S * keys + i % (S * keys)];
    }
    if (has_past) {
        pk = feed("pk", dtype, "2,3,2,4");
        pv = feed("pv", dtype, "2,3,2,5");
    }
    snprintf(in, sizeof in, "q k v %s %s %s %s", has_bias ? "bias" : "-", kind ? "mask" : "-",
             has_add ? "add" : "-", has_past ? "pk pv" : "- -");
    th_output(t, "y", dtype, "2,3,15");
    if (has_present) {
        th_output(t, "nk", dtype, has_past ? "2,3,6,4" : "2,3,4,4");
        th_output(t, "nv", dtype, has_past ? "2,3,6,5" : "2,3,4,5");
    }
    if (has_scores)
        th_output(t, "qk", dtype, has_past ? "2,3,3,6" : "2,3,3,4");
    node("MultiHeadAttention", in,
         has_present  ? has_scores ? "y nk nv qk" : "y nk nv"
         : has_scores ? "y - - qk"
                      : "y");
    th_int(t, "num_heads", N);
    th_float(t, "scale", 0.5f);
    th_int(t, "unidirectional", is_causal);
    ck_run();
    p.q = by_head(q, bias, B, S, N, H);
    p.k = after_past(pk, past, by_head(k, bias ? bias + N * H : NULL, B, L, N, H), L, B * N, H);
    p.v =
        after_past(pv, past, by_head(v, bias ? bias + 2 * N * H : NULL, B, L, N, HV), L, B * N, HV);
    p.add = add;
    p.sees = is_causal ? causal : NULL;
    p.before = scores;
    attend(&p, want);
    /* values near -10000 were rounded: fully masked rows are not compared */
    if (kind == NO_MASK)
        data_compare("y", th_data(t, "y"), want, B * S * N * HV, dtype, 60);
    else
        data_compare("y", th_data(t, "y"), want, B * S * N * HV, dtype, 60 + 16384 * 4);
    if (has_present) {
        data_compare("nk", th_data(t, "nk"), p.k, (size_t)(B * N * keys * H), dtype, 2);
        data_compare("nv", th_data(t, "nv"), p.v, (size_t)(B * N * keys * HV), dtype, 2);
    }
    for (int i = 0; i < B * N * S * keys && has_scores; i++) {
        double got = typed_get(th_data(t, "qk"), dtype, (size_t)i);

        if (isinf(scores[i]))
            ck_assert_double_lt(got, -60000);
        else
            ck_assert_double_eq_tol(got, scores[i], fabs(scores[i]) * 0x1p-7 + 1e-4);
    }
}
END_TEST

/* Packed QKV, packed KV, and keys in the order of a cache. */
START_TEST(multi_head_attention_takes_packed_inputs)
{
    int way = _i % 3;
    bool has_bias = _i / 3 % 2;
    uint32_t dtype = floats[_i / 6];
    struct plain p = {B, N, 1, S, way ? L : S, H, H, .scale = 0.5};
    double *x, *y = NULL, *v = NULL, *bias = NULL, *q = zeros(99), *k = zeros(99), *w = zeros(99);
    double *want = zeros(B * S * N * H);

    data_seed((uint64_t)_i);
    x = feed("q", dtype, way ? "2,3,12" : "2,3,3,3,4");
    if (way)
        y = feed("k", dtype, way == 1 ? "2,4,3,2,4" : "2,3,4,4");
    if (way == 2)
        v = feed("v", dtype, "2,3,4,4");
    if (has_bias)
        bias = feed("bias", dtype, "36");
    th_output(t, "y", dtype, "2,3,12");
    node("MultiHeadAttention",
         way == 0   ? has_bias ? "q - - bias" : "q"
         : way == 1 ? has_bias ? "q k - bias" : "q k"
         : has_bias ? "q k v bias"
                    : "q k v",
         "y");
    th_int(t, "num_heads", N);
    ck_run();
    for (int i = 0; i < B * N * p.keys * H; i++) {
        int d = i % H, r = i / H % p.keys, h = i / H / p.keys % N, b = i / H / p.keys / N;
        int token = (b * p.keys + r) * N + h;

        k[i] = way == 2 ? y[i] : way == 1 ? y[(token * 2 + 0) * H + d] : x[(token * 3 + 1) * H + d];
        w[i] = way == 2 ? v[i] : way == 1 ? y[(token * 2 + 1) * H + d] : x[(token * 3 + 2) * H + d];
        if (way < 2 && bias) {
            k[i] += bias[N * H + h * H + d];
            w[i] += bias[2 * N * H + h * H + d];
        }
    }
    for (int i = 0; i < B * N * S * H; i++) {
        int d = i % H, r = i / H % S, h = i / H / S % N, b = i / H / S / N;
        int token = (b * S + r) * N + h;

        q[i] = x[way ? token * H + d : token * 3 * H + d] + (bias ? bias[h * H + d] : 0);
    }
    p.q = q;
    p.k = k;
    p.v = w;
    attend(&p, want);
    data_compare("y", th_data(t, "y"), want, B * S * N * H, dtype, 40);
}
END_TEST

/* Past and present of a fixed length, of which past_sequence_length counts. */
START_TEST(multi_head_attention_appends_to_a_shared_cache)
{
    const int pasts[] = {2, 2}, totals[] = {6, 6};
    struct plain p = {B, N, 1, L, 6, H, H, .scale = 0.5, .past = pasts, .total = totals};
    double *q, *pk, *pv, *k = zeros(B * N * 6 * H), *v = zeros(B * N * 6 * H);
    double *want = zeros(B * L * N * H), *fresh;

    data_seed(9);
    q = feed("q", BP_DTYPE_F32, "2,4,12");
    pk = feed("pk", BP_DTYPE_F32, "2,3,9,4");
    pv = feed("pv", BP_DTYPE_F32, "2,3,9,4");
    th_input(t, "n", BP_DTYPE_I32, "1", (int32_t[]){2});
    th_output(t, "y", BP_DTYPE_F32, "2,4,12");
    th_output(t, "nk", BP_DTYPE_F32, "2,3,9,4");
    th_output(t, "nv", BP_DTYPE_F32, "2,3,9,4");
    node("MultiHeadAttention", "q q q - - - pk pv n", "y nk nv");
    th_int(t, "num_heads", N);
    th_int(t, "unidirectional", 1);
    ck_run();
    fresh = by_head(q, NULL, B, L, N, H);
    for (int i = 0; i < B * N * 6 * H; i++) {
        int d = i % H, r = i / H % 6, pair = i / H / 6;

        k[i] = r < 2 ? pk[(pair * 9 + r) * H + d] : fresh[(pair * L + r - 2) * H + d];
        v[i] = r < 2 ? pv[(pair * 9 + r) * H + d] : fresh[(pair * L + r - 2) * H + d];
    }
    p.q = fresh;
    p.k = k;
    p.v = v;
    p.sees = causal;
    attend(&p, want);
    data_compare("y", th_data(t, "y"), want, B * L * N * H, BP_DTYPE_F32, 40);
    th_feed(t, "n", (int32_t[]){6});
    ck_refused("past_sequence_length is 6");
}
END_TEST

/* ---- Attention ------------------------------------------------------------------------------- */

/* Bits: bias, past, causal, attention bias, sizes of V, present. */
START_TEST(attention_projects_its_input)
{
    enum { D = 6, A = 7 }; /* input's size, Q's and K's heads are of 4, V's of 5 */
    int bits = _i % 64, kind = _i / 64 % N_MASKS;
    uint32_t dtype = floats[_i / 64 / N_MASKS];
    bool has_bias = bits & 1, has_past = bits & 2, is_causal = bits & 4, has_add = bits & 8;
    bool has_present = bits & 16, own_v = (bits & 32) && !has_past && !has_present;
    int hv = own_v ? HV : H, all = N * (2 * H + hv), past = has_past ? P : 0, keys = past + S;
    const int pasts[] = {past, past}, totals[] = {keys, keys};
    struct plain p = {B, N, 1, S, keys, H, hv, .scale = 0.5, .past = pasts, .total = totals};
    double *x, *w, *bias = NULL, *cache = NULL, *extra, *parts[3];
    double *add = zeros(B * N * S * 9), *want = zeros((size_t)(B * S * N * hv));
    char in[96];

    data_seed((uint64_t)_i);
    x = feed("x", dtype, "2,3,6");
    w = feed("w", dtype, own_v ? "6,39" : "6,36");
    if (has_bias)
        bias = feed("bias", dtype, own_v ? "39" : "36");
    feed_mask(kind, N, S, keys, past, add);
    if (has_past)
        cache = feed("past", dtype, "2,2,3,2,4");
    if (has_add) {
        extra = feed("add", dtype, has_past ? "2,3,3,5" : "2,3,3,3");
        for (int i = 0; i < B * N * S * keys; i++)
            add[i] += extra[i];
    }
    snprintf(in, sizeof in, "x w %s %s %s %s", has_bias ? "bias" : "-", kind ? "mask" : "-",
             has_past ? "past" : "-", has_add ? "add" : "-");
    th_output(t, "y", dtype, own_v ? "2,3,15" : "2,3,12");
    if (has_present)
        th_output(t, "present", dtype, has_past ? "2,2,3,5,4" : "2,2,3,3,4");
    node("Attention", in, has_present ? "y present" : "y");
    th_int(t, "num_heads", N);
    th_int(t, "unidirectional", is_causal);
    if (own_v)
        th_ints(t, "qkv_hidden_sizes", 3, (int64_t[]){12, 12, 15});
    ck_run();
    for (int part = 0; part < 3; part++) {
        int size = part == 2 ? hv : H;
        double *y = zeros((size_t)(B * S * N * size));

        for (int i = 0; i < B * S * N * size; i++) {
            int col = part * N * H + i % (N * size);

            y[i] = bias ? bias[col] : 0;
            for (int d = 0; d < D; d++)
                y[i] += x[i / (N * size) * D + d] * w[d * all + col];
        }
        parts[part] = by_head(y, NULL, B, S, N, size);
    }
    p.q = parts[0];
    p.k = after_past(cache, past, parts[1], S, B * N, H);
    p.v = after_past(cache ? cache + B * N * P * H : NULL, past, parts[2], S, B * N, hv);
    p.add = add;
    p.sees = is_causal ? causal : NULL;
    attend(&p, want);
    data_compare("y", th_data(t, "y"), want, (size_t)(B * S * N * hv), dtype,
                 kind ? 60 + 16384 * 8 : 80);
    if (has_present) {
        size_t half = (size_t)(B * N * keys * H), width = dtype == BP_DTYPE_F32 ? 4 : 2;

        data_compare("present k", th_data(t, "present"), p.k, half, dtype, 8);
        data_compare("present v", (const char *)th_data(t, "present") + half * width, p.v, half,
                     dtype, 8);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_ms_attention");
    TCase *tcase = tcase_create("cpu_ms_attention");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, finish);
    tcase_add_loop_test(tcase, multi_head_attention_matches_its_definition, 0, 64 * N_MASKS * 3);
    tcase_add_loop_test(tcase, multi_head_attention_takes_packed_inputs, 0, 18);
    tcase_add_test(tcase, multi_head_attention_appends_to_a_shared_cache);
    tcase_add_loop_test(tcase, attention_projects_its_input, 0, 64 * N_MASKS * 3);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
