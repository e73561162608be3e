/* SPDX-License-Identifier: MIT */
/*
 * rewrite.h - changes a sealed graph: who reads a value, in constant time; inputs exchanged, nodes
 * turned into others, constants added. What nobody reads any more goes by itself. Names, flags and
 * indices of values stay as they are, so inputs and outputs of the graph keep their names.
 */
#ifndef BP_OPTIMIZE_REWRITE_H
#define BP_OPTIMIZE_REWRITE_H

#include "graph/infer.h"

/*
 * Passes look at every node and take few. What tells the others lies in these lists, of four bytes
 * each: a pass reads two or three of them from end to end, 0.6 MB of 50,000 nodes, which stay in a
 * core's caches; the graph's own rows do not. What lists can tell is changed in them alone: who
 * makes a value, and what a node reads after bp_rw_replace(). The graph has it again after
 * bp_rw_sync(), one node after bp_rw_node().
 */

enum {
    BP_RW_STAYS = 1u << 0,    /* bp_rw_stays() */
    BP_RW_UNKNOWN = 1u << 1,  /* it has no schema */
    BP_RW_FOREIGN = 1u << 2,  /* its domain is not "" */
    BP_RW_SEVERAL = 1u << 3,  /* it has not one output: the graph has the list */
    BP_RW_CAPTURES = 1u << 4, /* its bodies read values of the graph */
    BP_RW_STALE = 1u << 5     /* the graph's list of inputs is behind this one */
};

/* What is known of nodes beside their rows in the graph; an entry each. */
struct bp_rw_nodes {
    uint32_t *key;       /* bp_rw_key() of its operator; 0: it is nothing for bp_rw_is() */
    uint32_t *first_use; /* of its uses: one an input, then one a captured value; BP_NONE: dead */
    uint32_t *n_in;
    uint32_t *out;   /* its first output, or BP_NONE */
    uint32_t *attrs; /* bp_ir_hash_attrs() */
    uint32_t *flags; /* those above */
};

/* Readings of values by nodes. */
struct bp_rw_uses {
    uint32_t *node, *value; /* value BP_NONE: an input that is absent */
    uint32_t *next, *prev;  /* use of the same value; BP_NONE at the ends */
    uint32_t n, cap;
};

enum {
    BP_RW_CAPTURED = 1u << 30, /* a body of a node here takes it */
    BP_RW_FOLLOWED = 1u << 29  /* its fact has a content */
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
    struct bp_fact *facts; /* one a value */
    struct bp_symbols *symbols;
    struct bp_region *scratch; /* ends with the rewriting; the graph's own region stays */
    struct bp_rw_nodes nodes;
    struct bp_rw_uses uses;
    struct bp_rw_values values;
    uint32_t *queue; /* nodes that may be of no use any more */
    uint32_t n_queue, cap_queue;
    uint32_t n_alive;
    const uint32_t *taker; /* one a node: who takes it, see optimize.h; NULL before claims */
    uint32_t n_matches;    /* of the pass that runs */
    struct bp_optimizer *optimizer;
};

/* Begins with a sealed graph and facts of its values, of scratch. Finish it also after a failure. */
bp_rc bp_rw_init(struct bp_rewrite *rw, struct bp_ir *ir, struct bp_fact *facts,
                 struct bp_symbols *symbols, struct bp_region *scratch, bp_err *err) BP_CHECKED;
/* Takes dead nodes out and puts the rest in order; the graph is sealed again. */
bp_rc bp_rw_seal(struct bp_rewrite *rw, bp_err *err) BP_CHECKED;
void bp_rw_finish(struct bp_rewrite *rw);

/* ---- reading --------------------------------------------------------------------------------- */

/*
 * Must it run as the model has it? It is pinned, or an operator of the application, of whose results
 * and effects nothing is known here.
 */
bool bp_rw_stays(const struct bp_ir_node *node);
/*
 * Node n if passes may take it: NULL when it is dead or stays. All of them look at nodes through
 * this or bp_rw_is(). Valid until nodes are added.
 */
struct bp_ir_node *bp_rw_node(const struct bp_rewrite *rw, uint32_t n);
/*
 * A number for an operator's name, of its length, beginning, middle and end; never 0. All operators
 * with a schema have different ones (tests/unit/optimize/check_rewrite.c). Compilers compute it for literals.
 */
