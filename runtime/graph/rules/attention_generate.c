/* SPDX-License-Identifier: MIT */
/* attention_generate.c - BeamSearch, WhisperBeamSearch, GreedySearch, Sampling. */

#include "config.h"

#include "graph/rules/common.h"

#include <inttypes.h>
#include <string.h>

#define FAMILY BP_FAMILY_ATTENTION

enum { GPT = 0, ENCODER_DECODER = 1, WHISPER = 2 }; /* model_type */

/* What a subgraph's first inputs have to be; then come past_* or nothing. */
struct port {
    const char *name;
    uint32_t dtype, rank;
};

static const struct port gpt_inputs[] = {
    {"input_ids", BP_DTYPE_I32, 2},
    {"position_ids", BP_DTYPE_I32, 2},
    {"attention_mask", BP_DTYPE_I32, 2},
    {"past_0", BP_DTYPE_F32, 5},
};
static const struct port gpt_outputs[] = {
    {"logits", BP_DTYPE_F32, 3},
    {"present_0", BP_DTYPE_F32, 5},
};
static const struct port encoder_inputs[] = {
    {"encoder_input_ids", BP_DTYPE_I32, 2},
    {"encoder_attention_mask", BP_DTYPE_I32, 2},
    {"decoder_input_ids", BP_DTYPE_I32, 2},
};
static const struct port encoder_outputs[] = {
    {"logits", BP_DTYPE_F32, 3},
    {"encoder_hidden_states", BP_DTYPE_F32, 3},
    {"present_key_self_0", BP_DTYPE_F32, 4},
    {"present_value_self_0", BP_DTYPE_F32, 4},
};
static const struct port cross_outputs[] = {
    {"present_key_cross_0", BP_DTYPE_F32, 4},
    {"present_value_cross_0", BP_DTYPE_F32, 4},
};
static const struct port decoder_inputs[] = {
    {"input_ids", BP_DTYPE_I32, 2},
    {"encoder_attention_mask", BP_DTYPE_I32, 2},
    {"encoder_hidden_states", BP_DTYPE_F32, 3},
};
/* Whisper's encoder sees features, of which none is masked. */
static const struct port whisper_encoder_inputs[] = {
    {"encoder_input_ids", BP_DTYPE_F32, 3},
    {"decoder_input_ids", BP_DTYPE_I32, 2},
};
static const struct port whisper_decoder_inputs[] = {
    {"input_ids", BP_DTYPE_I32, 2},
    {"encoder_hidden_states", BP_DTYPE_F32, 3},
};
static const struct port decoder_outputs[] = {
    {"logits", BP_DTYPE_F32, 3},
    {"present_key_self_0", BP_DTYPE_F32, 4},
};

static const char *name_of(const struct bp_ir *subgraph, uint32_t value)
{
    return subgraph->values[value].name;
}

/* ---- what subgraphs have to look like -------------------------------------------------------- */

/*
 * The subgraphs of these operators are whole models: a decoder (GPT-2), or an encoder and a
 * decoder (T5, Whisper). Names, element types and ranks of their inputs and outputs are fixed
 * by the operators, as the search that calls them has to know which tensor is which. Whatever
 * is declared otherwise is refused here, before anything runs.
 * Models exported with past_present_share_buffer are not supported: their present outputs lie
 * in the buffers of their past inputs.
 */

/* One of a subgraph's values: its name, and type and rank as far as they are declared. */
static bp_rc check_port(struct bp_infer *infer, const struct bp_ir *subgraph, const char *attr,
                        const char *kind, uint32_t i, uint32_t value, const struct port *port)
{
    const struct bp_fact *declared = &subgraph->values[value].declared;

    if (strcmp(name_of(subgraph, value), port->name) != 0)
        return bp_fail(infer->err, BP_E_INVALID, "%s's %s %u is named '%s', it has to be '%s'",
                       attr, kind, i, name_of(subgraph, value), port->name);
    if (declared->dtype != BP_DTYPE_NONE && declared->dtype != port->dtype)
        return bp_fail(infer->err, BP_E_INVALID, "%s's %s '%s' has type %s, it has to have %s",
                       attr, kind, port->name, bp_dtype_name(declared->dtype),
                       bp_dtype_name(port->dtype));
    if (declared->rank != BP_RANK_UNKNOWN && declared->rank != port->rank)
        return bp_fail(infer->err, BP_E_SHAPE, "%s's %s '%s' has rank %u, it has to have %u", attr,
                       kind, port->name, declared->rank, port->rank);
    return BP_OK;
}

