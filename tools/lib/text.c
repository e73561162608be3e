/* SPDX-License-Identifier: MIT */
/* text.c - growing strings, cleaning of foreign text, and figures in words. */

#include "config.h"

#include "lib/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cli.h"

#define REPLACEMENT 0xfffdu

void text_finish(struct text *text)
{
    free(text->data);
    *text = (struct text){0};
}

const char *text_string(const struct text *text)
{
    return text->data ? text->data : "";
}

void text_cut(struct text *text, size_t length)
{
    if (length >= text->length)
        return;
    text->length = length;
    text->data[length] = '\0';
}

void text_clear(struct text *text)
{
    text->length = 0;
    if (text->data)
        text->data[0] = '\0';
}

/* Room for `more` bytes and the NUL behind the present end. */
static void reserve(struct text *text, size_t more)
{
    size_t need = text->length + more + 1;

    if (need <= text->cap)
        return;
    text->cap = need < 64 ? 64 : need + need / 2;
    text->data = xrealloc(text->data, text->cap, 1);
}

void text_add(struct text *text, const char *data, size_t length)
{
    reserve(text, length);
    memcpy(text->data + text->length, data, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void text_put(struct text *text, const char *string)
{
    text_add(text, string, strlen(string));
}

void text_vprintf(struct text *text, const char *fmt, va_list args)
{
    va_list again;
    int n;

    va_copy(again, args);
    n = vsnprintf(NULL, 0, fmt, args);
    if (n > 0) {
        reserve(text, (size_t)n);
        vsnprintf(text->data + text->length, (size_t)n + 1, fmt, again);
        text->length += (size_t)n;
    }
    va_end(again);
}

void text_printf(struct text *text, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    text_vprintf(text, fmt, args);
    va_end(args);
}

uint32_t utf8_next(const char **p)
{
    static const uint32_t least[4] = {0, 0x80, 0x800, 0x10000};
    unsigned char lead = (unsigned char)*(*p)++;
    unsigned more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
    uint32_t point = lead & (0x3fu >> more);
    const char *s = *p;

    if (lead < 0x80)
        return lead;
    if (lead < 0xc2 || lead > 0xf4)
        return REPLACEMENT;
    for (unsigned i = 0; i < more; i++, s++) {
        if (((unsigned char)*s & 0xc0) != 0x80) /* the NUL is no such byte either */
            return REPLACEMENT;
        point = point << 6 | ((unsigned char)*s & 0x3fu);
    }
    if (point < least[more] || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
        return REPLACEMENT;
    *p = s;
    return point;
}

size_t utf8_width(const char *string)
{
    size_t width = 0;

    for (; *string; width++)
        utf8_next(&string);
    return width;
}

static bool is_control(uint32_t point)
{
    return point < 0x20 || (point >= 0x7f && point < 0xa0);
}

static const char *entity(uint32_t point)
{
    switch (point) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    default:
        return NULL;
    }
}

static void add_cleaned(struct text *text, const char *string, bool html)
{
    while (*string) {
        const char *start = string;
        uint32_t point = utf8_next(&string);

        if (point == '\n' || point == '\t')
            text_put(text, " ");
        else if (is_control(point) || point == REPLACEMENT)
            text_put(text, "\xef\xbf\xbd");
        else if (html && entity(point))
            text_put(text, entity(point));
        else
            text_add(text, start, (size_t)(string - start));
    }
}

void text_clean(struct text *text, const char *string)
{
    add_cleaned(text, string, false);
}

void text_html(struct text *text, const char *string)
{
    add_cleaned(text, string, true);
}

void text_bytes(struct text *text, uint64_t bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    double value = (double)bytes;
    size_t unit = 0;

    for (; value >= 999.5 && unit + 1 < sizeof units / sizeof units[0]; unit++)
        value /= 1000;
    text_printf(text, unit == 0 || value >= 99.95 ? "%.0f %s" : "%.1f %s", value, units[unit]);
}

void text_duration(struct text *text, double seconds)
{
    if (seconds < 1e-3)
        text_printf(text, "%.2f us", seconds * 1e6);
    else if (seconds < 1)
        text_printf(text, "%.2f ms", seconds * 1e3);
    else
        text_printf(text, "%.2f s", seconds);
}

void text_type(struct text *text, const bp_io_info *io)
{
    text_put(text, io->type->kind == BP_KIND_SPARSE ? "sparse " : "");
    text_put(text, io->dtype == BP_DTYPE_NONE ? "no tensor" : bp_dtype_name(io->dtype));
    if (io->dtype == BP_DTYPE_NONE)
        return;
    if (io->rank == BP_RANK_UNKNOWN) {
        text_put(text, "[...]");
        return;
    }
    text_put(text, "[");
    for (uint32_t i = 0; i < io->rank; i++) {
        text_put(text, i ? ", " : "");
        if (io->dims[i].value >= 0)
            text_printf(text, "%" PRId64, io->dims[i].value);
        else
            text_clean(text, io->dims[i].symbol ? io->dims[i].symbol : "?");
    }
    text_put(text, "]");
}

void text_tensor_type(struct text *text, const bp_tensor *tensor)
{
    text_put(text, bp_dtype_name(tensor->dtype));
    text_put(text, "[");
    for (uint32_t i = 0; i < tensor->rank; i++)
        text_printf(text, "%s%" PRId64, i ? ", " : "", tensor->dims[i]);
    text_put(text, "]");
}
