/* SPDX-License-Identifier: MIT */
/* main.c - finds the faces in a photograph and draws frames around them. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../common/example.h"
#include "../common/placement.h"
#include "detect.h"
#include "draw.h"
#include "jpeg_reader.h"
#include "png_writer.h"

const char example_name[] = "faces";

struct arguments {
    const char *model, *image, *out;
    const char *providers; /* NULL: the default ones */
    float threshold;
};

static void print_help(void)
{
    puts("Usage: faces [OPTION]... MODEL.onnx IMAGE.jpg OUT.png\n"
         "Finds the faces in a photograph and draws frames around them.\n"
         "\n"
         "MODEL is one of the Ultraface family: input 1x3xHxW, outputs scores and boxes.\n"
         "\n"
         "  --threshold X    how sure the model must be of a face, 0..1 (0.7)\n"
         "  --providers A,B  try these execution providers, in this order, before CPU\n"
         "  --help           print this text\n"
         "\n"
         "Exit code 0: OUT.png was written, with or without faces.");
}

_Noreturn static void exit_with_hint(void)
{
    fputs("Try 'faces --help'.\n", stderr);
    exit(EXIT_FAILURE);
}

static float parse_threshold(const char *text)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end != '\0' || !(value >= 0 && value <= 1)) {
        example_fail("--threshold %s: not a number from 0 to 1", text);
        exit_with_hint();
    }
    return (float)value;
}

/* Exits after --help and after arguments that make no sense. */
static void parse_arguments(int argc, char **argv, struct arguments *out)
{
    static const struct option options[] = {{"threshold", required_argument, NULL, 't'},
                                            {"providers", required_argument, NULL, 'p'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    int option;

    *out = (struct arguments){.threshold = 0.7f};
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == 'h') {
            print_help();
            exit(EXIT_SUCCESS);
        } else if (option == 't') {
            out->threshold = parse_threshold(optarg);
        } else if (option == 'p') {
            out->providers = optarg;
        } else {
            exit_with_hint();
        }
    }
    if (argc - optind != 3) {
        example_fail("a model, an image and a file to write are needed, in this order");
        exit_with_hint();
    }
    out->model = argv[optind];
    out->image = argv[optind + 1];
    out->out = argv[optind + 2];
}

/* ---- showing what was found ------------------------------------------------------------------ */

static struct rectangle pixels_of(const struct face *face, const struct image *image)
{
    double width = (double)image->width;
    double height = (double)image->height;

    return (struct rectangle){.left = lrint((double)face->left * width),
                              .top = lrint((double)face->top * height),
                              .right = lrint((double)face->right * width),
                              .bottom = lrint((double)face->bottom * height)};
}

/* Prints each face and draws its frame. */
static void show(const struct faces *faces, struct image *image)
{
    /* From the last to the first: where frames meet, the better face is on top. */
    for (size_t i = faces->count; i-- > 0;) {
        struct rectangle at = pixels_of(&faces->list[i], image);
        char score[16];

        snprintf(score, sizeof score, "%.2f", (double)faces->list[i].score);
        draw_frame(image, &at, score);
    }
    for (size_t i = 0; i < faces->count; i++) {
        struct rectangle at = pixels_of(&faces->list[i], image);

        printf("face %zu: x %ld to %ld, y %ld to %ld, score %.3f\n", i + 1, at.left, at.right,
               at.top, at.bottom, (double)faces->list[i].score);
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool find_faces(bp_session *session, const struct arguments *arguments, struct image *image)
{
    struct detector detector;
    struct faces faces = {0};
    double start = example_now_ms();
    bool is_good = detector_init(&detector, session, arguments->model) &&
                   detector_run(&detector, image, arguments->threshold, &faces);

    if (is_good) {
        printf("%zu face%s found in %.2f ms\n", faces.count, faces.count == 1 ? "" : "s",
               example_now_ms() - start);
        show(&faces, image);
        is_good = image_write_png(arguments->out, image);
    }
    faces_finish(&faces);
    return is_good && example_print_providers(bp_session_report(session));
}

static bool run(bp_env *env, const struct arguments *arguments, struct image *image)
{
    char text[EXAMPLE_TEXT];
    bp_err err = bp_err_init(text, sizeof text);
    bp_session_options *options = NULL;
    bp_session *session = NULL;
    bool is_good = false;
    double start = example_now_ms();

    if (!example_options_create(arguments->providers, BP_FALLBACK_DEFAULT, &options))
        goto out;
    if (bp_session_create(env, arguments->model, options, &session, &err) < 0) {
        example_fail("%s", text);
        goto out;
    }
    printf("%s: ready after %.2f ms\n", arguments->model, example_now_ms() - start);
    is_good = find_faces(session, arguments, image);
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
    struct image image;
    bp_env *env = NULL;
    bool is_good;

    parse_arguments(argc, argv, &arguments);
    is_good = image_read_jpeg(arguments.image, &image);
    if (is_good && bp_env_create(NULL, &env, &err) < 0)
        is_good = example_fail("%s", text);
    if (is_good) {
        is_good = run(env, &arguments, &image);
        bp_env_destroy(env, NULL);
    }
    image_destroy(&image);
    return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
