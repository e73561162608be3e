/* SPDX-License-Identifier: MIT */
/* generate_params.c - attributes and inputs of BeamSearch, GreedySearch and Sampling. */

#include "config.h"

#include <float.h>
#include <math.h>

#include "exec/control/generate.h"

enum {
    MAX_LENGTH = 16384, /* ONNX Runtime's limits; they bound memory too */
    MAX_BEAMS = 128
};

/* Indices of inputs that BeamSearch and the other two operators have in another order. */
struct input_indices {
    uint32_t repetition, vocab_mask, prefix_mask, attention_mask;
};

static const struct input_indices beam_inputs = {6, 7, 8, 9};
static const struct input_indices greedy_inputs = {3, 4, 5, 6};

enum {
    NUM_BEAMS = 3,
    NUM_RETURNED = 4,
    LENGTH_PENALTY = 5,
    DECODER_IDS = 10,
    LOGITS_PROCESSOR = 11, /* of BeamSearch */
    TEMPERATURE = 14,      /* of WhisperBeamSearch */
    PRESENCE_MASK = 7,
    SEED = 8 /* of Sampling */
};

/* Input i within limits, or def where it is absent. `name` is the operator's, for the message. */
static bp_rc read_int(const struct bp_generate *g, uint32_t i, const char *name, int64_t def,
                      int64_t min, int64_t max, int64_t *out, bp_err *err)
{
    bp_rc rc = bp_host_op_int(g->state, g->node, i, def, out, err);

    if (rc >= 0 && (*out < min || *out > max))
        return bp_host_op_fail(g->node, err, BP_E_INVALID, "%s is %lld, it may be %lld to %lld",
                               name, (long long)*out, (long long)min, (long long)max);
    return rc;
}

/* Input i, or 1 where it is absent, which changes nothing for each of these inputs. */
static bp_rc read_float(const struct bp_generate *g, uint32_t i, const char *name, float *out,
                        bp_err *err)
{
    const struct bp_cell *cell = bp_host_op_input(g->state, g->node, i);

    *out = 1.0f;
    if (!cell)
        return BP_OK;
    if (cell->dtype != BP_DTYPE_F32 || bp_dims_count(cell->dims, cell->rank) != 1)
        return bp_host_op_fail(g->node, err, BP_E_SHAPE, "%s has to be one float32", name);
    *out = *(const float *)cell->base;
    return BP_OK;
}

/* An attribute of type float, or def. */
static float float_attr(const struct bp_ir_node *node, const char *name, float def)
{
    const bp_attr *attr = bp_ir_attr(node, name);

    return attr && attr->type == BP_ATTR_FLOAT ? *(const float *)attr->data : def;
}

/* A token; those that no vocabulary has are kept so. */
static bp_rc token_attr(const struct bp_generate *g, const char *name, int32_t *out, bp_err *err)
{
    int64_t value = bp_ir_attr_int(g->node, name, -1);

    if (value < INT32_MIN || value > INT32_MAX)
        return bp_host_op_fail(g->node, err, BP_E_INVALID, "%s is %lld, which is not a token", name,
                               (long long)value);
    *out = (int32_t)value;
    return BP_OK;
}

/* Attributes of all the operators; those that a node does not have take their defaults. */
static bp_rc read_attrs(struct bp_generate *g, bp_err *err)
{
    const struct bp_ir_node *node = g->node;
    bp_rc rc = token_attr(g, "eos_token_id", &g->eos, err);

    if (rc >= 0)
        rc = token_attr(g, "pad_token_id", &g->pad, err);
    if (rc >= 0)
        rc = token_attr(g, "decoder_start_token_id", &g->start, err);
    g->model_type = bp_ir_attr_int(node, "model_type", 0);
    g->ngram = bp_ir_attr_int(node, "no_repeat_ngram_size", 0);
    g->asked_vocab = bp_ir_attr_int(node, "vocab_size", -1);
    g->stops_early = bp_ir_attr_int(node, "early_stopping", 0) == 1;
    g->temperature = float_attr(node, "temperature", 1.0f);
    g->top_p = float_attr(node, "top_p", 0.0f);
    g->filter_value = float_attr(node, "filter_value", -1e20f);
    g->presence_penalty = float_attr(node, "presence_penalty", 0.0f);
    g->keeps = bp_ir_attr_int(node, "min_tokens_to_keep", 0);
    g->is_custom = bp_ir_attr_int(node, "custom", 0) != 0;
    return rc;
}

