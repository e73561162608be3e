/* SPDX-License-Identifier: MIT */
/* run.c - converts what a kernel reads to its type, calls it, converts what it wrote. */
#include "common/float16.h"
#include "core/error.h"
#include "core/workspace.h"
#include "ops/convert.h"
#include "ops/op.h"

/* What a kernel works on instead of the tensors themselves. */
struct stand_ins {
    struct sim_workspace *space;
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
    void *memory = (char *)sim_workspace_bytes(all->space) + all->used;

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
        all.space = sim_workspace_get(room);
        if (!all.space)
            return sim_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: no memory", call->op->type);
    }
    read_inputs(call, wide, in, &all);
    place_outputs(call, wide, out, &all);
    kernel(call, all.in, all.out);
    write_outputs(call, wide, out, &all);
    sim_workspace_put(all.space);
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
