/* SPDX-License-Identifier: MIT */
/*
 * columns.h - the driver of operators that treat each column along one axis for itself (Softmax,
 * CumSum, ArgMax...).
 *
 * The input is seen as outer x axis x inner. Where inner is 1 a column is contiguous, a line.
 * Otherwise a loop takes a strip of up to BP_CPU_COLUMNS adjacent columns: it reads memory in order
 * and vectorises across the columns. Strips are shared among the host's threads.
 */
#ifndef BP_CPU_KERNELS_COLUMNS_H
#define BP_CPU_KERNELS_COLUMNS_H

#include "cpu.h"

enum { BP_CPU_COLUMNS = 64 }; /* of a strip at most */

struct bp_cpu_columns {
    int64_t outer, axis, inner; /* sizes; the elements of a column are `inner` apart */
    int64_t strips;             /* for each outer index */
    uint32_t slices;            /* of the work */
};

/*
 * The loops of an operator for one type; x and y point to the first element, and y may be x.
 * `state` is the operator's own, see bp_cpu_columns_run().
 */
struct bp_cpu_column_loops {
    void (*strip)(const void *state, const void *x, void *y, size_t count); /* columns */
    void (*line)(const void *state, const void *x, void *y);
};

/* Plans for input 0 along `axis`; cost: simple operations an element, as for bp_cpu_slices(). */
void bp_cpu_columns_make(const struct bp_cpu_call *call, uint32_t axis, int64_t cost,
                         struct bp_cpu_columns *out);

/*
 * The same for Softmax and its like: from version 13 on along attribute `axis` (default -1);
 * before, over all dimensions from `axis` (default 1) on as one. BP_E_SHAPE: the axis is out of
 * range.
 */
bp_rc bp_cpu_columns_from(const struct bp_cpu_call *call, int64_t cost, struct bp_cpu_columns *out,
                          bp_err *err);

/*
 * For run: applies the loops to all columns of input 0, on the host's threads, which only read
 * `state`. Output 0 has the shape of the input, or one element a column.
 */
void bp_cpu_columns_run(struct bp_cpu_call *call, const struct bp_cpu_columns *columns,
                        const struct bp_cpu_column_loops *loops, const void *state);

#endif
