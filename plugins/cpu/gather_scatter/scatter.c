/* SPDX-License-Identifier: MIT */
/*
 * scatter.c - see scatter.h.
 *
 * Plain copies go by element width, five loops for all types; reductions are instantiated for each
 * operation and type from scatter_reduce.inc.
 */

#include "gather_scatter/scatter.h"
#include "kernels/types/loops.h"

#define TEMPLATE "gather_scatter/scatter.inc"
#include "kernels/types/width.inc"
#undef TEMPLATE

/* Names the loops: add, at, f32 -> add_at_f32. */
#define COMBINE_JOIN(name, where, suffix) name##_##where##_##suffix
#define COMBINE(name, where, suffix) COMBINE_JOIN(name, where, suffix)

#define TEMPLATE "gather_scatter/scatter_reduce.inc"

#define NAME add
#define EXPR(a, b) (WRAP(a) + WRAP(b))
#include "kernels/types/bool.inc"
#include "kernels/types/complex.inc"
#include "kernels/types/number.inc"
#undef NAME
#undef EXPR

#define NAME mul
#define EXPR(a, b) (WRAP(a) * WRAP(b))
#include "kernels/types/bool.inc"
#include "kernels/types/complex.inc"
#include "kernels/types/number.inc"
#undef NAME
#undef EXPR

/* NaN wins: where a is NaN, a != a takes it; where b is, a > b is false. */
#define NAME max
#define EXPR(a, b) ((a) > (b) || (a) != (a) ? (a) : (b))
#include "kernels/types/bool.inc"
#include "kernels/types/number.inc"
#undef NAME
#undef EXPR

#define NAME min
#define EXPR(a, b) ((a) < (b) || (a) != (a) ? (a) : (b))
#include "kernels/types/bool.inc"
#include "kernels/types/number.inc"
#undef NAME
#undef EXPR

#undef TEMPLATE
#define TEMPLATE "gather_scatter/scatter_reduce_entry.inc"

static const struct {
    bp_cpu_index_walk_fn at;
    bp_cpu_combine_run run;
} loops[][BP_DTYPE_END] = {
    [BP_CPU_ADD] =
        {
#define NAME add
#include "kernels/types/bool.inc"
#include "kernels/types/complex.inc"
#include "kernels/types/number.inc"
#undef NAME
        },
    [BP_CPU_MUL] =
        {
#define NAME mul
#include "kernels/types/bool.inc"
#include "kernels/types/complex.inc"
#include "kernels/types/number.inc"
#undef NAME
        },
    [BP_CPU_MAX] =
        {
#define NAME max
#include "kernels/types/bool.inc"
#include "kernels/types/number.inc"
#undef NAME
        },
    [BP_CPU_MIN] =
        {
#define NAME min
#include "kernels/types/bool.inc"
#include "kernels/types/number.inc"
#undef NAME
        },
};

bp_cpu_index_walk_fn bp_cpu_gather_copy(size_t width)
{
    switch (width) {
    case 1:
        return gather_1;
    case 2:
        return gather_2;
    case 4:
        return gather_4;
    case 8:
        return gather_8;
    default:
        return gather_16;
    }
}

bp_cpu_index_walk_fn bp_cpu_scatter_copy(enum bp_cpu_combine how, uint32_t dtype)
{
    if (how != BP_CPU_PUT)
        return loops[how][dtype].at;
    switch (bp_cpu_width(dtype)) {
    case 1:
        return scatter_1;
    case 2:
        return scatter_2;
    case 4:
        return scatter_4;
    case 8:
        return scatter_8;
    default:
        return scatter_16;
    }
}

bp_cpu_combine_run bp_cpu_combine_run_of(enum bp_cpu_combine how, uint32_t dtype)
{
    return loops[how][dtype].run;
}

/* The names are in the order of enum bp_cpu_combine. */
enum bp_cpu_combine bp_cpu_combine_of(const bp_graph *graph, const bp_node *node)
{
    static const char *const names[] = {"none", "add", "mul", "max", "min"};

    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (bp_node_string_is(graph, node, "reduction", "none", names[i]))
            return (enum bp_cpu_combine)i;
    }
    return BP_CPU_PUT;
}

void bp_cpu_claim_combine(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_value *data = bp_node_in(query->graph, query->node, 0);
    const bp_value *indices = bp_node_in(query->graph, query->node, 1);
    enum bp_cpu_combine how = bp_cpu_combine_of(query->graph, query->node);

    if (!indices || (indices->dtype != BP_DTYPE_I64 && indices->dtype != BP_DTYPE_I32))
        bp_cpu_refuse_dtype(query, 1);
    else if (how != BP_CPU_PUT &&
             (!data || data->dtype >= BP_DTYPE_END || !loops[how][data->dtype].at))
        bp_cpu_refuse_dtype(query, 0);
    else
        bp_cpu_claim_types(op, query);
}
