/* SPDX-License-Identifier: MIT */
/* webp.c - Decodes WebP with libwebp. */

#include "image/decoders/image_file.h"

#ifdef BP_WEBP_SONAME

#include "lazy.h"

#include <stdbool.h>

#include <webp/decode.h>

/* Functions of the library. */
struct calls {
    int (*info)(const uint8_t *, size_t, int *, int *);
    uint8_t *(*decode)(const uint8_t *, size_t, uint8_t *, size_t, int);
    WebPIDecoder *(*create)(WEBP_CSP_MODE, uint8_t *, size_t, int);
    VP8StatusCode (*update)(WebPIDecoder *, const uint8_t *, size_t);
    void (*destroy)(WebPIDecoder *);
};

/* What is looked up in the library. */
static const struct bp_cpu_symbol symbols[] = {
    {"WebPGetInfo", offsetof(struct calls, info)},
    {"WebPDecodeRGBInto", offsetof(struct calls, decode)},
    {"WebPINewRGB", offsetof(struct calls, create)},
    {"WebPIUpdate", offsetof(struct calls, update)},
    {"WebPIDelete", offsetof(struct calls, destroy)},
};

enum { PIECE = 4096 /* bytes of the file between two looks at the deadline */ };

/*
 * Shows libwebp more and more of the file: it decodes what it can each time. Between two such calls
 * decoding can stop, so that nothing goes on for long after its run has ended. Of a lossless file
 * it decodes the first eighth in one call, and pixels that take no bits at all however many they
 * are.
 */
static bool decode_in_pieces(const struct calls *calls, struct bp_cpu_image *image)
{
    size_t row = (size_t)image->width * 3;
    WebPIDecoder *decoder =
        calls->create(MODE_RGB, image->rgb, row * (size_t)image->height, (int)row);
    VP8StatusCode status = VP8_STATUS_SUSPENDED;

    for (size_t n = 0; decoder && status == VP8_STATUS_SUSPENDED && n < image->size;) {
        if (image->should_stop(image->u))
            break;
        n += image->size - n < PIECE ? image->size - n : PIECE;
        status = calls->update(decoder, image->bytes, n);
    }
    if (decoder)
        calls->destroy(decoder);
    return decoder && status == VP8_STATUS_OK;
}

static bool decode_at_once(const struct calls *calls, struct bp_cpu_image *image)
{
    size_t row = (size_t)image->width * 3;

    return calls->decode(image->bytes, image->size, image->rgb, row * (size_t)image->height,
                         (int)row) != NULL;
}

/* libwebp writes to our rows; the size is checked before. */
static enum bp_cpu_image_rc decode(const void *table, struct bp_cpu_image *image)
{
    const struct calls *calls = table;
    int width, height;
    enum bp_cpu_image_rc rc;

    if (!calls->info(image->bytes, image->size, &width, &height) || width <= 0 || height <= 0)
        return BP_CPU_IMAGE_BROKEN;
    rc = bp_cpu_image_size(image, (uint64_t)height, (uint64_t)width);
    if (rc == BP_CPU_IMAGE_OK &&
        !(image->may_stop ? decode_in_pieces(calls, image) : decode_at_once(calls, image)))
        rc = BP_CPU_IMAGE_BROKEN;
    return rc;
}

const struct bp_cpu_image_decoder bp_cpu_image_webp = {BP_WEBP_SONAME, symbols,
                                                       sizeof symbols / sizeof *symbols, decode};

#else

const struct bp_cpu_image_decoder bp_cpu_image_webp = {0};

#endif
