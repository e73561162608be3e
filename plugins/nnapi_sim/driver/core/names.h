/* SPDX-License-Identifier: MIT */
/* names.h - Android's constants by name, as the configuration has them. */
#ifndef NN_NAMES_H
#define NN_NAMES_H

#include <stdint.h>

/* Codes that Android has: operations, and types of operands. */
#define NN_OPERATIONS 106
#define NN_OPERAND_TYPES 16

/* "CONV_2D", "TENSOR_FLOAT32", "BAD_DATA"; -1: there is none of that name. Any thread. */
int32_t nn_operation_code(const char *name);
int32_t nn_operand_code(const char *name);
int32_t nn_result_code(const char *name);

#endif
