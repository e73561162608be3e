/* SPDX-License-Identifier: MIT */
/*
 * generate_kit.h - a small decoder for tests of BeamSearch, GreedySearch and Sampling. Its logits
 * rest on all that such a model has to be fed with:
 *
 *     table[last token] + sum of tokens * weights[0] + sum of positions * weights[1]
 *
 * over the tokens that the mask leaves. Both sums come out of past_0. With an encoder the sums are
 * that of the decoder's tokens and that of the encoder's. All values are multiples of 1/1024, so
 * that sums are exact in whatever order.
 */
#ifndef BP_TESTS_GENERATE_KIT_H
#define BP_TESTS_GENERATE_KIT_H

#include "support/random.h"
#include "support/session_kit.h"

enum { GK_WORDS = 7, GK_MAX = 24, GK_ROWS = 16 }; /* at most so many tokens, and rows */

enum gk_form {
    GK_GPT,
    GK_GPT_INIT,     /* with another subgraph for the first run */
    GK_ENCODER,      /* and decoder; the encoder gives the first logits */
    GK_ENCODER_ONLY, /* it does not */
    GK_ENCODER_ALL,  /* the decoder wants all tokens, and hidden states */
    GK_WHISPER       /* the encoder reads features, and nothing is masked */
};

struct gk {
    const char *op;
    enum gk_form form;
    float table[GK_WORDS * GK_WORDS], weights[2 * GK_WORDS];
    int32_t eos, pad, start;
    int64_t ngram, early;
    float top_p, temperature, presence_penalty;
    int64_t custom;
    bool has_mask; /* attention_mask is an input of the model */
    /* of a run */
    int32_t batch, prompt, max_length, min_length, beams, returned, seed;
    float length_penalty, repetition_penalty;
    int32_t ids[GK_ROWS * GK_MAX], mask[GK_ROWS * GK_MAX];
    float features[GK_ROWS * GK_MAX]; /* Whisper's: ids as floats, made by gk_prepare() */
    int32_t processor;                /* logits_processor; 0: the input is absent */
    int32_t n_start, start_ids[GK_ROWS * GK_MAX]; /* its first tokens; 0: `start` */
    int32_t vocab_mask[GK_WORDS], prefix_mask[GK_ROWS * GK_WORDS], presence[GK_ROWS * GK_WORDS];
    /* how they are bound */
    bp_binding in[12];
    uint32_t n_in;
    int64_t ids_dims[2], words_dims[2], one[1], features_dims[3], start_dims[2];
};

static inline bool gk_is(const struct gk *g, const char *op)
{
    return strcmp(g->op, op) == 0;
}

static inline bool gk_is_beams(const struct gk *g)
{
    return strstr(g->op, "BeamSearch") != NULL;
}

static inline bool gk_has_encoder(const struct gk *g)
{
    return g->form >= GK_ENCODER;
}

/* Numbers that look random, and inputs that change nothing. */
static inline void gk_start(struct gk *g, const char *op, enum gk_form form, uint64_t seed)
{
    *g = (struct gk){.op = op, .form = form, .pad = 6, .batch = 1, .prompt = 3, .max_length = 12};
    g->beams = gk_is_beams(g) ? 3 : 1;
    g->returned = 1;
    g->length_penalty = g->repetition_penalty = g->temperature = 1;
    for (int i = 0; i < GK_WORDS * GK_WORDS; i++)
        g->table[i] = (float)((int)random_below(&seed, 8192) - 4096) / 1024;
    for (int i = 0; i < 2 * GK_WORDS; i++)
        g->weights[i] = (float)((int)random_below(&seed, 256) - 128) / 1024;
    for (int i = 0; i < GK_ROWS * GK_MAX; i++) {
        g->ids[i] = 1 + (int32_t)random_below(&seed, 4);
        g->mask[i] = 1;
    }
    for (int i = 0; i < GK_WORDS; i++)
        g->vocab_mask[i] = 1;
    for (int i = 0; i < GK_ROWS * GK_WORDS; i++)
        g->prefix_mask[i] = 1;
}

/* ---- the model ------------------------------------------------------------------------------- */

