/* SPDX-License-Identifier: MIT */
/*
 * generate_run.c - runs of the subgraphs. A model as GPT-2 has one: logits and present_* from ids,
 * positions, a mask and past_*. One as T5 has an encoder, which also makes the decoder's first past
 * and mostly the first token's logits. Past and present have a dimension that is the rows; a
 * decoder's past is its last present with the rows that were chosen.
 */

#include "config.h"

#include <string.h>

#include "exec/control/generate.h"

/* The cell of output i, valid until the subgraph runs again. */
static struct bp_cell *output(const struct bp_frame_state *child, uint32_t i)
{
    return &child->cells[child->subgraph->ir->outputs[i]];
}

/* One run of a subgraph with these inputs, one cell each. Limits are checked for each token. */
static bp_rc run(struct bp_generate *g, struct bp_frame_state *child, const struct bp_cell *inputs,
                 bp_err *err)
{
    const struct bp_ir *ir = child->subgraph->ir;
    bp_rc rc = bp_run_check(g->state->shared, err);

    for (uint32_t i = 0; i < ir->n_inputs; i++)
        child->cells[ir->inputs[i]] = inputs[i];
    if (rc >= 0)
        rc = bp_subgraph_run(child, g->state->shared, err);
    g->ran = child;
    return rc;
}

/* Output i of the subgraph that ran: float32, with `n` at dimension `axis`. */
static bp_rc check_output(const struct bp_generate *g, uint32_t i, uint32_t rank, uint32_t axis,
                          size_t n, bp_err *err)
{
    const struct bp_cell *cell = output(g->ran, i);
    const struct bp_ir *ir = g->ran->subgraph->ir;

    if (bp_cell_kind(cell) != BP_KIND_TENSOR || cell->dtype != BP_DTYPE_F32 || cell->rank != rank ||
        cell->dims[axis] != (int64_t)n)
        return bp_host_op_fail(g->node, err, BP_E_SHAPE,
                               "'%s' of graph '%s' has to be float32 of rank %u with %zu at "
                               "dimension %u",
                               ir->values[ir->outputs[i]].name, ir->name, rank, n, axis);
    return BP_OK;
}

/* The logits of the subgraph that ran, in *out. */
static bp_rc take_logits(const struct bp_generate *g, size_t rows, struct bp_cell *out, bp_err *err)
{
    bp_rc rc = check_output(g, 0, 3, 0, rows, err);

    if (rc < 0)
        return rc;
    *out = *output(g->ran, 0);
    if (out->dims[1] < 1 || out->dims[2] < 1)
        return bp_host_op_fail(g->node, err, BP_E_SHAPE, "the logits of graph '%s' are empty",
                               g->ran->subgraph->ir->name);
    return BP_OK;
}

/* ids [rows][1], the tokens that were chosen. */
static bp_rc feed_tokens(struct bp_generate *g, bp_err *err)
{
    int64_t dims[] = {(int64_t)g->rows, 1};
    void *to;
    bp_rc rc = bp_feeds_alloc(&g->feeds, 0, BP_DTYPE_I32, 2, dims, &to, err);

    if (rc >= 0)
        memcpy(to, g->tokens, g->rows * sizeof *g->tokens);
    return rc;
}

/*
 * Input i from output `from` of the subgraph that ran; with several beams, the rows that were
 * chosen.
 */
static bp_rc feed_past(struct bp_generate *g, uint32_t i, uint32_t from, uint32_t rank,
                       uint32_t axis, bp_err *err)
{
    const int32_t *rows = g->beams > 1 ? g->origins : NULL;
    bp_rc rc = check_output(g, from, rank, axis, g->rows, err);

    return rc < 0 ? rc
                  : bp_feeds_take(&g->feeds, i, output(g->ran, from), axis, rows, 1, g->rows, err);
}

/* ---- decoder alone, as GPT-2 ----------------------------------------------------------------- */

enum { IDS, POSITIONS, MASK, FIRST_PAST };

