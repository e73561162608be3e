/* SPDX-License-Identifier: MIT */
/*
 * rewrite.h - changes a sealed graph: finds the readers of a value in constant time, replaces
 * inputs, turns nodes into others, adds constants. Nodes whose outputs nothing reads any more are
 * removed. Names, flags and indices of values stay as they are, so inputs and outputs of the graph
 * keep their names.
 *
 * Thread rule: a rewrite belongs to one thread.
 */
#ifndef BP_OPTIMIZE_REWRITE_H
#define BP_OPTIMIZE_REWRITE_H

#include "graph/infer.h"

/*
 * A pass looks at every node and matches few. These lists, of four bytes an entry, hold what rejects
 * the others: a pass reads two or three of them from end to end, 0.6 MB for 50,000 nodes, which stay
 * in a core's caches; the rows of the graph do not. Two facts are changed in the lists alone: the
 * producer of a value, and the inputs of a node after bp_rw_replace(). bp_rw_sync() writes them back
 * to the graph, bp_rw_node() those of one node.
 */

enum {
    BP_RW_STAYS = 1u << 0,    /* bp_rw_stays() */
    BP_RW_UNKNOWN = 1u << 1,  /* it has no schema */
    BP_RW_FOREIGN = 1u << 2,  /* its domain is not "" */
    BP_RW_SEVERAL = 1u << 3,  /* it has no or several outputs: the graph has the list */
    BP_RW_CAPTURES = 1u << 4, /* its subgraphs read values of the graph */
    BP_RW_STALE = 1u << 5     /* the graph's list of inputs is older than this one */
};

/* What is known of nodes beside their rows in the graph; one entry for each node. */
struct bp_rw_nodes {
    uint32_t *key;       /* bp_rw_key() of its operator; 0: bp_rw_is() is false for it */
    uint32_t *first_use; /* of its uses: the inputs, then the captured values; BP_NONE: dead */
    uint32_t *n_in;
    uint32_t *out;   /* its first output, or BP_NONE */
    uint32_t *attrs; /* bp_ir_hash_attrs() */
    uint32_t *flags; /* those above */
};

/* Uses: which node reads which value. Uses of one value form a doubly linked list. */
struct bp_rw_uses {
    uint32_t *node, *value; /* value BP_NONE: an input that is absent */
    uint32_t *next, *prev;  /* use of the same value; BP_NONE: none */
    uint32_t n, cap;
};

enum {
    BP_RW_CAPTURED = 1u << 30, /* a subgraph of a node here reads it */
    BP_RW_FOLLOWED = 1u << 29  /* shape inference knows its elements (fact.content) */
};

/* What is known of values. */
struct bp_rw_values {
    uint32_t *head;     /* its first use, or BP_NONE */
    uint32_t *count;    /* its uses */
    uint32_t *producer; /* as in the graph's row */
    uint32_t *flags;    /* the graph's, and BP_RW_* */
    uint32_t cap;
};

struct bp_optimizer;

struct bp_rewrite {
    struct bp_ir *ir;
    struct bp_fact *facts; /* one for each value */
    struct bp_symbols *symbols;
    struct bp_region *scratch; /* ends with the rewriting; the graph's own region stays */
    struct bp_rw_nodes nodes;
    struct bp_rw_uses uses;
    struct bp_rw_values values;
    uint32_t *queue; /* nodes that may have lost their last reader */
    uint32_t n_queue, cap_queue;
    uint32_t n_alive;
    const uint32_t *taker; /* for each node, its provider (optimize.h); NULL before claims */
    uint32_t n_matches;    /* of the pass that runs */
    struct bp_optimizer *optimizer;
};

/*
 * Begins with a sealed graph and the facts of its values; `facts` is copied, and must be of `scratch`.
 * Call bp_rw_finish() also after a failure. BP_E_NOMEM.
 */
bp_rc bp_rw_init(struct bp_rewrite *rw, struct bp_ir *ir, struct bp_fact *facts,
                 struct bp_symbols *symbols, struct bp_region *scratch, bp_err *err) BP_CHECKED;
