/* SPDX-License-Identifier: MIT */
/* random_data.h - pseudo-random values for tests of kernels, exact in an element type; comparison. */
#ifndef BP_TESTS_RANDOM_DATA_H
#define BP_TESTS_RANDOM_DATA_H

#include <stddef.h>
#include <stdint.h>

/* Restarts the pseudo-random sequence, so that a test draws the same values in every run. */
void data_seed(uint64_t seed);
/* Draws an integer from low to high, both included. */
int64_t data_pick(int64_t low, int64_t high);
/* n values within -1 .. 1, exact in the element type; malloc'ed. */
double *data_make(size_t n, uint32_t dtype);
/*
 * Fails the test unless n elements are what is expected, to within what `terms` rounded additions
 * of the type may differ.
 */
void data_compare(const char *what, const void *data, const double *expected, size_t n,
                  uint32_t dtype, size_t terms);

#endif
