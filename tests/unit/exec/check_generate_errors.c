/* SPDX-License-Identifier: MIT */
/*
 * check_generate_errors.c - subgraphs and inputs that BeamSearch, GreedySearch and Sampling cannot
 * take, runs that end early, and memory that is not there.
 */

#include "config.h"

#include <check.h>
#include <pthread.h>
#include <unistd.h>

#include "exec/generate_kit.h"
#include "support/fail_alloc.h"

/* ---- subgraphs ----------------------------------------------------------------------------- */

/* Writes a model whose text is changed: the first `from` after `part` becomes `to`, as long. */
static void replace(const char *part, const char *from, const char *to)
{
    uint8_t *at = kit.w.data, *end = at + kit.w.size;

    ck_assert_uint_eq(strlen(from), strlen(to));
    at = memmem(at, (size_t)(end - at), part, strlen(part));
    ck_assert_ptr_nonnull(at);
    while ((at = memmem(at, (size_t)(end - at), from, strlen(from))) != NULL) {
        memcpy(at, to, strlen(to));
        at += strlen(to);
    }
}

static void model(const char *op, enum gk_form form)
{
    struct gk g;

    gk_start(&g, op, form, 1);
    gk_model(&g);
}

START_TEST(search_rejects_unknown_port_names_of_a_decoder)
{
    model("BeamSearch", GK_GPT);
    replace("decoder", "position_ids", "positionings");
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "node 'gen'", "decoder's input 1", "'positionings'",
              "'position_ids'");
    model("GreedySearch", GK_GPT);
    replace("decoder", "present_0", "presents_");
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "decoder's output 1", "'present_0'");
    model("Sampling", GK_GPT_INIT);
    replace("init_decoder", "past_0", "past_1");
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "init_decoder's input 3", "'past_0'");
}
END_TEST

START_TEST(search_rejects_unknown_port_names_of_an_encoder)
{
    model("BeamSearch", GK_ENCODER);
    replace("encoder", "encoder_attention_mask", "encoder_attention_musk");
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "encoder's input 1", "'encoder_attention_mask'");
    model("BeamSearch", GK_ENCODER_ONLY);
    replace("encoder", "present_value_cross_0", "present_walue_cross_0");
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "encoder's output 1", "'present_value_cross_0'");
    model("BeamSearch", GK_ENCODER);
    replace("encoder", "encoder_hidden_states", "encoder_hodden_states");
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "encoder's output 1", "'encoder_hidden_states'");
}
END_TEST

/* A decoder of the kit with other ports. */
struct ports {
    const char *past_shape;
    uint32_t ids_type, mask_rank;
    const char *more_input, *more_output;
    bp_rc rc;
    const char *words;
};

static const struct ports wrong_ports[] = {
    {"2,batch,1,past,1", BP_DTYPE_I64, 2, NULL, NULL, BP_E_INVALID, "'input_ids' has type int64"},
    {"2,batch,1,past,1", BP_DTYPE_I32, 3, NULL, NULL, BP_E_SHAPE, "'attention_mask' has rank 3"},
    {"2,batch,1,past", BP_DTYPE_I32, 2, NULL, NULL, BP_E_SHAPE, "'past_0' has rank 4"},
    {"3,batch,1,past,1", BP_DTYPE_I32, 2, NULL, NULL, BP_E_SHAPE, "[2,batch,heads,past,head size]"},
    {"2,batch,heads,past,1", BP_DTYPE_I32, 2, NULL, NULL, BP_E_SHAPE, "exact sizes for heads"},
    {"2,batch,1,past,size", BP_DTYPE_I32, 2, NULL, NULL, BP_E_SHAPE, "exact sizes for heads"},
    {"2,batch,1,past,1", BP_DTYPE_I32, 2, "past_1", NULL, BP_E_INVALID, "5 inputs and 2 outputs"},
    {"2,batch,1,past,1", BP_DTYPE_I32, 2, NULL, "masked", BP_E_INVALID, "4 inputs and 3 outputs"},
    {"2,batch,1,past,1", BP_DTYPE_I32, 2, "past_sequence_length", NULL, BP_E_UNSUPPORTED,
     "past_present_share_buffer"},
};

