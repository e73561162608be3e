/* SPDX-License-Identifier: MIT */
/* nn_kit.h - what tests of the simulated Neural Networks runtime share: models of few lines. */
#ifndef NN_KIT_H
#define NN_KIT_H

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bp_nnapi_sim.h>

#include "common/float16.h"
#include "support/check_main.h"

#define F32 ANEURALNETWORKS_TENSOR_FLOAT32
#define F16 ANEURALNETWORKS_TENSOR_FLOAT16
#define I32 ANEURALNETWORKS_TENSOR_INT32
#define Q8 ANEURALNETWORKS_TENSOR_QUANT8_ASYMM
#define Q8S ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED
#define Q8C ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL
#define B8 ANEURALNETWORKS_TENSOR_BOOL8

#define BAD_DATA ANEURALNETWORKS_BAD_DATA
#define BAD_STATE ANEURALNETWORKS_BAD_STATE
#define OP_FAILED ANEURALNETWORKS_OP_FAILED
#define IS_NULL ANEURALNETWORKS_UNEXPECTED_NULL

static inline const char *last_error(void)
{
    static char text[512];

    bp_nnapi_last_error(text, sizeof text);
    return text;
}

#define OK(call)                                                                                   \
    do {                                                                                           \
        int code_ = (call);                                                                        \
                                                                                                   \
        ck_assert_msg(code_ == 0, #call ": %s: %s", bp_nnapi_result_name(code_), last_error());    \
    } while (0)
#define FAILS(wanted, call)                                                                        \
    do {                                                                                           \
        int code_ = (call);                                                                        \
                                                                                                   \
        ck_assert_msg(code_ == (wanted), #call ": %s and not %s: %s", bp_nnapi_result_name(code_), \
                      bp_nnapi_result_name(wanted), last_error());                                 \
    } while (0)

static inline struct bp_nnapi_counters counters(void)
{
    struct bp_nnapi_counters c = {.struct_size = sizeof c};

    OK(bp_nnapi_get_counters(&c));
    return c;
}

/* A configuration for this test; counts start at 0. */
static inline void configure(const char *text)
{
    bp_nnapi_clear_faults();
    OK(bp_nnapi_configure(text));
    bp_nnapi_reset_counters();
}

/* Nothing may be left at a test's end. */
static inline void nothing_lives(void)
{
    struct bp_nnapi_counters c = counters();

    bp_nnapi_clear_faults();
    ck_assert_uint_eq(c.live_models + c.live_compilations + c.live_executions + c.live_events +
                          c.live_bursts + c.live_memories + c.live_descriptions + c.in_flight,
                      0);
}

/* ---- operands ------------------------------------------------------------------------------- */

/* Values of 8-bit types are those that are stored. */
struct operand {
    int32_t type;
    float scale;
    int32_t zero;
    uint32_t rank, dims[5];
    double values[96];
    bool given;   /* an input of the model; else constant */
    bool omitted; /* an optional operand that is left out */
    float scales[8];
    uint32_t channel;
};

#define DIMS(...)                                                                                  \
    .rank = sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), .dims = {__VA_ARGS__}
#define V(...) .values = {__VA_ARGS__}
#define INT(value)                                                                                 \
    {                                                                                              \
        .type = ANEURALNETWORKS_INT32, V(value)                                                    \
    }
#define REAL(value)                                                                                \
    {                                                                                              \
        .type = ANEURALNETWORKS_FLOAT32, V(value)                                                  \
    }
#define FLAG(value)                                                                                \
    {                                                                                              \
        .type = ANEURALNETWORKS_BOOL, V(value)                                                     \
    }

static inline size_t element_size(int32_t type)
{
    switch (type) {
    case F32:
    case I32:
    case ANEURALNETWORKS_FLOAT32:
    case ANEURALNETWORKS_INT32:
        return 4;
    case F16:
    case ANEURALNETWORKS_FLOAT16:
        return 2;
    default:
        return 1;
    }
}

static inline size_t elements(const struct operand *operand)
{
    size_t n = 1;

    for (uint32_t i = 0; i < operand->rank; i++)
        n *= operand->dims[i];
    return n;
}

static inline size_t byte_size(const struct operand *operand)
{
    return elements(operand) * element_size(operand->type);
}

static inline void encode(const struct operand *operand, void *bytes)
{
    for (size_t i = 0; i < elements(operand); i++) {
        char *at = (char *)bytes + i * element_size(operand->type);
        double value = operand->values[i];
        float f = (float)value;
        int32_t n = (int32_t)value;
        uint16_t h = bp_f16_store(f);

        if (operand->type == F32 || operand->type == ANEURALNETWORKS_FLOAT32)
            memcpy(at, &f, sizeof f);
        else if (element_size(operand->type) == 4)
            memcpy(at, &n, sizeof n);
        else if (element_size(operand->type) == 2)
            memcpy(at, &h, sizeof h);
        else
            *at = (char)n;
    }
}

static inline double decode(const struct operand *operand, const void *bytes, size_t i)
{
    const char *at = (const char *)bytes + i * element_size(operand->type);
    float f;
    int32_t n;
    uint16_t h;

    if (operand->type == F32) {
        memcpy(&f, at, sizeof f);
        return (double)f;
    }
    if (element_size(operand->type) == 4) {
        memcpy(&n, at, sizeof n);
        return n;
    }
    if (element_size(operand->type) == 2) {
        memcpy(&h, at, sizeof h);
        return (double)bp_f16_load(h);
    }
    return operand->type == Q8S || operand->type == Q8C ? *(const signed char *)at
                                                        : *(const unsigned char *)at;
}

