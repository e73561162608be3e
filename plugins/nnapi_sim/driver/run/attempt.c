/* SPDX-License-Identifier: MIT */
/* attempt.c - one run of an execution: on its devices, then on the reference CPU if that may be. */
#include <stdlib.h>

#include "run/execution.h"

/* ---- before --------------------------------------------------------------------------------- */

static int check_bindings(const struct ANeuralNetworksExecution *execution)
{
    const struct ANeuralNetworksModel *model = execution->compilation->model;

    for (uint32_t i = 0; i < model->in_count; i++)
        if (!execution->inputs[i].set)
            return nn_fail(ANEURALNETWORKS_BAD_DATA, "input %u is missing", i);
    for (uint32_t i = 0; i < model->out_count; i++)
        if (!execution->outputs[i].set)
            return nn_fail(ANEURALNETWORKS_BAD_DATA, "output %u is missing", i);
    return 0;
}

int nn_execution_begin(struct ANeuralNetworksExecution *execution)
{
    int code = 0;

    nn_lock();
    if (execution->state == NN_RUNNING)
        code = nn_fail(ANEURALNETWORKS_BAD_STATE, "the execution runs");
    else if (execution->state == NN_DONE && !execution->reusable)
        code = nn_fail(ANEURALNETWORKS_BAD_STATE, "the execution is over, and not reusable");
    else
        code = check_bindings(execution);
    if (!code) {
        execution->state = NN_RUNNING;
        execution->fenced = false;
        nn_state.counters.runs_started++;
        if (++nn_state.counters.in_flight > nn_state.counters.in_flight_max)
            nn_state.counters.in_flight_max = nn_state.counters.in_flight;
    }
    nn_unlock();
    return code;
}

/* ---- the run -------------------------------------------------------------------------------- */

/* Inputs as tensors; NULL and *code: memory of a device that was never written. */
static struct nn_tensor *list_inputs(const struct ANeuralNetworksExecution *execution, int *code)
{
    uint32_t n = execution->compilation->model->in_count;
    struct nn_tensor *inputs = calloc((size_t)n + 1, sizeof *inputs);

    *code = inputs ? 0 : nn_fail(ANEURALNETWORKS_OUT_OF_MEMORY, "no memory for the run");
    for (uint32_t i = 0; i < n && !*code; i++) {
        const struct nn_binding *binding = &execution->inputs[i];

        if (binding->memory && !nn_memory_written(binding->memory))
            *code =
                nn_fail(ANEURALNETWORKS_OP_FAILED, "input %u is memory that was never written", i);
        inputs[i] = binding->type;
        inputs[i].data = binding->data;
        inputs[i].present = !binding->omitted;
    }
    return inputs;
}

static void prepare_results(struct ANeuralNetworksExecution *execution)
{
    for (uint32_t i = 0; i < execution->compilation->model->out_count; i++) {
        const struct nn_binding *binding = &execution->outputs[i];

        execution->results[i] = (struct nn_result){
            .tensor = binding->type, .target = binding->data, .length = binding->length};
    }
}

/* The dimensions that the program gave for an output hold, as the model's do. */
static int check_results(struct ANeuralNetworksExecution *execution)
{
    int code = 0;

    for (uint32_t i = 0; i < execution->compilation->model->out_count; i++) {
        struct nn_result *result = &execution->results[i];
        const struct nn_tensor *says = &execution->outputs[i].type;

        for (uint32_t d = 0; says->rank == result->tensor.rank && d < says->rank; d++)
            if (says->dims[d] && says->dims[d] != result->tensor.dims[d] && !code)
                code = nn_fail(ANEURALNETWORKS_OP_FAILED,
                               "dimension %u of output %u is %u, and was said to be %u", d, i,
                               result->tensor.dims[d], says->dims[d]);
        if (result->is_short && !code)
            code =
                nn_fail(ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE,
                        "output %u has memory of %zu bytes, which is too small", i, result->length);
        free(result->owned);
        result->owned = NULL;
    }
    return code;
}

static int attempt(struct ANeuralNetworksExecution *execution, const struct nn_tensor *inputs,
                   struct nn_run *run)
{
    int code;

    prepare_results(execution);
    code = nn_engine_run(run, execution->compilation->model, execution->compilation->device_of,
                         inputs, execution->results);
    return code ? code : check_results(execution);
}

/* Whether another device could do better: not with wrong data, nor when it was tried already. */
static bool may_fall_back(const struct ANeuralNetworksExecution *execution, int code)
{
    const struct ANeuralNetworksCompilation *compilation = execution->compilation;
    uint32_t reference = nn_reference(compilation->config);

    if (compilation->explicit_devices || reference == NN_DEVICES ||
        code == ANEURALNETWORKS_UNEXPECTED_NULL || code == ANEURALNETWORKS_BAD_DATA ||
        code == ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE)
        return false;
    for (uint32_t i = 0; i < compilation->model->operation_count; i++)
        if (compilation->device_of[i] != reference)
            return true;
    return false;
}

static int run_all(struct ANeuralNetworksExecution *execution, uint64_t limit, bool burst)
{
    struct nn_run run = {.compilation = execution->compilation,
                         .device = NN_DEVICES,
                         .limit = limit,
                         .loop_limit = execution->loop_timeout,
                         .burst = burst};
    int code;
    struct nn_tensor *inputs = list_inputs(execution, &code);

    if (!code)
        code = attempt(execution, inputs, &run);
    if (code && may_fall_back(execution, code)) {
        nn_count(&nn_state.counters.fallbacks_run, 1);
        run.device = nn_reference(execution->compilation->config);
        code = attempt(execution, inputs, &run);
    }
    free(inputs);
    execution->on_hardware = run.computing;
    execution->in_driver = run.computing + run.copying;
    return code;
}

/* ---- after ---------------------------------------------------------------------------------- */

/* What a failed run left in memory of devices is not to be read. */
static void mark_memory(const struct ANeuralNetworksExecution *execution, int code)
{
    for (uint32_t i = 0; i < execution->compilation->model->out_count; i++)
        if (execution->outputs[i].memory)
            nn_memory_set_written(execution->outputs[i].memory, !code);
}

void nn_execution_give_up(struct ANeuralNetworksExecution *execution, int code)
{
    nn_lock();
    execution->state = NN_DONE;
    execution->code = code;
    nn_state.counters.in_flight--;
    nn_state.counters.runs_failed += code != 0;
    nn_unlock();
}

int nn_execution_run(struct ANeuralNetworksExecution *execution, uint64_t limit, bool burst)
{
    int code = run_all(execution, limit, burst);

    mark_memory(execution, code);
    nn_execution_give_up(execution, code);
    return code;
}
