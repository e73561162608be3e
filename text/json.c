/* SPDX-License-Identifier: MIT */
/* json.c - writes JSON to a growing text. */

#include "config.h"

#include "text/json.h"

#include <inttypes.h>
#include <string.h>

#include "text/utf8.h"

/* Bytes at the start of s that can stand in a string as they are. */
static size_t plain_bytes(const char *s)
{
    const char *at = s, *next = s;

    while (*at) {
        uint32_t point = bp_utf8_next(&next);

        if (point < 0x20 || point == '"' || point == '\\' || point == 0x7f ||
            point == BP_UTF8_REPLACEMENT)
            break;
        at = next;
    }
    return (size_t)(at - s);
}

void bp_json_quote(struct bp_text *text, const char *value)
{
    bp_text_add(text, "\"");
    for (;;) {
        size_t n = plain_bytes(value);
        uint32_t point;

        bp_text_add_bytes(text, value, n);
        value += n;
        if (!*value)
            break;
        point = bp_utf8_next(&value);
        if (point == '"' || point == '\\')
            bp_text_printf(text, "\\%c", (char)point);
        else if (point == '\n')
            bp_text_add(text, "\\n");
        else
            bp_text_printf(text, "\\u%04" PRIx32, point);
    }
    bp_text_add(text, "\"");
}

/* What stands before each value: a comma unless it is the first in its brackets, and the key. */
static void begin(struct bp_text *text, const char *key)
{
    if (text->len > 0 && !strchr("{[\n", text->data[text->len - 1]))
        bp_text_add(text, ",");
    if (key) {
        bp_json_quote(text, key);
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
        bp_json_quote(text, value);
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
