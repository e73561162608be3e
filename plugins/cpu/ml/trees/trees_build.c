/* SPDX-License-Identifier: MIT */
/*
 * trees_build.c - From a list of nodes to records in breadth-first order. A node may have several
 * parents (converters share the branch of a chain of BRANCH_EQ), but a cycle is refused.
 */

#include "ml/trees/trees.h"
#include "ml/trees/trees_walk.h"
#include "program.h"

#include <math.h>
#include <stdlib.h>

/* Temporary data of a build. */
struct build {
    const struct bp_cpu_node *node;
    const struct bp_cpu_tree_list *list;
    struct bp_cpu_trees *out;
    struct bp_blocks memory; /* temporary */
    uint8_t *state;          /* of a node: see visit() */
    uint32_t *depth;         /* comparisons below a node */
    uint32_t *position;      /* index in the new order, + 1; 0: not reached */
    uint32_t *order;         /* reached nodes */
    uint32_t n;              /* of them */
    uint32_t *vote_first;    /* votes of a node, by `votes` */
    uint32_t *votes;
};

static bp_rc fail_nomem(const struct build *b, bp_err *err)
{
    return bp_cpu_fail(b->node, err, BP_E_NOMEM, "no memory for its trees");
}

/* ---- checks ---------------------------------------------------------------------------------- */

static bp_rc check_node(const struct build *b, uint32_t i, bp_err *err)
{
    const struct bp_cpu_tree_node *node = &b->list->nodes[i];

    if (node->mode == BP_CPU_TREE_LEAF)
        return BP_OK;
    if (node->yes >= b->list->n_nodes || node->no >= b->list->n_nodes)
        return bp_cpu_fail(b->node, err, BP_E_INVALID, "a branch of node %u leads nowhere", i);
    if (node->feature < 0 || node->feature > BP_CPU_TREE_FEATURE - 1)
        return bp_cpu_fail(b->node, err, BP_E_INVALID, "node %u compares feature %lld", i,
                           (long long)node->feature);
    if (node->feature >= (int64_t)b->out->n_features)
        b->out->n_features = (uint32_t)node->feature + 1;
    return BP_OK;
}

static uint32_t deeper(const struct build *b, const struct bp_cpu_tree_node *node)
{
    uint32_t yes = b->depth[node->yes], no = b->depth[node->no];

    return 1 + (yes > no ? yes : no);
}

/*
 * Depths of all nodes below a root, children first. A node's state is how often it has been at the
 * top of the stack; a child that is on the stack (1 or 2) closes a cycle.
 */
static bp_rc visit(struct build *b, uint32_t root, uint32_t *stack, bp_err *err)
{
    uint32_t n = 0;

    if (b->state[root] == 0)
        stack[n++] = root;
    while (n > 0) {
        uint32_t at = stack[n - 1], child;
        const struct bp_cpu_tree_node *node = &b->list->nodes[at];
        bp_rc rc = b->state[at] == 0 ? check_node(b, at, err) : BP_OK;

        if (rc < 0)
            return rc;
        b->state[at]++;
        if (node->mode == BP_CPU_TREE_LEAF)
            b->state[at] = 3;
        else if (b->state[at] == 3)
            b->depth[at] = deeper(b, node);
        if (b->state[at] == 3) {
            n--;
            continue;
        }
        child = b->state[at] == 1 ? node->no : node->yes;
        if (b->state[child] == 1 || b->state[child] == 2)
            return bp_cpu_fail(b->node, err, BP_E_INVALID,
                               "its nodes form a cycle: node %u is below itself", child);
        if (b->state[child] == 0)
            stack[n++] = child;
    }
    return BP_OK;
}

/* ---- order ----------------------------------------------------------------------------------- */

static size_t node_bytes(const struct build *b)
{
    return b->out->is_double ? sizeof(struct bp_cpu_tree_f64) : sizeof(struct bp_cpu_tree_f32);
}

static void reach(struct build *b, uint32_t node)
{
    if (b->position[node] > 0)
        return;
    b->order[b->n++] = node;
    b->position[node] = b->n;
}

/* Position of a node's record, in units of 8 bytes. */
static uint32_t position_of(const struct build *b, uint32_t node)
{
    return (b->position[node] - 1) * (uint32_t)(node_bytes(b) / sizeof(uint64_t));
}

/* Breadth first: the upper levels, which every walk passes, share few cache lines. */
static void order_tree(struct build *b, uint32_t root)
{
    uint32_t next = b->n;

    for (reach(b, root); next < b->n; next++) {
        const struct bp_cpu_tree_node *node = &b->list->nodes[b->order[next]];

        if (node->mode != BP_CPU_TREE_LEAF) {
            reach(b, node->no);
            reach(b, node->yes);
        }
    }
}

