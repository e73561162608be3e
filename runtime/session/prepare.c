/* SPDX-License-Identifier: MIT */
/* prepare.c - prepares a session for shapes before a run has them, and tells the outputs' shapes. */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "exec/run.h"
#include "session/state.h"

/*
 * Plans for the shapes in one frame; values whose shapes are known are marked. What a provider
 * refuses is left to the first run, which finds another.
 */
static bp_rc plan(struct bp_call *c, const struct bp_run_shared *shared, bool *is_known,
                  uint32_t *n_skipped, bp_err *err)
{
    bp_rc rc;

    c->frame->refusal.unit = NULL;
    rc = bp_call_bind_shapes(c, is_known, err);
    if (rc >= 0)
        rc = bp_subgraph_prepare(c->frame, shared, is_known, n_skipped, err);
    if (rc == BP_E_SHAPE && c->frame->refusal.unit) {
        *n_skipped = 1;
        return BP_OK;
    }
    return rc;
}

/* Is there another frame to be had without waiting for a run to end? */
static bool may_take(const struct bp_engine *engine, uint32_t i)
{
    return engine->limit.most == 0 || i < engine->limit.most;
}

/*
 * Takes as many frames as runs will be in flight, so that each has the plans, and gives all back at the
 * end.
 */
static bp_rc plan_all(struct bp_call *c, uint32_t n_runs, const struct bp_run_shared *shared,
                      uint32_t *n_skipped, bp_err *err)
{
    struct bp_engine *engine = c->ported->engine;
    struct bp_frame_state *frames[BP_PREPARE_RUNS];
    bool *is_known = calloc((size_t)engine->ir->n_values + 1, sizeof *is_known);
    uint32_t n = 0;
    bp_rc rc = is_known ? BP_OK : bp_fail_nomem(err, "a plan");

    while (rc >= 0 && n < n_runs && may_take(engine, n)) {
        memset(is_known, 0, engine->ir->n_values * sizeof *is_known);
        rc = bp_engine_take_frame(engine, shared, &c->frame, err);
        if (rc < 0)
            break;
        frames[n++] = c->frame;
        rc = plan(c, shared, is_known, n_skipped, err);
        if (rc >= 0)
            bp_frame_state_keep_arenas(c->frame);
    }
    while (n > 0)
        bp_engine_return_frame(engine, frames[--n]);
    free(is_known);
    return rc;
}

bp_rc bp_session_prepare_set(bp_session *session, const bp_run_shapes *set,
                             const bp_prepare_options *options, uint32_t *n_skipped, bp_err *err)
{
    const struct bp_run_shared shared = {.cancel = options->cancel,
                                         .deadline_ns = options->deadline_ns};
    struct bp_call c = {.session = session,
                        .inputs = set->inputs,
                        .n_inputs = set->n_inputs,
                        .is_shapes_only = true};
    bp_binding all_outputs[1] = {{0}};
    bp_rc rc;

    c.outputs = all_outputs; /* of one, all that it needs has to be given */
    c.n_outputs = session->ports.n_outputs > 0;
    if (set->n_inputs > 0 && !set->inputs)
        return bp_fail(err, BP_E_INVALID, "%u inputs are to be prepared for, and the list is NULL",
                       set->n_inputs);
    c.moved = calloc((size_t)c.n_inputs + 1, sizeof *c.moved);
    rc = c.moved ? bp_call_choose_engine(&c, err) : bp_fail_nomem(err, "a plan");
    if (rc >= 0)
        rc = bp_provider_list_check_fork(&c.ported->engine->providers, err);
    if (rc >= 0)
        rc = plan_all(&c, options->n_runs ? options->n_runs : 1, &shared, n_skipped, err);
    free(c.moved);
    return rc;
}

