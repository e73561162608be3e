/* SPDX-License-Identifier: MIT */
/*
 * check_image.c - Resize, Upsample and GridSample of the CPU provider at every type. All
 * positions are at quarters of elements, so that each weight and each sum has an exact value.
 */

#include "config.h"

#include "cpu/types/all_types.h"

#include <math.h>

static int64_t clamp(int64_t i, int64_t n)
{
    return i < 0 ? 0 : i < n ? i : n - 1;
}

/* a / b, down and up; b is above 0 */
static int64_t floor_of(int64_t a, int64_t b)
{
    return a >= 0 ? a / b : -((b - 1 - a) / b);
}

static int64_t ceil_of(int64_t a, int64_t b)
{
    return -floor_of(-a, b);
}

/* ---- Resize and Upsample: elements that are picked ------------------------------------------- */

/* params: four times each scale; then: is it half_pixel? */
static void choose_scales(struct move *m, uint64_t *seed, bool may_shrink)
{
    m->x = m->y = every_shape(seed, 1, 4);
    for (uint32_t d = 0; d < m->x.rank; d++) {
        m->params[d] = random_below(seed, 2) ? 4 : 4 + random_below(seed, 9);
        if (may_shrink && random_below(seed, 4) == 0)
            m->params[d] = 1 + random_below(seed, 3);
        m->y.dims[d] = m->x.dims[d] * m->params[d] / 4;
    }
}

static void add_scales(const struct move *m, uint64_t *seed)
{
    float scales[SHAPE_RANK];

    for (uint32_t d = 0; d < m->x.rank; d++)
        scales[d] = (float)m->params[d] / 4;
    (random_below(seed, 2) ? th_const : th_input)(
        t, "scales", BP_DTYPE_F32, shape_text(&(struct shape){1, {m->x.rank}}), scales);
    th_allow_alloc(t);
}

static void make_resize(struct move *m, uint64_t *seed)
{
    choose_scales(m, seed, true);
    m->params[SHAPE_RANK] = random_below(seed, 2);
    move_begin(m, seed, random_below(seed, 4) == 0);
    add_scales(m, seed);
    move_node(m, "x - scales");
    th_string(t, "mode", "nearest");
    th_string(t, "coordinate_transformation_mode",
              m->params[SHAPE_RANK] ? "half_pixel" : "asymmetric");
    th_string(t, "nearest_mode", m->params[SHAPE_RANK] ? "round_prefer_floor" : "floor");
}

static void make_upsample(struct move *m, uint64_t *seed)
{
    choose_scales(m, seed, false);
    m->params[SHAPE_RANK] = 0;
    move_begin(m, seed, random_below(seed, 4) == 0);
    add_scales(m, seed);
    move_node(m, "x scales");
    th_string(t, "mode", "nearest");
}

/* floor(i / scale), or (i + 1/2) / scale - 1/2 to the nearest, down between two. */
static bool resized(const struct move *m, int64_t *index)
{
    for (uint32_t d = 0; d < m->x.rank; d++) {
        int64_t k = m->params[d], i = index[d];

        index[d] =
            clamp(m->params[SHAPE_RANK] ? ceil_of((2 * i + 1) * 2 - k, k) : floor_of(4 * i, k),
                  m->x.dims[d]);
    }
    return true;
}

/* ---- GridSample: elements that are picked ---------------------------------------------------- */

/* params: is a place outside that of the border? list: positions in quarters, as the grid has them */
static void choose_grid(struct move *m, uint64_t *seed, uint32_t most_dims)
{
    uint32_t n = 1 + random_below(seed, most_dims);
    int64_t *list;

    m->x = m->y = (struct shape){2 + n, {1 + random_below(seed, 2), random_below(seed, 4)}};
    for (uint32_t d = 0; d < n; d++) {
        m->x.dims[2 + d] = 1 << random_below(seed, 4);
        m->y.dims[2 + d] = random_below(seed, n > 1 ? 7 : 200);
    }
    m->y.dims[0] = m->x.dims[0];
    m->y.dims[1] = m->x.dims[1];
    m->params[0] = random_below(seed, 2);
    m->n = m->x.dims[0] * n;
    for (uint32_t d = 0; d < n; d++)
        m->n *= m->y.dims[2 + d];
    m->list = list = kept_zeros((size_t)m->n + 1, sizeof *list);
    for (int64_t i = 0; i < m->n; i++) /* from before the first to past the last */
        list[i] =
            (int64_t)random_below(seed, 4 * (uint32_t)m->x.dims[m->x.rank - 1 - i % n] + 13) - 8;
}

