/* SPDX-License-Identifier: MIT */
/*
 * check_tensor_move.c - operators of the CPU provider that move elements: each against a loop that
 * finds every output element's source on its own.
 */

#include "config.h"

#include <check.h>
#include <stdbool.h>
#include <stdlib.h>

#include "cpu/cpu_case.h"
#include "support/random.h"

enum { MAX_RANK = 5, MAX_BYTES = 16 };

/* ---- shapes and elements --------------------------------------------------------------------- */

struct shape {
    uint32_t rank;
    int64_t dims[MAX_RANK];
};

static const char *text_of(const struct shape *shape)
{
    static char text[4][96];
    static int next;
    char *at = text[next = (next + 1) % 4];

    *at = '\0';
    for (uint32_t d = 0; d < shape->rank; d++)
        at += sprintf(at, "%s%lld", d ? "," : "", (long long)shape->dims[d]);
    return text[next];
}

static size_t count_of(const struct shape *shape)
{
    return (size_t)bp_dims_count(shape->dims, shape->rank);
}

static struct shape random_shape(uint64_t *seed, uint32_t least_rank, bool with_empty)
{
    struct shape shape = {.rank = least_rank + random_below(seed, MAX_RANK + 1 - least_rank)};
    uint32_t most = shape.rank > 3 ? 4 : random_below(seed, 6) ? 7 : 40;

    for (uint32_t d = 0; d < shape.rank; d++)
        shape.dims[d] =
            with_empty && random_below(seed, 25) == 0 ? 0 : 1 + random_below(seed, most);
    return shape;
}

/* Index along every dimension of element i. */
static void indices_of(const struct shape *shape, size_t i, int64_t *index)
{
    for (uint32_t d = shape->rank; d-- > 0;) {
        index[d] = (int64_t)(i % (size_t)shape->dims[d]);
        i /= (size_t)shape->dims[d];
    }
}

static size_t element_at(const struct shape *shape, const int64_t *index)
{
    size_t at = 0;

    for (uint32_t d = 0; d < shape->rank; d++)
        at = at * (size_t)shape->dims[d] + (size_t)index[d];
    return at;
}

static const struct {
    uint32_t dtype;
    size_t width;
} types[] = {{BP_DTYPE_F32, 4}, {BP_DTYPE_U8, 1},    {BP_DTYPE_F16, 2},
             {BP_DTYPE_I64, 8}, {BP_DTYPE_C128, 16}, {BP_DTYPE_BOOL, 1}};

/* n elements, all different as far as their width allows. */
static uint8_t *numbered(size_t n, size_t width)
{
    uint8_t *data = calloc(n + 1, width);

    ck_assert_ptr_nonnull(data);
    for (size_t i = 0; i < n; i++) {
        uint32_t number = (uint32_t)i + 1;

        memcpy(data + i * width, &number, width < 4 ? width : 4);
    }
    return data;
}

static void ck_element(const uint8_t *got, const uint8_t *want, size_t width, size_t i)
{
    if (memcmp(got, want, width) != 0)
        ck_abort_msg("element %zu is number %u, not %u", i, got[0] + 256u * got[width > 1],
                     want[0] + 256u * want[width > 1]);
}

/* ---- Transpose, Slice, Expand, Tile ---------------------------------------------------------- */

