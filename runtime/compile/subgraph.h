/* SPDX-License-Identifier: MIT */
/*
 * subgraph.h - a graph made executable: its groups compiled, its stages listed. The main graph is
 * one, and so is each subgraph of a control-flow node. Read-only once created, so that frames on
 * many threads share it.
 */
#ifndef BP_COMPILE_SUBGRAPH_H
#define BP_COMPILE_SUBGRAPH_H

#include "base/fork.h"
#include "base/memory.h"
#include "compile/context.h"
#include "compile/provider_list.h"
#include "plan/placement_rules.h"

struct bp_host_op;
struct bp_program_cache;

/* A group's program, or what the host needs to run a control-flow node. */
struct bp_unit {
    const struct bp_group *group;
    const struct bp_active *by; /* NULL: the host runs it */
    bp_program *program;
    struct bp_saved_program saved; /* with bp_subgraph_maker.saves, where the provider can */
    bool is_exclusive;    /* frames may not execute at once: one at a time, under `mutex` */
    uint32_t max_frames;  /* at once; 0: any number */
    uint64_t frame_bytes; /* that a frame holds, by its provider */
    pthread_mutex_t mutex;
    struct bp_fork_watch fork;        /* of the mutex */
    const struct bp_host_op *host_op; /* how the host runs the node; NULL for programs */
    bp_program
        *kernel; /* of an operator of the application that the host runs; bp_custom_provider's */
    struct bp_subgraph **subgraphs; /* one a subgraph of the node */
    const char *
        *broken; /* one a subgraph: why it could never run, its entry in subgraphs is NULL then */
};

/* Groups that are planned together, once all shapes that they start from are known. */
struct bp_stage {
    uint32_t first_unit, n_units;
    uint32_t max_frames; /* the least of its units'; 0: any number */
    uint32_t *nodes;     /* of all its groups, in running order */
    uint32_t n_nodes;
    uint32_t *reads;     /* values from outside of the stage, constants left out */
    bool *reads_content; /* one a read: a shape rule looks at its elements */
    uint32_t n_reads;
    uint32_t *keeps; /* values made here that are wanted outside, or by control flow */
    uint32_t n_keeps;
};

/* Sets of shapes for which a frame keeps plans of each stage. */
enum {
    BP_FEW_PLANS = 8,  /* of the graph in a control-flow node, and where states grow */
    BP_MOST_PLANS = 32 /* of the main graph, unless the session says otherwise */
};

/*
 * A graph with its programs: the main graph, or the subgraph in an attribute of If, Loop, Scan and
 * their like.
 */
struct bp_subgraph {
    struct bp_ir *ir;
    struct bp_fact *facts; /* as known without inputs */
    struct bp_partition part;
    struct bp_unit *units; /* one a group */
    uint32_t *captures;    /* values of the graph around it, constants left out */
    uint32_t n_captures;
    struct bp_stage *stages;
    uint32_t n_units, n_stages;
    uint32_t n_programs;             /* in subgraphs too */
    uint32_t max_plans;              /* that a frame keeps of each stage */
    struct bp_engine_memory *memory; /* counts what its frames hold; may be NULL */
    struct bp_region region;
};

/*
 * What creating subgraphs needs, and where it tells how it went. One for a graph and all that is in
 * it.
 */
struct bp_subgraph_maker {
    /* How the host runs a node itself, NULL: it cannot; bp_host_op_find() of exec/control. */
    const struct bp_host_op *(*find_host_op)(const struct bp_ir_node *node);
    struct bp_provider_list *providers;
    struct bp_symbols *symbols;
    bp_report *report;
    const struct bp_placement_list *placements; /* or NULL */
    bool *has_matched;                          /* one a rule */
    struct bp_engine_memory *memory;            /* for bp_subgraph.memory */
    uint32_t max_plans;             /* bp_subgraph.max_plans at the top; 0: BP_MOST_PLANS */
    struct bp_program_cache *cache; /* NULL: every group is compiled */
    const struct bp_onnx *onnx;     /* the model, beside which programs of its own may lie */
    bool saves;                     /* programs are saved, for a model */
    bool claims_only;               /* for a plan: no compiling, nodes without a taker are fine */
    struct bp_missing *missing;     /* operators that no provider takes */
    uint32_t failed; /* index of the provider that failed in claiming or compiling, or BP_NONE */
    uint32_t failed_stage; /* BP_STAGE_CAPABILITY or BP_STAGE_COMPILE */
    uint32_t
        n_refused; /* groups that their providers refused to compile: all is to be made again */
};

/*
 * Makes a subgraph of a sealed graph, and of its control-flow nodes. outer: facts of the graph
 * around it, NULL at the top; inputs: facts of its inputs, one each, NULL where they are as
 * declared. When maker->failed is set on failure, the error is that provider's. When
 * maker->n_refused is set on success, groups lack programs: their nodes are in bp_active.refused,
 * and the caller makes all again. On failure nothing is left. The report's rows are of no use then.
 */
bp_rc bp_subgraph_create(struct bp_subgraph_maker *maker, struct bp_ir *ir,
                         const struct bp_fact *outer, const struct bp_fact *inputs,
                         const char *path, struct bp_subgraph **out, bp_err *err) BP_CHECKED;
/* The least number of frames that a program in it, or in a subgraph of it, allows; 0: any number. */
uint32_t bp_subgraph_max_frames(const struct bp_subgraph *subgraph);
void bp_subgraph_destroy(struct bp_subgraph *subgraph); /* after its frames; NULL is fine */

/* stages.c: fills subgraph->stages once the subgraph is partitioned. BP_E_NOMEM. */
bp_rc bp_subgraph_make_stages(struct bp_subgraph *subgraph, bp_err *err) BP_CHECKED;

#endif
