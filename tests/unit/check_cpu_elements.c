/* SPDX-License-Identifier: MIT */
/*
 * check_cpu_elements.c - operators of the CPU provider that compute element by element, against libm and
 * the plainest possible loops.
 */

#include "config.h"

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include <common/float16.h>

#include "random.h"
#include "test_host.h"

bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err);

#define COUNT(a) (sizeof(a) / sizeof(a)[0])
#define ck_run() ck_assert_msg(th_run(t) >= 0, "%s", th_message(t))

#define ck_float(got, want) ck_assert_double_eq((double)(got), (double)(want))

static struct th *t;

static void setup(void)
{
    t = th_new(bp_provider_entry_v1);
}

static void teardown(void)
{
    th_free(t);
}

/* ---- elements of any type as double ---------------------------------------------------------------- */

static const uint32_t number_types[] = {BP_DTYPE_F32, BP_DTYPE_F64, BP_DTYPE_F16, BP_DTYPE_BF16,
                                        BP_DTYPE_I8,  BP_DTYPE_I16, BP_DTYPE_I32, BP_DTYPE_I64,
                                        BP_DTYPE_U8,  BP_DTYPE_U16, BP_DTYPE_U32, BP_DTYPE_U64};

static bool is_float(uint32_t dtype)
{
    return dtype == BP_DTYPE_F32 || dtype == BP_DTYPE_F64 || dtype == BP_DTYPE_F16 ||
           dtype == BP_DTYPE_BF16;
}

/* Half the distance of neighbours, relative to a number. */
static double rounding(uint32_t dtype)
{
    return dtype == BP_DTYPE_F16 ? 0x1p-11 : dtype == BP_DTYPE_BF16 ? 0x1p-8 : 0;
}

static void put(void *data, uint32_t dtype, size_t i, double x)
{
    switch (dtype) {
    case BP_DTYPE_F32:
        ((float *)data)[i] = (float)x;
        break;
    case BP_DTYPE_F64:
        ((double *)data)[i] = x;
        break;
    case BP_DTYPE_F16:
        ((uint16_t *)data)[i] = bp_f16_store((float)x);
        break;
    case BP_DTYPE_BF16:
        ((uint16_t *)data)[i] = bp_bf16_store((float)x);
        break;
    case BP_DTYPE_I8:
        ((int8_t *)data)[i] = (int8_t)x;
        break;
    case BP_DTYPE_I16:
        ((int16_t *)data)[i] = (int16_t)x;
        break;
    case BP_DTYPE_I32:
        ((int32_t *)data)[i] = (int32_t)x;
        break;
    case BP_DTYPE_I64:
        ((int64_t *)data)[i] = (int64_t)x;
        break;
    case BP_DTYPE_U8:
    case BP_DTYPE_BOOL:
        ((uint8_t *)data)[i] = (uint8_t)x;
        break;
    case BP_DTYPE_U16:
        ((uint16_t *)data)[i] = (uint16_t)x;
        break;
    case BP_DTYPE_U32:
        ((uint32_t *)data)[i] = (uint32_t)x;
        break;
    default:
        ((uint64_t *)data)[i] = (uint64_t)x;
    }
}

static double get(const void *data, uint32_t dtype, size_t i)
{
    switch (dtype) {
    case BP_DTYPE_F32:
        return (double)((const float *)data)[i];
    case BP_DTYPE_F64:
        return ((const double *)data)[i];
    case BP_DTYPE_F16:
        return (double)bp_f16_load(((const uint16_t *)data)[i]);
    case BP_DTYPE_BF16:
        return (double)bp_bf16_load(((const uint16_t *)data)[i]);
    case BP_DTYPE_I8:
        return ((const int8_t *)data)[i];
    case BP_DTYPE_I16:
        return ((const int16_t *)data)[i];
    case BP_DTYPE_I32:
        return ((const int32_t *)data)[i];
    case BP_DTYPE_I64:
        return (double)((const int64_t *)data)[i];
    case BP_DTYPE_U8:
    case BP_DTYPE_BOOL:
        return ((const uint8_t *)data)[i];
    case BP_DTYPE_U16:
        return ((const uint16_t *)data)[i];
    case BP_DTYPE_U32:
        return ((const uint32_t *)data)[i];
    default:
        return (double)((const uint64_t *)data)[i];
    }
}

static void expect_near(double got, double want, double relative, const char *what, size_t i)
{
    if (isnan(want) && isnan(got))
        return;
    if (got == want || fabs(got - want) <= relative * fabs(want) + 1e-44)
        return;
    ck_abort_msg("%s[%zu] is %.9g, not %.9g", what, i, got, want);
}

/* ---- unary ----------------------------------------------------------------------------------------- */

static double relu(double x)
{
    return x < 0 ? 0 : x;
}

static double leaky_relu(double x)
{
    return x < 0 ? (double)0.01f * x : x;
}

static double elu(double x)
{
    return x < 0 ? expm1(x) : x;
}

