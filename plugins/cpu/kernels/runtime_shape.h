/* SPDX-License-Identifier: MIT */
/*
 * runtime_shape.h - for operators whose work is told by small integer tensors (Slice's starts,
 * Tile's repeats): it is solved by prepare when they are constant, else by run.
 */
#ifndef BP_CPU_KERNELS_RUNTIME_SHAPE_H
#define BP_CPU_KERNELS_RUNTIME_SHAPE_H

#include "cpu.h"

/* First field of the state of such an operator. */
struct bp_cpu_runtime_shape {
    bool is_late;      /* run has to solve */
    bool makes_output; /* the size of output 0 is not known before that */
};

/* The list of integers of an attribute, or of an input of type int32 or int64. */
struct bp_cpu_list {
    const int64_t *wide; /* one of these, or neither: it is absent */
    const int32_t *narrow;
    int64_t n;
};

/*
 * Sets call->state to `bytes` of zeros that begin with a struct bp_cpu_runtime_shape, for inputs
 * first..last.
 */
bp_rc bp_cpu_runtime_shape_state(struct bp_cpu_call *call, size_t bytes, uint32_t first,
                                 uint32_t last, bp_err *err);
/*
 * Output 0 has this shape: storage for it is taken, or the shape that it has is checked, as indices
 * that change after the frame was made must not lead out of it.
 */
bp_rc bp_cpu_runtime_shape_output(struct bp_cpu_call *call, uint32_t rank, const int64_t *dims,
                                  bp_err *err);

/* Input i as a list; it must be bound. Absent when the input is, or has another type. */
struct bp_cpu_list bp_cpu_list_input(const struct bp_cpu_call *call, uint32_t i);
struct bp_cpu_list bp_cpu_list_attr(const struct bp_cpu_call *call, const char *name);

static inline bool bp_cpu_list_is_absent(const struct bp_cpu_list *list)
{
    return !list->wide && !list->narrow;
}

static inline int64_t bp_cpu_list_at(const struct bp_cpu_list *list, int64_t i)
{
    return list->wide ? list->wide[i] : list->narrow[i];
}

/* An axis of -rank..rank-1 as 0..rank-1, in *out. */
bp_rc bp_cpu_axis(const struct bp_cpu_call *call, int64_t axis, uint32_t rank, uint32_t *out,
                  bp_err *err);

#endif
