/* SPDX-License-Identifier: MIT */
/*
 * gemm_a.c - makes rows of A ready for the tiles: transposed, or copied where they collide in the
 * L1 cache.
 *
 * Rows whose distance is a multiple of 2 KiB map to the same few sets of an 8-way L1 cache of 32
 * KiB, so that the mr rows of a tile evict each other; a copy with 64 bytes between rows does not.
 */

#include "kernels/gemm/gemm_internal.h"

#include "kernels/gemm/pack.h"

enum {
    READY_ROWS = 128, /* rows of A that are transposed or copied at a time */
    COLLISION = 2048, /* bytes: rows at this distance share sets of the L1 cache */
    APART = 64        /* bytes between rows that are copied for that */
};

/* Do the rows of a tile evict each other? */
static bool collides(const struct bp_cpu_gemm *g)
{
    return g->lda * gemm_element(g) % COLLISION == 0 && g->m > 1;
}

size_t bp_cpu_gemm_ready_rows(const struct bp_cpu_gemm *g)
{
    return g->trans_a || collides(g) ? READY_ROWS : g->m;
}

size_t bp_cpu_gemm_ready_bytes(const struct bp_cpu_gemm *g)
{
    if (!g->trans_a && !collides(g))
        return 0;
    return gemm_min(g->m, READY_ROWS) * (g->depth * gemm_element(g) + APART);
}

void bp_cpu_gemm_ready(const struct bp_cpu_gemm *g, const struct bp_cpu_gemm_share *t, size_t i,
                       size_t p, void *scratch, struct bp_cpu_block *block)
{
    size_t size = gemm_element(g);
    const char *from = t->a + (g->trans_a ? p * g->lda + i : i * g->lda + p) * size;

    block->a = scratch;
    if (g->trans_a) {
        block->lda = block->k;
        bp_cpu_transpose(block->m, block->k, size, from, g->lda, scratch);
    } else if (collides(g)) {
        block->lda = block->k + APART / size;
        for (size_t r = 0; r < block->m; r++)
            memcpy((char *)scratch + r * block->lda * size, from + r * g->lda * size,
                   block->k * size);
    } else {
        block->lda = g->lda;
        block->a = from;
    }
}
