/* SPDX-License-Identifier: MIT */
/* compilation.h - a model prepared for devices. Counted, as executions and bursts hold it. */
#ifndef NN_COMPILATION_H
#define NN_COMPILATION_H

#include "model/model.h"

struct ANeuralNetworksCompilation {
    const struct ANeuralNetworksModel *model;
    const struct nn_config *config;
    bool allowed[NN_DEVICES];
    uint32_t device_count;
    bool explicit_devices; /* the program chose them: no fallback */
    int32_t preference, priority;
    uint64_t timeout; /* nanoseconds; 0: none */
    char *cache_dir;
    uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN];
    bool finished, failed;
    uint8_t *device_of; /* of each operation */
    bool single;        /* one device has been chosen by the program */
    uint32_t refs;      /* under the state's lock */
};

/* BAD_STATE, with a sentence, if it is not finished. */
int nn_compilation_ready(const struct ANeuralNetworksCompilation *compilation);
void nn_compilation_ref(struct ANeuralNetworksCompilation *compilation);
void nn_compilation_unref(struct ANeuralNetworksCompilation *compilation);
/* Index of the reference CPU; NN_DEVICES if there is none. */
uint32_t nn_reference(const struct nn_config *config);

/* Chooses a device for each operation. 0, or BAD_DATA: none takes one. In plan.c. */
int nn_plan(struct ANeuralNetworksCompilation *compilation);
/* Parts of the plan that go to one device, in the order in which they run. In plan.c. */
uint32_t nn_plan_parts(const struct ANeuralNetworksCompilation *compilation);

/* Whether the cache has the compiled part of a device; it is written if not. In cache.c. */
bool nn_cached(const struct ANeuralNetworksCompilation *compilation, uint32_t device);

#endif
