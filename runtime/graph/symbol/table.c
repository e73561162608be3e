/* SPDX-License-Identifier: MIT */
/* table.c - the table of symbols; equal expressions share a row, found by their structure. */

#include "config.h"

#include "graph/symbol/table.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    FIRST_CAP = 32,
    KEY_MARK = 1, /* the byte that begins every key, and no name */
    KEY_SIZE = 32 + BP_POLY_TERMS * (24 + BP_POLY_FACTORS * 12)
};

struct key {
    char text[KEY_SIZE];
    size_t len;
};

/* The table grows by doubling. False: no memory, or too many symbols for 32 bits. */
static bool reserve_row(struct bp_symbols *symbols)
{
    uint32_t cap = symbols->cap ? symbols->cap * 2 : FIRST_CAP;
    struct bp_symbol *rows;

    if (symbols->count < symbols->cap)
        return true;
    if (symbols->cap > UINT32_MAX / 2)
        return false;
    rows = realloc(symbols->rows, cap * sizeof *rows);
    if (!rows)
        return false;
    symbols->rows = rows;
    symbols->cap = cap;
    return true;
}

/* key: what to find it by, in the region; NULL: nothing finds it. */
static bp_rc add_row(struct bp_symbols *symbols, const struct bp_symbol *row, const char *key,
                     struct bp_sym *out, bp_err *err)
{
    if (!row->name || !reserve_row(symbols) ||
        (key && !bp_strmap_put(&symbols->by_name, key, symbols->count + 1)))
        return bp_fail_nomem(err, "a symbolic size");
    symbols->rows[symbols->count++] = *row;
    out->value = 0;
    out->symbol = symbols->count;
    return BP_OK;
}

/* Names are borrowed, not copied: the other table outlives this one. */
bp_rc bp_symbols_inherit(struct bp_symbols *symbols, const struct bp_symbols *from, bp_err *err)
{
    if (from->count == 0)
        return BP_OK;
    symbols->rows = malloc(from->count * sizeof *symbols->rows);
    if (!symbols->rows)
        return bp_fail_nomem(err, "symbolic sizes");
    memcpy(symbols->rows, from->rows, from->count * sizeof *symbols->rows);
    symbols->count = symbols->cap = from->count;
    symbols->fresh = from->fresh;
    return BP_OK;
}

bp_rc bp_symbols_restart(struct bp_symbols *symbols, const struct bp_symbols *from, bp_err *err)
{
    if (symbols->count == from->count && symbols->fresh == from->fresh)
        return BP_OK; /* what is named or made anew adds a row */
    bp_symbols_finish(symbols);
    return bp_symbols_inherit(symbols, from, err);
}

bp_rc bp_symbols_named(struct bp_symbols *symbols, const char *name, struct bp_sym *out,
                       bp_err *err)
{
    uint32_t symbol = bp_strmap_get(&symbols->by_name, name, 0);
    struct bp_symbol row = {0};

    if (name[0] == '\0' || name[0] == KEY_MARK || strcmp(name, "?") == 0)
        return bp_symbols_fresh(symbols, false, out, err);
    if (symbol != 0) {
        out->value = 0;
        out->symbol = symbol;
        return BP_OK;
    }
    row.name = bp_region_string(&symbols->text, name);
    return add_row(symbols, &row, row.name, out, err);
}

/* "?1", "?2": for messages alone, as nothing finds such a symbol by its name. */
static const char *next_fresh_name(struct bp_symbols *symbols)
{
    return bp_region_printf(&symbols->text, "?%" PRIu32, ++symbols->fresh);
}

bp_rc bp_symbols_fresh(struct bp_symbols *symbols, bool from_data, struct bp_sym *out, bp_err *err)
{
    struct bp_symbol row = {0};

    row.name = next_fresh_name(symbols);
    row.from_data = from_data;
    row.is_nameless = true;
    return add_row(symbols, &row, NULL, out, err);
}

/* ---- expressions ----------------------------------------------------------------------------- */

static void key_constant(struct key *key, int64_t value)
{
    key->len += (size_t)snprintf(key->text + key->len, KEY_SIZE - key->len, "%" PRId64, value);
}

static void key_symbol(struct key *key, uint32_t symbol)
{
    key->len += (size_t)snprintf(key->text + key->len, KEY_SIZE - key->len, "#%" PRIu32, symbol);
}

/* Keys of expressions share a map with names, so they begin with a byte that names cannot. */
static void key_begin(struct key *key, char op)
{
    key->text[0] = KEY_MARK;
    key->text[1] = op;
    key->text[2] = '\0';
    key->len = 2;
}

