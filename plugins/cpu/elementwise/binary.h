/* SPDX-License-Identifier: MIT */
/* binary.h - the family of operators y = f(a, b), element by element, with broadcasting. */
#ifndef BP_CPU_ELEMENTWISE_BINARY_H
#define BP_CPU_ELEMENTWISE_BINARY_H

#include <common/broadcast.h>

#include "cpu.h"
#include "kernels/types/loops.h"
#include "kernels/vector_math.h"

enum {
    BP_CPU_BOTH,     /* n elements of a and of b */
    BP_CPU_SCALAR_A, /* one of a */
    BP_CPU_SCALAR_B
};

typedef void (*bp_cpu_binary_loop)(void *out, const void *a, const void *b, size_t n,
                                   uint32_t kind);

/* What an operator of the family has in .loops. */
struct bp_cpu_binary {
    bp_cpu_binary_loop loops[BP_DTYPE_END]; /* by the inputs' type; NULL: not taken */
    int64_t cost;                           /* of an element, in simple operations */
    bool is_per_channel; /* before version 7 a one-dimensional b lies along axis 1 (PRelu) */
};

/* A broadcast that is ready to run, shared among threads. */
struct bp_cpu_spread {
    bp_cpu_binary_loop loop;
    size_t a_width, b_width, out_width; /* bytes of an element */
    int64_t outer, inner;               /* runs, and elements of a run */
    uint32_t kind;
    uint32_t slices;                      /* of the runs, or with pieces > 1 of pieces of runs */
    uint32_t pieces;                      /* that a run is cut into */
    const struct bp_broadcast *broadcast; /* NULL: there is one run */
};

/*
 * Solves out = loop(a, b). Extra memory for it comes from call's state memory. BP_E_SHAPE: shapes
 * that do not broadcast to out's.
 */
bp_rc bp_cpu_spread_make(struct bp_cpu_call *call, bp_cpu_binary_loop loop, int64_t cost,
                         const bp_tensor *a, const bp_tensor *b, const bp_tensor *out,
                         struct bp_cpu_spread *spread, bp_err *err);
void bp_cpu_spread_run(struct bp_cpu_call *call, const struct bp_cpu_spread *spread, const void *a,
                       const void *b, void *out);

/* Takes every type that has a loop, if both inputs have it. */
void bp_cpu_claim_binary(const struct bp_cpu_op *op, const struct bp_cpu_query *query);
bp_rc bp_cpu_prepare_binary(struct bp_cpu_call *call, bp_err *err);
bp_rc bp_cpu_run_binary(struct bp_cpu_call *call, bp_err *err);

/*
 * The shape that b has for broadcasting in versions 1 to 6: attribute `axis` says where in a's
 * shape b's lies, and ones are put behind it. *out is b itself or a copy with dims in room
 * (BP_CPU_MAX_RANK).
 */
bp_rc bp_cpu_old_broadcast(struct bp_cpu_call *call, bool is_per_channel, int64_t *room,
                           bp_tensor *out, bp_err *err);

#endif
