/* SPDX-License-Identifier: MIT */
/*
 * check_random.c - operators that draw numbers, with every type of their inputs and
 * outputs, against a Mersenne Twister that is written here after its authors' paper and read as
 * NumPy does: RandomUniform, RandomNormal, those like a tensor, Bernoulli, Dropout. BiasDropout,
 * which does not train, is here too.
 */

#include "config.h"

#include "cpu/cast_kit.h"

#include "cpu/types/element_types.h"

enum { WORDS = 624, MIDDLE = 397 };

/* ---- the generator --------------------------------------------------------------------------- */

static struct {
    uint32_t words[WORDS], next;
    double spare;
    bool has_spare;
} twister;

static void twister_seed(uint32_t seed)
{
    twister.words[0] = seed;
    for (uint32_t i = 1; i < WORDS; i++) {
        uint32_t last = twister.words[i - 1];

        twister.words[i] = 1812433253u * (last ^ last >> 30) + i;
    }
    twister.next = WORDS;
    twister.has_spare = false;
}

static uint32_t twister_word(void)
{
    uint32_t *w = twister.words, y;

    if (twister.next == WORDS) {
        for (uint32_t i = 0; i < WORDS; i++) {
            y = (w[i] & 0x80000000u) | (w[(i + 1) % WORDS] & 0x7fffffffu);
            w[i] = w[(i + MIDDLE) % WORDS] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
        }
        twister.next = 0;
    }
    y = w[twister.next++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

/* 53 bits of two words. */
static double twister_real(void)
{
    uint32_t high = twister_word() >> 5, low = twister_word() >> 6;

    return ((double)high * 67108864 + (double)low) / 9007199254740992.0;
}

/* Marsaglia's polar method; the second number of a pair is given out first. */
static double twister_normal(void)
{
    double x, y, square, factor;

    if (twister.has_spare) {
        twister.has_spare = false;
        return twister.spare;
    }
    do {
        x = 2 * twister_real() - 1;
        y = 2 * twister_real() - 1;
        square = x * x + y * y;
    } while (square >= 1 || square <= 0);
    factor = sqrt(-2 * log(square) / square);
    twister.spare = factor * x;
    twister.has_spare = true;
    return factor * y;
}

/* ---- RandomUniform, RandomNormal, and like another tensor ------------------------------------ */

static void expect_drawn(bool is_normal, double low, double size, uint32_t seed, size_t n,
                         uint32_t dtype)
{
    twister_seed(seed);
    for (size_t i = 0; i < n; i++) {
        double want = low + size * (is_normal ? twister_normal() : twister_real());
        double got = typed_get(th_data(t, "y"), dtype, i);
        double slack = dtype == BP_DTYPE_F64 ? 0x1p-48 : unit_of(dtype) / 2; /* rounded once */

        ck_assert_msg(fabs(got - want) <= slack * fabs(want) + 0x1p-25, "element %zu is %g, not %g",
                      i, got, want);
    }
}

/* Draws `shape`, like an input of type `like`, or with its dimensions as an attribute. */
static void draw(bool is_normal, uint32_t like, uint32_t dtype, uint64_t *seed)
{
    static const char *const ops[] = {"RandomUniform", "RandomNormal", "RandomUniformLike",
                                      "RandomNormalLike"};
    double low = random_below(seed, 9), size = 1 + random_below(seed, 9);
    uint32_t start = random_below(seed, 1000);
    struct shape shape;

    fresh();
    shape = shape_any(seed, 2);
    if (like)
        th_input(t, "x", like, shape_text(&shape),
                 kept_zeros(shape_count(&shape) + 1, sizeof(bp_span)));
    th_output(t, "y", dtype, shape_text(&shape));
    th_node(t, ops[is_normal + (like ? 2 : 0)], random_below(seed, 2) ? 1 : 22, like ? "x" : "",
            "y");
    if (!like)
        th_ints(t, "shape", shape.rank, shape.dims);
    if (dtype != like)
        th_int(t, "dtype", dtype);
    th_float(t, "seed", (float)start);
    th_float(t, is_normal ? "mean" : "low", (float)low);
    th_float(t, is_normal ? "scale" : "high", (float)(is_normal ? size : low + size));
    ck_run();
    expect_drawn(is_normal, low, size, start, shape_count(&shape), dtype);
}

/* _i: type of the input; 0: none */
START_TEST(random_like_operators_take_every_type)
{
    uint64_t seed = (uint64_t)_i;
    bool is_taken = _i == 0 || types_of("", "RandomUniformLike", 22, 0) >> _i & 1;

    for (int i = 0; i < TYPED_FLOATS * 12 && is_taken; i++)
        draw(i & 1, (uint32_t)_i, typed_all[i / 2 % TYPED_FLOATS], &seed);
}
END_TEST

/* ---- Bernoulli ------------------------------------------------------------------------------- */

/* Small and large probabilities look at opposite ends of the number, and 0 draws none. */
static bool toss(double p)
{
    if (p <= 0)
        return false;
    return p <= 0.5 ? twister_real() > 1 - p : twister_real() <= p;
}

static void run_bernoulli(uint32_t from, uint32_t to, uint64_t *seed)
{
    uint32_t start = random_below(seed, 1000);
    struct shape shape;
    double *p;
    void *data;

    fresh();
    shape = shape_any(seed, 2);
    p = kept_zeros(shape_count(&shape) + 1, sizeof *p);
    for (size_t i = 0; i < shape_count(&shape); i++)
        p[i] = (double)random_below(seed, 17) / 16;
    data = kept_encode(p, shape_count(&shape), from);
    th_input(t, "p", from, shape_text(&shape), data);
    th_output(t, "y", to, shape_text(&shape));
    th_node(t, "Bernoulli", random_below(seed, 2) ? 15 : 22, "p", "y");
    if (from != to)
        th_int(t, "dtype", to);
    th_float(t, "seed", (float)start);
    ck_run();
    twister_seed(start);
    for (size_t i = 0; i < shape_count(&shape); i++)
        ck_assert(typed_get(th_data(t, "y"), to, i) == toss(p[i]));
}

/* _i: type of the probabilities */
START_TEST(bernoulli_takes_every_type)
{
    uint64_t taken = types_of("", "Bernoulli", 22, -1), seed = (uint64_t)_i + 50;

    for (uint32_t to = 1; to < BP_DTYPE_END; to++) {
        for (int round = 0; round < 8 && taken >> to & 1; round++)
            run_bernoulli(typed_all[_i], to, &seed);
    }
}
END_TEST

/* ---- Dropout, BiasDropout -------------------------------------------------------------------- */

/* Any finite numbers. */
static void *draw_finite(uint32_t dtype, size_t n, uint64_t *seed)
{
    void *x = kept_zeros(n + 1, 8);

    if (dtype == BP_DTYPE_F64) {
        for (size_t i = 0; i < n; i++)
            typed_put(x, dtype, i, (double)random_float(seed, 9));
        return x;
    }
    fill(type_of(dtype), x, n, seed);
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(value_at(dtype, x, i)))
            put_code(type_of(dtype), x, i, 1);
    }
    return x;
}

