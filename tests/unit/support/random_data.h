/* SPDX-License-Identifier: MIT */
/* random_data.h - numbers for tests of kernels: made up, rounded to element types, compared. */
#ifndef BP_TESTS_NUMBERS_H
#define BP_TESTS_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

/* Starts the sequence of made-up numbers again; a test that begins so is the same each time. */
void nums_seed(uint64_t seed);
/* One of low .. high. */
int64_t nums_pick(int64_t low, int64_t high);
/* n numbers within -1 .. 1, exact in the element type; malloc'ed. */
double *nums_make(size_t n, uint32_t dtype);
/*
 * Fails the test unless n elements are what is expected, to within what `terms` rounded additions
 * of the type may differ.
 */
void nums_compare(const char *what, const void *data, const double *expected, size_t n,
                  uint32_t dtype, size_t terms);

#endif
