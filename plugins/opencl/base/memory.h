/* SPDX-License-Identifier: MIT */
/* memory.h - memory of the device that an instance holds, within the option memory_limit. */
#ifndef BP_OPENCL_MEMORY_H
#define BP_OPENCL_MEMORY_H

#include "base/instance.h"

/*
 * Memory of the device, counted, within the option memory_limit; to be given to
 * bp_opencl_memory_free(). BP_E_NOMEM
 */
bp_rc bp_opencl_memory_alloc(bp_instance *instance, size_t n, cl_mem *out, bp_err *err);
/*
 * Counts n bytes that another session has allocated. BP_E_NOMEM: more than the option memory_limit.
 */
bp_rc bp_opencl_memory_count(bp_instance *instance, size_t n, bp_err *err);
void bp_opencl_memory_free(bp_instance *instance, cl_mem memory);

#endif
