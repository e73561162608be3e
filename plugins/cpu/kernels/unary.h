/* SPDX-License-Identifier: MIT */
/*
 * unary.h - operators y = f(x), element by element, and loops over all elements of a tensor.
 *
 * An operator file instantiates unary.inc for its types and lists the loops in a struct
 * bp_cpu_unary. Plans are made on the thread of prepare and only read by those of a run.
 */
#ifndef BP_CPU_KERNELS_UNARY_H
#define BP_CPU_KERNELS_UNARY_H

#include "cpu.h"
#include "kernels/types/loops.h"
#include "kernels/vector_math.h"

/* Values of attributes, for the loops. */
struct bp_cpu_params {
    double a, b;
};

typedef void (*bp_cpu_unary_loop)(void *out, const void *in, size_t n,
                                  const struct bp_cpu_params *params);

/* What an operator of the family has in .loops. */
struct bp_cpu_unary {
    bp_cpu_unary_loop loops[BP_DTYPE_END]; /* NULL: the type is not taken */
    const char *a, *b;                     /* attributes that become params; NULL: none */
    float def_a, def_b;
    int64_t cost; /* of an element, in simple operations */
};

/* A loop over all elements of a tensor that is ready to run, shared among threads. */
struct bp_cpu_map {
    bp_cpu_unary_loop loop;
    struct bp_cpu_params params;
    size_t in_width, out_width; /* bytes of an element */
    int64_t count;
    uint32_t slices;
};

/* Plans a loop over all elements of `in`, with `cost` simple operations each; params are zero. */
struct bp_cpu_map bp_cpu_map_make(const struct bp_cpu_call *call, bp_cpu_unary_loop loop,
                                  int64_t cost, const bp_tensor *in, const bp_tensor *out);
/* Runs a plan on the host's threads; out may be in when the types are as wide. */
void bp_cpu_map_run(const struct bp_cpu_call *call, const struct bp_cpu_map *map, const void *in,
                    void *out);

/* Takes every type that has a loop. */
void bp_cpu_claim_unary(const struct bp_cpu_op *op, const struct bp_cpu_query *query);
bp_rc bp_cpu_prepare_unary(struct bp_cpu_call *call, bp_err *err);
bp_rc bp_cpu_run_unary(struct bp_cpu_call *call, bp_err *err);

#endif
