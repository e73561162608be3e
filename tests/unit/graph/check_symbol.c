/* SPDX-License-Identifier: MIT */
/* check_symbol.c - arithmetic on sizes that are names: equal ones are equal, and read well. */

#include "config.h"

#include "graph/symbol/symbol.h"

#include <check.h>
#include <stdlib.h>

#include "support/fail_alloc.h"

static struct bp_symbols symbols;
static char text[256];
static bp_err err;

static void setup(void)
{
    memset(&symbols, 0, sizeof symbols);
    err = bp_err_init(text, sizeof text);
}

static void teardown(void)
{
    bp_symbols_finish(&symbols);
}

static struct bp_sym named(const char *name)
{
    struct bp_sym sym;

    ck_assert_int_eq(bp_symbols_named(&symbols, name, &sym, &err), BP_OK);
    return sym;
}

static struct bp_sym calc(struct bp_sym a, char op, struct bp_sym b)
{
    struct bp_sym sym;

    ck_assert_msg(bp_symbols_calc(&symbols, a, op, b, &sym, &err) == BP_OK, "%s", text);
    return sym;
}

/*
 * An expression as text: a letter is a symbol, digits a number; operators are taken from left to
 * right, brackets first.
 */
static struct bp_sym eval(const char **s);

static struct bp_sym operand(const char **s)
{
    struct bp_sym sym;
    char name[2] = {**s, '\0'};

    if (**s == '(') {
        ++*s;
        sym = eval(s);
        ++*s;
    } else if (name[0] >= '0' && name[0] <= '9') {
        sym = bp_sym_of(strtoll(*s, (char **)(uintptr_t)s, 10));
    } else {
        ++*s;
        sym = named(name);
    }
    return sym;
}

static struct bp_sym eval(const char **s)
{
    struct bp_sym sym = operand(s);

    while (**s && **s != ')') {
        char op = *(*s)++;

        sym = calc(sym, op, operand(s));
    }
    return sym;
}

static struct bp_sym of(const char *expression)
{
    const char *s = expression;

    return eval(&s);
}

/* ---- names ----------------------------------------------------------------------------------- */

static const struct {
    const char *expression, *name;
} cases[] = {
    {"b*4", "b*4"},
    {"4*b", "b*4"},
    {"2*b*2", "b*4"},
    {"b+0", "b"},
    {"b*1", "b"},
    {"b/1", "b"},
    {"b+3-1", "b+2"},
    {"0-b", "-b"},
    {"5-b", "5-b"},
    {"0-b-5", "-b-5"},
    {"h-1/2+1", "(h-1)/2+1"},
    {"h+2-3/2+1", "(h-1)/2+1"},
    {"h-2/2+1", "h/2"},
    {"h-1/2+1-1/2+1", "(h-1)/4+1"}, /* two convolutions of stride 2 */
    {"h^2", "(h-1)/2+1"},
    {"h^s", "ceil(h/s)"},
    {"p+s-p", "s"},
    {"a*s*768/(a*64)", "s*12"},
    {"h*2+3/2", "h+1"},
    {"(a*s)+(s*a)", "a*s*2"},
    {"(a+1)*(a-1)", "a*a-1"},
    {"h/s/2", "(h/s)/2"},
    {"h/s*2", "(h/s)*2"},
    {"a*s/8", "a*s/8"},
    {"h+1/s", "(h+1)/s"},
    {"h/(s+1)", "h/(s+1)"},
    {"7/s", "7/s"},
    {"0-7/s", "(-7)/s"},
    {"h*3%2", "h%2"},
    {"h%4+1", "h%4+1"},
    {"h%s", "h%s"},
    {"a|s", "a|s"},
    {"a|s+1", "(a|s)+1"},
    {"1|s", "s"},
    {"7|s", "7"},
};

START_TEST(symbol_is_printed_as_a_plain_expression)
{
    struct bp_sym sym = of(cases[_i].expression);

    if (bp_sym_known(sym))
        ck_assert_int_eq(sym.value, atoi(cases[_i].name));
    else
        ck_assert_str_eq(bp_symbols_name(&symbols, sym), cases[_i].name);
}
END_TEST

