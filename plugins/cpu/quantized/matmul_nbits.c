/* SPDX-License-Identifier: MIT */
/*
 * matmul_nbits.c - MatMulNBits of com.microsoft.
 * Y = A * dequantise(B)' + bias; A is [..., K], B [N, K / block_size, block bytes] has weights of
 * 2, 4 or 8 bits, scales and zero points are [N, K / block_size], Y is [..., N]. g_idx [K] names
 * another block for the scale of each row of B.
 * With up to 8 rows of A the weights are multiplied as they are read, because memory bandwidth
 * limits the speed; with more rows, tiles of them are dequantised to float for a matrix product.
 */

#include "kernels/cast/widen.h"
#include "kernels/gemm/gemm.h"
#include "kernels/tensor_data.h"
#include "quantized/nbits.h"

enum { A, B, SCALES, ZEROS, GROUPS, BIAS };

/* Limits found by measurement. */
enum {
    FEW_ROWS = 8,      /* up to here the direct dot products are faster */
    TILE_COLS = 64,    /* columns that are dequantised at a time, */
    TILE_DEPTH = 1024, /* and their depth; more if a block is longer */
    COLS_UNIT = 16     /* columns of a task of dot products are multiples of it */
};

/* The plan of a call. */
struct state {
    size_t m, n;
    struct bp_cpu_nbits b; /* without its pointers */
    bool is_direct;
    size_t depth, last_depth; /* of a tile and of the last one, in elements of k */
    struct bp_cpu_gemm gemm, last_gemm;
    size_t row_bytes;  /* of the arranged rows and their sums, which come first in the scratch */
    size_t tile_bytes; /* of a worker's floats, before what the product needs */
    size_t worker_bytes;
    uint32_t tasks;
};

/* One run, for the threads. */
struct job {
    const struct state *state;
    struct bp_cpu_nbits b;
    const struct bp_cpu_nbits_level *level;
    const float *a, *bias;
    const int32_t *groups;
    float *y;
    char *scratch;
};

/* Whether a tensor has a * b elements. */
static bool is_count(const bp_tensor *tensor, size_t a, size_t b)
{
    size_t n;

    return !__builtin_mul_overflow(a, b, &n) && (size_t)bp_cpu_count(tensor) == n;
}

/* The sizes from attributes and shapes; false: they contradict each other. */
static bool read_sizes(const struct bp_cpu_call *call, struct state *s)
{
    const bp_tensor *zeros = bp_cpu_in(call, ZEROS), *groups = bp_cpu_in(call, GROUPS);
    const bp_tensor *bias = bp_cpu_in(call, BIAS), *a = call->in[A];
    int64_t k = bp_cpu_int(call->node, "K", 0), n = bp_cpu_int(call->node, "N", 0);
    int64_t block = bp_cpu_int(call->node, "block_size", 0);
    size_t all;

    if (k < 1 || n < 1 || k > INT32_MAX || n > INT32_MAX || block < 16 || block > INT32_MAX ||
        (block & (block - 1)) != 0 || a->rank < 1 || a->dims[a->rank - 1] != k)
        return false;
    s->n = (size_t)n;
    s->m = (size_t)(bp_cpu_count(a) / k);
    s->b.bits = (uint32_t)bp_cpu_int(call->node, "bits", 4);
    s->b.k = (size_t)k;
    s->b.block = (size_t)block;
    s->b.k_blocks = (s->b.k + s->b.block - 1) / s->b.block;
    s->b.block_bytes = s->b.block * s->b.bits / 8;
    s->b.zero_bytes = (s->b.k_blocks * s->b.bits + 7) / 8;
    s->b.zero = (float)(1u << (s->b.bits - 1));
    if (!is_count(call->out[0], s->m, s->n) || !is_count(call->in[SCALES], s->n, s->b.k_blocks) ||
        __builtin_mul_overflow(s->b.k_blocks, s->b.block_bytes, &all) ||
        !is_count(call->in[B], s->n, all) || (bias && !is_count(bias, s->n, 1)))
        return false;
    if (groups && !is_count(groups, s->b.k, 1) && !is_count(groups, s->b.k_blocks, s->b.block))
        return false;
    return !zeros ||
           is_count(zeros, s->n, zeros->dtype == BP_DTYPE_U8 ? s->b.zero_bytes : s->b.k_blocks);
}

/* Product of all rows of A with a tile of `depth` rows of B, on one thread. */
static struct bp_cpu_gemm tile_product(const struct state *s, size_t depth)
{
    struct bp_cpu_gemm gemm = {.m = s->m,
                               .n = TILE_COLS,
                               .k = depth,
                               .lda = s->b.k,
                               .ldb = s->depth,
                               .ldc = s->n,
                               .trans_b = true,
                               .add = true,
                               .dtype = BP_DTYPE_F32,
                               .alpha = 1,
                               .width = 1};

