/* SPDX-License-Identifier: MIT */
/* window.h - the attributes that convolutions and pools share, and the sizes that follow. */
#ifndef BP_GRAPH_RULES_WINDOW_H
#define BP_GRAPH_RULES_WINDOW_H

#include "graph/rules/common.h"

enum bp_auto_pad { BP_PAD_GIVEN, BP_PAD_SAME, BP_PAD_VALID };

/* Lists are NULL where the attribute is absent; all have n entries (pads two each). */
struct bp_window {
    uint32_t n; /* spatial dimensions */
    enum bp_auto_pad auto_pad;
    const int64_t *kernel, *strides, *dilations, *pads;
};

/* Reads and checks the attributes for n spatial dimensions; BP_E_INVALID names the wrong one. */
bp_rc bp_window_read(struct bp_infer *infer, uint32_t n, struct bp_window *out) BP_CHECKED;
int64_t bp_window_stride(const struct bp_window *window, uint32_t i);
/* Size of a kernel of k taps with its gaps. BP_E_INVALID when that does not fit in 64 bits. */
bp_rc bp_window_span(struct bp_infer *infer, const struct bp_window *window, uint32_t i, int64_t k,
                     int64_t *out) BP_CHECKED;
/* Padding at the beginning and end of dimension i, none under VALID. BP_E_INVALID: overflow. */
bp_rc bp_window_padding(struct bp_infer *infer, const struct bp_window *window, uint32_t i,
                        int64_t *begin, int64_t *total) BP_CHECKED;
/*
 * How often a kernel of k taps fits in `size` of spatial dimension i. up: ceil_mode of pools, with
 * which a kernel may be larger than the padded input by up to a stride. BP_E_SHAPE: it does not fit.
 */
bp_rc bp_window_slide(struct bp_infer *infer, const struct bp_window *window, uint32_t i,
                      struct bp_sym size, int64_t k, bool up, struct bp_sym *out) BP_CHECKED;

#endif
