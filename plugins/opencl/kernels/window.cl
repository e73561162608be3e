// SPDX-License-Identifier: MIT
// window.cl - convolutions: columns of windows for products of matrices, one product a channel where
// each has its own, and sums of columns for transposed ones. Defined before: T with its load and
// store, ACT(v), and HAS_BIAS and HAS_Z. Data have three spatial dimensions; others are 1.

typedef struct {
    int in[3], out[3], size[3], strides[3], dilations[3], before[3], after[3];
} window_t;

int volume(const int dims[3])
{
    return dims[0] * dims[1] * dims[2];
}

void split_index(int i, const int dims[3], int at[3])
{
    at[2] = i % dims[2];
    i /= dims[2];
    at[1] = i % dims[1];
    at[0] = i / dims[1];
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

// Each output channel reads one input channel, multiplier outputs an input. x: output positions, y:
// output channels, z: images.
kernel void depthwise(global T *y, long yo, global const T *x, long xo, global const T *f,
                      long fo BIAS_OPERAND Z_OPERAND, window_t w, int outputs, int multiplier)
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
    STORE_T(ACT(v), y, yo + i);
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
