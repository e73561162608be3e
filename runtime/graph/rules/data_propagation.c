/* SPDX-License-Identifier: MIT */
/* data_propagation.c - arithmetic on the elements of small integer tensors, as shapes are computed with. */

#include "config.h"

#include "graph/rules/common.h"
#include "graph/symbol/table.h"

/* ---- signs ----------------------------------------------------------------------------------- */

enum { MAX_NESTING = 8 }; /* of operators that are looked into; more, and nothing is said */

static bool lower_bound(const struct bp_symbols *symbols, struct bp_sym sym, int nesting,
                        int64_t *out);

/*
 * A sum is bounded below by its terms; a term with a negative coefficient and a symbol has no
 * bound, as symbols have no upper one.
 */
static bool sum_bound(const struct bp_symbols *symbols, const struct bp_symbol *row, int nesting,
                      int64_t *out)
{
    *out = 0;
    for (uint32_t i = 0; i < row->n; i++) {
        const struct bp_term *term = &row->terms[i];
        int64_t least = term->coef;

        if (term->coef < 0 && term->n > 0)
            return false;
        for (uint32_t j = 0; j < term->n; j++) {
            struct bp_sym factor = {0, term->ids[j]};
            int64_t bound;

            if (!lower_bound(symbols, factor, nesting, &bound) ||
                (bound < 0 && (term->n > 1 || least != 1)) ||
                __builtin_mul_overflow(least, bound, &least))
                return false;
        }
        if (__builtin_add_overflow(*out, least, out))
            return false;
    }
    return true;
}

/* A lower bound of sym. Names are sizes; the rest follows from how it was calculated. */
static bool lower_bound(const struct bp_symbols *symbols, struct bp_sym sym, int nesting,
                        int64_t *out)
{
    const struct bp_symbol *row;
    int64_t a, b;

    *out = sym.value;
    if (bp_sym_known(sym))
        return true;
    *out = 0;
    row = bp_symbol_row(symbols, sym.symbol);
    if (row->op == 0)
        return true;
    if (nesting == 0)
        return false;
    if (row->op == '+')
        return sum_bound(symbols, row, nesting - 1, out);
    if (!lower_bound(symbols, row->b, nesting - 1, &b) || b < 0)
        return false;
    if (row->op == '%')
        return true;
    if (!lower_bound(symbols, row->a, nesting - 1, &a))
        return false;
    if (row->op == '/' && bp_sym_known(row->b) && a < 0)
        *out = -((-(a + 1)) / b) - 1; /* rounded down */
    return a >= 0 || (row->op == '/' && bp_sym_known(row->b));
}

bool bp_rule_is_size(const struct bp_infer *infer, struct bp_sym sym)
{
    int64_t bound;

    return lower_bound(infer->symbols, sym, MAX_NESTING, &bound) && bound >= 0;
}

/* ---- elements -------------------------------------------------------------------------------- */

/* What does not fit in 64 bits is left to the run, where the operator wraps; nothing fails here. */
static bp_rc symbolic(struct bp_infer *infer, struct bp_sym a, char op, struct bp_sym b,
                      struct bp_sym *out, bool *known)
{
    uint32_t before = infer->symbols->count;
    bp_rc rc = bp_symbols_calc(infer->symbols, a, op, b, out, NULL);

    *known = rc >= 0;
    /* too long for an expression: it got a name of its own, and would pass for a size */
    if (rc >= 0 && out->symbol > before && bp_symbol_row(infer->symbols, out->symbol)->op == 0)
        *known = false;
    return rc == BP_E_NOMEM ? bp_fail_nomem(infer->err, "a symbol") : BP_OK;
}

static bool both_known(struct bp_sym a, struct bp_sym b)
{
    return bp_sym_known(a) && bp_sym_known(b);
}

