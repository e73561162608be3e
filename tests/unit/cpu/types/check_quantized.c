/* SPDX-License-Identifier: MIT */
/*
 * check_quantized.c - QuantizeLinear and DequantizeLinear, of ONNX and of com.microsoft,
 * and QLinearMatMul with every type they take, against their formulas; narrow types are read and
 * written by cast_kit.h.
 */

#include "config.h"

#include "cpu/cast_kit.h"

#include "support/shapes.h"

static const uint32_t reals[] = {BP_DTYPE_F32, BP_DTYPE_F16, BP_DTYPE_BF16, BP_DTYPE_I32};

/* x as the type has it. */
static double as(uint32_t dtype, double x)
{
    uint64_t element;

    typed_put(&element, dtype, 0, x);
    return typed_get(&element, dtype, 0);
}

/* ---- tensors --------------------------------------------------------------------------------- */

/* x with one scale, or one for each index along an axis. */
struct layout {
    struct shape shape, scales;
    uint32_t axis;
};

static struct layout draw_layout(uint64_t *seed)
{
    struct layout l = {.shape = shape_random(seed, 1, 3)};

    l.axis = random_below(seed, l.shape.rank);
    if (random_below(seed, 2)) {
        l.scales.rank = 1;
        l.scales.dims[0] = l.shape.dims[l.axis];
    }
    return l;
}

/* Which scale element i has. */
static size_t scale_of(const struct layout *l, size_t i)
{
    int64_t index[SHAPE_RANK];

    shape_index(&l->shape, i, index);
    return l->scales.rank ? (size_t)index[l->axis] : 0;
}

/* n codes of a narrow type or of int32, none of them NaN or infinite. */
static void *draw_codes(uint32_t dtype, size_t n, uint64_t *seed)
{
    const struct type *type = type_of(dtype);
    void *data = kept_zeros(n + 1, 8);

    for (size_t i = 0; i < n; i++) {
        uint64_t code = random_next(seed) & ((UINT64_C(1) << type->bits) - 1);

        put_code(type, data, i, isfinite(value_of(type, code)) ? code : 1);
    }
    return data;
}

/* Zero points: of floats 0. */
static void *draw_zeros(uint32_t dtype, size_t n, uint64_t *seed)
{
    return type_of(dtype)->kind == FLOAT ? kept_zeros(n + 1, 8) : draw_codes(dtype, n, seed);
}

static void *draw_reals(uint32_t dtype, size_t n, float low, float range, uint64_t *seed)
{
    void *data = kept_zeros(n + 1, 8);

    for (size_t i = 0; i < n; i++) {
        float v = random_float(seed, random_below(seed, 3) ? range : range / 64);

        typed_put(data, dtype, i, (double)(low > 0 ? low + fabsf(v) : v));
    }
    return data;
}

static void add_node(const char *op, uint32_t since, bool is_ms, const struct layout *l)
{
    th_node(t, op, since, "x s z", "y");
    if (is_ms)
        th_domain(t, "com.microsoft");
    if (l->scales.rank)
        th_int(t, "axis", (int64_t)l->axis - (l->axis % 2 ? (int64_t)l->shape.rank : 0));
}

/* ---- QuantizeLinear -------------------------------------------------------------------------- */

/* x / scale in the precision of the scale; integers divide in double. */
static double quotient(uint32_t precision, double x, double scale)
{
    if (precision == BP_DTYPE_I32)
        return x / scale;
    return as(precision, as(precision, x) / as(precision, scale));
}

static uint64_t quantized(const struct type *to, double q, double zero, bool saturate)
{
    double low = to->kind == INT ? -ldexp(1, (int)to->bits - 1) : 0;
    double v = nearbyint(q) + zero;

    if (to->kind == FLOAT)
        return float_code(to, q, saturate);
    v = fmin(fmax(v, low), low + ldexp(1, (int)to->bits) - 1);
    return (uint64_t)(int64_t)v & ((UINT64_C(1) << to->bits) - 1);
}

