/* SPDX-License-Identifier: MIT */
/* program.h - a group of nodes, compiled: operators, and constants that lie on the device. */
#ifndef BP_OPENCL_PROGRAM_H
#define BP_OPENCL_PROGRAM_H

#include "base/instance.h"
#include "base/operator.h"

#include <common/blocks.h>

/* Where a constant lies; buffer is BP_NONE where no kernel reads it. */
struct bp_opencl_constant {
    uint32_t buffer;
    uint64_t offset; /* bytes */
};

/* Read-only once it is made, so that several frames may use it at a time. */
struct bp_program {
    struct bp_blocks memory; /* the program itself lies in it */
    bp_instance *instance;
    const bp_graph *graph;
    const bp_shape *shapes; /* of a graph of its own, in which all sizes are known; or NULL */
    const struct bp_opencl_op **ops;      /* one a node */
    struct bp_opencl_constant *constants; /* one a value */
    bool *is_read;                        /* one a value: a kernel reads it */
    cl_mem *buffers;
    uint64_t *buffer_bytes;
    uint32_t n_buffers;
};

#endif
