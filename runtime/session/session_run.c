/* SPDX-License-Identifier: MIT */
/*
 * session_run.c - one run: binds the feeds, runs the stages, and puts the outputs where the caller
 * has memory for them.
 */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "exec/profile.h"
#include "exec/run.h"
#include "session/state.h"
#include "text/text.h"

/* ---- outputs --------------------------------------------------------------------------------- */

static struct bp_kept_output *kept_of(const struct bp_call *c, uint32_t i)
{
    return c->kept ? c->kept[i] : NULL;
}

/* Where output i of the call is wanted. */
static struct bp_wanted wanted_of(const struct bp_call *c, uint32_t i)
{
    return (struct bp_wanted){
        .binding = &c->outputs[i], .kept = kept_of(c, i), .is_allocated = c->frame->allocated[i]};
}

/*
 * Marks the outputs that the caller brings no memory for, so that they are freed after a failure. If the
 * caller brings memory, programs may write into it without a copy. Marks are the frame's, as bindings
 * are the caller's.
 */
static bp_rc bind_outputs(struct bp_call *c, bp_err *err)
{
    bp_rc rc = bp_frame_state_want(c->frame, c->n_outputs, err);

    c->n_marked = 0;
    if (rc < 0)
        return rc;
    c->n_marked = c->n_outputs;
    for (uint32_t i = 0; i < c->n_outputs; i++) {
        c->frame->allocated[i] = !c->outputs[i].tensor.base && !kept_of(c, i);
        c->outputs[i].object = NULL;
    }
    for (uint32_t i = 0; rc >= 0 && i < c->n_outputs; i++) {
        bp_binding *binding = &c->outputs[i];

        if (binding->tensor.base && binding->tensor.space != BP_SPACE_HOST)
            rc = bp_fail(err, BP_E_INVALID,
                         "output '%s' is in memory space %u: bring ordinary memory (space 0)",
                         c->session->ports.outputs[binding->index].name, binding->tensor.space);
        c->frame->wanted[c->ported->outputs[binding->index]] = wanted_of(c, i);
    }
    return rc;
}

/* Copies strings and their text to where the caller wants them. */
static bp_rc deliver_text(const struct bp_call *c, const char *name, const struct bp_cell *cell,
                          const struct bp_wanted *wanted, bp_err *err)
{
    bp_binding *binding = wanted->binding;
    bp_tensor from = bp_cell_tensor(cell);
    struct bp_cell whole = *cell;
    bp_rc rc;

    if (!binding->tensor.base && !wanted->kept)
        return bp_tensor_copy(&from, &binding->tensor, err);
    rc = bp_tensor_whole_bytes(&from, &whole.bytes, err);
    if (rc >= 0)
        rc = bp_run_prepare_output(c->frame, name, &whole, wanted, err);
    if (rc >= 0)
        bp_tensor_copy_to(&from, bp_tensor_data(&binding->tensor));
    return rc;
}

/*
 * Copies an output that is not where it is wanted: an input or constant as output, or an output
 * whose size was not known. Values that are not tensors are handed over by reference.
 */
static bp_rc deliver_one(struct bp_call *c, const struct bp_wanted *wanted, bp_err *err)
{
    bp_binding *binding = wanted->binding;
    const struct bp_cell *cell = &c->frame->cells[c->ported->outputs[binding->index]];
    const char *name = c->session->ports.outputs[binding->index].name;
    bp_rc rc;

    if (cell->object && cell->object->kind != BP_KIND_TENSOR) {
        binding->object = bp_object_retain(cell->object);
        return BP_OK;
    }
    if (binding->tensor.base && bp_tensor_data(&binding->tensor) == cell->base)
        return BP_OK;
    if (cell->dtype == BP_DTYPE_STRING)
        return deliver_text(c, name, cell, wanted, err);
    rc = bp_run_prepare_output(c->frame, name, cell, wanted, err);
    if (rc >= 0 && cell->bytes)
        memmove(bp_tensor_data(&binding->tensor), cell->base, cell->bytes);
    return rc;
}

/* Hands over the outputs after the run; most are where they are wanted already. */
static bp_rc deliver(struct bp_call *c, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < c->n_outputs; i++) {
        const struct bp_wanted wanted = wanted_of(c, i);

        rc = deliver_one(c, &wanted, err);
    }
    for (uint32_t i = 0; c->state && rc >= 0 && i < c->state->n_values; i++) {
        const struct bp_wanted wanted = {.binding = &c->state->values[i].wanted};

        rc = deliver_one(c, &wanted, err);
    }
    return rc;
}

