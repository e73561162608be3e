/* SPDX-License-Identifier: MIT */
/* poly.c - arithmetic on sums of products of symbols. */

#include "config.h"

#include "graph/symbol/poly.h"

#include <string.h>

/*
 * Below zero: x comes first. By degree, then by symbols, smallest number first: a monomial order,
 * so it stays the same when both sides are multiplied by a term.
 */
static int order(const struct bp_term *x, const struct bp_term *y)
{
    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    for (uint32_t i = 0; i < x->n; i++) {
        if (x->ids[i] != y->ids[i])
            return x->ids[i] < y->ids[i] ? -1 : 1;
    }
    return 0;
}

/*
 * Adds a term that comes after all others in the order. False: there are BP_POLY_TERMS already,
 * or its sign overflows.
 */
static bool append(struct bp_poly *poly, const struct bp_term *term, int64_t sign)
{
    if (poly->n == BP_POLY_TERMS)
        return false;
    poly->terms[poly->n] = *term;
    if (__builtin_mul_overflow(term->coef, sign, &poly->terms[poly->n].coef))
        return false;
    poly->n++;
    return true;
}

void bp_poly_constant(int64_t value, struct bp_poly *out)
{
    memset(out, 0, sizeof *out);
    if (value != 0)
        out->terms[out->n++].coef = value;
}

void bp_poly_symbol(uint32_t id, struct bp_poly *out)
{
    bp_poly_constant(1, out);
    out->terms[0].n = 1;
    out->terms[0].ids[0] = id;
}

bool bp_poly_is_constant(const struct bp_poly *a, int64_t *out)
{
    *out = a->n ? a->terms[0].coef : 0;
    return a->n == 0 || a->terms[0].n == 0;
}

bool bp_poly_add(const struct bp_poly *a, const struct bp_poly *b, int64_t sign,
                 struct bp_poly *out)
{
    uint32_t i = 0, j = 0;
    bool ok = true;

    out->n = 0;
    while (ok && (i < a->n || j < b->n)) {
        int side = i == a->n ? 1 : j == b->n ? -1 : order(&a->terms[i], &b->terms[j]);

        if (side < 0) {
            ok = append(out, &a->terms[i++], 1);
        } else if (side > 0) {
            ok = append(out, &b->terms[j++], sign);
        } else {
            struct bp_term sum = a->terms[i++];
            int64_t other;

            ok = !__builtin_mul_overflow(b->terms[j++].coef, sign, &other) &&
                 !__builtin_add_overflow(sum.coef, other, &sum.coef) &&
                 (sum.coef == 0 || append(out, &sum, 1));
        }
    }
    return ok;
}

bool bp_poly_negate(struct bp_poly *a)
{
    for (uint32_t i = 0; i < a->n; i++) {
        if (__builtin_mul_overflow(a->terms[i].coef, -1, &a->terms[i].coef))
            return false;
    }
    return true;
}

/*
 * The product of two terms: coefficients multiplied, factors merged in order. False: too large,
 * or too many factors.
 */
static bool mul_terms(const struct bp_term *x, const struct bp_term *y, struct bp_term *out)
{
    uint32_t i = 0, j = 0;

    if (x->n + y->n > BP_POLY_FACTORS || __builtin_mul_overflow(x->coef, y->coef, &out->coef))
        return false;
    out->n = x->n + y->n;
    for (uint32_t k = 0; k < out->n; k++) {
        bool from_x = j == y->n || (i < x->n && x->ids[i] <= y->ids[j]);

        out->ids[k] = from_x ? x->ids[i++] : y->ids[j++];
    }
    return true;
}

/* A whole sum times one term. The order of terms stays, as it is a monomial order. */
static bool mul_term(const struct bp_poly *a, const struct bp_term *term, struct bp_poly *out)
{
    out->n = a->n; /* the order stays, see order() */
    for (uint32_t i = 0; i < a->n; i++) {
        if (!mul_terms(&a->terms[i], term, &out->terms[i]))
            return false;
    }
    return true;
}

