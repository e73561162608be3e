/* SPDX-License-Identifier: MIT */
/*
 * check_elementwise.c - operators that compute or compare several inputs element by
 * element, with every type they take, broadcast: integers in all their bits as two's complement
 * wraps them, floats as they are in double, rounded once.
 */

#include "config.h"

#include "cpu/types/element_types.h"

enum { ROUNDS = 40, MOST_IN = 4 };

/* ---- on floats ------------------------------------------------------------------------------- */

static double add(double a, double b)
{
    return a + b;
}

static double subtract(double a, double b)
{
    return a - b;
}

static double multiply(double a, double b)
{
    return a * b;
}

static double divide(double a, double b)
{
    return a / b;
}

static double least(double a, double b)
{
    return isnan(a) || isnan(b) ? (double)NAN : a < b ? a : b;
}

static double most(double a, double b)
{
    return isnan(a) || isnan(b) ? (double)NAN : a > b ? a : b;
}

static double prelu(double a, double b)
{
    return a < 0 ? a * b : a;
}

static double is_less(double a, double b)
{
    return a < b;
}

static double is_less_or_equal(double a, double b)
{
    return a <= b;
}

static double is_greater(double a, double b)
{
    return a > b;
}

static double is_greater_or_equal(double a, double b)
{
    return a >= b;
}

static double is_equal(double a, double b)
{
    return a == b;
}

/* Mod without fmod: with the sign of b. */
static double floor_mod(double a, double b)
{
    double rest = fmod(a, b);

    if (rest == 0)
        return copysign(rest, b);
    return (rest < 0) != (b < 0) ? rest + b : rest;
}

/* ---- on integers, as 64 bits with their sign ------------------------------------------------- */

static uint64_t whole_add(uint64_t a, uint64_t b, bool is_signed)
{
    (void)is_signed;
    return a + b;
}

static uint64_t whole_subtract(uint64_t a, uint64_t b, bool is_signed)
{
    (void)is_signed;
    return a - b;
}

static uint64_t whole_multiply(uint64_t a, uint64_t b, bool is_signed)
{
    (void)is_signed;
    return a * b;
}

/* By 0: 0. The lowest by -1: itself. */
static uint64_t whole_divide(uint64_t a, uint64_t b, bool is_signed)
{
    if (b == 0)
        return 0;
    if (is_signed && b == UINT64_MAX)
        return 0 - a;
    return is_signed ? (uint64_t)((int64_t)a / (int64_t)b) : a / b;
}

static uint64_t whole_fmod(uint64_t a, uint64_t b, bool is_signed)
{
    return b == 0 ? 0 : a - whole_divide(a, b, is_signed) * b;
}

/* With the sign of b. */
static uint64_t whole_mod(uint64_t a, uint64_t b, bool is_signed)
{
    uint64_t rest = whole_fmod(a, b, is_signed);

    return rest != 0 && below(rest, 0, is_signed) != below(b, 0, is_signed) ? rest + b : rest;
}

static uint64_t whole_least(uint64_t a, uint64_t b, bool is_signed)
{
    return below(a, b, is_signed) ? a : b;
}

static uint64_t whole_most(uint64_t a, uint64_t b, bool is_signed)
{
    return below(a, b, is_signed) ? b : a;
}

static uint64_t whole_prelu(uint64_t a, uint64_t b, bool is_signed)
{
    return below(a, 0, is_signed) ? a * b : a;
}

static uint64_t whole_less_or_equal(uint64_t a, uint64_t b, bool is_signed)
{
    return !below(b, a, is_signed);
}

static uint64_t whole_less(uint64_t a, uint64_t b, bool is_signed)
{
    return below(a, b, is_signed);
}

static uint64_t whole_greater(uint64_t a, uint64_t b, bool is_signed)
{
    return below(b, a, is_signed);
}

static uint64_t whole_greater_or_equal(uint64_t a, uint64_t b, bool is_signed)
{
    return !below(a, b, is_signed);
}

static uint64_t whole_equal(uint64_t a, uint64_t b, bool is_signed)
{
    (void)is_signed;
    return a == b;
}

/* ---- two and more inputs --------------------------------------------------------------------- */

enum { BINARY, COMPARES, IS_FMOD, FROM_LEFT, IS_MEAN };

static const struct rule {
    const char *op;
    uint32_t since;
    int kind;
    double (*real)(double a, double b); /* NULL: integers only */
    uint64_t (*whole)(uint64_t a, uint64_t b, bool is_signed);
} rules[] = {
    {"Add", 14, BINARY, add, whole_add},
    {"Sub", 14, BINARY, subtract, whole_subtract},
    {"Mul", 14, BINARY, multiply, whole_multiply},
    {"Div", 14, BINARY, divide, whole_divide},
    {"Mod", 13, IS_FMOD, fmod, whole_fmod},
    {"Mod", 28, BINARY, floor_mod, whole_mod},
    {"PRelu", 16, BINARY, prelu, whole_prelu},
    {"Min", 13, FROM_LEFT, least, whole_least},
    {"Max", 13, FROM_LEFT, most, whole_most},
    {"Sum", 13, FROM_LEFT, add, NULL},
    {"Mean", 13, IS_MEAN, add, NULL},
    {"Less", 13, COMPARES, is_less, whole_less},
    {"LessOrEqual", 16, COMPARES, is_less_or_equal, whole_less_or_equal},
    {"Greater", 13, COMPARES, is_greater, whole_greater},
    {"GreaterOrEqual", 16, COMPARES, is_greater_or_equal, whole_greater_or_equal},
    {"Equal", 19, COMPARES, is_equal, whole_equal},
};

