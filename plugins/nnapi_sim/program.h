/* SPDX-License-Identifier: MIT */
/* program.h - a group of nodes as a compiled NNAPI model. */
#ifndef BP_NN_PROGRAM_H
#define BP_NN_PROGRAM_H

#include "provider.h"
#include "runtime_model.h"

struct bp_program {
    bp_instance *instance;
    struct bp_blocks memory; /* the program itself lies in it */
    struct bp_nn_model model;
    struct bp_nn_built built;
    ANeuralNetworksCompilation *compilation;
    const struct bp_nn_device *device; /* NULL: the runtime's choice */
    uint32_t n_in, n_out;              /* of the group */
    uint32_t *in, *out; /* for each of them, its place among those of the model; or BP_NONE */
};

/* An empty program for the device that `what` names. The caller's, for bp_nn_program_free(). */
bp_rc bp_nn_new_program(bp_instance *instance, const bp_compile *what, bp_program **out,
                        bp_err *err);
/* Fills the model of an empty program. */
bp_rc bp_nn_lower_program(bp_program *program, const bp_graph *graph, bp_err *err);
/* Compiles it. */
bp_rc bp_nn_finish_program(bp_program *program, const char *name, bp_err *err);

#endif
