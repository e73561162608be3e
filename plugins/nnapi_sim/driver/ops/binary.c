/* SPDX-License-Identifier: MIT */
/* binary.c - operations on pairs of elements, with broadcasting; comparisons and SELECT. */
#include <math.h>

#include "ops/op.h"

static double compute(int32_t code, double a, double b)
{
    switch (code) {
    case ANEURALNETWORKS_ADD:
        return a + b;
    case ANEURALNETWORKS_SUB:
        return a - b;
    case ANEURALNETWORKS_MUL:
        return a * b;
    case ANEURALNETWORKS_DIV:
        return a / b;
    case ANEURALNETWORKS_POW:
        return pow(a, b);
    case ANEURALNETWORKS_MAXIMUM:
        return a > b || a != a ? a : b;
    case ANEURALNETWORKS_MINIMUM:
        return a < b || a != a ? a : b;
    case ANEURALNETWORKS_PRELU:
        return a < 0 ? a * b : a;
    case ANEURALNETWORKS_EQUAL:
        return a == b;
    case ANEURALNETWORKS_NOT_EQUAL:
        return a != b;
    case ANEURALNETWORKS_LESS:
        return a < b;
    case ANEURALNETWORKS_LESS_EQUAL:
        return a <= b;
    case ANEURALNETWORKS_GREATER:
        return a > b;
    case ANEURALNETWORKS_GREATER_EQUAL:
        return a >= b;
    case ANEURALNETWORKS_LOGICAL_AND:
        return a != 0 && b != 0;
    default: /* LOGICAL_OR */
        return a != 0 || b != 0;
    }
}

/* A product of int32 needs up to 62 bits; a division rounds to minus infinity and has no 0. */
static int compute_ints(struct nn_call *call, double a, double b, double *out)
{
    int64_t x = (int64_t)a, y = (int64_t)b, q;

    if (call->op->code == ANEURALNETWORKS_MUL) {
        *out = (int32_t)(uint32_t)(uint64_t)(x * y);
    } else if (call->op->code == ANEURALNETWORKS_DIV) {
        if (y == 0)
            return nn_op_failed(call, "an integer is divided by 0");
        q = x / y;
        *out = (double)(q - (x % y != 0 && (x < 0) != (y < 0)));
    } else {
        *out = compute(call->op->code, a, b);
    }
    return 0;
}

/* Whether the operation has a fuse code as its third operand. */
static bool is_fused(const struct nn_call *call)
{
    return call->in_count == 3;
}

static int run(struct nn_call *call)
{
    struct nn_tensor *out = call->out[0];
    double *a = nn_load(call, call->in[0]), *b = nn_load(call, call->in[1]), value = 0;
    int32_t fuse = is_fused(call) ? nn_int(call, 2) : 0;
    size_t steps[2][NN_RANK], n = nn_count_of(out);
    uint32_t index[NN_RANK] = {0};
    int rc = 0;

    if (!a || !b)
        return nn_no_memory(call);
    nn_broadcast_steps(call->in[0], out, steps[0]);
    nn_broadcast_steps(call->in[1], out, steps[1]);
    for (size_t i = 0; i < n && !rc; i++) {
        size_t p = 0, q = 0;

        for (uint32_t d = 0; d < out->rank; d++) {
            p += index[d] * steps[0][d];
            q += index[d] * steps[1][d];
        }
        if (out->type == I32)
            rc = compute_ints(call, a[p], b[q], &value);
        else
            value = compute(call->op->code, a[p], b[q]);
        nn_store_at(call, out, i, nn_fuse(fuse, value));
        nn_next(out->rank, out->dims, index);
    }
    return rc;
}

static int shape(struct nn_call *call)
{
    int32_t fuse = is_fused(call) ? nn_int(call, 2) : 0;

    if (fuse < 0 || fuse > ANEURALNETWORKS_FUSED_RELU6)
        return nn_op_failed(call, "there is no fuse code %d", fuse);
    if (fuse && call->in[0]->type == I32)
        return nn_op_failed(call, "integers have no fuse code");
    return nn_broadcast(call, 0, 1, call->out[0]);
}

static bool check_ranks(struct nn_call *call)
{
    for (uint32_t i = 0; i < 2; i++)
        if (call->in[i]->ranked && call->in[i]->rank > 4)
            return nn_refuse(call, "rank %u of input %u is more than 4", call->in[i]->rank, i);
    if (is_fused(call) && call->in[2]->constant &&
        (nn_int(call, 2) < 0 || nn_int(call, 2) > ANEURALNETWORKS_FUSED_RELU6))
        return nn_refuse(call, "there is no fuse code %d", nn_int(call, 2));
    return true;
}

