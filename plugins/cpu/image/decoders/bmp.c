/* SPDX-License-Identifier: MIT */
/*
 * bmp.c - Decodes BMP.
 * 1, 4, 8, 16, 24 and 32 bits for each pixel, palettes, bit fields and run lengths (RLE4, RLE8),
 * bottom-up or top-down.
 * All fields are little-endian; embedded JPEG and PNG are refused.
 */

#include "image/decoders/image_file.h"

#include <string.h>

/* Values of the header's compression field. */
enum { PLAIN = 0, RLE8 = 1, RLE4 = 2, FIELDS = 3, ALPHA_FIELDS = 6 };
/* Bytes of the headers. */
enum { FILE_HEADER = 14, OLD_HEADER = 12, NEW_HEADER = 40 };

/* What the headers say. */
struct header {
    uint64_t width, height;
    bool is_top_down;
    uint32_t bits, compression;
    uint32_t masks[3];
    const uint8_t *pixels, *end;
    uint8_t palette[256][3]; /* red, green, blue */
};

/* Little-endian fields, which may be unaligned. */
static uint32_t le16(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static uint32_t le32(const uint8_t *p)
{
    return le16(p) | le16(p + 2) << 16;
}

/* Entries of 3 or 4 bytes: blue, green, red. */
static void read_palette(struct header *h, const uint8_t *from, const uint8_t *end, size_t width,
                         uint32_t n)
{
    for (uint32_t i = 0; i < n && i < 256 && (size_t)(end - from) >= width; i++, from += width) {
        h->palette[i][0] = from[2];
        h->palette[i][1] = from[1];
        h->palette[i][2] = from[0];
    }
}

/* The masks of the colours if the file does not give any. */
static void default_masks(struct header *h)
{
    h->masks[0] = h->bits == 16 ? 0x7c00 : 0xff0000;
    h->masks[1] = h->bits == 16 ? 0x03e0 : 0x00ff00;
    h->masks[2] = h->bits == 16 ? 0x001f : 0x0000ff;
}

/* Which bits go with which compression. */
static bool is_known(const struct header *h)
{
    switch (h->compression) {
    case PLAIN:
        return h->bits == 1 || h->bits == 4 || h->bits == 8 || h->bits == 16 || h->bits == 24 ||
               h->bits == 32;
    case RLE8:
        return h->bits == 8;
    case RLE4:
        return h->bits == 4;
    case FIELDS:
    case ALPHA_FIELDS:
        return h->bits == 16 || h->bits == 32;
    default:
        return false;
    }
}

/* Every offset comes from the file and is checked against its size. */
static bool read_header(const struct bp_cpu_image *image, struct header *h)
{
    const uint8_t *b = image->bytes, *info = b + FILE_HEADER;
    uint32_t offset, size, colours;

    memset(h, 0, sizeof *h);
    if (image->size < FILE_HEADER + OLD_HEADER)
        return false;
    offset = le32(b + 10);
    size = le32(info);
    if (size > image->size - FILE_HEADER || offset > image->size)
        return false;
    h->pixels = b + offset;
    h->end = b + image->size;
    if (size == OLD_HEADER) {
        h->width = le16(info + 4);
        h->height = le16(info + 6);
        h->bits = le16(info + 10);
        read_palette(h, info + size, h->end, 3, h->bits <= 8 ? 1u << h->bits : 0);
    } else if (size >= NEW_HEADER) {
        int64_t height = (int32_t)le32(info + 8), width = (int32_t)le32(info + 4);

        h->is_top_down = height < 0;
        h->height = (uint64_t)(height < 0 ? -height : height);
        h->width = (uint64_t)(width > 0 ? width : 0);
        h->bits = le16(info + 14);
        h->compression = le32(info + 16);
        colours = le32(info + 32);
        default_masks(h);
        if (h->compression == FIELDS || h->compression == ALPHA_FIELDS) {
            if (image->size < FILE_HEADER + NEW_HEADER + 12)
                return false;
            for (int i = 0; i < 3; i++)
                h->masks[i] = le32(info + NEW_HEADER + 4 * i);
        }
        if (h->bits <= 8)
            read_palette(h, info + size, h->end, 4, colours ? colours : 1u << h->bits);
    } else {
        return false;
    }
    return is_known(h);
}

/* ---- pixels ---------------------------------------------------------------------------------- */

/* The output row of the file's row y. */
static uint8_t *row_of(const struct header *h, struct bp_cpu_image *image, uint64_t y)
{
    uint64_t row = h->is_top_down ? y : h->height - 1 - y;

    return image->rgb + row * h->width * 3;
}

/* The bits of a mask, scaled to 0..255. */
static uint8_t field(uint32_t pixel, uint32_t mask)
{
    uint32_t value = pixel & mask, most = mask;

    if (mask == 0)
        return 0;
    while (!(most & 1)) {
        most >>= 1;
        value >>= 1;
    }
    return (uint8_t)(((uint64_t)value * 255 + most / 2) / most);
}

/* Converts pixel x of a row to red, green, blue. */
static void write_pixel(const struct header *h, const uint8_t *row, uint64_t x, uint8_t *to)
{
    uint32_t pixel;

    if (h->bits == 24) {
        to[0] = row[3 * x + 2];
        to[1] = row[3 * x + 1];
        to[2] = row[3 * x];
    } else if (h->bits <= 8) {
        uint64_t bit = x * h->bits;
        unsigned packed = row[bit / 8], shift = (unsigned)(8 - h->bits - bit % 8);

        memcpy(to, h->palette[packed >> shift & ((1u << h->bits) - 1)], 3);
    } else {
        pixel = h->bits == 16 ? le16(row + 2 * x) : le32(row + 4 * x);
        for (int c = 0; c < 3; c++)
            to[c] = field(pixel, h->masks[c]);
    }
}

/* Uncompressed rows, padded to 4 bytes; the last one may lack its padding. */
static bool read_plain(const struct header *h, struct bp_cpu_image *image)
{
    size_t bytes = (size_t)((h->width * h->bits + 31) / 32 * 4);
    const uint8_t *row = h->pixels;

    for (uint64_t y = 0; y < h->height; y++, row += bytes) {
        uint8_t *to = row_of(h, image, y);
        size_t needed = (size_t)((h->width * h->bits + 7) / 8);

        if ((size_t)(h->end - row) < (y + 1 < h->height ? bytes : needed))
            return false;
        for (uint64_t x = 0; x < h->width; x++)
            write_pixel(h, row, x, to + 3 * x);
        if (y + 1 == h->height)
            break;
    }
    return true;
}

/* The position of the run-length decoder. */
struct pen {
    uint64_t x, y;
};

/* Writes a pixel and advances; pixels beyond the row are dropped. */
static void put(const struct header *h, struct bp_cpu_image *image, struct pen *pen,
                uint32_t colour)
{
    if (pen->x < h->width && pen->y < h->height)
        memcpy(row_of(h, image, pen->y) + 3 * pen->x, h->palette[colour & 0xff], 3);
    pen->x++;
}

/* Colour i of a run of bytes or half bytes. */
static uint32_t colour_at(const struct header *h, const uint8_t *from, uint32_t i)
{
    if (h->bits == 8)
        return from[i];
    return i % 2 ? from[i / 2] & 0xfu : (uint32_t)from[i / 2] >> 4;
}

/* A run of literal colours; returns the bytes that it takes, or 0 if the file ends in it. */
static size_t put_literal(const struct header *h, struct bp_cpu_image *image, struct pen *pen,
                          const uint8_t *at, uint32_t n)
{
    size_t bytes = h->bits == 8 ? n : (n + 1) / 2;

    bytes = (bytes + 1) / 2 * 2;
    if ((size_t)(h->end - at) < bytes)
        return 0;
    for (uint32_t i = 0; i < n; i++)
        put(h, image, pen, colour_at(h, at, i));
    return bytes;
}

/* Run lengths; pixels that no run writes have colour 0. */
static bool read_runs(const struct header *h, struct bp_cpu_image *image)
{
    const uint8_t *at = h->pixels;
    struct pen pen = {0, 0};

    for (uint64_t i = 0; i < h->width * h->height; i++)
        memcpy(image->rgb + 3 * i, h->palette[0], 3);
    while (h->end - at >= 2 && pen.y < h->height) {
        uint32_t n = at[0], code = at[1];
        uint8_t both[1] = {at[1]};
        size_t bytes;

        at += 2;
        for (uint32_t i = 0; i < n; i++)
            put(h, image, &pen, colour_at(h, both, h->bits == 8 ? 0 : i % 2));
        if (n > 0)
            continue;
        if (code == 1)
            return true;
        if (code == 0) {
            pen = (struct pen){0, pen.y + 1};
        } else if (code == 2) {
            if (h->end - at < 2)
                return false;
            pen = (struct pen){pen.x + at[0], pen.y + at[1]};
            at += 2;
        } else {
            bytes = put_literal(h, image, &pen, at, code);
            if (bytes == 0)
                return false;
            at += bytes;
        }
    }
    return pen.y >= h->height;
}

/* The size is checked before any pixel is written. */
static enum bp_cpu_image_rc decode(const void *calls, struct bp_cpu_image *image)
{
    struct header h;
    enum bp_cpu_image_rc rc;

    (void)calls;
    if (!read_header(image, &h))
        return BP_CPU_IMAGE_BROKEN;
    rc = bp_cpu_image_size(image, h.height, h.width);
    if (rc != BP_CPU_IMAGE_OK)
        return rc;
    return (h.compression == RLE8 || h.compression == RLE4 ? read_runs(&h, image)
                                                           : read_plain(&h, image))
               ? BP_CPU_IMAGE_OK
               : BP_CPU_IMAGE_BROKEN;
}

const struct bp_cpu_image_decoder bp_cpu_image_bmp = {.decode = decode};
