/* SPDX-License-Identifier: MIT */
/* model_run.c - a frame's data sets, and putting its model into a stream. */

#include "model.h"

/* An input or output of the model: which of the frame's tensors it is. */
struct binding {
    uint32_t index;
    size_t bytes;
    aclDataBuffer *buffer;
};

/* The frame's model and its two data sets; the buffers in them are those of the bindings. */
struct bp_cann_exec {
    uint32_t model;
    uint32_t n_in, n_out;
    aclmdlDataset *in, *out;
    struct binding *bindings; /* inputs, then outputs */
    size_t capacity;
};

static bp_rc no_memory(bp_err *err)
{
    return bp_fail(err, BP_E_NOMEM, "cann: no memory for a model's buffers");
}

/* Values without elements are none of the model's. */
static bp_rc add_bindings(const struct bp_cann_build *b, const uint32_t *values, uint32_t n,
                          aclmdlDataset *set, struct binding *bindings, uint32_t *n_bindings,
                          bp_err *err)
{
    const struct bp_cann_driver *driver = b->instance->driver;

    for (uint32_t i = 0; i < n; i++) {
        struct binding *binding = &bindings[*n_bindings];

        binding->index = i;
        binding->bytes = bp_cann_bytes(&b->values[values[i]]);
        if (binding->bytes == 0)
            continue;
        binding->buffer = driver->acl.aclCreateDataBuffer(NULL, 0);
        if (!binding->buffer)
            return no_memory(err);
        (*n_bindings)++;
        if (driver->acl.aclmdlAddDatasetBuffer(set, binding->buffer) != ACL_SUCCESS)
            return no_memory(err);
    }
    return BP_OK;
}

/* On a failure what is there is for bp_cann_exec_free(). One row more, as there may be none. */
static bp_rc fill(struct bp_cann_exec *exec, const struct bp_cann_build *b, bp_err *err)
{
    const struct bp_cann_driver *driver = b->instance->driver;
    bp_rc rc;

    exec->capacity = (size_t)b->graph->n_inputs + b->graph->n_outputs + 1;
    exec->bindings = bp_cann_calloc(b->instance, exec->capacity, sizeof *exec->bindings);
    exec->in = driver->acl.aclmdlCreateDataset();
    exec->out = driver->acl.aclmdlCreateDataset();
    if (!exec->bindings || !exec->in || !exec->out)
        return no_memory(err);
    rc = add_bindings(b, b->graph->inputs, b->graph->n_inputs, exec->in, exec->bindings,
                      &exec->n_in, err);
    if (rc < 0)
        return rc;
    return add_bindings(b, b->graph->outputs, b->graph->n_outputs, exec->out,
                        exec->bindings + exec->n_in, &exec->n_out, err);
}

bp_rc bp_cann_exec_create(const struct bp_cann_model *model, const struct bp_cann_build *b,
                          struct bp_cann_exec **out, bp_err *err)
{
    struct bp_cann_exec *exec = bp_cann_calloc(b->instance, 1, sizeof *exec);
    bp_rc rc;

    if (!exec)
        return no_memory(err);
    exec->model = model->id;
    rc = fill(exec, b, err);
    if (rc < 0) {
        bp_cann_exec_free(b->instance, exec);
        return rc;
    }
    *out = exec;
    return BP_OK;
}

/* Data sets first: their buffers are the bindings'. */
void bp_cann_exec_free(const bp_instance *instance, struct bp_cann_exec *exec)
{
    const struct bp_cann_driver *driver = instance->driver;

    if (!exec)
        return;
    if (exec->in)
        driver->acl.aclmdlDestroyDataset(exec->in);
    if (exec->out)
        driver->acl.aclmdlDestroyDataset(exec->out);
    for (uint32_t i = 0; i < exec->n_in + exec->n_out; i++)
        driver->acl.aclDestroyDataBuffer(exec->bindings[i].buffer);
    if (exec->bindings)
        bp_cann_free(instance, exec->bindings, exec->capacity, sizeof *exec->bindings);
    bp_cann_free(instance, exec, 1, sizeof *exec);
}

void bp_cann_exec_bind(const bp_instance *instance, struct bp_cann_exec *exec,
                       const bp_frame_desc *desc)
{
    for (uint32_t i = 0; i < exec->n_in + exec->n_out; i++) {
        const struct binding *binding = &exec->bindings[i];
        const bp_tensor *tensor =
            i < exec->n_in ? &desc->in[binding->index] : &desc->out[binding->index];

        instance->driver->acl.aclUpdateDataBuffer(
            binding->buffer, (char *)tensor->base + tensor->offset, binding->bytes);
    }
}

bp_rc bp_cann_exec_queue(const bp_instance *instance, const struct bp_cann_exec *exec,
                         aclrtStream stream, bp_err *err)
{
    const struct bp_cann_driver *driver = instance->driver;
    aclError code = driver->acl.aclmdlExecuteAsync(exec->model, exec->in, exec->out, stream);

    if (code == ACL_SUCCESS)
        return BP_OK;
    return bp_cann_fail(driver, err, code, "running a model");
}
