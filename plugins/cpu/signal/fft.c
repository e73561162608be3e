/* SPDX-License-Identifier: MIT */
/* fft.c - Fast Fourier transforms; see fft.h. */

#include "signal/fft.h"

#include "kernels/types/loops.h"

#include <math.h>
#include <string.h>

typedef struct bp_cpu_complex cpx;

enum { LARGEST_FACTOR = 13 };
static const int64_t longest = INT64_C(1) << 40;
static const double pi = 3.14159265358979323846;

static inline cpx mul(cpx a, cpx b)
{
    return (cpx){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* ---- tables ---------------------------------------------------------------------------------- */

/*
 * Factors of n, with 4 before 2, as one radix-4 step replaces two radix-2 steps. Returns what is
 * left: 1 if all factors are small.
 */
static int64_t factor(int64_t n, uint32_t *factors, uint32_t *count)
{
    static const uint32_t radices[] = {4, 2, 3, 5, 7, 11, LARGEST_FACTOR};

    *count = 0;
    for (size_t i = 0; i < sizeof radices / sizeof *radices; i++) {
        while (n % radices[i] == 0) {
            factors[(*count)++] = radices[i];
            n /= radices[i];
        }
    }
    return n;
}

/*
 * Length of Bluestein's convolution for length n, a power of two of at least 2 n - 1; 0: n has
 * small factors only.
 */
static int64_t convolution(int64_t n)
{
    uint32_t factors[BP_CPU_FFT_FACTORS], count;
    int64_t m = 1;

    if (factor(n, factors, &count) == 1)
        return 0;
    while (m < 2 * n - 1)
        m *= 2;
    return m;
}

bool bp_cpu_fft_bytes(int64_t n, size_t *out)
{
    int64_t m;

    if (n < 1 || n > longest)
        return false;
    m = convolution(n);
    *out = sizeof(cpx) * (size_t)(m ? 3 * m + n : n);
    return true;
}

/*
 * exp(-2 pi i k / n), computed in the first eighth of the circle, where sine and cosine are most
 * exact.
 */
static cpx unit_root(int64_t k, int64_t n)
{
    int64_t quarter = 4 * k / n, rest = 4 * k - quarter * n; /* rest / n of a quarter */
    bool is_flipped = 2 * rest > n;
    double angle = pi / 2 * (double)(is_flipped ? n - rest : rest) / (double)n;
    double c = is_flipped ? sin(angle) : cos(angle), s = is_flipped ? cos(angle) : sin(angle);
    const cpx rotated[4] = {{c, -s}, {-s, -c}, {-c, s}, {s, c}};

    return rotated[quarter & 3];
}

/*
 * Tables of Bluestein's algorithm: the chirp exp(-pi i k^2 / n), and the spectrum of its conjugate.
 */
static void make_chirp(struct bp_cpu_fft *fft, cpx *chirp, cpx *filter, void *scratch)
{
    int64_t n = fft->n, m = fft->m;
    struct bp_cpu_fft inner = *fft;

    for (int64_t k = 0, square = 0; k < n; k++) { /* k^2 modulo 2n */
        chirp[k] = unit_root(square, 2 * n);
        square = (square + 2 * k + 1) % (2 * n);
    }
    for (int64_t k = 0; k < m; k++)
        filter[k] = (cpx){0, 0};
    for (int64_t k = 0; k < n; k++) {
        cpx value = {chirp[k].re / (double)m, -chirp[k].im / (double)m};

        filter[k] = value;
        if (k > 0)
            filter[m - k] = value;
    }
    inner.n = m;
    inner.m = 0;
    bp_cpu_fft_run(&inner, filter, scratch);
}

void bp_cpu_fft_make(struct bp_cpu_fft *fft, int64_t n, void *memory)
{
    cpx *roots = memory;
    int64_t length;

    *fft = (struct bp_cpu_fft){.n = n, .m = convolution(n), .roots = roots};
    length = fft->m ? fft->m : n;
    (void)factor(length, fft->factors, &fft->n_factors);
    for (int64_t k = 0; k < length; k++)
        roots[k] = unit_root(k, length);
    if (fft->m) {
        cpx *filter = roots + length, *chirp = roots + 3 * length;

        fft->chirp = chirp;
        fft->filter = filter;
        make_chirp(fft, chirp, filter, roots + 2 * length);
    }
}

size_t bp_cpu_fft_scratch(const struct bp_cpu_fft *fft)
{
    return sizeof(cpx) * (size_t)(fft->m ? 2 * fft->m : fft->n);
}

/* ---- one factor ------------------------------------------------------------------------------ */

/*
 * A step of Stockham's algorithm by one factor p: `stride` interleaved transforms of length n
 * become p times as many of length n / p. Results end up in order, without a bit reversal.
 */
struct step {
    int64_t n, stride;
    const cpx *roots; /* roots of unity of the whole length */
};

/* Radix 2; the inner loop over q is contiguous and vectorises once stride is large. */
BP_LOOP static void step_2(const struct step *s, const cpx *restrict x, cpx *restrict y)
{
    int64_t m = s->n / 2, stride = s->stride;

    for (int64_t i = 0; i < m; i++) {
        const cpx *a = x + stride * i, *b = a + stride * m;
        cpx *to = y + stride * 2 * i, w = s->roots[i * stride];

        for (int64_t q = 0; q < stride; q++) {
            cpx d = {a[q].re - b[q].re, a[q].im - b[q].im};

            to[q] = (cpx){a[q].re + b[q].re, a[q].im + b[q].im};
            to[stride + q] = mul(d, w);
        }
    }
}

/* Radix 4: the multiplication by -i is an exchange of parts. */
BP_LOOP static void step_4(const struct step *s, const cpx *restrict x, cpx *restrict y)
{
    int64_t m = s->n / 4, stride = s->stride;

    for (int64_t i = 0; i < m; i++) {
        const cpx *a = x + stride * i, *b = a + stride * m;
        const cpx *c = b + stride * m, *d = c + stride * m;
        cpx *to = y + stride * 4 * i;
        cpx u = s->roots[i * stride], v = s->roots[2 * i * stride], w = s->roots[3 * i * stride];

        for (int64_t q = 0; q < stride; q++) {
            cpx even = {a[q].re + c[q].re, a[q].im + c[q].im};
            cpx even_less = {a[q].re - c[q].re, a[q].im - c[q].im};
            cpx odd = {b[q].re + d[q].re, b[q].im + d[q].im};
            cpx odd_less = {b[q].im - d[q].im, d[q].re - b[q].re}; /* times -i */

            to[q] = (cpx){even.re + odd.re, even.im + odd.im};
            to[stride + q] = mul((cpx){even_less.re + odd_less.re, even_less.im + odd_less.im}, u);
            to[2 * stride + q] = mul((cpx){even.re - odd.re, even.im - odd.im}, v);
            to[3 * stride + q] =
                mul((cpx){even_less.re - odd_less.re, even_less.im - odd_less.im}, w);
        }
    }
}

/* Any radix p by the definition, p^2 products. */
static void step_any(const struct step *s, uint32_t p, const cpx *restrict x, cpx *restrict y)
{
    int64_t m = s->n / p, stride = s->stride;
    cpx roots[LARGEST_FACTOR];

    for (uint32_t k = 0; k < p; k++)
        roots[k] = s->roots[(int64_t)k * m * stride];
    for (int64_t i = 0; i < m; i++) {
        for (int64_t q = 0; q < stride; q++) {
            for (uint32_t k = 0; k < p; k++) {
                cpx sum = x[q + stride * i];

                for (uint32_t r = 1; r < p; r++) {
                    cpx part = mul(x[q + stride * (i + m * r)], roots[k * r % p]);

                    sum.re += part.re;
                    sum.im += part.im;
                }
                y[q + stride * (p * i + k)] = mul(sum, s->roots[i * k * stride]);
            }
        }
    }
}

/* A transform whose length has small factors; steps alternate between x and scratch. */
static void by_factors(const struct bp_cpu_fft *fft, int64_t n, cpx *x, cpx *scratch)
{
    struct step step = {n, 1, fft->roots};
    cpx *from = x, *to = scratch;

    for (uint32_t f = 0; f < fft->n_factors; f++) {
        uint32_t p = fft->factors[f];
        cpx *swap = from;

        if (p == 4)
            step_4(&step, from, to);
        else if (p == 2)
            step_2(&step, from, to);
        else
            step_any(&step, p, from, to);
        step.n /= p;
        step.stride *= p;
        from = to;
        to = swap;
    }
    if (from != x)
        memcpy(x, from, (size_t)n * sizeof *x);
}

/* ---- whole transforms ------------------------------------------------------------------------ */

/* Bluestein: k n = (k^2 + n^2 - (k - n)^2) / 2 makes the transform a convolution with a chirp. */
static void by_convolution(const struct bp_cpu_fft *fft, cpx *x, cpx *scratch)
{
    int64_t n = fft->n, m = fft->m;
    cpx *padded = scratch, *rest = scratch + m;

    for (int64_t k = 0; k < n; k++)
        padded[k] = mul(x[k], fft->chirp[k]);
    for (int64_t k = n; k < m; k++)
        padded[k] = (cpx){0, 0};
    by_factors(fft, m, padded, rest);
    for (int64_t k = 0; k < m; k++) { /* conjugated, so that a forward transform inverts */
        cpx product = mul(padded[k], fft->filter[k]);

        padded[k] = (cpx){product.re, -product.im};
    }
    by_factors(fft, m, padded, rest);
    for (int64_t k = 0; k < n; k++)
        x[k] = mul((cpx){padded[k].re, -padded[k].im}, fft->chirp[k]);
}

void bp_cpu_fft_run(const struct bp_cpu_fft *fft, cpx *x, void *scratch)
{
    if (fft->m)
        by_convolution(fft, x, scratch);
    else
        by_factors(fft, fft->n, x, scratch);
}

/* The inverse is the forward transform between two conjugations. */
void bp_cpu_fft_back(const struct bp_cpu_fft *fft, cpx *x, void *scratch)
{
    double by = 1 / (double)fft->n;

    for (int64_t k = 0; k < fft->n; k++)
        x[k].im = -x[k].im;
    bp_cpu_fft_run(fft, x, scratch);
    for (int64_t k = 0; k < fft->n; k++) {
        x[k].re *= by;
        x[k].im *= -by;
    }
}
