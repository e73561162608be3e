/* SPDX-License-Identifier: MIT */
/* detect.c - finds faces in an image with a network of the Ultraface family. */
#include "detect.h"

#include <stdlib.h>
#include <string.h>

#include "../common/example.h"

enum { MOST_SIDE = 4096 };

/* The network was trained on pixels from about -1 to 1. */
static const float grey = 127;
static const float contrast = 128;

/* ---- the model ------------------------------------------------------------------------------- */

/* Finds the one input that has to be fed, float32 [1, 3, height, width]. */
static bool find_input(struct detector *detector, const char *name)
{
    char text[EXAMPLE_TEXT];
    bp_err err = bp_err_init(text, sizeof text);
    bp_io_info input = {.struct_size = sizeof input};
    uint32_t n_required = 0;

    for (uint32_t i = 0; i < bp_session_input_count(detector->session); i++) {
        bp_io_info info = {.struct_size = sizeof info};

        if (bp_session_input(detector->session, i, &info, &err) < 0)
            return example_fail("%s", text);
        if (info.flags & BP_IO_OPTIONAL)
            continue;
        n_required++;
        detector->input = i;
        input = info;
    }
    if (n_required != 1)
        return example_fail("%s: not a model of the Ultraface family: it has %u inputs, not one",
                            name, n_required);

    /* A first dimension of -1 is a dynamic batch size; the program runs batches of one. */
    if (input.dtype != BP_DTYPE_F32 || input.rank != 4 || input.dims[0].value > 1 ||
        input.dims[1].value != IMAGE_CHANNELS || input.dims[2].value < 1 ||
        input.dims[2].value > MOST_SIDE || input.dims[3].value < 1 ||
        input.dims[3].value > MOST_SIDE)
        return example_fail("%s: not a model of the Ultraface family: its input \"%s\" is not "
                            "float32 [1, 3, height, width] with a fixed height and width of at "
                            "most %d",
                            name, input.name, MOST_SIDE);
    detector->height = (size_t)input.dims[2].value;
    detector->width = (size_t)input.dims[3].value;
    return true;
}

/* Is it called so, or, whatever it is called, are its rows that long? */
static bool is_output(const bp_io_info *info, const char *name, int64_t columns)
{
    return strcmp(info->name, name) == 0 || (info->rank == 3 && info->dims[2].value == columns);
}

static bool find_outputs(struct detector *detector, const char *name)
{
    char text[EXAMPLE_TEXT];
    bp_err err = bp_err_init(text, sizeof text);

    detector->scores = BP_NONE;
    detector->boxes = BP_NONE;
    for (uint32_t i = 0; i < bp_session_output_count(detector->session); i++) {
        bp_io_info info = {.struct_size = sizeof info};

        if (bp_session_output(detector->session, i, &info, &err) < 0)
            return example_fail("%s", text);
        if (is_output(&info, "scores", 2))
            detector->scores = i;
        else if (is_output(&info, "boxes", 4))
            detector->boxes = i;
    }
    if (detector->scores == BP_NONE || detector->boxes == BP_NONE)
        return example_fail("%s: not a model of the Ultraface family: it has no outputs \"scores\" "
                            "[1, n, 2] and \"boxes\" [1, n, 4]",
                            name);
    return true;
}

bool detector_init(struct detector *detector, bp_session *session, const char *name)
{
    *detector = (struct detector){.session = session};
    return find_input(detector, name) && find_outputs(detector, name);
}

/* ---- a run ----------------------------------------------------------------------------------- */

/* The pixels as the network takes them: a plane a colour. */
static void fill_planes(const struct image *image, float *planes)
{
    size_t n = image->width * image->height;

    for (size_t c = 0; c < IMAGE_CHANNELS; c++) {
        for (size_t i = 0; i < n; i++)
            *planes++ = ((float)image->rgb[i * IMAGE_CHANNELS + c] - grey) / contrast;
    }
}

/* Resizes the image to the network's input and ignores its aspect ratio, as the training did. */
static bool prepare(const struct detector *detector, const struct image *image, bp_tensor *out)
{
    char text[EXAMPLE_TEXT];
    bp_err err = bp_err_init(text, sizeof text);
    int64_t dims[] = {1, IMAGE_CHANNELS, (int64_t)detector->height, (int64_t)detector->width};
    struct image small;
    bool is_good;

    *out = (bp_tensor){0};
    if (!image_create(&small, detector->width, detector->height))
        return false;
    is_good = image_resize(image, &small);
    if (is_good && bp_tensor_alloc(BP_DTYPE_F32, dims, 4, out, &err) < 0)
        is_good = example_fail("%s", text);
    if (is_good)
        fill_planes(&small, out->base);
    image_destroy(&small);
    return is_good;
}

static bool is_table(const bp_tensor *tensor, int64_t rows, int64_t columns)
{
    return tensor->dtype == BP_DTYPE_F32 && tensor->rank == 3 && tensor->dims[0] == 1 &&
           tensor->dims[1] == rows && tensor->dims[2] == columns;
}

static const float *floats_of(const bp_tensor *tensor)
{
    return (const float *)((const char *)tensor->base + tensor->offset);
}

bool detector_run(const struct detector *detector, const struct image *image, float threshold,
                  struct faces *out)
{
    char text[EXAMPLE_TEXT];
    bp_err err = bp_err_init(text, sizeof text);
    bp_binding in = {.index = detector->input};
    bp_binding results[] = {{.index = detector->scores}, {.index = detector->boxes}};
    const bp_tensor *scores = &results[0].tensor;
    const bp_tensor *boxes = &results[1].tensor;
    bool is_good = false;
    int64_t n;

    *out = (struct faces){0};
    if (!prepare(detector, image, &in.tensor))
        goto out;
    /* Outputs without storage: the library allocates what they need. */
    if (bp_session_run(detector->session, &in, 1, results, 2, NULL, &err) < 0) {
        example_fail("%s", text);
        goto out;
    }
    n = boxes->rank == 3 ? boxes->dims[1] : 0;
    if (!is_table(scores, n, 2) || !is_table(boxes, n, 4)) {
        example_fail("the model gave no scores [1, n, 2] and boxes [1, n, 4] of float32");
        goto out;
    }
    is_good = faces_pick(floats_of(scores), floats_of(boxes), (size_t)n, threshold, out);
out:
    bp_tensor_free(&results[0].tensor);
    bp_tensor_free(&results[1].tensor);
    bp_tensor_free(&in.tensor);
    return is_good;
}
