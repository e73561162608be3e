/* SPDX-License-Identifier: MIT */
/* webp.c - Decodes WebP with libwebp. */

#include "image/decoders/image_file.h"

#ifdef BP_WEBP_SONAME

#include "lazy.h"

#include <webp/decode.h>

/* Functions of the library. */
struct calls {
    int (*info)(const uint8_t *, size_t, int *, int *);
    uint8_t *(*decode)(const uint8_t *, size_t, uint8_t *, size_t, int);
};

/* What is looked up in the library. */
static const struct bp_cpu_symbol symbols[] = {
    {"WebPGetInfo", offsetof(struct calls, info)},
    {"WebPDecodeRGBInto", offsetof(struct calls, decode)},
};

/* libwebp writes to our rows; the size is checked before. */
static enum bp_cpu_image_rc decode(const void *table, struct bp_cpu_image *image)
{
    const struct calls *calls = table;
    int width, height;
    enum bp_cpu_image_rc rc;

    if (!calls->info(image->bytes, image->size, &width, &height) || width <= 0 || height <= 0)
        return BP_CPU_IMAGE_BROKEN;
    rc = bp_cpu_image_size(image, (uint64_t)height, (uint64_t)width);
    if (rc == BP_CPU_IMAGE_OK && !calls->decode(image->bytes, image->size, image->rgb,
                                                (size_t)width * (size_t)height * 3, width * 3))
        rc = BP_CPU_IMAGE_BROKEN;
    return rc;
}

const struct bp_cpu_image_decoder bp_cpu_image_webp = {BP_WEBP_SONAME, symbols,
                                                       sizeof symbols / sizeof *symbols, decode};

#else

const struct bp_cpu_image_decoder bp_cpu_image_webp = {0};

#endif
