/* SPDX-License-Identifier: MIT */
/* run.c - a run of a model: one task of a stream, whatever is in it. */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/fault.h"
#include "core/interrupt.h"
#include "core/state.h"
#include "core/workspace.h"
#include "memory/memory.h"
#include "model/model.h"
#include "stream/task_pool.h"

/*
 * One of the model's inputs, then outputs, then its work memory, its weights: the address as the
 * program knows it, and while the task runs where its bytes are.
 */
struct binding {
    void *address;
    struct sim_block *pin;
    uint8_t *data; /* where its bytes are */
};

/* One run. Its bindings lie in a workspace, as their number is the model's. */
struct model_task {
    struct sim_task task;
    struct sim_model *model;
    struct sim_workspace *workspace;
    struct binding *bindings; /* in the workspace */
};

static struct sim_task_pool model_tasks = {.size = sizeof(struct model_task)};

/* ---- on the stream's thread ----------------------------------------------------------------- */

/* Inputs and outputs are numbered together here, outputs after inputs. */
static size_t n_io(const struct sim_model *model)
{
    return model->n_inputs + model->n_outputs;
}

/* Bytes that the buffer of input or output i has to have. */
static size_t io_bytes(const struct sim_model *model, size_t i)
{
    const struct sim_model_io *io =
        i < model->n_inputs ? &model->inputs[i] : &model->outputs[i - model->n_inputs];

    return model->tensors[io->tensor].bytes;
}

/* Bad addresses are found when the model runs, as a device finds them. [locked] */
static aclError pin(struct model_task *run, size_t i, const void *address, size_t size,
                    const char *what)
{
    if (size == 0)
        return 0;
    return sim_pin(run->model->device, address, size, ACL_ERROR_RT_AICORE_EXCEPTION, what,
                   &run->bindings[i].pin, &run->bindings[i].data);
}

/* Work memory, weights, inputs and outputs; on a failure some are pinned. [locked] */
static aclError pin_all(struct model_task *run)
{
    const struct sim_model *model = run->model;
    size_t n = n_io(model);
    aclError rc = pin(run, n, model->work, model->work_size, "a model's work memory");

    if (!rc)
        rc = pin(run, n + 1, model->weights, model->weight_size, "a model's weights");
    for (size_t i = 0; i < n && !rc; i++)
        rc = pin(run, i, run->bindings[i].address, io_bytes(model, i),
                 i < model->n_inputs ? "a model's input" : "a model's output");
    return rc;
}

/* Where tensor i lies in this run; NULL for an absent operand. */
static void *address_of(const struct model_task *run, uint32_t i)
{
    const struct sim_model *model = run->model;
    const struct sim_model_tensor *tensor;

    if (i == UINT32_MAX)
        return NULL;
    tensor = &model->tensors[i];
    switch (tensor->kind) {
    case SIM_TENSOR_INPUT:
        return run->bindings[tensor->index].data;
    case SIM_TENSOR_OUTPUT:
        return run->bindings[model->n_inputs + tensor->index].data;
    case SIM_TENSOR_WORK:
        return run->bindings[n_io(model)].data + tensor->offset;
    default:
        return run->bindings[n_io(model) + 1].data + tensor->offset;
    }
}

/* In the order of the file, which is one in which they can run. Without the lock. */
static aclError run_ops(const struct model_task *run)
{
    aclError rc = 0;

    for (size_t i = 0; i < run->model->n_ops && !rc; i++) {
        const struct sim_model_op *op = &run->model->ops[i];
        const void *in[SIM_INPUTS] = {NULL};
        void *out[SIM_OUTPUTS] = {NULL};

        for (size_t j = 0; j < op->call.inputs; j++)
            in[j] = address_of(run, op->in[j]);
        for (size_t j = 0; j < op->call.outputs; j++)
            out[j] = address_of(run, op->out[j]);
        rc = sim_call_run(&op->call, in, out);
    }
    return rc;
}

/*
 * On the stream's thread. A model has one work memory, so that it runs once at a time, in whatever
 * streams it was put.
 */
static aclError run_model(struct sim_task *task, struct sim_stream *stream)
{
    struct model_task *run = (struct model_task *)task;
    struct sim_model *model = run->model;
    aclError rc;

    (void)stream;
    while (model->is_running && !sim_interrupted())
        sim_wait(&sim_state.changed, UINT64_MAX);
    if (sim_interrupted())
        return ACL_ERROR_RT_STREAM_ABORT;
    model->is_running = true;
    rc = pin_all(run);
    if (!rc) {
        sim_unlock();
        rc = run_ops(run);
        sim_lock();
    }
    for (size_t i = 0; i < n_io(model) + 2; i++)
        sim_unpin(run->bindings[i].pin);
    model->is_running = false;
    pthread_cond_broadcast(&sim_state.changed);
    return rc;
}

