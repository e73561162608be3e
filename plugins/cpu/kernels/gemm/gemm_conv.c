/* SPDX-License-Identifier: MIT */
/*
 * gemm_conv.c - convolutions: a task copies its part of the image with the padding, by phases where
 * the window moves by more than 1, and its tiles read the windows in there. Sums at positions
 * between output rows are dropped.
 */

#include "kernels/gemm/gemm_internal.h"

enum {
    IN_HAND =
        384 * 1024, /* bytes of C over all of k: with a part of the image, the second cache's */
    COLLISION = 512 /* bytes */
};

/* What a task has in its scratch, one behind another. */
struct room {
    size_t *at;    /* of the taps of `depth` */
    char *image;   /* `length` elements a phase of a channel */
    char *c;       /* rows of the task's columns */
    char *a;       /* where A does not lie well */
    size_t length; /* of a phase, in elements */
    size_t bytes;
};

/* Of C, with so many columns: the image is made ready once for all of them. */
static size_t rows_in_hand(const struct bp_cpu_gemm *g, size_t cols)
{
    size_t row = gemm_round_up(cols, g->simd->nr) * gemm_element(g);
    size_t rows = IN_HAND / row / g->simd->mr * g->simd->mr;

    return gemm_min(g->m, rows > g->simd->mr ? rows : g->simd->mr);
}

/* Not a multiple of 512 bytes: taps so far apart share places in the first cache. */
static size_t phase_length(const struct bp_cpu_gemm *g, size_t cols)
{
    size_t length = gemm_round_up(cols, g->simd->nr) + (size_t)g->slab.span;

    return length * gemm_element(g) % COLLISION < 64 ? length + 64 / gemm_element(g) : length;
}

static struct room room_in(const struct bp_cpu_gemm *g, size_t cols, char *scratch)
{
    size_t channels = g->depth / (size_t)g->image->kernel_count;
    size_t length = phase_length(g, cols);
    size_t image = gemm_round_up(g->depth * sizeof(size_t), 64);
    size_t phases = channels * (size_t)g->slab.n_phases;
    size_t c = image + gemm_round_up(phases * length * gemm_element(g), 64);
    size_t a = c + rows_in_hand(g, cols) * gemm_round_up(cols, g->simd->nr) * gemm_element(g);

    return (struct room){
        .at = (size_t *)(void *)scratch,
        .image = scratch + image,
        .c = scratch + c,
        .a = scratch + a,
        .length = length,
        .bytes = a + bp_cpu_gemm_ready_bytes(g),
    };
}

bool bp_cpu_gemm_conv_plan(struct bp_cpu_gemm *g)
{
    size_t taps, most = BP_CPU_GEMM_DEPTH / gemm_element(g);

    if (!g->image || g->k == 0 || !bp_cpu_padded_strip_make(g->image, &g->slab))
        return false;
    taps = (size_t)g->image->kernel_count;
    g->depth = gemm_min(g->k, most > taps ? most / taps * taps : taps);
    return true;
}

size_t bp_cpu_gemm_conv_bytes(const struct bp_cpu_gemm *g, size_t cols)
{
    static char nowhere[1];

    return room_in(g, cols, nowhere).bytes;
}

/* Adds the block's part of k to `rows` rows of C from row i on. */
static void run_part(const struct bp_cpu_gemm *g, const struct bp_cpu_gemm_share *t,
                     const struct room *room, size_t p, size_t i, size_t rows,
                     struct bp_cpu_block *block)
{
    size_t size = gemm_element(g), step = bp_cpu_gemm_ready_rows(g);

    for (size_t r = 0; r < rows; r += step) {
        block->m = gemm_min(step, rows - r);
        block->c = room->c + r * block->ldc * size;
        block->bias = t->bias && p == 0 ? t->bias + (i + r) * size : NULL;
        bp_cpu_gemm_ready(g, t, i + r, p, room->a, block);
        g->simd->block(block);
    }
}

/* `rows` rows of C from row i on: all of k for them, then what is wanted goes to C. */
static void run_rows(const struct bp_cpu_gemm *g, const struct bp_cpu_gemm_share *t,
                     const struct room *room, size_t i, size_t rows)
{
    size_t size = gemm_element(g), taps = (size_t)g->image->kernel_count;
    size_t n = gemm_round_up(t->j1 - t->j0, g->simd->nr);
    struct bp_cpu_block block = {.b = room->image,
                                 .row_at = room->at,
                                 .ldc = n,
                                 .panel = g->simd->nr,
                                 .n = n,
                                 .alpha = g->alpha};

    for (size_t p = 0; p < g->k; p += block.k) {
        int64_t channels;

        block.k = gemm_min(g->depth, g->k - p);
        channels = (int64_t)(block.k / taps);
        bp_cpu_padded_strip_fill(&g->slab, t->b + p / taps * (size_t)g->image->in_count * size,
                                 size, channels, (int64_t)t->j0, room->length, room->image);
        bp_cpu_padded_strip_taps(&g->slab, channels, room->length, room->at);
        block.add = p > 0;
        run_part(g, t, room, p, i, rows, &block);
    }
    bp_cpu_padded_strip_keep(&g->slab, size, (int64_t)t->j0, t->j1 - t->j0, rows, room->c, n,
                             t->c + i * g->ldc * size, g->ldc);
}

void bp_cpu_gemm_conv_run(const struct bp_cpu_gemm *g, const struct bp_cpu_gemm_share *t,
                          size_t cols)
{
    struct room room = room_in(g, cols, t->scratch);
    size_t step = rows_in_hand(g, cols);

    for (size_t i = t->i0; i < t->i1; i += step)
        run_rows(g, t, &room, i, gemm_min(step, t->i1 - i));
}
