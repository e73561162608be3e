/* SPDX-License-Identifier: MIT */
/* cases.c - the nodes that every plug-in is asked about and, where it takes them, held to. */

#include "config.h"

#include "check/reference.h"

#define F32(...)                                                                                   \
    {                                                                                              \
        BP_DTYPE_F32, RANK(__VA_ARGS__), {__VA_ARGS__}, NULL                                       \
    }
#define F64(...)                                                                                   \
    {                                                                                              \
        BP_DTYPE_F64, RANK(__VA_ARGS__), {__VA_ARGS__}, NULL                                       \
    }
#define I32(...)                                                                                   \
    {                                                                                              \
        BP_DTYPE_I32, RANK(__VA_ARGS__), {__VA_ARGS__}, NULL                                       \
    }
#define I64(...)                                                                                   \
    {                                                                                              \
        BP_DTYPE_I64, RANK(__VA_ARGS__), {__VA_ARGS__}, NULL                                       \
    }
#define BOOL(...)                                                                                  \
    {                                                                                              \
        BP_DTYPE_BOOL, RANK(__VA_ARGS__), {__VA_ARGS__}, NULL                                      \
    }
#define RANK(...) (uint32_t)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
#define CONSTANT(values)                                                                           \
    {                                                                                              \
        BP_DTYPE_I64, 1, {sizeof(values) / sizeof(values)[0]}, values                              \
    }

#define UNARY(op, opset, since, type, low, high)                                                   \
    {                                                                                              \
#op " " #type, #op, opset, since, 1,                                                       \
            {type(2, 3, 5) }, type(2, 3, 5), {{0 } }, ref_unary, 1e-5, low, high                   \
    }
#define BINARY(op, opset, since, type, result, low, high)                                          \
    {                                                                                              \
#op " " #type, #op, opset, since, 2,                                                       \
            {type(2, 3, 4), type(3, 1) }, result(2, 3, 4), {{0 } }, ref_binary, 1e-5, low, high    \
    }

#define INT(name, value)                                                                           \
    {                                                                                              \
        name, BP_ATTR_INT, 0, {value}, 0, NULL                                                     \
    }
#define INTS2(name, a, b)                                                                          \
    {                                                                                              \
        name, BP_ATTR_INT, 2, {a, b}, 0, NULL                                                      \
    }
#define INTS3(name, a, b, c)                                                                       \
    {                                                                                              \
        name, BP_ATTR_INT, 3, {a, b, c}, 0, NULL                                                   \
    }
#define INTS4(name, a, b, c, d)                                                                    \
    {                                                                                              \
        name, BP_ATTR_INT, 4, {a, b, c, d}, 0, NULL                                                \
    }
#define NUMBER(name, value)                                                                        \
    {                                                                                              \
        name, BP_ATTR_FLOAT, 0, {0}, value, NULL                                                   \
    }
#define TEXT(name, value)                                                                          \
    {                                                                                              \
        name, BP_ATTR_STRING, 0, {0}, 0, value                                                     \
    }

static const int64_t shape_6_5[] = {6, 5};
static const int64_t last_axis[] = {-1};

