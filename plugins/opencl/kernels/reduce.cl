// SPDX-License-Identifier: MIT
// reduce.cl - sums, extremes and the like over some dimensions. Defined before: T and TY with their
// loads and stores; ACC, the type that is added up in; START, STEP(acc, v) and END(acc, n).

// Elements before the one that index i of the walk's first tensor means, of its first `rank` dimensions.
// Arguments are only read: some drivers have one copy of a struct for all work-items.
int position(const walk_t *w, int rank, int i)
{
    int at = 0;

    for (int d = rank - 1; d >= 0; d--) {
        int next = i / w->dims[d];

        at += (i - next * w->dims[d]) * w->strides[0][d];
        i = next;
    }
    return at;
}

// kept walks through the output, gone through what becomes one element of it; its innermost dimension
// is added up apart, so that long sums lose less.
kernel void reduce(global TY *y, long yo, global const T *x, long xo, walk_t kept, walk_t gone, int n,
                   int count)
{
    int i = get_global_id(0), last = gone.rank - 1, inner = gone.dims[last];
    int stride = gone.strides[0][last];
    ACC acc = START;

    if (i >= n)
        return;
    x += xo + position(&kept, kept.rank, i);
#ifdef LARGEST
    ACC largest = -INFINITY;

    for (int row = 0; row < count / inner; row++) {
        int at = position(&gone, last, row);

        for (int k = 0; k < inner; k++)
            largest = fmax(largest, LOAD_T(x, at + k * stride));
    }
    largest = isinf(largest) ? 0.0f : largest;
#endif
    for (int row = 0; row < count / inner; row++) {
        int at = position(&gone, last, row);
        ACC part = START;

        for (int k = 0; k < inner; k++) {
            ACC v = LOAD_T(x, at + k * stride);

            part = STEP(part, v);
        }
        acc = JOIN(acc, part);
    }
    STORE_TY(END(acc, count), y, yo + i);
}

// The position of the largest element along an axis (SIGN 1), or of the smallest (-1); of equal ones
// the first, or with picks_last the last. A NaN is larger than any number.
kernel void arg_reduce(global long *y, long yo, global const T *x, long xo, int outer, int axis,
                       int inner, int picks_last)
{
    int i = get_global_id(0), o = get_global_id(1), best = 0;

    if (i >= inner || o >= outer)
        return;
    x += xo + (long)o * axis * inner + i;
    for (int k = 1; k < axis; k++) {
        C_T v = LOAD_T(x, (long)k * inner), b = LOAD_T(x, (long)best * inner);

        if (BETTER(v, b) || (picks_last && v == b))
            best = k;
    }
    y[yo + (long)o * inner + i] = best;
}

// exp(x - max) / sum along an axis; with IS_LOG its logarithm.
kernel void softmax(global TY *y, long yo, global const T *x, long xo, int outer, int axis, int inner)
{
    int i = get_global_id(0), o = get_global_id(1);
    float largest = -INFINITY, sum = 0;

    if (i >= inner || o >= outer)
        return;
    x += xo + (long)o * axis * inner + i;
    y += yo + (long)o * axis * inner + i;
    for (int k = 0; k < axis; k++)
        largest = fmax(largest, (float)LOAD_T(x, (long)k * inner));
    for (int k = 0; k < axis; k++)
        sum += exp(LOAD_T(x, (long)k * inner) - largest);
    for (int k = 0; k < axis; k++) {
        float v = LOAD_T(x, (long)k * inner) - largest;

#ifdef IS_LOG
        STORE_TY(v - log(sum), y, (long)k * inner);
#else
        STORE_TY(exp(v) / sum, y, (long)k * inner);
#endif
    }
}