START_TEST(transpose_matches_its_definition)
{
    uint64_t seed = (uint64_t)_i;
    size_t width = types[_i % 6].width;
    struct shape x = random_shape(&seed, 0, true), y = {.rank = x.rank};
    int64_t perm[MAX_RANK];
    uint8_t *data = numbered(count_of(&x), width);
    const uint8_t *got;

    for (uint32_t d = 0; d < x.rank; d++)
        perm[d] = d;
    for (uint32_t d = x.rank; d > 1; d--) {
        uint32_t other = random_below(&seed, d);
        int64_t saved = perm[other];

        perm[other] = perm[d - 1];
        perm[d - 1] = saved;
    }
    for (uint32_t d = 0; d < x.rank; d++)
        y.dims[d] = x.dims[perm[d]];
    th_input(t, "x", types[_i % 6].dtype, text_of(&x), data);
    th_output(t, "y", types[_i % 6].dtype, text_of(&y));
    th_node(t, "Transpose", 13, "x", "y");
    th_ints(t, "perm", x.rank, perm);
    ck_run();
    got = th_data(t, "y");
    for (size_t i = 0; i < count_of(&y); i++) {
        int64_t index[MAX_RANK], from[MAX_RANK];

        indices_of(&y, i, index);
        for (uint32_t d = 0; d < x.rank; d++)
            from[perm[d]] = index[d];
        ck_element(got + i * width, data + element_at(&x, from) * width, width, i);
    }
    free(data);
}
END_TEST

START_TEST(transpose_of_large_matrices_matches_its_definition)
{
    static const struct {
        const char *x, *y;
        uint32_t n, rows, columns; /* n matrices of rows x columns */
    } shapes[] = {{"1,333,217", "1,217,333", 1, 333, 217},
                  {"7,100,65", "7,65,100", 7, 100, 65},
                  {"3,5000,4", "3,4,5000", 3, 5000, 4},
                  {"3,4,5000", "3,5000,4", 3, 4, 5000}};
    size_t width = types[_i % 6].width;
    size_t rows = shapes[_i / 6].rows, columns = shapes[_i / 6].columns;
    size_t n = shapes[_i / 6].n * rows * columns;
    uint8_t *data = numbered(n, width);
    const uint8_t *got;

    th_input(t, "x", types[_i % 6].dtype, shapes[_i / 6].x, data);
    th_output(t, "y", types[_i % 6].dtype, shapes[_i / 6].y);
    th_node(t, "Transpose", 13, "x", "y");
    th_ints(t, "perm", 3, (int64_t[]){0, 2, 1});
    ck_run();
    got = th_data(t, "y");
    for (size_t i = 0; i < n; i++) {
        size_t row = i % rows, column = i / rows % columns, matrix = i / (rows * columns);

        ck_element(got + i * width, data + ((matrix * rows + row) * columns + column) * width,
                   width, i);
    }
    free(data);
}
END_TEST

START_TEST(slice_matches_its_definition)
{
    uint64_t seed = (uint64_t)_i;
    size_t width = types[_i % 6].width;
    struct shape x = random_shape(&seed, 1, false), y = x;
    int64_t starts[MAX_RANK], ends[MAX_RANK], axes[MAX_RANK], steps[MAX_RANK];
    uint32_t n = 0;
    uint8_t *data = numbered(count_of(&x), width);
    const uint8_t *got;
    char length[8];
    void (*put)(struct th *, const char *, uint32_t, const char *, const void *) =
        _i % 2 ? th_const : th_input;

    for (uint32_t d = 0; d < x.rank; d++) {
        int64_t first = random_below(&seed, (uint32_t)x.dims[d]);
        int64_t size = 1 + random_below(&seed, (uint32_t)(x.dims[d] - first));
        int64_t step = 1 + random_below(&seed, 3);

        if (random_below(&seed, 4) == 0)
            continue;
        axes[n] = random_below(&seed, 2) ? d : (int64_t)d - x.rank;
        y.dims[d] = (size - 1) / step + 1;
        if (random_below(&seed, 2)) {
            starts[n] = first;
            ends[n] = first + size == x.dims[d] ? INT64_MAX : first + size;
            steps[n] = step;
        } else { /* the same elements backwards, counted from the end */
            starts[n] = first + (y.dims[d] - 1) * step - x.dims[d];
            ends[n] = first == 0 ? INT64_MIN : first - 1;
            steps[n] = -step;
        }
        n++;
    }
    sprintf(length, "%u", n);
    th_input(t, "x", types[_i % 6].dtype, text_of(&x), data);
    put(t, "starts", BP_DTYPE_I64, length, starts);
    put(t, "ends", BP_DTYPE_I64, length, ends);
    put(t, "axes", BP_DTYPE_I64, length, axes);
    put(t, "steps", BP_DTYPE_I64, length, steps);
    th_output(t, "y", types[_i % 6].dtype, _i % 8 == 4 ? NULL : text_of(&y));
    th_node(t, "Slice", 13, "x starts ends axes steps", "y");
    ck_run();
    ck_assert_str_eq(th_dims(t, "y"), text_of(&y));
    got = th_data(t, "y");
    for (size_t i = 0; i < count_of(&y); i++) {
        int64_t index[MAX_RANK];

        indices_of(&y, i, index);
        for (uint32_t k = 0; k < n; k++) {
            int64_t d = axes[k] < 0 ? axes[k] + x.rank : axes[k];
            int64_t start = starts[k] < 0 ? starts[k] + x.dims[d] : starts[k];

            index[d] = start + index[d] * steps[k];
        }
        ck_element(got + i * width, data + element_at(&x, index) * width, width, i);
    }
    free(data);
}
END_TEST

