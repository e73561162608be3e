/* SPDX-License-Identifier: MIT */
/*
 * run.c - runs a compiled operator: converts what its kernel reads, calls it, converts what it
 * wrote.
 */
#include "common/float16.h"
#include "core/error.h"
#include "core/interrupt.h"
#include "core/workspace.h"
#include "ops/convert.h"
#include "ops/op.h"

/*
 * The operands as the kernel sees them: the tensors themselves, or copies of another type in a
 * workspace.
 */
struct staging {
    struct sim_workspace *space;
    size_t used; /* bytes of it */
    const void *in[SIM_INPUTS];
    void *out[SIM_OUTPUTS];
};

/* Bytes between copies in a workspace, so that each begins at a cache line. */
enum { ALIGN = 64 };

/* What a copy takes of a workspace; the tensor itself is in memory, so this can be counted. */
static size_t staged_bytes(size_t count, size_t element_size)
{
    return (count * element_size / ALIGN + 1) * ALIGN;
}

/* The next copy's place in the workspace, which staging_bytes() has made large enough. */
static void *stage(struct staging *staging, size_t count, size_t element_size)
{
    void *memory = (char *)sim_workspace_bytes(staging->space) + staging->used;

    staging->used += staged_bytes(count, element_size);
    return memory;
}

/* With force_fp16 inputs are rounded, which takes a copy even of the right type. */
static bool reads_as_is(const struct sim_call *call, aclDataType compute_type, size_t i)
{
    return call->in[i].absent || (call->in[i].type == compute_type && !call->force_fp16);
}

/* Outputs are rounded in place. */
static bool writes_as_is(const struct sim_call *call, aclDataType compute_type, size_t i)
{
    return call->out[i].absent || call->out[i].type == compute_type;
}

/* Of all copies that the call needs; 0: no workspace. */
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

/* To the nearest float16 and back, as the vendor's conversion does it: infinity becomes 65504. */
static void round_to_f16(float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = bp_f16_load(aclFloatToFloat16(values[i]));
}

/* One conversion each; an absent input stays as it is. */
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

/* Outputs of another type get a copy that write_outputs() converts. */
static void stage_outputs(const struct sim_call *call, aclDataType compute_type, void *const *out,
                          struct staging *staging)
{
    for (size_t i = 0; i < call->outputs; i++) {
        staging->out[i] = out[i];
        if (!writes_as_is(call, compute_type, i))
            staging->out[i] = stage(staging, call->out[i].count, aclDataTypeSize(compute_type));
    }
}

/* The only rounding of a float16 or bfloat16 result. */
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

/* With a kernel for `compute_type`. */
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

/* What an aborted stream's kernel has written is of no use. */
static aclError finish(const struct sim_call *call, aclError rc)
{
    if (rc || !sim_interrupted())
        return rc;
    return sim_fail(ACL_ERROR_RT_STREAM_ABORT, "%s: the stream was aborted", call->op->type);
}

/* float64 is computed in double, all other reals in float, integers in int64_t. */
aclError sim_call_run(const struct sim_call *call, const void *const *in, void *const *out)
{
    uint64_t type = SIM_BIT(call->in[0].type);

    if (call->op->bytes) {
        call->op->bytes(call, in, out);
        return finish(call, 0);
    }
    if (type & SIM_BIT(ACL_DOUBLE))
        return finish(call, run_converted(call, ACL_DOUBLE, call->op->doubles, in, out));
    if (type & SIM_REAL)
        return finish(call, run_converted(call, ACL_FLOAT, call->op->floats, in, out));
    return finish(call, run_converted(call, ACL_INT64, call->op->ints, in, out));
}
