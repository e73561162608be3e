/* SPDX-License-Identifier: MIT */
/* trees_kit.h - random forests for tests of tree ensembles, and the plainest walk through them. */
#ifndef BP_TESTS_TREES_KIT_H
#define BP_TESTS_TREES_KIT_H

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "cpu/cpu_case.h"
#include "support/random.h"
#include "support/typed.h"

enum { MOST_NODES = 20000, MOST_ROWS = 300, MOST_FEATURES = 6, MOST_TARGETS = 5, LEAF = 7 };

static const char *const modes[] = {"BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE",    "BRANCH_GT",
                                    "BRANCH_EQ",  "BRANCH_NEQ", "BRANCH_MEMBER", "LEAF"};

/* ---- forests --------------------------------------------------------------------------------- */

/* Lists as versions 1 and 3 have them; yes and no are node ids. */
static struct forest {
    uint32_t n, n_votes, n_trees, n_features, n_targets, n_members;
    int64_t tree[MOST_NODES], id[MOST_NODES], feature[MOST_NODES], yes[MOST_NODES], no[MOST_NODES];
    int64_t tracks[MOST_NODES];
    const char *mode_name[MOST_NODES];
    uint8_t mode[MOST_NODES];
    double value[MOST_NODES];
    int64_t vote_tree[MOST_NODES], vote_id[MOST_NODES], vote_target[MOST_NODES];
    double weight[MOST_NODES];
    double members[MOST_NODES]; /* sets end with NaN, one a node of mode 6 */
    uint32_t set[MOST_NODES];   /* where a node's begins */
    uint32_t where[MOST_NODES]; /* each id is, by the order in which they were made */
    bool has_tracks;
} f;

/* Numbers that meet often; as doubles some lie between floats. */
static inline double grid(uint64_t *seed, bool is_double)
{
    double x = (double)random_below(seed, 17) / 4 - 2;

    return is_double && random_below(seed, 2) ? x + 1e-12 : x;
}

static inline uint32_t add_node(uint64_t *seed, uint32_t tree, bool is_double, uint32_t mode)
{
    uint32_t i = f.n++;

    ck_assert_uint_lt(f.n, MOST_NODES - 64);
    f.tree[i] = (int64_t)tree * 3 - 7;
    f.id[i] = (int64_t)i * 2 - 5;
    f.where[i] = i;
    f.feature[i] = random_below(seed, f.n_features);
    f.tracks[i] = random_below(seed, 2);
    f.mode[i] = (uint8_t)mode;
    f.mode_name[i] = modes[mode];
    f.value[i] = grid(seed, is_double);
    f.set[i] = f.n_members;
    for (uint32_t k = random_below(seed, 4); mode == 6 && k > 0; k--)
        f.members[f.n_members++] = grid(seed, is_double);
    if (mode == 6)
        f.members[f.n_members++] = (double)NAN;
    return i;
}

static inline void add_votes(uint64_t *seed, uint32_t node, uint32_t least, bool is_positive)
{
    for (uint32_t k = least + random_below(seed, 2); k > 0; k--) {
        f.vote_tree[f.n_votes] = f.tree[node];
        f.vote_id[f.n_votes] = f.id[node];
        f.vote_target[f.n_votes] = random_below(seed, f.n_targets);
        f.weight[f.n_votes++] = (double)random_float(seed, 1) + (is_positive ? 1.25 : 0);
    }
}

/* What random forests may have. */
struct forest_config {
    uint32_t trees, depth, features, targets;
    uint32_t n_modes; /* the first ones of `modes`; 1: one mode for all */
    uint32_t least_votes;
    bool is_double, has_tracks, is_positive;
};

static inline uint32_t grow(uint64_t *seed, uint32_t tree, uint32_t depth,
                            const struct forest_config *w, uint32_t only_mode)
{
    bool is_leaf = depth == 0 || random_below(seed, 8) == 0;
    uint32_t mode = w->n_modes > 1 ? random_below(seed, w->n_modes) : only_mode;
    uint32_t i = add_node(seed, tree, w->is_double, is_leaf ? LEAF : mode);

    if (is_leaf) {
        add_votes(seed, i, w->least_votes, w->is_positive);
        return i;
    }
    f.yes[i] = f.id[grow(seed, tree, depth - 1, w, only_mode)];
    f.no[i] = f.id[grow(seed, tree, depth - 1, w, only_mode)];
    return i;
}

