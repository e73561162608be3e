/* SPDX-License-Identifier: MIT */
/*
 * broadcast.h - NumPy broadcasting (ONNX: multidirectional) as few nested loops: neighbouring
 * dimensions through which every input moves alike are merged, and those of size 1 are dropped.
 */
#ifndef BP_COMMON_BROADCAST_H
#define BP_COMMON_BROADCAST_H

#include <stdbool.h>
#include <stdint.h>

/* Limits: dimensions of a tensor, and inputs that are walked through together. */
enum { BP_BROADCAST_RANK = 32, BP_BROADCAST_INPUTS = 3 };

/*
 * A loop nest over the output. Strides are in elements, 0 where an input is repeated; the innermost
 * dimension comes last. Read-only once it is made.
 */
struct bp_broadcast {
    uint32_t rank; /* 1 or more; dims[0] is 0 when there are no elements */
    uint32_t n_in;
    int64_t dims[BP_BROADCAST_RANK];
    int64_t strides[BP_BROADCAST_INPUTS][BP_BROADCAST_RANK];
};

/*
 * Makes the loop nest for inputs of shape in_dims[k], aligned at their last dimensions, and an
 * output of shape dims. False: they do not broadcast to it, or a rank is too high. Allocates
 * nothing; any thread.
 */
bool bp_broadcast_make(uint32_t rank, const int64_t *dims, uint32_t n_in, const uint32_t *in_ranks,
                       const int64_t *const *in_dims, struct bp_broadcast *out);

/*
 * A position in the loop nest, over all but the innermost dimension: each position is a run of
 * dims[rank - 1] elements. One for each thread.
 */
struct bp_broadcast_walk {
    int64_t index[BP_BROADCAST_RANK];
    int64_t at[BP_BROADCAST_INPUTS]; /* elements from the start of each input */
};

/*
 * Goes to run number `run`, counted from 0 in the output's order. Takes divisions: to start
 * somewhere, not for each run.
 */
void bp_broadcast_seek(const struct bp_broadcast *broadcast, int64_t run,
                       struct bp_broadcast_walk *walk);

/* Goes to the next run, in the output's order; past the last one to the first. */
static inline void bp_broadcast_next(const struct bp_broadcast *broadcast,
                                     struct bp_broadcast_walk *walk)
{
    for (uint32_t d = broadcast->rank - 1; d-- > 0;) {
        for (uint32_t k = 0; k < broadcast->n_in; k++)
            walk->at[k] += broadcast->strides[k][d];
        if (++walk->index[d] < broadcast->dims[d])
            return;
        for (uint32_t k = 0; k < broadcast->n_in; k++)
            walk->at[k] -= broadcast->strides[k][d] * broadcast->dims[d];
        walk->index[d] = 0;
    }
}

#endif
