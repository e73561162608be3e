/* SPDX-License-Identifier: MIT */
/*
 * check_generate.c - what BeamSearch, GreedySearch and Sampling choose: held against a plain search
 * that knows nothing of past states, and against what ONNX Runtime 1.32 gave for the same models.
 */

#include "config.h"

#include <check.h>
#include <float.h>
#include <math.h>

#include "exec/generate_kit.h"

/* ---- a plain search -------------------------------------------------------------------------- */

struct sequence {
    int32_t tokens[GK_MAX];
    int n;
    float sum; /* or score, of one that has ended */
};

struct candidate {
    float score;
    int index;
};

/* Scores of the next token, from all tokens so far. */
static void plain_logits(const struct gk *g, int entry, const struct sequence *s, bool first,
                         float *out)
{
    const int32_t *ids = g->ids + entry * g->prompt, *mask = g->mask + entry * g->prompt;
    float sums[2] = {0, 0};
    int last = s->tokens[s->n - 1], position = 0;

    for (int t = 0; gk_has_encoder(g) && t < s->n; t++)
        sums[0] += (float)s->tokens[t];
    for (int t = 0, begun = 0; gk_has_encoder(g) && t < g->prompt; t++) {
        begun |= ids[t] != g->pad || g->form == GK_WHISPER;
        sums[1] += (float)(g->has_mask ? ids[t] * mask[t] : begun ? ids[t] : 0);
    }
    for (int t = 0; !gk_has_encoder(g) && t < s->n; t++) {
        bool is_word = t >= g->prompt || s->tokens[t] != g->pad;
        int seen = g->has_mask && t < g->prompt ? mask[t] : is_word;

        sums[0] += (float)(s->tokens[t] * seen);
        sums[1] += (float)(is_word ? position * seen : 0);
        position += is_word;
    }
    for (int w = 0; w < GK_WORDS; w++) {
        float row = g->table[last * GK_WORDS + w];

        out[w] = (g->form == GK_GPT_INIT && first ? -row : row) + sums[0] * g->weights[w] +
                 sums[1] * g->weights[GK_WORDS + w];
    }
}

static void plain_log_softmax(float *x)
{
    float max = x[0], log_sum;
    double sum = 0;

    for (int w = 1; w < GK_WORDS; w++)
        max = fmaxf(max, x[w]);
    for (int w = 0; w < GK_WORDS; w++)
        sum += (double)expf(x[w] - max);
    log_sum = (float)log(sum);
    for (int w = 0; w < GK_WORDS; w++)
        x[w] = x[w] - max - log_sum;
}

static bool is_repeated(const struct gk *g, const struct sequence *s, int word)
{
    int n = (int)g->ngram;

    for (int t = 0; n > 0 && t + n <= s->n; t++) {
        if (s->tokens[t + n - 1] == word &&
            memcmp(&s->tokens[t], &s->tokens[s->n - n + 1], (size_t)(n - 1) * sizeof(int32_t)) == 0)
            return true;
    }
    return false;
}

static void plain_adjust(const struct gk *g, int entry, const struct sequence *s, bool first,
                         float *x)
{
    for (int w = 0; w < GK_WORDS; w++) {
        bool is_there = false;

        for (int t = 0; t < s->n; t++)
            is_there |= s->tokens[t] == w;
        if (is_there)
            x[w] = x[w] < 0 ? x[w] * g->repetition_penalty : x[w] / g->repetition_penalty;
        if (is_repeated(g, s, w) || !g->vocab_mask[w] ||
            (first && !g->prefix_mask[entry * GK_WORDS + w]) ||
            (w == g->eos && s->n < g->min_length))
            x[w] = -FLT_MAX;
        x[w] =
            x[w] / g->temperature - (float)g->presence[entry * GK_WORDS + w] * g->presence_penalty;
    }
}

static void plain_start(const struct gk *g, int entry, struct sequence *s)
{
    *s = (struct sequence){.n = gk_has_encoder(g) ? 1 : g->prompt, .tokens = {g->start}};
    for (int t = 0; !gk_has_encoder(g) && t < g->prompt; t++)
        s->tokens[t] = g->ids[entry * g->prompt + t];
    for (int t = 0; t < g->n_start; t++)
        s->tokens[t] = g->start_ids[entry * g->n_start + t];
    s->n = g->n_start > 0 ? g->n_start : s->n;
}

