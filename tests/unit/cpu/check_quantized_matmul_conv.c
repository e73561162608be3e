/* SPDX-License-Identifier: MIT */
/*
 * check_quantized_matmul_conv.c - MatMulInteger, ConvInteger, QLinearMatMul and QLinearConv of the CPU provider,
 * and the tiles of each instruction set, against sums that are written down plainly.
 */

#include "config.h"

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "cpu/cpu_case.h"
#include "kernels/int8/int8.h"
#include "support/random.h"

/* ---- numbers --------------------------------------------------------------------------------- */

static uint8_t *random_bytes(size_t n, uint64_t *seed)
{
    uint8_t *bytes = malloc(n + 1);

    ck_assert_ptr_nonnull(bytes);
    for (size_t i = 0; i < n; i++) /* the ends are where things overflow */
        bytes[i] = random_below(seed, 6) ? (uint8_t)random_next(seed)
                                         : (uint8_t)(0x7f + random_below(seed, 2) * 0x80);
    return bytes;
}

static int32_t byte_at(const uint8_t *bytes, size_t i, bool is_signed)
{
    return is_signed ? (int8_t)bytes[i] : bytes[i];
}

static const char *dims_text(uint32_t n, const int64_t *dims)
{
    static char text[8][96];
    static int next;
    char *at = text[next = (next + 1) % 8];

    *at = '\0';
    for (uint32_t d = 0; d < n; d++)
        at += sprintf(at, "%s%lld", d ? "," : "", (long long)dims[d]);
    return text[next];
}

static uint32_t type_of(bool is_signed)
{
    return is_signed ? BP_DTYPE_I8 : BP_DTYPE_U8;
}

static void put(bool is_constant, const char *name, uint32_t dtype, const char *dims,
                const void *data)
{
    if (is_constant)
        th_const(t, name, dtype, dims, data);
    else
        th_input(t, name, dtype, dims, data);
}

/* ---- tiles ----------------------------------------------------------------------------------- */

struct result {
    int32_t *c;
    size_t n;
};

static void keep(void *u, const int32_t *sums, size_t i, size_t j, size_t n)
{
    const struct result *r = u;

    memcpy(r->c + i * r->n + j, sums, n * sizeof *sums);
}

/* _i: level, then signs, then whether B comes packed */
START_TEST(int8_kernels_of_every_instruction_set_give_equal_sums)
{
    bool usable = false, a_signed = _i / 4 % 2, b_signed = _i / 8 % 2, is_packed = _i / 16 % 2;
    uint64_t seed = (uint64_t)_i;
    struct bp_cpu_int8 plan = {.m = 1 + random_below(&seed, 40),
                               .n = 1 + random_below(&seed, 90),
                               .k = _i / 32 % 4 == 0 ? 0 : 1 + random_below(&seed, 300),
                               .a_signed = a_signed,
                               .b_signed = b_signed,
                               .is_packed = is_packed,
                               .width = 1 + (uint32_t)_i % 5,
                               .level = bp_cpu_int8_level((uint32_t)_i % 4, &usable)};
    uint8_t *a = random_bytes(plan.m * plan.k, &seed), *b = random_bytes(plan.k * plan.n, &seed);
    int32_t a_zero[40], b_zero[90], *c = calloc(plan.m * plan.n, sizeof *c);
    struct result result = {c, plan.n};
    struct bp_cpu_int8_operands o = {.a_zero = {a_zero, _i % 3 == 0},
                                     .b_zero = {b_zero, _i % 5 == 0},
                                     .finish = keep,
                                     .u = &result};
    void *packed_a, *packed_b, *scratch;

    for (size_t i = 0; i < 40; i++)
        a_zero[i] = byte_at((uint8_t[]){(uint8_t)random_next(&seed)}, 0, a_signed);
    for (size_t j = 0; j < 90; j++)
        b_zero[j] = byte_at((uint8_t[]){(uint8_t)random_next(&seed)}, 0, b_signed);
    if (!usable)
        goto out;
    ck_assert(bp_cpu_int8_plan(&plan));
    packed_a = aligned_alloc(64, bp_cpu_int8_a_size(&plan) + 64);
    packed_b = aligned_alloc(64, bp_cpu_int8_b_size(&plan) + 64);
    scratch = aligned_alloc(64, (plan.scratch_bytes + 127) / 64 * 64);
    bp_cpu_int8_pack_a(&plan, a, packed_a);
    if (is_packed)
        bp_cpu_int8_pack_b(&plan, b, packed_b);
    o.a = packed_a;
    o.b = is_packed ? packed_b : b;
    for (uint32_t i = 0; i < plan.tasks; i++)
        bp_cpu_int8_task(&plan, &o, i, scratch);
    for (size_t i = 0; i < plan.m * plan.n; i++) {
        uint32_t sum = 0;
        int32_t za = a_zero[o.a_zero.each ? i / plan.n : 0];
        int32_t zb = b_zero[o.b_zero.each ? i % plan.n : 0];

        for (size_t p = 0; p < plan.k; p++)
            sum += (uint32_t)((byte_at(a, i / plan.n * plan.k + p, a_signed) - za) *
                              (byte_at(b, p * plan.n + i % plan.n, b_signed) - zb));
        ck_assert_msg(c[i] == (int32_t)sum, "%s: sum %zu of %zu x %zu x %zu is %d, not %d",
                      plan.level->name, i, plan.m, plan.n, plan.k, c[i], (int32_t)sum);
    }
    free(packed_a);
    free(packed_b);
    free(scratch);
out:
    free(a);
    free(b);
    free(c);
}
END_TEST

