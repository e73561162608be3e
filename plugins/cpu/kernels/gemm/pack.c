/* SPDX-License-Identifier: MIT */
/* pack.c - matrices and images into panels. */

#include "kernels/gemm/pack.h"

/* The compiler turns a constant size into a few vector moves. */
static inline void copy_row(void *dst, const void *src, size_t bytes)
{
    switch (bytes) {
    case 128:
        memcpy(dst, src, 128);
        break;
    case 64:
        memcpy(dst, src, 64);
        break;
    default:
        memcpy(dst, src, bytes);
        break;
    }
}

typedef uint32_t raw32 __attribute__((aligned(1), may_alias));
typedef uint64_t raw64 __attribute__((aligned(1), may_alias));
typedef uint32_t word32 __attribute__((may_alias));
typedef uint64_t word64 __attribute__((may_alias));

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define FN(name) JOIN(name, SUFFIX)

#define T word32
#define RAW raw32
#define SUFFIX 32
#include "kernels/gemm/pack.inc"
#undef T
#undef RAW
#undef SUFFIX

#define T word64
#define RAW raw64
#define SUFFIX 64
#include "kernels/gemm/pack.inc"
#undef T
#undef RAW
#undef SUFFIX

void bp_cpu_pack_rows(const struct bp_cpu_pack *pack, const void *src, size_t ld, void *dst)
{
    if (pack->size == 8)
        pack_rows_64(pack, src, ld, dst);
    else
        pack_rows_32(pack, src, ld, dst);
}

void bp_cpu_pack_transposed(const struct bp_cpu_pack *pack, const void *src, size_t ld, void *dst)
{
    if (pack->size == 8)
        pack_transposed_64(pack, src, ld, dst);
    else
        pack_transposed_32(pack, src, ld, dst);
}

void bp_cpu_transpose(size_t rows, size_t cols, size_t size, const void *src, size_t ld, void *dst)
{
    if (size == 8)
        transpose_64(rows, cols, src, ld, dst);
    else
        transpose_32(rows, cols, src, ld, dst);
}

size_t bp_cpu_pack_runs(const struct bp_cpu_window *w, int64_t col, int64_t count,
                        struct bp_cpu_pack_run *runs)
{
    int64_t x = col % w->out[2], y = col / w->out[2] % w->out[1];
    int64_t z = col / w->out[2] / w->out[1];
    size_t n = 0;

    while (count > 0 && n < BP_CPU_PACK_RUNS) {
        struct bp_cpu_pack_run *run = &runs[n++];

        run->start[0] = bp_cpu_window_start(w, 0, z);
        run->start[1] = bp_cpu_window_start(w, 1, y);
        run->start[2] = bp_cpu_window_start(w, 2, x);
        run->count = w->out[2] - x < count ? w->out[2] - x : count;
        count -= run->count;
        x = 0;
        if (++y == w->out[1]) {
            y = 0;
            z++;
        }
    }
    return n;
}

void bp_cpu_pack_image(const struct bp_cpu_pack *pack, const struct bp_cpu_window *window,
                       const void *src, int64_t first_row, int64_t first_col, void *dst)
{
    struct bp_cpu_pack_run runs[BP_CPU_PACK_RUNS];

    for (size_t j = 0; j < pack->cols; j += pack->nr) {
        size_t cols = pack->cols - j < pack->nr ? pack->cols - j : pack->nr;
        size_t n = bp_cpu_pack_runs(window, first_col + (int64_t)j, (int64_t)cols, runs);

        if (pack->size == 8)
            pack_panel_64(pack, window, runs, n, src, first_row, cols, dst);
        else
            pack_panel_32(pack, window, runs, n, src, first_row, cols, dst);
        dst = (char *)dst + pack->rows * pack->nr * pack->size;
    }
}
