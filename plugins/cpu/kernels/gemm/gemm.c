/* SPDX-License-Identifier: MIT */
/*
 * gemm.c - plans and runs matrix products.
 *
 * With few rows, B is read once and in order, because memory bandwidth is the limit. Otherwise C is
 * cut into tasks: each packs its part of B into panels, which stay in the L2 cache, and runs
 * register tiles over them. A is read in place, unless it is transposed or its rows collide in the
 * L1 cache (gemm_a.c). A convolution copies a strip of the padded image instead of packing the
 * im2col matrix (gemm_conv.c).
 */

#include "kernels/gemm/gemm_internal.h"
#include "kernels/gemm/pack.h"

enum { PATH_ROWS, PATH_DOTS, PATH_BLOCKS, PATH_STRIPS, PATH_BLAS };

enum {
    FEW_ROWS = 16,          /* with fewer rows, memory bandwidth is the limit */
    BLOCK_COLS = 256,       /* columns of B in a task: 256 KiB, for the L2 cache */
    DIRECT_ROWS = 32,       /* with fewer rows, copying B costs more than it gains */
    TASK_FLOPS = 32 * 1024, /* least work of a task */
    CALL_FLOPS = 1 << 30,   /* work of a call of BLAS in a run that may be stopped: 10 to 30 ms */
    CALL_ROWS = 64,         /* its rows are a multiple of this, so that its kernels are the same */
    ROW_MAJOR = 101,        /* cblas.h's numbers */
    NO_TRANS = 111,
    TRANS = 112
};

/* The first of `count` elements in part i of n; parts begin at multiples of `unit`. */
static size_t part_start(size_t count, size_t unit, size_t i, size_t n)
{
    size_t units = (count + unit - 1) / unit;

    return gemm_min((units / n * i + units % n * i / n) * unit, count);
}

/* The columns that tasks share: those of C, or positions of a strip. */
static size_t columns(const struct bp_cpu_gemm *g)
{
    return g->path == PATH_STRIPS ? (size_t)g->strip.count : g->n;
}

/* Most columns of a task, in whole panels. */
static size_t task_cols(const struct bp_cpu_gemm *g)
{
    size_t units = (columns(g) + g->simd->nr - 1) / g->simd->nr;

    return (units + g->col_parts - 1) / g->col_parts * g->simd->nr;
}

/*
 * Cuts C into tasks, by columns first, because each task then packs a part of B of its own; by rows
 * too when there are fewer column blocks than threads.
 */
static void share_out(struct bp_cpu_gemm *g, size_t max_cols)
{
    size_t unit = g->simd->nr, n = columns(g), units = (n + unit - 1) / unit;
    double flops = 2.0 * (double)g->m * (double)n * (double)g->k;
    size_t worth = g->width < 2 || flops < 2.0 * TASK_FLOPS ? 1 : g->width;
    size_t cols = (n + max_cols - 1) / max_cols;

    if (cols < worth * 2 && flops > 4.0 * TASK_FLOPS * (double)worth && worth > 1)
        cols = worth * 2;
    else if (cols < worth)
        cols = worth;
    g->col_parts = cols > units ? units : cols;
    if (g->col_parts == 0)
        g->col_parts = 1;
    g->row_parts = (worth + g->col_parts - 1) / g->col_parts;
    if (g->row_parts > g->m / (2 * g->simd->mr))
        g->row_parts = g->m / (2 * g->simd->mr);
    if (g->row_parts == 0)
        g->row_parts = 1;
    if (g->col_parts > UINT32_MAX / g->row_parts)
        g->col_parts = UINT32_MAX / g->row_parts;
    g->tasks = (uint32_t)(g->row_parts * g->col_parts);
}

static bool fits_blas(const struct bp_cpu_gemm *g)
{
    return g->m <= INT32_MAX && g->n <= INT32_MAX && g->k <= INT32_MAX && g->lda <= INT32_MAX &&
           g->ldb <= INT32_MAX && g->ldc <= INT32_MAX && g->k > 0;
}

void bp_cpu_gemm_plan(struct bp_cpu_gemm *g)
{
    if (!g->simd)
        g->simd = bp_cpu_simd(g->dtype);
    if (g->lda == 0)
        g->lda = g->trans_a ? g->m : g->k;
    if (g->ldb == 0)
        g->ldb = g->trans_b ? g->k : g->n;
    if (g->ldc == 0)
        g->ldc = g->n;
    g->scratch_bytes = 0;
    if (g->m < FEW_ROWS && !g->is_conv) {
        g->path = g->trans_b ? PATH_DOTS : PATH_ROWS;
        g->depth = g->k;
        /* whole cache lines of C for each task */
        share_out(g, SIZE_MAX / 2);
        if (g->trans_a)
            g->scratch_bytes = g->m * g->k * gemm_element(g);
        return;
    }
    g->path = g->blas && fits_blas(g) ? PATH_BLAS : PATH_BLOCKS;
    if (g->path == PATH_BLOCKS && bp_cpu_gemm_conv_plan(g)) {
        g->path = PATH_STRIPS;
        share_out(g, BLOCK_COLS);
        g->scratch_bytes = bp_cpu_gemm_conv_bytes(g, task_cols(g));
        return;
    }
    g->depth = gemm_min(g->k, BP_CPU_GEMM_DEPTH / gemm_element(g));
    share_out(g, g->path == PATH_BLAS && !g->image ? SIZE_MAX / 2 : BLOCK_COLS);
    if (g->path == PATH_BLAS && !g->image)
        return;
    g->scratch_bytes =
        gemm_round_up(g->depth * task_cols(g) * gemm_element(g), 64) + bp_cpu_gemm_ready_bytes(g);
}