static bp_rc order_all(struct build *b, bp_err *err)
{
    struct bp_cpu_trees *out = b->out;
    uint32_t *stack = bp_blocks_array(&b->memory, b->list->n_nodes, sizeof *stack);

    if (!stack)
        return fail_nomem(b, err);
    for (uint32_t t = 0; t < b->list->n_roots; t++) {
        uint32_t root = b->list->roots[t];
        bp_rc rc = root < b->list->n_nodes
                       ? visit(b, root, stack, err)
                       : bp_cpu_fail(b->node, err, BP_E_INVALID, "tree %u has no root", t);

        if (rc < 0)
            return rc;
        order_tree(b, root);
        out->roots[t] = position_of(b, root);
        out->depths[t] = b->depth[root];
        out->steps += b->depth[root] + 1;
    }
    return BP_OK;
}

/* ---- comparisons ----------------------------------------------------------------------------- */

/*
 * The largest float that is not above x (strict: is below x); NaN if there is none. So x < value
 * becomes x <= below(value).
 */
static double below_f32(double x, bool strict)
{
    float y = (float)x;

    if ((double)y > x || (strict && (double)y >= x))
        y = y > -INFINITY ? nextafterf(y, -INFINITY) : NAN;
    return (double)y;
}

static double below_f64(double x, bool strict)
{
    return !strict ? x : x > -HUGE_VAL ? nextafter(x, -HUGE_VAL) : (double)NAN;
}

/*
 * A node rewritten as x <= value or x == value, with its children exchanged if need be: x > v is
 * the negation of x <= v.
 */
struct comparison {
    double value;
    uint32_t bits;
    bool is_exchanged;
};

/* Rewrites a node's comparison, so that walks know two kinds only. */
static struct comparison comparison_of(const struct build *b, const struct bp_cpu_tree_node *node)
{
    uint32_t mode = node->mode;
    bool is_above = mode == BP_CPU_TREE_GT || mode == BP_CPU_TREE_GTE;
    bool is_strict = mode == BP_CPU_TREE_LT || mode == BP_CPU_TREE_GTE;
    struct comparison comparison = {.value = node->value};

    if (mode == BP_CPU_TREE_MEMBER) {
        comparison.bits = BP_CPU_TREE_IS_MEMBER;
    } else if (mode == BP_CPU_TREE_EQ || mode == BP_CPU_TREE_NEQ) {
        comparison.bits = BP_CPU_TREE_IS_EQUAL;
        comparison.is_exchanged = mode == BP_CPU_TREE_NEQ;
        if (!b->out->is_double && (double)(float)comparison.value != comparison.value)
            comparison.value = (double)NAN; /* no float is equal */
    } else if (comparison.value == comparison.value) {
        comparison.value = b->out->is_double ? below_f64(comparison.value, is_strict)
                                             : below_f32(comparison.value, is_strict);
        comparison.is_exchanged = is_above;
    }
    /* NaN is not above anything: if the children are exchanged, x <= value must count as true */
    if (comparison.is_exchanged ? is_above && !node->nan_is_yes : node->nan_is_yes)
        comparison.bits |= BP_CPU_TREE_NAN_HOLDS;
    return comparison;
}

/* ---- votes ----------------------------------------------------------------------------------- */

/* Counting sort of the votes by node. Votes for interior nodes or unreached nodes are ignored. */
static bp_rc sort_votes(struct build *b, bp_err *err)
{
    const struct bp_cpu_tree_list *list = b->list;
    uint32_t *first = bp_blocks_array(&b->memory, list->n_nodes + (size_t)2, sizeof *first);

    b->votes = bp_blocks_array(&b->memory, list->n_votes, sizeof *b->votes);
    if (!first || !b->votes)
        return fail_nomem(b, err);
    for (uint32_t v = 0; v < list->n_votes; v++) {
        const struct bp_cpu_tree_vote *vote = &list->votes[v];

        if (vote->node >= list->n_nodes)
            return bp_cpu_fail(b->node, err, BP_E_INVALID, "weight %u is of no node", v);
        if (vote->target < 0 || vote->target >= (int64_t)b->out->n_targets)
            return bp_cpu_fail(b->node, err, BP_E_INVALID,
                               "weight %u is for target or class %lld of %u", v,
                               (long long)vote->target, b->out->n_targets);
        first[vote->node + 2]++;
    }
    for (uint32_t i = 2; i < list->n_nodes + 2; i++)
        first[i] += first[i - 1];
    for (uint32_t v = 0; v < list->n_votes; v++)
        b->votes[first[list->votes[v].node + 1]++] = v;
    b->vote_first = first;
    return BP_OK;
}

/* The weight of a leaf if there is one target: its votes combined. */
static double single_weight(const struct build *b, uint32_t node)
{
    bool adds = b->out->aggregate <= BP_CPU_TREE_SUM;
    double weight = adds ? 0 : (double)NAN;

    for (uint32_t k = b->vote_first[node]; k < b->vote_first[node + 1]; k++)
        bp_cpu_tree_vote_add(b->out->aggregate, &weight, b->list->votes[b->votes[k]].weight);
    return weight;
}

