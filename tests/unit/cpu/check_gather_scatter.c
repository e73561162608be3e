/* SPDX-License-Identifier: MIT */
/*
 * check_gather_scatter.c - operators of the CPU provider that read and write elements where indices say:
 * each against a loop that finds every place on its own, at every type.
 */

#include "config.h"

#include "cpu/cpu_case.h"
#include "support/shapes.h"
#include "support/typed.h"

static const char *const reductions[] = {"none", "add", "mul", "max", "min"};

/* What a place has after an update of it. */
static double combined(int how, uint32_t dtype, double old, double new)
{
    double v = how == 0   ? new
               : how == 1 ? old + new
               : how == 2 ? old *new
               : how == 3 ? (old > new ? old : new)
                          : (old < new ? old : new);

    return dtype == BP_DTYPE_BOOL ? v != 0 : v;
}

static bool can_combine(int how, uint32_t dtype)
{
    if (dtype == BP_DTYPE_STRING)
        return how == 0;
    return how < 3 || (dtype != BP_DTYPE_C64 && dtype != BP_DTYPE_C128);
}

/* Indices of an axis of `size`, some counted from the end. */
static double *random_indices(uint64_t *seed, size_t n, int64_t size)
{
    double *v = elem_random(seed, n, (uint32_t)size, BP_DTYPE_I64);

    for (size_t i = 0; i < n; i++)
        v[i] -= random_below(seed, 2) ? (double)size : 0;
    return v;
}

/* ---- element by element ---------------------------------------------------------------------- */

struct elements {
    struct shape data, indices;
    uint32_t axis, dtype, index_dtype;
    size_t n_data, n;
    double *values, *at;
};

/* Inputs "data" and "indices" of _i: types one after the other, sizes at random. */
static struct elements make_elements(uint64_t *seed, int i, bool unequal)
{
    struct elements e = {.dtype = typed_all[i % TYPED_ALL]};

    e.data = shape_random(seed, 1, 4);
    e.axis = random_below(seed, e.data.rank);
    e.indices = e.data;
    for (uint32_t d = 0; unequal && d < e.data.rank; d++)
        e.indices.dims[d] = 1 + random_below(seed, (uint32_t)e.data.dims[d]);
    e.indices.dims[e.axis] = random_below(seed, 6);
    e.index_dtype = i / TYPED_ALL % 2 ? BP_DTYPE_I32 : BP_DTYPE_I64;
    e.n_data = shape_count(&e.data);
    e.n = shape_count(&e.indices);
    e.values = elem_random(seed, e.n_data, 3, e.dtype);
    e.at = random_indices(seed, e.n, e.data.dims[e.axis]);
    th_input(t, "data", e.dtype, shape_text(&e.data), kept_encode(e.values, e.n_data, e.dtype));
    th_input(t, "indices", e.index_dtype, shape_text(&e.indices),
             kept_encode(e.at, e.n, e.index_dtype));
    return e;
}

/* Place in the data that index i leads to. */
static size_t place(const struct elements *e, size_t i)
{
    int64_t index[SHAPE_RANK], size = e->data.dims[e->axis];

    shape_index(&e->indices, i, index);
    index[e->axis] = (int64_t)e->at[i] + (e->at[i] < 0 ? size : 0);
    return shape_at(&e->data, index);
}

START_TEST(gather_elements_matches_its_definition)
{
    uint64_t seed = (uint64_t)_i;
    struct elements e = make_elements(&seed, _i, true);
    double *want = kept_zeros(e.n + 1, sizeof *want);

    for (size_t i = 0; i < e.n; i++)
        want[i] = e.values[place(&e, i)];
    th_output(t, "y", e.dtype, shape_text(&e.indices));
    th_node(t, "GatherElements", 13, "data indices", "y");
    th_int(t, "axis", random_below(&seed, 2) ? e.axis : (int64_t)e.axis - e.data.rank);
    ck_run();
    elem_compare(th_data(t, "y"), want, e.n, e.dtype);
}
END_TEST

START_TEST(scatter_elements_matches_its_definition)
{
    uint64_t seed = (uint64_t)_i;
    int how = _i / TYPED_ALL % 5;
    struct elements e = make_elements(&seed, _i, true);
    double *updates = elem_random(&seed, e.n, 3, e.dtype);

    for (size_t i = 0; i < e.n; i++)
        e.values[place(&e, i)] = combined(how, e.dtype, e.values[place(&e, i)], updates[i]);
    th_input(t, "updates", e.dtype, shape_text(&e.indices), kept_encode(updates, e.n, e.dtype));
    th_output(t, "y", e.dtype, shape_text(&e.data));
    th_node(t,
            how      ? "ScatterElements"
            : _i % 2 ? "Scatter"
                     : "ScatterElements",
            how ? 18 : 11, "data indices updates", "y");
    th_int(t, "axis", e.axis);
    if (how)
        th_string(t, "reduction", reductions[how]);
    if (!can_combine(how, e.dtype)) {
        ck_assert_int_eq(th_claim(t), BP_E_UNSUPPORTED);
        ck_assert_uint_eq(th_reason(t), BP_R_DTYPE);
        return;
    }
    ck_run();
    elem_compare(th_data(t, "y"), e.values, e.n_data, e.dtype);
}
END_TEST

