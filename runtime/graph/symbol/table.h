/* SPDX-License-Identifier: MIT */
/* table.h - how a symbol is kept; for the files that implement symbol.h. */
#ifndef BP_GRAPH_SYMBOL_TABLE_H
#define BP_GRAPH_SYMBOL_TABLE_H

#include "graph/symbol/poly.h"
#include "graph/symbol/symbol.h"

struct bp_symbol {
    const char *name;
    const struct bp_term *terms; /* op '+': a sum of n terms */
    uint32_t n;
    char op; /* 0: a plain name; '+': terms; else a op b, as in bp_symbols_calc() */
    bool from_data, is_nameless;
    struct bp_sym a, b;
};

/* Row of a symbol, which is not 0. */
static inline const struct bp_symbol *bp_symbol_row(const struct bp_symbols *symbols,
                                                    uint32_t symbol)
{
    return &symbols->rows[symbol - 1];
}

/* The exact integer or symbol that is equal to the sum; and the reverse. */
bp_rc bp_symbols_of_poly(struct bp_symbols *symbols, const struct bp_poly *poly, struct bp_sym *out,
                         bp_err *err) BP_CHECKED;
void bp_symbols_to_poly(const struct bp_symbols *symbols, struct bp_sym sym, struct bp_poly *out);
/* The symbol for a op b that is not a sum; nothing is simplified. */
bp_rc bp_symbols_of_pair(struct bp_symbols *symbols, struct bp_sym a, char op, struct bp_sym b,
                         struct bp_sym *out, bp_err *err) BP_CHECKED;

enum { BP_SYMBOL_NAME = 100 };

/* Writes an expression as people would; false when that is longer than BP_SYMBOL_NAME. */
bool bp_symbol_text(const struct bp_symbols *symbols, const struct bp_symbol *row,
                    char out[BP_SYMBOL_NAME + 1]);

#endif
