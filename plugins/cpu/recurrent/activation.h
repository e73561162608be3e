/* SPDX-License-Identifier: MIT */
/* activation.h - The functions that attribute `activations` of RNN, GRU and LSTM names. */
#ifndef BP_CPU_RECURRENT_ACTIVATION_H
#define BP_CPU_RECURRENT_ACTIVATION_H

#include "cpu.h"

/* A function with its parameters; alpha and beta are ignored by functions without them. */
struct bp_cpu_activation {
    uint32_t kind;
    float alpha, beta;
};

/*
 * Fills `count` activations from the node's attributes, else from the names in `defaults`, which
 * repeat after n_defaults. Returns NULL, or a static sentence that says what is wrong.
 */
const char *bp_cpu_activations_read(const bp_graph *graph, const bp_node *node,
                                    const char *const *defaults, uint32_t n_defaults,
                                    struct bp_cpu_activation *out, uint32_t count);
/*
 * v = f(v) for n elements, in place; unless clip is 0 they are clamped to -clip .. clip first. Safe
 * on any thread.
 */
void bp_cpu_activate_f32(const struct bp_cpu_activation *f, float clip, float *v, int64_t n);
void bp_cpu_activate_f64(const struct bp_cpu_activation *f, float clip, double *v, int64_t n);

#endif
