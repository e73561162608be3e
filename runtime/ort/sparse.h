/* SPDX-License-Identifier: MIT */
/* sparse.h - what an OrtValue of kind SPARSETENSOR holds. No operator runs on them yet. */
#ifndef BP_ORT_SPARSE_H
#define BP_ORT_SPARSE_H

#include "ort/types.h"

/* One array of indices, or the values. */
struct ort_sparse_part {
    OrtTensorTypeAndShapeInfo *shape; /* NULL: not set */
    const void *data;
    void *owned; /* data, when it is ours */
};

enum { ORT_SPARSE_PARTS = 3 }; /* values; inner or only indices; outer indices */

struct ort_sparse {
    OrtTensorTypeAndShapeInfo *dense;
    OrtSparseFormat format;
    struct ort_sparse_part parts[ORT_SPARSE_PARTS];
};

void ort_sparse_destroy(struct ort_sparse *sparse);

#endif
