/* SPDX-License-Identifier: MIT */
/* runtime_model.h - a model handed to the NNAPI runtime, call by call. */
#ifndef BP_NN_RUNTIME_MODEL_H
#define BP_NN_RUNTIME_MODEL_H

#include "nn.h"

/* The runtime's model and the shared memory with its larger constants. */
struct bp_nn_built {
    ANeuralNetworksModel *model;
    ANeuralNetworksMemory *pool; /* NULL: no constant is larger than 128 bytes */
};

/*
 * Makes and finishes the runtime's model. In a trial the larger constants are zeros. On failure
 * *out is empty and err says which call the runtime refused, with its own sentence if it has one.
 */
bp_rc bp_nn_hand_over(const bp_instance *instance, const struct bp_nn_model *model,
                      struct bp_nn_built *out, bp_err *err);
/* An empty one is fine. */
void bp_nn_built_free(const bp_instance *instance, struct bp_nn_built *built);

/*
 * The devices of the instance that take every operation, as bits; needs level 29. Why the last one
 * does not is written to `why`.
 */
bp_rc bp_nn_devices_for(const bp_instance *instance, const struct bp_nn_model *model,
                        const struct bp_nn_built *built, uint32_t *devices, char *why,
                        size_t why_size, bp_err *err);

#endif
