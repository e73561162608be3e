/* SPDX-License-Identifier: MIT */
/*
 * png.c - Decodes PNG with libpng's simplified interface, which does not jump out on errors.
 * That interface would also apply the file's gamma, which other readers do not do; so it gets only
 * the chunks that hold pixels.
 * Alpha is dropped: the colours are those that are stored.
 */

#include "image/decoders/image_file.h"

#ifdef BP_PNG_SONAME

#include "lazy.h"

#include <stdlib.h>
#include <string.h>

#include <png.h>

/* Functions of the library. */
struct calls {
    int (*begin)(png_imagep, png_const_voidp, size_t);
    int (*finish)(png_imagep, png_const_colorp, void *, png_int_32, void *);
    void (*free)(png_imagep);
};

/* What is looked up in the library. */
static const struct bp_cpu_symbol symbols[] = {
    {"png_image_begin_read_from_memory", offsetof(struct calls, begin)},
    {"png_image_finish_read", offsetof(struct calls, finish)},
    {"png_image_free", offsetof(struct calls, free)},
};

enum { SIGNATURE = 8, FRAME = 12 /* bytes of a chunk besides its contents */ };

/*
 * Copies the signature and the chunks that hold pixels; the result has *size bytes and is
 * malloc'ed.
 */
static uint8_t *pixels_only(const struct bp_cpu_image *image, size_t *size)
{
    static const char *const kept[] = {"IHDR", "PLTE", "tRNS", "IDAT", "IEND"};
    const uint8_t *from = image->bytes;
    uint8_t *out = malloc(image->size), *to = out;
    size_t left = image->size, n = SIGNATURE;

    if (!out)
        return NULL;
    for (;;) {
        bool is_kept = n == SIGNATURE && to == out;

        for (size_t i = 0; i < sizeof kept / sizeof *kept && n >= FRAME && !is_kept; i++)
            is_kept = memcmp(from + 4, kept[i], 4) == 0;
        if (is_kept) {
            memcpy(to, from, n);
            to += n;
        }
        from += n;
        left -= n;
        if (left < FRAME)
            break;
        n = (size_t)from[0] << 24 | (size_t)from[1] << 16 | (size_t)from[2] << 8 | from[3];
        n = n < left - FRAME ? n + FRAME : left; /* the library reports a truncated chunk */
    }
    *size = (size_t)(to - out);
    return out;
}

/* The colours as stored, without the alpha channel. */
static enum bp_cpu_image_rc read_with_alpha(const struct calls *calls, png_image *decoded,
                                            struct bp_cpu_image *image)
{
    size_t pixels = (size_t)decoded->width * decoded->height;
    uint8_t *rgba = malloc(pixels * 4);
    bool is_done;

    if (!rgba)
        return BP_CPU_IMAGE_NO_MEMORY;
    decoded->format = PNG_FORMAT_RGBA;
    is_done = calls->finish(decoded, NULL, rgba, 0, NULL) != 0;
    for (size_t i = 0; i < pixels && is_done; i++)
        memcpy(image->rgb + 3 * i, rgba + 4 * i, 3);
    free(rgba);
    return is_done ? BP_CPU_IMAGE_OK : BP_CPU_IMAGE_BROKEN;
}

/* 16-bit samples count as sRGB, as in other readers. */
static enum bp_cpu_image_rc decode(const void *table, struct bp_cpu_image *image)
{
    const struct calls *calls = table;
    png_image decoded = {.version = PNG_IMAGE_VERSION};
    enum bp_cpu_image_rc rc = BP_CPU_IMAGE_BROKEN;
    size_t size;
    uint8_t *bytes = pixels_only(image, &size);

    if (!bytes)
        return BP_CPU_IMAGE_NO_MEMORY;
    if (calls->begin(&decoded, bytes, size)) {
        rc = bp_cpu_image_size(image, decoded.height, decoded.width);
        decoded.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
        if (rc == BP_CPU_IMAGE_OK && decoded.format & PNG_FORMAT_FLAG_ALPHA) {
            rc = read_with_alpha(calls, &decoded, image);
        } else if (rc == BP_CPU_IMAGE_OK) {
            decoded.format = PNG_FORMAT_RGB;
            if (!calls->finish(&decoded, NULL, image->rgb, 0, NULL))
                rc = BP_CPU_IMAGE_BROKEN;
        }
    }
    calls->free(&decoded);
    free(bytes);
    return rc;
}

const struct bp_cpu_image_decoder bp_cpu_image_png = {BP_PNG_SONAME, symbols,
                                                      sizeof symbols / sizeof *symbols, decode};

#else

const struct bp_cpu_image_decoder bp_cpu_image_png = {0};

#endif