static inline uint32_t bp_rw_key(const char *op)
{
    size_t n = strlen(op);
    uint64_t all = n;

    all = all << 8 | (n > 0 ? (unsigned char)op[0] : 0); /* no loop, which would be computed */
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
 * Is n (BP_NONE is none) that operator, of "" or com.microsoft, one that passes may take, and with a
 * schema?
 */
static inline bool bp_rw_is(const struct bp_rewrite *rw, uint32_t n, const char *op)
{
    return n != BP_NONE && rw->nodes.key[n] == bp_rw_key(op);
}
/* Input i of node n, which is alive, as bp_rw_in() gives it; but from the lists. */
static inline uint32_t bp_rw_input(const struct bp_rewrite *rw, uint32_t n, uint32_t i)
{
    return i < rw->nodes.n_in[n] ? rw->uses.value[rw->nodes.first_use[n] + i] : BP_NONE;
}
/* Is an input of node n, which is alive, made by that operator? */
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
/* May it give another result each time? */
bool bp_rw_is_random(const struct bp_ir_node *node);
/* Input i of a node, BP_NONE when it has none. */
uint32_t bp_rw_in(const struct bp_ir_node *node, uint32_t i);
/* The node that makes a value (BP_NONE as well), or BP_NONE. */
uint32_t bp_rw_producer(const struct bp_rewrite *rw, uint32_t value);
/* The only reader of a value that is no output and that no body captures; or BP_NONE. */
uint32_t bp_rw_only_user(const struct bp_rewrite *rw, uint32_t value);
/* The same, when it is that operator and reads the value once. */
uint32_t bp_rw_only_user_is(const struct bp_rewrite *rw, uint32_t value, const char *op);
/* Does anybody read or want an output of node n, which is alive? */
bool bp_rw_is_wanted(const struct bp_rewrite *rw, uint32_t n);
/* How many of its outputs? */
uint32_t bp_rw_n_wanted(const struct bp_rewrite *rw, uint32_t n);
/* Has the node one output alone that anybody reads or wants? */
bool bp_rw_one_output(const struct bp_rewrite *rw, uint32_t n);
bool bp_rw_is_constant(const struct bp_rewrite *rw, uint32_t value); /* false for BP_NONE */
/* Are shapes known to be equal (symbols too)? */
bool bp_rw_same_shape(const struct bp_rewrite *rw, uint32_t a, uint32_t b);
/* The numbers of a constant or followed integer tensor; false: not known, or more than cap. */
bool bp_rw_ints(const struct bp_rewrite *rw, uint32_t value, int64_t *out, uint32_t cap,
                uint32_t *n);
/*
 * A float32 or float64 constant as doubles, of scratch; NULL: it is none, it cannot be loaded, or
 * memory is short.
 */
double *bp_rw_floats(struct bp_rewrite *rw, uint32_t value, size_t *n);
/* The only element of such a constant; false: it is none. */
bool bp_rw_float(const struct bp_rewrite *rw, uint32_t value, double *out);

/* ---- changing -------------------------------------------------------------------------------- */

/*
 * Gives a node other inputs; at least what it reads now goes to the readers' lists of the new. What
 * loses its last reader goes.
 */
bp_rc bp_rw_set_inputs(struct bp_rewrite *rw, uint32_t n, uint32_t n_in, const uint32_t *in,
                       bp_err *err) BP_CHECKED;
bp_rc bp_rw_set_input(struct bp_rewrite *rw, uint32_t n, uint32_t i, uint32_t value,
                      bp_err *err) BP_CHECKED;
/* The same, with other values that its bodies capture; that list, of the graph's region, is kept. */
bp_rc bp_rw_set_reads(struct bp_rewrite *rw, uint32_t n, uint32_t n_in, const uint32_t *in,
                      uint32_t n_implicit, uint32_t *implicit, bp_err *err) BP_CHECKED;
/*
 * Lets all that read `value` read `by`. False: that cannot be, as bodies capture it, or it is an
 * output that nobody else can write; nothing was changed then.
 */
bool bp_rw_replace(struct bp_rewrite *rw, uint32_t value, uint32_t by);
/*
 * Makes node n, which keeps its outputs, what node `from` is: name, operator, attributes; inputs are
 * not touched. It stands for both then.
 */
bp_rc bp_rw_become(struct bp_rewrite *rw, uint32_t n, uint32_t from, bp_err *err) BP_CHECKED;
/* Notes that node n stands for `from` as well. */
bp_rc bp_rw_stand_for(struct bp_rewrite *rw, uint32_t n, uint32_t from, bp_err *err) BP_CHECKED;
/* Another operator, without attributes; then attributes, then bp_rw_check(). */
bp_rc bp_rw_set_op(struct bp_rewrite *rw, uint32_t n, const char *op, const char *domain,
                   uint32_t opset, bp_err *err) BP_CHECKED;
/* Sets an attribute, over one of that name; data is copied. */
bp_rc bp_rw_set_attr(struct bp_rewrite *rw, uint32_t n, const char *name, uint32_t type,
                     const void *data, uint32_t count, bool is_list, bp_err *err) BP_CHECKED;
/* Holds a changed node against its operator's schema. */
bp_rc bp_rw_check(struct bp_rewrite *rw, uint32_t n, bp_err *err) BP_CHECKED;

/* A constant in the making. */
struct bp_rw_made {
    uint32_t value;
    struct bp_ir_data *data;
};

/* A new constant value for out->data, named after `like` (a value); then bp_rw_made(). */
bp_rc bp_rw_make(struct bp_rewrite *rw, uint32_t like, struct bp_rw_made *out,
                 bp_err *err) BP_CHECKED;
/* The bytes are there, or have changed: gives the constant facts. */
bp_rc bp_rw_made(struct bp_rewrite *rw, struct bp_rw_made *made, bp_err *err) BP_CHECKED;
/* A constant of n doubles, stored in float32 or float64. */
bp_rc bp_rw_make_floats(struct bp_rewrite *rw, uint32_t like, uint32_t dtype, uint32_t rank,
                        const int64_t *dims, const double *from, uint32_t *out,
                        bp_err *err) BP_CHECKED;
/* A value that a node makes becomes a constant; the node is to be dropped then. */
bp_rc bp_rw_fix(struct bp_rewrite *rw, uint32_t value, struct bp_ir_data *data,
                bp_err *err) BP_CHECKED;
/* Takes a node out whose outputs nobody needs from it any more; what only it read goes as well. */
void bp_rw_drop(struct bp_rewrite *rw, uint32_t n);
/* Takes it out if nobody reads its outputs. */
void bp_rw_drop_unused(struct bp_rewrite *rw, uint32_t n);
/* Data of a constant with these dims, zeroed, which passes may change. BP_E_NOMEM. */
bp_rc bp_rw_new_data(struct bp_rewrite *rw, uint32_t dtype, uint32_t rank, const int64_t *dims,
                     struct bp_ir_data **out, bp_err *err) BP_CHECKED;
/* Says who makes a value from now on, or BP_NONE. */
static inline void bp_rw_set_producer(struct bp_rewrite *rw, uint32_t value, uint32_t n)
{
    rw->values.producer[value] = n;
}
/* Brings the graph up to date with the lists. */
void bp_rw_sync(const struct bp_rewrite *rw);
/* The outputs of node n have changed, or its operator: brings its entries up to date. */
void bp_rw_refresh(struct bp_rewrite *rw, uint32_t n);
/* Was it made by that? */
bool bp_rw_is_own(const struct bp_ir_data *data);
/* ---- of this folder's own ------------------------------------------------------------------- */

/* What node `node` reads: its inputs, then what its bodies capture. */
static inline uint32_t bp_rw_n_reads(const struct bp_ir_node *node)
{
    return node->n_in + node->n_implicit;
}
static inline uint32_t bp_rw_read_at(const struct bp_ir_node *node, uint32_t slot)
{
    return slot < node->n_in ? node->in[slot] : node->implicit[slot - node->n_in];
}
/* Uses without a value for n readings; the first, or BP_NONE: no memory. */
uint32_t bp_rw_new_uses(struct bp_rewrite *rw, uint32_t n);
/* Says that use `use`, which is new, is node n reading `value` (BP_NONE is none). */
void bp_rw_link(struct bp_rewrite *rw, uint32_t use, uint32_t n, uint32_t value);
/* Room in the lists for values that were just defined; false: no memory. */
bool bp_rw_room(struct bp_rewrite *rw);
/*
 * Sets the id of data that passes made from its bytes, if it has none. bp_rw_seal() does it for what
 * is left then: weights may change several times, and are long.
 */
void bp_rw_number_data(struct bp_ir_data *data);

#endif
