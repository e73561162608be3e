/* SPDX-License-Identifier: MIT */
/* float16.h - conversions at the edges of a group: float16 for the host, float32 within. */
#ifndef BP_DNNL_FLOAT16_H
#define BP_DNNL_FLOAT16_H

#include "build/builder.h"

/* The value, float16 at that location of the host's, exists in float32 from here on. */
bp_rc bp_dnnl_input_from_float16(struct bp_dnnl_builder *b, uint32_t value,
                                 struct bp_dnnl_location location, bp_err *err);
/* Rounds the value to float16 at that location of the host's. */
bp_rc bp_dnnl_output_to_float16(struct bp_dnnl_builder *b, uint32_t value,
                                struct bp_dnnl_location location, bp_err *err);

#endif
