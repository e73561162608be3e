/* SPDX-License-Identifier: MIT */
/* check_verdict.c - what `backplane bench --compare` says of given measurements (P9). */

#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "bench/compare.h"

static struct bench_comparison comparison;
static struct bp_text words;

static void setup(void)
{
    comparison = (struct bench_comparison){.path = "model.onnx"};
    text_put(&comparison.title, "dnnl,cpu");
}

static void teardown(void)
{
    text_finish(&comparison.title);
    text_finish(&comparison.idle);
    text_finish(&words);
}

static const char *sentence(void)
{
    text_clear(&words);
    bench_sentence(&comparison, &words);
    return text_string(&words);
}

/* n ratios from `first` on, each by `step` above the last, mixed up. */
static void compute_verdict(double first, double step, size_t n)
{
    double *ratios = xalloc(n, sizeof *ratios);

    for (size_t i = 0; i < n; i++)
        ratios[i % 2 ? n - 1 - i / 2 : i / 2] = first + step * (double)i;
    bench_compute_verdict(ratios, n, &comparison.ratio);
    free(ratios);
}

/* Checks tail sums of the binomial distribution against a table of the sign test's. */
START_TEST(the_interval_is_that_of_the_sign_test)
{
    static const struct {
        size_t n;
        double low, high;
    } known[] = {{1, 0, 0}, {5, 0, 4}, {6, 0, 5}, {8, 0, 7}, {9, 1, 7}, {12, 2, 9}, {20, 5, 14}};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        compute_verdict(0, 1, known[i].n);
        ck_assert_double_eq(comparison.ratio.low, known[i].low);
        ck_assert_double_eq(comparison.ratio.high, known[i].high);
        ck_assert_double_eq(comparison.ratio.median, (double)(known[i].n - 1) / 2);
        ck_assert_uint_eq(comparison.ratio.pairs, known[i].n);
    }
    compute_verdict(0, 1, 1000);
    ck_assert_double_eq(comparison.ratio.low, 468);
    ck_assert_double_eq(comparison.ratio.high, 531);
}
END_TEST

START_TEST(a_faster_verdict_gives_the_factor)
{
    compute_verdict(1.8125, 1.0 / 64, 20);
    ck_assert_int_eq(comparison.ratio.verdict, BENCH_FASTER);
    ck_assert_str_eq(sentence(), "dnnl,cpu is 1.96 times as fast as cpu");
    compute_verdict(50, 0, 20);
    ck_assert_str_eq(sentence(), "dnnl,cpu is 50 times as fast as cpu");
}
END_TEST

START_TEST(a_slower_verdict_gives_groups_and_copied_bytes)
{
    comparison.named.n_groups = 14;
    comparison.named.n_copies = 28;
    comparison.named.copy_bytes = 3200000;
    compute_verdict(0.6, 0, 6);
    ck_assert_int_eq(comparison.ratio.verdict, BENCH_SLOWER);
    ck_assert_str_eq(sentence(),
                     "dnnl,cpu is slower: 0.60 times as fast as cpu; 14 groups, 28 "
                     "copies a run, 3.2 MB; the plan says why: backplane plan -p dnnl,cpu "
                     "model.onnx");
    comparison.named.n_groups = 1;
    comparison.named.copy_bytes = 0;
    comparison.named.n_unsized = 28;
    compute_verdict(0.0009765625, 0, 6);
    ck_assert_str_eq(sentence(), "dnnl,cpu is slower: cpu is 1024 times as fast; 1 group, 28 "
                                 "copies a run, size known at run time; the plan says why: "
                                 "backplane plan -p dnnl,cpu model.onnx");
    comparison.named.copy_bytes = 4096;
    comparison.named.n_unsized = 1;
    ck_assert_ptr_nonnull(strstr(
        sentence(), "; 1 group, 28 copies a run, 4.1 kB and 1 of a size known at run time; "));
    comparison.named.n_copies = 0;
    ck_assert_ptr_nonnull(strstr(sentence(), "; 1 group, nothing is copied in a run; "));
}
END_TEST

START_TEST(an_interval_around_1_is_no_difference)
{
    compute_verdict(0.9, 0.02, 20); /* on both sides of 1 */
    ck_assert_int_eq(comparison.ratio.verdict, BENCH_SAME);
    ck_assert_str_eq(sentence(), "no measurable difference: dnnl,cpu is 1.00 to 1.18 times as "
                                 "fast as cpu");
    compute_verdict(1.01, 0, 20); /* certain, and of no use */
    ck_assert_int_eq(comparison.ratio.verdict, BENCH_SAME);
    compute_verdict(0.99, 0, 20);
    ck_assert_int_eq(comparison.ratio.verdict, BENCH_SAME);
    compute_verdict(1, 0, 1000);
    ck_assert_int_eq(comparison.ratio.verdict, BENCH_SAME);
}
END_TEST

START_TEST(too_few_pairs_give_no_difference)
{
    for (size_t n = 1; n < BENCH_FEWEST_PAIRS; n++) {
        compute_verdict(3, 0, n);
        ck_assert_int_eq(comparison.ratio.verdict, BENCH_SAME);
        ck_assert_ptr_nonnull(strstr(sentence(), " too few; take more (--runs, --seconds)"));
    }
    compute_verdict(3, 0, BENCH_FEWEST_PAIRS);
    ck_assert_int_eq(comparison.ratio.verdict, BENCH_FASTER);
}
END_TEST

START_TEST(a_provider_without_nodes_is_not_compared)
{
    comparison.path = "odd\033[31m.onnx";
    text_put(&comparison.idle, "dnnl");
    comparison.ratio.verdict = BENCH_NO_NODES;
    ck_assert_str_eq(sentence(), "dnnl took no node, so there is nothing to compare; the plan says "
                                 "why: backplane plan -p dnnl,cpu odd\xef\xbf\xbd[31m.onnx");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("verdict");
    TCase *tests = tcase_create("all");
    SRunner *runner = srunner_create(suite);
    int failures;

    suite_add_tcase(suite, tests);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, the_interval_is_that_of_the_sign_test);
    tcase_add_test(tests, a_faster_verdict_gives_the_factor);
    tcase_add_test(tests, a_slower_verdict_gives_groups_and_copied_bytes);
    tcase_add_test(tests, an_interval_around_1_is_no_difference);
    tcase_add_test(tests, too_few_pairs_give_no_difference);
    tcase_add_test(tests, a_provider_without_nodes_is_not_compared);
    srunner_run_all(runner, CK_NORMAL);
    failures = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