static int by_score(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    return x->score > y->score ? -1 : x->score < y->score ? 1 : x->index - y->index;
}

/* Puts a sequence after all that are as good. */
static void plain_end(const struct gk *g, struct sequence *ended, int *n, struct sequence s)
{
    int at = *n;

    s.sum /= powf((float)s.n, g->length_penalty);
    while (at > 0 && ended[at - 1].sum < s.sum)
        at--;
    memmove(ended + at + 1, ended + at, (size_t)(*n - at) * sizeof *ended);
    ended[at] = s;
    *n = *n < g->beams ? *n + 1 : *n;
}

/* One entry; ended has capacity for beams + 1. */
static void plain_beams(const struct gk *g, int entry, struct sequence *ended)
{
    struct sequence live[8] = {{{0}, 0, 0}}, next[8];
    struct candidate all[8 * GK_WORDS];
    int n_ended = 0;
    bool is_done = false;

    for (int b = 0; b < g->beams; b++) {
        plain_start(g, entry, &live[b]);
        live[b].sum = b == 0 ? 0 : -1e9f;
    }
    for (bool first = true; live[0].n < g->max_length && !is_done; first = false) {
        int n = 0, length = live[0].n;

        for (int b = 0; b < g->beams; b++) {
            float x[GK_WORDS];

            plain_logits(g, entry, &live[b], first, x);
            plain_log_softmax(x);
            plain_adjust(g, entry, &live[b], first, x);
            for (int w = 0; w < GK_WORDS; w++)
                all[b * GK_WORDS + w] = (struct candidate){x[w] + live[b].sum, b * GK_WORDS + w};
        }
        qsort(all, (size_t)(g->beams * GK_WORDS), sizeof *all, by_score);
        for (int i = 0; i < 2 * g->beams && n < g->beams; i++) {
            struct sequence s = live[all[i].index / GK_WORDS];
            int word = all[i].index % GK_WORDS;

            s.sum = all[i].score;
            if (word == g->eos && i < g->beams)
                plain_end(g, ended, &n_ended, s);
            if (word == g->eos)
                continue;
            s.tokens[s.n++] = word;
            next[n++] = s;
        }
        memcpy(live, next, sizeof live);
        is_done = n_ended == g->beams &&
                  (g->early || ended[g->beams - 1].sum >=
                                   all[0].score / powf((float)length, g->length_penalty));
    }
    for (int b = 0; b < g->beams && !is_done; b++)
        plain_end(g, ended, &n_ended, live[b]);
}

/* ---- against it ------------------------------------------------------------------------------ */

static void compare_beams(struct gk *g)
{
    bp_binding out[GK_OUTPUTS];
    struct sequence first;

    gk_run(g, out);
    KIT_DIMS(&out[0].tensor, g->batch, g->returned, g->max_length);
    KIT_DIMS(&out[1].tensor, g->batch, g->returned);
    plain_start(g, 0, &first);
    KIT_DIMS(&out[2].tensor, g->max_length - first.n, g->batch, g->beams, GK_WORDS);
    for (int entry = 0; entry < g->batch; entry++) {
        struct sequence ended[9];

        plain_beams(g, entry, ended);
        for (int i = 0; i < g->returned; i++) {
            const int32_t *got =
                (const int32_t *)out[0].tensor.base + (entry * g->returned + i) * g->max_length;
            float score = ((const float *)out[1].tensor.base)[entry * g->returned + i];

            for (int t = 0; t < g->max_length; t++)
                ck_assert_int_eq(got[t], t < ended[i].n ? ended[i].tokens[t] : g->pad);
            ck_assert_msg(fabsf(score - ended[i].sum) <= 1e-4f * (1 + fabsf(score)), "%g, not %g",
                          (double)score, (double)ended[i].sum);
        }
    }
    gk_free(g, out);
}

