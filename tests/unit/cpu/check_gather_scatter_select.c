/* SPDX-License-Identifier: MIT */
/*
 * check_gather_scatter_select.c - operators of the CPU provider that choose elements: TopK, Unique, NonZero,
 * Compress, OneHot and NonMaxSuppression, each against the plainest algorithm.
 */

#include "config.h"

#include "cpu/cpu_case.h"
#include "support/shapes.h"
#include "support/typed.h"

/* ---- TopK ------------------------------------------------------------------------------------ */

/* Does element a come before b? Equal ones come in their order. */
static bool is_better(double a, double b, bool largest)
{
    return largest ? a > b : a < b;
}

START_TEST(top_k_matches_a_sort)
{
    uint64_t seed = (uint64_t)_i;
    uint32_t dtype = typed_all[_i % TYPED_NUMBERS];
    bool largest = random_below(&seed, 2), is_float = _i % TYPED_NUMBERS < 4;
    struct shape x = shape_random(&seed, 1, 3), y = x;
    uint32_t axis = random_below(&seed, x.rank);
    int64_t size, k;
    double *values;
    void *data;

    if (_i % 5 == 0)
        x.dims[axis] = 200 + random_below(&seed, 300); /* long enough to be sorted otherwise */
    size = x.dims[axis];
    k = random_below(&seed, (uint32_t)size + 1);
    y = x;
    y.dims[axis] = k;
    values = elem_random(&seed, shape_count(&x), 100, dtype);
    for (size_t i = 0; i < shape_count(&x); i++)
        values[i] -= is_float || (dtype >= BP_DTYPE_I16 && dtype <= BP_DTYPE_I64) ? 50 : 0;
    data = kept_encode(values, shape_count(&x), dtype);
    th_input(t, "x", dtype, shape_text(&x), data);
    th_const(t, "k", BP_DTYPE_I64, "1", &k);
    th_output(t, "values", dtype, shape_text(&y));
    th_output(t, "indices", BP_DTYPE_I64, shape_text(&y));
    th_node(t, "TopK", is_float && largest && _i % 2 ? 1 : 11, "x k", "values indices");
    th_int(t, "axis", (int64_t)axis - x.rank);
    th_int(t, "largest", largest);
    ck_run();
    for (size_t i = 0; i < shape_count(&y); i++) {
        int64_t index[SHAPE_RANK], from = ((const int64_t *)th_data(t, "indices"))[i], rank,
                                   before = 0;
        double mine;

        shape_index(&y, i, index);
        rank = index[axis];
        ck_assert(from >= 0 && from < size);
        index[axis] = from;
        mine = typed_get(data, dtype, shape_at(&x, index));
        ck_assert(typed_get(th_data(t, "values"), dtype, i) == mine);
        for (int64_t j = 0; j < size; j++) {
            double other;

            index[axis] = j;
            other = typed_get(data, dtype, shape_at(&x, index));
            before += is_better(other, mine, largest) || (other == mine && j < from);
        }
        ck_assert_int_eq(before, rank);
    }
}
END_TEST

START_TEST(top_k_orders_nan_infinity_zeros_and_subnormals)
{
    const float inf = strtof("inf", NULL), nan = strtof("nan", NULL);
    static const int64_t want[2][8] = {{3, 1, 7, 4, 0, 5, 6, 2}, {2, 6, 0, 5, 4, 7, 1, 3}};
    const int64_t *got;

    th_input(t, "x", BP_DTYPE_F32, "8",
             (float[]){0.0f, inf, -inf, nan, 1e-40f, -0.0f, -1e-40f, 3e38f});
    th_const(t, "k", BP_DTYPE_I64, "1", (int64_t[]){8});
    th_output(t, "v", BP_DTYPE_F32, "8");
    th_output(t, "i", BP_DTYPE_I64, "8");
    th_node(t, "TopK", 11, "x k", "v i");
    th_int(t, "largest", _i == 0);
    ck_run();
    got = th_data(t, "i");
    for (int i = 0; i < 8; i++)
        ck_assert_int_eq(got[i], want[_i][i]);
}
END_TEST

