/* SPDX-License-Identifier: MIT */
/*
 * streaming.c - tells where something begins and ends in a stream of sound, as it comes: a run for each
 * chunk, whose result has to be there before the next chunk is.
 */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>

#include "../common/example.h"
#include "audio.h"
#include "detector.h"

const char example_name[] = "streaming";

enum { MAX_CHUNK = 1 << 20, MAX_RATE = 1 << 20 };

/* Something ends where the probability has fallen by this much below the threshold. */
static const double hysteresis = 0.15;

struct arguments {
    const char *model, *file, *providers;
    double rate, chunk, context, threshold, deadline_ms;
};

/* Of a stream. */
struct totals {
    uint64_t chunks, late;
    double longest_ms, all_ms;
};

static void print_help(void)
{
    puts("Usage: streaming [OPTION]... MODEL [FILE]\n"
         "Prints when something begins and ends in sound of one channel and 16 bits: of a WAV "
         "file,\n"
         "or of standard input, which is a WAV file or bare samples. The model has an input "
         "\"input\"\n"
         "[1, samples], inputs and outputs \"state...\", and an output that is a probability; an\n"
         "input \"sr\" gets the rate.\n"
         "\n"
         "  --providers A,B  execution providers, in this order, before CPU; without it, those\n"
         "                   that compute on this machine's processor\n"
         "  --rate HZ        of bare samples (16000)\n"
         "  --chunk N        samples of a chunk (512)\n"
         "  --context N      samples of the chunk before that are fed again (0)\n"
         "  --threshold P    probability from which on it is something (0.5)\n"
         "  --deadline MS    time for a chunk (as long as it sounds)\n"
         "  --help           print this text\n"
         "\n"
         "A chunk that is late is left out, and counted. That is no failure.");
}

static bool parse_number(const char *text, double least, double most, double *out)
{
    char *rest;

    errno = 0;
    *out = strtod(text, &rest);
    return (*text && !*rest && errno == 0 && *out >= least && *out <= most) ||
           example_fail("\"%s\" is not a number from %g to %g", text, least, most);
}

/* Exits after --help and after arguments that make no sense. */
static void parse_arguments(int argc, char **argv, struct arguments *out)
{
    static const struct option options[] = {{"providers", required_argument, NULL, 'p'},
                                            {"rate", required_argument, NULL, 'r'},
                                            {"chunk", required_argument, NULL, 'c'},
                                            {"context", required_argument, NULL, 'x'},
                                            {"threshold", required_argument, NULL, 't'},
                                            {"deadline", required_argument, NULL, 'd'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    bool is_good = true;
    int option;

    *out = (struct arguments){.rate = 16000, .chunk = 512, .threshold = 0.5};
    while (is_good && (option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == 'h') {
            print_help();
            exit(EXIT_SUCCESS);
        }
        if (option == 'p')
            out->providers = optarg;
        else if (option == 'r')
            is_good = parse_number(optarg, 1, MAX_RATE, &out->rate);
        else if (option == 'c')
            is_good = parse_number(optarg, 1, MAX_CHUNK, &out->chunk);
        else if (option == 'x')
            is_good = parse_number(optarg, 0, MAX_CHUNK, &out->context);
        else if (option == 't')
            is_good = parse_number(optarg, 0, 1, &out->threshold);
        else if (option == 'd')
            is_good = parse_number(optarg, 1e-6, 1e6, &out->deadline_ms);
        else
            is_good = false; /* getopt_long has complained */
    }
    if (is_good && (optind >= argc || optind + 2 < argc))
        is_good = example_fail("one model, and at most one file; see --help");
    if (is_good && (size_t)out->context > (size_t)out->chunk)
        is_good = example_fail("the context is longer than a chunk");
    if (!is_good)
        exit(EXIT_FAILURE);
    out->model = argv[optind];
    out->file = argv[optind + 1];
}

/* Runs the model on the chunk that was read; *probability stays if it is late. */
static bool judge(struct detector *detector, double deadline_ms, double *probability,
                  struct totals *totals)
{
    char text[EXAMPLE_TEXT];
    bp_err err = bp_err_init(text, sizeof text);
    double start = example_now_ms(), took;
    float answer;
    bp_rc rc = detector_run(detector, (int64_t)((start + deadline_ms) * 1e6), &answer, &err);

    took = example_now_ms() - start;
    totals->chunks++;
    totals->all_ms += took;
    if (took > totals->longest_ms)
        totals->longest_ms = took;
    if (rc == BP_E_TIMEOUT) {
        totals->late++;
        return true;
    }
    if (rc < 0)
        return example_fail("%s", text);
    *probability = (double)answer;
    return true;
}

static bool listen(struct detector *detector, struct audio *audio,
                   const struct arguments *arguments)
{
    double chunk_ms = (double)detector->n_chunk * 1000 / audio->rate, probability = 0;
    double deadline_ms = arguments->deadline_ms > 0 ? arguments->deadline_ms : chunk_ms;
    struct totals totals = {0};
    bool is_something = false;
    size_t n_read;

    for (;;) {
        double seconds = (double)totals.chunks * chunk_ms / 1000;

        if (!audio_read(audio, detector_chunk(detector), detector->n_chunk, &n_read))
            return false;
        if (n_read == 0)
            break;
        if (!judge(detector, deadline_ms, &probability, &totals))
            return false;
        if (is_something !=
            (probability >= arguments->threshold - (is_something ? hysteresis : 0))) {
            is_something = !is_something;
            printf("%.3f s: %s\n", seconds, is_something ? "begins" : "ends");
            fflush(stdout);
        }
    }
    fprintf(stderr, "%" PRIu64 " chunks of %.1f ms, %" PRIu64 " too late; a chunk took %.3f ms, ",
            totals.chunks, chunk_ms, totals.late,
            totals.chunks > 0 ? totals.all_ms / (double)totals.chunks : 0);
    fprintf(stderr, "at most %.3f ms\n", totals.longest_ms);
    return true;
}

static bool detect(bp_session *session, const struct arguments *arguments)
{
    struct audio audio;
    struct detector detector = {.session = session};
    bool is_good = audio_open(&audio, arguments->file, (uint32_t)arguments->rate) &&
                   detector_init(&detector, session, (size_t)arguments->chunk,
                                 (size_t)arguments->context, audio.rate) &&
                   listen(&detector, &audio, arguments);

    detector_finish(&detector);
    audio_close(&audio);
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
    is_good = bp_env_create(NULL, &env, &err) == BP_OK || example_fail("%s", text);
    is_good = is_good && example_options_create(arguments.providers, BP_FALLBACK_WARN, &options);
    if (is_good) {
        bp_session_options_set_threads(options, 1); /* a small model: others would only wait */
        if (bp_model_open(env, arguments.model, &model, &err) < 0)
            is_good = example_fail("%s", text);
    }
    is_good = is_good && example_add_states(model, "state", "state", options);
    if (is_good && bp_session_create_from_model(env, model, options, &session, &err) < 0)
        is_good = example_fail("%s", text);
    bp_model_close(model);
    is_good = is_good && detect(session, &arguments);
    bp_session_destroy(session);
    bp_session_options_destroy(options);
    if (bp_env_destroy(env, &err) < 0)
        is_good = example_fail("%s", text);
    return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
