// SPDX-License-Identifier: MIT
// quantize.cl - between floats and integers with a scale and a zero point. Defined before: one of
// IS_QUANTIZE, IS_DEQUANTIZE, IS_RANGE, IS_QLINEAR, IS_CONCAT and IS_MEAN, which says what is built;
// types with loads and stores; LOW and HIGH, the limits of the integers; HAS_ZERO.

// Element i is number i / inner % dim along the axis; blocks of it share a scale.
typedef struct {
    int inner, dim, block, outer_step, axis_step, inner_step;
} scaling_t;

int scale_of(int i, const scaling_t *s)
{
    int outer = i / s->inner, inner = i - outer * s->inner, k = outer % s->dim;

    return outer / s->dim * s->outer_step + k / s->block * s->axis_step + inner * s->inner_step;
}

#ifdef HIGH
// Rounds half to even, and saturates.
int quantized(float v, int zero)
{
    return convert_int_rte(clamp(rint(v) + (float)zero, (float)LOW, (float)HIGH));
}
#endif

#ifdef HAS_ZERO
#define ZERO_OPERAND , global const TZ *zero, long zo
#define ZERO(s) ((int)zero[zo + (s)])
#else
#define ZERO_OPERAND
#define ZERO(s) 0
#endif

#ifdef IS_QUANTIZE
kernel void quantize(global TY *y, long yo, global const T *x, long xo, global const TS *scale,
                     long so ZERO_OPERAND, scaling_t s, int n)
{
    int i = get_global_id(0);

    if (i < n)
        y[yo + i] = (TY)quantized(LOAD_T(x, xo + i) / LOAD_TS(scale, so + scale_of(i, &s)),
                                  ZERO(scale_of(i, &s)));
}
#endif

#ifdef IS_DEQUANTIZE
kernel void dequantize(global TY *y, long yo, global const T *x, long xo, global const TS *scale,
                       long so ZERO_OPERAND, scaling_t s, int n)
{
    int i = get_global_id(0);

    if (i < n)
        STORE_TY((float)((int)x[xo + i] - ZERO(scale_of(i, &s))) *
                     LOAD_TS(scale, so + scale_of(i, &s)),
                 y, yo + i);
}
#endif

#ifdef IS_RANGE
// Scale and zero point for uint8, of the range of all elements and 0. One group of work-items.
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void
find_range(global float *scale, long so, global uchar *zero, long zo, global const float *x, long xo,
           int n)
{
    local float lows[64], highs[64];
    int id = get_local_id(0);
    float low = 0, high = 0;

    for (int i = id; i < n; i += 64) {
        float v = x[xo + i];

        low = v < low ? v : low;
        high = v > high ? v : high;
    }
    lows[id] = low;
    highs[id] = high;
    for (int half_n = 32; half_n > 0; half_n /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < half_n) {
            lows[id] = min(lows[id], lows[id + half_n]);
            highs[id] = max(highs[id], highs[id + half_n]);
        }
    }
    if (id == 0) {
        float step = highs[0] > lows[0] ? (highs[0] - lows[0]) / 255.0f : 1.0f;
        float point = 0 - lows[0] / step;

        scale[so] = step;
        zero[zo] = point > 0 ? (uchar)convert_int_rte(min(point, 255.0f)) : 0;
    }
}
#endif

#ifdef IS_QLINEAR
// y = quantized(f(a, b)); each tensor has one scale and one zero point. x counts through the innermost
// dimension, y through all others.
kernel void qlinear(global TY *y, long yo, global const TA *a, long ao, global const float *a_scale,
                    long aso, global const TAZ *a_zero, long azo,
#if N_IN > 1
                    global const TB *b, long bo, global const float *b_scale, long bso,
                    global const TBZ *b_zero, long bzo,
#endif
                    global const float *y_scale, long yso, global const TY *y_zero, long yzo,
                    walk_t w, int rows)
{
    int i = get_global_id(0), row = get_global_id(1), rest = row, last = w.rank - 1;
    int pa = i * w.strides[0][last], pb = i * w.strides[1][last];

    if (i >= w.dims[last] || row >= rows)
        return;
    for (int d = last - 1; d >= 0; d--) {
        int next = rest / w.dims[d], k = rest - next * w.dims[d];

        pa += k * w.strides[0][d];
        pb += k * w.strides[1][d];
        rest = next;
    }
    float va = (float)((int)a[ao + pa] - A_ZERO) * a_scale[aso];
#if N_IN > 1
    float vb = (float)((int)b[bo + pb] - B_ZERO) * b_scale[bso];
#endif
    y[yo + (long)row * w.dims[last] + i] = (TY)quantized(f(va VB) / y_scale[yso], Y_ZERO);
}
#endif

#ifdef IS_CONCAT
// Rows of n elements go to rows of y that are y_row elements apart, with another scale.
kernel void requantize(global TY *y, long yo, global const TA *a, long ao, global const float *a_scale,
                       long aso, global const TAZ *a_zero, long azo, global const float *y_scale,
                       long yso, global const TY *y_zero, long yzo, int n, int rows, int y_row)
{
    int i = get_global_id(0), row = get_global_id(1);

    if (i < n && row < rows)
        y[yo + (long)row * y_row + i] = (TY)quantized(
            (float)((int)a[ao + (long)row * n + i] - A_ZERO) * a_scale[aso] / y_scale[yso], Y_ZERO);
}
#endif

#ifdef IS_MEAN
// The mean of n elements that are `step` apart, for each of `inner` columns of `outer` matrices.
kernel void mean(global TY *y, long yo, global const TA *a, long ao, global const float *a_scale,
                 long aso, global const TAZ *a_zero, long azo, global const float *y_scale, long yso,
                 global const TY *y_zero, long yzo, int outer, int n, int inner)
{
    int i = get_global_id(0), o = get_global_id(1), sum = 0;

    if (i >= inner || o >= outer)
        return;
    for (int k = 0; k < n; k++)
        sum += (int)a[ao + ((long)o * n + k) * inner + i];
    y[yo + (long)o * inner + i] = (TY)quantized(
        (float)(sum - n * A_ZERO) * a_scale[aso] / (y_scale[yso] * (float)n), Y_ZERO);
}
#endif
