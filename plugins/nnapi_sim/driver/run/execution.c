/* SPDX-License-Identifier: MIT */
/* execution.c - ANeuralNetworksExecution_*: life, settings, and what is known after a run. */
#include "run/execution.h"

#include <stdio.h>
#include <stdlib.h>

#define DEFAULT_LOOP_NS UINT64_C(2000000000)
#define MAXIMUM_LOOP_NS UINT64_C(15000000000)

uint64_t ANeuralNetworks_getDefaultLoopTimeout(void)
{
    return DEFAULT_LOOP_NS;
}

uint64_t ANeuralNetworks_getMaximumLoopTimeout(void)
{
    return MAXIMUM_LOOP_NS;
}

/* ---- life ----------------------------------------------------------------------------------- */

static void destroy(struct ANeuralNetworksExecution *execution)
{
    nn_compilation_unref(execution->compilation);
    free(execution->inputs);
    free(execution->results);
    free(execution);
}

int ANeuralNetworksExecution_create(ANeuralNetworksCompilation *compilation,
                                    ANeuralNetworksExecution **execution)
{
    struct ANeuralNetworksExecution *made;
    size_t in, out;
    int code;

    NN_ENTER(27);
    NN_NOT_NULL(execution);
    *execution = NULL;
    NN_NOT_NULL(compilation);
    code = nn_compilation_ready(compilation);
    if (code)
        return nn_leave(code);
    in = compilation->model->in_count;
    out = compilation->model->out_count;
    made = calloc(1, sizeof *made);
    if (made) {
        made->inputs = calloc(in + out, sizeof *made->inputs);
        made->results = calloc(out, sizeof *made->results);
    }
    if (!made || !made->inputs || !made->results) {
        if (made) {
            free(made->inputs);
            free(made->results);
        }
        free(made);
        return nn_leave(nn_fail(ANEURALNETWORKS_OUT_OF_MEMORY, "no memory for the execution"));
    }
    made->outputs = made->inputs + in;
    made->loop_timeout = DEFAULT_LOOP_NS;
    made->on_hardware = made->in_driver = UINT64_MAX;
    made->compilation = compilation;
    nn_compilation_ref(compilation);
    nn_count(&nn_state.counters.live_executions, 1);
    *execution = made;
    return 0;
}

/* As on Android the call is ignored while it runs; here it counts as refused. */
void ANeuralNetworksExecution_free(ANeuralNetworksExecution *execution)
{
    bool running;

    if (!execution)
        return;
    nn_lock();
    running = execution->state == NN_RUNNING;
    nn_state.counters.live_executions -= !running;
    nn_unlock();
    if (running)
        nn_leave(nn_fail(ANEURALNETWORKS_BAD_STATE, "an execution is freed while it runs"));
    else
        destroy(execution);
}

/* ---- settings ------------------------------------------------------------------------------- */

static enum nn_execution_state state_of(const struct ANeuralNetworksExecution *execution)
{
    enum nn_execution_state state;

    nn_lock();
    state = execution->state;
    nn_unlock();
    return state;
}

int nn_execution_idle(const struct ANeuralNetworksExecution *execution)
{
    if (state_of(execution) != NN_IDLE)
        return nn_fail(ANEURALNETWORKS_BAD_STATE, "the execution was started");
    return 0;
}

/* What only a device that the program chose can do. */
static int check_single(const struct ANeuralNetworksExecution *execution, const char *what)
{
    int code = nn_execution_idle(execution);

    if (!code && !execution->compilation->single)
        code = nn_fail(ANEURALNETWORKS_BAD_DATA, "%s needs one chosen device", what);
    return code;
}

int ANeuralNetworksExecution_setMeasureTiming(ANeuralNetworksExecution *execution, bool measure)
{
    int code;

    NN_ENTER(29);
    NN_NOT_NULL(execution);
    code = check_single(execution, "measuring");
    if (!code)
        execution->measured = measure;
    return nn_leave(code);
}

int ANeuralNetworksExecution_setTimeout(ANeuralNetworksExecution *execution, uint64_t duration)
{
    int code;

    NN_ENTER(30);
    NN_NOT_NULL(execution);
    code = check_single(execution, "a time limit");
    if (!code)
        execution->timeout = duration;
    return nn_leave(code);
}

