/* SPDX-License-Identifier: MIT */
/* provider.h - the provider that runs an application's operators; part of the host. */
#ifndef BP_CUSTOM_PROVIDER_H
#define BP_CUSTOM_PROVIDER_H

#include <stdatomic.h>

#include "base/guard.h"
#include "graph/custom.h"
#include "graph/custom_call.h"
#include "plan/graph_view.h"

/*
 * Takes the nodes whose schema is a bp_custom, and looks through the table of the graph that it is
 * shown to find it: it works on graphs of this host only.
 */
extern const bp_provider bp_custom_provider;

/* ---- what its files share -------------------------------------------------------------------- */

struct bp_custom_node {
    const struct bp_custom *custom;
    bp_operator_node view; /* what the kernel was made from */
    void *kernel;
    bool is_made; /* `kernel` is to be destroyed */
};

struct bp_program {
    const bp_host *host;
    const bp_graph *graph;
    struct bp_custom_node *nodes; /* one a node of the graph */
    bp_tensor *constants;         /* one a value; without a type where it is not a constant */
    struct bp_region region;
};

/* Where a value of the graph is during a run. */
struct bp_custom_place {
    bp_tensor *tensor; /* the host's, a constant, or `own`; NULL: not of this program */
    bp_tensor own;     /* of a value that only this group has */
    size_t offset;     /* of `own` in scratch memory */
    uint32_t out;      /* index among the frame's outputs, or BP_NONE */
    bool is_open;      /* dynamic output: its size is known once the kernel ran */
    bool is_object;    /* output that is no tensor: the kernel gives `object` */
    bp_object *object; /* of an input: borrowed for the run; of an output: owned */
    void *storage;     /* of a dynamic one without a reader outside the group */
    size_t cap;
    int64_t *dims; /* capacity for its sizes */
};

struct bp_operator_call {
    struct bp_frame *frame;
    const struct bp_custom_node *node;
    const bp_run *run;
    atomic_bool has_thrown; /* a function that ran in parallel: frame->thrown tells what */
};

struct bp_frame {
    const struct bp_program *program;
    const bp_frame_desc *desc;
    struct bp_custom_place *places; /* one a value */
    struct bp_operator_call *calls; /* one a node */
    struct bp_region region;
    struct bp_region text; /* strings of the run; gone with the next */
    struct bp_thrown thrown;
};

bp_rc bp_custom_frame_create(bp_program *program, const bp_frame_desc *desc, bp_frame_needs *needs,
                             bp_frame **out, bp_err *err);
void bp_custom_frame_free(bp_frame *frame);
bp_rc bp_custom_execute(bp_frame *frame, const bp_run *run, bp_err *err);

/* ---- values that are no tensors: of nodes that the host runs by itself ------------------------ */

/* Before execute: value `v` of the program's graph, an input, is this object in the next run. */
void bp_custom_frame_show(bp_frame *frame, uint32_t v, bp_object *object);
/* After execute: the object that the kernel gave for an output; the reference is the caller's. */
bp_object *bp_custom_frame_take(bp_frame *frame, uint32_t v);
/* After execute: the tensor that the kernel gave for an output; the frame's until the next run. */
const bp_tensor *bp_custom_frame_tensor(const bp_frame *frame, uint32_t v);

#endif
