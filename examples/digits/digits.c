/* SPDX-License-Identifier: MIT */
/* digits.c - reads handwritten digits with a small network; says how well, how fast and where. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../common/example.h"
#include "../common/placement.h"
#include "data.h"

#ifndef DIGITS_DATA
#define DIGITS_DATA "."
#endif

enum { BATCH = 64 };

static const double least_accuracy = 0.97;
static const double most_difference = 1e-4;

const char example_name[] = "digits";

struct arguments {
    const char *data;
    const char *providers; /* NULL: the default ones */
    bool compares;
};

/* ---- arguments ------------------------------------------------------------------------------ */

static void print_help(void)
{
    puts("Usage: digits [OPTION]...\n"
         "Reads the digits that the network of train.py never saw in training.\n"
         "\n"
         "  --providers A,B  try these execution providers, in this order, before CPU\n"
         "  --compare A,B    the same, but fail when one of them is not used, and when the\n"
         "                   results differ by more than 0.0001 from those of CPU alone\n"
         "  --data DIR       where digits.onnx, digits_test.npy and digits_labels.npy are\n"
         "                   (" DIGITS_DATA ")\n"
         "  --help           print this text\n"
         "\n"
         "Exit code 0: at least 97 % of the digits were read right.");
}

/* Exits after --help and after arguments that make no sense. */
static void parse_arguments(int argc, char **argv, struct arguments *out)
{
    static const struct option options[] = {{"providers", required_argument, NULL, 'p'},
                                            {"compare", required_argument, NULL, 'c'},
                                            {"data", required_argument, NULL, 'd'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    int option;

    *out = (struct arguments){.data = DIGITS_DATA};
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == 'h') {
            print_help();
            exit(EXIT_SUCCESS);
        } else if (option == 'd') {
            out->data = optarg;
        } else if ((option == 'p' || option == 'c') && !out->providers) {
            out->providers = optarg;
            out->compares = option == 'c';
        } else {
            if (option != '?')
                example_fail("--providers and --compare: only one of them, and once");
            fputs("Try 'digits --help'.\n", stderr);
            exit(EXIT_FAILURE);
        }
    }
    if (optind < argc) {
        example_fail("%s: not expected; try 'digits --help'", argv[optind]);
        exit(EXIT_FAILURE);
    }
}

/* ---- running -------------------------------------------------------------------------------- */

/* One run for n digits; `probability` takes DIGIT_CLASSES floats a digit. */
static bool classify(bp_session *session, float *pixels, size_t n, float *probability)
{
    char text[EXAMPLE_TEXT];
    bp_err err = bp_err_init(text, sizeof text);
    int64_t image_dims[] = {(int64_t)n, 1, DIGIT_SIDE, DIGIT_SIDE};
    int64_t probability_dims[] = {(int64_t)n, DIGIT_CLASSES};
    bp_binding in = {.tensor = {.base = pixels,
                                .bytes = n * DIGIT_PIXELS * sizeof *pixels,
                                .dims = image_dims,
                                .rank = 4,
                                .dtype = BP_DTYPE_F32}};
    bp_binding out = {.tensor = {.base = probability,
                                 .bytes = n * DIGIT_CLASSES * sizeof *probability,
                                 .dims = probability_dims,
                                 .rank = 2,
                                 .dtype = BP_DTYPE_F32}};

    if (bp_session_find_input(session, "image", &in.index, &err) < 0 ||
        bp_session_find_output(session, "probability", &out.index, &err) < 0 ||
        bp_session_run(session, &in, 1, &out, 1, NULL, &err) < 0)
        return example_fail("%s", text);
    if (out.tensor.dtype != BP_DTYPE_F32 || probability_dims[0] != (int64_t)n ||
        probability_dims[1] != DIGIT_CLASSES)
        return example_fail("digits.onnx: \"probability\" is not float32 of shape [%zu, %d]", n,
                            DIGIT_CLASSES);
    return true;
}

/* All digits, `batch` a run. *median_ms (may be NULL) is the time for one digit. */
static bool classify_all(bp_session *session, const struct digits *digits, size_t batch,
                         float *probability, double *median_ms)
{
    double *times = calloc(digits->count, sizeof *times);
    bool is_good = times != NULL || example_fail("no memory for the times");
    size_t runs = 0;

    for (size_t i = 0; is_good && i < digits->count; i += batch) {
        size_t n = digits->count - i < batch ? digits->count - i : batch;
        double start = example_now_ms();

        is_good = classify(session, digits->pixels + i * DIGIT_PIXELS, n,
                           probability + i * DIGIT_CLASSES);
        times[runs++] = (example_now_ms() - start) / (double)n;
    }
    if (is_good && median_ms)
        *median_ms = example_median(times, runs);
    free(times);
    return is_good;
}

/* The digit that a row of probabilities speaks for. */
static size_t answer(const float *probability)
{
    size_t best = 0;

    for (size_t i = 1; i < DIGIT_CLASSES; i++) {
        if (probability[i] > probability[best])
            best = i;
    }
    return best;
}

/* Infinite when a value is not a number. */
static double largest_difference(const float *a, const float *b, size_t n)
{
    double largest = 0;

    for (size_t i = 0; i < n; i++) {
        double difference = fabs((double)a[i] - (double)b[i]);

        if (isnan(difference))
            return (double)INFINITY;
        if (difference > largest)
            largest = difference;
    }
    return largest;
}