static void quantize(bool is_ms, uint32_t from, uint32_t scales, uint32_t to, uint64_t *seed)
{
    struct layout l = draw_layout(seed);
    size_t n = shape_count(&l.shape), n_scales = shape_count(&l.scales);
    bool saturate = random_below(seed, 2) || is_ms, is_wide = random_below(seed, 2);
    float least = scales == BP_DTYPE_I32 ? 1 : 0.015625f;
    void *x, *s, *z;

    teardown();
    setup();
    x = draw_reals(from, n, 0, is_wide ? 30000 : 60, seed);
    s = draw_reals(scales, n_scales, least, scales == BP_DTYPE_I32 ? 9 : 1, seed);
    z = draw_zeros(to, n_scales, seed);
    th_input(t, "x", from, shape_text(&l.shape), x);
    th_input(t, "s", scales, shape_text(&l.scales), s);
    th_input(t, "z", to, shape_text(&l.scales), z);
    th_output(t, "y", to, shape_text(&l.shape));
    add_node("QuantizeLinear", is_ms ? 1 : 23, is_ms, &l);
    if (!saturate)
        th_int(t, "saturate", 0);
    ck_run();
    for (size_t i = 0; i < n; i++) {
        size_t k = scale_of(&l, i);
        double q = quotient(scales, typed_get(x, from, i), typed_get(s, scales, k));

        ck_code(type_of(to), th_data(t, "y"), i,
                quantized(type_of(to), q, value_at(to, z, k), saturate), q);
    }
}

static const uint32_t made[] = {
    BP_DTYPE_U8, BP_DTYPE_I8,       BP_DTYPE_U16,        BP_DTYPE_I16,    BP_DTYPE_U4,
    BP_DTYPE_I4, BP_DTYPE_F8E4M3FN, BP_DTYPE_F8E4M3FNUZ, BP_DTYPE_F8E5M2, BP_DTYPE_F8E5M2FNUZ,
};

START_TEST(quantize_linear_takes_every_type)
{
    uint64_t seed = (uint64_t)_i;

    for (int round = 0; round < 4; round++) {
        for (int from = 0; from < COUNT(reals); from++) {
            for (int scales = 0; scales < COUNT(reals); scales++)
                quantize(false, reals[from], reals[scales], made[_i], &seed);
        }
    }
    for (int round = 0; round < 20 && _i < 6; round++)
        quantize(true, reals[round % 2], reals[round % 2], made[_i], &seed);
}
END_TEST

/* ---- DequantizeLinear ------------------------------------------------------------------------ */

static void dequantize(bool is_ms, uint32_t from, uint32_t to, uint64_t *seed)
{
    struct layout l = draw_layout(seed);
    size_t n = shape_count(&l.shape), n_scales = shape_count(&l.scales);
    void *x, *s, *z;

    teardown();
    setup();
    x = draw_codes(from, n, seed);
    s = draw_reals(to, n_scales, 0.015625f, 1, seed);
    z = draw_zeros(from, n_scales, seed);
    th_input(t, "x", from, shape_text(&l.shape), x);
    th_input(t, "s", to, shape_text(&l.scales), s);
    th_input(t, "z", from, shape_text(&l.scales), z);
    th_output(t, "y", to, shape_text(&l.shape));
    add_node("DequantizeLinear", is_ms ? 1 : 23, is_ms, &l);
    ck_run();
    for (size_t i = 0; i < n; i++) {
        size_t k = scale_of(&l, i);
        float difference = (float)(value_at(from, x, i) - value_at(from, z, k));
        double want = as(to, (double)(difference * (float)typed_get(s, to, k)));
        double got = typed_get(th_data(t, "y"), to, i);

        ck_assert_msg(got == want, "element %zu of type %u: %.9g, not %.9g", i, from, got, want);
    }
}

START_TEST(dequantize_linear_takes_every_type)
{
    uint32_t from = _i < COUNT(made) ? made[_i] : BP_DTYPE_I32;
    uint64_t seed = (uint64_t)_i + 100;

    for (int round = 0; round < 30; round++)
        dequantize(false, from, reals[round % 3], &seed);
    for (int round = 0; round < 20 && (_i < 6 || from == BP_DTYPE_I32); round++)
        dequantize(true, from, reals[round % 2], &seed);
}
END_TEST

/* ---- QLinearMatMul --------------------------------------------------------------------------- */

static const uint32_t factors[] = {
    BP_DTYPE_U8,         BP_DTYPE_I8,     BP_DTYPE_F8E4M3FN,
    BP_DTYPE_F8E4M3FNUZ, BP_DTYPE_F8E5M2, BP_DTYPE_F8E5M2FNUZ,
};

/* Codes of values of -8 to 8, or any byte. */
static void *draw_factor(uint32_t dtype, size_t n, uint64_t *seed)
{
    const struct type *type = type_of(dtype);
    void *data = draw_codes(dtype, n, seed);

    for (size_t i = 0; i < n && type->kind == FLOAT; i++) {
        if (!(fabs(value_at(dtype, data, i)) <= 8))
            put_code(type, data, i, float_code(type, (double)random_float(seed, 8), true));
    }
    return data;
}

/* One of three: the operand, and a scale and a zero point for all, or for each row or column. */
struct side {
    uint32_t dtype, scale_dtype;
    size_t n_scales;
    void *data, *scales, *zeros;
};