/* Positions and, unless it is given, the mask: padding counts for nothing. */
static bp_rc feed_positions(struct bp_generate *g, bp_err *err)
{
    int64_t dims[] = {(int64_t)g->rows, (int64_t)g->prompt};
    const int32_t *ids;
    void *to_positions, *to_mask = NULL;
    bp_rc rc = bp_feeds_alloc(&g->feeds, POSITIONS, BP_DTYPE_I32, 2, dims, &to_positions, err);

    if (rc >= 0 && g->attention_mask)
        rc = bp_feeds_take(&g->feeds, MASK, g->attention_mask, 0, NULL, g->beams, g->rows, err);
    else if (rc >= 0)
        rc = bp_feeds_alloc(&g->feeds, MASK, BP_DTYPE_I32, 2, dims, &to_mask, err);
    if (rc < 0)
        return rc;
    ids = g->feeds.cells[IDS].base;
    for (size_t r = 0, i = 0; r < g->rows; r++) {
        int32_t position = 0;

        for (size_t t = 0; t < g->prompt; t++, i++) {
            bool is_word = ids[i] != g->pad;

            ((int32_t *)to_positions)[i] = is_word ? position++ : 0;
            if (to_mask)
                ((int32_t *)to_mask)[i] = is_word;
        }
        g->positions[r] = position;
    }
    return BP_OK;
}

/* past_*: [2][rows][heads][0][head size]; the rule has seen to the numbers. */
static bp_rc feed_no_past(struct bp_generate *g, const struct bp_ir *ir, bp_err *err)
{
    const struct bp_fact *declared = &ir->values[ir->inputs[FIRST_PAST]].declared;
    int64_t dims[] = {2, (int64_t)g->rows, declared->dims[2].value, 0, declared->dims[4].value};
    void *nothing;
    bp_rc rc = BP_OK;

    for (uint32_t i = FIRST_PAST; rc >= 0 && i < ir->n_inputs; i++)
        rc = bp_feeds_alloc(&g->feeds, i, BP_DTYPE_F32, 5, dims, &nothing, err);
    return rc;
}

/* The whole prompt at once. init_decoder, where a model has one, is the graph for that. */
static bp_rc first_of_gpt(struct bp_generate *g, struct bp_cell *logits, bp_err *err)
{
    const char *name = bp_ir_subgraph(g->node, "init_decoder") ? "init_decoder" : "decoder";
    struct bp_frame_state *child;
    bp_rc rc = bp_host_op_named_subgraph(g->state, g->unit, name, &child, err);

    if (rc >= 0)
        rc = bp_feeds_init(&g->feeds, child, child->subgraph->ir->n_inputs, err);
    if (rc >= 0)
        rc = bp_feeds_take(&g->feeds, IDS, g->ids, 0, NULL, g->beams, g->rows, err);
    if (rc >= 0)
        rc = feed_positions(g, err);
    if (rc >= 0)
        rc = feed_no_past(g, child->subgraph->ir, err);
    if (rc >= 0)
        rc = run(g, child, g->feeds.cells, err);
    return rc < 0 ? rc : take_logits(g, g->rows, logits, err);
}

/* Appends a 1 to each row of the mask. */
static bp_rc lengthen_mask(struct bp_generate *g, bp_err *err)
{
    struct bp_cell before = g->feeds.cells[MASK];
    size_t n = (size_t)before.dims[1];
    int64_t dims[] = {(int64_t)g->rows, (int64_t)n + 1};
    const int32_t *from = before.base;
    void *buffer;
    int32_t *to;
    bp_rc rc = bp_feeds_alloc(&g->feeds, MASK, BP_DTYPE_I32, 2, dims, &buffer, err);

    to = buffer;
    for (size_t r = 0; rc >= 0 && r < g->rows; r++) {
        memcpy(to + r * (n + 1), from + r * n, n * sizeof *to);
        to[r * (n + 1) + n] = 1;
    }
    return rc;
}

/* One token a row; present_* of the last run are past_* of this one. */
static bp_rc next_of_gpt(struct bp_generate *g, struct bp_cell *logits, bp_err *err)
{
    int64_t dims[] = {(int64_t)g->rows, 1};
    struct bp_frame_state *child;
    void *to;
    bp_rc rc = bp_host_op_named_subgraph(g->state, g->unit, "decoder", &child, err);

    if (rc >= 0)
        rc = feed_tokens(g, err);
    if (rc >= 0)
        rc = bp_feeds_alloc(&g->feeds, POSITIONS, BP_DTYPE_I32, 2, dims, &to, err);
    for (size_t r = 0; rc >= 0 && r < g->rows; r++)
        ((int32_t *)to)[r] = g->positions[r]++;
    if (rc >= 0)
        rc = lengthen_mask(g, err);
    if (rc >= 0 && g->ran->subgraph->ir->n_outputs != child->subgraph->ir->n_outputs)
        rc = bp_host_op_fail(g->node, err, BP_E_INVALID,
                             "init_decoder and decoder have another number of layers");
    for (uint32_t i = FIRST_PAST; rc >= 0 && i < child->subgraph->ir->n_inputs; i++)
        rc = feed_past(g, i, i - FIRST_PAST + 1, 5, 1, err);
    if (rc >= 0)
        rc = run(g, child, g->feeds.cells, err);
    return rc < 0 ? rc : take_logits(g, g->rows, logits, err);
}

