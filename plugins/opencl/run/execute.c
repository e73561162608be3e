/* SPDX-License-Identifier: MIT */
/* execute.c - see execute.h. */

#include "run/execute.h"

#include "run/device.h"

/* ---- binding --------------------------------------------------------------------------------- */

/* Memory and offset in bytes of a place in this run. */
static cl_mem memory_of(const bp_frame *frame, const struct bp_opencl_place *place, uint64_t *at)
{
    const bp_frame_desc *desc = frame->desc;

    *at = place->offset;
    switch (place->kind) {
    case BP_OPENCL_INPUT:
        *at += desc->in[place->index].offset;
        return desc->in[place->index].base;
    case BP_OPENCL_OUTPUT:
        *at += desc->out[place->index].offset;
        return desc->out[place->index].base;
    case BP_OPENCL_ITEM:
        *at += desc->scratch_offset + frame->items[place->index].offset;
        return desc->scratch;
    case BP_OPENCL_CONSTANT:
        return frame->program->buffers[place->index];
    case BP_OPENCL_TABLE:
        return frame->tables;
    case BP_OPENCL_KEPT:
        return frame->kept;
    default:
        return NULL;
    }
}

static cl_int bind_operand(const bp_frame *frame, const struct bp_opencl_step *step,
                           const struct bp_opencl_operand *operand)
{
    const struct bp_opencl_library *cl = frame->program->instance->cl;
    uint64_t at;
    cl_mem memory = memory_of(frame, &operand->place, &at);
    cl_long elements = (cl_long)(at / operand->width);
    cl_int code = cl->clSetKernelArg(step->kernel, operand->slot, sizeof memory, &memory);

    return code != CL_SUCCESS
               ? code
               : cl->clSetKernelArg(step->kernel, operand->slot + 1, sizeof elements, &elements);
}

/* Arguments stay set in the kernels, so that a run with the same memory sets none. */
static bp_rc bind_frame(bp_frame *frame, const bp_run *run, bp_err *err)
{
    for (struct bp_opencl_step *step = frame->steps; step; step = step->next) {
        if (!step->kernel) {
            uint64_t from_at, to_at;

            step->from = memory_of(frame, &step->operands[0].place, &from_at);
            step->to = memory_of(frame, &step->operands[1].place, &to_at);
            step->from_at = (size_t)from_at;
            step->to_at = (size_t)to_at;
            continue;
        }
        for (uint32_t i = 0; i < step->n_operands; i++) {
            cl_int code = bind_operand(frame, step, &step->operands[i]);

            if (code != CL_SUCCESS)
                return bp_opencl_fail(err, code, "clSetKernelArg for '%s'",
                                      BP_NODE(frame->program->graph, step->node)->name);
        }
    }
    frame->io_epoch = run->io_epoch;
    frame->is_bound = true;
    return BP_OK;
}

/* Steps of the first run only are put aside in the second. */
static void drop_once(bp_frame *frame)
{
    struct bp_opencl_step **at = &frame->steps;

    frame->is_dropped = true;
    while (*at) {
        struct bp_opencl_step *step = *at;

        if (!step->is_once) {
            at = &step->next;
            continue;
        }
        *at = step->next;
        step->next = frame->done;
        frame->done = step;
    }
}

/* ---- running --------------------------------------------------------------------------------- */

static cl_int enqueue(const bp_frame *frame, const struct bp_opencl_step *step,
                      cl_command_queue queue, cl_event *event)
{
    const struct bp_opencl_library *cl = frame->program->instance->cl;

    if (!step->kernel)
        return cl->clEnqueueCopyBuffer(queue, step->from, step->to, step->from_at, step->to_at,
                                       step->bytes, 0, NULL, event);
    return cl->clEnqueueNDRangeKernel(queue, step->kernel, step->n_dims, NULL, step->global,
                                      step->local, 0, NULL, event);
}

static bp_rc enqueue_all(const bp_frame *frame, const bp_run *run, cl_command_queue queue,
                         uint32_t *n_events, bp_err *err)
{
    const bp_host *host = &frame->program->instance->host;
    bool is_measured = run->prof && frame->events;

    for (struct bp_opencl_step *step = frame->steps; step; step = step->next) {
        bp_rc rc = bp_stop_check(host, run);
        cl_int code;

        if (rc < 0)
            return bp_fail(err, rc,
                           rc == BP_E_CANCELLED ? "opencl: the run was cancelled"
                                                : "opencl: the run's deadline has passed");
        code = enqueue(frame, step, queue, is_measured ? &frame->events[*n_events] : NULL);
        if (code != CL_SUCCESS) {
            const bp_node *node = BP_NODE(frame->program->graph, step->node);

            return bp_opencl_fail(err, code, "%s of %s '%s'",
                                  step->kernel ? "clEnqueueNDRangeKernel" : "clEnqueueCopyBuffer",
                                  node->op, node->name);
        }
        *n_events += is_measured;
    }
    return BP_OK;
}

/*
 * A row for each step. The device's clock is put where its last event ended when the host saw the
 * queue's end, as the two clocks have no common start.
 */
static void record(const bp_frame *frame, const bp_run *run, uint32_t n)
{
    const bp_instance *instance = frame->program->instance;
    const struct bp_opencl_library *cl = instance->cl;
    const struct bp_opencl_step *step = frame->steps;
    int64_t now = instance->host.now_ns(instance->host.h);
    cl_ulong last = 0, start, end;

    if (n > 0)
        cl->clGetEventProfilingInfo(frame->events[n - 1], CL_PROFILING_COMMAND_END, sizeof last,
                                    &last, NULL);
    for (uint32_t i = 0; i < n; i++, step = step->next) {
        cl_event event = frame->events[i];
        bp_prof_event *row;

        if (cl->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start,
                                        NULL) == CL_SUCCESS &&
            cl->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL) ==
                CL_SUCCESS &&
            (row = bp_prof_add(run->prof)) != NULL)
            *row = (bp_prof_event){.t0_ns = now - (int64_t)(last - start),
                                   .t1_ns = now - (int64_t)(last - end),
                                   .node = step->node};
        cl->clReleaseEvent(event);
    }
}

/* The host's stream gets the work and BP_PENDING is returned; without one it is waited for. */
bp_rc bp_opencl_execute(bp_frame *frame, const bp_run *run, bp_err *err)
{
    const bp_instance *instance = frame->program->instance;
    cl_command_queue queue = bp_opencl_queue_of(instance, run->stream);
    bool waits = !run->stream || (run->prof && frame->events);
    uint32_t n_events = 0;
    bp_rc rc = BP_OK;
    cl_int code;

    if (frame->has_run && !frame->is_dropped)
        drop_once(frame);
    if (!frame->is_bound || frame->io_epoch != run->io_epoch)
        rc = bind_frame(frame, run, err);
    if (rc >= 0)
        rc = enqueue_all(frame, run, queue, &n_events, err);
    if (rc < 0 && run->stream && n_events == 0)
        return rc; /* the host ends the stream before it frees what is in use */
    code = waits ? instance->cl->clFinish(queue) : instance->cl->clFlush(queue);
    if (run->prof && frame->events)
        record(frame, run, n_events);
    if (rc >= 0 && code != CL_SUCCESS)
        rc = bp_opencl_fail(err, code, waits ? "clFinish of a run" : "clFlush of a run");
    if (rc < 0)
        return rc;
    frame->has_run = true;
    return run->stream ? BP_PENDING : BP_OK;
}
