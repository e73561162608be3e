/* SPDX-License-Identifier: MIT */
/*
 * check_quantized.c - QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear of the CPU
 * provider against their formulas, element by element.
 */

#include "config.h"

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <common/float16.h>

#include "cpu/cpu_case.h"
#include "support/random.h"
#include "support/typed.h"

enum { MOST = 4000 };

/* ---- elements -------------------------------------------------------------------------------- */

static const struct {
    uint32_t dtype, bits;
    int32_t low, high;
} whole_types[] = {{BP_DTYPE_U8, 8, 0, 255},     {BP_DTYPE_I8, 8, -128, 127},
                   {BP_DTYPE_U16, 16, 0, 65535}, {BP_DTYPE_I16, 16, -32768, 32767},
                   {BP_DTYPE_U4, 4, 0, 15},      {BP_DTYPE_I4, 4, -8, 7},
                   {BP_DTYPE_U2, 2, 0, 3},       {BP_DTYPE_I2, 2, -2, 1}};

enum { N_WHOLE = sizeof whole_types / sizeof whole_types[0] };

static int32_t whole_at(int w, const void *data, size_t i)
{
    uint32_t bits = whole_types[w].bits, code = 0;

    if (bits < 8)
        code = (uint32_t)((const uint8_t *)data)[i / (8 / bits)] >> (i % (8 / bits) * bits) &
               ((1u << bits) - 1);
    else
        memcpy(&code, (const char *)data + i * (bits / 8), bits / 8);
    if (whole_types[w].low < 0 && code >> (bits - 1))
        return (int32_t)code - (int32_t)(1u << bits);
    return (int32_t)code;
}

static void put_whole(int w, void *data, size_t i, int32_t value)
{
    uint32_t bits = whole_types[w].bits, code = (uint32_t)value & ((1u << bits) - 1);

    if (bits < 8)
        ((uint8_t *)data)[i / (8 / bits)] |= (uint8_t)(code << (i % (8 / bits) * bits));
    else
        memcpy((char *)data + i * (bits / 8), &code, bits / 8);
}

static const uint32_t reals[] = {BP_DTYPE_F32, BP_DTYPE_F16, BP_DTYPE_BF16};

static float real_at(uint32_t dtype, const void *data, size_t i)
{
    return (float)typed_get(data, dtype, i);
}

/* x as the type has it. */
static float as(uint32_t dtype, float x)
{
    uint32_t element;

    typed_put(&element, dtype, 0, (double)x);
    return real_at(dtype, &element, 0);
}

/* ---- granularity ----------------------------------------------------------------------------- */

/* A tensor of up to 4 dimensions and its scales: kind 0 one, 1 by axis, 2 by blocks. */
struct layout {
    int kind;
    uint32_t rank, axis;
    int64_t dims[4], scale_dims[4], block;
    size_t count, scales;
    char text[64], scale_text[64];
};

static void put_dims(char *text, uint32_t rank, const int64_t *dims)
{
    *text = '\0';
    for (uint32_t d = 0; d < rank; d++)
        text += sprintf(text, "%s%lld", d ? "," : "", (long long)dims[d]);
}

static struct layout random_layout(int kind, uint64_t *seed)
{
    struct layout l = {.kind = kind, .rank = 1 + random_below(seed, 4), .count = 1, .scales = 1};
    uint32_t most = l.rank == 1 ? 1500 : l.rank == 2 ? 50 : 7;

    for (uint32_t d = 0; d < l.rank; d++) {
        l.dims[d] = 1 + random_below(seed, most);
        l.count *= (size_t)l.dims[d];
    }
    l.axis = random_below(seed, l.rank);
    l.block = kind == 2 ? 1 + random_below(seed, 6) : 0;
    memcpy(l.scale_dims, l.dims, sizeof l.dims);
    if (kind == 2)
        l.scale_dims[l.axis] = (l.dims[l.axis] + l.block - 1) / l.block;
    for (uint32_t d = 0; d < l.rank && kind == 2; d++)
        l.scales *= (size_t)l.scale_dims[d];
    if (kind == 1)
        l.scales = (size_t)l.dims[l.axis];
    put_dims(l.text, l.rank, l.dims);
    if (kind == 2)
        put_dims(l.scale_text, l.rank, l.scale_dims);
    else if (kind == 1)
        sprintf(l.scale_text, "%zu", l.scales);
    return l;
}

