// SPDX-License-Identifier: MIT
// lines.cl - operators along one axis: TopK, CumSum, OneHot and Hardmax; and Trilu. A tensor is outer x
// n x inner elements. Defined before: one of IS_TOPK, IS_CUMSUM, IS_ONE_HOT, IS_HARDMAX, IS_TRILU, and
// the types.

#ifdef IS_TOPK
// Whether v comes before w: NaN counts as the largest, of equal ones the first comes first.
int precedes(C_T v, int i, C_T w, int k)
{
    int is_nan = v != v, other_is_nan = w != w;

    if (is_nan || other_is_nan)
        return is_nan && other_is_nan ? i < k : is_nan == IS_LARGEST;
    return v == w ? i < k : (v > w) == IS_LARGEST;
}

// Each element counts how many of its line come before it. x: elements of the axis, y: inner, z: outer.
kernel void topk(
#ifdef HAS_VALUES
    global T *values, long vo,
#endif
#ifdef HAS_INDICES
    global long *indices, long io,
#endif
    global const T *x, long xo, int n, int inner, int count)
{
    int i = get_global_id(0), column = get_global_id(1), outer = get_global_id(2), rank = 0;

    if (i >= n || column >= inner)
        return;
    x += xo + (long)outer * n * inner + column;
    C_T v = LOAD_T(x, (long)i * inner);

    for (int k = 0; k < n; k++)
        rank += precedes(LOAD_T(x, (long)k * inner), k, v, i);
    if (rank >= count)
        return;
#ifdef HAS_VALUES
    STORE_T(v, values, vo + ((long)outer * count + rank) * inner + column);
#endif
#ifdef HAS_INDICES
    indices[io + ((long)outer * count + rank) * inner + column] = i;
#endif
}
#endif

#ifdef IS_CUMSUM
// A line a work-item. x: inner, y: outer.
kernel void cumsum(global T *y, long yo, global const T *x, long xo, int outer, int n, int inner,
                   int is_exclusive, int is_reverse)
{
    int i = get_global_id(0), o = get_global_id(1);
    C_T sum = 0;

    if (i >= inner || o >= outer)
        return;
    x += xo + (long)o * n * inner + i;
    y += yo + (long)o * n * inner + i;
    for (int k = 0; k < n; k++) {
        long at = (long)(is_reverse ? n - 1 - k : k) * inner;
        C_T next = sum + LOAD_T(x, at);

        STORE_T(is_exclusive ? sum : next, y, at);
        sum = next;
    }
}
#endif

#ifdef IS_ONE_HOT
// values: off, then on. x: elements of y, of which n lie along the axis.
kernel void one_hot(global T *y, long yo, global const TI *indices, long io, global const T *values,
                    long vo, int count, int n, int inner)
{
    int i = get_global_id(0), outer = i / inner / n;

    if (i >= count)
        return;
    long at = (long)indices[io + (long)outer * inner + i % inner];

    at += at < 0 ? n : 0;
    y[yo + i] = values[vo + (at == i / inner % n)];
}
#endif

#ifdef IS_HARDMAX
// 1 at the first of the largest elements of a line, 0 elsewhere. x: inner, y: outer.
kernel void hardmax(global T *y, long yo, global const T *x, long xo, int outer, int n, int inner)
{
    int i = get_global_id(0), o = get_global_id(1), best = 0;

    if (i >= inner || o >= outer)
        return;
    x += xo + (long)o * n * inner + i;
    y += yo + (long)o * n * inner + i;
    for (int k = 1; k < n; k++)
        best = LOAD_T(x, (long)k * inner) > LOAD_T(x, (long)best * inner) ? k : best;
    for (int k = 0; k < n; k++)
        STORE_T(k == best ? 1.0f : 0.0f, y, (long)k * inner);
}
#endif

#ifdef IS_TRILU
// Elements of matrices above diagonal k (IS_UPPER 1) or below it (0) stay, others become 0.
kernel void trilu(global T *y, long yo, global const T *x, long xo,
#ifdef HAS_K
                  global const long *k, long ko,
#endif
                  int count, int rows, int columns)
{
    int i = get_global_id(0);

    if (i >= count)
        return;
#ifdef HAS_K
    long diagonal = k[ko];
#else
    long diagonal = 0;
#endif
    long off = (long)(i % columns) - i / columns % rows;

    y[yo + i] = (IS_UPPER ? off >= diagonal : off <= diagonal) ? x[xo + i] : 0;
}
#endif