START_TEST(top_k_orders_the_whole_range_of_64_bit_integers)
{
    const int64_t *got;

    th_input(t, "x", BP_DTYPE_I64, "4", (int64_t[]){-1, INT64_MAX, INT64_MIN, 0});
    th_input(t, "u", BP_DTYPE_U64, "3", (uint64_t[]){1, UINT64_MAX, UINT64_C(1) << 63});
    th_const(t, "k", BP_DTYPE_I64, "1", (int64_t[]){3});
    th_output(t, "v", BP_DTYPE_I64, "3");
    th_output(t, "i", BP_DTYPE_I64, "3");
    th_output(t, "w", BP_DTYPE_U64, "3");
    th_output(t, "j", BP_DTYPE_I64, "3");
    th_node(t, "TopK", 11, "x k", "v i");
    th_node(t, "TopK", 11, "u k", "w j");
    ck_run();
    got = th_data(t, "i");
    ck_assert(got[0] == 1 && got[1] == 3 && got[2] == 0);
    got = th_data(t, "j");
    ck_assert(got[0] == 1 && got[1] == 2 && got[2] == 0);
}
END_TEST

/* ---- Unique ---------------------------------------------------------------------------------- */

struct items {
    const struct shape *x;
    const double *v;
    int axis; /* -1: elements are items */
    int64_t n;
};

/* Order of items i and j, element by element. */
static int order(const struct items *items, int64_t i, int64_t j)
{
    int64_t index[SHAPE_RANK];

    if (items->axis < 0)
        return (items->v[i] > items->v[j]) - (items->v[i] < items->v[j]);
    for (size_t k = 0; k < shape_count(items->x); k++) {
        double a, b;

        shape_index(items->x, k, index);
        if (index[items->axis] != 0)
            continue;
        index[items->axis] = i;
        a = items->v[shape_at(items->x, index)];
        index[items->axis] = j;
        b = items->v[shape_at(items->x, index)];
        if (a != b)
            return a < b ? -1 : 1;
    }
    return 0;
}

/* How many different items come before item i: in sorted order, or by first occurrence. */
static int64_t rank_of(const struct items *items, int64_t i, bool sorted)
{
    int64_t first = i, rank = 0;

    for (int64_t j = i - 1; j >= 0; j--)
        first = order(items, j, i) == 0 ? j : first;
    for (int64_t j = 0; j < items->n; j++) {
        bool is_first = true;

        for (int64_t k = 0; k < j && is_first; k++)
            is_first = order(items, k, j) != 0;
        rank += is_first && (sorted ? order(items, j, i) < 0 : j < first);
    }
    return rank;
}

START_TEST(unique_matches_its_definition)
{
    uint64_t seed = (uint64_t)_i;
    uint32_t dtype = typed_all[_i % TYPED_ALL];
    struct shape x = shape_random(&seed, 1, 3);
    struct items items = {.x = &x, .axis = (int)random_below(&seed, x.rank + 1) - 1};
    bool sorted = random_below(&seed, 2);
    const int64_t *first, *inverse, *counts;
    size_t n;

    th_allow_alloc(t);
    if (x.dims[0] > 20)
        x.rank = 1;
    if (items.axis >= (int)x.rank)
        items.axis = -1;
    items.n = items.axis < 0 ? (int64_t)shape_count(&x) : x.dims[items.axis];
    items.v = elem_random(&seed, shape_count(&x), items.axis < 0 ? 9 : 2, dtype);
    th_input(t, "x", dtype, shape_text(&x), kept_encode(items.v, shape_count(&x), dtype));
    th_output(t, "y", dtype, NULL);
    th_output(t, "first", BP_DTYPE_I64, NULL);
    th_output(t, "inverse", BP_DTYPE_I64,
              _i % 2 ? NULL : shape_text(&(struct shape){1, {items.n}}));
    th_output(t, "counts", BP_DTYPE_I64, NULL);
    th_node(t, "Unique", dtype == BP_DTYPE_BF16 ? 28 : 11, "x", "y first inverse counts");
    th_int(t, "sorted", sorted);
    if (items.axis >= 0)
        th_int(t, "axis", items.axis - (random_below(&seed, 2) ? (int64_t)x.rank : 0));
    ck_run();
    n = th_count(t, "first");
    first = th_data(t, "first");
    inverse = th_data(t, "inverse");
    counts = th_data(t, "counts");
    ck_assert_uint_eq(th_count(t, "inverse"), (size_t)items.n);
    ck_assert_uint_eq(th_count(t, "counts"), n);
    for (int64_t i = 0; i < items.n; i++)
        ck_assert_int_eq(inverse[i], rank_of(&items, i, sorted));
    for (size_t g = 0; g < n; g++) {
        int64_t count = 0, least = -1;

        for (int64_t i = items.n; i-- > 0;) {
            count += inverse[i] == (int64_t)g;
            least = inverse[i] == (int64_t)g ? i : least;
        }
        ck_assert_int_eq(first[g], least);
        ck_assert_int_eq(counts[g], count);
    }
    if (items.axis >= 0)
        x.dims[items.axis] = (int64_t)n;
    else
        x = (struct shape){1, {(int64_t)n}};
    ck_assert_str_eq(th_dims(t, "y"), shape_text(&x));
    for (size_t i = 0; items.axis < 0 && i < n; i++)
        ck_assert(typed_get(th_data(t, "y"), dtype, i) == items.v[first[i]]);
}
END_TEST