static double selu(double x)
{
    return (double)1.05070102214813232421875f *
           (x > 0 ? x : (double)1.67326319217681884765625f * expm1(x));
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static double hard_sigmoid(double x)
{
    double y = (double)0.2f * x + 0.5;

    return y < 0 ? 0 : y > 1 ? 1 : y;
}

static double negate(double x)
{
    return -x;
}

static double sign(double x)
{
    return x > 0 ? 1 : x < 0 ? -1 : x;
}

static double reciprocal(double x)
{
    return 1 / x;
}

static double softplus(double x)
{
    return (x > 0 ? x : 0) + log1p(exp(-fabs(x)));
}

static double softsign(double x)
{
    return x / (1 + fabs(x));
}

static const struct {
    const char *op;
    uint32_t since;
    double (*reference)(double x);
} unary[] = {
    {"Abs", 13, fabs},          {"Neg", 13, negate},
    {"Relu", 14, relu},         {"LeakyRelu", 16, leaky_relu},
    {"Elu", 6, elu},            {"Selu", 6, selu},
    {"Sigmoid", 13, sigmoid},   {"HardSigmoid", 6, hard_sigmoid},
    {"Tanh", 13, tanh},         {"Exp", 13, exp},
    {"Log", 13, log},           {"Sqrt", 13, sqrt},
    {"Floor", 13, floor},       {"Ceil", 13, ceil},
    {"Round", 11, rint},        {"Sign", 13, sign},
    {"Reciprocal", 13, reciprocal}, {"Erf", 13, erf},
    {"Softplus", 1, softplus},  {"Softsign", 1, softsign},
    {"Sin", 7, sin},            {"Cos", 7, cos},
};

/* Special numbers, then all sizes of numbers. */
static void fill_floats(void *data, uint32_t dtype, size_t n, uint64_t *seed)
{
    static const double special[] = {0,       -0.0, 1,    -1,   0.5,       -0.5, 1.5,
                                     2.5,     -2.5, 1e-7, -1e-7, 100,      -100, 20,
                                     -20,     0.34, 0.63, 4.1,  (double)-INFINITY,
                                     (double)NAN, (double)INFINITY};

    for (size_t i = 0; i < n; i++) {
        double x = (double)random_float(seed, 1) * exp2((double)random_float(seed, 6));

        put(data, dtype, i, i < COUNT(special) ? special[i] : x);
    }
}

START_TEST(unary_operators_are_libms)
{
    static const char *const dims[] = {"70001", "", "3,7", "0,5"};
    static const size_t counts[] = {70001, 1, 21, 0};
    uint32_t op = (uint32_t)_i / 16, dtype = number_types[_i / 4 % 4];
    size_t shape = (size_t)_i % 4, n = counts[shape];
    double tolerance = dtype == BP_DTYPE_F64 ? 1e-15 : 1e-6 + rounding(dtype);
    uint64_t seed = (uint64_t)_i, *data = calloc(n + 1, sizeof *data);
    const void *got;

    ck_assert_ptr_nonnull(data);
    fill_floats(data, dtype, n, &seed);
    th_input(t, "x", dtype, dims[shape], data);
    th_output(t, "y", dtype, dims[shape]);
    th_node(t, unary[op].op, unary[op].since, "x", "y");
    ck_run();
    got = th_data(t, "y");
    for (size_t i = 0; i < n; i++) {
        double x = get(data, dtype, i), want = unary[op].reference(x);

        /* numbers below float16's normal range are rounded at 2^-25, overflowing ones are infinite */
        if (dtype == BP_DTYPE_F16 && fabs(want) < 0x1p-14)
            ck_assert_double_le(fabs(get(got, dtype, i) - want), 0x1p-24);
        else if (dtype == BP_DTYPE_F16 && fabs(want) > 65000)
            ck_assert_double_ge(fabs(get(got, dtype, i)), 65000);
        else if (dtype != BP_DTYPE_F64 && fabs(want) > 3.4e38)
            ck_assert_double_ge(fabs(get(got, dtype, i)), 3.3e38);
        else if (dtype != BP_DTYPE_F64 && fabs(want) < 1.2e-38)
            ck_assert_double_le(fabs(get(got, dtype, i)), 1.2e-38);
        else if (unary[op].reference == hard_sigmoid && want < 0.5) /* a difference of numbers near 0.5 */
            ck_assert_double_le(fabs(get(got, dtype, i) - want), tolerance);
        else
            expect_near(get(got, dtype, i), want, tolerance, unary[op].op, i);
    }
    free(data);
}
END_TEST

START_TEST(attributes_change_the_curve)
{
    static const struct {
        const char *op, *a, *b;
        float value_a, value_b, want[2]; /* for -1 and 2 */
    } rows[] = {
        {"LeakyRelu", "alpha", NULL, 0.5f, 0, {-0.5f, 2}},
        {"Elu", "alpha", NULL, 2, 0, {-1.26424112f, 2}},
        {"HardSigmoid", "alpha", "beta", 0.25f, 0.25f, {0, 0.75f}},
        {"Selu", "alpha", "gamma", 1, 3, {-1.89636168f, 6}},
    };
    const float *y;

    th_input(t, "x", BP_DTYPE_F32, "2", (float[]){-1, 2});
    th_output(t, "y", BP_DTYPE_F32, "2");
    th_node(t, rows[_i].op, 6, "x", "y");
    th_float(t, rows[_i].a, rows[_i].value_a);
    if (rows[_i].b)
        th_float(t, rows[_i].b, rows[_i].value_b);
    ck_run();
    y = th_data(t, "y");
    for (size_t i = 0; i < 2; i++)
        expect_near((double)y[i], (double)rows[_i].want[i], 1e-6, rows[_i].op, i);
}
END_TEST

START_TEST(integers_keep_their_smallest_number)
{
    static const char *const ops[] = {"Abs", "Neg"};
    const int8_t *y;

    th_input(t, "x", BP_DTYPE_I8, "3", (int8_t[]){-128, -5, 127});
    th_output(t, "y", BP_DTYPE_I8, "3");
    th_node(t, ops[_i], 13, "x", "y");
    ck_run();
    y = th_data(t, "y");
    ck_assert_int_eq(y[0], -128);
    ck_assert_int_eq(y[1], 5);
    ck_assert_int_eq(y[2], _i == 0 ? 127 : -127);
}
END_TEST

START_TEST(not_turns_bools)
{
    th_input(t, "x", BP_DTYPE_BOOL, "2", "\0\1");
    th_output(t, "y", BP_DTYPE_BOOL, "2");
    th_node(t, "Not", 1, "x", "y");
    ck_run();
    ck_assert_mem_eq(th_data(t, "y"), "\1\0", 2);
}
END_TEST

/* ---- binary, with broadcasting --------------------------------------------------------------------- */

enum { MAX_RANK = 5 };

struct shape {
    uint32_t rank;
    int64_t dims[MAX_RANK];
    char text[64];
};

static void write_text(struct shape *shape)
{
    size_t at = 0;

    shape->text[0] = '\0';
    for (uint32_t d = 0; d < shape->rank; d++)
        at += (size_t)snprintf(shape->text + at, sizeof shape->text - at, "%s%d", d ? "," : "",
                               (int)shape->dims[d]);
}

static size_t count_of(const struct shape *shape)
{
    return (size_t)bp_dims_count(shape->dims, shape->rank);
}

/* An input's shape that broadcasts to `whole`: ones here and there, and fewer dimensions. */
static struct shape narrowed(const struct shape *whole, uint64_t *seed)
{
    struct shape shape = {.rank = random_below(seed, whole->rank + 1)};

    if (random_below(seed, 2))
        shape.rank = whole->rank;
    for (uint32_t d = 0; d < shape.rank; d++) {
        int64_t dim = whole->dims[d + whole->rank - shape.rank];

        shape.dims[d] = random_below(seed, 3) == 0 ? 1 : dim;
    }
    write_text(&shape);
    return shape;
}

/* The shape that several broadcast to. */
static struct shape joined(const struct shape *in, uint32_t n)
{
    struct shape out = {0};

    for (uint32_t k = 0; k < n; k++)
        out.rank = in[k].rank > out.rank ? in[k].rank : out.rank;
    for (uint32_t d = 0; d < out.rank; d++) {
        out.dims[d] = 1;
        for (uint32_t k = 0; k < n; k++) {
            if (d + in[k].rank >= out.rank && in[k].dims[d + in[k].rank - out.rank] != 1)
                out.dims[d] = in[k].dims[d + in[k].rank - out.rank];
        }
    }
    write_text(&out);
    return out;
}

/* Element of an input that goes into element i of the output. */
static size_t source(const struct shape *out, const struct shape *in, size_t i)
{
    size_t at = 0, stride = 1;

    for (uint32_t d = out->rank; d-- > 0;) {
        size_t index = i % (size_t)out->dims[d];

        i /= (size_t)out->dims[d];
        if (d + in->rank < out->rank)
            continue;
        if (in->dims[d + in->rank - out->rank] != 1)
            at += index * stride;
        stride *= (size_t)in->dims[d + in->rank - out->rank];
    }
    return at;
}

static struct shape random_shape(uint64_t *seed)
{
    struct shape shape = {.rank = random_below(seed, MAX_RANK + 1)};
    uint32_t most = shape.rank > 3 || random_below(seed, 4) ? 6 : 20;

    for (uint32_t d = 0; d < shape.rank; d++)
        shape.dims[d] = random_below(seed, 20) == 0 ? 0 : 1 + random_below(seed, most);
    write_text(&shape);
    return shape;
}

static float *random_floats(size_t n, uint64_t *seed)
{
    float *data = calloc(n + 1, sizeof *data);

    ck_assert_ptr_nonnull(data);
    for (size_t i = 0; i < n; i++)
        data[i] = random_float(seed, 8);
    return data;
}

static float apply(uint32_t op, float a, float b, float c)
{
    switch (op) {
    case 0:
        return a - b;
    case 1:
        return a / b;
    case 2:
        return a < b;
    case 3:
        return a < 0 ? a * b : a;
    case 4:
        return a + b + c;
    case 5:
        return a < b ? (a < c ? a : c) : b < c ? b : c;
    case 6:
        return (a + b + c) / 3;
    default:
        return a != 0 ? b : c;
    }
}

static const struct {
    const char *op;
    uint32_t since, n_in, out_type;
} broadcasting[] = {
    {"Sub", 14, 2, BP_DTYPE_F32}, {"Div", 14, 2, BP_DTYPE_F32},  {"Less", 13, 2, BP_DTYPE_BOOL},
    {"PRelu", 16, 2, BP_DTYPE_F32}, {"Sum", 13, 3, BP_DTYPE_F32}, {"Min", 13, 3, BP_DTYPE_F32},
    {"Mean", 13, 3, BP_DTYPE_F32}, {"Where", 16, 3, BP_DTYPE_F32},
};

enum { SHAPES_EACH = 60 };

START_TEST(broadcasts_like_a_loop_over_all_indices)
{
    static const char *const names[] = {"a", "b", "c"};
    uint32_t op = (uint32_t)_i / SHAPES_EACH, n_in = broadcasting[op].n_in;
    uint64_t seed = (uint64_t)_i;
    struct shape whole = random_shape(&seed), in[3], out;
    float *data[3];
    const void *got;

    for (uint32_t k = 0; k < n_in; k++) {
        bool is_condition = k == 0 && strcmp(broadcasting[op].op, "Where") == 0;

        in[k] = narrowed(&whole, &seed);
        data[k] = random_floats(count_of(&in[k]), &seed);
        if (is_condition) {
            uint8_t *bytes = calloc(count_of(&in[k]) + 1, 1);

            for (size_t i = 0; i < count_of(&in[k]); i++)
                data[k][i] = bytes[i] = data[k][i] > 0;
            th_input(t, names[k], BP_DTYPE_BOOL, in[k].text, bytes);
            free(bytes);
        } else {
            th_input(t, names[k], BP_DTYPE_F32, in[k].text, data[k]);
        }
    }
    out = joined(in, n_in);
    th_output(t, "y", broadcasting[op].out_type, out.text);
    th_node(t, broadcasting[op].op, broadcasting[op].since, n_in == 2 ? "a b" : "a b c", "y");
    ck_run();
    got = th_data(t, "y");
    for (size_t i = 0; i < count_of(&out); i++) {
        float want = apply(op, data[0][source(&out, &in[0], i)], data[1][source(&out, &in[1], i)],
                           n_in > 2 ? data[2][source(&out, &in[2], i)] : 0);

        expect_near(get(got, broadcasting[op].out_type, i), (double)want, 1e-6,
                    broadcasting[op].op, i);
    }
    for (uint32_t k = 0; k < n_in; k++)
        free(data[k]);
}
END_TEST

START_TEST(large_tensors_are_shared_among_threads)
{
    static const struct {
        const char *a, *b;
        size_t period, run; /* b's element for i is i / run % period */
    } rows[] = {
        {"64,50,40", "64,50,40", 128000, 1}, {"64,50,40", "", 1, 128000},
        {"64,50,40", "40", 40, 1},           {"64,50,40", "50,1", 50, 40},
        {"2,64000", "2,1", 2, 64000},        {"128000", "1", 1, 128000},
    };
    uint64_t seed = 3;
    float *a = random_floats(128000, &seed), *b = random_floats(128000, &seed);
    const float *y;

    th_threads(t, (uint32_t)_i % 2 ? 3 : 16);
    th_input(t, "a", BP_DTYPE_F32, rows[_i].a, a);
    th_input(t, "b", BP_DTYPE_F32, rows[_i].b, b);
    th_output(t, "y", BP_DTYPE_F32, rows[_i].a);
    th_node(t, "Add", 14, "a b", "y");
    ck_run();
    y = th_data(t, "y");
    for (size_t i = 0; i < 128000; i++) {
        float want = a[i] + b[i / rows[_i].run % rows[_i].period];

        if (y[i] != want)
            ck_abort_msg("y[%zu] is %g, not %g", i, (double)y[i], (double)want);
    }
    free(a);
    free(b);
}
END_TEST

START_TEST(old_versions_broadcast_along_an_axis)
{
    static const struct {
        const char *op, *b, *axis;
        uint32_t since;
        float want[12];
    } rows[] = {
        {"Add", "3", "1", 6, {10, 10, 20, 20, 30, 30, 10, 10, 20, 20, 30, 30}},
        {"Add", "2", NULL, 1, {10, 20, 10, 20, 10, 20, 10, 20, 10, 20, 10, 20}},
        {"Sub", "2", "0", 6, {-10, -10, -10, -10, -10, -10, -20, -20, -20, -20, -20, -20}},
        {"Add", "2,3", "0", 6, {10, 10, 20, 20, 30, 30, 40, 40, 50, 50, 60, 60}},
        {"Add", "", NULL, 6, {10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10}},
    };
    const float *y;

    th_input(t, "a", BP_DTYPE_F32, "2,3,2", (float[12]){0});
    th_input(t, "b", BP_DTYPE_F32, rows[_i].b, (float[]){10, 20, 30, 40, 50, 60});
    th_output(t, "y", BP_DTYPE_F32, "2,3,2");
    th_node(t, rows[_i].op, rows[_i].since, "a b", "y");
    th_int(t, "broadcast", 1);
    if (rows[_i].axis)
        th_int(t, "axis", atoi(rows[_i].axis));
    ck_run();
    y = th_data(t, "y");
    for (int i = 0; i < 12; i++)
        ck_float(y[i], rows[_i].want[i]);
}
END_TEST

START_TEST(prelu_once_had_a_slope_a_channel)
{
    const float *y;

    th_input(t, "x", BP_DTYPE_F32, "1,2,2", (float[]){-1, 1, -1, -2});
    th_input(t, "s", BP_DTYPE_F32, "2", (float[]){10, 100});
    th_output(t, "y", BP_DTYPE_F32, "1,2,2");
    th_node(t, "PRelu", 6, "x s", "y");
    ck_run();
    y = th_data(t, "y");
    ck_float(y[0], -10);
    ck_float(y[1], 1);
    ck_float(y[2], -100);
    ck_float(y[3], -200);
}
END_TEST

START_TEST(sums_work_in_place)
{
    const float *y;

    th_input(t, "x", BP_DTYPE_F32, "3", (float[]){1, 2, 3});
    th_value(t, "a", BP_DTYPE_F32, "3");
    th_value(t, "b", BP_DTYPE_F32, "3");
    th_value(t, "c", BP_DTYPE_F32, "3");
    th_output(t, "y", BP_DTYPE_F32, "3");
    th_node(t, "Neg", 13, "x", "a");
    th_node(t, "Exp", 13, "x", "b");
    th_node(t, "Sum", 13, "a a b a", "c");
    th_node(t, "Sub", 14, "c b", "y");
    ck_run();
    y = th_data(t, "y");
    for (int i = 0; i < 3; i++)
        expect_near((double)y[i], -3.0 * (i + 1), 1e-6, "y", (size_t)i);
}
END_TEST

START_TEST(a_broadcast_first_input_does_not_hurt_what_lies_in_place)
{
    const float *y;

    th_input(t, "x", BP_DTYPE_F32, "2,2", (float[]){1, 2, 3, 4});
    th_input(t, "s", BP_DTYPE_F32, "", (float[]){10});
    th_value(t, "a", BP_DTYPE_F32, "2,2");
    th_value(t, "y0", BP_DTYPE_F32, "2,2");
    th_output(t, "y", BP_DTYPE_F32, "2,2");
    th_node(t, "Neg", 13, "x", "a");
    th_node(t, "Sum", 13, "s a s", "y0");
    th_node(t, "Identity", 16, "y0", "y");
    ck_run();
    y = th_data(t, "y");
    for (int i = 0; i < 4; i++)
        ck_float(y[i], 20.0f - (float)(i + 1));
}
END_TEST

START_TEST(minimum_and_maximum_hand_nan_on)
{
    static const char *const ops[] = {"Min", "Max"};
    const float *y;

    th_input(t, "a", BP_DTYPE_F32, "3", (float[]){NAN, 1, 2});
    th_input(t, "b", BP_DTYPE_F32, "3", (float[]){1, NAN, 3});
    th_output(t, "y", BP_DTYPE_F32, "3");
    th_node(t, ops[_i], 13, "a b", "y");
    ck_run();
    y = th_data(t, "y");
    ck_assert(isnan(y[0]));
    ck_assert(isnan(y[1]));
    ck_float(y[2], _i == 0 ? 2 : 3);
}
END_TEST

START_TEST(integer_division_is_defined_everywhere)
{
    static const struct {
        const char *op;
        int64_t fmod;
        int32_t want[8];
    } rows[] = {
        {"Div", -1, {3, -3, -3, 3, 0, INT32_MIN, 0, 0}},
        {"Mod", 0, {1, 1, -1, -1, 0, 0, 0, 0}},
        {"Mod", 1, {1, -1, 1, -1, 0, 0, 0, 0}},
    };
    static const int32_t a[] = {7, -7, 7, -7, 5, INT32_MIN, INT32_MIN, 0};
    static const int32_t b[] = {2, 2, -2, -2, 0, -1, 0, -1};
    const int32_t *y;

    th_input(t, "a", BP_DTYPE_I32, "8", a);
    th_input(t, "b", BP_DTYPE_I32, "8", b);
    th_output(t, "y", BP_DTYPE_I32, "8");
    th_node(t, rows[_i].op, _i == 0 ? 14 : 13, "a b", "y");
    if (rows[_i].fmod >= 0)
        th_int(t, "fmod", rows[_i].fmod);
    ck_run();
    y = th_data(t, "y");
    for (int i = 0; i < 8; i++)
        ck_assert_msg(y[i] == rows[_i].want[i], "%d %s %d is %d, not %d", a[i], rows[_i].op, b[i],
                      y[i], rows[_i].want[i]);
}
END_TEST

START_TEST(mod_of_floats_wants_fmod)
{
    const float *y;

    th_input(t, "a", BP_DTYPE_F32, "2", (float[]){-7.5f, 7.5f});
    th_input(t, "b", BP_DTYPE_F32, "", (float[]){2});
    th_output(t, "y", BP_DTYPE_F32, "2");
    th_node(t, "Mod", 13, "a b", "y");
    ck_assert_int_eq(th_claim(t), BP_E_UNSUPPORTED);
    ck_assert_uint_eq(th_reason(t), BP_R_ATTRIBUTE);
    th_int(t, "fmod", 1);
    ck_run();
    y = th_data(t, "y");
    ck_float(y[0], -1.5f);
    ck_float(y[1], 1.5f);
}
END_TEST

START_TEST(arithmetic_wraps_in_every_integer_type)
{
    uint32_t dtype = number_types[4 + _i];
    uint64_t a, ones = UINT64_MAX, b;
    size_t width = bp_dtype_width(dtype) / 8;

    th_input(t, "a", dtype, "1", &ones);
    th_value(t, "s", dtype, "1");
    th_output(t, "y", dtype, "1");
    th_node(t, "Add", 14, "a a", "s");
    th_node(t, "Mul", 14, "s s", "y");
    ck_run();
    a = ones + ones;
    b = a * a;
    ck_assert_mem_eq(th_data(t, "y"), &b, width);
}
END_TEST

START_TEST(powers_take_mixed_types)
{
    static const double bases[] = {2, 3, -2, -1, 1, 0, 5, 4};
    static const double exponents[] = {3, 0, 5, 7, 60, 2, 1, 2};
    static const uint32_t base_types[] = {BP_DTYPE_F32, BP_DTYPE_F64, BP_DTYPE_F16, BP_DTYPE_BF16,
                                          BP_DTYPE_I32, BP_DTYPE_I64};
    uint32_t a_type = base_types[_i / 12], b_type = number_types[_i % 12];
    uint64_t a[8], b[8];
    const void *y;

    for (size_t i = 0; i < 8; i++) {
        put(a, a_type, i, bases[i]);
        put(b, b_type, i, exponents[i]);
    }
    th_input(t, "a", a_type, "8", a);
    th_input(t, "b", b_type, "8", b);
    th_output(t, "y", a_type, "8");
    th_node(t, "Pow", 15, "a b", "y");
    ck_run();
    y = th_data(t, "y");
    for (size_t i = 0; i < 8; i++)
        expect_near(get(y, a_type, i), pow(bases[i], exponents[i]), 1e-6, "y", i);
}
END_TEST

START_TEST(common_exponents_are_exact)
{
    static const float exponents[] = {2, 3, 0.5f, -1, 0, 1.7f};
    static const float x[] = {0, -0.0f, 1, 2, 9, 0.25f, -2, INFINITY, -INFINITY, NAN};
    const float *y;

    th_input(t, "x", BP_DTYPE_F32, "10", x);
    th_input(t, "e", BP_DTYPE_F32, "", &exponents[_i]);
    th_output(t, "y", BP_DTYPE_F32, "10");
    th_node(t, "Pow", 15, "x e", "y");
    ck_run();
    y = th_data(t, "y");
    for (size_t i = 0; i < 10; i++)
        expect_near((double)y[i], pow((double)x[i], (double)exponents[_i]), 1e-6, "y", i);
}
END_TEST

START_TEST(integer_powers_end)
{
    const int64_t *y;

    th_input(t, "a", BP_DTYPE_I64, "5", (int64_t[]){-1, -1, 2, 0, 3});
    th_input(t, "b", BP_DTYPE_I64, "5", (int64_t[]){-3, -4, -1, -1, INT64_MAX});
    th_output(t, "y", BP_DTYPE_I64, "5");
    th_node(t, "Pow", 15, "a b", "y");
    ck_run();
    y = th_data(t, "y");
    ck_assert_int_eq(y[0], -1);
    ck_assert_int_eq(y[1], 1);
    ck_assert_int_eq(y[2], 0);
    ck_assert_int_eq(y[3], 0);
}
END_TEST

START_TEST(strings_are_compared)
{
    static const bp_span a[] = {{"one", 3}, {"two", 3}, {"", 0}};
    static const bp_span b[] = {{"one", 3}, {"twos", 4}, {NULL, 0}};

    th_input(t, "a", BP_DTYPE_STRING, "3", a);
    th_input(t, "b", BP_DTYPE_STRING, "3", b);
    th_output(t, "y", BP_DTYPE_BOOL, "3");
    th_node(t, "Equal", 19, "a b", "y");
    ck_run();
    ck_assert_mem_eq(th_data(t, "y"), "\1\0\1", 3);
}
END_TEST

START_TEST(bools_are_combined)
{
    static const struct {
        const char *op, *want;
    } rows[] = {{"And", "\0\0\0\1"}, {"Or", "\0\1\1\1"}, {"Xor", "\0\1\1\0"}, {"Equal", "\1\0\0\1"}};

    th_input(t, "a", BP_DTYPE_BOOL, "4", "\0\0\1\1");
    th_input(t, "b", BP_DTYPE_BOOL, "4", "\0\1\0\1");
    th_output(t, "y", BP_DTYPE_BOOL, "4");
    th_node(t, rows[_i].op, 7, "a b", "y");
    ck_run();
    ck_assert_mem_eq(th_data(t, "y"), rows[_i].want, 4);
}
END_TEST

/* ---- Clip, Cast ------------------------------------------------------------------------------------ */

START_TEST(clips_to_ends_that_may_be_absent)
{
    static const struct {
        const char *in;
        float want[5];
    } rows[] = {
        {"x low high", {-1, -1, 0.5f, 2, NAN}},
        {"x low", {-1, -1, 0.5f, INFINITY, NAN}},
        {"x - high", {-INFINITY, -3, 0.5f, 2, NAN}},
        {"x", {-INFINITY, -3, 0.5f, INFINITY, NAN}},
        {"x high low", {-1, -1, -1, -1, NAN}}, /* max counts last */
    };
    const float *y;

    th_input(t, "x", BP_DTYPE_F32, "5", (float[]){-INFINITY, -3, 0.5f, INFINITY, NAN});
    th_input(t, "low", BP_DTYPE_F32, "", (float[]){-1});
    th_input(t, "high", BP_DTYPE_F32, "", (float[]){2});
    th_output(t, "y", BP_DTYPE_F32, "5");
    th_node(t, "Clip", 13, rows[_i].in, "y");
    ck_run();
    y = th_data(t, "y");
    for (size_t i = 0; i < 5; i++)
        expect_near((double)y[i], (double)rows[_i].want[i], 0, "y", i);
}
END_TEST

START_TEST(clip_once_had_attributes)
{
    uint32_t dtype = number_types[_i];
    uint64_t x[3];
    const void *y;

    for (size_t i = 0; i < 3; i++)
        put(x, dtype, i, (double)i * 2 - 2);
    th_input(t, "x", dtype, "3", x);
    th_output(t, "y", dtype, "3");
    th_node(t, "Clip", 6, "x", "y");
    th_float(t, "min", -1);
    th_float(t, "max", 1.5f);
    ck_run();
    y = th_data(t, "y");
    expect_near(get(y, dtype, 0), -1, 0, "y", 0);
    expect_near(get(y, dtype, 1), 0, 0, "y", 1);
    expect_near(get(y, dtype, 2), 1.5, 0, "y", 2);
}
END_TEST

/* What a cast should give; from is what the element type holds. */
static double cast_reference(double from, uint32_t to)
{
    double bits = bp_dtype_width(to), low, high, cut = trunc(from);
    bool is_unsigned = to == BP_DTYPE_U8 || to == BP_DTYPE_U16 || to == BP_DTYPE_U32 ||
                       to == BP_DTYPE_U64;

    if (to == BP_DTYPE_BOOL)
        return from != 0;
    if (is_float(to))
        return from;
    if (isnan(from))
        return 0;
    low = is_unsigned ? 0 : -exp2(bits - 1);
    high = is_unsigned ? exp2(bits) - 1 : exp2(bits - 1) - 1;
    return cut < low ? low : cut > high ? high : cut;
}

START_TEST(casts_every_pair)
{
    static const double numbers[] = {0,   1,    2,     100,   127,    -1,   1.5,  -1.5,
                                     2.7, -100, 0.004, 60000, -32768, 3e38, -1e9, (double)NAN};
    uint32_t from = number_types[_i / 13], to = _i % 13 == 12 ? BP_DTYPE_BOOL : number_types[_i % 13];
    uint64_t x[COUNT(numbers)], y_wide[COUNT(numbers)];
    size_t n = 0;
    const void *y;

    for (size_t i = 0; i < COUNT(numbers); i++) {
        double as_from = cast_reference(numbers[i], from);

        if (!is_float(from) && fabs(numbers[i]) > 1e15)
            continue; /* the largest int64 is no double */
        /* integers are cut to their low bits, which is looked at elsewhere */
        if (!is_float(from) && !is_float(to) && cast_reference(as_from, to) != as_from &&
            to != BP_DTYPE_BOOL)
            continue;
        put(x, from, n++, as_from);
    }
    th_input(t, "x", from, "16", x);
    th_output(t, "y", to, "16");
    th_node(t, "Cast", 13, "x", "y");
    th_int(t, "to", to);
    ck_run();
    y = th_data(t, "y");
    for (size_t i = 0; i < n; i++) {
        double want = cast_reference(get(x, from, i), to);

        if (is_float(to)) {
            put(y_wide, to, 0, want);
            want = get(y_wide, to, 0);
        }
        expect_near(get(y, to, i), want, to == BP_DTYPE_F16 ? 0x1p-10 : 1e-7, "y", i);
    }
}
END_TEST

START_TEST(integers_lose_their_high_bits)
{
    const int8_t *y;

    th_input(t, "x", BP_DTYPE_I16, "3", (int16_t[]){200, -129, 257});
    th_output(t, "y", BP_DTYPE_I8, "3");
    th_node(t, "Cast", 13, "x", "y");
    ck_run();
    y = th_data(t, "y");
    ck_assert_int_eq(y[0], -56);
    ck_assert_int_eq(y[1], 127);
    ck_assert_int_eq(y[2], 1);
}
END_TEST

START_TEST(a_double_is_rounded_once)
{
    /* just above the middle of two float16: rounding to float first would fall on the middle */
    const double x = 1 + 0x1p-11 + 0x1p-40;
    const uint16_t *y;

    th_input(t, "x", BP_DTYPE_F64, "2", (double[]){x, -x});
    th_output(t, "y", BP_DTYPE_F16, "2");
    th_node(t, "Cast", 13, "x", "y");
    ck_run();
    y = th_data(t, "y");
    ck_assert_uint_eq(y[0], 0x3c01);
    ck_assert_uint_eq(y[1], 0xbc01);
}
END_TEST

START_TEST(float16_is_rounded_to_the_nearest_even)
{
    /* each float16 and what lies a quarter, a half and three quarters of the way to the next */
    for (uint32_t h = 0; h < 0x7c00; h++) {
        double low = (double)bp_f16_load((uint16_t)h);
        double high = h + 1 < 0x7c00 ? (double)bp_f16_load((uint16_t)(h + 1)) : 65536;
        uint32_t even = h % 2 ? h + 1 : h;

        ck_assert_uint_eq(bp_f16_store((float)low), h);
        ck_assert_uint_eq(bp_f16_store((float)-low), h | 0x8000);
        ck_assert_uint_eq(bp_f16_store((float)(low + (high - low) / 4)), h);
        ck_assert_uint_eq(bp_f16_store((float)(low + (high - low) / 2)), even);
        ck_assert_uint_eq(bp_f16_store((float)(low + (high - low) * 3 / 4)), h + 1);
        ck_assert_double_lt(low, high);
    }
    ck_assert_double_eq((double)bp_f16_load(1), 0x1p-24);
    ck_assert_double_eq((double)bp_f16_load(0x3c00), 1);
    ck_assert_uint_eq(bp_f16_store(INFINITY), 0x7c00);
    ck_assert_uint_eq(bp_f16_store(1e9f), 0x7c00);
    ck_assert(isnan(bp_f16_load(bp_f16_store(NAN))));
    ck_assert(isinf(bp_f16_load(0xfc00)));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_elements");
    TCase *tcase = tcase_create("elements");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, unary_operators_are_libms, 0, (int)COUNT(unary) * 16);
    tcase_add_loop_test(tcase, attributes_change_the_curve, 0, 4);
    tcase_add_loop_test(tcase, integers_keep_their_smallest_number, 0, 2);
    tcase_add_test(tcase, not_turns_bools);
    tcase_add_loop_test(tcase, broadcasts_like_a_loop_over_all_indices, 0,
                        (int)COUNT(broadcasting) * SHAPES_EACH);
    tcase_add_loop_test(tcase, large_tensors_are_shared_among_threads, 0, 6);
    tcase_add_loop_test(tcase, old_versions_broadcast_along_an_axis, 0, 5);
    tcase_add_test(tcase, prelu_once_had_a_slope_a_channel);
    tcase_add_test(tcase, sums_work_in_place);
    tcase_add_test(tcase, a_broadcast_first_input_does_not_hurt_what_lies_in_place);
    tcase_add_loop_test(tcase, minimum_and_maximum_hand_nan_on, 0, 2);
    tcase_add_loop_test(tcase, integer_division_is_defined_everywhere, 0, 3);
    tcase_add_test(tcase, mod_of_floats_wants_fmod);
    tcase_add_loop_test(tcase, arithmetic_wraps_in_every_integer_type, 0, 8);
    tcase_add_loop_test(tcase, powers_take_mixed_types, 0, 72);
    tcase_add_loop_test(tcase, common_exponents_are_exact, 0, 6);
    tcase_add_test(tcase, integer_powers_end);
    tcase_add_test(tcase, strings_are_compared);
    tcase_add_loop_test(tcase, bools_are_combined, 0, 4);
    tcase_add_loop_test(tcase, clips_to_ends_that_may_be_absent, 0, 5);
    tcase_add_loop_test(tcase, clip_once_had_attributes, 0, 4);
    tcase_add_loop_test(tcase, casts_every_pair, 0, 12 * 13);
    tcase_add_test(tcase, integers_lose_their_high_bits);
    tcase_add_test(tcase, a_double_is_rounded_once);
    tcase_add_test(tcase, float16_is_rounded_to_the_nearest_even);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
