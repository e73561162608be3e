/* SPDX-License-Identifier: MIT */
/* padded_strip.c - stretches of padded channels, by element size: nothing is computed. */

#include "kernels/gemm/padded_strip.h"

enum {
    WASTE_PERCENT = 40, /* of the outputs may be sums that nobody wants, and a few more */
    FEW = 64,
    MAX_SPAN = 4096, /* elements: two thousand and more would leave the first cache */
    MAX_PHASES = 4   /* of a dimension: with more, most of a window is not read */
};

bool bp_cpu_padded_strip_make(const struct bp_cpu_window *w, struct bp_cpu_padded_strip *slab)
{
    int64_t reach[BP_CPU_SPATIAL];

    slab->window = w;
    slab->n_phases = 1;
    for (int d = 0; d < BP_CPU_SPATIAL; d++) {
        int64_t taps = (w->kernel[d] - 1) * w->dilation[d] + 1; /* and what is between them */

        slab->step[d] = w->out[d] == 1 ? 1 : w->stride[d];
        slab->phases[d] = w->dilation[d] % slab->step[d] == 0 ? 1
                          : taps < slab->step[d]              ? taps
                                                              : slab->step[d];
        reach[d] = (taps - 1) / slab->step[d];
        if (taps > MAX_SPAN || slab->phases[d] > MAX_PHASES)
            return false;
        slab->n_phases *= slab->phases[d];
    }
    slab->row = w->out[2] + reach[2];
    slab->rows = w->out[1] + reach[1];
    slab->plane = slab->rows * slab->row;
    if (__builtin_mul_overflow(reach[0], slab->plane, &slab->span) || slab->span > MAX_SPAN)
        return false;
    slab->span += reach[1] * slab->row + reach[2];
    if (slab->span > MAX_SPAN || __builtin_mul_overflow(w->out[0] - 1, slab->plane, &slab->count))
        return false;
    slab->count += (w->out[1] - 1) * slab->row + w->out[2];
    return slab->count - w->out_count <= w->out_count / 100 * WASTE_PERCENT + FEW;
}

int64_t bp_cpu_padded_strip_position(const struct bp_cpu_padded_strip *slab, int64_t f)
{
    const struct bp_cpu_window *w = slab->window;
    int64_t z = f / slab->plane, y = f % slab->plane / slab->row, x = f % slab->row;

    if (y >= w->out[1])
        return (z + 1) * w->out[1] * w->out[2];
    return (z * w->out[1] + y) * w->out[2] + (x < w->out[2] ? x : w->out[2]);
}

/* ---- filling --------------------------------------------------------------------------------- */

/* A place in the padded channel. */
struct place {
    int64_t z, y, x;
};

static struct place place_of(const struct bp_cpu_padded_strip *slab, int64_t f)
{
    return (struct place){f / slab->plane, f % slab->plane / slab->row, f % slab->row};
}