START_TEST(unique_along_an_axis_copies_whole_slices)
{
    const float *y;

    th_allow_alloc(t);
    th_input(t, "x", BP_DTYPE_F32, "2,3,2", (float[]){1, 2, 3, 4, 1, 2, 5, 6, 7, 8, 5, 6});
    th_output(t, "y", BP_DTYPE_F32, NULL);
    th_node(t, "Unique", 11, "x", "y");
    th_int(t, "axis", 1);
    ck_run();
    ck_assert_str_eq(th_dims(t, "y"), "2,2,2");
    y = th_data(t, "y");
    for (int i = 0; i < 8; i++)
        ck_assert(y[i] == (float)(i + 1));
}
END_TEST

/* ---- NonZero, Compress ----------------------------------------------------------------------- */

START_TEST(non_zero_lists_the_indices_of_nonzero_elements)
{
    uint64_t seed = (uint64_t)_i;
    uint32_t dtype = typed_all[_i % TYPED_ALL];
    struct shape x = shape_random(&seed, 0, 4);
    double *values = elem_random(&seed, shape_count(&x), 2, dtype);
    size_t found = 0, at = 0;
    const int64_t *y;

    th_allow_alloc(t);
    if (_i % 7 == 6 && x.rank > 0)
        x.dims[random_below(&seed, x.rank)] = 0;
    for (size_t i = 0; i < shape_count(&x); i++)
        found += values[i] != 0;
    th_input(t, "x", dtype, shape_text(&x), kept_encode(values, shape_count(&x), dtype));
    th_output(t, "y", BP_DTYPE_I64, NULL);
    th_node(t, "NonZero", 13, "x", "y");
    ck_run();
    ck_assert_str_eq(th_dims(t, "y"), shape_text(&(struct shape){2, {x.rank, (int64_t)found}}));
    y = th_data(t, "y");
    for (size_t i = 0; i < shape_count(&x); i++) {
        int64_t index[SHAPE_RANK];

        shape_index(&x, i, index);
        for (uint32_t d = 0; values[i] != 0 && d < x.rank; d++)
            ck_assert_int_eq(y[d * found + at], index[d]);
        at += values[i] != 0;
    }
}
END_TEST

START_TEST(non_zero_counts_minus_zero_as_zero)
{
    th_allow_alloc(t);
    th_input(t, "x", BP_DTYPE_F32, "3", (float[]){-0.0f, 0, strtof("nan", NULL)});
    th_input(t, "h", BP_DTYPE_F16, "2", (uint16_t[]){0x8000, 1});
    th_output(t, "y", BP_DTYPE_I64, NULL);
    th_output(t, "z", BP_DTYPE_I64, NULL);
    th_node(t, "NonZero", 13, "x", "y");
    th_node(t, "NonZero", 13, "h", "z");
    ck_run();
    ck_assert_str_eq(th_dims(t, "y"), "1,1");
    ck_assert_int_eq(*(const int64_t *)th_data(t, "y"), 2);
    ck_assert_int_eq(*(const int64_t *)th_data(t, "z"), 1);
}
END_TEST

