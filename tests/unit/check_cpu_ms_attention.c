/* SPDX-License-Identifier: MIT */
/*
 * check_cpu_ms_attention.c - the attention operators of com.microsoft against one plain attention in
 * double, which sees all heads as batch x heads x rows x size.
 */

#include "config.h"

#include "ms_kit.h"

#include <float.h>

static const uint32_t floats[] = {BP_DTYPE_F32, BP_DTYPE_F16, BP_DTYPE_BF16};

/* ---- the reference --------------------------------------------------------------------------- */

struct plain {
    int batches, heads, group, queries, keys, head, value_head;
    const double *q, *k, *v;             /* dense */
    double scale, softcap;
    const double *add;                   /* batch x head x query x key; NULL: nothing */
    bool (*sees)(const struct plain *p, int b, int s, int key); /* NULL: all */
    const int *past, *total;             /* of each batch, for `sees` */
    int window;
    const double *sink; /* one a head; NULL: none */
    double *before, *after; /* scores, where wanted */
};

static double dot(const double *a, const double *b, int n)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static bool causal(const struct plain *p, int b, int s, int key)
{
    int reach = p->past[b] + s + 1, end = reach < p->total[b] ? reach : p->total[b];

    return key < end && (p->window <= 0 || key >= end - p->window);
}

static bool present(const struct plain *p, int b, int s, int key)
{
    (void)s;
    return key < p->total[b];
}

/* out: batch x query x (head x value_head) */
static void attend(const struct plain *p, double *out)
{
    double *row = zeros((size_t)p->keys);

    for (int i = 0; i < p->batches * p->heads * p->queries; i++) {
        int s = i % p->queries, h = i / p->queries % p->heads, b = i / p->queries / p->heads;
        int kv = (b * p->heads + h) / p->group;
        double max = p->sink ? p->sink[h] : -(double)INFINITY, sum;

        for (int t_ = 0; t_ < p->keys; t_++) {
            double v = p->scale * dot(p->q + i * p->head, p->k + (kv * p->keys + t_) * p->head,
                                      p->head);

            v = p->softcap > 0 ? p->softcap * tanh(v / p->softcap) : v;
            v += p->add ? p->add[i * p->keys + t_] : 0;
            if (p->sees && !p->sees(p, b, s, t_))
                v = -(double)INFINITY;
            if (p->before)
                p->before[i * p->keys + t_] = v;
            row[t_] = v;
            max = fmax(max, v);
        }
        sum = p->sink ? exp(p->sink[h] - max) : 0;
        for (int t_ = 0; t_ < p->keys; t_++)
            sum += row[t_] = exp(row[t_] - max);
        for (int t_ = 0; t_ < p->keys; t_++) {
            double share = row[t_] / sum;

            if (p->after)
                p->after[i * p->keys + t_] = share;
            for (int d = 0; d < p->value_head; d++)
                out[((b * p->queries + s) * p->heads + h) * p->value_head + d] +=
                    share * p->v[(kv * p->keys + t_) * p->value_head + d];
        }
    }
}

/* batch x rows x (heads x size) with a bias to batch x heads x rows x size */
static double *by_head(const double *x, const double *bias, int batches, int rows, int heads,
                       int size)
{
    double *y = zeros((size_t)(batches * rows * heads * size));

    for (int i = 0; i < batches * rows * heads * size; i++) {
        int d = i % size, h = i / size % heads, r = i / size / heads % rows;
        int b = i / size / heads / rows;

        y[((b * heads + h) * rows + r) * size + d] = x[i] + (bias ? bias[h * size + d] : 0);
    }
    return y;
}

/* Rows of the past in front of new ones: pairs x past x size, pairs x n x size. */
static double *behind(const double *past, int n_past, const double *x, int n, int pairs, int size)
{
    double *y = zeros((size_t)(pairs * (n_past + n) * size));

    for (int p = 0; p < pairs; p++) {
        double *to = y + p * (n_past + n) * size;

        if (n_past > 0)
            memcpy(to, past + p * n_past * size, (size_t)(n_past * size) * sizeof *to);
        memcpy(to + n_past * size, x + p * n * size, (size_t)(n * size) * sizeof *to);
    }
    return y;
}

/* ---- masks ----------------------------------------------------------------------------------- */

enum { NO_MASK, ENDS, RANGES, KEYS, ROWS, SQUARE, N_MASKS };

