// SPDX-License-Identifier: MIT
// implicit.cl - a convolution as a product of the weights with columns of windows that are never in
// memory: groups of work-items put the tiles that they multiply into local memory. Defined before: T
// with its load and store, ACT(v), HAS_BIAS, HAS_Z.

#ifdef HAS_BIAS
#define BIAS_OPERAND , global const T *bias, long co
#define ADD_BIAS(v, m) v += LOAD_T(bias, co + (m))
#else
#define BIAS_OPERAND
#define ADD_BIAS(v, m)
#endif
#ifdef HAS_Z
#define Z_OPERAND , global const T *z, long zo
#define ADD_Z(v, i) v += LOAD_T(z, zo + (i))
#else
#define Z_OPERAND
#define ADD_Z(v, i)
#endif

#define TILE 64
#define DEPTH 16

// Tiles of 64 outputs x 64 positions, 4 x 4 a work-item; z counts images.
kernel __attribute__((reqd_work_group_size(16, 16, 1))) void
implicit(global T *y, long yo, global const T *x, long xo, global const T *f,
         long fo BIAS_OPERAND Z_OPERAND, window_t w, int channels, int outputs)
{
    local float tile_a[DEPTH][TILE + 1], tile_b[DEPTH][TILE + 1];
    int lx = get_local_id(0), ly = get_local_id(1), id = ly * 16 + lx, image = get_global_id(2);
    int column = get_group_id(0) * TILE, row = get_group_id(1) * TILE;
    int taps = volume(w.size), points = volume(w.out), depth = channels * taps, first[3];
    float sum[4][4];

    x += xo + (long)image * channels * volume(w.in);
    f += fo;
    // this work-item loads windows at one position: 64 positions are a quarter of the group
    int p = column + id % TILE;

    split_index(min(p, points - 1), w.out, first);
    for (int d = 0; d < 3; d++)
        first[d] = first[d] * w.strides[d] - w.before[d];
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++)
            sum[r][c] = 0;
    for (int start = 0; start < depth; start += DEPTH) {
        for (int i = id; i < TILE * DEPTH; i += 256) {
            int ka = i % DEPTH, ra = i / DEPTH, kb = i / TILE, t[3], at[3], is_inside;

            tile_a[ka][ra] = row + ra < outputs && start + ka < depth
                                 ? LOAD_T(f, (long)(row + ra) * depth + start + ka)
                                 : 0.0f;
            split_index((start + kb) % taps, w.size, t);
            is_inside = p < points && start + kb < depth;
            for (int d = 0; d < 3; d++) {
                at[d] = first[d] + t[d] * w.dilations[d];
                is_inside &= at[d] >= 0 && at[d] < w.in[d];
            }
            tile_b[kb][id % TILE] =
                is_inside ? LOAD_T(x, (((long)((start + kb) / taps) * w.in[0] + at[0]) * w.in[1] +
                                       at[1]) * w.in[2] + at[2])
                          : 0.0f;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < DEPTH; i++) {
#pragma unroll
            for (int r = 0; r < 4; r++) {
#pragma unroll
                for (int c = 0; c < 4; c++)
                    sum[r][c] += tile_a[i][ly + r * 16] * tile_b[i][lx + c * 16];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int r = 0; r < 4; r++) {
        for (int c = 0; c < 4; c++) {
            int m = row + ly + r * 16, to = column + lx + c * 16;

            if (m < outputs && to < points) {
                long i = ((long)image * outputs + m) * points + to;
                float v = sum[r][c];

                ADD_BIAS(v, m);
                ADD_Z(v, i);
                STORE_T(ACT(v), y, yo + i);
            }
        }
    }
}
