/* SPDX-License-Identifier: MIT */
/* image.h - an image in memory. */
#ifndef EXAMPLES_IMAGE_H
#define EXAMPLES_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { IMAGE_CHANNELS = 3 };

struct image {
    size_t width, height;
    uint8_t *rgb; /* rows from the top, IMAGE_CHANNELS bytes a pixel */
};

/*
 * Creates a black image. Prints an error and returns false for no pixels, too many, or no memory.
 */
bool image_create(struct image *image, size_t width, size_t height);
void image_destroy(struct image *image); /* {0} is fine */

/* Resizes `from` to the size of `to`. Prints an error and returns false without memory. */
bool image_resize(const struct image *from, struct image *to);

#endif
