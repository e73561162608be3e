/* SPDX-License-Identifier: MIT */
/*
 * build.h - makes an NNAPI model of nodes: operands for values, in the layout that is asked for, and
 * the operations that an operator becomes. After a failure everything does nothing: rc says so.
 */
#ifndef BP_NN_BUILD_H
#define BP_NN_BUILD_H

#include "nn.h"

/* How a value of rank 4 lies in an operand. ONNX's order, and channels last. */
enum { BP_NN_NCHW = 0, BP_NN_NHWC = 1, BP_NN_LAYOUTS = 2 };

struct bp_nn_place {
    uint32_t at[BP_NN_LAYOUTS]; /* operand, or BP_NONE */
};

struct bp_nn_build {
    bp_instance *instance;
    const bp_graph *graph;
    const struct bp_nn_facts *facts;
    struct bp_nn_model *model;
    struct bp_nn_place *places; /* of each value */
    bool *is_done;              /* of each node: a producer has taken it in */
    uint32_t node;              /* that is being lowered */
    bp_rc rc;
    bp_err *err;
};

/*
 * Of nothing yet. model: empty, with its arena. places and is_done: rows one a value and a node, of
 * the caller's.
 */
void bp_nn_build_init(struct bp_nn_build *b, bp_instance *instance, const struct bp_nn_facts *facts,
                      struct bp_nn_model *model, struct bp_nn_place *places, bool *is_done,
                      bp_err *err);
/* Places without an operand, and nodes that are not done. False: no memory. */
bool bp_nn_new_places(const bp_graph *graph, struct bp_blocks *memory, struct bp_nn_place **places,
                      bool **is_done);

/* ---- values ---------------------------------------------------------------------------------- */

/* Sizes of a value in a layout; a scalar has the sizes {1}. Returns the rank. */
uint32_t bp_nn_dims(const struct bp_nn_build *b, uint32_t value, int layout, uint32_t *dims);
/* The layout in which data of the operators with a layout lies: NHWC, or NCHW by use_nchw. */
int bp_nn_wanted(const struct bp_nn_build *b);
/* The layout in which a value is there already; where it is there in both, the wanted one. */
int bp_nn_layout_of(const struct bp_nn_build *b, const struct bp_nn_arg *arg);
/* The operand of a value in that layout, which is made if it is not there. */
uint32_t bp_nn_in(struct bp_nn_build *b, const struct bp_nn_arg *arg, int layout);
/* A new operand for what the unit makes. */
uint32_t bp_nn_out(struct bp_nn_build *b, const struct bp_nn_unit *unit, int layout);
/* The operand is the value in that layout. */
void bp_nn_set(struct bp_nn_build *b, uint32_t value, int layout, uint32_t operand);
/* Like a value of the graph, a tensor with the element type and scale of `like`. */
uint32_t bp_nn_like(struct bp_nn_build *b, uint32_t like, uint32_t rank, const uint32_t *dims);
const struct bp_nn_operand *bp_nn_at(const struct bp_nn_build *b, uint32_t operand);

/* ---- constants ------------------------------------------------------------------------------- */

uint32_t bp_nn_i32(struct bp_nn_build *b, int32_t value);
uint32_t bp_nn_f32(struct bp_nn_build *b, float value);
uint32_t bp_nn_bool(struct bp_nn_build *b, bool value);
/* A 1-D tensor; the elements are copied. */
uint32_t bp_nn_i32s(struct bp_nn_build *b, const int32_t *values, uint32_t n);
/* A tensor as described; data stays where it is, and is NULL where b->model->is_trial. */
uint32_t bp_nn_constant(struct bp_nn_build *b, const struct bp_nn_operand *described);
/*
 * The bytes of a constant value of the graph. NULL: a failure, or a trial in which they do not
 * matter, as they are many.
 */
const void *bp_nn_bytes(struct bp_nn_build *b, uint32_t value);
/* Memory as long as the model. NULL: a failure. */
void *bp_nn_get(struct bp_nn_build *b, uint64_t bytes);
/* Is it a constant? */
bool bp_nn_is_constant(const struct bp_nn_build *b, uint32_t value);

/* ---- operations ------------------------------------------------------------------------------ */

void bp_nn_emit(struct bp_nn_build *b, int32_t code, uint32_t n_in, const uint32_t *in,
                uint32_t out);
void bp_nn_emit_many(struct bp_nn_build *b, int32_t code, uint32_t n_in, const uint32_t *in,
                     uint32_t n_out, const uint32_t *out);
/* A RESHAPE into an operand that is there, of equally many elements. */
void bp_nn_reshape(struct bp_nn_build *b, uint32_t in, uint32_t out);
/* A TRANSPOSE, in a new operand. */
uint32_t bp_nn_transpose(struct bp_nn_build *b, uint32_t in, const int32_t *perm);
/*
 * FUSED_*: an activation after the unit that the operation takes in, so that the unit makes what
 * the activation would have made; FUSED_NONE otherwise, and where the unit is quantized.
 */
int32_t bp_nn_take_activation(struct bp_nn_build *b, struct bp_nn_unit *unit);
/* RELU, RELU1, RELU6 as the code of an operation, -1: none of these. Of a Relu or Clip. */
int32_t bp_nn_activation_of(const bp_instance *instance, const bp_graph *graph,
                            const bp_node *node);

/* Fails the build: the group cannot be a model. */
void bp_nn_give_up(struct bp_nn_build *b, const char *fmt, ...) BP_PRINTF(2, 3);

#endif
