/* SPDX-License-Identifier: MIT */
/*
 * check_attention.c - Attention, FlexAttention and RotaryEmbedding of the CPU provider against
 * loops over single scores, in double.
 */

#include "config.h"

#include "cpu/attention/attention_kit.h"

/* ---- Attention ------------------------------------------------------------------------------- */

struct attention {
    uint32_t dtype, v_dtype, mask_dtype; /* mask_dtype NONE: no mask */
    bool is_packed, is_causal, has_past, has_lengths;
    int64_t batch, group, heads, q_length, length, past, size, v_size; /* heads: of K */
    int64_t mask_dims[4], mode;
    int64_t left, right;   /* -1: none given, from opset 25 on */
    double scale, softcap; /* 0: none given */
    double *q, *k, *v, *past_k, *past_v, *mask;
    int64_t lengths[4];
};

static int64_t total(const struct attention *a)
{
    return a->past + a->length;
}

/* Element e of position p of a head. */
static double at(const struct attention *a, const double *x, int64_t heads, int64_t length,
                 int64_t size, int64_t b, int64_t h, int64_t p, int64_t e)
{
    if (a->is_packed)
        return x[((b * length + p) * heads + h) * size + e];
    return x[((b * heads + h) * length + p) * size + e];
}

/* The same of keys or values, the past before them. */
static double kept(const struct attention *a, const double *past, const double *x, int64_t size,
                   int64_t b, int64_t h, int64_t p, int64_t e)
{
    if (p < a->past)
        return past[((b * a->heads + h) * a->past + p) * size + e];
    return at(a, x, a->heads, a->length, size, b, h, p - a->past, e);
}

static double bias(const struct attention *a, int64_t b, int64_t h, int64_t i, int64_t j)
{
    const int64_t where[4] = {b, h, i, j};
    double none = -(double)INFINITY;
    int64_t valid = a->has_lengths ? a->lengths[b] : total(a), index = 0;
    int64_t before = a->has_past ? a->past : a->has_lengths ? valid - a->q_length : 0;

    if (j >= valid || (a->is_causal && j > i + before))
        return none;
    if ((a->left >= 0 && i + before - j > a->left) || (a->right >= 0 && j - i - before > a->right))
        return none;
    if (a->mask_dtype == BP_DTYPE_NONE)
        return 0;
    if (j >= a->mask_dims[3])
        return none;
    for (int d = 0; d < 4; d++)
        index = index * a->mask_dims[d] + (a->mask_dims[d] == 1 && d < 3 ? 0 : where[d]);
    if (a->mask_dtype == BP_DTYPE_BOOL)
        return a->mask[index] != 0 ? 0 : none;
    return a->mask[index];
}

/* A row of scores and of the result; `scores` as the mode asks. */
static void expect_row(const struct attention *a, int64_t b, int64_t h, int64_t i, double *scores,
                       double *y)
{
    double scale = a->scale != 0 ? a->scale : 1 / sqrt((double)a->size), max = -(double)INFINITY;
    double *p = calloc((size_t)total(a) + 1, sizeof *p), sum = 0;
    bool is_open = false;

    for (int64_t j = 0; j < total(a); j++) {
        double s = 0, more = bias(a, b, h, i, j);

        for (int64_t e = 0; e < a->size; e++)
            s += at(a, a->q, a->heads * a->group, a->q_length, a->size, b, h, i, e) *
                 kept(a, a->past_k, a->k, a->size, b, h / a->group, j, e);
        s *= scale;
        if (a->mode == 0)
            scores[j] = s;
        if (a->softcap > 0)
            s = a->softcap * tanh(s / a->softcap);
        if (a->mode == 1)
            scores[j] = s;
        s += more;
        if (a->mode == 2)
            scores[j] = s;
        is_open = is_open || more > -(double)INFINITY;
        max = s > max ? s : max;
        p[j] = s;
    }
    for (int64_t j = 0; j < total(a); j++)
        sum += p[j] = exp(p[j] - max);
    for (int64_t j = 0; j < total(a) && a->mode == 3; j++)
        scores[j] = is_open ? p[j] / sum : 0;
    for (int64_t e = 0; e < a->v_size; e++) {
        y[e] = 0;
        for (int64_t j = 0; j < total(a) && is_open; j++)
            y[e] += p[j] / sum * kept(a, a->past_v, a->v, a->v_size, b, h / a->group, j, e);
    }
    free(p);
}

