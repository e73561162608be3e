/* SPDX-License-Identifier: MIT */
/*
 * check_tensor_view.c - operators of the CPU provider that hand elements on as they are, or look at
 * nothing but the shape, at every type: see all_types.h.
 */

#include "config.h"

#include "cpu/types/all_types.h"

/* ---- the same elements in another shape ------------------------------------------------------ */

static void make_identity(struct move *m, uint64_t *seed)
{
    m->x = m->y = every_shape(seed, 0, 4);
    move_begin(m, seed, false);
    move_node(m, "x");
}

/* Without a mode for training it does nothing; ratio has the types of data but for integers. */
static void make_dropout(struct move *m, uint64_t *seed)
{
    static const uint32_t ratios[] = {BP_DTYPE_F32,        BP_DTYPE_F64,       BP_DTYPE_F16,
                                      BP_DTYPE_BF16,       BP_DTYPE_F8E4M3FN,  BP_DTYPE_F8E5M2,
                                      BP_DTYPE_F8E4M3FNUZ, BP_DTYPE_F8E5M2FNUZ};
    const uint64_t ratio = 0;

    m->x = m->y = every_shape(seed, 0, 4);
    move_begin(m, seed, false);
    th_input(t, "ratio", ratios[m->n++ % COUNT(ratios)], "", &ratio);
    move_node(m, "x ratio");
}

static void make_flatten(struct move *m, uint64_t *seed)
{
    uint32_t axis;

    m->x = every_shape(seed, 0, 4);
    axis = random_below(seed, m->x.rank + 1);
    m->y = (struct shape){2, {1, 1}};
    for (uint32_t d = 0; d < m->x.rank; d++)
        m->y.dims[d >= axis] *= m->x.dims[d];
    move_begin(m, seed, false);
    move_node(m, "x");
    th_int(t, "axis", axis < m->x.rank ? every_axis(seed, axis, m->x.rank) : axis);
}

/* Groups of axes become one, and one of those -1 or, where it is like x's, 0. */
static void make_reshape(struct move *m, uint64_t *seed)
{
    int64_t target[SHAPE_RANK];
    uint32_t open;

    m->x = every_shape(seed, 1, 4);
    m->y = (struct shape){1, {m->x.dims[0]}};
    for (uint32_t d = 1; d < m->x.rank; d++) {
        if (random_below(seed, 2))
            m->y.dims[m->y.rank - 1] *= m->x.dims[d];
        else
            m->y.dims[m->y.rank++] = m->x.dims[d];
    }
    open = random_below(seed, m->y.rank);
    for (uint32_t d = 0; d < m->y.rank; d++)
        target[d] = m->y.dims[d];
    if (shape_count(&m->x) > 0)
        target[open] = m->y.dims[open] == m->x.dims[open] && random_below(seed, 2) ? 0 : -1;
    move_begin(m, seed, false);
    every_list(seed, "target", target, m->y.rank, false);
    move_node(m, "x target");
}

/* Chooses `wide` with axes of size 1 where params say, and `thin` without them. */
static void choose_thin(struct move *m, uint64_t *seed, struct shape *thin, struct shape *wide)
{
    uint32_t rank = random_below(seed, 7);

    *thin = (struct shape){0};
    *wide = (struct shape){.rank = rank};
    m->n = 0;
    for (uint32_t d = 0; d < rank; d++) {
        wide->dims[d] = random_below(seed, 20) ? 1 + random_below(seed, 4) : 0;
        if (random_below(seed, 2)) {
            m->params[m->n++] = every_axis(seed, d, rank);
            wide->dims[d] = 1;
        } else {
            thin->dims[thin->rank++] = wide->dims[d];
        }
    }
}

static void make_squeeze(struct move *m, uint64_t *seed)
{
    choose_thin(m, seed, &m->y, &m->x);
    move_begin(m, seed, false);
    every_list(seed, "axes", m->params, (uint32_t)m->n, false);
    move_node(m, "x axes");
}

