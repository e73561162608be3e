/* SPDX-License-Identifier: MIT */
/* engine.h - running the operations of a compiled model. */
#ifndef NN_ENGINE_H
#define NN_ENGINE_H

#include "compile/compilation.h"

/* One run: what it may take, and what it took, in simulated nanoseconds. */
struct nn_run {
    const struct ANeuralNetworksCompilation *compilation;
    uint32_t device;     /* all on this one; NN_DEVICES: as planned */
    uint64_t limit;      /* 0: none */
    uint64_t loop_limit; /* of each WHILE */
    bool burst;          /* set-up of before is used again */
    uint64_t computing, copying;
    bool started;
};

/*
 * An output. The caller gives memory, and gets the dimensions; without enough memory `owned` is
 * set, which the caller frees, and is_short, if memory was given.
 */
struct nn_result {
    struct nn_tensor tensor;
    void *target;
    size_t length;
    void *owned;
    bool is_short;
};

/*
 * Runs the whole model. Inputs have their dimensions and data. A code, with a sentence; when it is 0
 * all results are there. Any thread, many at once.
 */
int nn_engine_run(struct nn_run *run, const struct ANeuralNetworksModel *model, const uint8_t *plan,
                  const struct nn_tensor *inputs, struct nn_result *results);

#endif