/* Gives the session CPU alone and runs it again; `probability` is what the providers gave. */
static bool compare_with_cpu(bp_session *session, const struct digits *digits,
                             const float *probability)
{
    char text[EXAMPLE_TEXT];
    bp_err err = bp_err_init(text, sizeof text);
    float *expected = calloc(digits->count * DIGIT_CLASSES, sizeof *expected);
    bp_session_options *options = NULL;
    bool is_good = false;
    double difference;

    if (!expected) {
        example_fail("no memory for %zu digits", digits->count);
        goto out;
    }
    if (!example_options_create("cpu", BP_FALLBACK_DEFAULT, &options))
        goto out;
    bp_session_options_ignore_env_providers(options);
    if (bp_session_set_providers(session, options, &err) < 0) {
        example_fail("%s", text);
        goto out;
    }
    if (!classify_all(session, digits, BATCH, expected, NULL))
        goto out;

    difference = largest_difference(probability, expected, digits->count * DIGIT_CLASSES);
    printf("\nlargest difference from CPU alone: %.3g\n", difference);
    is_good = difference <= most_difference ||
              example_fail("the providers differ from CPU by more than %g", most_difference);
out:
    free(expected);
    bp_session_options_destroy(options);
    return is_good;
}

/* ---- reporting ------------------------------------------------------------------------------ */

/* How often each digit was read as which; returns the share that was right. */
static double print_answers(const struct digits *digits, const float *probability)
{
    size_t table[DIGIT_CLASSES][DIGIT_CLASSES] = {{0}};
    size_t right = 0;
    double accuracy;

    for (size_t i = 0; i < digits->count; i++)
        table[digits->labels[i]][answer(probability + i * DIGIT_CLASSES)]++;

    printf("\ndigit, and how often it was read as\n     ");
    for (int read = 0; read < DIGIT_CLASSES; read++)
        printf("%4d", read);
    printf("   right\n");
    for (int digit = 0; digit < DIGIT_CLASSES; digit++) {
        size_t seen = 0;

        printf("%4d ", digit);
        for (int read = 0; read < DIGIT_CLASSES; read++) {
            seen += table[digit][read];
            if (table[digit][read] > 0)
                printf("%4zu", table[digit][read]);
            else
                printf("   .");
        }
        right += table[digit][digit];
        printf("  %5.1f %%\n", seen > 0 ? 100 * (double)table[digit][digit] / (double)seen : 100.0);
    }
    accuracy = (double)right / (double)digits->count;
    printf("right: %zu of %zu, %.2f %%\n", right, digits->count, 100 * accuracy);
    return accuracy;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static bool run(bp_session *session, const struct arguments *arguments, const struct digits *digits)
{
    float *probability = calloc(digits->count * DIGIT_CLASSES, sizeof *probability);
    const bp_report *report = bp_session_report(session);
    double in_batches = 0;
    double alone = 0;
    double accuracy;
    bool is_good = false;

    if (!probability) {
        example_fail("no memory for %zu digits", digits->count);
        goto out;
    }
    if (!classify_all(session, digits, 1, probability, &alone) ||
        !classify_all(session, digits, BATCH, probability, &in_batches))
        goto out;
    printf("time for a digit, median: %.4f ms alone, %.4f ms in batches of %d\n", alone, in_batches,
           BATCH);
    accuracy = print_answers(digits, probability);

    putchar('\n');
    if (!example_print_placement(report))
        goto out;
    putchar('\n');
    if (!example_print_providers(report))
        goto out;
    if (arguments->compares && !compare_with_cpu(session, digits, probability))
        goto out;

    is_good = accuracy >= least_accuracy ||
              example_fail("less than %g %% of the digits were read right", 100 * least_accuracy);
out:
    free(probability);
    return is_good;
}

static bool open_and_run(bp_env *env, const struct arguments *arguments,
                         const struct digits *digits)
{
    char text[EXAMPLE_TEXT];
    bp_err err = bp_err_init(text, sizeof text);
    uint32_t fallback = arguments->compares ? BP_FALLBACK_REQUIRE : BP_FALLBACK_DEFAULT;
    char path[FILENAME_MAX];
    bp_session_options *options = NULL;
    bp_session *session = NULL;
    bool is_good = false;
    double start;

    if (!example_join(arguments->data, "digits.onnx", path) ||
        !example_options_create(arguments->providers, fallback, &options))
        goto out;

    start = example_now_ms();
    if (bp_session_create(env, path, options, &session, &err) < 0) {
        example_fail("%s", text);
        goto out;
    }
    printf("ready after %.2f ms\n", example_now_ms() - start);
    is_good = run(session, arguments, digits);
out:
    bp_session_destroy(session);
    bp_session_options_destroy(options);
    return is_good;
}

int main(int argc, char **argv)
{
    char text[EXAMPLE_TEXT];
    bp_err err = bp_err_init(text, sizeof text);
    struct arguments arguments;
    struct digits digits;
    bp_env *env = NULL;
    bool is_good;

    parse_arguments(argc, argv, &arguments);
    is_good = digits_read(arguments.data, &digits);
    if (is_good && bp_env_create(NULL, &env, &err) < 0)
        is_good = example_fail("%s", text);
    if (is_good) {
        is_good = open_and_run(env, &arguments, &digits);
        bp_env_destroy(env, NULL);
    }
    digits_finish(&digits);
    return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
