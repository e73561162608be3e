/* SPDX-License-Identifier: MIT */
/*
 * recurrent_int8.h - The products of DynamicQuantizeLSTM: W and R are 8-bit integers; x and h are
 * quantised to uint8 at run time, by the range of all rows of the product (dynamic quantisation).
 */
#ifndef BP_CPU_RECURRENT_RECURRENT_INT8_H
#define BP_CPU_RECURRENT_RECURRENT_INT8_H

#include "recurrent/recurrent.h"

/* For op->pack: packs W and R if they are constant; memory is the node's. BP_E_NOMEM. */
bp_rc bp_cpu_recurrent_int8_pack(struct bp_cpu_node *node, bp_err *err);

extern const struct bp_cpu_recurrent_products bp_cpu_recurrent_int8;

#endif
