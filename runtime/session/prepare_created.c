/* SPDX-License-Identifier: MIT */
/*
 * prepare_created.c - prepares a session for the sets of shapes in the options that it is made
 * with.
 */

#include "config.h"

#include "session/session.h"

#include <stdlib.h>
#include <string.h>

/* Shapes of all inputs of a set, as a run would have them; dims has space for every input. */
struct resolved {
    bp_binding *inputs;
    int64_t (*dims)[BP_MAX_RANK];
    uint32_t n;
};

/* A size that neither the set nor the model says: how to say it. */
static bp_rc fail_open(const bp_io_info *input, uint32_t d, bp_err *err)
{
    if (!input->dims[d].symbol)
        return bp_fail(err, BP_E_INVALID,
                       "input '%s': size %u is open: give it in bp_session_options_add_shapes()",
                       input->name, d);
    return bp_fail(
        err, BP_E_INVALID,
        "input '%s': size %u, '%s', is open: give it in bp_session_options_add_shapes(), "
        "or fix it with bp_session_options_set_dimension(\"%s\")",
        input->name, d, input->dims[d].symbol, input->dims[d].symbol);
}

/* The next input: sizes that `dims` (NULL: all) leaves open are the model's. */
static bp_rc add(struct resolved *r, const bp_io_info *input, uint32_t index, const int64_t *dims,
                 uint32_t rank, bp_err *err)
{
    int64_t *own = r->dims[r->n];
    bp_binding *binding = &r->inputs[r->n++];

    for (uint32_t d = 0; d < rank; d++) {
        own[d] = dims ? dims[d] : -1;
        if (own[d] < 0 && rank == input->rank)
            own[d] = input->dims[d].value;
        if (own[d] < 0 && rank == input->rank)
            return fail_open(input, d, err);
        if (own[d] < 0 && input->rank == BP_RANK_UNKNOWN)
            return bp_fail(err, BP_E_INVALID, "input '%s': the model declares no sizes, give all",
                           input->name);
    }
    *binding = (bp_binding){.index = index};
    binding->tensor.dims = own;
    binding->tensor.rank = rank;
    return BP_OK;
}

/* An input that the set leaves out. */
static bp_rc add_declared(struct resolved *r, const bp_io_info *input, uint32_t index, bp_err *err)
{
    if (input->rank == BP_RANK_UNKNOWN && input->type->kind == BP_KIND_TENSOR)
        return bp_fail(err, BP_E_INVALID,
                       "input '%s': the model declares no rank: give its shape in "
                       "bp_session_options_add_shapes()",
                       input->name);
    return add(r, input, index, NULL, input->rank == BP_RANK_UNKNOWN ? 0 : input->rank, err);
}

static bool has(const struct resolved *r, uint32_t index)
{
    for (uint32_t i = 0; i < r->n; i++) {
        if (r->inputs[i].index == index)
            return true;
    }
    return false;
}

/* Finds the inputs of a set, and adds those that it leaves out. */
static bp_rc resolve(const bp_session *session, const struct bp_shape_set *set, struct resolved *r,
                     bp_err *err)
{
    const struct bp_ports *ports = &session->ports;
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < set->n_inputs; i++) {
        const bp_named_shape *shape = &set->inputs[i];
        uint32_t index;

        rc = bp_ports_find(ports->inputs, ports->n_inputs, "input", shape->name, &index, err);
        if (rc >= 0)
            rc = add(r, &ports->inputs[index], index, shape->dims, shape->rank, err);
        if (rc >= 0)
            r->inputs[r->n - 1].tensor.dtype = shape->dtype;
    }
    for (uint32_t i = 0; rc >= 0 && i < ports->n_required; i++) {
        if (!has(r, i) && session->main.is_needed[i])
            rc = add_declared(r, &ports->inputs[i], i, err);
    }
    return rc;
}

static bp_rc prepare_set(bp_session *session, const struct bp_shape_set *set, uint32_t *n_skipped,
                         bp_err *err)
{
    struct resolved r = {0};
    size_t n = (size_t)session->ports.n_inputs + 1;
    bp_run_shapes shapes;
    bp_rc rc;

    r.inputs = calloc(n, sizeof *r.inputs);
    r.dims = calloc(n, sizeof *r.dims);
    rc = r.inputs && r.dims ? resolve(session, set, &r, err) : bp_fail_nomem(err, "a plan");
    shapes = (bp_run_shapes){.inputs = r.inputs, .n_inputs = r.n};
    if (rc >= 0)
        rc = bp_session_prepare_set(session, &shapes, &session->options.prepare, n_skipped, err);
    free(r.inputs);
    free(r.dims);
    return rc;
}

bp_rc bp_session_prepare_created(bp_session *session, double start, bp_err *err)
{
    const struct bp_session_options *options = &session->options;
    const struct bp_log *log = session->log.fn ? &session->log : &session->env->log;
    uint32_t n_sets = options->shapes.count, n_unprepared = 0;
    bp_rc rc = BP_OK;

    atomic_fetch_add(&session->running, 1);
    for (uint32_t i = 0; rc >= 0 && i < n_sets; i++) {
        uint32_t n_skipped = 0;

        rc = prepare_set(session, &options->shapes.rows[i], &n_skipped, err);
        if (rc < 0)
            rc = bp_fail_in(err, rc, "preparing the session: set %u of shapes", i);
        n_unprepared += n_skipped;
        if (rc >= 0)
            bp_progress_report(log, options->progress, options->progress_user, "prepare",
                               start + (1 - start) * (i + 1) / (n_sets + 1));
    }
    atomic_fetch_sub(&session->running, 1);
    if (rc >= 0 && n_unprepared > 0)
        bp_log(log, BP_LOG_INFO, "session",
               "%u parts of the model stay unprepared: their sizes come with data", n_unprepared);
    return rc;
}