START_TEST(slice_clamps_starts_and_ends)
{
    static const struct {
        int64_t start, end, step;
        const char *dims;
        float first;
    } rows[] = {
        {-100, 100, 1, "5", 0},    {3, 1, 1, "0", 0},          {100, -100, -1, "5", 4},
        {7, 9, 1, "0", 0},         {-2, INT64_MAX, 1, "2", 3}, {-1, INT64_MIN, -2, "3", 4},
        {1, 2, INT64_MAX, "1", 1}, {4, 0, INT64_MIN, "1", 4},  {-100, -200, -1, "1", 0},
    };
    const float *y;

    th_input(t, "x", BP_DTYPE_F32, "5", (float[]){0, 1, 2, 3, 4});
    th_input(t, "s", BP_DTYPE_I64, "1", &rows[_i].start);
    th_input(t, "e", BP_DTYPE_I64, "1", &rows[_i].end);
    th_input(t, "k", BP_DTYPE_I64, "1", &rows[_i].step);
    th_output(t, "y", BP_DTYPE_F32, NULL);
    th_node(t, "Slice", 13, "x s e - k", "y");
    ck_run();
    ck_assert_str_eq(th_dims(t, "y"), rows[_i].dims);
    y = th_data(t, "y");
    if (th_count(t, "y") > 0)
        ck_assert(y[0] == rows[_i].first);
}
END_TEST

START_TEST(slice_1_reads_attributes)
{
    const float *y;

    th_input(t, "x", BP_DTYPE_F32, "2,3", (float[]){0, 1, 2, 3, 4, 5});
    th_output(t, "y", BP_DTYPE_F32, "1,2");
    th_node(t, "Slice", 1, "x", "y");
    th_ints(t, "starts", 2, (int64_t[]){1, -2});
    th_ints(t, "ends", 2, (int64_t[]){9, 9});
    ck_run();
    y = th_data(t, "y");
    ck_assert(y[0] == 4 && y[1] == 5);
}
END_TEST

START_TEST(slice_rejects_fed_indices_that_give_another_output_shape)
{
    th_input(t, "x", BP_DTYPE_F32, "5", (float[]){0, 1, 2, 3, 4});
    th_input(t, "s", BP_DTYPE_I64, "1", (int64_t[]){3});
    th_input(t, "e", BP_DTYPE_I64, "1", (int64_t[]){5});
    th_output(t, "y", BP_DTYPE_F32, "2");
    th_node(t, "Slice", 13, "x s e", "y");
    ck_run();
    th_feed(t, "s", (int64_t[]){0});
    ck_assert_int_eq(th_run(t), BP_E_SHAPE);
    th_feed(t, "s", (int64_t[]){0});
    th_feed(t, "e", (int64_t[]){2});
    ck_run();
}
END_TEST

