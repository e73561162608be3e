// SPDX-License-Identifier: MIT
// chain.cl - several element-wise nodes as one kernel. Defined before: TY with its store, N_LEAVES,
// LEAVES and LEAF_NAMES, the operands, and result_of(), of their positions; and where all are walked
// through like the output or are one element, FLAT_STEPS with 1 or 0 for each.

#ifdef FLAT_STEPS
kernel void chain(global TY *y, long yo LEAVES, int n)
{
    const int steps[] = FLAT_STEPS;
    int i = get_global_id(0);
    int at[N_LEAVES];

    if (i >= n)
        return;
#pragma unroll
    for (int k = 0; k < N_LEAVES; k++)
        at[k] = i * steps[k];
    STORE_TY(result_of(at LEAF_NAMES), y, yo + i);
}
#else
typedef struct {
    int rank;
    int dims[MAX_RANK];
    int strides[N_LEAVES][MAX_RANK];
} chain_walk_t;

// x counts through the innermost dimension, y through all others.
kernel void chain(global TY *y, long yo LEAVES, chain_walk_t w, int rows)
{
    int i = get_global_id(0), row = get_global_id(1), rest = row, last = w.rank - 1;
    int at[N_LEAVES];

    if (i >= w.dims[last] || row >= rows)
        return;
#pragma unroll
    for (int k = 0; k < N_LEAVES; k++)
        at[k] = i * w.strides[k][last];
    for (int d = last - 1; d >= 0; d--) {
        int next = rest / w.dims[d], step = rest - next * w.dims[d];

#pragma unroll
        for (int k = 0; k < N_LEAVES; k++)
            at[k] += step * w.strides[k][d];
        rest = next;
    }
    STORE_TY(result_of(at LEAF_NAMES), y, yo + (long)row * w.dims[last] + i);
}
#endif
