/* SPDX-License-Identifier: MIT */
/*
 * generate_scores.c - from a decoder's logits to scores of the next token: ONNX Runtime's logits
 * processors, in its order.
 */

#include "config.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "exec/control/generate.h"

/* Logits [n][tokens][width], n the rows or (an encoder's) the batch. */
void bp_generate_take_logits(struct bp_generate *g, const struct bp_cell *logits)
{
    size_t tokens = (size_t)logits->dims[1], width = (size_t)logits->dims[2];
    size_t per = g->rows / (size_t)logits->dims[0];

    for (size_t r = 0; r < g->rows; r++) {
        const float *from = (const float *)logits->base + (r / per * tokens + tokens - 1) * width;

        memcpy(g->scores + r * g->vocab, from, g->vocab * sizeof *from);
    }
}

/*
 * The maximum is subtracted first, so that expf() does not overflow; the sum is double, as in ONNX
 * Runtime.
 */
void bp_generate_log_softmax(struct bp_generate *g)
{
    for (size_t r = 0; r < g->rows; r++) {
        float *s = g->scores + r * g->vocab, max = -FLT_MAX, log_sum;
        double sum = 0;

        for (size_t i = 0; i < g->vocab; i++)
            max = s[i] > max ? s[i] : max;
        for (size_t i = 0; i < g->vocab; i++)
            sum += (double)expf(s[i] - max);
        log_sum = (float)log(sum);
        for (size_t i = 0; i < g->vocab; i++)
            s[i] = s[i] - max - log_sum;
    }
}

/* Tokens beyond the vocabulary, a pad token for one, have no score to change. */
static bool is_word(const struct bp_generate *g, int32_t token)
{
    return token >= 0 && (size_t)token < g->vocab;
}

/* Each word that a sequence has counts once. */
static void penalise_repetition(struct bp_generate *g, const int32_t *sequence, float *scores)
{
    for (size_t i = 0; i < g->length; i++) {
        float *score;

        if (!is_word(g, sequence[i]) || g->seen[sequence[i]])
            continue;
        g->seen[sequence[i]] = 1;
        score = &scores[sequence[i]];
        *score = *score < 0 ? *score * g->repetition_penalty : *score / g->repetition_penalty;
    }
    for (size_t i = 0; i < g->length; i++) {
        if (is_word(g, sequence[i]))
            g->seen[sequence[i]] = 0;
    }
}

/* Forbids each word that would repeat an n-gram of the sequence. */
static void forbid_ngrams(const struct bp_generate *g, const int32_t *sequence, float *scores)
{
    size_t n = (size_t)g->ngram - 1;
    const int32_t *last;

    if ((uint64_t)g->ngram > g->length)
        return;
    last = sequence + g->length - n;
    for (size_t i = 0; i + n < g->length; i++) {
        if (is_word(g, sequence[i + n]) && memcmp(sequence + i, last, n * sizeof *last) == 0)
            scores[sequence[i + n]] = -FLT_MAX;
    }
}

/* Words whose mask is 0 are not chosen. */
static void apply_mask(const struct bp_generate *g, const int32_t *mask, float *scores)
{
    for (size_t i = 0; i < g->vocab; i++) {
        if (mask[i] == 0)
            scores[i] = -FLT_MAX;
    }
}

/*
 * The order is ONNX Runtime's: repetition, n-grams, masks, minimum length, temperature, presence.
 */
static void adjust_row(struct bp_generate *g, size_t r)
{
    const int32_t *sequence = g->sequences + r * g->max_length;
    float *scores = g->scores + r * g->vocab;
    size_t entry = r / g->beams;

    if (g->repetition_penalty != 1.0f)
        penalise_repetition(g, sequence, scores);
    if (g->ngram > 0)
        forbid_ngrams(g, sequence, scores);
    if (g->vocab_mask)
        apply_mask(g, g->vocab_mask, scores);
    if (g->prefix_mask && g->step == 0)
        apply_mask(g, g->prefix_mask + entry * g->vocab, scores);
    if (g->min_length > 0 && g->length < (uint64_t)g->min_length && is_word(g, g->eos))
        scores[g->eos] = -FLT_MAX;
    for (size_t i = 0; g->temperature > 0 && g->temperature != 1.0f && i < g->vocab; i++)
        scores[i] /= g->temperature;
    for (size_t i = 0; g->presence_mask && g->presence_penalty != 0 && i < g->vocab; i++)
        scores[i] -= (float)g->presence_mask[r * g->vocab + i] * g->presence_penalty;
}

void bp_generate_adjust(struct bp_generate *g)
{
    for (size_t r = 0; r < g->rows; r++)
        adjust_row(g, r);
}
