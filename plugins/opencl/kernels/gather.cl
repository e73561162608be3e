// SPDX-License-Identifier: MIT
// gather.cl - slices by index. Defined before: T, an unsigned integer of an element's size, and TI, the
// type of indices. A negative index counts from the end; one that is out of range gives zeros.

// x: elements of a slice, y: indices, z: what comes before the axis.
kernel void gather(global T *y, long yo, global const T *x, long xo, global const TI *indices, long io,
                   int inner, int n, int axis)
{
    int i = get_global_id(0), k = get_global_id(1), outer = get_global_id(2);

    if (i >= inner || k >= n)
        return;
    long at = indices[io + k];

    at += at < 0 ? axis : 0;
    y[yo + ((long)outer * n + k) * inner + i] =
        at >= 0 && at < axis ? x[xo + ((long)outer * axis + at) * inner + i] : 0;
}

// y has the shape of the indices; x has strides of its own. Index j of y along the axis becomes the
// one that indices have there.
kernel void gather_elements(global T *y, long yo, global const T *x, long xo, global const TI *indices,
                            long io, walk_t w, int n, int axis, int axis_size, int axis_stride)
{
    int i = get_global_id(0), rest = i;
    long from = 0;

    if (i >= n)
        return;
    for (int d = w.rank - 1; d >= 0; d--) {
        int next = rest / w.dims[d], k = rest - next * w.dims[d];

        from += d == axis ? 0 : (long)k * w.strides[0][d];
        rest = next;
    }
    long at = indices[io + i];

    at += at < 0 ? axis_size : 0;
    y[yo + i] = at >= 0 && at < axis_size ? x[xo + from + at * axis_stride] : 0;
}
