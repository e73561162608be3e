/* SPDX-License-Identifier: MIT */
/*
 * generate.c - BeamSearch, GreedySearch and Sampling of com.microsoft: the loop that they have in
 * common, and their outputs. What is chosen follows ONNX Runtime's CPU provider.
 */

#include "config.h"

#include "exec/control/generate.h"
#include "exec/control/table.h"

#include <string.h>

/* ---- before the first token ------------------------------------------------------------------ */

/* Sequences begin with the prompt, or with the start tokens of a model with an encoder. */
static void set_prompts(struct bp_generate *g)
{
    const struct bp_cell *first = g->model_type == BP_GENERATE_GPT ? g->ids : g->start_ids;
    const int32_t *ids = first ? first->base : NULL;

    for (size_t r = 0; r < g->rows; r++) {
        int32_t *sequence = g->sequences + r * g->max_length;

        if (ids)
            memcpy(sequence, ids + r / g->beams * g->prompt, g->prompt * sizeof *ids);
        else
            sequence[0] = g->start;
        g->tokens[r] = sequence[g->prompt - 1];
        g->origins[r] = (int32_t)r;
    }
    g->length = g->prompt;
}

/*
 * Reads parameters and makes the lists that do not depend on the vocabulary. Products of sizes are
 * checked, as batch and lengths come from the model's inputs.
 */
static bp_rc start(struct bp_generate *g, bp_err *err)
{
    size_t total;
    bp_rc rc = bp_generate_read(g, err);

    if (rc < 0)
        return rc;
    if (!bp_mul_size(g->rows, g->max_length, &total))
        return bp_fail_nomem(err, "the sequences");
    g->sequences = bp_region_array(&g->region, total, sizeof *g->sequences);
    g->spare = bp_region_array(&g->region, total, sizeof *g->spare);
    g->tokens = bp_region_array(&g->region, g->rows, sizeof *g->tokens);
    g->origins = bp_region_array(&g->region, g->rows, sizeof *g->origins);
    g->positions = bp_region_array(&g->region, g->rows, sizeof *g->positions);
    if (!g->sequences || !g->spare || !g->tokens || !g->origins || !g->positions)
        return bp_fail_nomem(err, "the sequences");
    set_prompts(g);
    return BP_OK;
}

/* Outputs are optional: those without a reader are not computed. */
static bool is_wanted(const struct bp_generate *g, uint32_t i)
{
    return i < g->node->n_out && g->node->out[i] != BP_NONE;
}

/* Memory for output i, zeroed. */
static bp_rc make_output(struct bp_generate *g, uint32_t i, uint32_t dtype, uint32_t rank,
                         const int64_t *dims, struct bp_cell *out, bp_err *err)
{
    bp_rc rc = bp_host_op_alloc_output(g->state, g->node, i, dtype, rank, dims, out, err);

    if (rc >= 0 && out->bytes)
        memset(out->base, 0, out->bytes);
    return rc;
}

/* Lists that depend on the vocabulary, once the first logits tell its size. */
static bp_rc start_choosing(struct bp_generate *g, size_t width, bp_err *err)
{
    size_t total;
    bp_rc rc = bp_generate_check_vocab(g, width, err);

    if (rc < 0)
        return rc;
    if (bp_mul_size(g->rows, g->vocab, &total))
        g->scores = bp_region_array(&g->region, total, sizeof *g->scores);
    g->seen = bp_region_array(&g->region, g->vocab, 1);
    if (!g->scores || !g->seen)
        return bp_fail_nomem(err, "the scores");
    if (g->kind == BP_GENERATE_BEAMS)
        rc = bp_beams_init(g, err);
    else
        g->is_done = bp_region_array(&g->region, g->batch, sizeof *g->is_done);
    if (rc >= 0 && !g->is_done)
        rc = bp_fail_nomem(err, "the sequences");
    if (rc >= 0 && g->kind == BP_GENERATE_SAMPLE)
        rc = bp_sample_init(g, err);
    if (rc >= 0 && g->kind == BP_GENERATE_BEAMS && is_wanted(g, 2))
        rc = make_output(g, 2, BP_DTYPE_F32, 4,
                         (int64_t[]){(int64_t)(g->max_length - g->prompt), (int64_t)g->batch,
                                     (int64_t)g->beams, (int64_t)g->vocab},
                         &g->all_scores, err);
    return rc;
}

