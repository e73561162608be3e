/* SPDX-License-Identifier: MIT */
/*
 * trees_read_5.c - Reads the attributes of TreeEnsemble-5: interior nodes and leaves have lists of
 * their own, and refer to each other by index.
 */

#include "ml/trees/trees_read.h"
#include "program.h"

/* What is read so far; lists are borrowed from the graph. */
struct reader {
    const struct bp_cpu_node *node;
    struct bp_blocks *memory;
    struct bp_cpu_tree_list *out;
    uint32_t n, n_leaves; /* interior nodes, leaves */
    const int64_t *features, *yes, *no, *yes_leaf, *no_leaf, *tracks;
    double *values;
    const uint8_t *modes;
};

static bp_rc fail_nomem(const struct reader *r, bp_err *err)
{
    return bp_cpu_fail(r->node, err, BP_E_NOMEM, "no memory to read its trees");
}

static bp_rc read_leaves(struct reader *r, bp_err *err)
{
    double *weights;
    uint32_t n_weights;
    const int64_t *targets = bp_cpu_ints(r->node, "leaf_targetids", &r->n_leaves);
    bp_rc rc = bp_cpu_reals_read(r->node, "leaf_weights", r->memory, &weights, &n_weights, err);

    if (rc >= 0)
        rc = bp_cpu_expect_count(r->node, "leaf_weights", n_weights, r->n_leaves,
                                 "leaf_targetids has", err);
    if (rc < 0)
        return rc;
    r->out->n_votes = r->n_leaves;
    r->out->votes = bp_blocks_array(r->memory, r->n_leaves, sizeof *r->out->votes);
    if (!r->out->votes)
        return fail_nomem(r, err);
    for (uint32_t i = 0; i < r->n_leaves; i++)
        r->out->votes[i] = (struct bp_cpu_tree_vote){.weight = weights[i], .target = targets[i]};
    return BP_OK;
}

static bp_rc read_columns(struct reader *r, bp_err *err)
{
    const struct {
        const char *name;
        const int64_t **out;
    } lists[] = {{"nodes_truenodeids", &r->yes},
                 {"nodes_falsenodeids", &r->no},
                 {"nodes_trueleafs", &r->yes_leaf},
                 {"nodes_falseleafs", &r->no_leaf},
                 {"nodes_missing_value_tracks_true", &r->tracks}};
    const char *whose = "nodes_featureids has";
    const bp_const *modes;
    uint32_t count;
    bp_rc rc = BP_OK;

    r->features = bp_cpu_ints(r->node, "nodes_featureids", &r->n);
    for (size_t i = 0; i < sizeof lists / sizeof *lists && rc >= 0; i++) {
        *lists[i].out = bp_cpu_ints(r->node, lists[i].name, &count);
        if (count > 0 || lists[i].out != &r->tracks)
            rc = bp_cpu_expect_count(r->node, lists[i].name, count, r->n, whose, err);
        else
            r->tracks = NULL; /* also a list that is given and empty */
    }
    if (rc >= 0)
        rc = bp_cpu_reals_read(r->node, "nodes_splits", r->memory, &r->values, &count, err);
    if (rc >= 0)
        rc = bp_cpu_expect_count(r->node, "nodes_splits", count, r->n, whose, err);
    if (rc >= 0)
        rc = bp_cpu_tensor_attr(r->node, "nodes_modes", &modes, &count, err);
    if (rc >= 0)
        rc = bp_cpu_expect_count(r->node, "nodes_modes", count, r->n, whose, err);
    if (rc < 0)
        return rc;
    if (modes && bp_cpu_width(modes->dtype) != 1)
        return bp_cpu_fail(r->node, err, BP_E_INVALID, "nodes_modes holds %s",
                           bp_cpu_dtype_name(modes->dtype));
    r->modes = modes ? modes->data : NULL;
    return BP_OK;
}

/* The list index of a child, which is an interior node or a leaf. */
static bp_rc resolve(const struct reader *r, uint32_t i, int64_t to, bool is_leaf, uint32_t *out,
                     bp_err *err)
{
    uint32_t n = is_leaf ? r->n_leaves : r->n;

    if (to < 0 || to >= (int64_t)n)
        return bp_cpu_fail(r->node, err, BP_E_INVALID, "node %u leads to %s %lld of %u", i,
                           is_leaf ? "leaf" : "node", (long long)to, n);
    *out = (uint32_t)to + (is_leaf ? r->n : 0);
    return BP_OK;
}

