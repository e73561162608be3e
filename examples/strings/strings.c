/* SPDX-License-Identifier: MIT */
/*
 * strings.c - tells what sentences are about: text and a map go into the model; text, and a sequence of
 * maps, come out.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "../common/example.h"

const char example_name[] = "strings";

enum { MAX_PRIORS = 64 };

struct arguments {
    const char *model, *providers;
    /* What is known before: topics, and by how much each is likelier. */
    const char *topics[MAX_PRIORS];
    float weights[MAX_PRIORS];
    size_t n_priors;
    const char *const *sentences;
    size_t n_sentences;
};

/* ---- arguments ----------------------------------------------------------------------------------- */

static void print_help(void)
{
    puts("Usage: strings [OPTION]... MODEL SENTENCE...\n"
         "Prints for each sentence what it is about, and how sure the model is of each topic.\n"
         "\n"
         "  --prior TOPIC=X  adds X to the score of a topic; may be given several times\n"
         "  --providers A,B  execution providers, in this order, before CPU; without it, those\n"
         "                   that compute on this machine's processor\n"
         "  --help           print this text");
}

/* "food=1.5"; the argument is cut in two. */
static bool parse_prior(char *text, struct arguments *out)
{
    char *equals = strrchr(text, '='), *rest;

    if (!equals || equals == text || out->n_priors == MAX_PRIORS)
        return example_fail("\"%s\": not a TOPIC=X, or more than %d of them", text, MAX_PRIORS);
    out->weights[out->n_priors] = strtof(equals + 1, &rest);
    if (rest == equals + 1 || *rest)
        return example_fail("\"%s\" is not a number", equals + 1);
    *equals = '\0';
    for (size_t i = 0; i < out->n_priors; i++)
        if (strcmp(out->topics[i], text) == 0)
            return example_fail("%s: a topic twice", text);
    out->topics[out->n_priors++] = text;
    return true;
}

