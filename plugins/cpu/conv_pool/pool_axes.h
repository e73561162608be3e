/* SPDX-License-Identifier: MIT */
/*
 * pool_axes.h - Pools of more spatial dimensions than pool.h takes, computed one dimension after
 * another, which all pools allow; and the choice between the two drivers.
 */
#ifndef BP_CPU_CONV_POOL_POOL_AXES_H
#define BP_CPU_CONV_POOL_POOL_AXES_H

#include "conv_pool/pool.h"
#include "cpu.h"

enum bp_cpu_pool_kind { BP_CPU_POOL_MAX, BP_CPU_POOL_MEAN, BP_CPU_POOL_NORM };

/* Whether the node's input has more spatial dimensions than pool.h takes. */
static inline bool bp_cpu_pool_has_many_axes(const struct bp_cpu_call *call)
{
    return call->in[0]->rank > 2 + BP_CPU_SPATIAL;
}

/*
 * For op->prepare: makes call->state and sets the scratch size; p is that of a norm. BP_E_SHAPE,
 * BP_E_NOMEM.
 */
bp_rc bp_cpu_pool_axes_prepare(struct bp_cpu_call *call, enum bp_cpu_pool_kind kind, double p,
                               bp_err *err);

/* For op->run, after either prepare; output 1, if it is wanted, gets the indices. */
bp_rc bp_cpu_pool_any_run(struct bp_cpu_call *call, bp_err *err);

#endif