/* The grid goes from -1 to 1, between the outer edges of the outer elements. */
static void add_grid(const struct move *m, uint64_t *seed)
{
    const struct bp_param *x = &m->schema->in[0], *grid = &m->schema->in[1];
    uint32_t n = m->x.rank - 2;
    uint32_t dtype =
        grid->type_var == x->type_var ? m->dtype : typed_all[random_below(seed, TYPED_FLOATS)];
    struct shape shape = {1 + n + 1, {m->x.dims[0]}};
    double *numbers = kept_zeros((size_t)m->n + 1, sizeof *numbers);

    for (uint32_t d = 0; d < n; d++)
        shape.dims[1 + d] = m->y.dims[2 + d];
    shape.dims[1 + n] = n;
    for (int64_t i = 0; i < m->n; i++)
        numbers[i] = ((double)m->list[i] / 2 + 1) / (double)m->x.dims[m->x.rank - 1 - i % n] - 1;
    th_input(t, "grid", dtype, shape_text(&shape), kept_encode(numbers, (size_t)m->n, dtype));
}

static void set_sampling(const struct move *m, const char *mode)
{
    th_string(t, "mode", mode);
    th_string(t, "padding_mode", m->params[0] ? "border" : "zeros");
    th_int(t, "align_corners", 0);
}

static void make_grid_sample(struct move *m, uint64_t *seed)
{
    choose_grid(m, seed, 3);
    move_begin(m, seed, false);
    add_grid(m, seed);
    move_node(m, "x grid");
    set_sampling(m, "nearest");
}

/* Where in the list a point's positions begin. */
static const int64_t *point(const struct move *m, const int64_t *index)
{
    int64_t at = index[0];

    for (uint32_t d = 2; d < m->y.rank; d++)
        at = at * m->y.dims[d] + index[d];
    return m->list + at * (m->y.rank - 2);
}

static bool sampled(const struct move *m, int64_t *index)
{
    const int64_t *quarters = point(m, index);
    bool is_inside = true;

    for (uint32_t d = 2; d < m->x.rank; d++) {
        int64_t i = (int64_t)rint((double)quarters[m->x.rank - 1 - d] / 4);

        is_inside = is_inside && i >= 0 && i < m->x.dims[d];
        index[d] = clamp(i, m->x.dims[d]);
    }
    return is_inside || m->params[0];
}

static const struct move_case picks[] = {
    {"", "Resize", make_resize, resized},
    {"", "Upsample", make_upsample, resized},
    {"", "GridSample", make_grid_sample, sampled},
    {"com.microsoft", "GridSample", make_grid_sample, sampled},
};

START_TEST(nearest_resize_takes_every_type)
{
    move_loop(picks);
}
END_TEST

/* ---- elements between others ----------------------------------------------------------------- */

/* A complex number is two of the real type. */
struct between {
    uint32_t part, step;
    double *values;
};

/* x gets small whole numbers, some of them below 0 where the type has those. */
static struct between begin_between(struct move *m, uint64_t *seed)
{
    struct between b = {.part = m->dtype, .step = 1};
    size_t n;

    if (m->dtype == BP_DTYPE_C64 || m->dtype == BP_DTYPE_C128) {
        b.part = m->dtype == BP_DTYPE_C64 ? BP_DTYPE_F32 : BP_DTYPE_F64;
        b.step = 2;
    }
    n = shape_count(&m->x) * b.step;
    b.values = elem_random(seed, n, 16, b.part);
    for (size_t i = 0; i < n && (typed_is_float(b.part) || typed_is_signed(b.part)); i++)
        b.values[i] -= random_below(seed, 2) ? 16 : 0;
    th_input(t, "x", m->dtype, shape_text(&m->x), kept_encode(b.values, n, b.part));
    th_output(t, "y", m->dtype, shape_text(&m->y));
    return b;
}

/* The interpolated value at these positions, in quarters of elements, from axis d on; `base` is the offset of axes before d. */
static double value_at(const struct move *m, const struct between *b, const int64_t *quarters,
                       bool has_border, uint32_t d, int64_t base, size_t part)
{
    int64_t below, size;
    double sum = 0;

    if (d == m->x.rank)
        return b->values[(size_t)base * b->step + part];
    size = m->x.dims[d];
    below = floor_of(quarters[d], 4);
    for (int64_t i = below; i <= below + 1; i++) {
        int64_t off = i * 4 - quarters[d];
        double weight = 1 - (double)(off < 0 ? -off : off) / 4;

        if (weight > 0 && (has_border || (i >= 0 && i < size)))
            sum += weight *
                   value_at(m, b, quarters, has_border, d + 1, base * size + clamp(i, size), part);
    }
    return sum;
}

