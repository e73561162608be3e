/* SPDX-License-Identifier: MIT */
/*
 * inline.h - what the files share that inline the functions of a model: functions by name
 * (function.c), names inside a call (scope.c), copies of nodes (inline.c, attribute.c).
 *
 * Used by one thread, while a model is opened. Memory is of the model's region.
 */
#ifndef BP_MODEL_FUNCTIONS_INLINE_H
#define BP_MODEL_FUNCTIONS_INLINE_H

#include "model/model.h"

enum {
    BP_MAX_CALL_DEPTH = 64,    /* nested calls; inlining recurses */
    BP_MAX_INLINED = 128 << 20 /* bytes of inlined nodes, about 500,000 of them */
};

struct bp_function {
    const Bp__FunctionProto *proto;
    const char *name;        /* "domain.Name:overload", for messages */
    struct bp_strmap opsets; /* its imports: domain -> version */
    bool is_open;            /* a call of it is being inlined */
};

struct bp_functions {
    struct bp_function *rows;
    size_t n;
    struct bp_strmap by_key; /* domain, name and overload -> row */
};

struct bp_inliner {
    struct bp_onnx *onnx;
    struct bp_functions functions;
    struct bp_strmap taken; /* names of all values, so that new ones are unique */
    size_t left;            /* of BP_MAX_INLINED */
    uint32_t serial;        /* appended to a name that is taken */
    bp_rc failure;          /* why bp_inline_take() returned NULL */
};

/* A call that is being inlined. */
struct bp_call {
    const struct bp_call *around; /* the outer call; NULL: the node is in the model's graph */
    struct bp_function *function;
    const Bp__NodeProto *node; /* with names of the caller's graph */
    uint32_t depth;
};

/* Maps names of a graph that is being copied to the caller's. Without a call it is empty: names stay. */
struct bp_scope {
    const struct bp_scope *around; /* for a subgraph: the scope of its node */
    const struct bp_call *call;    /* NULL: the model's own graphs, whose names stay */
    struct bp_strmap index;        /* a name -> row of `meanings` */
    const char **meanings;
    size_t n, cap;
};

struct bp_node_list {
    Bp__NodeProto **items;
    size_t n, cap;
};

/* ---- function.c ------------------------------------------------------------------------------ */

/* Appends the function's nodes to `out`, for a call of it in scope `around`. */
bp_rc bp_inline_call(struct bp_inliner *x, const struct bp_scope *around,
                     struct bp_function *function, const Bp__NodeProto *node,
                     struct bp_node_list *out, bp_err *err) BP_CHECKED;
/*
 * The function that a node calls, or NULL; the node's opset is set. An operator of that name is
 * preferred: see function.c.
 */
bp_rc bp_inline_callee(struct bp_inliner *x, const Bp__NodeProto *node, struct bp_function **out,
                       bp_err *err) BP_CHECKED;
/* The version of a domain's operators inside `call`, or in the model's graph (NULL). 0: none. */
uint32_t bp_inline_opset(const struct bp_inliner *x, const struct bp_call *call,
                         const char *domain);

/* ---- scope.c --------------------------------------------------------------------------------- */

/* Maps a name to another, unless it is mapped in this very scope. The texts are borrowed. */
bp_rc bp_scope_set(struct bp_scope *scope, const char *name, const char *meaning,
                   bp_err *err) BP_CHECKED;
/* Maps it to a name that no value of the model has: "call/name", with a serial if it is taken. */
bp_rc bp_scope_add(struct bp_inliner *x, struct bp_scope *scope, const char *name,
                   bp_err *err) BP_CHECKED;
/* What the name maps to in this very scope, or NULL. */
const char *bp_scope_get(const struct bp_scope *scope, const char *name);
/* What a name maps to here or in a scope around; "" stays. BP_E_INVALID: the function has none. */
bp_rc bp_scope_find(const struct bp_scope *scope, const char *name, const char **out,
                    bp_err *err) BP_CHECKED;
void bp_scope_finish(struct bp_scope *scope);
/* Collects the names of all values of a graph and its subgraphs in x->taken. BP_E_NOMEM. */
bp_rc bp_scope_collect_names(struct bp_inliner *x, const Bp__GraphProto *graph,
                             bp_err *err) BP_CHECKED;

/* protobuf-c's structs have char *, though names are never written. */
static inline char *bp_name_for_proto(const char *name)
{
    return (char *)(uintptr_t)name;
}

/* ---- inline.c -------------------------------------------------------------------------------- */

/* Zeroed bytes of the model's region; NULL: no memory, or over BP_MAX_INLINED; x->failure says which. */
void *bp_inline_take(struct bp_inliner *x, size_t n, bp_err *err);
/* Counts bytes that building the inlined graph will take, against the same limit. */
bp_rc bp_inline_charge(struct bp_inliner *x, size_t n, bp_err *err) BP_CHECKED;
/* A shallow copy of a message; NULL as above. */
void *bp_inline_copy(struct bp_inliner *x, const void *message, size_t size, bp_err *err);
/* Formatted text of the same memory; NULL as above. */
char *bp_inline_printf(struct bp_inliner *x, bp_err *err, const char *fmt, ...) BP_PRINTF(3, 4);
bp_rc bp_inline_append(struct bp_inliner *x, struct bp_node_list *list, Bp__NodeProto *node,
                       bp_err *err) BP_CHECKED;
/* Appends copies of nodes to `out`, with calls inlined; `scope` maps their names. */
bp_rc bp_inline_nodes(struct bp_inliner *x, const struct bp_scope *scope,
                      Bp__NodeProto *const *nodes, size_t n, struct bp_node_list *out,
                      bp_err *err) BP_CHECKED;
/* A copy of the model's graph (around NULL), or of a subgraph of a node in scope `around`. */
bp_rc bp_inline_graph(struct bp_inliner *x, const struct bp_scope *around,
                      const Bp__GraphProto *graph, Bp__GraphProto **out, bp_err *err) BP_CHECKED;

/* ---- attribute.c ---------------------------------------------------------------------- */

/* Copies the attributes of a node; references that neither the call nor a default fills are left out. */
bp_rc bp_inline_attributes(struct bp_inliner *x, const struct bp_scope *scope,
                           const Bp__NodeProto *from, Bp__NodeProto *to, bp_err *err) BP_CHECKED;

#endif
