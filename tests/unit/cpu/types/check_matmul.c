/* SPDX-License-Identifier: MIT */
/*
 * check_matmul.c - products of matrices with every type they take: MatMul, Gemm, and
 * com.microsoft's FusedGemm and TransposeMatMul. Integers wrap around, and every bit counts.
 */

#include "config.h"

#include "cpu/types/element_types.h"

enum { ROUNDS = 14 };

/* m x k times k x n, either stored turned; alpha * a * b + what y has. */
struct plain {
    size_t m, n, k;
    bool turn_a, turn_b;
    double alpha;
};

/* Numbers of -1 to 1, or of any bits. */
static void *operand(size_t n, uint32_t dtype, uint64_t *seed)
{
    void *data = kept_zeros(n + 1, 8);

    for (size_t i = 0; i < n; i++)
        number_put(data, dtype, i,
                   (struct number){(double)random_float(seed, 1), random_next(seed)});
    return data;
}

/* Element (i, j), added to `sum`. */
static struct number dot(const struct plain *p, uint32_t dtype, const void *a, size_t a_from,
                         const void *b, size_t b_from, size_t i, size_t j, struct number sum)
{
    for (size_t q = 0; q < p->k; q++) {
        size_t a_at = a_from + (p->turn_a ? q * p->m + i : i * p->k + q);
        size_t b_at = b_from + (p->turn_b ? j * p->k + q : q * p->n + j);
        struct number x = number_at(a, dtype, a_at), y = number_at(b, dtype, b_at);

        sum.real += p->alpha * x.real * y.real;
        sum.whole += (uint64_t)(int64_t)p->alpha * x.whole * y.whole;
    }
    return sum;
}

static void expect(const char *what, const void *got, size_t i, uint32_t dtype, struct number want,
                   size_t terms)
{
    struct number g = number_at(got, dtype, i), w;
    uint64_t element;
    double slack = unit_of(dtype) * fabs(want.real) +
                   (dtype == BP_DTYPE_F64 ? 0x1p-52 : 0x1p-23) * (double)(terms + 4);

    number_put(&element, dtype, 0, want);
    w = number_at(&element, dtype, 0);
    if (typed_is_float(dtype) ? !(fabs(g.real - want.real) <= slack) : g.whole != w.whole)
        ck_abort_msg("%s of %s: element %zu is %g or %llx, not %g or %llx", what,
                     bp_dtype_name(dtype), i, g.real, (unsigned long long)g.whole, want.real,
                     (unsigned long long)w.whole);
}

/* ---- MatMul, TransposeMatMul ----------------------------------------------------------------- */

static struct plain draw_plain(uint64_t *seed, bool may_turn)
{
    struct plain p = {.alpha = 1};

    p.m = 1 + random_below(seed, random_below(seed, 3) ? 9 : 40);
    p.n = 1 + random_below(seed, random_below(seed, 3) ? 9 : 70);
    p.k = random_below(seed, random_below(seed, 3) ? 9 : 50);
    p.turn_a = may_turn && random_below(seed, 2);
    p.turn_b = may_turn && random_below(seed, 2);
    return p;
}

/* A batch of matrices with `rows` and `cols`. */
static struct shape with_matrix(const struct shape *batch, size_t rows, size_t cols)
{
    struct shape shape = *batch;

    shape.dims[shape.rank++] = (int64_t)rows;
    shape.dims[shape.rank++] = (int64_t)cols;
    return shape;
}