/* ---- a token --------------------------------------------------------------------------------- */

/* The first of the best words. */
static int32_t best_word(const float *scores, size_t n)
{
    size_t best = 0;

    for (size_t i = 1; i < n; i++)
        best = scores[i] > scores[best] ? i : best;
    return (int32_t)best;
}

/* A sequence that has ended is padded from its last token on. */
static void choose_one(struct bp_generate *g)
{
    if (g->kind == BP_GENERATE_SAMPLE)
        bp_sample_choose(g);
    for (size_t r = 0; r < g->rows; r++) {
        if (g->kind == BP_GENERATE_GREEDY)
            g->tokens[r] = best_word(g->scores + r * g->vocab, g->vocab);
        g->is_done[r] |= g->tokens[r] == g->eos;
        if (g->is_done[r])
            g->tokens[r] = g->pad;
    }
}

/* Each row goes on from the row that was chosen for it. */
static void append(struct bp_generate *g)
{
    int32_t *before = g->sequences;

    for (size_t r = 0; r < g->rows; r++) {
        int32_t *to = g->spare + r * g->max_length;

        memcpy(to, before + (size_t)g->origins[r] * g->max_length, g->length * sizeof *to);
        to[g->length] = g->tokens[r];
    }
    g->sequences = g->spare;
    g->spare = before;
    g->length++;
    g->step++;
}

/*
 * One step: logits to scores, scores to a token for each row, tokens to sequences. The vocabulary
 * may not shrink between steps, as lists and masks have its first size.
 */
static bp_rc choose(struct bp_generate *g, const struct bp_cell *logits, bp_err *err)
{
    bp_rc rc = BP_OK;

    if (g->step == 0)
        rc = start_choosing(g, (size_t)logits->dims[2], err);
    if (rc >= 0 && (size_t)logits->dims[2] < g->vocab)
        rc = bp_host_op_fail(g->node, err, BP_E_SHAPE, "the logits have %lld tokens, %zu before",
                             (long long)logits->dims[2], g->vocab);
    if (rc < 0)
        return rc;
    bp_generate_take_logits(g, logits);
    if (g->kind == BP_GENERATE_BEAMS)
        bp_generate_log_softmax(g);
    bp_generate_adjust(g);
    if (g->kind == BP_GENERATE_BEAMS)
        rc = bp_beams_choose(g, err);
    else
        choose_one(g);
    if (rc >= 0)
        append(g);
    return rc;
}

/* All entries have ended, or no sequence may grow. */
static bool is_over(const struct bp_generate *g)
{
    size_t n = 0;

    while (n < g->batch && g->is_done[n])
        n++;
    return n == g->batch || g->length == g->max_length;
}

/* The first step differs from the others in what the decoder is fed. */
static bp_rc generate(struct bp_generate *g, bp_err *err)
{
    struct bp_cell logits;
    bp_rc rc = bp_generate_first(g, &logits, err);

    if (rc >= 0)
        rc = choose(g, &logits, err);
    while (rc >= 0 && !is_over(g)) {
        rc = bp_generate_next(g, &logits, err);
        if (rc >= 0)
            rc = choose(g, &logits, err);
    }
    return rc;
}

/* ---- outputs --------------------------------------------------------------------------------- */

/*
 * Outputs of BeamSearch: the best num_return_sequences of each entry, padded to max_length, their
 * scores, and on demand those of each step.
 */
