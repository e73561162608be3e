/* SPDX-License-Identifier: MIT */
/*
 * check_tensor_move.c - operators of the CPU provider that move elements to other places, at every
 * type: see all_types.h.
 */

#include "config.h"

#include "cpu/types/all_types.h"

/* params: the permutation */
static void make_transpose(struct move *m, uint64_t *seed)
{
    m->x = m->y = every_shape(seed, 0, 5);
    for (uint32_t d = 0; d < m->x.rank; d++)
        m->params[d] = d;
    for (uint32_t d = m->x.rank; d > 1; d--) {
        uint32_t other = random_below(seed, d);
        int64_t saved = m->params[other];

        m->params[other] = m->params[d - 1];
        m->params[d - 1] = saved;
    }
    for (uint32_t d = 0; d < m->x.rank; d++)
        m->y.dims[d] = m->x.dims[m->params[d]];
    move_begin(m, seed, false);
    move_node(m, "x");
    th_ints(t, "perm", m->x.rank, m->params);
}

static bool transposed(const struct move *m, int64_t *index)
{
    int64_t from[SHAPE_RANK] = {0};

    for (uint32_t d = 0; d < m->x.rank; d++)
        from[m->params[d]] = index[d];
    memcpy(index, from, sizeof from);
    return true;
}

/* params: where each axis begins, and its steps */
static void make_slice(struct move *m, uint64_t *seed)
{
    int64_t starts[SHAPE_RANK], ends[SHAPE_RANK], axes[SHAPE_RANK], steps[SHAPE_RANK];
    uint32_t n = 0;

    m->x = m->y = shape_random(seed, 1, 5);
    for (uint32_t d = 0; d < m->x.rank; d++) {
        int64_t size = m->x.dims[d], first = random_below(seed, (uint32_t)size);
        int64_t step = 1 + random_below(seed, 3), length = random_below(seed, (uint32_t)size + 1);
        bool is_back = random_below(seed, 2);

        m->params[d] = 0;
        m->params[SHAPE_RANK + d] = 1;
        if (random_below(seed, 4) == 0)
            continue;
        length = length > size - first ? size - first : length;
        m->params[d] = is_back ? first + length - 1 : first;
        m->params[SHAPE_RANK + d] = is_back ? -step : step;
        axes[n] = every_axis(seed, d, m->x.rank);
        steps[n] = is_back ? -step : step;
        starts[n] = length == 0 ? first : every_axis(seed, (uint32_t)m->params[d], (uint32_t)size);
        ends[n] = length == 0 ? first : !is_back ? first + length : first > 0 ? first - 1 : -1000;
        m->y.dims[d] = (length + step - 1) / step;
        n++;
    }
    move_begin(m, seed, random_below(seed, 4) == 0);
    if (random_below(seed, 2)) { /* all of one type */
        every_list(seed, "starts", starts, n, false);
        every_list(seed, "ends", ends, n, false);
        every_list(seed, "axes", axes, n, false);
        every_list(seed, "steps", steps, n, false);
    } else {
        int32_t *narrow = kept_zeros(4 * SHAPE_RANK, sizeof *narrow);
        const char *dims = shape_text(&(struct shape){1, {n}});

        for (uint32_t i = 0; i < n; i++) {
            narrow[i] = (int32_t)starts[i];
            narrow[SHAPE_RANK + i] = (int32_t)ends[i];
            narrow[2 * SHAPE_RANK + i] = (int32_t)axes[i];
            narrow[3 * SHAPE_RANK + i] = (int32_t)steps[i];
        }
        th_input(t, "starts", BP_DTYPE_I32, dims, narrow);
        th_input(t, "ends", BP_DTYPE_I32, dims, narrow + SHAPE_RANK);
        th_input(t, "axes", BP_DTYPE_I32, dims, narrow + 2 * SHAPE_RANK);
        th_input(t, "steps", BP_DTYPE_I32, dims, narrow + 3 * SHAPE_RANK);
    }
    move_node(m, "x starts ends axes steps");
}

static bool sliced(const struct move *m, int64_t *index)
{
    for (uint32_t d = 0; d < m->x.rank; d++)
        index[d] = m->params[d] + index[d] * m->params[SHAPE_RANK + d];
    return true;
}

