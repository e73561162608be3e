/* SPDX-License-Identifier: MIT */
/* build_frame.h - a whole frame: places for its values, then the steps of its nodes. */
#ifndef BP_OPENCL_BUILD_FRAME_H
#define BP_OPENCL_BUILD_FRAME_H

#include "build/frame.h"

/* frame_create of the provider's table; see bp/abi.h. */
bp_rc bp_opencl_frame_create(bp_program *program, const bp_frame_desc *desc, bp_frame_needs *needs,
                             bp_frame **out, bp_err *err);
void bp_opencl_frame_free(bp_frame *frame); /* NULL is fine */

#endif
