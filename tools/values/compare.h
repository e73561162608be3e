/* SPDX-License-Identifier: MIT */
/* compare.h - is a result what was expected? */
#ifndef BP_TOOLS_COMPARE_H
#define BP_TOOLS_COMPARE_H

#include <stdbool.h>

#include <backplane.h>

#include "lib/text.h"

struct tolerance {
    double relative, absolute;
};

struct comparison {
    bool is_comparable;       /* same type and shape; if not, the rest is 0 */
    size_t count, mismatches; /* elements; a complex number is two */
    size_t worst;             /* the element farthest outside its tolerance */
};

/*
 * Compares element by element. Floating point: |got - want| <= absolute + relative * |want|,
 * infinities are equal to themselves only, NaN equals NaN. Integers, bools and strings: exactly.
 * uint16 expected serves for a bfloat16 result, for .npy files have no such type.
 */
void compare_tensors(const bp_tensor *got, const bp_tensor *want, struct tolerance tolerance,
                     struct comparison *out);
bool compare_is_same(const struct comparison *result);

/* In words what differs: "3 of 120 elements differ, worst at [0, 2]: got 1.5, expected 1.25". */
void compare_words(struct bp_text *text, const bp_tensor *got, const bp_tensor *want,
                   const struct comparison *result);

#endif
