/* SPDX-License-Identifier: MIT */
/*
 * op.h - what the simulator knows of an operation: its operands, from which level on it takes which
 * type, the shape of its results, and their values. Numbers are doubles between loading and storing,
 * so that 8-bit and 32-bit integers are exact and a float is rounded once.
 */
#ifndef NN_OP_H
#define NN_OP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <bp_nnapi_sim.h>

#include "core/error.h"

/* Dimensions that a tensor can have here; Android has no limit, but its operations end at 4 or so. */
#define NN_RANK 8

#define F32 ANEURALNETWORKS_TENSOR_FLOAT32
#define F16 ANEURALNETWORKS_TENSOR_FLOAT16
#define I32 ANEURALNETWORKS_TENSOR_INT32
#define Q8 ANEURALNETWORKS_TENSOR_QUANT8_ASYMM
#define Q8S ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED
#define Q8Y ANEURALNETWORKS_TENSOR_QUANT8_SYMM
#define Q8C ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL
#define Q16Y ANEURALNETWORKS_TENSOR_QUANT16_SYMM
#define Q16 ANEURALNETWORKS_TENSOR_QUANT16_ASYMM
#define B8 ANEURALNETWORKS_TENSOR_BOOL8

/* An operand: its type when a model is finished, its value too when a model runs. */
struct nn_tensor {
    int32_t type;
    bool present;  /* an optional operand was not left out */
    bool constant; /* data is known before the model runs */
    bool ranked;   /* rank is known; a dimension that is not is 0 */
    uint32_t rank, dims[NN_RANK];
    float scale;
    int32_t zero;
    const float *scales; /* of the per-channel type, dims[channel] of them */
    uint32_t channel;
    const void *model; /* of type MODEL */
    void *data;        /* may be at any address; NULL when not known */
};

struct nn_scratch; /* memory that lives as long as an operation runs */

struct nn_call {
    const struct nn_op *op;
    uint32_t in_count, out_count;
    struct nn_tensor **in, **out;
    int level;    /* that it needs, 1 to 8; raised by checks */
    bool relaxed; /* float32 is rounded to float16 */
    struct nn_scratch *scratch;
};

/*
 * Operands as a word, one letter each:
 *   t  a tensor of the subject's type       T  a tensor of any type, to be checked
 *   w  weights: as t, or per channel        c  bias: as t, or TENSOR_INT32 of 8-bit types
 *   i  INT32   b  BOOL   f  FLOAT32, or FLOAT16 of TENSOR_FLOAT16   I  TENSOR_INT32   B  TENSOR_BOOL8
 *   m  MODEL   a  anything else
 *   s  a scalar as the subject's elements: FLOAT32, FLOAT16 or INT32
 *   *  as many as there are of the letter before it, one at least
 *   |  what follows may be left out         2 to 8: what follows needs this level
 */
struct nn_op {
    int32_t code;
    uint8_t level;     /* that brought it */
    const char *in[2]; /* the second: another order of operands */
    const char *out;
    uint8_t subject;                 /* the input that says the type */
    uint8_t types[16];               /* levels from which on it can have them; 0: never */
    uint8_t min_rank, max_rank;      /* of the subject, where known; max 0: any */
    bool same_quant;                 /* the first output has the subject's scale and zero point */
    bool (*check)(struct nn_call *); /* the rest; may be NULL */
    int (*shape)(struct nn_call *);  /* sets the dimensions of outputs, when inputs are known */
    int (*run)(struct nn_call *);    /* writes the outputs' data */
    uint64_t (*work)(const struct nn_call *); /* multiplications; NULL: as many as elements */
};

/* NULL: the simulator does not compute it. */
const struct nn_op *nn_op_find(int32_t code);
/* "CONV_2D". */
const char *nn_op_name(const struct nn_op *op);

/* ---- checks, at ANeuralNetworksModel_finish() ------------------------------------------------ */

