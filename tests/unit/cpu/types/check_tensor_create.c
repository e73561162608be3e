/* SPDX-License-Identifier: MIT */
/*
 * check_tensor_create.c - operators that make numbers from a few: Range of ONNX and of
 * com.microsoft, the windows and MelWeightMatrix, with every type of their inputs and outputs.
 */

#include "config.h"

#include "cpu/types/element_types.h"

static const double pi = 3.14159265358979323846;

/* Known dimensions, or those that come with the data. */
static void add_output(uint32_t dtype, const struct shape *shape, bool is_late)
{
    th_output(t, "y", dtype, is_late ? NULL : shape_text(shape));
    if (is_late)
        th_allow_alloc(t);
}

static const uint32_t index_types[] = {BP_DTYPE_I32, BP_DTYPE_I64};

static void add_index(const char *name, uint32_t dtype, int64_t value)
{
    uint64_t element;

    typed_put_bits(&element, dtype, 0, (uint64_t)value);
    th_input(t, name, dtype, "", &element);
}

/* ---- Range ----------------------------------------------------------------------------------- */

struct range {
    uint32_t dtype;
    struct number start, limit, delta;
    int64_t count;
};

/* Eighths, which all types of floats hold. */
static void draw_real(struct range *r, uint64_t *seed)
{
    double n;

    r->start.real = (double)random_below(seed, 200) / 8 - 12;
    r->limit.real = (double)random_below(seed, 200) / 8 - 12;
    r->delta.real = (double)(1 + random_below(seed, 30)) / 8 * (random_below(seed, 2) ? 1 : -1);
    n = ceil((r->limit.real - r->start.real) / r->delta.real);
    r->count = n > 0 ? (int64_t)n : 0;
}

/* Ends anywhere in the type, and a step that needs no more than 50 of them. */
static void draw_whole(struct range *r, uint64_t *seed)
{
    uint64_t bits[2] = {random_next(seed), random_next(seed)};
    int64_t start = (int64_t)typed_bits(&bits[0], r->dtype, 0);
    int64_t limit = (int64_t)typed_bits(&bits[1], r->dtype, 0), delta;
    int64_t steps = 2 + random_below(seed, 48);
    bool is_down = limit < start;
    uint64_t distance =
        is_down ? (uint64_t)start - (uint64_t)limit : (uint64_t)limit - (uint64_t)start;

    delta = (int64_t)(distance / (uint64_t)steps) + 1;
    r->count = (int64_t)(distance / (uint64_t)delta) + (distance % (uint64_t)delta != 0);
    if (random_below(seed, 6) == 0) {
        is_down = !is_down; /* the wrong way */
        r->count = 0;
    }
    r->start.whole = (uint64_t)start;
    r->limit.whole = (uint64_t)limit;
    r->delta.whole = (uint64_t)(is_down ? -delta : delta);
}

/* No step is one of 1. */
static void leave_out_step(struct range *r)
{
    uint64_t end = r->start.whole + (uint64_t)r->count;

    r->delta = (struct number){1, 1};
    r->limit.real = r->start.real + (double)r->count;
    typed_put_bits(&end, r->dtype, 0, end);
    r->limit.whole = typed_bits(&end, r->dtype, 0); /* it may have wrapped around */
    if (!typed_is_float(r->dtype) && (int64_t)r->limit.whole < (int64_t)r->start.whole)
        r->count = 0;
}

static void add_end(const char *name, uint32_t dtype, struct number value)
{
    uint64_t element;

    number_put(&element, dtype, 0, value);
    th_input(t, name, dtype, "", &element);
}

static void run_range(bool is_ms, uint32_t since, uint32_t dtype, uint64_t *seed)
{
    struct range r = {.dtype = dtype};
    struct shape shape = {.rank = 1};
    bool has_step = !is_ms || random_below(seed, 2);
    uint64_t want;

    fresh();
    if (typed_is_float(dtype))
        draw_real(&r, seed);
    else
        draw_whole(&r, seed);
    if (!has_step)
        leave_out_step(&r);
    add_end("start", dtype, r.start);
    add_end("limit", dtype, r.limit);
    add_end("delta", dtype, r.delta);
    shape.dims[0] = r.count;
    add_output(dtype, &shape, random_below(seed, 2));
    th_node(t, "Range", since, has_step ? "start limit delta" : "start limit", "y");
    if (is_ms)
        th_domain(t, "com.microsoft");
    ck_run();
    ck_assert_str_eq(th_dims(t, "y"), shape_text(&shape));
    for (size_t i = 0; i < (size_t)r.count; i++) {
        struct number n = {r.start.real + (double)i * r.delta.real,
                           r.start.whole + i * r.delta.whole};

        number_put(&want, dtype, 0, n);
        values_same("Range",
                    (const char *)th_data(t, "y") + i * (size_t)(bp_dtype_width(dtype) / 8), &want,
                    1, dtype, 0);
    }
}

START_TEST(range_takes_every_type)
{
    uint32_t since = _i ? 1 : 27;
    uint64_t types = types_of(_i ? "com.microsoft" : "", "Range", since, 0), seed = 3;

    for (uint32_t dtype = 1; dtype < BP_DTYPE_END; dtype++) {
        for (int round = 0; round < 40 && types >> dtype & 1; round++)
            run_range(_i, since, dtype, &seed);
    }
}
END_TEST

/* ---- what is computed in double, then cast --------------------------------------------------- */

