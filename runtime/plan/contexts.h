/* SPDX-License-Identifier: MIT */
/* contexts.h - who runs a node EPContext, a program that some provider compiled before. */
#ifndef BP_PLAN_CONTEXTS_H
#define BP_PLAN_CONTEXTS_H

#include "plan/partition.h"

/*
 * The host's answer for a provider that is asked about such a node: yes if the attribute `source` is its
 * id or name and it loads programs out of models, on the device that the attribute
 * `hardware_architecture` names, else the first. Texts lie in region; one for which there is no memory
 * is NULL.
 */
struct bp_verdict bp_context_verdict(const struct bp_asked *asked, const struct bp_ir_node *node,
                                     struct bp_region *region);
/* A string attribute, copied to buf and cut off there; "" where the node has none. */
const char *bp_context_text(const struct bp_ir_node *node, const char *name, char *buf, size_t cap);

#endif
