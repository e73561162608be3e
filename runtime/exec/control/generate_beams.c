/* SPDX-License-Identifier: MIT */
/* generate_beams.c - beam search: the best continuations of a batch entry, and what has ended. */

#include "config.h"

#include <math.h>
#include <string.h>

#include "exec/control/generate.h"

/* A continuation: row `beam` of a batch entry, by a token. */
struct bp_beam_candidate {
    float score;
    uint32_t beam;
    int32_t token;
};

/* A finished list holds `beams` hypotheses an entry, each with memory for max_length tokens. */
bp_rc bp_beams_init(struct bp_generate *g, bp_err *err)
{
    size_t n = g->rows;
    int32_t *tokens = NULL;
    size_t total;

    g->row_scores = bp_region_array(&g->region, n, sizeof *g->row_scores);
    g->finished = bp_region_array(&g->region, n, sizeof *g->finished);
    g->n_finished = bp_region_array(&g->region, g->batch, sizeof *g->n_finished);
    g->is_done = bp_region_array(&g->region, g->batch, sizeof *g->is_done);
    g->best = bp_region_array(&g->region, n, 2 * sizeof *g->best);
    if (bp_mul_size(n, g->max_length, &total))
        tokens = bp_region_array(&g->region, total, sizeof *tokens);
    if (!g->row_scores || !g->finished || !g->n_finished || !g->is_done || !g->best || !tokens)
        return bp_fail_nomem(err, "the beams");
    for (size_t r = 0; r < n; r++) {
        g->finished[r].tokens = tokens + r * g->max_length;
        /* beams of an entry begin alike: but one is out, or all would go on alike */
        g->row_scores[r] = r % g->beams == 0 ? 0.0f : -1e9f;
    }
    return BP_OK;
}

/* ---- the lists ------------------------------------------------------------------------------- */

/* Adds the sequence of a row to its entry's list, unless that is full of better ones. */
static void finish_row(struct bp_generate *g, size_t entry, size_t row, float sum)
{
    struct bp_hypothesis *list = g->finished + entry * g->beams, new;
    size_t at = g->n_finished[entry];
    float score = sum / powf((float)g->length, g->length_penalty);

    if (at == g->beams && score <= list[--at].score)
        return;
    if (at == g->n_finished[entry])
        g->n_finished[entry]++;
    new = list[at]; /* its memory */
    for (; at > 0 && score > list[at - 1].score; at--)
        list[at] = list[at - 1];
    new.score = score;
    new.length = (uint32_t)g->length;
    memcpy(new.tokens, g->sequences + row * g->max_length, g->length * sizeof *new.tokens);
    list[at] = new;
}

/*
 * Can a running sequence of the entry still become better than the worst finished one? ONNX Runtime
 * reads the best candidate at index entry * beams, not entry * 2 * beams; so does this, because
 * results of several prompts depend on it.
 */
static bool can_improve(const struct bp_generate *g, size_t entry)
{
    const struct bp_hypothesis *worst = &g->finished[entry * g->beams + g->beams - 1];
    const struct bp_beam_candidate *from = g->best + entry * g->beams;
    float best_sum = from[0].score;

    for (size_t i = 1; i < 2 * g->beams; i++)
        best_sum = from[i].score > best_sum ? from[i].score : best_sum;
    return worst->score < best_sum / powf((float)g->length, g->length_penalty);
}

/* ---- a step ---------------------------------------------------------------------------------- */

/* The 2 * beams best continuations of an entry, the first of equals before others. */
static void rank(struct bp_generate *g, size_t entry)
{
    struct bp_beam_candidate *best = g->best + entry * g->beams * 2;
    const float *scores = g->scores + entry * g->beams * g->vocab;
    size_t k = 2 * g->beams, n = 0;

    for (size_t beam = 0; beam < g->beams; beam++) {
        for (size_t token = 0; token < g->vocab; token++) {
            float score = *scores++;
            size_t at;

            if (n == k && !(score > best[k - 1].score))
                continue;
            for (at = n < k ? n++ : k - 1; at > 0 && score > best[at - 1].score; at--)
                best[at] = best[at - 1];
            best[at] = (struct bp_beam_candidate){score, (uint32_t)beam, (int32_t)token};
        }
    }
}

/* A finished entry continues with padding, which is not read. */
static void pad(struct bp_generate *g, size_t entry)
{
    for (size_t r = entry * g->beams; r < (entry + 1) * g->beams; r++) {
        g->row_scores[r] = 0;
        g->tokens[r] = g->pad;
        g->origins[r] = 0;
    }
}

/*
 * The next token of each row of an entry. Ended continuations go into the list of finished ones,
 * but only if they are among the first `beams`, as in ONNX Runtime; 2 * beams candidates leave
 * enough others.
 */
static bp_rc choose(struct bp_generate *g, size_t entry, bp_err *err)
{
    const struct bp_beam_candidate *best = g->best + entry * g->beams * 2;
    size_t first = entry * g->beams, n = 0;

    for (size_t i = 0; i < 2 * g->beams && n < g->beams; i++) {
        size_t row = first + best[i].beam;

        if (best[i].token != g->eos) {
            g->row_scores[first + n] = best[i].score;
            g->tokens[first + n] = best[i].token;
            g->origins[first + n++] = (int32_t)row;
        } else if (i < g->beams) {
            finish_row(g, entry, row, best[i].score);
        }
    }
    if (n < g->beams)
        return bp_host_op_fail(
            g->node, err, BP_E_INVALID,
            "%zu beams have fewer than %zu tokens to continue with; use fewer beams", g->beams,
            g->beams);
    return BP_OK;
}

/*
 * Scores become sums over the sequence; every entry is ranked before any is chosen, see
 * can_improve().
 */
bp_rc bp_beams_choose(struct bp_generate *g, bp_err *err)
{
    bp_rc rc = BP_OK;

    if (g->vocab < 2)
        return bp_host_op_fail(g->node, err, BP_E_INVALID,
                               "a vocabulary of %zu tokens is too small", g->vocab);
    for (size_t r = 0, i = 0; r < g->rows; r++) {
        for (size_t w = 0; w < g->vocab; w++)
            g->scores[i++] += g->row_scores[r];
    }
    if (g->all_scores.base)
        memcpy((float *)g->all_scores.base + g->step * g->rows * g->vocab, g->scores,
               g->rows * g->vocab * sizeof *g->scores);
    for (size_t entry = 0; entry < g->batch; entry++)
        rank(g, entry);
    for (size_t entry = 0; rc >= 0 && entry < g->batch; entry++) {
        if (g->is_done[entry]) {
            pad(g, entry);
            continue;
        }
        rc = choose(g, entry, err);
        if (rc >= 0 && g->n_finished[entry] == g->beams)
            g->is_done[entry] = g->stops_early || !can_improve(g, entry);
    }
    return rc;
}

/* Entries that have not ended when max_length is reached compete with what has. */
void bp_beams_end(struct bp_generate *g)
{
    for (size_t entry = 0; entry < g->batch; entry++) {
        for (size_t i = 0; i < g->beams && !g->is_done[entry]; i++)
            finish_row(g, entry, entry * g->beams + i, g->row_scores[entry * g->beams + i]);
    }
}
