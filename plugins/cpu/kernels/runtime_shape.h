/* SPDX-License-Identifier: MIT */
/*
 * runtime_shape.h - for operators whose output shape depends on the values of small integer tensors
 * (starts of Slice, repeats of Tile).
 *
 * Where those tensors are constant, prepare computes the shape and the strides once for the frame;
 * where the model computes them, run does it each time. Functions of this header are for one
 * thread, that of prepare or run.
 */
#ifndef BP_CPU_KERNELS_RUNTIME_SHAPE_H
#define BP_CPU_KERNELS_RUNTIME_SHAPE_H

#include "cpu.h"

/* Must be the first field of the state of such an operator. */
struct bp_cpu_runtime_shape {
    bool solves_at_run;    /* an integer tensor is computed: run has to read it */
    bool allocates_output; /* output 0 has no shape before that; run allocates it */
};

/*
 * A list of integers: an attribute, or an input of type int32 or int64. Borrowed from the graph or
 * the tensor.
 */
struct bp_cpu_list {
    const int64_t *i64; /* one of these is set; both NULL: the list is absent */
    const int32_t *i32;
    int64_t n;
};

/*
 * For prepare: sets call->state to `bytes` of zeros, which begin with a struct
 * bp_cpu_runtime_shape, and fills that in for the integer tensors that are inputs first..last.
 * BP_E_NOMEM.
 */
bp_rc bp_cpu_runtime_shape_state(struct bp_cpu_call *call, size_t bytes, uint32_t first,
                                 uint32_t last, bp_err *err);
/*
 * Gives output 0 its shape: allocates it where it has none, else compares it with the shape that
 * the frame was prepared for. BP_E_SHAPE: they differ. The check keeps values that change after
 * prepare from writing out of bounds.
 */
bp_rc bp_cpu_runtime_shape_output(struct bp_cpu_call *call, uint32_t rank, const int64_t *dims,
                                  bp_err *err);

/*
 * Input i as a list; at prepare it must be a constant. Absent when the input is, or has another
 * type than int32 and int64.
 */
struct bp_cpu_list bp_cpu_list_input(const struct bp_cpu_call *call, uint32_t i);
/* An attribute as a list; absent when the node does not have it. */
struct bp_cpu_list bp_cpu_list_attr(const struct bp_cpu_call *call, const char *name);

static inline bool bp_cpu_list_is_absent(const struct bp_cpu_list *list)
{
    return !list->i64 && !list->i32;
}

static inline int64_t bp_cpu_list_at(const struct bp_cpu_list *list, int64_t i)
{
    return list->i64 ? list->i64[i] : list->i32[i];
}

/* Normalises an axis in -rank..rank-1 to 0..rank-1. BP_E_INVALID: it is out of range. */
bp_rc bp_cpu_axis(const struct bp_cpu_call *call, int64_t axis, uint32_t rank, uint32_t *out,
                  bp_err *err);

#endif
