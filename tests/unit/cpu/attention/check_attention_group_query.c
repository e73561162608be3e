/* SPDX-License-Identifier: MIT */
/*
 * check_attention_group_query.c - RotaryEmbedding and GroupQueryAttention of com.microsoft against a
 * plain attention in double.
 */

#include "config.h"

#include "cpu/attention/ms_attention_kit.h"

/* ---- rotary embedding ------------------------------------------------------------------------ */

/* One row of a head, in place. */
static void rotate(double *x, int half, const double *cosines, const double *sines, bool pairs)
{
    for (int i = 0; i < half; i++) {
        double *a = x + (pairs ? 2 * i : i), *b = x + (pairs ? 2 * i + 1 : half + i);
        double old = *a;

        *a = old * cosines[i] - *b * sines[i];
        *b = *b * cosines[i] + old * sines[i];
    }
}

/* Bits: rank 4, interleaved, one position, a part of the head. */
START_TEST(rotary_embedding_of_microsoft_matches_its_definition)
{
    bool rank_4 = _i & 1, pairs = _i & 2, one = _i & 4, partial = _i & 8;
    uint32_t dtype = floats[_i / 16];
    int half = partial ? 2 : 3;
    double *x, *cosines, *sines, *ids, want[2 * 4 * 3 * 6];

    data_seed((uint64_t)_i);
    x = feed("x", dtype, rank_4 ? "2,3,4,6" : "2,4,18");
    ids = one ? feed_ints("ids", BP_DTYPE_I64, "1", 2, 2)
              : feed_ints("ids", BP_DTYPE_I64, "2,4", 0, 7);
    cosines = feed("cos", dtype, partial ? "8,2" : "8,3");
    sines = feed("sin", dtype, partial ? "8,2" : "8,3");
    th_output(t, "y", dtype, rank_4 ? "2,3,4,6" : "2,4,18");
    node("RotaryEmbedding", "x ids cos sin", "y");
    th_int(t, "interleaved", pairs);
    if (partial) {
        th_int(t, "rotary_embedding_dim", 4);
        th_int(t, "num_heads", 3);
    }
    ck_run();
    memcpy(want, x, sizeof want);
    for (int i = 0; i < 24; i++) {
        int b = i / 12, step = rank_4 ? i % 4 : i / 3 % 4;
        int at = one ? 2 + step : (int)ids[b * 4 + step];

        rotate(want + i * 6, half, cosines + at * half, sines + at * half, pairs);
    }
    data_compare("y", th_data(t, "y"), want, 144, dtype, 4);
    th_feed(t, "ids",
            one ? (int64_t[]){5, 0, 0, 0, 0, 0, 0, 0} : (int64_t[]){0, 0, 0, 8, 0, 0, 0, 0});
    ck_refused("is outside of the caches");
}
END_TEST

/* ---- GroupQueryAttention --------------------------------------------------------------------- */

enum { KV = 2, G = 2, HEADS = KV * G, M = 9 };

struct group_case {
    bool packed, has_rotary, pairs, sinks, smooth, adds, norms, epsilons, bidirectional, shares;
    int steps, window, scores, past;
    double softcap;
};

static void normalize(double *x, const double *weight, int n, double epsilon)
{
    double factor = 1 / sqrt(dot(x, x, n) / n + epsilon);

    for (int i = 0; i < n; i++)
        x[i] *= factor * weight[i];
}

/* New rows of Q, K or V as batch x heads x steps x H, out of tokens of `row` numbers. */
static double *fresh_heads(const double *x, int steps, int row, int first, int heads)
{
    double *y = zeros((size_t)(B * heads * steps * H));

    for (int i = 0; i < B * heads * steps * H; i++) {
        int d = i % H, s = i / H % steps, h = i / H / steps % heads, b = i / H / steps / heads;

        y[i] = x[(b * steps + s) * row + (first + h) * H + d];
    }
    return y;
}

static void finish_heads(const struct group_case *c, double *x, int heads, const double *weight,
                         double epsilon, const double *cosines, const double *sines,
                         const int *pasts)
{
    for (int i = 0; i < B * heads * c->steps; i++) {
        int at = pasts[i / c->steps / heads] + i % c->steps;

        if (weight)
            normalize(x + i * H, weight, H, epsilon);
        if (c->has_rotary)
            rotate(x + i * H, 2, cosines + at * 2, sines + at * 2, c->pairs);
    }
}

