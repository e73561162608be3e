/* SPDX-License-Identifier: MIT */
/* data.h - the handwritten digits that training left out, and their labels. */
#ifndef EXAMPLES_DATA_H
#define EXAMPLES_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DIGIT_SIDE = 8, DIGIT_PIXELS = DIGIT_SIDE * DIGIT_SIDE, DIGIT_CLASSES = 10 };

struct digits {
    size_t count;    /* above zero */
    float *pixels;   /* DIGIT_PIXELS a digit, 0..1 */
    uint8_t *labels; /* below DIGIT_CLASSES */
};

/* Reads digits_test.npy and digits_labels.npy of `dir`. False, after a complaint, on failure. */
bool digits_read(const char *dir, struct digits *out);
void digits_finish(struct digits *digits); /* a zeroed one is fine */

#endif
