/* SPDX-License-Identifier: MIT */
/*
 * padded_strip.h - a strip of an image's channels with its padding, row after row, so that a
 * convolution reads its windows in place.
 *
 * The element for (channel, kernel position) of the window at flat position f is at f plus an
 * offset that does not depend on f. Flat positions between the end of one output row and the start
 * of the next give sums that are dropped.
 *
 * With a stride of s a window reads every s-th element, so the channel is separated into phases:
 * phase p of a dimension has elements p, p + s, p + 2s, ..., and within a phase the window moves by
 * 1.
 */
#ifndef BP_CPU_KERNELS_GEMM_PADDED_STRIP_H
#define BP_CPU_KERNELS_GEMM_PADDED_STRIP_H

#include "kernels/window.h"

struct bp_cpu_padded_strip {
    const struct bp_cpu_window *window;
    int64_t step[BP_CPU_SPATIAL];   /* strides of the window */
    int64_t phases[BP_CPU_SPATIAL]; /* phases of each dimension that taps can be in */
    int64_t n_phases;               /* of a channel: their product */
    int64_t row, plane;             /* elements of a padded row and plane of a phase */
    int64_t rows;                   /* of a plane */
    int64_t span;                   /* from the first tap of a window to its last */
    int64_t count;                  /* flat positions from the first output to after the last one */
};

/*
 * False: too many positions are between rows, or a window is too wide; *strip is undefined then. The
 * window must outlive the strip.
 */
bool bp_cpu_padded_strip_make(const struct bp_cpu_window *window,
                              struct bp_cpu_padded_strip *strip);

/* The output position at flat position f, or the next one after it. */
int64_t bp_cpu_padded_strip_position(const struct bp_cpu_padded_strip *strip, int64_t f);

/*
 * Writes flat positions f .. f + n of all phases of `channels` channels at src, elements of `size`
 * bytes (4 or 8).
 */
void bp_cpu_padded_strip_fill(const struct bp_cpu_padded_strip *strip, const void *src, size_t size,
                              int64_t channels, int64_t f, size_t n, void *dst);

/* at[p]: where the p-th tap of all channels is in a strip with n elements a phase. */
void bp_cpu_padded_strip_taps(const struct bp_cpu_padded_strip *strip, int64_t channels, size_t n,
                              size_t *at);

/*
 * Copies outputs from flat positions f .. f + n of `rows` rows, ld elements each, to dst, whose
 * rows begin at output position 0 and have dst_ld elements.
 */
void bp_cpu_padded_strip_keep(const struct bp_cpu_padded_strip *strip, size_t size, int64_t f,
                              size_t n, size_t rows, const void *src, size_t ld, void *dst,
                              size_t dst_ld);

#endif
