/* SPDX-License-Identifier: MIT */
/*
 * pnm.c - Decodes the portable formats PBM, PGM and PPM (P1 to P6), and PAM (P7).
 * P1 to P3 are text, P4 to P6 bytes; samples of two bytes are big-endian. Samples are scaled to
 * 0..255.
 */

#include "image/decoders/image_file.h"

#include <string.h>

/* The bytes that are not read yet. */
struct reader {
    const uint8_t *at, *end;
};

/* What the header says; most is the value of white. */
struct header {
    int kind;
    uint64_t width, height, depth, most;
};

/* White space of C's isspace(), in any locale. */
static bool is_space(uint8_t c)
{
    return c == ' ' || (c >= 9 && c <= 13);
}

/* Skips white space and comments. */
static void skip(struct reader *r)
{
    while (r->at < r->end && (is_space(*r->at) || *r->at == '#')) {
        if (*r->at == '#') {
            while (r->at < r->end && *r->at != '\n')
                r->at++;
        } else {
            r->at++;
        }
    }
}

/* A decimal number, saturated at about 2^32; false: there is none. */
static bool read_uint(struct reader *r, uint64_t *out)
{
    const uint8_t *from;

    skip(r);
    *out = 0;
    for (from = r->at; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++)
        *out = *out < UINT32_MAX ? *out * 10 + (uint64_t)(*r->at - '0') : *out;
    return r->at > from;
}

/* Skips a keyword; false: it is another. */
static bool match(struct reader *r, const char *text)
{
    size_t n = strlen(text);

    if ((size_t)(r->end - r->at) < n || memcmp(r->at, text, n) != 0)
        return false;
    r->at += n;
    return true;
}

/* The header of PAM: a keyword and a value on each line. */
static bool read_pam(struct reader *r, struct header *h)
{
    for (;;) {
        skip(r);
        if (match(r, "ENDHDR"))
            break;
        if (match(r, "TUPLTYPE")) {
            while (r->at < r->end && *r->at != '\n')
                r->at++;
        } else if (!(match(r, "WIDTH")    ? read_uint(r, &h->width)
                     : match(r, "HEIGHT") ? read_uint(r, &h->height)
                     : match(r, "DEPTH")  ? read_uint(r, &h->depth)
                                          : match(r, "MAXVAL") && read_uint(r, &h->most))) {
            return false;
        }
    }
    return h->depth >= 1 && h->depth <= 4;
}

/* The second byte tells the format. */
static bool read_header(struct reader *r, struct header *h)
{
    *h = (struct header){.kind = r->at[1] - '0', .most = 1};
    r->at += 2;
    h->depth = h->kind == 3 || h->kind == 6 ? 3 : 1;
    if (h->kind == 7) {
        if (!read_pam(r, h))
            return false;
    } else if (!read_uint(r, &h->width) || !read_uint(r, &h->height) ||
               (h->kind != 1 && h->kind != 4 && !read_uint(r, &h->most))) {
        return false;
    }
    if (h->most < 1 || h->most > 65535)
        return false;
    if (h->kind > 3) { /* one white space precedes the bytes */
        if (r->at == r->end || !is_space(*r->at))
            return false;
        r->at++;
    }
    return true;
}

/* Scales 0..most to 0..255. */
static uint8_t scale(uint64_t value, uint64_t most)
{
    value = value < most ? value : most;
    return (uint8_t)(most == 255 ? value : (value * 255 + most / 2) / most);
}

/* One sample, as text or bytes; in a bitmap 1 is black. */
static bool read_value(struct reader *r, const struct header *h, uint8_t *out)
{
    uint64_t value;

    if (h->kind == 1) {
        skip(r);
        if (r->at == r->end || (*r->at != '0' && *r->at != '1'))
            return false;
        *out = *r->at++ == '1' ? 0 : 255;
        return true;
    }
    if (h->kind < 4) {
        if (!read_uint(r, &value))
            return false;
    } else {
        size_t n = h->most > 255 ? 2 : 1;

        if ((size_t)(r->end - r->at) < n)
            return false;
        value = n == 2 ? (uint64_t)r->at[0] << 8 | r->at[1] : r->at[0];
        r->at += n;
    }
    *out = scale(value, h->most);
    return true;
}

/* P4: eight pixels in a byte, rows padded to bytes. */
static bool read_bits(struct reader *r, struct bp_cpu_image *image)
{
    uint8_t *to = image->rgb;
    size_t bytes = ((size_t)image->width + 7) / 8;

    for (int64_t y = 0; y < image->height; y++, r->at += bytes) {
        if ((size_t)(r->end - r->at) < bytes)
            return false;
        for (int64_t x = 0; x < image->width; x++, to += 3)
            memset(to, r->at[x / 8] >> (7 - x % 8) & 1 ? 0 : 255, 3);
    }
    return true;
}

/* Grey becomes red, green and blue alike; alpha is dropped. */
static bool read_pixels(struct reader *r, const struct header *h, struct bp_cpu_image *image)
{
    uint8_t *to = image->rgb;

    for (int64_t i = 0; i < image->height * image->width; i++, to += 3) {
        uint8_t value[4];

        for (uint64_t k = 0; k < h->depth; k++) {
            if (!read_value(r, h, &value[k]))
                return false;
        }
        if (h->depth < 3) /* grey, maybe with alpha */
            memset(to, value[0], 3);
        else
            memcpy(to, value, 3);
    }
    return true;
}

/* Only P4 packs several pixels in a byte. */
static enum bp_cpu_image_rc decode(const void *calls, struct bp_cpu_image *image)
{
    struct reader r = {image->bytes, image->bytes + image->size};
    struct header h;
    enum bp_cpu_image_rc rc;

    (void)calls;
    if (!read_header(&r, &h))
        return BP_CPU_IMAGE_BROKEN;
    rc = bp_cpu_image_size(image, h.height, h.width);
    if (rc != BP_CPU_IMAGE_OK)
        return rc;
    return (h.kind == 4 ? read_bits(&r, image) : read_pixels(&r, &h, image)) ? BP_CPU_IMAGE_OK
                                                                             : BP_CPU_IMAGE_BROKEN;
}

const struct bp_cpu_image_decoder bp_cpu_image_pnm = {.decode = decode};