static bp_rc set_beams(struct bp_generate *g, bp_err *err)
{
    int64_t dims[] = {(int64_t)g->batch, (int64_t)g->returned, (int64_t)g->max_length};
    struct bp_cell sequences = {0}, scores = {0};
    bp_rc rc = BP_OK;

    bp_beams_end(g);
    if (is_wanted(g, 0))
        rc = make_output(g, 0, BP_DTYPE_I32, 3, dims, &sequences, err);
    if (rc >= 0 && is_wanted(g, 1))
        rc = make_output(g, 1, BP_DTYPE_F32, 2, dims, &scores, err);
    for (size_t i = 0; rc >= 0 && i < g->batch * g->returned; i++) {
        const struct bp_hypothesis *from =
            &g->finished[i / g->returned * g->beams + i % g->returned];
        int32_t *to = (int32_t *)sequences.base + i * g->max_length;

        for (size_t t = 0; sequences.base && t < g->max_length; t++)
            to[t] = t < from->length ? from->tokens[t] : g->pad;
        if (scores.base)
            ((float *)scores.base)[i] = from->score;
    }
    if (rc >= 0 && sequences.base)
        rc = bp_run_set(g->state, g->node->out[0], &sequences, err);
    if (rc >= 0 && scores.base)
        rc = bp_run_set(g->state, g->node->out[1], &scores, err);
    if (rc >= 0 && g->all_scores.base)
        rc = bp_run_set(g->state, g->node->out[2], &g->all_scores, err);
    return rc;
}

/* After all sequences have ended, the remaining tokens are 0, not padding, as in ONNX Runtime. */
static bp_rc set_sequences(struct bp_generate *g, bp_err *err)
{
    int64_t dims[] = {(int64_t)g->batch, (int64_t)g->max_length};
    struct bp_cell cell;
    bp_rc rc;

    if (!is_wanted(g, 0))
        return BP_OK;
    rc = make_output(g, 0, BP_DTYPE_I32, 2, dims, &cell, err);
    for (size_t r = 0; rc >= 0 && r < g->rows; r++)
        memcpy((int32_t *)cell.base + r * g->max_length, g->sequences + r * g->max_length,
               g->length * sizeof(int32_t));
    return rc < 0 ? rc : bp_run_set(g->state, g->node->out[0], &cell, err);
}

/* filtered_logits of Sampling: the scores of the last token. */
static bp_rc set_filtered(struct bp_generate *g, bp_err *err)
{
    int64_t dims[] = {(int64_t)g->batch, (int64_t)g->vocab};
    struct bp_cell cell;
    bp_rc rc;

    if (!is_wanted(g, 1))
        return BP_OK;
    rc = make_output(g, 1, BP_DTYPE_F32, 2, dims, &cell, err);
    if (rc < 0)
        return rc;
    memcpy(cell.base, g->scores, cell.bytes);
    return bp_run_set(g->state, g->node->out[1], &cell, err);
}

/* ---- the operators --------------------------------------------------------------------------- */

/*
 * What the three operators have in common. All lists go with the node: only subgraphs' frames are
 * kept.
 */
static bp_rc run(struct bp_run_state *state, const struct bp_unit *unit, enum bp_generate_kind kind,
                 bp_err *err)
{
    struct bp_generate g = {
        .state = state, .unit = unit, .node = bp_host_op_node(state, unit), .kind = kind};
    bp_rc rc = start(&g, err);

    if (rc >= 0)
        rc = generate(&g, err);
    if (rc >= 0)
        rc = kind == BP_GENERATE_BEAMS ? set_beams(&g, err) : set_sequences(&g, err);
    if (rc >= 0 && kind == BP_GENERATE_SAMPLE)
        rc = set_filtered(&g, err);
    bp_feeds_finish(&g.feeds);
    bp_region_finish(&g.region);
    return rc;
}

bp_rc bp_host_op_beam_search(struct bp_run_state *state, const struct bp_unit *unit, bp_err *err)
{
    return run(state, unit, BP_GENERATE_BEAMS, err);
}

bp_rc bp_host_op_greedy_search(struct bp_run_state *state, const struct bp_unit *unit, bp_err *err)
{
    return run(state, unit, BP_GENERATE_GREEDY, err);
}

bp_rc bp_host_op_sampling(struct bp_run_state *state, const struct bp_unit *unit, bp_err *err)
{
    return run(state, unit, BP_GENERATE_SAMPLE, err);
}