START_TEST(compress_keeps_the_selected_slices)
{
    uint64_t seed = (uint64_t)_i;
    uint32_t dtype = typed_all[_i % TYPED_ALL];
    struct shape x = shape_random(&seed, 1, 4), y = x;
    int axis = (int)random_below(&seed, x.rank + 1) - 1;
    int64_t size = axis < 0 ? (int64_t)shape_count(&x) : x.dims[axis];
    int64_t n = size - random_below(&seed, (uint32_t)(size < 3 ? size + 1 : 3)), found = 0;
    double *values = elem_random(&seed, shape_count(&x), 9, dtype);
    double *wanted = elem_random(&seed, (size_t)n, 2, BP_DTYPE_BOOL), *want;
    size_t at = 0;

    th_allow_alloc(t);
    for (int64_t i = 0; i < n; i++)
        found += wanted[i] != 0;
    if (axis < 0)
        y = (struct shape){1, {found}};
    else
        y.dims[axis] = found;
    want = kept_zeros(shape_count(&y) + 1, sizeof *want);
    for (size_t i = 0; i < shape_count(&x); i++) {
        int64_t index[SHAPE_RANK], k;

        shape_index(&x, i, index);
        k = axis < 0 ? (int64_t)i : index[axis];
        if (k < n && wanted[k] != 0)
            want[at++] = values[i];
    }
    th_input(t, "x", dtype, shape_text(&x), kept_encode(values, shape_count(&x), dtype));
    th_input(t, "c", BP_DTYPE_BOOL, shape_text(&(struct shape){1, {n}}),
             kept_encode(wanted, (size_t)n, BP_DTYPE_BOOL));
    th_output(t, "y", dtype, NULL);
    th_node(t, "Compress", dtype == BP_DTYPE_BF16 ? 28 : 11, "x c", "y");
    if (axis >= 0)
        th_int(t, "axis", axis - (random_below(&seed, 2) ? (int64_t)x.rank : 0));
    ck_run();
    ck_assert_str_eq(th_dims(t, "y"), shape_text(&y));
    elem_compare(th_data(t, "y"), want, at, dtype);
}
END_TEST

START_TEST(compress_rejects_a_condition_longer_than_the_axis)
{
    th_allow_alloc(t);
    th_input(t, "x", BP_DTYPE_F32, "2", (float[]){1, 2});
    th_input(t, "c", BP_DTYPE_BOOL, "3", (uint8_t[]){1, 0, 1});
    th_output(t, "y", BP_DTYPE_F32, NULL);
    th_node(t, "Compress", 11, "x c", "y");
    ck_assert_int_eq(th_run(t), BP_E_INVALID);
    ck_assert_ptr_nonnull(strstr(th_message(t), "condition"));
}
END_TEST

/* ---- OneHot ---------------------------------------------------------------------------------- */

