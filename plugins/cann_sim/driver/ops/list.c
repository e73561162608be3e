/* SPDX-License-Identifier: MIT */
/*
 * list.c - the table of operators, and bp_ascend_operator(). A new operator is a line here and a
 * file.
 */
#include <string.h>

#include "ops/op.h"

/* One row per operator: the name of its struct sim_op, in alphabetical order. */
#define OPERATORS(X)                                                                               \
    X(abs)                                                                                         \
    X(add)                                                                                         \
    X(avg_pool)                                                                                    \
    X(batch_matmul)                                                                                \
    X(batch_norm)                                                                                  \
    X(broadcast_to)                                                                                \
    X(cast)                                                                                        \
    X(ceil)                                                                                        \
    X(conv2d)                                                                                      \
    X(conv3d)                                                                                      \
    X(cos)                                                                                         \
    X(div)                                                                                         \
    X(elu)                                                                                         \
    X(erf)                                                                                         \
    X(exp)                                                                                         \
    X(fill)                                                                                        \
    X(flatten)                                                                                     \
    X(floor)                                                                                       \
    X(gemm)                                                                                        \
    X(identity)                                                                                    \
    X(leaky_relu)                                                                                  \
    X(log)                                                                                         \
    X(matmul)                                                                                      \
    X(max_pool)                                                                                    \
    X(maximum)                                                                                     \
    X(minimum)                                                                                     \
    X(mul)                                                                                         \
    X(neg)                                                                                         \
    X(pow)                                                                                         \
    X(reciprocal)                                                                                  \
    X(relu)                                                                                        \
    X(reshape)                                                                                     \
    X(round)                                                                                       \
    X(rsqrt)                                                                                       \
    X(sigmoid)                                                                                     \
    X(sign)                                                                                        \
    X(sin)                                                                                         \
    X(softmax)                                                                                     \
    X(sqrt)                                                                                        \
    X(sub)                                                                                         \
    X(tanh)                                                                                        \
    X(transpose)

#define DECLARE(name) extern const struct sim_op sim_op_##name;
OPERATORS(DECLARE)

#define POINT(name) &sim_op_##name,
const struct sim_op *const sim_ops[] = {OPERATORS(POINT) NULL};

/* Linear: compiling is rare, and there are 42 names. */
const struct sim_op *sim_op_find(const char *type)
{
    for (size_t i = 0; sim_ops[i]; i++)
        if (strcmp(sim_ops[i]->type, type) == 0)
            return sim_ops[i];
    return NULL;
}

const char *bp_ascend_operator(size_t index)
{
    size_t count = sizeof sim_ops / sizeof sim_ops[0] - 1;

    return index < count ? sim_ops[index]->type : NULL;
}