/* Removes dead nodes and sorts the rest topologically; the graph is sealed again. BP_E_NOMEM. */
bp_rc bp_rw_seal(struct bp_rewrite *rw, bp_err *err) BP_CHECKED;
void bp_rw_finish(struct bp_rewrite *rw);

/* ---- reading --------------------------------------------------------------------------------- */

/*
 * Must the node run as the model has it? True for a pinned node, and for a custom operator of the
 * application, because its results and side effects are unknown here.
 */
bool bp_rw_stays(const struct bp_ir_node *node);
/*
 * Node n if passes may change it: NULL when it is dead or stays. All passes look at nodes through this
 * or bp_rw_is(). The pointer is valid until nodes are added.
 */
struct bp_ir_node *bp_rw_node(const struct bp_rewrite *rw, uint32_t n);
/*
 * A hash of an operator's name, from its length, beginning, middle and end; never 0. No two operators
 * with a schema share one (tests/unit/optimize/check_rewrite.c). Compilers fold it for literals.
 */
static inline uint32_t bp_rw_key(const char *op)
{
    size_t n = strlen(op);
    uint64_t all = n;

    all = all << 8 | (n > 0 ? (unsigned char)op[0] : 0); /* no loop: compilers don't fold it */
    all = all << 8 | (n > 1 ? (unsigned char)op[1] : 0);
    all = all << 8 | (n > 2 ? (unsigned char)op[2] : 0);
    all = all << 8 | (n > 3 ? (unsigned char)op[3] : 0);
    all = all << 8 | (n > 0 ? (unsigned char)op[n - 1] : 0);
    all = all << 8 | (n > 1 ? (unsigned char)op[n - 2] : 0);
    all = all << 8 | (n > 2 ? (unsigned char)op[n - 3] : 0);
    all = all * 131 + (unsigned char)op[n / 2];
    return (uint32_t)(all * UINT64_C(0x9e3779b97f4a7c15) >> 32) | 1;
}
/*
 * Is node n (BP_NONE: no) that operator, of "" or com.microsoft, with a schema, and may passes change
 * it?
 */
static inline bool bp_rw_is(const struct bp_rewrite *rw, uint32_t n, const char *op)
{
    return n != BP_NONE && rw->nodes.key[n] == bp_rw_key(op);
}
/* Input i of node n, which is alive: like bp_rw_in(), but from the lists. */
static inline uint32_t bp_rw_input(const struct bp_rewrite *rw, uint32_t n, uint32_t i)
{
    return i < rw->nodes.n_in[n] ? rw->uses.value[rw->nodes.first_use[n] + i] : BP_NONE;
}
/* Does that operator produce an input of node n, which is alive? */
static inline bool bp_rw_reads(const struct bp_rewrite *rw, uint32_t n, const char *op)
{
    const uint32_t *values = &rw->uses.value[rw->nodes.first_use[n]];

    for (uint32_t i = 0; i < rw->nodes.n_in[n]; i++) {
        uint32_t value = values[i];

        if (value != BP_NONE && bp_rw_is(rw, rw->values.producer[value], op))
            return true;
    }
    return false;
}
static inline bool bp_rw_is_dead(const struct bp_rewrite *rw, uint32_t n)
{
    return rw->nodes.first_use[n] == BP_NONE;
}
/* May the operator give another result each run (Dropout, Random*, ...)? */
bool bp_rw_is_random(const struct bp_ir_node *node);
/* Input i of a node, BP_NONE when it has none. */
uint32_t bp_rw_in(const struct bp_ir_node *node, uint32_t i);
/* The node that produces a value; BP_NONE for BP_NONE, inputs and constants. */
uint32_t bp_rw_producer(const struct bp_rewrite *rw, uint32_t value);
/*
 * The only reader of a value that is not an output and that no subgraph captures; or BP_NONE. Such a value
 * may be changed or removed together with its reader.
 */