static void check_group(const struct group_case *c, uint32_t dtype)
{
    const int total = c->past + c->steps;
    const int pasts[] = {c->past, c->past > 1 ? c->past - 1 : c->past};
    const int totals[] = {c->past + c->steps, pasts[1] + c->steps};
    const int32_t lengths[] = {totals[0] - 1, totals[1] - 1};
    int row = (HEADS + 2 * KV) * H;
    struct plain p = {B,
                      HEADS,
                      G,
                      c->steps,
                      total,
                      H,
                      H,
                      .scale = 0.25,
                      .softcap = c->softcap,
                      .past = pasts,
                      .total = totals,
                      .window = c->window};
    double *q, *k, *v, *pk = NULL, *pv = NULL, *cosines, *sines, *sink = NULL, *extra = NULL;
    double *qn = NULL, *kn = NULL, *want = zeros((size_t)(B * c->steps * HEADS * H));
    double *keys = zeros(B * KV * M * H), *values = zeros(B * KV * M * H), *scores, *cache_k,
           *cache_v;
    double *fq, *fk, *fv, *add = zeros((size_t)(B * HEADS * c->steps * total));
    const int32_t length = total;
    char text[64], in[128], cache[32];

    scores = zeros((size_t)(B * HEADS * c->steps * total));
    q = feed("q", dtype,
             dims_of(text, sizeof text, 3, (int64_t[]){B, c->steps, c->packed ? row : HEADS * H}));
    k = v = q;
    if (!c->packed) {
        dims_of(text, sizeof text, 3, (int64_t[]){B, c->steps, KV * H});
        k = feed("k", dtype, text);
        v = feed("v", dtype, text);
    }
    if (c->past) {
        pk = feed("pk", dtype,
                  dims_of(text, sizeof text, 4, (int64_t[]){B, KV, c->shares ? M : c->past, H}));
        pv = feed("pv", dtype, text);
    }
    th_input(t, "lengths", BP_DTYPE_I32, "2", lengths);
    th_input(t, "total", BP_DTYPE_I32, "", &length);
    cosines = feed("cos", dtype, "16,2");
    sines = feed("sin", dtype, "16,2");
    if (c->adds)
        extra = feed("add", dtype,
                     dims_of(text, sizeof text, 4, (int64_t[]){1, HEADS, c->steps, total}));
    if (c->sinks)
        sink = feed("sink", dtype, "4");
    if (c->norms) {
        qn = feed("qn", dtype, "4");
        kn = feed("kn", dtype, "4");
    }
    snprintf(in, sizeof in, "q %s %s lengths total %s - %s %s - - %s", c->packed ? "- -" : "k v",
             c->past ? "pk pv" : "- -", c->has_rotary ? "cos sin" : "- -", c->adds ? "add" : "-",
             c->sinks ? "sink" : "-", c->norms ? "qn kn" : "- -");
    th_output(t, "y", dtype, dims_of(text, sizeof text, 3, (int64_t[]){B, c->steps, HEADS * H}));
    dims_of(cache, sizeof cache, 4, (int64_t[]){B, KV, c->shares && c->past ? M : total, H});
    th_output(t, "nk", dtype, cache);
    th_output(t, "nv", dtype, cache);
    if (c->scores)
        th_output(t, "qk", dtype,
                  dims_of(text, sizeof text, 4, (int64_t[]){B, HEADS, c->steps, total}));
    node("GroupQueryAttention", in, c->scores ? "y nk nv qk" : "y nk nv");
    th_int(t, "num_heads", HEADS);
    th_int(t, "kv_num_heads", KV);
    th_float(t, "scale", 0.25f);
    if (c->epsilons) {
        th_float(t, "qk_norm_epsilon", 3.0f);
        th_float(t, "k_norm_epsilon", 0.5f);
    }
    th_int(t, "do_rotary", c->has_rotary);
    th_int(t, "rotary_interleaved", c->pairs);
    th_int(t, "local_window_size", c->window ? c->window : -1);
    th_float(t, "softcap", (float)c->softcap);
    th_int(t, "smooth_softmax", c->smooth);
    th_int(t, "causal", !c->bidirectional);
    th_int(t, "qk_output", c->scores);
    ck_run();
    fq = fresh_heads(q, c->steps, c->packed ? row : HEADS * H, 0, HEADS);
    fk = fresh_heads(k, c->steps, c->packed ? row : KV * H, c->packed ? HEADS : 0, KV);
    fv = fresh_heads(v, c->steps, c->packed ? row : KV * H, c->packed ? HEADS + KV : 0, KV);
    finish_heads(c, fq, HEADS, qn, c->epsilons ? 3 : (double)1e-6f, cosines, sines, pasts);
    finish_heads(c, fk, KV, kn, c->epsilons ? 0.5 : (double)1e-6f, cosines, sines, pasts);
    cache_k = zeros(count_of(cache));
    cache_v = zeros(count_of(cache));
    for (int i = 0; i < B * KV * total * H; i++) {
        int d = i % H, r = i / H % total, pair = i / H / total, n = pasts[pair / KV];
        int rows = c->shares ? M : c->past, out_rows = c->shares && c->past ? M : total;
        bool is_new = r >= n && r < n + c->steps;

        keys[i] = r < n    ? pk[(pair * rows + r) * H + d]
                  : is_new ? fk[(pair * c->steps + r - n) * H + d]
                           : 0;
        values[i] = r < n    ? pv[(pair * rows + r) * H + d]
                    : is_new ? fv[(pair * c->steps + r - n) * H + d]
                             : 0;
        cache_k[(pair * out_rows + r) * H + d] = keys[i];
        cache_v[(pair * out_rows + r) * H + d] = values[i];
    }
    for (int i = 0; i < B * HEADS * c->steps * total && extra; i++)
        add[i] = extra[i % (HEADS * c->steps * total)];
    p.q = fq;
    p.k = keys;
    p.v = values;
    p.add = add;
    p.sees = c->bidirectional ? present : causal;
    p.sink = sink ? sink : c->smooth ? zeros(HEADS) : NULL;
    p.before = c->scores == 1 ? scores : NULL;
    p.after = c->scores == 2 ? scores : NULL;
    attend(&p, want);
    data_compare("y", th_data(t, "y"), want, (size_t)(B * c->steps * HEADS * H), dtype, 60);
    data_compare("nk", th_data(t, "nk"), cache_k, count_of(cache), dtype, 12);
    data_compare("nv", th_data(t, "nv"), cache_v, count_of(cache), dtype, 12);
    for (int i = 0; i < B * HEADS * c->steps * total; i++)
        scores[i] = isinf(scores[i]) ? 0 : scores[i];
    if (c->scores)
        data_compare("qk", th_data(t, "qk"), scores, (size_t)(B * HEADS * c->steps * total), dtype,
                     60);
}