/* Anything that a search may be given. */
static void vary(struct gk *g, uint64_t *seed)
{
    static const float lengths[] = {1, 0, -1, 0.5f, 2}, repetitions[] = {1, 1, 1.5f, 0.75f};

    g->eos = (int32_t)random_below(seed, GK_WORDS);
    g->start = (int32_t)random_below(seed, GK_WORDS);
    g->pad = (int32_t)random_below(seed, GK_WORDS);
    g->ngram = random_below(seed, 3) ? 0 : 1 + (int64_t)random_below(seed, 3);
    g->ngram = g->ngram == 1 ? 2 : g->ngram; /* 7 tokens are too few to have each once */
    g->batch = 1 + (int32_t)random_below(seed, 3);
    g->early = g->batch > 1 || random_below(seed, 2); /* see three_prompts_end_... */
    g->prompt = 1 + (int32_t)random_below(seed, 5);
    g->max_length = g->prompt + 1 + (int32_t)random_below(seed, 12);
    g->min_length = random_below(seed, 2) ? 0 : g->prompt + (int32_t)random_below(seed, 5);
    g->length_penalty = lengths[random_below(seed, 5)];
    g->repetition_penalty = repetitions[random_below(seed, 4)];
    g->vocab_mask[random_below(seed, GK_WORDS)] = (int32_t)random_below(seed, 2);
    for (int i = 0; i < g->batch; i++) {
        g->prefix_mask[i * GK_WORDS + (int)random_below(seed, GK_WORDS)] = 0;
        for (uint32_t t = 0, n = random_below(seed, (uint32_t)g->prompt); t < n; t++)
            g->ids[i * g->prompt + (int)t] = g->pad;
        g->mask[i * g->prompt + (int)random_below(seed, (uint32_t)g->prompt)] = 0;
    }
    if (gk_is_beams(g)) {
        g->beams = 1 + (int32_t)random_below(seed, 3);
        g->returned = 1 + (int32_t)random_below(seed, (uint32_t)g->beams);
    }
}

START_TEST(beam_search_matches_a_plain_search)
{
    uint64_t seed = (uint64_t)_i;
    struct gk g;

    gk_start(&g, "BeamSearch", (enum gk_form)(_i % 5), (uint64_t)_i + 100);
    vary(&g, &seed);
    g.has_mask = _i / 5 % 2;
    gk_model(&g);
    kit_session();
    compare_beams(&g);
}
END_TEST

START_TEST(whisper_beam_search_starts_from_decoder_input_ids)
{
    uint64_t seed = (uint64_t)_i;
    struct gk g;

    gk_start(&g, _i % 2 ? "WhisperBeamSearch" : "BeamSearch", GK_WHISPER, (uint64_t)_i + 300);
    vary(&g, &seed);
    g.n_start = _i / 2 % 4;
    for (int i = 0; i < GK_ROWS * GK_MAX; i++)
        g.start_ids[i] = (int32_t)random_below(&seed, GK_WORDS);
    g.max_length += g.n_start;
    gk_model(&g);
    kit_session();
    compare_beams(&g);
}
END_TEST

/* Argmax of the logits, not of probabilities. Steps after the end of all sequences stay 0. */
static void compare_greedy(struct gk *g, const bp_binding *out)
{
    struct sequence s[GK_ROWS];
    bool is_done[GK_ROWS] = {false};
    int n_done = 0;

    KIT_DIMS(&out[0].tensor, g->batch, g->max_length);
    for (int i = 0; i < g->batch; i++)
        plain_start(g, i, &s[i]);
    for (int t = g->prompt; t < g->max_length; t++) {
        for (int i = 0; n_done < g->batch && i < g->batch; i++) {
            int best = 0;
            float x[GK_WORDS];

            plain_logits(g, i, &s[i], t == g->prompt, x);
            plain_adjust(g, i, &s[i], t == g->prompt, x);
            for (int w = 1; w < GK_WORDS; w++)
                best = x[w] > x[best] ? w : best;
            is_done[i] |= best == g->eos;
            s[i].tokens[s[i].n++] = is_done[i] ? g->pad : best;
        }
        n_done = 0;
        for (int i = 0; i < g->batch; i++)
            n_done += is_done[i];
    }
    for (int i = 0; i < g->batch * g->max_length; i++)
        ck_assert_int_eq(((const int32_t *)out[0].tensor.base)[i],
                         s[i / g->max_length].tokens[i % g->max_length]);
}

START_TEST(greedy_search_takes_the_best_token_each_step)
{
    uint64_t seed = (uint64_t)_i;
    bp_binding out[GK_OUTPUTS];
    struct gk g;

    gk_start(&g, "GreedySearch", (enum gk_form)(_i % 2), (uint64_t)_i + 500);
    vary(&g, &seed);
    g.has_mask = _i / 2 % 2;
    gk_model(&g);
    kit_session();
    gk_run(&g, out);
    compare_greedy(&g, out);
    gk_free(&g, out);
}
END_TEST

