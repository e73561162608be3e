/* SPDX-License-Identifier: MIT */
/* loop.h - what Loop and Scan share. */
#ifndef BP_GRAPH_RULES_LOOP_H
#define BP_GRAPH_RULES_LOOP_H

#include "graph/rules/rules.h"

/*
 * Runs a body, whose inputs are `in`, and widens its n carried inputs from first_in on until they
 * also hold what its outputs from first_out on are. *out: facts of the body's outputs.
 */
bp_rc bp_rule_carry(struct bp_infer *infer, const struct bp_ir *body, struct bp_fact *in,
                    uint32_t first_in, uint32_t first_out, uint32_t n,
                    struct bp_fact **out) BP_CHECKED;

#endif