uint32_t bp_rw_only_user(const struct bp_rewrite *rw, uint32_t value);
/* The same, when it is that operator and reads the value once. */
uint32_t bp_rw_only_user_is(const struct bp_rewrite *rw, uint32_t value, const char *op);
/* Is an output of node n, which is alive, read by a node or an output of the graph? */
bool bp_rw_is_wanted(const struct bp_rewrite *rw, uint32_t n);
/* How many of its outputs? */
uint32_t bp_rw_n_wanted(const struct bp_rewrite *rw, uint32_t n);
/* Is exactly one of its outputs read by a node or an output of the graph? */
bool bp_rw_one_output(const struct bp_rewrite *rw, uint32_t n);
bool bp_rw_is_constant(const struct bp_rewrite *rw, uint32_t value); /* false for BP_NONE */
/* Are shapes known to be equal (symbols too)? */
bool bp_rw_same_shape(const struct bp_rewrite *rw, uint32_t a, uint32_t b);
/*
 * The elements of an integer tensor that is constant, or whose elements shape inference knows; false:
 * they are unknown or symbolic, or more than cap.
 */
bool bp_rw_ints(const struct bp_rewrite *rw, uint32_t value, int64_t *out, uint32_t cap,
                uint32_t *n);
/*
 * The elements of a float32 or float64 constant as doubles, of scratch; NULL: another type, not
 * constant, its external data can't be read, or no memory.
 */
double *bp_rw_floats(struct bp_rewrite *rw, uint32_t value, size_t *n);
/* The only element of such a constant; false: it is none. */
bool bp_rw_float(const struct bp_rewrite *rw, uint32_t value, double *out);

/* ---- changing -------------------------------------------------------------------------------- */

/*
 * Gives a node other inputs. Uses of the new values are added before those of the old are removed, so
 * a value in both lists survives. Producers that lose their last reader are removed. BP_E_NOMEM.
 */
bp_rc bp_rw_set_inputs(struct bp_rewrite *rw, uint32_t n, uint32_t n_in, const uint32_t *in,
                       bp_err *err) BP_CHECKED;
bp_rc bp_rw_set_input(struct bp_rewrite *rw, uint32_t n, uint32_t i, uint32_t value,
                      bp_err *err) BP_CHECKED;
/*
 * The same, with another list of values that its subgraphs capture; the node keeps that list, which
 * must be of the graph's region.
 */
bp_rc bp_rw_set_reads(struct bp_rewrite *rw, uint32_t n, uint32_t n_in, const uint32_t *in,
                      uint32_t n_implicit, uint32_t *implicit, bp_err *err) BP_CHECKED;
/*
 * Makes all readers of `value` read `by`. False: a subgraph captures `value`, or it is an output of
 * the graph that no other node can write; nothing was changed then.
 */
bool bp_rw_replace(struct bp_rewrite *rw, uint32_t value, uint32_t by);
/*
 * Copies name, operator and attributes of node `from` to node n, which keeps its inputs and outputs.
 * Reports list n for both afterwards (bp_rw_stand_for()). BP_E_NOMEM.
 */
bp_rc bp_rw_become(struct bp_rewrite *rw, uint32_t n, uint32_t from, bp_err *err) BP_CHECKED;
/* Records that node n computes what `from` did, for reports and profiles. BP_E_NOMEM. */
bp_rc bp_rw_stand_for(struct bp_rewrite *rw, uint32_t n, uint32_t from, bp_err *err) BP_CHECKED;
/*
 * Changes the operator and removes all attributes; then set attributes, then call bp_rw_check().
 * BP_E_INTERNAL: no schema has that name and opset.
 */
bp_rc bp_rw_set_op(struct bp_rewrite *rw, uint32_t n, const char *op, const char *domain,
                   uint32_t opset, bp_err *err) BP_CHECKED;
/* Has this build an operator at that version, which bp_rw_set_op() could make a node? */
bool bp_rw_has_op(const char *op, const char *domain, uint32_t opset);
/* Sets an attribute, and replaces one of that name; data is copied. BP_E_NOMEM. */
bp_rc bp_rw_set_attr(struct bp_rewrite *rw, uint32_t n, const char *name, uint32_t type,
                     const void *data, uint32_t count, bool is_list, bp_err *err) BP_CHECKED;
