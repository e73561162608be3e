/* SPDX-License-Identifier: MIT */
/* autotune.h - option autotune: layouts and convolution algorithms by running the network. */
#ifndef BP_DNNL_AUTOTUNE_H
#define BP_DNNL_AUTOTUNE_H

#include <bp/sdk.h>

struct bp_dnnl_conv_choice;

/*
 * What ran fastest with these shapes: measured now, unless it was before by this program, or by
 * another process whose file option autotune_cache has. *out is the program's, NULL if there is no
 * choice. The team is entered. BP_E_NOMEM, and what a run can fail with.
 */
bp_rc bp_dnnl_autotune(bp_program *program, const bp_frame_desc *desc,
                       const struct bp_dnnl_conv_choice **out, bp_err *err);

#endif