/* Inputs of a node, and the shape of its output. */
struct operands {
    uint32_t n, dtype;
    struct shape in[MOST_IN], out;
    const void *data[MOST_IN];
};

static struct operands draw_operands(const struct rule *rule, uint32_t dtype, uint64_t *seed)
{
    static const char *const names[MOST_IN] = {"a", "b", "c", "d"};
    struct operands o = {.n = 2, .dtype = dtype};
    struct shape whole = shape_any(seed, 5);

    if (rule->kind == FROM_LEFT || rule->kind == IS_MEAN)
        o.n = 1 + random_below(seed, MOST_IN);
    for (uint32_t k = 0; k < o.n; k++) {
        o.in[k] = shape_narrowed(&whole, seed);
        /* a slope is broadcast to x, and not the other way */
        if (k == 0 && rule->real == prelu)
            o.in[k] = whole;
        o.data[k] = values_draw(shape_count(&o.in[k]), dtype, seed);
        th_input(t, names[k], dtype, shape_text(&o.in[k]), o.data[k]);
    }
    o.out = shape_joined(o.in, o.n);
    return o;
}

/* Sums of more than two may be rounded as often, and then what is left may be small. */
static double slack_of(const struct operands *o, size_t i)
{
    double size = 0;

    for (uint32_t k = 0; k < o->n; k++)
        size += fabs(typed_get(o->data[k], o->dtype, shape_source(&o->out, &o->in[k], i)));
    return o->n * size * unit_of(o->dtype) / 2;
}

static struct number fold(const struct rule *rule, const struct operands *o, size_t i)
{
    struct number r = number_at(o->data[0], o->dtype, shape_source(&o->out, &o->in[0], i));

    for (uint32_t k = 1; k < o->n; k++) {
        struct number v = number_at(o->data[k], o->dtype, shape_source(&o->out, &o->in[k], i));

        if (typed_is_float(o->dtype))
            r.real = rule->real(r.real, v.real);
        else
            r.whole = rule->whole(r.whole, v.whole, typed_is_signed(o->dtype));
    }
    if (rule->kind == IS_MEAN)
        r.real /= o->n;
    if (rule->kind == COMPARES && typed_is_float(o->dtype))
        r.whole = r.real != 0;
    return r;
}

static void expect_folded(const struct rule *rule, const struct operands *o)
{
    uint32_t to = rule->kind == COMPARES ? BP_DTYPE_BOOL : o->dtype;
    bool is_sum = rule->kind == IS_MEAN || (rule->kind == FROM_LEFT && rule->real == add);
    uint64_t want[2];

    for (size_t i = 0; i < shape_count(&o->out); i++) {
        const char *got = (const char *)th_data(t, "y") + i * (bp_dtype_width(to) / 8);
        double v = is_sum ? typed_get(got, to, 0) : 0;

        number_put(want, to, 0, fold(rule, o, i));
        if (is_sum && fabs(v - typed_get(want, to, 0)) <= slack_of(o, i))
            continue;
        values_same(rule->op, got, want, 1, to, is_sum ? 1 : 0);
    }
}

static void run_rule(const struct rule *rule, uint32_t dtype, uint64_t *seed)
{
    static const char *const lists[] = {"", "a", "a b", "a b c", "a b c d"};
    struct operands o;

    fresh();
    o = draw_operands(rule, dtype, seed);
    th_output(t, "y", rule->kind == COMPARES ? BP_DTYPE_BOOL : dtype, shape_text(&o.out));
    th_node(t, rule->op, rule->since, lists[o.n], "y");
    if (rule->kind == IS_FMOD)
        th_int(t, "fmod", 1);
    ck_run();
    expect_folded(rule, &o);
}

START_TEST(elementwise_operators_take_every_type)
{
    const struct rule *rule = &rules[_i];
    uint64_t types = types_of("", rule->op, rule->since, 0), seed = (uint64_t)_i;
    uint32_t n = 0;

    for (uint32_t dtype = 1; dtype < BP_DTYPE_END; dtype++) {
        if (!(types >> dtype & 1) || dtype == BP_DTYPE_STRING ||
            (typed_is_float(dtype) && !rule->real))
            continue;
        for (int round = 0; round < ROUNDS; round++)
            run_rule(rule, dtype, &seed);
        n++;
    }
    ck_assert_uint_ge(n, 4);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_every_arithmetic");
    TCase *tcase = tcase_create("arithmetic");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, elementwise_operators_take_every_type, 0, COUNT(rules));
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