static void next_row(const struct bp_cpu_padded_strip *slab, struct place *at)
{
    at->x = 0;
    if (++at->y == slab->rows) {
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
static void deal(const char *src, size_t size, size_t step, size_t n, char *dst)
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
static char *fill_row(const struct bp_cpu_padded_strip *slab, const struct phase *phase,
                      size_t size, struct place at, int64_t n, char *dst)
{
    const struct bp_cpu_window *w = slab->window;
    int64_t z = at.z * slab->step[0] + phase->z, y = at.y * slab->step[1] + phase->y;
    int64_t first = 0, end = 0;

    if (z >= 0 && z < w->in[0] && y >= 0 && y < w->in[1]) {
        first = clamp(phase->first - at.x, 0, n);
        end = clamp(phase->end - at.x, first, n);
    }
    if (first > 0)
        memset(dst, 0, (size_t)first * size);
    if (end > first) {
        int64_t x = (at.x + first) * slab->step[2] + phase->x;

        deal(phase->channel + (size_t)((z * w->in[1] + y) * w->in[2] + x) * size, size,
             (size_t)slab->step[2], (size_t)(end - first), dst + (size_t)first * size);
    }
    if (end < n)
        memset(dst + (size_t)end * size, 0, (size_t)(n - end) * size);
    return dst + (size_t)n * size;
}

/* Positions from `start` on of a phase of a channel. */
static void fill_phase(const struct bp_cpu_padded_strip *slab, const struct phase *phase,
                       size_t size, struct place start, size_t n, char *dst)
{
    struct place at = start;

    for (int64_t left = (int64_t)n; left > 0;) {
        int64_t count = slab->row - at.x < left ? slab->row - at.x : left;

        dst = fill_row(slab, phase, size, at, count, dst);
        left -= count;
        next_row(slab, &at);
    }
}

/* Phase p of a slab's, without its channel. */
static struct phase phase_of(const struct bp_cpu_padded_strip *slab, int64_t p)
{
    const struct bp_cpu_window *w = slab->window;
    const int64_t *phases = slab->phases;
    struct phase phase = {.z = p / (phases[1] * phases[2]) - w->pad[0],
                          .y = p / phases[2] % phases[1] - w->pad[1],
                          .x = p % phases[2] - w->pad[2]};

    bp_cpu_window_clip(phase.x, slab->step[2], slab->row, w->in[2], &phase.first, &phase.end);
    return phase;
}

void bp_cpu_padded_strip_fill(const struct bp_cpu_padded_strip *slab, const void *src, size_t size,
                              int64_t channels, int64_t f, size_t n, void *dst)
{
    size_t channel_bytes = (size_t)slab->window->in_count * size;
    size_t phase_bytes = n * size, step = (size_t)slab->n_phases * phase_bytes;
    struct place start = place_of(slab, f);

    for (int64_t p = 0; p < slab->n_phases; p++) {
        struct phase phase = phase_of(slab, p);
        char *to = (char *)dst + (size_t)p * phase_bytes;

        for (int64_t c = 0; c < channels; c++, to += step) {
            phase.channel = (const char *)src + (size_t)c * channel_bytes;
            fill_phase(slab, &phase, size, start, n, to);
        }
    }
}

/* Where tap t of dimension d is: the phase, and how far along in it. */
static int64_t tap_phase(const struct bp_cpu_padded_strip *slab, int d, int64_t t)
{
    return t * slab->window->dilation[d] % slab->step[d];
}

static int64_t tap_along(const struct bp_cpu_padded_strip *slab, int d, int64_t t)
{
    return t * slab->window->dilation[d] / slab->step[d];
}

void bp_cpu_padded_strip_taps(const struct bp_cpu_padded_strip *slab, int64_t channels, size_t n,
                              size_t *at)
{
    const struct bp_cpu_window *w = slab->window;
    const int64_t taps = w->kernel_count;

    for (int64_t t = 0; t < taps; t++) {
        int64_t z = t / (w->kernel[1] * w->kernel[2]), y = t / w->kernel[2] % w->kernel[1];
        int64_t x = t % w->kernel[2];
        int64_t phase =
            (tap_phase(slab, 0, z) * slab->phases[1] + tap_phase(slab, 1, y)) * slab->phases[2] +
            tap_phase(slab, 2, x);
        int64_t along = tap_along(slab, 0, z) * slab->plane + tap_along(slab, 1, y) * slab->row +
                        tap_along(slab, 2, x);

        for (int64_t c = 0; c < channels; c++)
            at[c * taps + t] = (size_t)(c * slab->n_phases + phase) * n + (size_t)along;
    }
}

/* ---- keeping --------------------------------------------------------------------------------- */

void bp_cpu_padded_strip_keep(const struct bp_cpu_padded_strip *slab, size_t size, int64_t f,
                              size_t n, size_t rows, const void *src, size_t ld, void *dst,
                              size_t dst_ld)
{
    const struct bp_cpu_window *w = slab->window;
    struct place start = place_of(slab, f);
    size_t first = (size_t)bp_cpu_padded_strip_position(slab, f);
    const char *from_row = src;
    char *to_row = (char *)dst + first * size;

    for (size_t i = 0; i < rows; i++, from_row += ld * size, to_row += dst_ld * size) {
        const char *from = from_row;
        char *to = to_row;
        struct place at = start;

        for (int64_t left = (int64_t)n; left > 0;) {
            int64_t count = slab->row - at.x < left ? slab->row - at.x : left;
            int64_t wanted = at.y < w->out[1] && at.z < w->out[0] ? w->out[2] - at.x : 0;

            wanted = clamp(wanted, 0, count);
            memcpy(to, from, (size_t)wanted * size);
            to += (size_t)wanted * size;
            from += (size_t)count * size;
            left -= count;
            next_row(slab, &at);
        }
    }
}