/* Enough for several threads, with many updates of one place. */
START_TEST(scatter_elements_applies_many_updates_in_order)
{
    enum { ROWS = 300, COLUMNS = 333 };
    uint64_t seed = 5;
    int64_t axis = _i;
    size_t n = ROWS * COLUMNS;
    double *values = elem_random(&seed, n, 9, BP_DTYPE_F32);
    double *updates = elem_random(&seed, n, 9, BP_DTYPE_F32);
    double *at = elem_random(&seed, n, 4, BP_DTYPE_I64);

    th_input(t, "data", BP_DTYPE_F32, "300,333", kept_encode(values, n, BP_DTYPE_F32));
    th_input(t, "indices", BP_DTYPE_I64, "300,333", kept_encode(at, n, BP_DTYPE_I64));
    th_input(t, "updates", BP_DTYPE_F32, "300,333", kept_encode(updates, n, BP_DTYPE_F32));
    th_output(t, "y", BP_DTYPE_F32, "300,333");
    th_node(t, "ScatterElements", 13, "data indices updates", "y");
    th_int(t, "axis", axis);
    ck_run();
    for (size_t i = 0; i < n; i++)
        values[axis == 0 ? (size_t)at[i] * COLUMNS + i % COLUMNS
                         : i / COLUMNS * COLUMNS + (size_t)at[i]] = updates[i];
    elem_compare(th_data(t, "y"), values, n, BP_DTYPE_F32);
}
END_TEST

START_TEST(gather_and_scatter_reject_an_index_out_of_range)
{
    static const char *const ops[] = {"GatherElements", "ScatterElements", "GatherND", "ScatterND"};
    bool scatters = _i % 2, is_nd = _i % 4 >= 2;

    th_input(t, "data", BP_DTYPE_F32, "3", (float[]){1, 2, 3});
    th_input(t, "indices", BP_DTYPE_I64, is_nd ? "2,1" : "2", (int64_t[]){0, _i < 4 ? 3 : -4});
    th_input(t, "updates", BP_DTYPE_F32, "2", (float[]){1, 2});
    th_output(t, "y", BP_DTYPE_F32, scatters ? "3" : "2");
    th_node(t, ops[_i % 4], 13, scatters ? "data indices updates" : "data indices", "y");
    ck_assert_int_eq(th_run(t), BP_E_INVALID);
    ck_assert_ptr_nonnull(strstr(th_message(t), "ind"));
    ck_assert_ptr_nonnull(strstr(th_message(t), _i < 4 ? "3" : "-4"));
}
END_TEST

/* ---- slice by slice -------------------------------------------------------------------------- */

struct slices {
    struct shape data, indices, updates;
    uint32_t batch, depth, dtype;
    size_t n_data, n, inner; /* n: tuples */
    double *values, *at;
};

static struct slices make_slices(uint64_t *seed, int i, bool with_batch)
{
    struct slices s = {.dtype = typed_all[i % TYPED_ALL]};

    s.data = shape_random(seed, 1, 4);
    s.batch = with_batch ? random_below(seed, s.data.rank) : 0;
    s.depth = 1 + random_below(seed, s.data.rank - s.batch);
    for (uint32_t d = 0; d < s.batch; d++)
        s.indices.dims[s.indices.rank++] = s.data.dims[d];
    while (s.indices.rank < s.batch + 2 && random_below(seed, 3))
        s.indices.dims[s.indices.rank++] = random_below(seed, 5);
    s.updates = s.indices;
    s.n = shape_count(&s.indices);
    s.indices.dims[s.indices.rank++] = s.depth;
    for (uint32_t d = s.batch + s.depth; d < s.data.rank; d++)
        s.updates.dims[s.updates.rank++] = s.data.dims[d];
    s.n_data = shape_count(&s.data);
    s.inner =
        (size_t)bp_dims_count(s.data.dims + s.batch + s.depth, s.data.rank - s.batch - s.depth);
    s.values = elem_random(seed, s.n_data, 3, s.dtype);
    s.at = kept_zeros(s.n * s.depth + 1, sizeof *s.at);
    for (size_t k = 0; k < s.n * s.depth; k++) {
        int64_t size = s.data.dims[s.batch + k % s.depth];

        s.at[k] = random_below(seed, (uint32_t)size) - (random_below(seed, 2) ? (double)size : 0);
    }
    th_input(t, "data", s.dtype, shape_text(&s.data), kept_encode(s.values, s.n_data, s.dtype));
    th_input(t, "indices", BP_DTYPE_I64, shape_text(&s.indices),
             kept_encode(s.at, s.n * s.depth, BP_DTYPE_I64));
    return s;
}