    bp_cpu_gemm_plan(&gemm);
    return gemm;
}

/* A task has TILE_COLS columns; its worker's scratch holds the tile as floats. */
static bp_rc plan_tiles(struct bp_cpu_call *call, struct state *s, bp_err *err)
{
    size_t gemm_bytes;

    s->depth = s->b.block > TILE_DEPTH ? s->b.block : TILE_DEPTH;
    if (s->depth > s->b.k_blocks * s->b.block)
        s->depth = s->b.k_blocks * s->b.block;
    s->last_depth = (s->b.k - 1) % s->depth + 1;
    s->gemm = tile_product(s, s->depth);
    s->last_gemm = tile_product(s, s->last_depth);
    gemm_bytes = s->gemm.scratch_bytes > s->last_gemm.scratch_bytes ? s->gemm.scratch_bytes
                                                                    : s->last_gemm.scratch_bytes;
    s->tile_bytes = TILE_COLS * s->depth * sizeof(float);
    s->worker_bytes = (s->tile_bytes + gemm_bytes) / 64 * 64 + 64;
    s->tasks = (uint32_t)((s->n + TILE_COLS - 1) / TILE_COLS);
    if (__builtin_mul_overflow(s->worker_bytes, call->width, &call->scratch_bytes))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the scratch memory is too large");
    return BP_OK;
}

/* g_idx needs the tiles, because it permutes the scales. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    struct state *s;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    if (!read_sizes(call, s))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "A, B, scales and zero points do not fit K, N and block_size");
    s->is_direct = s->m <= FEW_ROWS && !bp_cpu_in(call, GROUPS);
    if (!s->is_direct)
        return plan_tiles(call, s, err);
    s->row_bytes = s->b.k_blocks * (s->b.block + 1) * sizeof(float);
    call->scratch_bytes = s->row_bytes * s->m;
    s->tasks = bp_cpu_slices(call, (int64_t)s->n, (int64_t)(s->b.k * s->m) / 4 + 1);
    if (s->tasks > (s->n + COLS_UNIT - 1) / COLS_UNIT)
        s->tasks = (uint32_t)((s->n + COLS_UNIT - 1) / COLS_UNIT);
    return BP_OK;
}

/* Columns first..end of all rows. */
static void add_bias(const struct job *job, size_t first, size_t end)
{
    const struct state *s = job->state;

    for (size_t i = 0; i < s->m && job->bias; i++) {
        for (size_t j = first; j < end; j++)
            job->y[i * s->n + j] += job->bias[j];
    }
}

/* A share of the columns; their weights are read once for each BP_CPU_NBITS_ROWS rows of A. */
static void run_dots(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct state *s = job->state;
    size_t units = (s->n + COLS_UNIT - 1) / COLS_UNIT, row = s->b.k_blocks * s->b.block;
    size_t first = units * i / s->tasks * COLS_UNIT, end = units * (i + 1) / s->tasks * COLS_UNIT;
    const float *x = (const float *)(void *)job->scratch, *sums = x + s->m * row;

    (void)worker;
    if (end > s->n)
        end = s->n;
    for (size_t r = 0; r < s->m; r += BP_CPU_NBITS_ROWS) {
        size_t rows = s->m - r < BP_CPU_NBITS_ROWS ? s->m - r : BP_CPU_NBITS_ROWS;

        job->level->dots(&job->b, x + r * row, sums + r * s->b.k_blocks, rows, first, end,
                         job->y + r * s->n, s->n);
    }
    add_bias(job, first, end);
}

/*
 * Dequantises a tile's column with g_idx: each element has the scale and zero point of the block
 * named for it.
 */
static void unpack_groups(const struct job *job, size_t c, size_t k0, size_t depth, float *to)
{
    const struct bp_cpu_nbits *b = &job->b;
    const uint32_t mask = (1u << b->bits) - 1;

    for (size_t k = k0; k < k0 + depth; k++) {
        size_t bit = k % b->block * b->bits, group = (size_t)job->groups[k];
        const uint8_t *from = b->weights + (c * b->k_blocks + k / b->block) * b->block_bytes;
        uint32_t packed = from[bit / 8];

        to[k - k0] = ((float)(packed >> bit % 8 & mask) - bp_cpu_nbits_zero(b, c, group)) *
                     b->scales[c * b->k_blocks + group];
    }
}

