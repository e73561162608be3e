/* SPDX-License-Identifier: MIT */
/* text.h - a string that grows, and the nearest of several names. */
#ifndef BP_TEXT_TEXT_H
#define BP_TEXT_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Start from {0}. After a failed allocation `failed` stays set and appending does nothing. */
struct bp_text {
    char *data; /* NUL-terminated; NULL while empty */
    size_t len, cap;
    bool failed;
};

void bp_text_add(struct bp_text *text, const char *s);
/* n bytes, no NUL among them. */
void bp_text_add_bytes(struct bp_text *text, const char *s, size_t n);
void bp_text_printf(struct bp_text *text, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void bp_text_vprintf(struct bp_text *text, const char *fmt, va_list args)
    __attribute__((format(printf, 2, 0)));
/*
 * Adds a string that came from elsewhere, such as a name of a model or a file: control characters,
 * terminal escapes among them, and bytes that are not UTF-8 become U+FFFD, newlines and tabs blanks.
 */
void bp_text_add_clean(struct bp_text *text, const char *s);
/* As bp_text_printf() with all of it cleaned so, but for a newline at the end of fmt. */
void bp_text_printf_clean(struct bp_text *text, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Gives the string away (NULL after a failure or when nothing was added) and empties the text. */
char *bp_text_take(struct bp_text *text);
void bp_text_finish(struct bp_text *text);

/*
 * The name among n that is nearest to `name` by edits, case aside, and near enough to be meant
 * (a third of its length); NULL: none is.
 */
const char *bp_nearest(const char *name, const char *const *names, size_t n);

#endif
