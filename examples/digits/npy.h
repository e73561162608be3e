/* SPDX-License-Identifier: MIT */
/* npy.h - reads arrays of bytes from NumPy's .npy files. */
#ifndef EXAMPLES_NPY_H
#define EXAMPLES_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NPY_MAX_RANK = 4 };

struct npy_array {
    uint8_t *data; /* row-major; never NULL once read, even without elements */
    size_t count;  /* of elements */
    size_t rank;
    size_t dims[NPY_MAX_RANK];
};

/* Reads an array of uint8, format 1.0, C order. False, after a complaint, for any other file. */
bool npy_read(const char *path, struct npy_array *out);
void npy_finish(struct npy_array *array); /* a zeroed one is fine */

#endif
