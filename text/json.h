/* SPDX-License-Identifier: MIT */
/*
 * json.h - JSON (RFC 8259) on top of a growing text. Valid whatever the strings hold: each byte
 * that is not part of well-formed UTF-8 becomes U+FFFD, the replacement character.
 */
#ifndef BP_TEXT_JSON_H
#define BP_TEXT_JSON_H

#include "text/text.h"

/* Appends a string with its quotes and escapes. */
void bp_json_quote(struct bp_text *text, const char *value);

/*
 * A document without blanks; commas come by themselves. `key` is NULL inside arrays and at the top.
 * Each call appends to `text`, whose `failed` tells of a lack of memory.
 */
void bp_json_open(struct bp_text *text, const char *key, char bracket);        /* '{' or '[' */
void bp_json_close(struct bp_text *text, char bracket);                        /* '}' or ']' */
void bp_json_string(struct bp_text *text, const char *key, const char *value); /* NULL: null */
void bp_json_int(struct bp_text *text, const char *key, int64_t value);
void bp_json_bool(struct bp_text *text, const char *key, bool value);

#endif
