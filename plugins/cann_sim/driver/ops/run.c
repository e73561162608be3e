/* SPDX-License-Identifier: MIT */
/* run.c - converts what a kernel reads to its type, calls it, converts what it wrote. */
#include "common/float16.h"
#include "core/error.h"
#include "core/workspace.h"
#include "ops/convert.h"
#include "ops/op.h"

/* What a kernel works on instead of the tensors themselves. */
struct staging {
    struct sim_workspace *space;
    size_t used; /* bytes of it */
    const void *in[SIM_INPUTS];
    void *out[SIM_OUTPUTS];
};

enum { ALIGN = 64 };

/* Bytes that a stand-in takes of a workspace; the tensor itself is in memory, so they are countable. */
static size_t staged_bytes(size_t count, size_t element_size)
{
    return (count * element_size / ALIGN + 1) * ALIGN;
}

static void *stage(struct staging *staging, size_t count, size_t element_size)
{
    void *memory = (char *)sim_workspace_bytes(staging->space) + staging->used;

    staging->used += staged_bytes(count, element_size);
    return memory;
}

static bool reads_as_is(const struct sim_call *call, aclDataType compute_type, size_t i)
{
    return call->in[i].absent || (call->in[i].type == compute_type && !call->force_fp16);
}

static bool writes_as_is(const struct sim_call *call, aclDataType compute_type, size_t i)
{
    return call->out[i].absent || call->out[i].type == compute_type;
}

static size_t staging_bytes(const struct sim_call *call, aclDataType compute_type)
{
    size_t element_size = aclDataTypeSize(compute_type), bytes = 0;

    for (size_t i = 0; i < call->inputs; i++)
        if (!reads_as_is(call, compute_type, i))
            bytes += staged_bytes(call->in[i].count, element_size);
    for (size_t i = 0; i < call->outputs; i++)
        if (!writes_as_is(call, compute_type, i))
            bytes += staged_bytes(call->out[i].count, element_size);
    return bytes;
}

static void round_to_f16(float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = bp_f16_load(aclFloatToFloat16(values[i]));
}

static void read_inputs(const struct sim_call *call, aclDataType compute_type,
                        const void *const *in, struct staging *staging)
{
    for (size_t i = 0; i < call->inputs; i++) {
        const struct sim_tensor *tensor = &call->in[i];
        void *copy;

        staging->in[i] = in[i];
        if (reads_as_is(call, compute_type, i))
            continue;
        copy = stage(staging, tensor->count, aclDataTypeSize(compute_type));
        sim_convert(copy, compute_type, in[i], tensor->type, tensor->count);
        if (call->force_fp16 && compute_type == ACL_FLOAT)
            round_to_f16(copy, tensor->count);
        staging->in[i] = copy;
    }
}

static void stage_outputs(const struct sim_call *call, aclDataType compute_type, void *const *out,
                          struct staging *staging)
{
    for (size_t i = 0; i < call->outputs; i++) {
        staging->out[i] = out[i];
        if (!writes_as_is(call, compute_type, i))
            staging->out[i] = stage(staging, call->out[i].count, aclDataTypeSize(compute_type));
    }
}

static void write_outputs(const struct sim_call *call, aclDataType compute_type, void *const *out,
                          const struct staging *staging)
{
    for (size_t i = 0; i < call->outputs; i++) {
        const struct sim_tensor *tensor = &call->out[i];

        if (tensor->absent)
            continue;
        if (call->force_fp16 && compute_type == ACL_FLOAT)
            round_to_f16(staging->out[i], tensor->count);
        if (staging->out[i] != out[i])
            sim_convert(out[i], tensor->type, staging->out[i], compute_type, tensor->count);
    }
}

static aclError run_converted(const struct sim_call *call, aclDataType compute_type,
                              sim_kernel *kernel, const void *const *in, void *const *out)
{
    struct staging staging = {.used = 0};
    size_t bytes = staging_bytes(call, compute_type);

    if (bytes > 0) {
        staging.space = sim_workspace_get(bytes);
        if (!staging.space)
            return sim_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: no memory", call->op->type);
    }
    read_inputs(call, compute_type, in, &staging);
    stage_outputs(call, compute_type, out, &staging);
    kernel(call, staging.in, staging.out);
    write_outputs(call, compute_type, out, &staging);
    sim_workspace_put(staging.space);
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
        return run_converted(call, ACL_DOUBLE, call->op->doubles, in, out);
    if (type & SIM_REAL)
        return run_converted(call, ACL_FLOAT, call->op->floats, in, out);
    return run_converted(call, ACL_INT64, call->op->ints, in, out);
}
