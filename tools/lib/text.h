/* SPDX-License-Identifier: MIT */
/*
 * text.h - text buffers, and the escaping of a model's or plug-in's text before it goes to a
 * terminal or a file.
 */
#ifndef BP_TOOLS_TEXT_H
#define BP_TOOLS_TEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <backplane.h>

#include "text/text.h"

/*
 * Text buffers as in text/text.h, for a program that exits with a message when memory is exhausted;
 * so callers need not check `failed`.
 */
void text_finish(struct bp_text *text);
const char *text_string(const struct bp_text *text); /* never NULL; until the next change */
void text_clear(struct bp_text *text);               /* empty again, memory kept */
void text_cut(struct bp_text *text, size_t length);  /* only the first bytes stay */

void text_add(struct bp_text *text, const char *data, size_t length);
void text_put(struct bp_text *text, const char *string);
void text_printf(struct bp_text *text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct bp_text *text, const char *fmt, va_list args)
    __attribute__((format(printf, 2, 0)));

/*
 * Adds a string that came from elsewhere: control characters (terminal escapes among them) and
 * bytes that are not UTF-8 become U+FFFD, newlines and tabs become blanks.
 */
void text_clean(struct bp_text *text, const char *string);
/* The same, with <, >, & and quotes as entities. */
void text_html(struct bp_text *text, const char *string);

/* Code points in a string: its width on a terminal, near enough. */
size_t utf8_width(const char *string);

/* "12.3 MB" */
void text_bytes(struct bp_text *text, uint64_t bytes);
/*
 * How much n copies are, of which `unsized` have a size that only a run knows and the others these
 * bytes: "48 B", "size known at run time", "48 B and 1 of a size known at run time".
 */
void text_copies(struct bp_text *text, uint64_t n, uint64_t unsized, uint64_t bytes);
/* "1.23 ms" */
void text_duration(struct bp_text *text, double seconds);
/* "float32[batch, 3, ?]"; unknown rank: "float32[...]" */
void text_type(struct bp_text *text, const bp_io_info *io);
/* "float32[1, 3, 224]" */
void text_tensor_type(struct bp_text *text, const bp_tensor *tensor);

#endif
