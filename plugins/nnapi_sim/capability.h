/* SPDX-License-Identifier: MIT */
/* capability.h - what capability.c and trial.c share: sets of nodes that are taken together. */
#ifndef BP_NN_CAPABILITY_H
#define BP_NN_CAPABILITY_H

#include "lower.h"
#include "runtime_model.h"

/* What has been found out about the nodes of a graph. Rows are one a node, the arena's. */
struct bp_nn_verdicts {
    bp_instance *instance;
    const struct bp_nn_facts *facts;
    const bp_claims *claims;
    bool *takes;                /* its operator's conditions are met */
    uint32_t *set;              /* another node of its set, or itself: the first one */
    uint32_t *next;             /* of its set, in the graph's order; BP_NONE: none */
    struct bp_nn_place *places; /* of each value, all without an operand between trials */
    bool *is_done;              /* of each node: never, in a trial */
};

/*
 * Hands the runtime a model of the nodes of a set alone, whose first is `root`, and asks the
 * devices. *device: the preferred one that takes all of it, an index of instance->devices; BP_NONE:
 * none, and `why` says why. Only lack of memory, or a runtime that fails, is an error.
 */
bp_rc bp_nn_try_set(const struct bp_nn_verdicts *verdicts, uint32_t root, uint32_t *device,
                    char *why, size_t why_size, bp_err *err);

/* The first node of the set. */
static inline uint32_t bp_nn_root(const struct bp_nn_verdicts *verdicts, uint32_t node)
{
    while (verdicts->set[node] != node)
        node = verdicts->set[node];
    return node;
}

#endif