static inline void plant(uint64_t *seed, const struct forest_config *w)
{
    uint32_t only_mode = random_below(seed, 6);

    memset(&f, 0, sizeof f);
    f.n_trees = w->trees;
    f.n_features = w->features;
    f.n_targets = w->targets;
    f.has_tracks = w->has_tracks;
    for (uint32_t k = 0; k < w->trees; k++)
        grow(seed, k, w->depth, w, only_mode);
}

/* Nodes but the roots are swapped, which no version before 5 may notice. */
static inline void shuffle(uint64_t *seed)
{
    for (uint32_t i = 0; i + 1 < f.n; i++) {
        uint32_t k = i + 1 + random_below(seed, f.n - i - 1);

        if (f.tree[i] != f.tree[k] || i == 0 || f.tree[i] != f.tree[i - 1])
            continue;
#define SWAP(list, type)                                                                           \
    do {                                                                                           \
        type saved = f.list[i];                                                                    \
        f.list[i] = f.list[k];                                                                     \
        f.list[k] = saved;                                                                         \
    } while (0)
        SWAP(id, int64_t);
        SWAP(feature, int64_t);
        SWAP(yes, int64_t);
        SWAP(no, int64_t);
        SWAP(tracks, int64_t);
        SWAP(mode, uint8_t);
        SWAP(mode_name, const char *);
        SWAP(value, double);
        SWAP(set, uint32_t);
        f.where[(f.id[i] + 5) / 2] = i;
        f.where[(f.id[k] + 5) / 2] = k;
    }
}

/* ---- the reference --------------------------------------------------------------------------- */

/* The tree is the one that the id was made in; ids count up by two. */
static inline uint32_t node_of(int64_t tree, int64_t id)
{
    uint32_t i = f.where[(id + 5) / 2];

    ck_assert_int_eq(f.tree[i], tree);
    ck_assert_int_eq(f.id[i], id);
    return i;
}

static inline bool holds(uint32_t i, double x)
{
    double v = f.value[i];

    if (isnan(x) && f.has_tracks && f.tracks[i])
        return true;
    switch (f.mode[i]) {
    case 0:
        return x <= v;
    case 1:
        return x < v;
    case 2:
        return x >= v;
    case 3:
        return x > v;
    case 4:
        return !(x < v) && !(x > v) && !isnan(x) && !isnan(v);
    case 5:
        return x < v || x > v || isnan(x) || isnan(v);
    default:
        break;
    }
    for (uint32_t m = f.set[i]; !isnan(f.members[m]); m++) {
        if (!(x < f.members[m]) && !(x > f.members[m]) && !isnan(x))
            return true;
    }
    return false;
}

static inline uint32_t walk(uint32_t root, const double *x)
{
    uint32_t i = root;

    while (f.mode[i] != LEAF)
        i = node_of(f.tree[i], holds(i, x[f.feature[i]]) ? f.yes[i] : f.no[i]);
    return i;
}

/* Votes for each target of one row; aggregate: 0 mean, 1 sum, 2 least, 3 largest. */
static inline void reference_votes(const double *row, uint32_t aggregate, double *out,
                                   bool *has_vote)
{
    static int64_t leaf_id[MOST_NODES]; /* that the row comes to, by tree */

    memset(has_vote, 0, f.n_targets * sizeof *has_vote);
    memset(out, 0, f.n_targets * sizeof *out);
    for (uint32_t i = 0; i < f.n; i++) {
        if (i == 0 || f.tree[i] != f.tree[i - 1])
            leaf_id[(f.tree[i] + 7) / 3] = f.id[walk(i, row)];
    }
    for (uint32_t v = 0; v < f.n_votes; v++) {
        int64_t target = f.vote_target[v];

        if (f.vote_id[v] != leaf_id[(f.vote_tree[v] + 7) / 3])
            continue;
        if (aggregate <= 1)
            out[target] += f.weight[v];
        else if (!has_vote[target] ||
                 (aggregate == 2 ? f.weight[v] < out[target] : f.weight[v] > out[target]))
            out[target] = f.weight[v];
        has_vote[target] = true;
    }
    for (uint32_t k = 0; k < f.n_targets && aggregate == 0; k++)
        out[k] /= f.n_trees;
}

static inline void reference(const double *row, uint32_t aggregate, double *out)
{
    bool has_vote[MOST_TARGETS];

    reference_votes(row, aggregate, out, has_vote);
}