static inline void gk_constants(const struct gk *g)
{
    kit_floats("table", PW_DIMS(GK_WORDS, GK_WORDS), GK_WORDS * GK_WORDS, g->table);
    kit_floats("weights", PW_DIMS(2, GK_WORDS), 2 * GK_WORDS, g->weights);
    kit_ints("axes_1_3_4", PW_DIMS(3), 3, (int64_t[]){0, 2, 4});
    kit_ints("axes_1_3", PW_DIMS(2), 2, (int64_t[]){1, 3});
    kit_ints("axes_sum", PW_DIMS(3), 3, (int64_t[]){2, 3, 4});
    kit_ints("axes_rest", PW_DIMS(3), 3, (int64_t[]){1, 2, 3});
    kit_ints("axis_1", PW_DIMS(1), 1, (int64_t[]){1});
    kit_ints("last", PW_DIMS(1), 1, (int64_t[]){-1});
    kit_ints("end", PW_DIMS(1), 1, (int64_t[]){INT64_MAX});
}

static inline void gk_cast(const char *from, const char *to)
{
    kit_node_int(to, "Cast", from, to, "to", BP_DTYPE_F32);
}

static inline void gk_sum(const char *in, const char *out)
{
    kit_node_int(out, "ReduceSum", in, out, "keepdims", 0);
}

/* sums [batch,2], none below 0, and table[ids] to logits */
static inline void gk_logits(const char *ids, const char *sums)
{
    char both[64];

    snprintf(both, sizeof both, "table %s", ids);
    kit_node("rows", "Gather", both, "rows");
    kit_node("relu", "Relu", sums, "same");
    kit_node("wide", "Unsqueeze", "same axis_1", "wide");
    kit_node("weighed", "MatMul", "wide weights", "weighed");
    kit_node("logits", "Add", "rows weighed", "logits");
}

static inline void gk_gpt_ports(void)
{
    kit_io(KIT_INPUT, "input_ids", BP_DTYPE_I32, "batch,seq");
    kit_io(KIT_INPUT, "position_ids", BP_DTYPE_I32, "batch,seq");
    kit_io(KIT_INPUT, "attention_mask", BP_DTYPE_I32, "batch,total");
    kit_io(KIT_INPUT, "past_0", BP_DTYPE_F32, "2,batch,1,past,1");
    kit_io(KIT_OUTPUT, "logits", BP_DTYPE_F32, "batch,seq,7");
    kit_io(KIT_OUTPUT, "present_0", BP_DTYPE_F32, "2,batch,1,total,1");
}

static inline void gk_gpt_nodes(void)
{
    gk_cast("input_ids", "f_ids");
    gk_cast("position_ids", "f_positions");
    gk_cast("attention_mask", "f_mask");
    kit_node("k", "Unsqueeze", "f_ids axes_1_3_4", "k");
    kit_node("v", "Unsqueeze", "f_positions axes_1_3_4", "v");
    kit_node("m", "Unsqueeze", "f_mask axes_1_3_4", "m");
    kit_node_int("kv", "Concat", "k v", "kv", "axis", 0);
    kit_node_int("present", "Concat", "past_0 kv", "present_0", "axis", 3);
    kit_node("masked", "Mul", "present_0 m", "masked");
    gk_sum("masked axes_sum", "sums_2");
    kit_node("sums", "Transpose", "sums_2", "sums");
    gk_logits("input_ids", "sums");
}

static inline void gk_gpt_subgraph(const struct gk *g, const char *attr)
{
    kit_open_subgraph(attr);
    gk_constants(g);
    gk_gpt_nodes();
    gk_gpt_ports();
    kit_close_subgraph();
}

/* Sums over the heads' dimensions of two states, put side by side: [batch,2]. */
static inline void gk_two_sums(const char *self, const char *cross)
{
    char text[64];

    snprintf(text, sizeof text, "%s axes_rest", self);
    gk_sum(text, "sum_self");
    snprintf(text, sizeof text, "%s axes_rest", cross);
    gk_sum(text, "sum_cross");
    kit_node("u", "Unsqueeze", "sum_self axis_1", "u");
    kit_node("w", "Unsqueeze", "sum_cross axis_1", "w");
    kit_node_int("sums", "Concat", "u w", "sums", "axis", 1);
}

