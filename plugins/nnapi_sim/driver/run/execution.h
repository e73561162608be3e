/* SPDX-License-Identifier: MIT */
/* execution.h - one run of a compilation, or several one after the other. */
#ifndef NN_EXECUTION_H
#define NN_EXECUTION_H

#include "run/engine.h"

/* An input or output as the program gave it. */
struct nn_binding {
    bool set, omitted;
    struct nn_tensor type;
    void *data;
    size_t length;
    const struct ANeuralNetworksMemory *memory; /* NULL: a pointer */
};

enum nn_execution_state { NN_IDLE, NN_RUNNING, NN_DONE };

struct ANeuralNetworksExecution {
    struct ANeuralNetworksCompilation *compilation;
    struct nn_binding *inputs, *outputs;
    struct nn_result *results;
    bool measured, reusable, padded;
    uint64_t timeout, loop_timeout;
    enum nn_execution_state state; /* under the state's lock */
    int code;                      /* of the last run */
    bool fenced;
    uint64_t on_hardware, in_driver;
};

/*
 * The execution is running from here on: BAD_STATE when it runs already, or ran and is not reusable;
 * BAD_DATA when an input or output is missing.
 */
int nn_execution_begin(struct ANeuralNetworksExecution *execution);
/* Runs it and keeps the code, which it returns; it is done then. limit 0: none. */
int nn_execution_run(struct ANeuralNetworksExecution *execution, uint64_t limit, bool burst);
/* It was begun and never ran: it is done, with this code. */
void nn_execution_give_up(struct ANeuralNetworksExecution *execution, int code);
/* BAD_STATE, with a sentence, unless it was never started. In execution.c. */
int nn_execution_idle(const struct ANeuralNetworksExecution *execution);

#endif