/* Integers are cut off; what is all but whole may be so on either side. */
static void expect_cast(const double *want, size_t n, uint32_t dtype)
{
    double least = dtype == BP_DTYPE_F16 ? 0x1p-24 : 1e-15; /* steps of the smallest numbers */

    for (size_t i = 0; i < n; i++) {
        double got = typed_get(th_data(t, "y"), dtype, i);
        bool is_right = typed_is_float(dtype)
                            ? fabs(got - want[i]) <= unit_of(dtype) * fabs(want[i]) + least
                            : got == trunc(want[i] + 1e-12) || got == trunc(want[i] - 1e-12);

        if (!is_right)
            ck_abort_msg("element %zu of %zu of %s is %g, not %g", i, n, bp_dtype_name(dtype), got,
                         want[i]);
    }
}

static double window_at(int op, double x)
{
    return op == 0   ? 0.5 - 0.5 * cos(x)
           : op == 1 ? 25.0 / 46 - 21.0 / 46 * cos(x)
                     : 0.42 - 0.5 * cos(x) + 0.08 * cos(2 * x);
}

/* _i: operator, then the type of the size */
START_TEST(window_operators_take_every_type)
{
    static const char *const ops[] = {"HannWindow", "HammingWindow", "BlackmanWindow"};
    int op = _i % 3;
    uint64_t types = types_of("", ops[op], 17, -1), seed = (uint64_t)_i;

    for (int i = 0; i < BP_DTYPE_END * 6; i++) {
        uint32_t dtype = (uint32_t)i / 6;
        struct shape shape = {.rank = 1};
        bool periodic = random_below(&seed, 2);
        double want[600];

        if (!(types >> dtype & 1))
            continue;
        fresh();
        shape.dims[0] = random_below(&seed, random_below(&seed, 2) ? 9 : 600);
        for (int64_t k = 0; k < shape.dims[0]; k++) {
            double n = (double)(periodic ? shape.dims[0] : shape.dims[0] - 1);

            want[k] = window_at(op, n > 0 ? 2 * pi * (double)k / n : 0);
        }
        add_index("size", index_types[_i / 3], shape.dims[0]);
        add_output(dtype, &shape, random_below(&seed, 2));
        th_node(t, ops[op], 17, "size", "y");
        th_int(t, "output_datatype", dtype);
        th_int(t, "periodic", periodic);
        ck_run();
        ck_assert_str_eq(th_dims(t, "y"), shape_text(&shape));
        expect_cast(want, shape_count(&shape), dtype);
    }
}
END_TEST

/* ---- MelWeightMatrix ------------------------------------------------------------------------- */

enum { MOST_BINS = 12, MOST_ROWS = 130 };

/* As ONNX's specification says. */
static void fill_mel(int64_t bins, int64_t length, int64_t rate, double low, double high,
                     double *want)
{
    double from = 2595 * log10(1 + low / 700), to = 2595 * log10(1 + high / 700);
    double step = (to - from) / (double)(bins + 2);
    int64_t edges[MOST_BINS + 2];

    for (int64_t i = 0; i < bins + 2; i++) {
        double hertz = 700 * (pow(10, (from + (double)i * step) / 2595) - 1);

        edges[i] = (int64_t)floor((double)(length + 1) * hertz / (double)rate);
    }
    for (int64_t b = 0; b < bins; b++) {
        int64_t rise = edges[b + 1] - edges[b], fall = edges[b + 2] - edges[b + 1];

        want[edges[b + 1] * bins + b] = 1;
        for (int64_t row = edges[b]; row < edges[b + 1]; row++)
            want[row * bins + b] = (double)(row - edges[b]) / (double)rise;
        for (int64_t row = edges[b + 1]; row < edges[b + 2]; row++)
            want[row * bins + b] = (double)(edges[b + 2] - row) / (double)fall;
    }
}

static void run_mel(uint32_t index, uint32_t edge, uint32_t dtype, uint64_t *seed)
{
    int64_t bins = 1 + random_below(seed, MOST_BINS), length = 64 + 2 * random_below(seed, 90);
    double low = 16 * random_below(seed, 20), high = 1024 + 64 * (double)random_below(seed, 40);
    struct shape shape = {.rank = 2, .dims = {length / 2 + 1, bins}};
    double want[MOST_ROWS * MOST_BINS] = {0};
    uint64_t element;

    fresh();
    typed_put(&element, edge, 0, low);
    low = typed_get(&element, edge, 0);
    th_input(t, "low", edge, "", &element);
    typed_put(&element, edge, 0, high);
    high = typed_get(&element, edge, 0);
    th_input(t, "high", edge, "", &element);
    add_index("bins", index, bins);
    add_index("length", index, length);
    add_index("rate", index, 8000);
    fill_mel(bins, length, 8000, low, high, want);
    add_output(dtype, &shape, random_below(seed, 2));
    th_node(t, "MelWeightMatrix", 17, "bins length rate low high", "y");
    th_int(t, "output_datatype", dtype);
    ck_run();
    ck_assert_str_eq(th_dims(t, "y"), shape_text(&shape));
    expect_cast(want, shape_count(&shape), dtype);
}

/* _i: type of the edges, then of the sizes */
START_TEST(mel_weight_matrix_takes_every_type)
{
    uint64_t types = types_of("", "MelWeightMatrix", 17, -1), seed = (uint64_t)_i;

    for (uint32_t dtype = 1; dtype < BP_DTYPE_END; dtype++) {
        for (int round = 0; round < 4 && types >> dtype & 1; round++)
            run_mel(index_types[_i / TYPED_FLOATS], typed_all[_i % TYPED_FLOATS], dtype, &seed);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_every_series");
    TCase *tcase = tcase_create("series");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, range_takes_every_type, 0, 2);
    tcase_add_loop_test(tcase, window_operators_take_every_type, 0, 6);
    tcase_add_loop_test(tcase, mel_weight_matrix_takes_every_type, 0, 2 * TYPED_FLOATS);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
