/* SPDX-License-Identifier: MIT */
/* broadcast.c - see broadcast.h. */

#include <common/broadcast.h>

/* Size of an input along the output's dimension d; 1 before its first dimension. */
static int64_t size_at(uint32_t rank, uint32_t d, uint32_t in_rank, const int64_t *in_dims)
{
    return d + in_rank < rank ? 1 : in_dims[d + in_rank - rank];
}

/*
 * Does dimension d continue the walk of the last one in `out`, for every input? Then both are one
 * loop.
 */
static bool continues(const struct bp_broadcast *out, int64_t dim, const int64_t *strides)
{
    uint32_t last = out->rank - 1;

    for (uint32_t k = 0; k < out->n_in; k++) {
        if (out->strides[k][last] != strides[k] * dim)
            return false;
    }
    return true;
}

bool bp_broadcast_make(uint32_t rank, const int64_t *dims, uint32_t n_in, const uint32_t *in_ranks,
                       const int64_t *const *in_dims, struct bp_broadcast *out)
{
    int64_t strides[BP_BROADCAST_INPUTS][BP_BROADCAST_RANK];
    bool is_empty = false;

    if (rank > BP_BROADCAST_RANK || n_in > BP_BROADCAST_INPUTS)
        return false;
    for (uint32_t d = 0; d < rank; d++)
        is_empty = is_empty || dims[d] == 0;
    /* Strides of each input along the output's dimensions; an empty output has none that matter. */
    for (uint32_t k = 0; k < n_in; k++) {
        int64_t stride = 1;

        for (uint32_t d = 0; d + rank < in_ranks[k]; d++) {
            if (in_dims[k][d] != 1)
                return false;
        }
        for (uint32_t d = rank; d-- > 0;) {
            int64_t size = size_at(rank, d, in_ranks[k], in_dims[k]);

            if (size != dims[d] && size != 1)
                return false;
            strides[k][d] = size == 1 ? 0 : stride;
            stride *= is_empty ? 1 : size;
        }
    }

    /* From the outside in: skip dimensions of size 1, merge what continues the dimension before. */
    out->rank = 0;
    out->n_in = n_in;
    for (uint32_t d = 0; d < rank && !is_empty; d++) {
        int64_t now[BP_BROADCAST_INPUTS];

        if (dims[d] == 1)
            continue;
        for (uint32_t k = 0; k < n_in; k++)
            now[k] = strides[k][d];
        if (out->rank > 0 && continues(out, dims[d], now)) {
            out->rank--;
            out->dims[out->rank] *= dims[d];
        } else {
            out->dims[out->rank] = dims[d];
        }
        for (uint32_t k = 0; k < n_in; k++)
            out->strides[k][out->rank] = now[k];
        out->rank++;
    }
    if (out->rank == 0) { /* one element, or none */
        for (uint32_t k = 0; k < n_in; k++)
            out->strides[k][0] = 1;
        out->dims[0] = is_empty ? 0 : 1;
        out->rank = 1;
    }
    return true;
}

void bp_broadcast_seek(const struct bp_broadcast *broadcast, int64_t run,
                       struct bp_broadcast_walk *walk)
{
    for (uint32_t k = 0; k < broadcast->n_in; k++)
        walk->at[k] = 0;
    for (uint32_t d = broadcast->rank - 1; d-- > 0;) {
        walk->index[d] = run % broadcast->dims[d];
        run /= broadcast->dims[d];
        for (uint32_t k = 0; k < broadcast->n_in; k++)
            walk->at[k] += walk->index[d] * broadcast->strides[k][d];
    }
}
