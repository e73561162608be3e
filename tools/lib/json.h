/* SPDX-License-Identifier: MIT */
/* json.h - writes indented JSON to a file, for people to read; valid whatever the strings hold. */
#ifndef BP_TOOLS_JSON_H
#define BP_TOOLS_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { JSON_DEPTH = 16 };

/* Starts as {.out = file}. */
struct json {
    FILE *out;
    unsigned depth;
    bool has_items[JSON_DEPTH]; /* one a level: a comma is due */
    bool is_list[JSON_DEPTH];   /* on one line */
};

/* key is NULL inside an array and at the top; strings may be NULL and become null. */
void json_object(struct json *json, const char *key);
void json_object_end(struct json *json);
void json_array(struct json *json, const char *key);
void json_array_end(struct json *json);
/* An array on one line, for short ones without objects. */
void json_list(struct json *json, const char *key);
void json_list_end(struct json *json);
void json_string(struct json *json, const char *key, const char *value);
void json_int(struct json *json, const char *key, int64_t value);
void json_uint(struct json *json, const char *key, uint64_t value);
void json_bool(struct json *json, const char *key, bool value);
/* NaN and infinities, which JSON lacks, become the strings "NaN", "Infinity" and "-Infinity". */
void json_number(struct json *json, const char *key, double value);
/* A value that is JSON already. */
void json_raw(struct json *json, const char *key, const char *value);

#endif
