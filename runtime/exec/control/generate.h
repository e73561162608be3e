/* SPDX-License-Identifier: MIT */
/*
 * generate.h - BeamSearch, WhisperBeamSearch, GreedySearch and Sampling of com.microsoft: a
 * decoder's subgraph is run a token at a time, and what it gives is scored, chosen from and fed to
 * it again. A row is one sequence that is being made: batch entry b has the rows b * beams to (b +
 * 1) * beams - 1.
 */
#ifndef BP_EXEC_CONTROL_GENERATE_H
#define BP_EXEC_CONTROL_GENERATE_H

#include "exec/control/host_op.h"

enum { BP_GENERATE_GPT = 0, BP_GENERATE_TWO = 1, BP_GENERATE_WHISPER = 2 }; /* model_type */
enum bp_generate_kind { BP_GENERATE_BEAMS, BP_GENERATE_GREEDY, BP_GENERATE_SAMPLE };

/* A finished sequence of a batch entry, in a list from the best to the worst. */
struct bp_hypothesis {
    float score;
    uint32_t length;
    int32_t *tokens; /* capacity: max_length */
};

/*
 * Subgraphs whose inputs this keeps: two buffers for each, as an output may be an input as it was.
 */
struct bp_generate_feeds {
    struct bp_dynamic_buffer (*buffers)[2];
    struct bp_cell *cells;
    uint32_t n;
};

struct bp_generate {
    struct bp_run_state *state;
    const struct bp_unit *unit;
    const struct bp_ir_node *node;
    enum bp_generate_kind kind;
    struct bp_region region; /* lists below */

    /* attributes and inputs: generate_params.c */
    const struct bp_cell *ids, *attention_mask;
    const struct bp_cell *start_ids; /* Whisper's first tokens; NULL: the start token alone */
    int64_t model_type, min_length, ngram, asked_vocab;
    int32_t eos, pad, start;
    bool stops_early, is_custom;
    size_t batch, beams, rows, returned;
    size_t prompt, max_length; /* tokens that a sequence begins with, and may have */
    float length_penalty, repetition_penalty, presence_penalty, temperature, top_p, filter_value;
    const int32_t *vocab_mask, *prefix_mask, *presence_mask; /* or NULL */
    int64_t keeps;                                           /* min_tokens_to_keep */
    uint32_t random;                                         /* state of the generator */

    /* the run */
    struct bp_generate_feeds feeds; /* of the decoder */
    struct bp_frame_state *ran;     /* the subgraph that ran last: its outputs are valid */
    size_t length;                  /* tokens of each sequence so far */
    uint32_t step;                  /* choices made */
    size_t vocab;                   /* known from the first logits on */
    int32_t *sequences, *spare;     /* [rows][max_length] */
    int32_t *tokens, *origins; /* one a row: its next token, and the row that it goes on from */
    int32_t *positions;        /* one a row: of its next token; GPT */
    float *scores;             /* [rows][vocab] */
    uint8_t *seen;             /* [vocab] scratch */
    float *row_scores;         /* one a row: of the sequence so far */
    struct bp_cell all_scores; /* output 2 of BeamSearch; base NULL: it has no reader */

    struct bp_hypothesis *finished; /* beams a batch entry */
    size_t *n_finished;
    bool *is_done; /* one a batch entry */
    struct bp_beam_candidate *best;
    struct bp_ranked *ranked;
    double *sums;
};

/* ---- generate_params.c ----------------------------------------------------------------------- */

/* Reads and checks attributes and inputs. */
bp_rc bp_generate_read(struct bp_generate *g, bp_err *err) BP_CHECKED;
/* Masks have to have this many words; it is known once logits are there. */
bp_rc bp_generate_check_vocab(struct bp_generate *g, size_t width, bp_err *err) BP_CHECKED;

/* ---- generate_feeds.c: what a decoder is fed with -------------------------------------------- */

/* Feeds of n inputs, whose memory comes from the allocator of the frame. */
bp_rc bp_feeds_init(struct bp_generate_feeds *feeds, const struct bp_frame_state *frame, uint32_t n,
                    bp_err *err) BP_CHECKED;
void bp_feeds_finish(struct bp_generate_feeds *feeds);
/* Allocates input i with this type and shape; *out is its memory. */
bp_rc bp_feeds_alloc(struct bp_generate_feeds *feeds, uint32_t i, uint32_t dtype, uint32_t rank,
                     const int64_t *dims, void **out, bp_err *err) BP_CHECKED;
/*
 * Input i becomes `from` with other rows: dimension `axis` has n of them, number r is row rows[r]
 * of from, or r / per where rows is NULL.
 */
bp_rc bp_feeds_take(struct bp_generate_feeds *feeds, uint32_t i, const struct bp_cell *from,
                    uint32_t axis, const int32_t *rows, size_t per, size_t n,
                    bp_err *err) BP_CHECKED;

/* ---- generate_run.c: models of one and of two subgraphs -------------------------------------- */

/*
 * Runs the first subgraph or subgraphs; *logits: [batch or rows][..][vocab] of the first token to
 * come.
 */
bp_rc bp_generate_first(struct bp_generate *g, struct bp_cell *logits, bp_err *err) BP_CHECKED;
/* Feeds the decoder with the tokens that were chosen, and runs it. */
bp_rc bp_generate_next(struct bp_generate *g, struct bp_cell *logits, bp_err *err) BP_CHECKED;

/* ---- generate_scores.c ----------------------------------------------------------------------- */

/* Takes the last token's logits of each row into g->scores. */
void bp_generate_take_logits(struct bp_generate *g, const struct bp_cell *logits);
/* Turns g->scores into log probabilities, in place. */
void bp_generate_log_softmax(struct bp_generate *g);
/* Applies penalties and masks to g->scores. */
void bp_generate_adjust(struct bp_generate *g);

/* ---- generate_beams.c, generate_sample.c ----------------------------------------------------- */

bp_rc bp_beams_init(struct bp_generate *g, bp_err *err) BP_CHECKED;
/* Chooses g->tokens and g->origins by g->scores; adds sequences that ended to the lists. */
bp_rc bp_beams_choose(struct bp_generate *g, bp_err *err) BP_CHECKED;
/* Adds sequences that have not ended to the lists, too. */
void bp_beams_end(struct bp_generate *g);

bp_rc bp_sample_init(struct bp_generate *g, bp_err *err) BP_CHECKED;
/* Filters g->scores and draws a token for each row. */
void bp_sample_choose(struct bp_generate *g);

#endif