/* Kept elements are scaled and rounded once from double; without training, bytes are copied. */
static void drop(uint32_t dtype, uint32_t ratio_type, bool trains, uint64_t *seed)
{
    double ratio = (double)random_below(seed, 4) / 4;
    uint32_t start = random_below(seed, 1000);
    struct shape shape;
    uint8_t *x, *code;
    size_t n;

    fresh();
    shape = shape_any(seed, 2);
    n = shape_count(&shape);
    x = draw_finite(dtype, n, seed);
    code = kept_zeros(1, 8);
    put_value(ratio_type, code, 0, ratio);
    th_input(t, "x", dtype, shape_text(&shape), x);
    th_input(t, "r", ratio_type, "", code);
    th_input(t, "m", BP_DTYPE_BOOL, "", &trains);
    th_output(t, "y", dtype, shape_text(&shape));
    th_output(t, "mask", BP_DTYPE_BOOL, shape_text(&shape));
    th_node(t, "Dropout", 22, "x r m", "y mask");
    th_int(t, "seed", start);
    ck_run();
    twister_seed(start);
    memset(code, 0, 8);
    for (size_t i = 0; i < n; i++) {
        bool stays = !trains || ratio <= 0 || twister_real() >= ratio;
        double v = value_at(dtype, x, i), want = trains ? v / (1 - ratio) * stays : v;

        ck_assert_uint_eq(((const uint8_t *)th_data(t, "mask"))[i], stays);
        if (dtype == BP_DTYPE_F64)
            ck_assert(fabs(value_at(dtype, th_data(t, "y"), i) - want) <= fabs(want) * 0x1p-51);
        else
            ck_code(type_of(dtype), th_data(t, "y"), i,
                    float_code(type_of(dtype), want, type_of(dtype)->is_narrow), want);
    }
}

