/* SPDX-License-Identifier: MIT */
/* int8.c - the plain tile, the choice of a level, the plan of a product and its tasks. */

#include "kernels/int8/int8.h"

#include "kernels/int8/int8_epilogue.h"
#include "kernels/int8/int8_pack.h"
#include "kernels/tensor_data.h"

#include <bp/abi.h>
#include <string.h>

enum {
    PASS_BYTES = 256 * 1024, /* packed B of a pass: it stays in the L2 cache */
    PASS_COLS = 256,         /* the most runs that pack.h makes */
    TASK_WORK = 64 * 1024,   /* products in a task, at the least */
    MAX_TILE = 12 * BP_CPU_INT8_MAX_NR
};

/* ---- levels ---------------------------------------------------------------------------------- */

static void plain_block(const struct bp_cpu_int8_block *k)
{
    enum { NR = 16 };

    for (size_t i = 0; i < k->rows; i++) {
        int32_t sums[NR] = {0};
        const uint8_t *b = k->b;

        for (size_t g = 0; g < k->groups; g++, b += NR * 4) {
            int16_t a[2], pair[2 * NR];

            memcpy(a, k->a + i * k->a_row + g * 4, sizeof a);
            memcpy(pair, b, sizeof pair);
            for (size_t j = 0; j < NR; j++)
                sums[j] = (int32_t)((uint32_t)sums[j] +
                                    (uint32_t)(a[0] * pair[2 * j] + a[1] * pair[2 * j + 1]));
        }
        memcpy(k->c + i * NR, sums, sizeof sums);
    }
}

const struct bp_cpu_int8_level bp_cpu_int8_plain = {.name = "plain",
                                                    .mr = 4,
                                                    .nr = 16,
                                                    .group = 2,
                                                    .block = plain_block,
                                                    .epilogue = bp_cpu_int8_epilogue_plain};

static bool has_level(uint32_t i)
{
#if defined(__x86_64__) || defined(__i386__)
    bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");

    switch (i) {
    case 1:
        return __builtin_cpu_supports("avx2");
    case 2:
        return has_avx512;
    case 3:
        return has_avx512 && __builtin_cpu_supports("avx512vnni");
    default:
        return i == 0;
    }
#else
    return i == 0;
#endif
}

const struct bp_cpu_int8_level *bp_cpu_int8_level(uint32_t i, bool *usable)
{
    static const struct bp_cpu_int8_level *const levels[] = {
        &bp_cpu_int8_plain, &bp_cpu_int8_avx2, &bp_cpu_int8_avx512, &bp_cpu_int8_vnni};

    if (i >= sizeof levels / sizeof levels[0])
        return NULL;
    *usable = levels[i]->block && has_level(i);
    return levels[i];
}

const struct bp_cpu_int8_level *bp_cpu_int8_best(void)
{
    const struct bp_cpu_int8_level *best = NULL, *level;
    bool usable;

    for (uint32_t i = 0; (level = bp_cpu_int8_level(i, &usable)) != NULL; i++) {
        if (usable)
            best = level;
    }
    return best;
}

/* ---- plan ------------------------------------------------------------------------------------ */

static size_t round_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Cuts C by columns, as each task packs its own part of B; by rows where there are too few. */
static void share_out(struct bp_cpu_int8 *g)
{
    double work = (double)g->m * (double)g->n * (double)g->k;
    size_t worth = g->width < 2 || work < 2.0 * TASK_WORK ? 1 : g->width;
    size_t tiles = (g->m + g->level->mr - 1) / g->level->mr;
    size_t cols = min_size(g->panels, worth == 1 ? 1 : worth * 2);
    size_t rows = (worth + cols - 1) / (cols ? cols : 1);

    g->col_parts = (uint32_t)(cols ? cols : 1);
    g->row_parts = (uint32_t)(rows > tiles ? tiles : rows);
    if (g->row_parts == 0)
        g->row_parts = 1;
    g->tasks = g->row_parts * g->col_parts;
}