int ANeuralNetworksExecution_setLoopTimeout(ANeuralNetworksExecution *execution, uint64_t duration)
{
    int code;

    NN_ENTER(30);
    NN_NOT_NULL(execution);
    code = nn_execution_idle(execution);
    if (!code)
        execution->loop_timeout = duration < MAXIMUM_LOOP_NS ? duration : MAXIMUM_LOOP_NS;
    return nn_leave(code);
}

int ANeuralNetworksExecution_setReusable(ANeuralNetworksExecution *execution, bool reusable)
{
    int code;

    NN_ENTER(31);
    NN_NOT_NULL(execution);
    code = nn_execution_idle(execution);
    if (!code)
        execution->reusable = reusable;
    return nn_leave(code);
}

int ANeuralNetworksExecution_enableInputAndOutputPadding(ANeuralNetworksExecution *execution,
                                                         bool enable)
{
    const struct ANeuralNetworksModel *model;
    int code;

    NN_ENTER(31);
    NN_NOT_NULL(execution);
    code = nn_execution_idle(execution);
    model = execution->compilation->model;
    for (uint32_t i = 0; !code && i < model->in_count + model->out_count; i++)
        if (execution->inputs[i].set) /* outputs are behind them */
            code = nn_fail(ANEURALNETWORKS_BAD_STATE, "an input or output is set already");
    if (!code)
        execution->padded = enable;
    return nn_leave(code);
}

/* ---- after a run ---------------------------------------------------------------------------- */

/* The result, when the run is over. */
static int result_at(const ANeuralNetworksExecution *execution, int32_t index,
                     const struct nn_result **out)
{
    if (state_of(execution) != NN_DONE)
        return nn_fail(ANEURALNETWORKS_BAD_STATE, "the execution is not over");
    if (index < 0 || (uint32_t)index >= execution->compilation->model->out_count)
        return nn_fail(ANEURALNETWORKS_BAD_DATA, "there is no output %d", index);
    if (execution->code && execution->code != ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE)
        return nn_fail(ANEURALNETWORKS_BAD_STATE, "the execution failed");
    *out = &execution->results[index];
    return 0;
}

static int code_of(const struct nn_result *result)
{
    return result->is_short
               ? nn_fail(ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE,
                         "an output's memory of %zu bytes is too small", result->length)
               : 0;
}

int ANeuralNetworksExecution_getOutputOperandRank(ANeuralNetworksExecution *execution,
                                                  int32_t index, uint32_t *rank)
{
    const struct nn_result *result = NULL;
    int code;

    NN_ENTER(29);
    NN_NOT_NULL(execution);
    NN_NOT_NULL(rank);
    code = result_at(execution, index, &result);
    if (code)
        return nn_leave(code);
    *rank = result->tensor.rank;
    return nn_leave(code_of(result));
}

int ANeuralNetworksExecution_getOutputOperandDimensions(ANeuralNetworksExecution *execution,
                                                        int32_t index, uint32_t *dimensions)
{
    const struct nn_result *result = NULL;
    int code;

    NN_ENTER(29);
    NN_NOT_NULL(execution);
    NN_NOT_NULL(dimensions);
    code = result_at(execution, index, &result);
    if (!code && result->tensor.rank == 0)
        code = nn_fail(ANEURALNETWORKS_BAD_DATA, "output %d is a scalar", index);
    if (code)
        return nn_leave(code);
    memcpy(dimensions, result->tensor.dims, result->tensor.rank * sizeof *dimensions);
    return nn_leave(code_of(result));
}

int ANeuralNetworksExecution_getDuration(const ANeuralNetworksExecution *execution,
                                         int32_t durationCode, uint64_t *duration)
{
    bool fenced = durationCode >= ANEURALNETWORKS_FENCED_DURATION_ON_HARDWARE;
    bool hardware = durationCode == ANEURALNETWORKS_DURATION_ON_HARDWARE ||
                    durationCode == ANEURALNETWORKS_FENCED_DURATION_ON_HARDWARE;

    NN_ENTER(29);
    NN_NOT_NULL(execution);
    NN_NOT_NULL(duration);
    if (durationCode < 0 || durationCode > ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER)
        return nn_leave(nn_fail(ANEURALNETWORKS_BAD_DATA, "there is no duration %d", durationCode));
    if (state_of(execution) != NN_DONE)
        return nn_leave(nn_fail(ANEURALNETWORKS_BAD_STATE, "the execution is not over"));
    *duration = UINT64_MAX;
    if (execution->measured && (!fenced || execution->fenced))
        *duration = hardware ? execution->on_hardware : execution->in_driver;
    return 0;
}
