/* SPDX-License-Identifier: MIT */
/*
 * operands.h - inputs and outputs of operators that an application or a provider defines: checked,
 * turned into parameters of a schema, shown to their shape rules.
 */
#ifndef BP_GRAPH_OPERANDS_H
#define BP_GRAPH_OPERANDS_H

#include "graph/infer.h"

/* The operands of an operator. */
struct bp_operands {
    const bp_operand *in, *out;
    uint32_t n_in, n_out;
};

/* The least numbers of variadic lists, which parameters cannot say: one an operand. */
struct bp_operand_counts {
    const uint32_t *in, *out;
};

/* "ai.onnx" is another name of the domain that is usually written "". */
const char *bp_plain_domain(const char *domain);

/* BP_E_INVALID: one is wrong; the message names the operator `name` and which one. */
bp_rc bp_operands_check(const struct bp_operands *operands, const char *name,
                        bp_err *err) BP_CHECKED;
/* Does one of them take or give values that are not tensors? */
bool bp_operands_have_objects(const struct bp_operands *operands);
/*
 * Sets in, out, n_in and n_out of the schema; lists and names are copied into the region.
 * BP_E_NOMEM.
 */
bp_rc bp_operands_fill(const struct bp_operands *operands, struct bp_region *region,
                       struct bp_schema *schema, struct bp_operand_counts *least,
                       bp_err *err) BP_CHECKED;

/* ---- for the shape rules of such operators --------------------------------------------------- */

/* BP_E_INVALID: a list of the node is shorter than the least number. */
bp_rc bp_operands_check_counts(const struct bp_infer *infer,
                               const struct bp_operand_counts *least) BP_CHECKED;
/* What is known of input i, as a rule is shown it; its lists lie in the region of infer. */
bp_rc bp_operand_fact(struct bp_infer *infer, uint32_t i, bp_operator_fact *out,
                      bp_err *err) BP_CHECKED;
/*
 * What a rule says of output i. Sizes that are neither exact nor an input's come with the data if
 * they say so, or if unnamed_from_data.
 */
bp_rc bp_operand_set(struct bp_infer *infer, uint32_t i, uint32_t dtype, uint32_t rank,
                     const bp_dim *dims, bool unnamed_from_data, bp_err *err) BP_CHECKED;
/*
 * Types that the rule left open, where only one is possible; outputs that are no tensors become what
 * their operands say. BP_E_NOMEM.
 */
bp_rc bp_operands_set_types(struct bp_infer *infer) BP_CHECKED;

#endif
