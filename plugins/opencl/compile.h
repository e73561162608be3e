/* SPDX-License-Identifier: MIT */
/* compile.h - a group becomes a program; see bp/abi.h. */
#ifndef BP_OPENCL_COMPILE_H
#define BP_OPENCL_COMPILE_H

#include <common/blocks.h>

bp_rc bp_opencl_compile(bp_instance *instance, const bp_graph *graph, const bp_compile *what,
                        bp_program **out, bp_err *err);
/*
 * The program of a graph, for compile and load. It lies in the memory, which it takes over, and
 * which is freed where it fails.
 */
bp_rc bp_opencl_program_create(bp_instance *instance, struct bp_blocks *memory,
                               const bp_graph *graph, bp_program **out, bp_err *err);
void bp_opencl_program_free(bp_program *program); /* NULL is fine */

#endif
