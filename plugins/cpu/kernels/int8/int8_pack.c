/* SPDX-License-Identifier: MIT */
/* int8_pack.c - see int8_pack.h. Flipping the highest bit of a byte moves it by 128. */

#include "kernels/int8/int8_pack.h"

#include "kernels/gemm/pack.h"
#include "kernels/types/loops.h"

#include <string.h>

enum { MAX_COLS = BP_CPU_PACK_RUNS, MAX_GROUP = 4 };

/* ---- A --------------------------------------------------------------------------------------- */

BP_LOOP static int32_t row_of_bytes(const uint8_t *a, size_t k, uint8_t flip, uint8_t *to)
{
    uint32_t sum = 0;

    for (size_t p = 0; p < k; p++) {
        to[p] = a[p] ^ flip;
        sum += to[p];
    }
    return (int32_t)sum;
}

BP_LOOP static int32_t row_of_words(const uint8_t *a, size_t k, uint8_t flip, int16_t *to)
{
    uint32_t sum = 0;

    for (size_t p = 0; p < k; p++) {
        uint8_t byte = a[p] ^ flip;

        to[p] = byte;
        sum += byte;
    }
    return (int32_t)sum;
}

int32_t bp_cpu_int8_pack_row(const struct bp_cpu_int8 *g, const uint8_t *a, uint8_t *to)
{
    uint8_t flip = g->a_signed ? 0x80 : 0;
    size_t bytes = g->level->group == 4 ? g->k : 2 * g->k;

    memset(to + bytes, 0, g->a_row - bytes);
    return g->level->group == 4 ? row_of_bytes(a, g->k, flip, to)
                                : row_of_words(a, g->k, flip, (int16_t *)(void *)to);
}

void bp_cpu_int8_pack_ones(const struct bp_cpu_int8 *g, uint8_t *to)
{
    const uint8_t bytes[4] = {1, 1, 1, 1}, words[4] = {1, 0, 1, 0};

    for (size_t i = 0; i < g->groups; i++)
        memcpy(to + i * 4, g->level->group == 4 ? bytes : words, 4);
}

/* ---- B --------------------------------------------------------------------------------------- */

/* `n` columns of four rows side by side. */
BP_LOOP static void weave_bytes(const uint8_t *const *rows, size_t n, uint8_t flip, uint8_t *to)
{
    const uint8_t *r0 = rows[0], *r1 = rows[1], *r2 = rows[2], *r3 = rows[3];

    for (size_t j = 0; j < n; j++) {
        to[4 * j] = r0[j] ^ flip;
        to[4 * j + 1] = r1[j] ^ flip;
        to[4 * j + 2] = r2[j] ^ flip;
        to[4 * j + 3] = r3[j] ^ flip;
    }
}

BP_LOOP static void weave_words(const uint8_t *const *rows, size_t n, uint8_t flip, int16_t *to)
{
    const uint8_t *r0 = rows[0], *r1 = rows[1];

    for (size_t j = 0; j < n; j++) {
        to[2 * j] = (int8_t)(r0[j] ^ flip);
        to[2 * j + 1] = (int8_t)(r1[j] ^ flip);
    }
}

/* One row of a convolution's matrix: a tap of the kernel, for the positions of the runs. */
static void fill_taps(const struct bp_cpu_window *w, const struct bp_cpu_pack_run *runs,
                      size_t n_runs, const uint8_t *image, size_t row, uint8_t pad, uint8_t *to)
{
    int64_t channel = (int64_t)row / w->kernel_count, rest = (int64_t)row % w->kernel_count;
    int64_t dz = rest / (w->kernel[1] * w->kernel[2]) * w->dilation[0];
    int64_t dy = rest / w->kernel[2] % w->kernel[1] * w->dilation[1];
    int64_t dx = rest % w->kernel[2] * w->dilation[2], step = w->stride[2];

    for (size_t r = 0; r < n_runs; to += runs[r++].count) {
        int64_t z = runs[r].start[0] + dz, y = runs[r].start[1] + dy, x = runs[r].start[2] + dx;
        int64_t first = 0, end = 0;
        const uint8_t *from = image + channel * w->in_count;

        if (z >= 0 && z < w->in[0] && y >= 0 && y < w->in[1]) {
            bp_cpu_window_clip(x, step, runs[r].count, w->in[2], &first, &end);
            from += (z * w->in[1] + y) * w->in[2];
        }
        memset(to, pad, (size_t)first);
        if (step == 1 && end > first)
            memcpy(to + first, from + x + first, (size_t)(end - first));
        for (int64_t i = step == 1 ? end : first; i < end; i++)
            to[i] = from[x + i * step];
        memset(to + end, pad, (size_t)(runs[r].count - end));
    }
}

