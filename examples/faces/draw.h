/* SPDX-License-Identifier: MIT */
/* draw.h - frames and digits in an image. */
#ifndef EXAMPLES_DRAW_H
#define EXAMPLES_DRAW_H

#include "image.h"

/* In pixels, right and bottom not included; parts outside of the image are not drawn. */
struct rectangle {
    long left, top, right, bottom;
};

/* A frame along the inner edge of `at`, with a number (digits and points) on top of it. */
void draw_frame(struct image *image, const struct rectangle *at, const char *number);

#endif
