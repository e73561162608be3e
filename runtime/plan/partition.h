/* SPDX-License-Identifier: MIT */
/* partition.h - a partition: the provider, stage and group of each node. */
#ifndef BP_PLAN_PARTITION_H
#define BP_PLAN_PARTITION_H

#include "plan/graph_view.h"
#include "plan/refused.h"

enum {
    BP_BY_NONE = 0xfffffffeu, /* the node's provider: none takes it */
    BP_BY_HOST = 0xffffffffu  /* control flow, run by the host */
};

/* A device of an instance. */
struct bp_asked_device {
    uint32_t index;  /* as bp_provider.device counts devices */
    uint32_t spaces; /* memory spaces beside the host's */
    const char *id;  /* the provider's, until teardown; "" where it tells none */
};

/* A provider that may be asked; the partition keeps only its index. */
struct bp_asked {
    const bp_provider *provider;
    bp_instance *instance;
    const char *name;
    bool runs_custom;         /* it is the one for the application's operators */
    bool wants_channels_last; /* nodes with a layout are its own in com.ms.internal.nhwc only */
    const struct bp_refused *refused; /* nodes that it is not to get again; NULL: none */
    /* Of the instance, as bp_claim.device counts them; n_devices 0: one, of which nothing is known. */
    const struct bp_asked_device *devices;
    uint32_t n_devices;
};

/* One answer. */
struct bp_verdict {
    uint32_t verdict, reason; /* BP_YES..., BP_R_* */
    uint32_t device;          /* that takes it: below bp_asked.n_devices; 0 if no provider does */
    const char *subject, *text;
    uint32_t detail; /* BP_DETAIL_*, where the host refused it in the provider's name */
    uint32_t
        together;   /* not 0: nodes of this number are in one group, or go to others; see abi.h */
    bool is_costly; /* BP_NO, because the host found that the node would be slower there */
    bool has_cost;
    double run_ns, launch_ns; /* what the provider says it costs; 0 unless has_cost */
};

/*
 * A convex set of nodes of one provider, device and stage, or one control-flow node. It is connected,
 * but in subgraphs of nodes may consist of several such sets. Groups stand in an order in which they
 * can run.
 */
struct bp_group {
    uint32_t provider; /* index of a bp_asked, or BP_BY_HOST, BP_BY_NONE */
    uint32_t device;   /* of the provider's instance; 0 where no provider runs it */
    uint32_t stage;
    uint32_t n_nodes;
    uint32_t *nodes; /* indices in ir, in running order */
    struct bp_graph_view *view;
};

/*
 * Stages: all shapes in a stage follow from the shapes of what it reads, and from the elements of
 * what it reads into shape rules, so that a stage is planned as a whole before it runs. A new one
 * begins after a node whose output size comes with its data, and before a node whose shape rule
 * reads a value that was computed.
 */
struct bp_partition {
    const struct bp_ir *ir;
    const struct bp_fact *facts; /* the caller's, while groups are made */
    struct bp_uses uses;
    struct bp_group *groups;
    uint32_t n_groups, n_stages;
    uint32_t *group_of;           /* one a node */
    uint32_t *provider_of;        /* one a node, as in bp_group.provider */
    uint32_t *stage_of;           /* one a node */
    const char **rule_of;         /* one a node: the placement rule that decided, or NULL */
    struct bp_verdict **verdicts; /* [asked][node] */
    bool *has_memory;             /* one an asked: it computes in memory of its own */
    bool *copies_direct; /* one an asked: between its own memories, not by way of the host */
    uint32_t n_asked;
};

/* The device of its provider's instance on which a node runs; 0 where no provider runs it. */
static inline uint32_t bp_device_of(const struct bp_partition *part, uint32_t node)
{
    uint32_t provider = part->provider_of[node];

    return provider < BP_BY_NONE ? part->verdicts[provider][node].device : 0;
}

#endif