static inline void gk_encoder(const struct gk *g)
{
    bool starts = g->form != GK_ENCODER_ONLY, is_whisper = g->form == GK_WHISPER;

    kit_open_subgraph("encoder");
    gk_constants(g);
    if (is_whisper) {
        kit_node("masked", "Squeeze", "encoder_input_ids axis_1", "masked");
        kit_io(KIT_INPUT, "encoder_input_ids", BP_DTYPE_F32, "batch,1,encoded");
    } else {
        gk_cast("encoder_input_ids", "f_ids");
        gk_cast("encoder_attention_mask", "f_mask");
        kit_node("masked", "Mul", "f_ids f_mask", "masked");
        kit_io(KIT_INPUT, "encoder_input_ids", BP_DTYPE_I32, "batch,encoded");
        kit_io(KIT_INPUT, "encoder_attention_mask", BP_DTYPE_I32, "batch,encoded");
    }
    kit_node("key", "Unsqueeze", "masked axes_1_3", "present_key_cross_0");
    kit_node("value", "Neg", "present_key_cross_0", "present_value_cross_0");
    if (starts) {
        kit_ints("axis_2", PW_DIMS(1), 1, (int64_t[]){2});
        kit_node("hidden", "Unsqueeze", "masked axis_2", "encoder_hidden_states");
        gk_cast("decoder_input_ids", "f_start");
        kit_node("self", "Unsqueeze", "f_start axes_1_3", "present_key_self_0");
        kit_node("self_value", "Neg", "present_key_self_0", "present_value_self_0");
        gk_two_sums("present_key_self_0", "present_key_cross_0");
        gk_logits("decoder_input_ids", "sums");
        kit_io(KIT_INPUT, "decoder_input_ids", BP_DTYPE_I32, "batch,first");
        kit_io(KIT_OUTPUT, "logits", BP_DTYPE_F32, "batch,first,7");
        kit_io(KIT_OUTPUT, "encoder_hidden_states", BP_DTYPE_F32, "batch,encoded,1");
        kit_io(KIT_OUTPUT, "present_key_self_0", BP_DTYPE_F32, "batch,1,first,1");
        kit_io(KIT_OUTPUT, "present_value_self_0", BP_DTYPE_F32, "batch,1,first,1");
    }
    kit_io(KIT_OUTPUT, "present_key_cross_0", BP_DTYPE_F32, "batch,1,encoded,1");
    kit_io(KIT_OUTPUT, "present_value_cross_0", BP_DTYPE_F32, "batch,1,encoded,1");
    kit_close_subgraph();
}

static inline void gk_decoder(const struct gk *g)
{
    bool all = g->form == GK_ENCODER_ALL;

    kit_open_subgraph("decoder");
    gk_constants(g);
    if (all)
        kit_node("newest", "Slice", "input_ids last end axis_1", "newest");
    else
        kit_node("newest", "Identity", "input_ids", "newest");
    gk_cast("newest", "f_ids");
    kit_node("self", "Unsqueeze", "f_ids axes_1_3", "self");
    kit_node("self_value", "Neg", "self", "self_value");
    kit_node_int("k", "Concat", "past_key_self_0 self", "present_key_self_0", "axis", 2);
    kit_node_int("v", "Concat", "past_value_self_0 self_value", "present_value_self_0", "axis", 2);
    gk_two_sums("present_key_self_0", "past_key_cross_0");
    gk_logits("newest", "sums");
    kit_io(KIT_INPUT, "input_ids", BP_DTYPE_I32, all ? "batch,tokens" : "batch,1");
    if (g->form != GK_WHISPER)
        kit_io(KIT_INPUT, "encoder_attention_mask", BP_DTYPE_I32, "batch,encoded");
    if (all)
        kit_io(KIT_INPUT, "encoder_hidden_states", BP_DTYPE_F32, "batch,encoded,1");
    kit_io(KIT_INPUT, "past_key_self_0", BP_DTYPE_F32, "batch,1,past,1");
    kit_io(KIT_INPUT, "past_value_self_0", BP_DTYPE_F32, "batch,1,past,1");
    kit_io(KIT_INPUT, "past_key_cross_0", BP_DTYPE_F32, "batch,1,encoded,1");
    kit_io(KIT_INPUT, "past_value_cross_0", BP_DTYPE_F32, "batch,1,encoded,1");
    kit_io(KIT_OUTPUT, "logits", BP_DTYPE_F32, "batch,1,7");
    kit_io(KIT_OUTPUT, "present_key_self_0", BP_DTYPE_F32, "batch,1,now,1");
    kit_io(KIT_OUTPUT, "present_value_self_0", BP_DTYPE_F32, "batch,1,now,1");
    kit_close_subgraph();
}

