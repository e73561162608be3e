/* SPDX-License-Identifier: MIT */
/* jpeg_reader.h - reads JPEG files. */
#ifndef EXAMPLES_JPEG_READER_H
#define EXAMPLES_JPEG_READER_H

#include "image.h"

/* *out is the caller's, to image_destroy(). False, after a complaint, when it cannot be read. */
bool image_read_jpeg(const char *path, struct image *out);

#endif