bool bp_cpu_int8_plan(struct bp_cpu_int8 *g)
{
    size_t limit = SIZE_MAX / 64;

    if (!g->level)
        g->level = bp_cpu_int8_best();
    if (g->k > limit || g->m >= limit || g->n > limit || g->n > UINT32_MAX || g->m > UINT32_MAX)
        return false;
    g->groups = (g->k + g->level->group - 1) / g->level->group;
    g->a_row = g->groups * 4;
    g->panel = g->groups * 4 * g->level->nr;
    g->panels = (g->n + g->level->nr - 1) / g->level->nr;
    if (g->k > 0 && (g->panel / 4 / g->level->nr != g->groups || g->panel > limit))
        return false;
    g->pass = g->panel > 0 ? PASS_BYTES / g->panel : 1;
    g->pass = min_size(g->pass ? g->pass : 1, PASS_COLS / g->level->nr);
    if (__builtin_mul_overflow(g->m + 1, g->a_row, &g->a_bytes) || g->a_bytes > limit)
        return false;
    share_out(g);
    /* a pass of panels with the sums of their columns; a tile */
    g->scratch_bytes = MAX_TILE * sizeof(int32_t);
    if (!g->is_packed)
        g->scratch_bytes += g->pass * (g->panel + g->level->nr * sizeof(int32_t));
    return true;
}

size_t bp_cpu_int8_a_size(const struct bp_cpu_int8 *g)
{
    return round_up(round_up(g->a_bytes, 64) + g->m * sizeof(int32_t), 64);
}

size_t bp_cpu_int8_b_size(const struct bp_cpu_int8 *g)
{
    size_t one = g->panel + g->level->nr * sizeof(int32_t), bytes;

    return __builtin_mul_overflow(g->panels, one, &bytes) || bytes > SIZE_MAX / 64
               ? 0
               : round_up(bytes, 64);
}

/* ---- packing --------------------------------------------------------------------------------- */

/* The row sums of packed A are stored after its rows. */
static const int32_t *sums_of_a(const struct bp_cpu_int8 *g, const void *packed)
{
    return (const int32_t *)(const void *)((const char *)packed + round_up(g->a_bytes, 64));
}

void bp_cpu_int8_pack_a(const struct bp_cpu_int8 *g, const void *a, void *packed)
{
    uint8_t *to = packed;
    int32_t *sums = (int32_t *)(void *)(to + round_up(g->a_bytes, 64));

    for (size_t i = 0; i < g->m; i++, to += g->a_row)
        sums[i] = bp_cpu_int8_pack_row(g, (const uint8_t *)a + i * g->k, to);
    bp_cpu_int8_pack_ones(g, to); /* a row of ones, which sums columns of B */
}

/* Columns of `n` panels, summed as a product with the ones. */
static void sum_columns(const struct bp_cpu_int8 *g, const uint8_t *ones, const uint8_t *panels,
                        size_t n, int32_t *sums)
{
    struct bp_cpu_int8_block block = {.a = ones, .a_row = g->a_row, .rows = 1, .groups = g->groups};

    for (size_t q = 0; q < n; q++) {
        block.b = panels + q * g->panel;
        block.c = sums + q * g->level->nr;
        g->level->block(&block);
    }
}

void bp_cpu_int8_pack_b(const struct bp_cpu_int8 *g, const void *b, void *packed)
{
    uint8_t *panels = packed;
    int32_t *sums = (int32_t *)(void *)(panels + g->panels * g->panel);

    for (size_t q = 0; q < g->panels; q += g->pass) {
        size_t n = min_size(g->pass, g->panels - q);

        bp_cpu_int8_pack_panels(g, b, 0, q, n, panels + q * g->panel);
    }
    bp_cpu_int8_sum_panels(g, panels, g->panels, sums);
}

/* ---- tasks ----------------------------------------------------------------------------------- */

/* A task's part of C, and what it knows of B in the pass at hand. */
struct part {
    const struct bp_cpu_int8_operands *operands;
    size_t i0, i1;
    const int32_t *col_sums; /* of the panel at hand */
    int32_t *tile;
};

