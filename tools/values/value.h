/* SPDX-License-Identifier: MIT */
/* value.h - elements of tensors: as double and as text, their statistics, random values. */
#ifndef BP_TOOLS_VALUE_H
#define BP_TOOLS_VALUE_H

#include <stdbool.h>

#include <backplane.h>

#include "lib/text.h"

/*
 * Elements as they are counted here: a complex number is two. A tensor of the library is never too
 * large for size_t.
 */
size_t value_count(const bp_tensor *tensor);
/* Can value_number read the type? All but strings and what is not a type. */
bool value_is_number(uint32_t dtype);
/* Is it an integer or a bool, to be compared exactly? */
bool value_is_exact(uint32_t dtype);

/* Element i as a double; integers beyond 2^53 are rounded. Strings: 0. */
double value_number(const bp_tensor *tensor, size_t i);
/* Element i of an exact type: its bits, sign-extended to 64. */
uint64_t value_bits(const bp_tensor *tensor, size_t i);
/* Element i as text: "0.5", "-3", "true", "\"word\"". */
void value_text(struct bp_text *text, const bp_tensor *tensor, size_t i);

struct value_stats {
    double min, max, mean; /* of the elements that are not NaN */
    size_t count, nans, infinities;
};

/* All zero for an empty tensor and for strings. */
void value_get_stats(const bp_tensor *tensor, struct value_stats *out);

/*
 * Fills a tensor: floating-point types with values in [0, 1), integers and bools with 0 or 1,
 * so that they also serve as indices. *state is the generator's; the caller sets the seed.
 * BP_E_UNSUPPORTED: a type with fewer than 16 bits that is not an integer, or strings.
 */
bp_rc value_fill_random(bp_tensor *tensor, uint64_t *state, bp_err *err) BP_CHECKED;

#endif
