/* SPDX-License-Identifier: MIT */
/* schema.h - what each operator version takes, gives and means for types and shapes; written once. */
#ifndef BP_GRAPH_SCHEMA_H
#define BP_GRAPH_SCHEMA_H

#include "graph/family.h"
#include "graph/ir.h"

struct bp_infer;

/*
 * A shape rule: from the facts of the inputs to those of the outputs. It runs with symbols when a
 * session is made and with exact sizes before a run, and must refuse (BP_E_SHAPE, BP_E_INVALID)
 * what the operator's text forbids, naming the dimension or attribute.
 */
typedef bp_rc (*bp_infer_fn)(struct bp_infer *infer);

struct bp_ir;
struct bp_fact;

/*
 * From the facts of a node's inputs to those of a subgraph's inputs, one each in `in`, which are
 * unknown at first: what holds in every iteration of a loop.
 */
typedef bp_rc (*bp_subgraph_inputs_fn)(struct bp_infer *infer, const struct bp_ir *subgraph,
                                       struct bp_fact *in);

/* Sets of element types: bit BP_DTYPE_*. */
#define BP_T(dtype) (UINT64_C(1) << BP_DTYPE_##dtype)
#define BP_T_FLOAT3 (BP_T(F16) | BP_T(F32) | BP_T(F64))
#define BP_T_FLOAT (BP_T_FLOAT3 | BP_T(BF16))
#define BP_T_INT (BP_T(I8) | BP_T(I16) | BP_T(I32) | BP_T(I64))
#define BP_T_UINT (BP_T(U8) | BP_T(U16) | BP_T(U32) | BP_T(U64))
#define BP_T_NUMBER (BP_T_FLOAT | BP_T_INT | BP_T_UINT)
#define BP_T_COMPLEX (BP_T(C64) | BP_T(C128))
#define BP_T_ANY (((UINT64_C(1) << BP_DTYPE_END) - 1) & ~UINT64_C(1))

enum {
    BP_PARAM_OPTIONAL = 1u << 0,
    BP_PARAM_VARIADIC = 1u << 1,     /* the last one; any number, at least one */
    BP_PARAM_CONTENT = 1u << 2,      /* the shape rule reads the values, not just the shape */
    BP_PARAM_HETEROGENEOUS = 1u << 3 /* variadic with a type each */
};

/* An input or output. */
struct bp_param {
    const char *name;  /* as in the operator's text: "X" */
    uint64_t types;    /* allowed element types, BP_T_* */
    uint32_t flags;    /* BP_PARAM_* */
    uint32_t type_var; /* equal non-zero values have equal element types within a node ("T") */
    uint32_t kinds;    /* bits 1 << BP_KIND_*, 0 for tensors; `types` then are those inside */
};

/* An attribute; the kinds of its default are told apart by `type`. */
struct bp_attr_def {
    const char *name;
    uint32_t type; /* BP_ATTR_* */
    bool is_list;
    bool is_required;
    bool has_default; /* def_* counts; lists have none */
    int64_t def_int;
    float def_float;
    const char *def_string;
};

struct bp_schema {
    const char *op, *domain;
    uint32_t since;  /* the operator version that introduced this row */
    uint32_t family; /* BP_FAMILY_* */
    const struct bp_param *in, *out;
    uint32_t n_in, n_out; /* a variadic parameter counts as one */
    const struct bp_attr_def *attrs;
    uint32_t n_attrs;
    bp_infer_fn infer;
    bp_subgraph_inputs_fn
        subgraph_inputs;  /* NULL: its subgraphs have no inputs, or it has no subgraphs */
    bool is_host_op;      /* the host runs it: control flow, or values that are not tensors */
    bool sizes_from_data; /* of outputs, whatever is known before the node has run: NonZero */
    bool any_attrs;       /* a node may have attributes that are not listed; they do nothing */
    bool is_context;      /* a compiled program: what the model declares of its outputs is true */
    bool is_custom;       /* the application's; see custom.h. Its attributes are not listed */
    bool is_provider_op;  /* a provider's; see provider_ops.h */
};

/* Parameter of input (output) i of a node; the variadic one for all after it. NULL: too many. */
const struct bp_param *bp_schema_in(const struct bp_schema *schema, uint32_t i);
const struct bp_param *bp_schema_out(const struct bp_schema *schema, uint32_t i);

/* Is the node a program that a provider compiled before, EPContext? */
static inline bool bp_node_is_context(const struct bp_ir_node *node)
{
    return node->schema && node->schema->is_context;
}

#endif
