/* SPDX-License-Identifier: MIT */
/* products.h - shape rules of products that quantised operators have too. */
#ifndef BP_GRAPH_RULES_PRODUCTS_H
#define BP_GRAPH_RULES_PRODUCTS_H

#include "graph/rules/rules.h"

/* Conv: X, W and maybe B; the type of Y is that of X. */
bp_rc bp_rule_conv(struct bp_infer *infer) BP_CHECKED;
/* MatMul: A and B; the type of Y is theirs. */
bp_rc bp_rule_matmul(struct bp_infer *infer) BP_CHECKED;

#endif