static bp_rc check_inputs(struct bp_infer *infer, const struct bp_ir *subgraph, const char *attr,
                          const struct port *ports, uint32_t n)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < n; i++)
        rc = check_port(infer, subgraph, attr, "input", i, subgraph->inputs[i], &ports[i]);
    return rc;
}

static bp_rc check_outputs(struct bp_infer *infer, const struct bp_ir *subgraph, const char *attr,
                           const struct port *ports, uint32_t n)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < n; i++)
        rc = check_port(infer, subgraph, attr, "output", i, subgraph->outputs[i], &ports[i]);
    return rc;
}

/* Buffers that hold past and present at once are for providers that write them in place. */
static bp_rc refuse_shared_buffer(struct bp_infer *infer, const struct bp_ir *subgraph,
                                  const char *attr)
{
    for (uint32_t i = 0; i < subgraph->n_inputs; i++) {
        if (strcmp(name_of(subgraph, subgraph->inputs[i]), "past_sequence_length") == 0)
            return bp_fail(infer->err, BP_E_UNSUPPORTED,
                           "%s has the input past_sequence_length: past and present in one buffer "
                           "are not supported; export the model without past_present_share_buffer",
                           attr);
    }
    return BP_OK;
}

/* logits, present_0.. from input_ids, position_ids, attention_mask, past_0.. */
static bp_rc check_gpt(struct bp_infer *infer, const struct bp_ir *subgraph, const char *attr)
{
    const struct bp_fact *past;
    bp_rc rc = refuse_shared_buffer(infer, subgraph, attr);

    if (rc < 0)
        return rc;
    if (subgraph->n_outputs < 2 || subgraph->n_inputs != subgraph->n_outputs + 2)
        return bp_fail(infer->err, BP_E_INVALID,
                       "%s has %u inputs and %u outputs, but with n layers it needs 3 + n (ids, "
                       "positions, mask, past) and 1 + n (logits, present)",
                       attr, subgraph->n_inputs, subgraph->n_outputs);
    rc = check_inputs(infer, subgraph, attr, gpt_inputs, 4);
    if (rc >= 0)
        rc = check_outputs(infer, subgraph, attr, gpt_outputs, 2);
    if (rc < 0)
        return rc;
    past = &subgraph->values[subgraph->inputs[3]].declared;
    if (past->rank != 5 || !bp_sym_known(past->dims[0]) || past->dims[0].value != 2 ||
        !bp_sym_known(past->dims[2]) || past->dims[2].value <= 0 || !bp_sym_known(past->dims[4]) ||
        past->dims[4].value <= 0)
        return bp_fail(infer->err, BP_E_SHAPE,
                       "%s's input 'past_0' has to be declared as [2,batch,heads,past,head size] "
                       "with exact sizes for heads and head size",
                       attr);
    return BP_OK;
}

static int64_t type_of(const struct bp_infer *infer)
{
    return bp_ir_attr_int(infer->node, "model_type", GPT);
}

static bool is_whisper(const struct bp_infer *infer)
{
    return type_of(infer) == WHISPER;
}

static const struct port *ports_of_encoder(const struct bp_infer *infer)
{
    return is_whisper(infer) ? whisper_encoder_inputs : encoder_inputs;
}

static const struct port *ports_of_decoder(const struct bp_infer *infer)
{
    return is_whisper(infer) ? whisper_decoder_inputs : decoder_inputs;
}

/* Does the encoder run the decoder's first step too, and so give logits and states? */
static bool makes_states(const struct bp_infer *infer, const struct bp_ir *encoder)
{
    return is_whisper(infer) || encoder->n_inputs == 3;
}

