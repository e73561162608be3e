/* SPDX-License-Identifier: MIT */
/*
 * gemm_conv.c - convolutions as matrix products without im2col.
 *
 * A task copies a strip of the padded image (padded_strip.h), separated by phases where the stride
 * exceeds 1; its tiles read the window's elements in place, through row_at. Sums at positions
 * between output rows are dropped at the end.
 */

#include "kernels/gemm/gemm_internal.h"

enum {
    C_BYTES = 384 * 1024, /* of C that a pass accumulates; with the strip it fills the L2 cache */
    COLLISION = 512       /* bytes */
};

/* The parts of a task's scratch, one after the other. */
struct scratch_layout {
    size_t *at;    /* of the taps of `depth` */
    char *image;   /* `length` elements a phase of a channel */
    char *c;       /* rows of the task's columns */
    char *a;       /* where A does not lie well */
    size_t length; /* of a phase, in elements */
    size_t bytes;
};

/* Rows of C, of so many columns, for which one strip of the image is prepared. */
static size_t rows_per_pass(const struct bp_cpu_gemm *g, size_t cols)
{
    size_t row = gemm_round_up(cols, g->simd->nr) * gemm_element(g);
    size_t rows = C_BYTES / row / g->simd->mr * g->simd->mr;

    return gemm_min(g->m, rows > g->simd->mr ? rows : g->simd->mr);
}

/*
 * Elements of a phase. A length near a multiple of 512 bytes is avoided: taps so far apart share
 * sets of the L1 cache.
 */
static size_t phase_length(const struct bp_cpu_gemm *g, size_t cols)
{
    size_t length = gemm_round_up(cols, g->simd->nr) + (size_t)g->strip.span;

    return length * gemm_element(g) % COLLISION < 64 ? length + 64 / gemm_element(g) : length;
}

static struct scratch_layout layout_in(const struct bp_cpu_gemm *g, size_t cols, char *scratch)
{
    size_t channels = g->depth / (size_t)g->image->kernel_count;
    size_t length = phase_length(g, cols);
    size_t image = gemm_round_up(g->depth * sizeof(size_t), 64);
    size_t phases = channels * (size_t)g->strip.n_phases;
    size_t c = image + gemm_round_up(phases * length * gemm_element(g), 64);
    size_t a = c + rows_per_pass(g, cols) * gemm_round_up(cols, g->simd->nr) * gemm_element(g);

    return (struct scratch_layout){
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

    if (!g->image || g->k == 0 || !bp_cpu_padded_strip_make(g->image, &g->strip))
        return false;
    taps = (size_t)g->image->kernel_count;
    g->depth = gemm_min(g->k, most > taps ? most / taps * taps : taps);
    return true;
}

size_t bp_cpu_gemm_conv_bytes(const struct bp_cpu_gemm *g, size_t cols)
{
    static char nowhere[1];

    return layout_in(g, cols, nowhere).bytes;
}

/* Adds one block of k to `rows` rows of C from row i on. */
static void run_part(const struct bp_cpu_gemm *g, const struct bp_cpu_gemm_share *t,
                     const struct scratch_layout *layout, size_t p, size_t i, size_t rows,
                     struct bp_cpu_block *block)
{
    size_t size = gemm_element(g), step = bp_cpu_gemm_ready_rows(g);

    for (size_t r = 0; r < rows; r += step) {
        block->m = gemm_min(step, rows - r);
        block->c = layout->c + r * block->ldc * size;
        block->bias = t->bias && p == 0 ? t->bias + (i + r) * size : NULL;
        bp_cpu_gemm_ready(g, t, i + r, p, layout->a, block);
        g->simd->block(block);
    }
}

/* `rows` rows of C from row i on: all of k for them, then the wanted positions are copied to C. */
static void run_rows(const struct bp_cpu_gemm *g, const struct bp_cpu_gemm_share *t,
                     const struct scratch_layout *layout, size_t i, size_t rows)
{
    size_t size = gemm_element(g), taps = (size_t)g->image->kernel_count;
    size_t n = gemm_round_up(t->j1 - t->j0, g->simd->nr);
    struct bp_cpu_block block = {.b = layout->image,
                                 .row_at = layout->at,
                                 .ldc = n,
                                 .panel = g->simd->nr,
                                 .n = n,
                                 .alpha = g->alpha};

    for (size_t p = 0; p < g->k; p += block.k) {
        int64_t channels;

        block.k = gemm_min(g->depth, g->k - p);
        channels = (int64_t)(block.k / taps);
        bp_cpu_padded_strip_fill(&g->strip, t->b + p / taps * (size_t)g->image->in_count * size,
                                 size, channels, (int64_t)t->j0, layout->length, layout->image);
        bp_cpu_padded_strip_taps(&g->strip, channels, layout->length, layout->at);
        block.add = p > 0;
        run_part(g, t, layout, p, i, rows, &block);
    }
    bp_cpu_padded_strip_keep(&g->strip, size, (int64_t)t->j0, t->j1 - t->j0, rows, layout->c, n,
                             t->c + i * g->ldc * size, g->ldc);
}

void bp_cpu_gemm_conv_run(const struct bp_cpu_gemm *g, const struct bp_cpu_gemm_share *t,
                          size_t cols)
{
    struct scratch_layout layout = layout_in(g, cols, t->scratch);
    size_t step = rows_per_pass(g, cols);

    for (size_t i = t->i0; i < t->i1 && !bp_cpu_should_stop(t->stop); i += step)
        run_rows(g, t, &layout, i, gemm_min(step, t->i1 - i));
}