static const char *const equal[][2] = {
    {"a+b", "b+a"},
    {"a*b", "b*a"},
    {"a*(b+c)", "(c*a)+(b*a)"},
    {"a+b-b", "a"},
    {"a-a", "0"},
    {"a*0", "0"},
    {"a/a", "1"},
    {"a+b/(b+a)", "1"},
    {"(a*c)+(b*c)/(a+b)", "c"},
    {"a*b%b", "0"},
    {"a*3/(a*4)", "0"},
    {"h+1/2", "h-1/2+1"},
    {"h/2/3", "h/6"},
    {"a|b", "b|a"},
    {"a|b|b", "a|b"},
    {"a|(b|a)", "a|b"},
    {"9%4", "1"},
    {"(0-9)%4", "3"},
    {"(0-9)/4", "0-3"},
    {"(0-9)^4", "0-2"},
    {"9^4", "3"},
    {"h*(0-1)/(0-2)", "h/2"},
};

START_TEST(equal_expressions_are_the_same_symbol)
{
    struct bp_sym a = of(equal[_i][0]), b = of(equal[_i][1]);

    ck_assert_msg(bp_sym_equal(a, b), "%s is '%s' (%lld), %s is '%s' (%lld)", equal[_i][0],
                  bp_symbols_name(&symbols, a), (long long)a.value, equal[_i][1],
                  bp_symbols_name(&symbols, b), (long long)b.value);
}
END_TEST

static const char *const different[][2] = {
    {"a+b", "a-b"}, {"a/2*2", "a"}, {"a/b", "b/a"}, {"a%b", "a/b"}, {"a^b", "a/b"}, {"a|b", "a"},
};

START_TEST(different_expressions_are_different_symbols)
{
    ck_assert(!bp_sym_equal(of(different[_i][0]), of(different[_i][1])));
}
END_TEST

/* ---- random expressions, calculated and read back from their names --------------------------- */

enum { N_LETTERS = 3, N_SETS = 6 };
static const int64_t letters[N_SETS][N_LETTERS] = {
    {1, 2, 3}, {7, 5, 2}, {224, 3, 16}, {13, 13, 1}, {100, 1, 99}, {31, 8, 6},
};