/* Term by term, adding up; both sides are small, so no cleverer algorithm pays. */
bool bp_poly_mul(const struct bp_poly *a, const struct bp_poly *b, struct bp_poly *out)
{
    struct bp_poly row, sum;

    out->n = 0;
    for (uint32_t i = 0; i < a->n; i++) {
        if (!mul_term(b, &a->terms[i], &row) || !bp_poly_add(out, &row, 1, &sum))
            return false;
        *out = sum;
    }
    return true;
}

/* out = x / y when that leaves nothing over. */
static bool divide_terms(const struct bp_term *x, const struct bp_term *y, struct bp_term *out)
{
    uint32_t j = 0;

    out->n = 0;
    if (y->coef == -1 ? x->coef == INT64_MIN : x->coef % y->coef != 0)
        return false;
    out->coef = x->coef / y->coef;
    for (uint32_t i = 0; i < x->n; i++) {
        if (j < y->n && x->ids[i] == y->ids[j])
            j++;
        else
            out->ids[out->n++] = x->ids[i];
    }
    return j == y->n;
}

/* Long division by leading terms, which works as the order of terms is a monomial order. */
bool bp_poly_divide(const struct bp_poly *a, const struct bp_poly *b, struct bp_poly *out)
{
    struct bp_poly rest = *a, row, less;

    out->n = 0;
    while (rest.n > 0) {
        struct bp_term *next = &out->terms[out->n];

        if (out->n == BP_POLY_TERMS || !divide_terms(&rest.terms[0], &b->terms[0], next) ||
            !mul_term(b, next, &row) || !bp_poly_add(&rest, &row, -1, &less))
            return false;
        out->n++;
        rest = less;
    }
    return true;
}

/* Without overflow for INT64_MIN. */
static uint64_t magnitude(int64_t x)
{
    return x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
}

/* The greatest common divisor of g and all coefficients. */
static uint64_t common_constant(const struct bp_poly *a, uint64_t g)
{
    for (uint32_t i = 0; i < a->n; i++) {
        uint64_t x = magnitude(a->terms[i].coef), rest;

        while (x != 0) {
            rest = g % x;
            g = x;
            x = rest;
        }
    }
    return g;
}

/* Is the symbol a factor of every term? */
static bool all_have(const struct bp_poly *a, uint32_t id)
{
    for (uint32_t i = 0; i < a->n; i++) {
        uint32_t j = 0;

        while (j < a->terms[i].n && a->terms[i].ids[j] != id)
            j++;
        if (j == a->terms[i].n)
            return false;
    }
    return true;
}

/* Divides all terms by the symbol, which is a factor of each. */
static void take_out(struct bp_poly *a, uint32_t id)
{
    for (uint32_t i = 0; i < a->n; i++) {
        struct bp_term *term = &a->terms[i];
        uint32_t j = 0;

        while (term->ids[j] != id)
            j++;
        term->n--;
        memmove(term->ids + j, term->ids + j + 1, (term->n - j) * sizeof term->ids[0]);
    }
}

void bp_poly_cancel(struct bp_poly *a, struct bp_poly *b)
{
    uint64_t g = common_constant(b, common_constant(a, 0));
    uint32_t i = 0;

    while (i < b->terms[0].n) {
        uint32_t id = b->terms[0].ids[i];

        if (all_have(a, id) && all_have(b, id)) {
            take_out(a, id);
            take_out(b, id); /* the next symbol is at i now */
        } else {
            i++;
        }
    }
    if (g > INT64_MAX)
        return;
    for (i = 0; i < a->n; i++)
        a->terms[i].coef /= (int64_t)g;
    for (i = 0; i < b->n; i++)
        b->terms[i].coef /= (int64_t)g;
}

bool bp_poly_split(struct bp_poly *a, int64_t k, struct bp_poly *out)
{
    uint32_t kept = 0;

    out->n = 0;
    for (uint32_t i = 0; i < a->n; i++) {
        struct bp_term term = a->terms[i];
        int64_t whole = term.coef / k, rest = term.coef % k;

        if (term.n > 0 && rest != 0) { /* 3*a over 2 is left as it is */
            whole = 0;
            rest = term.coef;
        } else if (rest > 0) {
            whole++;
            rest -= k;
        }
        term.coef = whole;
        if (whole != 0 && !append(out, &term, 1))
            return false;
        term.coef = rest;
        if (rest != 0)
            a->terms[kept++] = term;
    }
    a->n = kept;
    return true;
}
