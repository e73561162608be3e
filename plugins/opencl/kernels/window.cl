// SPDX-License-Identifier: MIT
// window.cl - convolutions: columns of windows for products of matrices, one product a channel where
// each has its own, and sums of columns for transposed ones. Defined before: T with its load and
// store, ACT(v), and HAS_BIAS and HAS_Z. Data have three spatial dimensions; others are 1.

#ifdef T_IS_HALF
#define VLOAD(p) vload_half16(0, p)
#define VSTORE(v, p) vstore_half16_rte(v, 0, p)
#else
#define VLOAD(p) vload16(0, p)
#define VSTORE(v, p) vstore16(v, 0, p)
#endif

// Blocks of 16 output positions of a row, of which rows may have fewer at their end: the block that
// index i means, where it begins, and how many positions it has.
typedef struct {
    int o[3], width, is_inside;
} block_t;

int find_block(int i, const window_t *w, block_t *block)
{
    int blocks = (w->out[2] + 15) / 16, row = i / blocks, stride = w->strides[2];
    int first, last;

    block->o[2] = (i - row * blocks) * 16;
    block->o[1] = row % w->out[1];
    block->o[0] = row / w->out[1];
    block->width = min(16, w->out[2] - block->o[2]);
    first = block->o[2] * stride - w->before[2];
    last = first + 15 * stride + (stride == 2) + (w->size[2] - 1) * w->dilations[2];
    block->is_inside = block->width == 16 && stride <= 2 && first >= 0 && last < w->in[2];
    return block->o[0] < w->out[0];
}

// What the positions of a block have of a row of x under window position c.
float16 load_block(global const T *x, const window_t *w, const block_t *block, int c)
{
    int stride = w->strides[2], at = block->o[2] * stride - w->before[2] + c * w->dilations[2];
    float part[16];

    if (block->is_inside && stride == 1)
        return VLOAD(x + at);
    if (block->is_inside)
        return (float16)(VLOAD(x + at).even, VLOAD(x + at + 16).even);
    for (int k = 0; k < 16; k++) {
        int i = at + k * stride;

        part[k] = k < block->width && i >= 0 && i < w->in[2] ? LOAD_T(x, i) : 0.0f;
    }
    return vload16(0, part);
}

// columns() for processors: x counts blocks.
kernel void column_blocks(global T *columns, long yo, global const T *x, long xo, window_t w,
                          int channels)
{
    int row = get_global_id(1), image = get_global_id(2), taps = volume(w.size), t[3];
    block_t block;
    float16 v = 0;

    if (row >= channels * taps || !find_block(get_global_id(0), &w, &block))
        return;
    split_index(row % taps, w.size, t);
    int i0 = block.o[0] * w.strides[0] - w.before[0] + t[0] * w.dilations[0];
    int i1 = block.o[1] * w.strides[1] - w.before[1] + t[1] * w.dilations[1];

    x += xo + ((long)image * channels + row / taps) * volume(w.in);
    if (i0 >= 0 && i0 < w.in[0] && i1 >= 0 && i1 < w.in[1])
        v = load_block(x + (i0 * w.in[1] + i1) * w.in[2], &w, &block, t[2]);
    columns += yo + ((long)image * channels * taps + row) * volume(w.out) +
               (block.o[0] * w.out[1] + block.o[1]) * w.out[2] + block.o[2];
    if (block.width == 16) {
        VSTORE(v, columns);
    } else {
        float part[16];

        vstore16(v, 0, part);
        for (int k = 0; k < block.width; k++)
            STORE_T(part[k], columns, k);
    }
}

// columns[image][channel, window position][output position] = x there, or 0 in the padding. x: output
// positions, y: channels by window positions, z: images.
kernel void columns(global T *columns, long yo, global const T *x, long xo, window_t w, int channels)
{
    int p = get_global_id(0), row = get_global_id(1), image = get_global_id(2);
    int outs = volume(w.out), taps = volume(w.size), o[3], t[3], i[3];

    if (p >= outs || row >= channels * taps)
        return;
    split_index(p, w.out, o);
    split_index(row % taps, w.size, t);
    int is_inside = 1;

    for (int d = 0; d < 3; d++) {
        i[d] = o[d] * w.strides[d] - w.before[d] + t[d] * w.dilations[d];
        is_inside &= i[d] >= 0 && i[d] < w.in[d];
    }
    long from = ((((long)image * channels + row / taps) * w.in[0] + i[0]) * w.in[1] + i[1]) * w.in[2] +
                i[2];

    STORE_T(is_inside ? LOAD_T(x, xo + from) : 0.0f, columns,
            yo + ((long)image * channels * taps + row) * outs + p);
}

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

#ifndef EPILOGUE
#define EPILOGUE_OPERANDS
#define EPILOGUE(v, i) (v)
#endif