/* Takes the zero points out of a row's sums, n columns from j on, and hands it over. */
static void finish_row(const struct bp_cpu_int8 *g, const struct part *t, int32_t *sums, size_t i,
                       size_t j, size_t n)
{
    const struct bp_cpu_int8_operands *o = t->operands;
    const int32_t *b_zero = o->b_zero.at + (o->b_zero.each ? j : 0);
    uint32_t a_zero = (uint32_t)o->a_zero.at[o->a_zero.each ? i : 0] + (g->a_signed ? 128 : 0);
    uint32_t shift = g->b_signed ? 0 : 128, row = (uint32_t)sums_of_a(g, o->a)[i];
    /* sum((a - za)(b - zb)) = sum(ab) - za sum(b) + zb (k za - sum(a)) */
    uint32_t factor = (uint32_t)g->k * a_zero - row;

    if (o->b_zero.each) {
        for (size_t c = 0; c < n; c++)
            sums[c] = (int32_t)((uint32_t)sums[c] - a_zero * (uint32_t)t->col_sums[c] +
                                ((uint32_t)b_zero[c] - shift) * factor);
    } else {
        uint32_t rest = ((uint32_t)b_zero[0] - shift) * factor;

        for (size_t c = 0; c < n; c++)
            sums[c] = (int32_t)((uint32_t)sums[c] - a_zero * (uint32_t)t->col_sums[c] + rest);
    }
    o->finish(o->u, sums, i, j, n);
}

/* Do the sums of B's columns count? */
static bool needs_sums(const struct bp_cpu_int8 *g, const struct bp_cpu_int8_operands *o)
{
    return o->a_zero.each || o->a_zero.at[0] + (g->a_signed ? 128 : 0) != 0;
}

/* What the epilogues of a panel's tiles share: values of its columns, which fill its width. */
struct panel_values {
    int32_t col_terms[BP_CPU_INT8_MAX_NR], b_terms[BP_CPU_INT8_MAX_NR];
    float scales[BP_CPU_INT8_MAX_NR], bias[BP_CPU_INT8_MAX_NR];
};

static void fill_values(const struct bp_cpu_int8 *g, const struct part *t, size_t j, size_t n,
                        struct panel_values *v)
{
    const struct bp_cpu_int8_operands *o = t->operands;
    const struct bp_cpu_int8_output *out = o->output;
    uint32_t a_zero = (uint32_t)o->a_zero.at[0] + (g->a_signed ? 128 : 0);
    uint32_t shift = g->b_signed ? 0 : 128;

    memset(v, 0, sizeof *v);
    for (size_t c = 0; c < n; c++) {
        v->col_terms[c] = (int32_t)(0 - a_zero * (uint32_t)t->col_sums[c]);
        v->b_terms[c] = (int32_t)((uint32_t)o->b_zero.at[o->b_zero.each ? j + c : 0] - shift);
        v->scales[c] = out->scales[out->each ? j + c : 0];
        v->bias[c] = out->bias ? out->bias[j + c] : 0;
    }
}

static bool are_zero(const int32_t *values, size_t n)
{
    int32_t any = 0;

    for (size_t i = 0; i < n; i++)
        any |= values[i];
    return any == 0;
}

/* An epilogue for the tiles of a panel, n columns from j on; the tiles' own members stay empty. */
static void begin_epilogue(const struct bp_cpu_int8 *g, const struct part *t, size_t j, size_t n,
                           struct panel_values *v, struct bp_cpu_int8_epilogue *e)
{
    const struct bp_cpu_int8_operands *o = t->operands;
    const struct bp_cpu_int8_output *out = o->output;
    uint32_t a_zero = (uint32_t)o->a_zero.at[0] + (g->a_signed ? 128 : 0);

    fill_values(g, t, j, n, v);
    *e = (struct bp_cpu_int8_epilogue){
        .sums = t->tile,
        .nr = g->level->nr,
        .n = n,
        .col_terms = v->col_terms,
        .b_terms = are_zero(v->b_terms, n) ? NULL : v->b_terms,
        .a_term = (int32_t)((uint32_t)g->k * a_zero),
        .scales = v->scales,
        .bias = out->bias ? v->bias : NULL,
        .stride = g->n,
        .zero = out->zero,
        .low = out->dtype == BP_DTYPE_I8 ? INT8_MIN : 0,
        .high = out->dtype == BP_DTYPE_I8 ? INT8_MAX : UINT8_MAX,
    };
}

