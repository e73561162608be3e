/* SPDX-License-Identifier: MIT */
/*
 * model.h - an NNAPI model as data: operands, values and operations in the order in which NNAPI is
 * told of them. It is made of a group's nodes, handed to the runtime, saved and loaded.
 */
#ifndef BP_NN_MODEL_H
#define BP_NN_MODEL_H

#include "library.h"

#include "common/blocks.h"

enum { BP_NN_MAX_RANK = 8 };

/* Where an operand's value comes from. */
enum { BP_NN_COMPUTED, BP_NN_CONSTANT };

struct bp_nn_operand {
    int32_t type; /* OperandCode */
    uint32_t rank;
    uint32_t dims[BP_NN_MAX_RANK];
    float scale;
    int32_t zero;
    uint32_t kind;
    /* Of TENSOR_QUANT8_SYMM_PER_CHANNEL, else 0. */
    uint32_t channel_dim, n_scales;
    const float *scales;
    /* Of a constant. NULL in a trial, where the bytes do not matter. */
    const void *data;
    uint64_t bytes;
};

struct bp_nn_operation {
    int32_t code;         /* OperationCode */
    uint32_t node;        /* of the group, that it belongs to */
    uint32_t n_in, n_out; /* in `indices` from `first` on: inputs, then outputs */
    uint32_t first;
};

/* Lists grow by doubling; all memory is of the arena. */
struct bp_nn_model {
    struct bp_blocks *memory;
    struct bp_nn_operand *operands;
    struct bp_nn_operation *operations;
    uint32_t *indices, *inputs, *outputs; /* of operands */
    uint32_t n_operands, n_operations, n_indices, n_inputs, n_outputs;
    uint32_t cap_operands, cap_operations, cap_indices;
    uint32_t n_transposes; /* that a change of layout took */
    bool is_trial;         /* large constants have no bytes */
};

/* Elements of an operand, and bytes of one; a scalar has one element. */
uint64_t bp_nn_operand_count(const struct bp_nn_operand *operand);
uint32_t bp_nn_element_bytes(int32_t type);

/* Appends a copy; false: no memory. *index: its number. */
bool bp_nn_model_operand(struct bp_nn_model *model, const struct bp_nn_operand *operand,
                         uint32_t *index);
bool bp_nn_model_operation(struct bp_nn_model *model, int32_t code, uint32_t node, uint32_t n_in,
                           const uint32_t *in, uint32_t n_out, const uint32_t *out);

/* A 32-byte digest of all that the compiled model depends on, `extra` among it. */
void bp_nn_model_token(const struct bp_nn_model *model, const char *extra, uint8_t out[32]);

#endif