static void check_between(const struct move *m, const struct between *b, const double *want)
{
    size_t n = shape_count(&m->y) * b->step;

    ck_assert_msg(th_run(t) >= 0, "%s of %s: %s", m->schema->op, bp_dtype_name(m->dtype),
                  th_message(t));
    elem_compare(th_data(t, "y"), want, n, b->part);
}

/* To the type, by typed_put(): whole numbers are cut off towards 0. */
static double rounded(uint32_t dtype, double value)
{
    double whole[2] = {0};

    typed_put(whole, dtype, 0, value);
    return typed_get(whole, dtype, 0);
}

/* Scales of 1, 2 and 4 for at most two axes: positions are at quarters. */
START_TEST(linear_resize_takes_every_type)
{
    bool is_upsample = _i / BP_DTYPE_END % 2;
    uint64_t seed = (uint64_t)_i;
    struct move m = {.schema = every_newest("", is_upsample ? "Upsample" : "Resize"),
                     .dtype = (uint32_t)_i % BP_DTYPE_END};
    struct between b;
    double *want;

    if (!every_takes(m.schema, m.dtype) || m.dtype == BP_DTYPE_STRING)
        return;
    m.x = m.y = shape_random(&seed, 1, 3);
    for (uint32_t d = 0; d < m.x.rank; d++) {
        m.x.dims[d] = m.x.dims[d] > 12 ? 12 : m.x.dims[d];
        m.params[d] = d < 2 ? 4 << random_below(&seed, 3) : 4;
        m.y.dims[d] = m.x.dims[d] * m.params[d] / 4;
    }
    b = begin_between(&m, &seed);
    want = kept_zeros(shape_count(&m.y) * b.step + 1, sizeof *want);
    for (size_t i = 0; i < shape_count(&m.y) * b.step; i++) {
        int64_t quarters[SHAPE_RANK];

        shape_index(&m.y, i / b.step, quarters);
        for (uint32_t d = 0; d < m.x.rank; d++)
            quarters[d] = quarters[d] * 16 / m.params[d];
        want[i] = rounded(b.part, value_at(&m, &b, quarters, true, 0, 0, i % b.step));
    }
    add_scales(&m, &seed);
    move_node(&m, is_upsample ? "x scales" : "x - scales");
    th_string(t, "mode", "linear");
    if (!is_upsample)
        th_string(t, "coordinate_transformation_mode", "asymmetric");
    check_between(&m, &b, want);
}
END_TEST

START_TEST(linear_grid_sample_takes_every_type)
{
    bool is_ms = _i / BP_DTYPE_END % 2;
    uint64_t seed = (uint64_t)_i;
    struct move m = {.schema = every_newest(is_ms ? "com.microsoft" : "", "GridSample"),
                     .dtype = (uint32_t)_i % BP_DTYPE_END};
    struct between b;
    double *want;

    if (!every_takes(m.schema, m.dtype) || m.dtype == BP_DTYPE_STRING)
        return;
    choose_grid(&m, &seed, is_ms ? 2 : 3);
    b = begin_between(&m, &seed);
    want = kept_zeros(shape_count(&m.y) * b.step + 1, sizeof *want);
    for (size_t i = 0; i < shape_count(&m.y) * b.step; i++) {
        int64_t index[SHAPE_RANK];
        const int64_t *positions;

        shape_index(&m.y, i / b.step, index);
        positions = point(&m, index);
        for (uint32_t d = 2; d < m.x.rank; d++)
            index[d] = positions[m.x.rank - 1 - d];
        want[i] = rounded(b.part, value_at(&m, &b, index, m.params[0], 2,
                                           index[0] * m.x.dims[1] + index[1], i % b.step));
    }
    add_grid(&m, &seed);
    move_node(&m, "x grid");
    set_sampling(&m, is_ms ? "bilinear" : "linear");
    check_between(&m, &b, want);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_every_sample");
    TCase *tcase = tcase_create("sample");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, nearest_resize_takes_every_type, 0, COUNT(picks) * EVERY_TYPE);
    tcase_add_loop_test(tcase, linear_resize_takes_every_type, 0, 12 * BP_DTYPE_END);
    tcase_add_loop_test(tcase, linear_grid_sample_takes_every_type, 0, 12 * BP_DTYPE_END);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
