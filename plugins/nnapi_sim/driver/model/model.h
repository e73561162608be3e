/* SPDX-License-Identifier: MIT */
/* model.h - a model: operands and operations. Counted, as compilations hold it. */
#ifndef NN_MODEL_H
#define NN_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bp_nnapi_sim.h>

#include "core/settings.h"
#include "core/state.h"
#include "memory/memory.h"
#include "ops/op.h"

/* Where an operand's values come from. */
enum nn_source {
    NN_TEMPORARY,  /* an operation, or nothing yet */
    NN_COPIED,     /* a copy that the model has */
    NN_REFERENCED, /* the program, until the model is finished */
    NN_POOLED,     /* memory */
    NN_MODEL,      /* it is a model */
    NN_OMITTED,
    NN_INPUT,
    NN_OUTPUT
};

struct nn_operand {
    struct nn_tensor tensor;
    enum nn_source source;
    void *copy;    /* the model's own bytes */
    float *scales; /* of per-channel types */
    size_t length; /* of a constant, in bytes */
};

struct nn_operation {
    int32_t code;
    const struct nn_op *op; /* NULL: the simulator does not compute it */
    uint32_t in_count, out_count;
    uint32_t *inputs, *outputs;   /* indices of operands */
    struct nn_tensor **in, **out; /* the same as tensors, when the model is finished */
    int64_t level;                /* that it needs, a FeatureLevelCode */
};

struct ANeuralNetworksModel {
    struct nn_operand *operands;
    uint32_t operand_count;
    size_t operand_space;
    struct nn_operation *operations;
    uint32_t operation_count;
    size_t operation_space;
    uint32_t *inputs, *outputs; /* indices of operands */
    uint32_t in_count, out_count;
    uint32_t *order; /* of operations, when finished */
    bool identified, relaxed, finished, invalid;
    int64_t level; /* that it needs */
    size_t constant_bytes;
    uint32_t refs; /* under the state's lock */
};

/* BAD_STATE, with a sentence, if the model may not be changed any more. */
int nn_model_open(const struct ANeuralNetworksModel *model);
/* BAD_STATE, with a sentence, if it is not finished. */
int nn_model_ready(const struct ANeuralNetworksModel *model);
void nn_model_ref(const struct ANeuralNetworksModel *model);
void nn_model_unref(const struct ANeuralNetworksModel *model);
/* A model that is not finished yet may be changed though Android's function has it const. */
static inline struct ANeuralNetworksModel *nn_model_of(const struct nn_tensor *tensor)
{
    return (struct ANeuralNetworksModel *)(uintptr_t)tensor->model;
}

/*
 * 0, or BAD_DATA with a sentence: a type's dimensions, scale and zero point. Fills *out, which has
 * no value then.
 */
int nn_type_check(const ANeuralNetworksOperandType *type, struct nn_tensor *out);
/* Bytes of a type, 0 when they are not known. */
size_t nn_type_size(const struct nn_tensor *type);

/*
 * Sorts and checks the whole, and finds out its level. 0, OUT_OF_MEMORY, or BAD_DATA with a
 * sentence. In check_graph.c.
 */
int nn_model_check(struct ANeuralNetworksModel *model);

/* The call of an operation of a finished model, its tensors as the model has them. */
void nn_model_call(const struct ANeuralNetworksModel *model, uint32_t operation,
                   struct nn_call *call);
/*
 * Whether the device takes the operation. If not, *why is a sentence, where it is not NULL.
 * In support.c.
 */
bool nn_device_takes(const struct nn_device_config *device,
                     const struct ANeuralNetworksModel *model, uint32_t operation, char *why,
                     size_t why_size);
/* Simulated nanoseconds of an operation on the device. In support.c. */
uint64_t nn_cost(const struct nn_device_config *device, const struct nn_call *call);
/* Multiplications a second of the type that the operation computes with. In support.c. */
uint64_t nn_rate(const struct nn_device_config *device, const struct nn_call *call);

#endif
