/* SPDX-License-Identifier: MIT */
/*
 * index_walk.h - walks an index tensor whose elements replace one coordinate of their own place:
 * the engine of GatherElements and ScatterElements.
 */
#ifndef BP_CPU_GATHER_SCATTER_INDEX_WALK_H
#define BP_CPU_GATHER_SCATTER_INDEX_WALK_H

#include "kernels/runtime_shape.h"

struct bp_cpu_index_walk {
    uint32_t rank;
    bool along_row;                   /* the axis is the last dimension */
    int64_t size, step;               /* of the data along the axis; step in elements */
    int64_t rows, columns;            /* of the indices; a row is their last dimension */
    int64_t dims[BP_CPU_MAX_RANK];    /* of the indices */
    int64_t strides[BP_CPU_MAX_RANK]; /* of the data, 0 along the axis */
};

/*
 * n elements of `other`, which lie side by side, and those of the data at `at`: one is copied to,
 * or combined with, the other.
 */
typedef void (*bp_cpu_index_walk_fn)(void *data, void *other, const int64_t *at, int64_t n);

/* Solves the walk. BP_E_SHAPE: the indices do not lie within the data. */
bp_rc bp_cpu_index_walk_make(const struct bp_cpu_call *call, const bp_tensor *data,
                             const bp_tensor *indices, struct bp_cpu_index_walk *out, bp_err *err);
/* BP_E_INVALID names the first of n indices that is outside of -size..size-1. */
bp_rc bp_cpu_index_walk_check(const struct bp_cpu_call *call, const struct bp_cpu_list *indices,
                              int64_t size, bp_err *err);

struct bp_cpu_index_walk_job {
    const struct bp_cpu_index_walk *walk;
    struct bp_cpu_list indices; /* checked */
    bp_cpu_index_walk_fn fn;
    char *data, *other;
    size_t width; /* of an element of other */
};

/*
 * Runs the walk on the host's threads. `exclusive`: two indices may lead to one place, so threads
 * get parts of the walk that cannot meet.
 */
void bp_cpu_index_walk_run(const struct bp_cpu_call *call, const struct bp_cpu_index_walk_job *job,
                           bool exclusive);

#endif