/* Rows of B that a group takes, of some of its columns; `none` stands for those behind k. */
struct rows {
    const uint8_t *at[MAX_GROUP];
    uint8_t filled[MAX_GROUP][MAX_COLS], none[MAX_COLS];
};

static void take_rows(const struct bp_cpu_int8 *g, const uint8_t *b, uint8_t pad, size_t first,
                      size_t col, size_t cols, const struct bp_cpu_pack_run *runs, size_t n_runs,
                      struct rows *out)
{
    for (size_t t = 0; t < g->level->group; t++) {
        size_t row = first + t;

        if (row >= g->k) {
            out->at[t] = out->none;
        } else if (g->image) {
            fill_taps(g->image, runs, n_runs, b, row, pad, out->filled[t]);
            out->at[t] = out->filled[t];
        } else if (cols % g->level->nr == 0) {
            out->at[t] = b + row * g->n + col;
        } else { /* the last columns: what is read behind them must be there */
            memcpy(out->filled[t], b + row * g->n + col, cols);
            out->at[t] = out->filled[t];
        }
    }
}

void bp_cpu_int8_pack_panels(const struct bp_cpu_int8 *g, const void *b, uint8_t pad, size_t first,
                             size_t n, uint8_t *to)
{
    struct bp_cpu_pack_run runs[BP_CPU_PACK_RUNS];
    size_t nr = g->level->nr, col = first * nr, n_runs = 0;
    size_t cols = g->n - col < n * nr ? g->n - col : n * nr;
    uint8_t flip = g->b_signed ? 0 : 0x80;
    struct rows rows;

    memset(&rows, flip, sizeof rows); /* becomes 0 */
    if (g->image)
        n_runs = bp_cpu_pack_runs(g->image, (int64_t)col, (int64_t)cols, runs);
    for (size_t i = 0; i < g->groups; i++, to += nr * 4) {
        take_rows(g, b, pad, i * g->level->group, col, cols, runs, n_runs, &rows);
        for (size_t q = 0; q < n; q++) {
            const uint8_t *at[MAX_GROUP];
            uint8_t *panel = to + q * g->panel;

            for (size_t t = 0; t < g->level->group; t++)
                at[t] = rows.at[t] + q * nr;
            if (g->level->group == 4)
                weave_bytes(at, nr, flip, panel);
            else
                weave_words(at, nr, flip, (int16_t *)(void *)panel);
        }
    }
}

static void sum_group(const uint8_t *group, size_t nr, size_t size, int32_t *sums)
{
    for (size_t j = 0; j < nr; j++, group += 4) {
        int16_t words[2];

        memcpy(words, group, sizeof words);
        sums[j] += size == 4
                       ? (int8_t)group[0] + (int8_t)group[1] + (int8_t)group[2] + (int8_t)group[3]
                       : words[0] + words[1];
    }
}

void bp_cpu_int8_sum_panels(const struct bp_cpu_int8 *g, const uint8_t *panels, size_t n,
                            int32_t *sums)
{
    size_t nr = g->level->nr;

    memset(sums, 0, n * nr * sizeof *sums);
    for (size_t q = 0; q < n; q++, panels += g->panel, sums += nr) {
        for (size_t i = 0; i < g->groups; i++)
            sum_group(panels + i * nr * 4, nr, g->level->group, sums);
    }
}
