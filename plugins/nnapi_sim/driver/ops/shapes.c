/* SPDX-License-Identifier: MIT */
/* shapes.c - dimensions that several operations share: broadcasting, images, axes. */
#include "ops/op.h"

void nn_set_dims(struct nn_tensor *tensor, uint32_t rank, const uint32_t *dims)
{
    tensor->ranked = true;
    tensor->rank = rank;
    if (rank)
        memmove(tensor->dims, dims, rank * sizeof *dims);
}

int nn_shape_same(struct nn_call *call)
{
    nn_same_dims(call->out[0], call->in[0]);
    return 0;
}

int nn_broadcast(struct nn_call *call, uint32_t a, uint32_t b, struct nn_tensor *out)
{
    const struct nn_tensor *x = call->in[a], *y = call->in[b];
    uint32_t rank = x->rank > y->rank ? x->rank : y->rank, dims[NN_RANK];

    for (uint32_t i = 1; i <= rank; i++) {
        uint32_t m = i <= x->rank ? x->dims[x->rank - i] : 1;
        uint32_t n = i <= y->rank ? y->dims[y->rank - i] : 1;

        if (m != n && m != 1 && n != 1)
            return nn_op_failed(call, "inputs %u and %u cannot be broadcast: %u beside %u", a, b, m,
                                n);
        dims[rank - i] = m > n ? m : n;
    }
    nn_set_dims(out, rank, dims);
    return 0;
}

void nn_broadcast_steps(const struct nn_tensor *in, const struct nn_tensor *out, size_t *steps)
{
    size_t step = 1;

    for (uint32_t i = 1; i <= out->rank; i++) {
        uint32_t n = i <= in->rank ? in->dims[in->rank - i] : 1;

        steps[out->rank - i] = n == 1 ? 0 : step;
        step *= n;
    }
}

void nn_split_at(const struct nn_tensor *tensor, uint32_t axis, size_t *before, size_t *at,
                 size_t *after)
{
    *before = *at = *after = 1;
    for (uint32_t i = 0; i < tensor->rank; i++)
        *(i < axis ? before : i > axis ? after : at) *= tensor->dims[i];
}

bool nn_next(uint32_t rank, const uint32_t *dims, uint32_t *index)
{
    while (rank-- > 0) {
        if (++index[rank] < dims[rank])
            return true;
        index[rank] = 0;
    }
    return false;
}

struct nn_image nn_image_of(const struct nn_tensor *tensor, bool nchw)
{
    const uint32_t *d = tensor->dims;
    struct nn_image image = {
        .n = d[0], .h = d[nchw ? 2 : 1], .w = d[nchw ? 3 : 2], .c = d[nchw ? 1 : 3]};

    image.step_n = (size_t)image.h * image.w * image.c;
    image.step_c = nchw ? (size_t)image.h * image.w : 1;
    image.step_w = nchw ? 1 : image.c;
    image.step_h = image.step_w * image.w;
    return image;
}

void nn_set_image(struct nn_tensor *tensor, bool nchw, uint32_t n, uint32_t h, uint32_t w,
                  uint32_t c)
{
    const uint32_t first[] = {n, c, h, w}, last[] = {n, h, w, c};

    nn_set_dims(tensor, 4, nchw ? first : last);
}