/* Checks a changed node against its operator's schema, and adds default attributes. */
bp_rc bp_rw_check(struct bp_rewrite *rw, uint32_t n, bp_err *err) BP_CHECKED;

/* A constant while a pass makes it. */
struct bp_rw_made {
    uint32_t value;
    struct bp_ir_data *data;
};

/* A new constant value for out->data, named after `like` (a value); then bp_rw_made(). */
bp_rc bp_rw_make(struct bp_rewrite *rw, uint32_t like, struct bp_rw_made *out,
                 bp_err *err) BP_CHECKED;
/* Call it when the bytes are written or have changed: sets type, shape and content. */
bp_rc bp_rw_made(struct bp_rewrite *rw, struct bp_rw_made *made, bp_err *err) BP_CHECKED;
/* A new constant from doubles, stored as float32 (rounded once) or float64. BP_E_NOMEM. */
bp_rc bp_rw_make_floats(struct bp_rewrite *rw, uint32_t like, uint32_t dtype, uint32_t rank,
                        const int64_t *dims, const double *from, uint32_t *out,
                        bp_err *err) BP_CHECKED;
/* Turns the output of a node into a constant; the caller drops the node afterwards. BP_E_NOMEM. */
bp_rc bp_rw_fix(struct bp_rewrite *rw, uint32_t value, struct bp_ir_data *data,
                bp_err *err) BP_CHECKED;
/* Removes a node, and the producers of values that only it read. */
void bp_rw_drop(struct bp_rewrite *rw, uint32_t n);
/* Removes it if nothing reads its outputs. */
void bp_rw_drop_unused(struct bp_rewrite *rw, uint32_t n);
/* Zeroed data of a constant with these dims, of the graph's region; passes may write it. BP_E_NOMEM. */
bp_rc bp_rw_new_data(struct bp_rewrite *rw, uint32_t dtype, uint32_t rank, const int64_t *dims,
                     struct bp_ir_data **out, bp_err *err) BP_CHECKED;
/* Sets the producer of a value, or BP_NONE. */
static inline void bp_rw_set_producer(struct bp_rewrite *rw, uint32_t value, uint32_t n)
{
    rw->values.producer[value] = n;
}
/* Writes producers and stale inputs from the lists back to the graph. */
void bp_rw_sync(const struct bp_rewrite *rw);
/* Updates the entries of node n after its outputs or its operator have changed. */
void bp_rw_refresh(struct bp_rewrite *rw, uint32_t n);
/* Was this data made by bp_rw_new_data()? */
bool bp_rw_is_own(const struct bp_ir_data *data);
/* ---- of this folder's own ------------------------------------------------------------------- */

/* How many values a node reads: its inputs, then what its subgraphs capture. */
static inline uint32_t bp_rw_n_reads(const struct bp_ir_node *node)
{
    return node->n_in + node->n_implicit;
}
static inline uint32_t bp_rw_read_at(const struct bp_ir_node *node, uint32_t slot)
{
    return slot < node->n_in ? node->in[slot] : node->implicit[slot - node->n_in];
}
/* Adds n uses without a value; the first, or BP_NONE: no memory. */
uint32_t bp_rw_new_uses(struct bp_rewrite *rw, uint32_t n);
/* Sets a new use: node n reads `value` (BP_NONE: an absent input). */
void bp_rw_link(struct bp_rewrite *rw, uint32_t use, uint32_t n, uint32_t value);
/* Grows the lists for values that were just defined; false: no memory. */
bool bp_rw_reserve(struct bp_rewrite *rw);
/*
 * Sets the id of data that passes made to a hash of its bytes, if it has none. bp_rw_seal() does it
 * for what is left then, because weights are long and may change several times before.
 */
void bp_rw_set_data_id(struct bp_ir_data *data);

#endif
