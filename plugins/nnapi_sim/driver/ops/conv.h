/* SPDX-License-Identifier: MIT */
/* conv.h - rules of weights and biases, which convolutions and FULLY_CONNECTED share. */
#ifndef NN_CONV_H
#define NN_CONV_H

#include "ops/op.h"

/* Scales of an 8-bit operation: the bias's is the product of the others'. */
bool nn_check_bias(struct nn_call *call, uint32_t subject, uint32_t weights, uint32_t bias);
/* What 1 of a sum of products stands for: 1, or the product of the scales of a channel. */
double nn_unit(const struct nn_tensor *in, const struct nn_tensor *weights, uint32_t channel);

#endif