bp_rc bp_pair_add(struct bp_infer *infer, struct bp_sym a, struct bp_sym b, struct bp_sym *out,
                  bool *known)
{
    if (!both_known(a, b))
        return symbolic(infer, a, '+', b, out, known);
    *out = bp_sym_of(0);
    *known = !__builtin_add_overflow(a.value, b.value, &out->value);
    return BP_OK;
}

bp_rc bp_pair_sub(struct bp_infer *infer, struct bp_sym a, struct bp_sym b, struct bp_sym *out,
                  bool *known)
{
    if (!both_known(a, b))
        return symbolic(infer, a, '-', b, out, known);
    *out = bp_sym_of(0);
    *known = !__builtin_sub_overflow(a.value, b.value, &out->value);
    return BP_OK;
}

bp_rc bp_pair_mul(struct bp_infer *infer, struct bp_sym a, struct bp_sym b, struct bp_sym *out,
                  bool *known)
{
    if (!both_known(a, b))
        return symbolic(infer, a, '*', b, out, known);
    *out = bp_sym_of(0);
    *known = !__builtin_mul_overflow(a.value, b.value, &out->value);
    return BP_OK;
}

/* Rounds towards zero; the symbols' '/' rounds down, which is the same only from 0 on. */
bp_rc bp_pair_div(struct bp_infer *infer, struct bp_sym a, struct bp_sym b, struct bp_sym *out,
                  bool *known)
{
    *known = false;
    if (bp_sym_known(b) && b.value == 0)
        return BP_OK;
    if (both_known(a, b)) {
        if (a.value == INT64_MIN && b.value == -1)
            return BP_OK;
        *out = bp_sym_of(a.value / b.value);
        *known = true;
        return BP_OK;
    }
    if (!bp_rule_is_size(infer, a) || !bp_rule_is_size(infer, b))
        return BP_OK;
    return symbolic(infer, a, '/', b, out, known);
}

/* The sign of the divisor, as Mod has it without fmod. */
bp_rc bp_pair_mod(struct bp_infer *infer, struct bp_sym a, struct bp_sym b, struct bp_sym *out,
                  bool *known)
{
    *known = false;
    if (bp_sym_known(b) && b.value == 0)
        return BP_OK;
    if (both_known(a, b)) {
        int64_t rest = b.value == -1 ? 0 : a.value % b.value;

        if (rest != 0 && (rest < 0) != (b.value < 0))
            rest += b.value;
        *out = bp_sym_of(rest);
        *known = true;
        return BP_OK;
    }
    if (!bp_rule_is_size(infer, a) || !bp_rule_is_size(infer, b))
        return BP_OK;
    return symbolic(infer, a, '%', b, out, known);
}

bp_rc bp_pair_min(struct bp_infer *infer, struct bp_sym a, struct bp_sym b, struct bp_sym *out,
                  bool *known)
{
    (void)infer;
    *known = both_known(a, b) || bp_sym_equal(a, b);
    *out = a.value < b.value ? a : b;
    return BP_OK;
}

bp_rc bp_pair_max(struct bp_infer *infer, struct bp_sym a, struct bp_sym b, struct bp_sym *out,
                  bool *known)
{
    (void)infer;
    *known = both_known(a, b) || bp_sym_equal(a, b);
    *out = a.value > b.value ? a : b;
    return BP_OK;
}

bool bp_dtype_holds(uint32_t dtype, int64_t value)
{
    switch (dtype) {
    case BP_DTYPE_BOOL:
        return value == 0 || value == 1;
    case BP_DTYPE_I8:
        return value >= INT8_MIN && value <= INT8_MAX;
    case BP_DTYPE_I16:
        return value >= INT16_MIN && value <= INT16_MAX;
    case BP_DTYPE_I32:
        return value >= INT32_MIN && value <= INT32_MAX;
    case BP_DTYPE_I64:
        return true;
    case BP_DTYPE_U8:
        return value >= 0 && value <= UINT8_MAX;
    case BP_DTYPE_U16:
        return value >= 0 && value <= UINT16_MAX;
    case BP_DTYPE_U32:
        return value >= 0 && value <= UINT32_MAX;
    case BP_DTYPE_U64:
        return value >= 0;
    default:
        return false;
    }
}