/* Exits after --help and after arguments that make no sense. */
static void parse_arguments(int argc, char **argv, struct arguments *out)
{
    static const struct option options[] = {{"prior", required_argument, NULL, 'r'},
                                            {"providers", required_argument, NULL, 'p'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    bool is_good = true;
    int option;

    *out = (struct arguments){0};
    while (is_good && (option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == 'h') {
            print_help();
            exit(EXIT_SUCCESS);
        }
        if (option == 'p')
            out->providers = optarg;
        else if (option == 'r')
            is_good = parse_prior(optarg, out);
        else
            is_good = false; /* getopt_long has complained */
    }
    if (is_good && optind + 2 > argc)
        is_good = example_fail("a model and at least one sentence are needed; see --help");
    if (!is_good)
        exit(EXIT_FAILURE);
    out->model = argv[optind];
    out->sentences = (const char *const *)argv + optind + 1;
    out->n_sentences = (size_t)(argc - optind - 1);
}

/* ---- in ------------------------------------------------------------------------------------------ */

/* An object with a copy of the tensor, which is freed; the caller's to bp_object_release(). */
static bp_rc take(bp_tensor *tensor, bp_object **out, bp_err *err)
{
    bp_rc rc = bp_object_from_tensor(tensor, out, err);

    bp_tensor_free(tensor);
    return rc;
}

/* The map from topics to numbers that the model is told before. */
static bp_rc make_prior(const struct arguments *arguments, bp_object **out, bp_err *err)
{
    int64_t dims[] = {(int64_t)arguments->n_priors};
    bp_object *keys = NULL, *values = NULL;
    bp_tensor tensor;
    bp_rc rc = bp_tensor_from_strings(arguments->topics, dims, 1, &tensor, err);

    if (rc == BP_OK)
        rc = take(&tensor, &keys, err);
    if (rc == BP_OK)
        rc = bp_tensor_alloc(BP_DTYPE_F32, dims, 1, &tensor, err);
    if (rc == BP_OK) {
        if (arguments->n_priors > 0)
            memcpy(tensor.base, arguments->weights, arguments->n_priors * sizeof(float));
        rc = take(&tensor, &values, err);
    }
    if (rc == BP_OK)
        rc = bp_object_map(keys, values, out, err);
    bp_object_release(keys); /* the map has them now */
    bp_object_release(values);
    return rc;
}

/* ---- out ------------------------------------------------------------------------------------------ */

/* A text of the model's need not end with a NUL. */
static void print_text(const bp_tensor *texts, size_t i)
{
    size_t size;
    const char *text = bp_tensor_string(texts, i, &size);

    printf("%.*s", (int)size, text);
}

/* One map: " food 0.12, travel 0.80". */
static bool print_map(const bp_object *map)
{
    const bp_tensor *keys = bp_object_tensor(bp_object_item(map, 0));
    const bp_tensor *values = bp_object_tensor(bp_object_item(map, 1));
    const float *shares;

    if (!keys || !values || keys->dtype != BP_DTYPE_STRING || values->dtype != BP_DTYPE_F32)
        return example_fail("the probabilities are not maps from text to numbers");
    shares = values->base;
    for (size_t i = 0; i < (size_t)keys->dims[0]; i++) {
        fputs(i ? ", " : " ", stdout);
        print_text(keys, i);
        printf(" %.2f", (double)shares[i]);
    }
    puts("");
    return true;
}

static bool print_results(const struct arguments *arguments, const bp_tensor *labels,
                          const bp_object *maps)
{
    if (bp_object_kind(maps) != BP_KIND_SEQUENCE || bp_object_count(maps) < arguments->n_sentences)
        return example_fail("the probabilities are not a sequence with an item for each sentence");
    for (uint32_t i = 0; i < arguments->n_sentences; i++) {
        printf("\"%s\" is about ", arguments->sentences[i]);
        print_text(labels, i);
        putchar(':');
        if (!print_map(bp_object_item(maps, i)))
            return false;
    }
    return true;
}

/* ---- the run ---------------------------------------------------------------------------------------- */

/* Indices of what the program feeds and fetches. */
static bp_rc find_interface(const bp_session *session, bp_binding inputs[2], bp_binding outputs[2],
                            bp_err *err)
{
    bp_rc rc = bp_session_find_input(session, "sentences", &inputs[0].index, err);

    if (rc == BP_OK)
        rc = bp_session_find_input(session, "prior", &inputs[1].index, err);
    if (rc == BP_OK)
        rc = bp_session_find_output(session, "label", &outputs[0].index, err);
    if (rc == BP_OK)
        rc = bp_session_find_output(session, "probabilities", &outputs[1].index, err);
    return rc;
}

static bool classify(bp_session *session, const struct arguments *arguments)
{
    char text[EXAMPLE_TEXT];
    bp_err err = bp_err_init(text, sizeof text);
    bp_binding inputs[2] = {{.index = 0}}, outputs[2] = {{.index = 0}};
    int64_t dims[] = {(int64_t)arguments->n_sentences};
    bp_rc rc = find_interface(session, inputs, outputs, &err);
    bool is_good;

    if (rc == BP_OK)
        rc = bp_tensor_from_strings(arguments->sentences, dims, 1, &inputs[0].tensor, &err);
    if (rc == BP_OK)
        rc = make_prior(arguments, &inputs[1].object, &err);
    if (rc == BP_OK)
        rc = bp_session_run(session, inputs, 2, outputs, 2, NULL, &err); /* allocates the outputs */
    is_good = rc == BP_OK ? print_results(arguments, &outputs[0].tensor, outputs[1].object)
                          : example_fail("%s", text);
    bp_object_release(outputs[1].object);
    bp_tensor_free(&outputs[0].tensor);
    bp_object_release(inputs[1].object);
    bp_tensor_free(&inputs[0].tensor);
    return is_good;
}

int main(int argc, char **argv)
{
    struct arguments arguments;
    char text[EXAMPLE_TEXT];
    bp_err err = bp_err_init(text, sizeof text);
    bp_session_options *options = NULL;
    bp_session *session = NULL;
    bp_env *env = NULL;
    bool is_good;

    parse_arguments(argc, argv, &arguments);
    is_good = bp_env_create(NULL, &env, &err) == BP_OK || example_fail("%s", text);
    is_good = is_good && example_options_create(arguments.providers, BP_FALLBACK_WARN, &options);
    if (is_good && bp_session_create(env, arguments.model, options, &session, &err) < 0)
        is_good = example_fail("%s", text);
    is_good = is_good && classify(session, &arguments);
    bp_session_destroy(session);
    bp_session_options_destroy(options);
    if (bp_env_destroy(env, &err) < 0)
        is_good = example_fail("%s", text);
    return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
