/* SPDX-License-Identifier: MIT */
/*
 * check_gather_scatter_select.c - operators that change or choose elements, with every type they take:
 * Abs, Neg, Sign, Relu, Clip, Where.
 */

#include "config.h"

#include "cpu/types/element_types.h"

enum { ROUNDS = 40 };

/* ---- Where ----------------------------------------------------------------------------------- */

static void draw_bytes(char *to, size_t n, uint64_t *seed)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (char)random_below(seed, 128);
}

static void choose(uint32_t dtype, uint64_t *seed)
{
    static const char *const names[] = {"c", "a", "b"};
    size_t width = bp_dtype_width(dtype) / 8;
    struct shape whole, in[3], out;
    char *data[3];

    fresh();
    whole = shape_any(seed, 5);
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t type = k == 0 ? BP_DTYPE_BOOL : dtype;

        in[k] = shape_narrowed(&whole, seed);
        data[k] = kept_zeros(shape_count(&in[k]) + 1, sizeof(bp_span));
        for (size_t i = 0; i < shape_count(&in[k]); i++) {
            if (type == BP_DTYPE_STRING || type == BP_DTYPE_BOOL)
                typed_put(data[k], type, i, random_below(seed, type == BP_DTYPE_BOOL ? 2 : 100));
            else
                draw_bytes(data[k] + i * width, width, seed);
        }
        th_input(t, names[k], type, shape_text(&in[k]), data[k]);
    }
    out = shape_joined(in, 3);
    th_output(t, "y", dtype, shape_text(&out));
    th_node(t, "Where", 16, "c a b", "y");
    ck_run();
    for (size_t i = 0; i < shape_count(&out); i++) {
        int k = data[0][shape_source(&out, &in[0], i)] ? 1 : 2;
        size_t from = shape_source(&out, &in[k], i);

        if (dtype == BP_DTYPE_STRING)
            ck_assert(typed_get(th_data(t, "y"), dtype, i) == typed_get(data[k], dtype, from));
        else
            ck_assert_mem_eq((const char *)th_data(t, "y") + i * width, data[k] + from * width,
                             width);
    }
}

START_TEST(where_takes_every_type)
{
    uint64_t seed = 77;

    for (int i = 0; i < TYPED_ALL * ROUNDS; i++)
        choose(typed_all[i / ROUNDS], &seed);
}
END_TEST

/* ---- one input ------------------------------------------------------------------------------- */

enum { ABS, NEG, SIGN, RELU };

static struct number bend(int op, struct number n, bool is_signed)
{
    bool is_below = below(n.whole, 0, is_signed);

    switch (op) {
    case ABS:
        n.real = fabs(n.real);
        n.whole = is_below ? 0 - n.whole : n.whole;
        break;
    case NEG:
        n.real = -n.real;
        n.whole = 0 - n.whole;
        break;
    case SIGN:
        n.real = n.real > 0 ? 1 : n.real < 0 ? -1 : n.real;
        n.whole = is_below ? UINT64_MAX : n.whole != 0;
        break;
    default:
        n.real = n.real < 0 ? 0 : n.real;
        n.whole = is_below ? 0 : n.whole;
        break;
    }
    return n;
}

static void run_bend(int op, const char *name, uint32_t since, uint32_t dtype, uint64_t *seed)
{
    struct shape shape;
    size_t n;
    void *x, *want;

    fresh();
    shape = shape_any(seed, 4);
    n = shape_count(&shape);
    x = values_draw(n, dtype, seed);
    want = kept_zeros(n + 1, 8);
    for (size_t i = 0; i < n; i++)
        number_put(want, dtype, i, bend(op, number_at(x, dtype, i), typed_is_signed(dtype)));
    th_input(t, "x", dtype, shape_text(&shape), x);
    th_output(t, "y", dtype, shape_text(&shape));
    th_node(t, name, since, "x", "y");
    ck_run();
    values_same(name, th_data(t, "y"), want, n, dtype, 0);
}

START_TEST(abs_neg_sign_and_relu_take_every_type)
{
    static const struct {
        const char *op;
        uint32_t since;
    } rows[] = {[ABS] = {"Abs", 13}, [NEG] = {"Neg", 13}, [SIGN] = {"Sign", 13}, {"Relu", 14}};
    uint64_t types = types_of("", rows[_i].op, rows[_i].since, 0), seed = (uint64_t)_i;

    for (uint32_t dtype = 1; dtype < BP_DTYPE_END; dtype++) {
        for (int round = 0; round < ROUNDS && types >> dtype & 1; round++)
            run_bend(_i, rows[_i].op, rows[_i].since, dtype, &seed);
    }
}
END_TEST

/* ---- Clip ------------------------------------------------------------------------------------ */

static struct number clip(struct number n, const struct number *low, const struct number *high,
                          bool is_signed)
{
    if (low && n.real < low->real)
        n.real = low->real;
    if (high && n.real > high->real)
        n.real = high->real;
    if (low && below(n.whole, low->whole, is_signed))
        n.whole = low->whole;
    if (high && below(high->whole, n.whole, is_signed))
        n.whole = high->whole;
    return n;
}

static void run_clip(uint32_t dtype, uint32_t which, uint64_t *seed)
{
    static const char *const lists[] = {"x", "x low", "x - high", "x low high"};
    struct number low, high;
    struct shape shape;
    size_t n;
    void *x, *want, *ends;

    fresh();
    shape = shape_any(seed, 4);
    n = shape_count(&shape);
    x = values_draw(n, dtype, seed);
    want = kept_zeros(n + 1, 8);
    ends = values_draw(2, dtype, seed);
    for (size_t k = 0; k < 2; k++) { /* NaN is not a limit */
        if (isnan(number_at(ends, dtype, k).real))
            number_put(ends, dtype, k, (struct number){1, 1});
    }
    low = number_at(ends, dtype, 0);
    high = number_at(ends, dtype, 1);
    for (size_t i = 0; i < n; i++)
        number_put(want, dtype, i,
                   clip(number_at(x, dtype, i), which & 1 ? &low : NULL, which & 2 ? &high : NULL,
                        typed_is_signed(dtype)));
    th_input(t, "x", dtype, shape_text(&shape), x);
    th_input(t, "low", dtype, "", ends);
    th_input(t, "high", dtype, "", (char *)ends + bp_dtype_width(dtype) / 8);
    th_output(t, "y", dtype, shape_text(&shape));
    th_node(t, "Clip", 13, lists[which], "y");
    ck_run();
    values_same("Clip", th_data(t, "y"), want, n, dtype, 0);
}

START_TEST(clip_takes_every_type)
{
    uint64_t types = types_of("", "Clip", 13, 0), seed = 5;

    for (uint32_t dtype = 1; dtype < BP_DTYPE_END; dtype++) {
        for (uint32_t round = 0; round < 2 * ROUNDS && types >> dtype & 1; round++)
            run_clip(dtype, round % 4, &seed);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_every_choice");
    TCase *tcase = tcase_create("choice");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, where_takes_every_type);
    tcase_add_loop_test(tcase, abs_neg_sign_and_relu_take_every_type, 0, 4);
    tcase_add_test(tcase, clip_takes_every_type);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
