/* SPDX-License-Identifier: MIT */
/*
 * png.c - Decodes PNG with libpng, row by row, so that a run can stop between rows.
 * libpng reports errors by calling a function that must not return: it jumps back to decode().
 * It gets only the chunks that hold pixels: other readers do not apply the file's gamma either, and
 * compressed texts would take time of their own.
 * Alpha is dropped: the colours are those that are stored.
 */

#include "image/decoders/image_file.h"

#ifdef BP_PNG_SONAME

#include "lazy.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

/* Functions of the library. */
struct calls {
    png_structp (*create)(png_const_charp, png_voidp, png_error_ptr, png_error_ptr);
    png_infop (*create_info)(png_const_structrp);
    void (*destroy)(png_structpp, png_infopp, png_infopp);
    void (*set_read)(png_structrp, png_voidp, png_rw_ptr);
    void (*set_benign)(png_structrp, int);
    void (*read_info)(png_structrp, png_inforp);
    png_uint_32 (*width)(png_const_structrp, png_const_inforp);
    png_uint_32 (*height)(png_const_structrp, png_const_inforp);
    void (*expand)(png_structrp);
    void (*scale_16)(png_structrp);
    void (*strip_alpha)(png_structrp);
    void (*gray_to_rgb)(png_structrp);
    int (*interlace)(png_structrp);
    void (*update)(png_structrp, png_inforp);
    size_t (*row_bytes)(png_const_structrp, png_const_inforp);
    void (*row)(png_structrp, png_bytep, png_bytep);
};

/* What is looked up in the library. */
static const struct bp_cpu_symbol symbols[] = {
    {"png_create_read_struct", offsetof(struct calls, create)},
    {"png_create_info_struct", offsetof(struct calls, create_info)},
    {"png_destroy_read_struct", offsetof(struct calls, destroy)},
    {"png_set_read_fn", offsetof(struct calls, set_read)},
    {"png_set_benign_errors", offsetof(struct calls, set_benign)},
    {"png_read_info", offsetof(struct calls, read_info)},
    {"png_get_image_width", offsetof(struct calls, width)},
    {"png_get_image_height", offsetof(struct calls, height)},
    {"png_set_expand", offsetof(struct calls, expand)},
    {"png_set_scale_16", offsetof(struct calls, scale_16)},
    {"png_set_strip_alpha", offsetof(struct calls, strip_alpha)},
    {"png_set_gray_to_rgb", offsetof(struct calls, gray_to_rgb)},
    {"png_set_interlace_handling", offsetof(struct calls, interlace)},
    {"png_read_update_info", offsetof(struct calls, update)},
    {"png_get_rowbytes", offsetof(struct calls, row_bytes)},
    {"png_read_row", offsetof(struct calls, row)},
};

/* One decoding. */
struct reading {
    const struct calls *calls;
    struct bp_cpu_image *image;
    png_structp png;
    png_infop info;
    uint8_t *bytes; /* the chunks that hold pixels */
    size_t size, at;
    jmp_buf back;
};

/*
 * The thread's decoding: what libpng calls gets a png_structp, and to ask that for a pointer of ours
 * takes functions of the library, which has no fixed place.
 */
static _Thread_local struct reading *reading;

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

/* Ends the decoding from within libpng. */
static void fail(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
    longjmp(reading->back, 1);
}

/* libpng prints its warnings by default. */
static void silent(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static void read_bytes(png_structp png, png_bytep to, size_t n)
{
    if (n > reading->size - reading->at)
        fail(png, "truncated");
    memcpy(to, reading->bytes + reading->at, n);
    reading->at += n;
}

/*
 * Rows of red, green and blue. Of an interlaced image each pass adds pixels to all rows. False: the
 * run is to stop.
 */
static bool read_rows(struct reading *r)
{
    size_t bytes = (size_t)r->image->width * 3;
    int n_passes = r->calls->interlace(r->png);

    r->calls->update(r->png, r->info);
    if (r->calls->row_bytes(r->png, r->info) != bytes)
        return false;
    for (int pass = 0; pass < n_passes; pass++) {
        for (int64_t y = 0; y < r->image->height; y++) {
            if (r->image->should_stop(r->image->u))
                return false;
            r->calls->row(r->png, r->image->rgb + (size_t)y * bytes, NULL);
        }
    }
    return true;
}

/* Everything that may jump. 16-bit samples count as sRGB, as in other readers. */
static enum bp_cpu_image_rc read_image(struct reading *r)
{
    const struct calls *calls = r->calls;
    enum bp_cpu_image_rc rc;

    r->info = calls->create_info(r->png);
    if (!r->info)
        return BP_CPU_IMAGE_NO_MEMORY;
    calls->set_read(r->png, NULL, read_bytes);
    calls->set_benign(r->png, 1);
    calls->read_info(r->png, r->info);
    rc = bp_cpu_image_size(r->image, calls->height(r->png, r->info), calls->width(r->png, r->info));
    if (rc != BP_CPU_IMAGE_OK)
        return rc;
    calls->expand(r->png);
    calls->scale_16(r->png);
    calls->strip_alpha(r->png);
    calls->gray_to_rgb(r->png);
    return read_rows(r) ? BP_CPU_IMAGE_OK : BP_CPU_IMAGE_BROKEN;
}

/* Comes back from a jump; what was made until then is in *r, which the caller has. */
static enum bp_cpu_image_rc read_guarded(struct reading *r)
{
    if (setjmp(r->back) != 0)
        return BP_CPU_IMAGE_BROKEN;
    r->png = r->calls->create(PNG_LIBPNG_VER_STRING, NULL, fail, silent);
    return r->png ? read_image(r) : BP_CPU_IMAGE_NO_MEMORY;
}

static enum bp_cpu_image_rc decode(const void *table, struct bp_cpu_image *image)
{
    struct reading r = {.calls = table, .image = image};
    enum bp_cpu_image_rc rc;

    r.bytes = pixels_only(image, &r.size);
    if (!r.bytes)
        return BP_CPU_IMAGE_NO_MEMORY;
    reading = &r;
    rc = read_guarded(&r);
    reading = NULL;
    if (r.png)
        r.calls->destroy(&r.png, &r.info, NULL);
    free(r.bytes);
    return rc;
}

const struct bp_cpu_image_decoder bp_cpu_image_png = {BP_PNG_SONAME, symbols,
                                                      sizeof symbols / sizeof *symbols, decode};

#else

const struct bp_cpu_image_decoder bp_cpu_image_png = {0};

#endif
