/* SPDX-License-Identifier: MIT */
/* json.c - JSON on top of a text that grows; the commas come by themselves. */

#include "config.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

static bool is_between(unsigned char c, unsigned low, unsigned high)
{
    return c >= low && c <= high;
}

/* Bytes of the well-formed UTF-8 character at s, 0 when there is none (Unicode, table 3-7). */
static size_t character(const unsigned char *s)
{
    unsigned low = 0x80, high = 0xbf;
    size_t n;

    if (s[0] < 0x80)
        return 1;
    if (is_between(s[0], 0xc2, 0xdf)) {
        n = 2;
    } else if (is_between(s[0], 0xe0, 0xef)) {
        n = 3;
        low = s[0] == 0xe0 ? 0xa0 : 0x80;
        high = s[0] == 0xed ? 0x9f : 0xbf;
    } else if (is_between(s[0], 0xf0, 0xf4)) {
        n = 4;
        low = s[0] == 0xf0 ? 0x90 : 0x80;
        high = s[0] == 0xf4 ? 0x8f : 0xbf;
    } else {
        return 0;
    }
    if (!is_between(s[1], low, high))
        return 0;
    for (size_t i = 2; i < n; i++) {
        if (!is_between(s[i], 0x80, 0xbf))
            return 0;
    }
    return n;
}

/* Bytes at the start of s that can stand in a string as they are. */
static size_t plain(const unsigned char *s)
{
    size_t n = 0, step;

    while (s[n] >= 0x20 && s[n] != '"' && s[n] != '\\' && s[n] != 0x7f) {
        step = character(s + n);
        if (step == 0)
            break;
        n += step;
    }
    return n;
}

static void add_quoted(struct bp_text *text, const char *value)
{
    const unsigned char *s = (const unsigned char *)value;

    bp_text_add(text, "\"");
    for (;;) {
        size_t n = plain(s);

        bp_text_add_bytes(text, (const char *)s, n);
        s += n;
        if (!*s)
            break;
        if (*s == '"' || *s == '\\')
            bp_text_printf(text, "\\%c", *s);
        else
            bp_text_printf(text, "\\u%04x", *s);
        s++;
    }
    bp_text_add(text, "\"");
}

/* What stands before each value: a comma unless it is the first in its brackets, and the key. */
static void begin(struct bp_text *text, const char *key)
{
    if (text->len > 0 && !strchr("{[\n", text->data[text->len - 1]))
        bp_text_add(text, ",");
    if (key) {
        add_quoted(text, key);
        bp_text_add(text, ":");
    }
}

static void add_bracket(struct bp_text *text, char bracket)
{
    const char s[2] = {bracket, '\0'};

    bp_text_add(text, s);
}

void bp_json_open(struct bp_text *text, const char *key, char bracket)
{
    begin(text, key);
    add_bracket(text, bracket);
}

void bp_json_close(struct bp_text *text, char bracket)
{
    add_bracket(text, bracket);
}

void bp_json_string(struct bp_text *text, const char *key, const char *value)
{
    begin(text, key);
    if (value)
        add_quoted(text, value);
    else
        bp_text_add(text, "null");
}

void bp_json_int(struct bp_text *text, const char *key, int64_t value)
{
    begin(text, key);
    bp_text_printf(text, "%" PRId64, value);
}

void bp_json_bool(struct bp_text *text, const char *key, bool value)
{
    begin(text, key);
    bp_text_add(text, value ? "true" : "false");
}