/* Frees the outputs that a failed run allocated. */
static void take_back(struct bp_call *c)
{
    for (uint32_t i = 0; i < c->n_marked; i++) {
        if (c->frame->allocated[i])
            bp_tensor_free(&c->outputs[i].tensor);
        bp_object_release(c->outputs[i].object);
        c->outputs[i].object = NULL;
    }
}

/* Clears the bindings, because the caller's memory ends with the call; the frame stays. */
static void clear_wanted(struct bp_call *c)
{
    for (uint32_t i = 0; i < c->session->ports.n_outputs; i++)
        c->frame->wanted[c->ported->outputs[i]] = (struct bp_wanted){0};
}

/* ---- the run --------------------------------------------------------------------------------- */

/*
 * A deadline before the clock's start, and a time that is over, are its first nanosecond.
 */
int64_t bp_call_deadline(const bp_run_options *options)
{
    int64_t end = options->deadline_ns < 0 ? 1 : options->deadline_ns, now;
    struct timespec t;

    if (options->timeout_ns == 0)
        return end;
    if (options->timeout_ns < 0)
        return 1;
    clock_gettime(CLOCK_MONOTONIC, &t);
    now = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
    if (options->timeout_ns > INT64_MAX - now)
        return end;
    return end == 0 || now + options->timeout_ns < end ? now + options->timeout_ns : end;
}

/* Runs in a frame. If the shapes are known and the caller brings memory, this allocates nothing. */
static bp_rc run(struct bp_call *c, const struct bp_run_shared *limits, bp_err *err)
{
    struct bp_run_shared shared = {
        .run_id = atomic_load(&c->session->runs) + 1,
        .cancel = limits->cancel,
        .deadline_ns = limits->deadline_ns,
        .profile = limits->profile,
    };
    int64_t start_ns = 0;
    bp_rc rc;

    if (shared.profile) {
        shared.thread = bp_profile_thread();
        start_ns = bp_profile_now();
    }
    rc = bind_outputs(c, err);
    if (rc >= 0)
        rc = bp_call_bind_inputs(c, err);
    if (rc >= 0)
        rc = bp_subgraph_run(c->frame, &shared, err);
    if (rc >= 0)
        rc = deliver(c, err);
    if (rc >= 0)
        rc = bp_state_commit(c, err);
    if (rc < 0)
        take_back(c);
    clear_wanted(c);
    bp_state_unbind(c);
    if (shared.profile)
        bp_profile_end_run(&shared, start_ns);
    atomic_fetch_add(&c->session->crossings, shared.crossings);
    if (shared.host_waits)
        atomic_fetch_add(&c->session->host_waits, shared.host_waits);
    if (rc >= 0)
        atomic_fetch_add(&c->session->runs, 1);
    return rc;
}

/* ---- sizes that a provider refused ----------------------------------------------------------- */

/* Returns the tensor of a feed; NULL: a value of another kind. */
static const bp_tensor *tensor_of(const bp_binding *binding)
{
    return binding->object ? bp_object_tensor(binding->object) : &binding->tensor;
}

/*
 * Returns a hash of the input sizes of a call. If two calls had the same hash they would only share
 * a variant.
 */
static uint64_t hash_sizes(const struct bp_call *c)
{
    uint64_t hash = 1;

    for (uint32_t i = 0; i < c->n_inputs; i++) {
        const bp_tensor *tensor = tensor_of(&c->inputs[i]);
        uint64_t row[3] = {hash, c->inputs[i].index, 0};

        if (tensor && tensor->dims && tensor->rank <= BP_MAX_RANK)
            row[2] = bp_keyed_hash(tensor->dims, tensor->rank * sizeof *tensor->dims);
        hash = bp_keyed_hash(row, sizeof row);
    }
    return hash | 1; /* 0 is an empty slot */
}

/* Writes names and sizes of the inputs: "x 1x3x224x224, mask 1x7". */
static void describe_sizes(const struct bp_call *c, struct bp_text *out)
{
    for (uint32_t i = 0; i < c->n_inputs; i++) {
        const bp_tensor *tensor = tensor_of(&c->inputs[i]);

        bp_text_printf(out, "%s%s%s", i ? ", " : "",
                       c->session->ports.inputs[c->inputs[i].index].name,
                       tensor && tensor->rank > 0 ? " " : "");
        for (uint32_t d = 0; tensor && d < tensor->rank; d++)
            bp_text_printf(out, "%s%lld", d ? "x" : "", (long long)tensor->dims[d]);
    }
}

