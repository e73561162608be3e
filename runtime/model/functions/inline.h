/* SPDX-License-Identifier: MIT */
/*
 * inline.h - what the files share that put a function's nodes in place of each call of it: the
 * functions by name (function.c), names within a call (scope.c), copies of nodes (inline.c,
 * attribute.c).
 */
#ifndef BP_MODEL_FUNCTIONS_INLINE_H
#define BP_MODEL_FUNCTIONS_INLINE_H

#include "model/model.h"

enum {
    BP_MAX_CALL_DEPTH = 64,    /* of calls within calls */
    BP_MAX_INLINED = 128 << 20 /* bytes of nodes that calls may become; half a million or so */
};

struct bp_function {
    const Bp__FunctionProto *proto;
    const char *name;        /* "domain.Name", for people */
    struct bp_strmap opsets; /* its imports: domain -> version */
    bool is_open;            /* a call of it is being replaced */
};

struct bp_functions {
    struct bp_function *rows;
    size_t n;
    struct bp_strmap by_key; /* domain, name and overload -> row */
};

struct bp_inliner {
    struct bp_onnx *onnx;
    struct bp_functions functions;
    struct bp_strmap taken; /* names of values of the model, so far */
    size_t left;            /* of BP_MAX_INLINED */
    uint32_t serial;        /* for names that are taken */
    bp_rc failure;          /* why bp_inline_take() gave NULL */
};

/* A call that is being replaced. */
struct bp_call {
    const struct bp_call *around; /* NULL: it stands in the model's graph */
    struct bp_function *function;
    const Bp__NodeProto *node; /* in terms of what is around it */
    uint32_t depth;
};

/* What names mean in a graph that is being copied. Without a call it stays {0}: names mean themselves. */
struct bp_scope {
    const struct bp_scope *around; /* of a body: where the node stands that has it */
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

/* Puts the nodes of the function in place of a call of it that stands in `around`: adds them to `out`. */
bp_rc bp_inline_call(struct bp_inliner *x, const struct bp_scope *around,
                     struct bp_function *function, const Bp__NodeProto *node,
                     struct bp_node_list *out, bp_err *err) BP_CHECKED;
/*
 * What a node calls, or NULL; its opset is set. Operators win over functions of their name: see
 * function.c.
 */
bp_rc bp_inline_callee(struct bp_inliner *x, const Bp__NodeProto *node, struct bp_function **out,
                       bp_err *err) BP_CHECKED;
/* The version of a domain's operators for nodes of `call`, or of the model's graph (NULL). 0: none. */
uint32_t bp_inline_opset(const struct bp_inliner *x, const struct bp_call *call,
                         const char *domain);

/* ---- scope.c --------------------------------------------------------------------------------- */

/* Gives a name a meaning, unless it has one in this very scope. The texts must stay. */
bp_rc bp_scope_set(struct bp_scope *scope, const char *name, const char *meaning,
                   bp_err *err) BP_CHECKED;
/* The same with a name that no value of the model has, made of those of the call and of `name`. */
bp_rc bp_scope_add(struct bp_inliner *x, struct bp_scope *scope, const char *name,
                   bp_err *err) BP_CHECKED;
/* The meaning in this very scope, or NULL. */
const char *bp_scope_get(const struct bp_scope *scope, const char *name);
/* What a name means here: "" stays. BP_E_INVALID: nothing in the function has it. */
bp_rc bp_scope_find(const struct bp_scope *scope, const char *name, const char **out,
                    bp_err *err) BP_CHECKED;
void bp_scope_finish(struct bp_scope *scope);
/* Notes the names of all values of a graph and of its bodies. */
bp_rc bp_scope_note_names(struct bp_inliner *x, const Bp__GraphProto *graph,
                          bp_err *err) BP_CHECKED;

/* protobuf-c's structs know no const; nobody writes to names. */
static inline char *bp_name_for_proto(const char *name)
{
    return (char *)(uintptr_t)name;
}

/* ---- inline.c -------------------------------------------------------------------------------- */

/* Zeroed bytes of the model's region; NULL, with words and x->failure: no
 * memory, or more than BP_MAX_INLINED. */
void *bp_inline_take(struct bp_inliner *x, size_t n, bp_err *err);
/* Counts bytes that an inlined model will take when its graph is built, as if they were taken here. */
bp_rc bp_inline_charge(struct bp_inliner *x, size_t n, bp_err *err) BP_CHECKED;
/* A copy of a message, whose parts both share; NULL as above. */
void *bp_inline_copy(struct bp_inliner *x, const void *message, size_t size, bp_err *err);
/* Text of the same. */
char *bp_inline_printf(struct bp_inliner *x, bp_err *err, const char *fmt, ...) BP_PRINTF(3, 4);
bp_rc bp_inline_append(struct bp_inliner *x, struct bp_node_list *list, Bp__NodeProto *node,
                       bp_err *err) BP_CHECKED;
/* Copies nodes to the end of `out`, calls replaced. Of bodies, `scope` is that of the node. */
bp_rc bp_inline_nodes(struct bp_inliner *x, const struct bp_scope *scope,
                      Bp__NodeProto *const *nodes, size_t n, struct bp_node_list *out,
                      bp_err *err) BP_CHECKED;
/* A copy of a graph that is the model's (around NULL) or a body of a node that stands in `around`. */
bp_rc bp_inline_graph(struct bp_inliner *x, const struct bp_scope *around,
                      const Bp__GraphProto *graph, Bp__GraphProto **out, bp_err *err) BP_CHECKED;

/* ---- attribute.c ---------------------------------------------------------------------- */

/* Copies the attributes of a node; those that refer to ones of the call, which it lacks, go. */
bp_rc bp_inline_attributes(struct bp_inliner *x, const struct bp_scope *scope,
                           const Bp__NodeProto *from, Bp__NodeProto *to, bp_err *err) BP_CHECKED;

#endif
