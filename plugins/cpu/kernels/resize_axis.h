/* SPDX-License-Identifier: MIT */
/* resize_axis.h - Resize along one axis: which elements make up each new one, with what weights. */
#ifndef BP_CPU_KERNELS_RESIZE_AXIS_H
#define BP_CPU_KERNELS_RESIZE_AXIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bp_cpu_coordinate {
    BP_CPU_HALF_PIXEL,
    BP_CPU_HALF_PIXEL_SYMMETRIC,
    BP_CPU_PYTORCH_HALF_PIXEL,
    BP_CPU_ALIGN_CORNERS,
    BP_CPU_ASYMMETRIC,
    BP_CPU_TF_HALF_PIXEL_FOR_NN,
    BP_CPU_TF_CROP_AND_RESIZE,
    BP_CPU_COORDINATES
};

enum bp_cpu_nearest {
    BP_CPU_ROUND_PREFER_FLOOR,
    BP_CPU_ROUND_PREFER_CEIL,
    BP_CPU_FLOOR,
    BP_CPU_CEIL,
    BP_CPU_NEARESTS
};

enum bp_cpu_interpolation { BP_CPU_NEAREST, BP_CPU_LINEAR, BP_CPU_CUBIC };

/* What the attributes say of every axis. */
struct bp_cpu_resize_rule {
    enum bp_cpu_interpolation mode;
    enum bp_cpu_coordinate coordinate;
    enum bp_cpu_nearest nearest;
    double cubic_a;
    bool antialias, exclude_outside;
    bool is_legacy; /* before version 11: asymmetric, in float32; up when it shrinks */
};

struct bp_cpu_resize_axis {
    int64_t in, out;
    double scale;
    double start, end; /* of the region of interest */
    bool is_identity;  /* each element becomes itself: there are no tables */
    uint32_t taps;     /* elements that make up one */
    int64_t *index;    /* [tap][out], within 0..in-1 */
    double *weight;    /* [tap][out]; none for BP_CPU_NEAREST */
    uint8_t *outside;  /* [out]: the extrapolation value belongs there; NULL: nowhere */
};

/* Sets is_identity and taps from in, out, scale and the region. */
void bp_cpu_resize_axis_measure(const struct bp_cpu_resize_rule *rule,
                                struct bp_cpu_resize_axis *axis);
/* Fills the tables, whose memory is there. in is not 0. */
void bp_cpu_resize_axis_fill(const struct bp_cpu_resize_rule *rule,
                             struct bp_cpu_resize_axis *axis);

#endif