bp_rc bp_session_prepare(bp_session *session, const bp_run_shapes *sets, uint32_t n_sets,
                         bp_prepare_options *options, bp_err *err)
{
    bp_prepare_options own = {.struct_size = sizeof own};
    bp_rc rc = BP_OK;

    if (!session || (n_sets > 0 && !sets))
        return bp_fail(err, BP_E_INVALID, "preparing needs a session and sets of shapes");
    if (options && options->struct_size < offsetof(bp_prepare_options, progress))
        return bp_fail(err, BP_E_INVALID, "prepare options of %u bytes: set their struct_size",
                       options->struct_size);
    if (options)
        bp_copy_in(&own, sizeof own, options);
    if (own.n_runs > BP_PREPARE_RUNS)
        return bp_fail(err, BP_E_INVALID, "%u runs at once; up to %d are possible", own.n_runs,
                       BP_PREPARE_RUNS);
    own.n_unprepared = 0;
    atomic_fetch_add(&session->running, 1);
    for (uint32_t i = 0; rc >= 0 && i < n_sets; i++) {
        uint32_t n_skipped = 0;

        rc = bp_session_prepare_set(session, &sets[i], &own, &n_skipped, err);
        if (rc < 0)
            rc = bp_fail_in(err, rc, "set %u of shapes", i);
        own.n_unprepared += n_skipped;
        bp_progress_report(session->log.fn ? &session->log : &session->env->log, own.progress,
                           own.progress_user, "prepare", (double)(i + 1) / n_sets);
    }
    atomic_fetch_sub(&session->running, 1);
    if (options && options->struct_size >= offsetof(bp_prepare_options, reserved0))
        options->n_unprepared = own.n_unprepared;
    return bp_done(err, rc);
}

/* ---- shapes of outputs ----------------------------------------------------------------------- */

static bp_rc tell(const struct bp_call *c, const bool *is_known, bp_binding *out, bp_err *err)
{
    uint32_t value = c->ported->outputs[out->index];
    const struct bp_cell *cell = &c->frame->cells[value];
    uint32_t space = out->tensor.dims ? out->tensor.rank : 0;
    bool is_constant = c->ported->engine->ir->values[value].flags & BP_IR_CONSTANT;

    out->tensor.dtype = c->session->ports.outputs[out->index].dtype;
    out->tensor.bytes = 0;
    out->tensor.rank = BP_RANK_UNKNOWN;
    if (!is_known[value] && !is_constant)
        return BP_OK;
    out->tensor.rank = cell->rank;
    out->tensor.dtype = cell->dtype;
    out->tensor.bytes = cell->bytes;
    if (cell->rank > space)
        return bp_fail(err, BP_E_SPACE, "output '%s' has rank %u, its dims have space for %u",
                       c->session->ports.outputs[out->index].name, cell->rank, space);
    if (bp_call_moved_output(c, out->index) != BP_NONE)
        bp_state_move_dims_back(cell->dims, cell->rank, bp_call_moved_output(c, out->index),
                                out->tensor.dims);
    else if (cell->rank > 0)
        memcpy(out->tensor.dims, cell->dims, cell->rank * sizeof *cell->dims);
    return BP_OK;
}

static bp_rc tell_all(struct bp_call *c, bp_err *err)
{
    static const struct bp_run_shared shared = {0};
    struct bp_engine *engine = c->ported->engine;
    bool *is_known = calloc((size_t)engine->ir->n_values + 1, sizeof *is_known);
    uint32_t n_skipped;
    bp_rc rc;

    if (!is_known)
        return bp_fail_nomem(err, "a plan");
    rc = bp_engine_take_frame(engine, &shared, &c->frame, err);
    if (rc >= 0) {
        rc = plan(c, &shared, is_known, &n_skipped, err);
        for (uint32_t i = 0; rc >= 0 && i < c->n_outputs; i++)
            rc = tell(c, is_known, &c->outputs[i], err);
        bp_engine_return_frame(engine, c->frame);
    }
    free(is_known);
    return rc;
}

bp_rc bp_session_output_shapes(bp_session *session, const bp_run_shapes *inputs,
                               bp_binding *outputs, uint32_t n_outputs, bp_err *err)
{
    struct bp_call c = {
        .session = session, .outputs = outputs, .n_outputs = n_outputs, .is_shapes_only = true};
    bp_rc rc;

    if (!session || !inputs || (inputs->n_inputs > 0 && !inputs->inputs) ||
        (n_outputs > 0 && !outputs))
        return bp_fail(err, BP_E_INVALID, "shapes of outputs need a session, inputs and outputs");
    c.inputs = inputs->inputs;
    c.n_inputs = inputs->n_inputs;
    c.moved = calloc((size_t)c.n_inputs + 1, sizeof *c.moved);
    if (!c.moved)
        return bp_fail_nomem(err, "a plan");
    atomic_fetch_add(&session->running, 1);
    rc = bp_call_choose_engine(&c, err);
    if (rc >= 0)
        rc = bp_provider_list_check_fork(&c.ported->engine->providers, err);
    if (rc >= 0)
        rc = tell_all(&c, err);
    atomic_fetch_sub(&session->running, 1);
    free(c.moved);
    return bp_done(err, rc);
}