START_TEST(expand_and_tile_match_their_definition)
{
    bool tiles = _i % 2;
    uint64_t seed = (uint64_t)_i;
    size_t width = types[_i % 6].width;
    struct shape x = random_shape(&seed, 0, true), y = x;
    int64_t values[MAX_RANK];
    uint8_t *data;
    const uint8_t *got;
    char length[8];

    for (uint32_t d = 0; d < x.rank; d++) {
        if (tiles) {
            values[d] = random_below(&seed, 4);
            y.dims[d] = x.dims[d] * values[d];
        } else {
            values[d] = x.dims[d];
            if (random_below(&seed, 2))
                x.dims[d] = 1;
            if (x.dims[d] != 1 && random_below(&seed, 2))
                values[d] = 1;
        }
    }
    data = numbered(count_of(&x), width);
    sprintf(length, "%u", x.rank);
    th_input(t, "x", types[_i % 6].dtype, text_of(&x), data);
    if (_i % 4 < 2)
        th_const(t, "n", BP_DTYPE_I64, length, values);
    else
        th_input(t, "n", BP_DTYPE_I64, length, values);
    th_output(t, "y", types[_i % 6].dtype, _i % 8 > 5 ? NULL : text_of(&y));
    th_node(t, tiles ? "Tile" : "Expand", 13, "x n", "y");
    ck_run();
    ck_assert_str_eq(th_dims(t, "y"), text_of(&y));
    got = th_data(t, "y");
    for (size_t i = 0; i < count_of(&y); i++) {
        int64_t index[MAX_RANK];

        indices_of(&y, i, index);
        for (uint32_t d = 0; d < x.rank; d++)
            index[d] %= x.dims[d];
        ck_element(got + i * width, data + element_at(&x, index) * width, width, i);
    }
    free(data);
}
END_TEST

START_TEST(expand_takes_a_shape_of_another_rank)
{
    static const struct {
        const char *x, *y;
        int64_t shape[3];
        uint32_t n;
    } rows[] = {{"2", "3,2", {3, 1}, 2}, {"2,1", "2,4", {4}, 1}, {"3,1", "2,3,1", {2, 1, 1}, 3}};
    char length[8];
    const float *y;

    sprintf(length, "%u", rows[_i].n);
    th_input(t, "x", BP_DTYPE_F32, rows[_i].x, (float[]){1, 2, 3});
    th_input(t, "s", BP_DTYPE_I64, length, rows[_i].shape);
    th_output(t, "y", BP_DTYPE_F32, NULL);
    th_node(t, "Expand", 13, "x s", "y");
    ck_run();
    ck_assert_str_eq(th_dims(t, "y"), rows[_i].y);
    y = th_data(t, "y");
    ck_assert(y[0] == 1 && y[th_count(t, "y") - 1] == (_i == 2 ? 3 : 2));
}
END_TEST

START_TEST(tile_1_repeats_one_axis)
{
    const float *y;

    th_input(t, "x", BP_DTYPE_F32, "2,1", (float[]){1, 2});
    th_input(t, "tiles", BP_DTYPE_F32, "", (float[]){3});
    th_input(t, "axis", BP_DTYPE_F32, "", (float[]){1});
    th_output(t, "y", BP_DTYPE_F32, "2,3");
    th_node(t, "Tile", 1, "x tiles axis", "y");
    ck_run();
    y = th_data(t, "y");
    ck_assert(y[0] == 1 && y[2] == 1 && y[3] == 2 && y[5] == 2);
}
END_TEST

/* ---- Concat and Split ------------------------------------------------------------------------ */

