/* SPDX-License-Identifier: MIT */
/*
 * ir.h - a model's graph inside the host: nodes in an order in which they can run, values,
 * constants, and the subgraphs of control-flow nodes. Knows neither files nor providers.
 */
#ifndef BP_GRAPH_IR_H
#define BP_GRAPH_IR_H

#include <stdatomic.h>

#include "base/region.h"
#include "base/status.h"
#include "base/strmap.h"
#include "graph/symbol/symbol.h"

struct bp_custom_table;
struct bp_mismatches;
struct bp_schema;
struct bp_ir;

enum {
    BP_MAX_SUBGRAPH_DEPTH = 31, /* of nested subgraphs; as many as protobuf's limit of 100 allows */
    BP_MAX_CONTENT = 4096,      /* elements of an integer tensor whose content shape rules follow */
    BP_MAX_REALS = 64           /* the same of a float tensor: scales and limits, never weights */
};

/* Where external data is: a file as the model names it, and the offset in it. */
struct bp_ir_place {
    const char *file;
    uint64_t offset;
    bool is_given; /* the application gave the file's bytes */
};

/*
 * What a model says beside its graph, for providers; strings are the model's, which outlives the
 * graph. The functions are those of bp_ext_model, on `h`.
 */
struct bp_ir_model {
    bp_graph_model about;
    const void *h;
    const char *(*metadata)(const void *h, uint32_t i, const char **value);
    const char *(*opset)(const void *h, uint32_t i, int64_t *version);
};

/* Bytes of a constant. Either `bytes` is set, or it lies in an external file and load() maps it. */
struct bp_ir_data {
    const int64_t *dims;
    const uint8_t *bytes; /* row-major, little-endian, any alignment; NULL: not loaded yet */
    size_t size;
    uint64_t id; /* equal numbers are equal bytes, in this process */
    uint32_t rank, dtype;
    bool is_sparse; /* the model has it as a sparse tensor; it is dense here */
    /* maps `bytes` of an external tensor; NULL when there is nothing to load [any thread] */
    bp_rc (*load)(struct bp_ir_data *data, bp_err *err);
    void *source; /* load's own */
    /* where `bytes` begins if it is part of a mapped file, whose pages may be dropped; else NULL */
    const uint8_t *mapped;
    const struct bp_ir_place *place; /* of external data; else NULL */
};

/*
 * What is known of a value; see infer.h. One of kind BP_KIND_TENSOR of which nothing else is known
 * may still turn out to be of another kind.
 */
struct bp_fact {
    uint32_t dtype; /* BP_DTYPE_NONE: unknown */
    uint32_t rank;  /* or BP_RANK_UNKNOWN */
    const struct bp_sym *dims;
    const struct bp_sym *content; /* elements of a small integer or bool tensor; NULL: unknown */
    const double *reals;          /* the same of a small float tensor (scales of Resize...) */
    uint32_t n_content;           /* elements of the one that is set */
    uint32_t kind;                /* BP_KIND_*; only a tensor has dtype and rank */
    /* of a sequence or optional; key and value of a map; what a sparse tensor stands for; or NULL */
    const struct bp_fact *item;
};

enum {
    BP_IR_INPUT = 1u << 0,
    BP_IR_OUTPUT = 1u << 1,
    BP_IR_CONSTANT = 1u << 2,  /* data is set */
    BP_IR_DEFAULTED = 1u << 3, /* an input with an initializer: data is set, a caller may feed it */
    BP_IR_CAPTURED = 1u << 4,  /* in a subgraph: a value of the graph around it */
    BP_IR_INITIALIZER = 1u << 5 /* while decoding: a node may take the name of this constant */
};

struct bp_ir_value {
    const char *name;
    struct bp_fact declared;  /* what the model file says, a hint; unknown where it says nothing */
    struct bp_ir_data *data;  /* constants and defaults */
    uint32_t flags;           /* BP_IR_* */
    uint32_t producer;        /* node index, or BP_NONE */
    uint32_t outer;           /* BP_IR_CAPTURED: value index in the parent */
    atomic_uchar is_reported; /* once its declared shape was found to differ; mismatch.h */
};

struct bp_ir_node {
    const char *name;       /* unique in its graph, never empty */
    const char *stands_for; /* names of the model's nodes that it was made of, or NULL: itself */
    const char *op, *domain;
    const struct bp_schema *schema; /* NULL: no such operator is known */
    uint32_t *in;                   /* value indices; BP_NONE: absent */
    uint32_t *out;
    uint32_t *implicit; /* values that the subgraphs capture */
    bp_attr *attrs;     /* the model's, then defaults of the schema */
    struct bp_ir **subgraphs;
    uint32_t n_in, n_out, n_implicit, n_attrs, n_subgraphs;
    uint32_t opset;     /* version of the domain that counts here; 0, once sealed: there is none */
    uint32_t attr_hash; /* bp_ir_hash_attrs() of a sealed node with a schema */
    bool is_pinned; /* passes leave it as it is: a placement rule or compiled program names it */
    bool is_made;   /* a pass made it of others: it is not a node of the model */
};