static void make_unsqueeze(struct move *m, uint64_t *seed)
{
    choose_thin(m, seed, &m->x, &m->y);
    move_begin(m, seed, false);
    every_list(seed, "axes", m->params, (uint32_t)m->n, false);
    move_node(m, "x axes");
}

static void make_expand_dims(struct move *m, uint64_t *seed)
{
    uint32_t axis;

    m->x = every_shape(seed, 0, 4);
    m->y = (struct shape){.rank = m->x.rank + 1};
    axis = random_below(seed, m->y.rank);
    for (uint32_t d = 0; d < m->y.rank; d++)
        m->y.dims[d] = d == axis ? 1 : m->x.dims[d - (d > axis)];
    move_begin(m, seed, false);
    th_const(t, "axis", BP_DTYPE_I32, "", (int32_t[]){(int32_t)every_axis(seed, axis, m->y.rank)});
    move_node(m, "x axis");
}

static const struct move_case views[] = {
    {"", "Identity", make_identity, NULL},
    {"", "Dropout", make_dropout, NULL},
    {"", "Flatten", make_flatten, NULL},
    {"", "Reshape", make_reshape, NULL},
    {"", "Squeeze", make_squeeze, NULL},
    {"", "Unsqueeze", make_unsqueeze, NULL},
    {"com.microsoft", "ExpandDims", make_expand_dims, NULL},
};

START_TEST(view_operators_keep_elements_of_every_type)
{
    move_loop(views);
}
END_TEST

/* ---- bits under another name ----------------------------------------------------------------- */

static void cast_bits(const struct bp_schema *schema, uint32_t from, uint32_t to)
{
    uint64_t seed = from * BP_DTYPE_END + to;
    struct shape x = every_shape(&seed, 0, 4);
    size_t n = shape_count(&x);
    const void *y, *data = th_keep(t, typed_random(&seed, n, from));

    th_input(t, "x", from, shape_text(&x), data);
    th_output(t, "y", to, shape_text(&x));
    th_node(t, "BitCast", schema->since, "x", "y");
    th_int(t, "to", to);
    if (bp_dtype_width(from) != bp_dtype_width(to)) {
        ck_assert_int_eq(th_claim(t), BP_E_UNSUPPORTED);
        return;
    }
    ck_run();
    y = th_data(t, "y");
    for (size_t i = 0; i < n; i++)
        if (!typed_same(y, i, data, i, from))
            ck_abort_msg("%s as %s: element %zu of %zu", bp_dtype_name(from), bp_dtype_name(to), i,
                         n);
}

START_TEST(bit_cast_takes_every_pair_of_types_of_one_width)
{
    const struct bp_schema *schema = every_newest("", "BitCast");

    for (uint32_t to = 1; to < BP_DTYPE_END; to++) {
        if (!every_takes(schema, (uint32_t)_i) || !(schema->out[0].types >> to & 1))
            continue;
        cast_bits(schema, (uint32_t)_i, to);
        teardown();
        setup();
    }
}
END_TEST

/* ---- shapes ---------------------------------------------------------------------------------- */

static int64_t clamped(int64_t at, int64_t rank)
{
    at += at < 0 ? rank : 0;
    return at < 0 ? 0 : at > rank ? rank : at;
}