/* A tile of columns: dequantised depth by depth, each added to the product. */
static void run_tile(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct state *s = job->state;
    size_t first = (size_t)i * TILE_COLS;
    size_t cols = s->n - first < TILE_COLS ? s->n - first : TILE_COLS;
    float *tile = (float *)(void *)(job->scratch + worker * s->worker_bytes);

    for (size_t r = 0; r < s->m; r++)
        memset(job->y + r * s->n + first, 0, cols * sizeof *job->y);
    for (size_t k = 0; k < s->b.k; k += s->depth) {
        bool is_last = s->b.k - k <= s->depth;
        size_t depth = is_last ? s->last_depth : s->depth;
        struct bp_cpu_gemm gemm = is_last ? s->last_gemm : s->gemm;
        struct bp_cpu_operands operands = {.a = job->a + k, .b = tile, .c = job->y + first};

        for (size_t c = 0; c < cols; c++) {
            if (job->groups)
                unpack_groups(job, first + c, k, depth, tile + c * s->depth);
            else
                job->level->unpack(&job->b, first + c, k / s->b.block,
                                   (k + depth + s->b.block - 1) / s->b.block, tile + c * s->depth);
        }
        if (cols < TILE_COLS) {
            gemm.n = cols;
            bp_cpu_gemm_plan(&gemm);
        }
        for (uint32_t t = 0; t < gemm.tasks; t++)
            bp_cpu_gemm_task(&gemm, &operands, t, (char *)tile + s->tile_bytes);
    }
    add_bias(job, first, first + cols);
}

/* g_idx comes with the data: each element must name a block. */
static bp_rc check_groups(const struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    const bp_tensor *groups = bp_cpu_in(call, GROUPS);
    const int32_t *values = groups ? bp_cpu_data(groups) : NULL;

    for (size_t k = 0; k < s->b.k && values; k++) {
        if (values[k] < 0 || (size_t)values[k] >= s->b.k_blocks)
            return bp_cpu_fail(call->node, err, BP_E_INVALID,
                               "g_idx %d of row %zu is none of the %zu blocks", (int)values[k], k,
                               s->b.k_blocks);
    }
    return BP_OK;
}

/* Rows of A are arranged once, then read by all tasks. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    const bp_tensor *zeros = bp_cpu_in(call, ZEROS), *groups = bp_cpu_in(call, GROUPS);
    const bp_tensor *bias = bp_cpu_in(call, BIAS);
    struct job job = {
        .state = s, .b = s->b, .level = bp_cpu_nbits_best(), .scratch = call->scratch};
    size_t row = s->b.k_blocks * s->b.block;
    float *x = call->scratch;
    bp_rc rc = check_groups(call, err);

    if (rc < 0 || s->m == 0)
        return rc;
    job.a = bp_cpu_data(call->in[A]);
    job.b.weights = bp_cpu_data(call->in[B]);
    job.b.scales = bp_cpu_data(call->in[SCALES]);
    if (zeros && zeros->dtype == BP_DTYPE_U8)
        job.b.packed_zero = bp_cpu_data(zeros);
    else if (zeros)
        job.b.float_zero = bp_cpu_data(zeros);
    job.groups = groups ? bp_cpu_data(groups) : NULL;
    job.bias = bias ? bp_cpu_data(bias) : NULL;
    job.y = bp_cpu_data(call->out[0]);
    for (size_t r = 0; r < s->m && s->is_direct; r++)
        bp_cpu_nbits_arrange(&s->b, job.a + r * s->b.k, x + r * row,
                             x + s->m * row + r * s->b.k_blocks);
    bp_cpu_parallel(call, s->tasks, s->is_direct ? run_dots : run_tile, &job);
    return BP_OK;
}

static const struct bp_cpu_wide wide = {prepare, run};

/* weight_prepacked names a layout of another execution provider. */
static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    int64_t bits = bp_node_int(query->graph, query->node, "bits", 4);

    if (bits != 2 && bits != 4 && bits != 8)
        bp_cpu_refuse(query, BP_R_ATTRIBUTE, "bits", "weights of %lld bits are not implemented",
                      (long long)bits);
    else if (bp_node_int(query->graph, query->node, "weight_prepacked", 0) != 0)
        bp_cpu_refuse(query, BP_R_ATTRIBUTE, "weight_prepacked",
                      "the weights are in another provider's order");
    else
        bp_cpu_claim_types(op, query);
}

const struct bp_cpu_op bp_cpu_op_matmul_nbits = {
    .name = "MatMulNBits",
    .domain = "com.microsoft",
    .since = 1,
    .loops = &wide,
    .claim = claim,
    .types = BP_CPU_FLOATS & ~(UINT64_C(1) << BP_DTYPE_F64),
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};
