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
    int (*is_tiled)(TIFF *);
    tmsize_t (*row_bytes)(TIFF *);
    int (*row)(TIFF *, void *, uint32_t, uint16_t);
    int (*is_ok)(TIFF *, char[1024]);
    int (*begin)(TIFFRGBAImage *, TIFF *, int, char[1024]);
    int (*get)(TIFFRGBAImage *, uint32_t *, uint32_t, uint32_t);
    void (*end)(TIFFRGBAImage *);
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
    {"TIFFIsTiled", offsetof(struct calls, is_tiled)},
    {"TIFFScanlineSize", offsetof(struct calls, row_bytes)},
    {"TIFFReadScanline", offsetof(struct calls, row)},
    {"TIFFRGBAImageOK", offsetof(struct calls, is_ok)},
    {"TIFFRGBAImageBegin", offsetof(struct calls, begin)},
    {"TIFFRGBAImageGet", offsetof(struct calls, get)},
    {"TIFFRGBAImageEnd", offsetof(struct calls, end)},
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

/* ---- parts of the image ---------------------------------------------------------------------- */

/* Pixels of a part, between two of which a run can stop. */
enum { PART = 1 << 20 };

/* One decoding. libtiff converts all photometric kinds to RGBA. */
struct decoding {
    const struct calls *calls;
    TIFF *tiff;
    TIFFRGBAImage rgba;
    struct bp_cpu_image *image;
    uint32_t *pixels; /* of a part */
    bool is_mirrored, is_upside_down;
};

/* Puts the pixels of a part where they belong in the image. */
static void put_part(const struct decoding *d, uint32_t x0, uint32_t y0, uint32_t w, uint32_t h)
{
    size_t width = (size_t)d->image->width, height = (size_t)d->image->height;
    const uint32_t *from = d->pixels;

    for (size_t y = y0; y < (size_t)y0 + h; y++) {
        uint8_t *row = d->image->rgb + (d->is_upside_down ? height - 1 - y : y) * width * 3;

        for (size_t x = x0; x < (size_t)x0 + w; x++, from++) {
            uint8_t *to = row + (d->is_mirrored ? width - 1 - x : x) * 3;

            to[0] = (uint8_t)TIFFGetR(*from);
            to[1] = (uint8_t)TIFFGetG(*from);
            to[2] = (uint8_t)TIFFGetB(*from);
        }
    }
}

/*
 * Parts of whole tiles or strips of at least `rows` rows. False: the file is damaged, the run is to
 * stop, or there is no memory.
 */
static bool read_parts(struct decoding *d, uint32_t across, uint32_t rows)
{
    uint32_t width = d->rgba.width, height = d->rgba.height;

    if (rows < height && across * (uint64_t)rows < PART) {
        uint64_t more = PART / (across * (uint64_t)rows) * rows;

        rows = more < height ? (uint32_t)more : height;
    }
    d->pixels = malloc((size_t)across * rows * sizeof *d->pixels);
    if (!d->pixels)
        return false;
    for (uint32_t y = 0, h; y < height; y += h) {
        h = height - y < rows ? height - y : rows;
        for (uint32_t x = 0, w; x < width; x += w) {
            w = width - x < across ? width - x : across;
            d->rgba.row_offset = (int)y;
            d->rgba.col_offset = (int)x;
            if (d->image->should_stop(d->image->u) || !d->calls->get(&d->rgba, d->pixels, w, h))
                return false;
            put_part(d, x, y, w, h);
        }
    }
    return true;
}

/* Rows of a strip that is too large for a part, one by one, which the part's decoder cannot. */
static bool read_rows(struct decoding *d)
{
    uint32_t width = d->rgba.width, height = d->rgba.height;
    tmsize_t bytes = d->calls->row_bytes(d->tiff);
    unsigned char *row = bytes > 0 ? malloc((size_t)bytes) : NULL;
    bool ok = row != NULL;

    d->pixels = malloc((size_t)width * sizeof *d->pixels);
    ok = ok && d->pixels;
    for (uint32_t y = 0; ok && y < height; y++) {
        ok = !d->image->should_stop(d->image->u) && d->calls->row(d->tiff, row, y, 0) == 1;
        if (ok) {
            d->rgba.put.contig(&d->rgba, d->pixels, 0, y, width, 1, 0, 0, row);
            put_part(d, 0, y, width, 1);
        }
    }
    free(row);
    return ok;
}

/* What one call decodes at least: a tile, or the rows of a strip. */
static bool read_all(struct decoding *d)
{
    uint32_t across = d->rgba.width, rows = 0;

    if (d->calls->is_tiled(d->tiff)) {
        if (!d->calls->field(d->tiff, TIFFTAG_TILEWIDTH, &across) ||
            !d->calls->field(d->tiff, TIFFTAG_TILELENGTH, &rows))
            return false;
        across = across < d->rgba.width ? across : d->rgba.width;
    } else if (!d->calls->field(d->tiff, TIFFTAG_ROWSPERSTRIP, &rows)) {
        rows = d->rgba.height;
    }
    rows = rows < d->rgba.height ? rows : d->rgba.height;
    if (across == 0 || rows == 0)
        return false;
    if (!d->calls->is_tiled(d->tiff) && d->rgba.isContig && d->rgba.put.contig &&
        d->rgba.photometric != PHOTOMETRIC_YCBCR && (uint64_t)across * rows > PART)
        return read_rows(d);
    return read_parts(d, across, rows);
}

/*
 * libtiff turns images to a requested orientation, each part within itself; so each is asked for as
 * it is stored. As in libtiff, rows and columns are never exchanged.
 */
static void find_orientation(struct decoding *d)
{
    uint16_t stored = d->rgba.orientation;

    d->rgba.req_orientation = stored;
    d->is_mirrored = stored == ORIENTATION_TOPRIGHT || stored == ORIENTATION_RIGHTTOP ||
                     stored == ORIENTATION_BOTRIGHT || stored == ORIENTATION_RIGHTBOT;
    d->is_upside_down = stored == ORIENTATION_BOTRIGHT || stored == ORIENTATION_RIGHTBOT ||
                        stored == ORIENTATION_BOTLEFT || stored == ORIENTATION_LEFTBOT;
}

static enum bp_cpu_image_rc read_image(const struct calls *calls, TIFF *tiff,
                                       struct bp_cpu_image *image)
{
    struct decoding d = {.calls = calls, .tiff = tiff, .image = image};
    uint32_t width = 0, height = 0;
    enum bp_cpu_image_rc rc;
    char words[1024];

    if (!calls->field(tiff, TIFFTAG_IMAGEWIDTH, &width) ||
        !calls->field(tiff, TIFFTAG_IMAGELENGTH, &height))
        return BP_CPU_IMAGE_BROKEN;
    rc = bp_cpu_image_size(image, height, width);
    if (rc != BP_CPU_IMAGE_OK)
        return rc;
    if (!calls->is_ok(tiff, words) || !calls->begin(&d.rgba, tiff, 1, words))
        return BP_CPU_IMAGE_BROKEN;
    find_orientation(&d);
    if (d.rgba.width != width || d.rgba.height != height || !read_all(&d))
        rc = BP_CPU_IMAGE_BROKEN;
    calls->end(&d.rgba);
    free(d.pixels);
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
