/* SPDX-License-Identifier: MIT */
/*
 * tiff.c - Decodes TIFF with libtiff 4.5 or later.
 * From that version on a file has error handlers of its own; older versions have them for the whole
 * process, which a plug-in must not change.
 * The first image of a file is decoded.
 */

#include "image/decoders/image_file.h"

#ifdef BP_TIFF_SONAME

#include "lazy.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <tiffio.h>

struct TIFFOpenOptions; /* older headers do not know it */

/* A message handler; returns 1: the message is handled. */
typedef int (*message_fn)(TIFF *, void *, const char *, const char *, va_list);

/* Functions of the library. */
struct calls {
    struct TIFFOpenOptions *(*options)(void);
    void (*options_free)(struct TIFFOpenOptions *);
    void (*options_errors)(struct TIFFOpenOptions *, message_fn, void *);
    void (*options_warnings)(struct TIFFOpenOptions *, message_fn, void *);
    void (*options_memory)(struct TIFFOpenOptions *, tmsize_t);
    TIFF *(*open)(const char *, const char *, thandle_t, TIFFReadWriteProc, TIFFReadWriteProc,
                  TIFFSeekProc, TIFFCloseProc, TIFFSizeProc, TIFFMapFileProc, TIFFUnmapFileProc,
                  struct TIFFOpenOptions *);
    void (*close)(TIFF *);
    int (*field)(TIFF *, uint32_t, ...);
    int (*read)(TIFF *, uint32_t, uint32_t, uint32_t *, int, int);
};

/* What is looked up in the library. */
static const struct bp_cpu_symbol symbols[] = {
    {"TIFFOpenOptionsAlloc", offsetof(struct calls, options)},
    {"TIFFOpenOptionsFree", offsetof(struct calls, options_free)},
    {"TIFFOpenOptionsSetErrorHandlerExtR", offsetof(struct calls, options_errors)},
    {"TIFFOpenOptionsSetWarningHandlerExtR", offsetof(struct calls, options_warnings)},
    {"TIFFOpenOptionsSetMaxSingleMemAlloc", offsetof(struct calls, options_memory)},
    {"TIFFClientOpenExt", offsetof(struct calls, open)},
    {"TIFFClose", offsetof(struct calls, close)},
    {"TIFFGetField", offsetof(struct calls, field)},
    {"TIFFReadRGBAImageOriented", offsetof(struct calls, read)},
};

/* libtiff reads from a file: the bytes and the position. */
struct source {
    const uint8_t *bytes;
    uint64_t size, at;
};

/* Short reads at the end are errors that libtiff reports. */
static tmsize_t read_bytes(thandle_t handle, void *to, tmsize_t n)
{
    struct source *s = handle;
    uint64_t left = s->at < s->size ? s->size - s->at : 0;

    if (n < 0)
        return -1;
    if ((uint64_t)n > left)
        n = (tmsize_t)left;
    if (n > 0)
        memcpy(to, s->bytes + s->at, (size_t)n);
    s->at += (uint64_t)n;
    return n;
}

/* The file is read-only. */
static tmsize_t write_bytes(thandle_t handle, void *from, tmsize_t n)
{
    (void)handle;
    (void)from;
    (void)n;
    return -1;
}

/* A position beyond the end is allowed: reading there gives nothing. */
static toff_t seek_bytes(thandle_t handle, toff_t to, int whence)
{
    struct source *s = handle;

    s->at = whence == SEEK_CUR ? s->at + to : whence == SEEK_END ? s->size + to : to;
    return s->at;
}

static int close_bytes(thandle_t handle)
{
    (void)handle;
    return 0;
}

static toff_t size_of_bytes(thandle_t handle)
{
    return ((struct source *)handle)->size;
}

/* Messages are dropped: the result says that decoding failed. */
static int silent(TIFF *tiff, void *u, const char *module, const char *text, va_list args)
{
    (void)tiff;
    (void)u;
    (void)module;
    (void)text;
    (void)args;
    return 1;
}

/* libtiff converts all photometric kinds to RGBA. */
static enum bp_cpu_image_rc read_image(const struct calls *calls, TIFF *tiff,
                                       struct bp_cpu_image *image)
{
    uint32_t width = 0, height = 0, *pixels;
    enum bp_cpu_image_rc rc;
    size_t count;

    if (!calls->field(tiff, TIFFTAG_IMAGEWIDTH, &width) ||
        !calls->field(tiff, TIFFTAG_IMAGELENGTH, &height))
        return BP_CPU_IMAGE_BROKEN;
    rc = bp_cpu_image_size(image, height, width);
    if (rc != BP_CPU_IMAGE_OK)
        return rc;
    count = (size_t)width * height;
    pixels = malloc(count * sizeof *pixels);
    if (!pixels)
        return BP_CPU_IMAGE_NO_MEMORY;
    if (!calls->read(tiff, width, height, pixels, ORIENTATION_TOPLEFT, 1))
        rc = BP_CPU_IMAGE_BROKEN;
    for (size_t i = 0; i < count && rc == BP_CPU_IMAGE_OK; i++) {
        image->rgb[3 * i] = (uint8_t)TIFFGetR(pixels[i]);
        image->rgb[3 * i + 1] = (uint8_t)TIFFGetG(pixels[i]);
        image->rgb[3 * i + 2] = (uint8_t)TIFFGetB(pixels[i]);
    }
    free(pixels);
    return rc;
}

/* Memory is limited, because a few bytes can claim any size; "m" forbids mapping. */
static enum bp_cpu_image_rc decode(const void *table, struct bp_cpu_image *image)
{
    const struct calls *calls = table;
    struct source source = {image->bytes, image->size, 0};
    enum bp_cpu_image_rc rc = BP_CPU_IMAGE_BROKEN;
    struct TIFFOpenOptions *options = calls->options();
    TIFF *tiff;

    if (!options)
        return BP_CPU_IMAGE_NO_MEMORY;
    calls->options_errors(options, silent, NULL);
    calls->options_warnings(options, silent, NULL);
    calls->options_memory(options, (tmsize_t)(BP_CPU_IMAGE_PIXELS * 4));
    tiff = calls->open("image", "rm", &source, read_bytes, write_bytes, seek_bytes, close_bytes,
                       size_of_bytes, NULL, NULL, options);
    calls->options_free(options);
    if (tiff) {
        rc = read_image(calls, tiff, image);
        calls->close(tiff);
    }
    return rc;
}

const struct bp_cpu_image_decoder bp_cpu_image_tiff = {BP_TIFF_SONAME, symbols,
                                                       sizeof symbols / sizeof *symbols, decode};

#else

const struct bp_cpu_image_decoder bp_cpu_image_tiff = {0};

#endif