/* One element of Y, from the sum of its products, plainly. */
static float expected_output(const struct bp_cpu_int8_output *out, int32_t sum, size_t j)
{
    float v = (float)sum * out->scales[out->each ? j : 0];
    float low = out->dtype == BP_DTYPE_I8 ? INT8_MIN : 0;
    float high = out->dtype == BP_DTYPE_I8 ? INT8_MAX : UINT8_MAX;

    if (out->dtype == BP_DTYPE_F32)
        return out->bias ? v + out->bias[j] : v;
    v = rintf(v) + (float)out->zero;
    return v > low ? (v < high ? v : high) : low; /* NaN is the lowest */
}

static float output_at(const struct bp_cpu_int8_output *out, size_t i)
{
    if (out->dtype == BP_DTYPE_F32)
        return ((const float *)out->y)[i];
    return (float)byte_at(out->y, i, out->dtype == BP_DTYPE_I8);
}

/* _i: level, then Y's type, then whether scales, then whether zero points of B are for each column */
START_TEST(int8_kernels_of_every_instruction_set_give_equal_outputs)
{
    static const uint32_t dtypes[] = {BP_DTYPE_U8, BP_DTYPE_I8, BP_DTYPE_F32};
    bool usable = false;
    uint64_t seed = (uint64_t)_i;
    struct bp_cpu_int8 plan = {.m = 1 + random_below(&seed, 40),
                               .n = 1 + random_below(&seed, 90),
                               .k = 1 + random_below(&seed, 300),
                               .a_signed = random_below(&seed, 2),
                               .b_signed = random_below(&seed, 2),
                               .is_packed = true,
                               .width = 1 + (uint32_t)_i % 5,
                               .level = bp_cpu_int8_level((uint32_t)_i % 4, &usable)};
    uint8_t *a = random_bytes(plan.m * plan.k, &seed), *b = random_bytes(plan.k * plan.n, &seed);
    int32_t a_zero = byte_at((uint8_t[]){(uint8_t)random_next(&seed)}, 0, plan.a_signed);
    int32_t b_zero[90] = {0}, *c = calloc(plan.m * plan.n, sizeof *c);
    struct result result = {c, plan.n};
    struct bp_cpu_int8_output output = {.dtype = dtypes[_i / 4 % 3],
                                        .each = _i / 12 % 2,
                                        .zero = (int32_t)random_below(&seed, 100)};
    struct bp_cpu_int8_operands o = {
        .a_zero = {&a_zero, false}, .b_zero = {b_zero, _i / 24 % 2}, .finish = keep, .u = &result};
    float scales[90], bias[90], *y = malloc((plan.m * plan.n + 8) * sizeof *y);
    void *packed_a, *packed_b, *scratch;

    /* small ones for ordinary values, large ones that saturate, one that gives NaN and infinity */
    for (size_t j = 0; j < 90; j++) {
        scales[j] = (float)random_below(&seed, 1000) * (j % 7 == 0 ? 1e3F : 1e-6F);
        bias[j] = (float)random_below(&seed, 1000) - 500;
        b_zero[j] =
            _i % 5 ? byte_at((uint8_t[]){(uint8_t)random_next(&seed)}, 0, plan.b_signed) : 0;
    }
    if (_i % 3 == 0)
        scales[_i % 90] = INFINITY;
    output.scales = scales;
    output.bias = _i / 48 % 2 ? bias : NULL;
    output.y = y;
    memset(y, 0xa5, (plan.m * plan.n + 8) * sizeof *y);
    if (!usable)
        goto out;
    ck_assert(bp_cpu_int8_plan(&plan));
    packed_a = aligned_alloc(64, bp_cpu_int8_a_size(&plan) + 64);
    packed_b = aligned_alloc(64, bp_cpu_int8_b_size(&plan) + 64);
    scratch = aligned_alloc(64, (plan.scratch_bytes + 127) / 64 * 64);
    bp_cpu_int8_pack_a(&plan, a, packed_a);
    bp_cpu_int8_pack_b(&plan, b, packed_b);
    o.a = packed_a;
    o.b = packed_b;
    for (uint32_t i = 0; i < plan.tasks; i++)
        bp_cpu_int8_task(&plan, &o, i, scratch);
    o.output = &output;
    for (uint32_t i = 0; i < plan.tasks; i++)
        bp_cpu_int8_task(&plan, &o, i, scratch);
    for (size_t i = 0; i < plan.m * plan.n; i++) {
        float want = expected_output(&output, c[i], i % plan.n), got = output_at(&output, i);

        ck_assert_msg(got == want || (isnan(got) && isnan(want)),
                      "%s: element %zu of %zu x %zu x %zu is %g, not %g", plan.level->name, i,
                      plan.m, plan.n, plan.k, (double)got, (double)want);
    }
    /* nothing is written after the last element */
    ck_assert_uint_eq(((uint8_t *)y)[plan.m * plan.n * (output.dtype == BP_DTYPE_F32 ? 4 : 1)],
                      0xa5);
    free(packed_a);
    free(packed_b);
    free(scratch);
out:
    free(a);
    free(b);
    free(c);
    free(y);
}
END_TEST