static bp_rc check_encoder(struct bp_infer *infer, const struct bp_ir *subgraph)
{
    uint32_t max = is_whisper(infer) ? 2 : 3;
    bool starts = makes_states(infer, subgraph);
    bp_rc rc;

    if (subgraph->n_inputs < 2 || subgraph->n_inputs > max)
        return bp_fail(infer->err, BP_E_INVALID, "encoder has %u inputs, it needs 2%s",
                       subgraph->n_inputs, max == 3 ? " or 3" : "");
    rc = check_inputs(infer, subgraph, "encoder", ports_of_encoder(infer), subgraph->n_inputs);
    if (rc < 0)
        return rc;
    if (starts ? subgraph->n_outputs < 6 || subgraph->n_outputs % 4 != 2
               : subgraph->n_outputs < 2 || subgraph->n_outputs % 2 != 0)
        return bp_fail(infer->err, BP_E_INVALID,
                       "encoder has %u outputs, but with %u inputs and n layers it needs %s",
                       subgraph->n_outputs, subgraph->n_inputs, starts ? "2 + 4n" : "2n");
    return starts ? check_outputs(infer, subgraph, "encoder", encoder_outputs, 4)
                  : check_outputs(infer, subgraph, "encoder", cross_outputs, 2);
}

/* Inputs of a decoder before its past_*. */
static uint32_t n_before_past(const struct bp_infer *infer, const struct bp_ir *subgraph)
{
    uint32_t hidden = is_whisper(infer) ? 1 : 2;

    return subgraph->n_inputs > hidden &&
                   strcmp(name_of(subgraph, subgraph->inputs[hidden]), "encoder_hidden_states") == 0
               ? hidden + 1
               : hidden;
}

static bp_rc check_decoder(struct bp_infer *infer, const struct bp_ir *subgraph,
                           const struct bp_ir *encoder)
{
    uint32_t first = n_before_past(infer, subgraph), layers = (subgraph->n_outputs - 1) / 2;
    bool starts = makes_states(infer, encoder);
    uint32_t encoded = starts ? (encoder->n_outputs - 2) / 4 : encoder->n_outputs / 2;
    bp_rc rc = refuse_shared_buffer(infer, subgraph, "decoder");

    if (rc < 0)
        return rc;
    if (subgraph->n_outputs < 3 || subgraph->n_outputs % 2 != 1 ||
        subgraph->n_inputs != first + 4 * layers)
        return bp_fail(infer->err, BP_E_INVALID,
                       "decoder has %u inputs and %u outputs, but with n layers it needs %u + 4n "
                       "and 1 + 2n",
                       subgraph->n_inputs, subgraph->n_outputs, first);
    if (encoded != layers)
        return bp_fail(infer->err, BP_E_INVALID, "decoder has %u layers, encoder has states of %u",
                       layers, encoded);
    if (first == 3 && !starts)
        return bp_fail(infer->err, BP_E_INVALID,
                       "decoder has the input encoder_hidden_states, which an encoder with 2 "
                       "inputs does not give");
    rc = check_inputs(infer, subgraph, "decoder", ports_of_decoder(infer), first);
    return rc < 0 ? rc : check_outputs(infer, subgraph, "decoder", decoder_outputs, 2);
}

/* What an operator may have for model_type. */
static bp_rc check_type(struct bp_infer *infer, int64_t type)
{
    const char *op = infer->node->op;
    bool is_greedy = strcmp(op, "BeamSearch") != 0 && strcmp(op, "WhisperBeamSearch") != 0;

    if (is_greedy && type != GPT)
        return bp_fail(infer->err, BP_E_UNSUPPORTED,
                       "model_type %" PRId64 " is not supported, only 0 (decoder, as GPT-2)", type);
    if (strcmp(op, "WhisperBeamSearch") == 0 && type != WHISPER)
        return bp_fail(infer->err, BP_E_INVALID, "model_type is %" PRId64 ", it has to be 2", type);
    if (type != GPT && type != ENCODER_DECODER && type != WHISPER)
        return bp_fail(infer->err, BP_E_UNSUPPORTED,
                       "model_type %" PRId64 " is not supported, only 0 (decoder, as GPT-2), 1 "
                       "(encoder and decoder, as T5) and 2 (Whisper)",
                       type);
    return BP_OK;
}

static bp_rc find_subgraph(struct bp_infer *infer, const char *name, const struct bp_ir **out)
{
    *out = bp_ir_subgraph(infer->node, name);
    return *out ? BP_OK : bp_fail(infer->err, BP_E_INVALID, "attribute %s is missing", name);
}

