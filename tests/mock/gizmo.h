/* SPDX-License-Identifier: MIT */
/* gizmo.h - what the files of the mock provider with memory of its own share. */
#ifndef BP_TESTS_GIZMO_H
#define BP_TESTS_GIZMO_H

#include <bp/sdk.h>
#include <bp/sim.h>

#include "counters.h"

enum op { OP_RELU, OP_ADD, OP_MUL, OP_MATMUL, OP_RESHAPE, OP_NONZERO, OP_NONE };

enum { N_DEVICES = 2 };

struct bp_instance {
    const bp_host *host;
    bp_sim_device *devices[N_DEVICES]; /* n_devices of them */
    uint32_t n_devices;
    char *take, *second;
    uint32_t out_space, in_place;
};

extern struct mock_counters gizmo_counters;

enum op gizmo_op(const bp_node *node);

/* "calling" it failed, of an accelerator that gives no reasons. */
bp_rc gizmo_broke(bp_err *err, const char *calling);

bp_rc gizmo_compile(bp_instance *instance, const bp_graph *graph, const bp_compile *what,
                    bp_program **out, bp_err *err);
void gizmo_program_free(bp_program *program);
bp_rc gizmo_frame_create(bp_program *program, const bp_frame_desc *desc, bp_frame_needs *needs,
                         bp_frame **out, bp_err *err);
void gizmo_frame_free(bp_frame *frame);
#ifdef HAS_RUN_EVENTS
/* The events of a run, with BP_PROVIDER_RUN_EVENTS. */
bp_rc gizmo_begin_run(bp_instance *instance, const bp_run *run, bp_err *err);
bp_rc gizmo_end_run(bp_instance *instance, const bp_run *run, bp_err *err);
#endif

bp_rc gizmo_execute(bp_frame *frame, const bp_run *run, bp_err *err);

#endif