/* Which scale element i has. */
static size_t scale_of(const struct layout *l, size_t i)
{
    size_t index[4], at = 0;

    if (l->kind == 0)
        return 0;
    for (uint32_t d = l->rank; d-- > 0; i /= (size_t)l->dims[d])
        index[d] = i % (size_t)l->dims[d];
    if (l->kind == 1)
        return index[l->axis];
    index[l->axis] /= (size_t)l->block;
    for (uint32_t d = 0; d < l->rank; d++)
        at = at * (size_t)l->scale_dims[d] + index[d];
    return at;
}

static void set_attributes(const struct layout *l)
{
    th_int(t, "axis", (int64_t)l->axis - (l->axis % 2 ? (int64_t)l->rank : 0));
    if (l->block > 0)
        th_int(t, "block_size", l->block);
}

/* ---- QuantizeLinear, DequantizeLinear -------------------------------------------------------- */

static double held(double x, int w)
{
    return x > whole_types[w].high  ? whole_types[w].high
           : x < whole_types[w].low ? whole_types[w].low
                                    : x;
}

/* _i: type of y, then kind of scales, then type of x and the scale */
START_TEST(quantize_linear_matches_its_definition)
{
    int w = _i % N_WHOLE, kind = _i / N_WHOLE % 3;
    uint32_t dtype = reals[_i / N_WHOLE / 3 % 3];
    bool has_zero = _i % 7 != 0 || whole_types[w].dtype != BP_DTYPE_U8;
    uint64_t seed = (uint64_t)_i;
    struct layout l = random_layout(kind, &seed);
    float *x = calloc(l.count, 4), *scale = calloc(l.scales, 4);
    int32_t *zero = calloc(l.scales, 4);
    const void *y;

    for (size_t i = 0; i < l.scales; i++) {
        int32_t span = whole_types[w].high - whole_types[w].low;

        typed_put(scale, dtype, i, (double)(0.01f + fabsf(random_float(&seed, 1))));
        if (has_zero)
            put_whole(w, zero, i,
                      whole_types[w].low + (int32_t)random_below(&seed, (uint32_t)span + 1));
    }
    for (size_t i = 0; i < l.count; i++)
        typed_put(x, dtype, i, (double)random_float(&seed, random_below(&seed, 2) ? 5 : 300));
    th_input(t, "x", dtype, l.text, x);
    th_input(t, "s", dtype, l.scale_text, scale);
    if (has_zero)
        th_input(t, "z", whole_types[w].dtype, l.scale_text, zero);
    th_output(t, "y", whole_types[w].dtype, l.text);
    th_node(t, "QuantizeLinear", 25, has_zero ? "x s z" : "x s", "y");
    set_attributes(&l);
    ck_run();
    y = th_data(t, "y");
    for (size_t i = 0; i < l.count; i++) {
        size_t k = scale_of(&l, i);
        float quotient = as(dtype, real_at(dtype, x, i) / real_at(dtype, scale, k));
        double want = held(nearbyint((double)quotient) + whole_at(w, zero, k), w);

        ck_assert_msg((double)whole_at(w, y, i) == want, "element %zu of %s: %d, not %g", i, l.text,
                      whole_at(w, y, i), want);
    }
    free(x);
    free(scale);
    free(zero);
}
END_TEST

START_TEST(dequantize_linear_matches_its_definition)
{
    int w = _i % N_WHOLE, kind = _i / N_WHOLE % 3;
    uint32_t dtype = reals[_i / N_WHOLE / 3 % 3];
    uint64_t seed = (uint64_t)_i + 1000;
    struct layout l = random_layout(kind, &seed);
    int32_t *x = calloc(l.count, 4), *zero = calloc(l.scales, 4);
    float *scale = calloc(l.scales, 4);
    const void *y;

    for (size_t i = 0; i < l.scales; i++) {
        typed_put(scale, dtype, i, (double)(0.01f + fabsf(random_float(&seed, 1))));
        put_whole(w, zero, i, (int32_t)random_next(&seed));
    }
    for (size_t i = 0; i < l.count; i++)
        put_whole(w, x, i, (int32_t)random_next(&seed));
    th_input(t, "x", whole_types[w].dtype, l.text, x);
    th_input(t, "s", dtype, l.scale_text, scale);
    th_input(t, "z", whole_types[w].dtype, l.scale_text, zero);
    th_output(t, "y", dtype, l.text);
    th_node(t, "DequantizeLinear", 25, "x s z", "y");
    set_attributes(&l);
    ck_run();
    y = th_data(t, "y");
    for (size_t i = 0; i < l.count; i++) {
        size_t k = scale_of(&l, i);
        float want =
            as(dtype, (float)(whole_at(w, x, i) - whole_at(w, zero, k)) * real_at(dtype, scale, k));

        ck_assert_msg(real_at(dtype, y, i) == want, "element %zu of %s: %g, not %g", i, l.text,
                      (double)real_at(dtype, y, i), (double)want);
    }
    free(x);
    free(scale);
    free(zero);
}
END_TEST