START_TEST(one_hot_matches_its_definition)
{
    uint64_t seed = (uint64_t)_i;
    uint32_t dtype = typed_all[_i % TYPED_ALL], from = typed_all[_i / 5 % TYPED_NUMBERS];
    bool is_signed =
        from != BP_DTYPE_U8 && from != BP_DTYPE_U16 && from != BP_DTYPE_U32 && from != BP_DTYPE_U64;
    struct shape x = shape_random(&seed, 0, 4), y = {.rank = x.rank + 1};
    uint32_t axis = random_below(&seed, y.rank), next = 0;
    int64_t depth = random_below(&seed, 7);
    double *at = elem_random(&seed, shape_count(&x), 9, from), *want;
    const double pair[2] = {dtype == BP_DTYPE_BOOL ? 0 : 3, 1};

    for (size_t i = 0; i < shape_count(&x); i++)
        at[i] -= is_signed && random_below(&seed, 2) ? 9 : 0;
    for (uint32_t d = 0; d < y.rank; d++)
        y.dims[d] = d == axis ? depth : x.dims[next++];
    want = kept_zeros(shape_count(&y) + 1, sizeof *want);
    for (size_t i = 0; i < shape_count(&y); i++) {
        int64_t index[SHAPE_RANK], place;
        double there;

        shape_index(&y, i, index);
        place = index[axis];
        for (uint32_t d = axis; d + 1 < y.rank; d++)
            index[d] = index[d + 1];
        there = at[shape_at(&x, index)];
        want[i] = pair[there == (double)place || there + (double)depth == (double)place];
    }
    th_input(t, "x", from, shape_text(&x), kept_encode(at, shape_count(&x), from));
    th_const(t, "depth", BP_DTYPE_I64, "", &depth);
    th_input(t, "pair", dtype, "2", kept_encode(pair, 2, dtype));
    th_output(t, "y", dtype, shape_text(&y));
    th_node(t, "OneHot", dtype == BP_DTYPE_BF16 ? 28 : 11, "x depth pair", "y");
    th_int(t, "axis", (int64_t)axis - (random_below(&seed, 2) ? (int64_t)y.rank : 0));
    ck_run();
    elem_compare(th_data(t, "y"), want, shape_count(&y), dtype);
}
END_TEST

START_TEST(one_hot_ignores_uint64_indices_beyond_the_depth)
{
    const uint8_t *y;

    th_input(t, "x", BP_DTYPE_U64, "2", (uint64_t[]){UINT64_MAX, 1});
    th_const(t, "depth", BP_DTYPE_I64, "", (int64_t[]){2});
    th_input(t, "pair", BP_DTYPE_U8, "2", (uint8_t[]){7, 9});
    th_output(t, "y", BP_DTYPE_U8, "2,2");
    th_node(t, "OneHot", 11, "x depth pair", "y");
    ck_run();
    y = th_data(t, "y");
    ck_assert(y[0] == 7 && y[1] == 7 && y[2] == 7 && y[3] == 9);
}
END_TEST

/* ---- NonMaxSuppression ----------------------------------------------------------------------- */

/* Area that two boxes of y1, x1, y2, x2 share, as part of what they cover. */
static double shared(const float *a, const float *b)
{
    double side[2], size[2] = {1, 1}, common;

    for (int d = 0; d < 2; d++) {
        double low = (double)(a[d] > b[d] ? a[d] : b[d]);
        double high = (double)(a[d + 2] < b[d + 2] ? a[d + 2] : b[d + 2]);

        side[d] = high > low ? high - low : 0;
        size[0] *= (double)(a[d + 2] - a[d]);
        size[1] *= (double)(b[d + 2] - b[d]);
    }
    common = side[0] * side[1];
    return common / (size[0] + size[1] - common);
}

/* Chooses boxes of one class, as the text has it; returns how many rows are written. */
static int64_t choose(const float *boxes, const float *scores, int64_t n, int64_t most,
                      int64_t image, int64_t class, int64_t *rows)
{
    bool is_gone[64] = {false};
    int64_t found = 0;

    while (found < most) {
        int64_t best = -1;

        for (int64_t i = 0; i < n; i++) {
            if (!is_gone[i] && scores[i] > 0.2f && (best < 0 || scores[i] > scores[best]))
                best = i;
        }
        if (best < 0)
            break;
        for (int64_t i = 0; i < n; i++)
            is_gone[i] = is_gone[i] || shared(boxes + 4 * i, boxes + 4 * best) > 0.375;
        is_gone[best] = true;
        rows[3 * found] = image;
        rows[3 * found + 1] = class;
        rows[3 * found++ + 2] = best;
    }
    return found;
}

