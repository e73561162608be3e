/* SPDX-License-Identifier: MIT */
/* frame.h - a program prepared for one set of shapes: kernels with their arguments. */
#ifndef BP_OPENCL_FRAME_H
#define BP_OPENCL_FRAME_H

#include "build/builder.h"

struct bp_frame {
    struct bp_blocks memory; /* the frame itself lies in it */
    const bp_program *program;
    const bp_frame_desc *desc;
    struct bp_opencl_step *steps;
    struct bp_opencl_step *done; /* those of the first run only, once that is over */
    const bp_arena_item *items;  /* with their offsets in scratch */
    cl_mem tables, kept;         /* or NULL */
    uint32_t n_steps;
    cl_event *events; /* one a step, with option profiling; or NULL */
    uint32_t io_epoch;
    bool is_bound;
    bool has_run, is_dropped; /* ... and they are in `done` */
};

#endif
