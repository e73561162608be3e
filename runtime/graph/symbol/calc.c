/* SPDX-License-Identifier: MIT */
/*
 * calc.c - arithmetic on exact integers and symbols. Sums and products have a normal form (poly.h),
 * the other operators make an indivisible symbol of what is left when all that can be taken out is
 * taken out.
 */

#include "config.h"

#include <inttypes.h>

#include "graph/symbol/table.h"

/* What the functions here return when a result has more parts than a sum may have. */
enum { TOO_LARGE = 1 };

/* ---- constants ------------------------------------------------------------------------------- */

/* Quotient rounded down, or up; b is not 0. False: overflow. */
static bool divide(int64_t a, int64_t b, bool up, int64_t *out)
{
    if (b == -1)
        return !__builtin_sub_overflow(0, a, out);
    *out = a / b;
    if (a % b != 0) {
        bool is_negative = (a < 0) != (b < 0);

        if (is_negative && !up)
            --*out;
        if (!is_negative && up)
            ++*out;
    }
    return true;
}

/* The remainder with the sign of b. */
static int64_t modulo(int64_t a, int64_t b)
{
    int64_t rest = b == -1 ? 0 : a % b;

    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/*
 * Both sides are exact: the result is, too, or an error for an overflow, a division by 0, or
 * sizes that do not broadcast.
 */
static bp_rc calc_constants(int64_t a, char op, int64_t b, int64_t *out, bp_err *err)
{
    bool ok = false;

    if (op == '+')
        ok = !__builtin_add_overflow(a, b, out);
    else if (op == '-')
        ok = !__builtin_sub_overflow(a, b, out);
    else if (op == '*')
        ok = !__builtin_mul_overflow(a, b, out);
    else if (op == '/' || op == '^')
        ok = divide(a, b, op == '^', out);
    if (ok)
        return BP_OK;
    if (op == '%') {
        *out = modulo(a, b);
        return BP_OK;
    }
    if (op == '|' && (a == b || a == 1 || b == 1)) {
        *out = a == 1 ? b : a;
        return BP_OK;
    }
    if (op == '|')
        return bp_fail(err, BP_E_INVALID, "sizes %" PRId64 " and %" PRId64 " do not broadcast", a,
                       b);
    return bp_fail(err, BP_E_INVALID, "%" PRId64 " %c %" PRId64 " does not fit in 64 bits", a,
                   op == '^' ? '/' : op, b);
}

/* ---- symbols --------------------------------------------------------------------------------- */

/*
 * Floors within floors are one: (x/2+c)/3 is (x+c*2)/6. When `rest` is such a quotient by a number,
 * plus a number, it becomes what the quotient divides, and *k the product. False: it is not.
 */
static bool open_quotient(const struct bp_symbols *symbols, struct bp_poly *rest, int64_t *k)
{
    const struct bp_term *lead = &rest->terms[0];
    const struct bp_symbol *row;
    struct bp_poly inner, added, opened;
    int64_t add = 0, product;

    if (rest->n == 0 || rest->n > 2 || lead->n != 1 || lead->coef != 1)
        return false;
    if (rest->n == 2 && rest->terms[1].n != 0)
        return false;
    row = bp_symbol_row(symbols, lead->ids[0]);
    if (row->op != '/' || !bp_sym_known(row->b))
        return false;
    if ((rest->n == 2 && __builtin_mul_overflow(rest->terms[1].coef, row->b.value, &add)) ||
        __builtin_mul_overflow(*k, row->b.value, &product))
        return false;
    bp_symbols_to_poly(symbols, row->a, &inner);
    bp_poly_constant(add, &added);
    if (!bp_poly_add(&inner, &added, 1, &opened))
        return false;
    *rest = opened;
    *k = product;
    return true;
}

/* a over k > 0, rounded down: the whole part, and what is left to be divided by the new k. */
static bool take_whole(const struct bp_symbols *symbols, struct bp_poly *a, int64_t *k,
                       struct bp_poly *whole)
{
    struct bp_poly part, sum, divisor;

    bp_poly_constant(0, whole);
    do {
        bp_poly_constant(*k, &divisor);
        if (a->n > 0)
            bp_poly_cancel(a, &divisor);
        *k = divisor.terms[0].coef;
        if (!bp_poly_split(a, *k, &part) || !bp_poly_add(whole, &part, 1, &sum))
            return false;
        *whole = sum;
    } while (open_quotient(symbols, a, k));
    return true;
}

static bp_rc divide_by_constant(struct bp_symbols *symbols, struct bp_poly *a, int64_t k,
                                struct bp_sym *out, bp_err *err)
{
    struct bp_poly whole, part, sum;
    struct bp_sym rest;
    bp_rc rc;

    if (!take_whole(symbols, a, &k, &whole))
        return TOO_LARGE;
    rc = bp_symbols_of_poly(symbols, a, &rest, err);
    if (rc < 0)
        return rc;
    if (bp_sym_known(rest)) {
        bp_poly_constant(rest.value < 0 ? -1 : 0, &part); /* above -k */
    } else {
        rc = bp_symbols_of_pair(symbols, rest, '/', bp_sym_of(k), &rest, err);
        if (rc < 0)
            return rc;
        bp_poly_symbol(rest.symbol, &part);
    }
    if (!bp_poly_add(&whole, &part, 1, &sum))
        return TOO_LARGE;
    return bp_symbols_of_poly(symbols, &sum, out, err);
}

/*
 * What has no normal form: a quotient, remainder or broadcast becomes a symbol named after its
 * two sides.
 */
static bp_rc pair(struct bp_symbols *symbols, const struct bp_poly *a, char op,
                  const struct bp_poly *b, struct bp_sym *out, bp_err *err)
{
    struct bp_sym left, right;
    bp_rc rc;

    rc = bp_symbols_of_poly(symbols, a, &left, err);
    if (rc == BP_OK)
        rc = bp_symbols_of_poly(symbols, b, &right, err);
    if (rc == BP_OK)
        rc = bp_symbols_of_pair(symbols, left, op, right, out, err);
    return rc;
}

/* a / b or a ^ b; b is not 0. */
static bp_rc divide_symbols(struct bp_symbols *symbols, struct bp_poly *a, char op,
                            struct bp_poly *b, struct bp_sym *out, bp_err *err)
{
    struct bp_poly exact, up;
    int64_t k;

    if (bp_poly_divide(a, b, &exact))
        return bp_symbols_of_poly(symbols, &exact, out, err);
    bp_poly_cancel(a, b);
    if (b->terms[0].coef < 0 && (!bp_poly_negate(a) || !bp_poly_negate(b)))
        return TOO_LARGE;
    if (!bp_poly_is_constant(b, &k))
        return pair(symbols, a, op, b, out, err);
    bp_poly_constant(op == '^' ? k - 1 : 0, &up);
    if (!bp_poly_add(a, &up, 1, &exact))
        return TOO_LARGE;
    return divide_by_constant(symbols, &exact, k, out, err);
}

/* a % b; b is not 0. */
static bp_rc rest_of_symbols(struct bp_symbols *symbols, struct bp_poly *a, struct bp_poly *b,
                             struct bp_sym *out, bp_err *err)
{
    struct bp_poly exact, less = {0};
    int64_t k;

    *out = bp_sym_of(0);
    if (bp_poly_divide(a, b, &exact))
        return BP_OK;
    if (!bp_poly_is_constant(b, &k))
        return pair(symbols, a, '%', b, out, err);
    for (uint32_t i = 0; i < a->n; i++) { /* what k divides adds nothing */
        struct bp_term term = a->terms[i];

        term.coef = modulo(term.coef, k);
        if (term.coef != 0)
            less.terms[less.n++] = term;
    }
    if (bp_poly_is_constant(&less, &out->value))
        return BP_OK;
    return pair(symbols, &less, '%', b, out, err);
}

/* Is sym a|b of which part is a side? Then part adds nothing to it. */
static bool is_wider(const struct bp_symbols *symbols, struct bp_sym sym, struct bp_sym part)
{
    const struct bp_symbol *row;

    if (bp_sym_known(sym))
        return false;
    row = bp_symbol_row(symbols, sym.symbol);
    return row->op == '|' && (bp_sym_equal(row->a, part) || bp_sym_equal(row->b, part));
}

/*
 * Two sizes that broadcast: where one is 1 the other one, where both are the same symbol that;
 * else a symbol for "the one that is not 1".
 */
static bp_rc broadcast_symbols(struct bp_symbols *symbols, struct bp_sym a, struct bp_sym b,
                               struct bp_sym *out, bp_err *err)
{
    bool from_a = bp_sym_known(a) ? a.value != 1 : bp_sym_known(b) && b.value == 1;

    if (bp_sym_known(a) || bp_sym_known(b))
        *out = from_a ? a : b;
    else if (bp_sym_equal(a, b) || is_wider(symbols, a, b))
        *out = a;
    else if (is_wider(symbols, b, a))
        *out = b;
    else if (a.symbol < b.symbol)
        return bp_symbols_of_pair(symbols, a, '|', b, out, err);
    else
        return bp_symbols_of_pair(symbols, b, '|', a, out, err);
    return BP_OK;
}

/*
 * At least one side is a symbol. Sums and products are computed in their normal form, quotients
 * after common factors are cancelled.
 */
static bp_rc calc_symbols(struct bp_symbols *symbols, struct bp_sym a, char op, struct bp_sym b,
                          struct bp_sym *out, bp_err *err)
{
    struct bp_poly left, right, result;
    bool fits = false;

    if (op == '|')
        return broadcast_symbols(symbols, a, b, out, err);
    bp_symbols_to_poly(symbols, a, &left);
    bp_symbols_to_poly(symbols, b, &right);
    if (op == '/' || op == '^')
        return divide_symbols(symbols, &left, op, &right, out, err);
    if (op == '%')
        return rest_of_symbols(symbols, &left, &right, out, err);
    if (op == '+' || op == '-')
        fits = bp_poly_add(&left, &right, op == '+' ? 1 : -1, &result);
    else if (op == '*')
        fits = bp_poly_mul(&left, &right, &result);
    return fits ? bp_symbols_of_poly(symbols, &result, out, err) : TOO_LARGE;
}

bp_rc bp_symbols_calc(struct bp_symbols *symbols, struct bp_sym a, char op, struct bp_sym b,
                      struct bp_sym *out, bp_err *err)
{
    int64_t constant = 0;
    bool from_data;
    bp_rc rc;

    if (op == '\0' || !strchr("+-*/%^|", op))
        return bp_fail(err, BP_E_INTERNAL, "no operator '%c' on sizes", op);
    if (bp_sym_known(b) && b.value == 0 && (op == '/' || op == '%' || op == '^'))
        return bp_fail(err, BP_E_INVALID, "division by 0");
    if (bp_sym_known(a) && bp_sym_known(b)) {
        rc = calc_constants(a.value, op, b.value, &constant, err);
        if (rc == BP_OK)
            *out = bp_sym_of(constant);
        return rc;
    }
    from_data = bp_symbols_from_data(symbols, a) || bp_symbols_from_data(symbols, b);
    rc = calc_symbols(symbols, a, op, b, out, err);
    if (rc == TOO_LARGE) /* nothing else will be known to be equal to it */
        rc = bp_symbols_fresh(symbols, from_data, out, err);
    return rc;
}