/* First element of the slice that tuple i names. */
static size_t slice_at(const struct slices *s, size_t i)
{
    size_t batches = (size_t)bp_dims_count(s->data.dims, s->batch);
    size_t at = i / (s->n / batches);

    for (uint32_t d = 0; d < s->depth; d++) {
        int64_t size = s->data.dims[s->batch + d], index = (int64_t)s->at[i * s->depth + d];

        at = at * (size_t)size + (size_t)(index < 0 ? index + size : index);
    }
    return at * s->inner;
}

START_TEST(gather_nd_matches_its_definition)
{
    uint64_t seed = (uint64_t)_i;
    struct slices s = make_slices(&seed, _i, true);
    double *want = kept_zeros(s.n * s.inner + 1, sizeof *want);

    for (size_t i = 0; i < s.n * s.inner; i++)
        want[i] = s.values[slice_at(&s, i / s.inner) + i % s.inner];
    th_output(t, "y", s.dtype, shape_text(&s.updates));
    th_node(t, "GatherND", 13, "data indices", "y");
    th_int(t, "batch_dims", s.batch);
    ck_run();
    elem_compare(th_data(t, "y"), want, s.n * s.inner, s.dtype);
}
END_TEST

START_TEST(scatter_nd_matches_its_definition)
{
    uint64_t seed = (uint64_t)_i;
    int how = _i / TYPED_ALL % 5;
    struct slices s = make_slices(&seed, _i, false);
    double *updates = elem_random(&seed, s.n * s.inner, 3, s.dtype);

    for (size_t i = 0; i < s.n * s.inner; i++) {
        double *to = &s.values[slice_at(&s, i / s.inner) + i % s.inner];

        *to = combined(how, s.dtype, *to, updates[i]);
    }
    th_input(t, "updates", s.dtype, shape_text(&s.updates),
             kept_encode(updates, s.n * s.inner, s.dtype));
    th_output(t, "y", s.dtype, shape_text(&s.data));
    th_node(t, "ScatterND", how ? 18 : 11, "data indices updates", "y");
    if (how)
        th_string(t, "reduction", reductions[how]);
    if (!can_combine(how, s.dtype)) {
        ck_assert_int_eq(th_claim(t), BP_E_UNSUPPORTED);
        return;
    }
    ck_run();
    elem_compare(th_data(t, "y"), s.values, s.n_data, s.dtype);
}
END_TEST

START_TEST(scatter_elements_with_max_propagates_nan)
{
    const float *y, nan = strtof("nan", NULL);

    th_input(t, "data", BP_DTYPE_F32, "3", (float[]){1, nan, 3});
    th_input(t, "indices", BP_DTYPE_I64, "2,1", (int64_t[]){0, 1});
    th_input(t, "updates", BP_DTYPE_F32, "2", (float[]){nan, 2});
    th_output(t, "y", BP_DTYPE_F32, "3");
    th_node(t, "ScatterND", 18, "data indices updates", "y");
    th_string(t, "reduction", _i ? "max" : "min");
    ck_run();
    y = th_data(t, "y");
    ck_assert(y[0] != y[0] && y[1] != y[1] && y[2] == 3);
}
END_TEST

/* ---- TensorScatter --------------------------------------------------------------------------- */

