/* SPDX-License-Identifier: MIT */
/*
 * check_matmul_einsum.c - Einsum of the CPU provider against a loop over all labels at once, for
 * made-up equations at every type.
 */

#include "config.h"

#include "cpu/cpu_case.h"
#include "support/shapes.h"
#include "support/typed.h"

enum { LETTERS = 6, OPERANDS = 4 };

struct sum {
    uint32_t n; /* operands */
    char equation[128];
    struct shape shapes[OPERANDS + 1]; /* the last is the result */
    int letters[OPERANDS + 1][SHAPE_RANK];
    int64_t sizes[LETTERS];
};

/* An operand: some letters, maybe one twice, and now and then a size of 1 that is broadcast. */
static void add_operand(struct sum *s, uint64_t *seed, char **at)
{
    struct shape *shape = &s->shapes[s->n];

    shape->rank = random_below(seed, 5);
    for (uint32_t d = 0; d < shape->rank; d++) {
        int letter = (int)random_below(seed, LETTERS);

        s->letters[s->n][d] = letter;
        shape->dims[d] = random_below(seed, 12) ? s->sizes[letter] : 1;
        *(*at)++ = (char)((letter % 2 ? 'a' : 'A') + letter);
        if (random_below(seed, 9) == 0)
            *(*at)++ = ' ';
    }
    s->n++;
}

/* Sizes are what the operands say, which is 1 where all of them do. */
static void settle_sizes(struct sum *s)
{
    for (int l = 0; l < LETTERS; l++)
        s->sizes[l] = 1;
    for (uint32_t i = 0; i < s->n; i++) {
        for (uint32_t d = 0; d < s->shapes[i].rank; d++) {
            if (s->shapes[i].dims[d] != 1)
                s->sizes[s->letters[i][d]] = s->shapes[i].dims[d];
        }
    }
}

static int uses_of(const struct sum *s, int letter)
{
    int uses = 0;

    for (uint32_t i = 0; i < s->n; i++) {
        for (uint32_t d = 0; d < s->shapes[i].rank; d++)
            uses += s->letters[i][d] == letter;
    }
    return uses;
}

/* The result: letters in some order after "->", or what is implied. */
static void add_result(struct sum *s, uint64_t *seed, char *at)
{
    struct shape *shape = &s->shapes[s->n];
    bool is_implied = random_below(seed, 3) == 0;
    static const int by_ascii[LETTERS] = {0, 2, 4, 1, 3, 5}; /* A C E b d f */
    int start = (int)random_below(seed, LETTERS);

    if (!is_implied)
        at += sprintf(at, " -> ");
    for (int k = 0; k < LETTERS; k++) {
        int letter = is_implied ? by_ascii[k] : (k * 5 + start) % LETTERS,
            uses = uses_of(s, letter);

        if (is_implied ? uses != 1 : uses == 0 || random_below(seed, 2))
            continue;
        s->letters[s->n][shape->rank] = letter;
        shape->dims[shape->rank++] = s->sizes[letter];
        if (!is_implied)
            *at++ = (char)((letter % 2 ? 'a' : 'A') + letter);
    }
    *at = '\0';
}

static struct sum random_sum(uint64_t *seed)
{
    struct sum s = {0};
    char *at = s.equation;
    uint32_t n = 1 + random_below(seed, OPERANDS);

    for (int l = 0; l < LETTERS; l++)
        s.sizes[l] = 1 + random_below(seed, 5) + (random_below(seed, 9) == 0 ? 11 : 0);
    for (uint32_t i = 0; i < n; i++) {
        if (i)
            *at++ = ',';
        add_operand(&s, seed, &at);
    }
    settle_sizes(&s);
    add_result(&s, seed, at);
    return s;
}

static size_t element(const struct sum *s, uint32_t i, const int64_t *index)
{
    int64_t mine[SHAPE_RANK];

    for (uint32_t d = 0; d < s->shapes[i].rank; d++)
        mine[d] = s->shapes[i].dims[d] == 1 ? 0 : index[s->letters[i][d]];
    return shape_at(&s->shapes[i], mine);
}

