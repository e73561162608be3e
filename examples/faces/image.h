/* SPDX-License-Identifier: MIT */
/* image.h - a picture in memory. */
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

/* A black picture. False, after a complaint, when it has no pixel, too many, or memory is short. */
bool image_create(struct image *image, size_t width, size_t height);
void image_destroy(struct image *image); /* a zeroed one is fine */

/* Fills `to`, at its own size, with all of `from`. False, after a complaint, without memory. */
bool image_resize(const struct image *from, struct image *to);

#endif