START_TEST(group_query_attention_matches_its_definition)
{
    static const struct group_case cases[] = {
        {.steps = 3},
        {.steps = 3, .packed = true, .has_rotary = true},
        {.steps = 3, .has_rotary = true, .pairs = true, .softcap = 2},
        {.steps = 3, .window = 2, .scores = 1},
        {.steps = 3, .window = 2, .scores = 2, .adds = true},
        {.steps = 1, .past = 4},
        {.steps = 1, .past = 4, .packed = true, .has_rotary = true, .window = 3},
        {.steps = 1, .past = 4, .shares = true, .has_rotary = true},
        {.steps = 2, .past = 4, .shares = true, .adds = true, .softcap = 1.5, .scores = 1},
        {.steps = 2, .past = 3, .sinks = true, .norms = true, .has_rotary = true},
        {.steps = 3, .smooth = true, .scores = 2},
        {.steps = 3, .sinks = true, .packed = true, .norms = true},
        {.steps = 2, .norms = true, .epsilons = true},
        {.steps = 2, .past = 3, .bidirectional = true, .adds = true},
        {.steps = 1, .past = 0, .packed = true},
    };

    data_seed((uint64_t)_i);
    ck_assert_int_lt(_i / 3, COUNT(cases));
    check_group(&cases[_i / 3], floats[_i % 3]);
}
END_TEST

/* ---- quantized caches ------------------------------------------------------------------------ */

enum { ROWS = 3, COLS = 4 }; /* two rows of the past and a new one, of one head */

static int stored(const void *cache, bool is_4_bits, int i)
{
    const uint8_t *pairs = cache;

    return is_4_bits ? (pairs[i / 2] >> (i % 2 * 4) & 15) - 8 : ((const int8_t *)cache)[i];
}

/* What a query sees is what the caches hold: attention over rows that were quantized. */
static void check_stored_attention(const double *q, const void *keys, const void *values,
                                   const double *scale, bool is_4_bits)
{
    double weight[ROWS], sum = 0, want[COLS] = {0};

    for (int r = 0; r < ROWS; r++) {
        double score = 0;

        for (int i = 0; i < COLS; i++)
            score += q[i] * stored(keys, is_4_bits, r * COLS + i) * scale[i];
        sum += weight[r] = exp(score * 0.5);
    }
    for (int r = 0; r < ROWS; r++) {
        for (int i = 0; i < COLS; i++)
            want[i] += weight[r] / sum * stored(values, is_4_bits, r * COLS + i) * scale[i];
    }
    data_compare("y", th_data(t, "y"), want, COLS, BP_DTYPE_F32, 60);
}

