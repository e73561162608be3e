/* SPDX-License-Identifier: MIT */
/*
 * index_walk.h - the walk of GatherElements and ScatterElements over an index tensor, whose
 * elements replace one coordinate, that of the axis, of their own position.
 *
 * Element (i, j, k) of the indices stands for element (i, indices[i][j][k], k) of the data when the
 * axis is 1.
 */
#ifndef BP_CPU_GATHER_SCATTER_INDEX_WALK_H
#define BP_CPU_GATHER_SCATTER_INDEX_WALK_H

#include "kernels/runtime_shape.h"

/* The walk for one set of shapes; threads only read it. */
struct bp_cpu_index_walk {
    uint32_t rank;
    bool along_row;                   /* the axis is the last dimension */
    int64_t size, step;               /* of the data along the axis; step in elements */
    int64_t rows, columns;            /* of the indices; a row is their last dimension */
    int64_t dims[BP_CPU_MAX_RANK];    /* of the indices */
    int64_t strides[BP_CPU_MAX_RANK]; /* of the data, in elements; 0 along the axis */
};

/*
 * Combines n consecutive elements of `other` with the elements of `data` at offsets at[0..n-1]:
 * GatherElements copies from data to other, ScatterElements the other way.
 */
typedef void (*bp_cpu_index_walk_fn)(void *data, void *other, const int64_t *at, int64_t n);

/*
 * For prepare. Fills in *out from the shapes and the node's attribute `axis`. BP_E_SHAPE: the ranks
 * differ, or the indices are larger than the data in a dimension that is not the axis.
 */
bp_rc bp_cpu_index_walk_make(const struct bp_cpu_call *call, const bp_tensor *data,
                             const bp_tensor *indices, struct bp_cpu_index_walk *out, bp_err *err);
/* BP_E_INVALID: one of the n indices is outside of -size..size-1; the text has the value. */
bp_rc bp_cpu_index_walk_check(const struct bp_cpu_call *call, const struct bp_cpu_list *indices,
                              int64_t size, bp_err *err);

/* One run of a walk. */
struct bp_cpu_index_walk_job {
    const struct bp_cpu_index_walk *walk;
    struct bp_cpu_list indices; /* passed bp_cpu_index_walk_check() */
    bp_cpu_index_walk_fn fn;
    char *data, *other;
    size_t width; /* of an element of other */
};

/*
 * Runs the walk on the host's threads. `exclusive`: fn writes to the data, where two indices may
 * name one element; the work is then split so that no two threads write the same one, and updates
 * keep the order of the indices.
 */
void bp_cpu_index_walk_run(const struct bp_cpu_call *call, const struct bp_cpu_index_walk_job *job,
                           bool exclusive);

#endif
