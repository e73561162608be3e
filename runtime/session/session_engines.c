/* SPDX-License-Identifier: MIT */
/* session_engines.c - the engines of a session, with the session's ports found in each. */

#include "config.h"

#include "graph/without.h"
#include "session/session.h"

/*
 * Returns the config of an engine, with the session's own log and threads or else those of the
 * environment.
 */
struct bp_engine_config bp_session_engine_config(const bp_session *session,
                                                 const struct bp_session_options *options)
{
    struct bp_engine_config config = bp_session_options_engine_config(options);

    config.providers.log = session->log.fn ? &session->log : NULL;
    config.providers.pool = session->pool;
    config.states = &options->states;
    config.memory = &((bp_session *)(uintptr_t)session)->memory;
    return config;
}

void bp_session_finish_ported(struct bp_ported *ported)
{
    bp_engine_destroy(ported->engine);
    *ported = (struct bp_ported){0};
}

/*
 * Finds the ports of the session among the values of an engine by name: passes rename no input or
 * output, so each is found.
 */
static bp_rc find_values(const struct bp_ir *ir, const bp_io_info *ports, uint32_t n, uint32_t *out,
                         bp_err *err)
{
    for (uint32_t i = 0; i < n; i++) {
        out[i] = bp_strmap_get(&ir->by_name, ports[i].name, BP_NONE);
        if (out[i] == BP_NONE)
            return bp_fail(
                err, BP_E_INTERNAL,
                "a pass renamed or removed '%s', which is an input or output of the model",
                ports[i].name);
    }
    return BP_OK;
}

/* Marks a port that the session keeps. Sizes that the graph has in another order are put into the model's. */
static bp_rc keep_port(struct bp_ports *ports, bp_io_info *rows, uint32_t n, const char *name,
                       uint32_t axis, bp_err *err)
{
    bp_dim_info *dims;
    uint32_t i;
    bp_rc rc = bp_ports_find(rows, n, "port", name, &i, err);

    if (rc < 0)
        return rc;
    rows[i].flags |= BP_IO_KEPT;
    if (axis == BP_NONE || rows[i].rank == BP_RANK_UNKNOWN)
        return BP_OK;
    dims = bp_region_array(&ports->region, rows[i].rank, sizeof *dims);
    if (!dims)
        return bp_fail_nomem(err, "the inputs and outputs");
    for (uint32_t d = 0; d < rows[i].rank; d++)
        dims[d == 0 ? axis : d <= axis ? d - 1 : d] = rows[i].dims[d];
    rows[i].dims = dims;
    return BP_OK;
}

static bp_rc keep_ports(struct bp_ports *ports, const struct bp_ir_states *states, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < states->count; i++) {
        const struct bp_ir_state *row = &states->rows[i];
        uint32_t axis = row->is_moved ? row->axis : BP_NONE;

        rc = keep_port(ports, ports->inputs, ports->n_inputs, row->input, axis, err);
        if (rc >= 0)
            rc = keep_port(ports, ports->outputs, ports->n_outputs, row->output, axis, err);
    }
    return rc;
}

/* The caller finishes *out after a failure, too. */
bp_rc bp_session_make_ported(bp_session *session, const struct bp_engine_config *config,
                             struct bp_ported *out, bp_err *err)
{
    struct bp_region *region;
    bp_rc rc;

    rc = bp_engine_create(session->env, session->onnx, config, &out->engine, err);
    if (rc < 0)
        return rc;
    if (!session->ports.outputs) { /* the first engine of the session */
        rc = bp_ports_init(&session->ports, out->engine->ir, out->engine->graph->facts,
                           &out->engine->symbols, err);
        if (rc >= 0)
            rc = keep_ports(&session->ports, &out->engine->states, err);
        if (rc < 0)
            return rc;
    }
    region = &out->engine->region;
    out->is_general = config->open_defaults;
    out->inputs = bp_region_array(region, session->ports.n_inputs, sizeof *out->inputs);
    out->outputs = bp_region_array(region, session->ports.n_outputs, sizeof *out->outputs);
    out->is_needed = bp_region_array(region, session->ports.n_inputs, sizeof *out->is_needed);
    if (!out->inputs || !out->outputs || !out->is_needed)
        return bp_fail_nomem(err, "the inputs and outputs");
    rc = find_values(out->engine->ir, session->ports.inputs, session->ports.n_inputs, out->inputs,
                     err);
    if (rc >= 0)
        rc = find_values(out->engine->ir, session->ports.outputs, session->ports.n_outputs,
                         out->outputs, err);
    for (uint32_t i = 0; rc >= 0 && i < session->ports.n_inputs; i++)
        out->is_needed[i] = bp_ir_is_needed(out->engine->ir, out->inputs[i]);
    return rc;
}

/*
 * Calls fn for each engine. Variants are only appended while runs go on, and each is complete
 * before it is in the list.
 */
struct bp_engine *bp_session_engine(const bp_session *session, uint32_t i)
{
    const struct bp_variant *variant = atomic_load(&session->variants);

    if (i == 0)
        return session->main.engine;
    for (; variant && i > 1; i--)
        variant = atomic_load(&variant->next);
    return variant ? variant->ported.engine : NULL;
}
