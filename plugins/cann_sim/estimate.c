/* SPDX-License-Identifier: MIT */
/*
 * estimate.c - what a group would take on the device: its constants, what lies between its nodes,
 * and, on the simulated driver, time. Its calls are made as for a run, but ACL compiles none of
 * them.
 */

#include "cann.h"

/* By the SDK's planner, which wants some memory to work in. */
bp_rc bp_cann_plan_items(const bp_instance *instance, bp_arena_item *items, uint32_t n_items,
                         size_t *out, bp_err *err)
{
    size_t work_bytes = bp_arena_work(n_items);
    void *work;

    *out = 0;
    if (n_items == 0)
        return BP_OK;
    work = bp_cann_calloc(instance, 1, work_bytes);
    if (!work)
        return bp_fail(err, BP_E_NOMEM, "cann: no memory to plan %u buffers", n_items);
    *out = bp_arena_plan(items, n_items, BP_CANN_UNIT, work);
    bp_cann_free(instance, work, 1, work_bytes);
    if (*out == SIZE_MAX)
        return bp_fail(err, BP_E_NOMEM, "cann: the group's values do not fit in memory");
    return BP_OK;
}

/* Fills are as slow as copies within the device. */
static aclError step_ns(const struct bp_cann_driver *driver, const struct bp_cann_step *step,
                        uint64_t *out)
{
    if (step->kind != BP_CANN_CALL)
        return driver->estimate_copy(step->args[0].bytes, 1, out);
    return driver->estimate_operator(step->type, (int)step->n_in, step->descs, (int)step->n_out,
                                     step->descs + step->n_in, step->attr, out);
}

/* One after the other, as in a stream; below 0: the driver does not tell. */
static double steps_ns(const struct bp_cann_driver *driver, const struct bp_cann_step *steps)
{
    double sum = 0;

    if (!driver->estimate_operator || !driver->estimate_copy)
        return -1;
    for (const struct bp_cann_step *step = steps; step; step = step->next) {
        uint64_t ns;

        if (step_ns(driver, step, &ns) != ACL_SUCCESS)
            return -1;
        sum += (double)ns;
    }
    return sum;
}

/* A model is launched once, however many calls are in it. A copy of 0 bytes takes a launch. */
static double saved_launches_ns(const struct bp_cann_build *b)
{
    uint64_t launch;

    if (!b->instance->uses_graphs || b->n_steps < 2 ||
        b->instance->driver->estimate_copy(0, 1, &launch) != ACL_SUCCESS)
        return 0;
    return (double)launch * (b->n_steps - 1);
}

/* Each part that is known is marked as such in out->known. */
static bp_rc estimate_steps(const struct bp_cann_build *b, bp_estimate *out, bp_err *err)
{
    double ns = steps_ns(b->instance->driver, b->steps);
    size_t scratch;
    bp_rc rc = bp_cann_plan_items(b->instance, b->items, b->n_items, &scratch, err);

    if (rc < 0)
        return rc;
    out->scratch_bytes = scratch;
    out->known |= BP_ESTIMATE_SCRATCH;
    if (ns >= 0) {
        out->run_ns = ns - saved_launches_ns(b);
        out->known |= BP_ESTIMATE_TIME;
    }
    return BP_OK;
}

/* Where a shape is only known in a run there is nothing to estimate. The program is laid out. */
static bp_rc estimate_calls(const bp_program *program, bp_estimate *out, bp_err *err)
{
    struct bp_cann_build b;
    bp_rc rc = bp_cann_build(&b, program, NULL, err);

    if (rc >= 0 && b.n_deferred == 0)
        rc = estimate_steps(&b, out, err);
    bp_cann_steps_free(program->instance, b.steps);
    bp_cann_build_finish(&b);
    return rc;
}

/* A program that is never uploaded or run: laid out for its constants, then freed. */
static bp_rc estimate_group(bp_instance *instance, const bp_graph *graph, bp_estimate *out,
                            bp_err *err)
{
    bp_program *program;
    bp_rc rc = bp_cann_enter(instance, err);

    if (rc < 0)
        return rc;
    program = bp_cann_calloc(instance, 1, sizeof *program);
    if (!program)
        return bp_fail(err, BP_E_NOMEM, "cann: no memory to estimate a group");
    program->instance = instance;
    program->graph = graph;
    program->is_estimate = true;
    rc = bp_cann_plan_constants(program, err);
    if (rc >= 0) {
        out->weight_bytes = program->bytes;
        out->known |= BP_ESTIMATE_WEIGHTS;
        rc = estimate_calls(program, out, err);
    }
    bp_cann_program_free(program);
    return rc;
}

/* Each copy has its own start; bytes go at one rate. Below 0: the driver does not tell. */
static double estimate_copies(bp_instance *instance, uint32_t n, uint64_t bytes)
{
    const struct bp_cann_driver *driver = instance->driver;
    uint64_t start, all;

    if (!driver->estimate_copy || bp_cann_enter(instance, NULL) < 0 ||
        driver->estimate_copy(0, 0, &start) != ACL_SUCCESS ||
        driver->estimate_copy(bytes, 0, &all) != ACL_SUCCESS)
        return -1;
    return (double)start * n + (double)(all - start);
}

const bp_estimator bp_cann_estimator = {
    .struct_size = sizeof(bp_estimator),
    .flags = BP_ESTIMATOR_SIMULATED, /* the vendor's driver tells no times */
    .group = estimate_group,
    .copies = estimate_copies,
};
