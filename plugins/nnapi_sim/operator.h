/* SPDX-License-Identifier: MIT */
/*
 * operator.h - an operator of ONNX: at which feature level it is taken, under which conditions, and
 * what it becomes. The conditions are those of ONNX Runtime's provider; README.md lists where they
 * are stricter.
 */
#ifndef BP_NN_OPERATOR_H
#define BP_NN_OPERATOR_H

#include "build.h"

#define BP_NN_TYPE(dtype) (1u << (dtype))
#define BP_NN_F32 BP_NN_TYPE(BP_DTYPE_F32)
#define BP_NN_U8 BP_NN_TYPE(BP_DTYPE_U8)

/* The last opset whose operators are known; a later version may mean something else. */
enum { BP_NN_LAST_OPSET = 25 };

/* A node, or the unit around it, that is asked about. */
struct bp_nn_query {
    const bp_instance *instance;
    const struct bp_nn_facts *facts;
    const bp_graph *graph;
    const bp_node *node;
    const struct bp_nn_unit *unit;
    const bp_claims *claims;
};

struct bp_nn_op {
    const char *name;
    const char *domain; /* NULL: ONNX's */
    uint32_t first;     /* the first version */
    uint32_t types;     /* of operand 0, outside of QDQ units */
    int64_t level;      /* least feature level; of the NCHW layout, if that is another */
    int64_t nchw_level;
    uint32_t n_needed; /* inputs of the node that have to be there; 0: one */
    bool takes_qdq;    /* as the middle of a QDQ unit */
    uint32_t weight;   /* operand that may have its own 8-bit type; 0: none */
    int32_t code;      /* of NNAPI, where one operation is all */
    /* More conditions; NULL: none. Sizes are known, and the operands of the right type. */
    bool (*claim)(const struct bp_nn_op *op, const struct bp_nn_query *query);
    void (*lower)(const struct bp_nn_op *op, struct bp_nn_build *b, struct bp_nn_unit *unit);
};

struct bp_nn_family {
    const struct bp_nn_op *ops;
    uint32_t n;
};
#define BP_NN_FAMILY(rows)                                                                         \
    {                                                                                              \
        rows, (uint32_t)(sizeof(rows) / sizeof((rows)[0]))                                         \
    }

/* The row of a node, or NULL. */
const struct bp_nn_op *bp_nn_find_op(const bp_node *node);

/* ---- conditions: false: refused, with the reason --------------------------------------------- */

/* Refuses the node, with a sentence; returns false. */
bool bp_nn_refuse(const struct bp_nn_query *query, uint32_t reason, const char *subject,
                  const char *fmt, ...) BP_PRINTF(4, 5);
/* All conditions: the table's, those that operators share, and the operator's own. */
bool bp_nn_takes(const struct bp_nn_op *op, const struct bp_nn_query *query);
bool bp_nn_needs_level(const struct bp_nn_query *query, int64_t level, const char *what);
/* Operand i is a constant; absent passes. */
bool bp_nn_needs_constant(const struct bp_nn_query *query, uint32_t i, const char *what);
/* Input i of the node is a constant of integers, at most cap; absent: *n is 0. */
bool bp_nn_needs_ints(const struct bp_nn_query *query, uint32_t i, const char *what, int64_t *out,
                      uint32_t cap, uint32_t *n);
bool bp_nn_needs_rank(const struct bp_nn_query *query, uint32_t i, uint32_t least, uint32_t most);

/* The attribute is an axis of operand 0. */
bool bp_nn_needs_axis(const struct bp_nn_query *query, const char *name, int64_t def);
/* n axes of operand 0, each once. */
bool bp_nn_needs_axes(const struct bp_nn_query *query, const int64_t *axes, uint32_t n);
/* kernel_shape, strides, dilations from 1 and pads from 0 on, for two spatial dimensions. */
bool bp_nn_needs_window(const struct bp_nn_query *query);

/* ---- what lowering shares -------------------------------------------------------------------- */

static inline uint32_t bp_nn_rank(const bp_graph *graph, const struct bp_nn_arg *arg)
{
    return BP_VALUE(graph, arg->value)->rank;
}

static inline int64_t bp_nn_dim(const bp_graph *graph, const struct bp_nn_arg *arg, uint32_t i)
{
    return BP_VALUE(graph, arg->value)->dims[i].value;
}

/* An axis of ONNX's order in the layout; a negative one counts from the end. */
uint32_t bp_nn_axis(int64_t axis, uint32_t rank, int layout);

/* Pads and strides of Conv and pools, after auto_pad. */
struct bp_nn_window {
    int32_t kernel[2], stride[2], dilation[2];
    int32_t pads[4];  /* top, left, bottom, right */
    int32_t implicit; /* PADDING_*; 0: pads */
};
/* Of rank-4 data and the kernel's sizes. */
void bp_nn_read_window(const bp_graph *graph, const struct bp_nn_unit *unit, const int64_t *kernel,
                       struct bp_nn_window *out);
/* Appends padding and strides to the inputs of an operation. */
uint32_t bp_nn_add_padding(struct bp_nn_build *b, const struct bp_nn_window *window, uint32_t *in,
                           uint32_t n);
/* Does the layout flag have to be said? */
static inline bool bp_nn_says_layout(const struct bp_nn_build *b)
{
    return bp_nn_is_nchw(b->instance);
}

/* Weights in 8 bits: as TENSOR_QUANT8_ASYMM, int8 moved by 128, or as int8 with a scale a channel. */
void bp_nn_describe_weight(struct bp_nn_build *b, const struct bp_nn_arg *arg,
                           struct bp_nn_operand *out);
/* The constant bias of n elements, zeros where it is absent; its scale is that of x * w. */
uint32_t bp_nn_bias(struct bp_nn_build *b, const struct bp_nn_arg *bias, uint32_t x, uint32_t w,
                    uint32_t n);
/* A byte of weights, moved by `moved`. */
struct bp_nn_bytes_from {
    const unsigned char *data;
    uint32_t size; /* of an element */
    uint8_t moved; /* 128 where int8 becomes uint8 */
};
void bp_nn_copy_element(const struct bp_nn_bytes_from *from, uint64_t i, unsigned char *to);

#endif