/* ---- matrices -------------------------------------------------------------------------------- */

/* Batches of one dimension, m x k by k x n; numbers for a whole operand, or each row or column. */
struct matmul {
    int64_t a_batch, b_batch, m, n, k;
    bool a_signed, b_signed, y_signed, b_constant;
    int a_each, b_each; /* 0 one number; 1 a vector; 2 for each matrix */
    uint8_t *a, *b, *a_zero, *b_zero;
    float *a_scale, *b_scale, y_scale;
    uint8_t y_zero;
};

static size_t values_of(int each, int64_t per, int64_t matrices)
{
    return each == 0 ? 1 : (size_t)(each == 1 ? per : per * matrices);
}

static float *random_scales(size_t n, uint64_t *seed)
{
    float *scales = malloc(n * sizeof *scales);

    for (size_t i = 0; i < n; i++)
        scales[i] = 0.001f + fabsf(random_float(seed, 0.05f));
    return scales;
}

static struct matmul random_matmul(uint64_t *seed, int i)
{
    struct matmul k = {.a_batch = i % 3 ? 1 : 1 + random_below(seed, 4),
                       .m = 1 + random_below(seed, 30),
                       .n = 1 + random_below(seed, 70),
                       .k = 1 + random_below(seed, 100),
                       .a_signed = i & 1,
                       .b_signed = i & 2,
                       .y_signed = i & 4,
                       .b_constant = i & 8,
                       .a_each = (int)random_below(seed, 3),
                       .b_each = (int)random_below(seed, 3)};
    size_t a_n, b_n;

