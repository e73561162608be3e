/* SPDX-License-Identifier: MIT */
/*
 * fft.h - Discrete Fourier transforms of any length in O(n log n), in float64: lengths made of 2,
 * 3, 5, 7, 11 and 13 by their factors (Stockham), others as a convolution whose length is a power
 * of two (Bluestein).
 * The tables are read-only once made: any number of threads may transform, each with its own data
 * and scratch.
 */
#ifndef BP_CPU_SIGNAL_FFT_H
#define BP_CPU_SIGNAL_FFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bp_cpu_complex {
    double re, im;
};

enum { BP_CPU_FFT_FACTORS = 64 };

/* A plan; its tables lie in memory of the caller's. */
struct bp_cpu_fft {
    int64_t n;
    int64_t m; /* of the convolution; 0: n has small factors */
    uint32_t n_factors;
    uint32_t factors[BP_CPU_FFT_FACTORS]; /* of n, or of m */
    const struct bp_cpu_complex *roots;   /* [n or m]: exp(-2 pi i k / n) */
    const struct bp_cpu_complex *chirp;   /* [n]: exp(-pi i k^2 / n) */
    const struct bp_cpu_complex *filter;  /* [m]: the transform of its conjugate, over m */
};

/* Bytes of the tables for length n >= 1; false: n is above 2^40. */
bool bp_cpu_fft_bytes(int64_t n, size_t *out);
/* Fills the tables in `memory` of that many bytes, which must outlive the plan. */
void bp_cpu_fft_make(struct bp_cpu_fft *fft, int64_t n, void *memory);
/* Bytes of scratch that a transform needs besides its n elements. */
size_t bp_cpu_fft_scratch(const struct bp_cpu_fft *fft);
/* The forward transform of n elements, in place, unscaled. */
void bp_cpu_fft_run(const struct bp_cpu_fft *fft, struct bp_cpu_complex *x, void *scratch);
/* The inverse transform in place, divided by n. */
void bp_cpu_fft_back(const struct bp_cpu_fft *fft, struct bp_cpu_complex *x, void *scratch);

#endif
