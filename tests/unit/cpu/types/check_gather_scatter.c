/* SPDX-License-Identifier: MIT */
/*
 * check_gather_scatter.c - operators of the CPU provider that read or write elements where indices
 * say, at every type: see all_types.h.
 */

#include "config.h"

#include "cpu/types/all_types.h"

/* Indices of an axis of `size`, some counted from the end. */
static int64_t *random_indices(uint64_t *seed, size_t n, int64_t size)
{
    int64_t *v = kept_zeros(n + 1, sizeof *v);

    for (size_t i = 0; i < n; i++)
        v[i] = every_axis(seed, random_below(seed, (uint32_t)size), (uint32_t)size);
    return v;
}

/* Adds them, as int64 or int32. */
static void add_indices(uint64_t *seed, const int64_t *list, const struct shape *shape)
{
    size_t n = shape_count(shape);
    int32_t *narrow = kept_zeros(n + 1, sizeof *narrow);

    for (size_t i = 0; i < n; i++)
        narrow[i] = (int32_t)list[i];
    if (random_below(seed, 2))
        th_input(t, "indices", BP_DTYPE_I32, shape_text(shape), narrow);
    else
        th_input(t, "indices", BP_DTYPE_I64, shape_text(shape), list);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* params: the axis; list: indices of any rank, which takes the place of the axis in y */
static void make_gather(struct move *m, uint64_t *seed)
{
    struct shape indices = {.rank = random_below(seed, 3)};
    uint32_t axis, r = 0;

    for (uint32_t d = 0; d < indices.rank; d++)
        indices.dims[d] = random_below(seed, 5);
    m->x = shape_random(seed, 1, 4);
    axis = random_below(seed, m->x.rank);
    m->y = (struct shape){.rank = m->x.rank + indices.rank - 1};
    for (uint32_t d = 0; d < axis; d++)
        m->y.dims[r++] = m->x.dims[d];
    for (uint32_t d = 0; d < indices.rank; d++)
        m->y.dims[r++] = indices.dims[d];
    for (uint32_t d = axis + 1; d < m->x.rank; d++)
        m->y.dims[r++] = m->x.dims[d];
    m->params[0] = axis;
    m->list = random_indices(seed, shape_count(&indices), m->x.dims[axis]);
    move_begin(m, seed, false);
    add_indices(seed, m->list, &indices);
    move_node(m, "x indices");
    th_int(t, "axis", every_axis(seed, axis, m->x.rank));
}

static bool gathered(const struct move *m, int64_t *index)
{
    uint32_t axis = (uint32_t)m->params[0], rank = m->y.rank + 1 - m->x.rank;
    int64_t at = 0, from[SHAPE_RANK] = {0};

    for (uint32_t d = 0; d < rank; d++)
        at = at * m->y.dims[axis + d] + index[axis + d];
    for (uint32_t d = axis + 1; d < m->x.rank; d++)
        from[d] = index[d - 1 + rank];
    memcpy(index + axis, from + axis, (m->x.rank - axis) * sizeof *from);
    index[axis] = m->list[at] + (m->list[at] < 0 ? m->x.dims[axis] : 0);
    return true;
}

/* params: entries of an index; list: one index after the other */
static void make_gather_nd(struct move *m, uint64_t *seed)
{
    struct shape indices = {2, {random_below(seed, 6), 0}};
    uint32_t depth;
    int64_t *list;

    m->x = shape_random(seed, 1, 4);
    depth = 1 + random_below(seed, m->x.rank);
    m->y = (struct shape){.rank = 1 + m->x.rank - depth, .dims = {indices.dims[0]}};
    for (uint32_t d = depth; d < m->x.rank; d++)
        m->y.dims[1 + d - depth] = m->x.dims[d];
    indices.dims[1] = depth;
    m->params[0] = depth;
    m->list = list = kept_zeros(shape_count(&indices) + 1, sizeof *list);
    for (size_t i = 0; i < shape_count(&indices); i++)
        list[i] = *random_indices(seed, 1, m->x.dims[i % depth]);
    move_begin(m, seed, false);
    th_input(t, "indices", BP_DTYPE_I64, shape_text(&indices), list);
    move_node(m, "x indices");
}

static bool gathered_nd(const struct move *m, int64_t *index)
{
    uint32_t depth = (uint32_t)m->params[0];
    int64_t from[SHAPE_RANK];

    for (uint32_t d = 0; d < depth; d++) {
        from[d] = m->list[index[0] * depth + d];
        from[d] += from[d] < 0 ? m->x.dims[d] : 0;
    }
    for (uint32_t d = depth; d < m->x.rank; d++)
        from[d] = index[1 + d - depth];
    memcpy(index, from, m->x.rank * sizeof *from);
    return true;
}

static const struct move_case gathers[] = {
    {"", "Gather", make_gather, gathered},
    {"", "GatherND", make_gather_nd, gathered_nd},
    {"com.microsoft", "GatherND", make_gather_nd, gathered_nd},
};

START_TEST(gather_operators_take_every_type)
{
    move_loop(gathers);
}
END_TEST

/* ---- writing --------------------------------------------------------------------------------- */

/* The operator's data with updates of it; `want` is what is there afterwards. */
struct writes {
    const struct bp_schema *schema;
    uint32_t dtype;
    struct shape data, updates;
    const void *old, *new;
    void *want;
};

/* Once the shapes are there. */
static void begin_writes(struct writes *w, uint64_t *seed, const char *updates)
{
    size_t n = shape_count(&w->data);

    w->old = th_keep(t, typed_random(seed, n, w->dtype));
    w->new = th_keep(t, typed_random(seed, shape_count(&w->updates), w->dtype));
    w->want = kept_zeros(n + 1, sizeof(bp_span));
    for (size_t i = 0; i < n; i++)
        typed_copy(w->want, i, w->old, i, w->dtype);
    th_input(t, "data", w->dtype, shape_text(&w->data), w->old);
    th_input(t, updates, w->dtype, shape_text(&w->updates), w->new);
    th_output(t, "y", w->dtype, shape_text(&w->data));
}

static void check_writes(const struct writes *w)
{
    ck_run();
    for (size_t i = 0; i < shape_count(&w->data); i++)
        if (!typed_same(th_data(t, "y"), i, w->want, i, w->dtype))
            ck_abort_msg("%s of %s: element %zu of %s", w->schema->op, bp_dtype_name(w->dtype), i,
                         shape_text(&w->data));
}

static bool take_type(struct writes *w, const char *op, int i, uint64_t *seed)
{
    *w = (struct writes){.schema = every_newest("", op), .dtype = (uint32_t)i % BP_DTYPE_END};
    *seed = (uint64_t)i;
    return every_takes(w->schema, w->dtype);
}

START_TEST(scatter_operators_take_every_type)
{
    uint64_t seed;
    struct writes w;
    const int64_t *list;
    uint32_t axis;

    if (!take_type(&w, _i / BP_DTYPE_END % 2 ? "Scatter" : "ScatterElements", _i, &seed))
        return;
    w.data = w.updates = shape_random(&seed, 1, 4);
    axis = random_below(&seed, w.data.rank);
    for (uint32_t d = 0; d < w.data.rank; d++)
        w.updates.dims[d] = 1 + random_below(&seed, (uint32_t)w.data.dims[d]);
    w.updates.dims[axis] = random_below(&seed, 6);
    list = random_indices(&seed, shape_count(&w.updates), w.data.dims[axis]);
    begin_writes(&w, &seed, "updates");
    for (size_t i = 0; i < shape_count(&w.updates); i++) {
        int64_t index[SHAPE_RANK];

        shape_index(&w.updates, i, index);
        index[axis] = list[i] + (list[i] < 0 ? w.data.dims[axis] : 0);
        typed_copy(w.want, shape_at(&w.data, index), w.new, i, w.dtype);
    }
    add_indices(&seed, list, &w.updates);
    th_node(t, w.schema->op, w.schema->since, "data indices updates", "y");
    th_int(t, "axis", every_axis(&seed, axis, w.data.rank));
    check_writes(&w);
}
END_TEST

START_TEST(tensor_scatter_takes_every_type)
{
    uint64_t seed;
    struct writes w;
    bool is_circular;
    uint32_t axis;
    int64_t size, *write_indices;

    if (!take_type(&w, "TensorScatter", _i, &seed))
        return;
    is_circular = random_below(&seed, 2);
    w.data = w.updates = shape_random(&seed, 2, 4);
    axis = 1 + random_below(&seed, w.data.rank - 1);
    size = w.data.dims[axis];
    w.updates.dims[axis] = random_below(&seed, (uint32_t)size + 1);
    write_indices = kept_zeros((size_t)w.data.dims[0], sizeof *write_indices);
    for (int64_t b = 0; b < w.data.dims[0]; b++)
        write_indices[b] = random_below(
            &seed, (uint32_t)(is_circular ? 3 * size : size - w.updates.dims[axis] + 1));
    begin_writes(&w, &seed, "updates");
    for (size_t i = 0; i < shape_count(&w.updates); i++) {
        int64_t index[SHAPE_RANK];

        shape_index(&w.updates, i, index);
        index[axis] = (write_indices[index[0]] + index[axis]) % size;
        typed_copy(w.want, shape_at(&w.data, index), w.new, i, w.dtype);
    }
    th_input(t, "write_indices", BP_DTYPE_I64, shape_text(&(struct shape){1, {w.data.dims[0]}}),
             write_indices);
    th_node(t, "TensorScatter", w.schema->since, "data updates write_indices", "y");
    th_int(t, "axis", every_axis(&seed, axis, w.data.rank));
    th_string(t, "mode", is_circular ? "circular" : "linear");
    check_writes(&w);
}
END_TEST

/* ---- choices that become elements, and elements that are chosen ------------------------------ */

/* Each type of depth, with indices of any numeric type and values of any type. */
START_TEST(one_hot_takes_every_type_of_depth_indices_and_values)
{
    const struct bp_schema *schema = every_newest("", "OneHot");
    uint32_t depth_type = (uint32_t)_i % BP_DTYPE_END;
    uint64_t seed = (uint64_t)_i;
    uint32_t index_type = typed_all[random_below(&seed, TYPED_NUMBERS)];
    uint32_t dtype = typed_all[random_below(&seed, TYPED_ALL)];
    struct shape indices = every_shape(&seed, 0, 3), y = {.rank = indices.rank + 1};
    uint32_t axis = random_below(&seed, y.rank), depth = 1 + random_below(&seed, 9);
    double *at = elem_random(&seed, shape_count(&indices), depth + 2, index_type);
    double depth_number = depth;
    const void *values, *got;

    if (!(schema->in[1].types >> depth_type & 1))
        return;
    index_type =
        index_type == BP_DTYPE_BF16 ? BP_DTYPE_I8 : index_type; /* bfloat16 is not an index type */
    for (size_t i = 0; i < shape_count(&indices); i++) /* -depth - 2 to depth + 1, if it can */
        at[i] -=
            (typed_is_float(index_type) || typed_is_signed(index_type)) && random_below(&seed, 2)
                ? depth + 2
                : 0;
    for (uint32_t d = 0; d < y.rank; d++)
        y.dims[d] = d == axis ? depth : indices.dims[d - (d > axis)];
    values = th_keep(t, typed_random(&seed, 2, dtype));
    th_input(t, "indices", index_type, shape_text(&indices),
             kept_encode(at, shape_count(&indices), index_type));
    (random_below(&seed, 2) ? th_const : th_input)(t, "depth", depth_type, "",
                                                   kept_encode(&depth_number, 1, depth_type));
    th_input(t, "values", dtype, "2", values);
    th_output(t, "y", dtype, shape_text(&y));
    th_node(t, "OneHot", schema->since, "indices depth values", "y");
    th_int(t, "axis", every_axis(&seed, axis, y.rank));
    ck_run();
    got = th_data(t, "y");
    for (size_t i = 0; i < shape_count(&y); i++) {
        int64_t index[SHAPE_RANK], place;
        double wanted;

        shape_index(&y, i, index);
        place = index[axis];
        for (uint32_t d = axis; d < indices.rank; d++)
            index[d] = index[d + 1];
        wanted = at[shape_at(&indices, index)];
        wanted += wanted < 0 ? depth : 0;
        if (!typed_same(got, i, values, wanted == (double)place, dtype))
            ck_abort_msg("element %zu of %s", i, shape_text(&y));
    }
}
END_TEST

/* com.microsoft's, of a vector: in the order in which they come first, equal if the same bits. */
START_TEST(unique_of_microsoft_takes_every_type)
{
    const struct bp_schema *schema = every_newest("com.microsoft", "Unique");
    uint32_t dtype = (uint32_t)_i % BP_DTYPE_END;
    uint64_t seed = (uint64_t)_i;
    size_t n = random_below(&seed, 200), few = 1 + random_below(&seed, 60), found = 0;
    const void *some, *y;
    void *x, *first;
    int64_t *group, *count;

    if (!every_takes(schema, dtype))
        return;
    some = th_keep(t, typed_random(&seed, few, dtype));
    x = kept_zeros(n + 1, sizeof(bp_span));
    first = kept_zeros(n + 1, sizeof(bp_span));
    group = kept_zeros(n + 1, sizeof *group);
    count = kept_zeros(n + 1, sizeof *count);
    for (size_t i = 0; i < n; i++) {
        size_t g = 0;

        typed_copy(x, i, some, random_below(&seed, (uint32_t)few), dtype);
        while (g < found && !typed_same(first, g, x, i, dtype))
            g++;
        if (g == found)
            typed_copy(first, found++, x, i, dtype);
        group[i] = (int64_t)g;
        count[g]++;
    }
    th_allow_alloc(t);
    th_input(t, "x", dtype, shape_text(&(struct shape){1, {(int64_t)n}}), x);
    th_output(t, "y", dtype, NULL);
    th_output(t, "group", BP_DTYPE_I64, NULL);
    th_output(t, "count", BP_DTYPE_I64, NULL);
    th_node(t, "Unique", schema->since, "x", "y group count");
    th_domain(t, "com.microsoft");
    ck_run();
    ck_assert_uint_eq(th_count(t, "y"), found);
    ck_assert_uint_eq(th_count(t, "count"), found);
    y = th_data(t, "y");
    for (size_t g = 0; g < found; g++) {
        if (!typed_same(y, g, first, g, dtype))
            ck_abort_msg("element %zu of %zu", g, found);
        ck_assert_int_eq(((const int64_t *)th_data(t, "count"))[g], count[g]);
    }
    for (size_t i = 0; i < n; i++)
        ck_assert_int_eq(((const int64_t *)th_data(t, "group"))[i], group[i]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_every_pick");
    TCase *tcase = tcase_create("pick");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, gather_operators_take_every_type, 0, COUNT(gathers) * EVERY_TYPE);
    tcase_add_loop_test(tcase, scatter_operators_take_every_type, 0, 10 * BP_DTYPE_END);
    tcase_add_loop_test(tcase, tensor_scatter_takes_every_type, 0, 6 * BP_DTYPE_END);
    tcase_add_loop_test(tcase, one_hot_takes_every_type_of_depth_indices_and_values, 0,
                        12 * BP_DTYPE_END);
    tcase_add_loop_test(tcase, unique_of_microsoft_takes_every_type, 0, 5 * BP_DTYPE_END);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