    k.b_batch = i % 2 ? k.a_batch : i % 5 ? 1 : 3;
    if (k.a_batch != 1 && k.b_batch == 3)
        k.b_batch = k.a_batch;
    a_n = values_of(k.a_each, k.m, k.a_batch);
    b_n = values_of(k.b_each, k.n, k.b_batch);
    k.a = random_bytes((size_t)(k.a_batch * k.m * k.k), seed);
    k.b = random_bytes((size_t)(k.b_batch * k.k * k.n), seed);
    k.a_zero = random_bytes(a_n, seed);
    k.b_zero = random_bytes(b_n, seed);
    k.a_scale = random_scales(a_n, seed);
    k.b_scale = random_scales(b_n, seed);
    k.y_scale = 0.5f;
    k.y_zero = (uint8_t)random_next(seed);
    return k;
}

static void free_matmul(struct matmul *k)
{
    free(k->a);
    free(k->b);
    free(k->a_zero);
    free(k->b_zero);
    free(k->a_scale);
    free(k->b_scale);
}

/* Shape of the numbers of an operand: "", "5", or "2,5,1". */
static const char *values_dims(int each, int64_t batch, int64_t rows, int64_t cols)
{
    int64_t dims[3] = {batch, rows, cols}, count = rows * cols;

    return each == 0 ? "" : each == 1 ? dims_text(1, &count) : dims_text(3, dims);
}

static const char *y_dims(const struct matmul *k)
{
    return dims_text(3, (int64_t[]){k->a_batch > k->b_batch ? k->a_batch : k->b_batch, k->m, k->n});
}

static size_t number_at(int each, size_t per, size_t matrix, size_t i)
{
    return each == 0 ? 0 : each == 1 ? i : matrix * per + i;
}

/* The sum for element (i, j) of pair `batch`; where the scales are, in *a_at and *b_at. */
static int32_t sum_of(const struct matmul *k, size_t batch, size_t i, size_t j, size_t *a_at,
                      size_t *b_at)
{
    size_t p = k->a_batch > 1 ? batch : 0, q = k->b_batch > 1 ? batch : 0;
    size_t m = (size_t)k->m, n = (size_t)k->n, depth = (size_t)k->k;
    int32_t sum = 0;

    *a_at = number_at(k->a_each, m, p, i);
    *b_at = number_at(k->b_each, n, q, j);
    for (size_t d = 0; d < depth; d++)
        sum += (byte_at(k->a, (p * m + i) * depth + d, k->a_signed) -
                byte_at(k->a_zero, *a_at, k->a_signed)) *
               (byte_at(k->b, (q * depth + d) * n + j, k->b_signed) -
                byte_at(k->b_zero, *b_at, k->b_signed));
    return sum;
}

static void put_matrices(const struct matmul *k, bool has_scales)
{
    const char *a_values = values_dims(k->a_each, k->a_batch, k->m, 1);
    const char *b_values = values_dims(k->b_each, k->b_batch, 1, k->n);

    th_input(t, "a", type_of(k->a_signed), dims_text(3, (int64_t[]){k->a_batch, k->m, k->k}), k->a);
    put(k->b_constant, "b", type_of(k->b_signed), dims_text(3, (int64_t[]){k->b_batch, k->k, k->n}),
        k->b);
    th_input(t, "az", type_of(k->a_signed), a_values, k->a_zero);
    put(k->b_constant, "bz", type_of(k->b_signed), b_values, k->b_zero);
    if (!has_scales)
        return;
    th_input(t, "as", BP_DTYPE_F32, a_values, k->a_scale);
    put(k->b_constant, "bs", BP_DTYPE_F32, b_values, k->b_scale);
    th_const(t, "ys", BP_DTYPE_F32, "", &k->y_scale);
    th_const(t, "yz", type_of(k->y_signed), "", &k->y_zero);
}

