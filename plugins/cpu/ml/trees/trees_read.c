/* SPDX-License-Identifier: MIT */
/*
 * trees_read.c - Reads the nodes_* attributes of TreeEnsembleClassifier and TreeEnsembleRegressor,
 * where a node is named by its tree's id and its own.
 */

#include "ml/trees/trees_read.h"
#include "program.h"

#include <stdlib.h>

enum { NAME = 64 };

/* The name of a node, and which one it is. */
struct key {
    int64_t tree, node;
    uint32_t index;
};

struct reader {
    const struct bp_cpu_node *node;
    struct bp_blocks *memory;
    struct bp_cpu_tree_list *out;
    const int64_t *trees, *ids;
    struct key *keys; /* sorted */
    uint32_t n;
};

static bp_rc fail_nomem(const struct bp_cpu_node *node, bp_err *err)
{
    return bp_cpu_fail(node, err, BP_E_NOMEM, "no memory to read its trees");
}

/* ---- lists ----------------------------------------------------------------------------------- */

/*
 * The array has twice the size: a tensor's unaligned data is copied to its second half, then
 * converted.
 */
bp_rc bp_cpu_reals_read(const struct bp_cpu_node *node, const char *name, struct bp_blocks *memory,
                        double **out, uint32_t *count, bp_err *err)
{
    char tensor_name[NAME];
    uint32_t n_floats;
    const float *floats = bp_cpu_floats(node, name, &n_floats);
    const bp_const *tensor;
    bp_rc rc;

    *out = NULL;
    snprintf(tensor_name, sizeof tensor_name, "%s_as_tensor", name);
    rc = bp_cpu_tensor_attr(node, tensor_name, &tensor, count, err);
    if (rc >= 0 && !tensor && !floats)
        rc = bp_cpu_tensor_attr(node, name, &tensor, count, err);
    if (rc < 0)
        return rc;
    if (tensor && tensor->dtype != BP_DTYPE_F64 && tensor->dtype != BP_DTYPE_F32 &&
        tensor->dtype != BP_DTYPE_F16)
        return bp_cpu_fail(node, err, BP_E_INVALID, "%s holds %s", name,
                           bp_cpu_dtype_name(tensor->dtype));
    if (n_floats > 0 && *count > 0)
        return bp_cpu_fail(node, err, BP_E_INVALID, "both %s and %s are given", name, tensor_name);
    if (n_floats + *count == 0)
        return BP_OK;
    *out = bp_blocks_array(memory, (size_t)n_floats + *count, 2 * sizeof **out);
    if (!*out)
        return fail_nomem(node, err);
    if (floats) {
        *count = n_floats;
        bp_cpu_to_f64(BP_DTYPE_F32, floats, *out, *count);
    } else {
        double *aligned = *out + *count;

        memcpy(aligned, tensor->data, *count * bp_cpu_width(tensor->dtype));
        bp_cpu_to_f64(tensor->dtype, aligned, *out, *count);
    }
    return BP_OK;
}

/* An integer list that must have n elements. */
static bp_rc ints(const struct bp_cpu_node *node, const char *name, uint32_t n, const char *whose,
                  const int64_t **out, bp_err *err)
{
    uint32_t count;

    *out = bp_cpu_ints(node, name, &count);
    return bp_cpu_expect_count(node, name, count, n, whose, err);
}

/* ---- names ----------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const struct key *x = a, *y = b;

    if (x->tree != y->tree)
        return x->tree < y->tree ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/*
 * Sorts the names for bisection, unless the model has them sorted already. Duplicates are refused.
 */
static bp_rc sort_keys(struct reader *r, bp_err *err)
{
    bool is_sorted = true;

    r->keys = bp_blocks_array(r->memory, r->n, sizeof *r->keys);
    if (!r->keys)
        return fail_nomem(r->node, err);
    for (uint32_t i = 0; i < r->n; i++) {
        r->keys[i] = (struct key){r->trees[i], r->ids[i], i};
        is_sorted = is_sorted && (i == 0 || compare(&r->keys[i - 1], &r->keys[i]) < 0);
    }
    if (is_sorted)
        return BP_OK;
    qsort(r->keys, r->n, sizeof *r->keys, compare);
    for (uint32_t i = 1; i < r->n; i++) {
        if (compare(&r->keys[i - 1], &r->keys[i]) == 0)
            return bp_cpu_fail(r->node, err, BP_E_INVALID, "tree %lld has two nodes %lld",
                               (long long)r->keys[i].tree, (long long)r->keys[i].node);
    }
    return BP_OK;
}

