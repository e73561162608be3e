// SPDX-License-Identifier: MIT
// int_gemm.cl - products of matrices of integers, less their zero points, summed in int32; columns of
// windows, and convolutions of single channels. Defined before: TY, TA, TB (TAZ, TBZ, TYZ); HAS_A_ZERO,
// HAS_B_ZERO, HAS_BIAS, HAS_FLOAT_BIAS for operands; IS_SCALED where floats or integers with a scale
// come out, HAS_Y_SCALE for the latter, with LOW and HIGH, their limits; HAS_Y_ZERO.

#ifdef HAS_A_ZERO
#define A_ZERO_OPERAND , global const TAZ *a_zero, long azo
#define A_ZERO(row) ((int)a_zero[azo + (row) * s.a_zero])
#else
#define A_ZERO_OPERAND
#define A_ZERO(row) 0
#endif
#ifdef HAS_B_ZERO
#define B_ZERO_OPERAND , global const TBZ *b_zero, long bzo
#define B_ZERO(column) ((int)b_zero[bzo + (column) * s.b_zero])
#else
#define B_ZERO_OPERAND
#define B_ZERO(column) 0
#endif
#ifdef HAS_BIAS
#define BIAS_OPERAND , global const int *bias, long co
#define BIAS(row, column) bias[co + (row) * s.cm + (column) * s.cn]
#else
#define BIAS_OPERAND
#define BIAS(row, column) 0
#endif
#ifdef HAS_FLOAT_BIAS
#define FLOAT_BIAS_OPERAND , global const float *float_bias, long fo
#define FLOAT_BIAS(row, column) float_bias[fo + (row) * s.cm + (column) * s.cn]
#else
#define FLOAT_BIAS_OPERAND
#define FLOAT_BIAS(row, column) 0.0f
#endif
#ifdef IS_SCALED
#define SCALE_OPERANDS , global const float *a_scale, long aso, global const float *b_scale, long bso
#else
#define SCALE_OPERANDS
#endif
#ifdef HAS_Y_SCALE
#define Y_SCALE_OPERAND , global const float *y_scale, long yso
#else
#define Y_SCALE_OPERAND
#endif
#ifdef HAS_Y_ZERO
#define Y_ZERO_OPERAND , global const TY *y_zero, long yzo
#define Y_ZERO ((float)y_zero[yzo])
#else
#define Y_ZERO_OPERAND
#define Y_ZERO 0.0f
#endif

#define OPERANDS                                                                                   \
    global TY *y, long yo, global const TA *a, long ao, global const TB *b, long bo A_ZERO_OPERAND \
        B_ZERO_OPERAND BIAS_OPERAND FLOAT_BIAS_OPERAND SCALE_OPERANDS Y_SCALE_OPERAND              \
            Y_ZERO_OPERAND

typedef struct {
    int m, n, k, am, ak, bk, bn, a_zero, b_zero, a_scale, b_scale, cm, cn;
    float alpha;
} sizes_t;

// `row` counts through all rows of zero points, scales and bias, i is the element of y.
#ifndef IS_SCALED
#define STORE_SUM(sum, row, column, i) y[yo + (i)] = (TY)((sum) + BIAS(row, column))
#else
#define SCALED(sum, row, column)                                                                   \
    ((float)((sum) + BIAS(row, column)))
#define FACTOR(row, column)                                                                        \
    (s.alpha * a_scale[aso + (row) * s.a_scale] * b_scale[bso + (column) * s.b_scale])
#ifdef HAS_Y_SCALE
#define STORE_SUM(sum, row, column, i)                                                             \
    y[yo + (i)] = (TY)convert_int_rte(                                                             \
        clamp(rint(SCALED(sum, row, column) * (FACTOR(row, column) / y_scale[yso])) + Y_ZERO,      \
              (float)LOW, (float)HIGH))
#else
#define STORE_SUM(sum, row, column, i)                                                             \
    y[yo + (i)] = SCALED(sum, row, column) * FACTOR(row, column) + FLOAT_BIAS(row, column)
#endif
#endif

#ifdef IS_GEMM
// Elements before the matrices of a batch, and its first row.
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

#ifdef IS_PROCESSOR
#define ROWS 4

// A block of 4 x 16 elements in registers; needs bn 1. x counts row blocks, so that neighbours read
// the same columns of b.
kernel void int_gemm(OPERANDS, sizes_t s, walk_t w)
{
    int row = get_global_id(0) * ROWS, column = get_global_id(1) * 16, at[3];
    int width = min(16, s.n - column), zero_a[ROWS], from[ROWS], part[16];
    int16 sum[ROWS], zero_b;

    if (row >= s.m || column >= s.n)
        return;
    find_batch(&w, get_global_id(2), at);
    a += ao + at[0];
    b += bo + at[1] + (long)column * s.bn;
    for (int c = 0; c < 16; c++)
        part[c] = B_ZERO(column + min(c, width - 1));
    zero_b = vload16(0, part);
    for (int r = 0; r < ROWS; r++) {
        sum[r] = 0;
        zero_a[r] = A_ZERO(at[2] + min(row + r, s.m - 1));
        from[r] = min(row + r, s.m - 1) * s.am;
    }
    for (int i = 0; i < s.k; i++) {
        int16 v;

        if (width == 16) {
            v = convert_int16(vload16(0, b));
        } else {
            for (int c = 0; c < 16; c++)
                part[c] = b[min(c, width - 1)];
            v = vload16(0, part);
        }
        v -= zero_b;
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            sum[r] += ((int)a[from[r] + (long)i * s.ak] - zero_a[r]) * v;
        b += s.bk;
    }
    for (int r = 0; r < ROWS && row + r < s.m; r++) {
        vstore16(sum[r], 0, part);
        for (int c = 0; c < width; c++)
            STORE_SUM(part[c], at[2] + row + r, column + c,
                      ((long)get_global_id(2) * s.m + row + r) * s.n + column + c);
    }
}
#else
#define TILE 64
#define DEPTH 16

