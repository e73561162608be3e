/* SPDX-License-Identifier: MIT */
/* text.h - a string that grows, JSON on top of it, and the nearest of several names. */
#ifndef BP_BASE_TEXT_H
#define BP_BASE_TEXT_H

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
/* Gives the string away (NULL after a failure or when nothing was added) and empties the text. */
char *bp_text_take(struct bp_text *text);
void bp_text_finish(struct bp_text *text);

/*
 * JSON: commas come by themselves. key is NULL inside arrays and at the top. Text that is not UTF-8
 * is written byte by byte as U+00xx.
 */
void bp_json_open(struct bp_text *text, const char *key, char bracket);        /* '{' or '[' */
void bp_json_close(struct bp_text *text, char bracket);                        /* '}' or ']' */
void bp_json_string(struct bp_text *text, const char *key, const char *value); /* NULL: null */
void bp_json_int(struct bp_text *text, const char *key, int64_t value);
void bp_json_bool(struct bp_text *text, const char *key, bool value);

/*
 * The name among n that is nearest to `name` by edits, case aside, and near enough to be meant
 * (a third of its length); NULL: none is.
 */
const char *bp_nearest(const char *name, const char *const *names, size_t n);

#endif
