/* SPDX-License-Identifier: MIT */
/* compile.h - makes programs of groups. */
#ifndef BP_DNNL_COMPILE_H
#define BP_DNNL_COMPILE_H

#include <bp/sdk.h>

/*
 * bp_provider.compile: looks the operators up and finds fused chains and in-place concats. *out is
 * the caller's, for bp_dnnl_program_free(). BP_E_UNSUPPORTED: a node or flag that capability did
 * not answer yes to.
 */
bp_rc bp_dnnl_compile(bp_instance *instance, const bp_graph *graph, const bp_compile *what,
                      bp_program **out, bp_err *err);
void bp_dnnl_program_free(bp_program *program); /* NULL is fine */

#endif
