/* SPDX-License-Identifier: MIT */
/* fft.c - see fft.h. */

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

/* Factors of n, 4 before 2; 1 is left when all are small. */
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

/* Length of the convolution for length n; 0: none is needed. */
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

/* exp(-2 pi i k / n), from the first eighth of the circle, where sine and cosine are exact best. */
static cpx turn(int64_t k, int64_t n)
{
    int64_t quarter = 4 * k / n, rest = 4 * k - quarter * n; /* rest / n of a quarter */
    bool is_flipped = 2 * rest > n;
    double angle = pi / 2 * (double)(is_flipped ? n - rest : rest) / (double)n;
    double c = is_flipped ? sin(angle) : cos(angle), s = is_flipped ? cos(angle) : sin(angle);
    const cpx turned[4] = {{c, -s}, {-s, -c}, {-c, s}, {s, c}};

    return turned[quarter & 3];
}

static void make_chirp(struct bp_cpu_fft *fft, cpx *chirp, cpx *filter, void *scratch)
{
    int64_t n = fft->n, m = fft->m;
    struct bp_cpu_fft inner = *fft;

    for (int64_t k = 0, square = 0; k < n; k++) { /* k^2 modulo 2n */
        chirp[k] = turn(square, 2 * n);
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
    cpx *turns = memory;
    int64_t length;

    *fft = (struct bp_cpu_fft){.n = n, .m = convolution(n), .turns = turns};
    length = fft->m ? fft->m : n;
    (void)factor(length, fft->factors, &fft->n_factors);
    for (int64_t k = 0; k < length; k++)
        turns[k] = turn(k, length);
    if (fft->m) {
        cpx *filter = turns + length, *chirp = turns + 3 * length;

        fft->chirp = chirp;
        fft->filter = filter;
        make_chirp(fft, chirp, filter, turns + 2 * length);
    }
}

size_t bp_cpu_fft_scratch(const struct bp_cpu_fft *fft)
{
    return sizeof(cpx) * (size_t)(fft->m ? 2 * fft->m : fft->n);
}

/* ---- one factor ------------------------------------------------------------------------------ */

/*
 * A step by one factor p: of n numbers that lie `stride` apart, in `stride` interleaved transforms.
 * Afterwards there are p times as many, p times shorter, and in the end all is in order (Stockham).
 */
struct step {
    int64_t n, stride;
    const cpx *turns; /* of the whole length */
};

BP_LOOP static void step_2(const struct step *s, const cpx *restrict x, cpx *restrict y)
{
    int64_t m = s->n / 2, stride = s->stride;

    for (int64_t i = 0; i < m; i++) {
        const cpx *a = x + stride * i, *b = a + stride * m;
        cpx *to = y + stride * 2 * i, w = s->turns[i * stride];

        for (int64_t q = 0; q < stride; q++) {
            cpx d = {a[q].re - b[q].re, a[q].im - b[q].im};

            to[q] = (cpx){a[q].re + b[q].re, a[q].im + b[q].im};
            to[stride + q] = mul(d, w);
        }
    }
}

BP_LOOP static void step_4(const struct step *s, const cpx *restrict x, cpx *restrict y)
{
    int64_t m = s->n / 4, stride = s->stride;

    for (int64_t i = 0; i < m; i++) {
        const cpx *a = x + stride * i, *b = a + stride * m;
        const cpx *c = b + stride * m, *d = c + stride * m;
        cpx *to = y + stride * 4 * i;
        cpx u = s->turns[i * stride], v = s->turns[2 * i * stride], w = s->turns[3 * i * stride];

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

/* Any factor, by its definition. */
static void step_any(const struct step *s, uint32_t p, const cpx *restrict x, cpx *restrict y)
{
    int64_t m = s->n / p, stride = s->stride;
    cpx roots[LARGEST_FACTOR];

    for (uint32_t k = 0; k < p; k++)
        roots[k] = s->turns[(int64_t)k * m * stride];
    for (int64_t i = 0; i < m; i++) {
        for (int64_t q = 0; q < stride; q++) {
            for (uint32_t k = 0; k < p; k++) {
                cpx sum = x[q + stride * i];

                for (uint32_t r = 1; r < p; r++) {
                    cpx part = mul(x[q + stride * (i + m * r)], roots[k * r % p]);

                    sum.re += part.re;
                    sum.im += part.im;
                }
                y[q + stride * (p * i + k)] = mul(sum, s->turns[i * k * stride]);
            }
        }
    }
}

/* n numbers with small factors. */
static void by_factors(const struct bp_cpu_fft *fft, int64_t n, cpx *x, cpx *scratch)
{
    struct step step = {n, 1, fft->turns};
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

/* k n = (k^2 + n^2 - (k - n)^2) / 2 makes the transform a convolution with a chirp. */
static void by_convolution(const struct bp_cpu_fft *fft, cpx *x, cpx *scratch)
{
    int64_t n = fft->n, m = fft->m;
    cpx *wide = scratch, *rest = scratch + m;

    for (int64_t k = 0; k < n; k++)
        wide[k] = mul(x[k], fft->chirp[k]);
    for (int64_t k = n; k < m; k++)
        wide[k] = (cpx){0, 0};
    by_factors(fft, m, wide, rest);
    for (int64_t k = 0; k < m; k++) { /* conjugated, so that the way back is a way forth */
        cpx product = mul(wide[k], fft->filter[k]);

        wide[k] = (cpx){product.re, -product.im};
    }
    by_factors(fft, m, wide, rest);
    for (int64_t k = 0; k < n; k++)
        x[k] = mul((cpx){wide[k].re, -wide[k].im}, fft->chirp[k]);
}

void bp_cpu_fft_run(const struct bp_cpu_fft *fft, cpx *x, void *scratch)
{
    if (fft->m)
        by_convolution(fft, x, scratch);
    else
        by_factors(fft, fft->n, x, scratch);
}

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