/* Feeds a mask for B 2, S queries behind `past` of T keys; adds -10000 where it hides a key. */
static void feed_mask(int kind, int heads, int queries, int keys, int past, double *add)
{
    const int64_t shapes[N_MASKS][4] = {
        {0}, {2}, {4}, {2, keys}, {2, queries, keys}, {2, 1, 9, 9}};
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

enum { B = 2, N = 3, H = 4, HV = 5, S = 3, L = 4, P = 2 };

/* Every combination of: bias, past, causal, attention_bias (2 shapes), mask, present, scores. */
START_TEST(multi_head_attention)
{
    int bits = _i % 64, kind = _i / 64 % N_MASKS;
    uint32_t dtype = floats[_i / 64 / N_MASKS];
    bool has_bias = bits & 1, has_past = bits & 2, is_causal = bits & 4, has_add = bits & 8;
    bool has_present = bits & 16, has_scores = bits & 32;
    int past = has_past ? P : 0, keys = past + L;
    const int pasts[] = {past, past}, totals[] = {keys, keys};
    struct plain p = {B, N, 1, S, keys, H, HV, .scale = 0.5, .past = pasts, .total = totals};
    double *q, *k, *v, *bias = NULL, *pk = NULL, *pv = NULL, *extra;
    double *add = zeros(B * N * S * 9), *want = zeros(B * S * N * HV), *scores = zeros(B * N * S * 9);
    char in[96];

    nums_seed((uint64_t)_i);
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
         has_present ? has_scores ? "y nk nv qk" : "y nk nv" : has_scores ? "y - - qk" : "y");
    th_int(t, "num_heads", N);
    th_float(t, "scale", 0.5f);
    th_int(t, "unidirectional", is_causal);
    ck_run();
    p.q = by_head(q, bias, B, S, N, H);
    p.k = behind(pk, past, by_head(k, bias ? bias + N * H : NULL, B, L, N, H), L, B * N, H);
    p.v = behind(pv, past, by_head(v, bias ? bias + 2 * N * H : NULL, B, L, N, HV), L, B * N, HV);
    p.add = add;
    p.sees = is_causal ? causal : NULL;
    p.before = scores;
    attend(&p, want);
    /* numbers near -10000 have been rounded there: those of rows that see nothing are not told */
    if (kind == NO_MASK)
        nums_compare("y", th_data(t, "y"), want, B * S * N * HV, dtype, 60);
    else
        nums_compare("y", th_data(t, "y"), want, B * S * N * HV, dtype, 60 + 16384 * 4);
    if (has_present) {
        nums_compare("nk", th_data(t, "nk"), p.k, (size_t)(B * N * keys * H), dtype, 2);
        nums_compare("nv", th_data(t, "nv"), p.v, (size_t)(B * N * keys * HV), dtype, 2);
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

    nums_seed((uint64_t)_i);
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
                    : has_bias ? "q k v bias" : "q k v",
         "y");
    th_int(t, "num_heads", N);
    ck_run();
    for (int i = 0; i < B * N * p.keys * H; i++) {
        int d = i % H, r = i / H % p.keys, h = i / H / p.keys % N, b = i / H / p.keys / N;
        int token = (b * p.keys + r) * N + h;

        k[i] = way == 2   ? y[i]
               : way == 1 ? y[(token * 2 + 0) * H + d]
                          : x[(token * 3 + 1) * H + d];
        w[i] = way == 2   ? v[i]
               : way == 1 ? y[(token * 2 + 1) * H + d]
                          : x[(token * 3 + 2) * H + d];
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
    nums_compare("y", th_data(t, "y"), want, B * S * N * H, dtype, 40);
}
END_TEST

/* Past and present of a fixed length, of which past_sequence_length counts. */
START_TEST(multi_head_attention_shares_a_cache)
{
    const int pasts[] = {2, 2}, totals[] = {6, 6};
    struct plain p = {B, N, 1, L, 6, H, H, .scale = 0.5, .past = pasts, .total = totals};
    double *q, *pk, *pv, *k = zeros(B * N * 6 * H), *v = zeros(B * N * 6 * H);
    double *want = zeros(B * L * N * H), *fresh;

    nums_seed(9);
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
    nums_compare("y", th_data(t, "y"), want, B * L * N * H, BP_DTYPE_F32, 40);
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

    nums_seed((uint64_t)_i);
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
    p.k = behind(cache, past, parts[1], S, B * N, H);
    p.v = behind(cache ? cache + B * N * P * H : NULL, past, parts[2], S, B * N, hv);
    p.add = add;
    p.sees = is_causal ? causal : NULL;
    attend(&p, want);
    nums_compare("y", th_data(t, "y"), want, (size_t)(B * S * N * hv), dtype,
                 kind ? 60 + 16384 * 8 : 80);
    if (has_present) {
        size_t half = (size_t)(B * N * keys * H), width = dtype == BP_DTYPE_F32 ? 4 : 2;

        nums_compare("present k", th_data(t, "present"), p.k, half, dtype, 8);
        nums_compare("present v", (const char *)th_data(t, "present") + half * width, p.v, half,
                     dtype, 8);
    }
}
END_TEST

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
START_TEST(rotary_embedding)
{
    bool rank_4 = _i & 1, pairs = _i & 2, one = _i & 4, partial = _i & 8;
    uint32_t dtype = floats[_i / 16];
    int half = partial ? 2 : 3;
    double *x, *cosines, *sines, *ids, want[2 * 4 * 3 * 6];

    nums_seed((uint64_t)_i);
    x = feed("x", dtype, rank_4 ? "2,3,4,6" : "2,4,18");
    ids = one ? feed_ints("ids", BP_DTYPE_I64, "1", 2, 2) : feed_ints("ids", BP_DTYPE_I64, "2,4", 0, 7);
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
    nums_compare("y", th_data(t, "y"), want, 144, dtype, 4);
    th_feed(t, "ids", one ? (int64_t[]){5, 0, 0, 0, 0, 0, 0, 0} : (int64_t[]){0, 0, 0, 8, 0, 0, 0, 0});
    ck_refused("is outside of the caches");
}
END_TEST

/* ---- GroupQueryAttention --------------------------------------------------------------------- */

enum { KV = 2, G = 2, HEADS = KV * G, M = 9 };

struct group_case {
    bool packed, turns, pairs, sinks, smooth, adds, norms, bidirectional, shares;
    int steps, window, scores, past;
    double softcap;
};

static void normalize(double *x, const double *weight, int n)
{
    double factor = 1 / sqrt(dot(x, x, n) / n + (double)1e-6f);

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
                         const double *cosines, const double *sines, const int *pasts)
{
    for (int i = 0; i < B * heads * c->steps; i++) {
        int at = pasts[i / c->steps / heads] + i % c->steps;

        if (weight)
            normalize(x + i * H, weight, H);
        if (c->turns)
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
    struct plain p = {B, HEADS, G, c->steps, total, H, H, .scale = 0.25, .softcap = c->softcap,
                      .past = pasts, .total = totals, .window = c->window};
    double *q, *k, *v, *pk = NULL, *pv = NULL, *cosines, *sines, *sink = NULL, *extra = NULL;
    double *qn = NULL, *kn = NULL, *want = zeros((size_t)(B * c->steps * HEADS * H));
    double *keys = zeros(B * KV * M * H), *values = zeros(B * KV * M * H), *scores, *cache_k, *cache_v;
    double *fq, *fk, *fv, *add = zeros((size_t)(B * HEADS * c->steps * total));
    const int32_t length = total;
    char text[64], in[128], cache[32];

    scores = zeros((size_t)(B * HEADS * c->steps * total));
    q = feed("q", dtype, dims_of(text, sizeof text, 3, (int64_t[]){B, c->steps, c->packed ? row : HEADS * H}));
    k = v = q;
    if (!c->packed) {
        dims_of(text, sizeof text, 3, (int64_t[]){B, c->steps, KV * H});
        k = feed("k", dtype, text);
        v = feed("v", dtype, text);
    }
    if (c->past) {
        pk = feed("pk", dtype, dims_of(text, sizeof text, 4, (int64_t[]){B, KV, c->shares ? M : c->past, H}));
        pv = feed("pv", dtype, text);
    }
    th_input(t, "lengths", BP_DTYPE_I32, "2", lengths);
    th_input(t, "total", BP_DTYPE_I32, "", &length);
    cosines = feed("cos", dtype, "16,2");
    sines = feed("sin", dtype, "16,2");
    if (c->adds)
        extra = feed("add", dtype, dims_of(text, sizeof text, 4, (int64_t[]){1, HEADS, c->steps, total}));
    if (c->sinks)
        sink = feed("sink", dtype, "4");
    if (c->norms) {
        qn = feed("qn", dtype, "4");
        kn = feed("kn", dtype, "4");
    }
    snprintf(in, sizeof in, "q %s %s lengths total %s - %s %s - - %s", c->packed ? "- -" : "k v",
             c->past ? "pk pv" : "- -", c->turns ? "cos sin" : "- -", c->adds ? "add" : "-",
             c->sinks ? "sink" : "-", c->norms ? "qn kn" : "- -");
    th_output(t, "y", dtype, dims_of(text, sizeof text, 3, (int64_t[]){B, c->steps, HEADS * H}));
    dims_of(cache, sizeof cache, 4, (int64_t[]){B, KV, c->shares && c->past ? M : total, H});
    th_output(t, "nk", dtype, cache);
    th_output(t, "nv", dtype, cache);
    if (c->scores)
        th_output(t, "qk", dtype, dims_of(text, sizeof text, 4, (int64_t[]){B, HEADS, c->steps, total}));
    node("GroupQueryAttention", in, c->scores ? "y nk nv qk" : "y nk nv");
    th_int(t, "num_heads", HEADS);
    th_int(t, "kv_num_heads", KV);
    th_float(t, "scale", 0.25f);
    th_int(t, "do_rotary", c->turns);
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
    finish_heads(c, fq, HEADS, qn, cosines, sines, pasts);
    finish_heads(c, fk, KV, kn, cosines, sines, pasts);
    cache_k = zeros(count_of(cache));
    cache_v = zeros(count_of(cache));
    for (int i = 0; i < B * KV * total * H; i++) {
        int d = i % H, r = i / H % total, pair = i / H / total, n = pasts[pair / KV];
        int rows = c->shares ? M : c->past, out_rows = c->shares && c->past ? M : total;
        bool is_new = r >= n && r < n + c->steps;

        keys[i] = r < n ? pk[(pair * rows + r) * H + d]
                  : is_new ? fk[(pair * c->steps + r - n) * H + d] : 0;
        values[i] = r < n ? pv[(pair * rows + r) * H + d]
                    : is_new ? fv[(pair * c->steps + r - n) * H + d] : 0;
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
    nums_compare("y", th_data(t, "y"), want, (size_t)(B * c->steps * HEADS * H), dtype, 60);
    nums_compare("nk", th_data(t, "nk"), cache_k, count_of(cache), dtype, 12);
    nums_compare("nv", th_data(t, "nv"), cache_v, count_of(cache), dtype, 12);
    for (int i = 0; i < B * HEADS * c->steps * total; i++)
        scores[i] = isinf(scores[i]) ? 0 : scores[i];
    if (c->scores)
        nums_compare("qk", th_data(t, "qk"), scores, (size_t)(B * HEADS * c->steps * total), dtype, 60);
}

START_TEST(group_query_attention)
{
    static const struct group_case cases[] = {
        {.steps = 3},
        {.steps = 3, .packed = true, .turns = true},
        {.steps = 3, .turns = true, .pairs = true, .softcap = 2},
        {.steps = 3, .window = 2, .scores = 1},
        {.steps = 3, .window = 2, .scores = 2, .adds = true},
        {.steps = 1, .past = 4},
        {.steps = 1, .past = 4, .packed = true, .turns = true, .window = 3},
        {.steps = 1, .past = 4, .shares = true, .turns = true},
        {.steps = 2, .past = 4, .shares = true, .adds = true, .softcap = 1.5, .scores = 1},
        {.steps = 2, .past = 3, .sinks = true, .norms = true, .turns = true},
        {.steps = 3, .smooth = true, .scores = 2},
        {.steps = 3, .sinks = true, .packed = true, .norms = true},
        {.steps = 2, .past = 3, .bidirectional = true, .adds = true},
        {.steps = 1, .past = 0, .packed = true},
    };

    nums_seed((uint64_t)_i);
    ck_assert_int_lt(_i / 3, COUNT(cases));
    check_group(&cases[_i / 3], floats[_i % 3]);
}
END_TEST

/* More rows than a tile has, so that several of them are at work. */
START_TEST(long_sequences_are_cut_into_tiles)
{
    const int pasts[] = {0, 0}, totals[] = {150, 150};
    struct plain p = {1, 2, 1, 150, 150, 16, 16, .scale = 0.25, .past = pasts, .total = totals};
    double *q, *k, *v, *want = zeros(150 * 32);

    nums_seed(1);
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
    nums_compare("y", th_data(t, "y"), want, 150 * 32, BP_DTYPE_F32, 200);
}
END_TEST

START_TEST(hostile_lengths_are_refused)
{
    static const int32_t lengths[][2] = {{-5, 0}, {3, 9}, {0, 3}, {INT32_MAX, 3}};

    nums_seed(1);
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
    Suite *suite = suite_create("cpu_ms_attention");
    TCase *tcase = tcase_create("cpu_ms_attention");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, finish);
    tcase_add_loop_test(tcase, multi_head_attention, 0, 64 * N_MASKS * 3);
    tcase_add_loop_test(tcase, multi_head_attention_takes_packed_inputs, 0, 18);
    tcase_add_test(tcase, multi_head_attention_shares_a_cache);
    tcase_add_loop_test(tcase, attention_projects_its_input, 0, 64 * N_MASKS * 3);
    tcase_add_loop_test(tcase, rotary_embedding, 0, 48);
    tcase_add_loop_test(tcase, group_query_attention, 0, 42);
    tcase_add_loop_test(tcase, long_sequences_are_cut_into_tiles, 0, 2);
    tcase_add_loop_test(tcase, hostile_lengths_are_refused, 0, 6);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