START_TEST(quantize_linear_rounds_halves_to_even)
{
    static const float x[] = {0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 300, -300, NAN, INFINITY, -INFINITY};
    static const int8_t y[] = {1, 3, 3, 1, -1, 127, -128, -128, 127, -128};

    th_input(t, "x", BP_DTYPE_F32, "10", x);
    th_const(t, "s", BP_DTYPE_F32, "", (float[]){1});
    th_const(t, "z", BP_DTYPE_I8, "", "\1");
    th_output(t, "y", BP_DTYPE_I8, "10");
    th_node(t, "QuantizeLinear", 10, "x s z", "y");
    ck_run();
    ck_assert_mem_eq(th_data(t, "y"), y, sizeof y);
}
END_TEST

/* x float32 and scale float16: the scale's precision, unless the attribute says another. */
START_TEST(quantize_linear_divides_in_the_requested_precision)
{
    static const uint32_t precisions[] = {0, BP_DTYPE_F32, BP_DTYPE_F16, BP_DTYPE_BF16,
                                          BP_DTYPE_F64};
    enum { N = 600 };
    float x[N];
    uint16_t scale = bp_f16_store(0.3f);
    uint64_t seed = 5;
    uint32_t differ = 0;

    for (size_t i = 0; i < N; i++)
        x[i] = random_float(&seed, 9000);
    th_input(t, "x", BP_DTYPE_F32, "600", x);
    th_input(t, "s", BP_DTYPE_F16, "", &scale);
    th_input(t, "z", BP_DTYPE_I16, "", "\0\0");
    th_output(t, "y", BP_DTYPE_I16, "600");
    th_node(t, "QuantizeLinear", 23, "x s z", "y");
    if (_i > 0)
        th_int(t, "precision", precisions[_i]);
    ck_run();
    for (size_t i = 0; i < N; i++) {
        uint32_t p = _i == 0 ? BP_DTYPE_F16 : precisions[_i];
        float s = bp_f16_load(scale);
        double q = p == BP_DTYPE_F64
                       ? (double)x[i] / (double)s
                       : (double)(p == BP_DTYPE_F32 ? x[i] / s : as(p, as(p, x[i]) / as(p, s)));
        int16_t y = ((const int16_t *)th_data(t, "y"))[i];

        ck_assert_msg((double)y == nearbyint(q), "%g: %d, not %g", (double)x[i], y, nearbyint(q));
        differ += (double)y != nearbyint((double)x[i] / (double)s);
    }
    ck_assert(_i == 1 || _i == 4 || differ > 0);
}
END_TEST

START_TEST(quantize_linear_divides_integers_by_integers)
{
    th_input(t, "x", BP_DTYPE_I32, "4", (int32_t[]){5, -5, 7, 1000});
    th_input(t, "s", BP_DTYPE_I32, "", (int32_t[]){2});
    th_input(t, "z", BP_DTYPE_U8, "", "\12");
    th_output(t, "y", BP_DTYPE_U8, "4");
    th_node(t, "QuantizeLinear", 21, "x s z", "y");
    ck_run();
    ck_assert_mem_eq(th_data(t, "y"), "\14\10\16\377", 4);
}
END_TEST