/* Also after a failure in the middle of queueing. */
static void drop_model(struct sim_task *task)
{
    struct model_task *run = (struct model_task *)task;

    sim_model_unref(run->model);
    if (run->workspace)
        sim_workspace_put(run->workspace);
    sim_task_pool_put(&model_tasks, task);
}

/* ---- queueing ------------------------------------------------------------------------------- */

/* One launch for all operators. A precise kernel takes twice as long to do the same. */
static uint64_t model_cost(const struct sim_model *model)
{
    const struct sim_device_config *config = model->device->config;
    uint64_t cost = config->launch_ns;

    for (size_t i = 0; i < model->n_ops; i++) {
        uint64_t one = sim_op_cost(config, &model->ops[i].call) - config->launch_ns;

        cost += model->ops[i].is_precise ? 2 * one : one;
    }
    return cost;
}

/* Address and size of the buffer of input or output i. */
static aclError check_buffer(const struct sim_model *model, size_t i, const aclDataBuffer *buffer)
{
    const char *what = i < model->n_inputs ? "input" : "output";
    size_t index = i < model->n_inputs ? i : i - model->n_inputs;

    if (!buffer->data)
        return sim_violate(BP_ASCEND_BAD_DATASET, ACL_ERROR_INVALID_PARAM, "%s %zu has no address",
                           what, index);
    if (buffer->size < io_bytes(model, i))
        return sim_violate(BP_ASCEND_BAD_DATASET, ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID,
                           "%s %zu has %zu bytes of %zu", what, index, buffer->size,
                           io_bytes(model, i));
    return 0;
}

/* As many buffers as the model has inputs and outputs, no more and no fewer. */
static aclError check_counts(const struct sim_model *model, const aclmdlDataset *in,
                             const aclmdlDataset *out)
{
    if (in->count == model->n_inputs && out->count == model->n_outputs)
        return 0;
    return sim_violate(BP_ASCEND_BAD_DATASET, ACL_ERROR_INVALID_PARAM,
                       "%zu inputs and %zu outputs for a model that has %zu and %zu", in->count,
                       out->count, model->n_inputs, model->n_outputs);
}

/* With a reference to the model. NULL: no memory. */
static struct model_task *make_task(struct sim_model *model)
{
    struct model_task *run = sim_task_pool_get(&model_tasks);
    size_t size = (n_io(model) + 2) * sizeof *run->bindings;

    if (!run)
        return NULL;
    model->refs++;
    run->model = model;
    run->task.run = run_model;
    run->task.drop = drop_model;
    run->task.busy = SIM_BUSY_OPERATOR;
    run->task.cost_ns = model_cost(model);
    run->workspace = sim_workspace_get(size);
    if (!run->workspace) {
        drop_model(&run->task);
        return NULL;
    }
    run->bindings = memset(sim_workspace_bytes(run->workspace), 0, size);
    return run;
}

/* Addresses are read now, so that data sets may go before the model runs. */
static aclError bind_buffers(struct model_task *run, const aclmdlDataset *in,
                             const aclmdlDataset *out)
{
    const struct sim_model *model = run->model;
    aclError rc = 0;

    for (size_t i = 0; i < n_io(model) && !rc; i++) {
        const aclDataBuffer *buffer =
            i < model->n_inputs ? in->entries[i].buffer : out->entries[i - model->n_inputs].buffer;

        rc = check_buffer(model, i, buffer);
        run->bindings[i].address = buffer->data;
    }
    return rc;
}

/* On a stream of the model's own device. [locked, may wait] */
static aclError queue(struct sim_model *model, const aclmdlDataset *in, const aclmdlDataset *out,
                      struct sim_stream *stream)
{
    struct model_task *run;
    aclError rc = sim_fault(BP_ASCEND_AT_LAUNCH);

