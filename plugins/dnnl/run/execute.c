/* SPDX-License-Identifier: MIT */
/*
 * execute.c - runs a frame: its steps on the host's buffers, one after the other, until told to
 * stop.
 */

#include "run/execute.h"

#include "base/library.h"
#include "base/program.h"
#include "base/threads.h"
#include "build/builder.h"
#include "build/frame.h"
#include "build/step.h"
#include "run/loop.h"

/* An input or output without elements may have no address; the offset is then 0. */
static void *address_of(const bp_frame *frame, const struct bp_dnnl_location *location)
{
    char *from;

    if (location->kind == BP_DNNL_SCRATCH)
        from = (char *)frame->desc->scratch + frame->items[location->index].offset;
    else if (location->kind == BP_DNNL_INPUT)
        from = bp_tensor_data(&frame->desc->in[location->index]);
    else
        from = bp_tensor_data(&frame->desc->out[location->index]);
    return location->offset > 0 ? from + location->offset : from; /* NULL: it has no elements */
}

/* Skipped while the host says, by io_epoch, that buffers stay where they are. */
void bp_dnnl_bind(bp_frame *frame, uint32_t io_epoch)
{
    for (struct bp_dnnl_step *step = frame->steps; step; step = step->next) {
        for (uint32_t i = 0; i < step->n_args; i++) {
            if (step->locations[i].kind != BP_DNNL_FIXED)
                bp_dnnl.memory_set_data_handle(step->args[i].memory,
                                               address_of(frame, &step->locations[i]));
        }
    }
    frame->scratch = frame->desc->scratch;
    frame->io_epoch = io_epoch;
    frame->is_bound = true;
}

/* Between steps: a primitive cannot be interrupted, so long ones are cut (build/split.h). */
static bp_rc check_stop(const bp_run *run, bp_err *err)
{
    if (bp_is_cancelled(run->cancel))
        return bp_fail(err, BP_E_CANCELLED, "dnnl: the run was cancelled");
    if (run->deadline_ns != 0 && bp_dnnl_now_ns() >= run->deadline_ns)
        return bp_fail(err, BP_E_TIMEOUT, "dnnl: the run's time was up");
    return BP_OK;
}

/* A full list drops the event and counts it. */
static void note_event(const bp_frame *frame, const struct bp_dnnl_step *step, int64_t t0,
                       bp_prof *prof)
{
    bp_prof_event *event;

    event = bp_prof_add(prof);
    if (!event)
        return;
    event->t0_ns = t0;
    event->t1_ns = bp_dnnl_now_ns();
    event->name = BP_NODE(frame->program->graph, step->node)->name;
    event->node = step->node;
}

/* On as many threads as it was made for: oneDNN's kernels split their work when they are made. */
static dnnl_status_t run_primitive(const bp_frame *frame, const struct bp_dnnl_step *step)
{
    bool is_single_thread = step->is_single_thread && frame->threads > 1;
    dnnl_status_t status;

    if (is_single_thread)
        bp_dnnl.set_num_threads(1);
    status =
        bp_dnnl.primitive_execute(step->primitive, frame->stream, (int)step->n_args, step->args);
    if (is_single_thread)
        bp_dnnl.set_num_threads((int)frame->threads);
    return status;
}

/* A loop gets plain addresses, a primitive oneDNN's arguments. */
dnnl_status_t bp_dnnl_run_step(bp_frame *frame, const struct bp_dnnl_step *step, const bp_run *run)
{
    void *at[BP_DNNL_MAX_OPERANDS] = {NULL};

    if (step->primitive)
        return run_primitive(frame, step);
    for (uint32_t i = 0; i < step->n_args; i++)
        bp_dnnl.memory_get_data_handle(step->args[i].memory, &at[i]);
    bp_dnnl_run_loop(frame, step, run, at);
    return dnnl_success;
}

/* A loop has left work out. Who cancelled may have taken that back by now. */
static bp_rc left(const bp_run *run, bp_err *err)
{
    bp_rc rc = check_stop(run, err);

    return rc < 0 ? rc : bp_fail(err, BP_E_CANCELLED, "dnnl: the run was cancelled");
}

/* The clock is read only for profiles and deadlines. */
static bp_rc run_steps(bp_frame *frame, const bp_run *run, bp_err *err)
{
    const bp_run *stops = run->cancel || run->deadline_ns != 0 ? run : NULL;

    frame->is_stopped = 0;
    for (const struct bp_dnnl_step *step = frame->steps; step; step = step->next) {
        int64_t t0 = run->prof ? bp_dnnl_now_ns() : 0;
        dnnl_status_t status;
        bp_rc rc = check_stop(run, err);

        if (rc < 0)
            return rc;
        status = bp_dnnl_run_step(frame, step, stops);
        if (status != dnnl_success) {
            const bp_node *node = BP_NODE(frame->program->graph, step->node);

            return bp_dnnl_fail(err, status, "%s '%s'", node->op, node->name);
        }
        if (frame->is_stopped)
            return left(run, err);
        if (run->prof)
            note_event(frame, step, t0, run->prof);
    }
    return BP_OK;
}

/* The team is left whatever happened, so that other runs do not wait. */
bp_rc bp_dnnl_execute(bp_frame *frame, const bp_run *run, bp_err *err)
{
    struct bp_dnnl_team team;
    bp_rc rc = bp_dnnl_team_enter(frame->threads, run->cancel, run->deadline_ns, &team, err);

    if (rc < 0)
        return rc;
    if (!frame->is_bound || frame->io_epoch != run->io_epoch ||
        frame->scratch != frame->desc->scratch)
        bp_dnnl_bind(frame, run->io_epoch);
    rc = run_steps(frame, run, err);
    bp_dnnl_team_leave(&team);
    return rc;
}
