/* SPDX-License-Identifier: MIT */
/* start.c - the ways to start a run: here, in a thread, after other events, in a burst. */
#include <stdlib.h>

#include "run/event.h"

struct ANeuralNetworksBurst {
    struct ANeuralNetworksCompilation *compilation;
    bool busy; /* under the state's lock */
};

int ANeuralNetworksExecution_compute(ANeuralNetworksExecution *execution)
{
    int code;

    NN_ENTER(29);
    NN_NOT_NULL(execution);
    code = nn_execution_begin(execution);
    if (code)
        return nn_leave(code);
    nn_count(&nn_state.counters.runs_sync, 1);
    return nn_leave(nn_execution_run(execution, execution->timeout, false));
}

/* ---- in a thread ---------------------------------------------------------------------------- */

/* The first failure of what a run waits for is its own. */
static int wait_for_dependencies(struct ANeuralNetworksEvent *event)
{
    int code = 0;

    for (uint32_t i = 0; i < event->dependency_count; i++) {
        int failed = nn_event_wait(event->dependencies[i]);

        code = code ? code : failed;
        nn_event_unref(event->dependencies[i]);
    }
    return code;
}

static void *run_thread(void *argument)
{
    struct ANeuralNetworksEvent *event = argument;
    int code = wait_for_dependencies(event);

    if (code)
        nn_execution_give_up(event->execution, code);
    else
        code = nn_execution_run(event->execution, event->limit, false);
    nn_event_signal(event, code);
    return NULL;
}

/* The execution was begun; it is given up when there is no thread. */
static int start(struct ANeuralNetworksExecution *execution, struct ANeuralNetworksEvent *event,
                 uint64_t limit)
{
    int code;

    event->execution = execution;
    event->limit = limit;
    if (pthread_create(&event->thread, NULL, run_thread, event) == 0) {
        event->has_thread = true;
        return 0;
    }
    code = nn_fail(ANEURALNETWORKS_OUT_OF_MEMORY, "no thread for the run");
    for (uint32_t i = 0; i < event->dependency_count; i++)
        nn_event_unref(event->dependencies[i]);
    nn_execution_give_up(execution, code);
    ANeuralNetworksEvent_free(event);
    return code;
}

int ANeuralNetworksExecution_startCompute(ANeuralNetworksExecution *execution,
                                          ANeuralNetworksEvent **event)
{
    struct ANeuralNetworksEvent *made;
    int code;

    NN_ENTER(27);
    NN_NOT_NULL(event);
    *event = NULL;
    NN_NOT_NULL(execution);
    code = nn_event_make(false, &made);
    if (code)
        return nn_leave(code);
    code = nn_execution_begin(execution);
    if (code) {
        ANeuralNetworksEvent_free(made);
        return nn_leave(code);
    }
    nn_count(&nn_state.counters.runs_async, 1);
    code = start(execution, made, execution->timeout);
    if (!code)
        *event = made;
    return nn_leave(code);
}

/* ---- after other events --------------------------------------------------------------------- */

static int check_fenced(const struct ANeuralNetworksExecution *execution,
                        const ANeuralNetworksEvent *const *dependencies, uint32_t count,
                        uint64_t duration)
{
    const struct ANeuralNetworksModel *model = execution->compilation->model;

    for (uint32_t i = 0; i < count; i++)
        if (!dependencies || !dependencies[i])
            return nn_fail(ANEURALNETWORKS_UNEXPECTED_NULL, "event %u is NULL", i);
    if (duration && !execution->compilation->single)
        return nn_fail(ANEURALNETWORKS_BAD_DATA, "a time limit needs one chosen device");
    for (uint32_t i = 0; i < model->out_count; i++)
        if (execution->outputs[i].set && !nn_type_size(&execution->outputs[i].type))
            return nn_fail(ANEURALNETWORKS_BAD_DATA, "the dimensions of output %u are not known",
                           i);
    return 0;
}