START_TEST(split_then_concat_is_identity)
{
    static const char *const parts[] = {"p0", "p1", "p2", "p3"};
    uint64_t seed = (uint64_t)_i;
    size_t width = types[_i % 6].width;
    struct shape x = random_shape(&seed, 1, true);
    uint32_t axis = random_below(&seed, x.rank);
    int64_t sizes[4], left;
    uint8_t *data;
    bool is_large = _i % 10 == 0;

    if (is_large)
        x.dims[random_below(&seed, x.rank)] += 3000;
    data = numbered(count_of(&x), width);
    left = x.dims[axis];
    th_input(t, "x", types[_i % 6].dtype, text_of(&x), data);
    for (uint32_t k = 0; k < 4; k++) {
        struct shape part = x;

        sizes[k] = k == 3 ? left : (int64_t)random_below(&seed, (uint32_t)left + 1);
        left -= sizes[k];
        part.dims[axis] = sizes[k];
        th_value(t, parts[k], types[_i % 6].dtype, text_of(&part));
    }
    th_output(t, "y", types[_i % 6].dtype, text_of(&x));
    if (_i % 3 == 0)
        th_const(t, "split", BP_DTYPE_I64, "4", sizes);
    th_node(t, "Split", _i % 3 == 0 ? 13 : 11, _i % 3 == 0 ? "x split" : "x", "p0 p1 p2 p3");
    th_int(t, "axis", axis);
    if (_i % 3 == 1)
        th_ints(t, "split", 4, sizes);
    th_node(t, "Concat", 13, "p0 p1 p2 p3", "y");
    th_int(t, "axis", (int64_t)axis - x.rank);
    ck_run();
    if (count_of(&x) > 0)
        ck_assert_mem_eq(th_data(t, "y"), data, count_of(&x) * width);
    free(data);
}
END_TEST

START_TEST(split_divides_the_axis)
{
    const float *p, *q, *y;

    th_input(t, "x", BP_DTYPE_F32, "2,3", (float[]){0, 1, 2, 3, 4, 5});
    th_output(t, "p", BP_DTYPE_F32, "2,2");
    th_output(t, "q", BP_DTYPE_F32, "2,1");
    th_output(t, "y", BP_DTYPE_F32, "4,3");
    th_node(t, "Split", 18, "x", "p q");
    th_int(t, "axis", 1);
    th_int(t, "num_outputs", 2);
    th_node(t, "Concat", 4, "x x", "y");
    th_int(t, "axis", 0);
    ck_run();
    p = th_data(t, "p");
    q = th_data(t, "q");
    y = th_data(t, "y");
    ck_assert(p[0] == 0 && p[1] == 1 && p[2] == 3 && p[3] == 4);
    ck_assert(q[0] == 2 && q[1] == 5);
    ck_assert(y[5] == 5 && y[6] == 0 && y[11] == 5);
}
END_TEST

START_TEST(split_accepts_absent_outputs)
{
    const float *q;

    th_input(t, "x", BP_DTYPE_F32, "6", (float[]){0, 1, 2, 3, 4, 5});
    th_output(t, "q", BP_DTYPE_F32, "2");
    th_node(t, "Split", 13, "x", "- q -");
    ck_run();
    q = th_data(t, "q");
    ck_assert(q[0] == 2 && q[1] == 3);
}
END_TEST

/* ---- Gather, Pad ----------------------------------------------------------------------------- */

