/* SPDX-License-Identifier: MIT */
/* build_frame.h - makes a frame: all steps of a program for one set of shapes. */
#ifndef BP_DNNL_BUILD_FRAME_H
#define BP_DNNL_BUILD_FRAME_H

#include <bp/sdk.h>

struct bp_dnnl_conv_choice;

/* Threads that a frame of these shapes is for: of the host's pool and option threads. */
uint32_t bp_dnnl_frame_threads(const bp_program *program, const bp_frame_desc *desc);

/*
 * Builds a frame. choice: how convolutions are to be computed; NULL: as build/conv_layout.h thinks.
 * *out is the caller's, for bp_dnnl_frame_free(). needs says what scratch memory it wants. The team
 * is entered with bp_dnnl_frame_threads(), as oneDNN makes primitives for the number of threads.
 * BP_E_SHAPE: a shape is not known or too large, or oneDNN has no kernel for it; BP_E_NOMEM.
 */
bp_rc bp_dnnl_frame_build(bp_program *program, const bp_frame_desc *desc,
                          const struct bp_dnnl_conv_choice *choice, bp_frame_needs *needs,
                          bp_frame **out, bp_err *err);
void bp_dnnl_frame_free(bp_frame *frame); /* bp_provider.frame_free; NULL is fine */

#endif
