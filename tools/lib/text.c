/* SPDX-License-Identifier: MIT */
/* text.c - text buffers, escaping of untrusted text, sizes and times as text. */

#include "config.h"

#include "lib/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cli.h"
#include "text/utf8.h"

void text_finish(struct bp_text *text)
{
    bp_text_finish(text);
}

const char *text_string(const struct bp_text *text)
{
    return text->data ? text->data : "";
}

void text_cut(struct bp_text *text, size_t length)
{
    if (length >= text->len)
        return;
    text->len = length;
    text->data[length] = '\0';
}

void text_clear(struct bp_text *text)
{
    text->len = 0;
    if (text->data)
        text->data[0] = '\0';
}

/* Ends the program if an append has failed. */
static void need_memory(const struct bp_text *text)
{
    if (text->failed)
        out_of_memory();
}

void text_add(struct bp_text *text, const char *data, size_t length)
{
    bp_text_add_bytes(text, data, length);
    need_memory(text);
}

void text_put(struct bp_text *text, const char *string)
{
    text_add(text, string, strlen(string));
}

void text_vprintf(struct bp_text *text, const char *fmt, va_list args)
{
    bp_text_vprintf(text, fmt, args);
    need_memory(text);
}

void text_printf(struct bp_text *text, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    text_vprintf(text, fmt, args);
    va_end(args);
}

size_t utf8_width(const char *string)
{
    size_t width = 0;

    for (; *string; width++)
        bp_utf8_next(&string);
    return width;
}

/* Escapes for text and for attributes in double quotes, of HTML and SVG. */
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

void text_clean(struct bp_text *text, const char *string)
{
    bp_text_add_clean(text, string);
    need_memory(text);
}

void text_html(struct bp_text *text, const char *string)
{
    struct bp_text clean = {0};

    text_clean(&clean, string);
    for (const char *at = text_string(&clean); *at; at++) {
        if (entity((unsigned char)*at))
            text_put(text, entity((unsigned char)*at));
        else
            text_add(text, at, 1);
    }
    text_finish(&clean);
}

/* Powers of 1000, as the SI units say; three digits, so 999.5 is already 1.0 of the next unit. */
void text_bytes(struct bp_text *text, uint64_t bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    double value = (double)bytes;
    size_t unit = 0;

    for (; value >= 999.5 && unit + 1 < sizeof units / sizeof units[0]; unit++)
        value /= 1000;
    text_printf(text, unit == 0 || value >= 99.95 ? "%.0f %s" : "%.1f %s", value, units[unit]);
}

void text_copies(struct bp_text *text, uint64_t n, uint64_t unsized, uint64_t bytes)
{
    if (unsized > 0 && unsized == n) {
        text_put(text, "size known at run time");
        return;
    }
    text_bytes(text, bytes);
    if (unsized > 0)
        text_printf(text, " and %" PRIu64 " of a size known at run time", unsized);
}

void text_duration(struct bp_text *text, double seconds)
{
    if (seconds < 1e-3)
        text_printf(text, "%.2f us", seconds * 1e6);
    else if (seconds < 1)
        text_printf(text, "%.2f ms", seconds * 1e3);
    else
        text_printf(text, "%.2f s", seconds);
}

/*
 * "float32[n, 3]": a symbol or '?' for a size that the model does not fix, "[...]" for an unknown
 * rank.
 */
void text_type(struct bp_text *text, const bp_io_info *io)
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

void text_tensor_type(struct bp_text *text, const bp_tensor *tensor)
{
    text_put(text, bp_dtype_name(tensor->dtype));
    text_put(text, "[");
    for (uint32_t i = 0; i < tensor->rank; i++)
        text_printf(text, "%s%" PRId64, i ? ", " : "", tensor->dims[i]);
    text_put(text, "]");
}