START_TEST(matmul_integer_gives_exact_sums)
{
    uint64_t seed = (uint64_t)_i;
    struct matmul k = random_matmul(&seed, _i);
    size_t n, a_at, b_at;

    put_matrices(&k, false);
    th_output(t, "y", BP_DTYPE_I32, y_dims(&k));
    th_node(t, "MatMulInteger", 10, "a b az bz", "y");
    ck_run();
    n = th_count(t, "y");
    for (size_t e = 0; e < n; e++) {
        size_t row = e / (size_t)k.n, batch = row / (size_t)k.m;

        ck_assert_int_eq(((const int32_t *)th_data(t, "y"))[e],
                         sum_of(&k, batch, row % (size_t)k.m, e % (size_t)k.n, &a_at, &b_at));
    }
    free_matmul(&k);
}
END_TEST

static double held(double x, bool is_signed)
{
    double low = is_signed ? -128 : 0, high = is_signed ? 127 : 255;

    return x < low ? low : x > high ? high : x;
}

START_TEST(qlinear_matmul_quantizes_exact_sums)
{
    uint64_t seed = (uint64_t)_i + 500;
    struct matmul k = random_matmul(&seed, _i);
    size_t n;

    put_matrices(&k, true);
    th_output(t, "y", type_of(k.y_signed), y_dims(&k));
    th_node(t, "QLinearMatMul", 21, "a as az b bs bz ys yz", "y");
    ck_run();
    n = th_count(t, "y");
    for (size_t e = 0; e < n; e++) {
        size_t row = e / (size_t)k.n, batch = row / (size_t)k.m, a_at, b_at;
        int32_t sum = sum_of(&k, batch, row % (size_t)k.m, e % (size_t)k.n, &a_at, &b_at);
        float factor = k.a_scale[a_at] * k.b_scale[b_at] / k.y_scale;
        double want =
            held(nearbyint(sum * (double)factor) + byte_at(&k.y_zero, 0, k.y_signed), k.y_signed);

        ck_assert_msg((double)byte_at(th_data(t, "y"), e, k.y_signed) == want,
                      "element %zu is %d, not %g", e, byte_at(th_data(t, "y"), e, k.y_signed),
                      want);
    }
    free_matmul(&k);
}
END_TEST

START_TEST(matmul_integer_takes_vectors)
{
    th_input(t, "a", BP_DTYPE_U8, "3", "\1\2\3");
    th_input(t, "b", BP_DTYPE_I8, "3", "\1\377\2");
    th_input(t, "m", BP_DTYPE_I8, "3,2", "\1\0\0\1\1\1");
    th_output(t, "y", BP_DTYPE_I32, "");
    th_output(t, "z", BP_DTYPE_I32, "2");
    th_node(t, "MatMulInteger", 10, "a b", "y");
    th_node(t, "MatMulInteger", 10, "a m", "z");
    ck_run();
    ck_assert_int_eq(*(const int32_t *)th_data(t, "y"), 5);
    ck_assert_int_eq(((const int32_t *)th_data(t, "z"))[0], 4);
    ck_assert_int_eq(((const int32_t *)th_data(t, "z"))[1], 5);
}
END_TEST

START_TEST(matmul_integer_over_an_empty_axis_gives_zero)
{
    static const int32_t zeroes[6];

    th_input(t, "a", BP_DTYPE_U8, "2,0", NULL);
    th_input(t, "b", BP_DTYPE_U8, "0,3", NULL);
    th_input(t, "c", BP_DTYPE_U8, "0,2", NULL);
    th_input(t, "d", BP_DTYPE_U8, "2,2", "\1\2\3\4");
    th_output(t, "y", BP_DTYPE_I32, "2,3");
    th_output(t, "z", BP_DTYPE_I32, "0,2");
    th_node(t, "MatMulInteger", 10, "a b", "y");
    th_node(t, "MatMulInteger", 10, "c d", "z");
    ck_run();
    ck_assert_mem_eq(th_data(t, "y"), zeroes, sizeof zeroes);
}
END_TEST

START_TEST(matmul_integer_rejects_zero_points_of_a_wrong_shape)
{
    th_input(t, "a", BP_DTYPE_U8, "2,2", "\1\2\3\4");
    th_input(t, "b", BP_DTYPE_U8, "2,2", "\1\2\3\4");
    th_input(t, "z", BP_DTYPE_U8, "3", "\1\2\3");
    th_output(t, "y", BP_DTYPE_I32, "2,2");
    th_node(t, "MatMulInteger", 10, "a b z", "y");
    ck_assert_int_eq(th_run(t), BP_E_SHAPE);
    ck_assert_ptr_nonnull(strstr(th_message(t), "input 2 has 3 elements"));
}
END_TEST