/* Over all indices of all letters that are used. */
static void sum_up(const struct sum *s, double *const *values, double *out)
{
    struct shape all = {.rank = LETTERS};

    for (int l = 0; l < LETTERS; l++)
        all.dims[l] = uses_of(s, l) ? s->sizes[l] : 1;
    for (size_t k = 0; k < shape_count(&all); k++) {
        int64_t index[SHAPE_RANK];
        double product = 1;

        shape_index(&all, k, index);
        for (uint32_t i = 0; i < s->n; i++)
            product *= values[i][element(s, i, index)];
        out[element(s, s->n, index)] += product;
    }
}

/* Integers wrap around in their width. */
static double wrapped(double v, uint32_t dtype)
{
    uint32_t bits = bp_dtype_width(dtype);
    bool is_signed = dtype == BP_DTYPE_I8 || dtype == BP_DTYPE_I16 || dtype == BP_DTYPE_I32;
    int64_t low;

    if (bits == 64 || dtype == BP_DTYPE_F32 || dtype == BP_DTYPE_F16 || dtype == BP_DTYPE_BF16)
        return v;
    low = (int64_t)v & ((INT64_C(1) << bits) - 1);
    return (double)(is_signed && low >> (bits - 1) ? low - (INT64_C(1) << bits) : low);
}

START_TEST(einsum_matches_a_loop_over_all_indices)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    uint64_t seed = (uint64_t)_i;
    uint32_t dtype = typed_all[_i % TYPED_NUMBERS];
    struct sum s = random_sum(&seed);
    double *values[OPERANDS], *want = kept_zeros(shape_count(&s.shapes[s.n]) + 1, sizeof *want);
    double most = 0;
    char inputs[16] = "";

    for (uint32_t i = 0; i < s.n; i++) {
        size_t n = shape_count(&s.shapes[i]);

        values[i] = elem_random(&seed, n, 3, dtype);
        th_input(t, names[i], dtype, shape_text(&s.shapes[i]), kept_encode(values[i], n, dtype));
        strcat(strcat(inputs, i ? " " : ""), names[i]);
    }
    sum_up(&s, values, want);
    for (size_t i = 0; i < shape_count(&s.shapes[s.n]); i++) {
        most = want[i] > most ? want[i] : most;
        want[i] = wrapped(want[i], dtype);
    }
    th_output(t, "y", dtype, shape_text(&s.shapes[s.n]));
    th_node(t, "Einsum", dtype == BP_DTYPE_BF16 ? 28 : 12, inputs, "y");
    th_string(t, "equation", s.equation);
    ck_assert_msg(th_run(t) >= 0, "%s: %s", s.equation, th_message(t));
    if (dtype == BP_DTYPE_F16 && most > 60000)
        return;
    if (_i % TYPED_NUMBERS < 4)
        elem_near(th_data(t, "y"), want, shape_count(&s.shapes[s.n]), dtype, most);
    else
        elem_compare(th_data(t, "y"), want, shape_count(&s.shapes[s.n]), dtype);
}
END_TEST

/* Equations that need large products, on several threads. */
START_TEST(einsum_of_large_matrices_matches_a_plain_product)
{
    static const struct {
        const char *equation, *a, *b, *y;
    } cases[] = {{"mk,kn->mn", "70,60", "60,80", "70,80"},
                 {"km,nk->mn", "60,70", "80,60", "70,80"},
                 {"mk,kn->nm", "70,60", "60,80", "80,70"},
                 {"km,nk->nm", "60,70", "80,60", "80,70"},
                 {"...mk,kn", "70,60", "60,80", "70,80"}};
    enum { M = 70, N = 80, K = 60 };
    uint64_t seed = 3;
    uint32_t dtype = typed_all[_i / 5 * 6]; /* float32, int32 */
    bool a_turned = _i % 5 == 1 || _i % 5 == 3, y_turned = _i % 5 == 2 || _i % 5 == 3;
    double *a = elem_random(&seed, M * K, 9, dtype), *b = elem_random(&seed, K * N, 9, dtype);
    static double want[M * N];

    for (int i = 0; i < M * N; i++) {
        int m = y_turned ? i % M : i / N, n = y_turned ? i / M : i % N;

        want[i] = 0;
        for (int k = 0; k < K; k++)
            want[i] += a[a_turned ? k * M + m : m * K + k] * b[a_turned ? n * K + k : k * N + n];
    }
    if (_i % 5 == 4) { /* without "->": the ellipsis, then m and n, which are there once */
        th_input(t, "a", dtype, "1,70,60", kept_encode(a, M * K, dtype));
        th_output(t, "y", dtype, "1,70,80");
    } else {
        th_input(t, "a", dtype, cases[_i % 5].a, kept_encode(a, M * K, dtype));
        th_output(t, "y", dtype, cases[_i % 5].y);
    }
    th_input(t, "b", dtype, cases[_i % 5].b, kept_encode(b, K * N, dtype));
    th_node(t, "Einsum", 12, "a b", "y");
    th_string(t, "equation", cases[_i % 5].equation);
    ck_run();
    elem_compare(th_data(t, "y"), want, M * N, dtype);
}
END_TEST

