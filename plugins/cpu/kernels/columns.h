/* SPDX-License-Identifier: MIT */
/*
 * columns.h - the driver of operators that work along one axis, each column of elements for itself
 * (Softmax, CumSum, ArgMax...). The input is seen as outer x axis x inner. Where inner is 1 a column
 * is a line of neighbours; else a strip of up to BP_CPU_COLUMNS columns side by side shares its
 * passes over memory. Strips are shared out among the host's threads.
 */
#ifndef BP_CPU_KERNELS_COLUMNS_H
#define BP_CPU_KERNELS_COLUMNS_H

#include "cpu.h"

enum { BP_CPU_COLUMNS = 64 };

struct bp_cpu_columns {
    int64_t outer, axis, inner; /* elements; those of a column are `inner` apart */
    int64_t strips;             /* of an outer part */
    uint32_t slices;            /* of the work */
};

/* x and y: of the first element. y may be x. `state` is the operator's own; see columns_run(). */
struct bp_cpu_column_loops {
    void (*strip)(const void *state, const void *x, void *y, size_t count); /* columns */
    void (*line)(const void *state, const void *x, void *y);
};

/* Input 0 along an axis of it; `cost`: operations for each element, as bp_cpu_slices() has it. */
void bp_cpu_columns_make(const struct bp_cpu_call *call, uint32_t axis, int64_t cost,
                         struct bp_cpu_columns *out);

/*
 * The same for operators of Softmax's kind: from version 13 on along attribute `axis`, at first the
 * last one; before, over all axes from `axis` on, at first 1. BP_E_SHAPE: it is no axis of input 0.
 */
bp_rc bp_cpu_columns_from(const struct bp_cpu_call *call, int64_t cost, struct bp_cpu_columns *out,
                          bp_err *err);

/*
 * For run: all columns of input 0. Output 0 has the shape of the input, or one element a column.
 * The loops are called on the host's threads, with `state`, which they only read.
 */
void bp_cpu_columns_run(struct bp_cpu_call *call, const struct bp_cpu_columns *columns,
                        const struct bp_cpu_column_loops *loops, const void *state);

#endif