/* The weights of leaf l if there are several targets. */
static void put_weights(const struct build *b, uint32_t node, uint32_t l)
{
    struct bp_cpu_trees *out = b->out;
    uint32_t n = out->leaf_first[l];

    for (uint32_t k = b->vote_first[node]; k < b->vote_first[node + 1]; k++) {
        const struct bp_cpu_tree_vote *vote = &b->list->votes[b->votes[k]];

        out->weights[n++] =
            (struct bp_cpu_tree_weight){vote->weight + 0.0, (uint32_t)vote->target}; /* -0 is 0 */
    }
    out->leaf_first[l + 1] = n;
}

/* ---- records --------------------------------------------------------------------------------- */

#define EMIT_JOIN(name, suffix) name##_##suffix
#define EMIT(name, suffix) EMIT_JOIN(name, suffix)

#define NODE struct bp_cpu_tree_f32
#define C float
#define SUFFIX f32
#include "ml/trees/trees_emit.inc"

#define NODE struct bp_cpu_tree_f64
#define C double
#define SUFFIX f64
#include "ml/trees/trees_emit.inc"

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* Sets are sorted, for bisection. */
static bp_rc copy_sets(struct build *b, struct bp_cpu_node *node, bp_err *err)
{
    const struct bp_cpu_tree_list *list = b->list;
    uint32_t n = list->n_sets > 0 ? list->set_first[list->n_sets] : 0;
    double *members = bp_cpu_node_memory(node, n * sizeof *members);
    uint32_t *first = bp_cpu_node_memory(node, (list->n_sets + (size_t)1) * sizeof *first);

    if (!members || !first)
        return fail_nomem(b, err);
    if (list->n_sets > 0) {
        memcpy(first, list->set_first, (list->n_sets + (size_t)1) * sizeof *first);
        memcpy(members, list->members, n * sizeof *members);
    }
    for (uint32_t s = 0; s < list->n_sets; s++)
        qsort(members + first[s], first[s + 1] - first[s], sizeof *members, compare);
    b->out->members = members;
    b->out->set_first = first;
    return BP_OK;
}

static bp_rc emit(struct build *b, struct bp_cpu_node *node, bp_err *err)
{
    struct bp_cpu_trees *out = b->out;
    bool has_lists = out->n_targets > 1;

    out->bytes = b->n * node_bytes(b);
    out->nodes = bp_cpu_node_memory(node, out->bytes);
    out->leaf_first =
        bp_cpu_node_memory(node, has_lists ? (b->n + (size_t)1) * sizeof *out->leaf_first : 0);
    out->weights =
        bp_cpu_node_memory(node, has_lists ? b->list->n_votes * sizeof *out->weights : 0);
    if (!out->nodes || !out->leaf_first || !out->weights)
        return fail_nomem(b, err);
    if (out->is_double)
        emit_f64(b);
    else
        emit_f32(b);
    return copy_sets(b, node, err);
}

static bp_rc begin(struct build *b, struct bp_cpu_node *node, bp_err *err)
{
    size_t n = b->list->n_nodes;

    b->state = bp_blocks_array(&b->memory, n, sizeof *b->state);
    b->depth = bp_blocks_array(&b->memory, n, sizeof *b->depth);
    b->position = bp_blocks_array(&b->memory, n, sizeof *b->position);
    b->order = bp_blocks_array(&b->memory, n, sizeof *b->order);
    b->out->roots = bp_cpu_node_memory(node, b->list->n_roots * sizeof *b->out->roots);
    b->out->depths = bp_cpu_node_memory(node, b->list->n_roots * sizeof *b->out->depths);
    if (!b->state || !b->depth || !b->position || !b->order || !b->out->roots || !b->out->depths)
        return fail_nomem(b, err);
    return BP_OK;
}

bp_rc bp_cpu_trees_build(struct bp_cpu_node *node, const struct bp_cpu_tree_list *list,
                         uint32_t n_targets, uint32_t aggregate, bool is_double,
                         struct bp_cpu_trees *out, bp_err *err)
{
    struct build b = {.node = node, .list = list, .out = out, .memory.host = node->host};
    bp_rc rc;

    *out = (struct bp_cpu_trees){.n_trees = list->n_roots,
                                 .n_targets = n_targets,
                                 .aggregate = aggregate,
                                 .is_double = is_double};
    if (list->n_nodes > UINT32_MAX / 4 || list->n_votes > INT32_MAX)
        return bp_cpu_fail(node, err, BP_E_INVALID, "it has too many nodes");
    rc = begin(&b, node, err);
    if (rc >= 0)
        rc = order_all(&b, err);
    if (rc >= 0)
        rc = sort_votes(&b, err);
    if (rc >= 0)
        rc = emit(&b, node, err);
    bp_blocks_free(&b.memory);
    return rc;
}
