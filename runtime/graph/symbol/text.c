/* SPDX-License-Identifier: MIT */
/* text.c - writes an expression as people would, with no more brackets than it needs. */

#include "config.h"

#include <ctype.h>
#include <inttypes.h>

#include "graph/symbol/table.h"

struct text {
    const struct bp_symbols *symbols;
    char *buf;  /* BP_SYMBOL_NAME + 1 bytes */
    size_t len; /* what it would take; more than BP_SYMBOL_NAME: cut */
};

static void say(struct text *text, const char *fmt, ...) BP_PRINTF(2, 3);
static void say(struct text *text, const char *fmt, ...)
{
    va_list args;
    int n;

    if (text->len > BP_SYMBOL_NAME)
        return;
    va_start(args, fmt);
    n = vsnprintf(text->buf + text->len, BP_SYMBOL_NAME + 1 - text->len, fmt, args);
    va_end(args);
    text->len = n < 0 ? BP_SYMBOL_NAME + 1 : text->len + (size_t)n;
}

/* Reads as one thing between any two operators: a plain name or a call. Models have odd names. */
static bool is_simple(const struct bp_symbol *row)
{
    const char *s = row->name;

    if (row->op == '^')
        return true;
    if (isdigit((unsigned char)*s))
        return false;
    while (isalnum((unsigned char)*s) || (unsigned char)*s >= 0x80 || (*s && strchr("_.?", *s)))
        s++;
    return *s == '\0';
}

enum position { IN_SUM, IN_PRODUCT, DIVIDED, DIVISOR };

/* By what stands around the operand: "a*(b+1)", but "a*b+1". */
static bool needs_brackets(const struct text *text, struct bp_sym sym, enum position position)
{
    const struct bp_symbol *row;

    if (bp_sym_known(sym))
        return sym.value < 0;
    row = bp_symbol_row(text->symbols, sym.symbol);
    if (is_simple(row))
        return false;
    if (position == IN_SUM)
        return row->op != '/' && row->op != '%';
    if (position == DIVIDED)
        return row->op != '+' || row->n > 1 || row->terms[0].coef < 0;
    return true;
}

/* One side of an operator, in brackets where it needs them. */
static void say_operand(struct text *text, struct bp_sym sym, enum position position)
{
    bool brackets = needs_brackets(text, sym, position);

    if (brackets)
        say(text, "(");
    if (bp_sym_known(sym))
        say(text, "%" PRId64, sym.value);
    else
        say(text, "%s", bp_symbol_row(text->symbols, sym.symbol)->name);
    if (brackets)
        say(text, ")");
}

/* "-2*a*b" as "a*b*2" after its sign: exporters and people write the constant last. */
static void say_term(struct text *text, const struct bp_term *term)
{
    uint64_t magnitude = term->coef < 0 ? 0 - (uint64_t)term->coef : (uint64_t)term->coef;
    enum position position = term->n > 1 || magnitude != 1 ? IN_PRODUCT : IN_SUM;

    if (term->coef < 0)
        say(text, "-");
    else if (text->len > 0)
        say(text, "+");
    for (uint32_t i = 0; i < term->n; i++) {
        struct bp_sym factor = {0, term->ids[i]};

        if (i > 0)
            say(text, "*");
        say_operand(text, factor, position);
    }
    if (term->n == 0)
        say(text, "%" PRIu64, magnitude);
    else if (magnitude != 1)
        say(text, "*%" PRIu64, magnitude);
}

/* What is added before what is taken away, the constant last: "a+b-c+1", "5-a". */
static void say_sum(struct text *text, const struct bp_term *terms, uint32_t n)
{
    bool constant_said = n == 0 || terms[n - 1].n > 0;

    for (uint32_t i = 0; i < n; i++) {
        if (terms[i].n > 0 && terms[i].coef > 0)
            say_term(text, &terms[i]);
    }
    if (!constant_said && text->len == 0 && terms[n - 1].coef > 0) {
        say_term(text, &terms[n - 1]);
        constant_said = true;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (terms[i].n > 0 && terms[i].coef < 0)
            say_term(text, &terms[i]);
    }
    if (!constant_said)
        say_term(text, &terms[n - 1]);
}

bool bp_symbol_text(const struct bp_symbols *symbols, const struct bp_symbol *row,
                    char out[BP_SYMBOL_NAME + 1])
{
    struct text text = {symbols, out, 0};
    bool is_ratio = row->op == '/' || row->op == '%' || row->op == '^';

    if (row->op == '+') {
        say_sum(&text, row->terms, row->n);
        return text.len <= BP_SYMBOL_NAME;
    }
    if (row->op == '^')
        say(&text, "ceil(");
    say_operand(&text, row->a, is_ratio ? DIVIDED : DIVISOR);
    say(&text, "%c", row->op == '^' ? '/' : row->op);
    say_operand(&text, row->b, DIVISOR);
    if (row->op == '^')
        say(&text, ")");
    return text.len <= BP_SYMBOL_NAME;
}