static int add_dependencies(struct ANeuralNetworksEvent *event,
                            const ANeuralNetworksEvent *const *dependencies, uint32_t count)
{
    event->dependencies = calloc((size_t)count + 1, sizeof(struct ANeuralNetworksEvent *));
    if (!event->dependencies)
        return nn_fail(ANEURALNETWORKS_OUT_OF_MEMORY, "no memory for the events");
    for (uint32_t i = 0; i < count; i++) {
        event->dependencies[i] = (struct ANeuralNetworksEvent *)(uintptr_t)dependencies[i];
        nn_event_ref(event->dependencies[i]);
    }
    event->dependency_count = count;
    return 0;
}

int ANeuralNetworksExecution_startComputeWithDependencies(
    ANeuralNetworksExecution *execution, const ANeuralNetworksEvent *const *dependencies,
    uint32_t num_dependencies, uint64_t duration, ANeuralNetworksEvent **event)
{
    struct ANeuralNetworksEvent *made;
    int code;

    NN_ENTER(30);
    NN_NOT_NULL(event);
    *event = NULL;
    NN_NOT_NULL(execution);
    code = check_fenced(execution, dependencies, num_dependencies, duration);
    if (!code)
        code = nn_event_make(true, &made);
    if (code)
        return nn_leave(code);
    code = nn_execution_begin(execution);
    if (!code) {
        execution->fenced = true;
        code = add_dependencies(made, dependencies, num_dependencies);
        if (code)
            nn_execution_give_up(execution, code);
    }
    if (code) {
        ANeuralNetworksEvent_free(made);
        return nn_leave(code);
    }
    nn_count(&nn_state.counters.runs_fenced, 1);
    code = start(execution, made, duration ? duration : execution->timeout);
    if (!code)
        *event = made;
    return nn_leave(code);
}

/* ---- in a burst ----------------------------------------------------------------------------- */

int ANeuralNetworksBurst_create(ANeuralNetworksCompilation *compilation,
                                ANeuralNetworksBurst **burst)
{
    int code;

    NN_ENTER(29);
    NN_NOT_NULL(burst);
    *burst = NULL;
    NN_NOT_NULL(compilation);
    code = nn_compilation_ready(compilation);
    if (code)
        return nn_leave(code);
    *burst = calloc(1, sizeof **burst);
    if (!*burst)
        return nn_leave(nn_fail(ANEURALNETWORKS_OUT_OF_MEMORY, "no memory for the burst"));
    nn_compilation_ref(compilation);
    (*burst)->compilation = compilation;
    nn_count(&nn_state.counters.live_bursts, 1);
    return 0;
}

void ANeuralNetworksBurst_free(ANeuralNetworksBurst *burst)
{
    if (!burst)
        return;
    nn_count(&nn_state.counters.live_bursts, -1);
    nn_compilation_unref(burst->compilation);
    free(burst);
}

static bool take(ANeuralNetworksBurst *burst)
{
    bool taken;

    nn_lock();
    taken = !burst->busy;
    burst->busy = true;
    nn_unlock();
    return taken;
}

int ANeuralNetworksExecution_burstCompute(ANeuralNetworksExecution *execution,
                                          ANeuralNetworksBurst *burst)
{
    int code;

    NN_ENTER(29);
    NN_NOT_NULL(execution);
    NN_NOT_NULL(burst);
    if (burst->compilation != execution->compilation)
        return nn_leave(nn_fail(ANEURALNETWORKS_BAD_DATA, "the burst is of another compilation"));
    if (!take(burst))
        return nn_leave(nn_fail(ANEURALNETWORKS_BAD_STATE, "the burst runs another execution"));
    code = nn_execution_begin(execution);
    if (!code) {
        nn_count(&nn_state.counters.runs_burst, 1);
        code = nn_execution_run(execution, execution->timeout, true);
    }
    nn_lock();
    burst->busy = false;
    nn_unlock();
    return nn_leave(code);
}