/* ---- encoder and decoder, as T5 and Whisper -------------------------------------------------- */

/* The mask that both subgraphs see, unless it is given: 0 for the padding before the first word. */
static bp_rc make_encoder_mask(const struct bp_generate *g, struct bp_generate_feeds *feeds,
                               bp_err *err)
{
    const int32_t *ids = g->ids->base;
    size_t n = (size_t)g->ids->dims[1];
    void *buffer;
    int32_t *to;
    bp_rc rc = bp_feeds_alloc(feeds, 1, BP_DTYPE_I32, 2, g->ids->dims, &buffer, err);

    to = buffer;
    for (size_t b = 0; rc >= 0 && b < g->batch; b++) {
        bool has_begun = false;

        for (size_t t = 0; t < n; t++) {
            has_begun |= ids[b * n + t] != g->pad;
            to[b * n + t] = has_begun;
        }
    }
    return rc;
}

/* The decoder's first tokens, one row a batch entry; those of its first beam. */
static bp_rc feed_start(const struct bp_generate *g, struct bp_generate_feeds *feeds, uint32_t i,
                        bp_err *err)
{
    int64_t dims[] = {(int64_t)g->batch, (int64_t)g->prompt};
    void *to;
    bp_rc rc = bp_feeds_alloc(feeds, i, BP_DTYPE_I32, 2, dims, &to, err);

    for (size_t b = 0; rc >= 0 && b < g->batch; b++)
        memcpy((int32_t *)to + b * g->prompt, g->sequences + b * g->beams * g->max_length,
               g->prompt * sizeof(int32_t));
    return rc;
}

/* Whisper's encoder sees features and tokens; T5's ids, a mask and, if it wants them, tokens. */
static bp_rc run_encoder(struct bp_generate *g, struct bp_generate_feeds *feeds, bp_err *err)
{
    bool has_mask = g->model_type != BP_GENERATE_WHISPER;
    struct bp_frame_state *child;
    bp_rc rc = bp_host_op_named_subgraph(g->state, g->unit, "encoder", &child, err);

    if (rc >= 0)
        rc = bp_feeds_init(feeds, child, 3, err);
    if (rc < 0)
        return rc;
    feeds->cells[0] = *g->ids;
    if (has_mask && g->attention_mask)
        feeds->cells[1] = *g->attention_mask;
    else if (has_mask)
        rc = make_encoder_mask(g, feeds, err);
    if (rc >= 0 && (!has_mask || child->subgraph->ir->n_inputs > 2))
        rc = feed_start(g, feeds, has_mask ? 2 : 1, err);
    return rc < 0 ? rc : run(g, child, feeds->cells, err);
}

/* Does the encoder also make the decoder's first step? */
static bool makes_states(const struct bp_generate *g, const struct bp_ir *encoder)
{
    return g->model_type == BP_GENERATE_WHISPER || encoder->n_inputs == 3;
}

/* Input i of the decoder from output `from` of the encoder, once for each beam. */
static bp_rc spread(struct bp_generate *g, uint32_t i, uint32_t from, uint32_t rank, bp_err *err)
{
    bp_rc rc = check_output(g, from, rank, 0, g->batch, err);

    return rc < 0
               ? rc
               : bp_feeds_take(&g->feeds, i, output(g->ran, from), 0, NULL, g->beams, g->rows, err);
}

/* Where past_* begins among the decoder's inputs, which are 4 a layer then. */
static uint32_t first_past_of(const struct bp_ir *decoder)
{
    return decoder->n_inputs - 2 * (decoder->n_outputs - 1);
}

/* Of an encoder that makes no states of the decoder's own: [rows][heads][0][head size]. */
static bp_rc feed_no_states(struct bp_generate *g, uint32_t first, uint32_t n, bp_err *err)
{
    const struct bp_cell *cross = output(g->ran, 0);
    int64_t dims[] = {(int64_t)g->rows, cross->dims[1], 0, cross->dims[3]};
    void *nothing;
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < n; i++)
        rc = bp_feeds_alloc(&g->feeds, first + i, BP_DTYPE_F32, 4, dims, &nothing, err);
    return rc;
}

