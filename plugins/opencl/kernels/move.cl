// SPDX-License-Identifier: MIT
// move.cl - elements from one place to another. Defined before: T, an unsigned integer of their size;
// TI, the type of starts that are computed.

// x counts through the innermost dimension, y through all others; strides of y come first.
kernel void move(global T *y, long yo, global const T *x, long xo, walk_t w, int rows)
{
    int i = get_global_id(0), row = get_global_id(1), rest = row, last = w.rank - 1;
    long to = yo + (long)i * w.strides[0][last], from = xo + (long)i * w.strides[1][last];

    if (i >= w.dims[last] || row >= rows)
        return;
    for (int d = last - 1; d >= 0; d--) {
        int next = rest / w.dims[d], k = rest - next * w.dims[d];

        to += (long)k * w.strides[0][d];
        from += (long)k * w.strides[1][d];
        rest = next;
    }
    y[to] = x[from];
}

typedef struct {
    int n, axes[MAX_RANK], steps[MAX_RANK], sizes[MAX_RANK], strides[MAX_RANK];
} starts_t;

// A box of x, dense in y, whose beginning is computed: one start for each of n axes.
kernel void slice(global T *y, long yo, global const T *x, long xo, global const TI *starts, long so,
                  walk_t w, starts_t s, int n)
{
    int i = get_global_id(0), rest = i;
    long from = xo;

    if (i >= n)
        return;
    for (int k = 0; k < s.n; k++) {
        long start = starts[so + k], size = s.sizes[k];

        start += start < 0 ? size : 0;
        start = clamp(start, 0L, s.steps[k] < 0 ? size - 1 : size);
        from += start * s.strides[k];
    }
    for (int d = w.rank - 1; d >= 0; d--) {
        int next = rest / w.dims[d], k = rest - next * w.dims[d];

        from += (long)k * w.strides[1][d];
        rest = next;
    }
    y[yo + i] = x[from];
}
