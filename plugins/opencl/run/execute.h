/* SPDX-License-Identifier: MIT */
/* execute.h - runs a frame: binds its kernels to memory, and puts them into a queue. */
#ifndef BP_OPENCL_EXECUTE_H
#define BP_OPENCL_EXECUTE_H

#include "build/frame.h"

/* execute of the provider's table; see bp/abi.h. */
bp_rc bp_opencl_execute(bp_frame *frame, const bp_run *run, bp_err *err);

#endif