/* _i: training */
START_TEST(dropout_takes_every_type)
{
    uint64_t taken = types_of("", "Dropout", 22, 0), ratios = types_of("", "Dropout", 22, 1);
    uint64_t seed = (uint64_t)_i;

    for (uint32_t dtype = 1; dtype < BP_DTYPE_END; dtype++) {
        for (uint32_t ratio = 1; ratio < BP_DTYPE_END; ratio++) {
            for (int round = 0; round < 4 && taken >> dtype & ratios >> ratio & 1; round++)
                drop(dtype, ratio, _i, &seed);
        }
    }
}
END_TEST

static void run_bias(uint32_t dtype, uint32_t ratio_type, double ratio, bool trains)
{
    double *x, *b, *s, want[24];

    fresh();
    x = kept_values(24, dtype);
    b = kept_values(4, dtype);
    s = kept_values(24, dtype);
    th_input(t, "x", dtype, "2,3,4", kept_encode(x, 24, dtype));
    th_input(t, "b", dtype, "4", kept_encode(b, 4, dtype));
    th_input(t, "s", dtype, "2,3,4", kept_encode(s, 24, dtype));
    th_input(t, "r", ratio_type, "", kept_encode(&ratio, 1, ratio_type));
    th_input(t, "m", BP_DTYPE_BOOL, "", &trains);
    th_output(t, "y", dtype, "2,3,4");
    th_output(t, "mask", BP_DTYPE_BOOL, "2,3,4");
    th_node(t, "BiasDropout", 1, "x b s r m", "y mask");
    th_domain(t, "com.microsoft");
    if (trains && ratio > 0) {
        ck_refused("training is not implemented");
        return;
    }
    ck_run();
    for (size_t i = 0; i < 24; i++) {
        want[i] = x[i] + b[i % 4] + s[i];
        ck_assert_uint_eq(((const uint8_t *)th_data(t, "mask"))[i], 1);
    }
    data_compare("BiasDropout", th_data(t, "y"), want, 24, dtype, 3);
}

START_TEST(bias_dropout_takes_every_type_of_ratio)
{
    data_seed((uint64_t)_i);
    for (int k = 0; k < 4; k++)
        run_bias(typed_all[_i / TYPED_FLOATS], typed_all[_i % TYPED_FLOATS], k & 1 ? 0.125 : 0,
                 k & 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_every_random");
    TCase *tcase = tcase_create("random");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, random_like_operators_take_every_type, 0, BP_DTYPE_END);
    tcase_add_loop_test(tcase, bernoulli_takes_every_type, 0, TYPED_FLOATS);
    tcase_add_loop_test(tcase, dropout_takes_every_type, 0, 2);
    tcase_add_loop_test(tcase, bias_dropout_takes_every_type_of_ratio, 0,
                        TYPED_FLOATS * TYPED_FLOATS);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
