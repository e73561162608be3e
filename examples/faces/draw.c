/* SPDX-License-Identifier: MIT */
/* draw.c - frames and digits in an image. */
#include "draw.h"

#include <string.h>

/* In pixels; a dot is one of the 3 x 5 squares that a character is made of. */
enum { LINE = 3, DOT = 3, GLYPH_COLUMNS = 3, GLYPH_ROWS = 5 };
enum { ADVANCE = (GLYPH_COLUMNS + 1) * DOT, LABEL_HEIGHT = (GLYPH_ROWS + 2) * DOT };

static const uint8_t frame_colour[IMAGE_CHANNELS] = {60, 230, 60};
static const uint8_t text_colour[IMAGE_CHANNELS] = {0, 0, 0};

/* Each octal digit is a row, from the top, each bit a dot. */
static const uint16_t digit_glyphs[10] = {075557, 026227, 071747, 071717, 055711,
                                          074717, 074757, 071122, 075757, 075717};
static const uint16_t point_glyph = 2;

static long clamp(long value, size_t size)
{
    if (value < 0)
        return 0;
    return (size_t)value < size ? value : (long)size;
}

static void fill(struct image *image, struct rectangle at, const uint8_t colour[IMAGE_CHANNELS])
{
    long left = clamp(at.left, image->width);
    long right = clamp(at.right, image->width);
    long bottom = clamp(at.bottom, image->height);

    for (long y = clamp(at.top, image->height); y < bottom; y++) {
        uint8_t *pixel = image->rgb + ((size_t)y * image->width + (size_t)left) * IMAGE_CHANNELS;

        for (long x = left; x < right; x++, pixel += IMAGE_CHANNELS)
            memcpy(pixel, colour, IMAGE_CHANNELS);
    }
}

static void draw_glyph(struct image *image, long left, long top, uint16_t glyph)
{
    for (int bit = 0; bit < GLYPH_COLUMNS * GLYPH_ROWS; bit++) {
        long x = left + DOT * (GLYPH_COLUMNS - 1 - bit % GLYPH_COLUMNS);
        long y = top + DOT * (GLYPH_ROWS - 1 - bit / GLYPH_COLUMNS);

        if (glyph >> bit & 1)
            fill(image, (struct rectangle){x, y, x + DOT, y + DOT}, text_colour);
    }
}

/* Dark on the frame's colour; `left` and `top` are the corner of the ground. */
static void draw_number(struct image *image, long left, long top, const char *number)
{
    long width = (long)strlen(number) * ADVANCE + DOT;

    fill(image, (struct rectangle){left, top, left + width, top + LABEL_HEIGHT}, frame_colour);
    for (left += DOT; *number; number++, left += ADVANCE)
        draw_glyph(image, left, top + DOT,
                   *number >= '0' && *number <= '9' ? digit_glyphs[*number - '0'] : point_glyph);
}

void draw_frame(struct image *image, const struct rectangle *at, const char *number)
{
    long label_top = at->top >= LABEL_HEIGHT ? at->top - LABEL_HEIGHT : at->top;

    fill(image, (struct rectangle){at->left, at->top, at->right, at->top + LINE}, frame_colour);
    fill(image, (struct rectangle){at->left, at->bottom - LINE, at->right, at->bottom},
         frame_colour);
    fill(image, (struct rectangle){at->left, at->top, at->left + LINE, at->bottom}, frame_colour);
    fill(image, (struct rectangle){at->right - LINE, at->top, at->right, at->bottom}, frame_colour);
    draw_number(image, at->left, label_top, number);
}