/* Stores a tile, whose first row is i. */
static void end_tile(const struct bp_cpu_int8 *g, const struct part *t,
                     struct bp_cpu_int8_epilogue *e, size_t rows, size_t i, size_t j)
{
    const struct bp_cpu_int8_output *out = t->operands->output;

    e->rows = rows;
    e->a_sums = sums_of_a(g, t->operands->a) + i;
    if (out->dtype == BP_DTYPE_F32)
        e->floats = (float *)out->y + i * g->n + j;
    else
        e->bytes = (uint8_t *)out->y + i * g->n + j;
    g->level->epilogue(e);
}

/* Tiles of about equal heights, as low ones use the processor less well. */
static void run_panel(const struct bp_cpu_int8 *g, const struct part *t, const uint8_t *panel,
                      size_t j)
{
    struct bp_cpu_int8_block block = {
        .b = panel, .a_row = g->a_row, .groups = g->groups, .c = t->tile};
    size_t n = min_size(g->level->nr, g->n - j), mr = g->level->mr;
    struct bp_cpu_int8_epilogue e;
    struct panel_values values;

    if (t->operands->output)
        begin_epilogue(g, t, j, n, &values, &e);
    for (size_t i = t->i0; i < t->i1; i += block.rows) {
        size_t left = t->i1 - i, tiles = (left + mr - 1) / mr;

        block.rows = (left + tiles - 1) / tiles;
        block.a = (const uint8_t *)t->operands->a + i * g->a_row;
        g->level->block(&block);
        if (t->operands->output)
            end_tile(g, t, &e, block.rows, i, j);
        for (size_t r = 0; !t->operands->output && r < block.rows; r++)
            finish_row(g, t, t->tile + r * g->level->nr, i + r, j, n);
    }
}

/* Panels q .. q + n of a pass, which are packed on the spot unless they came so. */
static void run_pass(const struct bp_cpu_int8 *g, struct part *t, size_t q, size_t n, void *scratch)
{
    const struct bp_cpu_int8_operands *o = t->operands;
    uint8_t *panels = (uint8_t *)scratch + MAX_TILE * sizeof(int32_t);
    const uint8_t *packed = o->b, *ones = (const uint8_t *)o->a + g->m * g->a_row;
    int32_t *sums = (int32_t *)(void *)(panels + g->pass * g->panel);
    uint8_t pad = (uint8_t)o->b_zero.at[0]; /* outside of an image is its zero point */

    if (!g->is_packed) {
        bp_cpu_int8_pack_panels(g, o->b, pad, q, n, panels);
        if (needs_sums(g, o))
            sum_columns(g, ones, panels, n, sums);
        else
            memset(sums, 0, n * g->level->nr * sizeof *sums);
    }
    for (size_t p = 0; p < n; p++) {
        const int32_t *all = (const int32_t *)(const void *)(packed + g->panels * g->panel);

        t->col_sums = g->is_packed ? all + (q + p) * g->level->nr : sums + p * g->level->nr;
        run_panel(g, t, g->is_packed ? packed + (q + p) * g->panel : panels + p * g->panel,
                  (q + p) * g->level->nr);
    }
}

void bp_cpu_int8_task(const struct bp_cpu_int8 *g, const struct bp_cpu_int8_operands *operands,
                      uint32_t task, void *scratch)
{
    uint32_t col = task % g->col_parts, row = task / g->col_parts;
    size_t tiles = (g->m + g->level->mr - 1) / g->level->mr;
    size_t first = tiles * row / g->row_parts, end = tiles * (row + 1) / g->row_parts;
    size_t q0 = g->panels * col / g->col_parts, q1 = g->panels * (col + 1) / g->col_parts;
    struct part part = {.operands = operands,
                        .i0 = first * g->level->mr,
                        .i1 = min_size(end * g->level->mr, g->m),
                        .tile = scratch};

    for (size_t q = q0; q < q1; q += g->pass)
        run_pass(g, &part, q, min_size(g->pass, q1 - q), scratch);
}
