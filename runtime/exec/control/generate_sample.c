/* SPDX-License-Identifier: MIT */
/*
 * generate_sample.c - Sampling: leaves the words of top_p, and draws one of them as ONNX Runtime
 * does where it is built with libstdc++ (std::minstd_rand0, two calls for a double).
 */

#include "config.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "exec/control/generate.h"

/* A word in the order of its score. */
struct bp_ranked {
    float score;
    uint32_t word;
};

/* Lists as long as the vocabulary, used for one row after the other. */
bp_rc bp_sample_init(struct bp_generate *g, bp_err *err)
{
    g->ranked = bp_region_array(&g->region, g->vocab, sizeof *g->ranked);
    g->sums = bp_region_array(&g->region, g->vocab, sizeof *g->sums);
    return g->ranked && g->sums ? BP_OK : bp_fail_nomem(err, "the words to draw from");
}

/* Equal scores in the order of words, so that the result does not depend on qsort(). */
static int rising(const void *a, const void *b)
{
    const struct bp_ranked *x = a, *y = b;

    if (x->score != y->score)
        return x->score < y->score ? -1 : 1;
    return x->word < y->word ? -1 : x->word > y->word;
}

/* The reverse by score; equal scores in the order of words again. */
static int falling(const void *a, const void *b)
{
    const struct bp_ranked *x = a, *y = b;

    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x->word < y->word ? -1 : x->word > y->word;
}

/* Scores of the ranked words to probabilities, in place. */
static void softmax(struct bp_ranked *ranked, size_t n, float max)
{
    float sum = 0;

    for (size_t i = 0; i < n; i++) {
        ranked[i].score = expf(ranked[i].score - max);
        sum += ranked[i].score;
    }
    for (size_t i = 0; i < n; i++)
        ranked[i].score /= sum;
}

/* Filters the least probable words while the sum of their probabilities is at most 1 - top_p. */
static void filter(const struct bp_generate *g, float *scores)
{
    size_t n = g->vocab - (size_t)g->keeps;
    float sum = 0;

    for (size_t i = 0; i < g->vocab && (i == 0 || i < n); i++) {
        sum += g->ranked[i].score;
        if (sum <= 1 - g->top_p)
            scores[g->ranked[i].word] = g->filter_value;
    }
}

/* Keeps the most probable words until the sum of their probabilities exceeds top_p. */
static void filter_custom(const struct bp_generate *g, float *scores)
{
    float sum = 0;

    for (size_t i = 0; i + 1 < g->vocab; i++) {
        sum += g->ranked[i].score;
        if (sum > g->top_p)
            scores[g->ranked[i + 1].word] = g->filter_value;
    }
}

/* A Lehmer generator: x * 16807 mod 2^31 - 1, as std::minstd_rand0. */
static uint32_t next_random(uint32_t *state)
{
    *state = (uint32_t)((uint64_t)*state * 16807 % 2147483647);
    return *state;
}

/* 0 <= x < 1, as std::generate_canonical<double, 53> has it of such a generator. */
static double next_double(uint32_t *state)
{
    static const double range = 2147483646; /* 1..2147483646 */
    double low = (double)(next_random(state) - 1);
    double x = (low + (double)(next_random(state) - 1) * range) / (range * range);

    return x < 1 ? x : nextafter(1, 0);
}

/* The first word at which the sum of probabilities exceeds what is drawn. */
static int32_t draw(struct bp_generate *g, const float *scores)
{
    float max = -FLT_MAX;
    double sum = 0, wanted;
    size_t word = 0;

    for (size_t i = 0; i < g->vocab; i++) {
        if (isfinite(scores[i]) && scores[i] > max)
            max = scores[i];
    }
    for (size_t i = 0; i < g->vocab; i++) {
        if (isfinite(scores[i]))
            sum += exp((double)scores[i] - (double)max);
        g->sums[i] = sum;
    }
    wanted = next_double(&g->random) * sum;
    while (word + 1 < g->vocab && !(g->sums[word] > wanted))
        word++;
    return (int32_t)word;
}

/* All rows are filtered before the first is drawn: the generator is used in the order of rows. */
void bp_sample_choose(struct bp_generate *g)
{
    for (size_t r = 0; r < g->rows; r++) {
        float *scores = g->scores + r * g->vocab;

        for (size_t i = 0; i < g->vocab; i++)
            g->ranked[i] = (struct bp_ranked){scores[i], (uint32_t)i};
        qsort(g->ranked, g->vocab, sizeof *g->ranked, g->is_custom ? falling : rising);
        softmax(g->ranked, g->vocab, g->ranked[g->is_custom ? 0 : g->vocab - 1].score);
        if (g->is_custom)
            filter_custom(g, scores);
        else
            filter(g, scores);
    }
    for (size_t r = 0; r < g->rows; r++)
        g->tokens[r] = draw(g, g->scores + r * g->vocab);
}