static int64_t floor_of(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t apply(int64_t a, char op, int64_t b)
{
    switch (op) {
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    case '/':
        return floor_of(a, b);
    case '^':
        return -floor_of(-a, b);
    default:
        return a - floor_of(a, b) * b;
    }
}

static int64_t read_sum(const char **s, const int64_t *set);

static int64_t read_factor(const char **s, const int64_t *set)
{
    int64_t x;

    if (strncmp(*s, "ceil(", 5) == 0) {
        *s += 5;
        x = read_factor(s, set);
        for (; **s == '*'; x *= read_factor(s, set))
            ++*s;
        ck_assert_int_eq(*(*s)++, '/');
        x = apply(x, '^', read_factor(s, set));
        ++*s;
        return x;
    }
    if (**s == '(') {
        ++*s;
        x = read_sum(s, set);
        ++*s;
        return x;
    }
    if (**s >= 'a' && **s < 'a' + N_LETTERS)
        return set[*(*s)++ - 'a'];
    ck_assert_msg(**s >= '0' && **s <= '9', "%s", *s);
    return strtoll(*s, (char **)(uintptr_t)s, 10);
}

static int64_t read_sum(const char **s, const int64_t *set)
{
    int64_t sum = 0;
    char sign = '+';

    if (**s == '-')
        sign = *(*s)++;
    for (;;) {
        int64_t x = read_factor(s, set);

        while (**s && strchr("*/%", **s)) {
            char op = *(*s)++;

            x = apply(x, op, read_factor(s, set));
        }
        sum = apply(sum, sign, x);
        if (**s != '+' && **s != '-')
            return sum;
        sign = *(*s)++;
    }
}

static uint32_t draw(uint32_t n)
{
    static uint32_t state = 1;

    state = state * 1664525 + 1013904223;
    return (state >> 16) % n;
}

struct sample {
    struct bp_sym sym;
    int64_t value[N_SETS];
};

static struct sample draw_operand(void)
{
    struct sample sample;
    uint32_t pick = draw(N_LETTERS + 2);
    char name[2] = {(char)('a' + pick), '\0'};
    int64_t number = (int64_t)draw(9) - 2;

    sample.sym = pick < N_LETTERS ? named(name) : bp_sym_of(number);
    for (int i = 0; i < N_SETS; i++)
        sample.value[i] = pick < N_LETTERS ? letters[i][pick] : number;
    return sample;
}

/* A division that has no result for one of the sets of values is left out. */
static void step(struct sample *a, char op, const struct sample *b)
{
    for (int i = 0; i < N_SETS; i++) {
        if ((b->value[i] == 0 && strchr("/%^", op)) || llabs(a->value[i]) > INT32_MAX ||
            llabs(b->value[i]) > INT32_MAX)
            return;
    }
    a->sym = calc(a->sym, op, b->sym);
    for (int i = 0; i < N_SETS; i++)
        a->value[i] = apply(a->value[i], op, b->value[i]);
}

START_TEST(simplified_expressions_keep_their_value)
{
    int n_read = 0;

    for (int round = 0; round < 3000; round++) {
        struct sample sides[2] = {draw_operand(), draw_operand()};

        for (int i = 0; i < 4; i++) {
            struct sample other = draw_operand();

            step(&sides[draw(2)], "+-*/%^"[draw(6)], &other);
        }
        step(&sides[0], "+-*/%^"[draw(6)], &sides[1]);
        for (int i = 0; i < N_SETS; i++) {
            const char *name = bp_symbols_name(&symbols, sides[0].sym), *s = name;
            int64_t value = sides[0].sym.value;

            if (bp_symbols_is_nameless(&symbols, sides[0].sym))
                continue;
            n_read++;
            if (!bp_sym_known(sides[0].sym))
                value = read_sum(&s, letters[i]);
            ck_assert_msg(value == sides[0].value[i] && *s == '\0', "%s is %lld, not %lld", name,
                          (long long)value, (long long)sides[0].value[i]);
        }
    }
    ck_assert_int_gt(n_read, 3000);
}
END_TEST

START_TEST(model_names_with_operators_are_printed_in_brackets)
{
    struct bp_sym odd = named("past - 1"), number = named("4");

    ck_assert_str_eq(bp_symbols_name(&symbols, calc(odd, '*', bp_sym_of(2))), "(past - 1)*2");
    ck_assert_str_eq(bp_symbols_name(&symbols, calc(number, '+', bp_sym_of(2))), "(4)+2");
    ck_assert(!bp_sym_equal(calc(named("a"), '-', named("b")), named("a-b")));
}
END_TEST

START_TEST(symbol_is_found_by_its_name)
{
    ck_assert(bp_sym_equal(named("batch"), named("batch")));
    ck_assert(!bp_sym_equal(named("batch"), named("Batch")));
    ck_assert(!bp_sym_equal(named("?"), named("?")));
    ck_assert(!bp_sym_equal(named(""), named("")));
    ck_assert(!bp_symbols_is_nameless(&symbols, named("batch")));
    ck_assert(bp_symbols_is_nameless(&symbols, named("?")));
    ck_assert_str_eq(bp_symbols_name(&symbols, bp_sym_of(3)), "");
}
END_TEST

START_TEST(expressions_of_data_dependent_symbols_are_data_dependent)
{
    struct bp_sym rows, other;

    ck_assert_int_eq(bp_symbols_fresh(&symbols, true, &rows, &err), BP_OK);
    ck_assert_int_eq(bp_symbols_fresh(&symbols, false, &other, &err), BP_OK);
    ck_assert(!bp_sym_equal(rows, other));
    ck_assert(bp_symbols_from_data(&symbols, rows));
    ck_assert(!bp_symbols_from_data(&symbols, other));
    ck_assert(!bp_symbols_from_data(&symbols, bp_sym_of(1)));
    ck_assert(bp_symbols_from_data(&symbols, calc(rows, '+', named("b"))));
    ck_assert(bp_symbols_from_data(&symbols, calc(named("b"), '/', rows)));
    ck_assert(bp_symbols_from_data(&symbols, calc(calc(rows, '*', named("b")), '%', bp_sym_of(3))));
    ck_assert(bp_symbols_is_nameless(&symbols, calc(other, '*', bp_sym_of(2))));
}
END_TEST

/* ---- limits ---------------------------------------------------------------------------------- */

START_TEST(oversized_expression_becomes_a_fresh_symbol)
{
    struct bp_sym sum = named("s"), longest = named("s");
    char name[80];

    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "a_rather_long_name_of_a_dimension_%d", i);
        sum = calc(sum, '+', named(name));
        longest = calc(calc(longest, '*', named(name)), '/', named("q"));
    }
    ck_assert(bp_symbols_is_nameless(&symbols, sum));
    ck_assert(bp_symbols_is_nameless(&symbols, longest));
    ck_assert_uint_le(strlen(bp_symbols_name(&symbols, sum)), 100);
}
END_TEST

