/* SPDX-License-Identifier: MIT */
/*
 * recurrent.h - the driver of RNN, GRU and LSTM: shapes, directions, the products with W (all steps
 * at once) and R (step by step). The operator's own arithmetic is a cell, which sees one row of one
 * batch.
 */
#ifndef BP_CPU_KERNELS_RECURRENT_H
#define BP_CPU_KERNELS_RECURRENT_H

#include "kernels/activation.h"
#include "kernels/gemm.h"

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

/* What sets one of the three operators apart. What points here is bp_cpu_op.loops' user part. */
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
};

/* Refuses a node whose direction or activations are not known. */
void bp_cpu_recurrent_claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query,
                            const struct bp_cpu_cell *cell);
bp_rc bp_cpu_recurrent_prepare(struct bp_cpu_call *call, const struct bp_cpu_cell *cell,
                               bp_err *err);
bp_rc bp_cpu_recurrent_run(struct bp_cpu_call *call, bp_err *err);

#endif