/* What the encoder made, as the decoder's first inputs. */
static bp_rc feed_encoded(struct bp_generate *g, const struct bp_ir *decoder,
                          const struct bp_cell *mask, bp_err *err)
{
    uint32_t first = first_past_of(decoder), n = decoder->n_outputs - 1; /* states: 2 a layer */
    bool has_mask = g->model_type != BP_GENERATE_WHISPER;
    bool has_states = makes_states(g, g->ran->subgraph->ir);
    bp_rc rc = bp_feeds_init(&g->feeds, g->state->frame, decoder->n_inputs, err);

    if (rc >= 0 && has_mask)
        rc = bp_feeds_take(&g->feeds, 1, mask, 0, NULL, g->beams, g->rows, err);
    if (rc >= 0 && first == (has_mask ? 3 : 2)) /* encoder_hidden_states */
        rc = spread(g, first - 1, 1, 3, err);
    for (uint32_t i = 0; rc >= 0 && has_states && i < 2 * n; i++)
        rc = spread(g, first + i, 2 + i, 4, err);
    for (uint32_t i = 0; rc >= 0 && !has_states && i < n; i++)
        rc = spread(g, first + n + i, i, 4, err);
    return rc < 0 || has_states ? rc : feed_no_states(g, first, n, err);
}

/* A decoder whose ids are declared as [batch,1] gets the last token, others all so far. */
static bp_rc feed_ids(struct bp_generate *g, const struct bp_ir *decoder, bp_err *err)
{
    const struct bp_fact *ids = &decoder->values[decoder->inputs[0]].declared;
    int64_t dims[] = {(int64_t)g->rows, (int64_t)g->length};
    void *to;
    bp_rc rc;

    if (ids->rank == 2 && bp_sym_known(ids->dims[1]) && ids->dims[1].value == 1)
        return feed_tokens(g, err);
    rc = bp_feeds_alloc(&g->feeds, 0, BP_DTYPE_I32, 2, dims, &to, err);
    for (size_t r = 0; rc >= 0 && r < g->rows; r++)
        memcpy((int32_t *)to + r * g->length, g->sequences + r * g->max_length,
               g->length * sizeof(int32_t));
    return rc;
}

/* Feeds the tokens and runs; past and encoder states have been fed. */
static bp_rc run_decoder(struct bp_generate *g, struct bp_frame_state *child,
                         struct bp_cell *logits, bp_err *err)
{
    bp_rc rc = feed_ids(g, child->subgraph->ir, err);

    if (rc >= 0)
        rc = run(g, child, g->feeds.cells, err);
    return rc < 0 ? rc : take_logits(g, g->rows, logits, err);
}

/*
 * The encoder's own feeds are not needed after this step; what the decoder gets are copies for each
 * beam.
 */
static bp_rc first_of_two(struct bp_generate *g, struct bp_cell *logits, bp_err *err)
{
    struct bp_generate_feeds encoder = {0};
    struct bp_frame_state *child;
    bp_rc rc = run_encoder(g, &encoder, err);

    if (rc >= 0)
        rc = bp_host_op_named_subgraph(g->state, g->unit, "decoder", &child, err);
    if (rc >= 0)
        rc = feed_encoded(g, child->subgraph->ir, &encoder.cells[1], err);
    if (rc >= 0 && makes_states(g, g->ran->subgraph->ir))
        rc = take_logits(g, g->batch, logits, err);
    else if (rc >= 0)
        rc = run_decoder(g, child, logits, err);
    bp_feeds_finish(&encoder);
    return rc;
}

/*
 * The decoder's first run has the encoder's states, which stay, and no outputs of its own to take a
 * past from.
 */
static bp_rc next_of_two(struct bp_generate *g, struct bp_cell *logits, bp_err *err)
{
    struct bp_frame_state *child;
    bp_rc rc = bp_host_op_named_subgraph(g->state, g->unit, "decoder", &child, err);

    if (rc < 0)
        return rc;
    for (uint32_t i = 1; rc >= 0 && g->ran == child && i < child->subgraph->ir->n_outputs; i++)
        rc = feed_past(g, first_past_of(child->subgraph->ir) + i - 1, i, 4, 0, err);
    return rc < 0 ? rc : run_decoder(g, child, logits, err);
}

/* ----------------------------------------------------------------------------------------------- */

/* What the models differ in is decided by model_type alone, which the shape rule has checked. */
bp_rc bp_generate_first(struct bp_generate *g, struct bp_cell *logits, bp_err *err)
{
    return g->model_type == BP_GENERATE_GPT ? first_of_gpt(g, logits, err)
                                            : first_of_two(g, logits, err);
}

bp_rc bp_generate_next(struct bp_generate *g, struct bp_cell *logits, bp_err *err)
{
    return g->model_type == BP_GENERATE_GPT ? next_of_gpt(g, logits, err)
                                            : next_of_two(g, logits, err);
}