START_TEST(einsum_broadcasts_ellipses)
{
    static const float a[6] = {1, 2, 3, 4, 5, 6}, b[4] = {1, 10, 100, 1000};
    const float *y;

    th_input(t, "a", BP_DTYPE_F32, "3,1,2", a);
    th_input(t, "b", BP_DTYPE_F32, "2,2", b);
    th_output(t, "y", BP_DTYPE_F32, "3,2");
    th_node(t, "Einsum", 12, "a b", "y");
    th_string(t, "equation", "...i, ...i -> ...");
    ck_run();
    y = th_data(t, "y");
    for (int r = 0; r < 3; r++) {
        ck_assert(y[2 * r] == a[2 * r] + 10 * a[2 * r + 1]);
        ck_assert(y[2 * r + 1] == 100 * a[2 * r] + 1000 * a[2 * r + 1]);
    }
}
END_TEST

START_TEST(einsum_over_an_empty_axis_gives_zero)
{
    const float *y;

    th_input(t, "a", BP_DTYPE_F32, "2,0", NULL);
    th_input(t, "b", BP_DTYPE_F32, "0,2", NULL);
    th_output(t, "y", BP_DTYPE_F32, "2,2");
    th_output(t, "z", BP_DTYPE_F32, "");
    th_node(t, "Einsum", 12, "a b", "y");
    th_string(t, "equation", "ij,jk");
    th_node(t, "Einsum", 12, "a", "z");
    th_string(t, "equation", "ij->");
    ck_run();
    y = th_data(t, "y");
    ck_assert(y[0] == 0 && y[1] == 0 && y[2] == 0 && y[3] == 0);
    ck_assert(*(const float *)th_data(t, "z") == 0);
}
END_TEST

START_TEST(einsum_names_the_mistake_in_an_equation)
{
    static const struct {
        const char *equation, *words;
    } rows[] = {{"ij,jk->ij", "rank"},       {"ij", "fewer terms"},    {"ij,j,k", "more terms"},
                {"ij,j->iz", "no operand"},  {"ij,j->ii", "twice"},    {"i.,j", "dot"},
                {"ij,j-", "without"},        {"i$,j", "not a letter"}, {"......,j", "two ellipses"},
                {"ij,j->i,j", "one result"}, {"ii,j", "has size"},     {"ij,i", "has size"}};

    th_input(t, "a", BP_DTYPE_F32, "2,3", (float[6]){0});
    th_input(t, "b", BP_DTYPE_F32, "3", (float[3]){0});
    th_output(t, "y", BP_DTYPE_F32, "2");
    th_node(t, "Einsum", 12, "a b", "y");
    th_string(t, "equation", rows[_i].equation);
    ck_assert_int_lt(th_run(t), 0);
    ck_assert_msg(strstr(th_message(t), rows[_i].words) != NULL, "%s: %s", rows[_i].equation,
                  th_message(t));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_einsum");
    TCase *tcase = tcase_create("einsum");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, einsum_matches_a_loop_over_all_indices, 0, 50 * TYPED_NUMBERS);
    tcase_add_loop_test(tcase, einsum_of_large_matrices_matches_a_plain_product, 0, 10);
    tcase_add_test(tcase, einsum_broadcasts_ellipses);
    tcase_add_test(tcase, einsum_over_an_empty_axis_gives_zero);
    tcase_add_loop_test(tcase, einsum_names_the_mistake_in_an_equation, 0, 12);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