/* A top_p that leaves one token makes sampling deterministic. */
START_TEST(sampling_with_top_p_of_one_token_matches_greedy_search)
{
    uint64_t seed = (uint64_t)_i;
    bp_binding out[GK_OUTPUTS];
    struct gk g;

    gk_start(&g, "Sampling", GK_GPT, (uint64_t)_i + 900);
    vary(&g, &seed);
    g.top_p = 0.01f;
    g.temperature = 0.5f;
    g.custom = _i % 2;
    g.seed = _i;
    g.presence_penalty = 0.75f;
    for (int i = 0; i < g.batch * GK_WORDS; i++)
        g.presence[i] = (int32_t)random_below(&seed, 2);
    gk_model(&g);
    kit_session();
    gk_run(&g, out);
    compare_greedy(&g, out);
    KIT_DIMS(&out[1].tensor, g.batch, GK_WORDS);
    for (int i = 0, left = 0; i < GK_WORDS; i++) {
        left += ((const float *)out[1].tensor.base)[i] > -1e20f;
        ck_assert_int_le(left, 1);
    }
    gk_free(&g, out);
}
END_TEST

/* A run leaves no state that would change the next one, which has another size. */
START_TEST(repeated_searches_of_a_session_do_not_affect_each_other)
{
    uint64_t seed = 7;
    struct gk g;

    gk_start(&g, "BeamSearch", GK_GPT, 3);
    g.early = 1;
    gk_model(&g);
    kit_session();
    for (int i = 0; i < 12; i++) {
        g.batch = 1 + (int32_t)random_below(&seed, 3);
        g.prompt = 1 + (int32_t)random_below(&seed, 4);
        g.max_length = g.prompt + 1 + (int32_t)random_below(&seed, 9);
        g.beams = 1 + (int32_t)random_below(&seed, 3);
        compare_beams(&g);
    }
}
END_TEST

/* The Add of the decoder subgraph runs on provider "few", its other nodes on the CPU. */
START_TEST(decoder_subgraphs_run_on_several_providers)
{
    uint32_t before = atomic_load(&kit_counters("few")->executes);
    struct gk g;

    gk_start(&g, "BeamSearch", (enum gk_form)_i, 5);
    g.early = 1;
    gk_model(&g);
    kit_provider("few", BP_FALLBACK_REQUIRE);
    kit_session();
    compare_beams(&g);
    ck_assert_uint_ge(atomic_load(&kit_counters("few")->executes) - before,
                      (uint32_t)(g.max_length - g.prompt) / 2);
}
END_TEST

/* ---- what ONNX Runtime 1.32 gave for the same models ------------------------------------------ */

static void gives(struct gk *g, uint32_t n, const int32_t *sequences, const float *scores)
{
    bp_binding out[GK_OUTPUTS];

    gk_model(g);
    kit_session();
    gk_run(g, out);
    for (uint32_t i = 0; i < n; i++)
        ck_assert_int_eq(((const int32_t *)out[0].tensor.base)[i], sequences[i]);
    for (int i = 0; scores && i < g->batch * g->returned; i++)
        ck_assert(fabsf(((const float *)out[1].tensor.base)[i] - scores[i]) < 1e-5f);
    gk_free(g, out);
}

/*
 * ONNX Runtime ends entries 1 and 2 by candidates that are not all theirs; a search of each alone
 * gives something else.
 */
START_TEST(beam_search_of_three_prompts_matches_onnx_runtime)
{
    static const int32_t sequences[] = {4, 3, 6, 6, 6, 6, 6, 6, 6, 6, 4, 3, 3, 6, 6, 6, 6, 6, 6, 6,
                                        4, 3, 6, 6, 6, 6, 6, 6, 6, 6, 4, 3, 3, 6, 6, 6, 6, 6, 6, 6,
                                        2, 1, 4, 1, 4, 1, 4, 1, 4, 1, 2, 1, 4, 4, 1, 4, 1, 3, 6, 6};
    static const float scores[] = {-0.61359614f, -0.83718437f, -0.61359614f,
                                   -0.83718437f, -0.4793523f,  -0.49659768f};
    struct gk g;

    gk_start(&g, "BeamSearch", GK_GPT, 0);
    g.batch = 3;
    g.beams = 2;
    g.returned = 2;
    g.prompt = 2;
    g.max_length = 10;
    gives(&g, 60, sequences, scores);
}
END_TEST