static bp_rc check_subgraphs(struct bp_infer *infer)
{
    int64_t type = type_of(infer);
    const struct bp_ir *init = bp_ir_subgraph(infer->node, "init_decoder");
    const struct bp_ir *decoder, *encoder;
    bp_rc rc = find_subgraph(infer, "decoder", &decoder);

    if (rc >= 0)
        rc = check_type(infer, type);
    if (rc >= 0 && type == GPT) {
        rc = check_gpt(infer, decoder, "decoder");
        return rc < 0 || !init ? rc : check_gpt(infer, init, "init_decoder");
    }
    if (rc >= 0)
        rc = find_subgraph(infer, "encoder", &encoder);
    if (rc >= 0)
        rc = check_encoder(infer, encoder);
    return rc < 0 ? rc : check_decoder(infer, decoder, encoder);
}

/* ---- facts of their inputs ------------------------------------------------------------------- */

/*
 * Batch, beams and lengths change from step to step, so a subgraph is inferred with sizes
 * that only the data tells, but for those that it declares exactly: the number of heads and
 * their size.
 */

/* A tensor whose sizes come with the data, but for those that are declared at `keep` (bits). */
static bp_rc set_input(struct bp_infer *infer, const struct bp_ir *subgraph, uint32_t i,
                       uint32_t dtype, uint32_t rank, uint32_t keep, struct bp_fact *in)
{
    const struct bp_fact *declared = &subgraph->values[subgraph->inputs[i]].declared;
    struct bp_sym *dims = bp_region_array(infer->region, rank, sizeof *dims);
    bp_rc rc = dims ? bp_rule_from_data(infer, dims, rank) : bp_fail_nomem(infer->err, "a shape");

    for (uint32_t d = 0; rc >= 0 && declared->rank == rank && d < rank; d++) {
        if ((keep >> d & 1) && bp_sym_known(declared->dims[d]))
            dims[d] = declared->dims[d];
    }
    in[i] = (struct bp_fact){.dtype = dtype, .rank = rank, .dims = dims};
    return rc;
}

static bp_rc generate_inputs(struct bp_infer *infer, const struct bp_ir *subgraph,
                             struct bp_fact *in)
{
    bool is_gpt = type_of(infer) == GPT;
    bool is_encoder = !is_gpt && subgraph == bp_ir_subgraph(infer->node, "encoder");
    const struct port *ports = is_gpt       ? gpt_inputs
                               : is_encoder ? ports_of_encoder(infer)
                                            : ports_of_decoder(infer);
    uint32_t n = is_gpt ? 3 : is_encoder ? subgraph->n_inputs : n_before_past(infer, subgraph);
    bp_rc rc = check_subgraphs(infer);

    for (uint32_t i = 0; rc >= 0 && i < subgraph->n_inputs; i++) {
        if (i < n) /* ids: a decoder declares whether it takes the last one alone */
            rc = set_input(infer, subgraph, i, ports[i].dtype, ports[i].rank, 0, in);
        else if (is_gpt) /* [2,batch,heads,past,head size] */
            rc = set_input(infer, subgraph, i, BP_DTYPE_F32, 5, 1u << 0 | 1u << 2 | 1u << 4, in);
        else /* [batch,heads,past,head size] */
            rc = set_input(infer, subgraph, i, BP_DTYPE_F32, 4, 1u << 1 | 1u << 3, in);
    }
    return rc;
}

/* Runs a subgraph over such inputs: it must be sound, and its outputs float. */
static bp_rc run_subgraph(struct bp_infer *infer, const char *name)
{
    const struct bp_ir *subgraph = bp_ir_subgraph(infer->node, name);
    struct bp_fact *in, *out;
    bp_rc rc;

    if (!subgraph)
        return BP_OK;
    in = bp_region_array(infer->region, subgraph->n_inputs, sizeof *in);
    if (!in)
        return bp_fail_nomem(infer->err, "shapes");
    rc = generate_inputs(infer, subgraph, in);
    if (rc >= 0)
        rc = bp_infer_subgraph(infer, subgraph, in, subgraph->n_inputs, &out);
    for (uint32_t i = 0; rc >= 0 && i < subgraph->n_outputs; i++) {
        if (out[i].kind != BP_KIND_TENSOR ||
            (out[i].dtype != BP_DTYPE_NONE && out[i].dtype != BP_DTYPE_F32))
            rc = bp_fail(infer->err, BP_E_INVALID, "%s's output '%s' has to be a float32 tensor",
                         name, name_of(subgraph, subgraph->outputs[i]));
    }
    return rc;
}

