/* SPDX-License-Identifier: MIT */
/*
 * affine.h - x * scale + shift with one scale and one shift a channel, as BatchNormalization, Mul
 * and Add by constants write it, then perhaps Relu: one loop.
 */
#ifndef BP_DNNL_AFFINE_H
#define BP_DNNL_AFFINE_H

#include <bp/sdk.h>

/* Finds them in all of the program's graph, but in nodes that are part of other chains. */
void bp_dnnl_find_affine_chains(bp_program *program);

#endif