/*
 * After a failed run: chooses an engine in which another provider runs the refused group. Without
 * one the run's error is returned.
 */
static bool find_other(struct bp_call *c, const struct bp_frame_refusal *refusal)
{
    struct bp_refused_run run = {.refusal = refusal, .hash = hash_sizes(c)};
    struct bp_text sizes = {0};
    bp_rc rc;

    describe_sizes(c, &sizes);
    run.sizes = sizes.data ? sizes.data : "no sizes";
    rc = bp_session_refuse_sizes(c->session, &run, &c->ported, NULL);
    bp_text_finish(&sizes);
    return rc >= 0;
}

/*
 * After a run that may have had too little memory by a limit: frees what waits for other runs. False:
 * there is no limit, or nothing was free.
 */
static bool make_room(const struct bp_call *c)
{
    uint64_t freed = 0;

    if (!bp_memory_is_limited(&c->ported->engine->memory))
        return false;
    return bp_env_trim(c->session->env, &freed, NULL) >= 0 && freed > 0;
}

/*
 * Runs on the chosen engine and, while providers refuse the sizes, on the next one. Once, where there
 * was no memory, again with all that can be freed.
 */
static bp_rc run_somewhere(struct bp_call *c, const bp_run_options *options, bp_err *err)
{
    const struct bp_run_shared shared = {
        .cancel = options->cancel,
        .deadline_ns = bp_call_deadline(options),
        .profile = options->profile,
    };
    bool is_refused, was_trimmed = false, is_again;
    bp_rc rc;

    if (atomic_load(&c->session->variants))
        bp_session_route_sizes(c->session, hash_sizes(c), &c->ported);
    do {
        struct bp_engine *engine = c->ported->engine;

        rc = bp_provider_list_check_fork(&engine->providers, err);
        if (rc < 0)
            return rc;
        rc = bp_engine_take_frame(engine, &shared, &c->frame, err);
        if (rc < 0)
            return rc;
        c->frame->refusal.unit = NULL;
        rc = run(c, &shared, err);
        is_refused = rc == BP_E_SHAPE && c->frame->refusal.unit;
        is_refused = is_refused && find_other(c, &c->frame->refusal);
        bp_engine_return_frame(engine, c->frame);
        is_again = rc == BP_E_NOMEM && !was_trimmed && make_room(c);
        was_trimmed |= is_again;
        is_again |= rc == BP_E_SPACE && c->state && bp_state_make_room(c->state);
    } while (is_refused || is_again);
    return rc;
}

/*
 * `running` counts from before the engine is chosen, so that set_providers and destroy see this
 * run.
 */
bp_rc bp_call_run(struct bp_call *c, const bp_run_options *options, bp_err *err)
{
    bp_session *session = c->session;
    bp_rc rc = session->is_watched ? bp_onnx_check_fresh(session->onnx, false, err) : BP_OK;

    if (rc >= 0 && options->state)
        rc = bp_state_begin(options->state, err);
    if (rc < 0)
        return rc;
    c->state = options->state;
    atomic_fetch_add(&session->running, 1);
    rc = bp_call_choose_engine(c, err);
    if (rc >= 0)
        rc = run_somewhere(c, options, err);
    atomic_fetch_sub(&session->running, 1);
    if (options->state)
        bp_state_end(options->state);
    return bp_done(err, rc);
}

bp_rc bp_call_read_options(const bp_run_options *options, bp_run_options *own, bp_err *err)
{
    *own = (bp_run_options){.struct_size = sizeof *own};
    if (options && options->struct_size < offsetof(bp_run_options, profile))
        return bp_fail(err, BP_E_INVALID, "run options of %u bytes: set their struct_size",
                       options->struct_size);
    if (options)
        bp_copy_in(own, sizeof *own, options);
    return BP_OK;
}

bp_rc bp_session_run(bp_session *session, const bp_binding *inputs, uint32_t n_inputs,
                     bp_binding *outputs, uint32_t n_outputs, const bp_run_options *options,
                     bp_err *err)
{
    struct bp_call c = {.session = session,
                        .inputs = inputs,
                        .outputs = outputs,
                        .n_inputs = n_inputs,
                        .n_outputs = n_outputs};
    bp_run_options own;
    bp_rc rc = bp_call_read_options(options, &own, err);

    if (rc < 0)
        return rc;
    if (!session || (n_inputs > 0 && !inputs) || (n_outputs > 0 && !outputs))
        return bp_fail(err, BP_E_INVALID, "a run needs a session, its inputs and its outputs");
    return bp_call_run(&c, &own, err);
}
