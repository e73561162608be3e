/* SPDX-License-Identifier: MIT */
/* pick.c - chooses faces among the many boxes that a network proposes. */
#include "pick.h"

#include <stdint.h>
#include <stdlib.h>

#include "../common/example.h"

/* Boxes that share more of their area than this (intersection over union) are on the same face. */
static const float most_overlap = 0.3f;
/* More good boxes than this are no longer faces; it bounds the work on a strange model. */
static const size_t most_candidates = 2000;

static float larger(float a, float b)
{
    return a > b ? a : b;
}

static float smaller(float a, float b)
{
    return a < b ? a : b;
}

/* Clamps to the image; NaN becomes 0. */
static float clamp(float value)
{
    return smaller(larger(value, 0), 1);
}

static float area(const struct face *face)
{
    return (face->right - face->left) * (face->bottom - face->top);
}

static float overlap(const struct face *a, const struct face *b)
{
    struct face both = {.left = larger(a->left, b->left),
                        .top = larger(a->top, b->top),
                        .right = smaller(a->right, b->right),
                        .bottom = smaller(a->bottom, b->bottom)};
    float shared;

    if (both.left >= both.right || both.top >= both.bottom)
        return 0;
    shared = area(&both);
    return shared / (area(a) + area(b) - shared);
}

static int compare_faces(const void *a, const void *b)
{
    float x = ((const struct face *)a)->score;
    float y = ((const struct face *)b)->score;

    return (x < y) - (x > y);
}

/* Keeps the best of each heap of boxes; the list is sorted, and stays so. */
static void suppress(struct faces *faces)
{
    size_t kept = 0;

    for (size_t i = 0; i < faces->count; i++) {
        bool is_new = true;

        for (size_t j = 0; is_new && j < kept; j++)
            is_new = overlap(&faces->list[i], &faces->list[j]) <= most_overlap;
        if (is_new)
            faces->list[kept++] = faces->list[i];
    }
    faces->count = kept;
}

bool faces_pick(const float *scores, const float *boxes, size_t n, float threshold,
                struct faces *out)
{
    struct faces faces = {0};

    *out = faces;
    if (n > 0 && n <= SIZE_MAX / sizeof *faces.list)
        faces.list = malloc(n * sizeof *faces.list);
    if (n > 0 && !faces.list)
        return example_fail("no memory for %zu boxes", n);

    for (size_t i = 0; i < n; i++, boxes += 4, scores += 2) {
        struct face face = {.left = clamp(boxes[0]),
                            .top = clamp(boxes[1]),
                            .right = clamp(boxes[2]),
                            .bottom = clamp(boxes[3]),
                            .score = scores[1]};

        if (face.score >= threshold && face.left < face.right && face.top < face.bottom)
            faces.list[faces.count++] = face;
    }
    if (faces.count > 0)
        qsort(faces.list, faces.count, sizeof *faces.list, compare_faces);
    if (faces.count > most_candidates)
        faces.count = most_candidates;
    suppress(&faces);
    *out = faces;
    return true;
}

void faces_finish(struct faces *faces)
{
    free(faces->list);
    *faces = (struct faces){0};
}
