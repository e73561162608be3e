/* SPDX-License-Identifier: MIT */
/* image_rows.c - Memory for the rows of an image; all decoders call it. */

#include "image/decoders/image_file.h"

enum bp_cpu_image_rc bp_cpu_image_size(struct bp_cpu_image *image, uint64_t height, uint64_t width)
{
    if (height == 0 || width == 0)
        return BP_CPU_IMAGE_BROKEN;
    if (height > (uint64_t)BP_CPU_IMAGE_PIXELS / width)
        return BP_CPU_IMAGE_TOO_LARGE;
    image->height = (int64_t)height;
    image->width = (int64_t)width;
    image->rgb = image->alloc(image->u, (size_t)(height * width * 3));
    return image->rgb ? BP_CPU_IMAGE_OK : BP_CPU_IMAGE_NO_MEMORY;
}