START_TEST(search_rejects_a_decoder_with_wrong_inputs_or_outputs)
{
    const struct ports *p = &wrong_ports[_i];
    struct gk g;

    gk_start(&g, "BeamSearch", GK_GPT, 1);
    kit_start_model();
    gk_open_node(&g);
    kit_open_subgraph("decoder");
    gk_constants(&g);
    gk_gpt_nodes();
    kit_io(KIT_INPUT, "input_ids", p->ids_type, "batch,seq");
    kit_io(KIT_INPUT, "position_ids", BP_DTYPE_I32, "batch,seq");
    kit_io(KIT_INPUT, "attention_mask", BP_DTYPE_I32, p->mask_rank == 2 ? "batch,total" : "a,b,c");
    kit_io(KIT_INPUT, "past_0", BP_DTYPE_F32, p->past_shape);
    if (p->more_input)
        kit_io(KIT_INPUT, p->more_input, BP_DTYPE_F32, p->past_shape);
    kit_io(KIT_OUTPUT, "logits", BP_DTYPE_F32, "batch,seq,7");
    kit_io(KIT_OUTPUT, "present_0", BP_DTYPE_F32, NULL);
    if (p->more_output)
        kit_io(KIT_OUTPUT, p->more_output, BP_DTYPE_F32, NULL);
    kit_close_subgraph();
    gk_close_node(&g);
    KIT_FAILS(kit_try_session(), p->rc, "node 'gen' (BeamSearch)", p->words);
}
END_TEST

/* A model with some subgraphs and a type of model. */
static void subgraphs_of(const char *op, int64_t type, bool has_encoder, bool has_decoder,
                         enum gk_form decoder)
{
    struct gk g;

    gk_start(&g, op, decoder, 1);
    kit_start_model();
    gk_open_node(&g);
    kit_int_attr("model_type", type);
    if (has_encoder)
        gk_encoder(&g);
    if (has_decoder && gk_has_encoder(&g))
        gk_decoder(&g);
    else if (has_decoder)
        gk_gpt_subgraph(&g, "decoder");
    gk_close_node(&g);
}

START_TEST(search_rejects_a_model_without_the_subgraphs_of_its_type)
{
    subgraphs_of("BeamSearch", 0, false, false, GK_GPT);
    KIT_FAILS(bp_model_open_memory(kit.env, kit.w.data, kit.w.size, NULL, &kit.model, &kit.err),
              BP_E_INVALID, "'decoder'", "missing");
    subgraphs_of("BeamSearch", 1, false, true, GK_ENCODER);
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "attribute encoder is missing");
    subgraphs_of("BeamSearch", 3, false, true, GK_GPT);
    KIT_FAILS(kit_try_session(), BP_E_UNSUPPORTED, "model_type 3", "0 (decoder", "2 (Whisper)");
    subgraphs_of("BeamSearch", 2, false, true, GK_WHISPER);
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "attribute encoder is missing");
    subgraphs_of("BeamSearch", 2, true, true, GK_ENCODER);
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "encoder has 3 inputs, it needs 2");
    subgraphs_of("WhisperBeamSearch", 1, true, true, GK_ENCODER);
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "model_type is 1, it has to be 2");
    subgraphs_of("GreedySearch", 1, true, true, GK_ENCODER);
    KIT_FAILS(kit_try_session(), BP_E_UNSUPPORTED, "model_type 1", "only 0");
    subgraphs_of("BeamSearch", 1, true, true, GK_GPT);
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "decoder");
}
END_TEST

/* Unsupported parts of Whisper's search are rejected at session creation or by the input's name. */
START_TEST(whisper_search_rejects_cross_qk_and_timestamps)
{
    bp_binding out[GK_OUTPUTS];
    struct gk g;

    gk_start(&g, "WhisperBeamSearch", GK_WHISPER, 1);
    kit_start_model();
    gk_open_node(&g);
    kit_int_attr("decoder_output_cross_qk", 1);
    gk_subgraphs(&g);
    gk_close_node(&g);
    KIT_FAILS(kit_try_session(), BP_E_UNSUPPORTED, "node 'gen' (WhisperBeamSearch)", "cross_qk");
    g.n_start = g.processor = 1;
    gk_model(&g);
    kit_session();
    KIT_FAILS(gk_try(&g, out, NULL), BP_E_UNSUPPORTED, "logits_processor 1", "timestamps");
}
END_TEST

/* ---- inputs ---------------------------------------------------------------------------------- */

static struct gk asked;

static void session_of(const char *op)
{
    gk_start(&asked, op, GK_GPT, 1);
    asked.has_mask = true;
    gk_model(&asked);
    kit_session();
}

#define RUN_FAILS(...)                                                                             \
    do {                                                                                           \
        bp_binding out_[GK_OUTPUTS];                                                               \
        KIT_FAILS(gk_try(&asked, out_, NULL), __VA_ARGS__);                                        \
    } while (0)

