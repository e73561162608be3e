/* SPDX-License-Identifier: MIT */
/* event.h - what a run that was started ends with: a thread and its code, or a sync fence. */
#ifndef NN_EVENT_H
#define NN_EVENT_H

#include <pthread.h>

#include "run/execution.h"

struct ANeuralNetworksEvent {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool done;
    int code;
    uint32_t refs; /* under its lock */
    bool has_thread;
    pthread_t thread;
    int fence; /* a descriptor that becomes readable; -1: none */
    struct ANeuralNetworksExecution *execution;
    uint64_t limit;
    /* what it waits for before it runs */
    struct ANeuralNetworksEvent **dependencies;
    uint32_t dependency_count;
};

/* A new event, or OUT_OF_MEMORY. `fence`: it has one. Counts it as alive. */
int nn_event_make(bool fence, struct ANeuralNetworksEvent **out);
void nn_event_ref(struct ANeuralNetworksEvent *event);
void nn_event_unref(struct ANeuralNetworksEvent *event);
/* It is over, with this code. */
void nn_event_signal(struct ANeuralNetworksEvent *event, int code);
/* Waits for it; its code. */
int nn_event_wait(struct ANeuralNetworksEvent *event);

#endif
