/* SPDX-License-Identifier: MIT */
/* slab.c - stretches of padded channels, by element size: nothing is computed. */

#include "kernels/slab.h"

enum {
    WASTE_PERCENT = 40, /* of the outputs may be sums that nobody wants, and a few more */
    FEW = 64,
    MAX_SPAN = 4096 /* elements: two thousand and more would leave the first cache */
};

bool bp_cpu_slab_make(const struct bp_cpu_window *w, struct bp_cpu_slab *slab)
{
    int64_t reach[BP_CPU_SPATIAL];

    for (int d = 0; d < BP_CPU_SPATIAL; d++) {
        reach[d] = (w->kernel[d] - 1) * w->dilation[d];
        if ((w->stride[d] != 1 && w->out[d] != 1) || reach[d] > MAX_SPAN)
            return false;
    }
    slab->window = w;
    slab->row = w->out[2] + reach[2];
    slab->plane = (w->out[1] + reach[1]) * slab->row;
    if (__builtin_mul_overflow(reach[0], slab->plane, &slab->span) || slab->span > MAX_SPAN)
        return false;
    slab->span += reach[1] * slab->row + reach[2];
    if (slab->span > MAX_SPAN || __builtin_mul_overflow(w->out[0] - 1, slab->plane, &slab->count))
        return false;
    slab->count += (w->out[1] - 1) * slab->row + w->out[2];
    return slab->count - w->out_count <= w->out_count / 100 * WASTE_PERCENT + FEW;
}

int64_t bp_cpu_slab_position(const struct bp_cpu_slab *slab, int64_t f)
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

static struct place place_of(const struct bp_cpu_slab *slab, int64_t f)
{
    return (struct place){f / slab->plane, f % slab->plane / slab->row, f % slab->row};
}

static void next_row(const struct bp_cpu_slab *slab, struct place *at)
{
    at->x = 0;
    if (++at->y == slab->plane / slab->row) {
        at->y = 0;
        at->z++;
    }
}

static int64_t clamp(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

/* n elements of one padded row from `at` on; `channel` is the image's. */
static char *fill_row(const struct bp_cpu_window *w, const char *channel, size_t size,
                      struct place at, int64_t n, char *dst)
{
    int64_t z = at.z - w->pad[0], y = at.y - w->pad[1], x = at.x - w->pad[2];
    int64_t first = 0, end = 0;
    size_t whole = (size_t)n * size;

    if (z >= 0 && z < w->in[0] && y >= 0 && y < w->in[1]) {
        first = clamp(-x, 0, n);
        end = clamp(w->in[2] - x, first, n);
    }
    memset(dst, 0, (size_t)first * size);
    if (end > first)
        memcpy(dst + (size_t)first * size,
               channel + (size_t)((z * w->in[1] + y) * w->in[2] + x + first) * size,
               (size_t)(end - first) * size);
    memset(dst + (size_t)end * size, 0, whole - (size_t)end * size);
    return dst + whole;
}

void bp_cpu_slab_fill(const struct bp_cpu_slab *slab, const void *src, size_t size,
                      int64_t channels, int64_t f, size_t n, void *dst)
{
    const struct bp_cpu_window *w = slab->window;
    struct place start = place_of(slab, f);
    const char *channel = src;
    char *to = dst;

    for (int64_t c = 0; c < channels; c++, channel += (size_t)w->in_count * size) {
        struct place at = start;

        for (int64_t left = (int64_t)n; left > 0;) {
            int64_t count = slab->row - at.x < left ? slab->row - at.x : left;

            to = fill_row(w, channel, size, at, count, to);
            left -= count;
            next_row(slab, &at);
        }
    }
}

void bp_cpu_slab_taps(const struct bp_cpu_slab *slab, int64_t channels, size_t n, size_t *at)
{
    const struct bp_cpu_window *w = slab->window;

    for (int64_t c = 0; c < channels; c++) {
        for (int64_t z = 0; z < w->kernel[0]; z++) {
            for (int64_t y = 0; y < w->kernel[1]; y++) {
                for (int64_t x = 0; x < w->kernel[2]; x++)
                    *at++ = (size_t)c * n +
                            (size_t)(z * w->dilation[0] * slab->plane +
                                     y * w->dilation[1] * slab->row + x * w->dilation[2]);
            }
        }
    }
}

/* ---- keeping --------------------------------------------------------------------------------- */

void bp_cpu_slab_keep(const struct bp_cpu_slab *slab, size_t size, int64_t f, size_t n, size_t rows,
                      const void *src, size_t ld, void *dst, size_t dst_ld)
{
    const struct bp_cpu_window *w = slab->window;
    struct place start = place_of(slab, f);
    size_t first = (size_t)bp_cpu_slab_position(slab, f);
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
