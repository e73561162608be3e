/* SPDX-License-Identifier: MIT */
/*
 * save.h - programs as bytes: the group's nodes, its constants, and its kernels as the device has
 * them.
 */
#ifndef BP_OPENCL_SAVE_H
#define BP_OPENCL_SAVE_H

#include "base/instance.h"

/* save and load of the provider's table; see bp/abi.h. */
bp_rc bp_opencl_program_save(bp_program *program, const bp_sink *sink, bp_err *err);
bp_rc bp_opencl_program_load(bp_instance *instance, const bp_graph *graph, const bp_compile *what,
                             bp_span blob, bp_program **out, bp_err *err);

#endif
