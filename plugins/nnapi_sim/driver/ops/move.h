/* SPDX-License-Identifier: MIT */
/* move.h - copying single elements of any type. */
#ifndef NN_MOVE_H
#define NN_MOVE_H

#include "ops/op.h"

/* Element `from` of in becomes element `to` of out; both have one type. */
static inline void nn_move(const struct nn_tensor *out, size_t to, const struct nn_tensor *in,
                           size_t from)
{
    size_t size = nn_element_size(in->type);

    memcpy((char *)out->data + to * size, (const char *)in->data + from * size, size);
}

/* How far elements that are neighbours in each dimension lie apart. */
static inline void nn_steps(const struct nn_tensor *tensor, size_t *steps)
{
    size_t step = 1;

    for (uint32_t i = tensor->rank; i-- > 0;) {
        steps[i] = step;
        step *= tensor->dims[i];
    }
}

#endif
