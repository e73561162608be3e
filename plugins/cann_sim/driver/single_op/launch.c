/* SPDX-License-Identifier: MIT */
/* launch.c - a compiled operator becomes a task of a stream, and runs. */
#include "single_op/launch.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/fault.h"
#include "core/state.h"
#include "memory/memory.h"
#include "stream/task_pool.h"

/*
 * One run of an operator. Addresses are as the program knows them; inputs that lie in host memory
 * were copied when it was queued.
 */
struct op_task {
    struct sim_task task;
    struct sim_compiled *compiled;
    const void *in[SIM_INPUTS];
    void *out[SIM_OUTPUTS];
    void *copies[SIM_INPUTS]; /* of inputs in host memory, owned */
};

static struct sim_task_pool op_tasks = {.size = sizeof(struct op_task)};

/* ---- on the stream's thread ----------------------------------------------------------------- */

/*
 * A device finds a bad address when it runs. Inputs are a copy, the constant's value, or device
 * memory. [locked]
 */
static aclError pin_all(struct op_task *op, const struct sim_device *device,
                        struct sim_block **blocks, const void **in, void **out)
{
    const struct sim_call *call = &op->compiled->call;
    uint8_t *at;
    aclError rc = 0;

    for (size_t i = 0; !rc && i < call->inputs; i++) {
        in[i] = op->copies[i] ? op->copies[i] : call->in[i].value;
        if (call->in[i].absent || op->copies[i] || !op->in[i])
            continue;
        rc = sim_pin(device, op->in[i], call->in[i].bytes, ACL_ERROR_RT_AICORE_EXCEPTION,
                     "an input", &blocks[i], &at);
        in[i] = at;
    }
    for (size_t i = 0; !rc && i < call->outputs; i++) {
        if (call->out[i].absent)
            continue;
        rc = sim_pin(device, op->out[i], call->out[i].bytes, ACL_ERROR_RT_AICORE_EXCEPTION,
                     "an output", &blocks[SIM_INPUTS + i], &at);
        out[i] = at;
    }
    return rc;
}

/* On the stream's thread; the arithmetic without the lock, with all blocks pinned. */
static aclError run_op(struct sim_task *task, struct sim_stream *stream)
{
    struct op_task *op = (struct op_task *)task;
    struct sim_block *blocks[SIM_INPUTS + SIM_OUTPUTS] = {NULL};
    const void *in[SIM_INPUTS] = {NULL};
    void *out[SIM_OUTPUTS] = {NULL};
    aclError rc = pin_all(op, stream->device, blocks, in, out);

    if (!rc) {
        sim_unlock();
        rc = sim_call_run(&op->compiled->call, in, out);
        sim_lock();
    }
    for (size_t i = 0; i < SIM_INPUTS + SIM_OUTPUTS; i++)
        sim_unpin(blocks[i]);
    return rc;
}

/* Also after a failure in the middle of queueing. */
static void drop_op(struct sim_task *task)
{
    struct op_task *op = (struct op_task *)task;

    for (size_t i = 0; i < SIM_INPUTS; i++)
        free(op->copies[i]);
    sim_compiled_unref(op->compiled);
    sim_task_pool_put(&op_tasks, &op->task);
}

/* ---- queueing ------------------------------------------------------------------------------- */

/*
 * The roofline model: the longer of moving its bytes at memory_rate and doing its arithmetic at the
 * rate of its unit. The cube unit does convolutions and products, float32 at a quarter of the rate
 * of float16.
 */
uint64_t sim_op_cost(const struct sim_device_config *config, const struct sim_call *call)
{
    bool half = call->in[0].type == ACL_FLOAT16 || call->in[0].type == ACL_BF16 || call->force_fp16;
    double rate =
        call->op->cube ? (double)config->cube_rate / (half ? 1 : 4) : (double)config->vector_rate;
    double bytes = 0, moving, working = call->work * 1e9 / rate;

    for (size_t i = 0; i < call->inputs; i++)
        bytes += (double)call->in[i].bytes;
    for (size_t i = 0; i < call->outputs; i++)
        bytes += (double)call->out[i].bytes;
    moving = bytes * 1e9 / (double)config->memory_rate;
    return config->launch_ns + (uint64_t)(moving > working ? moving : working);
}

/*
 * Host memory (aclSetTensorPlaceMent) is read now, so that the program may change it afterwards. A
 * constant needs no buffer.
 */
static aclError take_input(struct op_task *op, size_t i, const aclDataBuffer *buffer)
{
    const struct sim_tensor *tensor = &op->compiled->call.in[i];

    if (tensor->absent)
        return 0;
    if (tensor->value && (!buffer || !buffer->data))
        return 0;
    if (!buffer || !buffer->data || buffer->size < tensor->bytes)
        return sim_fail(ACL_ERROR_OP_INPUT_NOT_MATCH, "input %zu has %zu bytes of %zu", i,
                        buffer && buffer->data ? buffer->size : 0, tensor->bytes);
    op->in[i] = buffer->data;
    if (tensor->place == ACL_MEMTYPE_DEVICE)
        return 0;
    if (sim_check_host(buffer->data, tensor->bytes, "an input") != 0)
        return ACL_ERROR_RT_PARAM_INVALID;
    op->copies[i] = malloc(tensor->bytes);
    if (!op->copies[i])
        return sim_fail(ACL_ERROR_BAD_ALLOC, "no memory for an input");
    memcpy(op->copies[i], buffer->data, tensor->bytes);
    return 0;
}

/* Checks and keeps all of a call's addresses. */
static aclError take_buffers(struct op_task *op, const struct sim_buffers *buffers)
{
    const struct sim_call *call = &op->compiled->call;
    aclError rc = 0;

    for (size_t i = 0; !rc && i < call->inputs; i++)
        rc = take_input(op, i, buffers->in[i]);
    for (size_t i = 0; !rc && i < call->outputs; i++) {
        const aclDataBuffer *buffer = buffers->out[i];

        if (call->out[i].absent)
            continue;
        if (!buffer || !buffer->data || buffer->size < call->out[i].bytes)
            rc = sim_fail(ACL_ERROR_OP_OUTPUT_NOT_MATCH, "output %zu has %zu bytes of %zu", i,
                          buffer && buffer->data ? buffer->size : 0, call->out[i].bytes);
        else
            op->out[i] = buffer->data;
    }
    return rc;
}

/* The task refers to the operator, so that it can be evicted meanwhile. */
aclError sim_launch(struct sim_compiled *compiled, const struct sim_buffers *buffers,
                    struct sim_stream *stream)
{
    struct op_task *op;
    aclError rc = sim_fault(BP_ASCEND_AT_LAUNCH);

    if (rc)
        return rc;
    op = sim_task_pool_get(&op_tasks);
    if (!op)
        return sim_fail(ACL_ERROR_BAD_ALLOC, "no memory for a task");
    op->task.run = run_op;
    op->task.drop = drop_op;
    op->task.busy = SIM_BUSY_OPERATOR;
    op->task.cost_ns = sim_op_cost(stream->device->config, &compiled->call);
    op->compiled = compiled;
    compiled->refs++;
    rc = take_buffers(op, buffers);
    if (rc) {
        drop_op(&op->task);
        return rc;
    }
    sim_state.counters.launches++;
    return sim_submit(stream, &op->task);
}
