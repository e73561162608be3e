/* SPDX-License-Identifier: MIT */
/* padded_strip.c - see padded_strip.h. Elements are moved by their size, 4 or 8 bytes. */

#include "kernels/gemm/padded_strip.h"

enum {
    WASTE_PERCENT = 40, /* most sums between output rows, as a share of the outputs; and FEW more */
    FEW = 64,
    MAX_SPAN = 4096, /* elements between the first and the last tap, for the L1 cache */
    MAX_PHASES = 4   /* of a dimension; with larger strides most of the image is not read */
};

bool bp_cpu_padded_strip_make(const struct bp_cpu_window *w, struct bp_cpu_padded_strip *strip)
{
    int64_t reach[BP_CPU_SPATIAL];

    strip->window = w;
    strip->n_phases = 1;
    for (int d = 0; d < BP_CPU_SPATIAL; d++) {
        int64_t taps = (w->kernel[d] - 1) * w->dilation[d] + 1; /* and what is between them */

        strip->step[d] = w->out[d] == 1 ? 1 : w->stride[d];
        strip->phases[d] = w->dilation[d] % strip->step[d] == 0 ? 1
                           : taps < strip->step[d]              ? taps
                                                                : strip->step[d];
        reach[d] = (taps - 1) / strip->step[d];
        if (taps > MAX_SPAN || strip->phases[d] > MAX_PHASES)
            return false;
        strip->n_phases *= strip->phases[d];
    }
    strip->row = w->out[2] + reach[2];
    strip->rows = w->out[1] + reach[1];
    strip->plane = strip->rows * strip->row;
    if (__builtin_mul_overflow(reach[0], strip->plane, &strip->span) || strip->span > MAX_SPAN)
        return false;
    strip->span += reach[1] * strip->row + reach[2];
    if (strip->span > MAX_SPAN ||
        __builtin_mul_overflow(w->out[0] - 1, strip->plane, &strip->count))
        return false;
    strip->count += (w->out[1] - 1) * strip->row + w->out[2];
    return strip->count - w->out_count <= w->out_count / 100 * WASTE_PERCENT + FEW;
}

int64_t bp_cpu_padded_strip_position(const struct bp_cpu_padded_strip *strip, int64_t f)
{
    const struct bp_cpu_window *w = strip->window;
    int64_t z = f / strip->plane, y = f % strip->plane / strip->row, x = f % strip->row;

    if (y >= w->out[1])
        return (z + 1) * w->out[1] * w->out[2];
    return (z * w->out[1] + y) * w->out[2] + (x < w->out[2] ? x : w->out[2]);
}

/* ---- filling --------------------------------------------------------------------------------- */

/* A position in the padded channel. */
struct position {
    int64_t z, y, x;
};

static struct position position_of(const struct bp_cpu_padded_strip *strip, int64_t f)
{
    return (struct position){f / strip->plane, f % strip->plane / strip->row, f % strip->row};
}

static void next_row(const struct bp_cpu_padded_strip *strip, struct position *at)
{
    at->x = 0;
    if (++at->y == strip->rows) {
        at->y = 0;
        at->z++;
    }
}

