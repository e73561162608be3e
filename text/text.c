/* SPDX-License-Identifier: MIT */
/* text.c - a string that grows, and the nearest of several names. */

#include "config.h"

#include "text/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/utf8.h"

enum { FIRST_CAP = 64, LONGEST_NAME = 255 };

/* Makes the capacity large enough for n more bytes and the NUL. */
static bool reserve(struct bp_text *text, size_t n)
{
    size_t cap = text->cap ? text->cap : FIRST_CAP;
    char *data;

    if (text->failed)
        return false;
    if (n < text->cap - text->len)
        return true;
    while (cap - text->len <= n) {
        if (cap > SIZE_MAX / 2) {
            text->failed = true;
            return false;
        }
        cap *= 2;
    }
    data = realloc(text->data, cap);
    if (!data) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->cap = cap;
    return true;
}

void bp_text_add(struct bp_text *text, const char *s)
{
    bp_text_add_bytes(text, s, strlen(s));
}

void bp_text_add_bytes(struct bp_text *text, const char *s, size_t n)
{
    if (!reserve(text, n))
        return;
    memcpy(text->data + text->len, s, n);
    text->len += n;
    text->data[text->len] = '\0';
}

void bp_text_vprintf(struct bp_text *text, const char *fmt, va_list args)
{
    va_list again;
    int n;

    va_copy(again, args);
    n = vsnprintf(NULL, 0, fmt, args);
    if (n < 0 || !reserve(text, (size_t)n)) {
        text->failed = true;
    } else {
        vsnprintf(text->data + text->len, (size_t)n + 1, fmt, again);
        text->len += (size_t)n;
    }
    va_end(again);
}

void bp_text_printf(struct bp_text *text, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    bp_text_vprintf(text, fmt, args);
    va_end(args);
}

/* C0, DEL and C1: terminals may obey all of them, C1 also when it is encoded as UTF-8. */
static bool is_control(uint32_t point)
{
    return point < 0x20 || (point >= 0x7f && point < 0xa0);
}

void bp_text_add_clean(struct bp_text *text, const char *s)
{
    while (*s) {
        const char *start = s;
        uint32_t point = bp_utf8_next(&s);

        if (point == '\n' || point == '\t')
            bp_text_add(text, " ");
        else if (is_control(point) || point == BP_UTF8_REPLACEMENT)
            bp_text_add(text, "\xef\xbf\xbd"); /* U+FFFD */
        else
            bp_text_add_bytes(text, start, (size_t)(s - start));
    }
}

void bp_text_printf_clean(struct bp_text *text, const char *fmt, ...)
{
    size_t n = strlen(fmt);
    struct bp_text raw = {0};
    va_list args;

    va_start(args, fmt);
    bp_text_vprintf(&raw, fmt, args);
    va_end(args);
    text->failed |= raw.failed;
    if (n > 0 && fmt[n - 1] == '\n' && raw.len > 0)
        raw.data[--raw.len] = '\0';
    if (raw.data)
        bp_text_add_clean(text, raw.data);
    if (n > 0 && fmt[n - 1] == '\n')
        bp_text_add(text, "\n");
    bp_text_finish(&raw);
}

char *bp_text_take(struct bp_text *text)
{
    char *data = text->failed ? NULL : text->data;

    if (!data)
        free(text->data);
    memset(text, 0, sizeof *text);
    return data;
}

void bp_text_finish(struct bp_text *text)
{
    free(text->data);
    memset(text, 0, sizeof *text);
}

/* Edits (a character put in, left out, or another) that make b of a; case does not count. */
static size_t edits(const char *a, size_t n_a, const char *b, size_t n_b)
{
    size_t row[LONGEST_NAME + 1], left_up, up;

    for (size_t j = 0; j <= n_b; j++)
        row[j] = j;
    for (size_t i = 1; i <= n_a; i++) {
        left_up = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n_b; j++) {
            up = row[j];
            row[j] =
                left_up + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));
            if (row[j] > up + 1)
                row[j] = up + 1;
            if (row[j] > row[j - 1] + 1)
                row[j] = row[j - 1] + 1;
            left_up = up;
        }
    }
    return row[n_b];
}

const char *bp_nearest(const char *name, const char *const *names, size_t n)
{
    size_t len = strlen(name), best = len / 3 + 1;
    const char *nearest = NULL;

    if (len > LONGEST_NAME)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        size_t other = strlen(names[i]), distance = other > len ? other - len : len - other;

        if (other > LONGEST_NAME || distance >= best)
            continue;
        distance = edits(name, len, names[i], other);
        if (distance < best) {
            best = distance;
            nearest = names[i];
        }
    }
    return nearest;
}
