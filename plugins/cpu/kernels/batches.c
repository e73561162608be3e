/* SPDX-License-Identifier: MIT */
/* batches.c - see batches.h. */

#include "kernels/batches.h"

/* Size of dimension `i` of a batch of n_dims, for a tensor whose batch has `rank` dimensions. */
static int64_t batch_dim(const bp_tensor *tensor, uint32_t rank, uint32_t n_dims, uint32_t i)
{
    return i + rank < n_dims ? 1 : tensor->dims[i + rank - n_dims];
}

bool bp_cpu_batches_make(const bp_tensor *a, const bp_tensor *b, struct bp_cpu_batches *s)
{
    uint32_t a_rank = a->rank > 2 ? a->rank - 2 : 0, b_rank = b->rank > 2 ? b->rank - 2 : 0;
    int64_t a_step = 1, b_step = 1, batches = 1;

    s->n_dims = a_rank > b_rank ? a_rank : b_rank;
    for (uint32_t i = s->n_dims; i-- > 0;) {
        int64_t p = batch_dim(a, a_rank, s->n_dims, i), q = batch_dim(b, b_rank, s->n_dims, i);

        if (p != q && p != 1 && q != 1)
            return false;
        s->dims[i] = p == 1 ? q : p;
        s->a_step[i] = p == 1 ? 0 : a_step;
        s->b_step[i] = q == 1 ? 0 : b_step;
        a_step *= p;
        b_step *= q;
        batches *= s->dims[i];
    }
    s->count = (uint64_t)batches;
    return true;
}

bool bp_cpu_batches_can_flatten(const struct bp_cpu_batches *s, const bp_tensor *a)
{
    if (a->rank < 2)
        return false;
    for (uint32_t i = 0; i < s->n_dims; i++) {
        if (s->b_step[i] != 0 || (s->a_step[i] == 0 && s->dims[i] != 1))
            return false;
    }
    return true;
}

void bp_cpu_batches_at(const struct bp_cpu_batches *s, uint64_t i, int64_t *a, int64_t *b)
{
    int64_t rest = (int64_t)i;

    *a = *b = 0;
    for (uint32_t d = s->n_dims; d-- > 0; rest /= s->dims[d]) {
        *a += rest % s->dims[d] * s->a_step[d];
        *b += rest % s->dims[d] * s->b_step[d];
    }
}