/* ---- algorithms ------------------------------------------------------------------------------ */

/* C = the bias of its row, in the task's part. */
static void fill_bias(const struct bp_cpu_gemm *g, const struct bp_cpu_gemm_share *t)
{
    size_t size = gemm_element(g);

    for (size_t i = t->i0; i < t->i1; i++) {
        char *row = t->c + (i * g->ldc + t->j0) * size;

        for (size_t j = t->j0; j < t->j1; j++, row += size)
            memcpy(row, t->bias + i * size, size);
    }
}

/* Rows p0 .. p0 + depth of B, which lie at b, row by row as ldb and trans_b say. */
static void call_blas(const struct bp_cpu_gemm *g, const struct bp_cpu_gemm_share *t, const void *b,
                      size_t ldb, size_t p0, size_t depth)
{
    size_t size = gemm_element(g);
    const void *a = t->a + (g->trans_a ? p0 * g->lda + t->i0 : t->i0 * g->lda + p0) * size;
    void *c = t->c + (t->i0 * g->ldc + t->j0) * size;
    int m = (int)(t->i1 - t->i0), n = (int)(t->j1 - t->j0), k = (int)depth;
    int ta = g->trans_a ? TRANS : NO_TRANS, tb = g->trans_b ? TRANS : NO_TRANS;
    int beta = g->add || t->bias || p0 > 0;

    if (g->dtype == BP_DTYPE_F64)
        g->blas->dgemm(ROW_MAJOR, ta, tb, m, n, k, g->alpha, a, (int)g->lda, b, (int)ldb, beta, c,
                       (int)g->ldc);
    else
        g->blas->sgemm(ROW_MAJOR, ta, tb, m, n, k, (float)g->alpha, a, (int)g->lda, b, (int)ldb,
                       (float)beta, c, (int)g->ldc);
}

/*
 * The whole depth of a plain B. A call of BLAS cannot be left, so a run that may be stopped makes
 * several, each for some rows of C.
 */
static void run_blas_rows(const struct bp_cpu_gemm *g, const struct bp_cpu_gemm_share *t)
{
    const char *b = t->b + t->j0 * (g->trans_b ? g->ldb : 1) * gemm_element(g);
    double row_flops = 2 * (double)g->k * (double)(t->j1 - t->j0);
    size_t step = t->i1 - t->i0;

    if (t->stop && t->stop->run && row_flops * (double)step > CALL_FLOPS)
        step = gemm_round_up((size_t)(CALL_FLOPS / row_flops) + 1, CALL_ROWS);
    for (size_t i = t->i0; i < t->i1 && !bp_cpu_should_stop(t->stop); i += step) {
        struct bp_cpu_gemm_share part = *t;

        part.i0 = i;
        part.i1 = gemm_min(i + step, t->i1);
        call_blas(g, &part, b, g->ldb, 0, g->k);
    }
}

static void run_blas(const struct bp_cpu_gemm *g, const struct bp_cpu_gemm_share *t)
{
    size_t size = gemm_element(g), cols = t->j1 - t->j0;
    struct bp_cpu_pack pack = {.cols = cols, .nr = cols, .size = size};

    if (t->bias)
        fill_bias(g, t);
    if (!g->image) {
        run_blas_rows(g, t);
        return;
    }
    /* one panel as wide as the task is a plain matrix */
    for (size_t p = 0; p < g->k && !bp_cpu_should_stop(t->stop); p += g->depth) {
        pack.rows = gemm_min(g->depth, g->k - p);
        bp_cpu_pack_image(&pack, g->image, t->b, (int64_t)p, (int64_t)t->j0, t->scratch);
        call_blas(g, t, t->scratch, cols, p, pack.rows);
    }
}

static void run_few_rows(const struct bp_cpu_gemm *g, const struct bp_cpu_gemm_share *t)
{
    size_t size = gemm_element(g);
    struct bp_cpu_block block = {
        .a = t->a,
        .b = t->b + t->j0 * (g->trans_b ? g->ldb : 1) * size,
        .c = t->c + t->j0 * size,
        .lda = g->lda,
        .ldb = g->ldb,
        .ldc = g->ldc,
        .m = g->m,
        .n = t->j1 - t->j0,
        .k = g->k,
        .bias = t->bias,
        .alpha = g->alpha,
        .add = g->add,
    };

    if (g->trans_a) {
        bp_cpu_transpose(g->m, g->k, size, t->a, g->lda, t->scratch);
        block.a = t->scratch;
        block.lda = g->k;
    }
    if (g->path == PATH_DOTS)
        g->simd->dots(&block);
    else
        g->simd->rows(&block);
}

