/* SPDX-License-Identifier: MIT */
/*
 * re2_syntax.c - Translates RE2's regular expressions to PCRE2's, byte by byte; see re2_syntax.h.
 * What both understand alike is copied, what RE2 lacks is refused.
 */

#include "text/re2_syntax.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MOST_REPEATS = 1000 /* RE2's limit */ };

/* The state of a translation. Functions return NULL, or what is wrong. */
struct work {
    const char *in, *end;
    char *out;
    bool in_class;
    bool is_repeated; /* the last item was a repetition */
    char *item;       /* where the last item began in out, if it matches one character; else NULL */
};

/* Digits from 0 to `last`: 9, or 7 for octal. */
static bool is_digit(char c, char last)
{
    return c >= '0' && c <= last;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_hex(char c)
{
    return is_digit(c, '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* The byte at offset i; 0 beyond the end, where no pattern has one. */
static char peek(const struct work *w, size_t i)
{
    return (size_t)(w->end - w->in) > i ? w->in[i] : '\0';
}

/* Copies n bytes of the pattern to the output. */
static void copy(struct work *w, size_t n)
{
    memcpy(w->out, w->in, n);
    w->in += n;
    w->out += n;
}

/* Writes text that has no counterpart in the pattern. */
static void put(struct work *w, const char *text)
{
    size_t n = strlen(text);

    memcpy(w->out, text, n);
    w->out += n;
}

/* ---- escapes --------------------------------------------------------------------------------- */

/*
 * \123: up to three octal digits. A single digit would be a back reference, which RE2 does not
 * have.
 */
static const char *octal(struct work *w)
{
    unsigned code = 0;

    if (peek(w, 1) != '0' && !is_digit(peek(w, 2), '7'))
        return "a reference to a group";
    w->in++;
    for (int i = 0; i < 3 && is_digit(peek(w, 0), '7'); i++)
        code = code * 8 + (unsigned)(*w->in++ - '0');
    w->out += sprintf(w->out, "\\x{%x}", code);
    return NULL;
}

/* \x7F or \x{10FFFF}, which PCRE2 reads alike. */
static const char *hex(struct work *w)
{
    size_t n = 3;

    if (peek(w, 2) != '{') {
        if (!is_hex(peek(w, 2)) || !is_hex(peek(w, 3)))
            return "\\x without two digits";
        copy(w, 4);
        return NULL;
    }
    while (is_hex(peek(w, n)))
        n++;
    if (n == 3 || n > 11 || peek(w, n) != '}')
        return "a wrong \\x{}";
    copy(w, n + 1);
    return NULL;
}

/* \pN or \p{Greek}. PCRE2 checks the name. */
static const char *property(struct work *w)
{
    size_t n = 3;

    if (peek(w, 2) == '{') {
        while (peek(w, n) != '}') {
            if (!is_letter(peek(w, n)) && peek(w, n) != '_' && peek(w, n) != '^')
                return "a wrong \\p{}";
            n++;
        }
        n++;
    } else if (!is_letter(peek(w, 2))) {
        return "\\p without a name";
    }
    copy(w, n);
    return NULL;
}

/* \Q...\E: literal text. Punctuation is escaped one by one. */
static const char *quoted(struct work *w)
{
    if (w->in_class)
        return "\\Q in a class";
    w->item = NULL;
    for (w->in += 2; w->in < w->end; copy(w, 1)) {
        if (peek(w, 0) == '\\' && peek(w, 1) == 'E') {
            w->in += 2;
            return NULL;
        }
        if ((unsigned char)*w->in < 0x80 && !is_letter(*w->in) && !is_digit(*w->in, '9'))
            *w->out++ = '\\';
    }
    return NULL;
}

/* \s of RE2 has no vertical tab, but PCRE2's has. */
static void space(struct work *w, bool is_not)
{
    if (w->in_class)
        put(w, is_not ? "\\S\\x0b" : "\\t\\n\\f\\r\\x20");
    else
        put(w, is_not ? "[\\S\\x0b]" : "[\\t\\n\\f\\r\\x20]");
    w->in += 2;
}

/* An escape, in a class or outside. */
static const char *escape(struct work *w)
{
    char c = peek(w, 1);

    if (w->end - w->in < 2)
        return "a \\ at the end";
    if (is_digit(c, '9'))
        return is_digit(c, '7') ? octal(w) : "a reference to a group";
    if (c == 'x')
        return hex(w);
    if (c == 'p' || c == 'P')
        return property(w);
    if (c == 'Q')
        return quoted(w);
    if (c == 's' || c == 'S') {
        space(w, c == 'S');
    } else if (c == 'v') {
        put(w, "\\x0b");
        w->in += 2;
    } else if (!is_letter(c) || strchr("aftnrdDwW", c)) {
        copy(w, 2);
    } else if (!w->in_class && strchr("AbBz", c)) {
        w->item = NULL; /* a place between characters */
        copy(w, 2);
    } else {
        return "an escape that RE2 does not have";
    }
    return NULL;
}

/* ---- groups, classes, repetitions ------------------------------------------------------------ */

/* (?P<name>, (?<name>, (?flags) and (?flags: are RE2's; look-around and verbs are not. */
static const char *group(struct work *w)
{
    size_t n = 2;

    if (peek(w, 1) == '*')
        return "a verb";
    if (peek(w, 1) != '?') {
        copy(w, 1);
        return NULL;
    }
    if (peek(w, 2) == 'P' && peek(w, 3) == '<') {
        copy(w, 4);
        return NULL;
    }
    if (peek(w, 2) == '<' && peek(w, 3) != '=' && peek(w, 3) != '!') {
        copy(w, 3);
        return NULL;
    }
    while (peek(w, n) && strchr("imsU-", peek(w, n)))
        n++;
    if (peek(w, n) != ':' && (peek(w, n) != ')' || n == 2))
        return "a group that RE2 does not have";
    copy(w, n + 1);
    return NULL;
}

/* [ or [^; a ] that follows is a literal in RE2. */
static void open_class(struct work *w)
{
    w->in_class = true;
    copy(w, peek(w, 1) == '^' ? 2 : 1);
    if (peek(w, 0) == ']') { /* the first one is not an end */
        put(w, "\\]");
        w->in++;
    }
}

/* An item of a character class; [:alpha:] is copied as a whole. */
static const char *within_class(struct work *w)
{
    const char *close;

    if (peek(w, 0) == '\\')
        return escape(w);
    if (peek(w, 0) == '[' && peek(w, 1) == ':') {
        for (close = w->in + 2; close + 1 < w->end; close++) {
            if (close[0] == ':' && close[1] == ']') {
                copy(w, (size_t)(close + 2 - w->in));
                return NULL;
            }
            if (!is_letter(*close) && *close != '^')
                break;
        }
    }
    if (peek(w, 0) == '[')
        *w->out++ = '\\';
    w->in_class = peek(w, 0) != ']';
    copy(w, 1);
    return NULL;
}

/* {2}, {2,} or {2,3} has *n bytes; anything else is literal text, with *n 0. */
static const char *braces(const struct work *w, size_t *n)
{
    size_t i = 1;
    long value = 0, most = 0;

    *n = 0;
    if (!is_digit(peek(w, 1), '9'))
        return NULL;
    for (; is_digit(peek(w, i), '9') || peek(w, i) == ','; i++) {
        bool is_comma = peek(w, i) == ',';

        if (is_comma && memchr(w->in, ',', i))
            return NULL;
        value = is_comma ? 0 : value * 10 + (peek(w, i) - '0');
        value = value < 1000000 ? value : 1000000;
        most = value > most ? value : most;
    }
    if (peek(w, i) != '}')
        return NULL;
    *n = i + 1;
    return most > MOST_REPEATS ? "more than 1000 repetitions" : NULL;
}

/*
 * Writes x+ as xx*, and x{2,} as x{2}x*, where x matches one character. PCRE2's DFA matcher counts the
 * repetitions of x+, so that within another repetition each count is a state of its own: the work of
 * (x+)+ grows with the cube of the text's size.
 */
static void at_least(struct work *w, size_t n)
{
    size_t item = (size_t)(w->out - w->item);

    if (n > 1) {
        copy(w, n - 2); /* "{2" */
        put(w, "}");
        w->in += 2;
    } else {
        w->in++;
    }
    memcpy(w->out, w->item, item);
    w->out += item;
    put(w, "*");
}

/* RE2 refuses a repetition of a repetition; PCRE2 would take a second + as possessive. */
static const char *repetition(struct work *w, size_t n)
{
    if (w->is_repeated)
        return "a repetition of a repetition";
    if (w->item && (peek(w, 0) == '+' || peek(w, n - 2) == ','))
        at_least(w, n);
    else
        copy(w, n);
    if (peek(w, 0) == '?') /* lazy */
        copy(w, 1);
    w->is_repeated = true;
    return NULL;
}

/* Translates one item of the pattern. */
static const char *step(struct work *w)
{
    size_t n = 1;
    const char *wrong = NULL;

    if (w->in_class)
        return within_class(w);
    if (peek(w, 0) == '{')
        wrong = braces(w, &n);
    if (wrong)
        return wrong;
    if (strchr("*+?", peek(w, 0)) || (peek(w, 0) == '{' && n > 0))
        return repetition(w, n);
    w->is_repeated = false;
    if (((unsigned char)peek(w, 0) & 0xc0) != 0x80) /* not within a character of UTF-8 */
        w->item = strchr("^$|()", peek(w, 0)) ? NULL : w->out;
    if (peek(w, 0) == '\\')
        return escape(w);
    if (peek(w, 0) == '(')
        return group(w);
    if (peek(w, 0) == '[')
        open_class(w);
    else if (peek(w, 0) == '{') {
        put(w, "\\{"); /* after a repetition PCRE2 might see more in it */
        w->in++;
    } else {
        copy(w, 1);
    }
    return NULL;
}

const char *bp_cpu_regex_translate(const char *pattern, size_t n, char *out, size_t *size,
                                   size_t *at)
{
    struct work w = {.in = pattern, .end = pattern + n, .out = out};
    const char *wrong = memchr(pattern, '\0', n) ? "a zero byte" : NULL;

    while (w.in < w.end && !wrong)
        wrong = step(&w);
    *size = (size_t)(w.out - out);
    *at = (size_t)(w.in - pattern);
    return wrong;
}
