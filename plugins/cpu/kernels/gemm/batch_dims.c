/* SPDX-License-Identifier: MIT */
/* batch_dims.c - see batch_dims.h. */

#include "kernels/gemm/batch_dims.h"

/* Size of dimension `i` of a batch of n_dims, for an operand that may have fewer. */
static int64_t batch_dim(const struct bp_cpu_batch *x, uint32_t n_dims, uint32_t i, int64_t *step)
{
    uint32_t missing = n_dims - x->n_dims;
    int64_t size = i < missing ? 1 : x->dims[i - missing];

    *step = size == 1 ? 0 : x->steps[i - missing];
    return size;
}

bool bp_cpu_batch_dims_broadcast(const struct bp_cpu_batch *a, const struct bp_cpu_batch *b,
                                 struct bp_cpu_batch_dims *s)
{
    int64_t batches = 1;

    s->n_dims = a->n_dims > b->n_dims ? a->n_dims : b->n_dims;
    for (uint32_t i = s->n_dims; i-- > 0;) {
        int64_t p = batch_dim(a, s->n_dims, i, &s->a_step[i]);
        int64_t q = batch_dim(b, s->n_dims, i, &s->b_step[i]);

        if (p != q && p != 1 && q != 1)
            return false;
        s->dims[i] = p == 1 ? q : p;
        batches *= s->dims[i];
    }
    s->count = (uint64_t)batches;
    return true;
}

/* The batch dimensions of a dense tensor, with steps in matrices. */
static struct bp_cpu_batch batch_of(const bp_tensor *tensor)
{
    struct bp_cpu_batch out = {.n_dims = tensor->rank > 2 ? tensor->rank - 2 : 0};
    int64_t step = 1;

    for (uint32_t d = out.n_dims; d-- > 0;) {
        out.dims[d] = tensor->dims[d];
        out.steps[d] = step;
        step *= out.dims[d];
    }
    return out;
}

bool bp_cpu_batch_dims_make(const bp_tensor *a, const bp_tensor *b, struct bp_cpu_batch_dims *s)
{
    struct bp_cpu_batch left = batch_of(a), right = batch_of(b);

    return bp_cpu_batch_dims_broadcast(&left, &right, s);
}

bool bp_cpu_batch_dims_can_flatten(const struct bp_cpu_batch_dims *s, const bp_tensor *a)
{
    if (a->rank < 2)
        return false;
    for (uint32_t i = 0; i < s->n_dims; i++) {
        if (s->b_step[i] != 0 || (s->a_step[i] == 0 && s->dims[i] != 1))
            return false;
    }
    return true;
}

void bp_cpu_batch_dims_at(const struct bp_cpu_batch_dims *s, uint64_t i, int64_t *a, int64_t *b)
{
    int64_t rest = (int64_t)i;

    *a = *b = 0;
    for (uint32_t d = s->n_dims; d-- > 0; rest /= s->dims[d]) {
        *a += rest % s->dims[d] * s->a_step[d];
        *b += rest % s->dims[d] * s->b_step[d];
    }
}