// Groups of 16 x 16 work-items compute tiles of 64 x 64, 4 x 4 each, from local memory.
kernel __attribute__((reqd_work_group_size(16, 16, 1))) void int_gemm(OPERANDS, sizes_t s, walk_t w)
{
    local short tile_a[DEPTH][TILE + 2], tile_b[DEPTH][TILE + 2];
    int lx = get_local_id(0), ly = get_local_id(1), id = ly * 16 + lx, at[3];
    int column = get_group_id(0) * TILE, row = get_group_id(1) * TILE;
    int sum[4][4];

    find_batch(&w, get_global_id(2), at);
    a += ao + at[0];
    b += bo + at[1];
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++)
            sum[r][c] = 0;
    for (int start = 0; start < s.k; start += DEPTH) {
        for (int i = id; i < TILE * DEPTH; i += 256) {
            // neighbours load what lies side by side in memory
            int ka = s.ak == 1 ? i % DEPTH : i / TILE, ra = s.ak == 1 ? i / DEPTH : i % TILE;
            int kb = s.bk == 1 ? i % DEPTH : i / TILE, cb = s.bk == 1 ? i / DEPTH : i % TILE;

            tile_a[ka][ra] = row + ra < s.m && start + ka < s.k
                                 ? (int)a[(long)(row + ra) * s.am + (long)(start + ka) * s.ak] -
                                       A_ZERO(at[2] + row + ra)
                                 : 0;
            tile_b[kb][cb] = column + cb < s.n && start + kb < s.k
                                 ? (int)b[(long)(start + kb) * s.bk + (long)(column + cb) * s.bn] -
                                       B_ZERO(column + cb)
                                 : 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < DEPTH; i++) {
#pragma unroll
            for (int r = 0; r < 4; r++) {
#pragma unroll
                for (int c = 0; c < 4; c++)
                    sum[r][c] += (int)tile_a[i][ly + r * 16] * (int)tile_b[i][lx + c * 16];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int r = 0; r < 4; r++) {
        for (int c = 0; c < 4; c++) {
            int to_row = row + ly + r * 16, to_column = column + lx + c * 16;

            if (to_row < s.m && to_column < s.n)
                STORE_SUM(sum[r][c], at[2] + to_row, to_column,
                          ((long)get_global_id(2) * s.m + to_row) * s.n + to_column);
        }
    }
}
#endif
#endif

#ifdef IS_COLUMNS
// y[image][channel, window position][output position] = x - zero there, or 0 in the padding. x: output
// positions, y: channels by window positions, z: images.
kernel void int_columns(global short *y, long yo, global const TB *b, long bo B_ZERO_OPERAND,
                        window_t w, int channels, sizes_t s)
{
    int p = get_global_id(0), row = get_global_id(1), image = get_global_id(2);
    int outs = volume(w.out), taps = volume(w.size), o[3], t[3], i[3], is_inside = 1;

    if (p >= outs || row >= channels * taps)
        return;
    split_index(p, w.out, o);
    split_index(row % taps, w.size, t);
    for (int d = 0; d < 3; d++) {
        i[d] = o[d] * w.strides[d] - w.before[d] + t[d] * w.dilations[d];
        is_inside &= i[d] >= 0 && i[d] < w.in[d];
    }
    long from = ((((long)image * channels + row / taps) * w.in[0] + i[0]) * w.in[1] + i[1]) * w.in[2] +
                i[2];

    y[yo + ((long)image * channels * taps + row) * outs + p] =
        is_inside ? (short)((int)b[bo + from] - B_ZERO(0)) : (short)0;
}
#endif

#ifdef IS_DEPTHWISE
// Each output channel reads one input channel, `multiplier` outputs an input: a are the weights. x:
// output positions, y: output channels, z: images.
kernel void int_depthwise(OPERANDS, sizes_t s, window_t w, int multiplier)
{
    int p = get_global_id(0), m = get_global_id(1), image = get_global_id(2);
    int outs = volume(w.out), taps = volume(w.size), o[3], sum = 0;

    if (p >= outs || m >= s.m)
        return;
    split_index(p, w.out, o);
    b += bo + ((long)image * (s.m / multiplier) + m / multiplier) * volume(w.in);
    a += ao + (long)m * taps;
    for (int tap = 0; tap < taps; tap++) {
        int t[3], i[3], is_inside = 1;

        split_index(tap, w.size, t);
        for (int d = 0; d < 3; d++) {
            i[d] = o[d] * w.strides[d] - w.before[d] + t[d] * w.dilations[d];
            is_inside &= i[d] >= 0 && i[d] < w.in[d];
        }
        if (is_inside)
            sum += ((int)a[tap] - A_ZERO(m)) *
                   ((int)b[(i[0] * w.in[1] + i[1]) * w.in[2] + i[2]] - B_ZERO(0));
    }
    STORE_SUM(sum, m, 0, ((long)image * s.m + m) * outs + p);
}
#endif