static void expect(const struct attention *a, double *scores, double *y)
{
    int64_t heads = a->heads * a->group;

    for (int64_t b = 0; b < a->batch; b++) {
        for (int64_t h = 0; h < heads; h++) {
            for (int64_t i = 0; i < a->q_length; i++) {
                int64_t row = (b * heads + h) * a->q_length + i;
                int64_t to = a->is_packed ? (b * a->q_length + i) * heads + h : row;

                expect_row(a, b, h, i, scores + row * total(a), y + to * a->v_size);
            }
        }
    }
}

static double *feed_heads(const struct attention *a, const char *name, uint32_t dtype,
                          int64_t heads, int64_t length, int64_t size)
{
    if (a->is_packed)
        return feed(name, dtype, 3, (int64_t[]){a->batch, length, heads * size});
    return feed(name, dtype, 4, (int64_t[]){a->batch, heads, length, size});
}

static void feed_mask(struct attention *a)
{
    size_t n = (size_t)bp_dims_count(a->mask_dims, 4);
    bool is_float = typed_is_float(a->mask_dtype);
    int64_t least = typed_is_signed(a->mask_dtype) ? -2 : 0; /* bool gets its 0 and 1 */
    void *data;

    a->mask = data_make(n, BP_DTYPE_F32);
    for (size_t i = 0; i < n; i++) {
        if (is_float && data_pick(0, 3) == 0)
            a->mask[i] = -(double)INFINITY;
        else
            a->mask[i] = is_float ? 0.5 * (double)data_pick(-4, 4) : (double)data_pick(least, 2);
    }
    data = typed_encode(a->mask, n, a->mask_dtype);
    th_input(t, "mask", a->mask_dtype, dims(0, 4, a->mask_dims), data);
    free(data);
}

static void feed_all(struct attention *a)
{
    int64_t past[] = {a->batch, a->heads, a->past, a->size};

    a->q = feed_heads(a, "q", a->dtype, a->heads * a->group, a->q_length, a->size);
    a->k = feed_heads(a, "k", a->dtype, a->heads, a->length, a->size);
    a->v = feed_heads(a, "v", a->v_dtype, a->heads, a->length, a->v_size);
    if (a->mask_dtype != BP_DTYPE_NONE)
        feed_mask(a);
    if (a->has_past) {
        a->past_k = feed("pk", a->dtype, 4, past);
        past[3] = a->v_size;
        a->past_v = feed("pv", a->v_dtype, 4, past);
    }
    if (a->has_lengths)
        th_input(t, "n", BP_DTYPE_I64, dims(0, 1, &a->batch), a->lengths);
}

static void make_node(const struct attention *a, bool wants_scores)
{
    int64_t d[4] = {a->batch, a->heads * a->group, a->q_length, a->v_size};
    char in[64];

    if (a->is_packed) {
        d[1] = a->q_length;
        d[2] = a->heads * a->group * a->v_size;
    }
    th_output(t, "y", a->dtype, dims(0, a->is_packed ? 3 : 4, d));
    d[1] = a->heads;
    d[2] = total(a);
    d[3] = a->size;
    th_output(t, "nk", a->dtype, dims(0, 4, d));
    d[3] = a->v_size;
    th_output(t, "nv", a->v_dtype, dims(0, 4, d));
    if (wants_scores)
        th_output(t, "s", a->dtype,
                  dims(0, 4, (int64_t[]){a->batch, a->heads * a->group, a->q_length, total(a)}));
    snprintf(in, sizeof in, "q k v %s %s %s", a->mask_dtype ? "mask" : "-",
             a->has_past ? "pk pv" : "- -", a->has_lengths ? "n" : "-");
    th_node(t, "Attention", a->left >= 0 || a->right >= 0 ? 25 : 24, in,
            wants_scores ? "y nk nv s" : "y nk nv");
    if (a->left >= 0)
        th_int(t, "left_window_size", a->left);
    if (a->right >= 0)
        th_int(t, "right_window_size", a->right);
    th_int(t, "is_causal", a->is_causal);
    th_int(t, "qk_matmul_output_mode", a->mode);
    if (a->is_packed) {
        th_int(t, "q_num_heads", a->heads * a->group);
        th_int(t, "kv_num_heads", a->heads);
    }
    if (a->scale != 0)
        th_float(t, "scale", (float)a->scale);
    if (a->softcap > 0)
        th_float(t, "softcap", (float)a->softcap);
}