bool bp_content_count(const struct bp_fact *fact, uint32_t *out)
{
    uint32_t n = 1;

    if (!bp_rule_ranked(fact))
        return false;
    for (uint32_t i = 0; i < fact->rank; i++) {
        if (!bp_sym_known(fact->dims[i]) || fact->dims[i].value > BP_MAX_CONTENT)
            return false;
        n *= (uint32_t)fact->dims[i].value;
        if (n > BP_MAX_CONTENT)
            return false;
    }
    *out = n;
    return true;
}

bool bp_content_is_whole(const struct bp_fact *fact)
{
    uint32_t n;

    return fact && fact->content && bp_content_count(fact, &n) && n == fact->n_content;
}

/*
 * Row-major indices, taken apart from the last dimension on; a dimension of size 1 is read again
 * and again.
 */
uint32_t bp_content_source(const struct bp_fact *out, const struct bp_fact *in, uint32_t i)
{
    uint32_t index = 0;
    uint32_t step = 1;

    for (uint32_t d = 0; d < in->rank; d++) {
        uint32_t out_size = (uint32_t)out->dims[out->rank - 1 - d].value;
        uint32_t in_size = (uint32_t)in->dims[in->rank - 1 - d].value;

        if (in_size != 1)
            index += i % out_size * step;
        step *= in_size;
        i /= out_size;
    }
    return index;
}

/* Elements have to fit in their type: where they do not, the run wraps around and we do not. */
static bool holds(uint32_t dtype, struct bp_sym sym)
{
    if (bp_sym_known(sym))
        return bp_dtype_holds(dtype, sym.value);
    return dtype == BP_DTYPE_I64 || dtype == BP_DTYPE_I32 || dtype == BP_DTYPE_U64 ||
           dtype == BP_DTYPE_U32;
}

bp_rc bp_content_zip(struct bp_infer *infer, bp_pair_fn fn, const struct bp_fact *a,
                     const struct bp_fact *b, const struct bp_fact *out, uint32_t dtype,
                     const struct bp_sym **v, uint32_t *n)
{
    struct bp_sym *result;
    uint32_t count;

    *v = NULL;
    *n = 0;
    if (!bp_content_is_whole(a) || !bp_content_is_whole(b) || !bp_content_count(out, &count))
        return BP_OK;
    result = bp_region_array(infer->region, count, sizeof *result);
    if (!result)
        return bp_fail_nomem(infer->err, "a content");

    for (uint32_t i = 0; i < count; i++) {
        struct bp_sym x = a->content[bp_content_source(out, a, i)];
        struct bp_sym y = b->content[bp_content_source(out, b, i)];
        bool known = false;
        bp_rc rc;

        if (!holds(a->dtype, x) || !holds(b->dtype, y))
            return BP_OK; /* a uint64 beyond 63 bits */
        rc = fn(infer, x, y, &result[i], &known);
        if (rc < 0)
            return rc;
        if (!known || !holds(dtype, result[i]))
            return BP_OK;
    }
    *v = result;
    *n = count;
    return BP_OK;
}

/*
 * From the first element on; of no elements nothing is said, as the neutral element depends on
 * the operator.
 */
bp_rc bp_content_fold(struct bp_infer *infer, bp_pair_fn fn, const struct bp_sym *v, uint32_t n,
                      uint32_t dtype, struct bp_sym *out, bool *known)
{
    *known = n > 0;
    if (n > 0)
        *out = v[0];
    for (uint32_t i = 1; i < n && *known; i++) {
        bp_rc rc = fn(infer, *out, v[i], out, known);

        if (rc < 0)
            return rc;
    }
    *known = *known && holds(dtype, *out);
    return BP_OK;
}
