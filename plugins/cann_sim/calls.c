/* SPDX-License-Identifier: MIT */
/* calls.c - the calls of ACL that operators are made of: the operands and attributes of each. */

#include "cann.h"

static void fail_no_memory(struct bp_cann_build *b)
{
    b->rc = bp_fail(b->err, BP_E_NOMEM, "cann: no memory for the calls of node '%s'",
                    BP_NODE(b->graph, b->node)->name);
}

/* ACL's failures become the build's, with the node's name. */
static void check(struct bp_cann_build *b, aclError code, const char *what)
{
    if (code != ACL_SUCCESS)
        b->rc = bp_cann_fail(b->instance->driver, b->err, code, "%s of node '%s'", what,
                             BP_NODE(b->graph, b->node)->name);
}

/* Appends a step; on a failure there is none, and b->rc says so. */
static void begin(struct bp_cann_build *b, uint32_t kind)
{
    b->step = NULL;
    if (b->rc < 0)
        return;
    b->step = bp_cann_calloc(b->instance, 1, sizeof *b->step);
    if (!b->step) {
        fail_no_memory(b);
        return;
    }
    b->step->kind = kind;
    b->step->node = b->node;
    *b->end = b->step;
    b->end = &b->step->next;
    b->n_steps++;
}

/* The item is in use until the step in the making, at least. */
static void touch(struct bp_cann_build *b, const struct bp_cann_location *location)
{
    if (location->kind == BP_CANN_ITEM)
        b->items[location->index].last = b->n_steps - 1;
}

void bp_cann_begin_call(struct bp_cann_build *b, const char *type)
{
    begin(b, BP_CANN_CALL);
    if (b->rc < 0)
        return;
    b->step->type = type;
    b->step->attr = b->instance->driver->acl.aclopCreateAttr();
    if (!b->step->attr)
        fail_no_memory(b);
}

/* Descriptions are made once; buffers get their addresses when the frame is bound. */
static void add_arg(struct bp_cann_build *b, const struct bp_cann_tensor *tensor, aclFormat format)
{
    const struct bp_cann_driver *driver = b->instance->driver;
    uint32_t i = b->step->n_in + b->step->n_out;

    if (tensor) {
        b->step->args[i].location = tensor->location;
        b->step->args[i].bytes = bp_cann_bytes(tensor);
        touch(b, &tensor->location);
    }
    b->step->descs[i] = driver->acl.aclCreateTensorDesc(
        tensor ? bp_cann_type(tensor->dtype) : ACL_DT_UNDEFINED, tensor ? tensor->rank : 0,
        tensor ? tensor->dims : NULL, tensor ? format : ACL_FORMAT_UNDEFINED);
    b->step->buffers[i] = driver->acl.aclCreateDataBuffer(NULL, 0);
    if (!b->step->descs[i] || !b->step->buffers[i])
        fail_no_memory(b);
}

void bp_cann_add_input(struct bp_cann_build *b, const struct bp_cann_tensor *tensor,
                       aclFormat format)
{
    if (b->rc < 0)
        return;
    add_arg(b, tensor, format);
    b->step->n_in++;
}

void bp_cann_add_output(struct bp_cann_build *b, const struct bp_cann_tensor *tensor,
                        aclFormat format)
{
    if (b->rc < 0)
        return;
    add_arg(b, tensor, format);
    b->step->n_out++;
}

void bp_cann_set_bool(struct bp_cann_build *b, const char *name, bool value)
{
    if (b->rc >= 0)
        check(b, b->instance->driver->acl.aclopSetAttrBool(b->step->attr, name, value), name);
}

void bp_cann_set_int(struct bp_cann_build *b, const char *name, int64_t value)
{
    if (b->rc >= 0)
        check(b, b->instance->driver->acl.aclopSetAttrInt(b->step->attr, name, value), name);
}

void bp_cann_set_ints(struct bp_cann_build *b, const char *name, int n, const int64_t *values)
{
    if (b->rc >= 0)
        check(b, b->instance->driver->acl.aclopSetAttrListInt(b->step->attr, name, n, values),
              name);
}

void bp_cann_set_float(struct bp_cann_build *b, const char *name, float value)
{
    if (b->rc >= 0)
        check(b, b->instance->driver->acl.aclopSetAttrFloat(b->step->attr, name, value), name);
}

