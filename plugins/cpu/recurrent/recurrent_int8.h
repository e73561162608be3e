/* SPDX-License-Identifier: MIT */
/*
 * recurrent_int8.h - the products of DynamicQuantizeLSTM: W and R are 8-bit integers, X and h are
 * quantised to uint8 when they are there, by the range of what takes part in the product.
 */
#ifndef BP_CPU_RECURRENT_RECURRENT_INT8_H
#define BP_CPU_RECURRENT_RECURRENT_INT8_H

#include "recurrent/recurrent.h"

/* For op->pack: packs W and R where they are constant. */
bp_rc bp_cpu_recurrent_int8_pack(struct bp_cpu_node *node, bp_err *err);

extern const struct bp_cpu_recurrent_products bp_cpu_recurrent_int8;

#endif
