/* SPDX-License-Identifier: MIT */
/*
 * binary.h - operators y = f(a, b), element by element, with NumPy's (multidirectional)
 * broadcasting.
 *
 * An operator file instantiates binary.inc for its types and lists the loops in a struct
 * bp_cpu_binary. The functions that make a plan are for the thread of prepare; a plan is only read
 * by the threads of a run.
 */
#ifndef BP_CPU_ELEMENTWISE_BINARY_H
#define BP_CPU_ELEMENTWISE_BINARY_H

#include <common/broadcast.h>

#include "cpu.h"
#include "kernels/types/loops.h"
#include "kernels/vector_math.h"

/* What the innermost run reads; argument `kind` of a loop. */
enum {
    BP_CPU_BOTH,     /* n elements of a and n of b */
    BP_CPU_SCALAR_A, /* one element of a, n of b */
    BP_CPU_SCALAR_B  /* n elements of a, one of b */
};

/* Computes n elements of out, which may lie on a or b when it has the same type. */
typedef void (*bp_cpu_binary_loop)(void *out, const void *a, const void *b, size_t n,
                                   uint32_t kind);

/* What an operator of the family has in .loops. */
struct bp_cpu_binary {
    bp_cpu_binary_loop loops[BP_DTYPE_END]; /* by the type of the inputs; NULL: refused */
    int64_t cost;                           /* of an element, in simple operations */
    bool is_per_channel; /* before version 7 a 1-D b is aligned with axis 1 (PRelu) */
};

/* A broadcast that is planned for one set of shapes. */
struct bp_cpu_spread {
    bp_cpu_binary_loop loop;
    size_t a_width, b_width, out_width; /* bytes of an element */
    int64_t outer, inner;               /* runs, and elements of a run */
    uint32_t kind;
    uint32_t slices;    /* of the runs, or with run_parts > 1 of run_parts of runs */
    uint32_t run_parts; /* number of parts of each run */
    const struct bp_broadcast *broadcast; /* NULL: there is one run */
};

/*
 * Plans out = loop(a, b), with `cost` simple operations an element. Further memory comes from the
 * call and lives with the frame. BP_E_SHAPE: the shapes do not broadcast to that of out.
 * BP_E_NOMEM.
 */
bp_rc bp_cpu_spread_make(struct bp_cpu_call *call, bp_cpu_binary_loop loop, int64_t cost,
                         const bp_tensor *a, const bp_tensor *b, const bp_tensor *out,
                         struct bp_cpu_spread *spread, bp_err *err);
/* Runs a plan on the host's threads; the pointers are to the first elements. */
void bp_cpu_spread_run(struct bp_cpu_call *call, const struct bp_cpu_spread *spread, const void *a,
                       const void *b, void *out);

/* Accepts the node when both inputs have one type and that has a loop. */
void bp_cpu_claim_binary(const struct bp_cpu_op *op, const struct bp_cpu_query *query);
/* prepare and run of an operator that has nothing but its loops. */
bp_rc bp_cpu_prepare_binary(struct bp_cpu_call *call, bp_err *err);
bp_rc bp_cpu_run_binary(struct bp_cpu_call *call, bp_err *err);

/*
 * Broadcasting of versions 1 to 6, which was one-directional: attribute `axis` says at which
 * dimension of a the shape of b is aligned. *out becomes b with dimensions of 1 appended, so that
 * NumPy's rule applies; from version 7 on it is b. dims_buffer has BP_CPU_MAX_RANK values and must
 * live as long as *out. BP_E_SHAPE: the axis does not fit the ranks.
 */
bp_rc bp_cpu_old_broadcast(struct bp_cpu_call *call, bool is_per_channel, int64_t *dims_buffer,
                           bp_tensor *out, bp_err *err);

#endif
