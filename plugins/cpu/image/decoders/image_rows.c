/* SPDX-License-Identifier: MIT */
/* image_rows.c - memory for the rows of an image; what all decoders call. */

#include "image/decoders/image_file.h"

enum bp_cpu_picture_rc bp_cpu_picture_size(struct bp_cpu_picture *picture, uint64_t height,
                                           uint64_t width)
{
    if (height == 0 || width == 0)
        return BP_CPU_PICTURE_BROKEN;
    if (height > (uint64_t)BP_CPU_PICTURE_PIXELS / width)
        return BP_CPU_PICTURE_TOO_LARGE;
    picture->height = (int64_t)height;
    picture->width = (int64_t)width;
    picture->rgb = picture->alloc(picture->u, (size_t)(height * width * 3));
    return picture->rgb ? BP_CPU_PICTURE_OK : BP_CPU_PICTURE_NO_MEMORY;
}
