/* SPDX-License-Identifier: MIT */
/* control.h - control-flow operators, run by the host over bodies. */
#ifndef BP_SESSION_CONTROL_H
#define BP_SESSION_CONTROL_H

#include "graph/ir.h"

struct bp_run_state;
struct bp_unit;

/* One operator: how a run goes through it. */
struct bp_control {
    const char *op;
    bp_rc (*run)(struct bp_run_state *state, const struct bp_unit *unit, bp_err *err);
};

/* How to run a node with bodies; NULL: the host cannot. */
const struct bp_control *bp_control_find(const struct bp_ir_node *node);

#endif
