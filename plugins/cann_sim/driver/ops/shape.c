/* SPDX-License-Identifier: MIT */
/* shape.c - shapes and broadcasting, and the refusal of an operator, for prepare(). */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "ops/op.h"

/* Cut to 400 characters, so that the whole fits SIM_TEXT. */
aclError sim_refuse(const struct sim_call *call, const char *format, ...)
{
    char text[SIM_TEXT];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return sim_fail(ACL_ERROR_GE_FAILURE, "%s: %.400s", call->op->type, text);
}

bool sim_same_shape(const struct sim_shape *a, const struct sim_shape *b)
{
    return a->rank == b->rank && memcmp(a->dims, b->dims, a->rank * sizeof a->dims[0]) == 0;
}

/* The count may be multiplied by 32: 16 bytes for the widest element, and a margin. */
size_t sim_shape_count(const struct sim_shape *shape)
{
    size_t count = 1;

    for (size_t i = 0; i < shape->rank; i++) {
        if (shape->dims[i] <= 0 || count > SIZE_MAX / 32 / (size_t)shape->dims[i])
            return 0;
        count *= (size_t)shape->dims[i];
    }
    return count;
}

/*
 * Dimension i of `rank`, shapes being aligned at their last dimensions; 1 where this one has none.
 */
static int64_t dim_from_right(const struct sim_shape *shape, size_t rank, size_t i)
{
    return i + shape->rank < rank ? 1 : shape->dims[i + shape->rank - rank];
}

/* ONNX calls it multidirectional broadcasting. Ranks may differ. */
bool sim_broadcast_shapes(const struct sim_shape *a, const struct sim_shape *b,
                          struct sim_shape *out)
{
    out->rank = a->rank > b->rank ? a->rank : b->rank;
    for (size_t i = 0; i < out->rank; i++) {
        int64_t left = dim_from_right(a, out->rank, i), right = dim_from_right(b, out->rank, i);

        if (left != right && left != 1 && right != 1)
            return false;
        out->dims[i] = left == 1 ? right : left;
    }
    return true;
}

void sim_broadcast_strides(const struct sim_shape *from, const struct sim_shape *to,
                           int64_t *strides)
{
    int64_t stride = 1;

    for (size_t i = to->rank; i-- > 0;) {
        int64_t dim = dim_from_right(from, to->rank, i);

        strides[i] = dim == 1 ? 0 : stride;
        stride *= dim;
    }
}

bool sim_next_index(const struct sim_shape *shape, size_t rank, int64_t *index)
{
    for (size_t i = rank; i-- > 0;) {
        if (++index[i] < shape->dims[i])
            return true;
        index[i] = 0;
    }
    return false;
}