START_TEST(gather_matches_its_definition)
{
    uint64_t seed = (uint64_t)_i;
    size_t width = types[_i % 6].width;
    struct shape x = random_shape(&seed, 1, false), y = x;
    uint32_t axis = random_below(&seed, x.rank), n = random_below(&seed, 9);
    int64_t indices[9];
    int32_t narrow[9];
    uint8_t *data;
    const uint8_t *got;
    char length[8];

    if (_i % 10 == 0)
        x.dims[0] = 500;
    data = numbered(count_of(&x), width);
    y = x;
    for (uint32_t k = 0; k < n; k++) {
        indices[k] = (int64_t)random_below(&seed, (uint32_t)x.dims[axis] * 2) - x.dims[axis];
        narrow[k] = (int32_t)indices[k];
    }
    sprintf(length, "%u", n);
    y.dims[axis] = n;
    th_input(t, "x", types[_i % 6].dtype, text_of(&x), data);
    if (_i % 2)
        th_input(t, "i", BP_DTYPE_I32, length, narrow);
    else
        th_input(t, "i", BP_DTYPE_I64, length, indices);
    th_output(t, "y", types[_i % 6].dtype, text_of(&y));
    th_node(t, "Gather", 13, "x i", "y");
    th_int(t, "axis", axis);
    ck_run();
    got = th_data(t, "y");
    for (size_t i = 0; i < count_of(&y); i++) {
        int64_t index[MAX_RANK];

        indices_of(&y, i, index);
        index[axis] = indices[index[axis]];
        if (index[axis] < 0)
            index[axis] += x.dims[axis];
        ck_element(got + i * width, data + element_at(&x, index) * width, width, i);
    }
    free(data);
}
END_TEST

START_TEST(gather_rejects_an_index_out_of_range)
{
    static const int64_t wrong[] = {3, -4, INT64_MAX, INT64_MIN};

    th_input(t, "x", BP_DTYPE_F32, "3", (float[]){0, 1, 2});
    th_input(t, "i", BP_DTYPE_I64, "2", (int64_t[]){0, wrong[_i]});
    th_output(t, "y", BP_DTYPE_F32, "2");
    th_node(t, "Gather", 13, "x i", "y");
    ck_assert_int_eq(th_run(t), BP_E_INVALID);
    ck_assert_ptr_nonnull(strstr(th_message(t), "outside"));
}
END_TEST

static int64_t padded_from(int64_t at, int64_t dim, int mode)
{
    if (mode == 1)
        return at < 0 ? 0 : at >= dim ? dim - 1 : at;
    if (mode == 2) { /* walk there, turning round at the ends */
        int64_t place = 0, forth = 1;

        at = at < 0 ? -at : at; /* it is the same in both directions */
        while (at-- > 0 && dim > 1) {
            if (place + forth < 0 || place + forth >= dim)
                forth = -forth;
            place += forth;
        }
        return place;
    }
    while (at < 0)
        at += dim;
    return at % dim;
}

START_TEST(pad_matches_its_definition_in_all_modes)
{
    static const char *const modes[] = {"constant", "edge", "reflect", "wrap"};
    int mode = _i % 4;
    uint64_t seed = (uint64_t)_i;
    size_t width = types[_i / 4 % 6].width;
    uint32_t dtype = types[_i / 4 % 6].dtype;
    struct shape x = random_shape(&seed, 0, mode == 0), y = x;
    int64_t pads[2 * MAX_RANK] = {0};
    uint8_t value[MAX_BYTES] = {99};
    uint8_t *data = numbered(count_of(&x), width);
    const uint8_t *got;
    char length[8];

    for (uint32_t d = 0; d < x.rank; d++) {
        if (random_below(&seed, 3) == 0)
            continue;
        pads[d] = (int64_t)random_below(&seed, 7) - 2;
        pads[x.rank + d] = (int64_t)random_below(&seed, 7) - 2;
        if (x.dims[d] + pads[d] < 0)
            pads[d] = 0;
        if (x.dims[d] + pads[d] + pads[x.rank + d] < 0)
            pads[x.rank + d] = 0;
        y.dims[d] += pads[d] + pads[x.rank + d];
    }
    sprintf(length, "%u", 2 * x.rank);
    th_input(t, "x", dtype, text_of(&x), data);
    if (_i % 3)
        th_const(t, "p", BP_DTYPE_I64, length, pads);
    else
        th_input(t, "p", BP_DTYPE_I64, length, pads);
    th_input(t, "v", dtype, "", value);
    th_output(t, "y", dtype, _i % 5 == 0 ? NULL : text_of(&y));
    th_node(t, "Pad", 19, "x p v", "y");
    th_string(t, "mode", modes[mode]);
    ck_run();
    ck_assert_str_eq(th_dims(t, "y"), text_of(&y));
    got = th_data(t, "y");
    for (size_t i = 0; i < count_of(&y); i++) {
        int64_t index[MAX_RANK];
        bool is_outside = false;

        indices_of(&y, i, index);
        for (uint32_t d = 0; d < x.rank; d++) {
            index[d] -= pads[d];
            is_outside = is_outside || index[d] < 0 || index[d] >= x.dims[d];
            if (mode > 0)
                index[d] = padded_from(index[d], x.dims[d], mode);
        }
        ck_element(got + i * width,
                   mode == 0 && is_outside ? value : data + element_at(&x, index) * width, width,
                   i);
    }
    free(data);
}
END_TEST