    if (!rc)
        rc = check_counts(model, in, out);
    if (rc)
        return rc;
    if (model->device != stream->device)
        return sim_violate(BP_ASCEND_OTHER_DEVICE, ACL_ERROR_RT_MODEL_CONTEXT,
                           "model %u is of device %d, the stream of device %d", model->id,
                           model->device->id, stream->device->id);
    run = make_task(model);
    if (!run)
        return sim_fail(ACL_ERROR_BAD_ALLOC, "no memory for a task");
    rc = bind_buffers(run, in, out);
    if (rc) {
        drop_model(&run->task);
        return rc;
    }
    sim_state.counters.launches++;
    sim_state.counters.model_runs++;
    return sim_submit(stream, &run->task);
}

aclError aclmdlExecuteAsync(uint32_t modelId, const aclmdlDataset *input, aclmdlDataset *output,
                            aclrtStream handle)
{
    struct sim_stream *stream;
    struct sim_model *model;
    aclError rc;

    if (!input || !output)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "aclmdlExecuteAsync: no data set");
    sim_lock();
    rc = sim_stream_get(handle, &stream);
    if (!rc)
        rc = sim_model_get(modelId, &model);
    if (!rc)
        rc = queue(model, input, output, stream);
    sim_unlock();
    return rc;
}

/* ---- running and waiting -------------------------------------------------------------------- */

/* Outputs without an address get one, which is the program's to aclrtFree(). [locked] */
static aclError allocate_outputs(const struct sim_model *model, aclmdlDataset *out,
                                 bool *is_allocated)
{
    aclError rc = 0;

    for (size_t i = 0; i < model->n_outputs && !rc; i++) {
        size_t bytes = io_bytes(model, model->n_inputs + i);
        aclDataBuffer *buffer = out->entries[i].buffer;

        if (buffer->data)
            continue;
        rc = sim_allocate(&buffer->data, bytes, (bytes + 63) / 32 * 32);
        is_allocated[i] = !rc;
        buffer->size = rc ? 0 : bytes;
    }
    return rc;
}

/* After a failure: what allocate_outputs() gave. [locked] */
static void free_outputs(aclmdlDataset *out, const bool *is_allocated)
{
    struct sim_block *block;

    for (size_t i = 0; i < out->count; i++) {
        aclDataBuffer *buffer = out->entries[i].buffer;

        if (!is_allocated[i] || sim_memory_kind_of(buffer->data, &block) != SIM_MEMORY_DEVICE)
            continue;
        sim_block_free(block);
        buffer->data = NULL;
        buffer->size = 0;
    }
}

/* aclmdlExecute() leaves the shapes of outputs in their data set. */
static aclError describe_outputs(const struct sim_model *model, aclmdlDataset *out)
{
    for (size_t i = 0; i < model->n_outputs; i++) {
        const struct sim_model_tensor *tensor = &model->tensors[model->outputs[i].tensor];
        aclTensorDesc *desc = aclCreateTensorDesc(tensor->type, (int)tensor->shape.rank,
                                                  tensor->shape.dims, tensor->format);

        if (!desc)
            return sim_fail(ACL_ERROR_BAD_ALLOC, "no memory for a description");
        aclDestroyTensorDesc(out->entries[i].desc);
        out->entries[i].desc = desc;
    }
    return 0;
}

/* Queues in the default stream and waits for all of it. [locked, waits] */
static aclError execute(struct sim_model *model, const aclmdlDataset *in, aclmdlDataset *out)
{
    struct sim_stream *stream;
    aclError rc = sim_stream_get(NULL, &stream);
    bool *is_allocated;

    if (!rc)
        rc = check_counts(model, in, out);
    if (rc)
        return rc;
    is_allocated = calloc(out->count + 1, sizeof *is_allocated);
    if (!is_allocated)
        return sim_fail(ACL_ERROR_BAD_ALLOC, "no memory for a run");
    rc = allocate_outputs(model, out, is_allocated);
    if (!rc)
        rc = queue(model, in, out, stream);
    if (!rc)
        rc = sim_stream_synchronize(stream, UINT64_MAX);
    if (!rc)
        rc = describe_outputs(model, out);
    if (rc)
        free_outputs(out, is_allocated);
    free(is_allocated);
    return rc;
}

/* Another thread may unload the model while this one waits: the reference keeps it. */
aclError aclmdlExecute(uint32_t modelId, const aclmdlDataset *input, aclmdlDataset *output)
{
    struct sim_model *model;
    aclError rc;

    if (!input || !output)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "aclmdlExecute: no data set");
    sim_lock();
    rc = sim_model_get(modelId, &model);
    if (!rc) {
        model->refs++; /* another thread may unload it meanwhile */
        rc = execute(model, input, output);
        sim_model_unref(model);
    }
    sim_unlock();
    return rc;
}
