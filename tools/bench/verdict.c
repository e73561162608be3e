/* SPDX-License-Identifier: MIT */
/* verdict.c - the verdict on two provider lists: median, interval, and a sentence. */

#include "config.h"

#include <inttypes.h>
#include <stdlib.h>

#include "bench/compare.h"

/* The smallest ratio that is reported. Memory placement alone causes smaller differences. */
#define MATTERS 1.02

static int order_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

void bench_sort(double *values, size_t n)
{
    qsort(values, n, sizeof *values, order_doubles);
}

/*
 * The sign-test interval of the median, which assumes no distribution: returns how many of n sorted
 * values to leave out at either end, so that the rest includes the true median with a probability
 * of 95 %. The median is above each value with probability 1/2, so the tail is binomial. -1: n is
 * too small.
 */
static int count_tail(size_t n)
{
    double chance = 1, sum;
    int left_out = -1;

    for (size_t i = 0; i < n; i++)
        chance /= 2;
    for (sum = chance; sum <= 0.025; sum += chance) {
        left_out++;
        chance *= (double)(n - (size_t)left_out) / (double)(left_out + 1);
    }
    return left_out;
}

void bench_compute_verdict(double *ratios, size_t n, struct bench_ratio *out)
{
    int tail = count_tail(n);
    size_t first = tail > 0 ? (size_t)tail : 0;

    bench_sort(ratios, n);
    *out = (struct bench_ratio){.median = (ratios[(n - 1) / 2] + ratios[n / 2]) / 2,
                                .low = ratios[first],
                                .high = ratios[n - 1 - first],
                                .pairs = n,
                                .verdict = BENCH_SAME};
    if (tail >= 0 && out->low > MATTERS)
        out->verdict = BENCH_FASTER;
    else if (tail >= 0 && out->high * MATTERS < 1)
        out->verdict = BENCH_SLOWER;
}

/* "1.83" */
static void put_ratio(struct bp_text *out, double ratio)
{
    text_printf(out, ratio < 9.995 ? "%.2f" : "%.0f", ratio);
}

/*
 * "dnnl,cpu is 1.83 times as fast as cpu", or the interval when the difference is not significant.
 */
static void put_speed(struct bp_text *out, const struct bench_comparison *c)
{
    const struct bench_ratio *r = &c->ratio;
    bool is_far_slower = r->verdict == BENCH_SLOWER && r->median < 0.1;

    text_clean(out, text_string(&c->title));
    text_put(out, r->verdict == BENCH_SLOWER ? " is slower: " : " is ");
    if (is_far_slower)
        text_put(out, "cpu is ");
    if (r->verdict == BENCH_SAME) {
        put_ratio(out, r->low);
        text_put(out, " to ");
        put_ratio(out, r->high);
    } else {
        put_ratio(out, is_far_slower ? 1 / r->median : r->median);
    }
    text_put(out, is_far_slower ? " times as fast" : " times as fast as cpu");
}

/* The command that shows each node's provider and the refusals. */
static void put_plan(struct bp_text *out, const struct bench_comparison *c)
{
    text_put(out, "backplane plan -p ");
    text_clean(out, text_string(&c->title));
    text_put(out, " ");
    text_clean(out, c->path);
}

/* Likely causes from the plan: the number of groups and of copied bytes. */
static void put_causes(struct bp_text *out, const struct bench_comparison *c)
{
    const struct bench_side *side = &c->named;

    text_printf(out, "; %" PRIu32 " group%s, ", side->n_groups, side->n_groups == 1 ? "" : "s");
    if (side->n_copies == 0) {
        text_put(out, "nothing is copied in a run");
    } else {
        text_printf(out, "%" PRIu64 " cop%s a run, ", side->n_copies,
                    side->n_copies == 1 ? "y" : "ies");
        text_copies(out, side->n_copies, side->n_unsized, side->copy_bytes);
    }
    text_put(out, "; the plan says why: ");
    put_plan(out, c);
}

void bench_sentence(const struct bench_comparison *c, struct bp_text *out)
{
    const struct bench_ratio *r = &c->ratio;

    if (r->verdict == BENCH_NO_NODES) {
        text_clean(out, text_string(&c->idle));
        text_put(out, " took no node, so there is nothing to compare; the plan says why: ");
        put_plan(out, c);
        return;
    }
    if (r->verdict == BENCH_SAME && r->pairs < BENCH_FEWEST_PAIRS) {
        text_printf(out,
                    "no measurable difference: %zu pair%s; take more (--runs, "
                    "--seconds)",
                    r->pairs, r->pairs == 1 ? " of slices is too few" : "s of slices are too few");
        return;
    }
    if (r->verdict == BENCH_SAME)
        text_put(out, "no measurable difference: ");
    put_speed(out, c);
    if (r->verdict == BENCH_SLOWER)
        put_causes(out, c);
}
