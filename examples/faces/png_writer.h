/* SPDX-License-Identifier: MIT */
/* png_writer.h - writes PNG files. */
#ifndef EXAMPLES_PNG_WRITER_H
#define EXAMPLES_PNG_WRITER_H

#include "image.h"

/* False, after a complaint, when it cannot be written; then there is no such file. */
bool image_write_png(const char *path, const struct image *image);

#endif