/* Whisper's sequences may begin with several tokens. */
static bp_rc read_start_ids(struct bp_generate *g, bp_err *err)
{
    const struct bp_cell *ids = bp_host_op_input(g->state, g->node, DECODER_IDS);

    g->prompt = 1;
    if (!ids)
        return BP_OK;
    if (ids->rank != 2 || ids->dims[0] != g->ids->dims[0] || ids->dims[1] < 1)
        return bp_host_op_fail(g->node, err, BP_E_SHAPE,
                               "decoder_input_ids has to have the shape [%lld,tokens]",
                               (long long)g->ids->dims[0]);
    g->start_ids = ids;
    g->prompt = (size_t)ids->dims[1];
    return BP_OK;
}

/*
 * input_ids: a prompt each, or what the encoder reads: tokens, or Whisper's features. With an
 * encoder sequences begin with a start token.
 */
static bp_rc read_ids(struct bp_generate *g, bp_err *err)
{
    bool is_whisper = g->model_type == BP_GENERATE_WHISPER;
    uint32_t rank = is_whisper ? 3 : 2, dtype = is_whisper ? BP_DTYPE_F32 : BP_DTYPE_I32;

    g->ids = bp_host_op_input(g->state, g->node, 0);
    if (g->ids->rank != rank || g->ids->dtype != dtype)
        return bp_host_op_fail(g->node, err, BP_E_SHAPE,
                               "input_ids has to be %s of rank %u, it has rank %u",
                               bp_dtype_name(dtype), rank, g->ids->rank);
    if (g->ids->dims[0] < 1 || g->ids->dims[1] < 1)
        return bp_host_op_fail(g->node, err, BP_E_SHAPE,
                               "input_ids has the shape [%lld,%lld]: empty",
                               (long long)g->ids->dims[0], (long long)g->ids->dims[1]);
    g->batch = (size_t)g->ids->dims[0];
    g->prompt = g->model_type == BP_GENERATE_GPT ? (size_t)g->ids->dims[1] : 1;
    return is_whisper ? read_start_ids(g, err) : BP_OK;
}

/*
 * num_beams and what only beam search has. GreedySearch and Sampling are beam search with one beam
 * here.
 */
static bp_rc read_beams(struct bp_generate *g, bp_err *err)
{
    int64_t beams = 1, returned = 1, processor;
    bp_rc rc = BP_OK;

    g->length_penalty = 1.0f;
    if (g->kind == BP_GENERATE_BEAMS) {
        rc = read_int(g, NUM_BEAMS, "num_beams", 1, 1, MAX_BEAMS, &beams, err);
        if (rc >= 0)
            rc = read_int(g, NUM_RETURNED, "num_return_sequences", 1, 1, beams, &returned, err);
        if (rc >= 0)
            rc = read_float(g, LENGTH_PENALTY, "length_penalty", &g->length_penalty, err);
        if (rc >= 0)
            rc =
                read_int(g, LOGITS_PROCESSOR, "logits_processor", 0, 0, INT32_MAX, &processor, err);
        if (rc >= 0 && processor == 1 && g->model_type == BP_GENERATE_WHISPER)
            rc = bp_host_op_fail(g->node, err, BP_E_UNSUPPORTED,
                                 "logits_processor 1, rules for timestamps, is not supported");
        if (rc >= 0 && g->model_type == BP_GENERATE_WHISPER)
            rc = read_float(g, TEMPERATURE, "temperature", &g->temperature, err);
    }
    g->beams = (size_t)beams;
    g->returned = (size_t)returned;
    if (rc >= 0 && (!bp_mul_size(g->batch, g->beams, &g->rows) || g->rows > INT32_MAX))
        rc = bp_host_op_fail(g->node, err, BP_E_NOMEM, "%zu prompts with %zu beams are too many",
                             g->batch, g->beams);
    return rc;
}

/* min_length counts for every sequence; max_length bounds the memory. */
static bp_rc read_lengths(struct bp_generate *g, bp_err *err)
{
    int64_t max;
    bp_rc rc = read_int(g, 1, "max_length", MAX_LENGTH, 1, MAX_LENGTH, &max, err);

    if (rc >= 0)
        rc = bp_host_op_int(g->state, g->node, 2, 0, &g->min_length, err);
    if (rc < 0)
        return rc;
    g->max_length = (size_t)max;
    if (g->max_length <= g->prompt)
        return bp_host_op_fail(g->node, err, BP_E_INVALID,
                               "max_length is %zu, it has to be more than the %zu tokens that "
                               "sequences begin with",
                               g->max_length, g->prompt);
    return BP_OK;
}

/* A penalty divides and multiplies scores, so that 0 and less have no meaning. */
static bp_rc read_penalty(struct bp_generate *g, const struct input_indices *inputs, bp_err *err)
{
    bp_rc rc = read_float(g, inputs->repetition, "repetition_penalty", &g->repetition_penalty, err);

    if (rc >= 0 && !(g->repetition_penalty > 0))
        rc = bp_host_op_fail(g->node, err, BP_E_INVALID,
                             "repetition_penalty is %g, it has to be more than 0",
                             (double)g->repetition_penalty);
    return rc;
}