/* x has as many axes as y, or fewer. */
static void make_expand(struct move *m, uint64_t *seed)
{
    uint32_t fewer;

    m->y = every_shape(seed, 0, 5);
    fewer = random_below(seed, m->y.rank + 1);
    m->x = (struct shape){.rank = m->y.rank - fewer};
    for (uint32_t d = 0; d < m->x.rank; d++)
        m->x.dims[d] = random_below(seed, 2) ? 1 : m->y.dims[fewer + d];
    move_begin(m, seed, random_below(seed, 4) == 0);
    every_list(seed, "shape", m->y.dims, m->y.rank, false);
    move_node(m, "x shape");
}

static bool expanded(const struct move *m, int64_t *index)
{
    uint32_t fewer = m->y.rank - m->x.rank;

    for (uint32_t d = 0; d < m->x.rank; d++)
        index[d] = index[fewer + d] % m->x.dims[d];
    return true;
}

static void make_tile(struct move *m, uint64_t *seed)
{
    m->x = m->y = every_shape(seed, 0, 4);
    for (uint32_t d = 0; d < m->x.rank; d++) {
        m->params[d] = random_below(seed, 10) ? 1 + random_below(seed, 3) : 0;
        m->y.dims[d] *= m->params[d];
    }
    move_begin(m, seed, random_below(seed, 4) == 0);
    every_list(seed, "repeats", m->params, m->x.rank, false);
    move_node(m, "x repeats");
}

static bool tiled(const struct move *m, int64_t *index)
{
    for (uint32_t d = 0; d < m->x.rank; d++)
        index[d] %= m->x.dims[d];
    return true;
}

/* params: elements in front of each axis, those after */
static void choose_pads(struct move *m, uint64_t *seed)
{
    m->x = m->y = every_shape(seed, 1, 4);
    for (uint32_t d = 0; d < m->x.rank; d++) {
        int64_t *before = &m->params[d], *after = &m->params[m->x.rank + d];

        *before = (int64_t)random_below(seed, 7) - 2;
        *after = (int64_t)random_below(seed, 7) - 2;
        *before = m->x.dims[d] + *before < 0 ? 0 : *before;
        *after = m->x.dims[d] + *before + *after < 0 ? 0 : *after;
        m->y.dims[d] += *before + *after;
    }
}

static void make_ms_pad(struct move *m, uint64_t *seed)
{
    choose_pads(m, seed);
    move_begin(m, seed, random_below(seed, 4) == 0);
    every_list(seed, "pads", m->params, 2 * m->x.rank, false);
    m->filler = th_keep(t, typed_random(seed, 1, m->dtype));
    th_input(t, "filler", m->dtype, "", m->filler);
    move_node(m, "x pads filler");
}

/* Some axes are named, in any order; the others stay as they are. */
static void make_pad(struct move *m, uint64_t *seed)
{
    int64_t axes[SHAPE_RANK], pads[2 * SHAPE_RANK];
    uint32_t n = 0, k = 0, named;

    choose_pads(m, seed);
    named = random_below(seed, 1u << m->x.rank);
    for (uint32_t d = 0; d < m->x.rank; d++)
        n += named >> d & 1;
    for (uint32_t d = m->x.rank; d-- > 0;) {
        if (named >> d & 1) {
            axes[k] = every_axis(seed, d, m->x.rank);
            pads[k] = m->params[d];
            pads[n + k++] = m->params[m->x.rank + d];
        } else {
            m->params[d] = m->params[m->x.rank + d] = 0;
            m->y.dims[d] = m->x.dims[d];
        }
    }
    move_begin(m, seed, random_below(seed, 4) == 0);
    every_list(seed, "pads", pads, 2 * n, false);
    every_list(seed, "axes", axes, n, true);
    if (random_below(seed, 2)) {
        move_node(m, "x pads - axes");
        return;
    }
    m->filler = th_keep(t, typed_random(seed, 1, m->dtype));
    th_input(t, "filler", m->dtype, "", m->filler);
    move_node(m, "x pads filler axes");
}

static bool padded(const struct move *m, int64_t *index)
{
    bool is_inside = true;

    for (uint32_t d = 0; d < m->x.rank; d++) {
        index[d] -= m->params[d];
        is_inside = is_inside && index[d] >= 0 && index[d] < m->x.dims[d];
    }
    return is_inside;
}

