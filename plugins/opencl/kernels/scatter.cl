// SPDX-License-Identifier: MIT
// scatter.cl - elements to computed places, and slices from them. Defined before: T with its load and
// store, or for moves an unsigned integer of an element's size; TI, the type of indices; COMBINE(old,
// new). A negative index counts from the end; what is out of range is left out, or reads as 0.

// Updates along an axis, one line of them a work-item: two updates of one element are of one line, so
// that they come in their order. w walks through lines: strides of y, of indices, and of updates.
kernel void scatter_elements(global T *y, long yo, global const TI *indices, long io,
                             global const T *updates, long uo, walk_t w, int lines, int n, int size,
                             int y_step, int i_step)
{
    int line = get_global_id(0), rest = line;

    if (line >= lines)
        return;
    for (int d = w.rank - 1; d >= 0; d--) {
        int next = rest / w.dims[d], k = rest - next * w.dims[d];

        yo += (long)k * w.strides[0][d];
        io += (long)k * w.strides[1][d];
        uo += (long)k * w.strides[1][d];
        rest = next;
    }
    for (int k = 0; k < n; k++) {
        long at = indices[io + (long)k * i_step];

        at += at < 0 ? size : 0;
        if (at >= 0 && at < size)
            STORE_T(COMBINE(LOAD_T(y, yo + at * y_step), LOAD_T(updates, uo + (long)k * i_step)), y,
                    yo + at * y_step);
    }
}

typedef struct {
    int n, dims[MAX_RANK], strides[MAX_RANK];
} tuple_t;

// Where the slice of a tuple begins; -1: out of range.
long slice_of(global const long *tuple, const tuple_t *t)
{
    long from = 0;

    for (int d = 0; d < t->n; d++) {
        long at = tuple[d] + (tuple[d] < 0 ? t->dims[d] : 0);

        if (at < 0 || at >= t->dims[d])
            return -1;
        from += at * t->strides[d];
    }
    return from;
}

// x counts through a slice, y through `groups` of tuples: one group where updates of one slice have to
// come in their order, else as many as there are tuples.
kernel void scatter_nd(global T *y, long yo, global const long *indices, long io,
                       global const T *updates, long uo, tuple_t t, int inner, int tuples, int groups)
{
    int i = get_global_id(0), group = get_global_id(1);

    if (i >= inner || group >= groups)
        return;
    for (int k = group; k < tuples; k += groups) {
        long at = slice_of(indices + io + (long)k * t.n, &t);

        if (at >= 0)
            STORE_T(COMBINE(LOAD_T(y, yo + at + i), LOAD_T(updates, uo + (long)k * inner + i)), y,
                    yo + at + i);
    }
}

// x counts through a slice, y through tuples, of which each batch has `per_batch`; its part of x has
// batch_size elements.
kernel void gather_nd(global T *y, long yo, global const T *x, long xo, global const long *indices,
                      long io, tuple_t t, int inner, int tuples, int per_batch, int batch_size)
{
    int i = get_global_id(0), k = get_global_id(1);

    if (i >= inner || k >= tuples)
        return;
    long at = slice_of(indices + io + (long)k * t.n, &t);

    if (at >= 0)
        at += (long)(k / per_batch) * batch_size;
    STORE_T(at >= 0 ? LOAD_T(x, xo + at + i) : 0, y, yo + (long)k * inner + i);
}
