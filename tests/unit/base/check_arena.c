/* SPDX-License-Identifier: MIT */
/* check_arena.c - buffers that are live together do not overlap, and the arena is not wasteful. */

#include "config.h"

#include <check.h>
#include <stdlib.h>

#include <bp/arena.h>

#include "support/random.h"

static size_t plan(bp_arena_item *items, uint32_t n, size_t align)
{
    void *work = malloc(bp_arena_work(n));
    size_t bytes;

    ck_assert_ptr_nonnull(work);
    bytes = bp_arena_plan(items, n, align, work);
    free(work);
    return bytes;
}

static int overlap(const bp_arena_item *a, const bp_arena_item *b)
{
    return a->first <= b->last && b->first <= a->last && a->offset < b->offset + b->bytes &&
           b->offset < a->offset + a->bytes;
}

static void check_plan(const bp_arena_item *items, uint32_t n, size_t align, size_t bytes)
{
    for (uint32_t i = 0; i < n; i++) {
        ck_assert_uint_eq(items[i].offset % align, 0);
        ck_assert_uint_le(items[i].offset + items[i].bytes, bytes);
        for (uint32_t j = 0; j < i; j++) {
            if (overlap(&items[i], &items[j]))
                ck_abort_msg("items %u and %u overlap", i, j);
        }
    }
}

START_TEST(an_empty_plan_needs_no_memory)
{
    bp_arena_item empty = {.bytes = 0, .first = 0, .last = 3};

    ck_assert_uint_eq(plan(NULL, 0, 64), 0);
    ck_assert_uint_eq(plan(&empty, 1, 64), 0);
}
END_TEST

START_TEST(a_chain_of_values_needs_two_buffers)
{
    bp_arena_item items[50];

    for (uint32_t i = 0; i < 50; i++)
        items[i] = (bp_arena_item){.bytes = 640, .first = i, .last = i + 1};
    ck_assert_uint_eq(plan(items, 50, 64), 1280);
    check_plan(items, 50, 64, 1280);
}
END_TEST

START_TEST(planner_puts_an_item_into_a_gap)
{
    bp_arena_item items[] = {
        {.bytes = 1000, .first = 0, .last = 9},
        {.bytes = 600, .first = 0, .last = 4},
        {.bytes = 500, .first = 5, .last = 9},
        {.bytes = 90, .first = 6, .last = 9},
    };

    ck_assert_uint_eq(plan(items, 4, 1), 1600);
    check_plan(items, 4, 1, 1600);
}
END_TEST

START_TEST(live_items_never_overlap)
{
    uint64_t seed = (uint64_t)_i;
    uint32_t n = 1 + random_below(&seed, 400), steps = 1 + random_below(&seed, 300);
    size_t align = (size_t)1 << random_below(&seed, 8), sum = 0, bytes;
    bp_arena_item *items = calloc(n, sizeof *items);

    ck_assert_ptr_nonnull(items);
    for (uint32_t i = 0; i < n; i++) {
        items[i].first = random_below(&seed, steps);
        items[i].last = items[i].first + random_below(&seed, _i % 3 ? 5 : steps);
        items[i].bytes = random_below(&seed, 9) ? random_below(&seed, 100000) : 0;
        sum += (items[i].bytes + align - 1) / align * align;
    }
    bytes = plan(items, n, align);
    ck_assert_uint_le(bytes, sum);
    check_plan(items, n, align, bytes);
    free(items);
}
END_TEST

START_TEST(arena_size_is_close_to_the_peak_of_live_bytes)
{
    uint64_t seed = 7;
    enum { N = 2000 };
    bp_arena_item *items = calloc(N, sizeof *items);
    size_t *live = calloc(N + 8, sizeof *live), peak = 0, bytes;

    ck_assert(items && live);
    for (uint32_t i = 0; i < N; i++) {
        items[i] = (bp_arena_item){.bytes = 64 * (1 + random_below(&seed, 1000)),
                                   .first = i,
                                   .last = i + 1 + random_below(&seed, 4)};
        for (uint32_t step = items[i].first; step <= items[i].last; step++)
            live[step] += items[i].bytes;
    }
    for (uint32_t i = 0; i < N; i++)
        peak = live[i] > peak ? live[i] : peak;
    bytes = plan(items, N, 64);
    ck_assert_uint_ge(bytes, peak);
    ck_assert_uint_le(bytes, peak + peak / 4);
    free(items);
    free(live);
}
END_TEST

START_TEST(planning_many_live_items_takes_little_time)
{
    enum { N = 30000 };
    bp_arena_item *items = calloc(N, sizeof *items);
    size_t sum = 0;

    ck_assert_ptr_nonnull(items);
    for (uint32_t i = 0; i < N; i++) {
        items[i] = (bp_arena_item){.bytes = 64 * (size_t)(1 + i % 7), .first = i, .last = N};
        sum += items[i].bytes;
    }
    ck_assert_uint_eq(plan(items, N, 64), sum);
    free(items);
}
END_TEST

START_TEST(planner_rejects_sizes_beyond_the_address_space)
{
    bp_arena_item items[] = {
        {.bytes = SIZE_MAX / 2, .first = 0, .last = 1},
        {.bytes = SIZE_MAX / 2, .first = 1, .last = 2},
        {.bytes = SIZE_MAX / 2, .first = 1, .last = 2},
    };

    ck_assert_uint_eq(plan(items, 3, 64), SIZE_MAX);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("arena");
    TCase *tcase = tcase_create("plan");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_add_test(tcase, an_empty_plan_needs_no_memory);
    tcase_add_test(tcase, a_chain_of_values_needs_two_buffers);
    tcase_add_test(tcase, planner_puts_an_item_into_a_gap);
    tcase_add_loop_test(tcase, live_items_never_overlap, 0, 60);
    tcase_add_test(tcase, arena_size_is_close_to_the_peak_of_live_bytes);
    tcase_add_test(tcase, planning_many_live_items_takes_little_time);
    tcase_add_test(tcase, planner_rejects_sizes_beyond_the_address_space);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
