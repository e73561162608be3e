// SPDX-License-Identifier: MIT
// gemm.cl - y = act(alpha * a * b + beta * bias + z) for a batch of matrices. Defined before: T with
// its load and store, ACT(v), and HAS_BIAS and HAS_Z where there are such operands; maybe ROWS,
// PARTS and WORK, sizes of blocks, and EPILOGUE(v, i) with EPILOGUE_OPERANDS.
//
// a is m x k with strides am and ak, b is k x n with strides bk and bn, y and z are m x n in rows,
// bias has strides cm and cn. Batches are walked through: strides of a, b and bias.

#ifdef T_IS_HALF
#define VLOAD(p) vload_half16(0, p)
#else
#define VLOAD(p) vload16(0, p)
#endif

#ifdef HAS_BIAS
#define BIAS_OPERAND , global const T *bias, long co
#define ADD_BIAS(v, m, n) v += beta * LOAD_T(bias, co + at[2] + (m) * cm + (n) * cn)
#else
#define BIAS_OPERAND
#define ADD_BIAS(v, m, n)
#endif
#ifdef HAS_Z
#define Z_OPERAND , global const T *z, long zo
#define ADD_Z(v, i) v += LOAD_T(z, zo + (i))
#else
#define Z_OPERAND
#define ADD_Z(v, i)
#endif

#ifndef EPILOGUE
#define EPILOGUE_OPERANDS
#define EPILOGUE(v, i) (v)
#endif

#define OPERANDS                                                                                   \
    global T *y, long yo, global const T *a, long ao, global const T *b, long bo BIAS_OPERAND      \
        Z_OPERAND EPILOGUE_OPERANDS, int m, int n, int k, int am, int ak, int bk, int bn, int cm,  \
        int cn, float alpha, float beta, walk_t w

// Elements before the matrices of a batch.
void find_batch(const walk_t *w, int batch, int at[3])
{
    at[0] = at[1] = at[2] = 0;
    for (int d = w->rank - 1; d >= 0; d--) {
        int next = batch / w->dims[d], i = batch - next * w->dims[d];

        at[0] += i * w->strides[0][d];
        at[1] += i * w->strides[1][d];
        at[2] += i * w->strides[2][d];
        batch = next;
    }
}

#define STORE_RESULT(value, row, column)                                                           \
    {                                                                                              \
        long i = ((long)get_global_id(2) * m + (row)) * n + (column);                              \
        float v = alpha * (value);                                                                 \
                                                                                                   \
        ADD_BIAS(v, row, column);                                                                  \
        ADD_Z(v, i);                                                                               \
        v = ACT(v);                                                                                \
        STORE_T(EPILOGUE(v, i), y, yo + i);                                                        \
    }

#ifndef ROWS
#define ROWS 8
#endif
#ifndef PARTS
#define PARTS 1
#endif

// For processors: a block of ROWS x 16 * PARTS elements in registers; needs bn 1. x counts row blocks, so
// that neighbours read the same columns of b.
kernel void gemm_rows(OPERANDS)
{
    int row = get_global_id(0) * ROWS, column = get_global_id(1) * 16 * PARTS, at[3];
    float16 sum[ROWS][PARTS];

    if (row >= m || column >= n)
        return;
    find_batch(&w, get_global_id(2), at);
    a += ao + at[0];
    b += bo + at[1] + column;
    for (int r = 0; r < ROWS; r++)
        for (int p = 0; p < PARTS; p++)
            sum[r][p] = 0;
    if (row + ROWS <= m && column + 16 * PARTS <= n) {
        a += (long)row * am;
        for (int i = 0; i < k; i++) {
            float16 v[PARTS];

#pragma unroll
            for (int p = 0; p < PARTS; p++)
                v[p] = VLOAD(b + p * 16);
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                float factor = LOAD_T(a, (long)r * am);

#pragma unroll
                for (int p = 0; p < PARTS; p++)
                    sum[r][p] += factor * v[p];
            }
            a += ak;
            b += bk;
        }
    } else {
        int width = min(16 * PARTS, n - column);

        for (int i = 0; i < k; i++) {
            float part[16 * PARTS];

            for (int c = 0; c < 16 * PARTS; c++)
                part[c] = c < width ? LOAD_T(b, c) : 0.0f;
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                float factor = LOAD_T(a, (long)min(row + r, m - 1) * am);

#pragma unroll
                for (int p = 0; p < PARTS; p++)
                    sum[r][p] += factor * vload16(p, part);
            }
            a += ak;
            b += bk;
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        float part[16 * PARTS];

        if (row + r >= m)
            break;
#pragma unroll
        for (int p = 0; p < PARTS; p++)
            vstore16(sum[r][p], p, part);
        for (int c = 0; c < 16 * PARTS && column + c < n; c++)
            STORE_RESULT(part[c], row + r, column + c);
    }
}