START_TEST(pad_takes_axes_and_old_attributes)
{
    const float *y;
    uint32_t since = (uint32_t[]){1, 2, 18}[_i];

    th_input(t, "x", BP_DTYPE_F32, "1,2", (float[]){1, 2});
    th_input(t, "p", BP_DTYPE_I64, "2", (int64_t[]){1, 0});
    th_input(t, "a", BP_DTYPE_I32, "1", (int32_t[]){-1});
    th_input(t, "v", BP_DTYPE_F32, "", (float[]){7});
    th_output(t, "y", BP_DTYPE_F32, "1,3");
    th_node(t, "Pad", since, since == 18 ? "x p v a" : "x", "y");
    if (since < 18) {
        th_ints(t, since == 1 ? "paddings" : "pads", 4, (int64_t[]){0, 1, 0, 0});
        th_float(t, "value", 7);
    }
    ck_run();
    y = th_data(t, "y");
    ck_assert(y[0] == 7 && y[1] == 1 && y[2] == 2);
}
END_TEST

START_TEST(pad_rejects_edge_and_reflect_of_an_empty_axis)
{
    th_input(t, "x", BP_DTYPE_F32, "0", NULL);
    th_input(t, "p", BP_DTYPE_I64, "2", (int64_t[]){1, 0});
    th_output(t, "y", BP_DTYPE_F32, "1");
    th_node(t, "Pad", 13, "x p", "y");
    th_string(t, "mode", "edge");
    ck_assert_int_eq(th_run(t), BP_E_INVALID);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_moves");
    TCase *tcase = tcase_create("moves");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, transpose_matches_its_definition, 0, 120);
    tcase_add_loop_test(tcase, transpose_of_large_matrices_matches_its_definition, 0, 24);
    tcase_add_loop_test(tcase, slice_matches_its_definition, 0, 120);
    tcase_add_loop_test(tcase, slice_clamps_starts_and_ends, 0, 9);
    tcase_add_test(tcase, slice_1_reads_attributes);
    tcase_add_test(tcase, slice_rejects_fed_indices_that_give_another_output_shape);
    tcase_add_loop_test(tcase, expand_and_tile_match_their_definition, 0, 120);
    tcase_add_loop_test(tcase, expand_takes_a_shape_of_another_rank, 0, 3);
    tcase_add_test(tcase, tile_1_repeats_one_axis);
    tcase_add_loop_test(tcase, split_then_concat_is_identity, 0, 60);
    tcase_add_test(tcase, split_divides_the_axis);
    tcase_add_test(tcase, split_accepts_absent_outputs);
    tcase_add_loop_test(tcase, gather_matches_its_definition, 0, 60);
    tcase_add_loop_test(tcase, gather_rejects_an_index_out_of_range, 0, 4);
    tcase_add_loop_test(tcase, pad_matches_its_definition_in_all_modes, 0, 240);
    tcase_add_loop_test(tcase, pad_takes_axes_and_old_attributes, 0, 3);
    tcase_add_test(tcase, pad_rejects_edge_and_reflect_of_an_empty_axis);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