/* Rank 3 is enough to tell rows from columns; sizes are odd so that no vector width fits. */
const struct kit_case kit_cases[] = {
    UNARY(Relu, 14, 14, F32, -2, 2),
    UNARY(Relu, 14, 14, F64, -2, 2),
    UNARY(Relu, 14, 14, I32, -9, 9),
    UNARY(Abs, 13, 13, F32, -2, 2),
    UNARY(Abs, 13, 13, I64, -9, 9),
    UNARY(Neg, 13, 13, F32, -2, 2),
    UNARY(Exp, 13, 13, F32, -2, 2),
    UNARY(Log, 13, 13, F32, 0.1, 2),
    UNARY(Sqrt, 13, 13, F32, 0, 2),
    UNARY(Tanh, 13, 13, F32, -2, 2),
    UNARY(Sigmoid, 13, 13, F32, -2, 2),
    UNARY(Floor, 13, 13, F32, -2, 2),
    UNARY(Ceil, 13, 13, F32, -2, 2),
    UNARY(Identity, 14, 14, F32, -2, 2),
    UNARY(Identity, 14, 14, BOOL, 0, 1),
    {"LeakyRelu",
     "LeakyRelu",
     16,
     16,
     1,
     {F32(2, 3, 5)},
     F32(2, 3, 5),
     {NUMBER("alpha", 0.25F)},
     ref_unary,
     1e-5,
     -2,
     2},
    BINARY(Add, 14, 14, F32, F32, -2, 2),
    BINARY(Add, 14, 14, F64, F64, -2, 2),
    BINARY(Add, 14, 14, I64, I64, -9, 9),
    BINARY(Sub, 14, 14, F32, F32, -2, 2),
    BINARY(Mul, 14, 14, F32, F32, -2, 2),
    BINARY(Mul, 14, 14, I32, I32, -9, 9),
    BINARY(Div, 14, 14, F32, F32, 0.5, 2),
    BINARY(Max, 13, 13, F32, F32, -2, 2),
    BINARY(Min, 13, 13, F32, F32, -2, 2),
    BINARY(Pow, 15, 15, F32, F32, 0.5, 2),
    BINARY(Equal, 13, 13, I64, BOOL, -2, 2),
    BINARY(Less, 13, 13, F32, BOOL, -2, 2),
    {"MatMul",
     "MatMul",
     13,
     13,
     2,
     {F32(3, 4), F32(4, 5)},
     F32(3, 5),
     {{0}},
     ref_matmul,
     1e-5,
     -2,
     2},
    {"MatMul of stacks",
     "MatMul",
     13,
     13,
     2,
     {F32(2, 3, 4), F32(2, 4, 5)},
     F32(2, 3, 5),
     {{0}},
     ref_matmul,
     1e-5,
     -2,
     2},
    {"Gemm",
     "Gemm",
     13,
     13,
     3,
     {F32(3, 4), F32(5, 4), F32(5)},
     F32(3, 5),
     {NUMBER("alpha", 0.5F), NUMBER("beta", 2.0F), INT("transA", 0), INT("transB", 1)},
     ref_gemm,
     1e-5,
     -2,
     2},
    {"Softmax",
     "Softmax",
     13,
     13,
     1,
     {F32(3, 7)},
     F32(3, 7),
     {INT("axis", -1)},
     ref_softmax,
     1e-5,
     -2,
     2},
    {"Flatten",
     "Flatten",
     13,
     13,
     1,
     {F32(2, 3, 5)},
     F32(2, 15),
     {INT("axis", 1)},
     ref_same,
     0,
     -2,
     2},
    {"Reshape",
     "Reshape",
     14,
     14,
     2,
     {F32(2, 3, 5), CONSTANT(shape_6_5)},
     F32(6, 5),
     {INT("allowzero", 0)},
     ref_same,
     0,
     -2,
     2},
    {"Cast",
     "Cast",
     13,
     13,
     1,
     {F32(2, 3, 5)},
     I32(2, 3, 5),
     {INT("to", BP_DTYPE_I32)},
     ref_same,
     0,
     -9,
     9},
    {"Transpose",
     "Transpose",
     13,
     13,
     1,
     {F32(2, 3, 5)},
     F32(5, 2, 3),
     {INTS3("perm", 2, 0, 1)},
     ref_transpose,
     0,
     -2,
     2},
    {"Concat",
     "Concat",
     13,
     13,
     2,
     {F32(3, 4), F32(3, 2)},
     F32(3, 6),
     {INT("axis", 1)},
     ref_concat,
     0,
     -2,
     2},
    {"ReduceSum",
     "ReduceSum",
     13,
     13,
     2,
     {F32(2, 3, 5), CONSTANT(last_axis)},
     F32(2, 3),
     {INT("keepdims", 0), INT("noop_with_empty_axes", 0)},
     ref_reduce,
     1e-5,
     -2,
     2},
    {"ReduceMean",
     "ReduceMean",
     18,
     18,
     2,
     {F32(2, 3, 5), CONSTANT(last_axis)},
     F32(2, 3),
     {INT("keepdims", 0), INT("noop_with_empty_axes", 0)},
     ref_reduce,
     1e-5,
     -2,
     2},
    {"ReduceMax",
     "ReduceMax",
     18,
     18,
     2,
     {F32(2, 3, 5), CONSTANT(last_axis)},
     F32(2, 3),
     {INT("keepdims", 0), INT("noop_with_empty_axes", 0)},
     ref_reduce,
     1e-5,
     -2,
     2},
    {"Conv",
     "Conv",
     11,
     11,
     3,
     {F32(1, 2, 5, 5), F32(3, 2, 3, 3), F32(3)},
     F32(1, 3, 5, 5),
     {INTS2("kernel_shape", 3, 3), INTS2("strides", 1, 1), INTS2("dilations", 1, 1),
      INTS4("pads", 1, 1, 1, 1), INT("group", 1), TEXT("auto_pad", "NOTSET")},
     ref_conv,
     1e-5,
     -2,
     2},
    {"Conv of stride 2",
     "Conv",
     11,
     11,
     3,
     {F32(1, 2, 5, 5), F32(3, 2, 3, 3), F32(3)},
     F32(1, 3, 2, 2),
     {INTS2("kernel_shape", 3, 3), INTS2("strides", 2, 2), INTS2("dilations", 1, 1),
      INTS4("pads", 0, 0, 0, 0), INT("group", 1), TEXT("auto_pad", "NOTSET")},
     ref_conv,
     1e-5,
     -2,
     2},
    {"MaxPool",
     "MaxPool",
     12,
     12,
     1,
     {F32(1, 2, 6, 6)},
     F32(1, 2, 3, 3),
     {INTS2("kernel_shape", 2, 2), INTS2("strides", 2, 2), INTS2("dilations", 1, 1),
      INTS4("pads", 0, 0, 0, 0), INT("ceil_mode", 0), INT("storage_order", 0),
      TEXT("auto_pad", "NOTSET")},
     ref_max_pool,
     0,
     -2,
     2},
    {"GlobalAveragePool",
     "GlobalAveragePool",
     1,
     1,
     1,
     {F32(1, 3, 4, 4)},
     F32(1, 3, 1, 1),
     {{0}},
     ref_average,
     1e-5,
     -2,
     2},
};

const size_t kit_n_cases = sizeof kit_cases / sizeof kit_cases[0];