static inline void gk_float_attr(const char *name, float value)
{
    pw_open_attr(&kit.w, name, 1);
    pw_float(&kit.w, 2, value);
    pw_close(&kit.w);
}

/* The node, open: a test may add attributes. */
static inline void gk_open_node(const struct gk *g)
{
    char in[256], out[64];

    snprintf(in, sizeof in,
             "input_ids max_length min_length %srepetition_penalty vocab_mask prefix_vocab_mask "
             "%s%s%s%s",
             gk_is_beams(g) ? "num_beams num_return_sequences length_penalty " : "",
             g->has_mask ? "attention_mask" : "-", g->n_start > 0 ? " decoder_input_ids" : "",
             g->processor ? " processor" : "", gk_is(g, "Sampling") ? " presence_mask seed" : "");
    snprintf(out, sizeof out, "sequences%s%s", gk_is_beams(g) ? " sequences_scores scores" : "",
             gk_is(g, "Sampling") ? " filtered_logits" : "");
    kit_open_node("gen", g->op, in, out);
    pw_text(&kit.w, 7, "com.microsoft");
    kit_int_attr("eos_token_id", g->eos);
    kit_int_attr("pad_token_id", g->pad);
    kit_int_attr("no_repeat_ngram_size", g->ngram);
    if (gk_is_beams(g))
        kit_int_attr("early_stopping", g->early);
    if (gk_is(g, "Sampling")) {
        gk_float_attr("top_p", g->top_p);
        gk_float_attr("temperature", g->temperature);
        gk_float_attr("presence_penalty", g->presence_penalty);
        kit_int_attr("custom", g->custom);
    }
}

/* The model's own inputs and outputs, in the order in which gk_run() has them. */
static inline void gk_close_node(const struct gk *g)
{
    pw_close(&kit.w);
    if (g->processor)
        pw_raw_tensor(&kit.w, 5, "processor", BP_DTYPE_I32, PW_DIMS(1), &g->processor, 4);
    if (g->form == GK_WHISPER)
        kit_io(KIT_INPUT, "input_ids", BP_DTYPE_F32, "batch,1,sequence");
    else
        kit_io(KIT_INPUT, "input_ids", BP_DTYPE_I32, "batch,sequence");
    kit_io(KIT_INPUT, "max_length", BP_DTYPE_I32, "1");
    kit_io(KIT_INPUT, "min_length", BP_DTYPE_I32, "1");
    kit_io(KIT_INPUT, "repetition_penalty", BP_DTYPE_F32, "1");
    kit_io(KIT_INPUT, "vocab_mask", BP_DTYPE_I32, "vocab");
    kit_io(KIT_INPUT, "prefix_vocab_mask", BP_DTYPE_I32, "batch,vocab");
    if (gk_is_beams(g)) {
        kit_io(KIT_INPUT, "num_beams", BP_DTYPE_I32, "1");
        kit_io(KIT_INPUT, "num_return_sequences", BP_DTYPE_I32, "1");
        kit_io(KIT_INPUT, "length_penalty", BP_DTYPE_F32, "1");
    }
    if (gk_is(g, "Sampling")) {
        kit_io(KIT_INPUT, "presence_mask", BP_DTYPE_I32, "batch,vocab");
        kit_io(KIT_INPUT, "seed", BP_DTYPE_I32, "1");
    }
    if (g->has_mask)
        kit_io(KIT_INPUT, "attention_mask", BP_DTYPE_I32, "batch,sequence");
    if (g->n_start > 0)
        kit_io(KIT_INPUT, "decoder_input_ids", BP_DTYPE_I32, "batch,first");
    kit_io(KIT_OUTPUT, "sequences", BP_DTYPE_I32, NULL);
    if (gk_is_beams(g)) {
        kit_io(KIT_OUTPUT, "sequences_scores", BP_DTYPE_F32, NULL);
        kit_io(KIT_OUTPUT, "scores", BP_DTYPE_F32, NULL);
    }
    if (gk_is(g, "Sampling"))
        kit_io(KIT_OUTPUT, "filtered_logits", BP_DTYPE_F32, NULL);
    pw_close(&kit.w); /* the graph */
    pw_open(&kit.w, 8);
    pw_text(&kit.w, 1, "com.microsoft");
    pw_int(&kit.w, 2, 1);
    pw_close(&kit.w);
    kit.is_closed = true;
}

