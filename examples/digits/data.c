/* SPDX-License-Identifier: MIT */
/* data.c - the handwritten digits that training left out, and their labels. */
#include "data.h"

#include <stdio.h>
#include <stdlib.h>

#include "../common/example.h"
#include "npy.h"

static const float white = 16; /* the brightest pixel */

static bool use_digits(const struct npy_array *images, struct npy_array *labels, struct digits *out)
{
    if (images->rank != 3 || images->dims[1] != DIGIT_SIDE || images->dims[2] != DIGIT_SIDE ||
        labels->rank != 1 || labels->dims[0] != images->dims[0] || labels->count == 0)
        return example_fail("digits_test.npy and digits_labels.npy: not n > 0 images of %dx%d "
                            "pixels and n labels; train.py makes them anew",
                            DIGIT_SIDE, DIGIT_SIDE);
    for (size_t i = 0; i < labels->count; i++) {
        if (labels->data[i] >= DIGIT_CLASSES)
            return example_fail("digits_labels.npy: label %zu is %d, not a digit", i,
                                labels->data[i]);
    }

    out->pixels = calloc(images->count, sizeof *out->pixels);
    if (!out->pixels)
        return example_fail("no memory for %zu digits", labels->count);
    for (size_t i = 0; i < images->count; i++)
        out->pixels[i] = (float)images->data[i] / white;
    out->count = labels->count;
    out->labels = labels->data;
    labels->data = NULL; /* theirs now */
    return true;
}

bool digits_read(const char *dir, struct digits *out)
{
    struct npy_array images = {0};
    struct npy_array labels = {0};
    char images_path[FILENAME_MAX];
    char labels_path[FILENAME_MAX];
    bool is_good;

    *out = (struct digits){0};
    is_good = example_join(dir, "digits_test.npy", images_path) &&
              example_join(dir, "digits_labels.npy", labels_path) &&
              npy_read(images_path, &images) && npy_read(labels_path, &labels) &&
              use_digits(&images, &labels, out);
    npy_finish(&images);
    npy_finish(&labels);
    return is_good;
}

void digits_finish(struct digits *digits)
{
    free(digits->pixels);
    free(digits->labels);
}
