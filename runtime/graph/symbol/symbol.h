/* SPDX-License-Identifier: MIT */
/* symbol.h - integers that may still be names: "batch", "batch*4", "rows of NonZero". */
#ifndef BP_GRAPH_SYMBOL_SYMBOL_H
#define BP_GRAPH_SYMBOL_SYMBOL_H

#include "base/region.h"
#include "base/status.h"
#include "base/strmap.h"
#include "graph/symbol/fixed.h"

/* A size, or an element of a small integer tensor. */
struct bp_sym {
    int64_t value;   /* exact when symbol is 0, else without meaning */
    uint32_t symbol; /* equal ids are equal values; 0: none */
};

/* The names in use. Start from {0}; not safe for several threads. */
struct bp_symbols {
    struct bp_strmap by_name; /* names, and keys of expressions */
    struct bp_symbol *rows;   /* row i is symbol i + 1 */
    uint32_t count, cap;
    uint32_t fresh; /* numbers the nameless ones */
    struct bp_region text;
    const struct bp_fixed_list
        *fixed;     /* while a model is decoded: dimensions with a size; or NULL */
    bool *is_fixed; /* one a row of it: a dimension has got that size */
};

static inline struct bp_sym bp_sym_of(int64_t value)
{
    struct bp_sym sym = {value, 0};

    return sym;
}

static inline bool bp_sym_known(struct bp_sym sym)
{
    return sym.symbol == 0;
}

static inline bool bp_sym_equal(struct bp_sym a, struct bp_sym b)
{
    return a.symbol == b.symbol && (a.symbol != 0 || a.value == b.value);
}

/*
 * Starts an empty table with the symbols of another, so that they mean the same in both; new ones
 * are its own. `from` must outlive it and stay as it is.
 */
bp_rc bp_symbols_inherit(struct bp_symbols *symbols, const struct bp_symbols *from,
                         bp_err *err) BP_CHECKED;
/*
 * Makes a table again what bp_symbols_inherit() of the same `from` made it: symbols added since are
 * gone. Nothing is allocated where none were added.
 */
bp_rc bp_symbols_restart(struct bp_symbols *symbols, const struct bp_symbols *from,
                         bp_err *err) BP_CHECKED;
/* The symbol of that name, new if need be. "" and "?" are not names: each such is a fresh symbol. */
bp_rc bp_symbols_named(struct bp_symbols *symbols, const char *name, struct bp_sym *out,
                       bp_err *err) BP_CHECKED;
/* A symbol like no other. from_data: known only once a node has run, not from the inputs' shapes. */
bp_rc bp_symbols_fresh(struct bp_symbols *symbols, bool from_data, struct bp_sym *out,
                       bp_err *err) BP_CHECKED;
/*
 * a op b for op in + - * / (floor) % (of the sign of b), ^ (ceiling division) and | (the one of
 * both that is not 1, which is how two sizes broadcast). Numbers are computed (BP_E_INVALID when
 * they overflow, b is 0, or | finds no answer), symbols give a symbol that is named after the
 * expression, so that equal expressions are equal; it comes from data when a part does.
 */
bp_rc bp_symbols_calc(struct bp_symbols *symbols, struct bp_sym a, char op, struct bp_sym b,
                      struct bp_sym *out, bp_err *err) BP_CHECKED;
/* Has its name no meaning to people, as that of a fresh symbol and of what is made of one? */
bool bp_symbols_is_nameless(const struct bp_symbols *symbols, struct bp_sym sym);
bool bp_symbols_from_data(const struct bp_symbols *symbols, struct bp_sym sym);
/* The name, "" for an exact value; borrowed until finish. */
const char *bp_symbols_name(const struct bp_symbols *symbols, struct bp_sym sym);
void bp_symbols_finish(struct bp_symbols *symbols);

#endif
