/* SPDX-License-Identifier: MIT */
/*
 * pool_axes.h - pools of more spatial dimensions than conv_pool/pool.h knows: one dimension after
 * the other, from the last to the first, which comes to the same as all pools can be parted so. And
 * the choice between the two, for pools of any number of dimensions.
 */
#ifndef BP_CPU_CONV_POOL_POOL_AXES_H
#define BP_CPU_CONV_POOL_POOL_AXES_H

#include "conv_pool/pool.h"
#include "cpu.h"

enum bp_cpu_pool_kind { BP_CPU_POOL_MAX, BP_CPU_POOL_MEAN, BP_CPU_POOL_NORM };

/* Has the node's input more spatial dimensions than conv_pool/pool.h takes? */
static inline bool bp_cpu_pool_is_wide(const struct bp_cpu_call *call)
{
    return call->in[0]->rank > 2 + BP_CPU_SPATIAL;
}

/* Makes call->state and states the scratch. p is that of a norm. BP_E_SHAPE, BP_E_NOMEM. */
bp_rc bp_cpu_pool_axes_prepare(struct bp_cpu_call *call, enum bp_cpu_pool_kind kind, double p,
                               bp_err *err);

/* For op->run, after either prepare; output 1, if it is wanted, is the indices. */
bp_rc bp_cpu_pool_any_run(struct bp_cpu_call *call, bp_err *err);

#endif
