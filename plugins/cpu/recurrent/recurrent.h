/* SPDX-License-Identifier: MIT */
/*
 * recurrent.h - the driver of RNN, GRU, LSTM and DynamicQuantizeLSTM: shapes, directions, the
 * products with W (all steps at once) and R (step by step). The operator's own arithmetic is a
 * cell, which sees one row of one batch.
 */
#ifndef BP_CPU_RECURRENT_RECURRENT_H
#define BP_CPU_RECURRENT_RECURRENT_H

#include "kernels/gemm/gemm.h"
#include "recurrent/activation.h"

enum { BP_CPU_MAX_ACTIVATIONS = 3 };

/* A batch entry at one step; all vectors are of the node's element type. */
struct bp_cpu_cell_row {
    const struct bp_cpu_activation *f; /* of this direction */
    float clip;
    bool option; /* what cell->option asks */
    int64_t hidden;
    void *gates;           /* cell->gates vectors: x * W' + biases; may be changed */
    const void *rec;       /* the same number of vectors: h * R' */
    const void *late;      /* one vector: `product` * R' of the last gate */
    const void *rec_bias;  /* of the last gate, with cell->splits_bias; NULL: none */
    const void *peepholes; /* NULL: none */
    void *product;         /* for cell->second: what R's last gate is multiplied with */
    void *h, *c;           /* state, in and out */
};

/* The sizes of a node. */
struct bp_cpu_recurrent_sizes {
    int64_t steps, batch, input, hidden;
    uint32_t directions;
};

/*
 * Products with W and R that are none of floats. Their W and R are directions x inputs x gates *
 * hidden, as no other operator has them.
 */
struct bp_cpu_recurrent_products {
    /*
     * Once for a set of shapes; takes its scratch from call->scratch_bytes on. *own is for
     * multiply.
     */
    bp_rc (*prepare)(struct bp_cpu_call *call, const struct bp_cpu_recurrent_sizes *sizes,
                     void **own, bp_err *err);
    /*
     * to += from * W of the direction, or R where of_state; all of its rows have a part in scales
     */
    void (*multiply)(const struct bp_cpu_call *call, void *own, uint32_t direction, bool of_state,
                     const float *from, int64_t rows, float *to);
};

/* What sets one of the operators apart. */
struct bp_cpu_cell {
    uint32_t gates, n_activations;
    const char *activations[BP_CPU_MAX_ACTIVATIONS];
    const char *option; /* an integer attribute that is a switch, or NULL */
    bool has_c;         /* inputs initial_c and P, output Y_c */
    bool has_second;    /* without the option the last gate's product needs the other gates first */
    bool splits_bias;   /* with the option R's bias of the last gate is not added to W's */
    void (*first_f32)(const struct bp_cpu_cell_row *row);
    void (*first_f64)(const struct bp_cpu_cell_row *row);
    void (*second_f32)(const struct bp_cpu_cell_row *row); /* only with has_second */
    void (*second_f64)(const struct bp_cpu_cell_row *row);
    const struct bp_cpu_recurrent_products *products; /* NULL: of floats; not with has_second */
};

/* Refuses a node whose direction or activations are not known. */
void bp_cpu_recurrent_claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query,
                            const struct bp_cpu_cell *cell);
bp_rc bp_cpu_recurrent_prepare(struct bp_cpu_call *call, const struct bp_cpu_cell *cell,
                               bp_err *err);
bp_rc bp_cpu_recurrent_run(struct bp_cpu_call *call, bp_err *err);

#endif