static inline void gk_subgraphs(const struct gk *g)
{
    if (gk_has_encoder(g)) {
        kit_int_attr("model_type", g->form == GK_WHISPER ? 2 : 1);
        kit_int_attr("decoder_start_token_id", g->start);
        gk_encoder(g);
        gk_decoder(g);
        return;
    }
    gk_gpt_subgraph(g, "decoder");
    if (g->form == GK_GPT_INIT) {
        struct gk other = *g;

        for (int i = 0; i < GK_WORDS * GK_WORDS; i++)
            other.table[i] = -g->table[i];
        gk_gpt_subgraph(&other, "init_decoder");
    }
}

static inline void gk_model(const struct gk *g)
{
    kit_start_model();
    gk_open_node(g);
    gk_subgraphs(g);
    gk_close_node(g);
}

/* ---- a run ----------------------------------------------------------------------------------- */

enum { GK_OUTPUTS = 3 };

static inline uint32_t gk_n_out(const struct gk *g)
{
    return gk_is_beams(g) ? 3 : gk_is(g, "Sampling") ? 2 : 1;
}

static inline void gk_bind(struct gk *g, uint32_t dtype, void *data, uint32_t rank, int64_t *dims)
{
    g->in[g->n_in] = kit_tensor(g->n_in, dtype, data, rank, dims);
    g->n_in++;
}

/* What the run is fed with, and wanted outputs; valid while g stays where it is. */
static inline void gk_prepare(struct gk *g, bp_binding *out)
{
    g->n_in = 0;
    g->ids_dims[0] = g->words_dims[0] = g->batch;
    g->ids_dims[1] = g->prompt;
    g->words_dims[1] = GK_WORDS;
    g->one[0] = 1;
    g->features_dims[0] = g->start_dims[0] = g->batch;
    g->features_dims[1] = 1;
    g->features_dims[2] = g->prompt;
    g->start_dims[1] = g->n_start;
    for (int i = 0; i < GK_ROWS * GK_MAX; i++)
        g->features[i] = (float)g->ids[i];
    if (g->form == GK_WHISPER)
        gk_bind(g, BP_DTYPE_F32, g->features, 3, g->features_dims);
    else
        gk_bind(g, BP_DTYPE_I32, g->ids, 2, g->ids_dims);
    gk_bind(g, BP_DTYPE_I32, &g->max_length, 1, g->one);
    gk_bind(g, BP_DTYPE_I32, &g->min_length, 1, g->one);
    gk_bind(g, BP_DTYPE_F32, &g->repetition_penalty, 1, g->one);
    gk_bind(g, BP_DTYPE_I32, g->vocab_mask, 1, g->words_dims + 1);
    gk_bind(g, BP_DTYPE_I32, g->prefix_mask, 2, g->words_dims);
    if (gk_is_beams(g)) {
        gk_bind(g, BP_DTYPE_I32, &g->beams, 1, g->one);
        gk_bind(g, BP_DTYPE_I32, &g->returned, 1, g->one);
        gk_bind(g, BP_DTYPE_F32, &g->length_penalty, 1, g->one);
    }
    if (gk_is(g, "Sampling")) {
        gk_bind(g, BP_DTYPE_I32, g->presence, 2, g->words_dims);
        gk_bind(g, BP_DTYPE_I32, &g->seed, 1, g->one);
    }
    if (g->has_mask)
        gk_bind(g, BP_DTYPE_I32, g->mask, 2, g->ids_dims);
    if (g->n_start > 0)
        gk_bind(g, BP_DTYPE_I32, g->start_ids, 2, g->start_dims);
    for (uint32_t i = 0; i < gk_n_out(g); i++)
        out[i] = kit_wanted(i);
}

static inline bp_rc gk_try(struct gk *g, bp_binding *out, const bp_run_options *options)
{
    gk_prepare(g, out);
    return bp_session_run(kit.session, g->in, g->n_in, out, gk_n_out(g), options, &kit.err);
}

static inline void gk_run(struct gk *g, bp_binding *out)
{
    KIT_OK(gk_try(g, out, NULL));
}

static inline void gk_free(const struct gk *g, bp_binding *out)
{
    for (uint32_t i = 0; i < gk_n_out(g); i++)
        bp_tensor_free(&out[i].tensor);
}

#endif