/*
 * The index of node (tree, node). `near` is a key that is likely close, which saves the bisection.
 */
static bp_rc find(const struct reader *r, int64_t tree, int64_t node, uint32_t near, uint32_t *out,
                  bp_err *err)
{
    struct key key = {.tree = tree, .node = node};
    const struct key *found;
    int64_t at;

    /* ids mostly ascend by one */
    if (!__builtin_sub_overflow(node, r->keys[near].node, &at) &&
        !__builtin_add_overflow(at, (int64_t)near, &at) && at >= 0 && at < r->n &&
        compare(&key, &r->keys[at]) == 0) {
        *out = r->keys[at].index;
        return BP_OK;
    }
    found = bsearch(&key, r->keys, r->n, sizeof *r->keys, compare);
    if (!found)
        return bp_cpu_fail(r->node, err, BP_E_INVALID, "tree %lld has no node %lld",
                           (long long)tree, (long long)node);
    *out = found->index;
    return BP_OK;
}

static int compare_roots(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

/* The root of a tree is the first of its nodes in the lists; trees keep their order. */
static bp_rc find_roots(struct reader *r, bp_err *err)
{
    uint32_t *roots = bp_blocks_array(r->memory, r->n, sizeof *roots), n = 0;

    if (!roots)
        return fail_nomem(r->node, err);
    for (uint32_t i = 0; i < r->n; i++) {
        if (i == 0 || r->keys[i].tree != r->keys[i - 1].tree)
            roots[n++] = r->keys[i].index;
        else if (r->keys[i].index < roots[n - 1])
            roots[n - 1] = r->keys[i].index;
    }
    qsort(roots, n, sizeof *roots, compare_roots);
    r->out->roots = roots;
    r->out->n_roots = n;
    return BP_OK;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* BRANCH_MEMBER has no string: TreeEnsemble-5 alone has it, as an integer. */
static bp_rc read_mode(const struct bp_cpu_node *node, const bp_span *text, uint8_t *out,
                       bp_err *err)
{
    static const char *const names[] = {"BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE",    "BRANCH_GT",
                                        "BRANCH_EQ",  "BRANCH_NEQ", "BRANCH_MEMBER", "LEAF"};

    for (*out = 0; *out <= BP_CPU_TREE_LEAF; ++*out) {
        if (*out != BP_CPU_TREE_MEMBER && text->size == strlen(names[*out]) &&
            memcmp(text->data, names[*out], text->size) == 0)
            return BP_OK;
    }
    return bp_cpu_fail(node, err, BP_E_INVALID, "nodes_modes has '%.*s', which is not known",
                       text->size < NAME ? (int)text->size : NAME, (const char *)text->data);
}

/* The parallel lists that describe the nodes; every list has r->n elements. */
struct columns {
    const int64_t *features, *yes, *no, *tracks;
    const bp_span *modes;
    double *values;
};

static bp_rc read_columns(struct reader *r, struct columns *c, bp_err *err)
{
    const char *whose = "nodes_treeids has";
    uint32_t n_modes, n_values = 0, n_tracks;
    bp_rc rc = ints(r->node, "nodes_nodeids", r->n, whose, &r->ids, err);

    c->modes = bp_cpu_strings(r->node, "nodes_modes", &n_modes);
    c->tracks = bp_cpu_ints(r->node, "nodes_missing_value_tracks_true", &n_tracks);
    if (n_tracks == 0) /* also a list that is given and empty */
        c->tracks = NULL;
    if (rc >= 0)
        rc = ints(r->node, "nodes_featureids", r->n, whose, &c->features, err);
    if (rc >= 0)
        rc = ints(r->node, "nodes_truenodeids", r->n, whose, &c->yes, err);
    if (rc >= 0)
        rc = ints(r->node, "nodes_falsenodeids", r->n, whose, &c->no, err);
    if (rc >= 0)
        rc = bp_cpu_expect_count(r->node, "nodes_modes", n_modes, r->n, whose, err);
    if (rc >= 0 && n_tracks > 0)
        rc = bp_cpu_expect_count(r->node, "nodes_missing_value_tracks_true", n_tracks, r->n, whose,
                                 err);
    if (rc >= 0)
        rc = bp_cpu_reals_read(r->node, "nodes_values", r->memory, &c->values, &n_values, err);
    return rc < 0 ? rc : bp_cpu_expect_count(r->node, "nodes_values", n_values, r->n, whose, err);
}

static bp_rc read_node(const struct reader *r, const struct columns *c, uint32_t near, bp_err *err)
{
    uint32_t i = r->keys[near].index;
    struct bp_cpu_tree_node *node = &r->out->nodes[i];
    bp_rc rc = read_mode(r->node, &c->modes[i], &node->mode, err);

    if (rc < 0 || node->mode == BP_CPU_TREE_LEAF)
        return rc;
    node->value = c->values[i];
    node->feature = c->features[i];
    node->nan_is_yes = c->tracks && c->tracks[i] != 0;
    rc = find(r, r->trees[i], c->yes[i], near, &node->yes, err);
    return rc < 0 ? rc : find(r, r->trees[i], c->no[i], near, &node->no, err);
}

static bp_rc read_nodes(struct reader *r, bp_err *err)
{
    struct columns columns;
    bp_rc rc;

    r->trees = bp_cpu_ints(r->node, "nodes_treeids", &r->n);
    if (r->n == 0)
        return bp_cpu_fail(r->node, err, BP_E_INVALID, "nodes_treeids is empty");
    rc = read_columns(r, &columns, err);
    if (rc >= 0)
        rc = sort_keys(r, err);
    if (rc < 0)
        return rc;
    r->out->n_nodes = r->n;
    r->out->nodes = bp_blocks_array(r->memory, r->n, sizeof *r->out->nodes);
    if (!r->out->nodes)
        return fail_nomem(r->node, err);
    for (uint32_t k = 0; k < r->n && rc >= 0; k++)
        rc = read_node(r, &columns, k, err);
    return rc < 0 ? rc : find_roots(r, err);
}

/* ---- votes ----------------------------------------------------------------------------------- */

/* Reads <kind>_ids, _nodeids, _treeids and _weights. */
static bp_rc read_votes(struct reader *r, const char *kind, bp_err *err)
{
    char names[4][NAME], whose[NAME + 8];
    const int64_t *targets, *nodes, *trees;
    double *weights;
    uint32_t n, n_weights, near = 0;
    bp_rc rc;

    snprintf(names[0], NAME, "%s_ids", kind);
    snprintf(names[1], NAME, "%s_nodeids", kind);
    snprintf(names[2], NAME, "%s_treeids", kind);
    snprintf(names[3], NAME, "%s_weights", kind);
    snprintf(whose, sizeof whose, "%s has", names[0]);
    targets = bp_cpu_ints(r->node, names[0], &n);
    rc = ints(r->node, names[1], n, whose, &nodes, err);
    if (rc >= 0)
        rc = ints(r->node, names[2], n, whose, &trees, err);
    if (rc >= 0)
        rc = bp_cpu_reals_read(r->node, names[3], r->memory, &weights, &n_weights, err);
    if (rc >= 0)
        rc = bp_cpu_expect_count(r->node, names[3], n_weights, n, whose, err);
    if (rc < 0)
        return rc;
    r->out->n_votes = n;
    r->out->votes = bp_blocks_array(r->memory, n, sizeof *r->out->votes);
    if (!r->out->votes)
        return fail_nomem(r->node, err);
    for (uint32_t i = 0; i < n && rc >= 0; i++) {
        struct bp_cpu_tree_vote *vote = &r->out->votes[i];

        *vote = (struct bp_cpu_tree_vote){.weight = weights[i], .target = targets[i]};
        rc = find(r, trees[i], nodes[i], near, &vote->node, err);
        near = rc >= 0 && r->keys[vote->node].index == vote->node ? vote->node : near;
    }
    return rc;
}

bp_rc bp_cpu_trees_read(const struct bp_cpu_node *node, const char *kind, struct bp_blocks *memory,
                        struct bp_cpu_tree_list *out, bp_err *err)
{
    struct reader r = {.node = node, .memory = memory, .out = out};
    bp_rc rc;

    *out = (struct bp_cpu_tree_list){0};
    rc = read_nodes(&r, err);
    return rc < 0 ? rc : read_votes(&r, kind, err);
}