/* ---- the operators --------------------------------------------------------------------------- */

/*
 * BeamSearch and WhisperBeamSearch give sequences (batch, num_return_sequences, max_length),
 * their scores (batch, num_return_sequences) and the scores of all tokens (steps, batch,
 * beams, vocabulary). GreedySearch and Sampling give sequences (batch, max_length); Sampling
 * also the filtered logits (batch, vocabulary).
 * max_length, num_beams and num_return_sequences are inputs: where they are constants the
 * sizes are exact.
 */

/* The size that a one-element input gives, where it is known. */
static void known_size(const struct bp_infer *infer, uint32_t i, struct bp_sym *out)
{
    const struct bp_fact *fact = bp_rule_in(infer, i);

    if (fact && fact->content && fact->n_content == 1 && bp_sym_known(fact->content[0]) &&
        fact->content[0].value >= 0)
        *out = fact->content[0];
}

static bp_rc infer_subgraphs(struct bp_infer *infer)
{
    bool is_gpt = type_of(infer) == GPT;
    bp_rc rc = check_subgraphs(infer);

    if (rc >= 0)
        rc = is_whisper(infer) ? bp_rule_rank(infer, 0, 3, 3) : bp_rule_rank(infer, 0, 2, 2);
    if (rc >= 0)
        rc = run_subgraph(infer, "decoder");
    if (rc >= 0)
        rc = run_subgraph(infer, is_gpt ? "init_decoder" : "encoder");
    return rc;
}

static void take_batch(const struct bp_infer *infer, struct bp_sym *out)
{
    const struct bp_fact *ids = bp_rule_in(infer, 0);

    if (bp_rule_ranked(ids))
        *out = ids->dims[0];
}

/* What of WhisperBeamSearch is not there. */
static bp_rc refuse_cross_qk(const struct bp_infer *infer)
{
    if (bp_ir_attr_int(infer->node, "decoder_output_cross_qk", 0) != 0 || bp_rule_wants(infer, 3) ||
        bp_rule_wants(infer, 4) || bp_rule_in(infer, 12) || bp_rule_in(infer, 13))
        return bp_fail(
            infer->err, BP_E_UNSUPPORTED,
            "cross_qk, extra_decoding_ids and non_speech_probs are not supported; export "
            "the model without them");
    return BP_OK;
}

/* sequences[batch,returned,length], sequences_scores[batch,returned], scores[..,batch,beams,..] */
static bp_rc infer_beam_search(struct bp_infer *infer)
{
    struct bp_sym dims[3], scores[4];
    bp_rc rc = infer_subgraphs(infer);

    if (rc >= 0)
        rc = refuse_cross_qk(infer);

    if (rc >= 0)
        rc = bp_rule_from_data(infer, dims, 3);
    if (rc >= 0)
        rc = bp_rule_from_data(infer, scores, 4);
    if (rc < 0)
        return rc;
    take_batch(infer, &dims[0]);
    scores[1] = dims[0];
    known_size(infer, 4, &dims[1]);
    known_size(infer, 1, &dims[2]);
    known_size(infer, 3, &scores[2]);
    rc = bp_rule_set(infer, 0, BP_DTYPE_I32, 3, dims);
    if (rc >= 0)
        rc = bp_rule_set(infer, 1, BP_DTYPE_F32, 2, dims);
    return rc < 0 ? rc : bp_rule_set(infer, 2, BP_DTYPE_F32, 4, scores);
}

/* sequences[batch,length], filtered_logits[batch,vocabulary] */
static bp_rc infer_greedy_search(struct bp_infer *infer)
{
    struct bp_sym dims[2], logits[2];
    bp_rc rc = infer_subgraphs(infer);

    if (rc >= 0)
        rc = bp_rule_from_data(infer, dims, 2);
    if (rc >= 0)
        rc = bp_rule_from_data(infer, logits, 2);
    if (rc < 0)
        return rc;
    take_batch(infer, &dims[0]);
    logits[0] = dims[0];
    known_size(infer, 1, &dims[1]);
    rc = bp_rule_set(infer, 0, BP_DTYPE_I32, 2, dims);
    return rc < 0 ? rc : bp_rule_set(infer, 1, BP_DTYPE_F32, 2, logits);
}