struct bp_ir {
    struct bp_ir *parent;            /* NULL: the model's main graph */
    const struct bp_ir *part_of;     /* made of nodes of that graph, to ask about them; else NULL */
    const struct bp_ir_model *model; /* of the main graph; NULL: it is of no model */
    const char *name;
    struct bp_ir_node *nodes;
    struct bp_ir_value *values;
    uint32_t *inputs, *outputs;
    uint32_t n_nodes, n_values, n_inputs, n_outputs;
    uint32_t cap_nodes, cap_values;
    uint32_t depth; /* 0: the main graph */
    struct bp_ir *first_subgraph,
        *next_subgraph; /* graphs made with this one as parent; for finish */
    struct bp_strmap by_name;
    struct bp_region *region;             /* everything here is allocated from it; borrowed */
    struct bp_symbols *symbols;           /* names of declared sizes; borrowed */
    const struct bp_custom_table *custom; /* operators of the application; borrowed; may be NULL */
    struct bp_mismatches
        *mismatches; /* of the main graph: the list that takes them; borrowed, or NULL */
};

/* ---- building, in this order; only model/ and tests do it; changes: optimize/rewrite.h ------- */

/* An empty graph in `region`; it needs no freeing of its own but bp_ir_finish(). */
bp_rc bp_ir_create(struct bp_region *region, struct bp_symbols *symbols, struct bp_ir *parent,
                   const char *name, struct bp_ir **out, bp_err *err) BP_CHECKED;
/* A new value; BP_E_INVALID: the name is taken or empty. The name is copied. */
bp_rc bp_ir_define(struct bp_ir *ir, const char *name, uint32_t *out, bp_err *err) BP_CHECKED;
/*
 * The value that `name` means here: of this graph, or captured from one around it (a capture is
 * then defined here, and in the graphs between). BP_E_INVALID: there is none.
 */
bp_rc bp_ir_resolve(struct bp_ir *ir, const char *name, uint32_t *out, bp_err *err) BP_CHECKED;
/* A new node with its lists, all BP_NONE; index in *out. Pointers to nodes do not stay. */
bp_rc bp_ir_add_node(struct bp_ir *ir, const char *name, const char *op, const char *domain,
                     uint32_t n_in, uint32_t n_out, uint32_t *out, bp_err *err) BP_CHECKED;
/*
 * Ends building, subgraphs first: flags of inputs and outputs from their lists, producers, an order
 * (BP_E_INVALID names nodes of a cycle), names of nodes that have none of their own, schemas with
 * their default attributes, counts of inputs and outputs, attribute types. opset(h, domain) is the
 * version that counts, 0 for one without operators, for nodes that have none of their own. Unknown operators are left
 * with a NULL schema for the planner to report.
 */
bp_rc bp_ir_seal(struct bp_ir *ir, uint32_t (*opset)(void *h, const char *domain), void *h,
                 bp_err *err) BP_CHECKED;
/* Frees the name maps of the graph and of every graph made with it as parent. May come twice. */
void bp_ir_finish(struct bp_ir *ir);

/* ---- reading --------------------------------------------------------------------------------- */

/* Attribute by name, or NULL. */
const bp_attr *bp_ir_attr(const struct bp_ir_node *node, const char *name);
int64_t bp_ir_attr_int(const struct bp_ir_node *node, const char *name, int64_t def);
/* A list of integers; NULL and *count 0 when it is absent. */
const int64_t *bp_ir_attr_ints(const struct bp_ir_node *node, const char *name, uint32_t *count);
/* Is the string attribute (def when absent) equal to text? */
bool bp_ir_attr_is(const struct bp_ir_node *node, const char *name, const char *def,
                   const char *text);
/* Of the elements of a node's attributes, whatever their order: equal attributes have equal hashes. */
uint32_t bp_ir_hash_attrs(const struct bp_ir_node *node);
/* Makes sure that data->bytes is there. */
bp_rc bp_ir_data_load(struct bp_ir_data *data, bp_err *err) BP_CHECKED;
/* Its bytes will hardly be read again: lets go of pages of a mapped file. [any thread] */
void bp_ir_data_forget(const struct bp_ir_data *data);
/* Subgraph of the node's graph attribute `name`, or NULL. */
struct bp_ir *bp_ir_subgraph(const struct bp_ir_node *node, const char *name);

#endif