/* An expression comes from data, or has no meaning to people, when one of its parts does. */
static void note_part(const struct bp_symbols *symbols, struct bp_symbol *row, uint32_t part)
{
    row->from_data = row->from_data || bp_symbol_row(symbols, part)->from_data;
    row->is_nameless = row->is_nameless || bp_symbol_row(symbols, part)->is_nameless;
}

/* The row of that key, else `row` becomes it, with a name after what it says. */
static bp_rc intern(struct bp_symbols *symbols, const struct key *key, struct bp_symbol *row,
                    struct bp_sym *out, bp_err *err)
{
    char text[BP_SYMBOL_NAME + 1];
    const char *kept_key;
    struct bp_term *terms;

    out->value = 0;
    out->symbol = bp_strmap_get(&symbols->by_name, key->text, 0);
    if (out->symbol != 0)
        return BP_OK;
    terms = bp_region_array(&symbols->text, row->n, sizeof *terms);
    kept_key = bp_region_string(&symbols->text, key->text);
    if (!terms || !kept_key)
        return bp_fail_nomem(err, "a symbolic size");
    if (row->n > 0)
        memcpy(terms, row->terms, row->n * sizeof *terms);
    row->terms = terms;
    if (bp_symbol_text(symbols, row, text)) {
        row->name = bp_region_string(&symbols->text, text);
    } else {
        row->name = next_fresh_name(symbols);
        row->is_nameless = true;
    }
    return add_row(symbols, row, kept_key, out, err);
}

bp_rc bp_symbols_of_poly(struct bp_symbols *symbols, const struct bp_poly *poly, struct bp_sym *out,
                         bp_err *err)
{
    const struct bp_term *term = poly->terms;
    struct bp_symbol row = {.op = '+', .terms = poly->terms, .n = poly->n};
    struct key key;

    out->symbol = 0;
    if (bp_poly_is_constant(poly, &out->value))
        return BP_OK;
    out->value = 0;
    if (poly->n == 1 && term->coef == 1 && term->n == 1) {
        out->symbol = term->ids[0];
        return BP_OK;
    }
    key_begin(&key, '+');
    for (uint32_t i = 0; i < poly->n; i++) {
        term = &poly->terms[i];
        key_constant(&key, term->coef);
        for (uint32_t j = 0; j < term->n; j++) {
            key_symbol(&key, term->ids[j]);
            note_part(symbols, &row, term->ids[j]);
        }
        key.text[key.len++] = ';';
    }
    key.text[key.len] = '\0';
    return intern(symbols, &key, &row, out, err);
}

void bp_symbols_to_poly(const struct bp_symbols *symbols, struct bp_sym sym, struct bp_poly *out)
{
    const struct bp_symbol *row;

    if (bp_sym_known(sym)) {
        bp_poly_constant(sym.value, out);
        return;
    }
    row = bp_symbol_row(symbols, sym.symbol);
    bp_poly_symbol(sym.symbol, out);
    if (row->op != '+')
        return;
    out->n = row->n;
    memcpy(out->terms, row->terms, row->n * sizeof *row->terms);
}

bp_rc bp_symbols_of_pair(struct bp_symbols *symbols, struct bp_sym a, char op, struct bp_sym b,
                         struct bp_sym *out, bp_err *err)
{
    struct bp_symbol row = {.op = op, .a = a, .b = b};
    const struct bp_sym sides[2] = {a, b};
    struct key key;

    key_begin(&key, op);
    for (int i = 0; i < 2; i++) {
        if (bp_sym_known(sides[i])) {
            key.text[key.len++] = '=';
            key_constant(&key, sides[i].value);
        } else {
            key_symbol(&key, sides[i].symbol);
            note_part(symbols, &row, sides[i].symbol);
        }
    }
    return intern(symbols, &key, &row, out, err);
}

/* ---- reading --------------------------------------------------------------------------------- */

bool bp_symbols_is_nameless(const struct bp_symbols *symbols, struct bp_sym sym)
{
    return !bp_sym_known(sym) && bp_symbol_row(symbols, sym.symbol)->is_nameless;
}

bool bp_symbols_from_data(const struct bp_symbols *symbols, struct bp_sym sym)
{
    return !bp_sym_known(sym) && bp_symbol_row(symbols, sym.symbol)->from_data;
}

const char *bp_symbols_name(const struct bp_symbols *symbols, struct bp_sym sym)
{
    return bp_sym_known(sym) ? "" : bp_symbol_row(symbols, sym.symbol)->name;
}

void bp_symbols_finish(struct bp_symbols *symbols)
{
    bp_strmap_finish(&symbols->by_name);
    free(symbols->rows);
    bp_region_finish(&symbols->text);
    memset(symbols, 0, sizeof *symbols);
}
