/* SPDX-License-Identifier: MIT */
/* unary.h - a check that activations and norms share. */
#ifndef NN_UNARY_H
#define NN_UNARY_H

#include "ops/op.h"

/* An 8-bit output has this scale, and this zero point (less 128 when it is signed). */
bool nn_check_quant_out(struct nn_call *call, double scale, int32_t zero);

#endif
