/* SPDX-License-Identifier: MIT */
/* custom_call.h - calls the functions of an application's operator, which may throw C++ exceptions. */
#ifndef BP_GRAPH_CUSTOM_CALL_H
#define BP_GRAPH_CUSTOM_CALL_H

#include <backplane_operators.h>
#include <bp/abi.h>

/* Each is to be there. Its error is complete; one that threw fails with BP_E_INTERNAL. */
bp_rc bp_custom_claim(const bp_operator_def *def, const bp_operator_node *node, bp_err *err);
bp_rc bp_custom_shapes(const bp_operator_def *def, bp_operator_shapes *shapes, bp_err *err);
bp_rc bp_custom_create(const bp_operator_def *def, const bp_operator_node *node, void **kernel,
                       bp_err *err);
bp_rc bp_custom_compute(const bp_operator_def *def, void *kernel, bp_operator_call *call,
                        bp_err *err);
/* May be missing. It returns no status, so an exception becomes a line of the log. */
void bp_custom_destroy(const bp_operator_def *def, void *kernel, const bp_host *host);
void bp_custom_release(const bp_operator_def *def);

#endif
