/* SPDX-License-Identifier: MIT */
/* range.c - Range (opsets 11, 27): start, start + delta, ... as long as limit is not reached. */

#include "kernels/runtime_shape.h"
#include "kernels/types/loops.h"

#include <math.h>

/* What a type's loop does: the number of elements, and the elements. */
typedef int64_t (*count_fn)(const void *start, const void *limit, const void *delta);
typedef void (*fill_fn)(void *out, const void *start, const void *delta, int64_t n);

/*
 * Number of steps of the size of delta that a distance has room for; of integers both are above 0.
 */
static int64_t steps_of_float(double distance, double delta)
{
    double n = ceil(distance / delta);

    return n > 0 && n < 0x1p62 ? (int64_t)n : n > 0 ? INT64_MAX : 0;
}

static int64_t steps_of_int(uint64_t distance, uint64_t delta)
{
    uint64_t n = (distance - 1) / delta + 1;

    return n < INT64_MAX ? (int64_t)n : INT64_MAX;
}

#define COUNT(start, limit, delta) steps_of_float((double)((limit) - (start)), (double)(delta))
#define TEMPLATE "tensor/range.inc"
#include "kernels/types/float.inc"
#undef COUNT
#define COUNT(start, limit, delta)                                                                 \
    ((delta) == 0 || ((delta) > 0 ? (limit) <= (start) : (limit) >= (start)) ? 0                   \
     : (delta) > 0 ? steps_of_int((uint64_t)(limit) - (uint64_t)(start), (uint64_t)(delta))        \
                   : steps_of_int((uint64_t)(start) - (uint64_t)(limit), 0 - (uint64_t)(delta)))
#include "kernels/types/int.inc"
#undef COUNT
#undef TEMPLATE

static const count_fn counts[BP_DTYPE_END] = {
#define NAME range_count
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/signed.inc"
#undef TEMPLATE
#undef NAME
};

static const fill_fn fills[BP_DTYPE_END] = {
#define NAME range_fill
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/signed.inc"
#undef TEMPLATE
#undef NAME
};

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_value *start = bp_node_in(query->graph, query->node, 0);

    (void)op;
    for (uint32_t i = 0; i < 3; i++) {
        const bp_value *value = bp_node_in(query->graph, query->node, i);

        if (!value || value->dtype >= BP_DTYPE_END || !counts[value->dtype] ||
            value->dtype != start->dtype) {
            bp_cpu_refuse_dtype(query, i);
            return;
        }
    }
    bp_accept(query->claims, query->index);
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    return bp_cpu_late_state(call, sizeof(struct bp_cpu_late), 0, 2, err);
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const void *ends[3];
    uint32_t dtype = call->in[0]->dtype;
    int64_t n;
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; i < 3; i++) {
        if (bp_cpu_count(call->in[i]) != 1)
            return bp_cpu_fail(call->node, err, BP_E_INVALID, "input %u is no scalar", i);
        ends[i] = bp_tensor_data(call->in[i]);
    }
    if (((const struct bp_cpu_late *)call->state)->makes_output) {
        n = counts[dtype](ends[0], ends[1], ends[2]);
        if (n == INT64_MAX)
            return bp_cpu_fail(call->node, err, BP_E_INVALID, "the range has no end");
        rc = bp_cpu_late_output(call, 1, &n, err);
    }
    if (rc >= 0)
        fills[dtype](bp_tensor_data(call->out[0]), ends[0], ends[2], bp_cpu_count(call->out[0]));
    return rc;
}

const struct bp_cpu_op bp_cpu_op_range = {
    .name = "Range",
    .since = 11,
    .flags = BP_CPU_LATE,
    .claim = claim,
    .prepare = prepare,
    .run = run,
};
