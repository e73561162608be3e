// SPDX-License-Identifier: MIT
// pad.cl - a tensor with elements around it, or with fewer. Defined before: T, an unsigned integer of an
// element's size, MODE, and HAS_VALUE where an operand has what the constant mode puts there.

#define CONSTANT 0
#define REFLECT 1
#define EDGE 2
#define WRAP 3

#ifdef HAS_VALUE
#define VALUE_OPERAND , global const T *value, long vo
#define VALUE value[vo]
#else
#define VALUE_OPERAND
#define VALUE ((T)VALUE_BITS)
#endif

// Strides of the walk: of x, and in the second row how many elements come before it, in the third its
// sizes.
kernel void pad(global T *y, long yo, global const T *x, long xo VALUE_OPERAND, walk_t w, int n)
{
    int i = get_global_id(0), rest = i, is_outside = 0;
    long from = 0;

    if (i >= n)
        return;
    for (int d = w.rank - 1; d >= 0; d--) {
        int next = rest / w.dims[d], size = w.strides[2][d];
        int at = rest - next * w.dims[d] - w.strides[1][d];

#if MODE == CONSTANT
        is_outside |= at < 0 || at >= size;
#elif MODE == EDGE
        at = clamp(at, 0, size - 1);
#elif MODE == WRAP
        at %= size;
        at += at < 0 ? size : 0;
#else
        int period = size > 1 ? 2 * (size - 1) : 1;

        at %= period;
        at += at < 0 ? period : 0;
        at = at < size ? at : period - at;
#endif
        from += (long)at * w.strides[0][d];
        rest = next;
    }
    y[yo + i] = is_outside ? VALUE : x[xo + from];
}
