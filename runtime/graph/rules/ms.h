/* SPDX-License-Identifier: MIT */
/* ms.h - what the rules of com.microsoft share: most of its operators are ONNX's with a twist. */
#ifndef BP_GRAPH_RULES_MS_H
#define BP_GRAPH_RULES_MS_H

#include "graph/rules/rules.h"

#define FLOAT_NO_F64 (BP_T(F16) | BP_T(F32) | BP_T(BF16))
#define HALF_FLOAT (BP_T(F16) | BP_T(F32))
#define BYTE8 (BP_T(I8) | BP_T(U8))

/*
 * Runs the rule of another row, as if the node were of that operator and had these n inputs (NULL:
 * absent). Attributes and outputs stay the node's own.
 */
bp_rc bp_rule_as(struct bp_infer *infer, const struct bp_schema *schema,
                 const struct bp_fact *const *in, uint32_t n) BP_CHECKED;
/* Output 0 as input 0. */
bp_rc bp_rule_like_first(struct bp_infer *infer) BP_CHECKED;
/* Input i is a vector of `size` elements, where both are known. */
bp_rc bp_rule_vector(struct bp_infer *infer, uint32_t i, struct bp_sym size,
                     const char *whose) BP_CHECKED;
/* A copy of a ranked fact whose dimension i is dimension perm[i] of it; NULL: no memory. */
const struct bp_fact *bp_rule_turned(struct bp_infer *infer, const struct bp_fact *fact,
                                     const uint32_t *perm);
/*
 * Moves the channels of a shape from its end to where ONNX has them (to_end: back); nothing where
 * there is no rank.
 */
bp_rc bp_rule_move_channels(struct bp_infer *infer, const struct bp_fact **fact,
                            bool to_end) BP_CHECKED;
/* Dimension i of a fact, from the end where i < 0; one that only the data tells without a rank. */
bp_rc bp_rule_dim(struct bp_infer *infer, const struct bp_fact *fact, int i,
                  struct bp_sym *out) BP_CHECKED;

#endif
