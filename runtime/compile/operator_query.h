/* SPDX-License-Identifier: MIT */
/* operator_query.h - asks a provider of one operator version which element types it takes. */
#ifndef BP_COMPILE_OPERATOR_QUERY_H
#define BP_COMPILE_OPERATOR_QUERY_H

#include "compile/provider_list.h"
#include "graph/schema.h"

enum { BP_MAX_TYPE_VARS = 32 };

/* Inputs and outputs of an operator that have the same element type. */
struct bp_type_var {
    uint32_t id;          /* bp_param.type_var, or a number of its own where that is 0 */
    uint64_t types;       /* that ONNX allows: bits 1 << BP_DTYPE_* */
    uint64_t taken;       /* that the provider takes */
    uint64_t conditional; /* that it refused, but for another reason than the type */
};

struct bp_operator_query {
    const struct bp_schema *schema;
    struct bp_type_var vars[BP_MAX_TYPE_VARS];
    uint32_t n_vars;
    uint32_t in_vars[BP_MAX_TYPE_VARS], out_vars[BP_MAX_TYPE_VARS]; /* a row of vars each */
};

/* Lists the variables of a schema. False: it has more parameters than any operator. */
bool bp_operator_query_init(struct bp_operator_query *query, const struct bp_schema *schema);
/*
 * Sets `taken` and `conditional` of each variable. The provider is shown nodes of the operator that
 * are not part of any model: required inputs and those of the variable in question, of no known
 * shape and then of some ranks, attributes as by default. Types of the other variables are tried
 * until one fits.
 */
bp_rc bp_operator_query_ask(struct bp_operator_query *query, const struct bp_active *active,
                            bp_err *err) BP_CHECKED;

#endif