/* Checks operands and raises call->level; false: nn_fail() was called, the code is BAD_DATA. */
bool nn_check(struct nn_call *call);
/* Calls nn_fail() with a sentence that begins with the operation's name; false. */
bool nn_refuse(const struct nn_call *call, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same while running, which is OP_FAILED. */
int nn_op_failed(const struct nn_call *call, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static inline void nn_needs(struct nn_call *call, int level)
{
    if (call->level < level)
        call->level = level;
}

/* ---- types ---------------------------------------------------------------------------------- */

static inline bool nn_is_float(int32_t type)
{
    return type == F32 || type == F16;
}

static inline bool nn_is_quant8(int32_t type)
{
    return type == Q8 || type == Q8S;
}

static inline bool nn_is_tensor(int32_t type)
{
    return (type >= F32 && type <= Q8) || (type >= Q16Y && type <= B8) ||
           (type >= Q8C && type <= Q8S);
}

static inline bool nn_same_quant(const struct nn_tensor *a, const struct nn_tensor *b)
{
    return a->scale == b->scale && a->zero == b->zero;
}

/* Bytes of an element, of a scalar too; 0: MODEL. */
size_t nn_element_size(int32_t type);
/* False: a dimension is not known, or the product does not fit 32 bits. */
bool nn_elements(const struct nn_tensor *tensor, size_t *out);
/* The same of a tensor whose dimensions are known to fit. */
size_t nn_count_of(const struct nn_tensor *tensor);

/* ---- values --------------------------------------------------------------------------------- */

static inline bool nn_has(const struct nn_call *call, uint32_t i)
{
    return i < call->in_count && call->in[i]->present;
}

static inline int32_t nn_int(const struct nn_call *call, uint32_t i)
{
    int32_t value = 0;

    if (call->in[i]->data)
        memcpy(&value, call->in[i]->data, sizeof value);
    return value;
}

static inline bool nn_bool(const struct nn_call *call, uint32_t i)
{
    return nn_has(call, i) && call->in[i]->data && *(const uint8_t *)call->in[i]->data;
}

/* A FLOAT32 or FLOAT16. */
double nn_real(const struct nn_call *call, uint32_t i);
/* An index of a dimension, from the end when negative; false: there is no such. */
bool nn_axis(const struct nn_call *call, int32_t value, uint32_t rank, uint32_t *out);

/* Memory until the operation is done; NULL when there is none. */
void *nn_scratch(struct nn_call *call, size_t count, size_t size);
void nn_scratch_free(struct nn_call *call);

/* A tensor's values, as what its integers stand for; NULL: no memory. */
double *nn_load(struct nn_call *call, const struct nn_tensor *tensor);
/* The same, 8-bit types without their scale: value - zero point. */
double *nn_load_raw(struct nn_call *call, const struct nn_tensor *tensor);
/* Ints of a TENSOR_INT32; NULL: no memory. */
int32_t *nn_load_ints(struct nn_call *call, const struct nn_tensor *tensor);
/* Rounds to the tensor's type: integers half away from zero, then within their range. */
void nn_store(const struct nn_call *call, const struct nn_tensor *tensor, const double *values);
void nn_store_at(const struct nn_call *call, const struct nn_tensor *tensor, size_t i,
                 double value);
/* OUT_OF_MEMORY, with a sentence. */
int nn_no_memory(const struct nn_call *call);
/* A fused activation. */
double nn_fuse(int32_t code, double x);

/* ---- shapes --------------------------------------------------------------------------------- */

void nn_set_dims(struct nn_tensor *tensor, uint32_t rank, const uint32_t *dims);
static inline void nn_same_dims(struct nn_tensor *to, const struct nn_tensor *from)
{
    nn_set_dims(to, from->rank, from->dims);
}

/* shape of operations whose output is like the first input. */
int nn_shape_same(struct nn_call *call);
/* Of a binary operation; OP_FAILED: the shapes do not go together. */
int nn_broadcast(struct nn_call *call, uint32_t a, uint32_t b, struct nn_tensor *out);
/* For each dimension of out how far an element of `in` is from the next; 0: it is repeated. */
void nn_broadcast_steps(const struct nn_tensor *in, const struct nn_tensor *out, size_t *steps);
/* Elements before, at and after an axis. */
void nn_split_at(const struct nn_tensor *tensor, uint32_t axis, size_t *before, size_t *at,
                 size_t *after);
/* Counts dims like an odometer; false: it was the last. */
bool nn_next(uint32_t rank, const uint32_t *dims, uint32_t *index);

/* Batches, height, width and channels of an image, NHWC or NCHW. */
struct nn_image {
    uint32_t n, h, w, c;
    size_t step_n, step_h, step_w, step_c;
};

struct nn_image nn_image_of(const struct nn_tensor *tensor, bool nchw);
void nn_set_image(struct nn_tensor *tensor, bool nchw, uint32_t n, uint32_t h, uint32_t w,
                  uint32_t c);

#endif
