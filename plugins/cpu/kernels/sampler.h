/* SPDX-License-Identifier: MIT */
/*
 * sampler.h - interpolation between the elements of a tensor at real coordinates, for GridSample
 * and DeformConv.
 *
 * Points are treated in blocks of BP_CPU_POINTS: indices and weights are computed once for a block
 * and used for all channels. A sampler is only read; each worker has a struct bp_cpu_points of its
 * own.
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

/* False: the mode would need too many taps for so many dimensions. */
bool bp_cpu_sampler_make(struct bp_cpu_sampler *sampler);
/* Lays a block out in `memory`, of sampler->bytes. */
struct bp_cpu_points bp_cpu_sampler_points(const struct bp_cpu_sampler *sampler, void *memory);
/* Computes indices and weights of `count` points from their coordinates. */
void bp_cpu_sampler_place(const struct bp_cpu_sampler *sampler, struct bp_cpu_points *points,
                          uint32_t count);
/* Converts the weights to the type of the sums; needed once before them. */
void bp_cpu_sampler_weigh(const struct bp_cpu_sampler *sampler, struct bp_cpu_points *points,
                          uint32_t count);
/* y[i * step] = the weighted sum at point i of x, whose elements are `step` apart. */
void bp_cpu_sampler_sum(const struct bp_cpu_sampler *sampler, const struct bp_cpu_points *points,
                        uint32_t count, const void *x, void *y, int64_t step);

#endif
