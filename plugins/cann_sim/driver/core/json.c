/* SPDX-License-Identifier: MIT */
/*
 * json.c - a checker of JSON (RFC 8259) that remembers one number. Recursive descent; the limit of
 * levels bounds the recursion.
 */
#include "core/json.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* What the vendor's reader takes, with all brackets counted. */
#define LEVELS 10
#define KEY "max_opqueue_num"

/* Where reading has come to, and where the number goes. */
struct reader {
    const char *at;
    uint64_t *out;
};

static bool read_value(struct reader *reader, int level, bool is_wanted);

static void skip_space(struct reader *reader)
{
    reader->at += strspn(reader->at, " \t\r\n");
}

/*
 * Goes past the character, after white space; false, and not past it, when something else is there.
 */
static bool take(struct reader *reader, char c)
{
    skip_space(reader);
    if (*reader->at != c)
        return false;
    reader->at++;
    return true;
}

/*
 * A string, without its quotes; escapes stay as they are, as the key that is looked for has none.
 */
static bool read_string(struct reader *reader, const char **start, size_t *length)
{
    if (!take(reader, '"'))
        return false;
    *start = reader->at;
    for (; *reader->at != '"'; reader->at++) {
        if ((unsigned char)*reader->at < 0x20)
            return false;
        if (*reader->at == '\\' && !strchr("\"\\/bfnrtu", *++reader->at))
            return false;
        if (!*reader->at)
            return false;
    }
    *length = (size_t)(reader->at++ - *start);
    return true;
}

/* Digits only, at most about 32 bits; everything else is stored as 0, which aclInit() refuses. */
static void store_count(struct reader *reader, const char *text, size_t length)
{
    uint64_t value = 0;

    for (size_t i = 0; i < length; i++) {
        if (!isdigit((unsigned char)text[i]) || value > UINT32_MAX) {
            value = 0;
            break;
        }
        value = value * 10 + (uint64_t)(text[i] - '0');
    }
    *reader->out = value;
}

/* After the bracket. Only a key of the outermost object is the one that is looked for. */
static bool read_object(struct reader *reader, int level)
{
    const char *key;
    size_t length;

    if (take(reader, '}'))
        return true;
    do {
        bool is_wanted;

        if (!read_string(reader, &key, &length) || !take(reader, ':'))
            return false;
        is_wanted = level == 1 && length == strlen(KEY) && memcmp(key, KEY, length) == 0;
        if (!read_value(reader, level, is_wanted))
            return false;
    } while (take(reader, ','));
    return take(reader, '}');
}

/* After the bracket. */
static bool read_array(struct reader *reader, int level)
{
    if (take(reader, ']'))
        return true;
    do {
        if (!read_value(reader, level, false))
            return false;
    } while (take(reader, ','));
    return take(reader, ']');
}

/* A number, true, false or null. Whether a number is well formed is left to strtod(). */
static bool read_word(struct reader *reader, const char **start, size_t *length)
{
    static const char *const words[] = {"true", "false", "null"};
    char *end;

    *start = reader->at;
    *length = strcspn(reader->at, ",]} \t\r\n");
    for (size_t i = 0; i < 3; i++)
        if (*length == strlen(words[i]) && memcmp(*start, words[i], *length) == 0) {
            reader->at += *length;
            return true;
        }
    if (*length == 0 || !(isdigit((unsigned char)**start) || **start == '-'))
        return false;
    strtod(*start, &end);
    reader->at += *length;
    return end == reader->at;
}

/* `is_wanted`: the value is that of the key, and is stored. */
static bool read_value(struct reader *reader, int level, bool is_wanted)
{
    const char *start = "";
    size_t length = 0;
    bool is_valid;

    skip_space(reader);
    if (*reader->at == '{' || *reader->at == '[') {
        if (level == LEVELS)
            return false;
        is_valid =
            *reader->at++ == '{' ? read_object(reader, level + 1) : read_array(reader, level + 1);
    } else if (*reader->at == '"') {
        is_valid = read_string(reader, &start, &length);
    } else {
        is_valid = read_word(reader, &start, &length);
    }
    if (is_valid && is_wanted)
        store_count(reader, start, length);
    return is_valid;
}

/* Nothing but white space may follow the outermost value. */
bool sim_json_queue_size(const char *text, uint64_t *out)
{
    uint64_t value = *out;
    struct reader reader = {.at = text, .out = &value};

    if (!read_value(&reader, 0, false))
        return false;
    skip_space(&reader);
    if (*reader.at)
        return false;
    *out = value;
    return true;
}
