/* SPDX-License-Identifier: MIT */
/* run.c - widens what a kernel reads, calls it, rounds what it wrote; shapes. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/float16.h"
#include "ops/convert.h"
#include "ops/op.h"
#include "stream/pool.h"

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
    struct sim_space *space;
    size_t used; /* bytes of it */
    const void *in[SIM_INPUTS];
    void *out[SIM_OUTPUTS];
};

enum { APART = 64 };

/* Bytes that a stand-in takes of a workspace; the tensor itself is in memory, so they are countable. */
static size_t room_of(size_t count, size_t each)
{
    return (count * each / APART + 1) * APART;
}

static void *stand_in(struct stand_ins *all, size_t count, size_t each)
{
    void *memory = (char *)sim_space_bytes(all->space) + all->used;

    all->used += room_of(count, each);
    return memory;
}

static bool reads_as_is(const struct sim_call *call, aclDataType wide, size_t i)
{
    return call->in[i].absent || (call->in[i].type == wide && !call->halved);
}

static bool writes_as_is(const struct sim_call *call, aclDataType wide, size_t i)
{
    return call->out[i].absent || call->out[i].type == wide;
}

static size_t room_for_all(const struct sim_call *call, aclDataType wide)
{
    size_t each = aclDataTypeSize(wide), room = 0;

    for (size_t i = 0; i < call->inputs; i++)
        if (!reads_as_is(call, wide, i))
            room += room_of(call->in[i].count, each);
    for (size_t i = 0; i < call->outputs; i++)
        if (!writes_as_is(call, wide, i))
            room += room_of(call->out[i].count, each);
    return room;
}

static void halve(float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = bp_f16_load(aclFloatToFloat16(values[i]));
}

static void read_inputs(const struct sim_call *call, aclDataType wide, const void *const *in,
                        struct stand_ins *all)
{
    for (size_t i = 0; i < call->inputs; i++) {
        const struct sim_tensor *tensor = &call->in[i];
        void *copy;

        all->in[i] = in[i];
        if (reads_as_is(call, wide, i))
            continue;
        copy = stand_in(all, tensor->count, aclDataTypeSize(wide));
        sim_convert(copy, wide, in[i], tensor->type, tensor->count);
        if (call->halved && wide == ACL_FLOAT)
            halve(copy, tensor->count);
        all->in[i] = copy;
    }
}

static void place_outputs(const struct sim_call *call, aclDataType wide, void *const *out,
                          struct stand_ins *all)
{
    for (size_t i = 0; i < call->outputs; i++) {
        all->out[i] = out[i];
        if (!writes_as_is(call, wide, i))
            all->out[i] = stand_in(all, call->out[i].count, aclDataTypeSize(wide));
    }
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
    struct stand_ins all = {.used = 0};
    size_t room = room_for_all(call, wide);

    if (room > 0) {
        all.space = sim_space_get(room);
        if (!all.space)
            return sim_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: no memory", call->op->type);
    }
    read_inputs(call, wide, in, &all);
    place_outputs(call, wide, out, &all);
    kernel(call, all.in, all.out);
    write_outputs(call, wide, out, &all);
    sim_space_put(all.space);
    return 0;
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
