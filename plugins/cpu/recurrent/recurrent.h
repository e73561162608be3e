/* SPDX-License-Identifier: MIT */
/*
 * recurrent.h - The driver of RNN, GRU, LSTM and DynamicQuantizeLSTM: shapes, directions, the
 * products with W (all steps at once) and R (step by step). The operator's own arithmetic is a
 * cell, which computes one row of a batch.
 */
#ifndef BP_CPU_RECURRENT_RECURRENT_H
#define BP_CPU_RECURRENT_RECURRENT_H

#include "kernels/gemm/gemm.h"
#include "recurrent/activation.h"

enum { BP_CPU_MAX_ACTIVATIONS = 3 };

/*
 * One batch entry at one step. Vectors have `hidden` elements of the node's type and lie in the
 * call's scratch.
 */
struct bp_cpu_cell_row {
    const struct bp_cpu_activation *f; /* of this direction */
    float clip;
    bool option; /* value of attribute cell->option */
    int64_t hidden;
    void *gates;           /* cell->gates vectors: x * W' + biases; may be changed */
    const void *rec;       /* the same number of vectors: h * R' */
    const void *last_gate; /* one vector: `product` * R' of the last gate, for the second step */
    const void *rec_bias;  /* of the last gate, with cell->splits_bias; NULL: none */
    const void *peepholes; /* NULL: none */
    void *product;         /* for the second step: the factor of R' of the last gate */
    void *h, *c;           /* state, in and out */
};

/* The sizes of a call. */
struct bp_cpu_recurrent_sizes {
    int64_t steps, batch, input, hidden;
    uint32_t directions;
};

/*
 * Products with W and R that are not of floats. Their W and R are [directions][inputs][gates *
 * hidden], transposed against the other operators.
 */
struct bp_cpu_recurrent_products {
    /*
     * Once for a set of shapes; adds its scratch to call->scratch_bytes. *own is passed to
     * multiply; it is the call's memory.
     */
    bp_rc (*prepare)(struct bp_cpu_call *call, const struct bp_cpu_recurrent_sizes *sizes,
                     void **own, bp_err *err);
    /* to += from * W of the direction, or R with of_state. All rows of `from` share one scale. */
    void (*multiply)(const struct bp_cpu_call *call, void *own, uint32_t direction, bool of_state,
                     const float *from, int64_t rows, float *to);
};

/*
 * What distinguishes the operators; static data. Several threads call the steps at once, for
 * different rows.
 */
struct bp_cpu_cell {
    uint32_t gates, n_activations;
    const char *activations[BP_CPU_MAX_ACTIVATIONS];
    const char *option; /* an integer attribute that is a switch, or NULL */
    bool has_c;         /* inputs initial_c and P, output Y_c */
    /* without the option the last gate's product needs the other gates first */
    bool has_second_step;
    bool splits_bias; /* with the option R's bias of the last gate is not added to W's */
    void (*first_step_f32)(const struct bp_cpu_cell_row *row);
    void (*first_step_f64)(const struct bp_cpu_cell_row *row);
    void (*second_step_f32)(const struct bp_cpu_cell_row *row); /* only with has_second_step */
    void (*second_step_f64)(const struct bp_cpu_cell_row *row);
    const struct bp_cpu_recurrent_products
        *products; /* NULL: of floats; not with has_second_step */
};

/* For op->claim: refuses a node whose direction or activations are unknown. */
void bp_cpu_recurrent_claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query,
                            const struct bp_cpu_cell *cell);
/*
 * For op->prepare and op->run. BP_E_SHAPE: shapes contradict each other. BP_E_INVALID: a sequence
 * length is out of range. BP_E_NOMEM.
 */
bp_rc bp_cpu_recurrent_prepare(struct bp_cpu_call *call, const struct bp_cpu_cell *cell,
                               bp_err *err);
bp_rc bp_cpu_recurrent_run(struct bp_cpu_call *call, bp_err *err);

#endif