/* 0.5 to 8 in E5M2, whose products and sums are exact */
START_TEST(qlinear_matmul_takes_float8)
{
    static const uint8_t a[] = {0x38, 0x3c, 0x40, 0x44}; /* 0.5 1 2 4 */
    static const uint8_t b[] = {0x3c, 0xbc, 0x40, 0x00}; /* 1 -1 2 0 */
    const uint8_t *y;

    th_input(t, "a", BP_DTYPE_F8E5M2, "2,2", a);
    th_input(t, "b", BP_DTYPE_F8E5M2, "2,2", b);
    th_input(t, "s", BP_DTYPE_F32, "", (float[]){1});
    th_input(t, "bs", BP_DTYPE_F32, "2", (float[]){1, 2});
    th_input(t, "z", BP_DTYPE_F8E5M2, "", "\0");
    th_input(t, "bz", BP_DTYPE_F8E5M2, "2", "\0\0");
    th_input(t, "ys", BP_DTYPE_F32, "", (float[]){2});
    th_input(t, "yz", BP_DTYPE_F8E4M3FN, "", "\0");
    th_output(t, "y", BP_DTYPE_F8E4M3FN, "2,2");
    th_node(t, "QLinearMatMul", 21, "a s z b bs bz ys yz", "y");
    ck_run();
    y = th_data(t, "y"); /* (2.5, -1; 10, -4) / 2 */
    ck_assert_uint_eq(y[0], 0x3a);
    ck_assert_uint_eq(y[1], 0xb0);
    ck_assert_uint_eq(y[2], 0x4a);
    ck_assert_uint_eq(y[3], 0xc0);
}
END_TEST

/* ---- convolutions ---------------------------------------------------------------------------- */

struct conv {
    int64_t batch, groups, channels, maps; /* of a group */
    int64_t in[2], kernel[2], stride[2], dilation[2], pads[4], out[2];
    bool x_signed, w_signed, y_signed, w_constant, by_map;
    uint8_t *x, *w, *w_zero, x_zero, y_zero;
    float *w_scale, x_scale, y_scale;
    int32_t *bias;
};

static struct conv random_conv(uint64_t *seed, int i)
{
    bool is_pointwise = i % 5 == 0;
    struct conv k = {.batch = 1 + random_below(seed, 2),
                     .groups = i % 4 ? 1 : 1 + random_below(seed, 3),
                     .channels = 1 + random_below(seed, i % 4   ? 20
                                                        : i % 8 ? 2
                                                                : 1),
                     .maps = 1 + random_below(seed, i % 4 ? 30 : 3),
                     .x_signed = random_below(seed, 2),
                     .w_signed = random_below(seed, 2),
                     .y_signed = i & 4,
                     .w_constant = i & 8,
                     .by_map = i % 3 == 0,
                     .x_zero = (uint8_t)random_next(seed),
                     .y_zero = (uint8_t)random_next(seed),
                     .x_scale = 0.02f,
                     .y_scale = 0.7f};
    int64_t maps;

    for (int d = 0; d < 2; d++) {
        k.kernel[d] = is_pointwise ? 1 : 1 + random_below(seed, 4);
        k.stride[d] = is_pointwise ? 1 : 1 + random_below(seed, 2);
        k.dilation[d] = 1 + random_below(seed, 2);
        k.pads[d] = is_pointwise ? 0 : random_below(seed, 3);
        k.pads[2 + d] = is_pointwise ? 0 : random_below(seed, 3);
        k.in[d] =
            (k.kernel[d] - 1) * k.dilation[d] + 1 + random_below(seed, d && i % 7 == 0 ? 200 : 20);
        k.out[d] = (k.in[d] + k.pads[d] + k.pads[2 + d] - (k.kernel[d] - 1) * k.dilation[d] - 1) /
                       k.stride[d] +
                   1;
    }
    maps = k.groups * k.maps;
    k.x = random_bytes((size_t)(k.batch * k.groups * k.channels * k.in[0] * k.in[1]), seed);
    k.w = random_bytes((size_t)(maps * k.channels * k.kernel[0] * k.kernel[1]), seed);
    k.w_zero = random_bytes((size_t)maps, seed);
    k.w_scale = random_scales((size_t)maps, seed);
    k.bias = malloc((size_t)maps * sizeof *k.bias);
    for (int64_t m = 0; m < maps; m++)
        k.bias[m] = (int32_t)random_below(seed, 20000) - 10000;
    return k;
}

