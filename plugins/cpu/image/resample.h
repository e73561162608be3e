/* SPDX-License-Identifier: MIT */
/*
 * resample.h - The engine of Resize with weights: one axis after another, the innermost first, in
 * bands of the outermost axis, so that intermediate values stay in the cache.
 */
#ifndef BP_CPU_IMAGE_RESAMPLE_H
#define BP_CPU_IMAGE_RESAMPLE_H

#include <common/resize_axis.h>

/* Weighted sums along one axis: [outer][in][inner] becomes [outer][out][inner]. */
struct bp_cpu_resample {
    const int64_t *index; /* [taps][out] */
    const void *weight;   /* [taps][out], in the type of the elements */
    int64_t outer, in, out, inner;
    int64_t first, end; /* of out: what is computed */
    int64_t skipped;    /* of in: elements before the start of the source */
    uint32_t taps;
};

/*
 * Runs one pass on the calling thread, on floats or doubles. Source and destination do not overlap.
 */
void bp_cpu_resample(const struct bp_cpu_resample *pass, bool is_double, const void *from,
                     void *to);

#endif
