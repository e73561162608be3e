/* SPDX-License-Identifier: MIT */
/*
 * check_cpu_trees.c - ensembles of trees on the CPU provider: random forests against a walk through
 * the lists of the model, in doubles; and forests with something wrong in them, which must be
 * refused with a sentence, never walked.
 */

#include "config.h"

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "cpu_case.h"
#include "random.h"
#include "typed.h"

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
static double grid(uint64_t *seed, bool is_double)
{
    double x = (double)random_below(seed, 17) / 4 - 2;

    return is_double && random_below(seed, 2) ? x + 1e-12 : x;
}

static uint32_t add_node(uint64_t *seed, uint32_t tree, bool is_double, uint32_t mode)
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

static void add_votes(uint64_t *seed, uint32_t node, uint32_t least, bool is_positive)
{
    for (uint32_t k = least + random_below(seed, 2); k > 0; k--) {
        f.vote_tree[f.n_votes] = f.tree[node];
        f.vote_id[f.n_votes] = f.id[node];
        f.vote_target[f.n_votes] = random_below(seed, f.n_targets);
        f.weight[f.n_votes++] = (double)random_float(seed, 1) + (is_positive ? 1.25 : 0);
    }
}

/* What random forests may have. */
struct wish {
    uint32_t trees, depth, features, targets;
    uint32_t n_modes; /* the first ones of `modes`; 1: one mode for all */
    uint32_t least_votes;
    bool is_double, has_tracks, is_positive;
};

static uint32_t grow(uint64_t *seed, uint32_t tree, uint32_t depth, const struct wish *w,
                     uint32_t only_mode)
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

static void plant(uint64_t *seed, const struct wish *w)
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

/* Nodes but the roots change places, which no version before 5 may notice. */
static void shuffle(uint64_t *seed)
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
static uint32_t node_of(int64_t tree, int64_t id)
{
    uint32_t i = f.where[(id + 5) / 2];

    ck_assert_int_eq(f.tree[i], tree);
    ck_assert_int_eq(f.id[i], id);
    return i;
}

static bool holds(uint32_t i, double x)
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

static uint32_t walk(uint32_t root, const double *x)
{
    uint32_t i = root;

    while (f.mode[i] != LEAF)
        i = node_of(f.tree[i], holds(i, x[f.feature[i]]) ? f.yes[i] : f.no[i]);
    return i;
}