static void compare_kept(const struct attention *a, const char *name, uint32_t dtype,
                         const double *past, const double *x, int64_t size)
{
    int64_t n = a->batch * a->heads * total(a) * size, i = 0;
    double *want = calloc((size_t)n + 1, sizeof *want);

    for (int64_t b = 0; b < a->batch; b++) {
        for (int64_t h = 0; h < a->heads; h++) {
            for (int64_t k = 0; k < total(a) * size; k++)
                want[i++] = kept(a, past, x, size, b, h, k / size, k % size);
        }
    }
    data_compare(name, th_data(t, name), want, (size_t)n, dtype, 0);
    free(want);
}

static void check(struct attention *a, bool wants_scores)
{
    int64_t rows = a->batch * a->heads * a->group * a->q_length;
    double *scores = calloc((size_t)(rows * total(a)) + 1, sizeof *scores);
    double *y = calloc((size_t)(rows * a->v_size) + 1, sizeof *y);

    feed_all(a);
    make_node(a, wants_scores);
    ck_run();
    expect(a, scores, y);
    data_compare("y", th_data(t, "y"), y, (size_t)(rows * a->v_size), a->dtype, 100);
    compare_kept(a, "nk", a->dtype, a->past_k, a->k, a->size);
    compare_kept(a, "nv", a->v_dtype, a->past_v, a->v, a->v_size);
    if (wants_scores)
        data_compare("s", th_data(t, "s"), scores, (size_t)(rows * total(a)), a->dtype, 100);
    free(scores);
    free(y);
    free(a->q);
    free(a->k);
    free(a->v);
    free(a->mask);
    free(a->past_k);
    free(a->past_v);
}

static void randomise(struct attention *a)
{
    int64_t mask = data_pick(-1, TYPED_NUMBERS);

    a->is_packed = data_pick(0, 1);
    a->is_causal = data_pick(0, 1);
    a->has_past = data_pick(0, 2) == 0;
    a->has_lengths = !a->has_past && data_pick(0, 2) == 0;
    a->batch = data_pick(1, 3);
    a->group = data_pick(1, 3);
    a->heads = data_pick(1, 3);
    a->q_length = data_pick(1, data_pick(0, 3) ? 9 : 80);
    a->length = data_pick(1, data_pick(0, 3) ? 9 : 300);
    a->past = a->has_past ? data_pick(0, data_pick(0, 3) ? 9 : 300) : 0;
    a->size = data_pick(1, 20);
    a->v_size = data_pick(1, 20);
    a->mask_dtype = mask < 0 ? BP_DTYPE_NONE : typed_all[mask]; /* after the numbers is bool */
    a->mask_dims[0] = data_pick(0, 1) ? a->batch : 1;
    a->mask_dims[1] = data_pick(0, 1) ? a->heads * a->group : 1;
    a->mask_dims[2] = data_pick(0, 1) ? a->q_length : 1;
    a->mask_dims[3] = data_pick(0, 2) ? total(a) : data_pick(0, total(a));
    a->mode = data_pick(0, 3);
    a->left = a->right = -1;
    a->scale = data_pick(0, 1) ? 0.5 : 0;
    a->softcap = data_pick(0, 2) ? 0 : 0.75;
    for (int i = 0; i < 4; i++)
        a->lengths[i] = data_pick(0, total(a));
}

