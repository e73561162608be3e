/* SPDX-License-Identifier: MIT */
/* json.c - writes indented JSON to a file; text/json.h writes its strings. */

#include "config.h"

#include "lib/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

#include "lib/cli.h"
#include "text/json.h"

/*
 * Strings of models may hold any bytes: bp_json_quote() escapes controls and replaces invalid
 * UTF-8.
 */
static void write_string(FILE *out, const char *value)
{
    struct bp_text text = {0};

    bp_json_quote(&text, value);
    if (text.failed)
        out_of_memory();
    fputs(text.data, out);
    bp_text_finish(&text);
}

/* Comma, line break, indentation and key: all that comes before a value. */
static void begin(struct json *json, const char *key)
{
    if (json->is_list[json->depth]) {
        fputs(json->has_items[json->depth] ? ", " : "", json->out);
        json->has_items[json->depth] = true;
    } else if (json->depth > 0) {
        fputs(json->has_items[json->depth] ? ",\n" : "\n", json->out);
        json->has_items[json->depth] = true;
        fprintf(json->out, "%*s", (int)json->depth * 2, "");
    }
    if (key) {
        write_string(json->out, key);
        fputs(": ", json->out);
    }
}

/* The depth is fixed by the tools' code, not by the model, so an assertion is enough. */
static void open_level(struct json *json, const char *key, char bracket)
{
    begin(json, key);
    putc(bracket, json->out);
    json->depth++;
    assert(json->depth < JSON_DEPTH);
    json->has_items[json->depth] = false;
    json->is_list[json->depth] = false;
}

static void close_level(struct json *json, char bracket)
{
    bool has_lines = json->has_items[json->depth] && !json->is_list[json->depth];

    json->depth--;
    if (has_lines)
        fprintf(json->out, "\n%*s", (int)json->depth * 2, "");
    putc(bracket, json->out);
    if (json->depth == 0)
        putc('\n', json->out);
}

void json_object(struct json *json, const char *key)
{
    open_level(json, key, '{');
}

void json_object_end(struct json *json)
{
    close_level(json, '}');
}

void json_array(struct json *json, const char *key)
{
    open_level(json, key, '[');
}

void json_array_end(struct json *json)
{
    close_level(json, ']');
}

void json_list(struct json *json, const char *key)
{
    open_level(json, key, '[');
    json->is_list[json->depth] = true;
}

void json_list_end(struct json *json)
{
    close_level(json, ']');
}

void json_string(struct json *json, const char *key, const char *value)
{
    begin(json, key);
    if (value)
        write_string(json->out, value);
    else
        fputs("null", json->out);
}

void json_int(struct json *json, const char *key, int64_t value)
{
    begin(json, key);
    fprintf(json->out, "%" PRId64, value);
}

void json_uint(struct json *json, const char *key, uint64_t value)
{
    begin(json, key);
    fprintf(json->out, "%" PRIu64, value);
}

void json_bool(struct json *json, const char *key, bool value)
{
    begin(json, key);
    fputs(value ? "true" : "false", json->out);
}

/*
 * JSON has no NaN and no infinity (RFC 8259, 6), so those are strings; 9 digits tell any two
 * float32 apart.
 */
void json_number(struct json *json, const char *key, double value)
{
    if (isnan(value))
        json_string(json, key, "NaN");
    else if (isinf(value))
        json_string(json, key, value > 0 ? "Infinity" : "-Infinity");
    else {
        begin(json, key);
        fprintf(json->out, "%.9g", value);
    }
}

void json_raw(struct json *json, const char *key, const char *value)
{
    begin(json, key);
    fputs(value, json->out);
}
