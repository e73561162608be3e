/* SPDX-License-Identifier: MIT */
/*
 * estimate.c - what a group would take on its device: its constants, and, of the simulated runtime,
 * time. The model is made as for a run, but nothing is compiled.
 */

#include "program.h"

/* Constants that NNAPI would hold. */
static uint64_t weight_bytes(const struct bp_nn_model *model)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < model->n_operands; i++) {
        if (model->operands[i].kind == BP_NN_CONSTANT)
            bytes += model->operands[i].bytes;
    }
    return bytes;
}

/* A launch and each operation, where the device takes all of them. */
static bp_rc estimate_time(const bp_instance *instance, const struct bp_nn_model *model,
                           const struct bp_nn_built *built, uint32_t device, double *out,
                           bp_err *err)
{
    const struct bp_nn_simulator *sim = &instance->driver->sim;
    struct bp_nnapi_rates rates = {.struct_size = sizeof rates};
    size_t bytes = model->n_operations * sizeof(uint64_t);
    uint64_t *ns = instance->host.alloc(instance->host.h, bytes, 8);

    *out = -1;
    if (!ns)
        return bp_fail(err, BP_E_NOMEM, "nnapi: no memory to estimate a group");
    if (sim->bp_nnapi_get_rates(device, &rates) == ANEURALNETWORKS_NO_ERROR &&
        sim->bp_nnapi_estimate(built->model, device, ns) == ANEURALNETWORKS_NO_ERROR) {
        *out = (double)rates.launch_ns;
        for (uint32_t i = 0; i < model->n_operations; i++)
            *out = ns[i] == UINT64_MAX || *out < 0 ? -1 : *out + (double)ns[i];
    }
    instance->host.free(instance->host.h, ns, bytes, 8);
    return BP_OK;
}

/* The first device that takes the group is the one that was claimed: groups have one device. */
static bp_rc estimate_built(const bp_program *program, bp_estimate *out, bp_err *err)
{
    const bp_instance *instance = program->instance;
    double ns = -1;
    bp_rc rc = BP_OK;

    out->weight_bytes = weight_bytes(&program->model);
    out->known |= BP_ESTIMATE_WEIGHTS;
    for (uint32_t d = 0; rc >= 0 && ns < 0 && instance->driver->is_sim && d < instance->n_devices;
         d++)
        rc = estimate_time(instance, &program->model, &program->built, instance->devices[d].index,
                           &ns, err);
    if (ns >= 0) {
        out->run_ns = ns;
        out->known |= BP_ESTIMATE_TIME;
    }
    return rc;
}

static bp_rc estimate_group(bp_instance *instance, const bp_graph *graph, bp_estimate *out,
                            bp_err *err)
{
    bp_compile what = {.struct_size = sizeof what};
    bp_program *program;
    bp_rc rc = bp_nn_new_program(instance, &what, &program, err);

    if (rc < 0)
        return rc;
    rc = bp_nn_lower_program(program, graph, err);
    if (rc >= 0)
        rc = bp_nn_hand_over(instance, &program->model, &program->built, err);
    if (rc >= 0)
        rc = estimate_built(program, out, err);
    bp_nn_program_free(program);
    return rc;
}

const bp_estimator bp_nn_estimator = {
    .struct_size = sizeof(bp_estimator),
    .flags = BP_ESTIMATOR_SIMULATED, /* Android's runtime tells no times */
    .group = estimate_group,
};
