/* SPDX-License-Identifier: MIT */
/*
 * decode.c - continues a text, as tokens, with a language model of GPT-2's kind: the prompt in one run,
 * then a token for each run. The session keeps the keys and values of all tokens before in a state.
 */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../common/example.h"

const char example_name[] = "decode";

enum { MAX_TOKENS = 1 << 20, MAX_EXTRAS = 3, MAX_RANK = 8 };

struct arguments {
    const char *model, *providers;
    long n_new, deadline_ms;
    bool is_cached;
    int64_t *prompt;
    size_t n_prompt;
};

/* A session with the state of one text, and the tokens so far. */
struct decoder {
    bp_session *session;
    bp_state *state;               /* keys and values of the tokens that runs have read */
    uint32_t ids, positions, mask; /* indices of inputs; BP_NONE: the model has none */
    uint32_t logits;               /* index of the output */
    size_t n_words;                /* tokens that there are */
    int64_t *tokens, *counting, *ones;
    size_t n_tokens;
    float *scores; /* for each token that is fed, one a word */
    size_t scores_bytes;
    bp_binding inputs[MAX_EXTRAS];
    int64_t dims[MAX_EXTRAS][2], scores_dims[3];
};

static volatile uint32_t is_cancelled;

static void cancel(int signal)
{
    (void)signal;
    is_cancelled = 1;
}

/* ---- arguments ----------------------------------------------------------------------------------- */

static void print_help(void)
{
    puts("Usage: decode [OPTION]... MODEL TOKEN...\n"
         "Continues the tokens (numbers) with a model that has inputs input_ids and past..., "
         "outputs\n"
         "logits and present..., and perhaps inputs position_ids and attention_mask. Prints the "
         "new\n"
         "tokens: each time the one that the model finds likeliest.\n"
         "\n"
         "  --providers A,B  execution providers, in this order, before CPU; without it, those\n"
         "                   that compute on this machine's processor\n"
         "  --tokens N       new tokens (16)\n"
         "  --deadline MS    time for all of them; 0: any (0)\n"
         "  --no-cache       reads all tokens again for each new one, to compare\n"
         "  --help           print this text");
}

static bool parse_number(const char *text, long most, long *out)
{
    char *rest;

    errno = 0;
    *out = strtol(text, &rest, 10);
    return (*text && !*rest && errno == 0 && *out >= 0 && *out <= most) ||
           example_fail("\"%s\" is not a number from 0 to %ld", text, most);
}

static bool parse_prompt(char **words, int n, struct arguments *out)
{
    out->prompt = calloc((size_t)n, sizeof *out->prompt);
    out->n_prompt = (size_t)n;
    if (!out->prompt)
        return example_fail("no memory for the prompt");
    for (int i = 0; i < n; i++) {
        long token;

        if (!parse_number(words[i], INT32_MAX, &token))
            return false;
        out->prompt[i] = token;
    }
    return true;
}