/* ---- inputs ---------------------------------------------------------------------------------- */

static double x[MOST_ROWS * MOST_FEATURES]; /* as the reference sees them */
static uint64_t x_bytes[MOST_ROWS * MOST_FEATURES];

/* Rows of numbers of a type; floats may be missing. */
static inline void fill_x(uint64_t *seed, uint32_t dtype, uint32_t n, bool may_miss)
{
    for (uint32_t i = 0; i < n; i++) {
        double v = grid(seed, dtype == BP_DTYPE_F64);

        if (dtype == BP_DTYPE_I64 || dtype == BP_DTYPE_I32)
            v = floor(v);
        else if (may_miss && random_below(seed, 6) == 0)
            v = (double)NAN;
        x[i] = v;
        typed_put(x_bytes, dtype, i, v);
    }
}

static inline void floats(const char *name, const double *values, uint32_t n)
{
    float *narrow = calloc(n + 1, sizeof *narrow);

    ck_assert_ptr_nonnull(narrow);
    for (uint32_t i = 0; i < n; i++)
        narrow[i] = (float)values[i];
    th_floats(t, name, n, narrow);
    free(narrow);
}

static inline void doubles(const char *name, const double *values, uint32_t n)
{
    char dims[16], tensor[64];

    snprintf(dims, sizeof dims, "%u", n);
    snprintf(tensor, sizeof tensor, "%s_as_tensor", name);
    th_tensor(t, tensor, BP_DTYPE_F64, dims, values);
}

/* The nodes as attributes; votes as <kind>_ids and so on. */
static inline void set_attrs(const char *kind, bool as_double)
{
    char name[64];
    void (*numbers)(const char *, const double *, uint32_t) = as_double ? doubles : floats;

    th_domain(t, "ai.onnx.ml");
    th_ints(t, "nodes_treeids", f.n, f.tree);
    th_ints(t, "nodes_nodeids", f.n, f.id);
    th_ints(t, "nodes_featureids", f.n, f.feature);
    th_ints(t, "nodes_truenodeids", f.n, f.yes);
    th_ints(t, "nodes_falsenodeids", f.n, f.no);
    th_strings(t, "nodes_modes", f.n, f.mode_name);
    if (f.has_tracks)
        th_ints(t, "nodes_missing_value_tracks_true", f.n, f.tracks);
    numbers("nodes_values", f.value, f.n);
    snprintf(name, sizeof name, "%s_ids", kind);
    th_ints(t, name, f.n_votes, f.vote_target);
    snprintf(name, sizeof name, "%s_nodeids", kind);
    th_ints(t, name, f.n_votes, f.vote_id);
    snprintf(name, sizeof name, "%s_treeids", kind);
    th_ints(t, name, f.n_votes, f.vote_tree);
    snprintf(name, sizeof name, "%s_weights", kind);
    numbers(name, f.weight, f.n_votes);
}

static inline const char *dims_of(uint32_t rows, uint32_t cols)
{
    static char text[4][32];
    static int next;

    next = (next + 1) % 4;
    snprintf(text[next], sizeof text[next], "%u,%u", rows, cols);
    return text[next];
}

static inline double close_to(double want)
{
    return 2e-5 * (1 + fabs(want));
}

static const uint32_t dtypes[] = {BP_DTYPE_F32, BP_DTYPE_F64, BP_DTYPE_I64, BP_DTYPE_I32,
                                  BP_DTYPE_F16};
static const char *const aggregates[] = {"AVERAGE", "SUM", "MIN", "MAX"};

static inline struct forest_config random_config(uint64_t *seed, bool is_double)
{
    return (struct forest_config){.trees = 1 + random_below(seed, 12),
                                  .depth = random_below(seed, 6),
                                  .features = 1 + random_below(seed, MOST_FEATURES),
                                  .targets = 1 + random_below(seed, 2) * random_below(seed, 4),
                                  .n_modes = random_below(seed, 2) ? 1 : 6,
                                  .least_votes = random_below(seed, 2),
                                  .is_double = is_double,
                                  .has_tracks = random_below(seed, 2)};
}

static inline uint32_t random_rows(uint64_t *seed)
{
    uint32_t kind = random_below(seed, 4);

    return kind == 0 ? random_below(seed, 5) : random_below(seed, kind == 1 ? 20 : 150);
}

#endif
