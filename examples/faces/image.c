/* SPDX-License-Identifier: MIT */
/* image.c - an image in memory, and the same image at another size. */
#include "image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../common/example.h"

static const size_t most_pixels = 100 * 1000 * 1000;

bool image_create(struct image *image, size_t width, size_t height)
{
    *image = (struct image){0};
    if (width == 0 || height == 0 || width > most_pixels / height)
        return example_fail("an image of %zu x %zu pixels: not between 1 and %zu in all", width,
                            height, most_pixels);
    image->rgb = calloc(width * height, IMAGE_CHANNELS);
    if (!image->rgb)
        return example_fail("no memory for an image of %zu x %zu pixels", width, height);
    image->width = width;
    image->height = height;
    return true;
}

void image_destroy(struct image *image)
{
    free(image->rgb);
    *image = (struct image){0};
}

/*
 * The pixels along one axis that make up pixel i of the target: those nearer to its centre than
 * `reach`, the less the farther. The reach is one pixel of the source when enlarging (bilinear) and
 * one of the target when shrinking, so that every pixel of the source counts.
 */
struct window {
    size_t first, end;
    double centre, reach;
};

static struct window window_of(size_t i, size_t target, size_t source)
{
    double scale = (double)source / (double)target;
    struct window w = {.centre = ((double)i + 0.5) * scale, .reach = scale > 1 ? scale : 1};
    double first = floor(w.centre - w.reach);
    double end = ceil(w.centre + w.reach);

    w.first = first > 0 ? (size_t)first : 0;
    w.end = end < (double)source ? (size_t)end : source;
    return w;
}

static double weight_of(const struct window *w, size_t i)
{
    double distance = fabs((double)i + 0.5 - w->centre) / w->reach;

    return distance < 1 ? 1 - distance : 0;
}

/* The weighted mean of the rows of a window, column by column. */
static void blend_rows(const struct image *from, const struct window *w, float *row)
{
    size_t n = from->width * IMAGE_CHANNELS;
    double total = 0;

    for (size_t y = w->first; y < w->end; y++)
        total += weight_of(w, y);
    memset(row, 0, n * sizeof *row);
    for (size_t y = w->first; y < w->end; y++) {
        const uint8_t *source = from->rgb + y * n;
        float weight = (float)(weight_of(w, y) / total);

        for (size_t i = 0; i < n; i++)
            row[i] += weight * (float)source[i];
    }
}

/* The weighted mean of the pixels of a window in a blended row. */
static void blend_pixels(const float *row, const struct window *w, uint8_t *pixel)
{
    double sum[IMAGE_CHANNELS] = {0};
    double total = 0;

    for (size_t x = w->first; x < w->end; x++) {
        double weight = weight_of(w, x);

        total += weight;
        for (size_t c = 0; c < IMAGE_CHANNELS; c++)
            sum[c] += weight * (double)row[x * IMAGE_CHANNELS + c];
    }
    for (size_t c = 0; c < IMAGE_CHANNELS; c++)
        pixel[c] = (uint8_t)lrint(fmin(sum[c] / total, UINT8_MAX));
}

bool image_resize(const struct image *from, struct image *to)
{
    float *row = calloc(from->width, IMAGE_CHANNELS * sizeof *row);
    uint8_t *pixel = to->rgb;

    if (!row)
        return example_fail("no memory for a row of %zu pixels", from->width);
    for (size_t y = 0; y < to->height; y++) {
        struct window rows = window_of(y, to->height, from->height);

        blend_rows(from, &rows, row);
        for (size_t x = 0; x < to->width; x++) {
            struct window columns = window_of(x, to->width, from->width);

            blend_pixels(row, &columns, pixel);
            pixel += IMAGE_CHANNELS;
        }
    }
    free(row);
    return true;
}
