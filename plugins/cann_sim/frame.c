/* SPDX-License-Identifier: MIT */
/* frame.c - prepares a program for one set of shapes, and runs it. */

#define _GNU_SOURCE /* clock_gettime */

#include "model.h"

#include <time.h>

enum { SPACE = 1 };

/*
 * A program with shapes. One run at a time uses it; `desc` is the host's, and stays as long as the
 * frame.
 */
struct bp_frame {
    bp_program *program;
    const bp_frame_desc *desc;
    struct bp_cann_step *steps;
    struct bp_cann_exec *exec; /* in graph mode, where there are no steps and no scratch */
    bp_arena_item *items;      /* of scratch, with their offsets */
    uint32_t n_items;
    const void *scratch; /* what the buffers are bound to, with scratch_offset and io_epoch */
    uint64_t scratch_offset;
    uint32_t io_epoch;
    bool is_bound;
};

/* ---- the frame ------------------------------------------------------------------------------- */

/* Tells the host how much scratch the frame needs, in device memory. */
static bp_rc plan_scratch(bp_frame *frame, bp_frame_needs *needs, bp_err *err)
{
    if (frame->n_items == 0)
        return BP_OK;
    needs->scratch_align = BP_CANN_UNIT;
    needs->scratch_space = SPACE;
    return bp_cann_plan_items(frame->program->instance, frame->items, frame->n_items,
                              &needs->scratch_bytes, err);
}

/* Offsets of scratch outlive the build. */
static bp_rc keep_items(bp_frame *frame, const struct bp_cann_build *b, bp_err *err)
{
    if (b->n_items == 0)
        return BP_OK;
    frame->items = bp_cann_calloc(frame->program->instance, b->n_items, sizeof *frame->items);
    if (!frame->items)
        return bp_fail(err, BP_E_NOMEM, "cann: no memory for %u buffers", b->n_items);
    frame->n_items = b->n_items;
    memcpy(frame->items, b->items, b->n_items * sizeof *frame->items);
    return BP_OK;
}

/* What runs: the calls themselves, or the model that they are in. */
static bp_rc set_calls(bp_frame *frame, const struct bp_cann_build *b, bp_frame_needs *needs,
                       bp_err *err)
{
    const struct bp_cann_model *model;
    bp_rc rc;

    if (frame->program->models) {
        bp_cann_models_saved(frame->program);
        rc = bp_cann_model_get(frame->program, b, &model, err);
        bp_cann_steps_free(frame->program->instance, b->steps);
        return rc < 0 || !model ? rc : bp_cann_exec_create(model, b, &frame->exec, err);
    }
    frame->steps = b->steps;
    rc = keep_items(frame, b, err);
    return rc < 0 ? rc : plan_scratch(frame, needs, err);
}

/* Making the calls has them compiled, so that a run does not wait for that. */
bp_rc bp_cann_frame_create(bp_program *program, const bp_frame_desc *desc, bp_frame_needs *needs,
                           bp_frame **out, bp_err *err)
{
    bp_instance *instance = program->instance;
    bp_rc rc = bp_cann_enter(instance, err);
    struct bp_cann_build b;
    bp_frame *frame;

    if (rc < 0)
        return rc;
    frame = bp_cann_calloc(instance, 1, sizeof *frame);
    if (!frame)
        return bp_fail(err, BP_E_NOMEM, "cann: no memory for a frame");
    frame->program = program;
    frame->desc = desc;
    rc = bp_cann_build(&b, program, desc, err);
    if (rc >= 0)
        rc = set_calls(frame, &b, needs, err);
    else
        bp_cann_steps_free(instance, b.steps);
    bp_cann_build_finish(&b);
    if (rc < 0) {
        bp_cann_frame_free(frame);
        return rc;
    }
    *out = frame;
    return BP_OK;
}

void bp_cann_frame_free(bp_frame *frame)
{
    const bp_instance *instance;

    if (!frame)
        return;
    instance = frame->program->instance;
    bp_cann_steps_free(instance, frame->steps);
    bp_cann_exec_free(instance, frame->exec);
    if (frame->items)
        bp_cann_free(instance, frame->items, frame->n_items, sizeof *frame->items);
    bp_cann_free(instance, frame, 1, sizeof *frame);
}

/* ---- running --------------------------------------------------------------------------------- */

/* The device's address of a location in this run; NULL for one that is absent. */
static void *address_of(const bp_frame *frame, const struct bp_cann_location *location)
{
    const bp_frame_desc *desc = frame->desc;

    switch (location->kind) {
    case BP_CANN_INPUT:
        return (char *)desc->in[location->index].base + desc->in[location->index].offset;
    case BP_CANN_OUTPUT:
        return (char *)desc->out[location->index].base + desc->out[location->index].offset;
    case BP_CANN_ITEM:
        return (char *)desc->scratch + desc->scratch_offset + frame->items[location->index].offset;
    case BP_CANN_CONSTANT:
        return (char *)frame->program->base + location->offset;
    default:
        return NULL;
    }
}