/* Rows t->i0 .. t->i1 of the block; `ready` is scratch for A. */
static void run_rows(const struct bp_cpu_gemm *g, const struct bp_cpu_gemm_share *t, size_t p0,
                     struct bp_cpu_block *block, char *ready)
{
    size_t size = gemm_element(g), step = bp_cpu_gemm_ready_rows(g);
    char *c = block->c;

    for (size_t i = t->i0; i < t->i1; i += step) {
        block->m = gemm_min(step, t->i1 - i);
        block->c = c + (i - t->i0) * g->ldc * size;
        block->bias = t->bias && p0 == 0 ? t->bias + i * size : NULL;
        bp_cpu_gemm_ready(g, t, i, p0, ready, block);
        g->simd->block(block);
    }
    block->c = c;
}

/* Columns j0 .. j1 of the task, rows p0 .. p0 + depth of B. */
static void run_pass(const struct bp_cpu_gemm *g, const struct bp_cpu_gemm_share *t, size_t p0,
                     size_t depth, size_t j0, size_t j1, bool direct)
{
    size_t size = gemm_element(g);
    struct bp_cpu_pack pack = {.rows = depth, .cols = j1 - j0, .nr = g->simd->nr, .size = size};
    size_t packed = gemm_round_up(pack.cols, pack.nr) * depth * size;
    const char *b = t->b + (g->trans_b ? j0 * g->ldb + p0 : p0 * g->ldb + j0) * size;
    struct bp_cpu_block block = {
        .b = direct ? b : t->scratch,
        .c = t->c + (t->i0 * g->ldc + j0) * size,
        .ldb = direct ? g->ldb : pack.nr,
        .ldc = g->ldc,
        .panel = direct ? pack.nr : depth * pack.nr,
        .n = pack.cols,
        .k = depth,
        .alpha = g->alpha,
        .add = g->add || p0 > 0,
    };

    if (g->image)
        bp_cpu_pack_image(&pack, g->image, t->b, (int64_t)p0, (int64_t)j0, t->scratch);
    else if (!direct && g->trans_b)
        bp_cpu_pack_transposed(&pack, b, g->ldb, t->scratch);
    else if (!direct)
        bp_cpu_pack_rows(&pack, b, g->ldb, t->scratch);
    run_rows(g, t, p0, &block, t->scratch + gemm_round_up(packed, 64));
}

static void run_blocks(const struct bp_cpu_gemm *g, const struct bp_cpu_gemm_share *t)
{
    size_t p = 0;
    /* only whole panels can be read in place; the columns left over are packed */
    bool direct = !g->trans_b && !g->image && t->i1 - t->i0 <= DIRECT_ROWS;
    size_t whole = direct ? t->j0 + (t->j1 - t->j0) / g->simd->nr * g->simd->nr : t->j0;

    do {
        size_t depth = gemm_min(g->depth, g->k - p);

        if (whole > t->j0)
            run_pass(g, t, p, depth, t->j0, whole, true);
        if (t->j1 > whole)
            run_pass(g, t, p, depth, whole, t->j1, false);
        p += depth;
    } while (p < g->k && !bp_cpu_should_stop(t->stop));
}

/* The task's rows of C, and its columns or flat positions. */
static void task_part(const struct bp_cpu_gemm *g, uint32_t task, size_t rows[2], size_t cols[2])
{
    size_t row = task / g->col_parts, col = task % g->col_parts;

    for (size_t end = 0; end < 2; end++) {
        rows[end] = part_start(g->m, g->simd->mr, row + end, g->row_parts);
        cols[end] = part_start(columns(g), g->simd->nr, col + end, g->col_parts);
    }
}

void bp_cpu_gemm_part(const struct bp_cpu_gemm *g, uint32_t task, size_t rows[2], size_t cols[2])
{
    task_part(g, task, rows, cols);
    for (size_t end = 0; end < 2 && g->path == PATH_STRIPS; end++)
        cols[end] = (size_t)bp_cpu_padded_strip_position(&g->strip, (int64_t)cols[end]);
}

void bp_cpu_gemm_task(const struct bp_cpu_gemm *g, const struct bp_cpu_operands *operands,
                      uint32_t task, void *scratch)
{
    size_t rows[2], cols[2];
    struct bp_cpu_gemm_share part = {
        .a = operands->a,
        .b = operands->b,
        .bias = operands->bias,
        .c = operands->c,
        .scratch = scratch,
        .stop = operands->stop,
    };

    task_part(g, task, rows, cols);
    part.i0 = rows[0];
    part.i1 = rows[1];
    part.j0 = cols[0];
    part.j1 = cols[1];
    if (part.i0 >= part.i1 || part.j0 >= part.j1)
        return;
    if (g->path == PATH_BLOCKS)
        run_blocks(g, &part);
    else if (g->path == PATH_STRIPS)
        bp_cpu_gemm_conv_run(g, &part, task_cols(g));
    else if (g->path == PATH_BLAS)
        run_blas(g, &part);
    else
        run_few_rows(g, &part);
}