static bp_rc read_node(const struct reader *r, uint32_t i, bp_err *err)
{
    struct bp_cpu_tree_node *node = &r->out->nodes[i];
    bp_rc rc;

    if (r->modes[i] > BP_CPU_TREE_MEMBER)
        return bp_cpu_fail(r->node, err, BP_E_INVALID, "nodes_modes has %u", r->modes[i]);
    *node = (struct bp_cpu_tree_node){.value = r->values[i],
                                      .feature = r->features[i],
                                      .mode = r->modes[i],
                                      .nan_is_yes = r->tracks && r->tracks[i] != 0};
    if (node->mode == BP_CPU_TREE_MEMBER)
        node->set = r->out->n_sets++;
    rc = resolve(r, i, r->yes[i], r->yes_leaf[i] != 0, &node->yes, err);
    return rc < 0 ? rc : resolve(r, i, r->no[i], r->no_leaf[i] != 0, &node->no, err);
}

static bp_rc read_nodes(struct reader *r, bp_err *err)
{
    struct bp_cpu_tree_list *out = r->out;
    bp_rc rc = BP_OK;

    if (__builtin_add_overflow(r->n, r->n_leaves, &out->n_nodes))
        return bp_cpu_fail(r->node, err, BP_E_INVALID, "it has too many nodes");
    out->nodes = bp_blocks_array(r->memory, out->n_nodes, sizeof *out->nodes);
    if (!out->nodes)
        return fail_nomem(r, err);
    for (uint32_t i = 0; i < r->n && rc >= 0; i++)
        rc = read_node(r, i, err);
    for (uint32_t i = 0; i < r->n_leaves; i++) {
        out->nodes[r->n + i].mode = BP_CPU_TREE_LEAF;
        out->votes[i].node = r->n + i;
    }
    return rc;
}

/*
 * membership_values: each set ends with a NaN; sets are in the order of their nodes. The last NaN
 * may be missing.
 */
static bp_rc read_sets(struct reader *r, bp_err *err)
{
    struct bp_cpu_tree_list *out = r->out;
    double *members;
    uint32_t count, set = 0, n = 0;
    bp_rc rc = bp_cpu_reals_read(r->node, "membership_values", r->memory, &members, &count, err);

    if (rc < 0)
        return rc;
    out->members = members;
    out->set_first = bp_blocks_array(r->memory, out->n_sets + (size_t)1, sizeof *out->set_first);
    if (!out->set_first)
        return fail_nomem(r, err);
    for (uint32_t i = 0; i < count && set < out->n_sets; i++) {
        if (members[i] == members[i])
            members[n++] = members[i];
        else
            out->set_first[++set] = n;
    }
    if (set + 1 == out->n_sets && count > 0 && members[count - 1] == members[count - 1])
        out->set_first[++set] = n; /* the last one may end with the list */
    return bp_cpu_expect_count(r->node, "membership_values", set, out->n_sets,
                               "sets are needed:", err);
}

static bp_rc read_roots(struct reader *r, bp_err *err)
{
    uint32_t n;
    const int64_t *roots = bp_cpu_ints(r->node, "tree_roots", &n);

    r->out->n_roots = n;
    r->out->roots = bp_blocks_array(r->memory, n, sizeof *r->out->roots);
    if (!r->out->roots)
        return fail_nomem(r, err);
    for (uint32_t i = 0; i < n; i++) {
        if (roots[i] < 0 || roots[i] >= (int64_t)r->n)
            return bp_cpu_fail(r->node, err, BP_E_INVALID, "tree_roots has %lld of %u nodes",
                               (long long)roots[i], r->n);
        r->out->roots[i] = (uint32_t)roots[i];
    }
    return BP_OK;
}

bp_rc bp_cpu_trees_read_5(const struct bp_cpu_node *node, struct bp_blocks *memory,
                          struct bp_cpu_tree_list *out, bp_err *err)
{
    struct reader r = {.node = node, .memory = memory, .out = out};
    bp_rc rc;

    *out = (struct bp_cpu_tree_list){0};
    rc = read_columns(&r, err);
    if (rc >= 0)
        rc = read_leaves(&r, err);
    if (rc >= 0)
        rc = read_nodes(&r, err);
    if (rc >= 0)
        rc = read_sets(&r, err);
    return rc < 0 ? rc : read_roots(&r, err);
}
