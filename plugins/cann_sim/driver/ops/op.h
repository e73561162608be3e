/* SPDX-License-Identifier: MIT */
/*
 * op.h - operators of the simulated device: what each takes, and its arithmetic in plain loops.
 *
 * An operator is compiled once for a set of descriptions: prepare() checks them and the attributes,
 * works out the outputs' shapes, and leaves in `params` what its kernel needs. Then sim_call_run()
 * runs it any number of times, on any thread.
 *
 * A kernel sees its tensors as float, double or int64_t: float16 and bfloat16 are converted before
 * and rounded once after, by sim_call_run(). Kernels that only move bytes see them as they are.
 */
#ifndef SIM_OP_H
#define SIM_OP_H

#include "core/error.h"
#include "tensor/tensor.h"

/* Limits of the simulator: inputs, outputs and dimensions of one operator. */
#define SIM_INPUTS 8
#define SIM_OUTPUTS 5
#define SIM_RANK 8

/* Dimensions are 1 or more once an operator is prepared. */
struct sim_shape {
    size_t rank;
    int64_t dims[SIM_RANK];
};

/*
 * An input or output of a call: its description, without an address. `count` is in elements,
 * `bytes` in bytes of its own type.
 */
struct sim_tensor {
    aclDataType type;
    aclFormat format;
    bool absent; /* an optional one that is not there */
    struct sim_shape shape;
    size_t count, bytes;
    const void *value; /* of a constant */
    size_t value_size;
    aclMemType place;
};

/*
 * Of convolutions and pooling: three spatial dimensions, of which those that the input lacks come
 * first, with size 1. `pad` is what is added before the input; what is added after it follows from
 * `out`.
 */
struct sim_window {
    int64_t batch, channels, out_channels, groups;
    int64_t in[3], out[3], kernel[3], stride[3], dilation[3], pad[3];
    bool exclude_pads;
};

/* A product of an m by k and a k by n matrix, for each of the broadcast batches. */
struct sim_matrix {
    int64_t m, n, k;
    bool transpose_a, transpose_b;
    struct sim_shape batches; /* of the result; 0 strides broadcast */
    int64_t a_stride[SIM_RANK], b_stride[SIM_RANK];
};

/*
 * The result's shape, and for each operand the elements between neighbours along each dimension, 0
 * where it is repeated.
 */
struct sim_broadcast {
    struct sim_shape shape;
    int64_t stride[2][SIM_RANK];
};

/* An operator compiled for a set of descriptions and attributes. Read-only from then on. */
struct sim_call {
    const struct sim_op *op;
    size_t inputs, outputs;
    struct sim_tensor in[SIM_INPUTS], out[SIM_OUTPUTS];
    struct sim_shape result[SIM_OUTPUTS]; /* as the operator works them out */
    aclDataType result_type[SIM_OUTPUTS];
    double work;     /* operations */
    bool force_fp16; /* "force_fp16": float32 inputs and outputs are rounded to float16 */
    union {
        struct sim_window window;
        struct sim_matrix matrix;
        struct sim_broadcast broadcast;
        int64_t perm[SIM_RANK];
        struct {
            int64_t outer, size, inner;
        } axis;
        double factor[3];
    } params;
};

/* Reads in[] and writes out[], which do not overlap; absent ones are NULL. */
typedef void sim_kernel(const struct sim_call *call, const void *const *in, void *const *out);

/*
 * A row of the table of operators. Which of the kernels is used depends on the first input's type:
 * see sim_call_run(); `bytes` takes all types and replaces the others.
 */
struct sim_op {
    const char *type;
    uint8_t min_inputs, max_inputs, outputs;
    bool cube;      /* of the matrix unit */
    int code;       /* for families: which of them */
    uint64_t types; /* bits of SIM_BIT() that the first input may have */
    bool mixed;     /* the other inputs may be of other types */
    /* Checks, and fills result, result_type (those of the first input before), work and params. */
    aclError (*prepare)(struct sim_call *call, const aclopAttr *attr);
    sim_kernel *floats, *doubles, *ints, *bytes;
};

#define SIM_BIT(type) (UINT64_C(1) << (type))
#define SIM_HALF_FLOAT (SIM_BIT(ACL_FLOAT16) | SIM_BIT(ACL_FLOAT))
#define SIM_REAL (SIM_HALF_FLOAT | SIM_BIT(ACL_DOUBLE) | SIM_BIT(ACL_BF16))
#define SIM_SIGNED                                                                                 \
    (SIM_BIT(ACL_INT8) | SIM_BIT(ACL_INT16) | SIM_BIT(ACL_INT32) | SIM_BIT(ACL_INT64))
#define SIM_UNSIGNED                                                                               \
    (SIM_BIT(ACL_UINT8) | SIM_BIT(ACL_UINT16) | SIM_BIT(ACL_UINT32) | SIM_BIT(ACL_UINT64))
#define SIM_EVERY (SIM_REAL | SIM_SIGNED | SIM_UNSIGNED | SIM_BIT(ACL_BOOL))

/* All operators by name; ends with NULL. */
extern const struct sim_op *const sim_ops[]; /* ends with NULL */
/* By the vendor's name, "Conv2D"; NULL: there is none. */
const struct sim_op *sim_op_find(const char *type);

/*
 * Does the arithmetic; in[] and out[] are addresses that the simulator can use.
 * ACL_ERROR_RT_MEMORY_ALLOCATION: no workspace for the conversion of types. ACL_ERROR_RT_STREAM_ABORT:
 * see core/interrupt.h. Any thread, without the lock.
 */
aclError sim_call_run(const struct sim_call *call, const void *const *in, void *const *out);

/* ---- for prepare() -------------------------------------------------------------------------- */

/*
 * ACL_ERROR_GE_FAILURE, as the vendor's compiler says, with the operator's name before the
 * sentence.
 */
aclError sim_refuse(const struct sim_call *call, const char *format, ...) SIM_PRINTF(2, 3);
/* Have they the same rank and dimensions? */
bool sim_same_shape(const struct sim_shape *a, const struct sim_shape *b);
/*
 * The shape of two operands broadcast against each other, by NumPy's rule; false: they do not fit.
 */
bool sim_broadcast_shapes(const struct sim_shape *a, const struct sim_shape *b,
                          struct sim_shape *out);
/*
 * Elements between neighbours of `from` along each dimension of `to`, 0 where it is repeated;
 * `from` is contiguous and broadcasts to `to`.
 */
void sim_broadcast_strides(const struct sim_shape *from, const struct sim_shape *to,
                           int64_t *strides);
/* Elements; 0 also when their bytes could not be counted. */
size_t sim_shape_count(const struct sim_shape *shape);
/*
 * Moves index[rank] to the next element of the shape's first `rank` dimensions, the last one
 * fastest; false past the end, where it is all zeros again.
 */
bool sim_next_index(const struct sim_shape *shape, size_t rank, int64_t *index);

#endif