static struct side draw_side(const char *name, uint32_t dtype, uint32_t scales, size_t n_scales,
                             uint64_t *seed)
{
    struct shape shape = {.rank = n_scales > 1, .dims = {(int64_t)n_scales}};
    struct side side = {.dtype = dtype, .scale_dtype = scales, .n_scales = n_scales};
    char text[8];

    side.scales = draw_reals(scales, n_scales, 0.03125f, 1, seed);
    side.zeros = draw_factor(dtype, n_scales, seed);
    sprintf(text, "%ss", name);
    th_input(t, text, scales, shape_text(&shape), side.scales);
    sprintf(text, "%sz", name);
    th_input(t, text, dtype, shape_text(&shape), side.zeros);
    return side;
}

static void draw_matrix(struct side *side, const char *name, size_t rows, size_t cols,
                        bool is_constant, uint64_t *seed)
{
    struct shape shape = {.rank = 2, .dims = {(int64_t)rows, (int64_t)cols}};

    side->data = draw_factor(side->dtype, rows * cols, seed);
    (is_constant ? th_const : th_input)(t, name, side->dtype, shape_text(&shape), side->data);
}

static double scale_at(const struct side *side, size_t line)
{
    return typed_get(side->scales, side->scale_dtype, side->n_scales > 1 ? line : 0);
}

/* Element i, in a line with its own scale. */
static double factor_at(const struct side *side, size_t i, size_t line)
{
    double zero = value_at(side->dtype, side->zeros, side->n_scales > 1 ? line : 0);

    return (value_at(side->dtype, side->data, i) - zero) * scale_at(side, line);
}

/* A number of y is as near to what is exact as any other, but for what float32 may lose. */
static void expect_nearest(const struct side *y, size_t i, double exact, double loss)
{
    const struct type *type = type_of(y->dtype);
    bool is_float = type->kind == FLOAT;
    double scale = scale_at(y, 0), zero = value_at(y->dtype, y->zeros, 0),
           sum = exact / scale + zero;
    double near = value_of(type, quantized(type, is_float ? sum : exact / scale, zero, true));
    double got = value_at(y->dtype, th_data(t, "y"), i);

    loss = loss / scale + fabs(sum) * 1e-6;
    if (got != near && !(fabs(got - sum) <= fabs(near - sum) + 2 * loss))
        ck_abort_msg("element %zu of type %u is %g, not %g, for %.9g", i, y->dtype, got, near, sum);
}

static void multiply(uint32_t a_type, uint32_t b_type, uint32_t scales, uint32_t y_type,
                     uint64_t *seed)
{
    size_t m = 1 + random_below(seed, 9), n = 1 + random_below(seed, 20);
    size_t k = 1 + random_below(seed, 30);
    struct shape shape = {.rank = 2, .dims = {(int64_t)m, (int64_t)n}};
    struct side a, b, y;

    teardown();
    setup();
    a = draw_side("a", a_type, scales, random_below(seed, 2) ? m : 1, seed);
    b = draw_side("b", b_type, scales, random_below(seed, 2) ? n : 1, seed);
    y = draw_side("y", y_type, scales, 1, seed);
    draw_matrix(&a, "a", m, k, false, seed);
    draw_matrix(&b, "b", k, n, random_below(seed, 2), seed);
    th_output(t, "y", y_type, shape_text(&shape));
    th_node(t, "QLinearMatMul", 21, "a as az b bs bz ys yz", "y");
    ck_run();
    for (size_t i = 0; i < m * n; i++) {
        double exact = 0, size = 0;

        for (size_t q = 0; q < k; q++) {
            double product =
                factor_at(&a, i / n * k + q, i / n) * factor_at(&b, q * n + i % n, i % n);

            exact += product;
            size += fabs(product);
        }
        expect_nearest(&y, i, exact, size * 0x1p-20);
    }
}

/* _i: type of a */
START_TEST(quantized_matmul_takes_every_type)
{
    uint64_t seed = (uint64_t)_i + 200;

    for (int b = 0; b < COUNT(factors); b++) {
        for (int y = 0; y < COUNT(factors); y++) {
            for (int scales = 0; scales < 3; scales++)
                multiply(factors[_i], factors[b], reals[scales], factors[y], &seed);
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_every_quantized");
    TCase *tcase = tcase_create("quantized");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, quantize_linear_takes_every_type, 0, COUNT(made));
    tcase_add_loop_test(tcase, dequantize_linear_takes_every_type, 0, COUNT(made) + 1);
    tcase_add_loop_test(tcase, quantized_matmul_takes_every_type, 0, COUNT(factors));
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