START_TEST(quantize_linear_to_float8_saturates_only_when_asked)
{
    static const uint8_t y[] = {0x38, 0x7e, 0xb8, 0x80};
    static const uint8_t free_y[] = {0x38, 0x7f, 0xb8, 0x80};

    th_input(t, "x", BP_DTYPE_F32, "4", (float[]){2, 10000, -2, -0.0f});
    th_input(t, "s", BP_DTYPE_F32, "", (float[]){2});
    th_input(t, "z", BP_DTYPE_F8E4M3FN, "", "\0");
    th_output(t, "y", BP_DTYPE_F8E4M3FN, "4");
    th_node(t, "QuantizeLinear", 19, "x s z", "y");
    th_int(t, "saturate", _i);
    ck_run();
    ck_assert_mem_eq(th_data(t, "y"), _i ? y : free_y, 4);
}
END_TEST

START_TEST(dequantize_linear_reads_float8_and_float4)
{
    static const struct {
        uint32_t dtype;
        const char *x;
        float y[3];
    } rows[] = {{BP_DTYPE_F8E4M3FN, "\x38\x7e\xb8", {2, 896, -2}},
                {BP_DTYPE_F8E5M2, "\x3c\x7c\xbc", {2, INFINITY, -2}},
                {BP_DTYPE_F4E2M1, "\xf1\x02", {1, -12, 2}}};
    const float *y;

    th_input(t, "x", rows[_i].dtype, "3", rows[_i].x);
    th_input(t, "s", BP_DTYPE_F8E8M0, "1", "\x80");
    th_output(t, "y", BP_DTYPE_F32, "3");
    th_node(t, "DequantizeLinear", 24, "x s", "y");
    th_int(t, "output_dtype", BP_DTYPE_F32);
    ck_run();
    y = th_data(t, "y");
    for (size_t i = 0; i < 3; i++)
        ck_assert(y[i] == rows[_i].y[i]);
}
END_TEST

START_TEST(quantize_linear_to_float4_scales_each_block)
{
    const uint8_t *y;

    th_input(t, "x", BP_DTYPE_F32, "1,5", (float[]){1, 2, 30, 40, -60});
    th_input(t, "s", BP_DTYPE_F8E8M0, "1,3", "\x7f\x82\x83");
    th_output(t, "y", BP_DTYPE_F4E2M1, "1,5");
    th_node(t, "QuantizeLinear", 24, "x s", "y");
    th_int(t, "block_size", 2);
    th_int(t, "output_dtype", BP_DTYPE_F4E2M1);
    ck_run();
    y = th_data(t, "y"); /* 1, 2; 3.75, 5; -3.75 */
    ck_assert_uint_eq(y[0], 0x42);
    ck_assert_uint_eq(y[1], 0x66);
    ck_assert_uint_eq(y[2], 0x0e);
}
END_TEST

START_TEST(dequantize_linear_reads_int32)
{
    const float *y;

    th_input(t, "x", BP_DTYPE_I32, "3", (int32_t[]){INT32_MAX, INT32_MIN, 3});
    th_input(t, "s", BP_DTYPE_F32, "", (float[]){0.5f});
    th_output(t, "y", BP_DTYPE_F32, "3");
    th_node(t, "DequantizeLinear", 13, "x s", "y");
    ck_run();
    y = th_data(t, "y");
    ck_assert(y[0] == 0x1p30f && y[1] == -0x1p30f && y[2] == 1.5f);
}
END_TEST