/* Bits: 4 bits, a scale for each column. New rows round half to even and saturate. */
START_TEST(group_query_attention_takes_quantized_caches)
{
    static const uint8_t past_8[] = {1, 0xfe, 3, 0x80, 0, 0x7f, 5, 9}; /* -2, -128, 127 */
    static const uint8_t past_4[] = {0x1f, 0x80, 0x7a, 0xc3};
    static const float fresh[] = {1.25f, -0.75f, 100, -100};
    static const uint8_t want_8[] = {2, 0xfe, 127, 0x80}; /* 2.5 gives 2, -1.5 gives -2 */
    static const uint8_t want_4[] = {0x6a, 0x0f};
    static const float each[] = {0.5f, 0.5f, 0.25f, 0.125f};
    bool is_4_bits = _i & 1, is_per_column = _i & 2;
    uint32_t dtype = is_4_bits ? BP_DTYPE_U8 : BP_DTYPE_I8;
    const void *past = is_4_bits ? (const void *)past_4 : past_8;
    size_t bytes = is_4_bits ? 2 : 4;
    double *q, scale[COLS];

    data_seed((uint64_t)_i);
    q = feed("q", BP_DTYPE_F32, "1,1,4");
    th_input(t, "k", BP_DTYPE_F32, "1,1,4", fresh);
    th_input(t, "pk", dtype, is_4_bits ? "1,1,2,2" : "1,1,2,4", past);
    th_input(t, "pv", dtype, is_4_bits ? "1,1,2,2" : "1,1,2,4", past);
    th_input(t, "length", BP_DTYPE_I32, "1", (int32_t[]){2});
    th_input(t, "total", BP_DTYPE_I32, "", (int32_t[]){3});
    th_input(t, "scale", BP_DTYPE_F32, is_per_column ? "4" : "1", each);
    th_output(t, "y", BP_DTYPE_F32, "1,1,4");
    th_output(t, "nk", dtype, is_4_bits ? "1,1,3,2" : "1,1,3,4");
    th_output(t, "nv", dtype, is_4_bits ? "1,1,3,2" : "1,1,3,4");
    node("GroupQueryAttention", "q k k pk pv length total - - - - - scale scale", "y nk nv");
    th_int(t, "num_heads", 1);
    th_int(t, "kv_num_heads", 1);
    th_int(t, "kv_cache_bit_width", is_4_bits ? 4 : 8);
    th_string(t, "k_quant_type", is_per_column ? "PER_CHANNEL" : "PER_TENSOR");
    th_string(t, "v_quant_type", is_per_column ? "PER_CHANNEL" : "PER_TENSOR");
    ck_run();
    ck_assert_mem_eq(th_data(t, "nk"), past, 2 * bytes);
    ck_assert_mem_eq((const char *)th_data(t, "nv") + 2 * bytes, is_4_bits ? want_4 : want_8,
                     bytes);
    for (int i = 0; i < COLS; i++)
        scale[i] = (double)each[is_per_column ? i : 0];
    check_stored_attention(q, th_data(t, "nk"), th_data(t, "nv"), scale, is_4_bits);
}
END_TEST

/* Input 16 of ONNX Runtime 1.32: queries of which the last rows are padding. */
START_TEST(group_query_attention_refuses_padded_queries_by_name)
{
    th_input(t, "q", BP_DTYPE_F32, "1,1,4", (float[4]){0});
    th_input(t, "p", BP_DTYPE_F32, "1,1,2,4", (float[8]){0});
    th_input(t, "lengths", BP_DTYPE_I32, "1", (int32_t[]){1});
    th_input(t, "total", BP_DTYPE_I32, "", (int32_t[]){2});
    th_input(t, "n", BP_DTYPE_I32, "1", (int32_t[]){1});
    th_output(t, "y", BP_DTYPE_F32, "1,1,4");
    node("GroupQueryAttention", "q q q p p lengths total - - - - - - - - - n", "y");
    th_int(t, "num_heads", 1);
    th_int(t, "kv_num_heads", 1);
    ck_assert_int_eq(th_claim(t), BP_E_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(th_message(t), "query_seqlens"));
}
END_TEST