START_TEST(attention_matches_its_definition)
{
    struct attention a = {.dtype = dtypes[_i % 4], .v_dtype = dtypes[_i % 4]};

    data_seed((uint64_t)_i * 31 + 5);
    randomise(&a);
    if (_i % 8 == 7)
        a.v_dtype = dtypes[data_pick(0, 3)];
    check(&a, _i / 4 % 2);
}
END_TEST

START_TEST(attention_in_a_window_matches_its_definition)
{
    struct attention a = {.dtype = dtypes[_i % 4], .v_dtype = dtypes[_i % 4]};

    data_seed((uint64_t)_i * 37 + 11);
    randomise(&a);
    if (_i % 4 != 1)
        a.left = data_pick(0, data_pick(0, 2) ? 4 : 320);
    if (_i % 4 != 2)
        a.right = data_pick(0, data_pick(0, 2) ? 4 : 320);
    check(&a, _i / 4 % 2);
}
END_TEST

/* The picture of Attention-25 in ONNX's documentation: 4 queries, 6 keys, 2 to the left, 1 right. */
START_TEST(attention_windows_are_those_of_the_specification)
{
    static const double seen[24] = {1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0,
                                    1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 0};
    double want[24];

    th_input(t, "q", BP_DTYPE_F32, "1,1,4,1", (float[4]){0});
    th_input(t, "k", BP_DTYPE_F32, "1,1,6,1", (float[6]){0});
    th_input(t, "v", BP_DTYPE_F32, "1,1,6,6",
             (float[36]){[0] = 1, [7] = 1, [14] = 1, [21] = 1, [28] = 1, [35] = 1});
    th_output(t, "y", BP_DTYPE_F32, "1,1,4,6");
    th_node(t, "Attention", 25, "q k v", "y");
    th_int(t, "left_window_size", 2);
    th_int(t, "right_window_size", 1);
    for (int i = 0; i < 4; i++) {
        const double *row = seen + i * 6;
        double n = row[0] + row[1] + row[2] + row[3] + row[4] + row[5];

        for (int j = 0; j < 6; j++)
            want[i * 6 + j] = row[j] / n;
    }
    ck_run();
    data_compare("y", th_data(t, "y"), want, 24, BP_DTYPE_F32, 4);
}
END_TEST

/* INT64_MAX to the left is all keys; a window that lies before or after all keys gives 0. */
START_TEST(attention_windows_of_any_size_are_safe)
{
    static const struct {
        int64_t left, right, length;
        double y;
    } rows[] = {{INT64_MAX, INT64_MAX, 1, 1}, {INT64_MAX, 0, 2, 1.5}, {0, 0, 0, 0}};

    th_input(t, "q", BP_DTYPE_F32, "1,1,2,1", (float[]){0, 0});
    th_input(t, "k", BP_DTYPE_F32, "1,1,2,1", (float[]){0, 0});
    th_input(t, "v", BP_DTYPE_F32, "1,1,2,1", (float[]){1, 2});
    th_input(t, "n", BP_DTYPE_I64, "1", &rows[_i].length);
    th_output(t, "y", BP_DTYPE_F32, "1,1,2,1");
    th_node(t, "Attention", 25, "q k v - - - n", "y");
    th_int(t, "left_window_size", rows[_i].left);
    th_int(t, "right_window_size", rows[_i].right);
    ck_run();
    ck_assert_double_eq_tol((double)((const float *)th_data(t, "y"))[1], rows[_i].y, 1e-6);
}
END_TEST

START_TEST(attention_with_several_threads_matches_its_definition)
{
    struct attention a = {.dtype = BP_DTYPE_F32,
                          .v_dtype = BP_DTYPE_F32,
                          .batch = 1,
                          .group = 2,
                          .heads = 2,
                          .q_length = 150,
                          .length = 700,
                          .past = 0,
                          .size = 64,
                          .v_size = 40,
                          .left = -1,
                          .right = -1,
                          .is_causal = _i & 1,
                          .is_packed = _i & 2};

    data_seed((uint64_t)_i + 9);
    th_threads(t, _i & 4 ? 1 : 3);
    check(&a, false);
}
END_TEST

