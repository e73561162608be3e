/* SPDX-License-Identifier: MIT */
/* run.c - widens what a kernel reads, calls it, rounds what it wrote; shapes. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/float16.h"
#include "convert.h"
#include "op.h"

/* ---- shapes --------------------------------------------------------------------------------- */

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

/* Dimension i of `rank`, counted from the last one; 1 where there is none. */
static int64_t dim_from_right(const struct sim_shape *shape, size_t rank, size_t i)
{
    return i + shape->rank < rank ? 1 : shape->dims[i + shape->rank - rank];
}

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

/* ---- running -------------------------------------------------------------------------------- */

/* What a kernel works on instead of the tensors themselves. */
struct stand_ins {
    void *owned[SIM_INPUTS + SIM_OUTPUTS];
    size_t count;
    const void *in[SIM_INPUTS];
    void *out[SIM_OUTPUTS];
};

static void *stand_in(struct stand_ins *all, size_t count, size_t each)
{
    void *memory = malloc(count ? count * each : each);

    if (memory)
        all->owned[all->count++] = memory;
    return memory;
}

static void halve(float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = bp_f16_load(aclFloatToFloat16(values[i]));
}

static bool read_inputs(const struct sim_call *call, aclDataType wide, const void *const *in,
                        struct stand_ins *all)
{
    for (size_t i = 0; i < call->inputs; i++) {
        const struct sim_tensor *tensor = &call->in[i];
        void *copy;

        all->in[i] = in[i];
        if (tensor->absent || (tensor->type == wide && !call->halved))
            continue;
        copy = stand_in(all, tensor->count, aclDataTypeSize(wide));
        if (!copy)
            return false;
        sim_convert(copy, wide, in[i], tensor->type, tensor->count);
        if (call->halved && wide == ACL_FLOAT)
            halve(copy, tensor->count);
        all->in[i] = copy;
    }
    return true;
}

static bool place_outputs(const struct sim_call *call, aclDataType wide, void *const *out,
                          struct stand_ins *all)
{
    for (size_t i = 0; i < call->outputs; i++) {
        const struct sim_tensor *tensor = &call->out[i];

        all->out[i] = out[i];
        if (tensor->absent || tensor->type == wide)
            continue;
        all->out[i] = stand_in(all, tensor->count, aclDataTypeSize(wide));
        if (!all->out[i])
            return false;
    }
    return true;
}

static void write_outputs(const struct sim_call *call, aclDataType wide, void *const *out,
                          const struct stand_ins *all)
{
    for (size_t i = 0; i < call->outputs; i++) {
        const struct sim_tensor *tensor = &call->out[i];

        if (tensor->absent)
            continue;
        if (call->halved && wide == ACL_FLOAT)
            halve(all->out[i], tensor->count);
        if (all->out[i] != out[i])
            sim_convert(out[i], tensor->type, all->out[i], wide, tensor->count);
    }
}

static aclError run_wide(const struct sim_call *call, aclDataType wide, sim_kernel *kernel,
                         const void *const *in, void *const *out)
{
    struct stand_ins all = {.count = 0};
    bool placed = read_inputs(call, wide, in, &all) && place_outputs(call, wide, out, &all);

    if (placed) {
        kernel(call, all.in, all.out);
        write_outputs(call, wide, out, &all);
    }
    while (all.count > 0)
        free(all.owned[--all.count]);
    return placed ? 0 : sim_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: no memory", call->op->type);
}

aclError sim_call_run(const struct sim_call *call, const void *const *in, void *const *out)
{
    uint64_t type = SIM_BIT(call->in[0].type);

    if (call->op->bytes) {
        call->op->bytes(call, in, out);
        return 0;
    }
    if (type & SIM_BIT(ACL_DOUBLE))
        return run_wide(call, ACL_DOUBLE, call->op->doubles, in, out);
    if (type & SIM_REAL)
        return run_wide(call, ACL_FLOAT, call->op->floats, in, out);
    return run_wide(call, ACL_INT64, call->op->ints, in, out);
}
