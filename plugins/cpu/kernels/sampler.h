/* SPDX-License-Identifier: MIT */
/*
 * sampler.h - reads a tensor between its elements: GridSample and DeformConv. Points are handled a
 * block at a time: first where each lies and what is added up for it, which is the same for all
 * channels, then the sums, channel by channel.
 */
#ifndef BP_CPU_KERNELS_SAMPLER_H
#define BP_CPU_KERNELS_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BP_CPU_POINTS = 128 /* of a block */ };

enum bp_cpu_sampling { BP_CPU_SAMPLE_NEAREST, BP_CPU_SAMPLE_LINEAR, BP_CPU_SAMPLE_CUBIC };
enum bp_cpu_padding { BP_CPU_PAD_ZEROS, BP_CPU_PAD_BORDER, BP_CPU_PAD_REFLECTION };

enum { BP_CPU_SAMPLER_RANK = 12 };

/* Fill all but the last three and call bp_cpu_sampler_make(). */
struct bp_cpu_sampler {
    enum bp_cpu_sampling mode;
    enum bp_cpu_padding padding;
    bool align_corners; /* reflection is at the middle of the first and last element */
    uint32_t n;         /* dimensions */
    int64_t dims[BP_CPU_SAMPLER_RANK];
    bool is_double; /* what sums are made of */
    uint32_t per_dim, taps;
    size_t bytes; /* of a worker's struct bp_cpu_points */
};

/* The block of a worker. An element that lies outside has weight 0 and index 0. */
struct bp_cpu_points {
    double *at;         /* [n][BP_CPU_POINTS]: coordinates, in elements; undefined after placing */
    int64_t *index;     /* [taps][BP_CPU_POINTS] */
    double *weight;     /* the same */
    void *own;          /* the same, in the type of the sums */
    int64_t *one_index; /* [per_dim][BP_CPU_POINTS], for one dimension */
    double *one_weight;
};

/* False: too many dimensions for that mode, whose elements would be too many to add up. */
bool bp_cpu_sampler_make(struct bp_cpu_sampler *sampler);
/* Lays a block out in `memory`, of sampler->bytes. */
struct bp_cpu_points bp_cpu_sampler_points(const struct bp_cpu_sampler *sampler, void *memory);
/* From coordinates to indices and weights, for `count` points. */
void bp_cpu_sampler_place(const struct bp_cpu_sampler *sampler, struct bp_cpu_points *points,
                          uint32_t count);
/* `own` from `weight`; needed before the sums. */
void bp_cpu_sampler_weigh(const struct bp_cpu_sampler *sampler, struct bp_cpu_points *points,
                          uint32_t count);
/* y[i * step] = the sum at point i of x, whose elements lie `step` apart. */
void bp_cpu_sampler_sum(const struct bp_cpu_sampler *sampler, const struct bp_cpu_points *points,
                        uint32_t count, const void *x, void *y, int64_t step);

#endif
