/* SPDX-License-Identifier: MIT */
/* sparse.h - the content of an OrtValue of kind SPARSETENSOR. */
#ifndef BP_ORT_VALUES_SPARSE_H
#define BP_ORT_VALUES_SPARSE_H

#include <backplane.h>

#include "ort/values/types.h"

/* One array of indices, or the values. */
struct ort_sparse_part {
    OrtTensorTypeAndShapeInfo *shape; /* NULL: not set */
    const void *data;                 /* strings: bp_spans, always owned */
    void *owned;                      /* to free(); NULL: data is borrowed */
};

enum { ORT_SPARSE_PARTS = 3 }; /* values; inner or only indices; outer indices */

struct ort_sparse {
    OrtTensorTypeAndShapeInfo *dense;
    OrtSparseFormat format;
    struct ort_sparse_part parts[ORT_SPARSE_PARTS];
};

void ort_sparse_destroy(struct ort_sparse *sparse);

/* The host's object, for the caller to release; values and indices are copied. */
OrtStatus *ort_sparse_to_object(const struct ort_sparse *sparse, bp_object **out);
/* Refers to the parts of a host's sparse object, which must live as long. */
OrtStatus *ort_sparse_of_object(const bp_object *object, struct ort_sparse **out);
/* The nonzero elements of a dense tensor, with COO indices. */
OrtStatus *ort_sparse_of_dense(const bp_tensor *dense, struct ort_sparse **out);
/* The values as a tensor that borrows them; rank 0 and no base: none are set. */
bp_tensor ort_sparse_values(const struct ort_sparse *sparse);

#endif
