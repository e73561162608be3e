/* SPDX-License-Identifier: MIT */
/*
 * image_file.c - Recognises image files, opens the decoders' libraries and calls them; see
 * image_file.h.
 */

#include "image/decoders/image_job.h"

#include <stdlib.h>
#include <string.h>

static const struct bp_cpu_image_decoder *const decoders[BP_CPU_IMAGES] = {
    [BP_CPU_IMAGE_BMP] = &bp_cpu_image_bmp,           [BP_CPU_IMAGE_PNM] = &bp_cpu_image_pnm,
    [BP_CPU_IMAGE_JPEG] = &bp_cpu_image_jpeg,         [BP_CPU_IMAGE_PNG] = &bp_cpu_image_png,
    [BP_CPU_IMAGE_TIFF] = &bp_cpu_image_tiff,         [BP_CPU_IMAGE_WEBP] = &bp_cpu_image_webp,
    [BP_CPU_IMAGE_JPEG2000] = &bp_cpu_image_jpeg2000,
};

void bp_cpu_image_libraries_finish(struct bp_cpu_image_libraries *libraries)
{
    bp_cpu_image_jobs_finish(&libraries->jobs);
    for (int kind = 0; kind < BP_CPU_IMAGES; kind++)
        bp_cpu_lazy_close(&libraries->of[kind]);
}

/* Whether the bytes start with a signature. */
static bool begins(const uint8_t *bytes, size_t size, const char *text, size_t n)
{
    return size >= n && memcmp(bytes, text, n) == 0;
}

/* The order matters: PNM's signature is the weakest and comes last. */
enum bp_cpu_image_kind bp_cpu_image_kind(const uint8_t *bytes, size_t size)
{
    if (begins(bytes, size, "\xff\xd8\xff", 3))
        return BP_CPU_IMAGE_JPEG;
    if (begins(bytes, size, "\x89PNG\r\n\x1a\n", 8))
        return BP_CPU_IMAGE_PNG;
    if (begins(bytes, size, "BM", 2))
        return BP_CPU_IMAGE_BMP;
    if (begins(bytes, size, "II*\0", 4) || begins(bytes, size, "MM\0*", 4) ||
        begins(bytes, size, "II+\0", 4) || begins(bytes, size, "MM\0+", 4))
        return BP_CPU_IMAGE_TIFF;
    if (begins(bytes, size, "RIFF", 4) && size >= 12 && memcmp(bytes + 8, "WEBP", 4) == 0)
        return BP_CPU_IMAGE_WEBP;
    if (begins(bytes, size, "\0\0\0\x0cjP  \r\n\x87\n", 12) ||
        begins(bytes, size, "\xff\x4f\xff\x51", 4))
        return BP_CPU_IMAGE_JPEG2000;
    if (size >= 3 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '7')
        return BP_CPU_IMAGE_PNM;
    return BP_CPU_IMAGE_UNKNOWN;
}

/* For messages. */
const char *bp_cpu_image_name(enum bp_cpu_image_kind kind)
{
    static const char *const names[BP_CPU_IMAGES] = {"unknown", "BMP",  "PNM",  "JPEG",
                                                     "PNG",     "TIFF", "WebP", "JPEG 2000"};

    return names[kind];
}

/* The functions of a decoder's library, which is opened if it is not open yet. */
static enum bp_cpu_image_rc open_library(struct bp_cpu_image_libraries *libraries,
                                         enum bp_cpu_image_kind kind, const void **out)
{
    const struct bp_cpu_image_decoder *decoder = decoders[kind];

    switch (bp_cpu_lazy_open(&libraries->of[kind], decoder->soname, decoder->symbols,
                             decoder->n_symbols, out)) {
    case BP_CPU_LAZY_OK:
        return BP_CPU_IMAGE_OK;
    case BP_CPU_LAZY_NO_MEMORY:
        return BP_CPU_IMAGE_NO_MEMORY;
    default:
        return BP_CPU_IMAGE_NO_LIBRARY;
    }
}

/* A decoder without function was not built in. */
enum bp_cpu_image_rc bp_cpu_image_decode(struct bp_cpu_image_libraries *libraries,
                                         struct bp_cpu_image *image)
{
    enum bp_cpu_image_kind kind = bp_cpu_image_kind(image->bytes, image->size);
    const struct bp_cpu_image_decoder *decoder = decoders[kind];
    enum bp_cpu_image_rc rc = BP_CPU_IMAGE_OK;
    const void *calls = NULL;

    if (!decoder)
        return BP_CPU_IMAGE_BROKEN;
    if (!decoder->decode)
        return BP_CPU_IMAGE_NO_LIBRARY;
    if (decoder->n_symbols > 0)
        rc = open_library(libraries, kind, &calls);
    if (rc != BP_CPU_IMAGE_OK)
        return rc;
    return image->may_stop ? bp_cpu_image_decode_in_time(&libraries->jobs, image, decoder, calls)
                           : decoder->decode(calls, image);
}