/* The product's scale has to be larger than that of the factors together. */
static bool check_mul(struct nn_call *call)
{
    if (nn_is_quant8(call->in[0]->type) &&
        (double)call->out[0]->scale <= (double)call->in[0]->scale * (double)call->in[1]->scale)
        return nn_refuse(call, "the output's scale %g is not more than %g, the inputs' product",
                         (double)call->out[0]->scale,
                         (double)call->in[0]->scale * (double)call->in[1]->scale);
    return check_ranks(call);
}

#define BINARY(NAME, LEVEL, ...)                                                                   \
    const struct nn_op nn_op_##NAME = {                                                            \
        .code = ANEURALNETWORKS_##NAME, .level = LEVEL, .shape = shape, .run = run, __VA_ARGS__}

BINARY(ADD, 1, .in = {"tti"}, .out = "t", .check = check_ranks,
       .types = {[F32] = 1, [F16] = 3, [Q8] = 1, [Q8S] = 4, [I32] = 4});
BINARY(MUL, 1, .in = {"tti"}, .out = "t", .check = check_mul,
       .types = {[F32] = 1, [F16] = 3, [Q8] = 1, [Q8S] = 4, [I32] = 4});
BINARY(SUB, 2, .in = {"tti"}, .out = "t", .check = check_ranks,
       .types = {[F32] = 2, [F16] = 3, [Q8] = 3, [Q8S] = 4, [I32] = 4});
BINARY(DIV, 2, .in = {"tti"}, .out = "t", .check = check_ranks,
       .types = {[F32] = 2, [F16] = 3, [I32] = 4});
BINARY(POW, 3, .in = {"tt"}, .out = "t", .types = {[F32] = 3, [F16] = 3});
BINARY(MAXIMUM, 3, .in = {"tt"}, .out = "t",
       .types = {[F32] = 3, [F16] = 3, [Q8] = 3, [Q8S] = 4, [I32] = 3});
BINARY(MINIMUM, 3, .in = {"tt"}, .out = "t",
       .types = {[F32] = 3, [F16] = 3, [Q8] = 3, [Q8S] = 4, [I32] = 3});
BINARY(PRELU, 3, .in = {"tt"}, .out = "t", .types = {[F32] = 3, [F16] = 3, [Q8] = 3, [Q8S] = 4});

#define COMPARISON(NAME)                                                                           \
    BINARY(NAME, 3, .in = {"tt"}, .out = "B",                                                      \
           .types = {[F32] = 3, [F16] = 3, [Q8] = 3, [Q8S] = 4, [I32] = 3, [B8] = 3})

COMPARISON(EQUAL);
COMPARISON(NOT_EQUAL);
COMPARISON(LESS);
COMPARISON(LESS_EQUAL);
COMPARISON(GREATER);
COMPARISON(GREATER_EQUAL);
BINARY(LOGICAL_AND, 3, .in = {"tt"}, .out = "t", .types = {[B8] = 3});
BINARY(LOGICAL_OR, 3, .in = {"tt"}, .out = "t", .types = {[B8] = 3});

/* ---- SELECT --------------------------------------------------------------------------------- */

static int shape_select(struct nn_call *call)
{
    const struct nn_tensor *choice = call->in[0];

    for (uint32_t i = 1; i < 3; i++)
        if (call->in[i]->rank != choice->rank ||
            memcmp(call->in[i]->dims, choice->dims, choice->rank * sizeof *choice->dims) != 0)
            return nn_op_failed(call, "input %u has another shape than the choice", i);
    nn_same_dims(call->out[0], choice);
    return 0;
}

static int run_select(struct nn_call *call)
{
    double *a = nn_load(call, call->in[1]), *b = nn_load(call, call->in[2]);
    const uint8_t *choice = call->in[0]->data;
    size_t n = nn_count_of(call->out[0]);

    if (!a || !b)
        return nn_no_memory(call);
    for (size_t i = 0; i < n; i++)
        nn_store_at(call, call->out[0], i, choice[i] ? a[i] : b[i]);
    return 0;
}

const struct nn_op nn_op_SELECT = {
    .code = ANEURALNETWORKS_SELECT,
    .level = 3,
    .in = {"Btt"},
    .out = "t",
    .subject = 1,
    .types = {[F32] = 3, [F16] = 3, [Q8] = 3, [Q8S] = 4, [I32] = 3},
    .shape = shape_select,
    .run = run_select,
};