/* It counts as the decoder's mask (GPT-2) or the encoder's (T5); Whisper has none. */
static bp_rc read_attention_mask(struct bp_generate *g, const struct input_indices *inputs,
                                 bp_err *err)
{
    const struct bp_cell *mask = bp_host_op_input(g->state, g->node, inputs->attention_mask);

    g->attention_mask = mask;
    if (mask && (mask->rank != g->ids->rank || !bp_same_dims(mask->dims, g->ids->dims, mask->rank)))
        return bp_host_op_fail(g->node, err, BP_E_SHAPE,
                               "attention_mask has to have the shape of input_ids, [%lld,%lld]",
                               (long long)g->ids->dims[0], (long long)g->ids->dims[1]);
    if (mask && g->model_type != BP_GENERATE_WHISPER && mask->dtype != BP_DTYPE_I32)
        return bp_host_op_fail(g->node, err, BP_E_INVALID, "attention_mask has to be int32");
    return BP_OK;
}

/* std::default_random_engine of libstdc++ is a Lehmer generator, whose state is never 0. */
static bp_rc read_seed(struct bp_generate *g, bp_err *err)
{
    int64_t seed;
    bp_rc rc = read_int(g, SEED, "seed", 0, 0, INT32_MAX, &seed, err);

    if (rc >= 0)
        g->random = (uint32_t)(seed % 2147483647 ? seed % 2147483647 : 1);
    return rc;
}

/* The order matters: ids tell the batch, which beams multiply, and prompts bound max_length. */
bp_rc bp_generate_read(struct bp_generate *g, bp_err *err)
{
    const struct input_indices *inputs =
        g->kind == BP_GENERATE_BEAMS ? &beam_inputs : &greedy_inputs;
    bp_rc rc = read_attrs(g, err);

    if (rc >= 0)
        rc = read_ids(g, err);
    if (rc >= 0)
        rc = read_beams(g, err);
    if (rc >= 0)
        rc = read_lengths(g, err);
    if (rc >= 0)
        rc = read_penalty(g, inputs, err);
    if (rc >= 0)
        rc = read_attention_mask(g, inputs, err);
    if (rc >= 0 && g->kind == BP_GENERATE_SAMPLE)
        rc = read_seed(g, err);
    return rc;
}

/* ---- the vocabulary -------------------------------------------------------------------------- */

/* Mask i: of the vocabulary, or (rank 2) of it for each prompt. */
static bp_rc read_mask(const struct bp_generate *g, uint32_t i, const char *name, uint32_t rank,
                       const int32_t **out, bp_err *err)
{
    const struct bp_cell *mask = bp_host_op_input(g->state, g->node, i);

    if (!mask)
        return BP_OK;
    if (mask->rank != rank || mask->dims[rank - 1] != (int64_t)g->vocab ||
        (rank == 2 && mask->dims[0] != (int64_t)g->batch))
        return bp_host_op_fail(g->node, err, BP_E_SHAPE,
                               "%s has to have the shape %s%s, with a vocabulary of %zu", name,
                               rank == 2 ? "[batch," : "[", "vocabulary]", g->vocab);
    *out = mask->base;
    return BP_OK;
}

/* A vocab_size below the width of the logits cuts off what models pad them with. */
bp_rc bp_generate_check_vocab(struct bp_generate *g, size_t width, bp_err *err)
{
    const struct input_indices *inputs =
        g->kind == BP_GENERATE_BEAMS ? &beam_inputs : &greedy_inputs;
    bp_rc rc;

    if (g->asked_vocab > 0 && (uint64_t)g->asked_vocab > width)
        return bp_host_op_fail(g->node, err, BP_E_INVALID,
                               "vocab_size is %lld, but the logits have %zu tokens",
                               (long long)g->asked_vocab, width);
    g->vocab = g->asked_vocab > 0 ? (size_t)g->asked_vocab : width;
    if (g->keeps < 0 || (g->keeps > 0 && (uint64_t)g->keeps >= g->vocab))
        return bp_host_op_fail(g->node, err, BP_E_INVALID,
                               "min_tokens_to_keep is %lld, it may be 0 to %zu",
                               (long long)g->keeps, g->vocab - 1);
    rc = read_mask(g, inputs->vocab_mask, "vocab_mask", 1, &g->vocab_mask, err);
    if (rc >= 0)
        rc = read_mask(g, inputs->prefix_mask, "prefix_vocab_mask", 2, &g->prefix_mask, err);
    if (rc >= 0 && g->kind == BP_GENERATE_SAMPLE)
        rc = read_mask(g, PRESENCE_MASK, "presence_mask", 2, &g->presence_mask, err);
    return rc;
}
