/* SPDX-License-Identifier: MIT */
/*
 * resample.h - the engine of Resize with weights: one axis after the other, the innermost first, in
 * bands of the outermost so that what lies between two axes stays in the cache.
 */
#ifndef BP_CPU_IMAGE_RESAMPLE_H
#define BP_CPU_IMAGE_RESAMPLE_H

#include <common/resize_axis.h>

/* Weighted sums along one axis. */
struct bp_cpu_resample {
    const int64_t *index; /* [taps][out] */
    const void *weight;   /* [taps][out], in the type of the elements */
    int64_t outer, in, out, inner;
    int64_t first, end; /* of out: what is made */
    int64_t skipped;    /* of in: what lies before the first byte that is there */
    uint32_t taps;
};

/* Of float, or of double. The source lies nowhere on the destination. */
void bp_cpu_resample(const struct bp_cpu_resample *pass, bool is_double, const void *from,
                     void *to);

#endif