static void run_matmul(bool is_ms, uint32_t dtype, uint64_t *seed)
{
    struct plain p = draw_plain(seed, is_ms);
    struct shape whole = {.rank = random_below(seed, 4)}, batch[2], out, shape[3];
    const void *a, *b, *y;

    fresh();
    for (uint32_t d = 0; d < whole.rank; d++)
        whole.dims[d] = random_below(seed, 12) ? 1 + random_below(seed, 3) : 0;
    for (int i = 0; i < 2; i++)
        batch[i] = shape_narrowed(&whole, seed);
    out = shape_joined(batch, 2);
    shape[0] = with_matrix(&batch[0], p.turn_a ? p.k : p.m, p.turn_a ? p.m : p.k);
    shape[1] = with_matrix(&batch[1], p.turn_b ? p.n : p.k, p.turn_b ? p.k : p.n);
    shape[2] = with_matrix(&out, p.m, p.n);
    a = operand(shape_count(&shape[0]), dtype, seed);
    b = operand(shape_count(&shape[1]), dtype, seed);
    p.alpha = is_ms ? 0.5 : 1;
    th_input(t, "a", dtype, shape_text(&shape[0]), a);
    if (random_below(seed, 2))
        th_input(t, "b", dtype, shape_text(&shape[1]), b);
    else
        th_const(t, "b", dtype, shape_text(&shape[1]), b);
    th_output(t, "y", dtype, shape_text(&shape[2]));
    th_node(t, is_ms ? "TransposeMatMul" : "MatMul", is_ms ? 1 : 13, "a b", "y");
    if (is_ms) {
        th_domain(t, "com.microsoft");
        th_int(t, "transA", p.turn_a);
        th_int(t, "transB", p.turn_b);
        th_float(t, "alpha", 0.5f);
    }
    ck_run();
    y = th_data(t, "y");
    for (size_t i = 0; i < shape_count(&shape[2]); i++) {
        size_t g = i / p.n / p.m;
        size_t a_from = shape_source(&out, &batch[0], g) * p.m * p.k;
        size_t b_from = shape_source(&out, &batch[1], g) * p.n * p.k;

        expect("MatMul", y, i, dtype,
               dot(&p, dtype, a, a_from, b, b_from, i / p.n % p.m, i % p.n, (struct number){0}),
               p.k);
    }
}

START_TEST(matmul_takes_every_type)
{
    uint64_t types, seed = (uint64_t)_i;

    types = _i ? types_of("com.microsoft", "TransposeMatMul", 1, 0) : types_of("", "MatMul", 13, 0);
    for (uint32_t dtype = 1; dtype < BP_DTYPE_END; dtype++) {
        for (int round = 0; round < ROUNDS && types >> dtype & 1; round++)
            run_matmul(_i, dtype, &seed);
    }
}
END_TEST

/* ---- Gemm, FusedGemm ------------------------------------------------------------------------- */

static void run_gemm(bool is_ms, uint32_t dtype, uint64_t *seed)
{
    struct plain p = draw_plain(seed, true);
    struct shape none = {0}, shape[4];
    double beta = (double)random_below(seed, 4) - 1;
    const void *a, *b, *c;

    fresh();
    p.alpha = (double)random_below(seed, 6) - 2;
    shape[0] = with_matrix(&none, p.turn_a ? p.k : p.m, p.turn_a ? p.m : p.k);
    shape[1] = with_matrix(&none, p.turn_b ? p.n : p.k, p.turn_b ? p.k : p.n);
    shape[3] = with_matrix(&none, p.m, p.n);
    shape[2] = shape_narrowed(&shape[3], seed);
    a = operand(shape_count(&shape[0]), dtype, seed);
    b = operand(shape_count(&shape[1]), dtype, seed);
    c = operand(shape_count(&shape[2]), dtype, seed);
    th_input(t, "a", dtype, shape_text(&shape[0]), a);
    th_input(t, "b", dtype, shape_text(&shape[1]), b);
    th_input(t, "c", dtype, shape_text(&shape[2]), c);
    th_output(t, "y", dtype, shape_text(&shape[3]));
    th_node(t, is_ms ? "FusedGemm" : "Gemm", is_ms ? 1 : 13, "a b c", "y");
    if (is_ms)
        th_domain(t, "com.microsoft");
    th_int(t, "transA", p.turn_a);
    th_int(t, "transB", p.turn_b);
    th_float(t, "alpha", (float)p.alpha);
    th_float(t, "beta", (float)beta);
    ck_run();
    for (size_t i = 0; i < p.m * p.n; i++) {
        struct number sum = number_at(c, dtype, shape_source(&shape[3], &shape[2], i));

        sum.real *= beta;
        sum.whole *= (uint64_t)(int64_t)beta;
        expect("Gemm", th_data(t, "y"), i, dtype, dot(&p, dtype, a, 0, b, 0, i / p.n, i % p.n, sum),
               4 * p.k);
    }
}

START_TEST(gemm_takes_every_type)
{
    uint64_t types, seed = (uint64_t)_i + 9;

    types = _i ? types_of("com.microsoft", "FusedGemm", 1, 0) : types_of("", "Gemm", 13, 0);
    for (uint32_t dtype = 1; dtype < BP_DTYPE_END; dtype++) {
        for (int round = 0; round < 2 * ROUNDS && types >> dtype & 1; round++)
            run_gemm(_i, dtype, &seed);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_every_product");
    TCase *tcase = tcase_create("product");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, matmul_takes_every_type, 0, 2);
    tcase_add_loop_test(tcase, gemm_takes_every_type, 0, 2);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
