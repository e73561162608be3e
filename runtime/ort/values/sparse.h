/* SPDX-License-Identifier: MIT */
/* sparse.h - what an OrtValue of kind SPARSETENSOR holds. */
#ifndef BP_ORT_VALUES_SPARSE_H
#define BP_ORT_VALUES_SPARSE_H

#include <backplane.h>

#include "ort/values/types.h"

/* One array of indices, or the values. */
struct ort_sparse_part {
    OrtTensorTypeAndShapeInfo *shape; /* NULL: not set */
    const void *data;                 /* of strings: a bp_span each, always ours */
    void *owned;                      /* data, when it is ours */
};

enum { ORT_SPARSE_PARTS = 3 }; /* values; inner or only indices; outer indices */

struct ort_sparse {
    OrtTensorTypeAndShapeInfo *dense;
    OrtSparseFormat format;
    struct ort_sparse_part parts[ORT_SPARSE_PARTS];
};

void ort_sparse_destroy(struct ort_sparse *sparse);

/* The host's object for it, which the caller releases; parts are copied. */
OrtStatus *ort_sparse_to_object(const struct ort_sparse *sparse, bp_object **out);
/* What shows the parts of a host's sparse object, which must live as long. */
OrtStatus *ort_sparse_of_object(const bp_object *object, struct ort_sparse **out);
/* The elements of a dense tensor that are not 0, with their places. */
OrtStatus *ort_sparse_of_dense(const bp_tensor *dense, struct ort_sparse **out);
/* The values as a tensor that shows them; rank 0 and no base: there are none yet. */
bp_tensor ort_sparse_values(const struct ort_sparse *sparse);

#endif
