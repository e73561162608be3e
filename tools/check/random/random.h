/* SPDX-License-Identifier: MIT */
/* random.h - nodes of random operators with random sizes, attributes and inputs, all of them valid. */
#ifndef BP_CHECK_RANDOM_H
#define BP_CHECK_RANDOM_H

#include "check/cases/case.h"

/* Numbers of a seed begin; the same on every machine. Not for two threads. */
void kit_random_begin(uint32_t seed);
/* From 0 to n - 1. */
uint32_t kit_below(uint32_t n);
/* From low to high, both included. */
int64_t kit_between(int64_t low, int64_t high);

/* A float32 tensor of rank 1 to 5 and few elements. */
void kit_random_port(struct kit_port *out);
/*
 * A node whose first input has the shape of `x`, in float32, with float32 as output and with a reference.
 * Its name is the line that it was read from. False: the operator that was drawn does not fit; draw again.
 * What *out points to stays as long as the process.
 */
bool kit_random_node(const struct kit_port *x, struct kit_case *out);

/* Rows of operators for which the kit has no reference; others.c. */
extern const struct kit_row kit_other_rows[];
extern const size_t kit_n_other_rows;

#endif