static inline ANeuralNetworksOperandType type_of(const struct operand *operand)
{
    return (ANeuralNetworksOperandType){.type = operand->type,
                                        .dimensionCount = operand->rank,
                                        .dimensions = operand->rank ? operand->dims : NULL,
                                        .scale = operand->scale,
                                        .zeroPoint = operand->zero};
}

/* ---- models of one operation ---------------------------------------------------------------- */

/* Adds an operand, constant but where it is given or an output; its index is the next. */
static inline void add_operand(ANeuralNetworksModel *model, const struct operand *operand,
                               uint32_t index, bool output)
{
    ANeuralNetworksOperandType type = type_of(operand);
    char bytes[512];

    OK(ANeuralNetworksModel_addOperand(model, &type));
    if (operand->type == Q8C) {
        ANeuralNetworksSymmPerChannelQuantParams quant = {
            operand->channel, operand->dims[operand->channel], operand->scales};

        OK(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model, (int32_t)index, &quant));
    }
    if (operand->omitted) {
        OK(ANeuralNetworksModel_setOperandValue(model, (int32_t)index, NULL, 0));
    } else if (!operand->given && !output) {
        ck_assert_uint_le(byte_size(operand), sizeof bytes);
        encode(operand, bytes);
        /* what is larger than 128 bytes is only copied when the model is finished */
        ck_assert_uint_le(byte_size(operand), 128);
        OK(ANeuralNetworksModel_setOperandValue(model, (int32_t)index, bytes, byte_size(operand)));
    }
}

/* The code of finish; the model is the caller's in any case. */
static inline int build(int32_t operation, const struct operand *in, uint32_t n,
                        const struct operand *out, uint32_t m, bool relaxed,
                        ANeuralNetworksModel **model)
{
    uint32_t all[16], given[16], count = 0;

    OK(ANeuralNetworksModel_create(model));
    for (uint32_t i = 0; i < n + m; i++) {
        add_operand(*model, i < n ? &in[i] : &out[i - n], i, i >= n);
        all[i] = i;
        if (i < n && in[i].given)
            given[count++] = i;
    }
    OK(ANeuralNetworksModel_addOperation(*model, operation, n, all, m, all + n));
    OK(ANeuralNetworksModel_identifyInputsAndOutputs(*model, count, given, m, all + n));
    if (relaxed)
        OK(ANeuralNetworksModel_relaxComputationFloat32toFloat16(*model, true));
    return ANeuralNetworksModel_finish(*model);
}

/* Runs a compilation of such a model; the code of the run, and its outputs. */
static inline int execute(ANeuralNetworksCompilation *compilation, const struct operand *in,
                          uint32_t n, const struct operand *out, uint32_t m, char (*results)[512])
{
    ANeuralNetworksExecution *execution;
    ANeuralNetworksEvent *event = NULL;
    char inputs[4][512];
    int32_t k = 0;
    int code;

    OK(ANeuralNetworksExecution_create(compilation, &execution));
    for (uint32_t i = 0; i < n; i++)
        if (in[i].given) {
            encode(&in[i], inputs[k]);
            OK(ANeuralNetworksExecution_setInput(execution, k, NULL, inputs[k], byte_size(&in[i])));
            k++;
        }
    for (uint32_t i = 0; i < m; i++)
        OK(ANeuralNetworksExecution_setOutput(execution, (int32_t)i, NULL, results[i],
                                              byte_size(&out[i])));
    code = ANeuralNetworksExecution_startCompute(execution, &event);
    if (!code) {
        code = ANeuralNetworksEvent_wait(event);
        ANeuralNetworksEvent_free(event);
    }
    ANeuralNetworksExecution_free(execution);
    return code;
}

/* Builds, compiles for any device and runs; the results must be those of `out`. */
static inline void check_op(int32_t operation, const struct operand *in, uint32_t n,
                            const struct operand *out, uint32_t m, double tolerance)
{
    const char *name = bp_nnapi_operation_name(operation);
    ANeuralNetworksModel *model;
    ANeuralNetworksCompilation *compilation;
    char results[4][512];

    OK(build(operation, in, n, out, m, false, &model));
    OK(ANeuralNetworksCompilation_create(model, &compilation));
    OK(ANeuralNetworksCompilation_finish(compilation));
    OK(execute(compilation, in, n, out, m, results));
    for (uint32_t o = 0; o < m; o++)
        for (size_t i = 0; i < elements(&out[o]); i++) {
            double got = decode(&out[o], results[o], i), wanted = out[o].values[i];

            ck_assert_msg(fabs(got - wanted) <= tolerance * (1 + fabs(wanted)),
                          "%s: output %u[%zu] is %.9g and not %.9g", name, o, i, got, wanted);
        }
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))
#define CHECK_OP(operation, in, out, tolerance)                                                    \
    check_op(ANEURALNETWORKS_##operation, in, COUNT(in), out, COUNT(out), tolerance)

/* What finish says of an operation; the model is gone again. */
static inline int finish_of(int32_t operation, const struct operand *in, uint32_t n,
                            const struct operand *out, uint32_t m)
{
    ANeuralNetworksModel *model;
    int code = build(operation, in, n, out, m, false, &model);

    ANeuralNetworksModel_free(model);
    return code;
}

#define FINISH(operation, in, out)                                                                 \
    finish_of(ANEURALNETWORKS_##operation, in, COUNT(in), out, COUNT(out))

#endif