void bp_cann_set_string(struct bp_cann_build *b, const char *name, const char *value)
{
    if (b->rc >= 0)
        check(b, b->instance->driver->acl.aclopSetAttrString(b->step->attr, name, value), name);
}

/* An operand of a copy or fill, which has no description. */
static void set_location(struct bp_cann_build *b, uint32_t i, const struct bp_cann_tensor *tensor)
{
    b->step->args[i].location = tensor->location;
    b->step->args[i].bytes = bp_cann_bytes(tensor);
    touch(b, &tensor->location);
}

/*
 * In a graph, bytes go from operator to operator, and there is no copy: Identity does it, on flat
 * tensors, as the shapes may differ.
 */
static void call_identity(struct bp_cann_build *b, const struct bp_cann_tensor *to,
                          const struct bp_cann_tensor *from)
{
    struct bp_cann_tensor ends[2] = {*from, *to};

    for (int i = 0; i < 2; i++) {
        ends[i].dims[0] = bp_dims_count(ends[i].dims, (uint32_t)ends[i].rank);
        ends[i].rank = 1;
    }
    bp_cann_begin_call(b, "Identity");
    bp_cann_add_input(b, &ends[0], ACL_FORMAT_ND);
    bp_cann_add_output(b, &ends[1], ACL_FORMAT_ND);
}

/* With models the copy is a call, else aclrtMemcpyAsync(). */
void bp_cann_copy(struct bp_cann_build *b, const struct bp_cann_tensor *to,
                  const struct bp_cann_tensor *from)
{
    if (b->program->models) {
        call_identity(b, to, from);
        return;
    }
    begin(b, BP_CANN_COPY);
    if (b->rc < 0)
        return;
    set_location(b, 0, from);
    set_location(b, 1, to);
}

void bp_cann_fill(struct bp_cann_build *b, const struct bp_cann_tensor *to, int32_t byte)
{
    begin(b, BP_CANN_FILL);
    if (b->rc < 0)
        return;
    b->step->fill = byte;
    set_location(b, 0, to);
}

/* The vendor's operators want operands of one shape, so that each broadcast is a launch. */
struct bp_cann_tensor bp_cann_broadcast(struct bp_cann_build *b,
                                        const struct bp_cann_tensor *tensor,
                                        const struct bp_cann_tensor *like)
{
    struct bp_cann_tensor whole = *like;

    if (tensor->rank == like->rank &&
        memcmp(tensor->dims, like->dims, sizeof *like->dims * (size_t)like->rank) == 0)
        return *tensor;
    whole.dtype = tensor->dtype;
    bp_cann_scratch(b, &whole);
    bp_cann_begin_call(b, "BroadcastToD");
    bp_cann_set_ints(b, "shape", like->rank, like->dims);
    bp_cann_add_input(b, tensor, ACL_FORMAT_ND);
    bp_cann_add_output(b, &whole, ACL_FORMAT_ND);
    return whole;
}

/* Nothing is compiled for an estimate, nor where a model is built, which compiles them itself. */
void bp_cann_compile_calls(struct bp_cann_build *b, const struct bp_cann_step *from)
{
    for (const struct bp_cann_step *step = from; step && b->rc >= 0; step = step->next) {
        if (step->kind == BP_CANN_CALL && !b->program->models && !b->program->is_estimate)
            check(b,
                  b->instance->driver->acl.aclopCompile(
                      step->type, (int)step->n_in, step->descs, (int)step->n_out,
                      step->descs + step->n_in, step->attr, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL),
                  step->type);
    }
}

void bp_cann_steps_free(const bp_instance *instance, struct bp_cann_step *steps)
{
    const struct bp_cann_driver *driver = instance->driver;

    while (steps) {
        struct bp_cann_step *step = steps;

        for (int i = 0; i < BP_CANN_MAX_INPUTS + BP_CANN_MAX_OUTPUTS; i++) {
            if (step->descs[i])
                driver->acl.aclDestroyTensorDesc(step->descs[i]);
            if (step->buffers[i])
                driver->acl.aclDestroyDataBuffer(step->buffers[i]);
        }
        if (step->attr)
            driver->acl.aclopDestroyAttr(step->attr);
        steps = step->next;
        bp_cann_free(instance, step, 1, sizeof *step);
    }
}
