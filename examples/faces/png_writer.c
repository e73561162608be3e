/* SPDX-License-Identifier: MIT */
/* png_writer.c - writes PNG files. */
#include "png_writer.h"

#include <string.h>

#include <png.h>

#include "../common/example.h"

bool image_write_png(const char *path, const struct image *image)
{
    png_image png;

    memset(&png, 0, sizeof png);
    png.version = PNG_IMAGE_VERSION;
    png.width = (png_uint_32)image->width;
    png.height = (png_uint_32)image->height;
    png.format = PNG_FORMAT_RGB;
    if (!png_image_write_to_file(&png, path, 0, image->rgb, 0, NULL))
        return example_fail("%s: cannot be written as PNG: %s", path, png.message);
    return true;
}