START_TEST(group_query_attention_rejects_scales_of_another_size)
{
    feed("q", BP_DTYPE_F32, "1,1,4");
    th_input(t, "p", BP_DTYPE_I8, "1,1,1,4", (int8_t[4]){0});
    th_input(t, "length", BP_DTYPE_I32, "1", (int32_t[]){1});
    th_input(t, "total", BP_DTYPE_I32, "", (int32_t[]){2});
    th_input(t, "scale", BP_DTYPE_F32, "3", (float[]){1, 1, 1});
    th_output(t, "y", BP_DTYPE_F32, "1,1,4");
    th_output(t, "nk", BP_DTYPE_I8, "1,1,2,4");
    th_output(t, "nv", BP_DTYPE_I8, "1,1,2,4");
    node("GroupQueryAttention", "q q q p p length total - - - - - scale scale", "y nk nv");
    th_int(t, "num_heads", 1);
    th_int(t, "kv_num_heads", 1);
    th_int(t, "kv_cache_bit_width", 8);
    th_string(t, "k_quant_type", _i ? "PER_CHANNEL" : "PER_TENSOR");
    th_string(t, "v_quant_type", _i ? "PER_CHANNEL" : "PER_TENSOR");
    ck_refused("does not fit a quantized cache");
}
END_TEST

/* More rows than a tile has, so that several of them are at work. */
START_TEST(group_query_attention_splits_long_sequences_into_tiles)
{
    const int pasts[] = {0, 0}, totals[] = {150, 150};
    struct plain p = {1, 2, 1, 150, 150, 16, 16, .scale = 0.25, .past = pasts, .total = totals};
    double *q, *k, *v, *want = zeros(150 * 32);

    data_seed(1);
    q = feed("q", BP_DTYPE_F32, "1,150,32");
    k = feed("k", BP_DTYPE_F32, "1,150,32");
    v = feed("v", BP_DTYPE_F32, "1,150,32");
    th_output(t, "y", BP_DTYPE_F32, "1,150,32");
    node("MultiHeadAttention", "q k v", "y");
    th_int(t, "num_heads", 2);
    th_int(t, "unidirectional", _i);
    ck_run();
    p.q = by_head(q, NULL, 1, 150, 2, 16);
    p.k = by_head(k, NULL, 1, 150, 2, 16);
    p.v = by_head(v, NULL, 1, 150, 2, 16);
    p.sees = _i ? causal : NULL;
    attend(&p, want);
    data_compare("y", th_data(t, "y"), want, 150 * 32, BP_DTYPE_F32, 200);
}
END_TEST

START_TEST(group_query_attention_rejects_invalid_lengths)
{
    static const int32_t lengths[][2] = {{-5, 0}, {3, 9}, {0, 3}, {INT32_MAX, 3}};

    data_seed(1);
    feed("q", BP_DTYPE_F32, "2,1,32");
    feed("p", BP_DTYPE_F32, "2,2,3,4");
    th_input(t, "n", BP_DTYPE_I32, "2", _i < 4 ? lengths[_i] : (int32_t[]){3, 3});
    th_input(t, "total", BP_DTYPE_I32, "", (int32_t[]){_i < 4 ? 4 : _i == 4 ? 5 : 0});
    th_output(t, "y", BP_DTYPE_F32, "2,1,16");
    th_output(t, "nk", BP_DTYPE_F32, "2,2,4,4");
    th_output(t, "nv", BP_DTYPE_F32, "2,2,4,4");
    node("GroupQueryAttention", "q - - p p n total", "y nk nv");
    th_int(t, "num_heads", 4);
    th_int(t, "kv_num_heads", 2);
    if (_i == 2) {
        ck_run(); /* a shorter second sequence is fine */
        return;
    }
    ck_refused(_i < 4 ? "seqlens_k" : "total_sequence_length");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_ms_group_query");
    TCase *tcase = tcase_create("cpu_ms_group_query");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, finish);
    tcase_add_loop_test(tcase, rotary_embedding_of_microsoft_matches_its_definition, 0, 48);
    tcase_add_loop_test(tcase, group_query_attention_matches_its_definition, 0, 45);
    tcase_add_loop_test(tcase, group_query_attention_takes_quantized_caches, 0, 4);
    tcase_add_loop_test(tcase, group_query_attention_rejects_scales_of_another_size, 0, 2);
    tcase_add_test(tcase, group_query_attention_refuses_padded_queries_by_name);
    tcase_add_loop_test(tcase, group_query_attention_splits_long_sequences_into_tiles, 0, 2);
    tcase_add_loop_test(tcase, group_query_attention_rejects_invalid_lengths, 0, 6);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