START_TEST(tensor_scatter_writes_updates_into_a_cache)
{
    uint64_t seed = (uint64_t)_i;
    uint32_t dtype = typed_all[_i % TYPED_ALL];
    bool circular = _i / TYPED_ALL % 2, with_indices = random_below(&seed, 4);
    struct shape cache = shape_random(&seed, 2, 4), update = cache;
    uint32_t axis = 1 + random_below(&seed, cache.rank - 1);
    int64_t size = cache.dims[axis], index[SHAPE_RANK], write_indices[64] = {0};
    double *values, *updates;

    update.dims[axis] = random_below(&seed, (uint32_t)size + 1);
    for (int64_t b = 0; with_indices && b < cache.dims[0]; b++)
        write_indices[b] = circular ? random_below(&seed, 3 * (uint32_t)size)
                                    : random_below(&seed, (uint32_t)(size - update.dims[axis]) + 1);
    values = elem_random(&seed, shape_count(&cache), 9, dtype);
    updates = elem_random(&seed, shape_count(&update), 9, dtype);
    th_input(t, "cache", dtype, shape_text(&cache),
             kept_encode(values, shape_count(&cache), dtype));
    th_input(t, "update", dtype, shape_text(&update),
             kept_encode(updates, shape_count(&update), dtype));
    th_input(t, "write_indices", BP_DTYPE_I64, shape_text(&(struct shape){1, {cache.dims[0]}}),
             write_indices);
    th_output(t, "y", dtype, shape_text(&cache));
    th_node(t, "TensorScatter", 24, with_indices ? "cache update write_indices" : "cache update",
            "y");
    th_int(t, "axis", (int64_t)axis - cache.rank);
    if (circular)
        th_string(t, "mode", "circular");
    ck_run();
    for (size_t i = 0; i < shape_count(&update); i++) {
        shape_index(&update, i, index);
        index[axis] = (write_indices[index[0]] + index[axis]) % size;
        values[shape_at(&cache, index)] = updates[i];
    }
    elem_compare(th_data(t, "y"), values, shape_count(&cache), dtype);
}
END_TEST

static uint8_t nibble(const uint8_t *bytes, size_t i)
{
    uint32_t byte = bytes[i / 2];

    return (uint8_t)(byte >> i % 2 * 4 & 15);
}

/* Three entries of 1 element written from entry 1 on, in each of two batches of 5. */
START_TEST(tensor_scatter_writes_4_bit_elements_into_a_cache)
{
    static const uint32_t types[] = {BP_DTYPE_U4, BP_DTYPE_I4, BP_DTYPE_F4E2M1};
    const uint8_t cache[5] = {0x21, 0x43, 0x65, 0x87, 0xa9}, update[3] = {0xcb, 0xed, 0x1f};
    const uint8_t *y;

    th_input(t, "cache", types[_i], "2,5,1", cache);
    th_input(t, "update", types[_i], "2,3,1", update);
    th_input(t, "write_indices", BP_DTYPE_I64, "2", (int64_t[]){1, 1});
    th_output(t, "y", types[_i], "2,5,1");
    th_node(t, "TensorScatter", 24, "cache update write_indices", "y");
    ck_run();
    y = th_data(t, "y");
    for (size_t i = 0; i < 10; i++) {
        size_t at = i % 5;
        bool is_new = at >= 1 && at < 4;

        ck_assert_uint_eq(nibble(y, i),
                          is_new ? nibble(update, i / 5 * 3 + at - 1) : nibble(cache, i));
    }
}
END_TEST

START_TEST(tensor_scatter_rejects_writes_outside_the_cache)
{
    th_input(t, "cache", BP_DTYPE_F32, "1,4,1", (float[4]){0});
    th_input(t, "update", BP_DTYPE_F32, "1,2,1", (float[2]){0});
    th_input(t, "write_indices", BP_DTYPE_I64, "1", (int64_t[]){_i ? -1 : 3});
    th_output(t, "y", BP_DTYPE_F32, "1,4,1");
    th_node(t, "TensorScatter", 24, "cache update write_indices", "y");
    ck_assert_int_eq(th_run(t), BP_E_INVALID);
    ck_assert_ptr_nonnull(strstr(th_message(t), "write_indices"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_index");
    TCase *tcase = tcase_create("index");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, gather_elements_matches_its_definition, 0, 8 * TYPED_ALL);
    tcase_add_loop_test(tcase, scatter_elements_matches_its_definition, 0, 20 * TYPED_ALL);
    tcase_add_loop_test(tcase, scatter_elements_applies_many_updates_in_order, 0, 2);
    tcase_add_loop_test(tcase, gather_and_scatter_reject_an_index_out_of_range, 0, 8);
    tcase_add_loop_test(tcase, gather_nd_matches_its_definition, 0, 8 * TYPED_ALL);
    tcase_add_loop_test(tcase, scatter_nd_matches_its_definition, 0, 20 * TYPED_ALL);
    tcase_add_loop_test(tcase, scatter_elements_with_max_propagates_nan, 0, 2);
    tcase_add_loop_test(tcase, tensor_scatter_writes_updates_into_a_cache, 0, 10 * TYPED_ALL);
    tcase_add_loop_test(tcase, tensor_scatter_writes_4_bit_elements_into_a_cache, 0, 3);
    tcase_add_loop_test(tcase, tensor_scatter_rejects_writes_outside_the_cache, 0, 2);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
