/* SPDX-License-Identifier: MIT */
/* frame_create.h - bp_provider.frame_create. */
#ifndef BP_DNNL_FRAME_CREATE_H
#define BP_DNNL_FRAME_CREATE_H

#include <bp/sdk.h>

/* Enters the team, measures layouts if option autotune is set, and builds the frame. */
bp_rc bp_dnnl_frame_create(bp_program *program, const bp_frame_desc *desc, bp_frame_needs *needs,
                           bp_frame **out, bp_err *err);

#endif