// For processors: four products of rows; needs ak 1 and bk 1. x counts blocks of columns, y rows.
kernel void gemm_dots(OPERANDS)
{
    int column = get_global_id(0) * 4, row = get_global_id(1), at[3];
    float16 sum[4];
    float rest[4];

    if (row >= m || column >= n)
        return;
    find_batch(&w, get_global_id(2), at);
    a += ao + at[0] + (long)row * am;
    b += bo + at[1];
    for (int c = 0; c < 4; c++) {
        sum[c] = 0;
        rest[c] = 0;
    }
    int i = 0;

    for (; i + 16 <= k; i += 16) {
        float16 v = VLOAD(a + i);

#pragma unroll
        for (int c = 0; c < 4; c++)
            sum[c] += v * VLOAD(b + (long)min(column + c, n - 1) * bn + i);
    }
    for (; i < k; i++) {
        for (int c = 0; c < 4; c++)
            rest[c] += LOAD_T(a, i) * LOAD_T(b, (long)min(column + c, n - 1) * bn + i);
    }
    for (int c = 0; c < 4 && column + c < n; c++) {
        float8 half_sum = sum[c].lo + sum[c].hi;
        float4 quarter = half_sum.lo + half_sum.hi;
        float2 pair = quarter.lo + quarter.hi;

        STORE_RESULT(pair.x + pair.y + rest[c], row, column + c);
    }
}

#ifndef WORK
#define WORK 4
#endif
#define TILE (16 * WORK)
#define DEPTH 16

// For devices with local memory: groups of 16 x 16 work-items compute tiles, WORK x WORK elements each.
kernel __attribute__((reqd_work_group_size(16, 16, 1))) void gemm_tiles(OPERANDS)
{
    local float tile_a[DEPTH][TILE + 1], tile_b[DEPTH][TILE + 1];
    int lx = get_local_id(0), ly = get_local_id(1), id = ly * 16 + lx, at[3];
    int column = get_group_id(0) * TILE, row = get_group_id(1) * TILE;
    float sum[WORK][WORK];

    find_batch(&w, get_global_id(2), at);
    a += ao + at[0];
    b += bo + at[1];
    for (int r = 0; r < WORK; r++)
        for (int c = 0; c < WORK; c++)
            sum[r][c] = 0;
    for (int start = 0; start < k; start += DEPTH) {
        for (int i = id; i < TILE * DEPTH; i += 256) {
            // neighbours load what lies side by side in memory
            int ka = ak == 1 ? i % DEPTH : i / TILE, ra = ak == 1 ? i / DEPTH : i % TILE;
            int kb = bk == 1 ? i % DEPTH : i / TILE, cb = bk == 1 ? i / DEPTH : i % TILE;

            tile_a[ka][ra] = row + ra < m && start + ka < k
                                 ? LOAD_T(a, (long)(row + ra) * am + (long)(start + ka) * ak)
                                 : 0.0f;
            tile_b[kb][cb] = column + cb < n && start + kb < k
                                 ? LOAD_T(b, (long)(start + kb) * bk + (long)(column + cb) * bn)
                                 : 0.0f;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < DEPTH; i++) {
#pragma unroll
            for (int r = 0; r < WORK; r++) {
#pragma unroll
                for (int c = 0; c < WORK; c++)
                    sum[r][c] += tile_a[i][ly + r * 16] * tile_b[i][lx + c * 16];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int r = 0; r < WORK; r++) {
        for (int c = 0; c < WORK; c++) {
            int i_row = row + ly + r * 16, i_column = column + lx + c * 16;

            if (i_row < m && i_column < n)
                STORE_RESULT(sum[r][c], i_row, i_column);
        }
    }
}
