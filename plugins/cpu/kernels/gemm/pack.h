/* SPDX-License-Identifier: MIT */
/*
 * pack.h - copies a part of a matrix or an image into the panels that bp_cpu_block reads.
 *
 * A panel is nr adjacent columns, row after row, contiguous and padded with zeros: the tile then
 * reads memory in order. Elements are moved by their size, 4 or 8 bytes, and sources may lie at any
 * address. [any thread]
 */
#ifndef BP_CPU_KERNELS_GEMM_PACK_H
#define BP_CPU_KERNELS_GEMM_PACK_H

#include "kernels/window.h"

#include <stddef.h>

/*
 * Rows and columns of a matrix of `size`-byte elements; panel q goes to dst + q * rows * nr
 * elements.
 */
struct bp_cpu_pack {
    size_t rows, cols, nr;
    size_t size; /* 4 or 8 */
};

/* src is row-major, ld elements a row. */
void bp_cpu_pack_rows(const struct bp_cpu_pack *pack, const void *src, size_t ld, void *dst);
/* src is the transposed matrix: element (row, col) at col * ld + row. */
void bp_cpu_pack_transposed(const struct bp_cpu_pack *pack, const void *src, size_t ld, void *dst);
/* dst[row][col] = src[col][row]: rows of `cols` elements, dense. */
void bp_cpu_transpose(size_t rows, size_t cols, size_t size, const void *src, size_t ld, void *dst);

/*
 * The matrix of a convolution: row (channel, kernel position), column (output position). Packs rows
 * from `first_row` and columns from `first_col` of an image, whose channels lie one after another
 * at src. nr is at most 256.
 */
void bp_cpu_pack_image(const struct bp_cpu_pack *pack, const struct bp_cpu_window *window,
                       const void *src, int64_t first_row, int64_t first_col, void *dst);

/* Output positions side by side in one output row. */
struct bp_cpu_pack_run {
    int64_t start[BP_CPU_SPATIAL]; /* where the window of the first one begins in x */
    int64_t count;
};

enum { BP_CPU_PACK_RUNS = 256 }; /* at most; a panel has no more columns */

/*
 * `count` output positions from `col` on, cut at the ends of output rows; returns the runs' number.
 */
size_t bp_cpu_pack_runs(const struct bp_cpu_window *w, int64_t col, int64_t count,
                        struct bp_cpu_pack_run *runs);

#endif
