/* SPDX-License-Identifier: MIT */
/* check_tensor_concat_split.c - Concat and Split of the CPU provider at every type. */

#include "config.h"

#include "cpu/types/all_types.h"

enum { PARTS = 4 };

/* A tensor cut along an axis, by a loop over all of its elements. */
struct cut {
    struct shape whole, part[PARTS];
    uint32_t dtype, axis;
    void *data, *parts[PARTS];
};

static struct cut make_cut(uint64_t *seed, uint32_t dtype)
{
    struct cut cut = {.whole = every_shape(seed, 1, 4), .dtype = dtype};
    int64_t sizes[PARTS] = {0};
    size_t n = shape_count(&cut.whole);

    cut.axis = random_below(seed, cut.whole.rank);
    for (int64_t i = 0; i < cut.whole.dims[cut.axis]; i++)
        sizes[random_below(seed, PARTS)]++;
    cut.data = th_keep(t, typed_random(seed, n, dtype));
    for (int p = 0; p < PARTS; p++) {
        cut.part[p] = cut.whole;
        cut.part[p].dims[cut.axis] = sizes[p];
        cut.parts[p] = kept_zeros(shape_count(&cut.part[p]) + 1, sizeof(bp_span));
    }
    for (size_t i = 0; i < n; i++) {
        int64_t index[SHAPE_RANK];
        int p = 0;

        shape_index(&cut.whole, i, index);
        while (index[cut.axis] >= sizes[p])
            index[cut.axis] -= sizes[p++];
        typed_copy(cut.parts[p], shape_at(&cut.part[p], index), cut.data, i, dtype);
    }
    return cut;
}

static void ck_elements(const char *name, const void *want, const struct shape *shape,
                        uint32_t dtype)
{
    for (size_t i = 0; i < shape_count(shape); i++)
        if (!typed_same(th_data(t, name), i, want, i, dtype))
            ck_abort_msg("%s, element %zu of %s", name, i, shape_text(shape));
}

static const char *const names[PARTS] = {"p0", "p1", "p2", "p3"};

static bool take_type(const char *op, uint64_t *seed, struct cut *cut, int i)
{
    uint32_t dtype = (uint32_t)i % BP_DTYPE_END;

    *seed = (uint64_t)i;
    if (!every_takes(every_newest("", op), dtype))
        return false;
    *cut = make_cut(seed, dtype);
    return true;
}

START_TEST(concat_takes_every_type)
{
    uint64_t seed;
    struct cut cut;

    if (!take_type("Concat", &seed, &cut, _i))
        return;
    for (int p = 0; p < PARTS; p++)
        th_input(t, names[p], cut.dtype, shape_text(&cut.part[p]), cut.parts[p]);
    th_output(t, "y", cut.dtype, shape_text(&cut.whole));
    th_node(t, "Concat", every_newest("", "Concat")->since, "p0 p1 p2 p3", "y");
    th_int(t, "axis", every_axis(&seed, cut.axis, cut.whole.rank));
    ck_run();
    ck_elements("y", cut.data, &cut.whole, cut.dtype);
}
END_TEST

START_TEST(split_takes_every_type)
{
    uint64_t seed;
    struct cut cut;
    int64_t sizes[PARTS];

    if (!take_type("Split", &seed, &cut, _i))
        return;
    th_input(t, "x", cut.dtype, shape_text(&cut.whole), cut.data);
    for (int p = 0; p < PARTS; p++) {
        th_output(t, names[p], cut.dtype, shape_text(&cut.part[p]));
        sizes[p] = cut.part[p].dims[cut.axis];
    }
    every_list(&seed, "sizes", sizes, PARTS, false);
    th_node(t, "Split", every_newest("", "Split")->since, "x sizes", "p0 p1 p2 p3");
    th_int(t, "axis", every_axis(&seed, cut.axis, cut.whole.rank));
    ck_run();
    for (int p = 0; p < PARTS; p++)
        ck_elements(names[p], cut.parts[p], &cut.part[p], cut.dtype);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_every_part");
    TCase *tcase = tcase_create("part");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, concat_takes_every_type, 0, 6 * BP_DTYPE_END);
    tcase_add_loop_test(tcase, split_takes_every_type, 0, 6 * BP_DTYPE_END);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