START_TEST(overflowing_coefficients_give_a_fresh_symbol)
{
    struct bp_sym h = named("h"), large = calc(h, '*', bp_sym_of(INT64_MAX));

    ck_assert(bp_symbols_is_nameless(&symbols, calc(large, '*', bp_sym_of(2))));
    ck_assert(bp_symbols_is_nameless(&symbols, calc(large, '+', h)));
}
END_TEST

static const struct {
    int64_t a;
    char op;
    int64_t b;
    const char *words;
} bad[] = {
    {INT64_MAX, '+', 1, "9223372036854775807 + 1 does not fit in 64 bits"},
    {INT64_MIN, '-', 1, "does not fit"},
    {INT64_MAX, '*', 2, "does not fit"},
    {INT64_MIN, '/', -1, "does not fit"},
    {INT64_MIN, '^', -1, "does not fit"},
    {7, '/', 0, "division by 0"},
    {7, '%', 0, "division by 0"},
    {7, '^', 0, "division by 0"},
    {7, '|', 3, "sizes 7 and 3 do not broadcast"},
};

START_TEST(constant_arithmetic_that_overflows_or_divides_by_0_is_rejected)
{
    struct bp_sym out;

    ck_assert_int_eq(bp_symbols_calc(&symbols, bp_sym_of(bad[_i].a), bad[_i].op,
                                     bp_sym_of(bad[_i].b), &out, &err),
                     BP_E_INVALID);
    ck_assert_msg(strstr(text, bad[_i].words), "%s", text);
}
END_TEST

START_TEST(division_of_a_symbol_by_0_is_rejected)
{
    struct bp_sym out;

    ck_assert_int_eq(bp_symbols_calc(&symbols, named("h"), '/', bp_sym_of(0), &out, &err),
                     BP_E_INVALID);
    ck_assert_int_eq(bp_symbols_calc(&symbols, named("h"), '?', bp_sym_of(2), &out, &err),
                     BP_E_INTERNAL);
}
END_TEST

static bp_rc make_many(void)
{
    struct bp_sym sum, name;
    bp_rc rc = bp_symbols_fresh(&symbols, false, &sum, &err);
    char word[32];

    for (int i = 0; rc == BP_OK && i < 40; i++) {
        snprintf(word, sizeof word, "name%d", i);
        rc = bp_symbols_named(&symbols, word, &name, &err);
        if (rc == BP_OK)
            rc = bp_symbols_calc(&symbols, name, '/', bp_sym_of(2), &name, &err);
        if (rc == BP_OK)
            rc = bp_symbols_calc(&symbols, sum, '+', name, &sum, &err);
    }
    return rc;
}

START_TEST(symbols_survive_every_failing_allocation)
{
    bool failed = true;

    for (unsigned n = 1; failed; n++) {
        bp_rc rc;

        bp_symbols_finish(&symbols);
        fail_alloc_at(n);
        rc = make_many();
        failed = fail_alloc_stop();
        ck_assert_int_eq(rc, failed ? BP_E_NOMEM : BP_OK);
        ck_assert_uint_lt(n, 1000);
    }
}
END_TEST

#define COUNT(a) (int)(sizeof(a) / sizeof(a)[0])

int main(void)
{
    Suite *suite = suite_create("symbol");
    TCase *tcase = tcase_create("symbol");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, symbol_is_printed_as_a_plain_expression, 0, COUNT(cases));
    tcase_add_loop_test(tcase, equal_expressions_are_the_same_symbol, 0, COUNT(equal));
    tcase_add_loop_test(tcase, different_expressions_are_different_symbols, 0, COUNT(different));
    tcase_add_test(tcase, simplified_expressions_keep_their_value);
    tcase_add_test(tcase, model_names_with_operators_are_printed_in_brackets);
    tcase_add_test(tcase, symbol_is_found_by_its_name);
    tcase_add_test(tcase, expressions_of_data_dependent_symbols_are_data_dependent);
    tcase_add_test(tcase, oversized_expression_becomes_a_fresh_symbol);
    tcase_add_test(tcase, overflowing_coefficients_give_a_fresh_symbol);
    tcase_add_loop_test(tcase, constant_arithmetic_that_overflows_or_divides_by_0_is_rejected, 0,
                        COUNT(bad));
    tcase_add_test(tcase, division_of_a_symbol_by_0_is_rejected);
    tcase_add_test(tcase, symbols_survive_every_failing_allocation);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