START_TEST(non_max_suppression_matches_its_definition)
{
    enum { IMAGES = 2, CLASSES = 3, BOXES = 40 };
    uint64_t seed = (uint64_t)_i;
    float boxes[IMAGES * BOXES * 4], given[IMAGES * BOXES * 4], scores[IMAGES * CLASSES * BOXES];
    int64_t rows[IMAGES * CLASSES * BOXES * 3], n = 0, most = 1 + random_below(&seed, 12);
    const float limits[2] = {0.375f, 0.2f};
    bool by_center = _i % 2;

    th_allow_alloc(t);
    for (int i = 0; i < IMAGES * BOXES; i++) {
        float *box = boxes + 4 * i;

        for (int d = 0; d < 2; d++) {
            box[d] = (float)random_below(&seed, 8);
            box[d + 2] = box[d] + (float)random_below(&seed, 4) * 2 + 2;
        }
        for (int d = 0; d < 2; d++) { /* any two corners will do */
            int flip = random_below(&seed, 2) ? 2 : 0;

            given[4 * i + d + flip] = by_center ? 0 : box[d];
            given[4 * i + d + 2 - flip] = by_center ? 0 : box[d + 2];
        }
        for (int d = 0; by_center && d < 2; d++) {
            given[4 * i + d] = (box[d] + box[d + 2]) / 2;
            given[4 * i + d + 2] = box[d + 2] - box[d];
        }
    }
    for (int i = 0; i < IMAGES * CLASSES * BOXES; i++)
        scores[i] = (float)random_below(&seed, 30) / 32;
    for (int i = 0; i < IMAGES * CLASSES; i++)
        n += choose(boxes + i / CLASSES * BOXES * 4, scores + i * BOXES, BOXES, most, i / CLASSES,
                    i % CLASSES, rows + 3 * n);
    th_input(t, "boxes", BP_DTYPE_F32, "2,40,4", given);
    th_input(t, "scores", BP_DTYPE_F32, "2,3,40", scores);
    th_input(t, "most", BP_DTYPE_I64, "1", &most);
    th_input(t, "overlap", BP_DTYPE_F32, "1", &limits[0]);
    th_input(t, "score", BP_DTYPE_F32, "1", &limits[1]);
    th_output(t, "y", BP_DTYPE_I64, NULL);
    th_node(t, "NonMaxSuppression", 11, "boxes scores most overlap score", "y");
    th_int(t, "center_point_box", by_center);
    ck_run();
    ck_assert_str_eq(th_dims(t, "y"), shape_text(&(struct shape){2, {n, 3}}));
    for (int64_t i = 0; i < 3 * n; i++)
        ck_assert_int_eq(((const int64_t *)th_data(t, "y"))[i], rows[i]);
}
END_TEST

START_TEST(non_max_suppression_selects_no_box_by_default)
{
    th_allow_alloc(t);
    th_input(t, "boxes", BP_DTYPE_F32, "1,1,4", (float[]){0, 0, 1, 1});
    th_input(t, "scores", BP_DTYPE_F32, "1,1,1", (float[]){1});
    th_output(t, "y", BP_DTYPE_I64, NULL);
    th_node(t, "NonMaxSuppression", 11, "boxes scores", "y");
    ck_run();
    ck_assert_str_eq(th_dims(t, "y"), "0,3");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_choose");
    TCase *tcase = tcase_create("choose");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, top_k_matches_a_sort, 0, 15 * TYPED_NUMBERS);
    tcase_add_loop_test(tcase, top_k_orders_nan_infinity_zeros_and_subnormals, 0, 2);
    tcase_add_test(tcase, top_k_orders_the_whole_range_of_64_bit_integers);
    tcase_add_loop_test(tcase, unique_matches_its_definition, 0, 8 * TYPED_ALL);
    tcase_add_test(tcase, unique_along_an_axis_copies_whole_slices);
    tcase_add_loop_test(tcase, non_zero_lists_the_indices_of_nonzero_elements, 0, 5 * TYPED_ALL);
    tcase_add_test(tcase, non_zero_counts_minus_zero_as_zero);
    tcase_add_loop_test(tcase, compress_keeps_the_selected_slices, 0, 5 * TYPED_ALL);
    tcase_add_test(tcase, compress_rejects_a_condition_longer_than_the_axis);
    tcase_add_loop_test(tcase, one_hot_matches_its_definition, 0, 12 * TYPED_ALL);
    tcase_add_test(tcase, one_hot_ignores_uint64_indices_beyond_the_depth);
    tcase_add_loop_test(tcase, non_max_suppression_matches_its_definition, 0, 20);
    tcase_add_test(tcase, non_max_suppression_selects_no_box_by_default);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