START_TEST(quantize_linear_rejects_scales_of_a_wrong_shape)
{
    static const struct {
        const char *scale, *zero, *words;
        int64_t axis, block;
    } rows[] = {{"4", "4", "the scale's shape fits neither axis 1", 1, 0},
                {"3", "1", "3 scales have 1 zero points", 1, 0},
                {"2,3", "2,3", "the scale's shape fits neither axis 1", 1, 2},
                {"3", "3", "axis 2 or block_size", 2, 0},
                {"0", "0", "the scale's shape", 1, 0}};
    static const float scales[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    static const uint8_t zeros[8];

    th_input(t, "x", BP_DTYPE_F32, "2,3", scales);
    th_input(t, "s", BP_DTYPE_F32, rows[_i].scale, scales);
    th_input(t, "z", BP_DTYPE_U8, rows[_i].zero, zeros);
    th_output(t, "y", BP_DTYPE_U8, "2,3");
    th_node(t, "QuantizeLinear", 21, "x s z", "y");
    th_int(t, "axis", rows[_i].axis);
    if (rows[_i].block)
        th_int(t, "block_size", rows[_i].block);
    ck_assert_int_lt(th_run(t), 0);
    ck_assert_msg(strstr(th_message(t), rows[_i].words) != NULL, "%s", th_message(t));
}
END_TEST

START_TEST(quantize_linear_accepts_an_empty_tensor)
{
    th_input(t, "x", BP_DTYPE_F32, "0,3", NULL);
    th_input(t, "s", BP_DTYPE_F32, "3", (float[]){1, 2, 3});
    th_output(t, "y", BP_DTYPE_U8, "0,3");
    th_output(t, "d", BP_DTYPE_F32, "0,3");
    th_node(t, "QuantizeLinear", 13, "x s", "y");
    th_node(t, "DequantizeLinear", 13, "y s", "d");
    ck_run();
    ck_assert_uint_eq(th_count(t, "y"), 0);
}
END_TEST

/* ---- DynamicQuantizeLinear ------------------------------------------------------------------- */

START_TEST(dynamic_quantize_linear_finds_scale_and_zero_point)
{
    uint64_t seed = (uint64_t)_i;
    size_t n = _i == 0 ? 1 : _i % 4 == 0 ? 100000 : 1 + random_below(&seed, 300);
    float *x = calloc(n, sizeof *x), low = 0, high = 0, scale, shift = random_float(&seed, 4);
    char dims[16];
    double zero;

    for (size_t i = 0; i < n; i++) {
        x[i] = random_float(&seed, 3) + shift;
        low = fminf(low, x[i]);
        high = fmaxf(high, x[i]);
    }
    scale = (high - low) / 255;
    zero = nearbyint((double)fminf(fmaxf(0 - low / scale, 0), 255));
    sprintf(dims, "%zu", n);
    th_input(t, "x", BP_DTYPE_F32, dims, x);
    th_output(t, "y", BP_DTYPE_U8, dims);
    th_output(t, "s", BP_DTYPE_F32, "");
    th_output(t, "z", BP_DTYPE_U8, "");
    th_node(t, "DynamicQuantizeLinear", 11, "x", "y s z");
    ck_run();
    ck_assert(*(const float *)th_data(t, "s") == scale);
    ck_assert((double)*(const uint8_t *)th_data(t, "z") == zero);
    for (size_t i = 0; i < n; i++)
        ck_assert((double)((const uint8_t *)th_data(t, "y"))[i] ==
                  held(nearbyint((double)(x[i] / scale)) + zero, 0));
    free(x);
}
END_TEST

START_TEST(dynamic_quantize_linear_of_zeros_gives_a_finite_scale)
{
    th_input(t, "x", BP_DTYPE_F32, "3", (float[]){0, 0, 0});
    th_output(t, "y", BP_DTYPE_U8, "3");
    th_output(t, "s", BP_DTYPE_F32, "");
    th_output(t, "z", BP_DTYPE_U8, "");
    th_node(t, "DynamicQuantizeLinear", 11, "x", "y s z");
    ck_run();
    ck_assert_mem_eq(th_data(t, "y"), "\0\0\0", 3);
    ck_assert(*(const float *)th_data(t, "s") == 1);
    ck_assert(*(const uint8_t *)th_data(t, "z") == 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_quantize");
    TCase *tcase = tcase_create("quantize");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, quantize_linear_matches_its_definition, 0, N_WHOLE * 9 * 3);
    tcase_add_loop_test(tcase, dequantize_linear_matches_its_definition, 0, N_WHOLE * 9 * 3);
    tcase_add_test(tcase, quantize_linear_rounds_halves_to_even);
    tcase_add_loop_test(tcase, quantize_linear_divides_in_the_requested_precision, 0, 5);
    tcase_add_test(tcase, quantize_linear_divides_integers_by_integers);
    tcase_add_loop_test(tcase, quantize_linear_to_float8_saturates_only_when_asked, 0, 2);
    tcase_add_loop_test(tcase, dequantize_linear_reads_float8_and_float4, 0, 3);
    tcase_add_test(tcase, quantize_linear_to_float4_scales_each_block);
    tcase_add_test(tcase, dequantize_linear_reads_int32);
    tcase_add_loop_test(tcase, quantize_linear_rejects_scales_of_a_wrong_shape, 0, 5);
    tcase_add_test(tcase, quantize_linear_accepts_an_empty_tensor);
    tcase_add_loop_test(tcase, dynamic_quantize_linear_finds_scale_and_zero_point, 0, 20);
    tcase_add_test(tcase, dynamic_quantize_linear_of_zeros_gives_a_finite_scale);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