START_TEST(search_rejects_integer_inputs_out_of_range)
{
    bp_binding out[GK_OUTPUTS];

    session_of("BeamSearch");
    asked.beams = 0;
    RUN_FAILS(BP_E_INVALID, "node 'gen' (BeamSearch)", "num_beams is 0", "1 to 128");
    asked.beams = 129;
    RUN_FAILS(BP_E_INVALID, "num_beams is 129");
    asked.beams = 2;
    asked.returned = 3;
    RUN_FAILS(BP_E_INVALID, "num_return_sequences is 3", "1 to 2");
    asked.returned = 1;
    asked.max_length = asked.prompt;
    RUN_FAILS(BP_E_INVALID, "max_length is 3", "more than the 3 tokens");
    asked.max_length = 16385;
    RUN_FAILS(BP_E_INVALID, "max_length is 16385");
    asked.max_length = 12;
    asked.repetition_penalty = 0;
    RUN_FAILS(BP_E_INVALID, "repetition_penalty is 0");
    asked.repetition_penalty = 1;
    asked.prompt = 0;
    RUN_FAILS(BP_E_SHAPE, "input_ids", "[1,0]");
    asked.prompt = 3;
    asked.beams = 2;
    asked.length_penalty = 1;
    KIT_OK(gk_try(&asked, out, NULL));
    gk_free(&asked, out);
}
END_TEST

START_TEST(sampling_rejects_a_negative_seed)
{
    session_of("Sampling");
    asked.seed = -1;
    RUN_FAILS(BP_E_INVALID, "seed is -1");
}
END_TEST

