/* SPDX-License-Identifier: MIT */
/*
 * resize_axis.h - Resize along one axis: which elements of the input make up each element of the
 * output, and with what weights.
 */
#ifndef BP_COMMON_RESIZE_AXIS_H
#define BP_COMMON_RESIZE_AXIS_H

#include <stdbool.h>

#include <bp/sdk.h>

/*
 * coordinate_transformation_mode of ONNX's Resize: where an element of the output lies in the
 * input.
 */
enum bp_resize_coordinate {
    BP_RESIZE_HALF_PIXEL,
    BP_RESIZE_HALF_PIXEL_SYMMETRIC,
    BP_RESIZE_PYTORCH_HALF_PIXEL,
    BP_RESIZE_ALIGN_CORNERS,
    BP_RESIZE_ASYMMETRIC,
    BP_RESIZE_TF_HALF_PIXEL_FOR_NN,
    BP_RESIZE_TF_CROP_AND_RESIZE,
    BP_RESIZE_COORDINATES
};

/* nearest_mode: which neighbour, with mode "nearest". */
enum bp_resize_nearest {
    BP_RESIZE_ROUND_PREFER_FLOOR,
    BP_RESIZE_ROUND_PREFER_CEIL,
    BP_RESIZE_FLOOR,
    BP_RESIZE_CEIL,
    BP_RESIZE_NEARESTS
};

/* mode: what is made of the neighbours. */
enum bp_resize_interpolation { BP_RESIZE_NEAREST, BP_RESIZE_LINEAR, BP_RESIZE_CUBIC };

/* What the attributes say of every axis. */
struct bp_resize_rule {
    enum bp_resize_interpolation mode;
    enum bp_resize_coordinate coordinate;
    enum bp_resize_nearest nearest;
    double cubic_a;
    bool antialias, exclude_outside;
    bool is_legacy; /* before version 11: asymmetric, in float32; up when it shrinks */
};

/*
 * One axis: sizes, scale and region are the caller's to set, taps and is_identity come from
 * bp_resize_axis_measure(), the tables' memory is the caller's and is filled by
 * bp_resize_axis_fill().
 */
struct bp_resize_axis {
    int64_t in, out;
    double scale;
    double start, end; /* of the region of interest */
    bool is_identity;  /* each element becomes itself: there are no tables */
    uint32_t taps;     /* elements that make up one */
    int64_t *index;    /* [tap][out], within 0..in-1 */
    double *weight;    /* [tap][out]; none for BP_RESIZE_NEAREST */
    uint8_t *outside;  /* [out]: the extrapolation value belongs there; NULL: nowhere */
};

/*
 * Reads the attributes of a Resize (10 to 19) or Upsample (1 to 10). Returns NULL, or the name of
 * an attribute whose value ONNX does not define. Any thread.
 */
const char *bp_resize_rule_read(const bp_graph *graph, const bp_node *node,
                                struct bp_resize_rule *out);
/*
 * Sets is_identity and taps from in, out, scale and the region: then the sizes of the tables are
 * known. Any thread.
 */
void bp_resize_axis_measure(const struct bp_resize_rule *rule, struct bp_resize_axis *axis);
/* Fills the tables, of taps * out elements, whose memory is there. `in` is not 0. Any thread. */
void bp_resize_axis_fill(const struct bp_resize_rule *rule, struct bp_resize_axis *axis);

#endif