START_TEST(attention_without_keys_gives_zero)
{
    static const double zeroes[8];

    th_input(t, "q", BP_DTYPE_F32, "1,2,2,2", (float[]){1, 2, 3, 4, 5, 6, 7, 8});
    th_input(t, "k", BP_DTYPE_F32, "1,2,0,2", NULL);
    th_input(t, "v", BP_DTYPE_F32, "1,2,0,2", NULL);
    th_output(t, "y", BP_DTYPE_F32, "1,2,2,2");
    th_node(t, "Attention", 23, "q k v", "y");
    ck_run();
    data_compare("y", th_data(t, "y"), zeroes, 8, BP_DTYPE_F32, 0);
}
END_TEST

START_TEST(attention_without_queries_gives_an_empty_output)
{
    th_input(t, "q", BP_DTYPE_F16, "1,2,0,2", NULL);
    th_input(t, "k", BP_DTYPE_F16, "1,2,1,2", (uint16_t[]){0, 0, 0, 0});
    th_input(t, "v", BP_DTYPE_F16, "1,2,1,2", (uint16_t[]){0, 0, 0, 0});
    th_output(t, "y", BP_DTYPE_F16, "1,2,0,2");
    th_node(t, "Attention", 23, "q k v", "y");
    ck_run();
}
END_TEST

START_TEST(attention_rejects_lengths_beyond_the_keys)
{
    th_input(t, "q", BP_DTYPE_F32, "1,1,1,1", (float[]){1});
    th_input(t, "k", BP_DTYPE_F32, "1,1,2,1", (float[]){1, 2});
    th_input(t, "v", BP_DTYPE_F32, "1,1,2,1", (float[]){1, 2});
    th_input(t, "n", BP_DTYPE_I64, "1", (int64_t[]){_i ? 3 : INT64_MIN});
    th_output(t, "y", BP_DTYPE_F32, "1,1,1,1");
    th_node(t, "Attention", 24, "q k v - - - n", "y");
    ck_assert_int_eq(th_run(t), BP_E_INVALID);
    ck_assert_ptr_nonnull(strstr(th_message(t), "nonpad_kv_seqlen has"));
}
END_TEST

START_TEST(flex_attention_without_subgraphs_matches_attention)
{
    struct attention a = {.dtype = dtypes[_i],
                          .v_dtype = dtypes[_i],
                          .batch = 2,
                          .group = 2,
                          .heads = 3,
                          .q_length = 5,
                          .length = 7,
                          .size = 6,
                          .v_size = 4,
                          .left = -1,
                          .right = -1};
    double y[2 * 6 * 5 * 4], scores[2 * 6 * 5 * 7];

    a.q = feed_heads(&a, "q", a.dtype, 6, 5, 6);
    a.k = feed_heads(&a, "k", a.dtype, 3, 7, 6);
    a.v = feed_heads(&a, "v", a.dtype, 3, 7, 4);
    th_output(t, "y", a.dtype, "2,6,5,4");
    th_node(t, "FlexAttention", 1, "q k v", "y");
    th_domain(t, "ai.onnx.preview");
    ck_run();
    expect(&a, scores, y);
    data_compare("y", th_data(t, "y"), y, 2 * 6 * 5 * 4, a.dtype, 50);
    free(a.q);
    free(a.k);
    free(a.v);
}
END_TEST

/* ---- RotaryEmbedding ------------------------------------------------------------------------- */

