/* SPDX-License-Identifier: MIT */
/*
 * operators.h - ONNX's operators: their versions, and their attributes with defaults, which a host fills
 * in. The kit has no host, so this table is made from one; see operators.inc.
 */
#ifndef BP_CHECK_ONNX_OPERATORS_H
#define BP_CHECK_ONNX_OPERATORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kit_operator {
    const char *domain, *op;
    uint32_t since;
    uint32_t sizes_from_data; /* of outputs, whatever is known before the node has run */
    const char *attrs;        /* "axis:i=-1 perm:I": see kit_attr_def */
};

/* The version in force where a model imports version `opset` of the domain; NULL: unknown. */
const struct kit_operator *kit_operator_find(const char *domain, const char *op, uint32_t opset);

struct kit_attr_def {
    char name[48];
    char type;       /* f, i, s, t, g; the same large for lists; ? for others */
    const char *def; /* the default's text, NULL: there is none */
    size_t def_size;
};

/* Attribute i; false: there are fewer. */
bool kit_operator_attr(const struct kit_operator *op, uint32_t i, struct kit_attr_def *out);

#endif