static int64_t clamp(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

typedef uint32_t word __attribute__((aligned(1), may_alias));
typedef uint64_t long_word __attribute__((aligned(1), may_alias));

/* n elements, `step` apart at src. */
static void copy_strided(const char *src, size_t size, size_t step, size_t n, char *dst)
{
    const word *words = (const void *)src;
    const long_word *longs = (const void *)src;

    if (step == 1)
        memcpy(dst, src, n * size);
    else if (size == sizeof(long_word))
        for (size_t i = 0; i < n; i++)
            ((long_word *)(void *)dst)[i] = longs[i * step];
    else if (step == 2) /* a constant, for the compiler */
        for (size_t i = 0; i < n; i++)
            ((word *)(void *)dst)[i] = words[i * 2];
    else
        for (size_t i = 0; i < n; i++)
            ((word *)(void *)dst)[i] = words[i * step];
}

/* A phase of a channel, to be read row by row. */
struct phase {
    const char *channel;
    int64_t z, y, x;    /* where it begins in the channel; below 0: in the padding */
    int64_t first, end; /* positions of a row that are in the channel */
};

/* n elements of one padded row of a phase from `at` on. */
static char *fill_row(const struct bp_cpu_padded_strip *strip, const struct phase *phase,
                      size_t size, struct position at, int64_t n, char *dst)
{
    const struct bp_cpu_window *w = strip->window;
    int64_t z = at.z * strip->step[0] + phase->z, y = at.y * strip->step[1] + phase->y;
    int64_t first = 0, end = 0;

    if (z >= 0 && z < w->in[0] && y >= 0 && y < w->in[1]) {
        first = clamp(phase->first - at.x, 0, n);
        end = clamp(phase->end - at.x, first, n);
    }
    if (first > 0)
        memset(dst, 0, (size_t)first * size);
    if (end > first) {
        int64_t x = (at.x + first) * strip->step[2] + phase->x;

        copy_strided(phase->channel + (size_t)((z * w->in[1] + y) * w->in[2] + x) * size, size,
                     (size_t)strip->step[2], (size_t)(end - first), dst + (size_t)first * size);
    }
    if (end < n)
        memset(dst + (size_t)end * size, 0, (size_t)(n - end) * size);
    return dst + (size_t)n * size;
}

/* Positions from `start` on of a phase of a channel. */
static void fill_phase(const struct bp_cpu_padded_strip *strip, const struct phase *phase,
                       size_t size, struct position start, size_t n, char *dst)
{
    struct position at = start;

    for (int64_t left = (int64_t)n; left > 0;) {
        int64_t count = strip->row - at.x < left ? strip->row - at.x : left;

        dst = fill_row(strip, phase, size, at, count, dst);
        left -= count;
        next_row(strip, &at);
    }
}

/* Phase p of a strip's, without its channel. */
static struct phase phase_of(const struct bp_cpu_padded_strip *strip, int64_t p)
{
    const struct bp_cpu_window *w = strip->window;
    const int64_t *phases = strip->phases;
    struct phase phase = {.z = p / (phases[1] * phases[2]) - w->pad[0],
                          .y = p / phases[2] % phases[1] - w->pad[1],
                          .x = p % phases[2] - w->pad[2]};

    bp_cpu_window_clip(phase.x, strip->step[2], strip->row, w->in[2], &phase.first, &phase.end);
    return phase;
}

void bp_cpu_padded_strip_fill(const struct bp_cpu_padded_strip *strip, const void *src, size_t size,
                              int64_t channels, int64_t f, size_t n, void *dst)
{
    size_t channel_bytes = (size_t)strip->window->in_count * size;
    size_t phase_bytes = n * size, step = (size_t)strip->n_phases * phase_bytes;
    struct position start = position_of(strip, f);

    for (int64_t p = 0; p < strip->n_phases; p++) {
        struct phase phase = phase_of(strip, p);
        char *to = (char *)dst + (size_t)p * phase_bytes;

        for (int64_t c = 0; c < channels; c++, to += step) {
            phase.channel = (const char *)src + (size_t)c * channel_bytes;
            fill_phase(strip, &phase, size, start, n, to);
        }
    }
}

/* Where tap t of dimension d is: the phase, and how far along in it. */
static int64_t tap_phase(const struct bp_cpu_padded_strip *strip, int d, int64_t t)
{
    return t * strip->window->dilation[d] % strip->step[d];
}

static int64_t tap_along(const struct bp_cpu_padded_strip *strip, int d, int64_t t)
{
    return t * strip->window->dilation[d] / strip->step[d];
}

void bp_cpu_padded_strip_taps(const struct bp_cpu_padded_strip *strip, int64_t channels, size_t n,
                              size_t *at)
{
    const struct bp_cpu_window *w = strip->window;
    const int64_t taps = w->kernel_count;

    for (int64_t t = 0; t < taps; t++) {
        int64_t z = t / (w->kernel[1] * w->kernel[2]), y = t / w->kernel[2] % w->kernel[1];
        int64_t x = t % w->kernel[2];
        int64_t phase = (tap_phase(strip, 0, z) * strip->phases[1] + tap_phase(strip, 1, y)) *
                            strip->phases[2] +
                        tap_phase(strip, 2, x);
        int64_t along = tap_along(strip, 0, z) * strip->plane +
                        tap_along(strip, 1, y) * strip->row + tap_along(strip, 2, x);

        for (int64_t c = 0; c < channels; c++)
            at[c * taps + t] = (size_t)(c * strip->n_phases + phase) * n + (size_t)along;
    }
}

/* ---- keeping --------------------------------------------------------------------------------- */

void bp_cpu_padded_strip_keep(const struct bp_cpu_padded_strip *strip, size_t size, int64_t f,
                              size_t n, size_t rows, const void *src, size_t ld, void *dst,
                              size_t dst_ld)
{
    const struct bp_cpu_window *w = strip->window;
    struct position start = position_of(strip, f);
    size_t first = (size_t)bp_cpu_padded_strip_position(strip, f);
    const char *from_row = src;
    char *to_row = (char *)dst + first * size;

    for (size_t i = 0; i < rows; i++, from_row += ld * size, to_row += dst_ld * size) {
        const char *from = from_row;
        char *to = to_row;
        struct position at = start;

        for (int64_t left = (int64_t)n; left > 0;) {
            int64_t count = strip->row - at.x < left ? strip->row - at.x : left;
            int64_t wanted = at.y < w->out[1] && at.z < w->out[0] ? w->out[2] - at.x : 0;

            wanted = clamp(wanted, 0, count);
            memcpy(to, from, (size_t)wanted * size);
            to += (size_t)wanted * size;
            from += (size_t)count * size;
            left -= count;
            next_row(strip, &at);
        }
    }
}