START_TEST(rotary_embedding_matches_its_definition)
{
    uint32_t dtype = dtypes[_i % 4];
    bool is_packed = _i & 4, is_interleaved = _i & 8, by_id = _i & 16;
    int64_t batch = 2, heads, length, size, half, ids[64];
    double *x, *c, *s, *y;

    data_seed((uint64_t)_i);
    heads = data_pick(1, 3);
    length = data_pick(1, 6);
    half = data_pick(1, 20);
    size = half * 2 + (data_pick(0, 1) ? data_pick(0, 3) : 0);
    for (int64_t i = 0; i < batch * length; i++)
        ids[i] = data_pick(0, 9);
    x = is_packed ? feed("x", dtype, 3, (int64_t[]){batch, length, heads * size})
                  : feed("x", dtype, 4, (int64_t[]){batch, heads, length, size});
    c = feed("c", dtype, by_id ? 2 : 3,
             by_id ? (int64_t[]){10, half} : (int64_t[]){batch, length, half});
    s = feed("s", dtype, by_id ? 2 : 3,
             by_id ? (int64_t[]){10, half} : (int64_t[]){batch, length, half});
    if (by_id)
        th_input(t, "ids", BP_DTYPE_I64, dims(0, 2, (int64_t[]){batch, length}), ids);
    y = calloc((size_t)(batch * heads * length * size), sizeof *y);
    for (int64_t i = 0; i < batch * heads * length; i++) {
        int64_t b = i / heads / length, h = i / length % heads, p = i % length;
        int64_t base = is_packed ? ((b * length + p) * heads + h) * size : i * size;
        int64_t row = by_id ? ids[b * length + p] : b * length + p;

        for (int64_t k = 0; k < size; k++)
            y[base + k] = x[base + k];
        for (int64_t k = 0; k < half; k++) {
            int64_t one = base + (is_interleaved ? 2 * k : k);
            int64_t other = base + (is_interleaved ? 2 * k + 1 : k + half);
            double cosine = c[row * half + k], sine = s[row * half + k];

            y[one] = cosine * x[one] - sine * x[other];
            y[other] = sine * x[one] + cosine * x[other];
        }
    }
    th_output(t, "y", dtype,
              is_packed ? dims(0, 3, (int64_t[]){batch, length, heads * size})
                        : dims(0, 4, (int64_t[]){batch, heads, length, size}));
    th_node(t, "RotaryEmbedding", 23, by_id ? "x c s ids" : "x c s", "y");
    th_int(t, "interleaved", is_interleaved);
    if (is_packed)
        th_int(t, "num_heads", heads);
    if (size != half * 2)
        th_int(t, "rotary_embedding_dim", half * 2);
    ck_run();
    data_compare("y", th_data(t, "y"), y, (size_t)(batch * heads * length * size), dtype, 4);
    free(x);
    free(c);
    free(s);
    free(y);
}
END_TEST

START_TEST(rotary_embedding_rejects_positions_beyond_the_cache)
{
    th_input(t, "x", BP_DTYPE_F32, "1,1,1,2", (float[]){1, 2});
    th_input(t, "c", BP_DTYPE_F32, "3,1", (float[]){1, 2, 3});
    th_input(t, "s", BP_DTYPE_F32, "3,1", (float[]){1, 2, 3});
    th_input(t, "ids", BP_DTYPE_I64, "1,1", (int64_t[]){_i ? 3 : -1});
    th_output(t, "y", BP_DTYPE_F32, "1,1,1,2");
    th_node(t, "RotaryEmbedding", 23, "x c s ids", "y");
    ck_assert_int_eq(th_run(t), BP_E_INVALID);
    ck_assert_ptr_nonnull(strstr(th_message(t), "position_ids has"));
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cpu_attention");
    TCase *tcase = tcase_create("attention");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, attention_matches_its_definition, 0, 160);
    tcase_add_loop_test(tcase, attention_in_a_window_matches_its_definition, 0, 96);
    tcase_add_test(tcase, attention_windows_are_those_of_the_specification);
    tcase_add_loop_test(tcase, attention_windows_of_any_size_are_safe, 0, 3);
    tcase_add_loop_test(tcase, attention_with_several_threads_matches_its_definition, 0, 8);
    tcase_add_test(tcase, attention_without_keys_gives_zero);
    tcase_add_test(tcase, attention_without_queries_gives_an_empty_output);
    tcase_add_loop_test(tcase, attention_rejects_lengths_beyond_the_keys, 0, 2);
    tcase_add_loop_test(tcase, flex_attention_without_subgraphs_matches_attention, 0, 4);
    tcase_add_loop_test(tcase, rotary_embedding_matches_its_definition, 0, 64);
    tcase_add_loop_test(tcase, rotary_embedding_rejects_positions_beyond_the_cache, 0, 2);
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