static void free_conv(struct conv *k)
{
    free(k->x);
    free(k->w);
    free(k->w_zero);
    free(k->w_scale);
    free(k->bias);
}

/* Output (b, m, r, c), m counted through all groups. */
static int32_t conv_sum(const struct conv *k, int64_t b, int64_t m, int64_t r, int64_t c)
{
    int64_t group = m / k->maps;
    int32_t sum = 0, zw = byte_at(k->w_zero, k->by_map ? (size_t)m : 0, k->w_signed);

    for (int64_t ch = 0; ch < k->channels; ch++) {
        for (int64_t y = 0; y < k->kernel[0]; y++) {
            for (int64_t x = 0; x < k->kernel[1]; x++) {
                int64_t iy = r * k->stride[0] + y * k->dilation[0] - k->pads[0];
                int64_t ix = c * k->stride[1] + x * k->dilation[1] - k->pads[1];
                int64_t at = (b * k->groups + group) * k->channels + ch;
                int64_t tap = ((m * k->channels + ch) * k->kernel[0] + y) * k->kernel[1] + x;

                if (iy < 0 || iy >= k->in[0] || ix < 0 || ix >= k->in[1])
                    continue; /* what is outside is the zero point: 0 */
                sum += (byte_at(k->x, (size_t)((at * k->in[0] + iy) * k->in[1] + ix), k->x_signed) -
                        byte_at(&k->x_zero, 0, k->x_signed)) *
                       (byte_at(k->w, (size_t)tap, k->w_signed) - zw);
            }
        }
    }
    return sum;
}

static void put_conv(const struct conv *k)
{
    int64_t maps = k->groups * k->maps;

    th_input(t, "x", type_of(k->x_signed),
             dims_text(4, (int64_t[]){k->batch, k->groups * k->channels, k->in[0], k->in[1]}),
             k->x);
    put(k->w_constant, "w", type_of(k->w_signed),
        dims_text(4, (int64_t[]){maps, k->channels, k->kernel[0], k->kernel[1]}), k->w);
    th_input(t, "xz", type_of(k->x_signed), "", &k->x_zero);
    put(k->w_constant, "wz", type_of(k->w_signed), k->by_map ? dims_text(1, &maps) : "", k->w_zero);
}

static void set_conv(const struct conv *k)
{
    th_int(t, "group", k->groups);
    th_ints(t, "pads", 4, k->pads);
    th_ints(t, "strides", 2, k->stride);
    th_ints(t, "dilations", 2, k->dilation);
}

static const char *conv_dims(const struct conv *k)
{
    return dims_text(4, (int64_t[]){k->batch, k->groups * k->maps, k->out[0], k->out[1]});
}

START_TEST(conv_integer_gives_exact_sums)
{
    uint64_t seed = (uint64_t)_i;
    struct conv k = random_conv(&seed, _i);
    size_t e = 0;

    put_conv(&k);
    th_output(t, "y", BP_DTYPE_I32, conv_dims(&k));
    th_node(t, "ConvInteger", 10, "x w xz wz", "y");
    set_conv(&k);
    ck_run();
    for (int64_t b = 0; b < k.batch; b++) {
        for (int64_t m = 0; m < k.groups * k.maps; m++) {
            for (int64_t at = 0; at < k.out[0] * k.out[1]; at++, e++)
                ck_assert_int_eq(((const int32_t *)th_data(t, "y"))[e],
                                 conv_sum(&k, b, m, at / k.out[1], at % k.out[1]));
        }
    }
    free_conv(&k);
}
END_TEST