/* Tells ACL's buffers where the host's tensors are; skipped while they stay where they are. */
static void bind(bp_frame *frame, uint32_t io_epoch)
{
    const struct bp_cann_driver *driver = frame->program->instance->driver;

    for (struct bp_cann_step *step = frame->steps; step; step = step->next) {
        for (uint32_t i = 0; i < step->n_in + step->n_out; i++) {
            if (step->args[i].location.kind != BP_CANN_ABSENT)
                driver->acl.aclUpdateDataBuffer(step->buffers[i],
                                                address_of(frame, &step->args[i].location),
                                                step->args[i].bytes);
        }
    }
    if (frame->exec)
        bp_cann_exec_bind(frame->program->instance, frame->exec, frame->desc);
    frame->scratch = frame->desc->scratch;
    frame->scratch_offset = frame->desc->scratch_offset;
    frame->io_epoch = io_epoch;
    frame->is_bound = true;
}

/* The clock of the host's deadlines, in nanoseconds. */
static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Between calls, and between waits for them. */
static bp_rc check_stop(const bp_run *run, bp_err *err)
{
    if (bp_is_cancelled(run->cancel))
        return bp_fail(err, BP_E_CANCELLED, "cann: the run was cancelled");
    if (run->deadline_ns != 0 && now_ns() >= run->deadline_ns)
        return bp_fail(err, BP_E_TIMEOUT, "cann: the run's deadline has passed");
    return BP_OK;
}

/* A forgotten operator is compiled again, so that this is the call and not aclopExecute(). */
static aclError put_step(const bp_frame *frame, const struct bp_cann_step *step, aclrtStream stream)
{
    const struct bp_cann_driver *driver = frame->program->instance->driver;
    size_t n = step->args[0].bytes;

    switch (step->kind) {
    case BP_CANN_CALL:
        return driver->acl.aclopCompileAndExecute(
            step->type, (int)step->n_in, step->descs,
            (const aclDataBuffer *const *)(const void *)step->buffers, (int)step->n_out,
            step->descs + step->n_in, (aclDataBuffer *const *)step->buffers + step->n_in,
            step->attr, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream);
    case BP_CANN_COPY:
        return driver->acl.aclrtMemcpyAsync(address_of(frame, &step->args[1].location), n,
                                            address_of(frame, &step->args[0].location), n,
                                            ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
    default:
        return driver->acl.aclrtMemsetAsync(address_of(frame, &step->args[0].location), n,
                                            step->fill, n, stream);
    }
}

/* What is in the stream already stays there after a failure; the host ends the stream. */
static bp_rc put_steps(const bp_frame *frame, const bp_run *run, bp_err *err)
{
    aclrtStream stream = bp_cann_kernel_stream(run->stream);

    for (const struct bp_cann_step *step = frame->steps; step; step = step->next) {
        bp_rc rc = check_stop(run, err);
        aclError code;

        if (rc < 0)
            return rc;
        code = put_step(frame, step, stream);
        if (code != ACL_SUCCESS) {
            const bp_node *node = BP_NODE(frame->program->graph, step->node);

            return bp_cann_fail(frame->program->instance->driver, err, code, "%s '%s'", node->op,
                                node->name);
        }
    }
    return BP_OK;
}

/* All or nothing: there is one task. */
static bp_rc put_model(const bp_frame *frame, const bp_run *run, bp_err *err)
{
    bp_rc rc = check_stop(run, err);

    if (rc < 0)
        return rc;
    return bp_cann_exec_queue(frame->program->instance, frame->exec,
                              bp_cann_kernel_stream(run->stream), err);
}

enum { LOOK_MS = 5 }; /* milliseconds between two looks at whether the run should stop */

/*
 * Waits for the default stream, and after a failure too, as what was queued before it still uses the
 * frame. A run that should stop ends what the device does, where the release of ACL can. That stops
 * work of other runs in that stream too, which then fail; hosts with several give each its own.
 */
static bp_rc wait_for_default(const struct bp_cann_driver *driver, const bp_run *run, bp_rc rc,
                              bp_err *err)
{
    bool can_stop = (run->cancel || run->deadline_ns != 0) && driver->abort_stream;
    aclError code;

    do {
        code = driver->acl.aclrtSynchronizeStreamWithTimeout(NULL, can_stop ? LOOK_MS : -1);
        if (code == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT && rc >= 0)
            rc = check_stop(run, err);
        if (code == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT && rc < 0) {
            driver->abort_stream(NULL);
            can_stop = false; /* it has what it wanted; the device stops soon */
        }
    } while (code == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    if (rc >= 0 && code != ACL_SUCCESS)
        rc = bp_cann_fail(driver, err, code, "a run");
    return rc;
}

/* With a stream of the host's it does not wait: BP_PENDING. */
bp_rc bp_cann_execute(bp_frame *frame, const bp_run *run, bp_err *err)
{
    bp_rc rc = bp_cann_enter(frame->program->instance, err);

    if (rc < 0)
        return rc;
    if (!frame->is_bound || frame->io_epoch != run->io_epoch ||
        frame->scratch != frame->desc->scratch ||
        frame->scratch_offset != frame->desc->scratch_offset)
        bind(frame, run->io_epoch);
    rc = frame->exec ? put_model(frame, run, err) : put_steps(frame, run, err);
    if (run->stream)
        return rc < 0 ? rc : BP_PENDING;
    return wait_for_default(frame->program->instance->driver, run, rc, err);
}