/* One of each type, with and without bounds. */
START_TEST(shape_and_size_take_every_type)
{
    uint32_t dtype = (uint32_t)_i % BP_DTYPE_END;
    uint64_t seed = (uint64_t)_i;
    struct shape x = every_shape(&seed, 0, 5);
    int64_t start = (int64_t)random_below(&seed, 15) - 7,
            end = (int64_t)random_below(&seed, 15) - 7;
    int64_t first = clamped(start, x.rank), n = clamped(end, x.rank) - first;
    const int64_t *dims, *size;

    if (dtype == BP_DTYPE_NONE)
        return;
    ck_assert(every_takes(every_newest("", "Shape"), dtype));
    ck_assert(every_takes(every_newest("", "Size"), dtype));
    n = n < 0 ? 0 : n;
    th_input(t, "x", dtype, shape_text(&x),
             th_keep(t, typed_random(&seed, shape_count(&x), dtype)));
    th_output(t, "dims", BP_DTYPE_I64, shape_text(&(struct shape){1, {n}}));
    th_output(t, "size", BP_DTYPE_I64, "");
    th_node(t, "Shape", 25, "x", "dims");
    th_int(t, "start", start);
    th_int(t, "end", end);
    th_node(t, "Size", 25, "x", "size");
    ck_run();
    dims = th_data(t, "dims");
    size = th_data(t, "size");
    ck_assert_int_eq(*size, (int64_t)shape_count(&x));
    for (int64_t i = 0; i < n; i++)
        ck_assert_int_eq(dims[i], x.dims[first + i]);
}
END_TEST

/* ---- from a shape ---------------------------------------------------------------------------- */

START_TEST(constant_of_shape_takes_every_type)
{
    const struct bp_schema *schema = every_newest("", "ConstantOfShape");
    uint32_t dtype = (uint32_t)_i % BP_DTYPE_END;
    uint64_t seed = (uint64_t)_i;
    struct shape y = every_shape(&seed, 0, 4);
    const void *value, *got;

    if (!(schema->out[0].types >> dtype & 1))
        return;
    value = th_keep(t, typed_random(&seed, 1, dtype));
    every_list(&seed, "shape", y.dims, y.rank, false);
    th_output(t, "y", dtype, shape_text(&y));
    th_node(t, "ConstantOfShape", schema->since, "shape", "y");
    th_tensor(t, "value", dtype, "1", value);
    ck_run();
    got = th_data(t, "y");
    for (size_t i = 0; i < shape_count(&y); i++)
        if (!typed_same(got, i, value, 0, dtype))
            ck_abort_msg("element %zu", i);
}
END_TEST

/* By the type of the input, or of an attribute. */
START_TEST(eye_like_takes_every_type)
{
    const struct bp_schema *schema = every_newest("", "EyeLike");
    uint32_t dtype = (uint32_t)_i % BP_DTYPE_END;
    uint64_t seed = (uint64_t)_i;
    bool is_told = random_below(&seed, 2);
    uint32_t in = is_told ? typed_all[random_below(&seed, TYPED_NUMBERS)] : dtype;
    struct shape x = every_shape(&seed, 2, 2);
    int64_t k = (int64_t)random_below(&seed, 21) - 10;
    const void *got;

    if (!(schema->out[0].types >> dtype & 1) || dtype == BP_DTYPE_STRING)
        return;
    th_input(t, "x", in, shape_text(&x), th_keep(t, typed_random(&seed, shape_count(&x), in)));
    th_output(t, "y", dtype, shape_text(&x));
    th_node(t, "EyeLike", schema->since, "x", "y");
    th_int(t, "k", k);
    if (is_told)
        th_int(t, "dtype", dtype);
    ck_run();
    got = th_data(t, "y");
    for (int64_t i = 0; i < x.dims[0] * x.dims[1]; i++)
        ck_assert_double_eq(typed_get(got, dtype, (size_t)i),
                            i % x.dims[1] - i / x.dims[1] == k ? 1 : 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_every_view");
    TCase *tcase = tcase_create("view");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, view_operators_keep_elements_of_every_type, 0,
                        COUNT(views) * EVERY_TYPE);
    tcase_add_loop_test(tcase, bit_cast_takes_every_pair_of_types_of_one_width, 1, BP_DTYPE_END);
    tcase_add_loop_test(tcase, shape_and_size_take_every_type, 0, 4 * BP_DTYPE_END);
    tcase_add_loop_test(tcase, constant_of_shape_takes_every_type, 0, 6 * BP_DTYPE_END);
    tcase_add_loop_test(tcase, eye_like_takes_every_type, 0, 8 * BP_DTYPE_END);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