START_TEST(encoder_decoder_beam_search_matches_onnx_runtime)
{
    static const int32_t sequences[] = {2, 6, 3, 1, 6, 6, 6, 6, 6, 6, 6, 6, 2, 6, 1, 6, 6, 6,
                                        6, 6, 6, 6, 6, 6, 2, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6,
                                        2, 6, 3, 1, 6, 6, 6, 6, 6, 6, 6, 6, 2, 6, 1, 6, 6, 6,
                                        6, 6, 6, 6, 6, 6, 2, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6};
    static const float scores[] = {-0.20521797f, -0.32321152f, -0.47870237f,
                                   -0.18812203f, -0.30593708f, -0.4587887f};
    struct gk g;

    gk_start(&g, "BeamSearch", GK_ENCODER, 11);
    g.batch = 2;
    g.returned = 3;
    g.early = 1;
    g.start = 2;
    g.ngram = 2;
    g.length_penalty = 2;
    g.repetition_penalty = 1.25f;
    gives(&g, 72, sequences, scores);
}
END_TEST

/* ONNX Runtime leaves these steps uninitialised. */
START_TEST(scores_of_steps_after_all_sequences_ended_are_zero)
{
    bp_binding out[GK_OUTPUTS];
    const float *scores;
    struct gk g;

    gk_start(&g, "BeamSearch", GK_ENCODER, 3);
    g.beams = 1;
    g.early = 1;
    for (int i = 0; i < GK_WORDS; i++)
        g.table[i * GK_WORDS + g.eos] = 50; /* the first step ends the sequence */
    gk_model(&g);
    kit_session();
    gk_run(&g, out);
    scores = out[2].tensor.base;
    ck_assert_int_eq(out[2].tensor.dims[0], g.max_length - 1);
    for (int i = 0; i < GK_WORDS; i++)
        ck_assert(i == g.eos || scores[i] < 0);
    for (int i = GK_WORDS; i < (g.max_length - 1) * GK_WORDS; i++)
        ck_assert(scores[i] == 0.0f);
    gk_free(&g, out);
}
END_TEST

/* The random values of the seed, and the tokens that either rule of top_p keeps. */
START_TEST(sampling_matches_onnx_runtime)
{
    static const int32_t sequences[2][32] = {{1, 1, 2, 1, 0, 6, 6, 3, 5, 2, 1, 1, 0, 6, 6, 3,
                                              4, 2, 2, 6, 6, 6, 3, 5, 1, 5, 4, 2, 3, 5, 6, 3},
                                             {1, 1, 2, 2, 1, 0, 6, 3, 4, 6, 6, 3, 4, 3, 5, 6,
                                              4, 2, 2, 2, 1, 0, 3, 5, 1, 1, 0, 3, 4, 3, 5, 6}};
    struct gk g;

    gk_start(&g, "Sampling", GK_GPT, 4);
    memset(g.weights, 0, sizeof g.weights);
    g.batch = 2;
    g.max_length = 16;
    g.top_p = 0.9f;
    g.temperature = 2;
    g.eos = -1;
    g.custom = _i;
    g.seed = 1234 + _i;
    gives(&g, 32, sequences[_i], NULL);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("generate");

    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, kit_setup, kit_teardown);
    tcase_add_loop_test(tcase, beam_search_matches_a_plain_search, 0, 60);
    tcase_add_loop_test(tcase, whisper_beam_search_starts_from_decoder_input_ids, 0, 16);
    tcase_add_loop_test(tcase, greedy_search_takes_the_best_token_each_step, 0, 16);
    tcase_add_loop_test(tcase, sampling_with_top_p_of_one_token_matches_greedy_search, 0, 10);
    tcase_add_test(tcase, repeated_searches_of_a_session_do_not_affect_each_other);
    tcase_add_loop_test(tcase, decoder_subgraphs_run_on_several_providers, 0, 5);
    tcase_add_test(tcase, beam_search_of_three_prompts_matches_onnx_runtime);
    tcase_add_test(tcase, encoder_decoder_beam_search_matches_onnx_runtime);
    tcase_add_test(tcase, scores_of_steps_after_all_sequences_ended_are_zero);
    tcase_add_loop_test(tcase, sampling_matches_onnx_runtime, 0, 2);
    return kit_main("generate", &tcase, 1);
}