/* ---- rows ------------------------------------------------------------------------------------ */

#define I32 BP_T(I32)
#define F32 BP_T(F32)
#define GENERATE_ATTRS(type)                                                                       \
    A_INT_REQ("eos_token_id"), A_INT_REQ("pad_token_id"), A_INT("decoder_start_token_id", -1),     \
        A_INT("no_repeat_ngram_size", 0), A_INT("model_type", type), A_INT("vocab_size", -1),      \
        A_GRAPH_REQ("decoder"), A_GRAPH_OPT("init_decoder"), A_GRAPH_OPT("encoder")
#define GREEDY_INPUTS                                                                              \
    P("input_ids", 'I', I32), P("max_length", 'I', I32), OPT("min_length", 'I', I32),              \
        OPT("repetition_penalty", 'T', F32), OPT("vocab_mask", 'I', I32),                          \
        OPT("prefix_vocab_mask", 'I', I32), OPT("attention_mask", 'I', I32)

#define BEAM_INPUTS                                                                                \
    P("input_ids", 'F', I32 | F32), P("max_length", 'I', I32), OPT("min_length", 'I', I32),        \
        P("num_beams", 'I', I32), P("num_return_sequences", 'I', I32),                             \
        OPT("length_penalty", 'T', F32), OPT("repetition_penalty", 'T', F32),                      \
        OPT("vocab_mask", 'I', I32), OPT("prefix_vocab_mask", 'I', I32),                           \
        OPT("attention_mask", 'A', I32 | F32), OPT("decoder_input_ids", 'I', I32),                 \
        OPT("logits_processor", 'I', I32)
#define BEAM_OUTPUTS                                                                               \
    P("sequences", 'I', I32), OPT("sequences_scores", 'T', F32), OPT("scores", 'T', F32)

MS_ROW(BeamSearch, 1, INFER(infer_beam_search), .subgraph_inputs = generate_inputs, IN(BEAM_INPUTS),
       OUT(BEAM_OUTPUTS), ATTRS(GENERATE_ATTRS(GPT), A_INT("early_stopping", 0)),
       .is_host_op = true);
MS_ROW(WhisperBeamSearch, 1, INFER(infer_beam_search), .subgraph_inputs = generate_inputs,
       IN(BEAM_INPUTS, OPT("cross_qk_layer_head", 'I', I32), OPT("extra_decoding_ids", 'I', I32),
          OPT("temperature", 'T', F32)),
       OUT(BEAM_OUTPUTS, OPT("cross_qk", 'V', F32), OPT("non_speech_probs", 'T', F32)),
       ATTRS(GENERATE_ATTRS(WHISPER), A_INT("early_stopping", 0),
             A_INT("decoder_output_cross_qk", 0), A_INT_OPT("translate_token_id"),
             A_INT_OPT("transcribe_token_id"), A_INT_OPT("start_of_lm_token_id"),
             A_INT_OPT("no_speech_token_id"), A_INT_OPT("no_timestamps_token_id"),
             A_INT_OPT("beginning_timestamp_token_id")),
       .is_host_op = true);
MS_ROW(GreedySearch, 1, INFER(infer_greedy_search), .subgraph_inputs = generate_inputs,
       IN(GREEDY_INPUTS), OUT(P("sequences", 'I', I32)), ATTRS(GENERATE_ATTRS(GPT)),
       .is_host_op = true);
MS_ROW(Sampling, 1, INFER(infer_greedy_search), .subgraph_inputs = generate_inputs,
       IN(GREEDY_INPUTS, OPT("presence_mask", 'I', I32), OPT("seed", 'I', I32)),
       OUT(P("sequences", 'I', I32), OPT("filtered_logits", 'T', F32)),
       ATTRS(GENERATE_ATTRS(GPT), A_FLOAT("temperature", 1.0f), A_FLOAT("top_p", 0.0f),
             A_FLOAT("filter_value", -1e20f), A_INT("min_tokens_to_keep", 0),
             A_FLOAT("presence_penalty", 0.0f), A_INT("custom", 0)),
       .is_host_op = true);
