/* SPDX-License-Identifier: MIT */
/* post_op_chains.h - convolutions and products with what oneDNN computes as post-ops. */
#ifndef BP_DNNL_POST_OP_CHAINS_H
#define BP_DNNL_POST_OP_CHAINS_H

#include <bp/sdk.h>

/* Finds them in all of the program's graph. */
void bp_dnnl_find_post_op_chains(bp_program *program);

#endif