START_TEST(qlinear_conv_quantizes_exact_sums)
{
    uint64_t seed = (uint64_t)_i + 900;
    struct conv k = random_conv(&seed, _i);
    int64_t maps = k.groups * k.maps;
    bool has_bias = _i % 2;
    size_t e = 0;

    put_conv(&k);
    th_const(t, "xs", BP_DTYPE_F32, "", &k.x_scale);
    th_const(t, "ws", BP_DTYPE_F32, k.by_map ? dims_text(1, &maps) : "", k.w_scale);
    th_const(t, "ys", BP_DTYPE_F32, "1", &k.y_scale);
    th_const(t, "yz", type_of(k.y_signed), "1", &k.y_zero);
    th_const(t, "b", BP_DTYPE_I32, dims_text(1, &maps), k.bias);
    th_output(t, "y", type_of(k.y_signed), conv_dims(&k));
    th_node(t, "QLinearConv", 10, has_bias ? "x xs xz w ws wz ys yz b" : "x xs xz w ws wz ys yz",
            "y");
    set_conv(&k);
    ck_run();
    for (int64_t b = 0; b < k.batch; b++) {
        for (int64_t m = 0; m < maps; m++) {
            float factor = k.x_scale * k.w_scale[k.by_map ? m : 0] / k.y_scale;

            for (int64_t at = 0; at < k.out[0] * k.out[1]; at++, e++) {
                int32_t sum = conv_sum(&k, b, m, at / k.out[1], at % k.out[1]);
                double want;

                sum += has_bias ? k.bias[m] : 0;
                want = held(nearbyint(sum * (double)factor) + byte_at(&k.y_zero, 0, k.y_signed),
                            k.y_signed);
                ck_assert_msg((double)byte_at(th_data(t, "y"), e, k.y_signed) == want,
                              "element %zu is %d, not %g", e,
                              byte_at(th_data(t, "y"), e, k.y_signed), want);
            }
        }
    }
    free_conv(&k);
}
END_TEST

START_TEST(conv_integer_takes_1_d_and_3_d_data)
{
    static const int32_t ones[] = {2, 3, 2}, cube[] = {8};

    th_input(t, "x", BP_DTYPE_U8, "1,1,3", "\1\1\1");
    th_input(t, "w", BP_DTYPE_U8, "1,1,3", "\1\1\1");
    th_input(t, "x3", BP_DTYPE_U8, "1,1,2,2,2", "\1\1\1\1\1\1\1\1");
    th_output(t, "y", BP_DTYPE_I32, "1,1,3");
    th_output(t, "z", BP_DTYPE_I32, "1,1,1,1,1");
    th_node(t, "ConvInteger", 10, "x w", "y");
    th_string(t, "auto_pad", "SAME_UPPER");
    th_node(t, "ConvInteger", 10, "x3 x3", "z");
    ck_run();
    ck_assert_mem_eq(th_data(t, "y"), ones, sizeof ones);
    ck_assert_mem_eq(th_data(t, "z"), cube, sizeof cube);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_int8");
    TCase *tcase = tcase_create("int8");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, int8_kernels_of_every_instruction_set_give_equal_sums, 0, 384);
    tcase_add_loop_test(tcase, int8_kernels_of_every_instruction_set_give_equal_outputs, 0, 192);
    tcase_add_loop_test(tcase, matmul_integer_gives_exact_sums, 0, 96);
    tcase_add_loop_test(tcase, qlinear_matmul_quantizes_exact_sums, 0, 96);
    tcase_add_test(tcase, matmul_integer_takes_vectors);
    tcase_add_test(tcase, matmul_integer_over_an_empty_axis_gives_zero);
    tcase_add_test(tcase, matmul_integer_rejects_zero_points_of_a_wrong_shape);
    tcase_add_test(tcase, qlinear_matmul_takes_float8);
    tcase_add_loop_test(tcase, conv_integer_gives_exact_sums, 0, 64);
    tcase_add_loop_test(tcase, qlinear_conv_quantizes_exact_sums, 0, 64);
    tcase_add_test(tcase, conv_integer_takes_1_d_and_3_d_data);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
