/* SPDX-License-Identifier: MIT */
/* compile.c - a group becomes an NNAPI model, compiled for the device that was claimed. */

#include "program.h"

#include "lower.h"

/* The device of that claim; NULL below level 29, where the runtime chooses. */
static const struct bp_nn_device *claimed_device(const bp_instance *instance, uint32_t claim)
{
    for (uint32_t i = 0; i < instance->n_devices; i++) {
        if (instance->claim_device[i] == claim)
            return &instance->devices[i];
    }
    return NULL;
}

/* What a compiled model depends on beside the model. */
static void describe_target(const bp_program *program, char *out, size_t size)
{
    const bp_instance *instance = program->instance;

    snprintf(out, size, "%s %s %lld %u %d", program->device ? program->device->name : "runtime",
             program->device ? program->device->version : "", (long long)instance->level,
             instance->options.flags, instance->options.preference);
}

static int set_options(const bp_program *program, const char **call)
{
    const bp_instance *instance = program->instance;
    const struct bp_nn_functions *nn = &instance->nn;
    ANeuralNetworksCompilation *c = program->compilation;
    uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN];
    char target[256];
    int code;

    *call = "setPreference";
    code = nn->ANeuralNetworksCompilation_setPreference(c, instance->options.preference);
    if (code == ANEURALNETWORKS_NO_ERROR && *instance->cache_dir &&
        nn->ANeuralNetworksCompilation_setCaching) {
        *call = "setCaching";
        describe_target(program, target, sizeof target);
        bp_nn_model_token(&program->model, target, token);
        code = nn->ANeuralNetworksCompilation_setCaching(c, instance->cache_dir, token);
    }
    if (code == ANEURALNETWORKS_NO_ERROR && nn->ANeuralNetworksCompilation_setPriority) {
        *call = "setPriority";
        code = nn->ANeuralNetworksCompilation_setPriority(c, instance->options.priority);
    }
    if (code == ANEURALNETWORKS_NO_ERROR && instance->options.compile_deadline_ns > 0 &&
        nn->ANeuralNetworksCompilation_setTimeout && program->device) {
        *call = "Compilation_setTimeout";
        code = nn->ANeuralNetworksCompilation_setTimeout(c, instance->options.compile_deadline_ns);
    }
    return code;
}

static bp_rc compile_model(bp_program *program, const char *name, bp_err *err)
{
    const struct bp_nn_functions *nn = &program->instance->nn;
    const char *call = "Compilation_create";
    int code;

    if (program->device) {
        const ANeuralNetworksDevice *handle = program->device->handle;

        code = nn->ANeuralNetworksCompilation_createForDevices(program->built.model, &handle, 1,
                                                               &program->compilation);
    } else {
        code = nn->ANeuralNetworksCompilation_create(program->built.model, &program->compilation);
    }
    if (code == ANEURALNETWORKS_NO_ERROR)
        code = set_options(program, &call);
    if (code == ANEURALNETWORKS_NO_ERROR) {
        call = "Compilation_finish";
        code = nn->ANeuralNetworksCompilation_finish(program->compilation);
    }
    if (code == ANEURALNETWORKS_NO_ERROR)
        return BP_OK;
    return bp_nn_fail_creation(err, code, "%s of group '%s' on %s", call, name,
                               program->device ? program->device->name : "the runtime");
}

/* What was taken node by node may yet be refused as a whole, then the next provider gets it. */
static bp_rc check_devices(const bp_program *program, bp_err *err)
{
    char why[256] = "";
    uint32_t devices;
    bp_rc rc;

    if (!program->device)
        return BP_OK;
    rc = bp_nn_devices_for(program->instance, &program->model, &program->built, &devices, why,
                           sizeof why, err);
    if (rc < 0 || devices >> (program->device - program->instance->devices) & 1)
        return rc;
    return bp_fail(err, BP_E_UNSUPPORTED, "nnapi: %s", why);
}

bp_rc bp_nn_finish_program(bp_program *program, const char *name, bp_err *err)
{
    bp_rc rc = bp_nn_hand_over(program->instance, &program->model, &program->built, err);

    if (rc >= 0)
        rc = check_devices(program, err);
    return rc < 0 ? rc : compile_model(program, name, err);
}

bp_rc bp_nn_new_program(bp_instance *instance, const bp_compile *what, bp_program **out,
                        bp_err *err)
{
    struct bp_blocks memory = {.host = &instance->host};
    bp_program *program = bp_blocks_array(&memory, 1, sizeof *program);

    *out = NULL;
    if (what->flags & BP_CRITICAL) {
        bp_blocks_free(&memory);
        return bp_fail(err, BP_E_UNSUPPORTED, "nnapi: compile's flags 0x%x are not known",
                       what->flags);
    }
    if (!program)
        return bp_fail(err, BP_E_NOMEM, "nnapi: no memory for a program");
    program->memory = memory;
    program->instance = instance;
    program->model.memory = &program->memory;
    program->device = claimed_device(instance, what->device);
    *out = program;
    return BP_OK;
}

bp_rc bp_nn_lower_program(bp_program *program, const bp_graph *graph, bp_err *err)
{
    struct bp_nn_place *places;
    struct bp_nn_facts facts;
    struct bp_nn_build b;
    bool *is_done;

    program->n_in = graph->n_inputs;
    program->n_out = graph->n_outputs;
    program->in = bp_blocks_array(&program->memory, program->n_in, sizeof *program->in);
    program->out = bp_blocks_array(&program->memory, program->n_out, sizeof *program->out);
    if (!program->in || !program->out ||
        !bp_nn_facts_init(&facts, program->instance, graph, &program->memory) ||
        !bp_nn_new_places(graph, &program->memory, &places, &is_done))
        return bp_fail(err, BP_E_NOMEM, "nnapi: no memory for a group of %u nodes", graph->n_nodes);
    bp_nn_build_init(&b, program->instance, &facts, &program->model, places, is_done, err);
    bp_nn_lower_graph(&b, program->in, program->out);
    return b.rc;
}

bp_rc bp_nn_compile(bp_instance *instance, const bp_graph *graph, const bp_compile *what,
                    bp_program **out, bp_err *err)
{
    bp_program *program;
    bp_rc rc = bp_nn_new_program(instance, what, &program, err);

    *out = NULL;
    if (rc < 0)
        return rc;
    rc = bp_nn_lower_program(program, graph, err);
    if (rc >= 0)
        rc = bp_nn_finish_program(program, what->name ? what->name : "", err);
    if (rc < 0) {
        bp_nn_program_free(program);
        return rc;
    }
    *out = program;
    return BP_OK;
}

void bp_nn_program_free(bp_program *program)
{
    struct bp_blocks memory;

    if (!program)
        return;
    if (program->compilation)
        program->instance->nn.ANeuralNetworksCompilation_free(program->compilation);
    bp_nn_built_free(program->instance, &program->built);
    memory = program->memory; /* the program itself lies in it */
    bp_blocks_free(&memory);
}