/* A mask of another shape than ids and vocabulary, by a node of the model. */
static void with_shapes(const char *vocab, uint32_t n, bool is_prefix, const char *words)
{
    int64_t ids[] = {1, 3}, one[] = {1}, mask[] = {1, n};
    int32_t ones[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, tokens[] = {1, 2, 3}, length = 5;
    bp_binding in[3], out = kit_wanted(0);
    struct gk g;

    gk_start(&g, "GreedySearch", GK_GPT, 1);
    kit_start_model();
    kit_open_node("gen", "GreedySearch",
                  is_prefix ? "input_ids max_length - - - m" : "input_ids max_length - - m",
                  "sequences");
    pw_text(&kit.w, 7, "com.microsoft");
    kit_int_attr("eos_token_id", 0);
    kit_int_attr("pad_token_id", 6);
    gk_gpt_subgraph(&g, "decoder");
    pw_close(&kit.w);
    kit_io(KIT_INPUT, "input_ids", BP_DTYPE_I32, "b,s");
    kit_io(KIT_INPUT, "max_length", BP_DTYPE_I32, "1");
    kit_io(KIT_INPUT, "m", BP_DTYPE_I32, vocab);
    kit_io(KIT_OUTPUT, "sequences", BP_DTYPE_I32, NULL);
    pw_close(&kit.w);
    pw_open(&kit.w, 8);
    pw_text(&kit.w, 1, "com.microsoft");
    pw_int(&kit.w, 2, 1);
    pw_close(&kit.w);
    kit.is_closed = true;
    kit_session();
    in[0] = kit_tensor(0, BP_DTYPE_I32, tokens, 2, ids);
    in[1] = kit_tensor(1, BP_DTYPE_I32, &length, 1, one);
    in[2] = kit_tensor(2, BP_DTYPE_I32, ones, is_prefix ? 2 : 1, is_prefix ? mask : mask + 1);
    if (words) {
        KIT_FAILS(bp_session_run(kit.session, in, 3, &out, 1, NULL, &kit.err), BP_E_SHAPE, words);
        return;
    }
    kit_run(in, 3, &out, 1);
    KIT_DIMS(&out.tensor, 1, 5);
    bp_tensor_free(&out.tensor);
}

START_TEST(search_rejects_masks_of_another_size_than_the_vocabulary)
{
    with_shapes("v", 7, false, NULL);
    with_shapes("v", 8, false, "vocab_mask has to have the shape [vocabulary]");
    with_shapes("v", 6, false, "vocabulary of 7");
    with_shapes("b,v", 7, true, NULL);
    with_shapes("b,v", 8, true, "prefix_vocab_mask has to have the shape [batch,vocabulary]");
}
END_TEST

/* vocab_size may leave tokens out at the end, but must not be larger than the logits. */
START_TEST(search_accepts_a_vocabulary_smaller_than_the_logits)
{
    bp_binding out[GK_OUTPUTS];

    for (int64_t size = 6; size <= 8; size += 2) {
        gk_start(&asked, "GreedySearch", GK_GPT, 1);
        for (int i = 0; i < GK_WORDS; i++)
            asked.table[i * GK_WORDS + 6] = 7; /* the most probable token is the last */
        memset(asked.weights, 0, sizeof asked.weights);
        kit_start_model();
        kit_open_node("gen", "GreedySearch", "input_ids max_length min_length repetition_penalty",
                      "sequences");
        pw_text(&kit.w, 7, "com.microsoft");
        kit_int_attr("eos_token_id", 9);
        kit_int_attr("pad_token_id", 9);
        kit_int_attr("vocab_size", size);
        gk_subgraphs(&asked);
        gk_close_node(&asked);
        kit_session();
        if (size > GK_WORDS) {
            RUN_FAILS(BP_E_INVALID, "vocab_size is 8", "7 tokens");
            break;
        }
        gk_run(&asked, out);
        for (int t = asked.prompt; t < asked.max_length; t++)
            ck_assert_int_lt(((const int32_t *)out[0].tensor.base)[t], 6);
        gk_free(&asked, out);
    }
}
END_TEST

/* ---- ending early ---------------------------------------------------------------------------- */

static void *cancel_soon(void *flag)
{
    usleep(50000);
    __atomic_store_n((uint32_t *)flag, 1, __ATOMIC_RELAXED);
    return NULL;
}

START_TEST(long_search_is_cancelled_between_tokens)
{
    uint32_t cancel = 0;
    bp_run_options options = {.struct_size = sizeof options, .cancel = &cancel};
    bp_binding out[GK_OUTPUTS];
    pthread_t thread;

    session_of("GreedySearch");
    asked.min_length = asked.max_length = 16384; /* minutes */
    ck_assert_int_eq(pthread_create(&thread, NULL, cancel_soon, &cancel), 0);
    KIT_FAILS(gk_try(&asked, out, &options), BP_E_CANCELLED, "cancelled");
    pthread_join(thread, NULL);
    options = (bp_run_options){.struct_size = sizeof options, .timeout_ns = 20000000};
    KIT_FAILS(gk_try(&asked, out, &options), BP_E_TIMEOUT, "time");
    asked.min_length = asked.max_length = 6;
    gk_run(&asked, out);
    gk_free(&asked, out);
}
END_TEST

/* Each allocation of the first run, and of a later one. */
START_TEST(search_survives_every_failing_allocation)
{
    static const char *const ops[] = {"BeamSearch", "BeamSearch", "GreedySearch", "Sampling"};
    bp_binding out[GK_OUTPUTS];
    bool failed = true;
    struct gk g;

    kit_new_env(1);
    gk_start(&g, ops[_i], _i == 1 ? GK_ENCODER_ALL : GK_GPT, 2);
    g.max_length = 6;
    g.batch = 2;
    gk_model(&g);
    for (unsigned n = 1; failed; n++) {
        bp_rc rc;

        kit_session(); /* anew, or plans would stay */
        gk_prepare(&g, out);
        fail_alloc_at(n);
        rc = bp_session_run(kit.session, g.in, g.n_in, out, gk_n_out(&g), NULL, &kit.err);
        failed = fail_alloc_stop();
        ck_assert_int_eq(rc, failed ? BP_E_NOMEM : BP_OK);
        gk_free(&g, out);
        if (failed) {
            gk_run(&g, out);
            gk_free(&g, out);
        }
        kit_end_session();
    }
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("refuses");

    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, kit_setup, kit_teardown);
    tcase_add_test(tcase, search_rejects_unknown_port_names_of_a_decoder);
    tcase_add_test(tcase, search_rejects_unknown_port_names_of_an_encoder);
    tcase_add_loop_test(tcase, search_rejects_a_decoder_with_wrong_inputs_or_outputs, 0,
                        (int)(sizeof wrong_ports / sizeof wrong_ports[0]));
    tcase_add_test(tcase, search_rejects_a_model_without_the_subgraphs_of_its_type);
    tcase_add_test(tcase, whisper_search_rejects_cross_qk_and_timestamps);
    tcase_add_test(tcase, search_rejects_integer_inputs_out_of_range);
    tcase_add_test(tcase, sampling_rejects_a_negative_seed);
    tcase_add_test(tcase, search_rejects_masks_of_another_size_than_the_vocabulary);
    tcase_add_test(tcase, search_accepts_a_vocabulary_smaller_than_the_logits);
    tcase_add_test(tcase, long_search_is_cancelled_between_tokens);
    tcase_add_loop_test(tcase, search_survives_every_failing_allocation, 0, 4);
    return kit_main("generate_errors", &tcase, 1);
}
