// SPDX-License-Identifier: MIT
// move.cl - elements from one place to another. Defined before: T, an unsigned integer of their size.

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