// Each output channel reads one input channel, multiplier outputs an input. x: output positions, y:
// output channels, z: images.
kernel void depthwise(global T *y, long yo, global const T *x, long xo, global const T *f,
                      long fo BIAS_OPERAND Z_OPERAND EPILOGUE_OPERANDS, window_t w, int outputs,
                      int multiplier)
{
    int p = get_global_id(0), m = get_global_id(1), image = get_global_id(2);
    int outs = volume(w.out), taps = volume(w.size), o[3], first[3];
    float v = 0;

    if (p >= outs || m >= outputs)
        return;
    split_index(p, w.out, o);
    for (int d = 0; d < 3; d++)
        first[d] = o[d] * w.strides[d] - w.before[d];
    x += xo + ((long)image * (outputs / multiplier) + m / multiplier) * volume(w.in);
    f += fo + (long)m * taps;
    for (int a = 0; a < w.size[0]; a++) {
        int i0 = first[0] + a * w.dilations[0];

        if (i0 < 0 || i0 >= w.in[0])
            continue;
        for (int b = 0; b < w.size[1]; b++) {
            int i1 = first[1] + b * w.dilations[1];

            if (i1 < 0 || i1 >= w.in[1])
                continue;
            for (int c = 0; c < w.size[2]; c++) {
                int i2 = first[2] + c * w.dilations[2];

                if (i2 >= 0 && i2 < w.in[2])
                    v += LOAD_T(x, (i0 * w.in[1] + i1) * w.in[2] + i2) *
                         LOAD_T(f, (a * w.size[1] + b) * w.size[2] + c);
            }
        }
    }
    long i = ((long)image * outputs + m) * outs + p;

    ADD_BIAS(v, m);
    ADD_Z(v, i);
    v = ACT(v);
    STORE_T(EPILOGUE(v, i), y, yo + i);
}

// depthwise() for processors: x counts blocks.
kernel void depthwise_blocks(global T *y, long yo, global const T *x, long xo, global const T *f,
                             long fo BIAS_OPERAND Z_OPERAND EPILOGUE_OPERANDS, window_t w, int outputs,
                      int multiplier)
{
    int m = get_global_id(1), image = get_global_id(2);
    float16 sum = 0;
    float part[16];
    block_t block;

    if (m >= outputs || !find_block(get_global_id(0), &w, &block))
        return;
    x += xo + ((long)image * (outputs / multiplier) + m / multiplier) * volume(w.in);
    f += fo + (long)m * volume(w.size);
    for (int a = 0; a < w.size[0]; a++) {
        int i0 = block.o[0] * w.strides[0] - w.before[0] + a * w.dilations[0];

        if (i0 < 0 || i0 >= w.in[0])
            continue;
        for (int b = 0; b < w.size[1]; b++) {
            int i1 = block.o[1] * w.strides[1] - w.before[1] + b * w.dilations[1];

            if (i1 < 0 || i1 >= w.in[1])
                continue;
            for (int c = 0; c < w.size[2]; c++)
                sum += LOAD_T(f, (a * w.size[1] + b) * w.size[2] + c) *
                       load_block(x + (i0 * w.in[1] + i1) * w.in[2], &w, &block, c);
        }
    }
    long i = ((long)image * outputs + m) * volume(w.out) +
             (block.o[0] * w.out[1] + block.o[1]) * w.out[2] + block.o[2];

    vstore16(sum, 0, part);
    for (int k = 0; k < block.width; k++) {
        float v = part[k];

        ADD_BIAS(v, m);
        ADD_Z(v, i + k);
        v = ACT(v);
        STORE_T(EPILOGUE(v, i + k), y, yo + i + k);
    }
}

// A transposed convolution: `in` are the positions that windows are put on, `out` what they cover.
// columns[image][channel, window position][input position] are added up. x: output positions, y:
// channels, z: images.
kernel void sum_columns(global T *y, long yo, global const T *columns, long xo BIAS_OPERAND,
                        window_t w, int channels)
{
    int p = get_global_id(0), m = get_global_id(1), image = get_global_id(2);
    int outs = volume(w.out), ins = volume(w.in), taps = volume(w.size), o[3];
    float v = 0;

    if (p >= outs || m >= channels)
        return;
    split_index(p, w.out, o);
    columns += xo + ((long)image * channels + m) * taps * ins;
    for (int tap = 0; tap < taps; tap++) {
        int t[3], i[3], is_inside = 1;

        split_index(tap, w.size, t);
        for (int d = 0; d < 3; d++) {
            int from = o[d] + w.before[d] - t[d] * w.dilations[d];

            i[d] = from / w.strides[d];
            is_inside &= from >= 0 && i[d] * w.strides[d] == from && i[d] < w.in[d];
        }
        if (is_inside)
            v += LOAD_T(columns, (long)tap * ins + (i[0] * w.in[1] + i[1]) * w.in[2] + i[2]);
    }
    ADD_BIAS(v, m);
    STORE_T(ACT(v), y, yo + ((long)image * channels + m) * outs + p);
}