/* Votes for each target of one row; aggregate: 0 mean, 1 sum, 2 least, 3 largest. */
static void reference(const double *row, uint32_t aggregate, double *out)
{
    static int64_t leaf_id[MOST_NODES]; /* that the row comes to, by tree */
    bool has_vote[MOST_TARGETS] = {false};

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

/* ---- inputs ---------------------------------------------------------------------------------- */

static double x[MOST_ROWS * MOST_FEATURES]; /* as the reference sees them */
static uint64_t x_bytes[MOST_ROWS * MOST_FEATURES];

/* Rows of numbers of a type; floats may be missing. */
static void fill_x(uint64_t *seed, uint32_t dtype, uint32_t n, bool may_miss)
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

static void floats(const char *name, const double *values, uint32_t n)
{
    float *narrow = calloc(n + 1, sizeof *narrow);

    ck_assert_ptr_nonnull(narrow);
    for (uint32_t i = 0; i < n; i++)
        narrow[i] = (float)values[i];
    th_floats(t, name, n, narrow);
    free(narrow);
}

static void doubles(const char *name, const double *values, uint32_t n)
{
    char dims[16], tensor[64];

    snprintf(dims, sizeof dims, "%u", n);
    snprintf(tensor, sizeof tensor, "%s_as_tensor", name);
    th_tensor(t, tensor, BP_DTYPE_F64, dims, values);
}

/* The nodes as attributes; votes as <kind>_ids and so on. */
static void set_attrs(const char *kind, bool as_double)
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

static const char *dims_of(uint32_t rows, uint32_t cols)
{
    static char text[4][32];
    static int next;

    next = (next + 1) % 4;
    snprintf(text[next], sizeof text[next], "%u,%u", rows, cols);
    return text[next];
}

static double close_to(double want)
{
    return 2e-5 * (1 + fabs(want));
}

/* ---- TreeEnsembleRegressor ------------------------------------------------------------------- */

static const uint32_t dtypes[] = {BP_DTYPE_F32, BP_DTYPE_F64, BP_DTYPE_I64, BP_DTYPE_I32,
                                  BP_DTYPE_F16};
static const char *const aggregates[] = {"AVERAGE", "SUM", "MIN", "MAX"};

static struct wish random_wish(uint64_t *seed, bool is_double)
{
    return (struct wish){.trees = 1 + random_below(seed, 12),
                         .depth = random_below(seed, 6),
                         .features = 1 + random_below(seed, MOST_FEATURES),
                         .targets = 1 + random_below(seed, 2) * random_below(seed, 4),
                         .n_modes = random_below(seed, 2) ? 1 : 6,
                         .least_votes = random_below(seed, 2),
                         .is_double = is_double,
                         .has_tracks = random_below(seed, 2)};
}

static uint32_t random_rows(uint64_t *seed)
{
    uint32_t kind = random_below(seed, 4);

    return kind == 0 ? random_below(seed, 5) : random_below(seed, kind == 1 ? 20 : 150);
}

START_TEST(regresses_as_the_lists_say)
{
    uint64_t seed = (uint64_t)_i;
    uint32_t dtype = dtypes[_i % 4], aggregate = (uint32_t)_i / 4 % 4;
    bool as_double = _i / 16 % 2, has_base = random_below(&seed, 2);
    struct wish w = random_wish(&seed, as_double);
    uint32_t rows = random_rows(&seed);
    double base[MOST_TARGETS], want[MOST_TARGETS];
    const float *y;

    plant(&seed, &w);
    shuffle(&seed);
    fill_x(&seed, dtype, rows * w.features, random_below(&seed, 2));
    th_input(t, "x", dtype, dims_of(rows, w.features), rows ? x_bytes : NULL);
    th_output(t, "y", BP_DTYPE_F32, dims_of(rows, w.targets));
    th_node(t, "TreeEnsembleRegressor", as_double ? 3 : 1, "x", "y");
    set_attrs("target", as_double);
    th_string(t, "aggregate_function", aggregates[aggregate]);
    th_int(t, "n_targets", w.targets);
    for (uint32_t k = 0; k < w.targets; k++)
        base[k] = (double)random_float(&seed, 1);
    if (has_base)
        (as_double ? doubles : floats)("base_values", base, w.targets);
    ck_run();
    y = th_data(t, "y");
    for (uint32_t r = 0; r < rows; r++) {
        reference(x + r * w.features, aggregate, want);
        for (uint32_t k = 0; k < w.targets; k++) {
            want[k] += has_base ? base[k] : 0;
            ck_assert_msg(fabs((double)y[r * w.targets + k] - want[k]) < close_to(want[k]),
                          "row %u target %u: %g, not %g", r, k, (double)y[r * w.targets + k],
                          want[k]);
        }
    }
}
END_TEST

/* Few rows and many trees: threads share the trees. */
START_TEST(shares_trees_among_threads)
{
    static const uint32_t sizes[] = {1, 2, 4, 5, 9, 17};
    uint64_t seed = (uint64_t)_i;
    uint32_t rows = sizes[_i % 6], aggregate = (uint32_t)_i / 6 % 4;
    struct wish w = {.trees = 250,
                     .depth = 5,
                     .features = 5,
                     .targets = 1 + (uint32_t)_i % 3,
                     .n_modes = 1,
                     .least_votes = 1};
    double want[MOST_TARGETS];
    const float *y;

    plant(&seed, &w);
    fill_x(&seed, BP_DTYPE_F32, rows * w.features, false);
    th_threads(t, 8);
    th_input(t, "x", BP_DTYPE_F32, dims_of(rows, w.features), x_bytes);
    th_output(t, "y", BP_DTYPE_F32, dims_of(rows, w.targets));
    th_node(t, "TreeEnsembleRegressor", 1, "x", "y");
    set_attrs("target", false);
    th_string(t, "aggregate_function", aggregates[aggregate]);
    th_int(t, "n_targets", w.targets);
    ck_run();
    y = th_data(t, "y");
    for (uint32_t r = 0; r < rows; r++) {
        reference(x + r * w.features, aggregate, want);
        for (uint32_t k = 0; k < w.targets; k++)
            ck_assert_double_le(fabs((double)y[r * w.targets + k] - want[k]),
                                10 * close_to(want[k]));
    }
}
END_TEST

/* ---- TreeEnsemble ---------------------------------------------------------------------------- */

/* Version 5 has branches and leaves in two lists; a leaf has one vote. */
static struct {
    uint32_t n, n_leaves, place[MOST_NODES];
    int64_t feature[MOST_NODES], yes[MOST_NODES], no[MOST_NODES], yes_leaf[MOST_NODES];
    int64_t no_leaf[MOST_NODES], tracks[MOST_NODES], target[MOST_NODES], roots[MOST_NODES];
    uint8_t mode[MOST_NODES];
    double value[MOST_NODES], weight[MOST_NODES];
} five;

static void tensor(const char *name, uint32_t dtype, const double *values, uint32_t n)
{
    void *bytes = typed_encode(values, n, dtype);
    char dims[16];

    snprintf(dims, sizeof dims, "%u", n);
    th_tensor(t, name, dtype, dims, bytes);
    free(bytes);
}

/* Trees of one leaf have no branch to begin at: such a tree gets one that always comes there. */
static void add_five_branch(uint32_t i, uint32_t yes, uint32_t no)
{
    uint32_t at = five.n++;

    five.feature[at] = f.mode[i] == LEAF ? 0 : f.feature[i];
    five.mode[at] = f.mode[i] == LEAF ? 0 : f.mode[i];
    five.value[at] = f.value[i];
    five.tracks[at] = f.tracks[i];
    five.yes_leaf[at] = f.mode[yes] == LEAF;
    five.no_leaf[at] = f.mode[no] == LEAF;
    five.yes[at] = five.place[yes];
    five.no[at] = five.place[no];
}

static void make_five(void)
{
    uint32_t n = 0, n_roots = 0;

    memset(&five, 0, sizeof five);
    for (uint32_t i = 0; i < f.n; i++) {
        bool is_root = i == 0 || f.tree[i] != f.tree[i - 1];

        if (is_root)
            five.roots[n_roots++] = n;
        five.place[i] = f.mode[i] == LEAF ? five.n_leaves++ : n;
        n += f.mode[i] != LEAF || is_root;
    }
    for (uint32_t i = 0; i < f.n; i++) {
        bool is_root = i == 0 || f.tree[i] != f.tree[i - 1];

        if (f.mode[i] != LEAF)
            add_five_branch(i, node_of(f.tree[i], f.yes[i]), node_of(f.tree[i], f.no[i]));
        else if (is_root)
            add_five_branch(i, i, i);
    }
    for (uint32_t v = 0; v < f.n_votes; v++) {
        uint32_t leaf = five.place[node_of(f.vote_tree[v], f.vote_id[v])];

        five.target[leaf] = f.vote_target[v];
        five.weight[leaf] = f.weight[v];
    }
}

static void set_five_attrs(uint32_t dtype)
{
    char dims[16];

    th_domain(t, "ai.onnx.ml");
    th_ints(t, "nodes_featureids", five.n, five.feature);
    th_ints(t, "nodes_truenodeids", five.n, five.yes);
    th_ints(t, "nodes_falsenodeids", five.n, five.no);
    th_ints(t, "nodes_trueleafs", five.n, five.yes_leaf);
    th_ints(t, "nodes_falseleafs", five.n, five.no_leaf);
    if (f.has_tracks)
        th_ints(t, "nodes_missing_value_tracks_true", five.n, five.tracks);
    th_ints(t, "leaf_targetids", five.n_leaves, five.target);
    th_ints(t, "tree_roots", f.n_trees, five.roots);
    snprintf(dims, sizeof dims, "%u", five.n);
    th_tensor(t, "nodes_modes", BP_DTYPE_U8, dims, five.mode);
    tensor("nodes_splits", dtype, five.value, five.n);
    tensor("leaf_weights", dtype, five.weight, five.n_leaves);
    if (f.n_members > 0)
        tensor("membership_values", dtype, f.members, f.n_members);
}

static double result_at(uint32_t dtype, uint32_t i)
{
    return typed_get(th_data(t, "y"), dtype, i);
}

START_TEST(runs_version_5)
{
    static const uint32_t types[] = {BP_DTYPE_F32, BP_DTYPE_F64, BP_DTYPE_F16};
    uint64_t seed = (uint64_t)_i;
    uint32_t dtype = types[_i % 3], aggregate = (uint32_t)_i / 3 % 4, rows = random_rows(&seed);
    struct wish w = random_wish(&seed, dtype == BP_DTYPE_F64);
    double want[MOST_TARGETS];

    w.n_modes = 1 + random_below(&seed, 7);
    w.least_votes = 1;
    plant(&seed, &w);
    for (uint32_t v = 1; v < f.n_votes; v++) { /* one vote a leaf */
        if (f.vote_tree[v] == f.vote_tree[v - 1] && f.vote_id[v] == f.vote_id[v - 1]) {
            f.n_votes--;
            memmove(f.vote_tree + v, f.vote_tree + v + 1, (f.n_votes - v) * sizeof *f.vote_tree);
            memmove(f.vote_id + v, f.vote_id + v + 1, (f.n_votes - v) * sizeof *f.vote_id);
            memmove(f.vote_target + v, f.vote_target + v + 1,
                    (f.n_votes - v) * sizeof *f.vote_target);
            memmove(f.weight + v, f.weight + v + 1, (f.n_votes - v) * sizeof *f.weight);
            v--;
        }
    }
    make_five();
    fill_x(&seed, dtype, rows * w.features, random_below(&seed, 2));
    th_input(t, "x", dtype, dims_of(rows, w.features), rows ? x_bytes : NULL);
    th_output(t, "y", dtype, dims_of(rows, w.targets));
    th_node(t, "TreeEnsemble", 5, "x", "y");
    set_five_attrs(dtype);
    th_int(t, "aggregate_function", aggregate);
    th_int(t, "n_targets", w.targets);
    ck_run();
    for (uint32_t r = 0; r < rows; r++) {
        reference(x + r * w.features, aggregate, want);
        for (uint32_t k = 0; k < w.targets; k++)
            ck_assert_double_le(fabs(result_at(dtype, r * w.targets + k) - want[k]),
                                close_to(want[k]) * (dtype == BP_DTYPE_F16 ? 200 : 1));
    }
}
END_TEST

/* ---- TreeEnsembleClassifier ------------------------------------------------------------------ */

static const char *const transforms[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};

static double logistic(double v)
{
    return 1 / (1 + exp(-v));
}

static void transform_row(uint32_t transform, double *z, uint32_t n)
{
    double sum = 0, max = z[0];

    for (uint32_t i = 0; i < n; i++)
        max = z[i] > max ? z[i] : max;
    for (uint32_t i = 0; i < n; i++) {
        if (transform == 2)
            z[i] = logistic(z[i]);
        if (transform == 3 && fabs(z[i]) <= 1e-7)
            z[i] *= exp(-max);
        else if (transform == 1 || transform == 3)
            z[i] = exp(z[i] - max);
        sum += z[i];
    }
    for (uint32_t i = 0; i < n && (transform == 1 || transform == 3); i++)
        z[i] = fabs(sum) > 0 ? z[i] / sum : 0.5;
}

START_TEST(classifies)
{
    static const char *const names[] = {"a", "bee", "", "sea", "\xc3\xa9"};
    static const int64_t numbers[] = {7, -3, 1000000000000, 0, 5};
    uint64_t seed = (uint64_t)_i;
    uint32_t dtype = dtypes[_i % 4], transform = (uint32_t)_i / 4 % 4, rows = random_rows(&seed);
    bool is_text = _i / 16 % 2, has_base = random_below(&seed, 2);
    struct wish w = random_wish(&seed, false);
    double base[MOST_TARGETS], want[MOST_TARGETS];
    char label_dims[16];

    w.targets = 3 + random_below(&seed, 3);
    plant(&seed, &w);
    fill_x(&seed, dtype, rows * w.features, true);
    th_input(t, "x", dtype, dims_of(rows, w.features), rows ? x_bytes : NULL);
    snprintf(label_dims, sizeof label_dims, "%u", rows);
    th_output(t, "label", is_text ? BP_DTYPE_STRING : BP_DTYPE_I64, label_dims);
    th_output(t, "z", BP_DTYPE_F32, dims_of(rows, w.targets));
    th_node(t, "TreeEnsembleClassifier", 1, "x", "label z");
    set_attrs("class", false);
    th_string(t, "post_transform", transforms[transform]);
    if (is_text)
        th_strings(t, "classlabels_strings", w.targets, names);
    else
        th_ints(t, "classlabels_int64s", w.targets, numbers);
    for (uint32_t k = 0; k < w.targets; k++)
        base[k] = has_base ? (double)random_float(&seed, 1) : 0;
    if (has_base)
        floats("base_values", base, w.targets);
    ck_run();
    for (uint32_t r = 0; r < rows; r++) {
        uint32_t best = 0;

        reference(x + r * w.features, 1, want);
        for (uint32_t k = 0; k < w.targets; k++) {
            want[k] += (double)(float)base[k];
            best = want[k] > want[best] + 1e-9 ? k : best;
        }
        if (is_text) {
            bp_span got = ((const bp_span *)th_data(t, "label"))[r];

            ck_assert_uint_eq(got.size, strlen(names[best]));
            ck_assert_mem_eq(got.data, names[best], got.size);
        } else {
            ck_assert_int_eq(((const int64_t *)th_data(t, "label"))[r], numbers[best]);
        }
        transform_row(transform, want, w.targets);
        for (uint32_t k = 0; k < w.targets; k++)
            ck_assert_double_le(
                fabs((double)((const float *)th_data(t, "z"))[r * w.targets + k] - want[k]),
                close_to(want[k]));
    }
}
END_TEST

/* One leaf that gives its weight to one class of two, with all that may be said about it. */
static const struct {
    double weight, base[2];
    uint32_t n_base, class;
    const char *transform;
    int64_t label;
    double z[2];
} pairs[] = {
    {.weight = 0.75, .transform = "NONE", .label = 9, .z = {0.25, 0.75}},
    {.weight = 0.25, .transform = "NONE", .label = 4, .z = {0.75, 0.25}},
    {.weight = -0.25, .transform = "NONE", .label = 4, .z = {0.25, -0.25}},
    {.weight = -0.5,
     .base = {0.75},
     .n_base = 1,
     .transform = "NONE",
     .label = 9,
     .z = {-0.25, 0.25}},
    {.weight = -1, .transform = "LOGISTIC", .label = 4, .z = {0.731058579, 0.268941421}},
    {.weight = 1, .transform = "LOGISTIC", .label = 9, .z = {0.268941421, 0.731058579}},
    {.weight = -1,
     .base = {3, 3},
     .n_base = 2,
     .transform = "LOGISTIC",
     .label = 9,
     .z = {0.119202922, 0.880797078}},
    {.weight = -1, .transform = "SOFTMAX", .label = 4, .z = {0.880797078, 0.119202922}},
    {.weight = 0.75, .transform = "PROBIT", .label = 9, .z = {-0.6740, 0.6740}},
    {.weight = 0.75, .class = 1, .transform = "NONE", .label = 9, .z = {0, 0.75}},
    {.weight = 0.25, .class = 1, .transform = "NONE", .label = 4, .z = {0, 0.25}},
    {.weight = -0.25, .class = 1, .transform = "LOGISTIC", .label = 4, .z = {0.5, 0.437823499}},
};

START_TEST(makes_two_scores_of_one)
{
    int64_t zero = 0, class = pairs[_i].class;
    const char *leaf = "LEAF";
    const float *z;

    th_input(t, "x", BP_DTYPE_F32, "1", (float[]){1});
    th_output(t, "label", BP_DTYPE_I64, "1");
    th_output(t, "z", BP_DTYPE_F32, "1,2");
    th_node(t, "TreeEnsembleClassifier", 3, "x", "label z");
    th_domain(t, "ai.onnx.ml");
    th_ints(t, "nodes_treeids", 1, &zero);
    th_ints(t, "nodes_nodeids", 1, &zero);
    th_ints(t, "nodes_featureids", 1, &zero);
    th_ints(t, "nodes_truenodeids", 1, &zero);
    th_ints(t, "nodes_falsenodeids", 1, &zero);
    th_strings(t, "nodes_modes", 1, &leaf);
    floats("nodes_values", (double[]){0}, 1);
    th_ints(t, "class_ids", 1, &class);
    th_ints(t, "class_nodeids", 1, &zero);
    th_ints(t, "class_treeids", 1, &zero);
    floats("class_weights", &pairs[_i].weight, 1);
    if (pairs[_i].n_base > 0)
        floats("base_values", pairs[_i].base, pairs[_i].n_base);
    th_ints(t, "classlabels_int64s", 2, (int64_t[]){4, 9});
    th_string(t, "post_transform", pairs[_i].transform);
    ck_run();
    z = th_data(t, "z");
    ck_assert_int_eq(*(const int64_t *)th_data(t, "label"), pairs[_i].label);
    ck_assert_double_le(fabs((double)z[0] - pairs[_i].z[0]), 1e-3);
    ck_assert_double_le(fabs((double)z[1] - pairs[_i].z[1]), 1e-3);
}
END_TEST

/* ---- forests that are wrong ------------------------------------------------------------------ */

static uint32_t random_branch(uint64_t *seed)
{
    for (;;) {
        uint32_t i = random_below(seed, f.n);

        if (f.mode[i] != LEAF)
            return i;
    }
}

static int64_t wrong_number(uint64_t *seed)
{
    static const int64_t numbers[] = {-1, INT64_MIN, INT64_MAX, 1 << 30, 4000000001, -77};

    return numbers[random_below(seed, 6)];
}

/* Breaks one thing; false: what is left is a forest still. */
static bool spoil(uint64_t *seed, uint32_t how)
{
    uint32_t i = random_branch(seed), v = random_below(seed, f.n_votes);

    switch (how) {
    case 0:
        f.yes[i] = wrong_number(seed) * 2; /* ids are odd */
        return true;
    case 1:
        f.no[i] = wrong_number(seed) * 2;
        return true;
    case 2:
        f.yes[i] = f.id[i]; /* round */
        return true;
    case 3:
        f.feature[i] = wrong_number(seed);
        return true;
    case 4:
        f.mode_name[i] = random_below(seed, 2) ? "BRANCH_MEMBER" : "branch_leq";
        return true;
    case 5:
        f.vote_target[v] = wrong_number(seed);
        return true;
    case 6:
        f.vote_id[v] = wrong_number(seed) * 2;
        return true;
    case 7:
        f.vote_tree[v] = INT64_MAX;
        return true;
    case 8:
        f.id[i] = f.id[i > 0 ? i - 1 : i + 1];
        f.tree[i] = f.tree[i > 0 ? i - 1 : i + 1];
        return true;
    case 9:
        f.value[i] = (double)NAN;
        return false;
    case 10:
        f.value[i] = random_below(seed, 2) ? HUGE_VAL : -HUGE_VAL;
        return false;
    default:
        f.weight[v] = (double)NAN;
        return false;
    }
}

START_TEST(refuses_what_is_no_forest)
{
    uint64_t seed = (uint64_t)_i;
    struct wish w = {
        .trees = 3, .depth = 4, .features = 3, .targets = 2, .n_modes = 6, .least_votes = 1};
    bool is_wrong;

    do
        plant(&seed, &w);
    while (f.n < 12);
    is_wrong = spoil(&seed, (uint32_t)_i % 12);
    fill_x(&seed, BP_DTYPE_F32, 20 * w.features, true);
    th_input(t, "x", BP_DTYPE_F32, dims_of(20, w.features), x_bytes);
    th_output(t, "y", BP_DTYPE_F32, dims_of(20, w.targets));
    th_node(t, "TreeEnsembleRegressor", 1, "x", "y");
    set_attrs("target", false);
    th_int(t, "n_targets", w.targets);
    if (!is_wrong) {
        ck_run();
        return;
    }
    ck_assert_int_lt(th_run(t), 0);
    ck_assert_msg(strstr(th_message(t), "TreeEnsembleRegressor"), "%s", th_message(t));
    ck_assert_uint_gt(strlen(th_message(t)), 30);
}
END_TEST

static const char *const lists[] = {
    "nodes_treeids",      "nodes_nodeids",  "nodes_featureids", "nodes_truenodeids",
    "nodes_falsenodeids", "nodes_modes",    "nodes_values",     "target_ids",
    "target_nodeids",     "target_treeids", "target_weights",   "nodes_missing_value_tracks_true",
    "base_values"};

/* One list is shorter than the others. */
START_TEST(refuses_lists_of_unequal_lengths)
{
    uint64_t seed = (uint64_t)_i;
    const char *victim = lists[_i % 13];
    struct wish w = {.trees = 2,
                     .depth = 3,
                     .features = 2,
                     .targets = 2,
                     .n_modes = 6,
                     .least_votes = 1,
                     .has_tracks = true};
    uint32_t drop = 1 + random_below(&seed, 3);

    do
        plant(&seed, &w);
    while (f.n < 12);
    th_input(t, "x", BP_DTYPE_F32, "1,2", (float[]){0, 0});
    th_output(t, "y", BP_DTYPE_F32, "1,2");
    th_node(t, "TreeEnsembleRegressor", 1, "x", "y");
    th_domain(t, "ai.onnx.ml");
    th_int(t, "n_targets", 2);
#define LENGTH(name, n) ((n) - (strcmp(victim, name) == 0 ? drop : 0))
    th_ints(t, lists[0], LENGTH(lists[0], f.n), f.tree);
    th_ints(t, lists[1], LENGTH(lists[1], f.n), f.id);
    th_ints(t, lists[2], LENGTH(lists[2], f.n), f.feature);
    th_ints(t, lists[3], LENGTH(lists[3], f.n), f.yes);
    th_ints(t, lists[4], LENGTH(lists[4], f.n), f.no);
    th_strings(t, lists[5], LENGTH(lists[5], f.n), f.mode_name);
    floats(lists[6], f.value, LENGTH(lists[6], f.n));
    th_ints(t, lists[7], LENGTH(lists[7], f.n_votes), f.vote_target);
    th_ints(t, lists[8], LENGTH(lists[8], f.n_votes), f.vote_id);
    th_ints(t, lists[9], LENGTH(lists[9], f.n_votes), f.vote_tree);
    floats(lists[10], f.weight, LENGTH(lists[10], f.n_votes));
    th_ints(t, lists[11], LENGTH(lists[11], f.n), f.tracks);
    floats(lists[12], f.weight, strcmp(victim, lists[12]) == 0 ? 3 : 2);
    ck_assert_int_eq(th_run(t), BP_E_INVALID);
    ck_assert_msg(strstr(th_message(t), " has "), "%s", th_message(t));
}
END_TEST

/* Version 5: any number anywhere; it runs, or says what is wrong. */
START_TEST(survives_any_indices_in_version_5)
{
    static int64_t *const columns[] = {five.feature, five.yes,    five.no,   five.yes_leaf,
                                       five.no_leaf, five.target, five.roots};
    uint64_t seed = (uint64_t)_i;
    struct wish w = {
        .trees = 3, .depth = 4, .features = 3, .targets = 2, .n_modes = 7, .least_votes = 1};

    do
        plant(&seed, &w);
    while (f.n < 12);
    make_five();
    for (uint32_t k = 1 + random_below(&seed, 3); k > 0; k--)
        columns[random_below(&seed, 7)][random_below(&seed, 3)] =
            random_below(&seed, 2) ? wrong_number(&seed) : random_below(&seed, five.n);
    if (random_below(&seed, 4) == 0)
        five.mode[0] = (uint8_t)random_below(&seed, 256);
    if (random_below(&seed, 4) == 0 && f.n_members > 0)
        f.n_members -= 1 + random_below(&seed, f.n_members);
    fill_x(&seed, BP_DTYPE_F32, 10 * w.features, true);
    th_input(t, "x", BP_DTYPE_F32, dims_of(10, w.features), x_bytes);
    th_output(t, "y", BP_DTYPE_F32, dims_of(10, w.targets));
    th_node(t, "TreeEnsemble", 5, "x", "y");
    set_five_attrs(BP_DTYPE_F32);
    th_int(t, "n_targets", w.targets);
    if (th_run(t) < 0)
        ck_assert_msg(strstr(th_message(t), "TreeEnsemble 'n"), "%s", th_message(t));
}
END_TEST

START_TEST(refuses_a_feature_that_x_has_not)
{
    uint64_t seed = 1;
    struct wish w = {
        .trees = 1, .depth = 6, .features = 6, .targets = 1, .n_modes = 6, .least_votes = 1};

    do
        plant(&seed, &w);
    while (f.n < 50);
    th_input(t, "x", BP_DTYPE_F32, "1,2", (float[]){0, 0});
    th_output(t, "y", BP_DTYPE_F32, "1,1");
    th_node(t, "TreeEnsembleRegressor", 1, "x", "y");
    set_attrs("target", false);
    ck_assert_int_eq(th_run(t), BP_E_SHAPE);
    ck_assert_msg(strstr(th_message(t), "compare feature 5, but X has 2"), "%s", th_message(t));
}
END_TEST

START_TEST(says_when_memory_is_out)
{
    for (uint32_t n = 1;; n++) {
        uint64_t seed = 3;
        struct wish w = {
            .trees = 3, .depth = 3, .features = 3, .targets = 2, .n_modes = 6, .least_votes = 1};
        bp_rc rc;

        teardown();
        setup();
        plant(&seed, &w);
        fill_x(&seed, BP_DTYPE_F64, 10 * w.features, true);
        th_input(t, "x", BP_DTYPE_F64, dims_of(10, w.features), x_bytes);
        th_output(t, "y", BP_DTYPE_F32, dims_of(10, w.targets));
        th_node(t, "TreeEnsembleRegressor", 1, "x", "y");
        set_attrs("target", false);
        th_int(t, "n_targets", w.targets);
        th_fail_alloc(t, n);
        rc = th_run(t);
        if (rc >= 0)
            break;
        ck_assert_int_eq(rc, BP_E_NOMEM);
        ck_assert_uint_lt(n, 100);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_trees");
    TCase *tcase = tcase_create("trees");
    SRunner *runner;
    int failures;

    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, regresses_as_the_lists_say, 0, 192);
    tcase_add_loop_test(tcase, shares_trees_among_threads, 0, 24);
    tcase_add_loop_test(tcase, runs_version_5, 0, 120);
    tcase_add_loop_test(tcase, classifies, 0, 128);
    tcase_add_loop_test(tcase, makes_two_scores_of_one, 0, sizeof pairs / sizeof *pairs);
    tcase_add_loop_test(tcase, refuses_what_is_no_forest, 0, 240);
    tcase_add_loop_test(tcase, refuses_lists_of_unequal_lengths, 0, 39);
    tcase_add_loop_test(tcase, survives_any_indices_in_version_5, 0, 300);
    tcase_add_test(tcase, refuses_a_feature_that_x_has_not);
    tcase_add_test(tcase, says_when_memory_is_out);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failures = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