/* params: the diagonal, and is it the upper half? */
static void make_trilu(struct move *m, uint64_t *seed)
{
    m->x = m->y = every_shape(seed, 2, 4);
    m->params[0] = (int64_t)random_below(seed, 17) - 8;
    m->params[1] = random_below(seed, 2);
    move_begin(m, seed, false);
    th_input(t, "k", BP_DTYPE_I64, "", m->params);
    move_node(m, "x k");
    th_int(t, "upper", m->params[1]);
}

static bool is_in_half(const struct move *m, int64_t *index)
{
    int64_t diagonal = index[m->x.rank - 1] - index[m->x.rank - 2];

    return m->params[1] ? diagonal >= m->params[0] : diagonal <= m->params[0];
}

/* params: block size */
static void make_space_to_depth(struct move *m, uint64_t *seed)
{
    int64_t b = 1 + random_below(seed, 3), c = 1 + random_below(seed, 3);
    int64_t h = 1 + random_below(seed, 4), w = random_below(seed, 4);

    m->params[0] = b;
    m->x = (struct shape){4, {2, c, h * b, w * b}};
    m->y = (struct shape){4, {2, c * b * b, h, w}};
    move_begin(m, seed, false);
    move_node(m, "x");
    th_int(t, "blocksize", b);
}

static bool from_space(const struct move *m, int64_t *index)
{
    int64_t b = m->params[0], block = index[1] / m->x.dims[1];

    index[1] %= m->x.dims[1];
    index[2] = index[2] * b + block / b;
    index[3] = index[3] * b + block % b;
    return true;
}

static void make_center(struct move *m, uint64_t *seed)
{
    int64_t axes[SHAPE_RANK], sizes[SHAPE_RANK];
    uint32_t n = 0;

    m->x = m->y = every_shape(seed, 0, 4);
    for (uint32_t d = m->x.rank; d-- > 0;) {
        if (random_below(seed, 3) == 0)
            continue;
        m->y.dims[d] = random_below(seed, 2 * (uint32_t)m->x.dims[d] + 2);
        axes[n] = every_axis(seed, d, m->x.rank);
        sizes[n++] = m->y.dims[d];
    }
    move_begin(m, seed, false);
    every_list(seed, "sizes", sizes, n, true);
    move_node(m, "x sizes");
    th_ints(t, "axes", n, axes);
}

/* Mode DCR, the default. */
static void make_depth_to_space(struct move *m, uint64_t *seed)
{
    int64_t b = 1 + random_below(seed, 3), c = 1 + random_below(seed, 3);
    int64_t h = 1 + random_below(seed, 4), w = random_below(seed, 4);

    m->params[0] = b;
    m->x = (struct shape){4, {2, c * b * b, h, w}};
    m->y = (struct shape){4, {2, c, h * b, w * b}};
    move_begin(m, seed, false);
    move_node(m, "x");
    th_int(t, "blocksize", b);
}

static bool from_depth(const struct move *m, int64_t *index)
{
    int64_t b = m->params[0];

    index[1] += (index[2] % b * b + index[3] % b) * m->y.dims[1];
    index[2] /= b;
    index[3] /= b;
    return true;
}

static bool from_center(const struct move *m, int64_t *index)
{
    bool is_inside = true;

    for (uint32_t d = 0; d < m->x.rank; d++) {
        int64_t a = m->x.dims[d], b = m->y.dims[d];

        index[d] += a > b ? (a - b) / 2 : -((b - a) / 2);
        is_inside = is_inside && index[d] >= 0 && index[d] < a;
    }
    return is_inside;
}

static const struct move_case moves[] = {
    {"", "Transpose", make_transpose, transposed},
    {"", "Slice", make_slice, sliced},
    {"", "Expand", make_expand, expanded},
    {"", "Tile", make_tile, tiled},
    {"", "Pad", make_pad, padded},
    {"com.microsoft", "Pad", make_ms_pad, padded},
    {"", "Trilu", make_trilu, is_in_half},
    {"com.microsoft", "Trilu", make_trilu, is_in_half},
    {"", "SpaceToDepth", make_space_to_depth, from_space},
    {"", "DepthToSpace", make_depth_to_space, from_depth},
    {"", "CenterCropPad", make_center, from_center},
};

START_TEST(data_movement_operators_take_every_type)
{
    move_loop(moves);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_every_move");
    TCase *tcase = tcase_create("move");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, data_movement_operators_take_every_type, 0,
                        COUNT(moves) * EVERY_TYPE);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
