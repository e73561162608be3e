/* SPDX-License-Identifier: MIT */
/* poly.h - sums of products of symbols, in a normal form: equal ones look equal. */
#ifndef BP_GRAPH_SYMBOL_POLY_H
#define BP_GRAPH_SYMBOL_POLY_H

#include <stdbool.h>
#include <stdint.h>

enum {
    BP_POLY_TERMS = 8, /* more, and the caller makes do with a fresh symbol */
    BP_POLY_FACTORS = 6
};

/* coef times the symbols; a constant has no symbols. */
struct bp_term {
    int64_t coef; /* never 0 */
    uint32_t n;
    uint32_t ids[BP_POLY_FACTORS]; /* ascending; a square has its symbol twice */
};

/* More factors first, then by symbols; no two terms have the same symbols. The constant comes last. */
struct bp_poly {
    uint32_t n; /* 0: the constant 0 */
    struct bp_term terms[BP_POLY_TERMS];
};

void bp_poly_constant(int64_t value, struct bp_poly *out);
void bp_poly_symbol(uint32_t id, struct bp_poly *out);
/* Is it a constant, and which? */
bool bp_poly_is_constant(const struct bp_poly *a, int64_t *out);

/* These are false when the result overflows or has too many parts. out is another than a and b. */

/* a + b * sign, sign is 1 or -1 */
bool bp_poly_add(const struct bp_poly *a, const struct bp_poly *b, int64_t sign,
                 struct bp_poly *out);
bool bp_poly_mul(const struct bp_poly *a, const struct bp_poly *b, struct bp_poly *out);
/* The out with a == b * out; false also when there is none. b is not 0. */
bool bp_poly_divide(const struct bp_poly *a, const struct bp_poly *b, struct bp_poly *out);
bool bp_poly_negate(struct bp_poly *a);

/* Takes the factors that all terms of both share out of both; neither is 0. */
void bp_poly_cancel(struct bp_poly *a, struct bp_poly *b);
/*
 * For k > 0: out and what stays in a, such that the old a == out * k + a, and the number in a is
 * above -k and at most 0: h+1 over 2 is (h-1)/2+1, as people write it for a convolution.
 */
bool bp_poly_split(struct bp_poly *a, int64_t k, struct bp_poly *out);

#endif
