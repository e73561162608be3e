/* SPDX-License-Identifier: MIT */
/*
 * fuzz.h - a fuzz target is a file that defines these. With libFuzzer it is a program of `make
 * fuzz`; with drive.c one that `make check` runs on its seeds and changed seeds.
 */
#ifndef BP_TESTS_FUZZ_H
#define BP_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Must hold for any bytes; what does not aborts. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A sound input to begin with: *bytes is to be freed. Returns its size, 0 when there is no seed i. */
size_t bp_fuzz_seed(uint32_t i, uint8_t **bytes);
/* How many bytes an input may have at most. */
extern const size_t bp_fuzz_max_size;

#endif
