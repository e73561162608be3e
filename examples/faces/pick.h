/* SPDX-License-Identifier: MIT */
/* pick.h - chooses faces among the many boxes that a network proposes. */
#ifndef EXAMPLES_PICK_H
#define EXAMPLES_PICK_H

#include <stdbool.h>
#include <stddef.h>

/* Corners as parts of the image's width and height, 0..1. */
struct face {
    float left, top, right, bottom;
    float score;
};

struct faces {
    struct face *list; /* best first */
    size_t count;
};

/*
 * Of n boxes (4 floats each: left, top, right, bottom) keeps those whose score (2 floats each:
 * background, face) reaches the threshold, and of boxes on the same face the best.
 * *out is the caller's, to faces_finish(). False, after a complaint, without memory.
 */
bool faces_pick(const float *scores, const float *boxes, size_t n, float threshold,
                struct faces *out);
void faces_finish(struct faces *faces); /* a zeroed one is fine */

#endif