/* Exits after --help and after arguments that make no sense. */
static void parse_arguments(int argc, char **argv, struct arguments *out)
{
    static const struct option options[] = {{"providers", required_argument, NULL, 'p'},
                                            {"tokens", required_argument, NULL, 't'},
                                            {"deadline", required_argument, NULL, 'd'},
                                            {"no-cache", no_argument, NULL, 'n'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    bool is_good = true;
    int option;

    *out = (struct arguments){.n_new = 16, .is_cached = true};
    while (is_good && (option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == 'h') {
            print_help();
            exit(EXIT_SUCCESS);
        }
        if (option == 'p')
            out->providers = optarg;
        else if (option == 't')
            is_good = parse_number(optarg, MAX_TOKENS, &out->n_new);
        else if (option == 'd')
            is_good = parse_number(optarg, 1000000, &out->deadline_ms);
        else if (option == 'n')
            out->is_cached = false;
        else
            is_good = false; /* getopt_long has complained */
    }
    if (is_good && optind + 2 > argc)
        is_good = example_fail("a model and at least one token are needed; see --help");
    if (is_good && !parse_prompt(argv + optind + 1, argc - optind - 1, out)) {
        free(out->prompt);
        is_good = false;
    }
    if (!is_good)
        exit(EXIT_FAILURE);
    out->model = argv[optind];
}

/* ---- the model's interface ------------------------------------------------------------------------ */

/* Index of an input of int64 with two sizes; BP_NONE: there is none of that name. */
static bool find_input(const bp_session *session, const char *name, uint32_t *out)
{
    bp_io_info info = {.struct_size = sizeof info};

    *out = BP_NONE;
    for (uint32_t i = 0; i < bp_session_input_count(session); i++) {
        if (bp_session_input(session, i, &info, NULL) < 0 || strcmp(info.name, name) != 0)
            continue;
        if (info.dtype != BP_DTYPE_I64 || info.rank != 2)
            return example_fail("%s: not int64 with two sizes", name);
        *out = i;
    }
    return true;
}

static bool find_interface(struct decoder *decoder)
{
    char text[EXAMPLE_TEXT];
    bp_err err = bp_err_init(text, sizeof text);
    bp_io_info info = {.struct_size = sizeof info};
    const bp_session *session = decoder->session;

    if (!find_input(session, "input_ids", &decoder->ids) ||
        !find_input(session, "position_ids", &decoder->positions) ||
        !find_input(session, "attention_mask", &decoder->mask))
        return false;
    if (decoder->ids == BP_NONE)
        return example_fail("the model has no input \"input_ids\"");
    if (bp_session_find_output(session, "logits", &decoder->logits, &err) < 0 ||
        bp_session_output(session, decoder->logits, &info, &err) < 0)
        return example_fail("%s", text);
    if (info.dtype != BP_DTYPE_F32 || info.rank != 3 || info.dims[2].value < 1)
        return example_fail("logits: not float32 with three sizes, the last of them known");
    decoder->n_words = (size_t)info.dims[2].value;
    return true;
}

/* Buffers for `capacity` tokens, of which a run feeds at most max_fed. */
static bool make_buffers(struct decoder *decoder, size_t capacity, size_t max_fed)
{
    decoder->scores_bytes = max_fed * decoder->n_words * sizeof *decoder->scores;
    decoder->tokens = calloc(capacity, sizeof *decoder->tokens);
    decoder->counting = calloc(capacity, sizeof *decoder->counting);
    decoder->ones = calloc(capacity, sizeof *decoder->ones);
    decoder->scores = calloc(max_fed, decoder->n_words * sizeof *decoder->scores);
    if (!decoder->tokens || !decoder->counting || !decoder->ones || !decoder->scores)
        return example_fail("no memory for %zu tokens", capacity);
    for (size_t i = 0; i < capacity; i++) {
        decoder->counting[i] = (int64_t)i;
        decoder->ones[i] = 1;
    }
    return true;
}

static void decoder_finish(struct decoder *decoder)
{
    bp_state_destroy(decoder->state);
    free(decoder->tokens);
    free(decoder->counting);
    free(decoder->ones);
    free(decoder->scores);
    bp_session_destroy(decoder->session);
}

/* ---- a step --------------------------------------------------------------------------------------- */

/* Binding k of a run: n numbers of int64 as [1, n]. */
static void bind_row(struct decoder *decoder, uint32_t *k, uint32_t index, int64_t *row, int64_t n)
{
    int64_t *dims = decoder->dims[*k];

    if (index == BP_NONE)
        return;
    dims[0] = 1;
    dims[1] = n;
    decoder->inputs[*k] = (bp_binding){.index = index};
    decoder->inputs[*k].tensor = (bp_tensor){.base = row,
                                             .bytes = (size_t)n * sizeof *row,
                                             .dims = dims,
                                             .rank = 2,
                                             .dtype = BP_DTYPE_I64};
    (*k)++;
}

/* The inputs of a run that feeds n_fed tokens after `past` others; how many there are. */
static uint32_t bind_inputs(struct decoder *decoder, int64_t past, int64_t n_fed)
{
    uint32_t k = 0;

    bind_row(decoder, &k, decoder->ids, decoder->tokens + past, n_fed);
    bind_row(decoder, &k, decoder->positions, decoder->counting + past, n_fed);
    bind_row(decoder, &k, decoder->mask, decoder->ones, past + n_fed);
    return k;
}

/* The shape of a cache of one text after `past` tokens: the last size that the model leaves open. */
static bool shape_past(const bp_io_info *input, int64_t past, bp_binding *out, int64_t *dims)
{
    if (input->rank == BP_RANK_UNKNOWN || input->rank > MAX_RANK)
        return example_fail("%s: not a tensor of known rank", input->name);
    for (uint32_t d = input->rank; d-- > 0;) {
        dims[d] = input->dims[d].value;
        if (dims[d] < 0) {
            dims[d] = past;
            past = 1; /* of those before: one text */
        }
    }
    out->tensor = (bp_tensor){.dims = dims, .rank = input->rank, .dtype = input->dtype};
    return true;
}

/*
 * Has the session prepare for the longest text, and the state reserve memory for it: then no step has to
 * get memory, and a limit is met before the first token.
 */
static bool reserve(struct decoder *decoder, int64_t capacity)
{
    char text[EXAMPLE_TEXT];
    bp_err err = bp_err_init(text, sizeof text);
    uint32_t n = bp_session_input_count(decoder->session);
    bp_binding *inputs = calloc(n, sizeof *inputs);
    int64_t(*dims)[MAX_RANK] = calloc(n, sizeof *dims);
    bp_run_shapes shapes = {.inputs = inputs, .n_inputs = n};
    uint32_t n_bound = bind_inputs(decoder, capacity - 1, 1);
    bool is_good = inputs && dims;

    for (uint32_t i = 0; is_good && i < n; i++) {
        bp_io_info info = {.struct_size = sizeof info};

        inputs[i].index = i;
        is_good = bp_session_input(decoder->session, i, &info, &err) == BP_OK &&
                  shape_past(&info, capacity - 1, &inputs[i], dims[i]);
        for (uint32_t k = 0; k < n_bound; k++)
            if (decoder->inputs[k].index == i)
                inputs[i] = decoder->inputs[k];
    }
    if (is_good && (bp_state_reserve(decoder->state, capacity, &err) < 0 ||
                    bp_session_prepare(decoder->session, &shapes, 1, NULL, &err) < 0))
        is_good = example_fail("%s", text);
    free(inputs);
    free(dims);
    return is_good;
}

static int64_t likeliest(const float *scores, size_t n)
{
    size_t best = 0;

    for (size_t i = 1; i < n; i++)
        if (scores[i] > scores[best])
            best = i;
    return (int64_t)best;
}

/* Runs the model on the tokens that the state does not have yet, and appends the next one. */
static bool step(struct decoder *decoder, const bp_run_options *options)
{
    char text[EXAMPLE_TEXT];
    bp_err err = bp_err_init(text, sizeof text);
    int64_t past = bp_state_length(decoder->state);
    int64_t n_fed = (int64_t)decoder->n_tokens - past;
    bp_binding scores = {.index = decoder->logits};

    scores.tensor = (bp_tensor){.base = decoder->scores,
                                .bytes = decoder->scores_bytes,
                                .dims = decoder->scores_dims,
                                .rank = 3};
    if (bp_session_run(decoder->session, decoder->inputs, bind_inputs(decoder, past, n_fed),
                       &scores, 1, options, &err) < 0)
        return example_fail("%s", text);
    decoder->tokens[decoder->n_tokens++] =
        likeliest(decoder->scores + (size_t)(n_fed - 1) * decoder->n_words, decoder->n_words);
    return true;
}

/* ---- the loop ------------------------------------------------------------------------------------- */

static bool generate(struct decoder *decoder, const struct arguments *arguments)
{
    double start = example_now_ms(), prompt_ms = 0, all_ms;
    bp_run_options options = {
        .struct_size = sizeof options, .cancel = &is_cancelled, .state = decoder->state};

    if (arguments->deadline_ms > 0)
        options.deadline_ns = (int64_t)((start + (double)arguments->deadline_ms) * 1e6);
    for (long i = 0; i < arguments->n_new; i++) {
        if ((!arguments->is_cached && bp_state_reset(decoder->state, NULL) < 0) ||
            !step(decoder, &options)) {
            puts("");
            return false;
        }
        printf("%s%" PRId64, i ? " " : "", decoder->tokens[decoder->n_tokens - 1]);
        fflush(stdout);
        if (i == 0)
            prompt_ms = example_now_ms() - start;
    }
    puts("");
    all_ms = example_now_ms() - start;
    if (arguments->n_new > 1)
        fprintf(stderr, "%zu tokens read in %.2f ms, then %.0f tokens a second\n",
                arguments->n_prompt, prompt_ms,
                (double)(arguments->n_new - 1) * 1000 / (all_ms - prompt_ms));
    return true;
}

static bool decode(bp_session *session, const struct arguments *arguments)
{
    char text[EXAMPLE_TEXT];
    bp_err err = bp_err_init(text, sizeof text);
    struct decoder decoder = {.session = session};
    size_t capacity = arguments->n_prompt + (size_t)arguments->n_new;
    bool is_good =
        find_interface(&decoder) &&
        make_buffers(&decoder, capacity, arguments->is_cached ? arguments->n_prompt : capacity);

    if (is_good && bp_state_create(session, 1, &decoder.state, &err) < 0)
        is_good = example_fail("%s", text);
    if (is_good) {
        memcpy(decoder.tokens, arguments->prompt, arguments->n_prompt * sizeof *decoder.tokens);
        decoder.n_tokens = arguments->n_prompt;
        is_good = reserve(&decoder, (int64_t)capacity) && generate(&decoder, arguments);
    }
    decoder_finish(&decoder);
    return is_good;
}

int main(int argc, char **argv)
{
    struct arguments arguments;
    char text[EXAMPLE_TEXT];
    bp_err err = bp_err_init(text, sizeof text);
    bp_session_options *options = NULL;
    bp_session *session = NULL;
    bp_model *model = NULL;
    bp_env *env = NULL;
    bool is_good;

    parse_arguments(argc, argv, &arguments);
    signal(SIGINT, cancel);
    is_good = bp_env_create(NULL, &env, &err) == BP_OK || example_fail("%s", text);
    is_good = is_good && example_options_create(arguments.providers, BP_FALLBACK_WARN, &options);
    if (is_good && bp_model_open(env, arguments.model, &model, &err) < 0)
        is_good = example_fail("%s", text);
    is_good = is_good && example_add_states(model, "past", "present", options);
    if (is_good && bp_session_create_from_model(env, model, options, &session, &err) < 0)
        is_good = example_fail("%s", text);
    bp_model_close(model);
    is_good = is_good && decode(session, &arguments); /* ends the session */
    bp_session_options_destroy(options);
    if (bp_env_destroy(env, &err) < 0)
        is_good = example_fail("%s", text);
    free(arguments.prompt);
    return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
